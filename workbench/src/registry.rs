//! Models by name: from parameters as plain data to a bound, type-erased instance with its start.

use std::marker::PhantomData;

use integrator_core::Model;
use integrator_core::emitted::v1::Declared;
use integrator_core::expr::Oracle;
use integrator_core::system::{Start, State};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Error, Names};
use crate::model::{self, Erased};

/// The models that a command knows, in the order in which they were registered.
#[derive(Default)]
pub(crate) struct Registry {
    entries: Vec<(String, Box<dyn Entry>)>,
}

/// A model bound to its parameters.
pub(crate) struct Instance {
    /// The name under which the model is registered.
    pub(crate) name: String,
    pub(crate) system: Box<dyn Erased>,
    /// The model's own initial state for these parameters.
    pub(crate) start: State,
}

impl Registry {
    /// Registers a type under a name; a name that is taken already is replaced.
    pub(crate) fn register<M>(&mut self, name: &str)
    where
        M: Model + Oracle + Declared + Default + Serialize + DeserializeOwned + Start + 'static,
    {
        let entry: Box<dyn Entry> = Box::new(Typed::<M>(PhantomData));
        match self.entries.iter_mut().find(|(taken, _)| taken == name) {
            Some(slot) => slot.1 = entry,
            None => self.entries.push((name.to_owned(), entry)),
        }
    }

    pub(crate) fn names(&self) -> Names {
        self.entries.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The model `name`, bound to its default parameters with `overrides` laid over them, in order, within so many bytes of memory.
    pub(crate) fn instance(
        &self,
        name: &str,
        overrides: &[(String, Value)],
        memory: u64,
    ) -> Result<Instance, Error> {
        let (system, start) = self.entry(name)?.bind(name, overrides, memory)?;
        Ok(Instance { name: name.to_owned(), system, start })
    }

    /// The declaration of the model `name`, as text.
    pub(crate) fn declaration(&self, name: &str) -> Result<&'static str, Error> {
        Ok(self.entry(name)?.declaration())
    }

    fn entry(&self, name: &str) -> Result<&dyn Entry, Error> {
        let Some((_, entry)) = self.entries.iter().find(|(known, _)| known == name) else {
            let known = self.names();
            return Err(Error::UnknownModel { name: name.to_owned(), hint: known.near(name), known });
        };
        Ok(&**entry)
    }
}

/// A model whose type is forgotten.
trait Entry: Send + Sync {
    fn bind(
        &self,
        name: &str,
        overrides: &[(String, Value)],
        memory: u64,
    ) -> Result<(Box<dyn Erased>, State), Error>;

    fn declaration(&self) -> &'static str;
}

struct Typed<M>(PhantomData<fn() -> M>);

impl<M> Entry for Typed<M>
where
    M: Model + Oracle + Declared + Default + Serialize + DeserializeOwned + Start + 'static,
{
    fn bind(
        &self,
        name: &str,
        overrides: &[(String, Value)],
        memory: u64,
    ) -> Result<(Box<dyn Erased>, State), Error> {
        let model: M = overlaid(name, overrides)?;
        model::bind(name, model, memory)
    }

    fn declaration(&self) -> &'static str {
        M::DECLARATION
    }
}

/// The defaults of `M` with `overrides` laid over them.
fn overlaid<M: Default + Serialize + DeserializeOwned>(
    model: &str,
    overrides: &[(String, Value)],
) -> Result<M, Error> {
    let unusable = |reason: String| Error::Parameters { model: model.to_owned(), reason };
    let defaults = match serde_json::to_value(M::default()).map_err(|error| unusable(error.to_string()))? {
        Value::Object(fields) => fields,
        // A struct without fields has no parameters, however it is serialized.
        _ if overrides.is_empty() => return Ok(M::default()),
        _ => Map::new(),
    };
    let mut fields = defaults.clone();
    for (name, value) in overrides {
        let Some(slot) = fields.get_mut(name) else {
            let known: Names = defaults.keys().map(String::as_str).collect();
            let hint = known.near(name);
            return Err(Error::UnknownParameter { model: model.to_owned(), name: name.clone(), hint, known });
        };
        *slot = value.clone();
    }
    serde_json::from_value(Value::Object(fields)).map_err(|error| {
        refusal::<M>(model, &defaults, overrides).unwrap_or_else(|| unusable(error.to_string()))
    })
}

/// The first override that is refused when it is laid over the defaults alone.
fn refusal<M: DeserializeOwned>(
    model: &str,
    defaults: &Map<String, Value>,
    overrides: &[(String, Value)],
) -> Option<Error> {
    overrides.iter().find_map(|(name, value)| {
        let mut fields = defaults.clone();
        fields.insert(name.clone(), value.clone());
        let error = serde_json::from_value::<M>(Value::Object(fields)).err()?;
        Some(Error::ParameterRefused {
            model: model.to_owned(),
            name: name.clone(),
            value: value.to_string(),
            reason: error.to_string(),
        })
    })
}
