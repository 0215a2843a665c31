//! The iterations of a projection.

use super::filter::Filter;
use super::micro::Micro;
use super::{SlowFast, SlowManifold};
use crate::binding::threads::first_not_finite;
use crate::carried::carried;
use crate::error::{Begun, ProjectionError, SlowManifoldError};
use crate::method::applied::Instant;
use crate::method::check::{check_option, check_state, check_unconstrained, check_unforced};
use crate::method::force_error::ForceError;
use crate::method::mass_solver::MassSolver;
use crate::method::report::Evaluations;
use crate::system::{State, System};
use std::ops::Deref;

/// Changes below this many round-off units of ω |q| are rounding.
const FLOOR: f64 = 64.0 * f64::EPSILON;

/// The course of a projection.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Convergence {
    /// The number of iterations.
    pub iterations: u32,
    /// The geometric mean of the factor between the changes of consecutive iterations; `None` after one.
    pub contraction: Option<f64>,
    /// The largest change of the fast part and its rate in the last iteration.
    pub change: f64,
    /// The largest change of ω² times the fast part (a penalty's multipliers) in the last iteration.
    pub force_change: f64,
    /// The number of evaluations.
    pub evaluations: Evaluations,
}

/// Called with each point on the way, its fast part (g for a penalty) and the rate of the fast part (ġ);
/// see [`Projector::project_watched`].
type Watch<'w> = dyn FnMut(&State, &[f64], &[f64]) + 'w;

/// Prepared projections onto the slow manifold of a system: they allocate nothing unless they fail.
#[derive(Debug)]
pub struct Projector<H> {
    system: H,
    filter: Filter,
    micro: Micro,
    options: SlowManifold,
    here: FilteredPoint,
    next: FilteredPoint,
    counts: Evaluations,
}

/// The sizes of the changes by one iteration.
#[derive(Debug, Clone, Copy)]
struct IterationChange {
    /// The fast part or its rate.
    of_either: f64,
    /// ω² times the fast part.
    of_force: f64,
}

#[derive(Debug, Clone)]
struct FilteredPoint {
    state: State,
    values: Vec<f64>,
    rates: Vec<f64>,
}

impl<H: Deref<Target: SlowFast>> Projector<H> {
    pub(super) fn new(options: &SlowManifold, system: H) -> Begun<Self> {
        options.check()?;
        check_unconstrained(&*system, SlowManifold::NAME)?;
        check_unforced(&*system, SlowManifold::NAME)?;
        let frequency = system.frequency();
        let is_positive = frequency > 0.0 && frequency.is_finite();
        check_option(SlowManifold::NAME, is_positive, ("frequency", frequency, "(0, ∞)"))?;
        let per_period = f64::from(options.micro_steps);
        let filter = Filter::sample((options.window * per_period).round() as usize);
        let mass = MassSolver::new(&*system, crate::system::Natural::mass(system.natural()))?;
        let (n, fast) = (system.dimension(), system.fast_len());
        let micro = Micro::new(mass, std::f64::consts::TAU / (per_period * frequency), n);
        let point = FilteredPoint {
            state: State::at_rest(vec![0.0; n]),
            values: vec![0.0; fast],
            rates: vec![0.0; fast],
        };
        Ok(Self {
            system,
            filter,
            micro,
            options: *options,
            here: point.clone(),
            next: point,
            counts: Evaluations::default(),
        })
    }

    /// The projected system.
    pub fn system(&self) -> &H::Target {
        &self.system
    }

    /// Moves `state` to the slow manifold, at its time t.
    ///
    /// # Errors
    /// A state that does not fit or is not finite; no convergence, with the last iterate in the error.
    /// The state is then unchanged.
    pub fn project(&mut self, state: &mut State) -> Result<Convergence, ProjectionError> {
        self.project_watched(state, &mut |_, _, _| {})
    }

    /// Projects like [`Projector::project`], and passes the start and each iterate to `watch`.
    ///
    /// # Errors
    /// The errors of [`Projector::project`].
    pub fn project_watched(
        &mut self,
        state: &mut State,
        watch: &mut Watch<'_>,
    ) -> Result<Convergence, ProjectionError> {
        check_state(&*self.system, state)?;
        let convergence = self.find(state, watch)?;
        state.assign(&self.here.state);
        Ok(convergence)
    }

    /// The fast part of the last point: g, for a penalty.
    pub fn fast_part(&self) -> &[f64] {
        &self.here.values
    }

    /// The rate of change of the fast part of the last point: ġ, for a penalty.
    pub fn fast_rate(&self) -> &[f64] {
        &self.here.rates
    }

    /// The number of evaluations in all projections.
    pub fn evaluations(&self) -> Evaluations {
        self.counts
    }

    /// The last point.
    pub(super) fn found(&self) -> &State {
        &self.here.state
    }

    /// Writes the acceleration M⁻¹ (−∇V) at a state over `acceleration`.
    pub(super) fn accelerate(
        &mut self,
        at: &State,
        acceleration: &mut [f64],
    ) -> Result<(), Box<SlowManifoldError>> {
        self.micro
            .mass
            .accelerate(self.system.natural(), &at.q, Instant::at(at.t), acceleration, &mut self.counts)
            .map_err(|error| Box::new(failed(&*self.system, error, 0, at)))
    }

    /// Iterates from `start`, and leaves the solution, or the last iterate.
    pub(super) fn find(
        &mut self,
        start: &State,
        watch: &mut Watch<'_>,
    ) -> Result<Convergence, Box<SlowManifoldError>> {
        let before = self.counts;
        self.begin(start);
        self.here.show(watch);
        let unknown = IterationChange { of_either: f64::INFINITY, of_force: f64::INFINITY };
        let (mut first, mut last) = (f64::NAN, unknown);
        let mut number = 1;
        loop {
            let change = self.iterate(number)?;
            self.here.show(watch);
            if number == 1 {
                first = change.of_either;
            }
            if self.has_converged(change, last) {
                let contraction = (number > 1 && first > 0.0)
                    .then(|| (change.of_either / first).powf(1.0 / f64::from(number - 1)));
                return Ok(Convergence {
                    iterations: number,
                    contraction,
                    change: change.of_either,
                    force_change: change.of_force,
                    evaluations: since(before, self.counts),
                });
            }
            if number == self.options.iterations {
                return Err(Box::new(self.not_converged(change.of_either, last.of_either, first)));
            }
            (last, number) = (change, number + 1);
        }
    }

    /// Takes exactly `iterations` more, whatever the change.
    pub(super) fn go_on(&mut self, iterations: u32) -> Result<(), Box<SlowManifoldError>> {
        (1..=iterations).try_for_each(|number| self.iterate(number).map(drop))
    }

    /// Moves to a state without checks.
    fn begin(&mut self, state: &State) {
        self.here.state.assign(state);
        self.here.measure(&*self.system, &mut self.counts);
    }

    fn iterate(&mut self, number: u32) -> Result<IterationChange, Box<SlowManifoldError>> {
        let Self { system, filter, micro, here, next, counts, .. } = self;
        micro
            .average(system.natural(), filter, &here.state, &mut next.state, counts)
            .map_err(|error| Box::new(failed(&**system, error, number, &here.state)))?;
        if let Some(index) = first_not_finite(&next.state.q).or_else(|| first_not_finite(&next.state.v)) {
            let error = ForceError::NotFinite { index };
            return Err(Box::new(failed(&**system, error, number, &here.state)));
        }
        next.measure(&**system, counts);
        let change = IterationChange {
            of_either: here.largest_change(next).0,
            of_force: system.frequency().powi(2) * largest_difference(&here.values, &next.values).0,
        };
        std::mem::swap(here, next);
        Ok(change)
    }

    fn has_converged(&self, change: IterationChange, last: IterationChange) -> bool {
        let SlowManifold { tolerance, force_tolerance, .. } = self.options;
        let settled = change.of_either < tolerance || self.is_rounding(change.of_either, last.of_either);
        settled && (change.of_force <= force_tolerance || change.of_force > 0.5 * last.of_force)
    }

    /// True if the changes have stopped decreasing at the level of rounding.
    fn is_rounding(&self, change: f64, last: f64) -> bool {
        let size = self.here.state.q.iter().fold(0.0, |size: f64, q| size.max(q.abs()));
        change > 0.25 * last && change <= FLOOR * (1.0 + self.system.frequency()) * size
    }

    #[cold]
    fn not_converged(&self, change: f64, last: f64, first: f64) -> SlowManifoldError {
        let contraction = change / last;
        let remedy = if change > first {
            "take more micro-steps in a period or a wider window, or start nearer to the slow manifold"
        } else if contraction < 0.9 || self.options.iterations == 1 {
            "allow more iterations"
        } else {
            "the tolerance is finer than what the filter resolves at this frequency: loosen it, or take a larger frequency"
        };
        let (_, index) = self.here.largest_change(&self.next);
        SlowManifoldError::NotConverged {
            iterations: self.options.iterations,
            place: self.system.fast_name(index),
            change,
            contraction,
            tolerance: self.options.tolerance,
            remedy,
            last: self.here.state.clone(),
        }
    }
}

impl FilteredPoint {
    fn measure(&mut self, system: &(impl SlowFast + ?Sized), counts: &mut Evaluations) {
        let State { t, q, v } = &self.state;
        system.fast_part(q, v, *t, &mut self.values, &mut self.rates, counts);
    }

    fn show(&self, watch: &mut Watch<'_>) {
        watch(&self.state, &self.values, &self.rates);
    }

    /// The largest difference of the fast part or of its rate, and its index.
    fn largest_change(&self, other: &Self) -> (f64, usize) {
        let values = largest_difference(&self.values, &other.values);
        let rates = largest_difference(&self.rates, &other.rates);
        if rates.0 > values.0 { rates } else { values }
    }
}

/// The largest difference and its index; NaN counts as infinite.
fn largest_difference(a: &[f64], b: &[f64]) -> (f64, usize) {
    let mut found = (0.0, 0);
    for (index, (a, b)) in a.iter().zip(b).enumerate() {
        let difference = (a - b).abs();
        if difference > found.0 {
            found = (difference, index);
        } else if difference.is_nan() {
            found = (f64::INFINITY, index);
        }
    }
    found
}

#[cold]
fn failed(
    system: &(impl System + ?Sized),
    mut error: ForceError,
    iteration: u32,
    last: &State,
) -> SlowManifoldError {
    let (cause, place) = (error, system.layout().name_of(error.index_mut().map_or(0, |index| *index)));
    SlowManifoldError::Failed { iteration, cause, place, last: last.clone() }
}

fn since(before: Evaluations, now: Evaluations) -> Evaluations {
    Evaluations {
        gradients: now.gradients - before.gradients,
        hessians: now.hessians - before.hessians,
        constraints: now.constraints - before.constraints,
        ..Evaluations::default()
    }
}

carried!([H] Projector<H> { counts } besides { system, filter, micro, options, here, next });
