//! Order by slope beyond `every_method_keeps_every_claim`: full masses, stiff parts alone, compositions.

use least_action::advanced::wrap::Penalized;
use least_action::method::{
    Composition, ImplicitMidpoint, Method, Newmark, NewmarkLinearA, NewmarkLinearB, PushForwardNewmark,
    Rattle, Verlet, ZhangSkeel, ZhangSkeelSimplified, ZhangSkeelStiff,
};
use least_action::system::{Natural, State};
use test_support::linkage::Linkage;
use test_support::quartic::Quartic;
use test_support::rail::Rail;
use test_support::structure::{advance, order_by_slope, reversal_defect, state_distance};

fn check_order<M: Method<dyn Natural>>(method: &M) {
    let problem = Quartic::default();
    let system: &dyn Natural = &problem;
    // One method at a step a hundred times finer is exact enough to tell the slope.
    let exact = advance(system, &Verlet, &Quartic::start(), 2.0 / 100_000.0, 100_000);
    let slope = order_by_slope(&[40, 80, 160, 320], |steps| {
        let found = advance(system, method, &Quartic::start(), 2.0 / steps as f64, steps);
        state_distance(&found, &exact)
    });
    assert!((slope - f64::from(method.order())).abs() < 0.1, "{}: slope {slope}", M::NAME);
}

#[test]
fn the_error_falls_with_the_claimed_order_on_a_soft_nonlinear_problem() {
    check_order(&Verlet);
    check_order(&ZhangSkeel::default());
    check_order(&ZhangSkeelSimplified::default());
    check_order(&Newmark::default());
    check_order(&ImplicitMidpoint::default());
    check_order(&PushForwardNewmark::default());
    check_order(&NewmarkLinearA::default());
    check_order(&NewmarkLinearB::default());
}

#[test]
fn the_stiff_integrator_has_order_two_though_only_the_penalty_is_in_its_matrix() {
    let problem = Rail::default();
    let system = Penalized::new(&problem, 0.7).unwrap();
    let start = State::new(vec![0.9, -0.6], vec![0.2, 0.7]);
    let exact = advance(&system, &Verlet, &start, 2.0 / 100_000.0, 100_000);
    let slope = order_by_slope(&[40, 80, 160, 320], |steps| {
        let found = advance(&system, &ZhangSkeelStiff::default(), &start, 2.0 / steps as f64, steps);
        state_distance(&found, &exact)
    });
    assert!((slope - 2.0).abs() < 0.1, "slope {slope}");
    // The potential beside the penalty is not in the matrix: the method is not Z&Ss.
    let full = advance(&system, &ZhangSkeelSimplified::default(), &start, 0.1, 1);
    let stiff = advance(&system, &ZhangSkeelStiff::default(), &start, 0.1, 1);
    assert!(state_distance(&full, &stiff) > 1e-5);
}

/// The slope on the soft nonlinear problem, between step counts where the error is far above rounding.
fn check_composed<M: Method<dyn Natural>>(method: &M, steps: &[u64]) {
    let problem = Quartic::default();
    let system: &dyn Natural = &problem;
    let exact = advance(system, &Composition::of(Verlet, 8), &Quartic::start(), 2.0 / 1000.0, 1000);
    let slope = order_by_slope(steps, |steps| {
        state_distance(&advance(system, method, &Quartic::start(), 2.0 / steps as f64, steps), &exact)
    });
    assert!(
        (slope - f64::from(method.order())).abs() < 0.25,
        "{}, order {}: slope {slope}",
        M::NAME,
        method.order()
    );
}

#[test]
fn a_composition_has_its_order_on_any_symmetric_base() {
    check_composed(&Composition::of(Verlet, 2), &[40, 80, 160]);
    check_composed(&Composition::of(Verlet, 4), &[20, 40, 80]);
    check_composed(&Composition::of(Verlet, 6), &[10, 20, 30]);
    check_composed(&Composition::of(Verlet, 8), &[6, 9, 12]);
    check_composed(&Composition::of(ZhangSkeel::default(), 4), &[40, 80, 160]);
    check_composed(&Composition::of(ZhangSkeelSimplified::default(), 6), &[20, 30, 40]);
    check_composed(&Composition::of(Newmark::default(), 4), &[40, 80, 160]);
    check_composed(&Composition::of(ImplicitMidpoint::default(), 6), &[20, 30, 40]);
    check_composed(&Composition::of(PushForwardNewmark::default(), 6), &[20, 30, 40]);
}

fn check_composed_rattle(order: u32, steps: &[u64]) {
    let (pendulum, start) = Linkage::double_pendulum(1.0);
    let exact = advance(&pendulum, &Composition::of(Rattle::default(), 8), &start, 0.005, 400);
    let slope = order_by_slope(steps, |steps| {
        let method = Composition::of(Rattle::default(), order);
        state_distance(&advance(&pendulum, &method, &start, 2.0 / steps as f64, steps), &exact)
    });
    assert!((slope - f64::from(order)).abs() < 0.3, "order {order}: slope {slope}");
}

#[test]
fn rattle_composed_has_its_order_on_the_double_pendulum() {
    check_composed_rattle(2, &[50, 100, 200]);
    check_composed_rattle(4, &[20, 40, 80]);
    check_composed_rattle(6, &[16, 24, 36]);
    check_composed_rattle(8, &[12, 16, 20]);
    let (pendulum, start) = Linkage::double_pendulum(1.0);
    let method = Composition::of(Rattle::default(), 6);
    let end = advance(&pendulum, &method, &start, 0.1, 100);
    assert!(pendulum.violation(&end) < 1e-13 && pendulum.rate(&end) < 1e-13);
    assert!((end.t - 10.0).abs() < 1e-13);
    assert!(reversal_defect(&pendulum, &method, &start, 0.05, 20) < 1e-12);
    // At order 2 there is one part, and the bits equal the base's.
    let once = advance(&pendulum, &Composition::of(Rattle::default(), 2), &start, 0.1, 50);
    assert_eq!(once, advance(&pendulum, &Rattle::default(), &start, 0.1, 50));
}
