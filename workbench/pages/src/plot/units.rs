//! The units of the quantities of a model, as far as it states them.

use std::borrow::Cow;

use least_action_core::system::{Kind, Layout};

use super::axis::{Axis, Unit};

/// The units that the documentation of a model names in a sentence: `Units: nm, ns, 10⁻²⁷ kg, and so 10⁻²⁷ J.`, or `Units: SI.`, or `Units: none.`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Units {
    length: Unit,
    time: Unit,
    energy: Unit,
    /// Of all other quantities.
    others: Unit,
}

/// The quantity that some degrees of freedom have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    Length,
    Angle,
    /// The entries of matrices.
    Number,
}

/// The prefixes of units, without those of large numbers, which are no lengths and times of a model.
const PREFIXES: [&str; 9] = ["", "f", "p", "n", "µ", "m", "c", "d", "k"];

impl Units {
    /// The units that a documentation states; one that is no length, time or energy is passed over.
    pub fn of(documentation: &str) -> Self {
        let Some((_, text)) = documentation.split_once("Units: ") else { return Self::default() };
        let end = [". ", ".\n"].into_iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
        let text = text[..end].trim().trim_end_matches('.');
        match text {
            "SI" => Self::si(),
            "none" => Self::none(),
            _ => Self::listed(text),
        }
    }

    /// Those of the International System.
    pub fn si() -> Self {
        let [length, time, energy, others] = ["m", "s", "J", "SI unit"].map(Unit::stated);
        Self { length, time, energy, others }
    }

    /// All quantities are numbers.
    pub fn none() -> Self {
        Self { length: Unit::None, time: Unit::None, energy: Unit::None, others: Unit::None }
    }

    fn listed(text: &str) -> Self {
        let mut units = Self::default();
        for part in text.split([',', ';', '\n']) {
            let part = part.trim();
            let part = part.strip_prefix("and ").unwrap_or(part);
            let unit = part.strip_prefix("so ").unwrap_or(part);
            let symbol = unit.rsplit(' ').next().unwrap_or(unit);
            let is = |base: &str| symbol.strip_suffix(base).is_some_and(|prefix| PREFIXES.contains(&prefix));
            let of = if is("m") || symbol == "Å" {
                &mut units.length
            } else if is("s") {
                &mut units.time
            } else if ["J", "eV", "J/mol", "cal/mol"].into_iter().any(is) {
                &mut units.energy
            } else {
                continue;
            };
            if *of == Unit::OfTheModel {
                *of = Unit::Stated(Cow::Owned(unit.to_owned()));
            }
        }
        units
    }

    /// The unit of lengths in Å, where the model states one of matter: a micrometre or less.
    pub fn angstroms(&self) -> Option<f64> {
        let Unit::Stated(unit) = &self.length else { return None };
        let (count, symbol) = unit.rsplit_once(' ').unwrap_or(("1", unit));
        let exponent = match symbol {
            "Å" => 0,
            "fm" => -5,
            "pm" => -2,
            "nm" => 1,
            "µm" => 4,
            _ => return None,
        };
        // Powers of ten are read with the bits of their decimals.
        let count = count
            .strip_prefix("10")
            .and_then(ordinary)
            .map_or_else(|| count.to_owned(), |power| format!("1e{power}"));
        Some(count.parse::<f64>().ok()? * format!("1e{exponent}").parse::<f64>().ok()?)
    }

    /// The names of the units of lengths and times, where they are stated.
    pub fn length_and_time(&self) -> [Option<&str>; 2] {
        [self.length.name(), self.time.name()]
    }

    /// The axis of the time.
    pub fn time(&self) -> Axis {
        Axis::with("time t", self.time.clone())
    }

    /// The axis of an energy.
    pub fn energy(&self, name: &'static str) -> Axis {
        Axis::with(name, self.energy.clone())
    }

    /// The axis of a component of places, or of a distance.
    pub fn length(&self, name: &'static str) -> Axis {
        Axis::with(name, self.length.clone())
    }

    /// The axis of a quantity that is none of these.
    pub fn other(&self, name: impl Into<Cow<'static, str>>) -> Axis {
        Axis::with(name, self.others.clone())
    }

    /// The axis of what is measured under this name beside positions.
    pub fn measured(&self, name: &str) -> Axis {
        let unit = if name == "energy" || name == "energy_balance" {
            self.energy.clone()
        } else if name.starts_with("mean_square_displacement") {
            self.length.squared()
        } else {
            self.others.clone()
        };
        Axis::with(name.replace('_', " "), unit)
    }

    /// The axis of some degrees of freedom.
    pub fn coordinate(&self, name: &str, quantity: Option<Quantity>) -> Axis {
        let unit = match quantity {
            Some(Quantity::Length) => self.length.clone(),
            Some(Quantity::Angle) => Unit::stated("rad"),
            Some(Quantity::Number) => Unit::None,
            None => self.others.clone(),
        };
        Axis::with(name.to_owned(), unit)
    }
}

/// The number that is written in raised digits.
fn ordinary(raised: &str) -> Option<String> {
    const DIGITS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let digit = |raised: char| match raised {
        '⁻' => Some('-'),
        _ => char::from_digit(DIGITS.chars().position(|digit| digit == raised)? as u32, 10),
    };
    (!raised.is_empty()).then(|| raised.chars().map(digit).collect())?
}

/// The quantity that all of these degrees of freedom are.
pub fn quantity(layout: &Layout, indices: impl IntoIterator<Item = usize>) -> Option<Quantity> {
    let of = |index: usize| {
        let mut end = 0;
        let coordinate = layout.coordinates().iter().find(|coordinate| {
            end += coordinate.size();
            index < end
        });
        match coordinate?.kind {
            Kind::Angle => Some(Quantity::Angle),
            Kind::Vec2 | Kind::Vec3 => Some(Quantity::Length),
            Kind::Mat3 => Some(Quantity::Number),
            // A number may be anything.
            Kind::Scalar => None,
        }
    };
    let mut all = indices.into_iter().map(of);
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}
