//! sin and cos.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

use pulp::Simd;

use super::exponential::TO_INTEGER;
use super::vector::{Bits, Vector};

/// π / 2 in three parts of 53 bits.
const HALF_PI: [f64; 3] = [FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];

/// Up to here the reduction by three parts of π / 2 is exact enough; larger lanes are computed singly.
const LARGEST: f64 = 1e9;

/// (sin y / y − 1) / y², in powers of y², for |y| ≤ π/4.
const SINE: [f64; 6] = [
    -0.166_666_666_666_666_3,
    0.008_333_333_333_322_063,
    -0.000_198_412_698_295_425_74,
    2.755_731_360_451_315e-6,
    -2.505_074_503_562_308_4e-8,
    1.589_606_738_115_254_8e-10,
];

/// (cos y − 1 + y²/2) / y⁴, in powers of y², for |y| ≤ π/4.
const COSINE: [f64; 6] = [
    0.041_666_666_666_666_595,
    -0.001_388_888_888_887_297_5,
    2.480_158_728_880_006_2e-5,
    -2.755_731_416_398_666_7e-7,
    2.087_569_870_981_419_7e-9,
    -1.135_842_357_839_971_1e-11,
];

/// The sine of an angle in radians.
///
/// In a kernel with sine and cosine of one angle the compiler merges the reductions and the two series.
#[inline(always)]
pub fn sin<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let reduced = Reduced::new(x);
    let swapped = reduced.quadrant.and(1).equal(1);
    let negative = reduced.quadrant.and(2).equal(2).select(-0.0, 0.0);
    let result = swapped.select(reduced.cosine(), reduced.sine()).times_sign(negative);
    // sin x rounds to x, and keeps the sign of zero.
    let result = x.abs().lt(7e-9).select(x, result);
    result.replaced(x.abs().le(LARGEST).not(), x, f64::sin).value
}

/// The cosine of an angle in radians.
#[inline(always)]
pub fn cos<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let reduced = Reduced::new(x);
    let swapped = reduced.quadrant.and(1).equal(1);
    let negative = reduced.quadrant.plus(1).and(2).equal(2).select(-0.0, 0.0);
    let result = swapped.select(reduced.sine(), reduced.cosine()).times_sign(negative);
    result.replaced(x.abs().le(LARGEST).not(), x, f64::cos).value
}

/// x = (quadrant) π/2 + high + low with |high| ≤ π/4.
struct Reduced<S: Simd> {
    /// The quadrant; only its two low bits count.
    quadrant: Bits<S>,
    high: Vector<S>,
    low: Vector<S>,
}

impl<S: Simd> Reduced<S> {
    /// The reduction of Cody and Waite, with fused operations instead of short parts.
    ///
    /// The first difference is exact: for n ≠ 0 it is a multiple of 2⁻⁵³ below 1 in size. The second
    /// keeps its rounding error, so that the sum is good to 2⁻¹²⁰, even for the doubles nearest to
    /// multiples of π/2.
    #[inline(always)]
    fn new(x: Vector<S>) -> Self {
        let shifted = x.multiply_add(FRAC_2_PI, TO_INTEGER);
        let n = shifted - TO_INTEGER;
        let first = (-n).multiply_add(HALF_PI[0], x);
        let product = n * HALF_PI[1];
        let product_low = n.multiply_add(HALF_PI[1], -product);
        let (difference, error) = first.sum(-product);
        let tail = (-n).multiply_add(HALF_PI[2], error - product_low);
        let high = difference + tail;
        let low = tail - (high - difference);
        Self { quadrant: shifted.bits(), high, low }
    }

    #[inline(always)]
    fn sine(&self) -> Vector<S> {
        let z = self.high * self.high;
        let series = z * self.high * z.polynomial(&SINE);
        // sin(high + low) = sin high + low cos high.
        let correction = self.low.multiply_add(z.multiply_add(-0.5, 1.0), series);
        self.high + correction
    }

    #[inline(always)]
    fn cosine(&self) -> Vector<S> {
        let z = self.high * self.high;
        let half = z * 0.5;
        let nearly = (-half) + 1.0;
        let error = ((-nearly) + 1.0) - half;
        let series = (z * z).multiply_add(z.polynomial(&COSINE), error);
        nearly + (-self.high).multiply_add(self.low, series)
    }
}
