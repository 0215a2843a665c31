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

#[cfg(test)]
mod tests {
    use super::{Quantity, Units, quantity};
    use least_action_core::system::{Kind, Layout};

    #[test]
    fn units_are_those_of_the_documentation() {
        let units = Units::of(
            "A gas.\n\nIts atoms attract. Units: nm, ns, 10⁻²⁷ kg, and so 10⁻²⁷ J.\n\nMore. And more.",
        );
        assert_eq!(units.time().to_string(), "time t, ns");
        assert_eq!(units.length("x").to_string(), "x, nm");
        assert_eq!(units.energy("E(t) − E(0)").to_string(), "E(t) − E(0), 10⁻²⁷ J");
        assert_eq!(units.coordinate("bobs", Some(Quantity::Length)).to_string(), "bobs, nm");
        assert_eq!(units.measured("mean_square_displacement").to_string(), "mean square displacement, nm²");
        // What is not stated is not made up.
        assert_eq!(units.measured("momentum_x").to_string(), "momentum x (unit of the model)");
        let none = Units::of("Balls of radius 2 m. A chain.");
        assert_eq!(none, Units::default());
        assert_eq!(none.time().to_string(), "time t (unit of the model)");
        assert_eq!(Units::of("Units: kg, m").length("y").to_string(), "y, m");
        let water = Units::of("Units: Å, kcal/mol, amu, and so 48.888 fs; charges in elementary charges.");
        assert_eq!(water.energy("E").to_string(), "E, kcal/mol");
        assert_eq!(
            (water.time().to_string(), water.length("r").to_string()),
            ("time t, 48.888 fs".into(), "r, Å".into())
        );
    }

    #[test]
    fn a_model_in_si_or_without_units_says_so_in_a_word() {
        let si = Units::of("A pendulum. Units: SI.");
        assert_eq!(si.energy("E").to_string(), "E, J");
        assert_eq!(si.measured("momentum_x").to_string(), "momentum x, SI unit");
        let none = Units::of("Points.\n\nUnits: none.");
        assert_eq!(none, Units::none());
        assert_eq!(none.time().to_string(), "time t (no unit)");
    }

    #[test]
    fn an_angle_has_its_unit_in_every_model() {
        let mut layout = Layout::new();
        layout.push("theta", Kind::Angle, vec![2]).push("bobs", Kind::Vec2, vec![3]).push(
            "s",
            Kind::Scalar,
            vec![],
        );
        let of = |indices: &[usize]| quantity(&layout, indices.iter().copied());
        assert_eq!(of(&[0, 1]), Some(Quantity::Angle));
        assert_eq!(of(&[2, 7]), Some(Quantity::Length));
        // A number may be anything, and so may several of different kinds.
        assert_eq!((of(&[8]), of(&[1, 2]), of(&[])), (None, None, None));
        assert_eq!(Units::none().coordinate("θ", of(&[0])).to_string(), "θ, rad");
        assert_eq!(Units::default().coordinate("s", None).to_string(), "s (unit of the model)");
    }
}
