//! Velocity Verlet in the plane: Kepler's problem and the potential of Hénon and Heiles.

use super::{ByHand, Told};

/// A point that −∇V accelerates.
pub(crate) struct Point<F> {
    h: f64,
    q: [f64; 2],
    v: [f64; 2],
    a: [f64; 2],
    accelerate: F,
}

/// −∇(−1/|q|).
pub(crate) fn kepler([x, y]: [f64; 2]) -> [f64; 2] {
    let square = x * x + y * y;
    let factor = -1.0 / (square * square.sqrt());
    [factor * x, factor * y]
}

/// −∇(½ (x² + y²) + x² y − ⅓ y³).
pub(crate) fn henon_heiles([x, y]: [f64; 2]) -> [f64; 2] {
    [-x - 2.0 * x * y, y * y - y - x * x]
}

impl<F: Fn([f64; 2]) -> [f64; 2]> Point<F> {
    pub(crate) fn new((q, v): ([f64; 2], [f64; 2]), h: f64, accelerate: F) -> Self {
        Self { h, q, v, a: accelerate(q), accelerate }
    }
}

impl<F: Fn([f64; 2]) -> [f64; 2]> ByHand for Point<F> {
    #[inline]
    fn step(&mut self) {
        let Self { h, q, v, a, accelerate } = self;
        for k in 0..2 {
            v[k] += 0.5 * *h * a[k];
            q[k] += *h * v[k];
        }
        *a = accelerate(*q);
        for k in 0..2 {
            v[k] += 0.5 * *h * a[k];
        }
    }

    fn told(&self) -> Told {
        (self.q.to_vec(), None)
    }
}
