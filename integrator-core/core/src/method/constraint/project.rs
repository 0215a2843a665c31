use super::manifold::Manifold;
use crate::error::ProjectionError;
use crate::method::check::{check_positions, check_velocities};
use crate::sparse::FactorError;
use crate::system::{Constrained, State};

const ITERATIONS: u32 = 100;

/// The tolerance of [`project`], relative to the natural size of each constraint.
const CLOSE: f64 = 1e-14;

/// Moves the positions to the nearest point of the constraint manifold in the metric of the mass: min ½
/// (q − q₀)ᵀ M (q − q₀) subject to g(q, t) = 0, so that q = q₀ + M⁻¹ G(q)ᵀ λ.
///
/// Each iteration projects q₀ onto the constraints linearized at the last iterate. It stops when every
/// `|g_c|` is at most `tolerance` times its natural size `Σ_k |∂g_c/∂q_k| |q_k|`. On failure `q` is
/// unchanged.
///
/// # Errors
/// Positions that do not fit or are not finite, singular matrices, no convergence.
pub fn project_positions<S: Constrained + ?Sized>(
    system: &S,
    q: &mut [f64],
    t: f64,
    tolerance: f64,
) -> Result<(), ProjectionError> {
    check_positions(system, q)?;
    let mut manifold = Manifold::new(system)?;
    let origin = q.to_vec();
    let mut nearest = origin.clone();
    manifold.project(&origin, &mut nearest, t, tolerance)?;
    q.copy_from_slice(&nearest);
    Ok(())
}

/// Removes the part of the velocities that leaves the constraint manifold: min ½ (v − v₀)ᵀ M (v − v₀)
/// subject to G(q, t) v + ∂g/∂t = 0, so that v = v₀ + M⁻¹ Gᵀ μ.
///
/// # Errors
/// Positions or velocities that do not fit or are not finite, singular matrices.
pub fn project_velocities<S: Constrained + ?Sized>(
    system: &S,
    q: &[f64],
    v: &mut [f64],
    t: f64,
) -> Result<(), ProjectionError> {
    check_positions(system, q)?;
    check_velocities(system, v)?;
    let mut manifold = Manifold::new(system)?;
    manifold.evaluate(q, t);
    manifold.settle().map_err(|zero| redundant(system, zero))?;
    manifold.make_tangent(q, v, t);
    // A second pass removes the rounding error of a large normal component.
    manifold.make_tangent(q, v, t);
    Ok(())
}

/// Projects positions, to 10⁻¹⁴ of the natural size of each constraint, and then velocities.
///
/// # Errors
/// The errors of [`project_positions`] and [`project_velocities`]; the state is then unchanged.
pub fn project<S: Constrained + ?Sized>(system: &S, state: &mut State) -> Result<(), ProjectionError> {
    let mut q = state.q.clone();
    project_positions(system, &mut q, state.t, CLOSE)?;
    project_velocities(system, &q, &mut state.v, state.t)?;
    state.q = q;
    Ok(())
}

impl<S: Constrained + ?Sized> Manifold<'_, S> {
    /// Moves `q` to the point of the manifold nearest to `origin`.
    fn project(
        &mut self,
        origin: &[f64],
        q: &mut [f64],
        t: f64,
        tolerance: f64,
    ) -> Result<(), ProjectionError> {
        let system = self.system();
        let mut offset = vec![0.0; q.len()];
        let mut multipliers = vec![0.0; system.constraints()];
        let mut smallest = f64::INFINITY;
        for iteration in 0..=ITERATIONS {
            self.evaluate(q, t);
            let excess = self.worst_value(q, tolerance);
            let change = offset.iter().fold(0.0_f64, |largest, entry: &f64| largest.max(entry.abs()));
            // A point of the manifold is nearest when linearizing there no longer moves it.
            if excess.is_none() && (iteration > 0 && (change >= 0.5 * smallest || change == 0.0)) {
                return Ok(());
            }
            smallest = if iteration > 0 { smallest.min(change) } else { smallest };
            if iteration == ITERATIONS {
                return match excess {
                    None => Ok(()),
                    Some((row, residual, tolerance)) => Err(ProjectionError::NotConverged {
                        iterations: iteration,
                        equation: system.constraint_name(row),
                        residual,
                        tolerance,
                    }),
                };
            }
            self.settle().map_err(|zero| redundant(system, zero))?;
            for ((entry, &here), &start) in offset.iter_mut().zip(&*q).zip(origin) {
                *entry = start - here;
            }
            self.linearized(&offset, &mut multipliers);
            for ((entry, here), &start) in offset.iter_mut().zip(q.iter_mut()).zip(origin) {
                *entry = *here;
                *here = start;
            }
            self.add_motion(&multipliers, q);
            for (entry, &here) in offset.iter_mut().zip(&*q) {
                *entry = here - *entry;
            }
        }
        Ok(())
    }
}

fn redundant<S: Constrained + ?Sized>(system: &S, zero: FactorError) -> ProjectionError {
    ProjectionError::Redundant { equation: system.constraint_name(zero.index), pivot: zero.pivot }
}
