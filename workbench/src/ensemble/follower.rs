//! The quantities of a member, followed along its run.

use least_action::drive::{ConstraintResidual, Moment, Observer, Quantity};
use least_action::system::{Holonomic, Nonholonomic, State};

use super::digest::Digest;
use crate::columnar::table::Cell;
use crate::observe::Observed;

/// Follows the quantities of a member.
pub(super) struct Follower<'m> {
    pub(super) number: u64,
    pub(super) energy: Box<dyn Quantity + 'm>,
    pub(super) residual: Option<ConstraintResidual<'m, dyn Holonomic + 'm>>,
    pub(super) rolling: Option<ConstraintResidual<'m, dyn Nonholonomic + 'm>>,
    pub(super) observed: Observed<'m>,
    pub(super) values: Vec<f64>,
    pub(super) digests: Vec<Digest>,
    pub(super) path: Option<Vec<Vec<Cell>>>,
}

impl Follower<'_> {
    /// Measures the quantities.
    pub(super) fn measure(&mut self, moment: &Moment<'_>) {
        self.energy.measure(moment, &mut self.values[..1]);
        let mut known = 1;
        if let Some(residual) = &mut self.residual {
            residual.measure(moment, &mut self.values[known..=known]);
            known += 1;
        }
        if let Some(rolling) = &mut self.rolling {
            rolling.measure(moment, &mut self.values[known..=known]);
            known += 1;
        }
        self.observed.measure(moment, &mut self.values[known..]);
    }
}

impl Observer for Follower<'_> {
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.measure(moment);
        let State { t, q, v } = moment.state;
        for (digest, value) in self.digests.iter_mut().zip(&self.values) {
            digest.take(*t, *value);
        }
        if let Some(path) = &mut self.path {
            let numbers = std::iter::once(*t).chain(q.iter().chain(v).chain(&self.values).copied());
            let row = std::iter::once(Cell::Integer(self.number as i64)).chain(numbers.map(Cell::Number));
            path.push(row.collect());
        }
        Ok(())
    }
}
