//! Order by slope, symplecticity, reversibility and momentum, as the constants of each method claim.

use integrator_core::method::{Method, Verlet, ZhangSkeel, ZhangSkeelSimplified};
use integrator_core::system::{Natural, State};
use integrator_core::wrap::Penalized;
use test_support::linkage::Linkage;
use test_support::quartic::Quartic;
use test_support::structure::{
    advance, angular_momentum, order_by_slope, reversal_defect, state_distance, symplectic_defect,
};

/// The double pendulum away from the constraints, moving.
fn generic() -> State {
    State::new(vec![0.3, -0.9, 1.2, -1.9], vec![0.4, 0.3, -0.5, 0.6])
}

fn check_order<M: Method<dyn Natural>>(method: &M) {
    let problem = Quartic::default();
    let system: &dyn Natural = &problem;
    // One method at a step a hundred times finer is exact enough to tell the slope.
    let exact = advance(system, &Verlet, &Quartic::start(), 2.0 / 100_000.0, 100_000);
    let slope = order_by_slope(&[40, 80, 160, 320], |steps| {
        let found = advance(system, method, &Quartic::start(), 2.0 / steps as f64, steps);
        state_distance(&found, &exact)
    });
    assert!((slope - f64::from(M::ORDER)).abs() < 0.1, "{}: slope {slope}", M::NAME);
}

#[test]
fn the_error_falls_with_the_claimed_order_on_a_soft_nonlinear_problem() {
    check_order(&Verlet);
    check_order(&ZhangSkeel::default());
    check_order(&ZhangSkeelSimplified::default());
}

fn check_symplectic<'s, M: Method<Penalized<'s, Linkage>>>(system: &Penalized<'s, Linkage>, method: &M) {
    let defect = symplectic_defect(system, method, &generic(), 0.05, 2e-4);
    match M::SYMPLECTIC {
        Some(true) => assert!(defect < 1e-8, "{}: {defect:e}", M::NAME),
        Some(false) => assert!(defect > 1e-3, "{}: {defect:e}", M::NAME),
        None => panic!("{} claims nothing", M::NAME),
    }
}

#[test]
fn one_step_is_a_symplectic_map_exactly_where_it_is_claimed() {
    let pendulum = Linkage::chain(&[1.0, 2.5], &[1.0, 1.4], 1.0);
    let system = Penalized::new(&pendulum, 8.0).unwrap();
    check_symplectic(&system, &Verlet);
    check_symplectic(&system, &ZhangSkeel::default());
    check_symplectic(&system, &ZhangSkeelSimplified::default());
}

fn check_reversible<'s, M: Method<Penalized<'s, Linkage>>>(system: &Penalized<'s, Linkage>, method: &M) {
    assert_eq!(M::REVERSIBLE, Some(true));
    let defect = reversal_defect(system, method, &generic(), 0.02, 5);
    assert!(defect < 1e-13, "{}: {defect:e}", M::NAME);
}

#[test]
fn reversing_the_velocity_runs_backwards() {
    let pendulum = Linkage::double_pendulum(1.0).0;
    let system = Penalized::new(&pendulum, 20.0).unwrap();
    check_reversible(&system, &Verlet);
    check_reversible(&system, &ZhangSkeel::default());
    check_reversible(&system, &ZhangSkeelSimplified::default());
}

fn check_momentum<'s, M: Method<Penalized<'s, Linkage>>>(system: &Penalized<'s, Linkage>, method: &M) {
    let start = State::new(vec![0.0, -1.0, 1.0, -2.0], vec![0.5, 0.0, 0.3, 0.4]);
    let end = advance(system, method, &start, 0.01, 500);
    let change = (angular_momentum(system.mass(), &end) - angular_momentum(system.mass(), &start)).abs();
    match M::MOMENTUM {
        Some(true) => assert!(change < 1e-13, "{}: {change:e}", M::NAME),
        Some(false) => assert!(change > 1e-6, "{}: {change:e}", M::NAME),
        None => panic!("{} claims nothing", M::NAME),
    }
}

#[test]
fn without_gravity_the_angular_momentum_is_kept_exactly_where_it_is_claimed() {
    let pendulum = Linkage::double_pendulum(0.0).0;
    let system = Penalized::new(&pendulum, 20.0).unwrap();
    check_momentum(&system, &Verlet);
    check_momentum(&system, &ZhangSkeel::default());
    check_momentum(&system, &ZhangSkeelSimplified::default());
}
