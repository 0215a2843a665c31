//! The unknowns of a fit in a file, from which the same command goes on.

use std::path::PathBuf;

use least_action_optimization::fit::Phase;
use least_action_pages::files::{read_text, replace};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arguments::{AskedFit, Run};
use crate::error::Error;

/// The file, and the fit that it is of.
pub(super) struct Checkpoint {
    file: Option<PathBuf>,
    of: Value,
    unknowns: Option<(Vec<f64>, Phase)>,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    fit: Value,
    phase: Phase,
    x: Vec<f64>,
}

impl Checkpoint {
    /// Reads the file, if there is one.
    pub(super) fn open(asked: &AskedFit, arguments: &Run) -> Result<Self, Error> {
        let AskedFit { model, data, columns, free, bounds, segments, start, .. } = asked;
        let Run { method, with, step, .. } = arguments;
        let of = serde_json::json!({
            "model": model.name, "set": model.set, "params": model.params, "data": data, "columns": columns, "free": free,
            "bounds": bounds, "segments": segments, "start": start, "method": method, "with": with, "step": step,
        });
        let mut checkpoint = Self { file: asked.checkpoint.clone(), of, unknowns: None };
        if let Some(file) = checkpoint.file.as_deref().filter(|file| file.exists()) {
            let saved: Saved =
                serde_json::from_str(&read_text(file)?).map_err(|error| Error::malformed(file, error))?;
            let Value::Object(of) = &checkpoint.of else { return Ok(checkpoint) };
            if let Some((name, _)) = of.iter().find(|(name, value)| saved.fit.get(name) != Some(value)) {
                let reason = format!(
                    "it is of a fit with another `{name}`: repeat that command, or name another file"
                );
                return Err(Error::NotGoneOn { path: file.to_owned(), reason });
            }
            checkpoint.unknowns = Some((saved.x, saved.phase));
        }
        Ok(checkpoint)
    }

    /// The unknowns of the file.
    pub(super) fn unknowns(&mut self) -> Option<(Vec<f64>, Phase)> {
        self.unknowns.take()
    }

    /// Replaces the file as a whole.
    pub(super) fn save(&self, x: &[f64], phase: Phase) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        let saved = Saved { fit: self.of.clone(), phase, x: x.to_vec() };
        let text =
            serde_json::to_string(&saved).map_err(|error| Error::unwritable(file.display(), &error))?;
        Ok(replace("--checkpoint", file, &format!("{text}\n"))?)
    }
}
