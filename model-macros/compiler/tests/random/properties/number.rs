//! Numbers for the interpreter: plain, dual from num-dual, and series that know their rounding.

use least_action_compiler::functions;
use num_dual::{Dual, Dual2_64, Dual3, DualNum, HyperHyperDual64};
use std::fmt::Debug;

/// A number that the interpreter calculates with.
pub(super) trait Number: Clone + Debug {
    /// A constant.
    fn of(value: f64) -> Self;
    /// The value alone.
    fn real(&self) -> f64;
    fn add(&self, other: &Self) -> Self;
    fn multiply(&self, other: &Self) -> Self;
    /// A function of one variable, evaluated by `function` on any dual number.
    fn apply(&self, function: Unary) -> Self;
    fn atan2(&self, x: &Self) -> Self;
    /// The rate of change with time.
    fn rate(&self) -> Self;

    fn negate(&self) -> Self {
        self.multiply(&Self::of(-1.0))
    }
    fn subtract(&self, other: &Self) -> Self {
        self.add(&other.negate())
    }
    fn divide(&self, other: &Self) -> Self {
        self.multiply(&other.apply(Unary::Integer(-1)))
    }
}

/// A function of one variable.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unary {
    Named(&'static str),
    Integer(i32),
    Real(f64),
}

/// The functions that declarations may call by name.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    functions().map(|(name, _)| name).chain(["sqrt", "recip", "exp2", "log2", "log10"])
}

impl Unary {
    fn at<T: DualNum<Primitive = f64> + Copy>(self, x: T) -> T {
        match self {
            Self::Integer(power) => x.powi(power),
            Self::Real(power) => x.powf(power),
            Self::Named(name) => match name {
                "sin" => x.sin(),
                "cos" => x.cos(),
                "tan" => x.tan(),
                "asin" => x.asin(),
                "acos" => x.acos(),
                "atan" => x.atan(),
                "sinh" => x.sinh(),
                "cosh" => x.cosh(),
                "tanh" => x.tanh(),
                "asinh" => x.asinh(),
                "acosh" => x.acosh(),
                "atanh" => x.atanh(),
                "exp" => x.exp(),
                "exp_m1" => x.exp_m1(),
                "ln" => x.ln(),
                "ln_1p" => x.ln_1p(),
                "cbrt" => x.cbrt(),
                "erf" => least_action::expr::erf(x),
                "erfc" => least_action::expr::erfc(x),
                "gaussian" => (-x * x).exp(),
                "sqrt" => x.sqrt(),
                "recip" => x.recip(),
                "exp2" => x.exp2(),
                "log2" => x.log2(),
                "log10" => x.log10(),
                other => panic!("no function {other}"),
            },
        }
    }
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn real(&self) -> f64 {
        *self
    }
    fn add(&self, other: &Self) -> Self {
        self + other
    }
    fn subtract(&self, other: &Self) -> Self {
        self - other
    }
    fn multiply(&self, other: &Self) -> Self {
        self * other
    }
    fn divide(&self, other: &Self) -> Self {
        self / other
    }
    fn apply(&self, function: Unary) -> Self {
        function.at(*self)
    }
    fn atan2(&self, x: &Self) -> Self {
        f64::atan2(*self, *x)
    }
    fn rate(&self) -> Self {
        panic!("emitted code knows no rates")
    }
}

/// Three infinitesimal directions, and a fourth one for the motion.
pub(super) type Moving = Dual<HyperHyperDual64>;

impl Number for Moving {
    fn of(value: f64) -> Self {
        Self::from(value)
    }
    fn real(&self) -> f64 {
        self.re.re
    }
    fn add(&self, other: &Self) -> Self {
        self + other
    }
    fn multiply(&self, other: &Self) -> Self {
        self * other
    }
    fn apply(&self, function: Unary) -> Self {
        function.at(*self)
    }
    fn atan2(&self, x: &Self) -> Self {
        let angle = Unary::Named("atan").at(*self / *x);
        angle + (f64::atan2(self.real(), x.real()) - angle.real())
    }
    fn rate(&self) -> Self {
        Self::new(self.eps, HyperHyperDual64::from_re(f64::NAN))
    }
}

/// A number with four nilpotent directions (the last is the motion). Each of its sixteen parts knows
/// the units of rounding of an evaluation term by term: the sum of the sizes of all its terms.
#[derive(Debug, Clone)]
pub(super) struct Series(pub(super) [Bounded; 16]);

/// A value, the sum of the sizes of its terms when multiplied out, and the units of rounding in it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bounded {
    pub(super) value: f64,
    pub(super) size: f64,
    pub(super) rounding: f64,
}

impl Bounded {
    fn plus(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            size: self.size + other.size,
            rounding: self.rounding + other.rounding + self.size + other.size,
        }
    }
    fn times(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            size: self.size * other.size,
            rounding: self.size * other.rounding + other.size * self.rounding + self.size * other.size,
        }
    }
}

impl Series {
    pub(super) fn exact(parts: [f64; 16]) -> Self {
        Self(parts.map(|value| Bounded { value, size: value.abs(), rounding: 0.0 }))
    }

    /// f(self) from f, f′, …, f⁗ at the value, each with its rounding.
    fn chain(&self, derivatives: [Bounded; 5]) -> Self {
        let mut nilpotent = self.clone();
        nilpotent.0[0] = Bounded::default();
        let mut power = Self::of(1.0);
        let mut result = Self::of(0.0);
        let mut factorial = 1.0;
        for (order, derivative) in derivatives.into_iter().enumerate() {
            if order > 0 {
                power = power.multiply(&nilpotent);
                factorial *= order as f64;
            }
            let Bounded { value, size, rounding } = derivative;
            let scale =
                Bounded { value: value / factorial, size: size / factorial, rounding: rounding / factorial };
            for (sum, part) in result.0.iter_mut().zip(&power.0) {
                if part.size != 0.0 || part.rounding != 0.0 {
                    *sum = sum.plus(scale.times(*part));
                }
            }
        }
        result
    }
}

impl Number for Series {
    fn of(value: f64) -> Self {
        let mut parts = [0.0; 16];
        parts[0] = value;
        Self::exact(parts)
    }
    fn real(&self) -> f64 {
        self.0[0].value
    }
    fn add(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k].plus(other.0[k])))
    }
    fn multiply(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|whole| {
            let parts = (0..=whole).filter(|part| part & whole == *part);
            parts.fold(Bounded::default(), |sum, part| {
                let term = self.0[part].times(other.0[whole & !part]);
                if term.rounding == 0.0 { sum } else { sum.plus(term) }
            })
        }))
    }
    fn apply(&self, function: Unary) -> Self {
        let Bounded { value, rounding, .. } = self.0[0];
        let inner = Dual2_64::new(value, 1.0, 0.0);
        let (one, zero) = (Dual2_64::from_re(1.0), Dual2_64::from_re(0.0));
        let all = function.at(Dual3::new(inner, one, zero, zero));
        let orders = [all.re.re, all.v1.re, all.v2.re, all.v3.re, all.v3.v1, all.v3.v2];
        // Derivatives are sums in which terms as large as the one before can cancel.
        self.chain(std::array::from_fn(|k| {
            let before = if k > 0 { orders[k - 1].abs() } else { 0.0 };
            Bounded {
                value: orders[k],
                size: orders[k].abs(),
                rounding: 4.0 * (orders[k].abs() + before) + orders[k + 1].abs() * rounding,
            }
        }))
    }
    fn atan2(&self, x: &Self) -> Self {
        let mut angle = self.divide(x).apply(Unary::Named("atan"));
        angle.0[0].value = f64::atan2(self.real(), x.real());
        angle.0[0].size = angle.0[0].value.abs();
        angle.0[0].rounding += 4.0;
        angle
    }
    fn rate(&self) -> Self {
        Self(std::array::from_fn(|k| {
            if k < 8 {
                self.0[k + 8]
            } else {
                Bounded { value: f64::NAN, size: f64::NAN, rounding: f64::NAN }
            }
        }))
    }
}
