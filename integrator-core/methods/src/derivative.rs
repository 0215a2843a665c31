//! The derivative of a motion by a method: as the method is, composed to a higher order, or with a
//! thermostat around it.

use least_action_core::drive::gradient::{Differentiation, differentiate};
use least_action_core::error::StartError;
use least_action_core::method::{Composition, Differentiable, Symmetric};
use least_action_core::system::{Constrained, Lagrangian, Natural, Stiff, System};

use crate::start::{Setup, around, without_order};

/// A motion to differentiate, or the reason why it does not start.
pub type Differentiated<'s> = Result<Differentiation<'s>, StartError>;

/// The face that the derivative of a method needs, with its start on that face.
#[doc(hidden)]
#[derive(Debug)]
pub enum Derivative {
    /// L = ½ v·M v − V(q, t) with constant M.
    Natural(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Differentiated<'s>),
    /// As `Natural`, with a stiff part.
    Stiff(for<'s> fn(&'s (dyn Stiff + 's), Setup<'_>) -> Differentiated<'s>),
    /// As `Natural`, with holonomic constraints.
    Constrained(for<'s> fn(&'s (dyn Constrained + 's), Setup<'_>) -> Differentiated<'s>),
    /// Any L(q, v, t).
    Lagrangian(for<'s> fn(&'s (dyn Lagrangian + 's), Setup<'_>) -> Differentiated<'s>),
}

/// The derivative of a symmetric method, composed to the option `order`, or with a thermostat around it.
pub(crate) fn symmetric<'s, S: Natural + ?Sized, M: Symmetric<S> + Differentiable<S>>(
    method: M,
    system: &'s S,
    setup: Setup<'_>,
) -> Differentiated<'s> {
    if !setup.has_thermostat() {
        return composed(method, system, setup);
    }
    without_order(M::NAME, M::ORDER, &setup)?;
    thermostatted(method, system, setup)
}

/// The derivative of the method, with a thermostat around it if one of its options is given.
pub(crate) fn thermostatted<'s, S: Natural + ?Sized, M: Differentiable<S>>(
    method: M,
    system: &'s S,
    setup: Setup<'_>,
) -> Differentiated<'s> {
    if !setup.has_thermostat() {
        return plain(&method, system, setup);
    }
    plain(&around(method, &setup), system, setup)
}

/// The derivative of a symmetric method, composed to the option `order`.
pub(crate) fn composed<'s, S: System + ?Sized, M: Symmetric<S> + Differentiable<S>>(
    method: M,
    system: &'s S,
    setup: Setup<'_>,
) -> Differentiated<'s> {
    match setup.or("order", f64::from(M::ORDER)) {
        2.0 => plain(&method, system, setup),
        4.0 => plain(&Composition::<M, 4>::of(method), system, setup),
        6.0 => plain(&Composition::<M, 6>::of(method), system, setup),
        8.0 => plain(&Composition::<M, 8>::of(method), system, setup),
        value => {
            let (method, option, interval) = (M::NAME, "order", "{2, 4, 6, 8}");
            Err(StartError::OptionOutOfRange { method, option, value, interval })
        }
    }
}

/// The derivative of the method itself.
pub(crate) fn plain<'s, S: System + ?Sized, M: Differentiable<S>>(
    method: &M,
    system: &'s S,
    setup: Setup<'_>,
) -> Differentiated<'s> {
    differentiate(system, method, setup.state, setup.step)
}
