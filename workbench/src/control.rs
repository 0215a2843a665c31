//! `control`: the inputs that bring a motion from a start to an end, at the least cost.

mod asked;
mod outcome;

use std::path::PathBuf;

use least_action::system::State;
use least_action_optimization::control::{Attempt, Control, ControlError};
use least_action_optimization::fit::Motions;
use least_action_optimization::least_squares;
use least_action_pages::files::{self, Folder};

use crate::arguments::{AskedControl, Format};
use crate::error::Error;
use crate::gradient::motion::{Motion, completed};
use crate::print::json_line;
use crate::registry::Registry;
use crate::streams::Streams;
use crate::unknowns::Unknowns;
use crate::{parameters, run};
use outcome::{Outcome, Replay};

/// Finds the inputs, from this start where it is given, and prints them.
pub(crate) fn control(
    registry: &Registry,
    asked: &AskedControl,
    start: Option<State>,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    let own = parameters::bind(registry, &asked.model)?;
    let mut start = asked::start(&own, asked, start)?;
    asked::check(asked, start.t)?;
    let AskedControl { model, with, method, step, until, .. } = asked;
    let (mut arguments, note) =
        completed(registry, (model, &with[..], None), (method.as_ref(), *step, Some(*until)))?;
    run::check_step(arguments.step)?;
    let (steps, whole) = asked::dividing(&mut arguments, start.t)?;
    let (asked, fewer) = asked::with_times(&own, asked, (start.t, steps))?;
    arguments.model = asked.model.clone();
    let mut motion = Motion::new(registry, &arguments, streams)?;
    motion.stop = streams.stop();
    let moved = asked::settled(&motion, &mut start)?;
    let states = asked.guess.as_deref().map_or_else(|| Ok(Vec::new()), |path| asked::guess(&own, path))?;
    let identity = asked::identity(&asked, &states);
    let problem = Control::from(start.clone()).until(asked.until).along(states);
    let mut problem = asked::problem(&asked, problem)?.limited(parameters::available(&asked.model));
    let mut unknowns = Unknowns::open(asked.checkpoint.as_ref(), ("control", identity), &motion, &start)?;
    if let Some([number, length, words @ ..]) = unknowns.words.take().as_deref() {
        let (before, x) = words.split_at(words.len().min(*length as usize));
        let attempt = Attempt { number: *number as usize, before: before.to_vec() };
        problem = problem.going_on(attempt, x.iter().map(|bits| f64::from_bits(*bits)).collect());
    }
    for note in note.into_iter().chain(whole).chain(fewer) {
        // The result is there when nobody listens.
        let _ = writeln!(streams.err, "note: {note}");
    }
    if let Some(moved) = moved {
        let _ = writeln!(streams.err, "warning: {moved}");
    }
    // The folder is there before the work, and no empty one after a refusal.
    let made = asked
        .out
        .as_deref()
        .map(|folder| Folder::create(folder).map_err(|error| Error::unwritable(folder.display(), &error)));
    let _made = made.transpose()?;
    let names: Vec<PathBuf> =
        asked.out.iter().flat_map(|folder| asked::files(&asked, &motion.instance, folder)).collect();
    let outputs = names.iter().map(|path| ("--out", path.as_path()));
    let outputs = outputs.chain(asked.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
    let inputs = asked.start.iter().chain(&asked.guess).chain(&asked.model.params);
    motion.instance.apart(inputs, &outputs.collect::<Vec<_>>())?;
    names.iter().try_for_each(|path| files::check("--out", path))?;
    let mut attempt_before = 0;
    let found = problem.solve(&motion, |at, attempt| {
        if std::mem::replace(&mut attempt_before, attempt.number) != attempt.number {
            let _ = writeln!(streams.err, "iteration 0 again: another guess of the states");
        }
        let (number, cost, gap) = (at.number, at.cost, at.violation);
        let _ = writeln!(streams.err, "iteration {number}: cost {cost:.6e}, largest gap {gap:.1e}");
        let head = [attempt.number as u64, attempt.before.len() as u64];
        let numbers = at.x.iter().map(|x| x.to_bits());
        let words: Vec<u64> = head.into_iter().chain(attempt.before.iter().copied()).chain(numbers).collect();
        unknowns.see(number, &words)
    });
    let found = unknowns.ended(found.map_err(of_control))?;
    let replay = Replay::of(&motion, &found.theta, start)?;
    let coordinates = motion.coordinates();
    let outcome = Outcome::new((&asked, &arguments), &coordinates, &found, &replay)?;
    // Files that cannot be written take nothing from the result.
    match asked.format {
        Format::Json => json_line(streams.out, &outcome)?,
        Format::Text => outcome.text(&mut streams.text()).map_err(|error| Error::stdout(&error))?,
    }
    for doubt in &outcome.verdict.doubts {
        // The result is there when nobody listens.
        let _ = writeln!(streams.err, "warning: {doubt}");
    }
    asked.out.as_deref().map_or(Ok(()), |folder| outcome.write(folder, &motion.instance, &found, &replay))
}

/// The error of a control as one of the command.
fn of_control(error: ControlError<Error>) -> Error {
    match error {
        ControlError::Solution(least_squares::Error::Problem(error)) => error,
        ControlError::Solution(least_squares::Error::Infeasible { name, value, iterations, .. }) => {
            Error::Failed(format!(
                "no motion reaches the end: {name} is {value:e} after {iterations} iterations, and no step \
                 lowers it; give a later --until, wider --bounds or more --stretches"
            ))
        }
        error => Error::Mistake(error.to_string()),
    }
}
