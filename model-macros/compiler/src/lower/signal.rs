//! Signals: the inputs of forces, and tables in time.
//!
//! A signal is made of straight pieces. Of a table, a kernel reads the three numbers u₀, u′ and t₀ of
//! the piece at the time, so that u₀ + u′ (t − t₀) is a formula of time, with all derivatives. Of an
//! input of a force, it reads one number; elsewhere an input is the table of its field.

use super::environment::Environment;
use super::form::Form;
use super::{Lowering, Value};
use crate::ast::Sort;
use crate::differentiate::gradient;
use crate::error;
use crate::graph::{Leaf, NodeId, Reading, is_velocity};
use crate::walk::each;
use quote::ToTokens;
use syn::{Expr, Ident};

/// A signal of the model.
#[derive(Debug)]
pub(crate) struct Signal {
    /// The signal by reference, as an expression of `self`.
    pub expression: Expr,
    /// The signal as the author wrote it.
    pub name: String,
    pub used: SignalUse,
}

/// How a declaration reads a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalUse {
    Input,
    Table {
        /// True if the slope matters to the equations of motion.
        with_slope: bool,
    },
}

impl Lowering<'_> {
    /// The number of a signal, given at its first use.
    fn signal(&mut self, expression: Expr, name: String, used: SignalUse) -> usize {
        let is_input = used == SignalUse::Input;
        let key = expression.to_token_stream().to_string();
        let same = |known: &Signal| {
            (known.used == SignalUse::Input) == is_input
                && known.expression.to_token_stream().to_string() == key
        };
        self.signals.iter().position(same).unwrap_or_else(|| {
            self.signals.push(Signal { expression, name, used });
            self.signals.len() - 1
        })
    }

    /// An input: forces take averages of the field of its name, other methods its course.
    pub(super) fn input(&mut self, name: &Ident) -> Value {
        let this = Ident::new("self", name.span());
        let expression = syn::parse_quote_spanned!(name.span()=> &#this.#name);
        let is_force = self.sort.is_some_and(Sort::is_force);
        match self.declaration.parameter(name) {
            Some(coordinate) if is_force => return self.read(coordinate, Vec::new()),
            Some(_) => return self.fail(error::sensitive_course(name, &name.to_string())),
            None => {}
        }
        if !is_force {
            return self.course(expression, name.to_string());
        }
        let number = self.signal(expression, name.to_string(), SignalUse::Input);
        Value::Scalar(Form::of(self.graph.leaf(Leaf::Signal { number, reading: Reading::Value })))
    }

    /// `table(t, &self.u)`.
    pub(super) fn table(&mut self, call: &syn::ExprCall, environment: &mut Environment) -> Value {
        let Some([time, signal]) = self.arguments(call, "table") else { return Value::Poison };
        let given = self.expression(time, environment);
        let t = self.graph.leaf(Leaf::Time);
        match given {
            Value::Poison => return Value::Poison,
            Value::Scalar(form) if form.plain() == Some(t) => {}
            _ => return self.fail(error::table_of_other_than_time(time)),
        }
        let Expr::Reference(reference) = signal else {
            return self.fail(error::table_without_reference(signal));
        };
        if !is_of_self(&reference.expr) {
            return self.fail(error::table_of_a_variable(signal));
        }
        let name = crate::parse::text(&reference.expr);
        self.course(signal.clone(), name)
    }

    /// u₀ + u′ (t − t₀).
    fn course(&mut self, signal: Expr, name: String) -> Value {
        let t = self.graph.leaf(Leaf::Time);
        let used = SignalUse::Table { with_slope: self.in_constraint() };
        let number = self.signal(signal, name, used);
        if self.in_constraint() {
            self.signals[number].used = used;
        }
        let [value, slope, start] = [Reading::Value, Reading::Slope, Reading::Start]
            .map(|reading| self.graph.leaf(Leaf::Signal { number, reading }));
        let since = self.graph.subtract(t, start);
        let risen = self.graph.multiply(slope, since);
        Value::Scalar(Form::of(self.graph.add(value, risen)))
    }

    /// Notes the need for the rate of an expression: unknown for an input, the slope for a table.
    pub(super) fn differentiates(&mut self, form: &Form, place: &syn::ExprCall) -> bool {
        let nodes: Vec<NodeId> = form.terms(&self.graph).iter().map(|term| term.node).collect();
        self.needs_slopes(&nodes);
        let input = self.graph.leaves(&nodes).into_iter().find_map(|leaf| match leaf {
            Leaf::Signal { number, .. } => (self.signals[number].used == SignalUse::Input).then_some(number),
            _ => None,
        });
        if let Some(number) = input {
            let name = self.signals[number].name.clone();
            self.errors.push(error::der_of_input(place, &name));
        }
        input.is_none()
    }

    /// Momenta that depend on a table change with its slope.
    pub(super) fn momenta_need_slopes(&mut self, lagrangian: &Form) {
        if self.signals.is_empty() {
            return;
        }
        for term in lagrangian.terms(&self.graph) {
            let velocities = self.graph.velocities(term.node);
            let momenta = gradient(&mut self.graph, term.node, &velocities);
            self.needs_slopes(&momenta);
        }
        // A table that sums read counts too.
        let terms = lagrangian.terms(&self.graph);
        let parts: Vec<NodeId> = terms.iter().flat_map(|term| self.graph.addends(term.node)).collect();
        let moves = |part: &NodeId| self.graph.mentions(*part, is_velocity) && self.reads_sum(*part);
        if parts.iter().any(moves) {
            let stages: Vec<Form> = self.stages.iter().map(|stage| stage.form.clone()).collect();
            let terms = stages.iter().flat_map(|form| form.terms(&self.graph));
            let nodes: Vec<NodeId> = terms.map(|term| term.node).collect();
            self.needs_slopes(&nodes);
        }
    }

    fn needs_slopes(&mut self, nodes: &[NodeId]) {
        for leaf in self.graph.leaves(nodes) {
            if let Leaf::Signal { number, .. } = leaf
                && let SignalUse::Table { with_slope } = &mut self.signals[number].used
            {
                *with_slope = true;
            }
        }
    }
}

/// True if `self` is the only name in an expression, so that it is equal for all elements.
fn is_of_self(expression: &Expr) -> bool {
    let mut only = true;
    let is_constant = |path: &syn::Path| {
        path.segments.last().is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
    };
    let mut note = |part: &Expr| {
        if let Expr::Path(path) = part {
            only &= path.path.is_ident("self") || is_constant(&path.path);
        }
    };
    each(expression, &mut note);
    only
}
