use crate::liquid::maxwell;
use crate::polymer::{Polymer, helix};
use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A polymer of given size: a chain of beads with a constraint on its radius of gyration, R_g = R₀.
///
/// V = ½ k_b Σ (|b| − b₀)² + Σ 4 ε ((σ/r)¹² − (σ/r)⁶) + ε as of `Polymer`; the multiplier of the
/// constraint is the force with which the chain resists its size.
///
/// Units: none.
///
/// # Source
/// As of `Polymer`; for the multiplier as a mean force E. A. Carter, G. Ciccotti, J. T. Hynes, R.
/// Kapral, *Constrained reaction coordinate dynamics for the simulation of rare events*, Chem. Phys.
/// Lett. 156 (1989) 472.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolymerConstrained {
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
    /// Radius of gyration R₀ of the chain, σ.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub radius: f64,
    /// Temperature at the start, ε/k_B.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub temperature: f64,
    /// Seed of the velocities at the start.
    pub seed: u64,
}

impl Default for PolymerConstrained {
    fn default() -> Self {
        let Polymer { beads, bond, bond_stiffness, repulsion, radius, temperature, seed, .. } =
            Polymer::default();
        Self { beads, bond, bond_stiffness, repulsion, radius, temperature, seed }
    }
}

#[lagrangian(conserves(energy, linear_momentum, angular_momentum))]
impl PolymerConstrained {
    fn lagrangian(&self, beads: [Vec3; self.beads]) -> Scalar {
        let n = self.beads;
        let kinetic = sum(0..n, |i| 0.5 * der(beads[i]).norm_squared());
        let bonds = sum(1..n, |i| {
            let stretch = (beads[i] - beads[i - 1]).norm() - self.bond;
            0.5 * self.bond_stiffness * stretch.powi(2)
        });
        let end = 2.0_f64.powf(1.0 / 6.0);
        let neighbours = (1..n).map(|i| (i - 1, i));
        let repulsion = sum(within(end, beads).except(neighbours), |(_, _, d)| {
            shifted(d.norm(), end, |r| 4.0 * self.repulsion * (r.powi(-12) - r.powi(-6)))
        });
        kinetic - bonds - repulsion
    }

    #[holonomic]
    fn size(&self, beads: [Vec3; self.beads]) -> Scalar {
        let n = self.beads;
        let centre = sum(0..n, |i| beads[i]) / n as f64;
        let spread = sum(0..n, |i| (beads[i] - centre).norm_squared()) / n as f64;
        spread.sqrt() - self.radius
    }
}

/// On the helix of [`Polymer`], with its velocities less the part that would change R_g.
impl Start for PolymerConstrained {
    fn start(&self) -> State {
        let q = helix(self.beads, self.bond, self.radius);
        let mut v = maxwell(self.beads, self.temperature, self.seed);
        // The centre of the helix is the origin, so that positions are the direction in which R_g grows.
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (energy, part) = (dot(&v, &v), dot(&q, &v) / dot(&q, &q));
        v.iter_mut().zip(&q).for_each(|(v, q)| *v -= part * q);
        let left = dot(&v, &v);
        // One degree of freedom less at the same temperature.
        let freedom = 3.0 * self.beads.saturating_sub(1) as f64;
        let factor = if left > 0.0 { (energy * (freedom - 1.0) / (freedom * left)).sqrt() } else { 0.0 };
        v.iter_mut().for_each(|v| *v *= factor);
        State::new(q, v)
    }
}
