//! The contribution of a family of elements to the equation of one entry.
//!
//! An element f stands under the loops of its family and reads entries of arrays. For each read, the
//! equation of entry k of an array has Σ δ_{k, a} ∂f/∂q_a, summed over the loops, where a is the index
//! of the read. Reads with one derivative, but for a number, share it: Σ (δ_{k, i} − δ_{k, j}) f′ of a
//! difference. The δ of a loop over the whole array puts k in the place of the variable, and the loop
//! disappears.

use super::element::{Element, Multiplier, Role, Round, integer};
use super::graph::{Formulas, Written};
use super::math::{Level, Math, added, multiplied, number};
use super::source::{Linear, Writer, bound};
use super::sums::{moving, once, sign};
use super::{axis, symbol};
use crate::graph::{Node, NodeId};
use crate::lower::form::{Loop, Step, loops_of};
use crate::lower::pairs::Near;
use crate::lower::question::Question;
use crate::lower::{Scan, Source, Stage, names};
use quote::ToTokens;
use std::collections::BTreeMap;
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::{Expr, Ident, Pat};

/// The component of an entry that an equation belongs to.
pub(super) struct Place<'a> {
    pub(super) source: Source,
    pub(super) component: usize,
    /// The letters of each index: one for a number, one for each name in a pattern of items.
    pub(super) indices: &'a [Vec<String>],
}

/// A read of an entry: the indices, and the derivative by it.
pub(super) type Read = (Vec<Expr>, NodeId);

/// The values of variables that are given.
pub(super) type Given = BTreeMap<String, Linear>;

/// One derivative, and the reads that have it: a factor, and the indices for which a δ stands.
struct Shared<'p> {
    node: NodeId,
    reads: Vec<(f64, Vec<Delta<'p>>)>,
}

/// The letters of an index, its place among the indices, and the expression that equals it.
type Delta<'p> = (&'p [String], usize, Expr);

impl<'d> Formulas<'d> {
    /// The terms that the reads of an element add to the equation of a place; `accent` is the accent of
    /// the force on a sum.
    pub(super) fn contribution(
        &mut self,
        element: &Element,
        reads: Vec<Read>,
        place: &Place<'_>,
        accent: &str,
    ) -> Vec<(bool, Math)> {
        self.stand_under(&element.path);
        let mut shared: Vec<Shared<'_>> = Vec::new();
        for (entry, node) in reads {
            let deltas = entry.into_iter().enumerate().zip(place.indices);
            let deltas = deltas.map(|((at, index), letters)| (&letters[..], at, index)).collect();
            let (factor, node) = self.graph.split_factor(node);
            let opposite = self.graph.negate(node);
            match shared.iter_mut().find(|known| [node, opposite].contains(&known.node)) {
                Some(known) => {
                    let factor = if known.node == node { factor } else { -factor };
                    known.reads.push((factor, deltas));
                }
                None => shared.push(Shared { node, reads: vec![(factor, deltas)] }),
            }
        }
        let (mut parts, mut summed) = (Vec::new(), Vec::new());
        for Shared { node, mut reads } in shared {
            let mut given = Given::new();
            if let [(_, deltas)] = &mut reads[..] {
                let count = deltas.len();
                deltas.retain(|delta| !self.gives(element, place.source, delta, &mut given));
                if deltas.len() < count || count == 0 {
                    let alone = [Shared { node, reads }];
                    parts.push(self.terms(element, &given, place, &alone, accent));
                    continue;
                }
            }
            summed.push(Shared { node, reads });
        }
        if !summed.is_empty() {
            parts.push(self.terms(element, &Given::new(), place, &summed, accent));
        }
        parts
    }

    /// The expression of a sum, without the loops whose rounds are its rows.
    pub(super) fn defined(&mut self, element: &Element, given: &Given, place: &Place<'_>) -> (bool, Math) {
        self.stand_under(&element.path);
        let (factor, node) = self.graph.split_factor(element.node);
        self.terms(element, given, place, &[Shared { node, reads: vec![(factor, Vec::new())] }], "")
    }

    /// True if a loop over all entries has the index as its variable, which then gets the letters of
    /// the place.
    fn gives(
        &self,
        element: &Element,
        source: Source,
        (letters, at, index): &Delta<'_>,
        given: &mut Given,
    ) -> bool {
        let index = self.expanded(index);
        let mut name = name_of(&index);
        let alias =
            |name: &Ident| element.path.iter().filter_map(once).find(|(alias, _)| *name == alias.as_str());
        let mut value;
        while let Some((_, item)) = name.and_then(alias) {
            value = self.expanded(item);
            name = name_of(&value);
        }
        let Some(name) = name else { return false };
        let of_index = |repeat: &&Rc<Loop>| repeat.near.is_none() && counts(repeat, name);
        let Some(repeat) = loops_of(&element.path).find(of_index) else { return false };
        let own = bound(&repeat.pattern);
        if own.len() != letters.len() || own.iter().any(|name| given.contains_key(name)) {
            return false;
        }
        let scan = element.scan(self.lowered).filter(|scan| *name == scan.item);
        if !self.is_whole(repeat, name, source, *at, scan) {
            return false;
        }
        given.extend(own.into_iter().zip(letters.iter().map(Linear::variable)));
        true
    }

    /// True if the rounds of a loop are all values of an index of an array.
    fn is_whole(&self, repeat: &Loop, name: &Ident, source: Source, at: usize, scan: Option<&Scan>) -> bool {
        let same = |a: &Expr, b: &Expr| tokens(&self.expanded(a)) == tokens(&self.expanded(b));
        match source {
            Source::Declared(coordinate) => {
                let length = &self.declaration.coordinates[coordinate].lengths[at];
                let mut writer = Writer::new(self.declaration, self.symbols);
                let length = writer.linear(&self.expanded(length));
                let mut is_all = |first: &Expr, end: &Expr, closed: bool| {
                    let mut end = writer.linear(&self.expanded(end));
                    end.constant += i64::from(closed);
                    end == length && writer.linear(&self.expanded(first)) == Linear::default()
                };
                let zero = syn::parse_quote!(0);
                match (scan, self.expanded(&repeat.iterator)) {
                    // The other end is the end of each row.
                    (Some(scan), _) if scan.backwards => is_all(&zero, &scan.start, scan.closed),
                    (Some(scan), _) => integer(&scan.start) == Some(0),
                    (None, Expr::Range(range)) => range.end.as_deref().is_some_and(|end| {
                        let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                        is_all(range.start.as_deref().unwrap_or(&zero), end, closed)
                    }),
                    _ => false,
                }
            }
            Source::Stage(stage) => {
                let stage = &self.lowered.stages[stage];
                let alike = |own: &Loop| same(&own.iterator, &repeat.iterator);
                match (stage.keys.get(at).and_then(name_of), &stage.scan) {
                    (Some(key), _) => loops_of(&stage.path).any(|own| counts(own, key) && alike(own)),
                    (None, Some(scan)) => {
                        scan.ranges.iter().all(|(steps, range)| {
                            let Expr::Range(range) = range else { return false };
                            let mut around = loops_of(steps);
                            let end = self.expanded(&moving(scan, range));
                            let is_end = |own: &Rc<Loop>| {
                                name_of(&end).is_some_and(|end| counts(own, end)) && alike(own)
                            };
                            around.next().is_some_and(is_end) && around.next().is_none()
                        }) && counts(repeat, name)
                    }
                    (None, None) => false,
                }
            }
        }
    }

    /// The terms of an element: sums, conditions, multiplier, and the derivatives with their δ.
    fn terms(
        &mut self,
        element: &Element,
        given: &Given,
        place: &Place<'_>,
        shared: &[Shared<'_>],
        accent: &str,
    ) -> (bool, Math) {
        self.written = Written::default();
        let mut writer = self.frame(&element.path, place.indices, given);
        let scan = element.scan(self.lowered);
        // The row of a partial sum.
        let row = scan.map(|_| match (&element.role, place.indices.last()) {
            (Role::Sum(_), Some(last)) => last.join(", "),
            _ => writer.fresh_index(),
        });
        let mut text = String::new();
        for repeat in element.path.iter().filter(|step| once(step).is_none()).filter_map(Step::repeat) {
            let own = bound(&repeat.pattern);
            let is_given = !own.is_empty() && own.iter().all(|name| given.contains_key(name));
            text += &match (scan, &row) {
                (Some(scan), Some(row)) if own == [scan.item.to_string()] => {
                    self.partial_sum(scan, &element.role, row, is_given, &mut writer)
                }
                _ if is_given => continue,
                _ => {
                    if let Some(near) = &repeat.near {
                        self.sum_in_range(near, &mut writer)
                    } else {
                        let variables = writer.pattern_text(&repeat.pattern);
                        format!(r"\sum_{} ", writer.range(&variables, &self.expanded(&repeat.iterator)))
                    }
                }
            };
        }
        for step in &element.path {
            if let Step::Answer(choice, arm) = step {
                text += &self.answer(&choice.question, *arm, &mut writer);
            }
        }
        let multiplier = self.multiplier(element, accent, row.as_deref(), &mut writer);
        if let ([Shared { node, reads }], None, true) = (shared, &multiplier, text.is_empty())
            && let [(factor, deltas)] = &reads[..]
            && deltas.is_empty()
            && matches!(self.graph.node(*node), Node::Constant(_) | Node::Sum { .. })
        {
            let whole = self.graph.scale(*factor, *node);
            return (false, self.expression(whole, &mut writer));
        }
        let pieces: Vec<Piece> =
            shared.iter().map(|shared| self.piece(shared, place.source, &mut writer)).collect();
        let (negative, product) = if let [Piece { negative, number, rest }] = &pieces[..] {
            // A number stands before the multiplier.
            (*negative, joined(number.iter().chain(&multiplier).chain(rest)))
        } else {
            let product = |piece: &Piece| joined(piece.number.iter().chain(&piece.rest));
            // A sign that all have stands before the sum over them.
            let negative = !text.is_empty() && pieces.iter().all(|piece| piece.negative);
            let inner = pieces.iter().map(|piece| (piece.negative != negative, product(piece)));
            (negative, joined(multiplier.iter().chain([&added(&inner.collect::<Vec<_>>())])))
        };
        match (text.is_empty(), product.text.as_str()) {
            (true, _) => (negative, product),
            (false, "1") => (negative, Math::product(text.trim_end_matches(r" \, ").to_owned())),
            (false, _) => (negative, Math::product(format!("{text}{}", product.within(Level::Product)))),
        }
    }

    /// A derivative with a number and the δ of all reads that share it before it.
    fn piece(
        &mut self,
        Shared { node, reads }: &Shared<'_>,
        source: Source,
        writer: &mut Writer<'_>,
    ) -> Piece {
        let size = reads[0].0.abs();
        let size = if reads.iter().all(|(factor, _)| factor.abs() == size) { size } else { 1.0 };
        let negative = reads.iter().all(|(factor, _)| *factor < 0.0);
        let mut deltas: Vec<(bool, Math)> = Vec::new();
        for (factor, indices) in reads.iter().filter(|(_, indices)| !indices.is_empty()) {
            let share = factor.abs() / size;
            let mut product: Vec<Math> = (share != 1.0).then(|| number(share)).into_iter().collect();
            for (letters, at, index) in indices {
                let value = self.row(source, *at, index, writer).text();
                product.push(Math::atom(format!(r"\delta_{{{}, {value}}}", letters.join(", "))));
            }
            deltas.push(((*factor < 0.0) != negative, multiplied(&product)));
        }
        deltas.sort_by_key(|(negative, _)| *negative);
        let number = (size != 1.0).then(|| number(size));
        let mut rest: Vec<Math> = (!deltas.is_empty()).then(|| added(&deltas)).into_iter().collect();
        rest.push(self.expression(*node, writer));
        Piece { negative, number, rest }
    }

    /// A writer that knows the variables of a path: given ones, and all others by symbols of their own.
    pub(super) fn frame(&self, path: &[Step], reserved: &[Vec<String>], given: &Given) -> Writer<'d> {
        let mut writer = Writer::new(self.declaration, self.symbols);
        for letter in reserved.iter().flatten() {
            writer.fresh(letter.clone());
        }
        for step in path {
            if let Some((name, item)) = once(step) {
                let item = writer.linear(&self.expanded(item));
                writer.indices.insert(name, item);
                continue;
            }
            let names = match step {
                Step::Loop(repeat) => names::bound_by(&repeat.pattern),
                Step::Answer(..) | Step::Stiff => step.bound(),
            };
            for name in &names {
                let shown = given.get(&name.to_string()).cloned().unwrap_or_else(|| {
                    let own = self.lowered.variables.name_as_written(name).unraw().to_string();
                    Linear::variable(writer.fresh(symbol(&own, false)))
                });
                writer.indices.insert(name.to_string(), shown);
            }
            if let Some(position) = step.repeat().and_then(|repeat| repeat.position.as_ref()) {
                let item: Vec<String> =
                    names.iter().map(|name| writer.indices[&name.to_string()].text()).collect();
                writer.indices.insert(position.to_string(), Linear::variable(item.join(", ")));
            }
        }
        writer
    }

    /// The label of an index: the item with a number, or the number of an item, if rows are told apart
    /// by the other one.
    pub(super) fn row(&self, source: Source, at: usize, index: &Expr, writer: &mut Writer<'_>) -> Linear {
        let index = self.expanded(index);
        let items = match source {
            Source::Declared(_) => None,
            Source::Stage(stage) => {
                let Stage { keys, path, .. } = &self.lowered.stages[stage];
                let key = keys.get(at).and_then(name_of);
                loops_of(path).find(|repeat| repeat.position.is_some() && repeat.position.as_ref() == key)
            }
        };
        let number = writer.linear(&index);
        match (items, name_of(&index).is_some_and(|name| self.positions.contains(&name.to_string()))) {
            (Some(repeat), false) => writer.item(&self.expanded(&repeat.iterator), &number),
            (None, true) => {
                Linear::variable(format!(r"\operatorname{{number}}\left({}\right)", number.text()))
            }
            _ => number,
        }
    }

    /// The multiplier of an equation or the force on a sum.
    fn multiplier(
        &self,
        element: &Element,
        accent: &str,
        row: Option<&str>,
        writer: &mut Writer<'_>,
    ) -> Option<Math> {
        match &element.role {
            Role::Weighed(number, weight) => {
                let stage = &self.lowered.stages[*number];
                let keys = stage.keys.iter().map(|key| writer.linear(&self.expanded(key)).text());
                let mut indices: Vec<String> = keys.collect();
                let end = stage.scan.as_ref().zip(row);
                indices.extend(end.map(|(scan, row)| format!("{} {row}", sign(scan))));
                Some(self.sums.symbol(weight.letter(), accent, *number, &indices))
            }
            Role::Equation(Multiplier { name, rounds, component, of_velocities }) => {
                let mut indices: Vec<String> = Vec::new();
                for round in rounds {
                    match round {
                        Round::Number(number) => indices.push(number.to_string()),
                        Round::Of(repeat) => {
                            let own = bound(&repeat.pattern).into_iter();
                            indices.extend(own.map(|name| writer.indices[&name].text()));
                        }
                    }
                }
                indices.extend(component.map(axis));
                let letter = if *of_velocities { r"\mu" } else { r"\lambda" };
                let upright = format!(r"{letter}^{{\mathrm{{{}}}}}", name.replace('_', r"\_"));
                Some(Math::atom(match indices.join(", ") {
                    none if none.is_empty() => upright,
                    subscript => format!("{upright}_{{{subscript}}}"),
                }))
            }
            _ => None,
        }
    }

    /// The sum over the items of a partial sum; for a force on it, also over the rows with the item.
    fn partial_sum(
        &self,
        scan: &Scan,
        role: &Role,
        row: &str,
        is_given: bool,
        writer: &mut Writer<'_>,
    ) -> String {
        let item = writer.indices[&scan.item.to_string()].text();
        let mut start = writer.linear(&self.expanded(&scan.start));
        if scan.backwards && !scan.closed {
            start.constant -= 1;
        }
        let beyond = if scan.backwards { r"\le" } else { r"\ge" };
        match role {
            Role::Sum(_) if scan.backwards => format!(r"\sum_{{{item}={row}}}^{{{}}} ", start.text()),
            Role::Sum(_) => format!(r"\sum_{{{item}={}}}^{{{row}}} ", start.text()),
            _ if is_given => format!(r"\sum_{{{row} {beyond} {item}}} "),
            _ => format!(r"\sum_{{{item} {beyond} {}}} \sum_{{{row} {beyond} {item}}} ", start.text()),
        }
    }

    /// The sum over pairs in range, or over the neighbours of one point.
    fn sum_in_range(&self, near: &Near, writer: &mut Writer<'_>) -> String {
        let radius = writer.expression(&self.expanded(&near.list.radius)).text;
        let [first, second] = near.ends.each_ref().map(|end| writer.linear(&self.expanded(end)).text());
        let variables = match (near.of_one, near.list.is_of_one_array()) {
            (true, true) => format!(r"{second} \ne {first}"),
            (true, false) => second,
            (false, true) => format!("{first} < {second}"),
            (false, false) => format!("{first}, {second}"),
        };
        format!(r"\sum_{{{variables},\, \text{{within }} {radius}}} ")
    }

    /// A condition in brackets.
    fn answer(&self, question: &Question, arm: usize, writer: &mut Writer<'_>) -> String {
        let text = match question {
            Question::If(condition) => {
                let condition = self.expanded(condition);
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
                let scrutinee = writer.expression(&self.expanded(scrutinee)).text;
                let pattern = patterns.get(arm).map_or(String::new(), |pattern| writer.pattern_text(pattern));
                format!("{scrutinee} = {pattern}")
            }
        };
        format!(r"\left[{text}\right] \, ")
    }
}

/// A derivative as a signed product.
struct Piece {
    negative: bool,
    number: Option<Math>,
    rest: Vec<Math>,
}

/// A product; a factor of one is left out.
fn joined<'m>(factors: impl Iterator<Item = &'m Math>) -> Math {
    multiplied(&factors.filter(|factor| factor.text != "1").cloned().collect::<Vec<_>>())
}

/// True if a name tells the rounds of a loop apart.
fn counts(repeat: &Loop, name: &Ident) -> bool {
    match (&repeat.position, &repeat.pattern) {
        (Some(position), _) if position == name => true,
        (_, Pat::Ident(variable)) => variable.ident == *name,
        _ => false,
    }
}

/// The name that an expression is.
pub(super) fn name_of(expression: &Expr) -> Option<&Ident> {
    match crate::parse::bare(expression) {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

fn tokens(expression: &Expr) -> String {
    crate::parse::bare(expression).to_token_stream().to_string()
}
