//! Holonomic constraints beside a mass that depends on the position, gyroscopic terms, time and forces.

use super::measure::{check_adjoint, check_errors, check_order, check_steps};
use super::problems::problem;
use least_action::method::{Composition, VariationalMidpoint, VariationalTrapezoid};

/// The problems with rows that do not depend on each other, and steps for them.
const HELD: [(&str, f64); 7] = [
    ("slider_crank_motor", 0.02),
    ("fourbar_relative_angles", 0.02),
    ("polar_moving_rod", 0.05),
    ("magnetic_sphere", 0.05),
    ("magnetic_sphere_symmetric", 0.05),
    ("magnetic_sphere_damped", 0.05),
    ("car_axis", 0.01),
];

#[test]
fn the_first_steps_are_the_known_ones() {
    for (name, _) in HELD {
        check_steps(name, &problem(name), 1e-10);
    }
}

#[test]
fn the_errors_are_the_known_ones() {
    for (name, _) in HELD {
        check_errors(name, &problem(name));
    }
}

#[test]
fn a_step_back_undoes_a_step() {
    for (name, h) in HELD {
        check_adjoint(name, &problem(name), h);
    }
}

#[test]
fn compositions_have_their_orders_in_positions_velocities_and_multipliers() {
    let fourbar = problem("fourbar_relative_angles");
    let magnetic = problem("magnetic_sphere");
    let polar = problem("polar_moving_rod");
    let midpoint = VariationalMidpoint::default();
    let trapezoid = VariationalTrapezoid::default();
    check_order("fourbar", &fourbar, &Composition::of(midpoint, 4), [0.01, 0.005], 0.15);
    check_order("fourbar", &fourbar, &Composition::of(trapezoid, 4), [0.01, 0.005], 0.15);
    check_order("magnetic", &magnetic, &Composition::of(midpoint, 6), [0.05, 0.025], 0.15);
    check_order("magnetic", &magnetic, &Composition::of(trapezoid, 6), [0.05, 0.025], 0.15);
    check_order("polar", &polar, &Composition::of(midpoint, 4), [0.05, 0.025], 0.15);
    check_order("magnetic", &magnetic, &Composition::of(midpoint, 8), [0.2, 0.1], 0.5);
    check_order("polar", &polar, &Composition::of(trapezoid, 8), [0.2, 0.1], 0.5);
}
