//! The graph as text, for tests and messages.

use super::{Graph, Leaf, Node, NodeId, Opaque};
use crate::functions::Function;
use crate::limits::MOST_PRINTED;
use std::cell::Cell;

impl Graph {
    /// The path of a function of Rust.
    pub fn name_of(&self, function: Opaque) -> &str {
        self.opaque.get(function.number).map_or("f", String::as_str)
    }

    /// An expression in ordinary notation, with `leaf` naming its reads; a long one ends in `…`.
    pub fn print(&self, root: NodeId, leaf: &dyn Fn(Leaf) -> String) -> String {
        self.part(root, leaf, &Cell::new(MOST_PRINTED))
    }

    /// A part of an expression, if any parts are `left` to print.
    fn part(&self, root: NodeId, leaf: &dyn Fn(Leaf) -> String, left: &Cell<usize>) -> String {
        let Some(rest) = left.get().checked_sub(1) else { return "…".to_owned() };
        left.set(rest);
        match self.node(root) {
            Node::Constant(value) => format!("{}", value.0),
            Node::Leaf(which) => leaf(*which),
            Node::Sum { constant, terms } => {
                let mut text = if constant.0 == 0.0 { String::new() } else { format!("{}", constant.0) };
                for (factor, term) in terms {
                    if left.get() == 0 {
                        text.push_str(" + …");
                        break;
                    }
                    let sign = match (factor.0 < 0.0, text.is_empty()) {
                        (true, true) => "-",
                        (true, false) => " - ",
                        (false, true) => "",
                        (false, false) => " + ",
                    };
                    text.push_str(sign);
                    if factor.0.abs() != 1.0 {
                        text.push_str(&factor.0.abs().to_string());
                        text.push(' ');
                    }
                    text.push_str(&self.factor(*term, leaf, left));
                }
                text
            }
            Node::Product(factors) => {
                let shown = factors.iter().take(left.get().max(1));
                let parts: Vec<String> = shown
                    .map(|&(base, halves)| {
                        if halves == 2 {
                            return self.factor(base, leaf, left);
                        }
                        let base = self.base(base, leaf, left);
                        match (halves, halves % 2) {
                            (_, 0) => format!("{base}^{}", halves / 2),
                            _ => format!("{base}^({halves}/2)"),
                        }
                    })
                    .collect();
                parts.join(" ")
            }
            // The language has no name for it.
            Node::Function(Function::Gaussian, argument) => {
                format!("exp(-{}^2)", self.base(*argument, leaf, left))
            }
            Node::Function(function, argument) => {
                format!("{}({})", function.name(), self.part(*argument, leaf, left))
            }
            Node::Power { base, exponent } => {
                format!("{}^({})", self.base(*base, leaf, left), self.part(*exponent, leaf, left))
            }
            Node::Atan2 { y, x } => {
                format!("atan2({}, {})", self.part(*y, leaf, left), self.part(*x, leaf, left))
            }
            Node::Select { gap, strict, yes, no } => format!(
                "(if {} {} 0 {{ {} }} else {{ {} }})",
                self.part(*gap, leaf, left),
                if *strict { "<" } else { "<=" },
                self.part(*yes, leaf, left),
                self.part(*no, leaf, left)
            ),
            Node::Call { function, arguments } => {
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.part(*argument, leaf, left)).collect();
                let by: Vec<String> = function.along().map(|k| format!("d{k} ")).collect();
                let by = by.concat();
                let name = self.name_of(*function);
                format!("{by}{name}({})", arguments.join(", "))
            }
        }
    }

    /// The base of a power.
    fn base(&self, id: NodeId, leaf: &dyn Fn(Leaf) -> String, left: &Cell<usize>) -> String {
        let text = self.part(id, leaf, left);
        let bare = match self.node(id) {
            Node::Sum { .. } | Node::Product(_) | Node::Power { .. } => false,
            Node::Constant(value) => value.0.is_sign_positive(),
            _ => true,
        };
        if bare { text } else { format!("({text})") }
    }

    fn factor(&self, id: NodeId, leaf: &dyn Fn(Leaf) -> String, left: &Cell<usize>) -> String {
        let text = self.part(id, leaf, left);
        match self.node(id) {
            Node::Sum { .. } => format!("({text})"),
            Node::Constant(value) if value.0.is_sign_negative() => format!("({text})"),
            _ => text,
        }
    }
}
