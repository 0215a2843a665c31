//! Elementary functions on all lanes of a SIMD register.
//!
//! pulp has none; the sleef port needs the nightly compiler, and `wide` fixes its width at compile time.
//! Each function is accurate to 2 units in the last place over its whole range, subnormals included, and
//! handles infinities, NaN and signed zeros; the tests measure it.
//!
//! All widths round alike, fused multiply-adds included:
//! the result of a lane depends on its argument only, not on the number of lanes.
//!
//! The polynomials are minimax approximations from the Remez exchange in 60 digits; the reductions are
//! the classic ones (Cody and Waite; Muller, Elementary Functions, 3rd ed., chapters 4, 6 and 11),
//! written for fused multiply-adds.

mod circular;
mod error;
mod exponential;
mod hyperbolic;
mod inverse_circular;
mod inverse_hyperbolic;
mod logarithm;
mod root;
mod round;
mod single;
mod vector;

pub use circular::{cos, sin};
pub use error::{erf, erfc, gaussian};
pub use exponential::{exp, exp_m1};
pub use hyperbolic::{cosh, sinh, tanh};
pub use inverse_circular::{acos, asin, atan, atan2};
pub use inverse_hyperbolic::{acosh, asinh, atanh};
pub use logarithm::{ln, ln_1p};
pub use root::recip_sqrt;
pub use round::round_ties_even;
pub use single::{cbrt, powf, tan};
