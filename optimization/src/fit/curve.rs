//! The columns of the data beside the motion.

use std::collections::BTreeMap;

use serde::Serialize;

use super::course::Course;
use super::data::Data;
use super::motions::Motions;
use super::piece::{Channel, Piece};

/// The points of a smooth curve for each sample of a column, and their bounds.
const SMOOTH: usize = 4;
const POINTS: [usize; 2] = [300, 3000];

/// A column of data beside the motion.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Curve {
    /// The name of the recording.
    pub data: String,
    /// The column.
    pub column: String,
    /// σ of a sample, given or estimated.
    pub sigma: f64,
    /// The root of the mean square of the differences.
    pub rms: f64,
    /// The times of the samples.
    pub times: Vec<f64>,
    /// The samples.
    pub values: Vec<f64>,
    /// The motion at these times, as the sensor reads it.
    pub motion: Vec<f64>,
    /// (motion − sample)/σ.
    pub residuals: Vec<f64>,
    /// Times close to each other, and the motion there; empty where the fit was stopped.
    pub smooth: [Vec<f64>; 2],
}

/// The times and the values of smooth curves, by recording and column.
pub(super) type Smooth = BTreeMap<(usize, usize), [Vec<f64>; 2]>;

/// The motion at times that lie close to each other: other samples of the same pieces.
pub(super) fn smooth<M: Motions>(course: &mut Course<M>, x: &[f64]) -> Result<Smooth, M::Error> {
    let (coordinates, step) = (course.motions.coordinates(), course.motions.step());
    let (mut pieces, mut all) = (course.pieces.clone(), Smooth::new());
    for recording in 0..course.names.len() {
        let mut own: Vec<_> = pieces.iter_mut().filter(|piece| piece.recording == recording).collect();
        let times = own.iter().flat_map(|piece| &piece.samples).map(|sample| sample.time);
        let (count, end) =
            times.fold((0_usize, f64::NEG_INFINITY), |(count, end), time| (count + 1, end.max(time)));
        let Some(first) = own.first() else { continue };
        let of_column = count.div_ceil(first.channels.len().max(1));
        let (start, points) = (first.start.t, (SMOOTH * of_column).clamp(POINTS[0], POINTS[1]));
        let times = (0..=points).map(|k| start + (end - start) * k as f64 / points as f64);
        let column = |data: Data, channel: &Channel| data.column(&channel.name, vec![0.0; points + 1]);
        let data = first.channels.iter().fold(Data::at(times.collect()), column);
        // The names are known.
        let _ = Piece::fill(&mut own, &data, step, &coordinates);
    }
    let (pieces, loss) = (std::mem::replace(&mut course.pieces, pieces), std::mem::take(&mut course.loss));
    let found = course.run(x, false, 0..pieces.len());
    for ((piece, sample), value) in
        course.samples().zip(found.iter().flatten().flat_map(|ran| &ran.residuals))
    {
        let [times, values] = all.entry((piece.recording, sample.column)).or_default();
        times.push(sample.time);
        values.push(*value);
    }
    (course.pieces, course.loss) = (pieces, loss);
    found.map(|_| all)
}

/// The columns; σ is the one of samples without a given one.
pub(super) fn curves<M>(course: &Course<M>, residuals: &[f64], sigma: f64, mut smooth: Smooth) -> Vec<Curve> {
    let mut curves = BTreeMap::new();
    for ((piece, sample), residual) in course.samples().zip(residuals) {
        let place = (piece.recording, sample.column);
        let curve = curves.entry(place).or_insert_with(|| Curve {
            data: course.names[piece.recording].clone(),
            column: piece.channels[sample.column].name.clone(),
            sigma: sigma / sample.scale,
            smooth: smooth.remove(&place).unwrap_or_default(),
            ..Curve::default()
        });
        let miss = residual / sample.scale;
        curve.times.push(sample.time);
        curve.values.push(sample.value);
        curve.motion.push(sample.value + miss);
        curve.residuals.push(if curve.sigma > 0.0 { miss / curve.sigma } else { 0.0 });
        curve.rms = curve.rms.hypot(miss);
    }
    let mean = |curve: Curve| Curve { rms: curve.rms / (curve.times.len() as f64).sqrt(), ..curve };
    curves.into_values().map(mean).collect()
}
