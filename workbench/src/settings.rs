//! Settings by name, from files and from the command line.

use std::collections::HashSet;
use std::path::Path;

use least_action_pages::files::read_text;
use serde_json::{Map, Value};

use crate::error::{Error, Names, Result};
use crate::json::{self, Once};

/// The content of a parameter file.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) model: Vec<(String, Value)>,
    pub(crate) method: Vec<(String, Value)>,
    pub(crate) run: Vec<(String, Value)>,
}

/// Splits `name=value`.
pub(crate) fn assignment<'t>(flag: &'static str, text: &'t str) -> Result<(&'t str, &'t str)> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim(), value)),
        _ => Err(Error::Mistake(format!("{flag} `{text}`: write name=value"))),
    }
}

/// A setting as [`assignment`] splits it.
pub(crate) fn written((name, value): (&String, &Value)) -> String {
    match value {
        Value::String(word) => format!("{name}={word}"),
        value => format!("{name}={value}"),
    }
}

/// Reads a parameter file, where there is one.
pub(crate) fn file(path: Option<&Path>) -> Result<File> {
    let Some(path) = path else { return Ok(File::default()) };
    let Value::Object(sections) = read(path)? else {
        return Err(Error::malformed(path, r#"expected {"model": {…}, "method": {…}, "run": {…}}"#));
    };
    let mut file = File::default();
    for (section, content) in sections {
        let target = match section.as_str() {
            "model" => &mut file.model,
            "method" => &mut file.method,
            "run" => &mut file.run,
            _ => {
                let known: Names = ["model", "method", "run"].into_iter().collect();
                let what = format!("unknown section `{section}`");
                return Err(Error::malformed(path, known.refusal(what, &section, "there are:")));
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
pub(crate) fn read(path: &Path) -> Result<Value> {
    let text = read_text(path)?;
    if is_toml(path) {
        from_toml(path, &text)
    } else {
        json::value(&text).map_err(|error| Error::malformed(path, error))
    }
}

/// A name that stands in a list more than once.
pub(crate) fn twice(names: &[String]) -> Option<&str> {
    let mut known = HashSet::new();
    names.iter().map(String::as_str).find(|name| !known.insert(*name))
}

pub(crate) fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

pub(crate) fn from_toml(path: &Path, text: &str) -> Result<Value> {
    toml::from_str(text).map(|Once(value)| value).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text.get(..span.start).unwrap_or("").lines().count().max(1));
        Error::malformed(path, format!("{} at line {line}", error.message()))
    })
}
