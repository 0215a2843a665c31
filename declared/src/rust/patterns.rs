//! Patterns and the values that match them.

use super::error::Result;
use super::number::Numeric;
use super::operators::{equal, order};
use super::shared::Shared;
use super::tree::{Constant, Pattern, Program};
use super::value::Value;
use std::cell::RefCell;
use std::cmp::Ordering;

/// Where the values of names go.
pub(crate) struct Slots<'a, N: Numeric> {
    pub(crate) values: &'a mut [Value<N>],
    pub(crate) variables: &'a [bool],
}

impl<N: Numeric> Slots<'_, N> {
    fn set(&mut self, slot: u32, value: Value<N>) {
        let is_variable = self.variables.get(slot as usize).copied().unwrap_or_default();
        if let Some(own) = self.values.get_mut(slot as usize) {
            *own = if is_variable { Value::Variable(Shared::new(RefCell::new(value))) } else { value };
        }
    }
}

/// Binds the names of a pattern, if the value matches it.
pub(crate) fn matches<N: Numeric>(
    pattern: &Pattern,
    value: Value<N>,
    slots: &mut Slots<'_, N>,
    program: &Program,
) -> Result<bool> {
    match pattern {
        Pattern::Any => return Ok(true),
        Pattern::Bind(slot, inner) => {
            if let Some(inner) = inner
                && !matches(inner, value.clone(), slots, program)?
            {
                return Ok(false);
            }
            slots.set(*slot, value);
            return Ok(true);
        }
        Pattern::Or(patterns) => {
            for inner in patterns {
                if matches(inner, value.clone(), slots, program)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        _ => {}
    }
    // The parts of a lent value are lent.
    let (value, lent) = match value {
        Value::Reference(lent) => (lent.load(program)?, Some(lent)),
        value => (value, None),
    };
    let part = |k: usize, part: &Value<N>| lent.as_ref().map_or_else(|| part.clone(), |lent| lent.part(k));
    match (pattern, &value) {
        (Pattern::Constant(constant), value) => equal(&Value::of(constant), value, program),
        (Pattern::Between(start, end, inclusive), value) => {
            let order = |end: &Option<Constant>| {
                end.as_ref()
                    .map(|end| order(value, &Value::of(end), program))
                    .transpose()
                    .map(Option::flatten)
            };
            let (low, high) = (order(start)?, order(end)?);
            let is_below = high.is_some_and(|high| if *inclusive { high.is_le() } else { high.is_lt() });
            Ok((end.is_none() || is_below) && (start.is_none() || low.is_some_and(Ordering::is_ge)))
        }
        (Pattern::Sequence(patterns, rest), Value::List(list) | Value::Tuple(list)) => {
            let left = list.len().checked_sub(patterns.len());
            let Some(left) = left.filter(|left| rest.is_some() || *left == 0) else { return Ok(false) };
            let before = rest.unwrap_or(patterns.len());
            for (k, inner) in patterns.iter().enumerate() {
                let at = if k < before { k } else { k + left };
                if !matches(inner, part(at, &list[at]), slots, program)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Pattern::Sequence(patterns, _), Value::Unit) => Ok(patterns.is_empty()),
        (Pattern::Data(data, variant, fields), Value::Data(own)) if own.data == *data => {
            if own.variant != *variant {
                return Ok(false);
            }
            for (at, inner) in fields {
                let Some(field) = value.field(*at as usize) else { return Ok(false) };
                if !matches(inner, part(*at as usize, field), slots, program)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (_, value) => Err(value.mismatch("the type of the pattern", program)),
    }
}
