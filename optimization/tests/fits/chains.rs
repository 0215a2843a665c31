//! A chain of ten rods with twenty unknown parameters.

use std::convert::identity;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use least_action::drive::gradient::{GradientError, differentiate};
use least_action::drive::integrate;
use least_action::method::{Rattle, project};
use least_action::prelude::*;
use least_action_optimization::fit::{Data, Fit, Motions, Moving};
use least_action_optimization::least_squares::{Options, Problem, Slopes, Values, minimize};
use nalgebra_sparse::{CooMatrix, CsrMatrix};

use crate::{FREE, honest, noise, solve};

const RODS: usize = 10;
const STEP: f64 = 0.01;
const END: f64 = 1.0;
const NOISE: f64 = 1e-3;

/// The first mass sets the unit: no position tells the masses but by their ratios.
#[derive(Clone)]
struct Chain {
    masses: Vec<f64>,
    rods: Vec<f64>,
    gravity: f64,
}

#[lagrangian(sensitive(masses, rods, gravity))]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.rods.len()]) -> Scalar {
        let first = 0.5 * der(bobs[0]).norm_squared() - self.gravity * bobs[0].y;
        first
            + sum(1..self.rods.len(), |i| {
                self.masses[i - 1] * (0.5 * der(bobs[i]).norm_squared() - self.gravity * bobs[i].y)
            })
    }

    #[holonomic]
    fn first(&self, bobs: [Vec2; self.rods.len()]) -> Scalar {
        bobs[0].norm_squared() - self.rods[0].powi(2)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.rods.len()]) -> [Scalar; self.rods.len() - 1] {
        each(1..self.rods.len(), |i| (bobs[i] - bobs[i - 1]).norm_squared() - self.rods[i].powi(2))
    }
}

fn truth() -> Chain {
    let of = |k: usize, by: f64| (by * k as f64).sin();
    Chain {
        masses: (1..RODS).map(|k| 1.0 + 0.4 * of(k, 2.3)).collect(),
        rods: (0..RODS).map(|k| 0.3 + 0.08 * of(k, 1.7)).collect(),
        gravity: 9.81,
    }
}

fn guess() -> Chain {
    let rods =
        truth().rods.into_iter().enumerate().map(|(k, rod)| rod * (1.0 + 0.05 * (3.0 * k as f64).sin()));
    Chain { masses: vec![1.0; RODS - 1], rods: rods.collect(), gravity: 9.0 }
}

/// Released as an arc.
fn start() -> State {
    let (mut at, mut q) = ([0.0, 0.0], Vec::new());
    for (k, rod) in truth().rods.iter().enumerate() {
        let (sine, cosine) = (0.15 * k as f64).sin_cos();
        at = [at[0] + rod * cosine, at[1] - rod * sine];
        q.extend(at);
    }
    State::at_rest(q)
}

/// Positions every 0.05, with noise.
fn data() -> Data {
    let system = truth().bind().expect("bound");
    let run = integrate(&system, &Rattle::default(), start(), STEP).expect("begun");
    let run = run.until(END).every(5).record().expect("run");
    let mut errors = noise(11);
    let data = Data::at(run.column("t").expect("t"));
    (0..2 * RODS).map(|index| system.layout().name_of(index)).fold(data, |data, name| {
        let values = run.column(&name).expect("a column");
        data.column(name, values.into_iter().zip(&mut errors).map(|(x, error)| x + NOISE * error).collect())
    })
}

#[test]
fn twenty_parameters_of_a_chain() {
    let fit = Fit::of(Moving::new(guess(), Rattle::default(), STEP).expect("a chain")).data(data(), start());
    let found = solve(fit.free("masses", [0.01, 100.0]).free("rods", [0.01, 10.0]).free("gravity", FREE));
    let found = found.expect("a fit");
    assert_eq!(found.estimates.len(), 20);
    let right = Moving::new(truth(), Rattle::default(), STEP).expect("a chain").parameters();
    honest(&found, |name| right.iter().find(|(own, _)| own == name).expect("a name").1, 4.0);
    assert!((found.quality.sigma / NOISE - 1.0).abs() < 0.1, "{}", found.quality.sigma);
}

type Failure = Box<dyn Error + Send + Sync>;

/// The same fit by the same solver, with derivatives of its own.
struct Chained {
    positions: Vec<Vec<f64>>,
    names: Vec<String>,
    by_differences: bool,
}

impl Chained {
    fn run(&self, x: &[f64], names: &[&str]) -> Result<(Vec<f64>, Vec<Vec<f64>>), Failure> {
        let mut chain = guess();
        chain.set_parameters(x)?;
        let system = chain.bind()?;
        let (mut residuals, mut slopes) = (Vec::new(), Vec::new());
        let mut start = start();
        project(&system, &mut start)?;
        let motion = differentiate(&system, &Rattle::default(), start, STEP)?.until(END);
        let along = names.iter().map(|name| Ok((motion.direction(name)?, [&[][..]; 2])));
        let along = along.collect::<Result<Vec<_>, GradientError>>()?;
        motion.follow(&along, &|step| step % 5 == 0, &mut |at, tangents| {
            let row = &self.positions[(at.step / 5) as usize];
            residuals.extend(at.q.iter().zip(row).map(|(q, seen)| q - seen));
            let own = |index: usize| tangents.iter().map(|[q, _]| q[index]).collect::<Vec<f64>>();
            slopes.extend((0..2 * RODS).map(own));
        })?;
        Ok((residuals, slopes))
    }
}

impl Problem for Chained {
    type Error = Failure;

    fn unknowns(&self) -> usize {
        self.names.len()
    }

    fn evaluate(&mut self, x: &[f64]) -> Result<Values, Failure> {
        Ok(Values { residuals: self.run(x, &[])?.0, constraints: Vec::new() })
    }

    fn linearize(&mut self, x: &[f64]) -> Result<Slopes, Failure> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let rows = if self.by_differences {
            let (before, mut rows) = (self.run(x, &[])?.0, Vec::new());
            rows.resize(before.len(), vec![0.0; x.len()]);
            for k in 0..x.len() {
                let mut near = x.to_vec();
                near[k] *= 1.0 + 1e-7;
                let after = self.run(&near, &[])?.0;
                rows.iter_mut()
                    .zip(after.iter().zip(&before))
                    .for_each(|(row, (after, before))| row[k] = (after - before) / (near[k] - x[k]));
            }
            rows
        } else {
            self.run(x, &names)?.1
        };
        let mut residuals = CooMatrix::new(rows.len(), x.len());
        for (row, slopes) in rows.iter().enumerate() {
            slopes.iter().enumerate().for_each(|(column, slope)| residuals.push(row, column, *slope));
        }
        Ok(Slopes { residuals: CsrMatrix::from(&residuals), constraints: CsrMatrix::zeros(0, x.len()) })
    }
}

#[test]
#[ignore = "measures times, which a build without optimization distorts"]
fn exact_derivatives_take_less_time_than_differences() {
    let system = truth().bind().expect("bound");
    let run = integrate(&system, &Rattle::default(), start(), STEP).expect("begun");
    let run = run.until(END).every(5).record().expect("run");
    let columns: Vec<Vec<f64>> =
        (0..2 * RODS).map(|index| run.column(&system.layout().name_of(index)).expect("a column")).collect();
    let positions =
        (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    let moving = Moving::new(guess(), Rattle::default(), STEP).expect("a chain");
    let (names, x): (Vec<String>, Vec<f64>) = moving.parameters().into_iter().unzip();
    let mut problem = Chained { positions, names, by_differences: false };
    let mut time = |by_differences| {
        problem.by_differences = by_differences;
        let best = (0..5).map(|_| {
            let begun = Instant::now();
            let found = minimize(&mut problem, &x, &Options::default(), |_| ControlFlow::Continue(()));
            assert!(found.map(|found| found.residuals.iter().all(|r| r.abs() < 1e-6)).is_ok_and(identity));
            begun.elapsed().as_secs_f64()
        });
        best.fold(f64::INFINITY, f64::min)
    };
    let (exact, differences) = (time(false), time(true));
    eprintln!("{exact:.3} s exact, {differences:.3} s by differences: 1/{:.1}", differences / exact);
    assert!(1.5 * exact < differences, "{exact} s and {differences} s");
}
