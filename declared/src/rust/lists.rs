//! The methods of lists and of texts, and those that change their receiver.

use super::calls::{Call, Row};
use super::error::{Error, Result};
use super::iterators::{collected, iterate, next};
use super::number::Numeric;
use super::operators::equal;
use super::sequences::compared;
use super::shared::Shared;
use super::tree::{Program, Type};
use super::value::{Answer, Caller, Ends, Iter, List, Reference, Step, Value};

/// The entries of a range of a list.
pub(crate) fn slice<N: Numeric>(list: &[Value<N>], ends: &Ends<N>) -> Result<Vec<Value<N>>> {
    let range = Value::Range(Shared::new(ends.clone())).as_range();
    let range = range.map(|(start, end)| (start, end.unwrap_or(list.len())));
    match range.filter(|(start, end)| start <= end) {
        Some((start, end)) => list.get(start..end).map(<[_]>::to_vec).ok_or_else(|| {
            Error::new(format!("range end index {end} out of range for slice of length {}", list.len()))
        }),
        None => Err(Error::new("slice index starts at a larger number than it ends")),
    }
}

/// The step of an index.
pub(crate) fn step<N: Numeric>(index: &Value<N>, program: &Program) -> Result<Step> {
    let mismatch = || index.mismatch("(usize, usize)", program);
    match index {
        Value::Integer(number, _) => match usize::try_from(*number) {
            Ok(number) => Ok(Step::At(number)),
            Err(_) => Err(Error::new(format!("the index {number} is negative"))),
        },
        Value::Tuple(both) => {
            let [i, j] = &both[..] else { return Err(mismatch()) };
            let (i, j) = i.as_count().zip(j.as_count()).ok_or_else(mismatch)?;
            Ok(Step::Entry(i, j))
        }
        Value::Range(_) => Err(Error::refused("a change of a part of a list")),
        _ => Err(Error::new(format!("the type `[_]` cannot be indexed by `{}`", index.kind(program)))),
    }
}

impl<N: Numeric> Value<N> {
    pub(crate) const OF_LISTS: &'static [Row<N>] = &[
        ("len", 0, |call| Ok(Value::count(call.list()?.len()))),
        ("is_empty", 0, |call| Ok(Value::Bool(call.list()?.is_empty()))),
        ("first", 0, |call| Ok(Value::option(call.list()?.first().cloned()))),
        ("last", 0, |call| Ok(Value::option(call.list()?.last().cloned()))),
        ("get", 1, |call| match call.plain(0)? {
            Value::Range(ends) => Ok(Value::option(slice(call.list()?, &ends).ok().map(Value::list))),
            index => Ok(Value::option(call.list()?.get(index.counted(call.program())?).cloned())),
        }),
        ("map", 1, |call| {
            let list = call.list()?.to_vec();
            call.caller.spend(list.len(), list.len())?;
            let all: Result<Vec<_>> = list.into_iter().map(|item| call.call(0, [item])).collect();
            all.map(Value::list)
        }),
        ("contains", 1, |call| {
            let item = call.plain(0)?;
            for known in call.list()? {
                if equal(known, &item, call.program())? {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }),
        ("concat", 0, |call| {
            let mut all = Vec::new();
            for part in call.list()?.to_vec() {
                let part = part.as_list().ok_or_else(|| part.mismatch("[_]", call.program()))?;
                call.caller.spend(part.len(), all.len() + part.len())?;
                all.extend_from_slice(part);
            }
            Ok(Value::list(all))
        }),
        ("windows", 1, |call| {
            let length = length_of_parts(call)?;
            let count = call.list()?.len().saturating_mul(length.min(call.list()?.len()) + 2);
            call.caller.spend(count, count)?;
            Ok(Value::list(call.list()?.windows(length).map(|part| Value::list(part.to_vec())).collect()))
        }),
        ("chunks", 1, |call| {
            let length = length_of_parts(call)?;
            Ok(Value::list(call.list()?.chunks(length).map(|part| Value::list(part.to_vec())).collect()))
        }),
        ("as_chunks", 0, |call| {
            let Type::List(_, Some(length @ 1..)) = *call.wanted else {
                return Err(Error::new("the length of the chunks is unknown: write `as_chunks::<3>()`"));
            };
            call.caller.spend(call.list()?.len(), 3 * call.list()?.len())?;
            let chunks = call.list()?.chunks_exact(length);
            let rest = Value::list(chunks.remainder().to_vec());
            let chunks = chunks.map(|chunk| Value::list(chunk.to_vec())).collect();
            Ok(Value::tuple(vec![Value::list(chunks), rest]))
        }),
    ];

    /// The methods that change their receiver, which they leave in the call.
    pub(crate) const CHANGES: &'static [Row<N>] = &[
        ("push", 1, |call| {
            let item = call.take(0)?;
            changed(call, 1, |list| list.push(item))
        }),
        ("pop", 0, |call| {
            let mut last = None;
            changed(call, 0, |list| last = list.pop())?;
            Ok(Value::option(last))
        }),
        ("clear", 0, |call| changed(call, 0, Vec::clear)),
        ("reverse", 0, |call| changed(call, 0, |list| list.reverse())),
        ("swap", 2, |call| {
            let (i, j) = (place(call, 0, 0)?, place(call, 1, 0)?);
            changed(call, 0, |list| list.swap(i, j))
        }),
        ("insert", 2, |call| {
            let (at, item) = (place(call, 0, 1)?, call.take(1)?);
            changed(call, 1, |list| list.insert(at, item))
        }),
        ("remove", 1, |call| {
            let (at, mut item) = (place(call, 0, 0)?, Value::Unit);
            changed(call, 0, |list| item = list.remove(at))?;
            Ok(item)
        }),
        ("extend extend_from_slice append", 1, |call| {
            let more = collected(iterate(call.take(0)?, call.caller)?, call.caller)?;
            changed(call, more.len(), |list| list.extend_from_slice(&more))
        }),
        ("retain", 1, |call| {
            let mut kept = Vec::new();
            for item in call.list()?.to_vec() {
                if call.holds(0, item.clone())? {
                    kept.push(item);
                }
            }
            changed(call, 0, |list| *list = kept)
        }),
        ("sort sort_unstable", 0, |call| sorted(call)),
        ("sort_by sort_unstable_by", 1, |call| sorted(call)),
        ("sort_by_key sort_unstable_by_key", 1, |call| sorted(call)),
        ("next", 0, |call| {
            let mut items = call.items()?;
            let item = next(&mut items, call.caller)?;
            call.own = Value::iterator(items);
            Ok(Value::option(item))
        }),
        ("nth", 1, |call| {
            let (count, mut items) = (call.count(0)?, call.items()?);
            let mut left = count;
            while left > 0 && next(&mut items, call.caller)?.is_some() {
                left -= 1;
            }
            let item = next(&mut items, call.caller)?;
            call.own = Value::iterator(items);
            Ok(Value::option(item))
        }),
        ("by_ref", 0, |call| {
            call.own = Value::iterator(call.items()?);
            Ok(call.own.clone())
        }),
    ];
}

fn length_of_parts<N: Numeric>(call: &mut Call<'_, N>) -> Result<usize> {
    let length = call.count(0)?;
    let count = 4 * call.list()?.len();
    call.caller.spend(count, count)?;
    if length == 0 { Err(Error::new("the length of a part must be positive")) } else { Ok(length) }
}

/// An argument as the place of an entry, or of one of so many behind the last.
fn place<N: Numeric>(call: &mut Call<'_, N>, k: usize, behind: usize) -> Result<usize> {
    let (at, length) = (call.count(k)?, call.list()?.len());
    if at < length + behind {
        return Ok(at);
    }
    Err(Error::new(format!("index out of bounds: the len is {length} but the index is {at}")))
}

/// Changes the list that is the receiver, by so many more entries.
fn changed<N: Numeric>(
    call: &mut Call<'_, N>,
    more: usize,
    change: impl FnOnce(&mut Vec<Value<N>>),
) -> Answer<N> {
    let name = call.name;
    let Value::List(list) = &mut call.own else {
        return Err(Error::refused(&format!("`{name}` of `{}`", call.own.kind(call.caller.program()))));
    };
    // Only these take a time that does not depend on the length.
    let is_short = matches!(name, "push" | "pop" | "swap");
    call.caller.spend(if is_short { 1 } else { list.len() + more + 1 }, more)?;
    list.edit(change);
    Ok(Value::Unit)
}

/// Sorts the list that is the receiver, stably, with any answers of a function.
fn sorted<N: Numeric>(call: &mut Call<'_, N>) -> Answer<N> {
    let function = call.name.ends_with("by").then(|| call.take(0)).transpose()?;
    call.caller.spend(call.list()?.len(), 2 * call.list()?.len())?;
    let mut sorted: Vec<(Value<N>, Value<N>)> = Vec::new();
    for item in call.list()?.to_vec() {
        let key = if call.name.ends_with("key") { call.call(0, [item.clone()])? } else { item.clone() };
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let order = compared(function.as_ref(), &sorted[middle].0, &key, call.caller)?;
            if order.is_le() { low = middle + 1 } else { high = middle }
        }
        call.caller.spend(1 + sorted.len() - low, 0)?;
        sorted.insert(low, (key, item));
    }
    changed(call, 0, |list| *list = sorted.into_iter().map(|(_, item)| item).collect())
}

/// The parts of a lent list, lent.
pub(crate) fn lending<N: Numeric>(
    name: &str,
    own: &Reference<N>,
    list: &List<N>,
    caller: &mut dyn Caller<N>,
) -> Result<Option<Value<N>>> {
    let end = list.len();
    Ok(match name {
        "iter_mut" => {
            caller.spend(end, 4 * end)?;
            let parts = (0..end).map(|k| own.part(k)).collect();
            Some(Value::iterator(Iter::List(Shared::new(parts), 0)))
        }
        "first_mut" => Some(Value::option((end > 0).then(|| own.part(0)))),
        "last_mut" => Some(Value::option(end.checked_sub(1).map(|last| own.part(last)))),
        _ => None,
    })
}
