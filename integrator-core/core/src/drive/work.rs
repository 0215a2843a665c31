use crate::system::{Forced, Holonomic, Lagrangian, Nonholonomic, System};

/// The rates at which forces, constraints and time change the energy and the momenta, with memory.
pub(super) struct Work<'s> {
    forced: Option<&'s dyn Forced>,
    constraints: Option<&'s dyn Holonomic>,
    of_velocities: Option<&'s dyn Nonholonomic>,
    /// The number of constraints on positions, whose multipliers come first.
    of_positions: usize,
    /// Velocities of zero.
    rest: Vec<f64>,
    gradient: Vec<f64>,
    force: Vec<f64>,
    /// The factor of each multiplier's work: ∂g/∂t and b, or A ξ.
    rates: Vec<f64>,
    /// b of the constraints A v + b = 0.
    driven: Vec<f64>,
}

impl<'s> Work<'s> {
    pub(super) fn of<S: System + ?Sized>(system: &'s S) -> Self {
        let n = system.dimension();
        let (constraints, of_velocities) = (system.holonomic(), system.nonholonomic());
        let of_positions = constraints.map_or(0, Holonomic::constraints);
        let driven = of_velocities.map_or(0, Nonholonomic::nonholonomic_rows);
        Self {
            forced: system.forced(),
            constraints,
            of_velocities,
            of_positions,
            rest: vec![0.0; n],
            gradient: vec![0.0; 2 * n + 1],
            force: vec![0.0; n],
            rates: vec![0.0; of_positions + driven],
            driven: vec![0.0; driven],
        }
    }

    /// dE/dt = F·v − ∂L/∂t − λ·∂g/∂t − μ·b; `None` if multipliers are needed and unknown.
    pub(super) fn power(
        &mut self,
        mechanics: &(impl Lagrangian + ?Sized),
        [q, v]: [&[f64]; 2],
        t: f64,
        multipliers: Option<&[f64]>,
    ) -> Option<f64> {
        mechanics.first_derivatives(q, v, t, &mut self.gradient);
        let of_time = self.gradient.last().copied().unwrap_or(f64::NAN);
        let of_forces = self.of_forces([q, v], t, v);
        let (moving, driven) = self.rates.split_at_mut(self.of_positions);
        if let Some(constraints) = self.constraints {
            constraints.constraint_rate(q, t, moving);
        }
        if let Some(constraints) = self.of_velocities {
            constraints.nonholonomic_values(q, &self.rest, t, driven);
        }
        Some(of_forces - of_time - self.of_multipliers(multipliers)?)
    }

    /// dJ/dt = F·ξ + μ·A ξ of the momentum J = ∂L/∂v·ξ, if the motion ξ leaves L and the constraints on
    /// positions unchanged; `None` if multipliers are needed and unknown.
    pub(super) fn along(
        &mut self,
        motion: &[f64],
        [q, v]: [&[f64]; 2],
        t: f64,
        multipliers: Option<&[f64]>,
    ) -> Option<f64> {
        let of_forces = self.of_forces([q, v], t, motion);
        self.rates.fill(0.0);
        if let Some(constraints) = self.of_velocities {
            // A v + b is linear in v.
            let rates = &mut self.rates[self.of_positions..];
            constraints.nonholonomic_values(q, motion, t, rates);
            constraints.nonholonomic_values(q, &self.rest, t, &mut self.driven);
            rates.iter_mut().zip(&self.driven).for_each(|(rate, driven)| *rate -= driven);
        }
        Some(of_forces + self.of_multipliers(multipliers)?)
    }

    /// F·ξ.
    fn of_forces(&mut self, [q, v]: [&[f64]; 2], t: f64, motion: &[f64]) -> f64 {
        let Some(forced) = self.forced else { return 0.0 };
        self.force.fill(0.0);
        forced.add_force(q, v, t, &mut self.force);
        self.force.iter().zip(motion).map(|(force, rate)| force * rate).sum()
    }

    /// The sum of multipliers times rates.
    fn of_multipliers(&self, multipliers: Option<&[f64]>) -> Option<f64> {
        if self.rates.iter().all(|rate| *rate == 0.0) {
            return Some(0.0);
        }
        let multipliers = multipliers.filter(|multipliers| multipliers.len() == self.rates.len())?;
        Some(multipliers.iter().zip(&self.rates).map(|(multiplier, rate)| multiplier * rate).sum())
    }
}
