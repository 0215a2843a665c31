//! The slots of the elements of a family: where each element reads.

/// One tuple of places for each element, as many as the family has slots.
///
/// Tuples that advance by constant strides (a chain, the pairs of one particle) are stored as one run: the binding of all pairs
/// stores nothing for a pair. Where a short pattern repeats itself (the bonds of equal molecules), there is a run for each of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tuples {
    width: usize,
    /// The number of tuples in each run.
    counts: Vec<u32>,
    /// The first tuple of each run, and the stride of each of its places.
    firsts: Vec<u32>,
    strides: Vec<u32>,
    /// After so many tuples the next one of a run follows.
    period: usize,
    length: usize,
}

/// Runs that are shorter than this on average are looked at once more.
const SHORT: usize = 4;
/// Runs that are at least as long on average are worth preparing blocks and leaving registers empty at their ends.
const LONG: usize = 12;
/// The longest pattern that is looked for.
const LONGEST_PERIOD: usize = 16;

/// Tuples that advance by constant strides: place k of tuple `element` + e · `step` is `first[k] + e · strides[k]`, modulo 2³².
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) element: usize,
    pub(super) step: usize,
    pub(super) count: usize,
    pub(super) first: &'a [u32],
    pub(super) strides: &'a [u32],
}

impl Tuples {
    /// No tuples yet, of this width.
    pub(super) fn new(width: usize) -> Self {
        Self { width, counts: Vec::new(), firsts: Vec::new(), strides: Vec::new(), period: 1, length: 0 }
    }

    /// The number of places of a tuple.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The memory of the tuples in bytes.
    pub(super) fn bytes(&self) -> u64 {
        4 * (self.counts.len() + self.firsts.len() + self.strides.len()) as u64
    }

    /// The number of tuples.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// The number of runs.
    #[cfg(test)]
    pub(super) fn runs_len(&self) -> usize {
        self.counts.len()
    }

    /// Appends a tuple.
    pub(super) fn push(&mut self, tuple: &[u32]) {
        self.length += 1;
        if let Some(count) = self.counts.last_mut() {
            let begin = self.firsts.len() - self.width;
            if continues(&self.firsts[begin..], &mut self.strides[begin..], count, tuple) {
                return;
            }
        }
        self.counts.push(1);
        self.firsts.extend_from_slice(tuple);
        self.strides.resize(self.firsts.len(), 0);
    }

    /// Finds runs of every second, third, … tuple, where that makes fewer, and gives back unused memory.
    pub(super) fn finish(&mut self) {
        if self.counts.len() * SHORT > self.length {
            let all = self.to_vec();
            let fewer = 2..self.counts.len().min(LONGEST_PERIOD + 1);
            if let Some(period) = fewer.into_iter().find(|period| repeats(&all, self.width, *period)) {
                let (firsts, seconds) = all.split_at(period * self.width);
                let strides = seconds.iter().zip(firsts).map(|(second, first)| second.wrapping_sub(*first));
                self.counts =
                    (0..period).map(|first| (self.length - first).div_ceil(period) as u32).collect();
                self.strides = strides.collect();
                self.firsts = firsts.to_vec();
                self.period = period;
            }
        }
        self.counts.shrink_to_fit();
        self.firsts.shrink_to_fit();
        self.strides.shrink_to_fit();
    }

    /// Brings the tuples into ascending order where that makes long runs of them; returns the order, equal tuples as before.
    pub(super) fn sort(&mut self) -> Option<Vec<u32>> {
        let backwards = |stride: &u32| *stride > u32::MAX / 2;
        if self.are_long() && !self.strides.iter().any(backwards) {
            return None;
        }
        let (tuples, width) = (self.to_vec(), self.width);
        let tuple = |element: u32| &tuples[element as usize * width..][..width];
        let mut order: Vec<u32> = (0..self.length as u32).collect();
        order.sort_by(|a, b| tuple(*a).cmp(tuple(*b)));
        let mut sorted = Self::new(width);
        order.iter().for_each(|element| sorted.push(tuple(*element)));
        if !sorted.are_long() {
            return None;
        }
        sorted.finish();
        *self = sorted;
        Some(order)
    }

    /// Whether the runs are worth their ends.
    pub(super) fn are_long(&self) -> bool {
        self.counts.len() * LONG <= self.length
    }

    /// The runs; they have the tuples in order unless [`Self::order`] has another one.
    pub(super) fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let (width, step, mut element) = (self.width, self.period, 0);
        self.counts.iter().enumerate().map(move |(run, &count)| {
            let (places, first) = (run * width..(run + 1) * width, element);
            element += if step == 1 { count as usize } else { 1 };
            let (firsts, strides) = (&self.firsts[places.clone()], &self.strides[places]);
            Run { element: first, step, count: count as usize, first: firsts, strides }
        })
    }

    /// The tuples by runs, where that is not their own order.
    pub(super) fn order(&self) -> Option<Vec<u32>> {
        let of_run = |first: usize| (first..self.length).step_by(self.period).map(|e| e as u32);
        (self.period > 1).then(|| (0..self.period).flat_map(of_run).collect())
    }

    /// Shows the tuples in order.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&[u32])) {
        if self.period > 1 {
            let (mut firsts, width) = (self.firsts.clone(), self.width);
            for element in 0..self.length {
                let places = element % self.period * width..(element % self.period + 1) * width;
                let tuple = &mut firsts[places.clone()];
                visit(tuple);
                tuple.iter_mut().zip(&self.strides[places]).for_each(advance);
            }
            return;
        }
        let mut tuple = vec![0; self.width];
        for Run { count, first, strides, .. } in self.runs() {
            tuple.copy_from_slice(first);
            for _ in 0..count {
                visit(&tuple);
                tuple.iter_mut().zip(strides).for_each(advance);
            }
        }
    }

    /// All tuples, one after the other.
    pub(super) fn to_vec(&self) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.length * self.width);
        self.for_each(|tuple| all.extend_from_slice(tuple));
        all
    }
}

fn advance((at, stride): (&mut u32, &u32)) {
    *at = at.wrapping_add(*stride);
}

/// Whether each tuple is apart from the one a period before by the strides of that period.
fn repeats(all: &[u32], width: usize, period: usize) -> bool {
    let by = period * width;
    let apart = |place: usize| all[place + by].wrapping_sub(all[place]);
    all.len() >= 2 * by && (by..all.len() - by).all(|place| apart(place) == apart(place - by))
}

/// Whether a tuple is the next one of a run, which then has it.
fn continues(first: &[u32], strides: &mut [u32], count: &mut u32, tuple: &[u32]) -> bool {
    if *count == 1 {
        for ((stride, first), at) in strides.iter_mut().zip(first).zip(tuple) {
            *stride = at.wrapping_sub(*first);
        }
        *count = 2;
        return true;
    }
    let next = |first: u32, stride: u32| first.wrapping_add(stride.wrapping_mul(*count));
    let continues =
        first.iter().zip(&*strides).zip(tuple).all(|((first, stride), at)| next(*first, *stride) == *at);
    *count += u32::from(continues);
    continues
}

#[cfg(test)]
mod tests {
    use super::Tuples;

    fn listed<const W: usize>(tuples: &[[u32; W]]) -> Tuples {
        let mut list = Tuples::new(W);
        tuples.iter().for_each(|tuple| list.push(tuple));
        list.finish();
        assert_eq!(list.to_vec(), tuples.as_flattened());
        list
    }

    #[test]
    fn regular_tuples_are_one_run_forwards_and_backwards() {
        let tuples: Vec<[u32; 2]> = (0..100).map(|k| [2 * k, 198 - 2 * k]).collect();
        assert_eq!(listed(&tuples).runs_len(), 1);
    }

    #[test]
    fn all_pairs_are_a_run_for_each_row() {
        let tuples: Vec<[u32; 2]> = (0..20).flat_map(|i| (i + 1..20).map(move |j| [i, j])).collect();
        assert!(listed(&tuples).runs_len() <= 20);
    }

    #[test]
    fn equal_molecules_are_a_run_for_each_bond() {
        let bonds = |m: u32| [[9 * m, 9 * m + 3], [9 * m + 3, 9 * m + 6], [9 * m + 6, 9 * m]];
        let molecules = (0..20).flat_map(bonds).collect::<Vec<_>>();
        for count in [58, 59, 60] {
            let tuples = listed(&molecules[..count]);
            assert_eq!(tuples.runs_len(), 3);
            let by_runs =
                tuples.runs().flat_map(|run| (0..run.count).map(move |e| run.element + e * run.step));
            let order: Vec<usize> = tuples.order().expect("a period").iter().map(|e| *e as usize).collect();
            assert!(by_runs.eq(order));
            for run in tuples.runs() {
                for e in 0..run.count {
                    let found: Vec<u32> = run
                        .first
                        .iter()
                        .zip(run.strides)
                        .map(|(first, stride)| first + e as u32 * stride)
                        .collect();
                    assert_eq!(found, molecules[run.element + e * run.step]);
                }
            }
        }
    }

    #[test]
    fn tuples_in_another_order_are_sorted_into_runs() {
        let mut tuples: Vec<[u32; 2]> = (0..30).flat_map(|i| (i + 1..30).map(move |j| [i, j])).collect();
        tuples.reverse();
        let half = tuples.len() / 2;
        tuples.swap(3, half);
        let shuffled: Vec<[u32; 2]> =
            (0..7).flat_map(|k| tuples.iter().skip(k).step_by(7)).copied().collect();
        for tuples in [tuples, shuffled] {
            let mut list = listed(&tuples);
            let order = list.sort().expect("all pairs, in rows");
            let sorted: Vec<u32> = order.iter().flat_map(|e| tuples[*e as usize]).collect();
            assert!(list.are_long() && list.to_vec() == sorted);
            assert!(list.sort().is_none(), "they are sorted");
        }
        let mut irregular = listed(&(0..50_u32).map(|k| [k * k % 37, k]).collect::<Vec<_>>());
        assert!(irregular.sort().is_none());
    }

    #[test]
    fn irregular_tuples_come_back_as_they_were() {
        listed(&(0..100_u32).map(|k| [k * k % 37, k, 3]).collect::<Vec<_>>());
        listed::<3>(&[]);
    }
}
