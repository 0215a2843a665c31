//! The second route of `#[lagrangian]`: values against numbers computed by hand, derivatives against finite differences.

mod compare;
mod derivatives;
mod models;
mod values;
