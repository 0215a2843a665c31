//! `eval`: the values of the kernels at one state.

use std::io::{self, Write};

use least_action::error::BindError;
use least_action::system::{Holonomic, Lagrangian, Natural, Nonholonomic, State};
use serde::{Serialize, Serializer};

use crate::arguments::Eval;
use crate::error::{Error, Result};
use crate::methods::Faces;
use crate::registry::Registry;
use crate::streams::Streams;
use crate::{check, parameters, start};

/// A matrix as [row, column, value] for each stored entry.
type Triplets = Vec<(usize, usize, f64)>;

/// A value of a quantity.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Value {
    Number(f64),
    Vector(Vec<f64>),
    Matrix(Triplets),
}

/// The names of all quantities, in the order of the documentation.
const QUANTITIES: [&str; 12] = [
    "energy",
    "kinetic",
    "potential",
    "gradient",
    "hessian",
    "third",
    "constraints",
    "jacobian",
    "nonholonomic",
    "nonholonomic-jacobian",
    "force",
    "mass",
];

/// The quantities that `--what` names; without it, all that the model `has` and that need no further
/// input.
fn chosen(what: &[String], has: impl Fn(&str) -> bool) -> Result<Vec<&'static str>> {
    if what.is_empty() {
        return Ok(QUANTITIES.into_iter().filter(|name| has(name)).collect());
    }
    let known = |name: &String| {
        let name = name.trim();
        QUANTITIES.into_iter().find(|known| *known == name).ok_or_else(|| {
            let what = format!("--what: unknown quantity `{name}`");
            Error::unknown(what, name, "there are:", QUANTITIES)
        })
    };
    what.iter().map(known).collect()
}

/// Evaluates the model at a state and prints the result.
pub(crate) fn eval(registry: &Registry, arguments: &Eval, streams: &mut Streams<'_>) -> Result {
    let instance = parameters::bind(registry, &arguments.model)?;
    if let Some(omega) = arguments.penalty.filter(|omega| !(omega.is_finite() && *omega > 0.0)) {
        let reason = "the penalty must be positive and finite";
        return Err(Error::number("--penalty", omega, reason));
    }
    if arguments.check {
        return check::check(&instance, arguments, streams);
    }
    let faces = match arguments.penalty {
        Some(omega) => Faces::penalized(&instance, omega)?,
        None => Faces::plain(&*instance.system),
    };
    let layout = instance.system.lagrangian().layout();
    let state = arguments.start.state(&instance)?;
    let direction =
        arguments.direction.as_deref().map(|path| start::read_direction(path, layout)).transpose()?;
    let (natural, lagrangian) = (faces.natural(), instance.system.lagrangian());
    let chosen = chosen(&arguments.what, |quantity| match quantity {
        "third" => direction.is_some() && natural.is_some(),
        "constraints" | "jacobian" => faces.constraints().is_some(),
        "nonholonomic" | "nonholonomic-jacobian" => lagrangian.nonholonomic().is_some(),
        "force" => lagrangian.forced().is_some(),
        _ => true,
    })?;
    let mut evaluation = Evaluation { chosen, found: Vec::new() };
    match natural {
        Some(natural) => evaluation.of_natural(natural, &state)?,
        None => evaluation.of_lagrangian(lagrangian, &state)?,
    }
    let missing = |quantity, reason| Error::not_available(&instance.name, quantity, reason);
    if evaluation.wants("third") {
        let natural = natural.ok_or_else(|| {
            missing("third", "the contraction a·V‴·a needs a natural system, with constant mass")
        })?;
        let direction = direction.ok_or_else(|| {
            Error::mistake("the contraction a·V‴·a needs its direction a: give it by --direction FILE")
        })?;
        let mut third = vec![0.0; direction.len()];
        natural.potential_third(&state.q, state.t, &direction, &mut third);
        evaluation.put("third", Value::Vector(third));
    }
    if evaluation.wants("constraints") || evaluation.wants("jacobian") {
        let constrained = faces
            .constraints()
            .ok_or_else(|| missing("constraints", "it declares no #[holonomic] method"))?;
        evaluation.of_constraints(constrained, &state);
    }
    if evaluation.wants("nonholonomic") || evaluation.wants("nonholonomic-jacobian") {
        let nonholonomic = lagrangian
            .nonholonomic()
            .ok_or_else(|| missing("constraints on velocities", "it declares no #[nonholonomic] method"))?;
        evaluation.of_nonholonomic(nonholonomic, &state);
    }
    if evaluation.wants("force") {
        let forced = lagrangian
            .forced()
            .ok_or_else(|| missing("force", "it declares no #[force] and no #[dissipation] method"))?;
        let mut force = vec![0.0; state.q.len()];
        forced.add_force(&state.q, &state.v, state.t, &mut force);
        evaluation.put("force", Value::Vector(force));
    }
    let evaluation = evaluation.finite(&instance.name)?;
    streams.print(arguments.format, &evaluation, |evaluation, out| evaluation.text(out))
}

/// The values of the chosen quantities.
struct Evaluation {
    chosen: Vec<&'static str>,
    found: Vec<(&'static str, Value)>,
}

impl Serialize for Evaluation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.found.iter().map(|(name, value)| (name, value)))
    }
}

impl Evaluation {
    fn wants(&self, name: &str) -> bool {
        self.chosen.contains(&name)
    }

    /// Takes the value of a quantity, if it is chosen.
    fn put(&mut self, name: &'static str, value: Value) {
        if self.wants(name) {
            self.found.push((name, value));
        }
    }

    fn of_natural(&mut self, natural: &dyn Natural, state: &State) -> Result<(), BindError> {
        let State { t, q, v } = state;
        let kinetic = 0.5 * natural.mass().quadratic(v);
        let potential = natural.potential(q, *t);
        let mut gradient = vec![0.0; q.len()];
        if self.wants("hessian") {
            natural.affords_second_derivatives()?;
            let pattern = natural.potential_pattern();
            let mut hessian = vec![0.0; pattern.len()];
            natural.potential_second(q, *t, &mut gradient, &mut hessian);
            self.put("hessian", matrix(pattern.entries(), &hessian));
        } else {
            natural.potential_gradient(q, *t, &mut gradient);
        }
        self.put_energies(kinetic, potential, gradient);
        self.put("mass", matrix(natural.mass().pattern.entries(), &natural.mass().values));
        Ok(())
    }

    /// For a mass that depends on position: the potential is −L at rest, the mass ∂²L/∂v∂v.
    fn of_lagrangian(&mut self, system: &dyn Lagrangian, state: &State) -> Result<(), BindError> {
        let State { t, q, v } = state;
        let n = q.len();
        let rest = vec![0.0; n];
        let potential = -system.lagrangian(q, &rest, *t);
        let kinetic = system.energy(q, v, *t) - potential;
        let mut gradient = vec![0.0; 2 * n + 1];
        let mut second = Vec::new();
        if self.wants("hessian") || self.wants("mass") {
            system.affords_second_derivatives()?;
            second.resize(system.second_pattern().len(), 0.0);
            system.second_derivatives(q, &rest, *t, &mut gradient, &mut second);
        } else {
            system.first_derivatives(q, &rest, *t, &mut gradient);
        }
        self.put_energies(kinetic, potential, gradient[..n].iter().map(|value| -value).collect());
        let block = |from: usize, sign: f64| {
            let inside = from..from + n;
            let entries = system.second_pattern().entries().zip(&second);
            let entries = entries
                .filter(|((row, column), _)| inside.contains(row) && inside.contains(column))
                .map(|((row, column), value)| (row - from, column - from, sign * value));
            Value::Matrix(entries.collect())
        };
        self.put("hessian", block(0, -1.0));
        self.put("mass", block(n, 1.0));
        Ok(())
    }

    fn put_energies(&mut self, kinetic: f64, potential: f64, gradient: Vec<f64>) {
        self.put("energy", Value::Number(kinetic + potential));
        self.put("kinetic", Value::Number(kinetic));
        self.put("potential", Value::Number(potential));
        self.put("gradient", Value::Vector(gradient));
    }

    fn of_constraints(&mut self, system: &(impl Holonomic + ?Sized), state: &State) {
        let pattern = system.jacobian_pattern();
        let mut values = vec![0.0; system.constraints()];
        let mut jacobian = vec![0.0; pattern.len()];
        system.jacobian(&state.q, state.t, &mut values, &mut jacobian);
        self.put("jacobian", matrix(pattern.entries(), &jacobian));
        self.put("constraints", Value::Vector(values));
    }

    fn of_nonholonomic(&mut self, system: &dyn Nonholonomic, state: &State) {
        let State { t, q, v } = state;
        let pattern = system.nonholonomic_pattern();
        let (mut values, mut derivatives) = (vec![0.0; system.nonholonomic_rows()], vec![0.0; pattern.len()]);
        system.nonholonomic_derivatives(q, v, *t, &mut values, &mut derivatives);
        self.put("nonholonomic-jacobian", matrix(pattern.entries(), &derivatives));
        self.put("nonholonomic", Value::Vector(values));
    }

    /// The values in their order. JSON has no infinity: a number that cannot be printed is a failure, no
    /// silent null.
    fn finite(mut self, model: &str) -> Result<Self> {
        self.found.sort_by_key(|(name, _)| QUANTITIES.iter().position(|known| known == name));
        let is_finite = |value: &Value| match value {
            Value::Number(number) => number.is_finite(),
            Value::Vector(numbers) => numbers.iter().all(|number| number.is_finite()),
            Value::Matrix(entries) => entries.iter().all(|entry| entry.2.is_finite()),
        };
        match self.found.iter().find(|(_, value)| !is_finite(value)) {
            Some((quantity, _)) => Err(Error::not_finite(model, quantity)),
            None => Ok(self),
        }
    }

    /// Numbers first, then vectors, then matrices.
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut all: Vec<&(&str, Value)> = self.found.iter().collect();
        all.sort_by_key(|(_, value)| match value {
            Value::Number(_) => 0,
            Value::Vector(_) => 1,
            Value::Matrix(_) => 2,
        });
        all.into_iter().try_for_each(|(name, value)| match value {
            Value::Number(value) => writeln!(out, "{name:<12}{value:?}"),
            Value::Vector(values) => {
                writeln!(out, "{name}")?;
                let mut numbered = values.iter().enumerate();
                numbered.try_for_each(|(index, value)| writeln!(out, "    [{index}]  {value:?}"))
            }
            Value::Matrix(entries) => {
                writeln!(out, "{name}")?;
                let mut entries = entries.iter();
                entries.try_for_each(|(row, column, value)| writeln!(out, "    [{row}, {column}]  {value:?}"))
            }
        })
    }
}

fn matrix(pattern: impl Iterator<Item = (usize, usize)>, values: &[f64]) -> Value {
    Value::Matrix(pattern.zip(values).map(|((row, column), value)| (row, column, *value)).collect())
}
