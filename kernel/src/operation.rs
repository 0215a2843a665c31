//! The table of operations.

/// The results of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// A number.
    Scalar,
    /// A number for each input.
    Vector,
    /// A number, and then one for each input.
    ScalarAndVector,
    /// A number for each input, and then the entries of a matrix.
    VectorAndMatrix,
}

/// Declares [`Operation`]: its name, results, whether it has a direction a, and the operation whose code
/// it runs in another loop.
macro_rules! operations {
    ($($(#[$documentation:meta])* $Name:ident: $results:ident, $directed:literal $(, code of $of:ident)?;)+) => {
        /// A question to an element f(x, c, t, θ).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation {
            $($(#[$documentation])* $Name,)+
        }

        impl Operation {
            /// The number of operations.
            pub const COUNT: usize = [$(Self::$Name),+].len();
            /// Every operation.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$Name),+];

            /// The name of its type in emitted code.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Name => stringify!($Name),)+
                }
            }

            /// Its results.
            pub const fn results(self) -> Results {
                match self {
                    $(Self::$Name => Results::$results,)+
                }
            }

            /// Whether it has a direction a.
            pub const fn is_directed(self) -> bool {
                match self {
                    $(Self::$Name => $directed,)+
                }
            }

            /// The operation whose code it runs in another loop.
            pub const fn code_of(self) -> Option<Self> {
                match self {
                    $($(Self::$Name => Some(Self::$of),)?)+
                    _ => None,
                }
            }
        }
    };
}

operations! {
    /// f.
    Value: Scalar, false;
    /// ∂f/∂x.
    Gradient: Vector, false;
    /// ∂f/∂x and the lower triangle of ∂²f/∂x∂x.
    Second: VectorAndMatrix, false;
    /// ∂f/∂t.
    Rate: Scalar, false;
    /// Hess f · a.
    Product: Vector, true;
    /// a·f‴·a = ∂/∂x (aᵀ Hess f a).
    Third: Vector, true;
    /// f and ∂f/∂x.
    ValueGradient: ScalarAndVector, false;
    /// aᵀ Hess f a.
    Quadratic: Scalar, true;
    /// d²f/dt² along a motion with velocity a and without acceleration.
    Curvature: Scalar, true;
    /// ∇f · a.
    Along: Scalar, true;
    /// ∇f of each sum of an element, in the rows of a matrix: `Gradient` with a weight of one.
    GradientRows: Vector, false, code of Gradient;
    /// f⁗[a, a, d], the rate of `Third` along a direction d: its code on dual numbers.
    ThirdRate: Vector, true, code of Third;
    /// The rate of `Quadratic` along a direction d: its code on dual numbers.
    QuadraticRate: Scalar, true, code of Quadratic;
}

impl Operation {
    /// True if a kernel with registers has the operation in registers. Of sums, these are the operations
    /// of every step and every solver: their matrices and third derivatives are rare, and compile for
    /// too long. So do products, but for all pairs.
    pub const fn has_registers(self, of_sums: bool, of_pairs: bool) -> bool {
        match self {
            Self::Value | Self::Gradient | Self::Third => true,
            Self::Second => !of_sums,
            Self::Product => of_sums || of_pairs,
            Self::Along | Self::Quadratic => of_sums,
            _ => false,
        }
    }
}
