//! The compiler behind `#[lagrangian]`.
