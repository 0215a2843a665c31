//! `gradient --check`: the slope of J along a direction by central differences.

use std::io::{self, Write};

use least_action::advanced::check::nearby;
use least_action::drive::gradient::Gradient;
use least_action::method::project;
use least_action::system::{Parametric, State};
use serde::Serialize;

use super::losses::Losses;
use crate::error::{Error, Result};
use crate::parameters;
use crate::prepared::Prepared;
use crate::print::Text;

/// The steps of the differences along the direction, which is about 0.01 of the start.
const STEPS: [f64; 5] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5];
/// The disagreement of neighbouring differences by which the best one may be wrong.
const SPREADS: f64 = 10.0;
/// The rounding of a slope, as a part of the sum of the sizes of its terms.
const ROUNDING: f64 = 1e-9;
/// The part of this sum above which differences tell nothing.
const VAGUE: f64 = 0.01;
/// The growth above which the smallest difference may leave the valley of J.
const CHAOS: f64 = 1e4;

/// The slope of J along a direction.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    seed: u64,
    /// By the gradient.
    gradient: f64,
    /// By the best of the central differences.
    differences: f64,
    /// Its step.
    step: f64,
    difference: f64,
    allowed: f64,
    /// None where differences tell nothing.
    agrees: Option<bool>,
}

/// Compares the gradient with central differences.
pub(super) fn check(
    motion: &Prepared<'_>,
    found: &Gradient,
    losses: &mut Losses,
    (state, follows): (&State, bool),
    seed: u64,
) -> Result<Check> {
    let instance = &motion.instance;
    let lagrangian = instance.system.lagrangian();
    let keeps = motion.keeps();
    let has_no_projection = lagrangian.holonomic().is_some() && instance.system.faces().constrained.is_none();
    if keeps && (has_no_projection || lagrangian.nonholonomic().is_some()) {
        return Err(Error::mistake(
            "--check moves the start, and only constraints on positions with a constant mass have a projection for it",
        ));
    }
    let near = nearby(lagrangian.layout(), state, seed);
    let away = |near: &[f64], x: &[f64]| near.iter().zip(x).map(|(near, x)| near - x).collect::<Vec<f64>>();
    let (of_q, of_v) = (away(&near.q, &state.q), away(&near.v, &state.v));
    // A penalty has parameters of its own behind these, which stay as they are.
    let values = lagrangian.parametric().map(Parametric::numbers).unwrap_or_default();
    // The way of a parameter is a part of its hundredth, or of 0.01 where it is zero.
    let size = |value: f64| if value == 0.0 { 1.0 } else { value.abs() };
    let of_parameters = found.parameters.iter().zip(&values).zip(parts(seed));
    let of_parameters: Vec<f64> =
        of_parameters.map(|((_, value), part)| 0.01 * size(*value) * part).collect();
    let pairs = [(&found.q, &of_q), (&found.v, &of_v), (&found.parameters, &of_parameters)];
    let pairs = pairs.into_iter().flat_map(|(slopes, away)| slopes.iter().zip(away));
    let terms = pairs.map(|(slope, x)| slope * x);
    let (gradient, size): (f64, f64) = (terms.clone().sum(), terms.map(f64::abs).sum());
    let moved = |x: &[f64], way: &[f64], by: f64| -> Vec<f64> {
        x.iter().zip(way.iter().chain(std::iter::repeat(&0.0))).map(|(x, way)| x + by * way).collect()
    };
    let mut value = |by: f64| {
        let model = &motion.model;
        let own = moved(&values, &of_parameters, by);
        let first = if follows { motion.starting()?(&own)? } else { state.clone() };
        let (q, v) = (moved(&first.q, &of_q, by), moved(&first.v, &of_v, by));
        let mut start = State { t: state.t, q, v };
        let varied = parameters::varied(motion.registry, model, &own)?;
        if let Some(constrained) = varied.system.faces().constrained.filter(|_| keeps) {
            project(constrained, &mut start)?;
        }
        Ok::<_, Error>(motion.gradient(&varied, &start, losses)?.value)
    };
    let mut slopes = Vec::new();
    for step in STEPS {
        slopes.push((step, (value(step)? - value(-step)?) / (2.0 * step)));
    }
    let pairs = slopes.windows(2).filter_map(|pair| <[(f64, f64); 2]>::try_from(pair).ok());
    let spreads = pairs.map(|[(_, wide), (step, narrow)]| ((wide - narrow).abs(), step, narrow));
    let (spread, step, differences) = spreads.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    let difference = (gradient - differences).abs();
    let allowed = SPREADS * spread + ROUNDING * size;
    let agrees = difference <= allowed;
    let tells = allowed <= VAGUE * size && (agrees || found.growth <= CHAOS) || size == 0.0;
    Ok(Check { seed, gradient, differences, step, difference, allowed, agrees: tells.then_some(agrees) })
}

/// Numbers in [−1, 1) from a seed: a sequence of Weyl with the golden ratio.
fn parts(seed: u64) -> impl Iterator<Item = f64> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    (1_u32..).map(move |k| 2.0 * (GOLDEN * ((seed % 1_000_003) as f64 + f64::from(k))).fract() - 1.0)
}

impl Check {
    pub(super) fn text(&self, out: &mut Text<'_>) -> io::Result<()> {
        let Self { seed, gradient, differences, step, difference, allowed, agrees } = self;
        writeln!(out, "along a direction of seed {seed}: dJ = {gradient:.12e} by the gradient")?;
        writeln!(
            out,
            "    {differences:.12e} by differences of {step:e} of it: {difference:.1e} apart, {allowed:.1e} allowed: {}",
            match agrees {
                Some(true) => "ok",
                Some(false) => "WRONG",
                None => "differences tell nothing about this motion, shorten it",
            }
        )
    }

    /// An error where they disagree.
    pub(super) fn verdict(self, model: &str) -> Result {
        let Self { gradient, differences, agrees, .. } = self;
        if agrees == Some(false) {
            return Err(Error::Failed(format!(
                "the gradient of `{model}` along the direction is {gradient:.10e}, and differences give {differences:.10e}: they agree \
                 where the motion is smooth and the start keeps its distance from kinks"
            )));
        }
        Ok(())
    }
}
