//! `eval`: what the kernels say at one state.

use std::io::{self, Write};

use least_action::advanced::sparse::SymmetricPattern;
use least_action::error::BindError;
use least_action::system::{Holonomic, Lagrangian, Natural, Nonholonomic, State};
use serde::Serialize;

use crate::arguments::{Eval, Format};
use crate::error::{Error, Names};
use crate::methods::Faces;
use crate::print::json_line;
use crate::registry::Registry;
use crate::streams::Streams;
use crate::{check, parameters, start};

/// A matrix as [row, column, value] for each stored entry.
type Triplets = Vec<(usize, usize, f64)>;

/// The quantities that were asked for, in the order of the documentation.
#[derive(Debug, Default, Serialize)]
struct Evaluation {
    #[serde(skip_serializing_if = "Option::is_none")]
    energy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kinetic: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    potential: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gradient: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hessian: Option<Triplets>,
    #[serde(skip_serializing_if = "Option::is_none")]
    third: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jacobian: Option<Triplets>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonholonomic: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none", rename = "nonholonomic-jacobian")]
    nonholonomic_jacobian: Option<Triplets>,
    #[serde(skip_serializing_if = "Option::is_none")]
    force: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mass: Option<Triplets>,
}

/// One quantity of [`Evaluation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Energy,
    Kinetic,
    Potential,
    Gradient,
    Hessian,
    Third,
    Constraints,
    Jacobian,
    Nonholonomic,
    NonholonomicJacobian,
    Force,
    Mass,
}

impl Quantity {
    const ALL: [(&'static str, Self); 12] = [
        ("energy", Self::Energy),
        ("kinetic", Self::Kinetic),
        ("potential", Self::Potential),
        ("gradient", Self::Gradient),
        ("hessian", Self::Hessian),
        ("third", Self::Third),
        ("constraints", Self::Constraints),
        ("jacobian", Self::Jacobian),
        ("nonholonomic", Self::Nonholonomic),
        ("nonholonomic-jacobian", Self::NonholonomicJacobian),
        ("force", Self::Force),
        ("mass", Self::Mass),
    ];

    /// The quantities named by `--what`; without it, all that the model `has` and that need no further input.
    fn chosen(what: &[String], has: impl Fn(Self) -> bool) -> Result<Vec<Self>, Error> {
        if what.is_empty() {
            let all = Self::ALL.into_iter().map(|(_, quantity)| quantity);
            return Ok(all.filter(|quantity| has(*quantity)).collect());
        }
        what.iter()
            .map(|name| {
                let name = name.trim();
                let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
                found.map(|(_, quantity)| quantity).ok_or_else(|| {
                    let known: Names = Self::ALL.into_iter().map(|(known, _)| known).collect();
                    Error::UnknownQuantity { name: name.to_owned(), hint: known.near(name), known }
                })
            })
            .collect()
    }
}

/// Evaluates the model at a state and prints the result.
pub(crate) fn eval(registry: &Registry, arguments: &Eval, streams: &mut Streams<'_>) -> Result<(), Error> {
    let instance = parameters::bind(registry, &arguments.model)?;
    if let Some(omega) = arguments.penalty.filter(|omega| !(omega.is_finite() && *omega > 0.0)) {
        let reason = "the penalty must be positive and finite";
        return Err(Error::BadNumber { flag: "--penalty", value: omega, reason });
    }
    if arguments.check {
        return check::check(&instance, arguments, streams);
    }
    let faces = match arguments.penalty {
        Some(omega) => Faces::penalized(&instance, omega)?,
        None => Faces::plain(&*instance.system),
    };
    let layout = instance.system.lagrangian().layout();
    let state = match &arguments.start {
        Some(path) => start::read(path, layout)?,
        None => instance.own_start()?,
    };
    let direction =
        arguments.direction.as_deref().map(|path| start::read_direction(path, layout)).transpose()?;
    let (natural, lagrangian) = (faces.natural(), instance.system.lagrangian());
    let chosen = Quantity::chosen(&arguments.what, |quantity| match quantity {
        Quantity::Third => direction.is_some() && natural.is_some(),
        Quantity::Constraints | Quantity::Jacobian => faces.constraints().is_some(),
        Quantity::Nonholonomic | Quantity::NonholonomicJacobian => lagrangian.nonholonomic().is_some(),
        Quantity::Force => lagrangian.forced().is_some(),
        Quantity::Energy
        | Quantity::Kinetic
        | Quantity::Potential
        | Quantity::Gradient
        | Quantity::Hessian
        | Quantity::Mass => true,
    })?;
    let mut evaluation = Evaluation::default();
    match natural {
        Some(natural) => evaluation.of_natural(natural, &state, &chosen)?,
        None => evaluation.of_lagrangian(lagrangian, &state, &chosen)?,
    }
    let missing = |quantity, reason: &str| Error::NotAvailable {
        model: instance.name.clone(),
        quantity,
        reason: reason.to_owned(),
    };
    if chosen.contains(&Quantity::Third) {
        let natural = natural.ok_or_else(|| {
            missing("third", "the contraction a·V‴·a is that of a natural system, with constant mass")
        })?;
        let direction = direction.ok_or(Error::NoDirection)?;
        let mut third = vec![0.0; direction.len()];
        natural.potential_third(&state.q, state.t, &direction, &mut third);
        evaluation.third = Some(third);
    }
    if chosen.contains(&Quantity::Constraints) || chosen.contains(&Quantity::Jacobian) {
        let constrained = faces
            .constraints()
            .ok_or_else(|| missing("constraints", "it declares no #[holonomic] method"))?;
        evaluation.of_constraints(constrained, &state, &chosen);
    }
    if chosen.contains(&Quantity::Nonholonomic) || chosen.contains(&Quantity::NonholonomicJacobian) {
        let nonholonomic = lagrangian
            .nonholonomic()
            .ok_or_else(|| missing("constraints on velocities", "it declares no #[nonholonomic] method"))?;
        evaluation.of_nonholonomic(nonholonomic, &state, &chosen);
    }
    if chosen.contains(&Quantity::Force) {
        let forced = lagrangian
            .forced()
            .ok_or_else(|| missing("force", "it declares no #[force] and no #[dissipation] method"))?;
        let mut force = vec![0.0; state.q.len()];
        forced.add_force(&state.q, &state.v, state.t, &mut force);
        evaluation.force = Some(force);
    }
    evaluation.check_finite(&instance.name)?;
    match arguments.format {
        Format::Json => json_line(streams.out, &evaluation),
        Format::Text => evaluation.text(&mut streams.text()).map_err(|error| Error::stdout(&error)),
    }
}

impl Evaluation {
    fn of_natural(
        &mut self,
        natural: &dyn Natural,
        state: &State,
        chosen: &[Quantity],
    ) -> Result<(), BindError> {
        let State { t, q, v } = state;
        let kinetic = 0.5 * natural.mass().quadratic(v);
        let potential = natural.potential(q, *t);
        let mut gradient = vec![0.0; q.len()];
        if chosen.contains(&Quantity::Hessian) {
            natural.affords_second_derivatives()?;
            let pattern = natural.potential_pattern();
            let mut hessian = vec![0.0; pattern.len()];
            natural.potential_second(q, *t, &mut gradient, &mut hessian);
            self.hessian = Some(triplets(pattern, &hessian));
        } else {
            natural.potential_gradient(q, *t, &mut gradient);
        }
        self.fill(chosen, kinetic, potential, gradient);
        if chosen.contains(&Quantity::Mass) {
            self.mass = Some(triplets(&natural.mass().pattern, &natural.mass().values));
        }
        Ok(())
    }

    /// For a mass that depends on position: the potential is −L at rest, the mass ∂²L/∂v∂v.
    fn of_lagrangian(
        &mut self,
        system: &dyn Lagrangian,
        state: &State,
        chosen: &[Quantity],
    ) -> Result<(), BindError> {
        let State { t, q, v } = state;
        let n = q.len();
        let rest = vec![0.0; n];
        let potential = -system.lagrangian(q, &rest, *t);
        let kinetic = system.energy(q, v, *t) - potential;
        let mut gradient = vec![0.0; 2 * n + 1];
        let mut second = Vec::new();
        if chosen.contains(&Quantity::Hessian) || chosen.contains(&Quantity::Mass) {
            system.affords_second_derivatives()?;
            second.resize(system.second_pattern().len(), 0.0);
            system.second_derivatives(q, &rest, *t, &mut gradient, &mut second);
        } else {
            system.first_derivatives(q, &rest, *t, &mut gradient);
        }
        self.fill(chosen, kinetic, potential, gradient[..n].iter().map(|value| -value).collect());
        let block = |from: usize, sign: f64| -> Triplets {
            let inside = from..from + n;
            let entries = system.second_pattern().entries().zip(&second);
            entries
                .filter(|((row, column), _)| inside.contains(row) && inside.contains(column))
                .map(|((row, column), value)| (row - from, column - from, sign * value))
                .collect()
        };
        if chosen.contains(&Quantity::Hessian) {
            self.hessian = Some(block(0, -1.0));
        }
        if chosen.contains(&Quantity::Mass) {
            self.mass = Some(block(n, 1.0));
        }
        Ok(())
    }

    fn fill(&mut self, chosen: &[Quantity], kinetic: f64, potential: f64, gradient: Vec<f64>) {
        let when = |quantity: Quantity, value: f64| chosen.contains(&quantity).then_some(value);
        self.energy = when(Quantity::Energy, kinetic + potential);
        self.kinetic = when(Quantity::Kinetic, kinetic);
        self.potential = when(Quantity::Potential, potential);
        self.gradient = chosen.contains(&Quantity::Gradient).then_some(gradient);
    }

    fn of_constraints(&mut self, system: &(impl Holonomic + ?Sized), state: &State, chosen: &[Quantity]) {
        let pattern = system.jacobian_pattern();
        let mut values = vec![0.0; system.constraints()];
        let mut jacobian = vec![0.0; pattern.len()];
        system.jacobian(&state.q, state.t, &mut values, &mut jacobian);
        if chosen.contains(&Quantity::Jacobian) {
            let entries = pattern.entries().zip(&jacobian);
            self.jacobian = Some(entries.map(|((row, column), value)| (row, column, *value)).collect());
        }
        if chosen.contains(&Quantity::Constraints) {
            self.constraints = Some(values);
        }
    }

    fn of_nonholonomic(&mut self, system: &dyn Nonholonomic, state: &State, chosen: &[Quantity]) {
        let State { t, q, v } = state;
        let pattern = system.nonholonomic_pattern();
        let (mut values, mut derivatives) = (vec![0.0; system.nonholonomic_rows()], vec![0.0; pattern.len()]);
        system.nonholonomic_derivatives(q, v, *t, &mut values, &mut derivatives);
        if chosen.contains(&Quantity::NonholonomicJacobian) {
            let entries = pattern.entries().zip(&derivatives);
            let entries = entries.map(|((row, column), value)| (row, column, *value));
            self.nonholonomic_jacobian = Some(entries.collect());
        }
        if chosen.contains(&Quantity::Nonholonomic) {
            self.nonholonomic = Some(values);
        }
    }

    /// JSON has no infinity: what cannot be printed is a failure, not a silent null.
    fn check_finite(&self, model: &str) -> Result<(), Error> {
        let scalar = |value: Option<f64>| value.is_none_or(f64::is_finite);
        let vector = |value: &Option<Vec<f64>>| value.iter().flatten().all(|number| number.is_finite());
        let matrix = |value: &Option<Triplets>| value.iter().flatten().all(|entry| entry.2.is_finite());
        let checks = [
            ("energy", scalar(self.energy)),
            ("kinetic", scalar(self.kinetic)),
            ("potential", scalar(self.potential)),
            ("gradient", vector(&self.gradient)),
            ("hessian", matrix(&self.hessian)),
            ("third", vector(&self.third)),
            ("constraints", vector(&self.constraints)),
            ("jacobian", matrix(&self.jacobian)),
            ("nonholonomic", vector(&self.nonholonomic)),
            ("nonholonomic-jacobian", matrix(&self.nonholonomic_jacobian)),
            ("force", vector(&self.force)),
            ("mass", matrix(&self.mass)),
        ];
        match checks.into_iter().find(|(_, finite)| !finite) {
            Some((quantity, _)) => Err(Error::NotFinite { model: model.to_owned(), quantity }),
            None => Ok(()),
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let scalars = [("energy", self.energy), ("kinetic", self.kinetic), ("potential", self.potential)];
        for (name, value) in scalars.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)))
        {
            writeln!(out, "{name:<12}{value:?}")?;
        }
        let vectors = [
            ("gradient", &self.gradient),
            ("third", &self.third),
            ("constraints", &self.constraints),
            ("nonholonomic", &self.nonholonomic),
            ("force", &self.force),
        ];
        for (name, values) in
            vectors.into_iter().filter_map(|(name, value)| value.as_ref().map(|value| (name, value)))
        {
            writeln!(out, "{name}")?;
            for (index, value) in values.iter().enumerate() {
                writeln!(out, "    [{index}]  {value:?}")?;
            }
        }
        let matrices = [
            ("hessian", &self.hessian),
            ("jacobian", &self.jacobian),
            ("nonholonomic-jacobian", &self.nonholonomic_jacobian),
            ("mass", &self.mass),
        ];
        for (name, entries) in
            matrices.into_iter().filter_map(|(name, value)| value.as_ref().map(|value| (name, value)))
        {
            writeln!(out, "{name}")?;
            for (row, column, value) in entries {
                writeln!(out, "    [{row}, {column}]  {value:?}")?;
            }
        }
        Ok(())
    }
}

fn triplets(pattern: &SymmetricPattern, values: &[f64]) -> Triplets {
    pattern.entries().zip(values).map(|((row, column), value)| (row, column, *value)).collect()
}
