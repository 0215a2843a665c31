//! Arithmetic of forms: each operation acts on the number of a form.
//!
//! * Addition and multiplication distribute over sums; a product of two sums is a nested sum.
//! * Every operation distributes over the arms of a choice, and asks each choice once.
//! * But many choices that are only added stay apart: each would double the terms.
//! * A function that is not linear cannot enter a sum; it returns the obstacle.

use super::form::{Form, Leaf, Scope};
use super::ways::{Known, MOST_WAYS, in_each_way, together, ways};
use crate::error::Obstacle;
use crate::graph::{Graph, NodeId};
use crate::limits::MOST_WAYS_IN_FUNCTIONS;
use std::convert::Infallible;

impl Form {
    /// A nonlinear operation of any number of arguments; the error is the obstacle.
    pub fn nonlinear_of(
        arguments: &[&Self],
        graph: &mut Graph,
        operation: &dyn Fn(&mut Graph, &[NodeId]) -> NodeId,
    ) -> Result<Self, Obstacle> {
        let arguments =
            arguments.iter().map(|form| form.multiplied_out(graph)).collect::<Result<Vec<_>, _>>()?;
        let arguments: Vec<&Self> = arguments.iter().map(|form| &**form).collect();
        in_each_way(&arguments, &Known::default(), graph, &mut |leaves, _, graph| {
            let nodes: Vec<NodeId> = leaves.iter().map(|leaf| leaf.plain()).collect::<Result<_, _>>()?;
            Ok(Self::of(operation(graph, &nodes)))
        })
    }

    /// `yes` where gap < 0 (gap ≤ 0 unless `strict`), else `no`: each point of a trajectory chooses.
    ///
    /// The gap may hold no sums; sums of the branches are chosen term by term.
    pub fn select(
        gap: &Self,
        strict: bool,
        yes: &Self,
        no: &Self,
        graph: &mut Graph,
    ) -> Result<Self, Obstacle> {
        // The branches ask the choices of the gap too, in each of its ways.
        let [gap, yes, no] =
            [gap.multiplied_out(graph)?, yes.multiplied_out(graph)?, no.multiplied_out(graph)?];
        in_each_way(&[&gap, &yes, &no], &Known::default(), graph, &mut |leaves, _, graph| {
            let (gap, yes, no) = (leaves[0].plain()?, leaves[1], leaves[2]);
            let node = graph.select(gap, strict, yes.node, no.node);
            let mut sums = Vec::new();
            for (branch, below) in [(yes, true), (no, false)] {
                for (scope, body) in &branch.sums {
                    let chosen = body.linear(graph, &|graph, node| {
                        let zero = graph.zero();
                        let (yes, no) = if below { (node, zero) } else { (zero, node) };
                        graph.select(gap, strict, yes, no)
                    });
                    sums.push((scope.clone(), chosen));
                }
            }
            Ok(Self::Leaf(Leaf { node, sums }))
        })
    }

    /// a + factor · b.
    pub fn add(&self, factor: f64, other: &Self, graph: &mut Graph) -> Self {
        let other = if factor == 1.0 {
            other.clone()
        } else {
            other.linear(graph, &|graph, node| graph.scale(factor, node))
        };
        let apart = self.has_apart() || other.has_apart();
        if !apart && self.goes_with(&other, MOST_WAYS) {
            return together(self, &other, graph);
        }
        let mut total = Leaf { node: graph.zero(), sums: Vec::new() };
        for form in [self.clone(), other] {
            match form {
                Self::Leaf(leaf) => {
                    total.node = graph.add(total.node, leaf.node);
                    leaf.sums.into_iter().for_each(|(scope, body)| total.add_under(scope, body, graph));
                }
                branch @ Self::Branch(..) => total.add_under(Scope::Apart, branch, graph),
            }
        }
        Self::Leaf(total)
    }

    /// a · b for forms whose loops have different variables.
    pub fn multiply(&self, other: &Self, graph: &mut Graph) -> Self {
        let choose = |form: &Self| matches!(form, Self::Branch(..)) || form.has_apart();
        // If both ask equal choices, a product of terms could be longer than the list of ways together.
        if choose(self)
            && choose(other)
            && ways(&[self, other], &Known::default(), MOST_WAYS_IN_FUNCTIONS) <= MOST_WAYS_IN_FUNCTIONS
            && let (Ok(a), Ok(b)) = (self.multiplied_out(graph), other.multiplied_out(graph))
        {
            return product(&a, &b, &Known::default(), graph);
        }
        product(self, other, &Known::default(), graph)
    }
}

impl Leaf {
    /// Adds a body under a scope; a choice that is apart joins one that asks the same, if there is one.
    fn add_under(&mut self, scope: Scope, body: Form, graph: &mut Graph) {
        let apart = |scope: &Scope| matches!(scope, Scope::Apart);
        let mut known = self.sums.iter_mut().filter(|(other, _)| apart(&scope) && apart(other));
        match known.find(|(_, other)| other.goes_with(&body, 0)) {
            Some((_, other)) => *other = together(other, &body, graph),
            None => self.sums.push((scope, body)),
        }
    }

    /// The expression as an argument of a nonlinear function; the error is the obstacle.
    fn plain(&self) -> Result<NodeId, Obstacle> {
        match self.sums.first() {
            None => Ok(self.node),
            Some((Scope::Loop(_), _)) => Err(Obstacle::Sum),
            Some((Scope::Stiff, _)) => Err(Obstacle::Stiff),
            Some((Scope::Apart, _)) => Err(Obstacle::Choices),
        }
    }
}

/// The product of two forms under the choices made so far.
fn product(a: &Form, b: &Form, known: &Known, graph: &mut Graph) -> Form {
    let product = in_each_way(&[a, b], known, graph, &mut |leaves, known, graph| {
        let (a, b) = (leaves[0], leaves[1]);
        let node = graph.multiply(a.node, b.node);
        let mut sums = Vec::new();
        let factor = Form::Leaf(b.clone());
        for (scope, body) in &a.sums {
            sums.push((scope.clone(), product(body, &factor, known, graph)));
        }
        if !graph.is_zero(a.node) {
            let factor = Form::of(a.node);
            for (scope, body) in &b.sums {
                sums.push((scope.clone(), product(&factor, body, known, graph)));
            }
        }
        sums.retain(|(_, body)| !body.is_zero(graph));
        Ok::<_, Infallible>(Form::Leaf(Leaf { node, sums }))
    });
    product.unwrap_or_else(|never| match never {})
}
