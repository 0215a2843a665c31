//! The command over small models that the tests declare: its output, its files, its refusals.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]

mod asked;
mod bare_runs_show_their_motion;
#[cfg(feature = "tables")]
mod brought;
mod checkpoints;
#[cfg(feature = "tables")]
mod controls;
mod declared_files;
#[cfg(feature = "tables")]
mod ensembles;
mod files;
mod files_for_other_programs_have_velocities;
mod fits;
#[cfg(all(unix, feature = "tables"))]
mod full_disks;
mod gradients;
mod half_turns_are_recorded;
#[cfg(feature = "tables")]
mod identity;
#[cfg(unix)]
mod inputs;
mod left_out;
mod looks;
mod matter;
mod mistakes;
mod moments;
mod multiscale;
#[cfg(all(unix, feature = "tables"))]
mod outputs_replace_no_input;
mod pages;
#[cfg(feature = "papers")]
mod papers;
mod parameters;
mod precision;
mod process;
mod recordings_fit_or_are_refused_by_row;
mod results;
mod signals;
mod starts_in_a_line;
mod stepping;
mod support;
mod tables;
mod units;
mod warnings;
mod windows;
