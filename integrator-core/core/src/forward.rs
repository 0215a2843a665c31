//! Methods of a wrapper that its inner system answers.

/// Methods of a trait that the field answers by its methods of equal names.
macro_rules! forward {
    ($inner:ident: $($name:ident($($argument:ident: $kind:ty),*) $(-> $answer:ty)?;)*) => {$(
        fn $name(&self, $($argument: $kind),*) $(-> $answer)? {
            self.$inner.$name($($argument),*)
        }
    )*};
}

pub(crate) use forward;
