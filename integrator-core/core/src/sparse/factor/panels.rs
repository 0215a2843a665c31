//! The panels of the factor of a symmetric matrix: neighbouring columns with (nearly) equal rows,
//! stored as one dense block.
//!
//! # Reference
//! T. A. Davis, Direct Methods for Sparse Linear Systems (2006), chapter 4; J. W. H. Liu, SIAM J. Matrix
//! Anal. Appl. 11 (1990) 134, doi:10.1137/0611010.

use crate::sparse::minimum_degree::minimum_degree;
use crate::sparse::pattern::SymmetricPattern;

const NONE: u32 = u32::MAX;

/// The rows of a panel are padded to a multiple of this.
pub(super) const ALIGNMENT: usize = 4;
/// A panel joins the panel of its rows, if the result has
/// at most this number of columns and this part of zeros.
const RELAXED: [(usize, f64); 4] = [(4, 0.8), (16, 0.4), (48, 0.1), (usize::MAX, 0.05)];
/// Wider panels are cut, so that the rows of one that are computed together stay near the processor.
const WIDEST: usize = 64;

/// Neighbouring columns and the rows below them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panel {
    pub(super) first: usize,
    pub(super) width: usize,
    /// The place of its rows below the columns in the list of all panels, and their number.
    rows: usize,
    below: usize,
    /// Where its values begin, column by column.
    pub(super) values: usize,
}

impl Panel {
    /// The place behind its columns.
    pub(super) fn end(&self) -> usize {
        self.first + self.width
    }

    /// The distance of two columns.
    pub(super) fn stride(&self) -> usize {
        (self.width + self.below).next_multiple_of(ALIGNMENT)
    }

    /// The number of its values.
    fn size(&self) -> usize {
        self.stride() * self.width
    }
}

/// The panels of the factor of every matrix of one pattern.
#[derive(Debug)]
pub(super) struct Panels {
    /// The unknown at each place.
    pub(super) order: Vec<u32>,
    pub(super) all: Vec<Panel>,
    /// The panel of each place.
    pub(super) of: Vec<u32>,
    /// The rows of all columns that belong together, ascending,
    /// with these columns; panels that were cut share theirs.
    rows: Vec<u32>,
    /// The number of all values.
    pub(super) size: usize,
}

impl Panels {
    /// Orders the unknowns and finds the rows of the factor; `None` when there is no memory.
    pub(super) fn new(pattern: &SymmetricPattern) -> Option<Self> {
        let mut order = minimum_degree(pattern)?;
        let left = Left::new(pattern, &order);
        let parents = parents(&left);
        let counts = counts(&left, &parents);
        let postorder = postorder(&parents, &counts);
        let places = inverse(&postorder);
        let move_up = |parent: u32| places.get(parent as usize).copied().unwrap_or(NONE);
        let parents: Vec<u32> = postorder.iter().map(|old| move_up(parents[*old as usize])).collect();
        let counts: Vec<u32> = postorder.iter().map(|old| counts[*old as usize]).collect();
        order = postorder.iter().map(|old| order[*old as usize]).collect();

        let starts = join(&parents, &counts);
        let rows = rows(&left, &postorder, &parents, &counts, &starts)?;
        let panels = cut(&starts, &counts)?;
        let mut of = vec![0; order.len()];
        for (number, panel) in panels.iter().enumerate() {
            of[panel.first..panel.end()].fill(number as u32);
        }
        let size = panels.last().map_or(0, |last| last.values + last.size());
        Some(Self { order, all: panels, of, rows, size })
    }

    /// The rows of a panel below its columns, ascending.
    pub(super) fn rows(&self, panel: &Panel) -> &[u32] {
        &self.rows[panel.rows..panel.rows + panel.below]
    }

    /// Where each entry of the matrix stands among the values.
    pub(super) fn positions(&self, pattern: &SymmetricPattern) -> Vec<usize> {
        let places = inverse(&self.order);
        let position = |(row, column): (usize, usize)| {
            let (a, b) = (places[row] as usize, places[column] as usize);
            let (row, column) = (a.max(b), a.min(b));
            let panel = &self.all[self.of[column] as usize];
            let inside = match row.checked_sub(panel.end()) {
                None => row - panel.first,
                Some(_) => panel.width + self.rows(panel).partition_point(|other| (*other as usize) < row),
            };
            panel.values + (column - panel.first) * panel.stride() + inside
        };
        pattern.entries().map(position).collect()
    }
}

/// The place of each unknown of an order, or the other way round.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, unknown) in order.iter().enumerate() {
        places[*unknown as usize] = place as u32;
    }
    places
}

/// The columns of the entries left of the diagonal, by rows, after a renumbering.
struct Left {
    starts: Vec<usize>,
    columns: Vec<u32>,
}

impl Left {
    fn new(pattern: &SymmetricPattern, order: &[u32]) -> Self {
        let places = inverse(order);
        let moved = |(row, column): (usize, usize)| {
            let (a, b) = (places[row], places[column]);
            (a.max(b) as usize, a.min(b))
        };
        let mut starts = vec![0; order.len() + 1];
        let entries = || pattern.entries().filter(|(row, column)| row != column).map(moved);
        entries().for_each(|(row, _)| starts[row + 1] += 1);
        for row in 0..order.len() {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut columns = vec![0; starts[order.len()]];
        for (row, column) in entries() {
            columns[next[row]] = column;
            next[row] += 1;
        }
        Self { starts, columns }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, row: usize) -> &[u32] {
        &self.columns[self.starts[row]..self.starts[row + 1]]
    }
}

/// The elimination tree: the first row below the diagonal of each column of the factor.
fn parents(left: &Left) -> Vec<u32> {
    let mut parents = vec![NONE; left.len()];
    // Some later unknown on the way to the root, so that the way is short.
    let mut ancestors = vec![NONE; left.len()];
    for row in 0..left.len() {
        for &column in left.of(row) {
            let mut node = column;
            while node != NONE && node != row as u32 {
                let ancestor = std::mem::replace(&mut ancestors[node as usize], row as u32);
                if ancestor == NONE {
                    parents[node as usize] = row as u32;
                }
                node = ancestor;
            }
        }
    }
    parents
}

/// The number of entries of each column of the factor, with the diagonal.
///
/// A row has the entries on the paths in the elimination tree from its entries up to itself.
fn counts(left: &Left, parents: &[u32]) -> Vec<u32> {
    let mut counts = vec![1; left.len()];
    let mut seen = vec![NONE; left.len()];
    for row in 0..left.len() {
        seen[row] = row as u32;
        for &column in left.of(row) {
            let mut node = column as usize;
            while seen[node] != row as u32 {
                seen[node] = row as u32;
                counts[node] += 1;
                node = parents[node] as usize;
            }
        }
    }
    counts
}

/// An order in which the descendants of each unknown stand just before it.
///
/// The descendant with most rows stands last, since it fits best into the panel of the unknown.
fn postorder(parents: &[u32], counts: &[u32]) -> Vec<u32> {
    let mut nodes: Vec<u32> = (0..parents.len() as u32).collect();
    nodes.sort_by_key(|node| counts[*node as usize]);
    // Chains of the children of each node, the last inserted first.
    let mut child = vec![NONE; parents.len()];
    let mut sibling = vec![NONE; parents.len()];
    let mut stack = Vec::new();
    for node in nodes {
        match parents[node as usize] {
            NONE => stack.push(node),
            parent => {
                sibling[node as usize] = std::mem::replace(&mut child[parent as usize], node);
            }
        }
    }
    // From the end: a node, then its children, the one of most rows first.
    let mut order = Vec::with_capacity(parents.len());
    while let Some(node) = stack.pop() {
        order.push(node);
        let from = stack.len();
        let mut next = child[node as usize];
        while next != NONE {
            stack.push(next);
            next = sibling[next as usize];
        }
        stack[from..].reverse();
    }
    order.reverse();
    order
}

/// The first column of each panel, and the end.
fn join(parents: &[u32], counts: &[u32]) -> Vec<usize> {
    let mut sums = vec![0; counts.len() + 1];
    for (column, count) in counts.iter().enumerate() {
        sums[column + 1] = sums[column] + *count as usize;
    }
    let same_rows =
        |column: usize| parents[column] == column as u32 + 1 && counts[column] == counts[column + 1] + 1;
    let mut starts = vec![counts.len()];
    let mut end = counts.len();
    let mut first = end;
    // From the end: columns of one structure join the panel
    // behind them, if it holds their rows and few zeros.
    while first > 0 {
        let mut begin = first - 1;
        while begin > 0 && same_rows(begin - 1) {
            begin -= 1;
        }
        let child = first < end && (parents[first - 1] as usize) < end;
        let fits = |(most, part): &(usize, f64)| {
            let width = end - begin;
            let all = width * (width - 1) / 2 + width * counts[end - 1] as usize;
            let zeros = all - (sums[end] - sums[begin]);
            width <= *most && (zeros as f64) < part * all as f64
        };
        if child && RELAXED.iter().any(fits) {
            first = begin;
        } else {
            if first < end {
                starts.push(first);
            }
            (first, end) = (begin, first);
        }
    }
    if end > 0 {
        starts.push(0);
    }
    starts.reverse();
    starts
}

/// The rows of the columns from each start to the next,
/// with these columns; `None` when there is no memory.
fn rows(
    left: &Left,
    postorder: &[u32],
    parents: &[u32],
    counts: &[u32],
    starts: &[usize],
) -> Option<Vec<u32>> {
    let places = inverse(postorder);
    let mut of = vec![0; places.len()];
    // Where the next row of each goes.
    let mut ends = Vec::with_capacity(starts.len());
    let mut total = 0;
    for (number, range) in starts.windows(2).enumerate() {
        of[range[0]..range[1]].fill(number as u32);
        ends.push(total);
        total += range[1] - range[0] + counts[range[1] - 1] as usize - 1;
    }
    let mut rows = Vec::new();
    rows.try_reserve_exact(total).ok()?;
    rows.resize(total, 0);
    let mut seen = vec![NONE; ends.len()];
    for (row, old) in postorder.iter().enumerate() {
        let own = of[row] as usize;
        seen[own] = row as u32;
        rows[ends[own]] = row as u32;
        ends[own] += 1;
        for &column in left.of(*old as usize) {
            let mut number = of[places[column as usize] as usize] as usize;
            while seen[number] != row as u32 {
                seen[number] = row as u32;
                rows[ends[number]] = row as u32;
                ends[number] += 1;
                number = of[parents[starts[number + 1] - 1] as usize] as usize;
            }
        }
    }
    Some(rows)
}

/// The panels of these columns, cut into pieces of at most
/// the greatest width; `None` when there are too many values.
fn cut(starts: &[usize], counts: &[u32]) -> Option<Vec<Panel>> {
    let mut panels = Vec::new();
    let (mut rows, mut values) = (0, 0_usize);
    for (&start, &end) in starts.iter().zip(&starts[1..]) {
        let pieces = (end - start).div_ceil(WIDEST);
        let all = end - start + counts[end - 1] as usize - 1;
        let mut first = start;
        for piece in 1..=pieces {
            let width = start + (end - start) * piece / pieces - first;
            let above = first + width - start;
            let panel = Panel { first, width, rows: rows + above, below: all - above, values };
            values = values.checked_add(panel.size())?;
            panels.push(panel);
            first += width;
        }
        rows += all;
    }
    Some(panels)
}
