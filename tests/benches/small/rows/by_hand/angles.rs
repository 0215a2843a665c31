//! The double pendulum in angles by variational midpoint.
//!
//! Masses and gravity are 1, the rods 1 and √2 long:
//! L = u² + w² + √2 cos(θ − φ) u w + 2 cos θ + √2 cos φ, with the angular velocities u and w.

use super::{ByHand, Told};
use std::f64::consts::SQRT_2;

const TOLERANCE: f64 = 1e-14;

pub(crate) struct Angles {
    h: f64,
    q: [f64; 2],
    v: [f64; 2],
    iterations: u64,
}

/// √2 cos(θ − φ), √2 sin(θ − φ).
fn coupling(q: [f64; 2]) -> (f64, f64) {
    let (sine, cosine) = (q[0] - q[1]).sin_cos();
    (SQRT_2 * cosine, SQRT_2 * sine)
}

/// ∂L/∂v.
fn momentum(c: f64, v: [f64; 2]) -> [f64; 2] {
    [2.0 * v[0] + c * v[1], 2.0 * v[1] + c * v[0]]
}

/// ∂L/∂q.
fn force(s: f64, [theta, phi]: [f64; 2], v: [f64; 2]) -> [f64; 2] {
    let turning = s * v[0] * v[1];
    [-turning - 2.0 * theta.sin(), turning - SQRT_2 * phi.sin()]
}

fn inverse([[a, b], [c, d]]: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
    let factor = 1.0 / (a * d - b * c);
    [[factor * d, -factor * b], [-factor * c, factor * a]]
}

fn largest(x: [f64; 2]) -> f64 {
    x[0].abs().max(x[1].abs())
}

/// Newton's method with one matrix, from x and the residual there; the corrections that it took.
#[inline]
fn solve(
    x: &mut [f64; 2],
    mut residual: [f64; 2],
    inverse: [[f64; 2]; 2],
    (base, weight): (f64, f64),
    evaluate: impl Fn([f64; 2]) -> [f64; 2],
) -> u64 {
    let mut previous = f64::INFINITY;
    for iteration in 0.. {
        let [a, b] = inverse;
        let correction = [-a[0] * residual[0] - a[1] * residual[1], -b[0] * residual[0] - b[1] * residual[1]];
        let length = weight * largest(correction);
        let accepted = TOLERANCE * base.max(weight * largest(*x));
        if length >= 0.5 * previous {
            return iteration;
        }
        x[0] += correction[0];
        x[1] += correction[1];
        if length <= accepted {
            return iteration;
        }
        previous = length;
        residual = evaluate(*x);
    }
    0
}

impl Angles {
    pub(crate) fn new((q, v): ([f64; 2], [f64; 2]), h: f64) -> Self {
        Self { h, q, v, iterations: 0 }
    }
}

impl ByHand for Angles {
    fn step(&mut self) {
        let Self { h, q, v, iterations } = self;
        let (half, start) = (0.5 * *h, *q);
        let before = momentum(coupling(start).0, *v);
        let middle = |u: [f64; 2]| [start[0] + half * u[0], start[1] + half * u[1]];
        let residual = |at: [f64; 2], u: [f64; 2], (c, s): (f64, f64)| {
            let (p, f) = (momentum(c, u), force(s, at, u));
            [p[0] - half * f[0] - before[0], p[1] - half * f[1] - before[1]]
        };

        // L_v − ½ h L_q = p₀, with its exact derivative at u = v₀.
        let mut u = *v;
        let at = middle(u);
        let (c, s) = coupling(at);
        let (turning, quarter) = (half * s * (u[0] + u[1]), half * half);
        let (bent, [theta, phi]) = (c * u[0] * u[1], at);
        let matrix = [
            [2.0 + quarter * (bent + 2.0 * theta.cos()), c + turning - quarter * bent],
            [c - turning - quarter * bent, 2.0 + quarter * (bent + SQRT_2 * phi.cos())],
        ];
        let first = residual(at, u, (c, s));
        *iterations += solve(&mut u, first, inverse(matrix), (largest(start), *h), |u| {
            let at = middle(u);
            residual(at, u, coupling(at))
        });

        // p₁ = L_v + ½ h L_q, and the velocity of that momentum.
        let at = middle(u);
        let (c, s) = coupling(at);
        let (p, f) = (momentum(c, u), force(s, at, u));
        let after = [p[0] + half * f[0], p[1] + half * f[1]];
        *q = [start[0] + *h * u[0], start[1] + *h * u[1]];
        *v = u;
        let missing = |c, v| {
            let p = momentum(c, v);
            [p[0] - after[0], p[1] - after[1]]
        };
        let c = coupling(*q).0;
        let mass = inverse([[2.0, c], [c, 2.0]]);
        let end = *q;
        *iterations += solve(v, missing(c, u), mass, (0.0, 1.0), |v| missing(coupling(end).0, v));
    }

    fn told(&self) -> Told {
        (self.q.to_vec(), Some(self.iterations))
    }
}
