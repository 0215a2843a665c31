use least_action::prelude::*;

struct Cluster {
    count: usize,
    mass: f64,
    stiffness: f64,
    gravity: f64,
}

#[lagrangian(conserves(energy, linear_momentum, angular_momentum))]
impl Cluster {
    fn lagrangian(&self, atoms: [Vec3; self.count]) -> Scalar {
        let kinetic = sum(0..self.count, |i| 0.5 * self.mass * der(atoms[i]).norm_squared());
        let bonds = sum(pairs(self.count), |(i, j)| self.stiffness * (atoms[i] - atoms[j]).norm().cosh());
        let weight = sum(0..self.count, |i| self.mass * self.gravity * atoms[i].z);
        kinetic - bonds - weight
    }

    #[holonomic]
    fn plane(&self, atoms: [Vec3; self.count]) -> Scalar {
        atoms[0].x
    }
}

fn main() {
    assert!(Cluster { count: 2, mass: 1.0, stiffness: 1.0, gravity: 1.0 }.bind().is_ok());
}
