//! Section 6.1: Kepler's problem reduced to the distance, Figures 8 and 9.

use std::f64::consts::PI;

use least_action::Model;
use least_action::method::force_stepping::{ForceStepping, Vertex};
use least_action::system::{Natural, Start, State};
use least_action_models::{Kepler, KeplerRadial};
use least_action_pages::plot::{Axis, Panel, Units, panels};

use super::{Claim, Experiment, StepLengths, Verdict, density, evenly, fly, near, on_grid, thinned};
use crate::error::Error;
use crate::moving;
use crate::press::Length;

/// The orbit of r(t), with θ integrated in closed form along each parabola.
struct Reduced {
    path: Vec<(f64, f64)>,
    times: Vec<f64>,
    steps: StepLengths,
    crossings: u64,
    energy: f64,
    /// The time and the angle of the last perihelion, and the number of perihelia.
    last: (f64, f64, u32),
}

impl Reduced {
    fn of(method: &ForceStepping, until: f64) -> Result<Self, Error> {
        let model = KeplerRadial::default();
        let (bound, start) = (model.bind()?, model.start());
        let system: &dyn Natural = &bound;
        let mut steps = StepLengths::default();
        let (mut theta, mut path, mut last) = (0.0, Vec::new(), (0.0, 0.0, 0));
        let mut times = Vec::new();
        let (crossings, energy) = fly(system, method, &start, until, 10, |segment| {
            let length = segment.length();
            steps.see(length);
            let [(r, v), (_, v1)] = [segment.from, segment.to].map(|state: &State| (state.q[0], state.v[0]));
            let a = if length > 0.0 { (v1 - v) / length } else { 0.0 };
            let parabola = [r, v, 0.5 * a];
            if v < 0.0 && v1 >= 0.0 {
                let inside = -v / a;
                last = (segment.from.t + inside, theta + model.angle(parabola, inside), last.2 + 1);
            }
            theta += model.angle(parabola, length);
            path.push((segment.to.q[0] * theta.cos(), segment.to.q[0] * theta.sin()));
            times.push(segment.to.t);
        })?;
        Ok(Self { path, times, steps, crossings, energy, last })
    }

    /// The places of the first orbits.
    fn moments(&self) -> Vec<(f64, [f64; 2])> {
        evenly(&self.times, &self.path)
    }

    fn period(&self) -> f64 {
        self.last.0 / f64::from(self.last.2)
    }

    /// The angle by which the perihelion turns in one orbit.
    fn precession(&self) -> f64 {
        self.last.1 / f64::from(self.last.2) - 2.0 * PI
    }
}

pub(super) fn compute(_: Length) -> Result<Experiment, Error> {
    let until = 64.0 * PI;
    let paper = Reduced::of(&on_grid(0.0067), until)?;
    let vertex = Reduced::of(&ForceStepping { vertex: Vertex::Start, ..on_grid(0.0067) }, until)?;
    let claims = vec![
        Claim {
            statement: "The average step is 0.0125.",
            found: format!(
                "{:.6} in {} crossings; known: 0.012413 in 16190",
                paper.steps.mean(),
                paper.crossings
            ),
            verdict: Verdict::of(near(paper.steps.mean(), 0.012_412_73, 0.02)),
        },
        Claim {
            statement: "In the reduced problem both energy and angular momentum are conserved exactly.",
            found: format!(
                "largest change of the energy {:.0e}; the angular momentum is a parameter, and θ(t) its integral in closed form",
                paper.energy
            ),
            verdict: Verdict::of(paper.energy < 1e-12),
        },
        Claim {
            statement: "The orbit is an ellipse that precesses.",
            found: format!(
                "period {:.5} (known: 6.38881), the perihelion turns by {:+.5} an orbit",
                paper.period(),
                paper.precession()
            ),
            verdict: Verdict::of((paper.period() - 6.388_813).abs() < 3e-3),
        },
        Claim {
            statement: "Not in the paper: with a vertex of the grid at the start the error of the period is a hundredth of that.",
            found: format!(
                "period {:.5} (known: 6.28442), the perihelion turns by {:+.5} an orbit",
                vertex.period(),
                vertex.precession()
            ),
            verdict: Verdict::of((vertex.period() - 6.284_42).abs() < 3e-4),
        },
    ];
    let named = |points| vec![("force-stepping".to_owned(), points)];
    let orbit = |heading, run: &Reduced| {
        Panel::of(heading, Axis::number("x"), Axis::number("y"), named(thinned(&run.path, 4000)))
    };
    let (step, share) = (Axis::number("step").logarithmic(), Axis::number("share in a power of ten"));
    let picture = panels(
        "Kepler's problem reduced to the distance, e = 0.85",
        &[
            orbit("Orbit, with the vertex of the paper", &paper),
            orbit("Orbit, with a vertex at the start", &vertex),
            Panel::of("Steps", step, share, named(density(&paper.steps))),
        ],
    )?;
    Ok(Experiment {
        heading: "Figures 8 and 9: the reduced problem, eccentricity 0.85 to t = 64 π, grid 0.0067"
            .to_owned(),
        claims,
        picture,
        motion: moving::through(Kepler::default(), Units::none(), &paper.moments())?,
        ..Experiment::default()
    })
}
