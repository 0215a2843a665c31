//! Lines that do not parse, in our words; commands and flags of other programs are answered by ours.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::arguments::Arguments;
use crate::error::{Error, Names, one_line};
use crate::registry::Registry;
use crate::words;

/// Commands of other programs, each with ours.
const COMMANDS: &str = "list=models ls=models info=describe show=describe simulate=run sim=run integrate=run solve=run \
    continue=resume restart=resume plot=view play=view animate=view sweep=ensemble optimize=control \
    init=new verify=eval";

/// Flags of other programs, and of other commands, each with ours.
const FLAGS: &str = "dt=step timestep=step time-step=step tmax=until t-end=until end=until \
    time=until duration=until output=out save=out by=method \
    integrator=method solver=method option=with parameter=set param=set \
    initial=start init=from x0=from animate=view html=view";

/// Our word for one of others.
fn ours(words: &'static str, other: &str) -> Option<&'static str> {
    let mut pairs = words.split(' ').filter_map(|pair| pair.split_once('='));
    pairs.find_map(|(word, own)| (word == other).then_some(own))
}

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
        let hint = ours(COMMANDS, given)
            .map_or_else(|| known.near(given).to_string(), |own| format!(": `{own}` does it"));
        return Some(Error::Mistake(format!("unknown command `{given}`{hint}; `{name} --help` lists them")));
    }
    let flag = text(ContextKind::InvalidArg).filter(|flag| flag.starts_with("--"))?;
    let bare = flag.trim_start_matches('-');
    let parts: Vec<&str> = arguments.iter().flat_map(|part| part.splitn(2, '=')).collect();
    let value = parts.iter().skip_while(|part| **part != flag).nth(1);
    let assigned = |flag: &str, name: &str| {
        format!("unknown flag `--{bare}`: write {flag} {name}={}", value.unwrap_or(&"VALUE"))
    };
    // A parameter of the model, with the hyphens of flags.
    let own = parts.iter().find_map(|part| registry.parameters(part).ok());
    let parameter =
        own.and_then(|own| own.keys().find(|key| key.replace('_', "-") == bare.replace('_', "-")).cloned());
    let is_option = || least_action_methods::METHODS.iter().any(|entry| entry.options.contains(&bare));
    let command = Arguments::named(name);
    let command =
        command.get_subcommands().find(|one| arguments.get(1).is_some_and(|part| part == one.get_name()))?;
    let has = |flag: &str| command.get_arguments().any(|own| own.get_long() == Some(flag));
    let other = ours(FLAGS, bare).filter(|own| has(own));
    match (parameter, other) {
        (Some(parameter), _) if has("set") => Some(assigned("--set", &parameter)),
        (_, Some(own)) => Some(format!("unknown flag `{flag}`: it is --{own} here")),
        _ if has("with") && is_option() => Some(assigned("--with", bare)),
        _ => None,
    }
    .map(Error::Mistake)
}

/// The message of clap, without its usage block and its prefix.
pub(crate) fn first_paragraph(name: &str, error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return format!("a command is missing; `{name} --help` lists them");
    }
    let text = error.render().to_string();
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        }
        kept.push(line);
    }
    let joined = one_line(&kept.join("\n"));
    words::of_number(joined.strip_prefix("error: ").unwrap_or(&joined))
}
