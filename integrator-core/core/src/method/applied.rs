//! The forces F beside −∇V in methods for natural systems.

use crate::error::{Begun, StartError};
use crate::system::{Forced, Sampling, System};

/// The time at which forces are evaluated, and the average of their inputs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant {
    pub(crate) t: f64,
    /// `None` reads the inputs at `t`.
    pub(crate) sampling: Option<Sampling>,
}

impl Instant {
    /// Without an average.
    pub(crate) fn at(t: f64) -> Self {
        Self { t, sampling: None }
    }

    /// The beginning of a step: its part of ∫ u dt is 2 (m₀ − m₁)/h.
    pub(super) fn beginning(t: f64, h: f64) -> Self {
        Self { t, sampling: Some(Sampling { from: t, to: t + h, weights: [2.0, 0.0] }) }
    }

    /// The end of a step of size h: 2 m₁/h.
    pub(super) fn end(t: f64, h: f64) -> Self {
        Self { t, sampling: Some(Sampling { from: t - h, to: t, weights: [0.0, 2.0] }) }
    }

    /// The time t in a step from `start` on, at its part c: the line nearest to the inputs in the mean
    /// of squares, at c.
    pub(super) fn inside(t: f64, start: f64, h: f64, c: f64) -> Self {
        let weights = [4.0 - 6.0 * c, 6.0 * c - 2.0];
        Self { t, sampling: Some(Sampling { from: start, to: start + h, weights }) }
    }

    /// A time in a step from `start` on; the mean replaces the inputs.
    pub(super) fn within(t: f64, start: f64, h: f64) -> Self {
        Self { t, sampling: Some(Sampling { from: start, to: start + h, weights: [1.0, 1.0] }) }
    }
}

/// The forces beside −∇V, by the variables that they read.
pub(super) enum Applied<'s> {
    None,
    /// F(q, t), added wherever −∇V is.
    OfPosition,
    /// F(q, v, t), or F with inputs, which each kick averages in its own way.
    OfVelocity(&'s dyn Forced),
}

impl<'s> Applied<'s> {
    pub(super) fn of<S: System + ?Sized>(system: &'s S) -> Self {
        match system.forced() {
            None => Self::None,
            Some(forced) if forced.takes_inputs() || forced.first_velocity().is_some() => {
                Self::OfVelocity(forced)
            }
            Some(_) => Self::OfPosition,
        }
    }
}

/// Refuses forces that depend on velocities.
pub(super) fn check_of_position<S: System + ?Sized>(system: &S, method: &'static str) -> Begun {
    match system.forced().and_then(Forced::first_velocity) {
        None => Ok(()),
        Some(index) => {
            let (system, coordinate) = (system.name().to_owned(), system.layout().name_of(index));
            Err(StartError::ForcesOfVelocity { method, system, coordinate })
        }
    }
}

/// True if the forces have inputs: their averages change between the end of a step and the next step.
pub(super) fn takes_inputs<S: System + ?Sized>(system: &S) -> bool {
    system.forced().is_some_and(Forced::takes_inputs)
}

/// ∇V ← ∇V − F(q, t), for forces that do not depend on velocities.
pub(super) fn subtract_from_gradient<S: System + ?Sized>(
    system: &S,
    q: &[f64],
    at: Instant,
    gradient: &mut [f64],
) {
    // F ignores the velocity: `q` serves as one of the right length.
    subtract(system, q, q, at, gradient);
}

/// ∇V ← ∇V − F(q, v, t).
pub(super) fn subtract<S: System + ?Sized>(
    system: &S,
    q: &[f64],
    v: &[f64],
    at: Instant,
    gradient: &mut [f64],
) {
    if let Some(forced) = system.forced() {
        gradient.iter_mut().for_each(|entry| *entry = -*entry);
        forced.add_force_sampled(q, v, at.t, at.sampling, gradient);
        gradient.iter_mut().for_each(|entry| *entry = -*entry);
    }
}
