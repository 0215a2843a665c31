//! A run of which little is said: the method that the model advises, steps and a length by its times, or
//! the step of its author.

use std::f64::consts::TAU;

use super::{check_end, check_step};
use crate::arguments::{AskedRun, Run};
use crate::error::{Error, Names};
use crate::methods::{self, Advice};
use crate::own_times::{frequency, rounded, slow_frequency};
use crate::parameters;
use crate::registry::{Instance, Registry};
use crate::settings;

/// Steps in a period of the fastest oscillation.
const STEPS_OF_A_PERIOD: f64 = 100.0;
/// Periods of the motion as a whole.
const PERIODS: f64 = 5.0;
/// The fewest steps, and the most.
const FEWEST: f64 = 2_000.0;
const MOST: f64 = 20_000.0;

/// The settings of a run that a parameter file may have.
const SETTINGS: [&str; 4] = ["method", "step", "until", "every"];

/// The run, completed by the section `run` of its parameter file and by the model.
/// Beside it stand the choices, as a note.
pub(crate) fn chosen(registry: &Registry, asked: &AskedRun) -> Result<(Run, Option<String>), Error> {
    let AskedRun { method, step, until, every, run } = asked;
    let file = of_file(run)?;
    let method = method.clone().or(file.method);
    let (step, until) = (step.or(file.step), until.or(file.until));
    let every = every.or(file.every).unwrap_or(1);
    if let (Some(method), Some(step), Some(until)) = (&method, step, until) {
        return Ok((Run { method: method.clone(), step, until, every, ..run.clone() }, None));
    }
    step.map_or(Ok(()), check_step)?;
    until.map_or(Ok(()), check_end)?;
    let instance = parameters::bind(registry, &run.model)?;
    let mut told = Vec::new();
    let given = method.is_some();
    let method = method.map_or_else(|| advised(&instance), Ok)?;
    told.extend((!given).then(|| format!("--method {method}")));
    if let (Some(step), Some(until)) = (step, until) {
        return Ok((Run { method, step, until, every, ..run.clone() }, Some(note(&told))));
    }
    let start = match &run.start {
        Some(path) => crate::start::read(path, instance.system.lagrangian().layout())?,
        None => instance.own_start()?,
    };
    let linear = frequency(&instance, &start);
    let slow = linear.and_then(|omega| slow_frequency(&instance, &start, omega));
    // A body that turns as a whole may turn faster than it oscillates.
    let fastest = linear.unwrap_or(0.0).max(slow.unwrap_or(0.0));
    let or_one = |omega: f64| if omega > 0.0 { omega } else { 1.0 };
    let of_step = || rounded(TAU / STEPS_OF_A_PERIOD / or_one(fastest));
    let chosen_step = step.or(instance.step).unwrap_or_else(of_step);
    if step.is_none() {
        told.push(format!("--step {chosen_step}"));
    }
    let chosen_until = until.unwrap_or_else(|| {
        let periods = PERIODS * TAU / or_one(slow.unwrap_or(fastest));
        start.t + rounded(periods.max(FEWEST * chosen_step).min(MOST * chosen_step))
    });
    if until.is_none() {
        told.push(format!("--until {chosen_until}"));
    }
    let run = Run { method, step: chosen_step, until: chosen_until, every, ..run.clone() };
    Ok((run, Some(note(&told))))
}

fn note(flags: &[String]) -> String {
    format!("chosen for this model: {}", flags.join(" "))
}

/// The method that a description of the model advises first and that needs no option.
/// Methods that average over a fast phase have steps that no frequency at the start tells.
fn advised(instance: &Instance) -> Result<String, Error> {
    let fits = methods::fits(instance);
    let plain = |method: &str| fits.iter().any(|fit| fit.fits && fit.method == method && fit.note.is_none());
    let advice = Advice::on(&*instance.system, &fits).into_iter().map(|advice| advice.method);
    let others = fits.iter().map(|fit| fit.method);
    let found = advice.chain(others).find(|method| plain(method) && !methods::averages(method));
    found.map(str::to_owned).ok_or_else(|| {
        Error::Mistake(format!(
            "no method is chosen for `{0}`; `describe {0}` lists the methods that fit",
            instance.name
        ))
    })
}

/// The settings of a run in a parameter file.
#[derive(Default)]
struct OfFile {
    method: Option<String>,
    step: Option<f64>,
    until: Option<f64>,
    every: Option<u64>,
}

fn of_file(run: &Run) -> Result<OfFile, Error> {
    let Some(path) = run.model.params.as_deref() else { return Ok(OfFile::default()) };
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
