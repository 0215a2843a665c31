//! `if` and `match`: choices that are made when the model is bound.

use super::environment::Environment;
use super::form::{Choice, Form, Question};
use super::{Lowering, Value};
use crate::error;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::rc::Rc;
use syn::{BinOp, Block, Expr, Pat, Stmt};

impl Lowering<'_> {
    pub(super) fn branch(&mut self, branch: &syn::ExprIf, environment: &mut Environment) -> Value {
        let mut inside = environment.clone();
        let condition = self.condition(&branch.cond, &mut inside);
        if condition.is_none() {
            self.refuse(&branch.cond, environment, error::coordinate_condition);
        }
        let yes = self.block(&branch.then_branch, &mut inside);
        let Some((_, otherwise)) = &branch.else_branch else {
            let (keyword, condition) = (&branch.if_token, &branch.cond);
            return self.fail(error::missing_else(quote::quote!(#keyword #condition)));
        };
        let no = self.expression(otherwise, environment);
        let Some(condition) = condition else { return Value::Poison };
        let arms = vec![(yes, tail(&branch.then_branch)), (no, tail_of(otherwise))];
        self.chosen(Question::If(condition), arms)
    }

    /// A coordinate-free condition; what its patterns bind is bound in `environment`.
    fn condition(&mut self, condition: &Expr, environment: &mut Environment) -> Option<Expr> {
        match condition {
            Expr::Let(binding) => {
                let value = self.rust(&binding.expr, environment)?;
                let pattern = self.variables.bind_pattern(&binding.pat, environment);
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
            return self.refuse(&choice.expr, environment, error::coordinate_condition);
        };
        let (mut patterns, mut values) = (Vec::new(), Vec::new());
        for arm in &choice.arms {
            let mut inside = environment.clone();
            let pattern = match &arm.pat {
                Pat::Guard(guarded) => {
                    let pattern = self.variables.bind_pattern(&guarded.pat, &mut inside);
                    let Some(guard) = self.rust(&guarded.guard, &inside) else {
                        return self.refuse(&guarded.guard, &inside, error::coordinate_condition);
                    };
                    let mut image = guarded.clone();
                    image.pat = Box::new(pattern);
                    image.guard = Box::new(guard);
                    Pat::Guard(image)
                }
                pattern => self.variables.bind_pattern(pattern, &mut inside),
            };
            patterns.push(pattern);
            values.push((self.expression(&arm.body, &mut inside), tail_of(&arm.body)));
        }
        self.chosen(Question::Match(scrutinee, patterns), values)
    }

    /// The value that a choice makes of its arms.
    fn chosen(&mut self, question: Question, arms: Vec<(Value, TokenStream)>) -> Value {
        let number = self.choices;
        self.choices += 1;
        let choice = Rc::new(Choice { number, question });
        let vector = arms.iter().find_map(|(value, _)| match value {
            Value::Vector(components) => Some(components.len()),
            _ => None,
        });
        let shapes: Vec<&'static str> = arms.iter().map(|(value, _)| value.shape()).collect();
        let first = shapes.iter().copied().find(|shape| *shape != "?").unwrap_or("?");
        if let Some(at) = shapes.iter().position(|shape| *shape != "?" && *shape != first) {
            return self.fail(error::branch_shapes(&arms[at].1, first, shapes[at]));
        }
        let mut components: Vec<Vec<Form>> = vec![Vec::new(); vector.unwrap_or(1)];
        for (value, place) in arms {
            match value {
                Value::Poison => return Value::Poison,
                Value::Vector(forms) if Some(forms.len()) == vector => {
                    for (column, form) in components.iter_mut().zip(forms) {
                        column.push(form);
                    }
                }
                value @ (Value::Scalar(_) | Value::Rust(_)) if vector.is_none() => {
                    let Some(form) = self.scalar(value, &place) else { return Value::Poison };
                    components[0].push(form);
                }
                other => return self.fail(error::expected_shape(place, "Scalar", other.shape())),
            }
        }
        let mut forms: Vec<Form> =
            components.into_iter().map(|arms| Form::Branch(choice.clone(), arms)).collect();
        if vector.is_some() { Value::Vector(forms) } else { Value::Scalar(forms.swap_remove(0)) }
    }
}

/// What gives a block its value.
fn tail(block: &Block) -> TokenStream {
    match block.stmts.last() {
        Some(Stmt::Expr(expression, None)) => tail_of(expression),
        _ => block.to_token_stream(),
    }
}

/// What gives an expression its value.
fn tail_of(expression: &Expr) -> TokenStream {
    match expression {
        Expr::Block(block) => tail(&block.block),
        Expr::If(branch) => tail(&branch.then_branch),
        other => other.to_token_stream(),
    }
}
