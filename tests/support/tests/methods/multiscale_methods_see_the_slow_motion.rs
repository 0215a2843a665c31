//! Heterogeneous multiscale methods against the tables of their paper, an independent implementation,
//! averaged equations in closed form, and their own claims.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use least_action::advanced::system::{EvenInPhase, Vibrated};
use least_action::drive::{Averaged, Multipliers, integrate};
use least_action::error::{ForceError, StartError, StepError};
use least_action::method::multiscale::{
    Asynchronous, BoxFilter, Cubic, Estimator, Exponential, Filter, FilterFor, Hmm, LeapFrog, MicroSteps,
    Nystrom, Synchronous,
};
use least_action::method::{
    Claims, Composition, Langevin, Method, Rattle, Reference, Shake, Stepper, Verlet,
};
use least_action::prelude::*;
use serde_json::Value;
use test_support::reference::{numbers, read};
use test_support::structure::{
    advance, distance, order_by_slope, reversal_defect, state_distance, symplectic_defect,
};

/// The pendulum on a pivot that moves with the velocity 4 sin θ, from the upward vertical.
pub(super) struct Pendulum {
    omega: f64,
    phase: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, q: Angle, theta: Phase) -> Scalar {
        let gravity = 9.8 + 4.0 * self.omega * theta.cos();
        0.5 * 0.2_f64.powi(2) * der(q).powi(2) - gravity * 0.2 * q.cos()
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }

    #[phase]
    fn initial_phase(&self) -> f64 {
        self.phase
    }
}

/// Many of them, side by side.
struct Pendulums {
    pendulums: usize,
    omega: f64,
}

#[lagrangian]
impl Pendulums {
    fn lagrangian(&self, angles: [Angle; self.pendulums], theta: Phase) -> Scalar {
        sum(0..self.pendulums, |i| {
            let gravity = 9.8 + 4.0 * self.omega * theta.cos();
            0.5 * 0.2_f64.powi(2) * der(angles[i]).powi(2) - gravity * 0.2 * angles[i].cos()
        })
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

/// The limit of its slow motion for ω → ∞.
struct SlowPendulum {}

#[lagrangian]
impl SlowPendulum {
    fn lagrangian(&self, q: Angle) -> Scalar {
        let (rod, v_max) = (0.2, 4.0);
        0.5 * der(q).powi(2) - (9.8 / rod * q.cos() + 0.25 * (v_max / rod).powi(2) * q.sin().powi(2))
    }
}

/// Two rods on such a pivot, as points on constraints.
struct DoublePendulum {
    omega: f64,
}

#[lagrangian]
impl DoublePendulum {
    fn lagrangian(&self, first: Vec2, second: Vec2, theta: Phase) -> Scalar {
        let gravity = 9.8 + 4.0 * self.omega * theta.cos();
        let kinetic = 0.5 * 0.01 * der(first).norm_squared() + 0.5 * 0.005 * der(second).norm_squared();
        kinetic - gravity * (0.01 * first.y + 0.005 * second.y)
    }

    #[holonomic]
    fn rods(&self, first: Vec2, second: Vec2) -> [Scalar; 2] {
        [first.norm_squared() - 0.2_f64.powi(2), (second - first).norm_squared() - 0.1_f64.powi(2)]
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

impl Start for DoublePendulum {
    fn start(&self) -> State {
        let (x, y) = (0.2 * 0.5_f64.sin(), 0.2 * 0.5_f64.cos());
        State::at_rest(vec![x, y, x, y + 0.1])
    }
}

/// The slow double pendulum in angles from the upward vertical: ½ wᵀ A w − g Y − ¼ v² ∇Yᵀ A⁻¹ ∇Y.
struct SlowDoublePendulum {}

#[lagrangian]
impl SlowDoublePendulum {
    fn lagrangian(&self, a: Angle, b: Angle) -> Scalar {
        let (l, k, m1, m2, v_max): (f64, f64, f64, f64, f64) = (0.2, 0.1, 0.01, 0.005, 4.0);
        let (aa, bb) = ((m1 + m2) * l * l, m2 * k * k);
        let ab = m2 * l * k * (a - b).cos();
        let height = (m1 + m2) * l * a.cos() + m2 * k * b.cos();
        let (ya, yb) = (-(m1 + m2) * l * a.sin(), -m2 * k * b.sin());
        let ripple = (bb * ya.powi(2) - 2.0 * ab * ya * yb + aa * yb.powi(2)) / (aa * bb - ab.powi(2));
        0.5 * aa * der(a).powi(2) + ab * der(a) * der(b) + 0.5 * bb * der(b).powi(2)
            - 9.8 * height
            - 0.25 * v_max.powi(2) * ripple
    }
}

/// A force not even in the phase, f = ω (cos θ sin q + sin 2θ cos q), with a slow trap; two freedoms.
struct Uneven {
    omega: f64,
}

#[lagrangian]
impl Uneven {
    fn lagrangian(&self, x: Scalar, y: Scalar, theta: Phase) -> Scalar {
        let shaken = self.omega * (theta.cos() * (x + 0.3 * y).cos() - (2.0 * theta).sin() * x.sin());
        0.5 * der(x).powi(2) + der(y).powi(2) - (0.5 * x.powi(2) + y.powi(2)) - shaken
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

/// Two degrees of freedom with an even force that is coupled.
struct Coupled {
    omega: f64,
}

#[lagrangian]
impl Coupled {
    fn lagrangian(&self, x: Scalar, y: Scalar, theta: Phase) -> Scalar {
        let shaken = self.omega * theta.cos() * (x.sin() * y + 0.2 * y.powi(2));
        0.5 * der(x).powi(2) + der(y).powi(2) - (0.5 * x.powi(2) + y.powi(2) + 0.3 * x * y) - shaken
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

/// A shaken bead on a rod whose length changes slowly, under a load that changes slowly.
struct Growing {
    omega: f64,
}

#[lagrangian]
impl Growing {
    fn lagrangian(&self, bob: Vec2, theta: Phase, t: Time) -> Scalar {
        let gravity = 9.8 * (1.0 + 0.5 * t.sin()) + 4.0 * self.omega * theta.cos();
        0.5 * der(bob).norm_squared() - gravity * bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2, t: Time) -> Scalar {
        bob.norm_squared() - (0.2 + 0.05 * t).powi(2)
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

/// The slow motion of the bead in the angle: with the rod l(t), V = g(t) l cos q + ¼ v² sin² q.
struct SlowGrowing {}

#[lagrangian]
impl SlowGrowing {
    fn lagrangian(&self, q: Angle, t: Time) -> Scalar {
        let rod = 0.2 + 0.05 * t;
        let bob = rod * vec2(q.sin(), q.cos());
        0.5 * der(bob).norm_squared() - 9.8 * (1.0 + 0.5 * t.sin()) * bob.y - 4.0 * q.sin().powi(2)
    }
}

/// The same bead seen from where the pivot is not shaken: the constraint depends on the phase.
struct Outside {
    omega: f64,
}

#[lagrangian]
impl Outside {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - 9.8 * bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2, theta: Phase) -> Scalar {
        (bob - vec2(0.0, -4.0 / self.omega * theta.cos())).norm_squared() - 0.04
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

pub(super) fn pendulum(omega: f64) -> Bound<Pendulum> {
    Pendulum { omega, phase: 0.0 }.bind().unwrap()
}

/// The asynchronous algorithm with the simple filter.
pub(super) type Simple<M> = Hmm<M, Asynchronous, BoxFilter>;

pub(super) fn simple<M>(macro_solver: M) -> Simple<M> {
    Hmm::new(macro_solver, Asynchronous, BoxFilter::default())
}

/// The positions at the grid points of a run to T = 1 in `steps` steps, and the micro-steps it took.
pub(super) fn positions<S, M: Method<S>>(
    system: &S,
    method: &M,
    start: State,
    steps: u64,
) -> (Vec<Vec<f64>>, u64) {
    let mut stepper = method.start(system, start, 1.0 / steps as f64).unwrap();
    let mut all = vec![stepper.state().q.clone()];
    for _ in 0..steps {
        stepper.step().unwrap_or_else(|error| panic!("{error}"));
        all.push(stepper.state().q.clone());
    }
    (all, stepper.report().evaluations.micro_steps)
}

/// The exact slow pendulum on the same grid.
pub(super) fn slow_pendulum(steps: u64) -> Vec<Vec<f64>> {
    let slow = SlowPendulum {}.bind().unwrap();
    positions(&slow, &Reference::default(), State::at_rest(vec![0.5]), steps).0
}

pub(super) fn largest(found: &[Vec<f64>], exact: &[Vec<f64>]) -> f64 {
    found.iter().zip(exact).fold(0.0, |worst: f64, (a, b)| worst.max(distance(a, b)))
}

/// One column of a table: every cell beside the published and the independent number; micro-steps.
fn check_column<M: Method<Bound<Pendulum>>>(
    method: &M,
    (omega, phase): (f64, f64),
    (published, tolerance): ([f64; 4], f64),
    computed: &Value,
    micro_steps: [u64; 4],
) {
    let system = Pendulum { omega, phase }.bind().unwrap();
    for (k, steps) in [10, 20, 40, 80].into_iter().enumerate() {
        let (found, count) = positions(&system, method, State::at_rest(vec![0.5]), steps);
        let error = largest(&found, &slow_pendulum(steps));
        assert_eq!(count, micro_steps[k]);
        let ratio = error / published[k];
        assert!(
            (ratio - 1.0).abs() < tolerance,
            "ω = {omega}, H = 1/{steps}: {error} beside {}",
            published[k]
        );
        let known = &computed[format!("1e+{:02}", omega.log10().round())][format!("1/{steps}")];
        let (known_error, known_end) = (known["err"].as_f64().unwrap(), known["Q_end"].as_f64().unwrap());
        // The forces of size ω cancel to 1e-16 ω: two implementations may differ by it.
        let rounding = 1e-9 + 1e-14 * omega;
        assert!((error - known_error).abs() < rounding, "ω = {omega}, H = 1/{steps}: {error} {known_error}");
        let end = found.last().unwrap()[0];
        assert!((end - known_end).abs() < rounding, "ω = {omega}, H = 1/{steps}: {end} {known_end}");
    }
}

#[test]
fn table_2_1_the_synchronous_algorithm() {
    let method = Hmm::new(LeapFrog, Synchronous::default(), Exponential::default());
    let computed = &read("hmm_pendulum.json")["computed"]["alg1_exp"];
    let phase = -std::f64::consts::FRAC_PI_2;
    let micro_steps = [4000, 16_000, 64_000, 256_000];
    for (omega, published, tolerance) in [
        (1e4, [4.04e-1, 1.05e-1, 2.51e-2, 4.76e-3], 0.01),
        (1e6, [4.08e-1, 1.07e-1, 2.70e-2, 6.72e-3], 0.01),
        // The phases behind the printed column carry rounding errors of 1e-8 rad, in forces of size 1e9.
        (1e8, [4.04e-1, 1.08e-1, 2.61e-2, 6.69e-3], 0.05),
    ] {
        check_column(&method, (omega, phase), (published, tolerance), computed, micro_steps);
    }
}

#[test]
fn table_2_2_the_asynchronous_algorithm() {
    let method = Hmm::new(LeapFrog, Asynchronous, Exponential::default());
    let computed = &read("hmm_pendulum.json")["computed"]["alg2_exp"];
    for (omega, published) in [
        (1e4, [4.10e-1, 1.10e-1, 2.95e-2, 9.11e-3]),
        (1e6, [4.08e-1, 1.07e-1, 2.71e-2, 6.74e-3]),
        (1e8, [4.05e-1, 1.05e-1, 2.51e-2, 4.81e-3]),
    ] {
        check_column(&method, (omega, 0.3), (published, 0.01), computed, [2000, 8000, 32_000, 128_000]);
    }
}

#[test]
fn table_2_3_the_simple_filter() {
    let computed = &read("hmm_pendulum.json")["computed"]["alg2_simple"];
    for (omega, published) in [
        (1e3, [3.86e-1, 9.11e-2, 1.15e-2, 8.67e-3]),
        (1e4, [4.05e-1, 1.05e-1, 2.55e-2, 5.20e-3]),
        (1e6, [4.07e-1, 1.07e-1, 2.70e-2, 6.70e-3]),
        (1e8, [4.07e-1, 1.07e-1, 2.70e-2, 6.71e-3]),
    ] {
        check_column(&simple(LeapFrog), (omega, 0.0), (published, 0.01), computed, [50, 200, 800, 3200]);
    }
}

/// The averaged acceleration at the start of a run.
fn acceleration<M: Method<Bound<Pendulum>>>(method: &M, omega: f64, q: f64, step: f64) -> f64 {
    let system = pendulum(omega);
    let mut stepper = method.start(&system, State::at_rest(vec![q]), step).unwrap();
    stepper.step().unwrap();
    stepper.report().averages.unwrap().acceleration[0]
}

#[test]
fn the_averaged_force_at_a_point_is_that_of_an_independent_implementation() {
    for sample in read("hmm_pendulum.json")["force_samples"].as_array().unwrap() {
        let number = |name: &str| sample[name].as_f64().unwrap();
        let denominator: f64 = sample["H"].as_str().unwrap().strip_prefix("1/").unwrap().parse().unwrap();
        let (omega, q, step) = (number("omega"), number("Q"), 1.0 / denominator);
        let tolerance = 1e-8 + 1e-13 * omega;
        let found = acceleration(&simple(LeapFrog), omega, q, step);
        assert!((found - number("F_alg2_simple")).abs() < tolerance, "{sample}: {found}");
        let found = acceleration(&Hmm::new(LeapFrog, Asynchronous, Exponential::default()), omega, q, step);
        assert!((found - number("F_alg2_exp")).abs() < tolerance, "{sample}: {found}");
    }
}

#[test]
fn the_averaged_force_of_nystrom_has_order_4_in_the_micro_steps() {
    let force = |per_period| {
        let method =
            simple(LeapFrog).with_micro_solver(Nystrom).with_micro_steps(MicroSteps::PerPeriod(per_period));
        acceleration(&method, 1e6, 0.5, 0.01)
    };
    let whole = |per_period| {
        let method = Hmm::new(LeapFrog, Asynchronous, Cubic::default()).with_micro_solver(Nystrom);
        acceleration(&method.with_micro_steps(MicroSteps::PerPeriod(per_period)), 1e6, 0.5, 0.01)
    };
    let exact = force(200);
    let errors: Vec<f64> = [8, 16, 32].map(|number| (force(number) - exact).abs()).into();
    for pair in errors.windows(2) {
        let slope = (pair[0] / pair[1]).log2();
        assert!((slope - 4.0).abs() < 0.1, "{errors:?}");
    }
    // The same windows in both directions of time, with another filter.
    assert!((whole(32) - force(32)).abs() < 1e-4 * exact.abs(), "{} {}", whole(32), force(32));
}

#[test]
fn a_dozen_micro_steps_of_nystrom_stand_for_the_paper_s_160() {
    let steps = 160;
    for omega in [1e6, 1e8] {
        let system = pendulum(omega);
        let exact = slow_pendulum(steps);
        let (found, count) = positions(&system, &simple(LeapFrog), State::at_rest(vec![0.5]), steps);
        let method = simple(LeapFrog).with_micro_solver(Nystrom);
        let (quick, few) = positions(&system, &method, State::at_rest(vec![0.5]), steps);
        assert_eq!((count, few), (160 * 80, 160 * 6));
        let (error, quick) = (largest(&found, &exact), largest(&quick, &exact));
        assert!(quick < 1.1 * error, "ω = {omega}: {quick} beside {error}");
    }
}

#[test]
fn time_and_phase_are_read_apart() {
    let system = Growing { omega: 1e3 }.bind().unwrap();
    let (q, t) = ([0.1, 0.17], 0.6);
    let (mut gradient, mut apart) = ([0.0; 2], [0.0; 2]);
    system.potential_gradient(&q, t, &mut gradient);
    system.gradient_at_phase(&q, t, system.phase(t), &mut apart);
    assert_eq!(gradient.map(f64::to_bits), apart.map(f64::to_bits));
    system.gradient_at_phase(&q, 0.25, 2.0, &mut apart);
    let expected = 9.8 * (1.0 + 0.5 * 0.25_f64.sin()) + 4.0 * 1e3 * 2.0_f64.cos();
    assert!((apart[1] - expected).abs() < 1e-12 * expected.abs());
    // The rate of the potential counts the phase's.
    let rate = 9.8 * 0.5 * t.cos() - 4.0 * 1e6 * system.phase(t).sin();
    assert!((system.potential_rate(&q, t) - rate * q[1]).abs() < 1e-12 * rate.abs());
    assert!(system.is_even_in_phase() && !system.constraints_depend_on_phase());
    assert!(Outside { omega: 1e3 }.bind().unwrap().constraints_depend_on_phase());
    assert!(!Uneven { omega: 1e3 }.bind().unwrap().is_even_in_phase());
    // So do the constraints: g = |bob + (4/ω) cos θ e|² − l².
    let outside = Outside { omega: 30.0 }.bind().unwrap();
    let (height, theta) = (0.17 + 4.0 / 30.0 * outside.phase(t).cos(), outside.phase(t));
    let (mut rate, mut curvature) = ([0.0], [0.0]);
    outside.constraint_rate(&q, t, &mut rate);
    assert!((rate[0] + 8.0 * height * theta.sin()).abs() < 1e-13);
    outside.constraint_curvature(&q, &[0.3, -0.2], t, &mut curvature);
    let along = -0.2 - 4.0 * theta.sin();
    let expected = 2.0 * (0.09 + along.powi(2) - 4.0 * 30.0 * height * theta.cos());
    assert!((curvature[0] - expected).abs() < 1e-11, "{} {expected}", curvature[0]);
}

/// The angles of both rods from the upward vertical.
fn angles(q: &[f64]) -> Vec<f64> {
    vec![q[0].atan2(q[1]), (q[2] - q[0]).atan2(q[3] - q[1])]
}

fn rods<M>(macro_solver: M, slow_time: f64) -> Simple<M> {
    simple(macro_solver).with_micro_steps(MicroSteps::SlowTime(slow_time))
}

fn check_samples<M: Method<Bound<DoublePendulum>>>(method: &M, steps: u64, samples: &Value) {
    let system = DoublePendulum { omega: 1e4 }.bind().unwrap();
    let mut stepper = method.start(&system, system_start(), 1.0 / steps as f64).unwrap();
    let samples = samples.as_array().unwrap();
    for n in 0..steps {
        let q = stepper.state().q.clone();
        stepper.step().unwrap();
        let Some(sample) = samples.iter().find(|sample| sample["n"] == n) else { continue };
        assert!(distance(&q, &numbers(&sample["X"])) < 1e-9, "n = {n}: {q:?}");
        if sample.get("F").is_some() {
            let averages = stepper.report().averages.unwrap();
            assert!(
                distance(&averages.force, &numbers(&sample["F"])) < 1e-6,
                "n = {n}: {:?}",
                averages.force
            );
            let lambda = stepper.multipliers().unwrap();
            assert!(distance(lambda, &numbers(&sample["lam"])) < 1e-5, "n = {n}: {lambda:?}");
        }
    }
}

fn system_start() -> State {
    DoublePendulum { omega: 1e4 }.start()
}

#[test]
fn shake_shake_and_rattle_shake_are_those_of_an_independent_implementation() {
    let known = read("hmm_double_pendulum.json");
    check_samples(&rods(Shake::default(), 0.4), 160, &known["shake_shake_H_1_160"]["samples"]);
    check_samples(&rods(Shake::default(), 0.4), 80, &known["shake_shake_H_1_80"]["samples"]);
    check_samples(&rods(Rattle::default(), 0.4), 160, &known["rattle_shake_H_1_160"]["samples"]);
    let slow = SlowDoublePendulum {}.bind().unwrap();
    let exact = positions(&slow, &Reference::default(), State::at_rest(vec![0.5, 0.0]), 160).0;
    for row in known["errors_vs_exact_averaged"].as_array().unwrap() {
        let steps: u64 = row["H"].as_str().unwrap().strip_prefix("1/").unwrap().parse().unwrap();
        if steps > 160 {
            continue;
        }
        let omega = row["omega"].as_f64().unwrap();
        let system = DoublePendulum { omega }.bind().unwrap();
        let (found, count) = positions(&system, &rods(Shake::default(), 0.4), system_start(), steps);
        assert_eq!(count, row["microsteps_n0_to_Nminus1"].as_u64().unwrap());
        let stride = 160 / steps as usize;
        let mut worst = [0.0_f64; 2];
        for (q, exact) in found.iter().zip(exact.iter().step_by(stride)) {
            let q = angles(q);
            (0..2).for_each(|k| worst[k] = worst[k].max((q[k] - exact[k]).abs()));
        }
        for (found, name) in worst.into_iter().zip(["max_err_q1", "max_err_q2"]) {
            let known = row[name].as_f64().unwrap();
            assert!((found - known).abs() < 1e-5 * known, "ω = {omega}, H = 1/{steps}: {found} {known}");
        }
    }
}

#[test]
fn constrained_methods_have_order_two_and_the_same_positions() {
    let system = DoublePendulum { omega: 1e8 }.bind().unwrap();
    let slow = SlowDoublePendulum {}.bind().unwrap();
    let exact = positions(&slow, &Reference::default(), State::at_rest(vec![0.5, 0.0]), 80).0;
    let error = |found: &[Vec<f64>]| {
        let stride = (found.len() - 1) / 80;
        let found: Vec<Vec<f64>> = found.iter().step_by(stride).map(|q| angles(q)).collect();
        largest(&found, &exact)
    };
    let by_shake = |steps| positions(&system, &rods(Shake::default(), 0.4), system_start(), steps).0;
    let by_rattle = |steps| positions(&system, &rods(Rattle::default(), 0.4), system_start(), steps).0;
    let slope = order_by_slope(&[160, 320, 640], |steps| error(&by_shake(steps)));
    assert!((slope - 2.0).abs() < 0.05, "{slope}");
    let slope = order_by_slope(&[160, 320, 640], |steps| error(&by_rattle(steps)));
    assert!((slope - 2.0).abs() < 0.05, "{slope}");
    let apart = |omega: f64| {
        let system = DoublePendulum { omega }.bind().unwrap();
        let by_shake = positions(&system, &rods(Shake::default(), 0.4), system_start(), 160).0;
        largest(&by_shake, &positions(&system, &rods(Rattle::default(), 0.4), system_start(), 160).0)
    };
    assert!(apart(1e4) < 1e-10, "{}", apart(1e4));
    // At ω = 10⁸ the positions themselves are no better known: a start moved by its last bit moves them
    // as far. Each is one draw of a rounding error: they compare within a factor.
    let rounding = |omega: f64| {
        let system = DoublePendulum { omega }.bind().unwrap();
        let run = |start| positions(&system, &rods(Shake::default(), 0.4), start, 160).0;
        let exact = run(system_start());
        let moved = (0..4).map(|index| {
            let mut start = system_start();
            start.q[index] = start.q[index].next_up();
            largest(&run(start), &exact)
        });
        moved.fold(0.0, f64::max)
    };
    assert!(rounding(1e4) < 1e-10, "{}", rounding(1e4));
    assert!(apart(1e8) < 5.0 * rounding(1e8), "{} {}", apart(1e8), rounding(1e8));
}

#[test]
fn the_sides_of_a_large_window_are_followed_side_by_side_and_tell_the_same() {
    let (pendulums, steps) = (3000, 2);
    let many = Pendulums { pendulums, omega: 1e4 }.bind().unwrap();
    let one = Pendulum { omega: 1e4, phase: 0.0 }.bind().unwrap();
    // Two sides: where the fast motion starts is not even about the centre.
    let method = Hmm::new(LeapFrog, Synchronous::default(), Exponential::default())
        .with_micro_steps(MicroSteps::PerPeriod(20));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut stepper = method.start(&many, State::at_rest(vec![0.5; pendulums]), 1.0 / 160.0).unwrap();
        pool.install(|| (0..steps).for_each(|_| stepper.step().unwrap()));
        (stepper.state().clone(), stepper.report().evaluations)
    };
    let (state, evaluations) = run(2);
    let (same, _) = run(1);
    assert!(state.q.iter().zip(&same.q).all(|(a, b)| a.to_bits() == b.to_bits()));
    let mut alone = method.start(&one, State::at_rest(vec![0.5]), 1.0 / 160.0).unwrap();
    (0..steps).for_each(|_| alone.step().unwrap());
    let worst = state.q.iter().map(|q| (q - alone.state().q[0]).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-12, "{worst}");
    assert_eq!(evaluations.micro_steps, alone.report().evaluations.micro_steps);
    // The centre belongs to both sides.
    assert_eq!(evaluations.gradients, alone.report().evaluations.gradients + steps);
}

#[test]
fn constraints_and_loads_may_change_slowly() {
    let system = Growing { omega: 1e7 }.bind().unwrap();
    let slow = SlowGrowing {}.bind().unwrap();
    // At rest in the angle, the bead moves along the rod as this grows.
    let (q, rate) = (0.4_f64, 0.05);
    let start = State::new(vec![0.2 * q.sin(), 0.2 * q.cos()], vec![rate * q.sin(), rate * q.cos()]);
    let exact = positions(&slow, &Reference::default(), State::at_rest(vec![q]), 40).0;
    let error = |found: &[Vec<f64>]| {
        let stride = (found.len() - 1) / 40;
        let angles: Vec<Vec<f64>> = found.iter().step_by(stride).map(|q| vec![q[0].atan2(q[1])]).collect();
        largest(&angles, &exact)
    };
    let check = |slope: f64| assert!((slope - 2.0).abs() < 0.1, "{slope}");
    let steps = [80, 160, 320];
    check(order_by_slope(&steps, |n| {
        error(&positions(&system, &simple(Shake::default()), start.clone(), n).0)
    }));
    check(order_by_slope(&steps, |n| {
        error(&positions(&system, &simple(Rattle::default()), start.clone(), n).0)
    }));
    let synchronous = Hmm::new(Rattle::default(), Synchronous::default(), Cubic::default());
    check(order_by_slope(&steps, |n| error(&positions(&system, &synchronous, start.clone(), n).0)));
}

#[test]
fn a_force_that_is_not_even_is_averaged_over_whole_windows() {
    // ⟨f₁ₓ M⁻¹ s⟩ + ⟨f₀⟩ with V₁ = cos θ cos(x + 0.3 y) − sin 2θ sin x, s = −f₁ per harmonic over its
    // square: the ripple adds ¼ Σ |∇V₁|² M⁻¹ over the squares of the harmonics to the potential.
    let effective = |x: f64, y: f64| {
        let (first, second) = ((x + 0.3 * y).sin(), x.cos());
        let kinetic =
            0.25 * (first.powi(2) + 0.3_f64.powi(2) * first.powi(2) / 2.0) + 0.25 * second.powi(2) / 4.0;
        0.5 * x * x + y * y + kinetic
    };
    let (x, y, d) = (0.7, -0.4, 1e-4);
    let slope = |f: &dyn Fn(f64) -> f64| (8.0 * (f(d) - f(-d)) - (f(2.0 * d) - f(-2.0 * d))) / (12.0 * d);
    let expected = [-slope(&|d| effective(x + d, y)), -slope(&|d| effective(x, y + d))];
    let system = Uneven { omega: 1e6 }.bind().unwrap();
    let start = State::at_rest(vec![x, y]);
    let micro_steps = MicroSteps::PerPeriod(400);
    let force = |stepper: &mut dyn Stepper| {
        stepper.step().unwrap();
        stepper.report().averages.unwrap().force.clone()
    };
    let exponential = Hmm::new(Verlet, Asynchronous, Exponential::default()).with_micro_steps(micro_steps);
    let cubic = Hmm::new(LeapFrog, Asynchronous, Cubic::default()).with_micro_steps(micro_steps);
    let synchronous =
        Hmm::new(LeapFrog, Synchronous::default(), Cubic::default()).with_micro_steps(micro_steps);
    for found in [
        force(&mut exponential.start(&system, start.clone(), 1e-9).unwrap()),
        force(&mut cubic.start(&system, start.clone(), 0.01).unwrap()),
        force(&mut synchronous.start(&system, start.clone(), 0.01).unwrap()),
    ] {
        assert!(distance(&found, &expected) < 2e-4, "{found:?} {expected:?}");
    }
    // Whole windows have both sides.
    let mut stepper = cubic.start(&system, start.clone(), 0.01).unwrap();
    stepper.step().unwrap();
    assert_eq!(stepper.report().evaluations.micro_steps, 8 * 400);
}

#[test]
fn the_ripple_of_the_velocity_follows_from_the_force() {
    let by_force = Hmm::new(LeapFrog, Synchronous::default(), Exponential::default());
    for (q, theta) in [(0.5, 0.3), (-1.2, 4.0), (2.0, -1.0)] {
        // The first window starts from rest: its fast motion begins with the ripple alone.
        let system = Pendulum { omega: 1e5, phase: theta }.bind().unwrap();
        let mut stepper = by_force.start(&system, State::at_rest(vec![q]), 0.05).unwrap();
        stepper.step().unwrap();
        let velocity = stepper.report().averages.unwrap().velocity[0];
        let expected = 4.0 * f64::sin(theta) * f64::sin(q) / 0.2;
        assert!((velocity - expected).abs() < 1e-11, "{velocity} {expected}");
    }
}

#[test]
fn the_asynchronous_map_is_symplectic_and_reversible_and_the_synchronous_one_is_neither() {
    // At this frequency a window of 8 periods is a quarter of a slow one, so the slow velocity matters.
    let system = pendulum(400.0);
    let state = State::new(vec![0.4], vec![1.5]);
    let asynchronous = simple(Verlet).with_micro_steps(MicroSteps::PerPeriod(20));
    let synchronous = Hmm::new(Verlet, Synchronous::default(), Cubic::default())
        .with_micro_steps(MicroSteps::PerPeriod(20));
    assert!(symplectic_defect(&system, &asynchronous, &state, 0.05, 2e-3) < 1e-8);
    assert!(symplectic_defect(&system, &synchronous, &state, 0.05, 2e-3) > 1e-5);
    assert!(reversal_defect(&system, &asynchronous, &state, 0.02, 10) < 1e-9);
    assert!(reversal_defect(&system, &synchronous, &state, 0.02, 10) > 1e-6);
    assert_eq!(<Simple<Verlet> as Claims>::REVERSIBLE, Some(true));
    assert_eq!(<Simple<LeapFrog> as Claims>::REVERSIBLE, None);
    assert_eq!(<Hmm<Verlet, Synchronous, Exponential> as Claims>::REVERSIBLE, Some(false));
    assert_eq!(<Hmm<Verlet, Synchronous, Exponential> as Claims>::SYMPLECTIC, Some(false));
    // With constraints: reversible.
    let rods_system = DoublePendulum { omega: 1e4 }.bind().unwrap();
    let moving = advance(&rods_system, &rods(Rattle::default(), 0.4), &system_start(), 1.0 / 160.0, 10);
    assert!(reversal_defect(&rods_system, &rods(Rattle::default(), 0.4), &moving, 1.0 / 160.0, 10) < 1e-8);
    // With more degrees of freedom the averaged force is a gradient up to 1/ω.
    let defect = |omega: f64| {
        let coupled = Coupled { omega }.bind().unwrap();
        let state = State::new(vec![0.6, -0.5], vec![0.3, 0.2]);
        let method = simple(Verlet).with_micro_steps(MicroSteps::PerPeriod(20));
        symplectic_defect(&coupled, &method, &state, 0.1, 2e-3)
    };
    let (coarse, fine) = (defect(1e2), defect(1e3));
    assert!(coarse > 1e-7 && fine < 0.2 * coarse, "{coarse} {fine}");
}

#[test]
fn compositions_raise_the_order_of_the_macro_solver() {
    let system = pendulum(1e6);
    let base = simple(Verlet).with_micro_steps(MicroSteps::PerPeriod(40));
    let start = State::at_rest(vec![0.5]);
    let exact = advance(&system, &Composition::of(base, 6), &start, 1.0 / 320.0, 160);
    let slope = order_by_slope(&[20, 40, 80], |steps| {
        let found = advance(&system, &Composition::of(base, 4), &start, 0.5 / steps as f64, steps);
        state_distance(&found, &exact)
    });
    assert!((slope - 4.0).abs() < 0.3, "{slope}");
    let rattle = rods(Rattle::default(), 0.4).with_micro_steps(MicroSteps::PerPeriod(16));
    let system = DoublePendulum { omega: 1e6 }.bind().unwrap();
    let exact = advance(&system, &Composition::of(rattle, 6), &system_start(), 0.2 / 160.0, 160);
    let slope = order_by_slope(&[20, 40, 80], |steps| {
        let found = advance(&system, &Composition::of(rattle, 4), &system_start(), 0.2 / steps as f64, steps);
        distance(&found.q, &exact.q)
    });
    assert!((slope - 4.0).abs() < 0.4, "{slope}");
}

#[test]
fn leap_frog_and_verlet_have_the_same_positions_and_one_window_differs() {
    let system = pendulum(1e5);
    let start = State::at_rest(vec![0.5]);
    let (frog, frog_steps) = positions(&system, &simple(LeapFrog), start.clone(), 80);
    let (verlet, verlet_steps) = positions(&system, &simple(Verlet), start.clone(), 80);
    assert!(largest(&frog, &verlet) < 1e-10);
    assert_eq!((frog_steps, verlet_steps), (80 * 40, 81 * 40));
    // The velocity of leap-frog is a prediction, which differs by H²/2 times the rate of the force.
    let slope = order_by_slope(&[80, 160, 320], |steps| {
        let (h, number) = (0.5 / steps as f64, MicroSteps::PerPeriod(40));
        let predicted = advance(&system, &simple(LeapFrog).with_micro_steps(number), &start, h, steps);
        let corrected = advance(&system, &simple(Verlet).with_micro_steps(number), &start, h, steps);
        distance(&predicted.v, &corrected.v)
    });
    assert!((slope - 2.0).abs() < 0.1, "{slope}");
    // A run around Verlet that is stopped goes on with the same bits.
    let half = advance(&system, &simple(Verlet), &start, 0.0125, 20);
    let whole = advance(&system, &simple(Verlet), &start, 0.0125, 40);
    assert_eq!(advance(&system, &simple(Verlet), &half, 0.0125, 20).q, whole.q);
}

#[test]
fn thermostats_and_observers_take_multiscale_steppers() {
    let system = DoublePendulum { omega: 1e5 }.bind().unwrap();
    let run = integrate(&system, &rods(Shake::default(), 0.4), system_start(), 0.01)
        .unwrap()
        .until(0.05)
        .measure(Averaged::force(&system))
        .measure(Averaged::velocity(&system))
        .measure(Averaged::multipliers(&system))
        .measure(Multipliers::of(&system))
        .record()
        .unwrap();
    for column in ["force.first.y", "fast_velocity.second.x", "fast_lambda.rods[1]", "lambda.rods[0]"] {
        let values = run.column(column).unwrap();
        assert!(
            values[0].is_nan() && values[1..].iter().all(|value| value.is_finite()),
            "{column}: {values:?}"
        );
    }
    let warm = Langevin { inverse_temperature: 1e3, ..Langevin::around(rods(Rattle::default(), 0.4)) };
    let mut stepper = warm.start(&system, system_start(), 0.005).unwrap();
    (0..20).for_each(|_| stepper.step().unwrap());
    assert!(stepper.state().v.iter().any(|v| v.abs() > 1e-3));
}

/// A kernel whose author forgot to normalize it.
#[derive(Debug)]
struct Heavy;

impl Filter for Heavy {
    fn name(&self) -> &'static str {
        "heavy"
    }

    fn kernel(&self, x: f64) -> f64 {
        (1.0 - x * x).powi(2)
    }

    fn periods(&self) -> f64 {
        10.0
    }
}

impl<E: Estimator, S: Vibrated + ?Sized> FilterFor<E, S> for Heavy {}

fn refused<M: Method<S>, S: ?Sized>(method: &M, system: &S, start: State, step: f64) -> StartError {
    match method.start(system, start, step) {
        Ok(_) => panic!("started"),
        Err(error) => error,
    }
}

#[test]
fn bad_input_is_refused_with_the_reason() {
    let system = pendulum(1e4);
    let start = || State::at_rest(vec![0.5]);
    let says = |error: StartError, words: &str| {
        let text = error.to_string();
        assert!(text.contains(words), "{text}");
    };
    says(refused(&Hmm::new(LeapFrog, Asynchronous, Heavy), &system, start(), 0.01), "mass 1.0666");
    for periods in [0.5, 0.0, -1.0, f64::NAN, f64::INFINITY] {
        let method = Hmm::new(LeapFrog, Asynchronous, Exponential { periods });
        says(refused(&method, &system, start(), 0.01), "window");
    }
    let method = Hmm::new(LeapFrog, Asynchronous, BoxFilter { periods: 1.5 });
    says(refused(&method, &system, start(), 0.01), "whole numbers");
    for number in [0, 3, 7] {
        let method = simple(LeapFrog).with_micro_steps(MicroSteps::PerPeriod(number));
        says(refused(&method, &system, start(), 0.01), "micro_steps_per_period");
    }
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let method = simple(LeapFrog).with_micro_steps(MicroSteps::SlowTime(time));
        says(refused(&method, &system, start(), 0.01), "slow_time");
    }
    let coarse = Hmm::new(LeapFrog, Asynchronous, Exponential { periods: 1.0 });
    says(refused(&coarse.with_micro_steps(MicroSteps::PerPeriod(4)), &system, start(), 0.01), "exponential");
    says(refused(&simple(LeapFrog), &pendulum(0.0), start(), 0.01), "frequency");
    says(refused(&simple(LeapFrog), &system, start(), -0.01), "step");
    says(refused(&simple(LeapFrog), &system, State::at_rest(vec![f64::NAN]), 0.01), "finite");
    let rods_system = DoublePendulum { omega: 1e4 }.bind().unwrap();
    let off = State::at_rest(vec![0.1, 0.17, 0.1, 0.27]);
    says(refused(&simple(Shake::default()), &rods_system, off, 0.01), "violates the constraint");
    says(refused(&simple(LeapFrog), &rods_system, system_start(), 0.01), "does not keep the constraints");
    let outside = Outside { omega: 1e4 }.bind().unwrap();
    let method = Hmm::new(Shake::default(), Asynchronous, Exponential::default());
    says(refused(&method, &outside, State::at_rest(vec![0.0, 0.2 - 4e-4]), 0.01), "depend on the phase");
    assert!(Pendulum { omega: f64::NAN, phase: 0.0 }.bind().is_err());
    let samples = Synchronous { samples: 2 };
    says(refused(&Hmm::new(LeapFrog, samples, Cubic::default()), &system, start(), 0.01), "samples");
}

#[test]
fn a_step_above_the_stability_limit_is_an_error_and_the_last_state_stays() {
    let system = pendulum(1e6);
    // The slow motion upright has the frequency 12.3: the limit is 0.163.
    for step in [0.2, 0.3, 0.5, 1.0, 5.0] {
        let mut stepper = simple(LeapFrog).start(&system, State::at_rest(vec![0.1]), step).unwrap();
        let error = (0..50).find_map(|_| stepper.step().err());
        let Some(StepError::Failed(failed)) = error else { panic!("{step}: {error:?}") };
        let ForceError::AboveStability { limit } = failed.cause else { panic!("{step}: {failed}") };
        assert!(limit < step, "{limit}");
        assert!(stepper.state().q[0].is_finite());
        let last = stepper.state().clone();
        let _ = stepper.step();
        assert!(stepper.state().t >= last.t);
    }
    let mut stepper = simple(Verlet).start(&system, State::at_rest(vec![0.1]), 0.1).unwrap();
    assert!((0..500).all(|_| stepper.step().is_ok()));
    // Constraints that turn too far in one step.
    let rods_system = DoublePendulum { omega: 1e6 }.bind().unwrap();
    let mut stepper = rods(Shake::default(), 0.4).start(&rods_system, system_start(), 0.3).unwrap();
    let error = (0..20).find_map(|_| stepper.step().err()).expect("far too long a step");
    let last = stepper.state().clone();
    assert!(stepper.step().is_err(), "the same step fails again: {error}");
    assert_eq!(stepper.state(), &last);
}

#[test]
fn the_work_does_not_depend_on_the_frequency() {
    let count = |omega: f64| {
        let system = pendulum(omega);
        let even: &dyn EvenInPhase = &system;
        let mut stepper = simple(LeapFrog).start(even, State::at_rest(vec![0.5]), 0.0125).unwrap();
        (0..80).for_each(|_| stepper.step().unwrap());
        stepper.report().evaluations
    };
    assert_eq!(count(1e3), count(1e8));
    assert_eq!(count(1e8).micro_steps, 3200);
    assert_eq!(count(1e8).gradients, 80 * 41);
    // A negative frequency is the same motion run backwards in phase.
    let run =
        |omega: f64| advance(&pendulum(omega), &simple(LeapFrog), &State::at_rest(vec![0.5]), 0.0125, 40);
    let turned = Pendulum { omega: -1e5, phase: 0.0 }.bind().unwrap();
    let backwards = advance(&turned, &simple(LeapFrog), &State::at_rest(vec![0.5]), 0.0125, 40);
    assert!(state_distance(&backwards, &run(1e5)) < 1e-2);
}
