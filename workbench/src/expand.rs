//! `expand`: the Rust that the declaration of a model becomes.
//!
//! A program carries the text of its declarations, and compiles the one that is asked for again.

use std::io::Write;

use crate::arguments::Expand;
use crate::error::{Error, Result};
use crate::registry::Registry;

/// Prints the generated code of one model.
pub(crate) fn expand(registry: &Registry, arguments: &Expand, out: &mut dyn Write) -> Result {
    let declaration = registry.declaration(&arguments.model)?;
    let code = expanded(&arguments.model, &declaration)?;
    out.write_all(code.as_bytes()).map_err(|error| Error::stdout(&error))
}

#[cfg(feature = "expand")]
fn expanded(model: &str, declaration: &str) -> Result<String> {
    least_action_compiler::expand(declaration).map(|file| prettyplease::unparse(&file)).map_err(|error| {
        Error::Mistake(format!("the declaration of `{model}` cannot be compiled again: {error}"))
    })
}

#[cfg(not(feature = "expand"))]
fn expanded(_: &str, _: &str) -> Result<String> {
    Err(Error::left_out("`expand`", "expand"))
}
