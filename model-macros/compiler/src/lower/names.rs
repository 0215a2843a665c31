//! Finds and renames free variables of passed-through Rust, which inlining would confuse.

use proc_macro2::{Group, TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Pat};

/// Calls `visit` on every identifier of `expression` that names an outer variable; it may replace it.
pub fn visit_free(expression: &mut Expr, visit: &mut dyn FnMut(&mut Ident)) {
    visit_free_inside(expression, &mut |name, _| visit(name));
}

/// [`visit_free`] with the names bound around each place in `expression`: they would capture a new name.
pub(crate) fn visit_free_inside(expression: &mut Expr, visit: &mut dyn FnMut(&mut Ident, &[Ident])) {
    Walker { bound: Vec::new(), visit }.visit_expr_mut(expression);
}

/// True if `test` holds for any free variable of `expression`.
pub fn any_free(expression: &Expr, mut test: impl FnMut(&Ident) -> bool) -> bool {
    let mut found = false;
    visit_free(&mut expression.clone(), &mut |name| found |= test(name));
    found
}

/// The single names of values in `expression`; names of called functions are no values.
pub(super) fn variables(expression: &Expr) -> Vec<Ident> {
    fn gather(expression: &Expr, found: &mut Vec<Ident>) {
        match expression {
            Expr::Path(path) => found.extend(path.path.get_ident().cloned()),
            Expr::Call(call) if matches!(&*call.func, Expr::Path(_)) => {
                call.args.iter().for_each(|argument| gather(argument, found));
            }
            _ => crate::walk::inside(expression, &mut |inner| gather(inner, found)),
        }
    }
    let mut found = Vec::new();
    gather(expression, &mut found);
    found
}

/// The names that a pattern binds, each once: the cases of `A(k) | B(k)` bind one.
pub fn bound_by(pattern: &Pat) -> Vec<Ident> {
    let mut names = Vec::new();
    rename_bound(&mut pattern.clone(), &mut |name| {
        if !names.contains(name) {
            names.push(name.clone());
        }
    });
    names
}

/// Calls `visit` on every name that a pattern binds; it may replace it.
pub(super) fn rename_bound(pattern: &mut Pat, visit: &mut dyn FnMut(&mut Ident)) {
    struct Binders<'a>(&'a mut dyn FnMut(&mut Ident));
    impl VisitMut for Binders<'_> {
        fn visit_pat_ident_mut(&mut self, pattern: &mut syn::PatIdent) {
            // A capitalized name without a subpattern is a constant or a variant: `None`.
            let constant = pattern.subpat.is_none()
                && pattern.ident.to_string().chars().next().is_some_and(char::is_uppercase);
            if !constant {
                (self.0)(&mut pattern.ident);
            }
            visit_mut::visit_pat_ident_mut(self, pattern);
        }
        fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
            // `Foo { x }` becomes `Foo { x: x }`, so that a new name does not change the field.
            if field.colon_token.is_none() && matches!(&*field.pat, Pat::Ident(_)) {
                field.colon_token = Some(syn::token::Colon::default());
            }
            visit_mut::visit_field_pat_mut(self, field);
        }
        fn visit_expr_mut(&mut self, _: &mut Expr) {}
    }
    Binders(visit).visit_pat_mut(pattern);
}

/// The names that a condition binds where it holds.
pub(super) fn bound_by_condition(condition: &Expr) -> Vec<Ident> {
    match condition {
        Expr::Let(binding) => bound_by(&binding.pat),
        Expr::Binary(both) => {
            [&both.left, &both.right].into_iter().flat_map(|side| bound_by_condition(side)).collect()
        }
        _ => Vec::new(),
    }
}

/// Replaces a name that has a new one.
pub(super) fn substitute_name(renamed: &BTreeMap<String, Ident>, name: &mut Ident) {
    if let Some(fresh) = renamed.get(&name.to_string()) {
        *name = fresh.clone();
    }
}

/// True if an expression mentions a name that has a new one.
pub(super) fn mentions(renamed: &BTreeMap<String, Ident>, expression: &Expr) -> bool {
    any_free(expression, |name| renamed.contains_key(&name.to_string()))
}

/// A pattern with the new names.
pub(super) fn with_bound_names(renamed: &BTreeMap<String, Ident>, pattern: &Pat) -> Pat {
    let mut pattern = pattern.clone();
    rename_bound(&mut pattern, &mut |name| substitute_name(renamed, name));
    pattern
}

/// An expression with the new names.
pub(super) fn with_names(renamed: &BTreeMap<String, Ident>, expression: &Expr) -> Expr {
    let mut expression = expression.clone();
    visit_free(&mut expression, &mut |name| substitute_name(renamed, name));
    expression
}

struct Walker<'a> {
    bound: Vec<Ident>,
    visit: &'a mut dyn FnMut(&mut Ident, &[Ident]),
}

impl Walker<'_> {
    fn scoped(&mut self, inside: impl FnOnce(&mut Self)) {
        let depth = self.bound.len();
        inside(self);
        self.bound.truncate(depth);
    }

    fn bind(&mut self, pattern: &Pat) {
        self.bound.extend(bound_by(pattern));
    }

    fn name(&mut self, name: &mut Ident) {
        if !self.bound.contains(name) {
            (self.visit)(name, &self.bound);
        }
    }

    /// The tokens of a macro; identifiers may be variables unless they follow a dot or belong to a path.
    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |place: Option<usize>, sign: char| {
            let tree = place.and_then(|place| trees.get(place));
            matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
        };
        let mut image = Vec::new();
        for (k, tree) in trees.iter().enumerate() {
            image.push(match tree {
                TokenTree::Ident(name) => {
                    let (last, before) = (k.checked_sub(1), k.checked_sub(2));
                    let member = is(last, '.') && !is(before, '.');
                    let path =
                        (is(last, ':') && is(before, ':')) || (is(Some(k + 1), ':') && is(Some(k + 2), ':'));
                    let mut name = name.clone();
                    if !member && !path {
                        self.name(&mut name);
                    }
                    TokenTree::Ident(name)
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    TokenTree::Group(inner)
                }
                other => other.clone(),
            });
        }
        image.into_iter().collect()
    }
}

impl VisitMut for Walker<'_> {
    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        if path.qself.is_none() && path.path.leading_colon.is_none() && path.path.segments.len() == 1 {
            let segment = &mut path.path.segments[0];
            if segment.arguments.is_none() {
                let mut name = segment.ident.clone();
                self.name(&mut name);
                segment.ident = name;
                return;
            }
        }
        visit_mut::visit_expr_path_mut(self, path);
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        // `Foo { x }` becomes `Foo { x: x }`, so that renaming the variable does not rename the field.
        if field.colon_token.is_none() {
            field.colon_token = Some(syn::token::Colon::default());
        }
        self.visit_expr_mut(&mut field.expr);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut syn::ExprClosure) {
        self.scoped(|walker| {
            for input in &closure.inputs {
                walker.bind(input);
            }
            walker.visit_expr_mut(&mut closure.body);
        });
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.scoped(|walker| visit_mut::visit_block_mut(walker, block));
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            self.visit_expr_mut(&mut init.expr);
            if let Some((_, diverge)) = &mut init.diverge {
                self.visit_expr_mut(diverge);
            }
        }
        self.bind(&local.pat);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scoped(|walker| {
            walker.bind(&arm.pat);
            walker.visit_pat_mut(&mut arm.pat);
            walker.visit_expr_mut(&mut arm.body);
        });
    }

    fn visit_expr_let_mut(&mut self, condition: &mut syn::ExprLet) {
        self.visit_expr_mut(&mut condition.expr);
        self.bind(&condition.pat);
    }

    fn visit_expr_if_mut(&mut self, branch: &mut syn::ExprIf) {
        self.scoped(|walker| {
            walker.visit_expr_mut(&mut branch.cond);
            walker.visit_block_mut(&mut branch.then_branch);
        });
        if let Some((_, otherwise)) = &mut branch.else_branch {
            self.visit_expr_mut(otherwise);
        }
    }

    fn visit_expr_while_mut(&mut self, repeat: &mut syn::ExprWhile) {
        self.scoped(|walker| visit_mut::visit_expr_while_mut(walker, repeat));
    }

    fn visit_expr_for_loop_mut(&mut self, repeat: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut repeat.expr);
        self.scoped(|walker| {
            walker.bind(&repeat.pat);
            walker.visit_block_mut(&mut repeat.body);
        });
    }

    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        invocation.tokens = self.tokens(std::mem::take(&mut invocation.tokens));
    }
}
