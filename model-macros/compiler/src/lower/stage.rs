//! Functions of sums: each sum under an operation that is not linear becomes a *collective*, a number of its own that is evaluated
//! before what reads it.
//!
//! The collectives stand behind the coordinates in the vector that elements read, so that a read of one is a leaf like any other.
//! A *stage* is an array of them: a sum, and the loops and answers that it has to stand under. Those are the loops around the place where
//! it is read whose variables it mentions, and the items of an array `each(…)[k]` that it mentions; a sum that mentions none of
//! them is one number, whatever loops stand around it. Equal sums are one stage.

use super::environment::Item;
use super::form::facts::Fact;
use super::form::{Choice, Form, Leaf as FormLeaf, Loop, Question, Scope};
use super::rename::{bound_by_condition, with_names};
use super::{Gather, Lowering, Source, names};
use crate::error::Obstacle;
use crate::graph::{Graph, Leaf, Node, NodeId, is_velocity};
use crate::limits::Size;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::{Expr, Ident, Pat};

/// A loop of unknown length counts as so many rounds where the cost of a product is weighed.
const ROUNDS: usize = 32;

/// The operations that a collective costs besides those of its sum: it is written, read, and has a weight.
const OF_A_ROW: usize = 8;

/// Products that cost so much more than their factors are still multiplied out.
const LITTLE: usize = 20;

/// Products of choices with more terms than this are not multiplied out.
const MOST_PRODUCTS: usize = 100;

/// Nor are products in which more operations than this would be copied into further terms.
const MOST_COPIED: usize = 256;

/// An array of sums that are evaluated before what reads them.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// The loops and choices around a row.
    pub(crate) path: Vec<super::form::Step>,
    /// The rounds of the loops, which tell the rows apart.
    pub(crate) keys: Vec<Expr>,
    /// The `let`s that name items of arrays, over which the stage loops itself.
    pub(crate) items: Vec<usize>,
    /// The sum.
    pub(crate) form: Form,
    /// True if it depends on velocities.
    pub(crate) moves: bool,
    /// The name that its author gave it.
    pub(crate) name: Option<Ident>,
}

impl Stage {
    /// The name of stage `number` in texts.
    pub(crate) fn text(&self, number: usize) -> String {
        self.name.as_ref().map_or_else(|| format!("sum_{number}"), |name| name.unraw().to_string())
    }
}

/// A loop or a choice around the expression at hand.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there are as many as loops and choices are nested")]
pub(super) enum Open {
    /// A loop; its position is named when it is first asked for.
    Loop { pattern: Box<Pat>, iterator: Box<Expr>, position: Option<Ident> },
    /// An arm of a choice that is made at binding.
    Answer(Question, usize),
}

impl Open {
    fn bound(&self) -> Vec<Ident> {
        match self {
            Self::Loop { pattern, position, .. } => {
                names::bound_by(pattern).into_iter().chain(position.clone()).collect()
            }
            Self::Answer(Question::If(condition), 0) => bound_by_condition(condition),
            Self::Answer(Question::If(_), _) => Vec::new(),
            Self::Answer(Question::Match(_, patterns), arm) => {
                patterns.get(*arm).map(names::bound_by).unwrap_or_default()
            }
        }
    }
}

/// The loops, choices and items that a sum mentions.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Domain {
    /// The places among the open loops and choices.
    open: BTreeSet<usize>,
    /// The `let`s that name items of arrays.
    items: BTreeSet<usize>,
}

impl Lowering<'_> {
    /// Opens a loop or a choice around what `inside` lowers; gives back the name of the round, if it was asked for.
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

    /// An operation that is not linear, of forms whose sums become collectives where they are in its way.
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

    /// The same of one form.
    pub(super) fn nonlinear(
        &mut self,
        form: &Form,
        operation: &dyn Fn(&mut Graph, NodeId) -> NodeId,
    ) -> Result<Form, Obstacle> {
        self.nonlinear_of(&[form], &|graph, nodes| operation(graph, nodes[0]))
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

    /// Forms without sums, the choices of which do not come out in too many ways together.
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

    /// The form with collectives in the place of its sums.
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
                    let zero = self.graph.zero();
                    let alone =
                        Form::Leaf(FormLeaf { node: zero, sums: vec![(scope.clone(), body.clone())] });
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

    /// A form as a collective, times what stands before all of it.
    fn collective(&mut self, form: &Form) -> Result<NodeId, Obstacle> {
        if form.is_stiff() {
            return Err(Obstacle::Stiff);
        }
        if form.is_zero(&self.graph) {
            return Ok(self.graph.zero());
        }
        if self.moves(form) {
            return Err(Obstacle::Sum);
        }
        let (factor, form) = self.factored(form);
        let (stage, indices) = self.stage(&form);
        let gather = self.gather(Source::Stage(stage), indices);
        let leaf = if self.stages[stage].moves {
            Leaf::Velocity { gather, component: 0 }
        } else {
            Leaf::Position { gather, component: 0 }
        };
        let read = self.graph.leaf(leaf);
        Ok(self.graph.multiply(factor, read))
    }

    /// A form as a factor that does not depend on its loops, and the rest.
    fn factored(&mut self, form: &Form) -> (NodeId, Form) {
        let one = self.graph.constant(1.0);
        let (terms, mut choices) = (form.terms(&self.graph), Vec::new());
        form.choices(&mut choices);
        let [term] = &terms[..] else { return (one, form.clone()) };
        let (number, rest) = self.graph.split_factor(term.node);
        let mut outside = vec![];
        if let (Node::Product(factors), true) = (self.graph.node(rest).clone(), choices.is_empty()) {
            let mut inner = BTreeSet::new();
            let mut loops = Vec::new();
            form.loops(&mut loops);
            inner.extend(loops.iter().flat_map(|repeat| repeat.bound()).map(|name| name.to_string()));
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

    /// True if what a node reads depends on variables of these names, directly or through `let`s.
    fn mentions_names(&self, node: NodeId, wanted: &BTreeSet<String>) -> bool {
        let mut found = BTreeSet::new();
        self.names_of_node(node, &mut found);
        let mut open: Vec<String> = found.iter().cloned().collect();
        while let Some(name) = open.pop() {
            if wanted.contains(&name) {
                return true;
            }
            if let Some((_, binding)) = self.variables.binding_of(&name) {
                names::any_free(&binding.value, |free| {
                    if found.insert(free.to_string()) {
                        open.push(free.to_string());
                    }
                    false
                });
            }
        }
        false
    }

    /// The free names of all that a node reads.
    fn names_of_node(&self, node: NodeId, found: &mut BTreeSet<String>) {
        for leaf in self.graph.leaves(&[node]) {
            match leaf {
                Leaf::Coefficient(id) | Leaf::End(id) => free_names(&self.coefficients[id], found),
                Leaf::Position { gather, .. } | Leaf::Velocity { gather, .. } => {
                    self.gathers[gather].indices.iter().for_each(|index| free_names(index, found));
                }
                Leaf::Direction { .. }
                | Leaf::Time
                | Leaf::Phase
                | Leaf::Signal { .. }
                | Leaf::Internal(_) => {}
            }
        }
    }

    /// The free names of all that a form reads; those that it binds are among them.
    fn names_of_form(&self, form: &Form, found: &mut BTreeSet<String>) {
        match form {
            Form::Leaf(leaf) => {
                self.names_of_node(leaf.node, found);
                for (scope, body) in &leaf.sums {
                    if let Scope::Loop(repeat) = scope {
                        free_names(&repeat.iterator, found);
                    }
                    self.names_of_form(body, found);
                }
            }
            Form::Branch(choice, arms) => {
                choice.question.asked().into_iter().for_each(|asked| free_names(asked, found));
                arms.iter().for_each(|arm| self.names_of_form(arm, found));
            }
        }
    }

    /// The open loops, and the items of arrays, on which a form depends.
    fn domain(&self, form: &Form) -> Domain {
        let mut found = BTreeSet::new();
        self.names_of_form(form, &mut found);
        self.domain_of(found)
    }

    fn domain_of(&self, mut found: BTreeSet<String>) -> Domain {
        let bound: Vec<BTreeSet<String>> =
            self.open.iter().map(|open| open.bound().iter().map(ToString::to_string).collect()).collect();
        let mut domain = Domain::default();
        let mut open: Vec<String> = found.iter().cloned().collect();
        while let Some(name) = open.pop() {
            let mut add = |expression: &Expr| {
                names::any_free(expression, |free| {
                    if found.insert(free.to_string()) {
                        open.push(free.to_string());
                    }
                    false
                });
            };
            if let Some(place) = bound.iter().position(|names| names.contains(&name)) {
                if domain.open.insert(place) {
                    match &self.open[place] {
                        Open::Loop { iterator, .. } => add(iterator),
                        Open::Answer(question, _) => question.asked().into_iter().for_each(&mut add),
                    }
                }
            } else if let Some((place, binding)) = self.variables.binding_of(&name) {
                match &binding.item {
                    Some(item) => {
                        domain.items.insert(item.of.unwrap_or(place));
                        add(&item.iterator);
                    }
                    None => add(&binding.value),
                }
            }
        }
        // What is asked of the loops of the domain alone, or of parameters, keeps the sum from being evaluated where it has no meaning.
        for (place, around) in self.open.iter().enumerate() {
            let Open::Answer(question, _) = around else { continue };
            if domain.open.contains(&place) {
                continue;
            }
            let mut asked = BTreeSet::new();
            question.asked().into_iter().for_each(|expression| free_names(expression, &mut asked));
            let needs = self.needs(asked, &bound);
            let is_known = needs.0.iter().all(|need| domain.open.contains(need));
            if is_known && needs.1.is_subset(&domain.items) {
                domain.open.insert(place);
            }
        }
        domain
    }

    /// The open loops and choices, and the items of arrays, on which names depend.
    fn needs(
        &self,
        mut found: BTreeSet<String>,
        bound: &[BTreeSet<String>],
    ) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let (mut places, mut items) = (BTreeSet::new(), BTreeSet::new());
        let mut open: Vec<String> = found.iter().cloned().collect();
        while let Some(name) = open.pop() {
            if let Some(place) = bound.iter().position(|names| names.contains(&name)) {
                places.insert(place);
            } else if let Some((place, binding)) = self.variables.binding_of(&name) {
                if let Some(item) = &binding.item {
                    items.insert(item.of.unwrap_or(place));
                } else {
                    names::any_free(&binding.value, |free| {
                        if found.insert(free.to_string()) {
                            open.push(free.to_string());
                        }
                        false
                    });
                }
            }
        }
        (places, items)
    }

    /// The stage of a sum, and the expressions that say which of its rows is read here.
    fn stage(&mut self, form: &Form) -> (usize, Vec<Expr>) {
        let Domain { open, items } = self.domain(form);
        let (mut path, mut keys, mut indices) = (Vec::new(), Vec::new(), Vec::new());
        for place in open {
            match self.open[place].clone() {
                Open::Loop { pattern, iterator, .. } => {
                    let (pattern, iterator) = (*pattern, *iterator);
                    let position = self.position(place);
                    let key = counted(&pattern, &iterator)
                        .or(position.as_ref().map(|name| syn::parse_quote!(#name)));
                    keys.extend(key.clone());
                    indices.extend(key);
                    path.push(super::form::Step::Loop(Rc::new(Loop {
                        pattern,
                        iterator,
                        position,
                        near: None,
                    })));
                }
                Open::Answer(question, arm) => {
                    let choice = Rc::new(Choice::new(self.choices, question));
                    self.choices += 1;
                    path.push(super::form::Step::Answer(choice, arm));
                }
            }
        }
        let mut lets = Vec::new();
        for place in items {
            let binding = self.variables.lets()[place].clone();
            let Some(Item { iterator, at, position, .. }) = binding.item else { continue };
            lets.push(place);
            lets.extend(self.variables.aliases_of(place));
            let pattern = match binding.pattern {
                Pat::Type(typed) => *typed.pat,
                pattern => pattern,
            };
            let key = counted(&pattern, &iterator);
            let position = match (&key, position) {
                (Some(_), position) => position,
                (None, Some(position)) => Some(position),
                (None, None) => Some(self.fresh_position()),
            };
            keys.push(key.unwrap_or_else(|| syn::parse_quote!(#position)));
            indices.push(at);
            path.push(super::form::Step::Loop(Rc::new(Loop { pattern, iterator, position, near: None })));
        }
        let spelled = self.spelled(&path, &keys, form);
        if let Some(&known) = self.stage_ids.get(&spelled) {
            return (known, indices);
        }
        let form = &self.reachable(&path, form);
        let moves = form.terms(&self.graph).iter().any(|term| self.graph.mentions(term.node, is_velocity));
        let stage = self.stages.len();
        let name = self.name_of(form);
        self.stages.push(Stage { path, keys, items: lets, form: form.clone(), moves, name });
        self.stage_ids.insert(spelled, stage);
        (stage, indices)
    }

    /// The form without what is not reached under the loops and answers around it.
    fn reachable(&mut self, path: &[super::form::Step], form: &Form) -> Form {
        let mut facts: Vec<Fact> = path
            .iter()
            .filter_map(|step| match step {
                super::form::Step::Loop(repeat) => Some(Fact::of_round(repeat)),
                super::form::Step::Answer(choice, arm) => Some(choice.fact(*arm)),
                super::form::Step::Stiff => None,
            })
            .collect();
        form.reachable(&mut facts, &mut self.graph)
    }

    /// The name of the round of an open loop, where its items do not count themselves.
    fn position(&mut self, place: usize) -> Option<Ident> {
        let Open::Loop { pattern, iterator, position } = &self.open[place] else { return None };
        if position.is_some() || counted(pattern, iterator).is_some() {
            return position.clone();
        }
        let fresh = self.fresh_position();
        if let Open::Loop { position, .. } = &mut self.open[place] {
            *position = Some(fresh.clone());
        }
        Some(fresh)
    }

    fn fresh_position(&mut self) -> Ident {
        self.variables.fresh(&Ident::new("round", proc_macro2::Span::mixed_site()))
    }

    /// Remembers the name that the author gives to sums.
    pub(super) fn name_sums(&mut self, value: &super::Value, name: &Ident) {
        let mut sums = Vec::new();
        value.each_form(&mut |form| {
            if let Form::Leaf(leaf) = form {
                sums.extend(leaf.sums.iter().filter_map(|(scope, _)| match scope {
                    Scope::Loop(repeat) => Some(repeat.clone()),
                    Scope::Stiff | Scope::Apart => None,
                }));
            }
        });
        for repeat in sums {
            self.named_sums.entry(Rc::as_ptr(&repeat)).or_insert_with(|| name.clone());
            self.kept_loops.push(repeat);
        }
    }

    /// Gives a sum under new variables the name of the sum that it was.
    pub(super) fn keep_name(&mut self, of: &Rc<Loop>, image: &Rc<Loop>) {
        if let Some(name) = self.named_sums.get(&Rc::as_ptr(of)).cloned() {
            self.named_sums.insert(Rc::as_ptr(image), name);
            self.kept_loops.push(image.clone());
        }
    }

    /// The name that the author gave to a sum.
    fn name_of(&self, form: &Form) -> Option<Ident> {
        let mut loops = Vec::new();
        form.loops(&mut loops);
        loops.first().and_then(|repeat| self.named_sums.get(&Rc::as_ptr(repeat)).cloned())
    }

    /// A stage as text, in which bound variables have the names of their places: equal texts are equal stages.
    fn spelled(&mut self, path: &[super::form::Step], keys: &[Expr], form: &Form) -> String {
        let mut renamed = BTreeMap::new();
        let bind = |renamed: &mut BTreeMap<String, Ident>, name: &Ident| {
            let canonical =
                Ident::new(&format!("__bound_{}", renamed.len()), proc_macro2::Span::mixed_site());
            renamed.entry(name.to_string()).or_insert(canonical);
        };
        for step in path {
            step.bound().iter().for_each(|name| bind(&mut renamed, name));
        }
        bind_form(form, &mut |name| bind(&mut renamed, name));
        // What a `let` makes of them is told by its value.
        for binding in self.variables.lets().to_vec() {
            let depends = names::any_free(&binding.value, |name| renamed.contains_key(&name.to_string()));
            if !depends || binding.names.iter().any(|name| renamed.contains_key(&name.to_string())) {
                continue;
            }
            let value = with_names(&renamed, &binding.value).to_token_stream().to_string();
            let mut pattern = binding.pattern.clone();
            let mut place = 0;
            names::rename_bound(&mut pattern, &mut |name| {
                *name = Ident::new(&format!("__part_{place}"), name.span());
                place += 1;
            });
            let key = format!("{} = {value}", pattern.to_token_stream());
            let next = self.let_ids.len();
            let number = *self.let_ids.entry(key).or_insert(next);
            for (k, name) in binding.names.iter().enumerate() {
                renamed.insert(name.to_string(), Ident::new(&format!("__let_{number}_{k}"), name.span()));
            }
        }
        let mut text = String::new();
        for step in path {
            let _ = match step {
                super::form::Step::Loop(repeat) => {
                    write!(text, "for {} ", with_names(&renamed, &repeat.iterator).to_token_stream())
                }
                super::form::Step::Answer(choice, arm) => {
                    write!(text, "if {}={arm} ", spelled_question(&renamed, &choice.question))
                }
                super::form::Step::Stiff => Ok(()),
            };
        }
        for key in keys {
            let _ = write!(text, "[{}]", with_names(&renamed, key).to_token_stream());
        }
        self.spell_form(form, &renamed, &mut text);
        text
    }

    fn spell_form(&mut self, form: &Form, renamed: &BTreeMap<String, Ident>, text: &mut String) {
        match form {
            Form::Leaf(leaf) => {
                let node = self.renamed_node(leaf.node, renamed);
                let _ = write!(text, "{}", node.index());
                for (scope, body) in &leaf.sums {
                    let _ = match scope {
                        Scope::Loop(repeat) => {
                            write!(text, "+sum {}(", with_names(renamed, &repeat.iterator).to_token_stream())
                        }
                        Scope::Stiff => write!(text, "+stiff("),
                        Scope::Apart => write!(text, "+("),
                    };
                    self.spell_form(body, renamed, text);
                    text.push(')');
                }
            }
            Form::Branch(choice, arms) => {
                let _ = write!(text, "?{}(", spelled_question(renamed, &choice.question));
                for arm in arms {
                    self.spell_form(arm, renamed, text);
                    text.push(',');
                }
                text.push(')');
            }
        }
    }

    /// a · b, where sums are multiplied out only if that costs little more than to evaluate each by itself; a sum that meets itself
    /// gets new variables.
    pub(super) fn multiply(&mut self, a: &Form, b: &Form) -> Form {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        a.loops(&mut left);
        b.loops(&mut right);
        let images = match (left.is_empty(), right.is_empty()) {
            (false, false) if !self.multiplies_out(a, b) => self.all_without_sums(&[a, b]).ok(),
            (false, true) => self.hoisted(a, b).map(|a| vec![a, b.clone()]),
            (true, false) => self.hoisted(b, a).map(|b| vec![a.clone(), b]),
            (true, true) if !self.multiplies_out && self.products(a, b) > MOST_PRODUCTS => {
                self.all_collective(&[a, b])
            }
            _ => None,
        };
        let images = images.or_else(|| self.copied_once(a, b));
        if let Some([a, b]) = images.as_deref() {
            return a.multiply(b, &mut self.graph);
        }
        if left.iter().any(|one| right.iter().any(|other| Rc::ptr_eq(one, other))) {
            let b = self.refresh(b, &right);
            return a.multiply(&b, &mut self.graph);
        }
        a.multiply(b, &mut self.graph)
    }

    /// The factors of a product, with a collective in the place of one whose terms would be multiplied by copies of a large other one.
    fn copied_once(&mut self, a: &Form, b: &Form) -> Option<Vec<Form>> {
        if self.multiplies_out {
            return None;
        }
        let is_copied = [(a, b), (b, a)].map(|(form, other)| {
            let copies = form.size(&self.graph).0.saturating_sub(1);
            copies > 0 && copies * self.operations(other) > MOST_COPIED
        });
        if is_copied == [false, false] {
            return None;
        }
        let mut images = Vec::new();
        for (form, is_copied) in [a, b].into_iter().zip(is_copied) {
            images.extend(if is_copied { self.all_collective(&[form])? } else { vec![form.clone()] });
        }
        Some(images)
    }

    /// The operations of all terms of a form, each once.
    fn operations(&self, form: &Form) -> usize {
        form.terms(&self.graph).iter().map(|term| Size::of(&self.graph, term.node).operations).sum()
    }

    /// The number of terms of a product of choices.
    fn products(&self, a: &Form, b: &Form) -> usize {
        let [a, b] = [a, b].map(|form| form.size(&self.graph).0);
        if a > 1 && b > 1 { a * b } else { 0 }
    }

    fn all_collective(&mut self, forms: &[&Form]) -> Option<Vec<Form>> {
        if forms.iter().any(|form| form.is_stiff() || self.moves(form)) {
            return None;
        }
        forms.iter().map(|form| self.collective(form).ok().map(Form::of)).collect()
    }

    /// True if a form reads velocities.
    fn moves(&self, form: &Form) -> bool {
        form.terms(&self.graph).iter().any(|term| self.graph.mentions(term.node, is_velocity))
    }

    /// True if it costs little more to multiply out a product of sums than to evaluate its factors.
    fn multiplies_out(&self, a: &Form, b: &Form) -> bool {
        if self.multiplies_out || a.is_stiff() || b.is_stiff() {
            return true;
        }
        let (left, right) = (self.costs(a), self.costs(b));
        if self.moves(a) || self.moves(b) {
            return true;
        }
        if left.literal.zip(right.literal).is_none() {
            return false;
        }
        let mut out = 0;
        for &(count, operations) in &left.terms {
            for &(other, more) in &right.terms {
                out += count * other * (operations + more + 1);
            }
        }
        let single =
            |costs: &Costs| costs.terms.iter().map(|(count, operations)| count * operations).sum::<usize>();
        out <= single(&left) + single(&right) + 2 * OF_A_ROW + LITTLE
    }

    /// True if the powers of a form are products of sums, rather than a power of their values.
    pub(super) fn is_product_of_sums(&mut self, form: &Form) -> bool {
        Form::nonlinear_of(&[form], &mut self.graph, &|_, nodes| nodes[0]).is_err()
            && self.multiplies_out(form, form)
    }

    fn costs(&self, form: &Form) -> Costs {
        let mut costs = Costs { terms: Vec::new(), literal: Some(()) };
        for term in form.terms(&self.graph) {
            let mut count = 1;
            for step in &term.path {
                if let super::form::Step::Loop(repeat) = step {
                    if let Some(rounds) = repeat.count() {
                        count *= rounds;
                    } else {
                        count *= ROUNDS;
                        costs.literal = None;
                    }
                }
            }
            costs.terms.push((count, Size::of(&self.graph, term.node).operations.max(1)));
        }
        costs
    }

    /// Sums with collectives in the place of those that do not depend on an open loop on which a `factor` depends: with the factor
    /// inside, such a sum would be evaluated in each round. `None` where there is nothing of the kind.
    fn hoisted(&mut self, sums: &Form, factor: &Form) -> Option<Form> {
        if self.multiplies_out
            || !self.open.iter().any(|open| matches!(open, Open::Loop { .. }))
            || self.moves(sums)
            || self.moves(factor)
        {
            return None;
        }
        let of_factor = self.loops_of(factor);
        if of_factor.is_empty() {
            return None;
        }
        self.hoisted_from(sums, &of_factor)
    }

    /// The open loops on which a form depends.
    fn loops_of(&self, form: &Form) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        self.names_of_form(form, &mut found);
        let bound: Vec<BTreeSet<String>> =
            self.open.iter().map(|open| open.bound().iter().map(ToString::to_string).collect()).collect();
        let mut places = BTreeSet::new();
        let mut open: Vec<String> = found.iter().cloned().collect();
        while let Some(name) = open.pop() {
            let mut add = |expression: &Expr| {
                names::any_free(expression, |free| {
                    if found.insert(free.to_string()) {
                        open.push(free.to_string());
                    }
                    false
                });
            };
            if let Some(place) = bound.iter().position(|names| names.contains(&name)) {
                if places.insert(place)
                    && let Open::Answer(question, _) = &self.open[place]
                {
                    question.asked().into_iter().for_each(&mut add);
                }
            } else if let Some((_, binding)) = self.variables.binding_of(&name) {
                add(&binding.value);
            }
        }
        places.retain(|place| matches!(self.open[*place], Open::Loop { .. }));
        places
    }

    /// The form with collectives in the place of the sums that do not depend on all of these open loops.
    fn hoisted_from(&mut self, form: &Form, loops: &BTreeSet<usize>) -> Option<Form> {
        match form {
            Form::Branch(choice, arms) => {
                let mut images = Vec::new();
                let mut any = false;
                for (k, arm) in arms.iter().enumerate() {
                    let open = Open::Answer(choice.question.clone(), k);
                    let image = self.within(open, |lowering| lowering.hoisted_from(arm, loops)).1;
                    any |= image.is_some();
                    images.push(image.unwrap_or_else(|| arm.clone()));
                }
                any.then(|| Form::Branch(choice.clone(), images))
            }
            Form::Leaf(leaf) => {
                let (mut stay, mut go) = (Vec::new(), Vec::new());
                for (scope, body) in &leaf.sums {
                    let zero = self.graph.zero();
                    let alone =
                        Form::Leaf(FormLeaf { node: zero, sums: vec![(scope.clone(), body.clone())] });
                    let is_loop = matches!(scope, Scope::Loop(_)) && !alone.is_stiff();
                    if is_loop && self.is_worth_hoisting(&alone, loops) {
                        go.push((scope.clone(), body.clone()));
                    } else {
                        stay.push((scope.clone(), body.clone()));
                    }
                }
                if go.is_empty() {
                    return None;
                }
                let zero = self.graph.zero();
                let image = self.without_sums(&Form::Leaf(FormLeaf { node: zero, sums: go })).ok()?;
                let node = self.graph.add(leaf.node, image.plain()?);
                Some(Form::Leaf(FormLeaf { node, sums: stay }))
            }
        }
    }

    fn is_worth_hoisting(&self, sum: &Form, loops: &BTreeSet<usize>) -> bool {
        let own = self.loops_of(sum);
        let mut rounds = 1_usize;
        for &place in loops.difference(&own) {
            if let Open::Loop { pattern, iterator, .. } = &self.open[place] {
                let (pattern, iterator) = ((**pattern).clone(), (**iterator).clone());
                let repeat = Loop { pattern, iterator, position: None, near: None };
                rounds = rounds.saturating_mul(repeat.count().unwrap_or(ROUNDS));
            }
        }
        let single: usize = self.costs(sum).terms.iter().map(|(count, operations)| count * operations).sum();
        rounds > 1 && rounds.saturating_mul(single) > rounds + single + OF_A_ROW + LITTLE
    }

    /// What is under a loop that is about to be closed, with collectives in the place of sums that do not depend on it.
    pub(super) fn hoisted_out(&mut self, form: &Form) -> Option<Form> {
        let innermost = self.open.len().checked_sub(1)?;
        if self.multiplies_out || self.moves(form) {
            return None;
        }
        self.hoisted_from(form, &BTreeSet::from([innermost]))
    }

    /// True if collectives stand beside velocities in the Lagrangian, or in what depends on velocities.
    pub(super) fn sums_meet_velocities(&mut self, lagrangian: &Form, beside: &[&Form]) -> bool {
        if self.stages.is_empty() {
            return false;
        }
        let is_sum = |gathers: &[Gather], leaf| matches!(leaf, Leaf::Position { gather, .. } if gathers[gather].coordinate().is_none());
        let mut found = self.has_rates_of_sums;
        for term in lagrangian.terms(&self.graph) {
            for part in self.graph.addends(term.node) {
                found |= self.graph.mentions(part, is_velocity)
                    && self.graph.mentions(part, |leaf| is_sum(&self.gathers, leaf));
            }
        }
        let mut terms = beside.iter().flat_map(|form| form.terms(&self.graph));
        found || terms.any(|term| self.graph.mentions(term.node, |leaf| is_sum(&self.gathers, leaf)))
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

/// What the terms of a form cost.
struct Costs {
    /// For each term, how often and with how many operations it is evaluated.
    terms: Vec<(usize, usize)>,
    /// There, if the declaration says how often.
    literal: Option<()>,
}

/// The variable of a loop that counts its rounds: that of `0..n`.
fn counted(pattern: &Pat, iterator: &Expr) -> Option<Expr> {
    let mut iterator = iterator;
    while let Expr::Paren(inner) = iterator {
        iterator = &inner.expr;
    }
    let (Pat::Ident(name), Expr::Range(range)) = (pattern, iterator) else { return None };
    let start = range.start.as_deref()?;
    let is_zero = super::integer(start).is_some_and(|text| text == "0");
    let name = &name.ident;
    is_zero.then(|| syn::parse_quote!(#name))
}

fn free_names(expression: &Expr, found: &mut BTreeSet<String>) {
    names::any_free(expression, |name| {
        found.insert(name.to_string());
        false
    });
}

/// Visits the names that a form binds, in its order.
fn bind_form(form: &Form, bind: &mut dyn FnMut(&Ident)) {
    match form {
        Form::Leaf(leaf) => {
            for (scope, body) in &leaf.sums {
                if let Scope::Loop(repeat) = scope {
                    repeat.bound().iter().for_each(&mut *bind);
                }
                bind_form(body, bind);
            }
        }
        Form::Branch(choice, arms) => {
            choice.question.bound().iter().for_each(&mut *bind);
            arms.iter().for_each(|arm| bind_form(arm, bind));
        }
    }
}

fn spelled_question(renamed: &BTreeMap<String, Ident>, question: &Question) -> String {
    question.renamed(renamed).spelled()
}
