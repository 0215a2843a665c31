//! Arithmetic, comparison and choice on all lanes: the language of the functions.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};
use std::{array, slice};

use pulp::{Simd, bytemuck};

/// A number in each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector<S: Simd> {
    pub(super) simd: S,
    pub(super) value: S::f64s,
}

/// The result of a comparison in each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask<S: Simd> {
    simd: S,
    value: S::m64s,
}

/// The bits of a number in each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits<S: Simd> {
    simd: S,
    value: S::u64s,
}

impl<S: Simd> Vector<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, value: S::f64s) -> Self {
        Self { simd, value }
    }

    /// `value` in every lane.
    #[inline(always)]
    pub(super) fn number(self, value: f64) -> Self {
        Self::new(self.simd, self.simd.splat_f64s(value))
    }

    /// self · factor + summand, rounded once.
    #[inline(always)]
    pub(super) fn multiply_add(self, factor: impl Into<Operand<S>>, summand: impl Into<Operand<S>>) -> Self {
        let factor = factor.into().of(self.simd);
        let summand = summand.into().of(self.simd);
        Self::new(self.simd, self.simd.mul_add_f64s(self.value, factor, summand))
    }

    /// The sum of two numbers and its rounding error (Knuth).
    #[inline(always)]
    pub(super) fn sum(self, other: Self) -> (Self, Self) {
        let total = self + other;
        let back = total - self;
        (total, (self - (total - back)) + (other - back))
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        Self::new(self.simd, self.simd.sqrt_f64s(self.value))
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        Self::new(self.simd, self.simd.abs_f64s(self.value))
    }

    /// A zero with the sign bit of the number.
    #[inline(always)]
    pub(super) fn sign(self) -> Self {
        let zero = self.simd.splat_f64s(-0.0);
        Self::new(self.simd, self.simd.and_f64s(self.value, zero))
    }

    /// Negated in the lanes where the sign bit of `sign` is set.
    #[inline(always)]
    pub(super) fn times_sign(self, sign: Self) -> Self {
        let zero = self.simd.splat_f64s(-0.0);
        let flip = self.simd.and_f64s(sign.value, zero);
        Self::new(self.simd, self.simd.xor_f64s(self.value, flip))
    }

    /// c₀ + c₁ x + c₂ x² + …
    ///
    /// In Horner's rule each step waits for the one before. A long polynomial is split by
    /// even and odd powers, or into four polynomials in x⁴, which are computed together.
    #[inline(always)]
    pub(super) fn polynomial<const N: usize>(self, coefficients: &[f64; N]) -> Self {
        match N {
            ..8 => self.interleaved::<N, 1>(self, coefficients)[0],
            8..16 => {
                let [even, odd] = self.interleaved(self * self, coefficients);
                odd.multiply_add(self, even)
            }
            _ => {
                let square = self * self;
                let [a, b, c, d] = self.interleaved(square * square, coefficients);
                d.multiply_add(self, c).multiply_add(square, b.multiply_add(self, a))
            }
        }
    }

    /// The polynomials in y of every W-th coefficient, from the first W on.
    #[inline(always)]
    fn interleaved<const N: usize, const W: usize>(self, y: Self, coefficients: &[f64; N]) -> [Self; W] {
        // Counted from the last coefficients. Short loops are unrolled, long ones are not.
        let (first, rest) = (N - W, N % W);
        let mut sums: [Self; W] = array::from_fn(|k| self.number(coefficients[first + k]));
        for turn in 1..N / W {
            for k in 0..W {
                sums[k] = sums[k].multiply_add(y, coefficients[first - turn * W + k]);
            }
        }
        for k in 0..rest {
            sums[W - rest + k] = sums[W - rest + k].multiply_add(y, coefficients[k]);
        }
        array::from_fn(|k| sums[(k + W - rest) % W])
    }

    #[inline(always)]
    pub(super) fn lt(self, other: impl Into<Operand<S>>) -> Mask<S> {
        let other = other.into().of(self.simd);
        Mask { simd: self.simd, value: self.simd.less_than_f64s(self.value, other) }
    }

    #[inline(always)]
    pub(super) fn le(self, other: impl Into<Operand<S>>) -> Mask<S> {
        let other = other.into().of(self.simd);
        Mask { simd: self.simd, value: self.simd.less_than_or_equal_f64s(self.value, other) }
    }

    #[inline(always)]
    pub(super) fn gt(self, other: impl Into<Operand<S>>) -> Mask<S> {
        let other = other.into().of(self.simd);
        Mask { simd: self.simd, value: self.simd.greater_than_f64s(self.value, other) }
    }

    #[inline(always)]
    pub(super) fn ge(self, other: impl Into<Operand<S>>) -> Mask<S> {
        let other = other.into().of(self.simd);
        Mask { simd: self.simd, value: self.simd.greater_than_or_equal_f64s(self.value, other) }
    }

    #[inline(always)]
    pub(super) fn eq(self, other: impl Into<Operand<S>>) -> Mask<S> {
        let other = other.into().of(self.simd);
        Mask { simd: self.simd, value: self.simd.equal_f64s(self.value, other) }
    }

    #[inline(always)]
    pub(super) fn bits(self) -> Bits<S> {
        Bits { simd: self.simd, value: self.simd.transmute_u64s_f64s(self.value) }
    }

    /// `function` in the lanes where `mask` holds, one by one; the other lanes keep their value.
    #[inline(always)]
    pub(super) fn replaced(mut self, mask: Mask<S>, argument: Self, function: impl Fn(f64) -> f64) -> Self {
        if mask.any() {
            let chosen = mask.select(argument.number(1.0), argument.number(0.0));
            let results = lanes_mut(&mut self);
            for ((result, &argument), &chosen) in results.iter_mut().zip(lanes(&argument)).zip(lanes(&chosen))
            {
                if chosen != 0.0 {
                    *result = function(argument);
                }
            }
        }
        self
    }
}

/// The lanes, one by one.
#[inline(always)]
pub(super) fn lanes<S: Simd>(vector: &Vector<S>) -> &[f64] {
    bytemuck::cast_slice(slice::from_ref(&vector.value))
}

/// The lanes, one by one.
#[inline(always)]
pub(super) fn lanes_mut<S: Simd>(vector: &mut Vector<S>) -> &mut [f64] {
    bytemuck::cast_slice_mut(slice::from_mut(&mut vector.value))
}

impl<S: Simd> Mask<S> {
    /// `yes` where the mask holds, `no` in the other lanes.
    #[inline(always)]
    pub(super) fn select(self, yes: impl Into<Operand<S>>, no: impl Into<Operand<S>>) -> Vector<S> {
        let yes = yes.into().of(self.simd);
        let no = no.into().of(self.simd);
        Vector::new(self.simd, self.simd.select_f64s(self.value, yes, no))
    }

    /// True if the mask holds in any lane.
    #[inline(always)]
    pub(super) fn any(self) -> bool {
        self.simd.first_true_m64s(self.value) < S::F64_LANES
    }

    /// The mask that holds in the other lanes.
    #[inline(always)]
    pub(super) fn not(self) -> Self {
        Self { simd: self.simd, value: self.simd.not_m64s(self.value) }
    }
}

impl<S: Simd> BitAnd for Mask<S> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self { simd: self.simd, value: self.simd.and_m64s(self.value, other.value) }
    }
}

impl<S: Simd> BitOr for Mask<S> {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self { simd: self.simd, value: self.simd.or_m64s(self.value, other.value) }
    }
}

impl<S: Simd> Bits<S> {
    #[inline(always)]
    pub(super) fn number(self) -> Vector<S> {
        Vector::new(self.simd, self.simd.transmute_f64s_u64s(self.value))
    }

    #[inline(always)]
    pub(super) fn and(self, bits: u64) -> Self {
        Self { simd: self.simd, value: self.simd.and_u64s(self.value, self.simd.splat_u64s(bits)) }
    }

    #[inline(always)]
    pub(super) fn or(self, bits: u64) -> Self {
        Self { simd: self.simd, value: self.simd.or_u64s(self.value, self.simd.splat_u64s(bits)) }
    }

    #[inline(always)]
    pub(super) fn plus(self, bits: u64) -> Self {
        Self { simd: self.simd, value: self.simd.add_u64s(self.value, self.simd.splat_u64s(bits)) }
    }

    #[inline(always)]
    pub(super) fn complement(self) -> Self {
        Self { simd: self.simd, value: self.simd.not_u64s(self.value) }
    }

    #[inline(always)]
    pub(super) fn equal(self, bits: u64) -> Mask<S> {
        Mask { simd: self.simd, value: self.simd.equal_u64s(self.value, self.simd.splat_u64s(bits)) }
    }

    /// pulp has no shifts of 64 bits for any number of lanes;
    /// the compiler turns these loops into one instruction.
    #[inline(always)]
    pub(super) fn shift_left<const BY: u32>(mut self) -> Self {
        let bits: &mut [u64] = bytemuck::cast_slice_mut(slice::from_mut(&mut self.value));
        for lane in bits {
            *lane <<= BY;
        }
        self
    }

    #[inline(always)]
    pub(super) fn shift_right<const BY: u32>(mut self) -> Self {
        let bits: &mut [u64] = bytemuck::cast_slice_mut(slice::from_mut(&mut self.value));
        for lane in bits {
            *lane >>= BY;
        }
        self
    }
}

/// The second operand of a vector: a vector, or one number for all lanes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand<S: Simd> {
    Each(Vector<S>),
    All(f64),
}

impl<S: Simd> Operand<S> {
    #[inline(always)]
    fn of(self, simd: S) -> S::f64s {
        match self {
            Self::Each(vector) => vector.value,
            Self::All(number) => simd.splat_f64s(number),
        }
    }
}

impl<S: Simd> From<Vector<S>> for Operand<S> {
    #[inline(always)]
    fn from(vector: Vector<S>) -> Self {
        Self::Each(vector)
    }
}

impl<S: Simd> From<f64> for Operand<S> {
    #[inline(always)]
    fn from(number: f64) -> Self {
        Self::All(number)
    }
}

macro_rules! operators {
    ($($Trait:ident $name:ident $function:ident),+) => {
        $(
            impl<S: Simd, T: Into<Operand<S>>> $Trait<T> for Vector<S> {
                type Output = Self;

                #[inline(always)]
                fn $name(self, other: T) -> Self {
                    Self::new(self.simd, self.simd.$function(self.value, other.into().of(self.simd)))
                }
            }
        )+
    };
}

operators!(Add add add_f64s, Sub sub sub_f64s, Mul mul mul_f64s, Div div div_f64s);

impl<S: Simd> Neg for Vector<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(self.simd, self.simd.neg_f64s(self.value))
    }
}
