//! Curves, one panel above the other.

use plotters::prelude::*;

use super::draw::{COLOURS, Failure, SCALE, axes, equal_scales, frame, legend, line, range, sized, widened};
use crate::error::Error;

/// Some curves with one axis; where both axes are called x, y or z, they show a plane, on one scale.
pub(crate) struct Panel {
    pub(crate) heading: String,
    /// The quantity along the lower edge: the time, in most.
    pub(crate) along: &'static str,
    pub(crate) axis: String,
    /// The name and the points of each curve.
    pub(crate) curves: Vec<(String, Vec<(f64, f64)>)>,
}

impl Panel {
    fn is_plane(&self) -> bool {
        let is_place = |name: &str| ["x", "y", "z"].contains(&name.split(',').next().unwrap_or(""));
        is_place(self.along) && is_place(&self.axis)
    }
}

/// The picture as the text of an SVG element.
pub(crate) fn panels(title: &str, panels: &[Panel]) -> Result<String, Error> {
    draw(title, panels)
        .map_err(|error| Error::Unwritable { place: "the picture".to_owned(), reason: error.to_string() })
}

fn draw(title: &str, panels: &[Panel]) -> Result<String, Failure> {
    let mut text = String::new();
    let (width, height) = (900, 280 * panels.len() as u32 + 40);
    {
        let root = SVGBackend::with_string(&mut text, (width * SCALE as u32, height * SCALE as u32))
            .into_drawing_area();
        root.fill(&WHITE)?;
        let root = root.margin(8 * SCALE, 0, 0, 0).titled(title, ("sans-serif", 18 * SCALE))?;
        for (area, panel) in root.split_evenly((panels.len(), 1)).iter().zip(panels) {
            let names: Vec<(RGBColor, String)> = panel
                .curves
                .iter()
                .enumerate()
                .map(|(number, (name, _))| (COLOURS[number % COLOURS.len()], name.clone()))
                .collect();
            let area = &legend(area, &names)?;
            let points = || panel.curves.iter().flat_map(|(_, points)| points.iter().copied());
            let (first, last) =
                points().fold((f64::MAX, f64::MIN), |(low, high), (t, _)| (low.min(t), high.max(t)));
            let times = if last > first { widened(first, last, 0.0) } else { (0.0, 1.0) };
            let values = range(points().map(|point| point.1));
            let (times, values) = if panel.is_plane() {
                equal_scales(range(points().map(|point| point.0)), values, frame(area))
            } else {
                (times, values)
            };
            let mut chart = axes(area, &panel.heading, (times, panel.along), (values, &panel.axis))?;
            for (number, (_, points)) in panel.curves.iter().enumerate() {
                line(&mut chart, points.iter().copied(), COLOURS[number % COLOURS.len()])?;
            }
        }
        root.present()?;
    }
    Ok(sized(&text, width, height))
}
