//! Coordinates of first order: without mass and free of rows, as bristles, currents, integrals.
//!
//! L has no velocity of them, so that their forces balance: (L_q + F)(q, v, t) = 0 in their rows. This
//! gives their velocities, where F damps them; the state of the motion is their positions alone.

use super::force_error::{Attempt, ForceError, at_start, check_finite};
use super::newton::{Damped, Differentiable, Newton, NewtonEquations, Unknown};
use super::report::Evaluations;
use crate::error::Begun;
use crate::method::force_error::no_factors;
use crate::sparse::{Solver, SymmetricPattern};
use crate::system::{Forced, Lagrangian, State};

const MATRIX: &str = "∂F/∂v of the coordinates without mass";

const NEWTON: Newton = Newton { tolerance: 1e-15, iterations: 50 };

/// Newton's method for the velocities of coordinates of first order.
pub(super) struct Balance<'s> {
    forced: &'s dyn Forced,
    states: Vec<usize>,
    /// The entries of −∂F/∂v: their places among the derivatives of F and in the matrix.
    entries: Vec<(u32, u32)>,
    solver: Solver,
    /// Taken while it solves.
    newton: Option<Box<Damped>>,
    /// The velocities, ∂L/∂(q, v, t), F and its derivatives.
    x: Vec<f64>,
    gradient: Vec<f64>,
    force: Vec<f64>,
    derivatives: Vec<f64>,
}

/// The coordinates on which no inertia acts at a state and near it, and no row.
pub(super) fn without_mass<L: Lagrangian + ?Sized>(system: &L, State { t, q, v }: &State) -> Vec<usize> {
    let n = q.len();
    let mut moves = vec![false; n];
    let holonomic = system.holonomic().into_iter().flat_map(|rows| rows.jacobian_pattern().entries());
    let others = system.nonholonomic().into_iter().flat_map(|rows| rows.nonholonomic_pattern().entries());
    holonomic.chain(others).for_each(|(_, column)| moves[column % n] = true);
    let mut take = |(i, j): (usize, usize), value: f64| {
        if value != 0.0 {
            (moves[i], moves[j]) = (true, true);
        }
    };
    if let Some(mass) = system.natural_mass() {
        mass.pattern.entries().zip(&mass.values).for_each(|(place, value)| take(place, *value));
    } else {
        let (mut gradient, mut second) = (vec![0.0; 2 * n + 1], vec![0.0; system.second_pattern().len()]);
        // A mass may vanish at one place alone.
        for aside in [0.0, 0.1] {
            let near = |x: &[f64]| x.iter().map(|x| x + aside * (1.0 + x.abs())).collect::<Vec<f64>>();
            system.second_derivatives(&near(q), &near(v), t + aside, &mut gradient, &mut second);
            for ((row, column), value) in system.second_pattern().entries().zip(&second) {
                // L_vv, and L_vq and L_vt.
                if (n..2 * n).contains(&row) {
                    take((row - n, if column < n { row - n } else { column - n }), *value);
                } else if row == 2 * n && (n..2 * n).contains(&column) {
                    take((column - n, column - n), *value);
                }
            }
            (0..n).for_each(|i| take((i, i), gradient[n + i]));
        }
    }
    (0..n).filter(|index| !moves[*index]).collect()
}

impl<'s> Balance<'s> {
    /// `None` if all coordinates have mass, or rows hold them.
    ///
    /// # Errors
    /// Nothing damps a coordinate without mass, which is undetermined then.
    pub(super) fn of<L: Lagrangian + ?Sized>(system: &'s L, state: &mut State) -> Begun<Option<Self>> {
        if system.natural_mass().is_none() && system.affords_second_derivatives().is_err() {
            return Ok(None);
        }
        let states = without_mass(system, state);
        let Some(&first) = states.first() else { return Ok(None) };
        let undetermined = |index| no_factors(system, MATRIX, (0.0, index));
        let forced = system.forced().ok_or_else(|| undetermined(first))?;
        forced.affords_force_derivatives()?;
        let n = system.dimension();
        let place = |index: usize| states.binary_search(&index).ok();
        let own = forced.force_pattern().entries().zip(0_u32..).filter_map(|((row, column), source)| {
            Some((source, (place(row)?, place(column.checked_sub(n)?)?)))
        });
        let own: Vec<_> = own.collect();
        let pattern = SymmetricPattern::new(states.len(), own.iter().map(|(_, place)| *place));
        let solver = Solver::unsymmetric(&pattern).ok_or_else(|| undetermined(first))?;
        let placed = |(source, (i, j))| Some((source, solver.position(i, j)? as u32));
        let mut balance = Self {
            forced,
            entries: own.into_iter().filter_map(placed).collect(),
            solver,
            newton: Some(Box::new(Damped::new(states.len(), NEWTON))),
            x: vec![0.0; states.len()],
            gradient: vec![0.0; 2 * n + 1],
            force: vec![0.0; n],
            derivatives: vec![0.0; forced.force_pattern().len()],
            states,
        };
        let State { t, q, v } = state;
        let solved = balance.solve(system, q, v, *t);
        solved.map_err(|error| at_start(system.name(), |index| system.layout().name_of(index), error))?;
        Ok(Some(balance))
    }

    /// The coordinates.
    pub(super) fn states(&self) -> &[usize] {
        &self.states
    }

    /// Replaces the velocities of the coordinates, which are a guess, by those of balance.
    pub(super) fn solve<L: Lagrangian + ?Sized>(
        &mut self,
        system: &L,
        q: &[f64],
        v: &mut [f64],
        t: f64,
    ) -> Attempt {
        let (mut x, newton) = (std::mem::take(&mut self.x), self.newton.take());
        let Some(mut newton) = newton else { return Ok(()) };
        x.iter_mut().zip(&self.states).for_each(|(x, index)| *x = v[*index]);
        let mut equations = Balanced { balance: self, system, q, v, t };
        let outcome = newton.solve(&mut equations, &mut x, &mut Evaluations::default());
        let states = &self.states;
        if outcome.is_ok() {
            states.iter().zip(&x).for_each(|(index, x)| v[*index] = *x);
        }
        let outcome = outcome.map_err(|error| error.renumbered(|index| states[index]));
        (self.x, self.newton) = (x, Some(newton));
        outcome
    }
}

struct Balanced<'b, 's, L: ?Sized> {
    balance: &'b mut Balance<'s>,
    system: &'b L,
    q: &'b [f64],
    v: &'b mut [f64],
    t: f64,
}

impl<L: Lagrangian + ?Sized> Balanced<'_, '_, L> {
    fn look(&mut self, x: &[f64], residual: &mut [f64], with_derivatives: bool) {
        let Balance { forced, states, gradient, force, derivatives, .. } = &mut *self.balance;
        states.iter().zip(x).for_each(|(index, x)| self.v[*index] = *x);
        self.system.first_derivatives(self.q, self.v, self.t, gradient);
        force.fill(0.0);
        if with_derivatives {
            derivatives.fill(0.0);
            forced.add_force_derivatives(self.q, self.v, self.t, force, derivatives);
        } else {
            forced.add_force(self.q, self.v, self.t, force);
        }
        let balances = states.iter().map(|index| -(gradient[*index] + force[*index]));
        residual.iter_mut().zip(balances).for_each(|(residual, balance)| *residual = balance);
    }
}

impl<L: Lagrangian + ?Sized> NewtonEquations for Balanced<'_, '_, L> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: "the velocities of coordinates without mass", base: &[], weight: 1.0 }
    }

    fn evaluate(&mut self, x: &[f64], residual: &mut [f64], _counts: &mut Evaluations) {
        self.look(x, residual, false);
    }

    fn solve(&mut self, r: &mut [f64]) {
        self.balance.solver.solve_or_spoil(r);
    }
}

impl<L: Lagrangian + ?Sized> Differentiable for Balanced<'_, '_, L> {
    fn linearize(&mut self, x: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt {
        self.look(x, residual, true);
        check_finite(residual)?;
        counts.factorizations += 1;
        let Balance { entries, solver, derivatives, .. } = &mut *self.balance;
        let values = solver.values_mut();
        values.fill(0.0);
        entries.iter().for_each(|&(source, place)| values[place as usize] -= derivatives[source as usize]);
        solver.refactor().map_err(|error| ForceError::Singular { matrix: MATRIX, error })
    }
}
