//! General sparse symmetric matrices: L D Lᵀ in dense
//! [panels](Panels), in the order of approximate minimum degree.
//!
//! Nets and solids under implicit methods and penalties use it: their bands are wide.
//!
//! The symbolic part is done once; numeric factorizations
//! and solves write into memory allocated with it.
//! Each panel takes from its own columns the products of all
//! earlier panels whose rows meet them, and is then eliminated.
//! Every value is a sum in one order of its own, whose products are rounded before they are added.
//! So registers of any width, and none, give equal bits.

use super::kernel::{Elimination, Entries, Factor, FactorError, Factored, largest_magnitude};
use super::panels::{ALIGNMENT, Panel, Panels};
use crate::lanes::{Registers, Width};
use crate::sparse::pattern::SymmetricPattern;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// The factors L and D of a general sparse symmetric matrix.
#[derive(Debug)]
pub struct General {
    panels: Panels,
    /// Where each entry of the matrix stands among the factors.
    positions: Vec<usize>,
    /// L below the diagonal of each panel, with D on it.
    factors: Vec<f64>,
    scratch: EliminationScratch,
    /// A right-hand side in the order of elimination, and the part of it that a panel meets.
    x: Vec<f64>,
    met: Vec<f64>,
    registers: Option<Registers>,
}

/// The memory of an elimination.
#[derive(Debug)]
struct EliminationScratch {
    /// The first panel that is to be taken from each panel, and the one after each.
    first: Vec<u32>,
    next: Vec<u32>,
    /// The first row of each panel that was not met yet.
    met: Vec<u32>,
    /// Where each row stands in a column of the panel in the making.
    places: Vec<u32>,
    /// Likewise, for the rows of a panel that is taken from it.
    targets: Vec<u32>,
    /// Rows of L times D, [`COLUMNS`] at a time.
    scaled: Vec<[f64; COLUMNS]>,
}

const NONE: u32 = u32::MAX;
/// Rows and columns of products that are added up in registers.
const ROWS: usize = 8;
const COLUMNS: usize = 4;

impl General {
    /// Orders the unknowns and allocates; `None` when memory is short.
    pub fn new(pattern: &SymmetricPattern) -> Option<Self> {
        let panels = Panels::new(pattern)?;
        let mut factors = Vec::new();
        factors.try_reserve_exact(panels.size).ok()?;
        factors.resize(panels.size, 0.0);
        let (dimension, count) = (pattern.dimension(), panels.all.len());
        let tallest = panels.all.iter().map(Panel::stride).max().unwrap_or(0);
        let widest = panels.all.iter().map(|panel| panel.width).max().unwrap_or(0);
        Some(Self {
            positions: panels.positions(pattern),
            factors,
            scratch: EliminationScratch {
                first: vec![NONE; count],
                next: vec![NONE; count],
                met: vec![0; count],
                places: vec![0; dimension],
                targets: vec![0; tallest],
                scaled: vec![[0.0; COLUMNS]; widest * widest.div_ceil(COLUMNS)],
            },
            x: vec![0.0; dimension],
            met: vec![0.0; tallest],
            panels,
            registers: Width::widest().registers(),
        })
    }

    /// Computes in registers of a width: any of them, and none, gives equal bits.
    #[must_use]
    pub fn with_width(mut self, width: Width) -> Self {
        self.registers = width.registers();
        self
    }

    /// Each pivot beside the diagonal entry and the entries below it in the column of its unknown.
    fn check_pivots(&self, entries: &Entries<'_>) -> Factored {
        let Entries { pattern, lower, .. } = entries;
        for panel in &self.panels.all {
            for column in 0..panel.width {
                let index = self.panels.order[panel.first + column] as usize;
                let own = &lower[pattern.starts()[index]..pattern.starts()[index + 1]];
                let pivot = self.factors[panel.values + column * (panel.stride() + 1)];
                if !entries.acceptable(pivot, largest_magnitude(own)) {
                    return Err(FactorError { pivot, index });
                }
            }
        }
        Ok(())
    }
}

impl Factor for General {
    fn factor(&mut self, entries: &Entries<'_>) -> Factored {
        let Entries { pattern, lower, .. } = entries;
        if let Some(position) = lower.iter().position(|value| !value.is_finite()) {
            let index = pattern.rows()[position] as usize;
            return Err(FactorError { pivot: lower[position], index });
        }
        let Self { panels, positions, factors, scratch, registers, .. } = self;
        factors.fill(0.0);
        for (&position, &value) in positions.iter().zip(*lower) {
            factors[position] = value;
        }
        let elimination = EliminatePanels { panels, factors, scratch };
        let outcome = match registers {
            Some(registers) => registers.run(elimination),
            None => elimination.with_simd(pulp::Scalar),
        };
        if let Err((place, pivot)) = outcome {
            return Err(FactorError { pivot, index: self.panels.order[place] as usize });
        }
        self.check_pivots(entries)
    }

    fn solve(&mut self, x: &mut [f64]) {
        let Self { panels, factors, x: ordered, met, .. } = self;
        for (value, &unknown) in ordered.iter_mut().zip(&panels.order) {
            *value = x[unknown as usize];
        }
        for panel in &panels.all {
            substitute(panel, panels.rows(panel), &factors[panel.values..], ordered, met);
        }
        for panel in panels.all.iter().rev() {
            substitute_back(panel, panels.rows(panel), &factors[panel.values..], ordered, met);
        }
        for (value, &unknown) in ordered.iter().zip(&panels.order) {
            x[unknown as usize] = *value;
        }
    }

    fn elimination(&self) -> Elimination {
        Elimination::General
    }
}

/// x ← L⁻¹ x for the columns of a panel.
fn substitute(panel: &Panel, rows: &[u32], factors: &[f64], x: &mut [f64], met: &mut [f64]) {
    let (known, below) = met[..panel.width + rows.len()].split_at_mut(panel.width);
    known.copy_from_slice(&x[panel.first..panel.end()]);
    for (value, row) in below.iter_mut().zip(rows) {
        *value = x[*row as usize];
    }
    for (column, factors) in factors.chunks_exact(panel.stride()).take(panel.width).enumerate() {
        let (known, others) = met[column..panel.width + rows.len()].split_at_mut(1);
        for (other, factor) in others.iter_mut().zip(&factors[column + 1..]) {
            *other -= factor * known[0];
        }
    }
    x[panel.first..panel.end()].copy_from_slice(&met[..panel.width]);
    for (value, row) in met[panel.width..].iter().zip(rows) {
        x[*row as usize] = *value;
    }
}

/// x ← L⁻ᵀ D⁻¹ x for the columns of a panel.
fn substitute_back(panel: &Panel, rows: &[u32], factors: &[f64], x: &mut [f64], met: &mut [f64]) {
    let met = &mut met[..panel.width + rows.len()];
    for (value, row) in met[panel.width..].iter_mut().zip(rows) {
        *value = x[*row as usize];
    }
    for column in (0..panel.width).rev() {
        let factors = &factors[column * panel.stride()..(column + 1) * panel.stride()];
        let value =
            x[panel.first + column] / factors[column] - dot(&factors[column + 1..], &met[column + 1..]);
        met[column] = value;
        x[panel.first + column] = value;
    }
}

/// The sum of products, several side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (&a[..b.len()], b);
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<ROWS>(), b.as_chunks::<ROWS>());
    let mut sums = [0.0; ROWS];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..ROWS {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

struct EliminatePanels<'a> {
    panels: &'a Panels,
    factors: &'a mut [f64],
    scratch: &'a mut EliminationScratch,
}

impl WithSimd for EliminatePanels<'_> {
    /// The place of a pivot that cannot be divided by, and the pivot.
    type Output = Result<(), (usize, f64)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _registers: S) -> Self::Output {
        let Self { panels, factors, scratch } = self;
        scratch.first.fill(NONE);
        for (number, panel) in panels.all.iter().enumerate() {
            let (earlier, values) = factors.split_at_mut(panel.values);
            let values = &mut values[..panel.width * panel.stride()];
            let columns = panel.first as u32..panel.end() as u32;
            for (place, row) in columns.chain(panels.rows(panel).iter().copied()).enumerate() {
                scratch.places[row as usize] = place as u32;
            }
            let mut taken = scratch.first[number];
            while taken != NONE {
                let other = &panels.all[taken as usize];
                let rows = panels.rows(other);
                let met = scratch.met[taken as usize] as usize;
                let here = rows[met..].partition_point(|row| (*row as usize) < panel.end());
                let factors = &earlier[other.values..other.values + other.width * other.stride()];
                take((panel, values), (other, factors), (rows, met, here), scratch);
                let after = scratch.next[taken as usize];
                scratch.wait(panels, taken, met + here);
                taken = after;
            }
            eliminate(panel, values, &mut scratch.scaled)?;
            scratch.wait(panels, number as u32, 0);
        }
        Ok(())
    }
}

impl EliminationScratch {
    /// Puts a panel, some of whose rows were met, into the list of panels for the panel of its next row.
    fn wait(&mut self, panels: &Panels, number: u32, met: usize) {
        self.met[number as usize] = met as u32;
        if let Some(row) = panels.rows(&panels.all[number as usize]).get(met) {
            let first = &mut self.first[panels.of[*row as usize] as usize];
            self.next[number as usize] = std::mem::replace(first, number);
        }
    }
}

/// Takes the products of another panel's rows that are not met yet with the first `here` of them.
/// These are columns of this panel.
#[inline(always)]
fn take(
    (panel, values): (&Panel, &mut [f64]),
    (other, factors): (&Panel, &[f64]),
    (rows, met, here): (&[u32], usize, usize),
    scratch: &mut EliminationScratch,
) {
    let EliminationScratch { places, targets, scaled, .. } = scratch;
    let (first, end) = (other.width + met, other.width + rows.len());
    for (target, row) in targets[first..end].iter_mut().zip(&rows[met..]) {
        *target = places[*row as usize];
    }
    for (block, scaled) in scaled.chunks_exact_mut(other.width).take(here.div_ceil(COLUMNS)).enumerate() {
        scale(factors, other.stride(), first + block * COLUMNS, here - block * COLUMNS, scaled);
    }
    let mut row = first / ALIGNMENT * ALIGNMENT;
    while row + ROWS <= other.stride() {
        take_rows::<ROWS>((panel, values), (other, factors), (row, first..end, here), targets, scaled);
        row += ROWS;
    }
    while row < end {
        take_rows::<ALIGNMENT>((panel, values), (other, factors), (row, first..end, here), targets, scaled);
        row += ALIGNMENT;
    }
}

/// As above, for a few rows from this one on.
#[inline(always)]
fn take_rows<const N: usize>(
    (panel, values): (&Panel, &mut [f64]),
    (other, factors): (&Panel, &[f64]),
    (row, range, here): (usize, Range<usize>, usize),
    targets: &[u32],
    scaled: &[[f64; COLUMNS]],
) {
    let (begin, end) = (range.start.max(row), range.end.min(row + N));
    let rows = &targets[begin..end];
    let gapless = rows.len() == N && rows[N - 1] - rows[0] == N as u32 - 1;
    let columns =
        targets[range.start..range.start + here].chunks(COLUMNS).zip(scaled.chunks_exact(other.width));
    for (block, (columns, scaled)) in columns.enumerate() {
        if range.start + block * COLUMNS >= end {
            break;
        }
        let products = products::<N>(factors, other.stride(), row, scaled);
        for (column, products) in columns.iter().zip(&products) {
            let values = &mut values[*column as usize * panel.stride()..];
            if gapless {
                let values = &mut values[rows[0] as usize..rows[0] as usize + N];
                values.iter_mut().zip(products).for_each(|(value, product)| *value -= product);
            } else {
                for (row, product) in rows.iter().zip(&products[begin - row..]) {
                    values[*row as usize] -= product;
                }
            }
        }
    }
}

/// Eliminates the columns of a panel, from which all earlier ones are taken.
#[inline(always)]
fn eliminate(panel: &Panel, values: &mut [f64], scaled: &mut [[f64; COLUMNS]]) -> Result<(), (usize, f64)> {
    let stride = panel.stride();
    for first in (0..panel.width).step_by(COLUMNS) {
        let (known, own) = values.split_at_mut(first * stride);
        let count = COLUMNS.min(panel.width - first);
        let scaled = &mut scaled[..first];
        scale(known, stride, first, count, scaled);
        let mut row = first;
        while row + ROWS <= stride {
            take_own::<ROWS>(own, known, stride, row, scaled);
            row += ROWS;
        }
        while row < stride {
            take_own::<ALIGNMENT>(own, known, stride, row, scaled);
            row += ALIGNMENT;
        }
        for column in 0..count {
            let (own, others) = own[column * stride..count * stride].split_at_mut(stride);
            let own = &mut own[first + column..];
            let pivot = own[0];
            if pivot == 0.0 || !pivot.is_finite() {
                return Err((panel.first + first + column, pivot));
            }
            let reciprocal = 1.0 / pivot;
            for (number, other) in (1..).zip(others.chunks_exact_mut(stride)) {
                let factor = own[number] * reciprocal;
                for (other, own) in other[first + column..].iter_mut().zip(&*own) {
                    *other -= factor * own;
                }
            }
            own[1..].iter_mut().for_each(|value| *value *= reciprocal);
        }
    }
    Ok(())
}

/// Takes the products of a few rows with rows of the next columns from these columns.
#[inline(always)]
fn take_own<const N: usize>(
    own: &mut [f64],
    known: &[f64],
    stride: usize,
    row: usize,
    scaled: &[[f64; COLUMNS]],
) {
    let products = products::<N>(known, stride, row, scaled);
    for (own, products) in own.chunks_exact_mut(stride).zip(&products) {
        own[row..row + N].iter_mut().zip(products).for_each(|(value, product)| *value -= product);
    }
}

/// Multiplies the next rows of a panel by the pivots of its columns.
#[inline(always)]
fn scale(factors: &[f64], stride: usize, row: usize, count: usize, scaled: &mut [[f64; COLUMNS]]) {
    for (column, (factors, scaled)) in factors.chunks_exact(stride).zip(scaled).enumerate() {
        for (number, scaled) in scaled.iter_mut().enumerate() {
            *scaled = if number < count { factors[row + number] * factors[column] } else { 0.0 };
        }
    }
}

/// The products of N rows of a panel with rows that are scaled, in registers.
#[inline(always)]
fn products<const N: usize>(
    factors: &[f64],
    stride: usize,
    row: usize,
    scaled: &[[f64; COLUMNS]],
) -> [[f64; N]; COLUMNS] {
    let mut sums = [[0.0; N]; COLUMNS];
    for (factors, scaled) in factors.chunks_exact(stride).zip(scaled) {
        let factors = &factors[row..row + N];
        for column in 0..COLUMNS {
            for lane in 0..N {
                sums[column][lane] += factors[lane] * scaled[column];
            }
        }
    }
    sums
}
