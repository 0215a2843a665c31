//! Reads the options of methods from files, from the command line and from plans.

use std::path::Path;

use serde_json::Value;

use least_action_methods::{Given, OptionKind as Kind, Options};

use crate::error::{Error, Result};
use crate::settings;

/// Reads the options of `method`, which knows the options `known`.
///
/// # Errors
/// A file cannot be read, or the method has no such option or takes no such value.
pub fn read(method: &str, known: &[&str], params: Option<&Path>, with: &[String]) -> Result<Options> {
    let mut given = settings::file(params)?.method;
    for text in with {
        let (name, value) = settings::assignment("--with", text)?;
        given.push((name.to_owned(), value.into()));
    }
    of(method, known, given.iter().map(|(name, value)| (&**name, value)))
}

/// Takes these options of `method`; a later one replaces an earlier one.
pub(crate) fn of<'v>(
    method: &str,
    known: &[&str],
    given: impl IntoIterator<Item = (&'v str, &'v Value)>,
) -> Result<Options> {
    let mut options = Options::default();
    for (name, value) in given {
        if !known.contains(&name) {
            return Err(unknown(method, name, known.iter().copied()));
        }
        options.push(name, fitting(name, value)?);
    }
    Ok(options)
}

/// The refusal of an option that a method, or a command with options of its own, does not have.
pub(crate) fn unknown<S: Into<String>>(
    method: &str,
    name: &str,
    known: impl IntoIterator<Item = S>,
) -> Error {
    Error::unknown(format_args!("`{method}` has no option `{name}`"), name, "its options are:", known)
}

/// The value, if it is one that the option takes.
fn fitting(name: &str, value: &Value) -> Result<Given> {
    let text = || value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Kind::of(name).read(&text()).ok_or_else(|| match Kind::of(name) {
        Kind::Number => Error::Mistake(format!("--with {name}: `{}` is not a finite number", text())),
        Kind::Numbers => Error::Mistake(format!(
            "--with {name}: `{}` is neither a finite number nor a list such as [0.1,0.2]",
            text()
        )),
        Kind::Word(words) => {
            let what = format!("--with {name}: `{}` is none of its words", text());
            Error::unknown(what, &text(), "there are:", words.iter().copied())
        }
    })
}
