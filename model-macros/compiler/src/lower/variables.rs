//! The variables of passed-through Rust, and the `let`s that bind them.

use super::names;
use super::names::with_names;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use syn::{Expr, Ident, Pat};

/// A `let` of passed-through Rust, which the binding evaluates where it is needed.
#[derive(Debug, Clone)]
pub struct Let {
    /// The pattern, with names of its own, and its type if written.
    pub pattern: Pat,
    /// The value that the pattern is bound to.
    pub value: Expr,
    /// The names that it binds.
    pub names: Vec<Ident>,
    /// The item, if the variable is an item of an iterator.
    pub(super) item: Option<Item>,
}

/// An item of an iterator at an index.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The iterator.
    pub(super) iterator: Expr,
    /// The index.
    pub(super) at: Expr,
    /// The variable of the index, if there is one.
    pub(super) position: Option<Ident>,
    /// For the variable of an index, the place of the `let` of its item.
    pub(super) of: Option<usize>,
}

/// The values of the `let`s with earlier ones put in, found at the first question.
#[derive(Debug, Default)]
pub(super) struct Expanded(pub(super) OnceCell<Vec<Option<Expr>>>);

/// The Rust variables of a declaration: each has a name that no other has.
#[derive(Debug, Default)]
pub struct Variables {
    used: BTreeMap<String, usize>,
    /// The user's name of each renamed variable.
    written: BTreeMap<String, Ident>,
    lets: Vec<Let>,
    /// The place of the `let` of each name.
    places: BTreeMap<String, usize>,
    pub(super) expanded: Expanded,
}

impl Variables {
    /// A name like `name` that no other variable has.
    pub(super) fn fresh(&mut self, name: &Ident) -> Ident {
        let base = name.to_string();
        let count = self.used.entry(base.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return name.clone();
        }
        let mut text = format!("{}_{count}", base.trim_start_matches("r#"));
        while self.used.contains_key(&text) {
            text.push('_');
        }
        self.used.insert(text.clone(), 1);
        let written = self.written.get(&base).cloned().unwrap_or_else(|| name.clone());
        self.written.insert(text.clone(), written);
        Ident::new(&text, name.span())
    }

    /// The user's name of a variable.
    pub fn name_as_written<'n>(&'n self, name: &'n Ident) -> &'n Ident {
        self.written.get(&name.to_string()).unwrap_or(name)
    }

    /// Records a `let` whose pattern already has names of its own.
    pub fn push(&mut self, pattern: Pat, value: Expr) {
        match (pattern, value) {
            // `let (a, b) = (x, y)` is `let a = x; let b = y`: all names are different already.
            (Pat::Tuple(names), Expr::Tuple(values))
                if names.elems.len() == values.elems.len()
                    && names.elems.iter().all(|name| matches!(name, Pat::Ident(_))) =>
            {
                names.elems.into_iter().zip(values.elems).for_each(|(name, value)| self.push(name, value));
            }
            (pattern, value) => self.push_with(pattern, value, None),
        }
    }

    fn push_with(&mut self, pattern: Pat, value: Expr, item: Option<Item>) {
        let names = names::bound_by(&pattern);
        let place = self.lets.len();
        self.places.extend(names.iter().map(|name| (name.to_string(), place)));
        self.lets.push(Let { pattern, value, names, item });
    }

    /// Records a `let` for the item of an iterator at an index, and one for a named index.
    pub(super) fn push_item(&mut self, pattern: Pat, iterator: &Expr, at: &Expr, position: Option<&Ident>) {
        let value = syn::parse_quote!(::least_action::emitted::v1::nth(#iterator, #at)?);
        let item = Item { iterator: iterator.clone(), at: at.clone(), position: position.cloned(), of: None };
        let place = self.lets.len();
        self.push_with(pattern, value, Some(item.clone()));
        if let Some(position) = position {
            let of = Some(place);
            self.push_with(syn::parse_quote!(#position), at.clone(), Some(Item { of, ..item }));
        }
    }

    /// Records a `let` once more, under other names.
    pub(super) fn push_again(
        &mut self,
        place: usize,
        pattern: Pat,
        value: Expr,
        renamed: &BTreeMap<String, Ident>,
    ) {
        let item = self.lets[place].item.clone().map(|item| Item {
            iterator: with_names(renamed, &item.iterator),
            at: with_names(renamed, &item.at),
            position: item.position.map(|name| renamed.get(&name.to_string()).cloned().unwrap_or(name)),
            // The `let` of the item stands just before the `let` of its index.
            of: item.of.map(|_| self.lets.len().saturating_sub(1)),
        });
        self.push_with(pattern, value, item);
    }

    /// The `let` that binds a name, and its place.
    pub(super) fn binding_of(&self, name: &str) -> Option<(usize, &Let)> {
        let place = *self.places.get(name)?;
        Some((place, &self.lets[place]))
    }

    /// The place of the `let` that names the index of an item.
    pub(super) fn aliases_of(&self, place: usize) -> Option<usize> {
        let next = self.lets.get(place + 1)?;
        (next.item.as_ref()?.of == Some(place)).then_some(place + 1)
    }

    /// The `let`s, in the order of the declaration.
    pub fn lets(&self) -> &[Let] {
        &self.lets
    }

    /// The `let`s that `expressions` need, directly or through others, in order; `known` ones need none.
    pub fn needed(&self, expressions: &[&Expr], known: &BTreeSet<usize>) -> Vec<usize> {
        let mut open: Vec<Expr> = expressions.iter().map(|&e| e.clone()).collect();
        let mut needed = BTreeSet::new();
        while let Some(expression) = open.pop() {
            for (k, binding) in self.lets.iter().enumerate() {
                let is_new = !known.contains(&k) && !needed.contains(&k);
                if is_new && names::any_free(&expression, |name| binding.names.contains(name)) {
                    needed.insert(k);
                    open.push(binding.value.clone());
                }
            }
        }
        needed.into_iter().collect()
    }
}
