//! `run` and `resume`: integrate, record, plot, print the final state.

mod chosen;
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
use least_action::method::Langevin;
use least_action::system::State;
use least_action_methods::{Needs, Options, Running, Setup};

use crate::arguments::{Format, Run};
use crate::error::{Error, printable};
use crate::identity::Identity;
use crate::methods::{self, OnModels};
use crate::observe::Observed;
use crate::options;
use crate::output::{self, Rows};
use crate::parameters;
use crate::print::json_line;
use crate::radial::{self, Counted};
use crate::registry::{Instance, Registry};
use crate::start;
use crate::stop::Stop;
use crate::streams::{Says, Streams};
use least_action_pages::plot;
use outcome::{Judgement, Lengths, Outcome};
use progress::Progress;
use recorder::{Recorder, observer_failed};
use saved::Saved;

pub(crate) use chosen::chosen;
pub(crate) use saved::Stopped;

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
    /// The initial state.
    pub(crate) start: Option<State>,
    /// The choices that were made for the model, in words.
    pub(crate) note: Option<String>,
    /// Where rows are kept in memory.
    pub(crate) rows: Option<&'i mut Rows>,
}

/// Integrates a model as the arguments say.
pub(crate) fn run(
    registry: &Registry,
    arguments: &Run,
    inside: Inside<'_>,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    integrate(registry, arguments, inside, None, streams)
}

/// Goes on with a run from its checkpoint.
pub(crate) fn resume(
    registry: &Registry,
    stopped: &Stopped,
    inside: Inside<'_>,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    integrate(registry, &stopped.arguments, inside, Some(stopped), streams)
}

fn integrate(
    registry: &Registry,
    arguments: &Run,
    inside: Inside<'_>,
    stopped: Option<&Stopped>,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    let clock = Instant::now();
    check_outputs(arguments)?;
    let method = methods::find(&arguments.method)?;
    let instance = bound(registry, arguments, stopped)?;
    let checkpoint = stopped.map(|stopped| &stopped.checkpoint);
    let known = method.options(&*instance.system);
    let options = options::read(method.name, &known, arguments.model.params.as_deref(), &arguments.with)?;
    let faces = method.faces(&instance, &options)?;
    let begun = checkpoint.map(|checkpoint| checkpoint.start.clone()).or(inside.start);
    let state = start::first(&instance, begun, arguments.start.as_deref())?;
    let identity = identity(arguments, &instance, (method.name, &options), &state);
    let saved = Saved::of(arguments, &instance, identity.as_ref(), &state, stopped)?;
    let signals = instance.system.lagrangian().signals();
    let plan = plan(state.t, arguments)?.within(signals, state.t, arguments.step).map_err(Error::Plan)?;
    let observed = Observed::new(&instance, &faces, &arguments.observe, (&state, arguments.boltzmann))?;
    let (step, seed) = (arguments.step, arguments.seed.unwrap_or_default());
    let setup = Setup { options: &options, state: state.clone(), step, seed, forewarned: true };
    let Running { mut stepper, instability, beside_state } = method.start(&faces, setup)?;

    // Files are begun only now, and replace older ones only at the end: a mistake leaves the results of
    // an earlier run alone.
    let resumed = stopped.map_or(Ok(false), |stopped| stopped.redirect().map(|()| true))?;
    let mut recorder =
        Recorder::new(&faces, &instance, &*stepper, observed, (arguments, inside.rows, resumed, identity))?;
    recorder.viewers = viewed::begin(&instance, arguments, &recorder.measured.0)?;
    let warnings = instability.map(|warning| warning.to_string());
    warn(warnings.iter().map(String::as_str).chain(stepper.warning()), streams);
    forewarn_of_restart(method.name, beside_state, arguments.start.as_deref(), streams);
    let (setup, mut watch) = (clock.elapsed(), Watch::of(faces.lagrangian()));
    tell_of_run(&instance, (method.name, plan.steps), (inside.note, setup), streams);
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
    // A run whose rows the disk refuses replaces no file.
    let is_cut = matches!(outcome, Err(RunError::Observe { .. }));
    let (summary, failure) = ended(outcome, &stop, arguments, &mut recorder)?;
    if resumed && failure.is_none() && done == plan.steps {
        tell_of_no_steps(&summary, arguments, streams);
    }
    let (report, _held) = (stepper.report(), stepper.hold_angles());
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
    // A run without a step replaces nothing, and files that cannot be written take nothing from the
    // result.
    let written = if stepper.steps() > 0 && !is_cut {
        let notes = warnings.into_iter().chain(judgement.beside(failure.as_ref())).collect();
        recorder.complete(&title(&instance.name, arguments)).and(viewed::complete(
            &instance,
            arguments,
            &mut recorder,
            (summary.steps, state.t),
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
        thermostat: thermostat(&options),
        step: arguments.step,
        t: state.t,
        q: &state.q,
        v: &state.v,
        energy: recorder.energy,
        steps: summary.steps,
        seconds: summary.seconds - recorder.spent.as_secs_f64(),
        setup_seconds: setup.as_secs_f64(),
        recording_seconds: recorder.spent.as_secs_f64(),
        multipliers,
        multiplier_names: multipliers.map(|_| faces.multipliers().names()),
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
    tell(&outcome, &instance, recorder.initial_energy, arguments, streams)?;
    failure.map_or(Ok(()), Err)
}

/// Says before the first step which choices were made, and how large a run is, if the command says much.
fn tell_of_run(
    instance: &Instance,
    (method, steps): (&str, u64),
    (note, setup): (Option<String>, Duration),
    streams: &mut Streams<'_>,
) {
    if let Some(note) = note {
        // The run goes on when nobody listens.
        let _ = writeln!(streams.err, "note: {note}");
    }
    if streams.says != Says::Much {
        return;
    }
    let description = instance.system.description();
    let (n, rows, seconds) = (description.dimension, description.equations, setup.as_secs_f64());
    // The run goes on when nobody listens.
    let _ = writeln!(
        streams.err,
        "note: {n} degrees of freedom, {rows} constraint equations, {steps} steps of {method}; set up in {seconds:.3} s"
    );
}

/// Warns before the first step.
fn warn<'w>(warnings: impl Iterator<Item = &'w str>, streams: &mut Streams<'_>) {
    for warning in warnings {
        // The run goes on when nobody listens.
        let _ = writeln!(streams.err, "warning: {}", printable(warning));
    }
}

/// Whose run it is, of one that leaves a file.
fn identity(arguments: &Run, instance: &Instance, by: (&str, &Options), start: &State) -> Option<Identity> {
    let is_kept = arguments.out.is_some() || arguments.checkpoint.is_some();
    let with = (arguments.step, arguments.seed.unwrap_or_default());
    is_kept.then(|| Identity::of(instance, by, with, start))
}

/// Says of a run that was gone on with that it has come as far as it was asked to before.
fn tell_of_no_steps(summary: &Summary, arguments: &Run, streams: &mut Streams<'_>) {
    let (time, until) = (summary.time, arguments.until);
    // The result is there all the same.
    let _ = writeln!(
        streams.err,
        "note: nothing was left to compute: the run stands at t = {time:?} already, the end of the step nearest to t = {until:?}; --until \
         with a later time goes further"
    );
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
    match arguments.format {
        Format::Json => json_line(streams.out, outcome)?,
        Format::Text if streams.says == Says::Little || rows_are_there => {}
        Format::Text => {
            outcome
                .text(system.layout(), energy, &mut streams.text())
                .map_err(|error| Error::stdout(&error))?;
        }
    }
    // A failed run says so by its error.
    if let (Some(doubt), None) = (&outcome.verdict.doubt, &outcome.failure) {
        let _ = writeln!(streams.err, "warning: {doubt}");
    }
    Ok(())
}

/// Refuses outputs whose endings say no format.
fn check_outputs(arguments: &Run) -> Result<(), Error> {
    arguments.out.as_deref().map_or(Ok(()), output::check)?;
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
    arguments.radial.as_deref().map_or(Ok(()), radial::check)?;
    Ok(())
}

/// The model of a run whose outputs replace none of its inputs.
fn bound(registry: &Registry, arguments: &Run, stopped: Option<&Stopped>) -> Result<Instance, Error> {
    let instance = stopped
        .map_or_else(|| parameters::bind(registry, &arguments.model), |stopped| stopped.bind(registry))?;
    check_apart(arguments, &instance)?;
    Ok(instance)
}

/// Refuses outputs that would replace the files that the run reads, or one another.
fn check_apart(arguments: &Run, instance: &Instance) -> Result<(), Error> {
    let Run { out, plot, radial, start, model, checkpoint, .. } = arguments;
    let beside = out.as_deref().and_then(output::metadata_of);
    let named = [
        ("--out", out),
        ("--plot", plot),
        ("--radial", radial),
        ("--checkpoint", checkpoint),
        ("--out", &beside),
    ];
    let named = named.into_iter().filter_map(|(flag, path)| Some((flag, path.as_deref()?)));
    let outputs: Vec<_> =
        named.chain(viewed::pages(arguments).map(|(kind, path)| (kind.flag(), path))).collect();
    instance.apart([start, &model.params].into_iter().flatten(), &outputs)
}

/// How far a run came, and the error that ended it early, if one did.
fn ended(
    outcome: Result<Summary, RunError>,
    stop: &Stop,
    arguments: &Run,
    recorder: &mut Recorder<'_>,
) -> Result<(Summary, Option<Error>), Error> {
    Ok(match outcome {
        Ok(summary) => (summary, None),
        Err(RunError::Step { source, summary }) => (*summary, Some(Error::Step(source))),
        Err(RunError::Observe { source, summary }) => {
            let error = match observer_failed(source) {
                Error::Closed if makes_more(arguments) => {
                    let reason = "its reader has gone, and the pictures and pages of the run are not made";
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
            let how = arguments.checkpoint.as_ref().map_or_else(
                || "the rows are kept; `run` with --checkpoint FILE saves a run that can go on".to_owned(),
                |path| format!("`resume {}` goes on with it", path.display()),
            );
            let rest = format!(" at t = {} after {} steps: {how}", summary.time, summary.steps);
            (*summary, Some(Error::Stopped { signal: stop.signal(), rest }))
        }
        Err(RunError::Resumed(reason)) => {
            let path = arguments.checkpoint.as_deref().unwrap_or(Path::new(""));
            return Err(Error::not_gone_on(path, reason));
        }
        Err(error) => return Err(Error::Plan(error)),
    })
}

/// True if a run makes pictures or pages beside its rows.
fn makes_more(arguments: &Run) -> bool {
    arguments.plot.is_some() || arguments.radial.is_some() || viewed::pages(arguments).next().is_some()
}

/// Refuses a number that is no time step.
pub(crate) fn check_step(step: f64) -> Result<(), Error> {
    let reason = "the step must be positive and finite";
    let is_step = step.is_finite() && step > 0.0;
    if is_step { Ok(()) } else { Err(Error::number("--step", step, reason)) }
}

/// Refuses a number that is no time.
fn check_end(until: f64) -> Result<(), Error> {
    let reason = "the time must be finite";
    if until.is_finite() { Ok(()) } else { Err(Error::number("--until", until, reason)) }
}

/// Refuses numbers that are no time step and no time.
pub(crate) fn check_times(step: f64, until: f64) -> Result<(), Error> {
    check_step(step).and_then(|()| check_end(until))
}

fn plan(start: f64, arguments: &Run) -> Result<Plan, Error> {
    let Run { step, until, every, .. } = arguments;
    check_times(*step, *until)?;
    if *every == 0 {
        let reason = "the number of steps between records must be at least 1";
        return Err(Error::number("--every", 0.0, reason));
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
