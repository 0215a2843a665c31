//! Parts of all drawings: axes with their ranges and numbers, legends, colours.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::curves::{Look, Overlay};
use super::surface::{Area, Chart, Failure, SCALE};
use super::ticks::Numbered;
use crate::quantities::axis::{Axis, RAISED};

const LABELS: i32 = 13 * SCALE;
const HEADING: i32 = 15 * SCALE;
const MARGIN: i32 = 10 * SCALE;
/// The least room for the name and the numbers of an upright axis, and for the name alone, with its
/// gaps.
const Y_LABELS: i32 = 84 * SCALE;
const Y_NAME: i32 = 34 * SCALE;
const X_LABELS: i32 = 44 * SCALE;
const LEGEND: i32 = 104 * SCALE;
/// The width of a letter of a label, on average.
const LETTER: i32 = 13 * SCALE / 2;
/// The height of a row of a legend.
const ROW: i32 = 3 * LABELS / 2;
/// The width of the sample of a curve in a legend, with the gap behind it.
const SAMPLE: i32 = 44 * SCALE;
pub(super) const THIN: u32 = 5;
pub(super) const THICK: u32 = 8;
/// Beyond this a run has blown up, and an axis that follows it shows nothing else.
const LARGEST: f64 = 1e100;

/// A picture of this size, under a title where there is one, as the text of an SVG element.
pub(super) fn picture(
    (width, height): (u32, u32),
    title: Option<&str>,
    draw: impl FnOnce(&Area<'_>, &mut Overlay) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let (mut text, mut overlay) = (String::new(), Overlay::default());
    let size = (width * SCALE as u32, height * SCALE as u32);
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        let area = match title {
            Some(title) => root.margin(8 * SCALE, 0, 0, 0).titled(title, ("sans-serif", 18 * SCALE))?,
            None => root.clone(),
        };
        draw(&area, &mut overlay)?;
        root.present()?;
    }
    // It is shown at its size, although it is drawn larger.
    let shown = |(width, height)| format!("width=\"{width}\" height=\"{height}\"");
    Ok(overlay.over(&text.replacen(&shown(size), &shown((width, height)), 1)))
}

/// A number at an axis.
fn number(axis: &Axis, value: f64, range: (f64, f64)) -> String {
    if axis.is_logarithmic { power(value, range) } else { tick(value, range) }
}

/// The room that the numbers and the name of an upright axis take, so that none is cut.
pub(super) fn y_labels(range: (f64, f64), axis: &Axis) -> i32 {
    let letters = |value: &f64| number(axis, *value, range).chars().count() as i32;
    let longest = Numbered::new(range, axis).numbers().iter().map(letters).max().unwrap_or(0);
    Y_LABELS.max(longest * LETTER + Y_NAME)
}

/// A panel with its heading in the middle above its frame, its axes and their names; the numbers of the
/// upright axis have so much room.
pub(super) fn axes<'a, 'b>(
    area: &'a Area<'b>,
    heading: &str,
    (x, x_axis): ((f64, f64), &Axis),
    (y, y_axis): ((f64, f64), &Axis),
    y_labels: i32,
) -> Result<Chart<'a, 'b>, Failure> {
    let mut chart = ChartBuilder::on(area)
        .margin(MARGIN)
        .margin_top(MARGIN + HEADING + 8)
        .x_label_area_size(X_LABELS)
        .y_label_area_size(y_labels)
        .build_cartesian_2d(Numbered::new(x, x_axis), Numbered::new(y, y_axis))?;
    chart
        .configure_mesh()
        .x_desc(x_axis.to_string())
        .y_desc(y_axis.to_string())
        .max_light_lines(0)
        .bold_line_style(BLACK.mix(0.12).stroke_width(THIN))
        .axis_style(BLACK.stroke_width(THIN))
        .set_all_tick_mark_size(5 * SCALE)
        .label_style(("sans-serif", LABELS))
        .axis_desc_style(("sans-serif", LABELS + 1))
        .x_label_formatter(&|value| number(x_axis, *value, x))
        .y_label_formatter(&|value| number(y_axis, *value, y))
        .draw()?;
    let (across, _) = chart.plotting_area().get_pixel_range();
    let middle = i32::midpoint(across.start, across.end) - area.get_base_pixel().0;
    let style = TextStyle::from(("sans-serif", HEADING)).pos(Pos::new(HPos::Center, VPos::Top));
    area.draw(&Text::new(heading, (middle, MARGIN), style))?;
    Ok(chart)
}

/// A sample in a legend.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sample {
    /// Of a curve: whether a line joins its points, and whether each has a mark.
    Curve(Look, [bool; 2]),
    /// Of lines of one colour.
    Plain(RGBColor),
}

/// A sample of a look with its name.
pub(super) type Named = (Sample, String);

/// The width of the legends of a picture: enough for the longest name, at most a third of a panel.
pub(super) fn room<'n>(panel: u32, names: impl Iterator<Item = &'n Named>) -> i32 {
    let longest = names.map(|(_, name)| name.chars().count()).max().unwrap_or(0) as i32;
    (longest * LETTER + SAMPLE + 14 * SCALE).clamp(LEGEND, (panel.cast_signed() / 3).max(LEGEND))
}

/// The height that a panel needs for a legend of so many names.
pub(super) fn height_of_legend(names: usize) -> i32 {
    3 * MARGIN + 2 * HEADING + names as i32 * ROW
}

/// Draws a legend at the right edge, where it hides nothing, and returns the rest of the area. Of more
/// names than fit the last row counts the missing ones.
pub(super) fn legend<'a>(
    area: &Area<'a>,
    overlay: &mut Overlay,
    room: i32,
    names: &[Named],
) -> Result<Area<'a>, Failure> {
    let (width, height) = area.dim_in_pixel();
    let (left, right) = area.split_horizontally((width.cast_signed() - room).max(1));
    let style = ("sans-serif", LABELS);
    let rows = ((height.cast_signed() - height_of_legend(0)) / ROW).max(1) as usize;
    let letters = ((room - SAMPLE - 8 * SCALE) / LETTER).max(4) as usize;
    let drawn = if names.len() > rows { rows - 1 } else { names.len() };
    let y = |row: usize| MARGIN + 2 * HEADING + row as i32 * ROW;
    for (row, (sample, name)) in names.iter().take(drawn).enumerate() {
        match sample {
            Sample::Curve(look, parts) => {
                overlay.sample(&right, (0, y(row)), SAMPLE - 8 * SCALE, *look, *parts);
            }
            Sample::Plain(colour) => right.draw(&PathElement::new(
                [(0, y(row)), (SAMPLE - 8 * SCALE, y(row))],
                colour.stroke_width(THICK),
            ))?,
        }
        right.draw(&Text::new(shortened(name, letters), (SAMPLE, y(row) - LABELS / 2), style))?;
    }
    if drawn < names.len() {
        let rest = format!("and {} more", names.len() - drawn);
        right.draw(&Text::new(rest, (SAMPLE, y(drawn) - LABELS / 2), style))?;
    }
    Ok(left)
}

/// A name of no more than so many letters.
fn shortened(name: &str, letters: usize) -> String {
    if name.chars().count() <= letters {
        return name.to_owned();
    }
    name.chars().take(letters - 1).chain(['…']).collect()
}

/// A heading that says so when points are outside of the frame.
pub(super) fn beyond(heading: String, outside: usize) -> String {
    match outside {
        0 => heading,
        1 => format!("{heading} (one point is outside)"),
        _ => format!("{heading} ({outside} points are outside)"),
    }
}

/// The interval of the finite values without a few that would ruin it, and the number of these few.
///
/// A fiftieth of the values may be left out, at least one and at either end, if the others then fill ten
/// times as much of the frame. They are as few as possible: each is data.
pub fn range_of_most(values: impl Iterator<Item = f64>) -> ((f64, f64), usize) {
    let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let (count, few) = (sorted.len(), (sorted.len() / 50).max(1));
    let whole = range(sorted.iter().copied());
    if count < 5 {
        return (whole, 0);
    }
    let Some([low, high]) = left_out(&sorted, few) else { return (whole, 0) };
    let most = range(sorted[low..count - high].iter().copied());
    let outside = sorted.iter().filter(|value| !(most.0..=most.1).contains(*value)).count();
    (most, outside)
}

/// The least numbers of values at the lower and the upper end, at most `most` at each, without which the
/// others fill ten times as much.
fn left_out(sorted: &[f64], most: usize) -> Option<[usize; 2]> {
    let length = |[low, high]: [usize; 2]| match sorted.get(low..sorted.len().saturating_sub(high)) {
        Some([first, .., last]) => last - first,
        _ => 0.0,
    };
    let all = length([0, 0]);
    let is_enough = |part: &[usize; 2]| 10.0 * length(*part) < all && length(*part) > 0.0;
    let least = |part: &dyn Fn(usize) -> [usize; 2]| (1..=most).map(part).find(is_enough);
    least(&|k| [k, 0]).or_else(|| least(&|k| [0, k])).or_else(|| least(&|k| [k, k]))
}

/// The least and the largest finite value; of none, the first is above the second.
pub fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    finite.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
}

/// The smallest interval with the finite values, a little widened.
pub fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let clamped = values.filter(|value| value.is_finite()).map(|value| value.clamp(-LARGEST, LARGEST));
    let (low, high) = bounds(clamped);
    if low > high { (-1.0, 1.0) } else { widened(low, high, 0.05) }
}

/// Widens an interval by a part of its length, and to a length that axes can be divided by.
pub(super) fn widened(low: f64, high: f64, part: f64) -> (f64, f64) {
    let least = (1e-9 * low.abs().max(high.abs())).max(1e-200);
    if high - low < least {
        let half =
            if low == 0.0 && high == 0.0 { 1.0 } else { (0.05 * low.abs().max(high.abs())).max(least) };
        return (low - half, high + half);
    }
    let margin = part * (high - low);
    (low - margin, high + margin)
}

/// The size in pixels inside of the axes of an area, where the numbers of the upright axis have room.
pub(super) fn frame(area: &Area<'_>, y_labels: i32) -> (f64, f64) {
    let (width, height) = area.dim_in_pixel();
    (
        f64::from(width.saturating_sub((2 * MARGIN + y_labels) as u32).max(1)),
        f64::from(height.saturating_sub((2 * MARGIN + X_LABELS + HEADING + 8) as u32).max(1)),
    )
}

/// Widens one of two intervals so that a unit is equally long on both axes of a frame in pixels.
pub fn equal_scales(x: (f64, f64), y: (f64, f64), frame: (f64, f64)) -> ((f64, f64), (f64, f64)) {
    let unit = ((x.1 - x.0) / frame.0).max((y.1 - y.0) / frame.1);
    let around = |(low, high): (f64, f64), pixels: f64| {
        let (middle, half) = (0.5 * (low + high), 0.5 * unit * pixels);
        (middle - half, middle + half)
    };
    (around(x, frame.0), around(y, frame.1))
}

pub(super) fn drawable((x, y): (f64, f64)) -> bool {
    x.abs() <= LARGEST && y.abs() <= LARGEST
}

/// The number at a logarithmic axis: a power of ten, or the number itself where powers have no room.
pub fn power(logarithm: f64, (low, high): (f64, f64)) -> String {
    if high - low < 2.0 {
        return short_power(10.0_f64.powf(logarithm));
    }
    format!("10{}", raised(&format!("{:.0}", logarithm.round() + 0.0)))
}

/// A number with three digits.
fn short_power(value: f64) -> String {
    if (1e-2..1e4).contains(&value) { tick(value, (0.0, value)) } else { printed(&format!("{value:.1e}")) }
}

/// A number at an axis with as many digits as the length of the axis asks for.
pub fn tick(value: f64, (low, high): (f64, f64)) -> String {
    let largest = low.abs().max(high.abs());
    let length = high - low;
    // Zero, up to the rounding of the tick's position.
    if value.abs() < 1e-9 * length {
        return "0".to_owned();
    }
    if !(1e-3..1e5).contains(&largest) {
        #[expect(clippy::cast_sign_loss, reason = "clamped to 1 … 9")]
        let digits = (largest.log10().floor() - length.log10().floor() + 1.0).clamp(1.0, 9.0) as usize;
        return printed(&format!("{value:.digits$e}"));
    }
    #[expect(clippy::cast_sign_loss, reason = "clamped to 0 … 9")]
    let digits = (2.0 - length.log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.digits$}");
    minus(if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text })
}

/// A number with the sign that is as wide as a plus.
pub(super) fn minus(number: &str) -> String {
    number.replace('-', "−")
}

/// A number in the notation of Rust, as it is printed: 1.5·10⁻⁷.
fn printed(number: &str) -> String {
    match number.split_once('e') {
        Some((digits, exponent)) => format!("{}·10{}", minus(digits), raised(exponent)),
        None => minus(number),
    }
}

/// An integer as an exponent.
fn raised(exponent: &str) -> String {
    exponent.chars().map(|digit| digit.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize])).collect()
}

pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        printed(&format!("{value:.3e}"))
    } else {
        minus(text.trim_end_matches('0').trim_end_matches('.'))
    }
}
