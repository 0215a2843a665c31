use crate::drive::work::Work;
use crate::method::Stepper;
use crate::system::{Lagrangian, State, System};

/// A method that evaluates the system this often in a step chooses shorter ones by itself, between which the work is not seen.
const MANY: u64 = 30;

/// The energy at one state, with all that changes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Energies {
    pub(super) step: u64,
    pub(super) t: f64,
    /// E.
    pub(super) total: f64,
    /// K, at least 0.
    pub(super) kinetic: f64,
    /// P, where it was asked for and is known.
    power: Option<f64>,
    /// Gradients and Hessians until now.
    evaluations: u64,
    /// The heat of a thermostat until now, where there is one.
    pub(super) heat: Option<f64>,
}

impl Energies {
    /// The larger defect of two steps in a row, as far as the integral of the power is sure; none where the power is not known.
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
        // A defect that is not a number is none of a motion whose energies are finite.
        Some((defects.0.max(defects.1) - unsure).max(0.0))
    }
}

/// Measures energies; owns the memory for it.
pub(super) struct Account<'s> {
    mechanics: &'s dyn Lagrangian,
    work: Work<'s>,
    /// Velocities of zero, and positions a little away.
    rest: Vec<f64>,
    nearby: Vec<f64>,
}

impl<'s> Account<'s> {
    pub(super) fn new<S: System + ?Sized>(mechanics: &'s dyn Lagrangian, system: &'s S) -> Self {
        let n = system.dimension();
        Self { mechanics, work: Work::of(system), rest: vec![0.0; n], nearby: vec![0.0; n] }
    }

    pub(super) fn measure(&mut self, stepper: &(impl Stepper + ?Sized), with_power: bool) -> Energies {
        let State { t, q, v } = stepper.state();
        let total = self.mechanics.energy(q, v, *t);
        let at_rest = self.mechanics.energy(q, &self.rest, *t);
        // A Lagrangian may have no value at rest.
        let kinetic = if at_rest.is_finite() { (total - at_rest).abs() } else { total.abs() };
        let multipliers = stepper.multipliers();
        let mut power = || self.work.power(self.mechanics, [q, v], *t, multipliers);
        let power = if with_power { power() } else { None };
        let report = stepper.report();
        let evaluations = report.evaluations.gradients + report.evaluations.hessians;
        Energies { step: stepper.steps(), t: *t, total, kinetic, power, evaluations, heat: report.heat }
    }

    /// The energy below which a motion is made of rounding and tolerances: the change of V by one of 10⁻⁸ of each coordinate, in
    /// signs that do not follow the order of the coordinates.
    pub(super) fn noise(&mut self, State { t, q, .. }: &State, total: f64) -> f64 {
        for (index, (nearby, q)) in (0_u64..).zip(self.nearby.iter_mut().zip(q)) {
            let sign = if index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 0 { 1.0 } else { -1.0 };
            *nearby = q * (1.0 + 1e-8 * sign);
        }
        let here = self.mechanics.energy(q, &self.rest, *t);
        let change = (self.mechanics.energy(&self.nearby, &self.rest, *t) - here).abs();
        let rounding = 1e-13 * total.abs();
        // Singular a little further.
        if change.is_finite() { change + rounding } else { rounding }
    }
}
