//! Types that print as some of their values.

/// Implements `Debug` by some values, for a type whose other fields are too long to print or cannot.
///
/// `shown!([S: ?Sized] Type<'_, S>, |own| "Type" { steps: own.steps, length: own.list.len() });`
macro_rules! shown {
    ([$($generics:tt)*] $type:ty, |$own:ident| $name:literal { $($label:ident: $value:expr),* }) => {
        impl<$($generics)*> std::fmt::Debug for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $own = self;
                formatter.debug_struct($name)$(.field(stringify!($label), &$value))*.finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use shown;
