//! Adds the results of the entries of a group to the sums of its points.

use super::plan::{Plan, Term};
use crate::binding::line::COLUMN;
use crate::lanes::Real;
use crate::lanes::form::{ColumnForm, InForm, NumberForm};

/// The results of elements that points add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sums {
    /// The scalar.
    Scalars,
    /// The vector, weighted.
    Vectors,
    /// The vector times the direction.
    Along,
}

/// The results of some entries, a column for each scalar, or for each input of each pass.
pub(super) struct Fold<'a> {
    pub(super) plan: &'a Plan,
    pub(super) sums: Sums,
    pub(super) count: usize,
    /// The square of the cutoff.
    pub(super) cutoff: f64,
    pub(super) block: &'a [f64],
    pub(super) found: &'a mut [f64],
    pub(super) results: &'a mut [f64],
}

impl InForm for Fold<'_> {
    #[inline(always)]
    fn run<L: ColumnForm>(self, form: L) {
        let Self { plan, sums, count, cutoff, block, found, results } = self;
        let (block, results) = (form.all(block).as_chunks().0, form.all_mut(results));
        let found = form.all_mut(found).as_chunks_mut().0;
        let adding = Adding { form, count: count.min(COLUMN), cutoff: form.splat(cutoff), block };
        if sums == Sums::Vectors {
            return adding.vectors(plan, found, results);
        }
        if sums == Sums::Along {
            adding.contract(&plan.passes[0].a, found);
        }
        adding.add([(plan.whole, [&found[0]])], results);
    }
}

type Column<L> = [<L as NumberForm>::Stored; COLUMN];

struct Adding<'b, L: ColumnForm> {
    form: L,
    count: usize,
    cutoff: L::Number,
    block: &'b [Column<L>],
}

impl<L: ColumnForm> Adding<'_, L> {
    /// Replaces the first of these vectors by their products with the direction.
    #[inline(always)]
    fn contract(&self, directions: &[u32], found: &mut [Column<L>]) {
        let form = self.form;
        for place in 0..self.count {
            let mut term = form.splat(0.0);
            for (value, direction) in found.iter().zip(directions) {
                let direction = form.number(self.block[*direction as usize][place]);
                term = form.number(value[place]).multiply_add(direction, term);
            }
            found[0][place] = form.stored(term);
        }
    }

    #[inline(always)]
    fn vectors(&self, plan: &Plan, found: &[Column<L>], mut results: &mut [L::Stored]) {
        let (mut terms, inputs) = (&plan.terms[..], plan.terms.len());
        while let Some(of_input) = terms.first() {
            let k = inputs - terms.len();
            let alike = terms.iter().take(3).filter(|other| *other == of_input).count();
            let of = |term: &Term, k: usize| &found[term.pass * inputs + k];
            let done = match of_input[..] {
                [term] if alike == 3 => {
                    self.add([(term, [of(&term, k), of(&term, k + 1), of(&term, k + 2)])], results);
                    3
                }
                [term] => {
                    self.add([(term, [of(&term, k)])], results);
                    1
                }
                [one, other, ..] => {
                    self.add([(one, [of(&one, k)]), (other, [of(&other, k)])], results);
                    1
                }
                [] => 1,
            };
            (terms, results) = (&terms[done..], &mut results[done..]);
        }
    }

    /// Adds N terms of each entry to each of K results.
    #[inline(always)]
    fn add<const N: usize, const K: usize>(
        &self,
        terms: [(Term, [&Column<L>; K]); N],
        results: &mut [L::Stored],
    ) {
        let (form, cutoff) = (self.form, self.cutoff);
        let Some(results) = results.first_chunk_mut::<K>() else { return };
        let mut sums = [form.splat(0.0); K];
        for k in 0..K {
            sums[k] = form.number(results[k]);
        }
        for place in 0..self.count.min(COLUMN) {
            for (Term { gate, weight, .. }, values) in &terms {
                let (gate, weight) = (&self.block[*gate as usize], &self.block[*weight as usize]);
                let (near, weight) = (form.number(gate[place]).lt(cutoff), form.number(weight[place]));
                for k in 0..K {
                    let added = weight.multiply_add(form.number(values[k][place]), sums[k]);
                    sums[k] = Real::select(near, added, sums[k]);
                }
            }
        }
        for k in 0..K {
            results[k] = form.stored(sums[k]);
        }
    }
}
