//! Partial sums.
//!
//! In `sum(a..e, |k| f(k))` one end of the range may depend on outer loops, but f not. Then each sum is
//! the one before and one item more, and all together cost as much as the longest. Row m of the stage
//! has the sum of the first m items; of the last m items, if the beginning of the range changes.

use super::super::Lowering;
use super::super::form::{Form, Loop, Step};
use super::domain::{Domain, Open, Place, free_names, names_within};
use super::products::is_near;
use super::{Rows, Stage};
use crate::graph::is_variable;
use quote::ToTokens;
use std::collections::BTreeSet;
use std::rc::Rc;
use syn::{Expr, Ident, Pat, RangeLimits};

/// The items of partial sums.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    /// The variable of an item.
    pub item: Ident,
    /// The fixed end of all ranges.
    pub start: Expr,
    /// True if the fixed end is the upper one.
    pub backwards: bool,
    /// True if ranges include their last number.
    pub closed: bool,
    /// The ranges that are read, under loops and choices inside the rows.
    pub ranges: Vec<(Vec<Step>, Expr)>,
}

impl Scan {
    /// The loop over the items of a range that is read. Items do not know the loops around the range.
    pub(crate) fn step(&self) -> Step {
        let (item, range) = (&self.item, self.ranges[0].1.clone());
        let repeat = Loop { pattern: syn::parse_quote!(#item), iterator: range, position: None, near: None };
        Step::Loop(Rc::new(repeat))
    }
}

impl Lowering<'_> {
    /// The sum of a form over the rounds of a loop, as a partial sum that is read in many lengths.
    pub(in crate::lower) fn partial_sum(&mut self, repeat: &Loop, form: &Form) -> Option<Form> {
        if repeat.near.is_some() || repeat.position.is_some() {
            return None;
        }
        let Pat::Ident(item) = &repeat.pattern else { return None };
        let iterator = crate::parse::bare(&repeat.iterator);
        let Expr::Range(range) = iterator else { return None };
        let (lower, upper) = (range.start.as_deref()?, range.end.as_deref()?);
        if form.is_stiff() || !self.mentions(form, is_variable) || self.has_angles(form) {
            return None;
        }
        let hoisted = self.out_of_items(repeat, form);
        let form = hoisted.as_ref().unwrap_or(form);
        let mut names = BTreeSet::new();
        self.names_of_form(form, &mut names);
        let mut inner = names_within(form);
        inner.insert(item.ident.to_string());
        let closed = matches!(range.limits, RangeLimits::Closed(_));
        [(lower, upper, false), (upper, lower, true)].into_iter().find_map(|(start, end, backwards)| {
            let mut of_rows = names.clone();
            free_names(start, &mut of_rows);
            let mut of_ranges = of_rows.clone();
            free_names(end, &mut of_ranges);
            let (rows, all) = (self.domain_of(of_rows, &inner), self.domain_of(of_ranges, &inner));
            let inner: BTreeSet<Place> = all.open.difference(&rows.open).copied().collect();
            let is_long = |place: &Place| self.loop_at(*place).is_some_and(|repeat| repeat.count().is_none());
            let is_around = |place: &Place| rows.open.iter().any(|row| row.0 == place.0);
            if rows.items != all.items || !inner.iter().any(is_long) || inner.iter().any(is_around) {
                return None;
            }
            let inner = Domain { open: inner, items: BTreeSet::new() };
            let Rows { path: steps, .. } = self.stage_rows(inner);
            let rows = self.stage_rows(rows);
            let ranges = vec![(steps, repeat.iterator.clone())];
            let (item, start) = (item.ident.clone(), start.clone());
            let scan = Some(Scan { item, start, backwards, closed, ranges });
            let (stage, mut indices) = self.stage_of(rows, form);
            let stage = self.add_stage(Stage { scan, ..stage });
            indices.push(repeat.iterator.clone());
            Some(Form::of(self.read_stage(stage, indices)))
        })
    }

    /// An item with collectives for sums over near pairs that are items of an array themselves: a
    /// partial sum runs over its own items, and a list of neighbours over all.
    fn out_of_items(&mut self, repeat: &Loop, form: &Form) -> Option<Form> {
        let innermost = self.open.len();
        let is_of_an_array = |lowering: &mut Self, sum: &Form| {
            let is_inner = |place: &Place| place.0 == innermost;
            is_near(sum) && {
                let (_, sum) = lowering.factored(sum);
                !lowering.domain(&sum).open.iter().any(is_inner)
            }
        };
        self.within(Open::of(repeat), |lowering| lowering.hoisted_from(form, &is_of_an_array)).1
    }

    /// Adds ranges that are read of a stage, and of its rates.
    pub(super) fn read_further(&mut self, stage: usize, ranges: &[(Vec<Step>, Expr)]) {
        let mut next = Some(stage);
        while let Some(stage) = next {
            if let Some(scan) = &mut self.stages[stage].scan {
                for range in ranges {
                    if !scan.ranges.iter().any(|known| spelled_range(known) == spelled_range(range)) {
                        scan.ranges.push(range.clone());
                    }
                }
            }
            next = self.rates_of_stages.get(&stage).copied().flatten();
        }
    }
}

/// A range with the loops and choices around it, as text.
pub(crate) fn spelled_range((steps, range): &(Vec<Step>, Expr)) -> String {
    let steps: Vec<String> = steps.iter().map(Step::spelled).collect();
    format!("{} {}", steps.join(" "), range.to_token_stream())
}
