//! Conserved quantities of the variational integrators under constraints: the symplectic form, momenta,
//! balances, closed forms; limits of a step.

use super::measure::size;
use super::problems::{Problem, bound, problem};
use least_action::lagrangian;
use least_action::method::stability::Cause;
use least_action::method::{
    Composition, Instability, Method, Stepper, VariationalEuler, VariationalMidpoint, VariationalTrapezoid,
};
use least_action::system::{Lagrangian, State};
use std::f64::consts::PI;
use test_support::linkage::Linkage;
use test_support::reference::numbers;
use test_support::structure::{advance, distance, order_by_slope, state_distance};

fn momentum(system: &dyn Lagrangian, State { t, q, v }: &State) -> Vec<f64> {
    let mut gradient = vec![0.0; 2 * q.len() + 1];
    system.first_derivatives(q, v, *t, &mut gradient);
    gradient[q.len()..2 * q.len()].to_vec()
}

struct Phase {
    q: Vec<f64>,
    p: Vec<f64>,
}

/// dp∧dq of two families of states of the slider–crank, which has one degree of freedom: a curve of
/// starts by the crank's angle, another by its speed; before and after a step.
fn area<M: Method<dyn Lagrangian>>(problem: &Problem, method: &M, steps: u64) -> f64 {
    let rods =
        [problem.data["parameters"][3].as_f64().unwrap(), problem.data["parameters"][4].as_f64().unwrap()];
    let state = |angle: f64, speed: f64| {
        let other = -(rods[0] / rods[1] * angle.sin()).asin();
        let ratio = -rods[0] * angle.cos() / (rods[1] * other.cos());
        State::new(vec![angle, other], vec![speed, ratio * speed])
    };
    let image = |angle: f64, speed: f64| {
        let end = advance(&*problem.system, method, &state(angle, speed), 0.02, steps);
        let p = momentum(&*problem.system, &end);
        Phase { q: end.q, p }
    };
    let width = 1e-3;
    let difference = |along: [f64; 2]| {
        let at = |k: f64| image(0.4 + k * width * along[0], 0.9 + k * width * along[1]);
        let (near, far) = ([at(1.0), at(-1.0)], [at(2.0), at(-2.0)]);
        let difference = |select: &dyn Fn(&Phase) -> f64| {
            (8.0 * (select(&near[0]) - select(&near[1])) - (select(&far[0]) - select(&far[1])))
                / (12.0 * width)
        };
        [0, 1].map(|i| (difference(&|state| state.q[i]), difference(&|state| state.p[i])))
    };
    let (a, b) = (difference([1.0, 0.0]), difference([0.0, 1.0]));
    (0..2).map(|i| a[i].0 * b[i].1 - b[i].0 * a[i].1).sum()
}

#[test]
fn one_step_is_a_symplectic_map_on_the_constraints() {
    let mut free = problem("slider_crank_motor");
    let parameters = numbers(&free.data["parameters"]);
    let unforced = [&parameters[..6], &[0.0, 0.0, 0.0, 1.0]].concat();
    free.system = super::problems::declared("slider_crank_motor", &unforced);
    let check = |problem: &Problem, found: [f64; 2], name: &str, symplectic: bool| {
        let defect = (found[1] / found[0] - 1.0).abs();
        assert_eq!(defect < 1e-9, symplectic, "{name}: {defect:e} of {}", size(&found));
        assert!(problem.start.q.len() == 2);
    };
    let both = |method: &VariationalMidpoint, problem: &Problem| {
        [area(problem, method, 0), area(problem, method, 1)]
    };
    check(&free, both(&VariationalMidpoint::default(), &free), "midpoint", true);
    let trapezoid = VariationalTrapezoid::default();
    check(&free, [area(&free, &trapezoid, 0), area(&free, &trapezoid, 1)], "trapezoid", true);
    let euler = VariationalEuler::default();
    check(&free, [area(&free, &euler, 0), area(&free, &euler, 1)], "euler", true);
    // The measurement sees drag.
    let damped = problem("slider_crank_motor");
    check(&damped, both(&VariationalMidpoint::default(), &damped), "midpoint with drag", false);
}

/// J = m (x ẏ − y ẋ) + ½ (B₀ + B₁ z)(x² + y²) of the charge in a field about the axis.
#[test]
fn a_momentum_in_a_magnetic_field_is_kept_on_the_constraints() {
    let problem = problem("magnetic_sphere_symmetric");
    let turn = |state: &State| {
        let p = momentum(&*problem.system, state);
        state.q[0] * p[1] - state.q[1] * p[0]
    };
    let check = |state: State, name: &str| {
        let change = (turn(&state) - turn(&problem.start)).abs();
        assert!(change < 3e-13, "{name}: {change:e}");
    };
    check(advance(&*problem.system, &VariationalEuler::default(), &problem.start, 0.02, 1000), "euler");
    check(advance(&*problem.system, &VariationalMidpoint::default(), &problem.start, 0.05, 1000), "midpoint");
    check(
        advance(&*problem.system, &VariationalTrapezoid::default(), &problem.start, 0.05, 1000),
        "trapezoid",
    );
}

/// E changes by F·v − λ ∂g/∂t, to order 2: the rod of a pendulum that swings its length, with drag.
#[test]
fn the_energy_is_balanced_by_the_work_of_forces_and_moving_constraints() {
    let problem = problem("polar_moving_rod");
    let parameters = numbers(&problem.data["parameters"]);
    let [_, _, swing, rate, _, drag] = parameters[..] else { panic!("six parameters") };
    let defect = |steps: u64| {
        let h = 4.0 / steps as f64;
        let mut stepper =
            VariationalMidpoint::default().start(&*problem.system, problem.start.clone(), h).unwrap();
        let push = |stepper: &dyn Stepper| {
            -stepper.multipliers().unwrap()[0] * -swing * rate * (rate * stepper.state().t).cos()
        };
        let (mut work, mut q, mut before) = (0.0, problem.start.q.clone(), push(&stepper));
        for _ in 0..steps {
            stepper.step().unwrap();
            let (now, after) = (&stepper.state().q, push(&stepper));
            let (u, r) = ((now[1] - q[1]) / h, 0.5 * (now[0] + q[0]));
            work += h * (-drag * (r * u).powi(2) + 0.5 * (before + after));
            (q, before) = (now.clone(), after);
        }
        let energy = |state: &State| problem.system.energy(&state.q, &state.v, state.t);
        (energy(stepper.state()) - energy(&problem.start) - work).abs()
    };
    let slope = order_by_slope(&[200, 400, 800], defect);
    assert!((slope - 2.0).abs() < 0.1, "slope {slope}, {:e}", defect(800));
}

/// The heading of the sleigh is φ₀ + (W/σ)(gd(σ t + τ) − gd(τ)), its rate W sech(σ t + τ).
#[test]
fn the_sleigh_turns_as_its_closed_form_says() {
    let problem = problem("chaplygin_sleigh");
    let parameters = numbers(&problem.data["parameters"]);
    let [mass, inertia, ahead] = parameters[..] else { panic!("three parameters") };
    let (forward, turning) = (problem.start.v[0].hypot(problem.start.v[1]), problem.start.v[2]);
    let k = mass * ahead / (inertia + mass * ahead * ahead);
    let speed = (forward * forward + (inertia / mass + ahead * ahead) * turning * turning).sqrt();
    let (largest, sigma, tau) = (speed * (k / ahead).sqrt(), k * speed, (forward / speed).atanh());
    let gudermann = |x: f64| 2.0 * (0.5 * x).tanh().atan();
    let t = 6.0;
    let heading = problem.start.q[2] + largest / sigma * (gudermann(sigma * t + tau) - gudermann(tau));
    let rate = largest / (sigma * t + tau).cosh();
    let method = Composition::of(VariationalMidpoint::default(), 8);
    let end = advance(&*problem.system, &method, &problem.start, 0.05, 120);
    assert!((end.q[2] - heading).abs() < 1e-12, "{} instead of {heading}", end.q[2]);
    assert!((end.v[2] - rate).abs() < 1e-12, "{} instead of {rate}", end.v[2]);
}

/// A run that starts from a state of another continues it to the same bits.
#[test]
fn nothing_but_the_state_enters_a_step() {
    for name in ["fourbar_relative_angles", "polar_moving_rod", "bricard", "snakeboard", "ball_on_turntable"]
    {
        let Problem { system, start, .. } = problem(name);
        let check = |whole: State, half: State, rest: &dyn Fn(&State) -> State| {
            assert_eq!(rest(&half), whole, "{name}");
        };
        let method = VariationalMidpoint::default();
        let run = |start: &State, steps| advance(&*system, &method, start, 0.015_625, steps);
        check(run(&start, 20), run(&start, 8), &|half| run(half, 12));
        let method = Composition::of(VariationalTrapezoid::default(), 4);
        let run = |start: &State, steps| advance(&*system, &method, start, 0.015_625, steps);
        check(run(&start, 20), run(&start, 8), &|half| run(half, 12));
    }
}

/// For a constant mass the trapezoid is RATTLE.
#[test]
fn the_trapezoid_is_rattle_for_a_constant_mass() {
    let (chain, start) = Linkage::paper_chain(6, 1.0);
    let rattle = advance(&chain, &least_action::method::Rattle::default(), &start, 0.05, 20);
    let ours = advance(&chain, &VariationalTrapezoid::default(), &start, 0.05, 20);
    let apart = state_distance(&rattle, &ours);
    assert!(apart < 1e-11, "{apart:e}");
}

/// A step that fails leaves the state, its multipliers, and all that follows as they were.
#[test]
fn a_step_that_fails_leaves_the_state() {
    let Problem { system, start, .. } = problem("fourbar_relative_angles");
    let start_of = |h: f64| VariationalMidpoint::default().start(&*system, start.clone(), h).unwrap();
    let mut stepper = start_of(3.0);
    let (mut before, mut failed) = (stepper.state().clone(), false);
    // Next to a singular position there are none.
    let known = |multipliers: Option<&[f64]>| multipliers.map(<[f64]>::to_vec);
    let mut multipliers = known(stepper.multipliers());
    for _ in 0..200 {
        match stepper.step() {
            Ok(()) => {
                (before, multipliers) = (stepper.state().clone(), known(stepper.multipliers()));
            }
            Err(error) => {
                failed = true;
                assert!(error.to_string().contains("variational-midpoint"), "{error}");
                break;
            }
        }
    }
    assert!(failed, "a step of three seconds is too long");
    assert_eq!(stepper.state(), &before);
    assert_eq!(known(stepper.multipliers()), multipliers);
}

/// The tension of a hanging chain limits both, the potential the trapezoid alone.
#[test]
fn steps_that_are_too_long_under_constraints_are_foreseen() {
    let links = 8_u32;
    let (chain, _) = Linkage::paper_chain(links as usize, 1.0);
    let hang = State::at_rest((1..=links).flat_map(|i| [0.0, -5.0_f64.sqrt() * f64::from(i)]).collect());
    let limit = |said: Option<Instability>| said.map(|said| said.longest);
    let long = 10.0;
    let midpoint = limit(VariationalMidpoint::default().instability(&chain, &hang, long)).unwrap();
    let trapezoid = limit(VariationalTrapezoid::default().instability(&chain, &hang, long)).unwrap();
    let rattle = limit(least_action::method::Rattle::default().instability(&chain, &hang, long)).unwrap();
    assert!(
        (midpoint / rattle - 1.0).abs() < 1e-3 && (trapezoid / rattle - 1.0).abs() < 1e-3,
        "{midpoint} {rattle}"
    );
    assert_eq!(VariationalMidpoint::default().instability(&chain, &hang, 0.97 * rattle), None);
    // It runs below the limit and fails, or moves far, above.
    let moved = |h: f64| {
        let mut pushed = hang.clone();
        pushed.v[2 * links as usize - 2] = 1e-6;
        let mut stepper = VariationalMidpoint::default().start(&chain, pushed, h).unwrap();
        for _ in 0..2000 {
            if stepper.step().is_err() {
                return f64::INFINITY;
            }
        }
        distance(&stepper.state().q, &hang.q)
    };
    assert!(moved(0.97 * midpoint) < 1e-3);
    assert!(moved(1.03 * midpoint) > 1e-2);
}

/// A bead on a circle with a stiff spring across, and a bead in a viscous fluid.
struct Bead {
    stiffness: f64,
    drag: f64,
}

#[lagrangian]
impl Bead {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared() - 0.5 * self.stiffness * p.y.powi(2)
    }

    #[holonomic]
    fn circle(&self, p: Vec2) -> Scalar {
        p.norm_squared() - 1.0
    }

    #[force]
    fn drag(&self, p: Vec2) -> Vec2 {
        -self.drag * der(p)
    }
}

#[test]
fn stiff_potentials_and_drag_are_foreseen_where_they_limit() {
    let start = State::at_rest(vec![1.0, 0.0]);
    let stiff = bound(&Bead { stiffness: 100.0, drag: 0.0 });
    assert_eq!(VariationalMidpoint::default().instability(&stiff, &start, 1.0), None);
    let said = VariationalTrapezoid::default().instability(&stiff, &start, 0.201).unwrap();
    assert!((said.longest - 0.2).abs() < 1e-6, "{said}");
    assert_eq!(VariationalTrapezoid::default().instability(&stiff, &start, 0.199), None);
    let viscous = bound(&Bead { stiffness: 0.0, drag: 10.0 });
    assert_eq!(VariationalMidpoint::default().instability(&viscous, &start, 1.0), None);
    let composed = Composition::of(VariationalMidpoint::default(), 4);
    let said = composed.instability(&viscous, &start, 0.303).unwrap();
    assert!(matches!(said.cause, Cause::Drag { rate, .. } if (rate - 10.0).abs() < 1e-9), "{said}");
    assert_eq!(composed.instability(&viscous, &start, 0.301), None);
    // It is so: a velocity falls below, and grows above, or has no next one.
    let moving = State::new(vec![1.0, 0.0], vec![0.0, 1e-3]);
    let speed = |h: f64| {
        let mut stepper = composed.start(&viscous, moving.clone(), h).unwrap();
        let failed = (0..50).any(|_| stepper.step().is_err());
        if failed { f64::INFINITY } else { size(&stepper.state().v) }
    };
    assert!(speed(0.25) < 1e-6 && speed(0.3045) > 1e-3, "{} {}", speed(0.25), speed(0.3045));
}

/// A top by a unit quaternion, with a singular mass matrix: turning it by its own length costs nothing.
struct Top {
    inertia: [f64; 3],
    weight: f64,
}

#[lagrangian]
impl Top {
    fn lagrangian(&self, w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Scalar {
        let rates = [
            2.0 * (w * der(x) - x * der(w) - y * der(z) + z * der(y)),
            2.0 * (w * der(y) - y * der(w) - z * der(x) + x * der(z)),
            2.0 * (w * der(z) - z * der(w) - x * der(y) + y * der(x)),
        ];
        0.5 * (self.inertia[0] * rates[0].powi(2)
            + self.inertia[1] * rates[1].powi(2)
            + self.inertia[2] * rates[2].powi(2))
            - self.weight * (w.powi(2) - x.powi(2) - y.powi(2) + z.powi(2))
    }

    #[holonomic]
    fn unit(&self, w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Scalar {
        w.powi(2) + x.powi(2) + y.powi(2) + z.powi(2) - 1.0
    }
}

#[test]
fn a_mass_that_is_singular_but_for_the_constraints_is_no_obstacle() {
    let top = bound(&Top { inertia: [1.0, 1.0, 0.5], weight: 1.0 });
    let tilt = PI / 12.0;
    // Spinning at 10 about its own axis: q̇ = ½ q ∘ (0, 0, 10).
    let q = vec![tilt.cos(), tilt.sin(), 0.0, 0.0];
    let v = vec![0.0, 0.0, -5.0 * tilt.sin(), 5.0 * tilt.cos()];
    let start = State::new(q, v);
    let energy = |state: &State| top.energy(&state.q, &state.v, state.t);
    let error = |steps: u64| {
        let end = advance(&top, &VariationalMidpoint::default(), &start, 1.0 / steps as f64, steps);
        let better = advance(&top, &Composition::of(VariationalTrapezoid::default(), 6), &start, 0.01, 100);
        state_distance(&end, &better)
    };
    let order = (error(50) / error(100)).log2();
    assert!((order - 2.0).abs() < 0.1, "order {order}");
    let long = advance(&top, &VariationalTrapezoid::default(), &start, 0.02, 5000);
    let change = (energy(&long) - energy(&start)).abs() / energy(&start);
    assert!(change < 1e-2, "{change:e}");
    assert!((size(&[long.q.iter().map(|x| x * x).sum::<f64>() - 1.0])).abs() < 1e-13);
}
