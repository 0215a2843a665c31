//! The model of a file: its parameters, its start and its look.

use super::error::{Error, Result};
use super::functions::default;
use super::json;
use super::machine::Machine;
use super::source::{DECLARES, Source};
use super::surroundings::{Alone, Budget, Vocabulary};
use super::tree::{Constant, Field, Program, Type, known};
use super::value::{Data, Value};
use least_action_core::system::{Look, State};
use nalgebra::Vector3;
use serde_json::Value as Json;
use std::sync::Arc;

/// A model that a file declares.
#[derive(Debug, Clone)]
pub struct Model {
    program: Arc<Program>,
    data: u32,
}

impl Model {
    /// The model of a source.
    ///
    /// # Errors
    /// All mistakes in the file, or it has no block with `#[lagrangian]`.
    pub fn new(source: &Source, vocabulary: &dyn Vocabulary) -> Result<Self, Vec<Error>> {
        Self::of(Program::resolve(source, vocabulary)?).map_err(|error| vec![error])
    }

    /// The model of a program.
    ///
    /// # Errors
    /// It has none.
    pub fn of(program: Program) -> Result<Self> {
        let data = program.model.ok_or_else(Self::missing)?;
        Ok(Self { program: Arc::new(program), data })
    }

    /// The mistake of a file without one.
    pub(crate) fn missing() -> Error {
        Error::new("the file declares no model").with_help(DECLARES)
    }

    /// The program of its file.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.program.data.get(self.data as usize).map_or("", |data| &data.name)
    }

    /// The comment above its struct.
    pub fn documentation(&self) -> &str {
        self.program.data.get(self.data as usize).map_or("", |data| &data.documentation)
    }

    /// Its parameters.
    pub fn fields(&self) -> &[Field] {
        self.program.variant(self.data, 0).map_or(&[], |own| &own.fields)
    }

    /// A method of its struct, by its number.
    pub fn method(&self, name: &str) -> Option<u32> {
        self.program.method_named(self.data, name)
    }

    fn run<R>(&self, work: impl FnOnce(&mut Machine<'_, f64>) -> Result<R>) -> Result<R> {
        let mut machine = Machine::new(&self.program, &Alone, Budget::default());
        work(&mut machine).map_err(|error| error.of(&self.program.files))
    }

    /// The parameters of `Default`.
    ///
    /// # Errors
    /// The struct has no `Default`, or the error of its evaluation.
    pub fn default(&self) -> Result<Value<f64>> {
        self.run(|machine| default(&Type::Data(self.data, Vec::new()), machine))
    }

    /// Parameters from JSON: missing ones have the values of `Default`, unknown ones are refused.
    ///
    /// # Errors
    /// A parameter has another type.
    pub fn read(&self, json: &Json) -> Result<Value<f64>> {
        let mut machine = Machine::new(&self.program, &Alone, Budget::default());
        let read = json::read(json, &Type::Data(self.data, Vec::new()), json::DEEPEST, &mut machine);
        read.map_err(|error| error.of(&self.program.files))
    }

    /// Parameters as JSON.
    pub fn write(&self, parameters: &Value<f64>) -> Json {
        json::write(parameters, &self.program)
    }

    /// Calls a method without arguments; `None` if the file has none of this name.
    ///
    /// # Errors
    /// That of its evaluation.
    pub fn call(&self, name: &str, parameters: &Value<f64>) -> Result<Option<Value<f64>>> {
        let Some(function) = self.method(name) else { return Ok(None) };
        self.run(|machine| machine.function(function, &mut [parameters.clone()])).map(Some)
    }

    /// The initial state; `None` without `impl Start`.
    ///
    /// # Errors
    /// That of its evaluation.
    pub fn start(&self, parameters: &Value<f64>) -> Result<Option<State>> {
        let Some(value) = self.call("start", parameters)? else { return Ok(None) };
        let numbers = |value: &Value<f64>| -> Option<Vec<f64>> {
            value.as_list()?.iter().map(|number| number.as_number().copied()).collect()
        };
        let state = match &value {
            Value::Data(Data { data: known::STATE, fields: Some(fields), .. }) => match &fields[..] {
                [Value::Number(t), q, v] => numbers(q).zip(numbers(v)).map(|(q, v)| State { t: *t, q, v }),
                _ => None,
            },
            _ => None,
        };
        state.map(Some).ok_or_else(|| value.mismatch("State", &self.program))
    }

    /// The step of a run without one.
    ///
    /// # Errors
    /// That of its evaluation.
    pub fn step(&self, parameters: &Value<f64>) -> Result<Option<f64>> {
        self.number("step", parameters)
    }

    /// The end of a run without one.
    ///
    /// # Errors
    /// That of its evaluation.
    pub fn until(&self, parameters: &Value<f64>) -> Result<Option<f64>> {
        self.number("until", parameters)
    }

    fn number(&self, name: &str, parameters: &Value<f64>) -> Result<Option<f64>> {
        let value = self.call(name, parameters)?;
        Ok(value.as_ref().and_then(Value::inside).and_then(Value::as_number).copied())
    }

    /// The additions to a moving picture, whose points are found at the start once, so that a mistake in
    /// them is told.
    ///
    /// # Errors
    /// That of its evaluation.
    pub fn look(&self, parameters: &Value<f64>, start: &State) -> Result<Look> {
        let Some(value) = self.call("look", parameters)? else { return Ok(Look::new()) };
        let calls = match &value {
            Value::Data(Data { data: known::LOOK, fields: Some(fields), .. }) => {
                fields.first().and_then(Value::as_list)
            }
            _ => None,
        };
        let calls = calls.ok_or_else(|| value.mismatch("Look", &self.program))?;
        calls.iter().try_fold(Look::new(), |look, call| {
            let unfit = || call.mismatch("an addition to a `Look`", &self.program);
            let Some([name, arguments @ ..]) = call.as_list() else { return Err(unfit()) };
            let name = name.as_text().ok_or_else(unfit)?;
            if let ("points", [of, function @ Value::Function(_)]) = (name, arguments) {
                return self.points(look, of.as_text().ok_or_else(unfit)?, function, start);
            }
            built(look, name, arguments).ok_or_else(|| {
                Error::new(format!("the arguments of `{name}` do not fit the method of `Look` of this name"))
            })
        })
    }

    /// The look with points that a function of (q, t) gives.
    fn points(&self, look: Look, of: &str, function: &Value<f64>, start: &State) -> Result<Look> {
        let kept = || Error::new(format!("the function of the points `{of}` holds what cannot be kept"));
        let (program, function) = (Arc::clone(&self.program), Constant::of(function).ok_or_else(kept)?);
        places(&program, &function, &start.q, start.t).map_err(|error| error.of(&program.files))?;
        // A picture leaves out points that fail later, as those of compiled models.
        let places = move |q: &[f64], t: f64| places(&program, &function, q, t).unwrap_or_default();
        Ok(look.points(of, places))
    }
}

/// The look with the addition of a method.
fn built(look: Look, name: &str, arguments: &[Value<f64>]) -> Option<Look> {
    Some(match (name, arguments) {
        ("fixed", [of, list]) => look.fixed(of.as_text()?, vectors(list)?),
        ("rod", [one, other]) => look.rod(end(one)?, end(other)?),
        ("spring", [one, other]) => look.spring(end(one)?, end(other)?),
        ("cylinder", [one, other, radius]) => look.cylinder(end(one)?, end(other)?, *radius.as_number()?),
        ("cone", [one, other, radius]) => look.cone(end(one)?, end(other)?, *radius.as_number()?),
        ("disc", [one, other, radius]) => look.disc(end(one)?, end(other)?, *radius.as_number()?),
        ("label", [one, words]) => look.label(end(one)?, words.as_text()?),
        ("ground", [place, up]) => look.ground(vector(place)?, vector(up)?),
        ("bonds", [of, pairs]) => look.bonds(of.as_text()?, self::pairs(pairs)?),
        ("springs", [of, pairs]) => look.springs(of.as_text()?, self::pairs(pairs)?),
        ("radius", [of, radius]) => look.radius(of.as_text()?, *radius.as_number()?),
        ("colours", [of, list]) => look.colours(of.as_text()?, &texts(list)?),
        ("species", [of, list]) => look.species(of.as_text()?, &texts(list)?),
        ("boxes", [turns, centres, sides]) => {
            look.boxes(turns.as_text()?, centres.inside().and_then(Value::as_text), vector(sides)?)
        }
        ("hide", [of]) => look.hide(of.as_text()?),
        _ => return None,
    })
}

/// The places of points at (q, t).
fn places(program: &Program, function: &Constant, q: &[f64], t: f64) -> Result<Vec<Vector3<f64>>> {
    use super::value::Caller;
    let mut machine = Machine::new(program, &Alone, Budget::default());
    let q = Value::list(q.iter().map(|number| Value::Number(*number)).collect());
    let found = machine.call(&Value::of(function), &mut [q, Value::Number(t)])?;
    vectors(&found).ok_or_else(|| found.mismatch("Vec<Vector3<f64>>", program))
}

fn vector(value: &Value<f64>) -> Option<Vector3<f64>> {
    match value {
        Value::Matrix(matrix) => <[f64; 3]>::try_from(&*matrix.entries).ok().map(Vector3::from),
        _ => None,
    }
}

fn vectors(value: &Value<f64>) -> Option<Vec<Vector3<f64>>> {
    value.as_list()?.iter().map(vector).collect()
}

fn texts(value: &Value<f64>) -> Option<Vec<&str>> {
    value.as_list()?.iter().map(Value::as_text).collect()
}

fn end(value: &Value<f64>) -> Option<(&str, usize)> {
    if let [name, number] = value.as_list()? { name.as_text().zip(number.as_count()) } else { None }
}

fn pairs(value: &Value<f64>) -> Option<Vec<(usize, usize)>> {
    let pair = |pair: &Value<f64>| {
        if let [one, other] = pair.as_list()? { one.as_count().zip(other.as_count()) } else { None }
    };
    value.as_list()?.iter().map(pair).collect()
}
