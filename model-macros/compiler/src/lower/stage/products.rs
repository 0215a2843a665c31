//! Products of sums, multiplied out or of collectives; and sums in loops on which they do not depend.

use super::super::Lowering;
use super::super::form::{Form, Leaf as FormLeaf, Scope, count, loops_of};
use super::domain::Open;
use crate::graph::Size;
use crate::graph::is_velocity;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The rounds of a loop of unknown length, to weigh the cost of a product.
const ROUNDS: usize = 32;

/// The operations of a collective besides its sum: a write, reads, and a weight.
const OF_A_ROW: usize = 8;

/// The cost above the factors up to which products are still multiplied out.
const LITTLE: usize = 20;

/// The most terms of a product of choices that is multiplied out.
const MOST_PRODUCTS: usize = 100;

/// The most operations that multiplying out may copy into further terms.
const MOST_COPIED: usize = 256;

impl Lowering<'_> {
    /// a · b, multiplied out only if that costs little more than each sum alone; a sum that meets itself
    /// gets new variables.
    pub(in crate::lower) fn multiply(&mut self, a: &Form, b: &Form) -> Form {
        self.note_doubled(a, b);
        let [a, b] = [a, b].map(|form| self.placed(form));
        let (a, b) = (&*a, &*b);
        let (left, right) = (a.loops(), b.loops());
        let images = match (left.is_empty(), right.is_empty()) {
            (false, false) if !self.multiplies_out(a, b) => self.all_without_sums(&[a, b]).ok(),
            (false, true) => self.hoisted(a, b).map(|a| vec![a, b.clone()]),
            (true, false) => self.hoisted(b, a).map(|b| vec![a.clone(), b]),
            (true, true) if self.products(a, b) > MOST_PRODUCTS => self.all_collective(&[a, b]),
            _ => None,
        };
        let images = images.or_else(|| self.copied_once(a, b));
        if let Some([a, b]) = images.as_deref() {
            return a.multiply(b, &mut self.graph);
        }
        if left.iter().any(|one| right.iter().any(|other| Rc::ptr_eq(one, other))) {
            let b = self.refresh(b, &right);
            return a.multiply(&b, &mut self.graph);
        }
        a.multiply(b, &mut self.graph)
    }

    /// The form with collectives for its sums over one item, which are written to find a number once.
    fn placed<'f>(&mut self, form: &'f Form) -> Cow<'f, Form> {
        let is_place = |sum: &Form| sum.loops().first().is_some_and(|repeat| repeat.only_item().is_some());
        self.hoisted_from(form, &|_, sum| is_place(sum)).map_or(Cow::Borrowed(form), Cow::Owned)
    }

    /// The factors of a product; a collective stands for one whose terms would copy a large other one.
    fn copied_once(&mut self, a: &Form, b: &Form) -> Option<Vec<Form>> {
        let is_copied = [(a, b), (b, a)].map(|(form, other)| {
            let copies = form.size(&self.graph).0.saturating_sub(1);
            copies > 0 && copies * self.operations(other) > MOST_COPIED
        });
        if is_copied == [false, false] || self.mentions(a, is_velocity) || self.mentions(b, is_velocity) {
            return None;
        }
        let mut images = Vec::new();
        for (form, is_copied) in [a, b].into_iter().zip(is_copied) {
            images.extend(if is_copied { self.all_collective(&[form])? } else { vec![form.clone()] });
        }
        Some(images)
    }

    /// The operations of all terms of a form, each once.
    fn operations(&self, form: &Form) -> usize {
        form.terms(&self.graph).iter().map(|term| Size::of(&self.graph, term.node).operations).sum()
    }

    /// The number of terms of a product of choices.
    fn products(&self, a: &Form, b: &Form) -> usize {
        let [a, b] = [a, b].map(|form| form.size(&self.graph).0);
        if a > 1 && b > 1 { a * b } else { 0 }
    }

    fn all_collective(&mut self, forms: &[&Form]) -> Option<Vec<Form>> {
        if forms.iter().any(|form| form.is_stiff()) {
            return None;
        }
        forms.iter().map(|form| self.collective(form).ok().map(Form::of)).collect()
    }

    /// True if multiplying out a product of sums costs little more than evaluating its factors.
    fn multiplies_out(&self, a: &Form, b: &Form) -> bool {
        if a.is_stiff() || b.is_stiff() {
            return true;
        }
        let (left, right) = (self.costs(a), self.costs(b));
        if left.literal.zip(right.literal).is_none() {
            return false;
        }
        let mut out = 0;
        for &(count, operations) in &left.terms {
            for &(other, more) in &right.terms {
                out += count * other * (operations + more + 1);
            }
        }
        let single =
            |costs: &Costs| costs.terms.iter().map(|(count, operations)| count * operations).sum::<usize>();
        out <= single(&left) + single(&right) + 2 * OF_A_ROW + LITTLE
    }

    /// True if the powers of a form are products of sums, rather than powers of their values.
    pub(in crate::lower) fn is_product_of_sums(&mut self, form: &Form) -> bool {
        Form::nonlinear_of(&[form], &mut self.graph, &|_, nodes| nodes[0]).is_err()
            && self.multiplies_out(form, form)
    }

    fn costs(&self, form: &Form) -> Costs {
        let mut costs = Costs { terms: Vec::new(), literal: Some(()) };
        for term in form.terms(&self.graph) {
            let mut count = 1;
            for repeat in loops_of(&term.path) {
                count *= repeat.count().unwrap_or_else(|| {
                    costs.literal = None;
                    ROUNDS
                });
            }
            costs.terms.push((count, Size::of(&self.graph, term.node).operations.max(1)));
        }
        costs
    }

    /// Sums with collectives for inner sums that do not depend on an open loop of `factor`: with the
    /// factor inside, each round would evaluate them again. `None` without such a sum.
    fn hoisted(&mut self, sums: &Form, factor: &Form) -> Option<Form> {
        if let Some(image) = self.out_of_near(sums) {
            return Some(image);
        }
        if !self.open.iter().any(|open| matches!(open, Open::Loop { .. })) {
            return None;
        }
        let of_factor = self.loops_of(factor);
        if of_factor.is_empty() {
            return None;
        }
        self.hoisted_from(sums, &|lowering, sum| lowering.is_worth_hoisting(sum, &of_factor))
    }

    /// Sums with collectives for sums over near pairs inside another one: a loop over near pairs meets
    /// each pair once.
    fn out_of_near(&mut self, sums: &Form) -> Option<Form> {
        if !self.open_near || !is_near(sums) {
            return None;
        }
        self.hoisted_from(sums, &|_, sum| is_near(sum))
    }

    /// The form with collectives in place of the sums that go.
    pub(super) fn hoisted_from(
        &mut self,
        form: &Form,
        goes: &dyn Fn(&mut Self, &Form) -> bool,
    ) -> Option<Form> {
        match form {
            Form::Branch(choice, arms) => {
                let mut images = Vec::new();
                let mut any = false;
                for (k, arm) in arms.iter().enumerate() {
                    let open = Open::Answer(choice.question.clone(), k);
                    let image = self.within(open, |lowering| lowering.hoisted_from(arm, goes)).1;
                    any |= image.is_some();
                    images.push(image.unwrap_or_else(|| arm.clone()));
                }
                any.then(|| Form::Branch(choice.clone(), images))
            }
            Form::Leaf(leaf) => {
                let (mut stay, mut go) = (Vec::new(), Vec::new());
                for (scope, body) in &leaf.sums {
                    let alone = Form::under(scope.clone(), body.clone(), &mut self.graph);
                    let is_loop = matches!(scope, Scope::Loop(_)) && !alone.is_stiff();
                    if is_loop && goes(self, &alone) {
                        go.push((scope.clone(), body.clone()));
                    } else {
                        stay.push((scope.clone(), body.clone()));
                    }
                }
                if go.is_empty() {
                    return None;
                }
                let zero = self.graph.zero();
                let image = self.without_sums(&Form::Leaf(FormLeaf { node: zero, sums: go })).ok()?;
                let node = self.graph.add(leaf.node, image.plain()?);
                Some(Form::Leaf(FormLeaf { node, sums: stay }))
            }
        }
    }

    fn is_worth_hoisting(&self, sum: &Form, loops: &BTreeSet<usize>) -> bool {
        let own = self.loops_of(sum);
        let mut rounds = 1_usize;
        for &place in loops.difference(&own) {
            if let Open::Loop { iterator, .. } = &self.open[place] {
                rounds = rounds.saturating_mul(count(iterator).unwrap_or(ROUNDS));
            }
        }
        let single: usize = self.costs(sum).terms.iter().map(|(count, operations)| count * operations).sum();
        rounds > 1 && rounds.saturating_mul(single) > rounds + single + OF_A_ROW + LITTLE
    }

    /// The body of a closing loop, with collectives for sums that do not depend on the loop.
    pub(in crate::lower) fn hoisted_out(&mut self, form: &Form) -> Option<Form> {
        let innermost = self.open.len().checked_sub(1)?;
        if let Some(image) = self.out_of_near(form) {
            return Some(self.hoisted_out(&image).unwrap_or(image));
        }
        let innermost = BTreeSet::from([innermost]);
        self.hoisted_from(form, &|lowering, sum| lowering.is_worth_hoisting(sum, &innermost))
    }
}

/// True for a form with sums over near pairs.
pub(super) fn is_near(form: &Form) -> bool {
    form.loops().iter().any(|repeat| repeat.near.is_some())
}

/// The cost of the terms of a form.
struct Costs {
    /// For each term, the number of its evaluations and its operations.
    terms: Vec<(usize, usize)>,
    /// `Some` if the declaration gives these numbers.
    literal: Option<()>,
}
