//! The plan of an ensemble, a TOML or JSON file: the common part of all members, and their differences.

use std::path::{Path, PathBuf};

use least_action_pages::files::read_text;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::json;
use crate::settings::is_toml;
use crate::words;

/// The common part of all members, and their differences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    pub(super) model: String,
    /// These three are chosen for the common part where they are not given; members may have their own
    /// steps and ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<f64>,
    /// Observables are measured at each such step, beside the first and the last.
    #[serde(default = "one")]
    pub(super) every: u64,
    /// The seed of all that is random.
    #[serde(default)]
    pub(super) seed: u64,
    #[serde(default)]
    pub(super) observe: Vec<String>,
    #[serde(default = "unit")]
    pub(super) boltzmann: f64,
    /// The state of all members, in place of the model's start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) start: Option<PathBuf>,
    /// True if starts are projected onto the constraints.
    #[serde(default)]
    pub(super) project: bool,
    /// True if every moment that is measured is kept.
    #[serde(default)]
    pub(super) path: bool,
    /// The members of a file of the dataset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) part: Option<u64>,
    /// Parameters of the model, and options of the method, that all members have.
    #[serde(default)]
    pub(super) set: Map<String, Value>,
    #[serde(default)]
    pub(super) with: Map<String, Value>,
    /// The four ways to make members, whose product is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) grid: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) list: Option<Vec<Map<String, Value>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) table: Option<TableFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) random: Option<Random>,
}

/// A table with a member in each row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableFile {
    pub(super) file: PathBuf,
    /// The column of each setting; a table without it names its columns by settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) columns: Option<Map<String, Value>>,
    /// The column with the names of members, which the dataset keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
}

/// Members that are drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Random {
    pub(super) count: u64,
    /// True if draws fill their space evenly, by a Sobol sequence, instead of being independent.
    #[serde(default)]
    pub(super) sobol: bool,
    #[serde(default)]
    pub(super) draw: Map<String, Value>,
}

fn one() -> u64 {
    1
}

fn unit() -> f64 {
    1.0
}

impl Plan {
    /// Reads a plan. Files that it names stand beside it unless their paths are absolute.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = read_text(path)?;
        let mut plan = Self::parse(path, &text)?;
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        for file in plan.start.iter_mut().chain(plan.table.as_mut().map(|table| &mut table.file)) {
            *file = folder.join(&*file);
        }
        plan.check(path)?;
        Ok(plan)
    }

    fn parse(path: &Path, text: &str) -> Result<Self> {
        if !is_toml(path) {
            return json::read(text)
                .map_err(|error| Error::malformed(path, words::of_file(&error.to_string())));
        }
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
            let line = before.matches('\n').count() + 1;
            let place = if before.is_empty() { String::new() } else { format!(" at line {line}") };
            Error::malformed(path, format!("{}{place}", words::of_file(error.message())))
        })
    }

    /// Refuses numbers that make no run.
    fn check(&self, path: &Path) -> Result {
        let refuse = |reason: String| Err(Error::malformed(path, reason));
        if let Some(step) = self.step.filter(|step| !(step.is_finite() && *step > 0.0)) {
            return refuse(format!("`step` is {step}: it must be positive and finite"));
        }
        if let Some(until) = self.until.filter(|until| !until.is_finite()) {
            return refuse(format!("`until` is {until}: it must be finite"));
        }
        if self.every == 0 {
            return refuse("`every` is 0: the number of steps between moments is at least 1".to_owned());
        }
        if self.part == Some(0) {
            return refuse("`part` is 0: a file of the dataset has at least one member".to_owned());
        }
        if self.observe.iter().any(|name| name.trim() == crate::radial::NAME) {
            return refuse(format!(
                "`{}` is no number: it belongs to a single run, `run --observe {0}`",
                crate::radial::NAME
            ));
        }
        Ok(())
    }
}
