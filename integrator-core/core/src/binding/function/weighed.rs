//! Second derivatives of the elements of sums, weighted by the sums: Σ w_k Hess φ_k by z.

use super::stages::Stages;
use crate::binding::at::{At, Weights};
use crate::binding::family::Placed;
use crate::binding::near::second::NearPlaced;
use crate::binding::signals::Now;
use crate::binding::terms::Terms;
use crate::scratch::Scratch;
use crate::sparse::SymmetricPattern;

/// Their places.
pub(in crate::binding) struct Weighed {
    pub(in crate::binding) pattern: SymmetricPattern,
    /// The entries that elements fill.
    pub(in crate::binding) entries: Vec<(usize, usize)>,
    placed: Vec<(Vec<Placed>, Vec<NearPlaced>)>,
    memory: Scratch<Vec<f64>>,
}

impl Weighed {
    /// Of the elements of these stages.
    pub(super) fn new(stages: &Stages) -> Self {
        let of_stages = stages.all.iter().map(|stage| stage.elements.all());
        let mut entries: Vec<_> = of_stages.clone().flat_map(Terms::second_entries).collect();
        let pattern = SymmetricPattern::new(stages.length, entries.iter().copied());
        entries.sort_unstable();
        entries.dedup();
        entries.shrink_to_fit();
        let placed = of_stages.map(|terms| {
            let families = terms.families.iter().map(|family| Placed::new(family, &pattern, &[]));
            (families.collect(), terms.near.iter().map(|family| family.placed(&pattern)).collect())
        });
        let (placed, length) = (placed.collect(), pattern.len());
        Self { pattern, entries, placed, memory: Scratch::new(move || vec![0.0; length]) }
    }

    /// Runs `inside` with the values at z; the weights follow x in `weights`.
    pub(in crate::binding) fn with<R>(
        &self,
        stages: &Stages,
        (z, weights): (&[f64], &[f64]),
        now: &Now<'_>,
        inside: impl FnOnce(&[f64]) -> R,
    ) -> R {
        self.memory.with(|values| {
            values.fill(0.0);
            for (stage, (placed, near)) in stages.all.iter().zip(&self.placed) {
                let at = At::new(&z[..stage.first], now);
                let weights = Weights::Of(&weights[stage.first..stage.first + stage.rows]);
                for (family, placed) in stage.elements.families.iter().zip(placed) {
                    family.add_second(placed, at, weights, &mut [], values);
                }
                for (family, placed) in stage.elements.near.iter().zip(near) {
                    family.add_second(placed, at, weights, &mut [], values);
                }
            }
            inside(values)
        })
    }
}
