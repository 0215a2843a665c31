//! Operators between values, casts, and the borders of declared types.

use super::error::{Error, Result};
use super::integer::{Operator, arithmetic};
use super::matrix;
use super::number::Numeric;
use super::places::loaded;
use super::tree::{Program, Type, known};
use super::value::{Answer, Data, Matrix, Value};
use std::cmp::Ordering;
use std::rc::Rc;

/// The deepest values that are compared.
const DEEPEST: u32 = 64;

/// The value of an operator.
#[inline]
pub(crate) fn operate<N: Numeric>(
    operator: Operator,
    left: &Value<N>,
    right: &Value<N>,
    program: &Program,
) -> Answer<N> {
    if let (Value::Number(a), Value::Number(b)) = (left, right) {
        match operator {
            Operator::Add => return Ok(Value::Number(*a + *b)),
            Operator::Sub => return Ok(Value::Number(*a - *b)),
            Operator::Mul => return Ok(Value::Number(*a * *b)),
            Operator::Div => return Ok(Value::Number(*a / *b)),
            Operator::Rem => {
                return Ok(Value::Number(*a - *b * N::of((a.real() / b.real()).trunc())));
            }
            _ => {}
        }
    }
    other(operator, left, right, program)
}

fn other<N: Numeric>(operator: Operator, left: &Value<N>, right: &Value<N>, program: &Program) -> Answer<N> {
    let compared = |holds: fn(Ordering) -> bool| {
        order(left, right, program).map(|order| Value::Bool(order.is_some_and(holds)))
    };
    match operator {
        Operator::Equal => return compared(Ordering::is_eq),
        Operator::Unequal => return equal(left, right, program).map(|same| Value::Bool(!same)),
        Operator::Less => return compared(Ordering::is_lt),
        Operator::LessEqual => return compared(Ordering::is_le),
        Operator::Greater => return compared(Ordering::is_gt),
        Operator::GreaterEqual => return compared(Ordering::is_ge),
        _ => {}
    }
    let found = match (left, right) {
        (Value::Integer(a, of_a), Value::Integer(b, of_b)) => {
            let (value, kind) = arithmetic(operator, (*a, *of_a), (*b, *of_b))?;
            Some(Value::Integer(value, kind))
        }
        (Value::Bool(a), Value::Bool(b)) => match operator {
            Operator::And => Some(Value::Bool(a & b)),
            Operator::Or => Some(Value::Bool(a | b)),
            Operator::Xor => Some(Value::Bool(a ^ b)),
            _ => None,
        },
        (Value::Reference(_), _) => {
            return operate(operator, &loaded(left.clone(), program)?, right, program);
        }
        (_, Value::Reference(_)) => {
            return operate(operator, left, &loaded(right.clone(), program)?, program);
        }
        _ => matrix::operate(operator, left, right),
    };
    found.ok_or_else(|| {
        let (left, right) = (left.kind(program), right.kind(program));
        Error::new(format!("cannot {} `{left}` and `{right}`", operator.verb()))
    })
}

/// −x, or `!x`.
pub(crate) fn prefix<N: Numeric>(negates: bool, value: &Value<N>, program: &Program) -> Answer<N> {
    Ok(match value {
        Value::Number(number) if negates => Value::Number(-*number),
        Value::Matrix(matrix) if negates => Value::Matrix(matrix.map(N::neg)),
        Value::Integer(number, kind) if negates => {
            let value = kind.holds(number.checked_neg());
            Value::Integer(value.ok_or_else(|| Error::new("attempt to negate with overflow"))?, *kind)
        }
        Value::Bool(truth) if !negates => Value::Bool(!truth),
        Value::Integer(number, kind) if !negates => Value::Integer(kind.wrapped(!number), *kind),
        Value::Reference(_) => return prefix(negates, &loaded(value.clone(), program)?, program),
        _ => return Err(Error::new(format!("cannot apply unary operator to `{}`", value.kind(program)))),
    })
}

/// If two values are equal.
pub(crate) fn equal<N: Numeric>(left: &Value<N>, right: &Value<N>, program: &Program) -> Result<bool> {
    Ok(order(left, right, program)? == Some(Ordering::Equal))
}

/// The order of two values.
pub(crate) fn order<N: Numeric>(
    left: &Value<N>,
    right: &Value<N>,
    program: &Program,
) -> Result<Option<Ordering>> {
    compare(left, right, program, DEEPEST)
}

fn compare<N: Numeric>(
    left: &Value<N>,
    right: &Value<N>,
    program: &Program,
    depth: u32,
) -> Result<Option<Ordering>> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::new("these values nest too deep to compare"));
    };
    let lists = |a: &[Value<N>], b: &[Value<N>]| {
        for (a, b) in a.iter().zip(b) {
            match compare(a, b, program, depth)? {
                Some(Ordering::Equal) => {}
                other => return Ok(other),
            }
        }
        Ok(Some(a.len().cmp(&b.len())))
    };
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => Ok(a.real().partial_cmp(&b.real())),
        (Value::Integer(a, of_a), Value::Integer(b, of_b)) => of_a.common(*of_b).map(|_| Some(a.cmp(b))),
        (Value::Bool(a), Value::Bool(b)) => Ok(Some(a.cmp(b))),
        (Value::Char(a), Value::Char(b)) => Ok(Some(a.cmp(b))),
        (Value::Text(a), Value::Text(b)) => Ok(Some(a.cmp(b))),
        (Value::Unit, Value::Unit) => Ok(Some(Ordering::Equal)),
        (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => lists(a, b),
        (Value::Matrix(a), Value::Matrix(b)) if a.shape() == b.shape() => {
            let mut pairs = a.entries.iter().zip(&*b.entries);
            let order =
                |found: Ordering, (a, b): (&N, &N)| Some(found.then(a.real().partial_cmp(&b.real())?));
            Ok(pairs.try_fold(Ordering::Equal, order))
        }
        (Value::Data(a), Value::Data(b)) if a.data == b.data => {
            match (a.variant.cmp(&b.variant), &a.fields, &b.fields) {
                (Ordering::Equal, Some(a), Some(b)) => lists(a, b),
                (order, _, _) => Ok(Some(order)),
            }
        }
        (Value::Reference(_), _) => compare(&loaded(left.clone(), program)?, right, program, depth),
        (_, Value::Reference(_)) => compare(left, &loaded(right.clone(), program)?, program, depth),
        (Value::Host(a), Value::Host(b)) => Ok(Rc::ptr_eq(a, b).then_some(Ordering::Equal)),
        _ => Err(right.mismatch(&left.kind(program), program)),
    }
}

/// `value as …`.
pub(crate) fn cast<N: Numeric>(value: &Value<N>, to: &Type, program: &Program) -> Answer<N> {
    Ok(match (value, to) {
        (Value::Reference(_), _) => return cast(&loaded(value.clone(), program)?, to, program),
        (Value::Number(number), Type::Number) => Value::Number(*number),
        (Value::Number(number), Type::Integer(kind)) => Value::Integer(kind.nearest(number.real()), *kind),
        (Value::Integer(number, _), Type::Number) => Value::number(*number as f64),
        (Value::Integer(number, _), Type::Integer(kind)) => Value::Integer(kind.wrapped(*number), *kind),
        (Value::Bool(truth), Type::Integer(kind)) => Value::Integer(i128::from(*truth), *kind),
        (Value::Char(sign), Type::Integer(kind)) => {
            Value::Integer(kind.wrapped(i128::from(u32::from(*sign))), *kind)
        }
        (Value::Data(Data { data, variant, .. }), Type::Integer(kind))
            if program.data.get(*data as usize).is_some_and(|data| data.is_enum) =>
        {
            Value::Integer(i128::from(*variant), *kind)
        }
        (value, _) => return Err(Error::new(format!("non-primitive cast of `{}`", value.kind(program)))),
    })
}

/// If a value may change at the border of a type.
pub(crate) fn shapes(of: &Type) -> bool {
    match of {
        Type::Integer(_) | Type::Matrix(..) => true,
        Type::List(inner, _) => shapes(inner),
        Type::Tuple(all) | Type::Data(_, all) => all.iter().any(shapes),
        _ => false,
    }
}

/// A value at the border of a type: literals get their type, and `into()` makes vectors.
pub(crate) fn shaped<N: Numeric>(value: Value<N>, to: &Type, program: &Program) -> Answer<N> {
    if !needs(&value, to) {
        return Ok(value);
    }
    Ok(match (value, to) {
        (Value::Integer(number, from), Type::Integer(kind)) => {
            let kind = from.common(*kind)?;
            let fits = kind
                .holds(Some(number))
                .ok_or_else(|| Error::new(format!("literal out of range for `{}`", kind.name())))?;
            Value::Integer(fits, kind)
        }
        (value @ Value::Number(_), Type::Integer(kind)) => return Err(value.mismatch(kind.name(), program)),
        (Value::List(list), Type::Matrix(rows, columns)) => {
            let matrix = matrix::from_numbers([*rows, *columns], &list, true);
            Value::Matrix(matrix.ok_or_else(|| {
                Error::new(format!("{} numbers make a matrix of {rows} × {columns}", rows * columns))
            })?)
        }
        (Value::Matrix(Matrix { entries, .. }), Type::List(..)) => Value::numbers(entries.iter().copied()),
        (Value::List(mut list), Type::List(inner, _)) => {
            list.edit(|list| all_shaped(list, &mut std::iter::repeat(&**inner), program))?;
            Value::List(list)
        }
        (Value::Tuple(mut list), Type::Tuple(all)) => {
            list.edit(|list| all_shaped(list, &mut all.iter(), program))?;
            Value::Tuple(list)
        }
        (Value::Data(Data { data, variant, fields: Some(mut fields) }), Type::Data(_, all)) => {
            fields.edit(|fields| all_shaped(fields, &mut all.iter(), program))?;
            Value::Data(Data { data, variant, fields: Some(fields) })
        }
        (value, _) => value,
    })
}

fn all_shaped<N: Numeric>(
    list: &mut [Value<N>],
    types: &mut dyn Iterator<Item = &Type>,
    program: &Program,
) -> Result {
    for (value, of) in list.iter_mut().zip(types) {
        *value = shaped(std::mem::take(value), of, program)?;
    }
    Ok(())
}

/// If a value changes at the border of a type.
fn needs<N: Numeric>(value: &Value<N>, of: &Type) -> bool {
    match (value, of) {
        (Value::Integer(_, from), Type::Integer(kind)) => from != kind,
        (Value::Number(_), Type::Integer(_)) | (Value::List(_), Type::Matrix(..)) => true,
        (Value::Matrix(_), Type::List(inner, _)) => **inner == Type::Number,
        // What the first entry is, all are.
        (Value::List(list), Type::List(inner, _)) => list.first().is_some_and(|first| needs(first, inner)),
        (Value::Tuple(list), Type::Tuple(all)) => list.iter().zip(all).any(|(value, of)| needs(value, of)),
        (Value::Data(data), Type::Data(of, all)) if data.data == *of && *of <= known::RESULT => {
            let first = data.fields.as_ref().and_then(|fields| fields.first());
            data.variant == known::SOME
                && first.zip(all.first()).is_some_and(|(first, inner)| needs(first, inner))
        }
        _ => false,
    }
}
