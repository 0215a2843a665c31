//! The declaration → scalars under sums and conditions, over the leaves of the expression graph.
//!
//! Lowering runs the user's code on symbolic values: coordinates become leaves that remember their
//! indices, closures and helper methods are inlined, `sum` and `each` become loops, `if` and `match` on
//! parameters become choices, and coordinate-free Rust is carried along, for the binding to evaluate.
//! Mistakes are recorded where they occur, and lowering goes on with [`Value::Poison`].

mod arithmetic;
mod call;
mod calls;
mod choice;
mod environment;
mod expanded;
mod expression;
pub(crate) mod facts;
pub(crate) mod form;
pub(crate) mod in_range;
mod matrix;
mod method;
pub(crate) mod names;
mod near;
pub(crate) mod pairs;
pub(crate) mod phase;
pub(crate) mod question;
mod rename;
mod signal;
mod stage;
mod truncated;
mod value;
pub(crate) mod variables;
mod ways;
mod written;

pub(crate) use call::WORDS;
pub(crate) use expanded::{LetValues, as_author};
pub(crate) use method::signed_integer;
pub(crate) use names::{visit_free, visit_free_inside};
pub(crate) use signal::{Signal, SignalUse};
pub(crate) use stage::{Scan, Stage, spelled_range};
pub(crate) use value::{Equations, Value};
pub(crate) use variables::Variables;
pub(crate) use written::{Sources, Written};

use crate::ast::{Argument, Beside, Coordinate, Declaration, Function, Kind, Shape, Sort};
use crate::error::{self, Errors};
use crate::graph::{Graph, Leaf, NodeId, is_time, is_variable, is_velocity};
use crate::limits::MOST_TERMS;
use crate::sensitive;
use calls::Calls;
use environment::{Binding, Environment};
use form::{Form, Term};
use in_range::Of;
use quote::ToTokens;
use stage::Open;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::{Expr, Ident};

/// A read of one entry of a coordinate, or of one collective.
#[derive(Debug, Clone)]
pub(crate) struct Gather {
    /// The array of the entry.
    pub(crate) source: Source,
    /// The indices of the entry: coordinate-free Rust.
    pub(crate) indices: Vec<Expr>,
}

/// An array of numbers that elements read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The coordinate of this number.
    Declared(usize),
    /// The stage of this number.
    Stage(usize),
}

impl Gather {
    /// The number of the coordinate that it reads; `None` for a collective.
    pub(crate) fn coordinate(&self) -> Option<usize> {
        match self.source {
            Source::Declared(coordinate) => Some(coordinate),
            Source::Stage(_) => None,
        }
    }

    /// The number of the stage that it reads; `None` for a coordinate.
    pub(crate) fn stage(&self) -> Option<usize> {
        match self.source {
            Source::Stage(stage) => Some(stage),
            Source::Declared(_) => None,
        }
    }
}

/// The result of lowering.
#[derive(Debug)]
pub struct Lowered {
    /// The expressions.
    pub graph: Graph,
    /// The entries that the position and velocity leaves read.
    pub(crate) gathers: Vec<Gather>,
    /// The sums that are evaluated before their readers; a stage reads earlier ones only.
    pub(crate) stages: Vec<Stage>,
    /// The gathers that are separations of near points and read no entry.
    pub(crate) separations: BTreeSet<usize>,
    /// The number of components of an entry of each coordinate.
    pub(crate) components: Vec<usize>,
    /// The expressions of the coefficient leaves.
    pub(crate) coefficients: Vec<Expr>,
    /// The distances between which a term is switched off: numbers or coefficients, the smaller first.
    pub(crate) switches: Vec<[NodeId; 2]>,
    /// The `let`s of passed-through Rust.
    pub(crate) variables: Variables,
    /// The Lagrangian.
    pub(crate) lagrangian: Form,
    /// Its terms; `None` if they are too many.
    pub(crate) terms: Option<Terms>,
    /// True if the Lagrangian was lowered without a mistake; only then its gaps are mistakes.
    pub(crate) whole: bool,
    /// The rows of each method beside the Lagrangian, in the order of the declaration; a dissipation has
    /// Rayleigh's function as one row.
    pub(crate) beside: Vec<(Sort, Equations)>,
    /// For each of these methods, if it gives constraints: the components of its matrices that are
    /// independent equations; `None` if all are.
    pub(crate) kept: Vec<Option<Vec<usize>>>,
    /// The same rows with collectives for sums over near pairs, as they are evaluated; `None` with a
    /// phase.
    pub(crate) with_lists: Option<Vec<(Sort, Equations)>>,
    /// The fast phase, where the model has one.
    pub(crate) phase: Option<Phase>,
    /// The expressions that depend on the phase, before it became a function of time.
    pub(crate) at_phase: Option<AtPhase>,
    /// The functions and closures of Rust.
    pub(crate) rust: OfRust,
    /// The signals that the declaration reads.
    pub(crate) signals: Vec<Signal>,
    /// The forms of the expressions of the source, if the attribute states something about them.
    pub(crate) written: Written,
    /// The places of expressions.
    pub(crate) sources: Sources,
    /// The angle of each read of one that runs follow over many turns.
    pub(crate) angles: BTreeMap<usize, NodeId>,
}

impl Lowered {
    /// The rows of the methods of a sort.
    pub(crate) fn of(&self, sort: Sort) -> impl Iterator<Item = &Equations> {
        rows_of(&self.beside, sort)
    }

    /// The number of a stage among the angles that runs follow, and its jump.
    pub(crate) fn turn(&self, stage: usize) -> Option<(usize, f64)> {
        let turn = self.stages[stage].turn?;
        Some((self.stages[..stage].iter().filter(|stage| stage.turn.is_some()).count(), turn))
    }

    /// The function of an angle that runs follow, at a read of it.
    pub(crate) fn angle(&self, leaf: Leaf) -> Option<NodeId> {
        self.angles.get(&leaf.gather()?).copied()
    }

    /// The name of a stage in texts.
    pub(crate) fn text_of_stage(&self, number: usize) -> String {
        let Stage { name, rate_of, .. } = &self.stages[number];
        match (rate_of, name) {
            (Some(of), _) => format!("der({})", self.text_of_stage(*of)),
            (None, Some(name)) => name.unraw().to_string(),
            (None, None) => match self.turn(number) {
                Some((angle, _)) => format!("angle_{angle}"),
                None => format!("sum_{number}"),
            },
        }
    }

    /// The terms of the Lagrangian, with the phase as a variable.
    fn terms(&mut self, declaration: &Declaration, errors: &mut Errors) -> Option<Terms> {
        let lagrangian = self.at_phase.as_ref().map_or(&self.lagrangian, |at_phase| &at_phase.lagrangian);
        let mut others = lagrangian.terms(&self.graph);
        if others.len() > MOST_TERMS {
            let name = &declaration.lagrangian.name;
            errors.push(error::too_many_terms(name, format!("`{name}`"), others.len()));
            return None;
        }
        let in_range = match self.phase {
            None => in_range::take(self, &mut others, Of::Potential),
            Some(_) => Vec::new(),
        };
        let others = others.into_iter().map(|term| term.over_all(&mut self.graph)).collect();
        Some(Terms { in_range, others })
    }

    /// True if a velocity is the rate of an entry or of a collective, rather than a sum of velocities.
    pub(crate) fn is_rate(&self, gather: usize) -> bool {
        self.gathers[gather].stage().is_none_or(|stage| self.stages[stage].rate_of.is_some())
    }

    /// True if an expression reads a collective.
    pub(crate) fn reads_sum(&self, node: NodeId) -> bool {
        self.graph.mentions(node, |leaf| self.stage_of(leaf).is_some())
    }

    /// The stage that a leaf reads.
    pub(crate) fn stage_of(&self, leaf: Leaf) -> Option<usize> {
        self.gathers[leaf.gather()?].stage()
    }
}

/// The fast phase of a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Phase {
    /// The coefficient that is its rate ω.
    pub(crate) rate: Leaf,
    /// The phase as a function of time: ω t + θ₀.
    pub(crate) in_time: NodeId,
}

/// The rows of the methods of a sort.
pub(crate) fn rows_of(beside: &[(Sort, Equations)], sort: Sort) -> impl Iterator<Item = &Equations> {
    beside.iter().filter(move |(own, _)| *own == sort).map(|(_, equations)| equations)
}

/// The Lagrangian and the constraints with the phase as a variable beside the time.
#[derive(Debug)]
pub(crate) struct AtPhase {
    pub(crate) lagrangian: Form,
    pub(crate) beside: Vec<(Sort, Equations)>,
    /// True if the motion is even in the phase.
    pub(crate) even: bool,
}

/// The terms of the Lagrangian, ready to be classified.
#[derive(Debug)]
pub(crate) struct Terms {
    /// Terms of the potential over near pairs, as families in range.
    pub(crate) in_range: Vec<in_range::Found>,
    /// The others, over all pairs.
    pub(crate) others: Vec<Term>,
}

/// The functions and closures of Rust that a declaration calls.
#[derive(Debug, Default)]
pub(crate) struct OfRust {
    /// The functions as called; for each argument, true if it depends on coordinates.
    pub(crate) functions: Vec<(Expr, Vec<bool>)>,
    /// The shapes in calls of untyped closure parameters, by the line and column of the parameter.
    pub(crate) closure_parameters: BTreeMap<(usize, usize), &'static str>,
}

/// Lowers all methods of a declaration.
pub fn lower(declaration: &Declaration, errors: &mut Errors) -> Lowered {
    let mut lowering = Lowering::new(declaration, &mut *errors);
    lowering.check_lengths();
    let phase = lowering.phase();
    let before = lowering.errors.count();
    let value = lowering.function(&declaration.lagrangian);
    let is_number = matches!(value, Value::Scalar(_) | Value::Rust(_));
    let lagrangian = lowering.number_value(value, &declaration.lagrangian);
    lowering.momenta_need_slopes(&lagrangian);
    let whole = is_number && lowering.errors.count() == before;
    let mut kept = vec![None; declaration.beside.len()];
    let beside: Vec<(Sort, Equations)> = (declaration.beside.iter().zip(&mut kept))
        .map(|(beside, kept)| (beside.sort, lowering.beside(beside, kept)))
        .collect();
    lowering.check_unused();
    let lagrangian = lowering.followed(&lagrangian);
    let beside = lowering.all_rows_by(&beside, Lowering::followed);
    // Until then, the phase is a variable of its own; no list carries derivatives by parameters.
    let has_lists = declaration.frequency.is_none() && !declaration.parametric;
    let with_lists = has_lists.then(|| lowering.all_rows_by(&beside, Lowering::with_lists));
    let components = declaration.coordinates.iter().map(|coordinate| coordinate.kind.components()).collect();
    let mut lowered = Lowered {
        graph: lowering.graph,
        gathers: lowering.gathers,
        stages: lowering.stages,
        separations: BTreeSet::new(),
        components,
        coefficients: lowering.coefficients,
        switches: lowering.switches,
        variables: lowering.variables,
        lagrangian,
        terms: None,
        whole,
        beside,
        kept,
        with_lists,
        phase,
        at_phase: None,
        rust: lowering.rust,
        signals: lowering.signals,
        written: lowering.written,
        sources: lowering.sources,
        angles: lowering.angles.of_reads,
    };
    phase::resolve(&mut lowered);
    lowered.terms = lowered.terms(declaration, errors);
    lowered
}

/// The state of lowering.
struct Lowering<'a> {
    declaration: &'a Declaration,
    errors: &'a mut Errors,
    graph: Graph,
    gathers: Vec<Gather>,
    gather_ids: HashMap<String, usize>,
    stages: Vec<Stage>,
    /// The stages by their sums as text.
    stage_ids: HashMap<String, usize>,
    /// The first stages of frames, by their text.
    frames: HashMap<String, stage::Frame>,
    /// The stages of the rates of stages; `None` for constant ones.
    rates_of_stages: HashMap<usize, Option<usize>>,
    /// The values of `let`s that depend on variables of stages, by their text.
    let_ids: HashMap<String, usize>,
    /// The loops and choices around the expression at hand, from the outside in.
    open: Vec<Open>,
    /// The names that authors gave to sums, by their loops.
    named_sums: HashMap<*const form::Loop, Ident>,
    /// The loops of these sums, which must stay in place.
    kept_loops: Vec<Rc<form::Loop>>,
    coefficients: Vec<Expr>,
    switches: Vec<[NodeId; 2]>,
    coefficient_ids: HashMap<String, usize>,
    variables: Variables,
    rust: OfRust,
    signals: Vec<Signal>,
    opaque_numbers: HashMap<String, usize>,
    choices: usize,
    /// The number of lists of near pairs.
    lists: usize,
    /// True in the body of a sum over near pairs.
    open_near: bool,
    /// The sort of the method at hand; `None` for the Lagrangian.
    sort: Option<Sort>,
    /// The rate of the phase.
    frequency: Option<NodeId>,
    /// The phase as a function of time, where parameters are coordinates.
    phase_in_time: Option<Form>,
    /// True in the condition of an `if`: the branch is taken by the values of the parameters.
    as_taken: bool,
    /// The number of calls that are being inlined.
    depth: usize,
    /// The depth of the expression that is being evaluated.
    nesting: usize,
    /// True once the work is used up and the mistake is noted.
    is_exhausted: bool,
    /// The values of the calls that are inlined in the method at hand.
    calls: Calls,
    /// The helper methods that are being inlined, the outermost first.
    inlined: Vec<Ident>,
    /// The names of all inlined helper methods.
    called: BTreeSet<String>,
    written: Written,
    sources: Sources,
    angles: stage::Angles,
}

/// The star of `x ** y`, which Rust reads as `x * (*y)`.
fn double_star(binary: &syn::ExprBinary) -> Option<syn::Token![*]> {
    let (syn::BinOp::Mul(star), Expr::Unary(inner)) = (&binary.op, &*binary.right) else { return None };
    let syn::UnOp::Deref(second) = &inner.op else { return None };
    let together = star.span.end() == second.span.start();
    (together || matches!(*inner.expr, Expr::Lit(_))).then_some(*star)
}

impl<'a> Lowering<'a> {
    fn new(declaration: &'a Declaration, errors: &'a mut Errors) -> Self {
        Self {
            declaration,
            errors,
            graph: Graph::default(),
            gathers: Vec::new(),
            gather_ids: HashMap::new(),
            stages: Vec::new(),
            rates_of_stages: HashMap::new(),
            stage_ids: HashMap::new(),
            frames: HashMap::new(),
            let_ids: HashMap::new(),
            open: Vec::new(),
            named_sums: HashMap::new(),
            kept_loops: Vec::new(),
            coefficients: Vec::new(),
            switches: Vec::new(),
            coefficient_ids: HashMap::new(),
            variables: Variables::default(),
            rust: OfRust::default(),
            signals: Vec::new(),
            opaque_numbers: HashMap::new(),
            choices: 0,
            lists: 0,
            open_near: false,
            sort: None,
            frequency: None,
            phase_in_time: None,
            as_taken: false,
            depth: 0,
            nesting: 0,
            is_exhausted: false,
            calls: Calls::default(),
            inlined: Vec::new(),
            called: BTreeSet::new(),
            written: Written::default(),
            sources: Sources::default(),
            angles: stage::Angles::default(),
        }
    }

    fn fail(&mut self, error: syn::Error) -> Value {
        self.errors.push(error);
        Value::Poison
    }

    /// An uncalled helper of coordinates was meant to be a constraint or a force.
    fn check_unused(&mut self) {
        if !self.errors.is_empty() {
            return;
        }
        for helper in &self.declaration.helpers {
            let coordinates = &self.declaration.coordinates;
            let is_coordinate =
                |argument: &Argument| coordinates.iter().any(|known| known.name == argument.name);
            let takes = helper.arguments.iter().any(is_coordinate);
            let only = helper
                .arguments
                .iter()
                .all(|argument| is_coordinate(argument) || argument.shape.is_in_time());
            if takes && only && !self.called.contains(&helper.name.to_string()) {
                self.errors.push(error::unused_method(&helper.name, &helper.name.to_string()));
            }
        }
    }

    /// Array lengths see only `self`.
    fn check_lengths(&mut self) {
        let coordinates = &self.declaration.coordinates;
        for length in coordinates.iter().flat_map(|coordinate| &coordinate.lengths) {
            if names::any_free(length, |name| coordinates.iter().any(|coordinate| coordinate.name == *name)) {
                self.errors.push(error::coordinate_in_length(length));
            }
        }
    }

    /// The value of a whole method.
    fn function(&mut self, function: &Function) -> Value {
        // A call that one method may make can be a mistake in another.
        self.calls = Calls::default();
        let mut environment = Environment::default();
        for coordinate in self.declaration.coordinates.iter().filter(|known| !known.parameter) {
            environment.bind(&coordinate.name, Binding::Unknown);
        }
        for argument in &function.arguments {
            let value = self.argument(argument);
            environment.bind(&argument.name, Binding::Value(value));
        }
        self.block(&function.body, &mut environment)
    }

    fn argument(&mut self, argument: &Argument) -> Value {
        match argument.shape {
            Shape::Time => return Value::Scalar(Form::of(self.graph.leaf(Leaf::Time))),
            Shape::Phase => {
                let phase = self.phase_in_time.clone();
                return Value::Scalar(phase.unwrap_or_else(|| Form::of(self.graph.leaf(Leaf::Phase))));
            }
            Shape::Input => return self.input(&argument.name),
            Shape::Entry(_) | Shape::Array(..) | Shape::Rust => {}
        }
        match self.declaration.coordinates.iter().position(|coordinate| coordinate.name == argument.name) {
            Some(coordinate) => self.read(coordinate, Vec::new()),
            None => Value::Poison,
        }
    }

    /// True for a gather that reads a parameter.
    fn is_parameter(&self, gather: usize) -> bool {
        let coordinate = self.gathers[gather].coordinate();
        coordinate.is_some_and(|coordinate| self.declaration.coordinates[coordinate].parameter)
    }

    /// A coordinate at some indices: an entry if there are enough.
    fn read(&mut self, coordinate: usize, indices: Vec<Expr>) -> Value {
        let declared: &Coordinate = &self.declaration.coordinates[coordinate];
        if indices.len() < declared.lengths.len() {
            return Value::Coordinates { coordinate, indices };
        }
        let kind = declared.kind;
        let gather = self.gather(Source::Declared(coordinate), indices);
        let component =
            |graph: &mut Graph, component| Form::of(graph.leaf(Leaf::Position { gather, component }));
        match kind {
            Kind::Scalar | Kind::Angle => Value::Scalar(component(&mut self.graph, 0)),
            Kind::Vec2 | Kind::Vec3 | Kind::Mat3 => {
                let components = (0..kind.components()).map(|k| component(&mut self.graph, k));
                Value::of_components(components.collect())
            }
        }
    }

    /// Coordinate-free Rust as a number.
    fn coefficient(&mut self, expression: &Expr) -> Form {
        self.check_arithmetic(expression);
        if let Some(value) = literal(expression) {
            return Form::of(self.graph.constant(value));
        }
        let key = expression.to_token_stream().to_string();
        let next = self.coefficients.len();
        let id = *self.coefficient_ids.entry(key).or_insert(next);
        if id == next {
            self.coefficients.push(expression.clone());
        }
        Form::of(self.graph.leaf(Leaf::Coefficient(id)))
    }

    /// Mistakes that Rust would take for integer arithmetic, in an expression for a number.
    fn check_arithmetic(&mut self, expression: &Expr) {
        let expression = crate::parse::bare(expression);
        match expression {
            Expr::Unary(inner) => self.check_arithmetic(&inner.expr),
            Expr::Binary(binary) => {
                if matches!(binary.op, syn::BinOp::BitXor(_)) {
                    self.errors.push(error::caret(binary.op));
                    return;
                }
                if let Some(star) = double_star(binary) {
                    self.errors.push(error::double_star(star));
                    return;
                }
                if let (syn::BinOp::Div(_), Some(left), Some(right)) =
                    (&binary.op, integer(&binary.left), integer(&binary.right))
                {
                    let quotient = error::integer_quotient(&left, &right);
                    self.errors.push(error::integer_division(binary, &left, &right, &quotient));
                    return;
                }
                for (side, other) in [(&binary.left, &binary.right), (&binary.right, &binary.left)] {
                    match integer(side) {
                        Some(text) if !matches!(**other, Expr::Lit(_)) => {
                            let other = crate::parse::text(other);
                            self.errors.push(error::integer_beside(side, &text, &other));
                        }
                        _ => self.check_arithmetic(side),
                    }
                }
            }
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) if number.suffix() == "f32" => {
                self.errors.push(error::single_precision(expression, number.base10_digits()));
            }
            Expr::Lit(_) => {
                if let Some(text) = integer(expression) {
                    self.errors.push(error::integer_literal(expression, &text));
                }
            }
            _ => {}
        }
    }

    /// A value as a scalar.
    fn scalar(&mut self, value: Value, place: &dyn ToTokens) -> Option<Form> {
        match value {
            Value::Scalar(form) => Some(form),
            Value::Rust(expression) => Some(self.coefficient(&expression)),
            Value::Poison => None,
            other => {
                self.errors.push(error::expected_shape(place.to_token_stream(), "Scalar", other.shape()));
                None
            }
        }
    }

    /// True in a method whose result must be zero.
    fn in_constraint(&self) -> bool {
        self.sort.is_some_and(Sort::is_constraint)
    }

    /// The number that a method returned.
    fn number_value(&mut self, value: Value, function: &Function) -> Form {
        let zero = Form::of(self.graph.zero());
        // A result of another type was a mistake before.
        let is_declared = matches!(function.output, Shape::Entry(Kind::Scalar));
        if is_declared || matches!(value, Value::Scalar(_) | Value::Rust(_)) {
            let number = self.scalar(value, function.result()).unwrap_or(zero);
            return number.reachable(&mut Vec::new(), &mut self.graph);
        }
        zero
    }

    /// The phase, where the model has one.
    fn phase(&mut self) -> Option<Phase> {
        let declaration = self.declaration;
        let (this, frequency) = (declaration.this(), declaration.frequency.as_ref()?);
        if declaration.parametric {
            self.phase_in_time = self.phase_of_parameters(frequency);
            return None;
        }
        let frequency = self.coefficient(&syn::parse_quote!(#this.#frequency())).plain()?;
        self.frequency = Some(frequency);
        let rate = self.graph.leaves(&[frequency]).into_iter().next()?;
        let time = self.graph.leaf(Leaf::Time);
        let mut in_time = self.graph.multiply(frequency, time);
        if let Some(phase) = &declaration.phase {
            let initial = self.coefficient(&syn::parse_quote!(#this.#phase())).plain()?;
            in_time = self.graph.add(in_time, initial);
        }
        Some(Phase { rate, in_time })
    }

    /// The phase ω t + θ₀, where ω and θ₀ may read parameters that are coordinates.
    fn phase_of_parameters(&mut self, frequency: &Ident) -> Option<Form> {
        let time = Form::of(self.graph.leaf(Leaf::Time));
        let frequency = self.number_of(frequency)?;
        let in_time = self.multiply(&frequency, &time);
        let Some(initial) = &self.declaration.phase else { return Some(in_time) };
        let initial = self.number_of(initial)?;
        Some(in_time.add(1.0, &initial, &mut self.graph))
    }

    /// The number that a method without arguments gives.
    fn number_of(&mut self, method: &Ident) -> Option<Form> {
        let (declaration, this) = (self.declaration, self.declaration.this());
        match sensitive::reading_method(declaration, method) {
            Some(body) => {
                let value = self.block(body, &mut Environment::default());
                self.scalar(value, method)
            }
            None => Some(self.coefficient(&syn::parse_quote!(#this.#method()))),
        }
    }

    /// The rows of a method beside the Lagrangian.
    fn beside(&mut self, Beside { sort, function, .. }: &Beside, kept: &mut Option<Vec<usize>>) -> Equations {
        self.sort = Some(*sort);
        let before = self.errors.count();
        let value = self.function(function);
        if *sort == Sort::Dissipation {
            return Equations::Rows(vec![self.dissipation(value, function, before)]);
        }
        let mut equations = self.equations(value, function);
        // No rows are left of a value that was a mistake before.
        let rows = if self.errors.count() == before { equations.rows() } else { Vec::new() };
        let depends = |wanted| rows.is_empty() || rows.iter().any(|row| self.mentions(row, wanted));
        let name = &function.name;
        let mistake = match sort {
            Sort::Holonomic | Sort::Nonholonomic if !depends(is_variable) => {
                Some(error::empty_constraint(name))
            }
            Sort::Event | Sort::Unilateral if !depends(is_variable) && !depends(is_time) => {
                Some(error::fixed_moment(name, &name.to_string()))
            }
            _ => None,
        };
        mistake.into_iter().for_each(|mistake| self.errors.push(mistake));
        equations.keep_reachable(&mut Vec::new(), &mut self.graph);
        if sort.is_constraint() {
            *kept = equations.keep_independent(&mut self.graph);
        }
        equations
    }

    /// Rayleigh's function.
    fn dissipation(&mut self, value: Value, function: &Function, before: usize) -> Form {
        let form = self.number_value(value, function);
        // A result of another type was a mistake before.
        let is_declared = matches!(function.output, Shape::Entry(Kind::Scalar));
        if is_declared && self.errors.count() == before && !self.mentions(&form, is_velocity) {
            self.errors.push(error::dissipation_without_velocity(&function.name));
        }
        form
    }

    /// True if a form mentions a wanted leaf.
    fn mentions(&self, form: &Form, wanted: fn(Leaf) -> bool) -> bool {
        form.terms(&self.graph).iter().any(|term| self.graph.mentions(term.node, wanted))
    }

    /// The equations that a method returned, as rows.
    fn equations(&mut self, value: Value, function: &Function) -> Equations {
        let Some((kind, lengths)) = function.output.entry_and_lengths() else {
            return Equations::List(Vec::new());
        };
        self.rows(value, kind.components(), lengths.len(), function.result())
    }

    fn rows(&mut self, value: Value, components: usize, depth: usize, place: &dyn ToTokens) -> Equations {
        let expected = match (depth, components) {
            (0, 1) => "Scalar",
            (0, 2) => "Vec2",
            (0, 3) => "Vec3",
            (0, _) => "Mat3",
            _ => "array",
        };
        match value {
            Value::Poison => Equations::List(Vec::new()),
            Value::Each(repeat, inner) if depth > 0 => {
                Equations::Each(repeat, Box::new(self.rows(*inner, components, depth - 1, place)))
            }
            Value::List(values) if depth > 0 => Equations::List(
                values.into_iter().map(|value| self.rows(value, components, depth - 1, place)).collect(),
            ),
            Value::Vector(forms) | Value::Matrix(forms) if depth == 0 && forms.len() == components => {
                Equations::Rows(forms)
            }
            Value::Truth(_) if self.in_constraint() => {
                self.errors.push(error::comparison_in_constraint(place.to_token_stream()));
                Equations::List(Vec::new())
            }
            number @ (Value::Scalar(_) | Value::Rust(_)) if depth == 0 && components == 1 => {
                Equations::Rows(self.scalar(number, place).into_iter().collect())
            }
            other => {
                self.errors.push(error::expected_shape(place.to_token_stream(), expected, other.shape()));
                Equations::List(Vec::new())
            }
        }
    }
}

/// The value of a literal number with a decimal point, perhaps negated or in parentheses.
fn literal(expression: &Expr) -> Option<f64> {
    match crate::parse::bare(expression) {
        Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Float(number) => number.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => literal(expr).map(|value| -value),
        // `else { 0.0 }`
        Expr::Block(block) => match &block.block.stmts[..] {
            [syn::Stmt::Expr(single, None)] => literal(single),
            _ => None,
        },
        _ => None,
    }
}

/// The number of a literal index.
fn literal_index(expression: &Expr) -> Option<usize> {
    integer(expression)?.parse().ok()
}

/// The text of an integer literal without a suffix, perhaps in parentheses.
fn integer(expression: &Expr) -> Option<String> {
    match crate::parse::bare(expression) {
        Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(number) if number.suffix().is_empty() => Some(number.base10_digits().to_owned()),
            _ => None,
        },
        _ => None,
    }
}
