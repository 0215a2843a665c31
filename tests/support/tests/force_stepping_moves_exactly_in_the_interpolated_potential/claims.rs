//! The claims of the method: energy to round-off, symplectic, reversible, order 1; symmetries.

use super::{ALL, from_origin, run};
use least_action::method::force_stepping::{ForceStepping, Triangulation};
use least_action::method::{Claims as _, Stepper as _};
use least_action::system::{Natural, State};
use test_support::THOROUGH;
use test_support::structure::{order_by_slope, reversal_defect, symplectic_defect};
use test_support::values::{EPSILON, OfValues, anharmonic, argon, argon_jacobi, chain, kepler, net};

/// ½ v·M v + V_h at the last of many crossings, and at the start.
fn energies(system: &OfValues, start: &State, method: &ForceStepping, crossings: u64) -> [f64; 2] {
    let mut run = run(method, system, start);
    let mut interpolant = run.interpolant();
    let mut energy = |state: &State| interpolant.value(&state.q) + system.kinetic(state);
    let before = energy(start);
    let mut state = start.clone();
    let mut last = start.t;
    for _ in 0..crossings {
        last = run.next_crossing().unwrap().unwrap().time;
    }
    run.state_at(last, &mut state);
    [before, energy(&state)]
}

/// Rounding walks at random: N crossings have √N times the rounding of one, a few last digits.
fn check_energy(system: &OfValues, start: &State, method: &ForceStepping, crossings: u64, scale: f64) {
    let [before, after] = energies(system, start, method, crossings);
    let bound = 8.0 * f64::EPSILON * (crossings as f64).sqrt() * scale;
    assert!((after - before).abs() < bound, "{:e} of {bound:e}", after - before);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn the_energy_of_the_interpolated_system_is_kept_to_rounding_over_a_million_crossings() {
    let many = if THOROUGH { 1_000_000 } else { 300_000 };
    for triangulation in ALL {
        let (system, start) = kepler(0.85);
        // The kinetic energy at perihelion.
        check_energy(&system, &start, &from_origin(0.011, triangulation), 1_000_000, 6.0);
        let (system, start) = chain(100);
        check_energy(&system, &start, &from_origin(0.01, triangulation), many, 20.0);
    }
    let (system, start) = argon();
    check_energy(&system, &start, &from_origin(0.02, Triangulation::Kuhn), many, 12.0 * EPSILON);
    let (system, start) = net(4);
    check_energy(&system, &start, &from_origin(0.01, Triangulation::Kuhn), 3 * many / 10, 4.0);
}

#[test]
#[ignore = "long: a hundred million crossings"]
fn and_over_a_hundred_million() {
    // A more eccentric orbit would find the vertex at the singularity in that time.
    let (system, start) = kepler(0.3);
    check_energy(&system, &start, &from_origin(0.011, Triangulation::Kuhn), 100_000_000, 2.0);
    let (system, start) = chain(100);
    check_energy(&system, &start, &from_origin(0.01, Triangulation::Kuhn), 100_000_000, 20.0);
}

/// The map over one output with many crossings, differentiated between starts that cross the same faces.
#[test]
fn the_map_over_many_crossings_is_symplectic() {
    assert_eq!(ForceStepping::SYMPLECTIC, Some(true));
    for triangulation in ALL {
        let (system, start) = chain(4);
        let method = from_origin(0.02, triangulation);
        let crossings = {
            let mut run = run(&method, &system, &start);
            run.step().unwrap();
            run.report().crossings.unwrap()
        };
        assert!(crossings > 50, "{crossings}");
        let defect = symplectic_defect(&system, &method, &start, 1.0, 1e-6);
        assert!(defect < 1e-7, "{triangulation:?}: {defect:e}");
        let (system, start) = kepler(0.3);
        let start = State::new(vec![start.q[0] + 0.0123, 0.0071], start.v);
        let defect = symplectic_defect(&system, &from_origin(0.05, triangulation), &start, 1.0, 1e-6);
        assert!(defect < 1e-7, "{triangulation:?}: {defect:e}");
    }
}

#[test]
fn reversing_the_velocity_runs_backwards() {
    assert_eq!(ForceStepping::REVERSIBLE, Some(true));
    for triangulation in ALL {
        let method = from_origin(0.01, triangulation);
        let (system, start) = chain(10);
        assert!(reversal_defect(&system, &method, &start, 1.0, 2) < 1e-12);
        let (system, start) = kepler(0.85);
        let start = State::new(vec![start.q[0] + 0.001, 0.002], start.v);
        assert!(reversal_defect(&system, &method, &start, 1.0, 3) < 1e-12);
    }
}

/// sup |q_h − q| + sup |q̇_h − q̇| + sup |q̈_h − q̈| until t = 2.
fn error(system: &dyn Natural, start: &State, method: &ForceStepping) -> f64 {
    let mut run = run(method, system, start);
    let n = start.q.len();
    let masses: Vec<f64> =
        (0..n).map(|a| system.mass().values[system.mass().pattern.position(a, a).unwrap()]).collect();
    let acceleration = |q: &[f64]| {
        let mut gradient = vec![0.0; n];
        system.potential_gradient(q, 0.0, &mut gradient);
        gradient.iter().zip(&masses).map(|(g, m)| -g / m).collect::<Vec<f64>>()
    };
    let moved =
        |x: &[f64], by: &[f64], h: f64| -> Vec<f64> { x.iter().zip(by).map(|(x, d)| x + h * d).collect() };
    // The classical method of Runge and Kutta; its error is far below the error of the grid.
    let exact_step = |state: &State, h: f64| {
        let (v1, a1) = (state.v.clone(), acceleration(&state.q));
        let (v2, a2) = (moved(&state.v, &a1, h / 2.0), acceleration(&moved(&state.q, &v1, h / 2.0)));
        let (v3, a3) = (moved(&state.v, &a2, h / 2.0), acceleration(&moved(&state.q, &v2, h / 2.0)));
        let (v4, a4) = (moved(&state.v, &a3, h), acceleration(&moved(&state.q, &v3, h)));
        let mean = |one: &[f64], two: &[f64], three: &[f64], four: &[f64]| -> Vec<f64> {
            (0..n).map(|k| (one[k] + 2.0 * two[k] + 2.0 * three[k] + four[k]) / 6.0).collect()
        };
        let (dq, dv) = (mean(&v1, &v2, &v3, &v4), mean(&a1, &a2, &a3, &a4));
        State { t: state.t + h, q: moved(&state.q, &dq, h), v: moved(&state.v, &dv, h) }
    };
    let (mut exact, mut before, mut after) = (start.clone(), start.clone(), start.clone());
    let mut worst = [0.0_f64; 3];
    while let Some(crossing) = run.next_crossing().unwrap().filter(|crossing| crossing.time < 2.0) {
        let tau = crossing.length;
        if tau == 0.0 {
            continue;
        }
        run.state_at(crossing.time, &mut after);
        let begins = acceleration(&exact.q);
        let parts = (tau / 0.01).ceil();
        for _ in 0..parts as usize {
            exact = exact_step(&exact, tau / parts);
        }
        let ends = acceleration(&exact.q);
        for k in 0..n {
            // The velocity is linear between crossings; so short a segment has only rounding.
            let turned = if tau > 1e-6 { (after.v[k] - before.v[k]) / tau } else { begins[k] };
            worst[0] = worst[0].max((after.q[k] - exact.q[k]).abs());
            worst[1] = worst[1].max((after.v[k] - exact.v[k]).abs());
            worst[2] = worst[2].max((turned - begins[k]).abs()).max((turned - ends[k]).abs());
        }
        std::mem::swap(&mut before, &mut after);
    }
    worst.iter().sum()
}

#[test]
fn positions_velocities_and_accelerations_converge_with_the_first_power_of_the_step() {
    let system = anharmonic();
    let start = State::new(vec![0.9, -0.4, 0.5], vec![0.3, 0.8, -0.6]);
    for triangulation in ALL {
        let slope = order_by_slope(&[25, 50, 100, 200, 400], |cells| {
            let method = ForceStepping { triangulation, ..ForceStepping::with_grid(1.0 / cells as f64) };
            error(&system, &start, &method)
        });
        assert!((slope - f64::from(ForceStepping::ORDER)).abs() < 0.15, "{triangulation:?}: slope {slope}");
    }
}

/// Kuhn's grid with equal steps is invariant under a translation along (1, …, 1), and under no other.
#[test]
fn the_sum_of_all_momenta_is_conserved_and_single_components_are_not() {
    assert_eq!(ForceStepping::MOMENTUM, Some(false));
    for ((system, start), step, unit) in [(argon(), 0.02, 100.0), (net(4), 0.01, 1.0)] {
        let mut run = run(&from_origin(step, Triangulation::Kuhn), &system, &start);
        let mut state = start.clone();
        let component = |state: &State, k: usize| state.v.iter().skip(k).step_by(2).sum::<f64>();
        let [mut both, mut one] = [0.0_f64; 2];
        for _ in 0..20_000 {
            let time = run.next_crossing().unwrap().unwrap().time;
            run.state_at(time, &mut state);
            let change = |k| component(&state, k) - component(&start, k);
            both = both.max((change(0) + change(1)).abs());
            one = one.max(change(0).abs());
        }
        assert!(both < 1e-11 * unit, "{both:e}");
        assert!(one > 1e-4 * unit, "{one:e}");
    }
}

#[test]
fn mirrored_grids_have_the_parities_of_the_potential() {
    let (system, state) = argon();
    let mut state = state;
    // Off the faces.
    state.q.iter_mut().enumerate().for_each(|(k, q)| *q += 1e-3 * (k as f64).sin());
    let all: Vec<f64> = state.q.iter().map(|q| -q).collect();
    let one: Vec<f64> = state.q.iter().enumerate().map(|(k, q)| if k % 2 == 0 { -q } else { *q }).collect();
    for triangulation in ALL {
        let method = from_origin(0.02, triangulation);
        let mut interpolant = method.interpolant(&system, &state.q, 0.0).unwrap();
        let value = interpolant.value(&state.q);
        let mut changes = [&all, &one].map(|image| ((interpolant.value(image) - value) / EPSILON).abs());
        if triangulation == Triangulation::Kuhn {
            assert!(changes[1] > 1e-3, "{changes:?}");
            changes[1] = 0.0;
        }
        assert!(changes.iter().all(|change| *change < 1e-13), "{triangulation:?}: {changes:?}");
    }
}

#[test]
fn the_interpolant_is_the_potential_at_vertices_and_linear_in_between() {
    let (whole, jacobi) = argon_jacobi();
    let (sum, _) = net(3);
    let (as_a_whole, lattice) = net(3);
    let as_a_whole = as_a_whole.as_a_whole();
    for triangulation in ALL {
        for (system, state, step) in
            [(&whole, &jacobi, 0.02), (&sum, &lattice, 0.1), (&as_a_whole, &lattice, 0.1)]
        {
            let method = from_origin(step, triangulation);
            let mut interpolant = method.interpolant(system, &state.q, 0.0).unwrap();
            let vertex: Vec<f64> = state.q.iter().map(|q| step * (q / step).round()).collect();
            let scale = system.potential(&state.q, 0.0).abs().max(1.0);
            let exact = system.potential(&vertex, 0.0);
            assert!((interpolant.value(&vertex) - exact).abs() < 1e-12 * scale);
            // The force is minus the gradient, exactly up to rounding, within a simplex.
            let mut force = vec![0.0; vertex.len()];
            let inside: Vec<f64> = (0..vertex.len())
                .map(|k| vertex[k] + step * (0.1 + 0.8 * ((7 * k) as f64 * 0.618).fract()))
                .collect();
            let value = interpolant.force(&inside, &mut force);
            assert_eq!(value.to_bits(), interpolant.value(&inside).to_bits());
            for k in 0..vertex.len() {
                let mut aside = inside.clone();
                aside[k] += 1e-4 * step;
                let slope = (interpolant.value(&aside) - value) / (1e-4 * step);
                assert!((slope + force[k]).abs() < 1e-6 * scale / step, "{k}: {slope} {}", force[k]);
            }
        }
        // Element by element it is the same function.
        let method = from_origin(0.1, triangulation);
        let mut values = [&sum, &as_a_whole].map(|system| {
            let mut interpolant = method.interpolant(system, &lattice.q, 0.0).unwrap();
            interpolant.value(&lattice.q)
        });
        values[1] -= values[0];
        assert!(values[1].abs() < 1e-13, "{triangulation:?}: {values:?}");
    }
}

/// The motion between crossings has the force of the interpolant.
#[test]
fn the_acceleration_is_the_force_of_the_interpolant() {
    for triangulation in ALL {
        let (system, start) = net(3);
        let mut run = run(&from_origin(0.01, triangulation), &system, &start);
        let mut interpolant = run.interpolant();
        let mut force = vec![0.0; start.q.len()];
        let (mut before, mut after) = (start.clone(), start.clone());
        let mut compared = 0;
        for _ in 0..2000 {
            let crossing = run.next_crossing().unwrap().unwrap();
            run.state_at(crossing.time, &mut after);
            if crossing.length > 1e-5 {
                let middle: Vec<f64> = before.q.iter().zip(&after.q).map(|(a, b)| 0.5 * (a + b)).collect();
                interpolant.force(&middle, &mut force);
                for (k, force) in force.iter().enumerate() {
                    let found = (after.v[k] - before.v[k]) / crossing.length;
                    assert!((found - force).abs() < 1e-9, "{triangulation:?}, {k}: {found} {force}");
                }
                compared += 1;
            }
            std::mem::swap(&mut before, &mut after);
        }
        assert!(compared > 500, "{compared}");
    }
}
