//! The methods of values that the interpreter has.

use super::error::Error;
use super::integer::{Answer, Kind, alone, method as of_integer};
use super::iterators::{eager, iterate, lazy};
use super::number::Numeric;
use super::operator::Operator;
use super::operators::{equal, order, shaped};
use super::places::{loaded, near};
use super::tree::{Known, Method, Program, known};
use super::value::{Caller, Data, Matrix, Value};
use super::{lists, matrix, options};
use std::cmp::Ordering;

/// Calls a method of the interpreter.
pub(crate) fn call<N: Numeric>(
    method: &Method,
    own: Value<N>,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    if !matches!(&*method.name, "zip" | "chain") {
        for argument in arguments.iter_mut().filter(|argument| matches!(argument, Value::Reference(_))) {
            *argument = loaded(std::mem::take(argument), caller.program())?;
        }
    }
    let found = match &own {
        Value::Number(number) => of_number(method, number, arguments),
        Value::Integer(number, kind) => of_whole(&method.name, (*number, *kind), arguments),
        Value::Data(data) if data.data <= known::RESULT => {
            options::method(method, data, arguments, caller)?.map(Ok)
        }
        Value::Data(data) if data.data == known::LOOK => recorded(method, data, arguments, caller)?.map(Ok),
        Value::List(list) => lists::method(method, list, arguments, caller)?.map(Ok),
        Value::Matrix(own) => matrix::method(&method.name, own, arguments),
        Value::Text(text) => lists::of_text(method, text, arguments).map(Ok),
        Value::Bool(truth) => of_truth(&method.name, *truth, arguments, caller)?.map(Ok),
        Value::Data(data) => of_data(&method.name, data).map(Ok),
        Value::Host(host) => of_signal(&method.name, host, arguments).map(Ok),
        _ => None,
    };
    match found {
        Some(result) => result,
        None => common(method, own, arguments, caller),
    }
}

/// The methods of all values, and those of iterators.
fn common<N: Numeric>(
    method: &Method,
    own: Value<N>,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let program = caller.program();
    match (&*method.name, &*arguments) {
        ("clone", []) => {
            if let Value::Iterator(iterator) = &own {
                let copy =
                    iterator.try_borrow().map_err(|_| Error::new("this iterator is in use already"))?.clone();
                return Ok(Value::iterator(copy));
            }
            return Ok(own);
        }
        (
            "to_owned" | "into" | "borrow" | "as_ref" | "as_mut" | "deref" | "copied" | "cloned" | "as_slice"
            | "into_inner",
            [],
        ) if !matches!(own, Value::Iterator(_) | Value::Range(_)) => {
            return shaped(own, &method.wanted, program);
        }
        ("eq", [other]) => return equal(&own, other, program).map(Value::Bool),
        ("ne", [other]) => return equal(&own, other, program).map(|same| Value::Bool(!same)),
        ("cmp", [other]) => {
            let found = order(&own, other, program)?;
            let unordered = || Error::new("these values have no order: `partial_cmp` says so by `None`");
            return Ok(Value::ordering(found.ok_or_else(unordered)?));
        }
        ("partial_cmp", [other]) => {
            return Ok(Value::option(order(&own, other, program)?.map(Value::ordering)));
        }
        ("then" | "then_with" | "reverse" | "is_lt" | "is_le" | "is_gt" | "is_ge" | "is_eq" | "is_ne", _) => {
            if let Some(order) = super::iterators::ordering(&own) {
                return of_order(&method.name, order, arguments, caller);
            }
        }
        ("to_string", []) => return Ok(Value::text(&shown(&own, program))),
        ("contains", [item]) => {
            if let Value::Range(ends) = &own {
                let low = order(&ends.start, item, program)?.is_some_and(Ordering::is_le);
                let high = matches!(ends.end, Value::Unit)
                    || order(item, &ends.end, program)?
                        .is_some_and(|high| if ends.inclusive { high.is_le() } else { high.is_lt() });
                return Ok(Value::Bool(low && high));
            }
        }
        ("start" | "end", []) => {
            if let Value::Range(ends) = &own {
                return Ok(if &*method.name == "start" { ends.start.clone() } else { ends.end.clone() });
            }
        }
        ("is_empty", []) => {
            if let Value::Range(ends) = &own {
                let order = order(&ends.start, &ends.end, program)?;
                return Ok(Value::Bool(
                    !order.is_some_and(|order| if ends.inclusive { order.is_le() } else { order.is_lt() }),
                ));
            }
        }
        _ => {}
    }
    if !matches!(own, Value::Iterator(_) | Value::Range(_)) {
        return Err(unknown(method, &own, program));
    }
    let iterator = iterate(own, caller)?;
    match lazy(&method.name, iterator, arguments, caller)? {
        Ok(made) => Ok(Value::iterator(made)),
        Err(mut iterator) => match eager(&method.name, &mut iterator, arguments, &method.wanted, caller)? {
            Some(value) => Ok(value),
            None => Err(unknown(method, &Value::iterator(iterator), caller.program())),
        },
    }
}

fn unknown<N: Numeric>(method: &Method, own: &Value<N>, program: &Program) -> Error {
    let error = Error::new(format!("no method named `{}` found for `{}`", method.name, own.kind(program)));
    let own = match own {
        Value::Data(data) => program.data.get(data.data as usize).map(|data| &data.methods[..]),
        _ => None,
    };
    let names = own.unwrap_or_default().iter().map(|(name, _)| program.name(*name));
    near(error, &method.name, names.chain(COMMON))
}

/// Names that a misspelt one may mean.
const COMMON: [&str; 24] = [
    "sin",
    "cos",
    "sqrt",
    "powi",
    "powf",
    "atan2",
    "norm",
    "norm_squared",
    "normalize",
    "cross",
    "dot",
    "len",
    "push",
    "iter",
    "map",
    "filter",
    "enumerate",
    "collect",
    "flat_map",
    "to_vec",
    "unwrap_or",
    "extend",
    "transpose",
    "abs",
];

fn of_number<N: Numeric>(
    method: &Method,
    own: &N,
    arguments: &[Value<N>],
) -> Option<Result<Value<N>, Error>> {
    if let (Known::Elementary(function), []) = (method.known, arguments) {
        return Some(Ok(Value::Number(own.apply(function))));
    }
    let real = own.real();
    let value = match (&*method.name, arguments) {
        (_, [Value::Number(other)]) if let Known::OfTwo(function) = method.known => {
            Value::Number(own.with(function, other))
        }
        // Of a number and NaN the number is taken.
        ("max", [Value::Number(other)]) => {
            Value::Number(if other.real() > real || real.is_nan() { other.clone() } else { own.clone() })
        }
        ("min", [Value::Number(other)]) => {
            Value::Number(if other.real() < real || real.is_nan() { other.clone() } else { own.clone() })
        }
        ("clamp", [Value::Number(low), Value::Number(high)]) => {
            if low.real().partial_cmp(&high.real()).is_none_or(Ordering::is_gt) {
                return Some(Err(Error::new("min > max, or either was NaN")));
            }
            Value::Number(if real < low.real() {
                low.clone()
            } else if real > high.real() {
                high.clone()
            } else {
                own.clone()
            })
        }
        ("mul_add", [Value::Number(factor), Value::Number(term)]) => {
            Value::Number(own.times_plus(factor, term))
        }
        ("sin_cos", []) => {
            use super::number::Elementary::{cos, sin};
            Value::tuple([sin, cos].map(|function| Value::Number(own.apply(function))).to_vec())
        }
        ("fract", []) => Value::Number(own.minus(&N::of(real.trunc()))),
        ("is_nan", []) => Value::Bool(real.is_nan()),
        ("is_finite", []) => Value::Bool(real.is_finite()),
        ("is_infinite", []) => Value::Bool(real.is_infinite()),
        ("is_normal", []) => Value::Bool(real.is_normal()),
        ("is_sign_negative", []) => Value::Bool(real.is_sign_negative()),
        ("is_sign_positive", []) => Value::Bool(real.is_sign_positive()),
        ("total_cmp", [Value::Number(other)]) => Value::ordering(real.total_cmp(&other.real())),
        ("to_bits", []) => Value::Integer(real.to_bits().into(), Kind::U64),
        ("div_euclid", [Value::Number(other)]) => Value::number(real.div_euclid(other.real())),
        _ => return None,
    };
    Some(Ok(value))
}

fn of_whole<N: Numeric>(
    name: &str,
    (own, kind): (i128, Kind),
    arguments: &[Value<N>],
) -> Option<Result<Value<N>, Error>> {
    let (answer, kind) = match arguments {
        [] => (alone(name, own, kind)?, kind),
        [Value::Integer(other, of_other)] => {
            let is_power = name.ends_with("pow") || name.ends_with("shl") || name.ends_with("shr");
            match if is_power { Ok(kind) } else { kind.common(*of_other) } {
                Ok(kind) => (of_integer(name, own, *other, kind)?, kind),
                Err(error) => return Some(Err(error)),
            }
        }
        [Value::Integer(low, _), Value::Integer(high, _)] if name == "clamp" && low <= high => {
            (Ok(Answer::Integer(own.clamp(*low, *high))), kind)
        }
        _ => return None,
    };
    Some(answer.map(|answer| match answer {
        Answer::Integer(value) => Value::Integer(value, kind),
        Answer::Perhaps(value) => Value::option(value.map(|value| Value::Integer(value, kind))),
        Answer::Bool(truth) => Value::Bool(truth),
    }))
}

fn of_truth<N: Numeric>(
    name: &str,
    own: bool,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Option<Value<N>>, Error> {
    Ok(match (name, arguments) {
        ("then_some", [value]) => Some(Value::option(own.then(|| std::mem::take(value)))),
        ("then", [function]) => {
            Some(Value::option(if own { Some(caller.call(function, &mut [])?) } else { None }))
        }
        _ => None,
    })
}

fn of_order<N: Numeric>(
    name: &str,
    own: Ordering,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    Ok(match (name, arguments) {
        ("then", [other]) => {
            if own.is_eq() {
                std::mem::take(other)
            } else {
                Value::ordering(own)
            }
        }
        ("then_with", [function]) if own.is_eq() => caller.call(function, &mut [])?,
        ("reverse", _) => Value::ordering(own.reverse()),
        ("is_lt", _) => Value::Bool(own.is_lt()),
        ("is_le", _) => Value::Bool(own.is_le()),
        ("is_gt", _) => Value::Bool(own.is_gt()),
        ("is_ge", _) => Value::Bool(own.is_ge()),
        ("is_eq", _) => Value::Bool(own.is_eq()),
        ("is_ne", _) => Value::Bool(own.is_ne()),
        _ => Value::ordering(own),
    })
}

/// A method of `Cell`, `State` or a quaternion.
fn of_data<N: Numeric>(name: &str, own: &Data<N>) -> Option<Value<N>> {
    let first = || own.fields.as_ref()?.first().cloned();
    match (own.data, name) {
        (known::CELL, "rows") | (known::QUATERNION, "coords" | "as_vector") => first(),
        _ => None,
    }
}

/// A method of a signal.
fn of_signal<N: Numeric>(
    name: &str,
    own: &std::rc::Rc<dyn std::any::Any>,
    arguments: &[Value<N>],
) -> Option<Value<N>> {
    let signal = own.downcast_ref::<least_action_core::system::Signal>()?;
    match (name, arguments) {
        ("value", [Value::Number(t)]) => Some(Value::number(signal.value(t.real()))),
        ("times", []) => Some(Value::list(signal.times().iter().map(|t| Value::number(*t)).collect())),
        ("values", []) => {
            Some(Value::list(signal.values().iter().map(|value| Value::number(*value)).collect()))
        }
        _ => None,
    }
}

/// The methods that build a look; each is kept with its arguments until the look is made.
pub(crate) const BUILDERS: [&str; 17] = [
    "points", "fixed", "rod", "spring", "cylinder", "cone", "disc", "label", "ground", "bonds", "springs",
    "radius", "colours", "species", "boxes", "hide", "colour",
];

fn recorded<N: Numeric>(
    method: &Method,
    own: &Data<N>,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Option<Value<N>>, Error> {
    if !BUILDERS.contains(&&*method.name) {
        return Ok(None);
    }
    let mut call = vec![Value::text(&method.name)];
    for argument in arguments {
        let argument = std::mem::take(argument);
        call.push(match argument {
            Value::Iterator(_) | Value::Range(_) => {
                let items = iterate(argument, caller)?;
                Value::list(super::iterators::collected(items, caller)?)
            }
            other => other,
        });
    }
    let mut calls = own
        .fields
        .as_ref()
        .and_then(|fields| fields.first())
        .and_then(Value::as_list)
        .unwrap_or_default()
        .to_vec();
    caller.spend(calls.len(), calls.len())?;
    calls.push(Value::tuple(call));
    Ok(Some(Value::data(known::LOOK, 0, vec![Value::list(calls)])))
}

/// The function of the file that an operator means for its types.
pub(crate) fn of_operator(operator: Operator, data: u32, program: &Program) -> Option<u32> {
    let name = match operator {
        Operator::Add => "add",
        Operator::Sub => "sub",
        Operator::Mul => "mul",
        Operator::Div => "div",
        Operator::Rem => "rem",
        Operator::Equal => "eq",
        _ => return None,
    };
    program.method_of(data, *program.symbols.get(name)?)
}

/// A value as text.
pub(crate) fn shown<N: Numeric>(value: &Value<N>, program: &Program) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Number(number) => number.real().to_string(),
        Value::Integer(number, _) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Char(sign) => sign.to_string(),
        Value::Matrix(Matrix { entries, .. }) => {
            format!("{:?}", entries.iter().map(N::real).collect::<Vec<_>>())
        }
        Value::Data(data) if data.fields.is_none() => program
            .variant(data.data, data.variant)
            .map_or_else(String::new, |variant| variant.names[0].clone()),
        Value::List(list) => {
            let some = list.iter().take(20).map(|value| {
                if let Value::List(_) = value { "[…]".to_owned() } else { shown(value, program) }
            });
            format!("[{}{}]", some.collect::<Vec<_>>().join(", "), if list.len() > 20 { ", …" } else { "" })
        }
        other => other.kind(program),
    }
}
