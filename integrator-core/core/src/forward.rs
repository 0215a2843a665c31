//! Methods of a wrapper that its inner system answers.

/// Methods of a trait that the field answers by its methods of equal names; after `mut`, methods that
/// change it.
macro_rules! forward {
    ($inner:tt: $($name:ident($($argument:ident: $kind:ty),*) $(-> $answer:ty)?;)*) => {$(
        fn $name(&self, $($argument: $kind),*) $(-> $answer)? {
            self.$inner.$name($($argument),*)
        }
    )*};
    (mut $inner:tt: $($name:ident($($argument:ident: $kind:ty),*) $(-> $answer:ty)?;)*) => {$(
        fn $name(&mut self, $($argument: $kind),*) $(-> $answer)? {
            self.$inner.$name($($argument),*)
        }
    )*};
}

pub(crate) use forward;
