//! Seven molecules of water at constant temperature: the oxygens stand alike by SHAKE and by stiff Z&Ss
//! with a penalty, and both have the temperature of the bath.
//!
//! A penalty lets the bonds stretch, and so hydrogens come closer to the oxygens of others, in
//! proportion to ω⁻². Two stiffnesses give the distribution without that effect.
//!
//! The temperature is a warm cluster's (125 K), which forgets its configuration in a few thousand steps
//! and does not fall apart; at the 10 K of the paper of Tao and Owhadi it stays in its first hollow, and
//! runs differ by it.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use least_action::advanced::wrap::Penalized;
use least_action::binding::Model;
use least_action::method::{Langevin, Method, Shake, Stepper, ZhangSkeelStiff};
use least_action::system::{Holonomic, Natural, Start, State};
use least_action_models::Water;
use test_support::THOROUGH;

/// The step of SHAKE. Stiff Z&Ss is not symplectic: its temperature is right at small h ω, as at H/2.
const H: f64 = 0.05;
/// The stiffness for half of that step; twice as much for a quarter.
const OMEGA: f64 = 30.0;
const FRICTION: f64 = 0.5;
const TEMPERATURE: f64 = 0.25;
/// Distances of two oxygens, in Å; all that are longer are in one bin more.
const NEAREST: f64 = 2.4;
const FARTHEST: f64 = 5.6;
const BINS: usize = 4;
/// Configurations are looked at every so many steps, after so many that forget the lattice of the start.
const EVERY: usize = 20;
const FORGOTTEN: usize = if THOROUGH { 5000 } else { 2500 };
/// Steps of which a mean is taken as one number; these three counts are in steps of SHAKE.
const BLOCK: usize = if THOROUGH { 5000 } else { 2500 };
/// So many standard errors hold the chance of a dozen blocks.
const ERRORS: f64 = 5.0;

/// For each block the mean share of distances in each bin, and twice the energy a degree of freedom.
struct Blocks {
    shares: Vec<[f64; BINS + 1]>,
    temperatures: Vec<f64>,
}

/// The number of runs, and the number of blocks of each.
#[derive(Clone, Copy)]
struct Length {
    seeds: u64,
    blocks: usize,
}

/// Runs with steps `finer` times smaller than SHAKE's.
fn run<S, M>(system: &S, method: M, finer: usize, freedoms: usize, length: Length) -> Blocks
where
    S: Natural,
    M: Method<S> + Copy,
{
    let start = Water::default().start();
    let mut blocks = Blocks { shares: Vec::new(), temperatures: Vec::new() };
    for seed in 1..=length.seeds {
        let thermostat = Langevin {
            friction: FRICTION,
            inverse_temperature: 1.0 / TEMPERATURE,
            seed,
            ..Langevin::around(method)
        };
        let mut stepper = thermostat.start(system, start.clone(), H / finer as f64).unwrap();
        (0..FORGOTTEN * finer).for_each(|_| stepper.step().unwrap());
        for _ in 0..length.blocks {
            let (mut found, mut kinetic) = ([0.0; BINS + 1], 0.0);
            for _ in 0..BLOCK / EVERY {
                (0..EVERY * finer).for_each(|_| stepper.step().unwrap());
                count_distances(stepper.state(), &mut found);
                kinetic += system.mass().quadratic(&stepper.state().v);
            }
            let all: f64 = found.iter().sum();
            blocks.shares.push(found.map(|number| number / all));
            blocks.temperatures.push(kinetic / ((BLOCK / EVERY) * freedoms) as f64);
        }
    }
    blocks
}

fn count_distances(state: &State, found: &mut [f64; BINS + 1]) {
    let oxygens: Vec<&[f64]> = state.q.chunks_exact(9).map(|molecule| &molecule[3..6]).collect();
    for (m, a) in oxygens.iter().enumerate() {
        for b in &oxygens[..m] {
            let distance = a.iter().zip(*b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let bin = (distance - NEAREST) / (FARTHEST - NEAREST) * BINS as f64;
            found[(bin.max(0.0) as usize).min(BINS)] += 1.0;
        }
    }
}

/// The mean of the blocks and its standard error.
fn mean_and_error(blocks: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = blocks.clone().count() as f64;
    let mean = blocks.clone().sum::<f64>() / count;
    let variance = blocks.map(|block| (block - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// Temperatures are known to a part `precise` of themselves, shares to a part `sharp` of the largest.
fn compare(length: Length, precise: f64, sharp: f64) {
    let model = Water::default();
    let system = model.bind().unwrap();
    let freedoms = 9 * model.molecules;
    let rigid = run(&system, Shake::default(), 1, freedoms - system.constraints(), length);
    let by_penalty = |stiffer: usize| {
        let penalized = Penalized::new(&system, OMEGA * stiffer as f64).unwrap();
        run(&penalized, ZhangSkeelStiff::default(), 2 * stiffer, freedoms, length)
    };
    let (soft, stiff) = (by_penalty(1), by_penalty(2));

    for (name, of) in [("SHAKE", &rigid), ("the soft penalty", &soft), ("the stiff penalty", &stiff)] {
        let (mean, error) = mean_and_error(of.temperatures.iter().copied());
        println!("{name}: temperature {mean:.5} ± {error:.5}, that of the bath {TEMPERATURE}");
        assert!(error < precise * TEMPERATURE, "{name}: the runs are too short to say");
        assert!((mean - TEMPERATURE).abs() < ERRORS * error, "{name}: {mean} ± {error}");
    }
    let share = |of: &Blocks, bin: usize| mean_and_error(of.shares.iter().map(|shares| shares[bin]));
    let largest = (0..=BINS).map(|bin| share(&rigid, bin).0).fold(0.0, f64::max);
    for bin in 0..=BINS {
        let (rigid, soft, stiff) = (share(&rigid, bin), share(&soft, bin), share(&stiff, bin));
        let limit = (4.0 * stiff.0 - soft.0) / 3.0;
        let error = (4.0 * stiff.1 / 3.0).hypot(soft.1 / 3.0).hypot(rigid.1);
        println!(
            "bin {bin}: {:.4} by SHAKE, {:.4} and {:.4} by penalties, {limit:.4} without stretching; ± {error:.4}",
            rigid.0, soft.0, stiff.0
        );
        assert!(error < sharp * largest, "bin {bin}: the runs are too short to say");
        assert!((limit - rigid.0).abs() < ERRORS * error, "bin {bin}: {limit} and {}, ± {error}", rigid.0);
    }
}

#[test]
fn short_runs_agree_within_their_errors() {
    compare(Length { seeds: 3, blocks: 3 }, 0.02, 0.1);
}

#[test]
#[ignore = "long: runs for two minutes"]
fn long_runs_agree_within_their_errors() {
    compare(Length { seeds: 8, blocks: 40 }, 0.003, 0.01);
}
