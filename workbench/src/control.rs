//! `control`: the inputs that bring a motion from a start to an end, at the least cost.

mod asked;
mod outcome;

use std::path::PathBuf;

use least_action_optimization::Error as Failure;
use least_action_optimization::control::{Attempt, Control};
use least_action_optimization::least_squares::Error::Infeasible;
use least_action_pages::files::{self, Folder};

use crate::arguments::{AskedControl, Request, Until};
use crate::error::{Error, Result};
use crate::fit::of_fit;
use crate::parameters;
use crate::prepared::Prepared;
use crate::registry::Registry;
use crate::streams::Streams;
use crate::unknowns::Unknowns;
use outcome::{Outcome, Replay};

/// Finds the inputs, and prints them.
pub(crate) fn control(registry: &Registry, asked: &AskedControl, streams: &mut Streams<'_>) -> Result {
    let (model, by, until) = (asked.model.clone(), asked.by.clone(), Until::at(asked.until));
    let request = Request { model, by, until, start: asked.start.clone() };
    let mut motion = Prepared::new(registry, &request)?;
    asked::check(&motion, asked)?;
    let (steps, whole) = asked::dividing(&mut motion)?;
    let (asked, fewer) = asked::with_times(&motion, asked, steps)?;
    motion.rebind(&asked.model)?;
    motion.differentiable(streams)?;
    motion.stop = streams.stop();
    let moved = motion.settle()?;
    let guess = |path| asked::guess(&motion.instance, path);
    let states = asked.guess.as_deref().map_or_else(|| Ok(Vec::new()), guess)?;
    let identity = asked::identity(&asked, &states);
    let problem = Control::from(motion.start.clone()).until(asked.until).along(states);
    let mut problem = asked::problem(&asked, problem)?.limited(parameters::available(&asked.model));
    let mut unknowns = Unknowns::open(asked.checkpoint.as_ref(), ("control", identity), &motion)?;
    if let Some([number, length, words @ ..]) = unknowns.words.take().as_deref() {
        let (before, x) = words.split_at(words.len().min(*length as usize));
        let attempt = Attempt { number: *number as usize, before: before.to_vec() };
        problem = problem.going_on(attempt, x.iter().map(|bits| f64::from_bits(*bits)).collect());
    }
    motion.notes().chain(whole).chain(fewer).for_each(|note| streams.note(note));
    moved.into_iter().for_each(|moved| streams.warn(moved));
    // The folder is there before the work, and no empty one after a refusal.
    let create = |folder| Folder::create(folder).map_err(|error| Error::unwritable(folder.display(), &error));
    let _made = asked.out.as_deref().map(create).transpose()?;
    let names: Vec<PathBuf> =
        asked.out.iter().flat_map(|folder| asked::files(&asked, &motion.instance, folder)).collect();
    let outputs = names.iter().map(|path| ("--out", path.as_path()));
    let outputs = outputs.chain(asked.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
    let inputs = asked.start.file.iter().chain(&asked.guess).chain(&asked.model.params);
    motion.instance.apart(inputs, &outputs.collect::<Vec<_>>())?;
    names.iter().try_for_each(|path| files::check("--out", path))?;
    let mut attempt_before = 0;
    let found = problem.solve(&motion, |at, attempt| {
        if std::mem::replace(&mut attempt_before, attempt.number) != attempt.number {
            streams.tell("iteration 0 again: another guess of the states");
        }
        let (number, cost, gap) = (at.number, at.cost, at.violation);
        streams.tell(format_args!("iteration {number}: cost {cost:.6e}, largest gap {gap:.1e}"));
        let head = [attempt.number as u64, attempt.before.len() as u64];
        let numbers = at.x.iter().map(|x| x.to_bits());
        let words: Vec<u64> = head.into_iter().chain(attempt.before.iter().copied()).chain(numbers).collect();
        unknowns.see(number, &words)
    });
    let found = unknowns.ended(found.map_err(of_control))?;
    let replay = Replay::of(&motion, &found.theta)?;
    let outcome = Outcome::new((&asked, &motion), &found, &replay)?;
    // Files that cannot be written take nothing from the result.
    streams.print(asked.format, &outcome, Outcome::text)?;
    outcome.verdict.doubts.iter().for_each(|doubt| streams.warn(doubt));
    asked.out.as_deref().map_or(Ok(()), |folder| outcome.write(folder))
}

/// The error of a control as one of the command.
fn of_control(error: Failure<Error>) -> Error {
    match error {
        Failure::Solver(Infeasible { name, value, iterations, .. }) => Error::Failed(format!(
            "no motion reaches the end: {name} is {value:e} after {iterations} iterations, and no step lowers it; give a later --until, \
             wider --bounds or more --stretches"
        )),
        error => of_fit(error),
    }
}
