//! Long runs against another implementation, within its stated tolerances: such runs are chaotic.

use super::{from_origin, run, triangulation};
use least_action::method::Stepper as _;
use least_action::method::force_stepping::{ForceStepping, Vertex};
use least_action::system::{State, Unforced};
use serde_json::Value;
use std::ops::RangeInclusive;
use test_support::values::{EPSILON, OfValues, argon, argon_jacobi, kepler, radial};

/// The averages over a long orbit.
#[derive(Debug, Default)]
struct Orbit {
    crossings: u64,
    /// The time of the last perihelion over their number.
    period: f64,
    semi_major_axis: f64,
    largest_change_of_angular_momentum: f64,
}

/// Follows an orbit from its perihelion; extrema of the distance are found on the parabolas.
fn orbit<S: Unforced>(method: &ForceStepping, system: &S, start: &State, end: f64) -> Orbit {
    let mut run = run(method, system, start);
    let distance = |q: &[f64]| q.iter().map(|q| q * q).sum::<f64>().sqrt();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let momentum = |state: &State| match (&state.q[..], &state.v[..]) {
        ([x, y], [u, v]) => x * v - y * u,
        _ => 0.0,
    };
    let (mut before, mut after) = (start.clone(), start.clone());
    let (mut found, mut times) = (Orbit::default(), Vec::new());
    let (mut near, mut far) = (vec![distance(&start.q)], Vec::new());
    while let Some(crossing) = run.next_crossing().unwrap().filter(|crossing| crossing.time < end) {
        found.crossings += 1;
        run.state_at(crossing.time, &mut after);
        let tau = crossing.length;
        let (falling, rising) = (dot(&before.q, &before.v), dot(&after.q, &after.v));
        if falling * rising < 0.0 {
            // The root of q·v on the parabola, by bisection.
            let at = |time: f64| {
                let point = |k: usize| {
                    let a = (after.v[k] - before.v[k]) / tau;
                    [before.q[k] + time * (before.v[k] + 0.5 * a * time), before.v[k] + a * time]
                };
                let (q, v): (Vec<f64>, Vec<f64>) = (0..start.q.len()).map(point).map(|[q, v]| (q, v)).unzip();
                (dot(&q, &v), distance(&q))
            };
            let (mut low, mut high) = (0.0, tau);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if at(middle).0 * falling > 0.0 { low = middle } else { high = middle }
            }
            if falling < 0.0 {
                near.push(at(low).1);
                times.push(crossing.time - tau + low);
            } else {
                far.push(at(low).1);
            }
        }
        let change = (momentum(&after) - momentum(start)).abs();
        found.largest_change_of_angular_momentum = found.largest_change_of_angular_momentum.max(change);
        std::mem::swap(&mut before, &mut after);
    }
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    found.period = times.last().map_or(f64::NAN, |last| last / times.len() as f64);
    found.semi_major_axis = 0.5 * (mean(&near) + mean(&far));
    found
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap()
}

fn check_orbit(row: &Value, found: &Orbit, share: f64) {
    let crossings = number(row, "crossings");
    assert!((found.crossings as f64 / crossings - 1.0).abs() < share, "{row}: {found:?}");
    assert!((found.period - number(row, "period_mean")).abs() < 3e-3, "{row}: {found:?}");
    assert!((found.semi_major_axis - number(row, "a_h")).abs() < 6e-4, "{row}: {found:?}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn long_orbits_have_the_steps_the_period_and_the_size_of_the_reference() {
    let reference = test_support::reference::read("force_stepping_measured.json");
    let mut checked = 0;
    for row in reference["kepler_measured"].as_array().unwrap() {
        let (system, start) = kepler(number(row, "e"));
        let step = number(row, "h");
        let method = from_origin(step, triangulation(row["tri"].as_str().unwrap()));
        let energy = run(&method, &system, &start).interpolant().value(&start.q) + system.kinetic(&start);
        let expected = number(row, "E_h");
        // Rows with a step that divides the start are of a grid with a vertex there.
        assert!((energy - expected).abs() < 1e-12, "{row}: {energy}");
        let found = orbit(&method, &system, &start, number(row, "T"));
        let coarse_and_mirrored = row["tri"] == "Mir" && step > 0.02;
        check_orbit(row, &found, if coarse_and_mirrored { 0.06 } else { 0.02 });
        if !coarse_and_mirrored {
            let ratio = found.largest_change_of_angular_momentum / number(row, "maxdL");
            assert!((0.5..2.0).contains(&ratio), "{row}: {found:?}");
        }
        checked += 1;
    }
    assert_eq!(checked, 33);
}

#[test]
fn reduced_orbits_have_those_of_the_reference_on_both_grids() {
    let reference = test_support::reference::read("force_stepping_measured.json");
    let mut checked = 0;
    for row in reference["kepler_polar_measured"].as_array().unwrap() {
        let vertex = match row["grid"].as_str().unwrap() {
            "origin at r=0 (paper)" => Vertex::Origin,
            "r0 on a vertex" => Vertex::Start,
            _ => continue,
        };
        if row["vertex_values"] != "V" {
            continue;
        }
        let (system, start) = radial(number(row, "e"));
        let method = ForceStepping { vertex, ..ForceStepping::with_grid(number(row, "h_r")) };
        check_orbit(row, &orbit(&method, &system, &start, number(row, "T")), 0.02);
        checked += 1;
    }
    assert!(checked >= 4, "{checked}");
}

/// Mean steps and ½ Σ m v²/(N k_B) of the argon cluster, for rows of such times in ns and grids in nm.
fn check_argon(times: RangeInclusive<f64>, grids: RangeInclusive<f64>) -> usize {
    let reference = test_support::reference::read("force_stepping_measured.json");
    let mut checked = 0;
    for row in reference["argon_measured"].as_array().unwrap() {
        let time = number(row, "T_ns");
        if !times.contains(&time) || !grids.contains(&number(row, "h_nm")) {
            continue;
        }
        let (system, start): (OfValues, State) =
            if row["coords"] == "raw" { argon() } else { argon_jacobi() };
        let method = from_origin(number(row, "h_nm"), triangulation(row["tri"].as_str().unwrap()));
        let mut run = run(&method, &system, &start);
        let mut interpolant = run.interpolant();
        let energy = interpolant.value(&start.q) + system.kinetic(&start);
        assert!((energy / EPSILON - number(row, "E_h_over_eps")).abs() < 1e-9, "{row}: {}", energy / EPSILON);
        let (mut before, mut after) = (start.clone(), start.clone());
        let (mut crossings, mut heat) = (0_u64, 0.0);
        while let Some(crossing) = run.next_crossing().unwrap().filter(|crossing| crossing.time < time) {
            // On a parabola the kinetic energy is quadratic in time, and the velocity linear.
            run.state_at(crossing.time, &mut after);
            let middle = before.v.iter().zip(&after.v).map(|(a, b)| 0.5 * (a + b)).collect();
            let middle = system.kinetic(&State::new(Vec::new(), middle));
            heat += crossing.length / 6.0 * (system.kinetic(&before) + 4.0 * middle + system.kinetic(&after));
            crossings += 1;
            std::mem::swap(&mut before, &mut after);
        }
        let change = interpolant.value(&before.q) + system.kinetic(&before) - energy;
        assert!(change.abs() < 1e-12 * EPSILON, "{row}: {:e}", change / EPSILON);
        // A warm cluster steps faster; its warmth wanders with its angular momentum. Over one nanosecond
        // eight starts that differ by 1e-12 have mean steps that scatter by 2.4 % on the finer grid.
        let step = 1e6 * before.t / crossings as f64 / number(row, "mean_dt_fs");
        let share = match (time < 1.0, time < 10.0 && number(row, "h_nm") < 0.02) {
            (false, false) => 0.02,
            (true, _) => 0.05,
            (false, true) => 0.07,
        };
        assert!((step - 1.0).abs() < share, "{row}: {step}");
        let temperature = heat / before.t / (7.0 * 13_806.58) / number(row, "temperature_K_at_T");
        assert!((temperature - 1.0).abs() < if share > 0.02 { 0.15 } else { 0.1 }, "{row}: {temperature}");
        let steps_of_equal_warmth = step * temperature.sqrt();
        assert!(
            (steps_of_equal_warmth - 1.0).abs() < if time < 1.0 { 0.03 } else { 0.01 },
            "{row}: {step} {temperature}"
        );
        checked += 1;
    }
    checked
}

/// Over a tenth of a nanosecond means are not final, so that the tolerances are wider.
#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn the_argon_cluster_has_the_steps_and_the_temperature_of_the_reference() {
    assert_eq!(check_argon(0.1..=0.1, 0.005..=1.0), 16);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn so_it_has_on_the_finest_grids() {
    assert_eq!(check_argon(0.1..=0.1, 0.0..=0.004), 8);
}

#[test]
#[ignore = "long: eighty million crossings"]
fn so_it_has_over_the_ten_nanoseconds_of_the_article() {
    assert_eq!(check_argon(1.0..=10.0, 0.0..=1.0), 15);
}

/// A run that goes from output to output has the same crossings.
#[test]
fn outputs_change_nothing() {
    let (system, start) = kepler(0.85);
    let method = ForceStepping::with_grid(0.011);
    let mut rough = least_action::method::Method::start(&method, &system, start.clone(), 10.0).unwrap();
    let mut fine = least_action::method::Method::start(&method, &system, start, 0.001).unwrap();
    rough.step().unwrap();
    for _ in 0..10_000 {
        fine.step().unwrap();
    }
    assert_eq!((fine.steps(), rough.steps()), (10_000, 1));
    assert_eq!(fine.report().crossings, rough.report().crossings);
    assert_eq!((&fine.state().q, &fine.state().v), (&rough.state().q, &rough.state().v));
}
