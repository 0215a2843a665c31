//! A step of SHAKE or RATTLE allocates nothing, whatever the structure of its linear system.

use super::check;
use integrator_core::method::{Langevin, Rattle, Shake};
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
