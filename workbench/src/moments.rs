//! Events of the command line: `landing`, `falling theta`, `bob.y < 0.1`, each with a number of times
//! behind a colon, `landing:3`; and the table of all moments of a run.

use least_action::advanced::carried::{Carried, CarryError, Memory, list, part};
use least_action::method::{Event, Passed, Stepper};
use least_action::system::{Layout, State};
use serde::Serialize;
use syn::{BinOp, Expr, UnOp};

use crate::error::{Error, Names, Result};
use crate::output::{Row, Trajectory};
use crate::start::entries;

/// The columns of a table of moments behind the state and the energy.
pub(crate) const COLUMNS: [&str; 5] = ["event", "count", "direction", "impulse", "energy_change"];

/// What a run says at its end about moments of a name.
#[derive(Debug, Serialize)]
pub(crate) struct Told {
    pub(crate) name: String,
    pub(crate) count: u64,
    /// The times of the first and of the last.
    pub(crate) first: f64,
    pub(crate) last: f64,
}

impl Told {
    /// Counts a moment.
    fn add(all: &mut Vec<Self>, name: &str, passed: &Passed) {
        let t = passed.state.t;
        match all.iter_mut().find(|told| told.name == name) {
            Some(told) => (told.count, told.last) = (passed.count, t),
            None => all.push(Self { name: name.to_owned(), count: passed.count, first: t, last: t }),
        }
    }

    /// Carries the counts of a run that is saved.
    fn carry_all(all: &mut Vec<Self>, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let length = memory.length(all.len())?;
        all.resize_with(length, || Self { name: String::new(), count: 0, first: 0.0, last: 0.0 });
        for Self { name, count, first, last } in all {
            let mut bytes: Vec<u64> = name.bytes().map(u64::from).collect();
            list(&mut bytes, memory)?;
            let bytes: Option<Vec<u8>> = bytes.into_iter().map(|byte| u8::try_from(byte).ok()).collect();
            *name = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or(CarryError::Foreign)?;
            count.carry(memory)?;
            first.carry(memory)?;
            last.carry(memory)?;
        }
        Ok(())
    }
}

/// The numbers of a moment in the order of [`COLUMNS`].
fn numbers(Passed { name, count, rises, impulse, energy, .. }: &Passed) -> [f64; 5] {
    [*name as f64, *count as f64, if *rises { 1.0 } else { -1.0 }, *impulse, *energy]
}

/// The moments of a run: their table, if a file is asked for, and what is told of them at the end.
pub(crate) struct Moments<'s> {
    table: Option<Trajectory<'s>>,
    pub(crate) told: Vec<Told>,
}

impl<'s> Moments<'s> {
    pub(crate) fn new(table: Option<Trajectory<'s>>) -> Self {
        Self { table, told: Vec::new() }
    }

    /// Takes a moment with the energy of its state.
    pub(crate) fn take(&mut self, name: &str, passed: &Passed, energy: f64) -> Result {
        Told::add(&mut self.told, name, passed);
        let Some(table) = &mut self.table else { return Ok(()) };
        table.write(&Row::of_moment((name, &passed.state), energy, &numbers(passed)))
    }

    pub(crate) fn finish(&mut self) -> Result {
        self.table.as_mut().map_or(Ok(()), Trajectory::finish)
    }

    /// Gives the file its name.
    pub(crate) fn complete(&mut self) -> Result {
        self.table.take().map_or(Ok(()), Trajectory::complete)
    }
}

impl Carried for Moments<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        part(self.table.as_mut(), memory)?;
        Told::carry_all(&mut self.told, memory)
    }
}

/// Makes a run look for events: those that end it, and sections.
pub(crate) fn look_for(
    stepper: &mut dyn Stepper,
    layout: &Layout,
    (ends, sections): (&[String], &[String]),
) -> Result {
    let all = ends.iter().map(|text| ("--until", text, true));
    for (flag, text, ends) in all.chain(sections.iter().map(|text| ("--section", text, false))) {
        let refused = |reason: String| Error::Mistake(format!("{flag} `{text}`: {reason}"));
        let event = event(text, layout, ends).map_err(refused)?;
        stepper.look_for(event).map_err(|error| refused(error.to_string()))?;
    }
    Ok(())
}

/// The event of a text.
fn event(text: &str, layout: &Layout, ends: bool) -> Result<Event, String> {
    let (subject, count) = match text.rsplit_once(':') {
        Some((subject, count)) => {
            let count: Option<u64> = count.trim().parse().ok().filter(|count| *count > 0);
            (subject.trim(), count.ok_or("behind `:` stands a whole number from 1 on, such as landing:3")?)
        }
        None => (text.trim(), 1),
    };
    let word = |word: &str| subject.strip_prefix(word).filter(|rest| rest.starts_with(' ')).map(str::trim);
    let (subject, rises) = match (word("rising"), word("falling")) {
        (Some(subject), _) => (subject, Some(true)),
        (_, Some(subject)) => (subject, Some(false)),
        _ => (subject, None),
    };
    let name = || text.split(':').next().unwrap_or(text).trim().to_owned();
    let event = match compared(subject, layout)? {
        // A name alone is an event of the model, unless it is a number of the motion.
        None => Event::named(subject),
        Some((value, direction)) => {
            let event = Event::of(name(), move |state: &State| value.at(state));
            Event { rises: direction, ..event }
        }
    };
    let event = Event { rises: rises.or(event.rises), ..event };
    Ok(if ends { event.ending_after(count) } else { event })
}

/// The difference of both sides of a comparison, and the direction in which it becomes true; a number
/// alone is compared with zero. `None` for a name that is no number of the motion.
fn compared(text: &str, layout: &Layout) -> Result<Option<(Number, Option<bool>)>, String> {
    let known = Known { names: entries(layout) };
    for (sign, rises) in
        [("<=", Some(false)), (">=", Some(true)), ("<", Some(false)), (">", Some(true)), ("=", None)]
    {
        if let Some((left, right)) = text.split_once(sign) {
            let [left, right] = [known.number(left)?, known.number(right.trim_start_matches('='))?];
            return Ok(Some((Number::Binary(Box::new([left, right]), |a, b| a - b), rises)));
        }
    }
    let is_name = text.chars().all(|letter| letter.is_alphanumeric() || "_[]".contains(letter));
    if is_name && known.place(text).is_none() { Ok(None) } else { Ok(Some((known.number(text)?, None))) }
}

/// An expression over the numbers of a motion.
enum Number {
    Constant(f64),
    Time,
    /// A place in (q, v).
    Entry(usize),
    Unary(Box<Number>, Function),
    Binary(Box<[Number; 2]>, fn(f64, f64) -> f64),
}

impl Number {
    fn at(&self, state: &State) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Time => state.t,
            Self::Entry(place) => {
                let n = state.q.len();
                if *place < n { state.q[*place] } else { state.v[place - n] }
            }
            Self::Unary(of, function) => function(of.at(state)),
            Self::Binary(of, function) => function(of[0].at(state), of[1].at(state)),
        }
    }
}

type Function = fn(f64) -> f64;

/// The functions of one number.
const FUNCTIONS: [(&str, Function); 8] = [
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("exp", f64::exp),
    ("ln", f64::ln),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
    ("atan", f64::atan),
];

/// The numbers of a motion by their names.
struct Known {
    names: Vec<String>,
}

impl Known {
    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    fn number(&self, text: &str) -> Result<Number, String> {
        let wrong =
            || format!("`{}` is no number of the motion, such as bob.y, der.bob.y or 2 * x - 1", text.trim());
        self.of(&syn::parse_str(text.trim()).map_err(|_| wrong())?, &wrong)
    }

    fn of(&self, expression: &Expr, wrong: &dyn Fn() -> String) -> Result<Number, String> {
        let pair = |left: &Expr, right: &Expr, function: fn(f64, f64) -> f64| {
            Ok(Number::Binary(Box::new([self.of(left, wrong)?, self.of(right, wrong)?]), function))
        };
        match expression {
            Expr::Paren(inner) => self.of(&inner.expr, wrong),
            Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Float(number) => number.base10_parse().map(Number::Constant).map_err(|_| wrong()),
                syn::Lit::Int(number) => number.base10_parse().map(Number::Constant).map_err(|_| wrong()),
                _ => Err(wrong()),
            },
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                Ok(Number::Unary(Box::new(self.of(&unary.expr, wrong)?), |a| -a))
            }
            Expr::Binary(binary) => match binary.op {
                BinOp::Add(_) => pair(&binary.left, &binary.right, |a, b| a + b),
                BinOp::Sub(_) => pair(&binary.left, &binary.right, |a, b| a - b),
                BinOp::Mul(_) => pair(&binary.left, &binary.right, |a, b| a * b),
                BinOp::Div(_) => pair(&binary.left, &binary.right, |a, b| a / b),
                BinOp::BitXor(_) => pair(&binary.left, &binary.right, f64::powf),
                _ => Err(wrong()),
            },
            Expr::Call(call) => {
                let name = spelled(&call.func).ok_or_else(wrong)?;
                let function = FUNCTIONS.iter().find(|(own, _)| *own == name);
                let (Some((_, function)), 1) = (function, call.args.len()) else {
                    let known: Names = FUNCTIONS.iter().map(|(name, _)| *name).collect();
                    return Err(known.refusal(
                        format!("there is no function `{name}` of one number"),
                        &name,
                        "there are:",
                    ));
                };
                Ok(Number::Unary(Box::new(self.of(&call.args[0], wrong)?), *function))
            }
            other => {
                let name = spelled(other).ok_or_else(wrong)?;
                if name == "t" {
                    return Ok(Number::Time);
                }
                self.place(&name).map(Number::Entry).ok_or_else(|| {
                    let known: Names = self.names.iter().map(String::as_str).collect();
                    known.refusal(format!("there is no number `{name}` of the motion"), &name, "there are:")
                })
            }
        }
    }
}

/// The name of a number: `der.bobs[3].y`.
fn spelled(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => Some(format!("{}.{name}", spelled(&field.base)?)),
            syn::Member::Unnamed(_) => None,
        },
        Expr::Index(index) => match &*index.index {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(place), .. }) => {
                Some(format!("{}[{}]", spelled(&index.expr)?, place.base10_digits()))
            }
            _ => None,
        },
        _ => None,
    }
}
