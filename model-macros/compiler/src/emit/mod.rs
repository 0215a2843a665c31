//! Families and facts → Rust: kernels, binding, and the implementation of `Model`.
//!
//! **Invariant.** The emitter does no mathematics and cannot fail: earlier stages found the mistakes and
//! the programs of the kernels. Code size depends on the declaration, never on the instance.

mod binding;
mod checked;
mod checksum;
mod documentation;
mod facts;
mod kernel;
mod near;
pub(crate) mod oracle;
mod parametric;
mod signal;
mod straight;
pub(crate) mod straight_line;

use crate::ast::{Coordinate, Declaration, Kind, Sort};
use crate::classify::{Dependence, Facts, Family, Sums};
use crate::compiled::Compiled;
use crate::graph::Leaf;
use crate::kernels::{self, Use};
use crate::lower::form::Step;
use crate::lower::{Lowered, Scan, Variables};
use crate::shown::Shown;
use binding::{Loops, Names, Rows, describe, entry_text};
use checked::{Purpose, checked};
use kernel::{Kernel, Sizes, Types, kernel};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::BTreeSet;
use straight::Straight;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// Emits the code of a declaration.
pub fn emit(compiled: &Compiled) -> TokenStream {
    let Compiled { declaration, lowered, .. } = compiled;
    let item = declaration.root.read(&declaration.item);
    let ordinary = oracle::ordinary(&item);
    let shapes = &lowered.rust.closure_parameters;
    let roles = oracle::Roles {
        kept: declaration.beside().map(|(_, function)| &function.name).zip(&lowered.kept).collect(),
        targets: declaration
            .forces
            .iter()
            .map(|force| (&force.function.name, &declaration.coordinates[force.coordinate].name))
            .collect(),
        frequency: declaration.frequency.as_ref(),
        phase: declaration.phase.as_ref(),
    };
    let oracle = oracle::emit(&item, &roles, &|parameter: &Ident| {
        let start = parameter.span().start();
        shapes.get(&(start.line, start.column)).and_then(|shape| oracle::Shape::of_name(shape))
    });
    let model = model(compiled);
    let warnings = compiled.proven.idle.iter().map(|(place, text)| warning(&item.attrs, *place, text));
    quote!(#ordinary #model #oracle #(#warnings)*)
}

/// A warning of the compiler, which on stable Rust is the use of something deprecated.
fn warning(attributes: &[syn::Attribute], place: Span, text: &str) -> TokenStream {
    let allowed = attributes.iter().filter(|attribute| attribute.path().is_ident("allow"));
    let used = quote_spanned!(place=> WITHOUT_EFFECT);
    quote! {
        #(#allowed)*
        const _: () = {
            #[deprecated(note = #text)]
            const WITHOUT_EFFECT: () = ();
            #used
        };
    }
}

/// The code collected while families are emitted.
#[derive(Default)]
struct Parts {
    /// The code that tells the binder of the signals.
    signals: Vec<TokenStream>,
    kernels: TokenStream,
    /// The modules in which kernels are compiled.
    modules: TokenStream,
    declarations: TokenStream,
    functions: TokenStream,
    calls: TokenStream,
    /// The terms of V and the rows of g, as long as all stand at known places.
    straight: Option<Straight>,
}

impl Parts {
    /// A kernel: its code, and the module of its types.
    fn kernel(&mut self, module: &Ident, kernel: &Kernel) {
        let types = &kernel.types;
        self.modules.extend(quote!(pub(super) mod #module { #types }));
        self.kernels.extend(kernel.code.clone());
    }

    /// The kernel of a sum over near pairs; returns the body of the function that finds its ends.
    fn near(
        &mut self,
        loops: &Loops<'_>,
        family: &Family,
        (found, used): (&kernels::Kernel, Use),
        ((marker, home), module): ((&Ident, &TokenStream), &Ident),
        words: (&str, &[String]),
        finish: &Ident,
    ) -> TokenStream {
        let Some(in_range) = &family.near else { return TokenStream::new() };
        // The operations know the ends, so that no other family shares them.
        let single = format_ident!("{marker}_ELEMENT", span = marker.span());
        let kernel = kernel(family, found, used, (&single, home), words, &mut Types::default());
        self.kernel(module, &kernel);
        let keys = near::keys(loops, in_range);
        let names = (marker, (&single, &kernel));
        self.kernels.extend(near::kernel(family, in_range, found, names, keys));
        near::family(loops, (in_range, &kernel.sizes.slots), found, marker, finish)
    }

    /// A function of its own for each family, so that none grows large.
    fn function(&mut self, this: &Ident, name: &Ident, text: &str, body: &TokenStream) {
        let Names { binder, .. } = Names::new();
        let signature = quote! {
            fn #name(&#this, #binder: &mut ::least_action::emitted::v1::Binder)
                -> ::core::result::Result<(), ::least_action::error::BindError>
        };
        let documentation = format!(" Finds the elements of `{text}`.");
        self.declarations.extend(quote!(#[doc = #documentation] #signature;));
        self.functions.extend(quote!(#signature { #body ::core::result::Result::Ok(()) }));
        self.calls.extend(quote!(Families::#name(#this, #binder)?;));
    }
}

fn model(compiled: &Compiled) -> TokenStream {
    let Compiled { declaration, classified, proven, formulas, .. } = compiled;
    let (parts, found) = parts(compiled, Straight::new(compiled));
    let documentation = documentation::documentation(declaration, classified, proven, formulas, &found);
    let parametric = compiled.parametric.as_deref().map(parametric::parametric);
    let model = implementation(compiled, &parts, &documentation);
    quote!(#model #parametric)
}

/// The code of all families, and their sorts with their texts.
fn parts(compiled: &Compiled, straight: Option<Straight>) -> (Parts, Vec<(String, String)>) {
    let Compiled { declaration, lowered, classified, kernels, .. } = compiled;
    let names: Vec<String> = declaration.coordinates.iter().map(|c| c.name.unraw().to_string()).collect();
    let home = home(declaration);
    let (mut parts, mut types) = (Parts::default(), Types::default());
    parts.straight = straight;
    let this = declaration.this();
    let mut found: Vec<(String, String)> = Vec::new();

    let sorts: [(&[Family], &[kernels::Kernel], Use, &str); 4] = [
        (&classified.potential, &kernels.potential, Use::Potential, "potential"),
        (&classified.stiff, &kernels.stiff, Use::Potential, "stiff"),
        (&classified.general, &kernels.general, Use::General, "general"),
        (&classified.mass_of_sums, &kernels.mass_of_sums, Use::General, "mass_of_sums"),
    ];

    add_mass(compiled, &names, &mut parts, &mut found);
    for (members, kernels, used, sort) in sorts {
        for (k, (family, found_kernel)) in members.iter().zip(kernels).enumerate() {
            let shown = Shown::new(lowered, &family.path, &[family.node]);
            let text = describe(lowered, &names, family.node, &shown);
            let part = if sort == "mass_of_sums" { "kinetic" } else { sort };
            found.push((part.to_owned(), text.clone()));
            let (marker, module) = kernel_names(&format!("{sort}_{k}"));
            let reads = reads(&family.inputs, lowered, &names, &shown);
            let (place, words) = ((&marker, &quote!(#home::#module)), (text.as_str(), &reads[..]));
            let loops = match used {
                Use::Potential => Loops::of_positions(compiled),
                _ => Loops::of_motion(compiled),
            };
            if family.near.is_some() {
                parts.straight = None;
                let finish = format_ident!("near_{sort}", span = Span::mixed_site());
                let of_kernel = (found_kernel, used);
                let body = parts.near(&loops, family, of_kernel, (place, &module), words, &finish);
                parts.function(&this, &format_ident!("{sort}_{k}"), &text, &body);
                continue;
            }
            let kernel = kernel(family, found_kernel, used, place, words, &mut types);
            parts.kernel(&module, &kernel);
            let straight = parts.straight.take();
            parts.straight =
                straight.and_then(|straight| straight.with_term(compiled, family, (&kernel, used)));
            let finish = Ident::new(sort, Span::mixed_site());
            let body = loops.family(family, &marker, &kernel.sizes, &quote!(#finish));
            parts.function(&this, &format_ident!("{sort}_{k}"), &text, &body);
        }
    }
    add_sums(compiled, &names, &mut parts, &mut types, &mut found);
    let beside = classified.beside.iter().zip(&kernels.beside).zip(declaration.beside());
    for (place, (((sort, plan), kernels), (_, function))) in beside.enumerate() {
        let (method, used) = (function.name.unraw().to_string(), Use::of(*sort, plan));
        let rows = rows(compiled, place, *sort, &method);
        let mut markers: Vec<(Ident, Sizes)> = Vec::new();
        let mut all: Vec<Kernel> = Vec::new();
        for (k, ((path, family), found_kernel)) in plan.placed().into_iter().zip(kernels).enumerate() {
            let shown = Shown::new(lowered, &path, &[family.node]);
            let text = describe(lowered, &names, family.node, &shown);
            found.push((format!("{} `{method}`", sort.word()), text.clone()));
            let (marker, module) = kernel_names(&format!("{method}_{place}_{k}"));
            let reads = reads(&family.inputs, lowered, &names, &shown);
            let at = (&marker, &quote!(#home::#module));
            let kernel = kernel(family, found_kernel, used, at, (&text, &reads), &mut types);
            parts.kernel(&module, &kernel);
            markers.push((marker, kernel.sizes.clone()));
            all.push(kernel);
        }
        if *sort == Sort::Holonomic {
            let straight = parts.straight.take();
            parts.straight = straight.and_then(|straight| straight.with_rows(compiled, plan, &all));
        }
        let body = Loops::of_method(compiled, *sort).rows(plan, &rows, &markers);
        parts.function(&this, &format_ident!("{}_{method}", rows.word()), &method, &body);
    }
    parts.signals = signal::signals(lowered);
    parts.kernels.extend(opaque_functions(lowered));
    (parts, found)
}

/// Adds the families of the mass matrix, and their texts.
fn add_mass(compiled: &Compiled, names: &[String], parts: &mut Parts, found: &mut Vec<(String, String)>) {
    let Compiled { declaration, lowered, classified, kernels, .. } = compiled;
    let this = declaration.this();
    for (k, (family, kernel)) in classified.mass.iter().zip(&kernels.mass).enumerate() {
        let shown = Shown::new(lowered, &family.path, &[family.node]);
        let text = describe(lowered, names, family.node, &shown);
        found.push(("kinetic".to_owned(), text.clone()));
        let velocities = family.entries.iter().flat_map(|(row, column, _)| [row, column]);
        let reads = reads(velocities, lowered, names, &shown);
        let body = Loops::of_motion(compiled).mass(family, kernel, (&text, &reads));
        parts.function(&this, &format_ident!("mass_{k}"), &text, &body);
    }
}

/// Adds the sums that elements read.
fn add_sums(
    compiled: &Compiled,
    names: &[String],
    parts: &mut Parts,
    types: &mut Types,
    found: &mut Vec<(String, String)>,
) {
    let Compiled { declaration, lowered, classified, kernels, .. } = compiled;
    let (this, home) = (declaration.this(), home(declaration));
    // The readers of a collective are bound after it.
    let after = std::mem::take(&mut parts.calls);
    let all = [
        (&classified.stages, &kernels.stages, Use::Stage, Loops::of_positions(compiled), "stage"),
        (&classified.moving, &kernels.moving, Use::Moving, Loops::of_motion(compiled), "moving"),
    ];
    for (sums, kernels, used, loops, sort) in all {
        for (k, (together @ Sums { stages, families }, kernels)) in sums.iter().zip(kernels).enumerate() {
            let (stage, name) = (&lowered.stages[stages[0]], together.name(lowered));
            let (mut markers, mut near) = (Vec::new(), Vec::new());
            for (member, (family, found_kernel)) in families.iter().zip(kernels).enumerate() {
                let items = stage.scan.iter().map(Scan::step);
                let path: Vec<Step> =
                    stage.path.iter().cloned().chain(items).chain(family.path.iter().cloned()).collect();
                let shown = Shown::new(lowered, &path, &[family.node]);
                let written = family.written().iter().map(|node| describe(lowered, names, *node, &shown));
                let text = written.collect::<Vec<_>>().join(", ");
                found.push((format!("sum `{name}`"), text.clone()));
                let (marker, module) = kernel_names(&format!("{sort}_{k}_{member}"));
                let reads = reads(&family.inputs, lowered, names, &shown);
                let at = (&marker, &quote!(#home::#module));
                if family.near.is_some() {
                    let finish = Ident::new("near_collective", Span::mixed_site());
                    let used = (found_kernel, used.in_range(family));
                    let body = parts.near(&loops, family, used, (at, &module), (&text, &reads), &finish);
                    near.push((format_ident!("{sort}_{k}_{member}"), text, body));
                    continue;
                }
                let kernel = kernel(family, found_kernel, used, at, (&text, &reads), types);
                parts.kernel(&module, &kernel);
                markers.push((marker, kernel.sizes));
            }
            let body = loops.stage(together, &markers, &name);
            parts.function(&this, &format_ident!("{sort}_{k}"), &name, &body);
            // Ends need rows that exist.
            for (function, text, body) in near {
                parts.function(&this, &function, &text, &body);
            }
        }
    }
    parts.calls.extend(after);
}

/// The facts about the method at `place` among the methods beside the Lagrangian.
fn rows<'a>(compiled: &'a Compiled, place: usize, sort: Sort, method: &'a str) -> Rows<'a> {
    let Compiled { declaration, lowered, proven, .. } = compiled;
    let holonomic = declaration.constraints.len();
    let constraints = holonomic + declaration.nonholonomic.len();
    let force = place.checked_sub(constraints).and_then(|force| declaration.forces.get(force));
    let derivatives = place.checked_sub(holonomic).and_then(|k| proven.velocities.derivatives.get(k));
    Rows {
        sort,
        method,
        kept: lowered.kept.get(place).and_then(|kept| kept.as_deref()),
        derivatives: derivatives.map_or(&[], Vec::as_slice),
        coordinate: force.map_or(0, |force| force.coordinate),
    }
}

/// A type for each function of Rust, which calls it as the user did, on dual numbers of any order.
fn opaque_functions(lowered: &Lowered) -> TokenStream {
    let functions = lowered.rust.functions.iter().enumerate();
    functions
        .map(|(k, (path, kinds))| {
            let name = straight_line::opaque_name(k);
            // A message of rustc about an unfit function must point to the call.
            let place = path.span();
            let here = Span::mixed_site().located_at(place);
            let (x, c) = (Ident::new("x", here), Ident::new("c", here));
            let (mut smooth, mut plain) = (0_usize, 0_usize);
            let arguments: Vec<TokenStream> = kinds
                .iter()
                .map(|is_smooth| {
                    let count = if *is_smooth { &mut smooth } else { &mut plain };
                    let at = Literal::usize_unsuffixed(*count);
                    *count += 1;
                    if *is_smooth {
                        quote_spanned!(place=> #x[#at])
                    } else {
                        quote_spanned!(place=> ::core::convert::Into::into(#c[#at]))
                    }
                })
                .collect();
            let (smooth, plain) = (Literal::usize_unsuffixed(smooth), Literal::usize_unsuffixed(plain));
            let documentation = format!(" `{}`", crate::parse::text(path));
            let call = quote_spanned!(place=> #path(#(#arguments),*));
            let number = quote_spanned!(place=> D);
            quote! {
                #[doc = #documentation]
                struct #name;

                impl ::least_action::emitted::v1::Opaque<#smooth, #plain> for #name {
                    fn at<D: ::least_action::expr::Number>(#x: [D; #smooth], #c: [f64; #plain]) -> #number {
                        #call
                    }
                }
            }
        })
        .collect()
}

/// The entries that an element of a family reads, in the user's words.
fn reads<'l>(
    inputs: impl IntoIterator<Item = &'l Leaf>,
    lowered: &Lowered,
    names: &[String],
    shown: &Shown,
) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for leaf in inputs {
        let text = match *leaf {
            Leaf::Position { gather, .. } => entry_text(lowered, names, shown, gather),
            Leaf::Velocity { gather, .. } => {
                let text = entry_text(lowered, names, shown, gather);
                if lowered.is_rate(gather) { format!("der({text})") } else { text }
            }
            Leaf::Time => "t".to_owned(),
            Leaf::Phase => "theta".to_owned(),
            Leaf::Signal { number, .. } => lowered.signals[number].name.clone(),
            _ => continue,
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// The call that declares a coordinate to the binder.
fn declared(Coordinate { name, kind, lengths, .. }: &Coordinate, binder: &Ident) -> TokenStream {
    let (name, kind) = (name.unraw().to_string(), kind_code(*kind));
    let place = format!("the length of `{name}`");
    let place = quote!(#place);
    let lengths = lengths.iter().map(|length| checked(length, Purpose::Count, &place, &Variables::default()));
    quote!(#binder.coordinate(#name, #kind, &[#(#lengths),*])?;)
}

/// The implementation of `Model` and its parts.
fn implementation(compiled: &Compiled, parts: &Parts, found: &str) -> TokenStream {
    let Compiled { declaration, classified, .. } = compiled;
    let model = &declaration.item.self_ty;
    let Parts { signals, calls, straight, .. } = parts;
    let straight = straight.as_ref().map(Straight::items);
    let this = declaration.this();
    let Names { binder, .. } = Names::new();
    let coordinates = declaration.coordinates.iter().map(|coordinate| declared(coordinate, &binder));

    let facts = &classified.facts;
    let (markers, marker_module) = markers(declaration, facts);
    let mass = dependence(&facts.mass, "Constant", &markers);
    let force = dependence(&facts.force, "PositionOnly", &markers);
    let constrained = !declaration.constraints.is_empty();
    let of = |holds: bool| structure(if holds { "Something" } else { "Nothing" });
    let holonomy = of(constrained);
    let nonholonomic = !declaration.nonholonomic.is_empty();
    let nonholonomy = of(nonholonomic);
    let stiffness = of(facts.stiff);
    let (forced, driven) = (declaration.is_forced(), declaration.frequency.is_some());
    let forcing = of(forced);
    let even = facts.even_in_phase == Some(true);
    let drive = if driven { fast_phase(even) } else { structure("Nothing") };
    let phase = phase(declaration);
    let constant = facts::facts(compiled);
    let faces = faces(fits(declaration, facts));
    let sensitive = parametric::items(declaration);
    let implementation = quote! {
        #[doc = #found]
        impl ::least_action::Model for #model {
            type Mass = #mass;
            type Force = #force;
            type Holonomy = #holonomy;
            type Nonholonomy = #nonholonomy;
            type Stiffness = #stiffness;
            type Forcing = #forcing;
            type Drive = #drive;

            #constant

            #straight

            fn declare(&#this, #binder: &mut ::least_action::emitted::v1::Binder)
                -> ::core::result::Result<(), ::least_action::error::BindError> {
                #(#coordinates)*
                #binder.moves(&Self::FACTS.name)?;
                #phase
                #(#signals)*
                #calls
                ::core::result::Result::Ok(())
            }

            #sensitive

            #faces
        }
    };
    let scope = scope(declaration, parts, &implementation);
    quote!(#marker_module #scope)
}

/// The code of the families, with an implementation that calls it, in a scope of its own.
fn scope(declaration: &Declaration, parts: &Parts, implementation: &TokenStream) -> TokenStream {
    let model = &declaration.item.self_ty;
    let Parts { kernels, modules, declarations, functions, .. } = parts;
    let code_module = code_module(declaration, modules);
    quote! {
        #code_module

        #[allow(
            non_camel_case_types,
            non_shorthand_field_patterns,
            unused_imports,
            clippy::all,
            clippy::pedantic,
            clippy::restriction,
            clippy::nursery,
            unreachable_patterns,
            unused_braces,
            unused_parens,
            unused_variables,
            reason = "emitted code: what matters here is that it is straight-line and exact"
        )]
        const _: () = {
            use ::least_action::emitted::v1 as __v1;
            use __v1::{MatrixColumns as _, Ports as _};
            use ::least_action::expr::{pairs, sum};

            #kernels

            /// The loops of the declaration, one for each term family.
            trait Families {
                #declarations
            }

            impl Families for #model {
                #functions
            }

            #implementation
        };
    }
}

/// The kinds that a bound system may be, as `Faces` names them.
const FACES: [&str; 11] = [
    "natural",
    "stiff",
    "constrained",
    "holonomic",
    "nonholonomic",
    "forced",
    "driven",
    "vibrated",
    "even_in_phase",
    "constrained_vibrated",
    "constrained_even",
];

/// The kinds that a bound system is.
fn fits(declaration: &Declaration, facts: &Facts) -> [bool; 11] {
    let (constrained, driven) = (!declaration.constraints.is_empty(), declaration.frequency.is_some());
    let (forced, even) = (declaration.is_forced(), facts.even_in_phase == Some(true));
    let nonholonomic = !declaration.nonholonomic.is_empty();
    let natural = facts.mass == Dependence::None && facts.force == Dependence::None && !nonholonomic;
    // Averaging methods know only the forces of the Lagrangian.
    let averaged = natural && !forced;
    [
        natural,
        natural && facts.stiff,
        natural && constrained,
        constrained,
        nonholonomic,
        forced,
        driven,
        averaged && driven,
        averaged && even,
        averaged && constrained && driven,
        averaged && constrained && even,
    ]
}

/// The method that gives the bound system as the kinds that it is.
pub(crate) fn faces(fits: [bool; 11]) -> TokenStream {
    let kinds = FACES.map(|kind| format_ident!("{kind}"));
    let values = fits.map(|fits| optional(fits.then(|| quote!(bound))));
    quote! {
        // Callers in other crates find it compiled here, with the optimization of this crate.
        #[inline(never)]
        fn faces(bound: &::least_action::Bound<Self>) -> ::least_action::emitted::v1::Faces<'_> {
            ::least_action::emitted::v1::Faces { mechanics: bound, #(#kinds: #values),* }
        }
    }
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(
        || quote!(::core::option::Option::None),
        |value| quote!(::core::option::Option::Some(#value)),
    )
}

/// Tells the binder the frequency and the initial phase, if there is a phase.
fn phase(declaration: &Declaration) -> Option<TokenStream> {
    let frequency = declaration.frequency.as_ref()?;
    let this = declaration.this();
    let Names { binder, .. } = Names::new();
    let initial = declaration.phase.as_ref();
    let initial = initial.map_or_else(|| quote!(0.0), |phase| quote!(#this.#phase()));
    Some(quote!(#binder.phase(#this.#frequency(), #initial)?;))
}

fn kind_code(kind: Kind) -> TokenStream {
    let name = Ident::new(kind.name(), Span::mixed_site());
    quote!(::least_action::system::Kind::#name)
}

/// The type for the dependence of the motion on the fast phase.
fn fast_phase(even: bool) -> TokenStream {
    let (phase, evenness) = (structure("FastPhase"), structure(if even { "Even" } else { "NotEven" }));
    quote!(#phase<#evenness>)
}

fn structure(name: &str) -> TokenStream {
    let name = Ident::new(name, Span::mixed_site());
    quote!(::least_action::emitted::v1::#name)
}

fn involved(dependence: &Dependence) -> BTreeSet<usize> {
    match dependence {
        Dependence::None => BTreeSet::new(),
        Dependence::Proven(all) | Dependence::Unproven(all) => all.clone(),
    }
}

/// The marker types of coordinates that structure types name, and the module that holds them.
fn markers(declaration: &Declaration, facts: &Facts) -> (Vec<TokenStream>, TokenStream) {
    let module = format_ident!("{}_coordinates", snake(&declaration.model.unraw().to_string()));
    let all: Vec<TokenStream> = declaration
        .coordinates
        .iter()
        .map(|coordinate| {
            let name = &coordinate.name;
            quote!(#module::#name)
        })
        .collect();
    let named: BTreeSet<usize> = involved(&facts.mass).union(&involved(&facts.force)).copied().collect();
    if named.is_empty() {
        return (all, TokenStream::new());
    }
    let types = named.into_iter().map(|k| {
        let name = &declaration.coordinates[k].name;
        let text = format!(" The coordinate `{name}`.");
        quote! {
            #[doc = #text]
            #[derive(Debug, Clone, Copy)]
            pub struct #name;
        }
    });
    let text = format!(
        " The coordinates of [`{}`](super::{0}) as types, for the compiler's messages.",
        declaration.model
    );
    let code = quote! {
        #[doc = #text]
        #[allow(non_camel_case_types, reason = "messages name coordinates as their author wrote them")]
        pub mod #module {
            #(#types)*
        }
    };
    (all, code)
}

/// The name of the module of a model's kernels.
fn home(declaration: &Declaration) -> Ident {
    let of_parameters = if declaration.parametric { "_of_parameters" } else { "" };
    format_ident!("{}_code{of_parameters}", snake(&declaration.model.unraw().to_string()))
}

/// The module with the kernels, beside the model: rustc compiles modules in a block one after the other.
fn code_module(declaration: &Declaration, modules: &TokenStream) -> TokenStream {
    if modules.is_empty() {
        return TokenStream::new();
    }
    let home = home(declaration);
    quote! {
        #[doc(hidden)]
        #[allow(missing_docs, missing_debug_implementations, unreachable_pub, reason = "emitted code: types that only stand for a place")]
        mod #home {
            #modules
        }
    }
}

fn dependence(dependence: &Dependence, free: &str, markers: &[TokenStream]) -> TokenStream {
    let (name, all) = match dependence {
        Dependence::None => return structure(free),
        Dependence::Proven(all) => ("DependsOn", all),
        Dependence::Unproven(all) => ("Unproven", all),
    };
    let (name, types) = (structure(name), all.iter().map(|k| &markers[*k]));
    quote!(#name<(#(#types,)*)>)
}

/// `double_pendulum` from `DoublePendulum`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for (place, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && place > 0 {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// The name of a kernel, and the name of the module with the types of its operations.
fn kernel_names(name: &str) -> (Ident, Ident) {
    let module = snake(name);
    (
        Ident::new(&module.to_uppercase(), Span::mixed_site()),
        format_ident!("{module}", span = Span::mixed_site()),
    )
}
