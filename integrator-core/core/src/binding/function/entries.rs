//! Collects the entries of a symmetric matrix.

/// The most entries of second derivatives through sums.
pub(super) const MOST_ENTRIES: usize = 4_000_000;

/// The entries of a symmetric matrix, each of which may occur many times.
pub(super) enum SymmetricEntries {
    /// For a small matrix: a bit for each place, row by row.
    Marked { bits: Vec<u64>, words: usize },
    /// For a large matrix: a list, sorted when it has `most` entries.
    Listed { list: Vec<(u32, u32)>, most: usize },
}

/// The largest dimension with bits: they take 8 MB.
const MARKED: usize = 8192;

impl SymmetricEntries {
    /// No entries.
    pub(super) fn of(dimension: usize) -> Self {
        if dimension > MARKED {
            return Self::Listed { list: Vec::new(), most: 2 * MOST_ENTRIES };
        }
        let words = dimension.div_ceil(64);
        Self::Marked { bits: vec![0; dimension * words], words }
    }

    /// Adds the entries of a row in these columns.
    ///
    /// # Errors
    /// There are more than [`MOST_ENTRIES`]; a lower bound of their number.
    pub(super) fn add(&mut self, row: u32, columns: &[u32]) -> Result<(), usize> {
        match self {
            Self::Marked { bits, words } => {
                for column in columns {
                    let (low, high) = (row.min(*column) as usize, row.max(*column) as usize);
                    bits[high * *words + low / 64] |= 1 << (low % 64);
                }
            }
            Self::Listed { list, most } => {
                list.extend(columns.iter().map(|column| (row.max(*column), row.min(*column))));
                if list.len() > *most {
                    list.sort_unstable();
                    list.dedup();
                    if list.len() > MOST_ENTRIES {
                        return Err(list.len());
                    }
                    *most = list.len() + 2 * MOST_ENTRIES;
                }
            }
        }
        Ok(())
    }

    pub(super) fn into_list(self) -> Vec<(usize, usize)> {
        match self {
            Self::Listed { list, .. } => {
                list.into_iter().map(|(row, column)| (row as usize, column as usize)).collect()
            }
            Self::Marked { bits, words } => {
                let mut list = Vec::new();
                for (at, word) in bits.into_iter().enumerate() {
                    let (row, first) = (at / words, at % words * 64);
                    let marked = (0..64).filter(|bit| word >> bit & 1 == 1);
                    list.extend(marked.map(|bit| (row, first + bit)));
                }
                list
            }
        }
    }
}
