//! M. Gonzalez, B. Schmidt and M. Ortiz, *Force-stepping integrators in Lagrangian mechanics*, Int. J.
//! Numer. Meth. Engng 84 (2010): Kepler's problem of section 6.1, the argon cluster of 6.2 and the
//! elastic cube of 6.3, a file each.
//!
//! The paper shows pictures and prints a few average steps. An independent implementation computed the
//! known numbers; arithmetic with 60 digits checked its crossings.

mod argon;
mod convergence;
mod cube;
mod kepler;
mod orbit;
mod polar;

use least_action::advanced::method::StepLengths;
use least_action::method::force_stepping::{ForceStepping, Steps, Triangulation, Vertex};
use least_action::method::{Method, Stepper};
use least_action::system::{State, Unforced};
use std::f64::consts::PI;
use std::ops::Range;

use crate::error::Error;
use crate::experiment::{Claim, Experiment, Verdict};
use crate::press::{Press, in_turn};

/// Remarks that hold for all experiments.
pub(super) const REMARKS: &[&str] = &[
    "V_h interpolates V on Kuhn's triangulation with a vertex at the origin, which gives all average steps that the paper \
     prints. The energy of force-stepping is that of V_h; it is measured anew from the interpolant along the motion.",
    "The paper gives pictures and average steps. The other known numbers are those of an independent implementation.",
];

pub(super) fn compute(press: &mut Press<'_>) -> Result<(), Error> {
    in_turn(
        press,
        &[
            ("section 6.1, orbits of eccentricity 0.85", kepler::at_085),
            ("section 6.1, the reduced problem", polar::compute),
            ("section 6.1, orbits of eccentricity 0.99", kepler::at_099),
            ("section 6.1, convergence", convergence::compute),
            ("section 6.2, the argon cluster", argon::long),
            ("section 6.2, steps and grids", argon::grids),
            ("section 6.3, the cube", cube::compute),
        ],
    )
}

/// Force-stepping with one grid step, on the paper's grid, which does not know the start.
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

/// Goes from crossing to crossing and shows each segment, the last one cut at the end. Returns the
/// number of crossings, and the largest deviation of ½ v·M v + V_h from its start, shortly after
/// each `every`-th: at a crossing itself, rounding of its time decides about the simplex of V_h.
fn fly<S: Unforced + ?Sized>(
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
    let mut after = start.clone();
    loop {
        // If the next crossing comes too soon, nothing is measured.
        let measures = crossings % every == 0 && crossings > 0;
        let next = run.next_crossing()?;
        if measures && next.is_none_or(|crossing| crossing.time > after.t) {
            deviation = deviation.max((energy(&after) - initial).abs());
        }
        let end = next.map_or(until, |crossing| crossing.time.min(until));
        if next.is_some_and(|crossing| crossing.time <= until) {
            crossings += 1;
            run.state_at(end, &mut to);
            if crossings % every == 0 {
                let length = next.map_or(0.0, |crossing| crossing.length);
                run.state_at(end + 0.1 * length, &mut after);
            }
        } else {
            // The segment past the end, on its own parabola: the crossing is done, but not yet left.
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

/// The share of the steps in a power of ten, against log₁₀ of their length.
fn density(lengths: &StepLengths) -> Vec<(f64, f64)> {
    let bin = |(bin, count): (Range<f64>, u64)| {
        let width = f64::log10(bin.end / bin.start);
        (f64::log10(bin.start) + 0.5 * width, count as f64 / lengths.count() as f64 / width)
    };
    lengths.histogram().map(bin).collect()
}

/// Evenly chosen points, about `most` of them.
fn thinned(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    points.iter().copied().step_by(points.len().div_ceil(most).max(1)).collect()
}

/// The points of the first three orbits of period 2 π at equal intervals, each with its time.
fn evenly(times: &[f64], points: &[(f64, f64)]) -> Vec<(f64, [f64; 2])> {
    const COUNT: u32 = 300;
    let place = |k: u32| times.partition_point(|t| *t < 6.0 * PI * f64::from(k) / f64::from(COUNT - 1));
    let moment = |place: usize| Some((*times.get(place)?, (*points.get(place)?).into()));
    (0..COUNT).filter_map(|k| moment(place(k))).collect()
}

/// The slope of log y over log x by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let covariance: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    covariance / logs.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

/// True if a number equals the known one to this part of it.
fn near(found: f64, known: f64, within: f64) -> bool {
    (found - known).abs() <= within * known.abs()
}

/// Runs any method with steps of one size and shows every state.
fn step_through<S: Unforced + ?Sized, M: Method<S>>(
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
