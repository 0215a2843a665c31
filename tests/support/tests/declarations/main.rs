//! The declarations that together use the whole language: their kernels, and what the compiler finds in them, in one program.
//!
//! They stand beside the methods rather than beside the declarations, because dual numbers need the optimizer: see the profiles in
//! `Cargo.toml`.

mod constraints_on_velocities_and_dissipations;
mod functions_of_near_sums;
mod functions_of_sums;
mod kernels_agree_with_dual_numbers;
mod measured_in_a_cell;
mod near_sums_beside_the_potential;
mod parameters_that_make_no_system_are_refused;
mod registers_only_round;
mod right_kernels_are_not_accused;
mod sums_over_near_pairs;
mod the_whole_language_means_what_it_says;
mod threads_do_not_change_a_bit;
mod velocities_of_sums;

use least_action::system::Natural;

/// Everything that a natural system evaluates.
pub(crate) fn evaluated(system: &impl Natural, q: &[f64], a: &[f64]) -> Vec<f64> {
    let mut all = vec![system.potential(q, 0.0)];
    let mut vector = vec![f64::NAN; q.len()];
    system.potential_gradient(q, 0.0, &mut vector);
    all.extend(&vector);
    let mut hessian = vec![f64::NAN; system.potential_pattern().len()];
    system.potential_second(q, 0.0, &mut vector, &mut hessian);
    all.extend(vector.iter().chain(&hessian));
    system.potential_product(q, 0.0, a, &mut vector);
    all.extend(&vector);
    system.potential_third(q, 0.0, a, &mut vector);
    all.extend(&vector);
    all
}
