//! Places inside of variables, read and changed.

use super::error::Error;
use super::number::Numeric;
use super::shared::Shared;
use super::tree::{Member, Program};
use super::value::{Data, Matrix, Reference, Step, Value};
use std::cell::RefCell;

/// The most references that lead to one another.
const MOST: u32 = 64;

/// The value of a place, or the value itself.
pub(crate) fn loaded<N: Numeric>(value: Value<N>, program: &Program) -> Result<Value<N>, Error> {
    match value {
        Value::Reference(reference) => reference.load(program),
        other => Ok(other),
    }
}

impl<N: Numeric> Reference<N> {
    /// The value of the place.
    pub(crate) fn load(&self, program: &Program) -> Result<Value<N>, Error> {
        let mut value = self.root.try_borrow().map_err(|_| in_use())?.clone();
        let mut steps = self.steps.clone();
        let mut hops = 0;
        let mut at = 0;
        loop {
            match value {
                Value::Reference(inner) => {
                    hops += 1;
                    if hops > MOST {
                        return Err(Error::new("too many references lead to one another"));
                    }
                    value = inner.root.try_borrow().map_err(|_| in_use())?.clone();
                    steps = inner.steps.iter().chain(steps.get(at..).unwrap_or_default()).cloned().collect();
                    at = 0;
                }
                other => match steps.get(at) {
                    Some(step) => {
                        value = into(&other, step, program)?;
                        at += 1;
                    }
                    None => return Ok(other),
                },
            }
        }
    }
}

fn in_use() -> Error {
    Error::new("this variable is in use already")
}

/// A step into a value.
pub(crate) fn into<N: Numeric>(value: &Value<N>, step: &Step, program: &Program) -> Result<Value<N>, Error> {
    let found = match (step, value) {
        (Step::Deref, value) => Some(value.clone()),
        (Step::Field(member), value) => field(value, *member, program),
        (Step::At(k), Value::List(list) | Value::Tuple(list)) => list.get(*k).cloned(),
        (Step::At(k), Value::Data(Data { fields: Some(fields), .. })) => fields.get(*k).cloned(),
        (Step::At(k), Value::Matrix(matrix)) => matrix.entries.get(*k).copied().map(Value::Number),
        (Step::Entry(i, j), Value::Matrix(matrix)) => {
            matrix.place(*i, *j).and_then(|k| matrix.entries.get(k)).copied().map(Value::Number)
        }
        _ => None,
    };
    found.ok_or_else(|| missing(value, step, program))
}

/// A field of a value; `None` if it has none.
pub(crate) fn field<N: Numeric>(value: &Value<N>, member: Member, program: &Program) -> Option<Value<N>> {
    match value {
        Value::Data(Data { data, variant, fields: Some(fields) }) => {
            fields.get(program.position(*data, *variant, member)?).cloned()
        }
        Value::Tuple(list) => list.get(member.likely as usize).cloned(),
        Value::Matrix(Matrix { entries, .. }) => {
            entries.get(component(program.name(member.symbol))?).copied().map(Value::Number)
        }
        Value::Range(ends) => match program.name(member.symbol) {
            "start" => Some(ends.start.clone()),
            "end" => Some(ends.end.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The error that a value has no such part.
pub(crate) fn missing<N: Numeric>(value: &Value<N>, step: &Step, program: &Program) -> Error {
    match (step, value) {
        (Step::Field(member), value) => {
            let name = program.name(member.symbol);
            let error = Error::new(format!("no field `{name}` on type `{}`", value.kind(program)));
            let known = match value {
                Value::Data(data) => program.variant(data.data, data.variant),
                _ => None,
            };
            let names =
                known.into_iter().flat_map(|known| &known.fields).map(|field| program.name(field.symbol));
            near(error, name, names)
        }
        (Step::At(k), Value::List(list) | Value::Tuple(list)) => {
            Error::new(format!("index out of bounds: the len is {} but the index is {k}", list.len()))
        }
        (Step::At(_) | Step::Entry(..), Value::Matrix(_)) => Error::new("matrix index out of bounds"),
        (_, value) => Error::new(format!("cannot index into a value of type `{}`", value.kind(program))),
    }
}

/// With the name that was meant.
pub(crate) fn near<'n>(error: Error, name: &str, names: impl Iterator<Item = &'n str>) -> Error {
    let best = names.map(|known| (strsim::damerau_levenshtein(known, name), known)).min();
    match best {
        Some((distance, known)) if distance <= 1 + name.chars().count() / 3 => {
            error.with_help(format!("`{known}` has a similar name"))
        }
        _ => error,
    }
}

/// Changes the value at a place.
pub(crate) fn change<N: Numeric, R>(
    value: &mut Value<N>,
    steps: &[Step],
    program: &Program,
    depth: u32,
    by: &mut dyn FnMut(&mut Value<N>) -> Result<R, Error>,
) -> Result<R, Error> {
    if depth > MOST {
        return Err(Error::new("too many references lead to one another"));
    }
    let Some((step, rest)) = steps.split_first() else { return by(value) };
    match (step, &mut *value) {
        (_, Value::Reference(reference)) => {
            let reference = reference.clone();
            let rest = if matches!(step, Step::Deref) { rest } else { steps };
            let all: Vec<Step> = reference.steps.iter().chain(rest).cloned().collect();
            let mut root = reference.root.try_borrow_mut().map_err(|_| in_use())?;
            return change(&mut root, &all, program, depth + 1, by);
        }
        (Step::Deref, value) => return change(value, rest, program, depth + 1, by),
        _ => {}
    }
    let at = match (step, &*value) {
        (Step::Field(member), Value::Data(data)) => program.position(data.data, data.variant, *member),
        (Step::Field(member), Value::Matrix(_)) => component(program.name(member.symbol)),
        (Step::Field(member), Value::Tuple(_)) => Some(member.likely as usize),
        (Step::At(k), _) => Some(*k),
        (Step::Entry(i, j), Value::Matrix(matrix)) => matrix.place(*i, *j),
        _ => None,
    };
    let count = match &*value {
        Value::List(list) | Value::Tuple(list) | Value::Data(Data { fields: Some(list), .. }) => list.len(),
        Value::Matrix(matrix) if rest.is_empty() => matrix.entries.len(),
        _ => 0,
    };
    let Some(k) = at.filter(|k| *k < count) else { return Err(missing(value, step, program)) };
    match value {
        Value::List(list) | Value::Tuple(list) | Value::Data(Data { fields: Some(list), .. }) => {
            list.edit(|list| change(&mut list[k], rest, program, depth, by))
        }
        Value::Matrix(matrix) => {
            let own = &mut std::rc::Rc::make_mut(&mut matrix.entries)[k];
            let mut entry = Value::Number(*own);
            let result = by(&mut entry)?;
            if let Value::Number(number) = entry {
                *own = number;
            }
            Ok(result)
        }
        value => Err(missing(value, step, program)),
    }
}

fn component(name: &str) -> Option<usize> {
    ["x", "y", "z", "w"].iter().position(|known| *known == name)
}

/// A reference to a value that no variable holds.
pub(crate) fn lent<N: Numeric>(value: Value<N>) -> Reference<N> {
    Reference { root: Shared::new(RefCell::new(value)), steps: Vec::new() }
}
