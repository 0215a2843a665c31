//! A checksum of the numbers that the parameters of a model have become: of all that its binder has collected.
//!
//! Whatever a parameter is, a table, a file or a function of others, it reaches the motion through the binder alone. Two instances of a declaration with one checksum are
//! the same system; and the checksum knows neither registers nor threads, which come later.

use super::binder::Binder;
use super::collectives::FoundStage;
use super::family::Family;
use super::near::family::NearFamily;
use crate::system::Coordinate;
use std::hash::Hasher;
use twox_hash::XxHash64;

/// A checksum while it grows.
#[derive(Default)]
pub(super) struct Sum(XxHash64);

/// Numbers are taken in blocks: one by one, each would cost a call.
const BLOCK: usize = 64;

impl Sum {
    pub(super) fn word(&mut self, word: u64) {
        self.0.write(&word.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        self.0.write(text.as_bytes());
    }

    /// Words and how many there are.
    fn all<T: Copy>(&mut self, all: &[T], word: impl Fn(T) -> u64) {
        self.word(all.len() as u64);
        let mut bytes = [0; 8 * BLOCK];
        for block in all.chunks(BLOCK) {
            for (bytes, one) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(block) {
                *bytes = word(*one).to_le_bytes();
            }
            self.0.write(&bytes[..8 * block.len()]);
        }
    }

    pub(super) fn numbers(&mut self, numbers: &[f64]) {
        self.all(numbers, f64::to_bits);
    }

    pub(super) fn places(&mut self, places: &[u32]) {
        self.all(places, u64::from);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        self.0.write(bytes);
    }

    /// A number that may be missing.
    pub(super) fn maybe(&mut self, number: Option<u64>) {
        self.word(u64::from(number.is_some()));
        self.word(number.unwrap_or_default());
    }

    fn families<'f>(&mut self, families: impl ExactSizeIterator<Item = &'f Family>) {
        self.word(families.len() as u64);
        families.for_each(|family| family.tell(self));
    }

    fn near(&mut self, families: &[NearFamily]) {
        self.word(families.len() as u64);
        families.iter().for_each(|family| family.tell(self));
    }

    fn stages(&mut self, stages: &[FoundStage]) {
        self.word(stages.len() as u64);
        for stage in stages {
            [stage.first, stage.width, stage.rows].into_iter().for_each(|number| self.word(u64::from(number)));
            self.places(&stage.starts);
            self.families(stage.families.iter().map(|family| family.elements()));
            self.near(&stage.near);
        }
    }
}

/// The checksum of what a binder has collected; signals have their own.
pub(super) fn checksum(binder: &Binder) -> u64 {
    // One name for each part, so that none is forgotten.
    let Binder {
        layout,
        mass,
        kinetic: _,
        potential,
        stiff,
        near,
        near_stiff,
        ranges: _,
        general,
        stages,
        moving,
        reader: _,
        mass_of_sums,
        constraints,
        rows,
        nonholonomic,
        nonholonomic_rows,
        forces,
        dissipations,
        dissipated,
        force_methods,
        phase,
        signals: _,
        budget: _,
    } = binder;
    let mut sum = Sum::default();
    for Coordinate { name, kind, lengths, .. } in layout.coordinates() {
        sum.text(name);
        sum.word(kind.components() as u64);
        sum.all(lengths, |length| length as u64);
    }
    sum.all(mass, |(row, column, _)| (row as u64) << 32 | column as u64);
    sum.all(mass, |(.., value)| value.to_bits());
    for families in [potential, stiff, general, mass_of_sums, dissipated] {
        sum.families(families.iter());
    }
    [near, near_stiff].into_iter().for_each(|families| sum.near(families));
    [stages, moving].into_iter().for_each(|stages| sum.stages(stages));
    sum.families(constraints.iter().map(|family| family.elements()));
    for families in [nonholonomic, forces, dissipations] {
        sum.families(families.iter().map(|family| family.elements()));
    }
    [rows, nonholonomic_rows].into_iter().for_each(|rows| sum.word(rows.count() as u64));
    sum.word(force_methods.len() as u64);
    sum.numbers(phase.as_ref().map_or(&[], |phase| phase));
    sum.0.finish()
}
