//! Types as written → types as far as values depend on them.

use super::builtins::named_type;
use super::items::{Found, Items, segments};
use super::tree::{Program, Type, known};
use syn::{GenericArgument, PathArguments};

/// The deepest alias of an alias.
const DEEPEST: u32 = 32;

/// The place in which types are read.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a, 's> {
    pub(crate) items: &'a Items<'s>,
    pub(crate) program: &'a Program,
    pub(crate) module: usize,
    pub(crate) this: Option<u32>,
}

impl Around<'_, '_> {
    /// The type; `Unknown` for a type on which no value depends.
    pub(crate) fn read(self, written: &syn::Type) -> Type {
        self.within(written, 0)
    }

    fn within(self, written: &syn::Type, depth: u32) -> Type {
        if depth > DEEPEST {
            return Type::Unknown;
        }
        let read = |inner: &syn::Type| self.within(inner, depth + 1);
        match written {
            syn::Type::Reference(inner) => read(&inner.elem),
            syn::Type::Paren(inner) => read(&inner.elem),
            syn::Type::Group(inner) => read(&inner.elem),
            syn::Type::Slice(inner) => Type::List(Box::new(read(&inner.elem)), None),
            syn::Type::Array(inner) => Type::List(Box::new(read(&inner.elem)), self.length(&inner.len)),
            syn::Type::Tuple(inner) => Type::Tuple(inner.elems.iter().map(read).collect()),
            syn::Type::Path(path) if path.qself.is_none() => self.path(&path.path, depth),
            _ => Type::Unknown,
        }
    }

    /// The length of an array, if it is a literal or a constant that is one.
    fn length(self, written: &syn::Expr) -> Option<usize> {
        match written {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_parse().ok(),
            syn::Expr::Path(path) => {
                match self.items.find(self.program, self.module, &segments(&path.path), 0)? {
                    Found::Global(global) => match self.items.globals.get(global as usize)?.3 {
                        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => {
                            number.base10_parse().ok()
                        }
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn path(self, path: &syn::Path, depth: u32) -> Type {
        let words = segments(path);
        if let ([name], Some(this)) = (&words[..], self.this)
            && name == "Self"
        {
            return Type::Data(this, Vec::new());
        }
        let inner: Vec<Type> = match path.segments.last().map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(angles)) => {
                let types = angles.args.iter().filter_map(|argument| match argument {
                    GenericArgument::Type(inner) => Some(self.within(inner, depth + 1)),
                    _ => None,
                });
                types.collect()
            }
            _ => Vec::new(),
        };
        match self.items.find(self.program, self.module, &words, 0) {
            Some(Found::Data(data)) => Type::Data(data, inner),
            Some(Found::Alias(module, alias)) => Self { module, ..self }.within(alias, depth + 1),
            Some(Found::Foreign(path)) => foreign(&path, inner),
            _ => Type::Unknown,
        }
    }
}

fn foreign(path: &[String], mut inner: Vec<Type>) -> Type {
    let name = path.last().map_or("", |name| name);
    let first = inner.pop();
    match (name, first) {
        ("Vec" | "VecDeque" | "Array", first) => Type::List(Box::new(first.unwrap_or_default()), None),
        ("Box" | "Rc" | "Arc" | "Unit", Some(first)) => first,
        ("Option", first) => Type::Data(known::OPTION, first.into_iter().collect()),
        ("Result", first) => {
            // The type of the error is the last one.
            let value = inner.pop().or(first);
            Type::Data(known::RESULT, value.into_iter().collect())
        }
        (name, _) => named_type(name).unwrap_or_default(),
    }
}
