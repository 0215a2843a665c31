//! A hasher for small keys that the compiler makes itself: fast where the macro is built without optimization.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map that is looked up and never iterated, so that its order cannot reach the output.
pub(crate) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// A hash set of the same kind.
pub(crate) type Known<K> = HashSet<K, BuildHasherDefault<Mix>>;

/// Multiplies and rotates, a word at a time.
#[derive(Debug, Default, Clone)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }
    fn write_i32(&mut self, word: i32) {
        self.write_u64(u64::from(word as u32));
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    fn finish(&self) -> u64 {
        // The table takes the upper bits for its tags and the lower ones for its places.
        self.0 ^ (self.0 >> 29)
    }
}
