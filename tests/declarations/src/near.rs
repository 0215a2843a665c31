//! Sums over near pairs.

use least_action::prelude::*;

/// The end of a pair potential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It stops.
    Plain,
    /// u − u(off).
    Shifted,
    /// The force ends continuously, too.
    ForceShifted,
    /// It is switched off between two distances.
    Switched,
}

/// Two kinds of atoms in a periodic cell, with pairs that do not meet.
#[derive(Debug, Clone)]
pub struct Liquid {
    /// The kind of each atom.
    pub kind: Vec<usize>,
    /// The depth of the well of each pair of kinds.
    pub epsilon: Vec<Vec<f64>>,
    /// The distance of each pair of kinds at which its energy is zero.
    pub sigma: Vec<Vec<f64>>,
    /// The cell that repeats.
    pub cell: Cell,
    /// Where the switch begins.
    pub on: f64,
    /// Where pairs end.
    pub cutoff: f64,
    /// The pairs that do not meet.
    pub bonds: Vec<(usize, usize)>,
    /// How the potential ends.
    pub end: End,
}

#[lagrangian]
impl Liquid {
    fn lagrangian(&self, atoms: [Vec3; self.kind.len()]) -> Scalar {
        let kinetic = sum(atoms.iter(), |atom| 0.5 * der(*atom).norm_squared());
        let near = within(self.cutoff, atoms).periodic(self.cell).except(self.bonds.iter().copied());
        let pairs = sum(near, |(i, j, d)| {
            let (epsilon, sigma) =
                (self.epsilon[self.kind[i]][self.kind[j]], self.sigma[self.kind[i]][self.kind[j]]);
            let pair = |r: Scalar| {
                let s = (sigma / r).powi(6);
                4.0 * epsilon * (s * s - s)
            };
            let r = d.norm();
            match self.end {
                End::Plain => pair(r),
                End::Shifted => shifted(r, self.cutoff, pair),
                End::ForceShifted => force_shifted(r, self.cutoff, pair),
                End::Switched => switched(r, self.on, self.cutoff) * pair(r),
            }
        });
        kinetic - pairs
    }
}

/// The same, with the condition written out over all pairs.
#[derive(Debug, Clone)]
pub struct LiquidOfAllPairs(pub Liquid);

#[lagrangian]
impl LiquidOfAllPairs {
    fn lagrangian(&self, atoms: [Vec3; self.0.kind.len()]) -> Scalar {
        let kinetic = sum(atoms.iter(), |atom| 0.5 * der(*atom).norm_squared());
        let met = pairs(self.0.kind.len()).filter(|pair| !self.0.bonds.contains(pair));
        let pairs = sum(met, |(i, j)| {
            let d = periodic(self.0.cell, atoms[i] - atoms[j]);
            let kinds = (self.0.kind[i], self.0.kind[j]);
            let (epsilon, sigma) = (self.0.epsilon[kinds.0][kinds.1], self.0.sigma[kinds.0][kinds.1]);
            let pair = |r: Scalar| 4.0 * epsilon * ((sigma / r).powi(12) - (sigma / r).powi(6));
            let (r, off) = (d.norm(), self.0.cutoff);
            if r < off {
                match self.0.end {
                    End::Plain => pair(r),
                    End::Shifted => shifted(r, off, pair),
                    End::ForceShifted => force_shifted(r, off, pair),
                    End::Switched => switched(r, self.0.on, off) * pair(r),
                }
            } else {
                0.0
            }
        });
        kinetic - pairs
    }
}

/// Charged disks of unequal radii in a slab that repeats along x: arithmetic of both ends, a field of
/// the place, drag between neighbours, and fixed partners of another kind.
#[derive(Debug, Clone)]
pub struct Foam {
    /// The radius of each disk.
    pub radii: Vec<f64>,
    /// The charge of each disk.
    pub charges: Vec<f64>,
    /// The number of posts.
    pub posts: usize,
    /// The period along x.
    pub width: f64,
    /// The stiffness of a contact.
    pub stiffness: f64,
    /// The drag between neighbours.
    pub drag: f64,
    /// Where pairs end.
    pub reach: f64,
}

#[lagrangian]
impl Foam {
    fn lagrangian(&self, disks: [Vec2; self.radii.len()], posts: [Vec2; self.posts]) -> Scalar {
        let moving = sum(disks.iter(), |disk| 0.5 * der(*disk).norm_squared());
        let held = sum(posts.iter(), |post| 0.5 * der(*post).norm_squared() - 0.5 * post.norm_squared());
        let near = within(self.reach, disks).periodic(Cell::orthorhombic([Some(self.width), None, None]));
        let touching = sum(&near, |(i, j, d)| {
            let overlap = self.radii[i] + self.radii[j] - d.norm();
            if overlap > 0.0 { 0.5 * self.stiffness * overlap.powi(2) } else { 0.0 }
        });
        let charges = sum(near, |(i, j, d)| {
            let of_one = self.charges[i] * self.charges[j] / d.norm();
            // A field that depends on the place of one end.
            switched(d.norm(), 0.5 * self.reach, self.reach) * of_one * (1.0 + 0.1 * disks[i].y.powi(2))
        });
        // Each point of an array has its neighbours in another.
        let attached = sum(0..self.posts, |k| {
            let close = within(self.reach, posts);
            sum(close.of(k), |(_, d)| 0.1 * (d.norm_squared() - self.reach.powi(2)).powi(2))
        });
        let leaning = sum(between(self.reach, posts, disks), |(k, i, d)| {
            self.charges[i] * (k as f64 + 1.0) * (self.reach - d.norm()).powi(3)
        });
        moving + held - touching - charges - attached - leaning
    }

    #[dissipation]
    fn rubbing(&self, disks: [Vec2; self.radii.len()]) -> Scalar {
        sum(within(self.reach, disks), |(_, _, d)| 0.5 * self.drag * der(d).norm_squared())
    }
}

/// Charges in a periodic cube by Ewald's sums: near pairs, waves, and corrections in molecules.
#[derive(Debug, Clone)]
pub struct Ions {
    /// The charges.
    pub charges: Vec<f64>,
    /// The pairs of charges of one molecule.
    pub bonds: Vec<(usize, usize)>,
    /// The edge of the cube.
    pub length: f64,
    /// The distance at which near pairs end.
    pub cutoff: f64,
    /// How narrow the clouds are.
    pub alpha: f64,
    /// The waves of half of the space of waves, and their weights.
    pub waves: Vec<([f64; 3], f64)>,
}

impl Ions {
    fn own(&self) -> f64 {
        -self.alpha / std::f64::consts::PI.sqrt()
            * self.charges.iter().map(|charge| charge * charge).sum::<f64>()
    }
}

#[lagrangian]
impl Ions {
    fn lagrangian(&self, sites: [Vec3; self.charges.len()]) -> Scalar {
        let kinetic = sum(sites.iter(), |site| 0.5 * der(*site).norm_squared());
        let near =
            within(self.cutoff, sites).periodic(Cell::cubic(self.length)).except(self.bonds.iter().copied());
        let real = sum(near, |(i, j, d)| {
            let r = d.norm();
            self.charges[i] * self.charges[j] * (self.alpha * r).erfc() / r
        });
        let waves = sum(self.waves.iter(), |&(wave, weight)| {
            let phase = |k: usize| vec3(wave).dot(sites[k]);
            let cosines = sum(0..self.charges.len(), |k| self.charges[k] * phase(k).cos());
            let sines = sum(0..self.charges.len(), |k| self.charges[k] * phase(k).sin());
            weight * (cosines.powi(2) + sines.powi(2))
        });
        let lost = sum(self.bonds.iter(), |&(i, j)| {
            let r = periodic(Cell::cubic(self.length), sites[i] - sites[j]).norm();
            self.charges[i] * self.charges[j] * (self.alpha * r).erf() / r
        });
        kinetic - real - waves + lost - self.own()
    }
}

/// Rigid dumbbells in a periodic cube: heads repel heads and tails softly.
#[derive(Debug, Clone)]
pub struct Dumbbells {
    /// The number of dumbbells.
    pub count: usize,
    /// The masses of heads and tails.
    pub masses: [f64; 2],
    /// The length of a dumbbell.
    pub length: f64,
    /// The edge of the cube.
    pub edge: f64,
    /// Where pairs end.
    pub cutoff: f64,
    /// Whether another constraint says again how long the first dumbbell is.
    pub twice: bool,
}

#[lagrangian(conserves(energy, linear_momentum))]
impl Dumbbells {
    fn lagrangian(&self, heads: [Vec3; self.count], tails: [Vec3; self.count]) -> Scalar {
        let kinetic = sum(0..self.count, |i| {
            0.5 * self.masses[0] * der(heads[i]).norm_squared()
                + 0.5 * self.masses[1] * der(tails[i]).norm_squared()
        });
        let cell = Cell::cubic(self.edge);
        let soft = |d: Vec3| (self.cutoff - d.norm()).powi(4);
        let alike = sum(within(self.cutoff, heads).periodic(cell), |(_, _, d)| soft(d));
        let unlike = sum(between(self.cutoff, heads, tails).periodic(cell), |(_, _, d)| 2.0 * soft(d));
        kinetic - alike - unlike
    }

    #[holonomic]
    fn rods(&self, heads: [Vec3; self.count], tails: [Vec3; self.count]) -> [Scalar; self.count] {
        each(0..self.count, |i| (heads[i] - tails[i]).norm_squared() - self.length.powi(2))
    }

    #[holonomic]
    fn again(
        &self,
        heads: [Vec3; self.count],
        tails: [Vec3; self.count],
    ) -> [Scalar; usize::from(self.twice)] {
        each(0..usize::from(self.twice), |i| (heads[i] - tails[i]).norm() - self.length)
    }
}
