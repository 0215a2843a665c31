use crate::error::{StartError, StepError};
use crate::method::Evaluations;
use crate::sparse::{MultiplierSystem, ZeroPivot};
use crate::system::Constrained;

/// The constraint manifold at one of its points, the foot: G there, the directions M⁻¹ Gᵀ, and G M⁻¹ Gᵀ factored.
///
/// In a step the foot is the old position. The factors serve all of its equations: Newton's iteration for the new
/// position, the velocity and the multipliers; only where the iteration converges slowly is its own matrix formed.
pub(crate) struct Manifold<'s, S: ?Sized> {
    system: &'s S,
    equations: MultiplierSystem,
    /// g and G at the foot, G at an iterate.
    values: Vec<f64>,
    jacobian: Vec<f64>,
    trial: Vec<f64>,
    /// `1/s_c`, the reciprocal natural sizes of the constraints in this step.
    reciprocal_sizes: Vec<f64>,
    /// `|q_j| + h |v_j|`.
    magnitudes: Vec<f64>,
    /// What equations violate, and the multipliers that remove it.
    residuals: Vec<f64>,
    multipliers: Vec<f64>,
    /// The multipliers of the position stage: q gained M⁻¹ Gᵀ `impulse`.
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

/// The part of the round-off unit below which no residual relative to the natural size can be asked to fall.
const FLOOR: f64 = 64.0 * f64::EPSILON;

/// An iteration that gains less than this factor gets a fresh matrix.
const SLOW: f64 = 0.1;

impl<'s, S: Constrained + ?Sized> Manifold<'s, S> {
    pub(crate) fn new(system: &'s S) -> Result<Self, StartError> {
        let pattern = system.jacobian_pattern();
        let equations =
            MultiplierSystem::new(system.mass(), pattern).map_err(|error| StartError::Singular {
                system: system.name().to_owned(),
                matrix: "the mass matrix",
                pivot: error.pivot,
                place: system.layout().name_of(error.index),
            })?;
        let rows = system.constraints();
        Ok(Self {
            equations,
            values: vec![0.0; rows],
            jacobian: vec![0.0; pattern.len()],
            trial: vec![0.0; pattern.len()],
            reciprocal_sizes: vec![0.0; rows],
            magnitudes: vec![0.0; pattern.width()],
            residuals: vec![0.0; rows],
            multipliers: vec![0.0; rows],
            impulse: vec![0.0; rows],
            settled: false,
            evaluations: Evaluations::default(),
            system,
        })
    }

    pub(crate) fn system(&self) -> &'s S {
        self.system
    }

    pub(crate) fn equations(&mut self) -> &mut MultiplierSystem {
        &mut self.equations
    }

    /// The multipliers of the last position stage.
    pub(crate) fn impulse(&self) -> &[f64] {
        &self.impulse
    }

    /// M⁻¹ (−∇V), written over `acceleration`.
    pub(crate) fn free_acceleration(&mut self, q: &[f64], t: f64, acceleration: &mut [f64]) {
        self.evaluations.gradients += 1;
        self.system.potential_gradient(q, t, acceleration);
        self.equations.apply_negative_inverse_mass(acceleration);
    }

    /// g and G at a new foot.
    pub(crate) fn evaluate(&mut self, q: &[f64], t: f64) {
        self.evaluations.constraints += 1;
        self.system.jacobian(q, t, &mut self.values, &mut self.jacobian);
    }

    /// Forms and factors G M⁻¹ Gᵀ at the foot.
    pub(crate) fn settle(&mut self) -> Result<(), ZeroPivot> {
        self.evaluations.factorizations += 1;
        self.equations.factor_symmetric(&self.jacobian)?;
        self.settled = true;
        Ok(())
    }

    /// Evaluates g and G at the new position of a step.
    pub(crate) fn look(&mut self, q: &[f64], t: f64) {
        self.evaluations.constraints += 1;
        self.system.jacobian(q, t, &mut self.values, &mut self.trial);
    }

    /// Checks that no constraint has turned by a right angle on the way to the new position: its force would then push to the
    /// wrong side, and the position is on another branch of the manifold.
    fn face_forward(&self) -> Result<(), Failure> {
        let pattern = self.system.jacobian_pattern();
        let mut all = true;
        pattern.row_products(&self.jacobian, &self.trial, |product| all &= product > 0.0);
        if all { Ok(()) } else { Err(self.turned()) }
    }

    #[cold]
    fn turned(&self) -> Failure {
        let pattern = self.system.jacobian_pattern();
        let mut products = Vec::new();
        pattern.row_products(&self.jacobian, &self.trial, |product| products.push(product));
        let forward = |product: &f64| *product > 0.0;
        let row = products.iter().position(|product| !forward(product)).unwrap_or(0);
        let norm =
            |values: &[f64]| values[pattern.row(row)].iter().map(|value| value * value).sum::<f64>().sqrt();
        Failure::Turned { row, cosine: products[row] / (norm(&self.jacobian) * norm(&self.trial)) }
    }

    /// Moves the foot to the position that was reached.
    pub(crate) fn advance(&mut self) -> Result<(), ZeroPivot> {
        std::mem::swap(&mut self.jacobian, &mut self.trial);
        self.settled = false;
        self.settle()
    }

    /// After a failed step: the foot is again where the last good state is.
    pub(crate) fn return_to(&mut self, q: &[f64], t: f64) {
        self.evaluate(q, t);
        // The same matrix was factored when the state was reached, so this cannot fail; if it does, the next step says so.
        self.settled = self.settle().is_ok();
    }

    /// The natural sizes of the constraints for a step of length h from q with velocity v.
    pub(crate) fn measure(&mut self, q: &[f64], v: &[f64], h: f64) {
        for (magnitude, (q, v)) in self.magnitudes.iter_mut().zip(q.iter().zip(v)) {
            *magnitude = q.abs() + (h * v).abs();
        }
        let pattern = self.system.jacobian_pattern();
        pattern.reciprocal_sizes(&self.jacobian, &self.magnitudes, &mut self.reciprocal_sizes);
    }

    /// Solves g(q + M⁻¹ Gᵀ x, t) = 0 for x, with G at the foot, and moves q there; the foot may then [advance](Self::advance).
    ///
    /// Newton's method with the matrix of the foot, which differs from its own by O(h); when an iteration gains less than
    /// a factor ten, with its own matrix G(q) M⁻¹ Gᵀ. Accepted: `|g_c| ≤ tolerance · s_c` for every c, or, when the iteration
    /// has stopped decreasing, 64 round-off units instead of the tolerance.
    pub(crate) fn reach(
        &mut self,
        q: &mut [f64],
        t: f64,
        tolerance: f64,
        most_iterations: u32,
    ) -> Result<(), Failure> {
        if !self.settled {
            self.settle().map_err(Failure::Zero)?;
        }
        let (mut previous, mut expected) = (f64::INFINITY, f64::INFINITY);
        for iteration in 0.. {
            // G is needed where the iteration ends. It costs little beside g: where this may be the end, both are evaluated.
            let last = expected <= tolerance;
            if last {
                self.look(q, t);
            } else {
                self.evaluations.constraints += 1;
                self.system.constraint_values(q, t, &mut self.values);
            }
            let residual = largest_product(&self.values, &self.reciprocal_sizes);
            if !residual.is_finite() {
                return Err(Failure::NotFinite);
            }
            let stopped = residual >= 0.5 * previous;
            let accepted = residual <= tolerance || (stopped && residual <= FLOOR.max(tolerance));
            if iteration == most_iterations && !accepted {
                return Err(self.not_converged(iteration, tolerance));
            }
            let slow = residual > SLOW * previous;
            if (accepted || slow) && !last {
                self.look(q, t);
            }
            if accepted {
                if iteration == 0 {
                    self.impulse.fill(0.0);
                }
                return self.face_forward();
            }
            if slow {
                self.evaluations.factorizations += 1;
                self.settled = false;
                self.equations.factor(&self.trial).map_err(Failure::Zero)?;
            }
            // The next iteration gains what the last one has gained.
            if iteration > 0 {
                expected = residual * (residual / previous);
            }
            previous = residual;
            self.evaluations.iterations += 1;
            if iteration == 0 {
                self.equations.correct(&self.values, &mut self.impulse, q);
            } else {
                self.equations.correct(&self.values, &mut self.multipliers, q);
                add(&self.multipliers, &mut self.impulse);
            }
        }
        Ok(())
    }

    /// v ← v + M⁻¹ Gᵀ μ with G v + ∂g/∂t = 0 at the foot.
    pub(crate) fn make_tangent(&mut self, q: &[f64], v: &mut [f64], t: f64) {
        self.system.constraint_rate(q, t, &mut self.residuals);
        self.remove_rate(v);
    }

    /// v ← v + M⁻¹ Gᵀ μ with G v = 0 at the foot.
    pub(crate) fn remove_normal(&mut self, v: &mut [f64]) {
        self.residuals.fill(0.0);
        self.remove_rate(v);
    }

    /// v ← v + M⁻¹ Gᵀ μ with G v = −r, where r is what `residuals` holds.
    fn remove_rate(&mut self, v: &mut [f64]) {
        self.add_jacobian_product(v);
        self.equations.correct(&self.residuals, &mut self.multipliers, v);
    }

    /// Whether the factors are those of the foot, after making them so where they are not.  The foot of a good state has
    /// been factored before; should it fail now, the next step says so.
    pub(crate) fn is_settled(&mut self) -> bool {
        self.settled || self.settle().is_ok()
    }

    /// The multipliers at the foot: G M⁻¹ Gᵀ λ = −(G a + d²g/dt² at zero acceleration), with a the free acceleration.
    pub(crate) fn multipliers(&mut self, q: &[f64], v: &[f64], t: f64, a: &[f64], multipliers: &mut [f64]) {
        self.system.constraint_curvature(q, v, t, &mut self.residuals);
        self.add_jacobian_product(a);
        self.equations.solve(&self.residuals, multipliers);
    }

    /// The multipliers that carry the foot, displaced back by `offset`, onto the constraints linearized at the foot:
    /// G M⁻¹ Gᵀ λ = G · offset − g.
    pub(super) fn linearized(&mut self, offset: &[f64], multipliers: &mut [f64]) {
        self.residuals.fill(0.0);
        self.add_jacobian_product(offset);
        for (entry, value) in self.residuals.iter_mut().zip(&self.values) {
            *entry = value - *entry;
        }
        self.equations.solve(&self.residuals, multipliers);
    }

    /// The equation that g violates most beyond the tolerance, with its value and what would be accepted.
    pub(crate) fn worst_value(&mut self, q: &[f64], tolerance: f64) -> Option<(usize, f64, f64)> {
        self.measure(q, q, 0.0);
        self.worst(&self.values, tolerance)
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
        for (size, rate) in self.reciprocal_sizes.iter_mut().zip(&self.residuals) {
            *size = 1.0 / (1.0 / *size + rate.abs());
        }
        self.add_jacobian_product(v);
        self.worst(&self.residuals, tolerance)
    }

    fn worst(&self, residuals: &[f64], tolerance: f64) -> Option<(usize, f64, f64)> {
        let (mut row, mut largest) = (0, 0.0);
        for (index, (value, size)) in residuals.iter().zip(&self.reciprocal_sizes).enumerate() {
            let relative = value.abs() * size;
            if relative > largest || relative.is_nan() {
                (row, largest) = (index, relative);
            }
        }
        let accepted = largest <= tolerance;
        (!accepted).then(|| (row, residuals[row], tolerance / self.reciprocal_sizes[row]))
    }

    /// `residuals` ← `residuals` + G x.
    fn add_jacobian_product(&mut self, x: &[f64]) {
        self.system.jacobian_pattern().multiply_add(&self.jacobian, x, &mut self.residuals);
    }

    fn not_converged(&self, iterations: u32, tolerance: f64) -> Failure {
        match self.worst(&self.values, tolerance) {
            Some((row, residual, tolerance)) => {
                Failure::NotConverged { iterations, row, residual, tolerance }
            }
            None => Failure::NotFinite,
        }
    }
}

/// `max |a_c b_c|`; not finite when any of them is not.
fn largest_product(a: &[f64], b: &[f64]) -> f64 {
    let (first_a, last_a) = a.split_at(a.len() / 2);
    let (first_b, last_b) = b.split_at(a.len() / 2);
    let (mut first, mut last) = (Largest::default(), Largest::default());
    // Two at once, which do not wait for one another; no more, so that numbers just written are read as they were written.
    for (((a, b), c), d) in first_a.iter().zip(first_b).zip(last_a).zip(last_b) {
        first.take(a * b);
        last.take(c * d);
    }
    if let (Some(a), Some(b)) = (last_a.get(first_a.len()), last_b.get(first_a.len())) {
        last.take(a * b);
    }
    let sum = first.sum + last.sum;
    if sum.is_finite() { first.largest.max(last.largest) } else { sum }
}

/// The largest magnitude; a comparison skips what is not a number, and a sum does not.
#[derive(Default)]
struct Largest {
    largest: f64,
    sum: f64,
}

impl Largest {
    fn take(&mut self, number: f64) {
        let size = number.abs();
        self.largest = if size > self.largest { size } else { self.largest };
        self.sum += size;
    }
}

/// y ← y + x.
fn add(x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += x;
    }
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
