use crate::liquid::{lattice, maxwell};
use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A unified atomic mass in eV ps²/Å².
const DALTON: f64 = 1.036_426_965e-4;
/// Boltzmann's constant in eV/K.
const BOLTZMANN: f64 = 8.617_333_262e-5;

/// A copper crystal in a periodic cube: atoms repel in pairs, and the electrons of neighbours hold them.
///
/// By Gupta, by Finnis and Sinclair, and by Cleri and Rosato:
/// V = Σᵢ (Σⱼ A exp(−p (r/r₀ − 1)) S(r) − √ρᵢ) with ρᵢ = Σⱼ ξ² exp(−2q (r/r₀ − 1)) S(r), over the
/// neighbours nearer than `cutoff`, where S falls from 1 at `on` to 0 at the cutoff, twice
/// differentiably. Lengths are in Å, times in ps, energies in eV.
///
/// At rest on its lattice an atom has −3.514 eV, and the lattice is in balance at 3.6145 Å; with all
/// five shells of neighbours of the source −3.544 eV. Copper melts at 1358 K; a vibration takes 0.14 ps.
///
/// Units: Å, ps, eV.
///
/// # Source
/// F. Cleri, V. Rosato, *Tight-binding potentials for transition metals and alloys*, Phys. Rev. B 48
/// (1993) 22, Table II.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Copper {
    /// Number of atoms; four fill a cell of the lattice, so that 4 k³ leave no site empty.
    pub atoms: usize,
    /// Edge of a cell of the lattice, in Å.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub spacing: f64,
    /// Mass of an atom, in u.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Energy of repulsion A of a pair at the distance r₀, in eV.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub repulsion: f64,
    /// Hopping integral ξ at the distance r₀, in eV.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub hopping: f64,
    /// Steepness p of the repulsion.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub steepness: f64,
    /// Steepness q of the hopping integral.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub decay: f64,
    /// Distance r₀ of nearest neighbours, in Å.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub distance: f64,
    /// Distance from which on the potential is switched off, in Å.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub on: f64,
    /// Distance beyond which atoms do not interact, in Å; at most half of the edge of the cube.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub cutoff: f64,
    /// Temperature at the start, in K.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub temperature: f64,
    /// Seed of the velocities at the start.
    pub seed: u64,
}

impl Default for Copper {
    fn default() -> Self {
        Self {
            atoms: 108,
            spacing: 3.6145,
            mass: 63.546,
            repulsion: 0.0855,
            hopping: 1.224,
            steepness: 10.96,
            decay: 2.278,
            distance: 2.556,
            on: 4.6,
            cutoff: 5.4,
            temperature: 600.0,
            seed: 1,
        }
    }
}

impl Copper {
    /// The edge of the cube, in Å.
    pub fn edge(&self) -> f64 {
        self.spacing * (self.atoms as f64 / 4.0).cbrt()
    }

    /// The mass of an atom, in eV ps²/Å².
    fn inertia(&self) -> f64 {
        self.mass * DALTON
    }
}

#[lagrangian]
impl Copper {
    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let kinetic = sum(0..self.atoms, |i| 0.5 * self.inertia() * der(atoms[i]).norm_squared());
        let near = within(self.cutoff, atoms).periodic(Cell::cubic(self.edge()));
        let falling = |steepness: f64, r: Scalar| {
            switched(r, self.on, self.cutoff) * (-steepness * (r / self.distance - 1.0)).exp()
        };
        // Each pair is met once, and either atom has this energy.
        let pairs = sum(&near, |(_, _, d)| 2.0 * self.repulsion * falling(self.steepness, d.norm()));
        let density = each(0..self.atoms, |i| {
            sum(near.of(i), |(_, d)| self.hopping.powi(2) * falling(2.0 * self.decay, d.norm()))
        });
        kinetic - pairs + sum(0..self.atoms, |i| density[i].sqrt())
    }
}

/// On a face-centred cubic lattice, with velocities of Maxwell's distribution at exactly this
/// temperature, without total momentum. Half of their energy goes to the potential within a picosecond.
impl Start for Copper {
    fn start(&self) -> State {
        let heat = BOLTZMANN * self.temperature / self.inertia();
        State::new(lattice(self.atoms, self.edge()), maxwell(self.atoms, heat, self.seed))
    }

    fn look(&self) -> Look {
        Look::new().species("atoms", &["Cu"])
    }
}
