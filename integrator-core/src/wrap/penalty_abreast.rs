use crate::lanes::Eight;
use crate::sparse::{PenaltySets, Sets};
use crate::system::{Abreast, Constrained};
use std::fmt;

/// The penalty ½ ω² |g|² of equations in small independent sets (a rigid molecule each), eight sets side by side.
///
/// Each set has a small dense matrix of its own. Nothing is put into a sparse matrix on the way to it.
pub struct PenaltyAbreast<'s> {
    stiffness: f64,
    soft_gradient: SoftGradient<'s>,
    equations: Box<dyn Abreast>,
    penalty: PenaltySets,
    /// Where the gradient was evaluated last, and what was found there.
    t: f64,
    positions: Vec<Eight>,
    values: Vec<Eight>,
    jacobian: Vec<Eight>,
    /// ω² g, and the same times c.
    weights: Vec<Eight>,
}

/// The gradient of the potential without the penalty, written over the last argument.
type SoftGradient<'s> = Box<dyn Fn(&[f64], f64, &mut [f64]) + Send + 's>;

impl<'s> PenaltyAbreast<'s> {
    /// `None` where the equations do not fall into such sets, cannot be computed so, or the mass couples coordinates.
    pub(super) fn new<S: Constrained + ?Sized>(system: &'s S, stiffness: f64) -> Option<Self> {
        let mass = system.mass();
        let sets = Sets::new(system.jacobian_pattern()).filter(|_| mass.is_diagonal())?;
        Some(Self {
            stiffness,
            soft_gradient: Box::new(move |q, t, gradient| system.potential_gradient(q, t, gradient)),
            equations: system.abreast(&sets)?,
            t: 0.0,
            positions: sets.zero_columns(),
            values: sets.zero_rows(),
            jacobian: sets.zero_cells(),
            weights: sets.zero_rows(),
            penalty: PenaltySets::new(sets, &mass.values),
        })
    }

    pub(crate) fn sets(&self) -> &Sets {
        self.penalty.sets()
    }

    /// Memory for the matrices of all sets: lower triangles, column by column.
    pub fn triangles(&self) -> Vec<Eight> {
        self.sets().zero_triangles()
    }

    /// ∇V of the whole potential at (q, t), written over `gradient`.
    pub fn gradient(&mut self, q: &[f64], t: f64, gradient: &mut [f64]) {
        let Self { stiffness, equations, penalty, positions, values, jacobian, weights, .. } = self;
        self.t = t;
        (self.soft_gradient)(q, t, gradient);
        penalty.sets().gather_columns(q, positions);
        equations.jacobian(positions, t, values, jacobian);
        scale(*stiffness, values, weights);
        penalty.add_force(jacobian, weights, gradient);
    }

    /// M + c Hess ½ ω² |g|² of each set where the gradient was evaluated last, written over `triangles`.
    pub fn matrices(&mut self, c: f64, triangles: &mut [Eight]) {
        let Self { stiffness, equations, penalty, t, positions, values, jacobian, weights, .. } = self;
        let factor = c * *stiffness;
        scale(factor, values, weights);
        penalty.multiply(jacobian, factor, triangles);
        equations.add_weighted_hessian(positions, *t, weights, triangles);
    }
}

/// y ← c x.
fn scale(c: f64, x: &[Eight], y: &mut [Eight]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = x.scaled(c));
}

impl fmt::Debug for PenaltyAbreast<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PenaltyAbreast").field("stiffness", &self.stiffness).finish_non_exhaustive()
    }
}
