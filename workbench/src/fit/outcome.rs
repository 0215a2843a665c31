//! The result of a fit, in words and in JSON.

use std::io::{self, Write};

use least_action_optimization::fit::{Curve, Estimate, Fitted, Minimum, Quality};
use least_action_optimization::least_squares::Status;
use serde::Serialize;

use crate::arguments::AskedFit;
use crate::print::Text;

/// A number of the fit.
#[derive(Debug, Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    own: &'a Estimate,
    /// With the digits that its error leaves.
    printed: String,
}

/// A column of the data.
#[derive(Debug, Serialize)]
struct Column<'a> {
    data: &'a str,
    column: &'a str,
    samples: usize,
    rms: f64,
    /// σ of a sample, given or estimated.
    sigma: f64,
    times: &'a [f64],
    values: &'a [f64],
    motion: &'a [f64],
    /// (motion − value)/σ.
    residuals: Vec<f64>,
    /// The motion at times that lie close to each other.
    curve: Smooth<'a>,
}

#[derive(Debug, Serialize)]
struct Smooth<'a> {
    times: &'a [f64],
    motion: &'a [f64],
}

impl<'a> Column<'a> {
    fn of(curve: &'a Curve) -> Self {
        let [times, motion] = &curve.smooth;
        Self {
            data: &curve.data,
            column: &curve.column,
            samples: curve.samples.len(),
            rms: curve.rms(),
            sigma: curve.sigma,
            times: &curve.times,
            values: &curve.samples,
            motion: &curve.motion,
            residuals: curve.misses().map(|miss| miss / curve.sigma).collect(),
            curve: Smooth { times, motion },
        }
    }
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
    status: Status,
    estimates: Vec<Row<'a>>,
    #[serde(flatten)]
    quality: Quality,
    condition: f64,
    covariance: &'a [Vec<Option<f64>>],
    correlations: Vec<Vec<Option<f64>>>,
    undetermined: &'a [Vec<(String, f64)>],
    columns: Vec<Column<'a>>,
    /// The number of all samples, and of the ones between two steps.
    samples: usize,
    between: usize,
    /// The parameters that the model's own start follows.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    follows: &'a [String],
    /// A minimum above this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<&'a Minimum>,
    pub(super) verdict: Judgement,
    #[serde(skip)]
    correlated: Vec<(&'a str, &'a str, f64)>,
    #[serde(skip)]
    asked: &'a AskedFit,
}

impl<'a> Outcome<'a> {
    pub(super) fn new(
        asked: &'a AskedFit,
        (model, method, step): (&'a str, &'static str, f64),
        found: &'a Fitted,
    ) -> Self {
        let printed = |own: &Estimate| {
            own.error.map_or_else(|| own.value.to_string(), |error| concise(own.value, error))
        };
        let limit = "the largest number of iterations is reached, and the sum of squares still falls: --iterations allows more";
        let is_cut = found.status == Status::Limit;
        let doubt = found.doubt.clone().or_else(|| is_cut.then(|| limit.to_owned()));
        Self {
            model,
            method,
            step,
            iterations: found.iterations,
            status: found.status,
            estimates: found.estimates.iter().map(|own| Row { own, printed: printed(own) }).collect(),
            quality: found.quality,
            condition: found.condition,
            covariance: &found.covariance,
            correlations: found.correlations(),
            undetermined: &found.undetermined,
            columns: found.curves.iter().map(Column::of).collect(),
            samples: found.curves.iter().map(|curve| curve.samples.len()).sum(),
            between: found.between,
            follows: &found.follows,
            other: found.other.as_ref(),
            verdict: Judgement { believed: doubt.is_none(), growth: found.growth, doubt },
            correlated: found.correlated(),
            asked,
        }
    }

    /// The numbers with their errors, and the columns, as tables with heads.
    pub(super) fn tables(&self) -> [(Vec<&'static str>, Vec<Vec<String>>); 2] {
        let estimates = self.estimates.iter().map(|Row { own, printed }| {
            let bound = |_| "at its bound".to_owned();
            let none = if self.verdict.believed { "not determined" } else { "none to believe" };
            let unknown = || own.bound.map_or_else(|| none.to_owned(), bound);
            let error = own.error.map_or_else(unknown, |error| format!("{error:.1e}"));
            vec![own.name.clone(), printed.clone(), error]
        });
        let columns = self.columns.iter().map(|own| {
            vec![
                own.data.to_owned(),
                own.column.to_owned(),
                own.samples.to_string(),
                format!("{:.3e}", own.rms),
            ]
        });
        [
            (vec!["θ", "value", "standard error"], estimates.collect()),
            (vec!["data", "column", "samples", "rms"], columns.collect()),
        ]
    }

    /// The correlations of up to so many numbers, as a table with a head; none of one number alone.
    pub(super) fn of_correlations(&self) -> Option<(Vec<&str>, Vec<Vec<String>>)> {
        const SHOWN: usize = 12;
        let names = self.estimates.iter().map(|row| &*row.own.name);
        let entry =
            |entry: &Option<f64>| entry.map_or_else(|| "–".to_owned(), |entry| format!("{entry:+.3}"));
        let row = |(name, row): (&str, &Vec<_>)| {
            std::iter::once(name.to_owned()).chain(row.iter().map(entry)).collect()
        };
        let rows = names.clone().zip(&self.correlations).map(row).collect();
        (2..=SHOWN)
            .contains(&self.estimates.len())
            .then(|| (std::iter::once("correlation").chain(names).collect(), rows))
    }

    /// σ or χ² with its relatives.
    fn of_quality(&self) -> String {
        let Quality { chi_square, degrees, sigma, probability, aic, bic, .. } = self.quality;
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
        parts.push(format!("condition {:.1e}", self.condition));
        parts.join("; ")
    }

    /// The other minimum, if it is the one of the first guess.
    pub(super) fn lower(&self) -> Option<String> {
        let other = self.other.filter(|other| other.of_guess)?;
        Some(format!(
            "the sum has several minima: the first guess leads to {}, and a second start to this lower one; look at both, and begin nearer",
            place(other)
        ))
    }

    /// The remarks on the fit.
    pub(super) fn remarks(&self) -> Vec<String> {
        let Self { iterations, method, step, samples, between, .. } = self;
        let mut all = vec![self.of_quality()];
        for direction in self.undetermined {
            let members: Vec<String> =
                direction.iter().map(|(name, change)| format!("{name} {change:+.3}")).collect();
            all.push(format!(
                "the data do not determine a common change of {}, in relative units: hold one of them fast",
                members.join(", ")
            ));
        }
        for (a, b, correlation) in &self.correlated {
            all.push(format!("{a} and {b} have the correlation {correlation:+.3}"));
        }
        if *between > 0 {
            all.push(format!(
                "{between} of {samples} samples lie between two steps, where a cubic joins the states: half the step divides its \
                 error by 16, and a step that divides the times of the samples removes it"
            ));
        }
        let higher = self.other.filter(|other| !other.of_guess);
        all.extend(higher.map(|other| format!("a second start ends in a higher minimum, {}", place(other))));
        let end = match self.status {
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

/// A value with two digits of its error, in units of the last digit: 12.345(67), 12.3(1.2), 1.23(12)e5.
fn concise(value: f64, error: f64) -> String {
    let exponent = |number: f64, digits: usize| -> i32 {
        let text = format!("{number:.digits$e}");
        text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or_default()
    };
    if !(value.is_finite() && error.is_finite() && error > 0.0) {
        return value.to_string();
    }
    // The place of the last digit, and the power of ten that stands behind.
    let last = exponent(error, 1) - 1;
    let size = exponent(value, 1).max(last + 1);
    let power = if last > 0 || size < -4 { size } else { 0 };
    let unit = 10.0_f64.powi(power);
    let (places, beside) = ((power - last).unsigned_abs() as usize, error / unit);
    let error = if beside < 1.0 {
        format!("{:.0}", beside * 10.0_f64.powi(power - last))
    } else {
        format!("{beside:.places$}")
    };
    let behind = if power == 0 { String::new() } else { format!("e{power}") };
    let value = format!("{:.places$}", value / unit);
    let is_zero = value.bytes().all(|byte| b"-0.".contains(&byte));
    format!("{}({error}){behind}", if is_zero { value.trim_start_matches('-') } else { &value })
}
