//! Connections in the compiled terms: constraints, pair terms of short tables as springs, and terms of
//! three or four points as triangles and tetrahedra of a mesh.

use std::collections::{BTreeMap, BTreeSet};

use least_action_core::system::State;

use crate::held::{Entry, Held};
use crate::model::Drawable;

/// Connections of a model.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The geometry of its constraints.
    pub(super) held: Held,
    pub(super) springs: Vec<[usize; 2]>,
    pub(super) faces: Vec<[usize; 3]>,
}

/// Families with more elements than this are no tables of connections.
const MOST: usize = 400_000;
/// A structure has at most so many pairs for each of its points; pairs of a gas have more.
const PAIRS_OF_A_POINT: usize = 4;
/// Finds the connections of a system; `entries` has the point to which each place of q belongs.
pub(super) fn find(system: &dyn Drawable, start: &State, entries: &[Option<Entry>]) -> Found {
    let mut found = Found::default();
    if let Some(constraints) = system.lagrangian().holonomic() {
        found.held = Held::by(constraints, start, entries);
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
    let mut bound: BTreeSet<[usize; 2]> = found.held.rods.iter().map(|pair| sorted(*pair)).collect();
    for elements in of_size(2) {
        let pairs: BTreeSet<[usize; 2]> = elements.iter().map(|points| [points[0], points[1]]).collect();
        if is_a_structure(&pairs) {
            found.springs.extend(pairs.iter().filter(|pair| !bound.contains(*pair)));
            bound.extend(pairs);
        }
    }
    // Three of four points in a row are bonds of a torsion, two of three are bonds of a bend: neither is
    // part of a mesh.
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
