//! The bound of every position stage by its motion: a row that jumps has no motion that follows it.
//!
//! A prediction of order 2 leaves a smooth row near zero. Where it does not, either of two tells a leap:
//!
//! - the row changes on a short part of the way to the prediction, and hardly at the ends of the way: it
//!   jumps, as `if` does, or the angle of a point where its branch ends;
//! - its correction moves coordinates many times as far as the motion does: to another root.
//!
//! Neither compares a step with a limit: a long step on smooth rows passes.

use crate::error::ForceError;
use crate::sparse::RowPattern;

/// A row that no motion of the step follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Leap {
    pub(crate) row: usize,
    /// True if the row jumps; false if its correction goes far.
    pub(crate) jumps: bool,
    /// The jump, or the correction relative to the motion.
    pub(crate) size: f64,
}

impl Leap {
    /// The failure of a step whose rows have numbers from n on.
    pub(crate) fn behind(self, n: usize) -> ForceError {
        let Self { row, jumps, size } = self;
        ForceError::Leap { index: n + row, jumps, size }
    }
}

/// Rows are looked at if a prediction leaves more of their natural size.
pub(crate) const FAR: f64 = 1e-3;
/// A jump is most of the change of a row, in a part of 2⁻⁶ of the way.
const HALVINGS: usize = 6;
/// The part of the way that shows a slope at its ends.
const END: f64 = 1.0 / 4096.0;
/// A correction, in the metric of the mass, goes far beyond this many motions.
const MOTIONS: f64 = 10.0;

/// The row that jumps on the way between two positions. `evaluate` writes g at a position, `values` are
/// g at the second one; the memory is for a position and for g.
#[cold]
pub(crate) fn jump(
    mut evaluate: impl FnMut(&[f64], &mut [f64]),
    [from, to]: [&[f64]; 2],
    (values, reciprocal_sizes): (&[f64], &[f64]),
    (point, found): (&mut [f64], &mut [f64]),
) -> Option<Leap> {
    let mut at = |part: f64, found: &mut [f64]| {
        point.iter_mut().zip(from.iter().zip(to)).for_each(|(x, (from, to))| *x = from + part * (to - from));
        evaluate(point, found);
    };
    // A smooth row changes by less than its slope at the end would change it: it has this slope here.
    at(1.0 - END, found);
    let slope = |row: usize| (values[row] - found[row]).abs() / (END * values[row].abs());
    let far = |row: &usize| values[*row].abs() * reciprocal_sizes[*row] > FAR && slope(*row) < 0.5;
    let row = (0..values.len()).filter(far).min_by(|a, b| slope(*a).total_cmp(&slope(*b)))?;
    let mut value = |part: f64| {
        at(part, found);
        found[row]
    };
    let (mut parts, mut ends) = ([0.0, 1.0], [value(0.0), values[row]]);
    let whole = (ends[1] - ends[0]).abs();
    if (value(END) - ends[0]).abs() >= 0.5 * END * whole {
        return None;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (parts[0] + parts[1]);
        let between = value(middle);
        let end = usize::from((between - ends[0]).abs() > (ends[1] - between).abs());
        (parts[end], ends[end]) = (middle, between);
    }
    let size = (ends[1] - ends[0]).abs();
    (size > 0.5 * whole).then_some(Leap { row, jumps: true, size })
}

/// The row whose coordinates a correction moves too far; `moved` gives the correction and the motion
/// of a coordinate in the metric of the mass.
#[cold]
pub(crate) fn beyond_motion(pattern: &RowPattern, moved: impl Fn(usize) -> [f64; 2]) -> Option<Leap> {
    let of_row = |row: usize| {
        let columns = pattern.columns()[pattern.row(row)].iter();
        let [correction, motion] = columns.fold([0.0_f64; 2], |largest, column| {
            let own = moved(*column as usize);
            [largest[0].max(own[0].abs()), largest[1].max(own[1].abs())]
        });
        Leap { row, jumps: false, size: correction / motion }
    };
    (0..pattern.height()).map(of_row).find(|leap| leap.size > MOTIONS)
}
