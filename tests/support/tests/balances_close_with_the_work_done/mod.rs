//! The balances of energy and momenta: the rest of their change beside the work of forces, of
//! constraints and of time is the error of the method, of its order; a wrong sign, factor or term leaves
//! the work itself.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use least_action::advanced::noether::Certainty;
use least_action::advanced::wrap::Penalized;
use least_action::drive::{Balance, Moment, Quantity, Recording, integrate};
use least_action::method::multiscale::{Asynchronous, BoxFilter, Hmm, LeapFrog};
use least_action::method::{
    Composition, Langevin, Method, Rattle, Reference, Report, Stepper, VariationalMidpoint,
    VariationalTrapezoid, Verlet,
};
use least_action::prelude::*;
use least_action::system::{Lagrangian, Signal, System};
use test_support::structure::order_by_slope;

/// Two balls on springs to the origin and to each other, in air, with a damper between them.
struct Balls {
    air: f64,
    damper: f64,
}

#[lagrangian]
impl Balls {
    fn lagrangian(&self, a: Vec2, b: Vec2) -> Scalar {
        let springs = 2.0 * a.norm_squared() + 1.5 * b.norm_squared() + ((a - b).norm() - 0.5).powi(2);
        der(a).norm_squared() + 0.75 * der(b).norm_squared() - springs
    }

    #[force(a)]
    fn air(&self, a: Vec2) -> Vec2 {
        -self.air * der(a)
    }

    #[dissipation]
    fn damper(&self, a: Vec2, b: Vec2) -> Scalar {
        // Along the line between them, so that it turns nothing.
        0.5 * self.damper * (a - b).normalize().dot(der(a - b)).powi(2)
    }
}

fn thrown() -> State {
    State::new(vec![1.0, 0.0, 0.2, 0.9], vec![0.1, 1.2, -0.8, 0.3])
}

/// A slider–crank with a motor, in its two angles.
struct Crank {
    torque: f64,
}

#[lagrangian]
impl Crank {
    fn lagrangian(&self, crank: Angle, rod: Angle) -> Scalar {
        let pin = 0.3 * vec2(crank.cos(), crank.sin());
        let middle = pin + 0.45 * vec2(rod.cos(), rod.sin());
        let slider = pin.x + 0.9 * rod.cos();
        let rods = 0.0075 * der(crank).powi(2) + 0.027 * der(rod).powi(2) + 0.4 * der(middle).norm_squared();
        rods + 0.5 * der(slider).powi(2) - 9.81 * (0.25 * pin.y + 0.8 * middle.y)
    }

    #[holonomic]
    fn slide(&self, crank: Angle, rod: Angle) -> Scalar {
        0.3 * crank.sin() + 0.9 * rod.sin()
    }

    #[force(crank)]
    fn motor(&self, crank: Angle, t: Time) -> Scalar {
        self.torque + 0.4 * (2.0 * t).cos() - 0.2 * der(crank)
    }
}

/// A weight on a rod whose pivot moves.
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

/// The rod along x, moving with its pivot at the start.
fn lifted() -> State {
    State::new(vec![1.0, 0.0], vec![0.0, 0.4])
}

/// Chaplygin's sleigh, on ice that moves sideways under its blade.
struct Sleigh {
    drift: f64,
}

#[lagrangian]
impl Sleigh {
    fn lagrangian(&self, blade: Vec2, heading: Angle) -> Scalar {
        let centre = blade + 0.25 * vec2(heading.cos(), heading.sin());
        0.6 * der(centre).norm_squared() + 0.175 * der(heading).powi(2)
    }

    #[nonholonomic]
    fn edge(&self, blade: Vec2, heading: Angle, t: Time) -> Scalar {
        der(blade).dot(vec2(-heading.sin(), heading.cos())) - self.drift * t.cos()
    }
}

/// Turning, and moving with the ice across the blade.
fn sliding(system: &Sleigh) -> State {
    let (sine, cosine) = 0.3_f64.sin_cos();
    let v = vec![0.5 * cosine - system.drift * sine, 0.5 * sine + system.drift * cosine, 1.1];
    State::new(vec![0.0, 0.0, 0.3], v)
}

/// The largest balance of a run of `steps` steps until `end`, and the largest change of the quantity.
fn balance<S, M>(system: &S, method: &M, start: &State, end: f64, steps: u64, name: &str) -> [f64; 2]
where
    S: Lagrangian + ?Sized,
    M: Method<S>,
{
    let run = measured(system, method, start, end, steps, name);
    let balance = run.column(&format!("{name}_balance")).unwrap();
    let value: Vec<f64> = if name == "energy" {
        let states = run.times().zip(run.positions().zip(run.velocities()));
        states.map(|(t, (q, v))| system.energy(q, v, t)).collect()
    } else {
        run.column(name).unwrap()
    };
    // At the first moment after the start the integral knows no more than a straight line.
    [&balance, &value].map(|column| {
        column.iter().skip(2).fold(0.0, |largest: f64, value| {
            let change = (value - column[0]).abs();
            if largest.is_nan() || change <= largest { largest } else { change }
        })
    })
}

fn measured<S, M>(system: &S, method: &M, start: &State, end: f64, steps: u64, name: &str) -> Recording
where
    S: Lagrangian + ?Sized,
    M: Method<S>,
{
    let balance =
        if name == "energy" { Balance::of_energy(system) } else { Balance::named(system, name).unwrap() };
    let run = integrate(system, method, start.clone(), end / steps as f64).unwrap().until(end);
    run.measure(balance).record().unwrap()
}

/// The balance closes with the order of the method, and is small beside the work that is done.
fn closes<S, M>(system: &S, method: &M, start: &State, end: f64, steps: [u64; 2], name: &str)
where
    S: Lagrangian + ?Sized,
    M: Method<S>,
{
    let [finest, change] = balance(system, method, start, end, steps[1], name);
    assert!(change > 0.1, "{name} of {}: nothing happens, {change}", system.name());
    assert!(finest < 5e-3 * change, "{name} of {} by {}: {finest:e} of {change}", system.name(), M::NAME);
    let slope = order_by_slope(&steps, |steps| balance(system, method, start, end, steps, name)[0]);
    let order = f64::from(method.order());
    assert!((slope - order).abs() < 0.25, "{name} of {} by {}: order {slope}", system.name(), M::NAME);
}

fn names(system: &impl System) -> [Vec<&str>; 2] {
    [system.conserved(), system.balanced()].map(|all| all.iter().map(|one| &*one.name).collect())
}

#[test]
fn drag_takes_energy_and_momentum_and_a_damper_between_two_takes_no_momentum() {
    let system = Balls { air: 0.3, damper: 0.2 }.bind().unwrap();
    assert_eq!(names(&system), [vec![], vec!["energy", "angular_momentum_z"]]);
    assert!(system.balanced().iter().all(|one| one.certainty == Certainty::Proven));
    for name in ["energy", "angular_momentum_z"] {
        closes(&system, &Verlet, &thrown(), 4.0, [200, 400], name);
        closes(&system, &Composition::of(Verlet, 4), &thrown(), 4.0, [100, 200], name);
        closes(&system, &VariationalMidpoint::default(), &thrown(), 4.0, [200, 400], name);
    }
    // The quadrature alone: the trajectory is exact.
    let exact = Reference { tolerance: 1e-13 };
    let of = |steps| balance(&system, &exact, &thrown(), 4.0, steps, "angular_momentum_z")[0];
    let slope = order_by_slope(&[100, 200], of);
    assert!((3.7..4.5).contains(&slope) && of(400) < 1e-7, "{slope} {:e}", of(400));

    let damped = Balls { air: 0.0, damper: 0.4 }.bind().unwrap();
    let [balance, change] = balance(&damped, &Verlet, &thrown(), 4.0, 400, "angular_momentum_z");
    assert!(balance < 1e-12 && change < 1e-12, "{balance:e} {change:e}");
}

#[test]
fn a_motor_drives_a_slider_crank() {
    let system = Crank { torque: 1.5 }.bind().unwrap();
    assert_eq!(names(&system), [vec![], vec!["energy"]]);
    let crank = 0.4_f64;
    let rod = (-crank.sin() / 3.0).asin();
    let start = State::new(vec![crank, rod], vec![0.9, -0.9 * crank.cos() / (3.0 * rod.cos())]);
    closes(&system, &VariationalMidpoint::default(), &start, 2.0, [400, 800], "energy");
    closes(&system, &VariationalTrapezoid::default(), &start, 2.0, [400, 800], "energy");
    closes(&system, &Composition::of(VariationalMidpoint::default(), 4), &start, 2.0, [200, 400], "energy");
}

#[test]
fn a_constraint_that_moves_does_work() {
    let system = Lifted.bind().unwrap();
    assert_eq!(names(&system), [Vec::<&str>::new(), vec![]]);
    closes(&system, &Rattle::default(), &lifted(), 3.0, [300, 600], "energy");
    closes(&system, &VariationalTrapezoid::default(), &lifted(), 3.0, [300, 600], "energy");
    closes(&system, &Composition::of(Rattle::default(), 4), &lifted(), 3.0, [300, 600], "energy");
    let [balance, change] = balance(&system, &Reference::default(), &lifted(), 3.0, 600, "energy");
    assert!(balance < 1e-6 * change, "{balance:e} of {change}");
    // The penalty does the work of its motion by itself.
    let penalized = Penalized::new(&system, 30.0).unwrap();
    let [balance, change] = self::balance(&penalized, &Verlet, &lifted(), 3.0, 6000, "energy");
    assert!(balance < 1e-2 * change, "{balance:e} of {change}");
}

#[test]
fn rows_on_velocities_turn_and_push() {
    let still = Sleigh { drift: 0.0 };
    let system = still.bind().unwrap();
    assert_eq!(names(&system), [vec![], vec!["energy", "momentum_x", "momentum_y", "angular_momentum_z"]]);
    let momenta = ["momentum_x", "momentum_y", "angular_momentum_z"];
    let drifting = Sleigh { drift: 0.7 };
    let moved = drifting.bind().unwrap();
    for name in momenta {
        closes(&system, &VariationalMidpoint::default(), &sliding(&still), 3.0, [200, 400], name);
        closes(&moved, &VariationalTrapezoid::default(), &sliding(&drifting), 3.0, [200, 400], name);
        closes(
            &moved,
            &Composition::of(VariationalMidpoint::default(), 4),
            &sliding(&drifting),
            3.0,
            [100, 200],
            name,
        );
    }
    closes(&moved, &VariationalMidpoint::default(), &sliding(&drifting), 3.0, [200, 400], "energy");
    let composed = Composition::of(VariationalMidpoint::default(), 4);
    closes(&moved, &composed, &sliding(&drifting), 3.0, [100, 200], "energy");
}

/// Balls in space, left alone.
struct Alone;

#[lagrangian]
impl Alone {
    fn lagrangian(&self, balls: [Vec3; 3]) -> Scalar {
        let springs = sum(pairs(3), |(i, j)| ((balls[i] - balls[j]).norm() - 1.0).powi(2));
        sum(0..3, |i| 0.5 * der(balls[i]).norm_squared()) - springs
    }
}

#[test]
fn what_is_conserved_has_a_balance_without_work() {
    let system = Alone.bind().unwrap();
    let start = State::new(
        vec![0.0, 0.1, 0.0, 1.2, 0.0, 0.3, 0.4, 1.1, -0.2],
        vec![0.3, 0.0, 0.2, -0.1, 0.5, 0.0, 0.1, -0.4, 0.6],
    );
    assert!(system.balanced().is_empty() && system.conserved().len() == 7);
    for quantity in system.conserved().iter().filter(|one| one.name != "energy") {
        let [balance, _] = balance(&system, &Verlet, &start, 5.0, 200, &quantity.name);
        assert!(balance < 1e-13, "{}: {balance:e}", quantity.name);
    }
    let run = measured(&system, &Verlet, &start, 5.0, 200, "energy");
    assert!(run.column("power").unwrap().iter().all(|power| *power == 0.0));
    let (states, kept) = (run.positions().zip(run.velocities()), run.column("energy_balance").unwrap());
    let first = system.energy(&start.q, &start.v, 0.0);
    for ((q, v), kept) in states.zip(kept) {
        assert_eq!(kept.to_bits(), (system.energy(q, v, 0.0) - first).to_bits());
    }
    assert!(Balance::named(&system, "momentum_w").is_none());
}

/// A rotor with friction, which a torque of the author's course drives.
struct Rotor {
    friction: f64,
    torque: Signal,
}

#[lagrangian]
impl Rotor {
    fn lagrangian(&self, phi: Angle) -> Scalar {
        der(phi).powi(2)
    }

    #[force]
    fn motor(&self, phi: Angle, torque: Input) -> Scalar {
        torque - self.friction * der(phi)
    }
}

/// Jumps and bends at moments cost nothing: there the integral begins anew.
#[test]
fn signals_that_jump_at_moments_keep_the_order() {
    let times = vec![0.0, 0.5, 1.25, 2.0, 3.0];
    let torques = [
        Signal::constant(times.clone(), vec![2.0, -1.0, 3.0, 0.5]).unwrap(),
        Signal::linear(times, vec![0.0, 2.0, -1.0, 3.0, 0.0]).unwrap(),
    ];
    for torque in torques {
        let free = Rotor { friction: 0.0, torque: torque.clone() }.bind().unwrap();
        let start = State::new(vec![0.0], vec![0.5]);
        assert_eq!(names(&free)[1], ["energy", "momentum_phi"]);
        let run = measured(&free, &VariationalMidpoint::default(), &start, 3.0, 24, "momentum_phi");
        for (t, momentum) in run.times().zip(run.column("momentum_phi").unwrap()) {
            assert!((momentum - 1.0 - torque.integral(0.0, t)).abs() < 1e-12, "{t}");
        }
        let balances = run.column("momentum_phi_balance").unwrap();
        assert!(balances.iter().all(|balance| balance.abs() < 1e-6), "{balances:?}");

        let braked = Rotor { friction: 0.4, torque }.bind().unwrap();
        let composed = Composition::of(VariationalMidpoint::default(), 4);
        for name in ["momentum_phi", "energy"] {
            let of = |steps| {
                let run = measured(&braked, &composed, &start, 3.0, steps, name);
                run.column(&format!("{name}_balance")).unwrap().last().unwrap().abs()
            };
            let slope = order_by_slope(&[48, 96], of);
            assert!(slope > 3.6 && of(96) < 1e-5, "{name}: {slope}, {:e}", of(96));
        }
    }
}

/// A jump between two moments costs at most its size by half their distance.
#[test]
fn a_jump_between_moments_costs_little() {
    let torque = Signal::constant(vec![0.0, 0.51, 3.0], vec![2.0, -1.0]).unwrap();
    let system = Rotor { friction: 0.0, torque }.bind().unwrap();
    let start = State::new(vec![0.0], vec![0.5]);
    let [balance, _] = balance(&system, &VariationalMidpoint::default(), &start, 3.0, 30, "momentum_phi");
    assert!((0.01..0.15 + 1e-9).contains(&balance), "{balance}");
}

/// A thermostat gives heat, which is no work.
#[test]
fn heat_is_taken_out() {
    let system = Balls { air: 0.0, damper: 0.0 }.bind().unwrap();
    let method = Langevin { friction: 0.5, inverse_temperature: 0.5, ..Langevin::around(Verlet) };
    let of = |steps| balance(&system, &method, &thrown(), 5.0, steps, "energy");
    let [[coarse, _], [fine, change]] = [of(500), of(2000)];
    assert!(fine < 0.02 * change && fine < 0.3 * coarse, "{coarse:e} {fine:e} of {change}");
}

/// A point whose pivot vibrates fast.
struct Vibrated {
    omega: f64,
}

#[lagrangian]
impl Vibrated {
    fn lagrangian(&self, bob: Vec2, theta: Phase) -> Scalar {
        0.5 * der(bob).norm_squared() - 2.0 * bob.norm_squared() - 400.0 * theta.cos() * (bob.x * bob.y).sin()
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }
}

/// An averaged motion has an energy of its own.
#[test]
fn averages_are_not_balanced() {
    let system = Vibrated { omega: 1e3 }.bind().unwrap();
    let start = State::new(vec![0.3, 0.2], vec![0.1, 0.0]);
    let method = Hmm::new(LeapFrog, Asynchronous, BoxFilter::default());
    let run = measured(&system, &method, &start, 0.5, 20, "energy");
    assert!(run.column("energy_balance").unwrap().iter().skip(1).all(|balance| balance.is_nan()));
    let [balance, change] = balance(&system, &Verlet, &start, 0.5, 50_000, "energy");
    assert!(balance < 1e-2 * change, "{balance:e} of {change}");
}

/// The first moments of a pivoted rod without its multiplier, and one that comes again.
#[test]
fn the_work_of_multipliers_that_are_not_known_is_not_invented() {
    let system = Lifted.bind().unwrap();
    // Where the rod moves at once.
    let start = State::new(vec![0.6, 0.8], vec![-0.4, 0.9]);
    let mut balance = Balance::of_energy(&system);
    let mut stepper = Rattle::default().start(&system, start.clone(), 0.01).unwrap();
    let mut measured = [0.0; 2];
    let mut largest = 0.0_f64;
    for step in 0..=40_u64 {
        if step > 0 {
            stepper.step().unwrap();
        }
        let known = ![0, 1, 17].contains(&step);
        let moment = Moment {
            step,
            of: 40,
            state: stepper.state(),
            multipliers: stepper.multipliers().filter(|_| known),
            report: Report::default(),
        };
        balance.measure(&moment, &mut measured);
        assert_eq!(measured.map(f64::is_nan), [!known; 2], "step {step}");
        if known {
            largest = largest.max(measured[1].abs());
        }
    }
    assert!(largest < 2e-3 && largest > 0.0, "{largest:e}");
    // A moment before the last, as of a run that has blown up: nothing is known of it.
    let multipliers = Some(&[1.0][..]);
    let again = Moment { step: 30, of: 40, state: &start, multipliers, report: Report::default() };
    balance.measure(&again, &mut measured);
    assert!(measured[0].is_finite() && measured[1].is_nan());
    // A new run begins with step 0.
    balance.measure(&Moment { step: 0, ..again }, &mut measured);
    assert_eq!(measured[1].to_bits(), 0.0_f64.to_bits());
}

#[test]
fn wrappers_keep_what_they_leave_alone() {
    let system = Forced { radius: 1.0 }.bind().unwrap();
    assert_eq!(names(&system)[1], ["energy", "angular_momentum_z"]);
    let penalized = Penalized::new(&system, 10.0).unwrap();
    assert_eq!(names(&penalized), [vec![], vec!["energy"]]);
    assert!(Balance::named(&penalized, "angular_momentum_z").is_none());
    assert!(Balance::named(&penalized, "energy").is_some());
    // The momentum of the system itself, along the penalized motion.
    let start = State::new(vec![1.0, 0.0], vec![0.0, 1.5]);
    let run = integrate(&penalized, &Verlet, start, 1e-3).unwrap().until(2.0);
    let run = run.measure(Balance::named(&system, "angular_momentum_z").unwrap()).record().unwrap();
    let momentum = run.column("angular_momentum_z").unwrap();
    assert!(momentum.last().unwrap() < &1.2);
    assert!(run.column("angular_momentum_z_balance").unwrap().iter().all(|value| value.abs() < 1e-5));
}

/// A bead on a ring in oil.
struct Forced {
    radius: f64,
}

#[lagrangian]
impl Forced {
    fn lagrangian(&self, bead: Vec2) -> Scalar {
        0.5 * der(bead).norm_squared()
    }

    #[holonomic]
    fn ring(&self, bead: Vec2) -> Scalar {
        bead.norm_squared() - self.radius
    }

    #[force]
    fn oil(&self, bead: Vec2) -> Vec2 {
        -0.3 * der(bead)
    }
}
