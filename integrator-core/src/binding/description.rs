//! A bound model, described.

use super::bound::Dependence;
use super::family::FamilySummary;
use super::{Bound, Model};
use crate::describe::{ConstraintGroup, Description, Family, Force, Mass, Operations, Part, Structure};
use crate::system::System;

impl<M: Model> Bound<M> {
    /// What the compiler found, with the sizes of this instance.
    pub fn description(&self) -> Description {
        let first_stiff = self.potential.len() - self.stiff.len();
        let kinetic =
            self.kinetic.iter().cloned().enumerate().map(|(k, summary)| family(Part::Kinetic, k, summary));
        let potential = self.potential.iter().enumerate().map(|(k, term)| {
            let (part, place) =
                if k < first_stiff { (Part::Potential, k) } else { (Part::Stiff, k - first_stiff) };
            family(part, place, term.summary())
        });
        let general =
            self.general.iter().enumerate().map(|(k, term)| family(Part::General, k, term.summary()));
        let families = kinetic.chain(potential).chain(general).collect();

        let mut terms = self.constraints.iter();
        let groups = self.methods.iter().map(|method| ConstraintGroup {
            name: method.name.to_owned(),
            equations: method.rows,
            families: (0..method.families)
                .zip(&mut terms)
                .map(|(k, term)| Family {
                    name: format!("{}[{k}]", method.name),
                    ..family(Part::Constraint, k, term.summary())
                })
                .collect(),
        });
        Description {
            model: M::NAME.to_owned(),
            documentation: M::DOCUMENTATION.to_owned(),
            dimension: self.dimension(),
            equations: self.rows,
            coordinates: self.layout().coordinates().to_vec(),
            structure: Structure {
                mass: match M::STRUCTURE.mass {
                    Dependence::None => Mass::Constant,
                    Dependence::Proven(names) => Mass::DependsOn(owned(names)),
                    Dependence::Unproven(names) => Mass::Unproven(owned(names)),
                },
                mass_diagonal: M::STRUCTURE.mass == Dependence::None && self.mass.is_diagonal(),
                force: match M::STRUCTURE.force {
                    Dependence::None => Force::PositionOnly,
                    Dependence::Proven(names) => Force::DependsOn(owned(names)),
                    Dependence::Unproven(names) => Force::Unproven(owned(names)),
                },
                time_dependent: M::STRUCTURE.time,
            },
            families,
            constraints: groups.collect(),
        }
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn family(part: Part, place: usize, summary: FamilySummary) -> Family {
    let [value, gradient, hessian, third] = summary.operations.map(|count| count as usize);
    let kind = match part {
        Part::Kinetic => "kinetic",
        Part::General => "general",
        Part::Potential => "potential",
        Part::Stiff => "stiff",
        Part::Constraint => "constraint",
    };
    Family {
        name: format!("{kind}[{place}]"),
        part,
        expression: summary.name.to_owned(),
        elements: summary.elements,
        gathers: summary.reads,
        variables: summary.variables,
        operations: Operations { value, gradient, hessian, third },
    }
}
