//! The reasons for which a method does not fit a model.

use least_action::advanced::describe::{Force, Mass};
use least_action::error::StartError;
use least_action::method::rotation;
use least_action::system::{Kind, Natural, Text};
use least_action_methods::{Entry, Forces, Needs};

use crate::error::Names;
use crate::model::Erased;

/// The methods behind each reason, in the order in which reasons first occur.
pub(crate) fn by_reason<'r>(methods: impl Iterator<Item = (&'r str, &'r str)>) -> Vec<(&'r str, Names)> {
    let mut reasons: Vec<(&str, Names)> = Vec::new();
    for (method, reason) in methods {
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.0.push(method.to_owned()),
            None => reasons.push((reason, Names(vec![method.to_owned()]))),
        }
    }
    reasons
}

/// The reason for which it cannot take forces that the Lagrangian of the model does not give, if it
/// cannot.
pub(super) fn why_not_forces(method: &Entry, system: &dyn Erased) -> Option<String> {
    let system_of = system.lagrangian();
    let forced = system_of.forced()?;
    match method.forces {
        Forces::Any => None,
        Forces::None => {
            let names: Vec<String> =
                system.description().forces.into_iter().map(|force| force.name).collect();
            Some(format!(
                "it knows only the forces that the Lagrangian gives, and this model declares {}",
                Names(names)
            ))
        }
        Forces::OfPosition => {
            let n = system_of.dimension();
            let (_, column) = forced.force_pattern().entries().find(|&(_, column)| column >= n)?;
            Some(format!(
                "it takes forces of the position and the time alone, and a force of this model depends on the velocity of {}",
                system_of.layout().name_of(column - n)
            ))
        }
    }
}

/// The reason for which a system is none of bodies by their rotation matrices, as a start would tell it.
pub(super) fn why_no_body(method: &Entry, system: &dyn Natural) -> Option<String> {
    let coordinates = system.layout().coordinates();
    let is_one = matches!(coordinates, [one] if one.kind == Kind::Mat3 && one.lengths.is_empty());
    let checked = match method.needs {
        Needs::Bodies if coordinates.iter().all(|one| one.kind != Kind::Mat3) => {
            return Some("it needs bodies by their rotation matrices, such as `r: Mat3`".to_owned());
        }
        Needs::Bodies => rotation::check_bodies(method.name, system),
        _ if !is_one => {
            return Some("it needs a body whose one coordinate is a rotation matrix, `r: Mat3`".to_owned());
        }
        _ => rotation::check_body(method.name, system),
    };
    Some(match checked.err()? {
        StartError::NoRotatingBody { reason, .. } => {
            format!("it takes rotation matrices that nothing holds but that they are rotations: {reason}")
        }
        other => other.to_string(),
    })
}

/// The reason for which a model is not natural, in the words of its description.
pub(super) fn why_not_natural(system: &dyn Erased) -> String {
    let description = system.description();
    if let Some(constraint) = description.nonholonomic.first() {
        return format!(
            "it keeps no constraints on velocities, and this model declares `{}` with #[nonholonomic]",
            constraint.name
        );
    }
    let structure = description.structure;
    match (varying_mass(&structure.mass), structure.force) {
        (Some(varies), _) => format!("it needs a constant mass matrix, and this one {varies}"),
        (None, Force::DependsOn(names) | Force::Unproven(names)) => {
            let names: Names = names.iter().cloned().collect();
            format!("it needs a force free of velocities, and this one depends on the velocity of {names}")
        }
        (None, Force::PositionOnly) => "it needs L = ½ v·M v − V(q, t) with constant M".to_owned(),
    }
}

/// The variables of a mass that is not shown to be constant, in words.
pub(crate) fn varying_mass(mass: &Mass) -> Option<String> {
    // A mass without coordinates varies with time.
    let listed = |names: &[Text]| match names {
        [] => "the time".to_owned(),
        names => names.iter().cloned().collect::<Names>().to_string(),
    };
    match mass {
        Mass::Constant => None,
        Mass::DependsOn(names) => Some(format!("depends on {}", listed(names))),
        Mass::Unproven(names) => Some(format!("could not be shown to be constant in {}", listed(names))),
    }
}
