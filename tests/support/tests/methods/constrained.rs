//! SHAKE and RATTLE: papers, order, structure, failures.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use least_action::advanced::sparse::{SymmetricMatrix, SymmetricPattern};
use least_action::error::{ForceError, StartError, StepError};
use least_action::method::{
    Claims, Method, Rattle, Shake, Stepper, VariationalEuler, VariationalMidpoint, VariationalTrapezoid,
    project, project_positions, project_velocities,
};
use least_action::prelude::*;
use least_action::system::{Constrained, Lagrangian};
use test_support::linkage::{Linkage, Rod};
use test_support::reference::{numbers, read};
use test_support::structure::distance;

fn run<S: Constrained + ?Sized, M: Method<S>>(
    method: &M,
    system: &S,
    start: &State,
    h: f64,
    steps: u64,
) -> State {
    let mut stepper = method.start(system, start.clone(), h).unwrap();
    for _ in 0..steps {
        stepper.step().unwrap();
    }
    stepper.state().clone()
}

#[expect(clippy::cast_sign_loss, reason = "times and steps are positive")]
fn count(t: f64, h: f64) -> u64 {
    (t / h).round() as u64
}

/// (t, q, v) of the accurate solution.
fn solution(file: &str) -> Vec<(f64, Vec<f64>, Vec<f64>)> {
    let trajectory = &read(file)["trajectory_hanging"];
    numbers(&trajectory["t"])
        .into_iter()
        .zip(trajectory["constrained"].as_array().unwrap())
        .map(|(t, point)| (t, numbers(&point["q"]), numbers(&point["v"])))
        .collect()
}

const DOUBLE_PENDULUM: &str = "double_pendulum.json";
const CHAIN: &str = "chain.json";

fn energy(system: &Linkage, state: &State) -> f64 {
    system.energy(&state.q, &state.v, state.t)
}

/// The slope of the error between two steps, one half of the other.
fn slope(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

/// A state of the double pendulum in full motion, on the constraints to round-off.
pub(super) fn swinging() -> (Linkage, State) {
    let (system, start) = Linkage::double_pendulum(1.0);
    let state = run(&Rattle::default(), &system, &start, 0.05, 37);
    (system, State { t: 0.0, ..state })
}

#[test]
fn the_double_pendulum_of_the_paper_has_the_published_errors() {
    let (system, start) = Linkage::double_pendulum(1.0);
    // The errors known for SHAKE at h = 0.1, with the digits that are known of them.
    for ((t, q, _), (error, digit)) in solution(DOUBLE_PENDULUM).into_iter().zip([
        (5e-4, 1e-4),
        (8e-4, 1e-4),
        (4.6e-3, 1e-4),
        (3.1e-3, 1e-4),
    ]) {
        let steps = count(t, 0.1);
        let shake = run(&Shake::default(), &system, &start, 0.1, steps);
        let found = distance(&shake.q, &q);
        assert!((found - error).abs() <= 0.5 * digit, "at t = {t} the error is {found:.3e}, not {error:.1e}");
        let rattle = run(&Rattle::default(), &system, &start, 0.1, steps);
        assert!(distance(&shake.q, &rattle.q) < 1e-12, "SHAKE and RATTLE have the same positions");
    }
}

fn assert_order<M: Method<Linkage>>(method: &M, system: &Linkage, start: &State, file: &str, h: f64) {
    for (t, q, v) in solution(file) {
        let error = |h: f64| {
            let end = run(method, system, start, h, count(t, h));
            (distance(&end.q, &q), distance(&end.v, &v))
        };
        let (coarse, fine) = (error(h), error(h / 2.0));
        for slope in [slope(coarse.0, fine.0), slope(coarse.1, fine.1)] {
            assert!((slope - f64::from(method.order())).abs() < 0.1, "{}: slope {slope} at t = {t}", M::NAME);
        }
    }
}

#[test]
fn both_methods_have_the_order_that_they_claim() {
    let (system, start) = Linkage::double_pendulum(1.0);
    assert_order(&Shake::default(), &system, &start, DOUBLE_PENDULUM, 0.0125);
    assert_order(&Rattle::default(), &system, &start, DOUBLE_PENDULUM, 0.0125);
    let (system, start) = Linkage::paper_chain(10, 1.0);
    assert_order(&Shake::default(), &system, &start, CHAIN, 0.0125);
    assert_order(&Rattle::default(), &system, &start, CHAIN, 0.0125);
}

#[test]
fn the_multipliers_at_the_start_are_exact() {
    let (system, start) = Linkage::double_pendulum(1.0);
    let rattle = Rattle::default().start(&system, start.clone(), 0.1).unwrap();
    let shake = Shake::default().start(&system, start, 0.1).unwrap();
    for multipliers in [rattle.multipliers().unwrap(), shake.multipliers().unwrap()] {
        assert!(distance(multipliers, &[-2.0 / 3.0, -1.0 / 6.0]) < 1e-15, "{multipliers:?}");
    }
}

fn multiplier_error<M: Method<Linkage>>(
    method: &M,
    system: &Linkage,
    start: &State,
    t: f64,
    h: f64,
    exact: &[f64],
) -> f64 {
    let mut stepper = method.start(system, start.clone(), h).unwrap();
    for _ in 0..count(t, h) {
        stepper.step().unwrap();
    }
    distance(stepper.multipliers().unwrap(), exact)
}

#[test]
fn the_multipliers_converge_with_order_two() {
    let (system, start) = Linkage::double_pendulum(1.0);
    let (t, q, v) = solution(DOUBLE_PENDULUM).remove(1);
    let mut there = State { t, q, v };
    project(&system, &mut there).unwrap();
    let exact = Rattle::default().start(&system, there, 0.1).unwrap().multipliers().unwrap().to_vec();
    let (h, rattle, shake) = (0.0125, Rattle::default(), Shake::default());
    let rattle = [h, h / 2.0].map(|h| multiplier_error(&rattle, &system, &start, t, h, &exact));
    let shake = [h, h / 2.0].map(|h| multiplier_error(&shake, &system, &start, t, h, &exact));
    for [coarse, fine] in [rattle, shake] {
        assert!((slope(coarse, fine) - 2.0).abs() < 0.1, "{coarse:e} {fine:e}");
    }
}

#[test]
fn the_velocity_of_shake_is_the_central_difference() {
    let (system, start) = Linkage::double_pendulum(1.0);
    let h = 0.1;
    let at = |steps| run(&Shake::default(), &system, &start, h, steps);
    let (before, here, after) = (at(4), at(5), at(6));
    for ((v, before), after) in here.v.iter().zip(&before.q).zip(&after.q) {
        assert!((v - (after - before) / (2.0 * h)).abs() < 1e-13);
    }
    assert!(system.rate(&here) > 1e-4, "it is not projected");
}

/// The change of the two-form δq₁·M δv₂ − δq₂·M δv₁ on the tangent space of the manifold in some steps.
pub(super) fn symplectic_defect<M: Method<Linkage>>(
    method: &M,
    system: &Linkage,
    mass: &SymmetricMatrix,
    state: &State,
) -> f64 {
    let epsilon = 1e-5;
    let n = state.q.len();
    let mut before = Vec::new();
    let mut after = Vec::new();
    for direction in 0..2 * n {
        let ends = [1.0, -1.0].map(|sign| {
            let mut z = state.clone();
            if direction < n {
                z.q[direction] += sign * epsilon;
            } else {
                z.v[direction - n] += sign * epsilon;
            }
            project(system, &mut z).unwrap();
            let end = run(method, system, &z, 0.1, 1);
            (z, end)
        });
        let difference = |a: &State, b: &State| {
            let d = |a: &[f64], b: &[f64]| -> Vec<f64> {
                a.iter().zip(b).map(|(a, b)| (a - b) / (2.0 * epsilon)).collect()
            };
            (d(&a.q, &b.q), d(&a.v, &b.v))
        };
        before.push(difference(&ends[0].0, &ends[1].0));
        after.push(difference(&ends[0].1, &ends[1].1));
    }
    let form = |a: &(Vec<f64>, Vec<f64>), b: &(Vec<f64>, Vec<f64>)| {
        let inner = |q: &[f64], v: &[f64]| {
            let mut p = vec![0.0; v.len()];
            mass.multiply(v, &mut p);
            q.iter().zip(&p).map(|(q, p)| q * p).sum::<f64>()
        };
        inner(&a.0, &b.1) - inner(&b.0, &a.1)
    };
    let (mut defect, mut largest) = (0.0_f64, 0.0_f64);
    for i in 0..2 * n {
        for j in 0..i {
            let (was, is) = (form(&before[i], &before[j]), form(&after[i], &after[j]));
            largest = largest.max(was.abs());
            defect = defect.max((was - is).abs());
        }
    }
    assert!(largest > 0.1, "the tangent vectors span nothing");
    defect
}

#[test]
fn rattle_is_symplectic_on_the_manifold_and_the_velocities_of_shake_are_not() {
    assert_eq!(Rattle::SYMPLECTIC, Some(true));
    let (system, state) = swinging();
    let mass = SymmetricMatrix::diagonal(vec![1.0; 4]);
    let defect = symplectic_defect(&Rattle::default(), &system, &mass, &state);
    assert!(defect < 1e-9, "{defect:e}");
    let (heavy, mass) = coupled_pendulum();
    let defect = symplectic_defect(&Rattle::default(), &heavy, &mass, &state);
    assert!(defect < 1e-9, "{defect:e}");
    let defect = symplectic_defect(&Shake::default(), &system, &mass, &state);
    assert!(defect > 1e-5, "the test sees nothing: {defect:e}");
}

#[test]
fn rattle_is_reversible() {
    assert_eq!(Rattle::REVERSIBLE, Some(true));
    let (system, state) = swinging();
    let mut back = run(&Rattle::default(), &system, &state, 0.1, 50);
    back.v.iter_mut().for_each(|v| *v = -*v);
    let mut back = run(&Rattle::default(), &system, &back, 0.1, 50);
    back.v.iter_mut().for_each(|v| *v = -*v);
    assert!(distance(&back.q, &state.q) < 1e-11 && distance(&back.v, &state.v) < 1e-11);
}

#[test]
fn a_tumbling_triangle_keeps_its_momenta_and_its_shape() {
    let (system, start) = Linkage::triangle();
    let momenta = |state: &State| {
        let mut sums = [0.0; 6];
        for ((p, v), m) in state.q.chunks(3).zip(state.v.chunks(3)).zip([1.0, 2.0, 3.5]) {
            for k in 0..3 {
                let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                sums[k] += m * v[k];
                sums[3 + k] += m * (p[a] * v[b] - p[b] * v[a]);
            }
        }
        sums
    };
    let first = momenta(&start);
    let mut rattle = Rattle::default().start(&system, start.clone(), 0.05).unwrap();
    let mut shake = Shake::default().start(&system, start, 0.05).unwrap();
    for _ in 0..20_000 {
        rattle.step().unwrap();
        shake.step().unwrap();
    }
    for end in [rattle.state(), shake.state()] {
        assert!(distance(&momenta(end), &first) < 1e-12, "{:?} {first:?}", momenta(end));
        assert!(system.violation(end) < 1e-13, "{:e}", system.violation(end));
    }
    assert!(system.rate(rattle.state()) < 1e-13);
}

/// Molecules are solved eight at a time, one alone is not: eleven fill a register and half of another.
#[test]
fn triangles_side_by_side_move_as_each_does_alone() {
    fn check<M: Method<Linkage>>(method: &M) {
        let (system, start, starts) = Linkage::triangles(11);
        let (triangle, _) = Linkage::triangle();
        let all = run(method, &system, &start, 0.02, 100);
        for (m, start) in starts.iter().enumerate() {
            let alone = run(method, &triangle, start, 0.02, 100);
            let here = 9 * m..9 * (m + 1);
            let apart = distance(&all.q[here.clone()], &alone.q).max(distance(&all.v[here], &alone.v));
            assert!(apart < 1e-12, "triangle {m} by {} is off by {apart:e}", M::NAME);
        }
    }
    check(&Rattle::default());
    check(&Shake::default());
}

#[test]
fn the_energy_stays_bounded_and_the_constraints_at_round_off() {
    let (system, start) = Linkage::double_pendulum(1.0);
    let first = energy(&system, &start);
    let mut stepper = Rattle::default().start(&system, start, 0.05).unwrap();
    let (mut early, mut late) = (0.0_f64, 0.0_f64);
    for step in 0..200_000 {
        stepper.step().unwrap();
        let state = stepper.state();
        let error = (energy(&system, state) - first).abs();
        if step < 20_000 {
            early = early.max(error);
        } else {
            late = late.max(error);
        }
        assert!(system.violation(state) < 1e-13 && system.rate(state) < 1e-14 * 20.0);
    }
    assert!(early < 2e-3, "{early:e}");
    assert!(late < 1.1 * early, "the energy error grows from {early:e} to {late:e}");
}

#[test]
fn a_chain_of_a_thousand_links_at_too_large_a_step_fails_aloud() {
    let (system, start) = Linkage::paper_chain(1000, 1.0);
    let mut stepper = Rattle::default().start(&system, start.clone(), 0.08).unwrap();
    let error = loop {
        match stepper.step() {
            Ok(()) => assert!(stepper.steps() < 1000, "it does not fail"),
            Err(error) => break error,
        }
    };
    // The equations have no solution nearby, as the chain vibrates too fast under its own tension.
    let StepError::Failed(failed) = &error else { panic!("{error}") };
    assert_eq!(failed.step, stepper.steps() + 1);
    assert!((failed.time - stepper.state().t).abs() < 1e-12 && (failed.size - 0.08).abs() < 1e-15);
    let ForceError::AboveStability { limit } = failed.cause else { panic!("{error}") };
    assert!((0.04..0.08).contains(&limit), "{error}");
    assert!(error.to_string().contains("try a smaller one"));
    // The last good state is on the constraints.
    assert!(system.violation(stepper.state()) < 1e-9);
    // The failed step can be asked for again, and fails alike.
    assert_eq!(stepper.step().unwrap_err(), error);

    // At the start the tension at the top is 1000 · 2/√5; transverse waves have nearly 2 sqrt(T/mL).
    let foreseen = Rattle::default().instability(&system, &start, 0.1).unwrap();
    let longest = (5.0_f64.sqrt() / (1000.0 * 2.0 / 5.0_f64.sqrt())).sqrt();
    assert!((foreseen.longest / longest - 1.0).abs() < 0.01, "{foreseen} against {longest}");
    // Below the limit of stability, h · 2 sqrt(T/mL) < 2 with the tension T at the top, it runs.
    let end = run(&Rattle::default(), &system, &start, 0.02, 500);
    let drift = (energy(&system, &end) / energy(&system, &start) - 1.0).abs();
    assert!(drift < 1e-7 && system.violation(&end) < 1e-10, "{drift:e}");
}

/// The double pendulum with a mass matrix that couples its coordinates in blocks.
fn coupled_pendulum() -> (Linkage, SymmetricMatrix) {
    let pattern = SymmetricPattern::new(4, [(2, 0), (3, 1)]);
    let values = pattern.entries().map(|(i, j)| if i == j { 1.5 } else { 0.4 }).collect();
    let mass = SymmetricMatrix { pattern, values };
    (Linkage::double_pendulum(1.0).0.with_mass(mass.clone()), mass)
}

/// Order two against the same method at a much smaller step, the constraints satisfied.
fn assert_converges(system: &Linkage, start: &State) {
    let at = |h: f64| run(&Rattle::default(), system, start, h, count(1.0, h));
    let fine = at(1.0 / 2048.0);
    let (a, b) = (at(1.0 / 32.0), at(1.0 / 64.0));
    for slope in [
        slope(distance(&a.q, &fine.q), distance(&b.q, &fine.q)),
        slope(distance(&a.v, &fine.v), distance(&b.v, &fine.v)),
    ] {
        assert!((slope - 2.0).abs() < 0.1, "slope {slope}");
    }
    assert!(system.violation(&b) < 1e-13 && system.rate(&b) < 1e-13);
    assert!(distance(&fine.q, &start.q) > 0.05, "nothing moves");
    let shake = run(&Shake::default(), system, start, 1.0 / 32.0, 32);
    assert!(distance(&shake.q, &a.q) < 1e-12);
}

#[test]
fn masses_that_couple_coordinates_and_constraints_that_depend_on_time_have_order_two() {
    let (system, start) = Linkage::double_pendulum(1.0);
    assert_converges(&coupled_pendulum().0, &start);
    let swinging = system.with_swing(0.2);
    let mut start = start;
    project(&swinging, &mut start).unwrap();
    assert!(start.v.iter().any(|v| v.abs() > 0.1), "the rod grows from the start");
    assert_converges(&swinging, &start);
}

#[test]
fn a_mass_with_a_dense_inverse_has_order_two() {
    let (system, start) = Linkage::paper_chain(10, 1.0);
    let pattern = SymmetricPattern::new(20, (1..20).map(|i| (i, i - 1)));
    let values = pattern.entries().map(|(i, j)| if i == j { 2.0 } else { 0.5 }).collect();
    assert_converges(&system.with_mass(SymmetricMatrix { pattern, values }), &start);
}

#[test]
fn the_multipliers_give_the_acceleration_with_their_sign() {
    // M q̈ = −∇V + Gᵀ λ with the reported λ is the second difference of the positions.
    let (system, state) = swinging();
    let h = 1e-3;
    let ahead = run(&Rattle::default(), &system, &state, h, 1);
    let mut behind = state.clone();
    behind.v.iter_mut().for_each(|v| *v = -*v);
    let behind = run(&Rattle::default(), &system, &behind, h, 1);
    let stepper = Rattle::default().start(&system, state.clone(), h).unwrap();
    let l = stepper.multipliers().unwrap();
    let (q, g) = (&state.q, [0.0, 1.0, 0.0, 1.0]);
    for k in 0..4 {
        let own = if k < 2 {
            2.0 * q[k] * l[0] - 2.0 * (q[k + 2] - q[k]) * l[1]
        } else {
            2.0 * (q[k] - q[k - 2]) * l[1]
        };
        let second = (ahead.q[k] - 2.0 * q[k] + behind.q[k]) / (h * h);
        assert!((second - (own - g[k])).abs() < 1e-5, "{second} {}", own - g[k]);
    }
}

/// Every rod of a chain twice: the number of surplus rows comes first, and rows stand by their method.
#[test]
fn many_redundant_constraints_are_counted() {
    let mut chain = Linkage::chain(&[1.0; 5], &[1.0; 5], 1.0);
    for bob in 0..5_usize {
        chain = chain.with_rod(Rod::new(bob, bob.checked_sub(1), 1.0));
    }
    let hanging = State::at_rest((1..=5).flat_map(|depth| [0.0, -f64::from(depth)]).collect());
    let stepper = Rattle::default().start(&chain, hanging, 0.01).unwrap();
    assert_eq!(
        stepper.warning().unwrap(),
        "5 rows say nothing new at the start: rows 0–9 of `rods` depend on each other. The motion is not affected; the multipliers \
         are those of least norm, and single ones of these mean nothing"
    );
}

#[test]
fn redundant_constraints_are_named_and_run() {
    let (system, start) = Linkage::double_pendulum(1.0);
    let alone = run(&Rattle::default(), &system, &start, 0.01, 50);
    let system = system.with_rod(Rod::new(1, Some(0), 2.0_f64.sqrt()));
    let mut stepper = Rattle::default().start(&system, start.clone(), 0.01).unwrap();
    let warning = stepper.warning().unwrap();
    assert!(warning.starts_with("`rods[1]` and `rods[2]` depend on each other"), "{warning}");
    for _ in 0..50 {
        stepper.step().unwrap();
    }
    assert!(distance(&stepper.state().q, &alone.q) < 1e-12);
    // Of two equal rods each bears one half.
    let multipliers = stepper.multipliers().unwrap();
    assert!((multipliers[1] - multipliers[2]).abs() < 1e-12 * multipliers[1].abs(), "{multipliers:?}");
    let mut state = start;
    state.q[0] += 1e-3;
    project(&system, &mut state).unwrap();
}

#[test]
fn starts_off_the_constraints_are_refused_with_the_amount() {
    let (system, start) = Linkage::double_pendulum(1.0);
    let mut off = start.clone();
    off.q[1] = -1.01;
    let error = Shake::default().start(&system, off, 0.1).err().unwrap();
    let StartError::OffConstraints { equation, residual, .. } = &error else { panic!("{error}") };
    assert_eq!(equation, "rods[0]");
    assert!((residual - 0.0201).abs() < 1e-12);

    let mut off = start.clone();
    off.v = vec![0.0, 0.5, 0.0, 0.5];
    let error = Rattle::default().start(&system, off, 0.1).err().unwrap();
    let StartError::VelocityOffConstraints { equation, residual, .. } = &error else { panic!("{error}") };
    assert_eq!((equation.as_str(), *residual), ("rods[0]", -1.0));

    let short = State::at_rest(vec![0.0, -1.0]);
    let error = Rattle::default().start(&system, short, 0.1).err().unwrap();
    assert!(matches!(error, StartError::WrongLength { expected: 4, found: 2, .. }));
    let mut nan = start.clone();
    nan.v[3] = f64::NAN;
    let error = Rattle::default().start(&system, nan, 0.1).err().unwrap();
    assert_eq!(error.to_string(), "the initial velocity of `points[1].y` is NaN: every entry must be finite");
    let error = Rattle::default().start(&system, start.clone(), 0.0).err().unwrap();
    assert_eq!(error, StartError::StepNotPositive { step: 0.0 });
    let error = Rattle { tolerance: 1.0, ..Rattle::default() }.start(&system, start, 0.1).err().unwrap();
    assert!(matches!(error, StartError::OptionOutOfRange { option: "tolerance", .. }));
}

#[test]
fn positions_are_projected_to_the_nearest_point_in_the_metric_of_the_mass() {
    let (system, mass) = coupled_pendulum();
    let origin = vec![0.1, -0.9, 1.2, -2.1];
    let mut q = origin.clone();
    project_positions(&system, &mut q, 0.0, 1e-14).unwrap();
    let state = State::at_rest(q.clone());
    assert!(system.violation(&state) < 1e-13);
    let offset: Vec<f64> = q.iter().zip(&origin).map(|(a, b)| a - b).collect();
    let mut momentum = vec![0.0; 4];
    mass.multiply(&offset, &mut momentum);
    // Every tangent direction (rods turn) is orthogonal to the offset.
    let (u, d) = ([-q[1], q[0]], [-(q[3] - q[1]), q[2] - q[0]]);
    for tangent in [[u[0], u[1], u[0], u[1]], [0.0, 0.0, d[0], d[1]]] {
        let product: f64 = momentum.iter().zip(&tangent).map(|(a, b)| a * b).sum();
        assert!(product.abs() < 1e-13, "{product:e}");
    }
    assert!(distance(&q, &origin) > 0.05);
    // A hopeless start is refused, and left as it was.
    let mut hopeless = vec![0.0; 4];
    assert!(project_positions(&system, &mut hopeless, 0.0, 1e-14).is_err());
    assert_eq!(hopeless, vec![0.0; 4]);
}

/// Noise of a fifth of the rods is projected from any start: the offset has no tangent part.
#[test]
fn noisy_chains_are_projected_to_the_nearest_point() {
    let mut bits = 7_u64;
    let mut noise = || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for links in [5, 20, 60] {
        let (system, start) = Linkage::paper_chain(links, 1.0);
        let length = start.q[0].hypot(start.q[1]);
        for _ in 0..20 {
            let origin: Vec<f64> =
                start.q.iter().map(|q| q + 0.2 * 3.0_f64.sqrt() * length * noise()).collect();
            let mut q = origin.clone();
            project_positions(&system, &mut q, 0.0, 1e-14).unwrap_or_else(|error| panic!("{links}: {error}"));
            assert!(system.violation(&State::at_rest(q.clone())) < 1e-12 * length);
            let mut tangent: Vec<f64> = origin.iter().zip(&q).map(|(start, q)| start - q).collect();
            let size = distance(&tangent, &vec![0.0; q.len()]);
            project_velocities(&system, &q, &mut tangent, 0.0).unwrap();
            assert!(distance(&tangent, &vec![0.0; q.len()]) < 1e-9 * size, "{links}: {tangent:?}");
        }
    }
}

#[test]
fn a_run_goes_on_to_the_same_bits_from_any_of_its_states_and_behind_a_trait_object() {
    let (system, start) = Linkage::paper_chain(12, 1.0);
    let object: &dyn Constrained = &system;
    let whole = run(&Rattle::default(), object, &start, 0.03, 60);
    let half = run(&Rattle::default(), &system, &start, 0.03, 30);
    let rest = run(&Rattle::default(), &system, &State { t: 0.0, ..half }, 0.03, 30);
    assert_eq!((whole.q, whole.v), (rest.q, rest.v));
}

/// A body that turns about a fixed point under a weight beside it, by its rotation matrix.
#[derive(Debug)]
struct Turning {
    arm: [f64; 3],
}

#[lagrangian]
impl Turning {
    fn lagrangian(&self, r: Mat3) -> Scalar {
        let arm = vec3(self.arm[0], self.arm[1], self.arm[2]);
        0.25 * der(r).norm_squared() - (r * arm).z
    }

    #[holonomic]
    fn orthogonal(&self, r: Mat3) -> Mat3 {
        r.transpose() * r - Mat3::IDENTITY
    }
}

/// At R = 1 no entry beside the diagonal tells the size of an equation's terms; the body starts all the
/// same, with its axes in any order.
#[test]
fn a_body_at_rest_begins_to_turn_from_the_unit_matrix() {
    let quarter = [6e-17, -1.0, 0.0, 1.0, 6e-17, 0.0, 0.0, 0.0, 1.0];
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    for (arm, start) in [([1.0, 0.0, 0.0], unit), ([0.4, -0.2, 0.1], unit), ([0.4, -0.2, 0.1], quarter)] {
        let bound = Turning { arm }.bind().unwrap();
        let start = State::at_rest(start.to_vec());
        for h in [1e-3, 1e-6] {
            let ends = [
                run(&Rattle::default(), &bound, &start, h, 50),
                run(&Shake::default(), &bound, &start, h, 50),
            ];
            assert!(distance(&ends[0].q, &ends[1].q) < 1e-12);
            // The angular acceleration is the vertical axis crossed with the arm, as the inertia is one.
            let turned = distance(&ends[0].q, &start.q) / (0.5 * (50.0 * h).powi(2));
            let torque = f64::max(arm[0].abs(), arm[1].abs());
            assert!((turned / torque - 1.0).abs() < 0.01, "{arm:?}, h = {h}: {turned} beside {torque}");
        }
    }
}

/// A bob at the origin, on a rod to a pivot beside it.
struct Beside {
    pivot: f64,
}

#[lagrangian]
impl Beside {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2) -> Scalar {
        (bob - vec2(self.pivot, 0.0)).norm_squared() - self.pivot.powi(2)
    }
}

/// A pivot is in no derivative: where all coordinates are zero, only the rounding of g tells the size of
/// its terms. The bob falls from the origin, and through it, as far as from anywhere else.
#[test]
fn a_bob_falls_from_the_origin() {
    for pivot in [1.0, 1e-9, 1e9] {
        let bound = Beside { pivot }.bind().unwrap();
        // Hundredths of the time in which it falls.
        let h = 0.01 * f64::sqrt(pivot);
        for x in [0.0, 1e-7, 1e-4] {
            let angle = f64::sqrt(2.0 * x);
            let start = State::at_rest(vec![pivot * (1.0 - angle.cos()), pivot * angle.sin()]);
            let ends = [
                run(&Rattle::default(), &bound, &start, h, 1000),
                run(&Shake::default(), &bound, &start, h, 1000),
                run(&VariationalMidpoint::default(), &bound, &start, h, 1000),
                run(&VariationalTrapezoid::default(), &bound, &start, h, 1000),
                run(&VariationalEuler::default(), &bound, &start, h, 1000),
            ];
            for end in &ends {
                let [x, y] = [end.q[0] / pivot - 1.0, end.q[1] / pivot];
                assert!((x.hypot(y) - 1.0).abs() < 1e-13, "{pivot}: {end:?}");
            }
            assert!(distance(&ends[0].q, &ends[1].q) < 1e-9 * pivot, "{ends:?}");
            assert!(distance(&ends[0].q, &ends[2].q) < 0.1 * pivot, "{ends:?}");
        }
    }
}
