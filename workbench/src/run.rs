//! `run` and `resume`: integrate, record, plot, print the final state.

mod fed;
mod outcome;
mod progress;
mod recorder;
mod saved;
mod viewed;

use std::path::Path;
use std::time::{Duration, Instant};

use least_action::advanced::noether::Motion;
use least_action::drive::{Keeper, Moment, Observer, Plan, Quantity, RunError, Summary, Watch, drive_kept};
use least_action::error::StepError;
use least_action::method::{Langevin, Stepper};
use least_action_methods::{Needs, Options, Running, Setup};

use crate::arguments::{Format, Request, Run, StartChoice};
use crate::error::{Error, printable};
use crate::identity::Identity;
use crate::methods::{self, OnModels};
use crate::moments;
use crate::observe::Observed;
use crate::output::{self, Rows};
use crate::prepared::Prepared;
use crate::radial::{self, Counted};
use crate::registry::{Instance, Registry};
use crate::stop::Stop;
use crate::streams::{Says, Streams};
use least_action_pages::plot;
use outcome::{Judgement, Lengths, Outcome, Times};
use progress::Progress;
use recorder::{Recorder, observer_failed};
use saved::Saved;

pub(crate) use saved::Stopped;

/// Says warnings before the first step, and where a run from a file goes another way than the run before
/// would have.
fn forewarn<'w>(
    warnings: impl Iterator<Item = &'w str>,
    (method, beside_state, start): (&str, Option<&str>, &StartChoice),
    streams: &mut Streams<'_>,
) {
    warnings.for_each(|warning| streams.warn(printable(warning)));
    if let (Some(part), Some(path)) = (beside_state, &start.file) {
        let path = path.display();
        streams.note(format_args!(
            "if {path} is a state of an earlier run with {method}, this one goes another way than that would have: a state does not \
             tell {part}"
        ));
    }
}

/// The thermostat in words, with its defaults, as no temperature is usual.
fn thermostat(options: &Options) -> Option<String> {
    let defaults = Langevin::around(());
    let all = [("friction", defaults.friction), ("inverse_temperature", defaults.inverse_temperature)];
    let given = all.map(|(name, _)| options.get(name));
    given.iter().any(Option::is_some).then(|| {
        let words = all.iter().zip(given).map(|((name, default), given)| {
            given.map_or_else(|| format!("{name} {default} (by default)"), |given| format!("{name} {given}"))
        });
        words.collect::<Vec<_>>().join(", ")
    })
}

/// Inputs and outputs of a caller in the process of the run, beside files.
#[derive(Default)]
pub(crate) struct Inside<'i> {
    /// The run to go on with.
    pub(crate) stopped: Option<&'i Stopped>,
    /// Where rows are kept in memory, and the arguments with all that was chosen.
    pub(crate) rows: Option<&'i mut Rows>,
    pub(crate) completed: Option<&'i mut Run>,
}

/// Integrates a model as the arguments say, or goes on with a run that was stopped, whose arguments they
/// are.
pub(crate) fn run(
    registry: &Registry,
    arguments: &Run,
    Inside { stopped, rows, completed }: Inside<'_>,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    let clock = Instant::now();
    check_outputs(arguments)?;
    let prepared = prepared(registry, arguments, stopped)?;
    check_apart(arguments, &prepared.instance)?;
    let arguments = &complete(arguments, &prepared);
    completed.into_iter().for_each(|completed| completed.clone_from(arguments));
    let Prepared { instance, method, options, start, step, .. } = &prepared;
    let checkpoint = stopped.map(|stopped| &stopped.checkpoint);
    let faces = method.faces(instance, options)?;
    let identity = identity(arguments, &prepared);
    let saved = Saved::of(arguments, &prepared, identity.as_ref(), stopped)?;
    let plan = plan(arguments, &prepared)?;
    let observed = Observed::new(instance, &faces, &arguments.observe, (start, arguments.boltzmann))?;
    let setup = Setup { forewarned: true, ..prepared.setup(start.clone()) };
    let Running { mut stepper, instability, beside_state } = method.start(&faces, setup)?;
    let ends = arguments.request.until.events();
    moments::look_for(&mut *stepper, faces.lagrangian().layout(), (&ends, &arguments.section))?;

    // Files are begun only now, and replace older ones only at the end: a mistake leaves the results of
    // an earlier run alone.
    let resumed = stopped.map_or(Ok(false), |stopped| stopped.redirect().map(|()| true))?;
    let mut recorder =
        Recorder::new(&faces, instance, &*stepper, observed, (arguments, rows, resumed, identity))?;
    recorder.viewers = viewed::begin(instance, arguments, &recorder.measured.0)?;
    let warnings = instability.map(|warning| warning.to_string());
    let before = warnings.iter().map(String::as_str).chain(stepper.warning());
    forewarn(before, (method.name, beside_state, &arguments.request.start), streams);
    let (setup, mut watch) = (clock.elapsed(), Watch::of(faces.lagrangian()));
    tell_of_run(&prepared, plan.steps, setup, streams);
    let mut bar = streams.progress.then(|| Progress::new(plan.steps, faces.lagrangian()));
    let mut patience = streams.patience.take().filter(|_| bar.is_none());
    patience.iter().for_each(|patience| patience.run(method.needs == Needs::Accelerations));
    let told = bar.as_mut().map(|bar| bar as &mut dyn Observer);
    let told = told.into_iter().chain(patience.as_mut().map(|patience| patience as &mut dyn Observer));
    let mut observers: Vec<&mut dyn Observer> =
        std::iter::once(&mut recorder as &mut dyn Observer).chain(told).collect();
    let stop = streams.stop();
    let mut keeper = saved.as_ref().map_or_else(Keeper::default, Saved::keeper).stopped_by(stop.asked());
    if let Some(checkpoint) = checkpoint {
        keeper = keeper.resuming(&checkpoint.words);
    }
    let outcome = drive_kept(&mut *stepper, plan, &mut watch, &mut observers, &mut keeper);
    let done = keeper.done();
    drop((keeper, patience));
    let ran = Ran::of(outcome, &stop, arguments, &mut recorder)?;
    let (blown_up, judgement) = (ran.has_blown_up(), ran.judgement());
    let Ran { summary, failure, is_cut } = ran;
    let failure = failure.or_else(|| missed(&ends, &*stepper));
    if resumed && failure.is_none() && done == plan.steps {
        tell_of_no_steps(&summary, prepared.until, streams);
    }
    let (report, _held) = (stepper.report(), stepper.hold_angles());
    // A run that has blown up ends with its last good state.
    let state = watch.good().filter(|_| blown_up).unwrap_or_else(|| stepper.state());
    let multipliers = stepper.multipliers().filter(|_| !blown_up);
    if blown_up {
        let moment = Moment { step: summary.steps, of: plan.steps, state, multipliers, report };
        recorder.measure(&moment);
    }
    fed::fed(instance, &[start, state]).into_iter().for_each(|note| streams.note(note));
    // A run without a step replaces nothing, and files that cannot be written take nothing from the
    // result.
    let written = if stepper.steps() > 0 && !is_cut {
        let notes = warnings.into_iter().chain(judgement.beside(failure.as_ref())).collect();
        recorder.complete(&title(arguments, &prepared)).and(viewed::complete(
            instance,
            arguments,
            &mut recorder,
            (summary.steps, state.t),
            (&streams.command, start),
            notes,
            failure.as_ref(),
        ))
    } else {
        Ok(())
    };
    let how = arguments.checkpoint.as_deref().map(output::how_to_go_on);
    let failure = failure.or(written.err().map(|error| how.iter().fold(error, |error, how| error.with(how))));
    let outcome = Outcome {
        model: &instance.name,
        parameters: instance.system.parameters(),
        method: method.name,
        thermostat: thermostat(options),
        step: *step,
        t: state.t,
        q: &state.q,
        v: &state.v,
        energy: recorder.energy,
        steps: summary.steps,
        times: Times::of(summary.seconds, [setup, recorder.spent]),
        multipliers,
        multiplier_names: multipliers.map(|_| faces.multipliers().names()),
        constraint_residual: recorder.residual,
        nonholonomic_residual: recorder.rolling,
        observed: recorder.observed.outcome(),
        events: std::mem::take(&mut recorder.moments.told),
        radial_distribution: recorder.radial.as_ref().map_or_else(Vec::new, Counted::told),
        evaluations: report.evaluations,
        crossings: report.crossings,
        step_lengths: report.step_lengths.and_then(Lengths::of),
        failure: failure.as_ref().map(Error::line),
        verdict: judgement,
    };
    tell(&outcome, instance, recorder.initial_energy, arguments, streams)?;
    failure.map_or(Ok(()), Err)
}

/// The motion of the arguments, or of a run that is gone on with.
fn prepared<'r>(
    registry: &'r Registry,
    arguments: &Run,
    stopped: Option<&Stopped>,
) -> Result<Prepared<'r>, Error> {
    let request = &arguments.request;
    let mut prepared = match stopped {
        Some(stopped) => {
            let start =
                StartChoice { state: Some(stopped.checkpoint.start.clone()), ..StartChoice::default() };
            Prepared::on(registry, stopped.bind(registry)?, &Request { start, ..request.clone() })?
        }
        None => Prepared::new(registry, request)?,
    };
    prepared.seed = arguments.seed.unwrap_or_default();
    prepared.chosen.retain(|choice| arguments.every.is_none() || !choice.starts_with("--every"));
    Ok(prepared)
}

/// The arguments with all that the request left open.
fn complete(arguments: &Run, prepared: &Prepared<'_>) -> Run {
    let mut run = arguments.clone();
    run.every = run.every.or(prepared.every).or(Some(1));
    run.request.until = run.request.until.by(Some(prepared.until));
    run.request.by.method = Some(prepared.method.name.to_owned());
    run.request.by.step = Some(prepared.step);
    run
}

/// Says before the first step which choices were made, and how large a run is, if the command says much.
fn tell_of_run(prepared: &Prepared<'_>, steps: u64, setup: Duration, streams: &mut Streams<'_>) {
    prepared.notes().for_each(|note| streams.note(note));
    if streams.says != Says::Much {
        return;
    }
    let description = prepared.instance.system.description();
    let (method, seconds) = (prepared.method.name, setup.as_secs_f64());
    let (n, rows) = (description.dimension, description.equations);
    streams.note(format_args!(
        "{n} degrees of freedom, {rows} constraint equations, {steps} steps of {method}; set up in {seconds:.3} s"
    ));
}

/// Whose run it is, of one that leaves a file.
fn identity(
    arguments: &Run,
    Prepared { instance, method, options, start, step, seed, .. }: &Prepared<'_>,
) -> Option<Identity> {
    let is_kept = arguments.out.is_some() || arguments.checkpoint.is_some();
    is_kept.then(|| Identity::of(instance, (method.name, options), (*step, *seed), start))
}

/// Says of a run that was gone on with that it has come as far as it was asked to before.
fn tell_of_no_steps(summary: &Summary, until: f64, streams: &mut Streams<'_>) {
    let time = summary.time;
    streams.note(format_args!(
        "nothing was left to compute: the run stands at t = {time:?} already, the end of the step nearest to t = {until:?}; --until \
         with a later time goes further"
    ));
}

/// Prints how a run ended.
fn tell(
    outcome: &Outcome<'_>,
    instance: &Instance,
    initial_energy: f64,
    arguments: &Run,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    let system = instance.system.lagrangian();
    let is_conserved = system.conserved().iter().any(|quantity| quantity.motion == Motion::Time);
    // A thermostat exchanges heat, and an averaged motion has the energy of a phase.
    let is_conserved = is_conserved && outcome.thermostat.is_none() && !methods::averages(outcome.method);
    // A driven, vibrated, damped or heated motion has no error of the energy.
    let energy = (if is_conserved { "energy error" } else { "energy change" }, initial_energy);
    let rows_are_there = arguments.out.as_deref().is_some_and(output::is_standard);
    if arguments.format == Format::Json || streams.says != Says::Little && !rows_are_there {
        streams
            .print(arguments.format, outcome, |outcome, out| outcome.text(system.layout(), energy, out))?;
    }
    // A failed run says so by its error.
    if let (Some(doubt), None) = (&outcome.verdict.doubt, &outcome.failure) {
        streams.warn(doubt);
    }
    Ok(())
}

/// Refuses outputs whose endings say no format.
fn check_outputs(arguments: &Run) -> Result<(), Error> {
    arguments.out.as_deref().map_or(Ok(()), output::check)?;
    arguments.events.as_deref().map_or(Ok(()), output::check_moments)?;
    if arguments.format == Format::Json && arguments.out.as_deref().is_some_and(output::is_standard) {
        let message = "the rows and the result both go to standard output: leave out one of `--out -` and `--format json`";
        return Err(Error::mistake(message));
    }
    arguments.plot.as_deref().map_or(Ok(()), plot::check_ending)?;
    viewed::pages(arguments)
        .try_for_each(|(kind, path)| least_action_pages::view::check(kind.flag(), path))?;
    if arguments.checkpoint.is_some() {
        arguments.out.as_deref().map_or(Ok(()), output::check_saved)?;
        if let Some((kind, _)) = viewed::pages(arguments).next()
            && !arguments.out.as_deref().is_some_and(output::is_table)
        {
            return Err(Error::Mistake(format!(
                "{} of a run with --checkpoint needs --out FILE, .csv, .parquet or .json: the page is made of the recording, which a \
                 run that is gone on with has whole",
                kind.flag()
            )));
        }
    }
    arguments.radial.as_deref().map_or(Ok(()), radial::check)
}

/// Refuses outputs that would replace the files that the run reads, or one another.
fn check_apart(arguments: &Run, instance: &Instance) -> Result<(), Error> {
    let Run { request, out, plot, radial, checkpoint, events, .. } = arguments;
    let beside = out.as_deref().and_then(output::metadata_of);
    let named = [
        ("--out", out),
        ("--plot", plot),
        ("--radial", radial),
        ("--events", events),
        ("--checkpoint", checkpoint),
        ("--out", &beside),
    ];
    let named = named.into_iter().filter_map(|(flag, path)| Some((flag, path.as_deref()?)));
    let outputs: Vec<_> =
        named.chain(viewed::pages(arguments).map(|(kind, path)| (kind.flag(), path))).collect();
    instance.apart([&request.start.file, &request.model.params].into_iter().flatten(), &outputs)
}

/// How far a run came, and the error that ended it early, if one did.
struct Ran {
    summary: Summary,
    failure: Option<Error>,
    /// True if its rows find no room: such a run replaces no file.
    is_cut: bool,
}

impl Ran {
    fn of(
        outcome: Result<Summary, RunError>,
        stop: &Stop,
        arguments: &Run,
        recorder: &mut Recorder<'_>,
    ) -> Result<Self, Error> {
        let is_cut = matches!(outcome, Err(RunError::Observe { .. }));
        let (summary, failure) = match outcome {
            Ok(summary) => (summary, None),
            Err(RunError::Step { source, summary }) => (*summary, Some(Error::Step(source))),
            Err(RunError::Observe { source, summary }) => {
                let error = match observer_failed(source) {
                    Error::Closed if makes_more(arguments) => {
                        let reason =
                            "its reader has gone, and the pictures and pages of the run are not made";
                        Error::unwritable("standard output", &reason)
                    }
                    error => error,
                };
                let error = match recorder.table.take() {
                    Some(table) => table.leave(error),
                    None => error,
                };
                (*summary, Some(error))
            }
            Err(RunError::Stopped { summary }) => {
                let how = match &arguments.checkpoint {
                    Some(path) => format!("`resume {}` goes on with it", path.display()),
                    None => "the rows are kept; `run` with --checkpoint FILE saves a run that can go on"
                        .to_owned(),
                };
                let rest = format!(" at t = {} after {} steps: {how}", summary.time, summary.steps);
                (*summary, Some(Error::Stopped { signal: stop.signal(), rest }))
            }
            Err(RunError::Resumed(reason)) => {
                let path = arguments.checkpoint.as_deref().unwrap_or(Path::new(""));
                return Err(Error::not_gone_on(path, reason));
            }
            Err(error) => return Err(Error::Plan(error)),
        };
        Ok(Self { summary, failure, is_cut })
    }

    /// The failed step that ended it, if one did.
    fn failed_step(&self) -> Option<&StepError> {
        if let Some(Error::Step(error)) = &self.failure { Some(error) } else { None }
    }

    fn has_blown_up(&self) -> bool {
        matches!(self.failed_step(), Some(StepError::BlownUp { .. }))
    }

    fn judgement(&self) -> Judgement {
        Judgement::of(self.summary.verdict, self.failed_step())
    }
}

/// True if a run makes pictures or pages beside its rows.
fn makes_more(arguments: &Run) -> bool {
    arguments.plot.is_some() || arguments.radial.is_some() || viewed::pages(arguments).next().is_some()
}

/// No event has ended a run that was to end at one.
fn missed(ends: &[String], stepper: &dyn Stepper) -> Option<Error> {
    let time = stepper.state().t;
    let told = || {
        format!(
            "no event has ended the run before t = {time:?}: {}; --until with a later time beside it goes on looking",
            ends.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ")
        )
    };
    (!ends.is_empty() && !stepper.has_ended()).then(|| Error::Failed(told()))
}

/// The steps of a run, of which each `every`-th is recorded.
fn plan(arguments: &Run, prepared: &Prepared<'_>) -> Result<Plan, Error> {
    let every = arguments.every.unwrap_or(1);
    if every == 0 {
        let reason = "the number of steps between records must be at least 1";
        return Err(Error::number("--every", 0.0, reason));
    }
    let signals = prepared.instance.system.lagrangian().signals();
    let plan = prepared.plan()?.every(every);
    plan.within(signals, prepared.start.t, prepared.step).map_err(Error::Plan)
}

fn title(arguments: &Run, prepared: &Prepared<'_>) -> String {
    let mut named = vec![&*prepared.instance.name];
    named.extend(arguments.request.model.set.iter().map(String::as_str));
    let mut with = vec![prepared.method.name];
    with.extend(arguments.request.by.with.iter().map(String::as_str));
    let title = format!("{}: {}, step {}", named.join(", "), with.join(", "), prepared.step);
    if title.chars().count() <= 90 {
        title
    } else {
        format!("{}…", title.chars().take(89).collect::<String>())
    }
}
