//! Angle bends of a chain of beads in space: V = Σ ½ k (θ − θ₀)², θ the angle between consecutive bonds.

use crate::by_hand::{Potential, add_band, is_band};
use crate::dual::Element;
use crate::geometry::{Vector, add, dot, minus, points, points_mut, times};
use crate::subject::{SCALAR, Subject, Targets};
use least_action::expr::Number;
use least_action::prelude::*;
use test_support::agreement::Seeded;

/// Beads on a string that resists bending.
#[derive(Debug, Clone)]
pub(crate) struct Bends {
    beads: usize,
    stiffness: f64,
    angle: f64,
}

#[lagrangian]
impl Bends {
    fn lagrangian(&self, beads: [Vec3; self.beads]) -> Scalar {
        let kinetic = sum(0..self.beads, |i| 0.5 * der(beads[i]).norm_squared());
        let bends = sum(1..self.beads - 1, |i| {
            let (before, after) = (beads[i - 1] - beads[i], beads[i + 1] - beads[i]);
            let angle = (before.dot(after) / (before.norm() * after.norm())).acos();
            0.5 * self.stiffness * (angle - self.angle).powi(2)
        });
        kinetic - bends
    }
}

pub(crate) fn subject() -> Subject {
    let model = Bends { beads: 1000, stiffness: 3.7, angle: 1.9 };
    let shift = Seeded::new(6).numbers(3 * model.beads);
    let zigzag = (0..model.beads).flat_map(|i| [0.8 * i as f64, 0.6 * (i % 2) as f64, 0.0]);
    let q = zigzag.zip(shift).map(|(place, shift)| place + 0.15 * shift).collect();
    let targets = Targets { scalar: SCALAR, lanes: None, third_to_gradient: None, dual: None };
    Subject::new("angle bend", targets, &model, q, |system| ByHand::new(&model, system), model.clone())
}

impl Element<9> for Bends {
    fn inputs(&self) -> Vec<[usize; 9]> {
        (0..self.beads - 2).map(|i| std::array::from_fn(|k| 3 * i + k)).collect()
    }

    #[inline(always)]
    fn energy<T: Number>(&self, _: usize, x: [T; 9]) -> T {
        let u = [0, 1, 2].map(|k: usize| x[k] - x[k + 3]);
        let w = [0, 1, 2].map(|k: usize| x[k + 6] - x[k + 3]);
        let dot = |a: [T; 3], b: [T; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let angle = (dot(u, w) / (dot(u, u) * dot(w, w)).sqrt()).acos() - self.angle;
        angle * angle * (0.5 * self.stiffness)
    }
}

/// V = φ(c) with the cosine c of the angle, whose derivatives by the two bonds are known in closed form.
struct ByHand {
    model: Bends,
    starts: Vec<usize>,
}

impl ByHand {
    fn new(model: &Bends, system: &dyn Natural) -> Self {
        let pattern = system.potential_pattern();
        assert!(is_band(pattern, 9), "a bend joins three neighbours");
        Self { model: model.clone(), starts: pattern.starts().to_vec() }
    }

    /// φ' and 1/sin² θ.
    #[inline(always)]
    fn slope(&self, cosine: f64) -> (f64, f64) {
        let inverse = 1.0 / (1.0 - cosine * cosine);
        (-self.model.stiffness * (cosine.acos() - self.model.angle) * inverse.sqrt(), inverse)
    }
}

/// The cosine, and for each bond its reciprocal length, its direction and the growth of the cosine.
#[inline(always)]
fn cosine(u: Vector, w: Vector) -> (f64, [(f64, Vector, Vector); 2]) {
    let (p, r) = (1.0 / dot(u, u).sqrt(), 1.0 / dot(w, w).sqrt());
    let (a, b) = (times(p, u), times(r, w));
    let c = dot(a, b);
    (c, [(p, a, minus(b, times(c, a))), (r, b, minus(a, times(c, b)))])
}

impl Potential for ByHand {
    fn value(&mut self, q: &[f64]) -> f64 {
        let sum: f64 = points(q)
            .array_windows()
            .map(|&[x, y, z]| {
                let (u, w) = (minus(x, y), minus(z, y));
                let angle = (dot(u, w) / (dot(u, u) * dot(w, w)).sqrt()).acos() - self.model.angle;
                angle * angle
            })
            .sum();
        0.5 * self.model.stiffness * sum
    }

    fn gradient(&mut self, q: &[f64], gradient: &mut [f64]) {
        let (mut middle, mut end) = ([0.0; 3], [0.0; 3]);
        let mut to = points_mut(gradient).iter_mut();
        for (&[x, y, z], to) in points(q).array_windows().zip(&mut to) {
            let (c, [(p, _, by_u), (r, _, by_w)]) = cosine(minus(x, y), minus(z, y));
            let (slope, _) = self.slope(c);
            let (first, last) = (times(slope * p, by_u), times(slope * r, by_w));
            *to = add(middle, first);
            (middle, end) = (minus(end, add(first, last)), last);
        }
        for (to, carried) in to.zip([middle, end]) {
            *to = carried;
        }
    }

    fn second(&mut self, q: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        hessian.fill(0.0);
        let (mut middle, mut end) = ([0.0; 3], [0.0; 3]);
        let mut to = points_mut(gradient).iter_mut();
        for (element, (&[x, y, z], to)) in points(q).array_windows().zip(&mut to).enumerate() {
            let (c, [(p, a, by_u), (r, b, by_w)]) = cosine(minus(x, y), minus(z, y));
            let (slope, inverse) = self.slope(c);
            let curve = (self.model.stiffness + slope * c) * inverse;
            let (first, last) = (times(slope * p, by_u), times(slope * r, by_w));
            *to = add(middle, first);
            (middle, end) = (minus(end, add(first, last)), last);

            let (along_u, along_w) = (times(curve * p, by_u), times(curve * r, by_w));
            let (pp, pr, rr) = (slope * p * p, slope * p * r, slope * r * r);
            let (uu_a, ww_b) = (times(pp, a), times(rr, b));
            // The blocks of the outer beads by columns; the middle one has minus their sums.
            let mut block = [[0.0; 9]; 9];
            for s in 0..3 {
                for k in 0..3 {
                    let (mut uu, mut ww) = (0.0, 0.0);
                    if k >= s {
                        uu = along_u[k] * p * by_u[s] - uu_a[k] * by_u[s] - uu_a[s] * (by_u[k] - c * a[k]);
                        ww = along_w[k] * r * by_w[s] - ww_b[k] * by_w[s] - ww_b[s] * (by_w[k] - c * b[k]);
                    }
                    let mut wu = along_w[k] * p * by_u[s] - pr * (b[k] * b[s] + (a[k] - c * b[k]) * a[s]);
                    if k == s {
                        (uu, ww, wu) = (uu - pp * c, ww - rr * c, wu + pr);
                    }
                    (block[s][k], block[6 + s][6 + k], block[s][6 + k]) = (uu, ww, wu);
                }
            }
            for s in 0..3 {
                for k in 0..3 {
                    // The diagonal blocks are symmetric and stand below the diagonal only.
                    let (low, high) = (s.min(k), s.max(k));
                    let (uu, ww) = (block[low][high], block[6 + low][6 + high]);
                    let (wu, uw) = (block[s][6 + k], block[k][6 + s]);
                    block[s][3 + k] = -uu - wu;
                    block[3 + s][6 + k] = -ww - wu;
                    block[3 + s][3 + k] = uu + ww + wu + uw;
                }
            }
            add_band(&self.starts, 3 * element, &block, hessian);
        }
        for (to, carried) in to.zip([middle, end]) {
            *to = carried;
        }
    }

    /// aᵀ Hess V a along the path of the squares A = u², B = w² and S = u·w, differentiated backwards.
    fn third(&mut self, q: &[f64], a: &[f64], contraction: &mut [f64]) {
        let (mut middle, mut end) = ([0.0; 3], [0.0; 3]);
        let mut to = points_mut(contraction).iter_mut();
        let windows = points(q).array_windows().zip(points(a).array_windows());
        for ((&[x, y, z], &[ax, ay, az]), to) in windows.zip(&mut to) {
            let (u, w, du, dw) = (minus(x, y), minus(z, y), minus(ax, ay), minus(az, ay));
            let (s0, s1, s2) = (dot(u, w), dot(u, dw) + dot(w, du), 2.0 * dot(du, dw));
            let (ia, ib) = (1.0 / dot(u, u), 1.0 / dot(w, w));
            // A'/A and A''/A, with half of the first.
            let (a1, b1) = (dot(u, du) * ia, dot(w, dw) * ib);
            let (a2, b2) = (dot(du, du) * ia, dot(dw, dw) * ib);
            // g = (A B)^(−1/2), and its derivatives g (−l) and g (l² + m).
            let g0 = (ia * ib).sqrt();
            let l = -(a1 + b1);
            let m = 2.0 * (a1 * a1 + b1 * b1) - a2 - b2;
            let (g1, g2) = (g0 * l, g0 * (l * l + m));
            let c = s0 * g0;
            let c1 = s1 * g0 + s0 * g1;
            let c2 = s2 * g0 + 2.0 * s1 * g1 + s0 * g2;

            let (slope, inverse) = self.slope(c);
            let curve = (self.model.stiffness + slope * c) * inverse;
            let third = (3.0 * c * curve + slope) * inverse;
            let (bar_c, bar_c1, bar_c2) = (third * c1 * c1 + curve * c2, 2.0 * curve * c1, slope);
            let bar_s0 = bar_c * g0 + bar_c1 * g1 + bar_c2 * g2;
            let bar_s1 = bar_c1 * g0 + 2.0 * bar_c2 * g1;
            // By ln g, l and m.
            let bar_g1 = bar_c1 * s0 + 2.0 * bar_c2 * s1;
            let by_log = (bar_c * s0 + bar_c1 * s1 + bar_c2 * s2) * g0 + bar_g1 * g1 + bar_c2 * s0 * g2;
            let by_l = (bar_g1 + 2.0 * bar_c2 * s0 * l) * g0;
            let by_m = bar_c2 * s0 * g0;
            // ∂ ln g = −a, ∂l = 2 a a1 − …, with a = u ∂u / A.
            let force = |v: Vector, dv: Vector, other: Vector, d_other: Vector, i: f64, v1: f64, v2: f64| {
                let by_v = (-by_log + 2.0 * by_l * v1 + by_m * (2.0 * v2 - 8.0 * v1 * v1)) * i;
                let by_dv = (-by_l + 4.0 * by_m * v1) * i;
                let along = add(times(by_v, v), times(by_dv, dv));
                add(along, add(times(bar_s0, other), times(bar_s1, d_other)))
            };
            let (first, last) = (force(u, du, w, dw, ia, a1, a2), force(w, dw, u, du, ib, b1, b2));
            *to = add(middle, first);
            (middle, end) = (minus(end, add(first, last)), last);
        }
        for (to, carried) in to.zip([middle, end]) {
            *to = carried;
        }
    }
}
