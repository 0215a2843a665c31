//! The methods of lists and of texts.

use super::error::Error;
use super::iterators::{collected, eager, iterate, lazy, ordering};
use super::number::Numeric;
use super::operators::{equal, order, shaped};
use super::places::loaded;
use super::shared::Shared;
use super::tree::{Method, Program, Type, known};
use super::value::{Caller, Data, Ends, List, Reference, Step, Value};

/// The entries of a range of a list.
pub(crate) fn slice<N: Numeric>(list: &List<N>, ends: &Ends<N>) -> Result<Vec<Value<N>>, Error> {
    let start = if let Value::Unit = ends.start { Some(0) } else { ends.start.as_count() };
    let end = if let Value::Unit = ends.end { Some(list.len()) } else { ends.end.as_count() };
    let end = if ends.inclusive { end.and_then(|end| end.checked_add(1)) } else { end };
    match (start, end) {
        (Some(start), Some(end)) if start <= end => {
            list.get(start..end).map(<[_]>::to_vec).ok_or_else(|| {
                Error::new(format!("range end index {end} out of range for slice of length {}", list.len()))
            })
        }
        _ => Err(Error::new("slice index starts at a larger number than it ends")),
    }
}

/// The step of an index.
pub(crate) fn step<N: Numeric>(index: &Value<N>, program: &Program) -> Result<Step, Error> {
    match index {
        Value::Integer(number, _) => match usize::try_from(*number) {
            Ok(number) => Ok(Step::At(number)),
            Err(_) => Err(Error::new(format!("the index {number} is negative"))),
        },
        Value::Tuple(both) => match &both[..] {
            [i, j] => match (i.as_count(), j.as_count()) {
                (Some(i), Some(j)) => Ok(Step::Entry(i, j)),
                _ => Err(index.mismatch("(usize, usize)", program)),
            },
            _ => Err(index.mismatch("(usize, usize)", program)),
        },
        Value::Range(_) => Err(Error::refused("a change of a part of a list")),
        _ => Err(Error::new(format!("the type `[_]` cannot be indexed by `{}`", index.kind(program)))),
    }
}

/// Calls a method of a list; `None` if there is none of this name.
pub(crate) fn method<N: Numeric>(
    method: &Method,
    own: &List<N>,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Option<Value<N>>, Error> {
    let halves = |at: usize| {
        let (first, second) = (own.get(..at)?, own.get(at..)?);
        Some(Value::tuple(vec![Value::list(first.to_vec()), Value::list(second.to_vec())]))
    };
    Ok(Some(match (&*method.name, &mut *arguments) {
        ("len", []) => Value::count(own.len()),
        ("is_empty", []) => Value::Bool(own.is_empty()),
        ("first", []) => Value::option(own.first().cloned()),
        ("last", []) => Value::option(own.last().cloned()),
        ("get", [Value::Range(ends)]) => Value::option(slice(own, ends).ok().map(Value::list)),
        ("get", [index]) => Value::option(own.get(index.counted(caller.program())?).cloned()),
        ("map", [function]) => {
            caller.spend(own.len(), own.len())?;
            let all: Result<Vec<_>, Error> =
                own.iter().map(|item| caller.call(function, &mut [item.clone()])).collect();
            Value::list(all?)
        }
        ("contains", [item]) => {
            for known in own.iter() {
                if equal(known, item, caller.program())? {
                    return Ok(Some(Value::Bool(true)));
                }
            }
            Value::Bool(false)
        }
        (
            "to_vec" | "into_vec" | "into_boxed_slice" | "as_slice" | "clone" | "to_owned" | "into"
            | "as_ref" | "into_inner",
            [],
        ) => shaped(Value::List(own.clone()), &method.wanted, caller.program())?,
        ("concat", []) => joined(own, None, caller)?,
        ("join", [between]) => joined(own, Some(&*between), caller)?,
        ("windows", [length]) => parts(own, length, 1, false, caller)?,
        ("chunks", [length]) => parts(own, length, 0, true, caller)?,
        ("chunks_exact" | "array_chunks", [length]) => parts(own, length, 0, false, caller)?,
        ("as_chunks", []) => return chunked(method, own, caller).map(Some),
        ("split_at", [at]) => halves(at.counted(caller.program())?).ok_or_else(|| Error::new("mid > len"))?,
        ("repeat", [count]) => {
            let count = count.counted(caller.program())?;
            let all = count.saturating_mul(own.len());
            caller.spend(all, all)?;
            Value::list(own.iter().cycle().take(all).cloned().collect())
        }
        ("copied" | "cloned", []) => Value::List(own.clone()),
        _ => {
            let iterator = iterate(Value::List(own.clone()), caller)?;
            return match lazy(&method.name, iterator, arguments, caller)? {
                Ok(made) => Ok(Some(Value::iterator(made))),
                Err(mut iterator) => eager(&method.name, &mut iterator, arguments, &method.wanted, caller),
            };
        }
    }))
}

/// The parts of equal lengths; `step` is 0 for parts behind one another.
fn parts<N: Numeric>(
    own: &List<N>,
    length: &Value<N>,
    step: usize,
    with_rest: bool,
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let Some(length @ 1..) = length.as_count() else {
        return Err(Error::new("the length of a part must be positive"));
    };
    let step = if step == 0 { length } else { step };
    let count = own.len().div_ceil(step).saturating_mul(length.min(own.len()) + 2);
    caller.spend(count, count)?;
    let all = (0..own.len())
        .step_by(step)
        .map(|start| own.get(start..start.saturating_add(length).min(own.len())).unwrap_or_default());
    let all = all.filter(|part| with_rest || part.len() == length);
    Ok(Value::iterator(iterate(Value::list(all.map(|part| Value::list(part.to_vec())).collect()), caller)?))
}

/// The whole chunks, and the rest.
fn chunked<N: Numeric>(
    method: &Method,
    own: &List<N>,
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let Type::List(_, Some(length @ 1..)) = method.wanted else {
        return Err(Error::new("the length of the chunks is unknown: write `as_chunks::<3>()`"));
    };
    caller.spend(own.len(), 3 * own.len())?;
    let chunks = own.chunks_exact(length);
    let rest = Value::list(chunks.remainder().to_vec());
    Ok(Value::tuple(vec![Value::list(chunks.map(|chunk| Value::list(chunk.to_vec())).collect()), rest]))
}

fn joined<N: Numeric>(
    own: &List<N>,
    between: Option<&Value<N>>,
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    if let Some(Value::Text(_)) = own.first() {
        let between = between.and_then(Value::as_text).unwrap_or_default();
        let all: Vec<&str> = own.iter().filter_map(Value::as_text).collect();
        let length: usize = all.iter().map(|part| part.len() + between.len()).sum();
        caller.spend(length, length)?;
        return Ok(Value::text(&all.join(between)));
    }
    let mut all = Vec::new();
    for (k, part) in own.iter().enumerate() {
        let between = between
            .filter(|_| k > 0)
            .map(|between| between.as_list().map_or_else(|| vec![between.clone()], <[_]>::to_vec));
        let part = part.as_list().ok_or_else(|| part.mismatch("[_]", caller.program()))?;
        caller.spend(part.len(), all.len() + part.len())?;
        all.extend(between.into_iter().flatten().chain(part.iter().cloned()));
    }
    Ok(Value::list(all))
}

/// Calls a method of a text; `None` if there is none of this name.
pub(crate) fn of_text<N: Numeric>(method: &Method, own: &str, arguments: &[Value<N>]) -> Option<Value<N>> {
    let texts = |parts: &mut dyn Iterator<Item = &str>| Value::list(parts.map(Value::text).collect());
    Some(match (&*method.name, arguments) {
        ("len", []) => Value::count(own.len()),
        ("is_empty", []) => Value::Bool(own.is_empty()),
        ("as_str" | "to_string" | "to_owned" | "into" | "clone", []) => Value::text(own),
        ("chars", []) => Value::list(own.chars().map(Value::Char).collect()),
        ("lines", []) => texts(&mut own.lines()),
        ("split_whitespace", []) => texts(&mut own.split_whitespace()),
        ("split", [Value::Text(sign)]) => texts(&mut own.split(&**sign)),
        ("split", [Value::Char(sign)]) => texts(&mut own.split(*sign)),
        ("trim", []) => Value::text(own.trim()),
        ("to_uppercase", []) => Value::text(&own.to_uppercase()),
        ("contains", [Value::Text(part)]) => Value::Bool(own.contains(&**part)),
        ("starts_with", [Value::Text(part)]) => Value::Bool(own.starts_with(&**part)),
        ("ends_with", [Value::Text(part)]) => Value::Bool(own.ends_with(&**part)),
        ("parse", []) => {
            let inner = if let Type::Data(_, inner) = &method.wanted { inner.first() } else { None };
            let value = match inner.unwrap_or(&Type::Number) {
                Type::Integer(kind) => kind.holds(own.parse().ok()).map(|value| Value::Integer(value, *kind)),
                _ => own.parse().ok().map(Value::number),
            };
            match value {
                Some(value) => Value::data(known::RESULT, known::OK, vec![value]),
                None => Value::data(known::RESULT, known::ERR, vec![Value::text("this is no number")]),
            }
        }
        _ => return None,
    })
}

/// If a method that changes its receiver changes values of this type.
pub(crate) fn is_changed<N: Numeric>(own: &Value<N>) -> bool {
    match own {
        Value::List(_) | Value::Text(_) | Value::Range(_) => true,
        Value::Data(data) => data.data == known::OPTION,
        _ => false,
    }
}

/// The parts of a lent list or option, lent.
pub(crate) fn lending<N: Numeric>(
    name: &str,
    own: &Reference<N>,
    plain: &Value<N>,
    arguments: &[Value<N>],
) -> Option<Value<N>> {
    let part = |k: usize| {
        let steps = own.steps.iter().cloned().chain([Step::At(k)]).collect();
        Value::Reference(Shared::new(Reference { root: own.root.clone(), steps }))
    };
    match (name, plain, arguments) {
        ("iter_mut", Value::List(list), []) => {
            Some(Value::iterator(super::value::Iter::Lent(own.clone(), 0, list.len())))
        }
        ("get_mut", Value::List(list), [index]) => {
            Some(Value::option(index.as_count().filter(|k| *k < list.len()).map(part)))
        }
        ("first_mut", Value::List(list), []) => Some(Value::option((!list.is_empty()).then(|| part(0)))),
        ("last_mut", Value::List(list), []) => Some(Value::option(list.len().checked_sub(1).map(part))),
        ("as_mut", Value::Data(Data { data: known::OPTION, fields, .. }), []) => {
            Some(Value::option(fields.is_some().then(|| part(0))))
        }
        ("by_ref" | "as_mut_slice", _, []) => {
            Some(Value::Reference(Shared::new(own.clone()))).filter(|_| matches!(plain, Value::List(_)))
        }
        _ => None,
    }
}

/// Calls a method that changes its receiver.
pub(crate) fn change<N: Numeric>(
    name: &str,
    own: &mut Value<N>,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    for argument in &mut *arguments {
        *argument = loaded(std::mem::take(argument), caller.program())?;
    }
    match own {
        Value::List(list) => match (name, &mut *arguments) {
            ("sort" | "sort_unstable", []) => sorted(list, None, false, caller),
            ("sort_by" | "sort_unstable_by", [function]) => sorted(list, Some(function), false, caller),
            ("sort_by_key" | "sort_unstable_by_key" | "sort_by_cached_key", [function]) => {
                sorted(list, Some(function), true, caller)
            }
            ("retain", [function]) => {
                let mut kept = Vec::new();
                for item in list.iter() {
                    if let Value::Bool(true) = caller.call(function, &mut [item.clone()])? {
                        kept.push(item.clone());
                    }
                }
                *list = Shared::new(kept);
                Ok(Value::Unit)
            }
            ("dedup", []) => {
                let mut kept: Vec<Value<N>> = Vec::new();
                for item in list.iter() {
                    if !kept.last().map_or(Ok(false), |last| equal(last, item, caller.program()))? {
                        kept.push(item.clone());
                    }
                }
                *list = Shared::new(kept);
                Ok(Value::Unit)
            }
            ("extend" | "extend_from_slice" | "append" | "copy_from_slice", [items]) => {
                let iterator = iterate(std::mem::take(items), caller)?;
                let more = collected(iterator, caller)?;
                caller.spend(more.len(), list.len() + more.len())?;
                list.edit(|list| {
                    if name == "copy_from_slice" {
                        list.clear();
                    }
                    list.extend(more);
                });
                Ok(Value::Unit)
            }
            _ => plain(name, list, arguments, caller),
        },
        Value::Text(text) => match (name, &*arguments) {
            ("push_str", [Value::Text(more)]) => {
                caller.spend(text.len() + more.len(), text.len() + more.len())?;
                *text = format!("{text}{more}").into();
                Ok(Value::Unit)
            }
            ("push", [Value::Char(more)]) => {
                caller.spend(text.len() + 1, text.len() + 1)?;
                *text = format!("{text}{more}").into();
                Ok(Value::Unit)
            }
            _ => Err(Error::refused(&format!("`{name}` of a text"))),
        },
        Value::Range(_) => {
            let mut iterator = iterate(std::mem::take(own), caller)?;
            if name == "by_ref" {
                *own = Value::iterator(iterator);
                return Ok(own.clone());
            }
            let result = eager(name, &mut iterator, arguments, &Type::Unknown, caller)?;
            *own = Value::iterator(iterator);
            result.ok_or_else(|| Error::refused(&format!("`{name}` of a range")))
        }
        option => match (name, &mut *arguments) {
            ("take", []) => Ok(std::mem::replace(option, Value::option(None))),
            ("replace", [value]) => Ok(std::mem::replace(option, Value::option(Some(std::mem::take(value))))),
            ("insert", [value]) => {
                *option = Value::option(Some(std::mem::take(value)));
                Ok(Value::Unit)
            }
            _ => Err(Error::refused(&format!("`{name}` of this value"))),
        },
    }
}

/// The changes of a list that call no function.
fn plain<N: Numeric>(
    name: &str,
    list: &mut List<N>,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let length = list.len();
    // Only these take a time that does not depend on the length.
    let is_short = matches!(name, "push" | "pop" | "swap" | "swap_remove");
    caller.spend(if is_short { 1 } else { length + 1 }, usize::from(name == "push"))?;
    let count = |k: usize| arguments.get(k).and_then(Value::as_count);
    let outside =
        |k: usize| Error::new(format!("index out of bounds: the len is {length} but the index is {k}"));
    let (first, second) = (count(0), count(1));
    if name == "resize" {
        caller.spend(first.unwrap_or(0), first.unwrap_or(0))?;
    }
    let mut last = arguments.last_mut().map(std::mem::take).unwrap_or_default();
    list.edit(|list| {
        match (name, first, second) {
            ("push", _, _) => list.push(last),
            ("pop", _, _) => return Ok(Value::option(list.pop())),
            ("clear", _, _) => list.clear(),
            ("reverse", _, _) => list.reverse(),
            ("fill", _, _) => list.fill(last),
            ("truncate", Some(k), _) => list.truncate(k),
            ("resize", Some(k), _) => list.resize(k, last),
            ("swap", Some(i), Some(j)) if i < length && j < length => list.swap(i, j),
            ("swap", Some(i), Some(j)) => return Err(outside(i.max(j))),
            ("insert", Some(k), _) if k <= length => list.insert(k, std::mem::take(&mut last)),
            ("remove", Some(k), _) if k < length => return Ok(list.remove(k)),
            ("swap_remove", Some(k), _) if k < length => return Ok(list.swap_remove(k)),
            ("rotate_left", Some(k), _) if k <= length => list.rotate_left(k),
            ("drain", _, _) => match last {
                Value::Range(ends) if matches!((&ends.start, &ends.end), (Value::Unit, Value::Unit)) => {
                    return Ok(Value::list(std::mem::take(list)));
                }
                _ => return Err(Error::refused("`drain` of a part of a list")),
            },
            (_, Some(k), _) if k >= length => return Err(outside(k)),
            _ => return Err(Error::new(format!("no method named `{name}` found for a list"))),
        }
        Ok(Value::Unit)
    })
}

/// Sorts a list, stably.
fn sorted<N: Numeric>(
    list: &mut List<N>,
    function: Option<&Value<N>>,
    by_key: bool,
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let mut keyed = Vec::with_capacity(list.len());
    caller.spend(list.len() * (1 + list.len().checked_ilog2().unwrap_or(0) as usize), 2 * list.len())?;
    for item in list.iter() {
        let key = match function {
            Some(function) if by_key => caller.call(function, &mut [item.clone()])?,
            _ => item.clone(),
        };
        keyed.push((key, item.clone()));
    }
    let mut trouble = None;
    let compared = |(a, _): &(Value<N>, Value<N>), (b, _): &(Value<N>, Value<N>)| {
        let found = match function {
            Some(function) if !by_key => {
                caller.call(function, &mut [a.clone(), b.clone()]).and_then(|order| {
                    ordering(&order).ok_or_else(|| order.mismatch("Ordering", caller.program()))
                })
            }
            _ => order(a, b, caller.program()).and_then(|order| {
                order.ok_or_else(|| Error::new("the trait bound `f64: Ord` is not satisfied"))
            }),
        };
        match found {
            Ok(order) => order.is_le(),
            Err(error) => {
                trouble.get_or_insert(error);
                true
            }
        }
    };
    merged(&mut keyed, compared);
    *list = Shared::new(keyed.into_iter().map(|(_, item)| item).collect());
    trouble.map_or(Ok(Value::Unit), Err)
}

/// Merge sort, which takes any answers: that of std panics if they are no order.
fn merged<T: Clone>(list: &mut Vec<T>, mut in_order: impl FnMut(&T, &T) -> bool) {
    let mut width = 1;
    while width < list.len() {
        let mut next = Vec::with_capacity(list.len());
        for pair in list.chunks(2 * width) {
            let (mut one, mut other) = pair.split_at(width.min(pair.len()));
            while let (Some(a), Some(b)) = (one.first(), other.first()) {
                let from = if in_order(a, b) { &mut one } else { &mut other };
                if let Some((first, rest)) = from.split_first() {
                    next.push(first.clone());
                    *from = rest;
                }
            }
            next.extend(one.iter().chain(other).cloned());
        }
        *list = next;
        width *= 2;
    }
}
