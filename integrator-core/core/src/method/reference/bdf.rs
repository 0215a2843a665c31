//! Backward differentiation formulas: the usual stiff method, for comparison.
//!
//! # Scheme
//! The first-order system of the [reference](super), advanced by the numerical differentiation formulas
//! of Shampine and Reichelt of order 1 to `order`; the tolerance controls order and step. Newton's
//! method solves for the accelerations and multipliers, with the matrix
//! [M + c (L_vq − L_qv − F_v) − c² (L_qq + F_q + Σ λ Hess g), −Bᵀ; B, 0],
//! M = L_vv,  B = (G, A),  c = h/((1 − κ) γ),
//! of the exact sparse derivatives, kept as long as it converges: memory and time are proportional to
//! the nonzeros. Each interval between two outputs begins anew with order 1.
//!
//! # Requirements on the model
//! As for the [reference](super).
//!
//! # Order and invariants
//! Order up to 5; no invariants. Up to order 2 the formulas are A-stable: they damp fast oscillations
//! below the tolerance, which loses their energy and follows slow solutions at a cost that grows far
//! less than the frequency. From order 3 on they are unstable near the imaginary axis, where stiff
//! springs have their eigenvalues, and the steps become as small as an explicit method's.
//!
//! # Parameters
//! `tolerance` in [1e-14, 1e-2], default 1e-8: an inner step keeps its error below tolerance (1 + |y|)
//! in the root mean square over the entries y of (q, v). `order`, the highest used, 1 to 5, default 2.
//!
//! # Reference
//! E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (1996), section III.1,
//! doi:10.1007/978-3-642-05221-7; L. F. Shampine, M. W. Reichelt, The MATLAB ODE suite, SIAM J. Sci.
//! Comput. 18 (1997) 1–22, doi:10.1137/S1064827594276424.

use super::run::{Adaptive, Choice};
use crate::error::Begun;
use crate::method::check::{by_default, check_option};
use crate::method::contract::{Claims, Derivatives, Method, Stepper};
use crate::system::{Lagrangian, State};

/// Backward differentiation formulas with steps and orders by a tolerance; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bdf {
    /// The bound on the error of an inner step, relative to 1 + |y|.
    pub tolerance: f64,
    /// The highest order, 1 to 5.
    pub order: u32,
}

impl Bdf {
    /// All orders, for messages.
    pub const ORDERS: &'static str = "{1, 2, 3, 4, 5}";
}

by_default!(Bdf { tolerance: 1e-8, order: 2 });

impl Claims for Bdf {
    const NAME: &'static str = "bdf";
    // The highest order; a run has the order of its option.
    const ORDER: u32 = 5;
    const SYMPLECTIC: Option<bool> = None;
    const REVERSIBLE: Option<bool> = None;
    const MOMENTUM: Option<bool> = None;
    const DIFFERENTIABLE: Derivatives = Derivatives::None("the lengths of its steps depend on the state");
}

impl<S: Lagrangian + ?Sized> Method<S> for Bdf {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
        let order = ("order", f64::from(self.order), Self::ORDERS);
        check_option(Self::NAME, (1..=5).contains(&self.order), order)?;
        Adaptive::start(Choice::Backward(self.order as usize), system, self.tolerance, state, step)
    }
}
