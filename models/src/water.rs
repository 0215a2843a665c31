use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// Rigid water: TIP3P molecules of three charged sites, kept rigid by three distances each.
///
/// The sites of a molecule are hydrogen, oxygen, hydrogen. All sites of different molecules interact by
/// Coulomb's law, the oxygens also by A/r¹² − C/r⁶. Units: Å, kcal/mol, amu, and so 48.888 fs. Charges
/// are in elementary charges.
///
/// # Source
/// W. L. Jorgensen et al., *Comparison of simple potential functions for simulating liquid water*, J.
/// Chem. Phys. 79 (1983) 926, as in M. Tao and H. Owhadi, *Variational and linearly-implicit
/// integrators, with applications*, IMA J. Numer. Anal. (2014), section 4.3, with seven molecules as in
/// their figure 4. Units, masses and Coulomb's constant are not printed there; the defaults are today's
/// usual values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Water {
    /// Number of molecules.
    pub molecules: usize,
    /// Masses of hydrogen, oxygen, hydrogen, amu.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub masses: [f64; 3],
    /// Charges of hydrogen, oxygen, hydrogen, e.
    pub charges: [f64; 3],
    /// Coulomb's constant, kcal Å/(mol e²).
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub coulomb: f64,
    /// Repulsion A of two oxygens, kcal Å¹²/mol.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub repulsion: f64,
    /// Attraction C of two oxygens, kcal Å⁶/mol.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub attraction: f64,
    /// Distance of hydrogen and oxygen in a molecule, Å.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub bond: f64,
    /// Angle between the two bonds of a molecule, degrees.
    #[serde(deserialize_with = "crate::allowed::corner")]
    pub angle: f64,
}

impl Default for Water {
    fn default() -> Self {
        Self {
            molecules: 7,
            masses: [1.008, 15.9994, 1.008],
            charges: [0.417, -0.834, 0.417],
            coulomb: 332.06371,
            repulsion: 582.0e3,
            attraction: 595.0,
            bond: 0.9572,
            angle: 104.52,
        }
    }
}

#[lagrangian]
impl Water {
    fn lagrangian(&self, sites: [[Vec3; 3]; self.molecules]) -> Scalar {
        let kinetic =
            sum(0..self.molecules, |m| sum(0..3, |i| 0.5 * self.masses[i] * der(sites[m][i]).norm_squared()));
        let coulomb = sum(pairs(self.molecules), |(m, n)| {
            sum(0..3, |i| {
                sum(0..3, |j| {
                    let charges = self.coulomb * self.charges[i] * self.charges[j];
                    charges / (sites[m][i] - sites[n][j]).norm()
                })
            })
        });
        let oxygens = sum(pairs(self.molecules), |(m, n)| {
            let inverse = (sites[m][1] - sites[n][1]).norm_squared().powi(-3);
            self.repulsion * inverse.powi(2) - self.attraction * inverse
        });
        kinetic - coulomb - oxygens
    }

    #[holonomic]
    fn rigid(&self, sites: [[Vec3; 3]; self.molecules]) -> [[Scalar; 3]; self.molecules] {
        each(0..self.molecules, |m| {
            let (first, oxygen, second) = (sites[m][0], sites[m][1], sites[m][2]);
            [
                (first - oxygen).norm_squared() - self.bond.powi(2),
                (second - oxygen).norm_squared() - self.bond.powi(2),
                (first - second).norm_squared() - (2.0 * self.bond * self.half_angle().sin()).powi(2),
            ]
        })
    }

    /// Half of the angle between the bonds, rad.
    fn half_angle(&self) -> f64 {
        0.5 * self.angle.to_radians()
    }
}

impl Water {
    /// The sites of a molecule with its oxygen at `oxygen`: its axis turned by `turn` in the plane z =
    /// 0, then the hydrogens by `tilt` around that axis.
    pub fn molecule(&self, oxygen: Vector3<f64>, turn: f64, tilt: f64) -> [Vector3<f64>; 3] {
        let along = Vector3::new(turn.cos(), turn.sin(), 0.0);
        let across = Vector3::new(-turn.sin() * tilt.cos(), turn.cos() * tilt.cos(), tilt.sin());
        let (sine, cosine) = self.half_angle().sin_cos();
        let hydrogen = |side: f64| oxygen + self.bond * (cosine * along + side * sine * across);
        [hydrogen(1.0), oxygen, hydrogen(-1.0)]
    }
}

/// At rest on a cubic lattice of 3.1 Å, the density of water at room temperature, each turned otherwise.
impl Start for Water {
    fn start(&self) -> State {
        let edge = (1..=self.molecules).find(|edge| edge.pow(3) >= self.molecules).unwrap_or(1);
        let cell = |m: usize| [m % edge, m / edge % edge, m / edge.pow(2)].map(|k| k as f64);
        let place = |m: usize| 3.1 * Vector3::from(cell(m));
        let turned = |m: usize| self.molecule(place(m), 0.7 * m as f64 + 0.3, 0.5 * m as f64 + 0.2);
        State::points_at_rest((0..self.molecules).flat_map(turned).collect::<Vec<_>>())
    }

    fn look(&self) -> Look {
        Look::new().colours("sites", &["#e8e8ee", "#d1495b", "#e8e8ee"]).species("sites", &["H", "O", "H"])
    }
}
