//! Coulomb's law between the charges of rigid water molecules: V = Σ K q_a q_b / r, nine pairs for two.

use crate::by_hand::Potential;
use crate::dual::Element;
use crate::geometry::{add, add_times, dot, minus, points, points_mut, times};
use crate::subject::{SCALAR, Subject, Targets};
use least_action::expr::Number;
use least_action::prelude::*;
use test_support::agreement::Seeded;

/// Molecules of three sites, without constraints: only the pairs are measured.
#[derive(Debug, Clone)]
pub(crate) struct Water {
    molecules: usize,
    charges: [f64; 3],
    constant: f64,
}

#[lagrangian]
impl Water {
    fn lagrangian(&self, sites: [Vec3; 3 * self.molecules]) -> Scalar {
        let kinetic = sum(0..3 * self.molecules, |s| 0.5 * der(sites[s]).norm_squared());
        let coulomb = sum(pairs(self.molecules), |(a, b)| {
            sum(0..3, |i| {
                sum(0..3, |j| {
                    let charges = self.constant * self.charges[i] * self.charges[j];
                    charges / (sites[3 * a + i] - sites[3 * b + j]).norm()
                })
            })
        });
        kinetic - coulomb
    }
}

pub(crate) fn subject() -> Subject {
    let model = Water { molecules: 64, charges: [0.417, -0.834, 0.417], constant: 332.06371 };
    let turns = Seeded::new(3).numbers(2 * model.molecules);
    let sites = (0..model.molecules).flat_map(|m| {
        let oxygen = [m % 4, m / 4 % 4, m / 16].map(|k| 3.1 * k as f64);
        let ((s, c), (u, v)) = ((3.0 * turns[2 * m]).sin_cos(), (3.0 * turns[2 * m + 1]).sin_cos());
        // Towards and across the middle of the hydrogens: 0.9572 Å at 104.52°.
        let (along, across) = (times(0.5859, [c, s, 0.0]), times(0.757, [-s * v, c * v, u]));
        [add(oxygen, add(along, across)), oxygen, add(oxygen, minus(along, across))]
    });
    let q = sites.flatten().collect();
    let targets = Targets {
        scalar: SCALAR,
        lanes: Some([0.4, 0.5, 0.3]),
        third_to_gradient: Some(2.0),
        dual: Some(30.0),
    };
    let by_hand = ByHand::new(&model);
    Subject::new("water coulomb", targets, &model, q, |_| by_hand, model.clone())
}

impl Water {
    /// The sites that the elements join, in their order.
    fn joined(&self) -> impl Iterator<Item = (usize, usize)> {
        let n = self.molecules;
        let molecules = (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)));
        molecules.flat_map(|(a, b)| (0..9).map(move |k| (3 * a + k / 3, 3 * b + k % 3)))
    }
}

impl Element<6> for Water {
    fn inputs(&self) -> Vec<[usize; 6]> {
        self.joined().map(|(i, j)| [3 * i, 3 * i + 1, 3 * i + 2, 3 * j, 3 * j + 1, 3 * j + 2]).collect()
    }

    #[inline(always)]
    fn energy<T: Number>(&self, element: usize, [a, b, c, x, y, z]: [T; 6]) -> T {
        let (dx, dy, dz) = (a - x, b - y, c - z);
        let charges = self.constant * self.charges[element % 9 / 3] * self.charges[element % 3];
        (dx * dx + dy * dy + dz * dz).sqrt().recip() * charges
    }
}

/// The sites of the outer molecule are kept in registers; the nine products of charges are made once.
struct ByHand {
    molecules: usize,
    charges: [[f64; 3]; 3],
    /// The sums of the molecules before on the diagonal of each site: xx, yx, zx, yy, zy, zz.
    diagonal: Vec<[[f64; 6]; 3]>,
}

impl ByHand {
    fn new(model: &Water) -> Self {
        let charges = model.charges.map(|a| model.charges.map(|b| model.constant * a * b));
        Self { molecules: model.molecules, charges, diagonal: vec![[[0.0; 6]; 3]; model.molecules] }
    }
}

impl Potential for ByHand {
    fn value(&mut self, q: &[f64]) -> f64 {
        let (molecules, mut sum) = (points(q).as_chunks::<3>().0, 0.0);
        for (a, here) in molecules.iter().enumerate() {
            for there in &molecules[a + 1..] {
                for (i, &site) in here.iter().enumerate() {
                    for (j, &other) in there.iter().enumerate() {
                        let d = minus(site, other);
                        sum += self.charges[i][j] / dot(d, d).sqrt();
                    }
                }
            }
        }
        sum
    }

    fn gradient(&mut self, q: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        let molecules = points(q).as_chunks::<3>().0;
        let gradients = points_mut(gradient).as_chunks_mut::<3>().0;
        for (a, here) in molecules.iter().enumerate() {
            let (sum, later) = gradients[a..].split_at_mut(1);
            let mut sums = sum[0];
            for (there, to) in molecules[a + 1..].iter().zip(later) {
                for i in 0..3 {
                    for j in 0..3 {
                        let d = minus(here[i], there[j]);
                        let inverse = 1.0 / dot(d, d);
                        let f = -self.charges[i][j] * inverse * inverse.sqrt();
                        add_times(&mut sums[i], f, d);
                        add_times(&mut to[j], -f, d);
                    }
                }
            }
            sum[0] = sums;
        }
    }

    fn second(&mut self, q: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        gradient.fill(0.0);
        self.diagonal.fill([[0.0; 6]; 3]);
        let molecules = points(q).as_chunks::<3>().0;
        let gradients = points_mut(gradient).as_chunks_mut::<3>().0;
        let mut rest = hessian;
        for (a, here) in molecules.iter().enumerate() {
            // Nine columns: the rest of the site's own block, then nine rows for each later molecule.
            let later_rows = 9 * (self.molecules - 1 - a);
            let columns: [(&mut [f64], &mut [[f64; 9]]); 9] = std::array::from_fn(|column| {
                let own = 3 - column % 3;
                let (taken, after) = std::mem::take(&mut rest).split_at_mut(own + later_rows);
                rest = after;
                let (own, later) = taken.split_at_mut(own);
                (own, later.as_chunks_mut::<9>().0)
            });
            let (sum, later) = gradients[a..].split_at_mut(1);
            let (on, later_on) = self.diagonal[a..].split_at_mut(1);
            let (mut sums, mut ons) = (sum[0], on[0]);
            let others = molecules[a + 1..].iter().zip(later).zip(later_on);
            for (b, ((there, to), to_on)) in others.enumerate() {
                for i in 0..3 {
                    for j in 0..3 {
                        let d = minus(here[i], there[j]);
                        let inverse = 1.0 / dot(d, d);
                        let f = -self.charges[i][j] * inverse * inverse.sqrt();
                        add_times(&mut sums[i], f, d);
                        add_times(&mut to[j], -f, d);
                        let e = times(-3.0 * f * inverse, d);
                        let block = [
                            f + e[0] * d[0],
                            e[0] * d[1],
                            e[0] * d[2],
                            f + e[1] * d[1],
                            e[1] * d[2],
                            f + e[2] * d[2],
                        ];
                        for k in 0..6 {
                            ons[i][k] += block[k];
                            to_on[j][k] += block[k];
                        }
                        columns[3 * i].1[b][3 * j..][..3].copy_from_slice(&[-block[0], -block[1], -block[2]]);
                        columns[3 * i + 1].1[b][3 * j..][..3]
                            .copy_from_slice(&[-block[1], -block[3], -block[4]]);
                        columns[3 * i + 2].1[b][3 * j..][..3]
                            .copy_from_slice(&[-block[2], -block[4], -block[5]]);
                    }
                }
            }
            sum[0] = sums;
            for (i, on) in ons.iter().enumerate() {
                columns[3 * i].0.copy_from_slice(&on[..3]);
                columns[3 * i + 1].0.copy_from_slice(&on[3..5]);
                columns[3 * i + 2].0.copy_from_slice(&on[5..]);
            }
        }
    }

    fn third(&mut self, q: &[f64], a: &[f64], contraction: &mut [f64]) {
        contraction.fill(0.0);
        let molecules = points(q).as_chunks::<3>().0;
        let directions = points(a).as_chunks::<3>().0;
        let contractions = points_mut(contraction).as_chunks_mut::<3>().0;
        for (m, (here, a_here)) in molecules.iter().zip(directions).enumerate() {
            let (sum, later) = contractions[m..].split_at_mut(1);
            let mut sums = sum[0];
            for ((there, a_there), to) in molecules[m + 1..].iter().zip(&directions[m + 1..]).zip(later) {
                for i in 0..3 {
                    for j in 0..3 {
                        let (d, e) = (minus(here[i], there[j]), minus(a_here[i], a_there[j]));
                        let inverse = 1.0 / dot(d, d);
                        let along = dot(d, e) * inverse;
                        let common = 3.0 * self.charges[i][j] * inverse * inverse * inverse.sqrt();
                        let by_d = common * (dot(e, e) - 5.0 * along * dot(d, e));
                        let by_e = 2.0 * common * dot(d, e);
                        let force =
                            [by_d * d[0] + by_e * e[0], by_d * d[1] + by_e * e[1], by_d * d[2] + by_e * e[2]];
                        add_times(&mut sums[i], 1.0, force);
                        add_times(&mut to[j], -1.0, force);
                    }
                }
            }
            sum[0] = sums;
        }
    }
}
