//! Straight-line code, as text and by its value.

use least_action_compiler::internals::graph::{Function, Graph, Leaf, NodeId};
use least_action_compiler::internals::schedule::Schedule;
use least_action_compiler::internals::schedule::{number, plain};
use quote::{format_ident, quote};

fn graph() -> (Graph, NodeId, NodeId) {
    let mut graph = Graph::default();
    let (x, y) = (graph.leaf(Leaf::Coefficient(0)), graph.leaf(Leaf::Coefficient(1)));
    (graph, x, y)
}

/// The lines and the results.
fn code(graph: &Graph, roots: &[NodeId]) -> (String, u32) {
    let mut own = graph.clone();
    let program = Schedule::of(&mut own, &[], roots, false).program();
    let code = plain(&program, &|leaf| match leaf {
        Leaf::Coefficient(id) => {
            let name = format_ident!("{}", ["x", "y"][id]);
            quote!(#name)
        }
        other => panic!("{other:?}"),
    });
    let (lines, outputs) = (code.lines, code.outputs);
    let text = quote!(#lines #(#outputs),*).to_string();
    (text.replace(" ;", ";").replace("let ", "").replace("f64 :: ", ""), program.cost)
}

#[test]
fn leaves_and_numbers_need_no_lines() {
    let (mut graph, x, _) = graph();
    let c = graph.constant(-0.5);
    assert_eq!(code(&graph, &[x, c]), ("x , (- 0.5)".to_owned(), 0));
}

#[test]
fn shared_operations_are_done_once() {
    let (mut graph, x, y) = graph();
    let sum = graph.add(x, y);
    let sine = graph.function(Function::Sin, sum);
    let product = graph.multiply(sum, sine);
    let (text, operations) = code(&graph, &[product, sine]);
    assert_eq!(text, "__s0 = x + y; __s1 = sin (__s0); __s2 = __s0 * __s1; __s2 , __s1");
    assert_eq!(operations, 1 + 20 + 1);
}

#[test]
fn a_positive_term_stands_first() {
    let (mut graph, x, y) = graph();
    let root = graph.combination([(-2.0, x), (3.0, y)]);
    // −(2 x − 3 y): the sign of the first term is outside.
    assert_eq!(code(&graph, &[root]).0, "__s0 = x * 2.0; __s1 = y * (- 3.0) + __s0; __s2 = - __s1; __s2");
}

#[test]
fn one_root_serves_all_powers_of_a_base() {
    let (mut graph, x, _) = graph();
    let powers = [1, -1, -2, -3].map(|halves| graph.power(x, halves));
    let (text, _) = code(&graph, &powers);
    assert_eq!(text.matches("sqrt").count(), 1, "{text}");
    assert_eq!(text.matches("recip").count(), 1, "{text}");
}

#[test]
fn powers_are_squared_up() {
    let (mut graph, x, _) = graph();
    let power = graph.power(x, 16);
    let (text, operations) = code(&graph, &[power]);
    assert_eq!(text.matches('*').count(), 3, "{text}");
    assert_eq!(operations, 3);
}

#[test]
fn numbers_read_back_as_the_same_bits() {
    let values = [0.1, -1.0 / 3.0, 1e300, 5e-324, -0.0, f64::MAX, f64::INFINITY, f64::NEG_INFINITY];
    for value in values {
        let text = number(value).to_string().replace(' ', "").replace(['(', ')'], "");
        let back = match text.as_str() {
            "f64::INFINITY" => f64::INFINITY,
            "f64::NEG_INFINITY" => f64::NEG_INFINITY,
            text => text.parse::<f64>().expect("a number"),
        };
        // There is one zero in the graph.
        assert_eq!((back + 0.0).to_bits(), (value + 0.0).to_bits(), "{text}");
    }
    assert_eq!(number(f64::NAN).to_string(), "f64 :: NAN");
}
