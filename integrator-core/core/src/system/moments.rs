use super::Text;
use crate::sparse::RowPattern;
use std::ops::Range;

/// The kinds of rows of a declaration beside the forces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsOf {
    /// Constraints g(q, t) = 0.
    Holonomic,
    /// Constraints c(q, v, t) = 0.
    Nonholonomic,
    /// New velocities behind an event, functions of (q, v, t).
    Reset,
    /// Events e(q, v, t), moments at which they pass zero.
    Event,
    /// Gaps g(q, t) ≥ 0.
    Unilateral,
}

impl RowsOf {
    /// The number of kinds.
    pub(crate) const COUNT: usize = 5;
}

/// A method of a declaration that tells of moments.
#[derive(Debug, Clone, PartialEq)]
pub struct MomentMethod {
    /// Its name.
    pub name: Text,
    /// Its rows among those of its kind.
    pub rows: Range<usize>,
    /// True for an event that counts where it rises, false where it falls; `None` counts both.
    pub rises: Option<bool>,
    /// The velocities behind an event: the rows that give them, and their entries of v.
    pub resets: Vec<[Range<usize>; 2]>,
    /// The coefficient of restitution of a gap, in [0, 1]: 1 unless declared.
    pub restitution: f64,
    /// The coefficient of friction of a gap: 0 unless declared.
    pub friction: f64,
}

impl MomentMethod {
    /// The name of a row in messages, such as `walls[1]`.
    pub fn row_name(&self, row: usize) -> String {
        if self.rows.len() == 1 {
            self.name.to_string()
        } else {
            format!("{}[{}]", self.name, row - self.rows.start)
        }
    }
}

/// The events and the gaps of a system, whose rows e(q, v, t) are numbers.
///
/// A row of a gap reads no velocity. An event that [resets](MomentMethod::resets) velocities, and a gap
/// that closes, change the motion; other events do nothing.
///
/// # Shapes
/// q, v: n. values, rates: the number of rows of the kind. derivatives: ∂e/∂(q, v) by rows, in the order
/// of [`Moments::moment_pattern`].
pub trait Moments: Send + Sync {
    /// The methods of a kind, in the order of their rows.
    fn moment_methods(&self, of: RowsOf) -> &[MomentMethod];

    /// The pattern of ∂e/∂(q, v), with 2n columns: column j is q_j, column n + j is v_j.
    fn moment_pattern(&self, of: RowsOf) -> &RowPattern;

    /// Writes e(q, v, t) over `values`.
    fn moment_values(&self, of: RowsOf, q: &[f64], v: &[f64], t: f64, values: &mut [f64]);

    /// Writes e and ∂e/∂(q, v) over both arguments.
    fn moment_derivatives(
        &self,
        of: RowsOf,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        derivatives: &mut [f64],
    );

    /// The first gap, or the first event that resets velocities: what changes the motion.
    fn first_change(&self) -> Option<&MomentMethod> {
        let events = self.moment_methods(RowsOf::Event);
        let event = || events.iter().find(|event| !event.resets.is_empty());
        self.moment_methods(RowsOf::Unilateral).first().or_else(event)
    }

    /// Writes ∂e/∂t over `rates`.
    fn moment_rates(&self, of: RowsOf, q: &[f64], v: &[f64], t: f64, rates: &mut [f64]);
}
