//! Writes the supplies of points into records, in the order of a list.

use super::columns::InputPlace;
use super::ends::{Layer, Supplies};
use super::family::NearFamily;
use crate::binding::at::Weights;
use crate::lanes::Quadruple;
use crate::lists::list::{List, MANY};

/// The numbers of a quadruple.
pub(super) const QUADRUPLE: usize = 4;

impl NearFamily {
    /// Writes a column of records: a number for each place.
    fn column(
        list: &List,
        to: &mut [Quadruple],
        padded: usize,
        column: usize,
        of: impl Fn(usize) -> f64 + Sync,
    ) {
        let (turn, k) = (column / QUADRUPLE, column % QUADRUPLE);
        halved(&list.number_of, &mut to[turn * padded..], &|number, record| record[k] = of(number));
    }

    /// Writes the points into records.
    fn points_of<const D: usize>(&self, list: &List, from: &[f64], to: &mut [Quadruple]) {
        let starts = &self.points().starts;
        halved(&list.number_of, to, &|number, record| {
            let point = from.get(starts[number] as usize..).and_then(<[f64]>::first_chunk::<D>);
            if let (Some(point), Some(record)) = (point, record.first_chunk_mut::<D>()) {
                *record = *point;
            }
        });
    }

    /// Writes the points into records, and the inputs that ends supply.
    pub(super) fn stage_inputs(
        &self,
        layer: &Layer,
        list: &List,
        from: &[f64],
        to: &mut [Quadruple],
        padded: usize,
        column_of: impl Fn(InputPlace) -> usize,
    ) {
        match self.points().dimension {
            2 => self.points_of::<2>(list, from, to),
            _ => self.points_of::<3>(list, from, to),
        }
        self.each_supplied(layer, &mut |k, places| {
            let read = |point: usize| from.get(places[point] as usize).copied().unwrap_or(0.0);
            Self::column(list, to, padded, column_of(self.columns.inputs[k]), read);
        });
    }

    /// Visits each input that ends supply, with the index for each point.
    pub(super) fn each_supplied(&self, layer: &Layer, show: &mut dyn FnMut(usize, &[u32])) {
        for (k, of_ends) in self.seconds.inputs.iter().zip(&layer.supplies.inputs).enumerate() {
            let supplied = [of_ends.0, of_ends.1].into_iter().find(|places| !places.is_empty());
            supplied.into_iter().for_each(|places| show(k, places));
        }
    }

    /// Writes the supplies of all points into records, and the numbers of ends or the weights of rows.
    pub(super) fn stage(
        &self,
        layer: &Layer,
        list: &List,
        (z, weights): (&[f64], Weights<'_>),
        to: &mut [Quadruple],
        padded: usize,
    ) {
        self.stage_inputs(layer, list, z, to, padded, |place| place.column);
        for Supplies { coefficients, .. } in [&self.seconds, &layer.supplies] {
            for (k, numbers) in coefficients.iter().enumerate().filter(|(_, numbers)| !numbers.is_empty()) {
                let (_, column) = self.columns.coefficients[k];
                Self::column(list, to, padded, column, |point| numbers[point]);
            }
        }
        if let Some(column) = self.columns.extra {
            Self::column(list, to, padded, column, |point| match (layer.rows.get(point), weights) {
                // In pairs, the numbers of the ends decide which is the first one.
                (None, _) => point as f64,
                (Some(_), _) if !layer.has(point) => 0.0,
                (Some(_), Weights::Ones) => 1.0,
                (Some(row), Weights::Of(weights)) => weights[*row as usize],
            });
        }
    }

    pub(super) fn stage_classes(&self, layer: &Layer, list: &List, padded: usize, to: &mut Vec<[u32; 3]>) {
        to.clear();
        to.resize(padded, [0; 3]);
        let classes = [&layer.supplies.classes, &self.seconds.classes];
        for (to, number) in to.iter_mut().zip(&list.number_of) {
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
