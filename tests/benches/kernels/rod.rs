//! The penalty of a chain's rods in the plane, V = Σ ½ ω² (|p_i − p_{i−1}|² − L²)², from the origin.

use crate::by_hand::Potential;
use crate::dual::Element;
use crate::subject::{Subject, Targets};
use least_action::expr::Number;
use least_action::prelude::*;
use test_support::agreement::Seeded;

/// A chain whose rods are springs.
#[derive(Debug, Clone)]
pub(crate) struct Rods {
    links: usize,
    omega: f64,
    rod: f64,
}

#[lagrangian]
impl Rods {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        let kinetic = sum(0..self.links, |i| 0.5 * der(bobs[i]).norm_squared());
        let penalty = sum(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            let excess = (bobs[i] - pivot).norm_squared() - self.rod.powi(2);
            0.5 * self.omega.powi(2) * excess.powi(2)
        });
        kinetic - penalty
    }
}

pub(crate) fn subject() -> Subject {
    let model = Rods { links: 1000, omega: 20.0, rod: 1.25 };
    let shift = Seeded::new(1).numbers(2 * model.links);
    let straight = (1..=model.links).flat_map(|i| [0.75 * i as f64, -(i as f64)]);
    let q = straight.zip(&shift).map(|(place, shift)| place + 0.1 * shift).collect();
    let targets = Targets { scalar: None, lanes: Some([1.0; 3]), third_to_gradient: None, dual: None };
    Subject::new("chain rod", targets, &model, q, |_| ByHand(model.clone()), model.clone())
}

impl Element<4> for Rods {
    fn inputs(&self) -> Vec<[usize; 4]> {
        // The first rod hangs from the origin, for which its own bob stands in.
        (0..self.links).map(|i| [2 * i, 2 * i + 1, 2 * i.max(1) - 2, 2 * i.max(1) - 1]).collect()
    }

    #[inline(always)]
    fn energy<T: Number>(&self, element: usize, [x, y, before_x, before_y]: [T; 4]) -> T {
        let (dx, dy) = if element == 0 { (x, y) } else { (x - before_x, y - before_y) };
        let excess = dx * dx + dy * dy - self.rod * self.rod;
        excess * excess * (0.5 * self.omega * self.omega)
    }
}

/// Forces are carried from rod to rod, so that each output is written once.
struct ByHand(Rods);

impl ByHand {
    fn constants(&self) -> (f64, f64) {
        (self.0.omega * self.0.omega, self.0.rod * self.0.rod)
    }
}

impl Potential for ByHand {
    fn value(&mut self, q: &[f64]) -> f64 {
        let (stiffness, square) = self.constants();
        let (mut sum, mut before) = (0.0, [0.0; 2]);
        for &p in q.as_chunks::<2>().0 {
            let d = [p[0] - before[0], p[1] - before[1]];
            let excess = d[0] * d[0] + d[1] * d[1] - square;
            sum += excess * excess;
            before = p;
        }
        0.5 * stiffness * sum
    }

    fn gradient(&mut self, q: &[f64], gradient: &mut [f64]) {
        let (stiffness, square) = self.constants();
        let double = 2.0 * stiffness;
        let rod = |d: [f64; 2]| {
            let f = double * (d[0] * d[0] + d[1] * d[1] - square);
            [f * d[0], f * d[1]]
        };
        let (p, g) = (q.as_chunks::<2>().0, gradient.as_chunks_mut::<2>().0);
        let Some(&first) = p.first() else { return };
        let mut carried = rod(first);
        let (mut before, last) = (first, g.len() - 1);
        for (p, g) in p[1..].iter().zip(&mut g[..last]) {
            let force = rod([p[0] - before[0], p[1] - before[1]]);
            *g = [carried[0] - force[0], carried[1] - force[1]];
            (carried, before) = (force, *p);
        }
        g[last] = carried;
    }

    fn second(&mut self, q: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        let (stiffness, square) = self.constants();
        let (double, quadruple) = (2.0 * stiffness, 4.0 * stiffness);
        let rod = |d: [f64; 2]| {
            let f = double * (d[0] * d[0] + d[1] * d[1] - square);
            let (x, y) = (quadruple * d[0], quadruple * d[1]);
            ([f * d[0], f * d[1]], [f + x * d[0], x * d[1], f + y * d[1]])
        };
        let (p, g) = (q.as_chunks::<2>().0, gradient.as_chunks_mut::<2>().0);
        // The columns of a bob: its own 2 + 1 entries, and the entries of the next bob.
        let (columns, end) = hessian.as_chunks_mut::<7>();
        let Some(&first) = p.first() else { return };
        let (mut carried, mut block) = rod(first);
        let (mut before, last) = (first, g.len() - 1);
        for ((p, g), h) in p[1..].iter().zip(&mut g[..last]).zip(columns) {
            let (force, b) = rod([p[0] - before[0], p[1] - before[1]]);
            *g = [carried[0] - force[0], carried[1] - force[1]];
            *h = [block[0] + b[0], block[1] + b[1], -b[0], -b[1], block[2] + b[2], -b[1], -b[2]];
            (carried, block, before) = (force, b, *p);
        }
        g[last] = carried;
        end.copy_from_slice(&block);
    }

    fn third(&mut self, q: &[f64], a: &[f64], contraction: &mut [f64]) {
        let quadruple = 4.0 * self.constants().0;
        let rod = |d: [f64; 2], e: [f64; 2]| {
            let along = 2.0 * quadruple * (d[0] * e[0] + d[1] * e[1]);
            let square = quadruple * (e[0] * e[0] + e[1] * e[1]);
            [along * e[0] + square * d[0], along * e[1] + square * d[1]]
        };
        let (p, a) = (q.as_chunks::<2>().0, a.as_chunks::<2>().0);
        let w = contraction.as_chunks_mut::<2>().0;
        let (Some(&first), Some(&first_a)) = (p.first(), a.first()) else { return };
        let mut carried = rod(first, first_a);
        let (mut before, mut before_a, last) = (first, first_a, w.len() - 1);
        for ((p, a), w) in p[1..].iter().zip(&a[1..]).zip(&mut w[..last]) {
            let force = rod([p[0] - before[0], p[1] - before[1]], [a[0] - before_a[0], a[1] - before_a[1]]);
            *w = [carried[0] - force[0], carried[1] - force[1]];
            (carried, before, before_a) = (force, *p, *a);
        }
        w[last] = carried;
    }
}
