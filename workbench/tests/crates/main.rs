//! Crates outside of this workspace, as users have them: what `new` writes, and the modules of Python.
//!
//! Builds share the target directory of this test, and what is ours is not optimized in them: it is run for seconds, and has the same bits. Without Python from 3.10 on, what needs it is left out, and said to be.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

mod new;
mod python;
mod settings;
mod workshop;
