//! The files that the members of a plan are read from.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::members::Members;
use super::plan::Plan;
use crate::error::Result;
use crate::identity::written;
use crate::places;
use crate::registry::Registry;

/// A file that a parameter is read from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Input {
    /// The setting, such as `set.torque`.
    pub(super) setting: String,
    /// Its name in the plan, and as it is from the folder of the dataset.
    pub(super) name: PathBuf,
    pub(super) file: PathBuf,
    pub(super) checksum: String,
}

/// The files of a plan: files of all members, and files of each value that some members have.
///
/// # Errors
/// There is no such model.
pub(super) fn of(registry: &Registry, plan: &Plan, members: &Members, folder: &Path) -> Result<Vec<Input>> {
    let set: Vec<(String, Value)> =
        plan.set.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut inputs: Vec<Input> = Vec::new();
    let mut read = |parameters: &[(String, Value)]| {
        // Binding tells a refusal, or the row of its member.
        for (parameter, input) in registry.inputs(&plan.model, parameters) {
            let input = Input {
                setting: if parameter.is_empty() { "set".to_owned() } else { format!("set.{parameter}") },
                file: places::seen_from(folder, &input.path),
                name: input.path,
                checksum: written(input.checksum),
            };
            if !inputs.contains(&input) {
                inputs.push(input);
            }
        }
    };
    registry.parameters(&plan.model)?;
    read(&set);
    for (name, value) in members.texts() {
        let own = (name.to_owned(), value.clone());
        read(&set.iter().cloned().chain([own]).collect::<Vec<_>>());
    }
    Ok(inputs)
}
