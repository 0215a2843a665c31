//! Parameters from JSON and to JSON, checked by their declared types, with the messages of serde.

use super::error::{Error, Place, Result};
use super::functions::default;
use super::integer::Kind;
use super::number::Numeric;
use super::operators::shaped;
use super::places::near;
use super::tree::{Field, Program, Type, known};
use super::value::{Answer, Caller, Data, Matrix, Value};
use least_action_core::system::Signal;
use serde_json::Value as Json;
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
pub(crate) fn read<N: Numeric>(json: &Json, of: &Type, depth: u32, caller: &mut dyn Caller<N>) -> Answer<N> {
    let Some(depth) = depth.checked_sub(1) else { return Err(Error::new("these values nest too deep")) };
    caller.spend(1, 1)?;
    Ok(match of {
        Type::Number => Value::number(json.as_f64().ok_or_else(|| expected(json, "f64"))?),
        Type::Integer(kind) => Value::Integer(integer(json, *kind)?, *kind),
        Type::Bool => Value::Bool(json.as_bool().ok_or_else(|| expected(json, "a boolean"))?),
        Type::Text => Value::text(json.as_str().ok_or_else(|| expected(json, "a string"))?),
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
            let list = read(json, &Type::List(Box::new(Type::Number), Some(count)), depth, caller)?;
            shaped(list, of, caller.program())?
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
        Type::Data(data, _) => return data_of(json, *data, depth, caller),
        Type::Unknown => return Err(Error::refused("a parameter of this type")),
    })
}

fn integer(json: &Json, kind: Kind) -> Result<i128> {
    let number = json.as_i64().map(i128::from).or_else(|| json.as_u64().map(i128::from));
    match number {
        Some(number) => kind.holds(Some(number)).ok_or_else(|| {
            Error::new(format!("invalid value: integer `{number}`, expected {}", kind.name()))
        }),
        None => Err(expected(json, kind.name())),
    }
}

/// A struct, or an enum whose variant has no fields.
fn data_of<N: Numeric>(json: &Json, data: u32, depth: u32, caller: &mut dyn Caller<N>) -> Answer<N> {
    let known = caller.program().data.get(data as usize).cloned().unwrap_or_default();
    let Some(first) = known.variants.first() else { return Err(Error::refused("a parameter of this type")) };
    if !known.is_enum && first.in_order {
        if let [one] = &first.fields[..] {
            return Ok(Value::data(data, 0, vec![read(json, &one.r#type, depth, caller)?]));
        }
        let types = first.fields.iter().map(|field| field.r#type.clone()).collect();
        let Value::Tuple(fields) = read(json, &Type::Tuple(types), depth, caller)? else {
            return Err(expected(json, "array"));
        };
        return Ok(Value::data(data, 0, fields.to_vec()));
    }
    if !known.is_enum {
        return Ok(Value::data(data, 0, fields_of(json, (&known.name, data), &first.fields, depth, caller)?));
    }
    let name = json.as_str().ok_or_else(|| expected(json, "string or map"))?;
    let variant = known.variants.iter().position(|variant| variant.names[1] == name);
    let names = known.variants.iter().map(|variant| variant.names[1].as_str());
    let variant = variant.ok_or_else(|| unknown("variant", name, names))?;
    if !known.variants[variant].fields.is_empty() {
        return Err(Error::refused("a parameter that is a variant with fields"));
    }
    Ok(Value::data(data, variant as u32, Vec::new()))
}

fn unknown<'n>(what: &str, name: &str, names: impl Iterator<Item = &'n str> + Clone) -> Error {
    let all = names.clone().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    near(Error::new(format!("unknown {what} `{name}`, expected one of {all}")), name, names)
}

fn fields_of<N: Numeric>(
    json: &Json,
    (name, data): (&str, u32),
    fields: &[Field],
    depth: u32,
    caller: &mut dyn Caller<N>,
) -> Result<Vec<Value<N>>> {
    let map = json.as_object().ok_or_else(|| expected(json, &format!("struct {name}")))?;
    let names = fields.iter().map(|field| field.name.as_str());
    if let Some(other) = map.keys().find(|key| !names.clone().any(|name| name == **key)) {
        return Err(unknown("field", other, names));
    }
    let mut defaults = None;
    let mut values = Vec::new();
    for (position, field) in fields.iter().enumerate() {
        if let Some(json) = map.get(&field.name) {
            let value = read(json, &field.r#type, depth, caller);
            values.push(value.map_err(|error| error.inside(&field.name))?);
            continue;
        }
        let missing = || Error::new(format!("missing field `{}`", field.name));
        if defaults.is_none() {
            let found = default(&Type::Data(data, Vec::new()), caller);
            defaults = Some(found.map_err(|error| match caller.program() {
                // Nothing but the file can give these.
                program if program.model == Some(data) => {
                    error.at(program.data.get(data as usize).map_or(Place::default(), |known| known.place))
                }
                _ => missing(),
            })?);
        }
        let own = defaults.as_ref().and_then(|defaults| defaults.field(position));
        values.push(own.cloned().ok_or_else(missing)?);
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
            match fields {
                [] if is_enum => Json::from(known.names[1].as_str()),
                [one] if known.in_order => within(one, program, depth),
                all if known.in_order => list(all),
                all => {
                    let pairs = known.fields.iter().zip(all);
                    let pair =
                        |(field, value): (&Field, _)| (field.name.clone(), within(value, program, depth));
                    Json::Object(pairs.map(pair).collect())
                }
            }
        }
        _ => Json::Null,
    }
}
