//! A term family → the loops that find its elements in an instance.
//!
//! The user's loops, conditions and `let`s come out as they went in, around a body that reads the
//! indices and evaluates the coefficients of one element.

use super::checked::{Purpose, checked};
use super::straight_line::{internal, local, plain};
use crate::ast::{Beside, Sort};
use crate::classify::{Family, MassFamily, Plan, Sums};
use crate::coded::FamilyKernel as Kernel;
use crate::coded::{Entry, Slot};
use crate::compiled::Compiled;
use crate::graph::{Leaf, Node, NodeId};
use crate::kernels::{MassKernel, placed};
use crate::lower::form::{Choice, Loop, Step};
use crate::lower::question::Question;
use crate::lower::{Gather, Lowered, Scan, Source, Stage, Variables};
use crate::shown::Shown;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::{Expr, Pat};

/// The names in the emitted functions; none can meet a name of the user's.
pub(super) struct Names {
    pub(super) binder: Ident,
    pub(super) row: Ident,
}

impl Names {
    pub(super) fn new() -> Self {
        Self { binder: local("binder"), row: local("row") }
    }
}

/// The facts about a method beside the Lagrangian that the binder needs.
pub(super) struct Rows<'a> {
    pub(super) beside: &'a Beside,
    pub(super) method: &'a str,
    /// Of constraints: the components of its matrices that are independent equations, unless all are.
    pub(super) kept: Option<&'a [usize]>,
    /// Of constraints on velocities: for each row as written, true if it is the rate of a function.
    pub(super) derivatives: &'a [bool],
}

impl Rows<'_> {
    /// The code before the rows.
    fn begin(&self, binder: &Ident) -> TokenStream {
        let Self { method, kept, .. } = self;
        let Beside { sort, coordinate, settings, .. } = self.beside;
        let coordinate = Literal::usize_unsuffixed(*coordinate);
        let begin = match sort {
            Sort::Force => quote!(#binder.begin_force(#method, #coordinate);),
            Sort::Dissipation => quote!(#binder.begin_dissipation(#method);),
            _ => {
                let of = self.of();
                quote!(#binder.begin_rows(#of, #method);)
            }
        };
        let kept = kept.map(|kept| {
            let (of, kept) = (self.of(), kept.iter().map(|k| Literal::usize_unsuffixed(*k)));
            quote!(#binder.kept_components(#of, &[#(#kept),*]);)
        });
        let event = settings.event.as_ref().map(|event| {
            let event = event.unraw().to_string();
            quote!(#binder.reset_at(#event, #coordinate);)
        });
        let direction = settings.direction.as_ref().map(|direction| {
            let rises = direction == "rising";
            quote!(#binder.passes(#rises);)
        });
        let contact = settings.coefficients.iter().map(|(name, value)| {
            let (text, name) = (format!("the {name} of `{method}`"), name.to_string());
            quote!(#binder.contact(#name, #value, #text)?;)
        });
        quote!(#begin #kept #event #direction #(#contact)*)
    }

    /// The rows, as the binder calls them.
    fn of(&self) -> TokenStream {
        let name = internal(match self.beside.sort {
            Sort::Holonomic => "Holonomic",
            Sort::Nonholonomic | Sort::Force | Sort::Dissipation => "Nonholonomic",
            Sort::Reset => "Reset",
            Sort::Event => "Event",
            Sort::Unilateral => "Unilateral",
        });
        quote!(::least_action::emitted::v1::RowsOf::#name)
    }

    /// The code of the next row, the `written`th of the declaration.
    fn next(&self, binder: &Ident, written: usize) -> TokenStream {
        match self.beside.sort {
            Sort::Nonholonomic if self.derivatives.get(written) == Some(&true) => {
                quote!(#binder.row_of_derivative())
            }
            Sort::Force | Sort::Dissipation => quote!(#binder.force_row()),
            _ => {
                let of = self.of();
                quote!(#binder.row_of(#of))
            }
        }
    }

    /// The code behind the rows, and behind the last family.
    fn end(&self, binder: &Ident) -> TokenStream {
        match self.beside.sort {
            Sort::Force => quote!(#binder.end_force()?;),
            Sort::Dissipation => TokenStream::new(),
            _ => {
                let of = self.of();
                quote!(#binder.end_rows(#of);)
            }
        }
    }

    /// The code that adds a finished family.
    fn add(&self, binder: &Ident, plan: &Plan, family: &Ident) -> TokenStream {
        match (self.beside.sort, plan) {
            (_, Plan::Function(_)) => quote!(#binder.dissipated(#family);),
            (Sort::Force, _) => quote!(#binder.force(#family);),
            (Sort::Dissipation, _) => quote!(#binder.dissipation(#family);),
            _ => {
                let of = self.of();
                quote!(#binder.rows_of(#of, #family);)
            }
        }
    }
}

/// The row to which an element adds.
#[derive(Clone, Copy)]
enum Target<'a> {
    /// None, for a term of a function.
    None,
    /// A row taken before.
    Row(&'a Ident),
    /// The row of a velocity that it reads.
    Velocity(Leaf),
}

/// The numbers of the next family and of the next row as written.
#[derive(Default)]
struct Numbers {
    family: usize,
    row: usize,
}

/// Writes loops over elements.
pub(super) struct Loops<'a> {
    pub(super) lowered: &'a Lowered,
    pub(super) names: Names,
    /// The sums that the elements may read.
    sums: &'a [Sums],
    /// The reader of these sums, as the binder calls it.
    reader: &'static str,
}

impl<'a> Loops<'a> {
    /// Loops over elements of functions of (q, t).
    pub(super) fn of_positions(compiled: &'a Compiled) -> Self {
        let Compiled { lowered, classified, .. } = compiled;
        Self { lowered, names: Names::new(), sums: &classified.stages, reader: "Positions" }
    }

    /// Loops over elements of functions of (q, v, t).
    pub(super) fn of_motion(compiled: &'a Compiled) -> Self {
        let Compiled { lowered, classified, .. } = compiled;
        Self { lowered, names: Names::new(), sums: &classified.moving, reader: "Motion" }
    }

    /// Loops over elements of a method beside the Lagrangian.
    pub(super) fn of_method(compiled: &'a Compiled, sort: Sort) -> Self {
        if sort == Sort::Holonomic { Self::of_positions(compiled) } else { Self::of_motion(compiled) }
    }

    /// The reader of the sums, as code.
    fn reader(&self) -> TokenStream {
        let reader = internal(self.reader);
        quote!(::least_action::emitted::v1::Reader::#reader)
    }

    /// The number of the sums with a stage, and the place of the stage in their loop, as code.
    fn number(&self, stage: usize) -> [Literal; 2] {
        let place = |sums: &Sums| sums.stages.iter().position(|known| *known == stage);
        let found = self.sums.iter().enumerate().find_map(|(number, sums)| Some([number, place(sums)?]));
        [0, 1].map(|k| Literal::usize_unsuffixed(placed(found.map(|found| found[k]))))
    }

    pub(super) fn variables(&self) -> &Variables {
        &self.lowered.variables
    }

    /// The body of a function that fills one family; `finish` takes the family named `family`.
    pub(super) fn family(&self, family: &Family, kernel: &Kernel<'_>, finish: &TokenStream) -> TokenStream {
        let (name, marker) = (local("family"), &kernel.name);
        let body = self.steps(&family.path, &quote!(&#marker.name), &mut BTreeSet::new(), &|emitted| {
            let push = quote!(#name.push);
            self.element(family, kernel, emitted, &push, Target::None)
        });
        let binder = &self.names.binder;
        quote! {
            let mut #name = ::least_action::emitted::v1::Family::new(&#marker, #binder.room());
            #body
            #binder.#finish(#name);
        }
    }

    /// The body of a function that adds a kinetic family to the mass matrix.
    pub(super) fn mass(
        &self,
        family: &MassFamily,
        kernel: &MassKernel,
        (text, reads): (&str, &[String]),
    ) -> TokenStream {
        let graph = &self.lowered.graph;
        let roots: Vec<_> = family.entries.iter().map(|(_, _, entry)| *entry).collect();
        let coefficients: Vec<usize> = graph
            .leaves(&roots)
            .into_iter()
            .filter_map(|leaf| if let Leaf::Coefficient(id) = leaf { Some(id) } else { None })
            .collect();
        let velocities: BTreeSet<Leaf> =
            family.entries.iter().flat_map(|(row, column, _)| [*row, *column]).collect();
        let mut gathers: Vec<usize> = velocities.iter().filter_map(|leaf| leaf.gather()).collect();
        gathers.dedup();
        let binder = &self.names.binder;
        let operations = Literal::u32_unsuffixed(kernel.operations);
        let variables = Literal::usize_unsuffixed(velocities.len());
        let begin = quote!(#binder.begin_kinetic(#text, &[#(#reads),*], #variables, #operations););
        let place = quote!(#text);
        let body = self.steps(&family.path, &place, &mut BTreeSet::new(), &|emitted| {
            let reads = self.reads(&gathers, &coefficients, &place, emitted);
            let code = plain(&kernel.entries, &coefficient_code);
            let lines = &code.lines;
            let adds = family.entries.iter().zip(&code.outputs).map(|((row, column, _), value)| {
                let beside = row != column;
                let (row, column) = (index_code(*row), index_code(*column));
                // An entry beside the diagonal counts twice, also where its reads meet.
                let twice = beside.then(|| quote!(if #row == #column { 2.0 * #value } else { #value }));
                let value = twice.as_ref().unwrap_or(value);
                quote!(#binder.mass(#row, #column, #value, #text)?;)
            });
            quote!(#binder.kinetic_element(); #reads #lines #(#adds)*)
        });
        quote!(#begin #body)
    }

    /// The body of a function that fills the families of one method beside the Lagrangian, row by row.
    pub(super) fn rows(&self, plan: &Plan, rows: &Rows<'_>, families: &[&Kernel<'_>]) -> TokenStream {
        let binder = &self.names.binder;
        let new = internal(if matches!(plan, Plan::Function(_)) { "new" } else { "in_rows" });
        let declare = families.iter().enumerate().map(|(k, Kernel { name: marker, .. })| {
            let name = family_name(k);
            quote!(let mut #name = ::least_action::emitted::v1::Family::#new(&#marker, #binder.room());)
        });
        let finish = (0..families.len()).map(|k| rows.add(binder, plan, &family_name(k)));
        let body = self.plan(plan, rows, families, &mut Numbers::default(), &mut BTreeSet::new());
        let (begin, end) = (rows.begin(binder), rows.end(binder));
        quote! {
            #(#declare)*
            #begin
            #body
            #end
            #(#finish)*
        }
    }

    /// The body of a function that fills the families of a stage, row by row.
    pub(super) fn stage(
        &self,
        Sums { stages, families }: &Sums,
        kernels: &[&Kernel<'_>],
        text: &str,
    ) -> TokenStream {
        let Names { binder, row } = &self.names;
        let all: Vec<&Stage> = stages.iter().map(|stage| &self.lowered.stages[*stage]).collect();
        let (stage, count) = (all[0], Literal::usize_unsuffixed(all.len()));
        let declare = kernels.iter().enumerate().map(|(k, Kernel { name: marker, .. })| {
            let name = family_name(k);
            quote!(let mut #name = ::least_action::emitted::v1::Family::in_rows(&#marker, #binder.room());)
        });
        let finish = (0..kernels.len()).map(|k| {
            let name = family_name(k);
            quote!(#binder.collective_family(#name);)
        });
        let place = quote!(#text);
        // The stage itself loops over items that `let`s name elsewhere.
        let mut emitted: BTreeSet<usize> = stage.items.iter().copied().collect();
        let body = self.steps(&stage.path, &place, &mut emitted, &|emitted| {
            let keys: Vec<&Expr> = stage.keys.iter().collect();
            let before = self.lets(&keys, &place, emitted);
            let pushes = |emitted: &BTreeSet<usize>| -> TokenStream {
                families
                    .iter()
                    .zip(kernels)
                    .enumerate()
                    .map(|(k, (family, kernel))| {
                        let (name, marker) = (family_name(k), &kernel.name);
                        let place = quote!(&#marker.name);
                        let push = quote!(#name.push);
                        let body = self.steps(&family.path, &place, &mut emitted.clone(), &|emitted| {
                            self.element(family, kernel, emitted, &push, Target::Row(row))
                        });
                        quote!({ #body })
                    })
                    .collect()
            };
            let rounds = quote!(#(::least_action::emitted::v1::round(#keys),)*);
            match &stage.scan {
                None => {
                    let pushes = pushes(emitted);
                    quote!(#before let #row = #binder.collective_row(&[#rounds], #place)?; #pushes)
                }
                Some(scan) => {
                    let ranges = all.iter().flat_map(|stage| &stage.scan).flat_map(|scan| &scan.ranges);
                    let rows = self.partial_sums((scan, ranges), &rounds, &place, emitted, &pushes);
                    quote!(#before #rows)
                }
            }
        });
        let reader = self.reader();
        // An angle that runs follow stands alone.
        let follow = self.lowered.turn(stages[0]).map(|(number, period)| {
            let number = Literal::usize_unsuffixed(number);
            quote!(#binder.follow_collective(#number, #period);)
        });
        quote! {
            #(#declare)*
            #binder.begin_collective(#reader, #text, #count);
            #follow
            #body
            #(#finish)*
        }
    }

    /// The rows of partial sums in these rounds: over the items of the longest range that is read.
    fn partial_sums<'s>(
        &self,
        (scan, ranges): (&Scan, impl Iterator<Item = &'s (Vec<Step>, Expr)>),
        rounds: &TokenStream,
        place: &TokenStream,
        emitted: &BTreeSet<usize>,
        pushes: &dyn Fn(&BTreeSet<usize>) -> TokenStream,
    ) -> TokenStream {
        let Names { binder, row } = &self.names;
        let [longest, number] = ["longest", "number"].map(local);
        let mut known = BTreeSet::new();
        let found: TokenStream = ranges
            .filter(|range| known.insert(crate::lower::spelled_range(range)))
            .map(|(steps, range)| {
                let body = self.steps(steps, place, &mut emitted.clone(), &|emitted| {
                    let before = self.lets(&[range], place, emitted);
                    let range = self.checked(range, Purpose::Any, place);
                    quote! {
                        #before
                        #longest = ::least_action::emitted::v1::longest(#longest, #range);
                    }
                });
                quote!({ #body })
            })
            .collect();
        let (item, turned) = (&scan.item, scan.backwards.then(|| quote!(.rev())));
        let items = quote!(#longest.into_iter().flatten() #turned);
        let rounds_of = pushes(emitted);
        quote! {
            let mut #longest = ::core::option::Option::None;
            #found
            #binder.first_partial_sum(&[#rounds 0], #place)?;
            for (#number, #item) in #binder.items(#items, #place)?.enumerate() {
                let #row = #binder.collective_row(&[#rounds #number + 1], #place)?;
                #rounds_of
            }
        }
    }

    fn plan(
        &self,
        plan: &Plan,
        kind: &Rows<'_>,
        families: &[&Kernel<'_>],
        next: &mut Numbers,
        emitted: &mut BTreeSet<usize>,
    ) -> TokenStream {
        let Names { binder, row } = &self.names;
        let filled = |family: &Family, next: &mut Numbers, emitted: &BTreeSet<usize>, target: Target<'_>| {
            let (name, kernel) = (family_name(next.family), &families[next.family]);
            let marker = &kernel.name;
            next.family += 1;
            let (push, place) = (quote!(#name.push), quote!(&#marker.name));
            let body = self.steps(&family.path, &place, &mut emitted.clone(), &|emitted| {
                self.element(family, kernel, emitted, &push, target)
            });
            quote!({ #body })
        };
        match plan {
            Plan::List(parts) => {
                parts.iter().map(|part| self.plan(part, kind, families, next, emitted)).collect()
            }
            Plan::Each(repeat, inner) => {
                let method = kind.method;
                let place = quote!(#method);
                let before = self.lets(&[&repeat.iterator], &place, emitted);
                let Loop { pattern, iterator, position, .. } = &**repeat;
                let iterator = self.checked(iterator, Purpose::Any, &place);
                let inner = self.plan(inner, kind, families, next, &mut emitted.clone());
                let rounds = rounds(binder, (pattern, &iterator), position.as_ref(), &place);
                quote!(#before for #rounds { #inner })
            }
            Plan::Rows(rows) => rows
                .iter()
                .map(|terms| {
                    let take = kind.next(binder, next.row);
                    next.row += 1;
                    let target = Target::Row(row);
                    let pushes: TokenStream =
                        terms.iter().map(|family| filled(family, next, emitted, target)).collect();
                    quote!(let #row = #take; #pushes)
                })
                .collect(),
            Plan::Function(terms) => {
                terms.iter().map(|family| filled(family, next, emitted, Target::None)).collect()
            }
            Plan::AtVelocities(terms) => terms
                .iter()
                .map(|(velocity, family)| filled(family, next, emitted, Target::Velocity(*velocity)))
                .collect(),
        }
    }

    /// The loops and conditions of `path` around `inner`.
    pub(super) fn steps(
        &self,
        path: &[Step],
        place: &TokenStream,
        emitted: &mut BTreeSet<usize>,
        inner: &dyn Fn(&mut BTreeSet<usize>) -> TokenStream,
    ) -> TokenStream {
        let Some((step, rest)) = path.split_first() else { return inner(emitted) };
        match step {
            Step::Stiff => self.steps(rest, place, emitted, inner),
            Step::Loop(repeat) => {
                let binder = &self.names.binder;
                let Loop { pattern, iterator, position, .. } = &**repeat;
                let before = self.lets(&[iterator], place, emitted);
                let iterator = self.checked(iterator, Purpose::Any, place);
                let body = self.steps(rest, place, &mut emitted.clone(), inner);
                let rounds = rounds(binder, (pattern, &iterator), position.as_ref(), place);
                quote!(#before for #rounds { #body })
            }
            Step::Answer(choice, arm) => {
                let before = self.lets(&choice.question.asked(), place, emitted);
                let body = self.steps(rest, place, &mut emitted.clone(), inner);
                let asked = self.answered(choice, *arm, place, &body);
                quote!(#before #asked)
            }
        }
    }

    /// One element: its indices and coefficients, pushed to its family.
    fn element(
        &self,
        family: &Family,
        Kernel { name: marker, coded, .. }: &Kernel<'_>,
        emitted: &mut BTreeSet<usize>,
        push: &TokenStream,
        target: Target<'_>,
    ) -> TokenStream {
        let place = quote!(&#marker.name);
        let (row, at) = match target {
            Target::None => (None, None),
            Target::Row(row) => (Some(quote!(#row)), None),
            Target::Velocity(leaf) => {
                let row = index_code(leaf);
                (Some(quote!(#row)), Some(leaf))
            }
        };
        let read = family.inputs.iter().copied().chain(at);
        let gathers: BTreeSet<usize> = read.filter_map(Leaf::gather).collect();
        let gathers: Vec<usize> = gathers.into_iter().collect();
        let reads = self.reads(&gathers, &family.coefficients, &place, emitted);
        let slots = coded.slots.iter().map(|slot| self.slot(*slot)).chain(row);
        // The numbers that the kernel needs of the coefficients are computed here, once.
        let code = plain(&coded.values, &coefficient_code);
        let (lines, coefficients) = (&code.lines, &code.outputs);
        quote!(#reads #lines #push(&[#(#slots),*], &[#(#coefficients),*])?;)
    }

    /// The first place of a slot whose index is at hand.
    pub(super) fn slot(&self, slot: Slot) -> TokenStream {
        let binder = &self.names.binder;
        let start = match slot.entry {
            Entry::Position(gather) => gather_name(gather).into_token_stream(),
            Entry::Velocity(gather) => {
                let start = gather_name(gather);
                match self.lowered.gathers[gather].source {
                    Source::Declared(_) => quote!(#binder.dimension() + #start),
                    Source::Stage(_) => start.into_token_stream(),
                }
            }
            Entry::Time => quote!(2 * #binder.dimension()),
        };
        match slot.first {
            0 => start,
            first => {
                let first = Literal::usize_unsuffixed(first);
                quote!(#start + #first)
            }
        }
    }

    /// `let`s for the indices and coefficients of one element.
    pub(super) fn reads(
        &self,
        gathers: &[usize],
        coefficients: &[usize],
        place: &TokenStream,
        emitted: &mut BTreeSet<usize>,
    ) -> TokenStream {
        let lowered = self.lowered;
        let expressions: Vec<&Expr> = gathers
            .iter()
            .flat_map(|gather| &lowered.gathers[*gather].indices)
            .chain(coefficients.iter().map(|id| &lowered.coefficients[*id]))
            .collect();
        let before = self.lets(&expressions, place, emitted);
        let binder = &self.names.binder;
        let indices = gathers.iter().map(|gather| {
            let Gather { source, indices } = &lowered.gathers[*gather];
            let name = gather_name(*gather);
            let of_sums = matches!(source, Source::Stage(_));
            let indices = indices.iter().map(|index| match index {
                // The number of items of a partial sum.
                Expr::Range(_) if of_sums => {
                    let range = self.checked(index, Purpose::Any, place);
                    quote!(::least_action::emitted::v1::length(&(#range)))
                }
                _ => {
                    let index = self.checked(index, Purpose::Count, place);
                    if of_sums { quote!(::least_action::emitted::v1::round(#index)) } else { quote!(#index) }
                }
            });
            match source {
                Source::Declared(coordinate) => {
                    let coordinate = Literal::usize_unsuffixed(*coordinate);
                    quote!(let #name = #binder.entry(#coordinate, &[#(#indices),*], #place)?;)
                }
                Source::Stage(stage) => {
                    let (reader, [stage, sum]) = (self.reader(), self.number(*stage));
                    quote! {
                        let #name =
                            #binder.collective(#reader, (#stage, #sum), &[#(#indices),*], #place)?;
                    }
                }
            }
        });
        let values = coefficients.iter().map(|id| {
            let name = coefficient_name(*id);
            let value = self.checked(&lowered.coefficients[*id], Purpose::Any, place);
            quote!(let #name = ::least_action::emitted::v1::coefficient(#value);)
        });
        let switches = self.switches(coefficients);
        quote!(#before #(#indices)* #(#values)* #switches)
    }

    /// Checks on the coefficients at hand that each switch begins before it ends.
    fn switches(&self, coefficients: &[usize]) -> TokenStream {
        let graph = &self.lowered.graph;
        let distance = |node: NodeId| match *graph.node(node) {
            Node::Leaf(Leaf::Coefficient(id)) => coefficients.contains(&id).then(|| {
                let written = self.variables().as_written(&self.lowered.coefficients[id]);
                let name = coefficient_name(id);
                (quote!(#name), crate::parse::text(&written))
            }),
            _ => graph.value_of(node).map(|value| (quote!(#value), value.to_string())),
        };
        let asked = self.lowered.switches.iter().filter_map(|[on, off]| {
            let ((on, begins), (off, ends)) = (distance(*on)?, distance(*off)?);
            let written = format!("switched(…, {begins}, {ends})");
            Some(quote!(::least_action::emitted::v1::switch(#on, #off, #written)?;))
        });
        quote!(#(#asked)*)
    }

    /// The `let`s that `expressions` need and that have not been emitted yet.
    pub(super) fn lets(
        &self,
        expressions: &[&Expr],
        place: &TokenStream,
        emitted: &mut BTreeSet<usize>,
    ) -> TokenStream {
        let needed = self.variables().needed(expressions, emitted);
        let lets = self.variables().lets();
        emitted.extend(&needed);
        needed
            .into_iter()
            .map(|k| {
                let pattern = &lets[k].pattern;
                let value = self.checked(&lets[k].value, Purpose::Any, place);
                quote!(let #pattern = #value;)
            })
            .collect()
    }

    pub(super) fn checked(&self, expression: &Expr, purpose: Purpose, place: &TokenStream) -> Expr {
        checked(expression, purpose, place, self.variables())
    }

    /// The code that runs `body` when `choice` is answered by `arm`.
    fn answered(&self, choice: &Choice, arm: usize, place: &TokenStream, body: &TokenStream) -> TokenStream {
        match &choice.question {
            Question::If(condition) => {
                let condition = self.checked(condition, Purpose::Any, place);
                if arm == 0 {
                    quote!(if #condition { #body })
                } else {
                    quote!(if #condition {} else { #body })
                }
            }
            Question::Match(scrutinee, patterns) => {
                let scrutinee = self.checked(scrutinee, Purpose::Any, place);
                let arms = patterns.iter().enumerate().map(|(k, pattern)| {
                    let mut pattern = pattern.clone();
                    if let Pat::Guard(guarded) = &mut pattern {
                        *guarded.guard = self.checked(&guarded.guard, Purpose::Any, place);
                    }
                    if k == arm { quote!(#pattern => { #body }) } else { quote!(#pattern => {}) }
                });
                // Rustc judges completeness once, where the match stands as written.
                quote!(match #scrutinee { #(#arms)* _ => {} })
            }
        }
    }
}

/// The head of a loop: `pattern in items`, with the number of the round if it is read.
fn rounds(
    binder: &Ident,
    (pattern, iterator): (&Pat, &Expr),
    position: Option<&Ident>,
    place: &TokenStream,
) -> TokenStream {
    match position {
        None => quote!(#pattern in #binder.items(#iterator, #place)?),
        Some(position) => quote!((#position, #pattern) in #binder.items(#iterator, #place)?.enumerate()),
    }
}

fn family_name(k: usize) -> Ident {
    local(&format!("family_{k}"))
}

pub(super) fn gather_name(gather: usize) -> Ident {
    local(&format!("entry_{gather}"))
}

pub(super) fn coefficient_name(id: usize) -> Ident {
    local(&format!("coefficient_{id}"))
}

/// The value of a coefficient leaf in the code that binds an element.
pub(super) fn coefficient_code(leaf: Leaf) -> TokenStream {
    match leaf {
        Leaf::Coefficient(id) => coefficient_name(id).into_token_stream(),
        other => index_code(other),
    }
}

/// The global index of a leaf within its half of the state.
fn index_code(leaf: Leaf) -> TokenStream {
    match leaf {
        Leaf::Position { gather, component } | Leaf::Velocity { gather, component } => {
            let (name, offset) = (gather_name(gather), Literal::usize_unsuffixed(component));
            if component == 0 { quote!(#name) } else { quote!(#name + #offset) }
        }
        _ => quote!(0),
    }
}

/// An expression in words, with the user's own texts for its reads.
pub(super) fn describe(lowered: &Lowered, names: &[String], node: NodeId, shown: &Shown) -> String {
    lowered.graph.print(node, &|leaf| match leaf {
        Leaf::Position { gather, component } => component_text(lowered, names, shown, gather, component),
        Leaf::Velocity { gather, component } => {
            let text = component_text(lowered, names, shown, gather, component);
            if lowered.is_rate(gather) { format!("der({text})") } else { text }
        }
        Leaf::Direction { gather, component } => {
            format!("d{}", component_text(lowered, names, shown, gather, component))
        }
        Leaf::Coefficient(id) | Leaf::End(id) => {
            let text = shown.coefficient(id).map_or_else(|| format!("c{id}"), crate::parse::text);
            let simple =
                text.chars().all(|c| c.is_alphanumeric() || "._[]() ".contains(c)) && !text.contains(' ');
            if simple { text } else { format!("({text})") }
        }
        Leaf::Time => "t".to_owned(),
        Leaf::Phase => "theta".to_owned(),
        Leaf::Signal { number, reading } => super::signal::text(&lowered.signals[number], reading),
        Leaf::Weight(row) => format!("w{row}"),
        Leaf::Along(input) => format!("a{input}"),
        Leaf::Internal(k) => format!("u{k}"),
    })
}

/// The entry that a gather reads, in the user's words.
pub(super) fn entry_text(lowered: &Lowered, names: &[String], shown: &Shown, gather: usize) -> String {
    if lowered.separations.contains(&gather) {
        return "d".to_owned();
    }
    let mut text = match lowered.gathers[gather].source {
        Source::Declared(coordinate) => names[coordinate].clone(),
        Source::Stage(stage) => lowered.text_of_stage(lowered.stages[stage].rate_of.unwrap_or(stage)),
    };
    for index in shown.indices(gather) {
        text.push('[');
        match index {
            // The items of a partial sum.
            Expr::Range(range) => {
                let end = |end: Option<&Expr>| {
                    end.map_or_else(String::new, |end| crate::parse::text(crate::parse::bare(end)))
                };
                let dots = if matches!(range.limits, syn::RangeLimits::Closed(_)) { "..=" } else { ".." };
                text.extend([&end(range.start.as_deref()), dots, &end(range.end.as_deref())]);
            }
            index => text.push_str(&crate::parse::text(index)),
        }
        text.push(']');
    }
    text
}

fn component_text(
    lowered: &Lowered,
    names: &[String],
    shown: &Shown,
    gather: usize,
    component: usize,
) -> String {
    let mut text = entry_text(lowered, names, shown, gather);
    let components = lowered.gathers[gather].coordinate().map_or(1, |k| lowered.components[k]);
    match components {
        1 => {}
        9 => text = format!("{text}[({}, {})]", component / 3, component % 3),
        _ => {
            text.push('.');
            text.push(['x', 'y', 'z'][component]);
        }
    }
    text
}
