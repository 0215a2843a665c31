//! A step of SHAKE or RATTLE allocates nothing, whatever the structure of its linear system.

use super::check;
use integrator_core::method::{
    Composition, Langevin, Rattle, Shake, VariationalEuler, VariationalMidpoint, VariationalTrapezoid,
};
use integrator_core::prelude::*;
use integrator_core::sparse::{SymmetricMatrix, SymmetricPattern};
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

/// A step of the variational engines allocates nothing either: in a chain of a thousand links, with forces, and with rows that depend on
/// each other.
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
        check(&damped, &Composition::<_, 4>::of(VariationalTrapezoid::default()), start, 0.01);
    }
}
