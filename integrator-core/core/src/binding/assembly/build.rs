//! Builds a system from the collected elements: adds up the masses, finds the patterns of G and of the
//! forces, and the sums that functions read.

use super::{Assembly, Forces, MotionRows};
use crate::binding::at::{At, Weights};
use crate::binding::binder::{Binder, ConstraintMethod, FoundRows};
use crate::binding::collectives::FoundStage;
use crate::binding::facts::Facts;
use crate::binding::family::Family;
use crate::binding::function::{Filled, RowFunction, Space, too_many};
use crate::binding::instant::Instant;
use crate::binding::numbers;
use crate::binding::signals::Now;
use crate::binding::terms::Terms;
use crate::error::BindError;
use crate::lanes::Width;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use crate::system::turns::Turn;
use crate::system::{Layout, MomentMethod, RowsOf};
use std::sync::OnceLock;

impl Assembly {
    /// Builds the system that the binder has collected; parameters as coordinates have no mass.
    ///
    /// # Errors
    /// The parts do not fit each other, or nothing in the instance moves.
    pub fn new(facts: Facts, binder: Binder, has_parameters: bool) -> Result<Self, BindError> {
        binder.moves(&facts.name)?;
        let numbers = numbers::checksum(&binder);
        let Binder {
            layout,
            mut mass,
            kinetic,
            mut potential,
            stiff,
            ranges: _,
            mut general,
            mut stages,
            mut moving,
            reader: _,
            mass_of_sums,
            rows,
            mut forces,
            mut dissipations,
            mut dissipated,
            force_methods,
            phase,
            signals,
            sampled: _,
            budget,
        } = binder;
        let (dimension, name) = (layout.dimension(), &*facts.name);
        let first_stiff = [potential.families.len(), potential.near.len()];
        potential.families.extend(stiff.families);
        potential.near.extend(stiff.near);
        let has_stiff = first_stiff != [potential.families.len(), potential.near.len()];
        let angles = place_angles(facts.checksum, stages.iter_mut().chain(&mut moving));
        let positions = Space::of_positions(dimension, stages);
        potential.find_sums(dimension);
        let [FoundRows { families: constraints, rows }, mut of_motion @ ..] = rows;
        let readers = [&mut general, &mut forces, &mut dissipations, &mut dissipated];
        let readers = readers.into_iter().chain(of_motion.iter_mut().map(|found| &mut found.families));
        let (reads_motion, reads_sums) = find_sums(readers, 2 * dimension + 1);
        let with_masses = reads_motion || !mass_of_sums.is_empty();
        let mut motion = Space::of_motion(dimension, moving, with_masses);
        let now = signals.at(Instant::of(0.0, phase), None);
        mass.extend(mass_through_sums(name, &motion, &mass_of_sums, &now)?);
        drop(now);
        if !reads_sums {
            // If only the mass reads sums, they are not needed any more.
            motion = Space::of_motion(dimension, Vec::new(), reads_motion);
        }
        let mass = mass_matrix(dimension, &mass);
        let constraints = RowFunction::new(&positions, constraints, (rows.count(), dimension));
        constraints.afforded(&positions, (name, "the rows of the constraints"))?;
        let moments = moment_methods(&layout, &of_motion);
        let of_motion = of_motion.map(|FoundRows { families, rows }| {
            let function = RowFunction::new(&motion, families, (rows.count(), 2 * dimension));
            MotionRows { function, rows }
        });
        let words = ["the constraints on velocities", "the resets", "the events", "the gaps"];
        for (MotionRows { function, .. }, what) in of_motion.iter().zip(words) {
            function.afforded(&motion, (name, what))?;
        }
        if general.is_empty() && !has_parameters {
            let mut held =
                held(dimension, constraints.pattern(&positions), of_motion[0].function.pattern(&motion));
            if ![&forces, &dissipations, &dissipated].iter().all(|families| families.is_empty()) {
                // The start says whether forces damp a coordinate without mass.
                held.fill(true);
            }
            check_mass(name, &layout, &mass, &held)?;
        }
        let is_symmetric = is_symmetric(&forces, dimension, &motion);
        let forces = Forces::new(&motion, (dimension, is_symmetric), [forces, dissipations, dissipated]);
        let is_still = !facts.classification.time && phase.is_none() && signals.named().is_empty();
        let gradient = if general.is_empty() && !has_stiff { 0 } else { 2 * dimension + 1 };
        let mut assembly = Self {
            facts,
            layout,
            mass,
            kinetic,
            positions,
            motion,
            potential,
            first_stiff,
            general,
            constraints,
            rows,
            of_motion,
            moments,
            forces,
            force_methods,
            is_still,
            phase,
            signals,
            numbers,
            angles,
            budget,
            potential_second: OnceLock::new(),
            stiff_second: OnceLock::new(),
            lagrangian_second: OnceLock::new(),
            bordered: OnceLock::new(),
            with_parameters: None,
            gradient: Scratch::new(move || vec![0.0; gradient]),
        };
        assembly.set_width(Width::widest());
        Ok(assembly)
    }
}

/// Gives followed angles places, equal ones for functions of (q, t) and of (q, v, t); their number.
fn place_angles<'s>(declaration: u64, stages: impl Iterator<Item = &'s mut FoundStage>) -> usize {
    let mut all: Vec<(u32, &mut Turn)> =
        stages.filter_map(|stage| Some((stage.rows, stage.turn.as_mut()?))).collect();
    all.sort_by_key(|(_, turn)| turn.place);
    let (mut end, mut last) = ([0; 2], None);
    for (rows, turn) in all {
        if last != Some(turn.place) {
            (last, end) = (Some(turn.place), [end[1], end[1] + rows as usize]);
        }
        *turn = Turn { declaration, place: end[0], ..*turn };
    }
    end[1]
}

/// The methods of resets, of events and of gaps.
fn moment_methods(layout: &Layout, found: &[FoundRows]) -> [Vec<MomentMethod>; 3] {
    let kinds = &found[RowsOf::Reset as usize - 1..];
    let of = |rows: &ConstraintMethod| rows.first..rows.first + rows.rows;
    std::array::from_fn(|kind| {
        let all = kinds[kind].rows.methods.iter().map(|method| {
            let ConstraintMethod { name, moment, .. } = method;
            let resets = kinds[0].rows.methods.iter().filter_map(|reset| {
                let (event, coordinate) = reset.moment.reset.as_ref()?;
                let is_own = kind == RowsOf::Event as usize - RowsOf::Reset as usize && event == name;
                let own = &layout.coordinates()[*coordinate];
                is_own.then(|| [of(reset), own.offset..own.offset + own.size()])
            });
            MomentMethod {
                name: name.clone(),
                rows: of(method),
                rises: moment.rises,
                resets: resets.collect(),
                restitution: moment.restitution,
                friction: moment.friction,
            }
        });
        all.collect()
    })
}

/// Finds the families of (q, v, t) that read sums; true if there are families, and if one reads sums.
fn find_sums<'f>(functions: impl Iterator<Item = &'f mut Vec<Family>>, base: usize) -> (bool, bool) {
    let (mut any, mut reads) = (false, false);
    for family in functions.flatten() {
        family.find_sums(base);
        (any, reads) = (true, reads || family.reads_sums);
    }
    (any, reads)
}

/// The entries of the mass matrix of these families: constant second derivatives by the velocities.
///
/// If the sums are linear in v with constant factors, the mass Jᵀ D J is constant: D are the second
/// derivatives by z, and J = ∂z/∂v.
fn mass_through_sums(
    model: &str,
    space: &Space,
    families: &[Family],
    now: &Now<'_>,
) -> Result<Vec<(usize, usize, f64)>, BindError> {
    if families.is_empty() {
        return Ok(Vec::new());
    }
    let (terms, stages) = (Terms::of(families), &space.stages);
    let too_many = |entries| too_many(model, "the mass", entries);
    let slopes = space.slopes().map_err(too_many)?;
    let entries = terms.second_entries();
    let by_x = slopes.of_second(entries.iter().copied()).map_err(too_many)?;
    let by_z = SymmetricPattern::new(stages.length, entries);
    let filled = Filled::new(terms, &by_z, &[]);
    let (mut gradient, mut second) = (vec![0.0; stages.length], vec![0.0; by_z.len()]);
    let mut sum = vec![0.0; by_x.len()];
    // The derivatives are constant: any place will do.
    stages.at(&[&vec![0.0; stages.base]], now, |z| {
        filled.add(terms, At::new(z, now), Weights::Ones, &mut gradient, &mut second);
        slopes.with(stages, z, now, |of_sums| {
            slopes.add_second((&by_z, &second), of_sums, (&by_x, &mut sum));
        });
    });
    if let Some(&value) = sum.iter().find(|value| !value.is_finite()) {
        let place = families.first().map_or("", |family| &*family.kernel.name).to_owned();
        return Err(BindError::CoefficientNotFinite { place, value });
    }
    let first = stages.base / 2;
    let in_velocities = |((row, column), value): ((usize, usize), f64)| {
        (column >= first && row < 2 * first).then(|| (row - first, column - first, value))
    };
    Ok(by_x.entries().zip(sum).filter_map(in_velocities).collect())
}

/// Refuses masses that are not positive; only a degree of freedom under a constraint, or one that forces
/// may damp, may have none.
fn check_mass(model: &str, layout: &Layout, mass: &SymmetricMatrix, held: &[bool]) -> Result<(), BindError> {
    for (index, held) in held.iter().enumerate() {
        let value = mass.pattern.position(index, index).map_or(0.0, |at| mass.values[at]);
        if value < 0.0 || (value == 0.0 && !held) {
            return Err(BindError::MassNotPositive {
                model: model.to_owned(),
                coordinate: layout.name_of(index),
                value,
            });
        }
    }
    Ok(())
}

/// True if each force depends on no velocity but its own.
fn is_symmetric(forces: &[Family], dimension: usize, motion: &Space) -> bool {
    let mut symmetric = true;
    let moved = motion.stages.moved();
    Terms::of(forces).visit_rows(&mut |row, column| {
        symmetric &= !moved[column] || column == dimension + row;
    });
    symmetric
}

/// The degrees of freedom that a constraint reads; they need no mass.
fn held(dimension: usize, jacobian: &RowPattern, nonholonomic: &RowPattern) -> Vec<bool> {
    let mut held = vec![false; dimension];
    jacobian.columns().iter().for_each(|column| held[*column as usize] = true);
    let velocities =
        nonholonomic.columns().iter().filter_map(|column| (*column as usize).checked_sub(dimension));
    velocities.for_each(|at| held[at] = true);
    held
}

/// Adds up the entries of the kinetic families.
fn mass_matrix(dimension: usize, entries: &[(usize, usize, f64)]) -> SymmetricMatrix {
    let pattern = SymmetricPattern::new(dimension, entries.iter().map(|&(row, column, _)| (row, column)));
    let mut values = vec![0.0; pattern.len()];
    for &(row, column, value) in entries {
        values[pattern.place(row, column) as usize] += value;
    }
    SymmetricMatrix { pattern, values }
}
