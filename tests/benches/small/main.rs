//! Small systems: a step of the library beside the same scheme by hand, in time and in instructions.
//!
//! Both ways begin alike and agree before anything is measured.
//! Times are the least of rounds in turns; cachegrind counts instructions, where valgrind is found.
//!
//! `cargo bench -p least-action-tests --bench small`; names of rows after `--` pick them.
//! `ROW WAY STEPS` there, with the way `hand` or `library`, makes steps and no more.

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to be stable")]
#![expect(clippy::needless_range_loop, reason = "matrices and their indices, as in the formulas")]

mod rows;

use rows::{ROWS, Row, Run, WAYS, counted};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 60;
/// Seconds of a way in a round.
const ROUND: f64 = 1.5e-3;

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
    for row in ROWS.iter().filter(|row| wanted.is_empty() || wanted.iter().any(|name| name == row.0)) {
        measure(row);
    }
}

fn measure(row: &Row) {
    let (mut runs, apart, corrections) = row.compare();
    let steps = runs.each_mut().map(|run| (ROUND / seconds(&mut **run, 100)).ceil() as u64);
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for way in 0..2 {
            least[way] = least[way].min(1e9 * seconds(&mut *runs[way], steps[way]));
        }
    }
    let [hand, library] = least;
    let counts = WAYS.map(|way| counted::instructions(row.0, way).unwrap_or(f64::NAN));
    println!(
        "{:<22} {hand:>9.1} {library:>9.1} {:>6.2}   {:>9.0} {:>9.0} {:>6.2}   {corrections:>11.2} {apart:>9.1e}",
        row.0,
        library / hand,
        counts[0],
        counts[1],
        counts[1] / counts[0],
    );
}

/// The time of a step.
fn seconds(run: &mut dyn Run, steps: u64) -> f64 {
    let clock = Instant::now();
    black_box(run).go(steps);
    clock.elapsed().as_secs_f64() / steps as f64
}
