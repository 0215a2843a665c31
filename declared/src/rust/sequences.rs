//! The methods of iterators.

use super::calls::{Call, Row, truth};
use super::error::{Error, Result};
use super::integer::{Kind, Operator};
use super::iterators::{around, collected, depth, iterate, next, opened};
use super::number::Numeric;
use super::operators::{operate, order, shaped};
use super::places::loaded;
use super::tree::{Type, known};
use super::value::{Answer, Caller, Iter, Matrix, Value};
use std::cmp::Ordering;

impl<N: Numeric> Value<N> {
    pub(crate) const OF_ITERATORS: &'static [Row<N>] = &[
        ("iter into_iter copied cloned", 0, |call| call.items().map(Value::iterator)),
        ("map", 1, |call| {
            let function = call.take(0)?;
            call.around(move |inner, caller| match next(inner, caller)? {
                Some(item) => caller.call(&function, &mut [item]).map(Some),
                None => Ok(None),
            })
        }),
        ("filter", 1, |call| {
            let function = call.take(0)?;
            call.around(move |inner, caller| {
                while let Some(item) = next(inner, caller)? {
                    let answer = caller.call(&function, &mut [item.clone()])?;
                    if truth(&answer, caller.program())? {
                        return Ok(Some(item));
                    }
                }
                Ok(None)
            })
        }),
        ("filter_map", 1, |call| {
            let function = call.take(0)?;
            call.around(move |inner, caller| {
                while let Some(item) = next(inner, caller)? {
                    if let Some(found) = opened(&caller.call(&function, &mut [item])?)? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            })
        }),
        ("flat_map", 1, |call| {
            let function = call.take(0)?;
            flat(call, move |item, caller| caller.call(&function, &mut [item]))
        }),
        ("flatten", 0, |call| flat(call, |item, _| Ok(item))),
        ("enumerate", 0, |call| {
            let mut at = 0;
            call.around(move |inner, caller| {
                let item = next(inner, caller)?;
                at += 1;
                Ok(item.map(|item| Value::tuple(vec![Value::count(at - 1), item])))
            })
        }),
        ("take", 1, |call| {
            let mut left = call.count(0)?;
            call.around(move |inner, caller| {
                let is_left = left > 0;
                left = left.saturating_sub(1);
                if is_left { next(inner, caller) } else { Ok(None) }
            })
        }),
        ("skip", 1, |call| {
            let first = call.count(0)?;
            stepped(call, first, 1)
        }),
        ("step_by", 1, |call| match call.count(0)? {
            0 => Err(Error::new("assertion failed: step != 0")),
            step => stepped(call, 0, step),
        }),
        ("take_while", 1, |call| {
            let (function, mut ended) = (call.take(0)?, false);
            call.around(move |inner, caller| {
                let item = if ended { None } else { next(inner, caller)? };
                let Some(item) = item else { return Ok(None) };
                let answer = caller.call(&function, &mut [item.clone()])?;
                ended = !truth(&answer, caller.program())?;
                Ok((!ended).then_some(item))
            })
        }),
        ("zip", 1, |call| {
            let mut other = iterate(call.take(0)?, call.caller)?;
            let both = around(call.items()?, depth(&other), move |inner, caller| {
                let Some(one) = next(inner, caller)? else { return Ok(None) };
                Ok(next(&mut other, caller)?.map(|other| Value::tuple(vec![one, other])))
            });
            both.map(Value::iterator)
        }),
        ("chain", 1, |call| {
            let mut other = iterate(call.take(0)?, call.caller)?;
            let both = around(call.items()?, depth(&other), move |inner, caller| {
                if let Some(item) = next(inner, caller)? {
                    return Ok(Some(item));
                }
                *inner = Iter::Empty;
                next(&mut other, caller)
            });
            both.map(Value::iterator)
        }),
        ("cycle", 0, |call| Ok(Value::iterator(Iter::Cycle(collected(call.items()?, call.caller)?, 0)))),
        ("rev", 0, |call| match call.items()? {
            Iter::Count(start, mut end, kind) => around(Iter::Empty, 0, move |_, _| {
                let has = start < end;
                end -= i128::from(has);
                Ok(has.then_some(Value::Integer(end, kind)))
            })
            .map(Value::iterator),
            other => {
                let mut all = collected(other, call.caller)?;
                all.edit(|all| all.reverse());
                Ok(Value::iterator(Iter::List(all, 0)))
            }
        }),
        ("last", 0, |call| folded(call, Value::option(None), |_, item, _| Ok(Value::option(Some(item))))),
        ("count", 0, |call| {
            let mut count = 0;
            folded(call, Value::Unit, |_, _, _| {
                count += 1;
                Ok(Value::Unit)
            })?;
            Ok(Value::count(count))
        }),
        ("len", 0, |call| match call.items()? {
            Iter::Count(start, end, _) => Ok(Value::count(end.saturating_sub(start).max(0) as usize)),
            Iter::List(list, at) => Ok(Value::count(list.len().saturating_sub(at))),
            _ => Err(Error::refused("`len` of this iterator")),
        }),
        ("collect", 0, |call| {
            let all = collected(call.items()?, call.caller)?;
            let Type::Data(data @ (known::OPTION | known::RESULT), inner) = call.wanted else {
                return shaped(Value::List(all), call.wanted, call.program());
            };
            if let Some(other) = all.iter().find(|item| item.inside().is_none()) {
                return Ok(other.clone());
            }
            let inside = Value::list(all.iter().filter_map(Value::inside).cloned().collect());
            let list = shaped(inside, inner.first().unwrap_or(&Type::Unknown), call.program())?;
            Ok(Value::data(*data, known::SOME, vec![list]))
        }),
        ("sum product", 0, |call| {
            let items = call.items()?;
            total(call.name == "sum", items, call.wanted, call.caller)
        }),
        ("for_each", 1, |call| {
            let function = call.take(0)?;
            folded(call, Value::Unit, |_, item, caller| {
                caller.call(&function, &mut [item])?;
                Ok(Value::Unit)
            })
        }),
        ("fold", 2, |call| {
            let (start, function) = (call.take(0)?, call.take(1)?);
            folded(call, start, |sum, item, caller| caller.call(&function, &mut [sum, item]))
        }),
        ("any", 1, |call| Ok(Value::Bool(searched(call, true)?.is_some()))),
        ("all", 1, |call| Ok(Value::Bool(searched(call, false)?.is_none()))),
        ("find", 1, |call| Ok(Value::option(searched(call, true)?.map(|(_, item)| item)))),
        ("position", 1, |call| Ok(Value::option(searched(call, true)?.map(|(at, _)| Value::count(at))))),
        ("min max", 0, |call| extreme(call)),
        ("min_by max_by", 1, |call| extreme(call)),
        ("min_by_key max_by_key", 1, |call| extreme(call)),
        ("unzip", 0, |call| {
            let all = collected(call.items()?, call.caller)?;
            let of = |k: usize| {
                let part = |pair: &Value<N>| pair.as_list()?.get(k).cloned();
                all.iter().map(part).collect::<Option<Vec<_>>>().map(Value::list)
            };
            let both = of(0).zip(of(1)).ok_or_else(|| Error::new("`unzip` needs pairs"))?;
            Ok(Value::tuple(vec![both.0, both.1]))
        }),
    ];
}

fn flat<N: Numeric>(
    call: &mut Call<'_, N>,
    mut items_of: impl FnMut(Value<N>, &mut dyn Caller<N>) -> Answer<N> + 'static,
) -> Answer<N> {
    let mut current = Iter::Empty;
    call.around(move |inner, caller| {
        loop {
            if let Some(item) = next(&mut current, caller)? {
                return Ok(Some(item));
            }
            let Some(item) = next(inner, caller)? else { return Ok(None) };
            let items = items_of(item, caller)?;
            current = iterate(items, caller)?;
        }
    })
}

/// Leaves out the first items, and then all but each `step`th.
fn stepped<N: Numeric>(call: &mut Call<'_, N>, first: usize, step: usize) -> Answer<N> {
    let mut left_out = first;
    call.around(move |inner, caller| {
        for _ in 0..std::mem::replace(&mut left_out, step - 1) {
            if next(inner, caller)?.is_none() {
                return Ok(None);
            }
        }
        next(inner, caller)
    })
}

fn folded<N: Numeric>(
    call: &mut Call<'_, N>,
    mut sum: Value<N>,
    mut with: impl FnMut(Value<N>, Value<N>, &mut dyn Caller<N>) -> Answer<N>,
) -> Answer<N> {
    let mut items = call.items()?;
    while let Some(item) = next(&mut items, call.caller)? {
        sum = with(sum, item, call.caller)?;
    }
    Ok(sum)
}

/// The first item of which a function says this, and its place.
fn searched<N: Numeric>(call: &mut Call<'_, N>, says: bool) -> Result<Option<(usize, Value<N>)>> {
    let mut items = call.items()?;
    let mut at = 0;
    while let Some(item) = next(&mut items, call.caller)? {
        if call.holds(0, item.clone())? == says {
            return Ok(Some((at, item)));
        }
        at += 1;
    }
    Ok(None)
}

/// The sum or the product of all items.
pub(crate) fn total<N: Numeric>(
    sums: bool,
    mut items: Iter<N>,
    wanted: &Type,
    caller: &mut dyn Caller<N>,
) -> Answer<N> {
    let (operator, neutral) = if sums { (Operator::Add, 0) } else { (Operator::Mul, 1) };
    let Some(first) = next(&mut items, caller)? else {
        return Ok(match wanted {
            Type::Integer(kind) => Value::Integer(neutral, *kind),
            Type::Unknown => Value::Integer(neutral, Kind::Any),
            Type::Matrix(rows, columns) => {
                Value::Matrix(Matrix::by_place([*rows, *columns], |_, _| N::of(0.0)))
            }
            // The neutral number of a sum is −0.
            _ => Value::number(if sums { -0.0 } else { 1.0 }),
        });
    };
    let mut sum = loaded(first, caller.program())?;
    while let Some(item) = next(&mut items, caller)? {
        sum = operate(operator, &sum, &item, caller.program())?;
    }
    Ok(sum)
}

/// The order of two values, by a function of both if there is one.
pub(crate) fn compared<N: Numeric>(
    function: Option<&Value<N>>,
    one: &Value<N>,
    other: &Value<N>,
    caller: &mut dyn Caller<N>,
) -> Result<Ordering> {
    match function {
        Some(function) => {
            let order = caller.call(function, &mut [one.clone(), other.clone()])?;
            order.as_ordering().ok_or_else(|| order.mismatch("Ordering", caller.program()))
        }
        None => order(one, other, caller.program())?
            .ok_or_else(|| Error::new("the trait bound `f64: Ord` is not satisfied")),
    }
}

/// The first least item, or the last greatest one.
fn extreme<N: Numeric>(call: &mut Call<'_, N>) -> Answer<N> {
    let greatest = call.name.starts_with("max");
    let function = call.name.ends_with("by").then(|| call.take(0)).transpose()?;
    let mut items = call.items()?;
    let mut best: Option<(Value<N>, Value<N>)> = None;
    while let Some(item) = next(&mut items, call.caller)? {
        let key = if call.name.ends_with("key") { call.call(0, [item.clone()])? } else { item.clone() };
        let is_better = match &best {
            None => true,
            Some((_, known)) => {
                let order = compared(function.as_ref(), known, &key, call.caller)?;
                if greatest { order.is_le() } else { order.is_gt() }
            }
        };
        if is_better {
            best = Some((item, key));
        }
    }
    Ok(Value::option(best.map(|(item, _)| item)))
}
