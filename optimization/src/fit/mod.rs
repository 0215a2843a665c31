//! Fits parameters and starts of a mechanical model to recordings.
//!
//! The unknowns are sensitive parameters θ of a model, and entries of the start of each recording. A fit
//! makes ½ Σ ((x(t) − x*)/σ)² small over all samples x* of columns of the recordings, with the exact
//! derivative of the discrete motion: one run with all tangents abreast for each iteration. Between two
//! steps the motion is the cubic polynomial of Hermite by (q, v) at both, with an error of order h⁴.
//!
//! With several segments each recording is cut; the states at the cuts are unknowns, and continuity
//! is a constraint (H. G. Bock, Recent advances in parameter identification techniques for ODEs, 1983).
//! At first these states follow the data, and a jump at a cut counts as one sample, so that long and
//! chaotic motions can be fitted.
//!
//! ```
//! use std::ops::ControlFlow;
//! use least_action::drive::integrate;
//! use least_action::method::Verlet;
//! use least_action::prelude::*;
//! use least_action_optimization::fit::{Data, Fit, Moving};
//!
//! #[derive(Clone)]
//! struct Pendulum { length: f64 }
//!
//! #[lagrangian(sensitive(length))]
//! impl Pendulum {
//!     fn lagrangian(&self, turn: Angle) -> Scalar {
//!         0.5 * (self.length * der(turn)).powi(2) + 9.81 * self.length * turn.cos()
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A recording of a pendulum of 0.93 m, released at an angle of 1.
//! let start = State::at_rest(vec![1.0]);
//! let right = Pendulum { length: 0.93 }.bind()?;
//! let run = integrate(&right, &Verlet, start.clone(), 0.01)?.until(3.0).record()?;
//! let column = |name: &str| run.column(name).ok_or("no such column");
//! let data = Data::at(column("t")?).column("turn", column("turn")?);
//!
//! let found = Fit::of(Moving::new(Pendulum { length: 1.2 }, Verlet, 0.01)?)
//!     .data(data, start)
//!     .free("length", [0.1, 10.0])
//!     .solve(&Default::default(), |_, _| ControlFlow::Continue(()))?;
//! assert!((found.value("length").ok_or("no length")? - 0.93).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```

mod builder;
mod course;
mod curve;
mod data;
mod doubt;
mod estimate;
mod guess;
mod known;
mod loss;
mod motions;
mod piece;
mod second;

pub use builder::Fit;
pub use course::{Course, Phase};
pub use curve::Curve;
pub use data::Data;
pub use estimate::{Estimate, Fitted, Quality};
pub use loss::Loss;
pub use motions::{Begin, Motions, Moving, Runs, parameters_of, signals_of};
pub use second::Minimum;

pub(crate) use motions::OF_A_SLOPE;
pub(crate) use piece::{entry_names, golden};

/// True for an array or a vector and its entry, for `der` and a velocity, and for a number and itself.
pub fn holds(whole: &str, part: &str) -> bool {
    part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
}
