//! Methods of the interpreter by their names and the kinds of their receivers.

use super::calls::{Call, Row, place_of};
use super::error::Error;
use super::integer::Operator;
use super::iterators::{collected, iterate};
use super::number::Numeric;
use super::operators::{equal, operate, order};
use super::places::near;
use super::sequences::compared;
use super::tree::{Known, Method, Program, Rows, TABLES, Type, known};
use super::value::{Answer, Caller, Data, Iter, Value};
use least_action_core::system::Signal;

/// The places of tables that are not for one kind of receivers.
const ITERATORS: usize = 7;
const EVERY: usize = 8;
const CHANGES: usize = 9;

impl<N: Numeric> Value<N> {
    const TABLES: [&'static [Row<N>]; TABLES] = [
        Self::OF_NUMBERS,
        Self::OF_INTEGERS,
        Self::OF_TRUTHS,
        Self::OF_OPTIONS,
        Self::OF_LISTS,
        Self::OF_MATRICES,
        Self::OF_OTHERS,
        Self::OF_ITERATORS,
        Self::OF_EVERY,
        Self::CHANGES,
    ];

    fn table(&self) -> usize {
        match self {
            Self::Number(_) => 0,
            Self::Integer(..) => 1,
            Self::Bool(_) => 2,
            Self::Data(data) if data.data <= known::RESULT => 3,
            Self::List(_) => 4,
            Self::Matrix(_) => 5,
            Self::Iterator(_) | Self::Range(_) => ITERATORS,
            _ => 6,
        }
    }

    /// The methods of signals.
    const OF_OTHERS: &'static [Row<N>] = &[
        ("value", 1, |call| {
            let t = call.number(0)?.real();
            of_signal(call, |signal| Value::number(signal.value(t)))
        }),
        ("times", 0, |call| {
            of_signal(call, |signal| Value::numbers(signal.times().iter().map(|t| N::of(*t))))
        }),
        ("values", 0, |call| {
            of_signal(call, |signal| Value::numbers(signal.values().iter().map(|value| N::of(*value))))
        }),
    ];

    const OF_EVERY: &'static [Row<N>] = &[
        ("clone", 0, |call| match &call.own {
            Value::Iterator(iterator) => match iterator.try_borrow().as_deref() {
                Ok(Iter::Count(start, end, kind)) => Ok(Value::iterator(Iter::Count(*start, *end, *kind))),
                Ok(Iter::List(list, at)) => Ok(Value::iterator(Iter::List(list.clone(), *at))),
                Ok(Iter::Cycle(list, at)) => Ok(Value::iterator(Iter::Cycle(list.clone(), *at))),
                _ => Err(Error::refused("a copy of this iterator")),
            },
            _ => call.shaped(),
        }),
        (
            "to_owned into borrow as_ref copied cloned as_slice to_vec into_vec into_inner into_owned to_string",
            0,
            |call| match call.name {
                "to_string" => Ok(Value::text(&shown(&call.own, call.program()))),
                _ => call.shaped(),
            },
        ),
        ("eq", 1, |call| {
            let other = call.take(0)?;
            equal(&call.own, &other, call.program()).map(Value::Bool)
        }),
        ("cmp", 1, |call| {
            let other = call.take(0)?;
            compared(None, &call.own, &other, call.caller).map(Value::ordering)
        }),
        ("partial_cmp", 1, |call| {
            let other = call.take(0)?;
            Ok(Value::option(order(&call.own, &other, call.program())?.map(Value::ordering)))
        }),
        ("contains", 1, |call| {
            let (item, Value::Range(ends)) = (call.plain(0)?, &call.own) else {
                return Err(unknown("contains", &call.own, call.program()));
            };
            let holds = |operator, end: &Value<N>| operate(operator, &item, end, call.program());
            let below = if ends.inclusive { Operator::LessEqual } else { Operator::Less };
            let fits =
                matches!(ends.end, Value::Unit) || matches!(holds(below, &ends.end)?, Value::Bool(true));
            Ok(Value::Bool(fits && matches!(holds(Operator::GreaterEqual, &ends.start)?, Value::Bool(true))))
        }),
    ];
}

/// The rows of a method.
pub(crate) fn rows(name: &str) -> Rows {
    Value::<f64>::TABLES.map(|table| place_of(name, table))
}

/// Methods that take items of an iterator, and leave it the others.
const TAKING: [&str; 4] = ["find", "position", "any", "all"];

/// If a method of this name may change its receiver.
pub(crate) fn changes(rows: &Rows, name: &str) -> bool {
    rows[CHANGES].is_some() || matches!(name, "iter_mut" | "first_mut" | "last_mut") || TAKING.contains(&name)
}

/// Calls a method of the interpreter.
pub(crate) fn call<N: Numeric>(
    method: &Method,
    own: Value<N>,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Answer<N> {
    let kind = own.table();
    let iterates = matches!(own, Value::List(_) | Value::Matrix(_))
        || matches!(own, Value::Data(Data { data: known::OPTION, .. }));
    let mut call = Call { name: &method.name, own, arguments, wanted: &method.wanted, caller };
    if let (Value::Number(own), count) = (&call.own, call.arguments.len()) {
        match method.known {
            Known::Elementary(function) if count == 0 => return Ok(Value::Number(own.apply(function))),
            Known::OfTwo(function) if count == 1 => {
                return Ok(Value::Number(own.with(function, call.number(0)?)));
            }
            _ => {}
        }
    }
    let tables = [Some(kind), Some(EVERY), Some(ITERATORS).filter(|_| iterates), Some(CHANGES)];
    let row = tables.into_iter().flatten().find_map(|table| Some((table, method.rows[table]?)));
    match row {
        Some((table, row)) => call.run(Value::TABLES[table].get(usize::from(row))),
        None => recorded(method, &mut call),
    }
}

/// Calls a method of the interpreter that changes its receiver.
pub(crate) fn change<N: Numeric>(
    method: &Method,
    own: &mut Value<N>,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Answer<N> {
    let is_range = matches!(own, Value::Range(_));
    if is_range && TAKING.contains(&&*method.name) {
        *own = Value::iterator(iterate(std::mem::take(own), caller)?);
    }
    let Some(row) =
        method.rows[CHANGES].filter(|_| matches!(own, Value::List(_) | Value::Iterator(_)) || is_range)
    else {
        return call(method, own.clone(), arguments, caller);
    };
    let receiver = std::mem::take(own);
    let mut call = Call { name: &method.name, own: receiver, arguments, wanted: &method.wanted, caller };
    let answer = call.run(Value::CHANGES.get(usize::from(row)));
    *own = call.own;
    answer
}

fn unknown<N: Numeric>(name: &str, own: &Value<N>, program: &Program) -> Error {
    let error = Error::new(format!("no method named `{name}` found for `{}`", own.kind(program)));
    let methods = match own {
        Value::Data(data) => program.data.get(data.data as usize).map(|data| &data.methods[..]),
        _ => None,
    };
    let methods = methods.unwrap_or_default().iter().map(|(name, _)| program.name(*name));
    let tables = [own.table(), EVERY].map(|table| Value::<N>::TABLES[table]);
    let known = tables.into_iter().flatten().flat_map(|(names, ..)| names.split(' '));
    let elementary = ["sin", "cos", "sqrt", "powf", "atan2", "abs"].into_iter().filter(|_| own.table() == 0);
    let error = near(error, name, methods.chain(known).chain(elementary));
    if error.help().is_none() { error.with_help(Error::CRATE) } else { error }
}

fn of_signal<N: Numeric>(call: &Call<'_, N>, of: impl FnOnce(&Signal) -> Value<N>) -> Answer<N> {
    call.own.as_signal().map(of).ok_or_else(|| unknown(call.name, &call.own, call.program()))
}

/// The methods that build a look; each is kept with its arguments until the look is made.
const BUILDERS: &str = "points fixed rod spring cylinder cone disc label ground bonds springs radius colours \
                        species boxes hide";

fn recorded<N: Numeric>(method: &Method, call: &mut Call<'_, N>) -> Answer<N> {
    let is_look = matches!(call.own, Value::Data(Data { data: known::LOOK, .. }));
    if !is_look || !BUILDERS.split(' ').any(|name| *name == *method.name) {
        return Err(unknown(&method.name, &call.own, call.program()));
    }
    let mut all = vec![Value::text(&method.name)];
    for argument in call.arguments.iter_mut().map(std::mem::take) {
        all.push(match argument {
            Value::Iterator(_) | Value::Range(_) => {
                Value::List(collected(iterate(argument, call.caller)?, call.caller)?)
            }
            other => other,
        });
    }
    let calls = call.own.field(0).and_then(Value::as_list);
    let mut calls = calls.ok_or_else(|| unknown(&method.name, &call.own, call.program()))?.to_vec();
    call.caller.spend(calls.len(), calls.len())?;
    calls.push(Value::tuple(all));
    Ok(Value::data(known::LOOK, 0, vec![Value::list(calls)]))
}

/// A value as text.
fn shown<N: Numeric>(value: &Value<N>, program: &Program) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Number(number) => number.real().to_string(),
        Value::Integer(number, _) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Char(sign) => sign.to_string(),
        other => other.kind(program),
    }
}

/// Calls a function of a table.
pub(crate) fn function<N: Numeric>(
    number: u32,
    wanted: &Type,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Answer<N> {
    let row = Value::FUNCTIONS.get(number as usize);
    let name = row.map_or("", |(names, ..)| names.split(' ').next().unwrap_or(names));
    Call { name, own: Value::Unit, arguments, wanted, caller }.run(row)
}
