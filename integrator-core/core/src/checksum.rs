//! A growing checksum of numbers.

use std::hash::Hasher;
use twox_hash::XxHash64;

/// A checksum to which each part of a system adds its numbers.
#[derive(Default)]
pub(crate) struct Checksum(XxHash64);

/// Numbers are hashed in blocks: one by one, each would cost a call.
const BLOCK: usize = 64;

impl Checksum {
    pub(crate) fn word(&mut self, word: u64) {
        self.0.write(&word.to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        self.0.write(text.as_bytes());
    }

    /// Adds a list: its length and its words.
    pub(crate) fn all<T: Copy>(&mut self, all: &[T], word: impl Fn(T) -> u64) {
        self.word(all.len() as u64);
        let mut bytes = [0; 8 * BLOCK];
        for block in all.chunks(BLOCK) {
            for (bytes, one) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(block) {
                *bytes = word(*one).to_le_bytes();
            }
            self.0.write(&bytes[..8 * block.len()]);
        }
    }

    pub(crate) fn numbers(&mut self, numbers: &[f64]) {
        self.all(numbers, f64::to_bits);
    }

    pub(crate) fn places(&mut self, places: &[u32]) {
        self.all(places, u64::from);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        self.0.write(bytes);
    }

    /// Adds an optional number.
    pub(crate) fn maybe(&mut self, number: Option<u64>) {
        self.word(u64::from(number.is_some()));
        self.word(number.unwrap_or_default());
    }

    pub(crate) fn value(&self) -> u64 {
        self.0.finish()
    }
}
