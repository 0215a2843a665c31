//! Angles of points, which runs follow over many turns.
//!
//! The value of an angle is the one nearest to its value at the last state of the run. A run *stands* at
//! these values while it steps, and while observers look at its state: they lie on a stack of
//! the thread, since a system takes positions alone. Elsewhere an angle has the value that its function
//! gives.

use super::State;
use crate::carried::{Carried, CarryError, Memory};
use std::cell::RefCell;

/// A system with angles that runs follow.
pub trait Followed: Send + Sync {
    /// A number that tells the angles of declarations apart.
    fn declaration(&self) -> u64;

    /// The number of angles.
    fn angles(&self) -> usize;

    /// Writes the angles at a state, nearest to the values at which the run stands.
    fn follow(&self, q: &[f64], v: &[f64], t: f64, angles: &mut [f64]);
}

/// The place of followed angles among all of a system, and their jump.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) declaration: u64,
    pub(crate) place: usize,
    pub(crate) period: f64,
}

impl Turn {
    /// Adds periods to angles, so that they are nearest to the values at which the run stands.
    pub(crate) fn follow(self, angles: &mut [f64]) {
        STACK.with_borrow(|Stack { frames, values }| {
            let Some((_, begin)) = frames.iter().rfind(|(owner, _)| *owner == self.declaration) else {
                return;
            };
            let before = values.get(begin + self.place..).unwrap_or(&[]);
            for (angle, before) in angles.iter_mut().zip(before) {
                *angle -= self.period * ((*angle - before) / self.period).round_ties_even();
            }
        });
    }
}

#[derive(Default)]
struct Stack {
    /// The declaration of each run that stands, and the place of its first value.
    frames: Vec<(u64, usize)>,
    values: Vec<f64>,
}

thread_local! {
    static STACK: RefCell<Stack> = RefCell::default();
    /// Memory for the values of an arrival.
    static SPARE: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// A run stands at its angles until this is dropped.
#[derive(Debug)]
#[must_use = "angles are followed while it lives"]
pub struct HeldAngles {
    declaration: u64,
    count: usize,
}

impl HeldAngles {
    /// The declaration, and the number of its angles.
    pub(crate) fn of(&self) -> (u64, usize) {
        (self.declaration, self.count)
    }

    /// Appends the values, if none are held inside.
    pub(crate) fn append_to(&self, numbers: &mut Vec<f64>) {
        STACK.with_borrow(|Stack { values, .. }| {
            numbers.extend(values.iter().skip(values.len().saturating_sub(self.count)));
        });
    }
}

impl Drop for HeldAngles {
    fn drop(&mut self) {
        STACK.with_borrow_mut(|stack| {
            if let Some((_, begin)) = stack.frames.pop() {
                stack.values.truncate(begin);
            }
        });
    }
}

/// Holds these angles of a declaration, inside of all that are held.
pub(crate) fn hold(declaration: u64, angles: &[f64]) -> HeldAngles {
    STACK.with_borrow_mut(|stack| {
        stack.frames.push((declaration, stack.values.len()));
        stack.values.extend_from_slice(angles);
    });
    HeldAngles { declaration, count: angles.len() }
}

/// Moves the values at which a run stands to a state inside of its step: for methods with inner steps.
pub(crate) fn arrive(system: Option<&dyn Followed>, q: &[f64], v: &[f64], t: f64) {
    let Some(system) = system else { return };
    let mut angles = SPARE.take();
    angles.resize(system.angles(), 0.0);
    system.follow(q, v, t, &mut angles);
    STACK.with_borrow_mut(|Stack { frames, values }| {
        if let Some((_, begin)) = frames.last().filter(|(owner, _)| *owner == system.declaration()) {
            values.iter_mut().skip(*begin).zip(&angles).for_each(|(value, angle)| *value = *angle);
        }
    });
    SPARE.set(angles);
}

/// The angles of a run at its last good state.
pub(crate) struct Turns<'s> {
    system: Option<&'s dyn Followed>,
    angles: Vec<f64>,
}

impl<'s> Turns<'s> {
    /// The angles at the start of a run.
    pub(crate) fn of(system: Option<&'s dyn Followed>, start: &State) -> Self {
        let mut turns = Self { system, angles: vec![0.0; system.map_or(0, Followed::angles)] };
        turns.keep(start);
        turns
    }

    /// Stands at the last good state.
    pub(crate) fn hold(&self) -> Option<HeldAngles> {
        self.system.map(|system| hold(system.declaration(), &self.angles))
    }

    /// Takes the angles at the next state; the run stands.
    pub(crate) fn keep(&mut self, next: &State) {
        if let Some(system) = self.system {
            system.follow(&next.q, &next.v, next.t, &mut self.angles);
        }
    }
}

/// The system decides on their number.
impl Carried for Turns<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.angles.iter_mut().try_for_each(|angle| angle.carry(memory))
    }
}
