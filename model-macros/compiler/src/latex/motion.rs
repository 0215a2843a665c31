//! The Euler–Lagrange equations, assembled from the elements that touch one entry of a coordinate.
//!
//! For the entry k of a coordinate, a term of L under a loop over i contributes through each of its reads: through `p[i]`
//! with i = k, through `p[i - 1]` with i = k + 1. Where an index can be solved so, the loop disappears; where it cannot, the
//! sum stays, with the condition in brackets that are one where it holds and zero elsewhere.

use super::graph::{Formulas, Written};
use super::math::{Level, Math, added, number};
use super::source::{Linear, Writer, bound, is_pairs, known_symbols};
use super::symbol;
use crate::ast::Declaration;
use crate::differentiate::{directional, partial};
use crate::graph::{Budget, Graph, Leaf, NodeId, Reading};
use crate::lower::form::{Loop, Question, Step};
use crate::lower::near::Near;
use crate::lower::{Equations, Lowered};
use crate::symmetry::same_path;
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::Expr;
use syn::ext::IdentExt;

/// A term of L, of a dissipation, of a force, or of an equation with its multiplier, under its loops.
struct Element {
    path: Vec<Step>,
    node: NodeId,
    role: Role,
}

enum Role {
    Lagrangian,
    Dissipation,
    Equation(Multiplier),
    Force(Target),
}

/// The component of a coordinate on which a force acts.
struct Target {
    coordinate: usize,
    component: usize,
    /// The entry; none where the variables of loops do not tell it, and then the name of the force.
    entry: Result<Vec<Expr>, String>,
}

/// The multiplier of an equation.
#[derive(Clone)]
struct Multiplier {
    name: String,
    /// The loops whose variables number its equations.
    numbered: usize,
    /// True if the equation binds velocities.
    of_velocities: bool,
}

impl Element {
    fn multiplier(&self) -> Option<&Multiplier> {
        match &self.role {
            Role::Equation(multiplier) => Some(multiplier),
            Role::Lagrangian | Role::Dissipation | Role::Force(_) => None,
        }
    }
}

/// One equation for each component of each coordinate.
pub(super) fn equations(declaration: &Declaration, lowered: &Lowered) -> (Vec<String>, Vec<String>) {
    // The forces through sums would each be a chain of sums: they are not written out.
    if !lowered.stages.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut graph = lowered.graph.clone();
    graph.renew(Budget::OF_A_DERIVATIVE);
    let mut formulas = Formulas {
        declaration,
        lowered,
        graph,
        atoms: crate::symmetry::coefficient::Atoms::of_formulas(),
        named: Vec::new(),
        written: Written::default(),
    };
    // The same element, solved for the same entry, reads alike in the equations of all components.
    let mut written: BTreeMap<(usize, usize), Written> = BTreeMap::new();
    let elements = elements(declaration, lowered, &mut formulas);
    let mut lines = Vec::new();
    let free = index_names(declaration);
    for (coordinate, declared) in declaration.coordinates.iter().enumerate() {
        let indices = &free[..declared.lengths.len()];
        for component in 0..declared.kind.components() {
            let mut motion = Vec::new();
            let mut forces = Vec::new();
            for (place, element) in elements.iter().enumerate() {
                if let Role::Force(target) = &element.role {
                    if (target.coordinate, target.component) == (coordinate, component) {
                        forces.push(acting(&mut formulas, element, target, indices));
                    }
                    continue;
                }
                for gather in gathers(&formulas.graph, lowered, element.node, coordinate) {
                    let Some(node) = euler(&mut formulas.graph, element, gather, component) else { continue };
                    formulas.written = written.remove(&(place, gather)).unwrap_or_default();
                    let entry = &lowered.gathers[gather].indices;
                    let part = assembled(&mut formulas, element, entry, node, indices);
                    written.insert((place, gather), std::mem::take(&mut formulas.written));
                    let side = match element.role {
                        Role::Lagrangian => &mut motion,
                        Role::Dissipation | Role::Equation(_) | Role::Force(_) => &mut forces,
                    };
                    side.push(part);
                }
            }
            lines.push(format!("{} &= {}", added(&motion).text, added(&forces).text));
        }
    }
    if formulas.graph.is_exhausted() {
        // Nobody reads equations of that length.
        return (Vec::new(), Vec::new());
    }
    let named = formulas.named.into_iter().map(|(name, value)| format!("{name} &= {value}")).collect();
    (lines, named)
}

/// The free indices of the equations, as many as the deepest array has: k, l, … but for the symbols of the declaration.
fn index_names(declaration: &Declaration) -> Vec<String> {
    let most = declaration.coordinates.iter().map(|declared| declared.lengths.len()).max().unwrap_or(0);
    let known = known_symbols(declaration);
    let letters = ('k'..='s').map(String::from).chain((1..).map(|number| format!("k_{{{number}}}")));
    letters.filter(|name| !known.contains(name)).take(most).collect()
}

fn elements(declaration: &Declaration, lowered: &Lowered, formulas: &mut Formulas<'_>) -> Vec<Element> {
    let mut all: Vec<Element> = Vec::new();
    let lagrangian = lowered.lagrangian.terms(&lowered.graph).into_iter().map(|term| (term, true));
    let dissipations = lowered.dissipations.iter().flat_map(|form| form.terms(&lowered.graph));
    for (term, is_lagrangian) in lagrangian.chain(dissipations.map(|term| (term, false))) {
        let path: Vec<Step> = term.path.into_iter().filter(|step| !matches!(step, Step::Stiff)).collect();
        let node = formulas.atoms.resolve(&mut formulas.graph, lowered, term.node);
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
                    let node = formulas.atoms.resolve(&mut formulas.graph, lowered, term.node);
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
    indices: &[String],
) -> (bool, Math) {
    match &target.entry {
        Ok(entry) => assembled(formulas, element, entry, element.node, indices),
        Err(name) => {
            let name = name.replace('_', r"\_");
            (false, Math::atom(format!(r"F^{{\mathrm{{{name}}}}}_{{{}}}", indices.join(", "))))
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
                    let node = formulas.atoms.resolve(&mut formulas.graph, lowered, term.node);
                    let name = format!("{}{axis}", multiplier.name);
                    let role = Role::Equation(Multiplier { name, numbered, ..*multiplier });
                    all.push(Element { path: whole, node, role });
                }
            }
        }
    }
}

/// The reads of a coordinate in an expression.
fn gathers(graph: &Graph, lowered: &Lowered, node: NodeId, coordinate: usize) -> Vec<usize> {
    let mut found: Vec<usize> = graph
        .leaves(&[node])
        .into_iter()
        .filter_map(|leaf| match leaf {
            Leaf::Position { gather, .. } | Leaf::Velocity { gather, .. } => Some(gather),
            _ => None,
        })
        .filter(|gather| lowered.gathers[*gather].coordinate() == Some(coordinate))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// d/dt ∂f/∂v − ∂f/∂q of a term of L; ∂g/∂q or ∂c/∂v of an equation; −∂D/∂v. `None` where it is zero.
fn euler(graph: &mut Graph, element: &Element, gather: usize, component: usize) -> Option<NodeId> {
    let by = |graph: &mut Graph, leaf| partial(graph, &[element.node], leaf)[0];
    let (position, velocity) = (Leaf::Position { gather, component }, Leaf::Velocity { gather, component });
    let node = match &element.role {
        Role::Force(_) => element.node,
        Role::Equation(multiplier) => by(graph, if multiplier.of_velocities { velocity } else { position }),
        Role::Dissipation => {
            let slope = by(graph, velocity);
            graph.negate(slope)
        }
        Role::Lagrangian => {
            let (by_position, momentum) = (by(graph, position), by(graph, velocity));
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
            graph.subtract(rate, by_position)
        }
    };
    let node = with_whole_tables(graph, node);
    (!graph.is_zero(node)).then_some(node)
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

/// The contribution through one read of an entry, without its sign, and whether that is a minus: sums that are left, conditions,
/// multiplier, expression.
fn assembled(
    formulas: &mut Formulas<'_>,
    element: &Element,
    entry: &[Expr],
    node: NodeId,
    indices: &[String],
) -> (bool, Math) {
    let lowered = formulas.lowered;
    let mut writer = Writer::new(formulas.declaration);
    for name in indices {
        writer.fresh(name.clone());
    }
    let loops: Vec<&Loop> = element
        .path
        .iter()
        .filter_map(|step| if let Step::Loop(repeat) = step { Some(&**repeat) } else { None })
        .collect();
    let variables: Vec<syn::Ident> = element.path.iter().flat_map(Step::bound).collect();
    let texts: Vec<String> = variables.iter().map(ToString::to_string).collect();
    let mut conditions = Vec::new();
    let mut solved: BTreeMap<String, Linear> = BTreeMap::new();
    for (index, name) in entry.iter().zip(indices) {
        let index = lowered.variables.expanded(index);
        match solve(&index, name, &texts, &solved) {
            Some((variable, value)) => {
                solved.insert(variable, value);
            }
            None => conditions.push((name.clone(), index)),
        }
    }
    for (variable, text) in variables.iter().zip(texts) {
        let shown = solved.get(&text).cloned().unwrap_or_else(|| {
            let own = lowered.variables.name_as_written(variable).unraw().to_string();
            Linear::variable(writer.fresh(symbol(&own, false)))
        });
        writer.indices.insert(text, shown);
    }
    let mut text = String::new();
    for repeat in loops {
        let own = bound(&repeat.pattern);
        let left: Vec<&String> = own.iter().filter(|variable| !solved.contains_key(*variable)).collect();
        if left.is_empty() && !own.is_empty() {
            continue;
        }
        text.push_str(&summed(repeat, &left, &solved, lowered, &mut writer));
    }
    for (name, index) in conditions {
        let index = writer.linear(&index).text();
        text += &format!(r"\left[{name} = {index}\right] \, ");
    }
    for step in &element.path {
        if let Step::Answer(choice, arm) = step {
            text.push_str(&answer(&choice.question, *arm, lowered, &mut writer));
        }
    }
    let (factor, rest) = formulas.graph.split_factor(node);
    let multiplier = element.multiplier();
    let bare = text.is_empty() && multiplier.is_none() && !matches!(element.role, Role::Force(_));
    let negative = factor < 0.0 && !bare;
    // The number stands before the multiplier.
    let before = if multiplier.is_some() { factor.abs() } else { 1.0 };
    let value = if bare { node } else { formulas.graph.scale(factor.abs() / before, rest) };
    let value = formulas.expression(value, &mut writer);
    if let Some(Multiplier { name, numbered, of_velocities }) = multiplier {
        let numbers: Vec<String> = element.path[..*numbered]
            .iter()
            .filter_map(|step| if let Step::Loop(repeat) = step { Some(repeat) } else { None })
            .flat_map(|repeat| bound(&repeat.pattern))
            .map(|variable| writer.indices.get(&variable).map_or(variable.clone(), Linear::text))
            .collect();
        let (head, tail) = name.split_once(',').unwrap_or((name, ""));
        let upright = format!(r"\mathrm{{{}}}", head.replace('_', r"\_"));
        let subscripts: Vec<String> =
            numbers.into_iter().chain((!tail.is_empty()).then(|| tail.to_owned())).collect();
        let subscript =
            if subscripts.is_empty() { String::new() } else { format!("_{{{}}}", subscripts.join(", ")) };
        if before != 1.0 {
            text += &format!(r"{} \, ", number(before).text);
        }
        let letter = if *of_velocities { r"\mu" } else { r"\lambda" };
        text += &format!(r"{letter}^{{{upright}}}{subscript} \, ");
    }
    let whole = match (text.is_empty(), value.text.as_str()) {
        (true, _) => value,
        (false, "1") => Math::product(text.trim_end_matches(r" \, ").to_owned()),
        (false, _) => Math::product(format!("{text}{}", value.within(Level::Product))),
    };
    (negative, whole)
}

/// The variable that an index determines when it is to be `name`, and its value.
fn solve(
    index: &Expr,
    name: &str,
    variables: &[String],
    solved: &BTreeMap<String, Linear>,
) -> Option<(String, Linear)> {
    let (variable, factor, constant) = affine(index)?;
    if !variables.contains(&variable) || solved.contains_key(&variable) || factor.abs() != 1 {
        return None;
    }
    let shifted = Linear::variable(name).plus(-1, &Linear { terms: BTreeMap::new(), constant });
    Some((variable, Linear::default().plus(factor, &shifted)))
}

/// An index as factor · variable + constant.
fn affine(index: &Expr) -> Option<(String, i64, i64)> {
    match index {
        Expr::Paren(inner) => affine(&inner.expr),
        Expr::Path(path) => Some((path.path.get_ident()?.to_string(), 1, 0)),
        Expr::Binary(binary) => {
            let sign = match binary.op {
                syn::BinOp::Add(_) => 1,
                syn::BinOp::Sub(_) => -1,
                _ => return None,
            };
            match (affine(&binary.left), integer(&binary.right), integer(&binary.left), affine(&binary.right))
            {
                (Some((variable, factor, constant)), Some(more), ..) => {
                    Some((variable, factor, constant + sign * more))
                }
                (_, _, Some(first), Some((variable, factor, constant))) => {
                    Some((variable, sign * factor, first + sign * constant))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn integer(expression: &Expr) -> Option<i64> {
    match expression {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(value), .. }) => value.base10_parse().ok(),
        _ => None,
    }
}

/// The sum over the variables of a loop that are left.
fn summed(
    repeat: &Loop,
    left: &[&String],
    solved: &BTreeMap<String, Linear>,
    lowered: &Lowered,
    writer: &mut Writer<'_>,
) -> String {
    let own = bound(&repeat.pattern);
    if let Some(near) = &repeat.near {
        return summed_in_range(near, left, solved, lowered, writer);
    }
    let iterator = lowered.variables.expanded(&repeat.iterator);
    let variables = writer.pattern_text(&repeat.pattern);
    if let (Expr::Call(call), [first, second]) = (&iterator, &own[..])
        && is_pairs(call)
        && left.len() == 1
    {
        let shown = |variable: &String| writer.indices.get(variable).map_or(variable.clone(), Linear::text);
        let (first_text, second_text) = (shown(first), shown(second));
        return if solved.contains_key(first) {
            format!(r"\sum_{{{second_text} > {first_text}}} ")
        } else {
            format!(r"\sum_{{{first_text} < {second_text}}} ")
        };
    }
    let range = writer.range(&variables, &iterator);
    if left.len() == own.len() {
        return format!(r"\sum_{range} ");
    }
    let inside = range.strip_prefix('{').and_then(|inside| inside.strip_suffix('}')).unwrap_or(&range);
    let over = inside.split_once(r"\in ").map_or(inside, |(_, over)| over);
    format!(r"\sum_{{{variables} \in {over}}} ")
}

/// The sum over near pairs, or over those of one end that is known.
fn summed_in_range(
    near: &Near,
    left: &[&String],
    solved: &BTreeMap<String, Linear>,
    lowered: &Lowered,
    writer: &mut Writer<'_>,
) -> String {
    let radius = writer.expression(&lowered.variables.expanded(&near.list.radius)).text;
    let [first, second] = near.ends.each_ref().map(|end| {
        let end = lowered.variables.expanded(end);
        (end.to_token_stream().to_string(), writer.linear(&end).text())
    });
    let is_ordered = !near.of_one && near.list.is_of_one_array();
    let variables = match (left.len(), is_ordered) {
        (2, true) => format!("{} < {}", first.1, second.1),
        (2, false) => format!("{}, {}", first.1, second.1),
        (_, true) if solved.contains_key(&first.0) => format!("{} > {}", second.1, first.1),
        (_, true) => format!("{} < {}", first.1, second.1),
        (_, false) if left.iter().any(|name| **name == second.0) => second.1,
        (_, false) => first.1,
    };
    format!(r"\sum_{{{variables},\, \text{{within }} {radius}}} ")
}

/// A condition in brackets.
fn answer(question: &Question, arm: usize, lowered: &Lowered, writer: &mut Writer<'_>) -> String {
    let text = match question {
        Question::If(condition) => {
            let condition = lowered.variables.expanded(condition);
            let text = writer.condition(&condition);
            match condition {
                _ if arm == 0 => text,
                Expr::Binary(binary) if matches!(binary.op, syn::BinOp::Eq(_)) => {
                    text.replacen(" = ", r" \ne ", 1)
                }
                _ => format!(r"\lnot\left({text}\right)"),
            }
        }
        Question::Match(scrutinee, patterns) => {
            let scrutinee = writer.expression(&lowered.variables.expanded(scrutinee)).text;
            let pattern = patterns.get(arm).map_or(String::new(), |pattern| writer.pattern_text(pattern));
            format!("{scrutinee} = {pattern}")
        }
    };
    format!(r"\left[{text}\right] \, ")
}
