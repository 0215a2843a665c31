//! The error of the energy of a recorded run, by other means than those of the run itself: `eval` at states of its record.

use crate::process::Directory;
use serde_json::Value;

/// The states that are evaluated.
const STATES: usize = 9;

/// The change of the energy between the first and the last state, as a part of the largest of: the kinetic energy of the last state, the
/// mean of those of the states between, equally far apart in time; none where it is not conserved, or cannot be evaluated.
pub(crate) fn error(
    directory: &Directory,
    shared: &[String],
    penalty: Option<f64>,
    conservative: bool,
) -> Option<f64> {
    let record: Value = serde_json::from_str(&directory.read("run.json")?).ok()?;
    let rows = record.as_array()?;
    let chosen = (0..STATES).filter_map(|k| rows.get(k * (rows.len().max(1) - 1) / (STATES - 1)));
    let mut energies = Vec::new();
    for row in chosen {
        let (kinetic, energy) = at(directory, shared, penalty, row)?;
        // What is not finite is off by any measure.
        if !(kinetic.is_finite() && energy.is_finite()) {
            return Some(f64::INFINITY);
        }
        energies.push((kinetic, energy));
    }
    let mean = energies.iter().map(|(kinetic, _)| kinetic / energies.len() as f64).sum::<f64>();
    let (first, last) = (energies.first()?, energies.last()?);
    let change = (last.1 - first.1).abs();
    // Rounding of the energy is not an error of the run, nor is what a change of the eighth digit of the coordinates makes of it.
    let nearby = at(directory, shared, penalty, &moved(rows.first()?)).map_or(f64::NAN, |(_, energy)| energy);
    // `max` leaves out what is not a number.
    let rounding = (1e-9 * first.1.abs().max(last.1.abs())).max(2.0 * (nearby - first.1).abs());
    (conservative && change > rounding).then(|| (change - rounding) / last.0.max(mean))
}

/// The state with coordinates that differ in the eighth digit, up and down in turn.
fn moved(row: &Value) -> Value {
    let mut row = row.clone();
    for (index, q) in row["q"].as_array_mut().into_iter().flatten().enumerate() {
        let change = if index % 3 == 1 { -1e-8 } else { 1e-8 };
        *q = Value::from(q.as_f64().unwrap_or(f64::NAN) * (1.0 + change));
    }
    row
}

/// The kinetic and the whole energy of one row of a record.
fn at(directory: &Directory, shared: &[String], penalty: Option<f64>, row: &Value) -> Option<(f64, f64)> {
    let state = serde_json::json!({ "t": row["t"], "q": row["q"], "v": row["v"] });
    directory.write("state.json", &state.to_string());
    let mut arguments = vec!["eval".to_owned()];
    arguments.extend(shared.iter().cloned());
    arguments.extend(["--start", "state.json", "--what", "kinetic,energy"].map(str::to_owned));
    if let Some(omega) = penalty {
        arguments.extend(["--penalty".to_owned(), format!("{omega:e}")]);
    }
    let found: Value = serde_json::from_str(&directory.run(&arguments).out).ok()?;
    Some((found["kinetic"].as_f64().unwrap_or(f64::NAN), found["energy"].as_f64().unwrap_or(f64::NAN)))
}
