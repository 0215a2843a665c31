//! Constraints that depend on each other, under RATTLE and SHAKE: the trapezoid with a constant mass, solved by other matrices.

use super::dependent::{Torn, check_passages_of};
use super::problems::{Fourbars, Platform, bound};
use integrator_core::error::StartError;
use integrator_core::method::{
    Langevin, Method, Rattle, Shake, Stepper, VariationalTrapezoid, project_positions, project_velocities,
};
use integrator_core::system::{Constrained, Holonomic, Lagrangian, State, System};
use integrator_core::{Bound, Model, lagrangian};
use test_support::reference::{numbers, read};
use test_support::structure::distance;

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

/// A closed frame of bars whose masses couple its joints one with the next, with a superfluous diagonal: too many for a mass in blocks.
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

/// The multipliers of SHAKE are those of least norm, too, and its positions those of RATTLE.
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

#[test]
fn singular_positions_are_passed() {
    let system = bound(&Fourbars { tips: 3, gravity: 9.81 });
    check_passages_of(&system, &Rattle::default(), 1000, 0.01, 1e-11);
    check_passages_of(&system, &Shake::default(), 1000, 0.01, 1e-11);
}

#[test]
#[ignore = "ten seconds"]
fn singular_positions_are_passed_for_five_hundred_seconds() {
    let system = bound(&Fourbars { tips: 3, gravity: 9.81 });
    check_passages_of(&system, &Rattle::default(), 50_000, 0.01, 1e-9);
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
