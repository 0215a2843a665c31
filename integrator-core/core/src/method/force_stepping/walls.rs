//! The faces that a motion can cross, and the times of its crossings.

use super::cells::Cells;
use super::couplings::{Couplings, Lists};
use super::exit::{exit, leave};
use super::grid::Triangulation;
use super::meeting::{Change, Meeting};
use super::ring::Ring;
use super::soonest::Soonest;
use crate::carried::{Carried, CarryError, Memory, carried};

/// A family of parallel faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wall {
    /// z_a ∈ ℤ for a coordinate a.
    Coordinate(u32),
    /// w_a = w_b, for the phases of two coordinates a < b.
    Pair(u32, u32),
}

/// The schedule of crossings, in one of two forms with equal motions.
#[derive(Debug)]
pub(super) enum Schedule {
    /// The walls of coordinates and pairs at which the force can change.
    Coupled(CoupledWalls),
    /// All walls, by the ring of phases.
    All(Ring),
}

impl Schedule {
    /// The next crossing after the crossings until `now`, with its time.
    #[inline]
    pub(super) fn next(&self, now: f64, cells: &Cells) -> Option<(f64, Meeting)> {
        match self {
            Self::Coupled(walls) => walls.next(now, cells),
            Self::All(ring) => ring.next(cells),
        }
    }

    #[inline]
    pub(super) fn update(&mut self, change: Change, now: f64, cells: &Cells) {
        match self {
            Self::Coupled(walls) => walls.update(change, now, cells),
            Self::All(ring) => ring.update(change, now, cells),
        }
    }

    pub(super) fn rebase(&mut self, now: f64) {
        match self {
            Self::Coupled(walls) => walls.soonest.rebase(now),
            Self::All(ring) => ring.rebase(now),
        }
    }

    /// The number of watched walls.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Coupled(walls) => walls.soonest.count(),
            Self::All(ring) => ring.len(),
        }
    }

    /// True if the walls z_a ∈ ℤ of a coordinate a are not watched.
    #[inline]
    pub(super) fn is_loose(&self, coordinate: usize) -> bool {
        match self {
            Self::Coupled(walls) => walls.loose[coordinate],
            Self::All(_) => false,
        }
    }
}

/// The walls at which the force can change: of coordinates with an element that is not invariant under
/// translations by all steps, and of pairs that share an element.
///
/// All other faces of the grid have no kink of V_h, which is a sum of elements, each interpolated on the
/// grid of its own coordinates; the motion does not depend on them.
#[derive(Debug)]
pub(super) struct CoupledWalls {
    /// The walls of the pairs, in their order, then the walls of the coordinates.
    walls: Vec<Watched>,
    soonest: Soonest,
    /// The walls of each coordinate.
    touching: Lists<u32>,
    loose: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
struct Watched {
    a: u32,
    /// The other coordinate of the pair, or `ALONE` for the wall of a coordinate.
    b: u32,
    /// True if the phase, or the difference of the phases, leaves upwards.
    upwards: bool,
}

const ALONE: u32 = u32::MAX;

impl CoupledWalls {
    pub(super) fn new(couplings: &Couplings, cells: &Cells) -> Self {
        let dimension = cells.coordinates.len();
        let (mut walls, mut touching) = (Vec::new(), Vec::new());
        let loose: Vec<bool> = (0..dimension).map(|a| couplings.reacting.of(a).is_empty()).collect();
        // Pairs come first, so that their meetings precede simultaneous others.
        for &[a, b] in &couplings.pairs {
            touching.push((a as usize, walls.len() as u32));
            touching.push((b as usize, walls.len() as u32));
            walls.push(Watched { a, b, upwards: false });
        }
        for a in (0..dimension).filter(|&a| !loose[a]) {
            touching.push((a, walls.len() as u32));
            walls.push(Watched { a: a as u32, b: ALONE, upwards: false });
        }
        walls.shrink_to_fit();
        let mut all = Self {
            soonest: Soonest::new(walls.len()),
            touching: Lists::new(dimension, &touching),
            loose,
            walls,
        };
        (0..all.walls.len()).for_each(|wall| all.predict(wall, 0.0, cells));
        all
    }

    #[inline]
    fn next(&self, now: f64, cells: &Cells) -> Option<(f64, Meeting)> {
        let (wall, time) = self.soonest.first();
        // Without walls there is no first.
        let Watched { a, b, upwards } = *self.walls.get(wall)?;
        let a = a as usize;
        let meeting = if b == ALONE {
            let coordinate = if time > now { a } else { self.outermost(a, upwards, time, cells) };
            Meeting::End { coordinate, upwards }
        } else {
            Meeting::Pair { a, b: b as usize, pair: Some(wall), upwards }
        };
        time.is_finite().then_some((time, meeting))
    }

    /// Of the coordinates that reach the ends of their cells together with this one, the one that passes
    /// first: the highest upwards, the lowest downwards, so that no other phase is beyond its own.
    #[cold]
    fn outermost(&self, coordinate: usize, upwards: bool, time: f64, cells: &Cells) -> usize {
        let mut outermost = coordinate;
        // Each is beyond the one before.
        for _ in 0..cells.coordinates.len() {
            let beyond = self.touching.of(outermost).iter().find_map(|&pair| {
                let Watched { a, b, .. } = self.walls[pair as usize];
                let (a, b) = (a as usize, if b == ALONE { return None } else { b as usize });
                let first_is_above = cells.gap(pair as usize, a, b) <= 0;
                let other = if first_is_above == upwards { a } else { b };
                let end = self.end(other)?;
                let comes_along = self.soonest.at(end) <= time && self.walls[end].upwards == upwards;
                (other != outermost && comes_along).then_some(other)
            });
            match beyond {
                Some(other) => outermost = other,
                None => break,
            }
        }
        outermost
    }

    /// The wall of a coordinate, which follows the walls of its pairs.
    #[inline]
    fn end(&self, coordinate: usize) -> Option<usize> {
        if self.loose[coordinate] {
            None
        } else {
            self.touching.of(coordinate).last().map(|&wall| wall as usize)
        }
    }

    #[inline]
    fn update(&mut self, change: Change, now: f64, cells: &Cells) {
        let crossed = match change.meeting {
            Meeting::Pair { pair, .. } => pair,
            Meeting::End { coordinate, .. } => self.end(coordinate),
        };
        // Only watched walls are crossed.
        let Some(wall) = crossed else { return };
        // A coordinate without a new acceleration keeps its predictions.
        if change.force || change.mirrored {
            match change.meeting {
                Meeting::End { coordinate, .. } => self.predict_others(coordinate, wall, now, cells),
                Meeting::Pair { a, b, .. } => {
                    self.predict_others(a, wall, now, cells);
                    self.predict_others(b, wall, now, cells);
                }
            }
        }
        // Last, because it changes the soonest.
        self.predict(wall, now, cells);
    }

    /// Predicts the crossings of all walls of a coordinate but the `crossed` one.
    #[inline]
    fn predict_others(&mut self, coordinate: usize, crossed: usize, now: f64, cells: &Cells) {
        for k in 0..self.touching.of(coordinate).len() {
            let other = self.touching.of(coordinate)[k] as usize;
            if other != crossed {
                self.predict(other, now, cells);
            }
        }
    }

    #[inline(always)]
    fn predict(&mut self, wall: usize, now: f64, cells: &Cells) {
        let Watched { a, b, .. } = self.walls[wall];
        let a = a as usize;
        let one = &cells.coordinates[a];
        let ((phase, rate), acceleration) = (one.at(now), one.acceleration);
        let [c0, c1, c2] = if b == ALONE {
            [phase, rate, 0.5 * acceleration]
        } else {
            let b = b as usize;
            let other = &cells.coordinates[b];
            let (other_phase, other_rate) = other.at(now);
            let gap = cells.gap(wall, a, b);
            let c0 = gap as f64 + (phase - other_phase);
            [c0, rate - other_rate, 0.5 * (acceleration - other.acceleration)]
        };
        let (time, upwards) = if b != ALONE && cells.grid.triangulation == Triangulation::UnionJack {
            // Only the wall where the phases are equal: the others are its mirror images.
            let upwards = cells.gap(wall, a, b as usize) != 0;
            (if upwards { leave(1.0 - c0, -c1, -c2) } else { leave(c0, c1, c2) }, upwards)
        } else {
            exit(c0, c1, c2)
        };
        self.walls[wall].upwards = upwards;
        self.soonest.set(wall, now + time);
    }
}

carried!([] Watched { a, b, upwards } besides {});
carried!([] CoupledWalls { walls, soonest } besides { touching, loose });

impl Carried for Schedule {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        match self {
            Self::Coupled(walls) => walls.carry(memory),
            Self::All(ring) => ring.carry(memory),
        }
    }
}
