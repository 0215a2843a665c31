//! The claims of a method as values.

use least_action_core::method::{Claims, Derivatives};
use least_action_core::system::{Lagrangian, RowsOf};

/// The claims of a method.
#[derive(Debug, Clone, Copy)]
pub struct Claimed {
    /// The order.
    pub order: u32,
    symplectic: Option<bool>,
    reversible: Option<bool>,
    momentum: Option<bool>,
    impulse: Option<bool>,
    parts: Option<bool>,
    derivatives: Derivatives,
}

impl Claimed {
    /// The claims of the method M.
    pub(crate) const fn by<M: Claims>() -> Self {
        Self {
            order: M::ORDER,
            symplectic: M::SYMPLECTIC,
            reversible: M::REVERSIBLE,
            momentum: M::MOMENTUM,
            impulse: M::IMPULSE,
            parts: M::PARTS,
            derivatives: M::DIFFERENTIABLE,
        }
    }

    /// The claimed properties, as far as only the forces of the Lagrangian act.
    pub fn words(self) -> Vec<&'static str> {
        Self::chosen([(self.symplectic, SYMPLECTIC), (self.reversible, SYMMETRIC), (self.momentum, MOMENTA)])
    }

    /// The claimed properties of the motion of a system.
    pub fn keeps(self, system: &dyn Lagrangian) -> Vec<&'static str> {
        let (forced, rolls) = (system.forced().is_some(), system.nonholonomic().is_some());
        // An impact is no symplectic map; a reset, and an impact that takes energy, are not undone.
        let moments = system.moments();
        let changes = moments.is_some_and(|moments| moments.first_change().is_some());
        let loses = moments.is_some_and(|moments| {
            let [gaps, resets] = [RowsOf::Unilateral, RowsOf::Reset].map(|of| moments.moment_methods(of));
            !resets.is_empty() || gaps.iter().any(|gap| gap.restitution < 1.0)
        });
        let symplectic = self.symplectic.filter(|_| !forced && !rolls && !changes);
        let reversible = self.reversible.filter(|_| !loses);
        // A row on velocities takes momentum, unless the symmetry moves along it; and so does a wall.
        let momenta = if rolls || changes {
            (None, MOMENTA)
        } else if forced {
            (self.impulse, BALANCE)
        } else {
            (self.momentum, MOMENTA)
        };
        Self::chosen([(symplectic, SYMPLECTIC), (reversible, SYMMETRIC), momenta])
    }

    /// True if steps can be cut at moments.
    pub fn cuts(self) -> bool {
        self.parts == Some(true)
    }

    /// The numbers by which motions have derivatives.
    pub fn derivatives(self) -> &'static [&'static str] {
        match self.derivatives {
            Derivatives::None(_) => &[],
            Derivatives::Parameters => &["start", "parameters"],
            Derivatives::Inputs => &["start", "parameters", "inputs"],
        }
    }

    /// The reason why motions have no derivatives.
    pub const fn no_derivative(self) -> Option<&'static str> {
        match self.derivatives {
            Derivatives::None(reason) => Some(reason),
            Derivatives::Parameters | Derivatives::Inputs => None,
        }
    }

    fn chosen(claims: [(Option<bool>, &'static str); 3]) -> Vec<&'static str> {
        claims.into_iter().filter(|(claim, _)| *claim == Some(true)).map(|(_, word)| word).collect()
    }
}

const SYMPLECTIC: &str = "symplectic";
const SYMMETRIC: &str = "symmetric";
const MOMENTA: &str = "momenta";
/// Momenta change by the impulse of the forces alone.
const BALANCE: &str = "momenta but for impulses";
