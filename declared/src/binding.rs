//! Carries out the emitted binding code on a binder of the core: tables of its functions and methods.

use crate::kernels::Handle;
use crate::rust::{Caller, Error, Kind as Integer, Result, Surroundings, Value, Vocabulary};
use least_action_core::binding::Cell;
use least_action_core::emitted::run_time::give;
use least_action_core::emitted::v1 as core;
use least_action_core::error::BindError;
use least_action_core::system::{Kind, Signal};
use std::any::Any;
use std::cell::{RefCell, RefMut};
use std::rc::Rc;

type Number = Value<f64>;

/// A function or a method, by its name in emitted code.
type Row = (&'static str, fn(&Call<'_>, &mut dyn Caller<f64>) -> Told);

/// What a function tells.
type Told = Result<Number, Trouble>;

/// Why emitted code has no value.
enum Trouble {
    Mistake(Error),
    /// The parameters make no system.
    Refused(BindError),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Mistake(error)
    }
}

impl From<BindError> for Trouble {
    fn from(error: BindError) -> Self {
        Self::Refused(error)
    }
}

/// An answer of the core as a value.
trait Answer {
    fn told(self) -> Told;
}

impl Answer for () {
    fn told(self) -> Told {
        Ok(Value::Unit)
    }
}

impl Answer for u32 {
    fn told(self) -> Told {
        Ok(Value::Integer(i128::from(self), Integer::U32))
    }
}

impl Answer for u64 {
    fn told(self) -> Told {
        Ok(Value::Integer(i128::from(self), Integer::U64))
    }
}

impl<T: Answer> Answer for Result<T, BindError> {
    fn told(self) -> Told {
        self?.told()
    }
}

/// A kernel with its name in messages.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    kernel: Handle,
    name: Number,
}

impl Named {
    pub(crate) fn new(kernel: Handle) -> Self {
        let name = match &kernel {
            Handle::Family(kernel) => Value::text(&kernel.name),
            Handle::Near(kernel) => Value::text(&kernel.kernel.name),
        };
        Self { kernel, name }
    }
}

/// An object of emitted code; what it holds is gone when it is handed on.
struct Held<T>(RefCell<Option<T>>);

#[expect(clippy::unnecessary_wraps, reason = "rows of tables end with it")]
fn held<T: 'static>(own: T) -> Told {
    Ok(Value::Host(Rc::new(Held(RefCell::new(Some(own))))))
}

/// Values that a later method takes: a table, the sides of an operation.
struct Kept(Vec<Number>);

#[expect(clippy::unnecessary_wraps, reason = "rows of tables end with it")]
fn kept(values: &[Number]) -> Told {
    Ok(Value::Host(Rc::new(Kept(values.to_vec()))))
}

/// Stands for the binder.
struct TheBinder;

/// A word of emitted code.
#[derive(Clone, Copy)]
enum Word {
    Kind(Kind),
    Reader(core::Reader),
    Use(core::Use),
    Rows(core::RowsOf),
}

const WORDS: [(&str, Word); 15] = [
    ("Kind::Scalar", Word::Kind(Kind::Scalar)),
    ("Kind::Angle", Word::Kind(Kind::Angle)),
    ("Kind::Vec2", Word::Kind(Kind::Vec2)),
    ("Kind::Vec3", Word::Kind(Kind::Vec3)),
    ("Kind::Mat3", Word::Kind(Kind::Mat3)),
    ("Reader::Positions", Word::Reader(core::Reader::Positions)),
    ("Reader::Motion", Word::Reader(core::Reader::Motion)),
    ("Use::Input", Word::Use(core::Use::Input)),
    ("Use::Table", Word::Use(core::Use::Table)),
    ("Use::SteepTable", Word::Use(core::Use::SteepTable)),
    ("RowsOf::Holonomic", Word::Rows(core::RowsOf::Holonomic)),
    ("RowsOf::Nonholonomic", Word::Rows(core::RowsOf::Nonholonomic)),
    ("RowsOf::Reset", Word::Rows(core::RowsOf::Reset)),
    ("RowsOf::Event", Word::Rows(core::RowsOf::Event)),
    ("RowsOf::Unilateral", Word::Rows(core::RowsOf::Unilateral)),
];

/// Emitted code that does not fit its objects: a mistake of the compiler.
fn misused() -> Error {
    Error::new("the binding code does not fit its objects: this is a mistake of Least Action")
}

fn number(value: &Number) -> Result<f64> {
    value.as_number().copied().ok_or_else(|| {
        Error::new("what is used as a number beside coordinates is not `f64`")
            .with_help("convert it: `f64::from(…)` or `… as f64`")
    })
}

fn count(value: &Number) -> Result<usize> {
    value.as_count().ok_or_else(misused)
}

fn host<T: 'static>(value: &Number) -> Result<&T> {
    let Value::Host(own) = value else { return Err(misused()) };
    own.downcast_ref::<T>().ok_or_else(misused)
}

/// A call of emitted code: its object, unless it is a function, and its arguments.
struct Call<'c> {
    binding: &'c Binding,
    own: &'c Number,
    arguments: &'c [Number],
}

impl Call<'_> {
    fn at(&self, k: usize) -> Result<&Number> {
        self.arguments.get(k).ok_or_else(misused)
    }

    fn list(&self, k: usize) -> Result<&[Number]> {
        self.at(k)?.as_list().ok_or_else(misused)
    }

    fn text(&self, k: usize) -> Result<&str> {
        self.at(k)?.as_text().ok_or_else(misused)
    }

    fn name(&self, k: usize) -> Result<String> {
        self.text(k).map(str::to_owned)
    }

    fn number(&self, k: usize) -> Result<f64> {
        number(self.at(k)?)
    }

    fn numbers(&self, k: usize) -> Result<Vec<f64>> {
        self.list(k)?.iter().map(number).collect()
    }

    fn integer(&self, k: usize) -> Result<i128> {
        self.at(k)?.as_integer().ok_or_else(misused)
    }

    fn count(&self, k: usize) -> Result<usize> {
        count(self.at(k)?)
    }

    fn counts(&self, k: usize) -> Result<Vec<usize>> {
        self.list(k)?.iter().map(count).collect()
    }

    fn place(&self, k: usize) -> Result<u32> {
        self.count(k).map(|place| place as u32)
    }

    fn places(&self, k: usize) -> Result<Vec<u32>> {
        self.list(k)?.iter().map(|place| count(place).map(|place| place as u32)).collect()
    }

    fn keys(&self, k: usize) -> Result<Vec<u64>> {
        self.list(k)?.iter().map(|key| key.as_integer().map(|key| key as u64).ok_or_else(misused)).collect()
    }

    fn cell(&self, k: usize) -> Result<Cell> {
        self.at(k)?.as_cell().ok_or_else(misused)
    }

    fn signal(&self, k: usize) -> Result<&Signal> {
        host(self.at(k)?)
    }

    fn kind(&self, k: usize) -> Result<Kind> {
        if let Word::Kind(kind) = *host(self.at(k)?)? { Ok(kind) } else { Err(misused()) }
    }

    fn reader(&self, k: usize) -> Result<core::Reader> {
        if let Word::Reader(reader) = *host(self.at(k)?)? { Ok(reader) } else { Err(misused()) }
    }

    fn rows(&self, k: usize) -> Result<core::RowsOf> {
        if let Word::Rows(rows) = *host(self.at(k)?)? { Ok(rows) } else { Err(misused()) }
    }

    fn used(&self, k: usize) -> Result<core::Use> {
        if let Word::Use(used) = *host(self.at(k)?)? { Ok(used) } else { Err(misused()) }
    }

    fn kernel(&self, k: usize) -> Result<&Handle> {
        host::<Named>(self.at(k)?).map(|named| &named.kernel)
    }

    /// The values that its object keeps.
    fn kept(&self, k: usize) -> Result<&Number> {
        host::<Kept>(self.own)?.0.get(k).ok_or_else(misused)
    }

    /// Takes an argument that is handed on.
    fn taken<T: 'static>(&self, k: usize) -> Result<T> {
        host::<Held<T>>(self.at(k)?)?.0.borrow_mut().take().ok_or_else(misused)
    }

    fn family(&self) -> Result<core::Family> {
        self.taken(0)
    }

    /// Takes its object, which is handed on.
    fn own<T: 'static>(&self) -> Result<T> {
        host::<Held<T>>(self.own)?.0.borrow_mut().take().ok_or_else(misused)
    }

    /// Changes its object.
    fn with<T: 'static, R>(&self, work: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        work(host::<Held<T>>(self.own)?.0.borrow_mut().as_mut().ok_or_else(misused)?)
    }

    /// Changes a sum over near pairs.
    fn near<R>(&self, work: impl FnOnce(&mut core::NearFamily) -> Result<R>) -> Result<R> {
        self.with(work)
    }

    /// Changes the points of a list of near pairs.
    fn points<R>(&self, work: impl FnOnce(&mut core::NearPoints) -> Result<R>) -> Result<R> {
        self.with(work)
    }

    /// The binder, which must be its object.
    fn binder(&self) -> Result<RefMut<'_, core::Binder>> {
        host::<TheBinder>(self.own)?;
        Ok(self.binding.binder.borrow_mut())
    }

    /// If its object holds this.
    fn is<T: 'static>(&self) -> bool {
        host::<Held<T>>(self.own).is_ok()
    }
}

const FUNCTIONS: &[Row] = &[
    ("v1::coefficient", |call, _| Ok(Value::Number(call.number(0)?))),
    ("Family::new", |call, _| {
        let Handle::Family(kernel) = call.kernel(0)? else { return Err(misused().into()) };
        held(core::Family::new(kernel.clone(), call.integer(1)? as u64))
    }),
    ("Family::in_rows", |call, _| {
        let Handle::Family(kernel) = call.kernel(0)? else { return Err(misused().into()) };
        held(core::Family::in_rows(kernel.clone(), call.integer(1)? as u64))
    }),
    ("NearFamily::new", |call, _| {
        let Handle::Near(kernel) = call.kernel(0)? else { return Err(misused().into()) };
        held(core::NearFamily::new(kernel, host::<core::Near>(call.at(1)?)?))
    }),
    ("AllPairs::new", |call, _| {
        held(core::AllPairs::new(call.name(0)?, call.number(1)?, call.count(2)?, &call.counts(3)?))
    }),
    ("v1::round", |call, _| {
        Ok(Value::count(call.at(0)?.as_integer().map_or(usize::MAX, |round| round as usize)))
    }),
    ("v1::length", |call, caller| Ok(Value::count(crate::rust::items(call.at(0)?, caller)?.len()))),
    ("v1::length_of", |call, caller| Ok(Value::count(crate::rust::items(call.at(0)?, caller)?.len()))),
    ("v1::longest", longest),
    ("v1::nth", |call, caller| {
        let index = call.count(1)?;
        let found = crate::rust::items(call.at(0)?, caller)?.into_iter().nth(index);
        found.ok_or(Trouble::Refused(BindError::EachTooShort { index }))
    }),
    ("v1::switch", |call, _| core::switch(call.number(0)?, call.number(1)?, call.text(2)?).told()),
    ("v1::key", |call, _| key(call.at(0)?)?.told()),
    ("v1::Table", |call, _| kept(call.arguments)),
    ("v1::Operands", |call, _| kept(call.arguments)),
    ("cell::edge", |call, _| of_cell(core::cell::edge, call)),
    ("cell::normal", |call, _| of_cell(core::cell::normal, call)),
];

#[expect(clippy::unit_arg, reason = "a method without an answer is a row as the others")]
const METHODS: &[Row] = &[
    // Of the binder.
    ("room", |call, _| call.binder()?.room().told()),
    ("coordinate", |call, _| {
        call.binder()?.coordinate(call.text(0)?, call.kind(1)?, &call.counts(2)?).told()
    }),
    ("items", |call, _| {
        if let Some((start, Some(end))) = call.at(0)?.as_range() {
            call.binder()?.items(start..end, call.text(1)?)?;
        }
        Ok(call.at(0)?.clone())
    }),
    ("moves", |call, _| call.binder()?.moves(call.text(0)?).told()),
    ("dimension", |call, _| call.binder()?.dimension().told()),
    ("entry", |call, _| call.binder()?.entry(call.count(0)?, &call.counts(1)?, call.text(2)?).told()),
    ("signal", |call, _| call.binder()?.signal(call.name(0)?, call.signal(1)?, call.used(2)?).told()),
    ("sampled", |call, _| call.binder()?.sampled(call.signal(0)?).told()),
    ("phase", |call, _| call.binder()?.phase(call.number(0)?, call.number(1)?).told()),
    ("begin_kinetic", |call, _| {
        let reads: Option<Vec<&str>> = call.list(1)?.iter().map(Value::as_text).collect();
        let reads = reads.ok_or_else(misused)?;
        call.binder()?.begin_kinetic(call.name(0)?, &reads, call.count(2)?, call.place(3)?).told()
    }),
    ("kinetic_element", |call, _| call.binder()?.kinetic_element().told()),
    ("mass", |call, _| {
        call.binder()?.mass(call.place(0)?, call.place(1)?, call.number(2)?, call.text(3)?).told()
    }),
    ("mass_of_sums", |call, _| call.binder()?.mass_of_sums(call.family()?).told()),
    ("begin_collective", |call, _| {
        call.binder()?.begin_collective(call.reader(0)?, call.name(1)?, call.place(2)?).told()
    }),
    ("follow_collective", |call, _| call.binder()?.follow_collective(call.count(0)?, call.number(1)?).told()),
    ("collective_row", |call, _| call.binder()?.collective_row(&call.counts(0)?, call.text(1)?).told()),
    ("first_partial_sum", |call, _| call.binder()?.first_partial_sum(&call.counts(0)?, call.text(1)?).told()),
    ("collective_family", |call, _| call.binder()?.collective_family(call.family()?).told()),
    ("row_of_collective", |call, _| call.binder()?.row_of_collective(&call.counts(0)?, call.text(1)?).told()),
    ("near_collective", |call, _| call.binder()?.near_collective(call.taken(0)?).told()),
    ("collective", |call, _| {
        let [stage, sum] = call.list(1)? else { return Err(misused().into()) };
        let stage = (count(stage)?, count(sum)? as u32);
        call.binder()?.collective(call.reader(0)?, stage, &call.counts(2)?, call.text(3)?).told()
    }),
    ("potential", |call, _| call.binder()?.potential(call.family()?).told()),
    ("stiff", |call, _| call.binder()?.stiff(call.family()?).told()),
    ("near_points", |call, _| {
        held(call.binder()?.near_points(call.name(0)?, call.number(1)?, call.count(2)?)?)
    }),
    ("near_potential", |call, _| call.binder()?.near_potential(call.taken(0)?).told()),
    ("near_stiff", |call, _| call.binder()?.near_stiff(call.taken(0)?).told()),
    ("general", |call, _| call.binder()?.general(call.family()?).told()),
    ("begin_rows", |call, _| call.binder()?.begin_rows(call.rows(0)?, call.name(1)?).told()),
    ("row_of", |call, _| call.binder()?.row_of(call.rows(0)?).told()),
    ("row_of_derivative", |call, _| call.binder()?.row_of_derivative().told()),
    ("kept_components", |call, _| call.binder()?.kept_components(call.rows(0)?, call.counts(1)?).told()),
    ("passes", |call, _| {
        let Value::Bool(rises) = *call.at(0)? else { return Err(misused().into()) };
        call.binder()?.passes(rises).told()
    }),
    ("reset_at", |call, _| call.binder()?.reset_at(call.name(0)?, call.count(1)?).told()),
    ("contact", |call, _| call.binder()?.contact(call.text(0)?, call.number(1)?, call.text(2)?).told()),
    ("end_rows", |call, _| call.binder()?.end_rows(call.rows(0)?).told()),
    ("rows_of", |call, _| call.binder()?.rows_of(call.rows(0)?, call.taken(1)?).told()),
    ("begin_force", |call, _| call.binder()?.begin_force(call.name(0)?, call.count(1)?).told()),
    ("force_row", |call, _| call.binder()?.force_row().told()),
    ("end_force", |call, _| call.binder()?.end_force().told()),
    ("force", |call, _| call.binder()?.force(call.family()?).told()),
    ("begin_dissipation", |call, _| call.binder()?.begin_dissipation(call.name(0)?).told()),
    ("dissipation", |call, _| call.binder()?.dissipation(call.family()?).told()),
    ("dissipated", |call, _| call.binder()?.dissipated(call.family()?).told()),
    // Of tables and operations.
    ("has", has),
    ("give", |call, _| {
        let (Value::Integer(a, of_a), Value::Integer(b, of_b)) = (call.kept(0)?, call.kept(1)?) else {
            return Ok(Value::Unit);
        };
        let Value::Char(sign) = *call.at(0)? else { return Err(misused().into()) };
        let (least, most) = of_a.common(*of_b)?.range();
        give(([*a, *b], [least, most]), sign, call.text(1)?, call.text(2)?).told()
    }),
    // Of families.
    ("push", |call, _| {
        let (places, numbers) = (call.places(0)?, call.numbers(1)?);
        call.with(|family: &mut core::Family| Ok(family.push(&places, &numbers)))?.told()
    }),
    // Of lists of near pairs, and of all pairs.
    ("point", |call, _| call.points(|points| Ok(points.point(call.place(0)?)))?.told()),
    ("then_second_array", |call, _| call.points(|points| Ok(points.then_second_array()))?.told()),
    ("periodic", |call, _| {
        if call.is::<core::AllPairs>() {
            return held(call.own::<core::AllPairs>()?.periodic(call.cell(0)?));
        }
        call.points(|points| Ok(points.periodic(call.cell(0)?)))?.told()
    }),
    ("except", except),
    ("finish", |call, _| Ok(Value::Host(Rc::new(call.own::<core::NearPoints>()?.finish()?)))),
    ("of", |call, _| {
        let pairs = call.own::<core::AllPairs>()?.of(call.count(0)?)?;
        Ok(Value::list(pairs.map(Value::count).collect()))
    }),
    ("pairs", |call, caller| {
        let pair = |(i, j)| Value::tuple(vec![Value::count(i), Value::count(j)]);
        let all: Vec<Number> = call.own::<core::AllPairs>()?.pairs()?.map(pair).collect();
        caller.spend(all.len(), all.len())?;
        Ok(Value::list(all))
    }),
    // Of sums over near pairs.
    ("row", |call, _| call.near(|family| Ok(family.row(call.place(0)?)))?.told()),
    ("shared", |call, _| call.near(|family| Ok(family.shared(&call.numbers(0)?)))?.told()),
    ("first", |call, _| {
        let (places, numbers, keys) = (call.places(1)?, call.numbers(2)?, call.keys(3)?);
        call.near(|family| Ok(family.first(call.count(0)?, &places, &numbers, &keys)))?.told()
    }),
    ("second", |call, _| {
        let (places, numbers, keys) = (call.places(1)?, call.numbers(2)?, call.keys(3)?);
        call.near(|family| Ok(family.second(call.count(0)?, &places, &numbers, &keys)))?.told()
    }),
    ("visit", |call, _| {
        let (places, numbers, keys) = (call.places(2)?, call.numbers(3)?, call.keys(4)?);
        call.near(|family| Ok(family.visit(call.place(0)?, call.count(1)?, &places, &numbers, &keys)))?.told()
    }),
    ("firsts", |call, _| call.near(|family| Ok(Value::count(family.firsts()))).map_err(Trouble::from)),
    ("seconds", |call, _| call.near(|family| Ok(Value::count(family.seconds()))).map_err(Trouble::from)),
    ("representatives", |call, _| {
        let all = call.near(|family| Ok(family.representatives()))??.into_iter();
        let three = |(at, first, second)| Value::tuple([at, first, second].map(Value::count).to_vec());
        Ok(Value::list(all.map(three).collect()))
    }),
    ("pair", |call, _| call.near(|family| Ok(family.pair(call.count(0)?, &call.numbers(1)?)))?.told()),
];

/// The number by which points of near pairs are told apart.
fn key(value: &Number) -> Result<u64> {
    match value {
        Value::Bool(truth) => Ok(u64::from(*truth)),
        Value::Char(sign) => Ok(u64::from(*sign)),
        Value::Integer(number, _) => Ok(*number as u64),
        Value::Number(number) => Ok(number.to_bits()),
        _ => Err(Error::new(
            "the points of near pairs are told apart by whole numbers, truth values and `f64` alone",
        )),
    }
}

/// The longer one of ranges, for partial sums.
fn longest(call: &Call<'_>, caller: &mut dyn Caller<f64>) -> Told {
    let found = crate::rust::items(call.at(1)?, caller)?;
    let known = call.at(0)?.inside().map(|known| crate::rust::items(known, caller)).transpose()?;
    if known.is_some_and(|known| found.len() <= known.len()) {
        return Ok(call.at(0)?.clone());
    }
    Ok(Value::option(Some(Value::list(found))))
}

fn of_cell(of: fn(Cell, usize, usize, usize) -> Result<f64, BindError>, call: &Call<'_>) -> Told {
    Ok(Value::Number(of(call.cell(0)?, call.count(1)?, call.count(2)?, call.count(3)?)?))
}

/// Requires that a table has an entry, or the entries of a range.
fn has(call: &Call<'_>, _: &mut dyn Caller<f64>) -> Told {
    let Some(length) = call.kept(0)?.as_list().map(<[_]>::len) else { return Ok(Value::Unit) };
    // The core checks by the length alone.
    let entries = vec![(); length];
    let (table, name, place) = (core::Table(&entries[..]), call.text(1)?, call.text(2)?);
    match (call.at(0)?.as_count(), call.at(0)?.as_range()) {
        (Some(index), _) => table.has(&index, name, place).told(),
        (_, Some((start, Some(end)))) => table.has(&(start..end), name, place).told(),
        (_, Some((start, None))) => table.has(&(start..), name, place).told(),
        _ => Ok(Value::Unit),
    }
}

/// Leaves out pairs: of points one pair, of all pairs those of a list.
fn except(call: &Call<'_>, caller: &mut dyn Caller<f64>) -> Told {
    if !call.is::<core::AllPairs>() {
        call.points(|points| {
            points.except(call.count(0)?, call.count(1)?);
            Ok(())
        })?;
        return Ok(Value::Unit);
    }
    let mut all = Vec::new();
    for pair in crate::rust::items(call.at(0)?, caller)? {
        let [first, second] = pair.as_list().ok_or_else(misused)? else { return Err(misused().into()) };
        all.push((count(first)?, count(second)?));
    }
    held(call.own::<core::AllPairs>()?.except(all))
}

/// The names of emitted code, with those of kernels, which are constants behind the others.
#[derive(Debug)]
pub(crate) struct Words<'k> {
    pub(crate) kernels: &'k [String],
}

/// The place of a path in a table, by its last two words.
fn place_of<T>(path: &[&str], table: &[(&str, T)]) -> Option<u32> {
    let name = path[path.len().saturating_sub(2)..].join("::");
    table.iter().position(|(known, _)| *known == name).map(|place| place as u32)
}

impl Vocabulary for Words<'_> {
    fn function(&self, path: &[&str]) -> Option<u32> {
        place_of(path, FUNCTIONS)
    }

    fn constant(&self, path: &[&str]) -> Option<u32> {
        let kernel = || match path {
            [name] => self.kernels.iter().position(|known| known == name),
            _ => None,
        };
        place_of(path, &WORDS).or_else(|| Some((WORDS.len() + kernel()?) as u32))
    }

    fn method(&self, name: &str) -> Option<u32> {
        place_of(&[name], METHODS)
    }
}

/// The surroundings of emitted binding code.
pub(crate) struct Binding {
    binder: RefCell<core::Binder>,
    kernels: Vec<Rc<Named>>,
    /// The reason why the parameters make no system.
    refusal: RefCell<Option<BindError>>,
}

impl Binding {
    /// Around a binder, which is taken for the time of the binding.
    pub(crate) fn new(binder: core::Binder, kernels: Vec<Rc<Named>>) -> Self {
        Self { binder: RefCell::new(binder), kernels, refusal: RefCell::default() }
    }

    /// The binder as an argument of emitted code.
    pub(crate) fn argument() -> Number {
        Value::Host(Rc::new(TheBinder))
    }

    /// The binder, and the reason why it was refused.
    pub(crate) fn into_parts(self) -> (core::Binder, Option<BindError>) {
        (self.binder.into_inner(), self.refusal.into_inner())
    }

    fn carry_out(
        &self,
        row: Option<&Row>,
        (own, arguments): (&Number, &[Number]),
        caller: &mut dyn Caller<f64>,
    ) -> Result<Number> {
        let (_, work) = row.ok_or_else(misused)?;
        work(&Call { binding: self, own, arguments }, caller).map_err(|trouble| match trouble {
            Trouble::Mistake(error) => error,
            Trouble::Refused(refusal) => {
                let told = Error::new(refusal.to_string());
                *self.refusal.borrow_mut() = Some(refusal);
                told
            }
        })
    }
}

impl Surroundings<f64> for Binding {
    fn constant(&self, constant: u32) -> Result<Number> {
        let constant = constant as usize;
        if let Some((_, word)) = WORDS.get(constant) {
            return Ok(Value::Host(Rc::new(*word)));
        }
        let kernel = self.kernels.get(constant - WORDS.len()).ok_or_else(misused)?;
        Ok(Value::Host(Rc::clone(kernel) as Rc<dyn Any>))
    }

    fn field(&self, own: &Rc<dyn Any>, name: &str) -> Option<Number> {
        let named = own.downcast_ref::<Named>()?;
        match name {
            "name" => Some(named.name.clone()),
            "kernel" => Some(Value::Host(Rc::clone(own))),
            _ => None,
        }
    }

    fn call(&self, function: u32, arguments: &mut [Number], caller: &mut dyn Caller<f64>) -> Result<Number> {
        self.carry_out(FUNCTIONS.get(function as usize), (&Value::Unit, arguments), caller)
    }

    fn method(
        &self,
        own: &Number,
        method: u32,
        arguments: &mut [Number],
        caller: &mut dyn Caller<f64>,
    ) -> Result<Number> {
        self.carry_out(METHODS.get(method as usize), (own, arguments), caller)
    }
}
