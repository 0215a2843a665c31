//! The declaration as it was written, with the user's spans.

use crate::root::Root;
use proc_macro2::Span;
use quote::ToTokens;
use syn::{Block, Expr, Ident};

/// A `#[lagrangian] impl` block, sorted by the roles of its methods.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// The block itself.
    pub(crate) item: syn::ItemImpl,
    /// The name of the model.
    pub(crate) model: Ident,
    /// The coordinates, in the order of the arguments of `lagrangian`.
    pub coordinates: Vec<Coordinate>,
    /// The method `lagrangian`.
    pub(crate) lagrangian: Function,
    /// The methods beside the Lagrangian, by their sorts in the order of [`Sort::ALL`].
    pub(crate) beside: Vec<Beside>,
    /// The method marked `#[frequency]`.
    pub(crate) frequency: Option<Ident>,
    /// The method marked `#[phase]`.
    pub(crate) phase: Option<Ident>,
    /// Methods on scalars and vectors, inlined where they are called.
    pub(crate) helpers: Vec<Function>,
    /// The statements in the arguments of the attribute.
    pub(crate) intent: Intent,
    /// The fields by which the attribute asks for derivatives; `None` if it does not ask.
    pub(crate) sensitive: Option<Vec<Ident>>,
    /// True if these fields are coordinates.
    pub(crate) parametric: bool,
    /// The path to the crate `least_action`.
    pub(crate) root: Root,
}

impl Declaration {
    /// The `self` of the author's expressions, also where a macro of the author writes the declaration.
    pub(crate) fn this(&self) -> Ident {
        Ident::new("self", Span::call_site().resolved_at(self.lagrangian.name.span()))
    }

    /// The methods of a sort.
    pub(crate) fn of(&self, sort: Sort) -> impl Iterator<Item = &Beside> {
        self.beside.iter().filter(move |beside| beside.sort == sort)
    }

    /// True if the declaration has a method of the sort.
    pub(crate) fn has(&self, sort: Sort) -> bool {
        self.of(sort).next().is_some()
    }

    /// The number of the coordinate that is a field of the model.
    pub(crate) fn parameter(&self, field: &Ident) -> Option<usize> {
        self.coordinates.iter().position(|coordinate| coordinate.parameter && coordinate.name == *field)
    }

    /// True if a method has an input of this name.
    pub(crate) fn has_input(&self, name: &Ident) -> bool {
        let functions = self.beside.iter().map(|beside| &beside.function).chain([&self.lagrangian]);
        let mut arguments = functions.flat_map(|function| &function.arguments);
        arguments.any(|argument| matches!(argument.shape, Shape::Input) && argument.name == *name)
    }

    /// True if a force or a dissipation acts on the model.
    pub(crate) fn is_forced(&self) -> bool {
        self.has(Sort::Force) || self.has(Sort::Dissipation)
    }

    /// The coordinate whose velocity other languages call `theta_dot` or `dtheta`.
    pub(crate) fn velocity_of(&self, name: &str) -> Option<&Ident> {
        let forms = ["*_dot", "*dot", "dot_*", "d*", "d_*", "v*", "v_*", "*_velocity"];
        let meant = |coordinate: &&Coordinate| {
            let own = coordinate.name.to_string();
            forms.iter().any(|form| form.replace('*', &own) == name)
        };
        self.coordinates.iter().find(meant).map(|coordinate| &coordinate.name)
    }
}

/// The statements of the author about the model, in the arguments of the attribute.
#[derive(Debug, Clone, Default)]
pub(crate) struct Intent {
    /// The quantities that must be conserved, as written.
    pub(crate) conserves: Vec<Ident>,
    /// The word `mass`, where the mass matrix must be constant.
    pub(crate) constant_mass: Option<Ident>,
}

/// A coordinate as declared.
#[derive(Debug, Clone)]
pub struct Coordinate {
    /// Its name.
    pub name: Ident,
    /// The kind of one entry.
    pub(crate) kind: Kind,
    /// The lengths of the nested array, outermost first.
    pub(crate) lengths: Vec<Expr>,
    /// True for a field of the model, which never moves.
    pub(crate) parameter: bool,
}

/// The role of a method beside the Lagrangian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Positions are bound.
    Holonomic,
    /// Velocities are bound.
    Nonholonomic,
    /// A force acts.
    Force,
    /// Rayleigh's function D, which acts by the force −∂D/∂v.
    Dissipation,
    /// The velocities of a coordinate behind an event.
    Reset,
    /// Moments at which a number is zero.
    Event,
    /// Gaps that never close further than zero.
    Unilateral,
}

impl Sort {
    /// All sorts, in the order in which a declaration is compiled.
    pub(crate) const ALL: [Self; 7] = [
        Self::Holonomic,
        Self::Nonholonomic,
        Self::Force,
        Self::Dissipation,
        Self::Reset,
        Self::Event,
        Self::Unilateral,
    ];

    /// The attribute that marks a method of the sort.
    pub(crate) const fn attribute(self) -> &'static str {
        match self {
            Self::Holonomic => "holonomic",
            Self::Nonholonomic => "nonholonomic",
            Self::Force => "force",
            Self::Dissipation => "dissipation",
            Self::Reset => "reset",
            Self::Event => "event",
            Self::Unilateral => "unilateral",
        }
    }

    /// The name of the sort in messages.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Holonomic => "constraint",
            Self::Nonholonomic => "constraint on velocities",
            Self::Force => "force",
            Self::Dissipation => "dissipation",
            Self::Reset => "reset",
            Self::Event => "event",
            Self::Unilateral => "gap",
        }
    }

    /// True if the result of the method must be zero.
    pub(crate) const fn is_constraint(self) -> bool {
        matches!(self, Self::Holonomic | Self::Nonholonomic)
    }

    /// True if the method gives a force; such a method may have inputs, which a step averages.
    pub(crate) const fn is_force(self) -> bool {
        matches!(self, Self::Force | Self::Dissipation)
    }

    /// True if a method has a result in the shape of a coordinate, which its attribute may name.
    pub(crate) const fn is_of_coordinate(self) -> bool {
        matches!(self, Self::Force | Self::Reset)
    }

    /// True if the method reads positions alone.
    pub(crate) const fn is_of_positions(self) -> bool {
        matches!(self, Self::Holonomic | Self::Unilateral)
    }

    /// True if the method changes no motion between two moments.
    pub(crate) const fn is_of_moments(self) -> bool {
        matches!(self, Self::Reset | Self::Event | Self::Unilateral)
    }
}

/// A method beside the Lagrangian.
#[derive(Debug, Clone)]
pub(crate) struct Beside {
    /// Its role.
    pub(crate) sort: Sort,
    /// The method.
    pub(crate) function: Function,
    /// The coordinate that a force or a reset acts on.
    pub(crate) coordinate: usize,
    /// The settings of its attribute.
    pub(crate) settings: Settings,
}

/// The arguments of the attribute of a method, such as `rising` or `restitution = self.e`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// The coordinate of a force or a reset.
    pub(crate) coordinate: Option<Ident>,
    /// The event of a reset.
    pub(crate) event: Option<Ident>,
    /// The direction in which an event is crossed.
    pub(crate) direction: Option<Ident>,
    /// The coefficients of a gap, by their names.
    pub(crate) coefficients: Vec<(Ident, Expr)>,
}

/// The kind of one entry of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar,
    Angle,
    Vec2,
    Vec3,
    Mat3,
}

impl Kind {
    /// The kind whose type has this name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let all = [Self::Scalar, Self::Angle, Self::Vec2, Self::Vec3, Self::Mat3];
        all.into_iter().find(|kind| kind.name() == name)
    }

    /// The number of components.
    pub(crate) const fn components(self) -> usize {
        match self {
            Self::Scalar | Self::Angle => 1,
            Self::Vec2 => 2,
            Self::Vec3 => 3,
            Self::Mat3 => 9,
        }
    }

    /// The name of the type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scalar => "Scalar",
            Self::Angle => "Angle",
            Self::Vec2 => "Vec2",
            Self::Vec3 => "Vec3",
            Self::Mat3 => "Mat3",
        }
    }
}

/// The type of an argument or a result in the language.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A scalar, an angle or a vector.
    Entry(Kind),
    /// An array and its length.
    Array(Box<Shape>, Box<Expr>),
    /// The time.
    Time,
    /// The fast phase.
    Phase,
    /// A signal: its averages in a force, its course elsewhere.
    Input,
    /// Ordinary Rust.
    Rust,
}

impl Shape {
    /// True for an argument that changes with time and is no coordinate.
    pub(crate) const fn is_in_time(&self) -> bool {
        matches!(self, Self::Time | Self::Phase | Self::Input)
    }

    /// The innermost entry and the lengths around it, outermost first.
    pub(crate) fn entry_and_lengths(&self) -> Option<(Kind, Vec<Expr>)> {
        match self {
            Self::Entry(kind) => Some((*kind, Vec::new())),
            Self::Array(inner, length) => {
                let (kind, mut lengths) = inner.entry_and_lengths()?;
                lengths.insert(0, (**length).clone());
                Some((kind, lengths))
            }
            Self::Time | Self::Phase | Self::Input | Self::Rust => None,
        }
    }
}

/// An argument of a method.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    /// Its name.
    pub name: Ident,
    /// Its type in the language.
    pub(crate) shape: Shape,
    /// Its type as written.
    pub(crate) ty: syn::Type,
}

impl Function {
    /// The last statement of its body, or its name.
    pub(crate) fn result(&self) -> &dyn ToTokens {
        match self.body.stmts.last() {
            Some(last) => last,
            None => &self.name,
        }
    }
}

/// A method of the declaration.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    /// Its name.
    pub name: Ident,
    /// Its arguments after `&self`.
    pub(crate) arguments: Vec<Argument>,
    /// The shape of its result.
    pub(crate) output: Shape,
    /// The span of the result type, or of the name where there is none.
    pub(crate) output_span: Span,
    /// Its body.
    pub(crate) body: Block,
}

/// True for `self`.
pub(crate) fn is_self(expression: &Expr) -> bool {
    matches!(expression, Expr::Path(path) if path.path.is_ident("self"))
}
