//! Whom a recording shows: the model that it knows, or the one that is named.

use serde_json::{Map, Value};

use super::recording::{Known, Recording};
use crate::arguments::{ModelChoice, View};
use crate::error::{Error, Result};
use crate::parameters::bind_with;
use crate::places;
use crate::registry::{Instance, Registry};

/// The model of a recording, and its strange parts, in sentences.
pub(super) struct Found {
    pub(super) instance: Option<Instance>,
    pub(super) notes: Vec<String>,
}

/// The model that a page shows.
///
/// # Errors
/// Another one is named than that which ran, or one that there is not.
pub(super) fn find(registry: &Registry, view: &View, recording: &Recording) -> Result<Found> {
    let Some(known) = recording.known.as_ref() else {
        let doubt = || recording.doubt.iter().map(|doubt| format!("whose run it is, is not known: {doubt}"));
        let Some(model) = &view.model else {
            if view.chooses() {
                return Err(Error::mistake("parameters belong to a model: name it by --model"));
            }
            return Ok(Found { instance: None, notes: doubt().collect() });
        };
        let instance = Some(bind_with(registry, &view.choice(model), &[])?);
        return Ok(Found { instance, notes: doubt().collect() });
    };
    let choice = view.choice(&known.model);
    let refuse = |part: String| {
        let reason = format!("it knows its run: {part}; leave out the given model and parameters");
        Err(Error::malformed(&recording.path, reason))
    };
    if let Some(model) = view.model.as_ref().filter(|model| **model != known.model) {
        return refuse(format!("its model is `{}`, and not `{model}`", known.model));
    }
    let own = ModelChoice { set: Vec::new(), params: None, ..choice.clone() };
    let instance = match bind_with(registry, &own, &known.settings) {
        Ok(instance) => instance,
        Err(error) if view.chooses() => return Err(error),
        Err(error) => {
            let note = format!(
                "it is a run of `{}`, which cannot be shown here, but for the names of its coordinates: {error}",
                known.model
            );
            return Ok(Found { instance: None, notes: vec![note] });
        }
    };
    if view.chooses() {
        let given = bind_with(registry, &choice, &known.settings)?;
        if let Some(part) = other(&instance.system.parameters(), &given.system.parameters()) {
            return refuse(part);
        }
    }
    let notes = has_changed(known, &instance, recording).into_iter().collect();
    Ok(Found { instance: Some(instance), notes })
}

/// The first parameter that differs.
fn other(own: &Map<String, Value>, given: &Map<String, Value>) -> Option<String> {
    let mut differ = own.iter().filter(|(name, value)| given.get(*name) != Some(value));
    differ.next().map(|(name, value)| {
        let given = given.get(name).unwrap_or(&Value::Null);
        format!("its `{name}` is {value}, and not {given}")
    })
}

/// Says of a model that it is no more the one that ran.
fn has_changed(known: &Known, instance: &Instance, recording: &Recording) -> Option<String> {
    let run = known.run.as_ref()?;
    let part = run.difference_to(instance, places::folder(&recording.path))?;
    Some(format!(
        "`{}` is no more the one that ran: they differ in {part}; the connections of its points are today's",
        known.model
    ))
}
