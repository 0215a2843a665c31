//! Everything outside of this workspace: crates of users, modules of Python, pages, other readers.
//!
//! ```text
//! cargo test -p least-action-outside
//! ```
//!
//! The builds take minutes and compile the library again by other settings: this is no default member.
//! Where Python from 3.10 on or Chromium is missing, its tests say that they leave something out.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

mod a_crate_of_ones_own;
mod new;
mod python;
mod random_declarations;
mod the_last_release;
mod viewed;
mod workshop;
