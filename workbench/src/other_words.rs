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
    let commands = Arguments::named(name);
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    if let Some(given) = text(ContextKind::InvalidSubcommand) {
        let known: Names = commands.get_subcommands().map(clap::Command::get_name).collect();
        let hint = match ours(COMMANDS, given) {
            Some(own) => format!(": `{own}` does it"),
            None if registry.parameters(given).is_ok() => format!(": `run {given}` runs the model"),
            None => known.near(given).to_string(),
        };
        return Some(Error::Mistake(format!("unknown command `{given}`{hint}; `{name} --help` lists them")));
    }
    let flag = text(ContextKind::InvalidArg)?;
    // A blank between a name and its value.
    let pair = |part: &[String]| part[2] == flag && ["--set", "--with", "--from"].contains(&&*part[0]);
    if let Some([list, name, value]) = arguments.windows(3).find(|part| pair(part)) {
        return Some(Error::Mistake(format!("unexpected `{value}`: write {list} {name}={value}")));
    }
    let bare = flag.strip_prefix("--")?;
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
    let command = commands.find_subcommand(arguments.get(1)?)?;
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
    let is_end = |line: &str| line.starts_with("Usage:") || line.starts_with("For more information");
    let kept: Vec<&str> = text.lines().take_while(|line| !is_end(line)).collect();
    let joined = one_line(&kept.join("\n"));
    words::of_number(joined.strip_prefix("error: ").unwrap_or(&joined))
}
