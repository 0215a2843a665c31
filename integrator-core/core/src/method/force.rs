//! The acceleration that a method derives from a system.

use super::applied::Instant;
use super::check::{check_start, check_unconstrained};
use super::force_error::{Attempt, at_start};
use super::report::Evaluations;
use super::scheme::Scheme;
use crate::binding::threads::first_not_finite;
use crate::carried::Carried;
use crate::error::{Begun, StartError};
use crate::system::{Layout, State, System};

/// The acceleration f(x, t) that moves a system.
pub(super) trait AccelerationField: Carried + Send {
    /// The name of the method, for messages.
    const METHOD: &'static str;

    /// The names of the degrees of freedom.
    fn layout(&self) -> &Layout;

    #[inline]
    fn dimension(&self) -> usize {
        self.layout().dimension()
    }

    /// Writes f(x, t) over `acceleration` and adds the evaluations to `counts`.
    ///
    /// # Errors
    /// A matrix of the method is singular at x.
    fn evaluate(
        &mut self,
        q: &[f64],
        at: Instant,
        acceleration: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt;

    /// The scheme of steps in lanes, if f = −M⁻¹ ∇V.
    fn scheme(&self) -> Option<Scheme<'_>> {
        None
    }

    /// Adapts f to steps of this size; true if f changed.
    fn resize(&mut self, _step: f64) -> bool {
        false
    }
}

/// A force with its acceleration at the start.
pub(super) struct Started<F> {
    pub(super) force: F,
    pub(super) acceleration: Vec<f64>,
    pub(super) counts: Evaluations,
}

/// Makes the checks of every method with an [`AccelerationField`] at its start,
/// and evaluates the force there.
pub(super) fn first_force<F: AccelerationField>(
    system: &(impl System + ?Sized),
    state: &State,
    step: f64,
    force: impl FnOnce() -> Begun<F>,
) -> Begun<Started<F>> {
    check_unconstrained(system, F::METHOD)?;
    check_start(system, state, step)?;
    let mut force = force()?;
    let mut acceleration = vec![0.0; state.q.len()];
    let mut counts = Evaluations::default();
    force
        .evaluate(&state.q, Instant::at(state.t), &mut acceleration, &mut counts)
        .map_err(|error| at_start(system.name(), |index| system.layout().name_of(index), error))?;
    if let Some(index) = first_not_finite(&acceleration) {
        let coordinate = system.layout().name_of(index);
        return Err(StartError::ForceNotFinite { coordinate, value: acceleration[index] });
    }
    Ok(Started { force, acceleration, counts })
}
