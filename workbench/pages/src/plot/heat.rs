//! A quantity over two others, by colours.

use plotters::prelude::*;

use super::draw::{Named, Sample, axes, bounds, legend, picture, room, short, y_labels};
use super::surface::Failure;
use crate::quantities::axis::Axis;

/// Colours of equal steps in lightness, from the least to the largest value.
const COLOURS: [[f64; 3]; 5] =
    [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];
/// The values in the legend.
const LEVELS: usize = 7;

/// The picture of cells, each with its place and its value.
pub(super) fn heat(heading: &str, axes_of: [&Axis; 2], cells: &[[f64; 3]]) -> Result<String, Failure> {
    let [x, y] = [0, 1].map(|k| edges(cells.iter().map(|cell| cell[k])));
    let (low, high) = bounds(cells.iter().map(|cell| cell[2]));
    let colour = |value: f64| {
        let at = ((value - low) / (high - low)).clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
        let first = (at as usize).min(COLOURS.len() - 2);
        let channel = |k: usize| {
            (COLOURS[first][k] + (at - first as f64) * (COLOURS[first + 1][k] - COLOURS[first][k])) as u8
        };
        RGBColor(channel(0), channel(1), channel(2))
    };
    let level = |k: usize| high - (high - low) * k as f64 / (LEVELS - 1) as f64;
    let count = if high > low { LEVELS } else { usize::from(high >= low) };
    let names: Vec<Named> = (0..count).map(|k| (Sample::Plain(colour(level(k))), short(level(k)))).collect();
    picture((900, 480), None, |root, overlay| {
        let area = legend(root, overlay, room(root.dim_in_pixel().0, names.iter()), &names)?;
        let range = |edges: &[[f64; 3]]| {
            edges.first().zip(edges.last()).map_or((0.0, 1.0), |(first, last)| (first[1], last[2]))
        };
        let (of_x, of_y) = ((range(&x), axes_of[0]), (range(&y), axes_of[1]));
        let mut chart = axes(&area, heading, of_x, of_y, y_labels(of_y.0, axes_of[1]))?;
        let of =
            |edges: &[[f64; 3]], at: f64| edges.iter().find(|edge| edge[0].total_cmp(&at).is_eq()).copied();
        let drawn = cells.iter().filter(|cell| cell[2].is_finite()).filter_map(|[at_x, at_y, value]| {
            let ([_, left, right], [_, below, above]) = (of(&x, *at_x)?, of(&y, *at_y)?);
            Some(Rectangle::new([(left, below), (right, above)], colour(*value).filled()))
        });
        chart.draw_series(drawn)?;
        Ok(())
    })
}

/// Each value with the edges of its cells, half-way to its neighbours.
fn edges(values: impl Iterator<Item = f64>) -> Vec<[f64; 3]> {
    let mut all: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup();
    let half = |k: usize| all.get(k + 1).map(|next| 0.5 * (next - all[k]));
    let edge = |k: usize| {
        let above = half(k).or_else(|| half(k.checked_sub(1)?)).unwrap_or(0.5);
        let below = k.checked_sub(1).and_then(half).unwrap_or(above);
        [all[k], all[k] - below, all[k] + above]
    };
    (0..all.len()).map(edge).collect()
}
