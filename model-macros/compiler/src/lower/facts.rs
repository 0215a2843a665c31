//! The facts that follow from choices: they show which conditions exclude or imply each other.
//!
//! A condition is a formula over comparisons of integers, linear in terms of Rust (`i == self.n - 1`),
//! and other statements, each true or false. Equal texts are equal terms, since every variable of a
//! declaration has its own name. Comparisons of integers are joined by the method of Fourier and Motzkin
//! (Schrijver, *Theory of linear and integer programming*, 1986, 12.2), rounded to integers.
//!
//! **Invariant.** An unknown statement may be true or false, and the work is bounded: a choice is
//! decided only if the other answers are impossible.

use super::question::Question;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::{BinOp, Expr, Lit, Pat, RangeLimits, UnOp};

/// A statement about the parameters of a model and the variables of its loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// Nothing is known.
    Anything,
    /// Never.
    Never,
    /// A condition holds, or does not, and is not looked into.
    Holds(String, bool),
    /// A linear form of integers compared with zero.
    Compares(Linear, Relation),
    /// All hold.
    All(Vec<Fact>),
    /// At least one holds.
    Any(Vec<Fact>),
}

/// Σ factor · term + constant, over integers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Linear {
    terms: BTreeMap<String, i64>,
    constant: i64,
}

/// The relation of a linear form to zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Zero,
    NotZero,
    NotBelowZero,
}

/// The most cases to distinguish; with more, a statement counts as possible.
const MOST_CASES: usize = 64;

/// The most inequalities that are joined.
const MOST_INEQUALITIES: usize = 100;

impl Linear {
    /// factor · self + other; `None` on integer overflow.
    fn plus(&self, factor: i64, other: &Self, other_factor: i64) -> Option<Self> {
        let mut terms = BTreeMap::new();
        for (from, by) in [(self, factor), (other, other_factor)] {
            for (name, own) in &from.terms {
                let entry: &mut i64 = terms.entry(name.clone()).or_default();
                *entry = entry.checked_add(own.checked_mul(by)?)?;
            }
        }
        terms.retain(|_, factor| *factor != 0);
        let constant =
            self.constant.checked_mul(factor)?.checked_add(other.constant.checked_mul(other_factor)?)?;
        Some(Self { terms, constant })
    }

    fn negated(&self) -> Option<Self> {
        self.plus(-1, &Self::default(), 0)
    }

    fn less_one(mut self) -> Option<Self> {
        self.constant = self.constant.checked_sub(1)?;
        Some(self)
    }

    /// The terms divided by their greatest common divisor, and the divisor.
    fn direction(&self) -> (BTreeMap<String, i64>, i64) {
        let divisor = self.terms.values().fold(0, |divisor, factor| greatest_divisor(divisor, *factor));
        let negative = self.terms.values().next().is_some_and(|factor| *factor < 0);
        let divisor = if negative { -divisor } else { divisor };
        (self.terms.iter().map(|(name, factor)| (name.clone(), factor / divisor)).collect(), divisor)
    }

    /// The integer form of an expression, and true if a literal proves that it is an integer.
    fn of(expression: &Expr) -> Option<(Self, bool)> {
        let expression = crate::parse::lent(expression);
        Some(match expression {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => return Self::of(&unary.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                let (inner, is_integer) = Self::of(&unary.expr)?;
                (inner.negated()?, is_integer)
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) if !number.suffix().starts_with('f') => {
                    let constant = number.base10_parse().ok()?;
                    (Self { terms: BTreeMap::new(), constant }, true)
                }
                _ => return None,
            },
            Expr::Binary(both) if matches!(both.op, BinOp::Add(_) | BinOp::Sub(_)) => {
                let sign = if matches!(both.op, BinOp::Sub(_)) { -1 } else { 1 };
                let ((left, one), (right, other)) = (Self::of(&both.left)?, Self::of(&both.right)?);
                (left.plus(1, &right, sign)?, one || other)
            }
            Expr::Binary(both) if matches!(both.op, BinOp::Mul(_)) => {
                let ((left, one), (right, other)) = (Self::of(&both.left)?, Self::of(&both.right)?);
                let (factor, form) = match (left.terms.is_empty(), right.terms.is_empty()) {
                    (true, _) => (left.constant, right),
                    (_, true) => (right.constant, left),
                    _ => return Some((Self::term(expression), one || other)),
                };
                (form.plus(factor, &Self::default(), 0)?, one || other)
            }
            other => (Self::term(other), false),
        })
    }

    /// An expression of Rust as one term.
    fn term(expression: &Expr) -> Self {
        let text = expression.to_token_stream().to_string();
        Self { terms: BTreeMap::from([(text, 1)]), constant: 0 }
    }

    /// True for a term alone.
    fn is_single(&self) -> bool {
        self.constant == 0 && self.terms.len() == 1 && self.terms.values().all(|factor| *factor == 1)
    }
}

/// The difference of two integers.
fn difference(high: &Expr, low: &Expr) -> Option<Linear> {
    Linear::of(high)?.0.plus(1, &Linear::of(low)?.0, -1)
}

fn greatest_divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1).max(1)
}

impl Fact {
    /// The facts of the answers to a question, in their order.
    pub fn of_answers(question: &Question) -> Vec<Self> {
        match question {
            Question::If(condition) => {
                let yes = Self::of(condition);
                let no = yes.negated();
                vec![yes, no]
            }
            Question::Match(scrutinee, patterns) => {
                let mut none_before = Vec::new();
                let mut answers = Vec::new();
                for pattern in patterns {
                    let own = Self::of_pattern(scrutinee, pattern);
                    let mut all: Vec<Self> = none_before.clone();
                    none_before.push(own.negated());
                    all.push(own);
                    answers.push(Self::All(all));
                }
                answers
            }
        }
    }

    /// The fact that a loop is in one of its rounds.
    pub fn of_round(pattern: &Pat, iterator: &Expr) -> Self {
        let (Pat::Ident(name), Expr::Range(range)) = (pattern, crate::parse::bare(iterator)) else {
            return Self::Anything;
        };
        let name = &name.ident;
        let item: Expr = syn::parse_quote!(#name);
        let mut bounds = Vec::new();
        if let Some(start) = &range.start {
            bounds.push(Self::not_below(&item, start));
        }
        if let Some(end) = &range.end {
            bounds.push(match range.limits {
                RangeLimits::HalfOpen(_) => Self::below(&item, end),
                RangeLimits::Closed(_) => Self::not_below(end, &item),
            });
        }
        Self::All(bounds)
    }

    /// The fact that a condition holds.
    pub fn of(condition: &Expr) -> Self {
        let condition = crate::parse::bare(condition);
        match condition {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => Self::of(&unary.expr).negated(),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Bool(value) if value.value => Self::Anything,
                Lit::Bool(_) => Self::Never,
                _ => Self::holds(condition),
            },
            Expr::Binary(both) => {
                let (left, right) = (&*both.left, &*both.right);
                match both.op {
                    BinOp::And(_) => Self::All(vec![Self::of(left), Self::of(right)]),
                    BinOp::Or(_) => Self::Any(vec![Self::of(left), Self::of(right)]),
                    BinOp::Eq(_) => Self::equal(left, right),
                    BinOp::Ne(_) => Self::equal(left, right).negated(),
                    BinOp::Lt(_) => Self::ordered(left, right, true),
                    BinOp::Gt(_) => Self::ordered(right, left, true),
                    BinOp::Le(_) => Self::ordered(left, right, false),
                    BinOp::Ge(_) => Self::ordered(right, left, false),
                    _ => Self::holds(condition),
                }
            }
            other => Self::holds(other),
        }
    }

    fn holds(condition: &Expr) -> Self {
        Self::Holds(condition.to_token_stream().to_string(), true)
    }

    /// left = right; numbers that may be no integers are compared only if they are single terms.
    fn equal(left: &Expr, right: &Expr) -> Self {
        if let (Some((a, one)), Some((b, other))) = (Linear::of(left), Linear::of(right))
            && (one || other || (a.is_single() && b.is_single()))
            && let Some(difference) = a.plus(1, &b, -1)
        {
            return Self::Compares(difference, Relation::Zero);
        }
        Self::Holds(format!("{} == {}", left.to_token_stream(), right.to_token_stream()), true)
    }

    /// low < high or low ≤ high.
    fn ordered(low: &Expr, high: &Expr, strict: bool) -> Self {
        if let (Some((_, one)), Some((_, other))) = (Linear::of(low), Linear::of(high))
            && (one || other)
        {
            return if strict { Self::below(low, high) } else { Self::not_below(high, low) };
        }
        let sign = if strict { "<" } else { "<=" };
        Self::Holds(format!("{} {sign} {}", low.to_token_stream(), high.to_token_stream()), true)
    }

    /// low < high for integers.
    fn below(low: &Expr, high: &Expr) -> Self {
        Self::not_below_zero(difference(high, low).and_then(Linear::less_one))
    }

    /// high ≥ low for integers.
    fn not_below(high: &Expr, low: &Expr) -> Self {
        Self::not_below_zero(difference(high, low))
    }

    fn not_below_zero(form: Option<Linear>) -> Self {
        form.map_or(Self::Anything, |form| Self::Compares(form, Relation::NotBelowZero))
    }

    fn of_pattern(scrutinee: &Expr, pattern: &Pat) -> Self {
        match pattern {
            Pat::Wild(_) => Self::Anything,
            Pat::Paren(inner) => Self::of_pattern(scrutinee, &inner.pat),
            Pat::Or(either) => {
                Self::Any(either.cases.iter().map(|case| Self::of_pattern(scrutinee, case)).collect())
            }
            Pat::Lit(literal) if matches!(literal.lit, Lit::Int(_)) => {
                Self::equal(scrutinee, &Expr::Lit(literal.clone()))
            }
            // A guard that does not hold says nothing about the pattern.
            Pat::Guard(guarded) => Self::All(vec![
                Self::of_pattern(scrutinee, &guarded.pat),
                Self::Holds(
                    format!("{} if {}", scrutinee.to_token_stream(), guarded.to_token_stream()),
                    true,
                ),
            ]),
            other => {
                Self::Holds(format!("{} is {}", scrutinee.to_token_stream(), other.to_token_stream()), true)
            }
        }
    }

    fn negated(&self) -> Self {
        match self {
            Self::Anything => Self::Never,
            Self::Never => Self::Anything,
            Self::Holds(text, holds) => Self::Holds(text.clone(), !holds),
            Self::Compares(form, Relation::Zero) => Self::Compares(form.clone(), Relation::NotZero),
            Self::Compares(form, Relation::NotZero) => Self::Compares(form.clone(), Relation::Zero),
            Self::Compares(form, Relation::NotBelowZero) => {
                Self::not_below_zero(form.negated().and_then(Linear::less_one))
            }
            Self::All(parts) => Self::Any(parts.iter().map(Self::negated).collect()),
            Self::Any(parts) => Self::All(parts.iter().map(Self::negated).collect()),
        }
    }

    /// Adds the terms and conditions of the fact.
    fn subjects(&self, found: &mut BTreeSet<String>) {
        match self {
            Self::Anything | Self::Never => {}
            Self::Holds(text, _) => {
                found.insert(text.clone());
            }
            Self::Compares(form, _) => found.extend(form.terms.keys().cloned()),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.subjects(found)),
        }
    }
}

/// The answers to a question, with its terms and conditions.
#[derive(Debug)]
pub struct Answers {
    facts: Vec<Fact>,
    subjects: BTreeSet<String>,
}

impl Answers {
    /// The answers to a question.
    pub fn of(question: &Question) -> Self {
        let facts = Fact::of_answers(question);
        let mut subjects = BTreeSet::new();
        facts.iter().for_each(|fact| fact.subjects(&mut subjects));
        Self { facts, subjects }
    }

    /// The fact of an answer.
    pub fn fact(&self, arm: usize) -> &Fact {
        self.facts.get(arm).unwrap_or(&Fact::Anything)
    }

    /// The only answer that is possible under `known` answers, if there is only one.
    pub fn decided<'a>(&'a self, known: impl Iterator<Item = (&'a Self, usize)>) -> Option<usize> {
        let known: Vec<(&Self, usize)> = known.collect();
        // Answers about other subjects decide nothing, unless a question decides itself.
        let mut about = self.subjects.clone();
        let mut related: Vec<&Fact> = Vec::new();
        let mut open = known;
        loop {
            let before = open.len();
            open.retain(|(answers, arm)| {
                let apart = answers.subjects.is_disjoint(&about);
                if !apart {
                    about.extend(answers.subjects.iter().cloned());
                    related.push(answers.fact(*arm));
                }
                apart
            });
            if open.len() == before {
                break;
            }
        }
        if related.is_empty() && !self.facts.contains(&Fact::Never) {
            return None;
        }
        let mut left = (0..self.facts.len()).filter(|arm| {
            let all: Vec<&Fact> = related.iter().copied().chain([self.fact(*arm)]).collect();
            may_hold(&all)
        });
        let first = left.next()?;
        left.next().is_none().then_some(first)
    }
}

/// False if the facts are seen to contradict each other.
pub fn may_hold(facts: &[&Fact]) -> bool {
    let mut cases = MOST_CASES;
    case_may_hold(facts, &mut Vec::new(), &mut cases)
}

fn case_may_hold<'f>(open: &[&'f Fact], literals: &mut Vec<&'f Fact>, cases: &mut usize) -> bool {
    let (mut open, mut either) = (open.to_vec(), Vec::new());
    let before = literals.len();
    while let Some(fact) = open.pop() {
        match fact {
            Fact::Anything => {}
            Fact::Never => {
                literals.truncate(before);
                return false;
            }
            Fact::Holds(..) | Fact::Compares(..) => literals.push(fact),
            Fact::All(parts) => open.extend(parts),
            Fact::Any(parts) => either.push(parts),
        }
    }
    *cases = cases.saturating_sub(1);
    let may = if *cases > 0 && !are_consistent(literals) {
        false
    } else if let (Some(parts), true) = (either.pop(), *cases > 0) {
        let rest: Vec<Fact> = either.iter().map(|parts| Fact::Any((*parts).clone())).collect();
        parts.iter().any(|part| {
            let mut all: Vec<&Fact> = rest.iter().collect();
            all.push(part);
            let mut literals = literals.clone();
            case_may_hold(&all, &mut literals, cases)
        })
    } else {
        true
    };
    literals.truncate(before);
    may
}

/// The values that a direction may take.
#[derive(Debug, Default)]
struct Interval {
    low: Option<i64>,
    high: Option<i64>,
    excluded: BTreeSet<i64>,
}

/// False if literals are seen to contradict each other.
fn are_consistent(literals: &[&Fact]) -> bool {
    let mut holding: BTreeMap<&str, bool> = BTreeMap::new();
    let mut intervals: BTreeMap<Vec<(String, i64)>, Interval> = BTreeMap::new();
    for literal in literals {
        match literal {
            Fact::Holds(text, holds) => {
                let before = holding.insert(text, *holds);
                if before.is_some_and(|before| before != *holds) {
                    return false;
                }
            }
            Fact::Compares(form, relation) if form.terms.is_empty() => {
                let holds = match relation {
                    Relation::Zero => form.constant == 0,
                    Relation::NotZero => form.constant != 0,
                    Relation::NotBelowZero => form.constant >= 0,
                };
                if !holds {
                    return false;
                }
            }
            Fact::Compares(form, relation) => {
                // divisor · direction + constant
                let (direction, divisor) = form.direction();
                let interval = intervals.entry(direction.into_iter().collect()).or_default();
                let Some(opposite) = form.constant.checked_neg() else { continue };
                let whole = opposite % divisor == 0;
                let value = opposite.div_euclid(divisor);
                match relation {
                    Relation::Zero if !whole => return false,
                    Relation::Zero => {
                        interval.low = interval.low.max(Some(value));
                        interval.high = Some(interval.high.map_or(value, |high| high.min(value)));
                    }
                    Relation::NotZero if whole => {
                        interval.excluded.insert(value);
                    }
                    Relation::NotZero => {}
                    // divisor · direction ≥ opposite
                    Relation::NotBelowZero if divisor > 0 => {
                        interval.low = interval.low.max(Some(value + i64::from(!whole)));
                    }
                    Relation::NotBelowZero => {
                        // −|divisor| · direction ≥ opposite, so that direction ≤ −opposite / |divisor|.
                        let value = form.constant.div_euclid(-divisor);
                        interval.high = Some(interval.high.map_or(value, |high| high.min(value)));
                    }
                }
            }
            _ => {}
        }
    }
    let mut inequalities: Vec<Linear> = Vec::new();
    for (direction, mut interval) in intervals {
        while interval.low.is_some_and(|low| interval.excluded.remove(&low)) {
            interval.low = interval.low.map(|low| low + 1);
        }
        while interval.high.is_some_and(|high| interval.excluded.remove(&high)) {
            interval.high = interval.high.map(|high| high - 1);
        }
        if let (Some(low), Some(high)) = (interval.low, interval.high)
            && low > high
        {
            return false;
        }
        let form = Linear { terms: direction.into_iter().collect(), constant: 0 };
        if let Some(low) = interval.low.and_then(i64::checked_neg) {
            inequalities.push(Linear { constant: low, ..form.clone() });
        }
        if let (Some(high), Some(negated)) = (interval.high, form.negated()) {
            inequalities.push(Linear { constant: high, ..negated });
        }
    }
    have_a_solution(inequalities)
}

/// False if inequalities form ≥ 0 are seen to have no solution; eliminates one term after the other.
fn have_a_solution(mut all: Vec<Linear>) -> bool {
    while let Some(name) = all.iter().find_map(|form| form.terms.keys().next().cloned()) {
        let (with, mut rest): (Vec<Linear>, Vec<Linear>) =
            all.into_iter().partition(|form| form.terms.contains_key(&name));
        let (above, below): (Vec<&Linear>, Vec<&Linear>) =
            with.iter().partition(|form| form.terms[&name] > 0);
        for low in &above {
            for high in &below {
                let (one, other) = (low.terms[&name], -high.terms[&name]);
                let Some(mut joined) = low.plus(other, high, one) else { return true };
                if joined.terms.is_empty() && joined.constant < 0 {
                    return false;
                }
                if !joined.terms.is_empty() {
                    let divisor = joined.direction().1.abs();
                    joined.terms.values_mut().for_each(|factor| *factor /= divisor);
                    joined.constant = joined.constant.div_euclid(divisor);
                    rest.push(joined);
                }
            }
        }
        if rest.len() > MOST_INEQUALITIES {
            return true;
        }
        all = rest;
    }
    true
}
