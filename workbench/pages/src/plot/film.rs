//! The states of a run that a picture needs, in bounded memory however long the run is.

use least_action_core::advanced::carried::{Carried, CarryError, Memory, list};
use least_action_core::system::{Holonomic, Kind, Layout, State};

use super::scene::Scene;
use crate::quantities::Units;

/// The samples kept at most. Of more samples every other one goes, and half as many come from then on.
pub const SAMPLES: usize = 8192;
/// The configurations between the first and the last, fewer than this; they become fewer like samples.
pub const FRAMES: usize = 16;
/// Models with more bodies are drawn as their first and last configuration alone.
const FRAMED_BODIES: usize = 200;
/// The curves and paths drawn at most.
const CURVES: usize = 8;

/// A run as the picture sees it.
#[derive(Debug)]
pub struct Film {
    pub scene: Scene,
    /// The degrees of freedom drawn against time, with their names.
    pub curves: Vec<(usize, String)>,
    pub layout: Layout,
    /// The units that the model states.
    pub units: Units,
    /// The bodies whose path is drawn, with their names.
    pub paths: Vec<(usize, String)>,
    /// The names of the measured quantities.
    pub measured: Vec<String>,
    pub first: State,
    pub last: State,
    /// Time and positions of configurations at equal distances of time, beginning with the first.
    pub frames: Vec<(f64, Vec<f64>)>,
    frame_stride: u64,
    /// The time of each sample.
    pub times: Vec<f64>,
    /// The followed degrees of freedom of each sample, side by side: the curves, then x and y of each
    /// path with their velocities, then the measured values.
    values: Vec<f64>,
    seen: u64,
    stride: u64,
}

impl Film {
    pub fn new(layout: &Layout, constrained: Option<&dyn Holonomic>, start: &State) -> Self {
        let scene = Scene::new(layout, constrained, start);
        let curves = followed(layout).into_iter().map(|index| (index, layout.name_of(index))).collect();
        let paths = spread(scene.bodies.len(), CURVES)
            .map(|body| {
                let name = layout.name_of(scene.bodies[body]);
                (body, name.strip_suffix(".x").unwrap_or(&name).to_owned())
            })
            .collect();
        Self {
            scene,
            curves,
            layout: layout.clone(),
            units: Units::default(),
            paths,
            measured: Vec::new(),
            first: start.clone(),
            last: start.clone(),
            frames: Vec::new(),
            frame_stride: 1,
            times: Vec::new(),
            values: Vec::new(),
            seen: 0,
            stride: 1,
        }
    }

    /// Takes one recorded instant into the picture, with one measured value for each measured name.
    pub fn push(&mut self, state: &State, measured: &[f64]) {
        self.last.clone_from(state);
        if self.seen.is_multiple_of(self.frame_stride)
            && (1..=FRAMED_BODIES).contains(&self.scene.bodies.len())
        {
            self.frames.push((state.t, state.q.clone()));
            if self.frames.len() == FRAMES {
                self.frames = std::mem::take(&mut self.frames).into_iter().step_by(2).collect();
                self.frame_stride *= 2;
            }
        }
        let due = self.seen.is_multiple_of(self.stride);
        self.seen += 1;
        if !due {
            return;
        }
        self.times.push(state.t);
        self.values.extend(self.curves.iter().map(|(index, _)| state.q[*index]));
        for (body, _) in &self.paths {
            let place = self.scene.bodies[*body];
            let rate = |place: usize| state.v.get(place).copied().unwrap_or(f64::NAN);
            self.values.extend([state.q[place], state.q[place + 1], rate(place), rate(place + 1)]);
        }
        self.values.extend_from_slice(measured);
        if self.times.len() == SAMPLES {
            let width = self.width().max(1);
            self.times = self.times.iter().step_by(2).copied().collect();
            self.values = self.values.chunks(width).step_by(2).flatten().copied().collect();
            self.stride *= 2;
        }
    }

    fn width(&self) -> usize {
        self.curves.len() + 4 * self.paths.len() + self.measured.len()
    }

    /// The curve `number` as points (t, q).
    pub fn curve(&self, number: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let width = self.width();
        self.times.iter().enumerate().map(move |(sample, t)| (*t, self.values[sample * width + number]))
    }

    /// The measured quantity `number` as points (t, value).
    pub fn measured(&self, number: usize) -> Vec<(f64, f64)> {
        self.curve(self.curves.len() + 4 * self.paths.len() + number).collect()
    }

    /// The path `number` as points (x, y): its samples, and between them points of the cubic with their
    /// velocities, as many as keep the line within the tolerance. Samples too far apart for a cubic are
    /// joined by lines.
    pub fn path(&self, number: usize, tolerance: f64) -> Vec<(f64, f64)> {
        /// The pieces of a cubic at most.
        const PIECES: f64 = 32.0;
        /// A way of so many tolerances is short beside the picture.
        const SMALL: f64 = 50.0;
        let (width, place) = (self.width(), self.curves.len() + 4 * number);
        let at =
            |sample: usize| -> [f64; 4] { std::array::from_fn(|k| self.values[sample * width + place + k]) };
        let mut points: Vec<(f64, f64)> = Vec::with_capacity(self.times.len());
        for sample in 0..self.times.len() {
            let [x, y, rate_x, rate_y] = at(sample);
            if let Some(before) = sample.checked_sub(1) {
                let ([from_x, from_y, from_rate_x, from_rate_y], passed) =
                    (at(before), self.times[sample] - self.times[before]);
                let bend = |from: f64, to: f64| (to - from).abs() * passed / 8.0;
                let far = bend(from_rate_x, rate_x).max(bend(from_rate_y, rate_y));
                let chord = [x - from_x, y - from_y];
                let off =
                    |rates: [f64; 2]| (rates[0] * passed - chord[0]).hypot(rates[1] * passed - chord[1]);
                let off = off([from_rate_x, from_rate_y]).max(off([rate_x, rate_y]));
                // Samples that are far apart know no way between them: a motion may have turned more
                // than half.
                let is_known = off <= (2.0 * chord[0].hypot(chord[1])).max(SMALL * tolerance);
                // Without velocities there are no pieces.
                let pieces =
                    if is_known { (far / tolerance).sqrt().ceil().clamp(1.0, PIECES) as u32 } else { 1 };
                for k in 1..pieces {
                    let part = f64::from(k) / f64::from(pieces);
                    let between = |ends, rates| hermite(part, ends, rates, passed);
                    points.push((
                        between([from_x, x], [from_rate_x, rate_x]),
                        between([from_y, y], [from_rate_y, rate_y]),
                    ));
                }
            }
            points.push((x, y));
        }
        points
    }
}

/// The cubic with these values and slopes at both ends of an interval.
fn hermite(part: f64, ends: [f64; 2], rates: [f64; 2], passed: f64) -> f64 {
    let rest = 1.0 - part;
    let values = rest * rest * (1.0 + 2.0 * part) * ends[0] + part * part * (3.0 - 2.0 * part) * ends[1];
    values + passed * part * rest * (rest * rates[0] - part * rates[1])
}

/// The degrees of freedom drawn against time: entries evenly spread over the model, each with all its
/// components, of a rotation its third axis.
pub fn followed(layout: &Layout) -> Vec<usize> {
    let entries = layout.coordinates().iter().flat_map(|group| {
        let components = group.kind.components();
        group.starts().map(move |place| match group.kind {
            Kind::Mat3 => (2..components).step_by(3).map(|k| place + k).collect(),
            _ => (place..place + components).collect(),
        })
    });
    let entries: Vec<Vec<usize>> = entries.collect();
    let widest = entries.iter().map(Vec::len).max().unwrap_or(1);
    spread(entries.len(), CURVES / widest).flat_map(|entry| entries[entry].clone()).collect()
}

/// At most `limit` of `count` indices, evenly spread, with the first and the last.
pub fn spread(count: usize, limit: usize) -> impl Iterator<Item = usize> {
    let shown = count.min(limit);
    (0..shown).map(move |k| if shown < 2 { k } else { k * (count - 1) / (shown - 1) })
}

impl Carried for Film {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self {
            scene: _,
            curves: _,
            layout: _,
            units: _,
            paths: _,
            measured: _,
            first: _,
            last,
            frames,
            frame_stride,
            times,
            values,
            seen,
            stride,
        } = self;
        last.carry(memory)?;
        let count = memory.length(frames.len())?;
        frames.resize_with(count, || (0.0, vec![0.0; last.q.len()]));
        frames.carry(memory)?;
        frame_stride.carry(memory)?;
        list(times, memory)?;
        list(values, memory)?;
        seen.carry(memory)?;
        stride.carry(memory)
    }
}
