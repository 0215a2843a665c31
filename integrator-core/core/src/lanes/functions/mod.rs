//! Elementary functions of all lanes of a SIMD register at once.
//!
//! pulp has none.  The sleef port needs the nightly compiler, and `wide` chooses its width when it is compiled rather than when
//! it runs; hence these.  Each is accurate to 2 units in the last place over its whole range, subnormals included, and knows
//! infinities, NaN and signed zeros; the tests measure that.
//!
//! Every rounding is the same in every width, fused multiply-adds included: a lane's result depends on its own argument alone, and
//! not on how many lanes the machine has.
//!
//! The polynomials are minimax approximations computed by the Remez exchange in 60 digits; the reductions are the classic ones
//! (Cody and Waite; Muller, Elementary Functions, 3rd ed., chapters 4, 6 and 11), written for fused multiply-adds.

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

#[cfg(test)]
mod tests;

pub(crate) use circular::{cos, sin};
pub(crate) use error::{erf, erfc, gaussian};
pub(crate) use exponential::{exp, exp_m1};
pub(crate) use hyperbolic::{cosh, sinh, tanh};
pub(crate) use inverse_circular::{acos, asin, atan, atan2};
pub(crate) use inverse_hyperbolic::{acosh, asinh, atanh};
pub(crate) use logarithm::{ln, ln_1p};
pub(crate) use root::recip_sqrt;
pub(crate) use round::round_ties_even;
pub(crate) use single::{cbrt, powf, tan};
