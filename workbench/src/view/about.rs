//! What a page says of its run in words.

use serde::Serialize;

use crate::arguments::Run;
use crate::methods;
use crate::parameters;
use crate::plot::Figure;
use crate::registry::Instance;
use least_action_methods::THERMOSTAT;

/// The panel of a page, and the words of a report.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct About {
    pub(crate) title: String,
    pub(crate) summary: String,
    /// Tables of names and values, each under a heading.
    pub(crate) sections: Vec<Section>,
    /// Sentences.
    pub(crate) notes: Vec<String>,
    /// The reason for which the run ended early.
    pub(crate) failure: Option<String>,
    /// True on a page that stands in another one, which says all this.
    pub(crate) embedded: bool,
    /// The documentation of the model, for a report.
    #[serde(skip)]
    pub(crate) documentation: String,
    /// Pictures of a report that are not made of moments.
    #[serde(skip)]
    pub(crate) figures: Vec<Figure>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Section {
    pub(crate) heading: String,
    pub(crate) rows: Vec<[String; 2]>,
}

impl About {
    /// Of a run that has ended, with what it tells of itself.
    pub(crate) fn of_run(
        instance: &Instance,
        arguments: &Run,
        result: Vec<[String; 2]>,
        notes: Vec<String>,
        failure: Option<String>,
    ) -> Self {
        let mut rows = vec![["method".to_owned(), arguments.method.clone()]];
        rows.extend(arguments.with.iter().map(|with| assignment(with)));
        // Of a composition, the order is an option; a name that is not known has no run.
        if rows.iter().any(|[name, _]| THERMOSTAT.contains(&name.as_str())) {
            rows.push(["keeps".to_owned(), "nothing: the thermostat gives and takes".to_owned()]);
        } else if let Ok(entry) = methods::find(&arguments.method) {
            let order = ["order".to_owned(), entry.claims.order.to_string()];
            rows.extend((!rows.iter().any(|[name, _]| *name == order[0])).then_some(order));
            let keeps = entry.claims.keeps(instance.system.lagrangian());
            let keeps = if keeps.is_empty() { "nothing".to_owned() } else { keeps.join(", ") };
            rows.push(["keeps".to_owned(), keeps]);
        }
        rows.push(["step".to_owned(), format!("{:?}", arguments.step)]);
        rows.push(["until".to_owned(), format!("{:?}", arguments.until)]);
        if arguments.every != 1 {
            rows.push(["recorded every".to_owned(), format!("{} steps", arguments.every)]);
        }
        if let Some(seed) = arguments.seed {
            rows.push(["seed".to_owned(), seed.to_string()]);
        }
        let mut about = Self { notes, failure, ..Self::of_model(instance) };
        about.title = format!("{}, {}", instance.name, arguments.method);
        about.sections.push(Section { heading: "Method".to_owned(), rows });
        about.sections.push(Section { heading: "Result".to_owned(), rows: result });
        about
    }

    /// Of the page of the motion in a report.
    pub(crate) fn of_embedded(&self) -> Self {
        Self { title: self.title.clone(), embedded: true, ..Self::default() }
    }

    /// Of a recorded trajectory.
    pub(crate) fn of_recording(file: &str, instance: Option<&Instance>, set: &[String]) -> Self {
        let mut about = instance.map(Self::of_model).unwrap_or_default();
        about.title = match instance {
            Some(instance) => format!("{}, {file}", instance.name),
            None => file.to_owned(),
        };
        let mut rows = vec![["file".to_owned(), file.to_owned()]];
        rows.extend(set.iter().map(|set| assignment(set)));
        about.sections.push(Section { heading: "Recording".to_owned(), rows });
        if instance.is_none() {
            let note = "Of the model nothing is known but the names of its coordinates: --model NAME draws what connects its points.";
            about.notes.push(note.to_owned());
        }
        about
    }

    fn of_model(instance: &Instance) -> Self {
        let description = instance.system.description();
        let summary = description.summary().to_owned();
        let rows = parameters::shown(&instance.system.parameters());
        let sections = vec![Section { heading: "Parameters".to_owned(), rows }];
        Self { summary, sections, documentation: description.documentation, ..Self::default() }
    }
}

/// A number to ten digits, which fit beside its name.
pub(crate) fn rounded(number: f64) -> String {
    format!("{:?}", format!("{number:.9e}").parse().unwrap_or(number))
}

fn assignment(text: &str) -> [String; 2] {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    [name.to_owned(), value.to_owned()]
}
