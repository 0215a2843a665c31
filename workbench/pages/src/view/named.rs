//! The places of which a declaration speaks, where numbers and angles are its coordinates: `let bob =
//! vec2(…)` is a point.

use std::borrow::Cow;

use least_action_core::expr::Place;
use least_action_core::system::{Coordinate, Kind, Layout, State};

use crate::model::Drawable;

/// Places of one name.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: Cow<'static, str>,
    /// Their numbers among the places that the declaration tells.
    pub(super) numbers: Vec<usize>,
    /// True if one of them leaves the plane.
    pub(super) in_space: bool,
}

/// A model with more coordinates has no places of this kind: its Lagrangian is evaluated for each frame.
const MOST: usize = 2000;
/// A declaration that tells more places speaks of pairs.
const PLACES: usize = 2 * MOST;
/// Distances below this part of the size are rounding.
pub(super) const SAME: f64 = 1e-9;

/// The entries of q that are numbers or angles.
pub(super) fn free(layout: &Layout) -> Vec<usize> {
    let free = layout.coordinates().iter().filter(|group| matches!(group.kind, Kind::Scalar | Kind::Angle));
    free.flat_map(Coordinate::starts).collect()
}

/// Positions near the start at which nothing is at rest or aligned by chance: the `number`-th of a
/// sequence.
pub(super) fn generic(start: &State, number: usize) -> Vec<f64> {
    /// The parts of a sequence that repeat no distance.
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let moved = |(slot, q): (usize, &f64)| q + 0.2 + 0.6 * ((slot + 7 * number + 1) as f64 * GOLDEN).fract();
    start.q.iter().enumerate().map(moved).collect()
}

/// Finds the places that numbers or angles move, without repetitions.
pub(super) fn find(system: &dyn Drawable, start: &State) -> Vec<Named> {
    let layout = system.lagrangian().layout();
    let free = free(layout);
    if free.is_empty() || layout.dimension() > MOST {
        return Vec::new();
    }
    let here = generic(start, 0);
    let (mut there, other) = (here.clone(), generic(start, 1));
    free.iter().for_each(|&slot| there[slot] = other[slot]);
    let [before, after] = [&here, &there].map(|q| system.places(q, &start.v, start.t));
    let mut all: Vec<Named> = Vec::new();
    if before.len() != after.len() || before.len() > PLACES {
        return all;
    }
    for (number, (Place { name, at, .. }, after)) in before.iter().zip(&after).enumerate() {
        let size = at.norm() + after.at.norm();
        let same = |other: &Place| (other.at - at).norm() <= SAME * size;
        // A place that is not a number compares as nothing.
        let moves = (after.at - at).norm() > SAME * size;
        if !moves || before[..number].iter().any(same) {
            continue;
        }
        let in_space = at.z != 0.0 || after.at.z != 0.0;
        match all.iter_mut().find(|named| named.name == *name) {
            Some(named) => {
                named.numbers.push(number);
                named.in_space |= in_space;
            }
            None => all.push(Named { name: name.clone(), numbers: vec![number], in_space }),
        }
    }
    all
}
