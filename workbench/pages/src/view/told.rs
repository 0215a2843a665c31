//! The additions of an author's look to the drawing of a model.

use least_action_core::system::{Kind, Look};

use super::drawn::{Drawn, Label, Solid};
use crate::error::Error;
use crate::model::Subject;

/// Adds the rods, springs, bodies, words and grounds of a look to a drawing.
///
/// # Errors
/// The look names nothing of the model, or has a size that is none.
pub(super) fn add(look: &Look, drawn: &mut Drawn, subject: Subject<'_>) -> Result<(), Error> {
    check(look, drawn, subject)?;
    let point = |(name, number): &(String, usize)| {
        let group = drawn.groups.iter().find(|group| group.name == *name);
        let group = group.ok_or_else(|| unknown(subject, name))?;
        if *number >= group.count {
            let reason = format!("it names `{name}[{number}]`, and `{name}` has {} points", group.count);
            return Err(Error::look(subject.name, reason));
        }
        Ok(group.first + number)
    };
    let (mut rods, mut springs) = (Vec::new(), Vec::new());
    for link in &look.links {
        let ends = [point(&link.ends[0])?, point(&link.ends[1])?];
        if link.spring { &mut springs } else { &mut rods }.push(ends);
    }
    let mut solids = Vec::new();
    for told in &look.solids {
        let ends = [point(&told.ends[0])?, point(&told.ends[1])?];
        solids.push(Solid { ends, radii: told.radii, length: told.length });
    }
    let mut labels = Vec::new();
    for (place, text) in &look.labels {
        labels.push(Label { point: point(place)?, text: text.clone() });
    }
    let grounds = look.grounds.iter().map(|ground| ground.map(Into::into)).collect();
    // A body of the author is not drawn twice.
    let bodies = solids.iter().filter(|solid| solid.length.is_none()).map(|solid| &solid.ends);
    let told: Vec<[usize; 2]> = rods.iter().chain(&springs).chain(bodies).copied().collect();
    let told = |pair: &[usize; 2]| told.iter().any(|[a, b]| *pair == [*a, *b] || *pair == [*b, *a]);
    drawn.rods.retain(|pair| !told(pair));
    drawn.springs.retain(|pair| !told(pair));
    drawn.rods.extend(rods);
    drawn.springs.extend(springs);
    (drawn.solids, drawn.labels, drawn.grounds) = (solids, labels, grounds);
    Ok(())
}

/// Refuses a look that names nothing of the model.
fn check(look: &Look, drawn: &Drawn, subject: Subject<'_>) -> Result<(), Error> {
    let Look { radii, colours, species, boxes, hidden, solids, grounds, .. } = look;
    let refuse = |reason: String| Err(Error::look(subject.name, reason));
    let is_size = |x: &f64| x.is_finite() && *x >= 0.0;
    if let Some(one) =
        solids.iter().find(|one| !one.radii.iter().all(is_size) || one.radii.iter().sum::<f64>() <= 0.0)
    {
        return refuse(format!("its body at `{}` has the radii {:?}", one.ends[0].0, one.radii));
    }
    if let Some([_, up]) =
        grounds.iter().find(|[at, up]| !(at + up).iter().all(|x| x.is_finite()) || up.norm() == 0.0)
    {
        return refuse(format!("up from its ground is {:?}, which is no direction", up.as_slice()));
    }
    let names = radii.iter().map(|(name, _)| name);
    let names = names.chain(colours.iter().chain(species).map(|(name, _)| name));
    let names = names.chain(hidden).chain(boxes.iter().filter_map(|one| one.centres.as_ref()));
    for name in names {
        if !drawn.groups.iter().any(|group| group.name == *name) {
            return Err(unknown(subject, name));
        }
    }
    let is_word = |one: &String| !one.is_empty() && one.bytes().all(|byte| byte.is_ascii_graphic());
    if let Some(one) = species.iter().flat_map(|(_, all)| all).find(|one| !is_word(one)) {
        return refuse(format!("its species {one:?} is no word such as \"O\""));
    }
    let layout = subject.system.lagrangian().layout();
    let matrices =
        |name: &str| layout.coordinates().iter().any(|group| group.kind == Kind::Mat3 && group.name == name);
    match boxes.iter().find(|one| !matrices(&one.turns)) {
        Some(one) => Err(unknown(subject, &one.turns)),
        None => Ok(()),
    }
}

fn unknown(subject: Subject<'_>, name: &str) -> Error {
    let reason =
        format!("it names `{name}`, which is neither a coordinate of points nor a group that it adds");
    Error::look(subject.name, reason)
}
