//! From arguments to an exit code.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use anstream::{AutoStream, ColorChoice};
use clap::FromArgMatches;
use clap::error::ErrorKind;
use least_action_pages::view::Kind;
use terminal_size::{Width, terminal_size};

use crate::arguments::{Arguments, Command};

use crate::error::{Error, Result};
use crate::patience::Patience;
use crate::registry::Registry;
use crate::run::Inside;
use crate::streams::{Says, Streams};
use crate::words;
use crate::{
    bench, catalogue, control, describe, ensemble, eval, expand, fit, gradient, live, manual, new,
    other_words, project, reproduce, run, view,
};

/// Runs the process's own arguments on its own streams.
pub(crate) fn process(name: &str, registry: &Registry) -> u8 {
    let (stdout, mut err) = (io::stdout(), io::stderr());
    let colors = [AutoStream::choice(&stdout), AutoStream::choice(&err)].map(|one| one != ColorChoice::Never);
    let columns = columns(stdout.is_terminal());
    let mut out = io::BufWriter::new(stdout.lock());
    let progress = err.is_terminal();
    let patience = Some(Patience::new());
    let streams =
        Streams { columns, colors, progress, talks: true, patience, ..Streams::on(&mut out, &mut err) };
    execute(name, registry, std::env::args_os(), streams)
}

/// The columns of standard output: `COLUMNS` of the environment, or the width of the terminal.
fn columns(is_terminal: bool) -> Option<usize> {
    /// Narrower ones would break every word.
    const LEAST: usize = 40;
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let of_terminal = || terminal_size().filter(|_| is_terminal).map(|(Width(width), _)| width.into());
    named.or_else(of_terminal).filter(|columns| *columns > 0).map(|columns: usize| columns.max(LEAST))
}

/// Runs `arguments` (the first is the program) and returns the exit code.
pub(crate) fn execute(
    name: &str,
    registry: &Registry,
    arguments: impl IntoIterator<Item = OsString>,
    mut streams: Streams<'_>,
) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let rest = arguments.iter().skip(1).map(|word| words::quoted(&word.to_string_lossy()));
    streams.command = std::iter::once(name.to_owned()).chain(rest).collect::<Vec<_>>().join(" ");
    let result = parse(name, registry, &arguments, &mut streams)
        .and_then(|parsed| parsed.map_or(Ok(()), |parsed| heard(name, registry, &parsed, &mut streams)))
        .and_then(|()| streams.out.flush().map_err(|error| Error::stdout(&error)));
    match result {
        Ok(()) => 0,
        Err(error) => report(&error, &mut streams),
    }
}

/// Runs a command that says as much as it is asked to.
fn heard(name: &str, registry: &Registry, arguments: &Arguments, streams: &mut Streams<'_>) -> Result {
    let Arguments { quiet, verbose, .. } = *arguments;
    if !quiet {
        streams.says = if verbose { Says::Much } else { Says::Usual };
        return dispatch(name, registry, arguments, streams);
    }
    let Streams { columns, colors, talks, .. } = *streams;
    let (stop, says, nobody) = (streams.stop.clone(), Says::Little, &mut io::sink());
    let (command, quiet) = (streams.command.clone(), Streams::on(&mut *streams.out, nobody));
    let mut quiet = Streams { columns, says, colors, talks, command, stop, ..quiet };
    dispatch(name, registry, arguments, &mut quiet)
}

fn dispatch(name: &str, registry: &Registry, arguments: &Arguments, streams: &mut Streams<'_>) -> Result {
    let done = match &arguments.command {
        Command::Models(arguments) => describe::models(registry, arguments, streams),
        Command::Methods(arguments) => catalogue::methods(arguments, streams),
        Command::Describe(arguments) => describe::describe(registry, arguments, streams),
        Command::Expand(arguments) => expand::expand(registry, arguments, streams.out),
        Command::Run(arguments) => run::run(registry, arguments, Inside::default(), streams),
        Command::Resume(arguments) => run::Stopped::read(arguments).and_then(|stopped| {
            let inside = Inside { stopped: Some(&stopped), ..Inside::default() };
            run::run(registry, &stopped.arguments, inside, streams)
        }),
        Command::Gradient(asked) => gradient::gradient(registry, asked, streams),
        Command::Fit(asked) => fit::fit(registry, asked, streams),
        Command::Control(asked) => control::control(registry, asked, streams),
        Command::Live(arguments) => live::live(registry, arguments, streams),
        Command::View(arguments) => view::motion(registry, arguments, streams),
        Command::Report(arguments) if arguments.member.is_none() && arguments.file.is_dir() => {
            ensemble::report(registry, arguments, streams)
        }
        Command::Report(arguments) => view::page(registry, Kind::Report, arguments, streams),
        Command::Ensemble(arguments) => ensemble::ensemble(registry, arguments, streams)?.map_or(Ok(()), Err),
        Command::Eval(arguments) => eval::eval(registry, arguments, streams),
        Command::Project(arguments) => project::project(registry, arguments, streams),
        Command::New(arguments) => new::new(arguments, streams),
        Command::Bench(arguments) => bench::bench(registry, arguments, streams),
        Command::Completions(arguments) => manual::completions(name, arguments, streams.out),
        Command::Man(arguments) => manual::page(name, arguments, streams.out),
        Command::Reproduce(arguments) => reproduce::reproduce(arguments, &mut streams.text()),
    };
    registry.warnings().into_iter().for_each(|warning| streams.warn(warning));
    done
}

/// Prints the error in one line; text that stands on standard output stays.
fn report(error: &Error, streams: &mut Streams<'_>) -> u8 {
    // Nobody is left to tell when these streams are gone too.
    let _ = streams.out.flush();
    match error {
        Error::Closed => {}
        // Mistakes of a file are shown in its lines.
        Error::Declaration { shown, .. } => {
            let _ = writeln!(streams.err, "{shown}");
        }
        error => streams.say("error", error.line()),
    }
    error.exit_code()
}

/// Parses; `None` when the arguments asked for help or the version, which is then printed.
fn parse(
    name: &str,
    registry: &Registry,
    arguments: &[OsString],
    streams: &mut Streams<'_>,
) -> Result<Option<Arguments>> {
    let command = Arguments::named(name).term_width(streams.columns.unwrap_or(0));
    let parsed =
        command.try_get_matches_from(arguments).and_then(|matches| Arguments::from_arg_matches(&matches));
    match parsed {
        Ok(arguments) => Ok(Some(arguments)),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            let text = error.render();
            let text = if streams.colors[0] { text.ansi().to_string() } else { text.to_string() };
            streams.out.write_all(text.as_bytes()).map_err(|error| Error::stdout(&error))?;
            Ok(None)
        }
        Err(error) => {
            let text = |argument: &OsString| argument.to_string_lossy().into_owned();
            let arguments: Vec<String> = arguments.iter().map(text).collect();
            let answer = other_words::answer(name, registry, &arguments, &error);
            Err(answer.unwrap_or_else(|| Error::Mistake(other_words::first_paragraph(name, &error))))
        }
    }
}
