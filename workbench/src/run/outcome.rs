//! The outcome of a run.

use std::io::{self, Write};
use std::ops::Range;
use std::time::Duration;

use least_action::advanced::method::StepLengths;
use least_action::drive::Verdict;
use least_action::error::StepError;
use least_action::method::Evaluations;
use least_action::system::Layout;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::moments::Told;
use crate::observe::Kept;
use crate::print::Text;
use crate::radial::Radial;

/// The output of a run at its end.
#[derive(Debug, Serialize)]
pub(super) struct Outcome<'r> {
    pub(super) model: &'r str,
    pub(super) parameters: Map<String, Value>,
    pub(super) method: &'r str,
    /// In words, for people: options of a run are no result.
    #[serde(skip)]
    pub(super) thermostat: Option<String>,
    pub(super) step: f64,
    pub(super) t: f64,
    pub(super) q: &'r [f64],
    pub(super) v: &'r [f64],
    pub(super) energy: f64,
    pub(super) steps: u64,
    #[serde(flatten)]
    pub(super) times: Times,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) multipliers: Option<&'r [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) multiplier_names: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) constraint_residual: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nonholonomic_residual: Option<f64>,
    /// The values of the quantities that `--observe` names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) observed: Vec<Kept>,
    /// The events and impacts of the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<Told>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) radial_distribution: Vec<Radial>,
    pub(super) evaluations: Evaluations,
    /// The faces of the grid crossed, where the method has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) crossings: Option<u64>,
    /// The times between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) step_lengths: Option<Lengths>,
    pub(super) verdict: Judgement,
    /// The reason for which the run ended early; the state is the last good one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
}

/// Wall-clock times of a run.
#[derive(Debug, Serialize)]
pub(super) struct Times {
    /// Of the steps alone.
    seconds: f64,
    /// Before the first step: parameters, binding, symbolic factorizations, the first forces.
    setup_seconds: f64,
    /// Of measuring and writing the records.
    recording_seconds: f64,
}

impl Times {
    /// From the seconds of the loop, records included.
    pub(super) fn of(seconds: f64, times: [Duration; 2]) -> Self {
        let [setup_seconds, recording_seconds] = times.map(|time| time.as_secs_f64());
        Self { seconds: seconds - recording_seconds, setup_seconds, recording_seconds }
    }
}

/// The judgement of the run on itself.
#[derive(Debug, Serialize)]
pub(super) struct Judgement {
    /// True if the result can be believed.
    believed: bool,
    #[serde(flatten)]
    verdict: Verdict,
    /// The reason not to believe it, with a remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) doubt: Option<String>,
}

impl Judgement {
    /// A run that has blown up cannot be believed, whatever was measured before.
    pub(super) fn of(verdict: Verdict, failure: Option<&StepError>) -> Self {
        let blown_up = failure
            .filter(|failure| matches!(failure, StepError::BlownUp { .. } | StepError::EnergyAtStart { .. }));
        let doubt = blown_up.map(StepError::to_string).or_else(|| verdict.doubt());
        Self { believed: doubt.is_none(), verdict, doubt }
    }

    /// The doubt, unless the failure of the run states it, as of a run that has blown up.
    pub(super) fn beside(&self, failure: Option<&Error>) -> Option<String> {
        let told = failure.map(ToString::to_string);
        self.doubt.clone().filter(|doubt| told.as_ref() != Some(doubt))
    }
}

/// The times between the crossings of a run.
#[derive(Debug, Serialize)]
pub(super) struct Lengths {
    mean: f64,
    shortest: f64,
    longest: f64,
    histogram: Vec<Bin>,
}

/// How many times between crossings lay in [`lower`, `upper`).
#[derive(Debug, Serialize)]
struct Bin {
    lower: f64,
    upper: f64,
    count: u64,
}

impl Lengths {
    /// Nothing where there were no crossings.
    pub(super) fn of(lengths: &StepLengths) -> Option<Self> {
        let bin = |(bin, count): (Range<f64>, u64)| Bin { lower: bin.start, upper: bin.end, count };
        (lengths.count() > 0).then(|| Self {
            mean: lengths.mean(),
            shortest: lengths.shortest(),
            longest: lengths.longest(),
            histogram: lengths.histogram().map(bin).collect(),
        })
    }
}

/// The degrees of freedom that the table for people shows at most.
const SHOWN: usize = 24;

impl Outcome<'_> {
    pub(super) fn text(
        &self,
        layout: &Layout,
        (change, initial_energy): (&str, f64),
        out: &mut Text<'_>,
    ) -> io::Result<()> {
        let Times { seconds, setup_seconds, recording_seconds } = self.times;
        let mut rows = vec![
            vec!["model".to_owned(), self.model.to_owned()],
            vec!["method".to_owned(), self.method.to_owned()],
        ];
        rows.extend(self.thermostat.iter().map(|words| vec!["thermostat".to_owned(), words.clone()]));
        rows.extend([
            vec!["t".to_owned(), format!("{:?}", self.t)],
            vec!["steps".to_owned(), self.steps.to_string()],
            vec![
                "time of the steps".to_owned(),
                format!(
                    "{}, {} each; {} to set up, {} to record",
                    duration(seconds),
                    duration(seconds / self.steps.max(1) as f64),
                    duration(setup_seconds),
                    duration(recording_seconds)
                ),
            ],
            vec!["energy".to_owned(), format!("{:?}", self.energy)],
            vec![change.to_owned(), format!("{:.3e}", self.energy - initial_energy)],
        ]);
        let residuals =
            [("constraint", self.constraint_residual), ("nonholonomic", self.nonholonomic_residual)];
        for (name, residual) in residuals {
            rows.extend(residual.map(|residual| vec![format!("{name} residual"), format!("{residual:.3e}")]));
        }
        for kept in &self.observed {
            let value = format!("{:?}, changed by at most {:.3e}", kept.last, kept.largest_change);
            rows.push(vec![kept.name.clone(), value]);
        }
        for Told { name, count, first, last } in &self.events {
            rows.push(vec![name.clone(), format!("{count}, from t = {first:?} to t = {last:?}")]);
        }
        rows.extend(self.radial_distribution.iter().map(|radial| radial.words().to_vec()));
        let counts = self.evaluations;
        let evaluations = [
            ("gradients", counts.gradients),
            ("Hessians", counts.hessians),
            ("third derivatives", counts.thirds),
            ("constraints", counts.constraints),
            ("factorizations", counts.factorizations),
            ("iterations", counts.iterations),
            ("values", counts.values),
            ("crossings", self.crossings.unwrap_or(0)),
        ];
        for (name, count) in evaluations.into_iter().filter(|(_, count)| *count > 0) {
            rows.push(vec![name.to_owned(), count.to_string()]);
        }
        if let Some(Lengths { mean, shortest, longest, .. }) = &self.step_lengths {
            let value = format!("{mean:.3e}, from {shortest:.3e} to {longest:.3e}");
            rows.push(vec!["time between crossings".to_owned(), value]);
        }
        out.table(&rows)?;
        writeln!(out)?;
        out.state(layout, &self.q[..self.q.len().min(SHOWN)], self.v)?;
        if self.q.len() > SHOWN {
            writeln!(out, "… and {} more: --out FILE or --format json gives all", self.q.len() - SHOWN)?;
        }
        Ok(())
    }
}

/// A time with the unit in which it is easily read.
fn duration(seconds: f64) -> String {
    let units = [(1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1.0, 1e3, "ms")];
    let found = units.into_iter().find(|(limit, ..)| seconds < *limit);
    let (factor, unit) = found.map_or((1.0, "s"), |(_, factor, unit)| (factor, unit));
    format!("{:.3} {unit}", seconds * factor)
}
