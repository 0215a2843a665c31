//! `completions` and `man`: the declaration of the command, for shells and for readers of manuals.

use std::io::Write;

use crate::arguments::{Arguments, Completions, Man};
use crate::error::{Error, Result};

/// Prints the completions for a shell.
pub(crate) fn completions(name: &str, arguments: &Completions, out: &mut dyn Write) -> Result {
    // Into memory, since a stream that is closed is no reason to panic.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::named(name), name, &mut script);
    out.write_all(&script).map_err(|error| Error::stdout(&error))
}

/// Prints a manual page in the language of `man`.
pub(crate) fn page(name: &str, arguments: &Man, out: &mut dyn Write) -> Result {
    let mut command = Arguments::named(name);
    command.build();
    let chosen = match &arguments.command {
        None => command,
        Some(wanted) => {
            let commands = command.get_subcommands().map(clap::Command::get_name);
            let found = command.find_subcommand(wanted).cloned();
            found.ok_or_else(|| {
                Error::unknown(format_args!("no command `{wanted}`"), wanted, "there are:", commands)
            })?
        }
    };
    clap_mangen::Man::new(chosen).render(out).map_err(|error| Error::stdout(&error))
}
