//! The curves below the picture: energy, residuals, observed quantities, and coordinates that are
//! numbers and angles.

use least_action_core::system::{Kind, Layout};
use serde::Serialize;

use super::moment::Moment;
use crate::plot::{Axis, Units, is_steady, quantity, spread};

/// The curves of an array at most.
const CURVES: usize = 8;

/// Curves with one axis.
#[derive(Debug, Serialize)]
pub(super) struct Strip {
    title: String,
    axis: Axis,
    /// True if changes are shown, and the first value is told.
    change: bool,
    /// True if the curves are coordinates, which are all there is to see of models without points.
    coordinate: bool,
    pub(super) curves: Vec<Curve>,
}

impl Strip {
    pub(super) fn is_coordinate(&self) -> bool {
        self.coordinate
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Curve {
    name: String,
    /// The first value that is a number: the page has differences to it.
    pub(super) first: Option<f64>,
    /// True while all values were near the first.
    #[serde(skip)]
    is_steady: bool,
}

impl Curve {
    fn of(name: String) -> Self {
        Self { name, first: None, is_steady: true }
    }
}

/// All strips, with where their values come from.
pub(super) struct Strips {
    all: Vec<Strip>,
    measured: usize,
    /// The places of the coordinates in q.
    places: Vec<usize>,
}

impl Strips {
    pub(super) fn new(layout: &Layout, units: &Units, measured: &[String]) -> Self {
        let mut all: Vec<Strip> = measured.iter().map(|name| of_measured(name, units)).collect();
        let mut places = Vec::new();
        for group in layout.coordinates() {
            if !matches!(group.kind, Kind::Scalar | Kind::Angle) {
                continue;
            }
            let axis = units.coordinate(&group.name, quantity(layout, [group.offset]));
            let starts: Vec<usize> = group.starts().collect();
            let shown: Vec<usize> = spread(starts.len(), CURVES).map(|k| starts[k]).collect();
            let curves: Vec<Curve> = shown.iter().map(|place| Curve::of(layout.name_of(*place))).collect();
            let title = match starts.len() {
                count if count > curves.len() => format!("{}, {} of {count}", group.name, curves.len()),
                _ => group.name.clone(),
            };
            all.push(Strip { title, axis, change: false, coordinate: true, curves });
            places.extend(shown);
        }
        Self { all, measured: measured.len(), places }
    }

    /// The number of values of a moment.
    pub(super) fn width(&self) -> usize {
        self.measured + self.places.len()
    }

    /// Appends the values of a moment.
    pub(super) fn values(&mut self, moment: &Moment<'_>, values: &mut Vec<f64>) {
        let begin = values.len();
        values.extend_from_slice(moment.measured);
        values.extend(self.places.iter().map(|place| moment.q[*place]));
        let curves = self.all.iter_mut().flat_map(|strip| &mut strip.curves);
        for (curve, value) in curves.zip(&values[begin..]) {
            if value.is_finite() {
                let first = *curve.first.get_or_insert(*value);
                curve.is_steady &= is_steady(first, std::iter::once(*value));
            }
        }
    }

    /// The strips of an ended motion: a measured quantity that hardly varied is shown by its change.
    pub(super) fn settled(mut self) -> Vec<Strip> {
        for strip in self.all.iter_mut().filter(|strip| !strip.change && !strip.coordinate) {
            if strip.curves.iter().all(|curve| curve.first.is_some() && curve.is_steady) {
                strip.change = true;
                strip.axis = strip.axis.clone().change();
            }
        }
        self.all
    }
}

fn of_measured(name: &str, units: &Units) -> Strip {
    let (title, axis, change) = match name {
        "energy" => ("energy".to_owned(), units.energy("E(t) − E(0)"), true),
        "constraint_residual" => ("constraint residual".to_owned(), Axis::number("max |g|"), false),
        "nonholonomic_residual" => {
            ("residual of constraints on velocities".to_owned(), Axis::number("max |c|"), false)
        }
        _ => (name.replace('_', " "), units.measured(name), false),
    };
    let curves = vec![Curve::of(title.clone())];
    Strip { title, axis, change, coordinate: false, curves }
}
