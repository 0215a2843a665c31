//! The methods that step members of an ensemble side by side.

use integrator_core::binding::Members;
use integrator_core::method::{Claims, MemberSteppers, Rattle, StepsMembers, Verlet};
use integrator_core::system::State;

use super::Entry;
use crate::options::Options;

impl Entry {
    /// Starts members side by side; none where the method, its options or the model do not allow it.
    ///
    /// `options` are those of each member.
    pub(crate) fn start_members<'s>(
        &self,
        members: &Members<'s>,
        options: &[&Options],
        starts: Vec<State>,
        steps: &[f64],
    ) -> Option<MemberSteppers<'s>> {
        let has_only =
            |names: &[&str]| options.iter().all(|options| options.names().all(|name| names.contains(&name)));
        match self.name {
            Verlet::NAME if has_only(&[]) => Verlet.start_members(members, starts, steps).ok(),
            Rattle::NAME if has_only(&["tolerance"]) => {
                let mut tolerances = options.iter().map(|options| options.get("tolerance"));
                let first = tolerances.next().flatten();
                let mut method = Rattle::default();
                method.tolerance = first.unwrap_or(method.tolerance);
                // One tolerance for all lanes.
                tolerances.all(|tolerance| tolerance == first).then_some(())?;
                method.start_members(members, starts, steps).ok()
            }
            _ => None,
        }
    }
}
