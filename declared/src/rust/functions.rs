//! The functions that the interpreter has, and the methods of vectors and matrices.

use super::calls::{ANY, Call, Row};
use super::error::{Error, Result};
use super::iterators::{around, collected, iterate, next};
use super::matrix::from_numbers;
use super::near;
use super::number::{Elementary, Numeric};
use super::operators::{cast, shaped};
use super::sequences::total;
use super::shared::Shared;
use super::tree::{Callee, Program, Type, known};
use super::value::{Answer, Caller, Function, Iter, Matrix, Value};
use least_action_core::expr::{self, Scalar};
use least_action_core::system::Signal;
use std::rc::Rc;

impl<N: Numeric> Value<N> {
    /// The functions by the type before their name: `Matrix` is any vector or matrix, `_` any type.
    pub(crate) const FUNCTIONS: &'static [Row<N>] = &[
        ("Vec::new Vec::with_capacity", ANY, |_| Ok(Value::list(Vec::new()))),
        ("String::new", 0, |_| Ok(Value::text(""))),
        (
            "Box::new Rc::new Arc::new Unit::new_normalize Borrow::borrow Into::into stiff mat3 lift",
            1,
            |call| call.take(0),
        ),
        ("Scalar::value", 1, |call| call.plain(0)),
        ("Scalar::constant", 1, |call| Ok(Value::Number(call.number(0)?.with_rate(N::of(0.0))))),
        ("Scalar::new", 2, |call| Ok(Value::Number(call.number(0)?.with_rate(call.number(1)?)))),
        ("Scalar::zero T::zero", 0, |_| Ok(Value::number(0.0))),
        ("T::one", 0, |_| Ok(Value::number(1.0))),
        ("place", 2, |call| {
            let (name, vector) = (call.plain(0)?, call.plain(1)?);
            let name = name.as_text().ok_or_else(|| name.mismatch("&str", call.program()))?;
            Ok(expr::place(name.to_owned(), vector))
        }),
        ("periodic", 2, |call| {
            let (cell, difference) = (call.plain(0)?, call.plain(1)?);
            near::periodic(&cell, &difference).ok_or_else(|| difference.mismatch("a vector", call.program()))
        }),
        ("Near::among", 2, |call| {
            let (own, first) = (call.plain(0)?, call.count(1)?);
            near::items(&own, Some(first), call.caller).map(Value::list)
        }),
        ("table", 2, |call| {
            let (t, signal) = (call.number(0)?, call.plain(1)?);
            let here = signal.as_signal().map(|signal| expr::table(Scalar::time(t.real()), signal));
            let here = here.ok_or_else(|| signal.mismatch("Signal", call.program()))?;
            Ok(Value::Number((t - N::of(t.real())) * N::of(here.rate()) + N::of(here.value())))
        }),
        ("sum", 2, |call| {
            let items = mapped(call)?;
            total(true, items, &Type::Number, call.caller)
        }),
        ("each", 2, |call| collected(mapped(call)?, call.caller).map(Value::List)),
        ("pairs", 1, |call| {
            let count = call.count(0)?;
            let all = count.saturating_mul(count.saturating_sub(1)) / 2;
            call.caller.spend(all, all.saturating_mul(5))?;
            let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
            let list = pairs.map(|pair| Value::tuple(pair.map(Value::count).to_vec())).collect();
            Ok(Value::iterator(Iter::List(Shared::new(list), 0)))
        }),
        ("der", 1, |call| rate(&call.plain(0)?, 8)),
        ("vec2 vec2_from", ANY, |call| vector(call, 2)),
        ("vec3 vec3_from", ANY, |call| vector(call, 3)),
        ("State::components", 1, |call| {
            let (points, mut numbers) = (call.plain(0)?, Vec::new());
            if points.components(&mut numbers) {
                return Ok(Value::numbers(numbers));
            }
            Err(points.mismatch("vectors", call.program()))
        }),
        ("Signal::steady", 1, |call| Ok(signal(Signal::steady(call.number(0)?.real())))),
        ("Signal::held", 1, |call| Ok(signal(Signal::held(call.number(0)?.real())))),
        ("Signal::constant", 2, |call| Ok(signal(Signal::constant(reals(call, 0)?, reals(call, 1)?)))),
        ("Signal::linear", 2, |call| Ok(signal(Signal::linear(reals(call, 0)?, reals(call, 1)?)))),
        ("Matrix::new Matrix::from_row_slice", ANY, |call| made(call, false)),
        ("Matrix::from_column_slice", 1, |call| made(call, true)),
        ("Matrix::zeros Matrix::zero Matrix::ZERO", 0, |call| by_place(call, |_, _| N::of(0.0))),
        ("Matrix::identity Matrix::IDENTITY", 0, |call| {
            by_place(call, |i, j| N::of(f64::from(u8::from(i == j))))
        }),
        ("Matrix::x Matrix::x_axis", 0, |call| by_place(call, |i, _| N::of(f64::from(u8::from(i == 0))))),
        ("Matrix::y Matrix::y_axis", 0, |call| by_place(call, |i, _| N::of(f64::from(u8::from(i == 1))))),
        ("Matrix::z Matrix::z_axis", 0, |call| by_place(call, |i, _| N::of(f64::from(u8::from(i == 2))))),
        ("Matrix::repeat Matrix::from_element", 1, |call| {
            let number = call.number(0)?;
            by_place(call, |_, _| number)
        }),
        ("Matrix::from_diagonal", 1, |call| {
            let diagonal = call.matrix(0)?;
            if *call.wanted != Type::Matrix(diagonal.rows, diagonal.rows) || diagonal.columns != 1 {
                return Err(misshaped());
            }
            by_place(call, |i, j| if i == j { *diagonal.at(i, 0) } else { N::of(0.0) })
        }),
        ("Matrix::from_columns", 1, |call| of_vectors(call, true)),
        ("Matrix::from_rows", 1, |call| of_vectors(call, false)),
        ("Matrix::from_fn", 1, |call| {
            let Type::Matrix(rows, columns) = *call.wanted else { return Err(misshaped()) };
            let mut entries = Vec::new();
            for k in 0..usize::from(rows) * usize::from(columns) {
                let place = [k % usize::from(rows), k / usize::from(rows)].map(Value::count);
                entries.push(call.call(0, place)?);
            }
            shape(call, &entries, true)
        }),
        ("_::from _::try_from", 1, |call| match (call.plain(0)?, call.wanted) {
            (value @ (Value::Integer(..) | Value::Bool(_)), to @ (Type::Number | Type::Integer(_))) => {
                if let (Value::Integer(number, _), Type::Integer(kind)) = (&value, to)
                    && kind.holds(Some(*number)).is_none()
                {
                    return Err(Error::new(format!("`{}` has no value {number}", kind.name())));
                }
                cast(&value, to, call.program())
            }
            (value, to) => shaped(value, to, call.program()),
        }),
        ("_::default", 0, |call| default(call.wanted, call.caller)),
    ];

    pub(crate) const OF_MATRICES: &'static [Row<N>] = &[
        ("norm magnitude", 0, |call| {
            let own = call.own_matrix()?;
            Ok(Value::Number(own.dot(own).ok_or_else(misshaped)?.apply(Elementary::sqrt)))
        }),
        ("norm_squared magnitude_squared", 0, |call| {
            let own = call.own_matrix()?;
            own.dot(own).map(Value::Number).ok_or_else(misshaped)
        }),
        ("dot", 1, |call| {
            let other = call.matrix(0)?;
            call.own_matrix()?.dot(&other).map(Value::Number).ok_or_else(misshaped)
        }),
        ("cross", 1, |call| {
            let other = call.matrix(0)?;
            match (&*call.own_matrix()?.entries, &*other.entries) {
                ([a, b, c], [x, y, z]) => {
                    Ok(Value::vector([*b * *z - *c * *y, *c * *x - *a * *z, *a * *y - *b * *x]))
                }
                ([a, b], [x, y]) => Ok(Value::Number(*a * *y - *b * *x)),
                _ => Err(misshaped()),
            }
        }),
        ("transpose", 0, |call| {
            let own = call.own_matrix()?;
            Ok(Value::Matrix(Matrix::by_place([own.columns, own.rows], |i, j| *own.at(j, i))))
        }),
        ("column", 1, |call| {
            let (j, own) = (call.count(0)?, call.own_matrix()?);
            if j >= usize::from(own.columns) {
                return Err(Error::new("matrix index out of bounds"));
            }
            Ok(Value::Matrix(Matrix::by_place([own.rows, 1], |i, _| *own.at(i, j))))
        }),
        ("nrows", 0, |call| Ok(Value::count(call.own_matrix()?.rows.into()))),
        ("len", 0, |call| Ok(Value::count(call.own_matrix()?.entries.len()))),
        ("iter as_slice", 0, |call| Ok(Value::numbers(call.own_matrix()?.entries.iter().copied()))),
        ("into_inner matrix into_owned vector", 0, |call| Ok(std::mem::take(&mut call.own))),
    ];
}

fn misshaped() -> Error {
    Error::new("the shapes of these vectors or matrices do not fit")
}

fn mapped<N: Numeric>(call: &mut Call<'_, N>) -> Result<Iter<N>> {
    let (items, function) = (iterate(call.take(0)?, call.caller)?, call.take(1)?);
    around(items, 0, move |inner, caller| match next(inner, caller)? {
        Some(item) => caller.call(&function, &mut [item]).map(Some),
        None => Ok(None),
    })
}

/// Calls a struct or a variant with fields in order.
pub(crate) fn variant<N: Numeric>(
    (data, variant): (u32, u32),
    arguments: &mut [Value<N>],
    program: &Program,
) -> Answer<N> {
    let (count, found) =
        (program.variant(data, variant).map_or(0, |known| known.fields.len()), arguments.len());
    if count != found {
        return Err(Error::new(format!("this takes {count} arguments, but {found} are supplied")));
    }
    Ok(Value::data(data, variant, arguments.iter_mut().map(std::mem::take).collect()))
}

/// The value of `Default::default()`.
pub(crate) fn default<N: Numeric>(of: &Type, caller: &mut dyn Caller<N>) -> Answer<N> {
    caller.spend(1, 1)?;
    Ok(match of {
        Type::Number => Value::number(0.0),
        Type::Integer(kind) => Value::Integer(0, *kind),
        Type::Bool => Value::Bool(false),
        Type::Text => Value::text(""),
        Type::List(inner, length) => {
            let length = length.unwrap_or(0);
            caller.spend(length, length)?;
            let entry = if length > 0 { default(inner, caller)? } else { Value::Unit };
            Value::list(vec![entry; length])
        }
        Type::Tuple(all) => {
            Value::tuple(all.iter().map(|inner| default(inner, caller)).collect::<Result<_, _>>()?)
        }
        Type::Matrix(rows, columns) => Value::Matrix(Matrix::by_place([*rows, *columns], |_, _| N::of(0.0))),
        Type::Signal => Value::Host(Rc::new(Signal::default())),
        Type::Data(known::OPTION, _) => Value::option(None),
        Type::Data(data, _) => return default_of(*data, caller),
        Type::Unknown => {
            return Err(Error::new("the type of this default value is not known")
                .with_help("write it, as in `f64::default()`"));
        }
    })
}

fn default_of<N: Numeric>(data: u32, caller: &mut dyn Caller<N>) -> Answer<N> {
    let program = caller.program();
    if let Some(function) = program.method_named(data, "default") {
        let function = Value::Function(Shared::new(Function::Path(Callee::Own(function))));
        return caller.call(&function, &mut []);
    }
    let (name, default_variant) =
        program.data.get(data as usize).map_or(("this type", None), |known| (&known.name, known.default));
    let name = name.to_owned();
    let Some(variant) = default_variant else {
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

/// A matrix of the wanted shape.
fn by_place<N: Numeric>(call: &Call<'_, N>, entry: impl Fn(usize, usize) -> N) -> Answer<N> {
    let Type::Matrix(rows, columns) = *call.wanted else { return Err(misshaped()) };
    Ok(Value::Matrix(Matrix::by_place([rows, columns], entry)))
}

/// A matrix of the wanted shape from numbers, or from a list of them.
fn made<N: Numeric>(call: &Call<'_, N>, by_columns: bool) -> Answer<N> {
    let given = if let [Value::List(list)] = &*call.arguments { list } else { &*call.arguments };
    shape(call, given, by_columns)
}

fn shape<N: Numeric>(call: &Call<'_, N>, given: &[Value<N>], by_columns: bool) -> Answer<N> {
    let Type::Matrix(rows, columns) = *call.wanted else { return Err(misshaped()) };
    from_numbers([rows, columns], given, by_columns).map(Value::Matrix).ok_or_else(misshaped)
}

/// A matrix of the wanted shape from a list of its columns or its rows.
fn of_vectors<N: Numeric>(call: &mut Call<'_, N>, by_columns: bool) -> Answer<N> {
    let (list, mut numbers) = (call.plain(0)?, Vec::new());
    if !list.components(&mut numbers) {
        return Err(misshaped());
    }
    let numbers: Vec<Value<N>> = numbers.into_iter().map(Value::Number).collect();
    shape(call, &numbers, by_columns)
}

fn vector<N: Numeric>(call: &mut Call<'_, N>, rows: u8) -> Answer<N> {
    match &*call.arguments {
        [_] => shaped(call.plain(0)?, &Type::Matrix(rows, 1), call.program()),
        numbers => from_numbers([rows, 1], numbers, true).map(Value::Matrix).ok_or_else(misshaped),
    }
}

fn rate<N: Numeric>(value: &Value<N>, depth: u32) -> Answer<N> {
    Ok(match value {
        Value::Number(number) => Value::Number(number.rate()),
        Value::Matrix(matrix) => Value::Matrix(matrix.map(N::rate)),
        Value::List(list) if depth > 0 => {
            Value::list(list.iter().map(|value| rate(value, depth - 1)).collect::<Result<_, _>>()?)
        }
        _ => return Err(Error::new("`der` takes a scalar, a vector or an array of them")),
    })
}

/// The numbers of an argument that is a list.
fn reals<N: Numeric>(call: &mut Call<'_, N>, k: usize) -> Result<Vec<f64>> {
    let list = call.plain(k)?;
    let numbers = list.as_list().and_then(|list| list.iter().map(|n| n.as_number().map(N::real)).collect());
    numbers.ok_or_else(|| Error::new("a signal has lists of numbers"))
}

fn signal<N: Numeric, E: ToString>(made: Result<Signal, E>) -> Value<N> {
    let made = made.map(|signal| Value::Host(Rc::new(signal)));
    Value::result(made.map_err(|error| Value::text(&error.to_string())))
}
