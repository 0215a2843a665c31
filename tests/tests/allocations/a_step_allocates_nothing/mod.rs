//! No step allocates, counted by the allocator itself; force-stepping holds memory for coupled pairs.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

mod constrained;
mod held;
mod measuring;
mod members;
mod signals;

use crate::counted::allocations;
use least_action::advanced::sparse::{Elimination, Solver, SymmetricPattern};
use least_action::advanced::wrap::{JacobiReduced, Penalized};
use least_action::method::force_stepping::RelativeForceStepping;
use least_action::method::multiscale::{
    Asynchronous, BoxFilter, Exponential, Hmm, LeapFrog, Nystrom, Synchronous,
};
use least_action::method::rotation::{
    PenalizedRotation, RotationCayley, RotationPenalty, RotationPenaltyEuler, RotationVerlet,
};
use least_action::method::slow_manifold::Oscillating;
use least_action::method::{
    Bdf, BlanesMoan, Composition, EnergyStepping, ExplicitConstrained, ForceStepping, ImplicitMidpoint,
    LaBuddeGreenspan, Langevin, McLachlan, Method, Newmark, NewmarkLinearA, NewmarkLinearB,
    ProjectedRungeKutta, PushForwardNewmark, Rattle, Reference, Shake, SlowManifold, Stepper,
    VariationalEuler, VariationalMidpoint, VariationalTrapezoid, Verlet, ZhangSkeel, ZhangSkeelSimplified,
    ZhangSkeelStiff,
};
use least_action::prelude::*;
use test_support::linkage::Linkage;
use test_support::quartic::Quartic;

/// A body by its rotation matrix, with unequal moments of inertia.
struct Body {}

#[lagrangian]
impl Body {
    fn lagrangian(&self, r: Mat3) -> Scalar {
        let spread = [[0.5, 0.0, 0.0], [0.0, 0.7, 0.0], [0.0, 0.0, 0.9]];
        0.5 * (der(r) * mat3(spread)).dot(der(r)) - r[(2, 2)].powi(2)
    }
}

/// Rotors on a line whose mass depends on angles, and momenta on neighbours: an unsymmetric matrix.
struct Rotors {
    rotors: usize,
}

#[lagrangian]
impl Rotors {
    fn lagrangian(&self, angle: [Scalar; self.rotors]) -> Scalar {
        let own = sum(0..self.rotors, |i| (1.0 + 0.3 * angle[i].cos()) * der(angle[i]).powi(2));
        let shared = sum(1..self.rotors, |i| {
            0.4 * (angle[i] - angle[i - 1]).cos() * der(angle[i]) * der(angle[i - 1])
        });
        own + shared + sum(0..self.rotors, |i| angle[i].cos())
    }
}

/// Points that are held by the densities of their neighbours, which lists know.
struct Embedded {
    points: usize,
}

#[lagrangian]
impl Embedded {
    fn lagrangian(&self, points: [Vec3; self.points]) -> Scalar {
        let kinetic = sum(points.iter(), |point| 0.5 * der(*point).norm_squared());
        let near = within(1.9, points);
        let bump = |d: Vec3| (1.0 - d.norm_squared() / 3.61).powi(4);
        let density = each(0..self.points, |i| sum(near.of(i), |(_, d)| bump(d)));
        kinetic + sum(0..self.points, |i| density[i].sqrt()) - sum(near, |(_, _, d)| 0.2 * bump(d))
    }
}

/// A point on a pivot that vibrates, on a spring.
struct Vibrated {
    omega: f64,
}

#[lagrangian]
impl Vibrated {
    fn lagrangian(&self, bob: Vec2, theta: Phase) -> Scalar {
        0.5 * der(bob).norm_squared()
            - 2.0 * bob.norm_squared()
            - 4.0 * self.omega * theta.cos() * (bob.x * bob.y).sin()
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

/// A bead on a circle that is vibrated.
struct VibratedOnCircle {
    omega: f64,
}

#[lagrangian]
impl VibratedOnCircle {
    fn lagrangian(&self, bob: Vec2, theta: Phase) -> Scalar {
        0.5 * der(bob).norm_squared() - (9.8 + 4.0 * self.omega * theta.cos()) * bob.y
    }

    #[holonomic]
    fn circle(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - 1.0
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

/// Four points on springs between all of them.
struct Net {}

#[lagrangian]
impl Net {
    fn lagrangian(&self, knots: [Vec2; 4]) -> Scalar {
        let springs = sum(pairs(4), |(i, j)| ((knots[i] - knots[j]).norm() - 1.0).powi(2));
        sum(0..4, |i| 0.5 * der(knots[i]).norm_squared()) - springs
    }
}

fn check<S: ?Sized, M: Method<S>>(system: &S, method: &M, start: State, step: f64) {
    let mut stepper = method.start(system, start, step).unwrap();
    let mut outcome = Ok(());
    let count = allocations(|| outcome = (0..20).try_for_each(|_| stepper.step()));
    assert_eq!(outcome, Ok(()));
    assert_eq!(count, 0, "{}", M::NAME);
    assert_eq!(stepper.steps(), 20);
}

pub(super) fn checked() {
    steps_and_solves();
    constrained::steps();
    constrained::free_steps();
    constrained::variational_steps();
    signals::steps();
    measuring::balances();
    members::steps();
    held::grows_with_what_is_coupled();
}

fn steps_and_solves() {
    let net = Net {}.bind().unwrap();
    let reduced = JacobiReduced::new(&net).unwrap();
    let q = vec![0.0, 0.1, 1.1, 0.0, 1.0, 1.2, -0.1, 0.9];
    let tangled = State::new(q, vec![0.3, -0.2, 0.1, 0.4, -0.5, 0.2, 0.1, -0.3]);
    check(&net, &LaBuddeGreenspan::default(), tangled.clone(), 0.05);
    check(&net, &EnergyStepping::default(), tangled.clone(), 0.05);
    check(&net, &RelativeForceStepping { grid: 0.01 }, tangled.clone(), 0.05);
    check(&reduced, &Verlet, reduced.reduce(&tangled).unwrap().0, 0.05);

    let chain = Linkage::paper_chain(50, 1.0).0;
    let system = Penalized::new(&chain, 20.0).unwrap();
    let start = || Linkage::paper_chain(50, 1.0).1;
    check(&system, &Verlet, start(), 0.005);
    check(&system, &ZhangSkeel::default(), start(), 0.05);
    check(&system, &ZhangSkeelSimplified::default(), start(), 0.05);
    check(&system, &ZhangSkeelStiff::default(), start(), 0.05);
    check(&system, &Newmark::default(), start(), 0.05);
    check(&system, &PushForwardNewmark::default(), start(), 0.05);
    check(&system, &ImplicitMidpoint::default(), start(), 0.05);
    check(&system, &VariationalEuler::default(), start(), 0.01);
    check(&system, &VariationalMidpoint::default(), start(), 0.05);
    check(&system, &VariationalTrapezoid::default(), start(), 0.01);
    check(&system, &NewmarkLinearA::default(), start(), 0.05);
    check(&system, &NewmarkLinearB::default(), start(), 0.05);
    check(&system, &BlanesMoan, start(), 0.02);
    check(&system, &McLachlan, start(), 0.005);
    check(&system, &Composition::of(Verlet, 8), start(), 0.01);
    check(&system, &Composition::of(ZhangSkeel::default(), 6), start(), 0.02);
    check(&system, &Composition::of(Newmark::default(), 4), start(), 0.05);
    check(&chain, &Composition::of(Rattle::default(), 6), start(), 0.05);
    check(&Quartic::default(), &ZhangSkeel::default(), Quartic::start(), 0.05);
    check(&Quartic::default(), &Langevin::around(Verlet), Quartic::start(), 0.05);

    let bobs = Linkage::double_pendulum(1.0).0;
    let stiff = Penalized::new(&bobs, 1e3).unwrap();
    let start = || Linkage::double_pendulum(1.0).1;
    // The constraints |p|² − L² oscillate with frequencies up to 6 ω.
    let manifold = SlowManifold { micro_steps: 30, tolerance: 1e-7, ..SlowManifold::default() };
    let stages = ProjectedRungeKutta { manifold };
    check(&stiff, &stages, start(), 0.05);
    check(&Oscillating::new(&stiff, 1e3).unwrap(), &stages, start(), 0.05);
    check(&bobs, &ExplicitConstrained { method: stages, omega: 1e3 }, start(), 0.05);
    let mut projector = manifold.projector(&stiff).unwrap();
    let mut state = start();
    let mut outcome = None;
    assert_eq!(allocations(|| outcome = projector.project(&mut state).ok()), 0);
    assert!(outcome.is_some());
    for (system, start) in [test_support::values::net(4), test_support::values::argon()] {
        check(&system, &ForceStepping::with_grid(0.02), start, 0.001);
    }

    let body = Body {}.bind().unwrap();
    let penalized = PenalizedRotation::new(&body, 10.0).unwrap();
    let q = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let turning = || State::new(q.clone(), vec![0.0, -0.1, 0.2, 0.1, 0.0, -1.0, -0.2, 1.0, 0.0]);
    check(&body, &RotationVerlet, turning(), 0.05);
    check(&body, &RotationCayley, turning(), 0.05);
    check(&body, &Reference::default(), turning(), 0.05);
    check(&body, &Bdf::default(), turning(), 0.05);
    check(&penalized, &RotationPenalty::default(), turning(), 0.05);
    check(&penalized, &RotationPenaltyEuler::default(), turning(), 0.05);

    // So slow that no list is built again.
    let embedded = Embedded { points: 125 }.bind().unwrap();
    let site = |k: usize| [k % 5, k / 5 % 5, k / 25].map(|x| x as f64 + 0.1 * ((k * 7 % 5) as f64 - 2.0));
    let resting = || State::new((0..125).flat_map(site).collect(), vec![0.0; 375]);
    check(&embedded, &Verlet, resting(), 1e-3);
    check(&embedded, &ZhangSkeel::default(), resting(), 1e-3);

    let rotors = Rotors { rotors: 60 }.bind().unwrap();
    let tumbling = || State::new((0..60).map(|i| f64::from(i).sin()).collect(), vec![0.5; 60]);
    check(&rotors, &VariationalEuler::default(), tumbling(), 0.05);
    check(&rotors, &VariationalMidpoint::default(), tumbling(), 0.05);
    check(&rotors, &Composition::of(VariationalTrapezoid::default(), 6), tumbling(), 0.05);

    let (vibrated, on_circle) =
        (Vibrated { omega: 1e4 }.bind().unwrap(), VibratedOnCircle { omega: 1e4 }.bind().unwrap());
    let shaken = || State::new(vec![0.6, 0.8], vec![0.0, 0.0]);
    let synchronous = Synchronous::default();
    check(&vibrated, &Hmm::new(LeapFrog, Asynchronous, BoxFilter::default()), shaken(), 0.01);
    let nystrom = Hmm::new(LeapFrog, Asynchronous, BoxFilter::default()).with_micro_solver(Nystrom);
    check(&vibrated, &nystrom, shaken(), 0.01);
    check(&vibrated, &Hmm::new(LeapFrog, synchronous, Exponential::default()), shaken(), 0.01);
    check(&vibrated, &Hmm::new(Verlet, synchronous, Exponential::default()), shaken(), 0.01);
    check(&on_circle, &Hmm::new(Shake::default(), Asynchronous, BoxFilter::default()), shaken(), 0.01);
    check(&on_circle, &Hmm::new(Rattle::default(), synchronous, Exponential::default()), shaken(), 0.01);

    let side = 30;
    let edges = (0..side * side).flat_map(|i| {
        let right = (i % side + 1 < side).then_some((i + 1, i));
        let below = (i + side < side * side).then_some((i + side, i));
        right.into_iter().chain(below)
    });
    let grid = SymmetricPattern::new(side * side, edges);
    let mut solver = Solver::symmetric(&grid);
    assert_eq!(solver.elimination(), Elimination::General);
    let values: Vec<f64> = grid.entries().map(|(i, j)| if i == j { 4.1 } else { -1.0 }).collect();
    let mut x = vec![1.0; side * side];
    assert_eq!(allocations(|| solver.factor(&values).map(|()| solver.solve(&mut x))), 0);
}
