use super::inner::Accelerations;
use crate::error::StartError;
use crate::method::Evaluations;
use crate::method::force_error::ForceError;
use crate::sparse::{RowPattern, Saddle, SymmetricPattern};
use crate::system::{Forced, Holonomic, Lagrangian};

/// The name of the matrix of the accelerations in messages.
const MATRIX: &str = "∂²L/∂v∂v (with the constraints, where there are any)";
const PROJECTIONS: usize = 20;

/// The accelerations, multipliers and projections of a system, constrained or not.
pub(super) struct Dynamics<'s, L: ?Sized> {
    lagrangian: &'s L,
    holonomic: Option<&'s dyn Holonomic>,
    forced: Option<&'s dyn Forced>,
    saddle: Saddle,
    /// The places of the entries of L_vv among the second derivatives, in the order of their own pattern.
    of_mass: Vec<u32>,
    /// The entries (i, j) of L_vq and L_vt: position among the second derivatives, i, and j < n, or j = n for the time.
    of_mixed: Vec<(u32, u32, u32)>,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    mass: Vec<f64>,
    values: Vec<f64>,
    jacobian: Vec<f64>,
    /// (a, −λ), n + m.
    solution: Vec<f64>,
    pub(super) counts: Evaluations,
}

impl<'s, L: Lagrangian + ?Sized> Dynamics<'s, L> {
    pub(super) fn new(lagrangian: &'s L) -> Result<Self, StartError> {
        let holonomic = lagrangian.holonomic();
        let n = lagrangian.dimension();
        let second = lagrangian.second_pattern();
        let in_mass = |&(_, (i, j)): &(usize, (usize, usize))| (n..2 * n).contains(&i) && j >= n;
        let entries = || second.entries().enumerate();
        let mass = SymmetricPattern::new(n, entries().filter(in_mass).map(|(_, (i, j))| (i - n, j - n)));
        let mixed = entries().filter_map(|(position, (i, j))| {
            // The lower triangle holds (v, q) and (t, v).
            if (n..2 * n).contains(&i) && j < n {
                Some((position as u32, (i - n) as u32, j as u32))
            } else if i == 2 * n && (n..2 * n).contains(&j) {
                Some((position as u32, (j - n) as u32, n as u32))
            } else {
                None
            }
        });
        let constraints = holonomic.map_or(0, Holonomic::constraints);
        let none = RowPattern::new(0, n, []);
        let jacobian = holonomic.map_or(&none, Holonomic::jacobian_pattern);
        let saddle = Saddle::new(&mass, jacobian).ok_or_else(|| StartError::Singular {
            system: lagrangian.name().to_owned(),
            matrix: MATRIX,
            pivot: 0.0,
            place: lagrangian.layout().name_of(0),
        })?;
        Ok(Self {
            lagrangian,
            holonomic,
            forced: lagrangian.forced(),
            saddle,
            of_mass: entries().filter(in_mass).map(|(position, _)| position as u32).collect(),
            of_mixed: mixed.collect(),
            gradient: vec![0.0; 2 * n + 1],
            hessian: vec![0.0; second.len()],
            mass: vec![0.0; mass.len()],
            values: vec![0.0; constraints],
            jacobian: vec![0.0; jacobian.len()],
            solution: vec![0.0; n + constraints],
            counts: Evaluations::default(),
        })
    }

    /// The degree of freedom or equation of an unknown of the linear system.
    pub(super) fn name_of(&self, index: usize) -> String {
        let n = self.lagrangian.dimension();
        match self.holonomic {
            Some(holonomic) if index >= n => holonomic.constraint_name(index - n),
            _ => self.lagrangian.layout().name_of(index),
        }
    }

    /// The multipliers λ of the last accelerations, written over `multipliers`.
    pub(super) fn multipliers(&self, multipliers: &mut [f64]) {
        let n = self.solution.len() - self.values.len();
        for (out, negative) in multipliers.iter_mut().zip(&self.solution[n..]) {
            *out = -negative;
        }
    }

    /// Moves q onto g(q, t) = 0 by Newton's method, then v onto G v + ∂ₜg = 0; returns the largest |g| left and its row.
    pub(super) fn project(
        &mut self,
        q: &mut [f64],
        v: &mut [f64],
        t: f64,
    ) -> Result<(f64, usize), ForceError> {
        let Some(holonomic) = self.holonomic else { return Ok((0.0, 0)) };
        let n = q.len();
        let mut last = (f64::INFINITY, 0);
        for _ in 0..PROJECTIONS {
            self.factor(q, v, t)?;
            let residual = largest(&self.values);
            // Round-off is reached when Newton's method, which converges quadratically, stops gaining.
            if residual.0 == 0.0 || residual.0.is_nan() || residual.0 > 0.25 * last.0 {
                last = residual;
                break;
            }
            last = residual;
            self.solution[..n].fill(0.0);
            for (out, value) in self.solution[n..].iter_mut().zip(&self.values) {
                *out = -value;
            }
            self.solve()?;
            for (q, correction) in q.iter_mut().zip(&self.solution) {
                *q += correction;
            }
        }
        self.factor(q, v, t)?;
        let (free, constrained) = self.solution.split_at_mut(n);
        free.fill(0.0);
        holonomic.constraint_rate(q, t, constrained);
        holonomic.jacobian_pattern().multiply_add(&self.jacobian, v, constrained);
        for entry in constrained {
            *entry = -*entry;
        }
        self.solve()?;
        for (v, correction) in v.iter_mut().zip(&self.solution) {
            *v += correction;
        }
        Ok(last)
    }

    /// Evaluates the second derivatives and the constraints, and factors their matrix.
    fn factor(&mut self, q: &[f64], v: &[f64], t: f64) -> Result<(), ForceError> {
        self.lagrangian.second_derivatives(q, v, t, &mut self.gradient, &mut self.hessian);
        self.counts.gradients += 1;
        self.counts.hessians += 1;
        for (out, &position) in self.mass.iter_mut().zip(&self.of_mass) {
            *out = self.hessian[position as usize];
        }
        if let Some(holonomic) = self.holonomic {
            holonomic.jacobian(q, t, &mut self.values, &mut self.jacobian);
            self.counts.constraints += 1;
        }
        self.counts.factorizations += 1;
        self.saddle
            .factor(&self.mass, &self.jacobian, &self.jacobian)
            .map_err(|error| ForceError::Singular { matrix: MATRIX, error })
    }

    fn solve(&mut self) -> Result<(), ForceError> {
        self.saddle.solve(&mut self.solution).map_err(|error| ForceError::Unsolved { matrix: MATRIX, error })
    }
}

impl<L: Lagrangian + ?Sized> Accelerations for Dynamics<'_, L> {
    /// a(q, v, t), and the multipliers where there are constraints.
    fn accelerate(&mut self, q: &[f64], v: &[f64], t: f64, a: &mut [f64]) -> Result<(), ForceError> {
        self.factor(q, v, t)?;
        let n = q.len();
        // L_q − L_vq v − L_vt + F
        let (free, constrained) = self.solution.split_at_mut(n);
        free.copy_from_slice(&self.gradient[..n]);
        for &(position, i, j) in &self.of_mixed {
            let rate = v.get(j as usize).copied().unwrap_or(1.0);
            free[i as usize] -= self.hessian[position as usize] * rate;
        }
        if let Some(forced) = self.forced {
            forced.add_force(q, v, t, free);
        }
        // −(vᵀ Hess g v + …)
        if let Some(holonomic) = self.holonomic {
            holonomic.constraint_curvature(q, v, t, constrained);
            for entry in constrained {
                *entry = -*entry;
            }
        }
        self.solve()?;
        a.copy_from_slice(&self.solution[..n]);
        Ok(())
    }
}

/// The largest magnitude and where it is.
fn largest(values: &[f64]) -> (f64, usize) {
    let mut found = (0.0, 0);
    for (index, value) in values.iter().enumerate() {
        if value.abs() > found.0 || value.is_nan() {
            found = (value.abs(), index);
        }
    }
    found
}
