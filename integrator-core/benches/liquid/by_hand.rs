//! The same liquid by hand: scalar, a half list that is checked at each step, forces scattered.

/// Velocity Verlet of atoms of mass one.
pub(crate) struct ByHand {
    edge: f64,
    cutoff: f64,
    skin: f64,
    pub(crate) q: Vec<[f64; 3]>,
    pub(crate) v: Vec<[f64; 3]>,
    force: Vec<[f64; 3]>,
    built: Vec<[f64; 3]>,
    begins: Vec<u32>,
    neighbours: Vec<u32>,
    pub(crate) builds: usize,
}

/// Adding and subtracting it rounds to a whole number.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

impl ByHand {
    pub(crate) fn new(edge: f64, cutoff: f64, skin: f64, q: &[f64], v: &[f64]) -> Self {
        let triples = |from: &[f64]| from.as_chunks::<3>().0.to_vec();
        let mut atoms = Self {
            edge,
            cutoff,
            skin,
            q: triples(q),
            v: triples(v),
            force: vec![[0.0; 3]; q.len() / 3],
            built: Vec::new(),
            begins: Vec::new(),
            neighbours: Vec::new(),
            builds: 0,
        };
        atoms.build();
        atoms.find_forces();
        atoms
    }

    pub(crate) fn step(&mut self, h: f64) {
        for ((q, v), force) in self.q.iter_mut().zip(&mut self.v).zip(&self.force) {
            for k in 0..3 {
                v[k] += 0.5 * h * force[k];
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
                v[k] += 0.5 * h * force[k];
            }
        }
    }

    fn build(&mut self) {
        self.builds += 1;
        let (edge, radius) = (self.edge, self.cutoff + self.skin);
        let bins = ((edge / radius) as usize).max(1);
        let inverse = 1.0 / edge;
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
        self.begins.clear();
        self.neighbours.clear();
        for (i, [a, b, c]) in of.iter().enumerate() {
            self.begins.push(self.neighbours.len() as u32);
            let p = self.q[i];
            for da in 0..3 {
                for db in 0..3 {
                    for dc in 0..3 {
                        let around = |at: usize, shift: usize| (at + bins + shift - 1) % bins;
                        let mut j = heads[(around(*a, da) * bins + around(*b, db)) * bins + around(*c, dc)];
                        while j != u32::MAX {
                            if j as usize > i {
                                let r = self.q[j as usize];
                                let mut squared = 0.0;
                                for k in 0..3 {
                                    let d = p[k] - r[k];
                                    let d = d - edge * ((d * inverse + ROUNDING) - ROUNDING);
                                    squared += d * d;
                                }
                                if squared < radius * radius {
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

    fn find_forces(&mut self) {
        self.force.fill([0.0; 3]);
        let (edge, inverse, cutoff) = (self.edge, 1.0 / self.edge, self.cutoff * self.cutoff);
        for i in 0..self.q.len() {
            let p = self.q[i];
            let mut own = [0.0; 3];
            for j in &self.neighbours[self.begins[i] as usize..self.begins[i + 1] as usize] {
                let r = self.q[*j as usize];
                let mut d = [0.0; 3];
                for k in 0..3 {
                    let apart = p[k] - r[k];
                    d[k] = apart - edge * ((apart * inverse + ROUNDING) - ROUNDING);
                }
                let squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                if squared < cutoff {
                    let inverse = 1.0 / squared;
                    let sixth = inverse * inverse * inverse;
                    let factor = 24.0 * sixth * inverse * (2.0 * sixth - 1.0);
                    let other = &mut self.force[*j as usize];
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
