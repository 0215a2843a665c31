//! Values that threads can share.

use super::integer::Kind;
use super::shared::Shared;
use super::tree::{Callee, Code};
use super::value::{Callable, Data, Ends, Matrix, Value};
use least_action_core::system::Signal;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The deepest values.
const DEEPEST: u32 = 32;

/// A value that owns all its parts.
#[derive(Debug, Clone)]
pub(crate) enum Frozen {
    Unit,
    Bool(bool),
    Number(f64),
    Integer(i128, Kind),
    Char(char),
    Text(String),
    List(Vec<Frozen>),
    Tuple(Vec<Frozen>),
    Data(u32, u32, Vec<Frozen>),
    Matrix(u8, u8, Vec<f64>),
    Range(Box<[Frozen; 2]>, bool),
    Path(Callee),
    Closure(Arc<Code>, Vec<Frozen>),
    Variable(Box<Frozen>),
    Signal(Signal),
}

impl Frozen {
    /// A copy of a value; `None` if it holds an iterator or an object of the surroundings.
    pub(crate) fn of(value: &Value<f64>) -> Option<Self> {
        Self::within(value, DEEPEST)
    }

    fn within(value: &Value<f64>, depth: u32) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        let all =
            |list: &[Value<f64>]| list.iter().map(|one| Self::within(one, depth)).collect::<Option<Vec<_>>>();
        Some(match value {
            Value::Unit => Self::Unit,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Number(number) => Self::Number(*number),
            Value::Integer(number, kind) => Self::Integer(*number, *kind),
            Value::Char(sign) => Self::Char(*sign),
            Value::Text(text) => Self::Text(text.to_string()),
            Value::List(list) => Self::List(all(list)?),
            Value::Tuple(list) => Self::Tuple(all(list)?),
            Value::Data(Data { data, variant, fields }) => {
                Self::Data(*data, *variant, fields.as_ref().map_or(Some(Vec::new()), |fields| all(fields))?)
            }
            Value::Matrix(Matrix { rows, columns, entries }) => {
                Self::Matrix(*rows, *columns, entries.to_vec())
            }
            Value::Range(ends) => {
                let both = Box::new([Self::within(&ends.start, depth)?, Self::within(&ends.end, depth)?]);
                Self::Range(both, ends.inclusive)
            }
            Value::Function(function) => match &function.0 {
                Callable::Path(callee) => Self::Path(callee.clone()),
                Callable::Closure(code, captured) => Self::Closure(Arc::clone(code), all(captured)?),
                Callable::None => return None,
            },
            Value::Variable(variable) => {
                Self::Variable(Box::new(Self::within(&*variable.try_borrow().ok()?, depth)?))
            }
            Value::Host(host) => Self::Signal(host.downcast_ref::<Signal>()?.clone()),
            Value::Iterator(_) | Value::Reference(_) => return None,
        })
    }

    /// The value.
    pub(crate) fn value(&self) -> Value<f64> {
        let all = |list: &[Self]| list.iter().map(Self::value).collect::<Vec<_>>();
        match self {
            Self::Unit => Value::Unit,
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Number(number) => Value::Number(*number),
            Self::Integer(number, kind) => Value::Integer(*number, *kind),
            Self::Char(sign) => Value::Char(*sign),
            Self::Text(text) => Value::text(text),
            Self::List(list) => Value::list(all(list)),
            Self::Tuple(list) => Value::tuple(all(list)),
            Self::Data(data, variant, fields) => Value::data(*data, *variant, all(fields)),
            Self::Matrix(rows, columns, entries) => {
                Value::Matrix(Matrix { rows: *rows, columns: *columns, entries: entries.as_slice().into() })
            }
            Self::Range(ends, inclusive) => Value::Range(Shared::new(Ends {
                start: ends[0].value(),
                end: ends[1].value(),
                inclusive: *inclusive,
            })),
            Self::Path(callee) => Value::function(Callable::Path(callee.clone())),
            Self::Closure(code, captured) => {
                Value::function(Callable::Closure(Arc::clone(code), all(captured)))
            }
            Self::Variable(inside) => Value::Variable(Shared::new(RefCell::new(inside.value()))),
            Self::Signal(signal) => Value::Host(Rc::new(signal.clone())),
        }
    }
}
