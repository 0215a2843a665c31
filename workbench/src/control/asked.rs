//! The problem that a command line asks for.

use std::path::{Path, PathBuf};

use least_action::system::State;
use least_action_optimization::control::Control;
use serde_json::{Value, json};

use crate::arguments::{AskedControl, AskedCourse};
use crate::error::{Error, Result};
use crate::fit::asked::{interval, number};
use crate::prepared::Prepared;
use crate::registry::Instance;
use crate::start::{distinct, entries};
use crate::{parameters, view};

/// The command line with times for each input that has none: at most a piece for each step. Beside it
/// stands a note.
pub(super) fn with_times(
    motion: &Prepared<'_>,
    asked: &AskedControl,
    steps: u64,
) -> Result<(AskedControl, Option<String>)> {
    /// The memory of a piece in bytes, as a number and as text.
    const OF_A_PIECE: u64 = 200;
    let AskedControl { until, course, .. } = asked;
    let (pieces, mut is_cut) = (asked.pieces.min(steps), false);
    if pieces.saturating_mul(OF_A_PIECE) > parameters::available(&asked.model) {
        let reason = "so many pieces take too much memory: take fewer";
        return Err(Error::Mistake(format!("--pieces {pieces}: {reason}")));
    }
    let mut with = asked.clone();
    let (begin, lagrangian) = (motion.start.t, motion.instance.system.lagrangian());
    let parametric = lagrangian.parametric();
    for (place, signal) in parametric.iter().flat_map(|own| own.inputs()) {
        let Some(own) = parametric.filter(|_| signal.times().is_empty()) else { continue };
        let time = |k| begin + (until - begin) * k as f64 / pieces as f64;
        let times: Vec<f64> = (0..=pieces).map(time).collect();
        let count = times.len() - usize::from(*course == AskedCourse::Constant);
        let values = vec![signal.value(begin); count];
        let numbers = json!({"times": times, "values": values, "kind": course});
        with.model.set.push(format!("{}={numbers}", own.parameter_name(*place)));
        is_cut = pieces < asked.pieces;
    }
    let reason = "an input has at most one piece for each step";
    let note = is_cut.then(|| format!("--pieces {} becomes {pieces}: {reason}", asked.pieces));
    Ok((with, note))
}

/// The states of a recording; velocities that it has not are slopes of its positions.
pub(super) fn guess(instance: &Instance, path: &Path) -> Result<Vec<State>> {
    let refused = |reason: String| Error::malformed(path, reason);
    let layout = instance.system.lagrangian().layout();
    let (n, known, names) = (layout.dimension(), view::names(instance, path)?, entries(layout));
    let rates = names[n..].iter().filter(|rate| known.contains(rate));
    let all: Vec<String> = names[..n].iter().chain(rates).cloned().collect();
    let (times, columns, _) = view::samples(instance, path, &all)?;
    if times.len() < 2 || times.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(refused("a guess has at least two rows, each later than the one before".to_owned()));
    }
    if let Some((name, _)) = all.iter().zip(&columns).find(|(_, own)| own.iter().any(|x| !x.is_finite())) {
        return Err(refused(format!("`{name}` has a gap: a guess has a number in each row")));
    }
    let slopes = |own: &Vec<f64>| -> Vec<f64> {
        let last = own.len() - 1;
        let slope = |row: usize| {
            let (a, b) = (row.saturating_sub(1), (row + 1).min(last));
            (own[b] - own[a]) / (times[b] - times[a])
        };
        (0..=last).map(slope).collect()
    };
    let rate = |(name, own): (&String, &Vec<f64>)| {
        let place = all.iter().position(|other| other == name);
        place.map_or_else(|| slopes(own), |place| columns[place].clone())
    };
    let rates: Vec<Vec<f64>> = names[n..].iter().zip(&columns).map(rate).collect();
    let row = |(row, t): (usize, &f64)| {
        let of = |columns: &[Vec<f64>]| columns.iter().map(|own| own[row]).collect();
        State { t: *t, q: of(&columns[..n]), v: of(&rates) }
    };
    Ok(times.iter().enumerate().map(row).collect())
}

/// The files of the result.
pub(super) fn files(asked: &AskedControl, instance: &Instance, folder: &Path) -> Vec<PathBuf> {
    let parametric = instance.system.lagrangian().parametric();
    let inputs =
        parametric.iter().flat_map(|own| own.inputs().iter().map(|(place, _)| own.parameter_name(*place)));
    let is_asked = |name: &String| asked.input.is_empty() || asked.input.iter().any(|own| own.trim() == name);
    let names = inputs.filter(is_asked).map(|name| format!("{name}.csv"));
    let others = ["start.json", "report.html"].map(str::to_owned);
    names.chain(others).map(|name| folder.join(name)).collect()
}

/// Refuses an end that is not later than the start, and inputs without pieces.
pub(super) fn check(motion: &Prepared<'_>, asked: &AskedControl) -> Result {
    let (until, begin) = (asked.until, motion.start.t);
    if until <= begin {
        let remedy = format!("give a finite time after the start at t = {begin}");
        return Err(Error::Mistake(format!("--until {until}: {remedy}")));
    }
    if asked.pieces == 0 {
        return Err(Error::mistake("--pieces 0: an input has at least one piece"));
    }
    Ok(())
}

/// Adds the end, the bounds and the cost.
pub(super) fn problem(asked: &AskedControl, mut problem: Control) -> Result<Control> {
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
        let forms = "write `effort: INPUT = WEIGHT`, `change: INPUT = WEIGHT` or `distance: NAME = VALUE`";
        let wrong = || Error::Mistake(format!("--cost `{text}`: {forms}"));
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
        let count = count.ok_or_else(|| Error::mistake("--stretches: a motion has at least one"))?;
        problem = problem.stretches(count);
    }
    Ok(problem)
}

/// All that the unknowns depend on beside the model and the method.
pub(super) fn identity(asked: &AskedControl, states: &[State]) -> Value {
    let AskedControl { to, input, cost, bounds, stretches, until, .. } = asked;
    json!({
        "to": to, "input": input, "cost": cost, "bounds": bounds, "stretches": stretches, "until": until, "guess": states,
    })
}

/// Rounds the step to a whole part of the time from the start; beside the number of steps stands a note.
pub(super) fn dividing(motion: &mut Prepared<'_>) -> Result<(u64, Option<String>)> {
    /// A step that differs by rounding stays.
    const ROUNDING: f64 = 1e-10;
    let steps = motion.plan()?.steps;
    let whole = (motion.until - motion.start.t) / steps as f64;
    if (whole - motion.step).abs() <= ROUNDING * whole {
        return Ok((steps, None));
    }
    let given = std::mem::replace(&mut motion.step, whole);
    Ok((steps, Some(format!("--step {given} becomes {whole}: {steps} steps end at t = {}", motion.until))))
}

fn pair<'t>(flag: &str, text: &'t str) -> Result<(&'t str, f64)> {
    let wrong = || Error::Mistake(format!("{flag} `{text}`: write NAME=VALUE"));
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.trim(), number(flag, text, value)?))
}
