//! Impulses: velocities that change at a moment.

use super::Action;
use super::rows::Rows;
use crate::error::StartError;
use crate::method::dynamics::Dynamics;
use crate::method::event::Passed;
use crate::method::force_error::{Attempt, ForceError};
use crate::system::{Lagrangian, MomentMethod, Moments as Declared, RowsOf, State, System};
use nalgebra::{DMatrix, DVector};

/// Gaps that close within this part of a step collide together.
const TOGETHER: f64 = 1e-9;
/// Rounding of the sums of a contact problem.
const ROUNDING: f64 = 1e-12;

/// The impulses of gaps and of resets, on a system with its constraints.
pub(super) struct Impulses<'s> {
    declared: &'s dyn Declared,
    mechanics: &'s dyn Lagrangian,
    dynamics: Dynamics<'s, dyn Lagrangian + 's>,
    /// g, ∂g/∂(q, v) and u of all gaps.
    values: Vec<f64>,
    derivatives: Vec<f64>,
    rates: Vec<f64>,
}

/// A contact: its gap, ∂g/∂q, and the velocity by an impulse of 1.
struct Contact {
    gap: usize,
    gradient: Vec<f64>,
    response: Vec<f64>,
    restitution: f64,
}

impl<'s> Impulses<'s> {
    /// `None` if no moment changes velocities.
    pub(super) fn of<S: System + ?Sized>(
        declared: &'s dyn Declared,
        system: &'s S,
        state: &State,
    ) -> Result<Option<Self>, StartError> {
        let count = |of| declared.moment_methods(of).iter().map(|method| method.rows.len()).sum::<usize>();
        let gaps = count(RowsOf::Unilateral);
        let (Some(mechanics), true) = (system.mechanics(), gaps + count(RowsOf::Reset) > 0) else {
            return Ok(None);
        };
        let dynamics = Dynamics::new(mechanics, &mut state.clone(), false)?;
        let derivatives = vec![0.0; declared.moment_pattern(RowsOf::Unilateral).len()];
        let [values, rates] = [(); 2].map(|()| vec![0.0; gaps]);
        Ok(Some(Self { declared, mechanics, dynamics, values, derivatives, rates }))
    }

    /// Changes the velocities of a state at a moment of a row; tells the impulse and the energy.
    ///
    /// # Errors
    /// The mass, with the constraints, has no inverse there.
    pub(super) fn act(
        &mut self,
        rows: &mut Rows<'_>,
        (row, h): (usize, f64),
        state: &mut State,
        passed: &mut Passed,
    ) -> Attempt {
        let energy = |state: &State| self.mechanics.energy(&state.q, &state.v, state.t);
        let before = energy(state);
        match rows.all[row].action {
            Action::None => {}
            Action::Reset => self.reset(row - self.values.len(), state)?,
            Action::Impact => passed.impulse = self.collide(rows, (row, h), state)?,
        }
        passed.energy = energy(state) - before;
        Ok(())
    }

    /// Gives coordinates the velocities of an event.
    fn reset(&mut self, row: usize, state: &mut State) -> Attempt {
        let events = self.declared.moment_methods(RowsOf::Event);
        let Some(event) = events.iter().find(|event| event.rows.contains(&row)) else { return Ok(()) };
        let last = self.declared.moment_methods(RowsOf::Reset).last();
        let mut values = vec![0.0; last.map_or(0, |method| method.rows.end)];
        self.declared.moment_values(RowsOf::Reset, &state.q, &state.v, state.t, &mut values);
        for [from, to] in &event.resets {
            state.v[to.clone()].copy_from_slice(&values[from.clone()]);
        }
        self.dynamics.make_tangent(&state.q, &mut state.v, state.t)
    }

    /// Newton's law for all gaps that are closed: 0 ≤ P ⊥ u⁺ + e u⁻ ≥ 0 with u⁺ = u⁻ + W P,
    /// W = G (M⁻¹ − M⁻¹ Bᵀ (B M⁻¹ Bᵀ)⁻¹ B M⁻¹) Gᵀ. Returns the impulse of the gap that has closed.
    fn collide(&mut self, rows: &mut Rows<'_>, (row, h): (usize, f64), state: &mut State) -> Attempt<f64> {
        let contacts = self.contacts(row, h, state)?;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let inverse = DMatrix::from_fn(contacts.len(), contacts.len(), |i, j| {
            dot(&contacts[i].gradient, &contacts[j].response)
        });
        let approach = contacts.iter().map(|contact| (1.0 + contact.restitution) * self.rates[contact.gap]);
        let approach = DVector::from_iterator(contacts.len(), approach);
        let impulses = complementary(&inverse, &approach).ok_or(ForceError::NotFinite { index: 0 })?;
        let mut own = 0.0;
        for (contact, impulse) in contacts.iter().zip(impulses.iter()) {
            state.v.iter_mut().zip(&contact.response).for_each(|(v, response)| *v += impulse * response);
            if *impulse > 0.0 {
                rows.all[contact.gap].fresh = true;
            }
            if contact.gap == row {
                own = *impulse;
            }
        }
        Ok(own)
    }

    /// The gaps that are closed at a state, one of which is known.
    fn contacts(&mut self, known: usize, h: f64, State { q, v, t }: &State) -> Attempt<Vec<Contact>> {
        let (declared, of) = (self.declared, RowsOf::Unilateral);
        declared.moment_derivatives(of, q, v, *t, &mut self.values, &mut self.derivatives);
        declared.moment_rates(of, q, v, *t, &mut self.rates);
        let (pattern, methods) = (declared.moment_pattern(of), declared.moment_methods(of));
        let motion: Vec<f64> = v.iter().copied().chain(vec![0.0; v.len()]).collect();
        pattern.multiply_add(&self.derivatives, &motion, &mut self.rates);
        // A body moves |G| |v| h in a step.
        let mut reach = vec![0.0; self.values.len()];
        for ((row, column), slope) in pattern.entries().zip(&self.derivatives) {
            reach[row] += (slope * motion[column] * h).abs();
        }
        self.dynamics.stand_at(q, v, *t)?;
        let mut contacts = Vec::new();
        for (gap, value) in self.values.iter().enumerate() {
            let is_closed = *value <= TOGETHER * reach[gap].max(f64::MIN_POSITIVE);
            if gap != known && !is_closed {
                continue;
            }
            let mut gradient = vec![0.0; v.len()];
            let entries = pattern.entries().zip(&self.derivatives).filter(|((row, _), _)| *row == gap);
            for ((_, column), slope) in entries {
                gradient[column] += slope;
            }
            let mut response = gradient.clone();
            self.dynamics.respond(&mut response)?;
            let of_gap = methods.iter().find(|method: &&MomentMethod| method.rows.contains(&gap));
            let restitution = of_gap.map_or(1.0, |method| method.restitution);
            contacts.push(Contact { gap, gradient, response, restitution });
        }
        Ok(contacts)
    }
}

/// P ≥ 0 with W P + b ≥ 0 and P · (W P + b) = 0, by Murty's principal pivots; `None` if they do not end.
///
/// K. G. Murty, Note on a Bard-type scheme for solving the complementarity problem, Opsearch 11 (1974),
/// 123-130.
fn complementary(matrix: &DMatrix<f64>, constant: &DVector<f64>) -> Option<DVector<f64>> {
    let count = constant.len();
    let (size, mut active) = (constant.amax(), vec![false; count]);
    for _ in 0..64 * count.max(1) {
        let chosen: Vec<usize> = (0..count).filter(|k| active[*k]).collect();
        let mut impulses = DVector::zeros(count);
        if !chosen.is_empty() {
            let inner = matrix.select_rows(&chosen).select_columns(&chosen);
            // Contacts may depend on each other.
            let found = inner.svd(true, true).solve(&-constant.select_rows(&chosen), ROUNDING).ok()?;
            chosen.iter().zip(found.iter()).for_each(|(k, impulse)| impulses[*k] = *impulse);
        }
        let open = matrix * &impulses + constant;
        let wrong = |k: &usize| {
            let (value, scale) = if active[*k] { (impulses[*k], impulses.amax()) } else { (open[*k], size) };
            value < -ROUNDING * scale
        };
        match (0..count).find(wrong) {
            Some(k) => active[k] = !active[k],
            None => return Some(impulses.map(|impulse| impulse.max(0.0))),
        }
    }
    None
}
