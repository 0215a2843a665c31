//! Sections 4.1 and 4.2: pendulums by the penalty methods and by SHAKE.

use least_action::Model;
use least_action::advanced::wrap::Penalized;
use least_action::drive::Recording;
use least_action::method::{
    Method, Newmark, NewmarkLinearA, NewmarkLinearB, PushForwardNewmark, Reference, Shake, ZhangSkeel,
    ZhangSkeelSimplified,
};
use least_action::system::{Start, State};
use least_action_models::{Chain, DoublePendulum};
use least_action_pages::Error as PageError;
use least_action_pages::plot::{Axis, Panel, Units, panels};

use super::{Claim, Columns, EXACT, Experiment, Known, Rigid, Row, Verdict, differences, energies};
use crate::error::Error;
use crate::moving;

/// The paper's penalty and Newmark parameter.
const OMEGA: f64 = 20.0;
const BETA: f64 = 0.4;

pub(super) fn double_pendulum() -> Result<Experiment, Error> {
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
    let rows = rows.into_iter().chain(runs.others(
        &times,
        &[
            [
                0.002_227_352_698_265_933,
                0.003_249_314_984_501_067,
                0.016_375_352_286_675_25,
                0.012_809_551_418_588_86,
            ],
            [
                0.003_039_061_477_531_302,
                0.002_493_414_135_273_791_5,
                0.015_475_321_237_438_888,
                0.011_470_051_577_579_299,
            ],
            [
                0.003_748_375_434_967_421_4,
                0.007_591_461_030_729_801,
                0.024_788_083_322_758_614,
                0.025_448_507_665_466_358,
            ],
            [0.007_251_636_572_179_532, 0.365_616_873_106_514_03, 1.992_533_255_927_150_5, f64::NAN],
            [
                0.004_804_790_249_605_645,
                0.007_207_178_677_439_724,
                0.034_072_667_482_179_464,
                0.027_669_659_315_348_04,
            ],
        ],
    ));
    let rows: Vec<Row> = rows.collect();
    let (low, high) = energies(&runs.zhang_skeel);
    let bounded = Claim {
        statement: "The energy of Zhang–Skeel stays near its initial value −3 for all 500 steps.",
        found: format!("between {low:.4} and {high:.4}; known: −3.001 and −2.973"),
        verdict: Verdict::of((low + 3.001).abs() < 1e-3 && (high + 2.973).abs() < 1e-3),
    };
    Ok(Experiment {
        heading: "Section 4.1: double pendulum, h = 0.1, 500 steps".to_owned(),
        picture: runs.picture("Double pendulum, h = 0.1", 20.0, &[(2, "lower.x"), (3, "lower.y")])?,
        motion: moving::through_recording(model, Units::none(), &runs.zhang_skeel, 30.0)?,
        claims: vec![order_of_errors(&rows), bounded, useless(&rows)],
        columns: Some(Columns::errors_at(&times)),
        rows,
    })
}

pub(super) fn chain() -> Result<Experiment, Error> {
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
    let rows = rows.into_iter().chain(runs.others(
        &times,
        &[
            [0.000_422_470_172_994_238_17, 0.001_878_460_540_439_164, 0.007_484_067_197_971_456],
            [0.000_409_158_642_941_775_95, 0.001_869_040_897_609_863_8, 0.007_466_890_457_660_84],
            [0.000_409_217_040_342_468_86, 0.001_869_475_719_829_983_5, 0.007_468_519_317_985_311_5],
            [0.000_420_960_093_480_360_34, 0.001_879_134_943_532_534_4, 0.007_495_109_266_308_475],
            [0.000_422_291_582_488_298_9, 0.001_878_360_686_738_744_8, 0.007_485_466_098_202_664],
        ],
    ));
    let rows: Vec<Row> = rows.collect();
    Ok(Experiment {
        heading: "Section 4.2: chain of 10 links, h = 0.05, 40 steps".to_owned(),
        picture: runs.picture("Chain of ten links, h = 0.05", 2.0, &[(18, "bobs[9].x"), (0, "bobs[0].x")])?,
        motion: moving::through_recording(model, Units::none(), &runs.zhang_skeel, 2.0)?,
        claims: vec![order_of_errors(&rows)],
        columns: Some(Columns::errors_at(&times)),
        rows,
    })
}

/// One Newton iteration is not enough.
fn useless(rows: &[Row]) -> Claim {
    let [zhang_skeel, newmark, linear] = [1, 4, 7].map(|row| rows[row].values[2]);
    Claim {
        statement: "Zhang–Skeel is about as accurate as Newmark solved to convergence, and linearly implicit Newmark is useless.",
        found: format!(
            "errors at t = 5: Zhang–Skeel {zhang_skeel:.1e}, Newmark {newmark:.1e}, linearly implicit Newmark from the old \
             positions {linear:.1e}, before it breaks down; from the predictor it is about as good as the others"
        ),
        verdict: Verdict::of(zhang_skeel < 2.0 * newmark && newmark < 2.0 * zhang_skeel && linear > 1.0),
    }
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

/// One motion by four methods, observed together.
struct Runs {
    step: f64,
    constrained: Recording,
    penalized: Recording,
    zhang_skeel: Recording,
    shake: Recording,
    /// Other methods on the penalized system, by name; shorter where one failed.
    others: Vec<(&'static str, Recording)>,
}

impl Runs {
    fn of(system: &dyn Rigid, start: &State, step: f64, until: f64) -> Result<Self, Error> {
        let penalized = Penalized::new(system, OMEGA)?;
        Ok(Self {
            step,
            constrained: super::run(system, &Reference::default(), start, step, until, 1)?,
            penalized: super::run(&penalized, &Reference::default(), start, step, until, 1)?,
            zhang_skeel: super::run(&penalized, &ZhangSkeel { beta: BETA }, start, step, until, 1)?,
            shake: super::run(system, &Shake::default(), start, step, until, 1)?,
            others: vec![
                (
                    "Newmark against penalized motion",
                    as_far(&penalized, &Newmark { beta: BETA, ..Newmark::default() }, start, step, until)?,
                ),
                (
                    "push-forward Newmark",
                    as_far(
                        &penalized,
                        &PushForwardNewmark { beta: BETA, ..PushForwardNewmark::default() },
                        start,
                        step,
                        until,
                    )?,
                ),
                (
                    "Zhang–Skeel simplified",
                    as_far(&penalized, &ZhangSkeelSimplified { beta: BETA }, start, step, until)?,
                ),
                (
                    "linearly implicit Newmark, from old positions",
                    as_far(&penalized, &NewmarkLinearA { beta: BETA }, start, step, until)?,
                ),
                (
                    "linearly implicit Newmark, from the predictor",
                    as_far(&penalized, &NewmarkLinearB { beta: BETA }, start, step, until)?,
                ),
            ],
        })
    }

    /// The largest difference of a coordinate at each time.
    fn row(&self, name: &'static str, run: &Recording, accurate: &Recording, times: &[f64]) -> Row {
        let all = differences(run, accurate);
        let at = |t: &f64| all.get((t / self.step).round() as usize).map_or(f64::NAN, |(_, error)| *error);
        Row { name, values: times.iter().map(at).collect(), known: Vec::new() }
    }

    /// The errors of the other methods against the penalized motion.
    fn others<'r, const N: usize>(
        &'r self,
        times: &'r [f64],
        known: &'r [[f64; N]; 5],
    ) -> impl Iterator<Item = Row> + 'r {
        self.others.iter().zip(known).map(move |((name, run), known)| {
            let known = known.map(|value| Known { value, within: EXACT }).to_vec();
            self.row(name, run, &self.penalized, times).knowing(known)
        })
    }

    fn picture(&self, title: &str, until: f64, shown: &[(usize, &'static str)]) -> Result<String, PageError> {
        let before =
            |points: Vec<(f64, f64)>| points.into_iter().filter(|(t, _)| *t <= until).collect::<Vec<_>>();
        let named =
            [("constrained", &self.constrained), ("Zhang–Skeel", &self.zhang_skeel), ("SHAKE", &self.shake)];
        let mut all: Vec<Panel> = shown
            .iter()
            .map(|&(index, name)| {
                Panel::of(
                    &format!("{name} against time"),
                    Axis::number("t"),
                    Axis::number(name),
                    named
                        .iter()
                        .map(|(label, run)| {
                            let values = run.times().zip(run.positions().map(|q| q[index])).collect();
                            ((*label).to_owned(), before(values))
                        })
                        .collect(),
                )
            })
            .collect();
        let logarithms = |run: &Recording| {
            let errors = differences(run, &self.constrained).into_iter().filter(|(_, error)| *error > 0.0);
            before(errors.map(|(t, error)| (t, error.log10())).collect())
        };
        all.push(Panel::of(
            "Error against the constrained motion",
            Axis::number("t"),
            Axis::number("max |q − q̂|").logarithmic(),
            vec![
                ("penalty".to_owned(), logarithms(&self.penalized)),
                ("Zhang–Skeel".to_owned(), logarithms(&self.zhang_skeel)),
                ("SHAKE".to_owned(), logarithms(&self.shake)),
            ],
        ));
        panels(title, &all)
    }
}

/// Runs a method that may fail on the way, and keeps its results so far.
fn as_far<S, M>(system: &S, method: &M, start: &State, step: f64, until: f64) -> Result<Recording, Error>
where
    S: least_action::system::Lagrangian + ?Sized,
    M: Method<S>,
{
    let run = least_action::drive::integrate(system, method, start.clone(), step)?;
    let run = run.until(until).measure(least_action::drive::Energy::of(system));
    Ok(run.record().unwrap_or_else(|interrupted| interrupted.recording))
}
