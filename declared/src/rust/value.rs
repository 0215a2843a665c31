//! Values at run time.

use super::error::{Error, Result};
use super::integer::Kind;
use super::number::Numeric;
use super::shared::{Held, Shared};
use super::tree::{Callee, Code, Member, Program, known};
use least_action_core::binding::Cell;
use least_action_core::system::Signal;
use std::any::Any;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt::{Debug, Formatter};
use std::rc::Rc;
use std::sync::Arc;

/// A list of values that copies share.
pub(crate) type List<N> = Shared<Vec<Value<N>>>;

/// A value at run time.
#[derive(Debug, Clone, Default)]
pub enum Value<N: Numeric> {
    /// `()`.
    #[default]
    Unit,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(N),
    /// An integer with its type.
    Integer(i128, Kind),
    /// A character.
    Char(char),
    /// A text.
    Text(Rc<str>),
    /// An array, a slice or a `Vec`.
    List(List<N>),
    /// A tuple.
    Tuple(List<N>),
    /// A struct or a variant of an enum.
    Data(Data<N>),
    /// A vector or a matrix of nalgebra.
    Matrix(Matrix<N>),
    /// A range: its ends, if it has them, and whether it has the last one, too.
    Range(Shared<Ends<N>>),
    /// An iterator.
    Iterator(Shared<RefCell<Iter<N>>>),
    /// A function or a closure.
    Function(Shared<Function<N>>),
    /// The variable itself; only slots hold it.
    Variable(Shared<RefCell<Value<N>>>),
    /// `&mut` of a place.
    Reference(Shared<Reference<N>>),
    /// An object of the surroundings.
    Host(Rc<dyn Any>),
}

/// A struct, or a variant of an enum.
#[derive(Debug, Clone)]
#[allow(clippy::struct_field_names, reason = "a struct or an enum has a number as the data that it is")]
pub struct Data<N: Numeric> {
    pub(crate) data: u32,
    pub(crate) variant: u32,
    pub(crate) fields: Option<List<N>>,
}

/// A vector or a matrix, by columns.
#[derive(Debug, Clone)]
pub struct Matrix<N> {
    pub(crate) rows: u8,
    pub(crate) columns: u8,
    pub(crate) entries: Rc<[N]>,
}

/// The ends of a range.
#[derive(Debug, Clone)]
pub struct Ends<N: Numeric> {
    pub(crate) start: Value<N>,
    pub(crate) end: Value<N>,
    pub(crate) inclusive: bool,
}

/// A step from a value into it.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Field(Member),
    At(usize),
    Entry(usize, usize),
    Deref,
}

/// `&mut` of a place inside of a variable.
#[derive(Debug, Clone)]
pub struct Reference<N: Numeric> {
    pub(crate) root: Shared<RefCell<Value<N>>>,
    pub(crate) steps: Vec<Step>,
}

/// A function as a value: by its path, or a closure with the values that it captured.
#[derive(Debug, Clone, Default)]
#[allow(private_interfaces, reason = "only the interpreter looks into a function")]
pub enum Function<N: Numeric> {
    #[default]
    #[doc(hidden)]
    None,
    #[doc(hidden)]
    Path(Callee),
    #[doc(hidden)]
    Closure(Arc<Code>, Vec<Value<N>>),
}

/// What the next item of an iterator is.
pub(crate) type Found<N> = Result<Option<Value<N>>>;

/// Gives the next item of an iterator.
pub(crate) type Next<N> = dyn FnMut(&mut dyn Caller<N>) -> Found<N>;

/// An iterator.
#[derive(Default)]
pub enum Iter<N: Numeric> {
    #[default]
    #[doc(hidden)]
    Empty,
    #[doc(hidden)]
    Count(i128, i128, Kind),
    #[doc(hidden)]
    List(List<N>, usize),
    #[doc(hidden)]
    Cycle(List<N>, usize),
    /// By a function, and the number of iterators that it stands around.
    #[doc(hidden)]
    Made(Box<Next<N>>, u32),
}

impl<N: Numeric> Debug for Iter<N> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Iter")
    }
}

macro_rules! held {
    ($($type:ty: |$own:ident| $weight:expr;)+) => {$(
        impl<N: Numeric> Held for $type {
            fn weight(&self) -> usize {
                let $own = self;
                $weight
            }
        }
    )+};
}

held! {
    Vec<Value<N>>: |own| own.capacity() + 2;
    RefCell<Value<N>>: |_own| 3;
    RefCell<Iter<N>>: |_own| 8;
    Function<N>: |own| if let Function::Closure(_, captured) = own { captured.len() + 3 } else { 3 };
    Reference<N>: |own| own.steps.len() + 3;
    Ends<N>: |_own| 4;
}

impl<N: Numeric> Default for Ends<N> {
    fn default() -> Self {
        Self { start: Value::Unit, end: Value::Unit, inclusive: false }
    }
}

impl<N: Numeric> Default for Reference<N> {
    fn default() -> Self {
        Self { root: Shared::new(RefCell::default()), steps: Vec::new() }
    }
}

/// What a part of a program gives.
pub(crate) type Answer<N> = Result<Value<N>>;

/// What the functions of the interpreter ask of the machine that runs them.
pub trait Caller<N: Numeric> {
    /// Calls a function.
    ///
    /// # Errors
    /// Those of the function.
    fn call(&mut self, function: &Value<N>, arguments: &mut [Value<N>]) -> Answer<N>;

    /// Takes operations from the budget, and asks whether `values` more values fit in memory.
    ///
    /// # Errors
    /// The budget is spent.
    fn spend(&mut self, operations: usize, values: usize) -> Result;

    /// Asks an iterator for its next item, a level deeper.
    ///
    /// # Errors
    /// Those of the iterator, or it is too deep.
    fn nested(&mut self, next: &mut Next<N>) -> Found<N>;

    /// The program that runs.
    fn program(&self) -> &Program;
}

impl Value<f64> {
    /// A number, a list of numbers or a signal with the next of these numbers.
    pub(crate) fn with_numbers(&self, next: &mut dyn Iterator<Item = f64>) -> Self {
        match self {
            Self::Number(number) => Self::Number(next.next().unwrap_or(*number)),
            Self::List(list) => Self::list(list.iter().map(|value| value.with_numbers(next)).collect()),
            other => match other.as_signal() {
                Some(signal) => {
                    let values: Vec<f64> = next.take(signal.values().len()).collect();
                    Self::Host(Rc::new(signal.with_values(&values)))
                }
                None => other.clone(),
            },
        }
    }
}

impl<N: Numeric> Value<N> {
    /// A list.
    pub fn list(values: Vec<Self>) -> Self {
        Self::List(Shared::new(values))
    }

    /// A tuple.
    pub fn tuple(values: Vec<Self>) -> Self {
        Self::Tuple(Shared::new(values))
    }

    /// A number.
    pub fn number(value: f64) -> Self {
        Self::Number(N::of(value))
    }

    /// A list of numbers.
    pub(crate) fn numbers(values: impl IntoIterator<Item = N>) -> Self {
        Self::list(values.into_iter().map(Self::Number).collect())
    }

    /// A vector.
    pub fn vector(entries: impl IntoIterator<Item = N>) -> Self {
        let entries: Rc<[N]> = entries.into_iter().collect();
        Self::Matrix(Matrix { rows: entries.len() as u8, columns: 1, entries })
    }

    /// A `usize`.
    pub fn count(value: usize) -> Self {
        Self::Integer(value as i128, Kind::Usize)
    }

    /// A text.
    pub fn text(text: &str) -> Self {
        Self::Text(Rc::from(text))
    }

    pub(crate) fn data(data: u32, variant: u32, fields: Vec<Self>) -> Self {
        let fields = (!fields.is_empty()).then(|| Shared::new(fields));
        Self::Data(Data { data, variant, fields })
    }

    /// `Some` or `None`.
    pub fn option(value: Option<Self>) -> Self {
        match value {
            Some(value) => Self::data(known::OPTION, known::SOME, vec![value]),
            None => Self::data(known::OPTION, known::NONE, Vec::new()),
        }
    }

    /// `Ok` or `Err`.
    pub(crate) fn result(value: Result<Self, Self>) -> Self {
        match value {
            Ok(value) => Self::data(known::RESULT, known::OK, vec![value]),
            Err(error) => Self::data(known::RESULT, known::ERR, vec![error]),
        }
    }

    pub(crate) fn ordering(order: Ordering) -> Self {
        Self::data(known::ORDERING, (order as i8 + 1) as u32, Vec::new())
    }

    pub(crate) fn iterator(iterator: Iter<N>) -> Self {
        Self::Iterator(Shared::new(RefCell::new(iterator)))
    }

    /// The type in messages.
    pub(crate) fn kind(&self, program: &Program) -> String {
        let name = match self {
            Self::Unit => "()",
            Self::Bool(_) => "bool",
            Self::Number(_) => "f64",
            Self::Integer(_, kind) => kind.name(),
            Self::Char(_) => "char",
            Self::Text(_) => "&str",
            Self::List(list) => match list.first() {
                // One level tells enough, and the depth of values has no end.
                Some(Self::List(_)) | None => "[_]",
                Some(first) => return format!("[{}]", first.kind(program)),
            },
            Self::Tuple(_) => "a tuple",
            Self::Data(data) => program.data.get(data.data as usize).map_or("?", |data| &data.name),
            Self::Matrix(matrix) if matrix.columns == 1 => return format!("Vector{}<f64>", matrix.rows),
            Self::Matrix(_) => "a matrix",
            Self::Range(_) => "a range",
            Self::Iterator(_) => "an iterator",
            Self::Function(_) => "a closure",
            Self::Variable(_) | Self::Reference(_) => "&mut _",
            Self::Host(_) => "a value of the library",
        };
        name.to_owned()
    }

    /// The error that another type is expected.
    pub(crate) fn mismatch(&self, expected: &str, program: &Program) -> Error {
        Error::new(format!("mismatched types: expected `{expected}`, found `{}`", self.kind(program)))
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&N> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The integer as a count, if it is one.
    pub fn as_count(&self) -> Option<usize> {
        self.as_integer().and_then(|number| usize::try_from(number).ok())
    }

    /// The integer as a count.
    ///
    /// # Errors
    /// It is none, which rustc would have refused, or it is negative.
    pub(crate) fn counted(&self, program: &Program) -> Result<usize> {
        self.as_count().ok_or_else(|| self.mismatch("usize", program))
    }

    /// The integer, if it is one.
    pub fn as_integer(&self) -> Option<i128> {
        if let Self::Integer(number, _) = self { Some(*number) } else { None }
    }

    /// The field of a struct at a place.
    pub(crate) fn field(&self, at: usize) -> Option<&Self> {
        if let Self::Data(Data { fields: Some(fields), .. }) = self { fields.get(at) } else { None }
    }

    /// This struct with another value of a field.
    pub(crate) fn with_field(&self, at: usize, value: Self) -> Self {
        let mut own = self.clone();
        if let Self::Data(Data { fields: Some(fields), .. }) = &mut own {
            fields.edit(|fields| fields.get_mut(at).map(|field| *field = value));
        }
        own
    }

    /// The first and the behind-last number of a range of counts.
    pub(crate) fn as_range(&self) -> Option<(usize, Option<usize>)> {
        let Self::Range(ends) = self else { return None };
        let start = if matches!(ends.start, Self::Unit) { 0 } else { ends.start.as_count()? };
        let end = match &ends.end {
            Self::Unit => None,
            end => Some(end.as_count()?.saturating_add(usize::from(ends.inclusive))),
        };
        Some((start, end))
    }

    /// The periodic cell, if it is one.
    pub(crate) fn as_cell(&self) -> Option<Cell> {
        let mut rows = [None; 3];
        for (row, value) in rows.iter_mut().zip(self.field(0)?.as_list()?) {
            if let Some(inside) = value.inside() {
                let numbers = inside.as_list()?.iter().map(|one| one.as_number().map(N::real));
                *row = Some(<[f64; 3]>::try_from(numbers.collect::<Option<Vec<_>>>()?).ok()?);
            }
        }
        Some(Cell::triclinic(rows))
    }

    /// The signal, if it is one.
    pub(crate) fn as_signal(&self) -> Option<&Signal> {
        if let Self::Host(own) = self { own.downcast_ref() } else { None }
    }

    /// The order, if it is one.
    pub(crate) fn as_ordering(&self) -> Option<Ordering> {
        let Self::Data(Data { data: known::ORDERING, variant, .. }) = self else { return None };
        Some((*variant).cmp(&1))
    }

    /// The entries of a list, an array or a tuple; of a vector there are none.
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(list) | Self::Tuple(list) = self { Some(list) } else { None }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The value in `Some` or `Ok`; `None` for `None` and `Err`.
    pub(crate) fn inside(&self) -> Option<&Self> {
        let of = |data: &Data<N>| data.data <= known::RESULT && data.variant == known::SOME;
        if matches!(self, Self::Data(data) if of(data)) { self.field(0) } else { None }
    }

    /// Appends all numbers in it, in the order of a layout; false if there is anything else.
    pub fn components(&self, numbers: &mut Vec<N>) -> bool {
        self.components_within(numbers, 16)
    }

    fn components_within(&self, numbers: &mut Vec<N>, depth: u32) -> bool {
        match self {
            Self::Number(number) => numbers.push(*number),
            Self::List(list) if depth > 0 => {
                return list.iter().all(|value| value.components_within(numbers, depth - 1));
            }
            // Matrices of nalgebra are stored by columns, layouts by rows.
            Self::Matrix(matrix) => numbers.extend(matrix.by_rows().copied()),
            _ => return false,
        }
        true
    }
}

impl<N> Matrix<N> {
    /// The entries, row by row.
    pub(crate) fn by_rows(&self) -> impl Iterator<Item = &N> {
        let rows = usize::from(self.rows);
        (0..rows).flat_map(move |i| self.entries.iter().skip(i).step_by(rows))
    }
}
