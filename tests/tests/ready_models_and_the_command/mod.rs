//! The ready models and the command for them, in one program: it is compiled and linked once.

mod conserved_quantities;
mod constraints_are_never_ignored;
mod copper_and_drops_are_held_by_their_densities;
mod derivatives_can_be_checked;
mod formulas_are_latex;
mod generated_code_can_be_read;
mod lines_end_at_the_terminal;
mod ready_models_agree_with_dual_numbers;
mod ready_models_have_the_numbers_of_their_papers;
mod runs_go_on_from_the_states_that_they_print;
mod the_book_has_these_figures;
mod the_command_line_agrees_with_the_paper;
mod the_command_line_refuses_in_one_line;
mod the_gallery_is_up_to_date;
mod the_plan_of_the_documents_is_an_ensemble;
mod water_is_distributed_alike_by_constraints_and_by_a_penalty;
mod what_is_listed_begins;
