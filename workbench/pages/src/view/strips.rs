//! The curves below the picture: energy, residuals, observed quantities, and coordinates that are
//! numbers and angles.

use least_action_core::system::{Kind, Layout};
use serde::Serialize;

use super::moment::Moment;
use crate::plot::{Axis, Units, is_steady, spread};

/// The curves of an array at most.
const CURVES: usize = 8;
/// Rounding of a constraint between coordinates of unit size. A residual is a length, or the square of
/// one.
const ROUNDING: f64 = 1e-13;

/// Curves with one axis.
#[derive(Debug, Serialize)]
pub(super) struct Strip {
    title: String,
    axis: Axis,
    /// True if changes are shown, and the first value is told.
    change: bool,
    /// True if the curves are coordinates, which are all there is to see of models without points.
    coordinate: bool,
    /// True of a residual that stays at rounding: its largest value stands in the panel, and nothing is
    /// to be seen.
    rounding: bool,
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
    /// The largest value.
    #[serde(skip)]
    largest: f64,
}

impl Curve {
    fn of(name: String) -> Self {
        Self { name, first: None, is_steady: true, largest: 0.0 }
    }
}

/// All strips, with where their values come from.
pub(super) struct Strips {
    all: Vec<Strip>,
    measured: usize,
    /// The places of the coordinates in q.
    places: Vec<usize>,
    /// The largest coordinate, beside which residuals are rounding.
    size: f64,
}

impl Strips {
    pub(super) fn new(layout: &Layout, units: &Units, measured: &[String]) -> Self {
        let mut all: Vec<Strip> = measured.iter().map(|name| of_measured(name, units)).collect();
        let mut places = Vec::new();
        for group in layout.coordinates() {
            if !matches!(group.kind, Kind::Scalar | Kind::Angle) {
                continue;
            }
            let axis = units.coordinate(&group.name, layout, [group.offset]);
            let starts: Vec<usize> = group.starts().collect();
            let shown: Vec<usize> = spread(starts.len(), CURVES).map(|k| starts[k]).collect();
            let curves: Vec<Curve> = shown.iter().map(|place| Curve::of(layout.name_of(*place))).collect();
            let title = match starts.len() {
                count if count > curves.len() => format!("{}, {} of {count}", group.name, curves.len()),
                _ => group.name.clone(),
            };
            all.push(Strip { title, axis, change: false, coordinate: true, rounding: false, curves });
            places.extend(shown);
        }
        Self { all, measured: measured.len(), places, size: 0.0 }
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
        self.size = moment.q.iter().fold(self.size, |size, q| size.max(q.abs()));
        let curves = self.all.iter_mut().flat_map(|strip| &mut strip.curves);
        for (curve, value) in curves.zip(&values[begin..]) {
            if value.is_finite() {
                let first = *curve.first.get_or_insert(*value);
                curve.is_steady &= is_steady(first, std::iter::once(*value));
                curve.largest = curve.largest.max(value.abs());
            }
        }
    }

    /// The strips of an ended motion: a measured quantity that hardly varied is shown by its change.
    /// Residuals at rounding become rows of names and values.
    pub(super) fn settled(mut self, rows: &mut Vec<[String; 2]>) -> Vec<Strip> {
        let rounding = ROUNDING * self.size.min(self.size.powi(2));
        for strip in self.all.iter_mut().filter(|strip| !strip.coordinate) {
            let Some(curve) = strip.curves.first() else { continue };
            if strip.rounding && curve.first.is_some() && curve.largest <= rounding {
                rows.push([strip.axis.name.to_string(), format!("{:.1e} at most", curve.largest)]);
                continue;
            }
            strip.rounding = false;
            if curve.first.is_some() && curve.is_steady {
                strip.change = true;
                strip.axis = match &*strip.title {
                    "energy" => strip.axis.clone().called("E(t) − E(0)"),
                    _ => strip.axis.clone().change(),
                };
            }
        }
        self.all
    }
}

fn of_measured(name: &str, units: &Units) -> Strip {
    let (title, axis, rounding) = match name {
        "constraint_residual" => ("constraint residual".to_owned(), Axis::number("max |g|"), true),
        "nonholonomic_residual" => {
            ("residual of constraints on velocities".to_owned(), Axis::number("max |c|"), true)
        }
        _ => (name.replace('_', " "), units.measured(name), false),
    };
    let curves = vec![Curve::of(title.clone())];
    Strip { title, axis, change: false, coordinate: false, rounding, curves }
}
