//! What the members of the Newmark family share: positions and accelerations that a corrector finds together.
//!
//! v₁ = v₀ + ½ h (a₀ + a₁), where q₁ and a₁ come from (q₀, v₀, a₀).

use super::check::{check_start, check_unconstrained, first_not_finite};
use super::composition::{Part, Parts};
use super::force_error::{ForceError, UNSTABLE, at_start};
use super::{Evaluations, Stepper};
use crate::error::{StartError, StepError};
use crate::system::{Layout, State, System};

/// How a method finds the new positions and accelerations.
pub trait Corrector {
    /// The method, for messages.
    const METHOD: &'static str;

    /// The names of the degrees of freedom.
    fn layout(&self) -> &Layout;

    /// a at a state that no step has reached, written over `a`.
    ///
    /// # Errors
    /// The mass matrix is singular.
    fn accelerate(
        &mut self,
        q: &[f64],
        t: f64,
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError>;

    /// q₁ and a₁, written over `q` and `a`, after a step of size `h` to the time `t`.
    ///
    /// # Errors
    /// A matrix of the method is singular, or Newton's method does not converge.
    fn correct(
        &mut self,
        known: Known<'_>,
        q: &mut [f64],
        a: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), ForceError>;
}

/// What is known when the new positions are sought.
#[derive(Debug, Clone, Copy)]
pub struct Known<'k> {
    /// (q₀, v₀, t₀).
    pub state: &'k State,
    /// a₀.
    pub acceleration: &'k [f64],
    /// h.
    pub step: f64,
    /// t₁.
    pub t: f64,
}

impl Known<'_> {
    /// q₀ + h v₀ + ½ h² (1 − 2 β) a₀, written over `y`.
    pub fn predict(&self, beta: f64, y: &mut [f64]) {
        let (h, factor) = (self.step, 0.5 * self.step * self.step * (1.0 - 2.0 * beta));
        let known = self.state.q.iter().zip(&self.state.v).zip(self.acceleration);
        for (y, ((q, v), a)) in y.iter_mut().zip(known) {
            *y = q + h * v + factor * a;
        }
    }
}

/// A run in progress of a method of the Newmark family.
#[derive(Debug)]
pub struct PredictCorrect<C> {
    corrector: C,
    step: f64,
    start_time: f64,
    state: State,
    acceleration: Vec<f64>,
    next: State,
    next_acceleration: Vec<f64>,
    /// Whether `acceleration` is not that of the state.
    stale: bool,
    steps: u64,
    counts: Evaluations,
}

impl<C: Corrector> PredictCorrect<C> {
    pub(super) fn new(
        system: &(impl System + ?Sized),
        state: State,
        step: f64,
        corrector: impl FnOnce() -> Result<C, StartError>,
    ) -> Result<Self, StartError> {
        check_unconstrained(system, C::METHOD)?;
        check_start(system, &state, step)?;
        let mut corrector = corrector()?;
        let mut acceleration = vec![0.0; state.q.len()];
        let mut counts = Evaluations::default();
        let name = |index| system.layout().name_of(index);
        corrector
            .accelerate(&state.q, state.t, &mut acceleration, &mut counts)
            .map_err(|error| at_start(system.name(), name, error))?;
        if let Some(index) = first_not_finite(&acceleration) {
            return Err(StartError::ForceNotFinite { coordinate: name(index), value: acceleration[index] });
        }
        Ok(Self {
            corrector,
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

    #[cold]
    fn failed(&self, part: &Part, error: ForceError) -> StepError {
        error.in_step(C::METHOD, |index| self.corrector.layout().name_of(index), part, self.state.t, UNSTABLE)
    }

    fn check(&self, part: &Part, values: &[f64]) -> Result<(), StepError> {
        match first_not_finite(values) {
            Some(index) => Err(self.failed(part, ForceError::NotFinite { index })),
            None => Ok(()),
        }
    }
}

impl<C: Corrector> Parts for PredictCorrect<C> {
    fn advance(&mut self, part: &Part) -> Result<(), StepError> {
        if self.stale {
            self.corrector
                .accelerate(&self.state.q, self.state.t, &mut self.acceleration, &mut self.counts)
                .map_err(|error| self.failed(part, error))?;
            self.check(part, &self.acceleration)?;
            self.stale = false;
        }
        let h = part.size;
        let known = Known { state: &self.state, acceleration: &self.acceleration, step: h, t: part.end };
        self.next.t = part.end;
        self.corrector
            .correct(known, &mut self.next.q, &mut self.next_acceleration, &mut self.counts)
            .map_err(|error| self.failed(part, error))?;
        self.check(part, &self.next.q)?;
        // v₁ = v₀ + ½ h (a₀ + a₁)
        let known = self.state.v.iter().zip(&self.acceleration).zip(&self.next_acceleration);
        for (next, ((v, a), next_a)) in self.next.v.iter_mut().zip(known) {
            *next = v + 0.5 * h * (a + next_a);
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

impl<C: Corrector> Stepper for PredictCorrect<C> {
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
}
