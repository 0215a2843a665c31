//! The meeting of a motion with a wall, and the changes there.

/// The crossing of a wall, with its direction.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meeting {
    /// The phase of a coordinate reaches 1, upwards, or 0.
    End { coordinate: usize, upwards: bool },
    /// w_a − w_b reaches m + 1, upwards, or m; `pair` is known if the two share an element.
    Pair { a: usize, b: usize, pair: Option<usize>, upwards: bool },
}

/// The changes at a crossing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub(super) meeting: Meeting,
    /// True if a coordinate was mirrored.
    pub(super) mirrored: bool,
    /// True if an acceleration changed.
    pub(super) force: bool,
}
