//! A model that a file declares, at run time.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use least_action::advanced::check::Comparison;
use least_action::advanced::describe::Description;
use least_action::drive::gradient::Starting;
use least_action::expr::Place;
use least_action::system::{Faces, Lagrangian, Look, State};
use least_action_core::binding::Dynamic;
#[cfg(feature = "python")]
use least_action_core::binding::Facts;
use least_action_core::files::read_text;
use least_action_declared::rust::{Error as Mistake, Source};
use least_action_declared::{Declared, Instance, Interpreted, Refusal};
use least_action_pages::model::Drawable;
use serde_json::{Map, Value};

use super::{Entry, Given, Unnamed, laid_over};
use crate::error::{Error, Result};
use crate::model::{Erased, checked};

/// Whether a name is that of a file that declares a model.
pub(crate) fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "rs")
}

/// Files with their names: the one that declares a model, and behind it the modules that it names.
pub(crate) type Files = Vec<(String, String)>;

/// Reads a file with the files beside it that it names as modules: `crate::scatter` is `scatter.rs`.
/// What is no file is refused where it is used.
///
/// # Errors
/// They cannot be read.
pub(crate) fn read(name: &str) -> Result<Files> {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let mut files = vec![(name.to_owned(), text_of(name)?)];
    let mut next = 0;
    while let Some((_, text)) = files.get(next) {
        for module in modules(text) {
            let shown = folder.join(format!("{module}.rs")).display().to_string();
            if files.iter().all(|(known, _)| *known != shown) && Path::new(&shown).is_file() {
                files.push((shown.clone(), text_of(&shown)?));
            }
        }
        next += 1;
    }
    Ok(files)
}

/// A model of a file.
#[derive(Clone)]
pub(crate) struct FromFile {
    declared: Arc<Declared>,
    files: Arc<Files>,
    /// The reason why the points of which the declaration speaks were not found.
    unseen: Arc<OnceLock<String>>,
}

impl FromFile {
    /// Compiles files.
    ///
    /// # Errors
    /// They have mistakes.
    pub(crate) fn of(files: Files) -> Result<Self> {
        let ((name, text), modules) =
            files.split_first().ok_or_else(|| Error::mistake("there is no declaration"))?;
        let with = |source: Source, (name, text): &(String, String)| {
            let module = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
            source.with_module(name, &[&module], text)
        };
        let source = Source::parse(name, text).and_then(|source| modules.iter().try_fold(source, with));
        let source = source.map_err(|mistake| told(&files, &[mistake]))?;
        match Declared::of(&source) {
            Ok(declared) => {
                Ok(Self { declared: Arc::new(declared), files: Arc::new(files), unseen: Arc::default() })
            }
            Err(Refusal::Bind(error)) => Err(Error::Bind(error)),
            Err(Refusal::Mistakes(mistakes)) => Err(told(&files, &mistakes)),
        }
    }

    /// The files.
    #[cfg(feature = "python")]
    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// A refusal of parameters, in the lines of the files where it comes from there.
    fn refused(&self, name: &str, refusal: Refusal) -> Error {
        match refusal {
            Refusal::Bind(error) => Error::Bind(error),
            Refusal::Mistakes(mistakes) if mistakes.iter().all(|mistake| mistake.file().is_some()) => {
                told(&self.files, &mistakes)
            }
            mistakes @ Refusal::Mistakes(_) => Error::parameters(name, mistakes),
        }
    }

    /// The defaults with overrides laid over them.
    fn instance(&self, given: Given<'_>) -> Result<Instance> {
        let fields = laid_over(self.parameters(given.0)?, given)?;
        let instance = self.declared.parameters(&Value::Object(fields));
        instance.map_err(|refusal| self.refused(given.0, refusal))
    }
}

fn text_of(name: &str) -> Result<String> {
    read_text(Path::new(name)).map_err(|error| Error::Mistake(format!("{name}: {error}")))
}

/// The modules that a text names behind `crate::`.
pub(super) fn modules(text: &str) -> Vec<String> {
    let is_word = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    text.split("crate::").skip(1).map(|rest| rest.chars().take_while(is_word).collect()).collect()
}

/// The mistakes of files as rustc prints them: the line, the place in it, and the remedy.
fn told(files: &[(String, String)], mistakes: &[Mistake]) -> Error {
    let of_one = |mistake: &Mistake| {
        let of_file = files.iter().find(|(name, _)| mistake.file() == Some(name));
        let mut first = Group::with_title(Level::ERROR.primary_title(mistake.message()));
        if let Some((name, text)) = of_file.or(files.first()) {
            let place = AnnotationKind::Primary.span(mistake.range(text));
            first = first.element(Snippet::source(text).path(name).annotation(place));
        }
        let help = mistake.help().map(|help| Group::with_title(Level::HELP.secondary_title(help)));
        Renderer::plain().render(&std::iter::once(first).chain(help).collect::<Vec<_>>())
    };
    let all: Vec<String> = mistakes.iter().map(of_one).collect();
    let first = mistakes.first().map(Mistake::place).unwrap_or_default();
    Error::Declaration { shown: all.join("\n\n"), line: first.line, column: first.column }
}

impl Entry for FromFile {
    fn files(&self) -> &[(String, String)] {
        &self.files
    }

    fn warnings(&self) -> Vec<String> {
        let own = self.declared.warnings().iter().map(ToString::to_string);
        own.chain(self.unseen.get().cloned()).collect()
    }

    fn declaration(&self) -> &str {
        self.declared.text()
    }

    #[cfg(feature = "python")]
    fn facts(&self) -> &Facts {
        self.declared.facts()
    }

    fn parameters(&self, name: &str) -> Result<Map<String, Value>> {
        let defaults = self.declared.parameters(&Value::Object(Map::new()));
        Ok(self.declared.written(&defaults.map_err(|refusal| self.refused(name, refusal))?))
    }

    fn bind(&self, given: Given<'_>, sensitive: Option<&[f64]>, memory: u64) -> Result<Unnamed> {
        let (name, mut parameters) = (given.0, self.instance(given)?);
        if let Some(values) = sensitive {
            parameters = self.declared.with_sensitive(&parameters, values)?;
        }
        let refused = |refusal| self.refused(name, refusal);
        let bound = self.declared.bind(&parameters, memory).map_err(refused)?;
        let start = self.declared.start(&parameters).map_err(refused)?.unwrap_or_else(|| at_rest(&bound));
        let times = self.declared.times(&parameters).map_err(refused)?;
        let (file, oracle) = (self.clone(), self.declared.oracle(&parameters).map_err(refused)?);
        let parameters = self.declared.written(&parameters);
        let system = BoundFile { file, parameters, start: start.clone(), bound, oracle };
        Ok((Box::new(system), start, times))
    }

    fn starting(&self, given: Given<'_>) -> Result<Starting<'static, Error>> {
        let (name, own, declared) = (given.0.to_owned(), self.clone(), Arc::clone(&self.declared));
        let instance = self.instance(given)?;
        let refused = move |refusal| own.refused(&name, refusal);
        if declared.start(&instance).map_err(&refused)?.is_none() {
            let still = at_rest(&declared.bind(&instance, u64::MAX).map_err(&refused)?);
            return Ok(Box::new(move |_| Ok(still.clone())));
        }
        let parameters = Value::Object(declared.written(&instance));
        Ok(Box::new(move |values| {
            let instance = declared.parameters(&parameters).map_err(&refused)?;
            let start = declared.start(&declared.with_sensitive(&instance, values)?).map_err(&refused)?;
            start.ok_or_else(|| Error::mistake("the start of the file is gone"))
        }))
    }
}

/// The start of a file without one.
fn at_rest(bound: &Dynamic) -> State {
    State::at_rest(vec![0.0; bound.faces().mechanics.dimension()])
}

/// A model of a file, bound to its parameters.
struct BoundFile {
    file: FromFile,
    parameters: Map<String, Value>,
    start: State,
    bound: Dynamic,
    oracle: Interpreted,
}

impl Drawable for BoundFile {
    fn lagrangian(&self) -> &dyn Lagrangian {
        self.bound.faces().mechanics
    }

    fn look(&self) -> Result<Look, least_action_pages::Error> {
        let declared = &self.file.declared;
        let own = declared.parameters(&Value::Object(self.parameters.clone()));
        let look = own.and_then(|own| declared.look(&own, &self.start));
        look.map_err(|refusal| least_action_pages::Error::panicked(&declared.facts().name, refusal))
    }

    fn places(&self, q: &[f64], v: &[f64], t: f64) -> Vec<Place> {
        // A picture of coordinates alone stands in their place, and the command says why.
        let unseen = |error| drop(self.file.unseen.set(format!("the picture has no points of L: {error}")));
        self.oracle.places(q, v, t).map_err(unseen).unwrap_or_default()
    }

    fn visit_potential(&self, most: usize, visit: &mut dyn FnMut(usize, &[u32])) {
        self.bound.visit_potential(most, visit);
    }
}

impl Erased for BoundFile {
    fn faces(&self) -> Faces<'_> {
        self.bound.faces()
    }

    fn description(&self) -> Description {
        self.bound.description()
    }

    fn parameters(&self) -> Map<String, Value> {
        self.parameters.clone()
    }

    fn check(
        &self,
        state: &State,
        penalty: Option<f64>,
        seed: u64,
        progress: &mut dyn FnMut(&'static str),
    ) -> Result<Option<Vec<Comparison>>> {
        let refused = |error| self.file.refused(&self.bound.facts().name, Refusal::of(error));
        self.oracle.tried(state).map_err(refused)?;
        let found = checked(&self.oracle, self.bound.faces(), (state, penalty, seed), progress)?;
        self.oracle.told(found).map_err(refused)
    }
}
