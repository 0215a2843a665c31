//! Integers with the types of Rust, whose overflow is an error.

use super::error::{Error, Result};

/// An operator between two values; those that compare are the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Left,
    Right,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Operator {
    /// Its verb in messages.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "subtract",
            Self::Mul => "multiply",
            Self::Div => "divide",
            Self::Rem => "calculate the remainder",
            Self::Left => "shift left",
            Self::Right => "shift right",
            _ => "combine",
        }
    }

    /// The method that means it for types of a file.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Rem => "rem",
            Self::Equal => "eq",
            _ => "",
        }
    }
}

/// The type of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of Rust")]
pub enum Kind {
    /// Of a literal whose type nothing tells.
    Any,
    Usize,
    U8,
    U16,
    U32,
    U64,
    U128,
    Isize,
    I8,
    I16,
    I32,
    I64,
    I128,
}

impl Kind {
    /// The types in order: the name of each, its bits, and whether it has a sign.
    const ALL: [(Self, &'static str, u32, bool); 13] = [
        (Self::Any, "{integer}", 128, true),
        (Self::Usize, "usize", usize::BITS, false),
        (Self::U8, "u8", 8, false),
        (Self::U16, "u16", 16, false),
        (Self::U32, "u32", 32, false),
        (Self::U64, "u64", 64, false),
        (Self::U128, "u128", 128, false),
        (Self::Isize, "isize", isize::BITS, true),
        (Self::I8, "i8", 8, true),
        (Self::I16, "i16", 16, true),
        (Self::I32, "i32", 32, true),
        (Self::I64, "i64", 64, true),
        (Self::I128, "i128", 128, true),
    ];

    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().skip(1).find(|(_, known, ..)| *known == name).map(|(kind, ..)| *kind)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Its least and its largest value; the largest of `u128` here is that of `i128`.
    pub(crate) fn range(self) -> (i128, i128) {
        match Self::ALL[self as usize] {
            (_, _, 128, false) => (0, i128::MAX),
            (_, _, 128, true) => (i128::MIN, i128::MAX),
            (_, _, bits, false) => (0, (1 << bits) - 1),
            (_, _, bits, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        }
    }

    /// The value, if the type has it.
    pub(crate) fn holds(self, value: Option<i128>) -> Option<i128> {
        let (least, most) = self.range();
        value.filter(|value| (least..=most).contains(value))
    }

    /// The value modulo the number of values of the type, as by `as`.
    pub(crate) fn wrapped(self, value: i128) -> i128 {
        let ((least, most), bits) = (self.range(), Self::ALL[self as usize].2);
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

    /// The type of two operands.
    pub(crate) fn common(self, other: Self) -> Result<Self> {
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
) -> Result<(i128, Kind)> {
    let is_shift = matches!(operator, Operator::Left | Operator::Right);
    let kind = if is_shift { of_a } else { of_a.common(of_b)? };
    let bits = if kind == Kind::Any { 32 } else { Kind::ALL[kind as usize].2.min(127) };
    let shift = u32::try_from(b).ok().filter(|b| *b < bits);
    let value = match operator {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mul => a.checked_mul(b),
        Operator::Div if b == 0 => return Err(Error::new("attempt to divide by zero")),
        Operator::Rem if b == 0 => {
            return Err(Error::new("attempt to calculate the remainder with a divisor of zero"));
        }
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
        None => Err(Error::new(format!("attempt to {} with overflow", operator.verb()))),
    }
}
