//! The normal forms, one line each: the expression on the left becomes the text on the right.

use least_action_compiler::internals::graph::{Function, Graph, Leaf, NodeId};

struct Built {
    graph: Graph,
    x: NodeId,
    y: NodeId,
    z: NodeId,
}

fn built() -> Built {
    let mut graph = Graph::default();
    let [x, y, z] = [0, 1, 2].map(|id| graph.leaf(Leaf::Coefficient(id)));
    Built { graph, x, y, z }
}

fn text(graph: &Graph, root: NodeId) -> String {
    graph.print(root, &|leaf| match leaf {
        Leaf::Coefficient(id) => ["x", "y", "z"][id].to_owned(),
        other => format!("{other:?}"),
    })
}

/// `name: |graph, x, y, z| expression => "normal form"`
macro_rules! normal_forms {
    ($($name:ident: |$g:ident, $x:ident, $y:ident, $z:ident| $build:expr => $text:literal;)+) => {$(
        #[test]
        fn $name() {
            let Built { mut graph, x: $x, y: $y, z: $z } = built();
            let _ = ($x, $y, $z);
            let root = {
                let $g = &mut graph;
                $build
            };
            assert_eq!(text(&graph, root), $text);
        }
    )+};
}

normal_forms! {
    a_choice_has_the_sign_of_its_gap: |g, x, y, z| { let gap = g.scale(-3.0, x); g.select(gap, true, y, z) } => "(if -x < 0 { y } else { z })";
    a_choice_between_equals_is_none: |g, x, y, z| g.select(x, false, z, z) => "z";
    a_choice_between_numbers_is_made: |g, x, y, z| { let gap = g.constant(0.0); g.select(gap, false, y, z) } => "y";
    equal_terms_are_collected: |g, x, y, z| { let a = g.add(x, y); g.add(a, x) } => "2 x + y";
    opposite_terms_vanish: |g, x, y, z| { let a = g.add(x, y); g.subtract(a, y) } => "x";
    a_difference_of_equals_is_zero: |g, x, y, z| g.subtract(x, x) => "0";
    constants_gather_in_front: |g, x, y, z| { let c = g.constant(2.0); let a = g.add(x, c); g.add(a, c) } => "4 + x";
    a_sum_in_a_sum_is_one_sum: |g, x, y, z| { let a = g.add(y, z); g.subtract(x, a) } => "x - y - z";
    the_sign_of_the_first_term_is_outside: |g, x, y, z| g.subtract(y, x) => "-(x - y)";
    a_common_factor_is_outside: |g, x, y, z| g.combination([(3.0, x), (-3.0, y)]) => "3 (x - y)";
    zero_times_anything_is_zero: |g, x, y, z| { let c = g.zero(); g.multiply(c, x) } => "0";
    one_times_anything_is_it: |g, x, y, z| { let c = g.constant(1.0); g.multiply(x, c) } => "x";
    numbers_leave_products: |g, x, y, z| { let a = g.scale(2.0, x); let b = g.scale(3.0, y); g.multiply(a, b) } => "6 x y";
    powers_of_one_base_add_up: |g, x, y, z| { let a = g.power(x, 4); g.multiply(a, x) } => "x^3";
    a_quotient_of_equals_is_one: |g, x, y, z| g.divide(x, x) => "1";
    a_reciprocal_is_a_power: |g, x, y, z| g.divide(y, x) => "x^-1 y";
    the_square_of_a_root_is_the_base: |g, x, y, z| { let a = g.power(x, 1); g.power(a, 4) } => "x";
    the_root_of_a_square_stays: |g, x, y, z| { let a = g.power(x, 4); g.power(a, 1) } => "(x^2)^(1/2)";
    a_power_of_a_product_is_a_product_of_powers: |g, x, y, z| { let a = g.multiply(x, y); g.power(a, 6) } => "x^3 y^3";
    a_square_swallows_the_sign: |g, x, y, z| { let a = g.subtract(y, x); g.power(a, 4) } => "(x - y)^2";
    a_cube_lets_the_sign_out: |g, x, y, z| { let a = g.negate(x); g.power(a, 6) } => "-x^3";
    products_of_sums_are_not_expanded: |g, x, y, z| { let a = g.add(x, y); let b = g.add(x, z); g.multiply(a, b) } => "(x + y) (x + z)";
    a_literal_power_is_a_product: |g, x, y, z| { let c = g.constant(-1.5); g.powf(x, c) } => "x^(-3/2)";
    a_power_of_a_parameter_stays: |g, x, y, z| g.powf(x, y) => "x^(y)";
    an_odd_power_below_one_half_stays: |g, x, y, z| { let c = g.constant(0.3); g.powf(x, c) } => "x^(0.3)";
    sine_is_odd: |g, x, y, z| { let a = g.negate(x); g.function(Function::Sin, a) } => "-sin(x)";
    cosine_is_even: |g, x, y, z| { let a = g.subtract(y, x); g.function(Function::Cos, a) } => "cos(x - y)";
    the_exponential_is_neither: |g, x, y, z| { let a = g.negate(x); g.function(Function::Exp, a) } => "exp(-x)";
    functions_of_numbers_are_numbers: |g, x, y, z| { let c = g.zero(); g.function(Function::Cosh, c) } => "1";
    the_angle_of_numbers_is_a_number: |g, x, y, z| { let (a, b) = (g.zero(), g.constant(2.0)); g.atan2(a, b) } => "0";
    minus_zero_is_zero: |g, x, y, z| { let c = g.constant(-0.0); g.add(x, c) } => "x";
}

#[test]
fn equals_are_one_node_in_any_order() {
    let Built { mut graph, x, y, z } = built();
    let (left, right) = (graph.multiply(x, y), graph.multiply(y, x));
    assert_eq!(left, right);
    let (a, b) = (graph.add(left, z), graph.add(z, right));
    assert_eq!(a, b);
    assert_ne!(a, left);
}

#[test]
fn a_difference_and_its_opposite_share_a_node() {
    let Built { mut graph, x, y, .. } = built();
    let (one, other) = (graph.subtract(x, y), graph.subtract(y, x));
    assert_eq!(graph.split_factor(other), (-1.0, one));
}

#[test]
fn every_normal_form_has_the_value_of_what_was_written() {
    let Built { mut graph, x, y, z } = built();
    let root = {
        let g = &mut graph;
        let difference = g.subtract(y, x);
        let cube = g.power(difference, 6);
        let root = g.power(z, -3);
        let sine = g.function(Function::Sin, difference);
        let quotient = g.divide(sine, cube);
        let product = g.multiply(quotient, root);
        g.combination([(2.0, product), (-3.0, x), (0.5, z)])
    };
    let [x, y, z] = [0.3_f64, 1.7, 2.2];
    let expected = 2.0 * ((y - x).sin() / (y - x).powi(3)) * z.powf(-1.5) - 3.0 * x + 0.5 * z;
    let found = graph.evaluate(&[root], |leaf| match leaf {
        Leaf::Coefficient(id) => [x, y, z][id],
        other => panic!("{other:?}"),
    });
    assert!((found[0] - expected).abs() <= 1e-14, "{} is not {expected}", found[0]);
}

#[test]
fn addends_split_only_what_parameters_multiply() {
    let Built { mut graph, x, y, .. } = built();
    let q = graph.leaf(Leaf::Position { gather: 0, component: 0 });
    let inner = graph.add(x, q);
    let (fixed, moving) = (graph.multiply(y, inner), graph.multiply(q, inner));
    let parts: Vec<String> = graph.addends(fixed).into_iter().map(|part| text(&graph, part)).collect();
    assert_eq!(parts.len(), 2, "{parts:?}");
    assert_eq!(graph.addends(moving), [moving]);
}

#[test]
fn substitution_keeps_the_normal_forms() {
    let Built { mut graph, x, y, z } = built();
    let difference = graph.subtract(x, y);
    let product = graph.multiply(difference, z);
    let root = graph.function(Function::Cos, product);
    let image = graph.substitute(root, &|_, leaf| (leaf == Leaf::Coefficient(1)).then_some(x));
    assert_eq!(graph.value_of(image), Some(1.0));
}
