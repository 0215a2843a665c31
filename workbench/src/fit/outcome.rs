//! The result of a fit, in words and in JSON.

use std::io::{self, Write};

use least_action_optimization::fit::{Fitted, Minimum, Quality};
use least_action_optimization::least_squares::Status;
use serde::Serialize;

use crate::arguments::AskedFit;
use crate::print::Text;

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
    #[serde(flatten)]
    found: &'a Fitted,
    correlations: Vec<Vec<Option<f64>>>,
    /// The number of all samples.
    samples: usize,
    pub(super) verdict: Judgement,
    #[serde(skip)]
    asked: &'a AskedFit,
}

impl<'a> Outcome<'a> {
    pub(super) fn new(
        asked: &'a AskedFit,
        (model, method, step): (&'a str, &'static str, f64),
        found: &'a Fitted,
    ) -> Self {
        let limit = "the largest number of iterations is reached, and the sum of squares still falls: --iterations allows more";
        let is_cut = found.status == Status::Limit;
        let doubt = found.doubt.clone().or_else(|| is_cut.then(|| limit.to_owned()));
        let samples = found.curves.iter().map(|curve| curve.times.len()).sum();
        let verdict = Judgement { believed: doubt.is_none(), growth: found.growth, doubt };
        Self { model, method, step, found, correlations: found.correlations(), samples, verdict, asked }
    }

    /// The numbers with their errors, and the columns, as tables with heads.
    pub(super) fn tables(&self) -> [(Vec<&'static str>, Vec<Vec<String>>); 2] {
        let estimates = self.found.estimates.iter().map(|own| {
            let bound = |_| "at its bound".to_owned();
            let none = if self.verdict.believed { "not determined" } else { "none to believe" };
            let unknown = || own.bound.map_or_else(|| none.to_owned(), bound);
            let error = own.error.map_or_else(unknown, |error| format!("{error:.1e}"));
            vec![own.name.clone(), own.printed.clone(), error]
        });
        let columns = self.found.curves.iter().map(|own| {
            let (samples, rms) = (own.times.len().to_string(), format!("{:.3e}", own.rms));
            vec![own.data.clone(), own.column.clone(), samples, rms]
        });
        [
            (vec!["θ", "value", "standard error"], estimates.collect()),
            (vec!["data", "column", "samples", "rms"], columns.collect()),
        ]
    }

    /// The correlations of up to so many numbers, as a table with a head; none of one number alone.
    pub(super) fn of_correlations(&self) -> Option<(Vec<&str>, Vec<Vec<String>>)> {
        const SHOWN: usize = 12;
        let names = self.found.estimates.iter().map(|own| &*own.name);
        let entry = |entry: &Option<f64>| entry.map_or("–".to_owned(), |entry| format!("{entry:+.3}"));
        let row = |(name, row): (&str, &Vec<_>)| {
            std::iter::once(name.to_owned()).chain(row.iter().map(entry)).collect()
        };
        let rows = names.clone().zip(&self.correlations).map(row).collect();
        let head = std::iter::once("correlation").chain(names).collect();
        (2..=SHOWN).contains(&self.correlations.len()).then_some((head, rows))
    }

    /// σ or χ² with its relatives.
    fn of_quality(&self) -> String {
        let Quality { chi_square, degrees, sigma, probability, aic, bic, .. } = self.found.quality;
        let mut parts = Vec::new();
        if self.asked.columns.iter().any(|column| column.contains('=')) {
            let reduced = sigma * sigma;
            let beside =
                probability.map_or_else(String::new, |part| format!(", probability of more {part:.2}"));
            parts.push(format!("χ²/ν = {chi_square:.4}/{degrees} = {reduced:.3}{beside}"));
        } else {
            parts.push(format!("σ = {sigma:.4e} by {degrees} degrees of freedom"));
        }
        parts.extend(aic.zip(bic).map(|(aic, bic)| format!("AIC {aic:.2}, BIC {bic:.2}")));
        parts.extend(self.asked.loss.as_ref().map(|loss| format!("loss {loss}")));
        parts.push(format!("condition {:.1e}", self.found.condition));
        parts.join("; ")
    }

    /// The other minimum, if it is the one of the first guess.
    pub(super) fn lower(&self) -> Option<String> {
        let other = self.found.other.as_ref().filter(|other| other.of_guess)?;
        Some(format!(
            "the sum has several minima: the first guess leads to {}, and a second start to this lower one; look at both, and begin nearer",
            place(other)
        ))
    }

    /// The remarks on the fit.
    pub(super) fn remarks(&self) -> Vec<String> {
        let Self { found, method, step, samples, .. } = self;
        let Fitted { iterations, between, .. } = found;
        let mut all = vec![self.of_quality()];
        for direction in &found.undetermined {
            let members = direction.iter().map(|(name, change)| format!("{name} {change:+.3}"));
            all.push(format!(
                "the data do not determine a common change of {}, in relative units: hold one of them fast",
                members.collect::<Vec<_>>().join(", ")
            ));
        }
        for (a, b, correlation) in found.correlated() {
            all.push(format!("{a} and {b} have the correlation {correlation:+.3}"));
        }
        if *between > 0 {
            all.push(format!(
                "{between} of {samples} samples lie between two steps, where a cubic joins the states: half the step divides its \
                 error by 16, and a step that divides the times of the samples removes it"
            ));
        }
        let higher = found.other.as_ref().filter(|other| !other.of_guess);
        all.extend(higher.map(|other| format!("a second start ends in a higher minimum, {}", place(other))));
        let end = match found.status {
            Status::Converged => "",
            Status::Still => ", and no step lowers the sum of squares further",
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

/// χ² and the first numbers of a minimum.
fn place(minimum: &Minimum) -> String {
    const SHOWN: usize = 4;
    let numbers = minimum.values.iter().take(SHOWN).map(|(name, value)| format!("{name} = {value:.4}"));
    format!("χ² = {:.4e} at {}", minimum.chi_square, numbers.collect::<Vec<_>>().join(", "))
}
