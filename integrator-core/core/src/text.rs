//! Texts of a declaration: constants of compiled code, or values that a program makes while it runs.

use std::borrow::Cow;

/// A text of a declaration.
pub type Text = Cow<'static, str>;
