//! Lists of index tuples, compressed where they advance regularly.

/// One tuple of `W` indices for each element of a family.
///
/// Tuples that advance by a constant stride (a chain, a row of a pair loop) are stored as runs, so that loops over them load
/// no index at all; a family without such order is stored as it is.
#[derive(Debug, Clone)]
pub struct IndexList<const W: usize> {
    runs: Vec<Run<W>>,
    listed: Vec<[u32; W]>,
    length: usize,
    /// The whole list, if it is one run of neighbouring indices.
    window: Option<Window>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Run<const W: usize> {
    first: [u32; W],
    stride: [u32; W],
    count: u32,
    /// Whether all indices advance by the same.
    together: bool,
}

/// Runs shorter than this on average are not worth their descriptors.
const WORTHWHILE: usize = 4;
/// Lists that are no longer than this are stored as they are, unless all indices of a run move together: it takes less time than
/// memory.
const SHORT: usize = 16;

impl<const W: usize> Default for IndexList<W> {
    fn default() -> Self {
        Self { runs: Vec::new(), listed: Vec::new(), length: 0, window: None }
    }
}

impl<const W: usize> IndexList<W> {
    /// The number of tuples.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Appends a tuple.
    pub fn push(&mut self, tuple: [u32; W]) {
        self.length += 1;
        if let Some(Run { first, stride, count, .. }) = self.runs.last_mut()
            && continues(first, stride, count, &tuple)
        {
            return;
        }
        self.runs.push(Run { first: tuple, stride: [0; W], count: 1, together: true });
    }

    /// Ends the list: chooses the smaller form and gives back unused memory.
    pub fn finish(&mut self) {
        if self.runs.len() * WORTHWHILE > self.length && self.length > WORTHWHILE {
            self.list();
        }
        for Run { stride, together, .. } in &mut self.runs {
            *together = stride.iter().all(|step| *step == stride[0] && i32::try_from(*step).is_ok());
        }
        if self.length <= SHORT && self.runs.iter().any(|run| !run.together) {
            self.list();
        }
        self.window = match &self.runs[..] {
            [Run { first, stride, .. }] => Window::of(first, stride),
            _ => None,
        };
        self.runs.shrink_to_fit();
    }

    /// Stores every tuple as it is.
    pub(super) fn list(&mut self) {
        self.listed = self.to_vec();
        self.runs = Vec::new();
        self.window = None;
    }

    /// The tuples in order.
    pub(super) fn to_vec(&self) -> Vec<[u32; W]> {
        let mut tuples = Vec::with_capacity(self.length);
        self.for_each(|tuple| tuples.push(*tuple));
        tuples
    }

    fn for_each(&self, mut visit: impl FnMut(&[u32; W])) {
        for Run { first, stride, count, .. } in &self.runs {
            let mut tuple = *first;
            for _ in 0..*count {
                visit(&tuple);
                advance(&mut tuple, stride);
            }
        }
        self.listed.iter().for_each(visit);
    }

    /// The tuples of a list that stores every tuple as it is.
    #[inline(always)]
    pub(super) fn listed(&self) -> &[[u32; W]] {
        &self.listed
    }

    /// The whole list as a window, if it is one.
    #[inline(always)]
    pub(super) fn window(&self) -> Option<Window> {
        self.window
    }

    /// The whole list as places in a window, if it is that: the Hessian entries of a chain.
    pub(super) fn lattice(&self) -> Option<Lattice<W>> {
        let (Run { first, stride, count, .. }, last) = match self.runs[..] {
            [run] => (run, run.first),
            [run, last] if last.count == 1 => (run, last.first),
            _ => return None,
        };
        let mut offsets = first;
        let window = lattice(&mut offsets, &stride)?;
        Some(Lattice { window, offsets, count: count as usize, last })
    }

    /// The list in blocks.
    pub(super) fn blocks(&self) -> Blocks<'_, W> {
        Blocks { runs: &self.runs, listed: &self.listed, skipped: 0 }
    }
}

/// A list of tuples of any width, for what is done once, at binding: it is compiled once for all families.
pub(super) trait Tuples {
    /// The number of tuples.
    fn count(&self) -> usize;
    /// Shows the tuples in order.
    fn visit(&self, visit: &mut dyn FnMut(&[u32]));
    /// Appends a tuple of the width of the list.
    fn append(&mut self, tuple: &[u32]);
}

impl<const W: usize> Tuples for IndexList<W> {
    fn count(&self) -> usize {
        self.length
    }

    fn visit(&self, visit: &mut dyn FnMut(&[u32])) {
        self.for_each(|tuple| visit(tuple));
    }

    fn append(&mut self, tuple: &[u32]) {
        if let Ok(tuple) = tuple.try_into() {
            self.push(tuple);
        }
    }
}

/// Whether a tuple is the next one of a run, which then has it.
fn continues(first: &[u32], stride: &mut [u32], count: &mut u32, tuple: &[u32]) -> bool {
    if *count == 1 {
        for ((stride, first), at) in stride.iter_mut().zip(first).zip(tuple) {
            *stride = at.wrapping_sub(*first);
        }
        *count = 2;
        return true;
    }
    let next = |first: u32, stride: u32| first.wrapping_add(stride.wrapping_mul(*count));
    let continues =
        first.iter().zip(&*stride).zip(tuple).all(|((first, stride), at)| next(*first, *stride) == *at);
    *count += u32::from(continues);
    continues
}

fn advance(tuple: &mut [u32], stride: &[u32]) {
    for (at, stride) in tuple.iter_mut().zip(stride) {
        *at = at.wrapping_add(*stride);
    }
}

/// Turns the first tuple of a run into offsets in a window, if all fit.
fn lattice(offsets: &mut [u32], stride: &[u32]) -> Option<Window> {
    let first = offsets.iter().copied().min()?;
    offsets.iter_mut().for_each(|place| *place -= first);
    let together = offsets.iter().all(|offset| (*offset as usize) < SPAN)
        && stride.iter().all(|step| *step == stride[0]);
    together.then_some(Window { first, stride: stride[0] })
}

/// Where consecutive elements stand: one tuple of indices that moves on together, or a tuple for each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps<'a, const W: usize> {
    tuples: &'a [[u32; W]],
    /// How far the tuple of the next element is.
    step: usize,
    /// What the indices of the first element are counted from.
    start: usize,
    /// How much further those of the next one are.
    stride: usize,
}

impl<'a, const W: usize> Steps<'a, W> {
    /// A tuple for each element.
    pub(super) fn listed(tuples: &'a [[u32; W]]) -> Self {
        Self { tuples, step: 1, start: 0, stride: 0 }
    }

    /// The same tuple for all.
    pub(super) fn still(tuple: &'a [u32; W]) -> Self {
        Self { tuples: std::slice::from_ref(tuple), step: 0, start: 0, stride: 0 }
    }

    /// What the indices of element e are counted from, and the indices.
    #[inline(always)]
    pub(super) fn of(self, e: usize) -> (usize, &'a [u32; W]) {
        (self.start + e * self.stride, &self.tuples[e * self.step])
    }
}

/// Where the elements of a block stand in a vector.
pub(super) trait Places<const W: usize> {
    /// The values that element e reads.
    fn read(&self, from: &[f64], e: usize) -> [f64; W];
    /// Adds what element e yields.
    fn add(&self, to: &mut [f64], e: usize, values: &[f64; W]);
    /// Writes what element e yields, or adds it where others add, too.
    fn put(&self, to: &mut [f64], e: usize, values: &[f64; W], alone: bool);
}

/// Indices that are neighbours: element e has first + e stride + (0, 1, …, W − 1).
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    first: u32,
    stride: u32,
}

impl Window {
    /// The indices of a run, if they are neighbours.
    fn of(first: &[u32], stride: &[u32]) -> Option<Self> {
        let (start, step) = (*first.first()?, *stride.first()?);
        let neighbours = (start..).zip(first).all(|(at, index)| at == *index);
        (neighbours && stride.iter().all(|other| *other == step))
            .then_some(Self { first: start, stride: step })
    }

    /// How far it moves from one element to the next.
    pub(super) fn stride(self) -> usize {
        self.stride as usize
    }

    /// Where element e begins; as it has 32 bits, the compiler sees that the last of W indices bounds the others.
    #[inline(always)]
    pub(super) fn start(self, e: usize) -> usize {
        self.first.wrapping_add(self.stride.wrapping_mul(e as u32)) as usize
    }
}

impl<const W: usize> Places<W> for Window {
    #[inline(always)]
    fn read(&self, from: &[f64], e: usize) -> [f64; W] {
        let start = self.start(e);
        let mut values = [0.0; W];
        for k in (0..W).rev() {
            values[k] = from[start + k];
        }
        values
    }

    #[inline(always)]
    fn add(&self, to: &mut [f64], e: usize, values: &[f64; W]) {
        let start = self.start(e);
        for k in (0..W).rev() {
            to[start + k] += values[k];
        }
    }

    #[inline(always)]
    fn put(&self, to: &mut [f64], e: usize, values: &[f64; W], alone: bool) {
        if alone {
            let start = self.start(e);
            to[start..start + W].copy_from_slice(values);
        } else {
            self.add(to, e, values);
        }
    }
}

/// The most indices that a [`Lattice`] spans: enough for two neighbouring points in space.
const SPAN: usize = 32;

/// Indices that stand alike in a window for all elements, element e has first + e stride + offsets; but for one more element
/// where the matrix ends, and its last columns are shorter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lattice<const W: usize> {
    window: Window,
    offsets: [u32; W],
    count: usize,
    last: [u32; W],
}

impl<const W: usize> Lattice<W> {
    /// Adds what element e yields.
    #[inline(always)]
    pub(super) fn add(&self, to: &mut [f64], e: usize, values: &[f64; W]) {
        if e >= self.count {
            for k in 0..W {
                to[self.last[k] as usize] += values[k];
            }
            return;
        }
        let to = &mut to[self.window.start(e)..];
        if let Some(window) = to.first_chunk_mut::<SPAN>() {
            for k in 0..W {
                // The remainder is the offset, and what need not be checked.
                window[self.offsets[k] as usize % SPAN] += values[k];
            }
        } else {
            for k in 0..W {
                to[self.offsets[k] as usize] += values[k];
            }
        }
    }
}

/// Consecutive tuples of a list in one form.
#[derive(Debug, Clone, Copy)]
pub(super) enum Block<'a, const W: usize> {
    Run(&'a Run<W>, u32),
    Listed(&'a [[u32; W]]),
}

impl<'a, const W: usize> Block<'a, W> {
    /// Where the elements stand; `None` where indices move apart.
    pub(super) fn steps(&self) -> Option<Steps<'a, W>> {
        match *self {
            Self::Listed(tuples) => Some(Steps::listed(tuples)),
            Self::Run(run, skipped) => run.together.then(|| {
                let stride = run.stride.first().map_or(0, |stride| *stride as usize);
                Steps { start: stride * skipped as usize, stride, ..Steps::still(&run.first) }
            }),
        }
    }

    /// The tuples of the first `count` elements, at most `N`.
    pub(super) fn written_down<const N: usize>(&self, count: usize) -> [[u32; W]; N] {
        let mut tuples = [[0; W]; N];
        match *self {
            Self::Listed(listed) => tuples[..count].copy_from_slice(&listed[..count]),
            Self::Run(run, skipped) => {
                let mut next = run.first;
                next.iter_mut().zip(run.stride).for_each(|(at, stride)| {
                    *at = at.wrapping_add(stride.wrapping_mul(skipped));
                });
                for tuple in &mut tuples[..count] {
                    *tuple = next;
                    advance(&mut next, &run.stride);
                }
            }
        }
        tuples
    }

    #[inline(always)]
    fn at(&self, e: usize, k: usize) -> usize {
        match self {
            Self::Run(run, skipped) => {
                run.first[k].wrapping_add(run.stride[k].wrapping_mul(*skipped + e as u32)) as usize
            }
            Self::Listed(tuples) => tuples[e][k] as usize,
        }
    }
}

impl<const W: usize> Places<W> for Block<'_, W> {
    #[inline(always)]
    fn read(&self, from: &[f64], e: usize) -> [f64; W] {
        let mut values = [0.0; W];
        for k in 0..W {
            values[k] = from[self.at(e, k)];
        }
        values
    }

    #[inline(always)]
    fn add(&self, to: &mut [f64], e: usize, values: &[f64; W]) {
        for k in 0..W {
            to[self.at(e, k)] += values[k];
        }
    }

    #[inline(always)]
    fn put(&self, to: &mut [f64], e: usize, values: &[f64; W], alone: bool) {
        if alone {
            for k in 0..W {
                to[self.at(e, k)] = values[k];
            }
        } else {
            self.add(to, e, values);
        }
    }
}

impl<const W: usize> Places<W> for &[[u32; W]] {
    #[inline(always)]
    fn read(&self, from: &[f64], e: usize) -> [f64; W] {
        Block::Listed(self).read(from, e)
    }

    #[inline(always)]
    fn add(&self, to: &mut [f64], e: usize, values: &[f64; W]) {
        Block::Listed(self).add(to, e, values);
    }

    #[inline(always)]
    fn put(&self, to: &mut [f64], e: usize, values: &[f64; W], alone: bool) {
        Block::Listed(self).put(to, e, values, alone);
    }
}

/// What is left of a list.
#[derive(Debug, Clone)]
pub(super) struct Blocks<'a, const W: usize> {
    runs: &'a [Run<W>],
    listed: &'a [[u32; W]],
    /// How many tuples of the first run are done.
    skipped: u32,
}

impl<'a, const W: usize> Blocks<'a, W> {
    /// The length of the next block.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        match self.runs {
            [run, ..] => (run.count - self.skipped) as usize,
            [] => self.listed.len(),
        }
    }

    /// The next block.
    #[inline(always)]
    pub(super) fn block(&self) -> Block<'a, W> {
        match self.runs {
            [run, ..] => Block::Run(run, self.skipped),
            [] => Block::Listed(self.listed),
        }
    }

    /// Leaves `count` tuples behind, at most those of the next block.
    #[inline]
    pub(super) fn advance(&mut self, count: usize) {
        match self.runs {
            [run, rest @ ..] => {
                self.skipped += count as u32;
                if self.skipped == run.count {
                    (self.runs, self.skipped) = (rest, 0);
                }
            }
            [] => self.listed = &self.listed[count..],
        }
    }
}

/// Runs `$body` for every element of several lists of one length.
///
/// Where all lists are windows and the coefficients are the same for all, the loop is compiled for just that; otherwise the
/// lists are cut into blocks in which each keeps its form.  A list of a `$few` elements stores every tuple, and needs one loop only.
macro_rules! for_each_element {
    ($few:expr, $coefficients:expr, $($places:ident in $list:expr),+; |$e:ident, $c:ident| $body:block) => {
        if const { $few } {
            $(let $places = $list.listed();)+
            let coefficients = $coefficients.part(0);
            for $e in 0..$coefficients.len() {
                let $c = coefficients.of($e);
                $body
            }
        } else if let (Some(shared), $(Some($places)),+) = ($coefficients.shared(), $($list.window()),+) {
            let $c = &shared;
            for $e in 0..$coefficients.len() {
                $body
            }
        } else {
            $(let mut $places = $list.blocks();)+
            let mut start = 0;
            while start < $coefficients.len() {
                let count = usize::MAX$(.min($places.count()))+;
                if count == 0 {
                    break;
                }
                let coefficients = $coefficients.part(start);
                {
                    $(let $places = $places.block();)+
                    for $e in 0..count {
                        let $c = coefficients.of($e);
                        $body
                    }
                }
                $($places.advance(count);)+
                start += count;
            }
        }
    };
}
pub(super) use for_each_element;

#[cfg(test)]
mod tests {
    use super::{IndexList, Steps};

    fn listed<const W: usize>(tuples: &[[u32; W]]) -> (IndexList<W>, Vec<[u32; W]>) {
        let mut list = IndexList::default();
        tuples.iter().for_each(|tuple| list.push(*tuple));
        list.finish();
        let back = list.to_vec();
        (list, back)
    }

    #[test]
    fn regular_tuples_become_one_run() {
        let tuples: Vec<[u32; 2]> = (0..100).map(|k| [2 * k, 198 - 2 * k]).collect();
        let (list, back) = listed(&tuples);
        assert_eq!(back, tuples);
        assert_eq!((list.runs.len(), list.listed.len()), (1, 0));
    }

    #[test]
    fn entries_of_a_chain_are_a_lattice_and_the_last_element() {
        let entries = |first: [u32; 3]| (0..20).map(move |k| first.map(|place| place + 7 * k));
        let tuples: Vec<[u32; 3]> = entries([12, 3, 4]).chain([[150, 143, 141]]).collect();
        let (list, _) = listed(&tuples);
        let lattice = list.lattice().expect("a lattice");
        let mut to = [0.0; 151];
        for e in 0..tuples.len() {
            lattice.add(&mut to, e, &[1.0, 2.0, 3.0]);
        }
        let mut expected = [0.0; 151];
        for tuple in &tuples {
            tuple.iter().zip([1.0, 2.0, 3.0]).for_each(|(place, value)| expected[*place as usize] += value);
        }
        assert_eq!(to.map(f64::to_bits), expected.map(f64::to_bits));
        assert!(listed(&[[0, 100], [7, 107], [14, 114]]).0.lattice().is_none());
    }

    #[test]
    fn elements_are_where_their_tuples_say() {
        let together: Vec<[u32; 3]> = (0..20).map(|k| [2 * k, 7 + 2 * k, 9 + 2 * k]).collect();
        let apart: Vec<[u32; 3]> = (0..20).map(|k| [2 * k, 70 - 3 * k, 9]).collect();
        let neighbours: Vec<[u32; 3]> = (0..20).map(|k| [4 + k, 5 + k, 6 + k]).collect();
        let irregular: Vec<[u32; 3]> = (0..20_u32).map(|k| [k * k % 37, k, 3]).collect();
        for tuples in [together, apart, neighbours, irregular] {
            let (list, _) = listed(&tuples);
            let mut blocks = list.blocks();
            // As loops do: some elements of a block, then the others.
            let mut left = &tuples[..];
            while !left.is_empty() {
                let count = blocks.count().min(7);
                let block = blocks.block();
                let written_down = block.written_down::<7>(count);
                let steps = block.steps().unwrap_or(Steps::listed(&written_down));
                assert_eq!(written_down[..count], left[..count]);
                for (e, tuple) in left[..count].iter().enumerate() {
                    let (start, indices) = steps.of(e);
                    assert_eq!(
                        indices.map(|index| start + index as usize),
                        tuple.map(|index| index as usize)
                    );
                }
                blocks.advance(count);
                left = &left[count..];
            }
        }
    }

    #[test]
    fn irregular_tuples_are_listed() {
        let tuples: Vec<[u32; 1]> = (0..100_u32).map(|k| [k * k % 37]).collect();
        let (list, back) = listed(&tuples);
        assert_eq!(back, tuples);
        assert!(list.runs.is_empty());
    }

    #[test]
    fn a_pair_loop_is_a_run_for_each_row() {
        let tuples: Vec<[u32; 2]> = (0..20).flat_map(|i| (i + 1..20).map(move |j| [i, j])).collect();
        let (list, back) = listed(&tuples);
        assert_eq!(back, tuples);
        assert!(list.runs.len() <= 20);
    }
}
