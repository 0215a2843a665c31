use crate::method::Stepper;
use crate::system::{Forced, Holonomic, Lagrangian, Nonholonomic, State, System};

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
    forced: Option<&'s dyn Forced>,
    constraints: Option<&'s dyn Holonomic>,
    of_velocities: Option<&'s dyn Nonholonomic>,
    /// Velocities of zero, and positions a little away.
    rest: Vec<f64>,
    nearby: Vec<f64>,
    gradient: Vec<f64>,
    force: Vec<f64>,
    /// ∂g/∂t, and b of the constraints A v + b = 0.
    rate: Vec<f64>,
}

impl<'s> Account<'s> {
    pub(super) fn new<S: System + ?Sized>(mechanics: &'s dyn Lagrangian, system: &'s S) -> Self {
        let n = system.dimension();
        let (forced, constraints) = (system.forced(), system.holonomic());
        let of_velocities = system.nonholonomic();
        let rows = constraints.map_or(0, Holonomic::constraints)
            + of_velocities.map_or(0, Nonholonomic::nonholonomic_rows);
        Self {
            mechanics,
            forced,
            constraints,
            of_velocities,
            rest: vec![0.0; n],
            nearby: vec![0.0; n],
            gradient: vec![0.0; 2 * n + 1],
            force: vec![0.0; n],
            rate: vec![0.0; rows],
        }
    }

    pub(super) fn measure(&mut self, stepper: &(impl Stepper + ?Sized), with_power: bool) -> Energies {
        let State { t, q, v } = stepper.state();
        let total = self.mechanics.energy(q, v, *t);
        let at_rest = self.mechanics.energy(q, &self.rest, *t);
        // A Lagrangian may have no value at rest.
        let kinetic = if at_rest.is_finite() { (total - at_rest).abs() } else { total.abs() };
        let power = if with_power { self.power(stepper.state(), stepper.multipliers()) } else { None };
        let report = stepper.report();
        let evaluations = report.evaluations.gradients + report.evaluations.hessians;
        Energies { step: stepper.steps(), t: *t, total, kinetic, power, evaluations, heat: report.heat }
    }

    /// P = F·v − ∂L/∂t − λ·∂g/∂t − μ·b; none where the multipliers matter and are not known.
    fn power(&mut self, State { t, q, v }: &State, multipliers: Option<&[f64]>) -> Option<f64> {
        self.mechanics.first_derivatives(q, v, *t, &mut self.gradient);
        let mut power = -self.gradient.last().copied().unwrap_or(0.0);
        if let Some(forced) = self.forced {
            self.force.fill(0.0);
            forced.add_force(q, v, *t, &mut self.force);
            power += self.force.iter().zip(v).map(|(force, v)| force * v).sum::<f64>();
        }
        let holonomic = self.constraints.map_or(0, Holonomic::constraints);
        let (moving, driven) = self.rate.split_at_mut(holonomic);
        if let Some(constraints) = self.constraints {
            constraints.constraint_rate(q, *t, moving);
        }
        if let Some(constraints) = self.of_velocities {
            constraints.nonholonomic_values(q, &self.rest, *t, driven);
        }
        if self.rate.iter().any(|rate| *rate != 0.0) {
            let multipliers = multipliers?;
            power -= multipliers.iter().zip(&self.rate).map(|(lambda, rate)| lambda * rate).sum::<f64>();
        }
        Some(power)
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
