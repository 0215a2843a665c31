//! The forces F beside −∇V, as methods of natural systems take them.

use crate::error::StartError;
use crate::system::{Forced, Sampling, System};

/// When the forces of a step are evaluated: the time, and the average that stands for inputs there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant {
    pub(crate) t: f64,
    /// `None` for the values of inputs at the time.
    pub(crate) sampling: Option<Sampling>,
}

impl Instant {
    /// The time alone.
    pub(crate) fn at(t: f64) -> Self {
        Self { t, sampling: None }
    }

    /// The beginning of a step: what of ∫ u dt belongs to it, 2 (m₀ − m₁)/h.
    pub(super) fn beginning(t: f64, h: f64) -> Self {
        Self { t, sampling: Some(Sampling { from: t, to: t + h, weights: [2.0, 0.0] }) }
    }

    /// The end of a step of size h: 2 m₁/h.
    pub(super) fn end(t: f64, h: f64) -> Self {
        Self { t, sampling: Some(Sampling { from: t - h, to: t, weights: [0.0, 2.0] }) }
    }

    /// A time in a step from t₀ on, in which the mean stands for inputs.
    pub(super) fn within(t: f64, start: f64, h: f64) -> Self {
        Self { t, sampling: Some(Sampling { from: start, to: start + h, weights: [1.0, 1.0] }) }
    }
}

/// The forces beside −∇V by what they depend on.
pub(super) enum Applied<'s> {
    None,
    /// F(q, t), which stands wherever −∇V does.
    OfPosition,
    /// F(q, v, t), or F with inputs, of which each kick takes averages of its own.
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
pub(super) fn check_of_position<S: System + ?Sized>(
    system: &S,
    method: &'static str,
) -> Result<(), StartError> {
    match system.forced().and_then(Forced::first_velocity) {
        None => Ok(()),
        Some(index) => {
            let (system, coordinate) = (system.name().to_owned(), system.layout().name_of(index));
            Err(StartError::ForcesOfVelocity { method, system, coordinate })
        }
    }
}

/// True if the forces have inputs, so that they are others at the end of a step and at the beginning of the next.
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
    // Any velocity gives this force, and the positions have the length of one.
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
