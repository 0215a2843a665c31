//! The declarations that together use the whole language: their kernels, and what the compiler finds in them, in one program.
//!
//! They stand beside the methods rather than beside the declarations, because dual numbers need the optimizer: see the profiles in
//! `Cargo.toml`.

mod kernels_agree_with_dual_numbers;
mod parameters_that_make_no_system_are_refused;
mod the_whole_language_means_what_it_says;
mod threads_do_not_change_a_bit;
