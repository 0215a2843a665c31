//! Questions about parameters, which the binding answers.

use super::names::{bound_by, bound_by_condition, mentions, with_bound_names, with_names};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::{Expr, Ident, Pat};

/// The question of a choice.
#[derive(Debug, Clone)]
pub enum Question {
    /// `if condition`: arm 0 is yes, arm 1 is no.
    If(Expr),
    /// `match scrutinee`: one arm for each pattern (with its guard).
    Match(Expr, Vec<Pat>),
}

impl Question {
    /// The expressions that it asks.
    pub fn asked(&self) -> Vec<&Expr> {
        match self {
            Self::If(condition) => vec![condition],
            Self::Match(scrutinee, patterns) => std::iter::once(scrutinee)
                .chain(patterns.iter().filter_map(|pattern| match pattern {
                    Pat::Guard(guarded) => Some(&*guarded.guard),
                    _ => None,
                }))
                .collect(),
        }
    }

    /// The names that its answers bind.
    pub(super) fn bound(&self) -> Vec<Ident> {
        match self {
            Self::If(condition) => bound_by_condition(condition),
            Self::Match(_, patterns) => patterns.iter().flat_map(bound_by).collect(),
        }
    }

    /// The names that an answer binds.
    pub fn bound_by(&self, arm: usize) -> Vec<Ident> {
        match self {
            Self::If(condition) if arm == 0 => bound_by_condition(condition),
            Self::If(_) => Vec::new(),
            Self::Match(_, patterns) => patterns.get(arm).map(bound_by).unwrap_or_default(),
        }
    }

    /// True if it mentions renamed variables, or binds them.
    pub(super) fn mentions(&self, renamed: &BTreeMap<String, Ident>) -> bool {
        let mentioned = match self {
            Self::If(condition) => mentions(renamed, condition),
            Self::Match(scrutinee, patterns) => {
                let guard = |pattern: &Pat| matches!(pattern, Pat::Guard(guarded) if mentions(renamed, &guarded.guard));
                mentions(renamed, scrutinee) || patterns.iter().any(guard)
            }
        };
        mentioned || self.bound().iter().any(|name| renamed.contains_key(&name.to_string()))
    }

    /// The question with variables renamed.
    pub(super) fn renamed(&self, renamed: &BTreeMap<String, Ident>) -> Self {
        match self {
            Self::If(condition) => Self::If(renamed_condition(renamed, condition)),
            Self::Match(scrutinee, patterns) => Self::Match(
                with_names(renamed, scrutinee),
                patterns.iter().map(|pattern| renamed_arm(renamed, pattern)).collect(),
            ),
        }
    }

    /// The question as text.
    pub fn spelled(&self) -> String {
        match self {
            Self::If(condition) => condition.to_token_stream().to_string(),
            Self::Match(scrutinee, patterns) => quote::quote!(#scrutinee { #(#patterns),* }).to_string(),
        }
    }
}

fn renamed_condition(renamed: &BTreeMap<String, Ident>, condition: &Expr) -> Expr {
    match condition {
        Expr::Let(binding) => {
            let mut image = binding.clone();
            image.expr = Box::new(with_names(renamed, &binding.expr));
            image.pat = Box::new(with_bound_names(renamed, &binding.pat));
            Expr::Let(image)
        }
        Expr::Binary(both) if matches!(both.op, syn::BinOp::And(_)) => {
            let mut image = both.clone();
            image.left = Box::new(renamed_condition(renamed, &both.left));
            image.right = Box::new(renamed_condition(renamed, &both.right));
            Expr::Binary(image)
        }
        other => with_names(renamed, other),
    }
}

fn renamed_arm(renamed: &BTreeMap<String, Ident>, pattern: &Pat) -> Pat {
    let mut image = with_bound_names(renamed, pattern);
    if let Pat::Guard(guarded) = &mut image {
        *guarded.guard = with_names(renamed, &guarded.guard);
    }
    image
}
