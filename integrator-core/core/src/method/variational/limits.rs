//! The limits of a step under constraints or with drag, at one state.

use super::integrand::Integrand;
use super::saddle::Saddle;
use crate::method::check::check_state;
use crate::method::constraint::Rows;
use crate::method::parts_of_second::{OfVelocities, Stiffness};
use crate::method::report::Evaluations;
use crate::method::spectrum::Ends;
use crate::sparse::{Solver, SymmetricMatrix};
use crate::system::{Lagrangian, State};

/// The motions that constraints leave free, at a state.
struct Tangent<'s, S: ?Sized> {
    integrand: Integrand<'s, S>,
    rows: Rows<'s>,
    saddle: Saddle,
    /// λ, or zeros if unknown.
    multipliers: Vec<f64>,
    mass: SymmetricMatrix,
    solution: Vec<f64>,
}

impl<'s, S: Lagrangian + ?Sized> Tangent<'s, S> {
    /// `None` if the state does not fit or the saddle has no factors.
    fn at(system: &'s S, rows: Rows<'s>, State { t, q, v }: &State) -> Option<Self> {
        let n = q.len();
        let mut counts = Evaluations::default();
        let (mut integrand, mut saddle) = (Integrand::new(system), Saddle::new(system, &rows)?);
        let mut at = rows.at();
        integrand.evaluate_mass(q, v, *t, &mut counts);
        rows.evaluate(q, v, *t, &mut at, &mut counts);
        saddle.factor(&integrand, &rows, &at).ok()?;
        let mut solution = vec![0.0; n + rows.height()];
        let solved = saddle.accelerate(&mut integrand, &rows, &at, (q, v, *t), &mut solution);
        let factor = if solved { -1.0 } else { 0.0 };
        let multipliers = solution[n..].iter().map(|negative| factor * negative).collect();
        let mass = OfVelocities::of(system).matrix(&integrand.hessian);
        Some(Self { integrand, rows, saddle, multipliers, mass, solution })
    }

    /// The largest eigenvalue of M⁻¹ K among free motions; `add` adds products with K.
    fn largest(&mut self, mut add: impl FnMut(&[f64], &mut [f64])) -> Option<f64> {
        let Self { rows, saddle, mass, solution, .. } = self;
        let n = mass.pattern.dimension();
        let mut free = |given: &dyn Fn(&mut [f64]), found: &mut [f64]| {
            let all = saddle.given();
            all.fill(0.0);
            given(&mut all[..n]);
            saddle.refine(rows, solution);
            found.copy_from_slice(&solution[..n]);
        };
        let mut tangent = vec![0.0; n];
        let mut force = vec![0.0; n];
        let ends = Ends::of(mass, |x, product| {
            free(&|given| mass.pattern.multiply_add(&mass.values, x, given), &mut tangent);
            force.fill(0.0);
            add(&tangent, &mut force);
            free(&|given| given.copy_from_slice(&force), product);
            Some(())
        })?;
        Some(ends.largest.max(0.0))
    }
}

/// The fastest frequency of motions that constraints leave free, from the tension of rods, −λ·Hess g,
/// and `with_potential` also from −L_qq.
///
/// `None` without constraints, or if it is unknown.
pub(super) fn fastest_frequency<S: Lagrangian + ?Sized>(
    system: &S,
    state: &State,
    with_potential: bool,
) -> Option<f64> {
    check_state(system, state).ok()?;
    let mut tangent = Tangent::at(system, Rows::of(system)?, state)?;
    let weights: Vec<f64> = tangent.multipliers.iter().map(|multiplier| -multiplier).collect();
    let stiffness = with_potential.then(|| Stiffness::of(system, &tangent.integrand.hessian));
    let largest = tangent.largest(|x, force| {
        if let Some(stiffness) = &stiffness {
            stiffness.add_product(x, force);
        }
        if let Some(holonomic) = system.holonomic() {
            let weights = &weights[..holonomic.constraints()];
            holonomic.add_weighted_product(&state.q, state.t, weights, x, force);
        }
    })?;
    Some(largest.sqrt())
}

/// The fastest rate c of the drag F = −c M v at a state: the largest eigenvalue of the symmetric part of
/// −M⁻¹ F_v.
///
/// `None` without forces, or if it is unknown.
pub(in crate::method) fn fastest_drag<S: Lagrangian + ?Sized>(system: &S, state: &State) -> Option<f64> {
    let forced = system.forced()?;
    forced.affords_force_derivatives().ok()?;
    check_state(system, state).ok()?;
    let State { t, q, v } = state;
    let n = q.len();
    let mut derivatives = vec![0.0; forced.force_pattern().len()];
    forced.add_force_derivatives(q, v, *t, &mut vec![0.0; n], &mut derivatives);
    let entries = forced.force_pattern().entries().zip(&derivatives);
    let drag: Vec<(usize, usize, f64)> = entries
        .filter(|((_, column), _)| *column >= n)
        .map(|((row, column), value)| (row, column - n, -0.5 * value))
        .collect();
    let add = |x: &[f64], force: &mut [f64]| {
        for &(row, column, value) in &drag {
            force[row] += value * x[column];
            force[column] += value * x[row];
        }
    };
    if let Some(rows) = Rows::of(system) {
        return Tangent::at(system, rows, state)?.largest(add);
    }
    let mut integrand = Integrand::new(system);
    integrand.evaluate_mass(q, v, *t, &mut Evaluations::default());
    let mass = OfVelocities::of(system).matrix(&integrand.hessian);
    let mut solver = Solver::symmetric(&mass.pattern);
    solver.factor(&mass.values).ok()?;
    let ends = Ends::of(&mass, |x, product| {
        product.fill(0.0);
        add(x, product);
        solver.solve(product).ok()
    })?;
    Some(ends.largest.max(0.0))
}
