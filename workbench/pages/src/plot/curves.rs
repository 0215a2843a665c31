//! Curves that are told apart without colours: by their dashes, and by a mark at each measured point.
//!
//! SVG of our own draws them: the backend knows neither dashes of a path nor frames that cut it.

use std::fmt::Write;

use plotters::style::RGBColor;

use super::surface::{Area, Chart, SCALE};

/// Colours that are told apart by everybody (Okabe and Ito).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(120, 80, 40),
    RGBColor(90, 90, 90),
];
/// Lengths of dashes and gaps; the first is a line without gaps.
const DASHES: [&[i32]; 5] = [&[], &[9, 4], &[2, 3], &[9, 3, 2, 3], &[16, 5]];
/// A curve of no more points marks each of them: a measurement gave them, and the line leads the eye.
const MARKED: usize = 60;
/// True if a curve of so many points shows each of them.
pub(super) fn is_marked(points: usize) -> bool {
    points <= MARKED
}

/// Samples that no line joins: a gap follows each, which cannot be drawn.
pub fn scattered(samples: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    samples.flat_map(|sample| [sample, (f64::NAN, f64::NAN)]).collect()
}

/// True if a line joins some of the points.
pub(super) fn is_joined(points: &[(f64, f64)]) -> bool {
    points.windows(2).any(|pair| pair.iter().all(|point| drawable(*point)))
}

/// The number of shapes of marks.
const MARKS: usize = 7;
/// Half the size of a mark.
const MARK: i32 = 4 * SCALE;

/// The look of one curve among others.
#[derive(Debug, Clone, Copy)]
pub struct Look(usize);

impl Look {
    /// The look of curve `number`: no two of the first forty have the same colour and the same dashes.
    pub fn of(number: usize) -> Self {
        Self(number)
    }

    pub fn colour(self) -> RGBColor {
        COLOURS[self.0 % COLOURS.len()]
    }

    pub fn dashes(self) -> &'static [i32] {
        DASHES[self.0 % DASHES.len()]
    }
}

/// Texts of SVG over the panels.
#[derive(Debug, Default)]
pub(super) struct Overlay(String);

impl Overlay {
    /// The picture of the backend with this over it.
    pub(super) fn over(&self, picture: &str) -> String {
        match picture.rfind("</svg>") {
            Some(end) => format!("{}{}{}", &picture[..end], self.0, &picture[end..]),
            None => picture.to_owned(),
        }
    }

    /// A curve within the frame of a chart, with a mark at each of its points or without.
    pub(super) fn curve(
        &mut self,
        chart: &Chart<'_, '_>,
        points: &[(f64, f64)],
        (look, marked): (Look, bool),
        width: u32,
    ) {
        self.line(chart, points, look, width);
        if marked {
            let inside = points.iter().filter(|point| drawable(**point)).map(|point| place(chart, *point));
            let frame = frame(chart);
            for at in inside.filter(|at| frame.holds(*at)) {
                self.mark(at, look);
            }
        }
    }

    /// A curve within the frame of a chart without its measured points.
    pub(super) fn line(&mut self, chart: &Chart<'_, '_>, points: &[(f64, f64)], look: Look, width: u32) {
        let dashes: Vec<String> = look.dashes().iter().map(|length| (SCALE * length).to_string()).collect();
        self.stroke(chart, points, (look.colour(), &dashes.join(" ")), width);
    }

    /// A line of a colour and of dashes within the frame of a chart.
    pub(super) fn stroke(
        &mut self,
        chart: &Chart<'_, '_>,
        points: &[(f64, f64)],
        (colour, dashes): (RGBColor, &str),
        width: u32,
    ) {
        let colour = hex(colour);
        let dashes =
            if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        self.begin(chart);
        // A point that cannot be drawn parts the curve.
        for piece in points.split(|point| !drawable(*point)).filter(|piece| piece.len() > 1) {
            let places = piece.iter().map(|point| place(chart, *point));
            let places: Vec<String> = places.map(|(x, y)| format!("{x},{y}")).collect();
            self.push(format_args!(
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dashes} \
                 points=\"{}\"/>\n",
                places.join(" ")
            ));
        }
        self.0.push_str("</svg>\n");
    }

    /// A thin grey line within the frame of a chart, with a name at its end.
    pub(super) fn guide(&mut self, chart: &Chart<'_, '_>, ends: [(f64, f64); 2], name: &str) {
        let [(x1, y1), (x2, y2)] = ends.map(|end| place(chart, end));
        self.begin(chart);
        self.push(format_args!(
            "<path d=\"M{x1} {y1}L{x2} {y2}\" stroke=\"#999999\" stroke-width=\"{SCALE}\"/>\n"
        ));
        // Beside the end where other guides are far.
        let (x, y, size) = ((x1 + 3 * x2) / 4 + 6 * SCALE, (y1 + 3 * y2) / 4, 11 * SCALE);
        self.push(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" font-family=\"sans-serif\" fill=\"#777777\">{name}</text>\n"
        ));
        self.0.push_str("</svg>\n");
    }

    /// A sample of a curve for a legend, at this place of an area.
    pub(super) fn sample(
        &mut self,
        area: &Area<'_>,
        (x, y): (i32, i32),
        length: i32,
        look: Look,
        [joined, marked]: [bool; 2],
    ) {
        let (left, top) = area.get_base_pixel();
        let (x, y) = (left + x, top + y);
        let dashes: Vec<String> = look.dashes().iter().map(|length| (SCALE * length).to_string()).collect();
        self.push(format_args!(
            "<path d=\"M{x} {y}h{length}\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\"/>\n",
            hex(look.colour()),
            if joined { 2 * SCALE } else { 0 },
            if dashes.is_empty() { "none".to_owned() } else { dashes.join(" ") }
        ));
        if marked {
            self.mark((x + length / 2, y), look);
        }
    }

    /// Opens a picture in the picture that is cut at the frame of the chart.
    fn begin(&mut self, chart: &Chart<'_, '_>) {
        let Frame { left, top, width, height } = frame(chart);
        self.push(format_args!(
            "<svg x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" viewBox=\"{left} {top} {width} {height}\">\n"
        ));
    }

    fn mark(&mut self, (x, y): (i32, i32), look: Look) {
        let (r, d) = (MARK, 2 * MARK);
        let path = match look.0 % MARKS {
            0 => format!("M{} {y}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z", x - r),
            1 => format!("M{} {}h{d}v{d}h-{d}z", x - r, y - r),
            2 => format!("M{x} {}l{r} {d}h-{d}z", y - r),
            3 => format!("M{x} {}l{r} {r}l-{r} {r}l-{r} -{r}z", y - r),
            4 => format!("M{} {}h{d}l-{r} {d}z", x - r, y - r),
            5 => format!("M{} {}l{d} {d}m-{d} 0l{d} -{d}", x - r, y - r),
            _ => format!("M{} {y}h{d}M{x} {}v{d}", x - r, y - r),
        };
        let colour = hex(look.colour());
        // Each second round of shapes is hollow.
        let fill = if (look.0 / MARKS).is_multiple_of(2) { colour.as_str() } else { "white" };
        self.push(format_args!(
            "<path d=\"{path}\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"{}\"/>\n",
            SCALE + 1
        ));
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a string cannot fail.
        let _ = self.0.write_fmt(text);
    }
}

/// The frame of a chart in pixels.
struct Frame {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
}

impl Frame {
    fn holds(&self, (x, y): (i32, i32)) -> bool {
        (self.left..=self.left + self.width).contains(&x) && (self.top..=self.top + self.height).contains(&y)
    }
}

fn frame(chart: &Chart<'_, '_>) -> Frame {
    let (x, y) = chart.plotting_area().get_pixel_range();
    Frame { left: x.start, top: y.start, width: x.end - x.start, height: y.end - y.start }
}

/// The pixel of a point; one far outside of the frame is brought near, so that pixels can be counted.
fn place(chart: &Chart<'_, '_>, (x, y): (f64, f64)) -> (i32, i32) {
    let (across, up) = (chart.x_range(), chart.y_range());
    let near = |value: f64, range: &std::ops::Range<f64>| {
        let length = range.end - range.start;
        value.clamp(range.start - 100.0 * length, range.end + 100.0 * length)
    };
    chart.backend_coord(&(near(x, &across), near(y, &up)))
}

fn drawable((x, y): (f64, f64)) -> bool {
    x.is_finite() && y.is_finite()
}

pub fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
