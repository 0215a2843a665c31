//! An axis of a grid.

use serde::Deserialize;
use serde_json::{Number, Value};

/// The values of an axis of a grid.
#[derive(Debug)]
pub(super) enum Axis {
    Listed(Vec<Value>),
    /// Evenly spaced numbers, which are computed where they are asked for: there may be many.
    Even {
        from: f64,
        to: f64,
        count: u64,
    },
}

/// Evenly spaced numbers, as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Even {
    from: f64,
    to: f64,
    count: u64,
}

impl Axis {
    /// Reads `[1, 2, 5]` or `{ from = 0, to = 1, count = 11 }`, with at most so many values.
    pub(super) fn read(value: &Value, most: u64) -> Result<Self, String> {
        let axis = match value {
            Value::Array(values) => Self::Listed(values.clone()),
            other => {
                let Even { from, to, count } = Even::deserialize(other).map_err(|_| {
                    format!("{other} is no axis: write [1, 2, 5] or {{ from = 0, to = 1, count = 11 }}")
                })?;
                if !(from.is_finite() && to.is_finite()) || count > most {
                    return Err(format!("the ends must be finite, and the count at most {most}"));
                }
                Self::Even { from, to, count }
            }
        };
        if axis.count() == 0 { Err("the axis has no values".to_owned()) } else { Ok(axis) }
    }

    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Listed(values) => values.len() as u64,
            Self::Even { count, .. } => *count,
        }
    }

    /// The values that are written out.
    pub(super) fn listed(&self) -> &[Value] {
        match self {
            Self::Listed(values) => values,
            Self::Even { .. } => &[],
        }
    }

    pub(super) fn at(&self, place: u64) -> Value {
        match *self {
            Self::Listed(ref values) => values[place as usize].clone(),
            Self::Even { from, to, count } => {
                let last = count.saturating_sub(1).max(1);
                // The ends have the bits of the plan.
                number(if place == last { to } else { from + (to - from) * (place as f64 / last as f64) })
            }
        }
    }

    pub(super) fn is_of_numbers(&self) -> bool {
        match self {
            Self::Listed(values) => values.iter().all(Value::is_number),
            Self::Even { .. } => true,
        }
    }
}

/// A finite number as a value.
pub(super) fn number(number: f64) -> Value {
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}
