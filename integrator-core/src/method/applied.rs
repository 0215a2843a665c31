//! The forces F beside −∇V, as methods of natural systems take them.

use crate::error::StartError;
use crate::system::{Forced, System};

/// The forces beside −∇V by what they depend on.
pub(super) enum Applied<'s> {
    None,
    /// F(q, t), which stands wherever −∇V does.
    OfPosition,
    /// F(q, v, t).
    OfVelocity(&'s dyn Forced),
}

impl<'s> Applied<'s> {
    pub(super) fn of<S: System + ?Sized>(system: &'s S) -> Self {
        match system.forced() {
            None => Self::None,
            Some(forced) if first_velocity(system.dimension(), forced).is_some() => Self::OfVelocity(forced),
            Some(_) => Self::OfPosition,
        }
    }
}

/// The first degree of freedom on whose velocity F depends; the pattern says it.
fn first_velocity(dimension: usize, forced: &dyn Forced) -> Option<usize> {
    let velocities = forced.force_pattern().entries().filter(|&(_, column)| column >= dimension);
    velocities.map(|(_, column)| column - dimension).min()
}

/// Refuses forces that depend on velocities.
pub(super) fn check_of_position<S: System + ?Sized>(
    system: &S,
    method: &'static str,
) -> Result<(), StartError> {
    match system.forced().and_then(|forced| first_velocity(system.dimension(), forced)) {
        None => Ok(()),
        Some(index) => {
            let (system, coordinate) = (system.name().to_owned(), system.layout().name_of(index));
            Err(StartError::ForcesOfVelocity { method, system, coordinate })
        }
    }
}

/// ∇V ← ∇V − F(q, t), for forces that do not depend on velocities.
pub(super) fn subtract_from_gradient<S: System + ?Sized>(
    system: &S,
    q: &[f64],
    t: f64,
    gradient: &mut [f64],
) {
    // Any velocity gives this force, and the positions have the length of one.
    subtract(system, q, q, t, gradient);
}

/// ∇V ← ∇V − F(q, v, t).
pub(super) fn subtract<S: System + ?Sized>(system: &S, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
    if let Some(forced) = system.forced() {
        gradient.iter_mut().for_each(|entry| *entry = -*entry);
        forced.add_force(q, v, t, gradient);
        gradient.iter_mut().for_each(|entry| *entry = -*entry);
    }
}
