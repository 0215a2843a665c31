//! Polynomials in combined variables.

use least_action_compiler::internals::eliminate::forms;
use least_action_compiler::internals::graph::{Function, Graph, Leaf, NodeId};

fn position(graph: &mut Graph, gather: usize, component: usize) -> NodeId {
    graph.leaf(Leaf::Position { gather, component })
}

/// The difference of two points in one component.
fn edge(graph: &mut Graph, gather: usize, component: usize) -> NodeId {
    let (end, start) = (position(graph, gather, component), position(graph, 0, component));
    graph.subtract(end, start)
}

/// The entries of F = D_s G in the plane, with edges or with places.
fn gradient(graph: &mut Graph, of: fn(&mut Graph, usize, usize) -> NodeId) -> [[NodeId; 2]; 2] {
    [0, 1].map(|row| {
        [0, 1].map(|column| {
            let parts = [1, 2].map(|corner| {
                let coefficient = graph.leaf(Leaf::Coefficient(2 * corner + column));
                let variable = of(graph, corner, row);
                (1.0, graph.multiply(coefficient, variable))
            });
            graph.combination(parts)
        })
    })
}

fn determinant(graph: &mut Graph, f: [[NodeId; 2]; 2]) -> NodeId {
    let (straight, crossed) = (graph.multiply(f[0][0], f[1][1]), graph.multiply(f[0][1], f[1][0]));
    graph.subtract(straight, crossed)
}

fn squares(graph: &mut Graph, f: [[NodeId; 2]; 2]) -> NodeId {
    let parts = f.as_flattened().iter().map(|entry| (1.0, graph.power(*entry, 4))).collect::<Vec<_>>();
    graph.combination(parts)
}

/// For each form of an expression that is found, true if quadratic forms are multiplied out in it.
fn found(graph: &mut Graph, root: NodeId) -> Vec<bool> {
    forms(graph, root).into_iter().map(|(_, multiplied)| multiplied).collect()
}

#[test]
fn a_determinant_is_that_of_the_edges_times_a_coefficient() {
    let mut graph = Graph::default();
    let f = gradient(&mut graph, edge);
    let volume = determinant(&mut graph, f);
    let one = graph.constant(1.0);
    let growth = graph.subtract(volume, one);
    let [(root, _)] = forms(&mut graph, growth)[..] else { panic!("not one form") };

    let [a, b] = [1, 2].map(|corner| [0, 1].map(|component| edge(&mut graph, corner, component)));
    let (straight, crossed) = (graph.multiply(a[0], b[1]), graph.multiply(a[1], b[0]));
    let area = graph.subtract(straight, crossed);
    let [[c, d], [e, g]] = [1, 2].map(|k| [0, 1].map(|l| graph.leaf(Leaf::Coefficient(2 * k + l))));
    let (straight, crossed) = (graph.multiply(c, g), graph.multiply(d, e));
    let coefficient = graph.subtract(straight, crossed);
    let product = graph.multiply(coefficient, area);
    let expected = graph.subtract(product, one);
    assert_eq!(root, expected);
}

#[test]
fn squares_are_multiplied_out_where_they_are_of_differences() {
    let mut graph = Graph::default();
    let f = gradient(&mut graph, edge);
    let (volume, squares_of_f) = (determinant(&mut graph, f), squares(&mut graph, f));
    let growth = graph.function(Function::Ln, volume);
    let root = graph.add(growth, squares_of_f);
    // The determinant alone would be of edges, the squares of F.
    assert_eq!(found(&mut graph, root), [true]);
    let f = gradient(&mut graph, position);
    let root = squares(&mut graph, f);
    assert!(found(&mut graph, root).is_empty());
}

#[test]
fn nothing_is_in_both_kinds_of_variables() {
    let mut graph = Graph::default();
    let f = gradient(&mut graph, edge);
    let (volume, sine) = (determinant(&mut graph, f), graph.function(Function::Sin, f[0][0]));
    assert_eq!(found(&mut graph, volume), [false]);
    let root = graph.add(volume, sine);
    assert!(found(&mut graph, root).is_empty());
}

#[test]
fn what_would_cancel_stays() {
    let mut graph = Graph::default();
    let (x, y) = (edge(&mut graph, 1, 0), edge(&mut graph, 2, 0));
    let rests = [0, 1].map(|k| graph.leaf(Leaf::Coefficient(k)));
    // (x − a)² + (x − b)²
    let parts = rests.map(|rest| {
        let stretch = graph.subtract(x, rest);
        (1.0, graph.power(stretch, 4))
    });
    let root = graph.combination(parts);
    assert!(found(&mut graph, root).is_empty());
    // (a x + b y)² has one product before each term.
    let parts = [(rests[0], x), (rests[1], y)].map(|(rest, edge)| (1.0, graph.multiply(rest, edge)));
    let sum = graph.combination(parts);
    let root = graph.power(sum, 4);
    assert!(found(&mut graph, root).is_empty());
}
