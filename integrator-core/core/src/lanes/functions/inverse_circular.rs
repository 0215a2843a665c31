//! atan, atan2, asin and acos.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use pulp::Simd;

use super::vector::{Mask, Vector};

/// π/2 − `FRAC_PI_2`.
const FRAC_PI_2_LOW: f64 = 6.123_233_995_736_766e-17;

/// arctan of ½, 1, 3/2 and ∞, each in two parts.
const ARCTANGENTS: [(f64, f64); 4] = [
    (0.463_647_609_000_806_1, 2.269_877_745_296_168_7e-17),
    (FRAC_PI_4, 3.061_616_997_868_383e-17),
    (0.982_793_723_247_329, 1.390_331_103_123_099_8e-17),
    (FRAC_PI_2, FRAC_PI_2_LOW),
];

/// (arctan t / t − 1) / t², in powers of t², for |t| ≤ 7/16.
const ARCTANGENT: [f64; 11] = [
    -0.333_333_333_333_329_26,
    0.199_999_999_998_750_37,
    -0.142_857_142_723_734_3,
    0.111_111_103_995_900_43,
    -0.090_908_869_801_306_58,
    0.076_918_737_241_618_53,
    -0.066_610_474_653_210_36,
    0.058_334_000_852_574_72,
    -0.049_761_807_078_077_085,
    0.036_515_458_114_812_244,
    -0.016_269_776_677_441_17,
];

/// (arcsin t / t − 1) / t², in powers of t², for |t| ≤ ½.
const ARCSINE: [f64; 12] = [
    0.166_666_666_666_653_75,
    0.075_000_000_003_452_68,
    0.044_642_856_821_577_3,
    0.030_381_959_412_327_294,
    0.022_371_751_525_252_583,
    0.017_359_801_985_634_332,
    0.013_884_286_587_107_195,
    0.012_175_369_691_092_699,
    0.006_501_637_403_725_288,
    0.019_599_585_345_754_563,
    -0.016_335_060_093_874_358,
    0.031_987_515_945_671_83,
];

/// The arctangent in radians.
#[inline(always)]
pub fn atan<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    arctangent(x.abs()).times_sign(x).value
}

/// The angle of the point (x, y) in radians, in −π … π.
#[inline(always)]
pub fn atan2<S: Simd>(simd: S, y: S::f64s, x: S::f64s) -> S::f64s {
    let (x, y) = (Vector::new(simd, x), Vector::new(simd, y));
    let (width, height) = (x.abs(), y.abs());
    // Equal sizes, also infinite ones, have slope 1; two zeros have the angle of the sign of x.
    let equal = height.eq(width);
    let slope = equal.select(height.gt(0.0).select(1.0, height), height / width);
    let angle = arctangent(slope);
    // π − angle, with π in two parts.
    let turned = -(angle - 2.0 * FRAC_PI_2_LOW) + PI;
    let left = x.number(1.0).times_sign(x).lt(0.0);
    let angle = left.select(turned, angle);
    // A NaN in x or y makes the slope NaN.
    angle.times_sign(y).value
}

/// The arcsine in radians.
#[inline(always)]
pub fn asin<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let size = x.abs();
    let small = size.lt(0.5);
    let near = HalfAngle::new(size, small);
    // π/2 − 2 arcsin √((1 − |x|) / 2).
    let twice = near.root + near.root;
    let first = -twice + FRAC_PI_2;
    let error = (-first + FRAC_PI_2) - twice;
    let large = first + (error - (near.rest + near.rest - FRAC_PI_2_LOW));
    small.select(near.root + near.rest, large).times_sign(x).value
}

/// The arccosine in radians.
#[inline(always)]
pub fn acos<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let x = Vector::new(simd, x);
    let size = x.abs();
    let small = size.lt(0.5);
    let near = HalfAngle::new(size, small);
    // π/2 − arcsin x for small x, 2 arcsin √((1 − x) / 2) for large x, π − arccos(−x) for negative x.
    let positive = x.gt(0.0);
    let whole = small.select(FRAC_PI_2, positive.select(0.0, PI));
    let whole_low = small.select(FRAC_PI_2_LOW, positive.select(0.0, 2.0 * FRAC_PI_2_LOW));
    let factor = small.select(x.number(1.0).times_sign(-x), positive.select(2.0, -2.0));
    let part = near.root * factor;
    let sum = whole + part;
    let error = (whole - sum) + part;
    (sum + near.rest.multiply_add(factor, whole_low + error)).value
}

/// arcsin of |x| below ½, of √((1 − |x|) / 2) above, as root + rest.
struct HalfAngle<S: Simd> {
    root: Vector<S>,
    rest: Vector<S>,
}

impl<S: Simd> HalfAngle<S> {
    #[inline(always)]
    fn new(size: Vector<S>, small: Mask<S>) -> Self {
        let halved = (-size + 1.0) * 0.5;
        let z = small.select(size * size, halved);
        let root = small.select(size, halved.sqrt());
        // The rounding error of the square root; the summand only avoids 0 / 0.
        let rounded = (-root).multiply_add(root, halved) / (root + root + 1e-300);
        let rounded = small.select(0.0, rounded);
        let rest = (root * z).multiply_add(z.polynomial(&ARCSINE), rounded);
        Self { root, rest }
    }
}

/// arctan x for x ≥ 0, around the nearest of 0, ½, 1, 3/2 and ∞:
/// arctan x = arctan c + arctan((x − c) / (1 + c x)).
#[inline(always)]
fn arctangent<S: Simd>(x: Vector<S>) -> Vector<S> {
    let mut numerator = x;
    let mut denominator = x.number(1.0);
    let mut high = x.number(0.0);
    let mut low = x.number(0.0);
    let choices = [
        (0.4375, x + x - 1.0, x + 2.0),
        (0.6875, x - 1.0, x + 1.0),
        (1.1875, x - 1.5, x.multiply_add(1.5, 1.0)),
        (2.4375, x.number(-1.0), x),
    ];
    let mut k = 0;
    while k < 4 {
        let (from, above, below) = choices[k];
        let (center, center_low) = ARCTANGENTS[k];
        let chosen = x.lt(from).not();
        numerator = chosen.select(above, numerator);
        denominator = chosen.select(below, denominator);
        high = chosen.select(center, high);
        low = chosen.select(center_low, low);
        k += 1;
    }
    let t = numerator / denominator;
    let z = t * t;
    let tail = (t * z).multiply_add(z.polynomial(&ARCTANGENT), low);
    high + (t + tail)
}
