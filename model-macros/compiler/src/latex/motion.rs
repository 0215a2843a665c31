//! The Euler–Lagrange equations as sums over families; see [`super::family`].
//!
//! The sums that functions read are coordinates beside the declared ones. With Λ as the multiplier of Σ
//! = Σ φ(q, v, t), L and the constraints have the equations d/dt ∂L/∂Σ̇ − ∂L/∂Σ = λ ∂g/∂Σ − Λ. The
//! equations of q get the forces Λ ∂φ/∂q, for sums of velocities also −d/dt (Λ ∂φ/∂v). A dot over Σ or
//! Λ is a rate.

use super::element::{Element, Role, Weight, elements, with_whole_tables};
use super::family::{Given, Place, Read, name_of};
use super::graph::{Formulas, Written};
use super::math::{Math, added};
use super::sums::{Sums, once, sign};
use super::symbol;
use super::symbols::Symbols;
use crate::ast::Declaration;
use crate::classify::pythagoras;
use crate::differentiate::{directional, partial};
use crate::eliminate::{LinearForm, linear_forms};
use crate::graph::{Budget, Graph, Leaf, NodeId, Size, is_variable, is_velocity};
use crate::lower::form::{Step, loops_of, same_path};
use crate::lower::{Gather, Lowered, Scan, Source, names};
use std::collections::{BTreeMap, BTreeSet};
use syn::ext::IdentExt;

/// One equation for each component of each coordinate, and the names in them.
pub(super) fn equations(
    declaration: &Declaration,
    lowered: &Lowered,
    symbols: &Symbols,
) -> (Vec<String>, Vec<String>) {
    let mut graph = lowered.graph.clone();
    graph.renew(Budget::OF_A_DERIVATIVE);
    let mut formulas = Formulas {
        declaration,
        symbols,
        lowered,
        graph,
        atoms: crate::symmetry::coefficient::Atoms::of_formulas(),
        sums: Sums::of(lowered),
        positions: BTreeSet::new(),
        bound: BTreeSet::new(),
        named: Vec::new(),
        written: Written::default(),
    };
    let mut elements = elements(declaration, lowered, &mut formulas);
    for element in elements.iter_mut().filter(|element| matches!(element.role, Role::Lagrangian)) {
        let mut simpler = formulas.graph.clone();
        let (node, _) = pythagoras::parts(&mut simpler, element.node);
        let length = |node| Size::of(&simpler, node).operations;
        if !simpler.is_exhausted() && length(node) < length(element.node) {
            (formulas.graph, element.node) = (simpler, node);
        }
    }
    formulas.graph.renew(Budget::OF_A_DERIVATIVE);
    let stages = add_sums(&mut formulas, &mut elements);
    let loops = elements.iter().flat_map(|element| loops_of(&element.path));
    formulas.positions = loops.filter_map(|repeat| Some(repeat.position.as_ref()?.to_string())).collect();
    let mut motion = Motion { formulas, elements };
    let rows: BTreeMap<usize, Rows> = stages.iter().map(|stage| (*stage, motion.rows_of(*stage))).collect();
    let mut named: Vec<String> = rows.iter().map(|(stage, rows)| motion.definition(*stage, rows)).collect();
    // A sum stands before the sums that read it, and gets its force after these.
    let mut forces = Vec::new();
    for (stage, rows) in rows.iter().rev() {
        forces.extend([Weight::Drag, Weight::Force].map(|weight| motion.weigh(*stage, rows, weight)));
    }
    named.extend(forces.into_iter().rev().flatten());
    motion.elements.sort_by_key(|element| match element.role {
        Role::Weighed(stage, _) => Some(stage),
        _ => None,
    });
    let mut lines = Vec::new();
    let free = index_names(declaration, symbols);
    for (coordinate, declared) in declaration.coordinates.iter().enumerate() {
        let indices = &free[..declared.lengths.len()];
        for component in 0..declared.kind.components() {
            let source = Source::Declared(coordinate);
            let [left, right] = motion.sides(&Place { source, component, indices });
            lines.push(format!("{} &= {}", added(&left).text, added(&right).text));
        }
    }
    if motion.formulas.graph.is_exhausted() {
        let equations = r"\frac{d}{dt} \frac{\partial L}{\partial \dot{q}} - \frac{\partial L}{\partial q}";
        let reason = r"\text{(not written out: they are too long to be read)}";
        return (vec![format!(r"{equations} &= \dots \quad {reason}")], Vec::new());
    }
    let set_aside = motion.formulas.named.into_iter().map(|(name, value)| format!("{name} &= {value}"));
    named.extend(set_aside);
    (lines, named)
}

/// The free indices of the equations, as many as the deepest array has: k, l, … without symbols of the
/// declaration.
fn index_names(declaration: &Declaration, symbols: &Symbols) -> Vec<Vec<String>> {
    let most = declaration.coordinates.iter().map(|declared| declared.lengths.len()).max().unwrap_or(0);
    let letters = ('k'..='s').map(String::from).chain((1..).map(|number| format!("k_{{{number}}}")));
    letters.filter(|name| !symbols.taken.contains(name)).take(most).map(|name| vec![name]).collect()
}

/// Adds the terms of all sums that elements read, also through other sums; gives the numbers of these
/// sums.
fn add_sums(formulas: &mut Formulas<'_>, elements: &mut Vec<Element>) -> BTreeSet<usize> {
    let lowered = formulas.lowered;
    let mut stages = BTreeSet::new();
    let read = elements.iter().map(|element| element.node);
    let mut open: Vec<usize> = formulas.sums.read_by(&formulas.graph, read).into_iter().collect();
    while let Some(number) = open.pop() {
        if !stages.insert(number) {
            continue;
        }
        let stage = &lowered.stages[number];
        let first = elements.len();
        formulas.stand_under(&stage.path);
        for term in stage.form.terms(&lowered.graph) {
            let node = formulas.resolved(term.node);
            let item = stage.scan.as_ref().map(Scan::step);
            let path: Vec<Step> = stage.path.iter().cloned().chain(item).chain(term.path).collect();
            match elements[first..].iter_mut().find(|known| same_path(&known.path, &path)) {
                Some(known) => known.node = formulas.graph.add(known.node, node),
                None => elements.push(Element { path, node, role: Role::Sum(number) }),
            }
        }
        let nodes = elements[first..].iter().map(|element| element.node);
        open.extend(formulas.sums.read_by(&formulas.graph, nodes));
    }
    stages
}

/// The rows of a stage: letters of each key, symbols of the variables, rounds of the loops.
struct Rows {
    letters: Vec<Vec<String>>,
    variables: Given,
    rounds: String,
}

/// The equations as they are assembled.
struct Motion<'d> {
    formulas: Formulas<'d>,
    elements: Vec<Element>,
}

impl Motion<'_> {
    fn rows_of(&mut self, stage: usize) -> Rows {
        let formulas = &mut self.formulas;
        let stage = &formulas.lowered.stages[stage];
        formulas.stand_under(&stage.path);
        let mut writer = formulas.frame(&stage.path, &[], &Given::new());
        let own = |key: &syn::Expr| {
            let mut items = loops_of(&stage.path).filter(|repeat| repeat.position.is_some());
            let items = items.find(|repeat| repeat.position.as_ref() == name_of(key));
            items.map(|repeat| names::bound_by(&repeat.pattern))
        };
        let mut letters: Vec<Vec<String>> = Vec::new();
        for key in &stage.keys {
            letters.push(match own(key) {
                Some(names) => names.iter().map(|name| writer.indices[&name.to_string()].text()).collect(),
                None => vec![writer.linear(&formulas.expanded(key)).text()],
            });
        }
        let mut rounds = String::new();
        for repeat in stage.path.iter().filter(|step| once(step).is_none()).filter_map(Step::repeat) {
            let items = writer.pattern_text(&repeat.pattern);
            let over = writer.rounds(&formulas.expanded(&repeat.iterator));
            rounds += &format!(r" \quad \left({items}{over}\right)");
        }
        let variables = writer.indices.clone();
        if let Some(scan) = &stage.scan {
            let item = formulas.lowered.variables.name_as_written(&scan.item).unraw().to_string();
            writer.fresh(symbol(&item, false));
            letters.push(vec![writer.fresh_index()]);
        }
        Rows { letters, variables, rounds }
    }

    /// The line that defines a sum.
    fn definition(&mut self, stage: usize, rows: &Rows) -> String {
        let place = Place { source: Source::Stage(stage), component: 0, indices: &rows.letters };
        let mut terms = Vec::new();
        for element in &mut self.elements {
            if matches!(element.role, Role::Sum(own) if own == stage) {
                let node = with_whole_tables(&mut self.formulas.graph, element.node);
                let whole = Element { path: element.path.clone(), node, role: Role::Sum(stage) };
                terms.push(self.formulas.defined(&whole, &rows.variables, &place));
            }
        }
        format!("{} &= {}{}", self.row(r"\Sigma", stage, rows), added(&terms).text, rows.rounds)
    }

    /// The symbol of a row by its letters.
    fn row(&self, letter: &str, stage: usize, rows: &Rows) -> String {
        let scan = &self.formulas.lowered.stages[stage].scan;
        let mut indices: Vec<String> = rows.letters.iter().map(|letters| letters.join(", ")).collect();
        if let (Some(scan), Some(last)) = (scan, indices.last_mut()) {
            *last = format!("{} {last}", sign(scan));
        }
        self.formulas.sums.symbol(letter, "", stage, &indices).text
    }

    /// The line of the force on a sum, if there is one; its terms then act by it.
    fn weigh(&mut self, stage: usize, rows: &Rows, weight: Weight) -> Option<String> {
        let place = Place { source: Source::Stage(stage), component: 0, indices: &rows.letters };
        let moves = self.formulas.lowered.stages[stage].moves;
        let mut parts = Vec::new();
        for element in &self.elements {
            let is_drag = match &element.role {
                Role::Force(_) | Role::Sum(_) => continue,
                Role::Lagrangian | Role::Weighed(_, Weight::Force) => false,
                Role::Equation(multiplier) => multiplier.of_velocities,
                Role::Dissipation | Role::Weighed(_, Weight::Drag) => true,
            };
            let own = if moves && is_drag { Weight::Drag } else { Weight::Force };
            if own == weight {
                // A drag takes the derivative by the sum itself, though it is a sum of velocities.
                parts.extend(parts_of(&mut self.formulas, element, &place, moves && is_drag, None));
            }
        }
        if parts.is_empty() {
            return None;
        }
        let own =
            self.elements.iter().filter(|element| matches!(element.role, Role::Sum(own) if own == stage));
        let weighed = own.map(|Element { path, node, .. }| Element {
            path: path.clone(),
            node: *node,
            role: Role::Weighed(stage, weight),
        });
        let weighed: Vec<Element> = weighed.collect();
        self.elements.extend(weighed);
        Some(format!("{} &= {}", self.row(weight.letter(), stage, rows), added(&parts).text))
    }

    /// Both sides of the equation of a coordinate.
    fn sides(&mut self, place: &Place<'_>) -> [Vec<(bool, Math)>; 2] {
        let Self { formulas, elements } = self;
        let [mut left, mut right] = [Vec::new(), Vec::new()];
        for element in elements.iter() {
            match &element.role {
                Role::Force(target) => {
                    let of_target = (Source::Declared(target.coordinate), target.component);
                    if of_target != (place.source, place.component) {
                        continue;
                    }
                    right.extend(if let Some(entry) = &target.entry {
                        formulas.contribution(element, vec![(entry.clone(), element.node)], place, "")
                    } else {
                        let name = target.name.replace('_', r"\_");
                        let indices = place.indices.concat().join(", ");
                        vec![(false, Math::atom(format!(r"F^{{\mathrm{{{name}}}}}_{{{indices}}}")))]
                    });
                }
                Role::Lagrangian => {
                    left.extend(parts_of(formulas, element, place, false, Some(0)));
                    right.extend(parts_of(formulas, element, place, false, Some(1)));
                }
                _ => right.extend(parts_of(formulas, element, place, false, None)),
            }
        }
        [left, right]
    }
}

/// d/dt ∂L/∂v = ∂L/∂q as [inertia, force], where the force has no accelerations. Factors before sums
/// are multiplied in, and accelerations collected, where that is shorter.
fn sides(graph: &mut Graph, node: NodeId) -> [NodeId; 2] {
    let mut found: Vec<[NodeId; 2]> = Vec::new();
    // No factors, those of parameters alone, all.
    for spread in 0..3 {
        let is_spread =
            |graph: &Graph, factor| spread == 2 || spread == 1 && !graph.mentions(factor, is_variable);
        let parts = graph.addends_by(node, &is_spread);
        let (inertia, force): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| graph.mentions(*part, is_acceleration));
        let inertia = graph.combination(inertia.into_iter().map(|part| (-1.0, part)));
        let force = graph.combination(force.into_iter().map(|part| (1.0, part)));
        found.push([inertia, force]);
        let whole = graph.subtract(force, inertia);
        let mut collected = Vec::new();
        for leaf in graph.leaves(&[inertia]).into_iter().filter(|leaf| is_acceleration(*leaf)) {
            let (mass, acceleration) = (partial(graph, &[inertia], leaf)[0], graph.leaf(leaf));
            collected.push((1.0, graph.multiply(mass, acceleration)));
        }
        let at_rest = |graph: &mut Graph, leaf| is_acceleration(leaf).then(|| graph.zero());
        found.push([graph.combination(collected), graph.substitute(whole, &at_rest)]);
    }
    let length =
        |sides: &[NodeId; 2]| sides.map(|side| Size::of(graph, side).operations).iter().sum::<usize>();
    found.into_iter().min_by_key(length).unwrap_or([node; 2])
}

fn is_acceleration(leaf: Leaf) -> bool {
    matches!(leaf, Leaf::Direction { .. })
}

/// The terms of an element in the equation of a place.
fn parts_of(
    formulas: &mut Formulas<'_>,
    element: &Element,
    place: &Place<'_>,
    is_position: bool,
    side: Option<usize>,
) -> Vec<(bool, Math)> {
    let component = place.component;
    let of_positions = !formulas.graph.mentions(element.node, is_velocity);
    let forms = if of_positions { linear_forms(&formulas.graph, element.node) } else { Vec::new() };
    let mut reads: BTreeMap<&'static str, Vec<Read>> = BTreeMap::new();
    // The derivative by each linear form of positions.
    let mut known: BTreeMap<usize, (f64, NodeId)> = BTreeMap::new();
    for gather in gathers(&formulas.graph, &formulas.sums.gathers, element.node, place.source) {
        let position = Leaf::Position { gather, component };
        let entry = formulas.entry_of(gather);
        let form = only_form(&forms, position);
        if let Some((form, factor)) = form
            && let Some((of_known, node)) = known.get(&form)
        {
            let node = formulas.graph.scale(factor / of_known, *node);
            reads.entry("").or_default().push((entry, node));
            continue;
        }
        let velocity = if is_position { position } else { Leaf::Velocity { gather, component } };
        for (accent, node) in force(&element.role, [position, velocity], &mut formulas.graph, element.node) {
            let node = with_whole_tables(&mut formulas.graph, node);
            let node = side.map_or(node, |side| sides(&mut formulas.graph, node)[side]);
            if !formulas.graph.is_zero(node) {
                known.extend(form.filter(|_| accent.is_empty()).map(|(form, factor)| (form, (factor, node))));
                reads.entry(accent).or_default().push((entry.clone(), node));
            }
        }
    }
    let parts =
        reads.into_iter().flat_map(|(accent, reads)| formulas.contribution(element, reads, place, accent));
    parts.collect()
}

/// The linear form that alone has a position, and the factor of the position in it.
fn only_form(forms: &[LinearForm], position: Leaf) -> Option<(usize, f64)> {
    let factor =
        |form: &LinearForm| form.iter().find(|(_, leaf)| *leaf == position).map(|(factor, _)| *factor);
    let mut with = forms.iter().enumerate().filter_map(|(place, form)| Some((place, factor(form)?)));
    let only = with.next();
    if with.next().is_some() { None } else { only }
}

/// The reads of an array in an expression.
fn gathers(graph: &Graph, reads: &[Gather], node: NodeId, source: Source) -> BTreeSet<usize> {
    let all = graph.leaves(&[node]).into_iter().filter_map(Leaf::gather);
    all.filter(|gather| reads[*gather].source == source).collect()
}

/// The force of an element, each part with the accent of the force that stands before it: ∂f/∂q − d/dt
/// ∂f/∂v of a term of L; ∂g/∂q or ∂c/∂v of an equation; −∂D/∂v; of a sum the factors of Λ and of its
/// rate.
fn force(
    role: &Role,
    [position, velocity]: [Leaf; 2],
    graph: &mut Graph,
    node: NodeId,
) -> Vec<(&'static str, NodeId)> {
    let mut by = |leaf| partial(graph, &[node], leaf)[0];
    match role {
        Role::Force(_) | Role::Sum(_) => Vec::new(),
        Role::Equation(multiplier) => {
            vec![("", by(if multiplier.of_velocities { velocity } else { position }))]
        }
        Role::Weighed(_, Weight::Drag) => vec![("", by(velocity))],
        Role::Dissipation => {
            let slope = by(velocity);
            vec![("", graph.negate(slope))]
        }
        Role::Lagrangian | Role::Weighed(_, Weight::Force) => {
            let (by_position, momentum) = (by(position), by(velocity));
            let rate = directional(graph, &[momentum], &|graph, leaf| match leaf {
                Leaf::Position { gather, component } => {
                    Some(graph.leaf(Leaf::Velocity { gather, component }))
                }
                Leaf::Velocity { gather, component } => {
                    Some(graph.leaf(Leaf::Direction { gather, component }))
                }
                Leaf::Time => Some(graph.constant(1.0)),
                _ => None,
            })[0];
            let force = graph.subtract(by_position, rate);
            match role {
                Role::Weighed(..) => vec![("", force), (r"\dot", graph.negate(momentum))],
                _ => vec![("", force)],
            }
        }
    }
}
