//! The common parts of all methods for constrained systems: the checks of a start, the equations on the
//! constraint manifold, and the projections onto it.
//!
//! # The natural size of a constraint
//!
//! The terms that cancel in a residual `g_c` give it a scale. Changing every coordinate by a relative ε
//! changes `g_c` by up to `ε s_c` with
//!
//! ```text
//! s_c = Σ_k |∂g_c/∂q_k| |q_k|,
//! ```
//!
//! so that `ε s_c` with ε = 2.2·10⁻¹⁶ is the change of `g_c` by rounding q alone, a bound for every
//! iteration. All tolerances here are relative to `s_c`; within a step `|q_k| + h |v_k|`, the terms
//! added there, replaces `|q_k|`. For a component of a point or of a matrix, `|q_k|` is at least a
//! thousandth of the largest component: a body whose matrix is the unit matrix has zeros beside the
//! diagonal, which are as uncertain as the diagonal once the body has turned.

mod dependent;
mod drag;
mod foot;
mod held;
mod judgement;
mod leap;
mod manifold;
mod natural_size;
mod project;
mod rows;
mod stages;
mod start;
mod sweep;
mod vectors;

pub(crate) use dependent::{Null, listed, null_space};
pub(crate) use held::Passage;
pub(crate) use judgement::{expected, judged};
pub(crate) use leap::{FAR, beyond_motion, jump};
pub(crate) use manifold::{Manifold, Span, has_light_parts};
pub use natural_size::START_TOLERANCE;
pub(crate) use natural_size::{Excess, LEAST, Magnitudes, bound, measure_lengths};
pub use project::{project, project_positions, project_velocities};
pub(crate) use rows::{Rows, RowsAtState};
pub(crate) use stages::Stages;
pub(crate) use start::{Checked, check_gradients, check_options, stand_on, stand_on_chord};
pub(crate) use vectors::{add_kick, check_all, kick_and_drift, largest_and_sum, scale};
