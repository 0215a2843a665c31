//! Copper by hand: scalar, a half list that is checked at each step, densities and forces scattered.

use least_action_models::Copper;

/// Velocity Verlet of atoms of one mass.
pub(crate) struct ByHand {
    model: Copper,
    edge: f64,
    mass: f64,
    skin: f64,
    q: Vec<[f64; 3]>,
    v: Vec<[f64; 3]>,
    pub(crate) force: Vec<[f64; 3]>,
    density: Vec<f64>,
    weight: Vec<f64>,
    built: Vec<[f64; 3]>,
    begins: Vec<u32>,
    neighbours: Vec<u32>,
}

/// Adding and subtracting it rounds to a whole number.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

impl ByHand {
    pub(crate) fn new(model: &Copper, mass: f64, skin: f64, q: &[f64], v: &[f64]) -> Self {
        let triples = |from: &[f64]| from.as_chunks::<3>().0.to_vec();
        let count = q.len() / 3;
        let mut atoms = Self {
            model: model.clone(),
            edge: model.edge(),
            mass,
            skin,
            q: triples(q),
            v: triples(v),
            force: vec![[0.0; 3]; count],
            density: vec![0.0; count],
            weight: vec![0.0; count],
            built: Vec::new(),
            begins: Vec::new(),
            neighbours: Vec::new(),
        };
        atoms.build();
        atoms.find_forces();
        atoms
    }

    /// The neighbours of an atom in a list where each pair is once.
    pub(crate) fn listed(&self) -> f64 {
        self.neighbours.len() as f64 / self.q.len() as f64
    }

    pub(crate) fn step(&mut self, h: f64) {
        let kick = 0.5 * h / self.mass;
        for ((q, v), force) in self.q.iter_mut().zip(&mut self.v).zip(&self.force) {
            for k in 0..3 {
                v[k] += kick * force[k];
                q[k] += h * v[k];
            }
        }
        let limit = (0.5 * self.skin).powi(2);
        let moved = self.q.iter().zip(&self.built).any(|(q, built)| {
            let d = [q[0] - built[0], q[1] - built[1], q[2] - built[2]];
            d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > limit
        });
        if moved {
            self.build();
        }
        self.find_forces();
        for (v, force) in self.v.iter_mut().zip(&self.force) {
            for k in 0..3 {
                v[k] += kick * force[k];
            }
        }
    }

    fn build(&mut self) {
        let (edge, radius) = (self.edge, self.model.cutoff + self.skin);
        let bins = ((edge / radius) as usize).max(1);
        let wrap = |x: f64| x - edge * (x / edge).floor();
        let bin = |x: f64| ((wrap(x) / edge * bins as f64) as usize).min(bins - 1);
        let mut heads = vec![u32::MAX; bins * bins * bins];
        let mut next = vec![u32::MAX; self.q.len()];
        let of: Vec<[usize; 3]> = self.q.iter().map(|q| [bin(q[0]), bin(q[1]), bin(q[2])]).collect();
        for (atom, [a, b, c]) in of.iter().enumerate().rev() {
            let head = &mut heads[(a * bins + b) * bins + c];
            next[atom] = *head;
            *head = atom as u32;
        }
        // Of few bins, none is met twice.
        let shifts = |at: usize| {
            let mut around: Vec<usize> = (0..3).map(|shift| (at + bins + shift - 1) % bins).collect();
            around.sort_unstable();
            around.dedup();
            around
        };
        self.begins.clear();
        self.neighbours.clear();
        for (i, [a, b, c]) in of.iter().enumerate() {
            self.begins.push(self.neighbours.len() as u32);
            for a in shifts(*a) {
                for b in shifts(*b) {
                    for c in shifts(*c) {
                        let mut j = heads[(a * bins + b) * bins + c];
                        while j != u32::MAX {
                            if j as usize > i {
                                let d = self.separation(i, j as usize);
                                if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < radius * radius {
                                    self.neighbours.push(j);
                                }
                            }
                            j = next[j as usize];
                        }
                    }
                }
            }
        }
        self.begins.push(self.neighbours.len() as u32);
        self.built.clone_from(&self.q);
    }

    #[inline(always)]
    fn separation(&self, i: usize, j: usize) -> [f64; 3] {
        let (p, r, inverse) = (self.q[i], self.q[j], 1.0 / self.edge);
        std::array::from_fn(|k| {
            let d = p[k] - r[k];
            d - self.edge * ((d * inverse + ROUNDING) - ROUNDING)
        })
    }

    fn neighbours(&self, i: usize) -> std::ops::Range<usize> {
        self.begins[i] as usize..self.begins[i + 1] as usize
    }

    /// S and its slope.
    #[inline(always)]
    fn switched(&self, r: f64) -> (f64, f64) {
        let Copper { on, cutoff, .. } = self.model;
        if r < on {
            return (1.0, 0.0);
        }
        let width = 1.0 / (cutoff - on);
        let y = (r - on) * width;
        let square = y * y;
        (1.0 - square * y * (10.0 - 15.0 * y + 6.0 * square), -30.0 * square * (1.0 - y) * (1.0 - y) * width)
    }

    pub(crate) fn find_forces(&mut self) {
        let Copper { repulsion, hopping, steepness, decay, distance, cutoff, .. } = self.model;
        let limit = cutoff * cutoff;
        self.density.fill(0.0);
        for i in 0..self.q.len() {
            let mut own = 0.0;
            for at in self.neighbours(i) {
                let j = self.neighbours[at] as usize;
                let d = self.separation(i, j);
                let squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                if squared < limit {
                    let r = squared.sqrt();
                    let density =
                        hopping * hopping * (-2.0 * decay * (r / distance - 1.0)).exp() * self.switched(r).0;
                    own += density;
                    self.density[j] += density;
                }
            }
            self.density[i] += own;
        }
        for (weight, density) in self.weight.iter_mut().zip(&self.density) {
            *weight = -0.5 / density.sqrt();
        }
        self.force.fill([0.0; 3]);
        for i in 0..self.q.len() {
            let mut own = [0.0; 3];
            for at in self.neighbours(i) {
                let j = self.neighbours[at] as usize;
                let d = self.separation(i, j);
                let squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                if squared < limit {
                    let r = squared.sqrt();
                    let (switch, slope) = self.switched(r);
                    let apart = r / distance - 1.0;
                    let pair = 2.0 * repulsion * (-steepness * apart).exp();
                    let density = hopping * hopping * (-2.0 * decay * apart).exp();
                    let of_pair = pair * (slope - steepness / distance * switch);
                    let of_density = density * (slope - 2.0 * decay / distance * switch);
                    let factor = -(of_pair + (self.weight[i] + self.weight[j]) * of_density) / r;
                    let other = &mut self.force[j];
                    for k in 0..3 {
                        own[k] += factor * d[k];
                        other[k] -= factor * d[k];
                    }
                }
            }
            self.force[i].iter_mut().zip(own).for_each(|(force, own)| *force += own);
        }
    }
}
