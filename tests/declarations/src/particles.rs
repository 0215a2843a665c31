use least_action::prelude::*;

/// A Lennard-Jones cluster.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// Number of atoms.
    pub atoms: usize,
    /// Depth of the well.
    pub epsilon: f64,
    /// Distance of zero energy.
    pub sigma: f64,
}

#[lagrangian]
impl Cluster {
    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let kinetic = sum(0..self.atoms, |i| 0.5 * der(atoms[i]).norm_squared());
        let potential = sum(pairs(self.atoms), |(i, j)| {
            let s = (self.sigma.powi(2) / (atoms[i] - atoms[j]).norm_squared()).powi(3);
            4.0 * self.epsilon * (s.powi(2) - s)
        });
        kinetic - potential
    }
}

/// Charged disks in a plane, whose height comes first among the coordinates; some form a chain, too.
#[derive(Debug, Clone)]
pub struct Disks {
    /// The charges.
    pub charges: Vec<f64>,
    /// The number of springs between neighbours.
    pub springs: usize,
}

#[lagrangian]
impl Disks {
    fn lagrangian(&self, height: Scalar, disks: [Vec2; self.charges.len()]) -> Scalar {
        let n = self.charges.len();
        let kinetic = 0.5 * der(height).powi(2) + sum(0..n, |i| 0.5 * der(disks[i]).norm_squared());
        let repulsion = sum(pairs(n), |(i, j)| {
            self.charges[i] * self.charges[j] / (0.1 + (disks[i] - disks[j]).norm_squared())
        });
        let springs = sum(0..self.springs, |i| (disks[i + 1] - disks[i]).norm_squared().powi(2));
        kinetic - repulsion - springs - 0.5 * height.powi(2)
    }
}

/// Charges in an uneven magnetic field: their force depends on the velocity, their mass does not.
#[derive(Debug, Clone)]
pub struct Charged {
    /// The charges.
    pub charges: Vec<f64>,
    /// The field.
    pub field: [f64; 3],
}

#[lagrangian]
impl Charged {
    fn lagrangian(&self, places: [Vec3; self.charges.len()]) -> Scalar {
        let n = self.charges.len();
        let kinetic = sum(0..n, |i| 0.5 * der(places[i]).norm_squared());
        let magnetic = sum(0..n, |i| {
            let potential = 0.5 * vec3(self.field).cross(places[i]) * (1.0 + places[i].z.powi(2));
            self.charges[i] * potential.dot(der(places[i]))
        });
        let electric =
            sum(pairs(n), |(i, j)| self.charges[i] * self.charges[j] / places[i].distance(places[j]));
        kinetic + magnetic - electric
    }

    #[holonomic]
    fn on_a_shell(&self, places: [Vec3; self.charges.len()]) -> [Scalar; self.charges.len()] {
        each(places.iter(), |place| place.norm() - 1.0)
    }
}

/// A molecule from tables: bonds, angles and torsions as iterators over tuples.
#[derive(Debug, Clone)]
pub struct Molecule {
    /// Masses.
    pub masses: Vec<f64>,
    /// Pairs, stiffness and length.
    pub bonds: Vec<(usize, usize, f64, f64)>,
    /// Triples with the angle in their middle.
    pub angles: Vec<[usize; 3]>,
    /// Exponent of the repulsion.
    pub exponent: f64,
}

#[lagrangian]
impl Molecule {
    fn angle(&self, a: Vec3, b: Vec3, c: Vec3) -> Scalar {
        let (u, w) = (a - b, c - b);
        u.cross(w).norm().atan2(u.dot(w))
    }

    fn lagrangian(&self, atoms: [Vec3; self.masses.len()]) -> Scalar {
        let kinetic = sum(self.masses.iter().zip(0..), |(mass, i)| 0.5 * mass * der(atoms[i]).norm_squared());
        let stretch = sum(self.bonds.iter(), |&(i, j, stiffness, length)| {
            0.5 * stiffness * (atoms[i].distance(atoms[j]) - length).powi(2)
        });
        let bend = sum(&self.angles, |&[i, j, k]| (self.angle(atoms[i], atoms[j], atoms[k]) - 1.9).powi(2));
        let repulsion = sum(pairs(self.masses.len()).filter(|&(i, j)| i + 1 < j), |(i, j)| {
            atoms[i].distance_squared(atoms[j]).powf(-0.5 * self.exponent)
        });
        kinetic - stretch - stiff(bend) - repulsion
    }
}
