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
}

#[derive(Debug, Clone, Copy)]
struct Run<const W: usize> {
    first: [u32; W],
    stride: [u32; W],
    count: u32,
}

/// Runs shorter than this on average are not worth their descriptors.
const WORTHWHILE: usize = 4;

impl<const W: usize> Default for IndexList<W> {
    fn default() -> Self {
        Self { runs: Vec::new(), listed: Vec::new(), length: 0 }
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
        self.runs.shrink_to_fit();
    }

    /// The tuples in order.
    #[inline]
    pub fn iter(&self) -> Iter<'_, W> {
        Iter { runs: self.runs.iter(), listed: self.listed.iter(), next: [0; W], stride: [0; W], left: 0 }
    }
}

/// The tuples of an [`IndexList`] in order.
#[derive(Debug, Clone)]
pub struct Iter<'a, const W: usize> {
    runs: std::slice::Iter<'a, Run<W>>,
    listed: std::slice::Iter<'a, [u32; W]>,
    next: [u32; W],
    stride: [u32; W],
    left: u32,
}

impl<const W: usize> Iterator for Iter<'_, W> {
    type Item = [u32; W];

    #[inline(always)]
    fn next(&mut self) -> Option<[u32; W]> {
        if self.left == 0 {
            let Some(run) = self.runs.next() else {
                return self.listed.next().copied();
            };
            self.next = run.first;
            self.stride = run.stride;
            self.left = run.count;
        }
        let tuple = self.next;
        for k in 0..W {
            self.next[k] = tuple[k].wrapping_add(self.stride[k]);
        }
        self.left -= 1;
        Some(tuple)
    }
}

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
