//! Section 4.3: water at constant temperature, rigid by SHAKE and nearly rigid by the penalty.

use least_action::Model;
use least_action::advanced::wrap::Penalized;
use least_action::drive::Recording;
use least_action::method::{Langevin, Method, Shake, ZhangSkeelStiff};
use least_action::system::{Lagrangian, Natural, Start, State};
use least_action_models::Water;
use least_action_pages::plot::{Axis, Units};

use super::{Claim, Experiment, Rigid, Verdict, run};
use crate::error::Error;
use crate::experiment::picture;
use crate::moving;

const OMEGA: f64 = 20.0;
const BETA: f64 = 0.4;
const STEP: f64 = 0.05;
const FRICTION: f64 = 0.01;
const INVERSE_TEMPERATURE: f64 = 50.0;
/// Four runs a method; their spread estimates the random error.
const SEEDS: u64 = 4;
/// The steps between two recorded configurations.
const EVERY: u64 = 50;
/// The part of a run that is left out, to forget the lattice of its start.
const FORGOTTEN: f64 = 0.2;
/// The time for a collapse before the run; after 200 the molecules still settle, and heat by a fifth.
const COLLAPSE: f64 = 3000.0;
/// The friction during the collapse.
const COLLAPSE_FRICTION: f64 = 10.0;
/// Distances of oxygens, in Å, and their bins.
const NEAREST: f64 = 2.4;
const FARTHEST: f64 = 6.4;
const BINS: usize = 40;
/// So many standard errors hold 99 % of means over four runs (Student's distribution, three degrees of
/// freedom): chance on a machine with other registers, where the runs differ.
const STUDENT: f64 = 5.84;
/// The time of the shown motion.
const PLAYED: f64 = 60.0;
/// The end of the first peak.
const BONDED: f64 = 3.1;

/// Figure 4 and the temperature.
pub(super) fn seven() -> Result<Experiment, Error> {
    let model = Water::default();
    let starts = vec![model.start(); SEEDS as usize];
    compute(&model, &starts, 10_000.0, "")
}

/// Figure 7. A friction of 0.01 takes the heat of a collapsing lattice out of a hundred molecules in
/// times of 18/0.01 (a molecule's mass over the friction), longer than the run: so the lattice collapses
/// under a larger friction before. It freezes where chance leads it, and stays there: each seed has a
/// collapse of its own, so that the errors include it.
pub(super) fn hundred() -> Result<Experiment, Error> {
    let model = Water { molecules: 100, ..Water::default() };
    let bound = model.bind()?;
    let system: &dyn Rigid = &bound;
    let steps = (COLLAPSE / STEP) as u64;
    let collapsed = |seed| {
        let cooler = Langevin {
            friction: COLLAPSE_FRICTION,
            inverse_temperature: INVERSE_TEMPERATURE,
            seed,
            ..Langevin::around(Shake::default())
        };
        let collapse = run(system, &cooler, &model.start(), STEP, COLLAPSE, steps)?;
        let last = collapse.positions().zip(collapse.velocities()).last();
        Ok(last.map_or_else(|| model.start(), |(q, v)| State::new(q.to_vec(), v.to_vec())))
    };
    let starts = (1..=SEEDS).map(collapsed).collect::<Result<Vec<State>, Error>>()?;
    let origin = format!(
        ", from lattices that collapsed under the friction {COLLAPSE_FRICTION} for a time of {COLLAPSE}, one for each run"
    );
    compute(&model, &starts, 1000.0, &origin)
}

fn compute(model: &Water, starts: &[State], end: f64, origin: &str) -> Result<Experiment, Error> {
    let molecules = model.molecules;
    let bound = model.bind()?;
    let system: &dyn Rigid = &bound;
    let rigid = runs(system, Shake::default(), starts, end, 1)?;
    let soft = runs(&Penalized::new(system, OMEGA)?, ZhangSkeelStiff { beta: BETA }, starts, end, 1)?;
    // Twice as stiff, and β h² ω no larger.
    let stiffer =
        runs(&Penalized::new(system, 2.0 * OMEGA)?, ZhangSkeelStiff { beta: BETA }, starts, end, 4)?;

    let (of_rigid, of_soft, of_stiffer) =
        (Distances::of(&rigid), Distances::of(&soft), Distances::of(&stiffer));
    let peak = Comparison::of(&of_rigid.peaks, &of_soft.peaks, &of_stiffer.peaks);
    let neighbours = Comparison::of(&of_rigid.neighbours, &of_soft.neighbours, &of_stiffer.neighbours);
    let (soft_peak, stiffer_peak) = (Estimate::of(&of_soft.peaks), Estimate::of(&of_stiffer.peaks));
    let Estimate { mean: temperature, error: uncertainty } =
        temperature(&rigid, model, 9 * model.molecules - system.constraints());
    let expected = 1.0 / INVERSE_TEMPERATURE;
    let claims = vec![
        Claim {
            statement: "The distances of the oxygens are distributed alike by SHAKE and by the penalty.",
            found: format!(
                "the first peak is at {:.4} ± {:.4} Å by SHAKE, at {:.4} ± {:.4} with the penalty ω = 20 and at {:.4} ± {:.4} with ω = 40, \
                 h = {}: the penalty lets the bonds stretch, in proportion to ω⁻². Without that part its peak is at {:.4} Å, \
                 {:.1} standard errors from that of SHAKE. A molecule has {:.3} ± {:.3} neighbours in the peak by SHAKE, and {:.3} ± {:.3} with the \
                 penalty, without that part: {:.1} standard errors",
                peak.rigid.mean,
                peak.rigid.error,
                soft_peak.mean,
                soft_peak.error,
                stiffer_peak.mean,
                stiffer_peak.error,
                STEP / 4.0,
                peak.limit.mean,
                peak.errors(),
                neighbours.rigid.mean,
                neighbours.rigid.error,
                neighbours.limit.mean,
                neighbours.limit.error,
                neighbours.errors()
            ),
            verdict: Verdict::of(peak.errors() < STUDENT && neighbours.errors() < STUDENT),
        },
        Claim {
            statement: "The thermostat holds the temperature.",
            found: format!(
                "kinetic temperature by SHAKE {temperature:.5} ± {uncertainty:.5}, expected {expected} kcal/mol"
            ),
            verdict: Verdict::of((temperature - expected).abs() < STUDENT * uncertainty),
        },
    ];
    // From the end of a run, without the thermostat, in steps short enough to see.
    let last = rigid.first().and_then(|run| run.positions().zip(run.velocities()).last());
    let last = last.map_or_else(|| model.start(), |(q, v)| State::new(q.to_vec(), v.to_vec()));
    let played = run(system, &Shake::default(), &last, STEP, PLAYED, 4)?;
    let width = (FARTHEST - NEAREST) / BINS as f64;
    let middle = |bin: usize| NEAREST + width * (bin as f64 + 0.5);
    let curve = |name: &str, distances: &Distances| {
        (name.to_owned(), (0..BINS).map(|bin| (middle(bin), distances.density[bin])).collect())
    };
    let curves = vec![curve("SHAKE", &of_rigid), curve("ω = 20", &of_soft), curve("ω = 40", &of_stiffer)];
    let axes = [Axis::of("distance", "Å"), Axis::of("density", "1/Å")];
    let title = format!("{molecules} molecules of water at 10 K");
    let picture = picture(&title, "Density of the distance of two oxygens", axes, curves)?;
    Ok(Experiment {
        heading: format!(
            "Section 4.3: {molecules} molecules of water, h = {STEP}, T = {end}, friction {FRICTION}, inverse temperature {INVERSE_TEMPERATURE}{origin}"
        ),
        claims,
        picture,
        motion: moving::through_recording(model.clone(), Units::of("Units: Å, 48.888 fs"), &played, PLAYED)?,
        ..Experiment::default()
    })
}

/// One run from each start, each with a seed of its own, with steps `finer` times smaller.
fn runs<S, M>(system: &S, method: M, starts: &[State], end: f64, finer: u64) -> Result<Vec<Recording>, Error>
where
    S: Natural + Lagrangian + ?Sized,
    M: Method<S> + Copy,
{
    let from = |(seed, start)| {
        let langevin = Langevin {
            friction: FRICTION,
            inverse_temperature: INVERSE_TEMPERATURE,
            seed,
            ..Langevin::around(method)
        };
        run(system, &langevin, start, STEP / finer as f64, end, EVERY * finer)
    };
    (1..=SEEDS).zip(starts).map(from).collect()
}

/// The rows of a run after the forgotten part.
fn settled<T>(run: &Recording, rows: impl ExactSizeIterator<Item = T>) -> impl Iterator<Item = T> {
    rows.skip((FORGOTTEN * run.len() as f64) as usize)
}

/// A mean over the runs, with its standard error.
#[derive(Debug, Clone, Copy)]
struct Estimate {
    mean: f64,
    error: f64,
}

impl Estimate {
    /// The estimate from one number of each run.
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Self { mean, error: (variance / count).sqrt() }
    }
}

/// The averages of SHAKE and of the penalty without its own error, in runs from the same starts.
struct Comparison {
    rigid: Estimate,
    limit: Estimate,
    /// Their difference, run by run, so that the influence of the start alone cancels.
    difference: Estimate,
}

impl Comparison {
    /// The error of the penalty is a multiple of ω⁻², which two stiffnesses show.
    fn of(rigid: &[f64], soft: &[f64], stiffer: &[f64]) -> Self {
        let limit: Vec<f64> =
            soft.iter().zip(stiffer).map(|(soft, stiffer)| (4.0 * stiffer - soft) / 3.0).collect();
        let difference: Vec<f64> = limit.iter().zip(rigid).map(|(limit, rigid)| limit - rigid).collect();
        Self {
            rigid: Estimate::of(rigid),
            limit: Estimate::of(&limit),
            difference: Estimate::of(&difference),
        }
    }

    /// Their difference in standard errors; zero if they are equal without any.
    fn errors(&self) -> f64 {
        let Estimate { mean, error } = self.difference;
        if mean == 0.0 { 0.0 } else { mean.abs() / error }
    }
}

/// The distances of two oxygens.
struct Distances {
    /// The density, in bins.
    density: Vec<f64>,
    /// The mean of the distances in the first peak, of each run.
    peaks: Vec<f64>,
    /// The number of neighbours of a molecule in the first peak, of each run.
    neighbours: Vec<f64>,
}

impl Distances {
    fn of(runs: &[Recording]) -> Self {
        let all: Vec<Vec<f64>> = runs.iter().map(distances).collect();
        let width = (FARTHEST - NEAREST) / BINS as f64;
        let count = all.iter().map(Vec::len).sum::<usize>() as f64;
        let mut density = vec![0.0; BINS];
        for distance in all.iter().flatten() {
            let bin = (distance - NEAREST) / width;
            if (0.0..BINS as f64).contains(&bin) {
                density[bin as usize] += 1.0 / (count * width);
            }
        }
        let (mut peaks, mut neighbours) = (Vec::new(), Vec::new());
        for (run, distances) in runs.iter().zip(&all) {
            let near: Vec<f64> = distances.iter().copied().filter(|distance| *distance < BONDED).collect();
            peaks.push(near.iter().sum::<f64>() / near.len() as f64);
            let molecules = run.positions().next().map_or(0, |q| q.len() / 9) as f64;
            // Each molecule is in molecules − 1 pairs.
            neighbours.push((molecules - 1.0) * near.len() as f64 / distances.len() as f64);
        }
        Self { density, peaks, neighbours }
    }
}

/// All distances of two oxygens in a run.
fn distances(run: &Recording) -> Vec<f64> {
    let mut all = Vec::new();
    for q in settled(run, run.positions()) {
        // The oxygen is the second of three sites.
        let oxygens: Vec<&[f64]> = q.chunks_exact(9).map(|molecule| &molecule[3..6]).collect();
        for (k, a) in oxygens.iter().enumerate() {
            for b in &oxygens[k + 1..] {
                all.push(a.iter().zip(*b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt());
            }
        }
    }
    all
}

/// Twice the kinetic energy over the degrees of freedom, with the standard error over the runs.
fn temperature(runs: &[Recording], model: &Water, freedom: usize) -> Estimate {
    let twice = |v: &[f64]| -> f64 {
        v.iter().enumerate().map(|(k, v)| model.masses[k / 3 % 3] * v * v).sum::<f64>() / freedom as f64
    };
    let of_run = |run: &Recording| {
        let all: Vec<f64> = settled(run, run.velocities()).map(twice).collect();
        all.iter().sum::<f64>() / all.len() as f64
    };
    Estimate::of(&runs.iter().map(of_run).collect::<Vec<f64>>())
}
