//! erf and erfc.
//!
//! Near zero, erf x = x (2/√π + x² P(x²)). Elsewhere erfc x = exp(−x²) Q(u) / (1 + 2x) with
//! u = A − B / (x + 2): the quotient follows the decay of eˣ² erfc x, so that one polynomial Q serves
//! until erfc is zero (after Shepherd and Laframboise, Chebyshev approximation of (1 + 2x) exp(x²)
//! erfc x, Math. Comp. 36 (1981) 249). Numbers that matter in the last place, such as the square, are
//! unevaluated sums.

use std::f64::consts::FRAC_2_SQRT_PI;

use pulp::Simd;

use super::exponential::{EXP, TO_INTEGER, power_of_two, reduce};
use super::vector::Vector;

/// Below this size erf has its own series; above, it is computed from erfc.
const NEAR: f64 = 0.468_75;

/// From here on erfc is zero.
const FAR: f64 = 27.3;

/// 2/√π − `FRAC_2_SQRT_PI`.
const SLOPE_LOW: f64 = 1.533_545_961_316_588e-17;

/// (erf(x) / x − 2/√π) / x² as a polynomial in x², for |x| up to `NEAR`.
const P: [f64; 9] = [
    -0.376_126_389_031_837_54,
    0.112_837_916_709_551_16,
    -0.026_866_170_645_120_157,
    0.005_223_977_624_922_83,
    -0.000_854_832_690_161_133_7,
    0.000_120_553_169_109_893_25,
    -1.492_440_316_896_460_1e-5,
    1.640_552_198_096_794_3e-6,
    -1.496_987_726_933_609_6e-7,
];

/// u = A − B / (x + 2), which is near −1 at `NEAR` and near 1 at `FAR`.
const A: f64 = 1.187_5;
const B: f64 = 5.406_25;

/// (1 + 2x) exp(x²) erfc x at u = 0.
const Q: f64 = 1.263_553_066_858_966_3;
/// (1 + 2x) exp(x²) erfc x at u = 0, less `Q`.
const Q_LOW: f64 = -3.467_660_647_168_828_4e-17;
/// ((1 + 2x) exp(x²) erfc x, less its value at u = 0) / u as a polynomial in u.
const Q_REST: [f64; 23] = [
    -0.093_384_653_711_019_16,
    -0.060_872_700_837_584_81,
    0.055_433_144_407_161_63,
    -0.017_115_273_611_718_33,
    -0.000_320_277_083_350_753_76,
    0.001_500_233_904_851_957_4,
    -3.999_599_949_929_878e-5,
    -0.000_159_253_091_066_951_3,
    -5.867_840_873_116_632_5e-6,
    1.894_974_924_376_394_2e-5,
    3.635_401_030_716_525_6e-6,
    -1.932_507_204_214_159_6e-6,
    -9.526_522_333_724_114e-7,
    5.260_863_657_359_501_7e-8,
    1.645_381_776_258_770_9e-7,
    4.196_424_834_137_101e-8,
    -1.431_860_489_741_497_8e-8,
    -1.270_418_353_721_329_4e-8,
    -1.697_279_360_387_784_5e-9,
    1.928_301_481_357_047_7e-9,
    7.935_854_687_710_756e-10,
    -1.338_997_058_275_812_8e-10,
    -9.606_645_288_800_932e-11,
];

/// The error function 2/√π ∫₀ˣ exp(−t²) dt.
#[inline(always)]
pub fn erf<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let rest = -far(x.abs()) + 1.0;
    x.abs().lt(NEAR).select(near(x), rest.times_sign(x)).value
}

/// The complementary error function 1 − erf x, accurate where it is small.
#[inline(always)]
pub fn erfc<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let tail = far(x.abs());
    let tail = x.lt(0.0).select(-tail + 2.0, tail);
    x.abs().lt(NEAR).select(-near(x) + 1.0, tail).value
}

/// exp(−x²), with the rounding error of the square: beside an error function it costs two products more.
#[inline(always)]
pub fn gaussian<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    Gaussian::of(Vector::new(simd, x).abs()).times_power(|power, _| power).value
}

/// erf x for |x| < `NEAR`.
#[inline(always)]
fn near<S: Simd>(x: Vector<S>) -> Vector<S> {
    let square = x * x;
    let rest = square.multiply_add(square.polynomial(&P), SLOPE_LOW);
    x.multiply_add(FRAC_2_SQRT_PI, x * rest)
}

/// erfc x for x ≥ `NEAR`.
#[inline(always)]
fn far<S: Simd>(x: Vector<S>) -> Vector<S> {
    let gaussian = Gaussian::of(x);
    let x = gaussian.x;
    // (1 + 2x) exp(x²) erfc x.
    let u = -(x.number(B) / (x + 2.0)) + A;
    let rest = u * u.polynomial(&Q_REST);
    let q = rest + Q;
    let q_low = (rest - (q - Q)) + Q_LOW;
    // Divided by 1 + 2x = `below` + `below_low`, which is exact.
    let below = x.multiply_add(2.0, 1.0);
    let below_low = x.multiply_add(2.0, -(below - 1.0));
    let inverse = x.number(1.0) / below;
    let scaled = q * inverse;
    let error = (-scaled).multiply_add(below_low, (-scaled).multiply_add(below, q) + q_low);
    gaussian.times_power(|power, low| {
        let rest = power.multiply_add(error * inverse, low * scaled);
        power.multiply_add(scaled, rest)
    })
}

/// exp(−x²) = 2ⁿ (power + low), for x ≥ 0.
struct Gaussian<S: Simd> {
    /// x, or, where exp(−x²) is zero, a smaller number for which it is zero.
    x: Vector<S>,
    n: Vector<S>,
    power: Vector<S>,
    low: Vector<S>,
}

impl<S: Simd> Gaussian<S> {
    #[inline(always)]
    fn of(x: Vector<S>) -> Self {
        let x = x.gt(FAR).select(FAR, x);
        let square = x * x;
        let (n, r, r_low) = reduce(-square);
        let small = r_low - x.multiply_add(x, -square);
        // exp(r + small) = exp(r) (1 + small).
        let (r_squared, rest) = (r * r, r.polynomial(&EXP));
        let change = r_squared.multiply_add(rest, r).multiply_add(small, small);
        let more = r_squared.multiply_add(rest, change);
        let series = r + more;
        let power = series + 1.0;
        let low = (series - (power - 1.0)) + (more - (series - r));
        Self { x, n, power, low }
    }

    /// 2ⁿ times `made` of the power and of its low part.
    #[inline(always)]
    fn times_power(self, made: impl FnOnce(Vector<S>, Vector<S>) -> Vector<S>) -> Vector<S> {
        let made = made(self.power, self.low);
        let half = self.n.multiply_add(0.5, TO_INTEGER) - TO_INTEGER;
        // Only the second product can round, so that subnormal results are rounded once.
        made * power_of_two(half) * power_of_two(self.n - half)
    }
}
