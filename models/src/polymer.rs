use crate::liquid::maxwell;
use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A polymer that is held by its size: a chain of beads with a restraint of its radius of gyration.
///
/// Springs join the beads, which repel each other: V = ½ k (R_g − R₀)² + ½ k_b Σ (|b| − b₀)² + Σ 4 ε
/// ((σ/r)¹² − (σ/r)⁶) + ε, with R_g² = Σ |x − x̄|² / n; the last sum goes over pairs nearer than 2^(1/6)
/// σ, where its force ends, but for neighbours in the chain. Reduced units: the mass of a bead, ε and σ
/// are one, so that the unit of time is √(m σ²/ε), the unit of temperature ε/k_B.
///
/// Units: none.
///
/// # Source
/// K. Kremer, G. S. Grest, *Dynamics of entangled linear polymer melts*, J. Chem. Phys. 92 (1990) 5057,
/// with springs of Hooke in place of theirs; the restraint as of collective variables: G. Fiorin, M. L.
/// Klein, J. Hénin, *Using collective variables to drive molecular dynamics simulations*, Mol. Phys. 111
/// (2013) 3345.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Polymer {
    /// Number of beads.
    #[serde(deserialize_with = "crate::allowed::several")]
    pub beads: usize,
    /// Length of a bond at rest, σ.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub bond: f64,
    /// Stiffness of a bond, ε/σ².
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub bond_stiffness: f64,
    /// Depth ε of the potential behind the repulsion; zero for beads that do not repel.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub repulsion: f64,
    /// Radius of gyration R₀ at which the chain is held, σ.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub radius: f64,
    /// Stiffness k of the restraint, ε/σ²; zero for a free chain.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub stiffness: f64,
    /// Temperature at the start, ε/k_B.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub temperature: f64,
    /// Seed of the velocities at the start.
    pub seed: u64,
}

impl Default for Polymer {
    fn default() -> Self {
        Self {
            beads: 32,
            bond: 1.0,
            bond_stiffness: 400.0,
            repulsion: 1.0,
            radius: 3.0,
            stiffness: 50.0,
            temperature: 1.0,
            seed: 1,
        }
    }
}

#[lagrangian(conserves(energy, linear_momentum, angular_momentum))]
impl Polymer {
    fn lagrangian(&self, beads: [Vec3; self.beads]) -> Scalar {
        let n = self.beads;
        let kinetic = sum(0..n, |i| 0.5 * der(beads[i]).norm_squared());
        let centre = sum(0..n, |i| beads[i]) / n as f64;
        let spread = sum(0..n, |i| (beads[i] - centre).norm_squared()) / n as f64;
        let restraint = 0.5 * self.stiffness * (spread.sqrt() - self.radius).powi(2);
        let bonds = sum(1..n, |i| {
            let stretch = (beads[i] - beads[i - 1]).norm() - self.bond;
            0.5 * self.bond_stiffness * stretch.powi(2)
        });
        let end = 2.0_f64.powf(1.0 / 6.0);
        let neighbours = (1..n).map(|i| (i - 1, i));
        let repulsion = sum(within(end, beads).except(neighbours), |(_, _, d)| {
            shifted(d.norm(), end, |r| 4.0 * self.repulsion * (r.powi(-12) - r.powi(-6)))
        });
        kinetic - restraint - bonds - repulsion
    }
}

/// On a helix with the radius of gyration R₀, whose bonds are at rest if its rise allows it, with
/// velocities of Maxwell's distribution at exactly this temperature, without total momentum. (A measured
/// temperature leaves out the angular momentum too, which these velocities have.)
impl Start for Polymer {
    fn start(&self) -> State {
        let places = helix(self.beads, self.bond, self.radius);
        State::new(places, maxwell(self.beads, self.temperature, self.seed))
    }
}

/// Beads on a helix around the z-axis with its centre at the origin and this radius of gyration. Bonds
/// are at rest if the rise from bead to bead is then between 0.3 of a bond and all of it, else as long
/// as the radius needs.
pub(crate) fn helix(beads: usize, bond: f64, radius: f64) -> Vec<f64> {
    // With so much of a turn from bead to bead, turns are a bond apart at the least rise.
    const TURN: f64 = 100.0 * std::f64::consts::PI / 180.0;
    const LEAST: f64 = 0.3;
    let count = beads as f64;
    let places = |around: f64, rise: f64| -> Vec<[f64; 3]> {
        let place = |k: usize| {
            let (sine, cosine) = (TURN * k as f64).sin_cos();
            [around * cosine, around * sine, rise * k as f64]
        };
        let all: Vec<[f64; 3]> = (0..beads).map(place).collect();
        let mean = [0, 1, 2].map(|c| all.iter().map(|x| x[c]).sum::<f64>() / count);
        all.into_iter().map(|x| [0, 1, 2].map(|c| x[c] - mean[c])).collect()
    };
    let size = |all: &[[f64; 3]]| (all.iter().flatten().map(|x| x * x).sum::<f64>() / count).sqrt();
    // R_g² = (1 − h²) flat² + h² high² with the rise h of a bond of length one.
    let widest = 0.5 / (0.5 * TURN).sin();
    let (flat, high) = (size(&places(widest, 0.0)), size(&places(0.0, 1.0)));
    let wanted = (radius / bond).powi(2);
    let rise = ((wanted - flat.powi(2)) / (high.powi(2) - flat.powi(2))).clamp(LEAST.powi(2), 1.0).sqrt();
    // One bead, or none, has no size; binding or running reports numbers that are NaN.
    let rise = if rise.is_finite() { rise } else { LEAST };
    let all = places(widest * (1.0 - rise * rise).max(0.0).sqrt(), rise);
    let factor = radius / size(&all);
    let factor = if factor.is_finite() { factor } else { bond };
    all.into_iter().flatten().map(|x| factor * x).collect()
}
