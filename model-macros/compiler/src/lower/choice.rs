//! `if` and `match`: choices that the binding makes.

use super::environment::Environment;
use super::form::{Choice, Form};
use super::question::Question;
use super::stage::Open;
use super::value::Condition;
use super::{Lowering, Value};
use crate::error::{self, Obstacle};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::rc::Rc;
use syn::{BinOp, Block, Expr, Pat, Stmt};

/// The condition with its questions numbered, so that all components of a vector ask the same one.
enum Asked {
    Choice(Rc<Choice>),
    Below { gap: Form, strict: bool },
    And(Box<Asked>, Box<Asked>),
    Or(Box<Asked>, Box<Asked>),
    Not(Box<Asked>),
}

impl Asked {
    fn choose(&self, yes: &Form, no: &Form, lowering: &mut Lowering<'_>) -> Result<Form, Obstacle> {
        match self {
            Self::Choice(choice) => Ok(Form::Branch(choice.clone(), vec![yes.clone(), no.clone()])),
            Self::Below { gap, strict } => lowering.select(gap, *strict, yes, no),
            Self::And(a, b) => {
                let inner = b.choose(yes, no, lowering)?;
                a.choose(&inner, no, lowering)
            }
            Self::Or(a, b) => {
                let inner = b.choose(yes, no, lowering)?;
                a.choose(yes, &inner, lowering)
            }
            Self::Not(inner) => inner.choose(no, yes, lowering),
        }
    }
}

impl Lowering<'_> {
    pub(super) fn branch(&mut self, branch: &syn::ExprIf, environment: &mut Environment) -> Value {
        let mut inside = environment.clone();
        self.as_taken = true;
        let of_parameters = self.condition(&branch.cond, &mut inside);
        self.as_taken = false;
        let condition = if let Some(rust) = of_parameters {
            Some(Condition::Rust(rust))
        } else {
            inside.clone_from(environment);
            self.test(&branch.cond, &mut inside)
        };
        let guards = condition.as_ref().map(Condition::guards).unwrap_or_default();
        let count = guards.len();
        self.open.extend(guards.into_iter().map(|guard| Open::Answer(Question::If(guard), 0)));
        let yes = self.block(&branch.then_branch, &mut inside);
        self.open.truncate(self.open.len() - count);
        let Some((_, otherwise)) = &branch.else_branch else {
            let (keyword, condition) = (&branch.if_token, &branch.cond);
            return self.fail(error::missing_else(quote::quote!(#keyword #condition)));
        };
        let no = match &condition {
            Some(Condition::Rust(condition)) => {
                let open = Open::Answer(Question::If(condition.clone()), 1);
                self.within(open, |lowering| lowering.expression(otherwise, environment)).1
            }
            _ => self.expression(otherwise, environment),
        };
        let Some(condition) = condition else { return Value::Poison };
        let arms = vec![(yes, tail(&branch.then_branch)), (no, tail_of(otherwise))];
        match condition {
            Condition::Rust(condition) => self.chosen(Question::If(condition), arms),
            condition => self.selected(condition, arms, branch),
        }
    }

    /// A condition that depends on coordinates in part; binds the names of patterns in `environment`.
    fn test(&mut self, condition: &Expr, environment: &mut Environment) -> Option<Condition> {
        match condition {
            Expr::Paren(inner) => return self.test(&inner.expr, environment),
            Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
                let left = self.test(&both.left, environment);
                let guards = left.as_ref().map(Condition::guards).unwrap_or_default();
                let count = guards.len();
                self.open.extend(guards.into_iter().map(|guard| Open::Answer(Question::If(guard), 0)));
                let right = self.test(&both.right, environment);
                self.open.truncate(self.open.len() - count);
                return Some(Condition::And(Box::new(left?), Box::new(right?)));
            }
            _ => {}
        }
        if let Some(rust) = self.condition(condition, environment) {
            return Some(Condition::Rust(rust));
        }
        if matches!(condition, Expr::Let(_)) {
            self.refuse(condition, environment, error::coordinate_match);
            return None;
        }
        match self.expression(condition, environment) {
            Value::Truth(condition) => Some(condition),
            Value::Poison => None,
            _ => {
                self.errors.push(error::coordinate_condition(condition));
                None
            }
        }
    }

    /// A comparison, a < b or alike, with coordinates on at least one side.
    pub(super) fn comparison(&mut self, binary: &syn::ExprBinary, left: Value, right: Value) -> Value {
        let Some([left, right]) = self.both(left, right, binary) else { return Value::Poison };
        let (low, high, strict) = match binary.op {
            BinOp::Lt(_) => (left, right, true),
            BinOp::Le(_) => (left, right, false),
            BinOp::Gt(_) => (right, left, true),
            _ => (right, left, false),
        };
        let gap = low.add(-1.0, &high, &mut self.graph);
        Value::Truth(Condition::Below { gap, strict })
    }

    /// `a && b` or `a || b`.
    pub(super) fn both_or_either(&mut self, binary: &syn::ExprBinary, left: Value, right: Value) -> Value {
        let side = |value: Value| match value {
            Value::Truth(condition) => Some(Box::new(condition)),
            Value::Rust(expression) => Some(Box::new(Condition::Rust(expression))),
            _ => None,
        };
        match (side(left), side(right), &binary.op) {
            (Some(left), Some(right), BinOp::And(_)) => Value::Truth(Condition::And(left, right)),
            (Some(left), Some(right), _) => Value::Truth(Condition::Or(left, right)),
            _ => self.fail(error::coordinate_condition(binary)),
        }
    }

    /// The value that a condition on coordinates chooses from its two arms.
    fn selected(
        &mut self,
        condition: Condition,
        arms: Vec<(Value, TokenStream)>,
        place: &syn::ExprIf,
    ) -> Value {
        let Some(columns) = self.columns(arms) else { return Value::Poison };
        let asked = self.asked(condition);
        let mut forms = Vec::new();
        for column in columns {
            let [yes, no] = &column[..] else { return Value::Poison };
            match asked.choose(yes, no, self) {
                Ok(form) => forms.push(form),
                Err(what) => return self.fail(error::nonlinear_sum(&place.cond, what)),
            }
        }
        Value::of_components(forms)
    }

    fn asked(&mut self, condition: Condition) -> Asked {
        match condition {
            Condition::Rust(expression) => Asked::Choice(self.numbered(Question::If(expression))),
            Condition::Below { gap, strict } => Asked::Below { gap, strict },
            Condition::And(a, b) => Asked::And(Box::new(self.asked(*a)), Box::new(self.asked(*b))),
            Condition::Or(a, b) => Asked::Or(Box::new(self.asked(*a)), Box::new(self.asked(*b))),
            Condition::Not(inner) => Asked::Not(Box::new(self.asked(*inner))),
        }
    }

    fn numbered(&mut self, question: Question) -> Rc<Choice> {
        let number = self.choices;
        self.choices += 1;
        Rc::new(Choice::new(number, question))
    }

    /// A coordinate-free condition; binds the names of its patterns in `environment`.
    fn condition(&mut self, condition: &Expr, environment: &mut Environment) -> Option<Expr> {
        match condition {
            Expr::Let(binding) => {
                // A name would carry the value past its derivative.
                let as_taken = std::mem::take(&mut self.as_taken);
                let value = self.rust(&binding.expr, environment);
                self.as_taken = as_taken;
                let value = value?;
                let pattern = environment.bind_pattern(&binding.pat, &mut self.variables);
                let mut image = binding.clone();
                image.expr = Box::new(value);
                image.pat = Box::new(pattern);
                Some(Expr::Let(image))
            }
            Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
                let mut image = both.clone();
                image.left = Box::new(self.condition(&both.left, environment)?);
                image.right = Box::new(self.condition(&both.right, environment)?);
                Some(Expr::Binary(image))
            }
            other => self.rust(other, environment),
        }
    }

    pub(super) fn choice(&mut self, choice: &syn::ExprMatch, environment: &mut Environment) -> Value {
        let Some(scrutinee) = self.rust(&choice.expr, environment) else {
            return self.refuse(&choice.expr, environment, error::coordinate_match);
        };
        let (mut patterns, mut insides, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for arm in &choice.arms {
            let mut inside = environment.clone();
            let pattern = match &arm.pat {
                Pat::Guard(guarded) => {
                    let pattern = inside.bind_pattern(&guarded.pat, &mut self.variables);
                    let Some(guard) = self.rust(&guarded.guard, &inside) else {
                        return self.refuse(&guarded.guard, &inside, error::coordinate_match);
                    };
                    let mut image = guarded.clone();
                    image.pat = Box::new(pattern);
                    image.guard = Box::new(guard);
                    Pat::Guard(image)
                }
                pattern => inside.bind_pattern(pattern, &mut self.variables),
            };
            patterns.push(pattern);
            insides.push(inside);
        }
        let question = Question::Match(scrutinee, patterns);
        for (k, (arm, mut inside)) in choice.arms.iter().zip(insides).enumerate() {
            let open = Open::Answer(question.clone(), k);
            let value = self.within(open, |lowering| lowering.expression(&arm.body, &mut inside)).1;
            values.push((value, tail_of(&arm.body)));
        }
        self.chosen(question, values)
    }

    /// The value that a choice takes from its arms.
    fn chosen(&mut self, question: Question, arms: Vec<(Value, TokenStream)>) -> Value {
        let choice = self.numbered(question);
        let Some(columns) = self.columns(arms) else { return Value::Poison };
        Value::of_components(columns.into_iter().map(|arms| Form::Branch(choice.clone(), arms)).collect())
    }

    /// The components of all arms: for each component, one form an arm.
    fn columns(&mut self, arms: Vec<(Value, TokenStream)>) -> Option<Vec<Vec<Form>>> {
        let vector = arms.iter().find_map(|(value, _)| match value {
            Value::Vector(components) | Value::Matrix(components) => Some(components.len()),
            _ => None,
        });
        let shapes: Vec<&'static str> = arms.iter().map(|(value, _)| value.shape()).collect();
        let first = shapes.iter().copied().find(|shape| *shape != "?").unwrap_or("?");
        if let Some(at) = shapes.iter().position(|shape| *shape != "?" && *shape != first) {
            self.errors.push(error::branch_shapes(&arms[at].1, first, shapes[at]));
            return None;
        }
        let mut components: Vec<Vec<Form>> = vec![Vec::new(); vector.unwrap_or(1)];
        for (value, place) in arms {
            match value {
                Value::Poison => return None,
                Value::Vector(forms) | Value::Matrix(forms) if Some(forms.len()) == vector => {
                    for (column, form) in components.iter_mut().zip(forms) {
                        column.push(form);
                    }
                }
                value @ (Value::Scalar(_) | Value::Rust(_)) if vector.is_none() => {
                    let form = self.scalar(value, &place)?;
                    components[0].push(form);
                }
                other => {
                    self.errors.push(error::expected_shape(place, "Scalar", other.shape()));
                    return None;
                }
            }
        }
        Some(components)
    }
}

/// The last expression of a block: its value.
fn tail(block: &Block) -> TokenStream {
    match block.stmts.last() {
        Some(Stmt::Expr(expression, None)) => tail_of(expression),
        _ => block.to_token_stream(),
    }
}

/// The innermost last expression: the value of an expression.
fn tail_of(expression: &Expr) -> TokenStream {
    match expression {
        Expr::Block(block) => tail(&block.block),
        Expr::If(branch) => tail(&branch.then_branch),
        other => other.to_token_stream(),
    }
}
