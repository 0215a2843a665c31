//! `fit`: the parameters and the starts of a model whose motions come nearest to recordings.

pub(crate) mod asked;
mod outcome;
mod page;

use least_action_optimization::Error as Failure;
use least_action_optimization::fit::{Data, Phase};
use least_action_optimization::least_squares::{Error::Infeasible, Options as Settings};
use least_action_pages::files;

use crate::arguments::{AskedFit, Request, StartChoice, Until};
use crate::error::{Error, Result};
use crate::gradient::motion::in_words;
use crate::parameters;
use crate::prepared::Prepared;
use crate::registry::{Instance, Registry};
use crate::streams::Streams;
use crate::unknowns::Unknowns;
use asked::Recorded;
use outcome::Outcome;

/// Fits a model to recordings, and prints the result.
pub(crate) fn fit(registry: &Registry, asked: &AskedFit, streams: &mut Streams<'_>) -> Result {
    asked.report.as_deref().map_or(Ok(()), page::check)?;
    let instance = parameters::bind(registry, &asked.model)?;
    let outputs = [("--report", &asked.report), ("--checkpoint", &asked.checkpoint)];
    let outputs: Vec<_> = outputs.iter().filter_map(|(flag, path)| Some((*flag, path.as_deref()?))).collect();
    instance.apart(asked.data.iter().chain(&asked.start).chain(&asked.model.params), &outputs)?;
    asked.report.as_deref().map_or(Ok(()), |report| files::check("--report", report))?;
    let (motion, recorded) = motion(registry, asked, &instance, streams)?;
    let of = asked::identity(asked, &recorded);
    let mut unknowns = Unknowns::open(asked.checkpoint.as_ref(), ("fit", of), &motion)?;
    asked.report.as_deref().map_or(Ok(()), |path| files::check("--report", path))?;
    let (step, method, notes) = (motion.step, motion.method.name, motion.notes().collect::<Vec<_>>());
    let mut fit = asked::problem(asked, motion, &recorded)?;
    if let Some([phase, x @ ..]) = unknowns.words.take().as_deref() {
        let phase = if *phase == 0 { Phase::Apart } else { Phase::Joined };
        fit = fit.from(x.iter().map(|bits| f64::from_bits(*bits)).collect(), phase);
    }
    notes.into_iter().chain(recorded.remarks).for_each(|remark| streams.note(remark));
    let settings = Settings { iterations: asked.iterations, ..Settings::default() };
    let found = fit.solve(&settings, |at, phase| {
        let part = if phase == Phase::Apart { ", segments apart" } else { "" };
        let has_jumps = asked.segments > 1 && phase == Phase::Joined;
        let jumps = if has_jumps { format!(", largest jump {:.1e}", at.violation) } else { String::new() };
        let (number, size) = (at.number, (2.0 * at.cost).sqrt());
        streams.tell(format_args!("iteration {number}{part}: |r| = {size:.6e}{jumps}"));
        let numbers = at.x.iter().map(|x| x.to_bits());
        let words: Vec<u64> = std::iter::once(u64::from(phase == Phase::Joined)).chain(numbers).collect();
        unknowns.see(number, &words)
    });
    let found = unknowns.ended(found.map_err(of_fit))?;
    in_words(&found.follows).into_iter().for_each(|words| streams.note(words));
    let outcome = Outcome::new(asked, (&instance.name, method, step), &found);
    streams.print(asked.format, &outcome, Outcome::text)?;
    outcome.verdict.doubt.iter().cloned().chain(outcome.lower()).for_each(|doubt| streams.warn(doubt));
    asked.report.as_deref().map_or(Ok(()), |path| page::write(path, &instance, &outcome, &found))
}

/// The motion of a fit, and its recordings.
fn motion<'a>(
    registry: &'a Registry,
    asked: &AskedFit,
    instance: &Instance,
    streams: &mut Streams<'_>,
) -> Result<(Prepared<'a>, Recorded)> {
    let recorded = asked::recorded(asked, instance)?;
    let last = recorded.data.iter().map(Data::end).fold(f64::NEG_INFINITY, f64::max);
    // An own start has the entries that are others; the first of the given ones has them already.
    let state = recorded.starts.first().cloned().flatten();
    let start = StartChoice { file: None, from: asked.from.clone(), state };
    let (model, by, until) = (asked.model.clone(), asked.by.clone(), Until::at(last));
    let mut motion = Prepared::new(registry, &Request { model, by, until, start })?;
    motion.differentiable(streams)?;
    motion.stop = streams.stop();
    Ok((motion, recorded))
}

/// The residuals of a fit for optimizers of others, and the first guess.
#[cfg(feature = "python")]
pub(crate) fn residuals<'a>(
    registry: &'a Registry,
    asked: &AskedFit,
    streams: &mut Streams<'_>,
) -> Result<least_action_optimization::fit::Course<Prepared<'a>>> {
    let instance = parameters::bind(registry, &asked.model)?;
    let (motion, recorded) = motion(registry, asked, &instance, streams)?;
    motion.notes().chain(recorded.remarks.iter().cloned()).for_each(|note| streams.note(note));
    asked::problem(asked, motion, &recorded)?.problem().map_err(of_fit)
}

/// The error of a fit as one of the command.
pub(crate) fn of_fit(error: Failure<Error>) -> Error {
    let remedy = "with fewer --segments there are fewer jumps, and with more of them each is easier";
    match error {
        Failure::Motion(error) => error,
        Failure::Solver(error @ Infeasible { .. }) => Error::Failed(format!("{error}; {remedy}")),
        error => Error::Mistake(error.to_string()),
    }
}
