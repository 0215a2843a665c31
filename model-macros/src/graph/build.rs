//! Constructors that keep the normal forms.

use super::{Function, Graph, Leaf, Node, NodeId, Number, Opaque, Table};
use std::collections::BTreeMap;

impl Graph {
    fn intern(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.interned.get(&node) {
            return id;
        }
        let id = NodeId(self.nodes.len() as u32);
        let mut varies = matches!(node, Node::Leaf(leaf) if super::is_variable(leaf));
        node.each_operand(|operand| varies |= self.varies[operand.index()]);
        self.varies.push(varies);
        self.nodes.push(node.clone());
        self.interned.insert(node, id);
        id
    }

    /// A number.
    pub(crate) fn constant(&mut self, value: f64) -> NodeId {
        // Minus zero would be a second zero.
        self.intern(Node::Constant(Number(value + 0.0)))
    }

    /// Zero.
    pub(crate) fn zero(&mut self) -> NodeId {
        self.constant(0.0)
    }

    /// Something that a kernel reads.
    pub(crate) fn leaf(&mut self, leaf: Leaf) -> NodeId {
        self.intern(Node::Leaf(leaf))
    }

    /// The value of a node that is a number.
    pub(crate) fn value_of(&self, id: NodeId) -> Option<f64> {
        match self.node(id) {
            Node::Constant(value) => Some(value.0),
            _ => None,
        }
    }

    /// Whether a node is the number zero.
    pub(crate) fn is_zero(&self, id: NodeId) -> bool {
        self.value_of(id) == Some(0.0)
    }

    /// Σ factor · term.
    pub(crate) fn combination(&mut self, parts: impl IntoIterator<Item = (f64, NodeId)>) -> NodeId {
        let mut constant = 0.0;
        let mut collected: BTreeMap<NodeId, f64> = BTreeMap::new();
        let mut open: Vec<(f64, NodeId)> = parts.into_iter().collect();
        open.reverse();
        while let Some((factor, part)) = open.pop() {
            match self.node(part) {
                Node::Constant(value) => constant += factor * value.0,
                Node::Sum { constant: inner, terms } => {
                    constant += factor * inner.0;
                    open.extend(terms.iter().rev().map(|(scale, term)| (factor * scale.0, *term)));
                }
                Node::Leaf(_)
                | Node::Product(_)
                | Node::Function(..)
                | Node::Power { .. }
                | Node::Atan2 { .. }
                | Node::Select { .. }
                | Node::Call { .. } => *collected.entry(part).or_insert(0.0) += factor,
            }
        }
        let terms: Vec<(f64, NodeId)> =
            collected.into_iter().filter(|(_, f)| *f != 0.0).map(|(id, f)| (f, id)).collect();
        self.sum_of(constant, terms)
    }

    /// The sum of collected terms: a factor common to all of them, and the sign of the first, are pulled out.
    fn sum_of(&mut self, constant: f64, terms: Vec<(f64, NodeId)>) -> NodeId {
        let Some(&(first, single)) = terms.first() else {
            return self.constant(constant);
        };
        if terms.len() == 1 && constant == 0.0 {
            return self.scaled(first, single);
        }
        let common = terms.iter().all(|(factor, _)| factor.abs() == first.abs())
            && (constant == 0.0 || constant.abs() == first.abs());
        let scale = if common { first } else { 1.0_f64.copysign(first) };
        let inner = self.intern(Node::Sum {
            constant: Number(constant / scale + 0.0),
            terms: terms.into_iter().map(|(factor, term)| (Number(factor / scale), term)).collect(),
        });
        self.scaled(scale, inner)
    }

    fn scaled(&mut self, factor: f64, id: NodeId) -> NodeId {
        if factor == 1.0 {
            return id;
        }
        self.intern(Node::Sum { constant: Number(0.0), terms: vec![(Number(factor), id)] })
    }

    /// A node as a numeric factor and the rest.
    pub(crate) fn split_factor(&mut self, id: NodeId) -> (f64, NodeId) {
        match self.node(id) {
            Node::Constant(value) => {
                let value = value.0;
                (value, self.constant(1.0))
            }
            Node::Sum { constant, terms } if constant.0 == 0.0 && terms.len() == 1 => {
                (terms[0].0.0, terms[0].1)
            }
            _ => (1.0, id),
        }
    }

    /// a + b.
    pub(crate) fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.combination([(1.0, a), (1.0, b)])
    }

    /// a − b.
    pub(crate) fn subtract(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.combination([(1.0, a), (-1.0, b)])
    }

    /// factor · a with a numeric factor.
    pub(crate) fn scale(&mut self, factor: f64, a: NodeId) -> NodeId {
        self.combination([(factor, a)])
    }

    /// −a.
    pub(crate) fn negate(&mut self, a: NodeId) -> NodeId {
        self.scale(-1.0, a)
    }

    /// Π base^(halves / 2).
    pub(crate) fn monomial(&mut self, parts: impl IntoIterator<Item = (NodeId, i32)>) -> NodeId {
        let mut factor = 1.0;
        let mut collected: BTreeMap<NodeId, i32> = BTreeMap::new();
        for (part, halves) in parts {
            let (scale, rest) = if halves % 2 == 0 { self.split_factor(part) } else { (1.0, part) };
            factor *= scale.powi(halves / 2);
            match self.node(rest) {
                // A square root may not enter a product: sqrt(x²) is |x|, not x.
                Node::Product(inner) if halves % 2 == 0 => {
                    for (base, power) in inner.clone() {
                        *collected.entry(base).or_insert(0) += power * halves / 2;
                    }
                }
                Node::Constant(value) if halves % 2 != 0 => factor *= value.0.sqrt().powi(halves),
                Node::Constant(value) => factor *= value.0.powi(halves / 2),
                _ => *collected.entry(rest).or_insert(0) += halves,
            }
        }
        let factors: Vec<(NodeId, i32)> = collected.into_iter().filter(|(_, halves)| *halves != 0).collect();
        if factor == 0.0 || factors.is_empty() {
            return self.constant(factor);
        }
        let product = if let [(base, 2)] = factors[..] { base } else { self.intern(Node::Product(factors)) };
        self.combination([(factor, product)])
    }

    /// a · b.
    pub(crate) fn multiply(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.monomial([(a, 2), (b, 2)])
    }

    /// a / b.
    pub(crate) fn divide(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.monomial([(a, 2), (b, -2)])
    }

    /// a^(halves / 2).
    pub(crate) fn power(&mut self, a: NodeId, halves: i32) -> NodeId {
        self.monomial([(a, halves)])
    }

    /// base^exponent for any exponent.
    pub(crate) fn powf(&mut self, base: NodeId, exponent: NodeId) -> NodeId {
        if let Some(value) = self.value_of(exponent) {
            let halves = value * 2.0;
            if halves.fract() == 0.0 && halves.abs() <= 64.0 {
                return self.power(base, halves as i32);
            }
        }
        if let (Some(base), Some(exponent)) = (self.value_of(base), self.value_of(exponent)) {
            return self.constant(base.powf(exponent));
        }
        self.intern(Node::Power { base, exponent })
    }

    /// An elementary function.
    pub(crate) fn function(&mut self, function: Function, argument: NodeId) -> NodeId {
        if let Some(value) = self.value_of(argument) {
            return self.constant(function.apply(value));
        }
        let (factor, _) = self.split_factor(argument);
        // Odd and even functions take the sign out, so that f(a − b) and f(b − a) share a node.
        let parity = match function {
            Function::Sin
            | Function::Tan
            | Function::Asin
            | Function::Atan
            | Function::Sinh
            | Function::Tanh
            | Function::Asinh
            | Function::Atanh
            | Function::Cbrt => -1.0,
            Function::Cos | Function::Cosh => 1.0,
            Function::Acos
            | Function::Acosh
            | Function::Exp
            | Function::ExpM1
            | Function::Ln
            | Function::Ln1p => 0.0,
        };
        if factor < 0.0 && parity != 0.0 {
            let negated = self.negate(argument);
            let value = self.intern(Node::Function(function, negated));
            return self.scale(parity, value);
        }
        self.intern(Node::Function(function, argument))
    }

    /// The angle of the point (x, y).
    pub(crate) fn atan2(&mut self, y: NodeId, x: NodeId) -> NodeId {
        if let (Some(y), Some(x)) = (self.value_of(y), self.value_of(x)) {
            return self.constant(y.atan2(x));
        }
        self.intern(Node::Atan2 { y, x })
    }

    /// `yes` where gap < 0 (where gap ≤ 0, unless `strict`), `no` elsewhere.
    pub(crate) fn select(&mut self, gap: NodeId, strict: bool, yes: NodeId, no: NodeId) -> NodeId {
        if let Some(value) = self.value_of(gap) {
            let below = if strict { value < 0.0 } else { value <= 0.0 };
            return if below { yes } else { no };
        }
        if yes == no {
            return yes;
        }
        // The size of the gap does not matter, its sign does.
        let (factor, rest) = self.split_factor(gap);
        let gap = if factor < 0.0 { self.negate(rest) } else { rest };
        self.intern(Node::Select { gap, strict, yes, no })
    }

    /// Gives the next function that only Rust knows its name in texts.
    pub(crate) fn name_opaque(&mut self, name: &str) {
        self.opaque.push(name.to_owned());
    }

    /// A function that only Rust knows, or a derivative of it.
    pub(crate) fn call(&mut self, function: Opaque, arguments: Vec<NodeId>) -> NodeId {
        self.intern(Node::Call { function, arguments })
    }

    /// The expression with leaves replaced; `replace` says by what, or keeps the leaf.
    pub(crate) fn substitute(
        &mut self,
        root: NodeId,
        replace: &dyn Fn(&mut Self, Leaf) -> Option<NodeId>,
    ) -> NodeId {
        self.replace(root, &|graph, id| match *graph.node(id) {
            Node::Leaf(leaf) => replace(graph, leaf),
            _ => None,
        })
    }

    /// The expression with nodes replaced; `replace` says by what, or keeps the operation on the images of its operands.
    pub(crate) fn replace(
        &mut self,
        root: NodeId,
        replace: &dyn Fn(&mut Self, NodeId) -> Option<NodeId>,
    ) -> NodeId {
        let mut images: Table<NodeId, NodeId> = Table::default();
        for id in self.reachable(&[root]) {
            let image = replace(self, id).unwrap_or_else(|| {
                let node = self.node(id).clone();
                self.rebuild(node, |operand| images[&operand])
            });
            images.insert(id, image);
        }
        images[&root]
    }

    /// The same operation on other operands.
    pub(crate) fn rebuild(&mut self, node: Node, image: impl Fn(NodeId) -> NodeId) -> NodeId {
        match node {
            Node::Constant(value) => self.constant(value.0),
            Node::Leaf(leaf) => self.leaf(leaf),
            Node::Sum { constant, terms } => {
                let constant = self.constant(constant.0);
                let parts = terms.iter().map(|(factor, term)| (factor.0, image(*term)));
                self.combination(std::iter::once((1.0, constant)).chain(parts))
            }
            Node::Product(factors) => {
                self.monomial(factors.iter().map(|(base, halves)| (image(*base), *halves)))
            }
            Node::Function(function, argument) => self.function(function, image(argument)),
            Node::Power { base, exponent } => self.powf(image(base), image(exponent)),
            Node::Atan2 { y, x } => self.atan2(image(y), image(x)),
            Node::Select { gap, strict, yes, no } => self.select(image(gap), strict, image(yes), image(no)),
            Node::Call { function, arguments } => {
                self.call(function, arguments.into_iter().map(image).collect())
            }
        }
    }

    /// The additive parts of an expression: factors that do not vary are multiplied into the sums that they stand before.
    pub(crate) fn addends(&mut self, root: NodeId) -> Vec<NodeId> {
        match self.node(root).clone() {
            Node::Sum { constant, terms } => {
                let mut parts = Vec::new();
                if constant.0 != 0.0 {
                    parts.push(self.constant(constant.0));
                }
                for (factor, term) in terms {
                    for part in self.addends(term) {
                        parts.push(self.scale(factor.0, part));
                    }
                }
                parts
            }
            Node::Product(factors) => {
                let sum = factors
                    .iter()
                    .position(|&(base, halves)| halves == 2 && matches!(self.node(base), Node::Sum { .. }));
                let Some(sum) = sum else { return vec![root] };
                let rest: Vec<(NodeId, i32)> =
                    factors.iter().enumerate().filter(|(k, _)| *k != sum).map(|(_, &f)| f).collect();
                let rest = self.monomial(rest);
                if self.mentions(rest, super::is_variable) {
                    return vec![root];
                }
                let parts = self.addends(factors[sum].0);
                parts.into_iter().map(|part| self.multiply(rest, part)).collect()
            }
            Node::Constant(_)
            | Node::Leaf(_)
            | Node::Function(..)
            | Node::Power { .. }
            | Node::Atan2 { .. }
            | Node::Select { .. }
            | Node::Call { .. } => {
                vec![root]
            }
        }
    }
}
