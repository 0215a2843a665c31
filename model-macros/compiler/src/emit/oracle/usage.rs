//! The shapes of the parameters of closures, judged by their use.

use super::shape::Shape;
use crate::walk::inside;
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
            self.look(expression);
            self.counts = outer;
        }

        fn look(&mut self, expression: &Expr) {
            let is_name = |side: &Expr| matches!(side, Expr::Path(path) if path.path.is_ident(self.name));
            match expression {
                Expr::Index(index) => {
                    self.look(&index.expr);
                    self.counting(&index.index);
                }
                Expr::Range(range) => {
                    range.start.iter().chain(&range.end).for_each(|bound| self.counting(bound));
                }
                Expr::Cast(cast) => self.counting(&cast.expr),
                Expr::Path(_) => self.index |= self.counts && is_name(expression),
                Expr::Binary(binary) => {
                    self.operand |= !self.counts && (is_name(&binary.left) || is_name(&binary.right));
                    inside(expression, &mut |inner| self.look(inner));
                }
                _ => inside(expression, &mut |inner| self.look(inner)),
            }
        }
    }

    let mut search = Search { name, counts: false, index: false, operand: false };
    search.look(body);
    match (search.index, search.operand) {
        (true, _) => Some(Shape::Index),
        (false, true) => Some(Shape::Number),
        (false, false) => None,
    }
}
