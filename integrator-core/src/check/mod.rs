//! Self-checks: every derivative of a bound model beside two other derivations of it.
//!
//! The kernels of a model are differentiated at compile time. The same declaration is also emitted over dual numbers, by
//! another route (see [`crate::expr`]), which must agree up to rounding; and each derivative is compared with differences of
//! the kernels one order below, which must agree up to the error that the differences estimate for themselves.
//!
//! ```
//! use integrator_core::check::check;
//! use integrator_core::prelude::*;
//!
//! struct Pendulum { rod: f64 }
//!
//! #[lagrangian]
//! impl Pendulum {
//!     fn lagrangian(&self, theta: Angle) -> Scalar {
//!         0.5 * (self.rod * der(theta)).powi(2) + self.rod * theta.cos()
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = Pendulum { rod: 0.5 };
//! let system = model.bind()?;
//! let report = check(&model, &system, &State { t: 0.0, q: vec![0.3], v: vec![1.0] }, 1);
//! assert!(report.iter().all(|quantity| quantity.agrees));
//! # Ok(())
//! # }
//! ```
//!
//! Rounding is bounded by what it does here: the quantity is evaluated at points that differ in the last digits, and may
//! differ from its oracle by a hundred times the largest change, plus 10⁻¹² of its largest entry.

mod compare;
mod entries;
mod finite;
mod quantities;

pub use compare::{Comparison, Finite, Worst};

use crate::binding::{Bound, Model};
use crate::expr::Oracle;
use crate::system::{Coordinate, Layout, State};
use compare::Random;
use quantities::Check;

/// Compares everything that the kernels of `model` give at `state`.
///
/// `system` must be `model`, bound; `seed` chooses directions, weights, and the entries that are compared where there are
/// more than some thousand.
///
/// # Shapes
/// A state of another length than the system gives no comparison.
pub fn check<M: Model + Oracle>(model: &M, system: &Bound<M>, state: &State, seed: u64) -> Vec<Comparison> {
    let check = Check {
        duals: model,
        system,
        natural: M::natural(system),
        stiff: M::stiff(system),
        constrained: M::holonomic(system),
        state,
        random: Random::new(seed),
        found: Vec::new(),
    };
    check.all()
}

/// A state near another one: positions moved by a hundredth of the length that they move in, velocities by a tenth of theirs.
///
/// Models start at rest on a regular figure, where much is zero that is not elsewhere.
pub fn nearby(layout: &Layout, state: &State, seed: u64) -> State {
    let mut random = Random::new(seed);
    let mut near = state.clone();
    for group in layout.coordinates() {
        let range = group.offset..group.offset + group.size();
        let or_one = |length: f64| if length > 0.0 { length } else { 1.0 };
        let (of_q, of_v) = (or_one(spacing(group, &state.q)), or_one(largest(group, &state.v)));
        for index in range.clone() {
            if let (Some(q), Some(v)) = (near.q.get_mut(index), near.v.get_mut(index)) {
                *q += 0.01 * of_q * random.signed();
                *v += 0.1 * of_v * random.signed();
            }
        }
    }
    near
}

/// The largest magnitude within a coordinate.
fn largest(group: &Coordinate, values: &[f64]) -> f64 {
    let own = values.get(group.offset..group.offset + group.size());
    own.into_iter().flatten().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

/// The length that an entry of a coordinate moves in: that of the figure, or less where many points make it.
///
/// Neighbours of n points are the nth part of a figure apart if it is a chain, and n^(−1/3) of it if it fills space.
fn spacing(group: &Coordinate, values: &[f64]) -> f64 {
    let points = group.size() / group.kind.components();
    largest(group, values) / (points.max(1) as f64).sqrt()
}
