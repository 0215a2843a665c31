//! McLachlan's splitting of order (8, 4), for motions that are nearly free.
//!
//! # Scheme
//! Six [drifts and five kicks](super::splitting), a₁ b₁ a₂ b₂ a₃ b₃ a₃ b₂ a₂ b₁ a₁:
//!
//! | | 1 | 2 | 3 |
//! |---|---|---|---|
//! | a | 0.07534696026989289 | 0.5179168546882568 | ½ − a₁ − a₂ |
//! | b | 0.19022593937367662 | 0.8465240704435263 | 1 − 2 (b₁ + b₂) |
//!
//! # Requirements on the model
//! [`Natural`](crate::system::Natural): a constant mass and a potential, also of the time; with forces
//! of the position, the time and inputs.
//!
//! The system is H = T + ε V, with the kinetic energy T that drifts solve exactly and a small rest ε V:
//! a motion is perturbed if V bends it little in the time in which it crosses a wave of V, such as fast
//! particles over a rough plane, through a lattice or past each other. The error is of size
//! ε h⁸ + ε² h⁴. Where V binds as much as T moves, [`BlanesMoan`](super::BlanesMoan) is better. On
//! two waves on a plane with ε = 10⁻⁴ and four kicks in a time unit the error is 1/40 of its error at
//! equal numbers of forces; with ε = 0.1 it is larger.
//!
//! # Order and invariants
//! Order 4; symplectic; reversible; conserves linear and angular momentum to round-off. Stable for
//! h ω < 3.35. With inputs order 4 if their jumps and bends lie at times of steps, and else order 2.
//!
//! # Parameters
//! None but the step.
//!
//! # Reference
//! R. I. McLachlan, BIT 35 (1995) 258, doi:10.1007/BF01737165.

use super::contract::claims;
use super::splitting::{Splitting, splitting};

/// McLachlan's splitting of order (8, 4) for nearly free motions; see the [scheme](self).
///
/// # Example
/// ```
/// use least_action::method::{Claims, McLachlan};
///
/// assert_eq!(McLachlan.order(), 4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct McLachlan;

claims! {
    impl Claims for McLachlan: "mclachlan" of order 4;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes, IMPULSE yes, PARTS yes; derivatives by Parameters
}

const A: [f64; 2] = [0.075_346_960_269_892_89, 0.517_916_854_688_256_8];
const A3: f64 = 0.5 - A[0] - A[1];
const B: [f64; 2] = [0.190_225_939_373_676_62, 0.846_524_070_443_526_3];
const B3: f64 = 1.0 - 2.0 * (B[0] + B[1]);

impl Splitting for McLachlan {
    const KICKS: &'static [f64] = &[0.0, B[0], B[1], B3, B[1], B[0]];
    const DRIFTS: &'static [f64] = &[A[0], A[1], A3, A3, A[1], A[0]];
    const LIMIT: f64 = 1.675;
}

splitting!(McLachlan);
