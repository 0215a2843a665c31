//! The drawing itself: panels, axes, colours.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::film::{Film, spread};

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
pub(super) type Failure = Box<dyn std::error::Error>;

/// Colours that are told apart by everybody (Okabe and Ito).
pub(super) const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(120, 80, 40),
    RGBColor(90, 90, 90),
];
const START: RGBColor = RGBColor(150, 150, 150);
const BETWEEN: RGBColor = RGBColor(222, 222, 222);
/// Everything is drawn this much larger than it is shown, since the backend rounds positions to whole units.
pub(super) const SCALE: i32 = 4;
const LABELS: i32 = 13 * SCALE;
const HEADING: i32 = 15 * SCALE;
const MARGIN: i32 = 10 * SCALE;
const Y_LABELS: i32 = 72 * SCALE;
const X_LABELS: i32 = 44 * SCALE;
const LEGEND: i32 = 104 * SCALE;
/// The width of a letter of a label, on average.
const LETTER: i32 = 13 * SCALE / 2;
const THIN: u32 = 5;
const THICK: u32 = 8;
/// Bodies drawn in one configuration at most.
const BODIES: usize = 2000;
/// Beyond this a run has blown up, and an axis that follows it shows nothing else.
const LARGEST: f64 = 1e100;

/// The picture as the text of an SVG file.
pub(super) fn svg(title: &str, film: &Film) -> Result<String, Failure> {
    let mut text = String::new();
    let planar = !film.paths.is_empty();
    let residual = film.samples.iter().any(|sample| sample.residual.is_some());
    let (width, height) = if planar { (1240, 800) } else { (900, if residual { 960 } else { 680 }) };
    {
        let size = (width * SCALE as u32, height * SCALE as u32);
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        let root = root.margin(8 * SCALE, 0, 0, 0).titled(title, ("sans-serif", 18 * SCALE))?;
        // A planar model has its configuration on the left, above the residual if there is one.
        let areas = if planar {
            let (left, right) = root.split_horizontally(width.cast_signed() * SCALE / 2);
            let mut areas = if residual { left.split_evenly((2, 1)) } else { vec![left] };
            areas.extend(right.split_evenly((2, 1)));
            if residual {
                areas.swap(1, 3);
                areas.swap(1, 2);
            }
            areas
        } else {
            root.split_evenly((if residual { 3 } else { 2 }, 1))
        };
        let mut areas = areas.iter();
        let mut next = || areas.next().ok_or("the picture has fewer panels than drawings");
        if planar {
            configuration(next()?, film)?;
        }
        coordinates(next()?, film)?;
        energy_error(next()?, film)?;
        if residual {
            constraint_residual(next()?, film)?;
        }
        root.present()?;
    }
    Ok(sized(&text, width, height))
}

/// The picture shown at its size, although it is drawn larger.
pub(super) fn sized(text: &str, width: u32, height: u32) -> String {
    let drawn = format!("width=\"{}\" height=\"{}\"", width * SCALE as u32, height * SCALE as u32);
    text.replacen(&drawn, &format!("width=\"{width}\" height=\"{height}\""), 1)
}

/// x against y: the paths, the first and the last configuration.
fn configuration(area: &Area<'_>, film: &Film) -> Result<(), Failure> {
    let mut names = curve_names(&film.paths);
    names.push((START, format!("t = {}", short(film.first.t))));
    if let [(first, _), (second, _), ..] = film.frames[..] {
        names.push((BETWEEN, format!("every {}", short(second - first))));
    }
    names.push((BLACK, format!("t = {}", short(film.last.t))));
    let area = &legend(area, &names)?;
    let scene = &film.scene;
    let place = |q: &[f64], body: usize| (q[scene.bodies[body]], q[scene.bodies[body] + 1]);
    let mut corners: Vec<(f64, f64)> = (0..film.paths.len()).flat_map(|number| film.path(number)).collect();
    for q in [&film.first.q, &film.last.q] {
        corners.extend((0..scene.bodies.len()).map(|body| place(q, body)));
    }
    corners.extend(scene.pivots.iter().map(|(_, [x, y])| (*x, *y)));
    let (x, y) =
        equal_scales(range(corners.iter().map(|p| p.0)), range(corners.iter().map(|p| p.1)), frame(area));
    let heading = shown("Configuration", "paths of", "bodies", film.paths.len(), scene.bodies.len());
    let mut chart = axes(area, &heading, (x, "x"), (y, "y"))?;
    let links = |chart: &mut Chart<'_, '_>, q: &[f64], style: ShapeStyle| -> Result<(), Failure> {
        let between = scene.links.iter().map(|&(one, two)| [place(q, one), place(q, two)]);
        let hanging = scene.pivots.iter().map(|&(body, [x, y])| [(x, y), place(q, body)]);
        let segments = between.chain(hanging).filter(|ends| ends.iter().all(|&end| drawable(end)));
        chart.draw_series(segments.map(|ends| PathElement::new(ends, style)))?;
        Ok(())
    };
    for (_, q) in &film.frames {
        links(&mut chart, q, BETWEEN.stroke_width(THIN))?;
    }
    for number in 0..film.paths.len() {
        line(&mut chart, film.path(number), COLOURS[number % COLOURS.len()])?;
    }
    let all = scene.bodies.len() <= BODIES;
    for (q, colour) in [(&film.first.q, START), (&film.last.q, BLACK)] {
        if all {
            links(&mut chart, q, colour.stroke_width(THICK))?;
        }
        let radius = if scene.bodies.len() > 200 { SCALE } else { 4 * SCALE };
        let dots =
            spread(scene.bodies.len(), BODIES).map(|body| place(q, body)).filter(|&point| drawable(point));
        chart.draw_series(dots.map(|point| Circle::new(point, radius, colour.filled())))?;
    }
    let pivots = scene.pivots.iter().map(|&(_, [x, y])| (x, y));
    chart.draw_series(pivots.map(|point| TriangleMarker::new(point, 6 * SCALE, BLACK.filled())))?;
    Ok(())
}

/// Each followed coordinate against time.
fn coordinates(area: &Area<'_>, film: &Film) -> Result<(), Failure> {
    let heading = shown("Coordinates", "", "coordinates", film.curves.len(), film.dimension);
    let area = &legend(area, &curve_names(&film.curves))?;
    let values = (0..film.curves.len()).flat_map(|number| film.curve(number)).map(|point| point.1);
    let mut chart = axes(area, &heading, (times(film), "t"), (range(values), "q"))?;
    for number in 0..film.curves.len() {
        line(&mut chart, film.curve(number), COLOURS[number % COLOURS.len()])?;
    }
    Ok(())
}

/// E(t) − E(0) against time.
fn energy_error(area: &Area<'_>, film: &Film) -> Result<(), Failure> {
    let initial = film.samples.first().map_or(0.0, |sample| sample.energy);
    let points: Vec<(f64, f64)> =
        film.samples.iter().map(|sample| (sample.t, sample.energy - initial)).collect();
    let heading = format!("Energy error, E(0) = {}", short(initial));
    let y = (range(points.iter().map(|point| point.1)), "E(t) − E(0)");
    let area = &legend(area, &[])?;
    let mut chart = axes(area, &heading, (times(film), "t"), y)?;
    line(&mut chart, points.into_iter(), COLOURS[0])
}

/// max |g| against time.
fn constraint_residual(area: &Area<'_>, film: &Film) -> Result<(), Failure> {
    let points: Vec<(f64, f64)> =
        film.samples.iter().filter_map(|sample| Some((sample.t, sample.residual?))).collect();
    let y = (range(points.iter().map(|point| point.1)), "max |g|");
    let area = &legend(area, &[])?;
    let mut chart = axes(area, "Constraint residual", (times(film), "t"), y)?;
    line(&mut chart, points.into_iter(), COLOURS[1])
}

/// A panel with its heading, its axes and their names.
pub(super) fn axes<'a, 'b>(
    area: &'a Area<'b>,
    heading: &str,
    (x, x_name): ((f64, f64), &str),
    (y, y_name): ((f64, f64), &str),
) -> Result<Chart<'a, 'b>, Failure> {
    let mut chart = ChartBuilder::on(area)
        .margin(MARGIN)
        .caption(heading, ("sans-serif", HEADING))
        .x_label_area_size(X_LABELS)
        .y_label_area_size(Y_LABELS)
        .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    chart
        .configure_mesh()
        .x_desc(x_name)
        .y_desc(y_name)
        .x_labels(8)
        .y_labels(8)
        .max_light_lines(0)
        .bold_line_style(BLACK.mix(0.12).stroke_width(THIN))
        .axis_style(BLACK.stroke_width(THIN))
        .set_all_tick_mark_size(5 * SCALE)
        .label_style(("sans-serif", LABELS))
        .axis_desc_style(("sans-serif", LABELS + 1))
        .x_label_formatter(&|value| tick(*value, x))
        .y_label_formatter(&|value| tick(*value, y))
        .draw()?;
    Ok(chart)
}

/// A line through the points that can be drawn.
pub(super) fn line<'a, 'b: 'a>(
    chart: &mut Chart<'a, 'b>,
    points: impl Iterator<Item = (f64, f64)>,
    colour: RGBColor,
) -> Result<(), Failure> {
    chart.draw_series(LineSeries::new(points.filter(|&point| drawable(point)), colour.stroke_width(THIN)))?;
    Ok(())
}

fn curve_names(curves: &[(usize, String)]) -> Vec<(RGBColor, String)> {
    curves
        .iter()
        .enumerate()
        .map(|(number, (_, name))| (COLOURS[number % COLOURS.len()], name.clone()))
        .collect()
}

/// Draws the names of the colours at the right edge, where they hide nothing, and returns the area that is left: the same
/// for all panels, so that their axes of time stand below each other.
pub(super) fn legend<'a>(area: &Area<'a>, names: &[(RGBColor, String)]) -> Result<Area<'a>, Failure> {
    let width = area.dim_in_pixel().0.cast_signed();
    let longest = names.iter().map(|(_, name)| name.chars().count()).max().unwrap_or(0) as i32;
    // As wide as the longest name asks for, but never more than a third.
    let room = (longest * LETTER + 32 * SCALE).clamp(LEGEND, (width / 3).max(LEGEND));
    let (left, right) = area.split_horizontally((width - room).max(1));
    for (row, (colour, name)) in (0..).zip(names) {
        let y = MARGIN + 2 * HEADING + row * (LABELS + LABELS / 2);
        right.draw(&PathElement::new([(0, y), (18 * SCALE, y)], colour.stroke_width(THICK)))?;
        right.draw(&Text::new(name.clone(), (24 * SCALE, y - LABELS / 2), ("sans-serif", LABELS)))?;
    }
    Ok(left)
}

/// A heading that says so when not everything is drawn.
fn shown(name: &str, of: &str, what: &str, drawn: usize, all: usize) -> String {
    if drawn == all {
        name.to_owned()
    } else {
        format!("{name}: {of} {drawn} of {all} {what}").replace("  ", " ")
    }
}

fn times(film: &Film) -> (f64, f64) {
    let first = film.samples.first().map_or(0.0, |sample| sample.t);
    let last = film.last.t.max(first);
    if last > first { widened(first, last, 0.0) } else { widened(first, first + 1.0, 0.0) }
}

/// The smallest interval with the finite values, a little widened.
pub(super) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .map(|value| value.clamp(-LARGEST, LARGEST))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high { (-1.0, 1.0) } else { widened(low, high, 0.05) }
}

/// Widens an interval by a part of its length, and to a length that axes can be divided by.
pub(super) fn widened(low: f64, high: f64, part: f64) -> (f64, f64) {
    let least = (1e-9 * low.abs().max(high.abs())).max(1e-18);
    if high - low < least {
        let half =
            if low == 0.0 && high == 0.0 { 1.0 } else { (0.05 * low.abs().max(high.abs())).max(least) };
        return (low - half, high + half);
    }
    let margin = part * (high - low);
    (low - margin, high + margin)
}

/// The size in pixels of what the axes of an area enclose.
pub(super) fn frame(area: &Area<'_>) -> (f64, f64) {
    let (width, height) = area.dim_in_pixel();
    (
        f64::from(width.saturating_sub((2 * MARGIN + Y_LABELS) as u32).max(1)),
        f64::from(height.saturating_sub((2 * MARGIN + X_LABELS + HEADING + 8) as u32).max(1)),
    )
}

/// Widens one of two intervals so that a unit is equally long on both axes of a frame in pixels.
pub(super) fn equal_scales(x: (f64, f64), y: (f64, f64), frame: (f64, f64)) -> ((f64, f64), (f64, f64)) {
    let unit = ((x.1 - x.0) / frame.0).max((y.1 - y.0) / frame.1);
    let around = |(low, high): (f64, f64), pixels: f64| {
        let (middle, half) = (0.5 * (low + high), 0.5 * unit * pixels);
        (middle - half, middle + half)
    };
    (around(x, frame.0), around(y, frame.1))
}

fn drawable((x, y): (f64, f64)) -> bool {
    x.abs() <= LARGEST && y.abs() <= LARGEST
}

/// A number at an axis with as many digits as the length of the axis asks for.
fn tick(value: f64, (low, high): (f64, f64)) -> String {
    let largest = low.abs().max(high.abs());
    let length = high - low;
    // What is zero up to the rounding of the tick's position.
    if value.abs() < 1e-9 * length {
        return "0".to_owned();
    }
    if !(1e-3..1e5).contains(&largest) {
        return minus(&format!("{value:.1e}"));
    }
    #[expect(clippy::cast_sign_loss, reason = "clamped to 0 … 9")]
    let digits = (2.0 - length.log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.digits$}");
    minus(if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text })
}

/// A number with the sign that is as wide as a plus.
fn minus(number: &str) -> String {
    number.replace('-', "−")
}

fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        minus(&format!("{value:.3e}"))
    } else {
        minus(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_a_length_whatever_the_values() {
        for values in [
            vec![],
            vec![0.0],
            vec![3.0, 3.0],
            vec![1e300, -1e300],
            vec![f64::NAN, f64::INFINITY],
            vec![1e-300],
        ] {
            let (low, high) = range(values.iter().copied());
            assert!(low < high && (high - low).is_finite(), "{values:?}: {low} .. {high}");
        }
    }

    #[test]
    fn a_unit_is_equally_long_on_both_axes() {
        let (x, y) = equal_scales((0.0, 1.0), (-1.0, 3.0), (400.0, 200.0));
        assert!(((x.1 - x.0) / 400.0 - (y.1 - y.0) / 200.0).abs() < 1e-15);
        assert!(x.0 <= 0.0 && x.1 >= 1.0 && y.0 <= -1.0 && y.1 >= 3.0);
    }

    #[test]
    fn ticks_have_the_digits_that_tell_them_apart() {
        assert_eq!(tick(0.25, (0.0, 1.0)), "0.25");
        assert_eq!(tick(20.0, (0.0, 50.0)), "20");
        assert_eq!(tick(-1.5e-7, (-2e-7, 0.0)), "−1.5e−7");
        assert_eq!(tick(1e-20, (-1.0, 1.0)), "0");
    }
}
