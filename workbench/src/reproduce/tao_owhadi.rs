//! M. Tao and H. Owhadi, *Variational and linearly-implicit integrators, with applications*, IMA J. Numer. Anal. (2014):
//! the double pendulum of section 4.1 and the chain of section 4.2.
//!
//! The paper shows these as pictures. The known numbers beside ours were computed by an independent implementation of the
//! methods and, for the accurate solutions, in other coordinates.

use integrator_core::drive::{Energy, Recording, RunError, integrate};
use integrator_core::method::{Method, Reference, Shake, ZhangSkeel};
use integrator_core::system::{Lagrangian, Start, State};
use integrator_core::wrap::Penalized;
use integrator_core::{Bound, Model};
use models::{Chain, DoublePendulum};

use super::experiment::{Claim, Experiment, Known, Report, Row, Verdict};
use crate::error::Error;
use crate::plot::{Panel, panels};

/// The paper's penalty and Newmark parameter.
const OMEGA: f64 = 20.0;
const BETA: f64 = 0.4;

/// Known to four digits and more.
const EXACT: f64 = 0.01;

pub(super) fn compute() -> Result<Report, Error> {
    Ok(Report {
        remarks: vec![
            "The potential is V = +Σ m g y, gravity pointing down. The paper prints V = −Σ y; with that sign the printed start \
             is an inverted pendulum, the motion is chaotic, and the statements below do not hold for any method.",
            "Penalty ω = 20 and β = 0.4, as in the paper. Errors are the largest of all coordinates, against solutions of \
             order 8 accurate to about 1e-12.",
            "The paper gives pictures. The known numbers are those of an independent implementation.",
        ],
        experiments: vec![double_pendulum()?, chain()?],
    })
}

fn double_pendulum() -> Result<Experiment, Error> {
    let model = DoublePendulum::default();
    let runs = Runs::of(&model.bind()?, &model.start(), 0.1, 50.0)?;
    let times = vec![1.0, 2.0, 5.0, 10.0];
    let exact = |values: [f64; 4]| values.map(|value| Known { value, within: EXACT }).to_vec();
    let digits =
        |values: [(f64, f64); 4]| values.map(|(value, half)| Known { value, within: half / value }).to_vec();
    let rows =
        vec![
            runs.row("penalized against constrained motion", &runs.penalized, &runs.constrained, &times)
                .knowing(exact([
                    0.001_030_654_076_623_172,
                    0.001_727_708_329_076_538_3,
                    0.005_040_425_028_177_92,
                    0.003_224_337_999_082_616,
                ])),
            runs.row("Zhang–Skeel against penalized motion", &runs.zhang_skeel, &runs.penalized, &times)
                .knowing(exact([
                    0.002_851_845_051_121_238,
                    0.002_367_646_379_633_076,
                    0.015_365_399_531_997_614,
                    0.010_999_265_673_438_896,
                ])),
            runs.row("Zhang–Skeel against constrained motion", &runs.zhang_skeel, &runs.constrained, &times)
                .knowing(exact([
                    0.003_689_103_181_879_982_4,
                    0.002_846_303_958_569_524,
                    0.020_405_824_560_175_534,
                    0.014_223_603_672_521_512,
                ])),
            runs.row("SHAKE against constrained motion", &runs.shake, &runs.constrained, &times)
                .knowing(digits([(5e-4, 5e-5), (8e-4, 5e-5), (4.6e-3, 5e-5), (3.1e-3, 5e-5)])),
        ];
    let energies = runs.zhang_skeel.column("energy").unwrap_or_default();
    let (low, high) =
        energies.iter().fold((f64::MAX, f64::MIN), |(low, high), e| (low.min(*e), high.max(*e)));
    let bounded = Claim {
        statement: "The energy of Zhang–Skeel stays near its initial value −3 for all 500 steps.",
        found: format!("between {low:.4} and {high:.4}; known: −3.001 and −2.973"),
        verdict: Verdict::of((low + 3.001).abs() < 1e-3 && (high + 2.973).abs() < 1e-3),
    };
    Ok(Experiment {
        heading: "Section 4.1: double pendulum, h = 0.1, 500 steps".to_owned(),
        picture: runs.picture("Double pendulum, h = 0.1", 20.0, &[(2, "lower.x"), (3, "lower.y")])?,
        claims: vec![order_of_errors(&rows), bounded],
        times,
        rows,
    })
}

fn chain() -> Result<Experiment, Error> {
    let model = Chain::default();
    let runs = Runs::of(&model.bind()?, &model.start(), 0.05, 2.0)?;
    let times = vec![0.5, 1.0, 2.0];
    let exact = |values: [f64; 3]| values.map(|value| Known { value, within: EXACT }).to_vec();
    let rows = vec![
        runs.row("penalized against constrained motion", &runs.penalized, &runs.constrained, &times).knowing(
            exact([0.000_692_711_457_018_213_6, 0.002_056_604_169_599_296_5, 0.008_013_146_727_918_752]),
        ),
        runs.row("Zhang–Skeel against penalized motion", &runs.zhang_skeel, &runs.penalized, &times).knowing(
            exact([0.000_409_131_790_028_993_7, 0.001_868_989_151_738_276_2, 0.007_466_533_387_123_775]),
        ),
        runs.row("Zhang–Skeel against constrained motion", &runs.zhang_skeel, &runs.constrained, &times)
            .knowing(exact([
                0.001_045_364_793_245_129_3,
                0.002_590_251_115_764_386,
                0.003_356_342_940_068_701_7,
            ])),
        runs.row("SHAKE against constrained motion", &runs.shake, &runs.constrained, &times),
    ];
    Ok(Experiment {
        heading: "Section 4.2: chain of 10 links, h = 0.05, 40 steps".to_owned(),
        picture: runs.picture("Chain of ten links, h = 0.05", 2.0, &[(18, "bobs[9].x"), (0, "bobs[0].x")])?,
        claims: vec![order_of_errors(&rows)],
        times,
        rows,
    })
}

/// The paper's conclusion from its first figure.
fn order_of_errors(rows: &[Row]) -> Claim {
    let largest = |row: usize| rows[row].values.iter().copied().fold(0.0, f64::max);
    let (penalty, zhang_skeel, shake) = (largest(0), largest(2), largest(3));
    Claim {
        statement: "Zhang–Skeel follows the constrained motion; its error is that of the penalty and of the step, and SHAKE's is smaller.",
        found: format!(
            "largest errors: penalty {penalty:.1e}, Zhang–Skeel {zhang_skeel:.1e}, SHAKE {shake:.1e}"
        ),
        verdict: Verdict::of(shake < zhang_skeel && zhang_skeel < 10.0 * penalty),
    }
}

/// The same motion four times, observed at the same times.
struct Runs {
    step: f64,
    constrained: Recording,
    penalized: Recording,
    zhang_skeel: Recording,
    shake: Recording,
}

impl Runs {
    fn of<M>(system: &Bound<M>, start: &State, step: f64, until: f64) -> Result<Self, Error>
    where
        M: Model,
        Bound<M>: integrator_core::system::Constrained,
    {
        let penalized = Penalized::new(system, OMEGA)?;
        Ok(Self {
            step,
            constrained: run(system, &Reference::default(), start, step, until)?,
            penalized: run(&penalized, &Reference::default(), start, step, until)?,
            zhang_skeel: run(&penalized, &ZhangSkeel { beta: BETA }, start, step, until)?,
            shake: run(system, &Shake::default(), start, step, until)?,
        })
    }

    /// The largest difference of a coordinate at each time.
    fn row(&self, name: &'static str, run: &Recording, accurate: &Recording, times: &[f64]) -> Row {
        let all = differences(run, accurate);
        let at = |t: &f64| all.get((t / self.step).round() as usize).map_or(f64::NAN, |(_, error)| *error);
        Row { name, values: times.iter().map(at).collect(), known: Vec::new() }
    }

    fn picture(&self, title: &str, until: f64, shown: &[(usize, &str)]) -> Result<String, Error> {
        let before =
            |points: Vec<(f64, f64)>| points.into_iter().filter(|(t, _)| *t <= until).collect::<Vec<_>>();
        let named =
            [("constrained", &self.constrained), ("Zhang–Skeel", &self.zhang_skeel), ("SHAKE", &self.shake)];
        let mut all: Vec<Panel> = shown
            .iter()
            .map(|&(index, name)| Panel {
                heading: format!("{name} against time"),
                axis: name.to_owned(),
                curves: named
                    .iter()
                    .map(|(label, run)| {
                        let values = run.times().zip(run.positions().map(|q| q[index])).collect();
                        ((*label).to_owned(), before(values))
                    })
                    .collect(),
            })
            .collect();
        let logarithms = |run: &Recording| {
            let errors = differences(run, &self.constrained).into_iter().filter(|(_, error)| *error > 0.0);
            before(errors.map(|(t, error)| (t, error.log10())).collect())
        };
        all.push(Panel {
            heading: "Error against the constrained motion".to_owned(),
            axis: "log₁₀ max |q − q̂|".to_owned(),
            curves: vec![
                ("penalty".to_owned(), logarithms(&self.penalized)),
                ("Zhang–Skeel".to_owned(), logarithms(&self.zhang_skeel)),
                ("SHAKE".to_owned(), logarithms(&self.shake)),
            ],
        });
        panels(title, &all)
    }
}

impl Row {
    fn knowing(self, known: Vec<Known>) -> Self {
        Self { known, ..self }
    }
}

fn run<S, M>(system: &S, method: &M, start: &State, step: f64, until: f64) -> Result<Recording, Error>
where
    S: Lagrangian,
    M: Method<S>,
{
    let run = integrate(system, method, start.clone(), step)?.until(until).measure(Energy::of(system));
    run.record().map_err(|interrupted| match interrupted.error {
        RunError::Step { source, .. } => Error::Step(source),
        other => Error::Plan(other),
    })
}

/// The largest difference of a coordinate, at each moment of two runs observed at the same times.
fn differences(a: &Recording, b: &Recording) -> Vec<(f64, f64)> {
    let largest = |(p, q): (&[f64], &[f64])| p.iter().zip(q).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max);
    a.times().zip(a.positions().zip(b.positions()).map(largest)).collect()
}
