//! Patterns as written → patterns with their names bound; and literals.

use super::error::{Error, Result};
use super::integer::Kind;
use super::items::{Found, Items, segments};
use super::scope::Scope;
use super::tree::{Constant, Pattern};
use super::types::{Reader, named_constant};
use syn::{Expr, Lit, Pat, RangeLimits};

/// Resolves a pattern, and binds its names.
pub(crate) fn pattern(written: &Pat, scope: &mut Scope, reader: Reader<'_, '_>) -> Result<Pattern> {
    within(written, scope, reader, usize::MAX)
}

/// The same, where names since `first` keep their slots: another case of `a | b` binds them again.
fn within(written: &Pat, scope: &mut Scope, reader: Reader<'_, '_>, first: usize) -> Result<Pattern> {
    let at = |error: Error| error.at(Items::place(reader.around.file, written));
    let refused = || at(Error::refused("this pattern"));
    let inside = |inner: &Pat, scope: &mut Scope| within(inner, scope, reader, first);
    Ok(match written {
        Pat::Wild(_) => Pattern::Any,
        Pat::Ident(name) => {
            let word = name.ident.to_string();
            if name.subpat.is_none()
                && let Some(constant) = constant_of(std::slice::from_ref(&word), reader)
            {
                return Ok(Pattern::Constant(constant));
            }
            let inner = name.subpat.as_ref().map(|(_, inner)| inside(inner, scope)).transpose()?;
            let known = scope.bound_since(&word, first);
            let slot = known.unwrap_or_else(|| scope.bind(&word, name.mutability.is_some()));
            Pattern::Bind(slot, inner.map(Box::new))
        }
        Pat::Paren(inner) => inside(&inner.pat, scope)?,
        Pat::Reference(inner) => inside(&inner.pat, scope)?,
        Pat::Type(inner) => inside(&inner.pat, scope)?,
        Pat::Tuple(inner) => sequence(inner.elems.iter(), scope, &inside)?,
        Pat::Slice(inner) => sequence(inner.elems.iter(), scope, &inside)?,
        Pat::Or(inner) => {
            let begin = first.min(scope.begin());
            let cases = inner.cases.iter().enumerate();
            let case = |(k, case)| within(case, scope, reader, if k == 0 { first } else { begin });
            Pattern::Or(cases.map(case).collect::<Result<_, _>>()?)
        }
        Pat::Lit(literal) => Pattern::Constant(constant(&Expr::Lit(literal.clone()), reader).map_err(at)?),
        Pat::Range(range) => {
            let end = |end: &Option<Box<Expr>>| end.as_ref().map(|end| constant(end, reader)).transpose();
            let (start, end) = (end(&range.start).map_err(at)?, end(&range.end).map_err(at)?);
            Pattern::Between(start, end, matches!(range.limits, RangeLimits::Closed(_)))
        }
        Pat::Path(path) => Pattern::Constant(constant_of(&segments(&path.path), reader).ok_or_else(refused)?),
        Pat::TupleStruct(inner) => {
            let (data, variant) = variant(&inner.path, reader).ok_or_else(refused)?;
            let count = reader.program.variant(data, variant).map_or(0, |variant| variant.fields.len());
            let Pattern::Sequence(patterns, rest) = sequence(inner.elems.iter(), scope, &inside)? else {
                return Err(refused());
            };
            let found = patterns.len();
            if found > count || rest.is_none() && found != count {
                let told = format!("this pattern has {found} fields, but the variant has {count}");
                return Err(at(Error::new(told)));
            }
            let before = rest.unwrap_or(found);
            let number = |k: usize| if k < before { k } else { k + count - found } as u32;
            let fields = patterns.into_iter().enumerate().map(|(k, inner)| (number(k), inner));
            Pattern::Data(data, variant, fields.collect())
        }
        Pat::Struct(inner) => {
            let (data, variant) = variant(&inner.path, reader).ok_or_else(refused)?;
            let known = reader.program.variant(data, variant);
            let names = known.iter().flat_map(|known| &known.fields);
            let names: Vec<&str> = names.map(|field| reader.program.name(field.symbol)).collect();
            let mut fields = Vec::new();
            for field in &inner.fields {
                let name = word(&field.member);
                let position = names.iter().position(|known| *known == name);
                let position = position.ok_or_else(|| at(Error::new(format!("no field `{name}` here"))))?;
                fields.push((position as u32, inside(&field.pat, scope)?));
            }
            Pattern::Data(data, variant, fields)
        }
        _ => return Err(refused()),
    })
}

/// The name or the number of a field.
pub(crate) fn word(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => name.to_string(),
        syn::Member::Unnamed(number) => number.index.to_string(),
    }
}

fn sequence<'p>(
    list: impl Iterator<Item = &'p Pat>,
    scope: &mut Scope,
    inside: &dyn Fn(&Pat, &mut Scope) -> Result<Pattern>,
) -> Result<Pattern> {
    let (mut patterns, mut rest) = (Vec::new(), None);
    for inner in list {
        match inner {
            Pat::Rest(_) => rest = Some(patterns.len()),
            inner => patterns.push(inside(inner, scope)?),
        }
    }
    Ok(Pattern::Sequence(patterns, rest))
}

fn variant(path: &syn::Path, reader: Reader<'_, '_>) -> Option<(u32, u32)> {
    match reader.found(&segments(path))? {
        Found::Data(data) => Some((data, 0)),
        Found::Variant(data, variant) => Some((data, variant)),
        _ => None,
    }
}

/// The constant that a path is: a variant without fields, or a constant that is a literal.
fn constant_of(path: &[String], reader: Reader<'_, '_>) -> Option<Constant> {
    match reader.found(path)? {
        Found::Variant(data, variant) => Some(Constant::Data(data, variant, Vec::new())),
        Found::Global(global) => match reader.items.globals.get(global as usize)?.2 {
            Expr::Path(_) => None,
            written => constant(written, reader).ok(),
        },
        Found::Foreign(path) if path.len() > 1 => named_constant(&path),
        _ => None,
    }
}

/// A literal, perhaps with a sign, or a constant.
fn constant(written: &Expr, reader: Reader<'_, '_>) -> Result<Constant> {
    let refused = || Error::new("a pattern has literals and constants only");
    match written {
        Expr::Lit(written) => literal(&written.lit),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => match constant(&unary.expr, reader)? {
            Constant::Number(number) => Ok(Constant::Number(-number)),
            Constant::Integer(number, kind) => Ok(Constant::Integer(number.saturating_neg(), kind)),
            _ => Err(refused()),
        },
        Expr::Path(path) => constant_of(&segments(&path.path), reader).ok_or_else(refused),
        _ => Err(refused()),
    }
}

/// A literal.
pub(crate) fn literal(written: &Lit) -> Result<Constant> {
    let unknown = |error: syn::Error| Error::new(error.to_string());
    Ok(match written {
        Lit::Bool(truth) => Constant::Bool(truth.value),
        Lit::Char(sign) => Constant::Char(sign.value()),
        Lit::Str(text) => Constant::Text(text.value().into()),
        Lit::Float(number) if matches!(number.suffix(), "" | "f64") => {
            Constant::Number(number.base10_parse().map_err(unknown)?)
        }
        Lit::Int(number) if number.suffix() == "f64" => {
            Constant::Number(number.base10_parse().map_err(unknown)?)
        }
        Lit::Int(number) => {
            let of_suffix = Kind::named(number.suffix());
            let kind = if number.suffix().is_empty() { Some(Kind::Any) } else { of_suffix };
            let value = number.base10_digits().parse().ok();
            match kind.and_then(|kind| Some((kind.holds(value)?, kind))) {
                Some((value, kind)) => Constant::Integer(value, kind),
                None => return Err(Error::new("literal out of range for its type")),
            }
        }
        Lit::Byte(byte) => Constant::Integer(byte.value().into(), Kind::U8),
        _ => return Err(Error::refused("this literal")),
    })
}
