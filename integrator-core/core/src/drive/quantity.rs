use super::Moment;
use crate::carried::{Carried, carried};
use crate::system::{Holonomic, Lagrangian, Nonholonomic, State, System};

/// A quantity that can be measured at a moment: one or more named numbers.
pub trait Quantity: Carried {
    /// The names of its columns.
    fn names(&self) -> Vec<String>;

    /// Writes the numbers over `values`, one for each name.
    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]);
}

/// The energy of any system with a Lagrangian: v·∂L/∂v − L, in the column `energy`.
#[derive(Debug)]
pub struct Energy<'s, S: ?Sized>(&'s S);

impl<'s, S: Lagrangian + ?Sized> Energy<'s, S> {
    /// The energy of this system.
    pub fn of(system: &'s S) -> Self {
        Self(system)
    }
}

impl<S: Lagrangian + ?Sized> Quantity for Energy<'_, S> {
    fn names(&self) -> Vec<String> {
        vec!["energy".to_owned()]
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        let State { t, q, v } = moment.state;
        values[0] = self.0.energy(q, v, *t);
    }
}

/// The largest magnitude of an entry of g(q, t), in the column `constraint_residual`,
/// or of c(q, v, t), in the column `nonholonomic_residual`.
///
/// For a penalized system, pass the system whose constraints are penalized.
#[derive(Debug)]
pub struct ConstraintResidual<'s, S: ?Sized> {
    system: &'s S,
    name: &'static str,
    evaluate: fn(&S, &State, &mut [f64]),
    values: Vec<f64>,
}

impl<'s, S: ?Sized> ConstraintResidual<'s, S> {
    /// The residual of the holonomic constraints of this system.
    pub fn of(system: &'s S) -> Self
    where
        S: Holonomic,
    {
        let values = vec![0.0; system.constraints()];
        let evaluate = |system: &S, State { t, q, .. }: &State, values: &mut [f64]| {
            system.constraint_values(q, *t, values);
        };
        Self { system, name: "constraint_residual", evaluate, values }
    }

    /// The residual of the nonholonomic constraints of this system, in the units of its rows: a rate.
    pub fn of_velocities(system: &'s S) -> Self
    where
        S: Nonholonomic,
    {
        let values = vec![0.0; system.nonholonomic_rows()];
        let evaluate = |system: &S, State { t, q, v }: &State, values: &mut [f64]| {
            system.nonholonomic_values(q, v, *t, values);
        };
        Self { system, name: "nonholonomic_residual", evaluate, values }
    }
}

impl<S: ?Sized> Quantity for ConstraintResidual<'_, S> {
    fn names(&self) -> Vec<String> {
        vec![self.name.to_owned()]
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        (self.evaluate)(self.system, moment.state, &mut self.values);
        values[0] = self.values.iter().fold(0.0, |largest: f64, value| {
            // `max` would hide NaN.
            if value.is_nan() { f64::NAN } else { largest.max(value.abs()) }
        });
    }
}

/// The Lagrange multipliers in columns named after their equations: `lambda.` for the holonomic
/// constraints, then `mu.` for the nonholonomic ones; NaN if the method has none.
#[derive(Debug)]
pub struct Multipliers(Vec<String>);

impl Multipliers {
    /// The multipliers of the constraints of this system.
    pub fn of(system: &(impl System + ?Sized)) -> Self {
        let mut names = Vec::new();
        if let Some(rows) = system.holonomic() {
            names.extend((0..rows.constraints()).map(|row| format!("lambda.{}", rows.constraint_name(row))));
        }
        if let Some(rows) = system.nonholonomic() {
            let name = |row| format!("mu.{}", rows.nonholonomic_name(row));
            names.extend((0..rows.nonholonomic_rows()).map(name));
        }
        Self(names)
    }
}

impl Quantity for Multipliers {
    fn names(&self) -> Vec<String> {
        self.0.clone()
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        match moment.multipliers {
            Some(multipliers) if multipliers.len() == values.len() => values.copy_from_slice(multipliers),
            _ => values.fill(f64::NAN),
        }
    }
}

/// The value of a closure at the state, in a column of its own.
#[derive(Debug)]
pub(super) struct Measured<F> {
    name: String,
    measure: F,
}

impl<F: FnMut(&State) -> f64> Measured<F> {
    pub(super) fn new(name: impl Into<String>, measure: F) -> Self {
        Self { name: name.into(), measure }
    }
}

impl<F: FnMut(&State) -> f64> Quantity for Measured<F> {
    fn names(&self) -> Vec<String> {
        vec![self.name.clone()]
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        values[0] = (self.measure)(moment.state);
    }
}

carried!([S: ?Sized] Energy<'_, S> {} besides { 0 });
carried!([S: ?Sized] ConstraintResidual<'_, S> {} besides { system, name, evaluate, values });

carried!([] Multipliers {} besides { 0 });
// A closure keeps its memory to itself.
carried!([F] Measured<F> {} besides { name, measure });
