//! The parts of a bound model: the kernels of its families, and the code that finds their elements.
//!
//! Rustc compiles both, or the run time carries them out.

use super::binding::{Loops, Names, Rows, describe, entry_text};
use super::checked::{Purpose, checked};
use super::{near, signal};
use crate::ast::{Beside, Coordinate, Declaration, Kind, Sort};
use crate::classify::{Family, Sums};
use crate::coded::{Coded, FamilyKernel as Kernel};
use crate::compiled::Compiled;
use crate::graph::Leaf;
use crate::kernels::{self, Use};
use crate::lower::form::Step;
use crate::lower::{Lowered, Scan, Variables};
use crate::shown::Shown;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// A function that finds elements.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Ident,
    /// The expression of the elements.
    pub(crate) text: String,
    pub(crate) body: TokenStream,
}

/// All parts.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    /// The code that declares coordinates, phase and signals.
    pub(crate) begin: TokenStream,
    pub(crate) kernels: Vec<Kernel<'a>>,
    /// The functions, in the order in which they are called.
    pub(crate) functions: Vec<Function>,
    /// The sort and the expression of each family.
    pub(crate) found: Vec<(String, String)>,
}

impl<'a> Parts<'a> {
    /// The parts of a declaration.
    pub(crate) fn of(compiled: &'a Compiled) -> Self {
        let Compiled { declaration, lowered, .. } = compiled;
        let names = declaration.coordinates.iter().map(|c| c.name.unraw().to_string()).collect();
        let parts =
            Self { begin: begin(declaration, lowered), kernels: vec![], functions: vec![], found: vec![] };
        let mut collector = Collector { compiled, names, parts };
        let mass = collector.mass();
        let lagrangian = collector.lagrangian();
        // The readers of a collective are bound after it.
        let sums = collector.sums();
        let beside = collector.beside();
        let functions = [sums, mass, lagrangian, beside].into_iter().flatten().collect();
        Self { functions, ..collector.parts }
    }
}

/// Declares coordinates, phase and signals.
fn begin(declaration: &Declaration, lowered: &Lowered) -> TokenStream {
    let (this, Names { binder, .. }) = (declaration.this(), Names::new());
    let coordinates = declaration.coordinates.iter().map(|coordinate| {
        let (declared, name) = (declared(coordinate, &binder), &coordinate.name);
        let is_input = coordinate.parameter && declaration.has_input(name);
        let sampled = is_input.then(|| quote!(#binder.sampled(&#this.#name);));
        quote!(#declared #sampled)
    });
    let model = declaration.model.unraw().to_string();
    let moves = (!declaration.parametric).then(|| quote!(#binder.moves(#model)?;));
    let phase = phase(declaration).filter(|_| !declaration.parametric);
    let signals = signal::signals(lowered);
    quote!(#(#coordinates)* #moves #phase #(#signals)*)
}

/// The call that declares a coordinate to the binder.
fn declared(Coordinate { name, kind, lengths, .. }: &Coordinate, binder: &Ident) -> TokenStream {
    let (name, kind) = (name.unraw().to_string(), kind_code(*kind));
    let place = format!("the length of `{name}`");
    let place = quote!(#place);
    let lengths = lengths.iter().map(|length| checked(length, Purpose::Count, &place, &Variables::default()));
    quote!(#binder.coordinate(#name, #kind, &[#(#lengths),*])?;)
}

fn kind_code(kind: Kind) -> TokenStream {
    let name = Ident::new(kind.name(), Span::mixed_site());
    quote!(::least_action::system::Kind::#name)
}

/// Tells the binder the frequency and the initial phase, if there is a phase.
fn phase(declaration: &Declaration) -> Option<TokenStream> {
    let frequency = declaration.frequency.as_ref()?;
    let (this, Names { binder, .. }) = (declaration.this(), Names::new());
    let initial = declaration.phase.as_ref();
    let initial = initial.map_or_else(|| quote!(0.0), |phase| quote!(#this.#phase()));
    Some(quote!(#binder.phase(#this.#frequency(), #initial)?;))
}

/// Collects kernels and functions, family after family.
struct Collector<'a> {
    compiled: &'a Compiled,
    /// The names of the coordinates.
    names: Vec<String>,
    parts: Parts<'a>,
}

impl<'a> Collector<'a> {
    /// A family with its expression in words: its kernel, whose name begins so.
    fn kernel(
        &mut self,
        name: &str,
        family: &'a Family,
        (found, used): (&'a kernels::Kernel, Use),
        (text, shown): (&str, &Shown),
    ) -> Kernel<'a> {
        let reads = reads(&family.inputs, &self.compiled.lowered, &self.names, shown);
        let module = snake(name);
        let coded = Coded::new(family, found, used, (text, &reads));
        let loops = Loops::of_positions(self.compiled);
        let near = family.near.as_ref().map(|in_range| near::facts(&loops, in_range, found, &coded));
        Kernel {
            name: Ident::new(&module.to_uppercase(), Span::mixed_site()),
            module: format_ident!("{module}", span = Span::mixed_site()),
            family,
            used,
            coded,
            near,
        }
    }

    /// The families of the mass matrix.
    fn mass(&mut self) -> Vec<Function> {
        let Compiled { lowered, classified, kernels, .. } = self.compiled;
        let mut functions = Vec::new();
        for (k, (family, kernel)) in classified.mass.iter().zip(&kernels.mass).enumerate() {
            let shown = Shown::new(lowered, &family.path, &[family.node]);
            let text = describe(lowered, &self.names, family.node, &shown);
            self.parts.found.push(("kinetic".to_owned(), text.clone()));
            let velocities = family.entries.iter().flat_map(|(row, column, _)| [row, column]);
            let reads = reads(velocities, lowered, &self.names, &shown);
            let body = Loops::of_motion(self.compiled).mass(family, kernel, (&text, &reads));
            functions.push(Function { name: format_ident!("mass_{k}"), text, body });
        }
        functions
    }

    /// The other families of the Lagrangian.
    fn lagrangian(&mut self) -> Vec<Function> {
        let Compiled { lowered, classified, kernels, .. } = self.compiled;
        let sorts: [(&'a [Family], &'a [kernels::Kernel], Use, &str); 4] = [
            (&classified.potential, &kernels.potential, Use::Potential, "potential"),
            (&classified.stiff, &kernels.stiff, Use::Potential, "stiff"),
            (&classified.general, &kernels.general, Use::General, "general"),
            (&classified.mass_of_sums, &kernels.mass_of_sums, Use::General, "mass_of_sums"),
        ];
        let mut functions = Vec::new();
        for (members, kernels, used, sort) in sorts {
            for (k, (family, found)) in members.iter().zip(kernels).enumerate() {
                let shown = Shown::new(lowered, &family.path, &[family.node]);
                let text = describe(lowered, &self.names, family.node, &shown);
                let part = if sort == "mass_of_sums" { "kinetic" } else { sort };
                self.parts.found.push((part.to_owned(), text.clone()));
                let loops = match used {
                    Use::Potential => Loops::of_positions(self.compiled),
                    _ => Loops::of_motion(self.compiled),
                };
                let name = format!("{sort}_{k}");
                let kernel = self.kernel(&name, family, (found, used), (&text, &shown));
                let body = if family.near.is_some() {
                    let finish = format_ident!("near_{sort}", span = Span::mixed_site());
                    near::family(&loops, &kernel, found, &finish)
                } else {
                    let finish = Ident::new(sort, Span::mixed_site());
                    loops.family(family, &kernel, &quote!(#finish))
                };
                self.parts.kernels.push(kernel);
                functions.push(Function { name: format_ident!("{name}"), text, body });
            }
        }
        functions
    }

    /// The sums that elements read.
    fn sums(&mut self) -> Vec<Function> {
        let Compiled { classified, kernels, .. } = self.compiled;
        let all = [
            (&classified.stages, &kernels.stages, Use::Stage, Loops::of_positions(self.compiled), "stage"),
            (&classified.moving, &kernels.moving, Use::Moving, Loops::of_motion(self.compiled), "moving"),
        ];
        let mut functions = Vec::new();
        for (sums, kernels, used, loops, sort) in all {
            for (k, (together, kernels)) in sums.iter().zip(kernels).enumerate() {
                functions.extend(self.stage(together, kernels, used, &loops, &format!("{sort}_{k}")));
            }
        }
        functions
    }

    /// Sums that are added up together.
    fn stage(
        &mut self,
        together: &'a Sums,
        kernels: &'a [kernels::Kernel],
        used: Use,
        loops: &Loops<'_>,
        name: &str,
    ) -> Vec<Function> {
        let lowered = &self.compiled.lowered;
        let (stage, title) = (&lowered.stages[together.stages[0]], together.name(lowered));
        let (first, mut near) = (self.parts.kernels.len(), Vec::new());
        for (member, (family, found)) in together.families.iter().zip(kernels).enumerate() {
            let items = stage.scan.iter().map(Scan::step);
            let path: Vec<Step> =
                stage.path.iter().cloned().chain(items).chain(family.path.iter().cloned()).collect();
            let shown = Shown::new(lowered, &path, &[family.node]);
            let written = family.written().iter().map(|node| describe(lowered, &self.names, *node, &shown));
            let text = written.collect::<Vec<_>>().join(", ");
            self.parts.found.push((format!("sum `{title}`"), text.clone()));
            let own = format!("{name}_{member}");
            let kernel = self.kernel(&own, family, (found, used.in_range(family)), (&text, &shown));
            if family.near.is_some() {
                let finish = Ident::new("near_collective", Span::mixed_site());
                let body = near::family(loops, &kernel, found, &finish);
                near.push(Function { name: format_ident!("{own}"), text, body });
            }
            self.parts.kernels.push(kernel);
        }
        let members: Vec<&Kernel<'_>> =
            self.parts.kernels[first..].iter().filter(|kernel| kernel.near.is_none()).collect();
        let body = loops.stage(together, &members, &title);
        // Ends need rows that exist.
        std::iter::once(Function { name: format_ident!("{name}"), text: title, body }).chain(near).collect()
    }

    /// The methods beside the Lagrangian.
    fn beside(&mut self) -> Vec<Function> {
        let Compiled { declaration, lowered, classified, kernels, .. } = self.compiled;
        let beside = classified.beside.iter().zip(&kernels.beside).zip(&declaration.beside);
        let mut functions = Vec::new();
        for (place, (((sort, plan), kernels), beside)) in beside.enumerate() {
            let (method, used) = (beside.function.name.unraw().to_string(), Use::of(*sort, plan));
            let rows = rows(self.compiled, place, beside, &method);
            let first = self.parts.kernels.len();
            for (k, ((path, family), found)) in plan.placed().into_iter().zip(kernels).enumerate() {
                let shown = Shown::new(lowered, &path, &[family.node]);
                let text = describe(lowered, &self.names, family.node, &shown);
                self.parts.found.push((format!("{} `{method}`", sort.word()), text.clone()));
                let name = format!("{method}_{place}_{k}");
                let kernel = self.kernel(&name, family, (found, used), (&text, &shown));
                self.parts.kernels.push(kernel);
            }
            let members: Vec<&Kernel<'_>> = self.parts.kernels[first..].iter().collect();
            let body = Loops::of_method(self.compiled, *sort).rows(plan, &rows, &members);
            functions.push(Function {
                name: format_ident!("{}_{method}", sort.attribute()),
                text: method.clone(),
                body,
            });
        }
        functions
    }
}

/// The facts about the method at `place` among the methods beside the Lagrangian.
fn rows<'a>(compiled: &'a Compiled, place: usize, beside: &'a Beside, method: &'a str) -> Rows<'a> {
    let Compiled { declaration, lowered, proven, .. } = compiled;
    let holonomic = declaration.of(Sort::Holonomic).count();
    let derivatives = place.checked_sub(holonomic).and_then(|k| proven.velocities.derivatives.get(k));
    Rows {
        beside,
        method,
        kept: lowered.kept.get(place).and_then(|kept| kept.as_deref()),
        derivatives: derivatives.map_or(&[], Vec::as_slice),
    }
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

/// `double_pendulum` from `DoublePendulum`.
pub(super) fn snake(name: &str) -> String {
    let mut text = String::new();
    for (place, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && place > 0 {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
