//! What velocity Verlet, Z&S and Z&Ss share: one evaluation of a force per step, used at both of its ends.
//!
//! x₁ = x₀ + h v₀ + ½ h² f₀,  v₁ = v₀ + ½ h (f₀ + f₁),  where f = f(x, t) is what the method makes of the potential.

use super::check::{check_start, first_not_finite};
use super::{Evaluations, Kicked, Stepper};
use crate::error::{StartError, StepError};
use crate::sparse::{FactorError, SolveError};
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
}

/// A force that could not be computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ForceError {
    /// A matrix has no factors.
    Singular {
        /// Which matrix.
        matrix: &'static str,
        /// Pivot and row.
        error: FactorError,
    },
    /// A solution fails its check.
    Unsolved {
        /// Which matrix.
        matrix: &'static str,
        /// Residual and row.
        error: SolveError,
    },
}

const REMEDY: &str = "the step is probably above the stability limit, try a smaller one";

/// A run in progress of velocity Verlet, Z&S or Z&Ss.
#[derive(Debug)]
pub struct KickDriftKick<F> {
    force: F,
    step: f64,
    start_time: f64,
    state: State,
    acceleration: Vec<f64>,
    next: State,
    next_acceleration: Vec<f64>,
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
        if system.holonomic().is_some() {
            return Err(StartError::ConstraintsNotKept {
                method: F::METHOD,
                system: system.name().to_owned(),
            });
        }
        check_start(system, &state, step)?;
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
        Ok(Self {
            force,
            step,
            start_time: state.t,
            next: state.clone(),
            next_acceleration: acceleration.clone(),
            state,
            acceleration,
            steps: 0,
            counts,
        })
    }

    fn check(&self, values: &[f64]) -> Result<(), StepError> {
        match first_not_finite(values) {
            Some(index) => Err(self.not_finite(index)),
            None => Ok(()),
        }
    }

    #[cold]
    fn not_finite(&self, index: usize) -> StepError {
        StepError::NotFinite {
            method: F::METHOD,
            coordinate: self.force.layout().name_of(index),
            step: self.steps + 1,
            time: self.state.t,
            size: self.step,
        }
    }

    #[cold]
    fn failed(&self, error: ForceError) -> StepError {
        in_step(F::METHOD, |index| self.force.layout().name_of(index), self.steps + 1, self.state.t, error)
    }
}

impl<F: Force> Stepper for KickDriftKick<F> {
    fn step(&mut self) -> Result<(), StepError> {
        let h = self.step;
        // x₁ = x₀ + h v₀ + ½ h² f₀
        let known = self.state.q.iter().zip(&self.state.v).zip(&self.acceleration);
        for (next, ((x, v), f)) in self.next.q.iter_mut().zip(known) {
            *next = x + h * v + 0.5 * h * h * f;
        }
        self.next.t = self.start_time + (self.steps + 1) as f64 * h;
        self.check(&self.next.q)?;
        // f₁ = f(x₁)
        self.force
            .evaluate(&self.next.q, self.next.t, &mut self.next_acceleration, &mut self.counts)
            .map_err(|error| self.failed(error))?;
        // v₁ = v₀ + ½ h (f₀ + f₁)
        let known = self.state.v.iter().zip(&self.acceleration).zip(&self.next_acceleration);
        for (next, ((v, f), next_f)) in self.next.v.iter_mut().zip(known) {
            *next = v + 0.5 * h * (f + next_f);
        }
        self.check(&self.next.v)?;
        // Everything is finite: the step counts.
        std::mem::swap(&mut self.state, &mut self.next);
        std::mem::swap(&mut self.acceleration, &mut self.next_acceleration);
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

/// The same failure before the first step, for a system of this name; `place` names the rows of the matrix.
pub(super) fn at_start(system: &str, place: impl Fn(usize) -> String, error: ForceError) -> StartError {
    let system = system.to_owned();
    match error {
        ForceError::Singular { matrix, error } => {
            StartError::Singular { system, matrix, pivot: error.pivot, place: place(error.index) }
        }
        ForceError::Unsolved { matrix, error } => {
            StartError::Unsolved { system, matrix, residual: error.residual, place: place(error.index) }
        }
    }
}

/// The failure in a step, from `time` on; `name` names the rows of the matrix.
pub(super) fn in_step(
    method: &'static str,
    name: impl Fn(usize) -> String,
    step: u64,
    time: f64,
    error: ForceError,
) -> StepError {
    let remedy = REMEDY;
    match error {
        ForceError::Singular { matrix, error } => {
            let (pivot, place) = (error.pivot, name(error.index));
            StepError::Singular { method, matrix, step, time, pivot, place, remedy }
        }
        ForceError::Unsolved { matrix, error } => {
            let (residual, place) = (error.residual, name(error.index));
            StepError::Unsolved { method, matrix, step, time, residual, place, remedy }
        }
    }
}
