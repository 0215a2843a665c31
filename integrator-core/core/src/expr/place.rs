//! The places in a declaration: vectors whose velocity or component it reads.

use super::array::Array;
use super::oracle::Oracle;
use super::{Mat3, Number, Scalar, Vec2, Vec3};
use least_action_kernel::Text;
use nalgebra::Vector3;
use std::cell::RefCell;

/// A place in a declaration, with the author's name.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The name of the variable, of its array, or of the helper that returns it.
    pub name: Text,
    /// The place, with z = 0 in the plane.
    pub at: Vector3<f64>,
    /// Its velocity.
    pub rate: Vector3<f64>,
}

thread_local! {
    /// The places seen so far, inside of [`places`].
    static SEEN: RefCell<Option<Vec<Place>>> = const { RefCell::new(None) };
}

/// Stops collecting, even if the author's code panics.
struct SeenGuard;

impl Drop for SeenGuard {
    fn drop(&mut self) {
        SEEN.take();
    }
}

/// The vectors of positions whose velocity or component the Lagrangian reads at (q, v, t), in the
/// order of evaluation.
///
/// A vector that is read twice is listed twice. Velocities are not listed: their own rate is unknown.
pub fn places<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> Vec<Place> {
    seen(|| model.lagrangian_dual(q, v, t))
}

/// The vectors of positions that an evaluation reads.
pub fn seen<R>(evaluation: impl FnOnce() -> R) -> Vec<Place> {
    SEEN.set(Some(Vec::new()));
    let _question = SeenGuard;
    evaluation();
    SEEN.take().unwrap_or_default()
}

/// An expression that may be a place.
pub trait Told {
    /// The components of a vector of positions with their rates; `None` for other expressions and
    /// unknown rates.
    fn place(&self) -> Option<[Vector3<f64>; 2]> {
        None
    }
}

impl<T> Told for Scalar<T> {}

impl<T: Number> Told for Mat3<T> {}

impl<E> Told for Array<E> {}

impl<T: Number> Told for Vec2<T> {
    fn place(&self) -> Option<[Vector3<f64>; 2]> {
        of([self.x, self.y, Scalar::zero()])
    }
}

impl<T: Number> Told for Vec3<T> {
    fn place(&self) -> Option<[Vector3<f64>; 2]> {
        of([self.x, self.y, self.z])
    }
}

impl<E: Told> Told for &E {
    fn place(&self) -> Option<[Vector3<f64>; 2]> {
        E::place(self)
    }
}

/// The components and their rates, if these are known.
fn of<T: Number>(components: [Scalar<T>; 3]) -> Option<[Vector3<f64>; 2]> {
    let rates = components.map(|component| component.rate().re());
    let is_known = rates.iter().all(|rate| !rate.is_nan());
    is_known.then(|| [components.map(|component| component.value().re()).into(), rates.into()])
}

/// Returns a vector that the Lagrangian reads, and lists it in [`places`]. Generated code calls it.
#[doc(hidden)]
pub fn place<E: Told>(name: impl Into<Text>, vector: E) -> E {
    SEEN.with_borrow_mut(|seen| {
        if let Some(seen) = seen
            && let Some([at, rate]) = vector.place()
        {
            seen.push(Place { name: name.into(), at, rate });
        }
    });
    vector
}
