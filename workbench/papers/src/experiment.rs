//! The results of an experiment of a paper, as plain data.

use least_action_pages::Error as PageError;
use least_action_pages::plot::{Axis, Panel, panels};

/// One experiment: a table of errors at some times or of other numbers, claims, and a picture.
#[derive(Default)]
pub(super) struct Experiment {
    /// The section of the paper, the system and the parameters.
    pub(super) heading: String,
    /// The meaning of the columns, where there are rows.
    pub(super) columns: Option<Columns>,
    /// The errors, or the other numbers.
    pub(super) rows: Vec<Row>,
    /// The statements of the paper, each with the finding.
    pub(super) claims: Vec<Claim>,
    /// The picture as SVG; empty if the numbers suffice.
    pub(super) picture: String,
    /// The page of a motion of the system, if it moves.
    pub(super) motion: Option<String>,
}

/// Curves of a picture, with their names.
pub(super) type Curves = Vec<(String, Vec<(f64, f64)>)>;

/// A picture of one panel.
pub(super) fn picture(
    title: &str,
    heading: &str,
    [along, axis]: [Axis; 2],
    curves: Curves,
) -> Result<String, PageError> {
    panels(title, &[Panel::of(heading, along, axis, curves)])
}

/// The points of a curve in logarithms, without failed or exact ones.
pub(super) fn logarithms(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let positive = points.into_iter().filter(|(_, error)| *error > 0.0);
    positive.map(|(x, error)| (x.log10(), error.log10())).collect()
}

/// The columns of a table.
pub(super) struct Columns {
    /// The quantity that the numbers measure.
    pub(super) measure: &'static str,
    /// The name of each column.
    pub(super) names: Vec<String>,
}

impl Columns {
    pub(super) fn of<N: Into<String>>(measure: &'static str, names: impl IntoIterator<Item = N>) -> Self {
        Self { measure, names: names.into_iter().map(Into::into).collect() }
    }

    /// Errors at some times.
    pub(super) fn errors_at(times: &[f64]) -> Self {
        Self::of("max |q − q̂|", times.iter().map(|t| format!("t = {t}")))
    }
}

/// The error of one method at all times, or one row of other numbers.
pub(super) struct Row {
    /// The name of the quantity, and of the quantity for comparison.
    pub(super) name: &'static str,
    /// Computed now; NaN once the method has failed.
    pub(super) values: Vec<f64>,
    /// Computed by an independent implementation, to the known digits; NaN where the method fails.
    pub(super) known: Vec<Known>,
}

/// A known number, and its relative accuracy.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) value: f64,
    pub(super) within: f64,
}

/// A statement of the paper.
pub(super) struct Claim {
    pub(super) statement: &'static str,
    pub(super) found: String,
    pub(super) verdict: Verdict,
}

/// The verdict on a row or on a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Reproduced,
    NotReproduced,
    /// The statement is wrong, and the finding says why.
    Refuted,
}

impl Verdict {
    pub(super) fn of(holds: bool) -> Self {
        if holds { Self::Reproduced } else { Self::NotReproduced }
    }

    /// The verdict on a statement that should be shown wrong.
    pub(super) fn refuted(holds: bool) -> Self {
        if holds { Self::Refuted } else { Self::NotReproduced }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::Refuted => "refuted",
        }
    }
}

impl Row {
    /// Numbers of which none is known.
    pub(super) fn of(name: &'static str, values: Vec<f64>) -> Self {
        Self { name, values, known: Vec::new() }
    }

    /// The same beside known numbers of one accuracy.
    pub(super) fn knowing<const N: usize>(self, known: [f64; N], within: f64) -> Self {
        Self { known: known.map(|value| Known { value, within }).to_vec(), ..self }
    }

    /// The digits behind the point that its known numbers hold, between two and five.
    pub(super) fn digits(&self) -> usize {
        let within = self.known.iter().map(|known| known.within).fold(1.0, f64::min);
        (within.log10().abs().ceil() as usize).clamp(2, 5)
    }

    /// The verdict: reproduced if every value equals the known one, to its accuracy.
    pub(super) fn verdict(&self) -> Verdict {
        let agrees = |(value, known): (&f64, &Known)| {
            if known.value.is_nan() {
                // A method that breaks down may leave numbers behind, none of them small.
                value.is_nan() || *value > 0.1
            } else {
                (value - known.value).abs() <= known.within * known.value.abs()
            }
        };
        Verdict::of(self.values.len() == self.known.len() && self.values.iter().zip(&self.known).all(agrees))
    }
}

/// A number of a table with so many digits behind the first, as a plain decimal between 10⁻³ and 10⁴;
/// a dash for NaN.
pub(super) fn number(value: f64, digits: usize) -> String {
    if value.is_nan() {
        "–".to_owned()
    } else if (1e-3..1e4).contains(&value.abs()) {
        let digits = (digits as f64 - value.abs().log10().floor()).max(0.0) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.digits$e}")
    }
}
