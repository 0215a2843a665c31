//! Sums over near pairs: as families in range, or over all pairs where none are made.
//!
//! A term of the potential in range is a function of the separation d of its ends, of what is read at either end, and of coefficients
//! by their [`Source`]: of all elements, of one end, or of a pair. Arithmetic of both ends is the kernel's; anything else
//! of both is tabulated over *classes of ends*: those whose [`keys`](InRange::keys) have equal values.

use super::{Family, family};
use crate::graph::{Function, Graph, Leaf, Node, NodeId, is_velocity};
use crate::lower::form::{Choice, Form, Question, Step, Term};
use crate::lower::names;
use crate::lower::near::Near;
use crate::lower::{Gather, Lowered, signed_integer};
use crate::symmetry::Prover;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use syn::{BinOp, Expr, Ident, UnOp};

/// What a family in range has beside its expression.
#[derive(Debug)]
pub(crate) struct InRange {
    pub(crate) near: Rc<Near>,
    /// The steps outside of the pairs; those from `visits` on lead to single points, whose neighbours are met.
    pub(crate) outer: Vec<Step>,
    pub(crate) visits: usize,
    /// The gather whose components are the separation.
    pub(crate) separation: usize,
    /// The gathers of each end.
    pub(crate) gathers: [Vec<usize>; 2],
    /// The coefficients of each end, in the order of the kernel's arguments.
    pub(crate) coefficients: [Vec<usize>; 2],
    /// The coefficients of a pair, among those of the family.
    pub(crate) pairs: BTreeSet<usize>,
    /// The expressions that tell the ends apart in the coefficients of a pair.
    pub(crate) keys: [Vec<Expr>; 2],
    /// True if an element stays as it is when its ends are exchanged, with the sign of the separation.
    pub(crate) exchangeable: bool,
    /// The element with the condition that it is in range.
    pub(crate) whole: NodeId,
}

/// The terms of a form, those in range over all pairs.
pub(super) fn terms(graph: &mut Graph, form: &Form) -> Vec<Term> {
    let mut terms = form.terms(graph);
    for term in &mut terms {
        term.node = over_all(graph, &term.path, term.node);
    }
    terms
}

/// The expression of a term over all pairs: zero beyond the distance.
pub(super) fn over_all(graph: &mut Graph, path: &[Step], node: NodeId) -> NodeId {
    path.iter().rev().fold(node, |node, step| match step {
        Step::Loop(repeat) => match &repeat.near {
            Some(near) => near.over_all(graph, node),
            None => node,
        },
        Step::Answer(..) | Step::Stiff => node,
    })
}

/// A family of the potential in range.
pub(super) struct Found {
    pub(super) family: Family,
    pub(super) stiff: bool,
}

/// Takes the terms of the potential that become families in range; those over the same pairs become one.
pub(super) fn take(lowered: &mut Lowered, terms: &mut Vec<Term>) -> Vec<Found> {
    let mut groups: Vec<Group> = Vec::new();
    terms.retain(|term| {
        let Some(group) = Group::of(lowered, term) else { return true };
        let known = groups.iter_mut().find(|known| known.goes_with(&group));
        match known {
            Some(known) => known.bodies.extend(group.bodies),
            None => groups.push(group),
        }
        false
    });
    let mut found = Vec::new();
    for group in groups {
        match group.family(lowered) {
            Some(family) => found.push(Found { family, stiff: group.stiff }),
            None => terms.extend(group.terms()),
        }
    }
    found
}

/// Terms over the same near pairs.
struct Group {
    near: Rc<Near>,
    outer: Vec<Step>,
    /// The loop over the pairs.
    repeat: Step,
    stiff: bool,
    /// The answers under which each expression counts, and the expression in L.
    bodies: Vec<(Vec<Step>, NodeId)>,
}

impl Group {
    /// A term of the potential under one loop over near pairs.
    fn of(lowered: &Lowered, term: &Term) -> Option<Self> {
        let stiff = term.path.iter().any(|step| matches!(step, Step::Stiff));
        let path: Vec<Step> = term.path.iter().filter(|step| !matches!(step, Step::Stiff)).cloned().collect();
        let near_of = |step: &Step| match step {
            Step::Loop(repeat) => repeat.near.clone(),
            Step::Answer(..) | Step::Stiff => None,
        };
        let at = path.iter().position(|step| near_of(step).is_some())?;
        let near = near_of(&path[at])?;
        let inner = &path[at + 1..];
        let plain = |step: &Step| match step {
            Step::Answer(choice, _) => is_plain(choice),
            Step::Loop(_) | Step::Stiff => false,
        };
        // What reads a sum is not compiled in range yet.
        let other = |leaf| match leaf {
            Leaf::Position { gather, .. } => lowered.gathers[gather].coordinate().is_none(),
            leaf => {
                is_velocity(leaf) || matches!(leaf, Leaf::Phase | Leaf::Signal { .. } | Leaf::Internal(_))
            }
        };
        if !inner.iter().all(plain) || lowered.graph.mentions(term.node, other) {
            return None;
        }
        let repeat = path[at].clone();
        // What is asked of no pair is asked before: other answers are other families.
        let of_a_pair = dependent(lowered, repeat.bound().iter().map(ToString::to_string).collect());
        let (inner, before): (Vec<Step>, Vec<Step>) = inner.iter().cloned().partition(|step| match step {
            Step::Answer(choice, _) => asks_about(choice, &of_a_pair),
            Step::Loop(_) | Step::Stiff => true,
        });
        let outer = path[..at].iter().cloned().chain(before).collect();
        Some(Self { near, outer, repeat, stiff, bodies: vec![(inner, term.node)] })
    }

    fn goes_with(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.near, &other.near)
            && self.stiff == other.stiff
            && crate::symmetry::same_path(&self.outer, &other.outer)
    }

    /// The terms again.
    fn terms(self) -> Vec<Term> {
        let Self { outer, repeat, stiff, bodies, .. } = self;
        let path = |inner: Vec<Step>| {
            let stiff = stiff.then_some(Step::Stiff);
            stiff.into_iter().chain(outer.iter().cloned()).chain([repeat.clone()]).chain(inner).collect()
        };
        bodies.into_iter().map(|(inner, node)| Term { path: path(inner), node }).collect()
    }

    /// The family in range, where it is one.
    fn family(&self, lowered: &mut Lowered) -> Option<Family> {
        let near = &self.near;
        let points = [entry_of(lowered, &near.points[0])?, entry_of(lowered, &near.points[1])?];
        let mut ends = Ends::new(lowered, self)?;
        let mut parts = Vec::new();
        for (answers, node) in &self.bodies {
            let mut node = lowered.graph.negate(*node);
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
        let radius = coefficient(lowered, &near.list.radius);
        let whole = with_condition(&mut lowered.graph, node, &d, Leaf::Coefficient(radius));
        let path: Vec<Step> = self.outer.iter().cloned().chain([self.repeat.clone()]).collect();
        let mut family = family(&lowered.graph, &path, node);
        let of_end = |end: usize, leaf: &Leaf| match leaf {
            Leaf::End(id) => (ends.coefficients.get(id) == Some(&end)).then_some(*id),
            _ => None,
        };
        let leaves = lowered.graph.leaves(&[node]);
        let coefficients = [0, 1].map(|end| leaves.iter().filter_map(|leaf| of_end(end, leaf)).collect());
        let read = |end: usize| {
            let mut gathers: Vec<usize> = Vec::new();
            for leaf in &family.inputs {
                if let Leaf::Position { gather, .. } = leaf
                    && ends.gathers.get(gather) == Some(&end)
                    && !gathers.contains(gather)
                {
                    gathers.push(*gather);
                }
            }
            gathers
        };
        let gathers = [read(0), read(1)];
        let pairs: BTreeSet<usize> =
            family.coefficients.iter().copied().filter(|id| ends.pairs.contains(id)).collect();
        let Ends { keys, visits, .. } = ends;
        let (near, outer) = (near.clone(), self.outer.clone());
        family.near = Some(InRange {
            near,
            outer,
            visits,
            separation,
            gathers,
            coefficients,
            pairs,
            keys,
            exchangeable,
            whole,
        });
        Some(family)
    }
}

/// The element where its separation d is shorter than a radius, zero elsewhere: as a function of |d| where it is one, so that how it ends
/// is a matter of one variable.
fn with_condition(graph: &mut Graph, node: NodeId, d: &[NodeId], radius: Leaf) -> NodeId {
    let (zero, radius) = (graph.zero(), graph.leaf(radius));
    let squares: Vec<(f64, NodeId)> = d.iter().map(|d| (1.0, graph.power(*d, 4))).collect();
    let square = graph.combination(squares);
    if let Node::Leaf(Leaf::Position { gather, .. }) = *graph.node(d[0]) {
        let length = graph.leaf(Leaf::Position { gather, component: d.len() });
        let mut image = node;
        // What is inside of what is replaced comes next.
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

/// Names, and those of all that is calculated from them.
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
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(both) => has_let(&both.left) || has_let(&both.right),
        Expr::Paren(inner) => has_let(&inner.expr),
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

/// The gather whose components these are, all of them.
fn entry_of(lowered: &Lowered, point: &[NodeId]) -> Option<usize> {
    let mut entry = None;
    for (k, node) in point.iter().enumerate() {
        match *lowered.graph.node(*node) {
            Node::Leaf(Leaf::Position { gather, component })
                if component == k && entry.is_none_or(|known| known == gather) =>
            {
                entry = Some(gather);
            }
            _ => return None,
        }
    }
    let entry = entry?;
    let coordinate = lowered.gathers[entry].coordinate()?;
    (lowered.components[coordinate] == point.len()).then_some(entry)
}

/// The number of the coefficient that an expression is.
fn coefficient(lowered: &mut Lowered, expression: &Expr) -> usize {
    let text = expression.to_token_stream().to_string();
    let same = |known: &Expr| known.to_token_stream().to_string() == text;
    lowered.coefficients.iter().position(same).unwrap_or_else(|| {
        lowered.coefficients.push(expression.clone());
        lowered.coefficients.len() - 1
    })
}

/// What belongs to which end.
struct Ends {
    /// The names that depend on each end.
    names: [BTreeSet<String>; 2],
    /// The number of each end as an expression.
    numbers: [Expr; 2],
    /// The first outer step that leads to single points.
    visits: usize,
    /// True if all that belongs to a first end is a function of its number.
    of_numbers: bool,
    /// The end to which each coefficient of an end belongs.
    coefficients: BTreeMap<usize, usize>,
    /// The end to which each gather belongs.
    gathers: BTreeMap<usize, usize>,
    pairs: BTreeSet<usize>,
    keys: [Vec<Expr>; 2],
}

/// The end or the ends on which something depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Neither,
    One(usize),
    Both,
}

impl Ends {
    fn new(lowered: &Lowered, group: &Group) -> Option<Self> {
        let Group { near, outer, .. } = group;
        let dependent = |seed: BTreeSet<String>| dependent(lowered, seed);
        let text = |name: Ident| name.to_string();
        let second = names_in(&near.ends[1]);
        let mentions = |names: &BTreeSet<String>| {
            near.list.expressions().any(|of| names::any_free(of, |name| names.contains(&name.to_string())))
        };
        let mut visits = outer.len();
        let mut first = names_in(&near.ends[0]);
        if near.of_one {
            while visits > 0 {
                let bound: BTreeSet<String> = outer[visits - 1].bound().into_iter().map(text).collect();
                if mentions(&dependent(bound.clone())) {
                    break;
                }
                visits -= 1;
            }
            first = outer[visits..].iter().flat_map(Step::bound).map(text).collect();
        }
        let own = names_in(&near.ends[0]);
        let of_numbers = is_name(&near.ends[0]) && first.iter().all(|name| own.contains(name));
        let names = [dependent(first), dependent(second)];
        // The points of two arrays are met by the names of their ends.
        if near.of_one && !near.list.is_of_one_array() && !is_name(&near.ends[0]) {
            return None;
        }
        // What the list depends on is known before its ends.
        if mentions(&names[0]) && near.of_one {
            return None;
        }
        Some(Self {
            names,
            numbers: near.ends.clone(),
            visits,
            of_numbers,
            coefficients: BTreeMap::new(),
            gathers: BTreeMap::new(),
            pairs: BTreeSet::new(),
            keys: [Vec::new(), Vec::new()],
        })
    }

    fn source(&self, expression: &Expr) -> Source {
        let of = |end: usize| names::any_free(expression, |name| self.names[end].contains(&name.to_string()));
        match (of(0), of(1)) {
            (false, false) => Source::Neither,
            (true, false) => Source::One(0),
            (false, true) => Source::One(1),
            (true, true) => Source::Both,
        }
    }

    /// The expression with its coefficients by their sources, and its gathers noted; `None` where something belongs to no end.
    fn sorted(&mut self, lowered: &mut Lowered, node: NodeId, separation: usize) -> Option<NodeId> {
        let mut images: BTreeMap<usize, NodeId> = BTreeMap::new();
        for leaf in lowered.graph.leaves(&[node]) {
            match leaf {
                Leaf::Coefficient(id) if !self.pairs.contains(&id) => {
                    let expression = lowered.variables.put_in(&lowered.coefficients[id]);
                    images.insert(id, self.source_of(lowered, &expression)?);
                }
                Leaf::Position { gather, .. } if gather != separation => {
                    let indices = lowered.gathers[gather].indices.clone();
                    let sources: Vec<Source> = indices
                        .iter()
                        .map(|index| self.source(&lowered.variables.put_in(index)))
                        .filter(|source| *source != Source::Neither)
                        .collect();
                    match sources[..] {
                        [] => return None,
                        [Source::One(end), ref rest @ ..]
                            if rest.iter().all(|source| *source == Source::One(end)) =>
                        {
                            self.gathers.insert(gather, end);
                        }
                        _ => return None,
                    }
                }
                _ => {}
            }
        }
        Some(lowered.graph.substitute(node, &|_, leaf| match leaf {
            Leaf::Coefficient(id) => images.get(&id).copied(),
            _ => None,
        }))
    }

    /// A coefficient by its source: arithmetic of both ends is taken apart.
    fn source_of(&mut self, lowered: &mut Lowered, expression: &Expr) -> Option<NodeId> {
        match self.source(expression) {
            Source::Neither => {
                let id = coefficient(lowered, expression);
                return Some(lowered.graph.leaf(Leaf::Coefficient(id)));
            }
            Source::One(end) => {
                let id = coefficient(lowered, expression);
                self.coefficients.insert(id, end);
                return Some(lowered.graph.leaf(Leaf::End(id)));
            }
            Source::Both => {}
        }
        match expression {
            Expr::Paren(inner) => return self.source_of(lowered, &inner.expr),
            Expr::Group(inner) => return self.source_of(lowered, &inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                let inner = self.source_of(lowered, &unary.expr)?;
                return Some(lowered.graph.negate(inner));
            }
            Expr::Binary(binary) => {
                let operation: Option<fn(&mut Graph, NodeId, NodeId) -> NodeId> = match binary.op {
                    BinOp::Add(_) => Some(Graph::add),
                    BinOp::Sub(_) => Some(Graph::subtract),
                    BinOp::Mul(_) => Some(Graph::multiply),
                    BinOp::Div(_) => Some(Graph::divide),
                    _ => None,
                };
                if let Some(operation) = operation {
                    let left = self.number(lowered, &binary.left)?;
                    let right = self.number(lowered, &binary.right)?;
                    return Some(operation(&mut lowered.graph, left, right));
                }
            }
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let power = call.args.first().and_then(signed_integer).filter(|power| power.abs() <= 8);
                let halves = match (name.as_str(), call.args.len(), power) {
                    ("sqrt", 0, _) => Some(1),
                    ("recip", 0, _) => Some(-2),
                    ("powi", 1, Some(power)) => Some(2 * power),
                    _ => None,
                };
                if let Some(halves) = halves {
                    let base = self.source_of(lowered, &call.receiver)?;
                    return Some(lowered.graph.power(base, halves));
                }
                if let (Some(function), true) = (Function::of_name(&name), call.args.is_empty()) {
                    let argument = self.source_of(lowered, &call.receiver)?;
                    return Some(lowered.graph.function(function, argument));
                }
            }
            _ => {}
        }
        // A table needs the ends by their numbers alone.
        if !self.of_numbers {
            return None;
        }
        if !self.keys_of(expression) {
            for (keys, number) in self.keys.iter_mut().zip(&self.numbers) {
                add(keys, number);
            }
        }
        let id = coefficient(lowered, expression);
        self.pairs.insert(id);
        Some(lowered.graph.leaf(Leaf::Coefficient(id)))
    }

    /// An operand of arithmetic: a literal is a number.
    fn number(&mut self, lowered: &mut Lowered, expression: &Expr) -> Option<NodeId> {
        if let Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) = expression
            && let Ok(value) = number.base10_parse()
        {
            return Some(lowered.graph.constant(value));
        }
        self.source_of(lowered, expression)
    }

    /// Notes the largest parts of an expression of both ends that depend on one of them; false where there may be others.
    fn keys_of(&mut self, expression: &Expr) -> bool {
        match self.source(expression) {
            Source::Neither => return true,
            Source::One(end) => {
                add(&mut self.keys[end], expression);
                return true;
            }
            Source::Both => {}
        }
        let mut all = |parts: &[&Expr]| parts.iter().all(|part| self.keys_of(part));
        match expression {
            Expr::Paren(inner) => all(&[&inner.expr]),
            Expr::Group(inner) => all(&[&inner.expr]),
            Expr::Reference(inner) => all(&[&inner.expr]),
            Expr::Unary(inner) => all(&[&inner.expr]),
            Expr::Cast(inner) => all(&[&inner.expr]),
            Expr::Field(field) => self.keys_of_table(&field.base),
            Expr::Index(index) => self.keys_of_table(&index.expr) && self.keys_of(&index.index),
            Expr::Binary(binary) => all(&[&binary.left, &binary.right]),
            Expr::MethodCall(call) => {
                let parts: Vec<&Expr> = std::iter::once(&*call.receiver).chain(&call.args).collect();
                all(&parts)
            }
            Expr::Call(call) => all(&call.args.iter().collect::<Vec<_>>()),
            Expr::Tuple(tuple) => all(&tuple.elems.iter().collect::<Vec<_>>()),
            Expr::Array(array) => all(&array.elems.iter().collect::<Vec<_>>()),
            Expr::If(branch) => {
                let blocks = [&branch.then_branch].into_iter().map(|block| Expr::Block(of_block(block)));
                let others = branch.else_branch.iter().map(|(_, other)| (**other).clone());
                let branches: Vec<Expr> = blocks.chain(others).collect();
                branches.iter().all(|branch| self.source(branch) == Source::Neither)
                    && !has_let(&branch.cond)
                    && self.keys_of(&branch.cond)
            }
            Expr::Match(choice) => {
                choice.arms.iter().all(|arm| {
                    self.source(&arm.body) == Source::Neither && !matches!(arm.pat, syn::Pat::Guard(_))
                }) && self.keys_of(&choice.expr)
            }
            _ => false,
        }
    }

    /// The same of a table that is read at an index or a field: in `epsilon[kind[i]][kind[j]]` the row of `kind[i]` is no number, its index is.
    fn keys_of_table(&mut self, table: &Expr) -> bool {
        match table {
            Expr::Paren(inner) => self.keys_of_table(&inner.expr),
            Expr::Group(inner) => self.keys_of_table(&inner.expr),
            Expr::Reference(inner) => self.keys_of_table(&inner.expr),
            Expr::Index(index) => self.keys_of_table(&index.expr) && self.keys_of(&index.index),
            Expr::Field(field) => self.keys_of_table(&field.base),
            other => self.keys_of(other),
        }
    }

    /// True if the element is the same with its ends exchanged.
    fn is_exchangeable(&self, lowered: &mut Lowered, node: NodeId, separation: usize) -> bool {
        if !self.of_numbers || !is_name(&self.numbers[1]) {
            return false;
        }
        let [i, j] = &self.numbers;
        let (i, j) = (names_in(i), names_in(j));
        let (Some(i), Some(j)) = (i.first().cloned(), j.first().cloned()) else { return false };
        // Names that are calculated from an end, and stand for more than can be put in.
        let is_other = |expression: &Expr| {
            names::any_free(expression, |name| {
                let name = name.to_string();
                name != i && name != j && self.names.iter().any(|names| names.contains(&name))
            })
        };
        let exchanged = |expression: &Expr| {
            let mut image = expression.clone();
            names::visit_free(&mut image, &mut |name| {
                let other = if *name == i {
                    &j
                } else if *name == j {
                    &i
                } else {
                    return;
                };
                *name = Ident::new(other, name.span());
            });
            image
        };
        let mut images: BTreeMap<Leaf, NodeId> = BTreeMap::new();
        for leaf in lowered.graph.leaves(&[node]) {
            let image = match leaf {
                Leaf::Position { gather, .. } if gather == separation => {
                    let own = lowered.graph.leaf(leaf);
                    lowered.graph.negate(own)
                }
                Leaf::Position { gather, component } => {
                    let Gather { source, indices } = lowered.gathers[gather].clone();
                    let indices: Vec<Expr> =
                        indices.iter().map(|index| lowered.variables.put_in(index)).collect();
                    if indices.iter().any(is_other) {
                        return false;
                    }
                    let wanted = indices.iter().map(|index| exchanged(index).to_token_stream().to_string());
                    let wanted: Vec<String> = wanted.collect();
                    let same = |known: &Gather| {
                        let texts = known
                            .indices
                            .iter()
                            .map(|index| lowered.variables.put_in(index).to_token_stream().to_string());
                        known.source == source && texts.eq(wanted.iter().cloned())
                    };
                    let Some(gather) = lowered.gathers.iter().position(same) else { return false };
                    lowered.graph.leaf(Leaf::Position { gather, component })
                }
                Leaf::End(id) => {
                    let expression = lowered.coefficients[id].clone();
                    if is_other(&expression) {
                        return false;
                    }
                    let id = coefficient(lowered, &exchanged(&expression));
                    lowered.graph.leaf(Leaf::End(id))
                }
                _ => continue,
            };
            images.insert(leaf, image);
        }
        let image = lowered.graph.substitute(node, &|_, leaf| images.get(&leaf).copied());
        if image == node {
            return true;
        }
        let mut own = lowered.graph.clone();
        let difference = own.subtract(node, image);
        Prover::default().is_zero(&mut own, difference)
    }
}

fn of_block(block: &syn::Block) -> syn::ExprBlock {
    syn::ExprBlock { attrs: Vec::new(), label: None, block: block.clone() }
}

fn add(keys: &mut Vec<Expr>, key: &Expr) {
    if !keys.contains(key) {
        keys.push(key.clone());
    }
}

fn is_name(expression: &Expr) -> bool {
    matches!(expression, Expr::Path(path) if path.path.get_ident().is_some())
}

/// The free names of an expression.
fn names_in(expression: &Expr) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    names::visit_free(&mut expression.clone(), &mut |name| {
        if name != "self" {
            found.insert(name.to_string());
        }
    });
    found
}
