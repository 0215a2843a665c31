//! The emitted code, run: its binding yields elements, its kernels are evaluated on them.

use super::formula::as_read;
use super::number::{Number as _, Unary};
use super::rust::{Run, Surroundings, Value, Variables, known};
use super::source::Parameters;
use least_action_kernel::{Operation, Results};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use syn::visit::{self, Visit};
use syn::{Block, Expr, FnArg, GenericArgument, ImplItem, Item, ItemImpl, Pat, PathArguments, Stmt, Type};

/// The emitted facts about one element.
#[derive(Default)]
struct Facts {
    /// The slot and the component of each input.
    inputs: Vec<(usize, usize)>,
    /// Row, column and number of each entry, and whether it is the negative of that number.
    entries: Vec<(usize, usize, usize, bool)>,
    /// The type of each operation; none of one that is zero.
    operations: BTreeMap<Operation, Option<String>>,
    /// To how many sums an element adds.
    sums: usize,
    /// The expression, as it is printed.
    formula: String,
    /// Of a sum over near pairs, its element.
    element: Option<String>,
    /// Of a sum over near pairs, the roles of the slots and the sources of the coefficients.
    roles: Vec<String>,
    sources: Vec<String>,
    /// True if it goes over the neighbours of the points in question, even if there are none, instead
    /// of all pairs.
    of_rows: bool,
}

/// The emitted functions of one type, by name, each with the names of its parameters.
type Functions = BTreeMap<String, (Vec<String>, Block)>;

/// The code that was emitted for a declaration.
pub(super) struct Emitted {
    types: BTreeMap<String, Functions>,
    kernels: BTreeMap<String, Facts>,
    constant_mass: bool,
    no_force_of_velocity: bool,
    /// The names of the `let`s that only give a value a name, by the function in which they stand.
    plain_lets: BTreeMap<String, BTreeSet<String>>,
}

/// One element of a family: its row (constraints and forces), the global indices of its inputs, its
/// coefficients.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) row: usize,
    pub(super) inputs: Vec<usize>,
    pub(super) coefficients: Vec<f64>,
    /// The variables of its formula.
    pub(super) variables: Variables<f64>,
}

/// One element of a kinetic family: its entries of the mass matrix, its formula and the variables in
/// it.
#[derive(Debug)]
pub(super) struct Kinetic {
    pub(super) formula: String,
    pub(super) entries: Vec<(usize, usize, f64)>,
    pub(super) variables: Variables<f64>,
}

/// A family after binding.
#[derive(Debug, Clone)]
pub(super) struct Family {
    pub(super) marker: String,
    pub(super) role: String,
    pub(super) elements: Vec<Element>,
    /// True if elements have rows, which stand behind their slots.
    in_rows: bool,
    /// True if it is a sum over near pairs, whose formula reads a separation.
    pub(super) is_near: bool,
}

/// The calls that the binder received.
#[derive(Debug, Default)]
pub(super) struct Bound {
    groups: Vec<(usize, usize, Vec<usize>)>,
    pub(super) dimension: usize,
    pub(super) mass: Vec<(usize, usize, f64)>,
    pub(super) families: Vec<Family>,
    pub(super) rows: usize,
    /// The number of rows on velocities.
    pub(super) nonholonomic: usize,
    pub(super) kinetic: Vec<Kinetic>,
    kinetic_formula: String,
    /// The sums that functions of (q, t) read.
    pub(super) still: Collectives,
    /// The sums that functions of (q, v, t) read.
    pub(super) moving: Collectives,
    /// True if the last stage is one of these.
    in_motion: bool,
    /// Where the points of each list begin, with the radius and the dimension of the list.
    lists: Vec<(Vec<usize>, f64, usize)>,
    near: Vec<NearFamily>,
}

/// The sums that functions of the same arguments read.
#[derive(Debug, Default)]
pub(super) struct Collectives {
    pub(super) stages: Vec<Stage>,
    /// The number of all rows.
    pub(super) count: usize,
    /// The rows that are added to the row before them, with their stage.
    pub(super) links: Vec<(usize, usize)>,
    /// True if the last stage is one of partial sums.
    is_partial: bool,
    /// The rows that are components of separations, each with the two coordinates of the difference.
    pub(super) separations: Vec<(usize, usize, usize)>,
}

/// Sums that are added up together.
#[derive(Debug, Default)]
pub(super) struct Stage {
    /// The row of the first of them by the rounds around it.
    rows: HashMap<Vec<usize>, usize>,
    /// How many there are in each of these rounds. Their rows stand so far apart as there are rounds.
    width: usize,
    is_closed: bool,
}

impl Stage {
    /// How far the rows of the sums of one round stand apart.
    pub(super) fn apart(&self) -> usize {
        self.rows.len()
    }
}

impl Collectives {
    /// Makes place for the further sums of the last stage, whose rounds are all there.
    fn close(&mut self) {
        let Some(number) = self.stages.len().checked_sub(1) else { return };
        let stage = &mut self.stages[number];
        if std::mem::replace(&mut stage.is_closed, true) {
            return;
        }
        let (apart, further) = (stage.apart(), 1..stage.width);
        self.count += further.len() * apart;
        let links: Vec<usize> =
            self.links.iter().filter(|(of, _)| *of == number).map(|(_, row)| *row).collect();
        self.links.extend(further.flat_map(|k| links.iter().map(move |row| (number, row + k * apart))));
    }
}

/// The inputs at the ends of near pairs: slots, coefficients and keys.
type Supplied = (Vec<usize>, Vec<f64>, String);

/// A sum over near pairs, as it is bound.
#[derive(Debug, Default)]
struct NearFamily {
    marker: String,
    list: usize,
    shared: Vec<f64>,
    row: usize,
    firsts: BTreeMap<usize, Supplied>,
    seconds: BTreeMap<usize, Supplied>,
    /// The rows of neighbours of points.
    visits: Vec<(usize, usize, Supplied)>,
    /// The coefficients of pairs, by the keys of both ends.
    table: HashMap<(String, String), Vec<f64>>,
    /// The classes whose coefficients come next, the last one first.
    next: Vec<(String, String)>,
}

impl NearFamily {
    /// The statements and questions of the binding about it.
    fn told(&mut self, name: &str, arguments: &[Value<f64>], points: usize) -> Value<f64> {
        let supplied = |rest: &[Value<f64>]| (indices(&rest[0]), rest[1].flat(), format!("{:?}", rest[2]));
        let whole = |value: &Value<f64>| usize::try_from(value.integer()).expect("an index");
        match (name, arguments) {
            ("firsts" | "seconds", []) => return Value::Integer(points as i64),
            ("shared", [values]) => self.shared = values.flat(),
            ("row", [row]) => self.row = whole(row),
            ("first", [end, rest @ ..]) => {
                self.firsts.insert(whole(end), supplied(rest));
            }
            ("second", [end, rest @ ..]) => {
                self.seconds.insert(whole(end), supplied(rest));
            }
            ("visit", [row, end, rest @ ..]) => self.visits.push((whole(row), whole(end), supplied(rest))),
            ("representatives", []) => {
                let of_visits = self.visits.iter().map(|(_, end, (.., key))| (*end, key.clone()));
                let firsts: Vec<(usize, String)> =
                    self.firsts.iter().map(|(end, (.., key))| (*end, key.clone())).chain(of_visits).collect();
                let firsts = if firsts.is_empty() { vec![(0, String::new())] } else { firsts };
                let seconds: Vec<(usize, String)> =
                    self.seconds.iter().map(|(end, (.., key))| (*end, key.clone())).collect();
                let seconds = if seconds.is_empty() { vec![(0, String::new())] } else { seconds };
                let mut ends = Vec::new();
                for (first, of_first) in &firsts {
                    for (second, of_second) in &seconds {
                        self.next.push((of_first.clone(), of_second.clone()));
                        let pair = [first, second].map(|end| Value::Integer(*end as i64));
                        ends.push(Value::Tuple(pair.to_vec()));
                    }
                }
                self.next.reverse();
                return Value::List(ends);
            }
            ("pair", [values]) => {
                let classes = self.next.pop().expect("a pair of classes");
                self.table.insert(classes, values.flat());
            }
            (name, arguments) => panic!("family.{name}({arguments:?})"),
        }
        Value::Tuple(Vec::new())
    }
}

impl Bound {
    /// The elements of a sum over pairs that are near at q.
    fn near_elements(
        &mut self,
        family: usize,
        facts: [&Facts; 2],
        in_motion: bool,
        q: &[f64],
    ) -> Vec<Element> {
        let [near, single] = facts;
        let family = &self.near[family];
        let (starts, radius, dimension) = &self.lists[family.list];
        let nothing = (Vec::new(), Vec::new(), String::new());
        let of = |ends: &BTreeMap<usize, Supplied>, end: usize| ends.get(&end).unwrap_or(&nothing).clone();
        let mut pairs: Vec<(usize, usize, usize, Supplied)> = Vec::new();
        if near.of_rows {
            for (row, i, supplied) in &family.visits {
                let others = (0..starts.len()).filter(|j| j != i);
                pairs.extend(others.map(|j| (*row, *i, j, supplied.clone())));
            }
        } else {
            let ends = |i: usize| (i + 1..starts.len()).map(move |j| (i, j));
            let all = (0..starts.len()).flat_map(ends);
            pairs.extend(all.map(|(i, j)| (family.row, i, j, of(&family.firsts, i))));
        }
        let before = if in_motion { 2 * self.dimension + 1 } else { self.dimension };
        let all = if in_motion { &mut self.moving } else { &mut self.still };
        let mut elements = Vec::new();
        for (row, i, j, first) in pairs {
            let difference = |k: usize| (starts[i] + k, starts[j] + k);
            let square: f64 = (0..*dimension).map(difference).map(|(a, b)| (q[a] - q[b]).powi(2)).sum();
            if square >= radius.powi(2) {
                continue;
            }
            let separation = before + all.count;
            for (a, b) in (0..*dimension).map(difference) {
                all.separations.push((all.count, a, b));
                all.count += 1;
            }
            let second = of(&family.seconds, j);
            let (mut of_first, mut of_second) = (first.0.iter(), second.0.iter());
            let slots: Vec<usize> = near
                .roles
                .iter()
                .map(|role| match role.as_str() {
                    "Separation" => separation,
                    "First" => *of_first.next().expect("a slot"),
                    _ => *of_second.next().expect("a slot"),
                })
                .collect();
            let none = Vec::new();
            let of_pair = family.table.get(&(first.2.clone(), second.2.clone())).unwrap_or(&none);
            let mut sources =
                [("Shared", &family.shared), ("Pair", of_pair), ("First", &first.1), ("Second", &second.1)]
                    .map(|(name, values)| (name, values.iter()));
            let coefficients = near.sources.iter().map(|source| {
                let (_, values) = sources.iter_mut().find(|(name, _)| name == source).expect("a source");
                *values.next().expect("a coefficient")
            });
            let coefficients = coefficients.collect();
            let inputs = single.inputs.iter().map(|&(slot, component)| slots[slot] + component).collect();
            elements.push(Element { row, inputs, coefficients, variables: Variables::new() });
        }
        elements
    }

    /// The statements and questions to the binder about collectives.
    fn collective(&mut self, name: &str, arguments: &[Value<f64>]) -> Value<f64> {
        match (name, arguments) {
            ("begin_collective", [Value::Name(reader), Value::Name(_), width]) => {
                self.in_motion = reader == "Motion";
                let all = self.collectives(self.in_motion);
                all.close();
                all.stages.push(Stage { width: width.integer() as usize, ..Stage::default() });
                all.is_partial = false;
            }
            // Without a run, angles have the values of their functions.
            ("follow_collective", _) => {}
            ("first_partial_sum", [rounds, _]) => {
                let all = self.collectives(self.in_motion);
                let row = all.count;
                all.count += 1;
                all.is_partial = true;
                let before = all.stages.last_mut().expect("a stage").rows.insert(indices(rounds), row);
                assert_eq!(before, None, "a sum is there twice");
            }
            ("collective_row", [rounds, _]) => {
                let all = self.collectives(self.in_motion);
                let row = all.count;
                all.count += 1;
                let stage = all.stages.last_mut().expect("a stage");
                let before = stage.rows.insert(indices(rounds), row);
                assert_eq!(before, None, "a sum is there twice");
                if all.is_partial {
                    all.links.push((all.stages.len() - 1, row));
                }
                return Value::Integer(row as i64);
            }
            ("collective", [Value::Name(reader), place, rounds, _]) => {
                let in_motion = reader == "Motion";
                let before = if in_motion { 2 * self.dimension + 1 } else { self.dimension };
                let [stage, sum] = indices(place)[..] else { panic!("{place:?}") };
                let all = self.collectives(in_motion);
                if stage + 1 == all.stages.len() {
                    // Sums that are zero have no family.
                    all.close();
                }
                let stage = &all.stages[stage];
                assert!(sum < stage.width && stage.is_closed);
                return Value::Integer((before + stage.rows[&indices(rounds)] + sum * stage.apart()) as i64);
            }
            ("collective_family", [Value::Foreign(family)]) => {
                let in_motion = self.in_motion;
                let all = self.collectives(in_motion);
                all.close();
                let stage = all.stages.len() - 1;
                let sort = if in_motion { "moving" } else { "sum" };
                self.families[*family].role = format!("{sort} {stage}");
            }
            (name, arguments) => panic!("binder.{name}({arguments:?})"),
        }
        Value::Tuple(Vec::new())
    }

    fn collectives(&mut self, in_motion: bool) -> &mut Collectives {
        if in_motion { &mut self.moving } else { &mut self.still }
    }
}

impl Emitted {
    /// Reads the emitted tokens.
    pub(super) fn parse(tokens: TokenStream) -> Self {
        let file: syn::File = syn::parse2(tokens).expect("emitted code is Rust");
        let mut lets = PlainLets::default();
        lets.visit_file(&file);
        let mut emitted = Self {
            types: BTreeMap::new(),
            kernels: BTreeMap::new(),
            constant_mass: false,
            no_force_of_velocity: false,
            plain_lets: lets.names,
        };
        for item in file.items {
            let constant = match item {
                Item::Const(constant) => constant,
                // Methods on plain numbers stay unchanged.
                Item::Impl(item) if item.trait_.is_none() => {
                    emitted.read(item);
                    continue;
                }
                _ => continue,
            };
            let Expr::Block(block) = *constant.expr else { continue };
            for statement in block.block.stmts {
                match statement {
                    Stmt::Item(Item::Impl(item)) => emitted.read(item),
                    Stmt::Item(Item::Const(constant)) => emitted.read_inputs(&constant),
                    Stmt::Item(Item::Static(kernel)) => emitted.read_kernel(&kernel),
                    _ => {}
                }
            }
        }
        emitted
    }

    fn read(&mut self, item: ItemImpl) {
        let Type::Path(path) = &*item.self_ty else { return };
        let functions = self.types.entry(type_name(&path.path)).or_default();
        for member in item.items {
            match member {
                ImplItem::Fn(function) => {
                    let names = function.sig.inputs.iter().filter_map(|input| match input {
                        FnArg::Typed(argument) => match &*argument.pat {
                            Pat::Ident(name) => Some(name.ident.to_string()),
                            _ => Some("_".to_owned()),
                        },
                        FnArg::Receiver(_) => None,
                    });
                    let known = (names.collect(), function.block);
                    functions.insert(function.sig.ident.to_string(), known);
                }
                ImplItem::Type(ty) if ty.ident == "Mass" => {
                    self.constant_mass = ty.ty.to_token_stream().to_string().ends_with("Constant");
                }
                ImplItem::Type(ty) if ty.ident == "Force" => {
                    self.no_force_of_velocity = ty.ty.to_token_stream().to_string().ends_with("PositionOnly");
                }
                _ => {}
            }
        }
    }

    /// The constant with the inputs of a kernel.
    fn read_inputs(&mut self, constant: &syn::ItemConst) {
        let name = constant.ident.to_string();
        let Some(kernel) = name.strip_suffix("_INPUTS") else { return };
        let inputs: Value<f64> = Run.expression(&constant.expr, &mut Vec::new(), &mut Nothing);
        let pairs = inputs.list().into_iter().map(|pair| {
            let pair = pair.list();
            (pair[0].integer() as usize, pair[1].integer() as usize)
        });
        self.kernels.entry(kernel.to_owned()).or_default().inputs = pairs.collect();
    }

    fn read_kernel(&mut self, kernel: &syn::ItemStatic) {
        let own = self.kernels.entry(kernel.ident.to_string()).or_default();
        let all = fields(&kernel.expr);
        if let Some(element) = all.get("kernel") {
            let Expr::Call(handle) = element else { panic!("{element:?}") };
            let Expr::Reference(element) = &handle.args[0] else { panic!("{handle:?}") };
            own.element = Some(element.expr.to_token_stream().to_string());
            let facts = fields(all["facts"]);
            let names = |name: &str| match borrowed(facts[name]) {
                Expr::Reference(names) => match &*names.expr {
                    Expr::Array(names) => names.elems.iter().map(last_name).collect(),
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            };
            (own.roles, own.sources) = (names("roles"), names("sources"));
            own.of_rows = last_name(facts["sort"]) == "Rows";
            return;
        }
        own.operations = read_operations(all["operations"]);
        let facts = fields(all["facts"]);
        let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(formula), .. }) = borrowed(facts["name"]) else {
            panic!("{kernel:?}")
        };
        own.formula = formula.value();
        own.sums = whole(facts["sums"]);
        let Expr::Reference(entries) = borrowed(facts["entries"]) else { panic!("{kernel:?}") };
        let Expr::Array(entries) = &*entries.expr else { panic!("{entries:?}") };
        for entry in &entries.elems {
            let entry = fields(entry);
            let [row, column, number] = ["row", "column", "number"].map(|name| whole(entry[name]));
            let negative = entry["negative"].to_token_stream().to_string() == "true";
            own.entries.push((row, column, number, negative));
        }
    }

    /// Runs the binding on these parameters, with the near pairs at q.
    pub(super) fn bind(&self, model: &str, parameters: &Parameters, q: &[f64]) -> Bound {
        let function = "declare".to_owned();
        let mut around = Binding { emitted: self, model, parameters, q, function, bound: Bound::default() };
        let (names, body) = &self.types[model]["declare"];
        Run.block(body, &mut vec![(names[0].clone(), Value::Foreign(BINDER))], &mut around);
        around.bound
    }

    /// The expression of a kernel, as it is printed.
    pub(super) fn formula(&self, kernel: &str) -> &str {
        &self.kernels[kernel].formula
    }

    /// True if the part of L at rest is −V: engines take V of systems with a constant mass and without
    /// forces that depend on velocities. Terms are split if these systems have no sums, either.
    pub(super) fn has_potential(&self, bound: &Bound) -> bool {
        self.constant_mass && (self.no_force_of_velocity || bound.moving.count == 0)
    }

    /// The local positions (row, column) of the stored second derivatives.
    pub(super) fn entries(&self, kernel: &str) -> Vec<(usize, usize)> {
        self.kernels[kernel].entries.iter().map(|&(row, column, ..)| (row, column)).collect()
    }

    /// True if a kernel has an operation.
    pub(super) fn has(&self, kernel: &str, operation: Operation) -> bool {
        self.kernels[kernel].operations.contains_key(&operation)
    }

    /// To how many sums the elements of a kernel add.
    pub(super) fn sums(&self, kernel: &str) -> usize {
        self.kernels[kernel].sums
    }

    /// The results of an operation of a kernel: its scalar if it has one, its vector, and entries of
    /// second derivatives.
    pub(super) fn kernel(
        &self,
        kernel: &str,
        operation: Operation,
        arguments: &[&[f64]],
        t: f64,
    ) -> Vec<f64> {
        self.kernel_of_sum(kernel, (operation, 0), arguments, t)
    }

    /// The results of a function of this number, where elements add to several sums: the values added
    /// there, with weight one for this sum and zero for the others.
    pub(super) fn kernel_of_sum(
        &self,
        kernel: &str,
        (operation, sum): (Operation, usize),
        arguments: &[&[f64]],
        t: f64,
    ) -> Vec<f64> {
        let facts = &self.kernels[kernel];
        let weights: Vec<f64> = (0..facts.sums).map(|k| if k == sum { 1.0 } else { 0.0 }).collect();
        // Positions, the direction if there is one, and the coefficients.
        let (x, c) = (arguments[0], arguments[arguments.len() - 1]);
        let mut ports = Ports {
            lists: HashMap::from([
                ("x", x),
                ("a", arguments[arguments.len() - 2]),
                ("c", c),
                ("weight", &weights[..]),
            ]),
            scalars: HashMap::new(),
            t,
            vector: BTreeMap::new(),
            sums: BTreeMap::new(),
            numbers: BTreeMap::new(),
            matrix: BTreeMap::new(),
            facts,
        };
        // The results of an operation for which nobody asks are not numbers.
        let (scalar, others) = match facts.operations.get(&operation) {
            Some(Some(name)) => (ports.block(&self.types[name]["run"].1), 0.0),
            Some(None) => (0.0, 0.0),
            None => (f64::NAN, f64::NAN),
        };
        let scalar = if facts.sums == 0 { scalar } else { ports.sums.get(&sum).copied().unwrap_or(others) };
        let vector = (0..x.len()).map(|k| ports.vector.get(&k).copied().unwrap_or(others));
        match operation.results() {
            Results::Scalar => vec![scalar],
            Results::Vector => vector.collect(),
            Results::ScalarAndVector => std::iter::once(scalar).chain(vector).collect(),
            Results::VectorAndMatrix => {
                let entries = (0..facts.entries.len()).map(|k| ports.matrix[&k]);
                vector.chain(entries).collect()
            }
        }
    }
}

/// Collects the names of plain `let`s, and the arguments of emitted functions, of each function.
#[derive(Default)]
struct PlainLets {
    names: BTreeMap<String, BTreeSet<String>>,
    function: String,
}

impl PlainLets {
    fn take(&mut self, name: &syn::Ident) {
        self.names.entry(self.function.clone()).or_default().insert(name.to_string());
    }
}

impl<'ast> Visit<'ast> for PlainLets {
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        // The declaration itself, over dual numbers, stands beside with its own names.
        if item.trait_.as_ref().is_some_and(|(path, _)| path.is_ident("Families")) {
            visit::visit_item_impl(self, item);
        }
    }
    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.function = function.sig.ident.to_string();
        visit::visit_impl_item_fn(self, function);
    }
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Pat::Ident(name) = &local.pat {
            self.take(&name.ident);
        }
        visit::visit_local(self, local);
    }
    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        for input in &signature.inputs {
            if let FnArg::Typed(argument) = input
                && let Pat::Ident(name) = &*argument.pat
                && name.ident == "__binder"
            {
                self.take(&name.ident);
            }
        }
    }
}

/// The last name of a path.
fn last_name(path: &Expr) -> String {
    path.to_token_stream().to_string().rsplit(':').next().unwrap_or_default().trim().to_owned()
}

/// The name of a type; the name of an operation with its module.
fn type_name(path: &syn::Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    names[names.len().saturating_sub(2)..].join("::")
}

/// The fields of a struct.
fn fields(of: &Expr) -> BTreeMap<String, &Expr> {
    let Expr::Struct(of) = of else { panic!("{of:?}") };
    of.fields.iter().map(|field| (field.member.to_token_stream().to_string(), &field.expr)).collect()
}

/// The constant in a `Borrowed`.
fn borrowed(value: &Expr) -> &Expr {
    let Expr::Call(call) = value else { panic!("{value:?}") };
    &call.args[0]
}

/// The type of each operation that runs its own code, and the operations that are zero.
fn read_operations(all: &Expr) -> BTreeMap<Operation, Option<String>> {
    let Expr::Array(all) = all else { panic!("{all:?}") };
    assert_eq!(all.elems.len(), Operation::COUNT);
    let mut operations = BTreeMap::new();
    for (operation, executable) in Operation::ALL.into_iter().zip(&all.elems) {
        let Expr::Call(call) = executable else {
            if last_name(executable) == "Zero" {
                operations.insert(operation, None);
            }
            continue;
        };
        let Expr::Path(path) = &*call.func else { panic!("{call:?}") };
        let last = path.path.segments.last().expect("a name");
        // Others run the code of another operation, in another loop.
        if operation.code_of().is_some() || !["single", "wide", "near"].contains(&&*last.ident.to_string()) {
            continue;
        }
        let PathArguments::AngleBracketed(generics) = &last.arguments else { panic!("{last:?}") };
        let Some(GenericArgument::Type(Type::Path(of))) = generics.args.first() else {
            panic!("{generics:?}")
        };
        operations.insert(operation, Some(type_name(&of.path)));
    }
    operations
}

/// The body of an operation: `let`s of arithmetic on its inputs, and results that are added once each.
struct Ports<'a> {
    lists: HashMap<&'static str, &'a [f64]>,
    scalars: HashMap<String, f64>,
    t: f64,
    vector: BTreeMap<usize, f64>,
    sums: BTreeMap<usize, f64>,
    numbers: BTreeMap<usize, f64>,
    matrix: BTreeMap<usize, f64>,
    facts: &'a Facts,
}

impl Ports<'_> {
    /// The scalar of the operation.
    fn block(&mut self, block: &Block) -> f64 {
        let mut last = 0.0;
        for statement in &block.stmts {
            match statement {
                Stmt::Local(local) => match &local.pat {
                    Pat::Ident(name) => {
                        let value = self.number(&local.init.as_ref().expect("a value").expr);
                        self.scalars.insert(name.ident.to_string(), value);
                    }
                    // Time and phase, of which the declarations of these tests have the time alone.
                    Pat::Struct(instant) => {
                        let name = instant.fields[0].pat.to_token_stream().to_string();
                        self.scalars.insert(name, self.t);
                    }
                    other => panic!("{other:?}"),
                },
                Stmt::Expr(Expr::MethodCall(call), Some(_)) => self.put(call),
                Stmt::Expr(expression, None) => last = self.number(expression),
                other => panic!("{other:?} in a kernel"),
            }
        }
        last
    }

    /// A result.
    fn put(&mut self, call: &syn::ExprMethodCall) {
        let value = self.number(call.args.last().expect("a value"));
        let at = whole(&call.args[0]);
        let (written, what) = match call.method.to_string().as_str() {
            "vector" => (&mut self.vector, "entry of the vector"),
            "sum" => (&mut self.sums, "sum"),
            "number" => (&mut self.numbers, "number of the matrix"),
            sign => {
                let (_, _, number, is_negative) = self.facts.entries[at];
                let of_table = if is_negative { "minus" } else { "plus" };
                assert_eq!(sign, of_table, "entry {at} of the table");
                // Registers take the number, single elements the value added to the entry: they are
                // equal.
                let in_registers = self.numbers.get(&number).map(|kept| kept.to_bits());
                assert_eq!(in_registers, Some(value.to_bits()), "entry {at} of the matrix");
                let value = if is_negative { -value } else { value };
                let before = self.matrix.insert(at, value);
                assert_eq!(before, None, "entry {at} of the matrix is written twice");
                return;
            }
        };
        let before = written.insert(at, value);
        assert_eq!(before, None, "{what} {at} is written twice");
    }

    fn number(&self, expression: &Expr) -> f64 {
        match expression {
            Expr::Paren(inner) => self.number(&inner.expr),
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) => {
                number.base10_parse().expect("a number")
            }
            Expr::Path(path) => self.scalars[&path.path.require_ident().expect("a name").to_string()],
            Expr::MethodCall(call) => self.lists[call.method.to_string().as_str()][whole(&call.args[0])],
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => -self.number(&unary.expr),
            Expr::Binary(binary) => {
                let (a, b) = (self.number(&binary.left), self.number(&binary.right));
                match binary.op {
                    syn::BinOp::Add(_) => a + b,
                    syn::BinOp::Sub(_) => a - b,
                    syn::BinOp::Mul(_) => a * b,
                    syn::BinOp::Div(_) => a / b,
                    other => panic!("{other:?} in a kernel"),
                }
            }
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else { panic!("{call:?}") };
                let function = path.path.segments.last().expect("a name").ident.to_string();
                if function == "number" {
                    return self.number(&call.args[1]);
                }
                if function == "select" {
                    let Expr::Call(compared) = &call.args[0] else { panic!("{:?}", call.args[0]) };
                    let Expr::Path(path) = &*compared.func else { panic!("{compared:?}") };
                    let (a, b) = (self.number(&compared.args[0]), self.number(&compared.args[1]));
                    let strict = path.path.segments.last().is_some_and(|last| last.ident == "lt");
                    let below = if strict { a < b } else { a <= b };
                    return self.number(&call.args[if below { 1 } else { 2 }]);
                }
                let arguments: Vec<f64> = call.args.iter().map(|argument| self.number(argument)).collect();
                let answer = |holds: bool| if holds { 1.0 } else { 0.0 };
                match (function.as_str(), &arguments[..]) {
                    ("lt", [a, b]) => answer(a < b),
                    ("le", [a, b]) => answer(a <= b),
                    // A branch that is not chosen may have any value.
                    ("select", [mask, yes, no]) => {
                        if *mask == 1.0 {
                            *yes
                        } else {
                            *no
                        }
                    }
                    ("recip_sqrt", [x]) => 1.0 / x.sqrt(),
                    ("multiply_add", [a, b, c]) => a * b + c,
                    ("powf", [base, exponent]) => base.powf(*exponent),
                    ("atan2", [y, x]) => f64::atan2(*y, *x),
                    (name, [x]) => x.apply(Unary::Named(known(name))),
                    other => panic!("{other:?} in a kernel"),
                }
            }
            other => panic!("{other:?} in a kernel"),
        }
    }
}

fn whole(expression: &Expr) -> usize {
    let Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) = expression else {
        panic!("{expression:?}")
    };
    number.base10_parse().expect("an index")
}

struct Nothing;

impl Surroundings<f64> for Nothing {
    fn field(&self, name: &str) -> Value<f64> {
        panic!("no field {name}")
    }
    fn call(&mut self, _: &mut Run, name: &str, _: &syn::Path, _: Vec<Value<f64>>) -> Value<f64> {
        panic!("no function {name}")
    }
    fn method(&mut self, _: usize, name: &str, _: Vec<Value<f64>>, _: &Variables<f64>) -> Value<f64> {
        panic!("no method {name}")
    }
}

/// The foreign value that is the binder; families are numbered from 0.
const BINDER: usize = usize::MAX;
/// From here on, lists of neighbours are numbered.
const LISTS: usize = 1 << 30;
/// From here on, sums over near pairs are numbered.
const NEAR: usize = 2 << 30;

struct Binding<'a> {
    emitted: &'a Emitted,
    model: &'a str,
    parameters: &'a Parameters,
    q: &'a [f64],
    /// The function that runs.
    function: String,
    bound: Bound,
}

impl Binding<'_> {
    /// The variables under the names that a formula gives them.
    fn as_read(&self, variables: &Variables<f64>) -> Variables<f64> {
        let none = BTreeSet::new();
        as_read(variables, self.emitted.plain_lets.get(&self.function).unwrap_or(&none))
    }
}

fn indices(value: &Value<f64>) -> Vec<usize> {
    value.clone().list().iter().map(|index| usize::try_from(index.integer()).expect("an index")).collect()
}

impl Surroundings<f64> for Binding<'_> {
    fn field(&self, name: &str) -> Value<f64> {
        self.parameters[name].clone()
    }

    fn call(
        &mut self,
        run: &mut Run,
        name: &str,
        path: &syn::Path,
        arguments: Vec<Value<f64>>,
    ) -> Value<f64> {
        match (type_name(path).as_str(), &arguments[..]) {
            ("AllPairs::new", [_, _, _, lengths]) => {
                let n = indices(lengths)[0];
                let pair = |(i, j): (usize, usize)| {
                    Value::Tuple([i, j].map(|end| Value::Integer(end as i64)).to_vec())
                };
                return Value::List((0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(pair).collect());
            }
            ("NearFamily::new", [Value::Name(marker), Value::Foreign(list)]) => {
                let (marker, list) = (marker.clone(), list - LISTS);
                self.bound.near.push(NearFamily { marker, list, ..NearFamily::default() });
                return Value::Foreign(NEAR + self.bound.near.len() - 1);
            }
            ("v1::key", [key]) => return key.clone(),
            _ => {}
        }
        if let ("new" | "in_rows", [Value::Name(kernel), ..]) = (name, &arguments[..]) {
            self.bound.families.push(Family {
                marker: kernel.clone(),
                role: String::new(),
                elements: Vec::new(),
                in_rows: name == "in_rows",
                is_near: false,
            });
            return Value::Foreign(self.bound.families.len() - 1);
        }
        match (name, &arguments[..]) {
            ("length", [items]) => return Value::Integer(items.clone().list().len() as i64),
            ("longest", [known, next]) => {
                let length = |items: &Value<f64>| items.clone().list().len();
                let longer = match known {
                    Value::Option(Some(known)) if length(known) >= length(next) => (**known).clone(),
                    _ => next.clone(),
                };
                return Value::Option(Some(Box::new(longer)));
            }
            _ => {}
        }
        // The count of a round is a number here.
        if let ("round", [number]) = (name, &arguments[..]) {
            return number.clone();
        }
        let emitted = self.emitted;
        let known = emitted.types[self.model].get(name);
        let (names, body) = known.unwrap_or_else(|| panic!("no function {name}"));
        // `Families::name(self, binder)`: the parameters after `self` are the last arguments.
        let skipped = arguments.len() - names.len();
        let mut variables = names.iter().cloned().zip(arguments.into_iter().skip(skipped)).collect();
        let outer = std::mem::replace(&mut self.function, name.to_owned());
        let value = run.block(body, &mut variables, self);
        self.function = outer;
        value
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each call of emitted code")]
    fn method(
        &mut self,
        receiver: usize,
        name: &str,
        arguments: Vec<Value<f64>>,
        variables: &Variables<f64>,
    ) -> Value<f64> {
        let read = self.as_read(variables);
        let bound = &mut self.bound;
        let nothing = Value::Tuple(Vec::new());
        if let Some(family) = receiver.checked_sub(NEAR)
            && receiver != BINDER
        {
            let points = bound.lists[bound.near[family].list].0.len();
            return bound.near[family].told(name, &arguments, points);
        }
        if let Some(list) = receiver.checked_sub(LISTS)
            && receiver != BINDER
        {
            if let ("point", [start]) = (name, &arguments[..]) {
                bound.lists[list].0.push(usize::try_from(start.integer()).expect("an index"));
                return nothing;
            }
            assert_eq!(name, "finish");
            return Value::Foreign(receiver);
        }
        if receiver != BINDER {
            assert_eq!(name, "push");
            let family = &mut bound.families[receiver];
            let mut slots = indices(&arguments[0]);
            let row = if family.in_rows { slots.pop().expect("a row") } else { 0 };
            let inputs = self.emitted.kernels[&family.marker].inputs.iter();
            let inputs = inputs.map(|&(slot, component)| slots[slot] + component).collect();
            let element = Element { row, inputs, coefficients: arguments[1].flat(), variables: read };
            family.elements.push(element);
            return nothing;
        }
        match (name, &arguments[..]) {
            ("near_points", [_, radius, dimension]) => {
                let dimension = usize::try_from(dimension.integer()).expect("a dimension");
                bound.lists.push((Vec::new(), radius.number(), dimension));
                return Value::Foreign(LISTS + bound.lists.len() - 1);
            }
            ("row_of_collective", [rounds, _]) => {
                let in_motion = bound.in_motion;
                let stage = bound.collectives(in_motion).stages.last().expect("a stage");
                return Value::Integer(stage.rows[&indices(rounds)] as i64);
            }
            ("near_potential" | "near_stiff" | "near_collective", [Value::Foreign(family)]) => {
                let (family, in_stage) = (family - NEAR, name == "near_collective");
                let in_motion = in_stage && bound.in_motion;
                let near = &self.emitted.kernels[&bound.near[family].marker];
                let marker = near.element.clone().expect("an element");
                let single = &self.emitted.kernels[&marker];
                let elements = bound.near_elements(family, [near, single], in_motion, self.q);
                let role = name.trim_start_matches("near_").to_owned();
                bound.families.push(Family { marker, role, elements, in_rows: false, is_near: true });
                if in_stage {
                    let family = Value::Foreign(bound.families.len() - 1);
                    return bound.collective("collective_family", &[family]);
                }
                return nothing;
            }
            _ => {}
        }
        if name.contains("collective") || name == "first_partial_sum" {
            return bound.collective(name, &arguments);
        }
        match (name, &arguments[..]) {
            ("coordinate", [_, Value::Name(kind), lengths]) => {
                let components = match kind.as_str() {
                    "Scalar" | "Angle" => 1,
                    "Vec2" => 2,
                    "Mat3" => 9,
                    _ => 3,
                };
                let lengths = indices(lengths);
                bound.groups.push((bound.dimension, components, lengths.clone()));
                bound.dimension += components * lengths.iter().product::<usize>();
            }
            ("entry", [coordinate, at, _]) => {
                let (offset, components, lengths) = &bound.groups[coordinate.integer() as usize];
                let mut entry = 0;
                for (index, length) in indices(at).into_iter().zip(lengths) {
                    assert!(index < *length, "index {index} of {length}");
                    entry = entry * length + index;
                }
                return Value::Integer((offset + entry * components) as i64);
            }
            ("mass", [row, column, value, _]) => {
                let entry = (row.integer() as usize, column.integer() as usize, value.number());
                bound.mass.push(entry);
                bound.kinetic.last_mut().expect("an element").entries.push(entry);
            }
            ("begin_kinetic", [Value::Name(formula), ..]) => formula.clone_into(&mut bound.kinetic_formula),
            ("kinetic_element", _) => bound.kinetic.push(Kinetic {
                formula: bound.kinetic_formula.clone(),
                entries: Vec::new(),
                variables: read,
            }),
            ("items", [items, Value::Name(_)]) => return items.clone(),
            // The memory that is left for a family.
            ("room", []) => return Value::Integer(0),
            ("dimension", []) => return Value::Integer(bound.dimension as i64),
            ("row_of", [Value::Name(kind)]) if kind == "Holonomic" => {
                bound.rows += 1;
                return Value::Integer(bound.rows as i64 - 1);
            }
            ("row_of", [Value::Name(kind)]) if kind == "Nonholonomic" => {
                bound.nonholonomic += 1;
                return Value::Integer(bound.nonholonomic as i64 - 1);
            }
            ("row_of_derivative", []) => {
                bound.nonholonomic += 1;
                return Value::Integer(bound.nonholonomic as i64 - 1);
            }
            ("moves" | "begin_rows" | "end_rows" | "begin_dissipation", _) => {}
            ("rows_of", [Value::Name(kind), Value::Foreign(family)]) => {
                let role = if kind == "Holonomic" { "constraint" } else { "nonholonomic" };
                role.clone_into(&mut bound.families[*family].role);
            }
            (
                "potential" | "stiff" | "general" | "mass_of_sums" | "dissipation" | "dissipated",
                [Value::Foreign(family)],
            ) => {
                name.clone_into(&mut bound.families[*family].role);
            }
            (name, arguments) => panic!("binder.{name}({arguments:?})"),
        }
        nothing
    }
}
