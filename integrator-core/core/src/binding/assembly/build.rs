//! From what the loops of a declaration have collected to a system: masses that are added up, the patterns of G and of forces, and the sums
//! that somebody reads.

use super::{Assembly, Facts};
use crate::binding::binder::Binder;
use crate::binding::constraint::ConstraintFamily;
use crate::binding::dissipated::Dissipated;
use crate::binding::instant::Instant;
use crate::binding::moving::{Moving, placed};
use crate::binding::numbers;
use crate::binding::row::RowFamily;
use crate::binding::staged::Staged;
use crate::binding::stages::Stages;
use crate::binding::terms::Terms;
use crate::error::BindError;
use crate::lanes::Width;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use crate::system::Layout;
use std::sync::OnceLock;

impl Assembly {
    /// The system that the binder has collected.
    ///
    /// # Errors
    /// The parts do not fit each other, or the instance does not move.
    #[expect(clippy::too_many_lines, reason = "one for each part of the binder and of the assembly")]
    pub fn new(facts: Facts, binder: Binder) -> Result<Self, BindError> {
        binder.moves(facts.name)?;
        let numbers = numbers::checksum(&binder);
        let Binder {
            layout,
            mut mass,
            kinetic,
            mut potential,
            stiff,
            mut near,
            near_stiff,
            ranges: _,
            general,
            stages,
            moving,
            reader: _,
            mass_of_sums,
            mut constraints,
            rows,
            mut nonholonomic,
            nonholonomic_rows,
            mut forces,
            dissipations,
            dissipated,
            force_methods,
            phase,
            signals,
            budget,
        } = binder;
        let dimension = layout.dimension();
        let first_stiff = potential.len();
        potential.extend(stiff);
        let first_stiff_near = near.len();
        near.extend(near_stiff);
        let mut moving = Stages::new(2 * dimension + 1, moving).map(Moving::new);
        if let Some(moving) = &moving {
            mass.extend(moving.mass(
                facts.name,
                &mass_of_sums,
                &signals.at(Instant::of(0.0, phase), None),
            )?);
        }
        let mass = mass_matrix(dimension, &mass);
        let terms = Terms { families: &potential, near: &near };
        let stages = Stages::new(dimension, stages).map(|stages| (stages, terms));
        let (jacobian_pattern, staged) =
            by_sums(facts.name, (rows.count(), dimension), stages, &mut constraints)?;
        // Those that only the mass reads are done with.
        let functions = [&general[..], &dissipated];
        moving = moving.filter(|moving| moving.are_read(functions, [&nonholonomic, &forces, &dissipations]));
        let shape = (nonholonomic_rows.count(), dimension);
        let of_velocities = placed(&mut nonholonomic, shape, moving.as_ref(), &[]);
        of_velocities.afforded(facts.name, "the constraints on velocities")?;
        if general.is_empty() {
            let held = held(dimension, &jacobian_pattern, &of_velocities.pattern);
            check_mass(facts.name, &layout, &mass, &held)?;
        }
        let force_is_symmetric = is_symmetric(&forces, dimension, moving.as_ref());
        let first_dissipation = forces.len();
        forces.extend(dissipations);
        let (of_forces, dissipated) = Dissipated::beside(dimension, &mut forces, dissipated, moving.as_ref());
        let is_still = !facts.classification.time && phase.is_none() && signals.named().is_empty();
        let force_is_of_velocity = is_still
            && of_forces.refused.is_none()
            && of_forces.pattern.entries().all(|(_, column)| column >= dimension);
        // Memory that is not needed is not taken: a natural system moves without them.
        let is_still = general.is_empty() && forces.is_empty() && nonholonomic.is_empty();
        let motion = if is_still { 0 } else { 2 * dimension + 1 };
        let gradient = if first_stiff == potential.len() && first_stiff_near == near.len() {
            motion
        } else {
            motion.max(dimension)
        };
        let mut assembly = Self {
            facts,
            layout,
            mass,
            kinetic,
            potential,
            first_stiff,
            near,
            first_stiff_near,
            general,
            staged,
            moving,
            constraints,
            rows,
            jacobian_pattern,
            nonholonomic,
            nonholonomic_rows,
            of_velocities,
            forces,
            first_dissipation,
            dissipated,
            force_methods,
            of_forces,
            force_is_symmetric,
            force_is_of_velocity,
            phase,
            signals,
            numbers,
            budget,
            potential_second: OnceLock::new(),
            stiff_second: OnceLock::new(),
            general_second: OnceLock::new(),
            bordered: OnceLock::new(),
            weighted: OnceLock::new(),
            motion: Scratch::new(move || vec![0.0; motion]),
            gradient: Scratch::new(move || vec![0.0; gradient]),
        };
        assembly.set_width(Width::widest());
        Ok(assembly)
    }
}

/// The pattern of G, and the sums that functions of (q, t) read; constraints know their places in G by coordinates and sums then.
fn by_sums(
    model: &'static str,
    (rows, dimension): (usize, usize),
    staged: Option<(Stages, Terms<'_>)>,
    constraints: &mut [ConstraintFamily],
) -> Result<(RowPattern, Option<Staged>), BindError> {
    let mut entries = Vec::new();
    constraints
        .iter()
        .for_each(|family| family.visit_jacobian(&mut |row, column| entries.push((row, column))));
    let through_sums = entries.iter().any(|(_, column)| *column >= dimension);
    let extended = staged.as_ref().map_or(dimension, |(stages, _)| stages.length);
    let pattern = RowPattern::new(rows, if through_sums { extended } else { dimension }, entries);
    constraints.iter_mut().for_each(|family| family.place(&pattern));
    if !through_sums {
        return Ok((pattern, staged.map(|(stages, potential)| Staged::new(stages, potential, None))));
    }
    let staged = staged.map(|(stages, potential)| Staged::new(stages, potential, Some(pattern)));
    let by_coordinates = staged.as_ref().map_or(Ok(None), |staged| staged.jacobian_pattern(model))?;
    Ok((by_coordinates.unwrap_or_else(|| RowPattern::new(0, dimension, [])), staged))
}

/// Refuses a mass that is not positive where nothing is held.
fn check_mass(
    model: &'static str,
    layout: &Layout,
    mass: &SymmetricMatrix,
    held: &[bool],
) -> Result<(), BindError> {
    for (index, held) in held.iter().enumerate() {
        let value = mass.pattern.position(index, index).map_or(0.0, |at| mass.values[at]);
        if value < 0.0 || (value == 0.0 && !held) {
            return Err(BindError::MassNotPositive { model, coordinate: layout.name_of(index), value });
        }
    }
    Ok(())
}

/// True if the derivatives of these forces by positions are all that they have beside those by their own velocities.
fn is_symmetric(forces: &[RowFamily], dimension: usize, moving: Option<&Moving>) -> bool {
    let mut symmetric = true;
    let moved = if forces.is_empty() { None } else { moving.map(|moving| moving.stages.moved()) };
    let moves = |column: usize| match &moved {
        Some(moved) => moved[column],
        None => column >= dimension,
    };
    forces.iter().for_each(|family| {
        family.visit_entries(&mut |row, column| {
            symmetric &= !moves(column) || column == dimension + row;
        });
    });
    symmetric
}

/// What constraints may hold, so that it needs no mass.
fn held(dimension: usize, jacobian: &RowPattern, nonholonomic: &RowPattern) -> Vec<bool> {
    let mut held = vec![false; dimension];
    jacobian.columns().iter().for_each(|column| held[*column as usize] = true);
    let velocities =
        nonholonomic.columns().iter().filter_map(|column| (*column as usize).checked_sub(dimension));
    velocities.for_each(|at| held[at] = true);
    held
}

/// The sum of the entries that the kinetic families found.
fn mass_matrix(dimension: usize, entries: &[(usize, usize, f64)]) -> SymmetricMatrix {
    let pattern = SymmetricPattern::new(dimension, entries.iter().map(|&(row, column, _)| (row, column)));
    let mut values = vec![0.0; pattern.len()];
    for &(row, column, value) in entries {
        if let Some(at) = pattern.position(row, column) {
            values[at] += value;
        }
    }
    SymmetricMatrix { pattern, values }
}
