//! Curves on which points are bound, traced along their constraints, and surfaces as nets of such
//! curves, which planes cut out of them.
//!
//! A place p with g(p) = 0, of which one direction T is left, ∇g·T = 0: a step along T, and Newton's
//! steps along ∇gᵀ back to the curve, until it closes or is
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
/// The first step as a part of the size of the model, and the largest; an open curve is followed to so
/// many sizes.
const FIRST: f64 = 0.01;
const LARGEST: f64 = 0.2;
const FAR: f64 = 20.0;
/// A surface is followed to so many sizes, and cut by a plane at each so many points of the curves in
/// the middle of its net.
const NEAR: f64 = 2.0;
const CUTS: f64 = 16.0;
/// The constraints of a model of which surfaces are drawn at most, and the surfaces.
const OF_SURFACES: usize = 100;
const SURFACES: usize = 2;
/// The cosine of the angle by which a step may turn, and that from which on it may grow.
const TURN: f64 = 0.995;
const STRAIGHT: f64 = 0.9995;
/// A step this much shorter than the first is at a corner, where the curve ends.
const CORNER: f64 = 1e-6;

/// The curves of points that constraints of their own hold but for one direction: `singles` has these
/// constraints, each with its point.
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
    let mut surfaces = 0;
    for (entry, rows) in bound {
        let left = entry.components - rows.len().min(entry.components);
        let wire = Wire {
            constraints,
            start,
            entry,
            rows,
            cut: None,
            size,
            far: if left == 1 { FAR } else { NEAR },
        };
        let place = wire.place();
        if wire.moves() || curves.iter().any(|curve| is_on(curve, place, size)) {
            continue;
        }
        if left == 1 && curves.len() < CURVES {
            curves.extend(wire.traced(place));
        } else if left == 2 && surfaces < SURFACES && constraints.constraints() <= OF_SURFACES {
            surfaces += 1;
            curves.extend(wire.net(place));
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

/// True if a curve is in the plane through a place.
fn is_within(curve: &Curve, normal: Vector3<f64>, place: Vector3<f64>) -> bool {
    let off = |point: &[f64; 3]| normal.dot(&(Vector3::from(*point) - place)).abs();
    curve.points.iter().map(off).fold(0.0, f64::max) < 1e-6 * (1.0 + place.norm())
}

/// The constraints of a point.
#[derive(Clone)]
struct Wire<'s> {
    constraints: &'s dyn Holonomic,
    start: &'s State,
    entry: Entry,
    rows: Vec<usize>,
    /// A plane in which the curve is, by its normal and a place.
    cut: Option<[Vector3<f64>; 2]>,
    size: f64,
    /// How many sizes it is followed.
    far: f64,
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
        let slope = |row: usize, k: usize| match (self.rows.get(row), self.cut) {
            (Some(row), _) => pattern.position(*row, place + k).map_or(0.0, |entry| jacobian[entry]),
            (None, cut) => cut.map_or(0.0, |[normal, _]| normal[k]),
        };
        let value = |row: usize, _| match (self.rows.get(row), self.cut) {
            (Some(row), _) => values[*row],
            (None, cut) => cut.map_or(0.0, |[normal, through]| normal.dot(&(at - through))),
        };
        let rows = self.rows.len() + usize::from(self.cut.is_some());
        (DVector::from_fn(rows, value), DMatrix::from_fn(rows, components, slope))
    }

    /// The same where a plane cuts it.
    fn cut(&self, normal: Vector3<f64>, through: Vector3<f64>) -> Self {
        Self { cut: Some([normal, through]), rows: self.rows.clone(), ..*self }
    }

    /// A surface by the curves of two families of planes, each across the curve of the other in the
    /// middle.
    fn net(&self, place: Vector3<f64>) -> Vec<Curve> {
        let (_, slopes) = self.look(place, self.start.t);
        let normal = Vector3::from_fn(|k, _| slopes[(0, k)]);
        let aside = if normal.z.abs() < 0.9 * normal.norm() { Vector3::z() } else { Vector3::x() };
        let Some(one) = normal.cross(&aside).try_normalize(0.0) else { return Vec::new() };
        let Some(two) = normal.cross(&one).try_normalize(0.0) else { return Vec::new() };
        let mut net: Vec<Curve> = Vec::new();
        for (across, along) in [(one, two), (two, one)] {
            let Some(middle) = self.cut(across, place).traced(place) else { continue };
            let lengths =
                middle.points.windows(2).map(|ends| (Vector3::from(ends[1]) - Vector3::from(ends[0])).norm());
            let lengths: Vec<f64> = lengths.collect();
            let (mut passed, mut due) = (0.0, 0.0);
            let step = lengths.iter().sum::<f64>() / CUTS;
            for (point, length) in middle.points.iter().zip(lengths) {
                if passed >= due {
                    due += step;
                    let at = Vector3::from(*point);
                    if !net.iter().any(|curve| is_on(curve, at, self.size) && is_within(curve, along, at)) {
                        net.extend(self.cut(along, at).traced(at).map(|curve| Curve { thin: true, ..curve }));
                    }
                }
                passed += length;
            }
        }
        net
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
    fn traced(&self, place: Vector3<f64>) -> Option<Curve> {
        let place = self.back(place)?;
        let tangent = self.tangent(place)?;
        let (forth, closed) = self.followed(place, tangent);
        let mut points = if closed { Vec::new() } else { self.followed(place, -tangent).0 };
        points.reverse();
        points.push(place);
        points.extend(forth);
        (points.len() > 1).then(|| Curve {
            points: points.into_iter().map(Into::into).collect(),
            closed,
            thin: false,
        })
    }

    /// The points of the curve in a direction, and true if it comes back.
    fn followed(&self, place: Vector3<f64>, direction: Vector3<f64>) -> (Vec<Vector3<f64>>, bool) {
        let (mut points, mut at, mut along) = (Vec::new(), place, direction);
        let mut h = FIRST * self.size;
        while points.len() < POINTS && (at - place).norm() < self.far * self.size && h > CORNER * self.size {
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
