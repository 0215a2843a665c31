//! The known word that is meant by a misspelt one, or by a word of another language.

use strsim::osa_distance;

/// The candidate with the fewest insertions, deletions, replacements and swaps of neighbours from
/// `name`: at most one for three letters.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Words of other languages and libraries: of what they are said, the words, and what to write here.
///
/// `{x}` is the number or vector that a method belongs to, or the first argument of a function; `{n}`
/// are the other arguments.
#[rustfmt::skip]
const ELSEWHERE: [(&str, &str, &str); 23] = [
    ("Vec2 Vec3", "dot inner scalar_product", "`{x}.dot({n})`"),
    ("Vec2 Vec3", "cross", "`{x}.cross({n})`"),
    ("Scalar Vec2 Vec3 Mat3 function", "der dot diff derivative ddt d_dt dt velocity", "`der({x})` for the derivative in time"),
    ("Scalar function", "pow power", "`{x}.powi({n})`, or `powf` for an exponent that is no integer"),
    ("Scalar", "square squared sqr sq abs2", "`{x}.powi(2)`"),
    ("Scalar", "cube cubed", "`{x}.powi(3)`"),
    ("Scalar", "sgn sign", "`{x}.signum()`"),
    ("Scalar", "tg", "`{x}.tan()`"),
    ("Scalar", "cot", "`{x}.tan().recip()`"),
    ("Scalar", "sec", "`{x}.cos().recip()`"),
    ("Scalar", "csc cosec", "`{x}.sin().recip()`"),
    ("Vec2 Vec3", "norm abs length len mag magnitude modulus", "`{x}.norm()`"),
    ("Vec2 Vec3", "powi pow square squared sqr sq norm2 norm_sq length_squared magnitude_squared", "`{x}.norm_squared()` for the square of its length"),
    ("Vec2 Vec3", "normalized unit hat", "`{x}.normalize()`"),
    ("Mat3", "t T transposed", "`{x}.transpose()`"),
    ("Mat3", "det", "`{x}.determinant()`"),
    ("type", "f64 f32", "`Scalar` for a number that moves, `Angle` for an angle; a parameter is a field of `self`"),
    ("type", "Vector2 Point2 DVec2 Complex", "`Vec2`"),
    ("type", "Vector3 Point3 DVec3", "`Vec3`"),
    ("type", "Matrix3 Rotation3 DMat3", "`Mat3`"),
    ("type", "Vec", "an array with its length, such as `[Scalar; self.bodies]`"),
    ("coordinate", "t time", "`{x}: Time` for the time"),
    ("value", "pi Pi", "`std::f64::consts::PI`"),
];

/// What to write for a word of another language, said of something of this kind.
pub(crate) fn elsewhere(kind: &str, word: &str, x: &str, rest: &str) -> Option<String> {
    let is_meant = |all: &str, one: &str| all.split(' ').any(|known| known == one);
    let (.., form) =
        ELSEWHERE.iter().find(|(kinds, words, _)| is_meant(kinds, kind) && is_meant(words, word))?;
    Some(format!("write {}", form.replace("{x}", x).replace("{n}", rest)))
}
