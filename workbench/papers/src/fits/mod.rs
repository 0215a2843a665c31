//! Published problems of parameter estimation, one file each: their numbers beside ours.

mod star;
mod unstable;

use std::ops::ControlFlow;

use least_action_optimization::fit::{Fit, Fitted, Motions};
use least_action_optimization::least_squares::Options;

use crate::error::{Cause, Error};
use crate::experiment::{Claim, Columns, Experiment, Known, Row, Verdict};
use crate::press::{Press, in_turn};

/// Remarks that hold for all experiments.
pub(super) const REMARKS: &[&str] = &[
    "S2: S. Gillessen et al., An update on monitoring stellar orbits in the Galactic center, ApJ 837 (2017) 30, doi:10.3847/1538-4357/aa5c41, \
     with its measurements of 24 years. The unstable motion: H. G. Bock, Recent advances in parameter identification techniques for ordinary \
     differential equations, in Numerical Treatment of Inverse Problems, Birkhäuser 1983; the errors of its samples, with his σ, \
     are of a random generator here.",
    "Formulas give the motions too: Kepler's equation the one of S2, exponentials the unstable one. The same least squares with the \
     formulas in the place of steps give the numbers below ours; for S2 the published numbers stand there as well.",
];

pub(super) fn compute(press: &mut Press<'_>) -> Result<(), Error> {
    in_turn(press, &[("S2", |_| star::compute()), ("unstable motion", |_| unstable::compute())])
}

/// Fits these numbers, without bounds.
fn solve<M: Motions<Error = Cause>>(fit: Fit<M>, free: &[&str]) -> Result<Fitted, Error> {
    let bounds = [f64::NEG_INFINITY, f64::INFINITY];
    let fit = free.iter().fold(fit, |fit, name| fit.free(*name, bounds));
    Ok(fit.solve(&Options::default(), |_, _| ControlFlow::Continue(()))?)
}
