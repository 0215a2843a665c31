//! The advice on methods: a test writes the table of `docs/choosing.md` from it,
//! and `describe` prints the rows of a model.

use least_action::method::Claims;
use least_action::method::rotation::{self, RotationVerlet};
use least_action::system::Kind;
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::Fit;
use super::beginning::has_diagonal;
use crate::model::Erased;

/// The method to take for a kind of system.
#[derive(Debug)]
pub(crate) struct Advice {
    /// The system.
    pub(crate) system: &'static str,
    pub(crate) method: &'static str,
    /// The words behind its name, with its options.
    with: &'static str,
    pub(crate) because: &'static str,
    /// Decides it from the declaration; advice on a wish of the user's is for no declaration.
    applies: fn(&dyn Erased) -> bool,
}

impl Advice {
    /// The advice for a model, in the order of the document: of the methods that fit it, and no others.
    pub(crate) fn on(system: &dyn Erased, fits: &[Fit]) -> Vec<&'static Self> {
        let is_fit = |method| fits.iter().any(|fit| fit.fits && fit.method == method);
        ADVICE.iter().filter(|advice| is_fit(advice.method) && (advice.applies)(system)).collect()
    }

    /// The method with its options.
    pub(crate) fn take(&self) -> String {
        format!("`{}`{}", self.method, self.with)
    }
}

impl Serialize for Advice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut advice = serializer.serialize_struct("Advice", 3)?;
        advice.serialize_field("system", self.system)?;
        advice.serialize_field("take", &self.take())?;
        advice.serialize_field("because", self.because)?;
        advice.end()
    }
}

/// A wish of the user's.
const WISH: fn(&dyn Erased) -> bool = |_| false;

fn is_natural(it: &dyn Erased) -> bool {
    it.faces().natural.is_some()
}

fn is_constrained(it: &dyn Erased) -> bool {
    it.lagrangian().holonomic().is_some()
}

fn rolls(it: &dyn Erased) -> bool {
    it.lagrangian().nonholonomic().is_some()
}

fn is_forced(it: &dyn Erased) -> bool {
    it.lagrangian().forced().is_some()
}

/// True if a coordinate has no mass of its own.
fn has_light_coordinates(it: &dyn Erased) -> bool {
    it.faces().natural.is_some_and(|natural| !has_diagonal(natural.mass()))
}

fn is_stiff(it: &dyn Erased) -> bool {
    it.faces().natural.is_some() && it.faces().stiff.is_some()
}

fn is_vibrated(it: &dyn Erased) -> bool {
    it.vibrated().is_some()
}

fn has_bodies(it: &dyn Erased) -> bool {
    it.lagrangian().layout().coordinates().iter().any(|one| one.kind == Kind::Mat3)
}

/// Bodies whose matrices are held to be rotations, and by nothing else.
fn has_free_bodies(it: &dyn Erased) -> bool {
    it.faces().natural.is_some_and(|natural| rotation::check_bodies(RotationVerlet::NAME, natural).is_ok())
}

fn is_in_range(it: &dyn Erased) -> bool {
    it.description().families.iter().any(|family| family.range.is_some())
}

/// A row of the table: the system, the method, the words behind its name, the reason, and the condition.
macro_rules! advice {
    ($($system:literal: $method:literal $with:literal because $because:literal if $applies:expr;)+) => {
        /// All advice, in the order of the document.
        pub(crate) const ADVICE: &[Advice] = &[
            $(Advice { system: $system, method: $method, with: $with, because: $because, applies: $applies }),+
        ];
    };
}

advice! {
    "a constant mass, no constraints, nothing stiff":
        "verlet" ", with `order=4`, `6` or `8` to many digits"
        because "one gradient a step, symplectic, reversible; stable for h ω < 2, ω the fastest frequency; above the rounding of the force, each order wins over the one below"
        if |it| is_natural(it) && !is_constrained(it) && !is_forced(it) && !is_stiff(it) && !is_vibrated(it);
    "a constant mass, constraints": "rattle" ", with `order=6` to many digits"
        because "second order against the constrained motion, positions and momenta on the constraints, cost linear in a chain"
        if |it| is_natural(it) && is_constrained(it) && !is_forced(it) && !is_vibrated(it) && !has_bodies(it);
    "a constant mass, constraints, multipliers at the positions alone": "shake" ""
        because "the positions of `rattle`, at about its cost" if WISH;
    "drag, motors, follower loads (`#[force]`, `#[dissipation]`), a constant mass": "verlet" ""
        because "symmetric, of order 2 with forces of velocities, too; the terminal velocity of any drag is exact"
        if |it| is_natural(it) && is_forced(it) && !is_constrained(it);
    "drag, motors, follower loads, a constant mass and constraints": "rattle" ""
        because "symmetric, of order 2 on the constraints; the terminal velocity of any drag is exact"
        if |it| is_natural(it) && is_forced(it) && is_constrained(it);
    "drag, motors, currents, and coordinates without mass": "variational-midpoint" ""
        because "divides by no mass, so that dampers alone determine a coordinate; `variational-euler` of order 1 damps what is stiff"
        if |it| is_natural(it) && is_forced(it) && has_light_coordinates(it);
    "drag, motors, follower loads with a mass that depends on the position, and loops in angles":
        "variational-midpoint" ", with `order=4`, `6` or `8` to many digits"
        because "symmetric, with the exact balance of momentum; the energy is balanced by the discrete work to order 2"
        if |it| !is_natural(it) && is_forced(it) && !rolls(it);
    "a mass that depends on the position, or terms of the Lagrangian linear in velocities":
        "variational-midpoint" ""
        because "symplectic for any regular Lagrangian; a Newton iteration with the exact sparse second derivatives"
        if |it| !is_natural(it) && !is_forced(it) && !is_constrained(it) && !rolls(it);
    "a mass that depends on the position, and constraints: linkages in angles, charges on surfaces, driven rods":
        "variational-midpoint" ""
        because "symplectic on the constraints, positions and velocities on them to rounding, multipliers of order 2; `variational-trapezoid` if V is singular off the constraints"
        if |it| !is_natural(it) && !is_forced(it) && is_constrained(it) && !rolls(it);
    "rolling, skating, tables that turn (`#[nonholonomic]`)":
        "variational-midpoint" ", with `order=4`, `6` or `8`"
        because "symmetric; the rows are kept to rounding; the energy is bounded on motions that a reversal of time maps to themselves, and may drift on others"
        if rolls;
    "loops closed more often than needed, linkages that pass positions where bars lie in a line":
        "variational-midpoint" ""
        because "one warning names the constraints that depend on each other" if WISH;
    "stiff springs, resolved": "verlet" " with h ω ≤ 0.1"
        because "every step sees the fast motion, at its price" if is_stiff;
    "stiff springs, or constraints by a penalty, not resolved": "newmark-pushforward" ""
        because "symplectic, and accurate in steps with which `zhang-skeel` breaks down" if is_stiff;
    "stiff springs, or constraints by a penalty, in steps without a warning": "zhang-skeel" ""
        because "symplectic with one linear solve a step, no iteration" if WISH;
    "molecules with stiff bonds": "zhang-skeel-stiff" ""
        because "only the bonds are in the matrix: one small block a molecule; not symplectic, but reversible"
        if is_stiff;
    "rigid bodies": "so3-verlet" ", with `order=4`, `6` or `8` to many digits"
        because "second order, symplectic and reversible; the rotation matrices stay so to rounding, at one gradient and one equation of three unknowns a body; a free turn about a principal axis is exact"
        if |it| has_free_bodies(it) && !is_forced(it);
    "bodies with joints": "rattle" ""
        because "joints are constraints beside RᵀR = 1; `variational-midpoint` if the mass depends on the position, as with unit quaternions"
        if |it| is_natural(it) && has_bodies(it) && !has_free_bodies(it) && is_constrained(it) && !is_forced(it);
    "liquids and crystals in cells, forces of finite range (`within`)": "verlet" ""
        because "one gradient a step, in time linear in the pairs in range"
        if |it| is_in_range(it) && !is_constrained(it);
    "liquids of rigid molecules": "rattle" ""
        because "one gradient a step, and each molecule solves its own constraints"
        if |it| is_in_range(it) && is_constrained(it);
    "constant temperature": "verlet" ", `shake` or `rattle` with `friction` and `inverse_temperature`"
        because "the exact Ornstein–Uhlenbeck flow, also under constraints" if WISH;
    "a force that vibrates fast, at a known frequency": "hmm-asynchronous" ""
        because "steps of the slow motion alone, at any frequency"
        if |it| is_vibrated(it) && !is_forced(it);
    "the slow motion of a stiff system": "projected-rk4" ""
        because "order 4 in steps that do not see the stiffness" if |it| is_stiff(it) && !is_forced(it);
    "a potential without derivatives, or with kinks": "force-stepping" ""
        because "exact motion in a piecewise-linear potential, from its values" if WISH;
    "energy and all momenta to rounding, forces along distances": "labudde-greenspan" ""
        because "implicit, order 2, not symplectic" if WISH;
    "a solution to compare with": "reference" ""
        because "order 8 with a tolerance; not geometric, meant for short times" if WISH;
    "a solution to compare with, of a stiff and slow motion": "bdf" ""
        because "the usual stiff method: damps motion below the tolerance, at a cost that grows far less than the frequency"
        if WISH;
}
