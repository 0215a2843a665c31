//! Sums over near pairs beside the Lagrangian: collectives, whose stages keep lists of neighbours.

use super::super::form::{Form, Loop, loops_of};
use super::super::{Equations, Lowering};
use super::domain::Open;
use crate::graph::is_time;
use std::rc::Rc;

impl Lowering<'_> {
    /// Equations with collectives in place of sums over near pairs.
    pub(in crate::lower) fn rows_with_lists(&mut self, equations: &Equations) -> Equations {
        match equations {
            Equations::Rows(rows) => Equations::Rows(rows.iter().map(|row| self.with_lists(row)).collect()),
            Equations::List(parts) => {
                Equations::List(parts.iter().map(|part| self.rows_with_lists(part)).collect())
            }
            Equations::Each(repeat, inner) => {
                let open = Open::of(repeat);
                let (position, inner) = self.within(open, |lowering| lowering.rows_with_lists(inner));
                Equations::Each(Rc::new(Loop { position, ..(**repeat).clone() }), Box::new(inner))
            }
        }
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
