//! Writes the supplies of points into records, in the order of a list.

use super::columns::InputPlace;
use super::ends::{Layer, Supplies};
use super::family::NearFamily;
use crate::binding::at::Weights;
use crate::lanes::Quadruple;
use crate::lists::list::{List, MANY};

/// The numbers of a quadruple.
pub(super) const QUADRUPLE: usize = 4;

/// The points of a list, with the first ends of a layer.
#[derive(Clone, Copy)]
pub(super) struct Recorded<'a> {
    pub(super) family: &'a NearFamily,
    pub(super) layer: &'a Layer,
    pub(super) list: &'a List,
    /// The number of records: one for each place, and for a point that is near to nothing.
    pub(super) padded: usize,
}

impl Recorded<'_> {
    /// Writes a column of records: a number for each place.
    fn column(self, to: &mut [Quadruple], column: usize, of: impl Fn(usize) -> f64 + Sync) {
        let (turn, k) = (column / QUADRUPLE, column % QUADRUPLE);
        let to = &mut to[turn * self.padded..];
        halved(&self.list.number_of, to, &|number, record| record[k] = of(number));
    }

    /// Writes the points into records.
    fn points<const D: usize>(self, from: &[f64], to: &mut [Quadruple]) {
        let starts = &self.family.points().starts;
        halved(&self.list.number_of, to, &|number, record| {
            let point = from.get(starts[number] as usize..).and_then(<[f64]>::first_chunk::<D>);
            if let (Some(point), Some(record)) = (point, record.first_chunk_mut::<D>()) {
                *record = *point;
            }
        });
    }

    /// Writes the points into records, and the inputs that ends supply.
    pub(super) fn inputs(self, from: &[f64], to: &mut [Quadruple], column_of: impl Fn(InputPlace) -> usize) {
        match self.family.points().dimension {
            2 => self.points::<2>(from, to),
            _ => self.points::<3>(from, to),
        }
        self.layer.each_supplied(&self.family.seconds, &mut |k, places| {
            let read = |point: usize| from.get(places[point] as usize).copied().unwrap_or(0.0);
            self.column(to, column_of(self.family.columns.inputs[k]), read);
        });
    }

    /// Writes all supplies of points, and the numbers of ends or the weights of rows.
    pub(super) fn all(self, z: &[f64], weights: Weights<'_>, to: &mut [Quadruple]) {
        let Self { family, layer, .. } = self;
        self.inputs(z, to, |place| place.column);
        for Supplies { coefficients, .. } in [&family.seconds, &layer.supplies] {
            for (k, numbers) in coefficients.iter().enumerate().filter(|(_, numbers)| !numbers.is_empty()) {
                self.column(to, family.columns.coefficients[k].1, |point| numbers[point]);
            }
        }
        let Some(column) = family.columns.extra else { return };
        self.column(to, column, |point| match (layer.rows.get(point), weights) {
            // In pairs, the numbers of the ends decide which is the first one.
            (None, _) => point as f64,
            (Some(_), _) if !layer.has(point) => 0.0,
            (Some(_), Weights::Ones) => 1.0,
            (Some(row), Weights::Of(weights)) => weights[*row as usize],
        });
    }

    /// The class of each point as a first and as a second end, and its number.
    pub(super) fn classes(self, to: &mut Vec<[u32; 3]>) {
        to.clear();
        to.resize(self.padded, [0; 3]);
        let classes = [&self.layer.supplies.classes, &self.family.seconds.classes];
        for (to, number) in to.iter_mut().zip(&self.list.number_of) {
            let [first, second] = classes.map(|classes| classes[*number as usize]);
            *to = [first, second, *number];
        }
    }
}

/// Writes a quadruple for each point, on several threads if there are many.
fn halved(numbers: &[u32], records: &mut [Quadruple], write: &(impl Fn(usize, &mut Quadruple) + Sync)) {
    let half = numbers.len() / 2;
    if half < MANY {
        return numbers.iter().zip(records).for_each(|(number, record)| write(*number as usize, record));
    }
    let (left, right) = numbers.split_at(half);
    let (left_records, right_records) = records.split_at_mut(half);
    rayon::join(|| halved(left, left_records, write), || halved(right, right_records, write));
}
