//! The graph as text, for tests and messages.

use super::{Graph, Leaf, Node, NodeId, Opaque};

impl Graph {
    /// The path of a function that only Rust knows.
    pub(crate) fn name_of(&self, function: Opaque) -> &str {
        self.opaque.get(function.number).map_or("f", String::as_str)
    }

    /// An expression in ordinary notation, with `leaf` naming what is read.
    pub(crate) fn print(&self, root: NodeId, leaf: &dyn Fn(Leaf) -> String) -> String {
        match self.node(root) {
            Node::Constant(value) => format!("{}", value.0),
            Node::Leaf(which) => leaf(*which),
            Node::Sum { constant, terms } => {
                let mut text = if constant.0 == 0.0 { String::new() } else { format!("{}", constant.0) };
                for (factor, term) in terms {
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
                    text.push_str(&self.print_factor(*term, leaf));
                }
                text
            }
            Node::Product(factors) => {
                let parts: Vec<String> = factors
                    .iter()
                    .map(|&(base, halves)| {
                        if halves == 2 {
                            return self.print_factor(base, leaf);
                        }
                        let base = self.print_base(base, leaf);
                        match (halves, halves % 2) {
                            (_, 0) => format!("{base}^{}", halves / 2),
                            _ => format!("{base}^({halves}/2)"),
                        }
                    })
                    .collect();
                parts.join(" ")
            }
            Node::Function(function, argument) => {
                format!("{}({})", function.name(), self.print(*argument, leaf))
            }
            Node::Power { base, exponent } => {
                format!("{}^({})", self.print_base(*base, leaf), self.print(*exponent, leaf))
            }
            Node::Atan2 { y, x } => format!("atan2({}, {})", self.print(*y, leaf), self.print(*x, leaf)),
            Node::Select { gap, strict, yes, no } => format!(
                "(if {} {} 0 {{ {} }} else {{ {} }})",
                self.print(*gap, leaf),
                if *strict { "<" } else { "<=" },
                self.print(*yes, leaf),
                self.print(*no, leaf)
            ),
            Node::Call { function, arguments } => {
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.print(*argument, leaf)).collect();
                let by: Vec<String> = function.along().map(|k| format!("d{k} ")).collect();
                let by = by.concat();
                let name = self.name_of(*function);
                format!("{by}{name}({})", arguments.join(", "))
            }
        }
    }

    /// What a power is taken of.
    fn print_base(&self, id: NodeId, leaf: &dyn Fn(Leaf) -> String) -> String {
        let text = self.print(id, leaf);
        let bare = match self.node(id) {
            Node::Sum { .. } | Node::Product(_) | Node::Power { .. } => false,
            Node::Constant(value) => value.0.is_sign_positive(),
            _ => true,
        };
        if bare { text } else { format!("({text})") }
    }

    fn print_factor(&self, id: NodeId, leaf: &dyn Fn(Leaf) -> String) -> String {
        let text = self.print(id, leaf);
        match self.node(id) {
            Node::Sum { .. } => format!("({text})"),
            Node::Constant(value) if value.0.is_sign_negative() => format!("({text})"),
            _ => text,
        }
    }
}
