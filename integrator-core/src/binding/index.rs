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
}

/// Runs shorter than this on average are not worth their descriptors.
const WORTHWHILE: usize = 4;

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
        if let Some(run) = self.runs.last_mut() {
            if run.count == 1 {
                run.stride = std::array::from_fn(|k| tuple[k].wrapping_sub(run.first[k]));
                run.count = 2;
                return;
            }
            let next: [u32; W] =
                std::array::from_fn(|k| run.first[k].wrapping_add(run.stride[k].wrapping_mul(run.count)));
            if next == tuple {
                run.count += 1;
                return;
            }
        }
        self.runs.push(Run { first: tuple, stride: [0; W], count: 1 });
    }

    /// Ends the list: chooses the smaller form and gives back unused memory.
    pub fn finish(&mut self) {
        if self.runs.len() * WORTHWHILE > self.length && self.length > WORTHWHILE {
            let listed: Vec<[u32; W]> = self.iter().collect();
            self.listed = listed;
            self.runs = Vec::new();
        }
        self.window = match self.runs[..] {
            [Run { first, stride, .. }] if W > 0 => {
                let together = (1..W).all(|k| first[k] == first[0] + k as u32 && stride[k] == stride[0]);
                together.then_some(Window { first: first[0], stride: stride[0] })
            }
            _ => None,
        };
        self.runs.shrink_to_fit();
    }

    /// The tuples in order.
    pub fn iter(&self) -> impl Iterator<Item = [u32; W]> + '_ {
        let of_run = |run: &Run<W>| {
            let Run { first, stride, count } = *run;
            (0..count).map(move |e| std::array::from_fn(|k| first[k].wrapping_add(stride[k].wrapping_mul(e))))
        };
        self.runs.iter().flat_map(of_run).chain(self.listed.iter().copied())
    }

    /// The whole list as a window, if it is one.
    #[inline(always)]
    pub(super) fn window(&self) -> Option<Window> {
        self.window
    }

    /// The whole list as places in a window, if it is that: the Hessian entries of a chain.
    pub(super) fn lattice(&self) -> Option<Lattice<W>> {
        let (Run { first, stride, count }, last) = match self.runs[..] {
            [run] => (run, run.first),
            [run, last] if last.count == 1 => (run, last.first),
            _ => return None,
        };
        let origin = first.into_iter().min()?;
        let offsets = first.map(|place| place - origin);
        let together = offsets.iter().all(|offset| (*offset as usize) < SPAN)
            && stride.iter().all(|step| *step == stride[0]);
        let window = Window { first: origin, stride: stride[0] };
        together.then_some(Lattice { window, offsets, count: count as usize, last })
    }

    /// The list in blocks.
    pub(super) fn blocks(&self) -> Blocks<'_, W> {
        Blocks { runs: &self.runs, listed: &self.listed, skipped: 0 }
    }
}

/// Where the elements of a block stand in a vector.
pub(super) trait Places<const W: usize> {
    /// The values that element e reads.
    fn read(&self, from: &[f64], e: usize) -> [f64; W];
    /// Adds what element e yields.
    fn add(&self, to: &mut [f64], e: usize, values: [f64; W]);
    /// Writes what element e yields, or adds it where others add, too.
    fn put(&self, to: &mut [f64], e: usize, values: [f64; W], alone: bool);
}

/// Indices that are neighbours: element e has first + e stride + (0, 1, …, W − 1).
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    first: u32,
    stride: u32,
}

impl Window {
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
    fn add(&self, to: &mut [f64], e: usize, values: [f64; W]) {
        let start = self.start(e);
        for k in (0..W).rev() {
            to[start + k] += values[k];
        }
    }

    #[inline(always)]
    fn put(&self, to: &mut [f64], e: usize, values: [f64; W], alone: bool) {
        if alone {
            let start = self.start(e);
            to[start..start + W].copy_from_slice(&values);
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

impl<const W: usize> Block<'_, W> {
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
        std::array::from_fn(|k| from[self.at(e, k)])
    }

    #[inline(always)]
    fn add(&self, to: &mut [f64], e: usize, values: [f64; W]) {
        for k in 0..W {
            to[self.at(e, k)] += values[k];
        }
    }

    #[inline(always)]
    fn put(&self, to: &mut [f64], e: usize, values: [f64; W], alone: bool) {
        if alone {
            for k in 0..W {
                to[self.at(e, k)] = values[k];
            }
        } else {
            self.add(to, e, values);
        }
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
/// lists are cut into blocks in which each keeps its form.
macro_rules! for_each_element {
    ($coefficients:expr, $($places:ident in $list:expr),+; |$e:ident, $c:ident| $body:block) => {
        if let (Some($c), $(Some($places)),+) = ($coefficients.shared(), $($list.window()),+) {
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
    use super::IndexList;

    fn listed<const W: usize>(tuples: &[[u32; W]]) -> (IndexList<W>, Vec<[u32; W]>) {
        let mut list = IndexList::default();
        tuples.iter().for_each(|tuple| list.push(*tuple));
        list.finish();
        let back = list.iter().collect();
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
