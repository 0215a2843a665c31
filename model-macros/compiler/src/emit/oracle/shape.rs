//! The shape of an expression of the declaration, as far as the re-emission needs to know.

use syn::Type;

/// The shape of an expression of coordinates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A scalar, an angle, the time.
    Scalar,
    /// A vector in the plane.
    Vec2,
    /// A vector in space.
    Vec3,
    /// A 3 × 3 matrix.
    Mat3,
    /// An array.
    Array(Box<Shape>),
    /// Near pairs of points, or the neighbours of one point.
    Near {
        /// The shape of a point.
        point: Box<Shape>,
        /// True for the neighbours of one point.
        of_one: bool,
    },
    /// A tuple, of which some parts have shapes.
    Tuple(Vec<Option<Shape>>),
    /// A coordinate-free number, `f64`: only as the type of a closure's parameter.
    Number,
    /// An index, `usize`: only as the type of a closure's parameter.
    Index,
}

impl Shape {
    /// The shape of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "Scalar" => Some(Self::Scalar),
            "Vec2" => Some(Self::Vec2),
            "Vec3" => Some(Self::Vec3),
            "Mat3" => Some(Self::Mat3),
            _ => None,
        }
    }

    /// The shape of a type of the language; `None` for a type of ordinary Rust.
    pub fn of_type(ty: &Type) -> Option<Self> {
        match ty {
            Type::Array(array) => Some(Self::Array(Box::new(Self::of_type(&array.elem)?))),
            Type::Paren(inner) => Self::of_type(&inner.elem),
            Type::Group(inner) => Self::of_type(&inner.elem),
            Type::Path(path) if path.qself.is_none() => Self::of_path(&path.path),
            _ => None,
        }
    }

    /// The shape of a path such as `Vec2` or `least_action::prelude::Vec2`.
    pub fn of_path(path: &syn::Path) -> Option<Self> {
        let last = path.segments.last()?;
        let foreign = path.segments.len() > 1 && path.segments[0].ident != "least_action";
        if !last.arguments.is_empty() || foreign {
            return None;
        }
        match last.ident.to_string().as_str() {
            "Angle" | "Time" | "Phase" | "Input" => Some(Self::Scalar),
            name => Self::of_name(name),
        }
    }
}

/// The shape of a constant such as `Vec2::ZERO`, and its name.
pub(super) fn constant(path: &syn::Path) -> Option<(Shape, &syn::Ident)> {
    let count = path.segments.len();
    if count < 2 {
        return None;
    }
    let owner = syn::Path {
        leading_colon: path.leading_colon,
        segments: path.segments.iter().take(count - 1).cloned().collect(),
    };
    Some((Shape::of_path(&owner)?, &path.segments[count - 1].ident))
}
