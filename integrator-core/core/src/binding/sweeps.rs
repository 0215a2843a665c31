//! The elements of a family in registers, with the memory of their sweeps.

use super::columns::{Block, Blocks};
use super::kernel::{Executable, Kernel};
use super::layout::{Arranged, Filling};
use super::signals::Now;
use super::threads;
use super::work::{Arguments, Wide};
use crate::lanes::Aligned;
use crate::scratch::Scratch;
use crate::sparse::SymmetricPattern;
use std::ops::Range;

pub(super) struct Sweeps {
    arranged: Arranged,
    parts: Vec<Range<usize>>,
    memory: Scratch<Vec<SweepWorkspace>>,
}

/// The filling of the matrix of second derivatives from registers, with its memory.
#[derive(Debug)]
pub(super) struct FillingMemory {
    pub(super) filling: Box<dyn Filling>,
    memory: Scratch<(Aligned, Vec<f64>)>,
    /// The length of a column of numbers.
    length: usize,
}

impl Sweeps {
    pub(super) fn new(arranged: Arranged, kernel: &Kernel, length: usize) -> Self {
        let layout = &arranged.layout;
        let weights: Vec<usize> = layout.batches().iter().map(|batch| batch.elements).collect();
        let operations = weights.iter().sum::<usize>() * kernel.costs[1] as usize;
        // Several parts must not add to one sum.
        let of_sums = !layout.sums().is_empty();
        let parts = threads::cut(&weights, if of_sums { 1 } else { threads::parts(operations, length) });
        let (staged, count) = (layout.length(), parts.len());
        let listed =
            (0..layout.batches().len()).map(|batch| layout.listed_sums(batch).len()).max().unwrap_or(0);
        let sums = kernel.sums;
        let inputs = kernel.inputs.len();
        let shared: Vec<Block> = arranged.coefficients.iter().map(Block::of).collect();
        let memory =
            move || SweepWorkspace::new(staged, (listed, sums), Blocks::new(inputs, sums, shared.clone()));
        let memory = Scratch::new(move || (0..count).map(|_| memory()).collect());
        Self { arranged, parts, memory }
    }

    pub(super) fn filling(
        &self,
        kernel: &Kernel,
        pattern: &SymmetricPattern,
        filled: &[u8],
    ) -> FillingMemory {
        let layout = &self.arranged.layout;
        let filling = layout.filling(kernel, pattern, filled);
        let length = layout.batches().iter().map(|batch| batch.numbers).max().unwrap_or(0);
        let (numbers, memory) = (kernel.numbers * length, filling.length());
        let memory = Scratch::new(move || (Aligned::zeros(numbers), vec![0.0; memory]));
        FillingMemory { filling, memory, length }
    }

    /// Runs an operation over all batches: for a matrix one after the other, otherwise in parts.
    pub(super) fn run(
        &self,
        operation: &Executable,
        arguments: &mut Arguments<'_>,
        filling: Option<&FillingMemory>,
    ) -> f64 {
        let Arguments { x, a, now, ref mut vector, ref mut matrix, .. } = *arguments;
        let (Self { arranged, parts, memory }, batches) = (self, self.arranged.layout.batches());
        let vectors = !vector.is_empty();
        memory.with(|memories: &mut Vec<SweepWorkspace>| {
            if let Some(FillingMemory { filling, memory, length }) = filling {
                let part = &mut memories[0];
                return memory.with(|(numbers, bands)| {
                    bands.fill(0.0);
                    part.stage(arranged, x, a, vectors);
                    let (numbers, length) = (numbers.get_mut(), *length);
                    for (place, batch) in batches.iter().enumerate() {
                        let call = &mut Call { numbers, length, ..Call::of(operation, now, vectors) };
                        part.batch(arranged, place, batch.rows.clone(), call);
                        filling.add(arranged.registers, place, (numbers, length), bands, matrix);
                    }
                    filling.finish(bands, matrix);
                    part.unstage(arranged, vector)
                });
            }
            threads::side_by_side(parts, memories, &|part, memory| {
                memory.stage(arranged, x, a, vectors);
                memory.part(arranged, part, &mut Call::of(operation, now, vectors));
            });
            memories.iter().map(|memory| memory.unstage(arranged, vector)).sum()
        })
    }

    /// Runs an operation on elements of sums:
    /// scalars are added to the sums, vectors are weighted by them.
    pub(super) fn run_in_rows(&self, operation: &Executable, arguments: &mut Arguments<'_>) {
        let Self { arranged, parts, memory } = self;
        let Arguments { x, a, now, ref mut vector, ref mut values, weights, apart, .. } = *arguments;
        let mut call = Call { weights, values, apart, ..Call::of(operation, now, !vector.is_empty()) };
        let all = 0..arranged.layout.rows().0.len();
        memory.with(|memories: &mut Vec<SweepWorkspace>| {
            if let (true, [memory, ..]) = (arranged.layout.in_place(), &mut memories[..]) {
                call.run(arranged, all, (x, a), vector, &mut memory.blocks);
                return;
            }
            for (part, memory) in parts.iter().zip(memories) {
                memory.stage(arranged, x, a, call.vectors);
                memory.part(arranged, part.clone(), &mut call);
                memory.unstage(arranged, vector);
            }
        });
    }
}

/// An operation on some rows, with its arguments and results beside the vectors of the inputs.
struct Call<'c> {
    operation: &'c Executable,
    now: &'c Now<'c>,
    /// Whether it has a vector.
    vectors: bool,
    /// The numbers of the matrix, and the length of their columns.
    numbers: &'c mut [f64],
    length: usize,
    /// The weights of sums, and the sums.
    weights: &'c [f64],
    values: &'c mut [f64],
    /// The distance of the sums of an element.
    apart: usize,
}

impl<'c> Call<'c> {
    /// An operation without matrix and sums.
    fn of(operation: &'c Executable, now: &'c Now<'c>, vectors: bool) -> Self {
        Self { operation, now, vectors, numbers: &mut [], length: 0, weights: &[], values: &mut [], apart: 0 }
    }

    /// Computes these rows, for vectors in the order of the layout; returns the sum of the scalars.
    fn run(
        &mut self,
        Arranged { registers, layout, coefficients }: &Arranged,
        rows: Range<usize>,
        (x, a): (&[f64], &[f64]),
        vector: &mut [f64],
        blocks: &mut Blocks,
    ) -> f64 {
        let (all, lines) = layout.rows();
        let inputs = lines.len() / all.len().max(1);
        self.operation.run_wide(&mut Wide {
            registers: *registers,
            rows: &all[rows.clone()],
            lines: &lines[rows.start * inputs..rows.end * inputs],
            x,
            a,
            now: self.now,
            coefficients,
            sums: layout.sums().get(rows).unwrap_or_default(),
            apart: self.apart,
            weights: self.weights,
            values: self.values,
            vector,
            writes: layout.writes(),
            numbers: self.numbers,
            length: self.length,
            blocks,
        })
    }
}

/// The vectors that a part of a family reads, and its results.
#[derive(Debug)]
struct SweepWorkspace {
    x: Aligned,
    a: Aligned,
    vector: Aligned,
    /// The weights and the values of the sums of a batch, if its elements add to sums in any order.
    weights: Vec<f64>,
    values: Vec<f64>,
    /// The number of sums of an element.
    sums: usize,
    sum: f64,
    /// Whether there is a direction other than x.
    directed: bool,
    blocks: Blocks,
}

impl SweepWorkspace {
    fn new(length: usize, (listed, sums): (usize, usize), blocks: Blocks) -> Self {
        let zeros = || Aligned::zeros(length);
        let (weights, values) = (vec![0.0; sums * listed], vec![0.0; sums * listed]);
        let (x, a, vector) = (zeros(), zeros(), zeros());
        Self { x, a, vector, weights, values, sums, sum: 0.0, directed: false, blocks }
    }

    /// Begins a sweep: copies the vectors.
    fn stage(&mut self, arranged: &Arranged, x: &[f64], a: &[f64], vectors: bool) {
        let Arranged { registers, layout, .. } = arranged;
        layout.stage(*registers, x, self.x.get_mut());
        self.directed = !std::ptr::eq(a, x);
        if self.directed {
            layout.stage(*registers, a, self.a.get_mut());
        }
        if vectors {
            layout.clear(self.vector.get_mut());
        }
        self.sum = 0.0;
    }

    /// Computes a part of the batches.
    fn part(&mut self, arranged: &Arranged, part: Range<usize>, call: &mut Call<'_>) {
        let batches = arranged.layout.batches();
        if arranged.layout.gathers() {
            part.for_each(|batch| self.batch(arranged, batch, batches[batch].rows.clone(), call));
        } else if let (Some(first), Some(last)) = (batches.get(part.start), batches[part.clone()].last()) {
            // Without gathering, one call computes the rows of all batches.
            self.batch(arranged, part.start, first.rows.start..last.rows.end, call);
        }
    }

    /// Computes these rows of a batch.
    fn batch(&mut self, arranged: &Arranged, batch: usize, rows: Range<usize>, call: &mut Call<'_>) {
        let Arranged { registers, layout, .. } = arranged;
        layout.gather(*registers, batch, self.x.get_mut());
        if self.directed {
            layout.gather(*registers, batch, self.a.get_mut());
        }
        let Self { weights, values, sums, sum, blocks, .. } = self;
        let x = self.x.get();
        let a = if self.directed { self.a.get() } else { x };
        let vector = if call.vectors { self.vector.get_mut() } else { &mut [][..] };
        let listed = layout.listed_sums(batch);
        if listed.is_empty() {
            *sum += call.run(arranged, rows, (x, a), vector, blocks);
        } else {
            let apart = listed.len();
            let (weights, values) = (&mut weights[..*sums * apart], &mut values[..*sums * apart]);
            for (k, weights) in weights.chunks_exact_mut(apart).enumerate() {
                for (weight, row) in weights.iter_mut().zip(listed) {
                    *weight = call.weights.get(*row as usize + k * call.apart).copied().unwrap_or_default();
                }
            }
            values.fill(0.0);
            let mut columns = Call {
                weights,
                values: &mut *values,
                apart,
                ..Call::of(call.operation, call.now, call.vectors)
            };
            columns.run(arranged, rows, (x, a), vector, blocks);
            // An operation with weights adds nothing to sums.
            if !call.values.is_empty() {
                for (k, values) in values.chunks_exact(apart).enumerate() {
                    for (value, row) in values.iter().zip(listed) {
                        call.values[*row as usize + k * call.apart] += value;
                    }
                }
            }
        }
        if call.vectors {
            layout.scatter(*registers, batch, self.vector.get_mut());
        }
    }

    /// Ends a sweep: adds the results; returns the sum of the scalars.
    fn unstage(&self, arranged: &Arranged, vector: &mut [f64]) -> f64 {
        if !vector.is_empty() {
            arranged.layout.unstage(arranged.registers, self.vector.get(), vector);
        }
        self.sum
    }
}
