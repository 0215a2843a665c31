//! A step of SHAKE or RATTLE allocates nothing, for any structure of its matrix and any forces.

use super::check;
use least_action::advanced::sparse::{SymmetricMatrix, SymmetricPattern};
use least_action::method::{
    Composition, Langevin, Rattle, Shake, VariationalEuler, VariationalMidpoint, VariationalTrapezoid, Verlet,
};
use least_action::prelude::*;
use least_action::system::Constrained;
use test_support::linkage::Linkage;

pub(super) fn steps() {
    let (chain, start) = Linkage::paper_chain(50, 1.0);
    let pattern = SymmetricPattern::new(100, (1..100).map(|i| (i, i - 1)));
    let values = pattern.entries().map(|(i, j)| if i == j { 2.0 } else { 0.5 }).collect();
    let coupled = chain.clone().with_mass(SymmetricMatrix { pattern, values });
    let (triangle, tumbling) = Linkage::triangle();
    let (triangles, all_tumbling, _) = Linkage::triangles(11);
    for (system, start) in
        [(&chain, &start), (&triangle, &tumbling), (&triangles, &all_tumbling), (&coupled, &start)]
    {
        check(system, &Rattle::default(), start.clone(), 0.02);
        check(system, &Shake::default(), start.clone(), 0.02);
    }
    // Weak drag and strong drag, for which the steps are found in different ways.
    for (links, drag) in [(3, 0.1), (50, 0.1), (50, 100.0)] {
        let (_, mut start) = Linkage::paper_chain(links, 1.0);
        start.v.iter_mut().skip(1).step_by(2).for_each(|v| *v = 0.1);
        start.v.iter_mut().step_by(2).for_each(|v| *v = 0.2);
        let damped = Damped { links, drag, between: 0.0, wind: wind() }.bind().unwrap();
        let coupled = Damped { links, drag: 0.1, between: drag, wind: wind() }.bind().unwrap();
        for system in [&damped, &coupled] {
            let system: &dyn Constrained = system;
            check(system, &Rattle::default(), start.clone(), 0.02);
            check(system, &Shake::default(), start.clone(), 0.02);
            check(system, &Composition::of(Rattle::default(), 4), start.clone(), 0.02 / (1.0 + drag));
            check(system, &Langevin::around(Rattle::default()), start.clone(), 0.02);
        }
    }
    for (system, start) in [(&chain, &start), (&triangle, &tumbling)] {
        check(system, &Langevin::around(Rattle::default()), start.clone(), 0.02);
        check(system, &Langevin::around(Shake::default()), start.clone(), 0.02);
    }
}

/// A chain of points on rods, with drag, in the plane.
struct Chain {
    links: usize,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(0..self.links, |i| 0.5 * der(bobs[i]).norm_squared() - bobs[i].y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - 5.0
        })
    }

    /// The first rod once more, so that rows depend on each other.
    #[holonomic]
    fn again(&self, bobs: [Vec2; self.links]) -> Scalar {
        2.0 * (bobs[0].norm_squared() - 5.0)
    }

    #[force]
    fn drag(&self, bobs: [Vec2; self.links]) -> [Vec2; self.links] {
        each(0..self.links, |i| -0.1 * der(bobs[i]).norm() * der(bobs[i]))
    }
}

/// A wind that changes.
fn wind() -> Signal {
    Signal::sampled((0..=300).map(|k| 0.01 * f64::from(k)).collect(), |t| 0.1 * t).unwrap()
}

/// A chain of points on rods in a wind, with a drag of each and dampers between neighbours.
struct Damped {
    links: usize,
    drag: f64,
    between: f64,
    wind: Signal,
}

#[lagrangian]
impl Damped {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(0..self.links, |i| 0.5 * der(bobs[i]).norm_squared() - bobs[i].y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - 5.0
        })
    }

    #[force]
    fn medium(&self, bobs: [Vec2; self.links], t: Time) -> [Vec2; self.links] {
        each(0..self.links, |i| {
            let v = der(bobs[i]) - vec2(table(t, &self.wind), 0.0);
            let relative = if i == 0 { Vec2::ZERO } else { der(bobs[i]) - der(bobs[i - 1]) };
            -self.drag * (1.0 + v.norm_squared()) * v - self.between * relative
        })
    }
}

/// Forces of velocities in verlet: a drag of each, and dampers between neighbours; with an input.
pub(super) fn free_steps() {
    for (drag, between) in [(0.1, 0.0), (100.0, 0.0), (0.1, 1.0)] {
        let push = Signal::constant(vec![0.0, 1.0, 3.0], vec![0.2, 0.4]).unwrap();
        let system = Beads { count: 50, drag, between, push }.bind().unwrap();
        let start = State::new((0..50).map(f64::from).collect(), vec![0.3; 50]);
        check(&system, &Verlet, start.clone(), 0.02);
        check(&system, &Composition::of(Verlet, 4), start.clone(), 0.02 / (1.0 + drag));
        check(&system, &Langevin::around(Verlet), start, 0.02);
    }
}

/// Beads on a line with springs, drag, dampers, and a push on the first.
struct Beads {
    count: usize,
    drag: f64,
    between: f64,
    push: Signal,
}

#[lagrangian]
impl Beads {
    fn lagrangian(&self, x: [Scalar; self.count]) -> Scalar {
        sum(0..self.count, |i| 0.5 * der(x[i]).powi(2))
            - sum(1..self.count, |i| 0.5 * (x[i] - x[i - 1] - 1.0).powi(2))
    }

    #[force]
    fn medium(&self, x: [Scalar; self.count], push: Input) -> [Scalar; self.count] {
        each(0..self.count, |i| {
            let relative = if i == 0 { 0.0 * der(x[i]) } else { der(x[i]) - der(x[i - 1]) };
            let pushed = if i == 0 { push } else { 0.0 * push };
            pushed - self.drag * (1.0 + der(x[i]).powi(2)) * der(x[i]) - self.between * relative
        })
    }
}

/// A step of the variational engines allocates nothing either: in a chain of a thousand links, with
/// forces, and with dependent rows.
pub(super) fn variational_steps() {
    for links in [3, 50, 1000] {
        let (chain, mut start) = Linkage::paper_chain(links, 1.0);
        start.v.iter_mut().skip(1).step_by(2).for_each(|v| *v = 0.1);
        start.v.iter_mut().step_by(2).for_each(|v| *v = 0.2);
        check(&chain, &VariationalMidpoint::default(), start.clone(), 0.01);
        check(&chain, &VariationalTrapezoid::default(), start.clone(), 0.01);
        let damped = Chain { links }.bind().unwrap();
        check(&damped, &VariationalEuler::default(), start.clone(), 0.005);
        check(&damped, &VariationalMidpoint::default(), start.clone(), 0.01);
        check(&damped, &Composition::of(VariationalTrapezoid::default(), 4), start, 0.01);
    }
}
