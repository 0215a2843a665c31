//! Renumbered unknowns: chains whose declaration lists the links in another order use them.

use super::kernel::{Elimination, Entries, Factor, FactorError, Factored};
use crate::sparse::pattern::SymmetricPattern;

/// A matrix whose unknowns are renumbered for its kernel.
#[derive(Debug)]
pub(super) struct Reordered {
    /// The new place of each unknown.
    places: Vec<u32>,
    pattern: SymmetricPattern,
    /// The place of each entry of the lower triangle, and true if it is in the other triangle.
    targets: Vec<(u32, bool)>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    x: Vec<f64>,
    kernel: Box<dyn Factor>,
}

impl Reordered {
    /// With the kernel for the pattern that the new places give.
    pub(super) fn new(
        pattern: &SymmetricPattern,
        places: Vec<u32>,
        square: bool,
        kernel: impl FnOnce(&SymmetricPattern) -> Box<dyn Factor>,
    ) -> Self {
        let moved = |(row, column): (usize, usize)| (places[row] as usize, places[column] as usize);
        let renumbered = SymmetricPattern::new(pattern.dimension(), pattern.entries().map(moved));
        let target = |(row, column)| (renumbered.place(row, column), row < column);
        Self {
            targets: pattern.entries().map(moved).map(target).collect(),
            lower: vec![0.0; pattern.len()],
            upper: vec![0.0; if square { pattern.len() } else { 0 }],
            x: vec![0.0; pattern.dimension()],
            kernel: kernel(&renumbered),
            pattern: renumbered,
            places,
        }
    }
}

impl Factor for Reordered {
    fn factor(&mut self, entries: &Entries<'_>) -> Factored {
        let Self { places, pattern, targets, lower, upper, kernel, .. } = self;
        match entries.upper {
            None => {
                for (&(target, _), &value) in targets.iter().zip(entries.lower) {
                    lower[target as usize] = value;
                }
            }
            Some(other) => {
                for (&(target, swapped), (&a, &b)) in targets.iter().zip(entries.lower.iter().zip(other)) {
                    let (a, b) = if swapped { (b, a) } else { (a, b) };
                    (lower[target as usize], upper[target as usize]) = (a, b);
                }
            }
        }
        let upper = entries.upper.map(|_| &upper[..]);
        kernel.factor(&Entries { pattern, lower, upper, ..*entries }).map_err(|error| {
            let unknown = places.iter().position(|place| *place as usize == error.index);
            FactorError { index: unknown.unwrap_or(0), ..error }
        })
    }

    fn solve(&mut self, x: &mut [f64]) {
        for (&place, &value) in self.places.iter().zip(x.iter()) {
            self.x[place as usize] = value;
        }
        self.kernel.solve(&mut self.x);
        for (&place, value) in self.places.iter().zip(x) {
            *value = self.x[place as usize];
        }
    }

    fn elimination(&self) -> Elimination {
        match self.kernel.elimination() {
            Elimination::Banded { bandwidth, .. } => Elimination::Banded { bandwidth, renumbered: true },
            other => other,
        }
    }
}
