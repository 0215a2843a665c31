//! The claims of a method as values.

use least_action::method::Claims;
use serde::Serialize;

use crate::model::Erased;

/// The claims of a method.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Claimed {
    pub(crate) order: u32,
    symplectic: Option<bool>,
    reversible: Option<bool>,
    momentum: Option<bool>,
    impulse: Option<bool>,
}

impl Claimed {
    /// The claims of the method M.
    pub(super) const fn by<M: Claims>() -> Self {
        Self {
            order: M::ORDER,
            symplectic: M::SYMPLECTIC,
            reversible: M::REVERSIBLE,
            momentum: M::MOMENTUM,
            impulse: M::IMPULSE,
        }
    }

    /// The properties that are claimed where no forces but those of the Lagrangian act.
    pub(crate) fn words(self) -> Vec<&'static str> {
        Self::chosen([(self.symplectic, SYMPLECTIC), (self.reversible, SYMMETRIC), (self.momentum, MOMENTA)])
    }

    /// The properties that are claimed for the motion of a model.
    pub(crate) fn keeps(self, system: &dyn Erased) -> Vec<&'static str> {
        let system = system.lagrangian();
        let (forced, rolls) = (system.forced().is_some(), system.nonholonomic().is_some());
        let symplectic = self.symplectic.filter(|_| !forced && !rolls);
        // A row on velocities takes momentum, unless the symmetry moves along it.
        let momenta = if rolls {
            (None, MOMENTA)
        } else if forced {
            (self.impulse, BALANCE)
        } else {
            (self.momentum, MOMENTA)
        };
        Self::chosen([(symplectic, SYMPLECTIC), (self.reversible, SYMMETRIC), momenta])
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
