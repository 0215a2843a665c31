//! Each width of registers beside one number at a time, and kernels in each width beside dual numbers.

#[path = "../../../support/tests/declarations/mod.rs"]
mod declarations;
mod elements_side_by_side;
mod members_step_as_they_do_alone;
#[path = "../../../tests/ready_models_and_the_command/ready_models_agree_with_dual_numbers.rs"]
mod ready_models_agree_with_dual_numbers;
mod registers_only_round;
mod sets_of_constraints_side_by_side;

use least_action::lanes::Width;

#[test]
fn this_build_has_registers() {
    assert!(cfg!(not(debug_assertions)), "cargo test --release -p least-action-registers");
    // Each processor with 64 bits has registers of at least two numbers; on x86-64 the loops ask for those of AVX2.
    println!("{:?}", Width::available());
}
