//! The constraint manifold at a point, with the equations of a step there.

mod linear;
mod reach;
mod worst;

pub(super) use reach::is_out_of_reach;

use super::dependent::{Null, null_space};
use super::natural_size::{Magnitudes, at_least, sizes_of_terms};
use crate::binding::threads::first_not_finite;
use crate::carried::{Carried, CarryError, Memory};
use crate::error::Begun;
use crate::method::applied::{Applied, Instant, subtract, subtract_from_gradient};
use crate::method::force_error::{Attempt, ForceError, OF_ROWS};
use crate::method::mass_solver::no_inverse;
use crate::method::newton::Rounding;
use crate::method::report::Evaluations;
use crate::sparse::{FactorError, LIGHT, MOST_ROWS, MultiplierSystem, RowPattern, light};
use crate::system::Constrained;

/// The constraint manifold at one of its points, the foot: G, directions M⁻¹ Gᵀ, factors of G M⁻¹ Gᵀ.
///
/// In a step the foot is the old position. Its factors serve all equations: Newton's iteration for the
/// new position, the velocity and the multipliers. Only a slow iteration forms its own matrix.
///
/// If rows depend on each other, everywhere or at this foot alone, the matrix is
/// [soft](MultiplierSystem::soften): the iterations for the position have true residuals and are
/// proximal iterations already; the linear equations are refined; multipliers have least norm.
pub(crate) struct Manifold<'s, S: ?Sized> {
    pub(super) system: &'s S,
    pub(super) applied: Applied<'s>,
    matrix: MultiplierSystem,
    /// The pattern of G, full where it has few entries.
    pub(super) pattern: RowPattern,
    /// The place of each entry of the system in a full G, and memory for these entries.
    places: Vec<u32>,
    entries: Vec<f64>,
    /// g at the last evaluation.
    pub(super) values: Vec<f64>,
    /// G at the foot and at an iterate.
    pub(super) jacobian: Vec<f64>,
    pub(super) trial: Vec<f64>,
    magnitudes: Magnitudes,
    /// The least natural sizes of the constraints, from the rounding of the terms of g at the start.
    least_sizes: Vec<f64>,
    /// `1/s_c`, the reciprocal natural sizes of the constraints in this step.
    pub(super) reciprocal_sizes: Vec<f64>,
    /// The residuals of the present equations, one for each constraint, and their multipliers.
    residuals: Vec<f64>,
    multipliers: Vec<f64>,
    /// The remaining residual and the change of multipliers by it, for a soft matrix.
    left: Vec<f64>,
    change: Vec<f64>,
    /// Describes the rows that depended on each other at the start, if any did.
    pub(super) warning: Option<String>,
    /// The position q at which the last position stage began, and a position nearby.
    start: Vec<f64>,
    nearby: Vec<f64>,
    /// The first prediction of the present stage that is far from the rows; empty if none is.
    predicted: Vec<f64>,
    rounding: Rounding,
    /// The sum x of the multipliers of the position stage, which moved q by M⁻¹ Gᵀ x.
    impulse: Vec<f64>,
    /// True if the factors belong to G M⁻¹ Gᵀ at the foot.
    settled: bool,
    pub(crate) evaluations: Evaluations,
}

/// G with at most this many entries in all rows is stored full.
const FEW_ENTRIES: usize = 64;
/// A pivot below this part of its column belongs to rows that depend on each other, or nearly so.
const DEPENDENT: f64 = 1e-9;

impl<'s, S: Constrained + ?Sized> Manifold<'s, S> {
    pub(crate) fn new(system: &'s S) -> Begun<Self> {
        let sparse = system.jacobian_pattern();
        let (rows, columns) = (sparse.height(), sparse.width());
        let is_small =
            sparse.is_aligned() && (1..=MOST_ROWS).contains(&rows) && rows * columns <= FEW_ENTRIES;
        let pattern = if is_small { RowPattern::full(rows, columns, sparse.block()) } else { sparse.clone() };
        let place = |(row, column): (usize, usize)| (row * columns + column) as u32;
        let places: Vec<u32> = sparse.entries().filter(|_| is_small).map(place).collect();
        let matrix =
            MultiplierSystem::new(system.mass(), &pattern).map_err(|error| no_inverse(system, error))?;
        let of_rows = vec![0.0; system.constraints()];
        Ok(Self {
            applied: Applied::of(system),
            matrix,
            jacobian: vec![0.0; pattern.len()],
            trial: vec![0.0; pattern.len()],
            entries: vec![0.0; places.len()],
            places,
            pattern,
            magnitudes: Magnitudes::new(system.layout()),
            least_sizes: of_rows.clone(),
            start: vec![0.0; system.dimension()],
            nearby: vec![0.0; system.dimension()],
            predicted: Vec::with_capacity(system.dimension()),
            rounding: Rounding::new(system.dimension(), system.constraints()),
            values: of_rows.clone(),
            reciprocal_sizes: of_rows.clone(),
            residuals: of_rows.clone(),
            multipliers: of_rows.clone(),
            left: of_rows.clone(),
            change: of_rows.clone(),
            warning: None,
            impulse: of_rows,
            settled: false,
            evaluations: Evaluations::default(),
            system,
        })
    }

    pub(crate) fn system(&self) -> &'s S {
        self.system
    }

    /// Describes the rows that depend on each other at the start.
    pub(crate) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// The solution of the last position stage.
    pub(crate) fn impulse(&self) -> &[f64] {
        &self.impulse
    }

    /// The multipliers μ that made the last velocity tangent.
    pub(crate) fn last_correction(&self) -> &[f64] {
        &self.multipliers
    }

    /// Writes M⁻¹ (−∇V + F(q, v, t)) over `acceleration`.
    pub(crate) fn free_acceleration(&mut self, q: &[f64], v: &[f64], t: f64, acceleration: &mut [f64]) {
        self.evaluations.gradients += 1;
        self.system.potential_gradient(q, t, acceleration);
        subtract(self.system, q, v, Instant::at(t), acceleration);
        self.matrix.apply_negative_inverse_mass(acceleration);
    }

    /// [`Self::free_acceleration`] without an F that depends on velocities.
    pub(crate) fn acceleration_of_position(&mut self, q: &[f64], t: f64, acceleration: &mut [f64]) {
        self.evaluations.gradients += 1;
        self.system.potential_gradient(q, t, acceleration);
        if matches!(self.applied, Applied::OfPosition) {
            subtract_from_gradient(self.system, q, Instant::at(t), acceleration);
        }
        let n = self.system.dimension();
        self.matrix.apply_negative_inverse_mass(&mut acceleration[..n]);
    }

    /// x ← −M⁻¹ x.
    pub(crate) fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        self.matrix.apply_negative_inverse_mass(x);
    }

    /// x ← M⁻¹ x.
    pub(crate) fn apply_inverse_mass(&mut self, x: &mut [f64]) {
        self.matrix.apply_inverse_mass(x);
    }

    /// x ← −S⁻¹ r, and y ← y + M⁻¹ Gᵀ x, with G and the factors of S at the foot.
    pub(super) fn correct(&mut self, residual: &[f64], x: &mut [f64], y: &mut [f64]) {
        let (m, n) = self.sizes();
        self.matrix.correct(&residual[..m], &mut x[..m], &mut y[..n]);
    }

    /// y ← y + M⁻¹ Gᵀ λ with G at the foot.
    pub(crate) fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        let (m, n) = self.sizes();
        self.matrix.add_motion(&multipliers[..m], &mut y[..n]);
    }

    /// The rows and columns of G. If the system's type knows them, loops unroll.
    #[inline]
    fn sizes(&self) -> (usize, usize) {
        (self.system.constraints(), self.system.dimension())
    }

    /// [`Self::add_motion`] at a foot that may have no factors.
    pub(crate) fn add_free_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        if !self.settled {
            self.matrix.stand(&self.jacobian);
        }
        self.matrix.add_motion(multipliers, y);
    }

    /// Evaluates g and G at a new foot.
    pub(crate) fn evaluate(&mut self, q: &[f64], t: f64) {
        self.look(q, t);
        self.advance_unsettled();
    }

    /// Forms and factors G M⁻¹ Gᵀ at the foot; softens it if it is singular.
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

    /// Factors G(q) M⁻¹ Gᵀ with G(q) at the iterate; softens it if it is singular.
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

    /// Factors at the foot if rows depended on each other at the start: between two positions the
    /// dependence may not show.
    pub(super) fn settle_if_dependent(&mut self) -> Attempt {
        if self.warning.is_some() && !self.settled { self.settle_in_step() } else { Ok(()) }
    }

    /// [`Self::settle`] as a part of a step.
    pub(crate) fn settle_in_step(&mut self) -> Attempt {
        self.settle().map_err(|zero| self.singular(zero))
    }

    #[cold]
    pub(super) fn singular(&self, zero: FactorError) -> ForceError {
        let index = self.system.dimension() + zero.index;
        ForceError::Singular { matrix: OF_ROWS, error: FactorError { index, ..zero } }
    }

    /// The failure at a position or at values of g that are not finite.
    #[cold]
    pub(super) fn not_finite(&self, q: &[f64]) -> ForceError {
        ForceError::NotFinite { index: first_not_finite(q).unwrap_or(self.system.dimension()) }
    }

    /// True if rows depend on each other at the foot or at the iterate.
    pub(super) fn is_soft(&self) -> bool {
        self.matrix.shifts().is_some()
    }

    /// The addition to the diagonal of a soft matrix.
    pub(super) fn shifts(&self) -> &[f64] {
        self.matrix.shifts().unwrap_or(&[])
    }

    /// Softens the matrix of the foot, without factors.
    pub(super) fn soften(&mut self) {
        self.matrix.soften(true);
        self.matrix.stand(&self.jacobian);
        self.settled = false;
    }

    /// Settles at a start, and finds the rows that depend on each other there; an error behind the
    /// rows is one of a [light](light) coordinate. If there are any, small pivots count as dependent
    /// from then on: beside a singular position, nearly dependent rows would enforce their rounding
    /// errors and drive a motion off its branch.
    pub(super) fn settle_first(&mut self) -> Result<Null, FactorError> {
        let mass = self.system.mass();
        let rows = (&self.pattern, &self.jacobian[..]);
        if has_light_parts(self.system)
            && let Some(&index) = light((&mass.pattern, &mass.values), rows).first()
        {
            // M⁻¹ would hide the other rows: see `light`.
            return Err(FactorError { pivot: 0.0, index: self.left.len() + index });
        }
        self.matrix.demand_pivots(Some(DEPENDENT));
        self.settle()?;
        let mut null = Null::default();
        if self.is_soft() {
            let Self { matrix, left, .. } = self;
            null = null_space(left.len(), |z| matrix.keep_null(z, left));
            if null.is_empty() {
                // The units of their rows make the pivots small.
                self.matrix.demand_pivots(None);
                self.settle()?;
            }
        }
        Ok(null)
    }

    /// Evaluates g and G at the new position of a step.
    pub(crate) fn look(&mut self, q: &[f64], t: f64) {
        self.evaluations.constraints += 1;
        let Self { system, values, places, entries, trial, .. } = self;
        if places.is_empty() {
            return system.jacobian(q, t, values, trial);
        }
        system.jacobian(q, t, values, entries);
        places.iter().zip(entries).for_each(|(place, entry)| trial[*place as usize] = *entry);
    }

    /// Moves the foot to the new position.
    pub(crate) fn advance(&mut self) -> Attempt {
        self.advance_unsettled();
        self.settle_in_step()
    }

    /// Moves the foot without factoring, for a step that uses factors only to [reach](Self::reach).
    pub(crate) fn advance_unsettled(&mut self) {
        std::mem::swap(&mut self.jacobian, &mut self.trial);
        self.settled = false;
    }

    /// Moves the foot back to the last good state, after a failed step.
    pub(crate) fn return_to(&mut self, q: &[f64], t: f64) {
        self.evaluate(q, t);
        // This matrix was factored when the state was reached; the next step reports a failure.
        self.settled = self.settle().is_ok();
    }

    /// The natural sizes of the constraints for a step of length h from q with velocity v.
    pub(crate) fn measure(&mut self, q: &[f64], v: &[f64], h: f64) {
        let (m, n) = self.sizes();
        let magnitudes = &self.magnitudes.of_step(q, v, h)[..n];
        self.pattern.reciprocal_sizes(&self.jacobian, magnitudes, &mut self.reciprocal_sizes[..m]);
        at_least(&self.least_sizes, &mut self.reciprocal_sizes);
    }

    /// Measures the terms of g at a start; their rounding limits residuals from below.
    pub(crate) fn measure_terms(&mut self, q: &[f64], t: f64) {
        self.least_sizes = sizes_of_terms(self.system, q, t);
    }
}

/// The factors belong to G at the foot, and are formed anew.
impl<S: Constrained + ?Sized> Carried for Manifold<'_, S> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.values.carry(memory)?;
        let Self { places, entries, jacobian, trial, .. } = self;
        for values in [jacobian, trial] {
            if places.is_empty() {
                values.carry(memory)?;
                continue;
            }
            // In the order of the system.
            entries.iter_mut().zip(&*places).for_each(|(entry, place)| *entry = values[*place as usize]);
            entries.carry(memory)?;
            places.iter().zip(&*entries).for_each(|(place, entry)| values[*place as usize] = *entry);
        }
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

/// True if a mass is so much smaller than another one that [light](crate::sparse::light) parts may
/// exist.
pub(crate) fn has_light_parts<S: Constrained + ?Sized>(system: &S) -> bool {
    let mass = system.mass();
    let masses = || mass.pattern.starts().iter().take(system.dimension()).map(|start| mass.values[*start]);
    masses().fold(f64::INFINITY, f64::min) <= LIGHT * masses().fold(0.0, f64::max)
}
