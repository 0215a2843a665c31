//! The names of numbers that a fit may free.

use super::course::{Place, Unknown};
use super::holds;
use super::piece::{Started, named, of};

/// The names of a model.
pub(super) struct Known<'n> {
    pub(super) coordinates: &'n [String],
    pub(super) parameters: &'n [(String, f64)],
    /// The columns of the data.
    pub(super) sensors: &'n [String],
}

impl Known<'_> {
    /// The names of all numbers, with their places; entries of a start are of the first recording.
    fn all(&self) -> impl Iterator<Item = (String, Place)> {
        let parameters = self.parameters.iter().enumerate();
        let parameters = parameters.map(|(index, (own, _))| (own.clone(), Place::Parameter(index)));
        let sensors = self.sensors.iter().enumerate().flat_map(|(column, name)| {
            [("offset", false), ("scale", true)]
                .map(|(word, scale)| (format!("{word}({name})"), Place::Sensor { column, scale }))
        });
        let entries =
            named(self.coordinates).map(|(name, entry)| (name, Place::Start { recording: 0, entry }));
        parameters.chain(entries).chain(sensors)
    }

    /// The unknowns of free names, with the first guess.
    pub(super) fn freed(
        &self,
        free: &[(String, [f64; 2])],
        recordings: &[Started],
    ) -> Result<(Vec<Unknown>, Vec<f64>), String> {
        let (mut unknowns, mut x): (Vec<Unknown>, _) = (Vec::new(), Vec::new());
        for (name, bounds) in free {
            for (own, place) in self.named(name)? {
                let members = if matches!(place, Place::Start { .. }) { recordings.len() } else { 1 };
                for (number, (data, start, _)) in recordings.iter().enumerate().take(members) {
                    let (place, value) = match place {
                        Place::Parameter(index) => (place, self.parameters[index].1),
                        Place::Start { entry, .. } => {
                            (Place::Start { recording: number, entry }, of(start, entry))
                        }
                        Place::Sensor { scale, .. } => (place, f64::from(u8::from(scale))),
                        Place::Cut { .. } => continue,
                    };
                    let shown = if members > 1 { format!("{own} of {}", data.name) } else { own.clone() };
                    let [lower, upper] = *bounds;
                    if unknowns.iter().any(|unknown| unknown.place == place) {
                        continue;
                    }
                    if lower.is_nan() || upper.is_nan() || lower >= upper {
                        return Err(format!(
                            "`{shown}` has the bounds {lower} and {upper}: give a lower one that is below the upper one"
                        ));
                    }
                    unknowns.push(Unknown { name: own.clone(), shown, bounds: *bounds, place });
                    x.push(value.clamp(lower, upper));
                }
            }
        }
        if unknowns.is_empty() {
            return Err("nothing is free: name a parameter or an entry of the start".to_owned());
        }
        Ok((unknowns, x))
    }

    /// The numbers of this name, or of the array or the vector with this name.
    fn named(&self, name: &str) -> Result<Vec<(String, Place)>, String> {
        let found: Vec<_> = self.all().filter(|(own, _)| holds(name, own)).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        // An index beyond an array.
        if let Some((whole, _)) = name.split_once('[') {
            let is_member = |own: &str| own.split_once('[').is_some_and(|own| own.0 == whole);
            let count = self.all().filter(|(own, _)| is_member(own)).count();
            if count > 0 {
                return Err(format!(
                    "no number `{name}` to fit: `{whole}` has {count} numbers, counted from 0"
                ));
            }
        }
        let first = |names: &[&str], none: &str| match names {
            [] => none.to_owned(),
            names => format!("`{}`", names[..names.len().min(8)].join("`, `")),
        };
        let own: Vec<&str> = self.parameters.iter().map(|(own, _)| own.as_str()).collect();
        let coordinates: Vec<&str> = self.coordinates.iter().map(String::as_str).collect();
        Err(format!(
            "no number `{name}` to fit: the start has {} and their velocities such as `der.{}`, the sensitive parameters are {}, and a \
             column `x` of the data has the sensor `offset(x)`, `scale(x)`; a field of the model becomes a number to fit by \
             `#[lagrangian(sensitive({name}))]`",
            first(&coordinates, "nothing"),
            coordinates.first().unwrap_or(&"x"),
            first(&own, "none")
        ))
    }
}

/// The rows of priors: the unknown, the mean and σ.
pub(super) fn priors(
    unknowns: &[Unknown],
    priors: &[(String, [f64; 2])],
) -> Result<Vec<(usize, [f64; 2])>, String> {
    let mut rows = Vec::new();
    for (name, [mean, sigma]) in priors {
        if !(mean.is_finite() && sigma.is_finite() && *sigma > 0.0) {
            let remedy = "give a finite number and a positive error";
            return Err(format!("the prior of `{name}` is {mean} ± {sigma}: {remedy}"));
        }
        let own = (0..unknowns.len()).filter(|index| holds(name, &unknowns[*index].name));
        let before = rows.len();
        rows.extend(own.map(|index| (index, [*mean, *sigma])));
        if rows.len() == before {
            let names: Vec<&str> = unknowns.iter().map(|unknown| &*unknown.shown).collect();
            return Err(format!("a prior of `{name}`, which is not free: free are `{}`", names.join("`, `")));
        }
    }
    Ok(rows)
}
