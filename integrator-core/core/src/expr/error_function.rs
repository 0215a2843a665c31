//! erf and erfc of numbers and of dual numbers of any order.

use super::Number;
use crate::lanes::Real;
use std::f64::consts::FRAC_2_SQRT_PI;

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
