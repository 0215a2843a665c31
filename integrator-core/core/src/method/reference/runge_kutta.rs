//! The explicit inner steps: DOP853; its error chooses the step.
//!
//! # Reference
//! E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993), sections II.4,
//! II.5 and II.10, doi:10.1007/978-3-540-78862-1.

use crate::carried::carried;
use crate::method::dynamics::equations::{INNER_STEPS, Interval, MotionEquations, Stuck, evaluate};
use crate::method::force_error::ForceError;

pub(super) struct RungeKutta {
    /// The last step proposed by the error control; 0 before the first.
    step: f64,
    y: Vec<f64>,
    /// The argument of a stage, and the sum of the stages at the end.
    trial: Vec<f64>,
    /// The rates of the twelve stages; the first is the rate of y.
    stages: [Vec<f64>; 12],
    /// The power at each.
    powers: [f64; 12],
}

impl RungeKutta {
    pub(super) fn new(length: usize) -> Self {
        let vector = || vec![0.0; length];
        Self {
            step: 0.0,
            y: vector(),
            trial: vector(),
            stages: std::array::from_fn(|_| vector()),
            powers: [0.0; 12],
        }
    }

    /// Moves `y` to the end of the interval, by as many inner steps as the tolerance requires.
    pub(super) fn cross(
        &mut self,
        system: &mut dyn MotionEquations,
        interval: &Interval,
        y: &mut [f64],
    ) -> Result<(), Stuck> {
        let mut t = interval.start;
        self.y.copy_from_slice(y);
        let [first, second, ..] = &mut self.stages;
        let stuck = |error| Stuck { time: t, error };
        evaluate(system, &self.y, t, first).map_err(stuck)?;
        self.powers[0] = system.power();
        if self.step == 0.0 {
            let memory = [&mut self.trial[..], &mut second[..]];
            self.step = interval.first_step(system, (&self.y, first), 8, memory).map_err(stuck)?;
        }
        let mut proposed = self.step;
        let mut rejected = false;
        for _ in 0..INNER_STEPS {
            let (h, last) = interval.fit(t, proposed);
            let outcome = self.attempt(system, interval, t, h);
            // NaN counts as an error, too.
            let error = match &outcome {
                Ok(error) if error.is_finite() => *error,
                _ => f64::INFINITY,
            };
            // The factors of Hairer and Wanner: at most six times as long, at least a third.
            let factor = (0.9 * error.powf(-0.125)).clamp(1.0 / 3.0, 6.0);
            if error > 1.0 {
                proposed = h * factor.min(1.0);
                rejected = true;
                if proposed <= interval.smallest() {
                    return Err(interval.stuck(t, outcome.err(), "the inner steps become too small"));
                }
                continue;
            }
            std::mem::swap(&mut self.y, &mut self.trial);
            self.stages.swap(0, 1);
            t += h;
            system.arrive(&self.y, t);
            proposed = h * if rejected { factor.min(1.0) } else { factor };
            rejected = false;
            if last {
                // A shortened last step tells less than the one before.
                self.step = self.step.max(proposed);
                y.copy_from_slice(&self.y);
                return Ok(());
            }
            self.step = proposed;
        }
        Err(interval.stuck(t, None, "a million inner steps were not enough"))
    }

    /// The error of the step, relative to the tolerance; if it is small enough, leaves y at t + h in
    /// `trial` and its rate in the second stage.
    fn attempt(
        &mut self,
        system: &mut dyn MotionEquations,
        interval: &Interval,
        t: f64,
        h: f64,
    ) -> Result<f64, ForceError> {
        let Self { y, trial, stages, powers, .. } = self;
        for stage in 1..12 {
            let (row, node) = (A[stage - 1], C[stage - 1]);
            let (known, rest) = stages.split_at_mut(stage);
            advance(y, h, row, known, trial);
            evaluate(system, trial, t + node * h, &mut rest[0])?;
            powers[stage] = system.power();
        }
        advance(y, h, &B, stages, trial);
        // The errors of two embedded formulas, of the orders 5 and 3.
        let (mut fifth, mut third) = (0.0, 0.0);
        for index in 0..y.len() {
            let combined = |weights: &[f64; 12]| -> f64 {
                weights.iter().zip(stages.iter()).map(|(weight, stage)| weight * stage[index]).sum()
            };
            let scale = interval.tolerance * (1.0 + y[index].abs().max(trial[index].abs()));
            fifth += (combined(&FIFTH) / scale).powi(2);
            third += (combined(&THIRD) / scale).powi(2);
        }
        let denominator = fifth + 0.01 * third;
        let error =
            if denominator > 0.0 { h * fifth / (y.len() as f64 * denominator).sqrt() } else { denominator };
        if error <= 1.0 {
            evaluate(system, trial, t + h, &mut stages[1])?;
            system.add_work(h, &B, powers);
            powers[0] = system.power();
        }
        Ok(error)
    }
}

/// out ← y + h Σ weights · stages.
fn advance(y: &[f64], h: f64, weights: &[f64], stages: &[Vec<f64>], out: &mut [f64]) {
    out.copy_from_slice(y);
    for (weight, stage) in weights.iter().zip(stages).filter(|(weight, _)| **weight != 0.0) {
        for (out, rate) in out.iter_mut().zip(stage) {
            *out += h * weight * rate;
        }
    }
}

/// The nodes of the stages after the first.
const C: [f64; 11] = [
    0.052_600_151_958_767_73,
    0.078_900_227_938_151_6,
    0.118_350_341_907_227_4,
    0.281_649_658_092_772_6,
    0.333_333_333_333_333_3,
    0.25,
    0.307_692_307_692_307_7,
    0.651_282_051_282_051_3,
    0.6,
    0.857_142_857_142_857_1,
    1.0,
];

/// The rows of the stages after the first.
const A: [&[f64]; 11] = [
    &[0.052_600_151_958_767_73],
    &[0.019_725_056_984_537_9, 0.059_175_170_953_613_7],
    &[0.029_587_585_476_806_85, 0.0, 0.088_762_756_430_420_54],
    &[0.241_365_134_159_266_7, 0.0, -0.884_549_479_328_286_1, 0.924_834_003_261_792],
    &[0.037_037_037_037_037_035, 0.0, 0.0, 0.170_828_608_729_473_86, 0.125_467_687_566_822_42],
    &[0.037_109_375, 0.0, 0.0, 0.170_252_211_019_544_05, 0.060_216_538_980_455_96, -0.017_578_125],
    &[
        0.037_092_000_118_504_79,
        0.0,
        0.0,
        0.170_383_925_712_239_98,
        0.107_262_030_446_373_28,
        -0.015_319_437_748_624_402,
        0.008_273_789_163_814_023,
    ],
    &[
        0.624_110_958_716_075_7,
        0.0,
        0.0,
        -3.360_892_629_446_941_4,
        -0.868_219_346_841_726,
        27.592_099_699_446_71,
        20.154_067_550_477_894,
        -43.489_884_181_069_96,
    ],
    &[
        0.477_662_536_438_264_34,
        0.0,
        0.0,
        -2.488_114_619_971_667_7,
        -0.590_290_826_836_843,
        21.230_051_448_181_193,
        15.279_233_632_882_423,
        -33.288_210_968_984_86,
        -0.020_331_201_708_508_627,
    ],
    &[
        -0.937_142_430_085_987_3,
        0.0,
        0.0,
        5.186_372_428_844_064,
        1.091_437_348_996_729_5,
        -8.149_787_010_746_927,
        -18.520_065_659_996_96,
        22.739_487_099_350_505,
        2.493_605_552_679_652_3,
        -3.046_764_471_898_219_6,
    ],
    &[
        2.273_310_147_516_538,
        0.0,
        0.0,
        -10.534_495_466_737_25,
        -2.000_872_058_224_862_5,
        -17.958_931_863_118_8,
        27.948_884_529_419_96,
        -2.858_998_277_135_023_5,
        -8.872_856_933_530_63,
        12.360_567_175_794_303,
        0.643_392_746_015_763_6,
    ],
];

const B: [f64; 12] = [
    0.054_293_734_116_568_765,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450_312_892_752_409,
    1.891_517_899_314_500_3,
    -5.801_203_960_010_585,
    0.311_164_366_957_819_9,
    -0.152_160_949_662_516_1,
    0.201_365_400_804_030_34,
    0.044_710_615_727_772_59,
];

/// The weights of the error of order 5.
const FIFTH: [f64; 12] = [
    0.013_120_044_994_194_88,
    0.0,
    0.0,
    0.0,
    0.0,
    -1.225_156_446_376_204_4,
    -0.495_758_949_657_250_2,
    1.664_377_182_454_986_4,
    -0.350_328_848_749_973_66,
    0.334_179_118_713_017_5,
    0.081_923_206_485_115_71,
    -0.022_355_307_863_886_294,
];

/// The weights of the error of order 3: B minus the weights of an embedded formula.
const THIRD: [f64; 12] = [
    B[0] - 0.244_094_488_188_976_4,
    B[1],
    B[2],
    B[3],
    B[4],
    B[5],
    B[6],
    B[7],
    B[8] - 0.733_846_688_281_611_8,
    B[9],
    B[10],
    B[11] - 0.022_058_823_529_411_766,
];

carried!([] RungeKutta { step } besides { y, trial, stages, powers });
