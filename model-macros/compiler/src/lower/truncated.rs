//! Functions that end at a distance: `switched`, `shifted`, `force_shifted`.
//!
//! Each is a choice by the distance at which it ends. Its branches meet there as smoothly as its name
//! says; the value is NaN where the distance is.

use super::environment::{Binding, Environment};
use super::form::Form;
use super::{Lowering, Value};
use crate::differentiate::partial;
use crate::error;
use crate::graph::{Graph, Leaf, NodeId};
use std::rc::Rc;
use syn::{Expr, ExprClosure};

/// Stands for the distance in the function that is shifted.
const DISTANCE: Leaf = Leaf::Internal(usize::MAX);

impl Lowering<'_> {
    /// `switched(r, on, off)`: 1 up to `on`, 0 from `off` on, and between them 1 − y³ (10 − 15 y + 6 y²)
    /// with y = (r − on) / (off − on). Computed as z³ (10 − 15 z + 6 z²) with z = 1 − y = (off − r) /
    /// (off − on), which is exactly zero at `off`.
    pub(super) fn switched(&mut self, call: &syn::ExprCall, environment: &mut Environment) -> Value {
        let Some([r, on, off]) = self.arguments(call, "switched") else { return Value::Poison };
        let distance = self.number(r, environment);
        let (on, off) =
            (self.distance("switched", on, environment), self.distance("switched", off, environment));
        let (Some(distance), Some(on), Some(off)) = (distance, on, off) else { return Value::Poison };
        if let (Some(start), Some(end)) = (self.graph.value_of(on), self.graph.value_of(off))
            && start >= end
        {
            return self.fail(error::switch_out_of_order(call, start, end));
        }
        self.switches.push([on, off]);
        let switched = |graph: &mut Graph, r: NodeId| {
            let (gone, left, width) =
                (graph.subtract(r, on), graph.subtract(off, r), graph.subtract(off, on));
            let (y, z) = (graph.divide(gone, width), graph.divide(left, width));
            let (zero, one) = (graph.zero(), graph.constant(1.0));
            let value = rising(graph, z);
            // By y and z, rather than distances: the sign of each is known where the other is zero.
            let value = graph.select(z, true, zero, value);
            graph.select(y, true, one, value)
        };
        let result = self.nonlinear(&distance, &switched);
        self.operated(result, r)
    }

    /// `shifted(r, off, |r| u)`: u(r) − u(off) below `off`, else 0; a `slope` adds −(r − off) u′(off).
    pub(super) fn shifted(
        &mut self,
        call: &syn::ExprCall,
        slope: bool,
        environment: &mut Environment,
    ) -> Value {
        let name = if slope { "force_shifted" } else { "shifted" };
        let Some([r, off, function]) = self.arguments(call, name) else { return Value::Poison };
        let distance = self.number(r, environment);
        let end = self.distance(name, off, environment);
        let Some((closure, inside)) = Self::closure_of(function, environment) else {
            return self.fail(error::expected_function(function, name));
        };
        let variable = Value::Scalar(Form::of(self.graph.leaf(DISTANCE)));
        let value = self.applied(&closure, inside, variable, r);
        let value = self.scalar(value, &closure.body);
        let (Some(distance), Some(end), Some(value)) = (distance, end, value) else { return Value::Poison };
        let at = |graph: &mut Graph, node: NodeId, place: NodeId| {
            graph.substitute(node, &|_, leaf| (leaf == DISTANCE).then_some(place))
        };
        let shifted = |graph: &mut Graph, nodes: &[NodeId]| {
            let (r, u) = (nodes[0], nodes[1]);
            let (here, there) = (at(graph, u, r), at(graph, u, end));
            let mut parts = vec![(1.0, here), (-1.0, there)];
            if slope {
                let rate = partial(graph, &[u], DISTANCE)[0];
                let (rate, beyond) = (at(graph, rate, end), graph.subtract(r, end));
                parts.push((-1.0, graph.multiply(beyond, rate)));
            }
            let below = graph.combination(parts);
            let (zero, left) = (graph.zero(), graph.subtract(end, r));
            graph.select(left, false, zero, below)
        };
        let result = self.nonlinear_of(&[&distance, &value], &shifted);
        self.operated(result, call)
    }

    /// The number of an argument.
    fn number(&mut self, place: &Expr, environment: &mut Environment) -> Option<Form> {
        let value = self.expression(place, environment);
        self.scalar(value, place)
    }

    /// A distance at which a function ends: free of coordinates.
    fn distance(&mut self, name: &str, place: &Expr, environment: &mut Environment) -> Option<NodeId> {
        if let Some(rust) = self.rust(place, environment) {
            return self.coefficient(&rust).plain();
        }
        self.expression(place, environment);
        self.errors.push(error::distance_of_coordinates(place, name));
        None
    }

    /// A closure, written out or called by its name, and the names that it sees.
    pub(super) fn closure_of(
        function: &Expr,
        environment: &Environment,
    ) -> Option<(Rc<ExprClosure>, Environment)> {
        match function {
            Expr::Closure(closure) => Some((Rc::new(closure.clone()), environment.clone())),
            Expr::Path(path) => match environment.get(path.path.get_ident()?) {
                Some(Binding::Closure { closure, environment, .. }) => {
                    Some((closure.clone(), (**environment).clone()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of a closure of one argument.
    fn applied(
        &mut self,
        closure: &ExprClosure,
        mut inside: Environment,
        argument: Value,
        place: &Expr,
    ) -> Value {
        let [input] = &closure.inputs.iter().collect::<Vec<_>>()[..] else {
            return self.fail(error::argument_count(closure, "the closure", 1, closure.inputs.len()));
        };
        self.bind_parameter(input, argument, &mut inside, place);
        self.expression(&closure.body, &mut inside)
    }
}

/// z³ (10 − 15 z + 6 z²): 0 at 0 and 1 at 1, with vanishing first and second derivatives at both.
fn rising(graph: &mut Graph, z: NodeId) -> NodeId {
    let (cube, ten) = (graph.power(z, 6), graph.constant(10.0));
    let square = graph.power(z, 4);
    let inner = graph.combination([(1.0, ten), (-15.0, z), (6.0, square)]);
    graph.multiply(cube, inner)
}
