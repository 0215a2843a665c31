//! Methods, declarations and signals beside independent routes and their claims, in one program to link.

mod balances_close_with_the_work_done;
mod declarations;
mod force_stepping_moves_exactly_in_the_interpolated_potential;
mod methods;
mod oracle;
mod signals;
