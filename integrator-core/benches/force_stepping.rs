//! The cost of a crossing by force-stepping, and the memory of a run, on spring chains of 10 to 10⁵
//! beads; and the cost by the algorithm of the article as far as it goes.
//!
//! `cargo bench -p least-action --bench force_stepping`

#![expect(clippy::unwrap_used, reason = "a benchmark of runs that are known to work")]

#[path = "../../tests/support/tests/force_stepping_moves_exactly_in_the_interpolated_potential/paper.rs"]
#[expect(dead_code, reason = "what the tests ask of it beside")]
mod paper;

use least_action::method::Method as _;
use least_action::method::force_stepping::{ForceStepping, Triangulation, Vertex, Walls};
use least_action::prelude::*;
use least_action::system::Unforced;
use paper::Paper;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::time::Instant;
use test_support::values::{chain, kepler};

/// A crossing allocates nothing, so that counting costs none of its time.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Rounds of which the fastest counts: other work on the machine only ever makes them slower.
const ROUNDS: usize = 5;

/// Kepler's problem in the plane.
struct Kepler {}

#[lagrangian]
impl Kepler {
    fn lagrangian(&self, q: Vec2) -> Scalar {
        0.5 * der(q).norm_squared() + 1.0 / q.norm()
    }
}

/// Masses between fixed ends, joined by springs that are not linear.
struct Chain {
    beads: usize,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, beads: [Scalar; self.beads]) -> Scalar {
        let kinetic = sum(0..self.beads, |i| 0.5 * der(beads[i]).powi(2));
        let springs = sum(0..=self.beads, |i| {
            let left = if i == 0 { 0.0 } else { beads[i - 1] };
            let right = if i == self.beads { 0.0 } else { beads[i] };
            let stretch = right - left;
            0.5 * stretch.powi(2) + 0.25 / 3.0 * stretch.powi(3) + 0.25 * stretch.powi(4)
        });
        kinetic - springs
    }
}

fn main() {
    println!(
        "{:>24} {:>12} {:>12} {:>16} {:>12}",
        "", "ns/crossing", "million/s", "per unit time", "bytes/d"
    );
    let (system, start) = (Kepler {}.bind().unwrap(), kepler(0.85).1);
    measure("Kepler", &system, &start, 0.011, Walls::Coupled, 400_000);
    for beads in [10, 100, 1_000, 10_000, 100_000] {
        let (system, start) = (Chain { beads }.bind().unwrap(), chain(beads).1);
        measure(&format!("chain {beads}, coupled"), &system, &start, 0.01, Walls::Coupled, 1_000_000);
    }
    for beads in [10, 100, 1_000] {
        let (system, start) = (Chain { beads }.bind().unwrap(), chain(beads).1);
        measure(&format!("chain {beads}, ring"), &system, &start, 0.01, Walls::All, 400_000);
    }
    for (beads, crossings) in [(10, 100_000_u32), (100, 2_000), (1_000, 20)] {
        let (system, start) = chain(beads);
        let mut paper = Paper::new(&system, Triangulation::Kuhn, vec![0.01; beads], start);
        let begin = paper.time;
        let clock = Instant::now();
        (0..crossings).for_each(|_| drop(paper.cross()));
        let seconds = clock.elapsed().as_secs_f64() / f64::from(crossings);
        let rate = f64::from(crossings) / (paper.time - begin);
        print(&format!("chain {beads}, article"), seconds, rate, None);
    }
}

fn measure(name: &str, system: &impl Unforced, start: &State, step: f64, walls: Walls, crossings: u64) {
    let method =
        ForceStepping { vertex: Vertex::Origin, walls: Some(walls), ..ForceStepping::with_grid(step) };
    let state = start.clone();
    let made = Region::new(ALLOCATOR);
    let mut run = method.start(system, state, 1.0).unwrap();
    let made = made.change();
    let held = (made.bytes_allocated - made.bytes_deallocated) / start.q.len();
    let (mut fastest, mut time) = (f64::INFINITY, 0.0);
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        for _ in 0..crossings {
            time = run.next_crossing().unwrap().unwrap().time;
        }
        fastest = fastest.min(clock.elapsed().as_secs_f64() / crossings as f64);
    }
    print(name, fastest, (ROUNDS as u64 * crossings) as f64 / time, Some(held));
}

fn print(name: &str, seconds: f64, rate: f64, held: Option<usize>) {
    let held = held.map(|bytes| bytes.to_string()).unwrap_or_default();
    println!("{name:>24} {:>12.1} {:>12.2} {rate:>16.4e} {held:>12}", 1e9 * seconds, 1e-6 / seconds);
}
