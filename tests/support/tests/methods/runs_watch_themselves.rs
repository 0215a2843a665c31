//! A run tells if its result is credible: lost energies, blow-ups, balances, constraints, its cost.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use least_action::advanced::carried::carried;
use least_action::advanced::noether::{Certainty, ConservedQuantity, Motion};
use least_action::advanced::sparse::SymmetricPattern;
use least_action::drive::{Plan, RunError, Verdict, Watch, drive, integrate};
use least_action::error::StepError;
use least_action::method::{
    Bdf, Composition, ImplicitMidpoint, LaBuddeGreenspan, Langevin, Method, Newmark, NewmarkLinearA,
    PushForwardNewmark, Rattle, Reference, Report, Shake, Stepper, VariationalEuler, VariationalMidpoint,
    VariationalTrapezoid, Verlet, ZhangSkeel,
};
use least_action::prelude::*;
use least_action::system::{Kind, Lagrangian, Layout, Natural, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// A bead on a spring of this frequency, pushed to and fro.
struct Pushed {
    frequency: f64,
    push: f64,
}

#[lagrangian]
impl Pushed {
    fn lagrangian(&self, x: Scalar, t: Time) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * self.frequency.powi(2) * x.powi(2) + self.push * x * (0.7 * t).cos()
    }
}

/// The same, left alone.
struct Alone {
    frequency: f64,
}

#[lagrangian]
impl Alone {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * self.frequency.powi(2) * x.powi(2)
    }
}

/// A bead that rests at 0.3.
struct Held;

#[lagrangian]
impl Held {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 5e5 * (x - 0.3).powi(2)
    }
}

/// A weight on a rod whose pivot rises and falls.
struct Lifted;

#[lagrangian]
impl Lifted {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - 9.81 * bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2, t: Time) -> Scalar {
        bob.x.powi(2) + (bob.y - 0.3 * (2.0 * t).sin()).powi(2) - 1.0
    }
}

/// A body that drag slows down.
struct Dragged;

#[lagrangian]
impl Dragged {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * x.powi(2)
    }

    #[force]
    fn drag(&self, x: Scalar) -> Scalar {
        -0.3 * der(x)
    }
}

fn verdict<S: System, M: Method<S>>(system: &S, method: &M, start: State, step: f64, end: f64) -> Verdict {
    *integrate(system, method, start, step).unwrap().until(end).record().unwrap().verdict()
}

fn start() -> State {
    State::new(vec![1.0], vec![0.0])
}

#[test]
fn a_lost_energy_is_told() {
    let system = Alone { frequency: 1.0 }.bind().unwrap();
    let of = |step: f64| verdict(&system, &Verlet, start(), step, 200.0);
    let good = of(0.1);
    assert!(good.is_believed() && good.doubt().is_none());
    let error = good.energy.unwrap().error;
    // The energy of Verlet swings by (h ω)²/4 of the kinetic energy at its largest.
    assert!((1e-4..5e-3).contains(&error), "{error}");
    let bad = of(1.95);
    assert!(!bad.is_believed());
    let doubt = bad.doubt().unwrap();
    assert!(doubt.starts_with("the energy, which the motion conserves, is off by "), "{doubt}");
    assert!(doubt.contains(" the mean kinetic energy, from t = ") && !doubt.contains('\n'), "{doubt}");
    // A method that loses energy is judged alike.
    let loose = Bdf { tolerance: 1e-2, order: 1 };
    assert!(!verdict(&system, &loose, start(), 1.0, 200.0).is_believed());
    assert!(verdict(&system, &Reference::default(), start(), 200.0, 200.0).is_believed());
}

#[test]
fn a_blow_up_ends_the_run_with_its_last_good_state() {
    let system = Alone { frequency: 1.0 }.bind().unwrap();
    let interrupted = integrate(&system, &Verlet, start(), 2.01).unwrap().until(1e5).record().unwrap_err();
    let RunError::Step { source: StepError::BlownUp { energy, step, good, good_time, .. }, summary } =
        &interrupted.error
    else {
        panic!("{interrupted}")
    };
    assert!(*energy > 1e3 && good < step && *step < 2000);
    assert_eq!((summary.steps, summary.time), (*good, *good_time));
    // The numbers computed after it are kept, too.
    let recorded = interrupted.recording.times().position(|t| t.to_bits() == good_time.to_bits()).unwrap();
    assert!(recorded < interrupted.recording.len());
    let last = interrupted.recording.positions().nth(recorded).unwrap();
    assert!(last[0].abs() < 1e3, "{last:?}");
    // By hand, the state itself.
    let mut stepper = Verlet.start(&system, start(), 2.01).unwrap();
    let mut watch = Watch::of(&system);
    let plan = Plan::until(0.0, 1e5, 2.01).unwrap();
    assert!(drive(&mut stepper, plan, &mut watch, &mut []).is_err());
    assert_eq!(watch.good().unwrap().q, last);
}

/// The kinetic energy of a start in motion is credible; the one of a too long first step is not.
#[test]
fn a_blow_up_in_the_first_step_ends_the_run_with_its_start() {
    let system = Alone { frequency: 1.0 }.bind().unwrap();
    let start = State::new(vec![1e-3], vec![1.0]);
    let interrupted = integrate(&system, &Verlet, start, 1e4).unwrap().until(1e5).record().unwrap_err();
    let RunError::Step { source: StepError::BlownUp { step, good, .. }, .. } = &interrupted.error else {
        panic!("{interrupted}")
    };
    assert_eq!((*step, *good), (1, 0));
}

/// However late in a long run, and also where the energy is not conserved.
#[test]
fn a_blow_up_is_seen_within_a_few_steps() {
    let alone = Alone { frequency: 1.0 }.bind().unwrap();
    let pushed = Pushed { frequency: 1.0, push: 0.5 }.bind().unwrap();
    let systems: [(&dyn Natural, Watch<'_>, u64); 4] = [
        (&alone, Watch::of(&alone), 5),
        (&pushed, Watch::of(&pushed), 5),
        (&alone, Watch::of(&alone), 30_000),
        (&pushed, Watch::of(&pushed), 30_000),
    ];
    for (system, mut watch, steady) in systems {
        // Steps that the motion bears, and then longer ones: as if it had come to where it is stiffer.
        let mut stepper = Stiffening { system, state: start(), steady, steps: 0 };
        watch.look(&stepper).unwrap();
        let size = |state: &State| 0.5 * (state.q[0].powi(2) + state.v[0].powi(2));
        let mut beyond = None;
        let error = loop {
            stepper.step().unwrap();
            let step = stepper.steps();
            if size(stepper.state()) > 1e8 {
                beyond = beyond.or(Some(step));
            }
            if let Err(error) = watch.look(&stepper) {
                break error;
            }
            assert!(step < 60_000);
        };
        let StepError::BlownUp { step, good, .. } = error else { panic!("{error}") };
        assert!(beyond.is_none_or(|beyond| step <= beyond + 18), "{step}, beyond since {beyond:?}");
        assert!(good < step && good + 2000 > steady, "{good} {step} {steady}");
    }
}

/// Verlet with steps of 0.1, and of 2.1 after so many of them.
struct Stiffening<'s> {
    system: &'s dyn Natural,
    state: State,
    steady: u64,
    steps: u64,
}

impl std::fmt::Debug for Stiffening<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.state.fmt(formatter)
    }
}

carried!([] Stiffening<'_> { state, steps } besides { system, steady });

impl Stepper for Stiffening<'_> {
    fn step(&mut self) -> Result<(), StepError> {
        let step = if self.steps < self.steady { 0.1 } else { 2.1 };
        let mut verlet = Verlet.start(self.system, self.state.clone(), step).unwrap();
        verlet.step()?;
        self.state = verlet.state().clone();
        self.steps += 1;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn report(&self) -> Report<'_> {
        Report::default()
    }
}

#[test]
fn an_energy_that_is_not_finite_ends_the_run() {
    let system = Alone { frequency: 1.0 }.bind().unwrap();
    let error = integrate(&system, &Verlet, State::at_rest(vec![1e200]), 0.1).unwrap().record().unwrap_err();
    assert!(matches!(error.error, RunError::Step { source: StepError::EnergyAtStart { .. }, .. }), "{error}");
    assert_eq!(error.recording.len(), 0);
}

#[test]
fn a_driven_motion_is_held_against_its_work() {
    let system = Pushed { frequency: 1.0, push: 3.0 }.bind().unwrap();
    let of = |step| verdict(&system, &Verlet, start(), step, 300.0);
    let good = of(0.05);
    let balance = good.balance.unwrap();
    assert!(good.is_believed() && good.energy.is_none() && balance.error < 1e-3, "{good:?}");
    assert!(!of(1.98).is_believed());
    // One step of a method that chooses its own is not compared with a rule for the work.
    assert!(verdict(&system, &Reference::default(), start(), 300.0, 300.0).is_believed());
    assert!(verdict(&system, &Reference::default(), start(), 7.0, 350.0).is_believed());
}

#[test]
fn forces_and_moving_constraints_do_work() {
    let dragged = Dragged.bind().unwrap();
    let of_drag = verdict(&dragged, &Reference::default(), start(), 0.05, 20.0);
    assert!(of_drag.balance.unwrap().error < 1e-3, "{of_drag:?}");
    let lifted = Lifted.bind().unwrap();
    let start = State::new(vec![1.0, 0.0], vec![0.0, 0.6]);
    let of_lift = verdict(&lifted, &Rattle::default(), start.clone(), 0.01, 20.0);
    assert!(of_lift.is_believed() && of_lift.balance.unwrap().error < 0.01, "{of_lift:?}");
    assert!(of_lift.constraints.unwrap().error < 1e-9);
    assert!(verdict(&lifted, &Shake::default(), start, 0.01, 20.0).is_believed());
}

#[test]
fn a_thermostat_is_held_against_its_heat() {
    let system = Alone { frequency: 1.0 }.bind().unwrap();
    let thermostat = Langevin { friction: 0.5, inverse_temperature: 0.01, ..Langevin::around(Verlet) };
    let good = verdict(&system, &thermostat, start(), 0.1, 5000.0);
    assert!(good.is_believed() && good.balance.unwrap().error < 0.02, "{good:?}");
    assert!(!verdict(&system, &thermostat, start(), 1.95, 5000.0).is_believed());
}

/// A weight that hangs on two springs, one of them stiff, above and below another.
struct Hung;

#[lagrangian]
impl Hung {
    fn lagrangian(&self, upper: Vec2, lower: Vec2) -> Scalar {
        let kinetic = 0.5 * (0.7 * der(upper).norm_squared() + 1.3 * der(lower).norm_squared());
        let springs = 40.0 * (upper.norm() - 0.9).powi(2) + 3e4 * ((lower - upper).norm() - 1.1).powi(2);
        kinetic - springs - 9.81 * (0.7 * upper.y + 1.3 * lower.y)
    }
}

impl Hung {
    /// As near to its place as rounding allows, but for this part of each coordinate.
    fn at_rest(part: f64) -> State {
        let upper = -0.9 - 9.81 * 2.0 / 80.0;
        let lower = upper - 1.1 - 9.81 * 1.3 / 6e4;
        State::at_rest([0.0, upper, 0.0, lower].map(|q| q * (1.0 + part)).to_vec())
    }
}

/// A weight at rest on a rod that is not vertical, against a spring.
struct Leaning;

#[lagrangian]
impl Leaning {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - 9.81 * bob.y - 50.0 * (bob.x - 0.6 - 0.0075 * 9.81).powi(2)
    }

    #[holonomic]
    fn rod(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - 1.0
    }
}

impl Leaning {
    fn at_rest() -> State {
        State::at_rest(vec![0.6, -0.8])
    }
}

/// Rounding and tolerances move resting bodies, and their energies are noise, in any steps.
#[test]
fn rest_is_believed() {
    let believed = |verdict: Verdict, what: &str| assert!(verdict.is_believed(), "{what}: {verdict:?}");
    let held = Held.bind().unwrap();
    // 0.1 + 0.2 is not 0.3 to the last digit.
    for x in [0.3, 0.1 + 0.2, 0.3 * (1.0 + 1e-15)] {
        let start = || State::at_rest(vec![x]);
        for step in [1e-6, 1e-4, 1.9e-3] {
            let end = 3e4 * step;
            believed(verdict(&held, &Verlet, start(), step, end), "Verlet");
            believed(verdict(&held, &Composition::of(Verlet, 6), start(), step, end), "order 6");
        }
        for step in [1e-6, 1e-3, 0.1] {
            let end = 3e4 * step;
            believed(verdict(&held, &VariationalMidpoint::default(), start(), step, end), "midpoint");
            believed(verdict(&held, &Newmark::default(), start(), step, end), "Newmark");
        }
        for step in [1e-4, 0.1] {
            believed(verdict(&held, &Reference::default(), start(), step, 100.0 * step), "reference");
            believed(verdict(&held, &Bdf::default(), start(), step, 100.0 * step), "bdf");
        }
    }
    let hung = Hung.bind().unwrap();
    for (step, part) in [1e-5_f64, 1e-3, 8e-3].into_iter().flat_map(|step| [(step, 0.0), (step, 1e-15)]) {
        let (start, end) = (|| Hung::at_rest(part), 1e4 * step);
        let of = |verdict, method: &str| believed(verdict, &format!("{method}, h = {step}, {part}"));
        of(verdict(&hung, &Verlet, start(), step.min(5e-3), end), "Verlet");
        of(verdict(&hung, &VariationalEuler::default(), start(), step.min(5e-3), end), "Euler");
        of(verdict(&hung, &VariationalMidpoint::default(), start(), step, end), "midpoint");
        of(verdict(&hung, &ImplicitMidpoint::default(), start(), step, end), "implicit midpoint");
        of(verdict(&hung, &Newmark::default(), start(), step, end), "Newmark");
        of(verdict(&hung, &PushForwardNewmark::default(), start(), step, end), "push-forward");
        of(verdict(&hung, &NewmarkLinearA::default(), start(), step, end), "linear");
        of(verdict(&hung, &ZhangSkeel::default(), start(), step, end), "Zhang-Skeel");
        of(verdict(&hung, &Reference::default(), start(), step, 100.0 * step), "reference");
        of(verdict(&hung, &Bdf::default(), start(), step, 100.0 * step), "bdf");
        let loose = VariationalMidpoint { tolerance: 1e-6, ..VariationalMidpoint::default() };
        of(verdict(&hung, &loose, Hung::at_rest(1e-8), step, end), "loose midpoint");
    }
    let leaning = Leaning.bind().unwrap();
    for step in [1e-5, 1e-3, 0.1] {
        let (start, end) = (Leaning::at_rest, 1e4 * step);
        believed(verdict(&leaning, &Rattle::default(), start(), step, end), "rattle");
        believed(verdict(&leaning, &Shake::default(), start(), step, end), "shake");
        believed(verdict(&leaning, &VariationalMidpoint::default(), start(), step, end), "held midpoint");
        believed(verdict(&leaning, &Reference::default(), start(), step, 100.0 * step), "held reference");
    }
}

/// A motion of a part of its coordinates that the method computes is judged, however small it is.
#[test]
fn a_tiny_motion_is_judged() {
    let (held, hung) = (Held.bind().unwrap(), Hung.bind().unwrap());
    for part in [1e-9, 1e-11] {
        let start = || State::at_rest(vec![0.3 * (1.0 + part)]);
        let good = verdict(&held, &Verlet, start(), 1e-4, 0.1);
        assert!(good.is_believed(), "{good:?}");
        let told = |verdict: Verdict| assert!(!verdict.is_believed(), "{part}: {verdict:?}");
        told(verdict(&held, &Verlet, start(), 1.95e-3, 1.0));
        told(verdict(&held, &VariationalEuler::default(), start(), 1.95e-3, 1.0));
        told(verdict(&held, &VariationalTrapezoid::default(), start(), 1.95e-3, 1.0));
        told(verdict(&held, &Newmark { beta: 0.4, ..Newmark::default() }, start(), 3e-3, 1.0));
    }
    // The fastest frequency is 363; the energy itself is known to 10⁻¹³ of the weight's.
    let mut stretched = Hung::at_rest(0.0);
    stretched.q[3] *= 1.0 + 1e-7;
    let found = verdict(&hung, &Verlet, stretched, 5.4e-3, 1.0);
    assert!(!found.is_believed(), "{found:?}");
    // A tolerance that is larger than the motion hides it.
    let loose = Newmark { beta: 0.4, tolerance: 1e-6, ..Newmark::default() };
    let found = verdict(&held, &loose, State::at_rest(vec![0.3 * (1.0 + 1e-9)]), 3e-3, 1.0);
    assert!(found.is_believed(), "{found:?}");
}

/// Two points on a spring.
struct Pair;

#[lagrangian]
impl Pair {
    fn lagrangian(&self, a: Vec2, b: Vec2) -> Scalar {
        0.5 * (der(a).norm_squared() + der(b).norm_squared()) - 3.0 * ((a - b).norm() - 1.0).powi(2)
    }
}

fn reported<S: System, M: Method<S>>(method: &M, system: &S, start: State) -> Option<f64> {
    method.start(system, start, 1e-3).unwrap().report().tolerance
}

/// The verdict follows the tolerance, which every method with one reports, also inside others.
#[test]
fn methods_report_their_tolerance() {
    let (held, leaning) = (Held.bind().unwrap(), Leaning.bind().unwrap());
    let at = || State::at_rest(vec![0.3]);
    macro_rules! report {
        ($system:expr, $start:expr; $($method:ident),+ $(,)?) => {
            $({
                let method = $method { tolerance: 3e-7, ..$method::default() };
                assert_eq!(reported(&method, $system, $start), Some(3e-7));
            })+
        };
    }
    report!(&held, at(); VariationalEuler, VariationalMidpoint, VariationalTrapezoid);
    report!(&held, at(); ImplicitMidpoint, Newmark, PushForwardNewmark, Bdf);
    let pair = Pair.bind().unwrap();
    report!(&pair, State::at_rest(vec![0.0, 0.0, 1.0, 0.2]); LaBuddeGreenspan);
    report!(&leaning, Leaning::at_rest(); Rattle, Shake, VariationalEuler, VariationalMidpoint, Bdf);
    assert_eq!(reported(&Reference { tolerance: 3e-7 }, &held, at()), Some(3e-7));
    let loose = Newmark { tolerance: 3e-7, ..Newmark::default() };
    assert_eq!(reported(&Composition::of(loose, 4), &held, at()), Some(3e-7));
    assert_eq!(reported(&Composition::of(Verlet, 4), &held, at()), None);
    let loose = Rattle { tolerance: 3e-7, ..Rattle::default() };
    let warm = Langevin { friction: 0.5, inverse_temperature: 1.0, ..Langevin::around(loose) };
    assert_eq!(reported(&warm, &leaning, Leaning::at_rest()), Some(3e-7));
}

/// A fall whose energies are counted.
struct Counted {
    layout: Layout,
    second: SymmetricPattern,
    energies: AtomicU64,
    conserved: Vec<ConservedQuantity>,
}

impl Counted {
    fn new(conserves: bool) -> Self {
        let mut layout = Layout::new();
        layout.push("q", Kind::Scalar, vec![]);
        let energy = ConservedQuantity {
            name: "energy".into(),
            symmetry: "".into(),
            formula: "".into(),
            latex: "".into(),
            unit: "".into(),
            certainty: Certainty::Proven,
            motion: Motion::Time,
        };
        Self {
            layout,
            second: SymmetricPattern::new(3, []),
            energies: AtomicU64::new(0),
            conserved: conserves.then_some(energy).into_iter().collect(),
        }
    }
}

impl System for Counted {
    fn name(&self) -> &'static str {
        "Counted"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn mechanics(&self) -> Option<&dyn Lagrangian> {
        Some(self)
    }

    fn conserved(&self) -> &[ConservedQuantity] {
        &self.conserved
    }
}

impl Lagrangian for Counted {
    fn lagrangian(&self, q: &[f64], v: &[f64], _t: f64) -> f64 {
        0.5 * v[0] * v[0] - q[0]
    }

    fn energy(&self, q: &[f64], v: &[f64], _t: f64) -> f64 {
        self.energies.fetch_add(1, Ordering::Relaxed);
        0.5 * v[0] * v[0] + q[0]
    }

    fn first_derivatives(&self, _q: &[f64], v: &[f64], _t: f64, gradient: &mut [f64]) {
        gradient.copy_from_slice(&[-1.0, v[0], 0.0]);
    }

    fn second_pattern(&self) -> &SymmetricPattern {
        &self.second
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.first_derivatives(q, v, t, gradient);
        hessian.fill(0.0);
    }
}

/// A fall without a method.
#[derive(Debug)]
struct Falling {
    state: State,
    steps: u64,
}

carried!([] Falling { state, steps } besides {});

impl Stepper for Falling {
    fn step(&mut self) -> Result<(), StepError> {
        self.steps += 1;
        let t = 1e-3 * self.steps as f64;
        self.state = State { t, q: vec![-0.5 * t * t], v: vec![-t] };
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn report(&self) -> Report<'_> {
        Report::default()
    }
}

/// A sleigh whose blade points along x, on a table that moves across it.
struct Skidding {
    table: f64,
}

#[lagrangian]
impl Skidding {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) + der(y).powi(2))
    }

    #[nonholonomic]
    fn blade(&self, y: Scalar) -> Scalar {
        2.0 * der(y) - self.table
    }
}

/// A stepper that lets the sleigh skid.
#[derive(Debug)]
struct Skids {
    state: State,
    skid: f64,
    steps: u64,
}

carried!([] Skids { state, steps } besides { skid });

impl Stepper for Skids {
    fn step(&mut self) -> Result<(), StepError> {
        self.steps += 1;
        self.state.t += 0.1;
        self.state.v[1] += self.skid;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn report(&self) -> Report<'_> {
        Report::default()
    }
}

/// The violation of a constraint on velocities is measured beside its terms, the table's included.
#[test]
fn a_skid_is_told() {
    let system = Skidding { table: 0.6 }.bind().unwrap();
    let judged = |skid: f64| {
        let mut watch = Watch::of(&system);
        let mut stepper = Skids { state: State::new(vec![0.0, 0.0], vec![1.0, 0.3]), skid, steps: 0 };
        watch.look(&stepper).unwrap();
        for _ in 0..10 {
            stepper.step().unwrap();
            watch.look(&stepper).unwrap();
        }
        watch.finish(&stepper).unwrap()
    };
    let good = judged(0.0).nonholonomic.unwrap();
    assert!(good.error < 1e-15 && good.error <= good.limit, "{good:?}");
    let bad = judged(0.01);
    let finding = bad.nonholonomic.unwrap();
    // 2 (0.3 + 0.1) − 0.6 beside 2 (0.3 + 0.1) and 0.6.
    assert!((finding.error - 0.2 / 1.4).abs() < 1e-12, "{finding:?}");
    let mut alone = bad;
    (alone.balance, alone.energy) = (None, None);
    let doubt = alone.doubt().unwrap();
    assert!(doubt.starts_with("a constraint on velocities is violated by 14.3 % of its size"), "{doubt}");
    let kept =
        integrate(&system, &VariationalMidpoint::default(), State::new(vec![0.0; 2], vec![1.0, 0.3]), 0.1);
    let verdict = *kept.unwrap().until(2.0).record().unwrap().verdict();
    assert!(
        verdict.is_believed() && verdict.nonholonomic.is_some_and(|found| found.error < 1e-14),
        "{verdict:?}"
    );
}

#[test]
fn watching_costs_less_than_a_percent() {
    for conserves in [true, false] {
        let (system, steps) = (Counted::new(conserves), 100_000);
        let mut stepper = Falling { state: State::at_rest(vec![0.0]), steps: 0 };
        let mut watch = Watch::of(&system);
        let summary = drive(&mut stepper, Plan { steps, every: steps }, &mut watch, &mut []).unwrap();
        let verdict = summary.verdict;
        assert!(verdict.energy.or(verdict.balance).unwrap().error < 1e-9);
        let energies = system.energies.load(Ordering::Relaxed);
        assert!(energies * 100 < steps, "{energies} energies in {steps} steps");
    }
}
