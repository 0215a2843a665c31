//! Parameters from JSON and to JSON, checked by their declared types, with the messages of serde.

use super::error::{Error, Place};
use super::functions::default;
use super::integer::Kind;
use super::number::Numeric;
use super::places::near;
use super::tree::{Program, Type, Variant, known};
use super::value::{Caller, Data, Matrix, Value};
use least_action_core::system::Signal;
use serde_json::{Map, Value as Json};
use std::rc::Rc;

/// The deepest values.
pub(crate) const DEEPEST: u32 = 64;

fn found(json: &Json) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(truth) => format!("boolean `{truth}`"),
        Json::Number(number) if number.is_f64() => format!("floating point `{number}`"),
        Json::Number(number) => format!("integer `{number}`"),
        Json::String(text) => format!("string {text:?}"),
        Json::Array(_) => "sequence".to_owned(),
        Json::Object(_) => "map".to_owned(),
    }
}

fn expected(json: &Json, what: &str) -> Error {
    Error::new(format!("invalid type: {}, expected {what}", found(json)))
}

/// A value of a type from JSON.
pub(crate) fn read<N: Numeric>(
    json: &Json,
    of: &Type,
    depth: u32,
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let Some(depth) = depth.checked_sub(1) else { return Err(Error::new("these values nest too deep")) };
    caller.spend(1, 1)?;
    Ok(match of {
        Type::Number => Value::number(json.as_f64().ok_or_else(|| expected(json, "f64"))?),
        Type::Integer(kind) => Value::Integer(integer(json, *kind)?, *kind),
        Type::Bool => Value::Bool(json.as_bool().ok_or_else(|| expected(json, "a boolean"))?),
        Type::Text => Value::text(json.as_str().ok_or_else(|| expected(json, "a string"))?),
        Type::Char => {
            let mut signs = json.as_str().unwrap_or_default().chars();
            match (signs.next(), signs.next()) {
                (Some(sign), None) => Value::Char(sign),
                _ => return Err(expected(json, "a character")),
            }
        }
        Type::List(inner, length) => {
            let what = length
                .map_or_else(|| "a sequence".to_owned(), |length| format!("an array of length {length}"));
            let list = json.as_array().ok_or_else(|| expected(json, &what))?;
            if length.is_some_and(|length| length != list.len()) {
                return Err(Error::new(format!("invalid length {}, expected {what}", list.len())));
            }
            Value::list(list.iter().map(|one| read(one, inner, depth, caller)).collect::<Result<_, _>>()?)
        }
        Type::Tuple(all) => {
            let what = format!("a tuple of size {}", all.len());
            let list = json.as_array().ok_or_else(|| expected(json, &what))?;
            if list.len() != all.len() {
                return Err(Error::new(format!("invalid length {}, expected {what}", list.len())));
            }
            let both = list.iter().zip(all);
            Value::tuple(both.map(|(one, of)| read(one, of, depth, caller)).collect::<Result<_, _>>()?)
        }
        Type::Matrix(rows, columns) => {
            let count = usize::from(*rows) * usize::from(*columns);
            let what = format!("an array of length {count}");
            let list = json.as_array().ok_or_else(|| expected(json, &what))?;
            let numbers = list.iter().map(|one| one.as_f64().map(N::of).ok_or_else(|| expected(one, "f64")));
            let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
            if numbers.len() != count {
                return Err(Error::new(format!("invalid length {}, expected {what}", numbers.len())));
            }
            Value::Matrix(Matrix::new((*rows).into(), (*columns).into(), numbers))
        }
        Type::Signal => {
            let signal = serde_json::from_value::<Signal>(json.clone())
                .map_err(|error| Error::new(error.to_string()))?;
            Value::Host(Rc::new(signal))
        }
        Type::Data(known::OPTION, _) if json.is_null() => Value::option(None),
        Type::Data(known::OPTION, inner) => {
            Value::option(Some(read(json, inner.first().unwrap_or(&Type::Unknown), depth, caller)?))
        }
        Type::Data(known::CELL, _) => {
            let row = Type::Data(known::OPTION, vec![Type::List(Box::new(Type::Number), Some(3))]);
            Value::data(known::CELL, 0, vec![read(json, &Type::List(Box::new(row), Some(3)), depth, caller)?])
        }
        Type::Data(data, _) => return data_of(json, *data, depth, caller),
        Type::Unknown => return Err(Error::refused("a parameter of this type")),
    })
}

fn integer(json: &Json, kind: Kind) -> Result<i128, Error> {
    let number = json.as_i64().map(i128::from).or_else(|| json.as_u64().map(i128::from));
    match number {
        Some(number) => kind.holds(Some(number)).ok_or_else(|| {
            Error::new(format!("invalid value: integer `{number}`, expected {}", kind.name()))
        }),
        None => Err(expected(json, kind.name())),
    }
}

fn data_of<N: Numeric>(
    json: &Json,
    data: u32,
    depth: u32,
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let known = caller.program().data.get(data as usize).cloned().unwrap_or_default();
    if !known.is_enum {
        let fields = known.variants.first().cloned();
        let fields = fields.ok_or_else(|| Error::refused("a parameter of this type"))?;
        return Ok(Value::data(data, 0, fields_of(json, (&known.name, data), &fields, depth, caller)?));
    }
    let (name, inside) = match json {
        Json::String(name) => (name.as_str(), None),
        Json::Object(map) if map.len() == 1 => {
            map.iter().next().map_or(("", None), |(name, inside)| (name.as_str(), Some(inside)))
        }
        _ => return Err(expected(json, "string or map")),
    };
    let Some(variant) = known.variants.iter().position(|variant| variant.names[1] == name) else {
        let names = known.variants.iter().map(|variant| variant.names[1].as_str());
        let all = names.clone().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        return Err(near(
            Error::new(format!("unknown variant `{name}`, expected one of {all}")),
            name,
            names,
        ));
    };
    let fields = match (&known.variants[variant], inside) {
        (of, None) if of.fields.is_empty() => Vec::new(),
        (of, Some(inside)) => fields_of(inside, (&known.name, data), of, depth, caller)?,
        _ => return Err(Error::new(format!("invalid type: unit variant, expected the fields of `{name}`"))),
    };
    Ok(Value::data(data, variant as u32, fields))
}

fn fields_of<N: Numeric>(
    json: &Json,
    (name, data): (&str, u32),
    of: &Variant,
    depth: u32,
    caller: &mut dyn Caller<N>,
) -> Result<Vec<Value<N>>, Error> {
    if of.in_order {
        return match &of.fields[..] {
            [one] => Ok(vec![read(json, &one.r#type, depth, caller)?]),
            all => match read(
                json,
                &Type::Tuple(all.iter().map(|field| field.r#type.clone()).collect()),
                depth,
                caller,
            )? {
                Value::Tuple(list) => Ok(list.to_vec()),
                _ => Ok(Vec::new()),
            },
        };
    }
    let map = json.as_object().ok_or_else(|| expected(json, &format!("struct {name}")))?;
    if let Some(unknown) = map.keys().find(|key| !of.fields.iter().any(|field| field.name == **key)) {
        let names = of.fields.iter().map(|field| field.name.as_str());
        let all = names.clone().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        return Err(near(
            Error::new(format!("unknown field `{unknown}`, expected one of {all}")),
            unknown,
            names,
        ));
    }
    let mut defaults = None;
    let mut values = Vec::new();
    for (position, field) in of.fields.iter().enumerate() {
        if let Some(json) = map.get(&field.name) {
            let value = read(json, &field.r#type, depth, caller);
            values.push(value.map_err(|error| error.inside(&field.name))?);
            continue;
        }
        if defaults.is_none() {
            let found = default(&Type::Data(data, Vec::new()), caller);
            defaults = Some(found.map_err(|error| match caller.program() {
                // Nothing but the file can give these.
                program if program.model == Some(data) => {
                    error.at(program.data.get(data as usize).map_or(Place::default(), |known| known.place))
                }
                _ => Error::new(format!("missing field `{}`", field.name)),
            })?);
        }
        let own = defaults.as_ref().and_then(|defaults| defaults.field(position));
        values.push(own.cloned().ok_or_else(|| Error::new(format!("missing field `{}`", field.name)))?);
    }
    Ok(values)
}

/// A value as JSON; `null` for what JSON has no form for.
pub(crate) fn write<N: Numeric>(value: &Value<N>, program: &Program) -> Json {
    within(value, program, DEEPEST)
}

fn within<N: Numeric>(value: &Value<N>, program: &Program, depth: u32) -> Json {
    let Some(depth) = depth.checked_sub(1) else { return Json::Null };
    let list = |list: &[Value<N>]| Json::Array(list.iter().map(|one| within(one, program, depth)).collect());
    match value {
        Value::Bool(truth) => Json::Bool(*truth),
        Value::Number(number) => Json::from(number.real()),
        Value::Integer(number, _) => i64::try_from(*number)
            .map(Json::from)
            .or_else(|_| u64::try_from(*number).map(Json::from))
            .unwrap_or(Json::Null),
        Value::Char(sign) => Json::from(sign.to_string()),
        Value::Text(text) => Json::from(&**text),
        Value::List(all) | Value::Tuple(all) => list(all),
        Value::Matrix(Matrix { entries, .. }) => {
            Json::Array(entries.iter().map(|entry| Json::from(entry.real())).collect())
        }
        Value::Host(host) => match host.downcast_ref::<Signal>() {
            Some(signal) => serde_json::to_value(signal).unwrap_or(Json::Null),
            None => Json::Null,
        },
        Value::Data(Data { data: known::OPTION, .. }) => {
            value.inside().map_or(Json::Null, |inside| within(inside, program, depth))
        }
        Value::Data(Data { data, variant, fields }) => {
            let fields = fields.as_ref().map_or(&[][..], |fields| fields);
            let Some(known) = program.variant(*data, *variant) else { return Json::Null };
            let is_enum = program.data.get(*data as usize).is_some_and(|data| data.is_enum);
            let inside = match fields {
                [] if is_enum => return Json::from(known.names[1].as_str()),
                [one] if known.in_order || *data == known::CELL => within(one, program, depth),
                all if known.in_order => list(all),
                all => {
                    let pairs = known.fields.iter().zip(all);
                    Json::Object(
                        pairs
                            .map(|(field, value)| (field.name.clone(), within(value, program, depth)))
                            .collect(),
                    )
                }
            };
            if is_enum { Json::Object(Map::from_iter([(known.names[1].clone(), inside)])) } else { inside }
        }
        _ => Json::Null,
    }
}
