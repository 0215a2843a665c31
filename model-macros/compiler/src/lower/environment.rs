//! The meanings of names.

use super::names;
use super::value::Value;
use super::variables::Variables;
use std::collections::BTreeMap;
use std::rc::Rc;
use syn::{ExprClosure, Ident, Pat};

/// The meaning of a name.
#[derive(Debug, Clone)]
pub(super) enum Binding {
    /// A variable of passed-through Rust, by its new name.
    Rust(Ident),
    /// A value of the language.
    Value(Value),
    /// A closure, inlined where it is called with coordinates; a Rust variable too if it captures none.
    Closure {
        /// The closure.
        closure: Rc<ExprClosure>,
        /// The names that its body sees.
        environment: Rc<Environment>,
        /// The Rust variable.
        rust: Option<Ident>,
    },
    /// A coordinate of the model that this method does not take, or another name out of reach.
    Unknown,
}

/// The names in scope; inner ones hide outer ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment {
    names: BTreeMap<String, Rc<Binding>>,
}

impl Environment {
    pub(super) fn bind(&mut self, name: &Ident, binding: Binding) {
        self.names.insert(name.to_string(), Rc::new(binding));
    }

    pub(super) fn get(&self, name: &Ident) -> Option<&Binding> {
        self.names.get(&name.to_string()).map(|binding| &**binding)
    }

    /// Gives the names of a pattern new ones, and binds them as Rust variables.
    pub(super) fn bind_pattern(&mut self, pattern: &Pat, variables: &mut Variables) -> Pat {
        let mut pattern = pattern.clone();
        // The cases of `A(k) | B(k)` bind one name.
        let mut known: BTreeMap<Ident, Ident> = BTreeMap::new();
        names::rename_bound(&mut pattern, &mut |name| {
            let fresh = known.entry(name.clone()).or_insert_with(|| variables.fresh(name)).clone();
            self.bind(name, Binding::Rust(fresh.clone()));
            *name = fresh;
        });
        pattern
    }

    /// The names of closures.
    pub(super) fn closures(&self) -> impl Iterator<Item = &str> {
        self.names
            .iter()
            .filter(|(_, binding)| matches!(***binding, Binding::Closure { .. }))
            .map(|(name, _)| name.as_str())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }
}
