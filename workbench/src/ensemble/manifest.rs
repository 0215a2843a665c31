//! The sources of a dataset, and the difference between two datasets.

use std::path::PathBuf;

use least_action::drive::SystemIdentity;
use least_action::system::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::inputs::Input;
use super::plan::Plan;
use crate::columnar::table::Columns;
use crate::error::{Error, Result};
use crate::places;

/// The sources of a dataset.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The program and its version: another one may round differently.
    pub(super) program: String,
    pub(super) plan: Plan,
    /// The system of the first member that can be bound: its declaration, its numbers, its motion.
    pub(super) system: SystemIdentity,
    /// The files that parameters are read from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) inputs: Vec<Input>,
    /// A checksum of the table of members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) table_checksum: Option<String>,
    /// The state that all members start from, where the plan names a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) start: Option<State>,
    pub(super) members: u64,
    pub(super) members_per_part: u64,
    /// So many parts are gathered in a file.
    pub(super) parts_per_file: u64,
    pub(super) parts: u64,
    pub(super) columns: Columns,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) path_columns: Columns,
}

impl Manifest {
    /// The plan and the files of its parameters, with contents in place of the names of files.
    fn plan_without_names(&self) -> Result<[Value; 2], serde_json::Error> {
        let (mut plan, mut inputs) = (serde_json::to_value(&self.plan)?, self.inputs.clone());
        for input in &mut inputs {
            places::replace(&mut plan, &input.name.to_string_lossy(), &input.checksum);
            (input.name, input.file) = (PathBuf::new(), PathBuf::new());
        }
        for file in [&["start"][..], &["table", "file"]] {
            let found = file.iter().try_fold(&mut plan, |value, key| value.get_mut(key));
            found.map(Value::take);
        }
        Ok([plan, serde_json::to_value(inputs)?])
    }

    /// As JSON, with contents in place of the names of files, and without numbers whose last digits may
    /// differ on another processor.
    pub(super) fn without_names(&self) -> Result<String> {
        let told = |error| Error::unwritable("the manifest", &error);
        let mut manifest = serde_json::to_value(self).map_err(told)?;
        let [plan, inputs] = self.plan_without_names().map_err(told)?;
        (manifest["plan"], manifest["inputs"]) = (plan, inputs);
        manifest["system"] = serde_json::to_value(self.system.without_motion()).map_err(told)?;
        Ok(manifest.to_string())
    }

    /// The part in which another dataset differs.
    pub(super) fn difference(&self, other: &Self) -> Result<Option<String>> {
        let of_system = || {
            let part = self.system.difference(&other.system)?;
            Some(format!("`{}`: they differ in {part}", self.plan.model))
        };
        if self.without_names()? == other.without_names()? {
            return Ok(of_system());
        }
        let has_changed = |input: &&Input| {
            let mut same = other.inputs.iter().filter(|other| other.setting == input.setting).peekable();
            same.peek().is_some() && !same.any(|other| other.checksum == input.checksum)
        };
        if let Some(Input { setting, name, .. }) = self.inputs.iter().find(has_changed) {
            return Ok(Some(format!("content of {}, the file of `{setting}`", name.display())));
        }
        // In their order, which numbers the members.
        let plan = |manifest: &Self| manifest.plan_without_names().map(|[plan, _]| plan.to_string()).ok();
        let differences = [
            ("plan", plan(self) != plan(other) || self.members != other.members),
            ("table of members", self.table_checksum != other.table_checksum),
            ("start", self.start != other.start),
            ("version of this program", self.program != other.program),
            ("size of its files", self.members_per_part != other.members_per_part),
            ("set of columns", self.columns != other.columns || self.path_columns != other.path_columns),
        ];
        let found = differences.into_iter().find(|(_, differs)| *differs).map(|(part, _)| part.to_owned());
        Ok(found.or_else(of_system).or_else(|| Some("set of files".to_owned())))
    }
}
