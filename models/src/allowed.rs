//! The values that parameters may have, for `#[serde(deserialize_with = "…")]`: what makes no system is refused where parameters are read, by the name of the parameter.

use least_action::nalgebra::Vector3;
use serde::de::{Deserialize, Deserializer, Error};

/// A parameter that is one number or some of them.
pub(crate) trait Numbers {
    /// What is asked of, in words.
    const SUBJECT: &'static str;

    /// All of them.
    fn numbers(&self) -> &[f64];
}

impl Numbers for f64 {
    const SUBJECT: &'static str = "it";

    fn numbers(&self) -> &[f64] {
        std::slice::from_ref(self)
    }
}

impl<const N: usize> Numbers for [f64; N] {
    const SUBJECT: &'static str = "each of them";

    fn numbers(&self) -> &[f64] {
        self
    }
}

impl Numbers for Vector3<f64> {
    const SUBJECT: &'static str = "each of them";

    fn numbers(&self) -> &[f64] {
        self.as_slice()
    }
}

/// A mass, a length, a density and whatever else is above zero.
pub(crate) fn positive<'de, D: Deserializer<'de>, N: Deserialize<'de> + Numbers>(
    deserializer: D,
) -> Result<N, D::Error> {
    checked(deserializer, |number| number > 0.0, "positive")
}

/// A temperature, a damping and whatever else may be absent.
pub(crate) fn not_negative<'de, D: Deserializer<'de>, N: Deserialize<'de> + Numbers>(
    deserializer: D,
) -> Result<N, D::Error> {
    checked(deserializer, |number| number >= 0.0, "zero or positive")
}

/// Masses of parts that are held together, of which some may have none.
pub(crate) fn partly_positive<'de, D: Deserializer<'de>, N: Deserialize<'de> + Numbers>(
    deserializer: D,
) -> Result<N, D::Error> {
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

/// An exponent of which one less has to be positive.
pub(crate) fn above_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, |number| number > 1.0, "more than 1")
}

/// Points of which a size is taken: one alone has none.
pub(crate) fn several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let count = usize::deserialize(deserializer)?;
    if count == 1 { Err(D::Error::custom("one alone has no size; it must be at least 2")) } else { Ok(count) }
}

fn checked<'de, D: Deserializer<'de>, N: Deserialize<'de> + Numbers>(
    deserializer: D,
    is_allowed: impl Fn(f64) -> bool,
    allowed: &str,
) -> Result<N, D::Error> {
    let value = N::deserialize(deserializer)?;
    if value.numbers().iter().all(|number| is_allowed(*number)) {
        Ok(value)
    } else {
        Err(D::Error::custom(format!("{} must be {allowed}", N::SUBJECT)))
    }
}
