//! The claims of the methods, and known results.

mod a_failed_step_keeps_the_state;
mod an_implicit_step_stays_on_the_motion;
mod constrained;
mod energy_and_momentum_to_rounding;
mod events_do_not_depend_on_the_output;
mod every_method_keeps_every_claim;
mod forces_beside_the_potential;
mod forces_under_constraints;
mod implicit_steps_end_at_rounding;
mod langevin;
mod methods_keep_what_they_claim;
mod multipliers_from_the_penalty;
mod multiscale_methods_see_the_slow_motion;
mod ordinary_starts_are_solved;
mod penalties_are_differentiated_exactly;
mod penalty_methods_match_the_reference;
mod pushes_and_rest_are_believed;
mod rigid_bodies;
mod rotations;
mod rows_are_followed_by_motions;
mod rows_that_hold_by_a_square;
mod runs_watch_themselves;
mod steps_that_are_too_long_are_foreseen;
mod the_reference_is_accurate;
mod the_slow_manifold_is_found;
mod variational;
