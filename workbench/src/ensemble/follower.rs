//! The quantities of a member, followed along its run.

use least_action::drive::{Moment, Observer, Quantity};
use least_action::system::State;

use super::digest::Digest;
use crate::columnar::table::Cell;
use crate::observe::Observed;

/// Follows the quantities of a member.
pub(super) struct Follower<'m> {
    pub(super) number: u64,
    /// The energy and the residuals, a number each.
    pub(super) own: Vec<Box<dyn Quantity + 'm>>,
    pub(super) observed: Observed<'m>,
    pub(super) values: Vec<f64>,
    pub(super) digests: Vec<Digest>,
    pub(super) path: Option<Vec<Vec<Cell>>>,
}

impl Follower<'_> {
    /// Measures the quantities.
    pub(super) fn measure(&mut self, moment: &Moment<'_>) {
        let (own, observed) = self.values.split_at_mut(self.own.len());
        self.own.iter_mut().zip(own.chunks_mut(1)).for_each(|(one, value)| one.measure(moment, value));
        self.observed.measure(moment, observed);
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
