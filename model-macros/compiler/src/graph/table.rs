//! Tables for the compiler's own keys: lists of words, and nodes. Cargo builds macros without
//! optimization, where maps for keys of all kinds take most of the compiler's time.

use super::NodeId;

/// Numbers lists of words in the order in which they come; equal lists have one number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    /// The lists, one behind the other.
    all: Vec<u64>,
    /// The end of each list in `all`.
    ends: Vec<usize>,
    /// The hash of each list.
    hashes: Vec<u64>,
    /// Numbers plus one at the place of their hash or behind it; zero is free.
    places: Vec<u32>,
}

impl Words {
    /// The number of a list; a new list gets the next number.
    pub(crate) fn number(&mut self, list: &[u64]) -> usize {
        if 2 * self.ends.len() >= self.places.len() {
            self.grow();
        }
        let hash = hash(list);
        let last = self.places.len() - 1;
        let mut at = hash as usize & last;
        while let Some(number) = (self.places[at] as usize).checked_sub(1) {
            if self.hashes[number] == hash && self.list(number) == list {
                return number;
            }
            at = (at + 1) & last;
        }
        self.all.extend_from_slice(list);
        self.ends.push(self.all.len());
        self.hashes.push(hash);
        self.places[at] = self.ends.len() as u32;
        self.ends.len() - 1
    }

    fn list(&self, number: usize) -> &[u64] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.all[start..self.ends[number]]
    }

    fn grow(&mut self) {
        let size = (2 * self.places.len()).max(64);
        self.places = vec![0; size];
        for (number, hash) in self.hashes.iter().enumerate() {
            let mut at = *hash as usize & (size - 1);
            while self.places[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.places[at] = number as u32 + 1;
        }
    }
}

/// Multiplies and rotates, a word at a time.
fn hash(list: &[u64]) -> u64 {
    let mut hash = 0_u64;
    for word in list {
        hash = (hash.rotate_left(5) ^ *word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    // Places use the lower bits, and the multiplication passes only lower bits of the words to these.
    hash ^ (hash >> 29)
}

/// A number for each of some nodes of a graph.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places(Vec<u32>);

impl Places {
    /// The number of a node.
    pub(crate) fn get(&self, id: NodeId) -> Option<usize> {
        match self.0.get(id.index()) {
            None | Some(0) => None,
            Some(number) => Some(*number as usize - 1),
        }
    }

    /// Gives a node a number.
    pub(crate) fn set(&mut self, id: NodeId, number: usize) {
        let (at, length) = (id.index(), self.0.len());
        if at >= length {
            // New memory is zero already: a new list is faster than filling.
            let mut longer = vec![0; (at + 1).max(2 * length)];
            longer[..length].copy_from_slice(&self.0);
            self.0 = longer;
        }
        self.0[at] = number as u32 + 1;
    }
}

/// A node for each of some nodes, in this graph or another.
#[derive(Debug, Clone, Default)]
pub struct Images(Places);

impl Images {
    /// The image of a node.
    pub fn get(&self, id: NodeId) -> Option<NodeId> {
        self.0.get(id).map(|number| NodeId(number as u32))
    }

    /// The image of a node that has one.
    pub fn of(&self, id: NodeId) -> NodeId {
        NodeId(self.0.0[id.index()] - 1)
    }

    /// Gives a node an image.
    pub fn set(&mut self, id: NodeId, image: NodeId) {
        self.0.set(id, image.index());
    }
}
