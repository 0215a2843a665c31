//! The expressions of a program while they are rearranged.

use crate::graph::{Function, Graph, Leaf, Node, NodeId, Opaque, Places, Words};
use crate::limits::MOST_HALVES;
use std::collections::BTreeSet;

/// The name of an item.
pub(super) type Id = usize;

/// A number times an item.
pub(super) type Term = (f64, Id);

/// An item to the power of so many halves.
pub(super) type Factor = (Id, i32);

/// An expression whose parts are items.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// A number.
    Number(f64),
    /// A number that the kernel reads.
    Read(Leaf),
    /// A number that binding evaluates.
    Coefficient(NodeId),
    /// constant + Σ number · item.
    Sum(f64, Vec<Term>),
    /// Π item^(halves / 2).
    Product(Vec<Factor>),
    /// An elementary function.
    Function(Function, Id),
    /// base^exponent.
    Power(Id, Id),
    /// The angle of the point (x, y), given as y, x.
    Atan2(Id, Id),
    /// A choice by the sign of the first, strictly or not, between the others.
    Select(bool, [Id; 3]),
    /// A function that only Rust knows.
    Call(Opaque, Vec<Id>),
}

impl Item {
    /// The item as words: equal items have equal words.
    fn spell(&self, words: &mut Vec<u64>) {
        match self {
            Self::Number(value) => words.extend_from_slice(&[0, value.to_bits()]),
            Self::Read(leaf) => {
                words.push(1);
                leaf.spell(words);
            }
            Self::Coefficient(node) => words.extend_from_slice(&[2, node.index() as u64]),
            Self::Sum(constant, terms) => {
                words.extend_from_slice(&[3, constant.to_bits()]);
                for (factor, item) in terms {
                    words.push(factor.to_bits());
                    words.push(*item as u64);
                }
            }
            Self::Product(factors) => {
                words.push(4);
                for (item, halves) in factors {
                    words.push(*item as u64);
                    words.push(u64::from(*halves as u32));
                }
            }
            Self::Function(function, argument) => {
                words.extend_from_slice(&[5, *function as u64, *argument as u64]);
            }
            Self::Power(base, exponent) => words.extend_from_slice(&[6, *base as u64, *exponent as u64]),
            Self::Atan2(y, x) => words.extend_from_slice(&[7, *y as u64, *x as u64]),
            Self::Select(strict, parts) => {
                words.extend_from_slice(&[8, u64::from(*strict)]);
                words.extend(parts.iter().map(|part| *part as u64));
            }
            Self::Call(function, arguments) => {
                words.push(9);
                function.spell(words);
                words.extend(arguments.iter().map(|argument| *argument as u64));
            }
        }
    }

    /// Visits the items that it is made of.
    pub(super) fn each_part(&self, mut visit: impl FnMut(Id)) {
        match self {
            Self::Number(_) | Self::Read(_) | Self::Coefficient(_) => {}
            Self::Sum(_, terms) => terms.iter().for_each(|(_, item)| visit(*item)),
            Self::Product(factors) => factors.iter().for_each(|(item, _)| visit(*item)),
            Self::Function(_, argument) => visit(*argument),
            Self::Power(a, b) | Self::Atan2(a, b) => {
                visit(*a);
                visit(*b);
            }
            Self::Select(_, parts) => parts.iter().for_each(|part| visit(*part)),
            Self::Call(_, arguments) => arguments.iter().for_each(|argument| visit(*argument)),
        }
    }
}

/// All items of a program; sums and products may change while they are rearranged, the others do not.
#[derive(Clone, Default)]
pub(super) struct Items {
    /// The items.
    pub(super) all: Vec<Item>,
    /// The items as they were when they came.
    known: Words,
    /// The words of the item that is looked up.
    words: Vec<u64>,
    /// The results.
    pub(super) roots: Vec<Term>,
}

impl Items {
    /// The items of `roots`; a coefficient c in a product is read as (1 / unit) · (unit · c).
    pub(super) fn of(
        graph: &mut Graph,
        definitions: &[NodeId],
        roots: &[NodeId],
        hoist: bool,
        unit: f64,
    ) -> Self {
        let mut reader = Reader {
            graph,
            definitions,
            hoist,
            unit,
            items: Self::default(),
            places: Places::default(),
            images: Vec::new(),
        };
        let roots = roots.iter().map(|root| reader.term(*root)).collect();
        let mut items = reader.items;
        items.roots = roots;
        items
    }

    /// The item that an expression is.
    pub(super) fn intern(&mut self, item: Item) -> Id {
        self.words.clear();
        item.spell(&mut self.words);
        let id = self.known.number(&self.words);
        if id == self.all.len() {
            self.all.push(item);
        }
        id
    }

    /// A sum with equal terms collected, as a number times an item whose first term is positive.
    pub(super) fn sum(&mut self, constant: f64, mut terms: Vec<Term>) -> Term {
        terms.sort_by_key(|(_, item)| *item);
        let mut collected: Vec<Term> = Vec::new();
        for (factor, item) in terms {
            match collected.last_mut() {
                Some((total, last)) if *last == item => *total += factor,
                _ => collected.push((factor, item)),
            }
        }
        collected.retain(|(factor, _)| *factor != 0.0);
        match collected[..] {
            [] => (1.0, self.intern(Item::Number(constant + 0.0))),
            [(factor, item)] if constant == 0.0 => (factor, item),
            _ => {
                let first = collected[0].0;
                let same = collected.iter().all(|(factor, _)| factor.abs() == first.abs())
                    && (constant == 0.0 || constant.abs() == first.abs());
                let scale = if same { first } else { 1.0_f64.copysign(first) };
                let terms = collected.into_iter().map(|(factor, item)| (factor / scale, item)).collect();
                (scale, self.intern(Item::Sum(constant / scale + 0.0, terms)))
            }
        }
    }

    /// A product of collected factors, none of which is a number.
    pub(super) fn product(&mut self, mut factors: Vec<Factor>) -> Id {
        factors.sort_unstable();
        let mut collected: Vec<Factor> = Vec::new();
        for (item, halves) in factors {
            match collected.last_mut() {
                Some((last, total)) if *last == item => *total += halves,
                _ => collected.push((item, halves)),
            }
        }
        collected.retain(|(_, halves)| *halves != 0);
        match collected[..] {
            [] => self.intern(Item::Number(1.0)),
            [(item, 2)] => item,
            _ => self.intern(Item::Product(collected)),
        }
    }

    /// A number times an item as an item.
    pub(super) fn whole(&mut self, (factor, item): Term) -> Id {
        if factor == 1.0 {
            return item;
        }
        if let Item::Number(value) = self.all[item] {
            return self.intern(Item::Number(factor * value));
        }
        self.intern(Item::Sum(0.0, vec![(factor, item)]))
    }

    /// The numbers before results and before the terms of results, each once, without signs.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let mut found = Vec::new();
        for (factor, root) in &self.roots {
            let terms: &[Term] = if let Item::Sum(_, terms) = &self.all[*root] { terms } else { &[] };
            let inside = terms.iter().map(|(of_term, _)| (factor * of_term).abs());
            for number in std::iter::once(factor.abs()).chain(inside) {
                if number != 1.0 && number.is_normal() && !found.contains(&number) {
                    found.push(number);
                }
            }
        }
        found
    }

    /// The operations that the items take one by one: an upper bound, found quickly.
    pub(super) fn estimate(&self) -> u32 {
        let uses = self.uses();
        let is_scaled =
            |(factor, root): &&Term| factor.abs() != 1.0 && !matches!(self.all[*root], Item::Number(_));
        let scaled =
            self.roots.iter().filter(is_scaled).map(|(factor, root)| (factor.abs().to_bits(), *root));
        let scaled: BTreeSet<(u64, Id)> = scaled.collect();
        let needed = self.all.iter().zip(&uses).filter(|(_, uses)| **uses > 0);
        let inside: u32 = needed
            .map(|(item, _)| match item {
                Item::Number(_) | Item::Read(_) | Item::Coefficient(_) => 0,
                Item::Sum(constant, terms) => {
                    let numbers = terms.iter().filter(|(factor, _)| factor.abs() != 1.0).count();
                    (terms.len() + numbers) as u32 - 1 + u32::from(*constant != 0.0)
                }
                Item::Product(factors) => factors.len() as u32,
                Item::Function(..) | Item::Power(..) | Item::Atan2(..) => 20,
                Item::Select(..) => 2,
                Item::Call(function, _) => 40 << function.along().count(),
            })
            .sum();
        inside + scaled.len() as u32
    }

    /// The number of uses of each item by the items that are needed.
    pub(super) fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.all.len()];
        let mut open = Vec::new();
        for (_, root) in &self.roots {
            uses[*root] += 1;
            if uses[*root] == 1 {
                open.push(*root);
            }
        }
        while let Some(id) = open.pop() {
            self.all[id].each_part(|part| {
                uses[part] += 1;
                if uses[part] == 1 {
                    open.push(part);
                }
            });
        }
        uses
    }
}

struct Reader<'a> {
    graph: &'a mut Graph,
    definitions: &'a [NodeId],
    hoist: bool,
    /// The number that the coefficients of products take over.
    unit: f64,
    items: Items,
    /// The place of the image of a node in `images`.
    places: Places,
    images: Vec<Term>,
}

impl Reader<'_> {
    /// True if a node is evaluated at binding.
    fn is_coefficient(&self, node: NodeId) -> bool {
        self.hoist && !self.graph.varies(node)
    }

    /// A node as a number times an item.
    fn term(&mut self, id: NodeId) -> Term {
        if let Some(known) = self.places.get(id) {
            return self.images[known];
        }
        let image = self.read(id);
        self.places.set(id, self.images.len());
        self.images.push(image);
        image
    }

    fn whole(&mut self, id: NodeId) -> Id {
        let term = self.term(id);
        self.items.whole(term)
    }

    fn coefficient(&mut self, id: NodeId) -> Term {
        let (factor, rest) = self.graph.split_factor(id);
        if let Some(value) = self.graph.value_of(rest) {
            return (1.0, self.items.intern(Item::Number(factor * value)));
        }
        (factor, self.items.intern(Item::Coefficient(rest)))
    }

    fn read(&mut self, id: NodeId) -> Term {
        if let Some(value) = self.graph.value_of(id) {
            return (1.0, self.items.intern(Item::Number(value)));
        }
        if self.is_coefficient(id) {
            return self.coefficient(id);
        }
        match self.graph.node(id).clone() {
            Node::Constant(value) => (1.0, self.items.intern(Item::Number(value.0))),
            Node::Leaf(Leaf::Internal(k)) => self.term(self.definitions[k]),
            Node::Leaf(leaf) => (1.0, self.items.intern(Item::Read(leaf))),
            Node::Sum { constant, terms } => {
                let (still, moving): (Vec<_>, Vec<_>) =
                    terms.into_iter().partition(|(_, term)| self.is_coefficient(*term));
                let mut parts: Vec<Term> = Vec::new();
                for (factor, term) in moving {
                    let (inner, item) = self.term(term);
                    parts.push((factor.0 * inner, item));
                }
                if still.is_empty() {
                    return self.items.sum(constant.0, parts);
                }
                let constant = self.graph.constant(constant.0);
                let still = still.into_iter().map(|(factor, term)| (factor.0, term));
                let offset = self.graph.combination(still.chain([(1.0, constant)]));
                parts.push(self.coefficient(offset));
                self.items.sum(0.0, parts)
            }
            Node::Product(factors) => {
                let (still, moving): (Vec<_>, Vec<_>) =
                    factors.into_iter().partition(|(base, _)| self.is_coefficient(*base));
                let mut number = 1.0;
                let mut parts: Vec<Factor> = Vec::new();
                for (base, halves) in moving {
                    let (factor, item) = self.term(base);
                    if halves % 2 == 0 {
                        number *= factor.powi(halves / 2);
                        // A power of a product is the product of the powers, but for roots.
                        match &self.items.all[item] {
                            Item::Product(inner)
                                if inner.iter().all(|(_, power)| power.abs() <= MOST_HALVES) =>
                            {
                                parts.extend(inner.iter().map(|(part, power)| (*part, power * halves / 2)));
                            }
                            Item::Number(value) => number *= value.powi(halves / 2),
                            _ => parts.push((item, halves)),
                        }
                    } else {
                        parts.push((self.items.whole((factor, item)), halves));
                    }
                }
                if !still.is_empty() {
                    let together = self.graph.monomial(still);
                    let (factor, item) = self.coefficient(together);
                    number *= factor;
                    match self.items.all[item] {
                        Item::Number(value) => number *= value,
                        Item::Coefficient(node) => {
                            number /= self.unit;
                            let scaled = self.graph.scale(self.unit, node);
                            parts.push((self.items.intern(Item::Coefficient(scaled)), 2));
                        }
                        _ => parts.push((item, 2)),
                    }
                }
                (number, self.items.product(parts))
            }
            Node::Function(function, argument) => {
                let argument = self.whole(argument);
                (1.0, self.items.intern(Item::Function(function, argument)))
            }
            Node::Power { base, exponent } => {
                let (base, exponent) = (self.whole(base), self.whole(exponent));
                (1.0, self.items.intern(Item::Power(base, exponent)))
            }
            Node::Atan2 { y, x } => {
                let (y, x) = (self.whole(y), self.whole(x));
                (1.0, self.items.intern(Item::Atan2(y, x)))
            }
            Node::Select { gap, strict, yes, no } => {
                let parts = [gap, yes, no].map(|part| self.whole(part));
                (1.0, self.items.intern(Item::Select(strict, parts)))
            }
            Node::Call { function, arguments } => {
                let arguments = arguments.into_iter().map(|argument| self.whole(argument)).collect();
                (1.0, self.items.intern(Item::Call(function, arguments)))
            }
        }
    }
}
