//! Geometry of constraints: rods between points, places from which they hang, spheres and curves on
//! which they stay.

mod traced;

use std::collections::BTreeSet;

use least_action_core::system::{Holonomic, State};
use serde::Serialize;

/// Rods, mounts, spheres and curves of constraints.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) rods: Vec<[usize; 2]>,
    pub(super) pivots: Vec<Pivot>,
    pub(super) spheres: Vec<Sphere>,
    pub(super) curves: Vec<Curve>,
    /// True if pivots move.
    pub(super) moving: bool,
}

/// A sphere, in the plane a circle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sphere {
    /// Its middle.
    pub centre: [f64; 3],
    /// The distance of its points from there.
    pub radius: f64,
}

/// A curve by its points, of which a closed one repeats the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Its points.
    pub points: Vec<[f64; 3]>,
    /// True if it comes back.
    pub closed: bool,
    /// True if it is one of the net of a surface.
    pub thin: bool,
}

/// A point that stands for an entry of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) point: usize,
    /// Where it begins in q.
    pub(super) place: usize,
    pub(super) components: usize,
}

/// A point that a constraint holds at a distance from a place of its own.
#[derive(Debug, Clone)]
pub(super) struct Pivot {
    pub(super) point: usize,
    row: usize,
    entry: Entry,
    /// Hess g = s·1.
    curvature: f64,
    pub(super) centre: [f64; 3],
}

/// Numbers that differ by less than this part are the same.
const SAME: f64 = 1e-9;
/// So many points at the same distance from one place are on a sphere, and hang from nothing.
const ON_A_SPHERE: usize = 3;

impl Held {
    /// By these constraints, from a start on; `entries` has the point to which each place of q belongs.
    /// Rods are constraints between two points, along the line through them; a point that a constraint
    /// holds alone has a pivot or its sphere, and one that is held but for one direction a curve.
    pub(super) fn by(constraints: &dyn Holonomic, start: &State, entries: &[Option<Entry>]) -> Self {
        let mut held = Self::default();
        let pattern = constraints.jacobian_pattern();
        let mut singles: Vec<(usize, Entry)> = Vec::new();
        let (mut values, mut jacobian) = (vec![0.0; pattern.height()], vec![0.0; pattern.len()]);
        constraints.jacobian(&start.q, start.t, &mut values, &mut jacobian);
        let slope = |row, place| pattern.position(row, place).map_or(0.0, |entry| jacobian[entry]);
        for row in 0..pattern.height() {
            let columns = &pattern.columns()[pattern.row(row)];
            let touched: Option<BTreeSet<Entry>> =
                columns.iter().map(|&column| entries[column as usize]).collect();
            let touched: Vec<Entry> = touched.into_iter().flatten().collect();
            match touched[..] {
                [first, second] if first.components == second.components => {
                    let of_both = (0..first.components).map(|k| {
                        let places = [first.place + k, second.place + k];
                        (places.map(|place| slope(row, place)), start.q[places[0]] - start.q[places[1]])
                    });
                    if is_along(of_both) {
                        held.rods.push([first.point, second.point]);
                    }
                }
                [single] => singles.push((row, single)),
                _ => {}
            }
        }
        held.rods.sort_unstable();
        held.rods.dedup();
        let pivots = round(constraints, start, &singles);
        let hanging: BTreeSet<usize> = pivots.iter().map(|pivot| pivot.point).collect();
        let late = centres(constraints, &start.q, start.t + 1.0, &pivots);
        held.moving = pivots.iter().zip(&late).any(|(pivot, late)| !near(&pivot.centre, late));
        let radius = |pivot: &Pivot| {
            let Entry { place, components, .. } = pivot.entry;
            (0..components).map(|k| (start.q[place + k] - pivot.centre[k]).powi(2)).sum::<f64>().sqrt()
        };
        let mut spheres: Vec<(Sphere, Vec<Pivot>)> = Vec::new();
        for pivot in pivots {
            let sphere = Sphere { centre: pivot.centre, radius: radius(&pivot) };
            let same = |other: &Sphere| {
                near(&other.centre, &sphere.centre)
                    && (other.radius - sphere.radius).abs() <= SAME * sphere.radius
            };
            match spheres.iter_mut().find(|(other, _)| !held.moving && same(other)) {
                Some((_, pivots)) => pivots.push(pivot),
                None => spheres.push((sphere, vec![pivot])),
            }
        }
        for (sphere, pivots) in spheres {
            if pivots.len() > ON_A_SPHERE {
                held.spheres.push(sphere);
            } else {
                held.pivots.extend(pivots);
            }
        }
        // A point that hangs from a place needs no sphere, and in the plane no circle; with another
        // constraint it is on a curve in space.
        let alone = |entry: &Entry, all: &[(usize, Entry)]| {
            entry.components == 2 || all.iter().filter(|(_, other)| other == entry).count() == 1
        };
        let wires: Vec<(usize, Entry)> = singles
            .iter()
            .filter(|(_, entry)| !(hanging.contains(&entry.point) && alone(entry, &singles)))
            .copied()
            .collect();
        held.curves = traced::curves(constraints, start, &wires);
        held
    }
}

/// True if the slopes of a constraint by two points are opposite, and along the way between them.
fn is_along(components: impl Iterator<Item = ([f64; 2], f64)>) -> bool {
    let [mut sum, mut slopes, mut lengths, mut along] = [0.0_f64; 4];
    for ([one, other], apart) in components {
        sum += (one + other).powi(2);
        slopes += one * one;
        lengths += apart * apart;
        along += one * apart;
    }
    sum <= SAME * slopes && along * along >= (1.0 - SAME) * slopes * lengths
}

/// True if two places are the same.
fn near(a: &[f64; 3], b: &[f64; 3]) -> bool {
    let size = a.iter().chain(b).fold(0.0, |size: f64, x| size.max(x.abs()));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * size)
}

/// A constraint g(p) with Hess g = s·1 is a circle or a sphere about p − ∇g / s.
fn round(constraints: &dyn Holonomic, start: &State, singles: &[(usize, Entry)]) -> Vec<Pivot> {
    // All points are probed at once: the constraint of a single point sees only its own.
    let probe = |axes: [usize; 2]| {
        let mut direction = vec![0.0; start.q.len()];
        for (_, entry) in singles {
            let inside = axes.iter().filter(|axis| **axis < entry.components);
            inside.for_each(|axis| direction[entry.place + axis] = 1.0);
        }
        let mut quadratic = vec![0.0; constraints.constraints()];
        constraints.constraint_quadratic(&start.q, start.t, &direction, &mut quadratic);
        quadratic
    };
    let space = singles.iter().map(|(_, entry)| entry.components).max().unwrap_or(0);
    let axes: Vec<[usize; 2]> = (0..space).flat_map(|i| (i..space).map(move |j| [i, j])).collect();
    let probes: Vec<Vec<f64>> = axes.iter().map(|axes| probe(*axes)).collect();
    let mut pivots = Vec::new();
    for &(row, entry) in singles {
        let s = probes[0][row];
        let is_round =
            axes.iter().zip(&probes).filter(|([_, j], _)| *j < entry.components).all(|([i, j], probe)| {
                let wanted = if i == j { s } else { 2.0 * s };
                (probe[row] - wanted).abs() <= SAME * s.abs()
            });
        if s != 0.0 && is_round {
            pivots.push(Pivot { point: entry.point, row, entry, curvature: s, centre: [0.0; 3] });
        }
    }
    let found = centres(constraints, &start.q, start.t, &pivots);
    for (pivot, centre) in pivots.iter_mut().zip(found) {
        pivot.centre = centre;
    }
    pivots.retain(|pivot| pivot.centre.iter().all(|number| number.is_finite()));
    pivots
}

/// The places from which constraints hold points, at (q, t).
pub(crate) fn centres(constraints: &dyn Holonomic, q: &[f64], t: f64, pivots: &[Pivot]) -> Vec<[f64; 3]> {
    if pivots.is_empty() {
        return Vec::new();
    }
    let pattern = constraints.jacobian_pattern();
    let (mut values, mut jacobian) = (vec![0.0; constraints.constraints()], vec![0.0; pattern.len()]);
    constraints.jacobian(q, t, &mut values, &mut jacobian);
    let centre = |pivot: &Pivot| {
        let Entry { place, components, .. } = pivot.entry;
        let slope = |k: usize| pattern.position(pivot.row, place + k).map_or(0.0, |entry| jacobian[entry]);
        std::array::from_fn(|k| if k < components { q[place + k] - slope(k) / pivot.curvature } else { 0.0 })
    };
    pivots.iter().map(centre).collect()
}
