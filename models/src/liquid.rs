use crate::scatter::Scatter;
use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A liquid of like atoms in a periodic cube that interact by the law of Lennard-Jones up to a cutoff.
///
/// V = Σ S(r) 4 ((1/r)¹² − (1/r)⁶) over the pairs nearer than `cutoff`, where S falls from 1 at `on` to
/// 0 at the cutoff, twice differentiably. Reduced units: mass, ε and σ are one, so that the unit of time
/// is √(m σ²/ε) and the unit of temperature ε/k_B; for argon 2.16 ps and 119.8 K.
///
/// Units: none.
///
/// # Source
/// L. Verlet, *Computer "Experiments" on Classical Fluids I*, Phys. Rev. 159 (1967) 98; density and
/// temperature lie near the triple point, as in comparisons of programs for molecular dynamics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Liquid {
    /// Number of atoms.
    pub atoms: usize,
    /// Atoms in a unit of volume.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub density: f64,
    /// Distance from which on the potential is switched off.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub on: f64,
    /// Distance beyond which atoms do not interact; at most half of the edge of the cube.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub cutoff: f64,
    /// Temperature at the start.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub temperature: f64,
    /// Seed of the velocities at the start.
    pub seed: u64,
}

impl Default for Liquid {
    fn default() -> Self {
        Self { atoms: 108, density: 0.8442, on: 2.0, cutoff: 2.5, temperature: 1.44, seed: 1 }
    }
}

impl Liquid {
    /// The edge of the cube.
    pub fn edge(&self) -> f64 {
        (self.atoms as f64 / self.density).cbrt()
    }
}

#[lagrangian]
impl Liquid {
    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let kinetic = sum(0..self.atoms, |i| 0.5 * der(atoms[i]).norm_squared());
        let near = within(self.cutoff, atoms).periodic(Cell::cubic(self.edge()));
        let potential = sum(near, |(_, _, d)| {
            let attraction = d.norm_squared().powi(-3);
            switched(d.norm(), self.on, self.cutoff) * 4.0 * (attraction.powi(2) - attraction)
        });
        kinetic - potential
    }
}

/// On a face-centred cubic lattice, with velocities of Maxwell's distribution at exactly this
/// temperature, without total momentum. Half of their energy goes to the potential at once; the lattice
/// melts later.
impl Start for Liquid {
    fn start(&self) -> State {
        State::new(lattice(self.atoms, self.edge()), maxwell(self.atoms, self.temperature, self.seed))
    }
}

/// `atoms` sites of a face-centred cubic lattice that fills a cube; surplus sites are left out evenly.
pub(crate) fn lattice(atoms: usize, edge: f64) -> Vec<f64> {
    let cells = (1..=atoms).find(|cells| 4 * cells.pow(3) >= atoms).unwrap_or(1);
    let (sites, half) = (4 * cells.pow(3), 0.5 * edge / cells as f64);
    let basis = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]];
    let site = |number: usize| {
        let (cell, own) = (number / 4, basis[number % 4]);
        let corner = [cell % cells, cell / cells % cells, cell / cells.pow(2)];
        [0, 1, 2].map(|k| half * (2 * corner[k] + own[k]) as f64)
    };
    // All sites, or evenly chosen ones.
    (0..atoms).flat_map(|atom| site((atom as u128 * sites as u128 / atoms as u128) as usize)).collect()
}

/// Velocities of unit masses: normal, without total momentum, with Σ v² = 3 (n − 1) T.
pub(crate) fn maxwell(atoms: usize, temperature: f64, seed: u64) -> Vec<f64> {
    let mut scatter = Scatter::from_seed(seed);
    let mut v: Vec<f64> = (0..3 * atoms).map(|_| scatter.normal()).collect();
    for k in 0..3 {
        let mean = v.iter().skip(k).step_by(3).sum::<f64>() / atoms.max(1) as f64;
        v.iter_mut().skip(k).step_by(3).for_each(|v| *v -= mean);
    }
    let square: f64 = v.iter().map(|v| v * v).sum();
    let wanted = 3.0 * atoms.saturating_sub(1) as f64 * temperature;
    let factor = if square > 0.0 { (wanted / square).sqrt() } else { 0.0 };
    v.iter_mut().for_each(|v| *v *= factor);
    v
}
