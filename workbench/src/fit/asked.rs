//! The data, the starts and the free numbers that a command line or a program asks for.

use std::collections::HashSet;
use std::path::PathBuf;

use least_action::system::State;
use least_action_optimization::fit::{Data, Fit, Loss, holds};
use serde_json::{Value, json};

use crate::arguments::{AskedFit, StartChoice};
use crate::error::{Error, Names, Result};
use crate::identity::checksum;
use crate::prepared::Prepared;
use crate::registry::Instance;
use crate::start::check_entry;
use crate::{parameters, view};

/// The columns of a table in memory, the times `t` among them.
pub(crate) type Table = Vec<(String, Vec<f64>)>;

/// The recordings, the start of each, none where it is the model's own, and remarks on them.
pub(super) struct Recorded {
    pub(super) data: Vec<Data>,
    pub(super) starts: Vec<Option<State>>,
    pub(super) remarks: Vec<String>,
}

/// Where a recording comes from.
enum Source<'t> {
    File(PathBuf),
    Table(&'t Table),
}

impl Source<'_> {
    fn refused(&self, reason: String) -> Error {
        match self {
            Self::File(path) => Error::malformed(path, reason),
            Self::Table(_) => Error::Mistake(format!("the data cannot be used: {reason}")),
        }
    }

    fn names(&self, instance: &Instance) -> Result<Vec<String>> {
        match self {
            Self::File(path) => view::names(instance, path),
            Self::Table(table) => Ok(table.iter().map(|(name, _)| name.clone()).collect()),
        }
    }

    fn samples(&self, instance: &Instance, names: &[String]) -> Result<view::Samples> {
        let table = match self {
            Self::File(path) => return view::samples(instance, path, names),
            Self::Table(table) => table,
        };
        let column = |name: &str| {
            let own = table.iter().find(|(own, _)| own == name).map(|(_, values)| values.clone());
            let known: Names = table.iter().map(|(own, _)| own.clone()).collect();
            own.ok_or_else(|| self.refused(known.refusal(format!("no column `{name}`"), name, "there are:")))
        };
        let columns: Vec<Vec<f64>> = names.iter().map(|name| column(name)).collect::<Result<_, _>>()?;
        let times = column("t")?;
        match names.iter().zip(&columns).find(|(_, own)| own.len() != times.len()) {
            Some((name, own)) => {
                let lengths = format!("{} samples, and there are {} times", own.len(), times.len());
                Err(self.refused(format!("the column `{name}` has {lengths}")))
            }
            None => Ok((times, columns, None)),
        }
    }
}

/// The start of each of so many recordings.
fn starts(asked: &AskedFit, instance: &Instance, count: usize) -> Result<Vec<Option<State>>> {
    let AskedFit { start, from, state, .. } = asked;
    let choice =
        |file: Option<&PathBuf>, state| StartChoice { file: file.cloned(), from: from.clone(), state };
    let inside = state.iter().map(|state| choice(None, Some(state.clone())));
    let choices = inside.chain(start.iter().map(|path| choice(Some(path), None)));
    let given = choices.map(|choice| choice.state(instance)).collect::<Result<Vec<_>, _>>()?;
    match given.as_slice() {
        [] => Ok(vec![None; count]),
        [one] => Ok(vec![Some(one.clone()); count]),
        all if all.len() == count => Ok(given.into_iter().map(Some).collect()),
        all => {
            let files = format!("{} --start for {count} --data", all.len());
            Err(Error::Mistake(format!("{files}: give one, or one for each")))
        }
    }
}

/// The recordings of files and of a program.
pub(super) fn recorded(asked: &AskedFit, instance: &Instance) -> Result<Recorded> {
    let files = asked.data.iter().cloned().map(Source::File);
    let sources: Vec<Source<'_>> = files.chain(asked.tables.iter().map(Source::Table)).collect();
    let starts = starts(asked, instance, sources.len())?;
    let layout = instance.system.lagrangian().layout();
    let positions: Vec<String> = (0..layout.dimension()).map(|index| layout.name_of(index)).collect();
    let known: HashSet<&str> = positions.iter().map(String::as_str).collect();
    let first = sources.first().map_or_else(|| Ok(Vec::new()), |source| source.names(instance))?;
    let mut columns = Vec::new();
    for text in &asked.columns {
        let (name, sigma) =
            text.split_once('=').map_or((text.as_str(), None), |(name, sigma)| (name, Some(sigma)));
        let name = name.trim();
        check_entry("--columns", &asked.columns.join(","), name, layout)?;
        columns.push((name.to_owned(), sigma.map(|sigma| number("--columns", text, sigma)).transpose()?));
    }
    let mut remarks = Vec::new();
    if columns.is_empty() {
        let (own, others): (Vec<String>, Vec<String>) =
            first.into_iter().partition(|name| known.contains(name.as_str()));
        columns = own.into_iter().map(|name| (name, None)).collect();
        let others: Names = others.into_iter().filter(|name| name != "t").take(8).collect();
        if columns.is_empty() {
            let model: Names = positions.iter().take(8).cloned().collect();
            let of = &instance.name;
            let reason =
                format!("it has no column of a position of `{of}` ({model}): its columns are {others}");
            let none = || Error::mistake("there are no data");
            return Err(sources.first().map_or_else(none, |own| own.refused(reason)));
        }
        if !others.0.is_empty() {
            remarks.push(format!("columns that are not fitted: {others}; --columns names the ones that are"));
        }
    }
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    let mut all = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let (times, values, ending) = source.samples(instance, &names)?;
        remarks.extend(ending);
        let data = Data::at(Vec::new()).named(match source {
            Source::File(path) => path.display().to_string(),
            Source::Table(_) if sources.len() == 1 => "the data".to_owned(),
            Source::Table(_) => format!("data[{number}]"),
        });
        all.push(columns.iter().zip(values).fold(data, |data, ((name, sigma), values)| {
            // A gap is no sample.
            let samples = times.iter().zip(values).filter(|(_, value)| !value.is_nan());
            let (times, values) = samples.unzip();
            let data = data.also_at(times);
            match sigma {
                Some(sigma) => data.measured(name, *sigma, values),
                None => data.column(name, values),
            }
        }));
    }
    Ok(Recorded { data: all, starts, remarks })
}

/// The free numbers with their bounds, in the order in which they are asked for.
fn free(asked: &AskedFit) -> Result<Vec<(String, [f64; 2])>> {
    let sensors = sensors(asked)?;
    let asked_for: Vec<&str> = asked.free.iter().chain(&sensors).map(|name| name.trim()).collect();
    let mut bounds = asked.bounds.iter().map(|text| interval(text)).collect::<Result<Vec<_>, _>>()?;
    let are_one = |name: &str, own: &str| holds(name, own) || holds(own, name);
    if let Some((name, _)) = bounds.iter().find(|(name, _)| !asked_for.iter().any(|own| are_one(name, own))) {
        let names: Names = asked_for.iter().copied().collect();
        let what = format!("--bounds `{}`: `{name}` is not free", asked.bounds.join(","));
        return Err(Error::Mistake(names.refusal(what, name, "free are:")));
    }
    // The bounds of an entry go before the bounds of its array.
    bounds.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let unbounded = [f64::NEG_INFINITY, f64::INFINITY];
    let free = asked_for.iter().flat_map(|own| {
        let bounded = bounds.iter().filter(move |(name, _)| are_one(name, own));
        let named =
            bounded.map(move |(name, interval)| (if holds(name, own) { *own } else { *name }, *interval));
        named.chain([(*own, unbounded)])
    });
    Ok(free.map(|(name, interval)| (name.to_owned(), interval)).collect())
}

/// The numbers of sensors: `x: offset, scale` is `offset(x)` and `scale(x)`.
fn sensors(asked: &AskedFit) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for text in &asked.sensor {
        let forms = "write COLUMN: offset, COLUMN: scale or COLUMN: offset, scale";
        let wrong = || Error::Mistake(format!("--sensor `{text}`: {forms}"));
        let (column, words) = text.split_once(':').ok_or_else(wrong)?;
        for word in words.split(',').map(str::trim) {
            let is_known = ["offset", "scale"].contains(&word);
            all.push(is_known.then(|| format!("{word}({})", column.trim())).ok_or_else(wrong)?);
        }
    }
    Ok(all)
}

/// A loss by its name and its scale, which is the one of 95 % efficiency unless given.
fn loss(text: &str) -> Result<Loss> {
    let (name, scale) = text.split_once('=').map_or((text, None), |(name, scale)| (name, Some(scale)));
    let scale = scale.map(|scale| number("--loss", text, scale)).transpose()?;
    match name.trim() {
        "huber" => Ok(Loss::Huber(scale.unwrap_or(1.345))),
        "soft-l1" => Ok(Loss::SoftL1(scale.unwrap_or(1.345))),
        "cauchy" => Ok(Loss::Cauchy(scale.unwrap_or(2.385))),
        name => {
            let known: Names = ["huber", "soft-l1", "cauchy"].into_iter().collect();
            Err(Error::Mistake(known.refusal(format!("--loss: no loss `{name}`"), name, "there are:")))
        }
    }
}

/// The fit of a motion to recordings.
pub(super) fn problem<'a>(
    asked: &AskedFit,
    motion: Prepared<'a>,
    recorded: &Recorded,
) -> Result<Fit<Prepared<'a>>> {
    let mut fit = Fit::of(motion).segments(asked.segments).within(parameters::available(&asked.model));
    for (name, bounds) in free(asked)? {
        fit = fit.free(name, bounds);
    }
    for text in &asked.prior {
        let form = "write NAME=VALUE±ERROR, such as mass=1.2±0.1 or mass=1.2+-0.1";
        let wrong = || Error::Mistake(format!("--prior `{text}`: {form}"));
        let (name, known) = text.split_once('=').ok_or_else(wrong)?;
        let (mean, sigma) = known.split_once('±').or_else(|| known.split_once("+-")).ok_or_else(wrong)?;
        fit = fit.prior(name.trim(), number("--prior", text, mean)?, number("--prior", text, sigma)?);
    }
    for (data, start) in recorded.data.iter().cloned().zip(recorded.starts.iter().cloned()) {
        fit = match start {
            Some(start) => fit.data(data, start),
            None => fit.own(data),
        };
    }
    let loss = asked.loss.as_deref().map_or(Ok(Loss::Squares), loss)?;
    let fit = fit.loss(loss);
    Ok(if asked.once { fit } else { fit.begin_again() })
}

/// All that the unknowns depend on beside the model and the method; data by their contents.
pub(super) fn identity(asked: &AskedFit, Recorded { data, starts, .. }: &Recorded) -> Value {
    let AskedFit { columns, free, bounds, segments, from, prior, sensor, loss, .. } = asked;
    let checksum = |data: &Data| {
        let bytes = |numbers: [&[f64]; 2]| -> Vec<u8> {
            numbers.into_iter().flatten().flat_map(|number| number.to_bits().to_le_bytes()).collect()
        };
        data.columns().map(|(name, numbers)| [name.to_owned(), checksum(&bytes(numbers))]).collect::<Vec<_>>()
    };
    let data: Vec<_> = data.iter().map(checksum).collect();
    json!({
        "data": data, "columns": columns, "free": free, "bounds": bounds, "segments": segments, "start": starts, "from": from,
        "prior": prior, "sensor": sensor, "loss": loss,
    })
}

/// A name with its bounds: `gravity=0:20`, or open as `mass=0:`.
pub(crate) fn interval(text: &str) -> Result<(&str, [f64; 2])> {
    let form = "write NAME=LOWER:UPPER, such as gravity=0:20 or mass=0:";
    let wrong = || Error::Mistake(format!("--bounds `{text}`: {form}"));
    let (name, interval) = text.split_once('=').ok_or_else(wrong)?;
    let (lower, upper) = interval.split_once(':').ok_or_else(wrong)?;
    let side = |side: &str, none: f64| {
        if side.trim().is_empty() { Ok(none) } else { number("--bounds", text, side) }
    };
    Ok((name.trim(), [side(lower, f64::NEG_INFINITY)?, side(upper, f64::INFINITY)?]))
}

pub(crate) fn number(flag: &str, text: &str, number: &str) -> Result<f64> {
    let number = number.trim();
    let finite = number.parse().ok().filter(|number: &f64| number.is_finite());
    finite.ok_or_else(|| Error::Mistake(format!("{flag} `{text}`: `{number}` is no finite number")))
}
