//! Inputs of forces.

use least_action::drive::{RunError, integrate};
use least_action::error::{ForceError, StartError, StepError};
use least_action::method::{
    Bdf, Composition, ImplicitMidpoint, Method, Newmark, NewmarkLinearA, NewmarkLinearB, PushForwardNewmark,
    Rattle, Reference, Shake, Stepper, VariationalEuler, VariationalMidpoint, VariationalTrapezoid, Verlet,
    ZhangSkeel, ZhangSkeelEuler, ZhangSkeelSimplified,
};
use least_action::prelude::*;
use least_action::system::{Lagrangian, SignalError};
use test_support::agreement::{Seeded, kernels_agree_with_oracle};

/// Motors on a chain, with a helper that takes an input, too.
struct Motors {
    bodies: usize,
    torque: Signal,
    wind: Signal,
}

#[lagrangian]
impl Motors {
    fn lagrangian(&self, angles: [Angle; self.bodies]) -> Scalar {
        let own = sum(0..self.bodies, |i| 0.5 * der(angles[i]).powi(2) + angles[i].cos());
        own + sum(1..self.bodies, |i| {
            0.2 * (angles[i] - angles[i - 1]).cos() * der(angles[i]) * der(angles[i - 1])
        })
    }

    #[force]
    fn motors(
        &self,
        angles: [Angle; self.bodies],
        torque: Input,
        t: Time,
        wind: Input,
    ) -> [Angle; self.bodies] {
        each(0..self.bodies, |i| {
            torque * (1.0 + self.share(angles[i], wind)) - wind.powi(2) * der(angles[i]) * (2.0 * t).sin()
        })
    }

    fn share(&self, angle: Angle, level: Input) -> Scalar {
        0.5 * level * angle.sin()
    }
}

fn signals() -> Result<(Signal, Signal), SignalError> {
    let times: Vec<f64> = (0..20).map(|k| 0.25 * f64::from(k)).collect();
    let values = times[1..].iter().map(|t| (9.0 * t).sin()).collect();
    Ok((Signal::constant(times.clone(), values)?, Signal::sampled(times, |t| (2.0 * t).cos())?))
}

#[test]
fn kernels_with_inputs_agree_with_dual_numbers() -> Result<(), SignalError> {
    let (torque, wind) = signals()?;
    let model = Motors { bodies: 5, torque, wind };
    let mut seeded = Seeded::new(3);
    for t in [0.0, 0.6, 1.25, 4.7] {
        kernels_agree_with_oracle(&model, &seeded.numbers(5), &seeded.numbers(5), t);
    }
    Ok(())
}

/// x″ = −x − x³ + u(t).
struct Duffing {
    torque: Signal,
}

#[lagrangian]
impl Duffing {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) - x.powi(2)) - 0.25 * x.powi(4)
    }

    #[force]
    fn motor(&self, torque: Input) -> Scalar {
        torque
    }
}

/// The signal of the reference numbers, whose jumps are at no time of a step.
fn jumps() -> Result<Signal, SignalError> {
    let times = vec![0.0, 0.37, 1.13, 1.71, 2.9, 3.33, 4.21, 5.0];
    Signal::constant(times, vec![1.0, -2.0, 0.5, 2.0, -1.0, 0.0, 1.5])
}

/// The state at the end of a signal of `method` with so many steps, from x = 1 with the velocity 0.5.
fn end<M: Method<Bound<Duffing>>>(
    method: &M,
    torque: &Signal,
    steps: u32,
) -> Result<[f64; 2], Box<dyn std::error::Error>> {
    let system = Duffing { torque: torque.clone() }.bind()?;
    let (start, last) = (State::new(vec![1.0], vec![0.5]), torque.span()[1]);
    let (stepper, _) = integrate(&system, method, start, last / f64::from(steps))?.until(last).run()?;
    Ok([stepper.state().q[0], stepper.state().v[0]])
}

fn errors<M: Method<Bound<Duffing>>>(
    method: &M,
    torque: &Signal,
    exact: [f64; 2],
    steps: &[u32],
) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let error = |steps: &u32| {
        let [x, v] = end(method, torque, *steps)?;
        Ok((x - exact[0]).abs().max((v - exact[1]).abs()))
    };
    steps.iter().map(error).collect()
}

/// An accurate solution, and Verlet's errors with the mean and with the moments of the input, by hand.
const EXACT: [f64; 2] = [-1.375_990_936_205_761_6, -0.869_040_432_589_539_2];
const STEPS: [u32; 6] = [47, 94, 188, 376, 752, 1504];
const OF_MOMENTS: [f64; 6] = [
    0.060_082_642_786_228_66,
    0.014_745_810_665_358_294,
    0.003_668_456_339_483_872,
    0.000_915_640_195_559_897,
    0.000_228_696_751_572_998_74,
    5.714_392_161_559_889e-5,
];

#[test]
fn the_trapezoid_has_the_errors_of_the_moments() -> Result<(), Box<dyn std::error::Error>> {
    let found = errors(&VariationalTrapezoid::default(), &jumps()?, EXACT, &STEPS)?;
    for (found, expected) in found.iter().zip(OF_MOMENTS) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found:e} {expected:e}");
    }
    let [x, v] = end(&VariationalTrapezoid::default(), &jumps()?, 47)?;
    assert!((x + 1.398_214_194_252_926_7).abs() < 1e-12 && (v + 0.808_957_789_803_310_6).abs() < 1e-12);
    Ok(())
}

#[test]
fn the_order_is_two_wherever_inputs_jump() -> Result<(), Box<dyn std::error::Error>> {
    let midpoint = errors(&VariationalMidpoint::default(), &jumps()?, EXACT, &STEPS)?;
    let slope = (midpoint[0] / midpoint[5]).log2() / 5.0;
    assert!((slope - 2.0).abs() < 0.1, "{midpoint:?}");
    let euler = errors(&VariationalEuler::default(), &jumps()?, EXACT, &STEPS)?;
    let slope = (euler[2] / euler[5]).log2() / 3.0;
    assert!((slope - 1.0).abs() < 0.1, "{euler:?}");
    Ok(())
}

/// Verlet's method takes the moments, and so do its kin, each to order 2; with a drag beside, too.
#[test]
fn methods_of_constant_mass_take_the_moments() -> Result<(), Box<dyn std::error::Error>> {
    let found = errors(&Verlet, &jumps()?, EXACT, &STEPS)?;
    for (found, expected) in found.iter().zip(OF_MOMENTS) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found:e} {expected:e}");
    }
    let slope = |found: Vec<f64>| (found[2] / found[5]).log2() / 3.0;
    let all = [
        ("newmark", errors(&Newmark::default(), &jumps()?, EXACT, &STEPS)?, 2.0),
        ("newmark-pushforward", errors(&PushForwardNewmark::default(), &jumps()?, EXACT, &STEPS)?, 2.0),
        ("newmark-linear-a", errors(&NewmarkLinearA::default(), &jumps()?, EXACT, &STEPS)?, 2.0),
        ("newmark-linear-b", errors(&NewmarkLinearB::default(), &jumps()?, EXACT, &STEPS)?, 2.0),
        ("zhang-skeel", errors(&ZhangSkeel::default(), &jumps()?, EXACT, &STEPS)?, 2.0),
        ("zhang-skeel-simplified", errors(&ZhangSkeelSimplified::default(), &jumps()?, EXACT, &STEPS)?, 2.0),
        ("implicit-midpoint", errors(&ImplicitMidpoint::default(), &jumps()?, EXACT, &STEPS)?, 2.0),
        ("zhang-skeel-euler", errors(&ZhangSkeelEuler::default(), &jumps()?, EXACT, &STEPS)?, 1.0),
    ];
    for (name, found, order) in all {
        let measured = slope(found.clone());
        assert!((measured - order).abs() < 0.2, "{name}: {measured}, {found:?}");
    }
    Ok(())
}

/// The pendulum of length 1 in the plane, and the same in its angle, with a torque that jumps.
struct Bob {
    torque: Signal,
    drag: f64,
}

#[lagrangian]
impl Bob {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared() - p.y
    }

    #[holonomic]
    fn rod(&self, p: Vec2) -> Scalar {
        p.norm_squared() - 1.0
    }

    #[force]
    fn motor(&self, p: Vec2, torque: Input) -> Vec2 {
        torque * vec2(-p.y, p.x) - self.drag * der(p)
    }
}

struct Hand {
    torque: Signal,
    drag: f64,
}

#[lagrangian]
impl Hand {
    fn lagrangian(&self, angle: Angle) -> Scalar {
        0.5 * der(angle).powi(2) - angle.sin()
    }

    #[force]
    fn motor(&self, angle: Angle, torque: Input) -> Scalar {
        torque - self.drag * der(angle)
    }
}

#[test]
fn constrained_methods_take_the_moments() -> Result<(), Box<dyn std::error::Error>> {
    for drag in [0.0, 0.3] {
        let hand = Hand { torque: jumps()?, drag }.bind()?;
        let start = State::new(vec![-1.0], vec![0.5]);
        let exact = integrate(&hand, &Reference::default(), start, 0.5)?.until(5.0).run()?.0.state().q[0];
        let bob = Bob { torque: jumps()?, drag }.bind()?;
        let (c, s) = ((-1.0_f64).cos(), (-1.0_f64).sin());
        let start = State::new(vec![c, s], vec![-0.5 * s, 0.5 * c]);
        let error = |steps: u32, shake: bool| -> Result<f64, Box<dyn std::error::Error>> {
            let h = 5.0 / f64::from(steps);
            let (stepper, _) = if shake {
                integrate(&bob, &Shake::default(), start.clone(), h)?.until(5.0).run()?
            } else {
                integrate(&bob, &Rattle::default(), start.clone(), h)?.until(5.0).run()?
            };
            let q = &stepper.state().q;
            Ok((q[0] - exact.cos()).hypot(q[1] - exact.sin()))
        };
        for shake in [false, true] {
            let found = [188, 376, 752, 1504].map(|steps| error(steps, shake));
            let [first, _, _, last] = found;
            let (first, last) = (first?, last?);
            let slope = (first / last).log2() / 3.0;
            assert!((slope - 2.0).abs() < 0.1, "shake {shake}, drag {drag}: {slope}, {first:e}, {last:e}");
        }
    }
    Ok(())
}

#[test]
fn compositions_keep_their_order_where_jumps_are_at_times_of_steps() -> Result<(), Box<dyn std::error::Error>>
{
    let times = vec![0.0, 0.5, 1.0, 2.0, 2.5, 4.0];
    let linear = Signal::linear(times.clone(), vec![1.0, -2.0, 1.5, 0.5, -1.0, 2.0])?;
    let constant = Signal::constant(times, vec![1.0, -2.0, 1.5, 0.5, -1.0])?;
    for torque in [linear, constant] {
        let exact = end(&Composition::of(VariationalMidpoint::default(), 8), &torque, 1600)?;
        let steps = [48, 96, 192];
        for found in [
            errors(&Composition::of(VariationalMidpoint::default(), 4), &torque, exact, &steps)?,
            errors(&Composition::of(VariationalTrapezoid::default(), 4), &torque, exact, &steps)?,
            errors(&Composition::of(Verlet, 4), &torque, exact, &steps)?,
        ] {
            let slope = (found[0] / found[2]).log2() / 2.0;
            assert!((slope - 4.0).abs() < 0.3, "{:?}: {found:?}", torque.course());
        }
    }
    Ok(())
}

#[test]
fn adaptive_methods_stop_at_the_jumps() -> Result<(), Box<dyn std::error::Error>> {
    // One step over all jumps.
    for steps in [1, 7] {
        let [x, v] = end(&Reference::default(), &jumps()?, steps)?;
        assert!((x - EXACT[0]).abs() < 1e-11 && (v - EXACT[1]).abs() < 1e-11, "{steps}: {x} {v}");
        let [x, v] = end(&Bdf { tolerance: 1e-12, ..Bdf::default() }, &jumps()?, steps)?;
        // The formulas of order 2 leave as much with this tolerance where nothing jumps.
        assert!((x - EXACT[0]).abs() < 2e-7 && (v - EXACT[1]).abs() < 2e-7, "{steps}: {x} {v}");
    }
    Ok(())
}

/// x″ = −x + u, where u stands in the Lagrangian.
struct Pushed {
    field: Signal,
}

#[lagrangian]
impl Pushed {
    fn lagrangian(&self, x: Scalar, field: Input) -> Scalar {
        0.5 * (der(x).powi(2) - x.powi(2)) + field * x
    }
}

#[test]
fn held_inputs_are_set_between_steps() -> Result<(), Box<dyn std::error::Error>> {
    const VALUES: [f64; 5] = [1.0, -2.0, 0.5, 2.0, -1.0];
    let (h, start) = (0.125, State::new(vec![1.0], vec![0.5]));
    let course = Signal::constant((0..6).map(|k| 0.25 * f64::from(k)).collect(), VALUES.to_vec())?;
    let (jumping, torque) = (Duffing { torque: course }.bind()?, Signal::held(0.0)?);
    let held = Duffing { torque: torque.clone() }.bind()?;
    let compare =
        |known: &mut dyn Stepper, own: &mut dyn Stepper| -> Result<(), Box<dyn std::error::Error>> {
            for value in VALUES {
                torque.set(value)?;
                for _ in 0..2 {
                    known.step()?;
                    own.step()?;
                }
            }
            let [(x, v), (q, p)] = [&*known, &*own].map(|run| (run.state().q[0], run.state().v[0]));
            // Moments of a course are differences of its integrals.
            assert!((x - q).abs() < 1e-12 && (v - p).abs() < 1e-12, "{own:?}: {x} {v}");
            Ok(())
        };
    macro_rules! compare {
        ($($method:expr),+ $(,)?) => {
            $(compare(
                &mut $method.start(&jumping, start.clone(), h)?,
                &mut $method.start(&held, start.clone(), h)?,
            )?;)+
        };
    }
    compare!(Verlet, ZhangSkeel::default(), Newmark::default(), VariationalTrapezoid::default());
    compare!(VariationalMidpoint::default(), ImplicitMidpoint::default());

    // A force that a method keeps from one step to the next is evaluated again.
    let field = Signal::held(0.0)?;
    let system = Pushed { field: field.clone() }.bind()?;
    let mut verlet = Verlet.start(&system, start.clone(), h)?;
    let (mut x, mut v) = (1.0, 0.5);
    for value in VALUES {
        field.set(value)?;
        let state = verlet.state().clone();
        assert!(verlet.go_on_from(&state));
        verlet.step()?;
        v += 0.5 * h * (value - x);
        x += h * v;
        v += 0.5 * h * (value - x);
    }
    assert!((verlet.state().q[0] - x).abs() < 1e-14 && (verlet.state().v[0] - v).abs() < 1e-14);

    // A signal that may jump between any two steps has no slope.
    let still = Shaken { pivot: field, field: Signal::default() };
    let said = still.bind().err().map(|error| error.to_string()).unwrap_or_default();
    assert!(said.starts_with("`pivot` jumps from value to value"), "{said}");
    assert_eq!(Signal::steady(1.0)?.set(2.0), Err(SignalError::NotHeld));
    assert!(torque.set(f64::NAN).is_err() && torque.value(3.0).to_bits() == (-1.0_f64).to_bits());
    Ok(())
}

#[test]
fn a_run_beyond_its_inputs_is_refused() -> Result<(), Box<dyn std::error::Error>> {
    let system = Duffing { torque: jumps()? }.bind()?;
    let start = State::new(vec![1.0], vec![0.5]);
    let method = VariationalMidpoint::default();
    let error = integrate(&system, &method, start.clone(), 0.1)?.until(5.5).record().err();
    let expected = "the run should go until t = 5.5, and the signal `torque` ends at t = 5: give it values until then, or end the run there";
    assert_eq!(error.as_ref().map(ToString::to_string).as_deref(), Some(expected));
    assert!(matches!(error.map(|error| error.error), Some(RunError::SignalEnds { .. })));
    let late = State { t: 6.0, ..start.clone() };
    let error = method.start(&system, late, 0.1).err();
    assert!(
        matches!(&error, Some(StartError::SignalElsewhere { signal, .. }) if signal == "torque"),
        "{error:?}"
    );

    // Who steps by hand is told at the step.
    let mut midpoint = method.start(&system, start.clone(), 0.7)?;
    let mut adaptive = Reference::default().start(&system, start.clone(), 0.7)?;
    let mut verlet = Verlet.start(&system, start.clone(), 0.7)?;
    let mut newmark = Newmark::default().start(&system, start.clone(), 0.7)?;
    let mut implicit = ImplicitMidpoint::default().start(&system, start.clone(), 0.7)?;
    let mut euler = ZhangSkeelEuler::default().start(&system, start, 0.7)?;
    let gentle = Signal::constant(vec![0.0, 2.1, 5.0], vec![0.1, -0.1])?;
    let bob = Bob { torque: gentle, drag: 0.1 }.bind()?;
    let start = State::new(vec![0.0, -1.0], vec![0.0, 0.0]);
    let mut rattle = Rattle::default().start(&bob, start.clone(), 0.7)?;
    let mut shake = Shake::default().start(&bob, start.clone(), 0.7)?;
    let error = Rattle::default().start(&bob, State { t: 6.0, ..start }, 0.7).err();
    assert!(
        matches!(&error, Some(StartError::SignalElsewhere { signal, .. }) if signal == "torque"),
        "{error:?}"
    );
    let steppers: [&mut dyn Stepper; 8] = [
        &mut midpoint,
        &mut adaptive,
        &mut verlet,
        &mut newmark,
        &mut implicit,
        &mut euler,
        &mut rattle,
        &mut shake,
    ];
    for stepper in steppers {
        let error = (0..8).find_map(|_| stepper.step().err());
        let Some(StepError::Failed(failed)) = error else { panic!("{error:?}") };
        let ended = matches!(failed.cause, ForceError::SignalEnded { .. }) && failed.place == "torque";
        assert!(ended && failed.step == 8, "{failed}");
        assert_eq!(stepper.steps(), 7);
    }
    Ok(())
}

/// A pendulum whose pivot moves along a line, in a field: inputs in T, in V and in a force.
struct Shaken {
    pivot: Signal,
    field: Signal,
}

#[lagrangian]
impl Shaken {
    fn lagrangian(&self, angle: Angle, pivot: Input, field: Input) -> Scalar {
        let bob = vec2(pivot, 0.0) + vec2(angle.sin(), -angle.cos());
        0.5 * der(bob).norm_squared() - bob.y + self.energy(bob, field)
    }

    fn energy(&self, bob: Vec2, level: Input) -> Scalar {
        level * bob.x.sin()
    }

    #[force]
    fn wind(&self, field: Input) -> Angle {
        0.1 * field
    }
}

/// The same with tables, and with the pivot on a rail.
struct Tabled {
    pivot: Signal,
    field: Signal,
}

#[lagrangian]
impl Tabled {
    fn lagrangian(&self, angle: Angle, t: Time) -> Scalar {
        let bob = vec2(table(t, &self.pivot), 0.0) + vec2(angle.sin(), -angle.cos());
        0.5 * der(bob).norm_squared() - bob.y + table(t, &self.field) * bob.x.sin()
    }

    #[force]
    fn wind(&self, field: Input) -> Angle {
        0.1 * field
    }
}

struct Railed {
    pivot: Signal,
    field: Signal,
}

#[lagrangian]
impl Railed {
    fn lagrangian(&self, bob: Vec2, field: Input) -> Scalar {
        0.5 * der(bob).norm_squared() - bob.y + field * bob.x.sin()
    }

    #[holonomic]
    fn rod(&self, bob: Vec2, pivot: Input) -> Scalar {
        (bob - vec2(pivot, 0.0)).norm_squared() - 1.0
    }
}

/// In the Lagrangian and in constraints an input is the course of its signal, in a force its averages.
#[test]
fn inputs_in_the_lagrangian_are_functions_of_time() -> Result<(), Box<dyn std::error::Error>> {
    let times: Vec<f64> = (0..41).map(|k| 0.125 * f64::from(k)).collect();
    let pivot = Signal::sampled(times.clone(), |t| 0.3 * (2.0 * t).sin())?;
    let field = Signal::sampled(times.clone(), |t| 0.5 * t.cos())?;
    let shaken = Shaken { pivot: pivot.clone(), field: field.clone() };
    let railed = Railed { pivot: pivot.clone(), field: field.clone() };
    let mut seeded = Seeded::new(5);
    for t in [0.0, 0.6, 1.3, 4.7] {
        kernels_agree_with_oracle(&shaken, &seeded.numbers(1), &seeded.numbers(1), t);
        kernels_agree_with_oracle(&railed, &seeded.numbers(2), &seeded.numbers(2), t);
    }
    let tabled = Tabled { pivot: pivot.clone(), field: field.clone() }.bind()?;
    let (shaken, railed) = (shaken.bind()?, railed.bind()?);
    let run = |system: &dyn Lagrangian, start: State| -> Result<State, Box<dyn std::error::Error>> {
        let method = VariationalMidpoint::default();
        Ok(integrate(system, &method, start, 0.03125)?.until(5.0).run()?.0.state().clone())
    };
    let start = State::new(vec![0.4], vec![0.2]);
    assert_eq!(run(&shaken, start.clone())?, run(&tabled, start)?);
    // On the rail, beside an accurate solution in the angle, without the wind.
    let still = Shaken { pivot: pivot.clone(), field: Signal::default() }.bind()?;
    let angle =
        integrate(&still, &Reference::default(), State::new(vec![0.4], vec![0.2]), 0.5)?.until(2.0).run()?;
    let rate = pivot.slope(0.0);
    let start = State::new(
        vec![0.4_f64.sin(), -0.4_f64.cos()],
        vec![rate + 0.2 * 0.4_f64.cos(), 0.2 * 0.4_f64.sin()],
    );
    let railed_still = Railed { pivot: pivot.clone(), field: Signal::default() }.bind()?;
    let (found, _) = integrate(&railed_still, &Reference::default(), start.clone(), 0.5)?.until(2.0).run()?;
    let exact = angle.0.state().q[0].sin() + pivot.value(2.0);
    assert!((found.state().q[0] - exact).abs() < 1e-9, "{} {exact}", found.state().q[0]);
    run(&railed, start)?;

    // A jumping signal has no slope: refused where one matters, and taken elsewhere.
    let jumping = Signal::constant(times.clone(), vec![0.1; 40])?;
    let error =
        Shaken { pivot: jumping.clone(), field: field.clone() }.bind().err().map(|error| error.to_string());
    let said = error.unwrap_or_default();
    assert!(said.starts_with("`pivot` jumps from value to value, and the model needs its slope"), "{said}");
    let error =
        Railed { pivot: jumping.clone(), field: field.clone() }.bind().err().map(|error| error.to_string());
    assert!(error.unwrap_or_default().starts_with("`pivot` jumps"));
    assert!(Shaken { pivot, field: jumping }.bind().is_ok());
    Ok(())
}
