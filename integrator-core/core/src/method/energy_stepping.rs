//! Energy-stepping: the exact motion in a potential that is cut into terraces of equal height.
//!
//! # Scheme
//! The terraced potential V_ε = V₀ + ε (⌊(V − V₀)/ε⌋ + ½), with edges where V = V₀ + k ε, replaces V. On
//! a terrace there is no force, and the motion is straight and uniform. At an edge the momentum changes
//! along its normal ∇V, by the jump Δ = ±ε of V_ε:
//!
//! ```text
//! v⁺ = v + λ M⁻¹ ∇V,    λ = −2 Δ/(a + sign(a) √(a² − 2 Δ b)),    a = ∇V·v,    b = ∇V·M⁻¹ ∇V;
//! ```
//!
//! if a² < 2 Δ b the kinetic energy does not suffice for the way up, and the motion is reflected: λ = −2
//! a/b. The time of the next edge is the first zero of V(q + τ v) minus the value at the edge, found to
//! rounding. Polynomials of degree 5 follow V along the line to a sixteenth of ε, on pieces so short
//! that their coefficients prove which edges they meet, even if V turns just beyond one. An edge is met
//! where V exceeds it by more than the rounding of V, measured at the start: a body that flies
//! undeformed, along an edge up to rounding, flies on.
//!
//! The steps from edge to edge are output, not input. The state between two edges lies on a straight
//! line and is evaluated there: the step of a run is the step of its output and changes nothing. (Flat V
//! gives no length: a bump in a plain is found if the motion takes longer than a step to pass it.)
//!
//! # Work
//! A step meets (change of V)/ε edges. [`Method::instability`] warns before the run if it expects about
//! 10⁶ or more, from the speed, the slope and the fastest frequency at the start. A step with 10⁶ edges
//! is an error, and so is, long before, one in which as many must be expected: k > 1000 edges in less
//! than a part (k/10⁶)² of it.
//!
//! # Requirements on the model
//! A [natural system](crate::system::Natural), V free of time, and a moving start: a body at rest on a
//! terrace stays at rest.
//!
//! # Order and invariants
//! The exact motion of H_ε = ½ v·M v + V_ε: conserves H_ε to rounding and H to ε/2, symplectic,
//! reversible. V_ε has the symmetries of V, so linear and angular momentum are conserved to rounding. It
//! converges to the motion in V, with order 1 in ε while V rises or falls along the motion; where V
//! turns, the slow way over the last terrace gives an error √ε. As in the article, a motion that touches
//! a level of V without crossing it has no limit: from the far end of an orbit, or on a circle around a
//! centre of force, it stays on its terrace for ever.
//!
//! # Parameters
//! `height` ε > 0, in the unit of energy; default a hundredth of the kinetic energy at the start.
//! `edge`: a value V₀ of the potential with an edge; default V at the start, which leaves the motion a
//! whole terrace to gather speed, so that it leaves the near end of an orbit. The map of a step is
//! symplectic and reversible among starts that share V₀.
//!
//! # Reference
//! M. Gonzalez, B. Schmidt, M. Ortiz, Energy-stepping integrators in Lagrangian mechanics, Int. J.
//! Numer. Meth. Engng 82 (2010) 205, doi:10.1002/nme.2763.

mod flight;
mod piece;
mod run;

use crate::method::check::check_option;
use flight::slack_of;
use run::{EnergySteppingFlow, MOST_EDGES};

use super::check::{check_angles, check_start, check_unconstrained, check_unforced, depends_on_time};
use super::contract::{Claims, Method, Stepper, claims};
use super::instability::Instability;
use super::mass_solver::MassSolver;
use super::running::Running;
use super::stability;
use crate::error::{Begun, StartError};
use crate::system::{Natural, State, Unforced};

/// Energy-stepping; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EnergyStepping {
    /// The height ε of a terrace, positive; default a hundredth of the kinetic energy at the start.
    pub height: Option<f64>,
    /// A value V₀ of the potential with an edge; default V at the start.
    pub edge: Option<f64>,
}

claims! {
    impl Claims for EnergyStepping: "energy-stepping" of order 1;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes;
    derivatives by None("the lengths of its steps depend on the state");
    beside the state |own| (own.height.is_none() || own.edge.is_none()).then_some(
        "the terraces, which belong to the start (a given `height` and `edge` make them the same)",
    )
}

/// The default height, as a part of the kinetic energy at the start.
const FRACTION: f64 = 0.01;
/// The largest allowed rounding of V, as a part of the height.
const HIDDEN: f64 = 0.125;
/// The largest number of a terrace; floating-point numbers represent such integers exactly.
const MOST_TERRACES: f64 = (1_u64 << 50) as f64;
impl<S: Unforced + ?Sized> Method<S> for EnergyStepping {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
        let method = Self::NAME;
        check_unconstrained(system, method)?;
        check_angles(system, method)?;
        check_unforced(system, method)?;
        check_start(system, &state, step)?;
        let kinetic = 0.5 * system.mass().quadratic(&state.v);
        if kinetic <= 0.0 {
            return Err(StartError::AtRest { method, system: system.name().to_owned() });
        }
        let height = self.height.unwrap_or(FRACTION * kinetic);
        check_option(method, height > 0.0 && height.is_finite(), ("height", height, "(0, ∞)"))?;
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
        let above = "heights that are not lost in the rounding of the potential";
        check_option(method, slack <= HIDDEN * height, ("height", height, above))?;
        let base = self.edge.unwrap_or(potential);
        check_option(method, base.is_finite(), ("edge", base, "(−∞, ∞)"))?;
        let terrace = ((potential - base) / height).floor();
        let near = "a height with at most 2⁵⁰ terraces from the edge to the start";
        check_option(method, terrace.abs() <= MOST_TERRACES, ("height", height, near))?;
        let mass = MassSolver::new(system, system.mass())?;
        let terraces = (base, height, terrace as i64);
        let flow = EnergySteppingFlow::new(system, mass, terraces, slack, &state, step);
        Ok(Running::new(flow, state, step))
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        let height = self.height.unwrap_or(FRACTION * 0.5 * system.mass().quadratic(&state.v));
        edges_beyond_limit(Self::NAME, height, system, state, step)
    }
}

/// A warning about too many edges in a step: the change of V, from the slope along the motion at the
/// start and its growth by force and curvature, by the height.
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
