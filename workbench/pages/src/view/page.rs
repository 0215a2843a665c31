//! The page itself: one file of HTML with its style, its script and its numbers.

use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;

use super::about::About;
use super::code::{Base64, Coder, Counted, MISSING};
use super::drawn::Drawn;
use super::spool::Spool;
use super::strips::{Strip, Strips};
use crate::document::escaped;
use crate::plot::{Axis, Units};

/// The page around style, script and numbers; words in braces are replaced.
const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
/// The script, each part after those that it uses.
const SCRIPT: [&str; 14] = [
    include_str!("page/numbers.js"),
    include_str!("page/theme.js"),
    include_str!("page/camera.js"),
    include_str!("page/axes.js"),
    include_str!("page/sprites.js"),
    include_str!("page/cell.js"),
    include_str!("page/solids.js"),
    include_str!("page/surroundings.js"),
    include_str!("page/picture.js"),
    include_str!("page/strips.js"),
    include_str!("page/player.js"),
    include_str!("page/panel.js"),
    include_str!("page/controls.js"),
    include_str!("page/main.js"),
];

/// The bits of a coordinate, while the page does not become too large; it has at least the last of them.
const BITS: [u32; 4] = [15, 14, 13, 12];
/// The most bytes of positions; as text they are 28 MB.
const BYTES: u64 = 21_000_000;
/// The quanta of a unit of the way of a velocity, which need not be as exact as a place.
const SLOPE: f64 = 4.0;
/// The quanta by which a way may leave its line unseen: an eighth of a pixel where the motion is 1000 pixels wide.
const STRAIGHT: f64 = 4.0;
/// Positions farther out than so many times the middle distance are left out: a motion that has blown up would hide all before.
const FAR: f64 = 30.0;

/// What the script reads before the numbers.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    #[serde(flatten)]
    about: About,
    scene: &'a Drawn,
    strips: Vec<Strip>,
    /// The names of the axes.
    time_axis: Axis,
    length_axis: Axis,
    frames: u64,
    /// The mean time between frames where velocities are told, by which they are ways in units of four quanta.
    interval: Option<f64>,
    /// Where whole numbers are zero, and the length of one.
    centre: [f64; 3],
    quantum: f64,
    /// The half width of all that is shown.
    half: f64,
}

impl<'a> Head<'a> {
    pub(super) fn new(scene: &'a Drawn, strips: Strips, units: &Units, about: About) -> Self {
        let (time_axis, length_axis) = (units.time(), units.length("length"));
        let (centre, quantum, half) = ([0.0; 3], 1.0, 1.0);
        let (strips, frames, interval) = (strips.settled(), 0, None);
        Self { about, scene, strips, time_axis, length_axis, frames, interval, centre, quantum, half }
    }

    /// The same with the velocities of its frames, if these have some.
    pub(super) fn curved_where(self, is_curved: bool) -> Self {
        Self { interval: is_curved.then_some(1.0), ..self }
    }

    /// The places of the positions of a frame among its numbers; its velocities follow.
    fn positions(&self) -> Range<usize> {
        let begin = self.before_positions();
        begin..begin + self.scene.dimension * self.scene.points
    }

    /// The numbers of a frame before its positions: the time, and the values of the strips.
    fn before_positions(&self) -> usize {
        1 + self.strips.iter().map(|strip| strip.curves.len()).sum::<usize>()
    }
}

/// Where the points are in the frames that are kept.
pub(super) struct Extent {
    centre: [f64; 3],
    half: f64,
    /// Positions that are no numbers, and those that are too far out.
    missing: u64,
    far: u64,
}

impl Extent {
    /// Of all frames.
    pub(super) fn of(spool: &mut Spool, head: &Head<'_>) -> io::Result<Self> {
        let (positions, dimension) = (head.positions(), head.scene.dimension);
        let mut boxes: Vec<[[f64; 2]; 3]> = Vec::new();
        spool.for_each(1, &mut |_, frame| {
            let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
            for place in frame[positions.clone()].chunks_exact(dimension) {
                for (bound, x) in bounds.iter_mut().zip(place).filter(|(_, x)| x.is_finite()) {
                    *bound = [bound[0].min(*x), bound[1].max(*x)];
                }
            }
            bounds[dimension..].fill([0.0; 2]);
            if bounds.iter().all(|[low, high]| low <= high) {
                boxes.push(bounds);
            }
            Ok(())
        })?;
        let middle = |mut all: Vec<f64>| {
            let place = all.len() / 2;
            if all.is_empty() { 0.0 } else { *all.select_nth_unstable_by(place, f64::total_cmp).1 }
        };
        let centre: [f64; 3] = std::array::from_fn(|k| {
            middle(boxes.iter().map(|bounds| f64::midpoint(bounds[k][0], bounds[k][1])).collect())
        });
        let size = |bounds: &[[f64; 2]; 3]| {
            let distances =
                bounds.iter().zip(centre).flat_map(|(bound, centre)| bound.map(|x| (x - centre).abs()));
            distances.fold(0.0, f64::max)
        };
        let limit = FAR * middle(boxes.iter().map(size).collect()).max(boxes.first().map_or(0.0, size));
        let near = boxes.iter().filter(|bounds| size(bounds) <= limit);
        let bounds = near.fold([[f64::INFINITY, f64::NEG_INFINITY]; 3], |all, one| {
            std::array::from_fn(|k| [all[k][0].min(one[k][0]), all[k][1].max(one[k][1])])
        });
        let centre: [f64; 3] =
            bounds.map(|[low, high]| if low <= high { f64::midpoint(low, high) } else { 0.0 });
        let half = bounds.iter().map(|[low, high]| 0.5 * (high - low)).fold(0.0, f64::max);
        let mut extent = Self { centre, half: if half > 0.0 { half } else { 1.0 }, missing: 0, far: 0 };
        spool.for_each(1, &mut |_, frame| {
            for place in frame[positions.clone()].chunks_exact(dimension) {
                let distances = place.iter().zip(centre).map(|(x, centre)| (x - centre).abs());
                let distance = distances.fold(0.0, f64::max);
                if !place.iter().all(|x| x.is_finite()) {
                    extent.missing += 1;
                } else if distance > extent.half * (1.0 + 1e-9) {
                    extent.far += 1;
                }
            }
            Ok(())
        })?;
        Ok(extent)
    }

    /// The length of a quantum where a coordinate has so many bits.
    fn quantum(&self, bits: u32) -> f64 {
        2.0 * self.half / f64::from((1_i32 << bits) - 2)
    }

    /// Positions as whole numbers of quanta; where one component is missing, all are.
    fn whole(&self, bits: u32, dimension: usize, positions: &[f64], whole: &mut Vec<i32>) {
        let (quantum, largest) = (self.quantum(bits), (1_i32 << (bits - 1)) - 1);
        whole.clear();
        for place in positions.chunks_exact(dimension) {
            let at = |k: usize| (place[k] - self.centre[k]) / quantum;
            let fits = |k: usize| at(k).abs() <= f64::from(largest) + 0.5;
            let is_there = (0..dimension).all(fits);
            whole.extend(
                (0..dimension).map(|k| {
                    if is_there { (at(k).round() as i32).clamp(-largest, largest) } else { MISSING }
                }),
            );
        }
    }
}

/// How frames are written: every `thin`-th, with so many bits.
#[derive(Clone, Copy)]
struct Grain {
    bits: u32,
    thin: u64,
}

/// Writes the positions of frames.
fn positions<W: Write>(
    out: W,
    (head, extent): (&Head<'_>, &Extent),
    grain: Grain,
    spool: &mut Spool,
) -> io::Result<W> {
    let positions = head.positions();
    let mut coder = Coder::new(out, positions.len());
    let mut whole = Vec::new();
    spool.for_each(grain.thin, &mut |_, frame| {
        extent.whole(grain.bits, head.scene.dimension, &frame[positions.clone()], &mut whole);
        coder.frame(&whole)
    })?;
    coder.finish()
}

/// Writes the velocities of frames, if they are told, as ways in the mean time between frames.
fn velocities<W: Write>(
    out: W,
    (head, extent): (&Head<'_>, &Extent),
    grain: Grain,
    spool: &mut Spool,
) -> io::Result<W> {
    let Some(interval) = head.interval else { return Ok(out) };
    let end = head.positions().end;
    let mut coder = Coder::new(out, head.positions().len());
    let unit = SLOPE * extent.quantum(grain.bits) / interval;
    let whole = |rate: &f64| {
        let way = (rate / unit).round();
        if way.abs() < f64::from(-MISSING) { way as i32 } else { MISSING }
    };
    spool.for_each(grain.thin, &mut |_, frame| {
        coder.frame(&frame[end..].iter().map(whole).collect::<Vec<i32>>())
    })?;
    coder.finish()
}

/// The mean time between frames, if velocities were recorded and the way between two frames is anywhere farther from the line than so long.
fn interval(head: &Head<'_>, (thin, far): (u64, f64), spool: &mut Spool) -> io::Result<Option<f64>> {
    let end = head.positions().end;
    let (mut first, mut last, mut frames) = (None, f64::NAN, 0_u32);
    let (mut before, mut farthest) = (Vec::<f64>::new(), 0.0_f64);
    spool.for_each(thin, &mut |_, frame| {
        let passed = frame[0] - last;
        for (rate, before) in frame[end..].iter().zip(&before) {
            farthest = farthest.max((rate - before).abs() * passed / 8.0);
        }
        frame[end..].clone_into(&mut before);
        first.get_or_insert(frame[0]);
        last = frame[0];
        frames += 1;
        Ok(())
    })?;
    let lasts = last - first.unwrap_or(last);
    Ok((farthest > far && lasts > 0.0).then(|| lasts / f64::from(frames - 1)))
}

/// Writes the page.
pub(super) fn write(
    out: &mut impl Write,
    mut head: Head<'_>,
    extent: &Extent,
    spool: &mut Spool,
) -> io::Result<()> {
    let (mut place, mut thin, mut is_curved) = (0, 1, head.interval.is_some());
    let grain = loop {
        let grain = Grain { bits: BITS[place], thin };
        let far = STRAIGHT * extent.quantum(grain.bits);
        head.interval = if is_curved { interval(&head, (thin, far), spool)? } else { None };
        let written = positions(Counted::default(), (&head, extent), grain, spool)?;
        if velocities(written, (&head, extent), grain, spool)?.0 <= BYTES {
            break grain;
        }
        match () {
            () if place + 1 < BITS.len() => place += 1,
            () if head.interval.is_some() => is_curved = false,
            () => thin *= 2,
        }
    };
    let bits = grain.bits;
    head.centre = extent.centre;
    head.half = extent.half;
    head.quantum = extent.quantum(bits);
    spool.for_each(thin, &mut |_, _| {
        head.frames += 1;
        Ok(())
    })?;
    tell(&mut head, extent, bits, spool.stride(thin), spool.seen());

    let title = escaped(&head.about.title);
    let text = serde_json::to_string(&head).map_err(io::Error::other)?.replace('<', "\\u003c");
    let mut rest = PAGE;
    for mark in
        ["{title}", "{style}", "{head}", "{times}", "{strips}", "{positions}", "{velocities}", "{script}"]
    {
        let Some((before, after)) = rest.split_once(mark) else {
            return Err(io::Error::other(format!("the page has no place for {mark}")));
        };
        out.write_all(before.as_bytes())?;
        rest = after;
        match mark {
            "{title}" => out.write_all(title.as_bytes())?,
            "{style}" => out.write_all(STYLE.as_bytes())?,
            "{head}" => out.write_all(text.as_bytes())?,
            "{script}" => {
                for part in SCRIPT {
                    out.write_all(part.as_bytes())?;
                    out.write_all(b"\n")?;
                }
            }
            "{times}" => {
                let mut base64 = Base64::new(&mut *out);
                spool.for_each(thin, &mut |_, frame| base64.write_all(&frame[0].to_le_bytes()))?;
                base64.finish()?;
            }
            "{strips}" => {
                let firsts: Vec<f64> = head
                    .strips
                    .iter()
                    .flat_map(|strip| &strip.curves)
                    .map(|curve| curve.first.unwrap_or(0.0))
                    .collect();
                let mut base64 = Base64::new(&mut *out);
                spool.for_each(thin, &mut |_, frame| {
                    let values = frame[1..].iter().zip(&firsts);
                    values.into_iter().try_for_each(|(value, first)| {
                        base64.write_all(&((value - first) as f32).to_le_bytes())
                    })
                })?;
                base64.finish()?;
            }
            "{positions}" => {
                positions(Base64::new(&mut *out), (&head, extent), grain, spool)?.finish()?;
            }
            _ => {
                velocities(Base64::new(&mut *out), (&head, extent), grain, spool)?.finish()?;
            }
        }
    }
    out.write_all(rest.as_bytes())
}

/// A power of two as it counts: second, 4th, 32nd.
fn ordinal(number: u64) -> String {
    match number {
        2 => "second".to_owned(),
        _ if number % 10 == 2 && number % 100 != 12 => format!("{number}nd"),
        _ => format!("{number}th"),
    }
}

/// Says how exact the page is, and what it leaves out.
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
