//! The Hessian of a pair of points: what the loop over all partners of one point knows of it when it is compiled.

/// The Hessian entries of an element, told by halves of what it reads: one point, then its partner.
///
/// Short lists, which the compiler unrolls: then every entry stays in a register.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    /// The components of a point, two or three; zero where the element is no pair, or some entry of one point with the other vanishes.
    pub(super) components: usize,
    /// The entries of the point.
    pub(super) point: Block,
    /// The entries of its partner.
    pub(super) partner: Block,
    /// The entries of the partner's components with each component of the point.
    pub(super) columns: [[usize; 3]; 3],
}

/// The entries of a symmetric block of at most three rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    entries: [usize; 6],
    length: usize,
}

impl Block {
    const EMPTY: Self = Self { entries: [0; 6], length: 0 };

    const fn push(&mut self, entry: usize) {
        self.entries[self.length] = entry;
        self.length += 1;
    }

    /// The entries.
    #[inline(always)]
    pub(super) fn entries(&self) -> &[usize] {
        &self.entries[..self.length]
    }
}

impl Pair {
    /// Of no pair.
    pub(super) const NONE: Self =
        Self { components: 0, point: Block::EMPTY, partner: Block::EMPTY, columns: [[0; 3]; 3] };

    /// Of an element that reads `inputs` numbers, with these rows and columns in the lower triangle of its Hessian.
    pub(super) const fn of(entries: &[(usize, usize)], inputs: usize) -> Self {
        let half = inputs / 2;
        if inputs != 2 * half || half < 2 || half > 3 {
            return Self::NONE;
        }
        let mut pair = Self::NONE;
        let (mut entry, mut crossing) = (0, 0);
        while entry < entries.len() {
            let (row, column) = entries[entry];
            if row < half {
                pair.point.push(entry);
            } else if column >= half {
                pair.partner.push(entry);
            } else {
                pair.columns[column][row - half] = entry;
                crossing += 1;
            }
            entry += 1;
        }
        if crossing == half * half {
            pair.components = half;
        }
        pair
    }
}
