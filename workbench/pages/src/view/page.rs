//! The page itself: one file of HTML with its style, its script and its numbers.

use std::io::{self, Write};

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::about::About;
use super::drawn::Drawn;
use super::grain::{Extent, Grain, Points};
use super::spool::Spool;
use super::strips::{Strip, Strips};
use crate::document::{Section, escaped, fill};
use crate::plot::{Axis, Units};

/// The page around style, script and numbers; words in braces are replaced.
const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
/// The parts of the script that draw and listen, each after the parts that it uses.
pub(crate) const DRAWING: [&str; 13] = [
    include_str!("page/numbers.js"),
    include_str!("page/theme.js"),
    include_str!("page/camera.js"),
    include_str!("page/axes.js"),
    include_str!("page/sprites.js"),
    include_str!("page/cell.js"),
    include_str!("page/solids.js"),
    include_str!("page/surroundings.js"),
    include_str!("page/colouring.js"),
    include_str!("page/picture.js"),
    include_str!("page/strips.js"),
    include_str!("page/player.js"),
    include_str!("page/controls.js"),
];
/// The parts behind them, of a motion that was recorded.
const RECORDED: [&str; 3] =
    [include_str!("page/panel.js"), include_str!("page/save.js"), include_str!("page/main.js")];

/// The bits of a coordinate, while the page does not become too large; it has at least the last of them.
const BITS: [u32; 4] = [15, 14, 13, 12];
/// The most bytes of positions; as text they are 28 MB.
const BYTES: usize = 21_000_000;

/// The record that the script reads before the numbers.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    #[serde(flatten)]
    about: About,
    scene: &'a Drawn,
    strips: Vec<Strip>,
    /// The names of the axes.
    time_axis: Axis,
    length_axis: Axis,
    energy_axis: Axis,
    frames: u64,
    /// The mean time between frames where velocities are told, by which they are ways in units of four
    /// quanta.
    interval: Option<f64>,
    /// Where whole numbers are zero, and the length of one.
    centre: [f64; 3],
    quantum: f64,
    /// The half width of all that is shown.
    half: f64,
}

impl<'a> Head<'a> {
    /// The record of a page whose frames are not counted yet.
    pub(super) fn new(scene: &'a Drawn, strips: Strips, units: &Units, mut about: About) -> Self {
        let mut rows = Vec::new();
        let strips = strips.settled(&mut rows);
        match about.sections.iter_mut().find(|section| section.heading == "Result") {
            Some(result) => result.rows.append(&mut rows),
            None => about.sections.push(Section { heading: "Constraints".to_owned(), rows }),
        }
        Self {
            about,
            scene,
            strips,
            time_axis: units.time(),
            length_axis: units.length("length"),
            energy_axis: units.energy("kinetic energy"),
            frames: 0,
            interval: None,
            centre: [0.0; 3],
            quantum: 1.0,
            half: 1.0,
        }
    }

    /// Where a frame has the numbers of its points.
    pub(super) fn points(&self) -> Points {
        let begin = self.before_positions();
        let Drawn { dimension, points, .. } = *self.scene;
        Points { positions: begin..begin + dimension * points, dimension }
    }

    /// The numbers of a frame before its positions: the time, and the values of the strips.
    fn before_positions(&self) -> usize {
        1 + self.strips.iter().map(|strip| strip.curves.len()).sum::<usize>()
    }
}

/// Writes the page, with the velocities of its frames if these have some.
pub(super) fn write(
    out: &mut impl Write,
    mut head: Head<'_>,
    extent: &Extent,
    (spool, mut is_curved): (&mut Spool, bool),
) -> io::Result<()> {
    let points = head.points();
    let (mut place, mut thin) = (0, 1);
    let (grain, positions, velocities) = loop {
        let mut grain = Grain { bits: BITS[place], thin, interval: None };
        if is_curved {
            grain.interval = points.interval(grain, extent, spool)?;
        }
        let positions = points.places(extent, grain, spool)?;
        let velocities = points.velocities(extent, grain, spool)?;
        if positions.len() + velocities.len() <= BYTES {
            break (grain, positions, velocities);
        }
        match () {
            () if place + 1 < BITS.len() => place += 1,
            () if grain.interval.is_some() => is_curved = false,
            () => thin *= 2,
        }
    };
    let bits = grain.bits;
    head.interval = grain.interval;
    (head.centre, head.half) = (extent.centre, extent.half);
    head.quantum = extent.quantum(bits);
    let curves = head.strips.iter().flat_map(|strip| &strip.curves);
    let firsts: Vec<f64> = curves.map(|curve| curve.first.unwrap_or(0.0)).collect();
    let (mut times, mut values) = (Vec::new(), Vec::new());
    spool.for_each(thin, &mut |_, frame| {
        head.frames += 1;
        times.extend(frame[0].to_le_bytes());
        let changes = frame[1..].iter().zip(&firsts).map(|(value, first)| (value - first) as f32);
        values.extend(changes.flat_map(f32::to_le_bytes));
        Ok(())
    })?;
    tell(&mut head, extent, bits, spool.stride(thin), spool.seen());

    let title = escaped(&head.about.title);
    let text = serde_json::to_string(&head).map_err(io::Error::other)?.replace('<', "\\u003c");
    fill(
        out,
        PAGE,
        &[
            ("{title}", &title),
            ("{style}", &STYLE),
            ("{head}", &text),
            ("{times}", &Base64Display::new(&times, &STANDARD)),
            ("{strips}", &Base64Display::new(&values, &STANDARD)),
            ("{positions}", &Base64Display::new(&positions, &STANDARD)),
            ("{velocities}", &Base64Display::new(&velocities, &STANDARD)),
            ("{script}", &[&DRAWING[..], &RECORDED].concat().join("\n")),
        ],
    )
}

/// A power of two as it counts: second, 4th, 32nd.
fn ordinal(number: u64) -> String {
    match number {
        2 => "second".to_owned(),
        _ if number % 10 == 2 && number % 100 != 12 => format!("{number}nd"),
        _ => format!("{number}th"),
    }
}

/// States the error of positions and the frames and positions that are missing.
fn tell(head: &mut Head<'_>, extent: &Extent, bits: u32, stride: u64, seen: u64) {
    let frames = head.frames;
    let kept = match stride {
        1 => format!("{frames} frames, all that were recorded"),
        _ => format!(
            "{frames} frames, every {} of the {seen} that were recorded and the last",
            ordinal(stride)
        ),
    };
    let notes = &mut head.about.notes;
    notes.push(format!("The page has {kept}."));
    if head.scene.points > 0 {
        let error = 0.5 * extent.quantum(bits);
        let part = (f64::from((1_i32 << bits) - 2) / 500.0).round();
        notes.push(format!(
            "Positions are off by {error:.1e} at most, 1/{part} of a pixel where the motion is 1000 pixels wide."
        ));
    } else if !head.strips.iter().any(Strip::is_coordinate) {
        notes.push(
            "There is nothing to draw: it has neither points nor coordinates that are numbers or angles."
                .to_owned(),
        );
    }
    let several = |count: u64, what: &str| format!("{count} positions {what}, and are not drawn.");
    if extent.missing > 0 {
        notes.push(several(extent.missing, "are no numbers"));
    }
    if extent.far > 0 {
        notes.push(several(extent.far, "are far outside of the motion before"));
    }
}
