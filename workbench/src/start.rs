//! Initial states and directions from files and command lines, checked against the coordinates of the
//! model.

use std::f64::consts::TAU;
use std::path::Path;

use least_action::files;
use least_action::system::{Kind, Layout, State};
use least_action_optimization::fit::holds;
use least_action_pages::files::read_text;
use serde_json::{Map, Value};

use crate::arguments::StartChoice;
use crate::error::{Error, Names, Result};
use crate::json;
use crate::registry::Instance;
use crate::settings::{from_toml, is_toml};

/// The keys that this program prints beside a state, so that a result serves as the next start.
const RESULTS: &str = "energy steps seconds setup_seconds recording_seconds multipliers constraint_residual \
    nonholonomic_residual observed coordinates observed_names multiplier_names run velocity_residual \
    evaluations crossings step_lengths radial_distribution model parameters method step failure \
    verdict omega iterations contraction change multiplier_change g gdot";

impl StartChoice {
    /// True if the model's own start is taken, whatever entries of it are others.
    pub(crate) fn is_own(&self) -> bool {
        self.file.is_none() && self.state.is_none()
    }

    /// The state that a program gives, the one of a file, or the model's own, with other entries.
    pub(crate) fn state(&self, instance: &Instance) -> Result<State> {
        let layout = instance.system.lagrangian().layout();
        let state = match (&self.state, &self.file) {
            (Some(state), _) => fitting(state.clone(), layout)?,
            (None, Some(path)) => read(path, layout)?,
            (None, None) => instance.own_start()?,
        };
        Ok(self.changes(layout)?.on(state))
    }

    /// The entries that `--from` names.
    pub(crate) fn changes(&self, layout: &Layout) -> Result<Changes> {
        let all = self.from.join(",");
        let mut names = entries(layout);
        names.push("t".to_owned());
        let mut changes = Vec::new();
        for (name, numbers) in distinct("--from", &apart(&all), assignment)? {
            let places: Vec<usize> = (0..names.len()).filter(|place| holds(name, &names[*place])).collect();
            if places.is_empty() {
                return Err(Error::unknown_number("--from", &all, name, names.into_iter().collect()));
            }
            let value = |(k, place): (usize, usize)| (place, numbers[k % numbers.len()]);
            if ![1, places.len()].contains(&numbers.len()) {
                let (given, count) = (numbers.len(), places.len());
                let what =
                    format!("--from `{all}`: `{name}` has {count} entries, and {given} numbers are given");
                return Err(Error::Mistake(what));
            }
            changes.extend(places.into_iter().enumerate().map(value));
        }
        Ok(Changes(changes))
    }
}

/// Other entries of a start, by their places in (q, v, t).
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes(Vec<(usize, f64)>);

impl Changes {
    pub(crate) fn on(&self, mut state: State) -> State {
        let n = state.q.len();
        for &(place, value) in &self.0 {
            let entries = state.q.iter_mut().chain(&mut state.v).chain([&mut state.t]);
            entries.skip(place.min(2 * n)).take(1).for_each(|entry| *entry = value);
        }
        state
    }
}

/// The names of the entries of (q, v).
pub(crate) fn entries(layout: &Layout) -> Vec<String> {
    let own = (0..layout.dimension()).map(|index| layout.name_of(index));
    own.clone().chain(own.map(|name| format!("der.{name}"))).collect()
}

/// Refuses a name that is none of them.
pub(crate) fn check_entry(flag: &str, text: &str, name: &str, layout: &Layout) -> Result {
    let all = entries(layout);
    if all.iter().any(|own| own == name) {
        return Ok(());
    }
    Err(Error::unknown_number(flag, text, name, all.into_iter().collect()))
}

/// The parts between commas that stand outside of brackets.
fn apart(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let is_between = |letter: char| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    text.split(is_between).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// A name with its numbers: `theta=2`, `theta=45deg`, `bob=(0.1,-1)`.
fn assignment(text: &str) -> Result<(&str, Vec<f64>)> {
    let form = "write NAME=VALUE, such as theta=2, theta=45deg or bob=(0.1,-1)";
    let wrong = || Error::Mistake(format!("--from `{text}`: {form}"));
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let number = |part: &str| {
        let units = [("deg", TAU / 360.0), ("°", TAU / 360.0), ("rad", 1.0), ("", 1.0)];
        let (number, unit) = units.iter().find_map(|(unit, size)| Some((part.strip_suffix(unit)?, size)))?;
        number.trim().parse().ok().map(|number: f64| number * unit).filter(|number| number.is_finite())
    };
    let bare = value.replace(['(', ')', '[', ']'], " ");
    let numbers = bare.split(',').map(|part| number(part.trim())).collect::<Option<Vec<f64>>>();
    numbers.map(|numbers| (name.trim(), numbers)).ok_or_else(wrong)
}

/// The entries of a list, each with another name.
pub(crate) fn distinct<'t, T>(
    flag: &str,
    texts: &'t [String],
    entry: impl Fn(&'t str) -> Result<(&'t str, T)>,
) -> Result<Vec<(&'t str, T)>> {
    let all = texts.iter().map(|text| entry(text)).collect::<Result<Vec<_>, _>>()?;
    let mut names = std::collections::HashSet::new();
    match all.iter().find(|(name, _)| !names.insert(*name)) {
        Some((name, _)) => {
            let all = texts.join(",");
            Err(Error::Mistake(format!("{flag} `{all}`: `{name}` is given twice: give it once")))
        }
        None => Ok(all),
    }
}

/// The angles of a start that seem to be degrees: whole numbers beyond a turn.
pub(crate) fn in_degrees(layout: &Layout, state: &State) -> Vec<String> {
    let angles = layout.coordinates().iter().filter(|one| one.kind == Kind::Angle);
    let entries = angles.flat_map(|one| one.offset..one.offset + one.size());
    let seems = |place: &usize| state.q[*place].fract() == 0.0 && state.q[*place].abs() > TAU;
    let words = |place: usize| {
        let (name, value, turns) = (layout.name_of(place), state.q[place], state.q[place] / TAU);
        format!("`{name}` starts at {value} rad, {turns:.1} turns; in degrees it is --from {name}={value}deg")
    };
    entries.filter(seems).map(words).collect()
}

/// Reads `{"t": 0.0, "q": […], "v": […]}`; `t` is 0 when it is missing.
pub(crate) fn read(path: &Path, layout: &Layout) -> Result<State> {
    let fields = fields(path)?;
    let vector = |key: &str, quantity: &str| {
        let reason = || format!("`{key}` is missing: give a {quantity} for each coordinate");
        let value = fields.get(key).ok_or_else(|| Error::malformed(path, reason()))?;
        numbers(path, value, &format!("`{key}`"), &format!("initial {quantity}"), layout)
    };
    Ok(State { t: time(path, &fields)?, q: vector("q", "position")?, v: vector("v", "velocity")? })
}

/// A state that a program gives, if it is one of this layout.
pub(crate) fn fitting(state: State, layout: &Layout) -> Result<State> {
    let refused = |reason: String| Err(Error::Mistake(format!("the start cannot be used: {reason}")));
    let n = layout.dimension();
    for (name, numbers) in [("q", &state.q), ("v", &state.v)] {
        if numbers.len() != n {
            return refused(format!("`{name}` has length {}, but the model needs {n}", numbers.len()));
        }
        if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
            let (coordinate, value) = (layout.name_of(index), numbers[index]);
            let place = format!("the entry of `{coordinate}` in `{name}`");
            return refused(format!("{place} is {value}, but it must be finite"));
        }
    }
    if !state.t.is_finite() {
        return refused(format!("the time is {}, but it must be finite", state.t));
    }
    Ok(state)
}

/// The same for a model that is not bound yet: with as many positions as velocities.
pub(crate) fn read_any(path: &Path) -> Result<State> {
    let fields = fields(path)?;
    let t = time(path, &fields)?;
    let numbers = |key: &str| {
        let list = fields.get(key).and_then(Value::as_array);
        let numbers = list.and_then(|list| list.iter().map(finite).collect::<Option<Vec<f64>>>());
        numbers.ok_or_else(|| Error::malformed(path, format!("`{key}` must be an array of finite numbers")))
    };
    let (q, v) = (numbers("q")?, numbers("v")?);
    if q.len() != v.len() {
        let reason = format!("there are {} positions and {} velocities", q.len(), v.len());
        return Err(Error::malformed(path, reason));
    }
    Ok(State { t, q, v })
}

/// The fields of a state, whose names are known.
fn fields(path: &Path) -> Result<Map<String, Value>> {
    let Value::Object(fields) = read_numbers(path)? else {
        return Err(Error::malformed(path, r#"expected {"t": 0.0, "q": […], "v": […]}"#));
    };
    let known: Names = ["t", "q", "v"].into_iter().collect();
    for name in fields.keys() {
        if !known.0.contains(name) && !RESULTS.split(' ').any(|own| own == name) {
            let reason = known.refusal(format_args!("unknown field `{name}`"), name, "a state is");
            return Err(Error::malformed(path, reason));
        }
    }
    Ok(fields)
}

fn time(path: &Path, fields: &Map<String, Value>) -> Result<f64> {
    let Some(value) = fields.get("t") else { return Ok(0.0) };
    let reason = || format!("the initial time is {}, but it must be finite", shown(value));
    finite(value).ok_or_else(|| Error::malformed(path, reason()))
}

/// Reads a JSON array with one number for each degree of freedom.
pub(crate) fn read_direction(path: &Path, layout: &Layout) -> Result<Vec<f64>> {
    numbers(path, &read_numbers(path)?, "the direction", "component of the direction", layout)
}

fn numbers(path: &Path, value: &Value, name: &str, quantity: &str, layout: &Layout) -> Result<Vec<f64>> {
    let Value::Array(entries) = value else {
        return Err(Error::malformed(path, format!("{name} must be an array of numbers")));
    };
    if entries.len() != layout.dimension() {
        let groups = layout.coordinates().iter();
        let groups: Vec<String> =
            groups.map(|group| format!("{} of `{}`", group.size(), group.name)).collect();
        let reason = format!(
            "{name} has length {}, but the model needs {} ({})",
            entries.len(),
            layout.dimension(),
            groups.join(", ")
        );
        return Err(Error::malformed(path, reason));
    }
    let number = |(index, entry): (usize, &Value)| {
        finite(entry).ok_or_else(|| {
            let (name, shown) = (layout.name_of(index), shown(entry));
            let reason =
                format!("the {quantity} of `{name}` is {shown}: every entry must be a finite number");
            Error::malformed(path, reason)
        })
    };
    entries.iter().enumerate().map(number).collect()
}

fn finite(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite())
}

/// A value as it stood in the file.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if WORDS.contains(&text.as_str()) => text.clone(),
        other => other.to_string(),
    }
}

/// Numbers that JSON does not have, as we name them.
const WORDS: [&str; 3] = ["NaN", "inf", "-inf"];

/// Reads JSON or TOML; a bare NaN or Infinity becomes a string, so that the message can name its place.
fn read_numbers(path: &Path) -> Result<Value> {
    const RECORDINGS: [&str; 5] = ["csv", "parquet", "xyz", "pvd", "glb"];
    if path.extension().is_some_and(|ending| RECORDINGS.iter().any(|one| ending.eq_ignore_ascii_case(one))) {
        let reason = "a recording is no state: `run --format json` prints one at its end";
        return Err(Error::malformed(path, reason));
    }
    let text = if path == Path::new(files::STANDARD) {
        files::standard_input().map_err(|error| Error::unreadable(path, &error))?
    } else {
        read_text(path)?
    };
    if is_toml(path) {
        return from_toml(path, &text);
    }
    json::value(&text).or_else(|error| {
        let quoted =
            text.replace("-Infinity", "\"-inf\"").replace("Infinity", "\"inf\"").replace("NaN", "\"NaN\"");
        json::value(&quoted).map_err(|_| Error::malformed(path, error))
    })
}
