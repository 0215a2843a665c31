//! Parameters of the model and options of the method, from files and from the command line.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::arguments::ModelChoice;
use crate::error::{Error, Hint, Names};
use crate::registry::{Instance, Registry};

/// What a parameter file says.
#[derive(Debug, Default)]
struct File {
    model: Vec<(String, Value)>,
    method: Vec<(String, Value)>,
}

/// Binds the chosen model: its defaults, then the file, then each `--set` in order.
pub(crate) fn bind(registry: &Registry, choice: &ModelChoice) -> Result<Instance, Error> {
    let mut overrides = file(choice.params.as_deref())?.model;
    for text in &choice.set {
        let (name, value) = assignment("--set", text)?;
        // What is no JSON is a plain word, for parameters that are one of several words.
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        overrides.push((name.to_owned(), value));
    }
    registry.instance(&choice.name, &overrides)
}

/// The options of a method: the file first, then each `--with` in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    values: Vec<(String, f64)>,
}

impl Options {
    /// Reads the options of `method`, which has those in `known`.
    pub(crate) fn read(
        method: &str,
        known: &[&str],
        params: Option<&Path>,
        with: &[String],
    ) -> Result<Self, Error> {
        let mut options = Self::default();
        for (name, value) in file(params)?.method {
            let number = value
                .as_f64()
                .ok_or(Error::OptionNotANumber { name: name.clone(), value: value.to_string() })?;
            options.push(method, known, &name, number)?;
        }
        for text in with {
            let (name, value) = assignment("--with", text)?;
            let number = value.trim().parse().ok().filter(|number: &f64| number.is_finite());
            let refused = || Error::OptionNotANumber { name: name.to_owned(), value: value.to_owned() };
            options.push(method, known, name, number.unwrap_or(f64::NAN))?;
            number.ok_or_else(refused)?;
        }
        Ok(options)
    }

    fn push(&mut self, method: &str, known: &[&str], name: &str, value: f64) -> Result<(), Error> {
        if !known.contains(&name) {
            let known: Names = known.iter().copied().collect();
            let hint = known.near(name);
            return Err(Error::UnknownOption {
                method: method.to_owned(),
                name: name.to_owned(),
                hint,
                known,
            });
        }
        self.values.push((name.to_owned(), value));
        Ok(())
    }

    /// The option `name`, if it was given.
    pub(crate) fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

/// Splits `name=value`.
fn assignment<'t>(flag: &'static str, text: &'t str) -> Result<(&'t str, &'t str), Error> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim(), value)),
        _ => Err(Error::NotAnAssignment { flag, text: text.to_owned() }),
    }
}

fn file(path: Option<&Path>) -> Result<File, Error> {
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

pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))
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
