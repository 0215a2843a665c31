//! `bench`: work against precision, for every method that fits a model or for those that are named.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use integrator_core::drive::Plan;
use integrator_core::method::{Bdf, Claims, Evaluations, Method as _, Reference, Stepper as _};
use integrator_core::system::State;
use serde::Serialize;

use crate::arguments::{Bench, Format};
use crate::command::Streams;
use crate::error::{Error, Names};
use crate::methods::{self, Entry, Faces, Setup};
use crate::options::Options;
use crate::parameters;
use crate::plot::{self, Panel};
use crate::print::{json_line, table};
use crate::registry::{Instance, Registry};
use crate::start;

/// A run is repeated until this time has passed, and its quickest repetition counts.
const LONG_ENOUGH: Duration = Duration::from_millis(30);
/// But it is not repeated more often than this.
const MOST_REPETITIONS: usize = 20;
/// The methods that choose their steps by themselves.
const ADAPTIVE: [&str; 2] = [Reference::NAME, Bdf::NAME];
/// The tolerances of the adaptive methods.
const TOLERANCES: [f64; 6] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12];
/// The errors at which methods are compared.
const LEVELS: [f64; 5] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10];

/// The output of `bench`.
#[derive(Debug, Serialize)]
struct Outcome<'a> {
    model: &'a str,
    until: f64,
    /// The method whose end state the errors of the others are measured against.
    reference: &'static str,
    runs: Vec<Measured>,
    /// The methods that fit but cannot start without further options, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
}

/// A method that takes no part.
#[derive(Debug, Serialize)]
struct LeftOut {
    method: &'static str,
    reason: String,
}

/// One run of one method.
#[derive(Debug, Serialize)]
struct Measured {
    /// The method with its options, as on the command line.
    method: String,
    /// The step; of an adaptive method, the tolerance.
    step: f64,
    steps: u64,
    /// The largest error of a position at the end; none where the run failed.
    error: Option<f64>,
    /// The wall-clock time of the steps.
    seconds: f64,
    evaluations: Evaluations,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

/// A method that takes part.
struct Candidate<'m> {
    label: String,
    entry: &'static Entry,
    faces: Faces<'m>,
    options: Options,
}

/// Measures work against precision as the arguments say.
pub(crate) fn bench(registry: &Registry, arguments: &Bench, streams: &mut Streams<'_>) -> Result<(), Error> {
    if let Some(path) = &arguments.plot {
        plot::check_ending(path)?;
    }
    let instance = parameters::bind(registry, &arguments.model)?;
    let state = match &arguments.start {
        Some(path) => start::read(path, instance.system.lagrangian().layout())?,
        None => instance.start.clone(),
    };
    let steps = steps(&state, arguments)?;
    let (candidates, left_out) = if arguments.method.is_empty() {
        all(&instance, arguments, &state, steps[0])?
    } else {
        (named(&instance, arguments)?, Vec::new())
    };
    if let Some(path) = &arguments.plot {
        plot::check(path)?;
    }
    let exact = exact(&instance, &state, arguments.until)?;
    let bar = ProgressBar::new_spinner();
    if streams.progress {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    let mut runs = Vec::new();
    for candidate in &candidates {
        let sizes = if candidate.chooses_its_steps() { &TOLERANCES[..] } else { &steps };
        for &size in sizes {
            bar.set_message(format!("{}, {size:.3e}", candidate.label));
            runs.push(candidate.measure(&state, size, arguments.until, &exact)?);
        }
    }
    bar.finish_and_clear();
    if let Some(path) = &arguments.plot {
        let title = format!("{}: work against precision at t = {}", instance.name, arguments.until);
        plot::write_text(path, &plot::panels(&title, &[panel(&runs)])?)?;
    }
    let outcome =
        Outcome { model: &instance.name, until: arguments.until, reference: Reference::NAME, runs, left_out };
    match arguments.format {
        Format::Json => json_line(streams.out, &outcome),
        Format::Text => outcome.text(streams.out).map_err(|error| Error::stdout(&error)),
    }
}

/// The steps: the first, and its halves.
fn steps(state: &State, arguments: &Bench) -> Result<Vec<f64>, Error> {
    let first = arguments.step.unwrap_or((arguments.until - state.t) / 20.0);
    if !(arguments.until.is_finite() && arguments.until > state.t) {
        let reason = "the time must be finite and later than the start";
        return Err(Error::BadNumber { flag: "--until", value: arguments.until, reason });
    }
    if !(first.is_finite() && first > 0.0) {
        let reason = "the step must be positive and finite";
        return Err(Error::BadNumber { flag: "--step", value: first, reason });
    }
    let steps: Vec<f64> = (0..=arguments.halvings).map(|k| first * 0.5_f64.powi(k.cast_signed())).collect();
    for &step in &steps {
        Plan::until(state.t, arguments.until, step).map_err(Error::Plan)?;
    }
    Ok(steps)
}

/// The methods that are named, each with its options.
fn named<'m>(instance: &'m Instance, arguments: &Bench) -> Result<Vec<Candidate<'m>>, Error> {
    let candidate = |text: &String| {
        let (name, own) = text.split_once(':').unwrap_or((text, ""));
        let entry = methods::find(name)?;
        let mut with = arguments.with.clone();
        with.extend(own.split(',').filter(|option| !option.is_empty()).map(str::to_owned));
        let known = entry.options(&*instance.system);
        let options = Options::read(name, &known, arguments.model.params.as_deref(), &with)?;
        let faces = entry.faces(instance, &options)?;
        Ok(Candidate { label: text.clone(), entry, faces, options })
    };
    arguments.method.iter().map(candidate).collect()
}

/// All methods that fit with the options that are given, and those of them that need more to start.
fn all<'m>(
    instance: &'m Instance,
    arguments: &Bench,
    state: &State,
    step: f64,
) -> Result<(Vec<Candidate<'m>>, Vec<LeftOut>), Error> {
    let (mut candidates, mut left_out) = (Vec::new(), Vec::new());
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for entry in methods::METHODS {
        let known = entry.options(&*instance.system);
        let takes = |text: &&String| known.iter().any(|name| text.split('=').next() == Some(*name));
        let with: Vec<String> = arguments.with.iter().filter(takes).cloned().collect();
        let options = Options::read(entry.name, &known, None, &with)?;
        let Ok(faces) = entry.faces(instance, &options) else { continue };
        names.extend(&known);
        let setup = Setup { options: &options, state: state.clone(), step, seed: 0, forewarned: false };
        if let Err(error) = entry.start(&faces, setup).map(drop) {
            left_out.push(LeftOut { method: entry.name, reason: error.line() });
            continue;
        }
        let separator = if with.is_empty() { "" } else { ":" };
        let label = format!("{}{separator}{}", entry.name, with.join(","));
        candidates.push(Candidate { label, entry, faces, options });
    }
    for text in &arguments.with {
        let (name, _) = parameters::assignment("--with", text)?;
        if !names.contains(name) {
            let known: Names = names.into_iter().collect();
            let hint = known.near(name);
            return Err(Error::UnknownOption {
                method: "bench".to_owned(),
                name: name.to_owned(),
                hint,
                known,
            });
        }
    }
    Ok((candidates, left_out))
}

/// The positions at the end, as accurate as `reference` has them, of the model itself with its constraints.
fn exact(instance: &Instance, state: &State, until: f64) -> Result<Vec<f64>, Error> {
    let reference = Reference { tolerance: 1e-13 };
    let system = instance.system.lagrangian();
    let mut stepper = reference.start(system, state.clone(), until - state.t)?;
    stepper.step()?;
    Ok(stepper.state().q.clone())
}

impl Candidate<'_> {
    fn chooses_its_steps(&self) -> bool {
        ADAPTIVE.contains(&self.entry.name) && self.options.get("tolerance").is_none()
    }

    /// Runs the method from the start to the end, and again until it has taken long enough to be timed.
    fn measure(&self, state: &State, size: f64, until: f64, exact: &[f64]) -> Result<Measured, Error> {
        let mut options = self.options.clone();
        let mut step = size;
        if self.chooses_its_steps() {
            options.set("tolerance", size);
            step = until - state.t;
        }
        let plan = Plan::until(state.t, until, step).map_err(Error::Plan)?;
        // All end at the same time.
        let step = (until - state.t) / plan.steps as f64;
        let clock = Instant::now();
        let (mut repetitions, mut quickest) = (0, f64::INFINITY);
        loop {
            let setup = Setup { options: &options, state: state.clone(), step, seed: 0, forewarned: false };
            let mut stepper = self.entry.start(&self.faces, setup)?.stepper;
            let run = Instant::now();
            let failure = (0..plan.steps).find_map(|_| stepper.step().err());
            quickest = quickest.min(run.elapsed().as_secs_f64());
            repetitions += 1;
            if repetitions < MOST_REPETITIONS && clock.elapsed() < LONG_ENOUGH && failure.is_none() {
                continue;
            }
            let differences = stepper.state().q.iter().zip(exact).map(|(q, exact)| (q - exact).abs());
            return Ok(Measured {
                method: self.label.clone(),
                step: size,
                steps: stepper.steps(),
                error: failure.is_none().then(|| differences.fold(0.0, f64::max)),
                seconds: quickest,
                evaluations: stepper.report().evaluations,
                failure: failure.map(|failure| failure.to_string()),
            });
        }
    }
}

/// Errors against time, both as powers of ten.
fn panel(runs: &[Measured]) -> Panel {
    let mut curves: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for run in runs {
        if curves.last().is_none_or(|(method, _)| *method != run.method) {
            curves.push((run.method.clone(), Vec::new()));
        }
        // An error of zero or above ten has no place in the picture.
        let shown = run.error.filter(|error| (f64::MIN_POSITIVE..10.0).contains(error));
        if let (Some(error), Some((_, points))) = (shown, curves.last_mut()) {
            points.push((run.seconds.log10(), error.log10()));
        }
    }
    curves.retain(|(_, points)| !points.is_empty());
    Panel {
        heading: "the lower left is best".to_owned(),
        along: "log₁₀ of the time in s",
        axis: "log₁₀ of max |q − q̂|".to_owned(),
        curves,
    }
}

impl Outcome<'_> {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { model, until, reference, runs, left_out } = self;
        writeln!(out, "{model} until t = {until}: the largest error of a position, against `{reference}`\n")?;
        let heading = ["method", "step", "steps", "error", "time", "gradients"].map(str::to_owned).to_vec();
        let row = |run: &Measured| {
            let error = run.error.map_or_else(|| "fails".to_owned(), |error| format!("{error:.2e}"));
            vec![
                run.method.clone(),
                format!("{:.3e}", run.step),
                run.steps.to_string(),
                error,
                format!("{:.3e} s", run.seconds),
                run.evaluations.gradients.to_string(),
            ]
        };
        let rows: Vec<_> = std::iter::once(heading).chain(runs.iter().map(row)).collect();
        table(&rows).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        for LeftOut { method, reason } in left_out {
            writeln!(out, "{method} takes no part: {reason}")?;
        }
        writeln!(out, "\nThe quickest to an error of at most")?;
        for level in LEVELS {
            let reached = runs.iter().filter(|run| run.error.is_some_and(|error| error <= level));
            if let Some(best) = reached.min_by(|one, other| one.seconds.total_cmp(&other.seconds)) {
                writeln!(
                    out,
                    "    {level:.0e}  {}, step {:.3e}: {:.3e} s",
                    best.method, best.step, best.seconds
                )?;
            }
        }
        Ok(())
    }
}
