//! Everything outside of this workspace: crates as users have them, modules of Python, pages in a browser, files in the readers of others.
//!
//! ```text
//! cargo test -p least-action-outside
//! ```
//!
//! The builds take minutes and compile the library again by other settings, so that the package is no default member of the workspace.
//! Where Python from 3.10 on or Chromium is missing, its tests say that they leave something out.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

mod a_crate_of_ones_own;
mod new;
mod python;
mod the_last_release;
mod viewed;
mod workshop;
