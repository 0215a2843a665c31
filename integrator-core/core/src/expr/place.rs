//! The places that a declaration speaks of: vectors by whose velocity or component it is written.

use super::build::Rate;
use super::oracle::{Oracle, lagrangian};
use nalgebra::Vector3;
use std::cell::RefCell;

/// A place of a declaration, by the name that its author gave it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// The name of the variable, of its array, or of the helper that returns it.
    pub name: &'static str,
    /// The place, with z = 0 in the plane.
    pub at: Vector3<f64>,
}

thread_local! {
    /// The places of the evaluation that asks for them.
    static SEEN: RefCell<Option<Vec<Place>>> = const { RefCell::new(None) };
}

/// Ends the question, also where the author's code panics.
struct Question;

impl Drop for Question {
    fn drop(&mut self) {
        SEEN.take();
    }
}

/// The vectors of positions whose velocity or component the Lagrangian reads at (q, t), in the order of its evaluation.
///
/// A vector that is read twice is there twice. Velocities are none of them: their own rate is unknown.
pub fn places<M: Oracle>(model: &M, q: &[f64], t: f64) -> Vec<Place> {
    SEEN.set(Some(Vec::new()));
    let _question = Question;
    lagrangian(model, q, &vec![0.0; q.len()], t);
    SEEN.take().unwrap_or_default()
}

/// Returns a vector that is read, and tells it to whoever asks for [`places`]. Generated code calls it.
#[doc(hidden)]
pub fn place<E: Rate>(name: &'static str, vector: E) -> E {
    SEEN.with_borrow_mut(|seen| {
        if let Some(seen) = seen
            && let Some(at) = vector.place()
        {
            seen.push(Place { name, at });
        }
    });
    vector
}
