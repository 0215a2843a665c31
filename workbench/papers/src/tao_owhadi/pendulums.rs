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

/// The known errors of the double pendulum, in the order of [`Runs::rows`].
const OF_DOUBLE_PENDULUM: [[f64; 4]; 8] = [
    [1.030_654_076_623_172e-3, 1.727_708_329_076_538_3e-3, 5.040_425_028_177_92e-3, 3.224_337_999_082_616e-3],
    [
        2.851_845_051_121_238e-3,
        2.367_646_379_633_076e-3,
        1.536_539_953_199_761_4e-2,
        1.099_926_567_343_889_6e-2,
    ],
    [
        3.689_103_181_879_982_4e-3,
        2.846_303_958_569_524e-3,
        2.040_582_456_017_553_4e-2,
        1.422_360_367_252_151_2e-2,
    ],
    [2.227_352_698_265_933e-3, 3.249_314_984_501_067e-3, 1.637_535_228_667_525e-2, 1.280_955_141_858_886e-2],
    [
        3.039_061_477_531_302e-3,
        2.493_414_135_273_791_5e-3,
        1.547_532_123_743_888_8e-2,
        1.147_005_157_757_929_9e-2,
    ],
    [
        3.748_375_434_967_421_4e-3,
        7.591_461_030_729_801e-3,
        2.478_808_332_275_861_4e-2,
        2.544_850_766_546_635_8e-2,
    ],
    [7.251_636_572_179_532e-3, 0.365_616_873_106_514_03, 1.992_533_255_927_150_5, f64::NAN],
    [
        4.804_790_249_605_645e-3,
        7.207_178_677_439_724e-3,
        3.407_266_748_217_946_4e-2,
        2.766_965_931_534_804e-2,
    ],
];
/// The known errors of the chain.
const OF_CHAIN: [[f64; 3]; 8] = [
    [6.927_114_570_182_136e-4, 2.056_604_169_599_296_5e-3, 8.013_146_727_918_752e-3],
    [4.091_317_900_289_937e-4, 1.868_989_151_738_276_2e-3, 7.466_533_387_123_775e-3],
    [1.045_364_793_245_129_3e-3, 2.590_251_115_764_386e-3, 3.356_342_940_068_701_7e-3],
    [4.224_701_729_942_381_7e-4, 1.878_460_540_439_164e-3, 7.484_067_197_971_456e-3],
    [4.091_586_429_417_759_5e-4, 1.869_040_897_609_863_8e-3, 7.466_890_457_660_84e-3],
    [4.092_170_403_424_688_6e-4, 1.869_475_719_829_983_5e-3, 7.468_519_317_985_311_5e-3],
    [4.209_600_934_803_603_4e-4, 1.879_134_943_532_534_4e-3, 7.495_109_266_308_475e-3],
    [4.222_915_824_882_989e-4, 1.878_360_686_738_744_8e-3, 7.485_466_098_202_664e-3],
];

pub(super) fn double_pendulum() -> Result<Experiment, Error> {
    let model = DoublePendulum::default();
    let runs = Runs::of(&model.bind()?, &model.start(), 0.1, 50.0)?;
    let times = vec![1.0, 2.0, 5.0, 10.0];
    let of_shake = [(5e-4, 5e-5), (8e-4, 5e-5), (4.6e-3, 5e-5), (3.1e-3, 5e-5)];
    let of_shake = of_shake.map(|(value, half)| Known { value, within: half / value }).to_vec();
    let rows = runs.rows(&times, &OF_DOUBLE_PENDULUM, of_shake);
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
    let rows = runs.rows(&times, &OF_CHAIN, Vec::new());
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
        let (penalized, times) = (Penalized::new(system, OMEGA)?, (step, until));
        let newmark = Newmark { beta: BETA, ..Newmark::default() };
        let pushed = PushForwardNewmark { beta: BETA, ..PushForwardNewmark::default() };
        Ok(Self {
            step,
            constrained: super::run(system, &Reference::default(), start, step, until, 1)?,
            penalized: super::run(&penalized, &Reference::default(), start, step, until, 1)?,
            zhang_skeel: super::run(&penalized, &ZhangSkeel { beta: BETA }, start, step, until, 1)?,
            shake: super::run(system, &Shake::default(), start, step, until, 1)?,
            others: vec![
                ("Newmark against penalized motion", as_far(&penalized, &newmark, start, times)?),
                ("push-forward Newmark", as_far(&penalized, &pushed, start, times)?),
                (
                    "Zhang–Skeel simplified",
                    as_far(&penalized, &ZhangSkeelSimplified { beta: BETA }, start, times)?,
                ),
                (
                    "linearly implicit Newmark, from old positions",
                    as_far(&penalized, &NewmarkLinearA { beta: BETA }, start, times)?,
                ),
                (
                    "linearly implicit Newmark, from the predictor",
                    as_far(&penalized, &NewmarkLinearB { beta: BETA }, start, times)?,
                ),
            ],
        })
    }

    /// The largest difference of a coordinate at each time.
    fn row(&self, name: &'static str, run: &Recording, accurate: &Recording, times: &[f64]) -> Row {
        let all = differences(run, accurate);
        let at = |t: &f64| all.get((t / self.step).round() as usize).map_or(f64::NAN, |(_, error)| *error);
        Row::of(name, times.iter().map(at).collect())
    }

    /// The errors of all methods beside the known ones.
    fn rows<const N: usize>(&self, times: &[f64], known: &[[f64; N]; 8], of_shake: Vec<Known>) -> Vec<Row> {
        let Self { constrained, penalized, zhang_skeel, shake, others, .. } = self;
        let own = [
            ("penalized against constrained motion", penalized, constrained),
            ("Zhang–Skeel against penalized motion", zhang_skeel, penalized),
            ("Zhang–Skeel against constrained motion", zhang_skeel, constrained),
        ];
        let others = others.iter().map(|(name, run)| (*name, run, penalized));
        let rows = own.into_iter().chain(others).zip(known);
        let row = |((name, run, accurate), known): ((&'static str, &Recording, &Recording), &[f64; N])| {
            self.row(name, run, accurate, times).knowing(*known, EXACT)
        };
        let mut rows: Vec<Row> = rows.map(row).collect();
        let of_rods = self.row("SHAKE against constrained motion", shake, constrained, times);
        rows.insert(3, Row { known: of_shake, ..of_rods });
        rows
    }

    fn picture(&self, title: &str, until: f64, shown: &[(usize, &'static str)]) -> Result<String, PageError> {
        let before =
            |points: Vec<(f64, f64)>| points.into_iter().filter(|(t, _)| *t <= until).collect::<Vec<_>>();
        let named =
            [("constrained", &self.constrained), ("Zhang–Skeel", &self.zhang_skeel), ("SHAKE", &self.shake)];
        let shown = shown.iter().map(|&(index, name)| {
            let values = |run: &Recording| run.times().zip(run.positions().map(|q| q[index])).collect();
            let curves = named.map(|(label, run)| (label.to_owned(), before(values(run)))).to_vec();
            Panel::of(&format!("{name} against time"), Axis::number("t"), Axis::number(name), curves)
        });
        let logarithms = |run: &Recording| {
            let errors = differences(run, &self.constrained).into_iter().filter(|(_, error)| *error > 0.0);
            before(errors.map(|(t, error)| (t, error.log10())).collect())
        };
        let runs = [("penalty", &self.penalized), ("Zhang–Skeel", &self.zhang_skeel), ("SHAKE", &self.shake)];
        let curves = runs.map(|(name, run)| (name.to_owned(), logarithms(run))).to_vec();
        let error = Axis::number("max |q − q̂|").logarithmic();
        let errors = Panel::of("Error against the constrained motion", Axis::number("t"), error, curves);
        panels(title, &shown.chain([errors]).collect::<Vec<_>>())
    }
}

/// Runs a method that may fail on the way, and keeps its results so far.
fn as_far<S, M>(system: &S, method: &M, start: &State, (step, until): (f64, f64)) -> Result<Recording, Error>
where
    S: least_action::system::Lagrangian + ?Sized,
    M: Method<S>,
{
    let run = least_action::drive::integrate(system, method, start.clone(), step)?;
    let run = run.until(until).measure(least_action::drive::Energy::of(system));
    Ok(run.record().unwrap_or_else(|interrupted| interrupted.recording))
}
