use super::Finding;
use crate::system::{Holonomic, State};

/// Measures how far a state is from its constraints; owns the memory for it.
pub(super) struct Residual<'s> {
    constraints: &'s dyn Holonomic,
    values: Vec<f64>,
    jacobian: Vec<f64>,
    /// Of each coordinate, the largest magnitude so far of a component of its entry.
    sizes: Vec<f64>,
    /// The largest violation, as a part of the size of its constraint, with its steps and its time.
    worst: Option<(f64, u64, f64)>,
}

impl<'s> Residual<'s> {
    pub(super) fn new(constraints: &'s dyn Holonomic) -> Self {
        Self {
            constraints,
            values: vec![0.0; constraints.constraints()],
            jacobian: vec![0.0; constraints.jacobian_pattern().len()],
            sizes: vec![0.0; constraints.dimension()],
            worst: None,
        }
    }

    pub(super) fn measure(&mut self, state: &State, step: u64) {
        let Self { constraints, values, jacobian, sizes, worst } = self;
        for coordinate in constraints.layout().coordinates() {
            let place = coordinate.offset..coordinate.offset + coordinate.size();
            let components = coordinate.kind.components();
            let entries = state.q[place.clone()].chunks_exact(components);
            for (sizes, q) in sizes[place].chunks_exact_mut(components).zip(entries) {
                let largest = q.iter().chain(&*sizes).fold(0.0, |largest: f64, q| largest.max(q.abs()));
                sizes.fill(largest);
            }
        }
        constraints.jacobian(&state.q, state.t, values, jacobian);
        let pattern = constraints.jacobian_pattern();
        let mut largest = 0.0_f64;
        for (row, value) in values.iter().enumerate() {
            let place = pattern.row(row);
            let entries = jacobian[place.clone()].iter().zip(&pattern.columns()[place]);
            let size: f64 = entries.map(|(entry, column)| entry.abs() * sizes[*column as usize]).sum();
            let part = value.abs() / size;
            // A constraint without a size has no scale; `max` would hide what is not a number.
            if size > 0.0 {
                largest = if part.is_nan() { f64::MAX } else { largest.max(part).min(f64::MAX) };
            }
        }
        if worst.is_none_or(|(before, ..)| largest > before) {
            *worst = Some((largest, step, state.t));
        }
    }

    pub(super) fn finding(&self, limit: f64) -> Option<Finding> {
        self.worst.map(|(error, step, time)| Finding { error, limit, step, time })
    }
}
