//! The methods on SO(3): the reference numbers, order, structure, refusals.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use least_action::error::StartError;
use least_action::method::{
    Claims, Composition, Method, Reference, Stepper, ZhangSkeel, ZhangSkeelEuler,
    rotation::{PenalizedRotation, RotationCayley, RotationPenalty, RotationPenaltyEuler},
};
use least_action::prelude::*;
use least_action::system::{Lagrangian, Natural};
use serde_json::Value;
use test_support::agreement::Seeded;
use test_support::reference::{numbers, read};
use test_support::structure::{
    advance, distance, order_by_slope, reversal_defect, state_distance, symplectic_defect,
};

/// The magnetized body of Tao and Owhadi, without its constraint.
pub(super) struct Magnet {
    pub(super) moment: f64,
}

#[lagrangian]
impl Magnet {
    fn lagrangian(&self, r: Mat3) -> Scalar {
        0.25 * der(r).norm_squared() - self.moment * r[(2, 2)]
    }
}

/// A body of any inertia in a potential of any shape, with its constraint.
pub(super) struct Top {
    pub(super) spread: [[f64; 3]; 3],
    pub(super) weight: f64,
    pub(super) bend: f64,
}

#[lagrangian]
impl Top {
    fn lagrangian(&self, r: Mat3) -> Scalar {
        let bent = r[(0, 1)] * r[(1, 2)] + r[(2, 0)].powi(3) + 0.5 * r[(0, 0)].powi(2);
        0.5 * (der(r) * mat3(self.spread)).dot(der(r)) - self.weight * r[(2, 2)] - self.bend * bent
    }

    #[holonomic]
    fn orthogonal(&self, r: Mat3) -> Mat3 {
        r.transpose() * r - Mat3::IDENTITY
    }
}

pub(super) const ROUND: [[f64; 3]; 3] = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]];
pub(super) const UNEQUAL: [[f64; 3]; 3] = [[0.5, 0.1, 0.0], [0.1, 0.8, -0.05], [0.0, -0.05, 1.1]];

pub(super) fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    (0..9).map(|k| (0..3).map(|l| a[k / 3 * 3 + l] * b[3 * l + k % 3]).sum()).collect()
}

pub(super) fn transpose(a: &[f64]) -> Vec<f64> {
    (0..9).map(|k| a[k % 3 * 3 + k / 3]).collect()
}

pub(super) fn scaled(factor: f64, a: &[f64]) -> Vec<f64> {
    a.iter().map(|entry| factor * entry).collect()
}

pub(super) fn plus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

pub(super) fn hat([x, y, z]: [f64; 3]) -> Vec<f64> {
    vec![0.0, -z, y, z, 0.0, -x, -y, x, 0.0]
}

/// Half of A − Aᵀ, as a vector.
pub(super) fn vector(a: &[f64]) -> [f64; 3] {
    [0.5 * (a[7] - a[5]), 0.5 * (a[2] - a[6]), 0.5 * (a[3] - a[1])]
}

pub(super) fn identity() -> Vec<f64> {
    vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The rotation about w by 2 arctan(|w|/2).
pub(super) fn rotation(w: [f64; 3]) -> Vec<f64> {
    let (hat, factor) = (hat(w), 1.0 / (1.0 + 0.25 * dot(w, w)));
    plus(&identity(), &scaled(factor, &plus(&hat, &scaled(0.5, &product(&hat, &hat)))))
}

/// max |RᵀR − 1|.
pub(super) fn stretch(r: &[f64]) -> f64 {
    distance(&product(&transpose(r), r), &identity())
}

pub(super) fn turning(r: Vec<f64>, omega: [f64; 3]) -> State {
    let v = product(&r, &hat(omega));
    State::new(r, v)
}

fn start() -> State {
    turning(identity(), [1.0, 0.2, 0.1])
}

/// A start in general position.
pub(super) fn tumbling() -> State {
    turning(rotation([0.4, -0.9, 0.3]), [0.7, -0.3, 0.5])
}

fn rows(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().flat_map(numbers).collect()
}

fn exact() -> Vec<(u64, Vec<f64>)> {
    let data = read("rigid_body.json");
    let points = data["exact"].as_array().unwrap();
    points
        .iter()
        .map(|point| ((10.0 * point["t"].as_f64().unwrap()).round() as u64, rows(&point["R"])))
        .collect()
}

/// One and ten steps, and the errors at t = 1, 5, 10.
#[track_caller]
fn check_numbers<S: ?Sized, M: Method<S>>(system: &S, method: &M, numbers_of: &Value, second: &str) {
    for (name, steps) in [("after_1", 1), ("after_10", 10)] {
        let state = advance(system, method, &start(), 0.1, steps);
        let expected = &numbers_of[name];
        assert!(distance(&state.q, &rows(&expected["R"])) < 1e-11, "{}, {name}", M::NAME);
        let found = match second {
            "p" => scaled(0.5, &state.v),
            _ => vector(&product(&transpose(&state.q), &state.v)).to_vec(),
        };
        let stated = &expected[second];
        let stated = if second == "p" { rows(stated) } else { numbers(stated) };
        assert!(distance(&found, &stated) < 1e-11, "{}, {name}: {found:?}", M::NAME);
    }
    for ((steps, exact), stated) in exact().into_iter().zip(numbers(&numbers_of["err_R_maxabs"])) {
        let error = distance(&advance(system, method, &start(), 0.1, steps).q, &exact);
        println!("{} after {steps} steps: {error:.3e}, stated {stated:.3e}", M::NAME);
        assert!((error - stated).abs() < 1e-10, "{}: {error} instead of {stated}", M::NAME);
    }
}

#[test]
fn the_numbers_of_the_cayley_method() {
    let (data, body) = (read("rigid_body.json"), Magnet { moment: 1.0 }.bind().unwrap());
    check_numbers(&body, &RotationCayley, &data["lie_euler_eq34"], "Omega");
}

fn check_penalty<'b, M: Method<PenalizedRotation<'b, Bound<Magnet>>>>(
    system: &PenalizedRotation<'b, Bound<Magnet>>,
    method: &M,
    expected: &Value,
) {
    check_numbers(system, method, expected, "p");
    let mut stepper = method.start(system, start(), 0.1).unwrap();
    let (mut largest, mut energies) = (0.0_f64, [f64::MAX, f64::MIN]);
    for _ in 0..100 {
        let State { q, v, t } = stepper.state();
        let energy = 0.5 * system.mass().quadratic(v) + system.potential(q, *t);
        energies = [energies[0].min(energy), energies[1].max(energy)];
        largest = largest.max(stretch(q));
        stepper.step().unwrap();
    }
    let State { q, v, t } = stepper.state();
    let energy = 0.5 * system.mass().quadratic(v) + system.potential(q, *t);
    energies = [energies[0].min(energy), energies[1].max(energy)];
    largest = largest.max(stretch(q));
    let stated = |name: &str| expected[name].as_f64().unwrap();
    assert!((largest - stated("orthogonality_maxabs")).abs() < 1e-10, "{}: {largest}", M::NAME);
    assert!((energies[0] - stated("energy_min")).abs() < 1e-10, "{}: {energies:?}", M::NAME);
    assert!((energies[1] - stated("energy_max")).abs() < 1e-10, "{}: {energies:?}", M::NAME);
}

#[test]
fn the_numbers_of_the_penalty_methods() {
    let (data, body) = (read("rigid_body.json"), Magnet { moment: 1.0 }.bind().unwrap());
    let system = PenalizedRotation::new(&body, 10.0).unwrap();
    check_penalty(&system, &RotationPenalty { beta: 0.4 }, &data["vzs_trapezoidal"]);
    check_penalty(&system, &RotationPenaltyEuler { beta: 0.4 }, &data["vzs_symplectic_euler"]);
    // The formula as printed gives other numbers.
    let printed = rows(&data["vzs_trapezoidal_with_printed_f"]["after_10"]["R"]);
    let found = advance(&system, &RotationPenalty { beta: 0.4 }, &start(), 0.1, 10);
    assert!(distance(&found.q, &printed) > 1e-3);
}

/// a and f of a potential B μ R₃₃ by the paper's formulas, by fixed-point iteration.
fn formulas(r: &[f64], moment: f64, omega: f64, c: f64) -> (Vec<f64>, Vec<f64>) {
    let square = product(&transpose(r), r);
    let mut constant = scaled(-2.0 * omega * omega, &plus(&product(r, &square), &scaled(-1.0, r)));
    constant[8] -= moment;
    let linear = |a: &[f64]| {
        let terms = plus(&product(a, &square), &product(r, &product(&transpose(a), r)));
        let terms = plus(&terms, &product(r, &product(&transpose(r), a)));
        plus(&terms, &scaled(-1.0, a))
    };
    // (1 + 2 ω² c L) a = constant by conjugate gradients.
    let apply = |a: &[f64]| plus(a, &scaled(2.0 * omega * omega * c, &linear(a)));
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut a, mut rest) = (vec![0.0; 9], constant);
    let mut direction = rest.clone();
    for _ in 0..30 {
        let image = apply(&direction);
        let before = inner(&rest, &rest);
        if before < 1e-30 {
            break;
        }
        let step = before / inner(&direction, &image);
        a = plus(&a, &scaled(step, &direction));
        rest = plus(&rest, &scaled(-step, &image));
        direction = plus(&rest, &scaled(inner(&rest, &rest) / before, &direction));
    }
    let turned = transpose(&a);
    let cubic = plus(&product(r, &product(&turned, &a)), &product(&a, &product(&transpose(r), &a)));
    let cubic = plus(&cubic, &product(&a, &product(&turned, r)));
    let f = plus(&a, &scaled(-2.0 * omega * omega * c * c, &cubic));
    (a, f)
}

/// From rest, p₁ = h f.
fn force<S: Natural>(system: &PenalizedRotation<'_, S>, r: &[f64], beta: f64, h: f64) -> Vec<f64> {
    let method = RotationPenaltyEuler { beta };
    scaled(0.5 / h, &advance(system, &method, &State::at_rest(r.to_vec()), h, 1).v)
}

#[test]
fn the_force_is_that_of_the_corrected_formulas() {
    let sample = &read("rigid_body.json")["acceleration_sample"];
    let (r, stated_a, stated_f) = (rows(&sample["R"]), rows(&sample["a"]), rows(&sample["f"]));
    let (a, f) = formulas(&r, 1.0, 10.0, 0.4 * 0.01);
    assert!(distance(&a, &stated_a) < 1e-11 && distance(&f, &stated_f) < 1e-11);
    let body = Magnet { moment: 1.0 }.bind().unwrap();
    let system = PenalizedRotation::new(&body, 10.0).unwrap();
    assert!(distance(&force(&system, &r, 0.4, 0.1), &stated_f) < 1e-11);
    // Z&Ss with half the parameter has the acceleration 2 a.
    let simplified = least_action::method::ZhangSkeelSimplified { beta: 0.2 };
    let moved = advance(&system, &simplified, &State::at_rest(r.clone()), 0.1, 1);
    let found: Vec<f64> = moved.q.iter().zip(&r).map(|(new, old)| (new - old) / 0.01).collect();
    assert!(distance(&found, &stated_a) < 1e-11, "{found:?}");
}

/// U(R) with ∂U/∂a = 0 at a, the truncated action per end point: ½ c tr(aᵀa) + V + c ∇V·a + ½ c² a·Hess
/// V a, with f = −∇U; the printed f has another sign and transposed factors.
#[test]
fn the_force_is_the_derivative_of_the_truncated_action_and_the_printed_one_is_not() {
    let sample = &read("rigid_body.json")["acceleration_sample"];
    let r = rows(&sample["R"]);
    let (moment, omega, c) = (1.0, 10.0, 0.4 * 0.01);
    let body = Magnet { moment }.bind().unwrap();
    let system = PenalizedRotation::new(&body, omega).unwrap();
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let action = |r: &[f64]| {
        let (a, _) = formulas(r, moment, omega, c);
        let (mut gradient, mut bent) = (vec![0.0; 9], vec![0.0; 9]);
        system.potential_gradient(r, 0.0, &mut gradient);
        system.potential_product(r, 0.0, &a, &mut bent);
        0.5 * c * inner(&a, &a)
            + system.potential(r, 0.0)
            + c * inner(&gradient, &a)
            + 0.5 * c * c * inner(&a, &bent)
    };
    let d = 1e-3;
    let slope: Vec<f64> = (0..9)
        .map(|k| {
            let at = |offset: f64| {
                let mut r = r.clone();
                r[k] += offset;
                action(&r)
            };
            -(8.0 * (at(d) - at(-d)) - (at(2.0 * d) - at(-2.0 * d))) / (12.0 * d)
        })
        .collect();
    let (a, f) = formulas(&r, moment, omega, c);
    assert!(distance(&slope, &f) < 1e-8, "{:e}", distance(&slope, &f));
    // f = a + 2 ω² c² (aᵀa Rᵀ + aᵀ R aᵀ + Rᵀ a aᵀ), as printed
    let (turned, back) = (transpose(&a), transpose(&r));
    let cubic = plus(&product(&turned, &product(&a, &back)), &product(&turned, &product(&r, &turned)));
    let cubic = plus(&cubic, &product(&back, &product(&a, &turned)));
    let printed = plus(&a, &scaled(2.0 * omega * omega * c * c, &cubic));
    assert!(distance(&slope, &printed) > 0.05);
}

/// The derivatives of the penalty, by differences of each other.
#[test]
fn the_penalized_potential_has_the_derivatives_that_it_states() {
    let top = Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }.bind().unwrap();
    let system = PenalizedRotation::new(&top, 3.0).unwrap();
    let mut seeded = Seeded::new(4);
    let (r, a) = (plus(&identity(), &scaled(0.4, &seeded.numbers(9))), seeded.numbers(9));
    let gradient = |r: &[f64]| {
        let mut gradient = vec![f64::NAN; 9];
        system.potential_gradient(r, 0.0, &mut gradient);
        gradient
    };
    let bent = |r: &[f64]| {
        let mut bent = vec![f64::NAN; 9];
        system.potential_product(r, 0.0, &a, &mut bent);
        bent
    };
    let d = 1e-3;
    // Differences of order 4 along b of a cubic polynomial and of its derivatives are exact.
    let along = |of: &dyn Fn(&[f64]) -> Vec<f64>, b: &[f64]| {
        let at = |offset: f64| of(&plus(&r, &scaled(offset, b)));
        let near = plus(&at(d), &scaled(-1.0, &at(-d)));
        let far = plus(&at(2.0 * d), &scaled(-1.0, &at(-2.0 * d)));
        scaled(1.0 / (12.0 * d), &plus(&scaled(8.0, &near), &scaled(-1.0, &far)))
    };
    let value = |r: &[f64]| vec![system.potential(r, 0.0)];
    let slope: f64 = gradient(&r).iter().zip(&a).map(|(g, a)| g * a).sum();
    assert!((along(&value, &a)[0] - slope).abs() < 1e-10);
    assert!(distance(&along(&gradient, &a), &bent(&r)) < 1e-10);
    let mut third = vec![f64::NAN; 9];
    system.potential_third(&r, 0.0, &a, &mut third);
    // ∇(aᵀ Hess U a) is symmetric in its three arguments: the derivative of Hess U a along a.
    assert!(distance(&along(&bent, &a), &third) < 1e-9);
    let (mut found, mut hessian) = (vec![f64::NAN; 9], vec![f64::NAN; 45]);
    system.potential_second(&r, 0.0, &mut found, &mut hessian);
    assert!(distance(&found, &gradient(&r)) < 1e-13);
    let mut product = vec![0.0; 9];
    system.potential_pattern().multiply_add(&hessian, &a, &mut product);
    assert!(distance(&product, &bent(&r)) < 1e-12);
}

/// An independent method integrates the penalized Lagrangian itself.
#[test]
fn the_penalized_lagrangian_moves_as_its_natural_face_does() {
    let top = Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }.bind().unwrap();
    let system = PenalizedRotation::new(&top, 3.0).unwrap();
    let exact = advance(&system, &Reference { tolerance: 1e-12 }, &tumbling(), 1.0, 1);
    let error = |n: u64| {
        let found = advance(&system, &ZhangSkeel { beta: 0.0 }, &tumbling(), 1.0 / n as f64, n);
        state_distance(&found, &exact)
    };
    assert!(error(4000) < 1e-5 && (error(2000) / error(4000) - 4.0).abs() < 0.01);
    let State { q, v, t } = tumbling();
    let energy = 0.5 * system.mass().quadratic(&v) + system.potential(&q, t);
    assert!((system.energy(&q, &v, t) - energy).abs() < 1e-14);
}

#[test]
fn the_penalty_forms_are_zhang_skeel_with_half_the_parameter_on_every_potential() {
    let top = Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }.bind().unwrap();
    let system = PenalizedRotation::new(&top, 10.0).unwrap();
    let after = |state: State| [state.q, state.v].concat();
    let trapezoidal = advance(&system, &RotationPenalty { beta: 0.5 }, &tumbling(), 0.05, 20);
    let plain = advance(&system, &ZhangSkeel { beta: 0.25 }, &tumbling(), 0.05, 20);
    assert!(distance(&after(trapezoidal), &after(plain)) < 1e-15);
    let euler = advance(&system, &RotationPenaltyEuler { beta: 0.5 }, &tumbling(), 0.05, 20);
    let plain = advance(&system, &ZhangSkeelEuler { beta: 0.25 }, &tumbling(), 0.05, 20);
    assert!(distance(&after(euler), &after(plain)) < 1e-15);
}

/// The accurate motion on SO(3) of the declared model, by an independent method.
pub(super) fn accurate(top: &Bound<Top>, end: f64) -> State {
    let method = Reference { tolerance: 1e-12 };
    advance(top, &method, &tumbling(), end / 4.0, 4)
}

#[test]
fn the_cayley_method_converges_with_order_one_for_any_inertia_and_potential() {
    for spread in [ROUND, UNEQUAL] {
        let top = Top { spread, weight: 1.3, bend: 0.7 }.bind().unwrap();
        let exact = accurate(&top, 2.0);
        let slope = order_by_slope(&[200, 400, 800, 1600], |steps| {
            let found = advance(&top, &RotationCayley, &tumbling(), 2.0 / steps as f64, steps);
            state_distance(&found, &exact)
        });
        println!("slope {slope:.4}");
        assert!((slope - f64::from(RotationCayley::ORDER)).abs() < 0.05, "slope {slope}");
    }
}

#[test]
fn the_penalty_methods_converge_to_the_penalized_motion_with_their_orders() {
    let top = Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }.bind().unwrap();
    let system = PenalizedRotation::new(&top, 2.0).unwrap();
    let accurate = Composition::of(ZhangSkeel { beta: 0.0 }, 6);
    let exact = advance(&system, &accurate, &tumbling(), 2.0 / 4000.0, 4000);
    let slope = |run: &dyn Fn(f64, u64) -> State| {
        order_by_slope(&[100, 200, 400, 800], |n| state_distance(&run(2.0 / n as f64, n), &exact))
    };
    let second = slope(&|h, n| advance(&system, &RotationPenalty::default(), &tumbling(), h, n));
    let first = slope(&|h, n| advance(&system, &RotationPenaltyEuler::default(), &tumbling(), h, n));
    assert!((second - f64::from(RotationPenalty::ORDER)).abs() < 0.1, "{second}");
    assert!((first - f64::from(RotationPenaltyEuler::ORDER)).abs() < 0.1, "{first}");
}

/// As ω grows and h falls the penalized motion tends to the one on SO(3).
#[test]
fn a_stiffer_penalty_is_nearer_to_the_motion_on_the_rotations() {
    let top = Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }.bind().unwrap();
    let exact = accurate(&top, 1.0);
    let error = |omega: f64| {
        let system = PenalizedRotation::new(&top, omega).unwrap();
        distance(&advance(&system, &RotationPenalty::default(), &tumbling(), 5e-5, 20_000).q, &exact.q)
    };
    let (soft, stiff) = (error(10.0), error(40.0));
    println!("{soft:.2e} {stiff:.2e}");
    assert!(soft < 0.05 && stiff < soft / 8.0, "{soft:e} {stiff:e}");
}

/// μ₋ = J Ω − ½ h Ω × J Ω + ¼ h² (Ω·J Ω) Ω.
fn momentum(inertia: [[f64; 3]; 3], omega: [f64; 3], h: f64) -> [f64; 3] {
    let spin = inertia.map(|row| dot(row, omega));
    let (turned, energy) = (cross(omega, spin), dot(omega, spin));
    [0, 1, 2].map(|i: usize| spin[i] + 0.5 * h * turned[i] + 0.25 * h * h * energy * omega[i])
}

pub(super) fn inertia(spread: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let trace = spread[0][0] + spread[1][1] + spread[2][2];
    [0, 1, 2].map(|i: usize| [0, 1, 2].map(|j: usize| if i == j { trace } else { 0.0 } - spread[i][j]))
}

fn spin(state: &State) -> [f64; 3] {
    vector(&product(&transpose(&state.q), &state.v))
}

/// The symplectic form −d(μ·θ) in left-trivialized variations (η, δμ) with δR = R η̂.
fn form(mu: [f64; 3], a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let part = |x: &[f64; 6]| ([x[0], x[1], x[2]], [x[3], x[4], x[5]]);
    let ((eta_a, mu_a), (eta_b, mu_b)) = (part(a), part(b));
    dot(eta_a, mu_b) - dot(eta_b, mu_a) + dot(mu, cross(eta_a, eta_b))
}

/// The change of the symplectic form in the rotation and its momentum in a step of the Cayley method.
pub(super) fn cayley_symplectic_defect(spread: [[f64; 3]; 3]) -> f64 {
    let h = 0.2;
    let top = Top { spread, weight: 1.3, bend: 0.7 }.bind().unwrap();
    let inertia = inertia(spread);
    // Ω with a given μ₋, by Newton's method with difference quotients: of the test alone.
    let omega_of = |mu: [f64; 3]| {
        let mut omega = spin(&tumbling());
        for _ in 0..60 {
            let missing = |omega: [f64; 3]| {
                let found = momentum(inertia, omega, -h);
                [0, 1, 2].map(|i: usize| mu[i] - found[i])
            };
            // A simplified iteration with the inertia as its matrix.
            let rest = missing(omega);
            let columns = [0, 1, 2].map(|j: usize| inertia.map(|row| row[j]));
            let volume = dot(columns[0], cross(columns[1], columns[2]));
            let change = [
                dot(rest, cross(columns[1], columns[2])) / volume,
                dot(columns[0], cross(rest, columns[2])) / volume,
                dot(columns[0], cross(columns[1], rest)) / volume,
            ];
            omega = [0, 1, 2].map(|i: usize| omega[i] + change[i]);
        }
        omega
    };
    let (r, mu) = (tumbling().q, momentum(inertia, spin(&tumbling()), -h));
    let step = |change: [f64; 6]| {
        let r = product(&r, &rotation([change[0], change[1], change[2]]));
        let mu = [mu[0] + change[3], mu[1] + change[4], mu[2] + change[5]];
        let after = advance(&top, &RotationCayley, &turning(r, omega_of(mu)), h, 1);
        let omega = spin(&after);
        (after.q, momentum(inertia, omega, -h))
    };
    let (r_after, mu_after) = step([0.0; 6]);
    let d = 1e-3;
    let columns: Vec<[f64; 6]> = (0..6)
        .map(|k| {
            let at = |offset: f64| {
                let mut change = [0.0; 6];
                change[k] = offset;
                let (r, mu) = step(change);
                [r, mu.to_vec()].concat()
            };
            let near = plus(&at(d), &scaled(-1.0, &at(-d)));
            let far = plus(&at(2.0 * d), &scaled(-1.0, &at(-2.0 * d)));
            let slope = scaled(1.0 / (12.0 * d), &plus(&scaled(8.0, &near), &scaled(-1.0, &far)));
            let eta = vector(&product(&transpose(&r_after), &slope[..9]));
            [eta[0], eta[1], eta[2], slope[9], slope[10], slope[11]]
        })
        .collect();
    let unit = |k: usize| [0, 1, 2, 3, 4, 5].map(|i: usize| if i == k { 1.0 } else { 0.0 });
    let mut worst = 0.0_f64;
    for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
        let defect = form(mu_after, &columns[i], &columns[j]) - form(mu, &unit(i), &unit(j));
        worst = worst.max(defect.abs());
    }
    worst
}

#[test]
fn a_step_of_the_cayley_method_is_symplectic_in_the_rotation_and_its_momentum() {
    for spread in [ROUND, UNEQUAL] {
        let worst = cayley_symplectic_defect(spread);
        assert!(worst < 1e-9, "{worst:e}");
    }
}

#[test]
fn the_cayley_method_keeps_rotations_momenta_and_the_energy() {
    let h = 0.05;
    // Symmetric about the axis e₃ of the body, in a field along e₃ of space.
    for spread in [ROUND, [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.5]]] {
        let top = Top { spread, weight: 1.0, bend: 0.0 }.bind().unwrap();
        let inertia = inertia(spread);
        let about_axes = |state: &State| {
            let mu = momentum(inertia, spin(state), -h);
            [dot([state.q[6], state.q[7], state.q[8]], mu), mu[2]]
        };
        let mut stepper = RotationCayley.start(&top, tumbling(), h).unwrap();
        let (first, energy) = (about_axes(&tumbling()), top.energy(&tumbling().q, &tumbling().v, 0.0));
        let (mut moved, mut stretched, mut energies) = (0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..100_000 {
            stepper.step().unwrap();
            let state = stepper.state();
            moved = moved.max(distance(&about_axes(state), &first));
            stretched = stretched.max(stretch(&state.q));
            energies = energies.max((top.energy(&state.q, &state.v, 0.0) - energy).abs());
        }
        println!("momenta {moved:.1e}, RᵀR − 1 {stretched:.1e}, energy {energies:.1e}");
        assert!(moved < 1e-11 && stretched < 2e-15, "{moved:e} {stretched:e}");
        assert!(energies < 0.1, "{energies}");
        // The velocity is R Ω̂: RᵀṘ has no symmetric part.
        let State { q, v, .. } = stepper.state();
        let rate = product(&transpose(q), v);
        assert!((0..9).all(|k| (rate[k] + transpose(&rate)[k]).abs() < 1e-14), "{rate:?}");
    }
}

/// The momenta about e₃ of space, from R ↦ Q R, and e₃ of the body, from R ↦ R Q, of a body with M = ½.
pub(super) fn momenta(state: &State) -> [f64; 2] {
    let space = product(&state.v, &transpose(&state.q));
    let body = product(&transpose(&state.q), &state.v);
    [vector(&space)[2], vector(&body)[2]]
}

#[test]
fn the_penalty_methods_have_the_structure_that_they_claim() {
    let body = Magnet { moment: 1.0 }.bind().unwrap();
    let system = PenalizedRotation::new(&body, 10.0).unwrap();
    assert!(symplectic_defect(&system, &RotationPenalty::default(), &tumbling(), 0.05, 2e-4) < 1e-8);
    assert!(symplectic_defect(&system, &RotationPenaltyEuler::default(), &tumbling(), 0.05, 2e-4) < 1e-8);
    assert!(reversal_defect(&system, &RotationPenalty::default(), &tumbling(), 0.02, 5) < 1e-13);
    assert!(reversal_defect(&system, &RotationPenaltyEuler::default(), &tumbling(), 0.02, 5) > 1e-3);
    let first = momenta(&tumbling());
    let end = advance(&system, &RotationPenalty::default(), &tumbling(), 0.05, 2000);
    assert!(distance(&momenta(&end), &first) < 1e-12, "{:e}", distance(&momenta(&end), &first));
    let end = advance(&system, &RotationPenaltyEuler::default(), &tumbling(), 0.05, 2000);
    assert!(distance(&momenta(&end), &first) < 1e-12, "{:e}", distance(&momenta(&end), &first));
}

#[test]
fn the_stability_limit_is_where_it_is_said_to_be() {
    let body = Magnet { moment: 1.0 }.bind().unwrap();
    let system = PenalizedRotation::new(&body, 10.0).unwrap();
    let largest = |h: f64| {
        let mut stepper = RotationPenalty { beta: 0.4 }.start(&system, start(), h).unwrap();
        let mut largest = 0.0_f64;
        for _ in 0..5000 {
            if stepper.step().is_err() {
                return f64::INFINITY;
            }
            largest = largest.max(stretch(&stepper.state().q));
        }
        largest
    };
    assert!(largest(0.1) < 0.1, "{}", largest(0.1));
    assert!(largest(0.14) > 1.0, "{}", largest(0.14));
}

#[test]
fn starts_that_are_no_rotations_are_refused_with_the_entry_and_its_interval() {
    let body = Magnet { moment: 1.0 }.bind().unwrap();
    let refused = |state: State| RotationCayley.start(&body, state, 0.1).err().unwrap().to_string();
    let mut state = start();
    state.q[4] = 1.01;
    assert_eq!(
        refused(state.clone()),
        "`r` does not start as a rotation that turns: entry (1, 1) of rᵀ r − 1 is 2.010e-2, outside [-1e-9, 1e-9]; \
         project the start onto the rotations first, or correct it"
    );
    let mut reflected = State::at_rest(identity());
    reflected.q[0] = -1.0;
    assert!(refused(reflected).contains("the determinant, of a reflection, is -1.000e0, outside (0, ∞)"));
    let mut stretching = start();
    stretching.v[8] = 0.25;
    assert!(
        refused(stretching).contains("entry (2, 2) of the rate of rᵀ r is 5.000e-1, outside [-1e-9, 1e-9]")
    );
    assert!(refused(State::at_rest(vec![f64::NAN; 9])).contains("every entry must be finite"));
    assert!(RotationCayley.start(&body, start(), 0.0).is_err());

    // A penalty may start where one has stretched it, but not beyond doubt about the rotation.
    let system = PenalizedRotation::new(&body, 10.0).unwrap();
    assert!(RotationPenalty::default().start(&system, state, 0.1).is_ok());
    let far = State::at_rest(scaled(1.3, &identity()));
    let refused = RotationPenalty::default().start(&system, far, 0.1).err().unwrap();
    assert!(refused.to_string().contains("is 6.900e-1, outside [-0.5, 0.5]"), "{refused}");
}

/// Two points in the plane.
struct Plane {}

#[lagrangian]
impl Plane {
    fn lagrangian(&self, p: [Vec2; 2]) -> Scalar {
        sum(0..2, |i| 0.5 * der(p[i]).norm_squared() - p[i].y)
    }
}

/// A matrix whose rows have different masses.
struct Rows {}

#[lagrangian]
impl Rows {
    fn lagrangian(&self, r: Mat3) -> Scalar {
        0.5 * der(r).norm_squared() + der(r[(1, 1)]).powi(2) - r[(2, 2)]
    }
}

/// A constraint that rotations do not satisfy.
struct Stretched {}

#[lagrangian]
impl Stretched {
    fn lagrangian(&self, r: Mat3) -> Scalar {
        0.25 * der(r).norm_squared() - r[(2, 2)]
    }

    #[holonomic]
    fn length(&self, r: Mat3) -> Scalar {
        r.norm_squared() - 4.0
    }
}

#[test]
fn systems_that_are_no_bodies_and_options_out_of_range_are_refused() {
    let said = |refused: StartError| refused.to_string();
    let plane = Plane {}.bind().unwrap();
    let refused = RotationCayley.start(&plane, State::at_rest(vec![0.0; 4]), 0.1).err().unwrap();
    assert_eq!(
        said(refused),
        "so3-cayley integrates rigid bodies by their rotation matrices, each a coordinate `r: Mat3` with the kinetic energy \
         ½ tr(Ṙ D Ṙᵀ), and `Plane` does not fit: it takes one matrix alone, and the coordinates are `p: Vec2`"
    );
    let rows = Rows {}.bind().unwrap();
    let refused = said(RotationCayley.start(&rows, start(), 0.1).err().unwrap());
    assert!(refused.contains("`r[(1, 1)]` and `r[(1, 1)]` by 3, which is 1"), "{refused}");
    let stretched = Stretched {}.bind().unwrap();
    let refused = said(PenalizedRotation::new(&stretched, 10.0).err().unwrap());
    assert!(refused.contains("its constraint `length` is -1.000e0 at a rotation"), "{refused}");

    let body = Magnet { moment: 1.0 }.bind().unwrap();
    let refused = said(PenalizedRotation::new(&body, -1.0).err().unwrap());
    assert_eq!(refused, "so3-penalty: omega = -1 is outside (0, ∞)");
    let system = PenalizedRotation::new(&body, 10.0).unwrap();
    let refused = said(RotationPenalty { beta: -0.1 }.start(&system, start(), 0.1).err().unwrap());
    assert_eq!(refused, "so3-penalty: beta = -0.1 is outside [0, ∞)");
}

/// A potential that ends at R₃₃ = 0.
struct Cliff {}

#[lagrangian]
impl Cliff {
    fn lagrangian(&self, r: Mat3) -> Scalar {
        0.25 * der(r).norm_squared() - r[(2, 2)].sqrt()
    }
}

/// Steps until one fails, and checks that the last good state has stayed.
fn last_good<S: ?Sized, M: Method<S>>(system: &S, method: &M, state: State, step: f64) -> (u64, String) {
    let mut stepper = method.start(system, state, step).unwrap();
    for _ in 0..100_000 {
        let before = stepper.state().clone();
        let steps = stepper.steps();
        if let Err(error) = stepper.step() {
            assert_eq!((stepper.state(), stepper.steps()), (&before, steps));
            assert!(before.q.iter().chain(&before.v).all(|value| value.is_finite()));
            // As text, where NaN equals itself.
            let again = stepper.step().unwrap_err().to_string();
            assert_eq!(again, error.to_string(), "it fails again in the same way");
            return (steps + 1, error.to_string());
        }
    }
    panic!("{} goes on", M::NAME);
}

#[test]
fn a_step_that_fails_keeps_the_state_and_says_where() {
    let cliff = Cliff {}.bind().unwrap();
    let (step, error) = last_good(&cliff, &RotationCayley, start(), 0.05);
    assert!(
        error.starts_with(&format!("so3-cayley: `r[(2, 2)]` is not finite in step {step} (from t =")),
        "{error}"
    );
    let system = PenalizedRotation::new(&cliff, 10.0).unwrap();
    let (step, error) = last_good(&system, &RotationPenaltyEuler::default(), start(), 0.05);
    assert!(error.starts_with("zhang-skeel-euler: ") && error.contains(&format!("step {step} ")), "{error}");
}
