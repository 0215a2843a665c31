//! The data, the starts and the free numbers that a command line asks for.

use std::collections::HashSet;
use std::path::PathBuf;

use least_action::system::State;
use least_action_optimization::fit::{Data, holds};
use serde_json::{Value, json};

use crate::arguments::{AskedFit, StartChoice};
use crate::error::{Error, Names};
use crate::identity::checksum;
use crate::registry::Instance;
use crate::view;

/// The start of each recording; none where it is the model's own.
pub(super) fn starts(asked: &AskedFit, instance: &Instance) -> Result<Vec<Option<State>>, Error> {
    let AskedFit { start, from, state, .. } = asked;
    let choice =
        |file: Option<&PathBuf>, state| StartChoice { file: file.cloned(), from: from.clone(), state };
    let inside = state.iter().map(|state| choice(None, Some(state.clone())));
    let choices = inside.chain(start.iter().map(|path| choice(Some(path), None)));
    let given = choices.map(|choice| choice.state(instance)).collect::<Result<Vec<_>, _>>()?;
    let count = asked.data.len();
    match given.as_slice() {
        [] => Ok(vec![None; count]),
        [one] => Ok(vec![Some(one.clone()); count]),
        all if all.len() == count => Ok(given.into_iter().map(Some).collect()),
        all => Err(Error::Mistake(format!(
            "{} --start for {count} --data: give one, or one for each",
            all.len()
        ))),
    }
}

/// The recordings, and remarks on them.
pub(super) fn data(asked: &AskedFit, instance: &Instance) -> Result<(Vec<Data>, Vec<String>), Error> {
    let layout = instance.system.lagrangian().layout();
    let positions: Vec<String> = (0..layout.dimension()).map(|index| layout.name_of(index)).collect();
    let known: HashSet<&str> = positions.iter().map(String::as_str).collect();
    let first = view::names(instance, &asked.data[0])?;
    let mut columns = Vec::new();
    for text in &asked.columns {
        let (name, sigma) =
            text.split_once('=').map_or((text.as_str(), None), |(name, sigma)| (name, Some(sigma)));
        let name = name.trim();
        let bare = name.strip_prefix("der.").unwrap_or(name);
        if !known.contains(bare) {
            let all = positions.iter().cloned().chain(positions.iter().map(|own| format!("der.{own}")));
            return Err(Error::unknown_number("--columns", &asked.columns.join(","), name, all.collect()));
        }
        columns.push((name.to_owned(), sigma.map(|sigma| number("--columns", text, sigma)).transpose()?));
    }
    let mut remarks = Vec::new();
    if columns.is_empty() {
        columns =
            first.iter().filter(|name| known.contains(&***name)).map(|name| (name.clone(), None)).collect();
        let others: Names = first.iter().filter(|name| !known.contains(&***name)).take(8).cloned().collect();
        if columns.is_empty() {
            let model: Names = positions.iter().take(8).cloned().collect();
            let reason = format!(
                "it has no column of a position of `{}` ({model}): its columns are {others}",
                instance.name
            );
            return Err(Error::malformed(&asked.data[0], reason));
        }
        if !others.0.is_empty() {
            remarks.push(format!("columns that are not fitted: {others}; --columns names the ones that are"));
        }
    }
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    let mut all = Vec::new();
    for path in &asked.data {
        let (times, values, ending) = view::samples(instance, path, &names)?;
        remarks.extend(ending);
        let data = Data::at(Vec::new()).named(path.display().to_string());
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
    Ok((all, remarks))
}

/// The free numbers with their bounds.
pub(super) fn free(asked: &AskedFit) -> Result<Vec<(String, [f64; 2])>, Error> {
    let mut free: Vec<(String, [f64; 2])> = Vec::new();
    let asked_for: Vec<&str> = asked.free.iter().map(|name| name.trim()).collect();
    for text in &asked.bounds {
        let (name, interval) = interval(text)?;
        // Bounds of an array hold for its free entries; an entry of a free array may have its own.
        let mut bounded = asked_for.iter().filter(|own| holds(name, own) || holds(own, name)).peekable();
        if bounded.peek().is_none() {
            let names: Names = asked_for.iter().copied().collect();
            let what = format!("--bounds `{text}`: `{name}` is not free");
            return Err(Error::Mistake(names.refusal(what, name, "free are:")));
        }
        free.extend(bounded.map(|own| (if holds(name, own) { *own } else { name }.to_owned(), interval)));
    }
    // The bounds of an entry go before the bounds of its array.
    free.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let unbounded = [f64::NEG_INFINITY, f64::INFINITY];
    free.extend(asked_for.into_iter().map(|name| (name.to_owned(), unbounded)));
    Ok(free)
}

/// All that the unknowns depend on beside the model and the method; data by their contents.
pub(super) fn identity(asked: &AskedFit, data: &[Data], starts: &[Option<State>]) -> Value {
    let AskedFit { columns, free, bounds, segments, from, .. } = asked;
    let checksum = |data: &Data| {
        let bytes = |numbers: [&[f64]; 2]| -> Vec<u8> {
            numbers.into_iter().flatten().flat_map(|number| number.to_bits().to_le_bytes()).collect()
        };
        data.columns().map(|(name, numbers)| [name.to_owned(), checksum(&bytes(numbers))]).collect::<Vec<_>>()
    };
    let data: Vec<_> = data.iter().map(checksum).collect();
    json!({
        "data": data, "columns": columns, "free": free, "bounds": bounds, "segments": segments, "start": starts, "from": from,
    })
}

/// A name with its bounds: `gravity=0:20`, or open as `mass=0:`.
pub(crate) fn interval(text: &str) -> Result<(&str, [f64; 2]), Error> {
    let wrong = || {
        Error::Mistake(format!("--bounds `{text}`: write NAME=LOWER:UPPER, such as gravity=0:20 or mass=0:"))
    };
    let (name, interval) = text.split_once('=').ok_or_else(wrong)?;
    let (lower, upper) = interval.split_once(':').ok_or_else(wrong)?;
    let side = |side: &str, none: f64| {
        if side.trim().is_empty() { Ok(none) } else { number("--bounds", text, side) }
    };
    Ok((name.trim(), [side(lower, f64::NEG_INFINITY)?, side(upper, f64::INFINITY)?]))
}

pub(crate) fn number(flag: &str, text: &str, number: &str) -> Result<f64, Error> {
    let number = number.trim();
    let finite = number.parse().ok().filter(|number: &f64| number.is_finite());
    finite.ok_or_else(|| Error::Mistake(format!("{flag} `{text}`: `{number}` is no finite number")))
}
