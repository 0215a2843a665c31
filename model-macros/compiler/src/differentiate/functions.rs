//! The derivatives of the functions of one number.

use crate::functions::Function;
use crate::graph::{Graph, NodeId};
use std::f64::consts::FRAC_2_SQRT_PI;

/// f′(x), of the nodes of x and of f(x).
pub(super) fn derivative(function: Function, graph: &mut Graph, x: NodeId, value: NodeId) -> NodeId {
    match function {
        Function::Sin => graph.function(Function::Cos, x),
        Function::Cos => {
            let sine = graph.function(Function::Sin, x);
            graph.negate(sine)
        }
        Function::Tan => {
            let (one, square) = (graph.constant(1.0), graph.power(value, 4));
            graph.add(one, square)
        }
        Function::Asin => inverse_of_circle(graph, x, 1.0),
        Function::Acos => inverse_of_circle(graph, x, -1.0),
        Function::Atan => {
            let (one, square) = (graph.constant(1.0), graph.power(x, 4));
            let below = graph.add(one, square);
            graph.power(below, -2)
        }
        Function::Sinh => graph.function(Function::Cosh, x),
        Function::Cosh => graph.function(Function::Sinh, x),
        Function::Tanh => {
            let (one, square) = (graph.constant(1.0), graph.power(value, 4));
            graph.subtract(one, square)
        }
        Function::Asinh => {
            let (one, square) = (graph.constant(1.0), graph.power(x, 4));
            let inside = graph.add(square, one);
            graph.power(inside, -1)
        }
        Function::Acosh => {
            let (one, square) = (graph.constant(1.0), graph.power(x, 4));
            let inside = graph.subtract(square, one);
            graph.power(inside, -1)
        }
        Function::Atanh => {
            let (one, square) = (graph.constant(1.0), graph.power(x, 4));
            let below = graph.subtract(one, square);
            graph.power(below, -2)
        }
        Function::Exp => value,
        Function::ExpM1 => {
            let one = graph.constant(1.0);
            graph.add(value, one)
        }
        Function::Ln => graph.power(x, -2),
        Function::Ln1p => {
            let one = graph.constant(1.0);
            let below = graph.add(one, x);
            graph.power(below, -2)
        }
        Function::Cbrt => {
            let square = graph.power(value, -4);
            graph.scale(1.0 / 3.0, square)
        }
        Function::Erf => gaussian(graph, x, 1.0),
        Function::Erfc => gaussian(graph, x, -1.0),
        Function::Gaussian => {
            let product = graph.multiply(x, value);
            graph.scale(-2.0, product)
        }
        Function::Round => graph.zero(),
    }
}

/// sign · 2/√π exp(−x²).
fn gaussian(graph: &mut Graph, x: NodeId, sign: f64) -> NodeId {
    let value = graph.function(Function::Gaussian, x);
    graph.scale(sign * FRAC_2_SQRT_PI, value)
}

/// sign / √(1 − x²).
fn inverse_of_circle(graph: &mut Graph, x: NodeId, sign: f64) -> NodeId {
    let (one, square) = (graph.constant(1.0), graph.power(x, 4));
    let inside = graph.subtract(one, square);
    let root = graph.power(inside, -1);
    graph.scale(sign, root)
}
