//! Iterators, lazy as those of Rust.

use super::error::{Error, Result};
use super::near;
use super::number::Numeric;
use super::places::loaded;
use super::shared::Shared;
use super::tree::known;
use super::value::{Caller, Ends, Found, Iter, List, Value};

/// The most iterators around one another.
const DEEPEST: u32 = 20;

/// The iterator over a value.
pub(crate) fn iterate<N: Numeric>(value: Value<N>, caller: &mut dyn Caller<N>) -> Result<Iter<N>> {
    Ok(match value {
        Value::List(list) => Iter::List(list, 0),
        Value::Range(ends) => return count(&ends, caller),
        Value::Iterator(iterator) => {
            // What nothing else holds moves.
            if iterator.count() == 1
                && let Ok(mut own) = iterator.try_borrow_mut()
            {
                return Ok(std::mem::take(&mut *own));
            }
            let depth = iterator.try_borrow().map_or(DEEPEST, |own| depth(&own));
            let next_of = move |caller: &mut dyn Caller<N>| match iterator.try_borrow_mut() {
                Ok(mut own) => next(&mut own, caller),
                Err(_) => Err(Error::new("this iterator is in use already")),
            };
            Iter::Made(Box::new(next_of), depth)
        }
        Value::Reference(lent) => match lent.load(caller.program())? {
            Value::List(list) => {
                let parts = (0..list.len()).map(|k| lent.part(k)).collect();
                caller.spend(list.len(), 4 * list.len())?;
                Iter::List(Shared::new(parts), 0)
            }
            other => return iterate(other, caller),
        },
        Value::Data(data) if data.data == known::OPTION => {
            data.fields.map_or(Iter::Empty, |fields| Iter::List(fields, 0))
        }
        Value::Data(data) if data.data == known::NEAR => {
            Iter::List(Shared::new(near::items(&Value::Data(data), None, caller)?), 0)
        }
        Value::Matrix(matrix) => iterate(Value::numbers(matrix.entries.iter().copied()), caller)?,
        other => return Err(Error::new(format!("`{}` is not an iterator", other.kind(caller.program())))),
    })
}

fn count<N: Numeric>(ends: &Ends<N>, caller: &mut dyn Caller<N>) -> Result<Iter<N>> {
    let program = caller.program();
    match (loaded(ends.start.clone(), program)?, loaded(ends.end.clone(), program)?) {
        (Value::Integer(start, a), Value::Integer(end, b)) => {
            Ok(Iter::Count(start, end.saturating_add(i128::from(ends.inclusive)), a.common(b)?))
        }
        (Value::Integer(start, kind), Value::Unit) => Ok(Iter::Count(start, i128::MAX, kind)),
        (start, _) => Err(Error::new(format!("a range of `{}` is not an iterator", start.kind(program)))),
    }
}

/// The number of iterators that one stands around.
pub(crate) fn depth<N: Numeric>(iterator: &Iter<N>) -> u32 {
    if let Iter::Made(_, depth) = iterator { *depth } else { 0 }
}

/// An iterator around another one, and around one as deep as `beside`.
pub(crate) fn around<N: Numeric>(
    mut inner: Iter<N>,
    beside: u32,
    mut with: impl FnMut(&mut Iter<N>, &mut dyn Caller<N>) -> Found<N> + 'static,
) -> Result<Iter<N>> {
    let depth = depth(&inner).max(beside) + 1;
    if depth > DEEPEST {
        return Err(Error::new(format!("more than {DEEPEST} iterators stand around one another")));
    }
    Ok(Iter::Made(Box::new(move |caller| with(&mut inner, caller)), depth))
}

/// The next item.
pub(crate) fn next<N: Numeric>(iterator: &mut Iter<N>, caller: &mut dyn Caller<N>) -> Found<N> {
    caller.spend(1, 0)?;
    match iterator {
        Iter::Empty => Ok(None),
        Iter::Count(start, end, kind) => {
            if *start >= *end {
                return Ok(None);
            }
            let fits = kind.holds(Some(*start)).ok_or_else(|| Error::new("attempt to add with overflow"))?;
            *start += 1;
            Ok(Some(Value::Integer(fits, *kind)))
        }
        Iter::List(list, at) => {
            let item = list.get(*at).cloned();
            *at += 1;
            Ok(item)
        }
        Iter::Cycle(list, at) => {
            let item = list.get(*at).cloned();
            *at = if *at + 1 < list.len() { *at + 1 } else { 0 };
            Ok(item)
        }
        Iter::Made(work, _) => caller.nested(&mut **work),
    }
}

/// The value of an option.
pub(crate) fn opened<N: Numeric>(option: &Value<N>) -> Found<N> {
    match option {
        Value::Data(data) if data.data == known::OPTION => Ok(option.inside().cloned()),
        _ => Err(Error::new("mismatched types: expected an `Option`")),
    }
}

/// All items.
pub(crate) fn collected<N: Numeric>(mut iterator: Iter<N>, caller: &mut dyn Caller<N>) -> Result<List<N>> {
    if let Iter::List(list, 0) = iterator {
        caller.spend(list.len(), 0)?;
        return Ok(list);
    }
    let mut all = Vec::new();
    while let Some(item) = next(&mut iterator, caller)? {
        caller.spend(0, all.len())?;
        all.push(item);
    }
    Ok(Shared::new(all))
}
