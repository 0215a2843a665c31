//! The splitting of order 4 with six stages of Blanes and Moan, for second-order equations.
//!
//! # Scheme
//! Seven [kicks and six drifts](super::splitting), b₁ a₁ b₂ a₂ b₃ a₃ b₄ a₃ b₃ a₂ b₂ a₁ b₁; the last kick
//! serves the first of the next step:
//!
//! | | 1 | 2 | 3 | 4 |
//! |---|---|---|---|---|
//! | a | 0.245298957184271 | 0.604872665711080 | ½ − a₁ − a₂ | |
//! | b | 0.0829844064174052 | 0.396309801498368 | −0.0390563049223486 | 1 − 2 (b₁ + b₂ + b₃) |
//!
//! At equal numbers of forces its error on Kepler's ellipse of eccentricity ½ is 1/200 of the error of
//! [`Verlet`](super::Verlet) composed to order 4.
//!
//! # Requirements on the model
//! [`Natural`](crate::system::Natural): a constant mass and a potential, also of the time; with forces
//! of the position, the time and inputs.
//!
//! # Order and invariants
//! Order 4; symplectic; reversible; conserves linear and angular momentum to round-off. Stable for
//! h ω < 5.027, but for a resonance between 3.164 and 3.169, near h ω = π. With inputs order 4 if
//! their jumps and bends lie at times of steps, and else order 2.
//!
//! # Parameters
//! None but the step.
//!
//! # Reference
//! S. Blanes, P. C. Moan, J. Comput. Appl. Math. 142 (2002) 313, doi:10.1016/S0377-0427(01)00492-7.

use super::contract::claims;
use super::splitting::{Splitting, splitting};

/// The splitting of order 4 of Blanes and Moan; see the [scheme](self).
///
/// # Example
/// ```
/// use least_action::method::{BlanesMoan, Claims};
///
/// assert_eq!(BlanesMoan.order(), 4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlanesMoan;

claims! {
    impl Claims for BlanesMoan: "blanes-moan" of order 4;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes, IMPULSE yes, PARTS yes; derivatives by Parameters
}

const A: [f64; 2] = [0.245_298_957_184_271, 0.604_872_665_711_08];
const A3: f64 = 0.5 - A[0] - A[1];
const B: [f64; 3] = [0.082_984_406_417_405_2, 0.396_309_801_498_368, -0.039_056_304_922_348_6];
const B4: f64 = 1.0 - 2.0 * (B[0] + B[1] + B[2]);

impl Splitting for BlanesMoan {
    const KICKS: &'static [f64] = &[B[0], B[1], B[2], B4, B[2], B[1], B[0]];
    const DRIFTS: &'static [f64] = &[A[0], A[1], A3, A3, A[1], A[0], 0.0];
    const LIMIT: f64 = 2.5133;
}

splitting!(BlanesMoan);
