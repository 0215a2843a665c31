//! Numbers with a rate as the numbers of a kernel: the derivative of its results along a direction.

use super::Real;
use super::real::of_truths;
use crate::expr::{erf, erfc};
use num_dual::{Dual64, DualNum};

/// Methods with the name of the method of dual numbers.
///
/// A number at rest has functions at rest, also at the end of a domain, where the slope is infinite.
macro_rules! same {
    ($($name:ident),+) => {
        $(
            #[inline]
            fn $name(self) -> Self {
                if self.eps == 0.0 { Self::from_re(self.re.$name()) } else { DualNum::$name(&self) }
            }
        )+
    };
}

impl Real for Dual64 {
    type Mask = bool;

    same!(recip, sqrt, sin, cos, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh);
    same!(exp, exp_m1, ln, ln_1p, cbrt);
    of_truths!();

    #[inline]
    fn number(self, value: f64) -> Self {
        Self::from_re(value)
    }

    #[inline]
    fn multiply_add(self, factor: Self, summand: Self) -> Self {
        self * factor + summand
    }

    #[inline]
    fn recip_sqrt(self) -> Self {
        Real::sqrt(self).recip()
    }

    #[inline]
    fn tanh(self) -> Self {
        let value = self.re.tanh();
        Self::new(value, (1.0 - value * value) * self.eps)
    }

    #[inline]
    fn abs(self) -> Self {
        if self.re < 0.0 { -self } else { self }
    }

    fn atan2(self, x: Self) -> Self {
        let moment = x.re * self.eps - self.re * x.eps;
        Self::new(self.re.atan2(x.re), moment / (x.re * x.re + self.re * self.re))
    }

    fn erf(self) -> Self {
        erf(self)
    }

    fn erfc(self) -> Self {
        erfc(self)
    }

    fn gaussian(self) -> Self {
        DualNum::exp(&(-self * self))
    }

    fn round_ties_even(self) -> Self {
        Self::from_re(self.re.round_ties_even())
    }

    fn powf(self, exponent: Self) -> Self {
        let power = self.re.powf(exponent.re);
        // A constant exponent has no logarithm, which a negative base lacks.
        let of_exponent = if exponent.eps == 0.0 { 0.0 } else { power * self.re.ln() * exponent.eps };
        let is_fixed = exponent.re == 0.0 || self.eps == 0.0;
        let of_base = if is_fixed { 0.0 } else { exponent.re * self.re.powf(exponent.re - 1.0) * self.eps };
        Self::new(power, of_base + of_exponent)
    }

    fn lt(self, other: Self) -> bool {
        self.re < other.re
    }

    fn le(self, other: Self) -> bool {
        self.re <= other.re
    }

    /// The rate of an unknown function is unknown.
    fn lanewise<const I: usize, const O: usize>(
        self,
        inputs: [Self; I],
        mut function: impl FnMut([f64; I]) -> [f64; O],
    ) -> [Self; O] {
        function(inputs.map(|input| input.re)).map(|value| Self::new(value, f64::NAN))
    }
}
