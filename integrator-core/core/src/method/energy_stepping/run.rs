use super::EnergyStepping;
use super::flight::{Edge, Flight};
use crate::carried::carried;
use crate::error::StepError;
use crate::method::clock::Clock;
use crate::method::contract::{Claims, Stepper};
use crate::method::flow::Substep;
use crate::method::force_error::{ForceError, check_finite};
use crate::method::mass_solver::MassSolver;
use crate::method::report::{Evaluations, Report};
use crate::system::{Natural, State};

/// The number of edges at one instant from which on the motion is stuck.
const AT_ONCE: u32 = 100;
/// The most edges in one step.
pub(super) const MOST_EDGES: u64 = 1_000_000;
/// So few edges may follow each other in any time, as those of an approach do.
const FEW_EDGES: u64 = 1000;
/// The part of a step after which edges are counted anew, to see where they follow each other too soon.
const STRETCH: f64 = 1.0 / 1024.0;

/// A run of [`EnergyStepping`]: straight flights over the terraces of V_ε.
///
/// A [`step`](Stepper::step) goes to the next time of output and evaluates the straight line there, which changes nothing; between
/// two outputs lie as many edges as there are.
pub(super) struct EnergySteppingRun<'s, S: ?Sized> {
    flight: Flight<'s, S>,
    mass: MassSolver,
    /// V₀.
    base: f64,
    /// V_ε = V₀ + ε (`terrace` + ½).
    terrace: i64,
    /// M⁻¹ ∇V at an edge.
    normal: Vec<f64>,
    /// The time since the start; its origin is that of the flight.
    clock: Clock,
    at_once: u32,
    /// Edges that were met, those that reflected among them.
    crossings: u64,
    counts: Evaluations,
    start_time: f64,
    step: f64,
    steps: u64,
    state: State,
    /// The failure after which the motion cannot go on.
    failure: Option<StepError>,
}

impl<'s, S: Natural + ?Sized> EnergySteppingRun<'s, S> {
    /// A run over terraces with an edge at `base`, which begins on one of them.
    pub(super) fn new(
        system: &'s S,
        mass: MassSolver,
        (base, height, terrace): (f64, f64, i64),
        slack: f64,
        state: State,
        step: f64,
    ) -> Self {
        let mut run = Self {
            flight: Flight::new(system, height, slack, state.clone(), step),
            mass,
            base,
            terrace,
            normal: vec![0.0; state.q.len()],
            clock: Clock::starting_at(0.0),
            at_once: 0,
            crossings: 0,
            counts: Evaluations::default(),
            start_time: state.t,
            step,
            steps: 0,
            state,
            failure: None,
        };
        run.flight.depart(run.level(), None);
        run
    }

    /// The value of V_ε on the terrace.
    fn level(&self) -> f64 {
        self.base + self.flight.height() * (self.terrace as f64 + 0.5)
    }

    /// Flies from edge to edge up to a time after the start.
    fn fly(&mut self, end: f64) -> Result<(), Stop> {
        let most = self.crossings + MOST_EDGES;
        // The time and the number of edges from which on they are counted.
        let mut stretch = (end - self.step, self.crossings);
        while let Some(edge) = self.flight.next_edge(self.clock.since_origin(end), &mut self.counts)? {
            let (met, part) = (self.crossings - stretch.1, (self.clock.time() - stretch.0) / self.step);
            let too_soon = met > FEW_EDGES && part < (met as f64 / MOST_EDGES as f64).powi(2);
            if self.crossings == most || too_soon {
                return Err(Stop::TooMany { met, part });
            }
            if part > STRETCH {
                stretch = (self.clock.time(), self.crossings);
            }
            let before = self.clock.time();
            self.clock.now = edge.after;
            self.clock.rebase();
            self.at_once = if self.clock.time() > before { 0 } else { self.at_once + 1 };
            if self.at_once > AT_ONCE {
                return Err(ForceError::Stuck.into());
            }
            self.flight.arrive(edge.after);
            let reflected = self.meet(edge)?;
            self.crossings += 1;
            self.flight.depart(self.level(), reflected);
        }
        Ok(())
    }

    /// Changes the velocity and the terrace at an edge, and returns its side where the motion is reflected.
    fn meet(&mut self, Edge { side, .. }: Edge) -> Result<Option<f64>, ForceError> {
        let jump = side * self.flight.height();
        let (v, gradient) = self.flight.at_edge();
        self.normal.copy_from_slice(gradient);
        self.mass.apply(&mut self.normal)?;
        let product = |x: &[f64]| gradient.iter().zip(x).map(|(g, x)| g * x).sum::<f64>();
        let (a, b) = (product(v), product(&self.normal));
        let square = a * a - 2.0 * jump * b;
        let passes = square >= 0.0;
        let factor = if passes { -2.0 * jump / (a + square.sqrt().copysign(side)) } else { -2.0 * a / b };
        for (v, normal) in v.iter_mut().zip(&self.normal) {
            *v += factor * normal;
        }
        check_finite(v)?;
        self.terrace += if passes { side as i64 } else { 0 };
        Ok((!passes).then_some(side))
    }

    #[cold]
    fn failed(&self, stop: Stop, number: u64, end: f64) -> StepError {
        let method = EnergyStepping::NAME;
        match stop {
            Stop::Force(error) => {
                let substep = Substep { number, size: self.step, end: self.start_time + end };
                error.in_step_of(method, self.flight.system().layout(), &substep, self.state.t)
            }
            Stop::TooMany { met, part } => StepError::TooManyEvents {
                method,
                events: "edges of terraces",
                step: number,
                time: self.state.t,
                size: self.step,
                met,
                limit: MOST_EDGES,
                part,
                remedy: "a larger height",
            },
        }
    }
}

/// The reason for which a step ends early.
#[derive(Clone, Copy)]
enum Stop {
    Force(ForceError),
    /// So many edges were met in a part of the step.
    TooMany {
        met: u64,
        part: f64,
    },
}

impl From<ForceError> for Stop {
    fn from(error: ForceError) -> Self {
        Self::Force(error)
    }
}

impl<S: Natural + ?Sized> Stepper for EnergySteppingRun<'_, S> {
    fn step(&mut self) -> Result<(), StepError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let number = self.steps + 1;
        let end = number as f64 * self.step;
        if let Err(stop) = self.fly(end) {
            let failure = self.failed(stop, number, end);
            self.failure = Some(failure.clone());
            return Err(failure);
        }
        self.flight.place(self.clock.since_origin(end), &mut self.state.q);
        self.state.v.copy_from_slice(self.flight.velocity());
        self.state.t = self.start_time + end;
        self.steps = number;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    /// It differs from the energy of the system by ε/2 at most.
    fn kept_energy(&self) -> Option<f64> {
        Some(0.5 * self.flight.system().mass().quadratic(self.flight.velocity()) + self.level())
    }

    fn report(&self) -> Report<'_> {
        Report { crossings: Some(self.crossings), ..Report::of(self.counts) }
    }
}

impl<S: ?Sized> std::fmt::Debug for EnergySteppingRun<'_, S> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("EnergySteppingRun")
            .field("steps", &self.steps)
            .field("crossings", &self.crossings)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

carried!([S: ?Sized] EnergySteppingRun<'_, S> {
    flight, terrace, clock, at_once, crossings, counts, steps, state
} besides { mass, base, normal, start_time, step, failure });
