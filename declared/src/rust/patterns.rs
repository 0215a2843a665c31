//! Patterns → slots, variants and constants; and the values that match them.

use super::error::Error;
use super::items::{Found, segments};
use super::number::Numeric;
use super::scope::Scope;
use super::shared::Shared;
use super::tree::{Constant, Pattern, Program};
use super::types::Around;
use super::value::{Reference, Step, Value};
use std::cell::RefCell;
use syn::spanned::Spanned;
use syn::{Expr, Lit, Pat, RangeLimits};

/// A literal.
pub(crate) fn literal(written: &Lit) -> Result<Constant, Error> {
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
            let kind = super::integer::Kind::named(number.suffix());
            let kind = if number.suffix().is_empty() { Some(super::integer::Kind::Any) } else { kind };
            let value = number.base10_digits().parse().ok();
            match kind.and_then(|kind| Some((kind.holds(value)?, kind))) {
                Some((value, kind)) => Constant::Integer(value, kind),
                None => return Err(Error::new("literal out of range for its type")),
            }
        }
        Lit::Byte(byte) => Constant::Integer(byte.value().into(), super::integer::Kind::U8),
        _ => return Err(Error::refused("this literal")),
    })
}

/// Resolves a pattern, and binds its names.
pub(crate) fn resolve(
    pattern: &Pat,
    scope: &mut Scope,
    around: Around<'_, '_>,
) -> Result<Pattern, syn::Error> {
    let all = |list: &mut dyn Iterator<Item = &Pat>, scope: &mut Scope| {
        list.map(|inner| resolve(inner, scope, around)).collect::<Result<Vec<_>, _>>()
    };
    let refused = |what: &str| syn::Error::new(pattern.span(), Error::refused(what).to_string());
    Ok(match pattern {
        Pat::Wild(_) => Pattern::Any,
        Pat::Ident(name) => {
            let word = name.ident.to_string();
            if name.subpat.is_none()
                && let Some(constant) = constant_of(std::slice::from_ref(&word), around)
            {
                return Ok(constant);
            }
            let inner = name.subpat.as_ref().map(|(_, inner)| resolve(inner, scope, around)).transpose()?;
            Pattern::Bind(scope.bind(&word, name.mutability.is_some()), inner.map(Box::new))
        }
        Pat::Paren(inner) => resolve(&inner.pat, scope, around)?,
        Pat::Reference(inner) => resolve(&inner.pat, scope, around)?,
        Pat::Type(inner) => resolve(&inner.pat, scope, around)?,
        Pat::Tuple(inner) => sequence(inner.elems.iter(), scope, around)?,
        Pat::Slice(inner) => sequence(inner.elems.iter(), scope, around)?,
        Pat::Or(inner) => {
            let begin = scope.begin();
            let mut cases = inner.cases.iter();
            let first = cases.next().map(|first| resolve(first, scope, around)).transpose()?;
            let mut patterns: Vec<Pattern> = first.into_iter().collect();
            for case in cases {
                let own = scope.begin();
                let mut next = resolve(case, scope, around)?;
                rename(&mut next, own, begin, scope);
                scope.end(own);
                patterns.push(next);
            }
            Pattern::Or(patterns)
        }
        Pat::Lit(literal) => Pattern::Constant(constant(&Expr::Lit(literal.clone()), around)?),
        Pat::Const(_) | Pat::Macro(_) | Pat::Verbatim(_) | Pat::Rest(_) => {
            return Err(refused("this pattern"));
        }
        Pat::Range(range) => {
            let end = |end: &Option<Box<Expr>>| end.as_ref().map(|end| constant(end, around)).transpose();
            Pattern::Between(
                end(&range.start)?,
                end(&range.end)?,
                matches!(range.limits, RangeLimits::Closed(_)),
            )
        }
        Pat::Path(path) => match constant_of(&segments(&path.path), around) {
            Some(pattern) => pattern,
            None => return Err(refused("this path in a pattern")),
        },
        Pat::TupleStruct(inner) => {
            let (data, variant) =
                variant(&inner.path, around).ok_or_else(|| refused("this path in a pattern"))?;
            let count = around.program.variant(data, variant).map_or(0, |variant| variant.fields.len());
            let before = inner.elems.iter().position(|inner| matches!(inner, Pat::Rest(_)));
            let patterns =
                all(&mut inner.elems.iter().filter(|inner| !matches!(inner, Pat::Rest(_))), scope)?;
            let left_out = count.saturating_sub(patterns.len());
            let number =
                |k: usize| if before.is_some_and(|before| k >= before) { k + left_out } else { k } as u32;
            if before.is_none() && patterns.len() != count {
                return Err(syn::Error::new(
                    pattern.span(),
                    format!("this pattern has {} fields, but the variant has {count}", patterns.len()),
                ));
            }
            Pattern::Data(
                data,
                variant,
                patterns.into_iter().enumerate().map(|(k, inner)| (number(k), inner)).collect(),
            )
        }
        Pat::Struct(inner) => {
            let (data, variant) =
                variant(&inner.path, around).ok_or_else(|| refused("this path in a pattern"))?;
            let mut fields = Vec::new();
            for field in &inner.fields {
                let name = word(&field.member);
                let known =
                    around.program.variant(data, variant).into_iter().flat_map(|variant| &variant.fields);
                let at = known.map(|field| around.program.name(field.symbol)).position(|known| known == name);
                let at =
                    at.ok_or_else(|| syn::Error::new(field.pat.span(), format!("no field `{name}` here")))?;
                fields.push((at as u32, resolve(&field.pat, scope, around)?));
            }
            Pattern::Data(data, variant, fields)
        }
        _ => return Err(refused("this pattern")),
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
    around: Around<'_, '_>,
) -> Result<Pattern, syn::Error> {
    let (mut patterns, mut rest) = (Vec::new(), None);
    for inner in list {
        match inner {
            Pat::Rest(_) => rest = Some((patterns.len(), None)),
            Pat::Ident(name)
                if name.subpat.as_ref().is_some_and(|(_, inner)| matches!(**inner, Pat::Rest(_))) =>
            {
                rest = Some((
                    patterns.len(),
                    Some(scope.bind(&name.ident.to_string(), name.mutability.is_some())),
                ));
            }
            inner => patterns.push(resolve(inner, scope, around)?),
        }
    }
    Ok(Pattern::Sequence(patterns, rest))
}

/// Gives the names of a case of `a | b` the slots that they have in the first case.
fn rename(pattern: &mut Pattern, own: usize, begin: usize, scope: &Scope) {
    match pattern {
        Pattern::Bind(slot, inner) => {
            if let Some(first) = scope.same_name(*slot, own, begin) {
                *slot = first;
            }
            if let Some(inner) = inner {
                rename(inner, own, begin, scope);
            }
        }
        Pattern::Sequence(list, _) | Pattern::Or(list) => {
            list.iter_mut().for_each(|inner| rename(inner, own, begin, scope));
        }
        Pattern::Data(_, _, fields) => {
            fields.iter_mut().for_each(|(_, inner)| rename(inner, own, begin, scope));
        }
        _ => {}
    }
}

fn variant(path: &syn::Path, around: Around<'_, '_>) -> Option<(u32, u32)> {
    use super::builtins::named_function;
    use super::tree::Callee;
    let words = segments(path);
    if let (Some(this), Some(first)) = (around.this, words.first())
        && first == "Self"
    {
        return match words.get(1) {
            None => Some((this, 0)),
            Some(name) => match around.items.associated(around.program, this, name)? {
                Found::Variant(data, variant) => Some((data, variant)),
                _ => None,
            },
        };
    }
    match around.items.find(around.program, around.module, &words, 0)? {
        Found::Data(data) => Some((data, 0)),
        Found::Variant(data, variant) => Some((data, variant)),
        Found::Foreign(path) => match (named_function(&path), path.last().map(String::as_str)) {
            (Some(Callee::Variant(data, variant)), _) => Some((data, variant)),
            (_, Some("State")) => Some((super::tree::known::STATE, 0)),
            _ => None,
        },
        _ => None,
    }
}

/// The pattern of a path that is a constant or a variant without fields; `None` for a new name.
fn constant_of(path: &[String], around: Around<'_, '_>) -> Option<Pattern> {
    if let ([this, name], Some(data)) = (path, around.this)
        && this == "Self"
    {
        return match around.items.associated(around.program, data, name)? {
            Found::Variant(data, variant) => Some(Pattern::Constant(Constant::Variant(data, variant))),
            _ => None,
        };
    }
    match around.items.find(around.program, around.module, path, 0)? {
        Found::Variant(data, variant) => Some(Pattern::Constant(Constant::Variant(data, variant))),
        Found::Global(global) => {
            let value = around.items.globals.get(global as usize)?.3;
            constant(value, around).ok().map(Pattern::Constant)
        }
        Found::Foreign(path) if path.len() > 1 || path[0] == "None" => {
            super::builtins::named_constant(&path).map(Pattern::Constant)
        }
        _ => None,
    }
}

/// A literal, perhaps with a sign, or a constant.
fn constant(written: &Expr, around: Around<'_, '_>) -> Result<Constant, syn::Error> {
    let refused = || syn::Error::new(written.span(), "a pattern has literals and constants only");
    match written {
        Expr::Lit(written) => {
            literal(&written.lit).map_err(|error| syn::Error::new(written.span(), error.to_string()))
        }
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => match constant(&unary.expr, around)? {
            Constant::Number(number) => Ok(Constant::Number(-number)),
            Constant::Integer(number, kind) => Ok(Constant::Integer(number.saturating_neg(), kind)),
            _ => Err(refused()),
        },
        Expr::Path(path) => match constant_of(&segments(&path.path), around) {
            Some(Pattern::Constant(constant)) => Ok(constant),
            _ => Err(refused()),
        },
        _ => Err(refused()),
    }
}

/// Where the values of names go.
pub(crate) struct Slots<'a, N: Numeric> {
    pub(crate) values: &'a mut [Value<N>],
    pub(crate) shared: &'a [bool],
}

impl<N: Numeric> Slots<'_, N> {
    pub(crate) fn set(&mut self, slot: u32, value: Value<N>) {
        let is_shared = self.shared.get(slot as usize).copied().unwrap_or_default();
        if let Some(own) = self.values.get_mut(slot as usize) {
            *own = if is_shared { Value::Variable(Shared::new(RefCell::new(value))) } else { value };
        }
    }
}

/// Binds the names of a pattern, if the value matches it.
pub(crate) fn matches<N: Numeric>(
    pattern: &Pattern,
    value: Value<N>,
    slots: &mut Slots<'_, N>,
    program: &Program,
) -> Result<bool, Error> {
    match pattern {
        Pattern::Any => Ok(true),
        Pattern::Bind(slot, inner) => {
            if let Some(inner) = inner
                && !matches(inner, value.clone(), slots, program)?
            {
                return Ok(false);
            }
            slots.set(*slot, value);
            Ok(true)
        }
        Pattern::Or(patterns) => {
            for inner in patterns {
                if matches(inner, value.clone(), slots, program)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => {
            // The parts of a lent value are lent.
            let lent = if let Value::Reference(lent) = &value { Some(lent.clone()) } else { None };
            let value = super::places::loaded(value, program)?;
            let part = |k: usize, part: &Value<N>| match &lent {
                Some(lent) => {
                    let steps = lent.steps.iter().cloned().chain([Step::At(k)]).collect();
                    Value::Reference(Shared::new(Reference { root: lent.root.clone(), steps }))
                }
                None => part.clone(),
            };
            match (pattern, &value) {
                (Pattern::Constant(constant), value) => {
                    super::operators::equal(&Value::of(constant), value, program)
                }
                (Pattern::Between(start, end, inclusive), value) => {
                    let order = |end: &Option<Constant>| {
                        end.as_ref()
                            .map(|end| super::operators::order(value, &Value::of(end), program))
                            .transpose()
                    };
                    let (low, high) = (order(start)?.flatten(), order(end)?.flatten());
                    let fits = end.is_none()
                        || high.is_some_and(|high| if *inclusive { high.is_le() } else { high.is_lt() });
                    Ok(fits && (start.is_none() || low.is_some_and(std::cmp::Ordering::is_ge)))
                }
                (Pattern::Sequence(patterns, rest), Value::List(list) | Value::Tuple(list)) => {
                    let (count, left) = (patterns.len(), list.len().checked_sub(patterns.len()));
                    let Some(left) = left.filter(|left| rest.is_some() || *left == 0) else {
                        return Ok(false);
                    };
                    let before = rest.map_or(count, |(before, _)| before);
                    for (k, inner) in patterns.iter().enumerate() {
                        let at = if k < before { k } else { k + left };
                        if !matches(inner, part(at, &list[at]), slots, program)? {
                            return Ok(false);
                        }
                    }
                    if let Some((before, Some(slot))) = rest {
                        slots.set(*slot, Value::list(list[*before..*before + left].to_vec()));
                    }
                    Ok(true)
                }
                (Pattern::Sequence(patterns, _), Value::Unit) => Ok(patterns.is_empty()),
                (Pattern::Data(data, variant, fields), Value::Data(own)) if own.data == *data => {
                    if own.variant != *variant {
                        return Ok(false);
                    }
                    for (at, inner) in fields {
                        let field = own.fields.as_ref().and_then(|fields| fields.get(*at as usize));
                        let Some(field) = field else { return Ok(false) };
                        if !matches(inner, part(*at as usize, field), slots, program)? {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                }
                (_, value) => Err(value.mismatch("the type of the pattern", program)),
            }
        }
    }
}
