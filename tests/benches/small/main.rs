//! Small systems: what a step of the library costs beside the same scheme by hand, in time and in instructions.
//!
//! Both ways begin alike and agree before anything is measured; times are the least of several rounds in turns, instructions
//! those that cachegrind counts, where valgrind is found.
//!
//! `cargo bench -p least-action-tests --bench small`; names of rows after `--` pick them, and `ROW WAY STEPS` with the way `hand` or
//! `library` makes steps and no more.

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]
#![expect(clippy::needless_range_loop, reason = "matrices and their indices, as in the formulas")]

mod rows;

use rows::{ROWS, Row, Run, WAYS, counted};
use std::hint::black_box;
use std::time::Instant;

/// After so many steps both ways are compared.
const COMPARED: u64 = 300;
const CLOSE: f64 = 1e-10;
/// The part by which the corrections of Newton's method may differ: the ways measure residuals by other sizes.
const CORRECTIONS: f64 = 0.05;

const ROUNDS: usize = 15;
/// Seconds of a way in a round.
const ROUND: f64 = 3e-3;

fn main() {
    if rows::has_run() {
        return;
    }
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    println!(
        "{:<22} {:>9} {:>9} {:>6}   {:>9} {:>9} {:>6}   {:>11} {:>9}",
        "ns and instructions",
        "by hand",
        "library",
        "ratio",
        "by hand",
        "library",
        "ratio",
        "corrections",
        "differ by"
    );
    for row in ROWS.iter().filter(|row| wanted.is_empty() || wanted.iter().any(|name| name == row.name)) {
        measure(row);
    }
}

fn measure(row: &Row) {
    let mut runs = WAYS.map(|way| row.begin(way).expect("both ways"));
    runs.iter_mut().for_each(|run| run.go(COMPARED));
    let apart = apart(row, &runs);
    let corrections = runs[1].iterations().unwrap_or(0) as f64 / COMPARED as f64;
    let steps = runs.each_mut().map(|run| (ROUND / seconds(&mut **run, 100)).ceil() as u64);
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for way in 0..2 {
            least[way] = least[way].min(1e9 * seconds(&mut *runs[way], steps[way]));
        }
    }
    let [hand, library] = least;
    let counts = WAYS.map(|way| counted::instructions(row.name, way).unwrap_or(f64::NAN));
    println!(
        "{:<22} {hand:>9.1} {library:>9.1} {:>6.2}   {:>9.0} {:>9.0} {:>6.2}   {corrections:>11.2} {apart:>9.1e}",
        row.name,
        library / hand,
        counts[0],
        counts[1],
        counts[1] / counts[0],
    );
}

/// The largest difference of the two ways beside the largest position; both have taken as many corrections.
fn apart(row: &Row, [hand, library]: &[Box<dyn Run>; 2]) -> f64 {
    let (found, known) = (library.positions(), hand.positions());
    let largest = known.iter().fold(0.0_f64, |largest, q| largest.max(q.abs()));
    let apart = found.iter().zip(&known).fold(0.0_f64, |apart, (a, b)| apart.max((a - b).abs())) / largest;
    assert!(found.len() == known.len() && apart < CLOSE, "{} differs from the loop by {apart:.1e}", row.name);
    if let (Some(by_hand), Some(taken)) = (hand.iterations(), library.iterations()) {
        let (by_hand, taken) = (by_hand as f64, taken as f64);
        let alike = (by_hand - taken).abs() <= CORRECTIONS * taken;
        assert!(alike, "{}: {by_hand} corrections by hand, {taken} by the library", row.name);
    }
    apart
}

/// The time of a step.
fn seconds(run: &mut dyn Run, steps: u64) -> f64 {
    let clock = Instant::now();
    black_box(run).go(steps);
    clock.elapsed().as_secs_f64() / steps as f64
}
