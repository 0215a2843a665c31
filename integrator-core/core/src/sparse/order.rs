//! Connected components and orders of elimination that make the band small.

use super::pattern::SymmetricPattern;

/// The connected components of the graph of a pattern.
#[derive(Debug)]
pub(crate) struct Components {
    /// The component of each unknown, numbered in the order of their first unknowns.
    pub(super) of: Vec<u32>,
    /// The number of unknowns of each component.
    pub(super) sizes: Vec<usize>,
}

impl Components {
    pub(super) fn largest(&self) -> usize {
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// The unknowns of each component, ascending.
    pub(crate) fn members(&self) -> Vec<Vec<usize>> {
        let mut members: Vec<_> = self.sizes.iter().map(|size| Vec::with_capacity(*size)).collect();
        for (index, component) in self.of.iter().enumerate() {
            members[*component as usize].push(index);
        }
        members
    }
}

/// Finds the components by joining the two ends of every entry.
pub(crate) fn components(pattern: &SymmetricPattern) -> Components {
    let mut parents: Vec<u32> = (0..pattern.dimension() as u32).collect();
    for (row, column) in pattern.entries() {
        let (a, b) = (root(&mut parents, row as u32), root(&mut parents, column as u32));
        // The smaller index becomes the root, so that roots are met first below.
        parents[a.max(b) as usize] = a.min(b);
    }
    let mut of = vec![0; parents.len()];
    let mut sizes = Vec::new();
    for index in 0..parents.len() {
        let root = root(&mut parents, index as u32) as usize;
        if root == index {
            of[index] = sizes.len() as u32;
            sizes.push(1);
        } else {
            of[index] = of[root];
            sizes[of[root] as usize] += 1;
        }
    }
    Components { of, sizes }
}

fn root(parents: &mut [u32], mut index: u32) -> u32 {
    while parents[index as usize] != index {
        let grandparent = parents[parents[index as usize] as usize];
        parents[index as usize] = grandparent;
        index = grandparent;
    }
    index
}

/// The largest i − j of an entry.
pub(super) fn bandwidth(pattern: &SymmetricPattern) -> usize {
    pattern.entries().map(|(row, column)| row - column).max().unwrap_or(0)
}

/// The largest distance of the two ends of an entry once unknown i stands at `places[i]`.
pub(super) fn bandwidth_after(pattern: &SymmetricPattern, places: &[u32]) -> usize {
    pattern.entries().map(|(row, column)| places[row].abs_diff(places[column]) as usize).max().unwrap_or(0)
}

/// The reverse Cuthill–McKee order: breadth first from an
/// end of each component, neighbours by ascending degree.
/// Returns the new place of each unknown.
///
/// # Reference
/// A. George, J. W. H. Liu, Computer Solution of Large
/// Sparse Positive Definite Systems (1981), chapter 4.
pub(super) fn reverse_cuthill_mckee(pattern: &SymmetricPattern) -> Vec<u32> {
    let neighbours = Neighbours::new(pattern);
    let dimension = pattern.dimension();
    let mut order: Vec<u32> = Vec::with_capacity(dimension);
    let mut placed = vec![false; dimension];
    let mut level = vec![u32::MAX; dimension];
    for first in 0..dimension {
        if !placed[first] {
            let end = far_end(&neighbours, first, &mut level);
            breadth_first(&neighbours, end, &mut placed, &mut order);
        }
    }
    let mut places = vec![0; dimension];
    for (place, &index) in order.iter().rev().enumerate() {
        places[index as usize] = place as u32;
    }
    places
}

/// Moves to the farthest unknown of least degree until that gets no farther.
fn far_end(neighbours: &Neighbours, first: usize, level: &mut [u32]) -> usize {
    let (mut start, mut depth) = (first, 0);
    loop {
        let mut queue = vec![start as u32];
        level[start] = 0;
        let mut next = 0;
        while let Some(&index) = queue.get(next) {
            next += 1;
            for &other in neighbours.of(index as usize) {
                if level[other as usize] == u32::MAX {
                    level[other as usize] = level[index as usize] + 1;
                    queue.push(other);
                }
            }
        }
        let deepest = queue.last().map_or(0, |&last| level[last as usize]);
        let candidate = queue
            .iter()
            .rev()
            .take_while(|&&index| level[index as usize] == deepest)
            .min_by_key(|&&index| (neighbours.of(index as usize).len(), index))
            .map_or(start, |&index| index as usize);
        for &index in &queue {
            level[index as usize] = u32::MAX;
        }
        if deepest <= depth {
            return start;
        }
        (start, depth) = (candidate, deepest);
    }
}

fn breadth_first(neighbours: &Neighbours, start: usize, placed: &mut [bool], order: &mut Vec<u32>) {
    let mut next = order.len();
    order.push(start as u32);
    placed[start] = true;
    while let Some(&index) = order.get(next) {
        next += 1;
        let added = order.len();
        for &other in neighbours.of(index as usize) {
            if !placed[other as usize] {
                placed[other as usize] = true;
                order.push(other);
            }
        }
        order[added..].sort_by_key(|&other| (neighbours.of(other as usize).len(), other));
    }
}

/// Both triangles of a pattern, without the diagonal.
pub(super) struct Neighbours {
    pub(super) starts: Vec<usize>,
    pub(super) indices: Vec<u32>,
}

impl Neighbours {
    pub(super) fn new(pattern: &SymmetricPattern) -> Self {
        let mut starts = vec![0; pattern.dimension() + 1];
        for (row, column) in pattern.entries().filter(|(row, column)| row != column) {
            starts[row + 1] += 1;
            starts[column + 1] += 1;
        }
        for index in 0..pattern.dimension() {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut indices = vec![0; starts[pattern.dimension()]];
        for (row, column) in pattern.entries().filter(|(row, column)| row != column) {
            indices[next[row]] = column as u32;
            next[row] += 1;
            indices[next[column]] = row as u32;
            next[column] += 1;
        }
        Self { starts, indices }
    }

    pub(super) fn of(&self, index: usize) -> &[u32] {
        &self.indices[self.starts[index]..self.starts[index + 1]]
    }
}
