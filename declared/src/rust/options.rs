//! The methods of `Option` and `Result`.

use super::calls::{Call, Row};
use super::error::Error;
use super::functions::default;
use super::number::Numeric;
use super::tree::known;
use super::value::{Answer, Data, Value};

impl<N: Numeric> Value<N> {
    pub(crate) const OF_OPTIONS: &'static [Row<N>] = &[
        ("is_some is_ok", 0, |call| Ok(Value::Bool(call.own.inside().is_some()))),
        ("is_none is_err", 0, |call| Ok(Value::Bool(call.own.inside().is_none()))),
        ("unwrap", 0, |call| {
            let is_option = matches!(call.own, Value::Data(Data { data: known::OPTION, .. }));
            inside(call).ok_or_else(|| {
                let of = if is_option { ("Option", "a `None`") } else { ("Result", "an `Err`") };
                Error::new(format!("called `{}::unwrap()` on {} value", of.0, of.1))
            })
        }),
        ("expect", 1, |call| {
            let words = call.take(0)?;
            inside(call).ok_or_else(|| Error::new(words.as_text().unwrap_or("`expect` failed")))
        }),
        ("unwrap_or", 1, |call| inside(call).map_or_else(|| call.take(0), Ok)),
        ("unwrap_or_else", 1, |call| inside(call).map_or_else(|| otherwise(call, 0), Ok)),
        ("unwrap_or_default", 0, |call| match inside(call) {
            Some(value) => Ok(value),
            None => default(call.wanted, call.caller),
        }),
        ("map", 1, |call| match inside(call) {
            Some(value) => call.call(0, [value]).map(|value| again(call, value)),
            None => Ok(whole(call)),
        }),
        ("map_or", 2, |call| match inside(call) {
            Some(value) => call.call(1, [value]),
            None => call.take(0),
        }),
        ("map_or_else", 2, |call| match inside(call) {
            Some(value) => call.call(1, [value]),
            None => otherwise(call, 0),
        }),
        ("and_then", 1, |call| match inside(call) {
            Some(value) => call.call(0, [value]),
            None => Ok(whole(call)),
        }),
    ];
}

fn inside<N: Numeric>(call: &Call<'_, N>) -> Option<Value<N>> {
    call.own.inside().cloned()
}

fn whole<N: Numeric>(call: &mut Call<'_, N>) -> Value<N> {
    std::mem::take(&mut call.own)
}

/// An option or a result as the receiver, with another value.
fn again<N: Numeric>(call: &Call<'_, N>, value: Value<N>) -> Value<N> {
    match call.own {
        Value::Data(Data { data: known::RESULT, .. }) => Value::result(Ok(value)),
        _ => Value::option(Some(value)),
    }
}

/// What a function gives for `None`, or for the error.
fn otherwise<N: Numeric>(call: &mut Call<'_, N>, k: usize) -> Answer<N> {
    match call.own.field(0).cloned() {
        Some(error) => call.call(k, [error]),
        None => call.call(k, []),
    }
}
