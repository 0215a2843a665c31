//! The functions by name, in any width, beside the standard library's.

use super::reference;
use pulp::{Scalar, Simd, WithSimd};

/// The functions by name, applied to slices in any width.
macro_rules! functions {
    (($x:ident, $y:ident) $($Name:ident = $function:ident($($argument:ident),+), $standard:expr;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(super) enum Function { $($Name),+ }

        pub(super) const ALL: &[Function] = &[$(Function::$Name),+];

        struct Apply<'a>(Function, &'a [f64], &'a [f64], &'a mut [f64]);

        impl WithSimd for Apply<'_> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                let Self(function, xs, ys, result) = self;
                let (xs, ys) = (S::as_simd_f64s(xs).0, S::as_simd_f64s(ys).0);
                let result = S::as_mut_simd_f64s(result).0;
                match function {
                    $(Function::$Name => {
                        for k in 0..result.len() {
                            let ($x, $y) = (xs[k], ys[k]);
                            let _ = $y;
                            result[k] = least_action_core::internals::lanes::functions::$function(simd, $($argument),+);
                        }
                    })+
                }
            }
        }

        impl Function {
            /// The standard library's.
            pub(super) fn standard(self, $x: f64, $y: f64) -> f64 {
                match self { $(Function::$Name => $standard),+ }
            }
        }
    };
}

functions! {
    (x, y)
    Exp = exp(x), x.exp();
    ExpM1 = exp_m1(x), x.exp_m1();
    Ln = ln(x), x.ln();
    Ln1p = ln_1p(x), x.ln_1p();
    Sin = sin(x), x.sin();
    Cos = cos(x), x.cos();
    Tan = tan(x), x.tan();
    Asin = asin(x), x.asin();
    Acos = acos(x), x.acos();
    Atan = atan(x), x.atan();
    Atan2 = atan2(x, y), x.atan2(y);
    Sinh = sinh(x), x.sinh();
    Cosh = cosh(x), x.cosh();
    Tanh = tanh(x), x.tanh();
    Asinh = asinh(x), x.asinh();
    Acosh = acosh(x), x.acosh();
    Atanh = atanh(x), x.atanh();
    Cbrt = cbrt(x), x.cbrt();
    RecipSqrt = recip_sqrt(x), 1.0 / x.sqrt();
    Powf = powf(x, y), x.powf(y);
    // The standard library has none: here the series decide.
    Erf = erf(x), reference::erf(x);
    Erfc = erfc(x), reference::erfc(x);
    Gaussian = gaussian(x), reference::gaussian(x);
}

/// The widths that this machine has; one lane is in every machine.
#[derive(Clone, Copy)]
pub(super) enum Width {
    One,
    #[cfg(target_arch = "x86_64")]
    Four(pulp::x86::V3),
    #[cfg(target_arch = "x86_64")]
    Eight(pulp::x86::V4),
}

impl std::fmt::Debug for Width {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::One => "one lane",
            #[cfg(target_arch = "x86_64")]
            Self::Four(_) => "four lanes",
            #[cfg(target_arch = "x86_64")]
            Self::Eight(_) => "eight lanes",
        })
    }
}

pub(super) fn widths() -> Vec<Width> {
    let mut widths = vec![Width::One];
    #[cfg(target_arch = "x86_64")]
    {
        widths.extend(pulp::x86::V3::try_new().map(Width::Four));
        widths.extend(pulp::x86::V4::try_new().map(Width::Eight));
    }
    widths
}

pub(super) fn apply(width: Width, function: Function, x: &[f64], y: &[f64]) -> Vec<f64> {
    let mut result = vec![0.0; x.len()];
    let apply = Apply(function, x, y, &mut result);
    match width {
        Width::One => Scalar.vectorize(apply),
        #[cfg(target_arch = "x86_64")]
        Width::Four(simd) => Simd::vectorize(simd, apply),
        #[cfg(target_arch = "x86_64")]
        Width::Eight(simd) => Simd::vectorize(simd, apply),
    }
    result
}
