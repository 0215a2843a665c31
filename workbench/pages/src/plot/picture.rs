//! The pictures of a run: the paths of its bodies; and over time its coordinates, its energy, the
//! residuals of its constraints and the measured quantities.

use plotters::prelude::*;

use super::Figure;
use super::curves::{Look, Overlay};
use super::draw::{
    Named, Sample, THICK, THIN, axes, drawable, equal_scales, frame, legend, picture, range, room, short,
    y_labels,
};
use super::film::{Film, spread};
use super::panels::{self, Panel};
use super::surface::{Area, Chart, Failure, SCALE};
use crate::quantities::axis::Axis;

const START: RGBColor = RGBColor(150, 150, 150);
const WIRE: RGBColor = RGBColor(200, 205, 215);
const BETWEEN: RGBColor = RGBColor(222, 222, 222);
/// Bodies drawn in one configuration at most.
const BODIES: usize = 2000;

/// All in one, as the text of an SVG file.
pub(super) fn svg(title: &str, film: &Film) -> Result<String, Failure> {
    let planar = !film.paths.is_empty();
    let panels = over_time(film);
    let below = panels.len().max(1);
    let (width, height) =
        if planar { (1240, 800.max(320 * (below / 2 + 1) as u32)) } else { (900, 40 + 320 * below as u32) };
    picture((width, height), Some(title), |root, overlay| {
        if !planar {
            return panels::draw_in(&root.split_evenly((below, 1)), &panels, &[], overlay).map(drop);
        }
        // A planar model has its configuration on the left, above a third panel if there is one.
        let (left, right) = root.split_horizontally(width.cast_signed() * SCALE / 2);
        let left = left.split_evenly((below.div_ceil(2), 1));
        let right = right.split_evenly((below + 1 - left.len(), 1));
        let (areas, names) = ([&right, &left[1..]].concat(), bodies_legend(film));
        let rooms = panels::draw_in(&areas, &panels, &names, overlay)?;
        configuration(&left[0], overlay, film, (&names, rooms))
    })
}

/// Each a picture of its own, and one of all that was measured.
pub(super) fn figures(film: &Film) -> Result<Vec<Figure>, Failure> {
    let mut figures = Vec::new();
    if !film.paths.is_empty() {
        figures.push(Figure { heading: "Configuration".to_owned(), svg: paths(film)? });
    }
    let own = ["energy", "constraint_residual", "nonholonomic_residual"];
    let others = (0..film.measured.len()).filter(|place| !own.contains(&&*film.measured[*place]));
    for panel in over_time(film).into_iter().chain(others.map(|place| measured(film, place))) {
        figures.push(panels::alone(panel)?);
    }
    Ok(figures)
}

/// Coordinates, energy and residuals, each where there is something to see.
fn over_time(film: &Film) -> Vec<Panel> {
    let mut panels = coordinates(film);
    let shown =
        |name: &str| film.measured.iter().position(|one| one == name).filter(|_| !film.times.is_empty());
    panels.extend(shown("energy").map(|place| measured(film, place)));
    let residuals = [("constraint_residual", "|g|"), ("nonholonomic_residual", "|c|")];
    let residuals =
        residuals.into_iter().filter_map(|(name, sign)| Some((sign, film.measured(shown(name)?))));
    let residuals: Vec<(&str, Vec<(f64, f64)>)> = residuals.collect();
    if !residuals.is_empty() {
        let signs: Vec<&str> = residuals.iter().map(|(sign, _)| *sign).collect();
        let axis = Axis::number(format!("largest {}", signs.join(", ")));
        // A single curve is named by its axis.
        let name = |sign: &str| if signs.len() == 1 { String::new() } else { sign.to_owned() };
        let curves = residuals.iter().map(|(sign, points)| (name(sign), points.clone())).collect();
        panels.push(Panel::of("Violation of the constraints", film.units.time(), axis, curves));
    }
    panels
}

/// The paths alone.
fn paths(film: &Film) -> Result<String, Failure> {
    picture((900, 560), None, |root, overlay| {
        let names = bodies_legend(film);
        let room = room(root.dim_in_pixel().0, names.iter());
        configuration(root, overlay, film, (&names, [room, 0]))
    })
}

/// The paths, and the configurations of which lines are drawn.
fn bodies_legend(film: &Film) -> Vec<Named> {
    let paths = film.paths.iter().enumerate();
    let mut names: Vec<Named> = paths
        .map(|(number, (_, name))| (Sample::Curve(Look::of(number), [true, false]), name.clone()))
        .collect();
    names.push((Sample::Plain(START), format!("at t = {}", short(film.first.t))));
    if let [(first, _), (second, _), ..] = film.frames[..] {
        names.push((Sample::Plain(BETWEEN), format!("every {}", short(second - first))));
    }
    names.push((Sample::Plain(BLACK), format!("at t = {}", short(film.last.t))));
    names
}

/// x against y: the paths, the first and the last configuration; with so much room for the legend, and
/// for the numbers of the upright axis at least.
fn configuration(
    area: &Area<'_>,
    overlay: &mut Overlay,
    film: &Film,
    (names, [room, labels]): (&[Named], [i32; 2]),
) -> Result<(), Failure> {
    let (scene, area) = (&film.scene, &legend(area, overlay, room, names)?);
    let place = |q: &[f64], body: usize| (q[scene.bodies[body]], q[scene.bodies[body] + 1]);
    // A thousandth of the picture, which is seen by nobody.
    let whole = |number| film.path(number, f64::INFINITY);
    let across = range((0..film.paths.len()).flat_map(whole).flat_map(|(x, y)| [x, y]));
    let paths: Vec<Vec<(f64, f64)>> =
        (0..film.paths.len()).map(|number| film.path(number, 1e-3 * (across.1 - across.0))).collect();
    let mut corners = paths.concat();
    for q in [&film.first.q, &film.last.q] {
        corners.extend((0..scene.bodies.len()).map(|body| place(q, body)));
    }
    corners.extend(scene.pivots.iter().map(|(_, [x, y])| (*x, *y)));
    let [along, up] = ["x", "y"].map(|name| film.units.length(name));
    let [x, y] = [range(corners.iter().map(|p| p.0)), range(corners.iter().map(|p| p.1))];
    let labels = y_labels(y, &up).max(labels);
    let (x, y) = equal_scales(x, y, frame(area, labels));
    let heading = shown("Configuration", "paths of", "bodies", film.paths.len(), scene.bodies.len());
    let mut chart = axes(area, &heading, (x, &along), (y, &up), labels)?;
    let links = |chart: &mut Chart<'_, '_>, q: &[f64], style: ShapeStyle| -> Result<(), Failure> {
        let between = scene.links.iter().map(|&(one, two)| [place(q, one), place(q, two)]);
        let hanging = scene.pivots.iter().map(|&(body, [x, y])| [(x, y), place(q, body)]);
        let segments = between.chain(hanging).filter(|ends| ends.iter().all(|&end| drawable(end)));
        chart.draw_series(segments.map(|ends| PathElement::new(ends, style)))?;
        Ok(())
    };
    for wire in &scene.wires {
        overlay.stroke(&chart, wire, (WIRE, ""), THICK);
    }
    for (_, q) in &film.frames {
        links(&mut chart, q, BETWEEN.stroke_width(THIN))?;
    }
    for (number, path) in paths.into_iter().enumerate() {
        overlay.line(&chart, &path, Look::of(number), THIN);
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

/// Each followed coordinate against time: those of one unit together, others beside their likes alone.
fn coordinates(film: &Film) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    for (number, (index, name)) in film.curves.iter().enumerate() {
        let axis = film.units.coordinate("coordinate", &film.layout, [*index]);
        let of = film.layout.coordinate_of(*index).map_or("", |group| &group.name);
        let is_like =
            |panel: &&mut Panel| panel.axis == axis && (axis.unit().is_some() || panel.heading == of);
        let curve = (name.clone(), film.curve(number).collect());
        match panels.iter_mut().find(is_like) {
            Some(panel) => {
                panel.curves.push(curve);
                if !panel.heading.split(", ").any(|known| known == of) {
                    panel.heading = format!("{}, {of}", panel.heading);
                }
            }
            None => panels.push(Panel::of(of, film.units.time(), axis, vec![curve])),
        }
    }
    if let [panel] = &mut panels[..] {
        panel.heading = shown("Coordinates", "", "coordinates", film.curves.len(), film.layout.dimension());
    }
    panels
}

/// A measured quantity against time.
fn measured(film: &Film, number: usize) -> Panel {
    let name = &film.measured[number];
    let words = name.replace('_', " ");
    let (first, rest) = words.split_at(words.chars().next().map_or(0, char::len_utf8));
    Panel {
        heading: format!("{}{rest}", first.to_uppercase()),
        along: film.units.time(),
        axis: film.units.measured(name),
        curves: vec![(String::new(), film.measured(number))],
    }
    .of_change()
}

/// A heading that says so when not everything is drawn.
fn shown(name: &str, of: &str, what: &str, drawn: usize, all: usize) -> String {
    if drawn == all {
        name.to_owned()
    } else {
        format!("{name}: {of} {drawn} of {all} {what}").replace("  ", " ")
    }
}
