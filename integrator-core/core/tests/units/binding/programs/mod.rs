//! Programs have the bits of compiled code: in single elements, in registers of each width, in rows, in
//! rates, in sums and on near pairs.

mod forms;
mod written;

use super::near::{bits, direction, points_of, scattered};
use forms::{both, both_near};
use least_action_core::emitted::v1::{
    Binder, Facts, Family, KernelHandle, Near, NearFamily, NearKernel, NearPoints, Reader, Use,
};
use least_action_core::internals::binding::Assembly;
use least_action_core::lanes::Width;
use least_action_core::system::{Forced, Holonomic, Kind, Lagrangian, Natural, RowsOf, Signal};
use written::{EQUATIONS, EXCHANGEABLE_PAIRS, EXCHANGEABLE_ROWS, FORCES, LONG, PAIRS, ROWS, SHORT, SUMS};

/// Points, each with a size behind all points.
const POINTS: usize = 75;
const DIMENSION: usize = 4 * POINTS;
const T: f64 = 0.3;

/// A system of points and sizes with a fast phase and a signal.
fn system(declare: impl FnOnce(&mut Binder)) -> Assembly {
    let mut facts = Facts::of("Written");
    facts.classification.time = true;
    let signal = Signal::linear(vec![0.0, 1.0], vec![0.2, 0.9]).expect("a signal");
    let mut binder = Binder::default();
    let mut begin = || {
        binder.coordinate("points", Kind::Vec3, &[POINTS])?;
        binder.coordinate("sizes", Kind::Scalar, &[POINTS])?;
        (0..DIMENSION as u32).try_for_each(|at| binder.mass(at, at, 1.0, "½ v²"))?;
        binder.phase(3.0, 0.2)?;
        binder.signal("signal", &signal, Use::Table)
    };
    begin().expect("coordinates");
    declare(&mut binder);
    Assembly::new(facts, binder, false).expect("a system")
}

/// Elements on point i and the size of i, or on two that are in no order, with own or shared
/// coefficients.
fn fill(family: &mut Family, count: usize, scatter: bool, rest: impl Fn(usize) -> Vec<u32>) {
    for i in 0..count {
        let (point, size) = if scatter { (i * i * 7 % POINTS, i * 29 % POINTS) } else { (i, i) };
        let slots = [vec![3 * point as u32, (3 * POINTS + size) as u32], rest(i)].concat();
        let coefficients = [0.4, if scatter { scattered(i) } else { 0.8 }, -0.7];
        family.push(&slots, &coefficients).expect("finite");
    }
}

/// The vector that a question fills.
fn of(length: usize, ask: impl FnOnce(&mut [f64])) -> Vec<f64> {
    let mut vector = vec![0.0; length];
    ask(&mut vector);
    vector
}

/// Both systems answer with the same bits, for each width of registers.
#[track_caller]
fn have_equal_bits(mut systems: [Assembly; 2], ask: impl Fn(&Assembly) -> Vec<Vec<f64>>) {
    for width in Width::available() {
        let [compiled, programs] = systems.each_mut().map(|system| {
            system.set_width(width);
            ask(system)
        });
        for (question, (compiled, programs)) in compiled.iter().zip(&programs).enumerate() {
            let lanes = width.lanes();
            assert!(compiled.iter().all(|number| number.is_finite()), "question {question}, {lanes} lanes");
            assert!(compiled.iter().any(|number| *number != 0.0), "question {question}, {lanes} lanes");
            assert_eq!(bits(compiled), bits(programs), "question {question}, {lanes} lanes");
        }
    }
}

fn places() -> [Vec<f64>; 2] {
    [3, 5].map(|factor| (0..DIMENSION).map(|index| scattered(factor * index) - 0.5).collect())
}

fn ask_potential(system: &Assembly) -> Vec<Vec<f64>> {
    let ([q, _], a) = (places(), direction(DIMENSION));
    let mut gradient = vec![0.0; DIMENSION];
    let hessian = of(system.potential_pattern().len(), |hessian| {
        system.potential_second(&q, T, &mut gradient, hessian);
    });
    vec![
        vec![system.potential(&q, T), system.potential_rate(&q, T)],
        of(DIMENSION, |gradient| system.potential_gradient(&q, T, gradient)),
        of(DIMENSION, |product| system.potential_product(&q, T, &a, product)),
        of(DIMENSION, |third| system.potential_third(&q, T, &a, third)),
        gradient,
        hessian,
    ]
}

#[test]
fn potentials() {
    let [short, long] = [SHORT, LONG].map(both);
    let systems = [0, 1].map(|form| {
        system(|binder| {
            for kernel in [&short, &long] {
                for (count, scatter) in [(POINTS, false), (POINTS, true), (11, true)] {
                    let mut family = Family::new(kernel[form].clone(), binder.room());
                    fill(&mut family, count, scatter, |_| Vec::new());
                    binder.potential(family);
                }
            }
        })
    });
    have_equal_bits(systems, ask_potential);
}

/// Two sums for each of five rows, and elements that read them.
fn declare_sums(binder: &mut Binder, reader: Reader, [sums, short]: [&KernelHandle; 2]) -> Family {
    binder.begin_collective(reader, "sums", 2);
    (0..5).for_each(|row| assert!(binder.collective_row(&[row], "sums").is_ok()));
    for (count, scatter) in [(POINTS, false), (POINTS, true), (11, true)] {
        let mut family = Family::in_rows(sums.clone(), binder.room());
        fill(&mut family, count, scatter, |i| vec![if scatter { i as u32 % 5 } else { 3 }]);
        binder.collective_family(family);
    }
    let mut family = Family::new(short.clone(), binder.room());
    for i in 0..20 {
        let sum = binder.collective(reader, (0, i % 2), &[i as usize % 5], "sums").expect("a row");
        family.push(&[3 * i, sum], &[0.3, 0.1 * f64::from(i), 0.9]).expect("finite");
    }
    family
}

#[test]
fn functions_of_sums() {
    let ([sums, short], equations) = ([SUMS, SHORT].map(both), both(EQUATIONS));
    let systems = [0, 1].map(|form| {
        system(|binder| {
            let family = declare_sums(binder, Reader::Positions, [&sums[form], &short[form]]);
            binder.potential(family);
            binder.begin_rows(RowsOf::Holonomic, "held");
            let mut family = Family::in_rows(equations[form].clone(), binder.room());
            for i in 0..10 {
                let sum = binder.collective(Reader::Positions, (0, i % 2), &[i as usize % 5], "sums");
                let slots = [3 * i, sum.expect("a row"), binder.row_of(RowsOf::Holonomic)];
                family.push(&slots, &[0.3, 0.2, 0.1]).expect("finite");
            }
            binder.rows_of(RowsOf::Holonomic, family);
            binder.end_rows(RowsOf::Holonomic);
        })
    });
    have_equal_bits(systems, |system| [ask_potential(system), ask_rows(system)].concat());
}

fn ask_rows(system: &Assembly) -> Vec<Vec<f64>> {
    let ([q, v], a, rows) = (places(), direction(DIMENSION), system.constraints());
    let weights = direction(rows);
    let mut values = vec![0.0; rows];
    let jacobian = of(system.jacobian_pattern().len(), |jacobian| {
        system.jacobian(&q, T, &mut values, jacobian);
    });
    vec![
        of(rows, |values| system.constraint_values(&q, T, values)),
        values,
        jacobian,
        of(rows, |rate| system.constraint_rate(&q, T, rate)),
        of(rows, |curvature| system.constraint_curvature(&q, &v, T, curvature)),
        of(rows, |quadratic| system.constraint_quadratic(&q, T, &a, quadratic)),
        of(system.weighted_pattern().len(), |hessian| system.weighted_hessian(&q, T, &weights, hessian)),
        of(DIMENSION, |product| system.add_weighted_product(&q, T, &weights, &a, product)),
        of(DIMENSION, |third| system.add_weighted_third(&q, T, &weights, &a, third)),
    ]
}

/// Sums have no rates of third derivatives.
fn ask_rates(system: &Assembly) -> Vec<Vec<f64>> {
    let ([q, d], a, rows) = (places(), direction(DIMENSION), system.constraints());
    let weights = direction(rows);
    vec![
        of(DIMENSION, |rate| system.add_weighted_third_rate(&q, T, &weights, (&a, &d), rate)),
        of(rows, |rate| system.constraint_quadratic_rate(&q, T, (&a, &d), rate)),
    ]
}

#[test]
fn rows_and_rates() {
    let equations = both(EQUATIONS);
    let systems = [0, 1].map(|form| {
        system(|binder| {
            binder.begin_rows(RowsOf::Holonomic, "held");
            let first = binder.row_of(RowsOf::Holonomic);
            (1..POINTS).for_each(|_| assert!(binder.row_of(RowsOf::Holonomic) > first));
            // The first elements are alone in their rows.
            for (count, scatter) in [(POINTS, false), (POINTS / 2, true)] {
                let mut family = Family::in_rows(equations[form].clone(), binder.room());
                fill(&mut family, count, scatter, |i| vec![first + i as u32]);
                binder.rows_of(RowsOf::Holonomic, family);
            }
            binder.end_rows(RowsOf::Holonomic);
        })
    });
    have_equal_bits(systems, |system| [ask_rows(system), ask_rates(system)].concat());
}

#[test]
fn forces_and_functions_of_velocities() {
    let ([sums, short], forces) = ([SUMS, SHORT].map(both), both(FORCES));
    let systems = [0, 1].map(|form| {
        system(|binder| {
            binder.begin_force("drag", 0);
            let row = binder.force_row();
            (1..3 * POINTS).for_each(|_| assert!(binder.force_row() > row));
            for scatter in [false, true] {
                let mut family = Family::in_rows(forces[form].clone(), binder.room());
                let slots = |i: usize| vec![row + i as u32];
                fill(&mut family, POINTS, scatter, slots);
                binder.force(family);
            }
            let family = declare_sums(binder, Reader::Motion, [&sums[form], &short[form]]);
            binder.general(family);
        })
    });
    have_equal_bits(systems, |system| {
        let [q, v] = places();
        let mut force = vec![0.0; DIMENSION];
        let derivatives = of(system.force_pattern().len(), |derivatives| {
            system.add_force_derivatives(&q, &v, T, &mut force, derivatives);
        });
        vec![
            of(DIMENSION, |force| system.add_force(&q, &v, T, force)),
            force,
            derivatives,
            vec![system.lagrangian(&q, &v, T)],
            of(2 * DIMENSION + 1, |gradient| system.first_derivatives(&q, &v, T, gradient)),
        ]
    });
}

/// A sum over near pairs whose ends have slots, coefficients and classes.
fn near_family(kernel: &NearKernel, near: &Near, in_rows: bool) -> NearFamily {
    let mut family = NearFamily::new(kernel, near);
    let (slot, kind) = (|end: usize| [3 * end as u32 + 1], |end: usize| [end as u64 % 3]);
    family.shared(&[0.6]).expect("finite");
    for end in 0..family.seconds() {
        let own = [scattered(11 * end) - 0.4];
        if in_rows && end % 5 != 2 {
            family.visit(end as u32 % 40, end, &slot(end), &own, &kind(end)).expect("a row");
        } else if !in_rows {
            family.first(end, &slot(end), &own, &kind(end)).expect("finite");
        }
        family.second(end, &slot(end), &[scattered(7 * end)], &kind(end)).expect("finite");
    }
    for (at, i, j) in family.representatives().expect("nine") {
        family.pair(at, &[(i % 3) as f64 - 0.3 * (j % 3) as f64]).expect("finite");
    }
    family
}

#[test]
fn near_pairs() {
    let (short, equations) = (both(SHORT), both(EQUATIONS));
    for usage in [PAIRS, EXCHANGEABLE_PAIRS, ROWS, EXCHANGEABLE_ROWS] {
        let kernels = both_near(usage);
        let systems = [0, 1].map(|form| {
            system(|binder| {
                let mut near = NearPoints::new("within", 0.6, 3).expect("a cutoff");
                points_of(&mut near, POINTS);
                near.except(0, 1);
                let near = near.finish().expect("points");
                let family = near_family(&kernels[form], &near, usage >= ROWS);
                if usage < ROWS {
                    return binder.near_potential(family).expect("memory");
                }
                binder.begin_collective(Reader::Positions, "near", 1);
                (0..40).for_each(|row| assert!(binder.collective_row(&[row], "near").is_ok()));
                binder.near_collective(family).expect("memory");
                let mut readers = Family::new(short[form].clone(), binder.room());
                let mut held = Family::in_rows(equations[form].clone(), binder.room());
                binder.begin_rows(RowsOf::Holonomic, "held");
                for i in 0..20 {
                    let sum =
                        |row| binder.collective(Reader::Positions, (0, 0), &[row], "near").expect("a row");
                    let (one, other) = (sum(i), sum(i + 20));
                    readers.push(&[3 * i as u32, one], &[0.3, 0.2, 0.1]).expect("finite");
                    held.push(&[3 * i as u32, other, binder.row_of(RowsOf::Holonomic)], &[0.3, 0.2, 0.1])
                        .expect("finite");
                }
                binder.potential(readers);
                binder.rows_of(RowsOf::Holonomic, held);
                binder.end_rows(RowsOf::Holonomic);
            })
        });
        have_equal_bits(systems, |system| {
            let rows = if usage < ROWS { Vec::new() } else { ask_rows(system) };
            [ask_potential(system), rows].concat()
        });
    }
}
