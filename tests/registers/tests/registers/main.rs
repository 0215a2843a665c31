//! Each width of registers beside one number at a time, and kernels in each width beside dual numbers.

#[path = "../../../support/tests/declarations/mod.rs"]
mod declarations;
#[path = "../../../tests/ready_models_and_the_command/derivatives_can_be_checked.rs"]
mod derivatives_can_be_checked;
mod elements_side_by_side;
mod every_width_has_the_same_bits;
mod members_step_as_they_do_alone;
#[path = "../../../tests/ready_models_and_the_command/ready_models_agree_with_dual_numbers.rs"]
mod ready_models_agree_with_dual_numbers;
mod registers_only_round;
mod sets_of_constraints_side_by_side;
#[path = "../../../tests/ready_models_and_the_command/what_is_listed_begins.rs"]
mod what_is_listed_begins;

use least_action::lanes::Width;

/// Without registers, the other tests of this program compare nothing.
#[test]
fn this_build_and_this_processor_have_registers() {
    let said = "cargo test --release -p least-action-registers, on a processor with AVX2 or another one with 64 bits";
    assert!(Width::available().len() > 1, "{said}");
}
