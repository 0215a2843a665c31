//! What the compiler knows of connections: constraints between two points are rods, pair terms of short tables springs, and terms of three or four
//! points triangles and tetrahedra of a mesh.

use std::collections::{BTreeMap, BTreeSet};

use least_action_core::system::{Holonomic, State};

use super::drawn::Sphere;
use crate::model::Drawable;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) rods: Vec<[usize; 2]>,
    pub(super) springs: Vec<[usize; 2]>,
    pub(super) faces: Vec<[usize; 3]>,
    pub(super) pivots: Vec<Pivot>,
    pub(super) spheres: Vec<Sphere>,
    /// True if pivots move.
    pub(super) moving: bool,
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

/// Families with more elements than this are no tables of connections.
const MOST: usize = 400_000;
/// A structure has at most so many pairs for each of its points; pairs of a gas have more.
const PAIRS_OF_A_POINT: usize = 4;
/// Numbers that differ by less than this part are the same.
const SAME: f64 = 1e-9;
/// So many points at the same distance from one place are on a sphere, and hang from nothing.
const ON_A_SPHERE: usize = 3;

/// Finds the connections of a system; `entries` has the point to which each place of q belongs.
pub(super) fn find(system: &dyn Drawable, start: &State, entries: &[Option<Entry>]) -> Found {
    let mut found = Found::default();
    if let Some(constraints) = system.lagrangian().holonomic() {
        rods_and_pivots(constraints, start, entries, &mut found);
    }
    let mut families: BTreeMap<usize, Vec<Vec<usize>>> = BTreeMap::new();
    system.visit_potential(MOST, &mut |family, slots| {
        let points: Option<BTreeSet<usize>> =
            slots.iter().map(|&slot| Some(entries[slot as usize]?.point)).collect();
        if let Some(points) = points.filter(|points| (2..=4).contains(&points.len())) {
            families.entry(family).or_default().push(points.into_iter().collect());
        }
    });
    let of_size = |size: usize| {
        let of_size = families.values().map(move |elements| {
            elements.iter().filter(|element| element.len() == size).map(Vec::as_slice).collect::<Vec<_>>()
        });
        of_size.filter(|elements: &Vec<&[usize]>| !elements.is_empty())
    };
    let mut bound: BTreeSet<[usize; 2]> = found.rods.iter().map(|pair| sorted(*pair)).collect();
    for elements in of_size(2) {
        let pairs: BTreeSet<[usize; 2]> = elements.iter().map(|points| [points[0], points[1]]).collect();
        if is_a_structure(&pairs) {
            found.springs.extend(pairs.iter().filter(|pair| !bound.contains(*pair)));
            bound.extend(pairs);
        }
    }
    // Three of four points in a row are bonds of a torsion, two of three those of a bend: neither is part of a mesh.
    let is_bound = |points: &[usize]| {
        let pairs = (0..points.len()).flat_map(|i| (i + 1..points.len()).map(move |j| (i, j)));
        let count = pairs.filter(|&(i, j)| bound.contains(&sorted([points[i], points[j]]))).count();
        count + 1 >= points.len()
    };
    let mut faces: BTreeMap<[usize; 3], usize> = BTreeMap::new();
    for points in of_size(4).flatten().filter(|points| !is_bound(points)) {
        for left_out in 0..4 {
            let face: Vec<usize> = (0..4).filter(|k| *k != left_out).map(|k| points[k]).collect();
            *faces.entry([face[0], face[1], face[2]]).or_default() += 1;
        }
    }
    // A face of two tetrahedra is inside.
    found.faces = faces.into_iter().filter(|(_, times)| *times == 1).map(|(face, _)| face).collect();
    let triangles = of_size(3).flatten().filter(|points| !is_bound(points));
    let triangles: BTreeSet<[usize; 3]> = triangles.map(|points| [points[0], points[1], points[2]]).collect();
    found.faces.extend(triangles);
    found
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// True if pairs hold points together, and are not all pairs of a gas.
fn is_a_structure(pairs: &BTreeSet<[usize; 2]>) -> bool {
    let points: BTreeSet<usize> = pairs.iter().flatten().copied().collect();
    let all = points.len() * (points.len() - 1) / 2;
    pairs.len() <= PAIRS_OF_A_POINT * points.len() && (pairs.len() < all || points.len() <= 3)
}

/// Rods are constraints between two points; a point that a constraint holds alone has a pivot.
fn rods_and_pivots(constraints: &dyn Holonomic, start: &State, entries: &[Option<Entry>], found: &mut Found) {
    let pattern = constraints.jacobian_pattern();
    let mut singles: Vec<(usize, Entry)> = Vec::new();
    for row in 0..pattern.height() {
        let columns = &pattern.columns()[pattern.row(row)];
        let touched: Option<BTreeSet<Entry>> =
            columns.iter().map(|&column| entries[column as usize]).collect();
        let touched: Vec<Entry> = touched.into_iter().flatten().collect();
        match touched[..] {
            [first, second] => found.rods.push([first.point, second.point]),
            [single] => singles.push((row, single)),
            _ => {}
        }
    }
    found.rods.sort_unstable();
    found.rods.dedup();
    let pivots = round(constraints, start, &singles);
    let late = centres(constraints, &start.q, start.t + 1.0, &pivots);
    found.moving = pivots.iter().zip(&late).any(|(pivot, late)| !near(&pivot.centre, late));
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
        match spheres.iter_mut().find(|(other, _)| !found.moving && same(other)) {
            Some((_, pivots)) => pivots.push(pivot),
            None => spheres.push((sphere, vec![pivot])),
        }
    }
    for (sphere, pivots) in spheres {
        if pivots.len() > ON_A_SPHERE {
            found.spheres.push(sphere);
        } else {
            found.pivots.extend(pivots);
        }
    }
}

/// True if two places are the same.
fn near(a: &[f64; 3], b: &[f64; 3]) -> bool {
    let size = a.iter().chain(b).fold(0.0, |size: f64, x| size.max(x.abs()));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * size)
}

/// A constraint g(p) with Hess g = s·1 is that of a circle or a sphere, whose centre is p − ∇g / s.
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
pub(super) fn centres(constraints: &dyn Holonomic, q: &[f64], t: f64, pivots: &[Pivot]) -> Vec<[f64; 3]> {
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
