//! `bench`: work against precision, for every method that fits a model or for the named ones.

mod times;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use least_action::drive::{Plan, Watch};
use least_action::method::force_stepping::ForceStepping;
use least_action::method::{Bdf, Claims, EnergyStepping, Evaluations, Method as _, Reference, Stepper};
use least_action::system::State;
use least_action_methods::{Entry, METHODS, Options, Setup};
use least_action_pages::plot::{self, Axis, Panel};
use serde::Serialize;

use self::times::Times;
use crate::arguments::{Bench, Format};
use crate::error::{Error, Result};
use crate::methods::{self, Faces, OnModels};
use crate::options;
use crate::parameters;
use crate::patience::Patience;
use crate::print::Text;
use crate::registry::{Instance, Registry};
use crate::settings;
use crate::streams::Streams;
use crate::view;

/// A run is repeated until this time has passed, and its quickest repetition counts.
const LONG_ENOUGH: Duration = Duration::from_millis(30);
/// But it is not repeated more often than this.
const MOST_REPETITIONS: usize = 20;
/// A run that would take longer is broken off, and so are the finer ones of its method.
const TOO_LONG: Duration = Duration::from_secs(10);
/// A run is not judged before this time has passed.
const JUDGED_AFTER: Duration = Duration::from_millis(500);
/// A method that chooses its steps first shows its work for this part of the time.
const PROBE: f64 = 1.0 / 1024.0;
/// And it is left out where that takes longer.
const LONG_PROBE: Duration = Duration::from_secs(1);
/// The methods that choose their steps by themselves.
const ADAPTIVE: [&str; 2] = [Reference::NAME, Bdf::NAME];
/// The tolerances of the adaptive methods.
const TOLERANCES: [f64; 6] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12];
/// The errors at which methods are compared.
const LEVELS: [f64; 5] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10];
/// The largest height of terraces, as a part of the kinetic energy at the start.
const TERRACE: f64 = 0.1;

/// The output of `bench`.
#[derive(Debug, Serialize)]
struct Outcome<'a> {
    model: &'a str,
    until: f64,
    /// The method whose end state the errors of the others are measured against.
    reference: &'static str,
    runs: Vec<Measured>,
    /// The methods that take no part, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
}

/// A method that takes no part, or none any more.
#[derive(Debug, Serialize)]
struct LeftOut {
    method: String,
    reason: String,
}

/// The quantity that is made smaller from run to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Swept {
    #[default]
    Step,
    /// Of a method that chooses its steps by itself.
    Tolerance,
    /// The heights of the terraces of energy-stepping, whose step serves its output alone.
    Height,
    /// The grids of force-stepping, whose step serves its output alone.
    Grid,
}

impl Swept {
    fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Tolerance => "tolerance",
            Self::Height => "height",
            Self::Grid => "grid",
        }
    }
}

/// One run of one method.
#[derive(Debug, Default, Serialize)]
struct Measured {
    /// The method with its options, as on the command line.
    method: String,
    /// The quantity that differs between the runs of the method.
    swept: Swept,
    /// Its value: the step, unless the method is controlled by something else.
    step: f64,
    steps: u64,
    /// The largest error of a position at the end; none where the run failed.
    error: Option<f64>,
    /// The wall-clock time of the steps.
    seconds: f64,
    evaluations: Evaluations,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    /// True if the run was broken off because it takes too long.
    #[serde(skip)]
    too_long: bool,
    /// The reason for which the run would not believe its result itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<String>,
}

/// A method that takes part.
struct Candidate<'m> {
    label: String,
    entry: &'static Entry,
    faces: Faces<'m>,
    options: Options,
    swept: Swept,
    /// The values of the swept size, the largest first.
    sizes: Vec<f64>,
}

/// Measures work against precision as the arguments say.
pub(crate) fn bench(registry: &Registry, arguments: &Bench, streams: &mut Streams<'_>) -> Result {
    if let Some(path) = &arguments.plot {
        plot::check_ending(path)?;
    }
    let instance = {
        let _patience = streams.talks.then(Patience::new);
        parameters::bind(registry, &arguments.model)?
    };
    let state = arguments.start.state(&instance)?;
    let plot = arguments.plot.as_deref().map(|path| ("--plot", path));
    instance.apart(arguments.start.file.iter().chain(&arguments.model.params), plot.as_slice())?;
    let times = Times::of(&instance, &state, arguments)?;
    let (candidates, mut left_out) = if arguments.method.is_empty() {
        all(&instance, arguments, &state, &times)?
    } else {
        (named(&instance, arguments, &state, &times)?, Vec::new())
    };
    if let Some(path) = &arguments.plot {
        plot::check(path)?;
    }
    let mut lines = Lines {
        out: Text::new(&mut *streams.out, streams.columns),
        shown: arguments.format == Format::Text,
        widest: candidates.iter().map(|one| one.label.chars().count()).max().unwrap_or(0),
    };
    lines.heading(&instance.name, &times)?;
    let exact = exact(&instance, &state, times.until)?;
    let mut runs: Vec<Measured> = Vec::new();
    for candidate in &candidates {
        if let Some(reason) = candidate.is_too_slow(&state, times.until) {
            left_out.push(LeftOut { method: candidate.label.clone(), reason });
            continue;
        }
        for &size in &candidate.sizes {
            if let Some(patience) = &streams.patience {
                let (label, swept) = (&candidate.label, candidate.swept.name());
                patience.part(format!(
                    "{label} with {swept} {size:.1e} is still being measured; --method leaves it out"
                ));
            }
            let run = candidate.measure(&state, size, times.until, &exact);
            lines.run(&run)?;
            let too_long = run.too_long;
            runs.push(run);
            if too_long {
                break;
            }
        }
    }
    if let Some(path) = &arguments.plot {
        let title = format!("{}: work against precision at t = {}", instance.name, times.until);
        plot::write_text(path, &plot::panels(&title, &[panel(&runs, &instance)])?)?;
    }
    let until = times.until;
    let outcome = Outcome { model: &instance.name, until, reference: Reference::NAME, runs, left_out };
    drop(lines);
    streams.print(arguments.format, &outcome, |outcome, out| outcome.summary(out))
}

/// The methods that are named, each with its options.
fn named<'m>(
    instance: &'m Instance,
    arguments: &Bench,
    state: &State,
    times: &Times,
) -> Result<Vec<Candidate<'m>>> {
    let candidate = |text: &String| {
        let (name, own) = text.split_once(':').unwrap_or((text, ""));
        let entry = methods::find(name)?;
        let mut with = arguments.with.clone();
        with.extend(own.split(',').filter(|option| !option.is_empty()).map(str::to_owned));
        let known = entry.options(&*instance.system);
        let options = options::read(name, &known, arguments.model.params.as_deref(), &with)?;
        let faces = entry.faces(instance, &options)?;
        let candidate = Candidate::new(text.clone(), entry, faces, options, (state, times));
        // A mistake in the options is one for every size.
        candidate.start_somewhere(state)?;
        Ok(candidate)
    };
    arguments.method.iter().map(candidate).collect()
}

/// All methods that fit with the given options; and the methods that take no part, each with the reason.
fn all<'m>(
    instance: &'m Instance,
    arguments: &Bench,
    state: &State,
    times: &Times,
) -> Result<(Vec<Candidate<'m>>, Vec<LeftOut>)> {
    let (mut candidates, mut left_out) = (Vec::new(), Vec::new());
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for entry in METHODS {
        let known = entry.options(&*instance.system);
        let takes = |text: &&String| known.iter().any(|name| text.split('=').next() == Some(*name));
        let with: Vec<String> = arguments.with.iter().filter(takes).cloned().collect();
        let options = options::read(entry.name, &known, None, &with)?;
        let mut leave_out = |reason: String| left_out.push(LeftOut { method: entry.name.to_owned(), reason });
        let faces = match entry.faces(instance, &options) {
            Ok(faces) => faces,
            Err(Error::DoesNotFit { reason, .. }) => {
                leave_out(reason);
                continue;
            }
            Err(error) => {
                leave_out(match error {
                    Error::NeedsPenalty(_) => {
                        "needs --with omega=…, a penalty instead of the constraints".to_owned()
                    }
                    error => error.line(),
                });
                names.extend(&known);
                continue;
            }
        };
        names.extend(&known);
        let separator = if with.is_empty() { "" } else { ":" };
        let label = format!("{}{separator}{}", entry.name, with.join(","));
        let candidate = Candidate::new(label, entry, faces, options, (state, times));
        match candidate.start_somewhere(state) {
            Ok(()) => candidates.push(candidate),
            Err(error) => leave_out(error.line()),
        }
    }
    for text in &arguments.with {
        let (name, _) = settings::assignment("--with", text)?;
        if !names.contains(name) {
            return Err(options::unknown("bench", name, names));
        }
    }
    Ok((candidates, left_out))
}

/// The positions at the end, with the accuracy of `reference`, of the model itself with its constraints.
fn exact(instance: &Instance, state: &State, until: f64) -> Result<Vec<f64>> {
    let reference = Reference { tolerance: 1e-13 };
    let system = instance.system.lagrangian();
    let mut stepper = reference.start(system, state.clone(), until - state.t)?;
    stepper.step()?;
    Ok(stepper.state().q.clone())
}

impl<'m> Candidate<'m> {
    fn new(
        label: String,
        entry: &'static Entry,
        faces: Faces<'m>,
        options: Options,
        (state, times): (&State, &Times),
    ) -> Self {
        let halves = |first: f64| -> Vec<f64> { times.halves().map(|part| first * part).collect() };
        let free = |option: &str| options.get(option).is_none();
        let (swept, sizes) = match entry.name {
            name if ADAPTIVE.contains(&name) && free("tolerance") => (Swept::Tolerance, TOLERANCES.to_vec()),
            EnergyStepping::NAME => {
                let kinetic = faces.natural().map_or(1.0, |face| 0.5 * face.mass().quadratic(&state.v));
                (Swept::Height, halves(options.get("height").unwrap_or(TERRACE * kinetic)))
            }
            ForceStepping::NAME => match options.get("grid") {
                Some(grid) => (Swept::Grid, halves(grid)),
                // A grid of several steps is no step to sweep, and without a grid the method names the
                // option it lacks.
                None => (Swept::Step, vec![times.step]),
            },
            _ => (Swept::Step, halves(times.step)),
        };
        Self { label, entry, faces, options, swept, sizes }
    }

    /// The options and the step of a run of this size.
    fn controlled(&self, size: f64, span: f64) -> (Options, f64) {
        let mut options = self.options.clone();
        match self.swept {
            Swept::Step => return (options, size),
            swept => options.set(swept.name(), size),
        }
        (options, span)
    }

    /// Starts the method with these options and this step.
    fn start(&self, state: &State, options: &Options, step: f64) -> Result<Box<dyn Stepper + '_>> {
        let setup = Setup { options, state: state.clone(), step, seed: 0, forewarned: false };
        Ok(self.entry.start(&self.faces, setup)?.stepper)
    }

    /// Starts the method at its largest size, or at its smallest: the first may be too large for it.
    fn start_somewhere(&self, state: &State) -> Result {
        let mut last = Ok(());
        for size in self.sizes.first().into_iter().chain(self.sizes.last()) {
            let (options, step) = self.controlled(*size, *size);
            last = self.start(state, &options, step).map(drop);
            if last.is_ok() {
                break;
            }
        }
        last
    }

    /// The reason to leave out a method that chooses its steps: it reads no clock before its run ends.
    fn is_too_slow(&self, state: &State, until: f64) -> Option<String> {
        if self.swept != Swept::Tolerance {
            return None;
        }
        let (options, span) = self.controlled(*self.sizes.first()?, until - state.t);
        let mut stepper = self.start(state, &options, PROBE * span).ok()?;
        let clock = Instant::now();
        // A failure is shown with the runs.
        let _ = stepper.step();
        let took = clock.elapsed();
        (took > LONG_PROBE).then(|| {
            format!("already a thousandth of the time takes it {:.1} s at this size", took.as_secs_f64())
        })
    }

    /// Runs the method from the start to the end, and again until it has taken long enough to be timed.
    fn measure(&self, state: &State, size: f64, until: f64, exact: &[f64]) -> Measured {
        let (method, swept) = (self.label.clone(), self.swept);
        let mut measured = Measured { method, swept, step: size, ..Measured::default() };
        if let Err(error) = self.runs(state, size, until, exact, &mut measured) {
            measured.failure = Some(error.line());
        }
        measured
    }

    fn runs(&self, state: &State, size: f64, until: f64, exact: &[f64], measured: &mut Measured) -> Result {
        let (options, step) = self.controlled(size, until - state.t);
        let plan = Plan::until(state.t, until, step).map_err(Error::Plan)?;
        // All end at the same time.
        let step = (until - state.t) / plan.steps as f64;
        let clock = Instant::now();
        let (mut repetitions, mut quickest) = (0, f64::INFINITY);
        loop {
            let mut stepper = self.start(state, &options, step)?;
            let run = Instant::now();
            let mut watch = Watch::of(self.faces.lagrangian());
            let mut failure = watch.look(&*stepper).err().map(|error| error.to_string());
            for done in 1..=plan.steps {
                if failure.is_some() {
                    break;
                }
                if let Err(error) = stepper.step().and_then(|()| watch.look(&*stepper)) {
                    failure = Some(error.to_string());
                    break;
                }
                let took = run.elapsed();
                let expected = took.as_secs_f64() * plan.steps as f64 / done as f64;
                if took > JUDGED_AFTER && expected > TOO_LONG.as_secs_f64() && done < plan.steps {
                    failure = Some(format!("it would take {expected:.0} s; the finer runs are left out"));
                    measured.too_long = true;
                    break;
                }
            }
            let took = run.elapsed();
            quickest = quickest.min(took.as_secs_f64());
            let verdict = watch.finish(&*stepper);
            let failure = failure.or_else(|| verdict.as_ref().err().map(ToString::to_string));
            repetitions += 1;
            if repetitions < MOST_REPETITIONS && clock.elapsed() < LONG_ENOUGH && failure.is_none() {
                continue;
            }
            // The next one would be too long.
            measured.too_long |= 2 * took > TOO_LONG;
            let differences = stepper.state().q.iter().zip(exact).map(|(q, exact)| (q - exact).abs());
            measured.error = failure.is_none().then(|| differences.fold(0.0, f64::max));
            (measured.steps, measured.seconds) = (stepper.steps(), quickest);
            measured.evaluations = stepper.report().evaluations;
            measured.doubt = verdict.ok().and_then(|verdict| verdict.doubt());
            measured.failure = failure;
            return Ok(());
        }
    }
}

/// The table, line by line as it becomes known.
struct Lines<'o> {
    out: Text<'o>,
    /// False where the results are printed as one object at the end.
    shown: bool,
    /// The letters of the longest label.
    widest: usize,
}

impl Lines<'_> {
    fn print(&mut self, text: std::fmt::Arguments<'_>) -> Result {
        if !self.shown {
            return Ok(());
        }
        let printed = writeln!(self.out, "{text}").and_then(|()| self.out.flush());
        printed.map_err(|error| Error::stdout(&error))
    }

    fn heading(&mut self, model: &str, times: &Times) -> Result {
        let (until, reference) = (times.until, Reference::NAME);
        let (why, width) = (times.reason(), self.widest);
        self.print(format_args!(
            "{model} until t = {until}{why}: the largest error of a position, against `{reference}`\n"
        ))?;
        self.print(format_args!(
            "{:<width$}  {:<19}  {:>9}  {:>8}  {:>11}  {:>9}",
            "method", "with", "steps", "error", "time", "gradients",
        ))
    }

    fn run(&mut self, run: &Measured) -> Result {
        let (error, why) = match (&run.error, &run.failure) {
            (Some(error), _) => (format!("{error:.2e}"), String::new()),
            (None, why) => {
                ("fails".to_owned(), why.as_deref().map_or_else(String::new, |why| format!("  {why}")))
            }
        };
        let (swept, width) = (format!("{} {:.3e}", run.swept.name(), run.step), self.widest);
        self.print(format_args!(
            "{:<width$}  {swept:<19}  {:>9}  {error:>8}  {:>9.3e} s  {:>9}{why}",
            run.method, run.steps, run.seconds, run.evaluations.gradients,
        ))
    }
}

/// Errors against time, both as powers of ten.
fn panel(runs: &[Measured], instance: &Instance) -> Panel {
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
    let layout = instance.system.lagrangian().layout();
    let units = view::units(instance);
    Panel {
        heading: "The lower left is best".to_owned(),
        along: Axis::of("time of the run", "s").logarithmic(),
        axis: units.coordinate("largest error of a position", layout, 0..layout.dimension()).logarithmic(),
        curves,
    }
}

impl Outcome<'_> {
    /// Prints the lines that need all rows.
    fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { runs, left_out, .. } = self;
        if !left_out.is_empty() {
            writeln!(out)?;
        }
        // One line for each reason.
        let methods = left_out.iter().map(|LeftOut { method, reason }| (method.as_str(), reason.as_str()));
        for (reason, names) in methods::by_reason(methods) {
            writeln!(out, "without {names}: {reason}")?;
        }
        writeln!(out, "\nThe quickest to an error of at most")?;
        for level in LEVELS {
            let reached = runs.iter().filter(|run| run.error.is_some_and(|error| error <= level));
            let best = reached.min_by(|one, other| one.seconds.total_cmp(&other.seconds));
            if let Some(Measured { method, swept, step, seconds, .. }) = best {
                let swept = swept.name();
                writeln!(out, "    {level:.0e}  {method}, {swept} {step:.3e}: {seconds:.3e} s")?;
            }
        }
        Ok(())
    }
}
