//! The rates, under a motion, of sums that other expressions read.
//!
//! The rate of a sum is the sum of the rates of its elements. It is known if each element has the rate
//! zero, or a number, or the element of another sum over these items: in a sum of vectors that turn, the
//! other component. Every other rate is an unknown of its own, and proves nothing.

use super::coefficient::Atoms;
use super::generator::Generator;
use crate::differentiate::directional;
use crate::graph::{Graph, Leaf, NodeId, is_time};
use crate::lower::form::{Step, same_path};
use crate::lower::{Lowered, Source, Stage};
use crate::zero::Prover;
use quote::{ToTokens, quote};
use std::cell::RefCell;
use syn::Expr;

/// Numbers of unknown rates; the names of [`super::abstraction`] have smaller ones.
const FIRST: usize = usize::MAX / 4 * 3;

/// A term of a sum: its loops and choices, and its element.
type Element = (Vec<Step>, NodeId);

/// The sums of a declaration.
#[derive(Default)]
pub(super) struct Sums {
    /// The elements of each stage.
    elements: Vec<Vec<Element>>,
    /// The number of elements of each, if loops `0..n` give it.
    counts: Vec<Vec<Option<NodeId>>>,
    prover: RefCell<Prover>,
    /// The reads and motions whose rates are unknown.
    unknown: RefCell<Vec<(usize, Option<Generator>)>>,
}

impl Sums {
    /// Adds the elements of the next stage.
    pub(super) fn push(
        &mut self,
        elements: Vec<Element>,
        graph: &mut Graph,
        (lowered, atoms): (&Lowered, &mut Atoms),
    ) {
        // Partial sums differ in their numbers of elements.
        let is_scan = lowered.stages[self.elements.len()].scan.is_some();
        let count = |path: &[Step], graph: &mut Graph, atoms: &mut Atoms| {
            if is_scan { None } else { count(path, graph, lowered, atoms) }
        };
        let counts = elements.iter().map(|(path, _)| count(path, graph, atoms));
        self.counts.push(counts.collect());
        self.elements.push(elements);
    }

    /// The rate of an expression under a generator, or under the shift of time.
    pub(super) fn rate_of(
        &self,
        lowered: &Lowered,
        graph: &mut Graph,
        generator: Option<Generator>,
        node: NodeId,
    ) -> NodeId {
        directional(graph, &[node], &|graph, leaf| self.rate(lowered, graph, generator, leaf))[0]
    }

    /// The rate of a leaf under a generator, or under the shift of time; `None` where it rests.
    pub(super) fn rate(
        &self,
        lowered: &Lowered,
        graph: &mut Graph,
        generator: Option<Generator>,
        leaf: Leaf,
    ) -> Option<NodeId> {
        let (Leaf::Position { gather, .. } | Leaf::Velocity { gather, .. }) = leaf else {
            return generator.is_none().then(|| is_time(leaf).then(|| graph.constant(1.0)))?;
        };
        let Source::Stage(stage) = lowered.gathers[gather].source else {
            return generator?.rate(lowered, graph, leaf);
        };
        let elements = &self.elements[stage];
        let mut rates = Vec::new();
        for (_, element) in elements {
            rates.push(self.rate_of(lowered, graph, generator, *element));
        }
        if rates.iter().all(|rate| self.is_zero(graph, *rate)) {
            return None;
        }
        let known = self
            .number(graph, stage, &rates)
            .or_else(|| self.partner(lowered, graph, (gather, stage), &rates));
        known.or_else(|| Some(self.unknown(graph, gather, generator)))
    }

    fn is_zero(&self, graph: &mut Graph, node: NodeId) -> bool {
        self.prover.borrow_mut().is_zero(graph, node)
    }

    /// The rate if each element has a number as its rate: the number of elements times it.
    fn number(&self, graph: &mut Graph, stage: usize, rates: &[NodeId]) -> Option<NodeId> {
        let mut total = Vec::new();
        for (count, rate) in self.counts[stage].iter().zip(rates) {
            total.push((graph.value_of(*rate)?, (*count)?));
        }
        Some(graph.combination(total))
    }

    /// The read of another sum, whose elements are the rates up to their sign.
    fn partner(
        &self,
        lowered: &Lowered,
        graph: &mut Graph,
        (gather, stage): (usize, usize),
        rates: &[NodeId],
    ) -> Option<NodeId> {
        let (own, elements) = (&lowered.stages[stage], &self.elements[stage]);
        for (number, other) in lowered.stages.iter().enumerate() {
            let others = &self.elements[number];
            if number == stage || spelled(own) != spelled(other) || others.len() != elements.len() {
                continue;
            }
            let fits = |graph: &mut Graph, sign: f64| {
                elements.iter().zip(others).zip(rates).all(|(((path, _), (of_other, element)), rate)| {
                    let difference = graph.combination([(1.0, *rate), (-sign, *element)]);
                    same_path(path, of_other) && self.is_zero(graph, difference)
                })
            };
            let Some(sign) = [1.0, -1.0].into_iter().find(|sign| fits(graph, *sign)) else { continue };
            let indices = texts(&lowered.gathers[gather].indices);
            let read = lowered.gathers.iter().position(|known| {
                known.source == Source::Stage(number) && texts(&known.indices) == indices
            })?;
            let leaf = if other.moves {
                Leaf::Velocity { gather: read, component: 0 }
            } else {
                Leaf::Position { gather: read, component: 0 }
            };
            let leaf = graph.leaf(leaf);
            return Some(graph.scale(sign, leaf));
        }
        None
    }

    fn unknown(&self, graph: &mut Graph, gather: usize, generator: Option<Generator>) -> NodeId {
        let mut unknown = self.unknown.borrow_mut();
        let place = unknown.iter().position(|known| *known == (gather, generator));
        let place = place.unwrap_or_else(|| {
            unknown.push((gather, generator));
            unknown.len() - 1
        });
        graph.leaf(Leaf::Coefficient(FIRST + place))
    }
}

/// The number of rounds of loops, each `0..n`.
fn count(path: &[Step], graph: &mut Graph, lowered: &Lowered, atoms: &mut Atoms) -> Option<NodeId> {
    let mut count = graph.constant(1.0);
    for step in path {
        let Step::Loop(repeat) = step else { return None };
        let Expr::Range(range) = &repeat.iterator else { return None };
        let start = range.start.as_deref()?.to_token_stream().to_string();
        let end = range.end.as_deref()?;
        if start != "0" || !matches!(range.limits, syn::RangeLimits::HalfOpen(_)) {
            return None;
        }
        let rounds = atoms.of(graph, lowered, &syn::parse_quote!(#end as f64));
        count = graph.multiply(count, rounds);
    }
    Some(count)
}

fn texts(expressions: &[Expr]) -> String {
    quote!(#(#expressions),*).to_string()
}

/// The loops and choices around the rows of a stage, as text.
fn spelled(stage: &Stage) -> Vec<String> {
    let step = |step: &Step| match step {
        Step::Loop(repeat) => repeat.iterator.to_token_stream().to_string(),
        Step::Answer(choice, arm) => format!("{} {arm}", choice.question.spelled()),
        Step::Stiff => String::new(),
    };
    let scan = stage.scan.iter().flat_map(|scan| {
        let ranges = scan.ranges.iter().map(|(steps, range)| {
            let steps: Vec<String> = steps.iter().map(step).collect();
            format!("{} {}", steps.join(" "), range.to_token_stream())
        });
        [scan.item.to_string(), scan.backwards.to_string()].into_iter().chain(ranges)
    });
    stage.path.iter().map(step).chain([texts(&stage.keys)]).chain(scan).collect()
}
