//! Signals in declarations: inputs of forces, and tables in time.

mod inputs;
mod tables;
