use crate::liquid::lattice;
use crate::scatter::Scatter;
use least_action::nalgebra::{Quaternion, UnitQuaternion, Vector4};
use least_action::prelude::*;
use serde::{Deserialize, Serialize};
use std::iter::once;

/// Liquid water in a periodic cube: rigid SPC/E molecules with Ewald's sums.
///
/// Each molecule has an oxygen and two hydrogens, kept rigid by three distances. The oxygens interact by
/// the law of Lennard-Jones, switched off between two distances; all charges act on each other and on
/// their images by Ewald's sums:
///
/// V = Σ S(r) 4 ε ((σ/r)¹² − (σ/r)⁶) + k Σ q q erfc(α r)/r + (2π k/L³) Σ exp(−K²/4α²)/K²
/// × |Σ q exp(i K·x)|² − k Σ′ q q erf(α r)/r − k α/√π Σ q²,
///
/// over near pairs of different molecules, over waves K = 2π n/L with 0 < |n| ≤ `waves`, and with Σ′
/// over the pairs of one molecule. Units: nm, kJ/mol, u, and so ps. Charges are in elementary charges.
/// Boltzmann's constant is 0.008 314 462 618 kJ/(mol K).
///
/// The energy of a pair jumps at the cutoff by k q q erfc(α r)/r, with the defaults by less than 2·10⁻³
/// kJ/mol. They make a small box; a usual one is
/// made by `molecules=216`, `on=0.8`, `cutoff=0.9`, `splitting=3.55`, with as many waves, as α L stays.
///
/// # Source
/// H. J. C. Berendsen, J. R. Grigera, T. P. Straatsma, *The missing term in effective pair potentials*,
/// J. Phys. Chem. 91 (1987) 6269: distances, charges, σ and ε, and the density of water at 300 K, 0.997
/// g/cm³. Ewald's sums as in M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 2nd ed.,
/// Oxford 2017, §6.2. CODATA 2018 gives Coulomb's constant and Boltzmann's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WaterBox {
    /// Number of molecules.
    pub molecules: usize,
    /// Molecules in a cubic nanometre.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub density: f64,
    /// Masses of oxygen and hydrogen, u.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub masses: [f64; 2],
    /// Charge of a hydrogen, e; an oxygen has minus twice as much.
    pub charge: f64,
    /// Distance of hydrogen and oxygen in a molecule, nm.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub bond: f64,
    /// Angle between the two bonds of a molecule, degrees.
    #[serde(deserialize_with = "crate::allowed::corner")]
    pub angle: f64,
    /// Distance σ of two oxygens at which their energy is zero, nm.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub sigma: f64,
    /// Depth ε of the well of two oxygens, kJ/mol.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub epsilon: f64,
    /// Coulomb's constant k, kJ nm/(mol e²).
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub coulomb: f64,
    /// Distance from which on the law of Lennard-Jones is switched off, nm.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub on: f64,
    /// Distance beyond which pairs are not summed, nm; at most half of the edge of the cube.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub cutoff: f64,
    /// Inverse width α of the clouds of charge in Ewald's sums, 1/nm.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub splitting: f64,
    /// Largest number |n| of a wave.
    pub waves: u32,
    /// Temperature at the start, K.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub temperature: f64,
    /// Seed of the orientations and velocities at the start.
    pub seed: u64,
}

impl Default for WaterBox {
    fn default() -> Self {
        Self {
            molecules: 32,
            density: 33.33,
            masses: [15.9994, 1.008],
            charge: 0.4238,
            bond: 0.1,
            angle: 109.47,
            sigma: 0.3166,
            epsilon: 0.650,
            coulomb: 138.935_458,
            on: 0.4,
            cutoff: 0.45,
            splitting: 7.1,
            waves: 7,
            temperature: 300.0,
            seed: 1,
        }
    }
}

/// Boltzmann's constant, kJ/(mol K).
const BOLTZMANN: f64 = 0.008_314_462_618;

impl WaterBox {
    /// The edge of the cube, nm.
    pub fn edge(&self) -> f64 {
        (self.molecules as f64 / self.density).cbrt()
    }

    /// The charge of an atom.
    fn charge_of(&self, atom: usize) -> f64 {
        if atom.is_multiple_of(3) { -2.0 * self.charge } else { self.charge }
    }

    /// The pairs of atoms of each molecule.
    fn bound_pairs(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        (0..self.molecules).flat_map(|m| [(3 * m, 3 * m + 1), (3 * m, 3 * m + 2), (3 * m + 1, 3 * m + 2)])
    }

    /// The numbers of each wave with non-negative components, and its weight for all signs together.
    fn waves(&self) -> Vec<([usize; 3], f64)> {
        let (edge, most) = (self.edge(), self.waves as usize);
        let line = || 0..=most;
        let all = line().flat_map(|x| line().flat_map(move |y| line().map(move |z| [x, y, z])));
        let wanted = all.filter(|n| (1..=most * most).contains(&n.iter().map(|k| k * k).sum::<usize>()));
        let weighed = |n: [usize; 3]| {
            let square: f64 = n.iter().map(|k| self.wave_number(*k).powi(2)).sum();
            let cloud = (-square / (4.0 * self.splitting.powi(2))).exp() / square;
            let signs = n.iter().filter(|k| **k > 0).map(|_| 2.0).product::<f64>();
            (n, signs * std::f64::consts::TAU * self.coulomb / edge.powi(3) * cloud)
        };
        wanted.map(weighed).collect()
    }

    /// The component 2π n/L of a wave.
    fn wave_number(&self, n: usize) -> f64 {
        std::f64::consts::TAU * n as f64 / self.edge()
    }

    /// The energy of the clouds of charge with themselves.
    fn own_energy(&self) -> f64 {
        let square: f64 = (0..3).map(|atom| self.charge_of(atom).powi(2)).sum();
        self.coulomb * self.splitting / std::f64::consts::PI.sqrt() * square * self.molecules as f64
    }
}

#[lagrangian(conserves(energy))]
impl WaterBox {
    fn lagrangian(&self, atoms: [Vec3; 3 * self.molecules]) -> Scalar {
        let (n, cell) = (self.molecules, Cell::cubic(self.edge()));
        let kinetic = sum(0..n, |m| {
            0.5 * self.masses[0] * der(atoms[3 * m]).norm_squared()
                + 0.5 * self.masses[1] * der(atoms[3 * m + 1]).norm_squared()
                + 0.5 * self.masses[1] * der(atoms[3 * m + 2]).norm_squared()
        });
        let oxygens = each(0..n, |m| atoms[3 * m]);
        let dispersion = sum(within(self.cutoff, oxygens).periodic(cell), |(_, _, d)| {
            let s = (self.sigma.powi(2) / d.norm_squared()).powi(3);
            switched(d.norm(), self.on, self.cutoff) * 4.0 * self.epsilon * (s.powi(2) - s)
        });
        let near = within(self.cutoff, atoms).periodic(cell).except(self.bound_pairs());
        let real = sum(near, |(i, j, d)| {
            let r = d.norm();
            self.coulomb * self.charge_of(i) * self.charge_of(j) * (self.splitting * r).erfc() / r
        });
        // Waves with the numbers ±a, ±b, ±c add up to the sum of the squares of eight sums: charges
        // times cos K x or sin K x, and likewise in y and in z. Each factor is found once: a sum over
        // one item holds a number.
        let count = self.waves as usize + 1;
        let along_x = each(0..count, |p| {
            each(0..3 * n, |k| {
                sum(once(k), |j| self.charge_of(j) * self.phase(self.wave_number(p) * atoms[j].x))
            })
        });
        let along_y = each(0..count, |p| {
            each(0..3 * n, |k| sum(once(k), |j| self.phase(self.wave_number(p) * atoms[j].y)))
        });
        let along_z = each(0..count, |p| {
            each(0..3 * n, |k| sum(once(k), |j| self.phase(self.wave_number(p) * atoms[j].z)))
        });
        let waves = sum(self.waves(), |([a, b, c], weight)| {
            let p = sum(0..3 * n, |k| along_x[a][k].x * along_y[b][k] * along_z[c][k].x);
            let q = sum(0..3 * n, |k| along_x[a][k].x * along_y[b][k] * along_z[c][k].y);
            let r = sum(0..3 * n, |k| along_x[a][k].y * along_y[b][k] * along_z[c][k].x);
            let s = sum(0..3 * n, |k| along_x[a][k].y * along_y[b][k] * along_z[c][k].y);
            weight * (p.norm_squared() + q.norm_squared() + r.norm_squared() + s.norm_squared())
        });
        let bound = sum(self.bound_pairs(), |(i, j)| {
            let r = (atoms[i] - atoms[j]).norm();
            self.coulomb * self.charge_of(i) * self.charge_of(j) * (self.splitting * r).erf() / r
        });
        kinetic - dispersion - real - waves + bound + self.own_energy()
    }

    /// The cosine and the sine of a phase.
    fn phase(&self, phase: Scalar) -> Vec2 {
        vec2(phase.cos(), phase.sin())
    }

    #[holonomic]
    fn rigid(&self, atoms: [Vec3; 3 * self.molecules]) -> [[Scalar; 3]; self.molecules] {
        each(0..self.molecules, |m| {
            let (oxygen, first, second) = (atoms[3 * m], atoms[3 * m + 1], atoms[3 * m + 2]);
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

impl WaterBox {
    /// The atoms of a molecule from its oxygen, before it is turned.
    fn molecule(&self) -> [Vector3<f64>; 3] {
        let (sine, cosine) = self.half_angle().sin_cos();
        let hydrogen = |side: f64| self.bond * Vector3::new(cosine, side * sine, 0.0);
        [Vector3::zeros(), hydrogen(1.0), hydrogen(-1.0)]
    }

    /// Velocities of the atoms of rigid molecules: normal with variance k_B T/m, less the part that
    /// would change distances; without total momentum, scaled to the temperature.
    fn velocities(&self, places: &[[Vector3<f64>; 3]], scatter: &mut Scatter) -> Vec<Vector3<f64>> {
        let masses = [self.masses[0], self.masses[1], self.masses[1]];
        let of_molecule = |place| {
            let normal = masses.map(|mass| Vector3::from_fn(|_, _| scatter.normal()) / mass.sqrt());
            rigid_part(place, normal, masses)
        };
        let mut all: Vec<Vector3<f64>> = places.iter().flat_map(of_molecule).collect();
        let all_masses = masses.into_iter().cycle();
        let total: f64 = masses.iter().sum::<f64>() * self.molecules as f64;
        let momentum: Vector3<f64> = all.iter().zip(all_masses.clone()).map(|(v, mass)| *v * mass).sum();
        all.iter_mut().for_each(|v| *v -= momentum / total);
        let twice: f64 = all.iter().zip(all_masses).map(|(v, mass)| mass * v.norm_squared()).sum();
        // Six degrees of freedom a molecule, less the momentum.
        let wanted = (6.0 * self.molecules as f64 - 3.0).max(0.0) * BOLTZMANN * self.temperature;
        let factor = if twice > 0.0 { (wanted / twice).sqrt() } else { 0.0 };
        all.into_iter().map(|v| factor * v).collect()
    }
}

/// The part of velocities that keeps all distances: the rigid motion of their momenta.
fn rigid_part(
    places: &[Vector3<f64>; 3],
    velocities: [Vector3<f64>; 3],
    masses: [f64; 3],
) -> [Vector3<f64>; 3] {
    let mean = |of: &[Vector3<f64>; 3]| -> Vector3<f64> {
        of.iter().zip(masses).map(|(one, mass)| one * mass).sum::<Vector3<f64>>() / masses.iter().sum::<f64>()
    };
    let (centre, drift) = (mean(places), mean(&velocities));
    let (mut inertia, mut spin) = (Matrix3::zeros(), Vector3::zeros());
    for ((place, velocity), mass) in places.iter().zip(&velocities).zip(masses) {
        let arm = place - centre;
        inertia += mass * (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose());
        spin += mass * arm.cross(&(velocity - drift));
    }
    let rate = inertia.try_inverse().map_or_else(Vector3::zeros, |inverse| inverse * spin);
    places.map(|place| drift + rate.cross(&(place - centre)))
}

/// The oxygens on a face-centred cubic lattice, each molecule turned at random, with velocities of
/// Maxwell's distribution at exactly this temperature, without total momentum. The molecules turn to
/// each other within a picosecond and grow hot by it: a thermostat, `friction`
/// and `inverse_temperature`, brings them to their temperature.
impl Start for WaterBox {
    fn start(&self) -> State {
        let mut scatter = Scatter::from_seed(self.seed);
        let sites = lattice(self.molecules, self.edge());
        let molecule = self.molecule();
        let placed = |site: &[f64; 3]| {
            // A normal vector of four components is a uniformly random rotation.
            let normal = Quaternion::from_vector(Vector4::from_fn(|_, _| scatter.normal()));
            let turn = UnitQuaternion::from_quaternion(normal);
            molecule.map(|atom| Vector3::from(*site) + turn * atom)
        };
        let places: Vec<[Vector3<f64>; 3]> = sites.as_chunks::<3>().0.iter().map(placed).collect();
        let velocities = self.velocities(&places, &mut scatter);
        State::of_points(places.concat(), velocities)
    }

    fn look(&self) -> Look {
        Look::new().colours("atoms", &["#d1495b", "#e8e8ee", "#e8e8ee"]).species("atoms", &["O", "H", "H"])
    }
}
