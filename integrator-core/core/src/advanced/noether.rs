//! Symmetries and their conserved quantities.
//!
//! A motion δq = ξ(q), δv = (∂ξ/∂q) v that leaves L and the set g = 0 alone conserves
//!
//! ```text
//! J(q, v, t) = ∂L/∂v · ξ(q),
//! ```
//!
//! along every motion of the system (E. Noether, *Invariante Variationsprobleme*, Göttinger Nachrichten
//! (1918) 235–257); a shift of time conserves the energy v · ∂L/∂v − L. The forces Gᵀλ of the
//! constraints do no work along a symmetry, because it moves within g = 0.
//!
//! Forces F outside of L, and constraints on velocities A v + b = 0 with multipliers μ, change it by
//!
//! ```text
//! dJ/dt = F·ξ + μ·A ξ,
//! ```
//!
//! and the energy by the same formula with ξ = v, where A v = −b. Such a quantity is *balanced*.
//!
//! For all parameters at once, the compiler behind `#[lagrangian]` finds the symmetries of a declaration
//! that are shifts of time and of scalars and angles, translations and rotations of vectors about the
//! origin, rotations of matrices, and sums of these. [`conserved`](crate::system::System::conserved) and
//! [`balanced`](crate::system::System::balanced) list them; [`Conserved`](crate::drive::Conserved) and
//! [`Balance`](crate::drive::Balance) record them along a run.

pub use crate::noether::*;
