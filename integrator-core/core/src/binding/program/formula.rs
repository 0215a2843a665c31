//! The formulas of steps, as types.

use crate::lanes::Real;

/// A number from N others. A closure would be compiled without the registers of the processor.
pub(super) trait Formula<const N: usize>: Copy {
    /// Its value.
    fn of<T: Real>(self, numbers: [T; N]) -> T;
}

/// Formulas as types: a name, constants, numbers, and the value.
macro_rules! formulas {
    ($($Name:ident $(($constant:ident))? [$($number:ident),+] $count:literal = $value:expr;)+) => {
        $(
            #[derive(Clone, Copy)]
            pub(super) struct $Name $((pub(super) formulas!(f64 $constant)))?;

            impl Formula<$count> for $Name {
                #[inline(always)]
                fn of<T: Real>(self, [$($number),+]: [T; $count]) -> T {
                    $(let Self($constant) = self;)?
                    $value
                }
            }
        )+
    };
    (f64 $constant:ident) => { f64 };
}

formulas! {
    Add [a, b] 2 = a + b;
    Subtract [a, b] 2 = a - b;
    Offset(value) [a] 1 = a + value;
    Negate [a] 1 = -a;
    Multiply [a, b] 2 = a * b;
    Scale(value) [a] 1 = a * value;
    MultiplyAdd [a, b, c] 3 = a.multiply_add(b, c);
    Reciprocal [a] 1 = a.recip();
    Root [a] 1 = a.sqrt();
    InverseRoot [a] 1 = a.recip_sqrt();
    Power [a, b] 2 = a.powf(b);
    Atan2 [a, b] 2 = a.atan2(b);
    Below [gap, yes, no] 3 = T::select(gap.lt(gap.number(0.0)), yes, no);
    NotAbove [gap, yes, no] 3 = T::select(gap.le(gap.number(0.0)), yes, no);
    Sin [a] 1 = a.sin();
    Cos [a] 1 = a.cos();
    Tan [a] 1 = a.tan();
    Asin [a] 1 = a.asin();
    Acos [a] 1 = a.acos();
    Atan [a] 1 = a.atan();
    Sinh [a] 1 = a.sinh();
    Cosh [a] 1 = a.cosh();
    Tanh [a] 1 = a.tanh();
    Asinh [a] 1 = a.asinh();
    Acosh [a] 1 = a.acosh();
    Atanh [a] 1 = a.atanh();
    Exp [a] 1 = a.exp();
    ExpM1 [a] 1 = a.exp_m1();
    Ln [a] 1 = a.ln();
    Ln1p [a] 1 = a.ln_1p();
    Cbrt [a] 1 = a.cbrt();
    Erf [a] 1 = a.erf();
    Erfc [a] 1 = a.erfc();
    Gaussian [a] 1 = a.gaussian();
    Round [a] 1 = a.round_ties_even();
}
