//! Values ⇄ constants, which threads can share.

use super::number::Numeric;
use super::shared::Shared;
use super::tree::Constant;
use super::value::{Data, Ends, Function, Matrix, Value};
use least_action_core::system::Signal;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The deepest values.
const DEEPEST: u32 = 32;

impl Constant {
    /// A copy of a value; `None` if it holds an iterator or an object of the surroundings.
    pub(crate) fn of(value: &Value<f64>) -> Option<Self> {
        Self::within(value, DEEPEST)
    }

    fn within(value: &Value<f64>, depth: u32) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        let inner = |value: &Value<f64>| Self::within(value, depth);
        let all = |list: &[Value<f64>]| list.iter().map(inner).collect::<Option<Vec<_>>>();
        Some(match value {
            Value::Unit => Self::Unit,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Number(number) => Self::Number(*number),
            Value::Integer(number, kind) => Self::Integer(*number, *kind),
            Value::Char(sign) => Self::Char(*sign),
            Value::Text(text) => Self::Text(Arc::from(&**text)),
            Value::List(list) => Self::List(all(list)?),
            Value::Tuple(list) => Self::Tuple(all(list)?),
            Value::Data(Data { data, variant, fields }) => {
                Self::Data(*data, *variant, all(fields.as_ref().map_or(&[], |fields| &fields[..]))?)
            }
            Value::Matrix(Matrix { rows, columns, entries }) => {
                Self::Matrix(*rows, *columns, entries.to_vec())
            }
            Value::Range(ends) => {
                Self::Range(Box::new([inner(&ends.start)?, inner(&ends.end)?]), ends.inclusive)
            }
            Value::Function(function) => match &**function {
                Function::Path(callee) => Self::Path(Box::new(callee.clone())),
                Function::Closure(code, captured) => Self::Closure(Arc::clone(code), all(captured)?),
                Function::None => return None,
            },
            Value::Variable(variable) => Self::Variable(Box::new(inner(&*variable.try_borrow().ok()?)?)),
            Value::Host(host) => Self::Signal(Box::new(host.downcast_ref::<Signal>()?.clone())),
            Value::Iterator(_) | Value::Reference(_) => return None,
        })
    }
}

impl<N: Numeric> Value<N> {
    pub(crate) fn of(constant: &Constant) -> Self {
        let all = |list: &[Constant]| list.iter().map(Self::of).collect::<Vec<_>>();
        match constant {
            Constant::Unit => Self::Unit,
            Constant::Bool(truth) => Self::Bool(*truth),
            Constant::Number(number) => Self::number(*number),
            Constant::Integer(number, kind) => Self::Integer(*number, *kind),
            Constant::Char(sign) => Self::Char(*sign),
            Constant::Text(text) => Self::text(text),
            Constant::List(list) => Self::list(all(list)),
            Constant::Tuple(list) => Self::tuple(all(list)),
            Constant::Data(data, variant, fields) => Self::data(*data, *variant, all(fields)),
            Constant::Matrix(rows, columns, entries) => {
                let entries = entries.iter().map(|entry| N::of(*entry)).collect();
                Self::Matrix(Matrix { rows: *rows, columns: *columns, entries })
            }
            Constant::Range(ends, inclusive) => {
                let [start, end] = ends.each_ref().map(Self::of);
                Self::Range(Shared::new(Ends { start, end, inclusive: *inclusive }))
            }
            Constant::Path(callee) => Self::Function(Shared::new(Function::Path((**callee).clone()))),
            Constant::Closure(code, captured) => {
                Self::Function(Shared::new(Function::Closure(Arc::clone(code), all(captured))))
            }
            Constant::Variable(inside) => Self::Variable(Shared::new(RefCell::new(Self::of(inside)))),
            Constant::Signal(signal) => Self::Host(Rc::new((**signal).clone())),
        }
    }
}
