//! What the workbench asks of a model: to be bound to its parameters and to answer behind a type-erased face.

use integrator_core::describe::Description;
use integrator_core::error::BindError;
use integrator_core::system::{Constrained, Holonomic, Lagrangian, Natural, Stiff};

/// A bound model instance behind a type-erased face.
///
/// The faces that a model does not have are `None`; a method asks for the face that it needs.
pub trait Erased: Send + Sync {
    /// L(q, v, t) with its derivatives: every model has this.
    fn lagrangian(&self) -> &dyn Lagrangian;

    /// The face of a natural system, where the mass is constant and the force free of velocities.
    fn natural(&self) -> Option<&dyn Natural>;

    /// The face of a natural system with a marked stiff part.
    fn stiff(&self) -> Option<&dyn Stiff>;

    /// The face of a natural system with holonomic constraints.
    fn constrained(&self) -> Option<&dyn Constrained>;

    /// The face of a system with holonomic constraints, whatever its mass.
    fn restricted(&self) -> Option<&dyn Restricted>;

    /// What is known about the instance.
    fn description(&self) -> Description;
}

/// A system with a Lagrangian and holonomic constraints.
pub trait Restricted: Lagrangian + Holonomic {}
impl<S: Lagrangian + Holonomic + ?Sized> Restricted for S {}

/// A model: parameters that can be bound to a system.
pub trait Model {
    /// Evaluates everything that does not depend on the coordinates.
    ///
    /// # Errors
    /// When the parameters make no system.
    fn erased(&self) -> Result<Box<dyn Erased>, BindError>;
}
