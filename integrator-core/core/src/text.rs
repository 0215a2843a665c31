//! Texts and lists of compiled models, which are constants, and of others, which are values.

use std::borrow::Cow;

/// A text of a declaration.
pub type Text = Cow<'static, str>;

/// A constant text.
pub const fn text(text: &'static str) -> Text {
    Cow::Borrowed(text)
}

/// A constant list.
pub const fn list<T: Clone>(list: &'static [T]) -> Cow<'static, [T]> {
    Cow::Borrowed(list)
}
