//! Torques: the `Vec3` of a `#[force]` on a `Mat3` becomes the force on its nine entries.
//!
//! A body that turns at the rate ω, in the axes of the room, has ṙ = [ω]× r, and ½ [τ]× r does the work
//! Σ ½ ([τ]× r)ᵢⱼ ([ω]× r)ᵢⱼ = ½ tr([τ]×ᵀ [ω]×) = τ·ω: τ is the torque in the axes of the room.

use crate::error::{self, Errors};
use crate::parse::arguments;
use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr, Ident, ImplItem, ImplItemFn, ItemImpl, Meta, ReturnType, Type, parse_quote};

/// Writes the forces of all torques.
pub(crate) fn as_forces(item: &mut ItemImpl, errors: &mut Errors) {
    let coordinates: Vec<(Ident, Type)> = item.items.iter().find_map(coordinates).unwrap_or_default();
    for item in &mut item.items {
        if let ImplItem::Fn(method) = item
            && let Some((name, ty)) = turned(method, &coordinates, errors)
        {
            write(method, &name, &ty);
        }
    }
}

/// The arguments of the Lagrangian.
fn coordinates(item: &ImplItem) -> Option<Vec<(Ident, Type)>> {
    match item {
        ImplItem::Fn(method) if method.sig.ident == "lagrangian" => {
            Some(arguments(method).map(|(name, ty)| (name.clone(), ty.clone())).collect())
        }
        _ => None,
    }
}

/// The matrix on which a method gives a torque: the named one, or the only one if no coordinate has the
/// type of the torque. A method that reads the matrix and no such coordinate has to say on which it
/// acts.
fn turned(method: &ImplItemFn, coordinates: &[(Ident, Type)], errors: &mut Errors) -> Option<(Ident, Type)> {
    let attribute = method.attrs.iter().find(|attribute| attribute.path().is_ident("force"))?;
    let ReturnType::Type(_, output) = &method.sig.output else { return None };
    let torque = of_torque(&parse_quote!(Mat3), output)?;
    let name: Option<Ident> = match &attribute.meta {
        Meta::List(list) => Some(syn::parse2(list.tokens.clone()).ok()?),
        _ => None,
    };
    let is =
        |ty: &Type, other: &Type| ty.to_token_stream().to_string() == other.to_token_stream().to_string();
    let mut fitting = coordinates
        .iter()
        .filter(|(own, ty)| is(ty, &torque) && name.as_ref().is_none_or(|name| name == own));
    let (found, more) = (fitting.next()?, fitting.next());
    let mut places = coordinates.iter().filter(|(_, ty)| is(ty, output)).map(|(name, _)| name);
    if let (None, Some(place)) = (&name, places.next()) {
        let reads = |name: &Ident| arguments(method).any(|(own, _)| own == name);
        if reads(&found.0) && !reads(place) && !places.any(reads) {
            let all = format!("`{}` or `{place}`", found.0);
            errors.push(error::force_target(
                &method.sig.ident,
                "force",
                &all,
                &format!("force({})", found.0),
            ));
        }
        return None;
    }
    if more.is_some() { None } else { Some(found.clone()) }
}

/// The type of the matrices that torques of this type turn.
fn of_torque(matrix: &Type, torque: &Type) -> Option<Type> {
    match torque {
        Type::Path(path) if path.path.is_ident("Vec3") => Some(matrix.clone()),
        Type::Array(array) => {
            let entry = of_torque(matrix, &array.elem)?;
            let length = &array.len;
            Some(parse_quote!([#entry; #length]))
        }
        _ => None,
    }
}

/// Puts the force on the entries around the torque.
fn write(method: &mut ImplItemFn, name: &Ident, ty: &Type) {
    if !arguments(method).any(|(own, _)| own == name) {
        method.sig.inputs.push(parse_quote!(#name: #ty));
    }
    let torque = Ident::new("torque", Span::mixed_site());
    let force = force(&parse_quote!(#torque), &parse_quote!(#name), ty, 0);
    let body = &method.block;
    method.block = parse_quote!({ let #torque = #body; #force });
    method.sig.output = parse_quote!(-> #ty);
    for attribute in &mut method.attrs {
        if attribute.path().is_ident("force") {
            *attribute = parse_quote!(#[force(#name)]);
        }
    }
}

/// ½ [τ]× r, whose columns are the vector products of τ with the columns of r; of arrays for each entry.
fn force(torque: &Expr, turned: &Expr, ty: &Type, depth: usize) -> Expr {
    if let Type::Array(array) = ty {
        let index = Ident::new(&format!("body_{depth}"), Span::mixed_site());
        let (entry, length) = (&array.elem, &array.len);
        let inner = force(&parse_quote!(#torque[#index]), &parse_quote!(#turned[#index]), entry, depth + 1);
        return parse_quote!(each(0..#length, |#index| #inner));
    }
    let columns = (0..3_usize).map(|k| -> Expr {
        let k = proc_macro2::Literal::usize_unsuffixed(k);
        parse_quote!(#torque.cross(#turned.column(#k)))
    });
    parse_quote!(0.5 * Mat3::from_columns([#(#columns),*]))
}
