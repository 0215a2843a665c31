//! The constraint manifold at a point, with the equations of a step there.

mod doubts;
mod linear;
mod reach;

pub(super) use doubts::is_out_of_reach;
pub(super) use reach::Form;
pub(crate) use reach::Span;

use super::dependent::{Null, null_space};
use super::foot::Foot;
use super::natural_size::Sizes;
use crate::carried::{Carried, CarryError, Memory};
use crate::error::Begun;
use crate::method::applied::{Applied, Instant, subtract, subtract_from_gradient};
use crate::method::force_error::Attempt;
use crate::method::mass_solver::no_inverse;
use crate::method::newton::{Newton, Rounding};
use crate::method::report::Evaluations;
use crate::method::scheme::{RowScheme, Settings};
use crate::sparse::{FactorError, LIGHT, MOST_ROWS, RowPattern, light};
use crate::system::Constrained;

/// The constraint manifold at one of its points, the foot: the equations of a step there.
///
/// In a step the foot is the old position. Its factors serve all equations: Newton's iteration for the
/// new position, the velocity and the multipliers. Only a slow iteration forms its own matrix.
pub(crate) struct Manifold<'s, S: ?Sized> {
    system: &'s S,
    pub(super) applied: Applied<'s>,
    pub(super) foot: Foot,
    pub(super) sizes: Sizes,
    pub(super) ahead: Ahead,
    /// The residuals of the present equations, one for each constraint, and their multipliers.
    residuals: Vec<f64>,
    multipliers: Vec<f64>,
    /// The sum x of the multipliers of the position stage, which moved q by M⁻¹ Gᵀ x.
    impulse: Vec<f64>,
    doubts: Doubts,
    /// Describes the rows that depended on each other at the start, if any did.
    pub(super) warning: Option<String>,
    pub(crate) evaluations: Evaluations,
}

/// g and G at the last evaluation, an iterate or the next position.
pub(super) struct Ahead {
    pub(super) values: Vec<f64>,
    pub(super) jacobian: Vec<f64>,
    /// The place of each entry of the system in a full G, and memory for these entries.
    places: Vec<u32>,
    entries: Vec<f64>,
}

/// The memory of the rare judgements.
struct Doubts {
    /// The position at which the last iteration began.
    start: Vec<f64>,
    /// The first prediction of the present stage that is far from the rows; empty if none is.
    predicted: Vec<f64>,
    rounding: Rounding,
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
        let of_rows = vec![0.0; rows];
        Ok(Self {
            applied: Applied::of(system),
            sizes: Sizes::new(system.layout(), rows),
            ahead: Ahead {
                values: of_rows.clone(),
                jacobian: vec![0.0; pattern.len()],
                entries: vec![0.0; places.len()],
                places,
            },
            foot: Foot::new(system.mass(), pattern).map_err(|error| no_inverse(system, error))?,
            residuals: of_rows.clone(),
            multipliers: of_rows.clone(),
            impulse: of_rows,
            doubts: Doubts {
                start: vec![0.0; columns],
                predicted: Vec::with_capacity(columns),
                rounding: Rounding::new(columns, rows),
            },
            warning: None,
            evaluations: Evaluations::default(),
            system,
        })
    }

    /// The equations for steps in lanes, if they are few, without forces beside −∇V, and no rows depend
    /// on each other.
    pub(crate) fn in_lanes(&self, newton: Newton) -> Option<RowScheme<'_>> {
        let Self { foot, sizes, ahead, .. } = self;
        if !matches!(self.applied, Applied::None) || self.warning.is_some() {
            return None;
        }
        let (reciprocals, least_pivot) = foot.matrix.few()?;
        let (pattern, places) = (&foot.pattern, &ahead.places[..]);
        let (coordinates, bounds) = (&sizes.magnitudes.coordinates[..], &sizes.bounds[..]);
        let Newton { tolerance, iterations } = newton;
        let settings = Settings { tolerance, iterations, least_pivot };
        Some(RowScheme { settings, reciprocals, pattern, places, coordinates, bounds })
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

    /// Writes M⁻¹ (−∇V + F(q, v, t)) over `acceleration`.
    pub(crate) fn free_acceleration(&mut self, q: &[f64], v: &[f64], t: f64, acceleration: &mut [f64]) {
        self.evaluations.gradients += 1;
        self.system.potential_gradient(q, t, acceleration);
        subtract(self.system, q, v, Instant::at(t), acceleration);
        self.apply_negative_inverse_mass(acceleration);
    }

    /// [`Self::free_acceleration`] without an F that depends on velocities.
    pub(crate) fn acceleration_of_position(&mut self, q: &[f64], t: f64, acceleration: &mut [f64]) {
        self.evaluations.gradients += 1;
        self.system.potential_gradient(q, t, acceleration);
        if matches!(self.applied, Applied::OfPosition) {
            subtract_from_gradient(self.system, q, Instant::at(t), acceleration);
        }
        let n = self.system.dimension();
        self.apply_negative_inverse_mass(&mut acceleration[..n]);
    }

    /// x ← −M⁻¹ x.
    #[inline]
    pub(crate) fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        self.foot.matrix.apply_negative_inverse_mass(x);
    }

    /// y ← y + M⁻¹ Gᵀ λ with G at the foot.
    pub(crate) fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        let (m, n) = self.sizes();
        self.foot.matrix.add_motion(&multipliers[..m], &mut y[..n]);
    }

    /// The rows and columns of G. If the system's type knows them, loops unroll.
    #[inline]
    fn sizes(&self) -> (usize, usize) {
        (self.system.constraints(), self.system.dimension())
    }

    /// Evaluates g and G at a new foot.
    pub(crate) fn evaluate(&mut self, q: &[f64], t: f64) {
        self.look(q, t);
        self.advance_unsettled();
    }

    /// Forms and factors G M⁻¹ Gᵀ at the foot; softens it if it is singular.
    pub(crate) fn settle(&mut self) -> Result<(), FactorError> {
        self.foot.settle(&mut self.evaluations)
    }

    /// [`Self::settle`] as a part of a step.
    pub(crate) fn settle_in_step(&mut self) -> Attempt {
        self.foot.settle_in_step(&mut self.evaluations)
    }

    /// Forms the factors of the foot if there are none; true if they exist.
    pub(crate) fn is_settled(&mut self) -> bool {
        self.foot.is_settled(&mut self.evaluations)
    }

    /// Settles at a start, and finds the rows that depend on each other there; an error behind the
    /// rows is one of a [light](light) coordinate. If there are any, small pivots count as dependent
    /// from then on: beside a singular position, nearly dependent rows would enforce their rounding
    /// errors and drive a motion off its branch.
    pub(super) fn settle_first(&mut self) -> Result<Null, FactorError> {
        let (mass, rows) = (self.system.mass(), self.residuals.len());
        if has_light_parts(self.system)
            && let Some(&index) =
                light((&mass.pattern, &mass.values), (&self.foot.pattern, &self.foot.jacobian)).first()
        {
            // M⁻¹ would hide the other rows: see `light`.
            return Err(FactorError { pivot: 0.0, index: rows + index });
        }
        self.foot.matrix.demand_pivots(Some(DEPENDENT));
        self.settle()?;
        if !self.foot.is_soft() {
            return Ok(Null::default());
        }
        let Foot { matrix, left, .. } = &mut self.foot;
        let null = null_space(rows, |z| matrix.keep_null(z, left));
        if null.is_empty() {
            // The units of their rows make the pivots small.
            matrix.demand_pivots(None);
            self.settle()?;
        }
        Ok(null)
    }

    /// Evaluates g and G at the new position of a step.
    pub(crate) fn look(&mut self, q: &[f64], t: f64) {
        self.evaluations.constraints += 1;
        let Ahead { values, jacobian, places, entries } = &mut self.ahead;
        if places.is_empty() {
            return self.system.jacobian(q, t, values, jacobian);
        }
        self.system.jacobian(q, t, values, entries);
        places.iter().zip(entries).for_each(|(place, entry)| jacobian[*place as usize] = *entry);
    }

    /// Moves the foot to the new position.
    pub(crate) fn advance(&mut self) -> Attempt {
        self.advance_unsettled();
        self.settle_in_step()
    }

    /// Moves the foot without factoring, for a step that uses factors only to [reach](Self::reach).
    pub(crate) fn advance_unsettled(&mut self) {
        self.foot.move_to(&mut self.ahead.jacobian);
    }

    /// Moves the foot back to the last good state, after a failed step.
    pub(crate) fn return_to(&mut self, q: &[f64], t: f64) {
        self.evaluate(q, t);
        // This matrix was factored when the state was reached; the next step reports a failure.
        self.is_settled();
    }
}

/// The factors belong to G at the foot, and are formed anew.
impl<S: Constrained + ?Sized> Carried for Manifold<'_, S> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { foot, ahead: Ahead { values, jacobian, places, entries }, .. } = self;
        values.carry(memory)?;
        for values in [&mut foot.jacobian, jacobian] {
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
        let (mut settled, mut soft) = (foot.settled, foot.is_soft());
        settled.carry(memory)?;
        soft.carry(memory)?;
        if memory.puts_back() {
            foot.stand(soft);
            let _ = settled && foot.is_settled(&mut self.evaluations);
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
