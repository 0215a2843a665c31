//! Sparse algebra behind one small door.

mod pattern;

pub use pattern::{RowPattern, SymmetricMatrix, SymmetricPattern};
