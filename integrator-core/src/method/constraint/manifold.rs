use super::dependent::{Null, null_space};
use super::half_kick::HeldKick;
use super::natural_size::{Magnitudes, at_least, sizes_of_terms};
use super::newton::{Arrival, FLOOR, Progress, Verdict};
use crate::carried::{Carried, CarryError, Memory};
use crate::error::{StartError, StepError};
use crate::method::Evaluations;
use crate::method::applied::{Applied, Instant, subtract, subtract_from_gradient};
use crate::method::force_error::UNSTABLE;
use crate::method::half_kick::KickMatrix;
use crate::method::largest::{LANES, Largest};
use crate::method::newton::{PROBES, ROUNDING, Unknown};
use crate::sparse::{FactorError, MultiplierSystem, SchurOfMembers};
use crate::system::Constrained;

/// The constraint manifold at one of its points, the foot: G there, the directions M⁻¹ Gᵀ, and G M⁻¹ Gᵀ factored.
///
/// In a step the foot is the old position. The factors serve all of its equations: Newton's iteration for the new
/// position, the velocity and the multipliers; only where the iteration converges slowly is its own matrix formed.
///
/// Where rows depend on each other, everywhere or at this foot alone, the matrix is [soft](MultiplierSystem::soften): the iterations for the
/// position have true residuals and are proximal ones as they are, the linear equations are refined, and multipliers are those of least norm.
pub(crate) struct Manifold<'s, S: ?Sized> {
    system: &'s S,
    applied: Applied<'s>,
    matrix: MultiplierSystem,
    /// g, where it was evaluated last.
    pub(super) values: Vec<f64>,
    /// G at the foot and at an iterate.
    pub(super) jacobian: Vec<f64>,
    pub(super) trial: Vec<f64>,
    magnitudes: Magnitudes,
    /// The least natural sizes of the constraints: those of the terms of g, as rounding shows them at the start.
    least_sizes: Vec<f64>,
    /// `1/s_c`, the reciprocal natural sizes of the constraints in this step.
    pub(super) reciprocal_sizes: Vec<f64>,
    /// The residuals of the equations that are being solved, one for each constraint, and the multipliers that remove them.
    residuals: Vec<f64>,
    multipliers: Vec<f64>,
    /// A residual that is left, and the change of multipliers by it, where the matrix is soft.
    left: Vec<f64>,
    change: Vec<f64>,
    /// True if rows depended on each other at the start.
    dependent: bool,
    /// These, in words.
    pub(super) warning: Option<String>,
    /// The position q at which the last position stage began, and a position nearby.
    start: Vec<f64>,
    shaken: Vec<f64>,
    /// The sum x of the multipliers of the position stage, by which q changed by M⁻¹ Gᵀ x.
    impulse: Vec<f64>,
    /// True if the factors are those of G M⁻¹ Gᵀ at the foot.
    settled: bool,
    pub(crate) evaluations: Evaluations,
}

/// A pivot below this part of its column is one of rows that depend on each other, or all but do so.
const DEPENDENT: f64 = 1e-9;
/// The proximal iterations after the first, and the powers of the projector onto the null space.
const REFINEMENTS: usize = 3;
const POWERS: usize = 3;
/// Rows of the accelerations that are left open by more than this part of their terms have no multipliers.
const OPEN: f64 = 1e-9;

/// A residual beside the natural sizes up to which a step leaves a singular position, and a part of the positions that is no motion.
const ASIDE: f64 = 1e-5;
const WEAK: f64 = 1e-10;

/// The reason for which the equations of a step have no solution.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Failure {
    /// An equation depends on the others.
    Zero(FactorError),
    Turned {
        row: usize,
        cosine: f64,
    },
    NotFinite,
    /// M − c ∂F/∂v has no inverse.
    Kick(FactorError),
    KickNotConverged {
        iterations: u32,
        index: usize,
        correction: f64,
        tolerance: f64,
    },
    NotConverged {
        iterations: u32,
        row: usize,
        residual: f64,
        tolerance: f64,
    },
}

impl<'s, S: Constrained + ?Sized> Manifold<'s, S> {
    pub(crate) fn new(system: &'s S) -> Result<Self, StartError> {
        let pattern = system.jacobian_pattern();
        let matrix = MultiplierSystem::new(system.mass(), pattern).map_err(|error| StartError::Singular {
            system: system.name().to_owned(),
            matrix: "the mass matrix",
            pivot: error.pivot,
            place: system.layout().name_of(error.index),
        })?;
        let of_rows = vec![0.0; system.constraints()];
        Ok(Self {
            applied: Applied::of(system),
            matrix,
            jacobian: vec![0.0; pattern.len()],
            trial: vec![0.0; pattern.len()],
            magnitudes: Magnitudes::new(system.layout()),
            least_sizes: of_rows.clone(),
            start: vec![0.0; system.dimension()],
            shaken: vec![0.0; system.dimension()],
            values: of_rows.clone(),
            reciprocal_sizes: of_rows.clone(),
            residuals: of_rows.clone(),
            multipliers: of_rows.clone(),
            left: of_rows.clone(),
            change: of_rows.clone(),
            dependent: false,
            warning: None,
            impulse: of_rows,
            settled: false,
            evaluations: Evaluations::default(),
            system,
        })
    }

    /// The linear system of members side by side with its least pivot, and the least natural sizes; `None` where members have none.
    pub(crate) fn of_members(&self) -> Option<(SchurOfMembers, f64, &[f64])> {
        let (schur, least_pivot) = self.matrix.of_members()?;
        Some((schur, least_pivot, &self.least_sizes))
    }

    pub(crate) fn system(&self) -> &'s S {
        self.system
    }

    /// The rows that depend on each other at the start, in words.
    pub(crate) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// The solution of the last position stage.
    pub(crate) fn impulse(&self) -> &[f64] {
        &self.impulse
    }

    /// M⁻¹ (−∇V + F(q, v, t)), written over `acceleration`.
    pub(crate) fn free_acceleration(&mut self, q: &[f64], v: &[f64], t: f64, acceleration: &mut [f64]) {
        self.evaluations.gradients += 1;
        self.system.potential_gradient(q, t, acceleration);
        subtract(self.system, q, v, Instant::at(t), acceleration);
        self.matrix.apply_negative_inverse_mass(acceleration);
    }

    /// The part of it that a method takes at positions alone: without F where that depends on velocities.
    pub(crate) fn acceleration_of_position(&mut self, q: &[f64], t: f64, acceleration: &mut [f64]) {
        self.evaluations.gradients += 1;
        self.system.potential_gradient(q, t, acceleration);
        if matches!(self.applied, Applied::OfPosition) {
            subtract_from_gradient(self.system, q, Instant::at(t), acceleration);
        }
        self.matrix.apply_negative_inverse_mass(acceleration);
    }

    /// The memory of kicks by forces that depend on velocities, where there are such.
    pub(crate) fn held_kick(&self) -> Result<Option<Box<HeldKick<'s>>>, StartError> {
        match self.applied {
            Applied::OfVelocity(forced) => HeldKick::new(self.system, forced).map(Box::new).map(Some),
            Applied::OfPosition | Applied::None => Ok(None),
        }
    }

    /// x ← −M⁻¹ x.
    pub(crate) fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        self.matrix.apply_negative_inverse_mass(x);
    }

    /// x ← M⁻¹ x.
    pub(crate) fn apply_inverse_mass(&mut self, x: &mut [f64]) {
        self.matrix.apply_inverse_mass(x);
    }

    /// x ← −S⁻¹ r, and y ← y + M⁻¹ Gᵀ x with G at the foot, whose factors are S.
    pub(super) fn correct(&mut self, residual: &[f64], x: &mut [f64], y: &mut [f64]) {
        self.matrix.correct(residual, x, y);
    }

    /// y ← y + M⁻¹ Gᵀ λ with G at the foot.
    pub(crate) fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        self.matrix.add_motion(multipliers, y);
    }

    /// The same where the foot may have no factors.
    pub(crate) fn add_free_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        if !self.settled {
            self.matrix.stand(&self.jacobian);
        }
        self.matrix.add_motion(multipliers, y);
    }

    /// g and G at a new foot.
    pub(crate) fn evaluate(&mut self, q: &[f64], t: f64) {
        self.evaluations.constraints += 1;
        self.system.jacobian(q, t, &mut self.values, &mut self.jacobian);
        self.settled = false;
    }

    /// Forms and factors G M⁻¹ Gᵀ at the foot, soft where it is singular.
    pub(crate) fn settle(&mut self) -> Result<(), FactorError> {
        self.evaluations.factorizations += 1;
        self.matrix.soften(false);
        if self.matrix.factor_symmetric(&self.jacobian).is_err() {
            self.evaluations.factorizations += 1;
            self.matrix.soften(true);
            self.matrix.factor_symmetric(&self.jacobian)?;
        }
        self.settled = true;
        Ok(())
    }

    /// Factors G(q) M⁻¹ Gᵀ with G(q) at the iterate, soft where it is singular.
    fn factor_trial(&mut self) -> Result<(), FactorError> {
        self.evaluations.factorizations += 1;
        let outcome = self.matrix.factor(&self.trial);
        if outcome.is_ok() || self.is_soft() {
            return outcome;
        }
        self.evaluations.factorizations += 1;
        self.matrix.soften(true);
        self.matrix.stand(&self.jacobian);
        self.matrix.factor(&self.trial)
    }

    /// Forms the factors of the foot where rows depended on each other at the start: between two positions, these may seem not to.
    pub(super) fn settle_if_dependent(&mut self) -> Result<(), Failure> {
        if self.dependent && !self.settled {
            self.settle().map_err(Failure::Zero)?;
        }
        Ok(())
    }

    /// True if rows depend on each other at the foot, or at the iterate.
    pub(super) fn is_soft(&self) -> bool {
        self.matrix.shifts().is_some()
    }

    /// What is added to the diagonal of the matrix where it is soft.
    pub(super) fn shifts(&self) -> &[f64] {
        self.matrix.shifts().unwrap_or(&[])
    }

    /// Makes the matrix of the foot soft, without factors.
    pub(super) fn soften(&mut self) {
        self.matrix.soften(true);
        self.matrix.stand(&self.jacobian);
        self.settled = false;
    }

    /// Settles at a start, and finds the rows that depend on each other there.  Small pivots are those of such rows from then on, or of rows that
    /// all but depend on each other beside a singular position: held by them, a motion would leave its branch by what rounding makes of them.
    pub(super) fn settle_first(&mut self) -> Result<Null, FactorError> {
        self.matrix.demand_pivots(Some(DEPENDENT));
        self.settle()?;
        let mut null = Null::default();
        if self.is_soft() {
            let Self { matrix, left, .. } = self;
            null = null_space(left.len(), |z| matrix.keep_null(z, left));
            self.dependent = !null.is_empty();
            if !self.dependent {
                // They are small by the units of their rows.
                self.matrix.demand_pivots(None);
                self.settle()?;
            }
        }
        Ok(null)
    }

    /// Evaluates g and G at the new position of a step.
    pub(crate) fn look(&mut self, q: &[f64], t: f64) {
        self.evaluations.constraints += 1;
        self.system.jacobian(q, t, &mut self.values, &mut self.trial);
    }

    /// Moves the foot to the position that was reached.
    pub(crate) fn advance(&mut self) -> Result<(), FactorError> {
        self.advance_unsettled();
        self.settle()
    }

    /// Moves the foot without forming factors, for a step that has no other use for them than [reaching](Self::reach) its position.
    pub(crate) fn advance_unsettled(&mut self) {
        std::mem::swap(&mut self.jacobian, &mut self.trial);
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
        let magnitudes = self.magnitudes.of_step(q, v, h);
        let pattern = self.system.jacobian_pattern();
        pattern.reciprocal_sizes(&self.jacobian, magnitudes, &mut self.reciprocal_sizes);
        at_least(&self.least_sizes, &mut self.reciprocal_sizes);
    }

    /// Measures the terms of g at a start, below whose rounding no residual is asked to fall.
    pub(crate) fn measure_terms(&mut self, q: &[f64], t: f64) {
        self.least_sizes = sizes_of_terms(self.system, q, t);
    }

    /// Solves g(q + M⁻¹ Gᵀ x, t) = 0 for x, with G at the foot, and moves q there; the foot may then [advance](Self::advance).
    ///
    /// Begins with x = `factor` λ, where λ are the multipliers of a step before; from zero, where there are none.
    ///
    /// Newton's method with the matrix of the foot, which differs from its own by O(h); when an iteration gains less than
    /// a factor ten, with its own matrix G(q) M⁻¹ Gᵀ. A foot without factors gets none at first: the matrix of the first iterate is nearer
    /// to where the iteration ends. Far from the manifold that of the foot leads to it more safely, and is tried next. Accepted: `|g_c| ≤ tolerance · s_c` for every c, or, when the iteration
    /// has stopped decreasing, 64 round-off units instead of the tolerance, or what rounding makes of g nearby.
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
        let guess = (factor, multipliers);
        self.settle_if_dependent()?;
        if !self.settled {
            self.matrix.soften(false);
            self.matrix.stand(&self.jacobian);
            self.start.copy_from_slice(q);
            let outcome = self.iterate(q, t, guess, &mut Progress::new(tolerance, most_iterations));
            if matches!(outcome, Ok(Arrival::Accepted)) && self.turned().is_none() {
                return Ok(());
            }
            q.copy_from_slice(&self.start);
            self.settle().map_err(Failure::Zero)?;
        }
        let mut progress = Progress::new(tolerance, most_iterations);
        match self.iterate(q, t, guess, &mut progress).map_err(Failure::Zero)? {
            Arrival::Accepted => self.on_this_branch(),
            Arrival::NotFinite => Err(Failure::NotFinite),
            Arrival::Exhausted => Err(match worst(&self.values, &self.reciprocal_sizes, tolerance) {
                Some((row, residual, tolerance)) => {
                    Failure::NotConverged { iterations: progress.iterations, row, residual, tolerance }
                }
                None => Failure::NotFinite,
            }),
        }
    }

    /// Newton's method from q + M⁻¹ Gᵀ x on with x = `factor` λ, with the factors of the foot if it has any.
    fn iterate(
        &mut self,
        q: &mut [f64],
        t: f64,
        (factor, multipliers): (f64, &[f64]),
        progress: &mut Progress,
    ) -> Result<Arrival, FactorError> {
        scale(factor, multipliers, &mut self.impulse);
        if self.settled && self.is_soft() {
            let mut impulse = std::mem::take(&mut self.impulse);
            self.remove_null(&mut impulse);
            self.impulse = impulse;
        }
        self.matrix.add_motion(&self.impulse, q);
        // Off the manifold rows that depend on each other do so as at the iterate, not as at the foot: what is left over there would be divided by δ.
        let mut factored = self.settled && !self.is_soft();
        loop {
            // G is needed where the iteration ends. It costs little beside g: where this may be the end, both are evaluated.
            let last = progress.may_end();
            if last {
                self.look(q, t);
            } else {
                self.evaluations.constraints += 1;
                self.system.constraint_values(q, t, &mut self.values);
            }
            let residual = largest_product(&self.values, &self.reciprocal_sizes);
            let stopped = progress.has_stopped(residual);
            let verdict = match progress.judge(residual) {
                Verdict::Slow | Verdict::Ended(Arrival::Exhausted)
                    if stopped && self.is_rounding(residual, q, t) =>
                {
                    Verdict::Ended(Arrival::Accepted)
                }
                verdict @ (Verdict::Slow | Verdict::Ended(Arrival::Exhausted))
                    if self.may_be_noise(verdict, stopped)
                        && (self.is_noise_of_step(q, t, progress.tolerance())
                            || self.is_out_of_reach(residual, q)) =>
                {
                    Verdict::Ended(Arrival::Accepted)
                }
                Verdict::Fast if !factored => Verdict::Slow,
                verdict => verdict,
            };
            if verdict != Verdict::Fast && !last {
                self.look(q, t);
            }
            match verdict {
                Verdict::Ended(arrival) => return Ok(arrival),
                Verdict::Slow => {
                    (factored, self.settled) = (true, false);
                    self.factor_trial()?;
                }
                Verdict::Fast => {}
            }
            self.matrix.correct(&self.values, &mut self.multipliers, q);
            self.impulse.iter_mut().zip(&self.multipliers).for_each(|(sum, multiplier)| *sum += multiplier);
            self.evaluations.iterations += 1;
            progress.iterations += 1;
        }
    }

    /// True if the residual relative to the natural sizes is no larger than rounding errors make it, by those of g at positions
    /// nearby: terms of any size, of the time above all, may have cancelled in g that no derivative shows.
    #[cold]
    pub(super) fn is_rounding(&mut self, residual: f64, q: &[f64], t: f64) -> bool {
        let unknown = Unknown { name: "the new positions", base: &[], weight: 1.0 };
        (1..=PROBES).any(|number| {
            unknown.shake(number, q, &mut self.shaken);
            self.evaluations.constraints += 1;
            self.system.constraint_values(&self.shaken, t, &mut self.residuals);
            self.residuals.iter_mut().zip(&self.values).for_each(|(change, value)| *change -= value);
            residual <= ROUNDING * largest_product(&self.residuals, &self.reciprocal_sizes)
        })
    }

    /// True where a residual that has not been accepted is looked at more closely: at the end of a failing iteration, and where it has stopped
    /// and rows depend on each other.
    pub(super) fn may_be_noise(&self, verdict: Verdict, stopped: bool) -> bool {
        verdict == Verdict::Ended(Arrival::Exhausted) || (stopped && self.is_soft())
    }

    /// True if every residual is accepted, or is one that rounding makes of coordinates as large as the largest of their kind, or of motions
    /// by multipliers that cancel: near a singular position, the rounding of one row is the residual of another.
    #[cold]
    pub(super) fn is_noise(&mut self, q: &[f64], t: f64, tolerance: f64, multipliers: &[f64]) -> bool {
        self.look(q, t);
        let Self { system, matrix, jacobian, trial, values, reciprocal_sizes, shaken: sizes, .. } = self;
        let pattern = system.jacobian_pattern();
        matrix.magnitudes(jacobian, multipliers, sizes);
        for coordinate in system.layout().coordinates() {
            let range = coordinate.offset..coordinate.offset + coordinate.size();
            let largest = q[range.clone()].iter().fold(0.0_f64, |largest, q| largest.max(q.abs()));
            sizes[range].iter_mut().for_each(|size| *size += largest);
        }
        values.iter().zip(&*reciprocal_sizes).enumerate().all(|(row, (value, reciprocal))| {
            let terms = pattern.row(row).map(|k| trial[k].abs() * sizes[pattern.columns()[k] as usize]);
            value.abs() * reciprocal <= tolerance || value.abs() <= FLOOR * terms.sum::<f64>()
        })
    }

    /// The same with the multipliers of a position stage without kicks by velocities.
    #[cold]
    fn is_noise_of_step(&mut self, q: &[f64], t: f64, tolerance: f64) -> bool {
        let impulse = std::mem::take(&mut self.impulse);
        let is_noise = self.is_noise(q, t, tolerance, &impulse);
        self.impulse = impulse;
        is_noise
    }

    /// True if what is left of g is beyond all multipliers, as beside a singular position, whose rows hold nothing aside: its correction hardly
    /// moves the positions.
    #[cold]
    fn is_out_of_reach(&mut self, residual: f64, q: &[f64]) -> bool {
        if !self.is_soft() {
            return false;
        }
        let mut motion = std::mem::take(&mut self.shaken);
        motion.fill(0.0);
        self.matrix.correct(&self.values, &mut self.multipliers, &mut motion);
        let is_out_of_reach = is_out_of_reach(residual, 1.0, &motion, q);
        self.shaken = motion;
        is_out_of_reach
    }

    /// Refuses an iterate where a constraint has turned.
    pub(super) fn on_this_branch(&self) -> Result<(), Failure> {
        self.turned().map_or(Ok(()), |(row, cosine)| Err(Failure::Turned { row, cosine }))
    }

    /// The first constraint that has turned by a right angle or more from the foot to the iterate, and the cosine of the angle.
    fn turned(&self) -> Option<(usize, f64)> {
        let (pattern, foot, iterate) = (self.system.jacobian_pattern(), &self.jacobian, &self.trial);
        if pattern.face_forward(foot, iterate) {
            return None;
        }
        let product = |a: &[f64], b: &[f64], row: usize| -> f64 {
            pattern.row(row).map(|place| a[place] * b[place]).sum()
        };
        // What is not a number has turned.
        let forward = |row: usize| product(foot, iterate, row) > 0.0;
        let row = (0..pattern.height()).position(|row| !forward(row)).unwrap_or(0);
        let norms = [foot, iterate].map(|values| product(values, values, row).sqrt());
        Some((row, product(foot, iterate, row) / (norms[0] * norms[1])))
    }

    /// v ← v + M⁻¹ Gᵀ μ with G v + ∂g/∂t = 0 at the foot.
    pub(crate) fn make_tangent(&mut self, q: &[f64], v: &mut [f64], t: f64) {
        self.system.constraint_rate(q, t, &mut self.residuals);
        self.remove(v);
    }

    /// v ← v + M⁻¹ Gᵀ μ with G v = 0 at the foot.
    pub(crate) fn remove_normal(&mut self, v: &mut [f64]) {
        self.residuals.fill(0.0);
        self.remove(v);
    }

    /// y ← y − M⁻¹ Gᵀ S⁻¹ (r + G y), with r in the residuals.
    fn remove(&mut self, y: &mut [f64]) {
        self.add_product(y);
        let mut x = std::mem::take(&mut self.multipliers);
        self.solve(&mut x);
        self.matrix.add_motion(&x, y);
        self.multipliers = x;
    }

    /// x ← −S⁻¹ r, with r in the residuals and S of the foot; the x of least norm where there are many.
    fn solve(&mut self, x: &mut [f64]) {
        self.matrix.solve(&self.residuals, x);
        if self.is_soft() {
            self.refine(x);
        }
    }

    /// The proximal iterations that follow the first, and x without what rounding has put into the null space.
    #[cold]
    fn refine(&mut self, x: &mut [f64]) {
        for _ in 0..REFINEMENTS {
            self.leave(x);
            self.matrix.solve(&self.left, &mut self.change);
            x.iter_mut().zip(&self.change).for_each(|(x, change)| *x += change);
        }
        self.remove_null(x);
    }

    /// r + S x with r in the residuals, and M⁻¹ Gᵀ x.
    fn leave(&mut self, x: &[f64]) {
        self.left.copy_from_slice(&self.residuals);
        self.shaken.fill(0.0);
        self.matrix.add_motion(x, &mut self.shaken);
        self.system.jacobian_pattern().multiply_add(&self.jacobian, &self.shaken, &mut self.left);
    }

    /// x ← x − P x, with the projector P onto the null space of S, which is soft and of the foot.
    #[cold]
    fn remove_null(&mut self, x: &mut [f64]) {
        self.change.copy_from_slice(x);
        for _ in 0..POWERS {
            self.matrix.keep_null(&mut self.change, &mut self.left);
        }
        x.iter_mut().zip(&self.change).for_each(|(x, null)| *x -= null);
    }

    /// Makes multipliers of the foot those of least norm, where rows depend on each other: those of a position stage are not.
    pub(crate) fn make_least(&mut self, multipliers: &mut [f64]) {
        if self.is_soft() && (self.settled || self.settle().is_ok()) && self.is_soft() {
            self.remove_null(multipliers);
        }
    }

    /// r ← r + G x, with r in the residuals.
    fn add_product(&mut self, x: &[f64]) {
        self.system.jacobian_pattern().multiply_add(&self.jacobian, x, &mut self.residuals);
    }

    /// Forms the factors of the foot where there are none, and is true if they exist then.
    /// The foot of a good state has been factored before; should its factorization fail now, the next step says so.
    pub(crate) fn is_settled(&mut self) -> bool {
        self.settled || self.settle().is_ok()
    }

    /// The multipliers at the foot: G M⁻¹ Gᵀ λ = −(G a + d²g/dt² at zero acceleration), with a the free acceleration.
    ///
    /// False, and zeros, where rows depend on each other and no multipliers solve this, as at a singular position.
    pub(crate) fn multipliers(
        &mut self,
        q: &[f64],
        v: &[f64],
        t: f64,
        a: &[f64],
        multipliers: &mut [f64],
    ) -> bool {
        self.system.constraint_curvature(q, v, t, &mut self.residuals);
        self.add_product(a);
        self.solve(multipliers);
        !self.is_soft() || self.is_solved(a, multipliers)
    }

    #[cold]
    fn is_solved(&mut self, a: &[f64], multipliers: &mut [f64]) -> bool {
        self.leave(multipliers);
        let pattern = self.system.jacobian_pattern();
        let (mut open, mut size) = (0.0_f64, 0.0_f64);
        for (row, left) in self.left.iter().enumerate() {
            let terms = pattern.row(row).map(|place| {
                let column = pattern.columns()[place] as usize;
                self.jacobian[place].abs() * (a[column].abs() + self.shaken[column].abs())
            });
            size = size.max(self.residuals[row].abs() + terms.sum::<f64>());
            open = if left.abs() > open || left.is_nan() { left.abs() } else { open };
        }
        let solved = open <= OPEN * size;
        if !solved {
            multipliers.fill(0.0);
        }
        solved
    }

    /// The multipliers that carry the foot, displaced by `offset`, onto the constraints linearized at the foot:
    /// G M⁻¹ Gᵀ λ = −(g + G · offset).
    pub(super) fn linearized(&mut self, offset: &[f64], multipliers: &mut [f64]) {
        self.residuals.copy_from_slice(&self.values);
        self.add_product(offset);
        self.solve(multipliers);
    }

    /// The equation that g violates most beyond the tolerance, with its value and the largest value that would be accepted.
    pub(crate) fn worst_value(&mut self, q: &[f64], tolerance: f64) -> Option<(usize, f64, f64)> {
        self.measure(q, q, 0.0);
        worst(&self.values, &self.reciprocal_sizes, tolerance)
    }

    /// The equation whose rate of change G v + ∂g/∂t is largest beyond the tolerance, with the rate and the largest accepted one.
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
        self.add_product(v);
        worst(&self.residuals, &self.reciprocal_sizes, tolerance)
    }

    /// The equation as for [`Manifold::worst_rate`], where each rate may also be as large as a number of its own.
    pub(crate) fn rates_beyond(
        &mut self,
        q: &[f64],
        v: &[f64],
        t: f64,
        tolerance: f64,
        allowed: &[f64],
    ) -> Option<(usize, f64, f64)> {
        self.worst_rate(q, v, t, tolerance)?;
        for (residual, allowed) in self.residuals.iter_mut().zip(allowed) {
            // What is not a number is beyond.
            *residual = if residual.abs() <= *allowed { 0.0 } else { *residual };
        }
        worst(&self.residuals, &self.reciprocal_sizes, tolerance)
    }
}

/// The residual that is largest beyond the tolerance, with its row and the largest value that would be accepted.
pub(super) fn worst(
    residuals: &[f64],
    reciprocal_sizes: &[f64],
    tolerance: f64,
) -> Option<(usize, f64, f64)> {
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

/// True if a residual is small, and a motion that should remove it, times a number, is nothing beside the positions.
pub(super) fn is_out_of_reach(residual: f64, factor: f64, motion: &[f64], q: &[f64]) -> bool {
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    residual <= ASIDE && factor.abs() * largest(motion) <= WEAK * largest(q)
}

/// `max |a_c b_c|`; not finite when any of them is not.
pub(super) fn largest_product(a: &[f64], b: &[f64]) -> f64 {
    let mut largest = Largest::default();
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            largest.take(lane, a[lane] * b[lane]);
        }
    }
    for (lane, (a, b)) in last_a.iter().zip(last_b).enumerate() {
        largest.take(lane, a * b);
    }
    largest.found()
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
                place: system.constraint_name(zero.index),
                remedy: "the configuration is singular, or not finite: try a smaller step",
            },
            Self::Turned { row, cosine } => StepError::Turned {
                method,
                step,
                time,
                place: system.constraint_name(row),
                degrees: cosine.clamp(-1.0, 1.0).acos().to_degrees(),
            },
            Self::Kick(error) => StepError::Singular {
                method,
                matrix: KickMatrix::NAME,
                step,
                time,
                pivot: error.pivot,
                place: system.layout().name_of(error.index),
                remedy: UNSTABLE,
            },
            Self::KickNotConverged { iterations, index, correction, tolerance } => StepError::NotConverged {
                method,
                unknown: "the velocities between two kicks",
                step,
                time,
                iterations,
                is_correction: true,
                residual: correction,
                place: system.layout().name_of(index),
                tolerance,
                remedy: "try a smaller step",
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
                is_correction: false,
                residual,
                place: system.constraint_name(row),
                tolerance,
                remedy: "the step is probably above the stability limit, try a smaller one",
            },
        }
    }
}

/// The factors are those of G at the foot, and formed anew.
impl<S: Constrained + ?Sized> Carried for Manifold<'_, S> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.values.carry(memory)?;
        self.jacobian.carry(memory)?;
        self.trial.carry(memory)?;
        self.impulse.carry(memory)?;
        let (mut settled, mut soft) = (self.settled, self.is_soft());
        settled.carry(memory)?;
        soft.carry(memory)?;
        if memory.puts_back() {
            self.matrix.soften(soft);
            self.matrix.stand(&self.jacobian);
            self.settled = settled && self.settle().is_ok();
        }
        self.evaluations.carry(memory)
    }
}
