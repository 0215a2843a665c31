//! Iterators, lazy as those of Rust.

use super::error::Error;
use super::integer::Kind;
use super::number::Numeric;
use super::operator::Operator;
use super::operators::{operate, order, shaped};
use super::places::loaded;
use super::shared::Shared;
use super::tree::{Type, known};
use super::value::{Adaptor, Caller, Ends, Iter, Reference, Step, Value};
use std::cmp::Ordering;

/// The most iterators around one another.
const DEEPEST: u32 = 20;

/// The iterator over a value.
pub(crate) fn iterate<N: Numeric>(value: Value<N>, caller: &mut dyn Caller<N>) -> Result<Iter<N>, Error> {
    Ok(match value {
        Value::List(list) => {
            let count = list.len();
            Iter::List(list, 0, count)
        }
        Value::Range(ends) => return count(&ends, caller),
        Value::Iterator(iterator) => {
            // What nothing else holds moves.
            if iterator.count() == 1
                && let Ok(mut own) = iterator.try_borrow_mut()
            {
                return Ok(std::mem::take(&mut *own));
            }
            Iter::Held(iterator)
        }
        Value::Reference(reference) => match loaded(Value::Reference(reference.clone()), caller.program())? {
            Value::List(list) => Iter::Lent((*reference).clone(), 0, list.len()),
            other => return iterate(other, caller),
        },
        Value::Data(data) if data.data == known::OPTION => {
            let list: Vec<Value<N>> = data.fields.iter().flat_map(|fields| fields.iter().cloned()).collect();
            let count = list.len();
            Iter::List(Shared::new(list), 0, count)
        }
        Value::Matrix(matrix) => {
            let list: Vec<Value<N>> = matrix.entries.iter().cloned().map(Value::Number).collect();
            let count = list.len();
            Iter::List(Shared::new(list), 0, count)
        }
        other => return Err(Error::new(format!("`{}` is not an iterator", other.kind(caller.program())))),
    })
}

fn count<N: Numeric>(ends: &Ends<N>, caller: &mut dyn Caller<N>) -> Result<Iter<N>, Error> {
    let program = caller.program();
    let (start, end) = (loaded(ends.start.clone(), program)?, loaded(ends.end.clone(), program)?);
    match (&start, &end) {
        (Value::Integer(start, a), Value::Integer(end, b)) => {
            Ok(Iter::Count(*start, if ends.inclusive { end.saturating_add(1) } else { *end }, a.common(*b)?))
        }
        (Value::Integer(start, kind), Value::Unit) => Ok(Iter::Count(*start, i128::MAX, *kind)),
        (Value::Char(start), Value::Char(end)) => {
            let (start, end) = (u32::from(*start), u32::from(*end) + u32::from(ends.inclusive));
            caller.spend(1, end.saturating_sub(start) as usize)?;
            let signs: Vec<Value<N>> = (start..end).filter_map(char::from_u32).map(Value::Char).collect();
            let count = signs.len();
            Ok(Iter::List(Shared::new(signs), 0, count))
        }
        _ => Err(Error::new(format!("a range of `{}` is not an iterator", start.kind(program)))),
    }
}

/// An iterator around another one.
pub(crate) fn around<N: Numeric>(
    adaptor: Adaptor,
    inner: Iter<N>,
    function: Value<N>,
    state: Value<N>,
) -> Result<Iter<N>, Error> {
    if depth(&inner) >= DEEPEST {
        return Err(Error::new(format!("more than {DEEPEST} iterators stand around one another")));
    }
    Ok(Iter::Of(adaptor, Box::new(inner), function, state))
}

fn depth<N: Numeric>(iterator: &Iter<N>) -> u32 {
    1 + match iterator {
        Iter::Of(_, inner, _, state) => match state {
            Value::Iterator(other) => {
                depth(inner).max(other.try_borrow().map_or(DEEPEST, |other| depth(&other)))
            }
            _ => depth(inner),
        },
        Iter::Two(_, both) => depth(&both[0]).max(depth(&both[1])),
        // An iterator that is in use holds this one.
        Iter::Held(other) => other.try_borrow().map_or(DEEPEST, |other| depth(&other)),
        _ => 0,
    }
}

/// The next item.
pub(crate) fn next<N: Numeric>(
    iterator: &mut Iter<N>,
    caller: &mut dyn Caller<N>,
) -> Result<Option<Value<N>>, Error> {
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
        Iter::Down(start, end, kind) => {
            if *start >= *end {
                return Ok(None);
            }
            *end -= 1;
            Ok(Some(Value::Integer(*end, *kind)))
        }
        Iter::List(list, at, end) => {
            let item = if *at < *end { list.get(*at).cloned() } else { None };
            *at += 1;
            Ok(item)
        }
        Iter::Lent(reference, at, end) => {
            if *at >= *end {
                return Ok(None);
            }
            let steps = reference.steps.iter().cloned().chain([Step::At(*at)]).collect();
            *at += 1;
            Ok(Some(Value::Reference(Shared::new(Reference { root: reference.root.clone(), steps }))))
        }
        Iter::Held(other) => match other.try_borrow_mut() {
            Ok(mut other) => next(&mut other, caller),
            Err(_) => Err(in_use()),
        },
        Iter::Two(zips, both) => {
            let [first, second] = &mut **both;
            let Some(one) = next(first, caller)? else {
                return if *zips { Ok(None) } else { next(second, caller) };
            };
            if !*zips {
                return Ok(Some(one));
            }
            Ok(next(second, caller)?.map(|other| Value::tuple(vec![one, other])))
        }
        Iter::Function(function, Value::Unit) => opened(&caller.call(function, &mut [])?),
        Iter::Function(function, state) => {
            let Some(item) = opened(state)? else { return Ok(None) };
            *state = caller.call(function, &mut [item.clone()])?;
            Ok(Some(item))
        }
        Iter::Of(adaptor, inner, function, state) => adapted(*adaptor, inner, function, state, caller),
    }
}

fn in_use() -> Error {
    Error::new("this iterator is in use already")
}

/// The value of an option.
fn opened<N: Numeric>(option: &Value<N>) -> Result<Option<Value<N>>, Error> {
    match option {
        Value::Data(data) if data.data == known::OPTION => Ok(option.inside().cloned()),
        _ => Err(Error::new("mismatched types: expected an `Option`")),
    }
}

fn truth<N: Numeric>(value: &Value<N>, caller: &dyn Caller<N>) -> Result<bool, Error> {
    if let Value::Bool(truth) = value { Ok(*truth) } else { Err(value.mismatch("bool", caller.program())) }
}

fn adapted<N: Numeric>(
    adaptor: Adaptor,
    inner: &mut Iter<N>,
    function: &Value<N>,
    state: &mut Value<N>,
    caller: &mut dyn Caller<N>,
) -> Result<Option<Value<N>>, Error> {
    match adaptor {
        Adaptor::FlatMap | Adaptor::Flatten => return flat(inner, function, state, caller),
        Adaptor::Take => {
            let Value::Integer(left @ 1.., kind) = *state else { return Ok(None) };
            *state = Value::Integer(left - 1, kind);
            return next(inner, caller);
        }
        Adaptor::Skip | Adaptor::StepBy => {
            let Value::Integer(number, kind) = *state else { return Ok(None) };
            // A step of k leaves out k − 1 items behind each.
            *state = Value::Integer(
                if adaptor == Adaptor::Skip { 0 } else { function.as_count().unwrap_or(1) as i128 - 1 },
                kind,
            );
            for _ in 0..number {
                if next(inner, caller)?.is_none() {
                    return Ok(None);
                }
            }
            return next(inner, caller);
        }
        Adaptor::Peekable => {
            return match std::mem::take(state) {
                Value::Unit => next(inner, caller),
                peeked => opened(&peeked),
            };
        }
        Adaptor::TakeWhile | Adaptor::MapWhile | Adaptor::Scan if matches!(state, Value::Bool(false)) => {
            return Ok(None);
        }
        _ => {}
    }
    loop {
        let Some(item) = next(inner, caller)? else {
            if adaptor != Adaptor::Cycle {
                return Ok(None);
            }
            let Value::List(all) = state else { return Ok(None) };
            *inner = Iter::List(all.clone(), 0, all.len());
            return next(inner, caller);
        };
        match adaptor {
            Adaptor::Map => return caller.call(function, &mut [item]).map(Some),
            Adaptor::Inspect => {
                caller.call(function, &mut [item.clone()])?;
                return Ok(Some(item));
            }
            Adaptor::Enumerate => {
                let Value::Integer(number, kind) = *state else { return Ok(None) };
                *state = Value::Integer(number + 1, kind);
                return Ok(Some(Value::tuple(vec![Value::Integer(number, kind), item])));
            }
            Adaptor::Filter | Adaptor::TakeWhile | Adaptor::SkipWhile => {
                if adaptor == Adaptor::SkipWhile && matches!(state, Value::Bool(true)) {
                    return Ok(Some(item));
                }
                let answer = caller.call(function, &mut [item.clone()])?;
                let holds = truth(&answer, caller)?;
                if adaptor == Adaptor::TakeWhile && !holds {
                    *state = Value::Bool(false);
                    return Ok(None);
                }
                if holds != (adaptor == Adaptor::SkipWhile) {
                    *state = Value::Bool(true);
                    return Ok(Some(item));
                }
            }
            Adaptor::FilterMap | Adaptor::MapWhile => match opened(&caller.call(function, &mut [item])?)? {
                None if adaptor == Adaptor::FilterMap => {}
                None => {
                    *state = Value::Bool(false);
                    return Ok(None);
                }
                found => return Ok(found),
            },
            Adaptor::Scan => {
                let found = opened(&caller.call(function, &mut [state.clone(), item])?)?;
                if found.is_none() {
                    *state = Value::Bool(false);
                }
                return Ok(found);
            }
            _ => return Ok(Some(item)),
        }
    }
}

fn flat<N: Numeric>(
    inner: &mut Iter<N>,
    function: &Value<N>,
    state: &mut Value<N>,
    caller: &mut dyn Caller<N>,
) -> Result<Option<Value<N>>, Error> {
    loop {
        if let Value::Iterator(current) = state {
            let mut current = current.try_borrow_mut().map_err(|_| in_use())?;
            if let Some(item) = next(&mut current, caller)? {
                return Ok(Some(item));
            }
        }
        let Some(item) = next(inner, caller)? else { return Ok(None) };
        let items =
            if matches!(function, Value::Unit) { item } else { caller.call(function, &mut [item])? };
        let items = iterate(items, caller)?;
        if depth(&items) >= DEEPEST {
            return Err(Error::new(format!("more than {DEEPEST} iterators stand around one another")));
        }
        *state = Value::iterator(items);
    }
}

/// All items.
pub(crate) fn collected<N: Numeric>(
    mut iterator: Iter<N>,
    caller: &mut dyn Caller<N>,
) -> Result<Vec<Value<N>>, Error> {
    if let Iter::List(list, from, to) = iterator {
        caller.spend(to.saturating_sub(from), to.saturating_sub(from))?;
        if from == 0 && to == list.len() {
            return Ok(list.take());
        }
        return Ok(list.get(from..to).unwrap_or_default().to_vec());
    }
    let mut all = Vec::new();
    while let Some(item) = next(&mut iterator, caller)? {
        caller.spend(0, all.len())?;
        all.push(item);
    }
    Ok(all)
}

fn adaptor(name: &str) -> Option<Adaptor> {
    Some(match name {
        "map" => Adaptor::Map,
        "filter" => Adaptor::Filter,
        "filter_map" => Adaptor::FilterMap,
        "flat_map" => Adaptor::FlatMap,
        "take_while" => Adaptor::TakeWhile,
        "map_while" => Adaptor::MapWhile,
        "skip_while" => Adaptor::SkipWhile,
        "inspect" => Adaptor::Inspect,
        "take" => Adaptor::Take,
        "skip" => Adaptor::Skip,
        "step_by" => Adaptor::StepBy,
        "flatten" => Adaptor::Flatten,
        "enumerate" => Adaptor::Enumerate,
        "peekable" => Adaptor::Peekable,
        _ => return None,
    })
}

/// A method that makes another iterator; `None` if there is no such method.
pub(crate) fn lazy<N: Numeric>(
    name: &str,
    own: Iter<N>,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Result<Iter<N>, Iter<N>>, Error> {
    let made = match (adaptor(name), &mut *arguments) {
        (Some(kind @ (Adaptor::Take | Adaptor::Skip)), [number]) => {
            number.counted(caller.program())?;
            around(kind, own, Value::Unit, number.clone())?
        }
        (Some(Adaptor::StepBy), [step]) => match step.counted(caller.program())? {
            1.. => around(Adaptor::StepBy, own, step.clone(), Value::count(0))?,
            0 => return Err(Error::new("assertion failed: step != 0")),
        },
        (Some(kind @ (Adaptor::Flatten | Adaptor::Peekable)), []) => {
            around(kind, own, Value::Unit, Value::Unit)?
        }
        (Some(Adaptor::Enumerate), []) => around(Adaptor::Enumerate, own, Value::Unit, Value::count(0))?,
        (Some(kind), [function]) => around(kind, own, std::mem::take(function), Value::Unit)?,
        (None, [other]) if name == "zip" || name == "chain" => {
            let other = iterate(std::mem::take(other), caller)?;
            if depth(&own).max(depth(&other)) >= DEEPEST {
                return Err(Error::new(format!("more than {DEEPEST} iterators stand around one another")));
            }
            Iter::Two(name == "zip", Box::new([own, other]))
        }
        (None, [state, function]) if name == "scan" => {
            let state = Value::Reference(Shared::new(super::places::lent(std::mem::take(state))));
            around(Adaptor::Scan, own, std::mem::take(function), state)?
        }
        (None, []) if name == "cycle" => {
            let all = collected(own, caller)?;
            let (count, all) = (all.len(), Shared::new(all));
            if count == 0 {
                Iter::Empty
            } else {
                around(Adaptor::Cycle, Iter::List(all.clone(), 0, count), Value::Unit, Value::List(all))?
            }
        }
        (None, []) if name == "rev" => match own {
            Iter::Count(start, end, kind) => Iter::Down(start, end, kind),
            other => {
                let mut all = collected(other, caller)?;
                all.reverse();
                let count = all.len();
                Iter::List(Shared::new(all), 0, count)
            }
        },
        (None, [])
            if matches!(
                name,
                "iter" | "into_iter" | "by_ref" | "copied" | "cloned" | "fuse" | "as_slice"
            ) =>
        {
            own
        }
        _ => return Ok(Err(own)),
    };
    Ok(Ok(made))
}

/// A method that takes all items, or some; `None` if there is no such method.
pub(crate) fn eager<N: Numeric>(
    name: &str,
    own: &mut Iter<N>,
    arguments: &mut [Value<N>],
    wanted: &Type,
    caller: &mut dyn Caller<N>,
) -> Result<Option<Value<N>>, Error> {
    Ok(Some(match (name, &mut *arguments) {
        ("next", []) => Value::option(next(own, caller)?),
        ("collect" | "to_vec", []) => {
            let all = collected(std::mem::take(own), caller)?;
            return gathered(all, wanted, caller).map(Some);
        }
        ("sum" | "product", []) => total(name == "sum", own, wanted, caller)?,
        ("count", []) => {
            let mut count = 0;
            while next(own, caller)?.is_some() {
                count += 1;
            }
            Value::count(count)
        }
        ("len", []) => {
            let mut copy = own.clone();
            return eager("count", &mut copy, &mut [], wanted, caller);
        }
        ("last", []) => {
            let mut last = None;
            while let Some(item) = next(own, caller)? {
                last = Some(item);
            }
            Value::option(last)
        }
        ("nth", [number]) => {
            for _ in 0..number.counted(caller.program())? {
                next(own, caller)?;
            }
            Value::option(next(own, caller)?)
        }
        ("peek", []) => {
            if let Iter::Held(other) = own {
                let mut other = other.try_borrow_mut().map_err(|_| in_use())?;
                return eager("peek", &mut other, &mut [], wanted, caller);
            }
            let Iter::Of(Adaptor::Peekable, inner, _, state) = own else { return Ok(None) };
            if matches!(state, Value::Unit) {
                *state = Value::option(next(inner, caller)?);
            }
            state.clone()
        }
        ("for_each", [function]) => {
            while let Some(item) = next(own, caller)? {
                caller.call(function, &mut [item])?;
            }
            Value::Unit
        }
        ("fold", [start, function]) => {
            let mut sum = std::mem::take(start);
            while let Some(item) = next(own, caller)? {
                sum = caller.call(function, &mut [sum, item])?;
            }
            sum
        }
        ("reduce", [function]) => {
            let Some(mut sum) = next(own, caller)? else { return Ok(Some(Value::option(None))) };
            while let Some(item) = next(own, caller)? {
                sum = caller.call(function, &mut [sum, item])?;
            }
            Value::option(Some(sum))
        }
        ("any" | "all" | "find" | "position" | "find_map", [function]) => {
            searched(name, own, function, caller)?
        }
        ("min" | "max", []) => extreme(name == "max", own, None, false, caller)?,
        ("min_by" | "max_by", [function]) => extreme(name == "max_by", own, Some(function), false, caller)?,
        ("min_by_key" | "max_by_key", [function]) => {
            extreme(name == "max_by_key", own, Some(function), true, caller)?
        }
        ("unzip", []) => {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            while let Some(item) = next(own, caller)? {
                let Some([one, other]) = item.as_list() else {
                    return Err(item.mismatch("(_, _)", caller.program()));
                };
                caller.spend(0, 2 * first.len())?;
                first.push(one.clone());
                second.push(other.clone());
            }
            Value::tuple(vec![Value::list(first), Value::list(second)])
        }
        ("partition", [function]) => {
            let (mut yes, mut no) = (Vec::new(), Vec::new());
            while let Some(item) = next(own, caller)? {
                let answer = caller.call(function, &mut [item.clone()])?;
                caller.spend(0, yes.len() + no.len())?;
                if truth(&answer, caller)? { yes.push(item) } else { no.push(item) }
            }
            Value::tuple(vec![Value::list(yes), Value::list(no)])
        }
        _ => return Ok(None),
    }))
}

/// Collected items as the wanted type: a list, a text, or a result or an option of a list.
fn gathered<N: Numeric>(
    all: Vec<Value<N>>,
    wanted: &Type,
    caller: &dyn Caller<N>,
) -> Result<Value<N>, Error> {
    match wanted {
        Type::Data(data @ (known::OPTION | known::RESULT), inner) => {
            let mut inside = Vec::with_capacity(all.len());
            for item in all {
                match item.inside() {
                    Some(value) => inside.push(value.clone()),
                    None => return Ok(item),
                }
            }
            let list =
                shaped(Value::list(inside), inner.first().unwrap_or(&Type::Unknown), caller.program())?;
            Ok(Value::data(*data, known::SOME, vec![list]))
        }
        Type::Text => {
            let parts = all.iter().map(|part| match part {
                Value::Text(text) => text.to_string(),
                Value::Char(sign) => sign.to_string(),
                _ => String::new(),
            });
            Ok(Value::text(&parts.collect::<String>()))
        }
        _ => shaped(Value::list(all), wanted, caller.program()),
    }
}

/// The sum or the product of all items.
pub(crate) fn total<N: Numeric>(
    sums: bool,
    own: &mut Iter<N>,
    wanted: &Type,
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let operator = if sums { Operator::Add } else { Operator::Mul };
    let neutral = i128::from(!sums);
    let Some(first) = next(own, caller)? else {
        return Ok(match wanted {
            Type::Integer(kind) => Value::Integer(neutral, *kind),
            Type::Matrix(rows, columns) => {
                let zeros =
                    super::matrix::make(super::tree::Make::Zeros, (*rows).into(), (*columns).into(), &[]);
                zeros.map_or(Value::Unit, Value::Matrix)
            }
            Type::Unknown => Value::Integer(neutral, Kind::Any),
            // The neutral number of a sum is −0.
            _ => Value::number(if sums { -0.0 } else { 1.0 }),
        });
    };
    let mut sum = loaded(first, caller.program())?;
    while let Some(item) = next(own, caller)? {
        sum = operate(operator, &sum, &item, caller.program())?;
    }
    Ok(sum)
}

fn searched<N: Numeric>(
    name: &str,
    own: &mut Iter<N>,
    function: &Value<N>,
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let mut at = 0;
    while let Some(item) = next(own, caller)? {
        let answer = caller.call(function, &mut [item.clone()])?;
        match name {
            "find_map" if answer.inside().is_some() => return Ok(answer),
            "find_map" => {}
            _ if truth(&answer, caller)? != (name == "all") => {
                return Ok(match name {
                    "any" => Value::Bool(true),
                    "all" => Value::Bool(false),
                    "find" => Value::option(Some(item)),
                    _ => Value::option(Some(Value::count(at))),
                });
            }
            _ => {}
        }
        at += 1;
    }
    Ok(match name {
        "any" => Value::Bool(false),
        "all" => Value::Bool(true),
        _ => Value::option(None),
    })
}

/// The first least item, or the last greatest one.
fn extreme<N: Numeric>(
    greatest: bool,
    own: &mut Iter<N>,
    function: Option<&Value<N>>,
    by_key: bool,
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let mut best: Option<(Value<N>, Value<N>)> = None;
    while let Some(item) = next(own, caller)? {
        let key = match function {
            Some(function) if by_key => caller.call(function, &mut [item.clone()])?,
            _ => item.clone(),
        };
        let is_better = match (&best, function) {
            (None, _) => true,
            (Some((_, known)), Some(function)) if !by_key => {
                let order = caller.call(function, &mut [known.clone(), key.clone()])?;
                let order = ordering(&order).ok_or_else(|| order.mismatch("Ordering", caller.program()))?;
                if greatest { order.is_le() } else { order.is_gt() }
            }
            (Some((_, known)), _) => match order(known, &key, caller.program())? {
                Some(order) if greatest => order.is_le(),
                Some(order) => order.is_gt(),
                None => return Err(Error::new("the trait bound `f64: Ord` is not satisfied")),
            },
        };
        if is_better {
            best = Some((item, key));
        }
    }
    Ok(Value::option(best.map(|(item, _)| item)))
}

/// The order that a value of `Ordering` names.
pub(crate) fn ordering<N: Numeric>(value: &Value<N>) -> Option<Ordering> {
    match value {
        Value::Data(data) if data.data == known::ORDERING => match data.variant {
            0 => Some(Ordering::Less),
            1 => Some(Ordering::Equal),
            _ => Some(Ordering::Greater),
        },
        _ => None,
    }
}
