//! The options of projections onto slow manifolds, and `project --with omega=…`, which finds one by IPA.

use std::io::Write;

use least_action::advanced::wrap::Penalized;
use least_action::error::ProjectionError;
use least_action::method::Evaluations;
use least_action::method::slow_manifold::{Convergence, Oscillating, SlowFast, SlowManifold};
use least_action::system::{Constrained, Layout, State};
use least_action_methods::{Options, count, manifold};
use serde::Serialize;

use crate::arguments::Format;
use crate::error::{Error, Result};
use crate::print::Text;
use crate::registry::Instance;
use crate::streams::Streams;

/// The options of `project` with `omega`.
pub(crate) const OPTIONS: [&str; 7] =
    ["omega", "tolerance", "force_tolerance", "window", "micro_steps", "iterations", "levels"];

/// The output of `project --with omega=…`: a state that serves as a start, and the course of its
/// projection.
#[derive(Debug, Default, Serialize)]
struct Outcome {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    omega: f64,
    iterations: u32,
    /// The factor by which an iteration multiplies the change, in the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    contraction: Option<f64>,
    /// The last change of g or ġ.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<f64>,
    /// The last change of a multiplier: by an iteration, or by the last extrapolation.
    #[serde(skip_serializing_if = "Option::is_none")]
    multiplier_change: Option<f64>,
    evaluations: Evaluations,
    /// g and ġ, where constraints are penalized.
    #[serde(skip_serializing_if = "Option::is_none")]
    g: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gdot: Option<Vec<f64>>,
    /// λ in M q̈ = −∇V + Gᵀ λ.
    #[serde(skip_serializing_if = "Option::is_none")]
    multipliers: Option<Vec<f64>>,
    /// The reason for which no slow point was found; the state is the last iterate.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

/// Moves a state to the slow manifold of a model, and prints it.
///
/// With constraints, `omega` is the penalty; the option `levels` extrapolates to the constraints
/// themselves. Without, `omega` is the frequency of the stiff part.
pub(crate) fn project(
    instance: &Instance,
    options: &Options,
    omega: f64,
    state: State,
    format: Format,
    streams: &mut Streams<'_>,
) -> Result {
    let levels = count(options, "levels", 1)?;
    let found = match (instance.system.faces().constrained, instance.system.faces().natural) {
        (Some(constrained), _) if levels == 1 => onto_penalty(options, constrained, omega, state)?,
        (Some(constrained), _) => onto_constraints(options, constrained, omega, levels, &state)?,
        (None, Some(_)) if levels != 1 => {
            let reason = "only their multipliers are extrapolated, by `levels`";
            return Err(Error::not_available(&instance.name, "constraints", reason));
        }
        (None, Some(natural)) => find(options, &Oscillating::new(natural, omega)?, state)?,
        (None, None) => {
            return Err(Error::not_available(&instance.name, "constant mass", "micro-steps need one"));
        }
    };
    let layout = instance.system.lagrangian().layout();
    let constrained = instance.system.faces().constrained;
    streams.print(format, &found.outcome, |outcome, out| outcome.text(layout, constrained, out))?;
    found.failure.map_or(Ok(()), |error| Err(Error::Projection(error)))
}

/// The state that was found, also when that is only the last iterate.
struct Found {
    outcome: Outcome,
    failure: Option<ProjectionError>,
}

impl Outcome {
    /// The state and ω, nothing else being known.
    fn of(State { t, q, v }: State, omega: f64) -> Self {
        Self { t, q, v, omega, ..Self::default() }
    }

    fn with(self, convergence: Convergence) -> Self {
        let Convergence { iterations, contraction, change, evaluations, .. } = convergence;
        Self { iterations, contraction, change: Some(change), evaluations, ..self }
    }
}

/// The slow point of any system, or the last iterate.
fn find<F: SlowFast>(options: &Options, system: &F, mut state: State) -> Result<Found> {
    let omega = system.frequency();
    let manifold = manifold(options, SlowManifold::default(), system, &state)?;
    let mut projector = manifold.projector(system)?;
    match projector.project(&mut state) {
        Ok(convergence) => Ok(Found { outcome: Outcome::of(state, omega).with(convergence), failure: None }),
        Err(ProjectionError::NotSlow(error)) => {
            let mut outcome = Outcome::of(error.last().clone(), omega);
            outcome.evaluations = projector.evaluations();
            outcome.failure = Some(error.to_string());
            Ok(Found { outcome, failure: Some(error.into()) })
        }
        Err(error) => Err(error.into()),
    }
}

fn onto_penalty(options: &Options, system: &dyn Constrained, omega: f64, state: State) -> Result<Found> {
    let penalized = Penalized::new(system, omega)?;
    let mut found = find(options, &penalized, state)?;
    let outcome = &mut found.outcome;
    let [mut g, mut gdot, mut multipliers] = [(); 3].map(|()| vec![0.0; system.constraints()]);
    penalized.constraint_motion(&outcome.q, &outcome.v, outcome.t, &mut g, &mut gdot);
    penalized.multipliers(&outcome.q, outcome.t, &mut multipliers);
    (outcome.g, outcome.gdot, outcome.multipliers) = (Some(g), Some(gdot), Some(multipliers));
    Ok(found)
}

fn onto_constraints(
    options: &Options,
    system: &dyn Constrained,
    omega: f64,
    levels: u32,
    state: &State,
) -> Result<Found> {
    let penalized = Penalized::new(system, omega)?;
    let manifold = manifold(options, SlowManifold::default(), &penalized, state)?;
    let start = manifold.consistent_start(system, omega, levels, state)?;
    let [mut g, mut gdot] = [(); 2].map(|()| vec![0.0; system.constraints()]);
    let mut outcome = Outcome::of(start.state, omega);
    penalized.constraint_motion(&outcome.q, &outcome.v, outcome.t, &mut g, &mut gdot);
    (outcome.iterations, outcome.evaluations) = (start.iterations, start.evaluations);
    (outcome.g, outcome.gdot) = (Some(g), Some(gdot));
    outcome.multipliers = Some(start.multipliers);
    outcome.multiplier_change = Some(start.change);
    Ok(Found { outcome, failure: None })
}

impl Outcome {
    fn text(
        &self,
        layout: &Layout,
        constrained: Option<&dyn Constrained>,
        out: &mut Text<'_>,
    ) -> std::io::Result<()> {
        let mut rows = vec![
            vec!["omega".to_owned(), format!("{:?}", self.omega)],
            vec!["iterations".to_owned(), self.iterations.to_string()],
            vec!["gradients".to_owned(), self.evaluations.gradients.to_string()],
        ];
        let numbers = [
            ("contraction", self.contraction),
            ("last change", self.change),
            ("last change of a multiplier", self.multiplier_change),
        ];
        for (name, number) in numbers {
            rows.extend(number.map(|number| vec![name.to_owned(), format!("{number:.3e}")]));
        }
        out.table(&rows)?;
        writeln!(out)?;
        out.state(layout, &self.q, &self.v)?;
        let (Some(constrained), Some(g), Some(gdot), Some(multipliers)) =
            (constrained, &self.g, &self.gdot, &self.multipliers)
        else {
            return Ok(());
        };
        writeln!(out)?;
        let mut rows = vec![["equation", "g", "gdot", "multiplier"].map(str::to_owned).to_vec()];
        for (row, ((g, rate), multiplier)) in g.iter().zip(gdot).zip(multipliers).enumerate() {
            rows.push(vec![
                constrained.constraint_name(row),
                format!("{g:.6e}"),
                format!("{rate:.6e}"),
                format!("{multiplier:?}"),
            ]);
        }
        out.table(&rows)
    }
}
