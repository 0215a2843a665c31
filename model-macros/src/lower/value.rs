//! What an expression of the language stands for.

use super::form::{Choice, Form, Loop};
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
    /// A coordinate array, indexed less often than it has dimensions.
    Coordinates {
        /// Which coordinate.
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
    /// Something was wrong and has been reported.
    Poison,
}

impl Value {
    /// The shape in the user's words.
    pub(crate) fn shape(&self) -> &'static str {
        match self {
            Self::Rust(_) | Self::Scalar(_) => "Scalar",
            Self::Vector(components) if components.len() == 2 => "Vec2",
            Self::Vector(_) => "Vec3",
            Self::Coordinates { .. } | Self::Each(..) | Self::List(_) => "array",
            Self::Tuple(_) => "tuple",
            Self::Poison => "?",
        }
    }

    /// All loops in the value.
    pub(super) fn loops(&self, found: &mut Vec<Rc<Loop>>) {
        match self {
            Self::Scalar(form) => form.loops(found),
            Self::Vector(forms) => forms.iter().for_each(|form| form.loops(found)),
            Self::Each(repeat, inner) => {
                found.push(repeat.clone());
                inner.loops(found);
            }
            Self::List(values) | Self::Tuple(values) => values.iter().for_each(|value| value.loops(found)),
            Self::Rust(_) | Self::Coordinates { .. } | Self::Poison => {}
        }
    }

    /// All choices in the value.
    pub(super) fn choices(&self, found: &mut Vec<Rc<Choice>>) {
        match self {
            Self::Scalar(form) => form.choices(found),
            Self::Vector(forms) => forms.iter().for_each(|form| form.choices(found)),
            Self::Each(_, inner) => inner.choices(found),
            Self::List(values) | Self::Tuple(values) => values.iter().for_each(|value| value.choices(found)),
            Self::Rust(_) | Self::Coordinates { .. } | Self::Poison => {}
        }
    }
}

/// The equations of a constraint, in the order of their rows.
#[derive(Debug)]
pub(crate) enum Equations {
    /// One row for each component.
    Rows(Vec<Form>),
    /// The inner equations for each item of an iterator.
    Each(Rc<Loop>, Box<Equations>),
    /// One after the other.
    List(Vec<Equations>),
}

impl Equations {
    /// All rows as written, each once.
    pub(crate) fn rows(&self) -> Vec<&Form> {
        match self {
            Self::Rows(rows) => rows.iter().collect(),
            Self::Each(_, inner) => inner.rows(),
            Self::List(parts) => parts.iter().flat_map(Self::rows).collect(),
        }
    }
}
