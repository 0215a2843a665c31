//! RATTLE on a chain: the engine against a loop written by hand for this one system.
//!
//! Both solve to the same tolerance, in one process, in turns; the medians and their ratio are printed.
//! The loop by hand knows everything: unit masses, equal rods, two coordinates a bob, a tridiagonal matrix, Newton's
//! method with the exact matrix. It also skips the multipliers of the state, which the engine reports.

use integrator_core::method::{Method, Rattle, Stepper};
use integrator_core::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use integrator_core::system::{Constrained, Holonomic, Kind, Layout, Natural, State, System};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::hint::black_box;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// The chain as a system: what stands here for a compiled model.
struct Chain {
    layout: Layout,
    mass: SymmetricMatrix,
    pattern: RowPattern,
    empty: SymmetricPattern,
    rod_squared: f64,
}

impl Chain {
    fn new(links: usize) -> Self {
        let mut layout = Layout::new();
        layout.push("bobs", Kind::Vec2, vec![links]);
        let entries = (0..links)
            .flat_map(|i| (i.saturating_sub(1)..=i).flat_map(move |k| [(i, 2 * k), (i, 2 * k + 1)]));
        Self {
            layout,
            mass: SymmetricMatrix::diagonal(vec![1.0; 2 * links]),
            pattern: RowPattern::new(links, 2 * links, entries),
            empty: SymmetricPattern::new(2 * links, []),
            rod_squared: 5.0,
        }
    }
}

impl System for Chain {
    fn name(&self) -> &'static str {
        "Chain"
    }
    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Natural for Chain {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }
    fn potential(&self, q: &[f64], _t: f64) -> f64 {
        q.iter().skip(1).step_by(2).sum()
    }
    fn potential_rate(&self, _q: &[f64], _t: f64) -> f64 {
        0.0
    }

    fn potential_gradient(&self, _q: &[f64], _t: f64, gradient: &mut [f64]) {
        for pair in gradient.as_chunks_mut::<2>().0 {
            *pair = [0.0, 1.0];
        }
    }
    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.empty
    }
    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.potential_gradient(q, t, gradient);
        hessian.fill(0.0);
    }
    fn potential_product(&self, _q: &[f64], _t: f64, _a: &[f64], product: &mut [f64]) {
        product.fill(0.0);
    }
    fn potential_third(&self, _q: &[f64], _t: f64, _a: &[f64], contraction: &mut [f64]) {
        contraction.fill(0.0);
    }
}

impl Holonomic for Chain {
    fn constraints(&self) -> usize {
        self.pattern.height()
    }
    fn constraint_name(&self, row: usize) -> String {
        format!("rods[{row}]")
    }
    fn constraint_values(&self, q: &[f64], _t: f64, values: &mut [f64]) {
        let mut last = [0.0, 0.0];
        for (value, p) in values.iter_mut().zip(q.as_chunks::<2>().0) {
            let d = [p[0] - last[0], p[1] - last[1]];
            *value = d[0] * d[0] + d[1] * d[1] - self.rod_squared;
            last = *p;
        }
    }
    fn jacobian_pattern(&self) -> &RowPattern {
        &self.pattern
    }
    fn jacobian(&self, q: &[f64], _t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        let points = q.as_chunks::<2>().0;
        let (first, rest) = jacobian.split_at_mut(2);
        let p = points[0];
        values[0] = p[0] * p[0] + p[1] * p[1] - self.rod_squared;
        first.copy_from_slice(&[2.0 * p[0], 2.0 * p[1]]);
        let rows = rest.as_chunks_mut::<4>().0.iter_mut().zip(&mut values[1..]);
        for ((row, value), (p, last)) in rows.zip(points[1..].iter().zip(points)) {
            let d = [p[0] - last[0], p[1] - last[1]];
            *value = d[0] * d[0] + d[1] * d[1] - self.rod_squared;
            *row = [-2.0 * d[0], -2.0 * d[1], 2.0 * d[0], 2.0 * d[1]];
        }
    }
    fn constraint_rate(&self, _q: &[f64], _t: f64, rate: &mut [f64]) {
        rate.fill(0.0);
    }
    fn constraint_curvature(&self, _q: &[f64], v: &[f64], _t: f64, curvature: &mut [f64]) {
        let mut last = [0.0, 0.0];
        for (value, p) in curvature.iter_mut().zip(v.as_chunks::<2>().0) {
            let d = [p[0] - last[0], p[1] - last[1]];
            *value = 2.0 * (d[0] * d[0] + d[1] * d[1]);
            last = *p;
        }
    }
    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]) {
        self.constraint_curvature(q, a, t, quadratic);
    }
    fn weighted_pattern(&self) -> &SymmetricPattern {
        &self.empty
    }
    fn weighted_hessian(&self, _q: &[f64], _t: f64, _w: &[f64], _hessian: &mut [f64]) {}
    fn add_weighted_product(&self, _q: &[f64], _t: f64, _w: &[f64], _a: &[f64], _product: &mut [f64]) {}
    fn add_weighted_third(&self, _q: &[f64], _t: f64, _w: &[f64], _a: &[f64], _contraction: &mut [f64]) {}
}

/// RATTLE by hand. Multipliers are scaled so that half the gradient of |d|² − L², that is d, carries the force.
struct ByHand {
    h: f64,
    p: Vec<[f64; 2]>,
    v: Vec<[f64; 2]>,
    /// Rods at the old position, rods at the iterate, residuals and unknowns, upper diagonal, reciprocal pivots.
    rods: Vec<[f64; 2]>,
    new: Vec<[f64; 2]>,
    x: Vec<f64>,
    upper: Vec<f64>,
    reciprocal: Vec<f64>,
    solves: u64,
}

impl ByHand {
    fn new(state: &State, h: f64) -> Self {
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

    fn step(&mut self) {
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

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn compare(links: usize, h: f64, rounds: usize, steps: usize) {
    let chain = Chain::new(links);
    let q: Vec<f64> = (1..=links).flat_map(|i| [i as f64, -2.0 * i as f64]).collect();
    let start = State::at_rest(q);
    let (mut by_hand_times, mut engine_times) = (Vec::new(), Vec::new());
    let mut hand = ByHand::new(&start, h);
    let system: &dyn Constrained = &chain;
    let memory = Region::new(ALLOCATOR);
    let Ok(mut engine) = Rattle::default().start(system, start, h) else {
        println!("the engine does not start");
        return;
    };
    let memory = memory.change();
    let held = memory.bytes_allocated.saturating_sub(memory.bytes_deallocated) / links;
    for _ in 0..rounds {
        let clock = Instant::now();
        for _ in 0..steps {
            black_box(&mut hand).step();
        }
        by_hand_times.push(clock.elapsed().as_secs_f64() / steps as f64);
        let clock = Instant::now();
        for _ in 0..steps {
            if let Err(error) = black_box(&mut engine).step() {
                println!("{error}");
                return;
            }
        }
        engine_times.push(clock.elapsed().as_secs_f64() / steps as f64);
    }
    let apart = engine
        .state()
        .q
        .as_chunks::<2>()
        .0
        .iter()
        .zip(&hand.p)
        .fold(0.0_f64, |d, (a, b)| d.max((a[0] - b[0]).abs()).max((a[1] - b[1]).abs()));
    let (by_hand, ours) = (median(by_hand_times), median(engine_times));
    let done = (rounds * steps) as f64;
    println!(
        "{links:>7} links, h = {h}: by hand {:.3} us/step ({:.2} solves), engine {:.3} us/step ({:.2} iterations, {:.2} \
         factorizations), ratio {:.2}; {:.1} ns and {held} bytes a link; positions differ by {apart:.1e}",
        by_hand * 1e6,
        hand.solves as f64 / done,
        ours * 1e6,
        engine.evaluations().iterations as f64 / done,
        engine.evaluations().factorizations as f64 / done,
        ours / by_hand,
        ours / links as f64 * 1e9,
    );
}

fn main() {
    compare(10, 0.05, 41, 2000);
    compare(10, 0.01, 41, 2000);
    compare(100, 0.02, 41, 300);
    compare(1000, 0.02, 41, 30);
    compare(1000, 0.01, 41, 30);
    compare(1000, 0.002, 41, 30);
    compare(10_000, 0.01, 11, 10);
    compare(100_000, 0.002, 5, 4);
}
