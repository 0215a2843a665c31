//! The functions that the interpreter has.

use super::error::Error;
use super::iterators::{collected, iterate, lazy, total};
use super::number::Numeric;
use super::operators::cast;
use super::places::{change, loaded};
use super::shared::Shared;
use super::tree::{Builtin, Callee, Make, Type, known};
use super::value::{Adaptor, Caller, Iter, Matrix, Value};
use least_action_core::system::Signal;
use std::rc::Rc;

/// Calls a function.
pub(crate) fn call<N: Numeric>(
    callee: &Callee,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    if !matches!(callee, Callee::Builtin(Builtin::Swap | Builtin::Replace | Builtin::Take | Builtin::Same)) {
        for argument in arguments.iter_mut().filter(|argument| matches!(argument, Value::Reference(_))) {
            *argument = loaded(std::mem::take(argument), caller.program())?;
        }
    }
    match callee {
        Callee::Variant(data, variant) => {
            let expected =
                caller.program().variant(*data, *variant).map_or(0, |variant| variant.fields.len());
            if expected != arguments.len() {
                return Err(Error::new(format!(
                    "this takes {expected} arguments, but {} are supplied",
                    arguments.len()
                )));
            }
            Ok(Value::data(*data, *variant, arguments.iter_mut().map(std::mem::take).collect()))
        }
        Callee::Builtin(builtin) => self::builtin(*builtin, arguments, caller),
        Callee::Make(Make::FromFn, rows, columns) => from_fn([*rows, *columns], arguments, caller),
        Callee::Make(make, rows, columns) => {
            let made = super::matrix::make(*make, (*rows).into(), (*columns).into(), arguments);
            made.map(Value::Matrix)
                .ok_or_else(|| Error::new("these arguments make no vector or matrix of this size"))
        }
        Callee::From(to) => match arguments {
            [one] => from(std::mem::take(one), to, caller),
            _ => Err(Error::new("`from` takes one argument")),
        },
        Callee::Default(of) => default(of, caller),
        Callee::Own(_) | Callee::Method(_) | Callee::Host(_) => {
            Err(Error::new("this function is not called here"))
        }
    }
}

/// `Type::from(value)`.
fn from<N: Numeric>(value: Value<N>, to: &Type, caller: &mut dyn Caller<N>) -> Result<Value<N>, Error> {
    match (&value, to) {
        (Value::Integer(..) | Value::Bool(_), Type::Number | Type::Integer(_)) => {
            if let (Value::Integer(number, _), Type::Integer(kind)) = (&value, to)
                && kind.holds(Some(*number)).is_none()
            {
                return Err(Error::new(format!("`{}` has no value {number}", kind.name())));
            }
            cast(&value, to, caller.program())
        }
        _ => super::operators::shaped(value, to, caller.program()),
    }
}

fn from_fn<N: Numeric>(
    [rows, columns]: [u8; 2],
    arguments: &[Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let [function] = arguments else { return Err(Error::new("`from_fn` takes one argument")) };
    let mut entries = Vec::new();
    for k in 0..usize::from(rows) * usize::from(columns) {
        let place = [k % usize::from(rows), k / usize::from(rows)].map(Value::count);
        match caller.call(function, &mut place.to_vec())? {
            Value::Number(number) => entries.push(number),
            other => return Err(other.mismatch("f64", caller.program())),
        }
    }
    Ok(Value::Matrix(Matrix::new(rows.into(), columns.into(), entries)))
}

/// The value of `Default::default()`.
pub(crate) fn default<N: Numeric>(of: &Type, caller: &mut dyn Caller<N>) -> Result<Value<N>, Error> {
    caller.spend(1, 1)?;
    Ok(match of {
        Type::Number => Value::number(0.0),
        Type::Integer(kind) => Value::Integer(0, *kind),
        Type::Bool => Value::Bool(false),
        Type::Char => Value::Char('\0'),
        Type::Text => Value::text(""),
        Type::List(inner, Some(length)) => {
            caller.spend(*length, *length)?;
            Value::list(vec![default(inner, caller)?; *length])
        }
        Type::List(..) => Value::list(Vec::new()),
        Type::Tuple(all) => {
            Value::tuple(all.iter().map(|inner| default(inner, caller)).collect::<Result<_, _>>()?)
        }
        Type::Matrix(rows, columns) => {
            let zeros = super::matrix::make(Make::Zeros, (*rows).into(), (*columns).into(), &[]);
            zeros.map_or(Value::Unit, Value::Matrix)
        }
        Type::Signal => Value::Host(Rc::new(Signal::default())),
        Type::Data(known::OPTION, _) => Value::option(None),
        Type::Data(known::LOOK, _) => Value::data(known::LOOK, 0, vec![Value::list(Vec::new())]),
        Type::Data(data, _) => return default_of(*data, caller),
        Type::Unknown => {
            return Err(Error::new("the type of this default value is not known")
                .with_help("write it, as in `f64::default()`"));
        }
    })
}

fn default_of<N: Numeric>(data: u32, caller: &mut dyn Caller<N>) -> Result<Value<N>, Error> {
    let program = caller.program();
    let known = program.data.get(data as usize);
    let method = program.symbols.get("default").and_then(|name| program.method_of(data, *name));
    if let Some(function) = method {
        let function = Value::function(super::value::Callable::Path(Callee::Own(function)));
        return caller.call(&function, &mut []);
    }
    let Some((name, variant)) = known.and_then(|known| Some((known.name.clone(), known.default?))) else {
        let name = known.map_or("this type", |known| &known.name);
        let fields = program.variant(data, 0).map_or(&[][..], |own| &own.fields).iter();
        let fields = fields.map(|field| format!("{}: …", field.name)).collect::<Vec<_>>().join(", ");
        let error = Error::new(format!("the trait `Default` is not implemented for `{name}`"));
        return Err(error.with_help(format!(
            "write the values: `impl Default for {name} {{ fn default() -> Self {{ Self {{ {fields} }} }} }}`"
        )));
    };
    let fields = program.variant(data, variant).map(|variant| variant.fields.clone()).unwrap_or_default();
    let mut values = Vec::new();
    for field in fields {
        values.push(default(&field.r#type, caller).map_err(|error| error.inside(&field.name).inside(&name))?);
    }
    Ok(Value::data(data, variant, values))
}

fn builtin<N: Numeric>(
    builtin: Builtin,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let zeros = |count: usize| Value::list(vec![Value::number(0.0); count]);
    Ok(match (builtin, &mut *arguments) {
        (Builtin::List, _) => Value::list(Vec::new()),
        (Builtin::Text, _) => Value::text(""),
        (Builtin::Empty, []) => Value::iterator(Iter::Empty),
        (Builtin::Once, [item]) => Value::iterator(Iter::List(Shared::new(vec![std::mem::take(item)]), 0, 1)),
        (Builtin::Repeat, [item]) => {
            let all = Shared::new(vec![std::mem::take(item)]);
            let cycle = super::iterators::around(
                Adaptor::Cycle,
                Iter::List(all.clone(), 0, 1),
                Value::Unit,
                Value::List(all),
            )?;
            Value::iterator(cycle)
        }
        (Builtin::FromFn, [function]) => {
            Value::iterator(Iter::Function(std::mem::take(function), Value::Unit))
        }
        (Builtin::Successors, [first, function]) => {
            Value::iterator(Iter::Function(std::mem::take(function), std::mem::take(first)))
        }
        (Builtin::Zip, [one, other]) => {
            let one = iterate(std::mem::take(one), caller)?;
            match lazy("zip", one, std::slice::from_mut(other), caller)? {
                Ok(made) => Value::iterator(made),
                Err(_) => Value::Unit,
            }
        }
        (Builtin::Same, [value]) => std::mem::take(value),
        (Builtin::Swap | Builtin::Replace | Builtin::Take, _) => return moved(builtin, arguments, caller),
        (Builtin::State, [q, v]) => state(std::mem::take(q), std::mem::take(v), caller)?,
        (Builtin::AtRest, [q]) => {
            let q = std::mem::take(q);
            let count = q.as_list().map_or(0, <[_]>::len);
            state(q, zeros(count), caller)?
        }
        (Builtin::OfPoints | Builtin::PointsAtRest, [q, rest @ ..]) => {
            let q = components(q, caller)?;
            let v = match rest {
                [v] => components(v, caller)?,
                _ => zeros(q.as_list().map_or(0, <[_]>::len)),
            };
            state(q, v, caller)?
        }
        (Builtin::Look, []) => Value::data(known::LOOK, 0, vec![Value::list(Vec::new())]),
        (Builtin::Open, []) => cell(vec![Value::option(None); 3], true),
        (Builtin::Cubic, [length]) => cell(vec![length.clone(); 3], true),
        (Builtin::Orthorhombic, [Value::List(lengths)]) => cell(lengths.to_vec(), true),
        (Builtin::Triclinic, [Value::List(rows)]) => cell(rows.to_vec(), false),
        (Builtin::Steady | Builtin::Held | Builtin::Steps | Builtin::Lines, _) => signal(builtin, arguments)?,
        (Builtin::Quaternion, [Value::Matrix(vector)]) => {
            Value::data(known::QUATERNION, 0, vec![Value::Matrix(vector.clone())])
        }
        (Builtin::UnitQuaternion, [Value::Data(quaternion)]) => {
            match quaternion.fields.as_ref().and_then(|fields| fields.first()) {
                Some(Value::Matrix(vector)) => {
                    Value::data(known::QUATERNION, 0, vec![Value::Matrix(vector.normalized())])
                }
                _ => return Err(Error::new("a quaternion has four numbers")),
            }
        }
        (Builtin::Rotation, [Value::Matrix(axis), Value::Number(angle)]) => Value::Matrix(
            Matrix::rotation(axis, angle).ok_or_else(|| Error::new("an axis has three numbers"))?,
        ),
        (Builtin::Sum | Builtin::Each, [items, function]) => {
            let items = iterate(std::mem::take(items), caller)?;
            let mut made =
                super::iterators::around(Adaptor::Map, items, std::mem::take(function), Value::Unit)?;
            match builtin {
                Builtin::Each => Value::list(collected(made, caller)?),
                _ => total(true, &mut made, &Type::Number, caller)?,
            }
        }
        (Builtin::Pairs, [count]) => pairs(count.counted(caller.program())?, caller)?,
        (Builtin::Vector2, [one]) => {
            super::operators::shaped(std::mem::take(one), &Type::Matrix(2, 1), caller.program())?
        }
        (Builtin::Vector3, [one]) => {
            super::operators::shaped(std::mem::take(one), &Type::Matrix(3, 1), caller.program())?
        }
        (Builtin::Matrix3, [one]) => std::mem::take(one),
        (Builtin::Vector2, [_, _]) | (Builtin::Vector3, [_, _, _]) => {
            let entries: Option<Vec<N>> = arguments.iter().map(|entry| entry.as_number().cloned()).collect();
            Value::Matrix(Matrix::vector(entries.ok_or_else(|| Error::new("a vector has numbers"))?))
        }
        (Builtin::Rate, [value]) => rate(value, 8)?,
        _ => {
            return Err(Error::new(format!(
                "this function does not take {} arguments of these types",
                arguments.len()
            )));
        }
    })
}

fn rate<N: Numeric>(value: &Value<N>, depth: u32) -> Result<Value<N>, Error> {
    Ok(match value {
        Value::Number(number) => Value::Number(number.rate()),
        Value::Matrix(Matrix { rows, columns, entries }) => Value::Matrix(Matrix {
            rows: *rows,
            columns: *columns,
            entries: entries.iter().map(N::rate).collect(),
        }),
        Value::List(list) if depth > 0 => {
            Value::list(list.iter().map(|value| rate(value, depth - 1)).collect::<Result<_, _>>()?)
        }
        _ => return Err(Error::new("`der` takes a scalar, a vector or an array of them")),
    })
}

fn pairs<N: Numeric>(count: usize, caller: &mut dyn Caller<N>) -> Result<Value<N>, Error> {
    let all = count.saturating_mul(count.saturating_sub(1)) / 2;
    caller.spend(all, all.saturating_mul(5))?;
    let pair = |i: usize, j: usize| Value::tuple(vec![Value::count(i), Value::count(j)]);
    let list: Vec<Value<N>> =
        (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))).map(|(i, j)| pair(i, j)).collect();
    Ok(Value::iterator(Iter::List(Shared::new(list), 0, all)))
}

fn state<N: Numeric>(q: Value<N>, v: Value<N>, caller: &mut dyn Caller<N>) -> Result<Value<N>, Error> {
    for list in [&q, &v] {
        let numbers = list.as_list().is_some_and(|list| list.iter().all(|value| value.as_number().is_some()));
        if !numbers {
            return Err(list.mismatch("Vec<f64>", caller.program()));
        }
    }
    Ok(Value::data(known::STATE, 0, vec![Value::number(0.0), q, v]))
}

/// The components of points, in the order of a layout.
fn components<N: Numeric>(points: &Value<N>, caller: &mut dyn Caller<N>) -> Result<Value<N>, Error> {
    let mut numbers = Vec::new();
    if !points.components(&mut numbers) {
        return Err(points.mismatch("vectors", caller.program()));
    }
    Ok(Value::list(numbers.into_iter().map(Value::Number).collect()))
}

fn cell<N: Numeric>(given: Vec<Value<N>>, by_lengths: bool) -> Value<N> {
    let row = |(axis, value): (usize, Value<N>)| {
        let given = match &value {
            Value::Data(_) => value.inside().cloned(),
            _ => Some(value),
        };
        let along = |length: Value<N>| {
            let mut row = vec![Value::number(0.0); 3];
            if let Some(entry) = row.get_mut(axis) {
                *entry = length;
            }
            Value::list(row)
        };
        Value::option(given.map(|given| if by_lengths { along(given) } else { given }))
    };
    Value::data(known::CELL, 0, vec![Value::list(given.into_iter().enumerate().map(row).collect())])
}

fn signal<N: Numeric>(builtin: Builtin, arguments: &[Value<N>]) -> Result<Value<N>, Error> {
    let numbers = |value: &Value<N>| -> Option<Vec<f64>> {
        value.as_list()?.iter().map(|number| number.as_number().map(N::real)).collect()
    };
    let made = match (builtin, arguments) {
        (Builtin::Steady, [Value::Number(value)]) => Signal::steady(value.real()),
        (Builtin::Held, [Value::Number(value)]) => Signal::held(value.real()),
        (Builtin::Steps | Builtin::Lines, [times, values]) => match (numbers(times), numbers(values)) {
            (Some(times), Some(values)) if builtin == Builtin::Steps => Signal::constant(times, values),
            (Some(times), Some(values)) => Signal::linear(times, values),
            _ => return Err(Error::new("a signal has lists of numbers")),
        },
        _ => return Err(Error::new("a signal is made of numbers")),
    };
    Ok(match made {
        Ok(signal) => Value::data(known::RESULT, known::OK, vec![Value::Host(Rc::new(signal))]),
        Err(error) => Value::data(known::RESULT, known::ERR, vec![Value::text(&error.to_string())]),
    })
}

/// `std::mem::swap`, `replace` and `take`.
fn moved<N: Numeric>(
    builtin: Builtin,
    arguments: &mut [Value<N>],
    caller: &mut dyn Caller<N>,
) -> Result<Value<N>, Error> {
    let set = |place: &Value<N>, value: Value<N>, caller: &mut dyn Caller<N>| {
        let Value::Reference(reference) = place else {
            return Err(place.mismatch("&mut _", caller.program()));
        };
        let mut root =
            reference.root.try_borrow_mut().map_err(|_| Error::new("this variable is in use already"))?;
        let mut value = Some(value);
        change(&mut root, &reference.steps, caller.program(), 0, &mut |own| {
            *own = value.take().unwrap_or_default();
            Ok(())
        })
    };
    match (builtin, arguments) {
        (Builtin::Swap, [one, other]) => {
            let program = caller.program();
            let (first, second) = (loaded(one.clone(), program)?, loaded(other.clone(), program)?);
            set(one, second, caller)?;
            set(other, first, caller)?;
            Ok(Value::Unit)
        }
        (Builtin::Replace, [place, value]) => {
            let before = loaded(place.clone(), caller.program())?;
            set(place, std::mem::take(value), caller)?;
            Ok(before)
        }
        (Builtin::Take, [place]) => {
            let before = loaded(place.clone(), caller.program())?;
            let empty = match &before {
                Value::List(_) => Value::list(Vec::new()),
                Value::Text(_) => Value::text(""),
                Value::Integer(_, kind) => Value::Integer(0, *kind),
                Value::Number(_) => Value::number(0.0),
                Value::Bool(_) => Value::Bool(false),
                _ => Value::option(None),
            };
            set(place, empty, caller)?;
            Ok(before)
        }
        _ => Err(Error::new("these arguments do not fit")),
    }
}
