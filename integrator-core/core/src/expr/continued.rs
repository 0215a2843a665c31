//! Functions of numbers and of dual numbers of any order, finite wherever the function is smooth.
//!
//! `num_dual` lacks them, or is not finite at some of these points: tanh far out, where sinh and cosh
//! are infinite, the angle of a point above or below the origin, a power of zero.

use super::Number;
use crate::lanes::Real;
use std::f64::consts::{FRAC_2_SQRT_PI, FRAC_PI_2, LN_2, PI};

/// The hyperbolic tangent, by its value t at the real part and the addition theorem.
pub(super) fn tanh<D: Number>(x: D) -> D {
    let (t, beyond) = (x.re().tanh(), (x - x.re()).tanh());
    (beyond + t) / (beyond * t + 1.0)
}

/// Beyond it the square of a number and its reciprocal leave the range of numbers too soon.
const FAR: f64 = 1e8;

/// The arctangent.
pub(super) fn atan<D: Number>(x: D) -> D {
    if x.re().abs() < FAR { x.atan() } else { -x.recip().atan() + FRAC_PI_2.copysign(x.re()) }
}

/// The inverse hyperbolic sine; far out it is the logarithm of 2 |x|.
pub(super) fn asinh<D: Number>(x: D) -> D {
    match x.re() {
        near if near.abs() < FAR => x.asinh(),
        far if far < 0.0 => -((-x).ln() + LN_2),
        _ => x.ln() + LN_2,
    }
}

/// The inverse hyperbolic cosine; far out it is the logarithm of 2 x.
pub(super) fn acosh<D: Number>(x: D) -> D {
    if x.re() > FAR { x.ln() + LN_2 } else { x.acosh() }
}

/// The angle of (x, y) by the quotient with the larger denominator,
/// so that all derivatives are finite except at the origin.
pub(super) fn angle<D: Number>(y: D, x: D) -> D {
    let (of_y, of_x) = (y.re(), x.re());
    // The quotient is of numbers of order one: reciprocals of small ones have infinite derivatives.
    let size = of_x.abs().max(of_y.abs());
    let (y, x) = (y / size, x / size);
    if of_y.abs() <= of_x.abs() {
        let angle = (y / x).atan();
        if of_x > 0.0 {
            angle
        } else if of_y.is_sign_negative() {
            angle - PI
        } else {
            angle + PI
        }
    } else {
        -(x / y).atan() + FRAC_PI_2.copysign(of_y)
    }
}

/// xᵖ, whose value at the real part is `value`: the binomial series, which ends with the powers of the
/// infinitesimal part.
///
/// At zero a derivative is infinite from the order p on, if p is no whole number. It counts where a
/// power of the infinitesimal part has something to multiply, and leaves the lower orders finite.
pub(super) fn power<D: Number>(x: D, value: f64, p: f64) -> D {
    let a = x.re();
    match p {
        _ if a != 0.0 || p == 0.0 => {}
        below if below < 0.0 => return x.recip(),
        // Zero, without any derivative.
        root if root < 1.0 => return x.sqrt(),
        _ => {}
    }
    let beyond = x - a;
    let (mut sum, mut power, mut factor, mut falling) = (D::from(value), D::one(), value, 1.0);
    for n in 0..D::NDERIV {
        let order = n as f64;
        falling *= (p - order) / (order + 1.0);
        if falling == 0.0 {
            break;
        }
        power *= beyond;
        factor = match p - order - 1.0 {
            _ if a != 0.0 => factor * (p - order) / (order + 1.0) / a,
            0.0 => falling,
            rest if rest > 0.0 => 0.0,
            _ => {
                power *= f64::MAX;
                f64::MAX.copysign(falling)
            }
        };
        sum += power * factor;
    }
    sum
}

/// The error function erf x = 2/√π ∫₀ˣ exp(−t²) dt to 2 units in the last place, with all derivatives.
///
/// ```
/// use least_action::expr::erf;
///
/// assert_eq!(erf(0.5), 0.520_499_877_813_046_5);
/// ```
pub fn erf<D: Number>(x: D) -> D {
    continued(x, Real::erf(x.re()), 1.0)
}

/// The complementary error function erfc x = 1 − erf x to 2 units in the last place, even where it is
/// small, with all derivatives.
///
/// ```
/// use least_action::expr::erfc;
///
/// assert_eq!(erfc(26.5), 2.210_907_664_263_734_3e-307);
/// ```
pub fn erfc<D: Number>(x: D) -> D {
    continued(x, Real::erfc(x.re()), -1.0)
}

/// value ± 2/√π exp(−a²) Σ (−1)ⁿ Hₙ(a) εⁿ⁺¹ / (n + 1)! for x = a + ε: Taylor's series,
/// which ends with the powers of the infinitesimal part; Hₙ are Hermite's polynomials.
fn continued<D: Number>(x: D, value: f64, sign: f64) -> D {
    let a = x.re();
    let slope = sign * FRAC_2_SQRT_PI * (-a * a).exp();
    let epsilon = x - a;
    let (mut hermite, mut before) = (1.0, 0.0);
    let mut power = D::one();
    let mut sum = D::from(value);
    // Far out the slope is zero, and Hermite's polynomials may be infinite.
    let orders = if slope == 0.0 { 0 } else { D::NDERIV };
    for n in 0..orders {
        let order = n as f64;
        power = power * epsilon / (order + 1.0);
        let alternating = if n % 2 == 0 { slope } else { -slope };
        sum += power * (alternating * hermite);
        (hermite, before) = (2.0 * a * hermite - 2.0 * order * before, hermite);
    }
    sum
}
