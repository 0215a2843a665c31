//! The facts about a declaration, as the compiler has them → as the core has them.

use least_action_compiler::Symmetry;
use least_action_compiler::facts::{Action, Dependence, Flow, ModelFacts, Words};
use least_action_core::binding::{Classification, Facts};
use least_action_core::emitted::v1 as core;
use least_action_kernel::Text;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The facts of the core.
pub(crate) fn facts(found: ModelFacts) -> Facts {
    let ModelFacts { kind, coordinates, constrained, nonholonomic, moments, forced, .. } = &found;
    let names = |all: &BTreeSet<usize>| -> Cow<'static, [Text]> {
        all.iter().filter_map(|k| coordinates.get(*k)).cloned().map(Cow::Owned).collect()
    };
    let mass = match &kind.mass {
        Dependence::None => core::Mass::Constant,
        Dependence::Proven(all) => core::Mass::DependsOn(names(all)),
        Dependence::Unproven(all) => core::Mass::Unproven(names(all)),
    };
    let force = match &kind.force {
        Dependence::None => core::Force::PositionOnly,
        Dependence::Proven(all) => core::Force::DependsOn(names(all)),
        Dependence::Unproven(all) => core::Force::Unproven(names(all)),
    };
    let classification = Classification {
        mass,
        force,
        time: kind.time,
        stiff: kind.stiff,
        constrained: *constrained,
        nonholonomic: *nonholonomic,
        moments: *moments,
        forced: *forced,
        even_in_phase: kind.even_in_phase,
        phase_in_constraints: kind.phase_in_constraints,
    };
    let texts = |all: Vec<String>| all.into_iter().map(Cow::Owned).collect();
    let pairs = |all: Vec<(String, String)>| {
        all.into_iter().map(|(name, text)| (Cow::Owned(name), Cow::Owned(text))).collect()
    };
    let quantities = |all: Vec<(Symmetry, Words)>| {
        all.into_iter().map(|(symmetry, words)| quantity(symmetry, words)).collect()
    };
    let formulas = found.formulas;
    Facts {
        name: Cow::Owned(found.name),
        documentation: Cow::Owned(found.documentation),
        fields: pairs(found.fields),
        comments: pairs(found.comments),
        checksum: found.checksum,
        classification,
        conserved: quantities(found.conserved),
        balanced: quantities(found.balanced),
        formulas: core::Formulas {
            lagrangian: Cow::Owned(formulas.lagrangian),
            definitions: texts(formulas.definitions),
            constraints: texts(formulas.constraints),
            equations: texts(formulas.equations),
            abbreviations: texts(formulas.abbreviations),
        },
        sensitive: found.sensitive.map(texts),
    }
}

fn quantity(symmetry: Symmetry, words: Words) -> core::ConservedQuantity {
    let action = |action| match action {
        Action::Shift => core::Action::Shift,
        Action::Translation(axis) => core::Action::Translation(axis),
        Action::Rotation(axis) => core::Action::Rotation(axis),
        Action::BodyRotation(axis) => core::Action::BodyRotation(axis),
    };
    core::ConservedQuantity {
        name: Cow::Owned(words.name),
        symmetry: Cow::Owned(words.symmetry),
        formula: Cow::Owned(words.formula),
        latex: Cow::Owned(words.latex),
        unit: Cow::Owned(words.unit),
        certainty: if symmetry.proven { core::Certainty::Proven } else { core::Certainty::Numerical },
        motion: match symmetry.flow {
            Flow::Time => core::Motion::Time,
            Flow::Space(parts) => core::Motion::Space(
                parts
                    .into_iter()
                    .map(|(generator, factor)| core::CoordinateMotion {
                        coordinate: generator.coordinate,
                        action: action(generator.action),
                        factor,
                    })
                    .collect(),
            ),
        },
    }
}
