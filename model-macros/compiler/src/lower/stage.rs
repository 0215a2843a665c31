//! Functions of sums: each sum under a nonlinear operation becomes a *collective*, a number of its own
//! that is evaluated before its readers.
//!
//! Collectives stand behind the coordinates in the vector that elements read, so that their reads are
//! leaves like others. A *stage* is an array of them: a sum under loops and answers. These are the loops
//! around the place of the read whose variables the sum mentions, and the items of an array `each(…)[k]`
//! that it mentions; a sum without them is one number under any loops. Equal sums are one stage.

mod domain;
mod frame;
mod lists;
mod products;
mod rate;
mod scan;
mod spelled;
mod turns;

pub(super) use domain::Open;
pub(super) use frame::Frame;
pub(crate) use scan::{Scan, spelled_range};
pub(super) use turns::Angles;

use super::facts::Fact;
use super::form::{Choice, Form, Leaf as FormLeaf, Loop, Scope, Step};
use super::variables::Item;
use super::{Gather, Lowering, Source, Value};
use crate::error::{self, Obstacle};
use crate::graph::{Graph, Leaf, Node, NodeId, is_velocity};
use domain::{Domain, Place};
use quote::ToTokens;
use std::rc::Rc;
use syn::{Expr, Ident, Pat};

/// An array of sums that are evaluated before their readers.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// The loops and choices around a row.
    pub path: Vec<Step>,
    /// The rounds of the loops, which distinguish the rows.
    pub keys: Vec<Expr>,
    /// The `let`s that name items of arrays, over which the stage loops itself.
    pub items: Vec<usize>,
    /// For partial sums, the items of a row; the form is then one item.
    pub scan: Option<Scan>,
    /// The sum.
    pub form: Form,
    /// True if it depends on velocities.
    pub moves: bool,
    /// The stage whose rates these are, if `der` made it.
    pub rate_of: Option<usize>,
    /// The first stage with equal rows, items and variables: the sums can share a loop.
    pub frame: usize,
    /// The name by its author.
    pub name: Option<Ident>,
    /// The jump of an angle, if the stage is one that runs follow over many turns.
    pub turn: Option<f64>,
}

/// The rows of a stage, and the indices of the row that is read here.
struct Rows {
    path: Vec<Step>,
    keys: Vec<Expr>,
    items: Vec<usize>,
    indices: Vec<Expr>,
}

impl Lowering<'_> {
    /// Opens a loop or a choice around `inside`; returns the name of the round, if it was asked for.
    pub(super) fn within<R>(
        &mut self,
        open: Open,
        inside: impl FnOnce(&mut Self) -> R,
    ) -> (Option<Ident>, R) {
        self.open.push(open);
        let result = inside(self);
        let position = match self.open.pop() {
            Some(Open::Loop { position, .. }) => position,
            _ => None,
        };
        (position, result)
    }

    /// A nonlinear operation on forms; their sums become collectives if they are obstacles.
    pub(super) fn nonlinear_of(
        &mut self,
        arguments: &[&Form],
        operation: &dyn Fn(&mut Graph, &[NodeId]) -> NodeId,
    ) -> Result<Form, Obstacle> {
        match Form::nonlinear_of(arguments, &mut self.graph, operation) {
            Err(Obstacle::Sum | Obstacle::Choices) => {}
            other => return other,
        }
        let images = self.all_without_sums(arguments)?;
        Form::nonlinear_of(&images.iter().collect::<Vec<_>>(), &mut self.graph, operation)
    }

    /// [`Self::nonlinear_of`] one form.
    pub(super) fn nonlinear(
        &mut self,
        form: &Form,
        operation: &dyn Fn(&mut Graph, NodeId) -> NodeId,
    ) -> Result<Form, Obstacle> {
        self.nonlinear_of(&[form], &|graph, nodes| operation(graph, nodes[0]))
    }

    /// The value of an operation at a place; an obstacle is a mistake.
    pub(super) fn operated(&mut self, result: Result<Form, Obstacle>, place: &dyn ToTokens) -> Value {
        match result {
            Ok(form) => Value::Scalar(form),
            Err(obstacle) => self.fail(error::nonlinear_sum(place.to_token_stream(), obstacle)),
        }
    }

    /// A choice by the sign of a gap; see [`Form::select`].
    pub(super) fn select(
        &mut self,
        gap: &Form,
        strict: bool,
        yes: &Form,
        no: &Form,
    ) -> Result<Form, Obstacle> {
        match Form::select(gap, strict, yes, no, &mut self.graph) {
            Err(Obstacle::Sum) => {
                let gap = self.without_sums(gap)?;
                match Form::select(&gap, strict, yes, no, &mut self.graph) {
                    Err(Obstacle::Choices) => self.select(&gap, strict, yes, no),
                    other => other,
                }
            }
            Err(Obstacle::Choices) => {
                let images = self.all_without_sums(&[gap, yes, no])?;
                Form::select(&images[0], strict, &images[1], &images[2], &mut self.graph)
            }
            other => other,
        }
    }

    /// Forms without sums whose choices do not have too many ways together.
    fn all_without_sums(&mut self, forms: &[&Form]) -> Result<Vec<Form>, Obstacle> {
        let mut images = Vec::new();
        for form in forms {
            images.push(self.without_sums(form)?);
        }
        let images_of: Vec<&Form> = images.iter().collect();
        if Form::nonlinear_of(&images_of, &mut self.graph, &|_, nodes| nodes[0]).is_err() {
            for image in &mut images {
                if image.plain().is_none() {
                    *image = Form::of(self.collective(image)?);
                }
            }
        }
        Ok(images)
    }

    /// The form with collectives in place of its sums.
    pub(super) fn without_sums(&mut self, form: &Form) -> Result<Form, Obstacle> {
        match form {
            Form::Branch(choice, arms) => {
                let mut images = Vec::new();
                for (k, arm) in arms.iter().enumerate() {
                    let open = Open::Answer(choice.question.clone(), k);
                    images.push(self.within(open, |lowering| lowering.without_sums(arm)).1?);
                }
                Ok(Form::Branch(choice.clone(), images))
            }
            Form::Leaf(leaf) => {
                let mut groups: Vec<(Domain, Vec<(Scope, Form)>)> = Vec::new();
                for (scope, body) in &leaf.sums {
                    if matches!(scope, Scope::Stiff) {
                        return Err(Obstacle::Stiff);
                    }
                    let alone = Form::under(scope.clone(), body.clone(), &mut self.graph);
                    let domain = self.domain(&alone);
                    match groups.iter_mut().find(|(known, _)| *known == domain) {
                        Some((_, members)) => members.push((scope.clone(), body.clone())),
                        None => groups.push((domain, vec![(scope.clone(), body.clone())])),
                    }
                }
                let mut node = leaf.node;
                for (_, sums) in groups {
                    let zero = self.graph.zero();
                    let sum = self.collective(&Form::Leaf(FormLeaf { node: zero, sums }))?;
                    node = self.graph.add(node, sum);
                }
                Ok(Form::of(node))
            }
        }
    }

    /// A form as a collective, times its common factor.
    fn collective(&mut self, form: &Form) -> Result<NodeId, Obstacle> {
        if form.is_stiff() {
            return Err(Obstacle::Stiff);
        }
        if form.is_zero(&self.graph) {
            return Ok(self.graph.zero());
        }
        let form = self.followed(form);
        let (factor, form) = self.factored(&form);
        let domain = self.domain(&form);
        if self.is_of_a_pair(&domain) {
            return Err(Obstacle::Pair);
        }
        let (stage, indices) = self.stage(&form, domain);
        let read = self.read_stage(stage, indices);
        Ok(self.graph.multiply(factor, read))
    }

    /// The read of a collective.
    fn read_stage(&mut self, stage: usize, indices: Vec<Expr>) -> NodeId {
        let gather = self.gather(Source::Stage(stage), indices);
        let leaf = if self.stages[stage].moves {
            Leaf::Velocity { gather, component: 0 }
        } else {
            Leaf::Position { gather, component: 0 }
        };
        self.graph.leaf(leaf)
    }

    /// A form as a factor that does not depend on its loops, and the rest.
    fn factored(&mut self, form: &Form) -> (NodeId, Form) {
        let one = self.graph.constant(1.0);
        let terms = form.terms(&self.graph);
        let [term] = &terms[..] else { return (one, form.clone()) };
        let (number, rest) = self.graph.split_factor(term.node);
        let mut outside = vec![];
        if let (Node::Product(factors), true) = (self.graph.node(rest).clone(), form.choices().is_empty()) {
            let loops = form.loops();
            let inner = loops.iter().flat_map(|repeat| repeat.bound()).map(|name| name.to_string()).collect();
            for (base, halves) in factors {
                if !self.mentions_names(base, &inner) {
                    outside.push((base, halves));
                }
            }
        }
        if number == 1.0 && outside.is_empty() {
            return (one, form.clone());
        }
        let factor = self.graph.monomial(outside.iter().copied());
        let factor = self.graph.scale(number, factor);
        let image = form.linear(&mut self.graph, &|graph, node| {
            if graph.is_zero(node) {
                return node;
            }
            let (_, rest) = graph.split_factor(node);
            let inverse = outside.iter().map(|&(base, halves)| (base, -halves));
            let parts: Vec<_> = std::iter::once((rest, 2)).chain(inverse).collect();
            graph.monomial(parts)
        });
        (factor, image)
    }

    /// The stage of a sum, and the indices of the row that is read here.
    fn stage(&mut self, form: &Form, domain: Domain) -> (usize, Vec<Expr>) {
        let rows = self.stage_rows(domain);
        let name = self.name_of(form);
        let (stage, indices) = self.stage_of(rows, form);
        (self.add_stage(Stage { name, ..stage }), indices)
    }

    /// The stage of a form in some rows, and the indices of the row that is read here.
    fn stage_of(&mut self, Rows { path, keys, items, indices }: Rows, form: &Form) -> (Stage, Vec<Expr>) {
        let form = self.reachable(&path, form);
        let (scan, moves, rate_of, frame, name, turn) = (None, false, None, 0, None, None);
        (Stage { path, keys, items, scan, form, moves, rate_of, frame, name, turn }, indices)
    }

    /// A row for each round of the loops on which a sum depends.
    fn stage_rows(&mut self, domain: Domain) -> Rows {
        let Domain { open, items } = domain;
        // Questions about an item come after its name.
        let asks = |place: &Place| self.asks_of_items(place.0, &items);
        let first = open.iter().find(|place| asks(place)).copied();
        let (before, behind): (Vec<Place>, Vec<Place>) =
            open.into_iter().partition(|place| first.is_none_or(|first| *place < first));
        let mut rows = Rows { path: Vec::new(), keys: Vec::new(), items: Vec::new(), indices: Vec::new() };
        before.into_iter().for_each(|place| self.add_open(place, &mut rows));
        items.into_iter().for_each(|place| self.add_item(place, &mut rows));
        behind.into_iter().for_each(|place| self.add_open(place, &mut rows));
        rows
    }

    /// Adds an open loop or choice around the rows.
    fn add_open(&mut self, place: Place, Rows { path, keys, indices, .. }: &mut Rows) {
        match self.open[place.0].clone() {
            Open::Loop { .. } => {
                let position = self.position(place);
                let Some(repeat) = self.loop_at(place) else { return };
                let key = counted(&repeat.pattern, &repeat.iterator)
                    .or(position.map(|name| syn::parse_quote!(#name)));
                keys.extend(key.clone());
                indices.extend(key);
                path.push(Step::Loop(Rc::new(repeat)));
            }
            Open::Answer(question, arm) => {
                let choice = Rc::new(Choice::new(self.choices, question));
                self.choices += 1;
                path.push(Step::Answer(choice, arm));
            }
        }
    }

    /// Adds the loop over the items, one of which a `let` names.
    fn add_item(&mut self, place: usize, Rows { path, keys, items: lets, indices }: &mut Rows) {
        let binding = self.variables.lets()[place].clone();
        let Some(Item { iterator, at, position, .. }) = binding.item else { return };
        lets.push(place);
        lets.extend(self.variables.aliases_of(place));
        let pattern = crate::parse::untyped(&binding.pattern).0.clone();
        let key = counted(&pattern, &iterator);
        let position = match (&key, position) {
            (Some(_), position) => position,
            (None, Some(position)) => Some(position),
            (None, None) => Some(self.fresh_position()),
        };
        keys.push(key.unwrap_or_else(|| syn::parse_quote!(#position)));
        indices.push(at);
        path.push(Step::Loop(Rc::new(Loop { pattern, iterator, position, near: None })));
    }

    /// The number of a new or a known stage.
    fn add_stage(&mut self, stage: Stage) -> usize {
        let places = self.places_of(&stage);
        let spelled = self.spelled(&stage, &places);
        let next = self.stages.len();
        let number = *self.stage_ids.entry(spelled).or_insert(next);
        if number == next {
            let stage = self.in_frame(stage, places);
            let moves = self.mentions(&stage.form, is_velocity);
            self.stages.push(Stage { moves, ..stage });
        } else if let Some(scan) = stage.scan {
            self.read_further(number, &scan.ranges);
        }
        number
    }

    /// The form without arms that the loops and answers around it exclude.
    fn reachable(&mut self, path: &[Step], form: &Form) -> Form {
        let mut facts: Vec<Fact> = path
            .iter()
            .filter_map(|step| match step {
                Step::Loop(repeat) => Some(repeat.round()),
                Step::Answer(choice, arm) => Some(choice.fact(*arm)),
                Step::Stiff => None,
            })
            .collect();
        form.reachable(&mut facts, &mut self.graph)
    }

    /// The name of the round of an open loop, if its items do not count themselves.
    fn position(&mut self, place: Place) -> Option<Ident> {
        let Loop { pattern, iterator, position, .. } = self.loop_at(place)?;
        if position.is_some() || counted(&pattern, &iterator).is_some() {
            return position;
        }
        let fresh = self.fresh_position();
        if let Open::Loop { position, .. } = &mut self.open[place.0] {
            *position = Some(fresh.clone());
        }
        Some(fresh)
    }

    fn fresh_position(&mut self) -> Ident {
        self.variables.fresh(&Ident::new("round", proc_macro2::Span::mixed_site()))
    }

    /// Remembers the name that the author gave to sums.
    pub(super) fn name_sums(&mut self, value: &Value, name: &Ident) {
        let mut sums = Vec::new();
        value.each_form(&mut |form| {
            if let Form::Leaf(leaf) = form {
                sums.extend(leaf.sums.iter().filter_map(|(scope, _)| match scope {
                    Scope::Loop(repeat) => Some(repeat.clone()),
                    Scope::Stiff | Scope::Apart => None,
                }));
            }
        });
        value.each_form(&mut |form| {
            if let Some(node) = form.plain()
                && let Node::Leaf(leaf) = *self.graph.node(node)
                && let Some(stage) = leaf.gather().and_then(|gather| self.gathers[gather].stage())
            {
                self.stages[stage].name.get_or_insert_with(|| name.clone());
            }
        });
        for repeat in sums {
            self.named_sums.entry(Rc::as_ptr(&repeat)).or_insert_with(|| name.clone());
            self.kept_loops.push(repeat);
        }
    }

    /// Gives a renamed sum the name of the original.
    pub(super) fn keep_name(&mut self, of: &Rc<Loop>, image: &Rc<Loop>) {
        if let Some(name) = self.named_sums.get(&Rc::as_ptr(of)).cloned() {
            self.named_sums.insert(Rc::as_ptr(image), name);
            self.kept_loops.push(image.clone());
        }
    }

    /// The name that the author gave to a sum.
    fn name_of(&self, form: &Form) -> Option<Ident> {
        form.loops().first().and_then(|repeat| self.named_sums.get(&Rc::as_ptr(repeat)).cloned())
    }

    /// True if an expression reads a collective.
    pub(super) fn reads_sum(&self, node: NodeId) -> bool {
        let stage = |leaf: Leaf| self.gathers[leaf.gather()?].stage();
        self.graph.mentions(node, |leaf| stage(leaf).is_some())
    }

    /// The number of a read.
    pub(super) fn gather(&mut self, source: Source, indices: Vec<Expr>) -> usize {
        let key = match source {
            Source::Declared(coordinate) => format!("{coordinate}:{}", quote::quote!(#([#indices])*)),
            Source::Stage(stage) => format!("stage {stage}:{}", quote::quote!(#([#indices])*)),
        };
        let next = self.gathers.len();
        let gather = *self.gather_ids.entry(key).or_insert(next);
        if gather == next {
            self.gathers.push(Gather { source, indices });
        }
        gather
    }
}

/// The variable of a loop that counts its rounds, as in `0..n`.
fn counted(pattern: &Pat, iterator: &Expr) -> Option<Expr> {
    let iterator = crate::parse::bare(iterator);
    let (Pat::Ident(name), Expr::Range(range)) = (pattern, iterator) else { return None };
    let start = range.start.as_deref()?;
    let is_zero = super::integer(start).is_some_and(|text| text == "0");
    let name = &name.ident;
    is_zero.then(|| syn::parse_quote!(#name))
}
