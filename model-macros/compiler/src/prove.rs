//! Holds the statements of the author against the findings, and proves the symmetries.

use crate::ast::Declaration;
use crate::classify::Classified;
use crate::error::{self, Errors};
use crate::intent;
use crate::lower::Lowered;
use crate::symmetry::{self, Symmetry};

/// Proves the symmetries of a declaration without mistakes, and checks what its attribute states.
pub fn prove(
    declaration: &Declaration,
    lowered: &Lowered,
    classified: &Classified,
    errors: &mut Errors,
) -> Vec<Symmetry> {
    if errors.is_empty() {
        intent::check(declaration, lowered, classified, errors);
    }
    // What a force adds or takes, no Lagrangian knows: with one, nothing is known to be conserved.
    if let (Some(word), Some(force)) = (declaration.intent.conserves.first(), declaration.forces.first()) {
        errors.push(error::force_breaks(&force.function.name, &word.to_string()));
    }
    if errors.is_empty() && declaration.forces.is_empty() {
        symmetry::find(lowered, declaration)
    } else {
        Vec::new()
    }
}
