//! The methods of numbers, integers and truth values.

use super::calls::{Call, Row};
use super::error::{Error, Result};
use super::integer::Kind;
use super::number::{Elementary, Numeric};
use super::value::{Answer, Value};

impl<N: Numeric> Value<N> {
    pub(crate) const OF_NUMBERS: &'static [Row<N>] = &[
        ("powi", 1, |call| {
            let exponent = call.plain(0)?;
            let small = exponent.as_integer().and_then(|exponent| i32::try_from(exponent).ok());
            let small = small.ok_or_else(|| exponent.mismatch("i32", call.program()))?;
            Ok(Value::Number(call.own_number()?.power(small)))
        }),
        // Of a number and NaN the number is taken.
        ("max", 1, |call| {
            let (own, other) = (call.own_number()?, call.number(0)?);
            let takes = other.real() > own.real() || own.real().is_nan();
            Ok(Value::Number(if takes { other } else { own }))
        }),
        ("min", 1, |call| {
            let (own, other) = (call.own_number()?, call.number(0)?);
            let takes = other.real() < own.real() || own.real().is_nan();
            Ok(Value::Number(if takes { other } else { own }))
        }),
        ("clamp", 2, |call| {
            let (own, low, high) = (call.own_number()?, call.number(0)?, call.number(1)?);
            if low.real().partial_cmp(&high.real()).is_none_or(std::cmp::Ordering::is_gt) {
                return Err(Error::new("min > max, or either was NaN"));
            }
            let is_over = own.real() > high.real();
            Ok(Value::Number(if own.real() < low.real() {
                low
            } else if is_over {
                high
            } else {
                own
            }))
        }),
        ("mul_add", 2, |call| {
            Ok(Value::Number(call.own_number()?.times_plus(call.number(0)?, call.number(1)?)))
        }),
        ("sin_cos", 0, |call| {
            let both = [Elementary::sin, Elementary::cos];
            let own = call.own_number()?;
            Ok(Value::tuple(both.map(|function| Value::Number(own.apply(function))).to_vec()))
        }),
        ("fract", 0, |call| {
            let own = call.own_number()?;
            Ok(Value::Number(own - N::of(own.real().trunc())))
        }),
        ("is_nan", 0, |call| Ok(Value::Bool(call.own_number()?.real().is_nan()))),
        ("is_finite", 0, |call| Ok(Value::Bool(call.own_number()?.real().is_finite()))),
        ("total_cmp", 1, |call| {
            Ok(Value::ordering(call.own_number()?.real().total_cmp(&call.number(0)?.real())))
        }),
    ];

    pub(crate) const OF_INTEGERS: &'static [Row<N>] = &[
        ("pow", 1, |call| {
            let (own, power, kind) = both(call)?;
            whole(kind.holds(exact("pow", own, power)), kind, || {
                "attempt to multiply with overflow".to_owned()
            })
        }),
        ("abs unsigned_abs", 0, |call| alone(call, i128::checked_abs)),
        ("signum", 0, |call| alone(call, |own| Some(own.signum()))),
        ("min", 1, |call| beside(call, |own, other| Some(own.min(other)))),
        ("max", 1, |call| beside(call, |own, other| Some(own.max(other)))),
        ("rem_euclid", 1, |call| beside(call, i128::checked_rem_euclid)),
        ("is_multiple_of", 1, |call| {
            let (own, other, _) = both(call)?;
            Ok(Value::Bool(if other == 0 { own == 0 } else { own.checked_rem(other) == Some(0) }))
        }),
        ("clamp", 2, |call| {
            let ((own, kind), low, high) = (call.integer()?, call.plain(0)?, call.plain(1)?);
            let ends = low.as_integer().zip(high.as_integer()).filter(|(low, high)| low <= high);
            let (low, high) = ends.ok_or_else(|| Error::new("assertion failed: min <= max"))?;
            Ok(Value::Integer(own.clamp(low, high), kind))
        }),
        ("saturating_add saturating_sub saturating_mul saturating_pow", 1, |call| {
            let (a, b, kind) = both(call)?;
            let is_negative = match operation(call.name) {
                "sub" => b > a,
                "add" => a < 0,
                "pow" => a < 0 && b % 2 == 1,
                _ => (a < 0) != (b < 0),
            };
            let (least, most) = kind.range();
            let value = kind.holds(exact(call.name, a, b));
            Ok(Value::Integer(value.unwrap_or(if is_negative { least } else { most }), kind))
        }),
        ("wrapping_add wrapping_sub wrapping_mul", 1, |call| {
            let (a, b, kind) = both(call)?;
            // The low bits of a product do not depend on its high ones.
            let value = match operation(call.name) {
                "add" => a.wrapping_add(b),
                "sub" => a.wrapping_sub(b),
                _ => a.wrapping_mul(b),
            };
            Ok(Value::Integer(kind.wrapped(value), kind))
        }),
    ];

    pub(crate) const OF_TRUTHS: &'static [Row<N>] = &[
        ("then_some", 1, |call| {
            let value = call.take(0)?;
            Ok(Value::option(matches!(call.own, Value::Bool(true)).then_some(value)))
        }),
        ("then", 1, |call| match call.own {
            Value::Bool(true) => call.call(0, []).map(|value| Value::option(Some(value))),
            _ => Ok(Value::option(None)),
        }),
    ];
}

/// The receiver, the argument and the type of both; the exponent of a power has its own.
fn both<N: Numeric>(call: &mut Call<'_, N>) -> Result<(i128, i128, Kind)> {
    let (own, kind) = call.integer()?;
    match call.plain(0)? {
        Value::Integer(power, _) if call.name.ends_with("pow") => Ok((own, power, kind)),
        Value::Integer(other, of_other) => Ok((own, other, kind.common(of_other)?)),
        other => Err(other.mismatch(kind.name(), call.program())),
    }
}

/// The last word of a name such as `wrapping_add`.
fn operation(name: &str) -> &str {
    name.rsplit('_').next().unwrap_or(name)
}

fn exact(name: &str, a: i128, b: i128) -> Option<i128> {
    match operation(name) {
        "add" => a.checked_add(b),
        "sub" => a.checked_sub(b),
        "mul" => a.checked_mul(b),
        _ => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
    }
}

fn whole<N: Numeric>(value: Option<i128>, kind: Kind, told: impl FnOnce() -> String) -> Answer<N> {
    value.map(|value| Value::Integer(value, kind)).ok_or_else(|| Error::new(told()))
}

fn alone<N: Numeric>(call: &Call<'_, N>, of: fn(i128) -> Option<i128>) -> Answer<N> {
    let (own, kind) = call.integer()?;
    whole(kind.holds(of(own)), kind, || format!("attempt to compute `{}` with overflow", call.name))
}

fn beside<N: Numeric>(call: &mut Call<'_, N>, of: fn(i128, i128) -> Option<i128>) -> Answer<N> {
    let (own, other, kind) = both(call)?;
    let name = call.name;
    whole(kind.holds(of(own, other)), kind, || match other {
        0 => "attempt to divide by zero".to_owned(),
        _ => format!("attempt to compute `{name}` with overflow"),
    })
}
