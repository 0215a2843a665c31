//! The second route: the declaration re-emitted as ordinary Rust, generic over dual numbers.
//!
//! The user's code stays, token by token and span by span, so that rustc and rust-analyzer check the
//! user's own text. Only words of the language are replaced: the types `Scalar`, `Angle`, `Time`,
//! `Vec2`, `Vec3` and their arrays by generic types of `least_action::expr`, the functions `sum`,
//! `each`, `pairs`, `der`, `stiff`, `vec2`, `vec3` by their full paths, and calls of methods of the
//! declaration by calls of their generic versions. Facts of the language that Rust lacks are added: the
//! types of closure parameters, and a constant scalar for a number beside a coordinate.
//!
//! Nothing here fails. Unknown code is passed through, for rustc to judge.

mod methods;
mod rewrite;
mod scope;
pub(crate) mod shape;
mod usage;

pub(crate) use shape::Shape;

use crate::ast::Sort;
use crate::parse::arguments;
use methods::{Methods, declared, has_attribute, says_something, speaks_of_coordinates};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use rewrite::{generic, mark_argument, renamed};

use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, Token, Type};

/// The shapes of untyped parameters of `let` closures, from the symbolic route; `None` if unknown.
pub(crate) type ClosureShapes<'a> = &'a dyn Fn(&Ident) -> Option<Shape>;

/// The statements of the declaration about its methods, beside their code.
#[derive(Default)]
pub struct Roles<'a> {
    /// The components of matrices that are independent equations, for each constraint.
    pub kept: Vec<(&'a Ident, &'a Option<Vec<usize>>)>,
    /// The coordinate that each force acts on.
    pub targets: Vec<(&'a Ident, &'a Ident)>,
    /// The method that gives the frequency.
    pub frequency: Option<&'a Ident>,
    /// The method that gives the initial phase.
    pub phase: Option<&'a Ident>,
}

/// The generic versions of all methods with coordinates, and the implementation of `Oracle`, for rustc.
pub fn emit(item: &ItemImpl, roles: &Roles<'_>, closures: ClosureShapes<'_>) -> TokenStream {
    let blocks = blocks(item, roles, closures);
    quote! {
        #[allow(
            unused_braces,
            clippy::nursery,
            clippy::restriction,
            reason = "a declaration is a formula: what is advised for loops over numbers says nothing about it"
        )]
        const _: () = {
            #[allow(unused_imports, reason = "for declarations with constant matrices")]
            use ::least_action::emitted::v1::MatrixColumns as _;

            #blocks
        };
    }
}

/// The blocks of the generic versions, and of the implementation of `Oracle`.
pub(crate) fn blocks(item: &ItemImpl, roles: &Roles<'_>, closures: ClosureShapes<'_>) -> TokenStream {
    let methods = Methods::of(item);
    let own: Vec<&ImplItemFn> = declared(item).collect();
    let versions = own.iter().map(|method| {
        let version = generic(method, &methods, closures);
        let allow = allowances(method);
        quote!(#allow #version)
    });
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let model = &item.self_ty;
    let oracle = implementation(item, &own, &methods, roles);
    quote! {
        /// The methods of the declaration, generic over dual numbers.
        impl #impl_generics #model #where_clause {
            #(#versions)*
        }

        #oracle
    }
}

/// The rest of the impl block: items without coordinates are ordinary Rust.
pub fn ordinary(item: &ItemImpl) -> TokenStream {
    let mut rest = item.clone();
    rest.items.retain(|item| !matches!(item, ImplItem::Fn(method) if speaks_of_coordinates(method)));
    for item in &mut rest.items {
        if let ImplItem::Fn(method) = item {
            method.attrs.retain(|attribute| {
                !attribute.path().is_ident("frequency") && !attribute.path().is_ident("phase")
            });
        }
    }
    if rest.items.is_empty() { TokenStream::new() } else { quote!(#rest) }
}

/// The lints that say nothing about a declaration.
fn allowances(method: &ImplItemFn) -> TokenStream {
    let unused = (!is_evaluated(method)).then(|| {
        quote!(#[allow(dead_code, reason = "helpers and forces take part through the methods that use them")])
    });
    let read = (method.sig.ident == "lagrangian")
        .then(|| quote!(#[allow(unused_variables, reason = "rows and forces may read it alone")]));
    quote! {
        #[allow(unused_braces, reason = "a branch put in a call keeps the braces that it was written with")]
        #[allow(clippy::unused_self, reason = "a declaration need not have parameters")]
        #[allow(unused_braces, reason = "branches of the declaration become arguments here")]
        #read
        #unused
    }
}

fn is_evaluated(method: &ImplItemFn) -> bool {
    method.sig.ident == "lagrangian" || says_something(method)
}

/// The implementation of `Oracle`: reads the coordinates from q and v, and calls the methods.
fn implementation(item: &ItemImpl, own: &[&ImplItemFn], methods: &Methods, roles: &Roles<'_>) -> TokenStream {
    let Some(lagrangian) = own.iter().copied().find(|method| method.sig.ident == "lagrangian") else {
        return TokenStream::new();
    };
    let Some(FnArg::Receiver(receiver)) = lagrangian.sig.inputs.first() else { return TokenStream::new() };
    let (this, names) = (&receiver.self_token, Names::new());
    let coordinates = arguments(lagrangian).filter(|(_, ty)| !is_time(ty)).collect();
    let writer = Duals { this, own, coordinates, names, methods, roles };
    let Names { q, v, t, entries, mark, .. } = &writer.names;
    let read = writer.read(&[lagrangian]);
    let call = writer.call(lagrangian);
    let others = [writer.constraints(Sort::Holonomic), writer.constraints(Sort::Nonholonomic)];
    let others = others.into_iter().chain([writer.forces(), writer.dissipation()]);
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let model = &item.self_ty;
    let value = quote! {
        let mut #entries = ::least_action::emitted::v1::Entries::new(#q, #v);
        #read
        ::least_action::expr::Scalar::value(#this.#call)
    };
    let (with_mark, value, stiff) = if methods.is_marked("lagrangian") {
        let with_mark = quote! {
            /// The Lagrangian with a mark on its stiff part.
            impl #impl_generics #model #where_clause {
                /// L(q, v, t), with the stiff part of the potential multiplied by a mark.
                fn __with_stiff_mark<T: ::least_action::expr::Number>(
                    &#this,
                    #q: &[T],
                    #v: &[T],
                    #t: T,
                    #mark: T,
                ) -> T {
                    let #mark = ::least_action::expr::Scalar::constant(#mark);
                    #value
                }
            }
        };
        let stiff = quote! {
            fn stiff_dual<T: ::least_action::expr::Number>(&#this, #q: &[T], #t: T) -> T {
                ::least_action::emitted::v1::marked_part(#q, #t, |#q, #v, #t, #mark| {
                    #this.__with_stiff_mark(#q, #v, #t, #mark)
                })
            }
        };
        (with_mark, quote!(#this.__with_stiff_mark(#q, #v, #t, T::one())), stiff)
    } else {
        let stiff = quote! {
            fn stiff_dual<T: ::least_action::expr::Number>(&#this, _: &[T], _: T) -> T {
                T::zero()
            }
        };
        (TokenStream::new(), value, stiff)
    };
    quote! {
        #with_mark

        /// Reads the coordinates from q and v in declared order, and evaluates the methods.
        impl #impl_generics ::least_action::expr::Oracle for #model #where_clause {
            fn lagrangian_dual<T: ::least_action::expr::Number>(&#this, #q: &[T], #v: &[T], #t: T) -> T {
                #value
            }

            #stiff
            #(#others)*
        }
    }
}

/// Writes the methods of `Oracle`.
struct Duals<'a> {
    this: &'a Token![self],
    own: &'a [&'a ImplItemFn],
    /// The coordinates in the order of q: the arguments of `lagrangian` but for the time.
    coordinates: Vec<(&'a Ident, &'a Type)>,
    names: Names,
    methods: &'a Methods,
    roles: &'a Roles<'a>,
}

impl<'a> Duals<'a> {
    /// The methods of a sort, in declared order.
    fn of(&self, sort: Sort) -> Vec<&'a ImplItemFn> {
        self.own.iter().copied().filter(|method| has_attribute(method, sort.attribute())).collect()
    }

    /// Statements that read the coordinates of these methods; others before them are skipped.
    fn read(&self, methods: &[&ImplItemFn]) -> TokenStream {
        let entries = &self.names.entries;
        let is_used =
            |name: &Ident| methods.iter().any(|method| arguments(method).any(|(own, _)| own == name));
        let last = self.coordinates.iter().rposition(|(name, _)| is_used(name));
        let read = self.coordinates.iter().take(last.map_or(0, |last| last + 1));
        let statements = read.map(|(name, ty)| {
            let reader = reader(ty, entries);
            if is_used(name) { quote!(let #name = #reader;) } else { quote!(let _ = #reader;) }
        });
        statements.collect()
    }

    /// The method of `Oracle` that adds the `parts` of some methods to `values`.
    fn dual(
        &self,
        (name, result, values): (&str, TokenStream, TokenStream),
        methods: &[&ImplItemFn],
        read: &TokenStream,
        parts: impl Iterator<Item = TokenStream>,
    ) -> TokenStream {
        let (this, Names { q, v, t, entries, values: sum, mark }) = (self.this, &self.names);
        let t = if reads_time(methods) { quote!(#t) } else { quote!(_) };
        let (v, begin) = match name {
            "constraints_dual" => (None, quote!(positions(#q))),
            _ => (Some(quote!(#v: &[T],)), quote!(new(#q, #v))),
        };
        let name = Ident::new(name, Span::mixed_site());
        let marked = methods.iter().any(|method| self.methods.is_marked(&method.sig.ident.to_string()));
        let mark = marked.then(|| quote!(let #mark = ::least_action::expr::Scalar::<T>::constant(T::one());));
        quote! {
            fn #name<T: ::least_action::expr::Number>(&#this, #q: &[T], #v #t: T) -> #result {
                let mut #entries = ::least_action::emitted::v1::Entries::#begin;
                let mut #sum = #values;
                #mark
                #read
                #(#parts)*
                #sum
            }
        }
    }

    /// The method of `Oracle` that evaluates all constraints of a sort, in declared order.
    fn constraints(&self, sort: Sort) -> TokenStream {
        let (this, Names { values, .. }) = (self.this, &self.names);
        let constraints = self.of(sort);
        let name = match (sort, constraints.is_empty()) {
            (Sort::Nonholonomic, true) => return TokenStream::new(),
            (Sort::Nonholonomic, false) => "nonholonomic_dual",
            (_, false) => "constraints_dual",
            (_, true) => {
                return quote! {
                    fn constraints_dual<T: ::least_action::expr::Number>(&#this, _: &[T], _: T)
                        -> ::std::vec::Vec<T> {
                        ::std::vec::Vec::new()
                    }
                };
            }
        };
        let appends = constraints.iter().map(|method| {
            let call = self.call(method);
            let mut kept = self.roles.kept.iter().filter(|(name, _)| **name == method.sig.ident);
            match kept.next().and_then(|(_, kept)| kept.as_ref()) {
                None => quote!(::least_action::emitted::v1::Equations::append_to(#this.#call, &mut #values);),
                Some(kept) => {
                    let kept = kept.iter().map(|k| proc_macro2::Literal::usize_unsuffixed(*k));
                    quote!(::least_action::emitted::v1::Equations::append_components(#this.#call, &[#(#kept),*], &mut #values);)
                }
            }
        });
        let result = (name, quote!(::std::vec::Vec<T>), quote!(::std::vec::Vec::new()));
        self.dual(result, &constraints, &self.read(&constraints), appends)
    }

    /// The method of `Oracle` that evaluates the sum of all dissipations, where there are any.
    fn dissipation(&self) -> TokenStream {
        let (this, Names { values, .. }) = (self.this, &self.names);
        let all = self.of(Sort::Dissipation);
        if all.is_empty() {
            return TokenStream::new();
        }
        let parts = all.iter().map(|method| {
            let call = self.call(method);
            quote!(#values += ::least_action::expr::Scalar::value(#this.#call);)
        });
        let result = ("dissipation_dual", quote!(T), quote!(T::zero()));
        self.dual(result, &all, &self.read(&all), parts)
    }

    /// The method of `Oracle` that evaluates all forces, where there are any.
    fn forces(&self) -> TokenStream {
        let (this, Names { q, entries, values, .. }) = (self.this, &self.names);
        let forces = self.of(Sort::Force);
        if forces.is_empty() {
            return TokenStream::new();
        }
        let begin = |name: &Ident| format_ident!("begin_{}", name.unraw(), span = Span::mixed_site());
        let targets = &self.roles.targets;
        let read = self.coordinates.iter().map(|(name, ty)| {
            let (reader, begin) = (reader(ty, entries), begin(name));
            let used = forces.iter().any(|method| arguments(method).any(|(other, _)| other == *name));
            let bound = if used { quote!(#name) } else { quote!(_) };
            let is_target = targets.iter().any(|(_, target)| target == name);
            let begin = is_target.then(|| quote!(let #begin = #entries.position();));
            quote!(#begin let #bound = #reader;)
        });
        let calls = forces.iter().filter_map(|method| {
            let (_, target) = targets.iter().find(|(name, _)| **name == method.sig.ident)?;
            let (call, begin) = (self.call(method), begin(target));
            Some(quote!(::least_action::emitted::v1::add_components(#this.#call, #begin, &mut #values);))
        });
        let result = ("forces_dual", quote!(::std::vec::Vec<T>), quote!(::std::vec![T::zero(); #q.len()]));
        self.dual(result, &forces, &read.collect(), calls)
    }

    /// The call of a method's generic version with the coordinates that were read.
    fn call(&self, method: &ImplItemFn) -> TokenStream {
        let (this, Names { t, mark, .. }) = (self.this, &self.names);
        let name = renamed(&method.sig.ident);
        let is_force =
            Sort::ALL.into_iter().any(|sort| sort.is_force() && has_attribute(method, sort.attribute()));
        let arguments = arguments(method).map(|(name, ty)| match ty {
            Type::Array(_) => quote_spanned!(name.span()=> &#name),
            ty if is_named(ty, "Phase") => {
                let frequency = self.roles.frequency;
                let initial = self.roles.phase.map_or_else(|| quote!(0.0), |phase| quote!(#this.#phase()));
                quote!(::least_action::expr::Scalar::phase(#t, #this.#frequency(), #initial))
            }
            ty if is_named(ty, "Input") && !is_force => {
                let time = quote!(::least_action::expr::Scalar::time(#t));
                quote_spanned!(name.span()=> ::least_action::expr::table(#time, &#this.#name))
            }
            ty if is_named(ty, "Input") => {
                quote_spanned!(name.span()=> ::least_action::expr::Scalar::input(#t, &#this.#name))
            }
            ty if is_time(ty) => quote!(::least_action::expr::Scalar::time(#t)),
            _ => quote!(#name),
        });
        let mark = self.methods.is_marked(&method.sig.ident.to_string()).then(|| mark.to_token_stream());
        let arguments = arguments.chain(mark);
        quote!(#name(#(#arguments),*))
    }
}

/// The local names of the generated code, which no name of the user can meet.
struct Names {
    q: Ident,
    v: Ident,
    t: Ident,
    entries: Ident,
    values: Ident,
    mark: Ident,
}

impl Names {
    fn new() -> Self {
        let local = |name| Ident::new(name, Span::mixed_site());
        Self {
            q: local("q"),
            v: local("v"),
            t: local("t"),
            entries: local("entries"),
            values: local("values"),
            mark: mark_argument(),
        }
    }
}

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

/// True for a type that changes with time and is no coordinate.
fn is_time(ty: &Type) -> bool {
    ["Time", "Phase", "Input"].into_iter().any(|name| is_named(ty, name))
}

fn reads_time(methods: &[&ImplItemFn]) -> bool {
    methods.iter().any(|method| arguments(method).any(|(_, ty)| is_time(ty)))
}

/// The expression that reads a coordinate of this type.
fn reader(ty: &Type, entries: &Ident) -> TokenStream {
    match ty {
        Type::Array(array) => {
            let length = &array.len;
            let entry = match &*array.elem {
                Type::Array(_) => {
                    let inner = reader(&array.elem, entries);
                    quote!(|#entries| #inner)
                }
                single => {
                    let method = reading_method(single);
                    quote!(::least_action::emitted::v1::Entries::#method)
                }
            };
            quote!(#entries.array(#length, #entry))
        }
        single => {
            let method = reading_method(single);
            quote!(#entries.#method())
        }
    }
}

fn reading_method(ty: &Type) -> Ident {
    let name = match Shape::of_type(ty) {
        Some(Shape::Vec2) => "vec2",
        Some(Shape::Vec3) => "vec3",
        Some(Shape::Mat3) => "mat3",
        _ => "scalar",
    };
    Ident::new(name, ty.span())
}
