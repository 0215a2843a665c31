//! The number of continuous derivatives of functions with choices.

use least_action_compiler::internals::graph::{Graph, Leaf, NodeId};
use least_action_compiler::internals::smoothness::{Smoothness, smoothness};

const X: Leaf = Leaf::Position { gather: 0, component: 0 };

struct Built {
    graph: Graph,
    x: NodeId,
    y: NodeId,
    c: NodeId,
    zero: NodeId,
}

fn built() -> Built {
    let mut graph = Graph::default();
    let y = graph.leaf(Leaf::Position { gather: 1, component: 0 });
    let (x, c, zero) = (graph.leaf(X), graph.leaf(Leaf::Coefficient(0)), graph.zero());
    Built { graph, x, y, c, zero }
}

/// `name: |graph, x, y, c, zero| expression => smoothness`
macro_rules! orders {
    ($($name:ident: |$g:ident, $x:ident, $y:ident, $c:ident, $zero:ident| $build:expr => $order:expr;)+) => {$(
        #[test]
        fn $name() {
            let Built { mut graph, x: $x, y: $y, c: $c, zero: $zero } = built();
            let _ = ($x, $y, $c, $zero);
            let root = {
                let $g = &mut graph;
                $build
            };
            assert_eq!(smoothness(&mut graph, root), $order);
        }
    )+};
}

orders! {
    polynomials_are_smooth: |g, x, y, c, zero| g.multiply(x, y) => Smoothness::Smooth;
    the_absolute_value_is_continuous: |g, x, y, c, zero| {
        let minus = g.negate(x);
        g.select(x, true, minus, x)
    } => Smoothness::Times(0);
    a_step_may_jump: |g, x, y, c, zero| g.select(x, true, zero, y) => Smoothness::Unknown;
    the_square_of_a_ramp_is_smoother_than_the_ramp: |g, x, y, c, zero| {
        let ramp = g.select(x, true, zero, x);
        g.power(ramp, 4)
    } => Smoothness::Times(1);
    a_penalty_on_a_shifted_gap: |g, x, y, c, zero| {
        // if x < c { (x − c)² y } else { 0 }
        let gap = g.subtract(x, c);
        let square = g.monomial([(gap, 4), (y, 2)]);
        g.select(gap, true, square, zero)
    } => Smoothness::Times(1);
    a_penalty_written_out: |g, x, y, c, zero| {
        // if x < 1 { x² } else { 2 x − 1 }
        let one = g.constant(1.0);
        let gap = g.subtract(x, one);
        let square = g.power(x, 4);
        let line = g.combination([(2.0, x), (-1.0, one)]);
        g.select(gap, true, square, line)
    } => Smoothness::Times(1);
    a_penalty_on_a_distance: |g, x, y, c, zero| {
        // if √(x² + y²) < c { (√(x² + y²) − c)³ } else { 0 }
        let (x2, y2) = (g.power(x, 4), g.power(y, 4));
        let square = g.add(x2, y2);
        let distance = g.power(square, 1);
        let gap = g.subtract(distance, c);
        let cube = g.power(gap, 6);
        g.select(gap, true, cube, zero)
    } => Smoothness::Times(2);
    the_larger_of_two: |g, x, y, c, zero| {
        let gap = g.subtract(x, y);
        g.select(gap, true, y, x)
    } => Smoothness::Times(0);
    a_step_in_units_of_a_width: |g, x, y, c, zero| {
        // With u = x / c: if u < 0 { 1 } else { 1 + u³ }, where the slope of u is no number.
        let one = g.constant(1.0);
        let u = g.divide(x, c);
        let cube = g.power(u, 6);
        let beyond = g.add(one, cube);
        g.select(u, true, one, beyond)
    } => Smoothness::Times(2);
    a_choice_that_makes_no_difference: |g, x, y, c, zero| {
        let minus = g.negate(x);
        let size = g.select(x, true, minus, x);
        g.power(size, 4)
    } => Smoothness::Smooth;
}
