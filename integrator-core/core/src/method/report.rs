use super::averages::Averages;
use super::step_lengths::StepLengths;
use crate::carried::carried;
use crate::system::State;

/// The quantities of a run beside its state and its multipliers; `None` for a quantity that its method
/// does not have.
///
/// Computes nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Report<'r> {
    /// The numbers of evaluations of the system since the start.
    pub evaluations: Evaluations,
    /// The relative error of positions from one step: the tolerance of an iteration or of an error
    /// control. `None` if steps are exact to rounding.
    pub tolerance: Option<f64>,
    /// The averages over the last window of a multiscale method: [`Averaged`](crate::drive::Averaged)
    /// records them.
    #[doc(hidden)]
    pub averages: Option<&'r Averages>,
    /// The last state projected onto the slow manifold, if the method steps off it.
    pub slow_state: Option<&'r State>,
    /// The net energy from a thermostat since the start.
    pub heat: Option<f64>,
    /// The energy that moments have added since the start: impacts take some.
    pub of_moments: f64,
    /// The work done on the system since the start, and the sum of its magnitudes, over the inner steps
    /// of an adaptive method.
    pub work: Option<[f64; 2]>,
    /// The crossings of grid faces or terrace edges since the start.
    pub crossings: Option<u64>,
    /// The times between crossings, if each crossing is a step of the whole system.
    pub step_lengths: Option<&'r StepLengths>,
}

impl Report<'_> {
    /// A report of evaluations alone.
    pub fn of(evaluations: Evaluations) -> Self {
        Self { evaluations, ..Self::default() }
    }
}

/// Evaluations of a system, counted by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[non_exhaustive]
pub struct Evaluations {
    /// Gradients of the potential (or of the Lagrangian).
    pub gradients: u64,
    /// Hessians.
    pub hessians: u64,
    /// Third-derivative contractions.
    pub thirds: u64,
    /// Constraint values, alone or with their Jacobian.
    pub constraints: u64,
    /// Factorizations of a matrix.
    pub factorizations: u64,
    /// Iterations of Newton's method.
    pub iterations: u64,
    /// Values of the potential, or of one of its elements, without a gradient.
    #[serde(skip_serializing_if = "is_zero")]
    pub values: u64,
    /// Micro-steps of a multiscale method.
    #[serde(skip_serializing_if = "is_zero")]
    pub micro_steps: u64,
}

impl Evaluations {
    /// The sum of two counts.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            gradients: self.gradients + other.gradients,
            hessians: self.hessians + other.hessians,
            thirds: self.thirds + other.thirds,
            constraints: self.constraints + other.constraints,
            factorizations: self.factorizations + other.factorizations,
            iterations: self.iterations + other.iterations,
            values: self.values + other.values,
            micro_steps: self.micro_steps + other.micro_steps,
        }
    }
}

/// Zero is left out of tables: most methods count none.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

carried!([] Evaluations {
    gradients, hessians, thirds, constraints, factorizations, iterations, values, micro_steps
} besides {});
