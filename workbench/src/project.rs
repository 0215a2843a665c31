//! `project`: the state on the constraints nearest to a guess; with `omega`, the state on a slow
//! manifold.

use least_action::method::{project as project_state, project_positions, project_velocities};

use least_action::system::State;

use crate::arguments::Project;
use crate::error::{Error, Result};
use crate::options;
use crate::parameters;
use crate::registry::Registry;
use crate::slow;
use crate::streams::Streams;

/// Projects positions and then velocities, and prints the state.
pub(crate) fn project(registry: &Registry, arguments: &Project, streams: &mut Streams<'_>) -> Result {
    let instance = parameters::bind(registry, &arguments.model)?;
    let params = arguments.model.params.as_deref();
    let options = options::read("project", &slow::OPTIONS, params, &arguments.with)?;
    let layout = instance.system.lagrangian().layout();
    let mut state = arguments.start.state(&instance)?;
    if let Some(omega) = options.get("omega") {
        return slow::project(&instance, &options, omega, state, arguments.format, streams);
    }
    if let Some(option) =
        slow::OPTIONS.into_iter().find(|name| *name != "tolerance" && options.get(name).is_some())
    {
        return Err(Error::Mistake(format!(
            "--with {option}: it belongs to the projection onto a slow manifold; add --with omega=…"
        )));
    }
    let constrained = instance.system.faces().constrained.ok_or_else(|| {
        let (quantity, reason) = match instance.system.lagrangian().holonomic() {
            Some(_) => ("constant mass", "the distance to the constraints is measured by it"),
            None => ("constraints", "there is nothing to project onto"),
        };
        Error::not_available(&instance.name, quantity, reason)
    })?;
    match options.get("tolerance") {
        Some(tolerance) if tolerance <= 0.0 => {
            return Err(Error::number("--with tolerance", tolerance, "the tolerance must be positive"));
        }
        Some(tolerance) => {
            project_positions(constrained, &mut state.q, state.t, tolerance)?;
            project_velocities(constrained, &state.q, &mut state.v, state.t)?;
        }
        None => project_state(constrained, &mut state)?,
    }
    streams.print(arguments.format, &state, |State { q, v, .. }, out| out.state(layout, q, v))
}
