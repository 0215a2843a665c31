//! Scalars under sums and conditions.
//!
//! A [`Form`] is an expression of the graph plus sums whose bodies are forms again, behind the conditions that choose
//! between such things. All operations act on it as on the number that it stands for:
//!
//! * addition and multiplication by anything distribute over sums (a product of two sums is a nested sum),
//! * every operation distributes over the arms of a choice, and a choice made once is not made again,
//! * but many choices that are only added stay apart: each would double the terms,
//! * a function that is not linear cannot enter a sum; it says so.
//!
//! **Invariant.** The bound variables of all loops of a declaration have different names, so that a factor can be carried
//! into a loop without being captured; only a sum multiplied by itself needs new names (see [`super::Lowering::multiply`]).

use crate::graph::{Graph, NodeId};
use std::borrow::Cow;
use std::rc::Rc;
use syn::{Expr, ExprLit, Lit, Pat, RangeLimits};

/// A scalar under sums and conditions.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// An expression and the sums added to it.
    Leaf(Leaf),
    /// One form for each arm of a choice.
    Branch(Rc<Choice>, Vec<Form>),
}

/// An expression and the sums added to it.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    /// The part outside all sums.
    pub(crate) node: NodeId,
    /// What is added: for each scope, its body.
    pub(crate) sums: Vec<(Scope, Form)>,
}

/// What a body is repeated over or marked as.
#[derive(Debug, Clone)]
pub(crate) enum Scope {
    /// One body for each item of an iterator.
    Loop(Rc<Loop>),
    /// The body once, marked as stiff.
    Stiff,
    /// The body once: a choice that is not multiplied out.
    Apart,
}

/// `for pattern in iterator`.
#[derive(Debug)]
pub(crate) struct Loop {
    /// The pattern, with names of its own.
    pub(crate) pattern: Pat,
    /// The iterator: coordinate-free Rust.
    pub(crate) iterator: Expr,
}

impl Loop {
    /// How many items there are, where that can be read off: in `0..3`, `pairs(3)` or `[1.0, 2.0, 3.0]`.
    pub(crate) fn count(&self) -> Option<usize> {
        count(&self.iterator)
    }
}

fn count(iterator: &Expr) -> Option<usize> {
    match iterator {
        Expr::Paren(inner) => count(&inner.expr),
        Expr::Reference(array) => count(&array.expr),
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
pub(crate) struct Choice {
    /// The number of the choice within the declaration.
    pub(crate) number: usize,
    /// What is asked.
    pub(crate) question: Question,
}

/// What a choice asks.
#[derive(Debug)]
pub(crate) enum Question {
    /// `if condition`: arm 0 is yes, arm 1 is no.
    If(Expr),
    /// `match scrutinee`: one arm for each pattern (with its guard).
    Match(Expr, Vec<Pat>),
}

/// What keeps a function that is not linear from being applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// A sum over an iterator.
    Sum,
    /// A term marked as stiff.
    Stiff,
    /// Choices that can come out in too many ways.
    Choices,
}

/// Sums that can come out in more ways than this are not multiplied out.
const MOST_WAYS: usize = 8;
/// Functions of sums that can come out in more ways than this are refused: each way would be a term.
pub(crate) const MOST_WAYS_IN_FUNCTIONS: usize = 1000;

/// The choices made on the way to a place: number and arm.
type Known = Vec<(usize, usize)>;

fn answer(known: &Known, choice: &Choice) -> Option<usize> {
    known.iter().find(|(number, _)| *number == choice.number).map(|&(_, arm)| arm)
}

fn with(known: &Known, choice: &Choice, arm: usize) -> Known {
    let mut known = known.clone();
    known.push((choice.number, arm));
    known
}

impl Form {
    /// A form without sums or conditions.
    pub(crate) fn of(node: NodeId) -> Self {
        Self::Leaf(Leaf { node, sums: Vec::new() })
    }

    /// The body under one scope.
    pub(crate) fn under(scope: Scope, body: Self, graph: &mut Graph) -> Self {
        Self::Leaf(Leaf { node: graph.zero(), sums: vec![(scope, body)] })
    }

    /// The expression, when there is nothing but an expression.
    pub(crate) fn plain(&self) -> Option<NodeId> {
        match self {
            Self::Leaf(leaf) if leaf.sums.is_empty() => Some(leaf.node),
            _ => None,
        }
    }

    /// Whether the form is nothing but zero.
    pub(crate) fn is_zero(&self, graph: &Graph) -> bool {
        match self {
            Self::Leaf(leaf) => {
                graph.is_zero(leaf.node) && leaf.sums.iter().all(|(_, body)| body.is_zero(graph))
            }
            Self::Branch(_, arms) => arms.iter().all(|arm| arm.is_zero(graph)),
        }
    }

    /// A linear operation, applied to every expression.
    pub(crate) fn linear(&self, graph: &mut Graph, operation: &dyn Fn(&mut Graph, NodeId) -> NodeId) -> Self {
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

    /// A nonlinear operation of one argument; the error is what is in the way.
    pub(crate) fn nonlinear(
        &self,
        graph: &mut Graph,
        operation: &dyn Fn(&mut Graph, NodeId) -> NodeId,
    ) -> Result<Self, Obstacle> {
        match &*self.multiplied_out(graph)? {
            Self::Leaf(leaf) => match leaf.obstacle() {
                None => Ok(Self::of(operation(graph, leaf.node))),
                Some(what) => Err(what),
            },
            Self::Branch(choice, arms) => {
                let arms =
                    arms.iter().map(|arm| arm.nonlinear(graph, operation)).collect::<Result<_, _>>()?;
                Ok(Self::Branch(choice.clone(), arms))
            }
        }
    }

    /// A nonlinear operation of two arguments.
    pub(crate) fn nonlinear2(
        &self,
        other: &Self,
        graph: &mut Graph,
        operation: &dyn Fn(&mut Graph, NodeId, NodeId) -> NodeId,
    ) -> Result<Self, Obstacle> {
        let (a, b) = (self.multiplied_out(graph)?, other.multiplied_out(graph)?);
        combine(&a, &b, &Vec::new(), graph, &mut |a, b, graph| match a.obstacle().or(b.obstacle()) {
            None => Ok(Self::of(operation(graph, a.node, b.node))),
            Some(what) => Err(what),
        })
    }

    /// A nonlinear operation of any number of arguments.
    pub(crate) fn nonlinear_of(
        arguments: &[Self],
        graph: &mut Graph,
        operation: &dyn Fn(&mut Graph, &[NodeId]) -> NodeId,
    ) -> Result<Self, Obstacle> {
        let arguments =
            arguments.iter().map(|form| form.multiplied_out(graph)).collect::<Result<Vec<_>, _>>()?;
        apply_known(&arguments.iter().map(|form| &**form).collect::<Vec<_>>(), &Vec::new(), graph, operation)
    }

    /// `yes` where gap < 0 (where gap ≤ 0, unless `strict`), `no` elsewhere: a choice that each point of a trajectory makes.
    ///
    /// The gap may hold no sums; those of the branches are chosen term by term.
    pub(crate) fn select(
        gap: &Self,
        strict: bool,
        yes: &Self,
        no: &Self,
        graph: &mut Graph,
    ) -> Result<Self, Obstacle> {
        // What is chosen asks what the gap asks, in each of its ways.
        let [gap, yes, no] =
            [gap.multiplied_out(graph)?, yes.multiplied_out(graph)?, no.multiplied_out(graph)?];
        select_known([&gap, &yes, &no], strict, &Vec::new(), graph)
    }

    /// a + factor · b.
    pub(crate) fn add(&self, factor: f64, other: &Self, graph: &mut Graph) -> Self {
        let other = if factor == 1.0 {
            other.clone()
        } else {
            other.linear(graph, &|graph, node| graph.scale(factor, node))
        };
        let apart = self.has_apart() || other.has_apart();
        if !apart && self.goes_with(&other, MOST_WAYS) {
            return together(self, &other, graph);
        }
        let mut total = Leaf { node: graph.zero(), sums: Vec::new() };
        for form in [self.clone(), other] {
            match form {
                Self::Leaf(leaf) => {
                    total.node = graph.add(total.node, leaf.node);
                    leaf.sums.into_iter().for_each(|(scope, body)| total.add_under(scope, body, graph));
                }
                branch @ Self::Branch(..) => total.add_under(Scope::Apart, branch, graph),
            }
        }
        Self::Leaf(total)
    }

    /// Whether the sum of two forms can come out in no more ways than one of them, or in at most so many.
    fn goes_with(&self, other: &Self, at_most: usize) -> bool {
        if let (Self::Leaf(_), Self::Leaf(_)) = (self, other) {
            return true;
        }
        let each = [self, other].map(|form| ways(&[form], &Vec::new(), MOST_WAYS_IN_FUNCTIONS));
        let most = at_most.max(each[0]).max(each[1]);
        ways(&[self, other], &Vec::new(), most) <= most
    }

    /// The same without choices that are apart; the error is what is in the way.
    fn multiplied_out(&self, graph: &mut Graph) -> Result<Cow<'_, Self>, Obstacle> {
        if !self.has_apart() {
            return Ok(Cow::Borrowed(self));
        }
        if ways(&[self], &Vec::new(), MOST_WAYS_IN_FUNCTIONS) > MOST_WAYS_IN_FUNCTIONS {
            return Err(Obstacle::Choices);
        }
        Ok(Cow::Owned(match self {
            Self::Leaf(Leaf { node, sums }) => {
                let (apart, others): (Vec<_>, Vec<_>) =
                    sums.iter().cloned().partition(|(scope, _)| matches!(scope, Scope::Apart));
                let mut total = Self::Leaf(Leaf { node: *node, sums: others });
                for (_, body) in apart {
                    total = together(&total, &*body.multiplied_out(graph)?, graph);
                }
                total
            }
            Self::Branch(choice, arms) => {
                let mut images = Vec::new();
                for arm in arms {
                    images.push(arm.multiplied_out(graph)?.into_owned());
                }
                Self::Branch(choice.clone(), images)
            }
        }))
    }

    /// Whether there are choices that are apart, outside loops.
    fn has_apart(&self) -> bool {
        match self {
            Self::Leaf(leaf) => leaf.sums.iter().any(|(scope, _)| matches!(scope, Scope::Apart)),
            Self::Branch(_, arms) => arms.iter().any(Self::has_apart),
        }
    }

    /// a · b for forms whose loops have different variables.
    pub(crate) fn multiply(&self, other: &Self, graph: &mut Graph) -> Self {
        let choose = |form: &Self| matches!(form, Self::Branch(..)) || form.has_apart();
        // Both may ask the same: a product of their terms could be longer than all ways in which they come out together.
        if choose(self)
            && choose(other)
            && ways(&[self, other], &Vec::new(), MOST_WAYS_IN_FUNCTIONS) <= MOST_WAYS_IN_FUNCTIONS
            && let (Ok(a), Ok(b)) = (self.multiplied_out(graph), other.multiplied_out(graph))
        {
            return multiply_known(&a, &b, &Vec::new(), graph);
        }
        multiply_known(self, other, &Vec::new(), graph)
    }

    /// All loops in the form.
    pub(crate) fn loops(&self, found: &mut Vec<Rc<Loop>>) {
        match self {
            Self::Leaf(leaf) => {
                for (scope, body) in &leaf.sums {
                    if let Scope::Loop(repeat) = scope {
                        found.push(repeat.clone());
                    }
                    body.loops(found);
                }
            }
            Self::Branch(_, arms) => arms.iter().for_each(|arm| arm.loops(found)),
        }
    }

    /// All choices in the form.
    pub(crate) fn choices(&self, found: &mut Vec<Rc<Choice>>) {
        match self {
            Self::Leaf(leaf) => leaf.sums.iter().for_each(|(_, body)| body.choices(found)),
            Self::Branch(choice, arms) => {
                found.push(choice.clone());
                arms.iter().for_each(|arm| arm.choices(found));
            }
        }
    }

    /// The terms of the form, each an expression under its path of scopes and answers, in the order of the declaration.
    pub(crate) fn terms(&self, graph: &Graph) -> Vec<Term> {
        let mut terms = Vec::new();
        self.collect(&mut Vec::new(), graph, &mut terms);
        terms
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

impl Leaf {
    /// Adds what stands under a scope: a choice that is apart to one that asks the same, if there is one.
    fn add_under(&mut self, scope: Scope, body: Form, graph: &mut Graph) {
        let apart = |scope: &Scope| matches!(scope, Scope::Apart);
        let mut known = self.sums.iter_mut().filter(|(other, _)| apart(&scope) && apart(other));
        match known.find(|(_, other)| other.goes_with(&body, 0)) {
            Some((_, other)) => *other = together(other, &body, graph),
            None => self.sums.push((scope, body)),
        }
    }

    /// What keeps a function that is not linear from entering.
    fn obstacle(&self) -> Option<Obstacle> {
        self.sums.iter().find_map(|(scope, _)| match scope {
            Scope::Loop(_) => Some(Obstacle::Sum),
            Scope::Stiff => Some(Obstacle::Stiff),
            Scope::Apart => None,
        })
    }
}

/// An additive term: an expression under its loops and conditions.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    /// From the outside in.
    pub(crate) path: Vec<Step>,
    /// The expression.
    pub(crate) node: NodeId,
}

/// One step on the way to a term.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Into a loop.
    Loop(Rc<Loop>),
    /// Into an arm of a choice.
    Answer(Rc<Choice>, usize),
    /// Into `stiff(…)`.
    Stiff,
}

/// The sum of two forms where their choices agree.
fn together(a: &Form, b: &Form, graph: &mut Graph) -> Form {
    let sum = combine(a, b, &Vec::new(), graph, &mut |a, b, graph| {
        let node = graph.add(a.node, b.node);
        let sums = a.sums.iter().chain(&b.sums).cloned().collect();
        Ok::<_, std::convert::Infallible>(Form::Leaf(Leaf { node, sums }))
    });
    match sum {
        Ok(sum) => sum,
        Err(never) => match never {},
    }
}

/// In how many ways the choices of some forms together can come out; when they are more than `most`, any larger number.
fn ways(forms: &[&Form], known: &Known, most: usize) -> usize {
    for (place, form) in forms.iter().enumerate() {
        let Form::Branch(choice, arms) = form else { continue };
        let with_arm = |arm| {
            let mut image = forms.to_vec();
            image[place] = arm;
            image
        };
        if let Some(arm) = answer(known, choice) {
            return ways(&with_arm(&arms[arm]), known, most);
        }
        let mut total = 0_usize;
        for (k, arm) in arms.iter().enumerate() {
            total = total.saturating_add(ways(&with_arm(arm), &with(known, choice, k), most));
            if total > most {
                break;
            }
        }
        return total;
    }
    let apart = forms.iter().filter_map(|form| match form {
        Form::Leaf(leaf) => Some(leaf.sums.iter().filter(|(scope, _)| matches!(scope, Scope::Apart))),
        Form::Branch(..) => None,
    });
    let bodies: Vec<&Form> = apart.flatten().map(|(_, body)| body).collect();
    if bodies.is_empty() { 1 } else { ways(&bodies, known, most) }
}

/// Applies `operation` to the leaves of two forms where their choices agree.
fn combine<E>(
    a: &Form,
    b: &Form,
    known: &Known,
    graph: &mut Graph,
    operation: &mut dyn FnMut(&Leaf, &Leaf, &mut Graph) -> Result<Form, E>,
) -> Result<Form, E> {
    match (a, b) {
        (Form::Branch(choice, arms), _) => {
            if let Some(arm) = answer(known, choice) {
                return combine(&arms[arm], b, known, graph, operation);
            }
            let mut images = Vec::new();
            for (k, arm) in arms.iter().enumerate() {
                images.push(combine(arm, b, &with(known, choice, k), graph, operation)?);
            }
            Ok(Form::Branch(choice.clone(), images))
        }
        (Form::Leaf(_), Form::Branch(choice, arms)) => {
            if let Some(arm) = answer(known, choice) {
                return combine(a, &arms[arm], known, graph, operation);
            }
            let mut images = Vec::new();
            for (k, arm) in arms.iter().enumerate() {
                images.push(combine(a, arm, &with(known, choice, k), graph, operation)?);
            }
            Ok(Form::Branch(choice.clone(), images))
        }
        (Form::Leaf(a), Form::Leaf(b)) => operation(a, b, graph),
    }
}

fn multiply_known(a: &Form, b: &Form, known: &Known, graph: &mut Graph) -> Form {
    match (a, b) {
        (Form::Branch(choice, arms), _) => match answer(known, choice) {
            Some(arm) => multiply_known(&arms[arm], b, known, graph),
            None => Form::Branch(
                choice.clone(),
                arms.iter()
                    .enumerate()
                    .map(|(k, arm)| multiply_known(arm, b, &with(known, choice, k), graph))
                    .collect(),
            ),
        },
        (Form::Leaf(_), Form::Branch(choice, arms)) => match answer(known, choice) {
            Some(arm) => multiply_known(a, &arms[arm], known, graph),
            None => Form::Branch(
                choice.clone(),
                arms.iter()
                    .enumerate()
                    .map(|(k, arm)| multiply_known(a, arm, &with(known, choice, k), graph))
                    .collect(),
            ),
        },
        (Form::Leaf(a), Form::Leaf(b)) => {
            let node = graph.multiply(a.node, b.node);
            let mut sums = Vec::new();
            for (scope, body) in &a.sums {
                let factor = Form::Leaf(b.clone());
                sums.push((scope.clone(), multiply_known(body, &factor, known, graph)));
            }
            if !graph.is_zero(a.node) {
                let factor = Form::of(a.node);
                for (scope, body) in &b.sums {
                    sums.push((scope.clone(), multiply_known(&factor, body, known, graph)));
                }
            }
            sums.retain(|(_, body)| !body.is_zero(graph));
            Form::Leaf(Leaf { node, sums })
        }
    }
}

/// Applies `operation` where the choices of all arguments agree.
fn apply_known(
    arguments: &[&Form],
    known: &Known,
    graph: &mut Graph,
    operation: &dyn Fn(&mut Graph, &[NodeId]) -> NodeId,
) -> Result<Form, Obstacle> {
    for (place, form) in arguments.iter().enumerate() {
        let Form::Branch(choice, arms) = form else { continue };
        let with_arm = |arm| {
            let mut image = arguments.to_vec();
            image[place] = arm;
            image
        };
        if let Some(arm) = answer(known, choice) {
            return apply_known(&with_arm(&arms[arm]), known, graph, operation);
        }
        let mut images = Vec::new();
        for (k, arm) in arms.iter().enumerate() {
            images.push(apply_known(&with_arm(arm), &with(known, choice, k), graph, operation)?);
        }
        return Ok(Form::Branch(choice.clone(), images));
    }
    let mut nodes = Vec::new();
    for form in arguments {
        match form {
            Form::Leaf(leaf) => match leaf.obstacle() {
                None => nodes.push(leaf.node),
                Some(what) => return Err(what),
            },
            Form::Branch(..) => return Err(Obstacle::Choices),
        }
    }
    Ok(Form::of(operation(graph, &nodes)))
}

/// Chooses between the last two forms by the sign of the first.
fn select_known(forms: [&Form; 3], strict: bool, known: &Known, graph: &mut Graph) -> Result<Form, Obstacle> {
    for (place, form) in forms.into_iter().enumerate() {
        let Form::Branch(choice, arms) = form else { continue };
        let with_arm = |arm| {
            let mut image = forms;
            image[place] = arm;
            image
        };
        if let Some(arm) = answer(known, choice) {
            return select_known(with_arm(&arms[arm]), strict, known, graph);
        }
        let mut images = Vec::new();
        for (k, arm) in arms.iter().enumerate() {
            images.push(select_known(with_arm(arm), strict, &with(known, choice, k), graph)?);
        }
        return Ok(Form::Branch(choice.clone(), images));
    }
    let [Form::Leaf(gap), Form::Leaf(yes), Form::Leaf(no)] = forms else { return Err(Obstacle::Choices) };
    if let Some(what) = gap.obstacle() {
        return Err(what);
    }
    let node = graph.select(gap.node, strict, yes.node, no.node);
    let mut sums = Vec::new();
    for (branch, below) in [(yes, true), (no, false)] {
        for (scope, body) in &branch.sums {
            let chosen = body.linear(graph, &|graph, node| {
                let zero = graph.zero();
                let (yes, no) = if below { (node, zero) } else { (zero, node) };
                graph.select(gap.node, strict, yes, no)
            });
            sums.push((scope.clone(), chosen));
        }
    }
    Ok(Form::Leaf(Leaf { node, sums }))
}

#[cfg(test)]
mod tests;
