//! Numbers in the lanes of a SIMD register.

#[cfg(target_arch = "x86_64")]
use super::width::avx512;
use super::{Real, functions};
use pulp::Simd;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One number in each lane of the registers of `S`; in memory it begins at a cache line.
///
/// EXACT numbers have the bits of [`Real`] for `f64`: sums of products are rounded twice, and functions
/// are the standard library's. The others are faster and more accurate.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Lanes<S: Simd, const EXACT: bool = false> {
    simd: S,
    values: S::f64s,
}

/// The numbers of members of an ensemble, which step as single runs.
pub(crate) type Exact<S> = Lanes<S, true>;

/// The result of a comparison in each lane.
#[derive(Debug, Clone, Copy)]
pub struct LaneMask<S: Simd> {
    simd: S,
    mask: S::m64s,
}

/// The most lanes of any instruction set.
pub const MOST_LANES: usize = 8;

impl<S: Simd> Lanes<S> {
    /// The number of lanes.
    pub const COUNT: usize = S::F64_LANES;

    /// One number in each lane.
    #[inline(always)]
    pub fn splat(simd: S, value: f64) -> Self {
        Self { simd, values: simd.splat_f64s(value) }
    }

    /// The numbers from `at` on.
    #[inline(always)]
    pub(crate) fn load(simd: S, from: &[f64], at: usize) -> Self {
        let (vectors, _) = S::as_simd_f64s(&from[at..at + Self::COUNT]);
        Self { simd, values: vectors[0] }
    }

    /// A register.
    #[inline(always)]
    pub(crate) fn of(simd: S, values: S::f64s) -> Self {
        Self { simd, values }
    }

    /// The instruction set.
    #[inline(always)]
    pub(crate) fn simd(self) -> S {
        self.simd
    }

    /// The register.
    #[inline(always)]
    pub(crate) fn values(self) -> S::f64s {
        self.values
    }

    /// The numbers from `at` on, fewer than the lanes, then zeros.
    #[inline(always)]
    pub(crate) fn rest(simd: S, from: &[f64], at: usize) -> Self {
        Self::from_array(simd, &begun(&from[at..]))
    }

    /// The register in the type of the instruction set.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn native<R: pulp::bytemuck::Pod>(self) -> R {
        pulp::bytemuck::cast(self.values)
    }

    /// The lanes of a register in the type of the instruction set.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn of_native<R: pulp::bytemuck::Pod>(simd: S, register: R) -> Self {
        Self { simd, values: pulp::bytemuck::cast(register) }
    }

    /// Replaces the numbers from `at` on.
    #[inline(always)]
    pub fn write(self, to: &mut [f64], at: usize) {
        S::as_mut_simd_f64s(&mut to[at..at + Self::COUNT]).0[0] = self.values;
    }

    /// Replaces the first numbers, if `to` is long enough.
    #[inline(always)]
    pub(crate) fn begin(self, to: &mut [f64]) {
        if let Some(first) = S::as_mut_simd_f64s(to).0.first_mut() {
            *first = self.values;
        }
    }

    /// Adds to the numbers from `at` on, if need be to fewer than the lanes.
    #[inline(always)]
    pub(crate) fn add_to(self, to: &mut [f64], at: usize) {
        match S::as_mut_simd_f64s(&mut to[at..]) {
            ([whole, ..], _) => *whole = self.simd.add_f64s(*whole, self.values),
            ([], rest) => add_to_rest(rest, &self.to_array()),
        }
    }

    /// The lanes in which the mask holds, zeros in the others.
    #[inline(always)]
    pub(crate) fn of_mask(self, mask: LaneMask<S>) -> Self {
        Self::select(mask, self, Self::splat(self.simd, 0.0))
    }

    /// The first `count` lanes, zeros in the others.
    #[inline(always)]
    pub(crate) fn first(self, count: usize) -> Self {
        let mask = self.simd.mask_between_m64s(0, count as u64).mask();
        let zero = self.simd.splat_f64s(0.0);
        Self { values: self.simd.select_f64s(mask, self.values, zero), ..self }
    }
}

impl<S: Simd, const EXACT: bool> Lanes<S, EXACT> {
    /// The first numbers of `from`.
    #[inline(always)]
    pub fn from_array(simd: S, from: &[f64; MOST_LANES]) -> Self {
        Self { simd, values: S::as_simd_f64s(&from[..]).0[0] }
    }

    /// The numbers, then zeros.
    #[inline(always)]
    pub fn to_array(self) -> [f64; MOST_LANES] {
        let mut array = [0.0; MOST_LANES];
        self.store(&mut array);
        array
    }

    /// Writes the numbers.
    #[inline(always)]
    pub(crate) fn store(self, to: &mut [f64; MOST_LANES]) {
        S::as_mut_simd_f64s(&mut to[..]).0[0] = self.values;
    }
}

impl<S: Simd> Exact<S> {
    /// The number of each lane.
    pub(crate) fn each(simd: S, number: impl FnMut(usize) -> f64) -> Self {
        Self::from_array(simd, &std::array::from_fn(number))
    }

    /// The number in a lane.
    pub(crate) fn lane(self, lane: usize) -> f64 {
        self.to_array()[lane]
    }

    /// Replaces the number in a lane.
    pub(crate) fn put(&mut self, lane: usize, number: f64) {
        let mut all = self.to_array();
        all[lane] = number;
        *self = Self::from_array(self.simd, &all);
    }

    /// One number in all lanes.
    #[inline(always)]
    pub(crate) fn all(simd: S, value: f64) -> Self {
        Self { simd, values: simd.splat_f64s(value) }
    }
}

/// The first numbers, then zeros. Out of line, to be compiled once, not for each input of each element.
#[inline(never)]
fn begun(from: &[f64]) -> [f64; MOST_LANES] {
    let mut numbers = [0.0; MOST_LANES];
    numbers.iter_mut().zip(from).for_each(|(number, from)| *number = *from);
    numbers
}

/// Adds the first numbers; out of line, too.
#[inline(never)]
fn add_to_rest(to: &mut [f64], numbers: &[f64; MOST_LANES]) {
    to.iter_mut().zip(numbers).for_each(|(to, number)| *to += number);
}

impl<S: Simd> LaneMask<S> {
    /// Holds in the lanes `begin`..`end`.
    #[inline(always)]
    pub(crate) fn between(simd: S, begin: usize, end: usize) -> Self {
        Self { simd, mask: simd.mask_between_m64s(begin as u64, end as u64).mask() }
    }

    /// 1 in each lane in which the mask holds, and 0 elsewhere.
    #[inline(always)]
    fn ones(self) -> [f64; MOST_LANES] {
        let (one, zero) = (self.simd.splat_f64s(1.0), self.simd.splat_f64s(0.0));
        Lanes::<S> { simd: self.simd, values: self.simd.select_f64s(self.mask, one, zero) }.to_array()
    }

    /// A bit for each lane in which the mask holds.
    #[inline(always)]
    pub(crate) fn bits(self) -> u8 {
        #[cfg(target_arch = "x86_64")]
        if let Some(mask) = (&self.mask as &dyn std::any::Any).downcast_ref::<pulp::b8>() {
            return mask.0;
        }
        self.ones().iter().enumerate().fold(0, |bits, (lane, holds)| bits | u8::from(*holds != 0.0) << lane)
    }

    /// Writes `first` plus the lane number for each of the first `count` lanes in which the mask holds,
    /// ascending; returns their number.
    #[inline(always)]
    pub(crate) fn write_places(self, first: u32, count: usize, to: &mut [u32; MOST_LANES]) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let (Some(instructions), Some(mask)) =
            (avx512(self.simd), (&self.mask as &dyn std::any::Any).downcast_ref::<pulp::b8>())
        {
            let mask = mask.0 & (0xff_u32 >> (MOST_LANES - count.min(MOST_LANES))) as u8;
            let places: [u32; MOST_LANES] = std::array::from_fn(|lane| first.wrapping_add(lane as u32));
            *to = pulp::cast(instructions.avx512vl._mm256_maskz_compress_epi32(mask, pulp::cast(places)));
            return mask.count_ones() as usize;
        }
        let mut found = 0;
        for (lane, holds) in self.ones().iter().enumerate().take(Lanes::<S>::COUNT.min(count)) {
            to[found % MOST_LANES] = first.wrapping_add(lane as u32);
            found += usize::from(*holds != 0.0);
        }
        found
    }
}

/// Operators between lanes, and between lanes and a number.
macro_rules! operators {
    ($($trait:ident $method:ident $operation:ident),+) => {
        $(
            impl<S: Simd, const EXACT: bool> $trait for Lanes<S, EXACT> {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    Self { values: self.simd.$operation(self.values, other.values), ..self }
                }
            }

            impl<S: Simd, const EXACT: bool> $trait<f64> for Lanes<S, EXACT> {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: f64) -> Self {
                    Self { values: self.simd.$operation(self.values, self.simd.splat_f64s(other)), ..self }
                }
            }
        )+
    };
}

operators!(Add add add_f64s, Sub sub sub_f64s, Mul mul mul_f64s, Div div div_f64s);

impl<S: Simd, const EXACT: bool> Neg for Lanes<S, EXACT> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // The compiler folds this subtraction into additions; it could not fold a flipped sign bit.
        self.number(-0.0) - self
    }
}

/// Functions of one number.
macro_rules! functions {
    ($($name:ident),+) => {
        $(
            #[inline(always)]
            fn $name(self) -> Self {
                if EXACT {
                    let [value] = self.lanewise([self], |[x]| [Real::$name(x)]);
                    return value;
                }
                Self { values: functions::$name(self.simd, self.values), ..self }
            }
        )+
    };
}

impl<S: Simd, const EXACT: bool> Real for Lanes<S, EXACT> {
    type Mask = LaneMask<S>;

    functions!(sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh);
    functions!(exp, exp_m1, ln, ln_1p, cbrt, erf, erfc, gaussian);

    #[inline(always)]
    fn number(self, value: f64) -> Self {
        Self { values: self.simd.splat_f64s(value), ..self }
    }

    #[inline(always)]
    fn multiply_add(self, factor: Self, summand: Self) -> Self {
        if EXACT {
            return self * factor + summand;
        }
        Self { values: self.simd.mul_add_f64s(self.values, factor.values, summand.values), ..self }
    }

    #[inline(always)]
    fn recip(self) -> Self {
        self.number(1.0) / self
    }

    #[inline(always)]
    fn recip_sqrt(self) -> Self {
        if EXACT {
            return self.sqrt().recip();
        }
        Self { values: functions::recip_sqrt(self.simd, self.values), ..self }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self { values: self.simd.sqrt_f64s(self.values), ..self }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self { values: self.simd.abs_f64s(self.values), ..self }
    }

    #[inline(always)]
    fn round_ties_even(self) -> Self {
        Self { values: functions::round_ties_even(self.simd, self.values), ..self }
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        if EXACT {
            let [angle] = self.lanewise([self, x], |[y, x]| [y.atan2(x)]);
            return angle;
        }
        Self { values: functions::atan2(self.simd, self.values, x.values), ..self }
    }

    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        if EXACT {
            let [power] = self.lanewise([self, exponent], |[base, exponent]| [base.powf(exponent)]);
            return power;
        }
        Self { values: functions::powf(self.simd, self.values, exponent.values), ..self }
    }

    #[inline(always)]
    fn lt(self, other: Self) -> LaneMask<S> {
        LaneMask { simd: self.simd, mask: self.simd.less_than_f64s(self.values, other.values) }
    }

    #[inline(always)]
    fn le(self, other: Self) -> LaneMask<S> {
        LaneMask { simd: self.simd, mask: self.simd.less_than_or_equal_f64s(self.values, other.values) }
    }

    #[inline(always)]
    fn both(a: LaneMask<S>, b: LaneMask<S>) -> LaneMask<S> {
        LaneMask { mask: a.simd.and_m64s(a.mask, b.mask), ..a }
    }

    #[inline(always)]
    fn either(a: LaneMask<S>, b: LaneMask<S>) -> LaneMask<S> {
        LaneMask { mask: a.simd.or_m64s(a.mask, b.mask), ..a }
    }

    #[inline(always)]
    fn not(mask: LaneMask<S>) -> LaneMask<S> {
        let zero = mask.simd.splat_f64s(0.0);
        let all = mask.simd.less_than_or_equal_f64s(zero, zero);
        LaneMask { mask: mask.simd.xor_m64s(mask.mask, all), ..mask }
    }

    #[inline(always)]
    fn select(mask: LaneMask<S>, yes: Self, no: Self) -> Self {
        Self { values: yes.simd.select_f64s(mask.mask, yes.values, no.values), ..yes }
    }

    #[inline(always)]
    fn lanewise<const I: usize, const O: usize>(
        self,
        inputs: [Self; I],
        mut function: impl FnMut([f64; I]) -> [f64; O],
    ) -> [Self; O] {
        let arrays = inputs.map(Self::to_array);
        let mut results = [[0.0; MOST_LANES]; O];
        for lane in 0..S::F64_LANES {
            let values = function(arrays.map(|array| array[lane]));
            for (result, value) in results.iter_mut().zip(values) {
                result[lane] = value;
            }
        }
        results.map(|result| Self::from_array(self.simd, &result))
    }
}
