//! The sparsity of a system: where Hess V, M and the constraints have entries.

use std::collections::BTreeSet;
use std::fmt::Write;

use least_action_core::system::{Holonomic, Lagrangian, Layout, Natural};

use crate::document::escaped;

/// The side of the largest matrix, in pixels.
const SIDE: f64 = 460.0;
/// Matrices with more rows are drawn by blocks of rows.
const MOST_CELLS: usize = 512;
/// The width of the margin beside a matrix.
const MARGIN: f64 = 90.0;

// Colours that are told apart by everybody (Okabe and Ito).
const GREY: &str = "#b8b8b8";
const BLUE: &str = "#0072b2";
const ORANGE: &str = "#e69f00";

/// The name, the colour and the entries of a matrix.
type Layer = (&'static str, &'static str, Vec<(usize, usize)>);

/// Names of ranges of rows or columns, which follow each other.
type Groups = Vec<(String, usize, usize)>;

/// A matrix by its entries.
struct Matrix {
    title: String,
    /// Names and colours of the layers, the last on top.
    layers: Vec<Layer>,
    columns: Groups,
    rows: Groups,
}

/// The picture as SVG: the second derivatives beside the Jacobian of the constraints.
pub(super) fn pattern(
    title: &str,
    lagrangian: &dyn Lagrangian,
    natural: Option<&dyn Natural>,
    constraints: Option<&dyn Holonomic>,
) -> String {
    let mut matrices = vec![match natural {
        Some(natural) => hessian(natural, constraints),
        None => second(lagrangian),
    }];
    matrices.extend(constraints.map(|system| jacobian(system, lagrangian.layout())));
    let mut body = String::new();
    let mut x = MARGIN;
    let mut height: f64 = 0.0;
    for matrix in &matrices {
        let (width, tall) = matrix.draw(&mut body, x, 70.0);
        x += width + MARGIN;
        height = height.max(tall);
    }
    let (width, height) = (x.max(420.0), height + 130.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{:.0}\" y=\"26\" font-size=\"17\" text-anchor=\"middle\">{}</text>\n{body}</svg>\n",
        width / 2.0,
        escaped(title)
    )
}

/// Both triangles of a symmetric pattern.
fn both(entries: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let both = entries.flat_map(|(row, column)| [(row, column), (column, row)]);
    both.collect::<BTreeSet<_>>().into_iter().collect()
}

fn groups(layout: &Layout, prefix: &str, offset: usize) -> Groups {
    let group = |c: &least_action_core::system::Coordinate| {
        (format!("{prefix}{}", c.name), offset + c.offset, offset + c.offset + c.size())
    };
    layout.coordinates().iter().map(group).collect()
}

/// M, Hess V and the Hessians of the constraints.
fn hessian(natural: &dyn Natural, constraints: Option<&dyn Holonomic>) -> Matrix {
    let n = natural.dimension();
    let mut layers = vec![("M", GREY, both(natural.mass().pattern.entries()))];
    if let Some(constraints) = constraints {
        layers.push(("Σ λ Hess g", ORANGE, both(constraints.weighted_pattern().entries())));
    }
    layers.push(("Hess V", BLUE, both(potential_entries(natural).into_iter())));
    let groups = groups(natural.layout(), "", 0);
    let title = format!("second derivatives, {n} × {n}");
    Matrix { title, layers, columns: groups.clone(), rows: groups }
}

/// The entries of Hess V without stored entries of the diagonal that are always zero: zero at two points
/// of no symmetry.
fn potential_entries(natural: &dyn Natural) -> Vec<(usize, usize)> {
    let n = natural.dimension();
    let mut seen = vec![false; natural.potential_pattern().len()];
    let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; seen.len()]);
    for shift in [0.3, 1.1] {
        let q: Vec<f64> = (0..n).map(|k| (1.7 * k as f64 + shift).sin() + shift).collect();
        natural.potential_second(&q, 0.0, &mut gradient, &mut hessian);
        // NaN is not zero.
        seen.iter_mut().zip(&hessian).for_each(|(seen, entry)| *seen |= *entry != 0.0);
    }
    let entries = natural.potential_pattern().entries().zip(seen);
    entries.filter(|((row, column), seen)| row != column || *seen).map(|(entry, _)| entry).collect()
}

/// All second derivatives of L in (q, v, t).
fn second(lagrangian: &dyn Lagrangian) -> Matrix {
    let n = lagrangian.dimension();
    let size = 2 * n + 1;
    let mut rows = groups(lagrangian.layout(), "", 0);
    rows.extend(groups(lagrangian.layout(), "der ", n));
    rows.push(("t".to_owned(), 2 * n, size));
    let title = format!("second derivatives of L in (q, v, t), {size} × {size}");
    let layers = vec![("∂²L", BLUE, both(lagrangian.second_pattern().entries()))];
    Matrix { title, layers, columns: rows.clone(), rows }
}

fn jacobian(system: &dyn Holonomic, layout: &Layout) -> Matrix {
    let (m, n) = (system.constraints(), layout.dimension());
    // Equations of one method stand together, and share the name before the bracket.
    let mut rows = Groups::new();
    for row in 0..m {
        let name = system.constraint_name(row);
        let name = name.split('[').next().unwrap_or_default().to_owned();
        match rows.last_mut() {
            Some((known, _, end)) if *known == name => *end = row + 1,
            _ => rows.push((name, row, row + 1)),
        }
    }
    let title = format!("Jacobian of the constraints, {m} × {n}");
    let layers = vec![("G", ORANGE, system.jacobian_pattern().entries().collect())];
    Matrix { title, layers, columns: groups(layout, "", 0), rows }
}

impl Matrix {
    /// Draws the matrix with its upper left corner at (x, y); returns its width and height.
    fn draw(&self, out: &mut String, x: f64, y: f64) -> (f64, f64) {
        let [columns, rows] =
            [&self.columns, &self.rows].map(|groups| groups.last().map_or(0, |(_, _, end)| *end));
        let largest = rows.max(columns).max(1);
        // Small matrices get cells of a readable size, not a page.
        let cell = (SIDE / largest as f64).min(24.0);
        let block = largest.div_ceil(MOST_CELLS);
        let (width, height) = (cell * columns as f64, cell * rows as f64);
        let mut text = |x: f64, y: f64, anchor: &str, size: u8, colour: &str, words: &str| {
            // Writing into a string cannot fail.
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{}</text>",
                escaped(words)
            );
        };
        text(x, y - 18.0, "start", 13, "black", &self.title);
        let mut at = x;
        for (name, colour, entries) in &self.layers {
            let words = format!("■ {name}: {}", entries.len());
            text(at, y + height + 34.0, "start", 12, colour, &words);
            at += 7.5 * words.chars().count() as f64 + 12.0;
        }
        for (middle, name) in names(&self.columns, cell, |name| 3.2 * name.chars().count() as f64 + 2.0) {
            text(x + middle, y + height + 14.0, "middle", 11, "#555555", name);
        }
        for (middle, name) in names(&self.rows, cell, |_| 5.5) {
            text(x - 6.0, y + middle + 4.0, "end", 11, "#555555", name);
        }
        for (_, colour, entries) in &self.layers {
            cells(out, entries, (x, y), cell, block, colour);
        }
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" stroke=\"#555555\"/>"
        );
        let begin = |(_, from, _): &(String, usize, usize)| cell * *from as f64;
        let across =
            self.rows.iter().skip(1).map(|group| format!("M{x:.1} {:.1}h{width:.1}", y + begin(group)));
        let up =
            self.columns.iter().skip(1).map(|group| format!("M{:.1} {y:.1}v{height:.1}", x + begin(group)));
        let lines: String = across.chain(up).collect();
        let _ = writeln!(out, "<path d=\"{lines}\" stroke=\"#bbbbbb\" stroke-width=\"0.6\"/>");
        // Titles and legends may be wider than a narrow matrix.
        (width.max(6.6 * self.title.chars().count() as f64).max(at - x), height)
    }
}

/// The middles of groups with their names. A name that would run into the one before is left out: each
/// takes its room to either side.
fn names(groups: &Groups, cell: f64, room: impl Fn(&str) -> f64) -> Vec<(f64, &str)> {
    let mut free = f64::NEG_INFINITY;
    let all = groups.iter().map(|(name, from, to)| (cell * (from + to) as f64 / 2.0, name.as_str()));
    let shown = all.filter(|(middle, name)| {
        let fits = middle - room(name) > free;
        free = if fits { middle + room(name) } else { free };
        fits
    });
    shown.collect()
}

/// One path for all cells of a layer; neighbours in a row are one piece.
fn cells(
    out: &mut String,
    entries: &[(usize, usize)],
    corner: (f64, f64),
    cell: f64,
    block: usize,
    colour: &str,
) {
    let blocks: BTreeSet<(usize, usize)> =
        entries.iter().map(|(row, column)| (row / block, column / block)).collect();
    let blocks: Vec<(usize, usize)> = blocks.into_iter().collect();
    let size = cell * block as f64;
    let gap = if size > 6.0 { 1.0 } else { 0.0 };
    let mut path = String::new();
    for piece in blocks.chunk_by(|one, next| gap == 0.0 && *next == (one.0, one.1 + 1)) {
        let (row, first) = piece[0];
        let (x, y) = (corner.0 + size * first as f64, corner.1 + size * row as f64);
        let (width, height) = (size * piece.len() as f64 - gap, size - gap);
        let _ = write!(path, "M{x:.2} {y:.2}h{width:.2}v{height:.2}h-{width:.2}z");
    }
    let _ = writeln!(out, "<path d=\"{path}\" fill=\"{colour}\"/>");
}
