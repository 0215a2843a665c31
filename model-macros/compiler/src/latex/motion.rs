//! The Euler–Lagrange equations, assembled from the elements that touch one entry of a coordinate.
//!
//! For the entry k of a coordinate, a term of L under a loop over i contributes through each of its reads: through `p[i]`
//! with i = k, through `p[i - 1]` with i = k + 1. Where an index can be solved so, the loop disappears; where it cannot, the
//! sum stays, with the condition in brackets that are one where it holds and zero elsewhere.
//!
//! Sums that functions read are coordinates beside those of the declaration; see [`super::sums`].

use super::assembled::{affine, assembled, integer, is_name, loops_of, name_of, rounds_of};
use super::element::{Element, Multiplier, Role, Target, Weight};
use super::graph::{Formulas, Written};
use super::math::{Math, added};
use super::source::{Writer, known_symbols};
use super::sums::{Sums, moving, parts_of, sign};
use super::symbol;
use crate::ast::Declaration;
use crate::differentiate::{directional, partial};
use crate::graph::{Budget, Graph, Leaf, NodeId, Reading};
use crate::lower::form::{Loop, Step, same_path};
use crate::lower::{Equations, Gather, Lowered, Scan, Source, names};
use std::collections::{BTreeMap, BTreeSet};
use syn::Expr;
use syn::ext::IdentExt;

/// What an equation is of: a component of an entry of an array, by the letters that stand for each index.
struct Place<'a> {
    source: Source,
    component: usize,
    indices: &'a [Vec<String>],
}

/// One equation for each component of each coordinate, and what is named in them.
pub(super) fn equations(declaration: &Declaration, lowered: &Lowered) -> (Vec<String>, Vec<String>) {
    let mut graph = lowered.graph.clone();
    graph.renew(Budget::OF_A_DERIVATIVE);
    let mut formulas = Formulas {
        declaration,
        lowered,
        graph,
        atoms: crate::symmetry::coefficient::Atoms::of_formulas(),
        sums: Sums::of(lowered),
        bound: BTreeSet::new(),
        named: Vec::new(),
        written: Written::default(),
    };
    let mut elements = elements(declaration, lowered, &mut formulas);
    let stages = add_sums(&mut formulas, &mut elements);
    let loops: Vec<&Loop> = elements.iter().flat_map(|element| loops_of(&element.path)).collect();
    formulas.sums.number(&stages, lowered, &loops);
    if !loops.iter().all(|repeat| !formulas.sums.is_numbered(repeat) || parts_of(&repeat.pattern).is_some()) {
        return left_out("a sum is read by the number of an item whose parts have no names");
    }
    let mut motion = Motion { formulas, elements, written: BTreeMap::new() };
    let rows: BTreeMap<usize, Vec<Vec<String>>> =
        stages.iter().map(|stage| (*stage, motion.rows_of(*stage))).collect();
    let mut named: Vec<String> = rows.iter().map(|(stage, rows)| motion.definition(*stage, rows)).collect();
    // What reads a sum stands behind it.
    let mut forces = Vec::new();
    for (stage, rows) in rows.iter().rev() {
        forces.extend([Weight::Drag, Weight::Force].map(|weight| motion.weigh(*stage, rows, weight)));
    }
    named.extend(forces.into_iter().rev().flatten());
    motion.sort();
    let mut lines = Vec::new();
    let free = index_names(declaration);
    for (coordinate, declared) in declaration.coordinates.iter().enumerate() {
        let indices = &free[..declared.lengths.len()];
        for component in 0..declared.kind.components() {
            let source = Source::Declared(coordinate);
            let [left, right] = motion.sides(&Place { source, component, indices });
            lines.push(format!("{} &= {}", added(&left).text, added(&right).text));
        }
    }
    if motion.formulas.graph.is_exhausted() {
        return left_out("they are too long to be read");
    }
    let set_aside = motion.formulas.named.into_iter().map(|(name, value)| format!("{name} &= {value}"));
    named.extend(set_aside);
    (lines, named)
}

/// What is written where there are no equations to be read.
fn left_out(reason: &str) -> (Vec<String>, Vec<String>) {
    let equations = r"\frac{d}{dt} \frac{\partial L}{\partial \dot{q}} - \frac{\partial L}{\partial q}";
    (vec![format!(r"{equations} &= \dots \quad \text{{(not written out: {reason})}}")], Vec::new())
}

/// The free indices of the equations, as many as the deepest array has: k, l, … but for the symbols of the declaration.
fn index_names(declaration: &Declaration) -> Vec<Vec<String>> {
    let most = declaration.coordinates.iter().map(|declared| declared.lengths.len()).max().unwrap_or(0);
    let known = known_symbols(declaration);
    let letters = ('k'..='s').map(String::from).chain((1..).map(|number| format!("k_{{{number}}}")));
    letters.filter(|name| !known.contains(name)).take(most).map(|name| vec![name]).collect()
}

/// Adds the terms of all sums that elements read, directly or through other sums; gives the numbers of these sums.
fn add_sums(formulas: &mut Formulas<'_>, elements: &mut Vec<Element>) -> BTreeSet<usize> {
    let lowered = formulas.lowered;
    let mut stages = BTreeSet::new();
    let mut open: Vec<usize> = formulas
        .sums
        .read_by(&formulas.graph, elements.iter().map(|element| element.node))
        .into_iter()
        .collect();
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

/// The equations as they are assembled.
struct Motion<'d> {
    formulas: Formulas<'d>,
    elements: Vec<Element>,
    /// The same element, solved for the same entry, reads alike in the equations of all components.
    written: BTreeMap<(usize, usize), Written>,
}

impl Motion<'_> {
    /// The letters that tell the rows of a stage apart: those of its author.
    fn rows_of(&self, stage: usize) -> Vec<Vec<String>> {
        let Formulas { lowered, sums, declaration, .. } = &self.formulas;
        let stage = &lowered.stages[stage];
        let mut writer = Writer::new(declaration);
        let mut letter = |name: &syn::Ident| {
            writer.fresh(symbol(&lowered.variables.name_as_written(name).unraw().to_string(), false))
        };
        let mut rows: Vec<Vec<String>> = Vec::new();
        for key in &stage.keys {
            let is_of = |repeat: &&Loop| repeat.position.as_ref().is_some_and(|name| is_name(key, name));
            rows.push(match loops_of(&stage.path).find(is_of) {
                Some(repeat) if !sums.is_numbered(repeat) => {
                    names::bound_by(&repeat.pattern).iter().map(&mut letter).collect()
                }
                Some(_) => vec![letter(&syn::parse_quote!(k))],
                None => vec![name_of(key).map_or_else(|| "k".to_owned(), &mut letter)],
            });
        }
        if let Some(scan) = &stage.scan {
            let range = scan.ranges.first().map(|(_, range)| range);
            let end = range.and_then(|range| match range {
                Expr::Range(range) => affine(&moving(scan, range)),
                _ => None,
            });
            let name = end.map_or_else(|| "k".to_owned(), |(variable, ..)| variable);
            rows.push(vec![letter(&syn::Ident::new(&name, proc_macro2::Span::call_site()))]);
        }
        rows
    }

    /// The line that says what a sum is.
    fn definition(&mut self, stage: usize, rows: &[Vec<String>]) -> String {
        let keys = &self.formulas.lowered.stages[stage].keys;
        let mut terms = Vec::new();
        let mut rounds = String::new();
        for element in
            self.elements.iter().filter(|element| matches!(element.role, Role::Sum(own) if own == stage))
        {
            self.formulas.written = Written::default();
            let node = with_whole_tables(&mut self.formulas.graph, element.node);
            terms.push(assembled(&mut self.formulas, element, keys, node, rows, ""));
            rounds = rounds_of(&mut self.formulas, element, stage, rows);
        }
        format!("{} &= {}{rounds}", self.row(r"\Sigma", stage, rows), added(&terms).text)
    }

    /// The symbol of a row by its letters.
    fn row(&self, letter: &str, stage: usize, rows: &[Vec<String>]) -> String {
        let scan = &self.formulas.lowered.stages[stage].scan;
        let mut indices: Vec<String> = rows.iter().map(|letters| letters.join(", ")).collect();
        if let (Some(scan), Some(last)) = (scan, indices.last_mut()) {
            *last = format!("{} {last}", sign(scan));
        }
        self.formulas.sums.symbol(letter, "", stage, &indices).text
    }

    /// The line of the force on a sum, if there is one; its terms then act by it.
    fn weigh(&mut self, stage: usize, rows: &[Vec<String>], weight: Weight) -> Option<String> {
        let (source, component) = (Source::Stage(stage), 0);
        let place = Place { source, component, indices: rows };
        let parts = self.forces_on(&place, weight);
        if parts.is_empty() {
            return None;
        }
        let own = |element: &&Element| matches!(element.role, Role::Sum(number) if number == stage);
        let weighed: Vec<Element> = self
            .elements
            .iter()
            .filter(own)
            .map(|Element { path, node, .. }| Element {
                path: path.clone(),
                node: *node,
                role: Role::Weighed(stage, weight),
            })
            .collect();
        self.elements.extend(weighed);
        Some(format!("{} &= {}", self.row(weight.letter(), stage, rows), added(&parts).text))
    }

    /// Puts the terms of sums in their order.
    fn sort(&mut self) {
        self.elements.sort_by_key(|element| match element.role {
            Role::Weighed(stage, _) => Some(stage),
            _ => None,
        });
        self.written.clear();
    }

    /// Both sides of the equation of a coordinate.
    fn sides(&mut self, place: &Place<'_>) -> [Vec<(bool, Math)>; 2] {
        let [mut left, mut right] = [Vec::new(), Vec::new()];
        for number in 0..self.elements.len() {
            match &self.elements[number].role {
                Role::Force(target) => {
                    if (Source::Declared(target.coordinate), target.component)
                        == (place.source, place.component)
                    {
                        right.push(acting(&mut self.formulas, &self.elements[number], target, place.indices));
                    }
                }
                Role::Lagrangian => left.extend(self.parts(number, place, &|role, leaves, graph, node| {
                    let force = force(role, leaves, graph, node);
                    force.into_iter().map(|(accent, node)| (accent, graph.negate(node))).collect()
                })),
                _ => right.extend(self.parts(number, place, &force)),
            }
        }
        [left, right]
    }

    /// The parts of the force on a row of a stage.
    fn forces_on(&mut self, place: &Place<'_>, weight: Weight) -> Vec<(bool, Math)> {
        let Source::Stage(stage) = place.source else { return Vec::new() };
        let moves = self.formulas.lowered.stages[stage].moves;
        let mut parts = Vec::new();
        for number in 0..self.elements.len() {
            let is_drag = match &self.elements[number].role {
                Role::Force(_) | Role::Sum(_) => continue,
                Role::Lagrangian | Role::Weighed(_, Weight::Force) => false,
                Role::Equation(multiplier) => multiplier.of_velocities,
                Role::Dissipation | Role::Weighed(_, Weight::Drag) => true,
            };
            let wanted = match (moves, weight) {
                (true, _) => is_drag == (weight == Weight::Drag),
                (false, _) => weight == Weight::Force,
            };
            if wanted {
                parts.extend(self.parts(number, place, &|role, leaves, graph, node| {
                    // A sum of velocities is one, and no position.
                    let [position, velocity] = leaves;
                    let leaves = if moves && is_drag { [position, position] } else { [position, velocity] };
                    force(role, leaves, graph, node)
                }));
            }
        }
        parts
    }

    /// The parts of an element in the equation of a place, by a derivative of it.
    fn parts(&mut self, number: usize, place: &Place<'_>, derivative: &Derivative<'_>) -> Vec<(bool, Math)> {
        let Self { formulas, elements, written } = self;
        let (element, component) = (&elements[number], place.component);
        let mut parts = Vec::new();
        for gather in gathers(&formulas.graph, &formulas.sums.gathers, element.node, place.source) {
            let leaves = [Leaf::Position { gather, component }, Leaf::Velocity { gather, component }];
            for (accent, node) in derivative(&element.role, leaves, &mut formulas.graph, element.node) {
                let node = with_whole_tables(&mut formulas.graph, node);
                if formulas.graph.is_zero(node) {
                    continue;
                }
                formulas.written = written.remove(&(number, gather)).unwrap_or_default();
                let entry = formulas.entry_of(gather);
                parts.push(assembled(formulas, element, &entry, node, place.indices, accent));
                written.insert((number, gather), std::mem::take(&mut formulas.written));
            }
        }
        parts
    }
}

/// The derivatives of an element by a position and its velocity, each with the accent of the force that it stands beside.
type Derivative<'f> = dyn Fn(&Role, [Leaf; 2], &mut Graph, NodeId) -> Vec<(&'static str, NodeId)> + 'f;

fn elements(declaration: &Declaration, lowered: &Lowered, formulas: &mut Formulas<'_>) -> Vec<Element> {
    let mut all: Vec<Element> = Vec::new();
    let lagrangian = lowered.lagrangian.terms(&lowered.graph).into_iter().map(|term| (term, true));
    let dissipations = lowered.dissipations.iter().flat_map(|form| form.terms(&lowered.graph));
    for (term, is_lagrangian) in lagrangian.chain(dissipations.map(|term| (term, false))) {
        let path: Vec<Step> = term.path.into_iter().filter(|step| !matches!(step, Step::Stiff)).collect();
        let node = formulas.resolved(term.node);
        let is_alike = |known: &&mut Element| {
            matches!(known.role, Role::Lagrangian) == is_lagrangian && same_path(&known.path, &path)
        };
        let role = if is_lagrangian { Role::Lagrangian } else { Role::Dissipation };
        match all.iter_mut().find(is_alike) {
            Some(known) => known.node = formulas.graph.add(known.node, node),
            None => all.push(Element { path, node, role }),
        }
    }
    let constraints = lowered.constraints.iter().map(|equations| (equations, false));
    let nonholonomic = lowered.nonholonomic.iter().map(|equations| (equations, true));
    for ((equations, of_velocities), (_, function)) in
        constraints.chain(nonholonomic).zip(declaration.beside())
    {
        let name = function.name.unraw().to_string();
        let multiplier = Multiplier { name, numbered: 0, of_velocities };
        rows(equations, &mut Vec::new(), &multiplier, lowered, formulas, &mut all);
    }
    for (equations, force) in lowered.forces.iter().zip(&declaration.forces) {
        let name = force.function.name.unraw().to_string();
        let target = Target { coordinate: force.coordinate, component: 0, entry: Ok(Vec::new()) };
        forces(equations, &mut Vec::new(), &(name, target), (lowered, formulas), &mut all);
    }
    all
}

/// The components of a force method, each with the entry that it acts on.
fn forces(
    equations: &Equations,
    path: &mut Vec<Step>,
    (name, target): &(String, Target),
    (lowered, formulas): (&Lowered, &mut Formulas<'_>),
    all: &mut Vec<Element>,
) {
    let at = |index: Option<Expr>| {
        let entry = match (&target.entry, index) {
            (Ok(known), Some(index)) => Ok(known.iter().cloned().chain([index]).collect()),
            _ => Err(name.clone()),
        };
        (name.clone(), Target { entry, ..*target })
    };
    match equations {
        Equations::Each(repeat, inner) => {
            path.push(Step::Loop(repeat.clone()));
            forces(inner, path, &at(place_in(repeat)), (lowered, formulas), all);
            path.pop();
        }
        Equations::List(parts) => {
            for (k, part) in parts.iter().enumerate() {
                forces(part, path, &at(Some(syn::parse_quote!(#k))), (lowered, &mut *formulas), all);
            }
        }
        Equations::Rows(forms) => {
            for (component, form) in forms.iter().enumerate() {
                for term in form.terms(&lowered.graph) {
                    let whole: Vec<Step> = path.iter().cloned().chain(term.path).collect();
                    let node = formulas.resolved(term.node);
                    let node = with_whole_tables(&mut formulas.graph, node);
                    let role = Role::Force(Target { component, entry: target.entry.clone(), ..*target });
                    all.push(Element { path: whole, node, role });
                }
            }
        }
    }
}

/// The place of an item among those of a loop, as an expression of its variable: known for a range from zero.
fn place_in(repeat: &Loop) -> Option<Expr> {
    let syn::Pat::Ident(variable) = &repeat.pattern else { return None };
    let Expr::Range(range) = &repeat.iterator else { return None };
    let from_zero = range.start.as_deref().is_none_or(|start| integer(start) == Some(0));
    let variable = &variable.ident;
    from_zero.then(|| syn::parse_quote!(#variable))
}

/// The contribution of a force to the equation of what it acts on.
fn acting(
    formulas: &mut Formulas<'_>,
    element: &Element,
    target: &Target,
    indices: &[Vec<String>],
) -> (bool, Math) {
    match &target.entry {
        Ok(entry) => assembled(formulas, element, entry, element.node, indices, ""),
        Err(name) => {
            let name = name.replace('_', r"\_");
            (false, Math::atom(format!(r"F^{{\mathrm{{{name}}}}}_{{{}}}", indices.concat().join(", "))))
        }
    }
}

/// The rows of a constraint method; each has a multiplier named after it.
fn rows(
    equations: &Equations,
    path: &mut Vec<Step>,
    multiplier: &Multiplier,
    lowered: &Lowered,
    formulas: &mut Formulas<'_>,
    all: &mut Vec<Element>,
) {
    match equations {
        Equations::Each(repeat, inner) => {
            path.push(Step::Loop(repeat.clone()));
            rows(inner, path, multiplier, lowered, formulas, all);
            path.pop();
        }
        Equations::List(parts) => {
            for (k, part) in parts.iter().enumerate() {
                let mut own = multiplier.clone();
                if parts.len() > 1 {
                    own.name = format!("{},{k}", multiplier.name);
                }
                rows(part, path, &own, lowered, formulas, all);
            }
        }
        Equations::Rows(forms) => {
            for (k, form) in forms.iter().enumerate() {
                let axis = if forms.len() > 1 {
                    format!(",{}", ["x", "y", "z"].get(k).unwrap_or(&""))
                } else {
                    String::new()
                };
                for term in form.terms(&lowered.graph) {
                    let numbered = path.len();
                    let whole: Vec<Step> = path.iter().cloned().chain(term.path).collect();
                    let node = formulas.resolved(term.node);
                    let name = format!("{}{axis}", multiplier.name);
                    let role = Role::Equation(Multiplier { name, numbered, ..*multiplier });
                    all.push(Element { path: whole, node, role });
                }
            }
        }
    }
}

/// The reads of an array in an expression.
fn gathers(graph: &Graph, reads: &[Gather], node: NodeId, source: Source) -> Vec<usize> {
    let mut found: Vec<usize> = graph
        .leaves(&[node])
        .into_iter()
        .filter_map(|leaf| match leaf {
            Leaf::Position { gather, .. } | Leaf::Velocity { gather, .. } => Some(gather),
            _ => None,
        })
        .filter(|gather| reads[*gather].source == source)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The force of an element: ∂f/∂q − d/dt ∂f/∂v of a term of L; ∂g/∂q or ∂c/∂v of an equation; −∂D/∂v; of a sum with the force Λ on it, what
/// stands beside Λ and beside its rate.
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

/// The expression with u(t) for the u₀ + u′ (t − t₀) of a table: the leaf that was u₀ stands for u(t) afterwards.
fn with_whole_tables(graph: &mut Graph, node: NodeId) -> NodeId {
    let leaves = graph.leaves(&[node]);
    graph.substitute(node, &|graph, leaf| {
        let Leaf::Signal { number, reading: Reading::Value } = leaf else { return None };
        let reading = |reading| Leaf::Signal { number, reading };
        // An input has no slope.
        if !leaves.contains(&reading(Reading::Slope)) {
            return None;
        }
        let [whole, slope, start] =
            [Reading::Value, Reading::Slope, Reading::Start].map(|which| graph.leaf(reading(which)));
        let t = graph.leaf(Leaf::Time);
        let since = graph.subtract(t, start);
        let risen = graph.multiply(slope, since);
        Some(graph.subtract(whole, risen))
    })
}
