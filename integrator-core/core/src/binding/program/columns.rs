//! Programs on elements in columns.

use super::Program;
use super::block::Memory;
use super::registers::{Columns, Inputs};
use super::step::Source;
use crate::binding::line::COLUMN;
use crate::binding::work::InColumns;
use crate::lanes::form::{ColumnForm, InForm};
use least_action_kernel::Vector;
use std::slice::from_ref;

/// Elements in columns, with the memory of a program.
pub(super) struct ColumnSteps<'p, 'w, 'a> {
    pub(super) program: &'p Program,
    pub(super) work: &'w mut InColumns<'a>,
    pub(super) memory: &'p mut Memory,
}

impl InForm for ColumnSteps<'_, '_, '_> {
    #[inline(always)]
    fn run<L: ColumnForm>(self, form: L) {
        let Self { program, work, memory } = self;
        let (count, lanes) = (work.count, work.results.len() / form.all(work.results).len().max(1));
        let registers = form.all_mut(memory.of(program.registers * count * lanes));
        let inputs = ColumnReads { form, work, columns: form.all(work.columns).as_chunks().0 };
        let mut columns = Columns { form, count, registers, inputs };
        columns.carry_out(&program.steps);
        let Columns { registers, .. } = columns;
        let results = match &program.scalar {
            Some(scalar) if program.vector == Vector::None => from_ref(scalar),
            _ => &program.results[..program.first_number()],
        };
        let to = form.all_mut(work.results).as_chunks_mut::<COLUMN>().0;
        for (to, result) in to.iter_mut().zip(results) {
            to[..count].copy_from_slice(&registers[*result as usize * count..][..count]);
        }
    }
}

/// The columns that a program reads.
struct ColumnReads<'r, 'a, L: ColumnForm> {
    form: L,
    work: &'r InColumns<'a>,
    columns: &'r [[L::Stored; COLUMN]],
}

impl<L: ColumnForm> Inputs<L> for ColumnReads<'_, '_, L> {
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

impl<L: ColumnForm> ColumnReads<'_, '_, L> {
    #[inline(always)]
    fn column(&self, column: u32, to: &mut [L::Stored]) {
        to.copy_from_slice(&self.columns[column as usize][..to.len()]);
    }
}
