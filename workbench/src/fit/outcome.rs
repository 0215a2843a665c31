//! The result of a fit, in words and in JSON.

use std::io::{self, Write};

use least_action_optimization::fit::{Doubt, Fitted};
use least_action_optimization::least_squares::Status;
use serde::Serialize;

use crate::print::Text;

/// A number of the fit.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) value: f64,
    /// The standard error; none at a bound, and where the data do not determine the number.
    pub(super) error: Option<f64>,
    /// The bound at which it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<f64>,
}

/// A column of the data.
#[derive(Debug, Serialize)]
struct Column {
    data: String,
    #[serde(rename = "column")]
    name: String,
    samples: usize,
    rms: f64,
}

/// The judgement of the fit on itself.
#[derive(Debug, Serialize)]
pub(super) struct Judgement {
    /// True if the numbers can be believed.
    believed: bool,
    /// The factor by which a segment amplifies a change of its start.
    growth: f64,
    /// The reason not to believe them, with a remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) doubt: Option<String>,
}

/// The output of the command.
#[derive(Debug, Serialize)]
pub(super) struct Outcome<'a> {
    model: &'a str,
    method: &'static str,
    step: f64,
    iterations: usize,
    status: &'static str,
    pub(super) estimates: Vec<Row>,
    sigma: f64,
    degrees: usize,
    condition: f64,
    correlations: &'a [(String, String, f64)],
    undetermined: &'a [Vec<(String, f64)>],
    columns: Vec<Column>,
    /// The number of all samples, and of the ones between two steps.
    samples: usize,
    between: usize,
    /// The parameters that the model's own start follows.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    follows: &'a [String],
    pub(super) verdict: Judgement,
}

impl<'a> Outcome<'a> {
    pub(super) fn new(model: &'a str, method: &'static str, step: f64, found: &'a Fitted) -> Self {
        let estimates = found.estimates.iter().map(|own| Row {
            name: own.name.clone(),
            value: own.value,
            error: own.error,
            bound: own.bound,
        });
        let columns = found.curves.iter().map(|curve| Column {
            data: curve.data.clone(),
            name: curve.column.clone(),
            samples: curve.samples.len(),
            rms: curve.rms(),
        });
        let status = match found.status {
            Status::Converged => "converged",
            Status::Still => "still",
            Status::Limit => "limit",
            _ => "stopped",
        };
        let limit = "the largest number of iterations is reached, and the sum of squares still falls: --iterations allows more";
        let is_cut = found.status == Status::Limit;
        let doubt = found.doubt.as_ref().map(Doubt::to_string).or_else(|| is_cut.then(|| limit.to_owned()));
        let verdict = Judgement { believed: doubt.is_none(), growth: found.growth, doubt };
        Self {
            model,
            method,
            step,
            iterations: found.iterations,
            status,
            estimates: estimates.collect(),
            sigma: found.sigma,
            degrees: found.degrees,
            condition: found.condition,
            correlations: &found.correlations,
            undetermined: &found.undetermined,
            columns: columns.collect(),
            samples: found.curves.iter().map(|curve| curve.samples.len()).sum(),
            between: found.between,
            follows: &found.follows,
            verdict,
        }
    }

    /// The numbers with their errors, and the columns, as tables with heads.
    pub(super) fn tables(&self) -> [(Vec<&'static str>, Vec<Vec<String>>); 2] {
        let estimates = self.estimates.iter().map(|row| {
            let bound = |_| "at its bound".to_owned();
            let none = if self.verdict.believed { "not determined" } else { "none to believe" };
            let unknown = || row.bound.map_or_else(|| none.to_owned(), bound);
            let error = row.error.map_or_else(unknown, |error| format!("{error:.1e}"));
            vec![row.name.clone(), row.value.to_string(), error]
        });
        let columns = self.columns.iter().map(|own| {
            vec![own.data.clone(), own.name.clone(), own.samples.to_string(), format!("{:.3e}", own.rms)]
        });
        [
            (vec!["θ", "value", "standard error"], estimates.collect()),
            (vec!["data", "column", "samples", "rms"], columns.collect()),
        ]
    }

    /// The remarks on the fit.
    pub(super) fn remarks(&self) -> Vec<String> {
        let Self { sigma, degrees, condition, iterations, method, step, samples, between, .. } = self;
        let mut all =
            vec![format!("σ = {sigma:.4e} by {degrees} degrees of freedom; condition {condition:.1e}")];
        for direction in self.undetermined {
            let members: Vec<String> =
                direction.iter().map(|(name, change)| format!("{name} {change:+.3}")).collect();
            all.push(format!(
                "the data do not determine a common change of {}, in relative units: hold one of them fast",
                members.join(", ")
            ));
        }
        for (a, b, correlation) in self.correlations {
            all.push(format!("{a} and {b} have the correlation {correlation:+.3}"));
        }
        if *between > 0 {
            all.push(format!(
                "{between} of {samples} samples lie between two steps, where a cubic joins the states: half the step divides its \
                 error by 16, and a step that divides the times of the samples removes it"
            ));
        }
        let end = match self.status {
            "converged" => "",
            "still" => ", and no step lowers the sum of squares further",
            _ => ", the largest number",
        };
        all.push(format!("{iterations} iterations{end}; steps of {step} by {method}"));
        all
    }

    pub(super) fn text(&self, out: &mut Text<'_>) -> io::Result<()> {
        for (head, rows) in self.tables() {
            let head = head.into_iter().map(str::to_owned).collect();
            out.table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())?;
        }
        self.remarks().iter().try_for_each(|remark| writeln!(out, "{remark}"))
    }
}
