//! The rows of the table: a step of a system of the papers by a method, by hand and by the library.

pub(crate) mod by_hand;
pub(crate) mod counted;

use by_hand::{ByHand, Told, angles, central, driven, four_bar, penalty, rigid_body, rods, water};
use least_action::advanced::wrap::Penalized;
use least_action::binding::{Bound, Model};
use least_action::method::multiscale::{Asynchronous, BoxFilter, Hmm, LeapFrog};
use least_action::method::{
    Method, PushForwardNewmark, Rattle, RotationVerlet, Shake, Stepper, VariationalMidpoint, Verlet,
    ZhangSkeel,
};
use least_action::prelude::*;
use least_action::system::{Constrained, Start};
use least_action_models::{
    Chain, DoublePendulum, DoublePendulumAngles, DrivenPendulum, FourBar, Kepler, RigidBody, Water,
};

/// The stiffness of the penalties and the parameter of their methods, as Tao and Owhadi have them.
const OMEGA: f64 = 20.0;
const BETA: f64 = 0.4;

/// The step of all rows but these two.
const H: f64 = 0.01;
const OF_KEPLER: f64 = 0.002;
const OF_WATER: f64 = 0.02;

/// After so many steps both ways are compared, beside the largest position.
const COMPARED: u64 = 300;
const CLOSE: f64 = 1e-10;
/// The part by which corrections of Newton's method may differ: the ways measure residuals differently.
const CORRECTIONS: f64 = 0.05;

/// A run from its start.
pub(crate) trait Run {
    fn go(&mut self, steps: u64);

    fn told(&self) -> Told;
}

struct Hand<H>(H);

impl<H: ByHand> Run for Hand<H> {
    fn go(&mut self, steps: u64) {
        (0..steps).for_each(|_| self.0.step());
    }

    fn told(&self) -> Told {
        self.0.told()
    }
}

struct Library<S>(S);

impl<S: Stepper> Run for Library<S> {
    fn go(&mut self, steps: u64) {
        (0..steps).for_each(|_| self.0.step().expect("a stable step"));
    }

    fn told(&self) -> Told {
        (self.0.state().q.clone(), Some(self.0.report().evaluations.iterations))
    }
}

type Begun = Box<dyn Run>;

fn hand(system: impl ByHand + 'static) -> Begun {
    Box::new(Hand(system))
}

/// A system that lives as long as the program.
fn bound<M: Model>(model: &M) -> &'static Bound<M> {
    Box::leak(Box::new(model.bind().expect("a model")))
}

fn library<M: Model + Start>(model: &M, method: &impl Method<Bound<M>>, h: f64) -> Begun {
    Box::new(Library(method.start(bound(model), model.start(), h).expect("a start")))
}

fn soft<M: Model + Start>(model: &M, method: &impl Method<Penalized<'static, Bound<M>>>) -> Begun
where
    Bound<M>: Constrained,
{
    let system = Box::leak(Box::new(Penalized::new(bound(model), OMEGA).expect("a penalty")));
    Box::new(Library(method.start(system, model.start(), H).expect("a start")))
}

/// The potential of Hénon and Heiles.
#[derive(Default)]
struct HenonHeiles;

#[lagrangian]
impl HenonHeiles {
    fn lagrangian(&self, q: Vec2) -> Scalar {
        0.5 * der(q).norm_squared() - (0.5 * q.norm_squared() + q.x.powi(2) * q.y - q.y.powi(3) / 3.0)
    }
}

impl Start for HenonHeiles {
    fn start(&self) -> State {
        State::new(vec![0.0, 0.1], vec![0.5, 0.0])
    }
}

/// The positions and velocities at the start of a model of so many degrees of freedom.
fn begin<const N: usize>(model: &impl Start) -> ([f64; N], [f64; N]) {
    let State { q, v, .. } = model.start();
    (std::array::from_fn(|i| q[i]), std::array::from_fn(|i| v[i]))
}

fn point<M: Start + Default>(h: f64, accelerate: impl Fn([f64; 2]) -> [f64; 2] + 'static) -> Begun {
    hand(central::Point::new(begin(&M::default()), h, accelerate))
}

fn pendulum() -> DoublePendulum {
    DoublePendulum::default()
}

fn chain<const N: usize>() -> Chain {
    Chain { links: N, ..Chain::default() }
}

/// The points of a model on rods.
fn on_rods<const N: usize>(model: &impl Start) -> rods::Rods<N> {
    let q = model.start().q;
    rods::Rods::new(std::array::from_fn(|i| [q[2 * i], q[2 * i + 1]]), H)
}

fn linkage() -> four_bar::FourBar {
    let model = FourBar::default();
    let start = begin(&model);
    let FourBar { masses, rods, base, gravity, .. } = model;
    four_bar::FourBar::new((masses, rods, base, gravity), start, H)
}

/// A row: its name, and its two ways from the start.
pub(crate) struct Row(pub(crate) &'static str, fn() -> Begun, fn() -> Begun);

/// The names of the two ways.
pub(crate) const WAYS: [&str; 2] = ["hand", "library"];

pub(crate) const ROWS: [Row; 14] = [
    Row(
        "henon-heiles-verlet",
        || point::<HenonHeiles>(H, central::henon_heiles),
        || library(&HenonHeiles, &Verlet, H),
    ),
    Row(
        "kepler-verlet",
        || point::<Kepler>(OF_KEPLER, central::kepler),
        || library(&Kepler::default(), &Verlet, OF_KEPLER),
    ),
    Row(
        "pendulum-rattle",
        || hand(rods::Rattle::<2>::new(on_rods(&pendulum()))),
        || library(&pendulum(), &Rattle::default(), H),
    ),
    Row(
        "pendulum-shake",
        || hand(rods::Shake::<2>::new(on_rods(&pendulum()))),
        || library(&pendulum(), &Shake::default(), H),
    ),
    Row(
        "pendulum-zhang-skeel",
        || hand(penalty::ZhangSkeel::<2>::new(on_rods(&pendulum()), OMEGA, BETA)),
        || soft(&pendulum(), &ZhangSkeel { beta: BETA }),
    ),
    Row(
        "pendulum-push-forward",
        || hand(penalty::PushForward::<2>::new(on_rods(&pendulum()), OMEGA, BETA)),
        || soft(&pendulum(), &PushForwardNewmark { beta: BETA, ..PushForwardNewmark::default() }),
    ),
    Row(
        "angles-midpoint",
        || hand(angles::Angles::new(begin(&DoublePendulumAngles::default()), H)),
        || library(&DoublePendulumAngles::default(), &VariationalMidpoint::default(), H),
    ),
    Row(
        "chain-10-rattle",
        || hand(rods::Rattle::<10>::new(on_rods(&chain::<10>()))),
        || library(&chain::<10>(), &Rattle::default(), H),
    ),
    Row(
        "chain-10-zhang-skeel",
        || hand(penalty::ZhangSkeel::<10>::new(on_rods(&chain::<10>()), OMEGA, BETA)),
        || soft(&chain::<10>(), &ZhangSkeel { beta: BETA }),
    ),
    Row(
        "chain-100-rattle",
        || hand(rods::Rattle::<100>::new(on_rods(&chain::<100>()))),
        || library(&chain::<100>(), &Rattle::default(), H),
    ),
    Row(
        "water-7-rattle",
        || hand(water::ByHand::new(&Water::default(), &Water::default().start(), OF_WATER)),
        || library(&Water::default(), &Rattle::default(), OF_WATER),
    ),
    Row(
        "rigid-body-so3-verlet",
        || hand(rigid_body::RigidBody::new(begin::<9>(&RigidBody::default()), H)),
        || library(&RigidBody::default(), &RotationVerlet, H),
    ),
    Row(
        "four-bar-midpoint",
        || hand(linkage()),
        || library(&FourBar::default(), &VariationalMidpoint::default(), H),
    ),
    Row(
        "driven-pendulum-hmm",
        || hand(driven::Driven::new(begin(&DrivenPendulum::default()), H)),
        || library(&DrivenPendulum::default(), &Hmm::new(LeapFrog, Asynchronous, BoxFilter::default()), H),
    ),
];

impl Row {
    /// Runs both ways, which stay together and take as many corrections.
    ///
    /// Returns the runs, how far they are apart, and the corrections of a step.
    pub(crate) fn compare(&self) -> ([Begun; 2], f64, f64) {
        let Self(name, hand, library) = self;
        let mut runs = [hand(), library()];
        runs.iter_mut().for_each(|run| run.go(COMPARED));
        let [(known, by_hand), (found, taken)] = runs.each_ref().map(|run| run.told());
        let largest = known.iter().fold(0.0_f64, |largest, q| largest.max(q.abs()));
        let most = found.iter().zip(&known).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        let apart = most / largest;
        assert!(found.len() == known.len() && apart < CLOSE, "{name}: the ways are {apart:.1e} apart");
        let corrections = taken.unwrap_or(0) as f64 / COMPARED as f64;
        let by_hand = by_hand.map_or(corrections, |by_hand| by_hand as f64 / COMPARED as f64);
        let alike = (by_hand - corrections).abs() <= CORRECTIONS * corrections;
        assert!(alike, "{name}: {by_hand} corrections a step by hand, {corrections} by the library");
        (runs, apart, corrections)
    }
}

/// Runs `ROW WAY STEPS`, if the arguments of the program are these.
pub(crate) fn has_run() -> bool {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [row, way, steps] = &arguments[..] else { return false };
    let Some(Row(_, hand, library)) = ROWS.iter().find(|Row(name, ..)| name == row) else { return false };
    let way = [hand, library].into_iter().zip(WAYS).find(|(_, name)| name == way);
    let (Some((begin, _)), Ok(steps)) = (way, steps.parse()) else { return false };
    begin().go(steps);
    true
}
