//! A model with its bound system, and its face for pictures and pages.

use least_action_core::expr::{Oracle, Place, places};
use least_action_core::system::{Lagrangian, Look, Start, State};
use least_action_core::{Bound, Model};

use crate::error::Error;
use crate::guard::guarded;

/// A bound model, as pictures and pages see it.
pub trait Drawable: Send + Sync {
    /// L(q, v, t) with its layout and its constraints.
    fn lagrangian(&self) -> &dyn Lagrangian;

    /// The author's additions to a moving picture.
    ///
    /// # Errors
    /// The author's own code panicked.
    fn look(&self) -> Result<Look, Error>;

    /// The vectors of which the declaration speaks, at (q, v, t); none where the author's code panics.
    fn places(&self, q: &[f64], v: &[f64], t: f64) -> Vec<Place>;

    /// Shows each element of the potential: see [`Bound::visit_potential`].
    fn visit_potential(&self, most: usize, visit: &mut dyn FnMut(usize, &[u32]));
}

/// Whom a picture shows: a model under its name, from its own start on.
#[derive(Clone, Copy)]
pub struct Subject<'s> {
    pub name: &'s str,
    pub system: &'s dyn Drawable,
    pub start: &'s State,
}

/// A model and its bound system.
pub struct Declared<M> {
    pub model: M,
    pub bound: Bound<M>,
}

impl<M: Model + Oracle + Start> Drawable for Declared<M> {
    fn lagrangian(&self) -> &dyn Lagrangian {
        self.bound.faces().mechanics
    }

    fn look(&self) -> Result<Look, Error> {
        guarded(|| self.model.look()).map_err(|panic| Error::panicked(&M::FACTS.name, panic))
    }

    fn places(&self, q: &[f64], v: &[f64], t: f64) -> Vec<Place> {
        guarded(|| places(&self.model, q, v, t)).unwrap_or_default()
    }

    fn visit_potential(&self, most: usize, visit: &mut dyn FnMut(usize, &[u32])) {
        self.bound.visit_potential(most, visit);
    }
}

/// Binds a model within so many bytes of memory, and asks for its start.
///
/// # Errors
/// The parameters make no system, or the author's own code panicked on them.
pub fn bind<M: Model + Start>(name: &str, model: M, memory: u64) -> Result<(Declared<M>, State), Error> {
    let (bound, start) = guarded(|| Ok((model.bind_within(memory)?, model.start())))
        .unwrap_or_else(|panic| Err(Error::panicked(name, panic)))?;
    Ok((Declared { model, bound }, start))
}
