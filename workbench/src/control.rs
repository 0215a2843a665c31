//! `control`: the inputs that bring a motion from a start to an end, at the least cost.

mod asked;
mod outcome;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use least_action::system::State;
use least_action_optimization::control::{Control, ControlError};
use least_action_optimization::fit::Motions;
use least_action_optimization::least_squares::{self, Status};
use least_action_pages::files::{self, Folder};

use crate::arguments::{AskedControl, AskedRun, Format, Run};
use crate::error::Error;
use crate::fit::motions::Moving;
use crate::gradient::motion::differentiable;
use crate::methods::{self, OnModels};
use crate::print::json_line;
use crate::registry::Registry;
use crate::streams::Streams;
use crate::unknowns::Checkpoint;
use crate::{options, parameters, run};
use outcome::{Outcome, Replay};

/// Finds the inputs, from this start where it is given, and prints them.
pub(crate) fn control(
    registry: &Registry,
    asked: &AskedControl,
    start: Option<State>,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    let own = parameters::bind(registry, &asked.model)?;
    let start = asked::start(&own, asked, start)?;
    let asked = asked::with_times(&own, asked, start.t)?;
    let instance = parameters::bind(registry, &asked.model)?;
    let own = Run { with: asked.with.clone(), ..Run::of_model(asked.model.clone()) };
    let AskedControl { method, step, until, .. } = &asked;
    let asked_run =
        AskedRun { method: method.clone(), step: *step, until: Some(*until), every: None, run: own };
    let (mut arguments, note) = run::chosen(registry, &asked_run)?;
    run::check_step(arguments.step)?;
    let whole = asked::dividing(&mut arguments, start.t)?;
    let method = methods::find(&arguments.method)?;
    differentiable(method, &instance, streams)?;
    let known = method.options(&*instance.system);
    let options = options::read(method.name, &known, asked.model.params.as_deref(), &arguments.with)?;
    let motions = Moving::new(registry, &arguments, (method, &options), &instance)?;
    let mut problem = asked::problem(&asked, Control::from(start.clone()).until(*until))?;
    // The folder is there before the work, and no empty one after a refusal.
    let made = asked
        .out
        .as_deref()
        .map(|folder| Folder::create(folder).map_err(|error| Error::unwritable(folder.display(), &error)));
    let _made = made.transpose()?;
    let names: Vec<PathBuf> =
        asked.out.iter().flat_map(|folder| asked::files(&asked, &instance, folder)).collect();
    let outputs = names.iter().map(|path| ("--out", path.as_path()));
    let outputs = outputs.chain(asked.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
    instance.apart(asked.start.iter().chain(&asked.model.params), &outputs.collect::<Vec<_>>())?;
    names.iter().try_for_each(|path| files::check("--out", path))?;
    let mut checkpoint =
        Checkpoint::open(asked.checkpoint.as_deref(), asked::identity(&asked, &arguments, &start))?;
    if let Some(unknowns) = checkpoint.unknowns() {
        problem = problem.guess(unknowns);
    }
    for note in note.into_iter().chain(whole) {
        // The result is there when nobody listens.
        let _ = writeln!(streams.err, "note: {note}");
    }
    let (stop, mut unsaved) = (streams.stop(), None);
    let found = problem.solve(&motions, |at| {
        let (number, cost, gap) = (at.number, at.cost, at.violation);
        let _ = writeln!(streams.err, "iteration {number}: cost {cost:.6e}, largest gap {gap:.1e}");
        unsaved = checkpoint.save(at.x.to_vec()).err();
        if unsaved.is_some() || stop.asked().load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if let Some(error) = unsaved {
        return Err(error);
    }
    let found = found.map_err(of_control)?;
    if found.status == Status::Stopped {
        let (signal, iterations) = (stop.signal(), found.iterations);
        return Err(Error::FitStopped { signal, iterations, checkpoint: asked.checkpoint });
    }
    let replay = Replay::of(&motions, &found.theta, (start, *until))?;
    let coordinates = motions.coordinates();
    let outcome = Outcome::new((&asked, &arguments), &coordinates, &found, &replay)?;
    // Files that cannot be written take nothing from the result.
    match asked.format {
        Format::Json => json_line(streams.out, &outcome)?,
        Format::Text => outcome.text(&mut streams.text()).map_err(|error| Error::stdout(&error))?,
    }
    asked.out.as_deref().map_or(Ok(()), |folder| outcome.write(folder, &instance, &found, &replay))
}

/// The error of a control as one of the command.
fn of_control(error: ControlError<Error>) -> Error {
    match error {
        ControlError::Solution(least_squares::Error::Problem(error)) => error,
        ControlError::Solution(least_squares::Error::Infeasible { name, value, iterations, .. }) => {
            Error::NotFitted(format!(
                "no motion reaches the end: {name} is {value:e} after {iterations} iterations, and no step \
                 lowers it; give a later --until, wider --bounds or more --stretches"
            ))
        }
        error => Error::Fit(error.to_string()),
    }
}
