//! Each row of the table of derivatives, against differences and against num-dual.

use least_action_compiler::Domain;
use least_action_compiler::internals::differentiate::{directional, gradient, partial};
use least_action_compiler::internals::functions::FunctionTable;
use least_action_compiler::internals::graph::{ARGUMENTS, Function, Graph, Leaf, NodeId, Opaque};
use num_dual::{Dual64, DualNum, second_derivative};

const X: Leaf = Leaf::Position { gather: 0, component: 0 };
const Y: Leaf = Leaf::Position { gather: 0, component: 1 };

fn value(graph: &Graph, root: NodeId, x: f64, y: f64) -> f64 {
    let leaf = |leaf| if leaf == X { x } else { y };
    graph.evaluate(&[root], leaf)[0]
}

/// Points inside the domain of a function.
fn points(function: Function) -> [f64; 3] {
    match function.entry().domain {
        Domain::AboveOne => [1.1, 1.9, 5.0],
        Domain::Positive => [0.2, 1.3, 7.0],
        Domain::BelowOne | Domain::Everywhere => [-0.7, 0.2, 0.85],
    }
}

fn dual<T: DualNum<Primitive = f64> + Copy>(function: Function, x: T) -> T {
    match function {
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Asin => x.asin(),
        Function::Acos => x.acos(),
        Function::Atan => x.atan(),
        Function::Sinh => x.sinh(),
        Function::Cosh => x.cosh(),
        Function::Tanh => x.tanh(),
        Function::Asinh => x.asinh(),
        Function::Acosh => x.acosh(),
        Function::Atanh => x.atanh(),
        Function::Exp => x.exp(),
        Function::ExpM1 => x.exp_m1(),
        Function::Ln => x.ln(),
        Function::Ln1p => x.ln_1p(),
        Function::Cbrt => x.cbrt(),
        Function::Erf => least_action::expr::erf(x),
        Function::Erfc => least_action::expr::erfc(x),
        Function::Gaussian => (-x * x).exp(),
        Function::Round => T::from(x.re().round_ties_even()),
    }
}

#[track_caller]
fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1.0),
        "{what}: {found} is not {expected}"
    );
}

#[test]
fn every_function_of_the_table() {
    for function in Function::ALL {
        let mut graph = Graph::default();
        let x = graph.leaf(X);
        let root = graph.function(function, x);
        let first = gradient(&mut graph, root, &[X])[0];
        let second = partial(&mut graph, &[first], X)[0];
        for at in points(function) {
            let name = function.name();
            let (_, expected, twice) = second_derivative(|x| dual(function, x), at);
            close(name, value(&graph, first, at, 0.0), expected, 1e-14 * 8.0);
            close(name, value(&graph, second, at, 0.0), twice, 1e-14 * 64.0);
            let h = 1e-4;
            let f = |shift: f64| (function.entry().value)(at + shift * h);
            let difference = (f(-2.0) - 8.0 * f(-1.0) + 8.0 * f(1.0) - f(2.0)) / (12.0 * h);
            close(name, value(&graph, first, at, 0.0), difference, 1e-9);
        }
    }
}

/// Sums, products with halves of powers, powers with variable exponents, and angles, in both variables.
#[test]
fn every_operation_of_the_table() {
    type Build = fn(&mut Graph, NodeId, NodeId) -> NodeId;
    type Reference = fn(Dual64, Dual64) -> Dual64;
    let table: [(&str, Build, Reference); 6] = [
        ("sum", |g, x, y| g.combination([(2.0, x), (-3.0, y)]), |x, y| x * 2.0 - y * 3.0),
        ("product", |g, x, y| g.monomial([(x, 6), (y, -2)]), |x, y| x.powi(3) / y),
        ("roots", |g, x, y| g.monomial([(x, 1), (y, -3)]), |x, y| x.sqrt() / (y * y.sqrt())),
        ("power", Graph::powf, |x, y| (x.ln() * y).exp()),
        ("angle", Graph::atan2, |y, x| (y / x).atan()),
        (
            "chain",
            |g, x, y| {
                let product = g.multiply(x, y);
                let sine = g.function(Function::Sin, product);
                g.multiply(sine, x)
            },
            |x, y| (x * y).sin() * x,
        ),
    ];
    for (name, build, reference) in table {
        let mut graph = Graph::default();
        let (x, y) = (graph.leaf(X), graph.leaf(Y));
        let root = build(&mut graph, x, y);
        let both = gradient(&mut graph, root, &[X, Y]);
        for (a, b) in [(0.4, 1.9), (2.5, 0.3)] {
            let by_x = reference(Dual64::new(a, 1.0), Dual64::from_re(b)).eps;
            let by_y = reference(Dual64::from_re(a), Dual64::new(b, 1.0)).eps;
            close(name, value(&graph, both[0], a, b), by_x, 1e-13);
            close(name, value(&graph, both[1], a, b), by_y, 1e-13);
        }
    }
}

#[test]
fn forwards_and_backwards_are_the_same_derivative() {
    let mut graph = Graph::default();
    let (x, y) = (graph.leaf(X), graph.leaf(Y));
    let quotient = graph.divide(x, y);
    let root = graph.function(Function::Tanh, quotient);
    let backwards = gradient(&mut graph, root, &[X, Y]);
    let forwards = [partial(&mut graph, &[root], X)[0], partial(&mut graph, &[root], Y)[0]];
    for (one, other) in backwards.into_iter().zip(forwards) {
        close("direction", value(&graph, one, 0.7, 1.3), value(&graph, other, 0.7, 1.3), 1e-15);
    }
}

#[test]
fn what_does_not_move_has_no_derivative() {
    let mut graph = Graph::default();
    let (x, c) = (graph.leaf(X), graph.leaf(Leaf::Coefficient(0)));
    let product = graph.multiply(x, c);
    let root = graph.powf(product, c);
    let along = directional(&mut graph, &[root], &|_, _| None)[0];
    assert!(graph.is_zero(along));
    let gradient = gradient(&mut graph, root, &[Y]);
    assert!(graph.is_zero(gradient[0]));
}

#[test]
fn polynomials_end() {
    let mut graph = Graph::default();
    let x = graph.leaf(X);
    let cube = graph.power(x, 6);
    let mut derivative = cube;
    for _ in 0..3 {
        derivative = partial(&mut graph, &[derivative], X)[0];
    }
    assert_eq!(graph.value_of(derivative), Some(6.0));
    let last = partial(&mut graph, &[derivative], X)[0];
    assert!(graph.is_zero(last));
}

/// The derivative is the derivative of the active branch, and the other branch does not spoil it.
#[test]
fn branches_are_differentiated_apart() {
    let mut graph = Graph::default();
    let (x, y) = (graph.leaf(X), graph.leaf(Y));
    // if x ≤ 0 { x² } else { √x } · y
    let (square, root) = (graph.power(x, 4), graph.power(x, 1));
    let chosen = graph.select(x, false, square, root);
    let product = graph.multiply(chosen, y);
    let both = gradient(&mut graph, product, &[X, Y]);
    close("below", value(&graph, both[0], -0.5, 3.0), -3.0, 1e-15);
    close("below", value(&graph, both[1], -0.5, 3.0), 0.25, 1e-15);
    close("above", value(&graph, both[0], 0.25, 3.0), 3.0, 1e-15);
    close("at the switch", value(&graph, both[0], 0.0, 3.0), 0.0, 1e-15);
    let forwards = partial(&mut graph, &[product], X)[0];
    assert_eq!(forwards, both[0]);
}

#[test]
fn unknown_functions_keep_track_of_their_derivatives() {
    let mut graph = Graph::default();
    let (x, y) = (graph.leaf(X), graph.leaf(Y));
    let mut smooth = [false; ARGUMENTS];
    (smooth[0], smooth[2]) = (true, true);
    let function = Opaque::new(0, smooth);
    let derivative = |graph: &mut Graph, along: &[usize]| {
        let function = along.iter().fold(function, |function, k| function.differentiated(*k));
        graph.call(function, vec![x, y, x])
    };
    let call = derivative(&mut graph, &[]);
    let first = gradient(&mut graph, call, &[X, Y]);
    assert!(graph.is_zero(first[1]), "what is a number is not differentiated by");
    let [by_first, by_last] = [0, 2].map(|k| derivative(&mut graph, &[k]));
    assert_eq!(first[0], graph.add(by_first, by_last));
    let second = partial(&mut graph, &[first[0]], X)[0];
    let [one, mixed, other] = [[0, 0], [2, 0], [2, 2]].map(|along| derivative(&mut graph, &along));
    assert_eq!(second, graph.combination([(1.0, one), (2.0, mixed), (1.0, other)]));
}

#[test]
fn powers_by_parameters_end_like_polynomials() {
    let mut graph = Graph::default();
    let (x, p) = (graph.leaf(X), graph.leaf(Leaf::Coefficient(0)));
    let mut derivative = graph.powf(x, p);
    for expected in [0.0, 0.0, 2.0, 0.0] {
        let at = graph.evaluate(&[derivative], |leaf| if leaf == X { 0.0 } else { 2.0 })[0];
        close("x² at 0", at, expected, 1e-15);
        derivative = partial(&mut graph, &[derivative], X)[0];
    }
}
