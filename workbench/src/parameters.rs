//! Parameters of the model, from files and from the command line.

use std::path::Path;

use serde_json::{Map, Value};

use crate::arguments::ModelChoice;
use crate::error::{Error, Hint, Names};
use crate::files::read_text;
use crate::memory;
use crate::registry::{Instance, Registry};

/// The content of a parameter file.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) model: Vec<(String, Value)>,
    pub(crate) method: Vec<(String, Value)>,
}

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
pub(crate) fn bind(registry: &Registry, choice: &ModelChoice) -> Result<Instance, Error> {
    bind_with(registry, choice, &[])
}

/// As [`bind`], with settings before those of the choice.
pub(crate) fn bind_with(
    registry: &Registry,
    choice: &ModelChoice,
    settings: &[(String, Value)],
) -> Result<Instance, Error> {
    let mut overrides = settings.to_vec();
    overrides.extend(file(choice.params.as_deref())?.model);
    for text in &choice.set {
        let (name, value) = assignment("--set", text)?;
        // What is no JSON is a plain word, for parameters that are one of several words.
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        overrides.push((name.to_owned(), value));
    }
    registry.instance(&choice.name, &overrides, choice.memory.unwrap_or_else(memory::available))
}

/// Splits `name=value`.
pub(crate) fn assignment<'t>(flag: &'static str, text: &'t str) -> Result<(&'t str, &'t str), Error> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim(), value)),
        _ => Err(Error::NotAnAssignment { flag, text: text.to_owned() }),
    }
}

/// Reads a parameter file, where there is one.
pub(crate) fn file(path: Option<&Path>) -> Result<File, Error> {
    let Some(path) = path else { return Ok(File::default()) };
    let Value::Object(sections) = read(path)? else {
        return Err(Error::malformed(path, r#"expected {"model": {…}, "method": {…}}"#));
    };
    let mut file = File::default();
    for (section, content) in sections {
        let target = match section.as_str() {
            "model" => &mut file.model,
            "method" => &mut file.method,
            _ => {
                let Hint(near) = ["model", "method"].into_iter().collect::<Names>().near(&section);
                let hint = Hint(near);
                let reason = format!("unknown section `{section}`{hint}; there are: model, method");
                return Err(Error::malformed(path, reason));
            }
        };
        let Value::Object(content) = content else {
            return Err(Error::malformed(path, format!("`{section}` must hold name and value pairs")));
        };
        target.extend::<Map<String, Value>>(content);
    }
    Ok(file)
}

/// Reads a file ending in `.toml` as TOML, any other as JSON.
pub(crate) fn read(path: &Path) -> Result<Value, Error> {
    let text = read_text(path)?;
    if is_toml(path) {
        from_toml(path, &text)
    } else {
        serde_json::from_str(&text).map_err(|e| Error::malformed(path, e))
    }
}

pub(crate) fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

pub(crate) fn from_toml(path: &Path, text: &str) -> Result<Value, Error> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text.get(..span.start).unwrap_or("").lines().count().max(1));
        Error::malformed(path, format!("{} at line {line}", error.message()))
    })
}
