//! The second compilation of a declaration, with its sensitive parameters as coordinates.

use crate::ast::{Beside, Declaration};
use crate::classify::{Classified, Plan, Sums, classify};
use crate::compiled::Compiled;
use crate::error::{self, Errors};
use crate::kernels::differentiate;
use crate::latex::Formulas;
use crate::lower::{Lowered, lower};
use crate::prove::Proven;
use crate::sensitive::with_parameters;

/// The stages of a declaration without mistakes, with its sensitive parameters as coordinates.
pub(crate) fn parametric(declaration: &Declaration, errors: &mut Errors) -> Option<Compiled> {
    let declaration = with_parameters(declaration.clone(), errors);
    let mut found = Errors::default();
    let mut lowered = lower(&declaration, &mut found);
    let mut classified = classify(&mut lowered, &declaration, &mut found);
    // The mass of sums is one more function of (q, v, t): nobody solves with it.
    classified.general.append(&mut classified.mass_of_sums);
    let lowering = found.drain().err().into_iter().flatten();
    if errors.is_empty() {
        lowering.for_each(|mistake| errors.push(error::with_parameters(mistake)));
    }
    if errors.is_empty() {
        check(&declaration, &lowered, &classified, errors);
    }
    if !errors.is_empty() {
        return None;
    }
    let kernels = differentiate(&declaration, &lowered, &classified, errors)?;
    let (proven, formulas) = (Proven::default(), Formulas::default());
    Some(Compiled { declaration, lowered, classified, proven, kernels, formulas, parametric: None })
}

/// Refuses fields that no expression reads, and derivatives that the binding does not carry.
fn check(declaration: &Declaration, lowered: &Lowered, classified: &Classified, errors: &mut Errors) {
    let Classified { moving, beside, .. } = classified;
    let near = |sums: &Sums| sums.families.iter().any(|family| family.near.is_some());
    if moving.iter().any(near) {
        errors.push(error::parameters_of_moving_pairs(&declaration.lagrangian.name));
    }
    for ((_, plan), Beside { function, .. }) in beside.iter().zip(&declaration.beside) {
        if matches!(plan, Plan::Function(_)) {
            errors.push(error::parameters_of_dissipation(&function.name));
        }
    }
    for (number, coordinate) in declaration.coordinates.iter().enumerate() {
        let is_read = || lowered.gathers.iter().any(|gather| gather.coordinate() == Some(number));
        if coordinate.parameter && !is_read() {
            errors.push(error::unread_parameter(&coordinate.name, &coordinate.name.to_string()));
        }
    }
}
