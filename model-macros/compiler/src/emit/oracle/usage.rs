//! The shapes of the parameters of closures, judged by their use.

use super::shape::Shape;
use syn::visit::{self, Visit};
use syn::{Expr, Ident};

/// The shape of a parameter that no call shows to depend on coordinates: an index if it stands in an
/// index or a range, a number if it is an operand of arithmetic, else for rustc to infer.
pub(super) fn use_of(name: &Ident, body: &Expr) -> Option<Shape> {
    struct Search<'a> {
        name: &'a Ident,
        counts: bool,
        index: bool,
        operand: bool,
    }

    impl Search<'_> {
        fn counting(&mut self, expression: &Expr) {
            let outer = std::mem::replace(&mut self.counts, true);
            self.visit_expr(expression);
            self.counts = outer;
        }
    }

    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_expr_index(&mut self, index: &'ast syn::ExprIndex) {
            self.visit_expr(&index.expr);
            self.counting(&index.index);
        }

        fn visit_expr_range(&mut self, range: &'ast syn::ExprRange) {
            range.start.iter().chain(&range.end).for_each(|bound| self.counting(bound));
        }

        fn visit_expr_cast(&mut self, cast: &'ast syn::ExprCast) {
            self.counting(&cast.expr);
        }

        fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
            let is_name = |side: &Expr| matches!(side, Expr::Path(path) if path.path.is_ident(self.name));
            self.operand |= !self.counts && (is_name(&binary.left) || is_name(&binary.right));
            visit::visit_expr_binary(self, binary);
        }

        fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
            self.index |= self.counts && path.path.is_ident(self.name);
        }
    }

    let mut search = Search { name, counts: false, index: false, operand: false };
    search.visit_expr(body);
    match (search.index, search.operand) {
        (true, _) => Some(Shape::Index),
        (false, true) => Some(Shape::Number),
        (false, false) => None,
    }
}
