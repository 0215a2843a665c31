//! The stages of the compiler and their parts on plain values.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may end at what is not there, and compares exactly"
)]

mod algebra;
mod classify;
mod collected;
mod counts;
mod crate_path;
mod differentiate;
mod elements;
mod eliminate;
mod expanded;
mod expansion;
mod facts;
mod form;
mod functions;
mod graph;
mod intent;
mod latex;
mod names;
mod oracle;
#[path = "../random/random.rs"]
#[allow(dead_code, reason = "the words of declarations are drawn elsewhere")]
mod random;
mod ready;
mod run;
mod schedule;
mod shallow;
mod side_by_side;
mod smoothness;
mod special;
mod straight_line;
mod symmetry;
#[path = "../random/tape.rs"]
#[allow(dead_code, reason = "past failures are read elsewhere")]
mod tape;
