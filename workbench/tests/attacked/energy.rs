//! The error of the energy of a recorded run by other means than the run itself: `eval` at states of its
//! record.
//!
//! # Left out
//! Noise is subtracted: 10⁻¹² of the energy, and twice the change of the energy by a relative change of
//! the coordinates by a thousand times the tolerance of the run. A tenth of the energy can hide only in
//! motions whose kinetic energy is below some twenty times this change, which no run could tell from
//! rest. The test below sees a fifth in every ready model where the kinetic energy is a ten-thousandth
//! of the energy.

use crate::inventory::Inventory;
use crate::process::Directory;
use serde_json::Value;

/// The states that are evaluated.
const STATES: usize = 9;

/// The tolerance of methods that are given none.
const TOLERANCE: f64 = 1e-14;

/// The relative change of coordinates, in tolerances, that is noise.
const TOLERANCES: f64 = 1e3;

/// The part of an energy that is noise of the terms that it is the sum of.
const ROUNDING: f64 = 1e-12;

/// The change of the energy between the first and the last state, as a part of the larger of: the
/// kinetic energy of the last state; the mean kinetic energy of the states between, equally far apart in
/// time. None where the energy is not conserved, or cannot be evaluated.
pub(crate) fn error(
    directory: &Directory,
    shared: &[String],
    penalty: Option<f64>,
    tolerance: Option<f64>,
    conservative: bool,
) -> Option<f64> {
    let record: Value = serde_json::from_str(&directory.read("run.json")?).ok()?;
    let rows = record.as_array()?;
    let chosen = (0..STATES).filter_map(|k| rows.get(k * (rows.len().max(1) - 1) / (STATES - 1)));
    let mut energies = Vec::new();
    for row in chosen {
        let (kinetic, energy) = at(directory, shared, penalty, row)?;
        // An infinite number or NaN is off by any measure.
        if !(kinetic.is_finite() && energy.is_finite()) {
            return Some(f64::INFINITY);
        }
        energies.push((kinetic, energy));
    }
    let mean = energies.iter().map(|(kinetic, _)| kinetic / energies.len() as f64).sum::<f64>();
    let (first, last) = (energies.first()?, energies.last()?);
    let change = (last.1 - first.1).abs();
    let nearby = moved(rows.first()?, TOLERANCES * tolerance.unwrap_or(TOLERANCE));
    let nearby = at(directory, shared, penalty, &nearby).map_or(f64::NAN, |(_, energy)| energy);
    // `max` leaves out NaN.
    let noise = (ROUNDING * first.1.abs().max(last.1.abs())).max(2.0 * (nearby - first.1).abs());
    (conservative && change > noise).then(|| (change - noise) / last.0.max(mean))
}

/// The state with coordinates that differ by this part, up and down in turn.
fn moved(row: &Value, part: f64) -> Value {
    let mut row = row.clone();
    for (index, q) in row["q"].as_array_mut().into_iter().flatten().enumerate() {
        let change = if index % 3 == 1 { -part } else { part };
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
    arguments
        .extend(["--start", "state.json", "--what", "kinetic,energy", "--format", "json"].map(str::to_owned));
    if let Some(omega) = penalty {
        arguments.extend(["--penalty".to_owned(), format!("{omega:e}")]);
    }
    let found: Value = serde_json::from_str(&directory.run(&arguments).out).ok()?;
    Some((found["kinetic"].as_f64().unwrap_or(f64::NAN), found["energy"].as_f64().unwrap_or(f64::NAN)))
}

/// Records of a motion that becomes faster by a tenth, whose kinetic energy is a ten-thousandth of the
/// energy.
#[test]
fn a_fifth_of_the_energy_is_seen_in_every_ready_model() {
    let directory = Directory::new();
    for model in Inventory::read().models.iter().filter(|model| model.conservative) {
        let row = |speed: f64| {
            let v: Vec<f64> = (0..model.start.len()).map(|k| speed * (0.5 + (k % 3) as f64)).collect();
            serde_json::json!({ "t": 0.0, "q": model.start, "v": v })
        };
        let shared = std::slice::from_ref(&model.name);
        let [(_, rest), (moving, _)] = [0.0, 1.0].map(|speed| {
            at(&directory, shared, None, &row(speed)).unwrap_or_else(|| panic!("{}", model.name))
        });
        let speed = (1e-4 * rest.abs().max(moving) / moving).sqrt();
        directory.write("run.json", &serde_json::json!([row(speed), row(1.1 * speed)]).to_string());
        let found = error(&directory, shared, None, None, true);
        // (1.1² − 1) over the larger of the kinetic energies, 1.1².
        let expected = 0.21 / 1.21;
        assert!(found.is_some_and(|found| (found - expected).abs() < 0.01), "{}: {found:?}", model.name);
    }
}
