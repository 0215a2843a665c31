//! Requests of a page, and their answers.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use least_action_core::system::State;
use least_action_declared::rust::{Error, Source};
use least_action_declared::{Declared, Refusal};
use least_action_methods::{Entry, METHODS, OptionKind, Options};
use least_action_pages::quantities::commented;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::drag;
use crate::engine::{Call, Choice, Run};
use crate::opened::{Opened, USUAL};

/// The desk of a page: what it has asked, and what runs.
#[derive(Default)]
pub struct Desk {
    /// The request.
    pub request: Vec<u8>,
    /// The answer to the last request, or why a step failed.
    pub answer: Vec<u8>,
    /// The numbers of the last measurement.
    pub numbers: Vec<f64>,
    /// The model that was compiled last.
    compiled: Option<(Declaration, Arc<Declared>)>,
    opened: Option<Rc<Opened>>,
    run: Option<Run>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Request {
    /// A model to compile, to bind and to start.
    Open(Box<Open>),
    /// To start anew from a state, the model's own unless given.
    Begin(Option<State>),
    Twin(bool),
    Drag {
        point: usize,
        to: [f64; 3],
    },
    Ahead(u32),
    /// The methods that start from the state of the last opening.
    Methods,
    /// The number of an input, and its value.
    Input(usize, f64),
}

/// The text of a model, with the texts that it names as modules.
#[derive(Clone, PartialEq, Deserialize)]
struct Declaration {
    name: String,
    text: String,
    modules: Vec<[String; 2]>,
}

#[derive(Deserialize)]
struct Open {
    #[serde(flatten)]
    text: Declaration,
    /// Parameters beside their defaults.
    set: Map<String, Value>,
    /// The first usual one that starts unless given, or unless that one does not fit.
    method: Option<String>,
    /// The options of this method, as texts, and the step, the model's own unless given.
    by: (BTreeMap<String, String>, Option<f64>),
    /// Where the run goes on, if the model still has this start.
    state: Option<State>,
    of: Option<State>,
}

/// The step of a model that tells none, in a page that knows none.
const STEP: f64 = 0.01;

impl Desk {
    /// Carries the request out, and writes the answer.
    pub fn ask(&mut self) {
        let answer = match serde_json::from_slice(&self.request) {
            Ok(Request::Open(open)) => self.open(&open),
            Ok(request) => match self.call(request) {
                Ok(answer) => answer,
                Err(reason) => json!({ "failed": reason }),
            },
            Err(error) => json!({ "failed": error.to_string() }),
        };
        self.answer = answer.to_string().into_bytes();
    }

    /// Takes so many steps; returns those that were taken.
    pub fn advance(&mut self, steps: u32) -> u32 {
        let Some(run) = &mut self.run else { return 0 };
        let told = run.call(Call::Advance(steps));
        self.answer = json!({ "failed": told.err() }).to_string().into_bytes();
        run.talk.borrow().advanced
    }

    /// Measures the state.
    pub fn measure(&mut self) {
        self.numbers.clear();
        let Some(run) = &mut self.run else { return };
        // A measurement does not fail.
        if run.call(Call::Measure).is_ok() {
            self.numbers.clone_from(&run.talk.borrow().numbers);
        }
    }

    fn call(&mut self, request: Request) -> Result<Value, String> {
        let (Some(opened), Some(run)) = (&self.opened, &mut self.run) else {
            return Err("there is no model yet".to_owned());
        };
        match request {
            Request::Open(_) => {}
            Request::Begin(state) => run.call(Call::Begin(state.unwrap_or_else(|| opened.start.clone())))?,
            Request::Twin(has) => run.call(Call::Twin(has))?,
            Request::Drag { point, to } => run.call(Call::Drag { point, to })?,
            Request::Methods => {
                let state = run.talk.borrow().state.clone();
                let methods = opened.methods(&state);
                return Ok(
                    json!({ "methods": methods.iter().map(|entry| claims(opened, entry)).collect::<Vec<_>>() }),
                );
            }
            Request::Ahead(steps) => {
                run.call(Call::Ahead(steps))?;
                let talk = run.talk.borrow();
                return Ok(json!({ "goes": talk.advanced > 0, "places": talk.numbers }));
            }
            Request::Input(number, value) => {
                let (_, signal) = opened.inputs.get(number).ok_or("there is no such input")?;
                signal.set(value).map_err(|error| error.to_string())?;
                run.call(Call::Forget)?;
            }
        }
        Ok(json!({}))
    }

    fn open(&mut self, open: &Open) -> Value {
        let declared = match self.declared(&open.text) {
            Ok(declared) => declared,
            Err(mistakes) => return json!({ "mistakes": mistakes }),
        };
        let opened = match Opened::new(&declared, &open.set) {
            Ok(opened) => Rc::new(opened),
            Err(Refusal::Mistakes(mistakes)) => return json!({ "mistakes": told(&open.text, &mistakes) }),
            Err(refusal @ Refusal::Bind(_)) => return json!({ "failed": refusal.to_string() }),
        };
        let given = match options(open) {
            Ok(given) => given,
            Err(reason) => return json!({ "failed": reason }),
        };
        let found = states(&opened, open).into_iter().find_map(|state| {
            let asked = open.method.as_deref().map(|name| (name, given.clone())).into_iter();
            let mut all = asked.chain(USUAL.map(|name| (name, Options::default())));
            let begun = |(name, options)| Some((opened.starts(name, &options, &state)?, options));
            let (entry, options) = all.find_map(begun)?;
            Some((state, entry, options))
        });
        let Some((state, entry, options)) = found else {
            // The reason of the method that takes most.
            let entry = METHODS.iter().find(|entry| USUAL.last() == Some(&entry.name));
            let reason =
                entry.and_then(|entry| opened.begin((entry, &given), opened.start.clone(), STEP).err());
            return json!({ "failed": reason.unwrap_or_else(|| "no method starts here".to_owned()) });
        };
        let step = open.by.1.or(opened.times[0]).unwrap_or(STEP);
        let choice = Choice { opened: Rc::clone(&opened), entry, options: options.clone(), step };
        let unseen: Vec<_> = opened.oracle.points(&state.q, &state.v, state.t).err().into_iter().collect();
        let run = match Run::start(choice, state) {
            Ok(run) => run,
            Err(reason) => return json!({ "failed": reason }),
        };
        let layout = opened.lagrangian_face().layout();
        let answer = json!({
            "name": opened.declared.facts().name,
            "documentation": opened.declared.facts().documentation,
            "parameters": parameters(&opened),
            "coordinates": (0..layout.dimension()).map(|index| layout.name_of(index)).collect::<Vec<_>>(),
            "method": claims(&opened, entry),
            "options": form(entry, &options),
            "step": step,
            "until": opened.times[1],
            "start": opened.start,
            "inputs": opened.inputs.iter().map(|(name, signal)| json!([name, signal.value(0.0)])).collect::<Vec<_>>(),
            "facts": run.talk.borrow().facts,
            "warnings": told(&open.text, &[declared.warnings(), &unseen].concat()),
        });
        (self.opened, self.run) = (Some(opened), Some(run));
        answer
    }

    /// The model of a text, which is compiled once.
    fn declared(&mut self, text: &Declaration) -> Result<Arc<Declared>, Vec<Value>> {
        if let Some((known, declared)) = &self.compiled
            && known == text
        {
            return Ok(Arc::clone(declared));
        }
        let one = |error: Error| told(text, &[error]);
        let source = Source::parse(&text.name, &text.text).map_err(one)?;
        let source = text.modules.iter().try_fold(source, |source, [module, own]| {
            source.with_module(&format!("{module}.rs"), &[module], own).map_err(one)
        })?;
        let declared = Declared::of(&source).map_err(|refusal| match refusal {
            Refusal::Mistakes(mistakes) => told(text, &mistakes),
            Refusal::Bind(error) => told(text, &[Error::new(error.to_string())]),
        })?;
        let declared = Arc::new(declared);
        self.compiled = Some((text.clone(), Arc::clone(&declared)));
        Ok(declared)
    }
}

/// The states to start from, the first that is one of the model before the others.
fn states(opened: &Opened, open: &Open) -> Vec<State> {
    let start = &opened.start;
    let fits = |state: &&State| state.q.len() == start.q.len() && state.v.len() == start.v.len();
    let is_kept = open.of.as_ref().is_none_or(|of| (&of.q, &of.v) == (&start.q, &start.v));
    let asked = open.state.as_ref().filter(fits).filter(|_| is_kept);
    let settled = asked.and_then(|state| drag::settled(opened, state.clone()).ok());
    asked.cloned().into_iter().chain(settled).chain([start.clone()]).collect()
}

/// Mistakes with their places, in letters of a line; the line is zero where a place is unknown.
fn told(text: &Declaration, mistakes: &[Error]) -> Vec<Value> {
    let one = |mistake: &Error| {
        let place = mistake.place();
        let is_own = mistake.file().is_none_or(|file| file == text.name);
        let word = if is_own { &text.text[mistake.range(&text.text)] } else { "" };
        json!({
            "message": mistake.message(), "help": mistake.help(), "line": if is_own { place.line } else { 0 },
            "column": place.column, "length": word.chars().count(), "file": mistake.file().filter(|_| !is_own),
        })
    };
    mistakes.iter().map(one).collect()
}

/// The options that are given to the method.
///
/// # Errors
/// It has no such option, or takes no such value.
fn options(open: &Open) -> Result<Options, String> {
    let mut options = Options::default();
    let known = METHODS.iter().find(|entry| Some(entry.name) == open.method.as_deref());
    for (name, text) in &open.by.0 {
        let is_known = known.is_some_and(|entry| entry.options.contains(&&**name));
        let given = OptionKind::of(name).read(text).filter(|_| is_known);
        options
            .push(name, given.ok_or_else(|| format!("the method has no option `{name}` that is `{text}`"))?);
    }
    Ok(options)
}

/// The options of a method with their words, and the values that are given.
fn form(entry: &Entry, options: &Options) -> Vec<Value> {
    let one = |name: &&str| {
        let words = if let OptionKind::Word(words) = OptionKind::of(name) { words } else { &[][..] };
        let given = options.given().filter(|(known, _)| known == name).last();
        json!({ "name": name, "words": words, "value": given.map(|(_, given)| given.to_string()) })
    };
    entry.options.iter().map(one).collect()
}

/// A method with what it claims on a model.
fn claims(opened: &Opened, entry: &Entry) -> Value {
    let keeps = entry.claims.keeps(opened.lagrangian_face());
    json!({ "name": entry.name, "order": entry.claims.order, "keeps": keeps })
}

/// The parameters in the order of their fields, each with its unit and its comment.
fn parameters(opened: &Opened) -> Vec<Value> {
    let fields = opened.declared.model().fields().iter();
    let one = |field: &least_action_declared::rust::Field| {
        let value = opened.parameters.get(&field.name)?;
        let comment = field.documentation.trim();
        let is_whole = ["usize", "u32", "u64", "i32", "i64"].contains(&&*field.written);
        Some(json!({
            "name": field.name, "value": value, "comment": comment, "unit": commented(comment), "whole": is_whole,
        }))
    };
    fields.filter_map(one).collect()
}
