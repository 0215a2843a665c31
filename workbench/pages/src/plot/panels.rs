//! Curves, one panel above the other.

use super::Figure;
use super::curves::{Look, Overlay, is_joined, is_marked};
use super::draw::{
    Named, Sample, THIN, axes, beyond, bounds, equal_scales, frame, height_of_legend, legend, minus, picture,
    range, range_of_most, room, short, widened, y_labels,
};
use super::surface::{Area, Failure, SCALE};
use crate::error::Error;
use crate::quantities::axis::Axis;

/// A quantity that varies by a smaller part of its first value than this is shown by its change.
const STEADY: f64 = 0.05;
/// More curves than this are a bundle, in which no point is marked.
const BUNDLE: usize = 16;

/// True if values stay near the first one, like a conserved quantity.
pub fn is_steady(first: f64, values: impl Iterator<Item = f64>) -> bool {
    values.filter(|value| value.is_finite()).all(|value| (value - first).abs() < STEADY * first.abs())
}

/// Some curves with one axis. Where both axes are called x, y or z, they show a plane, on one scale.
/// Where both axes are logarithmic, lines show the whole slopes of curves.
pub struct Panel {
    pub heading: String,
    /// The quantity along the lower edge: the time, in most.
    pub along: Axis,
    pub axis: Axis,
    /// The name and the points of each curve; one without a name is named by the axis, or goes on with
    /// the one before it in solid lines, as the error bars of samples do.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
}

impl Panel {
    pub fn of(heading: &str, along: Axis, axis: Axis, curves: Vec<(String, Vec<(f64, f64)>)>) -> Self {
        Self { heading: heading.to_owned(), along, axis, curves }
    }

    /// The same, but by its change from the first value where a curve alone hardly varies: who looks
    /// wants to see by how much.
    #[must_use]
    pub(super) fn of_change(mut self) -> Self {
        if let [(_, points)] = &mut self.curves[..]
            && let Some(first) = points.iter().map(|point| point.1).find(|value| value.is_finite())
            && is_steady(first, points.iter().map(|point| point.1))
        {
            points.iter_mut().for_each(|point| point.1 -= first);
            let (heading, axis) = match &*self.axis.name {
                "energy" => (
                    format!("Change of the energy, from E(0) = {}", short(first)),
                    self.axis.called("E(t) − E(0)"),
                ),
                _ => (format!("{}: change from {}", self.heading, short(first)), self.axis.change()),
            };
            (self.heading, self.axis) = (heading, axis);
        }
        self
    }

    fn is_plane(&self) -> bool {
        [&self.along, &self.axis].iter().all(|axis| ["x", "y", "z"].contains(&&*axis.name))
    }
}

/// The picture as the text of an SVG element.
pub fn panels(title: &str, panels: &[Panel]) -> Result<String, Error> {
    draw(Some(title), panels).map_err(|error| Error::unwritable("the picture", &error))
}

/// A panel that is a picture of its own.
pub(super) fn alone(panel: Panel) -> Result<Figure, Failure> {
    let heading = panel.heading.clone();
    Ok(Figure { heading, svg: draw(None, &[panel])? })
}

/// Panels below each other, under a title where there is one.
fn draw(title: Option<&str>, panels: &[Panel]) -> Result<String, Failure> {
    let most = panels.iter().map(|panel| panel.curves.len()).max().unwrap_or(0);
    let least = if title.is_some() && panels.len() == 1 { 480 } else { 280 };
    // A plane has one scale, so that its height limits it.
    let height = |panel: &Panel| if panel.is_plane() { 480 } else { least };
    let heights = panels.iter().map(|panel| (height_of_legend(most) / SCALE).max(height(panel)));
    let heights: Vec<i32> = heights.collect();
    let of_title = if title.is_some() { 40 } else { 0 };
    picture((900, heights.iter().sum::<i32>().cast_unsigned() + of_title), title, |root, overlay| {
        let mut rest = root.clone();
        let areas = heights.iter().map(|height| {
            let (area, below) = rest.split_vertically(height * SCALE);
            rest = below;
            area
        });
        draw_in(&areas.collect::<Vec<_>>(), panels, &[], overlay).map(drop)
    })
}

/// Draws panels in their areas, beside which there are more names. Returns the room of legends and that
/// of the numbers of upright axes: one for all, so that frames stand below each other.
pub(super) fn draw_in(
    areas: &[Area<'_>],
    panels: &[Panel],
    beside: &[Named],
    overlay: &mut Overlay,
) -> Result<[i32; 2], Failure> {
    let names: Vec<Vec<Named>> = panels.iter().map(Panel::names).collect();
    let width = areas.first().map_or(0, |area| area.dim_in_pixel().0);
    let room = room(width, beside.iter().chain(names.iter().flatten()));
    let labels = panels.iter().map(Panel::y_labels).max().unwrap_or(0);
    for ((area, panel), names) in areas.iter().zip(panels).zip(&names) {
        panel.draw(legend(area, overlay, room, names)?, overlay, labels)?;
    }
    Ok([room, labels])
}

impl Panel {
    fn names(&self) -> Vec<Named> {
        let parts = |points: &[(f64, f64)]| [is_joined(points), self.is_marked(points)];
        let curves = self.curves.iter().enumerate().filter(|(_, (name, _))| !name.is_empty());
        let sample = |number, points: &[_]| Sample::Curve(Look::of(number), parts(points));
        curves.map(|(number, (name, points))| (sample(number, points), name.clone())).collect()
    }

    /// A curve of few points shows each of them, except beside samples that no line joins.
    fn is_marked(&self, points: &[(f64, f64)]) -> bool {
        let is_few = || {
            is_marked(points.len())
                && self.curves.len() <= BUNDLE
                && self.curves.iter().all(|(_, points)| is_joined(points))
        };
        !is_joined(points) || is_few()
    }

    /// The interval of most values, and how many are outside.
    fn values(&self) -> ((f64, f64), usize) {
        range_of_most(self.points().map(|point| point.1))
    }

    /// The room that the numbers of the upright axis ask for.
    fn y_labels(&self) -> i32 {
        y_labels(self.values().0, &self.axis)
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.curves.iter().flat_map(|(_, points)| points.iter().copied())
    }

    /// Draws the panel, whose upright axis has so much room for its numbers.
    fn draw(&self, mut area: Area<'_>, overlay: &mut Overlay, labels: i32) -> Result<(), Failure> {
        let points = || self.points();
        let (first, last) = bounds(points().map(|point| point.0));
        let measured = self.curves.iter().any(|(_, points)| self.is_marked(points));
        let times = match last > first {
            // Marks at the ends of a range stand inside of the frame.
            true => widened(first, last, if measured { 0.04 } else { 0.0 }),
            false if first <= last => widened(first, last, 0.0),
            false => (0.0, 1.0),
        };
        let (values, outside) = self.values();
        let (times, values, outside) = if self.is_plane() {
            let (x, y) = (range(points().map(|point| point.0)), range(points().map(|point| point.1)));
            let (width, height) = frame(&area, labels);
            // A high plane has a square frame: numbers below a narrower one have no room.
            let spare = width - height * ((x.1 - x.0) / (y.1 - y.0)).max(1.0);
            let side = (0.5 * spare).max(0.0) as i32;
            area = area.margin(0, 0, side, side);
            let (x, y) = equal_scales(x, y, frame(&area, labels));
            (x, y, 0)
        } else {
            (times, values, outside)
        };
        let heading = beyond(self.heading.clone(), outside);
        let chart = axes(&area, &heading, (times, &self.along), (values, &self.axis), labels)?;
        if self.along.is_logarithmic && self.axis.is_logarithmic {
            for (slope, through) in self.slopes() {
                let at = |x: f64| (x, through.1 + f64::from(slope) * (x - through.0));
                let half = 0.2 * (times.1 - times.0);
                overlay.guide(
                    &chart,
                    [at(through.0 - half), at(through.0 + half)],
                    &minus(&format!("slope {slope}")),
                );
            }
        }
        for (number, (name, points)) in self.curves.iter().enumerate() {
            if name.is_empty() && number > 0 {
                overlay.stroke(&chart, points, (Look::of(number - 1).colour(), ""), THIN);
            } else {
                overlay.curve(&chart, points, (Look::of(number), self.is_marked(points)), THIN);
            }
        }
        Ok(())
    }

    /// The whole slopes that curves have in their middle, each with a point a little beside its first
    /// curve.
    fn slopes(&self) -> Vec<(i32, (f64, f64))> {
        let mut slopes: Vec<(i32, (f64, f64))> = Vec::new();
        for (_, points) in &self.curves {
            let mut steps: Vec<f64> = points
                .windows(2)
                .map(|pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0))
                .filter(|slope| slope.is_finite())
                .collect();
            steps.sort_unstable_by(f64::total_cmp);
            let (Some(slope), Some(middle)) = (steps.get(steps.len() / 2), points.get(points.len() / 2))
            else {
                continue;
            };
            let whole = slope.round();
            let is_whole = (slope - whole).abs() < 0.15 && (1.0..=12.0).contains(&whole.abs());
            if is_marked(points.len()) && steps.len() >= 2 && is_whole {
                let whole = whole as i32;
                if !slopes.iter().any(|(known, _)| *known == whole) {
                    slopes.push((whole, (middle.0, middle.1 + 0.3)));
                }
            }
        }
        slopes
    }
}
