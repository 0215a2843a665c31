use super::{Moment, Observer};
use crate::binding::{Near, NearPoints};
use crate::carried::carried;
use crate::error::MeasureError;
use crate::system::{Lagrangian, Periodic, State};
use std::collections::BTreeMap;

/// The most bins.
const MOST_BINS: usize = 1_000_000;

/// The radial distribution functions of points in a periodic cell:
/// the number of pairs at a distance, divided by its expectation for independent uniform points,
///
/// ```text
/// g(r) = Ω n(r) / (s N ω(r)),
/// ```
///
/// with the number n(r) of pairs whose nearest images fall into the bin at r, over all s samples, the
/// volume ω(r) of the shell and Ω of the cell, and the number N of all pairs: of two points of one kind,
/// or of one point of each of two kinds. There is a function for each pair of kinds. Points of one
/// coordinate with one mass are a kind, named after the coordinate; if a coordinate has several masses,
/// `_` and the mass are appended. Each observed moment is a sample; its cost is linear in the number of
/// pairs within reach.
///
/// # Reference
/// M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 2nd ed., Oxford 2017, §8.2.
#[derive(Debug)]
pub struct RadialDistribution {
    functions: Vec<RadialFunction>,
    samples: u64,
}

/// The radial distribution function of two kinds of points.
#[derive(Debug)]
struct RadialFunction {
    kinds: [String; 2],
    near: Near,
    /// The dimension, 2 or 3.
    space: i32,
    reach: f64,
    /// Ω/N.
    volume_of_pair: f64,
    counts: Vec<u64>,
}

/// A bin of a radial distribution function.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct RadialBin {
    /// The least distance in the bin.
    pub lower: f64,
    /// The least distance of the next bin.
    pub upper: f64,
    /// The number of its pairs, over all samples.
    pub count: u64,
    /// g.
    pub g: f64,
}

impl RadialDistribution {
    /// An empty distribution with `bins` bins up to `reach`;
    /// without `reach`, up to the range of the potential's pairs.
    ///
    /// # Errors
    /// The system has no points or no cell, there are no bins or more than a million,
    /// or the distance is not positive or exceeds half of the distance of opposite faces.
    pub fn of<S: Lagrangian + ?Sized>(
        system: &S,
        reach: Option<f64>,
        bins: usize,
    ) -> Result<Self, MeasureError> {
        let (quantity, model) = ("radial_distribution", || system.name().to_owned());
        let periodic = system.periodic().ok_or_else(|| MeasureError::NoCell { quantity, model: model() })?;
        let reach = reach.unwrap_or_else(|| periodic.reach());
        if !(reach > 0.0 && reach.is_finite()) {
            return Err(MeasureError::OutOfRange { quantity, option: "distance", value: reach });
        }
        if !(1..=MOST_BINS).contains(&bins) {
            return Err(MeasureError::Bins { quantity, bins, most: MOST_BINS });
        }
        let kinds = kinds(system, periodic.space());
        let pairs = kinds
            .iter()
            .enumerate()
            .flat_map(|(k, first)| kinds[k..].iter().map(move |second| [first, second]));
        let functions: Result<Vec<_>, _> =
            pairs.map(|pair| RadialFunction::new(pair, periodic, reach, bins)).collect();
        // A single point makes no pair.
        let functions: Vec<_> = functions?.into_iter().filter(|one| one.volume_of_pair.is_finite()).collect();
        if functions.is_empty() {
            return Err(MeasureError::NoPoints { quantity, model: model() });
        }
        Ok(Self { functions, samples: 0 })
    }

    /// Counts the pairs of a state.
    pub fn sample(&mut self, state: &State) {
        self.functions.iter_mut().for_each(|function| function.sample(&state.q));
        self.samples += 1;
    }

    /// The number of samples.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The functions, in the order of the coordinates: the names of the two kinds, which may be equal,
    /// and the bins in the order of distances; g is NaN before the first sample.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = (&[String; 2], Vec<RadialBin>)> {
        self.functions.iter().map(|function| (&function.kinds, function.bins(self.samples)))
    }
}

/// Points of one kind.
struct PointKind {
    name: String,
    /// The first index of each point in q.
    starts: Vec<u32>,
}

/// The kinds of the points with `space` components, in the order of coordinates and masses.
fn kinds<S: Lagrangian + ?Sized>(system: &S, space: usize) -> Vec<PointKind> {
    let mass = system.natural_mass();
    let mass_at =
        |at: usize| mass.and_then(|mass| Some(mass.values[mass.pattern.position(at, at)?])).unwrap_or(0.0);
    let mut kinds = Vec::new();
    let groups = system.layout().coordinates().iter();
    for group in groups.filter(|group| group.is_of_points() && group.kind.components() == space) {
        // Masses are not negative, so their bits sort like them.
        let mut by_mass: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for start in group.starts() {
            by_mass.entry(mass_at(start).to_bits()).or_default().push(start as u32);
        }
        let is_one = by_mass.len() == 1;
        kinds.extend(by_mass.into_iter().map(|(mass, starts)| {
            let name =
                if is_one { group.name.clone() } else { format!("{}_{}", group.name, f64::from_bits(mass)) };
            PointKind { name, starts }
        }));
    }
    kinds
}

impl RadialFunction {
    fn new(
        kinds: [&PointKind; 2],
        periodic: &dyn Periodic,
        reach: f64,
        bins: usize,
    ) -> Result<Self, MeasureError> {
        let [first, second] = kinds;
        let mut points = NearPoints::new("radial_distribution", reach, periodic.space())?;
        let is_one = std::ptr::eq(first, second);
        first.starts.iter().for_each(|start| points.point(*start));
        if !is_one {
            points.then_second_array();
            second.starts.iter().for_each(|start| points.point(*start));
        }
        points.periodic(periodic.cell());
        let [m, n] = kinds.map(|kind| kind.starts.len() as f64);
        let pairs = if is_one { 0.5 * m * (m - 1.0) } else { m * n };
        Ok(Self {
            kinds: kinds.map(|kind| kind.name.clone()),
            near: points.finish()?,
            space: periodic.space() as i32,
            reach,
            volume_of_pair: periodic.volume() / pairs,
            counts: vec![0; bins],
        })
    }

    fn sample(&mut self, q: &[f64]) {
        let Self { near, counts, reach, .. } = self;
        let by_bin = counts.len() as f64 / *reach;
        near.each_pair(q, &mut |squared| {
            // Rounding may bring a pair near the reach into a bin after the last.
            if let Some(count) = counts.get_mut((squared.sqrt() * by_bin) as usize) {
                *count += 1;
            }
        });
    }

    fn bins(&self, samples: u64) -> Vec<RadialBin> {
        let width = self.reach / self.counts.len() as f64;
        // The volume of the unit ball; in the plane, the area of the unit disc.
        let ball = if self.space == 2 { std::f64::consts::PI } else { 4.0 / 3.0 * std::f64::consts::PI };
        let bin = |(k, &count): (usize, &u64)| {
            let (lower, upper) = (k as f64 * width, (k + 1) as f64 * width);
            let shell = ball * (upper.powi(self.space) - lower.powi(self.space));
            let g = count as f64 * self.volume_of_pair / (samples as f64 * shell);
            RadialBin { lower, upper, count, g }
        };
        self.counts.iter().enumerate().map(bin).collect()
    }
}

impl Observer for RadialDistribution {
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.sample(moment.state);
        Ok(())
    }
}

carried!([] RadialFunction { counts } besides { kinds, near, space, reach, volume_of_pair });
carried!([] RadialDistribution { functions, samples } besides {});
