//! From the declaration to Rust code.

pub(crate) mod oracle;
