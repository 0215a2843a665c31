//! `Dynamic`: an `Assembly` whose facts say at run time what the types of a [`Bound`](super::Bound) say.

use super::assembly::Assembly;
use super::binder::Binder;
use super::facts::{Classification, Facts};
use crate::describe::{Description, Force, Mass};
use crate::error::BindError;
use crate::lanes::Width;
use crate::system::{Faces, System};

/// A model bound to its parameters whose declaration is known at run time only.
///
/// It is no system itself, because its type does not say of which kind: engines take its
/// [faces](Self::faces), which its [facts](Facts) allow.
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
        let mut binder = Binder::within(memory);
        declare(&mut binder)?;
        Ok(Self { assembly: Assembly::new(facts, binder, false)? })
    }

    /// The system with derivatives by its sensitive parameters, which have these `values`; `declare` has
    /// them as coordinates behind its own.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), and [`BindError::ParameterCount`].
    pub fn sensitive(
        self,
        memory: u64,
        values: Vec<f64>,
        declare: impl FnOnce(&mut Binder) -> Result<(), BindError>,
    ) -> Result<Self, BindError> {
        let mut binder = Binder::within(memory);
        declare(&mut binder)?;
        Ok(Self { assembly: self.assembly.with(binder, values)? })
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

    /// The system as the kinds that it is.
    pub fn faces(&self) -> Faces<'_> {
        let own = &self.assembly;
        let Classification { mass, force, stiff, constrained, even_in_phase, .. } = &own.facts.classification;
        let still = *mass == Mass::Constant && *force == Force::PositionOnly;
        let (constraints, forces) = (own.nonholonomic(), own.forced());
        let natural = still.then_some(own).filter(|_| constraints.is_none());
        // Averages over the phase know the forces of the Lagrangian alone.
        let vibrated = natural.filter(|_| even_in_phase.is_some() && forces.is_none());
        let even = vibrated.filter(|_| *even_in_phase == Some(true));
        Faces {
            mechanics: own,
            natural: natural.map(|own| own as _),
            stiff: natural.filter(|_| *stiff).map(|own| own as _),
            constrained: natural.filter(|_| *constrained).map(|own| own as _),
            holonomic: own.holonomic(),
            nonholonomic: constraints,
            forced: forces,
            driven: even_in_phase.map(|_| own as _),
            vibrated: vibrated.map(|own| own as _),
            even_in_phase: even.map(|own| own as _),
            constrained_vibrated: vibrated.filter(|_| *constrained).map(|own| own as _),
            constrained_even: even.filter(|_| *constrained).map(|own| own as _),
        }
    }
}
