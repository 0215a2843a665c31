//! Declared models bound to an instance: whatever does not depend on the coordinates is evaluated here, once.
//!
//! `#[lagrangian]` implements [`Model`] with a kernel for each term family; [`Model::bind`] runs the declaration's loops
//! and conditions on the parameters and yields a [`Bound`] system, which implements the traits of [`crate::system`].

mod assembly;
pub(crate) mod binder;
mod bound;
pub(crate) mod checked;
mod coefficients;
pub(crate) mod constraint;
mod description;
pub(crate) mod family;
pub(crate) mod force;
mod gather;
pub(crate) mod instant;
pub(crate) mod kernel;
mod layout;
mod second;
mod sweep;
mod threads;

use binder::Binder;
pub use bound::{Bound, Classification, Dependence};

use crate::describe::Formulas;
use crate::error::BindError;
use crate::noether::ConservedQuantity;
use crate::system::{
    Constrained, ConstrainedEven, ConstrainedVibrated, Driven, EvenInPhase, Forced, Holonomic, Natural,
    Stiff, Vibrated,
};

/// A model declared with `#[lagrangian]`.
///
/// The associated types say what kind of system it is, so that rustc can refuse an engine that does not fit: see
/// [`crate::structure`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a declared model",
    label = "not a model",
    note = "put #[lagrangian] before `impl {Self} {{ fn lagrangian(&self, …) -> Scalar {{ … }} }}`"
)]
pub trait Model: Sized + Send + Sync + 'static {
    /// Whether the mass matrix is constant, or on which coordinates it depends.
    type Mass;
    /// Whether the force depends on positions only.
    type Force;
    /// Whether there are holonomic constraints.
    type Holonomy;
    /// Whether a part of the potential is marked as stiff.
    type Stiffness;
    /// Whether there are forces that no potential gives.
    type Forcing;
    /// Whether there is a fast phase, and the motion even in it.
    type Drive;

    /// The name of the model.
    const NAME: &'static str;

    /// What the author wrote above the declaration.
    const DOCUMENTATION: &'static str;

    /// The same facts as values.
    const CLASSIFICATION: Classification;

    /// What the motion conserves, for all parameters.
    const CONSERVED: &'static [ConservedQuantity] = &[];

    /// The declaration and its equations of motion as LaTeX.
    const FORMULAS: Formulas =
        Formulas { lagrangian: "", definitions: &[], constraints: &[], equations: &[], abbreviations: &[] };

    /// Puts coordinates, families and constraints into `binder`.
    ///
    /// # Errors
    /// The parameters make no system.
    fn declare(&self, binder: &mut Binder) -> Result<(), BindError>;

    /// The bound system as a natural one, if it is.
    fn natural(bound: &Bound<Self>) -> Option<&dyn Natural>;

    /// The bound system as one with a stiff part, if it has one.
    fn stiff(bound: &Bound<Self>) -> Option<&dyn Stiff>;

    /// The bound system as a natural one with constraints, if it is.
    fn constrained(bound: &Bound<Self>) -> Option<&dyn Constrained>;

    /// The constraints of the bound system, if it has any.
    fn holonomic(bound: &Bound<Self>) -> Option<&dyn Holonomic>;

    /// The forces of the bound system that no potential gives, if it has any.
    fn forced(bound: &Bound<Self>) -> Option<&dyn Forced>;

    /// The bound system as one with a fast phase, if it has one.
    fn driven(bound: &Bound<Self>) -> Option<&dyn Driven>;

    /// The bound system as a natural one with a fast phase, if it is.
    fn vibrated(bound: &Bound<Self>) -> Option<&dyn Vibrated>;

    /// The bound system as a natural one whose force is even in the fast phase, if it is.
    fn even_in_phase(bound: &Bound<Self>) -> Option<&dyn EvenInPhase>;

    /// The bound system as a natural one with a fast phase and constraints, if it is.
    fn constrained_vibrated(bound: &Bound<Self>) -> Option<&dyn ConstrainedVibrated>;

    /// The bound system as a natural one with constraints whose force is even in the fast phase, if it is.
    fn constrained_even(bound: &Bound<Self>) -> Option<&dyn ConstrainedEven>;

    /// Evaluates everything that does not depend on coordinates.
    ///
    /// # Errors
    /// An index outside its array or outside a table of the model, whole numbers without a result (`i - 1` at 0), a coefficient
    /// that is not finite, a mass that is not positive.
    ///
    /// # Panics
    /// Where Rust of the author does: in the methods of the model that the declaration calls, and in closures.
    fn bind(&self) -> Result<Bound<Self>, BindError> {
        let mut binder = Binder::default();
        self.declare(&mut binder)?;
        Bound::new(binder)
    }
}
