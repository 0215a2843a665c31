//! What is shared, and what each operation costs.

use super::{Operation, Program, Schedule};
use crate::graph::{Graph, Leaf, NodeId};

const X: [Leaf; 3] = [
    Leaf::Position { gather: 0, component: 0 },
    Leaf::Position { gather: 0, component: 1 },
    Leaf::Position { gather: 0, component: 2 },
];

fn program(build: impl Fn(&mut Graph, [NodeId; 3], NodeId) -> Vec<NodeId>) -> Program {
    let mut graph = Graph::default();
    let x = X.map(|leaf| graph.leaf(leaf));
    let c = graph.leaf(Leaf::Coefficient(0));
    let roots = build(&mut graph, x, c);
    Schedule::of(&mut graph, &[], &roots, true).program()
}

#[test]
fn pairs_of_factors_are_multiplied_once() {
    let found = program(|graph, [x, y, z], _| {
        vec![graph.monomial([(x, 2), (y, 2), (z, 2)]), graph.monomial([(x, 2), (y, 2)])]
    });
    assert_eq!(found.cost, 2);
}

#[test]
fn pairs_of_terms_are_added_once_whatever_their_sign() {
    let found = program(|graph, [x, y, z], _| {
        vec![graph.combination([(1.0, x), (-1.0, y), (1.0, z)]), graph.combination([(2.0, y), (-2.0, x)])]
    });
    // x - y, + z, and twice.
    assert_eq!(found.cost, 3);
}

#[test]
fn factors_leave_sums() {
    let found = program(|graph, [x, y, z], _| {
        let (left, right) = (graph.multiply(x, y), graph.multiply(x, z));
        vec![graph.add(left, right)]
    });
    assert_eq!(found.cost, 2);
}

#[test]
fn a_product_that_is_added_once_is_fused() {
    let found = program(|graph, [x, y, z], _| {
        let product = graph.multiply(x, y);
        vec![graph.add(product, z)]
    });
    assert!(found.operations.iter().any(|operation| matches!(operation, Operation::MultiplyAdd(..))));
    assert_eq!(found.cost, 2);
}

#[test]
fn what_does_not_vary_costs_nothing() {
    let found = program(|graph, [x, ..], c| {
        let (square, root) = (graph.power(c, 4), graph.power(c, 1));
        let factor = graph.add(square, root);
        let factor = graph.scale(3.0, factor);
        vec![graph.multiply(factor, x)]
    });
    assert_eq!((found.cost, found.coefficients().count()), (1, 1));
}

#[test]
fn internal_variables_are_what_they_stand_for() {
    let mut graph = Graph::default();
    let [x, y, z] = X.map(|leaf| graph.leaf(leaf));
    let difference = graph.subtract(x, y);
    let u = graph.leaf(Leaf::Internal(0));
    let root = graph.add(u, z);
    let found = Schedule::of(&mut graph, &[difference], &[root], true).program();
    let read = |leaf| [5.0, 3.0, 0.25][X.iter().position(|known| *known == leaf).unwrap_or(0)];
    assert_eq!(found.run(&read, &|_| 0.0), [2.25]);
}
