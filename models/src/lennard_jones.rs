use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A cluster of like atoms in space that attract and repel each other by the law of Lennard-Jones.
///
/// V = Σ_{i<j} 4 ε ((σ/r)¹² − (σ/r)⁶), r the distance of atoms i and j; pairs rest at r = 2^(1/6) σ.
///
/// Units: none.
///
/// # Source
/// J. E. Jones, *On the determination of molecular fields II*, Proc. R. Soc. A 106 (1924) 463. The
/// defaults are reduced units, in which mass, ε and σ are one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LennardJones {
    /// Number of atoms.
    pub atoms: usize,
    /// Mass of each atom.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Depth ε of the well of a pair.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub epsilon: f64,
    /// Distance σ at which the energy of a pair is zero.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub sigma: f64,
}

impl Default for LennardJones {
    fn default() -> Self {
        Self { atoms: 13, mass: 1.0, epsilon: 1.0, sigma: 1.0 }
    }
}

#[lagrangian]
impl LennardJones {
    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let kinetic = sum(0..self.atoms, |i| 0.5 * self.mass * der(atoms[i]).norm_squared());
        let potential = sum(pairs(self.atoms), |(i, j)| {
            let attraction = (self.sigma.powi(2) / (atoms[i] - atoms[j]).norm_squared()).powi(3);
            4.0 * self.epsilon * (attraction.powi(2) - attraction)
        });
        kinetic - potential
    }
}

/// At rest on the sites of a face-centred cubic lattice nearest to one of them, neighbours at 2^(1/6) σ;
/// 13 atoms are a cuboctahedron with its centre.
impl Start for LennardJones {
    fn start(&self) -> State {
        // A ball of this radius, in half edges of the cubic cell, holds more sites than there are atoms.
        let reach = (self.atoms as f64).cbrt().ceil() as i64 + 1;
        let line = || -reach..=reach;
        let cube = line().flat_map(|x| line().flat_map(move |y| line().map(move |z| [x, y, z])));
        let mut sites: Vec<[i64; 3]> = cube.filter(|[x, y, z]| (x + y + z) % 2 == 0).collect();
        sites.sort_by_key(|site| (site.iter().map(|k| k * k).sum::<i64>(), *site));
        let half = 2.0_f64.powf(1.0 / 6.0) * self.sigma * std::f64::consts::FRAC_1_SQRT_2;
        let places = sites.into_iter().take(self.atoms).flatten();
        State::at_rest(places.map(|k| half * k as f64).collect())
    }
}
