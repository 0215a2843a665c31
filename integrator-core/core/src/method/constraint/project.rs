use super::manifold::Manifold;
use super::newton::FLOOR;
use crate::error::ProjectionError;
use crate::method::check::{check_positions, check_velocities};
use crate::sparse::{FactorError, PatternSum, Saddle};
use crate::system::{Constrained, State};

const ITERATIONS: u32 = 100;

/// The tolerance of [`project`], relative to the natural size of each constraint.
const CLOSE: f64 = 1e-14;

/// A last change beyond this part of the positions has not come to rest.
const NEAREST: f64 = 1e-12;

/// Moves the positions to the nearest point of the constraint manifold in the metric of the mass: min ½
/// (q − q₀)ᵀ M (q − q₀) subject to g(q, t) = 0, so that q = q₀ + M⁻¹ G(q)ᵀ λ.
///
/// Each iteration projects q₀ onto the constraints linearized at the last iterate. It stops when every
/// `|g_c|` is at most `tolerance` times its natural size `Σ_k |∂g_c/∂q_k| |q_k|`. Where constraints
/// are too curved for it, Newton's method with their curvature follows, for q and λ. On failure `q` is
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
    let linear = manifold.project(&origin, &mut nearest, t, tolerance);
    if !linear.as_ref().is_ok_and(|left| *left <= NEAREST) {
        q.copy_from_slice(&origin);
        if manifold.project_with_curvature(&origin, q, t, tolerance.max(FLOOR)).is_some() {
            manifold.evaluate(q, t);
            if manifold.worst_value(q, tolerance).is_none() {
                return Ok(());
            }
        }
        q.copy_from_slice(&origin);
        linear?;
    }
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
    /// Moves `q` to the point of the manifold nearest to `origin`; returns the last change relative to
    /// the largest position.
    fn project(
        &mut self,
        origin: &[f64],
        q: &mut [f64],
        t: f64,
        tolerance: f64,
    ) -> Result<f64, ProjectionError> {
        let system = self.system();
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let mut offset = vec![0.0; q.len()];
        let mut multipliers = vec![0.0; system.constraints()];
        let mut smallest = f64::INFINITY;
        let mut iteration = 0;
        loop {
            self.evaluate(q, t);
            let excess = self.worst_value(q, tolerance);
            let change = largest(&offset);
            // A point of the manifold is nearest when linearizing there no longer moves it.
            if excess.is_none() && (iteration > 0 && (change >= 0.5 * smallest || change == 0.0)) {
                return Ok(change / largest(q));
            }
            smallest = if iteration > 0 { smallest.min(change) } else { smallest };
            if iteration == ITERATIONS {
                return match excess {
                    None => Ok(change / largest(q)),
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
            iteration += 1;
        }
    }

    /// Moves `q` from `origin` to a point of the manifold by Newton's method for g alone, and from
    /// there to the nearest point by Newton's method for
    ///
    /// ```text
    /// M (q − q₀) = G(q)ᵀ λ,  g(q) = 0,  with the matrix [M − Σ λ_c Hess g_c, Gᵀ; G, 0].
    /// ```
    ///
    /// `None` if one of them does not converge, or the point is farther than the first.
    #[cold]
    fn project_with_curvature(
        &mut self,
        origin: &[f64],
        q: &mut [f64],
        t: f64,
        tolerance: f64,
    ) -> Option<()> {
        let system = self.system();
        let (n, mass, jacobian) = (q.len(), system.mass(), system.jacobian_pattern());
        let mut offset = vec![0.0; n];
        let mut multipliers = vec![0.0; system.constraints()];
        for iteration in 0.. {
            self.evaluate(q, t);
            self.settle().ok()?;
            if self.worst_value(q, tolerance).is_none() {
                break;
            }
            if iteration == ITERATIONS {
                return None;
            }
            self.linearized(&offset, &mut multipliers);
            self.add_motion(&multipliers, q);
        }
        let away = |q: &[f64], offset: &mut [f64]| {
            offset.iter_mut().zip(origin.iter().zip(q)).for_each(|(offset, (start, q))| *offset = start - q);
            mass.quadratic(offset)
        };
        let farthest = away(q, &mut offset);
        self.linearized(&offset, &mut multipliers);

        let both = PatternSum::new(&mass.pattern, system.weighted_pattern());
        let mut saddle = Saddle::new(both.pattern(), jacobian)?;
        let mut sum = vec![0.0; both.pattern().len()];
        let mut curvature = vec![0.0; system.weighted_pattern().len()];
        let (mut values, mut entries) = (multipliers.clone(), vec![0.0; jacobian.len()]);
        let (mut change, mut smallest) = (vec![0.0; n + multipliers.len()], f64::INFINITY);
        for _ in 0..ITERATIONS {
            system.weighted_hessian(q, t, &multipliers, &mut curvature);
            both.combine(&mass.values, -1.0, &curvature, &mut sum);
            system.jacobian(q, t, &mut values, &mut entries);
            away(q, &mut offset);
            let (free, constrained) = change.split_at_mut(n);
            mass.multiply(&offset, free);
            jacobian.transpose_multiply_add(&entries, &multipliers, free);
            constrained.iter_mut().zip(&values).for_each(|(to, value)| *to = -value);
            saddle.factor(&sum, &entries, &entries).ok()?;
            saddle.solve(&mut change).ok()?;
            let (moved, negative) = change.split_at(n);
            q.iter_mut().zip(moved).for_each(|(q, moved)| *q += moved);
            multipliers.iter_mut().zip(negative).for_each(|(multiplier, change)| *multiplier -= change);
            let size = moved.iter().fold(0.0_f64, |largest, moved| largest.max(moved.abs()));
            // Corrections that no longer shrink are rounding.
            if size == 0.0 || size >= 0.5 * smallest {
                self.evaluate(q, t);
                let kept = self.worst_value(q, tolerance).is_none();
                let near = away(q, &mut offset) <= farthest * (1.0 + 1e-9);
                if kept || !size.is_finite() {
                    return (kept && near).then_some(());
                }
            }
            smallest = smallest.min(size);
        }
        None
    }
}

fn redundant<S: Constrained + ?Sized>(system: &S, zero: FactorError) -> ProjectionError {
    ProjectionError::Redundant { equation: system.constraint_name(zero.index), pivot: zero.pivot }
}
