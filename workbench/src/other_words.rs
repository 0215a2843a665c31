//! Commands and flags of other programs, answered by ours.

use clap::error::{ContextKind, ContextValue};

use crate::arguments::Arguments;
use crate::error::{Error, Names};
use crate::registry::Registry;

/// Commands of other programs, each with ours.
const COMMANDS: [(&str, &str); 17] = [
    ("list", "models"),
    ("ls", "models"),
    ("info", "describe"),
    ("show", "describe"),
    ("simulate", "run"),
    ("sim", "run"),
    ("integrate", "run"),
    ("solve", "run"),
    ("continue", "resume"),
    ("restart", "resume"),
    ("plot", "view"),
    ("play", "view"),
    ("animate", "view"),
    ("sweep", "ensemble"),
    ("optimize", "control"),
    ("init", "new"),
    ("verify", "eval --check"),
];

/// Flags of other programs, and of other commands, each with ours.
const FLAGS: [(&str, &str); 21] = [
    ("--dt", "--step"),
    ("--timestep", "--step"),
    ("--time-step", "--step"),
    ("--tmax", "--until"),
    ("--t-end", "--until"),
    ("--end", "--until"),
    ("--time", "--until"),
    ("--duration", "--until"),
    ("--output", "--out"),
    ("--save", "--out"),
    ("--by", "--method"),
    ("--integrator", "--method"),
    ("--solver", "--method"),
    ("--option", "--with"),
    ("--parameter", "--set"),
    ("--param", "--set"),
    ("--initial", "--start"),
    ("--init", "--from"),
    ("--x0", "--from"),
    ("--animate", "--view"),
    ("--html", "--view"),
];

/// The refusal of a command or of a flag that there is not, with the one that is meant.
pub(crate) fn answer(
    name: &str,
    registry: &Registry,
    arguments: &[String],
    error: &clap::Error,
) -> Option<Error> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    if let Some(given) = text(ContextKind::InvalidSubcommand) {
        let known = Arguments::named(name);
        let known: Names = known.get_subcommands().map(clap::Command::get_name).collect();
        let meant = COMMANDS.iter().find(|(other, _)| *other == given).map(|(_, own)| *own);
        let hint = meant.map_or_else(|| known.near(given).to_string(), |own| format!(": `{own}` does it"));
        return Some(Error::Mistake(format!("unknown command `{given}`{hint}; `{name} --help` lists them")));
    }
    let flag = text(ContextKind::InvalidArg).filter(|flag| flag.starts_with("--"))?;
    let bare = flag.trim_start_matches('-');
    let parts: Vec<&str> = arguments.iter().flat_map(|part| part.splitn(2, '=')).collect();
    let value = parts.iter().skip_while(|part| **part != flag).nth(1);
    let assigned = |flag: &str, name: &str| {
        let value = value.map_or("VALUE", |value| value);
        format!("unknown flag `--{bare}`: write {flag} {name}={value}")
    };
    // A parameter of the model, with the hyphens of flags.
    let own = parts.iter().find_map(|part| registry.parameters(part).ok());
    let parameter =
        own.and_then(|own| own.keys().find(|key| key.replace('_', "-") == bare.replace('_', "-")).cloned());
    let is_option = || least_action_methods::METHODS.iter().any(|entry| entry.options.contains(&bare));
    let command = Arguments::named(name);
    let command =
        command.get_subcommands().find(|one| arguments.get(1).is_some_and(|part| part == one.get_name()))?;
    let has = |flag: &str| {
        command.get_arguments().any(|own| own.get_long().is_some_and(|long| flag == format!("--{long}")))
    };
    let other = FLAGS.iter().find(|(other, own)| *other == flag && has(own));
    match (parameter, other) {
        (Some(parameter), _) if has("--set") => Some(assigned("--set", &parameter)),
        (_, Some((_, own))) => Some(format!("unknown flag `{flag}`: it is {own} here")),
        _ if has("--with") && is_option() => Some(assigned("--with", bare)),
        _ => None,
    }
    .map(Error::Mistake)
}
