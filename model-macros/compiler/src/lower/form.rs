//! Scalars under sums and conditions.
//!
//! A [`Form`] is an expression of the graph plus sums, whose bodies are forms again, behind the
//! conditions that choose between forms.
//!
//! **Invariant.** The bound variables of all loops of a declaration have different names, so that no
//! loop captures a factor; a sum times itself needs new names (see [`super::Lowering::multiply`]).

use super::facts::{Answers, Fact, may_hold};
use super::names;
use super::pairs::Near;
use super::question::Question;
use crate::graph::{Graph, NodeId};
use quote::ToTokens;
use std::rc::Rc;
use syn::{Expr, ExprLit, Ident, Lit, Pat, RangeLimits};

/// A scalar under sums and conditions.
#[derive(Debug, Clone)]
pub enum Form {
    /// An expression and the sums added to it.
    Leaf(Leaf),
    /// One form for each arm of a choice.
    Branch(Rc<Choice>, Vec<Form>),
}

/// A part of a form.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'f> {
    /// An expression.
    Node(NodeId),
    /// A loop around the next parts.
    Loop(&'f Rc<Loop>),
    /// A mark of the next parts.
    Stiff,
    /// A choice between the next parts.
    Choice(&'f Rc<Choice>),
}

impl<'f> Part<'f> {
    /// The loop, if it is one.
    pub(super) fn repeat(self) -> Option<&'f Rc<Loop>> {
        if let Self::Loop(repeat) = self { Some(repeat) } else { None }
    }

    /// The choice, if it is one.
    pub(super) fn choice(self) -> Option<&'f Rc<Choice>> {
        if let Self::Choice(choice) = self { Some(choice) } else { None }
    }
}

/// An expression and the sums added to it.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// The part outside all sums.
    pub node: NodeId,
    /// The added sums: the scope and the body of each.
    pub sums: Vec<(Scope, Form)>,
}

/// The items over which a body is repeated, or a mark of the body.
#[derive(Debug, Clone)]
pub enum Scope {
    /// One body for each item of an iterator.
    Loop(Rc<Loop>),
    /// The body once, marked as stiff.
    Stiff,
    /// The body once: a choice that is not multiplied out.
    Apart,
}

impl Scope {
    /// True for an equal loop, or an equal mark.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Loop(a), Self::Loop(b)) => Rc::ptr_eq(a, b),
            (Self::Stiff, Self::Stiff) | (Self::Apart, Self::Apart) => true,
            _ => false,
        }
    }
}

/// `for pattern in iterator`.
#[derive(Debug, Clone)]
pub struct Loop {
    /// The pattern, with names of its own.
    pub pattern: Pat,
    /// The iterator: coordinate-free Rust.
    pub iterator: Expr,
    /// The number of the round, where it is read and the items do not give it.
    pub position: Option<Ident>,
    /// The near pairs that it runs over; the iterator then runs over all pairs.
    pub near: Option<Rc<Near>>,
}

impl Loop {
    /// The names that a round binds.
    pub fn bound(&self) -> Vec<Ident> {
        names::bound_by(&self.pattern).into_iter().chain(self.position.clone()).collect()
    }

    /// The fact that it is in one of its rounds.
    pub(super) fn round(&self) -> Fact {
        Fact::of_round(&self.pattern, &self.iterator)
    }

    /// The number of items if it can be read off, as of `0..3`, `pairs(3)` or `[1.0, 2.0, 3.0]`.
    pub fn count(&self) -> Option<usize> {
        count(&self.iterator)
    }

    /// True if it runs over pairs: near ones, or some of `pairs(n)`.
    pub fn is_over_pairs(&self) -> bool {
        self.near.is_some() || are_pairs(&self.iterator)
    }

    /// The item of `once(item)`.
    pub fn only_item(&self) -> Option<&Expr> {
        let Expr::Call(call) = &self.iterator else { return None };
        let is_once = crate::parse::called(call)? == "once" && call.args.len() == 1;
        is_once.then(|| call.args.first())?
    }
}

fn are_pairs(iterator: &Expr) -> bool {
    match crate::parse::lent(iterator) {
        Expr::Call(call) => matches!(&*call.func, Expr::Path(function) if function.path.is_ident("pairs")),
        Expr::MethodCall(call) => are_pairs(&call.receiver),
        _ => false,
    }
}

/// The number of items of an iterator; see [`Loop::count`].
pub(super) fn count(iterator: &Expr) -> Option<usize> {
    match crate::parse::lent(iterator) {
        Expr::Array(array) => Some(array.elems.len()),
        Expr::Range(range) => {
            let (start, end) = (literal(range.start.as_deref()?)?, literal(range.end.as_deref()?)?);
            let last = usize::from(matches!(range.limits, RangeLimits::Closed(_)));
            Some((end + last).saturating_sub(start))
        }
        Expr::Call(call) => match (&*call.func, call.args.first()) {
            (Expr::Path(function), Some(argument)) if function.path.is_ident("pairs") => {
                let among = literal(argument)?;
                Some(among * among.saturating_sub(1) / 2)
            }
            _ => None,
        },
        Expr::MethodCall(call) if KEEPING.iter().any(|name| call.method == name) => count(&call.receiver),
        _ => None,
    }
}

/// True if a is `factor` · b; an unknown factor becomes known.
fn is_multiple(a: NodeId, b: NodeId, graph: &mut Graph, factor: &mut Option<f64>) -> bool {
    if graph.is_zero(a) || graph.is_zero(b) {
        return a == b;
    }
    let ((of_a, rest), (of_b, other)) = (graph.split_factor(a), graph.split_factor(b));
    let found = if rest == other {
        of_a / of_b
    } else if graph.scale(-1.0, b) == a {
        -1.0
    } else {
        return false;
    };
    *factor.get_or_insert(found) == found
}

/// Methods of iterators that keep the number of items.
const KEEPING: [&str; 6] = ["iter", "into_iter", "enumerate", "copied", "cloned", "rev"];

/// A small number written as a literal.
fn literal(expression: &Expr) -> Option<usize> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            number.base10_parse::<u16>().ok().map(usize::from)
        }
        _ => None,
    }
}

/// A condition that is known at binding.
#[derive(Debug)]
pub struct Choice {
    /// The number of the choice within the declaration.
    pub number: usize,
    /// The question that selects an arm.
    pub question: Question,
    /// The facts of its answers.
    pub(super) answers: Answers,
}

impl Choice {
    /// The choice of this number.
    pub fn new(number: usize, question: Question) -> Self {
        let answers = Answers::of(&question);
        Self { number, question, answers }
    }

    /// The fact of an answer.
    pub(super) fn fact(&self, arm: usize) -> Fact {
        self.answers.fact(arm).clone()
    }
}

impl Form {
    /// A form without sums or conditions.
    pub fn of(node: NodeId) -> Self {
        Self::Leaf(Leaf { node, sums: Vec::new() })
    }

    /// The body under one scope.
    pub fn under(scope: Scope, body: Self, graph: &mut Graph) -> Self {
        Self::Leaf(Leaf { node: graph.zero(), sums: vec![(scope, body)] })
    }

    /// The expression of a form without sums and choices.
    pub fn plain(&self) -> Option<NodeId> {
        match self {
            Self::Leaf(leaf) if leaf.sums.is_empty() => Some(leaf.node),
            _ => None,
        }
    }

    /// Visits the parts of the form, from the outside in.
    pub(super) fn each_part<'f>(&'f self, visit: &mut dyn FnMut(Part<'f>)) {
        match self {
            Self::Leaf(leaf) => {
                visit(Part::Node(leaf.node));
                for (scope, body) in &leaf.sums {
                    match scope {
                        Scope::Loop(repeat) => visit(Part::Loop(repeat)),
                        Scope::Stiff => visit(Part::Stiff),
                        Scope::Apart => {}
                    }
                    body.each_part(visit);
                }
            }
            Self::Branch(choice, arms) => {
                visit(Part::Choice(choice));
                arms.iter().for_each(|arm| arm.each_part(visit));
            }
        }
    }

    /// True if the form is zero.
    pub fn is_zero(&self, graph: &Graph) -> bool {
        let mut is_zero = true;
        self.each_part(&mut |part| is_zero &= !matches!(part, Part::Node(node) if !graph.is_zero(node)));
        is_zero
    }

    /// True if the form is a number times `other`: equal sums and choices, all expressions in one ratio.
    pub(super) fn is_multiple_of(&self, other: &Self, graph: &mut Graph) -> bool {
        self.agrees_on_factor(other, graph, &mut None)
    }

    /// [`Self::is_multiple_of`] with `factor`; an unknown factor becomes known.
    fn agrees_on_factor(&self, other: &Self, graph: &mut Graph, factor: &mut Option<f64>) -> bool {
        match (self, other) {
            (Self::Leaf(a), Self::Leaf(b)) => {
                is_multiple(a.node, b.node, graph, factor)
                    && a.sums.len() == b.sums.len()
                    && a.sums.iter().zip(&b.sums).all(|((over_a, a), (over_b, b))| {
                        over_a.is(over_b) && a.agrees_on_factor(b, graph, factor)
                    })
            }
            (Self::Branch(a, arms), Self::Branch(b, others)) => {
                a.number == b.number
                    && arms.iter().zip(others).all(|(a, b)| a.agrees_on_factor(b, graph, factor))
            }
            _ => false,
        }
    }

    /// A linear operation, applied to every expression.
    pub fn linear(&self, graph: &mut Graph, operation: &dyn Fn(&mut Graph, NodeId) -> NodeId) -> Self {
        match self {
            Self::Leaf(leaf) => Self::Leaf(Leaf {
                node: operation(graph, leaf.node),
                sums: leaf
                    .sums
                    .iter()
                    .map(|(scope, body)| (scope.clone(), body.linear(graph, operation)))
                    .collect(),
            }),
            Self::Branch(choice, arms) => {
                Self::Branch(choice.clone(), arms.iter().map(|arm| arm.linear(graph, operation)).collect())
            }
        }
    }

    /// The number of its terms, and the depth of operations in the deepest.
    pub fn size(&self, graph: &Graph) -> (usize, u32) {
        let (mut terms, mut depth) = (0, 0);
        self.each_part(&mut |part| {
            if let Part::Node(node) = part {
                terms += usize::from(!graph.is_zero(node));
                depth = depth.max(graph.depth(node));
            }
        });
        (terms, depth)
    }

    /// True if a part of the form is marked as stiff.
    pub(super) fn is_stiff(&self) -> bool {
        let mut is_stiff = false;
        self.each_part(&mut |part| is_stiff |= matches!(part, Part::Stiff));
        is_stiff
    }

    /// All loops in the form.
    pub fn loops(&self) -> Vec<Rc<Loop>> {
        let mut found = Vec::new();
        self.each_part(&mut |part| found.extend(part.repeat().cloned()));
        found
    }

    /// All choices in the form.
    pub fn choices(&self) -> Vec<Rc<Choice>> {
        let mut found = Vec::new();
        self.each_part(&mut |part| found.extend(part.choice().cloned()));
        found
    }

    /// The form without arms that no instance reaches, as conditions exclude or imply each other;
    /// `under` holds the facts that are known in its place.
    pub fn reachable(&self, under: &mut Vec<Fact>, graph: &mut Graph) -> Self {
        match self {
            Self::Leaf(leaf) => {
                let mut sums = Vec::new();
                for (scope, body) in &leaf.sums {
                    let known = under.len();
                    if let Scope::Loop(repeat) = scope {
                        under.push(repeat.round());
                    }
                    sums.push((scope.clone(), body.reachable(under, graph)));
                    under.truncate(known);
                }
                Self::Leaf(Leaf { node: leaf.node, sums })
            }
            Self::Branch(choice, arms) => {
                let mut images = Vec::new();
                let mut reached = Vec::new();
                for (k, arm) in arms.iter().enumerate() {
                    under.push(choice.answers.fact(k).clone());
                    images.push(if may_hold(&under.iter().collect::<Vec<_>>()) {
                        reached.push(k);
                        arm.reachable(under, graph)
                    } else {
                        Self::of(graph.zero())
                    });
                    under.pop();
                }
                match reached[..] {
                    [only] => images.swap_remove(only),
                    _ => Self::Branch(choice.clone(), images),
                }
            }
        }
    }

    /// The terms of the form, each under its path of scopes and answers, in declared order.
    pub fn terms(&self, graph: &Graph) -> Vec<Term> {
        let mut terms = Vec::new();
        self.collect(&mut Vec::new(), graph, &mut terms);
        terms
    }

    /// Answers to the choices that leave no `wanted` term, if there are such.
    pub fn way_without(&self, graph: &Graph, wanted: impl Fn(NodeId) -> bool) -> Option<Vec<Answer>> {
        let terms = self.terms(graph);
        let wanted: Vec<&[Step]> =
            terms.iter().filter(|term| wanted(term.node)).map(|term| &*term.path).collect();
        let mut way = Vec::new();
        leads_away(&wanted, &mut way).then_some(way)
    }

    fn collect(&self, path: &mut Vec<Step>, graph: &Graph, terms: &mut Vec<Term>) {
        match self {
            Self::Leaf(leaf) => {
                if !graph.is_zero(leaf.node) {
                    terms.push(Term { path: path.clone(), node: leaf.node });
                }
                for (scope, body) in &leaf.sums {
                    path.push(match scope {
                        Scope::Loop(repeat) => Step::Loop(repeat.clone()),
                        Scope::Stiff => Step::Stiff,
                        Scope::Apart => {
                            body.collect(path, graph, terms);
                            continue;
                        }
                    });
                    body.collect(path, graph, terms);
                    path.pop();
                }
            }
            Self::Branch(choice, arms) => {
                for (arm, form) in arms.iter().enumerate() {
                    path.push(Step::Answer(choice.clone(), arm));
                    form.collect(path, graph, terms);
                    path.pop();
                }
            }
        }
    }
}

/// An additive term: an expression under its loops and conditions.
#[derive(Debug, Clone)]
pub struct Term {
    /// The loops and choices around the expression, from the outside in.
    pub path: Vec<Step>,
    /// The expression.
    pub node: NodeId,
}

/// A choice with the arm that is taken.
pub(crate) type Answer = (Rc<Choice>, usize);

/// The most choices whose answers are tried.
const MOST_ANSWERS: usize = 12;

/// Extends the answers so that no path remains, if possible.
fn leads_away(paths: &[&[Step]], way: &mut Vec<Answer>) -> bool {
    let answers = |path: &&[Step]| -> Vec<Answer> {
        let answers = path.iter().filter_map(|step| match step {
            Step::Answer(choice, arm) => Some((choice.clone(), *arm)),
            Step::Loop(_) | Step::Stiff => None,
        });
        answers.collect()
    };
    let arm_of = |way: &[Answer], number: usize| {
        way.iter().find(|(known, _)| known.number == number).map(|(_, arm)| *arm)
    };
    // The paths that the answers so far leave open, without the answered choices.
    let open: Vec<Vec<Answer>> = paths
        .iter()
        .map(answers)
        .filter(|path| {
            path.iter().all(|(choice, arm)| arm_of(way, choice.number).is_none_or(|own| own == *arm))
        })
        .map(|path| path.into_iter().filter(|(choice, _)| arm_of(way, choice.number).is_none()).collect())
        .collect();
    let Some(first) = open.first() else {
        let facts: Vec<&Fact> = way.iter().map(|(choice, arm)| choice.answers.fact(*arm)).collect();
        return may_hold(&facts);
    };
    if open.iter().any(Vec::is_empty) || way.len() == MOST_ANSWERS {
        return false;
    }
    let Some((choice, _)) = first.first().cloned() else { return false };
    let arms = match &choice.question {
        Question::If(_) => 2,
        Question::Match(_, patterns) => patterns.len(),
    };
    for arm in 0..arms {
        way.push((choice.clone(), arm));
        if leads_away(paths, way) {
            return true;
        }
        way.pop();
    }
    false
}

/// One step on the way to a term.
#[derive(Debug, Clone)]
pub enum Step {
    /// Into a loop.
    Loop(Rc<Loop>),
    /// Into an arm of a choice.
    Answer(Rc<Choice>, usize),
    /// Into `stiff(…)`.
    Stiff,
}

impl Step {
    /// The loop, if it is one.
    pub fn repeat(&self) -> Option<&Rc<Loop>> {
        if let Self::Loop(repeat) = self { Some(repeat) } else { None }
    }

    /// The step as text.
    pub fn spelled(&self) -> String {
        match self {
            Self::Loop(repeat) => {
                format!("{} in {}", repeat.pattern.to_token_stream(), repeat.iterator.to_token_stream())
            }
            Self::Answer(choice, arm) => format!("{} {arm}", choice.question.spelled()),
            Self::Stiff => String::new(),
        }
    }

    /// The names that are bound behind the step.
    pub fn bound(&self) -> Vec<Ident> {
        match self {
            Self::Loop(repeat) => repeat.bound(),
            Self::Answer(choice, arm) => choice.question.bound_by(*arm),
            Self::Stiff => Vec::new(),
        }
    }
}

/// The loops of a path.
pub(crate) fn loops_of(path: &[Step]) -> impl DoubleEndedIterator<Item = &Rc<Loop>> {
    path.iter().filter_map(Step::repeat)
}

/// Adds an expression to the expression under an equal path.
pub(crate) fn add_by_path(
    groups: &mut Vec<(Vec<Step>, NodeId)>,
    (path, node): (Vec<Step>, NodeId),
    graph: &mut Graph,
) {
    match groups.iter_mut().find(|(known, _)| same_path(known, &path)) {
        Some((_, sum)) => *sum = graph.add(*sum, node),
        None => groups.push((path, node)),
    }
}

pub(crate) fn same_path(a: &[Step], b: &[Step]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|steps| match steps {
            (Step::Loop(a), Step::Loop(b)) => Rc::ptr_eq(a, b),
            (Step::Answer(a, i), Step::Answer(b, j)) => a.number == b.number && i == j,
            (Step::Stiff, Step::Stiff) => true,
            _ => false,
        })
}

impl Term {
    /// The term over all pairs, near or not: zero beyond the distance.
    pub fn over_all(self, graph: &mut Graph) -> Self {
        let near = loops_of(&self.path).rev().filter_map(|repeat| repeat.near.as_ref());
        let node = near.fold(self.node, |node, near| near.over_all(graph, node));
        Self { node, ..self }
    }
}
