//! Programs on elements in columns.

use super::Program;
use super::block::{Columns, Inputs, Memory};
use super::step::{Source, execute};
use crate::binding::line::COLUMN;
use crate::binding::work::InColumns;
use crate::lanes::form::{InForm, NumberForm};
use least_action_kernel::Vector;

/// Elements in columns, with the memory of a program.
pub(super) struct ColumnSteps<'p, 'w, 'a> {
    pub(super) program: &'p Program,
    pub(super) work: &'w mut InColumns<'a>,
    pub(super) memory: &'p mut Memory,
}

impl InForm for ColumnSteps<'_, '_, '_> {
    #[inline(always)]
    fn run<L: NumberForm>(self, form: L) {
        let Self { program, work, memory } = self;
        let (count, inputs) = (work.count, program.shape.inputs.len());
        let lanes = work.results.len() / form.all(work.results).len().max(1);
        let (registers, found) = memory.of(program.registers * count * lanes, inputs * count * lanes);
        let (registers, found) = (form.all_mut(registers), form.all_mut(found));
        found.fill(form.stored(form.splat(0.0)));
        let reads = ColumnReads { form, work, columns: form.all(work.columns).as_chunks().0 };
        let mut columns = Columns { form, count, registers, results: found, inputs: reads, numbers: inputs };
        execute(&program.steps, &mut columns);
        let Columns { registers, results: found, .. } = columns;
        let scalar = program.scalar.map(|scalar| &registers[scalar as usize * count..]);
        let found = if program.vector == Vector::None { scalar.unwrap_or(found) } else { found };
        let results = form.all_mut(work.results).as_chunks_mut::<COLUMN>().0;
        for (to, found) in results.iter_mut().zip(found.chunks_exact(count.max(1))) {
            to[..count].copy_from_slice(found);
        }
    }
}

/// The columns that a program reads.
struct ColumnReads<'r, 'a, L: NumberForm> {
    form: L,
    work: &'r InColumns<'a>,
    columns: &'r [[L::Stored; COLUMN]],
}

impl<L: NumberForm> Inputs<L> for ColumnReads<'_, '_, L> {
    #[inline(always)]
    fn read(&self, source: Source, k: usize, to: &mut [L::Stored]) {
        let Self { form, work: InColumns { x, a, c, now, .. }, .. } = *self;
        let number = match source {
            Source::X => return self.column(x[k], to),
            Source::A => return self.column(a[k], to),
            Source::C => return self.column(c[k], to),
            Source::Time => now.instant.t,
            Source::Phase => now.instant.theta,
            Source::Signal => now.readings[k],
            // The weights of rows are applied to the results.
            Source::Weight => f64::NAN,
        };
        to.fill(form.stored(form.splat(number)));
    }
}

impl<L: NumberForm> ColumnReads<'_, '_, L> {
    #[inline(always)]
    fn column(&self, column: u32, to: &mut [L::Stored]) {
        to.copy_from_slice(&self.columns[column as usize][..to.len()]);
    }
}
