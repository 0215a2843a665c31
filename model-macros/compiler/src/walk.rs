//! Walks through the expressions in some syntax: one visitor reads them, and one changes them, since
//! each visitor is a copy of the whole walk.

use syn::Expr;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

/// Gives the outermost expressions in some syntax to a function.
pub(crate) struct Outermost<'f, 'ast>(pub(crate) &'f mut dyn FnMut(&'ast Expr));

impl<'ast> Visit<'ast> for Outermost<'_, 'ast> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        (self.0)(expression);
    }
}

/// Gives the expressions right inside of one to a function.
pub(crate) fn inside<'ast>(expression: &'ast Expr, work: &mut dyn FnMut(&'ast Expr)) {
    visit::visit_expr(&mut Outermost(work), expression);
}

/// Visits an expression and all that are in it, from the outside in.
pub(crate) fn each<'ast>(expression: &'ast Expr, note: &mut dyn FnMut(&'ast Expr)) {
    note(expression);
    inside(expression, &mut |inner| each(inner, note));
}

/// As [`Outermost`], to change expressions.
pub(crate) struct OutermostMut<'f>(pub(crate) &'f mut dyn FnMut(&mut Expr));

impl VisitMut for OutermostMut<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        (self.0)(expression);
    }
}

/// As [`inside`], to change expressions.
pub(crate) fn inside_mut(expression: &mut Expr, work: &mut dyn FnMut(&mut Expr)) {
    visit_mut::visit_expr_mut(&mut OutermostMut(work), expression);
}
