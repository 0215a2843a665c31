//! `eval --check`: every derivative of a model beside dual numbers.

use std::io::{self, Write};

use least_action::advanced::check::{Comparison, nearby};
use least_action::system::State;
use least_action_pages::Error as PageError;
use least_action_pages::guard::guarded;
use serde::Serialize;

use crate::arguments::Eval;
use crate::error::{Error, Result};
use crate::methods::Faces;
use crate::print::Text;
use crate::registry::Instance;
use crate::streams::Streams;

/// The number of states near the first one.
const NEARBY: u64 = 3;
/// The number of unknowns above which one state is enough: a large system has neighbourhoods of all
/// kinds.
const LARGE: usize = 10_000;

/// The comparisons at one state.
#[derive(Debug, Serialize)]
struct Found {
    /// `start`, or the name of a state near it.
    place: String,
    state: State,
    comparisons: Vec<Comparison>,
}

/// Everything that `eval --check` says.
#[derive(Debug, Serialize)]
struct Report<'r> {
    model: &'r str,
    /// The stiffness of the penalty instead of the constraints.
    #[serde(skip_serializing_if = "Option::is_none")]
    penalty: Option<f64>,
    /// True if the kernels agree with dual numbers up to rounding, at all points.
    agrees: bool,
    /// The quantity of the first disagreement.
    #[serde(skip_serializing_if = "Option::is_none")]
    disagrees: Option<String>,
    /// The reason for which second derivatives were not compared entry by entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
    points: Vec<Found>,
}

/// Checks the model at its start, or at the given state, and near it.
pub(crate) fn check(instance: &Instance, arguments: &Eval, streams: &mut Streams<'_>) -> Result {
    let system = &*instance.system;
    if let Some(omega) = arguments.penalty {
        // Refused before anything is computed, where it cannot be.
        Faces::penalized(instance, omega)?;
    }
    let layout = system.lagrangian().layout();
    let state = arguments.start.state(instance)?;
    let mut points = Vec::new();
    let nearby_states = if layout.dimension() > LARGE { 1 } else { NEARBY };
    for number in 0..=nearby_states {
        let seed = arguments.seed.wrapping_add(number);
        let (place, state) = match number {
            0 => ("start".to_owned(), state.clone()),
            _ => (format!("nearby {number}"), nearby(layout, &state, seed)),
        };
        if !system.lagrangian().lagrangian(&state.q, &state.v, state.t).is_finite() {
            if number == 0 {
                return Err(Error::not_finite(&instance.name, "lagrangian"));
            }
            // A state near the edge of the domain says nothing beyond it.
            continue;
        }
        let mut said = |quantity: &str| {
            let (of, name) = (nearby_states + 1, &instance.name);
            let words = format!("still checking {name}: state {} of {of}, {quantity}", number + 1);
            streams.patience.iter().for_each(|patience| patience.part(words.clone()));
        };
        let comparisons = guarded(|| system.check(&state, arguments.penalty, seed, &mut said))
            .map_err(|panic| PageError::panicked(system.lagrangian().name(), panic))??
            .ok_or_else(|| Error::nothing_to_penalize(&instance.name))?;
        points.push(Found { place, state, comparisons });
    }
    let all = points.iter().flat_map(|point| point.comparisons.iter().map(move |one| (&point.place, one)));
    let mut failed: Vec<_> = all.filter(|(_, one)| !one.agrees).collect();
    // A wrong number says more than a missing one.
    failed.sort_by_key(|(_, one)| one.not_compared);
    let failed = failed.first().map(|(place, one)| ((*place).clone(), (*one).clone()));
    let disagrees = failed.as_ref().map(|(_, one)| (one.quantity.to_owned(), one.entry.clone()));
    let report = Report {
        model: &instance.name,
        penalty: arguments.penalty,
        agrees: disagrees.is_none(),
        disagrees: disagrees.as_ref().map(|(quantity, entry)| format!("{quantity}, {entry}")),
        left_out: system.lagrangian().affords_second_derivatives().err().map(|reason| reason.to_string()),
        points,
    };
    streams.print(arguments.format, &report, Report::text)?;
    let Some((place, Comparison { quantity, entry, not_compared, .. })) = failed else { return Ok(()) };
    let (model, quantity) = (instance.name.clone(), quantity.to_owned());
    Err(if not_compared {
        Error::Failed(format!(
            "not compared: {quantity} of `{model}` has no value in dual numbers at {place}, at {entry}: a function has no derivative \
             there, such as a root or a norm at 0, `acos` at ±1, `atan2` at (0, 0); give a state away from it, or a smooth form of \
             the term, such as k (1 + cos θ) for an angle that is straight"
        ))
    } else {
        Error::Disagreement(format!(
            "a kernel of `{model}` disagrees with dual numbers: {quantity}, at {entry}"
        ))
    })
}

impl Report<'_> {
    fn text(&self, out: &mut Text<'_>) -> io::Result<()> {
        for Found { place, comparisons, .. } in &self.points {
            writeln!(out, "{} at {place}", self.model)?;
            let header =
                ["", "quantity", "entries", "worst", "kernel", "dual numbers", "difference", "allowed"];
            let mut rows = vec![header.map(str::to_owned).to_vec()];
            rows.extend(comparisons.iter().map(row));
            out.indented(4, &rows)?;
            writeln!(out)?;
        }
        if let Some(reason) = &self.left_out {
            writeln!(
                out,
                "second derivatives were compared by their products with a direction alone: {reason}"
            )?;
        }
        let mut all = self.points.iter().flat_map(|point| &point.comparisons);
        let verdict = if self.agrees {
            "the kernels agree with dual numbers"
        } else if all.all(|one| one.agrees || one.not_compared) {
            "not all was compared, since dual numbers have no value there; the rest agrees"
        } else {
            "the kernels disagree with dual numbers"
        };
        writeln!(out, "{verdict}")
    }
}

/// The row of a table for a quantity.
fn row(comparison: &Comparison) -> Vec<String> {
    vec![
        match comparison {
            Comparison { agrees: true, .. } => "ok",
            Comparison { not_compared: true, .. } => "not compared",
            _ => "WRONG",
        }
        .to_owned(),
        comparison.quantity.to_owned(),
        comparison.entries.to_string(),
        comparison.entry.clone(),
        format!("{:.10e}", comparison.kernel),
        format!("{:.10e}", comparison.dual),
        format!("{:.1e}", comparison.difference),
        format!("{:.1e}", comparison.allowed),
    ]
}
