//! Trajectories in memory, column by column, for a program that takes them over.

use least_action::system::Layout;

use super::{Columns, Row};

/// The rows of a run.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// The names of the coordinates.
    pub(crate) coordinates: Vec<String>,
    pub(crate) t: Vec<f64>,
    /// Row by row, as many numbers as there are coordinates in each.
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    /// The energy and all behind it, each with its name.
    pub(crate) others: Vec<(String, Vec<f64>)>,
}

impl Rows {
    /// Takes the names of the columns.
    pub(crate) fn begin(&mut self, layout: &Layout, columns: &Columns) {
        let n = layout.dimension();
        self.coordinates = (0..n).map(|index| layout.name_of(index)).collect();
        self.others = columns.names.iter().skip(1 + 2 * n).map(|name| (name.clone(), Vec::new())).collect();
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, row: &Row<'_>) {
        self.t.push(row.t);
        self.q.extend_from_slice(row.q);
        self.v.extend_from_slice(row.v);
        for ((_, column), number) in self.others.iter_mut().zip(row.numbers().skip(1 + 2 * row.q.len())) {
            column.push(number);
        }
    }
}
