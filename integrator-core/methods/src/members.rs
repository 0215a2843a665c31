//! The methods that step members of an ensemble side by side.

use least_action_core::binding::Members;
use least_action_core::method::{Claims, Composition, MemberSteppers, Rattle, StepsMembers, Verlet};
use least_action_core::system::State;

use crate::Entry;
use crate::options::Options;

/// Members with their starts and steps.
struct Started<'m, 's> {
    members: &'m Members<'s>,
    starts: Vec<State>,
    steps: &'m [f64],
}

impl Entry {
    /// Starts members side by side; `None` if the method, its options or the model do not allow it.
    ///
    /// `options` holds the options of each member.
    pub fn start_members<'s>(
        &self,
        members: &Members<'s>,
        options: &[&Options],
        starts: Vec<State>,
        steps: &[f64],
    ) -> Option<MemberSteppers<'s>> {
        let has_only =
            |names: &[&str]| options.iter().all(|options| options.names().all(|name| names.contains(&name)));
        // All lanes share one option.
        let alike = |name: &str| {
            let mut all = options.iter().map(|options| options.get(name));
            let first = all.next().flatten();
            all.all(|other| other == first).then_some(first)
        };
        let started = Started { members, starts, steps };
        let order = alike("order")?.unwrap_or(2.0);
        match self.name {
            Verlet::NAME if has_only(&["order"]) => started.of_order(Verlet, order),
            Rattle::NAME if has_only(&["order", "tolerance"]) => {
                let mut method = Rattle::default();
                method.tolerance = alike("tolerance")?.unwrap_or(method.tolerance);
                started.of_order(method, order)
            }
            _ => None,
        }
    }
}

impl<'s> Started<'_, 's> {
    /// A method composed to this order.
    fn of_order<M>(self, method: M, order: f64) -> Option<MemberSteppers<'s>>
    where
        M: StepsMembers,
        Composition<M, 4>: StepsMembers,
        Composition<M, 6>: StepsMembers,
        Composition<M, 8>: StepsMembers,
    {
        match order {
            2.0 => self.by(&method),
            4.0 => self.by(&Composition::<M, 4>::of(method)),
            6.0 => self.by(&Composition::<M, 6>::of(method)),
            8.0 => self.by(&Composition::<M, 8>::of(method)),
            _ => None,
        }
    }

    fn by(self, method: &impl StepsMembers) -> Option<MemberSteppers<'s>> {
        method.start_members(self.members, self.starts, self.steps).ok()
    }
}
