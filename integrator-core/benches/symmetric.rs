//! Factorization and solution of block-tridiagonal systems (2×2 blocks, as of a chain) from 10³ to 10⁵
//! blocks: the time a block must not grow with their number.
//!
//! `cargo bench -p least-action --bench symmetric`

#![expect(clippy::expect_used, reason = "a benchmark whose matrix is known to be regular")]

use least_action::advanced::sparse::{Solver, SymmetricPattern};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    println!("{:>8} {:>14} {:>14}   (ns a block, median of 15)", "blocks", "factor", "solve + check");
    for blocks in [1_000, 10_000, 100_000] {
        let pattern = chain(blocks);
        let values: Vec<f64> = pattern.entries().map(|(i, j)| if i == j { 6.0 } else { -1.0 }).collect();
        let mut solver = Solver::symmetric(&pattern);
        let mut x = vec![1.0; 2 * blocks];
        let factor = median(|| {
            solver.factor(black_box(&values)).expect("diagonally dominant");
        });
        let solve = median(|| {
            x.fill(1.0);
            solver.solve(black_box(&mut x)).expect("well conditioned");
        });
        println!("{blocks:>8} {:>14.1} {:>14.1}", factor / blocks as f64, solve / blocks as f64);
    }
}

fn chain(nodes: usize) -> SymmetricPattern {
    let neighbours = (1..nodes).flat_map(|i| (0..4).map(move |k| (2 * i + k / 2, 2 * (i - 1) + k % 2)));
    SymmetricPattern::new(2 * nodes, neighbours.chain((0..nodes).map(|i| (2 * i + 1, 2 * i))))
}

/// The median time of a call, in nanoseconds.
fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..15)
        .map(|_| {
            let clock = Instant::now();
            work();
            clock.elapsed().as_secs_f64() * 1e9
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
