//! What velocity Verlet, the Zhang–Skeel integrators and push-forward Newmark share: one evaluation of a force per step,
//! used at both of its ends.
//!
//! x₁ = x₀ + h v₀ + ½ h² f₀,  v₁ = v₀ + ½ h (f₀ + f₁),  where f = f(x, t) is what the method makes of the potential.

use super::check::{check_start, check_unconstrained, first_not_finite};
use super::composition::{Part, Parts};
use super::force_error::{ForceError, UNSTABLE, at_start};
use super::{Evaluations, Kicked, Stepper};
use crate::error::{StartError, StepError};
use crate::system::{Layout, State, System};

/// The acceleration f(x, t) by which a method moves a system.
pub trait Force {
    /// The method, for messages.
    const METHOD: &'static str;

    /// The names of the degrees of freedom.
    fn layout(&self) -> &Layout;

    /// f(x, t), written over `acceleration`; what was evaluated is added to `counts`.
    ///
    /// # Errors
    /// A matrix of the method is singular at x.
    fn evaluate(
        &mut self,
        q: &[f64],
        t: f64,
        acceleration: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError>;

    /// Makes f that of steps of this size, and says whether it changed.
    fn resize(&mut self, _step: f64) -> bool {
        false
    }
}

/// A force with what it is at the start.
pub(super) struct Started<F> {
    pub(super) force: F,
    pub(super) acceleration: Vec<f64>,
    pub(super) counts: Evaluations,
}

/// Checks what every method with a [`Force`] must find at its start, and evaluates the force there.
pub(super) fn first_force<F: Force>(
    system: &(impl System + ?Sized),
    state: &State,
    step: f64,
    force: impl FnOnce() -> Result<F, StartError>,
) -> Result<Started<F>, StartError> {
    check_unconstrained(system, F::METHOD)?;
    check_start(system, state, step)?;
    let mut force = force()?;
    let mut acceleration = vec![0.0; state.q.len()];
    let mut counts = Evaluations::default();
    force
        .evaluate(&state.q, state.t, &mut acceleration, &mut counts)
        .map_err(|error| at_start(system.name(), |index| system.layout().name_of(index), error))?;
    if let Some(index) = first_not_finite(&acceleration) {
        let coordinate = system.layout().name_of(index);
        return Err(StartError::ForceNotFinite { coordinate, value: acceleration[index] });
    }
    Ok(Started { force, acceleration, counts })
}

/// A run in progress of velocity Verlet, a Zhang–Skeel integrator or push-forward Newmark.
#[derive(Debug)]
pub struct KickDriftKick<F> {
    force: F,
    step: f64,
    start_time: f64,
    state: State,
    acceleration: Vec<f64>,
    next: State,
    next_acceleration: Vec<f64>,
    /// Whether `acceleration` is not that of the state, or of another size of the step.
    stale: bool,
    steps: u64,
    counts: Evaluations,
}

impl<F: Force> KickDriftKick<F> {
    pub(super) fn new(
        system: &(impl System + ?Sized),
        state: State,
        step: f64,
        force: impl FnOnce() -> Result<F, StartError>,
    ) -> Result<Self, StartError> {
        let Started { force, acceleration, counts } = first_force(system, &state, step, force)?;
        Ok(Self {
            force,
            step,
            start_time: state.t,
            next: state.clone(),
            next_acceleration: acceleration.clone(),
            state,
            acceleration,
            stale: false,
            steps: 0,
            counts,
        })
    }

    fn check(&self, part: &Part, values: &[f64]) -> Result<(), StepError> {
        match first_not_finite(values) {
            Some(index) => Err(self.failed(part, ForceError::NotFinite { index })),
            None => Ok(()),
        }
    }

    #[cold]
    fn failed(&self, part: &Part, error: ForceError) -> StepError {
        error.in_step(F::METHOD, |index| self.force.layout().name_of(index), part, self.state.t, UNSTABLE)
    }
}

impl<F: Force> Parts for KickDriftKick<F> {
    fn advance(&mut self, part: &Part) -> Result<(), StepError> {
        let h = part.size;
        self.stale |= self.force.resize(h);
        if self.stale {
            self.force
                .evaluate(&self.state.q, self.state.t, &mut self.next_acceleration, &mut self.counts)
                .map_err(|error| self.failed(part, error))?;
            self.check(part, &self.next_acceleration)?;
            std::mem::swap(&mut self.acceleration, &mut self.next_acceleration);
            self.stale = false;
        }
        // x₁ = x₀ + h v₀ + ½ h² f₀
        let known = self.state.q.iter().zip(&self.state.v).zip(&self.acceleration);
        for (next, ((x, v), f)) in self.next.q.iter_mut().zip(known) {
            *next = x + h * v + 0.5 * h * h * f;
        }
        self.next.t = part.end;
        self.check(part, &self.next.q)?;
        // f₁ = f(x₁)
        self.force
            .evaluate(&self.next.q, self.next.t, &mut self.next_acceleration, &mut self.counts)
            .map_err(|error| self.failed(part, error))?;
        // v₁ = v₀ + ½ h (f₀ + f₁)
        let known = self.state.v.iter().zip(&self.acceleration).zip(&self.next_acceleration);
        for (next, ((v, f), next_f)) in self.next.v.iter_mut().zip(known) {
            *next = v + 0.5 * h * (f + next_f);
        }
        self.check(part, &self.next.v)?;
        // Everything is finite: the step counts.
        std::mem::swap(&mut self.state, &mut self.next);
        std::mem::swap(&mut self.acceleration, &mut self.next_acceleration);
        Ok(())
    }

    fn return_to(&mut self, state: &State) {
        self.state.assign(state);
        self.stale = true;
    }
}

impl<F: Force> Stepper for KickDriftKick<F> {
    fn step(&mut self) -> Result<(), StepError> {
        let part = Part::whole(self.steps, self.step, self.start_time);
        self.advance(&part)?;
        self.steps += 1;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn evaluations(&self) -> Evaluations {
        self.counts
    }

    fn go_on_from(&mut self, state: &State) -> bool {
        self.return_to(state);
        true
    }

    fn kicked(&mut self) -> Option<&mut dyn Kicked> {
        Some(self)
    }
}

/// The force depends on the position alone, so that nothing but the state has to change.
impl<F: Force> Kicked for KickDriftKick<F> {
    fn make_tangent(&mut self, _v: &mut [f64]) {}

    fn kick(&mut self, v: &[f64]) {
        self.state.v.copy_from_slice(v);
    }
}
