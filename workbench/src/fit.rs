//! `fit`: the parameters and the starts of a model whose motions come nearest to recordings.

pub(crate) mod asked;
pub(crate) mod motions;
mod outcome;
mod page;

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use least_action::system::State;
use least_action_optimization::fit::{Data, Fit, Phase};
use least_action_optimization::least_squares::{Options as Settings, Status};
use least_action_pages::files;

use crate::arguments::{AskedFit, AskedRun, Format, Run};
use crate::error::Error;
use crate::gradient::motion::differentiable;
use crate::methods::{self, OnModels};
use crate::print::json_line;
use crate::registry::Registry;
use crate::streams::Streams;
use crate::unknowns::Checkpoint;
use crate::{options, parameters, run};
use motions::Moving;
use outcome::Outcome;

/// Fits a model to recordings, from this start where it is given, and prints the result.
pub(crate) fn fit(
    registry: &Registry,
    asked: &AskedFit,
    start: Option<State>,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    asked.report.as_deref().map_or(Ok(()), page::check)?;
    let instance = parameters::bind(registry, &asked.model)?;
    let outputs = [("--report", &asked.report), ("--checkpoint", &asked.checkpoint)];
    let outputs: Vec<_> = outputs.iter().filter_map(|(flag, path)| Some((*flag, path.as_deref()?))).collect();
    instance.apart(asked.data.iter().chain(&asked.start).chain(&asked.model.params), &outputs)?;
    asked.report.as_deref().map_or(Ok(()), |report| files::check("--report", report))?;
    let starts = asked::starts(asked, start, &instance)?;
    let (data, remarks) = asked::data(asked, &instance)?;
    let last = data.iter().map(Data::end).fold(f64::NEG_INFINITY, f64::max);
    let own = Run {
        with: asked.with.clone(),
        start: asked.start.first().cloned(),
        ..Run::of_model(asked.model.clone())
    };
    let AskedFit { method, step, .. } = asked;
    let asked_run =
        AskedRun { method: method.clone(), step: *step, until: Some(last), every: None, run: own };
    let (arguments, note) = run::chosen(registry, &asked_run)?;
    run::check_times(arguments.step, arguments.until)?;
    let method = methods::find(&arguments.method)?;
    differentiable(method, &instance, streams)?;
    let known = method.options(&*instance.system);
    let options = options::read(method.name, &known, asked.model.params.as_deref(), &arguments.with)?;
    let moving = Moving::new(registry, &arguments, (method, &options), &instance)?;
    let mut fit = Fit::of(moving).segments(asked.segments);
    for (name, bounds) in asked::free(asked)? {
        fit = fit.free(name, bounds);
    }
    let identity = asked::identity(asked, &arguments, &starts);
    for (data, start) in data.into_iter().zip(starts) {
        fit = fit.data(data, start);
    }
    let mut checkpoint = Checkpoint::<(Vec<f64>, Phase)>::open(asked.checkpoint.as_deref(), identity)?;
    if let Some((x, phase)) = checkpoint.unknowns() {
        fit = fit.from(x, phase);
    }
    for remark in note.into_iter().chain(remarks) {
        // The result is there when nobody listens.
        let _ = writeln!(streams.err, "note: {remark}");
    }
    let (stop, mut unsaved) = (streams.stop(), None);
    let settings = Settings { iterations: asked.iterations, ..Settings::default() };
    let found = fit.solve(&settings, |at, phase| {
        let part = if phase == Phase::Apart { ", segments apart" } else { "" };
        let jumps = if asked.segments > 1 && phase == Phase::Joined {
            format!(", largest jump {:.1e}", at.violation)
        } else {
            String::new()
        };
        let (number, size) = (at.number, (2.0 * at.cost).sqrt());
        let _ = writeln!(streams.err, "iteration {number}{part}: |r| = {size:.6e}{jumps}");
        unsaved = checkpoint.save((at.x.to_vec(), phase)).err();
        if unsaved.is_some() || stop.asked().load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if let Some(error) = unsaved {
        return Err(error);
    }
    let found = found.map_err(motions::of_fit)?;
    if found.status == Status::Stopped {
        let (signal, iterations) = (stop.signal(), found.iterations);
        return Err(Error::FitStopped { signal, iterations, checkpoint: asked.checkpoint.clone() });
    }
    let outcome = Outcome::new(&instance.name, method.name, arguments.step, &found);
    match asked.format {
        Format::Json => json_line(streams.out, &outcome)?,
        Format::Text => outcome.text(&mut streams.text()).map_err(|error| Error::stdout(&error))?,
    }
    asked.report.as_deref().map_or(Ok(()), |path| page::write(path, &instance, &outcome, &found))
}
