//! A molecule with the thirteen terms of a force field.

use least_action::prelude::*;

/// Atoms, and the groups of them that act on each other.
pub struct Molecule {
    /// The mass of each atom.
    pub masses: Vec<f64>,
    /// The charge of each atom.
    pub charges: Vec<f64>,
    /// Harmonic bonds: stiffness and length.
    pub bonds: Vec<([usize; 2], f64, f64)>,
    /// Bonds that break: depth, width and length.
    pub breaking: Vec<([usize; 2], f64, f64, f64)>,
    /// Bends: stiffness and angle.
    pub bends: Vec<([usize; 3], f64, f64)>,
    /// Distances of the ends of bends.
    pub ends: Vec<([usize; 2], f64, f64)>,
    /// Bends that stretch their bonds.
    pub stretching: Vec<([usize; 3], f64, f64)>,
    /// Torsions: height, multiplicity and phase.
    pub torsions: Vec<([usize; 4], f64, f64, f64)>,
    /// Torsions about a plane: stiffness.
    pub planes: Vec<([usize; 4], f64)>,
    /// Pairs at three bonds: depth and distance.
    pub near: Vec<([usize; 2], f64, f64)>,
    /// All other pairs.
    pub far: Vec<([usize; 2], f64, f64)>,
    /// Hydrogen bonds: depth and distance.
    pub hydrogen: Vec<([usize; 2], f64, f64)>,
    /// The inverse of the length at which charges are screened.
    pub screening: f64,
    /// An electric field along the third axis.
    pub field: f64,
    /// The stiffness of the restraint to the origin.
    pub restraint: f64,
}

#[lagrangian]
impl Molecule {
    fn torsion(&self, a: Vec3, b: Vec3, c: Vec3) -> Scalar {
        let (left, right) = (a.cross(b), b.cross(c));
        (b.norm() * a.dot(right)).atan2(left.dot(right))
    }

    fn lagrangian(&self, atoms: [Vec3; self.masses.len()]) -> Scalar {
        let kinetic =
            sum(self.masses.iter().enumerate(), |(i, mass)| 0.5 * mass * der(atoms[i]).norm_squared());
        let bonds = sum(self.bonds.iter(), |([i, j], stiffness, length)| {
            0.5 * *stiffness * (atoms[*i].distance(atoms[*j]) - *length).powi(2)
        });
        let breaking = sum(self.breaking.iter(), |([i, j], depth, width, length)| {
            *depth * (1.0 - (-*width * (atoms[*i].distance(atoms[*j]) - *length)).exp()).powi(2)
        });
        let bends = sum(self.bends.iter(), |([i, j, k], stiffness, angle)| {
            let (a, b) = (atoms[*i] - atoms[*j], atoms[*k] - atoms[*j]);
            0.5 * *stiffness * (a.cross(b).norm().atan2(a.dot(b)) - *angle).powi(2)
        });
        let ends = sum(self.ends.iter(), |([i, j], stiffness, length)| {
            0.5 * *stiffness * (atoms[*i].distance(atoms[*j]) - *length).powi(2)
        });
        let stretching = sum(self.stretching.iter(), |([i, j, k], stiffness, length)| {
            let (a, b) = (atoms[*i] - atoms[*j], atoms[*k] - atoms[*j]);
            *stiffness * (a.norm() + b.norm() - *length) * (a.dot(b) / (a.norm() * b.norm()) + 0.3)
        });
        let torsions = sum(self.torsions.iter(), |([i, j, k, l], height, multiplicity, phase)| {
            let angle = self.torsion(atoms[*j] - atoms[*i], atoms[*k] - atoms[*j], atoms[*l] - atoms[*k]);
            *height * (1.0 + (*multiplicity * angle - *phase).cos())
        });
        let planes = sum(self.planes.iter(), |([i, j, k, l], stiffness)| {
            let angle = self.torsion(atoms[*j] - atoms[*i], atoms[*k] - atoms[*j], atoms[*l] - atoms[*k]);
            0.5 * *stiffness * angle.powi(2)
        });
        let near = sum(self.near.iter(), |([i, j], depth, length)| {
            let ratio = (*length * *length / (atoms[*i] - atoms[*j]).norm_squared()).powi(3);
            2.0 * *depth * (ratio.powi(2) - ratio)
        });
        let far = sum(self.far.iter(), |([i, j], depth, length)| {
            let ratio = (*length * *length / (atoms[*i] - atoms[*j]).norm_squared()).powi(3);
            4.0 * *depth * (ratio.powi(2) - ratio)
        });
        let charges = sum(self.far.iter(), |([i, j], _, _)| {
            let distance = atoms[*i].distance(atoms[*j]);
            self.charges[*i] * self.charges[*j] * (-self.screening * distance).exp() / distance
        });
        let hydrogen = sum(self.hydrogen.iter(), |([i, j], depth, length)| {
            let ratio = *length * *length / (atoms[*i] - atoms[*j]).norm_squared();
            *depth * (5.0 * ratio.powi(6) - 6.0 * ratio.powi(5))
        });
        let field = sum(self.charges.iter().enumerate(), |(i, charge)| *charge * self.field * atoms[i].z);
        let restraint = sum(0..self.masses.len(), |i| 0.5 * self.restraint * atoms[i].norm_squared());
        kinetic
            - bonds
            - breaking
            - bends
            - ends
            - stretching
            - torsions
            - planes
            - near
            - far
            - charges
            - hydrogen
            - field
            - restraint
    }
}

fn main() {
    let molecule = Molecule {
        masses: vec![1.0; 4],
        charges: vec![0.1, -0.1, 0.2, -0.2],
        bonds: vec![([0, 1], 100.0, 1.0), ([1, 2], 100.0, 1.0)],
        breaking: vec![([2, 3], 10.0, 1.0, 1.0)],
        bends: vec![([0, 1, 2], 10.0, 1.9)],
        ends: vec![([0, 2], 10.0, 1.7)],
        stretching: vec![([1, 2, 3], 1.0, 2.0)],
        torsions: vec![([0, 1, 2, 3], 1.0, 3.0, 0.0)],
        planes: vec![([0, 1, 2, 3], 0.1)],
        near: vec![([0, 3], 0.1, 1.0)],
        far: vec![([0, 3], 0.1, 1.0)],
        hydrogen: vec![([0, 3], 0.1, 1.0)],
        screening: 0.5,
        field: 0.1,
        restraint: 0.01,
    };
    let molecule = molecule.bind().expect("a molecule");
    println!("{}", molecule.potential(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.4, 0.9, 0.0, 2.4, 1.0, 0.6], 0.0));
}
