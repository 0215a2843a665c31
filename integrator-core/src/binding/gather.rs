//! The slots of the elements of a family: where each element reads.

/// One tuple of places for each element, as many as the family has slots.
///
/// Tuples that advance by constant strides (a chain, the pairs of one particle) are stored as one run: the binding of all pairs
/// stores nothing for a pair.
#[derive(Debug, Clone)]
pub(super) struct Tuples {
    width: usize,
    /// The number of tuples in each run.
    counts: Vec<u32>,
    /// The first tuple of each run, and the stride of each of its places.
    firsts: Vec<u32>,
    strides: Vec<u32>,
    length: usize,
}

/// Consecutive tuples: place k of tuple e is `first[k] + e · strides[k]`, modulo 2³².
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) count: usize,
    pub(super) first: &'a [u32],
    pub(super) strides: &'a [u32],
}

impl Tuples {
    /// No tuples yet, of this width.
    pub(super) fn new(width: usize) -> Self {
        Self { width, counts: Vec::new(), firsts: Vec::new(), strides: Vec::new(), length: 0 }
    }

    /// The number of tuples.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// The number of runs.
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

    /// Gives back unused memory.
    pub(super) fn finish(&mut self) {
        self.counts.shrink_to_fit();
        self.firsts.shrink_to_fit();
        self.strides.shrink_to_fit();
    }

    /// The runs in order.
    pub(super) fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let width = self.width;
        self.counts.iter().enumerate().map(move |(run, &count)| {
            let places = run * width..(run + 1) * width;
            Run { count: count as usize, first: &self.firsts[places.clone()], strides: &self.strides[places] }
        })
    }

    /// Shows the tuples in order.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&[u32])) {
        let mut tuple = vec![0; self.width];
        for Run { count, first, strides } in self.runs() {
            tuple.copy_from_slice(first);
            for _ in 0..count {
                visit(&tuple);
                tuple.iter_mut().zip(strides).for_each(|(at, stride)| *at = at.wrapping_add(*stride));
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
    fn irregular_tuples_come_back_as_they_were() {
        listed(&(0..100_u32).map(|k| [k * k % 37, k, 3]).collect::<Vec<_>>());
        listed::<3>(&[]);
    }
}
