//! Tests of registers: several elements, several sets of constraints or several members at once.
//!
//! ```text
//! cargo test --release -p least-action-registers
//! ```
//!
//! A build with debug assertions has no registers ([`Width`]): it leaves out two of three loops over
//! each kernel, so that the other tests compile in minutes, and they compute one number after the other.
//! This package is built without debug assertions, by the command above, and is no default member. Its
//! tests compare each width with one number at a time, which other tests compare with everything else,
//! and kernels in each width with dual numbers.
//!
//! [`Width`]: https://docs.rs/least-action-core/latest/least_action_core/lanes/struct.Width.html
