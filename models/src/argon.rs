use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// Seven argon atoms in the plane, bound by the law of Lennard-Jones.
///
/// V = Σ_{i<j} 4 ε ((σ/r)¹² − (σ/r)⁶). Units: nm, ns, 10⁻²⁷ kg, and so 10⁻²⁷ J.
///
/// # Source
/// J. J. Biesiadecki and R. D. Skeel, *Dangers of multiple time step methods*, J. Comput. Phys. 109
/// (1993) 318, as in M. Gonzalez, B. Schmidt and M. Ortiz, *Force-stepping integrators in Lagrangian
/// mechanics*, Int. J. Numer. Meth. Engng (2010), section 6.2 and table I. With k_B = 1.380658·10⁻²³ J/K
/// the printed ε/k_B = 119.8 K gives the default. The energy at the start is −10.51925 ε; the paper
/// prints −10.51928 ε, which does not follow from its constants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Argon {
    /// Mass of an atom, 10⁻²⁷ kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Depth ε of the well of a pair, 10⁻²⁷ J.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub epsilon: f64,
    /// Distance σ at which the energy of a pair is zero, nm.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub sigma: f64,
}

impl Default for Argon {
    fn default() -> Self {
        Self { mass: 66.34, epsilon: 119.8 * 13_806.58, sigma: 0.341 }
    }
}

#[lagrangian]
impl Argon {
    fn lagrangian(&self, atoms: [Vec2; 7]) -> Scalar {
        let kinetic = sum(0..7, |i| 0.5 * self.mass * der(atoms[i]).norm_squared());
        let potential = sum(pairs(7), |(i, j)| {
            let attraction = (self.sigma.powi(2) / (atoms[i] - atoms[j]).norm_squared()).powi(3);
            4.0 * self.epsilon * (attraction.powi(2) - attraction)
        });
        kinetic - potential
    }
}

/// Table I of the paper: one atom in the middle of six, and no total momentum.
impl Start for Argon {
    fn start(&self) -> State {
        let q = [0.0, 0.0, 0.02, 0.39, 0.34, 0.17, 0.36, -0.21, -0.02, -0.40, -0.35, -0.16, -0.31, 0.21];
        let v = [-30, -20, 50, -90, -70, -60, 90, 40, 80, 90, -40, 100, -80, -60].map(f64::from);
        State::new(q.into(), v.into())
    }

    fn look(&self) -> Look {
        Look::new().species("atoms", &["Ar"])
    }
}
