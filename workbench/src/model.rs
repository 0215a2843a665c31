//! A declared model behind a type-erased face for the command line.

use least_action::Model;
use least_action::advanced::check::{Comparison, check_penalized, check_with_progress};
use least_action::advanced::describe::Description;
use least_action::expr::Oracle;
use least_action::system::{Faces, Start, State};
use least_action_methods::VibratedFace;
use least_action_pages::model::{Declared, Drawable};
use serde::Serialize;
use serde_json::{Map, Value};

/// A bound model instance behind a type-erased face.
///
/// The faces that a model does not have are `None`; a method asks for the face that it needs.
pub(crate) trait Erased: Drawable {
    /// The system as the kinds that it is.
    fn faces(&self) -> Faces<'_>;

    /// The faces of a natural system with a fast phase.
    fn vibrated(&self) -> Option<VibratedFace<'_>> {
        let Faces { vibrated, even_in_phase, constrained_vibrated, constrained_even, .. } = self.faces();
        match constrained_vibrated {
            Some(system) => Some(VibratedFace::Constrained(system, constrained_even)),
            None => Some(VibratedFace::Free(vibrated?, even_in_phase)),
        }
    }

    /// The facts about the instance.
    fn description(&self) -> Description;

    /// The parameters.
    fn parameters(&self) -> Map<String, Value>;

    /// Every derivative of the kernels beside dual numbers, of the model itself or with a
    /// penalty of this stiffness instead of its constraints; `progress` is told the name of each
    /// quantity.
    ///
    /// # Errors
    /// The penalty makes no system, or an evaluation of a file failed.
    ///
    /// # Panics
    /// Dual numbers run the author's code once more, which may panic.
    fn check(
        &self,
        state: &State,
        penalty: Option<f64>,
        seed: u64,
        progress: &mut dyn FnMut(&'static str),
    ) -> Result<Option<Vec<Comparison>>, crate::error::Error>;
}

impl<M: Model + Oracle + Start + Serialize + 'static> Erased for Declared<M> {
    fn faces(&self) -> Faces<'_> {
        self.bound.faces()
    }

    fn description(&self) -> Description {
        self.bound.description()
    }

    fn parameters(&self) -> Map<String, Value> {
        match serde_json::to_value(&self.model) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }

    fn check(
        &self,
        state: &State,
        penalty: Option<f64>,
        seed: u64,
        progress: &mut dyn FnMut(&'static str),
    ) -> Result<Option<Vec<Comparison>>, crate::error::Error> {
        checked(&self.model, self.bound.faces(), (state, penalty, seed), progress)
    }
}

/// The comparison of a system with its declaration.
pub(crate) fn checked<M: Oracle>(
    model: &M,
    system: Faces<'_>,
    (state, penalty, seed): (&State, Option<f64>, u64),
    progress: &mut dyn FnMut(&'static str),
) -> Result<Option<Vec<Comparison>>, crate::error::Error> {
    Ok(match penalty {
        None => Some(check_with_progress(model, system, state, seed, progress)),
        Some(omega) => check_penalized(model, system, omega, state, seed, progress)?,
    })
}
