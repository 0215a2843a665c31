//! Temperature, pressure, radial distributions and displacements equal their formulas, by other ways.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use super::functions_of_near_sums::{metal, repeated};
use super::sums_over_near_pairs::{is_close, liquid};
use declarations::{Cluster, Dumbbells, End, Ions, Liquid, LiquidOfAllPairs, Metal};
use least_action::drive::{
    MeanSquareDisplacement, Moment, Pressure, Quantity, RadialDistribution, Temperature, integrate,
};
use least_action::error::MeasureError;
use least_action::method::{Rattle, Report, Verlet};
use least_action::nalgebra::{Matrix3, Rotation3};
use least_action::prelude::*;
use test_support::agreement::Seeded;
use test_support::reference::{numbers, read};

/// The numbers of a quantity at a state, by the names of its columns.
fn measured(quantity: &mut impl Quantity, state: &State, multipliers: Option<&[f64]>) -> Vec<(String, f64)> {
    let names = quantity.names();
    let mut values = vec![0.0; names.len()];
    let moment = Moment { step: 0, of: 1, state, multipliers, report: Report::default() };
    quantity.measure(&moment, &mut values);
    names.into_iter().zip(values).collect()
}

fn one(all: &[(String, f64)], name: &str) -> f64 {
    all.iter().find(|(known, _)| known == name).unwrap().1
}

/// The virial tensor of a liquid by its system.
fn virial(system: &impl System, q: &[f64]) -> Matrix3<f64> {
    let mut virial = Matrix3::zeros();
    let mut rest = vec![0.0; q.len()];
    system.periodic().unwrap().pair_virial(q, 0.0, &mut virial, &mut rest);
    assert!(rest.iter().all(|number| *number == 0.0), "a liquid has nothing but pairs");
    virial
}

#[test]
fn the_virial_of_a_liquid_is_known() {
    let all = read("collective.json");
    let cube = &all["lennard_jones_cube"];
    let triclinic = &all["lennard_jones_triclinic_switched"];
    let ends = [
        (cube, &cube["plain"], End::Plain),
        (cube, &cube["shifted"], End::Shifted),
        (cube, &cube["force_shifted"], End::ForceShifted),
        (cube, &cube["switched"], End::Switched),
        (triclinic, triclinic, End::Switched),
    ];
    for (entry, known, end) in ends {
        let found = virial(&liquid(entry, end).bind().unwrap(), &numbers(&entry["q"]));
        let known: Vec<f64> = known["virial"].as_array().unwrap().iter().flat_map(numbers).collect();
        is_close(found.transpose().as_slice(), &known, 1e-12);
    }
}

/// Compares a virial with minus the derivative of a potential by a strain of points and cell.
#[track_caller]
fn is_derivative_by_strain(
    found: &Matrix3<f64>,
    (cell, q): (Cell, &[f64]),
    potential: impl Fn(Cell, &[f64]) -> f64,
) {
    let strained = |strain: Matrix3<f64>| {
        let apply = |x: &[f64]| {
            let x = Vector3::from_column_slice(x);
            let moved: [f64; 3] = (x + strain * x).into();
            moved
        };
        let rows = cell.rows().map(|row| apply(&row.unwrap()));
        let q: Vec<f64> = q.chunks(3).flat_map(apply).collect();
        potential(Cell::triclinic(rows), &q)
    };
    for i in 0..3 {
        for k in 0..3 {
            let along = |size: f64| {
                let mut strain = Matrix3::zeros();
                strain[(i, k)] = size;
                strained(strain)
            };
            let h = 2e-4;
            let difference = (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
            let scale = found.amax();
            assert!(
                (difference + found[(i, k)]).abs() < 1e-8 * scale,
                "{difference}, not {}",
                -found[(i, k)]
            );
        }
    }
}

#[test]
fn the_virial_is_the_derivative_by_a_strain_of_points_and_cell() {
    let all = read("collective.json");
    for name in ["lennard_jones_cube", "lennard_jones_triclinic_switched"] {
        let (model, q) = (liquid(&all[name], End::Switched), numbers(&all[name]["q"]));
        let found = virial(&model.bind().unwrap(), &q);
        is_derivative_by_strain(&found, (model.cell, &q), |cell, q| {
            Liquid { cell, ..model.clone() }.bind().unwrap().potential(q, 0.0)
        });
    }
}

#[test]
fn the_virial_goes_through_functions_of_sums_over_near_pairs() {
    let entry = &read("collective.json")["embedded_atoms_periodic"];
    // A hundred and twenty-eight atoms have lists; without their repulsion all pairs stand under roots.
    for (times, repulsion) in [(1, 1.0), (2, 1.0), (2, 0.0)] {
        let mut model = metal(entry, times);
        model.repulsion *= repulsion;
        let q = repeated(&numbers(&entry["positions"]), numbers(&entry["cell"][0])[0], times);
        let found = virial(&model.clone().bind().unwrap(), &q);
        is_derivative_by_strain(&found, (model.cell, &q), |cell, q| {
            Metal { cell, ..model.clone() }.bind().unwrap().potential(q, 0.0)
        });
    }
}

/// Dumbbells on a lattice, all within one cell, with velocities that keep the rods, without momentum.
fn dumbbells(twice: bool) -> (Dumbbells, State) {
    let model = Dumbbells { count: 8, masses: [2.0, 0.5], length: 0.4, edge: 7.0, cutoff: 1.3, twice };
    let mut seeded = Seeded::new(3);
    let (mut heads, mut tails) = (Vec::new(), Vec::new());
    let (mut of_heads, mut of_tails) = (Vec::new(), Vec::new());
    for site in 0..model.count {
        let place = Vector3::new((site % 2) as f64, (site / 2 % 2) as f64, (site / 4) as f64);
        let turn = Rotation3::from_scaled_axis(Vector3::from_vec(seeded.numbers(3)) * 2.0);
        let axis = turn * Vector3::x() * model.length;
        let (speed, spin) = (Vector3::from_vec(seeded.numbers(3)), Vector3::from_vec(seeded.numbers(3)));
        heads.push(place);
        tails.push(place - axis);
        of_heads.push(speed);
        of_tails.push(speed - spin.cross(&axis) * 3.0);
    }
    let momentum: Vector3<f64> = of_heads.iter().sum::<Vector3<f64>>() * model.masses[0]
        + of_tails.iter().sum::<Vector3<f64>>() * model.masses[1];
    let drift = momentum / (model.count as f64 * (model.masses[0] + model.masses[1]));
    of_heads.iter_mut().chain(&mut of_tails).for_each(|velocity| *velocity -= drift);
    let flat =
        |points: [Vec<Vector3<f64>>; 2]| points.concat().iter().flat_map(|x| [x.x, x.y, x.z]).collect();
    (model, State::new(flat([heads, tails]), flat([of_heads, of_tails])))
}

#[test]
fn the_pressure_of_rigid_molecules_is_that_of_the_theorem_of_the_virial() {
    let (model, start) = dumbbells(false);
    let system = model.bind().unwrap();
    // In an accurate motion, d/dt Σ p·x = Σ p·v + Σ x·f with the forces of the rods: 3 Ω times the
    // pressure, where no pair reaches over the boundary.
    let deviation = |step: f64| {
        let run = integrate(&system, &Rattle::default(), start.clone(), step).unwrap().until(0.3);
        let run = run.measure(Pressure::of(&system, &start).unwrap()).record().unwrap();
        let masses = |k: usize| model.masses[k / (3 * model.count)];
        let action: Vec<f64> = run
            .positions()
            .zip(run.velocities())
            .map(|(q, v)| q.iter().zip(v).enumerate().map(|(k, (q, v))| masses(k) * q * v).sum())
            .collect();
        let pressure = run.column("pressure").unwrap();
        let (mut largest, mut deviation) = (0.0_f64, 0.0_f64);
        for k in 1..action.len() - 1 {
            let rate = (action[k + 1] - action[k - 1]) / (2.0 * step);
            largest = largest.max(rate.abs());
            deviation = deviation.max((rate - 3.0 * model.edge.powi(3) * pressure[k]).abs());
        }
        deviation / largest
    };
    let (coarse, fine) = (deviation(2e-3), deviation(1e-3));
    assert!(fine < 1e-4, "{fine}");
    assert!((coarse / fine - 4.0).abs() < 0.8, "{coarse} beside {fine}: not of order two");
    // Without multipliers nothing is known.
    let alone = measured(&mut Pressure::of(&system, &start).unwrap(), &start, None);
    assert!(alone.iter().all(|(_, value)| value.is_nan()));
}

#[test]
fn the_temperature_counts_the_degrees_of_freedom() {
    for twice in [false, true] {
        let (model, start) = dumbbells(twice);
        let system = model.bind().unwrap();
        let found = measured(&mut Temperature::of(&system, &start, 0.5).unwrap(), &start, None);
        // Six for each dumbbell, less its rod, and the momentum; a rod that is there twice counts once.
        let kinetic = system.mass().quadratic(&start.v) / 2.0;
        let known = 2.0 * kinetic / (0.5 * (6.0 * 8.0 - 8.0 - 3.0));
        assert!((one(&found, "temperature") / known - 1.0).abs() < 1e-12, "{found:?}");
        // A drift of the whole is no heat.
        let drifting = State::new(start.q.clone(), start.v.iter().map(|v| v + 20.0).collect());
        let drifting = measured(&mut Temperature::of(&system, &start, 0.5).unwrap(), &drifting, None);
        assert!((one(&drifting, "temperature") / known - 1.0).abs() < 1e-9, "{drifting:?}");
    }
    // A free cluster that turns as a rigid body and drifts is cold; three in a line have two turns.
    for (places, rotations) in
        [([[0.0, 0.0, 0.0], [1.1, 0.0, 0.2], [0.3, 1.0, 0.1]], 3), ([[0.0; 3], [1.0; 3], [2.5; 3]], 2)]
    {
        let system = Cluster { atoms: 3, epsilon: 1.0, sigma: 1.0 }.bind().unwrap();
        let spin = Vector3::new(0.3, -0.8, 0.5);
        let rigid: Vec<f64> = places
            .iter()
            .flat_map(|x| {
                let v: [f64; 3] = (spin.cross(&Vector3::from(*x)) + Vector3::new(2.0, 0.1, -1.0)).into();
                v
            })
            .collect();
        let state = State::new(places.concat(), rigid.clone());
        let mut temperature = Temperature::of(&system, &state, 1.0).unwrap();
        let cold = one(&measured(&mut temperature, &state, None), "temperature");
        assert!(cold.abs() < 1e-12, "{cold}");
        // The rest of a breathing motion, which has neither momentum, is all heat.
        let centre = |k: usize| places.iter().map(|x| x[k]).sum::<f64>() / 3.0;
        let breathing: Vec<f64> =
            places.iter().flat_map(|x| (0..3).map(|k| x[k] - centre(k)).collect::<Vec<_>>()).collect();
        let energy = 0.5 * breathing.iter().map(|v| v * v).sum::<f64>();
        let both: Vec<f64> = rigid.iter().zip(&breathing).map(|(a, b)| a + b).collect();
        let warm = one(&measured(&mut temperature, &State::new(places.concat(), both), None), "temperature");
        let known = 2.0 * energy / (9.0 - 3.0 - f64::from(rotations));
        assert!((warm / known - 1.0).abs() < 1e-10, "{warm}, not {known}");
    }
}

#[test]
fn distances_are_counted_as_a_loop_over_all_pairs_counts_them() {
    let entry = &read("collective.json")["lennard_jones_triclinic_switched"];
    let model = liquid(entry, End::Switched);
    let q = numbers(&entry["q"]);
    let mut radial = RadialDistribution::of(&model.bind().unwrap(), Some(1.5), 30).unwrap();
    radial.sample(&State::at_rest(q.clone()));
    radial.sample(&State::at_rest(q.clone()));
    let mut counts = vec![0; 30];
    for i in 0..27 {
        for j in i + 1..27 {
            let d = std::array::from_fn(|k| q[3 * i + k] - q[3 * j + k]);
            let d = Vector3::from(model.cell.nearest(d).unwrap()).norm();
            if let Some(count) = counts.get_mut((d / 0.05) as usize) {
                *count += 2;
            }
        }
    }
    assert_eq!((radial.functions().len(), radial.samples()), (1, 2));
    let (kinds, bins) = radial.functions().next().unwrap();
    assert_eq!(bins.iter().map(|bin| bin.count).collect::<Vec<_>>(), counts);
    assert_eq!(kinds, &["atoms", "atoms"].map(str::to_owned));

    // Points that are anywhere are distributed evenly: within five times the spread of a count.
    let (model, _) = dumbbells(false);
    let model = Dumbbells { count: 400, cutoff: 2.0, ..model };
    let system = model.bind().unwrap();
    let mut radial = RadialDistribution::of(&system, None, 8).unwrap();
    let mut seeded = Seeded::new(77);
    for _ in 0..5 {
        let anywhere = seeded.numbers(2400).into_iter().map(|x| 40.0 * x).collect();
        radial.sample(&State::at_rest(anywhere));
    }
    assert_eq!(radial.functions().len(), 3);
    for (kinds, bins) in radial.functions() {
        assert!(bins.len() == 8 && (bins.len() as f64 * 0.25 - 2.0).abs() < 1e-15);
        assert!(
            bins.iter().all(|bin| (bin.g - 1.0).abs() < 5.0 / (bin.count as f64).sqrt()),
            "{kinds:?}: {bins:?}"
        );
    }
}

#[test]
fn displacements_are_those_of_free_flight() {
    let model = Dumbbells { cutoff: 0.1, ..dumbbells(false).0 };
    let (system, (_, start)) = (model.bind().unwrap(), dumbbells(false));
    let mut displacement = MeanSquareDisplacement::of(&system).unwrap();
    let names = displacement.names();
    assert_eq!(names, ["mean_square_displacement_heads", "mean_square_displacement_tails"]);
    measured(&mut displacement, &start, None);
    let later: Vec<f64> = start.q.iter().zip(&start.v).map(|(q, v)| q + 50.0 * v).collect();
    let later = State::new(later, start.v.clone());
    let mut values = [0.0; 2];
    let moment = Moment { step: 1, of: 1, state: &later, multipliers: None, report: Report::default() };
    displacement.measure(&moment, &mut values);
    let (heads, tails) = start.v.split_at(24);
    let square = |v: &[f64]| 2500.0 * v.iter().map(|v| v * v).sum::<f64>() / 8.0;
    is_close(&values, &[square(heads), square(tails)], 1e-12);
}

#[test]
fn a_drift_of_the_whole_is_taken_off_displacements() {
    let model = Dumbbells { cutoff: 0.1, ..dumbbells(false).0 };
    let (system, (_, start)) = (model.bind().unwrap(), dumbbells(false));
    // The momentum of the start is zero. The displacements of a drifting flight, in space and about the
    // centre of mass, without and with a thermostat.
    let displaced = |about_the_centre: bool, drift: [f64; 3], heat: Option<f64>| {
        let mut displacement = MeanSquareDisplacement::of(&system).unwrap();
        if about_the_centre {
            displacement = displacement.without_drift(&system, &start);
        }
        measured(&mut displacement, &start, None);
        let all = start.q.iter().zip(&start.v).enumerate();
        let later = all.map(|(index, (q, v))| q + 50.0 * (v + drift[index % 3])).collect();
        let later = State::new(later, start.v.clone());
        let report = Report { heat, ..Report::default() };
        let moment = Moment { step: 1, of: 1, state: &later, multipliers: None, report };
        let mut values = [0.0; 2];
        displacement.measure(&moment, &mut values);
        values
    };
    let drift = [0.3, -0.2, 0.1];
    let (still, drifting) = (displaced(false, [0.0; 3], None), displaced(false, drift, None));
    assert!(still.iter().zip(drifting).all(|(still, drifting)| (drifting - still).abs() > 0.01 * still));
    is_close(&displaced(true, drift, None), &still, 1e-12);
    is_close(&displaced(true, drift, Some(0.0)), &drifting, 0.0);
}

/// Atoms of which as many stay close to each other as began so.
struct Crowd {
    atoms: usize,
    edge: f64,
}

#[lagrangian]
impl Crowd {
    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let near = within(1.3, atoms).periodic(Cell::cubic(self.edge));
        let pairs = sum(near, |(_, _, d)| (1.3 - d.norm()).powi(2));
        sum(atoms.iter(), |atom| 0.5 * der(*atom).norm_squared()) - pairs
    }

    #[holonomic]
    fn close(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let near = within(1.3, atoms).periodic(Cell::cubic(self.edge));
        sum(near, |(_, _, d)| (1.69 - d.norm_squared()).powi(2)) - 1.0
    }
}

#[test]
fn the_pressure_where_constraints_read_near_pairs_is_refused() {
    // Without lists, as all pairs with a condition, and with them.
    for along in [3, 7] {
        let crowd = Crowd { atoms: along * along * along, edge: along as f64 }.bind().unwrap();
        let site = |atom: usize| [atom % along, atom / along % along, atom / along / along];
        let mut seeded = Seeded::new(5);
        let place = |k: usize| k as f64 + 0.1 * seeded.number();
        let q = (0..along * along * along).flat_map(site).map(place).collect();
        let error = Pressure::of(&crowd, &State::at_rest(q)).unwrap_err();
        assert!(matches!(&error, MeasureError::Held { term, .. } if term.contains("1.69")), "{error}");
        let said = error.to_string();
        assert!(!said.contains("sum_") && !said.contains("within") && !said.contains('\n'), "{said}");
    }
}

#[test]
fn what_is_not_known_is_refused_in_one_line() {
    let refused = |result: Option<MeasureError>, said: &str| {
        let message = result.map_or_else(String::new, |error| error.to_string());
        assert!(message.contains(said) && !message.contains('\n'), "{message}");
    };
    let all = read("collective.json");
    let model = liquid(&all["lennard_jones_cube"], End::Switched);
    let state = State::at_rest(numbers(&all["lennard_jones_cube"]["q"]));
    let open = Liquid { cell: Cell::OPEN, ..model.clone() }.bind().unwrap();
    refused(Pressure::of(&open, &state).err(), "no sum over near pairs");
    refused(RadialDistribution::of(&open, None, 10).err(), "no sum over near pairs");
    let written = LiquidOfAllPairs(model.clone()).bind().unwrap();
    refused(Pressure::of(&written, &state).err(), "no sum over near pairs");
    let system = model.bind().unwrap();
    refused(Temperature::of(&system, &state, 0.0).err(), "the constant of Boltzmann is 0");
    refused(RadialDistribution::of(&system, Some(-1.0), 10).err(), "the distance is -1");
    refused(RadialDistribution::of(&system, Some(1.8), 10).err(), "more than half");
    refused(RadialDistribution::of(&system, None, 0).err(), "the number of bins is 0");

    // Waves of a cell that no sum over near pairs declares.
    let charges = vec![1.0, -1.0, 0.5, -0.5];
    let wave = [std::f64::consts::TAU / 5.0, 0.0, 0.0];
    let ions =
        Ions { charges, bonds: Vec::new(), length: 5.0, cutoff: 2.0, alpha: 1.0, waves: vec![(wave, 0.3)] };
    let ions = ions.bind().unwrap();
    let state = State::at_rest(Seeded::new(1).numbers(12));
    let error = Pressure::of(&ions, &state).unwrap_err();
    assert!(matches!(error, MeasureError::Repeating { .. } | MeasureError::Placed { .. }), "{error}");
    assert!(Temperature::of(&ions, &state, 1.0).is_ok());
    // The same by Verlet runs all the same.
    assert!(integrate(&ions, &Verlet, state, 1e-4).unwrap().until(1e-3).record().is_ok());
}
