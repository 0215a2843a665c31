//! `run`: integrate, record, plot, print the final state.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use integrator_core::drive::{
    ConstraintResidual, Moment, Observer, Plan, Quantity, RunError, Summary, Verdict, Watch, drive,
};
use integrator_core::error::StepError;
use integrator_core::method::force_stepping::StepLengths;
use integrator_core::method::{Evaluations, Stepper};
use integrator_core::noether::Motion;
use integrator_core::system::{Holonomic, Layout, Nonholonomic};
use serde::Serialize;

use crate::arguments::{Format, Run};
use crate::command::Streams;
use crate::error::{Error, printable};
use crate::files::Draft;
use crate::methods::{self, Faces, Running, Setup};
use crate::observe::{Kept, Observed};
use crate::options::Options;
use crate::output::{self, Columns, Row, Table};
use crate::parameters;
use crate::plot::{self, Film, Units};
use crate::print::{json_line, table};
use crate::radial::{self, Counted, Radial};
use crate::registry::Registry;
use crate::start;

/// The output of a run at its end.
#[derive(Debug, Serialize)]
struct Outcome<'r> {
    model: &'r str,
    method: &'r str,
    t: f64,
    q: &'r [f64],
    v: &'r [f64],
    energy: f64,
    steps: u64,
    /// The wall-clock time of the steps alone.
    seconds: f64,
    /// The wall-clock time before the first step: parameters, binding, symbolic factorizations, the first forces.
    setup_seconds: f64,
    /// The wall-clock time of measuring and writing the records.
    recording_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    multipliers: Option<&'r [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint_residual: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonholonomic_residual: Option<f64>,
    /// The values of the quantities that `--observe` names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    observed: Vec<Kept>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    radial_distribution: Vec<Radial>,
    evaluations: Evaluations,
    /// The faces of the grid crossed, where the method has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    crossings: Option<u64>,
    /// The times between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    step_lengths: Option<Lengths>,
    verdict: Judgement,
    /// The reason for which the run ended early; the state is the last good one.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

/// The judgement of the run on itself.
#[derive(Debug, Serialize)]
struct Judgement {
    /// True if the result can be believed.
    believed: bool,
    #[serde(flatten)]
    verdict: Verdict,
    /// The reason for which it cannot be, with what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<String>,
}

impl Judgement {
    /// A run that has blown up cannot be believed, whatever was measured before.
    fn of(verdict: Verdict, failure: Option<&StepError>) -> Self {
        let blown_up = failure
            .filter(|failure| matches!(failure, StepError::BlownUp { .. } | StepError::EnergyAtStart { .. }));
        let doubt = blown_up.map(StepError::to_string).or_else(|| verdict.doubt());
        Self { believed: doubt.is_none(), verdict, doubt }
    }
}

/// The times between the crossings of a run.
#[derive(Debug, Serialize)]
struct Lengths {
    mean: f64,
    shortest: f64,
    longest: f64,
    histogram: Vec<Bin>,
}

/// How many times between crossings lay in [`lower`, `upper`).
#[derive(Debug, Serialize)]
struct Bin {
    lower: f64,
    upper: f64,
    count: u64,
}

impl Lengths {
    /// Nothing where there were no crossings.
    fn of(lengths: &StepLengths) -> Option<Self> {
        let bin = |(bin, count): (Range<f64>, u64)| Bin { lower: bin.start, upper: bin.end, count };
        (lengths.count() > 0).then(|| Self {
            mean: lengths.mean(),
            shortest: lengths.shortest(),
            longest: lengths.longest(),
            histogram: lengths.histogram().map(bin).collect(),
        })
    }
}

/// Says where a run from a file goes another way than the run before would have.
fn forewarn_of_restart(
    method: &str,
    beside_state: Option<&str>,
    start: Option<&Path>,
    streams: &mut Streams<'_>,
) {
    if let (Some(part), Some(path)) = (beside_state, start) {
        let path = path.display();
        let _ = writeln!(
            streams.err,
            "note: if {path} is a state of an earlier run with {method}, this one goes another way than that would have: a state does \
             not tell {part}"
        );
    }
}

/// Integrates a model as the arguments say.
pub(crate) fn run(registry: &Registry, arguments: &Run, streams: &mut Streams<'_>) -> Result<(), Error> {
    let clock = Instant::now();
    if let Some(path) = &arguments.out {
        output::check(path)?;
    }
    if let Some(path) = &arguments.plot {
        plot::check_ending(path)?;
    }
    arguments.radial.as_deref().map_or(Ok(()), radial::check)?;
    let method = methods::find(&arguments.method)?;
    let instance = parameters::bind(registry, &arguments.model)?;
    let known = method.options(&*instance.system);
    let params = arguments.model.params.as_deref();
    let options = Options::read(method.name, &known, params, &arguments.with)?;
    let faces = method.faces(&instance, &options)?;
    let layout = instance.system.lagrangian().layout();
    let state = match &arguments.start {
        Some(path) => start::read(path, layout)?,
        None => instance.start.clone(),
    };
    let plan = plan(state.t, arguments)?;
    let signals = instance.system.lagrangian().signals();
    let plan = plan.within(signals, state.t, arguments.step).map_err(Error::Plan)?;
    let observed = Observed::new(&instance, &faces, &arguments.observe, (&state, arguments.boltzmann))?;
    let seed = arguments.seed.unwrap_or_default();
    let setup = Setup { options: &options, state, step: arguments.step, seed, forewarned: true };
    let Running { mut stepper, instability, beside_state } = method.start(&faces, setup)?;

    // Files are begun only now, and replace older ones only at the end, so that a mistake leaves the results of an earlier run alone.
    let mut recorder = Recorder::new(&faces, layout, &*stepper, observed, arguments)?;
    if let Some((film, _)) = &mut recorder.film {
        film.units = Units::of(&instance.system.description().documentation);
    }
    let warnings = instability.map(|warning| warning.to_string());
    for warning in warnings.iter().map(String::as_str).chain(stepper.warning()) {
        // The run goes on when nobody listens.
        let _ = writeln!(streams.err, "warning: {}", printable(warning));
    }
    forewarn_of_restart(method.name, beside_state, arguments.start.as_deref(), streams);
    let setup = clock.elapsed();
    let mut watch = Watch::of(faces.lagrangian());
    let mut bar = streams.progress.then(|| Progress::new(plan.steps));
    let mut patience = streams.patience.take().filter(|_| bar.is_none());
    let told = bar.as_mut().map(|bar| bar as &mut dyn Observer);
    let told = told.into_iter().chain(patience.as_mut().map(|patience| patience as &mut dyn Observer));
    let mut observers: Vec<&mut dyn Observer> =
        std::iter::once(&mut recorder as &mut dyn Observer).chain(told).collect();
    let outcome = drive(&mut *stepper, plan, &mut watch, &mut observers);
    drop(patience);
    let (summary, failure) = match outcome {
        Ok(summary) => (summary, None),
        Err(RunError::Step { source, summary }) => (*summary, Some(Error::Step(source))),
        Err(RunError::Observe { source, summary }) => (*summary, Some(observer_failed(source))),
        Err(error) => return Err(Error::Plan(error)),
    };
    let report = stepper.report();
    let blown_up = matches!(failure, Some(Error::Step(StepError::BlownUp { .. })));
    // A run that has blown up ends with its last good state.
    let state = watch.good().filter(|_| blown_up).unwrap_or_else(|| stepper.state());
    let multipliers = stepper.multipliers().filter(|_| !blown_up);
    if blown_up {
        let moment = Moment { step: summary.steps, of: plan.steps, state, multipliers, report };
        recorder.measure(&moment);
    }
    let stopped = if let Some(Error::Step(error)) = &failure { Some(error) } else { None };
    let judgement = Judgement::of(summary.verdict, stopped);
    // A run that has computed nothing replaces nothing, and files that cannot be written take nothing from the result.
    let written =
        if stepper.steps() > 0 { recorder.complete(&title(&instance.name, arguments)) } else { Ok(()) };
    let failure = failure.or(written.err());
    let outcome = Outcome {
        model: &instance.name,
        method: method.name,
        t: state.t,
        q: &state.q,
        v: &state.v,
        energy: recorder.energy,
        steps: summary.steps,
        seconds: summary.seconds - recorder.spent.as_secs_f64(),
        setup_seconds: setup.as_secs_f64(),
        recording_seconds: recorder.spent.as_secs_f64(),
        multipliers,
        constraint_residual: recorder.residual,
        nonholonomic_residual: recorder.rolling,
        observed: recorder.observed.outcome(),
        radial_distribution: recorder.radial.as_ref().map_or_else(Vec::new, Counted::told),
        evaluations: report.evaluations,
        crossings: report.crossings,
        step_lengths: report.step_lengths.and_then(Lengths::of),
        failure: failure.as_ref().map(Error::line),
        verdict: judgement,
    };
    let conserved = instance.system.lagrangian().conserved();
    let is_conserved = conserved.iter().any(|quantity| quantity.motion == Motion::Time);
    // What is driven, vibrated or damped has no error of the energy.
    let energy = (if is_conserved { "energy error" } else { "energy change" }, recorder.initial_energy);
    match arguments.format {
        Format::Json => json_line(streams.out, &outcome)?,
        Format::Text => {
            outcome.text(layout, energy, streams.out).map_err(|error| Error::stdout(&error))?;
        }
    }
    // A failed run says so by its error.
    if let (Some(doubt), None) = (&outcome.verdict.doubt, &failure) {
        let _ = writeln!(streams.err, "warning: {doubt}");
    }
    failure.map_or(Ok(()), Err)
}

fn plan(start: f64, arguments: &Run) -> Result<Plan, Error> {
    let Run { step, until, every, .. } = arguments;
    if !(step.is_finite() && *step > 0.0) {
        return Err(Error::BadNumber {
            flag: "--step",
            value: *step,
            reason: "the step must be positive and finite",
        });
    }
    if !until.is_finite() {
        return Err(Error::BadNumber { flag: "--until", value: *until, reason: "the time must be finite" });
    }
    if *every == 0 {
        return Err(Error::BadNumber {
            flag: "--every",
            value: 0.0,
            reason: "the number of steps between records must be at least 1",
        });
    }
    Ok(Plan::until(start, *until, *step).map_err(Error::Plan)?.every(*every))
}

fn title(model: &str, arguments: &Run) -> String {
    let mut named = vec![model];
    named.extend(arguments.model.set.iter().map(String::as_str));
    let mut with = vec![arguments.method.as_str()];
    with.extend(arguments.with.iter().map(String::as_str));
    let title = format!("{}: {}, step {}", named.join(", "), with.join(", "), arguments.step);
    if title.chars().count() <= 90 {
        title
    } else {
        format!("{}…", title.chars().take(89).collect::<String>())
    }
}

/// What an observer can fail by.
type Unobserved = Box<dyn std::error::Error + Send + Sync>;

/// An observer's error is ours where we wrote it.
fn observer_failed(error: Unobserved) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => *error,
        Err(error) => Error::Unwritable { place: "the recorder".to_owned(), reason: error.to_string() },
    }
}

/// Measures each observed moment once, for the file, the picture and the final report.
struct Recorder<'s> {
    measure_energy: Box<dyn Quantity + 's>,
    measure_residual: Option<ConstraintResidual<'s, dyn Holonomic + 's>>,
    measure_rolling: Option<ConstraintResidual<'s, dyn Nonholonomic + 's>>,
    initial_energy: f64,
    energy: f64,
    residual: Option<f64>,
    /// The residual of constraints on velocities.
    rolling: Option<f64>,
    observed: Observed<'s>,
    radial: Option<Counted>,
    /// The averaged multipliers that `--observe-window` asks for.
    multipliers: Option<Box<dyn Quantity + 's>>,
    /// A row of multipliers that are not known, as long as the others; empty where the method computes none.
    no_multipliers: Vec<f64>,
    /// The values of the observed quantities, and of the multipliers behind them.
    values: Vec<f64>,
    table: Option<(Box<dyn Table>, Draft)>,
    film: Option<(Film, Draft)>,
    /// The time spent here, which is not that of the steps.
    spent: Duration,
}

impl<'s> Recorder<'s> {
    fn new(
        faces: &'s Faces<'s>,
        layout: &Layout,
        stepper: &dyn Stepper,
        observed: Observed<'s>,
        arguments: &Run,
    ) -> Result<Self, Error> {
        let (constrained, rolling) = (faces.constraints(), faces.nonholonomic());
        let inputs = [&arguments.model.params, &arguments.start];
        let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
        let multipliers: Option<Box<dyn Quantity + 's>> = match arguments.observe_window {
            Some(window) => Some(Box::new(faces.penalty_multipliers(window)?)),
            None => None,
        };
        let mut names: Vec<String> = observed.names().map(str::to_owned).collect();
        names.extend(multipliers.iter().flat_map(|multipliers| multipliers.names()));
        let rows = if stepper.multipliers().is_some() { faces.multipliers().names() } else { Vec::new() };
        let columns = || Columns::new(layout, [constrained.is_some(), rolling.is_some()], &names, &rows);
        let table = match &arguments.out {
            Some(path) => {
                let draft = Draft::create("--out", path, &inputs)?;
                Some((output::create(&draft, &columns())?, draft))
            }
            None => None,
        };
        let film = match &arguments.plot {
            Some(path) => {
                let film = Film::new(layout, constrained, stepper.state());
                Some((film, Draft::create("--plot", path, &inputs)?))
            }
            None => None,
        };
        let radial = Counted::new(faces.lagrangian(), arguments, &inputs)?;
        Ok(Self {
            measure_energy: faces.energy(),
            measure_residual: constrained.map(ConstraintResidual::of),
            measure_rolling: rolling.map(ConstraintResidual::of_velocities),
            initial_energy: f64::NAN,
            energy: f64::NAN,
            residual: None,
            rolling: None,
            values: vec![f64::NAN; names.len()],
            observed,
            radial,
            multipliers,
            no_multipliers: vec![f64::NAN; rows.len()],
            table,
            film,
            spent: Duration::ZERO,
        })
    }

    /// Gives the files their names: the trajectory, and the picture, which is drawn now.
    fn complete(&mut self, title: &str) -> Result<(), Error> {
        let table = self.table.take().map_or(Ok(()), |(_, draft)| draft.complete());
        let film = self.film.take().map_or(Ok(()), |(film, draft)| plot::write(draft, title, &film));
        let radial = self.radial.as_mut().map_or(Ok(()), |radial| radial.complete(title));
        table.and(film).and(radial)
    }

    /// Measures energy, residual and the observed quantities.
    fn measure(&mut self, moment: &Moment<'_>) {
        let mut number = [f64::NAN];
        self.measure_energy.measure(moment, &mut number);
        self.energy = number[0];
        if moment.step == 0 {
            self.initial_energy = self.energy;
        }
        if let Some(residual) = &mut self.measure_residual {
            residual.measure(moment, &mut number);
            self.residual = Some(number[0]);
        }
        if let Some(rolling) = &mut self.measure_rolling {
            rolling.measure(moment, &mut number);
            self.rolling = Some(number[0]);
        }
        self.observed.measure(moment, &mut self.values);
    }
}

impl Observer for Recorder<'_> {
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Unobserved> {
        let clock = Instant::now();
        self.measure(moment);
        if let Some(radial) = &mut self.radial {
            radial.sample(moment.state);
        }
        if let Some(multipliers) = &mut self.multipliers {
            multipliers.measure(moment, &mut self.values[self.observed.len()..]);
        }
        if let Some((table, _)) = &mut self.table {
            let state = moment.state;
            table.write(&Row {
                t: state.t,
                q: &state.q,
                v: &state.v,
                energy: self.energy,
                constraint_residual: self.residual,
                nonholonomic_residual: self.rolling,
                observed: &self.values,
                // A state where the constraints hold the system by fewer rows than there are may have none that mean anything.
                multipliers: (!self.no_multipliers.is_empty())
                    .then(|| moment.multipliers.unwrap_or(&self.no_multipliers)),
            })?;
        }
        if let Some((film, _)) = &mut self.film {
            film.push(moment.state, self.energy, [self.residual, self.rolling]);
        }
        self.spent += clock.elapsed();
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), Unobserved> {
        Ok(self.table.as_mut().map_or(Ok(()), |(table, _)| table.finish())?)
    }
}

/// A bar on standard error.
struct Progress(ProgressBar);

impl Progress {
    fn new(steps: u64) -> Self {
        let bar = ProgressBar::new(steps);
        // A template that does not parse leaves the default bar, which is as good.
        if let Ok(style) =
            ProgressStyle::with_template("{bar:40} {percent:>3} %  step {pos} of {len}, {eta} left")
        {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Observer for Progress {
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Unobserved> {
        self.0.set_position(moment.step);
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), Unobserved> {
        self.0.finish_and_clear();
        Ok(())
    }
}

/// The degrees of freedom that the table for people shows at most.
const SHOWN: usize = 24;

impl Outcome<'_> {
    fn text(
        &self,
        layout: &Layout,
        (change, initial_energy): (&str, f64),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut rows = vec![
            vec!["model".to_owned(), self.model.to_owned()],
            vec!["method".to_owned(), self.method.to_owned()],
            vec!["t".to_owned(), format!("{:?}", self.t)],
            vec!["steps".to_owned(), self.steps.to_string()],
            vec![
                "time of the steps".to_owned(),
                format!(
                    "{}, {} each; {} to set up, {} to record",
                    duration(self.seconds),
                    duration(self.seconds / self.steps.max(1) as f64),
                    duration(self.setup_seconds),
                    duration(self.recording_seconds)
                ),
            ],
            vec!["energy".to_owned(), format!("{:?}", self.energy)],
            vec![change.to_owned(), format!("{:.3e}", self.energy - initial_energy)],
        ];
        if let Some(residual) = self.constraint_residual {
            rows.push(vec!["constraint residual".to_owned(), format!("{residual:.3e}")]);
        }
        if let Some(residual) = self.nonholonomic_residual {
            rows.push(vec!["nonholonomic residual".to_owned(), format!("{residual:.3e}")]);
        }
        for kept in &self.observed {
            let value = format!("{:?}, changed by at most {:.3e}", kept.last, kept.largest_change);
            rows.push(vec![kept.name.clone(), value]);
        }
        rows.extend(self.radial_distribution.iter().map(|radial| radial.words().to_vec()));
        let counts = self.evaluations;
        let evaluations = [
            ("gradients", counts.gradients),
            ("Hessians", counts.hessians),
            ("third derivatives", counts.thirds),
            ("constraints", counts.constraints),
            ("factorizations", counts.factorizations),
            ("iterations", counts.iterations),
            ("values", counts.values),
            ("crossings", self.crossings.unwrap_or(0)),
        ];
        for (name, count) in evaluations.into_iter().filter(|(_, count)| *count > 0) {
            rows.push(vec![name.to_owned(), count.to_string()]);
        }
        if let Some(Lengths { mean, shortest, longest, .. }) = &self.step_lengths {
            let value = format!("{mean:.3e}, from {shortest:.3e} to {longest:.3e}");
            rows.push(vec!["time between crossings".to_owned(), value]);
        }
        table(&rows).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out)?;
        let mut rows = vec![["coordinate", "q", "v"].map(str::to_owned).to_vec()];
        for (index, (q, v)) in self.q.iter().zip(self.v).enumerate().take(SHOWN) {
            rows.push(vec![layout.name_of(index), format!("{q:?}"), format!("{v:?}")]);
        }
        table(&rows).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        if self.q.len() > SHOWN {
            writeln!(out, "… and {} more: --out FILE or --format json gives all", self.q.len() - SHOWN)?;
        }
        Ok(())
    }
}

/// A time with the unit in which it is easily read.
fn duration(seconds: f64) -> String {
    let units = [(1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1.0, 1e3, "ms")];
    let found = units.into_iter().find(|(limit, ..)| seconds < *limit);
    let (factor, unit) = found.map_or((1.0, "s"), |(_, factor, unit)| (factor, unit));
    format!("{:.3} {unit}", seconds * factor)
}
