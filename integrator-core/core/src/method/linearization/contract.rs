//! The methods whose steps can be differentiated.

use super::program::LinearStep;
use crate::error::Begun;
use crate::method::contract::Method;
use crate::method::flow::Flow;
use crate::method::running::Ready;
use crate::system::State;

/// A method with the exact derivative of its step, for gradients and sensitivities of motions.
#[diagnostic::on_unimplemented(
    message = "a motion by `{Self}` on `{S}` has no derivative here",
    label = "no derivative of a step of `{Self}`",
    note = "the steps of adaptive and of force-stepping methods depend on the state: take `Verlet`, `Rattle` or a variational integrator"
)]
pub trait Differentiable<S: ?Sized>: Method<S> + 'static {
    /// The parts of a step, as factors of its length.
    #[doc(hidden)]
    fn parts(&self) -> &'static [f64] {
        &[1.0]
    }

    /// The run by parts of steps; with a trace.
    ///
    /// # Errors
    /// The errors of [`Method::start`].
    #[doc(hidden)]
    fn traced<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, impl Flow + 's + use<'s, Self, S>>;

    /// The linear map of a step of so many parts.
    ///
    /// # Errors
    /// The system has no second derivatives, or a matrix of the method is singular.
    #[doc(hidden)]
    fn linear<'s>(&self, system: &'s S, parts: usize) -> Begun<Box<dyn LinearStep + 's>>;
}
