//! The Hessian of a link of a chain: what the loop over a chain knows of it when it is compiled.

/// The most components of a point.
pub(super) const COMPONENTS: usize = 3;
/// The entries in the columns of a point: its own block and the one with the next point.
const MOST: usize = COMPONENTS * (COMPONENTS + 1) / 2 + COMPONENTS * COMPONENTS;

/// The Hessian entries of an element that reads a point and the next one, by their places in the columns of its first point.
///
/// Columns hold the lower triangle: for each component of a point the later components, then all of the next point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    slots: [Slot; MOST],
}

/// What is added at one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    /// The entry of the element for which the point is the first.
    pub(super) here: Option<usize>,
    /// The entry of the element before it.
    pub(super) before: Option<usize>,
}

impl Link {
    /// Of no link.
    pub(super) const NONE: Self = Self { slots: [Slot { here: None, before: None }; MOST] };

    /// Of an element that reads `inputs` numbers, with these rows and columns in the lower triangle of its Hessian.
    pub(super) const fn of(entries: &[(usize, usize)], inputs: usize) -> Self {
        let mut link = Self::NONE;
        if !Self::possible(inputs) {
            return link;
        }
        let (width, mut entry) = (inputs / 2, 0);
        while entry < entries.len() {
            let (row, column) = entries[entry];
            let offset = Self::offset(row, column, width);
            match offset.checked_sub(Self::step(width)) {
                Some(next) => link.slots[next].before = Some(entry),
                None => link.slots[offset].here = Some(entry),
            }
            entry += 1;
        }
        link
    }

    /// Whether an element that reads this many numbers can be one.
    pub(super) const fn possible(inputs: usize) -> bool {
        inputs > 0 && inputs.is_multiple_of(2) && inputs / 2 <= COMPONENTS
    }

    /// How many entries the columns of a point have.
    pub(super) const fn step(width: usize) -> usize {
        width * (width + 1) / 2 + width * width
    }

    /// Where the entry of a local row and column stands behind the beginning of the columns of the first point.
    pub(super) const fn offset(row: usize, column: usize, width: usize) -> usize {
        if column >= width {
            return Self::step(width) + Self::offset(row - width, column - width, width);
        }
        // Each earlier column is one shorter than the one before it.
        2 * width * column - column * column.saturating_sub(1) / 2 + row - column
    }

    /// The places of a step.
    #[inline(always)]
    pub(super) fn slots(&self, step: usize) -> &[Slot] {
        &self.slots[..step]
    }
}

#[cfg(test)]
mod tests {
    use super::Link;

    #[test]
    fn columns_of_a_point_in_the_plane() {
        // (0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1), and behind them the block of the next point.
        let places = [(0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1), (2, 2), (3, 2)];
        for (expected, (row, column)) in places.into_iter().enumerate() {
            assert_eq!(Link::offset(row, column, 2), expected);
        }
        assert_eq!(Link::offset(3, 3, 2), 7 + 4);
        assert_eq!([1, 2, 3].map(Link::step), [2, 7, 15]);
        let link = Link::of(&[(0, 0), (2, 0), (3, 3)], 4);
        let filled = link.slots(7).iter().map(|slot| (slot.here, slot.before));
        let expected = [
            (Some(0), None),
            (None, None),
            (Some(1), None),
            (None, None),
            (None, Some(2)),
            (None, None),
            (None, None),
        ];
        assert!(filled.eq(expected));
    }
}
