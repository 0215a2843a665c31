//! The second route of `#[lagrangian]`: values against numbers by hand, derivatives against differences.

mod compare;
mod derivatives;
mod models;
mod values;
