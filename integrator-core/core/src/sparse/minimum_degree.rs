//! The order of approximate minimum degree, whose elimination fills a symmetric matrix little.
//!
//! A graph of quotients stands for the partly eliminated matrix: an eliminated unknown becomes an
//! element, which joins all its neighbours without listing their pairs.
//! Unknowns with equal neighbours are one node from then on.
//!
//! # Reference
//! P. R. Amestoy, T. A. Davis, I. S. Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886,
//! doi:10.1137/S0895479894278952.

use super::order::Neighbours;
use super::pattern::SymmetricPattern;

const NONE: u32 = u32::MAX;

/// The unknown at each place of the order; `None` when there is no memory.
pub(super) fn minimum_degree(pattern: &SymmetricPattern) -> Option<Vec<u32>> {
    order(Quotient::of_matrix(pattern))
}

/// The order of columns for A = L U, whichever rows hold the pivots: that for AᵀA, whose factor has the
/// entries of all these U.
///
/// # Reference
/// A. George, E. Ng, SIAM J. Sci. Stat. Comput. 6 (1985) 390, doi:10.1137/0906028.
pub(super) fn minimum_degree_of_columns(pattern: &SymmetricPattern) -> Option<Vec<u32>> {
    order(Quotient::of_product(pattern))
}

fn order(mut graph: Quotient) -> Option<Vec<u32>> {
    while let Some(pivot) = graph.queue.take_smallest() {
        graph.eliminate(pivot)?;
    }
    // Unknowns coupled to nearly all others would make every step long, and fill the least at the end.
    graph.order.extend(graph.dense);
    Some(graph.order)
}

/// The nodes are unknowns, and elements: under the number of the unknown that was eliminated, or one of
/// their own from the beginning.
struct Quotient {
    /// Of an unknown its elements and then its unknowns,
    /// of an element its unknowns; some of them are gone.
    lists: Vec<u32>,
    starts: Vec<usize>,
    lengths: Vec<u32>,
    /// How many of the list of an unknown are elements.
    elements: Vec<u32>,
    /// True for an element that no other one contains.
    alive: Vec<bool>,
    /// How many unknowns this one stands for; none once it is eliminated or another one stands for it.
    weights: Vec<u32>,
    /// At least the weight of all that an unknown is coupled to, and the weight of an element.
    degrees: Vec<u32>,
    /// The unknowns that an unknown stands for, as a chain, and the last of it.
    next: Vec<u32>,
    last: Vec<u32>,
    queue: Queue,
    /// True if an unknown belongs to the element in the making.
    in_front: Vec<bool>,
    /// The weight of each element outside the one in the making, if it was counted for that.
    outside: Vec<u32>,
    counted_for: Vec<u32>,
    /// The last comparison with a list that contains this node.
    marks: Vec<usize>,
    comparisons: usize,
    /// Sums of the lists of unknowns, by which equal ones are found.
    sums: Vec<(u64, u32)>,
    /// The weight of all unknowns that are left.
    left: u32,
    dense: Vec<u32>,
    order: Vec<u32>,
}

impl Quotient {
    fn of_matrix(pattern: &SymmetricPattern) -> Self {
        let neighbours = Neighbours::new(pattern);
        let (dense, sparse) = part(&neighbours);
        let Neighbours { starts, indices } = neighbours;
        Self::new(dense, &sparse, starts, indices)
    }

    /// Each row of A is an element, which joins its columns.
    /// Rows that join nearly all of them would leave no choice and are left out.
    fn of_product(pattern: &SymmetricPattern) -> Self {
        let neighbours = Neighbours::new(pattern);
        let dimension = pattern.dimension();
        let (dense, sparse) = part(&neighbours);
        let mut is_sparse = vec![false; dimension];
        sparse.iter().for_each(|node| is_sparse[*node as usize] = true);
        let (mut starts, mut lists) = (vec![0], Vec::new());
        for shift in [dimension as u32, 0] {
            for node in 0..dimension {
                if is_sparse[node] {
                    let all = neighbours.of(node).iter().copied().chain([node as u32]);
                    lists.extend(all.filter(|other| is_sparse[*other as usize]).map(|other| other + shift));
                }
                starts.push(lists.len());
            }
        }
        Self::new(dense, &sparse, starts, lists)
    }

    /// The graph of these lists, each from one start to
    /// the next: lists of unknowns, and then of elements.
    fn new(dense: Vec<u32>, sparse: &[u32], starts: Vec<usize>, lists: Vec<u32>) -> Self {
        let (nodes, unknowns) = (starts.len() - 1, dense.len() + sparse.len());
        let lengths: Vec<u32> = starts.windows(2).map(|range| (range[1] - range[0]) as u32).collect();
        let (mut elements, mut degrees) = (vec![0; nodes], lengths.clone());
        let mut weights = vec![0; nodes];
        let mut queue = Queue::new(unknowns);
        for &node in sparse {
            let node = node as usize;
            weights[node] = 1;
            if nodes > unknowns {
                elements[node] = lengths[node];
                let rows = lists[starts[node]..starts[node + 1]].iter();
                let sum: usize = rows.map(|row| lengths[*row as usize] as usize - 1).sum();
                degrees[node] = sum.min(unknowns - 1) as u32;
            }
            queue.insert(node as u32, degrees[node]);
        }
        Self {
            lists,
            starts,
            lengths,
            elements,
            alive: (0..nodes).map(|node| node >= unknowns).collect(),
            weights,
            degrees,
            next: vec![NONE; unknowns],
            last: (0..unknowns as u32).collect(),
            queue,
            in_front: vec![false; unknowns],
            outside: vec![0; nodes],
            counted_for: vec![NONE; nodes],
            marks: vec![0; nodes],
            comparisons: 0,
            sums: Vec::new(),
            left: sparse.len() as u32,
            dense,
            order: Vec::with_capacity(unknowns),
        }
    }

    /// The places of the elements of an unknown, and of its unknowns.
    fn list(&self, node: u32) -> [std::ops::Range<usize>; 2] {
        let start = self.starts[node as usize];
        let middle = start + self.elements[node as usize] as usize;
        [start..middle, middle..start + self.lengths[node as usize] as usize]
    }

    /// Makes an unknown an element of all that it is coupled to.
    fn eliminate(&mut self, pivot: u32) -> Option<()> {
        self.left -= std::mem::take(&mut self.weights[pivot as usize]);
        let begin = self.lists.len();
        let mut size = self.gather(pivot)?;
        self.count_outside(pivot, begin);
        self.sums.clear();
        for place in begin..self.lists.len() {
            let node = self.lists[place];
            if let Some(sum) = self.couple(node, pivot) {
                self.sums.push((sum, node));
            } else {
                // It is coupled to nothing else, and eliminated at once.
                let weight = self.stand_for(pivot, node);
                size -= weight;
                self.left -= weight;
            }
        }
        self.join_equal();
        let mut end = begin;
        for place in begin..self.lists.len() {
            let node = self.lists[place];
            let weight = self.weights[node as usize];
            if weight > 0 {
                self.in_front[node as usize] = false;
                let degree = &mut self.degrees[node as usize];
                *degree = (*degree + size - weight).min(self.left - weight);
                self.queue.insert(node, *degree);
                self.lists[end] = node;
                end += 1;
            }
        }
        self.lists.truncate(end);
        self.starts[pivot as usize] = begin;
        self.lengths[pivot as usize] = (end - begin) as u32;
        self.elements[pivot as usize] = 0;
        self.alive[pivot as usize] = end > begin;
        self.degrees[pivot as usize] = size;
        let mut node = pivot;
        while node != NONE {
            self.order.push(node);
            node = self.next[node as usize];
        }
        Some(())
    }

    /// Lists all that a pivot is coupled to, itself or by its elements, which are absorbed; the weight
    /// of the list.
    fn gather(&mut self, pivot: u32) -> Option<u32> {
        self.in_front[pivot as usize] = true;
        let [elements, unknowns] = self.list(pivot);
        let many = elements.clone().map(|place| self.lengths[self.lists[place] as usize] as usize);
        self.lists.try_reserve(many.sum::<usize>() + unknowns.len()).ok()?;
        let mut size = 0;
        for place in elements {
            let element = self.lists[place];
            if std::mem::take(&mut self.alive[element as usize]) {
                let [_, unknowns] = self.list(element);
                size += unknowns.map(|place| self.bring(place)).sum::<u32>();
            }
        }
        size += unknowns.map(|place| self.bring(place)).sum::<u32>();
        Some(size)
    }

    /// Adds the unknown at a place of the lists to the new one; its weight, if it was not there.
    fn bring(&mut self, place: usize) -> u32 {
        let node = self.lists[place];
        let weight = self.weights[node as usize];
        if weight == 0 || std::mem::replace(&mut self.in_front[node as usize], true) {
            return 0;
        }
        self.queue.remove(node, self.degrees[node as usize]);
        self.lists.push(node);
        weight
    }

    /// Finds the weight of each element outside the new one.
    fn count_outside(&mut self, pivot: u32, begin: usize) {
        for place in begin..self.lists.len() {
            let node = self.lists[place];
            let [elements, _] = self.list(node);
            for &element in &self.lists[elements] {
                let element = element as usize;
                if self.counted_for[element] != pivot {
                    self.counted_for[element] = pivot;
                    self.outside[element] = self.degrees[element];
                }
                if self.alive[element] {
                    self.outside[element] -= self.weights[node as usize];
                }
            }
        }
    }

    /// Puts the new element into the list of an unknown, in place of its members.
    ///
    /// Finds the weight of all other neighbours of the unknown.
    /// The sum of the list; `None` where there are no others.
    fn couple(&mut self, node: u32, pivot: u32) -> Option<u64> {
        let [elements, unknowns] = self.list(node);
        let (start, mut end) = (elements.start, elements.start);
        let (mut degree, mut sum) = (0_u32, 0);
        for place in elements {
            let element = self.lists[place];
            if self.alive[element as usize] {
                let outside = self.outside[element as usize];
                // An element without unknowns outside is absorbed, too.
                self.alive[element as usize] = outside > 0;
                if outside > 0 {
                    degree = degree.saturating_add(outside);
                    sum += u64::from(element);
                    self.lists[end] = element;
                    end += 1;
                }
            }
        }
        let middle = end;
        for place in unknowns {
            let other = self.lists[place];
            let weight = self.weights[other as usize];
            if weight > 0 && !self.in_front[other as usize] {
                degree = degree.saturating_add(weight);
                sum += u64::from(other);
                self.lists[end] = other;
                end += 1;
            }
        }
        if degree == 0 {
            return None;
        }
        // The pivot, or an element that contained it, left a gap.
        self.lists[end] = self.lists[middle];
        self.lists[middle] = self.lists[start];
        self.lists[start] = pivot;
        self.elements[node as usize] = (middle + 1 - start) as u32;
        self.lengths[node as usize] = (end + 1 - start) as u32;
        self.degrees[node as usize] = degree.min(self.degrees[node as usize]);
        Some(sum)
    }

    /// Lets one unknown stand for all of the new element with equal other neighbours.
    fn join_equal(&mut self) {
        let mut sums = std::mem::take(&mut self.sums);
        sums.sort_unstable();
        for equal in sums.chunk_by(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1) {
            for (number, &(_, node)) in equal.iter().enumerate() {
                if self.weights[node as usize] == 0 {
                    continue;
                }
                self.comparisons += 1;
                let [elements, unknowns] = self.list(node);
                for &other in &self.lists[elements.start..unknowns.end] {
                    self.marks[other as usize] = self.comparisons;
                }
                for &(_, other) in &equal[number + 1..] {
                    let [others, last] = self.list(other);
                    let alike = (others.len(), last.len()) == (elements.len(), unknowns.len());
                    let marked = |other: &u32| self.marks[*other as usize] == self.comparisons;
                    if alike
                        && self.weights[other as usize] > 0
                        && self.lists[others.start..last.end].iter().all(marked)
                    {
                        self.weights[node as usize] += self.stand_for(node, other);
                    }
                }
            }
        }
        self.sums = sums;
    }

    /// Appends the chain of one node to the chain of another; its weight, which is zero from then on.
    fn stand_for(&mut self, node: u32, other: u32) -> u32 {
        self.next[self.last[node as usize] as usize] = other;
        self.last[node as usize] = self.last[other as usize];
        std::mem::take(&mut self.weights[other as usize])
    }
}

/// The unknowns that are coupled to very many, and the others.
fn part(neighbours: &Neighbours) -> (Vec<u32>, Vec<u32>) {
    let dimension = neighbours.starts.len() - 1;
    let most = (10.0 * (dimension as f64).sqrt()).max(16.0) as usize;
    (0..dimension as u32).partition(|node| neighbours.of(*node as usize).len() > most)
}

/// The unknowns by their degrees, the last that came first.
struct Queue {
    first: Vec<u32>,
    after: Vec<u32>,
    before: Vec<u32>,
    least: usize,
}

impl Queue {
    fn new(dimension: usize) -> Self {
        Self {
            first: vec![NONE; dimension],
            after: vec![NONE; dimension],
            before: vec![NONE; dimension],
            least: 0,
        }
    }

    fn insert(&mut self, node: u32, degree: u32) {
        let after = std::mem::replace(&mut self.first[degree as usize], node);
        (self.after[node as usize], self.before[node as usize]) = (after, NONE);
        if after != NONE {
            self.before[after as usize] = node;
        }
        self.least = self.least.min(degree as usize);
    }

    fn remove(&mut self, node: u32, degree: u32) {
        let (after, before) = (self.after[node as usize], self.before[node as usize]);
        if after != NONE {
            self.before[after as usize] = before;
        }
        *(if before == NONE { &mut self.first[degree as usize] } else { &mut self.after[before as usize] }) =
            after;
    }

    fn take_smallest(&mut self) -> Option<u32> {
        while *self.first.get(self.least)? == NONE {
            self.least += 1;
        }
        let node = self.first[self.least];
        self.remove(node, self.least as u32);
        Some(node)
    }
}
