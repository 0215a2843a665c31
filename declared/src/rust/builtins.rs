//! The functions, constants and types of other crates that the interpreter has, by their paths.

use super::integer::Kind;
use super::number::constant;
use super::tree::{Builtin, Callee, Constant, Make, Type, known};

/// The type of a path without generic arguments; `None` if it is not known here.
pub(crate) fn named_type(name: &str) -> Option<Type> {
    Some(match name {
        "f64" | "Scalar" | "Angle" | "Time" | "Phase" | "Input" => Type::Number,
        "bool" => Type::Bool,
        "char" => Type::Char,
        "String" | "str" | "PathBuf" | "Path" => Type::Text,
        "Signal" => Type::Signal,
        "Option" => Type::Data(known::OPTION, Vec::new()),
        "Result" => Type::Data(known::RESULT, Vec::new()),
        "Ordering" => Type::Data(known::ORDERING, Vec::new()),
        "State" => Type::Data(known::STATE, Vec::new()),
        "Look" => Type::Data(known::LOOK, Vec::new()),
        "Cell" => Type::Data(known::CELL, Vec::new()),
        "Quaternion" | "UnitQuaternion" => Type::Data(known::QUATERNION, Vec::new()),
        _ => match (Kind::named(name), shape(name)) {
            (Some(kind), _) => Type::Integer(kind),
            (_, Some((rows, columns))) => Type::Matrix(rows, columns),
            _ => return None,
        },
    })
}

fn shape(name: &str) -> Option<(u8, u8)> {
    Some(match name {
        "Vector1" => (1, 1),
        "Vector2" | "Vec2" => (2, 1),
        "Vector3" | "Vec3" => (3, 1),
        "Vector4" => (4, 1),
        "Matrix2" => (2, 2),
        "Matrix3" | "Rotation3" | "Mat3" => (3, 3),
        "Matrix4" => (4, 4),
        _ => return None,
    })
}

/// The constant of a path of another crate.
pub(crate) fn named_constant(path: &[String]) -> Option<Constant> {
    let (last, before) = path.split_last()?;
    let of = before.last().map_or("", |of| of);
    if let Some(kind) = Kind::named(of) {
        let (least, most) = kind.range();
        return match last.as_str() {
            "MIN" => Some(Constant::Integer(least, kind)),
            "MAX" => Some(Constant::Integer(most, kind)),
            _ => None,
        };
    }
    match (of, last.as_str()) {
        ("consts" | "f64", name) => constant(name).map(Constant::Number),
        (_, "None") => Some(Constant::Variant(known::OPTION, known::NONE)),
        ("Ordering", "Less") => Some(Constant::Variant(known::ORDERING, 0)),
        ("Ordering", "Equal") => Some(Constant::Variant(known::ORDERING, 1)),
        ("Ordering", "Greater") => Some(Constant::Variant(known::ORDERING, 2)),
        _ => None,
    }
}

/// The function without arguments that gives the value of a path of another crate.
pub(crate) fn named_value(path: &[String]) -> Option<Callee> {
    let (last, before) = path.split_last()?;
    let of = before.last()?;
    match (last.as_str(), shape(of)) {
        ("ZERO", Some((rows, columns))) => Some(Callee::Make(Make::Zeros, rows, columns)),
        ("IDENTITY", Some((rows, columns))) => Some(Callee::Make(Make::Identity, rows, columns)),
        ("OPEN", None) if of == "Cell" => Some(Callee::Builtin(Builtin::Open)),
        _ => None,
    }
}

/// The function of a path of another crate.
pub(crate) fn named_function(path: &[String]) -> Option<Callee> {
    let (last, before) = path.split_last()?;
    let of = before.last().map_or("", |of| of);
    let name = last.as_str();
    match (of, name) {
        ("" | "Option", "Some") => return Some(Callee::Variant(known::OPTION, known::SOME)),
        ("" | "Result", "Ok") => return Some(Callee::Variant(known::RESULT, known::OK)),
        ("" | "Result", "Err") => return Some(Callee::Variant(known::RESULT, known::ERR)),
        _ => {}
    }
    if let Some(builtin) = builtin(of, name) {
        return Some(Callee::Builtin(builtin));
    }
    if let Some((rows, columns)) = shape(of)
        && let Some(make) = maker(name)
    {
        return Some(Callee::Make(make, rows, columns));
    }
    match name {
        "from" | "try_from" => named_type(of).map(|of| Callee::From(Box::new(of))),
        "default" => named_type(of).map(|of| Callee::Default(Box::new(of))),
        "zero" if of == "f64" => Some(Callee::Default(Box::new(Type::Number))),
        _ => None,
    }
}

fn maker(name: &str) -> Option<Make> {
    Some(match name {
        "new" => Make::New,
        "zeros" => Make::Zeros,
        "repeat" | "from_element" => Make::Repeat,
        "identity" => Make::Identity,
        "from_diagonal" => Make::Diagonal,
        "from_columns" => Make::Columns,
        "from_rows" => Make::Rows,
        "from_row_slice" => Make::RowSlice,
        "from_column_slice" | "from_iterator" => Make::ColumnSlice,
        "from_fn" => Make::FromFn,
        "x" | "x_axis" => Make::Axis(0),
        "y" | "y_axis" => Make::Axis(1),
        "z" | "z_axis" => Make::Axis(2),
        _ => return None,
    })
}

fn builtin(of: &str, name: &str) -> Option<Builtin> {
    Some(match (of, name) {
        ("Vec" | "VecDeque", "new" | "with_capacity" | "default") => Builtin::List,
        ("String", "new" | "with_capacity" | "default") => Builtin::Text,
        ("" | "iter", "once") => Builtin::Once,
        ("" | "iter", "repeat") => Builtin::Repeat,
        ("" | "iter", "empty") => Builtin::Empty,
        ("" | "iter", "from_fn") => Builtin::FromFn,
        ("" | "iter", "successors") => Builtin::Successors,
        ("" | "iter", "zip") => Builtin::Zip,
        ("" | "mem", "swap") => Builtin::Swap,
        ("" | "mem", "replace") => Builtin::Replace,
        ("" | "mem", "take") => Builtin::Take,
        ("State", "new") => Builtin::State,
        ("State", "at_rest") => Builtin::AtRest,
        ("State", "of_points") => Builtin::OfPoints,
        ("State", "points_at_rest") => Builtin::PointsAtRest,
        ("Look", "new" | "default") => Builtin::Look,
        ("Cell", "cubic") => Builtin::Cubic,
        ("Cell", "orthorhombic") => Builtin::Orthorhombic,
        ("Cell", "triclinic") => Builtin::Triclinic,
        ("Signal", "steady") => Builtin::Steady,
        ("Signal", "constant") => Builtin::Steps,
        ("Signal", "linear") => Builtin::Lines,
        ("Signal", "held") => Builtin::Held,
        ("Quaternion", "from_vector") => Builtin::Quaternion,
        ("UnitQuaternion", "from_quaternion" | "new_normalize") => Builtin::UnitQuaternion,
        ("Rotation3", "from_axis_angle") => Builtin::Rotation,
        ("Box" | "Rc" | "Arc" | "Some" | "Borrow", "new" | "borrow" | "clone") => Builtin::Same,
        ("Unit", "new_normalize") | ("" | "iter", "identity") => Builtin::Same,
        ("" | "expr" | "prelude", "sum") => Builtin::Sum,
        ("" | "expr" | "prelude", "each") => Builtin::Each,
        ("" | "expr" | "prelude", "pairs") => Builtin::Pairs,
        ("" | "expr" | "prelude", "vec2") => Builtin::Vector2,
        ("" | "expr" | "prelude", "vec3") => Builtin::Vector3,
        ("" | "expr" | "prelude", "mat3") => Builtin::Matrix3,
        ("" | "expr" | "prelude", "der") => Builtin::Rate,
        ("" | "expr" | "prelude", "stiff") => Builtin::Same,
        _ => return None,
    })
}

/// If a method of the interpreter changes its receiver.
pub(crate) fn changes(name: &str, arguments: usize) -> bool {
    match name {
        "push"
        | "pop"
        | "extend"
        | "extend_from_slice"
        | "insert"
        | "remove"
        | "swap_remove"
        | "clear"
        | "truncate"
        | "resize"
        | "append"
        | "reverse"
        | "swap"
        | "fill"
        | "sort"
        | "sort_unstable"
        | "sort_by"
        | "sort_unstable_by"
        | "sort_by_key"
        | "sort_unstable_by_key"
        | "retain"
        | "dedup"
        | "rotate_left"
        | "iter_mut"
        | "get_mut"
        | "first_mut"
        | "last_mut"
        | "push_str"
        | "next"
        | "by_ref"
        | "nth"
        | "next_back"
        | "replace"
        | "get_or_insert"
        | "get_or_insert_with"
        | "as_mut"
        | "copy_from_slice"
        | "drain"
        | "map_or_insert" => true,
        // Of an option; an iterator takes a number.
        "take" => arguments == 0,
        _ => false,
    }
}
