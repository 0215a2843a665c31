//! A model of a file: compiled once, and bound to any parameters.

use crate::binding::{Binding, Named, Words};
use crate::facts::facts;
use crate::kernels::kernel;
use crate::oracle::Interpreted;
use crate::rust::{Budget, Error, Machine, Model, Program, Source, Value};
use least_action_compiler::{Part, run_time};
use least_action_core::binding::{Dynamic, Facts};
use least_action_core::emitted::v1::Binder;
use least_action_core::error::BindError;
use least_action_core::system::{Look, State};
use quote::{ToTokens, quote};
use serde_json::{Map, Value as Json};
use std::rc::Rc;
use syn::spanned::Spanned;

/// A model of a file.
#[derive(Debug)]
pub struct Declared {
    model: Model,
    warnings: Vec<Error>,
    facts: Facts,
    text: String,
    part: Bindable,
    sensitive: Option<Bindable>,
}

/// Kernels, and the functions of the program that find their elements.
#[derive(Debug)]
struct Bindable {
    kernels: Vec<crate::kernels::Handle>,
    functions: Vec<u32>,
}

/// Parameters of a model.
#[derive(Debug, Clone)]
pub struct Instance(Value<f64>);

/// The reason why a file, or its parameters, make no system.
#[derive(Debug)]
pub enum Refusal {
    /// Mistakes in the file.
    Mistakes(Vec<Error>),
    /// The parameters make no system.
    Bind(BindError),
}

/// The refusal of a second model.
const OTHER: &str = "a file declares one model, and this is another\n\nhelp: put it into a file of its own";

impl Declared {
    /// Compiles the model of a file, whose name is for messages.
    ///
    /// # Errors
    /// The mistakes of the file.
    pub fn new(name: &str, text: &str) -> Result<Self, Refusal> {
        Self::of(&Source::parse(name, text).map_err(Refusal::of)?)
    }

    /// Compiles the model of a source.
    ///
    /// # Errors
    /// The mistakes of the file.
    pub fn of(source: &Source) -> Result<Self, Refusal> {
        let mut all = source.declarations();
        let item = all.next().ok_or_else(|| Refusal::of(Model::missing()))?;
        let unread = |error: syn::Error| Refusal::Mistakes(source.mistakes(&error));
        if let Some(other) = all.next() {
            return Err(unread(syn::Error::new(other.self_ty.span(), OTHER)));
        }
        let (arguments, item) = split(item);
        let found = run_time(arguments, item.into_token_stream()).map_err(unread)?;
        let warnings = found.warnings.iter().flat_map(|warning| source.mistakes(warning)).collect();
        let source = &source.with_blocks(found.oracle).map_err(unread)?;
        let mut program = Program::resolve(source, &Words { kernels: &[] }).map_err(Refusal::Mistakes)?;
        let mut bindable = |part: Part| -> Result<Bindable, Refusal> {
            let names: Vec<String> = part.kernels.iter().map(|kernel| kernel.name.clone()).collect();
            let words = Words { kernels: &names };
            let blocks = std::iter::once(part.begin).chain(part.functions);
            let mut functions = Vec::new();
            for tokens in blocks {
                let block = syn::parse2(quote!({ #tokens })).map_err(unread)?;
                let added = program.add(source, ("binding", &["self", "__binder"]), &block, &words);
                functions.push(added.map_err(Refusal::of)?);
            }
            let mut kernels = Vec::new();
            for value in part.kernels {
                let name = value.facts.name.to_string();
                kernels.push(kernel(value).ok_or_else(|| {
                    let error = Error::new(format!("`{name}` calls a function that only Rust knows"));
                    Refusal::Mistakes(vec![error.with_help(
                        "a crate that rustc compiles understands all of Rust: `least-action new NAME` makes one",
                    )])
                })?);
            }
            Ok(Bindable { kernels, functions })
        };
        let part = bindable(found.part)?;
        let sensitive = found.sensitive.map(bindable).transpose()?;
        let model = Model::of(program).map_err(Refusal::of)?;
        let facts = with_comments(facts(found.facts), &model);
        Ok(Self { model, warnings, facts, text: found.text, part, sensitive })
    }

    /// The facts about the model.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What the attribute warns of: terms that do nothing to the motion.
    pub fn warnings(&self) -> &[Error] {
        &self.warnings
    }

    /// The declaration as text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The struct of the file: its parameters, its start and its look.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Parameters from JSON: missing ones have their defaults.
    ///
    /// # Errors
    /// A parameter does not fit its type, or the file has none of this name.
    pub fn parameters(&self, json: &Json) -> Result<Instance, Refusal> {
        self.model.read(json).map(Instance).map_err(Refusal::of)
    }

    /// Parameters as JSON.
    pub fn written(&self, Instance(parameters): &Instance) -> Map<String, Json> {
        match self.model.write(parameters) {
            Json::Object(fields) => fields,
            // A struct without fields has none.
            _ => Map::new(),
        }
    }

    /// The values of the sensitive parameters one after the other, an array entry by entry.
    pub fn sensitive(&self, parameters: &Instance) -> Vec<f64> {
        let mut all = Vec::new();
        for field in self.sensitive_fields() {
            let value = parameters.0.field(field);
            match value.and_then(Value::as_signal) {
                Some(signal) => all.extend(signal.values()),
                None => drop(value.map(|value| value.components(&mut all))),
            }
        }
        all
    }

    /// These parameters with other values of the sensitive ones, in their order.
    ///
    /// # Errors
    /// Their number is another.
    pub fn with_sensitive(&self, parameters: &Instance, values: &[f64]) -> Result<Instance, BindError> {
        let (expected, found) = (self.sensitive(parameters).len(), values.len());
        if expected != found {
            return Err(BindError::ParameterCount { model: self.facts.name.to_string(), expected, found });
        }
        let (mut own, mut rest) = (parameters.0.clone(), values.iter().copied());
        for field in self.sensitive_fields() {
            if let Some(value) = parameters.0.field(field) {
                own = own.with_field(field, value.with_numbers(&mut rest));
            }
        }
        Ok(Instance(own))
    }

    /// The places of the sensitive fields.
    fn sensitive_fields(&self) -> impl Iterator<Item = usize> {
        let names = self.facts.sensitive.iter().flat_map(|names| names.iter());
        names.filter_map(|name| self.model.fields().iter().position(|field| field.name == *name))
    }

    /// Binds the model to parameters, within so many bytes.
    ///
    /// # Errors
    /// The parameters make no system.
    pub fn bind(&self, parameters: &Instance, memory: u64) -> Result<Dynamic, Refusal> {
        let mut failure = None;
        let mut filled =
            |binder: &mut Binder, part: &Bindable| self.fill(binder, part, parameters, &mut failure);
        let bound = Dynamic::new(self.facts.clone(), memory, |binder| filled(binder, &self.part));
        let bound = bound.and_then(|bound| match &self.sensitive {
            None => Ok(bound),
            Some(part) => bound.sensitive(memory, self.sensitive(parameters), |binder| filled(binder, part)),
        });
        bound.map_err(|error| failure.take().map_or(Refusal::Bind(error), Refusal::of))
    }

    /// Runs the binding code of a part on a binder. An error of the interpreter stays in `failure`.
    fn fill(
        &self,
        binder: &mut Binder,
        part: &Bindable,
        Instance(parameters): &Instance,
        failure: &mut Option<Error>,
    ) -> Result<(), BindError> {
        let kernels = part.kernels.iter().cloned().map(|kernel| Rc::new(Named::new(kernel))).collect();
        let binding = Binding::new(std::mem::take(binder), kernels);
        let mut machine = Machine::new(self.model.program(), &binding, Budget::default());
        let found = part.functions.iter().try_for_each(|function| {
            let arguments = &mut [parameters.clone(), Binding::argument()];
            machine.function(*function, arguments).map(drop)
        });
        let (filled, refusal) = binding.into_parts();
        *binder = filled;
        match (refusal, found) {
            (Some(refusal), _) => Err(refusal),
            (None, Ok(())) => Ok(()),
            (None, Err(error)) => {
                *failure = Some(error.of(&self.model.program().files));
                Err(BindError::Empty { model: self.facts.name.to_string() })
            }
        }
    }

    /// The declaration with these parameters, on dual numbers.
    ///
    /// # Errors
    /// A parameter is no plain data.
    pub fn oracle(&self, Instance(parameters): &Instance) -> Result<Interpreted, Refusal> {
        Interpreted::new(&self.model, parameters).map_err(Refusal::of)
    }

    /// The starting state of these parameters; `None` if the file has none.
    ///
    /// # Errors
    /// That of its evaluation.
    pub fn start(&self, Instance(parameters): &Instance) -> Result<Option<State>, Refusal> {
        self.model.start(parameters).map_err(Refusal::of)
    }

    /// The step and the end of a run without them.
    ///
    /// # Errors
    /// Those of their evaluation.
    pub fn times(&self, Instance(parameters): &Instance) -> Result<[Option<f64>; 2], Refusal> {
        let step = self.model.step(parameters).map_err(Refusal::of)?;
        Ok([step, self.model.until(parameters).map_err(Refusal::of)?])
    }

    /// The additions to a moving picture that begins at this start.
    ///
    /// # Errors
    /// That of their evaluation.
    pub fn look(&self, Instance(parameters): &Instance, start: &State) -> Result<Look, Refusal> {
        self.model.look(parameters, start).map_err(Refusal::of)
    }
}

impl Refusal {
    /// The refusal for a mistake.
    pub fn of(error: Error) -> Self {
        Self::Mistakes(vec![error])
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bind(error) => error.fmt(formatter),
            Self::Mistakes(errors) => {
                let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
                formatter.write_str(&texts.join("\n"))
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// The facts with the comments above the struct and its fields, which the block lacks.
fn with_comments(facts: Facts, model: &Model) -> Facts {
    let texts = [&*facts.documentation, model.documentation()];
    let documentation = texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    let fields = model.fields().iter().filter(|field| !field.documentation.is_empty());
    let fields =
        fields.map(|field| (field.name.clone().into(), field.documentation.clone().into())).collect();
    Facts { documentation: documentation.into(), fields, ..facts }
}

/// The arguments of the attribute `#[lagrangian]`, and the block below it.
fn split(item: &syn::ItemImpl) -> (proc_macro2::TokenStream, syn::ItemImpl) {
    let mut item = item.clone();
    let is_ours = |attribute: &syn::Attribute| {
        attribute.path().segments.last().is_some_and(|last| last.ident == "lagrangian")
    };
    let place = item.attrs.iter().position(is_ours);
    let attribute = place.map(|place| item.attrs.remove(place));
    let arguments = match attribute.map(|attribute| attribute.meta) {
        Some(syn::Meta::List(list)) => list.tokens,
        _ => proc_macro2::TokenStream::new(),
    };
    (arguments, item)
}
