//! The axes of figures: a quantity, and its unit where it is known.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

/// The digits of exponents.
pub(crate) const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// The unit of a quantity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Unit {
    /// One that is known.
    Stated(Cow<'static, str>),
    /// The quantity is a number, or the model does not state the unit.
    #[default]
    None,
}

impl Unit {
    pub const fn stated(unit: &'static str) -> Self {
        Self::Stated(Cow::Borrowed(unit))
    }

    /// The unit in words, where it is known.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Stated(unit) => Some(unit),
            Self::None => None,
        }
    }

    /// The unit of the square of the quantity.
    #[must_use]
    pub fn squared(&self) -> Self {
        self.name().map_or(Self::None, |unit| Self::Stated(format!("{}²", enclosed(unit)).into()))
    }

    /// The unit of a product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        match [self, other].map(Self::name) {
            [Some(one), Some(other)] => Self::Stated(format!("{one} {}", enclosed(other)).into()),
            _ => Self::None,
        }
    }

    /// The unit of a quotient.
    #[must_use]
    pub fn per(&self, other: &Self) -> Self {
        match [self, other].map(Self::name) {
            [Some("J"), Some("s")] => Self::stated("W"),
            [Some(one), Some(other)] => Self::Stated(format!("{one}/{}", enclosed(other)).into()),
            _ => Self::None,
        }
    }
}

/// A unit within others; one that begins with a number stands in brackets.
fn enclosed(unit: &str) -> Cow<'_, str> {
    if unit.contains(' ') { format!("({unit})").into() } else { unit.into() }
}

/// The name of a quantity, and its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    pub name: Cow<'static, str>,
    unit: Unit,
    /// True if points have the logarithms of the quantity to the base ten; the axis shows the quantity
    /// itself.
    pub is_logarithmic: bool,
}

impl Axis {
    pub fn with(name: impl Into<Cow<'static, str>>, unit: Unit) -> Self {
        Self { name: name.into(), unit, is_logarithmic: false }
    }

    /// A quantity in a unit.
    pub fn of(name: impl Into<Cow<'static, str>>, unit: &'static str) -> Self {
        Self::with(name, Unit::stated(unit))
    }

    /// A quantity in a unit that may be known.
    pub fn in_unit(name: &str, unit: Option<&str>) -> Self {
        Self::with(name.to_owned(), unit.map_or(Unit::None, |unit| Unit::Stated(unit.to_owned().into())))
    }

    /// A quantity without a unit.
    pub fn number(name: impl Into<Cow<'static, str>>) -> Self {
        Self::with(name, Unit::None)
    }

    /// The unit, where it is known.
    pub fn unit(&self) -> Option<&str> {
        self.unit.name()
    }

    /// The same under another name.
    #[must_use]
    pub fn called(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The change of the quantity from its first value.
    #[must_use]
    pub fn change(self) -> Self {
        Self { name: format!("change of {}", self.name).into(), ..self }
    }

    /// The same, for points that have its logarithms to the base ten.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Self { is_logarithmic: true, ..self }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.unit {
            Unit::Stated(unit) => write!(f, "{name}, {unit}"),
            Unit::None => f.write_str(name),
        }
    }
}

/// As it is read.
impl Serialize for Axis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
