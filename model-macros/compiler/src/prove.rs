//! Checks the author's statements, and proves the symmetries.

use crate::ast::{Beside, Declaration, Sort};
use crate::classify::Classified;
use crate::error::{self, Errors};
use crate::graph::is_time;
use crate::intent;
use crate::lower::{Equations, Lowered};
use crate::nonholonomic::{self, Velocities};
use crate::symmetry::{self, Flow, Symmetry};
use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt;

/// The findings of the proofs.
#[derive(Debug, Default)]
pub struct Proven {
    /// One symmetry for each conserved quantity.
    pub conserved: Vec<Symmetry>,
    /// The symmetries of the Lagrangian and of the constraints on positions, if forces or constraints on
    /// velocities break them: one for each quantity that these alone change.
    pub balanced: Vec<Symmetry>,
    /// The findings about constraints on velocities.
    pub(crate) velocities: Velocities,
    /// The terms of L that do nothing, with the warning about each.
    pub(crate) idle: Vec<(Span, String)>,
}

/// Proves the symmetries of a declaration without mistakes, and checks the statements of its attribute.
pub fn prove(
    declaration: &Declaration,
    lowered: &Lowered,
    classified: &Classified,
    errors: &mut Errors,
) -> Proven {
    let mut velocities = Velocities { derivatives: Vec::new(), homogeneous: true };
    if errors.is_empty() {
        velocities = nonholonomic::examine(declaration, lowered, errors);
        intent::check(declaration, lowered, classified, errors);
    }
    let kept = Kept::of(declaration, lowered, &velocities);
    let broken = |word: &&Ident| !kept.holds(word.unraw() == "energy");
    if let Some(word) = declaration.intent.conserves.iter().find(broken) {
        let is_forced = declaration.is_forced();
        let breaks = |sort: Sort| match sort {
            Sort::Holonomic | Sort::Event => false,
            Sort::Nonholonomic => !is_forced,
            _ => true,
        };
        if let Some(culprit) = declaration.beside.iter().find(|beside| breaks(beside.sort)) {
            let (name, word) = (&culprit.function.name, word.to_string());
            errors.push(error::conservation_broken(name, &word, culprit.sort));
        }
    }
    let found = if errors.is_empty() { symmetry::find(lowered, declaration) } else { Vec::new() };
    let (conserved, balanced) =
        found.into_iter().partition(|symmetry| kept.holds(matches!(symmetry.flow, Flow::Time)));
    let idle = if errors.is_empty() && !classified.general.is_empty() {
        nonholonomic::idle(declaration, lowered).into_iter().map(error::idle_term).collect()
    } else {
        Vec::new()
    };
    Proven { conserved, balanced, velocities, idle }
}

/// The quantities that forces and constraints on velocities may keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Energy and momenta.
    All,
    /// Constraints on velocities take momentum; homogeneous ones do no work.
    Energy,
    /// None: the Lagrangian does not know the work of a force or of a row with b ≠ 0.
    Nothing,
}

impl Kept {
    fn of(declaration: &Declaration, lowered: &Lowered, velocities: &Velocities) -> Self {
        // Impacts with a wall at rest keep the energy, unless a coefficient says more.
        let has_coefficients = |gap: &Beside| !gap.settings.coefficients.is_empty();
        let moves = lowered.of(Sort::Unilateral).flat_map(Equations::rows).any(|row| {
            row.terms(&lowered.graph).iter().any(|term| lowered.graph.mentions(term.node, is_time))
        });
        let is_changed =
            declaration.has(Sort::Reset) || moves || declaration.of(Sort::Unilateral).any(has_coefficients);
        if declaration.is_forced() || is_changed || !velocities.homogeneous {
            Self::Nothing
        } else if !declaration.has(Sort::Nonholonomic) {
            Self::All
        } else {
            Self::Energy
        }
    }

    /// True if the energy, or a momentum, is conserved when a symmetry gives it.
    fn holds(self, is_energy: bool) -> bool {
        self == Self::All || self == Self::Energy && is_energy
    }
}
