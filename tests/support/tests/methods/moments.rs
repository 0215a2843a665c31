//! Events and impacts inside of steps: closed forms, reference values, orders, symmetry, energies, and
//! what is refused.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use least_action::drive::integrate;
use least_action::error::{BindError, StartError, StepError};
use least_action::method::{
    Composition, Event, Langevin, Method, Passed, Rattle, Shake, Stepper, VariationalMidpoint, Verlet,
};
use least_action::prelude::*;
use serde_json::Value;
use test_support::reference::{numbers, read};

struct Ball {
    restitution: f64,
}

#[lagrangian]
impl Ball {
    fn lagrangian(&self, height: Scalar) -> Scalar {
        0.5 * der(height).powi(2) - 9.81 * height
    }

    #[unilateral(restitution = self.restitution)]
    fn floor(&self, height: Scalar) -> Scalar {
        height
    }

    #[event(falling)]
    fn top(&self, height: Scalar) -> Scalar {
        der(height)
    }
}

struct Row {
    masses: Vec<f64>,
    restitution: f64,
}

#[lagrangian]
impl Row {
    fn lagrangian(&self, x: [Scalar; self.masses.len()]) -> Scalar {
        sum(0..self.masses.len(), |i| 0.5 * self.masses[i] * der(x[i]).powi(2))
    }

    #[unilateral(restitution = self.restitution)]
    fn gaps(&self, x: [Scalar; self.masses.len()]) -> [Scalar; self.masses.len() - 1] {
        each(1..self.masses.len(), |i| x[i] - x[i - 1] - 1.0)
    }
}

/// A particle in a bowl that a curved wall cuts.
struct Bowl;

#[lagrangian]
impl Bowl {
    fn lagrangian(&self, x: Vec2) -> Scalar {
        let height = 0.5 * x.norm_squared() + 0.1 * x.x.powi(4) + 0.3 * x.x.powi(3) * x.y + 0.2 * x.y.powi(4);
        0.5 * der(x).norm_squared() - height
    }

    #[unilateral]
    fn wall(&self, x: Vec2) -> Scalar {
        x.y + 0.5 - 0.2 * x.x.powi(2)
    }

    #[event(rising)]
    fn crossing(&self, x: Vec2) -> Scalar {
        x.x - 0.12 * x.y * x.y - 0.05
    }

    #[event]
    fn turning(&self, x: Vec2) -> Scalar {
        der(x).x * x.y - 0.1
    }
}

struct HenonHeiles;

#[lagrangian]
impl HenonHeiles {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        let kinetic = 0.5 * (der(x).powi(2) + der(y).powi(2));
        kinetic - 0.5 * (x * x + y * y) - x * x * y + y.powi(3) / 3.0
    }

    #[event]
    fn section(&self, x: Scalar, y: Scalar) -> Scalar {
        x - 0.12 * y * y - 0.05
    }
}

/// A double pendulum whose lower bob meets a wall, with rods.
struct Rods {
    wall: f64,
    restitution: f64,
}

#[lagrangian]
impl Rods {
    fn lagrangian(&self, upper: Vec2, lower: Vec2) -> Scalar {
        0.5 * (der(upper).norm_squared() + der(lower).norm_squared()) - 9.81 * (upper.y + lower.y)
    }

    #[holonomic]
    fn rods(&self, upper: Vec2, lower: Vec2) -> [Scalar; 2] {
        [upper.norm_squared() - 1.0, (lower - upper).norm_squared() - 1.0]
    }

    #[unilateral(restitution = self.restitution)]
    fn wall(&self, lower: Vec2) -> Scalar {
        lower.x - self.wall
    }
}

/// The same in angles, with a mass that depends on them.
struct Angles {
    wall: f64,
    restitution: f64,
}

#[lagrangian]
impl Angles {
    fn lagrangian(&self, theta: [Angle; 2]) -> Scalar {
        let upper = vec2(theta[0].sin(), -theta[0].cos());
        let lower = upper + vec2(theta[1].sin(), -theta[1].cos());
        0.5 * (der(upper).norm_squared() + der(lower).norm_squared()) - 9.81 * (upper.y + lower.y)
    }

    #[unilateral(restitution = self.restitution)]
    fn wall(&self, theta: [Angle; 2]) -> Scalar {
        theta[0].sin() + theta[1].sin() - self.wall
    }
}

struct Kicked {
    speed: f64,
}

#[lagrangian]
impl Kicked {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        0.5 * (der(x).powi(2) + der(y).powi(2) - x * x - y * y)
    }

    #[event(rising)]
    fn gate(&self, x: Scalar) -> Scalar {
        x
    }

    #[reset(gate, y)]
    fn kick(&self, x: Scalar, y: Scalar) -> Scalar {
        der(y) + self.speed * der(x)
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

/// All moments of some steps.
fn moments(stepper: &mut dyn Stepper, steps: u64) -> Vec<(String, Passed)> {
    let mut found = Vec::new();
    for _ in 0..steps {
        stepper.step().unwrap();
        let names = stepper.moment_names();
        found.extend(stepper.passed().iter().map(|passed| (names[passed.name].clone(), passed.clone())));
    }
    found
}

fn impacts(stepper: &mut dyn Stepper, steps: u64) -> Vec<Passed> {
    let all = moments(stepper, steps).into_iter().map(|(_, passed)| passed);
    all.filter(|passed| passed.before.is_some()).collect()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_ball_bounces_at_its_times() {
    let known = &read("events.json")["ball"];
    let (restitution, height) = (number(&known["restitution"]), number(&known["height"]));
    let system = Ball { restitution }.bind().unwrap();
    // Parabolas are exact by Verlet: an error would be one of the moments.
    let mut run = Verlet.start(&system, State::at_rest(vec![height]), 0.01).unwrap();
    let found = moments(&mut run, 300);
    let of = |name: &str| -> Vec<&Passed> {
        found.iter().filter(|(own, _)| own == name).map(|(_, passed)| passed).collect()
    };
    let times: Vec<f64> = of("floor").iter().map(|passed| passed.state.t).collect();
    assert!(largest_difference(&times, &numbers(&known["impact_times"])[..times.len()]) < 1e-12, "{times:?}");
    for (k, Passed { impulse, energy, count, .. }) in of("floor").into_iter().enumerate() {
        let expected = -0.5 * (1.0 - restitution) / (1.0 + restitution) * impulse.powi(2);
        assert!((energy - expected).abs() < 1e-13, "{energy:e}, not {expected:e}");
        assert_eq!(*count, k as u64 + 1);
    }
    let middles: Vec<f64> = times.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
    let tops: Vec<f64> = of("top").iter().map(|passed| passed.state.t).collect();
    assert!(largest_difference(&tops[..middles.len()], &middles) < 1e-12);
}

#[test]
fn balls_in_a_row_collide_together() {
    for known in read("events.json")["cradle"].as_array().unwrap() {
        let [masses, v, expected] =
            ["masses", "velocities", "simultaneous"].map(|name| numbers(&known[name]));
        let system = Row { masses, restitution: number(&known["restitution"]) }.bind().unwrap();
        let q = (0..v.len()).map(|k| k as f64).collect();
        let mut run = Verlet.start(&system, State::new(q, v), 0.1).unwrap();
        assert!(!impacts(&mut run, 5).is_empty());
        assert!(
            largest_difference(&run.state().v, &expected) < 1e-12,
            "{:?}, not {expected:?}",
            run.state().v
        );
    }
}

#[test]
fn a_double_pendulum_meets_a_wall() {
    for known in read("events.json")["chain_on_wall"].as_array().unwrap() {
        let (wall, restitution) = (number(&known["wall"]), number(&known["restitution"]));
        let [angles, end] = ["angles", "end_positions"].map(|name| numbers(&known[name]));
        let hits = known["impacts"].as_array().unwrap();
        let of = |name: &str| -> Vec<f64> { hits.iter().map(|hit| number(&hit[name])).collect() };
        let steps = 2000;
        let check = |found: &[Passed], end_found: &[f64]| {
            let column = |get: fn(&Passed) -> f64| -> Vec<f64> { found.iter().map(get).collect() };
            assert!(largest_difference(&column(|passed| passed.state.t), &of("time")) < 1e-10);
            assert!(largest_difference(&column(|passed| passed.impulse), &of("impulse")) < 2e-8);
            assert!(largest_difference(&column(|passed| passed.energy), &of("energy_change")) < 2e-8);
            assert!(largest_difference(end_found, &end) < 1e-9);
        };
        let rods = Rods { wall, restitution }.bind().unwrap();
        let at = |k: usize| [angles[k].sin(), -angles[k].cos()];
        let ([a, b], [c, d]) = (at(0), at(1));
        let method = Composition::of(Rattle::default(), 6);
        let start = State::at_rest(vec![a, b, a + c, b + d]);
        let mut run = method.start(&rods, start, 2.0 / steps as f64).unwrap();
        check(&impacts(&mut run, steps), &{ run.state() }.q);

        let system = Angles { wall, restitution }.bind().unwrap();
        let method = Composition::of(VariationalMidpoint::default(), 6);
        let mut run = method.start(&system, State::at_rest(angles), 2.0 / steps as f64).unwrap();
        let found = impacts(&mut run, steps);
        let q = &run.state().q;
        let upper = [q[0].sin(), -q[0].cos()];
        check(&found, &[upper[0], upper[1], upper[0] + q[1].sin(), upper[1] - q[1].cos()]);
    }
}

/// The end and the times of all moments.
fn ends(order: u32, steps: u64) -> (Vec<f64>, Vec<f64>) {
    let system = Bowl.bind().unwrap();
    let method = Composition::of(Verlet, order);
    let start = State::new(vec![0.4, 0.1], vec![0.2, -0.9]);
    let mut run = method.start(&system, start, 6.0 / steps as f64).unwrap();
    let times = moments(&mut run, steps).into_iter().map(|(_, passed)| passed.state.t).collect();
    let State { q, v, .. } = run.state();
    (q.iter().chain(v).copied().collect(), times)
}

#[test]
fn impacts_and_moments_keep_the_order() {
    let (end, times) = ends(8, 1200);
    assert_eq!(times.len(), 6);
    for (order, steps) in [(2, 240), (4, 120), (6, 120)] {
        let errors = [steps, 2 * steps].map(|steps| {
            let found = ends(order, steps);
            [largest_difference(&found.0, &end), largest_difference(&found.1, &times)]
        });
        for k in 0..2 {
            let slope = (errors[0][k] / errors[1][k]).log2();
            assert!((slope - f64::from(order)).abs() < 0.2, "order {order}: {slope}, {errors:?}");
        }
    }
}

#[test]
fn a_section_has_the_times_of_the_reference() {
    let known = &read("events.json")["henon_heiles_event"];
    let system = HenonHeiles.bind().unwrap();
    let [q, v, times] = ["q0", "v0", "times"].map(|name| numbers(&known[name]));
    let start = State::new(q, v);
    for (order, h, tolerance) in [(2, 0.0125, 4e-4), (4, 0.0125, 1e-8), (6, 0.0125, 1e-12)] {
        let steps = (number(&known["until"]) / h).round() as u64;
        let mut run = Composition::of(Verlet, order).start(&system, start.clone(), h).unwrap();
        let found: Vec<f64> = moments(&mut run, steps).iter().map(|(_, passed)| passed.state.t).collect();
        assert!(largest_difference(&found, &times) < tolerance, "order {order}: {found:?}");
    }
    // A recorded moment changes no bit of the motion.
    let along = |event: Option<Event>| {
        let mut run = Verlet.start(&system, start.clone(), 0.05).unwrap();
        event.into_iter().for_each(|event| run.look_for(event).unwrap());
        (0..400).for_each(|_| run.step().unwrap());
        run.state().clone()
    };
    assert_eq!(along(None), along(Some(Event::of("fast", |state| state.v[0] - 0.2))));
}

#[test]
fn an_impact_is_undone_by_the_opposite_motion() {
    let rods = Rods { wall: 0.3, restitution: 1.0 }.bind().unwrap();
    let start = State::at_rest(vec![1.0, 0.0, 2.0, 0.0]);
    let back = |state: &State| State::new(state.q.clone(), state.v.iter().map(|v| -v).collect());
    let mut run = Rattle::default().start(&rods, start.clone(), 0.001).unwrap();
    assert_eq!(impacts(&mut run, 1000).len(), 1);
    let mut run = Rattle::default().start(&rods, back(run.state()), 0.001).unwrap();
    assert_eq!(impacts(&mut run, 1000).len(), 1);
    assert!(largest_difference(&run.state().q, &start.q) < 1e-12, "{:?}", run.state().q);
    assert!(largest_difference(&run.state().v, &start.v) < 1e-11, "{:?}", run.state().v);
}

/// The largest |H − H₀| over so many impacts in the bowl.
fn energy_after(impacts: u64) -> f64 {
    let system = Bowl.bind().unwrap();
    let start = State::new(vec![0.0, 0.3], vec![0.05, -0.6]);
    let energy = |State { q, v, t }: &State| system.energy(q, v, *t);
    let begin = energy(&start);
    let mut run = Verlet.start(&system, start, 0.05).unwrap();
    let (mut found, mut most) = (0, 0.0_f64);
    while found < impacts {
        run.step().unwrap();
        found += run.passed().iter().filter(|passed| passed.before.is_some()).count() as u64;
        most = most.max((energy(run.state()) - begin).abs());
    }
    most
}

#[test]
fn the_energy_of_a_regular_motion_stays_bounded_over_impacts() {
    let first = energy_after(1_000);
    assert!(energy_after(10_000) < 1.1 * first, "{first:e}");
}

#[test]
#[ignore = "takes a minute"]
fn the_energy_of_a_regular_motion_stays_bounded_over_a_hundred_thousand_impacts() {
    assert!(energy_after(100_000) < 1.1 * energy_after(1_000));
}

#[test]
fn a_reset_gives_velocities() {
    let system = Kicked { speed: 0.5 }.bind().unwrap();
    let start = State::new(vec![-1.0, 0.2], vec![0.0, 0.0]);
    let mut run = Composition::of(Verlet, 8).start(&system, start, 0.05).unwrap();
    let found = moments(&mut run, 60);
    assert_eq!(found.len(), 1);
    let Passed { state, before, energy, rises: true, .. } = &found[0].1 else { panic!("{found:?}") };
    let quarter = std::f64::consts::FRAC_PI_2;
    // y = 0.2 cos t, x = −cos t.
    assert!((state.t - quarter).abs() < 1e-10);
    assert!(largest_difference(before.as_ref().unwrap(), &[1.0, -0.2]) < 1e-9);
    assert!(largest_difference(&state.v, &[1.0, 0.3]) < 1e-9);
    assert!((energy - 0.5 * (0.3_f64.powi(2) - 0.2_f64.powi(2))).abs() < 1e-9);
    let after = 3.0 - quarter;
    assert!((run.state().q[1] - 0.3 * after.sin()).abs() < 1e-9);
}

/// A swing in the potential ½ q² whose amplitude exceeds a level a little.
#[test]
fn a_grazing_deeper_than_the_error_of_the_cubic_is_seen() {
    struct Swing;
    #[lagrangian]
    impl Swing {
        fn lagrangian(&self, q: Scalar) -> Scalar {
            0.5 * (der(q).powi(2) - q * q)
        }
    }
    let system = Swing.bind().unwrap();
    let mut missed = 0;
    for k in 0..300 {
        let depth = 10.0_f64.powf(-4.0 + 3.0 * f64::from(k) / 300.0);
        let phase = 0.37 * f64::from(k);
        let start = State::new(vec![phase.sin()], vec![phase.cos()]);
        // Thirty steps a period.
        let mut run = Composition::of(Verlet, 6).start(&system, start, 0.2).unwrap();
        run.look_for(Event::of("level", move |state: &State| state.q[0] - 1.0 + depth)).unwrap();
        let found = moments(&mut run, 36);
        missed += usize::from(found.len() < 2);
    }
    assert_eq!(missed, 0);
}

#[test]
fn a_run_ends_at_an_event() {
    let system = Ball { restitution: 0.8 }.bind().unwrap();
    let start = State::at_rest(vec![1.0]);
    let known = numbers(&read("events.json")["ball"]["impact_times"]);
    let mut tops = 0;
    let run = integrate(&system, &Verlet, start, 0.01).unwrap().until(100.0);
    let run = run.event(Event::named("floor").ending_after(3)).unwrap().on("top", |_| tops += 1);
    let recording = run.every(7).record().unwrap();
    let end = recording.times().last().unwrap();
    assert!((end - known[2]).abs() < 1e-12, "{end}");
    let table = recording.moments().unwrap();
    assert_eq!(recording.moment_names(), ["floor", "top"]);
    assert_eq!(table.column("event").unwrap(), [0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(table.column("count").unwrap(), [1.0, 1.0, 2.0, 2.0, 3.0]);
    assert!(recording.verdict().is_believed(), "{:?}", recording.verdict());
    drop(recording);
    assert_eq!(tops, 2);
}

/// A search for a gap says where it counts, and not where it closes.
#[test]
fn a_search_changes_no_impact() {
    let system = Ball { restitution: 1.0 }.bind().unwrap();
    let mut run = Verlet.start(&system, State::at_rest(vec![1.0]), 0.01).unwrap();
    run.look_for(Event::named("floor").rising()).unwrap();
    assert_eq!(impacts(&mut run, 50).len(), 1);
}

/// A thermostat acts between steps, and its moments are those of the method inside.
#[test]
fn a_thermostat_tells_the_moments_of_its_method() {
    let system = Ball { restitution: 1.0 }.bind().unwrap();
    let method = Langevin { friction: 0.1, ..Langevin::around(Verlet) };
    let mut run = method.start(&system, State::at_rest(vec![1.0]), 0.01).unwrap();
    run.look_for(Event::of("half", |state| state.q[0] - 0.5).falling().ending_after(2)).unwrap();
    let mut heights = 0;
    while !run.has_ended() {
        run.step().unwrap();
        heights += run.passed().iter().filter(|passed| passed.before.is_some()).count();
        assert!(run.state().q[0] >= 0.0 && run.steps() < 100_000);
    }
    assert!(heights > 0);
    assert!((run.state().q[0] - 0.5).abs() < 1e-14, "{:?}", run.state());
}

#[test]
fn runs_that_cannot_be_are_refused() {
    let ball = Ball { restitution: 0.8 }.bind().unwrap();
    let error = Verlet.start(&ball, State::at_rest(vec![-0.1]), 0.01).unwrap_err();
    assert!(matches!(&error, StartError::GapViolated { gap, .. } if gap == "floor"), "{error}");
    let rods = Rods { wall: 0.3, restitution: 1.0 }.bind().unwrap();
    let start = State::at_rest(vec![1.0, 0.0, 2.0, 0.0]);
    let error = Shake::default().start(&rods, start, 0.01).unwrap_err();
    assert!(matches!(&error, StartError::MomentsNotKept { moment, .. } if moment == "wall"), "{error}");
    let mut run = Verlet.start(&ball, State::at_rest(vec![1.0]), 0.01).unwrap();
    let error = run.look_for(Event::named("flor")).unwrap_err();
    assert!(matches!(&error, StartError::UnknownEvent { event, .. } if event == "flor"), "{error}");
    let error = Ball { restitution: 1.2 }.bind().err().unwrap();
    assert!(matches!(error, BindError::ContactOutOfRange { value: 1.2, .. }), "{error}");

    // The bounces of a ball accumulate.
    let mut run = Verlet.start(&ball, State::at_rest(vec![1.0]), 0.01).unwrap();
    let error = (0..500).find_map(|_| run.step().err()).unwrap();
    let StepError::Failed(failed) = &error else { panic!("{error}") };
    let known = number(&read("events.json")["ball"]["zeno_time"]);
    assert!((failed.time - known).abs() < 1e-5 && failed.place == "floor", "{error}");
    assert!(run.state().t <= failed.time && run.state().q[0] >= 0.0);
}
