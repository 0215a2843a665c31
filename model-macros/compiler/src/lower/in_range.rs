//! Sums over near pairs: families in range where possible, else families over all pairs.
//!
//! A term in range, of the potential or a stage, is a function of the separation d of its ends, of reads
//! at either end, and of coefficients by [`Source`]: of all elements, of one end, or of a pair. The
//! kernel does the arithmetic of both ends; other functions of both are tabulated over *classes of
//! ends*: ends with equal values of the [`keys`](InRange::keys).

mod ends;

use super::form::{Choice, Step, Term, same_path};
use super::names;
use super::pairs::Near;
use super::question::Question;
use super::{Gather, Lowered, Stage};
use crate::graph::{Graph, Leaf, Node, NodeId, is_velocity};
use ends::Ends;
use quote::ToTokens;
use std::collections::BTreeSet;
use std::rc::Rc;
use syn::Expr;

/// The part of a family in range beside its expression.
#[derive(Debug)]
pub struct InRange {
    pub near: Rc<Near>,
    /// The row to which it adds, for a sum of a stage.
    pub row: Option<Row>,
    /// The steps outside of the pairs; from `visits` on they lead to single points and their neighbours.
    pub outer: Vec<Step>,
    pub visits: usize,
    /// The gather whose components are the separation.
    pub separation: usize,
    /// The gathers of each end.
    pub gathers: [Vec<usize>; 2],
    /// The coefficients of each end, in the order of the kernel's arguments.
    pub coefficients: [Vec<usize>; 2],
    /// The coefficients of a pair, by their numbers in the family.
    pub pairs: BTreeSet<usize>,
    /// The expressions that tell the ends apart in the coefficients of a pair.
    pub keys: [Vec<Expr>; 2],
    /// True if exchanging the ends, with the sign of d, does not change an element.
    pub exchangeable: bool,
    /// The element with the condition that it is in range.
    pub whole: NodeId,
}

/// The row of a stage to which an element adds.
#[derive(Debug, Clone)]
pub struct Row {
    /// The rounds of the loops around the rows.
    pub keys: Vec<Expr>,
    /// The `let`s that name items of arrays, over which the stage loops itself.
    pub items: Vec<usize>,
    /// The number of steps around the rows.
    around: usize,
}

/// Terms of a function in range, as one.
#[derive(Debug)]
pub(crate) struct Found {
    /// The loops and choices around the expression, without the steps around the rows of a stage.
    pub path: Vec<Step>,
    pub node: NodeId,
    pub near: InRange,
    pub stiff: bool,
}

/// The function to which terms belong.
#[derive(Clone, Copy)]
pub(crate) enum Of<'s> {
    /// The potential.
    Potential,
    /// The rows of a stage that functions of (q, t) read.
    Stage(&'s Stage),
    /// The rows of a stage that functions of (q, v, t) read.
    Moving(&'s Stage),
}

/// Takes the terms of a function that become families in range, one family for all terms of a list.
pub(crate) fn take(lowered: &mut Lowered, terms: &mut Vec<Term>, of: Of<'_>) -> Vec<Found> {
    let mut groups: Vec<Group> = Vec::new();
    terms.retain(|term| {
        let Some(group) = Group::of(lowered, term, of) else { return true };
        let known = groups.iter_mut().find(|known| known.goes_with(&group));
        match known {
            Some(known) => known.bodies.extend(group.bodies),
            None => groups.push(group),
        }
        false
    });
    let mut found = Vec::new();
    for group in groups {
        match group.found(lowered) {
            Some(one) => found.push(one),
            None => terms.extend(group.terms()),
        }
    }
    found
}

/// Terms over one list of near pairs.
struct Group {
    near: Rc<Near>,
    outer: Vec<Step>,
    /// The loop over the pairs.
    repeat: Step,
    row: Option<Row>,
    stiff: bool,
    /// The answers under which each expression counts, and the expression in L.
    bodies: Vec<(Vec<Step>, NodeId)>,
}

impl Group {
    /// A term under one loop over near pairs.
    fn of(lowered: &Lowered, term: &Term, of: Of<'_>) -> Option<Self> {
        let stiff = term.path.iter().any(|step| matches!(step, Step::Stiff));
        let path: Vec<Step> = term.path.iter().filter(|step| !matches!(step, Step::Stiff)).cloned().collect();
        let near_of = |step: &Step| step.repeat()?.near.clone();
        let at = path.iter().position(|step| near_of(step).is_some())?;
        let near = near_of(&path[at])?;
        let inner = &path[at + 1..];
        let plain = |step: &Step| match step {
            Step::Answer(choice, _) => is_plain(choice),
            Step::Loop(_) | Step::Stiff => false,
        };
        let (stage, in_motion) = match of {
            Of::Potential => (None, false),
            Of::Stage(stage) => (Some(stage), false),
            Of::Moving(stage) => (Some(stage), true),
        };
        let other = |leaf| match leaf {
            Leaf::Phase | Leaf::Signal { .. } | Leaf::Internal(_) => true,
            // For functions of (q, v, t) the time is a coordinate, which belongs to no end.
            Leaf::Time => in_motion,
            leaf => is_velocity(leaf) && !in_motion,
        };
        if !inner.iter().all(plain) || lowered.graph.mentions(term.node, other) {
            return None;
        }
        let repeat = path[at].clone();
        // A question that asks about no pair comes before: each of its answers has a family of its own.
        let of_a_pair = dependent(lowered, repeat.bound().iter().map(ToString::to_string).collect());
        let (inner, before): (Vec<Step>, Vec<Step>) = inner.iter().cloned().partition(|step| match step {
            Step::Answer(choice, _) => asks_about(choice, &of_a_pair),
            Step::Loop(_) | Step::Stiff => true,
        });
        let around = stage.map_or(&[][..], |stage| &stage.path);
        let outer = around.iter().chain(&path[..at]).cloned().chain(before).collect();
        let row = stage.map(|Stage { keys, items, .. }| {
            let (keys, items) = (keys.clone(), items.clone());
            Row { keys, items, around: around.len() }
        });
        Some(Self { near, outer, repeat, row, stiff, bodies: vec![(inner, term.node)] })
    }

    fn goes_with(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.near, &other.near)
            && self.stiff == other.stiff
            && same_path(&self.outer, &other.outer)
    }

    /// The terms of the group.
    fn terms(self) -> Vec<Term> {
        let Self { outer, repeat, row, stiff, bodies, .. } = self;
        let outer = &outer[row.map_or(0, |row| row.around)..];
        let path = |inner: Vec<Step>| {
            let stiff = stiff.then_some(Step::Stiff);
            stiff.into_iter().chain(outer.iter().cloned()).chain([repeat.clone()]).chain(inner).collect()
        };
        bodies.into_iter().map(|(inner, node)| Term { path: path(inner), node }).collect()
    }

    /// The terms in range, if they can be.
    fn found(&self, lowered: &mut Lowered) -> Option<Found> {
        let near = &self.near;
        let entry = |end: usize| {
            near.entry(end, &lowered.graph, |gather| {
                lowered.gathers[gather].coordinate().map(|coordinate| lowered.components[coordinate])
            })
        };
        let points = [entry(0)?, entry(1)?];
        let mut ends = Ends::new(lowered, self)?;
        let mut parts = Vec::new();
        for (answers, node) in &self.bodies {
            // L has minus the potential.
            let mut node = if self.row.is_some() { *node } else { lowered.graph.negate(*node) };
            for step in answers.iter().rev() {
                let Step::Answer(choice, arm) = step else { return None };
                let flag = ends.source_of(lowered, &flag(choice, *arm)?)?;
                let zero = lowered.graph.zero();
                node = lowered.graph.select(flag, true, node, zero);
            }
            parts.push((1.0, node));
        }
        let body = lowered.graph.combination(parts);
        let separation = lowered.gathers.len();
        let source = lowered.gathers[points[0]].source;
        lowered.gathers.push(Gather { source, indices: Vec::new() });
        lowered.separations.insert(separation);
        let graph = &mut lowered.graph;
        let d: Vec<NodeId> = (0..near.points[0].len())
            .map(|component| graph.leaf(Leaf::Position { gather: separation, component }))
            .collect();
        let body = near.in_separation(graph, body, &d);
        let node = ends.sorted(lowered, body, separation)?;
        let exchangeable = ends.is_exchangeable(lowered, node, separation);
        // By its name if the element reads it so, else from lengths that have names.
        let radius = ends.put_in(lowered, &near.list.radius);
        let named = Leaf::Coefficient(coefficient(lowered, &radius));
        let radius = if lowered.graph.mentions(node, |leaf| leaf == named) {
            lowered.graph.leaf(named)
        } else {
            arithmetic(lowered, &radius)
        };
        let whole = with_condition(&mut lowered.graph, node, &d, radius);
        let around = self.row.as_ref().map_or(0, |row| row.around);
        let path: Vec<Step> = self.outer[around..].iter().cloned().chain([self.repeat.clone()]).collect();
        let of_end = |end: usize, leaf: &Leaf| match leaf {
            Leaf::End(id) => (ends.coefficients.get(id) == Some(&end)).then_some(*id),
            _ => None,
        };
        let leaves = lowered.graph.leaves(&[node]);
        let coefficients = [0, 1].map(|end| leaves.iter().filter_map(|leaf| of_end(end, leaf)).collect());
        let read = |end: usize| {
            let mut gathers: Vec<usize> = Vec::new();
            for leaf in &leaves {
                if let Some(gather) = leaf.gather()
                    && ends.gathers.get(&gather) == Some(&end)
                    && !gathers.contains(&gather)
                {
                    gathers.push(gather);
                }
            }
            gathers
        };
        let gathers = [read(0), read(1)];
        let of_a_pair = |leaf: &Leaf| match leaf {
            Leaf::Coefficient(id) => ends.pairs.contains(id).then_some(*id),
            _ => None,
        };
        let pairs: BTreeSet<usize> = leaves.iter().filter_map(of_a_pair).collect();
        let Ends { keys, visits, .. } = ends;
        let near = InRange {
            near: near.clone(),
            row: self.row.clone(),
            outer: self.outer.clone(),
            visits,
            separation,
            gathers,
            coefficients,
            pairs,
            keys,
            exchangeable,
            whole,
        };
        Some(Found { path, node, near, stiff: self.stiff })
    }
}

/// The element for |d| < radius, else zero. If possible the element is a function of |d|, so that one
/// variable decides how smoothly it ends.
fn with_condition(graph: &mut Graph, node: NodeId, d: &[NodeId], radius: NodeId) -> NodeId {
    let zero = graph.zero();
    let squares: Vec<(f64, NodeId)> = d.iter().map(|d| (1.0, graph.power(*d, 4))).collect();
    let square = graph.combination(squares);
    if let Node::Leaf(Leaf::Position { gather, .. }) = *graph.node(d[0]) {
        let length = graph.leaf(Leaf::Position { gather, component: d.len() });
        let mut image = node;
        // A replacement may contain the next one.
        for _ in 0..graph.depth(node) {
            let next = graph.replace(image, &|graph, id| match graph.node(id) {
                _ if id == square => Some(graph.power(length, 4)),
                Node::Product(factors) if factors.iter().any(|(base, _)| *base == square) => {
                    let of_length = |&(base, halves): &(NodeId, i32)| {
                        if base == square { (length, 2 * halves) } else { (base, halves) }
                    };
                    let factors: Vec<(NodeId, i32)> = factors.iter().map(of_length).collect();
                    Some(graph.monomial(factors))
                }
                _ => None,
            });
            if next == image {
                break;
            }
            image = next;
        }
        let components = d.len();
        let leaves = graph.leaves(&[image]);
        let reads_separation = |leaf: &Leaf| matches!(leaf, Leaf::Position { gather: own, component } if *own == gather && *component < components);
        if !leaves.iter().any(reads_separation) {
            let gap = graph.subtract(length, radius);
            return graph.select(gap, true, image, zero);
        }
    }
    let limit = graph.power(radius, 4);
    let gap = graph.subtract(square, limit);
    graph.select(gap, true, node, zero)
}

/// The names, and all names that `let`s calculate from them.
fn dependent(lowered: &Lowered, seed: BTreeSet<String>) -> BTreeSet<String> {
    let mut names = seed;
    for binding in lowered.variables.lets() {
        if names::any_free(&binding.value, |name| names.contains(&name.to_string())) {
            names.extend(binding.names.iter().map(ToString::to_string));
        }
    }
    names
}

/// True if a plain choice mentions some of the names.
fn asks_about(choice: &Choice, names: &BTreeSet<String>) -> bool {
    let asked = match &choice.question {
        Question::If(condition) => condition,
        Question::Match(scrutinee, _) => scrutinee,
    };
    names::any_free(asked, |name| names.contains(&name.to_string()))
}

/// True if the answers to a choice bind no names.
fn is_plain(choice: &Choice) -> bool {
    match &choice.question {
        Question::If(condition) => !has_let(condition),
        Question::Match(_, patterns) => patterns
            .iter()
            .all(|pattern| !matches!(pattern, syn::Pat::Guard(_)) && names::bound_by(pattern).is_empty()),
    }
}

fn has_let(condition: &Expr) -> bool {
    match crate::parse::bare(condition) {
        Expr::Let(_) => true,
        Expr::Binary(both) => has_let(&both.left) || has_let(&both.right),
        _ => false,
    }
}

/// A coefficient that is negative where a choice is answered by an arm.
fn flag(choice: &Choice, arm: usize) -> Option<Expr> {
    Some(match &choice.question {
        Question::If(condition) if arm == 0 => syn::parse_quote!(if #condition { -1.0 } else { 1.0 }),
        Question::If(condition) => syn::parse_quote!(if #condition { 1.0 } else { -1.0 }),
        Question::Match(scrutinee, patterns) => {
            let before = patterns.get(..arm)?;
            let own = patterns.get(arm)?;
            syn::parse_quote!(match #scrutinee { #(#before => 1.0,)* #own => -1.0, _ => 1.0 })
        }
    })
}

/// The value of an expression of parameters, by the arithmetic in it.
fn arithmetic(lowered: &mut Lowered, expression: &Expr) -> NodeId {
    let expression = crate::parse::bare(expression);
    match expression {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) => {
            if let Ok(value) = number.base10_parse() {
                return lowered.graph.constant(value);
            }
        }
        Expr::Binary(binary) => {
            if let Some(operation) = operation(&binary.op) {
                let (left, right) = (arithmetic(lowered, &binary.left), arithmetic(lowered, &binary.right));
                return operation(&mut lowered.graph, left, right);
            }
        }
        _ => {}
    }
    let id = coefficient(lowered, expression);
    lowered.graph.leaf(Leaf::Coefficient(id))
}

/// The operation of the graph for an operator.
fn operation(operator: &syn::BinOp) -> Option<fn(&mut Graph, NodeId, NodeId) -> NodeId> {
    match operator {
        syn::BinOp::Add(_) => Some(Graph::add),
        syn::BinOp::Sub(_) => Some(Graph::subtract),
        syn::BinOp::Mul(_) => Some(Graph::multiply),
        syn::BinOp::Div(_) => Some(Graph::divide),
        _ => None,
    }
}

/// The number of the coefficient of an expression.
fn coefficient(lowered: &mut Lowered, expression: &Expr) -> usize {
    let text = expression.to_token_stream().to_string();
    let same = |known: &Expr| known.to_token_stream().to_string() == text;
    lowered.coefficients.iter().position(same).unwrap_or_else(|| {
        lowered.coefficients.push(expression.clone());
        lowered.coefficients.len() - 1
    })
}
