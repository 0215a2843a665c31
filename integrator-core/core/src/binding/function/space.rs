//! The arguments x of functions and their sums, with the derivatives of the sums.

use super::entries::MOST_ENTRIES;
use super::slopes::Slopes;
use super::stages::Stages;
use super::weighed::Weighed;
use crate::binding::collectives::FoundStage;
use crate::sparse::SymmetricPattern;
use std::sync::OnceLock;

/// x and its sums.
pub(in crate::binding) struct Space {
    pub(in crate::binding) stages: Stages,
    /// x alone, for functions without sums.
    plain: Stages,
    slopes: OnceLock<Result<Slopes, usize>>,
    weighed: OnceLock<Result<Weighed, usize>>,
}

impl Space {
    /// q with the sums of functions of (q, t).
    pub(in crate::binding) fn of_positions(dimension: usize, found: Vec<FoundStage>) -> Self {
        Self::new((dimension, false), found, true)
    }

    /// (q, v, t) with the sums of functions of (q, v, t); without memory if no function reads them.
    pub(in crate::binding) fn of_motion(dimension: usize, found: Vec<FoundStage>, is_read: bool) -> Self {
        Self::new((2 * dimension + 1, true), found, is_read)
    }

    fn new(base: (usize, bool), found: Vec<FoundStage>, is_read: bool) -> Self {
        Self {
            stages: Stages::new(base, found, is_read),
            plain: Stages::new(base, Vec::new(), is_read),
            slopes: OnceLock::new(),
            weighed: OnceLock::new(),
        }
    }

    /// All stages for a function that reads sums; x alone otherwise.
    pub(in crate::binding) fn read(&self, with_sums: bool) -> &Stages {
        if with_sums { &self.stages } else { &self.plain }
    }

    /// J = ∂u/∂x.
    ///
    /// # Errors
    /// It has too many entries; a lower bound of their number.
    pub(in crate::binding) fn slopes(&self) -> Result<&Slopes, usize> {
        self.slopes.get_or_init(|| Slopes::new(&self.stages)).as_ref().map_err(|entries| *entries)
    }

    /// Σ w_k Hess φ_k by z.
    ///
    /// # Errors
    /// Elements fill too many entries; a lower bound of their number.
    pub(in crate::binding) fn weighed(&self) -> Result<&Weighed, usize> {
        let find = || {
            if self.stages.near_entries() > MOST_ENTRIES as u64 {
                return Err(MOST_ENTRIES + 1);
            }
            Ok(Weighed::new(&self.stages))
        };
        self.weighed.get_or_init(find).as_ref().map_err(|entries| *entries)
    }

    /// The pattern by x of second derivatives with these entries by z.
    ///
    /// # Errors
    /// It has too many entries; a lower bound of their number.
    pub(super) fn second_pattern(&self, by_z: &[(usize, usize)]) -> Result<SymmetricPattern, usize> {
        let of_sums = &self.weighed()?.entries;
        self.slopes()?.of_second(by_z.iter().chain(of_sums).copied())
    }
}
