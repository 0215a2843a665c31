use super::abreast::SetsAbreast;
use super::equations::{Arrival, Equations, Progress};
use super::in_order::InOrder;
use crate::error::{StartError, StepError};
use crate::method::Evaluations;
use crate::sparse::{AnyRows, Chain, MultiplierSystem, ZeroPivot};
use crate::system::{Constrained, Holonomic};

/// The constraint manifold at one of its points, the foot: G there, the directions M⁻¹ Gᵀ, and G M⁻¹ Gᵀ factored.
///
/// In a step the foot is the old position. The factors serve all of its equations: Newton's iteration for the new
/// position, the velocity and the multipliers; only where the iteration converges slowly is its own matrix formed.
pub(crate) struct Manifold<'s, S: ?Sized> {
    system: &'s S,
    equations: Box<dyn Equations + 's>,
    /// What equations violate.
    residuals: Vec<f64>,
    /// What the multipliers of the position stage add up to: q gained M⁻¹ Gᵀ `impulse`.
    impulse: Vec<f64>,
    /// Whether the factors are those of the foot.
    settled: bool,
    pub(crate) evaluations: Evaluations,
}

/// Why the equations of a step have no solution.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Failure {
    Zero(ZeroPivot),
    Turned { row: usize, cosine: f64 },
    NotFinite,
    NotConverged { iterations: u32, row: usize, residual: f64, tolerance: f64 },
}

impl<'s, S: Constrained + ?Sized> Manifold<'s, S> {
    pub(crate) fn new(system: &'s S) -> Result<Self, StartError> {
        let equations = MultiplierSystem::new(system.mass(), system.jacobian_pattern()).map_err(|error| {
            StartError::Singular {
                system: system.name().to_owned(),
                matrix: "the mass matrix",
                pivot: error.pivot,
                place: system.layout().name_of(error.index),
            }
        })?;
        let rows = system.constraints();
        Ok(Self {
            equations: equations_of(system, equations),
            residuals: vec![0.0; rows],
            impulse: vec![0.0; rows],
            settled: false,
            evaluations: Evaluations::default(),
            system,
        })
    }

    pub(crate) fn system(&self) -> &'s S {
        self.system
    }

    /// The solution of the last position stage.
    pub(crate) fn impulse(&self) -> &[f64] {
        &self.impulse
    }

    /// M⁻¹ (−∇V), written over `acceleration`.
    pub(crate) fn free_acceleration(&mut self, q: &[f64], t: f64, acceleration: &mut [f64]) {
        self.evaluations.gradients += 1;
        self.system.potential_gradient(q, t, acceleration);
        self.equations.apply_negative_inverse_mass(acceleration);
    }

    /// x ← −M⁻¹ x.
    pub(crate) fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        self.equations.apply_negative_inverse_mass(x);
    }

    /// y ← y + M⁻¹ Gᵀ λ with G at the foot.
    pub(crate) fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        self.equations.add_motion(multipliers, y);
    }

    /// g and G at a new foot.
    pub(crate) fn evaluate(&mut self, q: &[f64], t: f64) {
        self.evaluations.constraints += 1;
        self.equations.evaluate(q, t);
    }

    /// Forms and factors G M⁻¹ Gᵀ at the foot.
    pub(crate) fn settle(&mut self) -> Result<(), ZeroPivot> {
        self.evaluations.factorizations += 1;
        self.equations.settle()?;
        self.settled = true;
        Ok(())
    }

    /// Evaluates g and G at the new position of a step.
    pub(crate) fn look(&mut self, q: &[f64], t: f64) {
        self.evaluations.constraints += 1;
        self.equations.look(q, t);
    }

    /// Moves the foot to the position that was reached.
    pub(crate) fn advance(&mut self) -> Result<(), ZeroPivot> {
        self.advance_unsettled();
        self.settle()
    }

    /// The same without factors, for a step that has no other use for them than [reaching](Self::reach) its position.
    pub(crate) fn advance_unsettled(&mut self) {
        self.equations.advance();
        self.settled = false;
    }

    /// After a failed step: the foot is again where the last good state is.
    pub(crate) fn return_to(&mut self, q: &[f64], t: f64) {
        self.evaluate(q, t);
        // The same matrix was factored when the state was reached, so this cannot fail; if it does, the next step says so.
        self.settled = self.settle().is_ok();
    }

    /// The natural sizes of the constraints for a step of length h from q with velocity v.
    pub(crate) fn measure(&mut self, q: &[f64], v: &[f64], h: f64) {
        self.equations.measure(q, v, h);
    }

    /// Solves g(q + M⁻¹ Gᵀ x, t) = 0 for x, with G at the foot, and moves q there; the foot may then [advance](Self::advance).
    ///
    /// Begins with x = `factor` λ, where λ are the multipliers of a step before; from zero, where there are none.
    ///
    /// Newton's method with the matrix of the foot, which differs from its own by O(h); when an iteration gains less than
    /// a factor ten, with its own matrix G(q) M⁻¹ Gᵀ. Accepted: `|g_c| ≤ tolerance · s_c` for every c, or, when the iteration
    /// has stopped decreasing, 64 round-off units instead of the tolerance.
    ///
    /// No constraint may turn by a right angle on the way: its force would then push to the wrong side, and the position is on
    /// another branch of the manifold.
    pub(crate) fn reach(
        &mut self,
        q: &mut [f64],
        t: f64,
        (factor, multipliers): (f64, &[f64]),
        tolerance: f64,
        most_iterations: u32,
    ) -> Result<(), Failure> {
        if !self.settled && !self.equations.begins_anew() {
            self.settle().map_err(Failure::Zero)?;
        }
        let mut progress = Progress::new(tolerance, most_iterations, self.settled);
        scale(factor, multipliers, &mut self.impulse);
        let outcome = self.equations.reach(q, t, &mut self.impulse, &mut progress);
        self.settled &= progress.factorizations == 0;
        self.evaluations.constraints += progress.constraints;
        self.evaluations.factorizations += progress.factorizations;
        self.evaluations.iterations += u64::from(progress.wasted_iterations + progress.iterations);
        match outcome.map_err(Failure::Zero)? {
            Arrival::Accepted if self.equations.face_forward() => Ok(()),
            Arrival::Accepted => {
                let (row, cosine) = self.equations.turned();
                Err(Failure::Turned { row, cosine })
            }
            Arrival::NotFinite => Err(Failure::NotFinite),
            Arrival::Exhausted => Err(self.not_converged(progress.iterations, tolerance)),
        }
    }

    /// v ← v + M⁻¹ Gᵀ μ with G v + ∂g/∂t = 0 at the foot.
    pub(crate) fn make_tangent(&mut self, q: &[f64], v: &mut [f64], t: f64) {
        self.system.constraint_rate(q, t, &mut self.residuals);
        self.equations.remove(&mut self.residuals, v);
    }

    /// v ← v + M⁻¹ Gᵀ μ with G v = 0 at the foot.
    pub(crate) fn remove_normal(&mut self, v: &mut [f64]) {
        self.residuals.fill(0.0);
        self.equations.remove(&mut self.residuals, v);
    }

    /// Whether the factors are those of the foot, after making them so where they are not.  The foot of a good state has
    /// been factored before; should it fail now, the next step says so.
    pub(crate) fn is_settled(&mut self) -> bool {
        self.settled || self.settle().is_ok()
    }

    /// The multipliers at the foot: G M⁻¹ Gᵀ λ = −(G a + d²g/dt² at zero acceleration), with a the free acceleration.
    pub(crate) fn multipliers(&mut self, q: &[f64], v: &[f64], t: f64, a: &[f64], multipliers: &mut [f64]) {
        self.system.constraint_curvature(q, v, t, &mut self.residuals);
        self.equations.solve(&mut self.residuals, a, multipliers);
    }

    /// The multipliers that carry the foot, displaced by `offset`, onto the constraints linearized at the foot:
    /// G M⁻¹ Gᵀ λ = −(g + G · offset).
    pub(super) fn linearized(&mut self, offset: &[f64], multipliers: &mut [f64]) {
        self.equations.copy_values(&mut self.residuals);
        self.equations.solve(&mut self.residuals, offset, multipliers);
    }

    /// The equation that g violates most beyond the tolerance, with its value and what would be accepted.
    pub(crate) fn worst_value(&mut self, q: &[f64], tolerance: f64) -> Option<(usize, f64, f64)> {
        self.measure(q, q, 0.0);
        self.equations.copy_values(&mut self.residuals);
        worst(&self.residuals, &self.equations.reciprocal_sizes(), tolerance)
    }

    /// The same for the rate of change G v + ∂g/∂t.
    pub(crate) fn worst_rate(
        &mut self,
        q: &[f64],
        v: &[f64],
        t: f64,
        tolerance: f64,
    ) -> Option<(usize, f64, f64)> {
        self.measure(v, v, 0.0);
        self.system.constraint_rate(q, t, &mut self.residuals);
        let mut reciprocal_sizes = self.equations.reciprocal_sizes();
        for (size, rate) in reciprocal_sizes.iter_mut().zip(&self.residuals) {
            *size = 1.0 / (1.0 / *size + rate.abs());
        }
        self.equations.add_product(v, &mut self.residuals);
        worst(&self.residuals, &reciprocal_sizes, tolerance)
    }

    fn not_converged(&mut self, iterations: u32, tolerance: f64) -> Failure {
        self.equations.copy_values(&mut self.residuals);
        match worst(&self.residuals, &self.equations.reciprocal_sizes(), tolerance) {
            Some((row, residual, tolerance)) => {
                Failure::NotConverged { iterations, row, residual, tolerance }
            }
            None => Failure::NotFinite,
        }
    }
}

/// The equations in the order that suits them.
fn equations_of<'s, S: Holonomic + ?Sized>(
    system: &'s S,
    equations: MultiplierSystem,
) -> Box<dyn Equations + 's> {
    let pattern = system.jacobian_pattern();
    if let Some(rows) = Chain::<2>::new(&equations, pattern) {
        return Box::new(InOrder::new(system, rows));
    }
    if let Some(rows) = Chain::<3>::new(&equations, pattern) {
        return Box::new(InOrder::new(system, rows));
    }
    let any = |equations| Box::new(InOrder::new(system, AnyRows::new(equations, pattern)));
    let Some(abreast) = equations.sets().and_then(|sets| system.abreast(sets)) else {
        return any(equations);
    };
    match equations.into_blocks() {
        Ok(blocks) => Box::new(SetsAbreast::new(system, abreast, blocks)),
        Err(equations) => any(*equations),
    }
}

/// The residual that is largest beyond the tolerance, with its row and what would be accepted.
fn worst(residuals: &[f64], reciprocal_sizes: &[f64], tolerance: f64) -> Option<(usize, f64, f64)> {
    let (mut row, mut largest) = (0, 0.0);
    for (index, (value, size)) in residuals.iter().zip(reciprocal_sizes).enumerate() {
        let relative = value.abs() * size;
        if relative > largest || relative.is_nan() {
            (row, largest) = (index, relative);
        }
    }
    let accepted = largest <= tolerance;
    (!accepted).then(|| (row, residuals[row], tolerance / reciprocal_sizes[row]))
}

/// v ← v₀ + κ v and q ← q₀ + h v: the kick by an acceleration, which v holds, and the drift.
pub(crate) fn kick_and_drift(
    (kick, h): (f64, f64),
    (old_q, old_v): (&[f64], &[f64]),
    q: &mut [f64],
    v: &mut [f64],
) {
    for (((v, q), old_v), old_q) in v.iter_mut().zip(q).zip(old_v).zip(old_q) {
        *v = old_v + kick * *v;
        *q = old_q + h * *v;
    }
}

/// y ← c x.
pub(crate) fn scale(c: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = c * x;
    }
}

impl Failure {
    /// The error of the step that failed, from `time` on, at the positions `q` that it had reached.
    pub(crate) fn in_step<S: Constrained + ?Sized>(
        self,
        system: &S,
        method: &'static str,
        step: u64,
        time: f64,
        size: f64,
        q: &[f64],
    ) -> StepError {
        match self {
            Self::Zero(zero) => StepError::Singular {
                method,
                matrix: "the constraint matrix G M⁻¹ Gᵀ",
                step,
                time,
                pivot: zero.pivot,
                place: system.constraint_name(zero.row),
                remedy: "the constraints are redundant or the configuration is singular; try a smaller step, or remove \
                         constraints that follow from others",
            },
            Self::Turned { row, cosine } => StepError::Singular {
                method,
                matrix: "the constraint matrix between the old and the new position",
                step,
                time,
                pivot: cosine,
                place: system.constraint_name(row),
                remedy: "this constraint turned by more than a right angle in one step; try a smaller step",
            },
            Self::NotFinite => {
                let index = q.iter().position(|value| !value.is_finite());
                let coordinate =
                    index.map_or_else(|| system.constraint_name(0), |i| system.layout().name_of(i));
                StepError::NotFinite { method, coordinate, step, time, size }
            }
            Self::NotConverged { iterations, row, residual, tolerance } => StepError::NotConverged {
                method,
                unknown: "the multipliers",
                step,
                time,
                iterations,
                residual,
                place: system.constraint_name(row),
                tolerance,
                remedy: "the step is probably above the stability limit, try a smaller one",
            },
        }
    }
}
