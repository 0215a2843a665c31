//! `fit`: the parameters and the starts of a model whose motions come nearest to recordings.

pub(crate) mod asked;
mod outcome;
mod page;

use least_action_optimization::fit::{self as fits, Data, Fit, Phase};
use least_action_optimization::least_squares::{self, Options as Settings};
use least_action_pages::files;

use crate::arguments::{AskedFit, Request, StartChoice};
use crate::error::Error;
use crate::gradient::motion::in_words;
use crate::parameters;
use crate::prepared::Prepared;
use crate::registry::Registry;
use crate::streams::Streams;
use crate::unknowns::Unknowns;
use outcome::Outcome;

/// Fits a model to recordings, and prints the result.
pub(crate) fn fit(registry: &Registry, asked: &AskedFit, streams: &mut Streams<'_>) -> Result<(), Error> {
    asked.report.as_deref().map_or(Ok(()), page::check)?;
    let instance = parameters::bind(registry, &asked.model)?;
    let outputs = [("--report", &asked.report), ("--checkpoint", &asked.checkpoint)];
    let outputs: Vec<_> = outputs.iter().filter_map(|(flag, path)| Some((*flag, path.as_deref()?))).collect();
    instance.apart(asked.data.iter().chain(&asked.start).chain(&asked.model.params), &outputs)?;
    asked.report.as_deref().map_or(Ok(()), |report| files::check("--report", report))?;
    let starts = asked::starts(asked, &instance)?;
    let (data, remarks) = asked::data(asked, &instance)?;
    let last = data.iter().map(Data::end).fold(f64::NEG_INFINITY, f64::max);
    // An own start has the entries that are others; the first of the given ones has them already.
    let state = starts.first().cloned().flatten();
    let start = StartChoice { file: None, from: asked.from.clone(), state };
    let (model, by, until) = (asked.model.clone(), asked.by.clone(), Some(last));
    let mut motion = Prepared::new(registry, &Request { model, by, until, start })?;
    motion.differentiable(streams)?;
    motion.stop = streams.stop();
    let of = asked::identity(asked, &data, &starts);
    let mut unknowns = Unknowns::open(asked.checkpoint.as_ref(), ("fit", of), &motion)?;
    asked.report.as_deref().map_or(Ok(()), |path| files::check("--report", path))?;
    let (step, method, notes) = (motion.step, motion.method.name, motion.notes().collect::<Vec<_>>());
    let limit = parameters::available(&asked.model);
    let mut fit = Fit::of(motion).segments(asked.segments).within(limit);
    for (name, bounds) in asked::free(asked)? {
        fit = fit.free(name, bounds);
    }
    for (data, start) in data.into_iter().zip(starts) {
        fit = match start {
            Some(start) => fit.data(data, start),
            None => fit.own(data),
        };
    }
    if let Some([phase, x @ ..]) = unknowns.words.take().as_deref() {
        let phase = if *phase == 0 { Phase::Apart } else { Phase::Joined };
        fit = fit.from(x.iter().map(|bits| f64::from_bits(*bits)).collect(), phase);
    }
    notes.into_iter().chain(remarks).for_each(|remark| streams.note(remark));
    let settings = Settings { iterations: asked.iterations, ..Settings::default() };
    let found = fit.solve(&settings, |at, phase| {
        let part = if phase == Phase::Apart { ", segments apart" } else { "" };
        let jumps = if asked.segments > 1 && phase == Phase::Joined {
            format!(", largest jump {:.1e}", at.violation)
        } else {
            String::new()
        };
        let (number, size) = (at.number, (2.0 * at.cost).sqrt());
        streams.tell(format_args!("iteration {number}{part}: |r| = {size:.6e}{jumps}"));
        let numbers = at.x.iter().map(|x| x.to_bits());
        let words: Vec<u64> = std::iter::once(u64::from(phase == Phase::Joined)).chain(numbers).collect();
        unknowns.see(number, &words)
    });
    let found = unknowns.ended(found.map_err(of_fit))?;
    in_words(&found.follows).into_iter().for_each(|words| streams.note(words));
    let outcome = Outcome::new(&instance.name, method, step, &found);
    streams.print(asked.format, &outcome, Outcome::text)?;
    outcome.verdict.doubt.iter().for_each(|doubt| streams.warn(doubt));
    asked.report.as_deref().map_or(Ok(()), |path| page::write(path, &instance, &outcome, &found))
}

/// The error of a fit as one of the command.
fn of_fit(error: fits::Error<Error>) -> Error {
    match error {
        fits::Error::Motion(error) => error,
        fits::Error::Solver(error @ least_squares::Error::Infeasible { .. }) => Error::Failed(format!(
            "{error}; with fewer --segments there are fewer jumps, and with more of them each is easier"
        )),
        error => Error::Mistake(error.to_string()),
    }
}
