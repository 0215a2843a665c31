//! Modules for programs that write their own systems, methods or observers.
//!
//! A program that declares a model, chooses a method and records its run needs none of them.
//!
//! | module | who needs it |
//! |---|---|
//! | [`mod@carried`] | the author of a stepper or an observer, whose memory a checkpoint saves |
//! | [`check`] | whoever doubts a kernel: every derivative beside dual numbers |
//! | [`describe`] | a program that prints a model: terms, structure and formulas as data |
//! | [`inputs`] | the author of a parameter that is the name of a file |
//! | [`noether`] | whoever evaluates conserved quantities and symmetries outside of a run |
//! | [`sparse`] | the author of a system without `#[lagrangian]`, whose matrices have patterns |
//! | [`wrap`] | whoever replaces constraints by a penalty, or takes off the centre of mass |
//! | [`method`] | the author of a method: the flow of a step, and the run around it |
//! | [`system`] | the author of a system whose potential is a sum of elements, or has a fast phase |
//!
//! # A method of one's own
//! A method states its [`Claims`](crate::method::Claims) and starts a run. The run is a
//! [`Running`](method::Running) around a [`Flow`](method::Flow), which maps one state to the next.
//!
//! ```
//! use least_action::advanced::carried::carried;
//! use least_action::advanced::method::{Flow, Running, Substep};
//! use least_action::drive::integrate;
//! use least_action::error::{StartError, StepError};
//! use least_action::method::{Claims, Evaluations, Method, Report, Stepper};
//! use least_action::prelude::*;
//!
//! /// Symplectic Euler for a system with the mass matrix 1: v₁ = v₀ − h ∇V(q₀), q₁ = q₀ + h v₁.
//! #[derive(Debug)]
//! struct Euler;
//!
//! impl Claims for Euler {
//!     const NAME: &'static str = "euler";
//!     const ORDER: u32 = 1;
//!     const SYMPLECTIC: Option<bool> = Some(true);
//!     const REVERSIBLE: Option<bool> = Some(false);
//!     const MOMENTUM: Option<bool> = Some(true);
//! }
//!
//! struct Steps<'s, S: ?Sized> {
//!     system: &'s S,
//!     gradient: Vec<f64>,
//!     counts: Evaluations,
//! }
//!
//! // A continued run needs the counts again, and computes the gradient in each step.
//! carried!(['s, S: ?Sized] Steps<'s, S> { counts } besides { system, gradient });
//!
//! impl<S: Natural + ?Sized> Flow for Steps<'_, S> {
//!     fn advance(
//!         &mut self,
//!         state: &State,
//!         substep: &Substep,
//!         next: &mut State,
//!     ) -> Result<(), StepError> {
//!         self.system.potential_gradient(&state.q, state.t, &mut self.gradient);
//!         self.counts.gradients += 1;
//!         for i in 0..state.q.len() {
//!             next.v[i] = state.v[i] - substep.size * self.gradient[i];
//!             next.q[i] = state.q[i] + substep.size * next.v[i];
//!         }
//!         Ok(())
//!     }
//!
//!     fn report(&self) -> Report<'_> {
//!         Report::of(self.counts)
//!     }
//! }
//!
//! impl<S: Natural + ?Sized> Method<S> for Euler {
//!     fn start<'s>(
//!         &self,
//!         system: &'s S,
//!         state: State,
//!         step: f64,
//!     ) -> Result<impl Stepper + 's + use<'s, S>, StartError> {
//!         let gradient = vec![0.0; system.dimension()];
//!         let flow = Steps { system, gradient, counts: Evaluations::default() };
//!         Ok(Running::new(flow, state, step))
//!     }
//! }
//!
//! struct Spring;
//!
//! #[lagrangian]
//! impl Spring {
//!     fn lagrangian(&self, x: Scalar) -> Scalar {
//!         0.5 * der(x).powi(2) - 0.5 * x.powi(2)
//!     }
//! }
//!
//! let run = integrate(&Spring.bind()?, &Euler, State::at_rest(vec![1.0]), 1e-3)?.until(1.0).record()?;
//! let last = run.column("x").and_then(|x| x.last().copied()).ok_or("the run has a last position")?;
//! assert!((last - 1.0_f64.cos()).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod carried;
pub mod check;
pub mod describe;
pub mod inputs;
pub mod noether;
pub mod sparse;
pub mod wrap;

/// Parts of a method: the flow of a step, and the run around it.
pub mod method {
    pub use crate::method::contract::{Kicked, TakesParts};
    pub use crate::method::flow::{Flow, Substep};
    pub use crate::method::running::Running;
    pub use crate::method::step_lengths::StepLengths;
}

/// Faces of systems that few methods ask for.
pub mod system {
    pub use crate::system::driven::{EvenInPhase, Vibrated};
    pub use crate::system::elements::{Element, Elements};
}
