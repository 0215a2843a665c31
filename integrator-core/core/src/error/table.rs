//! Enumerations of errors as tables.

/// Declares an enumeration of errors: a field is its name, its type and its documentation, or one of the
/// names that mean the same in all errors.
macro_rules! errors {
    (
        $(#[$of_type:meta])*
        $Error:ident:
        $($(#[$of_variant:meta])* $Variant:ident
            $({ $($field:ident $(: $type:ty = $documentation:literal)?),* $(,)? })?
            $(($(#[$of_part:meta])* $part:ty))?
        ),* $(,)?
    ) => {
        $(#[$of_type])*
        pub enum $Error {
            $($(#[$of_variant])* $Variant
                $({ $(
                    #[doc = $crate::error::errors!(@documentation $field $($documentation)?)]
                    $field: $crate::error::errors!(@type $field $($type)?),
                )* })?
                $(($(#[$of_part])* $part))?
            ),*
        }
    };
    (@documentation $field:ident $documentation:literal) => { $documentation };
    (@documentation method) => { "The method." };
    (@documentation system) => { "The system." };
    (@documentation model) => { "The model." };
    (@documentation quantity) => { "The quantity." };
    (@type $field:ident $type:ty) => { $type };
    (@type method) => { &'static str };
    (@type system) => { String };
    (@type model) => { String };
    (@type quantity) => { &'static str };
}

pub(crate) use errors;
