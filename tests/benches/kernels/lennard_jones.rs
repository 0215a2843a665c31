//! Lennard-Jones atoms in space, all pairs: V = Σ_{i<j} 4 ε ((σ/r)¹² − (σ/r)⁶).

use crate::by_hand::Potential;
use crate::dual::Element;
use crate::geometry::{Vector, add_times, dot, minus, points, points_mut, times};
use crate::subject::{SCALAR, Subject, Targets};
use least_action::expr::Number;
use least_action::prelude::*;
use test_support::agreement::Seeded;

/// A cluster of like atoms.
#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    atoms: usize,
    epsilon: f64,
    sigma: f64,
}

#[lagrangian]
impl Cluster {
    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let kinetic = sum(0..self.atoms, |i| 0.5 * der(atoms[i]).norm_squared());
        let potential = sum(pairs(self.atoms), |(i, j)| {
            let attraction = (self.sigma.powi(2) / (atoms[i] - atoms[j]).norm_squared()).powi(3);
            4.0 * self.epsilon * (attraction.powi(2) - attraction)
        });
        kinetic - potential
    }
}

pub(crate) fn subject() -> Subject {
    let model = Cluster { atoms: 200, epsilon: 0.8, sigma: 1.1 };
    let lattice = (0..model.atoms).flat_map(|i| [i % 6, i / 6 % 6, i / 36].map(|k| 1.3 * k as f64));
    let q = lattice
        .zip(Seeded::new(2).numbers(3 * model.atoms))
        .map(|(place, shift)| place + 0.1 * shift)
        .collect();
    let targets = Targets {
        scalar: SCALAR,
        lanes: Some([0.4, 0.5, 0.3]),
        third_to_gradient: Some(2.0),
        dual: Some(30.0),
    };
    let by_hand = ByHand { model: model.clone(), diagonal: vec![[0.0; 6]; model.atoms] };
    Subject::new("lennard-jones", targets, &model, q, |_| by_hand, model.clone())
}

impl Element<6> for Cluster {
    fn inputs(&self) -> Vec<[usize; 6]> {
        let place = |(i, j): (usize, usize)| [3 * i, 3 * i + 1, 3 * i + 2, 3 * j, 3 * j + 1, 3 * j + 2];
        (0..self.atoms).flat_map(|i| (i + 1..self.atoms).map(move |j| (i, j))).map(place).collect()
    }

    #[inline(always)]
    fn energy<T: Number>(&self, _: usize, [a, b, c, x, y, z]: [T; 6]) -> T {
        let (dx, dy, dz) = (a - x, b - y, c - z);
        let attraction = ((dx * dx + dy * dy + dz * dz).recip() * (self.sigma * self.sigma)).powi(3);
        (attraction * attraction - attraction) * (4.0 * self.epsilon)
    }
}

/// The outer atom is kept in registers; all derivatives come from derivatives by u = r².
struct ByHand {
    model: Cluster,
    /// The sums of the pairs before on the diagonal of each atom: xx, yx, zx, yy, zy, zz.
    diagonal: Vec<[f64; 6]>,
}

impl Potential for ByHand {
    fn value(&mut self, q: &[f64]) -> f64 {
        let square = self.model.sigma * self.model.sigma;
        let (x, mut sum) = (points(q), 0.0);
        for (i, &at) in x.iter().enumerate() {
            for &other in &x[i + 1..] {
                let d = minus(at, other);
                let s = square / dot(d, d);
                let attraction = s * s * s;
                sum += attraction * (attraction - 1.0);
            }
        }
        4.0 * self.model.epsilon * sum
    }

    fn gradient(&mut self, q: &[f64], gradient: &mut [f64]) {
        let square = self.model.sigma * self.model.sigma;
        let scale = 48.0 * self.model.epsilon;
        gradient.fill(0.0);
        let (x, g) = (points(q), points_mut(gradient));
        for (i, &at) in x.iter().enumerate() {
            let (here, later) = g[i..].split_at_mut(1);
            let mut sum = here[0];
            for (&other, to) in x[i + 1..].iter().zip(later) {
                let d = minus(at, other);
                let inverse = 1.0 / dot(d, d);
                let s = square * inverse;
                let attraction = s * s * s;
                let f = scale * inverse * attraction * (0.5 - attraction);
                add_times(&mut sum, f, d);
                add_times(to, -f, d);
            }
            here[0] = sum;
        }
    }

    fn second(&mut self, q: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        let square = self.model.sigma * self.model.sigma;
        let scale = 48.0 * self.model.epsilon;
        gradient.fill(0.0);
        self.diagonal.fill([0.0; 6]);
        let (x, g, n) = (points(q), points_mut(gradient), q.len());
        let mut rest = hessian;
        for (i, &at) in x.iter().enumerate() {
            let (first, after) = rest.split_at_mut(n - 3 * i);
            let (second, after) = after.split_at_mut(n - 3 * i - 1);
            let (third, after) = after.split_at_mut(n - 3 * i - 2);
            rest = after;
            let (first, first_later) = first.split_at_mut(3);
            let (second, second_later) = second.split_at_mut(2);
            let (third, third_later) = third.split_at_mut(1);
            let columns = points_mut(first_later).iter_mut();
            let columns = columns.zip(points_mut(second_later)).zip(points_mut(third_later));
            let (here, later) = g[i..].split_at_mut(1);
            let (diagonal, diagonals) = self.diagonal[i..].split_at_mut(1);
            let (mut sum, mut on) = (here[0], diagonal[0]);
            let others = x[i + 1..].iter().zip(later).zip(diagonals).zip(columns);
            for (((&other, to), diagonal), ((column_x, column_y), column_z)) in others {
                let d = minus(at, other);
                let inverse = 1.0 / dot(d, d);
                let s = square * inverse;
                let attraction = s * s * s;
                let common = scale * inverse * attraction;
                let f = common * (0.5 - attraction);
                add_times(&mut sum, f, d);
                add_times(to, -f, d);
                let e = times(common * inverse * (14.0 * attraction - 4.0), d);
                let block = [
                    f + e[0] * d[0],
                    e[0] * d[1],
                    e[0] * d[2],
                    f + e[1] * d[1],
                    e[1] * d[2],
                    f + e[2] * d[2],
                ];
                for ((on, to), b) in on.iter_mut().zip(diagonal).zip(block) {
                    *on += b;
                    *to += b;
                }
                *column_x = [-block[0], -block[1], -block[2]];
                *column_y = [-block[1], -block[3], -block[4]];
                *column_z = [-block[2], -block[4], -block[5]];
            }
            here[0] = sum;
            first.copy_from_slice(&on[..3]);
            second.copy_from_slice(&on[3..5]);
            third.copy_from_slice(&on[5..]);
        }
    }

    fn third(&mut self, q: &[f64], a: &[f64], contraction: &mut [f64]) {
        let square = self.model.sigma * self.model.sigma;
        let scale = 48.0 * self.model.epsilon;
        contraction.fill(0.0);
        let (x, a, w) = (points(q), points(a), points_mut(contraction));
        for (i, (&at, &a_here)) in x.iter().zip(a).enumerate() {
            let (here, later) = w[i..].split_at_mut(1);
            let mut sum: Vector = here[0];
            for ((&other, &a_other), to) in x[i + 1..].iter().zip(&a[i + 1..]).zip(later) {
                let (d, e) = (minus(at, other), minus(a_here, a_other));
                let inverse = 1.0 / dot(d, d);
                let s = square * inverse;
                let attraction = s * s * s;
                let common = scale * inverse * inverse * attraction;
                // 2 V_uu and 2 V_uuu of V(u), u = r².
                let second = common * (7.0 * attraction - 2.0);
                let third = common * inverse * (10.0 - 56.0 * attraction);
                let along = 2.0 * dot(d, e);
                let by_d = third * along * along + 2.0 * second * dot(e, e);
                let by_e = 2.0 * second * along;
                let force = [by_d * d[0] + by_e * e[0], by_d * d[1] + by_e * e[1], by_d * d[2] + by_e * e[2]];
                add_times(&mut sum, 1.0, force);
                add_times(to, -1.0, force);
            }
            here[0] = sum;
        }
    }
}
