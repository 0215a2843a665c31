//! The check of a dissipation at a start.

use super::spectrum::Ends;
use crate::error::{Begun, StartError};
use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use crate::system::{Forced, Layout, State, System};

/// Eigenvalues of a matrix with ones on its diagonal are zero up to this rounding error.
const ROUNDING: f64 = 1e-9;

/// True if kicks assemble derivatives of F; not over near pairs, most of which are out of range.
pub(super) fn are_assembled(forced: &dyn Forced) -> bool {
    !forced.force_is_of_near_pairs() && forced.affords_force_derivatives().is_ok()
}

/// Refuses a dissipation that is not convex in the velocities at a state: D_vv ≥ 0 must hold.
///
/// D_vv is scaled to ones on its diagonal, which keeps all signs; a few hundred products estimate the
/// smallest eigenvalue.
pub(super) fn check_dissipation(system: &(impl System + ?Sized), state: &State) -> Begun {
    match system.forced().filter(|forced| forced.dissipates()) {
        Some(forced) => check((system.name(), system.layout()), forced, state),
        None => Ok(()),
    }
}

/// Compiled once for the systems of all types.
fn check((name, layout): (&str, &Layout), forced: &dyn Forced, State { t, q, v }: &State) -> Begun {
    if !are_assembled(forced) {
        return check_by_products(name, forced, (q, v, *t));
    }
    let (n, pattern) = (layout.dimension(), forced.force_pattern());
    let mut derivatives = vec![0.0; pattern.len()];
    forced.add_dissipation_derivatives(q, v, *t, &mut derivatives);
    let entries = pattern.entries().zip(&derivatives);
    let bends: Vec<(usize, usize, f64)> = entries
        .filter_map(|((row, column), value)| Some((row, column.checked_sub(n)?, -value)))
        .filter(|(_, _, value)| *value != 0.0)
        .collect();
    let refused = |direction: String, value: f64| {
        Err(StartError::DissipationNotConvex { system: name.to_owned(), direction, value })
    };
    let velocity = |index: usize| format!("the velocity of `{}`", layout.name_of(index));
    let mut diagonal = vec![0.0; n];
    for &(row, _, value) in bends.iter().filter(|(row, column, _)| row == column) {
        diagonal[row] = value;
        if value < 0.0 {
            return refused(velocity(row), value);
        }
    }
    // A zero on the diagonal of a semidefinite matrix empties its row.
    if let Some(&(row, column, value)) = bends.iter().find(|(row, _, _)| diagonal[*row] == 0.0) {
        return refused(format!("{} and {} together", velocity(row), velocity(column)), -value.abs());
    }
    let mut scaled = SymmetricMatrix {
        pattern: SymmetricPattern::new(n, bends.iter().map(|&(row, column, _)| (row, column))),
        values: Vec::new(),
    };
    scaled.values = vec![0.0; scaled.pattern.len()];
    for &(row, column, value) in bends.iter().filter(|(row, column, _)| row >= column) {
        let at = scaled.pattern.place(row, column);
        scaled.values[at as usize] = value / (diagonal[row] * diagonal[column]).sqrt();
    }
    let unit = SymmetricMatrix::diagonal(vec![1.0; n]);
    let ends = Ends::of(&unit, |x, product| {
        scaled.multiply(x, product);
        Some(())
    });
    match ends {
        Some(Ends { smallest, .. }) if smallest < -ROUNDING => {
            refused("some combination of the velocities".to_owned(), smallest)
        }
        _ => Ok(()),
    }
}

/// The distance of the two velocities whose forces are subtracted, relative to the larger of the
/// velocity and the direction.
const DISTANCE: f64 = 1.0 / 65536.0;
/// The error of an eigenvalue from differences, relative to the largest eigenvalue.
const OF_DIFFERENCES: f64 = 1e-6;

/// Checks a D_vv that is not assembled, by products from differences of forces.
fn check_by_products(name: &str, forced: &dyn Forced, (q, v, t): (&[f64], &[f64], f64)) -> Begun {
    let n = v.len();
    let force = |v: &[f64], force: &mut [f64]| {
        force.fill(0.0);
        forced.add_dissipation(q, v, t, force);
    };
    let (mut here, mut there) = (vec![0.0; n], vec![0.0; n]);
    force(v, &mut here);
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let unit = SymmetricMatrix::diagonal(vec![1.0; n]);
    let ends = Ends::of(&unit, |x, product| {
        let distance = DISTANCE * norm(v).max(norm(x)) / norm(x);
        there.iter_mut().zip(v).zip(x).for_each(|((there, v), x)| *there = v + distance * x);
        force(&there, product);
        product.iter_mut().zip(&here).for_each(|(product, here)| *product = (here - *product) / distance);
        product.iter().all(|entry| entry.is_finite()).then_some(())
    });
    match ends {
        Some(Ends { smallest, largest }) if smallest < -OF_DIFFERENCES * largest.abs() => {
            let (system, direction) = (name.to_owned(), "some combination of the velocities".to_owned());
            Err(StartError::DissipationNotConvex { system, direction, value: smallest })
        }
        _ => Ok(()),
    }
}
