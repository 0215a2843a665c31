//! Declarations by chance: the compiler answers whatever stands under `#[lagrangian]`, soon, and right.

#![allow(
    clippy::expect_used,
    clippy::float_cmp,
    reason = "a test may end at what is not there, and compares exactly"
)]

mod mutations;
mod pathological;
mod properties;
mod random;
#[path = "../../../../integrator-core/tests/compile_fail/rustc.rs"]
#[allow(dead_code, reason = "the messages of engines are asked for elsewhere")]
mod rustc;
mod tape;
