//! The axes of figures: a quantity with its unit, or with the statement that it has none.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

/// The unit of a quantity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Unit {
    /// One that is known.
    Stated(Cow<'static, str>),
    /// The quantity is a number.
    None,
    /// The one that the model has it in, which it does not state.
    #[default]
    OfTheModel,
}

impl Unit {
    pub const fn stated(unit: &'static str) -> Self {
        Self::Stated(Cow::Borrowed(unit))
    }

    /// The unit in words, where it is known.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Stated(unit) => Some(unit),
            Self::None | Self::OfTheModel => None,
        }
    }

    /// The unit of the square of the quantity.
    #[must_use]
    pub fn squared(&self) -> Self {
        match self {
            Self::Stated(unit) if unit.contains(' ') => Self::Stated(Cow::Owned(format!("({unit})²"))),
            Self::Stated(unit) => Self::Stated(Cow::Owned(format!("{unit}²"))),
            other => other.clone(),
        }
    }
}

/// The name of a quantity, and its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    pub name: Cow<'static, str>,
    unit: Unit,
    /// True if points have the logarithms of the quantity to the base ten, and the axis the quantity itself.
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

    /// A quantity without a unit.
    pub fn number(name: impl Into<Cow<'static, str>>) -> Self {
        Self::with(name, Unit::None)
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
            Unit::None => write!(f, "{name} (no unit)"),
            Unit::OfTheModel => write!(f, "{name} (unit of the model)"),
        }
    }
}

/// As it is read.
impl Serialize for Axis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
