//! The methods of `Option` and `Result`.

use super::error::Error;
use super::iterators::iterate;
use super::number::Numeric;
use super::operators::shaped;
use super::tree::{Method, Type, known};
use super::value::{Caller, Data, Value};

/// Calls a method; `None` if there is none of this name.
pub(crate) fn method<N: Numeric>(
    method: &Method,
    own: &Data<N>,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Option<Value<N>>, Error> {
    let is_option = own.data == known::OPTION;
    let full = if is_option { known::SOME } else { known::OK };
    let inside = own.fields.as_ref().and_then(|fields| fields.first()).cloned();
    let (value, error) = if own.variant == full { (inside, None) } else { (None, inside) };
    let whole = || Value::Data(own.clone());
    let again = |value: Value<N>| Value::data(own.data, full, vec![value]);
    Ok(Some(match (&*method.name, &mut *arguments, value) {
        ("is_some" | "is_ok", [], value) => Value::Bool(value.is_some()),
        ("is_none" | "is_err", [], value) => Value::Bool(value.is_none()),
        ("is_some_and" | "is_ok_and", [function], Some(value)) => caller.call(function, &mut [value])?,
        ("is_some_and" | "is_ok_and", [_], None) => Value::Bool(false),
        ("unwrap" | "unwrap_or_default", [], Some(value))
        | ("expect" | "unwrap_or" | "unwrap_or_else", [_], Some(value)) => value,
        ("unwrap", [], None) => {
            let what = if is_option {
                "`Option::unwrap()` on a `None` value"
            } else {
                "`Result::unwrap()` on an `Err` value"
            };
            return Err(Error::new(format!("called {what}")));
        }
        ("expect", [words], None) => return Err(Error::new(words.as_text().unwrap_or("`expect` failed"))),
        ("unwrap_or", [other], None) => std::mem::take(other),
        ("unwrap_or_else", [function], None) => {
            caller.call(function, error.as_slice().to_vec().as_mut_slice())?
        }
        ("unwrap_or_default", [], None) => super::functions::default(&method.wanted, caller)?,
        ("map", [function], Some(value)) => again(caller.call(function, &mut [value])?),
        ("map_or" | "map_or_else", [_, function], Some(value)) => caller.call(function, &mut [value])?,
        ("map_or", [other, _], None) => std::mem::take(other),
        ("map_or_else", [function, _], None) => {
            caller.call(function, error.as_slice().to_vec().as_mut_slice())?
        }
        ("and_then", [function], Some(value)) => caller.call(function, &mut [value])?,
        ("filter", [function], Some(value)) => match caller.call(function, &mut [value.clone()])? {
            Value::Bool(true) => again(value),
            _ => Value::option(None),
        },
        ("or_else", [function], None) => caller.call(function, error.as_slice().to_vec().as_mut_slice())?,
        ("or", [other], None) | ("and", [other], Some(_)) => std::mem::take(other),
        ("map_err", [function], None) => {
            let error = caller.call(function, error.as_slice().to_vec().as_mut_slice())?;
            Value::data(known::RESULT, known::ERR, vec![error])
        }
        ("ok_or" | "ok_or_else", [_], Some(value)) => Value::data(known::RESULT, known::OK, vec![value]),
        ("ok_or", [error], None) => Value::data(known::RESULT, known::ERR, vec![std::mem::take(error)]),
        ("ok_or_else", [function], None) => {
            Value::data(known::RESULT, known::ERR, vec![caller.call(function, &mut [])?])
        }
        ("ok", [], value) => Value::option(value),
        ("err", [], _) => Value::option(error),
        ("flatten", [], Some(value)) => value,
        ("zip", [other], Some(value)) => match other.inside() {
            Some(other) => again(Value::tuple(vec![value, other.clone()])),
            None => Value::option(None),
        },
        ("iter" | "into_iter", [], _) => Value::iterator(iterate(whole(), caller)?),
        ("as_ref" | "as_mut" | "copied" | "cloned" | "as_deref" | "clone" | "into", [], _) => {
            match method.wanted {
                Type::Unknown => whole(),
                _ => shaped(whole(), &method.wanted, caller.program())?,
            }
        }
        ("map" | "and_then" | "filter" | "zip" | "flatten" | "and", _, None) => whole(),
        ("or" | "or_else" | "map_err", _, Some(_)) => whole(),
        _ => return Ok(None),
    }))
}
