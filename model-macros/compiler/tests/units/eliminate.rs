//! Every way to find a derivative, not only the cheapest, against derivatives without internal
//! variables or scheduling.

use super::elements::ELEMENTS;
use super::run::run;
use crate::random::now;
use crate::tape::{Case, Failure, check};
use least_action_compiler::Domain;
use least_action_compiler::internals::differentiate::{directional, gradient, partial};
use least_action_compiler::internals::eliminate::{Candidate, Element, Operation, direction, in_time};
use least_action_compiler::internals::functions::FunctionTable;
use least_action_compiler::internals::graph::{Function, Graph, Leaf, Node, NodeId};

/// The largest distance of two routes, in units of the rounding that the plain one may suffer.
const TOLERANCE: f64 = 1e-12;

/// Every operation with code of its own, and true for a product along all inputs.
fn all_operations() -> impl Iterator<Item = (Operation, bool)> {
    let own = Operation::ALL.into_iter().filter(|operation| operation.code_of().is_none());
    own.map(|operation| (operation, false)).chain([(Operation::Product, true)])
}

/// Values with bounds of the first-order rounding in them, in units of the machine's precision.
fn bounded(graph: &Graph, roots: &[NodeId], read: &dyn Fn(Leaf) -> f64) -> Vec<(f64, f64)> {
    let nodes = graph.reachable(roots);
    let mut values = vec![(0.0, 0.0); nodes.last().map_or(0, |last| last.index() + 1)];
    // The error of f(x) from an error of size e in x.
    let carried = |f: &dyn Fn(f64) -> f64, x: f64, e: f64| {
        let step = 1e-6 * (e + x.abs());
        if step == 0.0 { 0.0 } else { (f(x + step) - f(x - step)).abs() / (2.0 * step) * e }
    };
    for id in nodes {
        let at = |node: NodeId| -> (f64, f64) { values[node.index()] };
        values[id.index()] = match graph.node(id) {
            Node::Constant(value) => (value.0, 0.0),
            Node::Leaf(leaf) => (read(*leaf), 0.0),
            Node::Sum { constant, terms } => {
                terms.iter().fold((constant.0, constant.0.abs()), |sum, (factor, term)| {
                    let (value, bound) = at(*term);
                    (sum.0 + factor.0 * value, sum.1 + factor.0.abs() * (bound + value.abs()))
                })
            }
            Node::Product(factors) => {
                let (mut value, mut bound) = (1.0_f64, 0.0);
                for &(base, halves) in factors {
                    let (of, error) = at(base);
                    let f = |x: f64| if halves % 2 == 0 { x.powi(halves / 2) } else { x.sqrt().powi(halves) };
                    let (power, error) =
                        (f(of), carried(&f, of, error) + f(of).abs() * f64::from(halves.abs()));
                    bound = bound * power.abs() + value.abs() * error;
                    value *= power;
                }
                (value, bound + value.abs())
            }
            Node::Function(function, argument) => {
                let (x, error) = at(*argument);
                let value = (function.entry().value)(x);
                (value, carried(&|x| (function.entry().value)(x), x, error) + value.abs())
            }
            Node::Power { base, exponent } => {
                let ((b, eb), (e, ee)) = (at(*base), at(*exponent));
                let value = b.powf(e);
                (value, carried(&|b| b.powf(e), b, eb) + carried(&|e| b.powf(e), e, ee) + value.abs())
            }
            Node::Atan2 { y, x } => {
                let ((y, ey), (x, ex)) = (at(*y), at(*x));
                let value = y.atan2(x);
                (value, carried(&|y| y.atan2(x), y, ey) + carried(&|x| y.atan2(x), x, ex) + value.abs())
            }
            Node::Select { gap, strict, yes, no } => {
                let (gap, _) = at(*gap);
                at(if gap < 0.0 || (gap == 0.0 && !strict) { *yes } else { *no })
            }
            Node::Call { .. } => panic!("a function of Rust's in an expression of the graph's own"),
        };
    }
    roots.iter().map(|root| values[root.index()]).collect()
}

/// The derivatives by the table alone.
fn plain(
    graph: &mut Graph,
    root: NodeId,
    inputs: &[Leaf],
    (wanted, directed): (Operation, bool),
    entries: &[(usize, usize)],
) -> Vec<NodeId> {
    let moving =
        |graph: &mut Graph, leaf: Leaf| in_time(graph, leaf, None).or_else(|| direction(graph, leaf));
    let of_all = |graph: &mut Graph, leaf: Leaf| {
        let input = inputs.iter().position(|input| *input == leaf)?;
        Some(graph.leaf(Leaf::Along(input)))
    };
    match wanted {
        Operation::Value => vec![root],
        Operation::Gradient => gradient(graph, root, inputs),
        Operation::ValueGradient => std::iter::once(root).chain(gradient(graph, root, inputs)).collect(),
        Operation::Second => {
            let first = gradient(graph, root, inputs);
            let columns: Vec<Vec<NodeId>> = inputs.iter().map(|leaf| partial(graph, &first, *leaf)).collect();
            first.iter().copied().chain(entries.iter().map(|&(row, column)| columns[column][row])).collect()
        }
        Operation::Rate if inputs.contains(&Leaf::Time) => vec![graph.zero()],
        Operation::Rate => partial(graph, &[root], Leaf::Time),
        Operation::Product => {
            let along = if directed {
                directional(graph, &[root], &of_all)[0]
            } else {
                directional(graph, &[root], &direction)[0]
            };
            gradient(graph, along, inputs)
        }
        Operation::Third => {
            let along = directional(graph, &[root], &direction);
            let twice = directional(graph, &along, &direction)[0];
            gradient(graph, twice, inputs)
        }
        Operation::Quadratic => {
            let along = directional(graph, &[root], &direction);
            directional(graph, &along, &direction)
        }
        Operation::Curvature => {
            let along = directional(graph, &[root], &moving);
            directional(graph, &along, &moving)
        }
        Operation::Along => directional(graph, &[root], &of_all),
        other => panic!("{other:?} runs the code of another operation"),
    }
}

/// Numbers between −1.5 and 1.5, each leaf its own.
fn reader(seed: u64) -> impl Fn(Leaf) -> f64 {
    move |leaf| {
        let place = match leaf {
            Leaf::Position { gather, component } => gather * 8 + component,
            Leaf::Direction { gather, component } => 1000 + gather * 8 + component,
            Leaf::Velocity { gather, component } => 2000 + gather * 8 + component,
            Leaf::Coefficient(id) => 3000 + id,
            Leaf::Time => 4000,
            Leaf::Phase => 5000,
            Leaf::Signal { number, reading } => 6000 + 8 * number + reading as usize,
            Leaf::End(id) => 7000 + id,
            Leaf::Weight(row) => 8000 + row,
            Leaf::Along(input) => 9000 + input,
            Leaf::Internal(_) => panic!("an internal variable is read"),
        };
        let mixed = (seed ^ place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * 1.5
    }
}

/// Compares all candidates with the plain derivatives; says how many numbers were compared.
///
/// Terms that cancel symbolically on one way need not cancel on another: rounding hides a value below
/// `floor`.
pub(crate) fn agree(
    graph: &Graph,
    root: NodeId,
    inputs: &[Leaf],
    element: &Element,
    read: &dyn Fn(Leaf) -> f64,
    floor: f64,
    all: &dyn Fn(&Element, Operation) -> Vec<Candidate>,
) -> Result<usize, String> {
    let mut compared = 0;
    for (wanted, directed) in all_operations() {
        let element = &element.clone().directed(directed);
        for (k, candidate) in all(element, wanted).into_iter().enumerate() {
            let mut own = Graph::default();
            let image = own.import(graph, root);
            let roots = plain(&mut own, image, inputs, (wanted, directed), &candidate.entries);
            let expected = bounded(&own, &roots, read);
            let coefficient = |node: NodeId| candidate.graph.evaluate(&[node], read)[0];
            let found = run(&candidate.program, read, &coefficient);
            if found.len() != expected.len() {
                return Err(format!("{wanted:?} {k}: {} results, not {}", found.len(), expected.len()));
            }
            for (place, (found, (expected, bound))) in found.iter().zip(expected).enumerate() {
                // Beyond this, products of such numbers overflow.
                if !bound.is_finite() || bound > 1e150 {
                    continue;
                }
                compared += 1;
                let close = (found - expected).abs() <= TOLERANCE * bound.max(floor);
                if !close {
                    return Err(format!(
                        "{wanted:?}, way {k}, result {place}: {found:e} is not {expected:e} at scale {bound:e}"
                    ));
                }
            }
            if candidate.zero && floor == 0.0 && roots.iter().any(|root| !own.is_zero(*root)) {
                let values = own.evaluate(&roots, read);
                if values.iter().zip(&bounded(&own, &roots, read)).any(|(v, (_, b))| v.abs() > TOLERANCE * b)
                {
                    return Err(format!("{wanted:?} {k} is said to be zero"));
                }
            }
        }
    }
    Ok(compared)
}

const X: [Leaf; 6] = [
    Leaf::Position { gather: 0, component: 0 },
    Leaf::Position { gather: 0, component: 1 },
    Leaf::Position { gather: 0, component: 2 },
    Leaf::Position { gather: 1, component: 0 },
    Leaf::Position { gather: 1, component: 1 },
    Leaf::Position { gather: 1, component: 2 },
];

/// An expression that a tape of numbers decides.
fn random(tape: &[u16]) -> (Graph, NodeId) {
    let mut graph = Graph::default();
    let mut nodes: Vec<NodeId> = X.iter().map(|leaf| graph.leaf(*leaf)).collect();
    nodes.push(graph.leaf(Leaf::Coefficient(0)));
    nodes.push(graph.leaf(Leaf::Coefficient(1)));
    nodes.push(graph.leaf(Leaf::Time));
    for step in tape.chunks_exact(3) {
        let pick = |number: u16| nodes[usize::from(number) % nodes.len()];
        let (a, b) = (pick(step[1]), pick(step[2]));
        let one = graph.constant(1.0);
        let node = match step[0] % 12 {
            0 => graph.add(a, b),
            1 => graph.subtract(a, b),
            2 | 3 => graph.multiply(a, b),
            4 => graph.combination([(2.0, a), (-0.5, b), (0.75, one)]),
            5 => graph.power(a, 4),
            6 => {
                // A distance.
                let (a, b) = (graph.power(a, 4), graph.power(b, 4));
                let sum = graph.combination([(1.0, a), (1.0, b), (0.25, one)]);
                graph.power(sum, if step[1] % 2 == 0 { 1 } else { -3 })
            }
            7 => {
                let squared = graph.power(b, 4);
                let below = graph.add(squared, one);
                graph.divide(a, below)
            }
            8 => {
                let functions: Vec<Function> = Function::spoken().collect();
                let function = functions[usize::from(step[2]) % functions.len()];
                let inside = graph.function(Function::Tanh, a);
                let inside = match function.entry().domain {
                    Domain::AboveOne | Domain::Positive => graph.combination([(1.0, inside), (2.5, one)]),
                    Domain::BelowOne => graph.scale(0.5, inside),
                    Domain::Everywhere => inside,
                };
                graph.function(function, inside)
            }
            9 => {
                let squared = graph.power(b, 4);
                let x = graph.add(squared, one);
                graph.atan2(a, x)
            }
            10 => {
                let squared = graph.power(a, 4);
                let base = graph.add(squared, one);
                let exponent = graph.function(Function::Sin, b);
                graph.powf(base, exponent)
            }
            _ => {
                let (c, d) = (pick(step[1] / 7), pick(step[2] / 7));
                let (left, right) = (graph.multiply(a, d), graph.multiply(b, c));
                graph.subtract(left, right)
            }
        };
        nodes.push(node);
    }
    let last = nodes[nodes.len() - 1];
    (graph, last)
}

fn random_agree(tape: &[u16], seed: u64) -> Result<(), Failure> {
    let (graph, root) = random(tape);
    let element = Element::new(&graph, root, &X);
    let read = reader(seed);
    let floor = bounded(&graph, &[root], &read)[0].1;
    agree(&graph, root, &X, &element, &read, floor, &|element, wanted| element.all(wanted)).map_err(
        |reason| Failure::Wrong(format!("{reason}\n{}", graph.print(root, &|leaf| format!("{leaf:?}")))),
    )?;
    Ok(())
}

#[test]
fn every_way_is_the_same_derivative() {
    check(600, 0, 3..36, &mut |Case { tape, seed }| random_agree(tape, *seed));
}

/// New expressions in each run.
#[test]
#[ignore = "takes minutes: the same on more expressions"]
fn every_way_is_the_same_derivative_often() {
    check(10_000, 1_000_000 * now(), 3..60, &mut |Case { tape, seed }| random_agree(tape, *seed));
}

/// The points of an element: no symmetry, no collisions.
const POINTS: [[f64; 3]; 4] = [[0.1, -0.2, 0.3], [1.1, 0.1, -0.1], [0.9, 1.3, 0.2], [0.2, 0.8, 1.4]];

fn at_the_points(leaf: Leaf, scale: f64, coefficient: impl Fn(usize) -> f64) -> f64 {
    match leaf {
        Leaf::Position { gather, component } => POINTS[gather % 4][component] * scale,
        Leaf::Direction { gather, component } => (0.3 - 0.7 * POINTS[3 - gather % 4][2 - component]) * scale,
        Leaf::Coefficient(id) => coefficient(id),
        _ => 0.0,
    }
}

#[test]
fn every_way_to_write_a_known_element_is_the_same() {
    for known in ELEMENTS {
        let item = syn::parse_str(known.declaration).expect("a declaration");
        let mut errors = least_action_compiler::Errors::default();
        let declaration = least_action_compiler::parse(proc_macro2::TokenStream::new(), item, &mut errors)
            .expect("a model");
        let mut lowered = least_action_compiler::lower(&declaration, &mut errors);
        let classified = least_action_compiler::classify(&mut lowered, &declaration, &mut errors);
        assert!(errors.is_empty(), "mistakes in {}", known.declaration);
        let [family] = &classified.potential[..] else { panic!("not one family: {}", known.declaration) };
        let (graph, root, inputs) = (&lowered.graph, family.node, &family.inputs);
        let element = Element::new(graph, root, inputs);
        // Lengths in ångström and in metre, or in light years: a form must not cancel at any scale.
        for scale in [1.0, 1e-8, 1e8] {
            let read = move |leaf: Leaf| at_the_points(leaf, scale, |id| (known.coefficient)(id, scale));
            let ways = |element: &Element, wanted| {
                if scale == 1.0 { element.all(wanted) } else { element.best(wanted).into_iter().collect() }
            };
            let compared = agree(graph, root, inputs, &element, &read, 0.0, &ways)
                .unwrap_or_else(|reason| panic!("{} at scale {scale}: {reason}", known.name));
            assert!(compared > 8, "{} at scale {scale}: {compared} numbers", known.name);
        }
    }
}
