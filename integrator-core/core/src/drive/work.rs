use crate::system::{Forced, Holonomic, Lagrangian, Nonholonomic, Sampling, Signal, State, System, Text};

/// The rates at which forces, constraints and time change the energy and the momenta, with memory.
pub(super) struct Work<'s> {
    forced: Option<&'s dyn Forced>,
    constraints: Option<&'s dyn Holonomic>,
    of_velocities: Option<&'s dyn Nonholonomic>,
    signals: &'s [(Text, Signal)],
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
    /// g at the beginning of a step.
    values: Vec<f64>,
    /// ½ (q₀ + q₁) and (q₁ − q₀)/h.
    middle: [Vec<f64>; 2],
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
            signals: system.signals(),
            of_positions,
            rest: vec![0.0; n],
            gradient: vec![0.0; 2 * n + 1],
            force: vec![0.0; n],
            rates: vec![0.0; of_positions + driven],
            driven: vec![0.0; driven],
            values: vec![0.0; of_positions],
            middle: [vec![0.0; n], vec![0.0; n]],
        }
    }

    /// ∫ P dt in a step by two rules, which differ by the error of either: the mean of the power at both
    /// ends, and the work on the way q₁ − q₀ with the forces in its middle. Inputs have their mean over
    /// the step, which is the impulse that a method gives to the motion, and L and g change by the time
    /// alone. `None` if multipliers do work and are unknown, or if a signal makes them jump.
    pub(super) fn in_step(
        &mut self,
        mechanics: &dyn Lagrangian,
        [first, last]: [&State; 2],
        multipliers: [Option<&[f64]>; 2],
    ) -> Option<[f64; 2]> {
        let [early, late] = multipliers;
        let step = [first.t, last.t];
        let mut middle = std::mem::take(&mut self.middle);
        let [q, v] = &mut middle;
        for (i, (q, v)) in q.iter_mut().zip(v).enumerate() {
            *q = 0.5 * (first.q[i] + last.q[i]);
            *v = (last.q[i] - first.q[i]) / (last.t - first.t);
        }
        let [q, v] = &middle;
        let of_middle = self.at_place(mechanics, [q, v], 0.5 * (first.t + last.t), step, [early, late]);
        self.middle = middle;
        let of_first = self.at_place(mechanics, [&first.q, &first.v], first.t, step, [early, early])?;
        let of_last = self.at_place(mechanics, [&last.q, &last.v], last.t, step, [late, late])?;
        Some([0.5 * (of_first + of_last), of_middle?])
    }

    /// The work in a step, should it stay at a place of its way: h F·v − ΔL − λ·Δg − h μ·b.
    fn at_place(
        &mut self,
        mechanics: &dyn Lagrangian,
        [q, v]: [&[f64]; 2],
        t: f64,
        [from, to]: [f64; 2],
        multipliers: [Option<&[f64]>; 2],
    ) -> Option<f64> {
        let h = to - from;
        let mean = Sampling { from, to, weights: [1.0, 1.0] };
        let of_forces = h * self.of_forces([q, v], (t, Some(mean)), v);
        let of_time = mechanics.lagrangian(q, v, to) - mechanics.lagrangian(q, v, from);
        let (moving, driven) = self.rates.split_at_mut(self.of_positions);
        if let Some(constraints) = self.constraints {
            constraints.constraint_values(q, to, moving);
            constraints.constraint_values(q, from, &mut self.values);
            moving.iter_mut().zip(&self.values).for_each(|(value, before)| *value -= before);
        }
        if let Some(constraints) = self.of_velocities {
            constraints.nonholonomic_values(q, &self.rest, t, driven);
            driven.iter_mut().for_each(|rate| *rate *= h);
        }
        let [early, late] = multipliers;
        let of_multipliers = 0.5 * (self.of_multipliers(early)? + self.of_multipliers(late)?);
        // A bend of a moving row is an impulse that no multiplier at a state shows.
        let bends = of_multipliers != 0.0 && Breaks::of(self.signals, from - 1e-6 * h, to).any();
        (!bends).then_some(of_forces - of_time - of_multipliers)
    }

    /// Adds the magnitudes of F at a state to `forces`.
    pub(super) fn add_forces(&mut self, State { t, q, v }: &State, forces: &mut [f64]) {
        self.of_forces([q, v], (*t, None), v);
        forces.iter_mut().zip(&self.force).for_each(|(sum, force)| *sum += force.abs());
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
        let of_forces = self.of_forces([q, v], (t, None), v);
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
        let of_forces = self.of_forces([q, v], (t, None), motion);
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
    fn of_forces(
        &mut self,
        [q, v]: [&[f64]; 2],
        (t, sampling): (f64, Option<Sampling>),
        motion: &[f64],
    ) -> f64 {
        let Some(forced) = self.forced else { return 0.0 };
        self.force.fill(0.0);
        forced.add_force_sampled(q, v, t, sampling, &mut self.force);
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

/// Whether a signal jumps or bends within a span of time, or at its end.
pub(super) struct Breaks {
    pub(super) between: bool,
    pub(super) at_end: bool,
    /// A negligible part of the span, with its sign: times closer than this are equal.
    pub(super) near: f64,
}

impl Breaks {
    pub(super) fn of(signals: &[(Text, Signal)], from: f64, to: f64) -> Self {
        let near = 1e-8 * (to - from).abs() + 1e-13 * to.abs();
        let (begin, end) = (from.min(to), from.max(to));
        let next = |signal: &Signal, after: f64, until: f64| {
            signal.next_time(after).is_some_and(|time| time <= until)
        };
        Self {
            between: signals.iter().any(|(_, signal)| next(signal, begin + near, end - near)),
            at_end: signals.iter().any(|(_, signal)| next(signal, to - near, to + near)),
            near: near.copysign(to - from),
        }
    }

    pub(super) fn any(&self) -> bool {
        self.between || self.at_end
    }
}
