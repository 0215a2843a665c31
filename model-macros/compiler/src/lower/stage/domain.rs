//! The open loops and choices, and the items of arrays, on which a sum depends.

use super::super::form::{Form, Loop, Part};
use super::super::pairs::Near;
use super::super::question::Question;
use super::super::variables::Item;
use super::super::{Lowering, names};
use super::spelled::bound_by_form;
use crate::graph::{Leaf, NodeId};
use quote::ToTokens;
use std::collections::BTreeSet;
use std::rc::Rc;
use syn::{Expr, Ident, Pat};

/// A loop or a choice around the expression at hand.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there are as many as loops and choices are nested")]
pub(in crate::lower) enum Open {
    /// A loop, with its near pairs if it has them; its position gets a name when first asked for.
    Loop { pattern: Box<Pat>, iterator: Box<Expr>, position: Option<Ident>, near: Option<Rc<Near>> },
    /// An arm of a choice that the binding makes.
    Answer(Question, usize),
}

impl Open {
    pub(in crate::lower) fn of(repeat: &Loop) -> Self {
        let Loop { pattern, iterator, position, near } = repeat.clone();
        Self::Loop { pattern: Box::new(pattern), iterator: Box::new(iterator), position, near }
    }

    /// The end of near pairs with a name.
    fn end_of(&self, name: &str) -> Option<usize> {
        let Self::Loop { near: Some(near), .. } = self else { return None };
        let is_named = |end: &Expr| matches!(end, Expr::Path(path) if path.path.is_ident(name));
        near.ends.iter().position(is_named)
    }

    pub(super) fn bound(&self) -> Vec<Ident> {
        match self {
            Self::Loop { pattern, position, .. } => {
                names::bound_by(pattern).into_iter().chain(position.clone()).collect()
            }
            Self::Answer(question, arm) => question.bound_by(*arm),
        }
    }
}

/// A place among the open loops and choices; of near pairs with the end, if one end alone is mentioned:
/// the data of a point do not depend on the pair.
pub(super) type Place = (usize, Option<usize>);

/// The loops, choices and items that a sum mentions.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Domain {
    pub(super) open: BTreeSet<Place>,
    /// The `let`s that name items of arrays.
    pub(super) items: BTreeSet<usize>,
}

impl Domain {
    /// Adds a place, and returns it if new: both ends of near pairs are the pair.
    fn enter(&mut self, (at, end): Place) -> Option<Place> {
        if self.open.contains(&(at, None)) {
            return None;
        }
        let is_other = |known: &&Place| known.0 == at && known.1 != end;
        let other = self.open.iter().find(is_other).copied();
        let place = if let Some(other) = other {
            self.open.remove(&other);
            (at, None)
        } else {
            (at, end)
        };
        self.open.insert(place).then_some(place)
    }

    /// True if each round of the domain knows these places.
    fn covers(&self, places: &BTreeSet<Place>) -> bool {
        places.iter().all(|place| self.open.contains(place) || self.open.contains(&(place.0, None)))
    }
}

impl Lowering<'_> {
    /// The loop at a place.
    pub(super) fn loop_at(&self, (at, end): Place) -> Option<Loop> {
        let Open::Loop { pattern, iterator, position, near } = &self.open[at] else { return None };
        let (pattern, iterator) = match (end, near) {
            (Some(end), Some(near)) => {
                let (number, length) = (&near.ends[end], &near.list.points_of(end).length);
                let name = number.to_token_stream();
                (syn::parse_quote!(#name), syn::parse_quote!(0..#length))
            }
            _ => ((**pattern).clone(), (**iterator).clone()),
        };
        let position = position.clone().filter(|_| end.is_none());
        Some(Loop { pattern, iterator, position, near: None })
    }

    /// The expressions asked at a place before its names are bound.
    fn asked_of(&self, (at, end): Place) -> Vec<&Expr> {
        match &self.open[at] {
            Open::Loop { iterator, near, .. } => match (end, near) {
                (Some(end), Some(near)) => vec![&near.list.points_of(end).length],
                _ => vec![iterator],
            },
            Open::Answer(question, _) => question.asked(),
        }
    }

    /// The place of the neighbours of one point, if that point is mentioned beside them.
    fn pair_of_one(&self, domain: &Domain, found: &BTreeSet<String>) -> Option<Place> {
        domain.open.iter().copied().find(|&(at, end)| match &self.open[at] {
            Open::Loop { near: Some(near), .. } if near.of_one && end.is_some() => {
                names::any_free(&near.ends[0], |name| *name != "self" && found.contains(&name.to_string()))
            }
            _ => false,
        })
    }

    /// True if a sum differs for each near pair, whose number changes.
    pub(super) fn is_of_a_pair(&self, domain: &Domain) -> bool {
        let is_pair =
            |&(at, end): &Place| end.is_none() && matches!(&self.open[at], Open::Loop { near: Some(_), .. });
        domain.open.iter().any(is_pair)
    }

    /// True if a read of a node depends on the wanted variables, directly or through `let`s.
    pub(super) fn mentions_names(&self, node: NodeId, wanted: &BTreeSet<String>) -> bool {
        let mut found = BTreeSet::new();
        self.names_of_node(node, &mut found);
        self.reaches(found, wanted)
    }

    /// True if one of the names depends on the wanted variables, directly or through `let`s.
    fn reaches(&self, mut found: BTreeSet<String>, wanted: &BTreeSet<String>) -> bool {
        let mut reached = false;
        follow(&mut found, &mut |name| {
            reached |= wanted.contains(name);
            self.variables.binding_of(name).map(|(_, binding)| &binding.value).into_iter().collect()
        });
        reached
    }

    /// The free names of all reads of a node.
    fn names_of_node(&self, node: NodeId, found: &mut BTreeSet<String>) {
        for leaf in self.graph.leaves(&[node]) {
            match leaf {
                Leaf::Coefficient(id) | Leaf::End(id) => free_names(&self.coefficients[id], found),
                Leaf::Position { gather, .. } | Leaf::Velocity { gather, .. } => {
                    self.gathers[gather].indices.iter().for_each(|index| free_names(index, found));
                }
                _ => {}
            }
        }
    }

    /// The free names of all reads of a form, with the names that it binds.
    pub(super) fn names_of_form(&self, form: &Form, found: &mut BTreeSet<String>) {
        form.each_part(&mut |part| match part {
            Part::Node(node) => self.names_of_node(node, found),
            Part::Loop(repeat) => free_names(&repeat.iterator, found),
            Part::Choice(choice) => {
                choice.question.asked().into_iter().for_each(|asked| free_names(asked, found));
            }
            Part::Stiff => {}
        });
    }

    /// The open loops, and the items of arrays, on which a form depends.
    pub(super) fn domain(&self, form: &Form) -> Domain {
        let mut found = BTreeSet::new();
        self.names_of_form(form, &mut found);
        self.domain_of(found, &names_within(form))
    }

    /// [`Self::domain`] by the names that a form reads; it binds the `inner` ones itself.
    pub(super) fn domain_of(&self, mut found: BTreeSet<String>, inner: &BTreeSet<String>) -> Domain {
        let bound = self.bound_names();
        let mut domain = Domain::default();
        // The form names the items that it reads inside.
        let is_outside = |item: &&Item| {
            let mut index = BTreeSet::new();
            free_names(&item.at, &mut index);
            !self.reaches(index, inner)
        };
        loop {
            follow(&mut found, &mut |name| {
                if let Some(place) = bound.iter().position(|names| names.contains(name)) {
                    let new = domain.enter((place, self.open[place].end_of(name)));
                    return new.map(|place| self.asked_of(place)).unwrap_or_default();
                }
                let Some((place, binding)) = self.variables.binding_of(name) else { return Vec::new() };
                match binding.item.as_ref().filter(is_outside) {
                    Some(item) => {
                        domain.items.insert(item.of.unwrap_or(place));
                        vec![&item.iterator]
                    }
                    None => vec![&binding.value],
                }
            });
            // A pair has no numbers for a point and itself.
            let Some(place) = self.pair_of_one(&domain, &found) else { break };
            domain.open.remove(&place);
            domain.open.insert((place.0, None));
            self.asked_of((place.0, None)).into_iter().for_each(|asked| free_names(asked, &mut found));
        }
        self.leave_out_items_that_are_known(&mut domain, &bound);
        // Questions about the domain's loops or parameters guard the sum where it has no meaning.
        for (place, around) in self.open.iter().enumerate() {
            let Open::Answer(question, _) = around else { continue };
            if domain.open.contains(&(place, None)) {
                continue;
            }
            let mut asked = BTreeSet::new();
            question.asked().into_iter().for_each(|expression| free_names(expression, &mut asked));
            let needs = self.needs(asked, &bound);
            if domain.covers(&needs.0) && needs.1.is_subset(&domain.items) {
                domain.open.insert((place, None));
            }
        }
        domain
    }

    /// Leaves out items whose indices the rest of the domain gives: they are equal throughout each row.
    fn leave_out_items_that_are_known(&self, domain: &mut Domain, bound: &[BTreeSet<String>]) {
        for place in domain.items.clone().into_iter().rev() {
            let Some(item) = &self.variables.lets()[place].item else { continue };
            let mut index = BTreeSet::new();
            free_names(&item.at, &mut index);
            let (open, items) = self.needs(index, bound);
            let is_constant = open.is_empty() && items.is_empty();
            let is_known = domain.covers(&open) && items.is_subset(&domain.items);
            if is_known && !is_constant {
                domain.items.remove(&place);
            }
        }
    }

    /// True for an open choice whose question depends on one of these items.
    pub(super) fn asks_of_items(&self, place: usize, items: &BTreeSet<usize>) -> bool {
        let Open::Answer(question, _) = &self.open[place] else { return false };
        let mut asked = BTreeSet::new();
        question.asked().into_iter().for_each(|expression| free_names(expression, &mut asked));
        !self.needs(asked, &self.bound_names()).1.is_disjoint(items)
    }

    /// The open loops and choices, and the items of arrays, on which names depend.
    fn needs(
        &self,
        mut found: BTreeSet<String>,
        bound: &[BTreeSet<String>],
    ) -> (BTreeSet<Place>, BTreeSet<usize>) {
        let (mut places, mut items) = (BTreeSet::new(), BTreeSet::new());
        follow(&mut found, &mut |name| {
            if let Some(place) = bound.iter().position(|names| names.contains(name)) {
                places.insert((place, self.open[place].end_of(name)));
                return Vec::new();
            }
            let Some((place, binding)) = self.variables.binding_of(name) else { return Vec::new() };
            let Some(item) = &binding.item else { return vec![&binding.value] };
            items.insert(item.of.unwrap_or(place));
            Vec::new()
        });
        (places, items)
    }

    /// The names that each open loop and choice binds.
    fn bound_names(&self) -> Vec<BTreeSet<String>> {
        self.open.iter().map(|open| open.bound().iter().map(ToString::to_string).collect()).collect()
    }

    /// The open loops on which a form depends.
    pub(super) fn loops_of(&self, form: &Form) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        self.names_of_form(form, &mut found);
        let bound = self.bound_names();
        let mut places = BTreeSet::new();
        follow(&mut found, &mut |name| {
            let Some(place) = bound.iter().position(|names| names.contains(name)) else {
                let binding = self.variables.binding_of(name);
                return binding.map(|(_, binding)| &binding.value).into_iter().collect();
            };
            match &self.open[place] {
                Open::Answer(question, _) if places.insert(place) => question.asked(),
                _ => {
                    places.insert(place);
                    Vec::new()
                }
            }
        });
        places.retain(|place| matches!(self.open[*place], Open::Loop { .. }));
        places
    }
}

/// The names that a form binds.
pub(super) fn names_within(form: &Form) -> BTreeSet<String> {
    bound_by_form(form).iter().map(ToString::to_string).collect()
}

pub(super) fn free_names(expression: &Expr, found: &mut BTreeSet<String>) {
    names::any_free(expression, |name| {
        found.insert(name.to_string());
        false
    });
}

/// Visits names, and the free names of the expressions that `next` gives for each, once each.
fn follow<'e>(found: &mut BTreeSet<String>, next: &mut dyn FnMut(&str) -> Vec<&'e Expr>) {
    let mut open: Vec<String> = found.iter().cloned().collect();
    while let Some(name) = open.pop() {
        for expression in next(&name) {
            names::any_free(expression, |free| {
                if found.insert(free.to_string()) {
                    open.push(free.to_string());
                }
                false
            });
        }
    }
}
