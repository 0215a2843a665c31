//! Carries out the emitted binding code: its functions and methods, on a binder of the core.

use crate::kernels::Handle;
use crate::rust::{Caller, Error, Kind as Integer, Surroundings, Value};
use crate::words::{Constant, Function, Method, Words};
use least_action_core::binding::Cell;
use least_action_core::emitted::v1 as core;
use least_action_core::error::BindError;
use least_action_core::system::{Kind, Signal};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

type Number = Value<f64>;

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

impl<T: 'static> Held<T> {
    fn value(own: T) -> Number {
        Value::Host(Rc::new(Self(RefCell::new(Some(own)))))
    }

    /// Works with the object.
    fn with<R>(own: &dyn Any, work: impl FnOnce(&mut T) -> Result<R, Error>) -> Result<R, Error> {
        let held = own.downcast_ref::<Self>().ok_or_else(misused)?;
        work(held.0.borrow_mut().as_mut().ok_or_else(misused)?)
    }

    /// Takes the object.
    fn take(value: &Number) -> Result<T, Error> {
        let Value::Host(own) = value else { return Err(misused()) };
        let held = own.downcast_ref::<Self>().ok_or_else(misused)?;
        held.0.borrow_mut().take().ok_or_else(misused)
    }
}

/// The sides of an integer operation, and a table.
struct Sides(Number, Number);
struct Table(Number);

/// Emitted code that does not fit its objects: a mistake of the compiler.
fn misused() -> Error {
    Error::new("the binding code does not fit its objects: this is a mistake of Least Action")
}

/// The surroundings of emitted binding code.
pub(crate) struct Binding {
    binder: RefCell<core::Binder>,
    kernels: Vec<Rc<Named>>,
    /// The reason why the parameters make no system.
    refusal: RefCell<Option<BindError>>,
    places: RefCell<Vec<u32>>,
    counts: RefCell<Vec<usize>>,
    numbers: RefCell<Vec<f64>>,
}

impl Binding {
    /// Around a binder, which is taken for the time of the binding.
    pub(crate) fn new(binder: core::Binder, kernels: Vec<Rc<Named>>) -> Self {
        Self {
            binder: RefCell::new(binder),
            kernels,
            refusal: RefCell::default(),
            places: RefCell::default(),
            counts: RefCell::default(),
            numbers: RefCell::default(),
        }
    }

    /// The binder as an argument of emitted code.
    pub(crate) fn argument() -> Number {
        Value::Host(Rc::new(TheBinder))
    }

    /// The binder, and the reason why it was refused.
    pub(crate) fn into_parts(self) -> (core::Binder, Option<BindError>) {
        (self.binder.into_inner(), self.refusal.into_inner())
    }

    /// Keeps the reason why the parameters make no system.
    fn kept<T>(&self, result: Result<T, BindError>) -> Result<T, Error> {
        result.map_err(|error| {
            let told = Error::new(error.to_string());
            *self.refusal.borrow_mut() = Some(error);
            told
        })
    }
}

/// Stands for the binder.
struct TheBinder;

fn text(value: &Number) -> Result<&str, Error> {
    value.as_text().ok_or_else(misused)
}

fn number(value: &Number) -> Result<f64, Error> {
    value.as_number().copied().ok_or_else(|| {
        Error::new("what is used as a number beside coordinates is not `f64`")
            .with_help("convert it: `f64::from(…)` or `… as f64`")
    })
}

fn count(value: &Number) -> Result<usize, Error> {
    value.as_count().ok_or_else(misused)
}

fn place(value: &Number) -> Result<u32, Error> {
    count(value).map(|place| place as u32)
}

fn index(place: u32) -> Number {
    Value::Integer(i128::from(place), Integer::U32)
}

/// Collects the entries of a list into memory that is there.
fn collected<T>(
    to: &mut Vec<T>,
    list: &Number,
    of: impl Fn(&Number) -> Result<T, Error>,
) -> Result<(), Error> {
    to.clear();
    for entry in list.as_list().ok_or_else(misused)? {
        to.push(of(entry)?);
    }
    Ok(())
}

fn host<T: 'static>(value: &Number) -> Result<&T, Error> {
    let Value::Host(own) = value else { return Err(misused()) };
    own.downcast_ref::<T>().ok_or_else(misused)
}

/// The number by which points of near pairs are told apart.
fn key(value: &Number) -> Result<u64, Error> {
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

impl Surroundings<f64> for Binding {
    fn constant(&self, constant: u32) -> Result<Number, Error> {
        if let Some(kernel) = Words::kernel(constant) {
            let kernel = self.kernels.get(kernel).ok_or_else(misused)?;
            return Ok(Value::Host(Rc::clone(kernel) as Rc<dyn Any>));
        }
        Ok(Value::count(constant as usize))
    }

    fn field(&self, own: &Rc<dyn Any>, name: &str) -> Option<Number> {
        let named = own.downcast_ref::<Named>()?;
        match name {
            "name" => Some(named.name.clone()),
            "kernel" => Some(Value::Host(Rc::clone(own))),
            _ => None,
        }
    }

    fn call(
        &self,
        function: u32,
        arguments: &mut [Number],
        caller: &mut dyn Caller<f64>,
    ) -> Result<Number, Error> {
        let function = Function::of(function).ok_or_else(misused)?;
        match (function, &*arguments) {
            (Function::FamilyNew | Function::FamilyInRows, [kernel, room]) => {
                let Handle::Family(kernel) = &host::<Named>(kernel)?.kernel else { return Err(misused()) };
                let room = room.as_integer().ok_or_else(misused)? as u64;
                Ok(Held::value(match function {
                    Function::FamilyNew => core::Family::new(kernel.clone(), room),
                    _ => core::Family::in_rows(kernel.clone(), room),
                }))
            }
            (Function::NearFamilyNew, [kernel, near]) => {
                let Handle::Near(kernel) = &host::<Named>(kernel)?.kernel else { return Err(misused()) };
                Ok(Held::value(core::NearFamily::new(kernel, host::<core::Near>(near)?)))
            }
            (Function::AllPairsNew, [place, radius, dimension, lengths]) => {
                let mut counts = Vec::new();
                collected(&mut counts, lengths, count)?;
                let pairs =
                    core::AllPairs::new(text(place)?.to_owned(), number(radius)?, count(dimension)?, &counts);
                Ok(Held::value(pairs))
            }
            (Function::Coefficient, [value]) => Ok(Value::Number(number(value)?)),
            (Function::Round, [value]) => {
                Ok(Value::count(value.as_integer().map_or(usize::MAX, |round| round as usize)))
            }
            (Function::Length | Function::LengthOf, [value]) => {
                Ok(Value::count(crate::rust::items(value, caller)?.len()))
            }
            (Function::Longest, [longest, range]) => Self::longest(longest, range, caller),
            (Function::Nth, [items, at]) => {
                let at = count(at)?;
                let found = crate::rust::items(items, caller)?.into_iter().nth(at);
                found.map_or_else(|| self.kept(Err(BindError::EachTooShort { index: at })), Ok)
            }
            (Function::Switch, [on, off, place]) => {
                self.kept(core::switch(number(on)?, number(off)?, text(place)?))?;
                Ok(Value::Unit)
            }
            (Function::Key, [value]) => Ok(Value::Integer(i128::from(key(value)?), Integer::U64)),
            (Function::Table, [table]) => Ok(Value::Host(Rc::new(Table(table.clone())))),
            (Function::Operands, [left, right]) => {
                Ok(Value::Host(Rc::new(Sides(left.clone(), right.clone()))))
            }
            (Function::Edge | Function::Normal, [cell, dimension, k, component]) => {
                let (cell, dimension) = (cell.as_cell().ok_or_else(misused)?, count(dimension)?);
                let of: fn(Cell, usize, usize, usize) -> Result<f64, BindError> = match function {
                    Function::Edge => core::cell::edge,
                    _ => core::cell::normal,
                };
                Ok(Value::Number(self.kept(of(cell, dimension, count(k)?, count(component)?))?))
            }
            (Function::Entries3x3, [matrix]) => {
                let mut numbers = Vec::new();
                if !matrix.components(&mut numbers) || numbers.len() != 9 {
                    return Err(misused());
                }
                let row =
                    |row: &[f64]| Value::list(row.iter().map(|number| Value::Number(*number)).collect());
                Ok(Value::Host(Rc::new(Entries(Value::list(numbers.chunks(3).map(row).collect())))))
            }
            _ => Err(misused()),
        }
    }

    fn method(
        &self,
        own: &Rc<dyn Any>,
        method: u32,
        arguments: &mut [Number],
        caller: &mut dyn Caller<f64>,
    ) -> Result<Number, Error> {
        let method = Method::of(method).ok_or_else(misused)?;
        let this = &**own;
        match (method, &*arguments) {
            _ if this.is::<TheBinder>() => return self.told(method, arguments, caller),
            (Method::Has, [index, name, place]) => {
                let Table(table) = this.downcast_ref().ok_or_else(misused)?;
                self.has(table, index, (text(name)?, text(place)?))?;
            }
            (Method::Give, [sign, expression, place]) => {
                let sides = this.downcast_ref().ok_or_else(misused)?;
                self.give(sides, sign, (text(expression)?, text(place)?))?;
            }
            (Method::Push, [slots, coefficients]) => {
                let (mut places, mut numbers) = (self.places.borrow_mut(), self.numbers.borrow_mut());
                collected(&mut places, slots, place)?;
                collected(&mut numbers, coefficients, number)?;
                Held::<core::Family>::with(this, |family| self.kept(family.push(&places, &numbers)))?;
            }
            (Method::Rows, []) => {
                let Entries(rows) = this.downcast_ref().ok_or_else(misused)?;
                return Ok(rows.clone());
            }
            _ if this.is::<Held<core::NearPoints>>() => {
                return self.of_points(own, method, arguments, caller);
            }
            _ if this.is::<Held<core::NearFamily>>() => return self.of_near(this, method, arguments),
            _ if this.is::<Held<core::AllPairs>>() => return self.of_pairs(own, method, arguments, caller),
            _ => return Err(misused()),
        }
        Ok(Value::Unit)
    }
}

/// The rows of a matrix.
struct Entries(Number);

impl Binding {
    /// The longer one of ranges, for partial sums.
    fn longest(longest: &Number, range: &Number, caller: &mut dyn Caller<f64>) -> Result<Number, Error> {
        let found = crate::rust::items(range, caller)?;
        let known = match longest.inside() {
            Some(known) => crate::rust::items(known, caller)?.len(),
            None => 0,
        };
        if longest.inside().is_some() && found.len() <= known {
            return Ok(longest.clone());
        }
        Ok(Value::option(Some(Value::list(found))))
    }

    /// Requires that a table has an entry, or the entries of a range.
    fn has(&self, table: &Number, index: &Number, (name, place): (&str, &str)) -> Result<(), Error> {
        let Some(length) = table.as_list().map(<[_]>::len) else { return Ok(()) };
        // The core checks by the length alone.
        let entries = vec![(); length];
        let table = core::Table(&entries[..]);
        match (index.as_count(), index.as_range()) {
            (Some(index), _) => self.kept(table.has(&index, name, place)),
            (_, Some((start, Some(end)))) => self.kept(table.has(&(start..end), name, place)),
            (_, Some((start, None))) => self.kept(table.has(&(start..), name, place)),
            _ => Ok(()),
        }
    }

    /// Requires that an integer operation has a result.
    fn give(
        &self,
        Sides(left, right): &Sides,
        sign: &Number,
        (expression, place): (&str, &str),
    ) -> Result<(), Error> {
        let (Value::Integer(a, of_a), Value::Integer(b, of_b)) = (left, right) else { return Ok(()) };
        let Value::Char(sign) = sign else { return Err(misused()) };
        let [least, most] = of_a.common(*of_b)?.bounds();
        self.kept(least_action_core::emitted::run_time::give(
            ([*a, *b], [least, most]),
            *sign,
            expression,
            place,
        ))
    }

    /// A method of the binder.
    fn told(
        &self,
        method: Method,
        arguments: &[Number],
        caller: &mut dyn Caller<f64>,
    ) -> Result<Number, Error> {
        let binder = &mut *self.binder.borrow_mut();
        let counts = &mut *self.counts.borrow_mut();
        match (method, arguments) {
            (Method::Room, []) => return Ok(Value::Integer(i128::from(binder.room()), Integer::U64)),
            (Method::Dimension, []) => return Ok(index(binder.dimension())),
            (Method::Coordinate, [name, kind, lengths]) => {
                collected(counts, lengths, count)?;
                self.kept(binder.coordinate(text(name)?, kind_of(kind)?, counts))?;
            }
            (Method::Items, [items, place]) => {
                if let Some((start, Some(end))) = items.as_range() {
                    self.kept(binder.items(start..end, text(place)?))?;
                }
                return Ok(items.clone());
            }
            (Method::Moves, [model]) => self.kept(binder.moves(text(model)?))?,
            (Method::Entry, [coordinate, indices, place]) => {
                collected(counts, indices, count)?;
                return Ok(index(self.kept(binder.entry(count(coordinate)?, counts, text(place)?))?));
            }
            (Method::Signal, [name, signal, used]) => {
                let used = used_as(used)?;
                self.kept(binder.signal(text(name)?.to_owned(), host::<Signal>(signal)?, used))?;
            }
            (Method::Sampled, [signal]) => binder.sampled(host::<Signal>(signal)?),
            (Method::Phase, [frequency, initial]) => {
                self.kept(binder.phase(number(frequency)?, number(initial)?))?;
            }
            (Method::BeginKinetic, [name, reads, variables, operations]) => {
                let reads = reads.as_list().ok_or_else(misused)?;
                let reads: Vec<&str> = reads.iter().map(text).collect::<Result<_, _>>()?;
                binder.begin_kinetic(text(name)?.to_owned(), &reads, count(variables)?, place(operations)?);
            }
            (Method::KineticElement, []) => binder.kinetic_element(),
            (Method::Mass, [row, column, value, of]) => {
                self.kept(binder.mass(place(row)?, place(column)?, number(value)?, text(of)?))?;
            }
            (Method::BeginCollective, [reader, name, sums]) => {
                binder.begin_collective(reader_of(reader)?, text(name)?.to_owned(), place(sums)?);
            }
            (Method::FollowCollective, [at, period]) => binder.follow_collective(count(at)?, number(period)?),
            (Method::CollectiveRow | Method::FirstPartialSum | Method::RowOfCollective, [rounds, place]) => {
                collected(counts, rounds, count)?;
                let place = text(place)?;
                return Ok(match method {
                    Method::CollectiveRow => index(self.kept(binder.collective_row(counts, place))?),
                    Method::RowOfCollective => index(self.kept(binder.row_of_collective(counts, place))?),
                    _ => {
                        self.kept(binder.first_partial_sum(counts, place))?;
                        Value::Unit
                    }
                });
            }
            (Method::Collective, [reader, stage, rounds, of]) => {
                collected(counts, rounds, count)?;
                let [stage, sum] = stage.as_list().ok_or_else(misused)? else { return Err(misused()) };
                let stage = (count(stage)?, place(sum)?);
                return Ok(index(self.kept(binder.collective(
                    reader_of(reader)?,
                    stage,
                    counts,
                    text(of)?,
                ))?));
            }
            (Method::NearPoints, [place, radius, dimension]) => {
                let points = binder.near_points(text(place)?.to_owned(), number(radius)?, count(dimension)?);
                return Ok(Held::value(self.kept(points)?));
            }
            (Method::Row | Method::ForceRow, []) => {
                return Ok(index(if method == Method::Row { binder.row() } else { binder.force_row() }));
            }
            (Method::NonholonomicRow, [Value::Bool(derivative)]) => {
                return Ok(index(binder.nonholonomic_row(*derivative)));
            }
            (Method::EndConstraint, []) => binder.end_constraint(),
            (Method::EndNonholonomic, []) => binder.end_nonholonomic(),
            (Method::EndForce, []) => self.kept(binder.end_force())?,
            (Method::BeginForce, [name, coordinate]) => {
                binder.begin_force(text(name)?.to_owned(), count(coordinate)?);
            }
            (_, [one]) => return self.taken(binder, method, one, caller),
            _ => return Err(misused()),
        }
        Ok(Value::Unit)
    }

    /// A method of the binder that takes a family, a name or a list.
    fn taken(
        &self,
        binder: &mut core::Binder,
        method: Method,
        one: &Number,
        caller: &mut dyn Caller<f64>,
    ) -> Result<Number, Error> {
        let _ = caller;
        let family = || Held::<core::Family>::take(one);
        let near = || Held::<core::NearFamily>::take(one);
        let name = || text(one).map(str::to_owned);
        let components = || -> Result<Vec<usize>, Error> {
            let mut components = Vec::new();
            collected(&mut components, one, count)?;
            Ok(components)
        };
        match method {
            Method::MassOfSums => binder.mass_of_sums(family()?),
            Method::CollectiveFamily => binder.collective_family(family()?),
            Method::Potential => binder.potential(family()?),
            Method::Stiff => binder.stiff(family()?),
            Method::General => binder.general(family()?),
            Method::Constraint => binder.constraint(family()?),
            Method::Nonholonomic => binder.nonholonomic(family()?),
            Method::Force => binder.force(family()?),
            Method::Dissipation => binder.dissipation(family()?),
            Method::Dissipated => binder.dissipated(family()?),
            Method::NearCollective => self.kept(binder.near_collective(near()?))?,
            Method::NearPotential => self.kept(binder.near_potential(near()?))?,
            Method::NearStiff => self.kept(binder.near_stiff(near()?))?,
            Method::BeginConstraint => binder.begin_constraint(name()?),
            Method::BeginNonholonomic => binder.begin_nonholonomic(name()?),
            Method::BeginDissipation => binder.begin_dissipation(name()?),
            Method::KeptComponents => binder.kept_components(components()?),
            Method::KeptNonholonomicComponents => binder.kept_nonholonomic_components(components()?),
            _ => return Err(misused()),
        }
        Ok(Value::Unit)
    }

    /// A method of the points of a list of near pairs.
    fn of_points(
        &self,
        own: &Rc<dyn Any>,
        method: Method,
        arguments: &[Number],
        _: &mut dyn Caller<f64>,
    ) -> Result<Number, Error> {
        if method == Method::Finish {
            let points = Held::<core::NearPoints>::take(&Value::Host(Rc::clone(own)))?;
            return Ok(Value::Host(Rc::new(self.kept(points.finish())?)));
        }
        Held::<core::NearPoints>::with(&**own, |points| {
            match (method, arguments) {
                (Method::Point, [start]) => points.point(place(start)?),
                (Method::ThenSecondArray, []) => points.then_second_array(),
                (Method::Periodic, [cell]) => points.periodic(cell.as_cell().ok_or_else(misused)?),
                (Method::Except, [first, second]) => points.except(count(first)?, count(second)?),
                _ => return Err(misused()),
            }
            Ok(Value::Unit)
        })
    }

    /// A method of a sum over near pairs.
    fn of_near(&self, own: &dyn Any, method: Method, arguments: &[Number]) -> Result<Number, Error> {
        let (mut places, mut numbers) = (self.places.borrow_mut(), self.numbers.borrow_mut());
        let mut keys: Vec<u64> = Vec::new();
        Held::<core::NearFamily>::with(own, |family| {
            if let [.., slots, coefficients, of_keys] = arguments {
                collected(&mut places, slots, place)?;
                collected(&mut numbers, coefficients, number)?;
                collected(&mut keys, of_keys, |key| {
                    key.as_integer().map(|key| key as u64).ok_or_else(misused)
                })?;
            }
            match (method, arguments) {
                (Method::Shared, [values]) => {
                    collected(&mut numbers, values, number)?;
                    self.kept(family.shared(&numbers))?;
                }
                (Method::Row, [row]) => family.row(place(row)?),
                (Method::First, [end, ..]) => {
                    self.kept(family.first(count(end)?, &places, &numbers, &keys))?;
                }
                (Method::Second, [end, ..]) => {
                    self.kept(family.second(count(end)?, &places, &numbers, &keys))?;
                }
                (Method::Visit, [row, end, ..]) => {
                    self.kept(family.visit(place(row)?, count(end)?, &places, &numbers, &keys))?;
                }
                (Method::Firsts, []) => return Ok(Value::count(family.firsts())),
                (Method::Seconds, []) => return Ok(Value::count(family.seconds())),
                (Method::Representatives, []) => {
                    let all = self.kept(family.representatives())?.into_iter();
                    let three =
                        |(at, first, second)| Value::tuple([at, first, second].map(Value::count).to_vec());
                    return Ok(Value::list(all.map(three).collect()));
                }
                (Method::Pair, [at, values]) => {
                    collected(&mut numbers, values, number)?;
                    self.kept(family.pair(count(at)?, &numbers))?;
                }
                _ => return Err(misused()),
            }
            Ok(Value::Unit)
        })
    }

    /// A method of all pairs of points.
    fn of_pairs(
        &self,
        own: &Rc<dyn Any>,
        method: Method,
        arguments: &[Number],
        caller: &mut dyn Caller<f64>,
    ) -> Result<Number, Error> {
        let pairs = Held::<core::AllPairs>::take(&Value::Host(Rc::clone(own)))?;
        match (method, arguments) {
            (Method::Periodic, [cell]) => {
                Ok(Held::value(pairs.periodic(cell.as_cell().ok_or_else(misused)?)))
            }
            (Method::Except, [exceptions]) => {
                let mut all = Vec::new();
                for pair in crate::rust::items(exceptions, caller)? {
                    let [first, second] = pair.as_list().ok_or_else(misused)? else { return Err(misused()) };
                    all.push((count(first)?, count(second)?));
                }
                Ok(Held::value(pairs.except(all)))
            }
            (Method::Of, [i]) => {
                let all: Vec<Number> = self.kept(pairs.of(count(i)?))?.map(Value::count).collect();
                Ok(Value::list(all))
            }
            (Method::Pairs, []) => {
                let pair = |(i, j)| Value::tuple(vec![Value::count(i), Value::count(j)]);
                let all: Vec<Number> = self.kept(pairs.pairs())?.map(pair).collect();
                caller.spend(all.len(), all.len())?;
                Ok(Value::list(all))
            }
            _ => Err(misused()),
        }
    }
}

fn constant(value: &Number) -> Result<Constant, Error> {
    Constant::of(place(value)?).ok_or_else(misused)
}

fn kind_of(value: &Number) -> Result<Kind, Error> {
    Ok(match constant(value)? {
        Constant::Scalar => Kind::Scalar,
        Constant::Angle => Kind::Angle,
        Constant::Vec2 => Kind::Vec2,
        Constant::Vec3 => Kind::Vec3,
        Constant::Mat3 => Kind::Mat3,
        _ => return Err(misused()),
    })
}

fn reader_of(value: &Number) -> Result<core::Reader, Error> {
    match constant(value)? {
        Constant::Positions => Ok(core::Reader::Positions),
        Constant::Motion => Ok(core::Reader::Motion),
        _ => Err(misused()),
    }
}

fn used_as(value: &Number) -> Result<core::Use, Error> {
    match constant(value)? {
        Constant::Input => Ok(core::Use::Input),
        Constant::ValueTable => Ok(core::Use::Table),
        Constant::SteepTable => Ok(core::Use::SteepTable),
        _ => Err(misused()),
    }
}
