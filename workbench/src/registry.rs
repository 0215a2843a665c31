//! Models by name: from parameters as plain data to a bound, type-erased instance with its start.

pub(crate) mod file;

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use least_action::Model;
use least_action::advanced::inputs::{self, Input};
use least_action::drive::gradient::Starting;
use least_action::emitted::v1::Declared;
use least_action::expr::Oracle;
use least_action::system::{Start, State};
#[cfg(feature = "python")]
use least_action_core::binding::Facts;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use least_action_pages::files;
use least_action_pages::guard::guarded;
use least_action_pages::model::{Subject, bind};

use crate::error::{Error, Names, Result};
use crate::model::Erased;
use crate::places::mentions;
use crate::words;
use file::FromFile;

/// The models that a command knows, in the order in which they were registered.
#[derive(Default)]
pub(crate) struct Registry {
    entries: Vec<(String, Arc<dyn Entry>)>,
    /// The models of files that were read so far.
    files: Mutex<Vec<(String, Arc<dyn Entry>)>>,
    /// Whether names are of models alone, and never of files.
    is_closed: bool,
}

/// A model bound to its parameters.
pub(crate) struct Instance {
    /// The name under which the model is registered.
    pub(crate) name: String,
    pub(crate) system: Box<dyn Erased>,
    /// The model's own initial state for these parameters.
    pub(crate) start: State,
    /// The step and the end that its author chose, if the start does not foretell them.
    pub(crate) times: [Option<f64>; 2],
    /// The files that were read for them, each with the parameter that names it.
    pub(crate) inputs: Vec<(String, Input)>,
}

impl Instance {
    /// Whom a picture of it shows.
    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject { name: &self.name, system: &*self.system, start: &self.start }
    }

    /// Refuses outputs that would replace these files of a command, the files of the model, or one
    /// another.
    pub(crate) fn apart<'p>(
        &'p self,
        inputs: impl IntoIterator<Item = &'p PathBuf>,
        outputs: &[(&'static str, &Path)],
    ) -> Result {
        let own = self.inputs.iter().map(|(_, input)| &input.path);
        Ok(files::apart(inputs.into_iter().chain(own).map(PathBuf::as_path), outputs)?)
    }

    /// The model's own initial state.
    ///
    /// # Errors
    /// The parameters give no numbers for it: a linkage that cannot be closed, a point that has no size.
    pub(crate) fn own_start(&self) -> Result<State> {
        let State { q, v, .. } = &self.start;
        for (quantity, numbers) in [("position", q), ("velocity", v)] {
            if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
                let coordinate = self.system.lagrangian().layout().name_of(index);
                let reason = format!(
                    "the {quantity} of `{coordinate}` at the start that follows from them is {}; choose others, or another start",
                    numbers[index]
                );
                return Err(Error::parameters(&self.name, reason));
            }
        }
        Ok(self.start.clone())
    }
}

impl Registry {
    /// Registers a type under a name.
    pub(crate) fn register<M>(&mut self, name: &str)
    where
        M: Model + Oracle + Declared + Default + Serialize + DeserializeOwned + Start + 'static,
    {
        self.add(name, Arc::new(Typed::<M>(PhantomData)));
    }

    /// A model that files declare: under the name of the first, or for a text that of its type.
    #[cfg(feature = "python")]
    pub(crate) fn declared(model: FromFile) -> (String, Self) {
        let (mut registry, file) = (Self::default().closed(), model.files().first());
        let file = file.filter(|(name, _)| file::is_file(name)).map(|(name, _)| name.clone());
        let name = file.unwrap_or_else(|| model_name(&model.facts().name));
        registry.add(&name, Arc::new(model));
        (name, registry)
    }

    /// Reads no file: one that changes between two calls of a program is declared by it.
    #[cfg(feature = "python")]
    pub(crate) fn closed(self) -> Self {
        Self { is_closed: true, ..self }
    }

    /// Adds a model under a name; a name that is taken already is replaced.
    fn add(&mut self, name: &str, entry: Arc<dyn Entry>) {
        match self.entries.iter_mut().find(|(taken, _)| taken == name) {
            Some(slot) => slot.1 = entry,
            None => self.entries.push((name.to_owned(), entry)),
        }
    }

    pub(crate) fn names(&self) -> Names {
        self.entries.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The model `name`, bound to its default parameters under `overrides`, in order, within `memory`
    /// bytes.
    pub(crate) fn instance(&self, name: &str, overrides: Overrides<'_>, memory: u64) -> Result<Instance> {
        self.varied(name, overrides, None, memory)
    }

    /// As [`instance`](Self::instance), with other values of the sensitive parameters.
    pub(crate) fn varied(
        &self,
        name: &str,
        overrides: Overrides<'_>,
        sensitive: Option<&[f64]>,
        memory: u64,
    ) -> Result<Instance> {
        let entry = self.entry(name)?;
        let (bound, inputs) = inputs::hear(|| entry.bind((name, overrides), sensitive, memory));
        let ((system, start, times), inputs) = (bound?, by_parameters(&inputs, overrides));
        Ok(Instance { name: name.to_owned(), system, start, times, inputs })
    }

    /// The start that the model `name` has for these parameters and any sensitive ones.
    pub(crate) fn starting(&self, name: &str, overrides: Overrides<'_>) -> Result<Starting<'static, Error>> {
        self.entry(name)?.starting((name, overrides))
    }

    /// The files that are read for these parameters of the model `name`, each with the parameter that
    /// names it, as far as they can be read.
    pub(crate) fn inputs(&self, name: &str, overrides: Overrides<'_>) -> Vec<(String, Input)> {
        let ((), inputs) = inputs::hear(|| {
            // Binding tells the refusal.
            let _ = self.starting(name, overrides);
        });
        by_parameters(&inputs, overrides)
    }

    /// The declaration of the model `name`, as text.
    pub(crate) fn declaration(&self, name: &str) -> Result<String> {
        Ok(self.entry(name)?.declaration().to_owned())
    }

    /// The file of the model `name`, and those that it names as modules, each with its text.
    pub(crate) fn files(&self, name: &str) -> Result<Vec<(String, String)>> {
        let own = self.entry(name)?.files().to_vec();
        let files = if own.is_empty() { ready(name) } else { own };
        if files.is_empty() {
            let reason = "its text is not known here; give the file that declares it, ending in .rs";
            return Err(Error::not_available(name, "page that computes", reason));
        }
        Ok(files)
    }

    /// The facts about the model `name`.
    #[cfg(feature = "python")]
    pub(crate) fn facts(&self, name: &str) -> Result<Facts> {
        Ok(self.entry(name)?.facts().clone())
    }

    /// The parameters of the model `name`, by default.
    pub(crate) fn parameters(&self, name: &str) -> Result<Map<String, Value>> {
        self.entry(name)?.parameters(name)
    }

    /// The warnings about the files that were read.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        self.entries.iter().chain(&*files).flat_map(|(_, entry)| entry.warnings()).collect()
    }

    /// The model of a name, or of a file.
    fn entry(&self, name: &str) -> Result<Arc<dyn Entry>> {
        if let Some((_, entry)) = self.entries.iter().find(|(known, _)| known == name) {
            return Ok(Arc::clone(entry));
        }
        if self.is_closed || !file::is_file(name) {
            let what = format!("unknown model `{name}`");
            let there = if self.is_closed {
                "model=… gives one that a text declares, and there are:"
            } else {
                "there are:"
            };
            return Err(Error::unknown(what, name, there, self.names().0));
        }
        // A command asks several times; the file is read once.
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, entry)) = files.iter().find(|(known, _)| known == name) {
            return Ok(Arc::clone(entry));
        }
        let entry: Arc<dyn Entry> = Arc::new(FromFile::of(file::read(name)?)?);
        files.push((name.to_owned(), Arc::clone(&entry)));
        Ok(entry)
    }
}

#[cfg(feature = "ready-models")]
impl least_action_models::Take for Registry {
    fn take<M>(&mut self)
    where
        M: Model + Oracle + Declared + Default + Serialize + DeserializeOwned + Start + 'static,
    {
        self.register::<M>(&model_name(&M::FACTS.name));
    }
}

/// The texts of a ready model and of its modules; none of another.
fn ready(name: &str) -> Vec<(String, String)> {
    #[cfg(feature = "ready-models")]
    let text =
        |file: &str| least_action_models::text(file).map(|text| (format!("{file}.rs"), text.to_owned()));
    #[cfg(not(feature = "ready-models"))]
    let text = |_: &str| None::<(String, String)>;
    let mut files: Vec<_> = text(&name.replace('-', "_")).into_iter().collect();
    let mut next = 0;
    while let Some((_, own)) = files.get(next) {
        let named = file::modules(own);
        let new =
            named.iter().filter(|module| !files.iter().any(|(known, _)| *known == format!("{module}.rs")));
        let new: Vec<_> = new.filter_map(|module| text(module)).collect();
        files.extend(new);
        next += 1;
    }
    files
}

/// The files that parameters were read from, by the parameters that name them.
fn by_parameters(inputs: &[Input], given: &[(String, Value)]) -> Vec<(String, Input)> {
    let named = |input: &Input| {
        let path = input.path.to_string_lossy();
        let found = given.iter().rev().find(|(_, value)| mentions(value, &path));
        found.map_or_else(String::new, |(name, _)| name.clone())
    };
    inputs.iter().map(|input| (named(input), input.clone())).collect()
}

/// A bound model with its start and its author's times.
type Unnamed = (Box<dyn Erased>, State, [Option<f64>; 2]);

/// A parameter with its value.
type Overrides<'o> = &'o [(String, Value)];

/// The name of a model, for messages, and parameters.
type Given<'g> = (&'g str, Overrides<'g>);

/// A model before it has parameters.
trait Entry: Send + Sync {
    /// The declaration as text.
    fn declaration(&self) -> &str;

    /// The file that declares it, and those that it names as modules, where they are known.
    fn files(&self) -> &[(String, String)] {
        &[]
    }

    /// Terms without effect, with their places, where rustc has not warned of them.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// The facts about the declaration.
    #[cfg(feature = "python")]
    fn facts(&self) -> &Facts;

    /// The parameters by default.
    fn parameters(&self, name: &str) -> Result<Map<String, Value>>;

    /// Binds with values of the sensitive parameters, and within so many bytes.
    fn bind(&self, given: Given<'_>, sensitive: Option<&[f64]>, memory: u64) -> Result<Unnamed>;

    /// Reads the parameters, for the start by the values of the sensitive ones.
    fn starting(&self, given: Given<'_>) -> Result<Starting<'static, Error>>;
}

/// A model whose type is forgotten.
struct Typed<M>(PhantomData<fn() -> M>);

impl<M> Entry for Typed<M>
where
    M: Model + Oracle + Declared + Default + Serialize + DeserializeOwned + Start + 'static,
{
    fn declaration(&self) -> &str {
        M::DECLARATION
    }

    #[cfg(feature = "python")]
    fn facts(&self) -> &Facts {
        M::FACTS
    }

    fn parameters(&self, name: &str) -> Result<Map<String, Value>> {
        defaults::<M>(name)
    }

    fn bind(&self, given: Given<'_>, sensitive: Option<&[f64]>, memory: u64) -> Result<Unnamed> {
        let (name, mut model) = (given.0, overlaid::<M>(given)?);
        sensitive.map_or(Ok(()), |values| model.set_parameters(values))?;
        let (declared, start) = bind(name, model, memory)?;
        let times = guarded(|| [declared.model.step(), declared.model.until()]);
        let times = times.map_err(|panic| Error::parameters(name, panic))?;
        Ok((Box::new(declared), start, times))
    }

    fn starting(&self, given: Given<'_>) -> Result<Starting<'static, Error>> {
        let (name, mut model) = (given.0.to_owned(), overlaid::<M>(given)?);
        Ok(Box::new(move |values| {
            model.set_parameters(values)?;
            guarded(|| model.start()).map_err(|panic| Error::parameters(&name, panic))
        }))
    }
}

/// The parameters of `M` by default; none if `M` is no struct with fields.
fn defaults<M: Default + Serialize>(model: &str) -> Result<Map<String, Value>> {
    match serde_json::to_value(M::default()) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(Error::parameters(model, error)),
    }
}

/// The defaults of `M` with `overrides` laid over them.
fn overlaid<M: Default + Serialize + DeserializeOwned>((model, overrides): Given<'_>) -> Result<M> {
    let defaults = defaults::<M>(model)?;
    // A struct without fields has no parameters, however it is serialized.
    if defaults.is_empty() && overrides.is_empty() {
        return Ok(M::default());
    }
    let fields = laid_over(defaults.clone(), (model, overrides))?;
    serde_json::from_value(Value::Object(fields)).map_err(|error| {
        refusal::<M>(model, &defaults, overrides).unwrap_or_else(|| Error::parameters(model, error))
    })
}

/// Parameters with overrides laid over them.
fn laid_over(mut fields: Map<String, Value>, (model, overrides): Given<'_>) -> Result<Map<String, Value>> {
    for (name, value) in overrides {
        let slot = slot(model, &mut fields, name)?;
        *slot = alike(slot, value);
    }
    Ok(fields)
}

/// A value for a parameter that has this one: a whole number also where it is written as 1e3 or 8.0, as
/// ranges of a plan and tables have it.
fn alike(before: &Value, value: &Value) -> Value {
    const MOST: f64 = (1_u64 << 53) as f64;
    let whole = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < MOST);
    match whole {
        Some(number) if value.is_f64() && (before.is_u64() || before.is_i64()) => Value::from(number as i64),
        _ => value.clone(),
    }
}

/// The parameter of this name, or the item of one, such as `rods[1]`.
fn slot<'f>(model: &str, fields: &'f mut Map<String, Value>, name: &str) -> Result<&'f mut Value> {
    let (parameter, items) = name.split_at(name.find('[').unwrap_or(name.len()));
    if !fields.contains_key(parameter) {
        return Err(unknown_parameter(model, name, fields.keys()));
    }
    let mut slot = &mut fields[parameter];
    for item in items.split_terminator(']') {
        let length = slot.as_array().map(Vec::len);
        let index = item.strip_prefix('[').and_then(|index| index.trim().parse::<usize>().ok());
        let found = index.and_then(|index| slot.get_mut(index));
        slot = found.ok_or_else(|| {
            let reason = match length {
                Some(length) => format!("`{name}`: `{parameter}` has {length} items there, numbered from 0"),
                None => format!("`{name}`: `{parameter}` has no items there"),
            };
            Error::parameters(model, reason)
        })?;
    }
    Ok(slot)
}

/// The refusal of a parameter, or of an item of one, that the model does not have.
pub(crate) fn unknown_parameter<S: Into<String>>(
    model: &str,
    name: &str,
    known: impl IntoIterator<Item = S>,
) -> Error {
    let parameter = name.split('[').next().unwrap_or(name);
    let what = format!("`{model}` has no parameter `{name}`");
    Error::unknown(what, parameter, "its parameters are:", known)
}

/// The first override that is refused when it is laid over the defaults alone.
fn refusal<M: DeserializeOwned>(
    model: &str,
    defaults: &Map<String, Value>,
    overrides: Overrides<'_>,
) -> Option<Error> {
    overrides.iter().find_map(|one| {
        let fields = laid_over(defaults.clone(), (model, std::slice::from_ref(one))).ok()?;
        let error = serde_json::from_value::<M>(Value::Object(fields)).err()?;
        let (name, value) = one;
        let reason = words::of_value(value, &error.to_string());
        Some(Error::Mistake(format!("parameter `{name}` of `{model}`: {value} is refused: {reason}")))
    })
}

/// `Bead` as a model of the command line is `bead`, `models::TwoBeads` is `two-beads`.
pub fn model_name(of_type: &str) -> String {
    let word = |(index, letter): (usize, char)| {
        let hyphen = (index > 0 && letter.is_uppercase()).then_some('-');
        hyphen.into_iter().chain(letter.to_lowercase())
    };
    of_type.rsplit("::").next().unwrap_or(of_type).trim().chars().enumerate().flat_map(word).collect()
}

/// The name of a type, from words in small letters: `two-beads` are `TwoBeads`.
pub fn type_name(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    name.split(['-', '_']).map(capital).collect()
}
