//! The units of the quantities of a model, as far as it states them.

use std::borrow::Cow;

use least_action_core::system::{Kind, Layout};

use super::axis::{Axis, Unit};

/// The units that the documentation of a model names in a sentence: `Units: nm, ns, 10⁻²⁷ kg, and so
/// 10⁻²⁷ J.`, or `Units: SI.`, or `Units: none.`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Units {
    length: Unit,
    time: Unit,
    mass: Unit,
    energy: Unit,
    temperature: Unit,
}

/// The quantity that some degrees of freedom have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    Length,
    Angle,
    /// The entries of matrices.
    Number,
}

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
        Self { length, time, mass, energy, temperature: Unit::None }
    }

    /// All quantities are numbers.
    pub fn none() -> Self {
        Self::default()
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

    /// The axis of some degrees of freedom.
    pub fn coordinate(&self, name: &str, quantity: Option<Quantity>) -> Axis {
        Axis::with(name.to_owned(), self.of_quantity(quantity))
    }

    /// The axis of a coordinate, of its rate (`der.` before the name), or of a measured quantity.
    pub fn column(&self, layout: &Layout, name: &str) -> Axis {
        let of = name.strip_prefix("der.").unwrap_or(name);
        let Some(index) = (0..layout.dimension()).find(|index| layout.name_of(*index) == of) else {
            return self.measured(name);
        };
        let unit = self.of_quantity(quantity(layout, [index]));
        Axis::with(name.to_owned(), if of == name { unit } else { unit.per(&self.time) })
    }

    fn of_quantity(&self, quantity: Option<Quantity>) -> Unit {
        match quantity {
            Some(Quantity::Length) => self.length.clone(),
            Some(Quantity::Angle) => Unit::stated("rad"),
            Some(Quantity::Number) | None => Unit::None,
        }
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
    let of = |index: usize| match layout.coordinate_of(index)?.kind {
        Kind::Angle => Some(Quantity::Angle),
        Kind::Vec2 | Kind::Vec3 => Some(Quantity::Length),
        Kind::Mat3 => Some(Quantity::Number),
        // A number may be anything.
        Kind::Scalar => None,
    };
    let mut all = indices.into_iter().map(of);
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}
