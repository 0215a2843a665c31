//! Random numbers, entries and directions; a seed repeats them.

use crate::sparse::SymmetricPattern;

/// The generator splitmix64.
///
/// # Reference
/// G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014, 453, doi:10.1145/2660193.2660195.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D)
    }

    /// A number of [−1, 1).
    pub(super) fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A number below `limit`, which is not zero.
    fn below(&mut self, limit: usize) -> usize {
        let unit = 0.5 * (self.signed() + 1.0);
        ((unit * limit as f64) as usize).min(limit - 1)
    }

    /// A direction whose every entry counts: its size is at least half its length.
    pub(super) fn direction(&mut self, lengths: &[f64]) -> Vec<f64> {
        let mut weight = |length: &f64| {
            let signed = self.signed();
            length * (0.5 + 0.5 * signed.abs()).copysign(signed)
        };
        lengths.iter().map(&mut weight).collect()
    }

    /// All numbers below `count`, or at most `room` of them, ascending.
    pub(super) fn some(&mut self, count: usize, room: usize) -> Vec<usize> {
        if count <= room {
            return (0..count).collect();
        }
        let mut chosen: Vec<usize> = (0..room).map(|_| self.below(count)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// All pairs (row, column) of a lower triangle, or at most
    /// `room` of them, every second an entry of the pattern.
    pub(super) fn some_pairs(&mut self, pattern: &SymmetricPattern, room: usize) -> Vec<(usize, usize)> {
        let count = pattern.dimension();
        if count * (count + 1) / 2 <= room {
            return (0..count).flat_map(|row| (0..=row).map(move |column| (row, column))).collect();
        }
        let column_of = |place: usize| pattern.starts().partition_point(|&start| start <= place) - 1;
        let mut chosen: Vec<(usize, usize)> = (0..room)
            .map(|k| {
                if k % 2 == 0 && !pattern.is_empty() {
                    let place = self.below(pattern.len());
                    (pattern.rows()[place] as usize, column_of(place))
                } else {
                    let (row, column) = (self.below(count), self.below(count));
                    (row.max(column), row.min(column))
                }
            })
            .collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }
}
