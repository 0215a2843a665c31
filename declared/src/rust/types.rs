//! Types as written → types as far as values depend on them.

use super::integer::Kind;
use super::items::{Around, Found, Items, segments};
use super::number::constant;
use super::tree::{Constant, Program, Type, known};
use syn::{Expr, GenericArgument, Lit, PathArguments};

/// The deepest alias of an alias.
const DEEPEST: u32 = 32;

/// The type of a name of another crate; `None` if no value depends on it.
pub(crate) fn named(name: &str) -> Option<Type> {
    Some(match name {
        "f64" | "Scalar" | "Angle" | "Time" | "Phase" | "Input" => Type::Number,
        "bool" => Type::Bool,
        "String" | "str" | "PathBuf" | "Path" => Type::Text,
        "Signal" => Type::Signal,
        "Vec" | "VecDeque" | "Array" => Type::List(Box::default(), None),
        "Option" => Type::Data(known::OPTION, Vec::new()),
        "Result" => Type::Data(known::RESULT, Vec::new()),
        "Ordering" => Type::Data(known::ORDERING, Vec::new()),
        "State" => Type::Data(known::STATE, Vec::new()),
        "Look" => Type::Data(known::LOOK, Vec::new()),
        "Cell" => Type::Data(known::CELL, Vec::new()),
        "Quaternion" | "UnitQuaternion" => Type::Data(known::QUATERNION, Vec::new()),
        "Vector1" => Type::Matrix(1, 1),
        "Vector2" | "Vec2" => Type::Matrix(2, 1),
        "Vector3" | "Vec3" => Type::Matrix(3, 1),
        "Vector4" => Type::Matrix(4, 1),
        "Matrix2" => Type::Matrix(2, 2),
        "Matrix3" | "Rotation3" | "Mat3" => Type::Matrix(3, 3),
        "Matrix4" => Type::Matrix(4, 4),
        _ => Type::Integer(Kind::named(name)?),
    })
}

/// The constant of a path of another crate.
pub(crate) fn named_constant(path: &[String]) -> Option<Constant> {
    let (last, before) = path.split_last()?;
    let of = before.last().map_or("", |of| of);
    match (Kind::named(of), last.as_str()) {
        (Some(kind), "MIN") => Some(Constant::Integer(kind.range().0, kind)),
        (Some(kind), "MAX") => Some(Constant::Integer(kind.range().1, kind)),
        (None, name) if matches!(of, "consts" | "f64") => constant(name).map(Constant::Number),
        _ => None,
    }
}

/// Reads types that stand somewhere.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a, 's> {
    pub(crate) items: &'a Items<'s>,
    pub(crate) program: &'a Program,
    pub(crate) around: Around,
}

impl<'s> Reader<'_, 's> {
    /// The item that a path names; what other crates have may stand in the prelude.
    pub(crate) fn found(self, words: &[String]) -> Option<Found<'s>> {
        match self.items.find(self.program, self.around, words) {
            Some(Found::Foreign(path)) => Some(self.of_prelude(&path).unwrap_or(Found::Foreign(path))),
            found => found,
        }
    }

    fn of_prelude(self, path: &[String]) -> Option<Found<'s>> {
        let (name, before) = path.split_last()?;
        match name.as_str() {
            "None" => return Some(Found::Variant(known::OPTION, known::NONE)),
            "Some" => return Some(Found::Variant(known::OPTION, known::SOME)),
            "Ok" => return Some(Found::Variant(known::RESULT, known::OK)),
            "Err" => return Some(Found::Variant(known::RESULT, known::ERR)),
            _ => {}
        }
        let of = before.last().map_or("", |of| of);
        let of = if let Some(Type::Matrix(..)) = named(of) { "Matrix" } else { of };
        let qualified = self.items.of_prelude(self.program, &[of, name]);
        // `mem::swap` and `system::State` stand there without their modules.
        let is_module = of.chars().next().is_none_or(char::is_lowercase);
        qualified.or_else(|| is_module.then(|| self.items.of_prelude(self.program, &[name])).flatten())
    }

    /// The type; `Unknown` for a type on which no value depends.
    pub(crate) fn read(self, written: &syn::Type) -> Type {
        self.within(written, DEEPEST)
    }

    fn within(self, written: &syn::Type, depth: u32) -> Type {
        let Some(depth) = depth.checked_sub(1) else { return Type::Unknown };
        let read = |inner: &syn::Type| self.within(inner, depth);
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
    fn length(self, written: &Expr) -> Option<usize> {
        match written {
            Expr::Lit(syn::ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
            Expr::Path(path) => {
                let found = self.items.find(self.program, self.around, &segments(&path.path))?;
                let Found::Global(global) = found else { return None };
                match self.items.globals.get(global as usize)?.2 {
                    Expr::Path(_) => None,
                    literal => self.length(literal),
                }
            }
            _ => None,
        }
    }

    fn path(self, path: &syn::Path, depth: u32) -> Type {
        let inner: Vec<Type> = match path.segments.last().map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(angles)) => {
                let types = angles.args.iter().filter_map(|argument| match argument {
                    GenericArgument::Type(inner) => Some(self.within(inner, depth)),
                    _ => None,
                });
                types.collect()
            }
            _ => Vec::new(),
        };
        match self.items.find(self.program, self.around, &segments(path)) {
            Some(Found::Data(data)) => Type::Data(data, inner),
            Some(Found::Alias(file, alias)) => {
                Self { around: Around { file, this: None }, ..self }.within(alias, depth)
            }
            Some(Found::Foreign(path)) => match (path.last().map_or("", |last| last), inner.first()) {
                ("Box" | "Rc" | "Arc" | "Unit", Some(first)) => first.clone(),
                (name, first) => match (named(name).unwrap_or_default(), first) {
                    (Type::List(..), Some(first)) => Type::List(Box::new(first.clone()), None),
                    (Type::Data(data, _), _) => Type::Data(data, inner),
                    (other, _) => other,
                },
            },
            _ => Type::Unknown,
        }
    }
}
