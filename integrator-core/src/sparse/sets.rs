//! Rows of a sparse matrix in small independent sets (the constraints of a molecule each), eight sets of one shape side by side.
//!
//! The same number of eight sets stands in one register, so that one operation serves eight sets. The operations of a set and
//! their order are those of the set alone: neither the registers at hand nor the sets beside it change its bits.

use super::RowPattern;
use crate::lanes::{Eight, MOST_LANES};
use std::collections::HashMap;

/// The most rows of a set.
pub(super) const LARGEST: usize = 6;
/// Fewer sets than this for each group of eight leave too many lanes idle.
const FILLED: usize = 4;

/// The same index of eight sets.
pub(super) type Places = [u32; MOST_LANES];

/// The rows of a sparse matrix in small independent sets, which share no column: the constraints of a rigid molecule each.
///
/// Eight sets of one shape stand side by side. Rows, columns and entries of all such groups are numbered one after the other.
#[derive(Debug)]
pub struct Sets {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) groups: Vec<Group>,
    /// How many sets there are, and the number of rows of the largest.
    pub(super) count: usize,
    pub(super) largest: usize,
}

/// Where a column of a lower triangle of this size begins, column by column.
#[inline(always)]
pub(crate) fn column_start(size: usize, column: usize) -> usize {
    column * (2 * size + 1 - column) / 2
}

/// What is the same for all sets of a group.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// The row and the column of each entry, in the numbering of the set; column by column.
    pub(crate) entries: Vec<(usize, usize)>,
}

/// Up to eight sets of one shape; the last one stands in the lanes that are left over.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) shape: usize,
    pub(super) sets: usize,
    pub(crate) rows: Vec<Places>,
    pub(crate) columns: Vec<Places>,
    /// Where the entries stand among the values of the matrix.
    pub(super) entries: Vec<Places>,
    /// How many rows, cells, entries of lower triangles of Aᵀ A, columns and pairs of rows all groups before this one have.
    pub(crate) first_row: usize,
    pub(crate) first_cell: usize,
    pub(crate) first_triangle: usize,
    pub(crate) first_column: usize,
    pub(super) first_pair: usize,
}

#[inline(always)]
pub(super) fn eight(from: &[f64], places: &Places) -> Eight {
    let mut values = Eight::ZERO;
    for lane in 0..MOST_LANES {
        values[lane] = from[places[lane] as usize];
    }
    values
}

/// The lanes beyond the last set write what that set writes.
#[inline(always)]
pub(super) fn put(values: &[f64], places: &[u32], to: &mut [f64]) {
    for (place, value) in places.iter().zip(values) {
        to[*place as usize] = *value;
    }
}

#[inline(always)]
pub(super) fn gather(from: &[f64], places: &[Places], to: &mut [Eight]) {
    for (to, places) in to.iter_mut().zip(places) {
        *to = eight(from, places);
    }
}

#[inline(always)]
pub(super) fn scatter(values: &[Eight], places: &[Places], to: &mut [f64]) {
    for (values, places) in values.iter().zip(places) {
        put(&values[..], places, to);
    }
}

impl Sets {
    /// `None` where the rows do not fall into such sets.
    pub(crate) fn new(matrix: &RowPattern) -> Option<Self> {
        let sets = independent_sets(matrix);
        let largest = sets.iter().map(Vec::len).max()?;
        if !(2..=LARGEST).contains(&largest) || sets.len() < 2 {
            return None;
        }
        let mut found = Self { shapes: Vec::new(), groups: Vec::new(), count: sets.len(), largest };
        let mut shape_of = HashMap::new();
        // The group that is being filled, for each shape.
        let mut open: Vec<Option<usize>> = Vec::new();
        for set in &sets {
            let Local { entries, columns, places } = Local::of(set, matrix);
            let shape = *shape_of.entry(entries).or_insert_with_key(|entries| {
                let (rows, columns) = (set.len(), columns.len());
                found.shapes.push(Shape { rows, columns, entries: entries.clone() });
                open.push(None);
                found.shapes.len() - 1
            });
            let full = |group: usize| found.groups[group].sets == MOST_LANES;
            let group = match open[shape] {
                Some(group) if !full(group) => group,
                _ => found.open_group(shape),
            };
            open[shape] = Some(group);
            found.groups[group].push(set, &columns, &places);
        }
        (found.groups.len() <= 1 + sets.len() / FILLED).then_some(found)
    }

    /// Zeros for all rows.
    pub(crate) fn zero_rows(&self) -> Vec<Eight> {
        self.zeros(|shape| shape.rows)
    }

    /// Zeros for all columns.
    pub(crate) fn zero_columns(&self) -> Vec<Eight> {
        self.zeros(|shape| shape.columns)
    }

    /// Zeros for all cells: every row of every column of each set.
    pub(crate) fn zero_cells(&self) -> Vec<Eight> {
        self.zeros(|shape| shape.rows * shape.columns)
    }

    /// Zeros for the lower triangles of Aᵀ A of all sets.
    pub(crate) fn zero_triangles(&self) -> Vec<Eight> {
        self.zeros(Shape::triangle)
    }

    fn zeros(&self, of: fn(&Shape) -> usize) -> Vec<Eight> {
        vec![Eight::ZERO; self.groups.iter().map(|group| of(&self.shapes[group.shape])).sum()]
    }

    /// What stands at the rows, in the numbering of the sets.
    pub(crate) fn gather_rows(&self, from: &[f64], to: &mut [Eight]) {
        self.groups.iter().for_each(|group| gather(from, &group.rows, &mut to[group.first_row..]));
    }

    /// What stands at the columns, in the numbering of the sets.
    pub(crate) fn gather_columns(&self, from: &[f64], to: &mut [Eight]) {
        self.groups.iter().for_each(|group| gather(from, &group.columns, &mut to[group.first_column..]));
    }

    /// The entries of the matrix in their cells; the other cells are left as they are.
    pub(crate) fn gather_entries(&self, from: &[f64], to: &mut [Eight]) {
        for group in &self.groups {
            let shape = &self.shapes[group.shape];
            for (places, entry) in group.entries.iter().zip(&shape.entries) {
                to[group.first_cell + shape.cell(*entry)] = eight(from, places);
            }
        }
    }

    /// Back to the entries.
    pub(crate) fn scatter_entries(&self, from: &[Eight], to: &mut [f64]) {
        for group in &self.groups {
            let shape = &self.shapes[group.shape];
            for (places, entry) in group.entries.iter().zip(&shape.entries) {
                put(&from[group.first_cell + shape.cell(*entry)][..], places, to);
            }
        }
    }

    /// Back to the rows.
    pub(crate) fn scatter_rows(&self, from: &[Eight], to: &mut [f64]) {
        self.groups.iter().for_each(|group| scatter(&from[group.first_row..], &group.rows, to));
    }

    /// Back to the columns.
    pub(crate) fn scatter_columns(&self, from: &[Eight], to: &mut [f64]) {
        self.groups.iter().for_each(|group| scatter(&from[group.first_column..], &group.columns, to));
    }

    /// How many rows the matrix has.
    pub(crate) fn rows(&self) -> usize {
        let of_group = |group: &Group| group.sets * self.shapes[group.shape].rows;
        self.groups.iter().map(of_group).sum()
    }

    /// An empty group behind the last one.
    fn open_group(&mut self, shape: usize) -> usize {
        let after = |begin: fn(&Group) -> usize, length: fn(&Shape) -> usize| {
            self.groups.last().map_or(0, |last| begin(last) + length(&self.shapes[last.shape]))
        };
        let group = Group {
            first_row: after(|group| group.first_row, |shape| shape.rows),
            first_cell: after(|group| group.first_cell, |shape| shape.rows * shape.columns),
            first_triangle: after(|group| group.first_triangle, Shape::triangle),
            first_column: after(|group| group.first_column, |shape| shape.columns),
            first_pair: after(|group| group.first_pair, |shape| shape.rows * shape.rows),
            shape,
            sets: 0,
            rows: vec![[0; MOST_LANES]; self.shapes[shape].rows],
            columns: vec![[0; MOST_LANES]; self.shapes[shape].columns],
            entries: vec![[0; MOST_LANES]; self.shapes[shape].entries.len()],
        };
        self.groups.push(group);
        self.groups.len() - 1
    }
}

impl Shape {
    /// Where the cell of an entry stands among those of its set: column by column.
    pub(crate) fn cell(&self, (row, column): (usize, usize)) -> usize {
        column * self.rows + row
    }

    /// How many entries a lower triangle over the columns has.
    pub(crate) fn triangle(&self) -> usize {
        self.columns * (self.columns + 1) / 2
    }
}

impl Group {
    /// Puts a set in the next lane, and in all beyond it.
    fn push(&mut self, rows: &[u32], columns: &[u32], places: &[u32]) {
        let lanes = self.sets..MOST_LANES;
        let put = |to: &mut [Places], from: &[u32]| {
            to.iter_mut().zip(from).for_each(|(to, from)| to[lanes.clone()].fill(*from));
        };
        put(&mut self.rows, rows);
        put(&mut self.columns, columns);
        put(&mut self.entries, places);
        self.sets += 1;
    }
}

/// A set in its own numbering.
struct Local {
    entries: Vec<(usize, usize)>,
    columns: Vec<u32>,
    /// Where its entries stand among the values of the matrix.
    places: Vec<u32>,
}

impl Local {
    fn of(set: &[u32], matrix: &RowPattern) -> Self {
        let rows = || set.iter().map(|&row| matrix.row(row as usize));
        let mut columns: Vec<u32> = rows().flat_map(|row| &matrix.columns()[row]).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let column = |place: usize| columns.binary_search(&matrix.columns()[place]).unwrap_or_default();
        let of_rows = rows().enumerate().flat_map(|(row, places)| places.map(move |place| (row, place)));
        let mut entries: Vec<_> = of_rows.map(|(row, place)| (column(place), row, place as u32)).collect();
        entries.sort_unstable();
        Self {
            entries: entries.iter().map(|&(column, row, _)| (row, column)).collect(),
            places: entries.iter().map(|&(_, _, place)| place).collect(),
            columns,
        }
    }
}

/// The sets of rows that share no column with others, in the order of their first rows.
fn independent_sets(matrix: &RowPattern) -> Vec<Vec<u32>> {
    fn root(parents: &mut [usize], mut row: usize) -> usize {
        while parents[row] != row {
            parents[row] = parents[parents[row]];
            row = parents[row];
        }
        row
    }
    let mut parents: Vec<usize> = (0..matrix.height()).collect();
    let mut reader: Vec<Option<usize>> = vec![None; matrix.width()];
    for (row, column) in matrix.entries() {
        if let Some(other) = reader[column].replace(row) {
            let (a, b) = (root(&mut parents, row), root(&mut parents, other));
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut sets = vec![Vec::new(); matrix.height()];
    for row in 0..matrix.height() {
        let first = root(&mut parents, row);
        sets[first].push(row as u32);
    }
    sets.retain(|set| !set.is_empty());
    sets
}
