//! Constraints that depend on each other, everywhere or at single positions.

use super::measure::{check_adjoint, check_errors, check_steps};
use super::problems::{Problem, problem};
use least_action::error::StartError;
use least_action::method::{Method, Stepper, VariationalEuler, VariationalMidpoint, VariationalTrapezoid};
use least_action::system::{Lagrangian, State};
use least_action::{Model, lagrangian};
use test_support::structure::distance;

#[test]
fn the_first_steps_are_the_known_ones() {
    for name in ["parallel_platform_redundant", "bricard"] {
        check_steps(name, &problem(name), 1e-8);
    }
    check_steps("n_fourbar_2", &problem("n_fourbar_2"), 1e-10);
}

#[test]
fn the_errors_are_the_known_ones() {
    for name in ["parallel_platform_redundant", "bricard"] {
        check_errors(name, &problem(name));
    }
}

#[test]
fn a_step_back_undoes_a_step() {
    check_adjoint("platform", &problem("parallel_platform_redundant"), 0.02);
    check_adjoint("bricard", &problem("bricard"), 0.01);
}

fn warning<M: Method<dyn Lagrangian>>(problem: &Problem, method: &M) -> Option<String> {
    let stepper = method.start(&*problem.system, problem.start.clone(), 0.01).unwrap();
    stepper.warning().map(str::to_owned)
}

#[test]
fn dependent_rows_are_named_once() {
    let said = warning(&problem("bricard"), &VariationalMidpoint::default()).unwrap();
    assert_eq!(
        said,
        "`closed[0]`, `closed[1]`, `closed[2]`, `axis[0]` and `axis[1]` depend on each other: one of them says nothing new at the \
         start. The motion is not affected; the multipliers are those of least norm, and single ones of these mean nothing"
    );
    let said = warning(&problem("parallel_platform_redundant"), &VariationalTrapezoid::default()).unwrap();
    assert!(said.starts_with("`crank[0]`, `crank[1]` and `crank[2]` depend on each other"), "{said}");
    for independent in ["fourbar_relative_angles", "car_axis", "n_fourbar_2"] {
        assert_eq!(warning(&problem(independent), &VariationalMidpoint::default()), None, "{independent}");
    }
}

/// A point on a line, and on a line beside it, which moves away.
pub(super) struct Torn {
    pub(super) offset: f64,
    pub(super) rate: f64,
    pub(super) growth: f64,
}

#[lagrangian]
impl Torn {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) + der(y).powi(2)) - y
    }

    #[holonomic]
    fn line(&self, x: Scalar) -> Scalar {
        x
    }

    #[holonomic]
    fn other(&self, x: Scalar, t: Time) -> Scalar {
        2.0 * (x - self.offset - self.rate * t - self.growth * t.powi(2))
    }
}

#[test]
fn rows_that_contradict_each_other_are_refused_by_name() {
    for (offset, rate, growth) in [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)] {
        let system = Torn { offset, rate, growth }.bind().unwrap();
        let start = State::at_rest(vec![0.0, 0.0]);
        let error = VariationalMidpoint::default().start(&system, start, 0.01).err().unwrap();
        assert!(matches!(error, StartError::Contradictory { .. }), "{error}");
        assert!(
            error.to_string().starts_with("`line` and `other` of `Torn` contradict each other"),
            "{error}"
        );
    }
    let system = Torn { offset: 0.0, rate: 0.0, growth: 0.0 }.bind().unwrap();
    let mut stepper =
        VariationalMidpoint::default().start(&system, State::at_rest(vec![0.0, 0.0]), 0.01).unwrap();
    assert!(stepper.warning().unwrap().starts_with("`line` and `other` depend on each other"));
    for _ in 0..100 {
        stepper.step().unwrap();
    }
    assert!((stepper.state().q[1] + 0.5).abs() < 1e-12, "{:?}", stepper.state());
    // A start off the lines is told as such where they agree.
    let error =
        VariationalMidpoint::default().start(&system, State::at_rest(vec![0.1, 0.0]), 0.01).err().unwrap();
    assert!(matches!(error, StartError::OffConstraints { .. }), "{error}");
}

/// A bead on a curve, with the derivative of the curve as a row of its own.
struct Twice {
    twice: bool,
}

#[lagrangian]
impl Twice {
    fn lagrangian(&self, bead: Vec2) -> Scalar {
        0.5 * der(bead).norm_squared() - bead.y
    }

    #[holonomic]
    fn curve(&self, bead: Vec2) -> Scalar {
        bead.x.powi(4) + bead.y.powi(4) - 1.0
    }

    #[nonholonomic]
    fn tangent(&self, bead: Vec2) -> [Scalar; usize::from(self.twice)] {
        each(0..usize::from(self.twice), |_| {
            bead.x.powi(2) * der(bead.x) + bead.y.powi(3) / bead.x * der(bead.y)
        })
    }
}

/// A step keeps a row on velocities where it keeps the constraint on positions, but at other velocities.
#[test]
fn a_row_that_a_constraint_on_positions_implies_is_left_out() {
    fn check<M: Method<dyn Lagrangian>>(method: &M) {
        let start = State { t: 0.0, q: vec![1.0, 0.0], v: vec![0.0, 0.7] };
        let runs = [false, true].map(|twice| {
            let system = Twice { twice }.bind().unwrap();
            let system: &dyn Lagrangian = &system;
            let mut stepper = method.start(system, start.clone(), 0.01).unwrap();
            let said = stepper.warning().unwrap_or_default().to_owned();
            assert_eq!(
                said.contains("constraints on positions imply `tangent`"),
                twice,
                "{}: {said}",
                M::NAME
            );
            assert!(!said.contains("depend on each other"), "{}: {said}", M::NAME);
            (0..3000).for_each(|_| stepper.step().unwrap_or_else(|error| panic!("{}: {error}", M::NAME)));
            let multipliers = stepper.multipliers().unwrap();
            assert!(multipliers[1..].iter().all(|mu| *mu == 0.0), "{multipliers:?}");
            stepper.state().clone()
        });
        assert!(distance(&runs[0].q, &runs[1].q) < 1e-10, "{}: {runs:?}", M::NAME);
    }
    check(&VariationalEuler::default());
    check(&VariationalMidpoint::default());
    check(&VariationalTrapezoid::default());
}

/// The bars stay parallel through the positions where they are level, some ten of them in ten seconds.
fn check_passages<M: Method<dyn Lagrangian>>(method: &M, steps: u64, h: f64, parallel: f64) {
    check_passages_of(&*problem("n_fourbar_2").system, method, steps, h, parallel);
}

pub(super) fn check_passages_of<S: Lagrangian + ?Sized, M: Method<S>>(
    system: &S,
    method: &M,
    steps: u64,
    h: f64,
    parallel: f64,
) {
    let start = problem("n_fourbar_2").start;
    let energy = |state: &State| system.energy(&state.q, &state.v, state.t);
    let mut stepper = method.start(system, start.clone(), h).unwrap();
    let (mut departure, mut change, mut missing) = (0.0_f64, 0.0_f64, 0);
    for _ in 0..steps {
        stepper.step().unwrap_or_else(|error| panic!("{}: {error}", M::NAME));
        let State { q, .. } = stepper.state();
        for bar in 1..3 {
            departure =
                departure.max((q[2 * bar] - bar as f64 - q[0]).abs()).max((q[2 * bar + 1] - q[1]).abs());
        }
        change = change.max((energy(stepper.state()) - energy(&start)).abs());
        missing += u64::from(stepper.multipliers().is_none());
    }
    assert!(departure < parallel, "{}: {departure:e}", M::NAME);
    assert!(change < 0.1, "{}: {change:e}", M::NAME);
    assert!(missing <= steps / 1000, "{} of {steps} steps of {} have no multipliers", missing, M::NAME);
}

#[test]
fn singular_positions_are_passed() {
    check_passages(&VariationalMidpoint::default(), 1000, 0.01, 1e-12);
    check_passages(&VariationalTrapezoid::default(), 1000, 0.01, 1e-12);
}

#[test]
#[ignore = "long: ten seconds"]
fn singular_positions_are_passed_for_five_hundred_seconds() {
    check_passages(&VariationalMidpoint::default(), 50_000, 0.01, 1e-9);
    check_passages(&VariationalTrapezoid::default(), 50_000, 0.01, 1e-9);
}

/// A start where the bars are level goes on as its velocity says.
#[test]
fn a_start_at_a_singular_position_goes_on_as_it_moves() {
    let problem = problem("n_fourbar_2");
    let start = State::new(vec![1.0, 0.0, 2.0, 0.0, 3.0, 0.0], vec![0.0, -1.0, 0.0, -1.0, 0.0, -1.0]);
    let mut stepper = VariationalMidpoint::default().start(&*problem.system, start, 0.005).unwrap();
    for _ in 0..100 {
        stepper.step().unwrap();
    }
    let q = &stepper.state().q;
    let others = [q[0] + 1.0, q[1], q[0] + 2.0, q[1]];
    assert!(distance(&others, &q[2..]) < 1e-6, "{q:?}");
    assert!(q[1] < -0.5, "{q:?}");
}
