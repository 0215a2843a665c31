//! Angles of points, which a run follows over many turns.
//!
//! The value of `y.atan2(x)` jumps by 2π where the point passes the negative axis, and `(y / x).atan()`
//! by π. Where a jump would show, the angle becomes a collective: a run adds to it the number of periods
//! that makes it continuous along the motion. Under a sine or a cosine of an integer multiple no jump
//! shows. Derivatives have none.

use super::super::form::{Form, Leaf as FormLeaf, Scope};
use super::super::{Lowering, literal};
use super::Stage;
use super::domain::Open;
use crate::graph::{Function, Leaf, Node, NodeId, is_velocity};
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::{PI, TAU};
use syn::{BinOp, Expr, ExprBinary};

/// The angles of points in a declaration.
#[derive(Debug, Default)]
pub(in crate::lower) struct Angles {
    /// The angles that a literal even number multiplies. Such a product is the angle of a square: as in
    /// 2 atan2(y, r + x), the point may pass through the origin, where its own angle jumps by π.
    doubled: BTreeSet<NodeId>,
    /// The angle of each read of a followed one.
    pub(in crate::lower) of_reads: BTreeMap<usize, NodeId>,
}

impl Lowering<'_> {
    /// Notes angles that are multiplied by an even number.
    pub(super) fn note_doubled(&mut self, a: &Form, b: &Form) {
        for (factor, angle) in [(a, b), (b, a)] {
            let (Some(factor), Some(angle)) = (factor.plain(), angle.plain()) else { continue };
            let even = match *self.graph.node(factor) {
                Node::Constant(value) => is_even(value.0),
                Node::Leaf(Leaf::Coefficient(id)) => has_even_factor(&self.coefficients[id]),
                _ => false,
            };
            let (_, angle) = self.graph.split_factor(angle);
            if even && matches!(self.graph.node(angle), Node::Atan2 { .. }) {
                self.angles.doubled.insert(angle);
            }
        }
    }

    /// True if angles of points in a form must be followed.
    pub(super) fn has_angles(&self, form: &Form) -> bool {
        form.terms(&self.graph).iter().any(|term| !self.shown_angles(term.node).is_empty())
    }

    /// A form whose angles of points are followed.
    pub(in crate::lower) fn followed(&mut self, form: &Form) -> Form {
        if !self.has_angles(form) {
            return form.clone();
        }
        match form {
            Form::Branch(choice, arms) => {
                let arms = arms.iter().enumerate().map(|(k, arm)| {
                    let open = Open::Answer(choice.question.clone(), k);
                    self.within(open, |lowering| lowering.followed(arm)).1
                });
                Form::Branch(choice.clone(), arms.collect())
            }
            Form::Leaf(leaf) => {
                let node = self.with_followed(leaf.node);
                let sums = leaf.sums.iter().map(|(scope, body)| match scope {
                    Scope::Loop(repeat) => {
                        let (image, body) = self.inside(repeat, |lowering| lowering.followed(body));
                        (Scope::Loop(image), body)
                    }
                    Scope::Stiff | Scope::Apart => (scope.clone(), self.followed(body)),
                });
                Form::Leaf(FormLeaf { node, sums: sums.collect() })
            }
        }
    }

    /// An expression with reads of followed angles.
    fn with_followed(&mut self, root: NodeId) -> NodeId {
        let mut images = BTreeMap::new();
        // Operands come before their readers.
        for angle in self.shown_angles(root) {
            let known = &images;
            let image =
                self.graph.replace(angle, &|_, node| known.get(&node).copied().filter(|_| node != angle));
            images.insert(angle, self.followed_angle(angle, image).unwrap_or(image));
        }
        if images.is_empty() {
            return root;
        }
        self.graph.replace(root, &|_, node| images.get(&node).copied())
    }

    /// The read of a followed angle; `None` for the angle of a near pair, which comes and goes.
    fn followed_angle(&mut self, angle: NodeId, image: NodeId) -> Option<NodeId> {
        let turn = Some(self.period(angle)?);
        let form = Form::of(image);
        let domain = self.domain(&form);
        if self.is_of_a_pair(&domain) {
            return None;
        }
        let rows = self.stage_rows(domain);
        let (stage, indices) = self.stage_of(rows, &form);
        let stage = self.add_stage(Stage { turn, ..stage });
        let read = self.read_stage(stage, indices);
        if let Node::Leaf(leaf) = *self.graph.node(read) {
            self.angles.of_reads.extend(leaf.gather().map(|gather| (gather, angle)));
        }
        Some(read)
    }

    /// The angles of points in an expression whose jumps would show, operands before their readers.
    fn shown_angles(&self, root: NodeId) -> BTreeSet<NodeId> {
        let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![root]);
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.graph.node(id) {
                Node::Function(Function::Sin | Function::Cos, argument) => {
                    let parts = match self.graph.node(*argument) {
                        Node::Sum { terms, .. } => {
                            terms.iter().map(|&(factor, term)| (factor.0, term)).collect()
                        }
                        _ => vec![(1.0, *argument)],
                    };
                    for (factor, term) in parts {
                        let turns = self.period(term).map(|period| factor * period / TAU);
                        if turns.is_some_and(|turns| turns.fract() == 0.0) {
                            self.graph.node(term).each_operand(|operand| open.push(operand));
                        } else {
                            open.push(term);
                        }
                    }
                }
                node => {
                    node.each_operand(|operand| open.push(operand));
                    if self.period(id).is_some() {
                        found.insert(id);
                    }
                }
            }
        }
        found
    }

    /// The jump of an angle of points; `None` for other expressions.
    fn period(&self, node: NodeId) -> Option<f64> {
        let period = match self.graph.node(node) {
            Node::Atan2 { .. } if self.angles.doubled.contains(&node) => PI,
            Node::Atan2 { .. } => TAU,
            Node::Function(Function::Atan, argument) if self.has_poles(*argument) => PI,
            _ => return None,
        };
        let is_place = |leaf: Leaf| match leaf {
            Leaf::Position { gather, .. } => !self.is_parameter(gather),
            _ => false,
        };
        (self.graph.mentions(node, is_place) && !self.graph.mentions(node, is_velocity)).then_some(period)
    }

    /// True if an expression may pass from one infinity to the other: it has an odd power of a divisor.
    fn has_poles(&self, root: NodeId) -> bool {
        let is_place = |leaf: Leaf| matches!(leaf, Leaf::Position { .. });
        self.graph.reachable(&[root]).into_iter().any(|node| match self.graph.node(node) {
            Node::Product(factors) => factors
                .iter()
                .any(|&(base, halves)| halves < 0 && halves % 4 == -2 && self.graph.mentions(base, is_place)),
            _ => false,
        })
    }
}

fn is_even(value: f64) -> bool {
    value != 0.0 && value % 2.0 == 0.0
}

/// True if an expression is a product with a literal even number.
fn has_even_factor(expression: &Expr) -> bool {
    let expression = crate::parse::bare(expression);
    match expression {
        Expr::Binary(ExprBinary { left, op: BinOp::Mul(_), right, .. }) => {
            has_even_factor(left) || has_even_factor(right)
        }
        _ => literal(expression).is_some_and(is_even),
    }
}
