//! A checksum of the numbers of an instance: of all that its binder has collected.
//!
//! Every parameter, be it a table, a file or a function of others, reaches the motion through the
//! binder. Two instances of a declaration with one checksum are one system; registers and threads, which
//! come later, do not change it.

use super::binder::{Binder, FoundRows, Moment};
use super::collectives::FoundStage;
use super::family::Family;
use super::near::family::NearFamily;
use super::terms::Elements;
use crate::checksum::Checksum;
use crate::system::{Coordinate, RowsOf};

fn of_families(families: &[Family], sum: &mut Checksum) {
    sum.word(families.len() as u64);
    families.iter().for_each(|family| family.tell(sum));
}

fn of_near(families: &[NearFamily], sum: &mut Checksum) {
    sum.word(families.len() as u64);
    families.iter().for_each(|family| family.tell(sum));
}

fn of_stages(stages: &[FoundStage], sum: &mut Checksum) {
    sum.word(stages.len() as u64);
    for FoundStage { first, width, rows, starts, elements: Elements { families, near }, .. } in stages {
        [first, width, rows].into_iter().for_each(|number| sum.word(u64::from(*number)));
        sum.places(starts);
        of_families(families, sum);
        of_near(near, sum);
    }
}

/// The checksum of a binder; signals have their own.
pub(super) fn checksum(binder: &Binder) -> u64 {
    // Destructures, so that no part is forgotten.
    let Binder {
        layout,
        mass,
        kinetic: _,
        potential,
        stiff,
        ranges: _,
        general,
        stages,
        moving,
        reader: _,
        mass_of_sums,
        rows,
        forces,
        dissipations,
        dissipated,
        force_methods,
        phase,
        signals: _,
        sampled: _,
        budget: _,
    } = binder;
    let mut sum = Checksum::default();
    for Coordinate { name, kind, lengths, .. } in layout.coordinates() {
        sum.text(name);
        sum.word(kind.components() as u64);
        sum.all(lengths, |length| length as u64);
    }
    sum.all(mass, |(row, column, _)| (row as u64) << 32 | column as u64);
    sum.all(mass, |(.., value)| value.to_bits());
    for families in [&potential.families, &stiff.families, general, mass_of_sums, dissipated] {
        of_families(families, &mut sum);
    }
    [potential, stiff].into_iter().for_each(|elements| of_near(&elements.near, &mut sum));
    [stages, moving].into_iter().for_each(|stages| of_stages(stages, &mut sum));
    let (constraints, moments) = rows.split_at(RowsOf::Reset as usize);
    for families in constraints.iter().map(|found| &found.families).chain([forces, dissipations]) {
        of_families(families, &mut sum);
    }
    constraints.iter().for_each(|found| sum.word(found.rows.count() as u64));
    for FoundRows { rows, families } in moments.iter().filter(|found| found.rows.count() > 0) {
        of_families(families, &mut sum);
        for Moment { restitution, friction, .. } in rows.methods.iter().map(|method| &method.moment) {
            sum.numbers(&[*restitution, *friction]);
        }
    }
    sum.word(force_methods.len() as u64);
    sum.numbers(phase.as_ref().map_or(&[], |phase| phase));
    sum.value()
}
