use super::Finding;
use crate::carried::carried;
use crate::method::{LEAST, measure_lengths};
use crate::system::{Holonomic, Layout, Nonholonomic, State};

/// The constraints of one kind.
enum ResidualRows<'s> {
    /// g(q, t) = 0.
    Positions(&'s dyn Holonomic),
    /// A(q, t) v + b(q, t) = 0.
    Velocities(&'s dyn Nonholonomic),
}

/// Measures the violation of constraints of one kind, with memory.
pub(super) struct Residual<'s> {
    rows: ResidualRows<'s>,
    values: Vec<f64>,
    derivatives: Vec<f64>,
    /// For each coordinate, the largest magnitude so far of a component of its entry, or of the entry's
    /// velocity.
    sizes: Vec<f64>,
    /// The natural lengths, as the methods take them.
    lengths: Vec<f64>,
    /// The largest violation, as a part of the size of its constraint, with its step and its time.
    worst: Option<(f64, u64, f64)>,
}

impl<'s> Residual<'s> {
    pub(super) fn of_positions(rows: &'s dyn Holonomic) -> Self {
        let (height, length) = (rows.constraints(), rows.jacobian_pattern().len());
        Self::new(ResidualRows::Positions(rows), [height, length, rows.dimension()])
    }

    pub(super) fn of_velocities(rows: &'s dyn Nonholonomic) -> Self {
        let (height, length) = (rows.nonholonomic_rows(), rows.nonholonomic_pattern().len());
        Self::new(ResidualRows::Velocities(rows), [height, length, rows.dimension()])
    }

    fn new(rows: ResidualRows<'s>, [height, length, dimension]: [usize; 3]) -> Self {
        let (values, derivatives) = (vec![0.0; height], vec![0.0; length]);
        Self {
            rows,
            values,
            derivatives,
            sizes: vec![0.0; dimension],
            lengths: vec![0.0; dimension],
            worst: None,
        }
    }

    pub(super) fn measure(&mut self, State { t, q, v }: &State, step: u64) {
        let Self { rows, values, derivatives, sizes, lengths, worst } = self;
        // The first column, and the velocities that multiply the entries.
        let (pattern, first, moved) = match rows {
            ResidualRows::Positions(rows) => {
                grow(rows.layout(), q, sizes);
                measure_lengths(rows.layout(), sizes, lengths);
                rows.jacobian(q, *t, values, derivatives);
                (rows.jacobian_pattern(), 0, None)
            }
            ResidualRows::Velocities(rows) => {
                grow(rows.layout(), v, sizes);
                measure_lengths(rows.layout(), sizes, lengths);
                rows.nonholonomic_derivatives(q, v, *t, values, derivatives);
                (rows.nonholonomic_pattern(), q.len(), Some(v))
            }
        };
        let mut largest = 0.0_f64;
        for (row, value) in values.iter().enumerate() {
            let place = pattern.row(row);
            let entries = derivatives[place.clone()].iter().zip(&pattern.columns()[place]);
            let (mut size, mut own) = (0.0, 0.0);
            for (entry, column) in entries {
                if let Some(column) = (*column as usize).checked_sub(first) {
                    size += entry.abs() * sizes[column].max(LEAST * lengths[column]);
                    own += moved.map_or(0.0, |v| entry * v[column]);
                }
            }
            if moved.is_some() {
                // b, which is large if a table turns below something at rest.
                size += (value - own).abs();
            }
            let part = value.abs() / size;
            // A constraint without a size has no scale; `max` would hide NaN.
            if size > 0.0 {
                largest = if part.is_nan() { f64::MAX } else { largest.max(part).min(f64::MAX) };
            }
        }
        if worst.is_none_or(|(before, ..)| largest > before) {
            *worst = Some((largest, step, *t));
        }
    }

    pub(super) fn finding(&self, limit: f64) -> Option<Finding> {
        self.worst.map(|(error, step, time)| Finding { error, limit, step, time })
    }
}

/// Updates the largest magnitudes.
pub(super) fn grow(layout: &Layout, values: &[f64], sizes: &mut [f64]) {
    for coordinate in layout.coordinates() {
        let place = coordinate.offset..coordinate.offset + coordinate.size();
        let components = coordinate.kind.components();
        let entries = values[place.clone()].chunks_exact(components);
        for (sizes, entry) in sizes[place].chunks_exact_mut(components).zip(entries) {
            let largest =
                entry.iter().chain(&*sizes).fold(0.0, |largest: f64, value| largest.max(value.abs()));
            sizes.fill(largest);
        }
    }
}

carried!([] Residual<'_> { sizes, worst } besides { rows, values, derivatives, lengths });
