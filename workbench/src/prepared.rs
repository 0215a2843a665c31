//! A motion with all that its request leaves open: the method that the model advises, steps and a length
//! by its times, or the step of its author.

use std::f64::consts::TAU;
use std::path::Path;

use least_action::drive::Plan;
use least_action::system::State;
use least_action_methods::{Entry, Options, Setup};

use crate::arguments::{By, ModelChoice, Request};
use crate::error::{Error, Names};
use crate::methods::{self, Advice, OnModels};
use crate::own_times::{frequency, rounded, slow_frequency};
use crate::registry::{Instance, Registry};
use crate::stop::Stop;
use crate::{options, parameters, settings, start};

/// Steps in a period of the fastest oscillation.
const STEPS_OF_A_PERIOD: f64 = 100.0;
/// Periods of the motion as a whole.
const PERIODS: f64 = 5.0;
/// The fewest steps, and the most.
const FEWEST: f64 = 2_000.0;
const MOST: f64 = 20_000.0;

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
    pub(crate) step: f64,
    pub(crate) until: f64,
    /// The steps between two records that the parameter file asks for.
    pub(crate) every: Option<u64>,
    pub(crate) seed: u64,
    /// The choices that were made for the model, in words.
    pub(crate) note: Option<String>,
    /// The caller's wish that the command ends.
    pub(crate) stop: Stop,
}

impl<'a> Prepared<'a> {
    /// The motion of a request, completed by the section `run` of its parameter file and by the model,
    /// from this start where it is given.
    pub(crate) fn new(
        registry: &'a Registry,
        request: &Request,
        start: Option<State>,
    ) -> Result<Self, Error> {
        Self::on(registry, parameters::bind(registry, &request.model)?, request, start)
    }

    /// The same for a model that is bound.
    pub(crate) fn on(
        registry: &'a Registry,
        instance: Instance,
        request: &Request,
        start: Option<State>,
    ) -> Result<Self, Error> {
        let Request { model, by: By { method, with, step }, until, start: path } = request;
        let params = model.params.as_deref();
        let file = of_file(params)?;
        let (step, until) = (step.or(file.step), until.or(file.until));
        step.map_or(Ok(()), check_step)?;
        until.map_or(Ok(()), check_end)?;
        let given = method.as_deref().or(file.method.as_deref());
        let method = given.map_or_else(|| advised(&instance), methods::find)?;
        let options = options::read(method.name, &method.options(&*instance.system), params, with)?;
        let start = start::first(&instance, start, path.as_deref())?;
        let mut told: Vec<String> =
            given.is_none().then(|| format!("--method {}", method.name)).into_iter().collect();
        let (step, until) = if let (Some(step), Some(until)) = (step, until) {
            (step, until)
        } else {
            times(&instance, &start, (step, until), &mut told)
        };
        Ok(Self {
            registry,
            model: model.clone(),
            instance,
            method,
            options,
            start,
            step,
            until,
            every: file.every,
            seed: 0,
            note: (!told.is_empty()).then(|| format!("chosen for this model: {}", told.join(" "))),
            stop: Stop::default(),
        })
    }

    /// Takes other parameters of the model.
    pub(crate) fn rebind(&mut self, model: &ModelChoice) -> Result<(), Error> {
        self.model = model.clone();
        self.instance = parameters::bind(self.registry, model)?;
        Ok(())
    }

    /// The whole number of steps that ends nearest to the end.
    pub(crate) fn plan(&self) -> Result<Plan, Error> {
        Plan::until(self.start.t, self.until, self.step).map_err(Error::Plan)
    }

    /// The start of the method from a state.
    pub(crate) fn setup(&self, state: State) -> Setup<'_> {
        let Self { options, step, seed, .. } = self;
        Setup { options, state, step: *step, seed: *seed, forewarned: false }
    }
}

/// The step and the end, chosen where they are not given; the choices are told.
fn times(
    instance: &Instance,
    start: &State,
    (step, until): (Option<f64>, Option<f64>),
    told: &mut Vec<String>,
) -> (f64, f64) {
    let linear = frequency(instance, start);
    let slow = linear.and_then(|omega| slow_frequency(instance, start, omega));
    // A body that turns as a whole may turn faster than it oscillates.
    let fastest = linear.unwrap_or(0.0).max(slow.unwrap_or(0.0));
    let or_one = |omega: f64| if omega > 0.0 { omega } else { 1.0 };
    let of_step = || rounded(TAU / STEPS_OF_A_PERIOD / or_one(fastest));
    let chosen_step = step.or(instance.step).unwrap_or_else(of_step);
    told.extend(step.is_none().then(|| format!("--step {chosen_step}")));
    let chosen_until = until.unwrap_or_else(|| {
        let periods = PERIODS * TAU / or_one(slow.unwrap_or(fastest));
        start.t + rounded(periods.max(FEWEST * chosen_step).min(MOST * chosen_step))
    });
    told.extend(until.is_none().then(|| format!("--until {chosen_until}")));
    (chosen_step, chosen_until)
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

/// The method that a description of the model advises first and that needs no option.
/// Methods that average over a fast phase have steps that no frequency at the start tells.
fn advised(instance: &Instance) -> Result<&'static Entry, Error> {
    let fits = methods::fits(instance);
    let plain = |method: &str| fits.iter().any(|fit| fit.fits && fit.method == method && fit.note.is_none());
    let advice = Advice::on(&*instance.system, &fits).into_iter().map(|advice| advice.method);
    let others = fits.iter().map(|fit| fit.method);
    let found = advice.chain(others).find(|method| plain(method) && !methods::averages(method));
    found.map_or_else(
        || {
            Err(Error::Mistake(format!(
                "no method is chosen for `{0}`; `describe {0}` lists the methods that fit",
                instance.name
            )))
        },
        methods::find,
    )
}

/// The settings of a run in a parameter file.
#[derive(Default)]
struct OfFile {
    method: Option<String>,
    step: Option<f64>,
    until: Option<f64>,
    every: Option<u64>,
}

fn of_file(params: Option<&Path>) -> Result<OfFile, Error> {
    let Some(path) = params else { return Ok(OfFile::default()) };
    let mut found = OfFile::default();
    for (name, value) in settings::file(Some(path))?.run {
        let of = |expected: &str| {
            Error::malformed(path, format!("`run.{name}`: expected {expected}, not {value}"))
        };
        let number = || value.as_f64().ok_or_else(|| of("a number"));
        match name.as_str() {
            "method" => {
                let method = value.as_str().ok_or_else(|| of("the name of a method"))?;
                found.method = Some(method.to_owned());
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
