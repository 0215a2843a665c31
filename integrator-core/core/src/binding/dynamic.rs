//! `Dynamic`: an `Assembly` whose facts say at run time what the types of a [`Bound`](super::Bound) say.

use super::assembly::Assembly;
use super::binder::Binder;
use super::facts::Facts;
use crate::describe::Description;
use crate::error::BindError;
use crate::lanes::Width;
use crate::system::driven::{ConstrainedEven, ConstrainedVibrated};
use crate::system::{
    Constrained, Driven, EvenInPhase, Forced, Holonomic, Lagrangian, Natural, Nonholonomic, Stiff, System,
    Vibrated,
};

/// A model bound to its parameters whose declaration is known at run time only.
///
/// It is no system itself, because its type does not say of which kind: it gives the system as each kind
/// that its [facts](Facts) allow, and engines take these.
pub struct Dynamic {
    assembly: Assembly,
}

impl Dynamic {
    /// The system whose coordinates, families and constraints `declare` puts into a binder. It may take
    /// about `memory` bytes, its later second derivatives included.
    ///
    /// # Errors
    /// The errors of [`Model::bind_within`](super::Model::bind_within).
    pub fn new(
        facts: Facts,
        memory: u64,
        declare: impl FnOnce(&mut Binder) -> Result<(), BindError>,
    ) -> Result<Self, BindError> {
        Ok(Self { assembly: Assembly::within(memory, facts, declare)? })
    }

    /// The system with derivatives by its sensitive parameters, which have these `values`: `declare` puts
    /// the declaration into a binder with the parameters as coordinates behind its own.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), and [`BindError::ParameterCount`].
    pub fn sensitive(
        self,
        memory: u64,
        values: Vec<f64>,
        declare: impl FnOnce(&mut Binder) -> Result<(), BindError>,
    ) -> Result<Self, BindError> {
        Ok(Self { assembly: self.assembly.with_parameters(memory, values, declare)? })
    }

    /// The facts about the model.
    pub fn facts(&self) -> &Facts {
        &self.assembly.facts
    }

    /// The model as the compiler found it, with the sizes of this instance.
    pub fn description(&self) -> Description {
        self.assembly.description()
    }

    /// Visits elements of the potential, as [`Bound::visit_potential`](super::Bound::visit_potential).
    pub fn visit_potential(&self, most: usize, visit: &mut dyn FnMut(usize, &[u32])) {
        self.assembly.visit_potential(most, visit);
    }

    /// The system, computing `width` numbers at once; it takes as many as the processor can.
    #[must_use]
    pub fn with_width(mut self, width: Width) -> Self {
        self.assembly.set_width(width);
        self
    }

    /// The system as a Lagrangian.
    pub fn mechanics(&self) -> &dyn Lagrangian {
        &self.assembly
    }

    /// The constraints of the system, if it has any.
    pub fn holonomic(&self) -> Option<&dyn Holonomic> {
        System::holonomic(&self.assembly)
    }

    /// The constraints on velocities, if there are any.
    pub fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        System::nonholonomic(&self.assembly)
    }

    /// The forces that no potential gives, if there are any.
    pub fn forced(&self) -> Option<&dyn Forced> {
        System::forced(&self.assembly)
    }

    /// The system with its fast phase, if it has one.
    pub fn driven(&self) -> Option<&dyn Driven> {
        self.facts().classification.is_driven().then_some(&self.assembly)
    }

    /// The system as a natural one, if its kind allows.
    pub fn natural(&self) -> Option<&dyn Natural> {
        self.facts().classification.is_natural().then_some(&self.assembly)
    }

    /// The system with its stiff part, if it has one.
    pub fn stiff(&self) -> Option<&dyn Stiff> {
        let kind = &self.facts().classification;
        (kind.is_natural() && kind.stiff).then_some(&self.assembly)
    }

    /// The system as a natural one with constraints, if its kind allows.
    pub fn constrained(&self) -> Option<&dyn Constrained> {
        let kind = &self.facts().classification;
        (kind.is_natural() && kind.constrained).then_some(&self.assembly)
    }

    /// The system as a natural one with a fast phase, if its kind allows.
    pub fn vibrated(&self) -> Option<&dyn Vibrated> {
        self.averaged(false).map(|own| own as _)
    }

    /// The system as a natural one whose force is even in the fast phase, if its kind allows.
    pub fn even_in_phase(&self) -> Option<&dyn EvenInPhase> {
        self.averaged(true).map(|own| own as _)
    }

    /// The system as a natural one with a fast phase and constraints, if its kind allows.
    pub fn constrained_vibrated(&self) -> Option<&dyn ConstrainedVibrated> {
        self.averaged(false).filter(|own| own.facts.classification.constrained).map(|own| own as _)
    }

    /// The system as a natural one with constraints and an even force, if its kind allows.
    pub fn constrained_even(&self) -> Option<&dyn ConstrainedEven> {
        self.averaged(true).filter(|own| own.facts.classification.constrained).map(|own| own as _)
    }

    /// The system for averages over the phase, which know the forces of the Lagrangian alone.
    fn averaged(&self, with_even: bool) -> Option<&Assembly> {
        let kind = &self.facts().classification;
        let fits = kind.is_natural() && kind.is_driven() && !kind.forced;
        (fits && (!with_even || kind.even_in_phase == Some(true))).then_some(&self.assembly)
    }
}
