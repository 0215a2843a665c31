//! Parameters of the model, from files and from the command line.

use least_action::drive::gradient::Starting;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::arguments::ModelChoice;
use crate::error::{Error, Result};
use crate::json;
use crate::memory;
use crate::registry::{Instance, Registry};
use crate::settings::{assignment, file};

/// The items of an array that are shown, and the characters of a value.
const ITEMS: usize = 8;
const CHARACTERS: usize = 120;

/// Parameters in words; long tables by their first items.
pub(crate) fn shown(parameters: &Map<String, Value>) -> Vec<[String; 2]> {
    let shown = |value: &Value| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Array(items) if items.len() > ITEMS => {
                let first: Vec<String> = items.iter().take(3).map(Value::to_string).collect();
                format!("{}, … ({} items)", first.join(", "), items.len())
            }
            value => value.to_string(),
        };
        if text.chars().count() > CHARACTERS {
            format!("{}…", text.chars().take(CHARACTERS).collect::<String>())
        } else {
            text
        }
    };
    parameters.iter().map(|(name, value)| [name.clone(), shown(value)]).collect()
}

/// Binds the chosen model: its defaults, then the file, then each `--set` in order.
pub(crate) fn bind(registry: &Registry, choice: &ModelChoice) -> Result<Instance> {
    bind_with(registry, choice, &[])
}

/// As [`bind`], with settings before the chosen ones.
pub(crate) fn bind_with(
    registry: &Registry,
    choice: &ModelChoice,
    settings: &[(String, Value)],
) -> Result<Instance> {
    registry.instance(&choice.name, &overrides(choice, settings)?, available(choice))
}

/// As [`bind`], with other values of the sensitive parameters.
pub(crate) fn varied(registry: &Registry, choice: &ModelChoice, sensitive: &[f64]) -> Result<Instance> {
    registry.varied(&choice.name, &overrides(choice, &[])?, Some(sensitive), available(choice))
}

/// The start that the chosen model has for any values of the sensitive parameters.
pub(crate) fn starting(registry: &Registry, choice: &ModelChoice) -> Result<Starting<'static, Error>> {
    registry.starting(&choice.name, &overrides(choice, &[])?)
}

fn overrides(choice: &ModelChoice, settings: &[(String, Value)]) -> Result<Vec<(String, Value)>> {
    let mut overrides = settings.to_vec();
    overrides.extend(file(choice.params.as_deref())?.model);
    overrides.extend(assigned(choice)?);
    Ok(overrides)
}

/// The memory that a command may take.
pub(crate) fn available(choice: &ModelChoice) -> u64 {
    choice.memory.unwrap_or_else(memory::available)
}

/// The parameters that the command line sets.
pub(crate) fn assigned(choice: &ModelChoice) -> Result<Vec<(String, Value)>> {
    let assigned = choice.set.iter().map(|text| {
        let (name, value) = assignment("--set", text)?;
        // A text that is no JSON is a plain word, for parameters that are one of several words.
        let value = match json::value(value) {
            Ok(value) => value,
            Err(error) if serde_json::from_str::<IgnoredAny>(value).is_ok() => {
                return Err(Error::Mistake(format!("--set `{name}`: {error}")));
            }
            Err(_) => Value::String(value.to_owned()),
        };
        Ok((name.to_owned(), value))
    });
    assigned.collect()
}
