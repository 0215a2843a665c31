//! Exact derivatives of motions: of the numbers that a method computes, not of the equations of motion.
//!
//! A [`Loss`] J depends on the states of a motion. [`differentiate`] starts a method as
//! [`integrate`](super::integrate) does; [`Differentiation::gradient`] runs it to the end and then back,
//! with a covector instead of a state, and gives the derivative of J by the start and by all parameters
//! at the cost of one or two more runs, however many there are.
//! [`Differentiation::sensitivities`] carries tangents forwards: the derivative of every state by a few
//! numbers.
//!
//! # Errors of a gradient
//! The derivative is exact for the steps as taken, to rounding and to ten times the tolerance of
//! Newton's method. In a chaotic motion it is as large as the motion is sensitive, and useless for
//! descent: see [`Gradient::growth`].

mod differentiation;
mod following;
mod loss;
mod names;
mod result;
mod sweep;

pub use differentiation::{Along, Differentiation, Ended, differentiate};
pub use following::{Following, Starting};
pub use loss::{Function, Loss, LossError, Observed, Squares, Target};
pub use names::Direction;
pub use result::{Gradient, GradientError, MemoryPlan, Sensitivities};
