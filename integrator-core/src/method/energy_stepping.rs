//! Energy-stepping: the exact motion in a potential that is cut into terraces of equal height.
//!
//! # Scheme
//! V is replaced by the terraced potential V_ε = V₀ + ε (⌊(V − V₀)/ε⌋ + ½), with edges where V = V₀ + k ε.  On a terrace there is
//! no force, and the motion is straight and uniform.  Where it meets the edge of a terrace, the momentum changes along the normal
//! ∇V of the edge, by as much as the jump Δ = ±ε of V_ε asks for:
//!
//! ```text
//! v⁺ = v + λ M⁻¹ ∇V,    λ = −2 Δ/(a + sign(a) √(a² − 2 Δ b)),    a = ∇V·v,    b = ∇V·M⁻¹ ∇V;
//! ```
//!
//! when a² < 2 Δ b the kinetic energy does not suffice for the way up, and the motion is reflected: λ = −2 a/b.
//! The time of the next edge is the first zero of V(q + τ v) minus the value at the edge, found to rounding: along the line, V is
//! followed by parabolas that it may leave by a sixteenth of ε.
//!
//! The steps from edge to edge are output, not input; the state between two edges lies on a straight line and is evaluated there, so
//! the step of the run is that of its output alone.
//!
//! # Requirements on the model
//! [`Natural`], V free of time, and a start that moves: where V_ε is flat, what rests stays at rest.
//!
//! # Order and what is preserved
//! The motion is the exact one of H_ε = ½ v·M v + V_ε: energy of H_ε to rounding (that of H to within ε/2), symplectic, reversible.
//! V_ε has the symmetries of V, so linear and angular momentum are kept to rounding.  It converges to the motion in V, in first order
//! in ε as long as V rises or falls along the motion; where V turns, the error is that of the slow way over the last terrace, √ε.
//! As in the article, a motion that touches a level of V instead of crossing it is another matter: where it starts at the far end of an
//! orbit, or on a circle around a centre of force, it stays on its terrace for ever, and comes to no limit.
//!
//! # Parameters
//! `height` ε > 0, in the unit of energy; unless given, a hundredth of the kinetic energy at the start.
//! `edge`: a value V₀ of the potential at which there is an edge; that at the start unless given, from where the motion has all of a terrace
//! to gather speed in: so the near end of an orbit is left.  The map of a step is symplectic and reversible among starts that share V₀.
//!
//! # Reference
//! M. Gonzalez, B. Schmidt, M. Ortiz, Energy-stepping integrators in Lagrangian mechanics, Int. J. Numer. Meth. Engng 82 (2010) 205,
//! doi:10.1002/nme.2763.

mod flight;

use self::flight::{Flight, Outcome};
use super::check::{check_start, check_unconstrained, first_not_finite};
use super::force_error::{ForceError, UNSTABLE};
use super::mass_solver::MassSolver;
use super::{Claims, Evaluations, Flow, Method, Report, Running, Stepper, Substep};
use crate::error::{StartError, StepError};
use crate::system::{Natural, State};

/// Energy-stepping; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EnergyStepping {
    /// The height ε of a terrace, positive; unless given, a hundredth of the kinetic energy at the start.
    pub height: Option<f64>,
    /// A value V₀ of the potential at which there is an edge; unless given, that at the start.
    pub edge: Option<f64>,
}

impl Claims for EnergyStepping {
    const NAME: &'static str = "energy-stepping";
    const ORDER: u32 = 1;
    const SYMPLECTIC: Option<bool> = Some(true);
    const REVERSIBLE: Option<bool> = Some(true);
    const MOMENTUM: Option<bool> = Some(true);
}

/// The height of a terrace as a part of the kinetic energy at the start, unless a height is given.
const FRACTION: f64 = 0.01;
/// Terraces are counted; integers up to here are numbers of their own.
const MOST_TERRACES: f64 = (1_u64 << 50) as f64;
/// The number of edges at one instant from which on the motion is stuck.
const AT_ONCE: u32 = 100;

impl<S: Natural + ?Sized> Method<S> for EnergyStepping {
    #[expect(refining_impl_trait, reason = "its run can tell the energy that it keeps")]
    fn start<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Result<Running<Terraces<'s, S>>, StartError> {
        let method = Self::NAME;
        check_unconstrained(system, method)?;
        check_start(system, &state, step)?;
        let kinetic = 0.5 * system.mass().quadratic(&state.v);
        if kinetic <= 0.0 {
            return Err(StartError::AtRest { method, system: system.name().to_owned() });
        }
        let height = self.height.unwrap_or(FRACTION * kinetic);
        if !(height > 0.0 && height.is_finite()) {
            let (option, interval) = ("height", "(0, ∞)");
            return Err(StartError::OptionOutOfRange { method, option, value: height, interval });
        }
        let depends_on_time = match system.elements() {
            Some(elements) => elements.depends_on_time(),
            None => system.potential_rate(&state.q, state.t) != 0.0,
        };
        if depends_on_time {
            return Err(StartError::PotentialOfTime { method, system: system.name().to_owned() });
        }
        let potential = system.potential(&state.q, state.t);
        if !potential.is_finite() {
            return Err(StartError::PotentialNotFinite {
                system: system.name().to_owned(),
                value: potential,
            });
        }
        let base = match self.edge {
            None => potential,
            Some(value) if value.is_finite() => value,
            Some(value) => {
                let (option, interval) = ("edge", "(−∞, ∞)");
                return Err(StartError::OptionOutOfRange { method, option, value, interval });
            }
        };
        let terrace = ((potential - base) / height).floor();
        if terrace.abs() > MOST_TERRACES {
            let (option, interval) =
                ("height", "a height with at most 2⁵⁰ terraces from the edge to the start");
            return Err(StartError::OptionOutOfRange { method, option, value: height, interval });
        }
        let flow = Terraces {
            flight: Flight::new(system, height),
            mass: MassSolver::new(system, system.mass())?,
            base,
            terrace: terrace as i64,
            normal: vec![0.0; system.dimension()],
            crossings: 0,
            counts: Evaluations::default(),
        };
        Ok(Running::new(flow, state, step))
    }
}

/// The flow of [`EnergyStepping`]: straight flights over the terraces of V_ε.
#[derive(Debug)]
pub struct Terraces<'s, S: ?Sized> {
    flight: Flight<'s, S>,
    mass: MassSolver,
    /// V₀.
    base: f64,
    /// V_ε = V₀ + ε (`terrace` + ½).
    terrace: i64,
    /// M⁻¹ ∇V at an edge.
    normal: Vec<f64>,
    /// Edges that were met, those that reflected among them.
    crossings: u64,
    counts: Evaluations,
}

impl<S: Natural + ?Sized> Running<Terraces<'_, S>> {
    /// The energy ½ v·M v + V_ε(q) that the motion keeps, which differs from that of the system by ε/2 at most.
    pub fn energy(&self) -> f64 {
        let flow = self.flow();
        0.5 * flow.flight.system().mass().quadratic(&self.state().v) + flow.level(flow.terrace)
    }
}

impl<S: Natural + ?Sized> Terraces<'_, S> {
    fn level(&self, terrace: i64) -> f64 {
        self.base + self.flight.height() * (terrace as f64 + 0.5)
    }

    /// Flies on from edge to edge for a time `step`; leaves the terrace at its end and the number of edges.
    fn fly(&mut self, step: f64, at: &mut State) -> Result<(i64, u64), ForceError> {
        let (mut terrace, mut crossings, mut at_once) = (self.terrace, 0, 0);
        let mut elapsed = 0.0;
        loop {
            let level = self.level(terrace);
            let remaining = step - elapsed;
            let outcome = self.flight.leave(at, level, remaining, &mut self.counts)?;
            let (after, side) = match outcome {
                Outcome::Stays => (remaining, None),
                Outcome::Leaves { after, side } => (after, Some(side)),
            };
            for (q, v) in at.q.iter_mut().zip(&at.v) {
                *q += after * v;
            }
            let Some(side) = side else { return Ok((terrace, crossings)) };
            elapsed += after;
            at_once = if after > f64::EPSILON * step { 0 } else { at_once + 1 };
            if at_once > AT_ONCE {
                return Err(ForceError::Stuck);
            }
            crossings += 1;
            terrace += self.meet(side, at)?;
        }
    }

    /// Changes the velocity at an edge, above (1) or below (−1) the terrace, and returns by how many terraces the motion climbs.
    fn meet(&mut self, side: f64, at: &mut State) -> Result<i64, ForceError> {
        let gradient = self.flight.gradient();
        self.normal.copy_from_slice(gradient);
        self.mass.apply(&mut self.normal)?;
        let product = |x: &[f64]| gradient.iter().zip(x).map(|(g, x)| g * x).sum::<f64>();
        let (a, b) = (product(&at.v), product(&self.normal));
        let jump = side * self.flight.height();
        let square = a * a - 2.0 * jump * b;
        let (factor, climbed) = if square < 0.0 {
            (-2.0 * a / b, 0)
        } else {
            (-2.0 * jump / (a + square.sqrt().copysign(side)), side as i64)
        };
        for (v, normal) in at.v.iter_mut().zip(&self.normal) {
            *v += factor * normal;
        }
        match first_not_finite(&at.v) {
            Some(index) => Err(ForceError::NotFinite { index }),
            None => Ok(climbed),
        }
    }
}

impl<S: Natural + ?Sized> Flow for Terraces<'_, S> {
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        next.q.copy_from_slice(&state.q);
        next.v.copy_from_slice(&state.v);
        let (terrace, crossings) = self.fly(substep.size, next).map_err(|error| {
            let name = |index| self.flight.system().layout().name_of(index);
            error.in_step(EnergyStepping::NAME, name, substep, state.t, UNSTABLE)
        })?;
        self.terrace = terrace;
        self.crossings += crossings;
        Ok(())
    }

    fn report(&self) -> Report<'_> {
        Report { crossings: Some(self.crossings), ..Report::of(self.counts) }
    }
}
