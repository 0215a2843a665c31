use crate::carried::carried;
use crate::drive::Moment;
use crate::drive::work::Work;
use crate::system::{Lagrangian, State, System};

/// A method with this many evaluations in a step takes shorter steps inside, whose work is not seen.
const MANY: u64 = 30;
/// The relative rounding error of a coordinate in a step: of several roundings, more with many parts.
const ROUNDINGS: f64 = 16.0 * f64::EPSILON;

/// The energy at a state, with all that changes it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Energies {
    pub(super) step: u64,
    pub(super) t: f64,
    /// E.
    pub(super) total: f64,
    /// E(q, 0), which need not be finite.
    at_rest: f64,
    /// K, at least 0.
    pub(super) kinetic: f64,
    /// P, if it was asked for and is known.
    power: Option<f64>,
    /// The gradients and Hessians so far.
    evaluations: u64,
    /// The heat of a thermostat so far.
    pub(super) heat: Option<f64>,
}

impl Energies {
    /// The larger defect of two consecutive steps,
    /// less the uncertainty of the integral of P; `None` if P is unknown.
    pub(super) fn defect([first, middle, last]: [&Self; 3]) -> Option<f64> {
        let powers = (first.power?, middle.power?, last.power?);
        let step = 0.5 * (last.t - first.t);
        let simpson = step / 3.0 * (powers.0 + 4.0 * powers.1 + powers.2);
        let trapezoidal = step * (0.5 * powers.0 + powers.1 + 0.5 * powers.2);
        let mut unsure = 2.0 * (simpson - trapezoidal).abs();
        if last.evaluations.saturating_sub(first.evaluations) >= 2 * MANY {
            let (least, most) = (powers.0.min(powers.1).min(powers.2), powers.0.max(powers.1).max(powers.2));
            unsure = unsure.max(2.0 * step * (most - least));
        }
        let in_step = |before: &Self, after: &Self, powers: f64| {
            let heat = after.heat.unwrap_or(0.0) - before.heat.unwrap_or(0.0);
            (after.total - before.total - heat - 0.5 * step * powers).abs()
        };
        let defects =
            (in_step(first, middle, powers.0 + powers.1), in_step(middle, last, powers.1 + powers.2));
        // Finite energies have a defect: NaN counts as zero.
        Some((defects.0.max(defects.1) - unsure).max(0.0))
    }
}

/// Measures energies, with memory.
pub(super) struct Account<'s> {
    mechanics: &'s dyn Lagrangian,
    work: Work<'s>,
    /// Zero velocities; positions and velocities that differ from rest by errors only.
    rest: Vec<f64>,
    near: Vec<f64>,
    drift: Vec<f64>,
}

impl<'s> Account<'s> {
    pub(super) fn new<S: System + ?Sized>(mechanics: &'s dyn Lagrangian, system: &'s S) -> Self {
        let zeros = || vec![0.0; system.dimension()];
        Self { mechanics, work: Work::of(system), rest: zeros(), near: zeros(), drift: zeros() }
    }

    pub(super) fn measure(&mut self, moment: &Moment<'_>, with_power: bool) -> Energies {
        let Moment { step, state: State { t, q, v }, multipliers, report, .. } = *moment;
        let total = self.mechanics.energy(q, v, *t);
        let at_rest = self.mechanics.energy(q, &self.rest, *t);
        // A Lagrangian may have no value at rest.
        let kinetic = if at_rest.is_finite() { (total - at_rest).abs() } else { total.abs() };
        let mut power = || self.work.power(self.mechanics, [q, v], *t, multipliers);
        let power = if with_power { power() } else { None };
        let evaluations = report.evaluations.gradients + report.evaluations.hessians;
        Energies { step, t: *t, total, at_rest, kinetic, power, evaluations, heat: report.heat }
    }

    /// The energy that the errors of `steps` steps of this length make at rest: its change when each
    /// coordinate changes by a [tolerance](crate::method::Report::tolerance), with the velocity of this
    /// change in one step; without a tolerance, when each coordinate changes by some roundings. The
    /// errors of N steps add up to √N times the error of one, as in a random walk.
    pub(super) fn noise(&mut self, moment: &Moment<'_>, now: &Energies, steps: u64, step: f64) -> f64 {
        let walk = (steps as f64).sqrt();
        let (part, rate) = match moment.report.tolerance {
            Some(tolerance) => (walk * tolerance.max(ROUNDINGS), walk * tolerance / step),
            None => (walk * ROUNDINGS, 0.0),
        };
        self.change(moment.state, now.at_rest, [part, rate], now.step)
    }

    /// About Σ |∂V/∂qᵢ qᵢ|: the change of the potential when coordinates change by their own size.
    pub(super) fn size(&mut self, state: &State, now: &Energies) -> f64 {
        let part = f64::EPSILON.sqrt();
        self.change(state, now.at_rest, [part, 0.0], 0) / part
    }

    /// |E(q + δ, ν) − E(q, 0)| with these parts δ and ν of q, and signs that mix coordinates.
    fn change(
        &mut self,
        State { t, q, .. }: &State,
        at_rest: f64,
        [part, rate]: [f64; 2],
        number: u64,
    ) -> f64 {
        let near = self.near.iter_mut().zip(&mut self.drift);
        for ((index, q), (near, drift)) in (number..).zip(q).zip(near) {
            let sign = index.wrapping_mul(0x9E37_79B9_7F4A_7C15) as i64 as f64;
            *near = q + (part * q).copysign(sign);
            *drift = (rate * q).copysign(sign);
        }
        let change = (self.mechanics.energy(&self.near, &self.drift, *t) - at_rest).abs();
        // The energy may be singular nearby.
        if change.is_finite() { change } else { 0.0 }
    }
}

carried!([] Energies { step, t, total, at_rest, kinetic, power, evaluations, heat } besides {});
