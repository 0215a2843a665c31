//! The rows of the table: a step of a system of the papers by a method, by hand and by the library.

pub(crate) mod by_hand;
pub(crate) mod counted;

use by_hand::ByHand;
use by_hand::angles::Angles;
use by_hand::central::{Point, henon_heiles, kepler};
use by_hand::rods::{PushForward, Rattle, Rods, Shake, ZhangSkeel};
use least_action::binding::{Bound, Model};
use least_action::method::{self, Method, PushForwardNewmark, Stepper, VariationalMidpoint, Verlet};
use least_action::prelude::*;
use least_action::system::{Constrained, Start};
use least_action::wrap::Penalized;
use least_action_models::{Chain, DoublePendulum, DoublePendulumAngles, Kepler, Water};

/// A row by its name.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    ways: [fn() -> Box<dyn Run>; 2],
}

/// The names of the two ways of a row.
pub(crate) const WAYS: [&str; 2] = ["hand", "library"];

/// A run from the start of a row.
pub(crate) trait Run {
    fn go(&mut self, steps: u64);

    fn positions(&self) -> Vec<f64>;

    /// The corrections of Newton's method so far, where they are counted.
    fn iterations(&self) -> Option<u64>;
}

struct Hand<H>(H);

impl<H: ByHand> Run for Hand<H> {
    fn go(&mut self, steps: u64) {
        (0..steps).for_each(|_| self.0.step());
    }

    fn positions(&self) -> Vec<f64> {
        self.0.positions()
    }

    fn iterations(&self) -> Option<u64> {
        self.0.iterations()
    }
}

struct Library<S>(S);

impl<S: Stepper> Run for Library<S> {
    fn go(&mut self, steps: u64) {
        (0..steps).for_each(|_| self.0.step().expect("a stable step"));
    }

    fn positions(&self) -> Vec<f64> {
        self.0.state().q.clone()
    }

    fn iterations(&self) -> Option<u64> {
        Some(self.0.report().evaluations.iterations)
    }
}

fn hand(system: impl ByHand + 'static) -> Box<dyn Run> {
    Box::new(Hand(system))
}

fn library<S: ?Sized>(system: &'static S, method: impl Method<S>, start: State, h: f64) -> Box<dyn Run> {
    Box::new(Library(method.start(system, start, h).expect("a start")))
}

/// A system that lives as long as the program.
fn bound<M: Model>(model: &M) -> &'static Bound<M> {
    Box::leak(Box::new(model.bind().expect("a model")))
}

fn penalized<S: Constrained>(system: &'static S) -> &'static Penalized<'static, S> {
    Box::leak(Box::new(Penalized::new(system, OMEGA).expect("a penalty")))
}

/// The stiffness of the penalties and the parameter of their methods, as Tao and Owhadi have them.
const OMEGA: f64 = 20.0;
const BETA: f64 = 0.4;

/// The step of all rows but these two.
const H: f64 = 0.01;
const OF_KEPLER: f64 = 0.002;
const OF_WATER: f64 = 0.02;

/// The potential of Hénon and Heiles.
struct HenonHeiles;

#[lagrangian]
impl HenonHeiles {
    fn lagrangian(&self, q: Vec2) -> Scalar {
        0.5 * der(q).norm_squared() - (0.5 * q.norm_squared() + q.x.powi(2) * q.y - q.y.powi(3) / 3.0)
    }
}

/// The points of a model at its start.
fn points<const N: usize>(model: &impl Start) -> [[f64; 2]; N] {
    let state = model.start();
    std::array::from_fn(|i| [state.q[2 * i], state.q[2 * i + 1]])
}

fn pendulum() -> Rods<2> {
    Rods::new(points(&DoublePendulum::default()), H)
}

fn chain<const N: usize>() -> Chain {
    Chain { links: N, ..Chain::default() }
}

fn links<const N: usize>() -> Rods<N> {
    Rods::new(points(&chain::<N>()), H)
}

fn of_pendulum<M: Method<Bound<DoublePendulum>>>(method: M) -> Box<dyn Run> {
    let model = DoublePendulum::default();
    library(bound(&model), method, model.start(), H)
}

fn of_soft_pendulum<M>(method: M) -> Box<dyn Run>
where
    M: Method<Penalized<'static, Bound<DoublePendulum>>>,
{
    let model = DoublePendulum::default();
    library(penalized(bound(&model)), method, model.start(), H)
}

fn of_chain<const N: usize>() -> Box<dyn Run> {
    let model = chain::<N>();
    library(bound(&model), method::Rattle::default(), model.start(), H)
}

pub(crate) const ROWS: [Row; 11] = [
    Row {
        name: "henon-heiles-verlet",
        ways: [
            || hand(Point::new([0.0, 0.1], [0.5, 0.0], H, henon_heiles)),
            || library(bound(&HenonHeiles), Verlet, State::new(vec![0.0, 0.1], vec![0.5, 0.0]), H),
        ],
    },
    Row {
        name: "kepler-verlet",
        ways: [
            || {
                let State { q, v, .. } = Kepler::default().start();
                hand(Point::new([q[0], q[1]], [v[0], v[1]], OF_KEPLER, kepler))
            },
            || {
                let model = Kepler::default();
                library(bound(&model), Verlet, model.start(), OF_KEPLER)
            },
        ],
    },
    Row {
        name: "pendulum-rattle",
        ways: [|| hand(Rattle::new(pendulum())), || of_pendulum(method::Rattle::default())],
    },
    Row {
        name: "pendulum-shake",
        ways: [|| hand(Shake::new(pendulum())), || of_pendulum(method::Shake::default())],
    },
    Row {
        name: "pendulum-zhang-skeel",
        ways: [
            || hand(ZhangSkeel::new(pendulum(), OMEGA, BETA)),
            || of_soft_pendulum(method::ZhangSkeel { beta: BETA }),
        ],
    },
    Row {
        name: "pendulum-push-forward",
        ways: [
            || hand(PushForward::new(pendulum(), OMEGA, BETA)),
            || of_soft_pendulum(PushForwardNewmark { beta: BETA, ..PushForwardNewmark::default() }),
        ],
    },
    Row {
        name: "angles-midpoint",
        ways: [
            || {
                let State { q, v, .. } = DoublePendulumAngles::default().start();
                hand(Angles::new([q[0], q[1]], [v[0], v[1]], H))
            },
            || {
                let model = DoublePendulumAngles::default();
                library(bound(&model), VariationalMidpoint::default(), model.start(), H)
            },
        ],
    },
    Row { name: "chain-10-rattle", ways: [|| hand(Rattle::new(links::<10>())), of_chain::<10>] },
    Row {
        name: "chain-10-zhang-skeel",
        ways: [
            || hand(ZhangSkeel::new(links::<10>(), OMEGA, BETA)),
            || {
                let model = chain::<10>();
                let method = method::ZhangSkeel { beta: BETA };
                library(penalized(bound(&model)), method, model.start(), H)
            },
        ],
    },
    Row { name: "chain-100-rattle", ways: [|| hand(Rattle::new(links::<100>())), of_chain::<100>] },
    Row {
        name: "water-7-rattle",
        ways: [
            || {
                let model = Water::default();
                hand(by_hand::water::ByHand::new(&model, &model.start(), OF_WATER))
            },
            || {
                let model = Water::default();
                library(bound(&model), method::Rattle::default(), model.start(), OF_WATER)
            },
        ],
    },
];

impl Row {
    /// The row of a name.
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.name == name)
    }

    /// A run from the start.
    pub(crate) fn begin(&self, way: &str) -> Option<Box<dyn Run>> {
        WAYS.iter().position(|known| *known == way).map(|way| self.ways[way]())
    }
}

/// Runs `ROW WAY STEPS`, if the arguments of the program are these.
pub(crate) fn has_run() -> bool {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [row, way, steps] = &arguments[..] else { return false };
    let run = Row::of(row).and_then(|row| row.begin(way));
    let (Some(mut run), Ok(steps)) = (run, steps.parse()) else { return false };
    run.go(steps);
    true
}
