//! The unknowns of a fit or of a control in a file, from which the same command goes on.

use std::path::{Path, PathBuf};

use least_action_pages::files::{read_text, replace};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;

/// The file, and the command line that it belongs to.
pub(crate) struct Checkpoint<T> {
    file: Option<PathBuf>,
    of: Value,
    unknowns: Option<T>,
}

#[derive(Serialize, Deserialize)]
struct Saved<T> {
    of: Value,
    unknowns: T,
}

impl<T: Serialize + DeserializeOwned> Checkpoint<T> {
    /// Reads the file, if there is one; `of` is an object of all that the unknowns depend on.
    pub(crate) fn open(file: Option<&Path>, of: Value) -> Result<Self, Error> {
        let mut checkpoint = Self { file: file.map(Path::to_owned), of, unknowns: None };
        if let Some(file) = file.filter(|file| file.exists()) {
            let saved: Saved<T> =
                serde_json::from_str(&read_text(file)?).map_err(|error| Error::malformed(file, error))?;
            let Value::Object(of) = &checkpoint.of else { return Ok(checkpoint) };
            if let Some((name, _)) = of.iter().find(|(name, value)| saved.of.get(name) != Some(value)) {
                let reason =
                    format!("it belongs to another `{name}`: repeat that command, or name another file");
                return Err(Error::NotGoneOn { path: file.to_owned(), reason });
            }
            checkpoint.unknowns = Some(saved.unknowns);
        }
        Ok(checkpoint)
    }

    /// The unknowns of the file.
    pub(crate) fn unknowns(&mut self) -> Option<T> {
        self.unknowns.take()
    }

    /// Replaces the file as a whole.
    pub(crate) fn save(&self, unknowns: T) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        let saved = Saved { of: self.of.clone(), unknowns };
        let text =
            serde_json::to_string(&saved).map_err(|error| Error::unwritable(file.display(), &error))?;
        Ok(replace("--checkpoint", file, &format!("{text}\n"))?)
    }
}
