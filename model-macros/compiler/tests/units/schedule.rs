//! The sharing of subexpressions, and the cost of each operation.

use super::run::run;
use least_action_compiler::internals::graph::{Function, Graph, Leaf, NodeId};
use least_action_compiler::internals::schedule::{Instruction, Program, Schedule, Source};

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
fn all_that_terms_have_in_common_leaves_them_together() {
    let found = program(|graph, [x, y, z], c| {
        let sine = graph.function(Function::Sin, z);
        [2, 4, 6]
            .map(|halves| {
                let parts = [x, y].map(|of| graph.monomial([(c, 2), (sine, 2), (z, 2), (of, halves)]));
                graph.add(parts[0], parts[1])
            })
            .to_vec()
    });
    // The sine, its product with c z, two squares and cubes; each sum is added and multiplied once.
    assert_eq!(found.cost, 20 + 2 + 4 + 3 * (1 + 1));
}

#[test]
fn what_is_known_late_is_multiplied_last() {
    let found = program(|graph, [x, y, z], _| {
        let sine = graph.function(Function::Sin, x);
        vec![graph.monomial([(sine, 2), (y, 2), (z, 2)])]
    });
    let Instruction::Multiply(a, b) = found.operations[found.outputs[0]] else { panic!("{found:?}") };
    let last = [a, b].map(|value| found.operations[value]);
    assert!(last.iter().any(|operation| matches!(operation, Instruction::Function(..))), "{found:?}");
}

/// 4 c z, 8 c y x + 4 c z and −4 c y with 4 c as the coefficient: c z, c y, and x · 2 times that added.
#[test]
fn a_number_before_results_goes_into_the_coefficients_of_products() {
    let mut graph = Graph::default();
    let [x, y, z] = X.map(|leaf| graph.leaf(leaf));
    let c = graph.leaf(Leaf::Coefficient(0));
    let [of_y, of_z] = [y, z].map(|of| graph.multiply(c, of));
    let product = graph.multiply(of_y, x);
    let roots =
        [graph.scale(4.0, of_z), graph.combination([(8.0, product), (4.0, of_z)]), graph.scale(-4.0, of_y)];
    let found = Schedule::of(&mut graph, &[], &roots, true).program();
    let read = |leaf| match leaf {
        Leaf::Coefficient(_) => 0.7,
        _ => [0.1, -3.7, 2.3][X.iter().position(|known| *known == leaf).unwrap_or(0)],
    };
    let coefficients: Vec<f64> = found.coefficients().map(|node| graph.evaluate(&[node], read)[0]).collect();
    assert_eq!(coefficients, [4.0 * 0.7]);
    assert_eq!(found.cost, 1 + 1 + 3);
    let values = run(&found, &read, &|node| graph.evaluate(&[node], read)[0]);
    for (found, expected) in values.iter().zip(graph.evaluate(&roots, read)) {
        assert!((found - expected).abs() <= 1e-15 * expected.abs(), "{found} is not {expected}");
    }
}

#[test]
fn a_product_that_is_added_once_is_fused() {
    let found = program(|graph, [x, y, z], _| {
        let product = graph.multiply(x, y);
        vec![graph.add(product, z)]
    });
    assert!(found.operations.iter().any(|operation| matches!(operation, Instruction::MultiplyAdd(..))));
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
    assert_eq!(run(&found, &read, &|_| 0.0), [2.25]);
}

/// The sum of the sines of all products of two coordinates, and each of them squared, in this order.
fn squares_after_a_sum() -> Schedule {
    let mut graph = Graph::default();
    let x = X.map(|leaf| graph.leaf(leaf));
    let mut sines = Vec::new();
    for (k, a) in x.iter().enumerate() {
        for b in &x[..=k] {
            let product = graph.multiply(*a, *b);
            sines.push(graph.function(Function::Sin, product));
        }
    }
    let mut roots = vec![graph.combination(sines.iter().map(|sine| (1.0, *sine)))];
    roots.extend(sines.iter().map(|sine| graph.power(*sine, 4)));
    Schedule::of(&mut graph, &[], &roots, true)
}

#[test]
fn the_order_of_operations_changes_no_bit() {
    let read = |leaf| [0.1, -3.7, 2.3][X.iter().position(|known| *known == leaf).unwrap_or(0)];
    let bits = |program: &Program| -> Vec<u64> {
        run(program, &read, &|_| 0.0).into_iter().map(f64::to_bits).collect()
    };
    let (program, expected) = (squares_after_a_sum().program().ordered(), squares_after_a_sum().program());
    for (place, operation) in program.operations.iter().enumerate() {
        assert!(operation.operands().iter().all(|operand| *operand < place), "{:?}", program.operations);
    }
    assert_eq!(bits(&program), bits(&expected));
    assert_eq!((program.cost, program.fixed.len()), (expected.cost, expected.fixed.len()));
}

#[test]
fn an_output_comes_when_few_operations_are_left_of_it() {
    let place_of_sum = |program: Program| program.operations.len() - program.outputs[0];
    // After the squares, though it is asked for before them.
    assert_eq!(place_of_sum(squares_after_a_sum().program().ordered()), 1);
    assert!(place_of_sum(squares_after_a_sum().program()) > 6);
}

#[test]
fn the_cosine_of_an_angle_comes_with_its_sine() {
    let found = program(|graph, [x, y, z], _| {
        let (sine, cosine) = (graph.function(Function::Sin, x), graph.function(Function::Cos, x));
        let other = graph.function(Function::Cos, y);
        let product = graph.multiply(sine, z);
        vec![product, graph.add(product, other), graph.multiply(cosine, product)]
    });
    let found = found.ordered();
    let angle =
        found.operations.iter().position(|operation| *operation == Instruction::Read(Source::Leaf(X[0])));
    let place = |function| {
        let operation = Instruction::Function(function, angle.expect("it is read"));
        found.operations.iter().position(|known| *known == operation).expect("it is computed")
    };
    assert_eq!(place(Function::Sin).abs_diff(place(Function::Cos)), 1, "{found:?}");
}
