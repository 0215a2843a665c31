//! Places inside of variables, read and changed.

use super::error::{Error, Result};
use super::number::Numeric;
use super::shared::Shared;
use super::tree::{Member, Program};
use super::value::{Answer, Data, Reference, Step, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// The most references that lead to one another.
const MOST: u32 = 64;

/// The value of a place, or the value itself.
pub(crate) fn loaded<N: Numeric>(value: Value<N>, program: &Program) -> Answer<N> {
    match value {
        Value::Reference(reference) => reference.load(program),
        other => Ok(other),
    }
}

/// A reference to a value that no variable holds.
pub(crate) fn lent<N: Numeric>(value: Value<N>) -> Reference<N> {
    Reference { root: Shared::new(RefCell::new(value)), steps: Vec::new() }
}

fn in_use<E>(_: E) -> Error {
    Error::new("this variable is in use already")
}

impl<N: Numeric> Reference<N> {
    /// The place a step further.
    pub(crate) fn with(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// `&mut` of a part.
    pub(crate) fn part(&self, at: usize) -> Value<N> {
        Value::Reference(Shared::new(self.clone().with(Step::At(at))))
    }

    /// The value of the place.
    pub(crate) fn load(&self, program: &Program) -> Answer<N> {
        self.load_within(&[], program, MOST)
    }

    /// The value so many steps behind the place.
    fn load_within(&self, rest: &[Step], program: &Program, depth: u32) -> Answer<N> {
        let depth =
            depth.checked_sub(1).ok_or_else(|| Error::new("too many references lead to one another"))?;
        let mut value = self.root.try_borrow().map_err(in_use)?.clone();
        let mut steps = self.steps.iter().chain(rest);
        loop {
            if let Value::Reference(inner) = value {
                let rest: Vec<Step> = steps.cloned().collect();
                return inner.load_within(&rest, program, depth);
            }
            match steps.next() {
                Some(Step::Deref) => {}
                Some(step) => value = into(&value, step, program)?,
                None => return Ok(value),
            }
        }
    }

    /// Changes the value at the place.
    pub(crate) fn change(&self, program: &Program, by: &mut dyn FnMut(&mut Value<N>) -> Result) -> Result {
        change(&mut *self.root.try_borrow_mut().map_err(in_use)?, &self.steps, program, MOST, by)
    }

    /// Puts another value into the place, and gives the one that was there.
    pub(crate) fn replace(&self, mut value: Value<N>, program: &Program) -> Answer<N> {
        self.change(program, &mut |place| {
            std::mem::swap(place, &mut value);
            Ok(())
        })?;
        Ok(value)
    }
}

/// Where a step leads inside of a value: the place of an entry or a field.
fn entry<N: Numeric>(value: &Value<N>, step: &Step, program: &Program) -> Option<usize> {
    let name = |member: &Member| program.name(member.symbol);
    match (step, value) {
        (Step::Field(member), Value::Data(data)) => program.position(data.data, data.variant, *member),
        (Step::Field(member), Value::Tuple(_)) => Some(member.likely as usize),
        (Step::Field(member), Value::Matrix(_)) => {
            ["x", "y", "z", "w"].iter().position(|known| *known == name(member))
        }
        (Step::Entry(i, j), Value::Matrix(matrix)) => matrix.place(*i, *j),
        (Step::At(k), _) => Some(*k),
        _ => None,
    }
}

/// A step into a value.
pub(crate) fn into<N: Numeric>(value: &Value<N>, step: &Step, program: &Program) -> Answer<N> {
    let found = entry(value, step, program).and_then(|k| match value {
        Value::List(list) | Value::Tuple(list) | Value::Data(Data { fields: Some(list), .. }) => {
            list.get(k).cloned()
        }
        Value::Matrix(matrix) => matrix.entries.get(k).copied().map(Value::Number),
        _ => None,
    });
    found.ok_or_else(|| missing(value, step, program))
}

/// A field of a value; `None` if it has none.
pub(crate) fn field<N: Numeric>(value: &Value<N>, member: Member, program: &Program) -> Option<Value<N>> {
    match value {
        Value::Range(ends) => match program.name(member.symbol) {
            "start" => Some(ends.start.clone()),
            "end" => Some(ends.end.clone()),
            _ => None,
        },
        Value::Data(Data { fields: Some(fields), .. }) => {
            fields.get(entry(value, &Step::Field(member), program)?).cloned()
        }
        _ => into(value, &Step::Field(member), program).ok(),
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
            let fields = known.into_iter().flat_map(|known| &known.fields);
            near(error, name, fields.map(|field| program.name(field.symbol)))
        }
        (Step::At(k), Value::List(list) | Value::Tuple(list)) => {
            Error::new(format!("index out of bounds: the len is {} but the index is {k}", list.len()))
        }
        (_, Value::Matrix(_)) => Error::new("matrix index out of bounds"),
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

fn change<N: Numeric>(
    value: &mut Value<N>,
    steps: &[Step],
    program: &Program,
    depth: u32,
    by: &mut dyn FnMut(&mut Value<N>) -> Result,
) -> Result {
    let Some((step, rest)) = steps.split_first() else { return by(value) };
    if let Value::Reference(lent) = value {
        let depth =
            depth.checked_sub(1).ok_or_else(|| Error::new("too many references lead to one another"))?;
        let lent = lent.clone();
        let all: Vec<Step> = lent.steps.iter().chain(steps).cloned().collect();
        return change(&mut *lent.root.try_borrow_mut().map_err(in_use)?, &all, program, depth, by);
    }
    if let Step::Deref = step {
        return change(value, rest, program, depth, by);
    }
    let place = entry(value, step, program);
    match value {
        Value::List(list) | Value::Tuple(list) | Value::Data(Data { fields: Some(list), .. }) => {
            if let Some(k) = place.filter(|k| *k < list.len()) {
                return list.edit(|list| change(&mut list[k], rest, program, depth, by));
            }
        }
        Value::Matrix(matrix) if rest.is_empty() => {
            if let Some(own) = place.and_then(|k| Rc::make_mut(&mut matrix.entries).get_mut(k)) {
                let mut entry = Value::Number(*own);
                by(&mut entry)?;
                *own = entry.as_number().copied().unwrap_or(*own);
                return Ok(());
            }
        }
        _ => {}
    }
    Err(missing(value, step, program))
}
