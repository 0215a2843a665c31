//! Expressions of the graph as LaTeX. Sums under a power or a function, long choices, and repeated
//! parts of an expression that is too long to read get names.

use super::math::{Math, added, divided, multiplied, number};
use super::source::{Writer, accented, dotted, subscripted};
use super::sums::{Sums, moving, sign};
use super::symbols::Symbols;
use super::{axis, symbol};
use crate::ast::Declaration;
use crate::graph::{Graph, Leaf, Node, NodeId, Places, Reading};
use crate::lower::form::Step;
use crate::lower::{Gather, Lowered, Signal, SignalUse, Source, as_author};
use crate::symmetry::coefficient::Atoms;
use std::collections::BTreeSet;
use syn::Expr;
use syn::ext::IdentExt;

/// Sums with fewer terms are written where they stand.
const LONG: usize = 3;

/// Expressions of more parts, each counted as often as it would be written, are too long to read.
const READABLE: usize = 1000;

/// The length, in bytes, of the longest expression that is written out as often as it is used.
const SHORT: usize = 60;

/// The length, in bytes, of the longest choice that is written out as a term or a factor.
const CHOICE: usize = 240;

/// Writes expressions of the graph.
pub(super) struct Formulas<'d> {
    pub(super) declaration: &'d Declaration,
    pub(super) symbols: &'d Symbols,
    pub(super) lowered: &'d Lowered,
    pub(super) graph: Graph,
    pub(super) atoms: Atoms,
    /// The reads, sums among them.
    pub(super) sums: Sums,
    /// The rounds of loops over items.
    pub(super) positions: BTreeSet<String>,
    /// The names of `let`s that the loops around an element bind anew.
    pub(super) bound: BTreeSet<String>,
    /// The names of expressions that are set aside, each with the line `name &= value`.
    pub(super) named: Vec<(String, String)>,
    /// The texts that have been written with the writer at hand.
    pub(super) written: Written,
}

/// Texts of nodes: a node of which much is made is written once.
#[derive(Debug, Default)]
pub(super) struct Written {
    places: Places,
    texts: Vec<Math>,
    /// The nodes that get a name: a long expression uses them more than once.
    repeated: BTreeSet<NodeId>,
}

impl Formulas<'_> {
    /// The next expressions stand under these loops and choices.
    pub(super) fn stand_under(&mut self, path: &[Step]) {
        self.bound = self.lowered.variables.bound_by(path);
    }

    /// Passed-through Rust as its author would write it here.
    pub(super) fn expanded(&self, expression: &Expr) -> Expr {
        self.lowered.variables.expanded_but(&self.bound, expression)
    }

    /// An expression of the declaration as it is written here.
    pub(super) fn resolved(&mut self, node: NodeId) -> NodeId {
        let node = self.sums.canonical(&mut self.graph, self.lowered, node);
        let mut graph = std::mem::take(&mut self.graph);
        let mut atoms = std::mem::take(&mut self.atoms);
        let node =
            atoms.resolve_by(&mut graph, self.lowered, node, &|coefficient| self.expanded(coefficient));
        (self.graph, self.atoms) = (graph, atoms);
        node
    }

    /// The indices of a read; for a partial sum the item at which it ends.
    pub(super) fn entry_of(&self, gather: usize) -> Vec<Expr> {
        let Gather { source, mut indices } = self.sums.gathers[gather].clone();
        if let Source::Stage(stage) = source
            && let Some(scan) = &self.lowered.stages[stage].scan
            && let Some(last) = indices.last_mut()
            && let Expr::Range(range) = last
        {
            *last = moving(scan, range);
        }
        indices
    }

    /// A whole expression; `writer` knows the values of loop variables.
    pub(super) fn expression(&mut self, root: NodeId, writer: &mut Writer<'_>) -> Math {
        let nodes = self.graph.reachable(&[root]);
        let mut places = Places::default();
        let (mut sizes, mut uses): (Vec<usize>, Vec<usize>) = (Vec::new(), vec![0; nodes.len()]);
        for (place, &node) in nodes.iter().enumerate() {
            let mut size = 1_usize;
            self.graph.node(node).each_operand(|operand| {
                if let Some(inner) = places.get(operand) {
                    size = size.saturating_add(sizes[inner]);
                    uses[inner] += 1;
                }
            });
            sizes.push(size);
            places.set(node, place);
        }
        if sizes.last().is_some_and(|size| *size > READABLE) {
            let repeated = nodes.iter().zip(uses).filter(|(_, uses)| *uses > 1).map(|(node, _)| *node);
            self.written.repeated.extend(repeated);
        }
        self.node(root, writer)
    }

    /// A part of an expression.
    fn node(&mut self, node: NodeId, writer: &mut Writer<'_>) -> Math {
        if let Some(known) = self.written.places.get(node) {
            return self.written.texts[known].clone();
        }
        let mut text = self.first(node, writer);
        if text.text.len() > SHORT && self.written.repeated.contains(&node) {
            text = self.named(text);
        }
        self.written.places.set(node, self.written.texts.len());
        self.written.texts.push(text.clone());
        text
    }

    /// The text of a node that has not been written yet.
    fn first(&mut self, node: NodeId, writer: &mut Writer<'_>) -> Math {
        match self.graph.node(node).clone() {
            Node::Constant(value) => number(value.0),
            Node::Leaf(leaf) => self.leaf(leaf, writer),
            Node::Sum { .. } => {
                let mut terms = Vec::new();
                let constant = self.signed(node, 1.0, &mut terms);
                let mut parts: Vec<(bool, Math)> = Vec::new();
                for (factor, term) in terms {
                    let term = self.part(term, writer);
                    let size = factor.abs();
                    let part = if size == 1.0 { term } else { multiplied(&[number(size), term]) };
                    parts.push((factor < 0.0, part));
                }
                // A difference reads better than a sum with a minus in front.
                parts.sort_by_key(|(negative, _)| *negative);
                if constant != 0.0 {
                    let place = if constant < 0.0 { parts.len() } else { 0 };
                    parts.insert(place, (constant < 0.0, number(constant.abs())));
                }
                added(&parts)
            }
            Node::Product(mut factors) => {
                // Parameters first, as one writes them.
                factors.sort_by_key(|(base, _)| self.graph.varies(*base));
                let (mut above, mut below) = (Vec::new(), Vec::new());
                for (base, halves) in factors {
                    let side = if halves > 0 { &mut above } else { &mut below };
                    side.push(self.power(base, halves.abs(), writer));
                }
                if below.is_empty() {
                    multiplied(&above)
                } else {
                    divided(&multiplied(&above), &multiplied(&below))
                }
            }
            Node::Function(function, argument) => {
                let argument = self.inside(argument, writer);
                argument.of_function(function)
            }
            Node::Power { base, exponent } => {
                let (base, exponent) = (self.inside(base, writer), self.node(exponent, writer));
                base.raised(&exponent.text)
            }
            Node::Atan2 { y, x } => {
                let (y, x) = (self.node(y, writer), self.node(x, writer));
                Math::atom(format!(r"\operatorname{{atan2}}\left({}, {}\right)", y.text, x.text))
            }
            Node::Select { .. } => self.choice(node, writer),
            Node::Call { function, arguments } => {
                let arguments: Vec<String> =
                    arguments.into_iter().map(|argument| self.node(argument, writer).text).collect();
                let along = function.along().map(|k| (k + 1).to_string());
                let along = along.fold(String::new(), |text, k| text + r"\partial_{" + &k + "} ");
                let name = self.graph.name_of(function).replace('_', r"\_");
                Math::atom(format!(r"{along}\operatorname{{{name}}}\left({}\right)", arguments.join(", ")))
            }
        }
    }

    /// The terms of a sum, with the terms of negated sums in it; returns the constant.
    fn signed(&self, node: NodeId, sign: f64, terms: &mut Vec<(f64, NodeId)>) -> f64 {
        let Node::Sum { constant, terms: own } = self.graph.node(node) else {
            terms.push((sign, node));
            return 0.0;
        };
        let mut sum = sign * constant.0;
        for (factor, term) in own {
            let within = matches!(self.graph.node(*term), Node::Sum { .. });
            if factor.0.abs() == 1.0 && within && !self.written.repeated.contains(term) {
                sum += self.signed(*term, sign * factor.0, terms);
            } else {
                terms.push((sign * factor.0, *term));
            }
        }
        sum
    }

    /// A choice; choices in its last branch are further lines of it.
    fn choice(&mut self, mut node: NodeId, writer: &mut Writer<'_>) -> Math {
        let mut lines = String::new();
        while let Node::Select { gap, strict, yes, no } = *self.graph.node(node) {
            let [gap, yes] = [gap, yes].map(|part| self.inside(part, writer).text);
            let below = if strict { "<" } else { r"\le" };
            lines += &format!(r"{yes} & \text{{if }} {gap} {below} 0 \\ ");
            node = no;
        }
        let rest = self.inside(node, writer).text;
        Math::atom(format!(r"\begin{{cases}} {lines}{rest} & \text{{otherwise}} \end{{cases}}"))
    }

    /// A term or a factor: a long choice is written by a name.
    fn part(&mut self, node: NodeId, writer: &mut Writer<'_>) -> Math {
        let text = self.node(node, writer);
        let long = text.text.len() > CHOICE && matches!(self.graph.node(node), Node::Select { .. });
        if long { self.named(text) } else { text }
    }

    fn power(&mut self, base: NodeId, halves: i32, writer: &mut Writer<'_>) -> Math {
        let inner = if halves == 2 { self.part(base, writer) } else { self.inside(base, writer) };
        match (halves, halves % 2) {
            (2, _) => inner,
            (1, _) => Math::atom(format!(r"\sqrt{{{}}}", inner.text)),
            (_, 0) => inner.raised(&(halves / 2).to_string()),
            _ => inner.raised(&format!("{halves}/2")),
        }
    }

    /// The argument of a function: a long sum is written by a name.
    fn inside(&mut self, node: NodeId, writer: &mut Writer<'_>) -> Math {
        let long = matches!(self.graph.node(node), Node::Sum { terms, .. } if terms.len() >= LONG);
        let text = self.part(node, writer);
        if long { self.named(text) } else { text }
    }

    /// The name of a text, which is set aside.
    fn named(&mut self, text: Math) -> Math {
        if self.named.iter().any(|(name, _)| *name == text.text) {
            return text;
        }
        let known = self.named.iter().position(|(_, value)| *value == text.text);
        let number = known.unwrap_or(self.named.len());
        let name = format!("s_{{{}}}", number + 1);
        if known.is_none() {
            self.named.push((name.clone(), text.text));
        }
        Math::atom(name)
    }

    fn leaf(&mut self, leaf: Leaf, writer: &mut Writer<'_>) -> Math {
        match leaf {
            Leaf::Position { gather, component } => self.entry(gather, component, "", writer),
            Leaf::Velocity { gather, component } => self.entry(gather, component, r"\dot", writer),
            // Accelerations take the place of directions: no direction stands in an equation of motion.
            Leaf::Direction { gather, component } => self.entry(gather, component, r"\ddot", writer),
            Leaf::Coefficient(id) => {
                let declared = self.lowered.coefficients.len();
                let written = self.lowered.coefficients.get(id).or_else(|| self.atoms.written(declared, id));
                let Some(mut written) = written.cloned() else { return Math::atom("?") };
                as_author(&mut written);
                writer.expression(&self.expanded(&written))
            }
            Leaf::Time => Math::atom("t"),
            Leaf::Signal { number, reading } => self.signal(number, reading),
            #[allow(unreachable_patterns, reason = "leaves of later kinds are named by their kind")]
            _ => Math::atom(r"\theta"),
        }
    }

    /// An input u, or a table u(t) with the slope u̇ and the beginning t_* of its piece.
    fn signal(&self, number: usize, reading: Reading) -> Math {
        let Signal { name, used, .. } = &self.lowered.signals[number];
        let name = self.symbols.parameter(name.rsplit('.').next().unwrap_or(name));
        match (used, reading) {
            (SignalUse::Input, _) => Math::atom(name),
            (_, Reading::Value) => Math::atom(format!(r"{name}\left(t\right)")),
            (_, Reading::Slope) => Math::atom(format!(r"\dot{{{name}}}")),
            (_, Reading::Start) => Math::atom(r"t_{\ast}"),
        }
    }

    /// A component of an entry of a coordinate, or a sum, under the accent of its rate.
    fn entry(&mut self, number: usize, component: usize, accent: &str, writer: &mut Writer<'_>) -> Math {
        let gather = self.sums.gathers[number].clone();
        let coordinate = match gather.source {
            Source::Declared(coordinate) => &self.declaration.coordinates[coordinate],
            Source::Stage(stage) => {
                let entry = self.entry_of(number);
                let row = |(at, index)| self.row(gather.source, at, index, writer).text();
                let mut indices: Vec<String> = entry.iter().enumerate().map(row).collect();
                if let (Some(scan), Some(last)) = (&self.lowered.stages[stage].scan, indices.last_mut()) {
                    *last = format!("{} {last}", sign(scan));
                }
                return self.sums.symbol(r"\Sigma", accent, stage, &indices);
            }
        };
        let mut math = Math::atom(symbol(&coordinate.name.unraw().to_string(), false));
        let mut indices: Vec<String> =
            gather.indices.iter().map(|index| writer.linear(&self.expanded(index)).text()).collect();
        if coordinate.kind.components() > 1 {
            indices.push(axis(component));
        }
        if !indices.is_empty() {
            math = subscripted(&math, &indices.join(", "));
        }
        match accent {
            "" => math,
            r"\dot" => dotted(&math),
            _ => accented(&math, accent).unwrap_or_else(|| math.under(r"\frac{d^{2}}{dt^{2}}")),
        }
    }
}
