//! `fit`: the parameters and the starts of a model whose motions come nearest to recordings.

pub(crate) mod asked;
mod outcome;
mod page;

use least_action::system::State;
use least_action_optimization::fit::{self as fits, Data, Fit, Phase};
use least_action_optimization::least_squares::{self, Options as Settings};
use least_action_pages::files;

use crate::arguments::{AskedFit, Format};
use crate::error::Error;
use crate::gradient::motion::{Motion, completed, in_words};
use crate::print::json_line;
use crate::registry::Registry;
use crate::streams::Streams;
use crate::unknowns::Unknowns;
use crate::{parameters, run};
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
    let AskedFit { model, with, method, step, .. } = asked;
    let given = (model, &with[..], asked.start.first().map(|path| &**path));
    let (arguments, note) = completed(registry, given, (method.as_ref(), *step, Some(last)))?;
    run::check_times(arguments.step, arguments.until)?;
    let mut motion = Motion::new(registry, &arguments, streams)?;
    motion.stop = streams.stop();
    let first = starts.first().cloned().flatten().map_or_else(|| instance.own_start(), Ok)?;
    let of = asked::identity(asked, &data, &starts);
    let mut unknowns = Unknowns::open(asked.checkpoint.as_ref(), ("fit", of), &motion, &first)?;
    asked.report.as_deref().map_or(Ok(()), |path| files::check("--report", path))?;
    let method = motion.method.name;
    let mut fit = Fit::of(motion).segments(asked.segments).within(parameters::available(model));
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
    for remark in note.into_iter().chain(remarks) {
        // The result is there when nobody listens.
        let _ = writeln!(streams.err, "note: {remark}");
    }
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
        let numbers = at.x.iter().map(|x| x.to_bits());
        let words: Vec<u64> = std::iter::once(u64::from(phase == Phase::Joined)).chain(numbers).collect();
        unknowns.see(number, &words)
    });
    let found = unknowns.ended(found.map_err(of_fit))?;
    if let Some(words) = in_words(&found.follows) {
        // The result is there when nobody listens.
        let _ = writeln!(streams.err, "note: {words}");
    }
    let outcome = Outcome::new(&instance.name, method, arguments.step, &found);
    match asked.format {
        Format::Json => json_line(streams.out, &outcome)?,
        Format::Text => outcome.text(&mut streams.text()).map_err(|error| Error::stdout(&error))?,
    }
    if let Some(doubt) = &outcome.verdict.doubt {
        // The result is there when nobody listens.
        let _ = writeln!(streams.err, "warning: {doubt}");
    }
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
