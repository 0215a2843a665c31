//! Checks the author's statements about a model, `#[lagrangian(conserves(energy), mass = constant)]`.
//!
//! A statement that does not hold is a mistake of the terms that break it: they are underlined.

use crate::ast::{Beside, Coordinate, Declaration, Kind};
use crate::classify::{Classified, Dependence, Reads, uneven_mass};
use crate::error::{self, Errors};
use crate::lower::Lowered;
use crate::spelling;
use crate::symmetry::{Action, Flow, Generator, Search, axis_name};
use syn::ext::IdentExt;
use syn::{Expr, Ident};

/// The words of `conserves(…)` beside the momenta of named coordinates.
const WORDS: [&str; 3] = ["energy", "linear_momentum", "angular_momentum"];

/// Checks the statements of the attribute.
pub(crate) fn check(
    declaration: &Declaration,
    lowered: &Lowered,
    classified: &Classified,
    errors: &mut Errors,
) {
    let mut check = Check { declaration, lowered, search: Search::new(lowered), errors };
    for word in &declaration.intent.conserves {
        check.conserved(word);
    }
    if let Some(word) = &declaration.intent.constant_mass
        && classified.facts.mass != Dependence::None
    {
        check.mass(word, &classified.facts.mass);
    }
}

struct Check<'a> {
    declaration: &'a Declaration,
    lowered: &'a Lowered,
    search: Search<'a>,
    errors: &'a mut Errors,
}

/// A motion stated as a symmetry: its words, its flow, and the generators that may move along.
struct Stated {
    /// `translated along x`
    words: String,
    flow: Flow,
    with: Vec<Generator>,
}

impl Stated {
    /// One action on some coordinates.
    fn of(words: String, moved: impl Iterator<Item = usize>, action: Action) -> Self {
        let parts = moved.map(|coordinate| (Generator { coordinate, action }, 1.0)).collect();
        Self { words, flow: Flow::Space(parts), with: Vec::new() }
    }

    /// The motion with all generators that may move along.
    fn together(&self) -> Self {
        let flow = match &self.flow {
            Flow::Time => Flow::Time,
            Flow::Space(parts) => {
                let others = self.with.iter().map(|generator| (*generator, 1.0));
                Flow::Space(parts.iter().copied().chain(others).collect())
            }
        };
        Self { words: self.words.clone(), flow, with: Vec::new() }
    }
}

impl<'a> Check<'a> {
    fn conserved(&mut self, word: &Ident) {
        let name = word.unraw().to_string();
        let coordinates = &self.declaration.coordinates;
        match name.as_str() {
            "energy" => {
                if self.search.of_time() != Some(true) {
                    self.broken(word, &[Stated { words: String::new(), flow: Flow::Time, with: Vec::new() }]);
                }
            }
            "linear_momentum" | "angular_momentum" => {
                let all = if name == "linear_momentum" {
                    translations(coordinates)
                } else {
                    rotations(coordinates)
                };
                if all.is_empty() {
                    self.errors.push(error::no_vectors(word, &name));
                    return;
                }
                let broken: Vec<Stated> = all.into_iter().filter(|stated| !self.holds(stated)).collect();
                if !broken.is_empty() {
                    self.broken(word, &broken);
                }
            }
            _ => match shift(&name, coordinates) {
                Some(stated) if self.holds(&stated) => {}
                Some(stated) => self.broken(word, &[stated]),
                None => {
                    let momenta: Vec<String> = coordinates
                        .iter()
                        .filter(|coordinate| coordinate.kind.components() == 1)
                        .map(|coordinate| format!("momentum_{}", coordinate.name.unraw()))
                        .collect();
                    let known = WORDS.into_iter().chain(momenta.iter().map(String::as_str));
                    let near = spelling::nearest(&name, known.clone());
                    let all = known.collect::<Vec<_>>().join("`, `");
                    self.errors.push(error::unknown_conserved(word, &name, near, &all));
                }
            },
        }
    }

    fn holds(&mut self, stated: &Stated) -> bool {
        let Flow::Space(parts) = &stated.flow else { return false };
        self.search.completed(parts, &stated.with)
    }

    /// Underlines the terms that break the statement `word`.
    fn broken(&mut self, word: &Ident, stated: &[Stated]) {
        let name = word.unraw().to_string();
        // The others are tried at rest and moving along; the symmetry with fewer blamed terms is nearer.
        let moving: Vec<Stated> = stated.iter().map(Stated::together).collect();
        let (resting, moving) = (self.blamed(stated), self.blamed(&moving));
        let fewer = moving.is_empty() || (!resting.is_empty() && resting.len() < moving.len());
        let blamed = if fewer { resting } else { moving };
        if blamed.is_empty() {
            self.errors.push(error::not_shown(word, &name));
        }
        for (term, motions) in blamed {
            self.errors.push(error::breaks(term, &name, &motions));
        }
    }

    /// The terms that some of the motions change, with the words of these motions.
    fn blamed(&mut self, stated: &[Stated]) -> Vec<(&'a Expr, Vec<String>)> {
        let (declaration, written) = (self.declaration, &self.lowered.written);
        let mut terms = written.terms(&declaration.lagrangian);
        for (k, Beside { sort, function, .. }) in declaration.beside.iter().enumerate() {
            if !sort.is_of_positions() {
                continue;
            }
            // A motion may turn equations into one another; otherwise their terms are to blame.
            let mut search = Search::of_constraint(self.lowered, k);
            if !stated.iter().all(|stated| search.keeps(&stated.flow)) {
                terms.extend(written.terms(function));
            }
        }
        let mut blamed = Vec::new();
        for term in terms {
            let forms = written.forms(term);
            let changed = stated
                .iter()
                .filter(|stated| forms.iter().any(|form| self.search.changes(form, &stated.flow)));
            let motions: Vec<String> = changed.map(|stated| stated.words.clone()).collect();
            if !motions.is_empty() {
                blamed.push((term, motions));
            }
        }
        blamed
    }

    fn mass(&mut self, word: &Ident, dependence: &Dependence) {
        let mut found = false;
        let mut graph = self.lowered.graph.clone();
        for term in self.lowered.written.terms(&self.declaration.lagrangian) {
            let mut on = std::collections::BTreeSet::new();
            for form in self.lowered.written.forms(term) {
                for part in form.terms(&graph) {
                    on.extend(uneven_mass(&mut graph, part.node, &Reads::of(self.lowered)));
                }
            }
            if !on.is_empty() {
                found = true;
                let names = on.iter().map(|k| format!("`{}`", self.declaration.coordinates[*k].name.unraw()));
                let names: Vec<String> = names.collect();
                let proven = matches!(dependence, Dependence::Proven(_));
                let verb = if proven { "makes" } else { "may make" };
                self.errors.push(error::mass_depends(term, &names.join(", "), verb));
            }
        }
        if !found {
            self.errors.push(error::not_shown(word, "mass = constant"));
        }
    }
}

/// The numbers of the coordinates of some kinds.
fn of_kinds(coordinates: &[Coordinate], wanted: impl Fn(Kind) -> bool) -> impl Iterator<Item = usize> {
    (0..coordinates.len()).filter(move |k| wanted(coordinates[*k].kind))
}

/// The translation of all vectors along each axis.
fn translations(coordinates: &[Coordinate]) -> Vec<Stated> {
    let reaches = |kind: Kind, axis| matches!(kind, Kind::Vec2 | Kind::Vec3) && axis < kind.components();
    let axes = (0..3).filter(|axis| coordinates.iter().any(|coordinate| reaches(coordinate.kind, *axis)));
    axes.map(|axis| {
        let moved = of_kinds(coordinates, |kind| reaches(kind, axis));
        Stated::of(format!("translated along {}", axis_name(axis)), moved, Action::Translation(axis))
    })
    .collect()
}

/// The rotation of all vectors and matrices about each axis, where angles may turn along; without
/// vectors and matrices, the shift of all angles.
fn rotations(coordinates: &[Coordinate]) -> Vec<Stated> {
    let angles = || of_kinds(coordinates, |kind| kind == Kind::Angle);
    let in_space = |kind| matches!(kind, Kind::Vec3 | Kind::Mat3);
    let turns = |kind, axis| in_space(kind) || kind == Kind::Vec2 && axis == 2;
    if !coordinates.iter().any(|coordinate| turns(coordinate.kind, 2)) {
        let stated = Stated::of("turned, all angles by the same".to_owned(), angles(), Action::Shift);
        return if angles().next().is_none() { Vec::new() } else { vec![stated] };
    }
    let with: Vec<Generator> =
        angles().map(|coordinate| Generator { coordinate, action: Action::Shift }).collect();
    let axes = if of_kinds(coordinates, in_space).next().is_some() { 0..3 } else { 2..3 };
    axes.map(|axis| {
        let moved = of_kinds(coordinates, |kind| turns(kind, axis));
        let stated = Stated::of(format!("rotated about {}", axis_name(axis)), moved, Action::Rotation(axis));
        Stated { with: with.clone(), ..stated }
    })
    .collect()
}

/// The shift of the coordinate in `momentum_theta`.
fn shift(name: &str, coordinates: &[Coordinate]) -> Option<Stated> {
    let of = name.strip_prefix("momentum_")?;
    let coordinate = coordinates
        .iter()
        .position(|coordinate| coordinate.name.unraw() == of && coordinate.kind.components() == 1)?;
    Some(Stated::of(format!("shifted in `{of}`"), std::iter::once(coordinate), Action::Shift))
}
