//! Section 4.3: seven molecules of water at constant temperature, rigid by SHAKE and nearly rigid by the penalty.

use integrator_core::Model;
use integrator_core::drive::Recording;
use integrator_core::method::{Langevin, Shake, ZhangSkeelStiff};
use integrator_core::system::{Holonomic, Start};
use integrator_core::wrap::Penalized;
use models::Water;

use super::{Claim, Experiment, Verdict, run};
use crate::error::Error;
use crate::plot::{Panel, panels};

const OMEGA: f64 = 20.0;
const BETA: f64 = 0.4;
const STEP: f64 = 0.05;
const FRICTION: f64 = 0.01;
const INVERSE_TEMPERATURE: f64 = 50.0;
const END: f64 = 10_000.0;
/// Runs of each method: what differs by chance is seen in what differs between them.
const SEEDS: u64 = 4;
/// Configurations are looked at every so many steps.
const EVERY: u64 = 50;
/// The part of a run that is left out, to forget the lattice from which it starts.
const FORGOTTEN: f64 = 0.2;
/// Distances of oxygens, in Å, and their bins.
const NEAREST: f64 = 2.4;
const FARTHEST: f64 = 6.4;
const BINS: usize = 40;

pub(super) fn compute() -> Result<Experiment, Error> {
    let model = Water::default();
    let system = model.bind()?;
    let penalized = Penalized::new(&system, OMEGA)?;
    let start = model.start();
    let thermostat = |seed| (FRICTION, INVERSE_TEMPERATURE, seed);
    let mut rigid = Vec::new();
    let mut soft = Vec::new();
    for seed in 1..=SEEDS {
        let (friction, inverse_temperature, seed) = thermostat(seed);
        let shake = Langevin { friction, inverse_temperature, seed, ..Langevin::around(Shake::default()) };
        rigid.push(run(&system, &shake, &start, STEP, END, EVERY)?);
        let method = ZhangSkeelStiff { beta: BETA };
        let stiff = Langevin { friction, inverse_temperature, seed, ..Langevin::around(method) };
        soft.push(run(&penalized, &stiff, &start, STEP, END, EVERY)?);
    }
    let (of_rigid, of_soft) = (Distances::of(&rigid), Distances::of(&soft));
    let apart = (0..BINS).filter(|&bin| of_rigid.error[bin] + of_soft.error[bin] > 0.0).map(|bin| {
        let error = of_rigid.error[bin].hypot(of_soft.error[bin]);
        ((of_rigid.mean[bin] - of_soft.mean[bin]) / error).powi(2)
    });
    let apart: Vec<f64> = apart.collect();
    let rms = (apart.iter().sum::<f64>() / apart.len() as f64).sqrt();
    let (temperature, error) = temperature(&rigid, &model, 9 * model.molecules - system.constraints());
    let expected = 1.0 / INVERSE_TEMPERATURE;
    let claims = vec![
        Claim {
            statement: "The distances of the oxygens are distributed alike by SHAKE and by the penalty.",
            found: format!(
                "the two densities differ by {rms:.1} standard errors (root mean square over {} bins, {SEEDS} runs of each)",
                apart.len()
            ),
            verdict: Verdict::of(rms < 2.0),
        },
        Claim {
            statement: "The thermostat holds the temperature.",
            found: format!(
                "kinetic temperature by SHAKE {temperature:.5} ± {error:.5}, expected {expected} kcal/mol"
            ),
            verdict: Verdict::of((temperature - expected).abs() < 3.0 * error),
        },
    ];
    let width = (FARTHEST - NEAREST) / BINS as f64;
    let middle = |bin: usize| NEAREST + width * (bin as f64 + 0.5);
    let curve = |name: &str, distances: &Distances| {
        (name.to_owned(), (0..BINS).map(|bin| (middle(bin), distances.mean[bin])).collect())
    };
    let picture = panels(
        "Seven molecules of water at 10 K",
        &[Panel {
            heading: "Density of the distance of two oxygens, in Å".to_owned(),
            axis: "density".to_owned(),
            curves: vec![curve("SHAKE", &of_rigid), curve("Zhang–Skeel, stiff", &of_soft)],
        }],
    )?;
    Ok(Experiment {
        heading: format!(
            "Section 4.3: seven molecules of water, h = {STEP}, T = {END}, friction {FRICTION}, inverse temperature {INVERSE_TEMPERATURE}"
        ),
        times: Vec::new(),
        rows: Vec::new(),
        claims,
        picture,
    })
}

/// The rows of a run after the part that is forgotten.
fn settled<T>(run: &Recording, rows: impl ExactSizeIterator<Item = T>) -> impl Iterator<Item = T> {
    rows.skip((FORGOTTEN * run.len() as f64) as usize)
}

/// The density of the distance of two oxygens, with the standard error of the mean over the runs.
struct Distances {
    mean: Vec<f64>,
    error: Vec<f64>,
}

impl Distances {
    fn of(runs: &[Recording]) -> Self {
        let densities: Vec<Vec<f64>> = runs.iter().map(density).collect();
        let bin = |bin: usize| mean_and_error(densities.iter().map(|density| density[bin]));
        let (mean, error) = (0..BINS).map(bin).unzip();
        Self { mean, error }
    }
}

fn density(run: &Recording) -> Vec<f64> {
    let mut counts = vec![0_u64; BINS];
    let mut all = 0_u64;
    for q in settled(run, run.positions()) {
        // The oxygen is the second of three sites.
        let oxygens: Vec<&[f64]> = q.chunks_exact(9).map(|molecule| &molecule[3..6]).collect();
        for (k, a) in oxygens.iter().enumerate() {
            for b in &oxygens[k + 1..] {
                let distance = a.iter().zip(*b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                let place = (distance - NEAREST) / (FARTHEST - NEAREST) * BINS as f64;
                if (0.0..BINS as f64).contains(&place) {
                    counts[place as usize] += 1;
                }
                all += 1;
            }
        }
    }
    let width = (FARTHEST - NEAREST) / BINS as f64;
    counts.iter().map(|count| *count as f64 / (all as f64 * width)).collect()
}

/// Twice the kinetic energy over the degrees of freedom, with the standard error of the mean over the runs.
fn temperature(runs: &[Recording], model: &Water, freedom: usize) -> (f64, f64) {
    let twice = |v: &[f64]| -> f64 {
        v.iter().enumerate().map(|(k, v)| model.masses[k / 3 % 3] * v * v).sum::<f64>() / freedom as f64
    };
    mean_and_error(runs.iter().map(|run| {
        let all: Vec<f64> = settled(run, run.velocities()).map(twice).collect();
        all.iter().sum::<f64>() / all.len() as f64
    }))
}

fn mean_and_error(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}
