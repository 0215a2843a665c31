//! The words of a page on a run, a recording and a model.

use least_action::system::State;
use least_action_pages::document::Section;
use least_action_pages::plot::commented;
use least_action_pages::view::{About, rounded};

use super::recording::{Member, Recording};
use crate::arguments::{By, Request, Run, View};
use crate::identity::{Identity, PROGRAM};
use crate::methods;
use crate::parameters;
use crate::registry::Instance;
use least_action_methods::THERMOSTAT;
use serde_json::{Map, Value};

/// The words of an ended run about itself.
pub(crate) fn of_run(
    instance: &Instance,
    arguments: &Run,
    (command, start): (&str, &State),
    result: Vec<[String; 2]>,
    notes: Vec<String>,
    failure: Option<String>,
) -> About {
    let Request { by: By { method, with, step }, until, .. } = &arguments.request;
    let method = method.as_deref().unwrap_or("a method");
    let mut rows = vec![["method".to_owned(), method.to_owned()]];
    rows.extend(with.iter().map(|with| assignment(with)));
    // Of a composition, the order is an option; a name that is not known has no run.
    if rows.iter().any(|[name, _]| THERMOSTAT.contains(&name.as_str())) {
        rows.push(["keeps".to_owned(), "nothing: the thermostat gives and takes".to_owned()]);
    } else if let Ok(entry) = methods::find(method) {
        let order = ["order".to_owned(), entry.claims.order.to_string()];
        rows.extend((!rows.iter().any(|[name, _]| *name == order[0])).then_some(order));
        let keeps = entry.claims.keeps(instance.system.lagrangian());
        let keeps = if keeps.is_empty() { "nothing".to_owned() } else { keeps.join(", ") };
        rows.push(["keeps".to_owned(), keeps]);
    }
    rows.extend(step.map(|step| ["step".to_owned(), format!("{step:?}")]));
    let ends = until.events().into_iter().chain(until.time().map(|time| format!("{time:?}")));
    rows.extend(ends.map(|end| ["until".to_owned(), end]));
    if let Some(every) = arguments.every.filter(|every| *every != 1) {
        rows.push(["recorded every".to_owned(), format!("{every} steps")]);
    }
    if let Some(seed) = arguments.seed {
        rows.push(["seed".to_owned(), seed.to_string()]);
    }
    let mut about = About { notes, failure, ..of_model(instance) };
    about.notes.extend(averaged(method));
    about.title = format!("{}, {}", instance.name, method);
    about.sections.push(section("Method", rows));
    about.sections.push(section("Result", result));
    about.sections.push(section("Start", of_start(instance, start)));
    about.sections.push(made_by(command));
    about
}

pub(crate) fn section(heading: &str, rows: Vec<[String; 2]>) -> Section {
    Section { heading: heading.to_owned(), rows }
}

/// The program with its version, and its command.
pub(crate) fn made_by(command: &str) -> Section {
    let rows = [["program", PROGRAM], ["command", command]].map(|row| row.map(str::to_owned));
    section("Made by", rows.into_iter().filter(|[_, value]| !value.is_empty()).collect())
}

/// The numbers of a start that are not the model's own, where it has some.
fn of_start(instance: &Instance, start: &State) -> Vec<[String; 2]> {
    /// The numbers that are told.
    const NUMBERS: usize = 8;
    let (layout, own) = (instance.system.lagrangian().layout(), &instance.start);
    let numbers = |state: &State| [&[state.t][..], &state.q, &state.v].concat();
    let n = layout.dimension();
    let name = |place: usize| match place {
        0 => "t".to_owned(),
        _ if place <= n => layout.name_of(place - 1),
        _ => format!("der.{}", layout.name_of(place - 1 - n)),
    };
    // Velocities that are not recorded are no others.
    let all = numbers(start).into_iter().zip(numbers(own)).enumerate();
    let mut others = all.filter(|(_, (number, own))| !number.is_nan() && number.to_bits() != own.to_bits());
    let mut rows: Vec<[String; 2]> =
        others.by_ref().take(NUMBERS).map(|(place, (number, _))| [name(place), rounded(number)]).collect();
    let rest = others.count();
    rows.extend((rest > 0).then(|| ["…".to_owned(), format!("{rest} more")]));
    rows
}

/// Of a recorded trajectory.
pub(super) fn of_recording(
    file: &str,
    instance: Option<&Instance>,
    recording: &Recording,
    (view, command): (&View, &str),
) -> About {
    let known = recording.known.as_ref();
    let mut about = instance.map(of_model).unwrap_or_default();
    let member = known.and_then(|known| known.member.as_ref());
    let of = member.map_or_else(|| file.to_owned(), |member| format!("{file}, member {}", member.number));
    about.title = instance.map_or_else(|| of.clone(), |instance| format!("{}, {of}", instance.name));
    let mut rows = vec![["file".to_owned(), file.to_owned()]];
    rows.extend(view.set.iter().map(|set| assignment(set)));
    about.sections.push(section("Recording", rows));
    if let Some(Member { number, own, method, options, step }) = member {
        let mut rows = vec![["member".to_owned(), number.to_string()]];
        rows.extend(parameters::shown(own));
        about.sections.push(section("Member", rows));
        about.sections.push(of_method(method, options, *step, None));
    }
    if let Some(run) = known.and_then(|known| known.run.as_ref()) {
        let Identity { method, options, step, seed, .. } = run;
        let mut section = of_method(method, options, *step, Some(*seed));
        let elsewhere = instance.filter(|instance| run.begins_elsewhere(instance));
        let start = elsewhere.map(|_| ["start".to_owned(), "none of the model's own".to_owned()]);
        section.rows.extend(start);
        section.rows.push(["recorded by".to_owned(), run.program.clone()]);
        about.sections.push(section);
    }
    about.sections.push(made_by(command));
    about.notes.extend(recording.method().and_then(averaged));
    if instance.is_none() && known.is_none() {
        let note = "Of the model nothing is known but the names of its coordinates: --model NAME draws the connections of its points.";
        about.notes.push(note.to_owned());
    }
    about
}

fn of_method(method: &str, options: &Map<String, Value>, step: f64, seed: Option<u64>) -> Section {
    let mut rows = vec![["method".to_owned(), method.to_owned()]];
    rows.extend(parameters::shown(options));
    rows.push(["step".to_owned(), format!("{step:?}")]);
    rows.extend(seed.map(|seed| ["seed".to_owned(), seed.to_string()]));
    section("Method", rows)
}

/// The reason for which the energy of some methods is not shown.
fn averaged(method: &str) -> Option<String> {
    let note = "The energy is left out: the run follows the average over a fast phase, and the energy at a moment is the energy of the phase there.";
    methods::averages(method).then(|| note.to_owned())
}

fn of_model(instance: &Instance) -> About {
    let description = instance.system.description();
    let summary = description.summary();
    let mut rows = parameters::shown(&instance.system.parameters());
    for [name, value] in &mut rows {
        if let Some(unit) = description.fields.get(&**name).and_then(|comment| commented(comment)) {
            *value = format!("{value} {unit}");
        }
    }
    let sections = vec![section("Parameters", rows)];
    About { summary, sections, documentation: description.documentation, ..About::default() }
}

fn assignment(text: &str) -> [String; 2] {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    [name.to_owned(), value.to_owned()]
}
