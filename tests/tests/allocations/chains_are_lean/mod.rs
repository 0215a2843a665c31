//! Declared chains and pairs: binding and steps cost in proportion to them; steps allocate nothing.

mod binding;
mod stepping;

pub(super) fn checked() {
    binding::a_chain_of_a_hundred_thousand_links();
    binding::all_pairs_of_some_thousand_atoms();
    binding::rattle_on_some_thousand_molecules();
    binding::an_energy_of_a_thousand_atoms();
    stepping::steps_allocate_nothing_and_cost_grows_with_the_length();
}
