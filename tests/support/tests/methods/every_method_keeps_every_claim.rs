//! A table of all methods: each claim is measured; positive ones hold to rounding, negative ones fail.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use super::constrained;
use super::energy_and_momentum_to_rounding::{
    Cluster, Kepler, energy_stepping, from_origin, in_relative_vectors,
};
use super::multiscale_methods_see_the_slow_motion as multiscale;
use super::rigid_bodies::{self, moving_pair, pair};
use super::rotations::{self, Magnet, ROUND, Top, UNEQUAL, accurate, momenta, tumbling};
use least_action::advanced::wrap::Penalized;
use least_action::method::{
    Bdf, BlanesMoan, Claims, Composition, EnergyStepping, ExplicitConstrained, ImplicitMidpoint,
    LaBuddeGreenspan, Langevin, McLachlan, Method, Newmark, NewmarkLinearA, NewmarkLinearB,
    ProjectedRungeKutta, PushForwardNewmark, Rattle, Reference, RotationCayley, RotationPenalty,
    RotationPenaltyEuler, RotationVerlet, Shake, SlowManifold, VariationalEuler, VariationalMidpoint,
    VariationalTrapezoid, Verlet, ZhangSkeel, ZhangSkeelEuler, ZhangSkeelSimplified, ZhangSkeelStiff,
    force_stepping::RelativeForceStepping,
    multiscale::{Cubic, Hmm, MicroSteps, Synchronous},
    rotation::PenalizedRotation,
};
use least_action::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use test_support::linkage::Linkage;
use test_support::structure::{
    advance, angular_momentum, order_by_slope, reversal_defect, state_distance, symplectic_defect,
    with_cut_steps,
};

/// A row of the table.
struct Row {
    /// The type that makes the claims.
    method: &'static str,
    name: &'static str,
    order: (u32, Slope),
    /// True if parts of steps are claimed to have the order.
    parts: Option<bool>,
    symplectic: (Option<bool>, Defect),
    reversible: (Option<bool>, Defect),
    momentum: (Option<bool>, Defect),
}

/// The measured order, and its tolerance around the claim.
struct Slope {
    within: f64,
    measure: Box<dyn Fn() -> f64>,
}

/// A number that is zero where the claim holds: below `kept` it does, above `broken` it does not.
struct Defect {
    kept: f64,
    broken: f64,
    measure: Box<dyn Fn() -> f64>,
}

fn slope(within: f64, measure: impl Fn() -> f64 + 'static) -> Slope {
    Slope { within, measure: Box::new(measure) }
}

fn defect(kept: f64, broken: f64, measure: impl Fn() -> f64 + 'static) -> Defect {
    Defect { kept, broken, measure: Box::new(measure) }
}

/// For open claims of a method.
fn open() -> Defect {
    defect(f64::NAN, f64::NAN, || f64::NAN)
}

fn row<M: Claims>(order: Slope, symplectic: Defect, reversible: Defect, momentum: Defect) -> Row {
    let path = std::any::type_name::<M>();
    let path = path.split('<').next().unwrap_or(path);
    Row {
        method: path.rsplit("::").next().unwrap_or(path),
        name: M::NAME,
        order: (M::ORDER, order),
        parts: M::PARTS,
        symplectic: (M::SYMPLECTIC, symplectic),
        reversible: (M::REVERSIBLE, reversible),
        momentum: (M::MOMENTUM, momentum),
    }
}

impl Row {
    /// The row of a value whose order is this one.
    fn of(self, order: u32) -> Self {
        Self { order: (order, self.order.1), ..self }
    }

    /// The claims that do not hold, in words, and the number of all claims.
    fn check(&self) -> (Vec<String>, usize) {
        let (mut wrong, mut measured) = (Vec::new(), 1);
        let (order, Slope { within, measure }) = &self.order;
        let found = measure();
        println!("{}: order {found:.3} of {order}", self.name);
        if (found - f64::from(*order)).is_nan() || (found - f64::from(*order)).abs() > *within {
            wrong.push(format!("{}: order {found}, claimed {order}", self.name));
        }
        if self.parts == Some(true) {
            measured += 1;
            let cut = with_cut_steps(measure);
            println!("{}: order {cut:.3} of steps that are cut", self.name);
            if (cut - f64::from(*order)).is_nan() || cut < f64::from(*order) - *within {
                wrong.push(format!("{}: order {cut} of steps that are cut, claimed {order}", self.name));
            }
        }
        let claims = [
            ("symplectic", &self.symplectic),
            ("reversible", &self.reversible),
            ("momentum", &self.momentum),
        ];
        for (what, (claim, Defect { kept, broken, measure })) in claims {
            let Some(claim) = claim else { continue };
            measured += 1;
            let found = measure();
            println!("{}: {what} {claim}, {found:.1e}", self.name);
            if !(if *claim { found < *kept } else { found > *broken }) {
                wrong.push(format!("{}: {what} is claimed to be {claim}, measured {found:e}", self.name));
            }
        }
        (wrong, measured)
    }
}

/// The double pendulum away from its constraints, moving.
fn generic() -> State {
    State::new(vec![0.3, -0.9, 1.2, -1.9], vec![0.4, 0.3, -0.5, 0.6])
}

/// A method for natural systems, on the double pendulum with a penalty.
fn penalized<M>(method: M, steps: &'static [u64], within: f64) -> Row
where
    M: for<'s> Method<Penalized<'s, Linkage>> + Copy + 'static,
{
    let order = slope(within, move || {
        let pendulum = Linkage::chain(&[1.0, 2.5], &[1.0, 1.4], 1.0);
        let system = Penalized::new(&pendulum, 0.7).unwrap();
        let exact = advance(&system, &Reference { tolerance: 1e-14 }, &generic(), 1.0, 1);
        order_by_slope(steps, |steps| {
            state_distance(&advance(&system, &method, &generic(), 1.0 / steps as f64, steps), &exact)
        })
    });
    let symplectic = defect(1e-8, 1e-3, move || {
        let pendulum = Linkage::chain(&[1.0, 2.5], &[1.0, 1.4], 1.0);
        symplectic_defect(&Penalized::new(&pendulum, 8.0).unwrap(), &method, &generic(), 0.05, 2e-4)
    });
    let reversible = defect(1e-13, 1e-6, move || {
        let pendulum = Linkage::double_pendulum(1.0).0;
        reversal_defect(&Penalized::new(&pendulum, 20.0).unwrap(), &method, &generic(), 0.02, 5)
    });
    let momentum = defect(1e-13, 1e-6, move || {
        let pendulum = Linkage::double_pendulum(0.0).0;
        let system = Penalized::new(&pendulum, 20.0).unwrap();
        let start = State::new(vec![0.0, -1.0, 1.0, -2.0], vec![0.5, 0.0, 0.3, 0.4]);
        let end = advance(&system, &method, &start, 0.01, 500);
        (angular_momentum(system.mass(), &end) - angular_momentum(system.mass(), &start)).abs()
    });
    row::<M>(order, symplectic, reversible, momentum).of(method.order())
}

/// The error of a method that keeps constraints, or nearly, for the double pendulum from rest.
fn error_on_the_constraints<S, M: Method<S>>(system: &S, method: &M, end: f64, steps: u64) -> f64 {
    let (pendulum, start) = Linkage::double_pendulum(1.0);
    let exact = advance(&pendulum, &Reference { tolerance: 1e-13 }, &start, end, 1);
    state_distance(&advance(system, method, &start, end / steps as f64, steps), &exact)
}

/// The change of the angular momentum of the double pendulum without gravity.
fn turning<S, M: Method<S>>(system: &S, method: &M) -> f64 {
    let (free, State { q, .. }) = Linkage::double_pendulum(0.0);
    let start = State::new(q, vec![0.5, 0.0, 0.8, 0.3]);
    let end = advance(system, method, &start, 0.2, 50);
    (angular_momentum(free.mass(), &end) - angular_momentum(free.mass(), &start)).abs()
}

/// A method that keeps constraints, on the double pendulum.
fn constrained<M: Method<Linkage> + Copy + 'static>(
    method: M,
    end: f64,
    steps: &'static [u64],
    within: f64,
) -> Row {
    let order = slope(within, move || {
        let (system, _) = Linkage::double_pendulum(1.0);
        order_by_slope(steps, |steps| error_on_the_constraints(&system, &method, end, steps))
    });
    let symplectic = defect(1e-9, 1e-5, move || {
        let (system, state) = constrained::swinging();
        constrained::symplectic_defect(&method, &system, &system.mass().clone(), &state)
    });
    let reversible = defect(1e-11, 1e-6, move || {
        let (system, state) = constrained::swinging();
        reversal_defect(&system, &method, &state, 0.1, 50)
    });
    let momentum = defect(1e-12, 1e-6, move || turning(&Linkage::double_pendulum(0.0).0, &method));
    row::<M>(order, symplectic, reversible, momentum).of(method.order())
}

/// The penalty of |p|² − l² oscillates with 2 l ω, and faster where rods meet.
fn projected() -> ProjectedRungeKutta {
    let manifold = SlowManifold { micro_steps: 24, force_tolerance: 1e-4, ..SlowManifold::default() };
    ProjectedRungeKutta { manifold }
}

/// A projected method on the penalized double pendulum, with the frequency 10⁴.
fn on_the_slow_manifold<M>(method: M) -> Row
where
    M: for<'s> Method<Penalized<'s, Linkage>> + Copy + 'static,
{
    const OMEGA: f64 = 1e4;
    let order = slope(0.3, move || {
        let pendulum = Linkage::double_pendulum(1.0).0;
        let system = Penalized::new(&pendulum, OMEGA).unwrap();
        order_by_slope(&[4, 8, 16], |steps| error_on_the_constraints(&system, &method, 2.0, steps))
    });
    let symplectic = defect(1e-8, 0.1, move || {
        let (pendulum, start) = constrained::swinging();
        symplectic_defect(&Penalized::new(&pendulum, OMEGA).unwrap(), &method, &start, 0.1, 1e-4)
    });
    let reversible = defect(1e-11, 1e-6, move || {
        let (pendulum, start) = constrained::swinging();
        reversal_defect(&Penalized::new(&pendulum, OMEGA).unwrap(), &method, &start, 0.1, 10)
    });
    let momentum = defect(1e-12, 1e-6, move || {
        let free = Linkage::double_pendulum(0.0).0;
        turning(&Penalized::new(&free, OMEGA).unwrap(), &method)
    });
    row::<M>(order, symplectic, reversible, momentum)
}

/// A penalty method for rotation matrices.
fn penalized_rotation<M>(method: M) -> Row
where
    M: for<'b, 's> Method<PenalizedRotation<'b, Bound<Top>>>
        + for<'b> Method<PenalizedRotation<'b, Bound<Magnet>>>
        + Copy
        + 'static,
{
    let order = slope(0.1, move || {
        let top = Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }.bind().unwrap();
        let system = PenalizedRotation::new(&top, 2.0).unwrap();
        let exact = advance(&system, &Reference { tolerance: 1e-13 }, &tumbling(), 2.0, 1);
        order_by_slope(&[100, 200, 400, 800], |steps| {
            state_distance(&advance(&system, &method, &tumbling(), 2.0 / steps as f64, steps), &exact)
        })
    });
    let magnet = || Magnet { moment: 1.0 }.bind().unwrap();
    let symplectic = defect(1e-8, 1e-3, move || {
        let body = magnet();
        let system = PenalizedRotation::new(&body, 10.0).unwrap();
        symplectic_defect(&system, &method, &tumbling(), 0.05, 2e-4)
    });
    let reversible = defect(1e-13, 1e-3, move || {
        let body = magnet();
        reversal_defect(&PenalizedRotation::new(&body, 10.0).unwrap(), &method, &tumbling(), 0.02, 5)
    });
    let momentum = defect(1e-12, 1e-6, move || {
        let body = magnet();
        let system = PenalizedRotation::new(&body, 10.0).unwrap();
        let (first, end) =
            (momenta(&tumbling()), momenta(&advance(&system, &method, &tumbling(), 0.05, 2000)));
        (first[0] - end[0]).abs().max((first[1] - end[1]).abs())
    });
    row::<M>(order, symplectic, reversible, momentum)
}

/// The Cayley method, with the symplectic form of the rotation and its momentum.
fn cayley() -> Row {
    let order = slope(0.05, || {
        let top = Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }.bind().unwrap();
        let exact = accurate(&top, 2.0);
        order_by_slope(&[200, 400, 800, 1600], |steps| {
            state_distance(&advance(&top, &RotationCayley, &tumbling(), 2.0 / steps as f64, steps), &exact)
        })
    });
    let symplectic = defect(1e-9, 1e-3, || rotations::cayley_symplectic_defect(UNEQUAL));
    let reversible = defect(1e-13, 1e-6, || {
        let top = Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }.bind().unwrap();
        reversal_defect(&top, &RotationCayley, &tumbling(), 0.02, 5)
    });
    // Of a free body, of which all components about the axes of space are conserved.
    let momentum = defect(1e-12, 1e-6, || {
        let free = Top { spread: ROUND, weight: 0.0, bend: 0.0 }.bind().unwrap();
        let end = advance(&free, &RotationCayley, &tumbling(), 0.05, 2000);
        (momenta(&tumbling())[0] - momenta(&end)[0]).abs()
    });
    row::<RotationCayley>(order, symplectic, reversible, momentum)
}

/// The Verlet method of bodies, on two that a spring joins.
fn rotation_verlet() -> Row {
    let order = slope(0.05, rigid_bodies::slope_of_the_pair);
    let symplectic = defect(1e-9, 1e-3, rigid_bodies::symplectic_defect);
    let reversible = defect(1e-12, 1e-6, || {
        reversal_defect(&pair(0.4).bind().unwrap(), &RotationVerlet, &moving_pair(), 0.02, 5)
    });
    let momentum = defect(1e-12, 1e-6, || rigid_bodies::change_of_the_momenta_of_the_pair(500));
    row::<RotationVerlet>(order, symplectic, reversible, momentum)
}

/// By how much the linear momentum and the angular momentum of the cluster change.
fn momenta_of_the_cluster<M: Method<Bound<Cluster>>>(method: &M, step: f64, steps: u64) -> f64 {
    let (system, start) = (Cluster::of_seven().bind().unwrap(), Cluster::start());
    let end = advance(&system, method, &start, step, steps);
    let masses = &system.mass().values;
    let linear = |state: &State, k: usize| -> f64 {
        masses.iter().zip(&state.v).skip(k).step_by(2).map(|(m, v)| m * v).sum()
    };
    let turning = angular_momentum(system.mass(), &end) - angular_momentum(system.mass(), &start);
    (0..2).map(|k| (linear(&end, k) - linear(&start, k)).abs()).fold(turning.abs(), f64::max)
}

/// A method that goes from crossing to crossing of an interpolated potential, on the cluster.
fn force_stepping<M, F>(of_grid: F) -> Row
where
    M: Method<Bound<Cluster>>,
    F: Fn(f64) -> M + Copy + 'static,
{
    let order = slope(0.15, move || {
        order_by_slope(&[100, 400, 1600], |inverse| {
            in_relative_vectors::acceleration_error(&of_grid(1.0 / inverse as f64))
        })
    });
    let cluster = || (Cluster::of_seven().bind().unwrap(), Cluster::start());
    let symplectic = defect(1e-6, 1e-3, move || {
        let (system, start) = cluster();
        symplectic_defect(&system, &of_grid(0.01), &start, 0.05, 1e-7)
    });
    let reversible = defect(1e-9, 1e-6, move || {
        let (system, start) = cluster();
        reversal_defect(&system, &of_grid(0.01), &start, 0.05, 4)
    });
    let momentum = defect(1e-11, 1e-6, move || momenta_of_the_cluster(&of_grid(0.01), 0.05, 20));
    row::<M>(order, symplectic, reversible, momentum)
}

fn energy_stepping() -> Row {
    let order = slope(0.2, || energy_stepping::slope_of_error(0.2));
    let kepler = || (Kepler {}.bind().unwrap(), energy_stepping::on_the_way_out());
    let symplectic = defect(1e-7, 1e-3, move || {
        let (system, start) = kepler();
        symplectic_defect(&system, &energy_stepping::of_height(0.05), &start, 0.2, 1e-6)
    });
    let reversible = defect(1e-11, 1e-6, move || {
        let (system, start) = kepler();
        reversal_defect(&system, &energy_stepping::of_height(0.05), &start, 0.05, 4)
    });
    let momentum = defect(1e-12, 1e-6, move || {
        let (system, start) = kepler();
        let end = advance(&system, &energy_stepping::of_height(0.01), &start, 0.1, 50);
        (angular_momentum(system.mass(), &end) - angular_momentum(system.mass(), &start)).abs()
    });
    row::<EnergyStepping>(order, symplectic, reversible, momentum)
}

fn labudde_greenspan() -> Row {
    const METHOD: LaBuddeGreenspan = LaBuddeGreenspan { tolerance: 1e-14, iterations: 50 };
    let cluster = || (Cluster::of_seven().bind().unwrap(), Cluster::start());
    let order = slope(0.1, move || {
        let (system, start) = cluster();
        let exact = advance(&system, &Reference::default(), &start, 0.5, 1);
        order_by_slope(&[100, 200, 400], |steps| {
            state_distance(&advance(&system, &METHOD, &start, 0.5 / steps as f64, steps), &exact)
        })
    });
    let symplectic = defect(1e-8, 1e-4, move || {
        let (system, start) = cluster();
        symplectic_defect(&system, &METHOD, &start, 0.05, 1e-3)
    });
    let reversible = defect(1e-11, 1e-6, move || {
        let (system, start) = cluster();
        reversal_defect(&system, &METHOD, &start, 0.01, 50)
    });
    let momentum = defect(1e-12, 1e-6, || momenta_of_the_cluster(&METHOD, 0.01, 200));
    row::<LaBuddeGreenspan>(order, symplectic, reversible, momentum)
}

/// A multiscale method on the pendulum whose pivot is shaken.
fn multiscale<M, E: Copy + 'static, F: Copy + 'static>(method: Hmm<M, E, F>) -> Row
where
    M: Copy + 'static,
    Hmm<M, E, F>: Method<Bound<multiscale::Pendulum>>,
{
    let order = slope(0.1, move || {
        let system = multiscale::pendulum(1e7);
        let exact = multiscale::slow_pendulum(80);
        order_by_slope(&[80, 160, 320], |steps| {
            let found = multiscale::positions(&system, &method, State::at_rest(vec![0.5]), steps).0;
            let found: Vec<Vec<f64>> = found.into_iter().step_by(steps as usize / 80).collect();
            multiscale::largest(&found, &exact)
        })
    });
    let method = method.with_micro_steps(MicroSteps::PerPeriod(20));
    // At this frequency a window of 8 periods is a quarter of a slow one, so the slow velocity matters.
    let slow = || (multiscale::pendulum(400.0), State::new(vec![0.4], vec![1.5]));
    let symplectic = defect(1e-8, 1e-5, move || {
        let (system, state) = slow();
        symplectic_defect(&system, &method, &state, 0.05, 2e-3)
    });
    let reversible = defect(1e-9, 1e-6, move || {
        let (system, state) = slow();
        reversal_defect(&system, &method, &state, 0.02, 10)
    });
    row::<Hmm<M, E, F>>(order, symplectic, reversible, open())
}

/// A pendulum that a drag slows down, and the same without it.
struct Damped {
    drag: f64,
}

#[lagrangian]
impl Damped {
    fn lagrangian(&self, theta: Scalar) -> Scalar {
        0.5 * der(theta).powi(2) + theta.cos()
    }

    #[force]
    fn drag(&self, theta: Scalar) -> Scalar {
        -self.drag * der(theta)
    }
}

struct Undamped {}

#[lagrangian]
impl Undamped {
    fn lagrangian(&self, theta: Scalar) -> Scalar {
        0.5 * der(theta).powi(2) + theta.cos()
    }
}

/// The thermostat at temperature zero, where it is drag alone, has the order of the mean.
fn langevin() -> Row {
    let order = slope(0.1, || {
        let (system, damped) = (Undamped {}.bind().unwrap(), Damped { drag: 0.8 }.bind().unwrap());
        let start = State::new(vec![0.9], vec![0.3]);
        let exact = advance(&damped, &Reference { tolerance: 1e-13 }, &start, 1.0, 1);
        let method = Langevin { friction: 0.8, inverse_temperature: 1e300, ..Langevin::around(Verlet) };
        order_by_slope(&[100, 200, 400], |steps| {
            state_distance(&advance(&system, &method, &start, 1.0 / steps as f64, steps), &exact)
        })
    });
    row::<Langevin<Verlet>>(order, open(), open(), open())
}

fn table() -> Vec<Row> {
    const SECOND: &[u64] = &[40, 80, 160, 320];
    const FIRST: &[u64] = &[200, 400, 800];
    vec![
        penalized(Verlet, SECOND, 0.1),
        penalized(BlanesMoan, &[20, 40, 80], 0.25),
        penalized(McLachlan, &[20, 40, 80], 0.25),
        penalized(ZhangSkeel::default(), SECOND, 0.1),
        penalized(ZhangSkeelSimplified::default(), SECOND, 0.1),
        penalized(ZhangSkeelEuler::default(), FIRST, 0.1),
        penalized(ZhangSkeelStiff::default(), SECOND, 0.1),
        penalized(Newmark::default(), SECOND, 0.1),
        penalized(PushForwardNewmark::default(), SECOND, 0.1),
        penalized(NewmarkLinearA::default(), SECOND, 0.1),
        penalized(NewmarkLinearB::default(), SECOND, 0.1),
        penalized(ImplicitMidpoint::default(), SECOND, 0.1),
        penalized(VariationalEuler::default(), FIRST, 0.1),
        penalized(VariationalMidpoint::default(), SECOND, 0.1),
        penalized(VariationalTrapezoid::default(), SECOND, 0.1),
        penalized(Composition::of(Verlet, 4), &[20, 40, 80], 0.25),
        penalized(Composition::of(ZhangSkeel::default(), 6), &[10, 20, 30], 0.25),
        penalized(Composition::of(PushForwardNewmark::default(), 8), &[6, 9, 12], 0.25),
        constrained(Shake::default(), 1.0, &[50, 100, 200], 0.1),
        constrained(Rattle::default(), 1.0, &[50, 100, 200], 0.1),
        constrained(Composition::of(Rattle::default(), 4), 2.0, &[20, 40, 80], 0.3),
        constrained(ExplicitConstrained { method: projected(), omega: 1e4 }, 2.0, &[4, 8, 16], 0.3),
        on_the_slow_manifold(projected()),
        force_stepping(from_origin),
        force_stepping(|grid| RelativeForceStepping { grid }),
        energy_stepping(),
        labudde_greenspan(),
        rotation_verlet(),
        cayley(),
        penalized_rotation(RotationPenalty::default()),
        penalized_rotation(RotationPenaltyEuler::default()),
        multiscale(multiscale::simple(Verlet)),
        multiscale(Hmm::new(Verlet, Synchronous::default(), Cubic::default())),
        langevin(),
    ]
}

/// The types that make claims and have no row, each with the reason.
const WITHOUT_A_ROW: &[(&str, &str)] = &[
    ("Bdf", "its inner steps follow a tolerance: `adaptive_methods_reach_their_tolerance`"),
    ("Reference", "its inner steps follow a tolerance: `adaptive_methods_reach_their_tolerance`"),
    ("LeapFrog", "it is a part of a multiscale method, and no method"),
];

#[test]
fn what_is_claimed_holds_to_rounding_and_what_is_not_claimed_does_not() {
    let mut wrong = Vec::new();
    let (mut measured, mut open) = (0, 0);
    for row in table() {
        let (mistakes, claims) = row.check();
        wrong.extend(mistakes);
        measured += claims;
        open += 5 - claims;
    }
    println!("{measured} claims measured, {open} left open");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(
        (measured, open),
        (152, 18),
        "a claim more or less: look whether it is meant, then correct the count"
    );
}

/// The error of a run is proportional to the tolerance of an inner step, of which BDF takes many more.
#[test]
fn adaptive_methods_reach_their_tolerance() {
    let system = Damped { drag: 0.8 }.bind().unwrap();
    let start = State::new(vec![0.9], vec![0.3]);
    let exact = advance(&system, &Reference { tolerance: 1e-14 }, &start, 2.0, 1);
    for tolerance in [1e-6, 1e-8, 1e-10] {
        let reference = advance(&system, &Reference { tolerance }, &start, 0.5, 4);
        let bdf = advance(&system, &Bdf { tolerance, ..Bdf::default() }, &start, 0.5, 4);
        for (name, found, most) in [(Reference::NAME, reference, 300.0), (Bdf::NAME, bdf, 3000.0)] {
            let error = state_distance(&found, &exact);
            println!("{name} with the tolerance {tolerance:e}: {error:.1e}");
            assert!(error < most * tolerance, "{name} with the tolerance {tolerance:e}: {error:e}");
        }
    }
    assert_eq!((Reference::SYMPLECTIC, Reference::REVERSIBLE, Reference::MOMENTUM), (None, None, None));
    assert_eq!((Bdf::SYMPLECTIC, Bdf::REVERSIBLE, Bdf::MOMENTUM), (None, None, None));
}

/// Every type of the library that makes claims is in the table or has a reason not to be.
#[test]
fn no_method_is_missing_from_the_table() {
    fn claiming(directory: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                claiming(&entry, found);
                continue;
            }
            for line in std::fs::read_to_string(&entry).unwrap().lines() {
                let line = line.trim_start();
                let implemented = line.split_once(" Claims for ").map(|(_, name)| name);
                // A macro makes the variational integrators.
                let made = Some(line).filter(|line| line.starts_with("Variational") && line.contains(", \""));
                let of_a_type = implemented.or(made).filter(|name| name.starts_with(char::is_uppercase));
                found.extend(
                    of_a_type
                        .and_then(|name| name.split(|c: char| !c.is_alphanumeric()).next())
                        .map(str::to_owned),
                );
            }
        }
    }
    let mut claimed = BTreeSet::new();
    claiming(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrator-core/core/src/method"),
        &mut claimed,
    );
    let mut measured: BTreeSet<String> = table().iter().map(|row| row.method.to_owned()).collect();
    measured.extend(WITHOUT_A_ROW.iter().map(|(method, _)| (*method).to_owned()));
    assert_eq!(claimed, measured);
}
