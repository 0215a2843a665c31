//! The units of the quantities of a model, as far as it states them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use least_action_core::system::{Coordinate, Kind, Layout};

use super::axis::{Axis, RAISED, Unit};

/// The units that the documentation of a model names in a sentence: `Units: nm, ns, 10⁻²⁷ kg, and so
/// 10⁻²⁷ J.`, or `Units: SI.`, or `Units: none.`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Units {
    length: Unit,
    time: Unit,
    mass: Unit,
    energy: Unit,
    temperature: Unit,
    /// The units in the author's comments on coordinates, by their names.
    coordinates: BTreeMap<String, Unit>,
}

/// The symbols of which the units in comments are products, also behind a prefix.
const SYMBOLS: [&str; 27] = [
    "m", "s", "g", "N", "J", "W", "Pa", "Hz", "K", "A", "V", "C", "T", "F", "Ω", "rad", "e", "eV", "Å", "u",
    "amu", "mol", "cal", "σ", "ε", "k_B", "degrees",
];

/// The prefixes of units up to k: no length or time of a model is larger.
const PREFIXES: [&str; 9] = ["", "f", "p", "n", "µ", "m", "c", "d", "k"];

/// Boltzmann's constant in units of energy by kelvin.
const BOLTZMANN: [(&str, f64); 6] = [
    ("J", 1.380_649e-23),
    ("10⁻²⁷ J", 1.380_649e4),
    ("eV", 8.617_333_262e-5),
    ("kJ/mol", 8.314_462_618e-3),
    ("J/mol", 8.314_462_618),
    ("kcal/mol", 1.987_204_259e-3),
];

impl Units {
    /// The units that a documentation states; one that is no length, time or energy is passed over.
    pub fn of(documentation: &str) -> Self {
        let Some((_, text)) = documentation.split_once("Units: ") else { return Self::default() };
        let end = [". ", ".\n"].into_iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
        let text = text[..end].trim().trim_end_matches('.');
        match text {
            "SI" => Self::si(),
            "none" => Self::default(),
            _ => Self::listed(text),
        }
    }

    /// The units of the International System.
    pub fn si() -> Self {
        let [length, time, mass, energy] = ["m", "s", "kg", "J"].map(Unit::stated);
        Self { length, time, mass, energy, ..Self::default() }
    }

    /// All quantities are numbers.
    pub fn none() -> Self {
        Self::default()
    }

    /// These units with those at the ends of comments on coordinates: `Place of the cart, m.`
    #[must_use]
    pub fn with_comments<T: AsRef<str>>(self, comments: impl IntoIterator<Item = (T, T)>) -> Self {
        let of = |(name, text): (T, T)| {
            Some((name.as_ref().to_owned(), Unit::Stated(commented(text.as_ref())?.to_owned().into())))
        };
        Self { coordinates: comments.into_iter().filter_map(of).collect(), ..self }
    }

    /// These units with Boltzmann's constant: its value for kelvin, or 1 for a temperature that is an
    /// energy.
    #[must_use]
    pub fn with_boltzmann(self, constant: f64) -> Self {
        let symbol = self.energy.name().unwrap_or_default();
        let kelvin = BOLTZMANN.iter().find(|(unit, _)| *unit == symbol);
        let is_kelvin = kelvin.is_some_and(|(_, known)| (constant / known - 1.0).abs() < 1e-3);
        #[expect(clippy::float_cmp, reason = "the constant that was given, or left out")]
        let temperature = match () {
            () if is_kelvin => Unit::stated("K"),
            () if constant == 1.0 => self.energy.clone(),
            () => Unit::None,
        };
        Self { temperature, ..self }
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
            } else if is("g") || ["u", "amu", "Da"].contains(&symbol) {
                &mut units.mass
            } else if ["J", "eV", "J/mol", "cal/mol"].into_iter().any(is) {
                &mut units.energy
            } else {
                continue;
            };
            if *of == Unit::None {
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

    /// The axis of a measured quantity of this name.
    pub fn measured(&self, name: &str) -> Axis {
        let of = name.strip_suffix("_balance").unwrap_or(name);
        let is_along = |root: &str| of.strip_prefix(root).is_some_and(|axis| ["x", "y", "z"].contains(&axis));
        let unit = match of {
            "energy" | "virial" => self.energy.clone(),
            "power" => self.energy.per(&self.time),
            "temperature" => self.temperature.clone(),
            _ if is_along("momentum_") => self.mass.times(&self.length).per(&self.time),
            _ if is_along("angular_momentum_") => self.mass.times(&self.length.squared()).per(&self.time),
            _ if of.starts_with("mean_square_displacement") => self.length.squared(),
            // Units of constraints, of multipliers and of the author's own coordinates are unknown.
            _ => Unit::None,
        };
        Axis::with(name.replace('_', " "), unit)
    }

    /// The axis of some degrees of freedom, which has a unit if they have one in common.
    pub fn coordinate(&self, name: &str, layout: &Layout, indices: impl IntoIterator<Item = usize>) -> Axis {
        let mut units = indices.into_iter().map(|index| self.of_place(layout, index));
        let first = units.next().unwrap_or_default();
        Axis::with(name.to_owned(), if units.all(|unit| unit == first) { first } else { Unit::None })
    }

    /// The axis of a coordinate, of its rate (`der.` before the name), or of a measured quantity.
    pub fn column(&self, layout: &Layout, name: &str) -> Axis {
        let of = name.strip_prefix("der.").unwrap_or(name);
        let Some(index) = (0..layout.dimension()).find(|index| layout.name_of(*index) == of) else {
            return self.measured(name);
        };
        let unit = self.of_place(layout, index);
        Axis::with(name.to_owned(), if of == name { unit } else { unit.per(&self.time) })
    }

    /// The unit of a degree of freedom.
    fn of_place(&self, layout: &Layout, index: usize) -> Unit {
        let Some(Coordinate { name, kind, .. }) = layout.coordinate_of(index) else { return Unit::None };
        match kind {
            Kind::Angle => Unit::stated("rad"),
            _ if self.coordinates.contains_key(name) => self.coordinates[name].clone(),
            Kind::Vec2 | Kind::Vec3 => self.length.clone(),
            // Entries of matrices are numbers, and others may be anything.
            Kind::Mat3 | Kind::Scalar => Unit::None,
        }
    }
}

/// The unit behind the last comma of the first sentence of a comment.
pub fn commented(comment: &str) -> Option<&str> {
    let sentence = comment.split("\n\n").next()?.split(". ").next()?.trim().trim_end_matches('.');
    sentence.split(", ").skip(1).filter(|words| is_unit(words)).last()
}

/// True of a product or quotient of units, as `kg·m²`, `1/s` or `10⁻²⁷ kg`.
fn is_unit(words: &str) -> bool {
    let bare = |factor: &str| factor.trim_end_matches(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹⁻".contains(digit)).to_owned();
    let is_symbol = |factor: &str| {
        let of = |symbol: &&str| {
            factor
                .strip_suffix(symbol)
                .is_some_and(|prefix| PREFIXES.contains(&prefix) || ["M", "G"].contains(&prefix))
        };
        factor.parse::<f64>().is_ok() || SYMBOLS.iter().any(of)
    };
    let factors: Vec<String> = words.split(['·', '/', ' ']).map(bare).collect();
    factors.iter().all(|factor| is_symbol(factor))
        && factors.iter().any(|factor| factor.parse::<f64>().is_err())
}

/// The number that is written in raised digits.
fn ordinary(raised: &str) -> Option<String> {
    let digit = |raised: char| match raised {
        '⁻' => Some('-'),
        _ => char::from_digit(RAISED.iter().position(|digit| *digit == raised)? as u32, 10),
    };
    (!raised.is_empty()).then(|| raised.chars().map(digit).collect())?
}
