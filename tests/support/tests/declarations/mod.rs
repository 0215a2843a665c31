//! Declarations that together use the whole language: their kernels, and the compiler's findings.
//!
//! `tests/registers` runs them again, in a build that has registers.

mod constraints_on_velocities_and_dissipations;
mod frames_that_turn;
mod functions_of_near_sums;
mod functions_of_sums;
mod kernels_agree_with_dual_numbers;
mod measured_in_a_cell;
mod near_sums_beside_the_potential;
mod parameters_that_make_no_system_are_refused;
mod right_kernels_are_not_accused;
mod sums_over_near_pairs;
mod the_whole_language_means_what_it_says;
mod threads_do_not_change_a_bit;
mod velocities_of_sums;
