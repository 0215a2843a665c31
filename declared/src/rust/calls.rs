//! Calls of the functions and methods that the interpreter has, and the tables of them.

use super::error::{Error, Result};
use super::integer::Kind;
use super::iterators::{around, iterate};
use super::number::Numeric;
use super::operators::shaped;
use super::places::loaded;
use super::tree::{Program, Type};
use super::value::{Answer, Caller, Found, Iter, Matrix, Value};

/// A call: the receiver of a method, and the arguments.
pub(crate) struct Call<'c, N: Numeric> {
    pub(crate) name: &'c str,
    pub(crate) own: Value<N>,
    pub(crate) arguments: &'c mut [Value<N>],
    /// The type that a method is to give; before the name of a function.
    pub(crate) wanted: &'c Type,
    pub(crate) caller: &'c mut dyn Caller<N>,
}

/// The names of a function or a method, the number of its arguments, and what it does.
pub(crate) type Row<N> = (&'static str, usize, fn(&mut Call<'_, N>) -> Answer<N>);

/// A function that takes any number of arguments.
pub(crate) const ANY: usize = usize::MAX;

/// The place of a name in a table.
pub(crate) fn place_of<N: Numeric>(name: &str, table: &[Row<N>]) -> Option<u8> {
    let place = table.iter().position(|(names, ..)| names.split(' ').any(|known| known == name));
    place.and_then(|place| u8::try_from(place).ok())
}

impl<N: Numeric> Call<'_, N> {
    /// Carries out a row of a table.
    pub(crate) fn run(&mut self, row: Option<&Row<N>>) -> Answer<N> {
        let (_, count, work) = row.ok_or_else(|| Error::new("there is no such function"))?;
        let found = self.arguments.len();
        if *count != ANY && *count != found {
            let name = self.name;
            return Err(Error::new(format!("`{name}` takes {count} arguments, but {found} are supplied")));
        }
        work(self)
    }

    pub(crate) fn program(&self) -> &Program {
        self.caller.program()
    }

    /// An argument.
    fn argument(&mut self, k: usize) -> Result<&mut Value<N>> {
        let name = self.name;
        self.arguments.get_mut(k).ok_or_else(|| Error::new(format!("`{name}` lacks an argument")))
    }

    /// Takes an argument.
    pub(crate) fn take(&mut self, k: usize) -> Answer<N> {
        self.argument(k).map(std::mem::take)
    }

    /// Takes an argument that may be lent.
    pub(crate) fn plain(&mut self, k: usize) -> Answer<N> {
        loaded(self.take(k)?, self.caller.program())
    }

    pub(crate) fn number(&mut self, k: usize) -> Result<N> {
        let value = self.plain(k)?;
        value.as_number().copied().ok_or_else(|| value.mismatch("f64", self.program()))
    }

    pub(crate) fn count(&mut self, k: usize) -> Result<usize> {
        self.plain(k)?.counted(self.program())
    }

    pub(crate) fn matrix(&mut self, k: usize) -> Result<Matrix<N>> {
        match self.plain(k)? {
            Value::Matrix(matrix) => Ok(matrix),
            other => Err(other.mismatch("a vector", self.program())),
        }
    }

    /// Calls an argument that is a function.
    pub(crate) fn call<const C: usize>(&mut self, k: usize, mut values: [Value<N>; C]) -> Answer<N> {
        let function = self.argument(k)?.clone();
        self.caller.call(&function, &mut values)
    }

    /// Asks an argument that is a function for a truth value.
    pub(crate) fn holds(&mut self, k: usize, value: Value<N>) -> Result<bool> {
        let answer = self.call(k, [value])?;
        truth(&answer, self.program())
    }

    /// The receiver as an integer.
    pub(crate) fn integer(&self) -> Result<(i128, Kind)> {
        if let Value::Integer(own, kind) = self.own { Ok((own, kind)) } else { Err(Error::new("no integer")) }
    }

    /// The receiver as a number.
    pub(crate) fn own_number(&self) -> Result<N> {
        self.own.as_number().copied().ok_or_else(|| self.own.mismatch("f64", self.program()))
    }

    /// The receiver as a matrix.
    pub(crate) fn own_matrix(&self) -> Result<&Matrix<N>> {
        if let Value::Matrix(own) = &self.own { Ok(own) } else { Err(Error::new("this is no matrix")) }
    }

    /// The receiver as a list.
    pub(crate) fn list(&self) -> Result<&[Value<N>]> {
        self.own.as_list().ok_or_else(|| self.own.mismatch("a list", self.program()))
    }

    /// The receiver as an iterator.
    pub(crate) fn items(&mut self) -> Result<Iter<N>> {
        iterate(std::mem::take(&mut self.own), self.caller)
    }

    /// An iterator around the receiver.
    pub(crate) fn around(
        &mut self,
        with: impl FnMut(&mut Iter<N>, &mut dyn Caller<N>) -> Found<N> + 'static,
    ) -> Answer<N> {
        around(self.items()?, 0, with).map(Value::iterator)
    }

    /// The receiver at the border of the wanted type.
    pub(crate) fn shaped(&mut self) -> Answer<N> {
        shaped(std::mem::take(&mut self.own), self.wanted, self.caller.program())
    }
}

/// The truth value that a function gave.
pub(crate) fn truth<N: Numeric>(value: &Value<N>, program: &Program) -> Result<bool> {
    if let Value::Bool(truth) = value { Ok(*truth) } else { Err(value.mismatch("bool", program)) }
}
