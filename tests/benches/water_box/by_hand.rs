//! The forces of water by hand: scalar, a half list checked at each call, waves by powers.

use least_action::expr::{erf, erfc};
use least_action_models::WaterBox;

/// The edge by which lists reach farther than the cutoff, nm.
const SKIN: f64 = 0.1;
/// Adding and subtracting it rounds to a whole number.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

pub(crate) struct ByHand<'m> {
    model: &'m WaterBox,
    pub(crate) force: Vec<[f64; 3]>,
    built: Vec<[f64; 3]>,
    begins: Vec<u32>,
    neighbours: Vec<u32>,
    /// exp(i 2π n x/L) by direction, n and atom.
    powers: Vec<[f64; 2]>,
    factors: Vec<[f64; 2]>,
}

impl<'m> ByHand<'m> {
    pub(crate) fn new(model: &'m WaterBox) -> Self {
        Self {
            model,
            force: vec![[0.0; 3]; 3 * model.molecules],
            built: Vec::new(),
            begins: Vec::new(),
            neighbours: Vec::new(),
            powers: Vec::new(),
            factors: vec![[0.0; 2]; 3 * model.molecules],
        }
    }

    fn charge(&self, atom: usize) -> f64 {
        if atom.is_multiple_of(3) { -2.0 * self.model.charge } else { self.model.charge }
    }

    /// A list of pairs of different molecules, by a search of all pairs: it is not measured.
    fn build(&mut self, q: &[[f64; 3]]) {
        let (edge, radius) = (self.model.edge(), self.model.cutoff + SKIN);
        self.begins.clear();
        self.neighbours.clear();
        for i in 0..q.len() {
            self.begins.push(self.neighbours.len() as u32);
            for j in 3 * (i / 3 + 1)..q.len() {
                let d = apart(&q[i], &q[j], 1.0 / edge, edge);
                if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < radius * radius {
                    self.neighbours.push(j as u32);
                }
            }
        }
        self.begins.push(self.neighbours.len() as u32);
        self.built = q.to_vec();
    }

    /// The forces of near pairs, written over `force`.
    pub(crate) fn pairs(&mut self, q: &[[f64; 3]]) {
        let moved = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
        if self.built.is_empty() || q.iter().zip(&self.built).map(moved).any(|far| far > (0.5 * SKIN).powi(2))
        {
            self.build(q);
        }
        self.force.fill([0.0; 3]);
        let model = self.model;
        let (edge, alpha, cutoff) = (model.edge(), model.splitting, model.cutoff.powi(2));
        let inverse = 1.0 / edge;
        let slope = 2.0 * alpha / std::f64::consts::PI.sqrt();
        for i in 0..q.len() {
            let mut own = [0.0; 3];
            let charge = model.coulomb * self.charge(i);
            for n in self.begins[i]..self.begins[i + 1] {
                let j = self.neighbours[n as usize] as usize;
                let d = apart(&q[i], &q[j], inverse, edge);
                let squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                if squared >= cutoff {
                    continue;
                }
                let r = squared.sqrt();
                let gauss = (-(alpha * r).powi(2)).exp();
                let mut factor = charge * self.charge(j) * (erfc(alpha * r) / r + slope * gauss) / squared;
                if i.is_multiple_of(3) && j.is_multiple_of(3) {
                    factor += self.oxygens(r, squared);
                }
                for k in 0..3 {
                    own[k] += factor * d[k];
                    self.force[j][k] -= factor * d[k];
                }
            }
            (0..3).for_each(|k| self.force[i][k] += own[k]);
        }
        self.bound(q);
    }

    /// Adds the correction of the waves for pairs of one molecule: the force of −q q erf(α r)/r.
    fn bound(&mut self, q: &[[f64; 3]]) {
        let (model, alpha) = (self.model, self.model.splitting);
        let slope = 2.0 * alpha / std::f64::consts::PI.sqrt();
        for (i, j) in (0..q.len()).flat_map(|i| (i + 1..3 * (i / 3 + 1)).map(move |j| (i, j))) {
            let d = [0, 1, 2].map(|k| q[i][k] - q[j][k]);
            let squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            let r = squared.sqrt();
            let charges = model.coulomb * self.charge(i) * self.charge(j);
            let factor = charges * (slope * (-(alpha * r).powi(2)).exp() - erf(alpha * r) / r) / squared;
            for k in 0..3 {
                self.force[i][k] += factor * d[k];
                self.force[j][k] -= factor * d[k];
            }
        }
    }

    /// −u′/r of two oxygens.
    fn oxygens(&self, r: f64, squared: f64) -> f64 {
        let model = self.model;
        let s = (model.sigma.powi(2) / squared).powi(3);
        let (energy, slope) =
            (4.0 * model.epsilon * (s * s - s), -24.0 * model.epsilon * (2.0 * s * s - s) / r);
        if r <= model.on {
            return -slope / r;
        }
        let width = model.cutoff - model.on;
        let y = (r - model.on) / width;
        let switch = 1.0 - y.powi(3) * (10.0 - 15.0 * y + 6.0 * y * y);
        let steep = -30.0 * y * y * (1.0 - y).powi(2) / width;
        -(switch * slope + steep * energy) / r
    }

    /// Adds the forces of the waves.
    pub(crate) fn waves(&mut self, q: &[[f64; 3]]) {
        let model = self.model;
        let (edge, most, count) = (model.edge(), model.waves as usize, q.len());
        let unit = std::f64::consts::TAU / edge;
        let times = |a: [f64; 2], b: [f64; 2]| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
        self.powers.resize(3 * (most + 1) * count, [0.0; 2]);
        for direction in 0..3 {
            let table = &mut self.powers[direction * (most + 1) * count..][..(most + 1) * count];
            for (atom, x) in q.iter().enumerate() {
                let (sine, cosine) = (unit * x[direction]).sin_cos();
                table[atom] = [1.0, 0.0];
                for n in 1..=most {
                    table[n * count + atom] = times(table[(n - 1) * count + atom], [cosine, sine]);
                }
            }
        }
        let (whole, limit) = (most as i64, (most * most) as i64);
        for a in 0..=whole {
            for b in -whole..=whole {
                for c in -whole..=whole {
                    if [a, b, c] <= [0; 3] || a * a + b * b + c * c > limit {
                        continue;
                    }
                    let table = |direction: usize, n: i64| {
                        &self.powers[(direction * (most + 1) + n.unsigned_abs() as usize) * count..][..count]
                    };
                    let (x, y, z) = (table(0, a), table(1, b), table(2, c));
                    let (of_b, of_c) = (if b < 0 { -1.0 } else { 1.0 }, if c < 0 { -1.0 } else { 1.0 });
                    let mut sum = [0.0; 2];
                    for atom in 0..count {
                        let y = [y[atom][0], of_b * y[atom][1]];
                        let z = [z[atom][0], of_c * z[atom][1]];
                        let factor = times(times(x[atom], y), z);
                        let charge = if atom.is_multiple_of(3) { -2.0 } else { 1.0 };
                        sum[0] += charge * factor[0];
                        sum[1] += charge * factor[1];
                        self.factors[atom] = factor;
                    }
                    let wave = [a, b, c].map(|n| unit * n as f64);
                    let square = wave.iter().map(|k| k * k).sum::<f64>();
                    let cloud = (-square / (4.0 * model.splitting.powi(2))).exp() / square;
                    let weight = 4.0 * std::f64::consts::TAU * model.coulomb * model.charge.powi(2)
                        / edge.powi(3)
                        * cloud;
                    for (atom, (force, factor)) in self.force.iter_mut().zip(&self.factors).enumerate() {
                        let charge = if atom.is_multiple_of(3) { -2.0 } else { 1.0 };
                        let pull = weight * charge * (sum[0] * factor[1] - sum[1] * factor[0]);
                        (0..3).for_each(|k| force[k] += pull * wave[k]);
                    }
                }
            }
        }
    }
}

/// The nearest image of a − b.
fn apart(a: &[f64; 3], b: &[f64; 3], inverse: f64, edge: f64) -> [f64; 3] {
    [0, 1, 2].map(|k| {
        let d = a[k] - b[k];
        d - edge * ((d * inverse + ROUNDING) - ROUNDING)
    })
}
