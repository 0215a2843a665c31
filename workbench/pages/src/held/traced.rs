//! Curves on which points are bound, traced along their constraints.
//!
//! A place p with g(p) = 0, of which one direction T is left, ∇g·T = 0: a step along T, and Newton's steps along ∇gᵀ back to the curve, until it closes or is
//! far away.
//!
//! # Reference
//! E. L. Allgower, K. Georg, *Introduction to Numerical Continuation Methods*, SIAM 2003, chapter 3.

use std::collections::BTreeMap;

use least_action_core::nalgebra::{DMatrix, DVector, Vector3};
use least_action_core::system::{Holonomic, State};

use super::{Curve, Entry};

/// Curves are found for models of so few constraints, and so many of them.
const CONSTRAINTS: usize = 1000;
const CURVES: usize = 8;
/// The points of a curve at most, and the steps of Newton at each.
const POINTS: usize = 2000;
const NEWTON: usize = 8;
/// The first step as a part of the size of the model, and the largest; an open curve is followed to so many sizes.
const FIRST: f64 = 0.01;
const LARGEST: f64 = 0.2;
const FAR: f64 = 20.0;
/// The cosine of the angle by which a step may turn, and that from which on it may grow.
const TURN: f64 = 0.995;
const STRAIGHT: f64 = 0.9995;
/// A step this much shorter than the first is at a corner, where the curve ends.
const CORNER: f64 = 1e-6;

/// The curves of points that constraints of their own hold but for one direction: `singles` has these constraints, each with its point.
pub(super) fn curves(constraints: &dyn Holonomic, start: &State, singles: &[(usize, Entry)]) -> Vec<Curve> {
    let mut bound: BTreeMap<Entry, Vec<usize>> = BTreeMap::new();
    for (row, entry) in singles {
        bound.entry(*entry).or_default().push(*row);
    }
    let mut curves: Vec<Curve> = Vec::new();
    if constraints.constraints() > CONSTRAINTS {
        return curves;
    }
    let size = start.q.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let size = if size > 0.0 { size } else { 1.0 };
    for (entry, rows) in bound.into_iter().filter(|(entry, rows)| entry.components == rows.len() + 1) {
        let mut wire = Wire { constraints, start, entry, rows, size };
        let place = wire.place();
        if curves.len() < CURVES && !wire.moves() && !curves.iter().any(|curve| is_on(curve, place, size)) {
            curves.extend(wire.traced(place));
        }
    }
    curves
}

/// True if a place is on a curve, up to the length of its chords.
fn is_on(curve: &Curve, place: Vector3<f64>, size: f64) -> bool {
    curve.points.windows(2).any(|ends| {
        let [from, to] = [0, 1].map(|k| Vector3::from(ends[k]));
        let along = to - from;
        let part = ((place - from).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (place - from - part * along).norm() < 1e-3 * size
    })
}

/// The constraints of a point.
struct Wire<'s> {
    constraints: &'s dyn Holonomic,
    start: &'s State,
    entry: Entry,
    rows: Vec<usize>,
    size: f64,
}

impl Wire<'_> {
    fn place(&self) -> Vector3<f64> {
        let Entry { place, components, .. } = self.entry;
        Vector3::from_fn(|k, _| if k < components { self.start.q[place + k] } else { 0.0 })
    }

    /// g and ∇g of the point at a place and a time.
    fn look(&self, at: Vector3<f64>, t: f64) -> (DVector<f64>, DMatrix<f64>) {
        let Entry { place, components, .. } = self.entry;
        let mut q = self.start.q.clone();
        (0..components).for_each(|k| q[place + k] = at[k]);
        let pattern = self.constraints.jacobian_pattern();
        let (mut values, mut jacobian) =
            (vec![0.0; self.constraints.constraints()], vec![0.0; pattern.len()]);
        self.constraints.jacobian(&q, t, &mut values, &mut jacobian);
        let slope = |row: usize, k: usize| {
            pattern.position(self.rows[row], place + k).map_or(0.0, |entry| jacobian[entry])
        };
        let g = DVector::from_fn(self.rows.len(), |row, _| values[self.rows[row]]);
        (g, DMatrix::from_fn(self.rows.len(), components, slope))
    }

    /// True if the curve is another one at another time.
    fn moves(&self) -> bool {
        let (place, t) = (self.place(), self.start.t);
        let now = self.look(place, t);
        [0.37, 1.0].into_iter().any(|passed| self.look(place, t + passed) != now)
    }

    /// The direction that is left at a place.
    fn tangent(&self, at: Vector3<f64>) -> Option<Vector3<f64>> {
        let (_, slopes) = self.look(at, self.start.t);
        let row = |k: usize| Vector3::from_fn(|i, _| if i < slopes.ncols() { slopes[(k, i)] } else { 0.0 });
        let other = if slopes.nrows() == 2 { row(1) } else { Vector3::z() };
        row(0).cross(&other).try_normalize(0.0)
    }

    /// The place on the curve that is near, by Newton's steps across it.
    fn back(&self, mut at: Vector3<f64>) -> Option<Vector3<f64>> {
        for _ in 0..NEWTON {
            let (g, slopes) = self.look(at, self.start.t);
            let step = slopes.transpose() * (&slopes * slopes.transpose()).lu().solve(&g)?;
            step.iter().enumerate().for_each(|(k, x)| at[k] -= x);
            if step.norm() < 1e-10 * self.size {
                return Some(at);
            }
        }
        None
    }

    /// The whole curve, or as far as it is near.
    fn traced(&mut self, place: Vector3<f64>) -> Option<Curve> {
        let place = self.back(place)?;
        let tangent = self.tangent(place)?;
        let (forth, closed) = self.followed(place, tangent);
        let mut points = if closed { Vec::new() } else { self.followed(place, -tangent).0 };
        points.reverse();
        points.push(place);
        points.extend(forth);
        (points.len() > 1).then(|| Curve { points: points.into_iter().map(Into::into).collect(), closed })
    }

    /// The points of the curve in a direction, and true if it comes back.
    fn followed(&self, place: Vector3<f64>, direction: Vector3<f64>) -> (Vec<Vector3<f64>>, bool) {
        let (mut points, mut at, mut along) = (Vec::new(), place, direction);
        let mut h = FIRST * self.size;
        while points.len() < POINTS && (at - place).norm() < FAR * self.size && h > CORNER * self.size {
            let next = self.back(at + h * along);
            let turned = next
                .and_then(|next| self.tangent(next))
                .map(|tangent| tangent * tangent.dot(&along).signum());
            let (Some(next), Some(tangent)) = (next, turned) else {
                h *= 0.5;
                continue;
            };
            let turn = tangent.dot(&along);
            if turn < TURN || (next - at).norm() > 2.0 * h {
                h *= 0.5;
                continue;
            }
            // Back at the start, in the direction of the start.
            if points.len() > 2 && (next - place).norm() <= h && tangent.dot(&direction) > 0.0 {
                points.push(place);
                return (points, true);
            }
            points.push(next);
            (at, along) = (next, tangent);
            if turn > STRAIGHT {
                h = (1.5 * h).min(LARGEST * self.size);
            }
        }
        (points, false)
    }
}
