//! The description of a bound model.

use super::{Assembly, MotionRows};
use crate::binding::binder::{ConstraintMethod, ConstraintRows};
use crate::binding::family::{Family, FamilySummary};
use crate::binding::function::SumStage;
use crate::binding::terms::Terms;
use crate::describe::{ConstraintGroup, Description, ForceGroup, Operations, Part, Structure, TermFamily};
use crate::system::System;

/// Describes followed angles.
const FOLLOWED: &str = "angles of points: a run follows each continuously, over any number of turns";
/// Describes the items of partial sums.
const PARTIAL: &str = "partial sums: each number is the one before it and one item more";

impl Assembly {
    /// The model as the compiler found it, with the sizes of this instance.
    pub(in crate::binding) fn description(&self) -> Description {
        let facts = &self.facts;
        let structure = &facts.classification;
        let ([first_stiff, first_near], Terms { families, near }) = (self.first_stiff, self.potential.all());
        let kinetic =
            self.kinetic.iter().cloned().enumerate().map(|(k, summary)| family(Part::Kinetic, k, summary));
        let potential = families.iter().enumerate().map(|(k, term)| {
            let (part, place) =
                if k < first_stiff { (Part::Potential, k) } else { (Part::Stiff, k - first_stiff) };
            family(part, place, term.summary())
        });
        let general =
            self.general.iter().enumerate().map(|(k, term)| family(Part::General, k, term.summary()));
        let near = near.iter().enumerate().map(|(k, term)| {
            let (part, place) = match k.checked_sub(first_near) {
                Some(place) => (Part::Stiff, families.len() - first_stiff + place),
                None => (Part::Potential, first_stiff + k),
            };
            family(part, place, term.summary("the potential"))
        });
        let families = kinetic.chain(potential).chain(near).chain(general).collect();

        let groups =
            |rows: &ConstraintRows, terms: &mut dyn Iterator<Item = FamilySummary>| -> Vec<ConstraintGroup> {
                rows.methods.iter().map(|method| group(method, terms)).collect()
            };
        let mut terms = self.constraints.families.iter().map(Family::summary);
        let constraints = groups(&self.rows, &mut terms);
        let [nonholonomic, _, events, gaps] = std::array::from_fn(|kind| {
            let MotionRows { function, rows } = &self.of_motion[kind];
            groups(rows, &mut function.families.iter().map(Family::summary))
        });
        let [mut terms, mut functions] = self.forces.summaries();
        let forces = self.force_methods.iter().map(|method| {
            let mut own: Vec<FamilySummary> = terms.by_ref().take(method.families).collect();
            own.extend(functions.by_ref().take(method.functions));
            ForceGroup {
                name: method.name.to_string(),
                coordinate: method.coordinate.map(|at| self.layout().coordinates()[at].name.clone()),
                families: named(&method.name, Part::Force, own.len(), &mut own.into_iter()),
            }
        });
        Description {
            model: facts.name.to_string(),
            documentation: facts.documentation.to_string(),
            fields: facts.fields.iter().cloned().collect(),
            comments: facts.comments.iter().cloned().collect(),
            dimension: self.dimension(),
            equations: self.rows.count() + self.of_motion[0].rows.count(),
            coordinates: self.layout().coordinates().to_vec(),
            structure: Structure {
                mass: structure.mass.clone(),
                mass_diagonal: self.mass.is_diagonal() && self.general_mass_is_diagonal(),
                force: structure.force.clone(),
                time_dependent: structure.time,
                even_in_phase: structure.even_in_phase,
            },
            conserved: facts.conserved.to_vec(),
            balanced: facts.balanced.to_vec(),
            families,
            sums: self.sums(),
            constraints,
            nonholonomic,
            events,
            gaps,
            forces: forces.collect(),
            formulas: facts.formulas.clone(),
        }
    }

    /// The sums inside of functions, each once.
    fn sums(&self) -> Vec<ConstraintGroup> {
        let [still, moving] = [&self.positions, &self.motion].map(|space| space.stages.all.iter());
        let partial = |family: FamilySummary, stage: &SumStage| {
            let note = match stage.turn {
                Some(_) => Some(FOLLOWED),
                None => (!stage.partial.is_empty()).then_some(PARTIAL),
            };
            FamilySummary { range: note.map(str::to_owned).or(family.range), ..family }
        };
        let group = |stage: &SumStage| ConstraintGroup {
            name: stage.name.to_string(),
            equations: stage.rows,
            kept_components: None,
            derivatives_of_positions: Vec::new(),
            families: named(
                &stage.name,
                Part::Sum,
                stage.elements.families.len() + stage.elements.near.len(),
                &mut (stage.elements.families.iter().map(|family| partial(family.summary(), stage)))
                    .chain(stage.elements.near.iter().map(|term| term.summary("the sum"))),
            ),
        };
        let mut groups: Vec<ConstraintGroup> = Vec::new();
        for group in still.chain(moving).map(group) {
            let texts = |group: &ConstraintGroup| -> Vec<String> {
                let expressions = group.families.iter().map(|family| family.expression.clone());
                std::iter::once(group.name.clone()).chain(expressions).collect()
            };
            if !groups.iter().any(|known| texts(known) == texts(&group)) {
                groups.push(group);
            }
        }
        groups
    }

    /// True if no general term couples the velocities of two degrees of freedom.
    fn general_mass_is_diagonal(&self) -> bool {
        let n = self.dimension();
        // Sums couple all their inputs.
        let mut diagonal = !self.motion.stages.has_sums();
        for term in &self.general {
            term.visit_hessian(&mut |row, column| {
                diagonal &= row == column || [row, column].iter().any(|place| !(n..2 * n).contains(place));
            });
        }
        diagonal
    }
}

/// The equations of a method.
fn group(method: &ConstraintMethod, terms: &mut dyn Iterator<Item = FamilySummary>) -> ConstraintGroup {
    ConstraintGroup {
        name: method.name.to_string(),
        equations: method.rows,
        kept_components: method.kept.as_deref().map(<[usize]>::to_vec),
        derivatives_of_positions: method.derivatives.clone(),
        families: named(&method.name, Part::Constraint, method.families, terms),
    }
}

/// The next families, with the name of their method.
fn named(
    method: &str,
    part: Part,
    count: usize,
    terms: &mut dyn Iterator<Item = FamilySummary>,
) -> Vec<TermFamily> {
    let named = |(k, summary)| TermFamily { name: format!("{method}[{k}]"), ..family(part, k, summary) };
    terms.take(count).enumerate().map(named).collect()
}

fn family(part: Part, place: usize, summary: FamilySummary) -> TermFamily {
    let [value, gradient, hessian, third] = summary.operations.map(|count| count as usize);
    let kind = match part {
        Part::Kinetic => "kinetic",
        Part::General => "general",
        Part::Potential => "potential",
        Part::Stiff => "stiff",
        Part::Sum => "sum",
        Part::Constraint => "constraint",
        Part::Force => "force",
    };
    TermFamily {
        name: format!("{kind}[{place}]"),
        part,
        expression: summary.name.into_owned(),
        elements: summary.elements,
        gathers: summary.reads,
        smoothness: summary.smoothness,
        range: summary.range,
        variables: summary.variables,
        operations: Operations { value, gradient, hessian, third },
    }
}
