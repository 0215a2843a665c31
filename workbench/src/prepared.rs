//! A motion with all that its request leaves open: the method that the model advises, steps and a length
//! by its times, or the step of its author.

use std::f64::consts::TAU;
use std::path::Path;

use least_action::drive::Plan;
use least_action::method::project;
use least_action::system::State;
use least_action_methods::{Entry, Options, Setup, VibratedFace};

use crate::arguments::{By, ModelChoice, Request};
use crate::error::{Error, Names, Result};
use crate::methods::{self, Advice, OnModels};
use crate::own_times::{frequency, rounded, slow_frequency};
use crate::registry::{Instance, Registry};
use crate::start::{Changes, entries, in_degrees};
use crate::stop::Stop;
use crate::{options, parameters, settings, turns};

/// Steps in a period of the fastest oscillation.
const STEPS_OF_A_PERIOD: f64 = 100.0;
/// Periods of the motion as a whole, where none is seen.
const PERIODS: f64 = 5.0;
/// A motion is shown so many times as long as it takes to be seen.
const TURNS_SHOWN: f64 = 2.0;
/// The fewest steps, the most recorded, the most to look for a motion; beside an end, times coordinates.
const FEWEST: f64 = 2_000.0;
const MOST: f64 = 20_000.0;
const LONGEST: u64 = 1_000_000;
const SHORT: u64 = 20_000;

/// The settings of a run that a parameter file may have.
const SETTINGS: [&str; 4] = ["method", "step", "until", "every"];

/// A motion that can begin.
pub(crate) struct Prepared<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) model: ModelChoice,
    pub(crate) instance: Instance,
    pub(crate) method: &'static Entry,
    pub(crate) options: Options,
    pub(crate) start: State,
    /// The entries in which it is another than the model's own.
    pub(crate) changes: Changes,
    pub(crate) step: f64,
    pub(crate) until: f64,
    /// The steps between two records that the parameter file asks for.
    pub(crate) every: Option<u64>,
    pub(crate) seed: u64,
    /// The choices that were made for the model, as the command line has them.
    pub(crate) chosen: Vec<String>,
    /// Doubts about the start, in words.
    notes: Vec<String>,
    /// The caller's wish that the command ends.
    pub(crate) stop: Stop,
}

impl<'a> Prepared<'a> {
    /// The motion of a request, completed by the section `run` of its parameter file and by the model.
    pub(crate) fn new(registry: &'a Registry, request: &Request) -> Result<Self> {
        Self::on(registry, parameters::bind(registry, &request.model)?, request)
    }

    /// The same for a model that is bound.
    pub(crate) fn on(registry: &'a Registry, instance: Instance, request: &Request) -> Result<Self> {
        let Request { model, by: By { method, with, step }, until, start: choice } = request;
        let params = model.params.as_deref();
        let file = of_file(params)?;
        let (step, until) = (step.or(file.step), until.time().or(file.until));
        step.map_or(Ok(()), check_step)?;
        until.map_or(Ok(()), check_end)?;
        let given = method.as_deref().or(file.method.as_deref());
        let method = given.map_or_else(|| advised(&instance), methods::find)?;
        let options = options::read(method.name, &method.options(&*instance.system), params, with)?;
        let (start, layout) = (choice.state(&instance)?, instance.system.lagrangian().layout());
        let (changes, notes) = (choice.changes(layout)?, in_degrees(layout, &start));
        let mut motion = Self {
            registry,
            model: model.clone(),
            instance,
            method,
            options,
            start,
            changes,
            step: step.unwrap_or_default(),
            until: until.unwrap_or_default(),
            every: file.every,
            seed: 0,
            chosen: given.is_none().then(|| format!("--method {}", method.name)).into_iter().collect(),
            notes,
            stop: Stop::default(),
        };
        // One number of a start leaves the constraints that hold it.
        if !choice.from.is_empty() {
            let moved = motion.settle()?;
            motion.notes.extend(moved);
        }
        if step.is_none() || until.is_none() {
            motion.choose_times(step, until)?;
        }
        Ok(motion)
    }

    /// The step and the end where they are not given; the choices are told.
    fn choose_times(&mut self, step: Option<f64>, until: Option<f64>) -> Result {
        let Self { instance, start, .. } = &*self;
        let [own_step, own_until] = instance.times;
        let linear = frequency(instance, start);
        let slow = linear.and_then(|omega| slow_frequency(instance, start, omega));
        // A body that turns as a whole may turn faster than it oscillates.
        let fastest = linear.unwrap_or(0.0).max(slow.unwrap_or(0.0));
        let or_one = |omega: f64| if omega > 0.0 { omega } else { 1.0 };
        self.step = step.or(own_step).unwrap_or_else(|| rounded(TAU / STEPS_OF_A_PERIOD / or_one(fastest)));
        let (is_given, averages) = (step.or(own_step).is_some(), methods::averages(self.method.name));
        let mut seen = None;
        if !is_given && averages {
            seen = self.choose_long_step()?;
        } else if !is_given || until.or(own_until).is_none() {
            seen = self.seen_in(until.map_or(LONGEST, |_| SHORT / self.start.q.len() as u64))?;
        }
        // A motion may be faster than small oscillations about its start.
        if let Some(seen) = seen.filter(|_| !is_given && !averages) {
            self.step = self.step.min(rounded(seen / STEPS_OF_A_PERIOD));
        }
        // A chosen step divides the time that is given.
        if let (None, Some(until)) = (step, until.filter(|until| *until > self.start.t)) {
            let span = until - self.start.t;
            self.step = span / (span / self.step - 1e-6).ceil().max(1.0);
        }
        self.chosen.extend(step.is_none().then(|| format!("--step {}", self.step)));
        let (step, most, begin) = (self.step, MOST * self.step, self.start.t);
        if let Some(until) = until {
            self.until = until;
            return Ok(());
        }
        let by_period = || (PERIODS * TAU / or_one(slow.unwrap_or(fastest))).min(most);
        let span = seen.map_or_else(by_period, |seen| TURNS_SHOWN * seen).max(FEWEST * step);
        let span = own_until.map_or(span, |until| until - begin);
        self.until = begin + rounded(span);
        self.chosen.push(format!("--until {}", self.until));
        // A run that resolves much more than it shows keeps a part of its steps.
        let rows = (self.until - begin) / most;
        if rows > 1.0 && self.every.is_none() {
            self.every = Some(rows.ceil() as u64);
            self.chosen.push(format!("--every {}", rows.ceil()));
        }
        Ok(())
    }

    /// The time in which the motion is seen, if it is in so many steps.
    fn seen_in(&self, most: u64) -> Result<Option<f64>> {
        let faces = self.method.faces(&self.instance, &self.options)?;
        let mut running = self.method.start(&faces, self.setup(self.start.clone()))?;
        let layout = self.instance.system.lagrangian().layout();
        let steps = turns::seen_after(&mut *running.stepper, layout, most);
        Ok(steps.map(|steps| steps as f64 * self.step))
    }

    /// The step of a method that averages over a fast phase: a part of the time in which the slow motion
    /// is seen, which comes back.
    fn choose_long_step(&mut self) -> Result<Option<f64>> {
        /// The first step in periods of the phase, the factor to the next, and the steps of a trial.
        const FIRST: f64 = 10.0;
        const FACTOR: f64 = 8.0;
        const TRIED: u64 = 2_000;
        let vibrated = self.instance.system.vibrated();
        let period = TAU / vibrated.map_or(1.0, VibratedFace::frequency);
        for step in std::iter::successors(Some(FIRST * period), |step| Some(FACTOR * step)).take(12) {
            self.step = rounded(step);
            if let Some(seen) = self.seen_in(TRIED)? {
                self.step = rounded((seen / STEPS_OF_A_PERIOD).max(step));
                return Ok(Some(seen));
            }
        }
        Ok(None)
    }

    /// Moves the start onto the constraints, and tells the entries that it changes.
    pub(crate) fn settle(&mut self) -> Result<Option<String>> {
        /// A start that is off by rounding is not told of.
        const ROUNDING: f64 = 1e-9;
        const SHOWN: usize = 4;
        let Some(constrained) = self.instance.system.faces().constrained.filter(|_| self.keeps()) else {
            return Ok(None);
        };
        let mut start = self.start.clone();
        project(constrained, &mut start)?;
        let names = entries(self.instance.system.lagrangian().layout());
        let before = self.start.q.iter().chain(&self.start.v);
        let size = before.clone().fold(0.0, |most: f64, entry| most.max(entry.abs()));
        let pairs = before.zip(start.q.iter().chain(&start.v)).zip(names);
        let moved = pairs.filter(|((old, new), _)| (*old - *new).abs() > ROUNDING * size);
        let moved: Vec<String> =
            moved.map(|((old, new), name)| format!("`{name}` from {old} to {new:.6}")).collect();
        self.start = start;
        Ok((!moved.is_empty()).then(|| {
            let more = if moved.len() > SHOWN { ", and others" } else { "" };
            format!(
                "the start is not on the constraints, and the nearest point there begins the motion: {}{more}; give a start on them",
                moved[..moved.len().min(SHOWN)].join(", ")
            )
        }))
    }

    /// True if the motion keeps constraints, and has no penalty in their place.
    pub(crate) fn keeps(&self) -> bool {
        self.options.get("omega").is_none()
    }

    /// All that is to be said before the motion.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> + '_ {
        let chosen =
            (!self.chosen.is_empty()).then(|| format!("chosen for this model: {}", self.chosen.join(" ")));
        self.notes.iter().cloned().chain(chosen)
    }

    /// Takes other parameters of the model.
    pub(crate) fn rebind(&mut self, model: &ModelChoice) -> Result {
        self.model = model.clone();
        self.instance = parameters::bind(self.registry, model)?;
        Ok(())
    }

    /// The whole number of steps that ends nearest to the end.
    pub(crate) fn plan(&self) -> Result<Plan> {
        Plan::until(self.start.t, self.until, self.step).map_err(Error::Plan)
    }

    /// The start of the method from a state.
    pub(crate) fn setup(&self, state: State) -> Setup<'_> {
        let Self { options, step, seed, .. } = self;
        Setup { options, state, step: *step, seed: *seed, forewarned: false }
    }
}

/// Refuses a number that is no time step.
pub(crate) fn check_step(step: f64) -> Result {
    let reason = "the step must be positive and finite";
    let is_step = step.is_finite() && step > 0.0;
    if is_step { Ok(()) } else { Err(Error::number("--step", step, reason)) }
}

/// Refuses a number that is no time.
fn check_end(until: f64) -> Result {
    let reason = "the time must be finite";
    if until.is_finite() { Ok(()) } else { Err(Error::number("--until", until, reason)) }
}

/// The method that a description of the model advises first and that needs no option.
fn advised(instance: &Instance) -> Result<&'static Entry> {
    let fits = methods::fits(instance);
    let plain = |method: &str| fits.iter().any(|fit| fit.fits && fit.method == method && fit.note.is_none());
    let advice = Advice::on(&*instance.system, &fits).into_iter().map(|advice| advice.method);
    let others = fits.iter().map(|fit| fit.method);
    let none = || {
        let name = &instance.name;
        Error::Mistake(format!(
            "no method is chosen for `{name}`; `describe {name}` lists the methods that fit"
        ))
    };
    methods::find(advice.chain(others).find(|method| plain(method)).ok_or_else(none)?)
}

/// The settings of a run in a parameter file.
#[derive(Default)]
struct OfFile {
    method: Option<String>,
    step: Option<f64>,
    until: Option<f64>,
    every: Option<u64>,
}

fn of_file(params: Option<&Path>) -> Result<OfFile> {
    let Some(path) = params else { return Ok(OfFile::default()) };
    let mut found = OfFile::default();
    for (name, value) in settings::file(Some(path))?.run {
        let of = |expected: &str| {
            Error::malformed(path, format!("`run.{name}`: expected {expected}, not {value}"))
        };
        let number = || value.as_f64().ok_or_else(|| of("a number"));
        match name.as_str() {
            "method" => {
                found.method = Some(value.as_str().ok_or_else(|| of("the name of a method"))?.to_owned());
            }
            "step" => found.step = Some(number()?),
            "until" => found.until = Some(number()?),
            "every" => found.every = Some(value.as_u64().ok_or_else(|| of("a whole number from 1 on"))?),
            _ => {
                let known: Names = SETTINGS.into_iter().collect();
                let what = format!("unknown setting `run.{name}`");
                return Err(Error::malformed(path, known.refusal(what, &name, "there are:")));
            }
        }
    }
    Ok(found)
}
