use super::judgement::FLOOR;
use super::manifold::Manifold;
use super::natural_size::{Excess, Sizes};
use crate::error::{ProjectionError, StartError};
use crate::method::check::{check_positions, check_velocities};
use crate::method::mass_solver::no_inverse;
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
    let origin = q.to_vec();
    let mut manifold = match Manifold::new(system) {
        Err(StartError::Massless { .. }) => {
            let mut nearest = Nearest::new(system, t, tolerance.max(FLOOR))?;
            let found = nearest.approach(&origin, q);
            if found.is_err() {
                q.copy_from_slice(&origin);
            }
            return found;
        }
        manifold => manifold?,
    };
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
    let mut manifold = match Manifold::new(system) {
        Err(StartError::Massless { .. }) => return Nearest::new(system, t, 0.0)?.make_tangent(q, v),
        manifold => manifold?,
    };
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
        let (mut offset, mut before) = (vec![0.0; q.len()], vec![0.0; q.len()]);
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
                    Some(found) => Err(not_converged(system, iteration, found)),
                };
            }
            self.settle().map_err(|zero| redundant(system, zero))?;
            subtract(origin, q, &mut offset);
            self.linearized(&offset, &mut multipliers);
            before.copy_from_slice(q);
            q.copy_from_slice(origin);
            self.add_motion(&multipliers, q);
            subtract(q, &before, &mut offset);
            iteration += 1;
        }
    }

    /// Moves `q` from `origin` to a point of the manifold by Newton's method for g alone, and from
    /// there to the [nearest](Nearest) point.
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
        let mass = system.mass();
        let mut offset = vec![0.0; q.len()];
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
            subtract(origin, q, offset);
            mass.quadratic(offset)
        };
        let farthest = away(q, &mut offset);
        self.linearized(&offset, &mut multipliers);

        let mut nearest = Nearest::new(system, t, tolerance).ok()?;
        nearest.multipliers = multipliers;
        nearest.approach(origin, q).ok()?;
        (away(q, &mut offset) <= farthest * (1.0 + 1e-9)).then_some(())
    }
}

/// Newton's method for the nearest point of the manifold and its multipliers,
///
/// ```text
/// M (q − q₀) = G(q)ᵀ λ,  g(q) = 0,  with the matrix [M − Σ λ_c Hess g_c, Gᵀ; G, 0],
/// ```
///
/// which coordinates without mass do not make singular where rows hold them.
struct Nearest<'s, S: ?Sized> {
    system: &'s S,
    t: f64,
    tolerance: f64,
    saddle: Saddle,
    /// M − Σ λ_c Hess g_c.
    curved: PatternSum,
    sum: Vec<f64>,
    multipliers: Vec<f64>,
    values: Vec<f64>,
    jacobian: Vec<f64>,
    /// The right-hand side, and the change of q and of −λ.
    change: Vec<f64>,
}

impl<'s, S: Constrained + ?Sized> Nearest<'s, S> {
    fn new(system: &'s S, t: f64, tolerance: f64) -> Result<Self, ProjectionError> {
        let (n, rows, pattern) = (system.dimension(), system.constraints(), system.jacobian_pattern());
        let curved = PatternSum::new(&system.mass().pattern, system.weighted_pattern());
        let no_memory = || no_inverse(system, FactorError { index: 0, pivot: f64::NAN });
        Ok(Self {
            saddle: Saddle::new(curved.pattern(), pattern).ok_or_else(no_memory)?,
            sum: vec![0.0; curved.pattern().len()],
            multipliers: vec![0.0; rows],
            values: vec![0.0; rows],
            jacobian: vec![0.0; pattern.len()],
            change: vec![0.0; n + rows],
            system,
            t,
            tolerance,
            curved,
        })
    }

    /// Takes g and G at a position, and factors the matrix there.
    fn stand_at(&mut self, q: &[f64]) -> Result<(), ProjectionError> {
        let Self { system, t, saddle, curved, sum, multipliers, values, jacobian, .. } = self;
        let mut curvature = vec![0.0; system.weighted_pattern().len()];
        system.weighted_hessian(q, *t, multipliers, &mut curvature);
        curved.combine(&system.mass().values, -1.0, &curvature, sum);
        system.jacobian(q, *t, values, jacobian);
        saddle.factor(sum, jacobian, jacobian).map_err(|error| self.singular(error))
    }

    /// Solves for the change of a right-hand side.
    fn solve(&mut self) -> Result<(), ProjectionError> {
        let solved = self.saddle.solve(&mut self.change);
        solved.map_err(|error| self.singular(FactorError { index: error.index, pivot: error.residual }))
    }

    /// Rows that depend on each other, or a coordinate that neither mass nor rows determine.
    fn singular(&self, error: FactorError) -> ProjectionError {
        match error.index.checked_sub(self.system.dimension()) {
            Some(index) => redundant(self.system, FactorError { index, ..error }),
            None => no_inverse(self.system, error).into(),
        }
    }

    /// Moves q to the point nearest to `origin`.
    fn approach(&mut self, origin: &[f64], q: &mut [f64]) -> Result<(), ProjectionError> {
        let (n, system, mut smallest) = (q.len(), self.system, f64::INFINITY);
        for _ in 0..ITERATIONS {
            self.stand_at(q)?;
            let Self { multipliers, values, jacobian, change, .. } = &mut *self;
            let (free, constrained) = change.split_at_mut(n);
            let offset: Vec<f64> = origin.iter().zip(&*q).map(|(start, q)| start - q).collect();
            system.mass().multiply(&offset, free);
            system.jacobian_pattern().transpose_multiply_add(jacobian, multipliers, free);
            constrained.iter_mut().zip(&*values).for_each(|(to, value)| *to = -value);
            self.solve()?;
            let (moved, negative) = self.change.split_at(n);
            q.iter_mut().zip(moved).for_each(|(q, moved)| *q += moved);
            self.multipliers.iter_mut().zip(negative).for_each(|(multiplier, change)| *multiplier -= change);
            let size = moved.iter().fold(0.0_f64, |largest, moved| largest.max(moved.abs()));
            // Corrections that no longer shrink are rounding.
            if size == 0.0 || size >= 0.5 * smallest || !size.is_finite() {
                let excess = self.excess(q);
                if excess.is_none() || !size.is_finite() {
                    return excess.map_or(Ok(()), Err);
                }
            }
            smallest = smallest.min(size);
        }
        self.excess(q).map_or(Ok(()), Err)
    }

    /// The equation violated most beyond the tolerance, as an error.
    fn excess(&mut self, q: &[f64]) -> Option<ProjectionError> {
        let Self { system, t, tolerance, values, jacobian, .. } = self;
        system.jacobian(q, *t, values, jacobian);
        let mut sizes = Sizes::new(system.layout(), values.len());
        sizes.measure((system.jacobian_pattern(), jacobian), (q, q), 0.0);
        sizes.worst(values, *tolerance).map(|found| not_converged(*system, ITERATIONS, found))
    }

    /// Removes the part of v that leaves the manifold at q.
    fn make_tangent(&mut self, q: &[f64], v: &mut [f64]) -> Result<(), ProjectionError> {
        self.stand_at(q)?;
        // A second pass removes the rounding error of a large normal component.
        for _ in 0..2 {
            let Self { system, t, jacobian, change, .. } = &mut *self;
            let (free, rate) = change.split_at_mut(q.len());
            free.fill(0.0);
            system.constraint_rate(q, *t, rate);
            system.jacobian_pattern().multiply_add(jacobian, v, rate);
            rate.iter_mut().for_each(|rate| *rate = -*rate);
            self.solve()?;
            v.iter_mut().zip(&self.change).for_each(|(v, change)| *v += change);
        }
        Ok(())
    }
}

/// z ← x − y.
fn subtract(x: &[f64], y: &[f64], z: &mut [f64]) {
    z.iter_mut().zip(x.iter().zip(y)).for_each(|(z, (x, y))| *z = x - y);
}

fn not_converged<S: Constrained + ?Sized>(
    system: &S,
    iterations: u32,
    Excess { row, residual, accepted: tolerance }: Excess,
) -> ProjectionError {
    ProjectionError::NotConverged { iterations, equation: system.constraint_name(row), residual, tolerance }
}

fn redundant<S: Constrained + ?Sized>(system: &S, zero: FactorError) -> ProjectionError {
    ProjectionError::Redundant { equation: system.constraint_name(zero.index), pivot: zero.pivot }
}
