//! Forces without potential in the methods of constant mass: beside −∇V, or by half-implicit kicks.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use declarations::Sinking;
use least_action::advanced::method::Substep;
use least_action::error::StartError;
use least_action::method::{
    Claims, Composition, EnergyStepping, ForceStepping, ImplicitMidpoint, LaBuddeGreenspan, Langevin, Method,
    Newmark, NewmarkLinearA, NewmarkLinearB, PushForwardNewmark, RotationVerlet, Stepper, Symmetric, Verlet,
    ZhangSkeel, ZhangSkeelEuler, ZhangSkeelSimplified,
};
use least_action::prelude::*;
use least_action::system::{Natural, State};
use serde_json::Value;
use test_support::reference::{numbers, read};
use test_support::structure::{advance, distance, order_by_slope, state_distance};

/// x″ = −x − x³ − c₁ x′ − c₂ |x′| x′.
struct Duffing {
    linear: f64,
    quadratic: f64,
}

#[lagrangian]
impl Duffing {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * x.powi(2) - 0.25 * x.powi(4)
    }

    #[force]
    fn drag(&self, x: Scalar) -> Scalar {
        -self.linear * der(x) - self.quadratic * der(x).abs() * der(x)
    }
}

/// A charge in the plane with a magnetic force, unit charge and mass.
struct Charge {
    field: f64,
}

#[lagrangian]
impl Charge {
    fn lagrangian(&self, q: Vec2) -> Scalar {
        let square = q.norm_squared();
        0.5 * der(q).norm_squared() - 0.5 * square - 0.25 * square.powi(2)
    }

    #[force]
    fn magnetic(&self, q: Vec2) -> Vec2 {
        self.field * vec2(der(q).y, -der(q).x)
    }
}

/// A force of position and time that no potential gives.
struct Nonpotential {
    w: f64,
    k: f64,
}

#[lagrangian]
impl Nonpotential {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        let potential = 0.5 * (self.w * x).powi(2) + 0.25 * x.powi(4) + 0.5 * y.powi(2) + 0.25 * y.powi(4);
        0.5 * (der(x).powi(2) + der(y).powi(2)) - potential
    }

    #[force(x)]
    fn along(&self, x: Scalar, y: Scalar, t: Time) -> Scalar {
        -self.k * y + 0.3 * t.cos() + 0.0 * x
    }

    #[force(y)]
    fn across(&self, x: Scalar, y: Scalar) -> Scalar {
        self.k * x * (1.0 + y.powi(2))
    }
}

/// Coupled masses without potential, with dampers between neighbours and to the ground, of cubic force.
struct Dampers {
    masses: usize,
    between: f64,
    ground: f64,
}

#[lagrangian]
impl Dampers {
    fn lagrangian(&self, x: [Scalar; self.masses]) -> Scalar {
        let own = sum(x.iter(), |x| 0.5 * der(*x).powi(2));
        own + sum(1..self.masses, |i| 0.2 * der(x[i]) * der(x[i - 1]))
    }

    #[force]
    fn dampers(&self, x: [Scalar; self.masses]) -> [Scalar; self.masses] {
        each(0..self.masses, |i| {
            let left = if i > 0 { der(x[i]) - der(x[i - 1]) } else { 0.0 * der(x[i]) };
            let right = if i + 1 < self.masses { der(x[i]) - der(x[i + 1]) } else { 0.0 * der(x[i]) };
            let own = der(x[i]);
            -self.between * (left + left.powi(3) + right + right.powi(3)) - self.ground * (own + own.powi(3))
        })
    }
}

fn duffing(name: &str) -> (Value, impl Natural, State) {
    let data = read("variational.json")["kick_engines"][name].clone();
    let number = |key: &str| data[key].as_f64().unwrap();
    let system = Duffing { linear: number("cl"), quadratic: number("cq") }.bind().unwrap();
    let start = State::new(vec![number("x0")], vec![number("v0")]);
    (data, system, start)
}

fn charge() -> (Value, impl Natural, State) {
    let data = read("variational.json")["kick_engines"]["magnetic_plane"].clone();
    let system = Charge { field: data["B"].as_f64().unwrap() }.bind().unwrap();
    let start = State::new(numbers(&data["q0"]), numbers(&data["v0"]));
    (data, system, start)
}

fn nonpotential() -> (Value, impl Natural, State) {
    let data = read("variational.json")["kick_engines"]["nonpotential_force"].clone();
    let number = |key: &str| data[key].as_f64().unwrap();
    let system = Nonpotential { w: number("w"), k: number("k") }.bind().unwrap();
    (data, system, State::new(vec![0.3, 1.0], vec![0.0, 0.2]))
}

fn dampers() -> (impl Natural, State) {
    let system = Dampers { masses: 6, between: 40.0, ground: 3.0 }.bind().unwrap();
    let v = (0..6).map(|i| 2.0 * (1.7 * f64::from(i) + 0.4).sin()).collect();
    (system, State::new(vec![0.0; 6], v))
}

/// A system whose type says nothing.
type Object = dyn Natural + 'static;

fn joined(state: &State) -> Vec<f64> {
    [&state.q[..], &state.v].concat()
}

fn check_first_step<M: Method<Object>>(method: &M, known: &Value, h: f64, case: (&Object, &State)) {
    let error = distance(&joined(&advance(case.0, method, case.1, h, 1)), &numbers(known));
    assert!(error < 1e-12, "{}: {error:e}", M::NAME);
}

#[test]
fn first_steps_are_those_of_an_independent_implementation() {
    for name in ["duffing_linear_drag", "duffing_quadratic_drag"] {
        let (data, system, start) = duffing(name);
        check_first_step(&Verlet, &data["one_step_forced_trapezoid"], 0.1, (&system, &start));
    }
    let (data, system, start) = charge();
    check_first_step(&Verlet, &data["one_step_forced_trapezoid"], 0.1, (&system, &start));
    let (data, system, start) = nonpotential();
    let (known, h, beta) = (&data["one_step"], data["h"].as_f64().unwrap(), data["beta"].as_f64().unwrap());
    let case: (&Object, _) = (&system, &start);
    check_first_step(&Verlet, &known["verlet"], h, case);
    check_first_step(&Newmark { beta, ..Newmark::default() }, &known["newmark"], h, case);
    check_first_step(&ZhangSkeel { beta }, &known["zhang_skeel"], h, case);
    check_first_step(&ZhangSkeelSimplified { beta }, &known["zhang_skeel_simplified"], h, case);
}

fn check_order<M: Method<Object>>(method: &M, data: &Value, case: (&Object, &State), steps: &[u64]) {
    let (end, time) = (numbers(&data["reference"]), data["T"].as_f64().unwrap());
    let error = |steps| distance(&joined(&advance(case.0, method, case.1, time / steps as f64, steps)), &end);
    let slope = order_by_slope(steps, error);
    println!("{} of order {}: {slope:.3}", M::NAME, method.order());
    assert!(
        (slope - f64::from(method.order())).abs() < 0.15,
        "{} of order {}: {slope}",
        M::NAME,
        method.order()
    );
}

#[test]
fn orders_are_kept_with_forces_of_the_position() {
    let (data, system, start) = nonpotential();
    let case: (&Object, _) = (&system, &start);
    check_order(&Verlet, &data, case, &[200, 400, 800]);
    check_order(&Newmark::default(), &data, case, &[200, 400, 800]);
    check_order(&PushForwardNewmark::default(), &data, case, &[200, 400, 800]);
    check_order(&NewmarkLinearA::default(), &data, case, &[400, 800, 1600]);
    check_order(&NewmarkLinearB::default(), &data, case, &[400, 800, 1600]);
    check_order(&ZhangSkeel::default(), &data, case, &[200, 400, 800]);
    check_order(&ZhangSkeelSimplified::default(), &data, case, &[200, 400, 800]);
    check_order(&ZhangSkeelEuler::default(), &data, case, &[4000, 8000, 16000]);
    check_order(&ImplicitMidpoint::default(), &data, case, &[200, 400, 800]);
    check_order(&Composition::of(Verlet, 4), &data, case, &[100, 200]);
    check_order(&Composition::of(PushForwardNewmark::default(), 4), &data, case, &[200, 400]);
    check_order(&Composition::of(Verlet, 6), &data, case, &[80, 120]);
    check_order(&Composition::of(ImplicitMidpoint::default(), 6), &data, case, &[120, 160]);
}

#[test]
fn orders_are_kept_with_drag_and_magnetic_forces() {
    for name in ["duffing_linear_drag", "duffing_quadratic_drag"] {
        let (data, system, start) = duffing(name);
        let case: (&Object, _) = (&system, &start);
        check_order(&Verlet, &data, case, &[50, 100, 200]);
        let known = &data["errors_forced_trapezoid"];
        for (steps, known) in numbers(&known["steps"]).into_iter().zip(numbers(&known["error"])) {
            let end = advance(case.0, &Verlet, &start, 5.0 / steps, steps as u64);
            let error = distance(&joined(&end), &numbers(&data["reference"]));
            assert!((error / known - 1.0).abs() < 1e-6, "{name}: {error:e} and {known:e}");
        }
    }
    let (data, system, start) = duffing("duffing_linear_drag");
    check_order(&Composition::of(Verlet, 4), &data, (&system, &start), &[100, 200]);
    check_order(&Composition::of(Verlet, 6), &data, (&system, &start), &[60, 80]);
    check_order(&Composition::of(Verlet, 8), &data, (&system, &start), &[25, 30]);
    let (data, system, start) = charge();
    check_order(&Verlet, &data, (&system, &start), &[100, 200, 400]);
    check_order(&Composition::of(Verlet, 4), &data, (&system, &start), &[60, 120]);
}

/// The distance from the start after a step of size h and one of size −h.
fn adjoint_defect<M: Symmetric<Object>>(method: &M, system: &Object, start: &State, h: f64) -> f64 {
    let mut run = method.start_parts(system, start.clone(), h).unwrap();
    run.advance(&Substep { number: 1, size: h, end: start.t + h }).unwrap();
    assert!(state_distance(run.state(), start) > 1e-3, "it moves");
    run.advance(&Substep { number: 2, size: -h, end: start.t }).unwrap();
    state_distance(run.state(), start)
}

#[test]
fn a_step_back_undoes_a_step() {
    let (_, linear, start) = duffing("duffing_linear_drag");
    let (_, quadratic, _) = duffing("duffing_quadratic_drag");
    let (_, charge, charged) = charge();
    let (_, nonpotential, driven) = nonpotential();
    let cases: [(&Object, &State); 4] =
        [(&linear, &start), (&quadratic, &start), (&charge, &charged), (&nonpotential, &driven)];
    for (system, start) in cases {
        let defect = adjoint_defect(&Verlet, system, start, 0.1);
        assert!(defect < 1e-14, "{}: {defect:e}", system.name());
    }
    let of_position = [
        adjoint_defect(&Newmark::default(), &nonpotential, &driven, 0.05),
        adjoint_defect(&PushForwardNewmark::default(), &nonpotential, &driven, 0.05),
        adjoint_defect(&ImplicitMidpoint::default(), &nonpotential, &driven, 0.05),
    ];
    assert!(of_position.iter().all(|defect| *defect < 1e-14), "{of_position:?}");
}

#[test]
fn terminal_velocity_is_kept_for_every_step() {
    let (gravity, drag) = (9.81, 0.5);
    let system = Sinking { drag, gravity }.bind().unwrap();
    for h in [0.01, 1.0, 30.0] {
        let start = State::new(vec![0.0], vec![-gravity / drag]);
        let end = advance(&system, &Verlet, &start, h, 10);
        assert!((end.v[0] * drag / gravity + 1.0).abs() < 1e-14, "h = {h}: {}", end.v[0]);
    }
    let end = advance(&system, &Verlet, &State::at_rest(vec![0.0]), 0.5, 200);
    assert!((end.v[0] * drag / gravity + 1.0).abs() < 1e-14);
}

#[test]
fn nothing_gains_energy_by_a_monotone_drag_whatever_the_step() {
    let (system, start) = dampers();
    for h in [0.01, 0.3, 10.0] {
        let mut stepper = Verlet.start(&system, start.clone(), h).unwrap();
        // ‖u‖_M of the velocities between positions, u = (q₁ − q₀)/h.
        let (mut norm, mut before) = (f64::INFINITY, start.q.clone());
        for _ in 0..50 {
            stepper.step().unwrap();
            let u: Vec<f64> = stepper.state().q.iter().zip(&before).map(|(a, b)| (a - b) / h).collect();
            let new = system.mass().quadratic(&u).sqrt();
            assert!(new <= norm * (1.0 + 1e-12) + 1e-14, "h = {h}: {new} after {norm}");
            (norm, before) = (new, stepper.state().q.clone());
        }
        assert!(norm < 1.0, "it damps: {norm}");
    }
}

/// |amplification| of a free velocity by one step of a composition with the drag −c v.
fn amplification<M: Method<Object>>(method: &M, ch: f64) -> f64 {
    let system = Sinking { drag: 1.0, gravity: 0.0 }.bind().unwrap();
    advance(&system as &Object, method, &State::new(vec![0.0], vec![1.0]), ch, 1).v[0].abs()
}

#[test]
fn compositions_damp_up_to_the_limits_that_are_stated() {
    let of_order = |order: u32, ch: f64| match order {
        4 => amplification(&Composition::of(Verlet, 4), ch),
        6 => amplification(&Composition::of(Verlet, 6), ch),
        _ => amplification(&Composition::of(Verlet, 8), ch),
    };
    for (order, limit, beyond) in [(4, 3.02, 3.03), (6, 2.72, 2.74), (8, 3.299, 3.302)] {
        let damped = (1..=50).map(|k| of_order(order, limit * f64::from(k) / 50.0)).fold(0.0, f64::max);
        assert!(damped < 1.0 && of_order(order, beyond) > 1.0, "order {order}: {damped}");
    }
    assert!((amplification(&Verlet, 0.1) - 0.95 / 1.05).abs() < 1e-15);
    // Beyond them a run is warned of.
    let system = Sinking { drag: 2.0, gravity: 1.0 }.bind().unwrap();
    let start = State::at_rest(vec![0.0]);
    let told = |h: f64| Composition::of(Verlet, 4).instability(&system, &start, h);
    let longest = told(1.6).map(|found| found.longest);
    assert!(longest.is_some_and(|longest| (longest - 1.51).abs() < 0.01), "{longest:?}");
    assert!(told(1.4).is_none() && Verlet.instability(&system, &start, 100.0).is_none());
}

/// |u| between the positions is kept exactly, and the energy oscillates as long as anyone looked.
#[test]
fn a_magnetic_force_is_the_rotation_of_boris() {
    let (data, system, start) = charge();
    let energy =
        |state: &State| 0.5 * state.v.iter().map(|v| v * v).sum::<f64>() + system.potential(&state.q, 0.0);
    let mut stepper = Verlet.start(&system, start.clone(), 0.1).unwrap();
    let mut largest = 0.0_f64;
    for _ in 0..100_000 {
        stepper.step().unwrap();
        largest = largest.max((energy(stepper.state()) - energy(&start)).abs());
    }
    let known = data["max_abs_energy_change_100000_steps_h_0_1"]["forced_trapezoid"].as_f64().unwrap();
    assert!((largest / known - 1.0).abs() < 1e-6, "{largest:e} and {known:e}");
}

fn refusal<M: Method<Object>>(method: &M, system: &Object, start: &State) -> String {
    method
        .start(system, start.clone(), 0.01)
        .err()
        .map_or_else(|| "taken".to_owned(), |error| error.to_string())
}

#[test]
fn what_a_force_cannot_enter_refuses_it() {
    let (_, drag, start) = duffing("duffing_linear_drag");
    let (_, of_position, driven) = nonpotential();
    let told = [
        refusal(&Newmark::default(), &drag, &start),
        refusal(&PushForwardNewmark::default(), &drag, &start),
        refusal(&NewmarkLinearA::default(), &drag, &start),
        refusal(&NewmarkLinearB::default(), &drag, &start),
        refusal(&ZhangSkeel::default(), &drag, &start),
        refusal(&ZhangSkeelSimplified::default(), &drag, &start),
        refusal(&ZhangSkeelEuler::default(), &drag, &start),
        refusal(&ImplicitMidpoint::default(), &drag, &start),
    ];
    for told in told {
        let words = "takes forces of the position and the time alone, and those of `Duffing` depend on the velocity of x";
        assert!(told.contains(words) && told.contains("`Verlet`"), "{told}");
    }
    for told in [
        refusal(&EnergyStepping::default(), &of_position, &driven),
        refusal(&LaBuddeGreenspan::default(), &of_position, &driven),
        refusal(&RotationVerlet, &of_position, &driven),
        refusal(&ForceStepping::with_grid(0.1), &of_position, &driven),
    ] {
        assert!(told.contains("does not include the forces of `Nonpotential`"), "{told}");
    }
}

#[test]
fn a_thermostat_is_built_around_damped_steps() {
    let (_, system, start) = duffing("duffing_linear_drag");
    let plain = advance(&system, &Verlet, &start, 0.1, 20);
    let cold = Langevin { friction: 0.0, ..Langevin::around(Verlet) };
    assert_eq!(joined(&advance(&system, &cold, &start, 0.1, 20)), joined(&plain));
    let warm = Langevin { friction: 0.3, inverse_temperature: 2.0, seed: 5, ..Langevin::around(Verlet) };
    assert!(state_distance(&advance(&system, &warm, &start, 0.1, 20), &plain) > 1e-3);
}

/// A force that only asks whether a velocity is positive depends on it, though no derivative shows it.
struct Ratchet {
    push: f64,
}

#[lagrangian]
impl Ratchet {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2)
    }

    #[force]
    fn push(&self, x: Scalar) -> Scalar {
        if der(x) > 0.0 { self.push + 0.0 * x } else { 2.0 * self.push + 0.0 * x }
    }
}

#[test]
fn a_force_that_asks_for_the_sign_of_a_velocity_depends_on_it() {
    let system = Ratchet { push: 1.0 }.bind().unwrap();
    let backwards = State::new(vec![5.0], vec![-1.0]);
    let end = advance(&system, &Verlet, &backwards, 0.1, 1);
    assert!((end.v[0] + 0.8).abs() < 1e-15, "{}", end.v[0]);
    let error = Newmark::default().start(&system, backwards, 0.1).err();
    assert!(matches!(error, Some(StartError::ForcesOfVelocity { method: Newmark::NAME, .. })), "{error:?}");
}
