//! Forces that no potential gives, in RATTLE and SHAKE: of positions, and of velocities by half-implicit
//! kicks.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use least_action::advanced::method::Substep;
use least_action::advanced::wrap::Penalized;
use least_action::method::{
    Composition, Langevin, Method, Rattle, Reference, Shake, Stepper, Symmetric, Verlet,
};
use least_action::prelude::*;
use least_action::system::{Constrained, State};
use serde_json::Value;
use test_support::reference::{numbers, read};
use test_support::structure::{advance, distance, order_by_slope, state_distance};

/// Points on the unit sphere that repel each other by ln|p − q|, in a medium.
struct Fekete {
    points: usize,
    drag: f64,
}

#[lagrangian]
impl Fekete {
    fn lagrangian(&self, p: [Vec3; self.points]) -> Scalar {
        let kinetic = sum(p.iter(), |p| 0.5 * der(*p).norm_squared());
        kinetic + sum(pairs(self.points), |(i, j)| (p[i] - p[j]).norm().ln())
    }

    #[holonomic]
    fn sphere(&self, p: [Vec3; self.points]) -> [Scalar; self.points] {
        each(0..self.points, |i| p[i].norm_squared() - 1.0)
    }

    #[force]
    fn medium(&self, p: [Vec3; self.points]) -> [Vec3; self.points] {
        each(0..self.points, |i| -self.drag * der(p[i]))
    }
}

/// A hanging chain with drag that grows with the square of the speed, a magnetic force, and a drive.
struct Chain {
    links: usize,
    drag: f64,
    field: f64,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(bobs.iter(), |bob| 0.5 * der(*bob).norm_squared() - bob.y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - 1.0
        })
    }

    #[force]
    fn air(&self, bobs: [Vec2; self.links], t: Time) -> [Vec2; self.links] {
        each(0..self.links, |i| {
            let v = der(bobs[i]);
            // The square of the speed, smoothed at rest, so that all orders are reached.
            let speed = (v.norm_squared() + 0.01).sqrt();
            -self.drag * speed * v + self.field * vec2(v.y, -v.x) + vec2(0.2 * t.sin(), 0.0)
        })
    }
}

/// The same chain with dampers between neighbours, which couple all velocities.
struct Dampers {
    links: usize,
    between: f64,
    /// How fast they grow with the square of the speed.
    growth: f64,
}

#[lagrangian]
impl Dampers {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(bobs.iter(), |bob| 0.5 * der(*bob).norm_squared() - bob.y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - 1.0
        })
    }

    #[force]
    fn dampers(&self, bobs: [Vec2; self.links]) -> [Vec2; self.links] {
        each(0..self.links, |i| {
            let up = if i > 0 { der(bobs[i]) - der(bobs[i - 1]) } else { 1.0 * der(bobs[i]) };
            let down = if i + 1 < self.links { der(bobs[i]) - der(bobs[i + 1]) } else { 0.0 * der(bobs[i]) };
            let of = |apart: Vec2| (1.0 + self.growth * apart.norm_squared()) * apart;
            -self.between * (of(up) + of(down))
        })
    }
}

/// The same with dampers that do not grow, and with a friction that is one number at all speeds but the
/// smallest.
struct Linear {
    links: usize,
    between: f64,
    friction: Option<f64>,
}

#[lagrangian]
impl Linear {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(bobs.iter(), |bob| 0.5 * der(*bob).norm_squared() - bob.y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - 1.0
        })
    }

    #[dissipation]
    fn dampers(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(1..self.links, |i| 0.5 * self.between * (der(bobs[i]) - der(bobs[i - 1])).norm_squared())
            + 0.5 * self.between * der(bobs[0]).norm_squared()
    }

    #[force]
    fn rubbing(&self, bobs: [Vec2; self.links]) -> [Vec2; self.links] {
        each(0..self.links, |i| match self.friction {
            Some(friction) => -friction * (100.0 * der(bobs[i]).x).tanh() * vec2(1.0, 0.0),
            None => vec2(0.0, 0.0),
        })
    }
}

/// A chain of unequal bobs in thin air, of which one moves in honey.
struct Uneven {
    links: usize,
    air: f64,
    honey: f64,
}

#[lagrangian]
impl Uneven {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(0..self.links, |i| {
            let mass = 1.0 + 0.5 * i as f64;
            0.5 * mass * der(bobs[i]).norm_squared() - mass * bobs[i].y
        })
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - 1.0
        })
    }

    #[force]
    fn drag(&self, bobs: [Vec2; self.links]) -> [Vec2; self.links] {
        each(0..self.links, |i| {
            let v = der(bobs[i]);
            -(if i == 1 { self.honey } else { self.air }) * (1.0 + 0.1 * v.norm_squared()) * v
        })
    }
}

/// A chain whose last bob a follower load drives: no force depends on velocities.
struct Follower {
    links: usize,
    load: f64,
}

#[lagrangian]
impl Follower {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(bobs.iter(), |bob| 0.5 * der(*bob).norm_squared() - bob.y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - 1.0
        })
    }

    #[force]
    fn follow(&self, bobs: [Vec2; self.links], t: Time) -> [Vec2; self.links] {
        each(0..self.links, |i| {
            let link = if i > 0 { bobs[i] - bobs[i - 1] } else { 1.0 * bobs[i] };
            let load = if i + 1 == self.links { self.load } else { 0.0 };
            load * (1.0 + 0.5 * t.cos()) * vec2(-link.y, link.x)
        })
    }
}

/// A hanging chain that has been turned aside, with velocities along the constraints.
fn aside(links: usize) -> State {
    let (mut q, mut v, mut at, mut moving) = (Vec::new(), Vec::new(), [0.0; 2], [0.0; 2]);
    for i in 0..links {
        let (angle, rate) = (0.6 + 0.5 * (i as f64).cos(), 0.8 - 0.3 * i as f64);
        at = [at[0] + f64::sin(angle), at[1] - f64::cos(angle)];
        moving = [moving[0] + rate * f64::cos(angle), moving[1] + rate * f64::sin(angle)];
        q.extend(at);
        v.extend(moving);
    }
    State::new(q, v)
}

type Object = dyn Constrained + 'static;

/// The systems with forces of velocities in blocks and across them, with forces of positions, and their
/// start.
fn chains() -> (Vec<Box<Object>>, State) {
    let links = 4;
    let systems: Vec<Box<Object>> = vec![
        Box::new(Chain { links, drag: 0.3, field: 0.7 }.bind().unwrap()),
        Box::new(Dampers { links, between: 0.4, growth: 1.0 }.bind().unwrap()),
        Box::new(Uneven { links, air: 0.01, honey: 5.0 }.bind().unwrap()),
        Box::new(Follower { links, load: 0.6 }.bind().unwrap()),
    ];
    (systems, aside(links))
}

fn fekete(name: &str) -> (Value, impl Constrained, State) {
    let data = read("variational.json")["kick_engines"][name].clone();
    let points: Vec<f64> = data["start"].as_array().unwrap().iter().flat_map(numbers).collect();
    let system = Fekete { points: 20, drag: data["alpha"].as_f64().unwrap() }.bind().unwrap();
    (data, system, State::at_rest(points))
}

fn near(found: &[f64], known: &Value, tolerance: f64, what: &str) {
    let error = distance(found, &numbers(known));
    assert!(error < tolerance, "{what}: {error:e}");
}

fn check_first_steps(name: &str) {
    let (data, system, start) = fekete(name);
    let (known, h) = (&data["one_step"], data["h"].as_f64().unwrap());
    let mut stepper = Rattle::default().start(&system, start, h).unwrap();
    stepper.step().unwrap();
    let State { q, v, .. } = stepper.state();
    near(&q[..3], &known["first_point"], 1e-12, "first point");
    near(&v[..3], &known["first_velocity"], 1e-12, "first velocity");
    near(&q[57..], &known["last_point"], 1e-12, "last point");
    near(&v[57..], &known["last_velocity"], 1e-12, "last velocity");
    let potential = |stepper: &dyn Stepper| system.potential(&stepper.state().q, 0.0);
    assert!((potential(&stepper) / known["V"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    stepper.step().unwrap();
    stepper.step().unwrap();
    assert!((potential(&stepper) / known["V_after_3"].as_f64().unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn first_steps_on_the_sphere_are_those_of_an_independent_implementation() {
    check_first_steps("fekete_damped");
    check_first_steps("fekete_free");
}

#[test]
fn points_on_the_sphere_come_to_rest_where_they_are_known_to() {
    let (data, system, start) = fekete("fekete_damped");
    let (known, h) = (&data["at_1000_h_0_05"], data["h"].as_f64().unwrap());
    let mut stepper = Rattle::default().start(&system, start, h).unwrap();
    for _ in 0..20_000 {
        stepper.step().unwrap();
    }
    let q = &stepper.state().q;
    let exact = known["exact_V"].as_f64().unwrap();
    assert!((system.potential(q, 0.0) / exact - 1.0).abs() < 1e-12);
    let multipliers = stepper.multipliers().unwrap();
    assert!(multipliers.iter().all(|lambda| (lambda + 4.75).abs() < 1e-12), "{multipliers:?}");
    let points = q.as_chunks::<3>().0;
    let apart = |a: &[f64; 3], b: &[f64; 3]| distance_of(a, b);
    let smallest = points
        .iter()
        .enumerate()
        .flat_map(|(i, a)| points[..i].iter().map(move |b| apart(a, b)))
        .fold(f64::INFINITY, f64::min);
    assert!((smallest - known["smallest_distance"].as_f64().unwrap()).abs() < 1e-12, "{smallest}");
}

fn distance_of(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// The positions, velocities and multipliers at the time 1.
fn at_one<M: Method<Object>>(system: &Object, method: &M, start: &State, steps: u64) -> (State, Vec<f64>) {
    let mut stepper = method.start(system, start.clone(), 1.0 / steps as f64).unwrap();
    for _ in 0..steps {
        stepper.step().unwrap();
    }
    (stepper.state().clone(), stepper.multipliers().unwrap().to_vec())
}

fn check_order<M: Method<Object>>(system: &Object, method: &M, start: &State, steps: &[u64]) {
    let mut exact =
        Reference { tolerance: 1e-13 }.start(system.mechanics().unwrap(), start.clone(), 1.0).unwrap();
    exact.step().unwrap();
    let multipliers = exact.multipliers().unwrap().to_vec();
    let claimed = f64::from(method.order());
    let of_state =
        order_by_slope(steps, |n| state_distance(&at_one(system, method, start, n).0, exact.state()));
    let of_multipliers =
        order_by_slope(steps, |n| distance(&at_one(system, method, start, n).1, &multipliers));
    println!("{} {} {}: {of_state:.3} {of_multipliers:.3}", system.name(), M::NAME, method.order());
    // At order 6 the multipliers reach the accuracy of the known ones.
    for slope in [of_state].into_iter().chain((claimed < 6.0).then_some(of_multipliers)) {
        assert!((slope - claimed).abs() < 0.2, "{} {} {claimed}: {slope}", system.name(), M::NAME);
    }
}

#[test]
fn positions_velocities_and_multipliers_have_the_claimed_order() {
    let (systems, start) = chains();
    for system in &systems {
        check_order(&**system, &Rattle::default(), &start, &[100, 200, 400]);
        check_order(&**system, &Shake::default(), &start, &[200, 400, 800]);
        check_order(&**system, &Composition::of(Rattle::default(), 4), &start, &[60, 120]);
        check_order(&**system, &Composition::of(Rattle::default(), 6), &start, &[28, 40]);
    }
}

#[test]
fn a_step_back_undoes_a_step_and_constraints_hold() {
    let (systems, start) = chains();
    for system in &systems {
        let h = 0.05;
        let mut run = Rattle::default().start_parts(&**system, start.clone(), h).unwrap();
        run.advance(&Substep { number: 1, size: h, end: h }).unwrap();
        assert!(state_distance(run.state(), &start) > 1e-2, "it moves");
        let mut values = vec![0.0; system.constraints()];
        system.constraint_values(&run.state().q, h, &mut values);
        assert!(values.iter().all(|value| value.abs() < 5e-14), "{values:?}");
        run.advance(&Substep { number: 2, size: -h, end: 0.0 }).unwrap();
        let defect = state_distance(run.state(), &start);
        assert!(defect < 2e-14, "{}: {defect:e}", system.name());
    }
}

#[test]
fn positions_of_shake_are_those_of_rattle() {
    let (systems, start) = chains();
    for system in &systems {
        let of_rattle = advance(&**system, &Rattle::default(), &start, 0.02, 100);
        let of_shake = advance(&**system, &Shake::default(), &start, 0.02, 100);
        let apart = distance(&of_rattle.q, &of_shake.q);
        assert!(apart < 1e-11, "{}: {apart:e}", system.name());
        assert!(distance(&of_rattle.v, &of_shake.v) < 0.01);
    }
}

#[test]
fn a_run_goes_on_to_the_same_bits_from_any_of_its_states() {
    let (systems, start) = chains();
    for system in &systems {
        let mut whole = Rattle::default().start(&**system, start.clone(), 0.02).unwrap();
        let mut halves = Rattle::default().start(&**system, start.clone(), 0.02).unwrap();
        for k in 0..60 {
            whole.step().unwrap();
            halves.step().unwrap();
            if k % 7 == 3 {
                let state = halves.state().clone();
                assert!(halves.go_on_from(&state));
            }
        }
        assert_eq!(whole.state(), halves.state(), "{}", system.name());
        assert_eq!(whole.multipliers(), halves.multipliers(), "{}", system.name());
    }
}

/// The energy of a chain in drag falls, at long steps too, until it hangs; then it stays.
#[test]
fn strong_drag_brings_a_chain_to_rest() {
    let links = 4;
    let start = aside(links);
    for between in [1.0, 100.0] {
        let system = Dampers { links, between, growth: 1.0 }.bind().unwrap();
        let object: &Object = &system;
        let energy =
            |state: &State| 0.5 * system.mass().quadratic(&state.v) + system.potential(&state.q, 0.0);
        let end = advance(object, &Rattle::default(), &start, 0.05, 400);
        assert!(energy(&end) < energy(&start));
        assert!(between > 1.0 || (energy(&end) + 10.0).abs() < 0.5, "{}", energy(&end));
    }
}

/// Where drag changes velocities little in a step, the factors of the chain without it serve; the steps
/// equal Newton's, which stronger drag needs.
#[test]
fn weak_drag_factors_nothing_of_its_own() {
    let start = aside(4);
    let factorizations = |air: f64, honey: f64| {
        let system = Uneven { links: 4, air, honey }.bind().unwrap();
        let object: &Object = &system;
        let mut run = Rattle::default().start(object, start.clone(), 0.02).unwrap();
        let before = run.report().evaluations.factorizations;
        for _ in 0..100 {
            run.step().unwrap();
        }
        run.report().evaluations.factorizations - before
    };
    assert_eq!(factorizations(0.01, 0.1), 100);
    assert!(factorizations(0.01, 50.0) >= 200, "strong drag has a matrix of its own");
}

/// Where dampers are linear and strong, each step factors their matrix at once, and looks at nothing
/// twice: g at the guess, and with G at its end.
#[test]
fn strong_linear_dampers_take_one_factorization() {
    let start = aside(40);
    let run = |object: &Object| {
        let mut run = Rattle::default().start(object, start.clone(), 2e-4).unwrap();
        let before = run.report().evaluations;
        for _ in 0..100 {
            run.step().unwrap();
        }
        let after = run.report().evaluations;
        let counts = [after.factorizations - before.factorizations, after.constraints - before.constraints];
        (run.state().clone(), counts)
    };
    let linear = Linear { links: 40, between: 50.0, friction: None }.bind().unwrap();
    let nearly = Dampers { links: 40, between: 50.0, growth: 1e-13 }.bind().unwrap();
    let ((linear, [factorizations, constraints]), (nearly, _)) = (run(&linear), run(&nearly));
    assert!(state_distance(&linear, &nearly) < 1e-9, "{linear:?} {nearly:?}");
    assert_eq!(factorizations, 200);
    assert!(constraints <= 350, "{constraints} evaluations of g");
}

/// The declaration makes a force linear, and no sample of velocities does: saturated friction has no
/// slope.
#[test]
fn linear_forces_are_told_by_their_declaration() {
    let is_linear = |object: &Object| object.forced().unwrap().force_is_linear();
    assert!(is_linear(&Linear { links: 3, between: 1.0, friction: None }.bind().unwrap()));
    assert!(!is_linear(&Linear { links: 3, between: 1.0, friction: Some(1.0) }.bind().unwrap()));
    assert!(!is_linear(&Dampers { links: 3, between: 1.0, growth: 0.0 }.bind().unwrap()));
}

/// The equations of a step, evaluated by themselves, for drag that is followed by sweeps, by Newton's
/// method, and by one after the other.
#[test]
fn steps_solve_their_equations_to_rounding() {
    let h = 0.02;
    for honey in [0.01, 0.1, 1.0, 4.0, 10.0, 100.0] {
        let system = Uneven { links: 4, air: 0.01, honey }.bind().unwrap();
        let (forced, object): (_, &Object) = (system.forced().unwrap(), &system);
        let mut run = Rattle::default().start(object, aside(4), h).unwrap();
        let mut worst = 0.0_f64;
        for _ in 0..50 {
            let State { t, q, v } = run.state().clone();
            run.step().unwrap();
            // M (u − v) − ½ h (−∇V + F(q, u)) is a force of the constraints: no part of it is along
            // them.
            let u: Vec<f64> = run.state().q.iter().zip(&q).map(|(new, old)| (new - old) / h).collect();
            let mut kick = vec![0.0; u.len()];
            system.potential_gradient(&q, t, &mut kick);
            kick.iter_mut().for_each(|entry| *entry = -*entry);
            forced.add_force(&q, &u, t, &mut kick);
            let mut rest = vec![0.0; u.len()];
            let change: Vec<f64> = u.iter().zip(&v).map(|(u, v)| u - v).collect();
            system.mass().multiply(&change, &mut rest);
            rest.iter_mut().zip(&kick).for_each(|(rest, kick)| *rest -= 0.5 * h * kick);
            let along = tangential(&system.jacobian_matrix(&q, t).dense(), &rest);
            // Positions of this size are rounded, and u is their difference over h; strong drag enlarges
            // that.
            let rounding = 4.0 * f64::EPSILON / h * (3.0 + 0.5 * h * 2.0 * honey);
            worst = worst.max(along / rounding);
        }
        println!("{honey}: {worst:.2} of what rounding allows");
        assert!(worst < 1.0, "{honey}: {worst}");
    }
}

/// The largest entry of a vector without its part in the span of the rows.
fn tangential(rows: &least_action::nalgebra::DMatrix<f64>, vector: &[f64]) -> f64 {
    let vector = least_action::nalgebra::DVector::from_column_slice(vector);
    let gram = rows * rows.transpose();
    let part = gram.cholesky().unwrap().solve(&(rows * &vector));
    (vector - rows.transpose() * part).amax()
}

#[test]
fn a_thermostat_is_built_around_them() {
    let (systems, start) = chains();
    let warm =
        Langevin { friction: 0.3, inverse_temperature: 2.0, seed: 5, ..Langevin::around(Rattle::default()) };
    for system in &systems {
        let mut stepper = warm.start(&**system, start.clone(), 0.02).unwrap();
        for _ in 0..50 {
            stepper.step().unwrap();
        }
        let mut rates = vec![0.0; system.constraints()];
        let State { q, v, .. } = stepper.state();
        system.jacobian_pattern().multiply_add(&system.jacobian_matrix(q, 0.0).values, v, &mut rates);
        assert!(rates.iter().all(|rate| rate.abs() < 1e-12), "{}: {rates:?}", system.name());
    }
}

#[test]
fn a_penalty_carries_the_forces() {
    let system = Chain { links: 3, drag: 0.3, field: 0.7 }.bind().unwrap();
    let start = aside(3);
    let held = advance(&system, &Rattle::default(), &start, 1e-3, 1000);
    let penalized = Penalized::new(&system, 300.0).unwrap();
    let soft = advance(&penalized, &Verlet, &start, 1e-4, 10_000);
    assert!(distance(&held.q, &soft.q) < 0.02, "{:e}", distance(&held.q, &soft.q));
    let free = Chain { links: 3, drag: 0.0, field: 0.0 }.bind().unwrap();
    assert!(distance(&held.q, &advance(&free, &Rattle::default(), &start, 1e-3, 1000).q) > 0.1);
}
