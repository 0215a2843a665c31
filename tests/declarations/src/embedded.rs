//! Sums over near pairs inside of functions.

use least_action::prelude::*;

/// Atoms of one kind in the gas of electrons of all others, in a periodic cell.
#[derive(Debug, Clone)]
pub struct Metal {
    /// The number of atoms.
    pub atoms: usize,
    /// The cell that repeats.
    pub cell: Cell,
    /// The energy of repulsion of a pair.
    pub repulsion: f64,
    /// The hopping integral of a pair.
    pub hopping: f64,
    /// How steeply the repulsion falls.
    pub steepness: f64,
    /// How steeply the hopping integral falls.
    pub decay: f64,
    /// The distance at which both have these values.
    pub distance: f64,
    /// Where the switch begins.
    pub on: f64,
    /// Where pairs end.
    pub off: f64,
}

#[lagrangian]
impl Metal {
    fn falling(&self, steepness: f64, r: Scalar) -> Scalar {
        switched(r, self.on, self.off) * (-steepness * (r / self.distance - 1.0)).exp()
    }

    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let kinetic = sum(atoms.iter(), |atom| 0.5 * der(*atom).norm_squared());
        let near = within(self.off, atoms).periodic(self.cell);
        let pairs = sum(0..self.atoms, |i| {
            sum(near.of(i), |(_, d)| self.repulsion * self.falling(self.steepness, d.norm()))
        });
        let density = each(0..self.atoms, |i| {
            sum(near.of(i), |(_, d)| self.hopping.powi(2) * self.falling(2.0 * self.decay, d.norm()))
        });
        kinetic - pairs + sum(0..self.atoms, |i| density[i].sqrt())
    }
}

/// The same, with the condition written out over all pairs.
#[derive(Debug, Clone)]
pub struct MetalOfAllPairs(pub Metal);

#[lagrangian]
impl MetalOfAllPairs {
    fn falling(&self, steepness: f64, r: Scalar) -> Scalar {
        if r < self.0.off {
            switched(r, self.0.on, self.0.off) * (-steepness * (r / self.0.distance - 1.0)).exp()
        } else {
            0.0
        }
    }

    fn lagrangian(&self, atoms: [Vec3; self.0.atoms]) -> Scalar {
        let n = self.0.atoms;
        let kinetic = sum(atoms.iter(), |atom| 0.5 * der(*atom).norm_squared());
        let apart = |i: usize, j: usize| periodic(self.0.cell, atoms[i] - atoms[j]).norm();
        let others = |i: usize| (0..n).filter(move |j| *j != i);
        let pairs =
            sum(0..n, |i| sum(others(i), |j| self.0.repulsion * self.falling(self.0.steepness, apart(i, j))));
        let density = each(0..n, |i| {
            sum(others(i), |j| self.0.hopping.powi(2) * self.falling(2.0 * self.0.decay, apart(i, j)))
        });
        kinetic - pairs + sum(0..n, |i| density[i].sqrt())
    }
}

/// Charged points in a slab of the plane, and posts: sums over neighbours that distinguish their ends,
/// read other sums and are read at either end; and sums over all pairs, in functions, time, a
/// constraint.
#[derive(Debug, Clone)]
pub struct Crowd {
    /// The charge of each point.
    pub charges: Vec<f64>,
    /// The kind of each point.
    pub kind: Vec<usize>,
    /// A number of each pair of kinds.
    pub table: [[f64; 2]; 2],
    /// The number of posts.
    pub posts: usize,
    /// The period along x.
    pub width: f64,
    /// Where pairs end.
    pub reach: f64,
    /// How fast the sums grow.
    pub rate: f64,
}

#[lagrangian]
impl Crowd {
    fn bump(&self, d: Vec2) -> Scalar {
        (1.0 - d.norm_squared() / self.reach.powi(2)).powi(4)
    }

    fn lagrangian(&self, points: [Vec2; self.charges.len()], posts: [Vec2; self.posts], t: Time) -> Scalar {
        let n = self.charges.len();
        let moving = sum(points.iter(), |point| 0.5 * der(*point).norm_squared());
        let held = sum(posts.iter(), |post| 0.5 * der(*post).norm_squared());
        let near = within(self.reach, points).periodic(Cell::orthorhombic([Some(self.width), None, None]));
        let density = each(0..n, |i| {
            let kinds = |j: usize| self.table[self.kind[i]][self.kind[j]] * self.charges[j];
            let others = sum(near.of(i), |(j, d)| {
                kinds(j) * self.bump(d) * (1.0 + 0.1 * d.x + 0.1 * points[j].y - 0.2 * points[i].x.sin())
            });
            2.0 + self.charges[i] + others * (1.0 + self.rate * t)
        });
        // A sum that reads another one at both of its ends.
        let deep = each(0..n, |i| {
            sum(near.of(i), |(j, d)| {
                self.bump(d) * (1.0 + density[j].powi(2)).sqrt() / (1.0 + density[i].powi(2))
            })
        });
        // Each point of an array has its neighbours in another.
        let close = between(self.reach, posts, points);
        let shade = each(0..self.posts, |k| sum(close.of(k), |(i, d)| self.charges[i] * self.bump(d)));
        let mist = sum(&near, |(_, _, d)| self.bump(d));
        // A pair that tells its ends apart.
        let wind = sum(&near, |(i, _, d)| self.charges[i] * d.y * self.bump(d) * (1.0 + 0.1 * self.rate * t));
        // Pairs that read sums at either end: linear, and under functions.
        let linear = sum(&near, |(i, j, d)| self.bump(d) * (density[i] + self.charges[i] * density[j]));
        let mixed =
            sum(&near, |(i, j, d)| self.bump(d) * (1.0 + density[i].powi(2) * density[j].powi(2)).sqrt());
        let all = sum(0..n, |i| (1.0 + deep[i].powi(2)).sqrt() + self.charges[i] * deep[i]);
        let shades = sum(0..self.posts, |k| (1.0 + shade[k].powi(2)).sqrt());
        let weather = (1.0 + mist).ln() + (1.0 + wind.powi(2)).sqrt();
        moving + held - linear - mixed - all - shades - weather
    }

    #[holonomic]
    fn kept(&self, points: [Vec2; self.charges.len()], t: Time) -> Scalar {
        let near = within(self.reach, points);
        let density = each(0..self.charges.len(), |i| {
            sum(near.of(i), |(j, d)| self.charges[j] * self.bump(d) * (1.0 + self.rate * t))
        });
        sum(0..self.charges.len(), |i| (1.0 + density[i].powi(2)).sqrt()) - 3.0 * self.charges.len() as f64
    }
}

/// The same without the constraint, with the condition written out over all pairs.
#[derive(Debug, Clone)]
pub struct CrowdOfAllPairs(pub Crowd);

#[lagrangian]
impl CrowdOfAllPairs {
    fn bump(&self, d: Vec2) -> Scalar {
        let left = 1.0 - d.norm_squared() / self.0.reach.powi(2);
        if left > 0.0 { left.powi(4) } else { 0.0 }
    }

    fn lagrangian(
        &self,
        points: [Vec2; self.0.charges.len()],
        posts: [Vec2; self.0.posts],
        t: Time,
    ) -> Scalar {
        let n = self.0.charges.len();
        let moving = sum(points.iter(), |point| 0.5 * der(*point).norm_squared());
        let held = sum(posts.iter(), |post| 0.5 * der(*post).norm_squared());
        let cell = Cell::orthorhombic([Some(self.0.width), None, None]);
        let others = |i: usize| (0..n).filter(move |j| *j != i);
        let apart = |i: usize, j: usize| periodic(cell, points[i] - points[j]);
        let density = each(0..n, |i| {
            let kinds = |j: usize| self.0.table[self.0.kind[i]][self.0.kind[j]] * self.0.charges[j];
            let others = sum(others(i), |j| {
                let d = apart(i, j);
                kinds(j) * self.bump(d) * (1.0 + 0.1 * d.x + 0.1 * points[j].y - 0.2 * points[i].x.sin())
            });
            2.0 + self.0.charges[i] + others * (1.0 + self.0.rate * t)
        });
        let deep = each(0..n, |i| {
            sum(others(i), |j| {
                self.bump(apart(i, j)) * (1.0 + density[j].powi(2)).sqrt() / (1.0 + density[i].powi(2))
            })
        });
        let shade =
            each(0..self.0.posts, |k| sum(0..n, |i| self.0.charges[i] * self.bump(posts[k] - points[i])));
        let mist = sum(pairs(n), |(i, j)| self.bump(apart(i, j)));
        let wind = sum(pairs(n), |(i, j)| {
            let d = apart(i, j);
            self.0.charges[i] * d.y * self.bump(d) * (1.0 + 0.1 * self.0.rate * t)
        });
        let linear =
            sum(pairs(n), |(i, j)| self.bump(apart(i, j)) * (density[i] + self.0.charges[i] * density[j]));
        let mixed = sum(pairs(n), |(i, j)| {
            self.bump(apart(i, j)) * (1.0 + density[i].powi(2) * density[j].powi(2)).sqrt()
        });
        let all = sum(0..n, |i| (1.0 + deep[i].powi(2)).sqrt() + self.0.charges[i] * deep[i]);
        let shades = sum(0..self.0.posts, |k| (1.0 + shade[k].powi(2)).sqrt());
        let weather = (1.0 + mist).ln() + (1.0 + wind.powi(2)).sqrt();
        moving + held - linear - mixed - all - shades - weather
    }
}

/// Dissipative particles of two kinds in a periodic cube: repulsion, friction along pairs, a swirl.
#[derive(Debug, Clone)]
pub struct Dissipative {
    /// The kind of each bead.
    pub kind: Vec<usize>,
    /// The friction of each pair of kinds.
    pub friction: Vec<Vec<f64>>,
    /// The repulsion.
    pub repulsion: f64,
    /// The strength of the swirl around the z-axis.
    pub swirl: f64,
    /// The edge of the cube.
    pub edge: f64,
    /// Where pairs end.
    pub reach: f64,
}

#[lagrangian]
impl Dissipative {
    fn lagrangian(&self, beads: [Vec3; self.kind.len()]) -> Scalar {
        let kinetic = sum(beads.iter(), |bead| 0.5 * der(*bead).norm_squared());
        let near = within(self.reach, beads).periodic(Cell::cubic(self.edge));
        kinetic - sum(near, |(_, _, d)| 0.5 * self.repulsion * (self.reach - d.norm()).powi(2))
    }

    #[dissipation]
    fn friction(&self, beads: [Vec3; self.kind.len()]) -> Scalar {
        let near = within(self.reach, beads).periodic(Cell::cubic(self.edge));
        sum(near, |(i, j, d)| {
            let weight = (1.0 - d.norm() / self.reach).powi(2) * self.friction[self.kind[i]][self.kind[j]];
            0.5 * weight * (der(beads[i]) - der(beads[j])).dot(d).powi(2) / d.norm_squared()
        })
    }

    #[force]
    fn swirl(&self, beads: [Vec3; self.kind.len()]) -> [Vec3; self.kind.len()] {
        let near = within(self.reach, beads).periodic(Cell::cubic(self.edge));
        each(0..self.kind.len(), |i| {
            let turned = sum(near.of(i), |(_, d)| vec3(-d.y, d.x, 0.0) * (self.reach - d.norm()));
            self.swirl * turned
        })
    }
}

/// The same, with the condition written out over all pairs.
#[derive(Debug, Clone)]
pub struct DissipativeOfAllPairs(pub Dissipative);

#[lagrangian]
impl DissipativeOfAllPairs {
    fn lagrangian(&self, beads: [Vec3; self.0.kind.len()]) -> Scalar {
        let kinetic = sum(beads.iter(), |bead| 0.5 * der(*bead).norm_squared());
        let met = sum(pairs(self.0.kind.len()), |(i, j)| {
            let r = periodic(Cell::cubic(self.0.edge), beads[i] - beads[j]).norm();
            if r < self.0.reach { 0.5 * self.0.repulsion * (self.0.reach - r).powi(2) } else { 0.0 }
        });
        kinetic - met
    }

    #[dissipation]
    fn friction(&self, beads: [Vec3; self.0.kind.len()]) -> Scalar {
        sum(pairs(self.0.kind.len()), |(i, j)| {
            let d = periodic(Cell::cubic(self.0.edge), beads[i] - beads[j]);
            let along = (der(beads[i]) - der(beads[j])).dot(d).powi(2) / d.norm_squared();
            let weight = (1.0 - d.norm() / self.0.reach).powi(2);
            let friction = self.0.friction[self.0.kind[i]][self.0.kind[j]];
            if d.norm() < self.0.reach { 0.5 * friction * weight * along } else { 0.0 }
        })
    }

    #[force]
    fn swirl(&self, beads: [Vec3; self.0.kind.len()]) -> [Vec3; self.0.kind.len()] {
        let n = self.0.kind.len();
        each(0..n, |i| {
            let turned = sum((0..n).filter(move |j| *j != i), |j| {
                let d = periodic(Cell::cubic(self.0.edge), beads[i] - beads[j]);
                let pull = vec3(-d.y, d.x, 0.0) * (self.0.reach - d.norm());
                if d.norm() < self.0.reach { pull } else { Vec3::ZERO }
            });
            self.0.swirl * turned
        })
    }
}

/// Beads some of which keep their smooth number of neighbours, and whose neighbours do not drift apart.
#[derive(Debug, Clone)]
pub struct Packed {
    /// The number of beads.
    pub beads: usize,
    /// The beads whose neighbours are counted, with these numbers of them.
    pub counted: Vec<(usize, f64)>,
    /// Where pairs end.
    pub reach: f64,
}

#[lagrangian]
impl Packed {
    fn lagrangian(&self, beads: [Vec2; self.beads]) -> Scalar {
        sum(beads.iter(), |bead| 0.5 * der(*bead).norm_squared() - 0.1 * bead.norm_squared())
    }

    #[holonomic]
    fn neighbours(&self, beads: [Vec2; self.beads]) -> [Scalar; self.counted.len()] {
        let near = within(self.reach, beads);
        each(self.counted.iter(), |&(i, count)| {
            sum(near.of(i), |(_, d)| (1.0 - d.norm_squared() / self.reach.powi(2)).powi(3)) - count
        })
    }

    #[nonholonomic]
    fn together(&self, beads: [Vec2; self.beads]) -> Scalar {
        let near = within(self.reach, beads);
        sum(near, |(i, _, d)| {
            (1.0 + 0.1 * i as f64) * (self.reach.powi(2) - d.norm_squared()) * d.dot(der(d))
        })
    }
}
