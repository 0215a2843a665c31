//! Dependent constraints under RATTLE and SHAKE: the trapezoid with a constant mass, by other matrices.

use super::dependent::{Torn, check_passages_of};
use super::problems::{Fourbars, Platform, bound, problem};
use least_action::error::StartError;
use least_action::method::{
    Langevin, Method, Rattle, Shake, Stepper, VariationalMidpoint, VariationalTrapezoid, project_positions,
    project_velocities,
};
use least_action::system::{Constrained, Holonomic, Lagrangian, State, System};
use least_action::{Bound, Model, lagrangian};
use test_support::reference::{numbers, read};
use test_support::structure::{advance, distance};

fn platform() -> (Bound<Platform>, State) {
    let data = &read("variational.json")["problems"]["parallel_platform_redundant"];
    let start = State::new(numbers(&data["q0"]), numbers(&data["v0"]));
    (bound(&Platform::of(&numbers(&data["parameters"]))), start)
}

/// RATTLE goes with the trapezoid, positions, velocities and the multipliers of least norm.
fn check_beside_the_trapezoid<M: Model>(system: &Bound<M>, start: &State, h: f64, steps: u64)
where
    Bound<M>: Constrained + Lagrangian,
{
    let mut rattle = Rattle::default().start(system, start.clone(), h).unwrap();
    let trapezoid = VariationalTrapezoid::default();
    let mut trapezoid = trapezoid.start(system, start.clone(), h).unwrap();
    assert!(rattle.warning().is_some());
    assert_eq!(rattle.warning(), trapezoid.warning());
    for step in 0..steps {
        rattle.step().unwrap_or_else(|error| panic!("{error}"));
        trapezoid.step().unwrap_or_else(|error| panic!("{error}"));
        let (state, other) = (rattle.state(), trapezoid.state());
        let off = distance(&state.q, &other.q).max(distance(&state.v, &other.v));
        assert!(off < 1e-11, "{} {step}: {off:e}", system.name());
        let (found, known) = (rattle.multipliers().unwrap(), trapezoid.multipliers().unwrap());
        let size = known.iter().fold(1.0_f64, |size, multiplier| size.max(multiplier.abs()));
        assert!(distance(found, known) < 1e-9 * size, "{} {step}: {found:?} {known:?}", system.name());
    }
}

#[test]
fn rattle_goes_with_the_trapezoid() {
    let (system, start) = platform();
    check_beside_the_trapezoid(&system, &start, 0.02, 500);
}

/// Boxes in a chain, of which the last is joined twice.
struct Chain {
    boxes: usize,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, centres: [Vec3; self.boxes], turns: [Mat3; self.boxes]) -> Scalar {
        let sides = mat3([[0.15, 0.0, 0.0], [0.0, 0.06, 0.0], [0.0, 0.0, 0.03]]);
        sum(0..self.boxes, |i| {
            0.5 * der(centres[i]).norm_squared() + 0.5 * (der(turns[i]) * sides).norm_squared()
                - 9.81 * centres[i].z
        })
    }

    #[holonomic]
    fn rotations(&self, turns: [Mat3; self.boxes]) -> [Mat3; self.boxes] {
        each(0..self.boxes, |i| turns[i].transpose() * turns[i] - Mat3::IDENTITY)
    }

    #[holonomic]
    fn joints(&self, centres: [Vec3; self.boxes], turns: [Mat3; self.boxes]) -> [Vec3; self.boxes + 1] {
        let end = |i| centres[i] + turns[i] * vec3(0.25, 0.0, 0.0);
        each(0..=self.boxes, |k| {
            let i = k.min(self.boxes - 1);
            let before = if i == 0 { Vec3::ZERO } else { end(i - 1) };
            centres[i] - turns[i] * vec3(0.25, 0.0, 0.0) - before
        })
    }
}

/// The smallest nonzero eigenvalue of such a chain is near 10⁻⁹: it must not pass for zero.
#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn a_long_chain_with_a_superfluous_joint_moves_as_one_without() {
    let boxes = 3000;
    let system = Chain { boxes }.bind().unwrap();
    let centres = (0..boxes).flat_map(|i| [0.5 * (f64::from(i as u32) + 0.5), 0.0, 0.0]);
    let turns = (0..boxes).flat_map(|_| [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let start = State::at_rest(centres.chain(turns).collect());
    let mut rattle = Rattle::default().start(&system, start.clone(), 1e-3).unwrap();
    let mut trapezoid = VariationalTrapezoid::default().start(&system, start, 1e-3).unwrap();
    let said = trapezoid.warning().unwrap().to_owned();
    let rows = "3 rows say nothing new at the start: `joints[8997]`, `joints[8998]`, `joints[8999]`, `joints[9000]`, `joints[9001]` and `joints[9002]` depend";
    assert!(said.starts_with(rows), "{said}");
    assert_eq!(rattle.warning(), Some(said.as_str()));
    for _ in 0..3 {
        rattle.step().unwrap_or_else(|error| panic!("{error}"));
        trapezoid.step().unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(distance(&rattle.state().q, &trapezoid.state().q) < 1e-9);
}

/// A point on a circle that is stated twice, with a factor that depends on the place.
struct Twice {}

#[lagrangian]
impl Twice {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared() - 9.81 * p.y
    }

    #[holonomic]
    fn circle(&self, p: Vec2) -> Scalar {
        p.norm_squared() - 1.0
    }

    #[holonomic]
    fn again(&self, p: Vec2) -> Scalar {
        (1.0 + 0.5 * p.x.sin()) * (p.norm_squared() - 1.0)
    }
}

/// Rounding of multipliers without meaning must not be seen in the motion.
#[test]
fn rattle_goes_with_the_trapezoid_where_factors_between_rows_change() {
    let system = Twice {}.bind().unwrap();
    check_beside_the_trapezoid(&system, &State::new(vec![1.0, 0.0], vec![0.0, 1.0]), 0.01, 300);
}

/// The platform in a liquid.
struct Wet {
    places: [f64; 3],
    drag: f64,
}

#[lagrangian]
impl Wet {
    fn lagrangian(&self, x: Scalar, y: Scalar, phi: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) + der(y).powi(2)) + 0.1 * der(phi).powi(2) - 9.81 * y
    }

    #[holonomic]
    fn crank(&self, x: Scalar, y: Scalar, phi: Scalar) -> [Scalar; 3] {
        each(0..3, |i| {
            (x + self.places[i] * phi.cos() - self.places[i]).powi(2)
                + (y + self.places[i] * phi.sin()).powi(2)
                - 1.0
        })
    }

    #[dissipation]
    fn liquid(&self, x: Scalar, y: Scalar) -> Scalar {
        0.5 * self.drag * (der(x).powi(2) + der(y).powi(2))
    }
}

#[test]
fn rattle_goes_with_the_trapezoid_under_drag() {
    let system = Wet { places: [0.0, 1.0, 2.0], drag: 0.8 }.bind().unwrap();
    let start = State::new(vec![0.6, -0.8, 0.0], vec![0.8, 0.6, 0.0]);
    check_beside_the_trapezoid(&system, &start, 0.01, 300);
}

/// A closed frame of bars whose masses couple neighbouring joints, with a surplus diagonal.
struct Ladder {
    joints: usize,
}

#[lagrangian]
impl Ladder {
    fn lagrangian(&self, joint: [Vec2; self.joints]) -> Scalar {
        let bars = sum(0..self.joints - 1, |i| {
            let (one, other) = (der(joint[i]), der(joint[i + 1]));
            (one.norm_squared() + one.dot(other) + other.norm_squared()) / 6.0
        });
        bars - sum(0..self.joints, |i| joint[i].y)
    }

    #[holonomic]
    fn bar(&self, joint: [Vec2; self.joints]) -> [Scalar; self.joints - 1] {
        each(0..self.joints - 1, |i| (joint[i + 1] - joint[i]).norm_squared() - 1.0)
    }

    #[holonomic]
    fn hinge(&self, joint: [Vec2; self.joints]) -> Vec2 {
        joint[0]
    }

    /// The bar between the first two joints once more, in another unit.
    #[holonomic]
    fn again(&self, joint: [Vec2; self.joints]) -> Scalar {
        2.0 * (joint[1] - joint[0]).norm_squared() - 2.0
    }
}

#[test]
fn rattle_goes_with_the_trapezoid_where_the_mass_has_no_sparse_inverse() {
    let system = Ladder { joints: 12 }.bind().unwrap();
    let angle = |i: usize| 0.3 * (i as f64).sin() - 0.7;
    let mut q = vec![0.0, 0.0];
    for i in 0..11 {
        let (x, y) = (q[2 * i], q[2 * i + 1]);
        q.extend([x + angle(i).cos(), y + angle(i).sin()]);
    }
    let n = q.len();
    check_beside_the_trapezoid(&system, &State::new(q, vec![0.0; n]), 0.005, 100);
}

/// The multipliers of SHAKE have least norm, too, and its positions equal RATTLE's.
#[test]
fn shake_has_multipliers_of_least_norm() {
    let (system, start) = platform();
    let h = 0.002;
    let mut shake = Shake::default().start(&system, start.clone(), h).unwrap();
    let mut rattle = Rattle::default().start(&system, start, h).unwrap();
    assert!(
        shake.warning().unwrap().starts_with("`crank[0]`, `crank[1]` and `crank[2]` depend on each other")
    );
    for step in 0..2000 {
        shake.step().unwrap_or_else(|error| panic!("{error}"));
        rattle.step().unwrap_or_else(|error| panic!("{error}"));
        assert!(distance(&shake.state().q, &rattle.state().q) < 1e-10, "{step}");
        let (found, known) = (shake.multipliers().unwrap(), rattle.multipliers().unwrap());
        assert!(distance(found, known) < 2e-4, "{step}: {found:?} {known:?}");
    }
}

/// The bars stay parallel where a step ends so near to level bars that the rows hardly hold them.
fn check_near_passages<M: Method<Bound<Fourbars>>>(method: &M) {
    let start = problem("n_fourbar_2").start;
    let system = bound(&Fourbars { tips: 3, gravity: 9.81 });
    let height = |h: f64, steps: u64| {
        let mut stepper = method.start(&system, start.clone(), h).unwrap();
        // At the position itself a step may fail.
        (0..steps).try_for_each(|_| stepper.step()).map_or(0.0, |()| stepper.state().q[1])
    };
    let long = 0.01;
    let steps = (1..200).find(|steps| height(long, *steps) * height(long, steps + 1) < 0.0).unwrap() + 1;
    // The size of the steps with which one ends at the position itself.
    let (mut below, mut above) = (long * (steps - 1) as f64 / steps as f64, long);
    let side = height(below, steps).signum();
    for _ in 0..50 {
        let middle = 0.5 * (below + above);
        *if height(middle, steps) * side > 0.0 { &mut below } else { &mut above } = middle;
    }
    let energy = |state: &State| system.energy(&state.q, &state.v, state.t);
    for aside in [1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7] {
        // The tips pass with some 5 m/s.
        let h = below + aside / (5.0 * steps as f64);
        let end = advance(&system, method, &start, h, steps + 60);
        let apart = (end.q[0] + 1.0 - end.q[2]).abs().max((end.q[1] - end.q[3]).abs());
        assert!(apart < 1e-6, "{}, {aside:e}: {apart:e}", M::NAME);
        let change = (energy(&end) - energy(&start)).abs();
        assert!(change < 0.2, "{}, {aside:e}: {change:e}", M::NAME);
    }
}

#[test]
fn steps_may_end_beside_singular_positions() {
    check_near_passages(&VariationalMidpoint::default());
    check_near_passages(&VariationalTrapezoid::default());
    check_near_passages(&Rattle::default());
}

#[test]
fn singular_positions_are_passed() {
    let system = bound(&Fourbars { tips: 3, gravity: 9.81 });
    check_passages_of(&system, &Rattle::default(), 1000, 0.01, 1e-11);
    check_passages_of(&system, &Shake::default(), 1000, 0.01, 1e-11);
}

#[test]
#[ignore = "long: ten seconds"]
fn singular_positions_are_passed_for_five_hundred_seconds() {
    let system = bound(&Fourbars { tips: 3, gravity: 9.81 });
    for h in [0.01, 0.005] {
        let steps = (500.0 / h) as u64;
        check_passages_of(&system, &Rattle::default(), steps, h, 1e-8);
    }
}

/// A start where the bars are level goes on as its velocity says.
#[test]
fn a_start_at_a_singular_position_goes_on_as_it_moves() {
    let system = bound(&Fourbars { tips: 3, gravity: 9.81 });
    let start = State::new(vec![1.0, 0.0, 2.0, 0.0, 3.0, 0.0], vec![0.0, -1.0, 0.0, -1.0, 0.0, -1.0]);
    let mut rattle = Rattle::default().start(&system, start, 0.005).unwrap();
    assert!(rattle.warning().is_some());
    for _ in 0..100 {
        rattle.step().unwrap_or_else(|error| panic!("{error}"));
    }
    let q = &rattle.state().q;
    assert!(distance(&[q[0] + 1.0, q[1], q[0] + 2.0, q[1]], &q[2..]) < 1e-6, "{q:?}");
    assert!(q[1] < -0.5, "{q:?}");
}

/// Bars in a liquid pass their level positions, too.
struct WetBars {
    drag: f64,
}

#[lagrangian]
impl WetBars {
    fn lagrangian(&self, tip: [Vec2; 3]) -> Scalar {
        0.5 * sum(0..3, |i| der(tip[i]).norm_squared()) - 9.81 * sum(0..3, |i| tip[i].y)
    }

    #[holonomic]
    fn crank(&self, tip: [Vec2; 3]) -> [Scalar; 3] {
        each(0..3, |i| (tip[i] - vec2(i as f64, 0.0)).norm_squared() - 1.0)
    }

    #[holonomic]
    fn coupler(&self, tip: [Vec2; 3]) -> [Scalar; 2] {
        each(0..2, |i| (tip[i + 1] - tip[i]).norm_squared() - 1.0)
    }

    #[dissipation]
    fn liquid(&self, tip: [Vec2; 3]) -> Scalar {
        0.5 * self.drag * sum(0..3, |i| der(tip[i]).norm_squared())
    }
}

#[test]
fn singular_positions_are_passed_under_drag() {
    let system = WetBars { drag: 0.05 }.bind().unwrap();
    for start in [
        State::new(vec![1.0, 0.0, 2.0, 0.0, 3.0, 0.0], vec![0.0, -1.0, 0.0, -1.0, 0.0, -1.0]),
        State::new(vec![0.0, 1.0, 1.0, 1.0, 2.0, 1.0], vec![3.0, 0.0, 3.0, 0.0, 3.0, 0.0]),
    ] {
        let mut rattle = Rattle::default().start(&system, start.clone(), 0.005).unwrap();
        let mut shake = Shake::default().start(&system, start, 0.005).unwrap();
        let steppers: [&mut dyn Stepper; 2] = [&mut rattle, &mut shake];
        for stepper in steppers {
            for _ in 0..1000 {
                stepper.step().unwrap_or_else(|error| panic!("{error}"));
            }
            let q = &stepper.state().q;
            assert!(distance(&[q[0] + 1.0, q[1], q[0] + 2.0, q[1]], &q[2..]) < 1e-6, "{q:?}");
        }
    }
}

#[test]
fn rows_that_contradict_each_other_are_refused_by_name() {
    for (offset, rate, growth) in [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)] {
        let system = Torn { offset, rate, growth }.bind().unwrap();
        let start = State::at_rest(vec![0.0, 0.0]);
        for error in [
            Rattle::default().start(&system, start.clone(), 0.01).err().unwrap(),
            Shake::default().start(&system, start, 0.01).err().unwrap(),
        ] {
            assert!(matches!(error, StartError::Contradictory { .. }), "{error}");
            let said = "`line` and `other` of `Torn` contradict each other";
            assert!(error.to_string().starts_with(said), "{error}");
        }
    }
    // A start off the lines is told as such where they agree.
    let system = Torn { offset: 0.0, rate: 0.0, growth: 0.0 }.bind().unwrap();
    let error = Rattle::default().start(&system, State::at_rest(vec![0.1, 0.0]), 0.01).err().unwrap();
    assert!(matches!(error, StartError::OffConstraints { .. }), "{error}");
}

#[test]
fn projections_and_a_thermostat_bear_them() {
    let (system, start) = platform();
    let mut q: Vec<f64> = start.q.iter().zip([0.01, -0.02, 0.005]).map(|(q, off)| q + off).collect();
    let mut v = vec![1.0, 2.0, 3.0];
    project_positions(&system, &mut q, 0.0, 1e-14).unwrap();
    project_velocities(&system, &q, &mut v, 0.0).unwrap();
    let start = State::new(q, v);
    let langevin =
        Langevin { friction: 1.0, inverse_temperature: 2.0, ..Langevin::around(Rattle::default()) };
    let mut stepper = langevin.start(&system, start, 0.01).unwrap();
    for _ in 0..500 {
        stepper.step().unwrap_or_else(|error| panic!("{error}"));
    }
    let State { q, v, .. } = stepper.state();
    let mut rates = vec![0.0; 3];
    let (mut values, mut jacobian) = (vec![0.0; 3], vec![0.0; system.jacobian_pattern().len()]);
    system.jacobian(q, 0.0, &mut values, &mut jacobian);
    system.jacobian_pattern().multiply_add(&jacobian, v, &mut rates);
    assert!(values.iter().chain(&rates).all(|residual| residual.abs() < 1e-12), "{values:?} {rates:?}");
}
