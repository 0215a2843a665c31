//! The evaluations of a function of z, and the operation of a kernel for each.

use super::kernel::{Kernel, Operation, SumOperations};

/// A number for each element, added up or added to the row of the element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// f.
    Value,
    /// ∂f/∂t.
    Rate,
    /// ∇f · a, for sums.
    Slope,
    /// aᵀ Hess f a, for rows of positions.
    Quadratic,
    /// d²f/dt² along a motion with velocity a and without acceleration, for rows of positions.
    Curvature,
    /// The rate of `Quadratic` along a direction of x, for rows of positions.
    QuadraticRate,
}

impl Scalar {
    /// The operation, if the kernel has it.
    pub(super) fn of(self, kernel: &'static Kernel) -> Option<&'static Operation> {
        let Kernel { constraint, sums, .. } = kernel;
        let of_sums =
            |of: fn(&'static SumOperations) -> Option<&'static Operation>| sums.as_ref().and_then(of);
        match self {
            Self::Value => Some(&kernel.value),
            Self::Rate => Some(&kernel.rate),
            Self::Slope => of_sums(|sums| Some(&sums.along)),
            Self::Quadratic => match constraint {
                Some(constraint) => Some(&constraint.quadratic),
                None => of_sums(|sums| sums.quadratic.as_ref()),
            },
            Self::Curvature => match constraint {
                Some(constraint) => Some(&constraint.curvature),
                None => of_sums(|sums| sums.curvature.as_ref()),
            },
            Self::QuadraticRate => constraint.as_ref()?.quadratic_rate.as_ref(),
        }
    }
}

/// A vector with an entry for each input of each element, added at the places of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slope {
    /// ∇f.
    Gradient,
    /// Hess f · a, for functions of positions.
    Product,
    /// a·f‴·a = ∂/∂z (aᵀ Hess f a), for functions of positions.
    Third,
    /// f⁗[a, a, d], the rate of `Third` along a direction d.
    ThirdRate,
}

impl Slope {
    /// The operation, unless it is zero for all elements.
    pub(super) fn of(self, kernel: &'static Kernel) -> Option<&'static Operation> {
        let position = kernel.position.as_ref();
        match self {
            Self::Gradient => Some(&kernel.gradient),
            // Without second derivatives, their entries are unknown.
            Self::Product if kernel.entries.is_empty() && kernel.second.is_compiled => None,
            Self::Product => position.map(|operations| &operations.product),
            Self::Third => position.and_then(|operations| operations.third.as_ref()),
            Self::ThirdRate => position.and_then(|operations| operations.third_rate.as_ref()),
        }
    }
}
