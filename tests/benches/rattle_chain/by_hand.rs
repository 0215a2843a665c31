//! RATTLE on the chain, written by hand for this one system.
//!
//! It knows everything: unit masses, unit gravity, equal rods of length √5, two coordinates a bob, a
//! tridiagonal matrix, Newton's method with the exact matrix. It skips other work of the engine: the
//! multipliers of the state, checks for a failed step, and the state that survives it.

use least_action::system::State;

/// RATTLE by hand. Multipliers are scaled so that half the gradient of |d|² − L², d, carries the force.
pub(crate) struct ByHand {
    h: f64,
    pub(crate) p: Vec<[f64; 2]>,
    v: Vec<[f64; 2]>,
    /// Rods at the old place and at the iterate, residuals, unknowns, upper diagonal, reciprocal pivots.
    rods: Vec<[f64; 2]>,
    new: Vec<[f64; 2]>,
    x: Vec<f64>,
    upper: Vec<f64>,
    reciprocal: Vec<f64>,
    pub(crate) solves: u64,
}

impl ByHand {
    pub(crate) fn new(state: &State, h: f64) -> Self {
        let p = state.q.as_chunks::<2>().0.to_vec();
        let n = p.len();
        let mut rods = vec![[0.0; 2]; n];
        differences(&p, &mut rods);
        Self {
            h,
            v: state.v.as_chunks::<2>().0.to_vec(),
            rods,
            new: vec![[0.0; 2]; n],
            x: vec![0.0; n],
            upper: vec![0.0; n],
            reciprocal: vec![0.0; n],
            p,
            solves: 0,
        }
    }

    pub(crate) fn step(&mut self) {
        let h = self.h;
        for (p, v) in self.p.iter_mut().zip(&mut self.v) {
            v[1] -= 0.5 * h;
            p[0] += h * v[0];
            p[1] += h * v[1];
        }
        for _ in 0..50 {
            differences(&self.p, &mut self.new);
            let mut worst = 0.0_f64;
            let mut last = [0.0, 0.0];
            for ((x, d), p) in self.x.iter_mut().zip(&self.new).zip(&self.p) {
                let residual = d[0] * d[0] + d[1] * d[1] - 5.0;
                let size = 2.0 * (d[0].abs() * (p[0].abs() + last[0]) + d[1].abs() * (p[1].abs() + last[1]));
                worst = worst.max(residual.abs() / size);
                *x = -0.5 * residual;
                last = [p[0].abs(), p[1].abs()];
            }
            if worst <= 1e-14 {
                break;
            }
            self.solves += 1;
            solve(&self.new, &self.rods, &mut self.x, &mut self.upper, &mut self.reciprocal);
            push(&self.rods, &self.x, h, &mut self.p, &mut self.v);
        }
        for v in &mut self.v {
            v[1] -= 0.5 * h;
        }
        std::mem::swap(&mut self.rods, &mut self.new);
        let mut last = [0.0, 0.0];
        for ((x, d), v) in self.x.iter_mut().zip(&self.rods).zip(&self.v) {
            *x = -(d[0] * (v[0] - last[0]) + d[1] * (v[1] - last[1]));
            last = *v;
        }
        solve(&self.rods, &self.rods, &mut self.x, &mut self.upper, &mut self.reciprocal);
        for i in 0..self.v.len() {
            let (d, x) = (self.rods[i], self.x[i]);
            let (e, y) = self.rods.get(i + 1).map_or(([0.0; 2], 0.0), |e| (*e, self.x[i + 1]));
            self.v[i][0] += d[0] * x - e[0] * y;
            self.v[i][1] += d[1] * x - e[1] * y;
        }
    }
}

fn differences(p: &[[f64; 2]], rods: &mut [[f64; 2]]) {
    let mut last = [0.0, 0.0];
    for (rod, p) in rods.iter_mut().zip(p) {
        *rod = [p[0] - last[0], p[1] - last[1]];
        last = *p;
    }
}

/// p ← p + Gᵀ x, v ← v + Gᵀ x / h.
fn push(rods: &[[f64; 2]], x: &[f64], h: f64, p: &mut [[f64; 2]], v: &mut [[f64; 2]]) {
    let rate = 1.0 / h;
    let n = p.len();
    for i in 0..n {
        let (e, y) = if i + 1 < n { (rods[i + 1], x[i + 1]) } else { ([0.0; 2], 0.0) };
        let change = [rods[i][0] * x[i] - e[0] * y, rods[i][1] * x[i] - e[1] * y];
        p[i][0] += change[0];
        p[i][1] += change[1];
        v[i][0] += rate * change[0];
        v[i][1] += rate * change[1];
    }
}

/// The tridiagonal system with entries new·old, formed and eliminated in one sweep.
fn solve(new: &[[f64; 2]], old: &[[f64; 2]], x: &mut [f64], upper: &mut [f64], reciprocal: &mut [f64]) {
    let n = x.len();
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let mut r = 1.0 / dot(new[0], old[0]);
    reciprocal[0] = r;
    for i in 1..n {
        let above = -dot(new[i - 1], old[i]);
        let below = -dot(new[i], old[i - 1]);
        upper[i - 1] = above;
        let factor = below * r;
        r = 1.0 / (2.0 * dot(new[i], old[i]) - below * above * r);
        reciprocal[i] = r;
        x[i] -= factor * x[i - 1];
    }
    x[n - 1] *= reciprocal[n - 1];
    for i in (0..n - 1).rev() {
        x[i] = (x[i] - upper[i] * x[i + 1]) * reciprocal[i];
    }
}
