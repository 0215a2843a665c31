//! Statements of a declaration about itself that are true.

use least_action::prelude::*;

struct Cluster {
    count: usize,
    mass: f64,
    stiffness: f64,
}

#[lagrangian(conserves(energy, linear_momentum, angular_momentum), mass = constant)]
impl Cluster {
    fn lagrangian(&self, atoms: [Vec3; self.count]) -> Scalar {
        let kinetic = sum(0..self.count, |i| 0.5 * self.mass * der(atoms[i]).norm_squared());
        let bonds = sum(pairs(self.count), |(i, j)| self.stiffness * (atoms[i] - atoms[j]).norm().cosh());
        kinetic - bonds
    }
}

#[test]
fn what_is_stated_is_among_what_is_found() {
    let found: Vec<&str> = Cluster::FACTS.conserved.iter().map(|quantity| &*quantity.name).collect();
    assert_eq!(found[..4], ["energy", "momentum_x", "momentum_y", "momentum_z"]);
    assert_eq!(found[4..], ["angular_momentum_x", "angular_momentum_y", "angular_momentum_z"]);
    assert!(Cluster { count: 2, mass: 1.0, stiffness: 1.0 }.bind().is_ok());
}
