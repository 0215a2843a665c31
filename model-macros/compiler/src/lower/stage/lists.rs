//! Sums over near pairs beside the Lagrangian: collectives, whose stages keep lists of neighbours.

use super::super::form::{Form, Loop, loops_of};
use super::super::{Equations, Lowering};
use super::domain::Open;
use crate::ast::Sort;
use crate::graph::is_time;
use std::rc::Rc;

impl Lowering<'_> {
    /// Equations with the images of their rows, inside of their loops.
    pub(in crate::lower) fn all_rows_by(
        &mut self,
        all: &[(Sort, Equations)],
        image: fn(&mut Self, &Form) -> Form,
    ) -> Vec<(Sort, Equations)> {
        all.iter().map(|(sort, rows)| (*sort, self.rows_by(rows, image))).collect()
    }

    /// The image of each row.
    fn rows_by(&mut self, equations: &Equations, image: fn(&mut Self, &Form) -> Form) -> Equations {
        match equations {
            Equations::Rows(rows) => Equations::Rows(rows.iter().map(|row| image(self, row)).collect()),
            Equations::List(parts) => {
                Equations::List(parts.iter().map(|part| self.rows_by(part, image)).collect())
            }
            Equations::Each(repeat, inner) => {
                let (repeat, inner) = self.inside(repeat, |lowering| lowering.rows_by(inner, image));
                Equations::Each(repeat, Box::new(inner))
            }
        }
    }

    /// Acts inside a loop; the loop has the name of its round, if `act` asked for it.
    pub(super) fn inside<R>(&mut self, repeat: &Rc<Loop>, act: impl FnOnce(&mut Self) -> R) -> (Rc<Loop>, R) {
        let (position, result) = self.within(Open::of(repeat), act);
        let image = Rc::new(Loop { position, ..(**repeat).clone() });
        self.keep_name(repeat, &image);
        (image, result)
    }

    /// A form with collectives in place of sums over near pairs.
    pub(in crate::lower) fn with_lists(&mut self, form: &Form) -> Form {
        self.hoisted_from(form, &|lowering, sum| lowering.has_list(sum)).unwrap_or_else(|| form.clone())
    }

    /// True if a term runs over near pairs of declared points without the time: a list serves it.
    fn has_list(&self, sum: &Form) -> bool {
        let components = |gather: usize| {
            let coordinate = self.gathers[gather].coordinate()?;
            Some(self.declaration.coordinates[coordinate].kind.components())
        };
        sum.terms(&self.graph).iter().any(|term| {
            let near = loops_of(&term.path).next_back().and_then(|innermost| innermost.near.as_ref());
            near.is_some_and(|near| {
                (0..2).all(|end| near.entry(end, &self.graph, components).is_some())
                    && !self.graph.mentions(term.node, is_time)
            })
        })
    }
}
