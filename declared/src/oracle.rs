//! The second route: the methods of a declaration over dual numbers, carried out by the interpreter.

use crate::rust::{Alone, Budget, Constant, Error, Machine, Model, Numeric, Result, Value};
use least_action_core::expr::{Number, Oracle, Place, Scalar, places, seen};
use least_action_core::system::State;
use std::sync::{Mutex, PoisonError};

/// A factor of the stiff part beside which the rest of L is below its rounding; a power of two rounds
/// nothing.
const MARK: f64 = (1_u64 << 60) as f64;

/// A declaration with its parameters, on dual numbers of any kind.
///
/// The first error of an evaluation waits here to be told; until then there are no more values.
#[derive(Debug)]
pub struct Interpreted {
    model: Model,
    parameters: Constant,
    failure: Mutex<Option<Error>>,
}

impl Interpreted {
    pub(crate) fn new(model: &Model, parameters: &Value<f64>) -> Result<Self> {
        let unfit = || Error::new("a parameter holds what cannot be kept");
        let parameters = Constant::of(parameters).ok_or_else(unfit)?;
        Ok(Self { model: model.clone(), parameters, failure: Mutex::default() })
    }

    /// What was found, unless an evaluation failed since this was asked last.
    ///
    /// # Errors
    /// That of the first evaluation that failed.
    pub fn told<R>(&self, found: R) -> Result<R> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        failure.map_or(Ok(found), Err)
    }

    /// Runs each method once, so that what fails everywhere is told before a long comparison.
    ///
    /// # Errors
    /// That of the first evaluation that failed.
    pub fn tried(&self, State { t, q, v }: &State) -> Result {
        self.lagrangian_dual(q, v, *t);
        self.constraints_dual(q, *t);
        self.nonholonomic_dual(q, v, *t);
        self.dissipation_dual(q, v, *t);
        self.forces_dual(q, v, *t);
        self.told(())
    }

    /// The vectors of which the declaration speaks, at (q, v, t).
    ///
    /// # Errors
    /// Its evaluation fails.
    pub fn places(&self, q: &[f64], v: &[f64], t: f64) -> Result<Vec<Place>> {
        self.told(places(self, q, v, t))
    }

    /// The same without their velocities, which take numbers that a page has no room for.
    ///
    /// # Errors
    /// Its evaluation fails.
    pub fn points(&self, q: &[f64], v: &[f64], t: f64) -> Result<Vec<Place>> {
        self.told(seen(|| self.run("lagrangian_dual", &[q, v], &[t])))
    }

    /// The numbers that a method gives; `None` if the declaration has none of this name.
    fn run<N: Numeric>(&self, method: &str, lists: &[&[N]], numbers: &[N]) -> Option<Vec<N>> {
        let function = self.model.method(method)?;
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.is_some() {
            return Some(Vec::new());
        }
        let lists = lists.iter().map(|list| Value::numbers(list.iter().copied()));
        let own = std::iter::once(Value::of(&self.parameters));
        let mut arguments: Vec<_> =
            own.chain(lists).chain(numbers.iter().copied().map(Value::Number)).collect();
        let mut machine = Machine::new(self.model.program(), &Alone, Budget::default());
        let mut found = Vec::new();
        match machine.function(function, &mut arguments) {
            Ok(value) if value.components(&mut found) => {}
            Ok(value) => *failure = Some(value.mismatch("Scalar", self.model.program())),
            Err(error) => *failure = Some(error),
        }
        Some(found)
    }

    /// The same on dual numbers.
    fn numbers<T: Number>(&self, method: &str, lists: &[&[T]], numbers: &[T]) -> Option<Vec<T>> {
        let constant = |list: &[T]| list.iter().copied().map(Scalar::constant).collect::<Vec<_>>();
        let lists: Vec<_> = lists.iter().copied().map(constant).collect();
        let lists: Vec<&[Scalar<T>]> = lists.iter().map(|list| &list[..]).collect();
        let found = self.run(method, &lists, &constant(numbers))?;
        Some(found.into_iter().map(Scalar::value).collect())
    }

    /// The number that a method gives, zero without the method.
    fn number<T: Number>(&self, method: &str, lists: &[&[T]], numbers: &[T]) -> T {
        match self.numbers(method, lists, numbers).as_deref() {
            None => T::zero(),
            Some([number]) => *number,
            Some(_) => T::from(f64::NAN),
        }
    }
}

impl Oracle for Interpreted {
    fn lagrangian_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> T {
        self.number("lagrangian_dual", &[q, v], &[t])
    }

    fn stiff_dual<T: Number>(&self, q: &[T], t: T) -> T {
        let rest = vec![T::zero(); q.len()];
        let [none, all] =
            [0.0, MARK].map(|mark| self.number("__with_stiff_mark", &[q, &rest], &[t, mark.into()]));
        (none - all) / MARK
    }

    fn constraints_dual<T: Number>(&self, q: &[T], t: T) -> Vec<T> {
        self.numbers("constraints_dual", &[q], &[t]).unwrap_or_default()
    }

    fn nonholonomic_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> Vec<T> {
        self.numbers("nonholonomic_dual", &[q, v], &[t]).unwrap_or_default()
    }

    fn dissipation_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> T {
        self.number("dissipation_dual", &[q, v], &[t])
    }

    fn forces_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> Vec<T> {
        self.numbers("forces_dual", &[q, v], &[t]).unwrap_or_else(|| vec![T::zero(); q.len()])
    }
}
