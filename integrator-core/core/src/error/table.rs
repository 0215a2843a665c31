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
    (@documentation coordinate) => { "The coordinate." };
    (@documentation iterations) => { "The iterations done." };
    (@documentation unknown) => { "The unknowns of the equation, such as the new positions." };
    (@documentation option) => { "The option." };
    (@documentation matrix) => { "The name of the matrix." };
    (@type $field:ident $type:ty) => { $type };
    (@type method) => { &'static str };
    (@type system) => { String };
    (@type model) => { String };
    (@type quantity) => { &'static str };
    (@type coordinate) => { String };
    (@type iterations) => { u32 };
    (@type unknown) => { &'static str };
    (@type option) => { &'static str };
    (@type matrix) => { &'static str };
}

pub(crate) use errors;
