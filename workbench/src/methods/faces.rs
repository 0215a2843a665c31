//! A model as a method or `eval` sees it.

use least_action::advanced::wrap::Penalized;
use least_action::drive::{Energy, Multipliers, Quantity};
use least_action::method::rotation::PenalizedRotation;
use least_action::system::{Constrained, Holonomic, Lagrangian, Natural, Nonholonomic, Stiff};
use least_action_methods::{Faced, PenalizedBody, VibratedFace};

use crate::error::{Error, Result};
use crate::model::Erased;
use crate::registry::Instance;

/// A model as a method or `eval` sees it: itself, or with its constraints replaced by a penalty.
pub(crate) struct Faces<'m> {
    pub(super) model: &'m dyn Erased,
    penalized: Option<Penalized<'m, dyn Constrained + 'm>>,
    body: Option<PenalizedBody<'m>>,
}

impl<'m> Faces<'m> {
    /// The model itself.
    pub(crate) fn plain(model: &'m dyn Erased) -> Self {
        Self { model, penalized: None, body: None }
    }

    /// The model with the potential V + ½ omega² |g|² instead of its constraints g.
    pub(crate) fn penalized(instance: &'m Instance, omega: f64) -> Result<Self> {
        let model = &*instance.system;
        let constrained =
            model.faces().constrained.ok_or_else(|| Error::nothing_to_penalize(&instance.name))?;
        Ok(Self { model, penalized: Some(Penalized::new(constrained, omega)?), body: None })
    }

    /// The model with the potential V + ½ omega² tr((RᵀR − 1)²), where it is a body.
    pub(super) fn penalized_body(model: &'m dyn Erased, omega: f64) -> Result<Self> {
        let body = model.faces().natural.map(|natural| PenalizedRotation::new(natural, omega)).transpose()?;
        Ok(Self { model, penalized: None, body })
    }

    /// The natural system that is integrated or evaluated.
    pub(crate) fn natural(&self) -> Option<&dyn Natural> {
        match (&self.penalized, &self.body) {
            (Some(penalized), _) => Some(penalized),
            (None, Some(body)) => Some(body),
            (None, None) => self.model.faces().natural,
        }
    }

    /// The Lagrangian that is integrated or evaluated.
    pub(crate) fn lagrangian(&self) -> &dyn Lagrangian {
        match (&self.penalized, &self.body) {
            (Some(penalized), _) => penalized,
            (None, Some(body)) => body,
            (None, None) => self.model.lagrangian(),
        }
    }

    /// The multipliers of the penalty with their means over a window, where constraints are penalized.
    pub(crate) fn penalty_multipliers(&self, window: f64) -> Result<impl Quantity + use<'_, 'm>> {
        let penalized = self.penalized.as_ref().ok_or_else(|| {
            Error::mistake(
                "--observe-window: it averages the multipliers of a penalty, and this run has none; give --with omega=… to a \
                 method for unconstrained systems, on a model with constraints",
            )
        })?;
        Ok(Multipliers::of_penalty(penalized, window)?)
    }

    /// The constraints of the model, whether they are kept or penalized.
    pub(crate) fn constraints(&self) -> Option<&'m dyn Holonomic> {
        self.model.lagrangian().holonomic()
    }

    /// The constraints of the model on velocities.
    pub(crate) fn nonholonomic(&self) -> Option<&'m dyn Nonholonomic> {
        self.model.lagrangian().nonholonomic()
    }

    /// The multipliers of the constraints of the model.
    pub(crate) fn multipliers(&self) -> Multipliers {
        Multipliers::of(self.model.lagrangian())
    }

    /// The energy of the integrated system, with the penalty where there is one.
    pub(crate) fn energy(&self) -> Box<dyn Quantity + '_> {
        Box::new(Energy::of(self.lagrangian()))
    }
}

impl Faced for Faces<'_> {
    fn natural(&self) -> Option<&dyn Natural> {
        self.natural()
    }

    fn lagrangian(&self) -> &dyn Lagrangian {
        self.lagrangian()
    }

    fn stiff(&self) -> Option<&dyn Stiff> {
        match &self.penalized {
            Some(penalized) => Some(penalized),
            None => self.model.faces().stiff,
        }
    }

    fn constrained(&self) -> Option<&dyn Constrained> {
        self.model.faces().constrained
    }

    fn vibrated(&self) -> Option<VibratedFace<'_>> {
        self.model.vibrated()
    }

    fn body(&self) -> Option<&PenalizedBody<'_>> {
        self.body.as_ref()
    }
}
