//! One contribution to an equation: its index solved for the variables of loops, the sums and conditions that are left, and the expression.

use super::element::{Element, Multiplier, Role};
use super::graph::Formulas;
use super::math::{Level, Math, number};
use super::source::{Linear, Writer, bound, is_pairs};
use super::sums::{moving, once, parts_of, sign};
use super::symbol;
use crate::graph::{Node, NodeId};
use crate::lower::form::{Loop, Step};
use crate::lower::pairs::Near;
use crate::lower::question::Question;
use crate::lower::{Scan, Stage, names};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::Expr;
use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};

/// The contribution through one read of an entry, without its sign, and whether that is a minus: sums that are left, conditions,
/// multiplier, expression.
pub(super) fn assembled(
    formulas: &mut Formulas<'_>,
    element: &Element,
    entry: &[Expr],
    node: NodeId,
    indices: &[Vec<String>],
    accent: &str,
) -> (bool, Math) {
    let Solved { variables, values: solved, conditions, mut writer } =
        Solved::of(formulas, element, entry, indices);
    // A partial sum: the item at which it ends.
    let scan = element.scan(formulas.lowered);
    let row = scan.map(|_| match (&element.role, indices.last()) {
        (Role::Sum(_), Some(last)) => last.join(", "),
        _ => writer.fresh_index(),
    });
    let mut text = String::new();
    for (place, step) in variables.path.iter().enumerate() {
        let Step::Loop(repeat) = step else { continue };
        if variables.scan == Some(place)
            && let (Some(scan), Some(row)) = (scan, &row)
        {
            text.push_str(&partial_sum(scan, &element.role, row, &solved, formulas, &mut writer));
            continue;
        }
        if formulas.sums.is_numbered(repeat) {
            let number = repeat.position.as_ref().map(ToString::to_string).unwrap_or_default();
            if !solved.contains_key(&number)
                && let Some(shown) = writer.indices.get(&number)
            {
                text.push_str(&format!(r"\sum_{{{}}} ", shown.text()));
            }
            continue;
        }
        let own = bound(&repeat.pattern);
        let left: Vec<&String> = own.iter().filter(|variable| !solved.contains_key(*variable)).collect();
        if left.is_empty() && !own.is_empty() {
            let iterator = formulas.expanded(&repeat.iterator);
            let is_item = |position: &syn::Ident| solved.contains_key(&position.to_string());
            if repeat.position.as_ref().is_some_and(is_item) {
                // The items are those of the rows.
                continue;
            }
            if let Some(near) = &repeat.near {
                text.push_str(&near_each_other(near, formulas, &mut writer));
            } else if !is_range(&iterator) {
                let (item, items) = (writer.pattern_text(&repeat.pattern), writer.rounds(&iterator));
                text += &format!(r"\left[{item}{items}\right] \, ");
            }
            continue;
        }
        text.push_str(&summed(repeat, &left, &solved, formulas, &mut writer));
    }
    for (name, index) in conditions {
        let index = writer.linear(&index).text();
        text += &format!(r"\left[{name} = {index}\right] \, ");
    }
    for step in &element.path {
        if let Step::Answer(choice, arm) = step {
            text.push_str(&answer(&choice.question, *arm, formulas, &mut writer));
        }
    }
    let multiplier = Variables::multiplier(element, accent, row.as_deref(), formulas, &mut writer);
    let (factor, rest) = formulas.graph.split_factor(node);
    let bare = text.is_empty() && multiplier.is_none() && !matches!(element.role, Role::Force(_));
    let keeps_sign = bare && matches!(formulas.graph.node(rest), Node::Constant(_) | Node::Sum { .. });
    let negative = factor < 0.0 && !keeps_sign;
    // The number stands before the multiplier.
    let before = if multiplier.is_some() { factor.abs() } else { 1.0 };
    let value = if keeps_sign { node } else { formulas.graph.scale(factor.abs() / before, rest) };
    let value = formulas.expression(value, &mut writer);
    if let Some(multiplier) = multiplier {
        if before != 1.0 {
            text += &format!(r"{} \, ", number(before).text);
        }
        text += &format!(r"{multiplier} \, ");
    }
    let whole = match (text.is_empty(), value.text.as_str()) {
        (true, _) => value,
        (false, "1") => Math::product(text.trim_end_matches(r" \, ").to_owned()),
        (false, _) => Math::product(format!("{text}{}", value.within(Level::Product))),
    };
    (negative, whole)
}

/// The rounds of the loops around the rows of a stage.
pub(super) fn rounds_of(
    formulas: &mut Formulas<'_>,
    element: &Element,
    stage: usize,
    rows: &[Vec<String>],
) -> String {
    let Stage { keys, path, scan, .. } = &formulas.lowered.stages[stage];
    let Solved { mut writer, .. } = Solved::of(formulas, element, keys, rows);
    let mut text = String::new();
    for repeat in loops_of(path) {
        let iterator = formulas.expanded(&repeat.iterator);
        let items = match (formulas.sums.is_numbered(repeat), &repeat.position) {
            (true, Some(_)) => continue,
            _ => writer.pattern_text(&repeat.pattern),
        };
        text += &format!(r" \quad \left({items}{}\right)", writer.rounds(&iterator));
    }
    if let (Some(scan), Some(last)) = (scan, rows.last()) {
        formulas.stand_under(&[]);
        let mut all: Vec<String> =
            scan.ranges.iter().filter_map(|read| ends_of(scan, read, formulas, &mut writer)).collect();
        all.dedup();
        for ends in all {
            text += &format!(r" \quad \left({}{ends}\right)", last.join(", "));
        }
    }
    text
}

/// The items at which partial sums end that are read under one loop over a range; none where that cannot be said so.
fn ends_of(
    scan: &Scan,
    (steps, range): &(Vec<Step>, Expr),
    formulas: &Formulas<'_>,
    writer: &mut Writer<'_>,
) -> Option<String> {
    let [repeat] = &loops_of(steps).collect::<Vec<_>>()[..] else { return None };
    let (Expr::Range(range), Expr::Range(rounds)) = (range, formulas.expanded(&repeat.iterator)) else {
        return None;
    };
    let end = moving(scan, range);
    let (variable, 1, shift) = affine(&formulas.expanded(&end))? else { return None };
    let is_variable = bound(&repeat.pattern) == [variable];
    let (first, last) = writer.bounds(&rounds);
    is_variable.then(|| {
        let shifted = |end: &Linear| end.plus(1, &Linear { terms: BTreeMap::new(), constant: shift }).text();
        format!(r" = {}, \dots, {}", shifted(&first), shifted(&last))
    })
}

/// The variables of an element, where an entry that it reads is to be one that is given.
struct Solved<'d, 'e> {
    variables: Variables<'e>,
    /// The values of those that are known then.
    values: BTreeMap<String, Linear>,
    /// The indices of which none could be solved for, each with what it is to be.
    conditions: Vec<(String, Expr)>,
    /// Knows what all variables are.
    writer: Writer<'d>,
}

impl<'d, 'e> Solved<'d, 'e> {
    fn of(
        formulas: &mut Formulas<'d>,
        element: &'e Element,
        entry: &[Expr],
        indices: &[Vec<String>],
    ) -> Self {
        formulas.stand_under(&element.path);
        let mut writer = Writer::new(formulas.declaration);
        for name in indices.iter().flatten() {
            writer.fresh(name.clone());
        }
        let variables = Variables::of(element, formulas);
        let (mut solved, mut conditions) = (BTreeMap::new(), Vec::new());
        for (index, names) in entry.iter().zip(indices) {
            if !variables.solve(index, names, formulas, &mut solved) {
                conditions.push((names.join(", "), variables.put_in(&formulas.expanded(index))));
            }
        }
        variables.show(&solved, formulas, &mut writer);
        Self { variables, values: solved, conditions, writer }
    }
}

/// The variables of the loops around an element.
struct Variables<'e> {
    /// The path without loops over one item.
    path: Vec<&'e Step>,
    /// The item of each of those.
    items: BTreeMap<String, Expr>,
    /// The place of the loop over the items of a partial sum.
    scan: Option<usize>,
    /// The variables that may be solved for.
    names: Vec<String>,
}

impl<'e> Variables<'e> {
    fn of(element: &'e Element, formulas: &Formulas<'_>) -> Self {
        let mut items = BTreeMap::new();
        let mut path = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for step in &element.path {
            if let Some((name, item)) = once(step) {
                items.insert(name, formulas.expanded(item));
                continue;
            }
            match step {
                // What belongs to an item is told by its number.
                Step::Loop(repeat) if formulas.sums.is_numbered(repeat) => {
                    names.extend(repeat.position.iter().map(ToString::to_string));
                }
                Step::Loop(repeat) => names.extend(bound(&repeat.pattern)),
                Step::Answer(..) | Step::Stiff => names.extend(step.bound().iter().map(ToString::to_string)),
            }
            path.push(step);
        }
        let item = |scan: &Scan| path.iter().position(|step| step.bound().contains(&scan.item));
        let scan = element.scan(formulas.lowered).and_then(item);
        Self { path, items, scan, names }
    }

    /// An expression with the items of loops over one.
    fn put_in(&self, expression: &Expr) -> Expr {
        let mut image = expression.clone();
        // An item of one may be that of another.
        for _ in 0..self.items.len() {
            PutIn(&self.items).visit_expr_mut(&mut image);
        }
        image
    }

    /// Solves an index for the variables in it; false where it cannot.
    fn solve(
        &self,
        index: &Expr,
        letters: &[String],
        formulas: &Formulas<'_>,
        solved: &mut BTreeMap<String, Linear>,
    ) -> bool {
        let index = self.put_in(&formulas.expanded(index));
        let of_position = |repeat: &&Loop| {
            !formulas.sums.is_numbered(repeat)
                && repeat.position.as_ref().is_some_and(|position| is_name(&index, position))
        };
        let loops = self.path.iter().copied().flat_map(|step| loops_of(std::slice::from_ref(step)));
        if let Some(repeat) = { loops }.find(of_position) {
            let own = bound(&repeat.pattern).into_iter().zip(letters.iter().cloned());
            let item = repeat.position.iter().map(|position| (position.to_string(), letters.join(", ")));
            solved.extend(own.chain(item).map(|(name, shown)| (name, Linear::variable(shown))));
            return true;
        }
        let [letter] = letters else { return false };
        match solve(&index, letter, &self.names, solved) {
            Some((variable, value)) => solved.insert(variable, value).is_none(),
            None => false,
        }
    }

    /// Gives the variables their symbols, where they are not solved for.
    fn show(&self, solved: &BTreeMap<String, Linear>, formulas: &Formulas<'_>, writer: &mut Writer<'_>) {
        let lowered = formulas.lowered;
        let show = |name: &syn::Ident, writer: &mut Writer<'_>| {
            let shown = solved.get(&name.to_string()).cloned().unwrap_or_else(|| {
                let own = lowered.variables.name_as_written(name).unraw().to_string();
                Linear::variable(writer.fresh(symbol(&own, false)))
            });
            writer.indices.insert(name.to_string(), shown);
        };
        for step in &self.path {
            let Step::Loop(repeat) = step else {
                step.bound().iter().for_each(|name| show(name, writer));
                continue;
            };
            let own = names::bound_by(&repeat.pattern);
            let Some(position) = &repeat.position else {
                own.iter().for_each(|name| show(name, writer));
                continue;
            };
            if !formulas.sums.is_numbered(repeat) {
                own.iter().for_each(|name| show(name, writer));
                let shown = own.iter().filter_map(|name| writer.indices.get(&name.to_string()));
                let item: Vec<String> = shown.map(Linear::text).collect();
                writer.indices.insert(position.to_string(), Linear::variable(item.join(", ")));
                continue;
            }
            let number = solved.get(&position.to_string()).cloned();
            let number = number.unwrap_or_else(|| Linear::variable(writer.fresh_index()));
            let iterator = formulas.expanded(&repeat.iterator);
            for (name, places) in parts_of(&repeat.pattern).unwrap_or_default() {
                let part = writer.item(&iterator, &number, &places);
                writer.indices.insert(name.to_string(), part);
            }
            writer.indices.insert(position.to_string(), number);
        }
        for (name, item) in &self.items {
            let item = writer.linear(&self.put_in(item));
            writer.indices.insert(name.clone(), item);
        }
    }

    /// The multiplier of an equation or the force on a sum.
    fn multiplier(
        element: &Element,
        accent: &str,
        row: Option<&str>,
        formulas: &Formulas<'_>,
        writer: &mut Writer<'_>,
    ) -> Option<String> {
        let lowered = formulas.lowered;
        match &element.role {
            Role::Weighed(number, weight) => {
                let stage = &lowered.stages[*number];
                let keys = stage.keys.iter().map(|key| formulas.expanded(key));
                let mut indices: Vec<String> = keys.map(|key| writer.linear(&key).text()).collect();
                let end = stage.scan.as_ref().zip(row);
                indices.extend(end.map(|(scan, row)| format!("{} {row}", sign(scan))));
                Some(formulas.sums.symbol(weight.letter(), accent, *number, &indices).text)
            }
            Role::Equation(Multiplier { name, numbered, of_velocities }) => {
                let variables =
                    loops_of(&element.path[..*numbered]).flat_map(|repeat| bound(&repeat.pattern));
                let numbers = variables
                    .map(|variable| writer.indices.get(&variable).map_or(variable.clone(), Linear::text));
                let (head, tail) = name.split_once(',').unwrap_or((name, ""));
                let upright = format!(r"\mathrm{{{}}}", head.replace('_', r"\_"));
                let subscripts: Vec<String> =
                    numbers.chain((!tail.is_empty()).then(|| tail.to_owned())).collect();
                let subscript = if subscripts.is_empty() {
                    String::new()
                } else {
                    format!("_{{{}}}", subscripts.join(", "))
                };
                let letter = if *of_velocities { r"\mu" } else { r"\lambda" };
                Some(format!("{letter}^{{{upright}}}{subscript}"))
            }
            _ => None,
        }
    }
}

/// Puts expressions in the place of names.
struct PutIn<'m>(&'m BTreeMap<String, Expr>);

impl VisitMut for PutIn<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match name_of(expression).and_then(|name| self.0.get(&name.to_string())) {
            Some(value) => *expression = syn::parse_quote!((#value)),
            None => visit_mut::visit_expr_mut(self, expression),
        }
    }
}

/// The sum over the items of a partial sum, under that over the partial sums which have an item.
fn partial_sum(
    scan: &Scan,
    role: &Role,
    row: &str,
    solved: &BTreeMap<String, Linear>,
    formulas: &Formulas<'_>,
    writer: &mut Writer<'_>,
) -> String {
    let item = scan.item.to_string();
    let beyond = if scan.backwards { r"\le" } else { r"\ge" };
    let rows = match (role, solved.get(&item)) {
        (Role::Sum(_), _) => String::new(),
        (_, Some(item)) => return format!(r"\sum_{{{row} {beyond} {}}} ", item.text()),
        (_, None) => format!(r"\sum_{{{row}}} "),
    };
    let item = writer.indices.get(&item).map_or(item, Linear::text);
    let mut start = writer.linear(&formulas.expanded(&scan.start));
    if scan.backwards && !scan.closed {
        start.constant -= 1;
    }
    let [from, to] =
        if scan.backwards { [row.to_owned(), start.text()] } else { [start.text(), row.to_owned()] };
    format!(r"{rows}\sum_{{{item}={from}}}^{{{to}}} ")
}

/// The condition that two points which are known are near each other.
fn near_each_other(near: &Near, formulas: &Formulas<'_>, writer: &mut Writer<'_>) -> String {
    let radius = writer.expression(&formulas.expanded(&near.list.radius)).text;
    let [first, second] = near.ends.each_ref().map(|end| writer.linear(&formulas.expanded(end)).text());
    let between = if near.list.is_of_one_array() { r" \ne" } else { "," };
    format!(r"\left[{first}{between} {second},\, \text{{within }} {radius}\right] \, ")
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
pub(super) fn affine(index: &Expr) -> Option<(String, i64, i64)> {
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

pub(super) fn integer(expression: &Expr) -> Option<i64> {
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
    formulas: &Formulas<'_>,
    writer: &mut Writer<'_>,
) -> String {
    let own = bound(&repeat.pattern);
    if let Some(near) = &repeat.near {
        return summed_in_range(near, left, solved, formulas, writer);
    }
    let iterator = formulas.expanded(&repeat.iterator);
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
    formulas: &Formulas<'_>,
    writer: &mut Writer<'_>,
) -> String {
    let radius = writer.expression(&formulas.expanded(&near.list.radius)).text;
    let [first, second] = near.ends.each_ref().map(|end| {
        let end = formulas.expanded(end);
        (end.to_token_stream().to_string(), writer.linear(&end).text())
    });
    let is_ordered = !near.of_one && near.list.is_of_one_array();
    let is_other = near.of_one && near.list.is_of_one_array();
    let variables = match (left.len(), is_ordered) {
        (1, _) if is_other => format!(r"{} \ne {}", second.1, first.1),
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
fn answer(question: &Question, arm: usize, formulas: &Formulas<'_>, writer: &mut Writer<'_>) -> String {
    let text = match question {
        Question::If(condition) => {
            let condition = formulas.expanded(condition);
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
            let scrutinee = writer.expression(&formulas.expanded(scrutinee)).text;
            let pattern = patterns.get(arm).map_or(String::new(), |pattern| writer.pattern_text(pattern));
            format!("{scrutinee} = {pattern}")
        }
    };
    format!(r"\left[{text}\right] \, ")
}

/// The loops of a path.
pub(super) fn loops_of(path: &[Step]) -> impl Iterator<Item = &Loop> {
    path.iter().filter_map(|step| if let Step::Loop(repeat) = step { Some(&**repeat) } else { None })
}

/// True for a range, whose items are numbers in their order.
fn is_range(iterator: &Expr) -> bool {
    match iterator {
        Expr::Paren(inner) => is_range(&inner.expr),
        other => matches!(other, Expr::Range(_)),
    }
}

/// True if an expression is a name.
pub(super) fn is_name(expression: &Expr, name: &syn::Ident) -> bool {
    name_of(expression) == Some(name)
}

/// The name that an expression is.
pub(super) fn name_of(expression: &Expr) -> Option<&syn::Ident> {
    match expression {
        Expr::Paren(inner) => name_of(&inner.expr),
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}
