//! What a [`Manifold`](super::Manifold) asks of its equations, in whatever order they are kept.

use crate::sparse::ZeroPivot;

/// g and G at the foot and at an iterate, and the systems S x = b with S = G₁ M⁻¹ G₂ᵀ, where G₂ is G at the foot.
pub(super) trait Equations: Send {
    /// Evaluates g and G at a new foot.
    fn evaluate(&mut self, q: &[f64], t: f64);
    /// Evaluates g and G at an iterate.
    fn look(&mut self, q: &[f64], t: f64);
    /// Factors S with G₁ at the foot.
    fn settle(&mut self) -> Result<(), ZeroPivot>;
    /// Makes the last iterate the foot.
    fn advance(&mut self);
    /// Whether every constraint has turned by less than a right angle from the foot to the iterate.
    fn face_forward(&mut self) -> bool;
    /// For messages, where they do not: the first that does not, and the cosine of its angle.
    fn turned(&self) -> (usize, f64);
    /// Finds the natural sizes of the constraints at the foot, for a step of length h from q with velocity v.
    fn measure(&mut self, q: &[f64], v: &[f64], h: f64);
    /// Solves g(q + M⁻¹ Gᵀ x, t) = 0 by Newton's method from the x in `impulse` on, where it leaves the solution, and moves q there.
    ///
    /// Without factors it begins with a matrix of its own, if it [can](Self::begins_anew).
    fn reach(
        &mut self,
        q: &mut [f64],
        t: f64,
        impulse: &mut [f64],
        progress: &mut Progress,
    ) -> Result<Arrival, ZeroPivot>;
    /// Whether an iteration may begin without factors.
    fn begins_anew(&self) -> bool;
    /// y ← y − M⁻¹ Gᵀ S⁻¹ (r + G y).
    fn remove(&mut self, residual: &mut [f64], y: &mut [f64]);
    /// x ← −S⁻¹ (r + G a).
    fn solve(&mut self, residual: &mut [f64], a: &[f64], x: &mut [f64]);
    /// y ← y + M⁻¹ Gᵀ λ.
    fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]);
    /// x ← −M⁻¹ x.
    fn apply_negative_inverse_mass(&mut self, x: &mut [f64]);
    /// r ← r + G x.
    fn add_product(&mut self, x: &[f64], residual: &mut [f64]);
    /// Writes g as it was evaluated last.
    fn copy_values(&self, values: &mut [f64]);
    /// For messages: the reciprocals of the natural sizes.
    fn reciprocal_sizes(&self) -> Vec<f64>;
}

/// How Newton's iteration goes.
pub(super) struct Progress {
    tolerance: f64,
    most_iterations: u32,
    pub(super) iterations: u32,
    /// Those of an attempt before.
    pub(super) wasted_iterations: u32,
    /// How often the constraints were evaluated, and a matrix of an iterate factored.
    pub(super) constraints: u64,
    pub(super) factorizations: u64,
    /// Whether there is a matrix to go on with.
    pub(super) factored: bool,
    previous: f64,
    expected: f64,
}

/// What a residual says of the iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is over.
    Ended(Arrival),
    /// It is to go on with a matrix of its own.
    Slow,
    /// It is to go on.
    Fast,
}

/// How an iteration ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    Accepted,
    NotFinite,
    Exhausted,
}

/// The part of the round-off unit below which no residual relative to the natural size can be asked to fall.
const FLOOR: f64 = 64.0 * f64::EPSILON;

/// An iteration that gains less than this factor gets a fresh matrix.
const SLOW: f64 = 0.1;

impl Progress {
    /// An iteration that begins with factors, or not.
    pub(super) fn new(tolerance: f64, most_iterations: u32, factored: bool) -> Self {
        let unknown = f64::INFINITY;
        Self {
            tolerance,
            most_iterations,
            iterations: 0,
            wasted_iterations: 0,
            constraints: 0,
            factorizations: 0,
            factored,
            previous: unknown,
            expected: unknown,
        }
    }

    /// Begins again, with factors.
    pub(super) fn begin_again(&mut self) {
        let Self { tolerance, most_iterations, iterations, wasted_iterations, .. } = *self;
        let Self { constraints, factorizations, .. } = *self;
        let wasted_iterations = wasted_iterations + iterations;
        let begun = Self::new(tolerance, most_iterations, true);
        *self = Self { wasted_iterations, constraints, factorizations, ..begun };
    }

    /// Whether the next residual may be the last one, if the next iteration gains what the last one has gained.
    pub(super) fn may_end(&self) -> bool {
        self.expected <= self.tolerance
    }

    /// Takes the largest residual relative to the natural sizes.
    pub(super) fn judge(&mut self, residual: f64) -> Verdict {
        let Self { tolerance, previous, .. } = *self;
        if !residual.is_finite() {
            return Verdict::Ended(Arrival::NotFinite);
        }
        let stopped = residual >= 0.5 * previous;
        if residual <= tolerance || (stopped && residual <= FLOOR.max(tolerance)) {
            return Verdict::Ended(Arrival::Accepted);
        }
        if self.iterations == self.most_iterations {
            return Verdict::Ended(Arrival::Exhausted);
        }
        if self.iterations > 0 {
            self.expected = residual * (residual / previous);
        }
        self.previous = residual;
        if self.factored && residual <= SLOW * previous {
            return Verdict::Fast;
        }
        self.factored = true;
        Verdict::Slow
    }
}
