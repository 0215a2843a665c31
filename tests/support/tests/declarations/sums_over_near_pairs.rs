//! Sums over near pairs are the sums over all pairs with a condition that they abbreviate.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use declarations::{End, Foam, Ions, Liquid, LiquidOfAllPairs};
use least_action::advanced::describe::Smoothness;
use least_action::nalgebra::Vector3;
use least_action::prelude::*;
use least_action::system::Natural;
use serde_json::Value;
use test_support::agreement::{Seeded, evaluated, kernels_agree_with_oracle};
use test_support::reference::{numbers, read};

/// A reference liquid of two kinds.
pub(crate) fn liquid(entry: &Value, end: End) -> Liquid {
    let table = |name: &str| entry[name].as_array().unwrap().iter().map(numbers).collect::<Vec<_>>();
    let number = |name: &str| entry[name].as_f64().unwrap();
    let rows = table("cell").into_iter().map(|row| <[f64; 3]>::try_from(row).unwrap());
    let bonds = table("except").into_iter().map(|pair| (pair[0] as usize, pair[1] as usize));
    Liquid {
        kind: numbers(&entry["kinds"]).into_iter().map(|kind| kind as usize).collect(),
        epsilon: table("epsilon"),
        sigma: table("sigma"),
        cell: Cell::triclinic(<[[f64; 3]; 3]>::try_from(rows.collect::<Vec<_>>()).unwrap()),
        on: number("on"),
        cutoff: number("cutoff"),
        bonds: bonds.collect(),
        end,
    }
}

#[track_caller]
pub(crate) fn is_close(found: &[f64], known: &[f64], tolerance: f64) {
    let scale = known.iter().fold(0.0_f64, |scale, number| scale.max(number.abs()));
    for (found, known) in found.iter().zip(known) {
        assert!((found - known).abs() <= tolerance * scale, "{found}, not {known} (of {scale})");
    }
    assert_eq!(found.len(), known.len());
}

/// Value, gradient, and with a direction the product and the third contraction, as in the reference.
#[track_caller]
fn is_as_known(model: &Liquid, q: &[f64], known: &Value) {
    let system = model.bind().unwrap();
    is_close(&[system.potential(q, 0.0)], &[known["value"].as_f64().unwrap()], 1e-12);
    let mut vector = vec![0.0; q.len()];
    system.potential_gradient(q, 0.0, &mut vector);
    is_close(&vector, &numbers(&known["gradient"]), 1e-12);
    if known["direction"].is_null() {
        return;
    }
    let direction = numbers(&known["direction"]);
    system.potential_product(q, 0.0, &direction, &mut vector);
    is_close(&vector, &numbers(&known["hessian_product"]), 1e-12);
    system.potential_third(q, 0.0, &direction, &mut vector);
    is_close(&vector, &numbers(&known["third_contraction"]), 1e-12);
}

#[test]
fn a_liquid_of_two_kinds_has_the_known_values() {
    let all = read("collective.json");
    let cube = &all["lennard_jones_cube"];
    let q = numbers(&cube["q"]);
    let ends = [
        ("plain", End::Plain),
        ("shifted", End::Shifted),
        ("force_shifted", End::ForceShifted),
        ("switched", End::Switched),
    ];
    for (name, end) in ends {
        is_as_known(&liquid(cube, end), &q, &cube[name]);
    }
    let triclinic = &all["lennard_jones_triclinic_switched"];
    is_as_known(&liquid(triclinic, End::Switched), &numbers(&triclinic["q"]), triclinic);
}

#[test]
fn a_sum_in_range_is_the_sum_over_all_pairs_that_it_abbreviates() {
    let all = read("collective.json");
    for name in ["lennard_jones_cube", "lennard_jones_triclinic_switched"] {
        let q = numbers(&all[name]["q"]);
        let a = Seeded::new(5).numbers(q.len());
        for end in [End::Plain, End::Shifted, End::ForceShifted, End::Switched] {
            let model = liquid(&all[name], end);
            let (near, written) = (model.clone().bind().unwrap(), LiquidOfAllPairs(model).bind().unwrap());
            let values = |system: &dyn Natural, wanted: u8| {
                let mut vector = vec![0.0; q.len()];
                match wanted {
                    0 => vector = vec![system.potential(&q, 0.0)],
                    1 => system.potential_gradient(&q, 0.0, &mut vector),
                    2 => system.potential_product(&q, 0.0, &a, &mut vector),
                    _ => system.potential_third(&q, 0.0, &a, &mut vector),
                }
                vector
            };
            for wanted in 0..4 {
                is_close(&values(&near, wanted), &values(&written, wanted), 1e-13);
            }
        }
    }
}

#[test]
fn whole_cells_do_not_count() {
    let all = read("collective.json");
    let entry = &all["lennard_jones_triclinic_switched"];
    let (model, q) = (liquid(entry, End::Switched), numbers(&entry["q"]));
    let mut moved = q.clone();
    for (atom, place) in moved.chunks_mut(3).enumerate() {
        for (k, row) in model.cell.rows().into_iter().enumerate() {
            let times = f64::from(((7 * atom + 3 * k) % 9) as u32) - 4.0;
            place.iter_mut().zip(row.unwrap()).for_each(|(x, edge)| *x += times * edge);
        }
    }
    let system = model.bind().unwrap();
    let a = Seeded::new(3).numbers(q.len());
    is_close(&evaluated(&system, &moved, &a), &evaluated(&system, &q, &a), 1e-12);
}

#[test]
fn kernels_in_range_agree_with_dual_numbers() {
    let all = read("collective.json");
    let mut seeded = Seeded::new(2024);
    for end in [End::Plain, End::Shifted, End::ForceShifted, End::Switched] {
        let entry = &all["lennard_jones_cube"];
        let mut model = liquid(entry, end);
        // Few atoms of the cube: dual numbers ask all pairs.
        model.kind.truncate(7);
        model.bonds.retain(|(i, j)| *i.max(j) < 7);
        let q: Vec<f64> = numbers(&entry["q"])[..21].to_vec();
        kernels_agree_with_oracle(&model, &q, &seeded.numbers(21), 0.0);
    }
}

#[test]
fn ends_meet_fields_drag_and_other_arrays() {
    let mut seeded = Seeded::new(11);
    let model = Foam {
        radii: vec![0.5, 0.7, 0.4, 0.6, 0.55],
        charges: vec![1.0, -0.5, 0.3, 0.8, -1.2],
        posts: 3,
        width: 4.1,
        stiffness: 30.0,
        drag: 0.4,
        reach: 2.0,
    };
    for _ in 0..5 {
        let mut q = vec![0.1, 0.2, 1.1, -0.3, 5.0, 0.4, -0.9, 1.1, 2.0, 1.3, 0.4, -1.0, 1.4, 0.7, 3.0, 0.2];
        q.iter_mut().for_each(|x| *x += 0.2 * seeded.number());
        kernels_agree_with_oracle(&model, &q, &seeded.numbers(16), 0.0);
    }
}

#[test]
fn charges_of_water_have_the_known_energy() {
    let known = &read("collective.json")["ewald_water"];
    let number = |name: &str| known[name].as_f64().unwrap();
    let (charges, molecules) = (numbers(&known["charges"]), numbers(&known["molecules"]));
    let (length, alpha, most) = (number("length"), number("alpha"), number("kmax") as i32);
    let bonds = (0..charges.len()).flat_map(|i| (i + 1..charges.len()).map(move |j| (i, j)));
    let bonds = bonds.filter(|(i, j)| molecules[*i].to_bits() == molecules[*j].to_bits()).collect();
    let line = || -most..=most;
    let all = line().flat_map(|x| line().flat_map(move |y| line().map(move |z| [x, y, z])));
    // Waves of both signs count alike: one of them twice.
    let half = all.filter(|n| *n > [0, 0, 0] && n.iter().map(|k| k * k).sum::<i32>() <= most * most);
    let waves = half.map(|n| {
        let wave = n.map(|k| std::f64::consts::TAU * f64::from(k) / length);
        let square: f64 = wave.iter().map(|k| k * k).sum();
        let clouds = (-square / (4.0 * alpha * alpha)).exp();
        (wave, 2.0 * std::f64::consts::TAU / length.powi(3) * clouds / square)
    });
    let cutoff = number("cutoff");
    let model = Ions { charges, bonds, length, cutoff, alpha, waves: waves.collect() };
    let q = numbers(&known["positions"]);
    let system = model.bind().unwrap();
    is_close(&[system.potential(&q, 0.0)], &[known["parts"]["total"].as_f64().unwrap()], 1e-12);
    let mut gradient = vec![0.0; q.len()];
    system.potential_gradient(&q, 0.0, &mut gradient);
    is_close(&gradient, &numbers(&known["gradient"]), 1e-12);
}

#[test]
fn where_a_sum_ends_is_told() {
    let all = read("collective.json");
    let told = |end| {
        let system = liquid(&all["lennard_jones_cube"], end).bind().unwrap();
        let families = system.description().families;
        families.into_iter().find_map(|family| family.range).unwrap()
    };
    let plain = "over pairs that are nearer than 1.7; one that comes into range changes the potential by ";
    assert!(told(End::Plain).starts_with(plain), "{}", told(End::Plain));
    assert_eq!(told(End::Switched), "over pairs that are nearer than 1.7");
}

#[test]
fn cells_and_ranges_that_cannot_be_are_refused() {
    let all = read("collective.json");
    let model = liquid(&all["lennard_jones_cube"], End::Switched);
    let refused = |change: &dyn Fn(&mut Liquid)| {
        let mut model = model.clone();
        change(&mut model);
        model.bind().err().map_or_else(String::new, |error| error.to_string())
    };
    for (change, said) in [
        (&(|model: &mut Liquid| model.cutoff = 1.8) as &dyn Fn(&mut Liquid), "more than half"),
        (&|model| model.cutoff = f64::NAN, "the cutoff is NaN"),
        (
            &|model| model.on = 1.7,
            "`switched(…, self.on, self.cutoff)` begins to fall at 1.7 and has to end behind it, not at 1.7",
        ),
        (&|model| model.on = f64::NAN, "`switched(…, self.on, self.cutoff)` begins to fall at NaN"),
        (
            &|model| model.cell = Cell::triclinic([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 9.0]]),
            "no volume",
        ),
        (&|model| model.bonds.push((0, 99)), "(0, 99)"),
        (&|model| model.kind[3] = 7, "index 7"),
    ] {
        let message = refused(change);
        assert!(message.contains(said) && !message.contains('\n'), "{message}");
    }
}

/// Two sums whose cutoff and element name one length differently.
struct Cores {
    points: usize,
    h: f64,
}

#[lagrangian]
impl Cores {
    fn lagrangian(&self, points: [Vec2; self.points]) -> Scalar {
        let (own, end) = (sum(points.iter(), |point| 0.5 * der(*point).norm_squared()), 3.0 * self.h);
        let spline = |x: Scalar| {
            if x < 1.0 { 1.0 - 1.5 * x.powi(2) + 0.75 * x.powi(3) } else { 0.25 * (2.0 - x).powi(3) }
        };
        let soft = sum(within(2.0 * self.h, points), |(_, _, d)| spline(d.norm() / self.h));
        own - soft - sum(within(end, points), |(_, _, d)| shifted(d.norm(), end, |r| r.powi(2)))
    }
}

#[test]
fn branches_meet_at_a_cutoff_that_is_calculated() {
    let described = Cores { points: 3, h: 0.5 }.bind().unwrap().description();
    let found: Vec<_> = described.families.iter().filter(|family| family.range.is_some()).collect();
    let orders: Vec<Smoothness> = found.iter().map(|family| family.smoothness).collect();
    assert_eq!(orders, [Smoothness::Times(2), Smoothness::Times(0)]);
}

/// Points whose pairs are told apart by expressions of all kinds.
struct Told {
    special: usize,
    kind: Vec<usize>,
    weight: Vec<f64>,
    edge: f64,
}

impl Told {
    /// The energy of a pair at the separation d.
    fn pair(&self, i: usize, j: usize, d: [f64; 3]) -> f64 {
        let r = Vector3::from(d).norm();
        let (of_i, of_j) = (i as f64, j as f64);
        let chosen = if i != 1 && j > 2 { r } else { r * r };
        let both = if self.weight[i] > 0.5 && self.weight[j] > 0.5 {
            r
        } else if self.kind[i] == 0 || self.kind[j] == self.special {
            2.0 * r
        } else {
            r.powi(3)
        };
        chosen
            + both
            + (of_i - of_j).abs() * r
            + self.weight[i].max(of_j) * d[0].sin()
            + f64::max(of_i, of_j) * d[2]
    }
}

#[lagrangian]
impl Told {
    fn lagrangian(&self, x: [Vec3; self.kind.len()]) -> Scalar {
        let near = within(1.5, x).periodic(Cell::cubic(self.edge));
        let chosen = sum(near, |(i, j, d)| if i != 1 && j > 2 { d.norm() } else { d.norm_squared() });
        let both = sum(near, |(i, j, d)| {
            if self.weight[i] > 0.5 && self.weight[j] > 0.5 {
                d.norm()
            } else if self.kind[i] == 0 || self.kind[j] == self.special {
                2.0 * d.norm()
            } else {
                d.norm().powi(3)
            }
        });
        let numbered = sum(near, |(i, j, d)| {
            (i as f64 - j as f64).abs() * d.norm()
                + self.weight[i].max(j as f64) * d.x.sin()
                + f64::max(i as f64, j as f64) * d.z
        });
        sum(x.iter(), |x| 0.5 * der(*x).norm_squared()) - chosen - both - numbered
    }
}

#[test]
fn pairs_are_told_apart_by_any_expression_of_their_numbers() {
    let mut seeded = Seeded::new(11);
    let kind: Vec<usize> = (0..30).map(|k| k % 3).collect();
    let weight = seeded.numbers(30);
    let told = Told { special: 2, kind, weight, edge: 4.0 };
    let q: Vec<f64> = seeded.numbers(90).into_iter().map(|x| 4.0 * x).collect();
    let cell = Cell::cubic(told.edge);
    let mut expected = 0.0;
    for i in 0..30 {
        for j in i + 1..30 {
            let d = cell.nearest(std::array::from_fn(|k| q[3 * i + k] - q[3 * j + k])).unwrap();
            if Vector3::from(d).norm() < 1.5 {
                expected += told.pair(i, j, d);
            }
        }
    }
    let system = told.bind().unwrap();
    is_close(&[system.potential(&q, 0.0)], &[expected], 1e-13);
    // Too few coordinates have no potential, nor the one of earlier coordinates.
    assert!(system.potential(&q[..87], 0.0).is_nan() && system.potential(&[], 0.0).is_nan());
    let mut gradient = vec![0.0; 90];
    system.potential_gradient(&q[..87], 0.0, &mut gradient);
    assert!(gradient.iter().all(|entry| entry.is_nan()));
}

/// Points of a chain, whose attraction weakens with the links between them; neighbours do not attract.
struct Chain {
    points: usize,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, x: [Vec3; self.points]) -> Scalar {
        let bonds = (1..self.points).map(|k| (k - 1, k));
        let near = within(1.5, x);
        let apart = sum(within(1.5, x).except(bonds), |(i, j, d)| d.norm() / (j - i - 1) as f64);
        let of_each =
            sum(0..self.points, |i| sum(near.of(i), |(j, d)| d.norm_squared() / (i as f64 - j as f64).abs()));
        sum(x.iter(), |x| 0.5 * der(*x).norm_squared()) - apart - of_each
    }
}

/// Between a point and itself, and between an exception's points, the expressions have no value.
#[test]
fn expressions_of_both_numbers_are_asked_of_pairs_alone() {
    let points = 40;
    let q: Vec<f64> = Seeded::new(8).numbers(3 * points).into_iter().map(|x| 2.0 * x).collect();
    let mut expected = 0.0;
    for i in 0..points {
        for j in i + 1..points {
            let r = Vector3::from(std::array::from_fn(|k| q[3 * i + k] - q[3 * j + k])).norm();
            if r < 1.5 {
                let links = (j - i) as f64;
                expected += 2.0 * r.powi(2) / links + if j > i + 1 { r / (links - 1.0) } else { 0.0 };
            }
        }
    }
    let system = Chain { points }.bind().unwrap();
    is_close(&[system.potential(&q, 0.0)], &[expected], 1e-13);
    let mut gradient = vec![0.0; q.len()];
    system.potential_gradient(&q, 0.0, &mut gradient);
    assert!(gradient.iter().all(|slope| slope.is_finite()));
}
