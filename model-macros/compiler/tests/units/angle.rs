//! Angles of which the derivatives are known in closed form.

use super::eliminate::agree;
use crate::tape::{Case, Failure, check};
use least_action_compiler::internals::angle::closed;
use least_action_compiler::internals::eliminate::{Element, Wanted};
use least_action_compiler::internals::graph::{Function, Graph, Leaf, NodeId};
use std::collections::BTreeSet;

type Vector = Vec<NodeId>;

fn point(graph: &mut Graph, gather: usize, dimension: usize) -> Vector {
    (0..dimension).map(|component| graph.leaf(Leaf::Position { gather, component })).collect()
}

/// The bonds of a chain of points, each from the later one if `back`.
fn bonds(graph: &mut Graph, count: usize, dimension: usize, back: bool) -> Vec<Vector> {
    let bond = |k: usize| {
        let (start, end) = (point(graph, k, dimension), point(graph, k + 1, dimension));
        let (start, end) = if back { (end, start) } else { (start, end) };
        end.iter().zip(&start).map(|(end, start)| graph.subtract(*end, *start)).collect()
    };
    (0..count).map(bond).collect()
}

fn dot(graph: &mut Graph, a: &[NodeId], b: &[NodeId]) -> NodeId {
    let parts: Vec<(f64, NodeId)> = a.iter().zip(b).map(|(a, b)| (1.0, graph.multiply(*a, *b))).collect();
    graph.combination(parts)
}

fn area(graph: &mut Graph, a: &[NodeId], b: &[NodeId], (x, y): (usize, usize)) -> NodeId {
    let (straight, crossed) = (graph.multiply(a[x], b[y]), graph.multiply(a[y], b[x]));
    graph.subtract(straight, crossed)
}

fn cross(graph: &mut Graph, a: &[NodeId], b: &[NodeId]) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|plane| area(graph, a, b, plane)).to_vec()
}

fn norm(graph: &mut Graph, a: &[NodeId]) -> NodeId {
    let square = dot(graph, a, a);
    graph.power(square, 1)
}

/// The dihedral angle of three bonds.
fn dihedral(graph: &mut Graph, [a, b, c]: [&Vector; 3]) -> NodeId {
    let (left, right) = (cross(graph, a, b), cross(graph, b, c));
    let (length, height) = (norm(graph, b), dot(graph, a, &right));
    let (y, x) = (graph.multiply(length, height), dot(graph, &left, &right));
    graph.atan2(y, x)
}

/// The positions of the points, and their rates.
fn place(leaf: Leaf) -> f64 {
    const POINTS: [[f64; 3]; 5] =
        [[0.1, -0.2, 0.3], [1.1, 0.1, -0.1], [0.9, 1.3, 0.2], [0.2, 0.8, 1.4], [-0.6, 1.9, 1.1]];
    match leaf {
        Leaf::Position { gather, component } => POINTS[gather][component],
        Leaf::Direction { gather, component } => 0.3 - 0.7 * POINTS[4 - gather][2 - component],
        _ => 0.7,
    }
}

/// The ways to differentiate a function of the angle agree; says whether its derivatives are closed.
fn is_closed(graph: &mut Graph, angle: NodeId, floor: f64) -> Result<bool, String> {
    let twice = graph.scale(2.0, angle);
    let sine = graph.function(Function::Sin, twice);
    let root = graph.add(sine, angle);
    let inputs: Vec<Leaf> = graph
        .leaves(&[root])
        .into_iter()
        .filter(|leaf| least_action_compiler::internals::graph::is_position(*leaf))
        .collect();
    let element = Element::new(graph, root, &inputs, &BTreeSet::new());
    agree(graph, root, &inputs, &element, &place, floor, &|element, wanted| match wanted {
        Wanted::Gradient | Wanted::Second | Wanted::Product => element.all(wanted),
        _ => element.best(wanted).into_iter().collect(),
    })?;
    let closed = closed(graph, root);
    assert_eq!(element.has_closed_derivatives(), !closed.is_empty());
    Ok(!closed.is_empty())
}

#[test]
fn the_dihedral_angle_changes_with_its_ends_as_blondel_and_karplus_say() {
    let mut graph = Graph::default();
    let bonds = bonds(&mut graph, 3, 3, false);
    let [a, b, c] = [0, 1, 2].map(|k| &bonds[k]);
    let angle = dihedral(&mut graph, [a, b, c]);
    let closed = closed(&mut graph, angle);
    let length = norm(&mut graph, b);
    for (bond, normal) in [(a, cross(&mut graph, a, b)), (c, cross(&mut graph, b, c))] {
        let square = dot(&mut graph, &normal, &normal);
        let slope = graph.divide(length, square);
        for (bond, normal) in bond.iter().zip(normal) {
            let (sign, node) = graph.split_factor(*bond);
            let expected = graph.multiply(slope, normal);
            let expected = graph.scale(sign, expected);
            let found = closed[&angle].iter().find(|(by, _)| *by == node).map(|(_, partial)| *partial);
            assert!(
                found == Some(expected),
                "{:?}",
                found.map(|found| graph.print(found, &|leaf| format!("{leaf:?}")))
            );
        }
    }
}

#[test]
fn angles_between_vectors_are_closed() {
    for back in [false, true] {
        let mut graph = Graph::default();
        let [flat, solid] = [2, 3].map(|dimension| bonds(&mut graph, 4, dimension, back));
        let mut angles = Vec::new();
        // The angle from one vector to another, in the plane and in space.
        for (a, b) in [(0, 1), (1, 0), (0, 2)] {
            let (y, x) = (area(&mut graph, &flat[a], &flat[b], (0, 1)), dot(&mut graph, &flat[a], &flat[b]));
            angles.push(graph.atan2(y, x));
            angles.push(graph.atan2(x, y));
            let normal = cross(&mut graph, &solid[a], &solid[b]);
            let (y, x) = (norm(&mut graph, &normal), dot(&mut graph, &solid[a], &solid[b]));
            angles.push(graph.atan2(y, x));
            angles.push(graph.atan2(x, y));
            let (y, x) = (graph.scale(3.0, y), graph.scale(3.0, x));
            angles.push(graph.atan2(y, x));
        }
        angles.push(dihedral(&mut graph, [0, 1, 2].map(|k| &solid[k])));
        angles.push(dihedral(&mut graph, [1, 3, 2].map(|k| &solid[k])));
        // An improper one: between the planes of three bonds of one point.
        let (left, right) =
            (cross(&mut graph, &solid[0], &solid[1]), cross(&mut graph, &solid[1], &solid[2]));
        let normal = cross(&mut graph, &left, &right);
        let (y, x) = (norm(&mut graph, &normal), dot(&mut graph, &left, &right));
        angles.push(graph.atan2(y, x));
        for (k, angle) in angles.into_iter().enumerate() {
            assert_eq!(is_closed(&mut graph, angle, 0.0), Ok(true), "angle {k}");
        }
    }
}

#[test]
fn other_angles_are_left_as_they_are() {
    let mut graph = Graph::default();
    let [flat, solid] = [2, 3].map(|dimension| bonds(&mut graph, 2, dimension, false));
    let one = graph.constant(1.0);
    let weight = graph.leaf(Leaf::Coefficient(0));
    let (wedge, product) =
        (area(&mut graph, &flat[0], &flat[1], (0, 1)), dot(&mut graph, &flat[0], &flat[1]));
    let (half, more, heavier) =
        (graph.scale(0.5, product), graph.add(product, one), graph.multiply(weight, product));
    let shifted: Vector = flat[0].iter().map(|x| graph.add(*x, one)).collect();
    let (moved, turned) = (area(&mut graph, &shifted, &flat[1], (0, 1)), dot(&mut graph, &shifted, &flat[1]));
    let root = graph.power(solid[1][2], 1);
    let points = [
        // The square of the radius has no factors that are known.
        (wedge, more),
        (solid[0][0], solid[1][1]),
        (root, solid[0][0]),
        // Numbers that are no integers, numbers that are known at binding only, and a vector that is no difference.
        (wedge, half),
        (wedge, heavier),
        (moved, turned),
    ];
    for (k, (y, x)) in points.into_iter().enumerate() {
        let angle = graph.atan2(y, x);
        assert_eq!(is_closed(&mut graph, angle, 0.0), Ok(false), "angle {k}");
    }
}

/// Angles of points that are made of products of vectors at random: most are not closed, and those that are, are right.
#[test]
fn what_is_closed_is_right() {
    check(1000, 0, 6..16, &mut |case| closed_is_right(case).map_err(Failure::Wrong));
}

fn closed_is_right(Case { tape, seed }: &Case) -> Result<(), String> {
    let dimension = 2 + usize::from(seed % 2 == 1);
    let mut graph = Graph::default();
    let mut vectors = bonds(&mut graph, 3, dimension, tape[0] % 2 == 0);
    let mut scalars = Vec::new();
    for step in tape[1..].chunks_exact(3) {
        let pick = |number: u16| vectors[usize::from(number) % vectors.len()].clone();
        let (a, b) = (pick(step[1]), pick(step[2]));
        match step[0] % 4 {
            0 if dimension == 3 && vectors.len() < 5 => vectors.push(cross(&mut graph, &a, &b)),
            0 | 1 => scalars.push(dot(&mut graph, &a, &b)),
            2 => scalars.push(norm(&mut graph, &a)),
            _ => scalars.push(area(&mut graph, &a, &b, (0, 1))),
        }
    }
    let halves = scalars.split_at(scalars.len() / 2);
    let [y, x] = [halves.0, halves.1].map(|part| graph.monomial(part.iter().map(|scalar| (*scalar, 2))));
    let angle = graph.atan2(y, x);
    // At ±π the sign of zero decides.
    let is_apart = graph.evaluate(&[y], place)[0].abs() > 1e-3;
    if is_apart && !closed(&mut graph, angle).is_empty() {
        is_closed(&mut graph, angle, 1.0)?;
    }
    Ok(())
}
