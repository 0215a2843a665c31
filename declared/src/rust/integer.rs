//! Integers with the types of Rust, whose overflow is an error.

use super::error::Error;
use super::operator::{Operator, verb};

/// The types of integers, with the bits and the sign of each.
macro_rules! kinds {
    ($($kind:ident $name:literal $least:expr, $most:expr;)*) => {
        /// The type of an integer.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind {
            /// Of a literal whose type nothing tells.
            Any,
            $(#[doc = concat!("`", $name, "`.")] $kind,)*
        }

        impl Kind {
            /// The type of this name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$kind),)*
                    _ => None,
                }
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    Self::Any => "{integer}",
                    $(Self::$kind => $name,)*
                }
            }

            /// Its least and its largest value; the largest of `u128` here is that of `i128`.
            #[allow(clippy::cast_lossless, reason = "`usize` has no `From` for it")]
            pub(crate) fn range(self) -> (i128, i128) {
                match self {
                    Self::Any => (i128::MIN, i128::MAX),
                    $(Self::$kind => ($least as i128, $most as i128),)*
                }
            }
        }
    };
}

kinds! {
    Usize "usize" usize::MIN, usize::MAX;
    U8 "u8" u8::MIN, u8::MAX;
    U16 "u16" u16::MIN, u16::MAX;
    U32 "u32" u32::MIN, u32::MAX;
    U64 "u64" u64::MIN, u64::MAX;
    U128 "u128" 0, i128::MAX;
    Isize "isize" isize::MIN, isize::MAX;
    I8 "i8" i8::MIN, i8::MAX;
    I16 "i16" i16::MIN, i16::MAX;
    I32 "i32" i32::MIN, i32::MAX;
    I64 "i64" i64::MIN, i64::MAX;
    I128 "i128" i128::MIN, i128::MAX;
}

impl Kind {
    fn bits(self) -> u32 {
        let (least, most) = self.range();
        match self {
            Self::Any => 32,
            Self::U128 => 128,
            _ => (most.wrapping_sub(least) as u128).count_ones(),
        }
    }

    /// The value, if the type has it.
    pub(crate) fn holds(self, value: Option<i128>) -> Option<i128> {
        let (least, most) = self.range();
        value.filter(|value| (least..=most).contains(value))
    }

    /// The value modulo the number of values of the type, as by `as`.
    pub(crate) fn wrapped(self, value: i128) -> i128 {
        let ((least, most), bits) = (self.range(), self.bits());
        if (least..=most).contains(&value) || bits >= 128 {
            return value;
        }
        let low = value & ((1 << bits) - 1);
        if low > most { low - (1 << bits) } else { low }
    }

    /// The nearest value of the type, as by `as`; zero of NaN.
    pub(crate) fn nearest(self, number: f64) -> i128 {
        let (least, most) = self.range();
        (number as i128).clamp(least, most)
    }

    /// Its smallest and its largest number.
    pub(crate) fn bounds(self) -> [i128; 2] {
        let (least, most) = self.range();
        [least, most]
    }

    /// The type of two operands.
    pub(crate) fn common(self, other: Self) -> Result<Self, Error> {
        match (self, other) {
            (Self::Any, kind) | (kind, Self::Any) => Ok(kind),
            _ if self == other => Ok(self),
            _ => Err(Error::new(format!(
                "mismatched types: expected `{}`, found `{}`",
                self.name(),
                other.name()
            ))),
        }
    }
}

/// The integer that an operator gives.
pub(crate) fn arithmetic(
    operator: Operator,
    (a, of_a): (i128, Kind),
    (b, of_b): (i128, Kind),
) -> Result<(i128, Kind), Error> {
    let is_shift = matches!(operator, Operator::Left | Operator::Right);
    let kind = if is_shift { of_a } else { of_a.common(of_b)? };
    let is_quotient = matches!(operator, Operator::Div | Operator::Rem);
    if is_quotient && b == 0 {
        let (verb, with) = if operator == Operator::Div {
            ("divide", "by zero")
        } else {
            (verb(operator), "with a divisor of zero")
        };
        return Err(Error::new(format!("attempt to {verb} {with}")));
    }
    let shift = u32::try_from(b).ok().filter(|b| *b < kind.bits().min(127));
    let value = match operator {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mul => a.checked_mul(b),
        // A division of 64 bits is faster by far.
        Operator::Div | Operator::Rem => match (u64::try_from(a), u64::try_from(b)) {
            (Ok(a), Ok(b)) => Some(i128::from(if operator == Operator::Div { a / b } else { a % b })),
            _ if operator == Operator::Div => a.checked_div(b),
            _ => a.checked_rem(b),
        },
        Operator::And => Some(a & b),
        Operator::Or => Some(a | b),
        Operator::Xor => Some(a ^ b),
        // Bits that leave the type are lost.
        Operator::Left => shift.map(|shift| kind.wrapped(a.wrapping_shl(shift))),
        Operator::Right => shift.map(|shift| a >> shift),
        _ => None,
    };
    match kind.holds(value) {
        Some(value) => Ok((value, kind)),
        None => Err(Error::new(format!("attempt to {} with overflow", verb(operator)))),
    }
}

/// A method of an integer with another one; `None` if there is no such method.
pub(crate) fn method(name: &str, a: i128, b: i128, kind: Kind) -> Option<Result<Answer, Error>> {
    let (least, most) = kind.range();
    let (way, operation) = name.split_once('_').unwrap_or(("", name));
    let operator = match operation {
        "add" => Operator::Add,
        "sub" => Operator::Sub,
        "mul" => Operator::Mul,
        "div" => Operator::Div,
        "rem" => Operator::Rem,
        "shl" => Operator::Left,
        "shr" => Operator::Right,
        "pow" => Operator::Power,
        _ => Operator::Equal,
    };
    let exact = |a: i128, b: i128| match operator {
        Operator::Power => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        _ => arithmetic(operator, (a, Kind::Any), (b, Kind::Any)).ok().map(|(value, _)| value),
    };
    let overflow = || Error::new(format!("attempt to {} with overflow", verb(operator)));
    Some(Ok(match (way, operator) {
        (_, Operator::Equal) => return other(name, a, b, kind),
        ("", Operator::Power) => match kind.holds(exact(a, b)) {
            Some(value) => Answer::Integer(value),
            None => return Some(Err(Error::new("attempt to multiply with overflow"))),
        },
        ("checked", _) => Answer::Perhaps(kind.holds(exact(a, b))),
        ("saturating", _) => Answer::Integer(kind.holds(exact(a, b)).unwrap_or({
            let is_negative = match operator {
                Operator::Sub => b > a,
                Operator::Add => a < 0,
                Operator::Power => a < 0 && b % 2 == 1,
                _ => (a < 0) != (b < 0),
            };
            if is_negative { least } else { most }
        })),
        ("wrapping", Operator::Add) => Answer::Integer(kind.wrapped(a.wrapping_add(b))),
        ("wrapping", Operator::Sub) => Answer::Integer(kind.wrapped(a.wrapping_sub(b))),
        // The low bits of a product do not depend on its high ones.
        ("wrapping", Operator::Mul) => Answer::Integer(kind.wrapped(a.wrapping_mul(b))),
        ("wrapping", _) => match exact(a, b) {
            Some(value) => Answer::Integer(kind.wrapped(value)),
            None => return Some(Err(overflow())),
        },
        _ => return None,
    }))
}

/// The answer of a method of integers.
pub(crate) enum Answer {
    Integer(i128),
    Perhaps(Option<i128>),
    Bool(bool),
}

fn other(name: &str, a: i128, b: i128, kind: Kind) -> Option<Result<Answer, Error>> {
    if b == 0 && matches!(name, "rem_euclid" | "div_euclid" | "div_ceil" | "next_multiple_of") {
        return Some(Err(Error::new("attempt to divide by zero")));
    }
    let answer = match name {
        "rem_euclid" => a.checked_rem_euclid(b),
        "div_euclid" => a.checked_div_euclid(b),
        "div_ceil" => {
            a.checked_add(b).and_then(|sum| sum.checked_sub(1)).and_then(|sum| sum.checked_div_euclid(b))
        }
        "next_multiple_of" => {
            a.checked_rem_euclid(b).and_then(|rest| a.checked_add(if rest == 0 { 0 } else { b - rest }))
        }
        "abs_diff" => a.checked_sub(b).and_then(i128::checked_abs),
        "is_multiple_of" => {
            return Some(Ok(Answer::Bool(if b == 0 { a == 0 } else { a.wrapping_rem(b) == 0 })));
        }
        "min" => Some(a.min(b)),
        "max" => Some(a.max(b)),
        _ => return None,
    };
    Some(
        kind.holds(answer)
            .map(Answer::Integer)
            .ok_or_else(|| Error::new(format!("attempt to compute `{name}` with overflow"))),
    )
}

/// A method of an integer alone; `None` if there is no such method.
pub(crate) fn alone(name: &str, a: i128, kind: Kind) -> Option<Result<Answer, Error>> {
    let magnitude = |a: i128| u128::try_from(a).unwrap_or_default();
    let value = match name {
        "abs" => a.checked_abs(),
        "unsigned_abs" => a.checked_abs(),
        "signum" => Some(a.signum()),
        "isqrt" if a >= 0 => Some(a.isqrt()),
        "ilog2" if a > 0 => Some(i128::from(a.ilog2())),
        "next_power_of_two" => {
            magnitude(a).checked_next_power_of_two().and_then(|power| i128::try_from(power).ok())
        }
        "is_power_of_two" => return Some(Ok(Answer::Bool(magnitude(a).is_power_of_two()))),
        "is_positive" => return Some(Ok(Answer::Bool(a > 0))),
        "is_negative" => return Some(Ok(Answer::Bool(a < 0))),
        _ => return None,
    };
    Some(
        kind.holds(value)
            .map(Answer::Integer)
            .ok_or_else(|| Error::new(format!("attempt to compute `{name}` with overflow"))),
    )
}
