//! The problem that a command line asks for.

use std::path::{Path, PathBuf};

use least_action::drive::Plan;
use least_action::system::State;
use least_action_optimization::control::Control;
use least_action_optimization::fit::holds;
use serde_json::{Value, json};

use crate::arguments::{AskedControl, AskedCourse, Run};
use crate::error::Error;
use crate::fit::asked::{interval, mistake, number};
use crate::registry::Instance;
use crate::start;

/// The command line with times for each input that has none.
pub(super) fn with_times(
    instance: &Instance,
    asked: &AskedControl,
    begin: f64,
) -> Result<AskedControl, Error> {
    let AskedControl { pieces, until, course, .. } = asked;
    if !(until.is_finite() && *until > begin) {
        return Err(mistake(format!("--until {until}: give a finite time after the start at t = {begin}")));
    }
    if *pieces == 0 {
        return Err(mistake("--pieces 0: an input has at least one piece".to_owned()));
    }
    let mut with = asked.clone();
    let lagrangian = instance.system.lagrangian();
    let parametric = lagrangian.parametric();
    for (place, signal) in parametric.iter().flat_map(|own| own.inputs()) {
        let Some(own) = parametric.filter(|_| signal.times().is_empty()) else { continue };
        let time = |k| begin + (until - begin) * k as f64 / *pieces as f64;
        let times: Vec<f64> = (0..=*pieces).map(time).collect();
        let count = times.len() - usize::from(*course == AskedCourse::Constant);
        let values = vec![signal.value(begin); count];
        let numbers = json!({"times": times, "values": values, "kind": course});
        with.model.set.push(format!("{}={numbers}", own.name(*place)));
    }
    Ok(with)
}

/// The files of the result.
pub(super) fn files(asked: &AskedControl, instance: &Instance, folder: &Path) -> Vec<PathBuf> {
    let parametric = instance.system.lagrangian().parametric();
    let inputs = parametric.iter().flat_map(|own| own.inputs().iter().map(|(place, _)| own.name(*place)));
    let is_asked = |name: &String| asked.input.is_empty() || asked.input.iter().any(|own| own.trim() == name);
    let names = inputs.filter(is_asked).map(|name| format!("{name}.csv"));
    let others = ["start.json", "report.html"].map(str::to_owned);
    names.chain(others).map(|name| folder.join(name)).collect()
}

/// The start, with the entries of `--from`.
pub(super) fn start(
    instance: &Instance,
    asked: &AskedControl,
    inside: Option<State>,
) -> Result<State, Error> {
    let layout = instance.system.lagrangian().layout();
    let mut state = start::first(instance, inside, asked.start.as_deref())?;
    let names: Vec<String> = (0..layout.dimension()).map(|index| layout.name_of(index)).collect();
    for (name, value) in distinct("--from", &asked.from, |text| pair("--from", text))? {
        let mut is_known = false;
        for (prefix, numbers) in [("", &mut state.q), ("der.", &mut state.v)] {
            for (own, number) in names.iter().zip(numbers) {
                let own = format!("{prefix}{own}");
                if holds(name, &own) {
                    (*number, is_known) = (value, true);
                }
            }
        }
        if !is_known {
            let all = names.iter().cloned().chain(names.iter().map(|own| format!("der.{own}")));
            return Err(Error::unknown("--from", &asked.from.join(","), name, all.collect()));
        }
    }
    Ok(state)
}

/// Adds the end, the bounds and the cost.
pub(super) fn problem(asked: &AskedControl, mut problem: Control) -> Result<Control, Error> {
    for input in &asked.input {
        problem = problem.by(input.trim());
    }
    for (name, value) in distinct("--to", &asked.to, |text| pair("--to", text))? {
        problem = problem.to(name, value);
    }
    for (name, [lower, upper]) in distinct("--bounds", &asked.bounds, interval)? {
        problem = problem.within(name, lower, upper);
    }
    for text in &asked.cost {
        let wrong = || {
            mistake(format!(
                "--cost `{text}`: write `effort: INPUT = WEIGHT`, `change: INPUT = WEIGHT` or `distance: NAME = VALUE`"
            ))
        };
        let (kind, rest) = text.split_once(':').ok_or_else(wrong)?;
        let (name, value) = pair("--cost", rest)?;
        problem = match kind.trim() {
            "effort" => problem.effort(name, value),
            "change" => problem.change(name, value),
            "distance" => problem.distance(name, value, 1.0),
            _ => return Err(wrong()),
        };
    }
    if let Some(stretches) = asked.stretches {
        let count = usize::try_from(stretches).ok().filter(|count| *count > 0);
        let count = count.ok_or_else(|| mistake("--stretches: a motion has at least one".to_owned()))?;
        problem = problem.stretches(count);
    }
    Ok(problem)
}

/// All that the unknowns depend on.
pub(super) fn identity(asked: &AskedControl, arguments: &Run, start: &State) -> Value {
    let AskedControl { model, to, input, cost, bounds, stretches, .. } = asked;
    let Run { method, with, step, until, .. } = arguments;
    json!({
        "model": model.name, "set": model.set, "params": model.params, "to": to, "input": input, "cost": cost, "bounds": bounds,
        "stretches": stretches, "start": start, "method": method, "with": with, "step": step, "until": until,
    })
}

/// Rounds the step to a whole part of the time from the start; beside it stands a note.
pub(super) fn dividing(arguments: &mut Run, begin: f64) -> Result<Option<String>, Error> {
    /// A step that differs by rounding stays.
    const ROUNDING: f64 = 1e-10;
    let Run { step, until, .. } = arguments;
    let steps = Plan::until(begin, *until, *step).map_err(Error::Plan)?.steps;
    let whole = (*until - begin) / steps as f64;
    if (whole - *step).abs() <= ROUNDING * whole {
        return Ok(None);
    }
    let given = std::mem::replace(step, whole);
    Ok(Some(format!("--step {given} becomes {step}: {steps} steps end at t = {until}")))
}

fn pair<'t>(flag: &str, text: &'t str) -> Result<(&'t str, f64), Error> {
    let wrong = || mistake(format!("{flag} `{text}`: write NAME=VALUE"));
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.trim(), number(flag, text, value)?))
}

/// The entries of a list, each with another name.
pub(super) fn distinct<'t, T>(
    flag: &str,
    texts: &'t [String],
    entry: impl Fn(&'t str) -> Result<(&'t str, T), Error>,
) -> Result<Vec<(&'t str, T)>, Error> {
    let all = texts.iter().map(|text| entry(text)).collect::<Result<Vec<_>, _>>()?;
    let mut names = std::collections::HashSet::new();
    match all.iter().find(|(name, _)| !names.insert(*name)) {
        Some((name, _)) => {
            Err(mistake(format!("{flag} `{}`: `{name}` is given twice: give it once", texts.join(","))))
        }
        None => Ok(all),
    }
}
