//! Entries of a start and parameters by their names.

use crate::method::linearization::Variation;
use crate::system::{Layout, Parametric};

/// A number that a motion depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// An entry of q₀.
    Position(usize),
    /// An entry of v₀.
    Velocity(usize),
    /// A sensitive parameter, by its number.
    Parameter(usize),
}

/// The direction of a name: an entry of q, or of v after `der.`.
pub(super) fn direction(layout: &Layout, name: &str) -> Option<(bool, usize)> {
    let (is_velocity, entry) = match name.strip_prefix("der.") {
        Some(entry) => (true, entry),
        None => (false, name),
    };
    (0..layout.dimension()).find(|index| layout.name_of(*index) == entry).map(|index| (is_velocity, index))
}

/// The first names of a layout, in words.
pub(super) fn first_names(layout: &Layout) -> String {
    first(layout.dimension(), |index| layout.name_of(index))
}

fn first(count: usize, name: impl Fn(usize) -> String) -> String {
    const SHOWN: usize = 6;
    let names = (0..count.min(SHOWN)).map(|index| format!("`{}`", name(index)));
    let names = names.collect::<Vec<_>>().join(", ");
    let more = count.saturating_sub(SHOWN);
    if more > 0 { format!("{names} and {more} more") } else { names }
}

/// The sensitive parameters of a motion, by name.
pub(super) struct Parameters<'s> {
    parametric: Option<&'s dyn Parametric>,
    places: Vec<Place>,
}

/// The place of a parameter in a variation.
#[derive(Clone, Copy)]
enum Place {
    /// A number of the model.
    Number(usize),
    /// A value of a signal.
    Value(usize),
}

impl<'s> Parameters<'s> {
    /// The parameters by which a method has derivatives, of which `zero` is one.
    pub(super) fn new(parametric: Option<&'s dyn Parametric>, zero: &Variation) -> Self {
        let mut own = Self { parametric, places: Vec::new() };
        let Some(parametric) = parametric else { return own };
        let (mut values, known) = (0..zero.values().len(), zero.parameters().len());
        for number in 0..parametric.count().min(known) {
            match parametric.inputs().iter().find(|(place, _)| *place == number) {
                Some((_, signal)) => {
                    own.places.extend(values.by_ref().take(signal.values().len()).map(Place::Value));
                }
                None => own.places.push(Place::Number(number)),
            }
        }
        own
    }

    /// The derivatives of a covector by the parameters.
    pub(super) fn of(&self, covector: &Variation) -> Vec<f64> {
        let entry = |place: &Place| match *place {
            Place::Number(number) => covector.parameters()[number],
            Place::Value(value) => covector.values()[value],
        };
        self.places.iter().map(entry).collect()
    }

    /// Sets a tangent along a parameter; false if there is none of this number.
    pub(super) fn set_along(&self, number: usize, tangent: &mut Variation) -> bool {
        match self.places.get(number) {
            Some(Place::Number(number)) => tangent.parameters_mut()[*number] = 1.0,
            Some(Place::Value(value)) => tangent.values_mut()[*value] = 1.0,
            None => return false,
        }
        true
    }

    /// Sets the part of a tangent by the parameters, in their order.
    pub(super) fn set(&self, along: &[f64], tangent: &mut Variation) {
        for (place, part) in self.places.iter().zip(along) {
            match *place {
                Place::Number(number) => tangent.parameters_mut()[number] = *part,
                Place::Value(value) => tangent.values_mut()[value] = *part,
            }
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        let mut names = self.parametric.map(Parametric::number_names).unwrap_or_default();
        names.truncate(self.places.len());
        names
    }

    /// The first names, in words.
    pub(super) fn first_names(&self) -> String {
        let names = self.names();
        first(names.len(), |parameter| names[parameter].clone())
    }
}
