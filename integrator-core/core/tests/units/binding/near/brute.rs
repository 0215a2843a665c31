//! The meaning of a sum over near pairs, run literally: all pairs, one after the other, with an `if`.

use super::elements::{Formula, derivative, directions, mixed, third, value};
use least_action_core::emitted::v1::{Instant, NearKernel, Ports, Role, Sort};
use least_action_core::internals::near::Points;

/// The ports of one element.
struct Element<const X: usize, const C: usize> {
    x: [f64; X],
    a: [f64; X],
    c: [f64; C],
}

impl<const X: usize, const C: usize> Ports<f64> for Element<X, C> {
    fn x(&self, k: usize) -> f64 {
        self.x[k]
    }

    fn a(&self, k: usize) -> f64 {
        self.a[k]
    }

    fn c(&self, k: usize) -> f64 {
        self.c[k]
    }

    fn now(&self) -> Instant {
        Instant { t: 0.3, theta: 0.0 }
    }

    fn signal(&self, _: usize) -> f64 {
        0.0
    }

    fn weight(&self, _: usize) -> f64 {
        1.0
    }

    fn sum(&mut self, _: usize, _: f64) {}

    fn vector(&mut self, _: usize, _: f64) {}

    fn number(&mut self, _: usize, _: f64) {}

    fn plus(&mut self, _: usize, _: f64) {}

    fn minus(&mut self, _: usize, _: f64) {}
}

/// The sums by their definition, where first and second slots begin at the points themselves.
pub(super) struct Sums {
    /// Σ w f, Σ w ∇f, Σ w Hess f · a, Σ w (a·f‴·a), one behind the other.
    pub(super) weighted: Vec<f64>,
    /// Of each first end: Σ f, Σ ∇f·a, Σ aᵀ Hess f a.
    pub(super) rows: Vec<[f64; 3]>,
}

/// With coefficients by first and second end, and a weight for each first end; none without rows.
pub(super) fn sums<F: Formula<X, C>, const X: usize, const C: usize>(
    kernel: &NearKernel,
    points: &Points,
    z: &[f64],
    a: &[f64],
    coefficients: impl Fn(usize, usize) -> [f64; C],
    weight: impl Fn(usize) -> Option<f64>,
) -> Sums {
    let (count, n) = (points.starts.len(), z.len());
    let mut weighted = vec![0.0; 1 + 3 * n];
    let mut rows = vec![[0.0; 3]; count];
    for first in 0..count {
        let Some(weight) = weight(first) else { continue };
        for second in 0..count {
            if (kernel.sort == Sort::Pairs && second <= first) || !points.are_pair(first, second) {
                continue;
            }
            let (p, q) = (points.position(z, first), points.position(z, second));
            let d = points.image.nearest([0, 1, 2].map(|k| p[k] - q[k]));
            if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < points.cutoff * points.cutoff {
                let read = |k: usize, from: &[f64], d: [f64; 3]| {
                    let (slot, component) = kernel.kernel.inputs[k];
                    match kernel.roles[slot] {
                        Role::Separation => d[component],
                        Role::First => from[points.starts[first] as usize + component],
                        Role::Second => from[points.starts[second] as usize + component],
                    }
                };
                let along = {
                    let (p, q) = (points.position(a, first), points.position(a, second));
                    [0, 1, 2].map(|k| p[k] - q[k])
                };
                let element: Element<X, C> = Element {
                    x: std::array::from_fn(|k| read(k, z, d)),
                    a: std::array::from_fn(|k| read(k, a, along)),
                    c: coefficients(first, second),
                };
                let f = value::<F, _, X, C>(&element);
                weighted[0] += weight * f;
                rows[first][0] += f;
                for k in 0..X {
                    let found = [
                        derivative::<F, _, X, C>(&element, k),
                        mixed::<F, _, X, C>(&element, k, directions(&element)),
                        third::<F, _, X, C>(&element, k),
                    ];
                    rows[first][1] += found[0] * element.a[k];
                    rows[first][2] += found[1] * element.a[k];
                    let (slot, component) = kernel.kernel.inputs[k];
                    let ends = match kernel.roles[slot] {
                        Role::Separation => [(first, 1.0), (second, -1.0)],
                        Role::First => [(first, 1.0), (first, 0.0)],
                        Role::Second => [(second, 1.0), (second, 0.0)],
                    };
                    for (end, sign) in ends {
                        for (which, found) in found.iter().enumerate() {
                            let at = points.starts[end] as usize + component;
                            weighted[1 + which * n + at] += weight * sign * found;
                        }
                    }
                }
            }
        }
    }
    Sums { weighted, rows }
}
