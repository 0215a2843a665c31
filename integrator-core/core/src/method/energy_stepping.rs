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
//! followed by polynomials of degree 5 that it may leave by a sixteenth of ε, each so short that their coefficients prove which
//! edges it meets, also where V turns just beyond one.  An edge is met where V is beyond it by more than rounding makes of V, as measured
//! at the start: so a body that flies undeformed, along an edge but for rounding, flies on.
//!
//! The steps from edge to edge are output, not input; the state between two edges lies on a straight line and is evaluated there, so
//! the step of the run is that of its output, and changes nothing.  (Where V is flat nothing says how far: a bump in a plain is found
//! if the motion takes longer than a step to pass it.)
//!
//! # Work
//! There are as many edges in a step as V changes by ε.  [`Method::instability`] says before the run where some 10⁶ or more are to be
//! expected from the speed, the slope and the fastest frequency at the start.  A step that has met 10⁶ is an error, and so is, long before,
//! one in which as many must be expected: after k > 1000 edges in less than a part (k/10⁶)² of it.
//!
//! # Requirements on the model
//! A [natural system](crate::system::Natural), V free of time, and a start that moves: where V_ε is flat, what rests stays at rest.
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
mod piece;
mod run;

use flight::slack_of;
use run::{EnergySteppingFlow, MOST_EDGES};

use super::check::{check_start, check_unconstrained, check_unforced, depends_on_time};
use super::contract::{Claims, Method, Stepper};
use super::instability::Instability;
use super::mass_solver::MassSolver;
use super::running::Running;
use super::stability;
use crate::error::StartError;
use crate::system::{Natural, State, Unforced};

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

    fn beside_state(&self) -> Option<&'static str> {
        let given = self.height.is_some() && self.edge.is_some();
        (!given).then_some(
            "the terraces, which belong to the start (a given `height` and `edge` make them the same)",
        )
    }
}

/// The height of a terrace as a part of the kinetic energy at the start, unless a height is given.
const FRACTION: f64 = 0.01;
/// Rounding of V that is allowed for may be this part of the height.
const HIDDEN: f64 = 0.125;
/// Terraces are counted; integers up to here are numbers of their own.
const MOST_TERRACES: f64 = (1_u64 << 50) as f64;
impl<S: Unforced + ?Sized> Method<S> for EnergyStepping {
    fn start<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Result<impl Stepper + use<'s, S>, StartError> {
        let method = Self::NAME;
        check_unconstrained(system, method)?;
        check_unforced(system, method)?;
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
        if depends_on_time(system, &state) {
            return Err(StartError::PotentialOfTime { method, system: system.name().to_owned() });
        }
        let potential = system.potential(&state.q, state.t);
        if !potential.is_finite() {
            return Err(StartError::PotentialNotFinite {
                system: system.name().to_owned(),
                value: potential,
            });
        }
        let slack = slack_of(system, height, &state);
        if slack > HIDDEN * height {
            let (option, interval) = ("height", "heights that are not lost in the rounding of the potential");
            return Err(StartError::OptionOutOfRange { method, option, value: height, interval });
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
        let mass = MassSolver::new(system, system.mass())?;
        let terraces = (base, height, terrace as i64);
        let flow = EnergySteppingFlow::new(system, mass, terraces, slack, &state, step);
        Ok(Running::new(flow, state, step))
    }

    fn instability_within(&self, system: &S, state: &State, step: f64, _: u64) -> Option<Instability> {
        let height = self.height.unwrap_or(FRACTION * 0.5 * system.mass().quadratic(&state.v));
        edges_beyond_limit(Self::NAME, height, system, state, step)
    }
}

/// The edges that are met in a step, where they are too many: as often as V changes by the height, with the slope
/// along the motion at the start and its growth by the force and the curvature.
fn edges_beyond_limit<S: Natural + ?Sized>(
    method: &'static str,
    height: f64,
    system: &S,
    state: &State,
    step: f64,
) -> Option<Instability> {
    let begins = stability::while_it_begins(system, state, step)?;
    let State { t, q, v } = state;
    let mut gradient = vec![0.0; q.len()];
    system.potential_gradient(q, *t, &mut gradient);
    let mut product = gradient.clone();
    MassSolver::new(system, system.mass()).ok()?.apply(&mut product).ok()?;
    let along = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>().abs();
    let (slope, force) = (along(&gradient, v), along(&gradient, &product));
    system.potential_product(q, *t, v, &mut product);
    let change = step * (slope + 0.5 * begins * (force + along(&product, v)));
    stability::events(method, step, change / height, ("edges of terraces", MOST_EDGES, "a larger height"))
}
