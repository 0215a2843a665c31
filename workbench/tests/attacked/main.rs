//! The command under attack: random command lines, damaged files, and runs that are absurd.
//!
//! No panic, no abort, at most ten seconds without a word, one line for each mistake, and no result
//! whose energy is off by more than a tenth with exit code 0 and no warning. A plain run of the tests
//! draws few lines of fixed seeds;
//!
//! ```text
//! cargo test --release -p least-action-command --test attacked -- --ignored --nocapture
//! ```
//!
//! draws 20 000 lines, as many damaged files, and 2500 runs of new seeds, prints how they ended, and
//! every line that it objects to. `ATTACK_SEED=n` repeats a seed.

// Without optimization, time ends more runs than physics does: `cargo thorough` attacks.
#![cfg(not(debug_assertions))]
#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

mod brought;
#[cfg(unix)]
mod disks;
mod energy;
mod ensembles;
mod identity;
mod inventory;
mod lines;
mod ordinary;
mod process;
mod random;
mod resumed;
mod runs;

use inventory::Inventory;
use process::{Directory, Ended};
use random::Random;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Tries `count` command lines on as many threads as there are processors, and prints how they ended.
fn attack(
    kind: &str,
    count: u64,
    seed: u64,
    attempt: impl Fn(&mut Random, &Directory) -> (Ended, Option<String>) + Sync,
) {
    let (next, said) = (AtomicU64::new(0), Mutex::new((BTreeMap::<Ended, u64>::new(), Vec::new())));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let directory = Directory::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let (ended, objection) = attempt(&mut Random::of(seed, number), &directory);
                    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
                    *said.0.entry(ended).or_default() += 1;
                    said.1.extend(objection);
                }
            });
        }
    });
    let (figures, objections) = said.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{count} {kind}, seed {seed}:");
    for (ended, count) in &figures {
        println!("    {count:6} {ended:?}");
    }
    assert!(
        objections.is_empty(),
        "{} objections, seed {seed}:\n{}",
        objections.len(),
        objections.join("\n")
    );
}

/// The seed of the environment, or one that no run had before.
fn new_seed() -> u64 {
    let given = std::env::var("ATTACK_SEED").ok().and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().unwrap().as_secs())
}

fn command_lines(count: u64, seed: u64) {
    let inventory = Inventory::read();
    attack("command lines", count, seed, |random, directory| lines::attempt(inventory, random, directory));
}

fn absurd_runs(count: u64, seed: u64) {
    let inventory = Inventory::read();
    attack("absurd runs", count, seed, |random, directory| runs::attempt(inventory, random, directory));
}

fn damaged_files(count: u64, seed: u64) {
    attack("damaged files", count, seed, brought::attempt);
}

#[test]
fn no_damaged_file_breaks_the_command() {
    damaged_files(300, 1);
}

#[test]
#[ignore = "long: minutes; draws new seeds"]
fn no_damaged_file_of_20000_breaks_the_command() {
    damaged_files(20_000, new_seed());
}

#[test]
fn no_command_line_breaks_the_command() {
    command_lines(300, 1);
}

#[test]
fn no_absurd_run_is_silent() {
    absurd_runs(60, 1);
}

#[test]
#[ignore = "long: minutes; draws new seeds"]
fn no_command_line_of_20000_breaks_the_command() {
    command_lines(20_000, new_seed());
}

#[test]
#[ignore = "long: minutes; draws new seeds"]
fn no_absurd_run_of_2500_is_silent() {
    absurd_runs(2500, new_seed());
}
