//! The values of expressions of the language.

use super::facts::Fact;
use super::form::{Form, Loop, Part};
use super::pairs::Neighbours;
use crate::graph::{Graph, NodeId};
use std::rc::Rc;
use syn::Expr;

/// The value of an expression.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// Coordinate-free Rust, passed through; a number where it meets a coordinate.
    Rust(Expr),
    /// A scalar.
    Scalar(Form),
    /// A vector by its components: two or three.
    Vector(Vec<Form>),
    /// A 3 × 3 matrix by its entries, row by row.
    Matrix(Vec<Form>),
    /// A coordinate array, indexed less often than it has dimensions.
    Coordinates {
        /// The number of the coordinate.
        coordinate: usize,
        /// The indices so far.
        indices: Vec<Expr>,
    },
    /// One value for each item of an iterator.
    Each(Rc<Loop>, Box<Value>),
    /// An array literal.
    List(Vec<Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// Near pairs of points.
    Near(Neighbours),
    /// A comparison of coordinates, or several joined.
    Truth(Condition),
    /// The value of a mistake that has been reported.
    Poison,
}

impl Value {
    /// The scalar, vector or matrix with these components.
    pub(super) fn of_components(mut forms: Vec<Form>) -> Self {
        match forms.len() {
            1 => Self::Scalar(forms.swap_remove(0)),
            9 => Self::Matrix(forms),
            _ => Self::Vector(forms),
        }
    }

    /// The shape in the user's words.
    pub(crate) fn shape(&self) -> &'static str {
        match self {
            Self::Rust(_) | Self::Scalar(_) => "Scalar",
            Self::Vector(components) if components.len() == 2 => "Vec2",
            Self::Vector(_) => "Vec3",
            Self::Matrix(_) => "Mat3",
            Self::Coordinates { .. } | Self::Each(..) | Self::List(_) => "array",
            Self::Tuple(_) => "tuple",
            Self::Near(_) => "pairs",
            Self::Truth(_) => "bool",
            Self::Poison => "?",
        }
    }

    /// Visits all forms in the value.
    pub(super) fn each_form<'v>(&'v self, visit: &mut dyn FnMut(&'v Form)) {
        match self {
            Self::Scalar(form) => visit(form),
            Self::Vector(forms) | Self::Matrix(forms) => forms.iter().for_each(visit),
            Self::Each(_, inner) => inner.each_form(visit),
            Self::List(values) | Self::Tuple(values) => {
                values.iter().for_each(|value| value.each_form(visit));
            }
            Self::Truth(condition) => condition.gaps(visit),
            Self::Rust(_) | Self::Coordinates { .. } | Self::Near(_) | Self::Poison => {}
        }
    }

    /// Visits the loops of arrays and the parts of all forms, from the outside in.
    pub(super) fn each_part<'v>(&'v self, visit: &mut dyn FnMut(Part<'v>)) {
        match self {
            Self::Each(repeat, inner) => {
                visit(Part::Loop(repeat));
                inner.each_part(visit);
            }
            Self::List(values) | Self::Tuple(values) => {
                values.iter().for_each(|value| value.each_part(visit));
            }
            single => single.each_form(&mut |form| form.each_part(visit)),
        }
    }
}

/// A condition that depends on coordinates in part.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// Coordinate-free Rust, answered at binding.
    Rust(Expr),
    /// gap < 0, or gap ≤ 0.
    Below {
        /// The expression compared with zero.
        gap: Form,
        /// True if zero does not count as below.
        strict: bool,
    },
    /// Both conditions hold.
    And(Box<Condition>, Box<Condition>),
    /// At least one condition holds.
    Or(Box<Condition>, Box<Condition>),
    /// The condition does not hold.
    Not(Box<Condition>),
}

impl Condition {
    /// The conditions on parameters that this condition implies.
    pub(super) fn guards(&self) -> Vec<Expr> {
        match self {
            Self::Rust(condition) => vec![condition.clone()],
            Self::And(a, b) => a.guards().into_iter().chain(b.guards()).collect(),
            Self::Below { .. } | Self::Or(..) | Self::Not(_) => Vec::new(),
        }
    }

    /// Visits the expressions compared with zero.
    pub(super) fn gaps<'v>(&'v self, visit: &mut dyn FnMut(&'v Form)) {
        match self {
            Self::Rust(_) => {}
            Self::Below { gap, .. } => visit(gap),
            Self::And(a, b) | Self::Or(a, b) => {
                a.gaps(visit);
                b.gaps(visit);
            }
            Self::Not(inner) => inner.gaps(visit),
        }
    }
}

/// The equations of a constraint, in the order of their rows.
#[derive(Debug, Clone)]
pub(crate) enum Equations {
    /// One row for each component.
    Rows(Vec<Form>),
    /// The inner equations for each item of an iterator.
    Each(Rc<Loop>, Box<Equations>),
    /// Equations, one behind the other.
    List(Vec<Equations>),
}

impl Equations {
    /// Drops the components of matrices that repeat another one, such as the upper half of a symmetric
    /// matrix, and components that are zero for all coordinates: they would make the multipliers
    /// undetermined. Returns the remaining components, if some are dropped.
    pub(crate) fn keep_independent(&mut self, graph: &mut Graph) -> Option<Vec<usize>> {
        let mut matrices = self.parts();
        matrices.retain(|rows| rows.len() == 9);
        if matrices.is_empty() {
            return None;
        }
        let repeats = |matrix: &[Form], k: usize, graph: &mut Graph| {
            matrix[k].is_zero(graph) || matrix[..k].iter().any(|other| matrix[k].is_multiple_of(other, graph))
        };
        let kept: Vec<usize> =
            (0..9).filter(|&k| !matrices.iter().all(|matrix| repeats(matrix, k, graph))).collect();
        if kept.len() == 9 {
            return None;
        }
        self.each_mut(&mut |rows| *rows = kept.iter().filter_map(|&k| rows.get(k).cloned()).collect());
        Some(kept)
    }

    /// Visits the rows, together where they are components of one value.
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Vec<Form>)) {
        match self {
            Self::Rows(rows) => visit(rows),
            Self::Each(_, inner) => inner.each_mut(visit),
            Self::List(parts) => parts.iter_mut().for_each(|part| part.each_mut(visit)),
        }
    }

    /// Leaves out equations that no instance reaches under the facts `under`, known in their place.
    pub(crate) fn keep_reachable(&mut self, under: &mut Vec<Fact>, graph: &mut Graph) {
        match self {
            Self::Rows(rows) => rows.iter_mut().for_each(|row| *row = row.reachable(under, graph)),
            Self::Each(repeat, inner) => {
                under.push(repeat.round());
                inner.keep_reachable(under, graph);
                under.pop();
            }
            Self::List(parts) => parts.iter_mut().for_each(|part| part.keep_reachable(under, graph)),
        }
    }

    /// Replaces every expression.
    pub(crate) fn map(&mut self, graph: &mut Graph, operation: &dyn Fn(&mut Graph, NodeId) -> NodeId) {
        self.each_mut(&mut |rows| rows.iter_mut().for_each(|row| *row = row.linear(graph, operation)));
    }

    /// The rows, together where they are components of one value.
    pub(crate) fn parts(&self) -> Vec<&[Form]> {
        match self {
            Self::Rows(rows) => vec![rows],
            Self::Each(_, inner) => inner.parts(),
            Self::List(parts) => parts.iter().flat_map(Self::parts).collect(),
        }
    }

    /// All rows as written, each once.
    pub(crate) fn rows(&self) -> Vec<&Form> {
        self.parts().into_iter().flatten().collect()
    }
}
