//! The advice which method to take: the table of `docs/guidance.md` is written from it, and `describe` says what of it applies to a model.

use least_action::method::Claims;
use least_action::method::rotation::{self, RotationVerlet};
use least_action::system::Kind;
use serde::Serialize;

use crate::model::Erased;

/// The method to take for a kind of system.
#[derive(Debug, Serialize)]
pub(crate) struct Advice {
    /// The system.
    pub(crate) system: &'static str,
    /// The method, with its options.
    pub(crate) take: &'static str,
    pub(crate) because: &'static str,
    /// Decides it from the declaration; advice on a wish of the user's is for no declaration.
    #[serde(skip)]
    applies: fn(&dyn Erased) -> bool,
}

impl Advice {
    /// The advice for a model, in the order of the document.
    pub(crate) fn on(system: &dyn Erased) -> Vec<&'static Self> {
        ADVICE.iter().filter(|advice| (advice.applies)(system)).collect()
    }
}

/// A wish of the user's.
const WISH: fn(&dyn Erased) -> bool = |_| false;

fn is_natural(it: &dyn Erased) -> bool {
    it.natural().is_some()
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

fn is_stiff(it: &dyn Erased) -> bool {
    it.natural().is_some() && it.stiff().is_some()
}

fn is_vibrated(it: &dyn Erased) -> bool {
    it.vibrated().is_some()
}

fn has_bodies(it: &dyn Erased) -> bool {
    it.lagrangian().layout().coordinates().iter().any(|one| one.kind == Kind::Mat3)
}

/// Bodies whose matrices are held to be rotations, and by nothing else.
fn has_free_bodies(it: &dyn Erased) -> bool {
    it.natural().is_some_and(|natural| rotation::check_bodies(RotationVerlet::NAME, natural).is_ok())
}

fn is_in_range(it: &dyn Erased) -> bool {
    it.description().families.iter().any(|family| family.range.is_some())
}

/// All advice, in the order of the document.
pub(crate) const ADVICE: &[Advice] = &[
    Advice {
        system: "a constant mass, no constraints, nothing stiff",
        take: "`verlet`, with `order=4`, `6` or `8` to many digits",
        because: "one gradient a step, symplectic, reversible; stable for h ω < 2, ω the fastest frequency; above the rounding of the force, each order wins over the one below",
        applies: |it| {
            is_natural(it) && !is_constrained(it) && !is_forced(it) && !is_stiff(it) && !is_vibrated(it)
        },
    },
    Advice {
        system: "a constant mass, constraints",
        take: "`rattle`, with `order=6` to many digits",
        because: "second order against the constrained motion, positions and momenta on the constraints, cost linear in a chain",
        applies: |it| {
            is_natural(it) && is_constrained(it) && !is_forced(it) && !is_vibrated(it) && !has_bodies(it)
        },
    },
    Advice {
        system: "the same, multipliers only at the positions",
        take: "`shake`",
        because: "the same positions as `rattle`, at about the same cost",
        applies: WISH,
    },
    Advice {
        system: "drag, motors, follower loads (`#[force]`, `#[dissipation]`), a constant mass",
        take: "`verlet`",
        because: "symmetric, of order 2 also where the force depends on velocities, and the terminal velocity of any drag is exact: see below",
        applies: |it| is_natural(it) && is_forced(it) && !is_constrained(it),
    },
    Advice {
        system: "the same with constraints",
        take: "`rattle`",
        because: "the same, on the constraints",
        applies: |it| is_natural(it) && is_forced(it) && is_constrained(it),
    },
    Advice {
        system: "drag, motors, follower loads with a mass that depends on the position, and loops in angles",
        take: "`variational-midpoint`, with `order=4`, `6` or `8` to many digits",
        because: "symmetric, with the exact balance of momentum; the energy is balanced by the discrete work to order 2",
        applies: |it| !is_natural(it) && is_forced(it) && !rolls(it),
    },
    Advice {
        system: "a mass that depends on the position, or terms of the Lagrangian that are linear in velocities",
        take: "`variational-midpoint`",
        because: "symplectic for any regular Lagrangian; a Newton iteration with the exact sparse second derivatives",
        applies: |it| !is_natural(it) && !is_forced(it) && !is_constrained(it) && !rolls(it),
    },
    Advice {
        system: "the same with constraints: linkages in angles, charges on surfaces, rods that are driven",
        take: "`variational-midpoint`",
        because: "symplectic on the constraints, positions and velocities on them to rounding, multipliers of order 2; `variational-trapezoid` where V is singular off the constraints",
        applies: |it| !is_natural(it) && !is_forced(it) && is_constrained(it) && !rolls(it),
    },
    Advice {
        system: "rolling, skating, tables that turn (`#[nonholonomic]`)",
        take: "`variational-midpoint`, with `order=4`, `6` or `8`",
        because: "symmetric; the rows are kept to rounding; the energy is bounded on motions that a reversal of time maps to themselves, and may drift on others",
        applies: rolls,
    },
    Advice {
        system: "loops closed more often than needed, linkages that pass positions where bars lie in a line",
        take: "`variational-midpoint`",
        because: "constraints that depend on each other are named once, and run",
        applies: WISH,
    },
    Advice {
        system: "stiff springs that are to be resolved",
        take: "`verlet` with h ω ≤ 0.1",
        because: "the fast motion is computed, at its price",
        applies: is_stiff,
    },
    Advice {
        system: "stiff springs, or constraints by a penalty, not resolved",
        take: "`newmark-pushforward`",
        because: "symplectic, and stays accurate where `zhang-skeel` breaks down",
        applies: is_stiff,
    },
    Advice {
        system: "the same, in steps that are not warned of",
        take: "`zhang-skeel`",
        because: "symplectic with one linear solve a step, no iteration",
        applies: WISH,
    },
    Advice {
        system: "molecules with stiff bonds",
        take: "`zhang-skeel-stiff`",
        because: "only the bonds are in the matrix: one small block a molecule; not symplectic, but reversible",
        applies: is_stiff,
    },
    Advice {
        system: "rigid bodies",
        take: "`so3-verlet`, with `order=4`, `6` or `8` to many digits",
        because: "second order, symplectic and reversible; the rotation matrices stay so to rounding, at one gradient and one equation of three unknowns a body; a free turn about a principal axis is exact",
        applies: |it| has_free_bodies(it) && !is_forced(it),
    },
    Advice {
        system: "bodies with joints",
        take: "`rattle`",
        because: "joints are constraints beside RᵀR = 1; `variational-midpoint` where the mass depends on the position, as of unit quaternions",
        applies: |it| {
            is_natural(it) && has_bodies(it) && !has_free_bodies(it) && is_constrained(it) && !is_forced(it)
        },
    },
    Advice {
        system: "liquids and crystals in cells, forces of finite range (`within`)",
        take: "`verlet`; `rattle` for rigid molecules",
        because: "one gradient a step, in time linear in the pairs in range",
        applies: is_in_range,
    },
    Advice {
        system: "constant temperature",
        take: "`verlet`, `shake` or `rattle` with `friction` and `inverse_temperature`",
        because: "the exact Ornstein–Uhlenbeck flow, also under constraints",
        applies: WISH,
    },
    Advice {
        system: "a force that vibrates fast, at a known frequency",
        take: "`hmm-asynchronous`",
        because: "steps of the slow motion alone, at any frequency",
        applies: |it| is_vibrated(it) && !is_forced(it),
    },
    Advice {
        system: "the slow motion of a stiff system",
        take: "`projected-rk4`",
        because: "order 4 in steps that do not see the stiffness",
        applies: |it| is_stiff(it) && !is_forced(it),
    },
    Advice {
        system: "a potential without derivatives, or with kinks",
        take: "`force-stepping`",
        because: "exact motion in a piecewise-linear potential, from its values",
        applies: WISH,
    },
    Advice {
        system: "energy and all momenta to rounding, forces along distances",
        take: "`labudde-greenspan`",
        because: "implicit, order 2, not symplectic",
        applies: WISH,
    },
    Advice {
        system: "a solution to compare with",
        take: "`reference`",
        because: "order 8 with a tolerance; not geometric, meant for short times",
        applies: WISH,
    },
    Advice {
        system: "the same where stiff and slow",
        take: "`bdf`",
        because: "the usual stiff method: damps what the tolerance does not resolve, at a cost that grows far less than the frequency",
        applies: WISH,
    },
];
