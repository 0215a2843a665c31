//! Minimizes ½ |r(x)|² subject to c(x) = 0 and l ≤ x ≤ u.
//!
//! Each iteration linearizes a [`Problem`] at x, and finds the step d of a convex quadratic program:
//! the least ½ |r + A d|² + ½ μ |D d|² with c + B d = 0 and l ≤ x + d ≤ u, A = ∂r/∂x and B = ∂c/∂x.
//! D has the largest norms of the columns of A so far (J. J. Moré, The Levenberg–Marquardt algorithm,
//! 1978), and the gain of a step sets μ (H. B. Nielsen, Damping parameter in Marquardt's method, 1999).
//! A step has to lower the merit ½ |r|² + Σ νᵢ |cᵢ| with penalties νᵢ above the multipliers; where the
//! constraints bend it away, a correction of second order brings it back (J. Nocedal and
//! S. J. Wright, Numerical Optimization, 2006, chapter 18).
//! Where the linear constraints exclude each other, the program takes the penalties instead.
//! The curvature of constraints is left out: where it counts, the steps converge linearly.
//!
//! The matrix AᵀA of normal equations never appears: blocks of rows with equal columns are replaced by
//! their triangular factor, and sparse rows stay. The cost of an iteration follows the nonzeros.

mod minimize;
mod problem;
mod program;

pub use minimize::minimize;
pub(crate) use problem::Rows;
pub use problem::{Error, Iteration, Options, Problem, Slopes, Solution, Status, Values};
