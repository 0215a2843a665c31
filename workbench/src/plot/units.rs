//! The units at the axes of a picture, as far as a model states them.

use integrator_core::system::{Kind, Layout};

/// The units that the documentation of a model names in a sentence: `Units: nm, ns, 10⁻²⁷ kg, and so 10⁻²⁷ J.`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Units {
    length: Option<String>,
    time: Option<String>,
    energy: Option<String>,
}

/// The quantity that some degrees of freedom have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    Length,
    Angle,
    /// The entries of matrices.
    Number,
}

/// The prefixes of units, without those of large numbers, which are no lengths and times of a model.
const PREFIXES: [&str; 9] = ["", "f", "p", "n", "µ", "m", "c", "d", "k"];

impl Units {
    /// The units that a documentation states; one that is no length, time or energy is passed over.
    pub(crate) fn of(documentation: &str) -> Self {
        let mut units = Self::default();
        let Some((_, text)) = documentation.split_once("Units: ") else { return units };
        let end = [". ", ".\n"].into_iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
        for part in text[..end].trim_end_matches('.').split([',', '\n']) {
            let part = part.trim();
            let part = part.strip_prefix("and ").unwrap_or(part);
            let unit = part.strip_prefix("so ").unwrap_or(part);
            let symbol = unit.rsplit(' ').next().unwrap_or(unit);
            let is = |base: &str| symbol.strip_suffix(base).is_some_and(|prefix| PREFIXES.contains(&prefix));
            let of = if is("m") || symbol == "Å" {
                &mut units.length
            } else if is("s") {
                &mut units.time
            } else if is("J") || is("eV") {
                &mut units.energy
            } else {
                continue;
            };
            of.get_or_insert_with(|| unit.to_owned());
        }
        units
    }

    /// The axis of the time.
    pub(crate) fn time(&self) -> String {
        axis("time t", self.time.as_deref())
    }

    /// The axis of an energy, or of a component of places.
    pub(crate) fn energy(&self, name: &str) -> String {
        axis(name, self.energy.as_deref())
    }

    pub(crate) fn length(&self, name: &str) -> String {
        axis(name, self.length.as_deref())
    }

    /// The axis of some degrees of freedom.
    pub(super) fn coordinate(&self, quantity: Option<Quantity>) -> String {
        match quantity {
            Some(Quantity::Length) => self.length("coordinate"),
            Some(Quantity::Angle) => axis("coordinate", Some("rad")),
            Some(Quantity::Number) => "coordinate, without unit".to_owned(),
            None => "coordinate, each in its unit of the model".to_owned(),
        }
    }
}

/// The name of a quantity with its unit; where none is stated, the axis says whose it is.
pub(crate) fn axis(name: &str, unit: Option<&str>) -> String {
    unit.map_or_else(|| format!("{name} (unit of the model)"), |unit| format!("{name}, {unit}"))
}

/// The quantity that all of these degrees of freedom are.
pub(super) fn quantity(layout: &Layout, indices: impl IntoIterator<Item = usize>) -> Option<Quantity> {
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
    use integrator_core::system::{Kind, Layout};

    #[test]
    fn units_are_those_of_the_documentation() {
        let units = Units::of(
            "A gas.\n\nIts atoms attract. Units: nm, ns, 10⁻²⁷ kg, and so 10⁻²⁷ J.\n\nMore. And more.",
        );
        assert_eq!(units.time(), "time t, ns");
        assert_eq!(units.length("x"), "x, nm");
        assert_eq!(units.energy("E(t) − E(0)"), "E(t) − E(0), 10⁻²⁷ J");
        assert_eq!(units.coordinate(Some(Quantity::Length)), "coordinate, nm");
        // What is not stated is not made up.
        let none = Units::of("Balls of radius 2 m. A chain.");
        assert_eq!(none, Units::default());
        assert_eq!(none.time(), "time t (unit of the model)");
        assert_eq!(Units::of("Units: kg, m").length("y"), "y, m");
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
        assert_eq!(Units::default().coordinate(of(&[0])), "coordinate, rad");
        assert_eq!(Units::default().coordinate(None), "coordinate, each in its unit of the model");
    }
}
