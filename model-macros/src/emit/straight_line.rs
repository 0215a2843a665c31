//! Expressions → straight-line code: one `let` for each shared operation, operands first.
//!
//! Powers of one base are built from each other: a single reciprocal or square root serves all of them.

use crate::graph::{Graph, Leaf, Node, NodeId};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

/// Code for a set of expressions.
pub(super) struct StraightLine {
    /// The `let`s.
    pub(super) lines: TokenStream,
    /// The value of each expression.
    pub(super) outputs: Vec<TokenStream>,
    /// Weighted operations: 1 for additions and products, 5 for a reciprocal, 6 for a root, 20 for other functions.
    pub(super) operations: u32,
}

/// Emits the code for `roots`; `read` gives the code that reads a leaf.
pub(super) fn straight_line(
    graph: &Graph,
    roots: &[NodeId],
    read: &dyn Fn(Leaf) -> TokenStream,
) -> StraightLine {
    let reachable = graph.reachable(roots);
    let mut negative_odd = BTreeSet::new();
    for id in &reachable {
        if let Node::Product(factors) = graph.node(*id) {
            negative_odd.extend(
                factors.iter().filter(|(_, halves)| *halves < 0 && halves % 2 != 0).map(|(base, _)| *base),
            );
        }
    }
    let mut writer = Writer {
        graph,
        lines: TokenStream::new(),
        names: BTreeMap::new(),
        powers: BTreeMap::new(),
        multiples: Vec::new(),
        negative_odd,
        count: 0,
        operations: 0,
    };
    for &id in &reachable {
        writer.node(id, read);
    }
    let outputs = roots.iter().map(|root| writer.names[root].clone()).collect();
    StraightLine { lines: writer.lines, outputs, operations: writer.operations }
}

struct Writer<'a> {
    graph: &'a Graph,
    lines: TokenStream,
    names: BTreeMap<NodeId, TokenStream>,
    powers: BTreeMap<(NodeId, i32), TokenStream>,
    /// Positive multiples that have a name.
    multiples: Vec<(f64, NodeId, TokenStream)>,
    /// Bases of which an inverse root is needed, so that their reciprocals come from it.
    negative_odd: BTreeSet<NodeId>,
    count: usize,
    operations: u32,
}

impl Writer<'_> {
    fn line(&mut self, value: &TokenStream, cost: u32) -> TokenStream {
        let name: Ident = format_ident!("s{}", self.count, span = Span::mixed_site());
        self.count += 1;
        self.operations += cost;
        self.lines.extend(quote!(let #name = #value;));
        quote!(#name)
    }

    fn node(&mut self, id: NodeId, read: &dyn Fn(Leaf) -> TokenStream) {
        let code = match self.graph.node(id) {
            Node::Constant(value) => number(value.0),
            Node::Leaf(leaf) => read(*leaf),
            Node::Sum { constant, terms } => match terms[..] {
                [(factor, term)] if constant.0 == 0.0 => self.multiple(factor.0, term),
                _ => {
                    let (value, cost) = self.sum(constant.0, &terms.clone());
                    self.line(&value, cost)
                }
            },
            Node::Product(factors) => {
                let factors = factors.clone();
                let parts: Vec<TokenStream> =
                    factors.iter().map(|&(base, halves)| self.power(base, halves)).collect();
                if let [single] = &parts[..] {
                    single.clone()
                } else {
                    let cost = parts.len() as u32 - 1;
                    self.line(&product(&parts), cost)
                }
            }
            Node::Function(function, argument) => {
                let argument = &self.names[argument];
                let method = Ident::new(function.name(), Span::mixed_site());
                let value = quote!(f64::#method(#argument));
                self.line(&value, 20)
            }
            Node::Power { base, exponent } => {
                let (base, exponent) = (&self.names[base], &self.names[exponent]);
                let value = quote!(f64::powf(#base, #exponent));
                self.line(&value, 40)
            }
            Node::Atan2 { y, x } => {
                let (y, x) = (&self.names[y], &self.names[x]);
                let value = quote!(f64::atan2(#y, #x));
                self.line(&value, 30)
            }
        };
        self.names.insert(id, code);
    }

    /// factor · term, where a multiple and its negative share the product.
    fn multiple(&mut self, factor: f64, term: NodeId) -> TokenStream {
        let size = factor.abs();
        let known = self.multiples.iter().find(|(other, of, _)| *of == term && *other == size);
        let product = match known {
            Some((_, _, name)) => name.clone(),
            None if size == 1.0 => self.names[&term].clone(),
            None => {
                let (of, by) = (&self.names[&term], number(size));
                let value = quote!(#by * #of);
                let name = self.line(&value, 1);
                self.multiples.push((size, term, name.clone()));
                name
            }
        };
        if factor < 0.0 { self.line(&quote!(-#product), 0) } else { product }
    }

    fn sum(&self, constant: f64, terms: &[(crate::graph::Number, NodeId)]) -> (TokenStream, u32) {
        let mut cost = 0;
        let mut code = TokenStream::new();
        // A positive term first saves a negation.
        let lead = terms.iter().position(|(factor, _)| factor.0 > 0.0).unwrap_or(0);
        let order = std::iter::once(lead).chain((0..terms.len()).filter(|k| *k != lead));
        for (place, k) in order.enumerate() {
            let (factor, term) = (terms[k].0.0, &self.names[&terms[k].1]);
            let scaled = if factor.abs() == 1.0 {
                quote!(#term)
            } else {
                cost += 1;
                let factor = number(factor.abs());
                quote!(#factor * #term)
            };
            let negative = factor < 0.0;
            code = match (place, negative) {
                (0, false) => scaled,
                (0, true) => quote!(-(#scaled)),
                (_, false) => quote!(#code + #scaled),
                (_, true) => quote!(#code - #scaled),
            };
            cost += u32::from(place > 0);
        }
        if constant != 0.0 {
            cost += 1;
            let value = number(constant.abs());
            code = if constant < 0.0 { quote!(#code - #value) } else { quote!(#code + #value) };
        }
        (code, cost)
    }

    /// base^(halves / 2), built once.
    fn power(&mut self, base: NodeId, halves: i32) -> TokenStream {
        if halves == 2 {
            return self.names[&base].clone();
        }
        if let Some(known) = self.powers.get(&(base, halves)) {
            return known.clone();
        }
        let of = self.names[&base].clone();
        let (value, cost) = match halves {
            1 => (quote!(f64::sqrt(#of)), 6),
            -1 => {
                let root = self.power(base, 1);
                (quote!(1.0 / #root), 5)
            }
            -2 if self.negative_odd.contains(&base) => {
                let root = self.power(base, -1);
                (quote!(#root * #root), 1)
            }
            -2 => (quote!(1.0 / #of), 5),
            _ => {
                // An odd number of halves takes one root; the rest splits evenly.
                let (left, right) = if halves % 2 != 0 {
                    (halves - halves.signum(), halves.signum())
                } else {
                    let half = halves / 4 * 2;
                    (halves - half, half)
                };
                let (left, right) = (self.power(base, left), self.power(base, right));
                (quote!(#left * #right), 1)
            }
        };
        let name = self.line(&value, cost);
        self.powers.insert((base, halves), name.clone());
        name
    }
}

/// A number as code that reads back as the same bits.
pub(super) fn number(value: f64) -> TokenStream {
    if value.is_nan() {
        return quote!(f64::NAN);
    }
    if value.is_infinite() {
        return if value > 0.0 { quote!(f64::INFINITY) } else { quote!(f64::NEG_INFINITY) };
    }
    let literal = Literal::f64_unsuffixed(value.abs());
    if value < 0.0 { quote!((-#literal)) } else { quote!(#literal) }
}

fn product(parts: &[TokenStream]) -> TokenStream {
    let mut code = TokenStream::new();
    for (place, part) in parts.iter().enumerate() {
        code = if place == 0 { part.clone() } else { quote!(#code * #part) };
    }
    code
}

#[cfg(test)]
mod tests;
