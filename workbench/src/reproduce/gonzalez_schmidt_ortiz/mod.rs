//! M. Gonzalez, B. Schmidt and M. Ortiz, *Force-stepping integrators in Lagrangian mechanics*, Int. J. Numer. Meth. Engng 84 (2010):
//! Kepler's problem of section 6.1, the argon cluster of 6.2 and the elastic cube of 6.3, a file each.
//!
//! The paper shows these as pictures and prints a few average steps. The known numbers were computed by an independent
//! implementation, whose crossings were checked against arithmetic with 60 digits.

mod argon;
mod convergence;
mod cube;
mod kepler;
mod orbit;
mod polar;

use integrator_core::method::force_stepping::{ForceStepping, Steps, Triangulation, Vertex};
use integrator_core::method::{Method, Stepper};
use integrator_core::system::{Natural, State};

use super::Length;
use super::experiment::{Claim, Experiment, Report, Verdict};
use crate::error::Error;

pub(super) fn compute(length: Length, progress: &mut dyn FnMut(&str)) -> Result<Report, Error> {
    type Part = (&'static str, fn(Length) -> Result<Experiment, Error>);
    let parts: [Part; 7] = [
        ("section 6.1, orbits of eccentricity 0.85", kepler::at_085),
        ("section 6.1, the reduced problem", polar::compute),
        ("section 6.1, orbits of eccentricity 0.99", kepler::at_099),
        ("section 6.1, convergence", convergence::compute),
        ("section 6.2, the argon cluster", argon::long),
        ("section 6.2, steps and grids", argon::grids),
        ("section 6.3, the cube", cube::compute),
    ];
    let experiments = parts.into_iter().map(|(name, compute)| {
        progress(name);
        compute(length)
    });
    Ok(Report {
        remarks: vec![
            "V_h interpolates V on Kuhn's triangulation with a vertex at the origin, which gives all average steps that the paper \
             prints. The energy of force-stepping is that of V_h; it is measured anew from the interpolant along the motion.",
            "The paper gives pictures and average steps. The other known numbers are those of an independent implementation.",
        ],
        experiments: experiments.collect::<Result<_, _>>()?,
    })
}

/// Force-stepping with one grid step, on a grid that does not know the start: that of the paper.
fn on_grid(step: f64) -> ForceStepping {
    ForceStepping {
        grid: Steps::Equal(step),
        triangulation: Triangulation::Kuhn,
        vertex: Vertex::Origin,
        walls: None,
    }
}

/// The motion between two crossings.
struct Segment<'a> {
    from: &'a State,
    to: &'a State,
}

impl Segment<'_> {
    fn length(&self) -> f64 {
        self.to.t - self.from.t
    }
}

/// Goes from crossing to crossing, shows each segment, the last one cut at the end, and returns how many crossings there were
/// and the largest deviation of ½ v·M v + V_h from its value at the start, at each `every`-th.
fn fly<S: Natural>(
    system: &S,
    method: &ForceStepping,
    start: &State,
    until: f64,
    every: u64,
    mut see: impl FnMut(&Segment<'_>),
) -> Result<(u64, f64), Error> {
    let mut run = method.start(system, start.clone(), until)?;
    let mut interpolant = run.interpolant();
    let mut energy = |state: &State| 0.5 * system.mass().quadratic(&state.v) + interpolant.value(&state.q);
    let initial = energy(start);
    let (mut from, mut to) = (start.clone(), start.clone());
    let (mut crossings, mut deviation) = (0, 0.0_f64);
    loop {
        let next = run.next_crossing()?;
        let end = next.map_or(until, |crossing| crossing.time.min(until));
        if next.is_some_and(|crossing| crossing.time <= until) {
            crossings += 1;
            run.state_at(end, &mut to);
        } else {
            // The segment that leads past the end, on its own parabola: the crossing has been done, but not yet left.
            let Some(crossing) = next else {
                run.state_at(end, &mut to);
                see(&Segment { from: &from, to: &to });
                return Ok((crossings, deviation));
            };
            run.state_at(crossing.time, &mut to);
            cut(&from, &mut to, end);
            see(&Segment { from: &from, to: &to });
            return Ok((crossings, deviation));
        }
        see(&Segment { from: &from, to: &to });
        if crossings % every == 0 {
            deviation = deviation.max((energy(&to) - initial).abs());
        }
        std::mem::swap(&mut from, &mut to);
    }
}

/// Moves `to` back along the parabola from `from` to an earlier time.
fn cut(from: &State, to: &mut State, end: f64) {
    let (length, part) = (to.t - from.t, end - from.t);
    for ((q, v), (q0, v0)) in to.q.iter_mut().zip(&mut to.v).zip(from.q.iter().zip(&from.v)) {
        let a = if length > 0.0 { (*v - v0) / length } else { 0.0 };
        (*q, *v) = (q0 + part * (v0 + 0.5 * part * a), v0 + part * a);
    }
    to.t = end;
}

/// The lengths of steps as they come, without keeping them.
#[derive(Default)]
struct Steplengths {
    count: u64,
    sum: f64,
    largest: f64,
    /// How many are in each tenth of a power of ten, from 10⁻¹⁶ on.
    bins: Vec<u64>,
}

impl Steplengths {
    const BINS: usize = 200;

    fn see(&mut self, length: f64) {
        // Crossings at one instant are ties.
        if length <= 0.0 {
            return;
        }
        if self.count == 0 {
            self.bins = vec![0; Self::BINS];
        }
        self.count += 1;
        self.sum += length;
        self.largest = self.largest.max(length);
        let bin = (10.0 * (length.log10() + 16.0)).clamp(0.0, (Self::BINS - 1) as f64) as usize;
        self.bins[bin] += 1;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    /// The share of each bin against log₁₀ of the length.
    fn histogram(&self) -> Vec<(f64, f64)> {
        let used = |bin: &&(usize, &u64)| *bin.1 > 0;
        let all: Vec<(usize, &u64)> = self.bins.iter().enumerate().collect();
        let first = all.iter().find(used).map_or(0, |bin| bin.0);
        let last = all.iter().rev().find(used).map_or(0, |bin| bin.0);
        let share = |bin: usize| self.bins[bin] as f64 / self.count as f64;
        let place = |bin: usize| bin as f64 / 10.0 - 15.95;
        (first..=last).map(|bin| (place(bin), share(bin))).collect()
    }
}

/// Every so-manieth point, so that about `most` are left.
fn thinned(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    points.iter().copied().step_by(points.len().div_ceil(most).max(1)).collect()
}

/// The slope of log y over log x by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let covariance: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    covariance / logs.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

/// Whether a number is the known one to this part of it.
fn near(found: f64, known: f64, within: f64) -> bool {
    (found - known).abs() <= within * known.abs()
}

/// Runs any method with steps of one size and shows every state.
fn step_through<S: Natural, M: Method<S>>(
    system: &S,
    method: &M,
    start: &State,
    step: f64,
    until: f64,
    mut see: impl FnMut(&State),
) -> Result<u64, Error> {
    let mut stepper = method.start(system, start.clone(), step)?;
    while stepper.steps() < (until / step).round() as u64 {
        stepper.step()?;
        see(stepper.state());
    }
    Ok(stepper.steps())
}
