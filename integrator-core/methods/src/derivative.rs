//! The derivative of a motion by a method: as the method is, composed to a higher order, or with a
//! thermostat around it.

use least_action_core::drive::gradient::Differentiation;
use least_action_core::error::StartError;

use crate::face::Faced;
use crate::start::Setup;

/// A motion to differentiate, or the reason why it does not start.
pub type Differentiated<'s> = Result<Differentiation<'s>, StartError>;

/// The start of the derivative of a method on the face that it needs.
pub(crate) type Derivative = for<'s> fn(&'s (dyn Faced + 's), Setup<'_>) -> Option<Differentiated<'s>>;

#[cfg(feature = "derivatives")]
pub(crate) use begun::{composed, plain, symmetric, thermostatted};

#[cfg(feature = "derivatives")]
mod begun {
    use least_action_core::drive::gradient::differentiate;
    use least_action_core::method::{Composition, Differentiable, Symmetric};
    use least_action_core::system::{Natural, System};

    use super::Differentiated;
    use crate::start::{Setup, around, order_of, ways, without_order};

    ways!(Differentiable, Differentiated);

    /// The derivative of the method itself.
    #[expect(clippy::needless_pass_by_value, reason = "as the other ways take it")]
    pub(crate) fn plain<'s, S: System + ?Sized, M: Differentiable<S>>(
        method: M,
        system: &'s S,
        setup: Setup<'_>,
    ) -> Differentiated<'s> {
        differentiate(system, &method, setup.state, setup.step)
    }
}
