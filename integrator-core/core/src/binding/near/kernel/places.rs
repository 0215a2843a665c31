//! The places of the inputs and coefficients of compiled code, as constants.

use super::{Ends, NearCode};
use crate::binding::near::columns::{InputPlace, RecordColumns};
use least_action_kernel::{Role, Source};

pub(super) const fn columns<K, const G: usize, const X: usize, const C: usize>() -> RecordColumns
where
    K: NearCode<G, X, C>,
{
    let Ends { dimension, sort, exchangeable, .. } = K::ENDS;
    RecordColumns::new(&K::INPUTS, &K::ENDS.roles, &K::ENDS.sources, dimension, sort, exchangeable)
}

pub(super) const fn places<K, const G: usize, const X: usize, const C: usize>() -> [InputPlace; X]
where
    K: NearCode<G, X, C>,
{
    let columns = columns::<K, G, X, C>();
    let mut places = [InputPlace { role: Role::Separation, column: 0, direction: 0 }; X];
    let mut k = 0;
    while k < X {
        places[k] = columns.input(&K::INPUTS, &K::ENDS.roles, k);
        k += 1;
    }
    places
}

pub(super) const fn coefficients<K, const G: usize, const X: usize, const C: usize>() -> [(Source, usize); C]
where
    K: NearCode<G, X, C>,
{
    let columns = columns::<K, G, X, C>();
    let mut found = [(Source::Shared, 0); C];
    let mut k = 0;
    while k < C {
        found[k] = (K::ENDS.sources[k], columns.coefficient(&K::ENDS.sources, k));
        k += 1;
    }
    found
}
