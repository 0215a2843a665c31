//! Allowed values of parameters, for `#[serde(deserialize_with = "…")]`: reading refuses others by name.

use least_action::nalgebra::Vector3;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};

/// A parameter of one number or several.
pub(crate) trait Numbers: DeserializeOwned {
    /// All its numbers.
    fn numbers(&self) -> &[f64];
}

impl Numbers for f64 {
    fn numbers(&self) -> &[f64] {
        std::slice::from_ref(self)
    }
}

impl<const N: usize> Numbers for [f64; N]
where
    Self: DeserializeOwned,
{
    fn numbers(&self) -> &[f64] {
        self
    }
}

impl Numbers for Vector3<f64> {
    fn numbers(&self) -> &[f64] {
        self.as_slice()
    }
}

/// A mass, a length, a density or another number above zero.
pub(crate) fn positive<'de, D: Deserializer<'de>, N: Numbers>(deserializer: D) -> Result<N, D::Error> {
    checked(deserializer, |number| number > 0.0, "positive")
}

/// A temperature, a damping or another number that may be zero.
pub(crate) fn not_negative<'de, D: Deserializer<'de>, N: Numbers>(deserializer: D) -> Result<N, D::Error> {
    checked(deserializer, |number| number >= 0.0, "zero or positive")
}

/// Masses of joined parts, some of which may be zero.
pub(crate) fn partly_positive<'de, D: Deserializer<'de>, N: Numbers>(deserializer: D) -> Result<N, D::Error> {
    let value: N = not_negative(deserializer)?;
    if value.numbers().iter().any(|number| *number > 0.0) {
        Ok(value)
    } else {
        Err(D::Error::custom("one of them must be positive"))
    }
}

/// The eccentricity of an ellipse.
pub(crate) fn eccentricity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, |number| (0.0..1.0).contains(&number), "at least 0 and less than 1")
}

/// The angle of a corner of a triangle, in degrees.
pub(crate) fn corner<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, |number| number > 0.0 && number < 180.0, "between 0 and 180, and neither of them")
}

/// An exponent above one.
pub(crate) fn above_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, |number| number > 1.0, "more than 1")
}

/// A number of points that have a size: one alone has none.
pub(crate) fn several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let count = usize::deserialize(deserializer)?;
    if count == 1 { Err(D::Error::custom("one alone has no size; it must be at least 2")) } else { Ok(count) }
}

fn checked<'de, D: Deserializer<'de>, N: Numbers>(
    deserializer: D,
    is_allowed: impl Fn(f64) -> bool,
    allowed: &str,
) -> Result<N, D::Error> {
    let value = N::deserialize(deserializer)?;
    if value.numbers().iter().all(|number| is_allowed(*number)) {
        Ok(value)
    } else {
        let subject = if value.numbers().len() == 1 { "it" } else { "each of them" };
        Err(D::Error::custom(format!("{subject} must be {allowed}")))
    }
}
