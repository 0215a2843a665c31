use super::EnergyStepping;
use super::flight::{Edge, Flight};
use crate::carried::carried;
use crate::error::StepError;
use crate::method::clock::Clock;
use crate::method::contract::Claims;
use crate::method::flow::{Flow, Substep};
use crate::method::force_error::{Attempt, ForceError, check_finite};
use crate::method::mass_solver::MassSolver;
use crate::method::report::{Evaluations, Report};
use crate::system::{Natural, State};

/// More edges at one instant mean that the motion is stuck.
const AT_ONCE: u32 = 100;
/// The most edges in one step.
pub(super) const MOST_EDGES: u64 = 1_000_000;
/// Up to this number edges may follow each other in any time, as in an approach.
const FEW_EDGES: u64 = 1000;
/// The part of a step after which the count of edges restarts, to detect a burst.
const STRETCH: f64 = 1.0 / 1024.0;

/// The flow of [`EnergyStepping`]: straight flights over the terraces of V_ε.
///
/// A step goes to the next output time and evaluates the straight line there, which changes nothing; any
/// number of edges lies between two outputs.
pub(super) struct EnergySteppingFlow<'s, S: ?Sized> {
    flight: Flight<'s, S>,
    mass: MassSolver,
    /// V₀.
    base: f64,
    /// V_ε = V₀ + ε (`terrace` + ½).
    terrace: i64,
    /// M⁻¹ ∇V at an edge.
    normal: Vec<f64>,
    /// The time since the start; its origin is the origin of the flight.
    clock: Clock,
    at_once: u32,
    /// The edges met, including reflections.
    crossings: u64,
    counts: Evaluations,
    /// The failure that has ended the motion.
    failure: Option<StepError>,
}

impl<'s, S: Natural + ?Sized> EnergySteppingFlow<'s, S> {
    /// Over terraces with an edge at `base`, beginning on `terrace`.
    pub(super) fn new(
        system: &'s S,
        mass: MassSolver,
        (base, height, terrace): (f64, f64, i64),
        slack: f64,
        state: &State,
        step: f64,
    ) -> Self {
        let mut flow = Self {
            flight: Flight::new(system, height, slack, state.clone(), step),
            mass,
            base,
            terrace,
            normal: vec![0.0; state.q.len()],
            clock: Clock::starting_at(0.0),
            at_once: 0,
            crossings: 0,
            counts: Evaluations::default(),
            failure: None,
        };
        flow.flight.depart(flow.level(), None);
        flow
    }

    /// The value of V_ε on the terrace.
    fn level(&self) -> f64 {
        self.base + self.flight.height * (self.terrace as f64 + 0.5)
    }

    /// Flies from edge to edge up to the time `end`, in a step of size h.
    fn fly(&mut self, end: f64, h: f64) -> Attempt {
        let most = self.crossings + MOST_EDGES;
        // The time and the number of edges at the start of the count.
        let mut stretch = (end - h, self.crossings);
        while let Some(edge) = self.flight.next_edge(self.clock.since_origin(end), &mut self.counts)? {
            let (met, part) = (self.crossings - stretch.1, (self.clock.time() - stretch.0) / h);
            let too_soon = met > FEW_EDGES && part < (met as f64 / MOST_EDGES as f64).powi(2);
            if self.crossings == most || too_soon {
                let (events, limit) = ("edges of terraces", MOST_EDGES);
                return Err(ForceError::TooManyEvents { events, met, limit, part });
            }
            if part > STRETCH {
                stretch = (self.clock.time(), self.crossings);
            }
            let before = self.clock.time();
            self.clock.now = edge.after;
            self.clock.rebase();
            self.at_once = if self.clock.time() > before { 0 } else { self.at_once + 1 };
            if self.at_once > AT_ONCE {
                return Err(ForceError::Stuck);
            }
            self.flight.arrive(edge.after);
            let reflected = self.meet(edge)?;
            self.crossings += 1;
            self.flight.depart(self.level(), reflected);
        }
        Ok(())
    }

    /// Changes the velocity and the terrace at an edge; returns its side after a reflection.
    fn meet(&mut self, Edge { side, .. }: Edge) -> Result<Option<f64>, ForceError> {
        let jump = side * self.flight.height;
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
    fn failed(&self, error: ForceError, substep: &Substep, time: f64) -> StepError {
        let method = EnergyStepping::NAME;
        if let ForceError::TooManyEvents { .. } = error {
            return error.at(method, String::new(), substep, time, "a larger height");
        }
        error.in_step_of(method, self.flight.system.layout(), substep, time)
    }
}

impl<S: Natural + ?Sized> Flow for EnergySteppingFlow<'_, S> {
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let end = substep.number as f64 * substep.size;
        if let Err(error) = self.fly(end, substep.size) {
            return Err(self.failure.insert(self.failed(error, substep, state.t)).clone());
        }
        self.flight.place(self.clock.since_origin(end), &mut next.q);
        next.v.copy_from_slice(self.flight.velocity());
        Ok(())
    }

    /// Differs from the energy of the system by ε/2 at most.
    fn kept_energy(&self, _: &State) -> Option<f64> {
        // The velocity on the terrace, also after a step that failed on the way.
        Some(0.5 * self.flight.system.mass().quadratic(self.flight.velocity()) + self.level())
    }

    fn report(&self) -> Report<'_> {
        Report { crossings: Some(self.crossings), ..Report::of(self.counts) }
    }
}

carried!([S: ?Sized] EnergySteppingFlow<'_, S> {
    flight, terrace, clock, at_once, crossings, counts
} besides { mass, base, normal, failure });
