//! The star S2 around the black hole of the Galaxy: mass and distance from its orbit.

use std::f64::consts::{PI, TAU};

use least_action::drive::{Recording, integrate};
use least_action::method::{Composition, Verlet};
use least_action::prelude::*;
use least_action_optimization::fit::{Data, Fit, Fitted, Moving};
use least_action_pages::plot::{Axis, Panel, panels, scattered};

use super::{Claim, Columns, Experiment, Known, Row, Verdict, solve};
use crate::error::Error;

const POSITIONS: &str = include_str!("positions.csv");
const VELOCITIES: &str = include_str!("velocities.csv");
/// The years of the start, of the end, and of the frame.
const BEGIN: f64 = 1992.0;
const END: f64 = 2016.6;
const FRAME: f64 = 2009.0;
const STEP: f64 = 0.005;
/// The length of 1 mas at 1 kpc, km/s · years.
const LENGTH: f64 = 149_597_870.7 / (365.25 * 86_400.0);
/// The product of Newton's constant and 10⁶ solar masses, in the same units.
const ATTRACTION: f64 = 1e6 * TAU * TAU * LENGTH * LENGTH * LENGTH;
/// The mass of the hole by the mass of the star, which moves no hole in the published fit.
const RATIO: f64 = 1e9;

/// A star and a black hole: x to the east and y to the north in mas, z away from us in km/s · years.
#[derive(Clone)]
struct Pair {
    /// The mass of the hole, 10⁶ solar masses.
    mass: f64,
    /// Its distance from us, kpc.
    distance: f64,
}

#[lagrangian(sensitive(mass, distance))]
impl Pair {
    fn lagrangian(&self, star: Vec3, hole: Vec3) -> Scalar {
        let scale = LENGTH * self.distance;
        let one = vec3(scale * star.x, scale * star.y, star.z);
        let other = vec3(scale * hole.x, scale * hole.y, hole.z);
        0.5 * der(one).norm_squared()
            + 0.5 * RATIO * der(other).norm_squared()
            + ATTRACTION * self.mass / (one - other).norm()
    }
}

/// The numbers of each line.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(',').filter_map(|number| number.parse().ok()).collect()).collect()
}

/// The samples of a column, a column of its own for each σ.
fn measured(mut data: Data, name: &str, samples: impl Iterator<Item = [f64; 3]>) -> Data {
    let mut all: Vec<[f64; 3]> = samples.collect();
    all.sort_by(|a, b| a[2].total_cmp(&b[2]));
    for own in all.chunk_by(|a, b| a[2].total_cmp(&b[2]).is_eq()) {
        let [times, values] = [0, 1].map(|k| own.iter().map(|sample| sample[k]).collect());
        data = data.also_at(times).measured(name, own[0][2], values);
    }
    data
}

/// The orbit: the years of a turn, a in arcseconds, e, i, Ω, ω in degrees, and the years from 2000 to
/// the next pericentre.
fn elements(fitted: impl Fn(&str) -> f64) -> [f64; 7] {
    let scale = fitted("distance");
    let parted = |rate: &str, axis: &str| {
        fitted(&format!("{rate}star.{axis}")) - fitted(&format!("{rate}hole.{axis}"))
    };
    // North, east, away; in astronomical units and years.
    let [r, v] = ["", "der."].map(|rate| {
        let depth = parted(rate, "z") / LENGTH;
        Vector3::new(scale * parted(rate, "y"), scale * parted(rate, "x"), depth)
    });
    let attraction = 1e6 * TAU * TAU * fitted("mass");
    let axis = 1.0 / (2.0 / r.norm() - v.norm_squared() / attraction);
    let momentum = r.cross(&v);
    let to_pericentre = v.cross(&momentum) / attraction - r.normalize();
    let eccentricity = to_pericentre.norm();
    let inclination = (momentum.z / momentum.norm()).acos();
    let node = momentum.x.atan2(-momentum.y).rem_euclid(TAU);
    let along = to_pericentre.x * node.cos() + to_pericentre.y * node.sin();
    let pericentre = (to_pericentre.z / inclination.sin()).atan2(along);
    let anomaly = (r.dot(&v) / (attraction * axis).sqrt()).atan2(1.0 - r.norm() / axis);
    let turn = (axis.powi(3) / (1e6 * fitted("mass"))).sqrt();
    let time = BEGIN - turn * (anomaly - eccentricity * anomaly.sin()) / TAU;
    let degrees = 180.0 / PI;
    let year = time - 2000.0 - turn * ((time - 2000.0) / turn).floor();
    [
        turn,
        axis / (1e3 * scale),
        eccentricity,
        degrees * inclination,
        degrees * node,
        degrees * pericentre,
        year,
    ]
}

fn fitted() -> Result<Fitted, Error> {
    let (positions, velocities) = (rows(POSITIONS), rows(VELOCITIES));
    let data = Data::at(Vec::new()).named("S2");
    let data = measured(data, "star.x", positions.iter().map(|row| [row[0], row[1], row[2]]));
    let data = measured(data, "star.y", positions.iter().map(|row| [row[0], row[3], row[4]]));
    let data = measured(data, "der.star.z", velocities.iter().map(|row| [row[0], row[1], row[2]]));
    // Radio sources fix the frame of the positions up to these errors.
    let frame =
        [("hole.x", 0.2), ("hole.y", 0.2), ("der.hole.x", 0.1), ("der.hole.y", 0.1), ("der.hole.z", 5.0)];
    let data = frame
        .into_iter()
        .fold(data.also_at(vec![FRAME]), |data, (name, sigma)| data.measured(name, sigma, vec![0.0]));
    // A first guess to two digits.
    let start = State {
        t: BEGIN,
        q: vec![-5.9, 170.0, -5300.0, 0.0, 0.0, 0.0],
        v: vec![-11.0, 5.2, -450.0, 0.0, 0.0, 0.0],
    };
    let moving = Moving::new(Pair { mass: 4.1, distance: 8.1 }, Composition::of(Verlet, 6), STEP)?;
    let names = ["mass", "distance", "star", "der.star", "hole.x", "hole.y", "der.hole"];
    solve(Fit::of(moving).data(data, start), &names)
}

/// The motion of the fit.
fn run(fitted: impl Fn(&str) -> f64) -> Result<Recording, Error> {
    let pair = Pair { mass: fitted("mass"), distance: fitted("distance") };
    let state = |rate: &str| {
        let places = ["star", "hole"].into_iter().flat_map(|body| ["x", "y", "z"].map(|axis| (body, axis)));
        places.map(|(body, axis)| fitted(&format!("{rate}{body}.{axis}"))).collect()
    };
    let start = State { t: BEGIN, q: state(""), v: state("der.") };
    let method = Composition::of(Verlet, 6);
    Ok(integrate(&pair.bind()?, &method, start, STEP)?.until(END).every(5).record()?)
}

/// The published mass and distance of seventeen stars, and the orbit of S2, with standard errors.
const OF_STARS: [[f64; 2]; 2] = [[4.28, 0.10], [8.32, 0.07]];
const PUBLISHED: [[f64; 2]; 7] = [
    [16.00, 0.02],
    [0.1255, 0.0009],
    [0.8839, 0.0019],
    [134.18, 0.40],
    [226.94, 0.60],
    [65.51, 0.57],
    [2.33, 0.01],
];
/// The same least squares with the orbit by Kepler's equation.
const BY_KEPLER: [f64; 9] = [
    4.106_165_370,
    8.114_827_377,
    16.034_534_001,
    0.125_478_818_719,
    0.884_074_779_645,
    134.188_210_566,
    227.052_256_672,
    65.585_603_773,
    2.333_062_103,
];

pub(super) fn compute() -> Result<Experiment, Error> {
    let found = fitted()?;
    // A number that is not free keeps its place at zero.
    let value = |name: &str| found.value(name).unwrap_or(0.0);
    let estimate = |name: &str| {
        let own = found.estimates.iter().find(|own| own.name == name);
        own.map_or([f64::NAN; 2], |own| [own.value, own.error.unwrap_or(f64::NAN)])
    };
    let orbit = elements(value);
    let numbers = [estimate("mass"), estimate("distance")];
    let values: Vec<f64> = numbers.iter().map(|[value, _]| *value).chain(orbit).collect();
    let within = |[value, error]: [f64; 2]| Known { value, within: 2.0 * error / value };
    let of_stars = OF_STARS.iter().zip(numbers).map(|([value, error], [_, own])| [*value, error.hypot(own)]);
    let published = of_stars.chain(PUBLISHED).map(within).collect();
    let exact = BY_KEPLER.map(|value| Known { value, within: 1e-6 }).to_vec();
    let run = run(value)?;
    let [sky, lines] = [POSITIONS, VELOCITIES].map(rows);
    let states = run.times().zip(run.positions().zip(run.velocities()));
    let moved: Vec<Vec<f64>> = states.map(|(t, (q, v))| vec![t, q[0], q[1], v[2]]).collect();
    let panel = |heading, [along, axis]: [Axis; 2], data: Vec<_>, motion| {
        let data = scattered(data.into_iter());
        Panel::of(heading, along, axis, vec![("data".to_owned(), data), ("motion".to_owned(), motion)])
    };
    let over_years = |axis| [Axis::of("t", "years"), axis];
    let sampled = |rows: &[Vec<f64>], [a, b]: [usize; 2]| -> Vec<_> {
        rows.iter().map(|row| (row[a], row[b])).collect()
    };
    let (sky_heading, in_mas) =
        ("On the sky: x to the east, y to the north", ["x", "y"].map(|name| Axis::of(name, "mas")));
    let (north, away) = (Axis::of("y", "mas"), Axis::of("dz/dt", "km/s"));
    let picture = panels(
        "S2",
        &[
            panel(sky_heading, in_mas, sampled(&sky, [1, 3]), sampled(&moved, [1, 2])),
            panel("To the north", over_years(north), sampled(&sky, [0, 3]), sampled(&moved, [0, 2])),
            panel(
                "Velocity away from us",
                over_years(away),
                sampled(&lines, [0, 1]),
                sampled(&moved, [0, 3]),
            ),
        ],
    )?;
    let [[mass, of_mass], [distance, of_distance]] = numbers;
    let reduced = found.quality.sigma.powi(2);
    Ok(Experiment {
        heading: "The star S2, thirteen numbers from 145 positions and 44 velocities".to_owned(),
        columns: Some(Columns::of(
            "mass, distance and orbit",
            ["M, 10⁶ M☉", "R₀, kpc", "P, years", "a, ″", "e", "i, °", "Ω, °", "ω, °", "T − 2000"],
        )),
        rows: vec![
            Row { name: "here; known as published, to two errors", values: values.clone(), known: published },
            Row { name: "here; known by Kepler's equation", values, known: exact },
        ],
        claims: vec![Claim {
            statement: "The residuals are as large as the errors of the measurements: χ² by the degrees of freedom is near 1.",
            found: format!(
                "{reduced:.4}; M = ({mass:.2} ± {of_mass:.2}) 10⁶ M☉, R₀ = {distance:.2} ± {of_distance:.2} kpc; {} \
                 iterations",
                found.iterations
            ),
            verdict: Verdict::of((reduced - 1.0).abs() < 0.2),
        }],
        picture,
        motion: None,
    })
}
