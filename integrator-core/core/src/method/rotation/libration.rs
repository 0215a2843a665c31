//! The oscillations of bodies about a state: their fastest frequency limits the step.

use super::body::Body;
use super::matrix::{axial, by_rows, from_slice};
use crate::method::check::check_state;
use crate::method::mass_solver::MassSolver;
use crate::method::spectrum::Ends;
use crate::sparse::SymmetricMatrix;
use crate::system::{Natural, State};
use nalgebra::{Matrix3, Vector3};

/// The mass in reduced coordinates: the first three of a matrix's nine entries are a rotation vector in
/// the body, with the inertia as mass; the other six are unused, with mass 1.
pub(super) fn reduced_mass(mass: &SymmetricMatrix, bodies: &[(usize, Body)]) -> SymmetricMatrix {
    let dimension = mass.pattern.dimension();
    let mut of_matrix = vec![false; dimension];
    let mut entries = Vec::new();
    for &(place, body) in bodies {
        of_matrix[place..place + 9].fill(true);
        let lower = (0..9).flat_map(|row| (0..=row).map(move |column| (row, column)));
        entries.extend(lower.filter(|&(row, column)| row == column || row < 3).map(|(row, column)| {
            let value = if row < 3 { body.inertia[(row, column)] } else { 1.0 };
            (place + row, place + column, value)
        }));
    }
    let beside = mass.pattern.entries().zip(&mass.values);
    entries.extend(
        beside
            .filter(|((row, column), _)| !of_matrix[*row] && !of_matrix[*column])
            .map(|((row, column), value)| (row, column, *value)),
    );
    // Explicit zeros would turn a diagonal mass into a factored one.
    entries.retain(|&(row, column, value)| row == column || value != 0.0);
    SymmetricMatrix::of_entries(dimension, &entries)
}

/// The fastest frequency of the system at rest at this state: with δR = R η̂ and A = Rᵀ ∇V, the second
/// derivative of V in η is Hess V along R η̂ plus (A + Aᵀ)/2 − tr A.
pub(super) fn fastest_frequency<S: Natural + ?Sized>(
    system: &S,
    bodies: &[(usize, Body)],
    state: &State,
) -> Option<f64> {
    check_state(system, state).ok()?;
    let State { t, q, .. } = state;
    let mass = reduced_mass(system.mass(), bodies);
    let mut solver = MassSolver::new(system, &mass).ok()?;
    let mut motion = vec![0.0; q.len()];
    let mut gradient = vec![0.0; q.len()];
    system.potential_gradient(q, *t, &mut gradient);
    let ends = Ends::of(&mass, |x, product| {
        motion.copy_from_slice(x);
        for &(place, _) in bodies {
            let turning =
                from_slice(&q[place..]) * Vector3::from_column_slice(&x[place..place + 3]).cross_matrix();
            motion[place..place + 9].copy_from_slice(&by_rows(&turning));
        }
        system.potential_product(q, *t, &motion, product);
        for &(place, _) in bodies {
            let (r, eta) = (from_slice(&q[place..]), Vector3::from_column_slice(&x[place..place + 3]));
            let slope: Matrix3<f64> = r.tr_mul(&from_slice(&gradient[place..]));
            let bending = 0.5 * (slope + slope.transpose()) * eta - slope.trace() * eta;
            let stiffness = axial(&r.tr_mul(&from_slice(&product[place..]))) + bending;
            product[place..place + 3].copy_from_slice(stiffness.as_slice());
            product[place + 3..place + 9].fill(0.0);
        }
        solver.apply(product).ok()
    })?;
    Some(ends.frequency())
}
