//! Constructors that keep the normal forms.

use super::{Function, Graph, Leaf, Node, NodeId, Number, Opaque, table::Images};
use crate::functions::FunctionTable;
use crate::functions::Parity;
use crate::limits::MOST_HALVES;

impl Graph {
    fn intern(&mut self, node: Node) -> NodeId {
        self.words.clear();
        spell(&node, &mut self.words);
        // Numbers and leaves are made without budget: they are few, and the rest is made of them.
        let is_small = matches!(node, Node::Constant(_) | Node::Leaf(_));
        if !self.budget.spend(self.words.len()) && !is_small {
            return self.zero();
        }
        let id = self.interned.number(&self.words);
        if id == self.nodes.len() {
            let mut varies = matches!(node, Node::Leaf(leaf) if super::is_variable(leaf));
            let mut depth = 0;
            node.each_operand(|operand| {
                varies |= self.varies[operand.index()];
                depth = depth.max(self.depths[operand.index()] + 1);
            });
            self.varies.push(varies);
            self.depths.push(depth);
            self.nodes.push(node);
        }
        NodeId(id as u32)
    }

    /// A number.
    pub fn constant(&mut self, value: f64) -> NodeId {
        // Minus zero would be a second zero.
        self.intern(Node::Constant(Number(value + 0.0)))
    }

    /// Zero.
    pub fn zero(&mut self) -> NodeId {
        self.constant(0.0)
    }

    /// A number that a kernel reads.
    pub fn leaf(&mut self, leaf: Leaf) -> NodeId {
        self.intern(Node::Leaf(leaf))
    }

    /// The value of a node that is a number.
    pub fn value_of(&self, id: NodeId) -> Option<f64> {
        match self.node(id) {
            Node::Constant(value) => Some(value.0),
            _ => None,
        }
    }

    /// True if a node is the number zero.
    pub fn is_zero(&self, id: NodeId) -> bool {
        self.value_of(id) == Some(0.0)
    }

    /// Σ factor · term.
    pub fn combination(&mut self, parts: impl IntoIterator<Item = (f64, NodeId)>) -> NodeId {
        let mut open: Vec<(f64, NodeId)> = parts.into_iter().collect();
        if let [(factor, part)] = open[..] {
            return self.scale(factor, part);
        }
        open.reverse();
        self.collect(open)
    }

    /// Σ factor · part, of parts taken from the end of `open`.
    fn collect(&mut self, mut open: Vec<(f64, NodeId)>) -> NodeId {
        let mut constant = 0.0;
        let mut collected: Vec<(NodeId, f64)> = Vec::new();
        while let Some((factor, part)) = open.pop() {
            match self.node(part) {
                Node::Constant(value) => constant += factor * value.0,
                Node::Sum { constant: inner, terms } => {
                    constant += factor * inner.0;
                    open.extend(terms.iter().rev().map(|(scale, term)| (factor * scale.0, *term)));
                }
                _ => *entry(&mut collected, part, 0.0) += factor,
            }
        }
        let terms = collected.into_iter().filter(|(_, factor)| *factor != 0.0);
        self.sum_of(constant, terms.map(|(id, factor)| (factor, id)).collect())
    }

    /// The sum of collected terms, with their common factor and the sign of the first pulled out.
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
    pub fn split_factor(&mut self, id: NodeId) -> (f64, NodeId) {
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
    pub fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.combination([(1.0, a), (1.0, b)])
    }

    /// a − b.
    pub fn subtract(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.combination([(1.0, a), (-1.0, b)])
    }

    /// factor · a with a numeric factor.
    pub fn scale(&mut self, factor: f64, a: NodeId) -> NodeId {
        match self.node(a) {
            // A node in the graph has its normal form.
            _ if factor == 1.0 => a,
            Node::Constant(_) | Node::Sum { .. } => self.collect(vec![(factor, a)]),
            _ if factor == 0.0 => self.zero(),
            _ => self.scaled(factor, a),
        }
    }

    /// −a.
    pub fn negate(&mut self, a: NodeId) -> NodeId {
        self.scale(-1.0, a)
    }

    /// Π base^(halves / 2).
    pub fn monomial(&mut self, parts: impl IntoIterator<Item = (NodeId, i32)>) -> NodeId {
        let mut factor = 1.0;
        let mut collected: Vec<(NodeId, i32)> = Vec::new();
        for (part, halves) in parts {
            let (scale, rest) = if halves % 2 == 0 { self.split_factor(part) } else { (1.0, part) };
            factor *= scale.powi(halves / 2);
            match self.node(rest) {
                // No square root may enter a product, as sqrt(x²) = |x|; nor may absurdly high powers.
                Node::Product(inner)
                    if halves % 2 == 0 && inner.iter().all(|(_, power)| power.abs() <= MOST_HALVES) =>
                {
                    for &(base, power) in inner {
                        *entry(&mut collected, base, 0) += power * halves / 2;
                    }
                }
                Node::Constant(value) if halves % 2 != 0 => factor *= value.0.sqrt().powi(halves),
                Node::Constant(value) => factor *= value.0.powi(halves / 2),
                _ => *entry(&mut collected, rest, 0) += halves,
            }
        }
        collected.retain(|(_, halves)| *halves != 0);
        let factors = collected;
        if factor == 0.0 || factors.is_empty() {
            return self.constant(factor);
        }
        let product = if let [(base, 2)] = factors[..] { base } else { self.intern(Node::Product(factors)) };
        self.scale(factor, product)
    }

    /// a · b.
    pub fn multiply(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.monomial([(a, 2), (b, 2)])
    }

    /// a / b.
    pub fn divide(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.monomial([(a, 2), (b, -2)])
    }

    /// a^(halves / 2).
    pub fn power(&mut self, a: NodeId, halves: i32) -> NodeId {
        self.monomial([(a, halves)])
    }

    /// base^exponent for any exponent.
    pub fn powf(&mut self, base: NodeId, exponent: NodeId) -> NodeId {
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
    pub fn function(&mut self, function: Function, argument: NodeId) -> NodeId {
        if let Some(value) = self.value_of(argument) {
            return self.constant((function.entry().value)(value));
        }
        let (factor, _) = self.split_factor(argument);
        let sign = match function.entry().parity {
            Parity::Odd => -1.0,
            Parity::Even => 1.0,
            Parity::None => 0.0,
        };
        if factor < 0.0 && sign != 0.0 {
            let negated = self.negate(argument);
            let value = self.intern(Node::Function(function, negated));
            return self.scale(sign, value);
        }
        self.intern(Node::Function(function, argument))
    }

    /// The angle of the point (x, y).
    pub fn atan2(&mut self, y: NodeId, x: NodeId) -> NodeId {
        if let (Some(y), Some(x)) = (self.value_of(y), self.value_of(x)) {
            return self.constant(y.atan2(x));
        }
        self.intern(Node::Atan2 { y, x })
    }

    /// `yes` where gap < 0 (gap ≤ 0 unless `strict`), else `no`.
    pub fn select(&mut self, gap: NodeId, strict: bool, yes: NodeId, no: NodeId) -> NodeId {
        if let Some(value) = self.value_of(gap) {
            let below = if strict { value < 0.0 } else { value <= 0.0 };
            return if below { yes } else { no };
        }
        if yes == no {
            return yes;
        }
        // Only the sign of the gap matters.
        let (factor, rest) = self.split_factor(gap);
        let gap = if factor < 0.0 { self.negate(rest) } else { rest };
        self.intern(Node::Select { gap, strict, yes, no })
    }

    /// Names the next function of Rust in texts.
    pub fn name_opaque(&mut self, name: &str) {
        self.opaque.push(name.to_owned());
    }

    /// A function of Rust, or a derivative of it.
    pub fn call(&mut self, function: Opaque, arguments: Vec<NodeId>) -> NodeId {
        self.intern(Node::Call { function, arguments })
    }

    /// The expression with leaves replaced; where `replace` returns `None`, the leaf stays.
    pub fn substitute(
        &mut self,
        root: NodeId,
        replace: &dyn Fn(&mut Self, Leaf) -> Option<NodeId>,
    ) -> NodeId {
        self.replace(root, &|graph, id| match *graph.node(id) {
            Node::Leaf(leaf) => replace(graph, leaf),
            _ => None,
        })
    }

    /// The expression with nodes replaced; for `None` from `replace`, the node keeps its operation.
    pub fn replace(&mut self, root: NodeId, replace: &dyn Fn(&mut Self, NodeId) -> Option<NodeId>) -> NodeId {
        let mut images = Images::default();
        for id in self.reachable(&[root]) {
            let image = replace(self, id).unwrap_or_else(|| {
                let node = self.node(id).clone();
                self.rebuild(node, |operand| images.of(operand))
            });
            images.set(id, image);
        }
        images.of(root)
    }

    /// The operation of `node` on other operands.
    pub fn rebuild(&mut self, node: Node, image: impl Fn(NodeId) -> NodeId) -> NodeId {
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

    /// a − b as a sum of additive parts, so that equal parts cancel.
    pub fn difference_of_addends(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let parts: Vec<(f64, NodeId)> = [(1.0, a), (-1.0, b)]
            .into_iter()
            .flat_map(|(sign, whole)| self.addends(whole).into_iter().map(move |part| (sign, part)))
            .collect();
        self.combination(parts)
    }

    /// The additive parts of an expression; constant factors before sums are multiplied in.
    pub fn addends(&mut self, root: NodeId) -> Vec<NodeId> {
        self.addends_by(root, &|graph, factor| !graph.mentions(factor, super::is_variable))
    }

    /// The additive parts of an expression; factors of which `is_spread` holds are multiplied into sums.
    pub fn addends_by(&mut self, root: NodeId, is_spread: &dyn Fn(&Self, NodeId) -> bool) -> Vec<NodeId> {
        match self.node(root).clone() {
            Node::Sum { constant, terms } => {
                let mut parts = Vec::new();
                if constant.0 != 0.0 {
                    parts.push(self.constant(constant.0));
                }
                for (factor, term) in terms {
                    for part in self.addends_by(term, is_spread) {
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
                if !is_spread(self, rest) {
                    return vec![root];
                }
                let parts = self.addends_by(factors[sum].0, is_spread);
                parts.into_iter().map(|part| self.multiply(rest, part)).collect()
            }
            _ => vec![root],
        }
    }
}

/// The value of a node in a list in ascending order.
fn entry<T>(list: &mut Vec<(NodeId, T)>, id: NodeId, new: T) -> &mut T {
    // Most come in ascending order.
    let at = match list.last() {
        Some((last, _)) if *last >= id => list.partition_point(|(known, _)| *known < id),
        _ => list.len(),
    };
    if list.get(at).is_none_or(|(known, _)| *known != id) {
        list.insert(at, (id, new));
    }
    &mut list[at].1
}

/// A node as words: equal nodes have equal words.
fn spell(node: &Node, words: &mut Vec<u64>) {
    let two = |a: NodeId, b: NodeId| u64::from(a.0) << 32 | u64::from(b.0);
    match node {
        Node::Constant(value) => words.extend_from_slice(&[0, value.0.to_bits()]),
        Node::Leaf(leaf) => {
            words.push(1);
            leaf.spell(words);
        }
        Node::Sum { constant, terms } => {
            words.extend_from_slice(&[2, constant.0.to_bits()]);
            for (factor, term) in terms {
                words.push(factor.0.to_bits());
                words.push(u64::from(term.0));
            }
        }
        Node::Product(factors) => {
            words.push(3);
            for (base, halves) in factors {
                words.push(u64::from(base.0) << 32 | u64::from(*halves as u32));
            }
        }
        Node::Function(function, argument) => {
            words.extend_from_slice(&[4, *function as u64, u64::from(argument.0)]);
        }
        Node::Power { base, exponent } => words.extend_from_slice(&[5, two(*base, *exponent)]),
        Node::Atan2 { y, x } => words.extend_from_slice(&[6, two(*y, *x)]),
        Node::Select { gap, strict, yes, no } => {
            words.extend_from_slice(&[7, u64::from(gap.0), u64::from(*strict), two(*yes, *no)]);
        }
        Node::Call { function, arguments } => {
            words.push(8);
            function.spell(words);
            for argument in arguments {
                words.push(u64::from(argument.0));
            }
        }
    }
}
