//! The elementary and special functions that kernels call.

/// Declares [`Function`] with the names of its methods.
macro_rules! functions {
    ($($(#[$documentation:meta])* $Name:ident = $name:literal),+ $(,)?) => {
        /// An elementary or special function of one argument that is no power.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function {
            $($(#[$documentation])* $Name,)+
        }

        impl Function {
            /// The number of functions.
            pub const COUNT: usize = [$(Self::$Name),+].len();
            /// Every function.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$Name),+];

            /// Its name in the language, in the lanes and in `f64`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Name => $name,)+
                }
            }
        }
    };
}

functions! {
    /// The sine.
    Sin = "sin",
    /// The cosine.
    Cos = "cos",
    /// The tangent.
    Tan = "tan",
    /// The arcsine.
    Asin = "asin",
    /// The arccosine.
    Acos = "acos",
    /// The arctangent.
    Atan = "atan",
    /// The hyperbolic sine.
    Sinh = "sinh",
    /// The hyperbolic cosine.
    Cosh = "cosh",
    /// The hyperbolic tangent.
    Tanh = "tanh",
    /// The inverse of the hyperbolic sine.
    Asinh = "asinh",
    /// The inverse of the hyperbolic cosine.
    Acosh = "acosh",
    /// The inverse of the hyperbolic tangent.
    Atanh = "atanh",
    /// The exponential.
    Exp = "exp",
    /// eˣ − 1.
    ExpM1 = "exp_m1",
    /// The natural logarithm.
    Ln = "ln",
    /// ln(1 + x).
    Ln1p = "ln_1p",
    /// The cube root.
    Cbrt = "cbrt",
    /// The error function.
    Erf = "erf",
    /// The complementary error function.
    Erfc = "erfc",
    /// exp(−x²), the slope of the error functions, which compute it on their way at little cost.
    Gaussian = "gaussian",
    /// The nearest integer, of two the even one: the number of cells between a point and an image of
    /// another. It is constant but where it jumps, and has no derivative.
    Round = "round_ties_even",
}
