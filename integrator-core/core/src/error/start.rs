//! Runs that cannot start.

use super::{BindError, SlowManifoldError, errors};
use thiserror::Error;

/// The start of a method, or the reason against it.
pub type Begun<T = ()> = Result<T, StartError>;

errors! {
    /// A run that cannot start.
    #[derive(Debug, Clone, PartialEq, Error)]
    #[non_exhaustive]
    StartError:

    /// A slice does not have the length that the system needs.
    #[error("{quantity} has length {found}, but `{system}` needs {expected}")]
    WrongLength {
        system,
        quantity: &'static str = "The quantity: positions, velocities.",
        expected: usize = "The length needed.",
        found: usize = "The length given.",
    },
    /// The steps of a method have no derivative on this system.
    #[error("{method}: no derivative of a motion of `{system}` with {reason}: {remedy}")]
    NoDerivative {
        method, system,
        reason: &'static str = "The part of the system that has none.",
        remedy: &'static str = "The advice for another attempt.",
    },
    /// There is not enough memory for the method.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The system has constraints, which the method would ignore.
    #[error(
        "{method} does not keep the constraints of `{system}`: use a constrained method such as RATTLE or \
         `VariationalMidpoint`, or replace them by a penalty with `Penalized`"
    )]
    ConstraintsNotKept { method, system },
    /// The system has nonholonomic constraints, which the method would ignore.
    #[error(
        "{method} does not keep the nonholonomic constraints of `{system}`: use a method that does: `VariationalMidpoint` or \
         `VariationalTrapezoid`"
    )]
    NonholonomicNotKept { method, system },
    /// A moment of the system changes velocities, and no step of the method can be cut there.
    #[error(
        "{method} cannot cut a step where `{moment}` of `{system}` changes velocities: use a method whose steps have parts: `Verlet`, \
         `Rattle`, `VariationalMidpoint` or `Reference`"
    )]
    MomentsNotKept { method, system, moment: String = "The gap or the event." },
    /// A gap has friction, which impacts alone do not keep.
    #[error("{method}: the gap `{gap}` of `{system}` has friction, and impacts inside of a step keep none: set it to zero")]
    FrictionNotKept { method, system, gap: String = "The gap." },
    /// A gap is violated at the start.
    #[error("the gap `{gap}` of `{system}` is {value:.6e} at the start, and a gap is never below zero: begin where it is open")]
    GapViolated { system, gap: String = "The gap.", value: f64 = "Its value." },
    /// The run of a method is to look for an event, and looks for none.
    #[error("the method looks for no event, and not for `{event}`: use another one, such as `Verlet` or `VariationalMidpoint`")]
    EventsNotSought { event: String = "The name." },
    /// A run is to look for an event that the model does not declare.
    #[error("there is no event `{event}`; {}", if known.is_empty() { "the model declares none".to_owned() } else { format!("there are: {known}") })]
    UnknownEvent { event: String = "The name.", known: String = "The names that are known." },
    /// The system has angles that jump unless a run follows them, which the method does not.
    #[error(
        "{method} does not follow the angles of points over many turns that `{system}` has: use a method that does: `Rattle`, \
         `VariationalMidpoint`, `Bdf` or `Reference`"
    )]
    AnglesNotFollowed { method, system },
    /// The system has forces beside its potential's, which the method would ignore.
    #[error(
        "{method} does not include the forces of `{system}` that its Lagrangian does not give: use a method that does: \
         `VariationalMidpoint`, `Bdf` or `Reference`, with a constant mass `Verlet` or `Rattle`"
    )]
    ForcesNotIncluded { method, system },
    /// Rayleigh's function D is not convex in the velocities: its force drives the motion.
    #[error(
        "the dissipation of `{system}` is not convex at the start: in {direction} its second derivative is {value:.3e}, and the force −∂D/∂v \
         drives the motion there: declare D with positive coefficients, and what drives as a #[force]"
    )]
    DissipationNotConvex {
        system,
        direction: String = "The velocity or velocities, in words.",
        value: f64 =
            "The second derivative of D, or the smallest eigenvalue of its matrix, scaled to a \
             diagonal of ones.",
    },
    /// A force depends on velocities, and the method takes forces of position and time only.
    #[error(
        "{method} takes forces of the position and the time alone, and those of `{system}` depend on the velocity of \
         {coordinate}: use `Verlet`, `VariationalMidpoint`, `Bdf` or `Reference`"
    )]
    ForcesOfVelocity {
        method, system,
        coordinate: String = "The degree of freedom.",
    },
    /// A signal of the model does not cover the start.
    #[error(
        "the run starts at t = {time}, and the signal `{signal}` is given from t = {} to t = {}: start there, or give it values",
        span[0], span[1]
    )]
    SignalElsewhere {
        signal: String = "The signal.",
        span: [f64; 2] = "Its first and its last time.",
        time: f64 = "The time of the start.",
    },
    /// The initial state is not finite.
    #[error("the initial {quantity} of `{coordinate}` is {value}: every entry must be finite")]
    NotFinite {
        quantity: &'static str = "Time, position or velocity.",
        coordinate,
        value: f64 = "The value given.",
    },
    /// An angle has so many turns that its place within a turn is lost in rounding.
    #[error(
        "the initial angle `{coordinate}` is {value:?}, where numbers are {spacing:.0e} apart: leave out its whole turns"
    )]
    AngleTooFar {
        coordinate: String = "The angle.",
        value: f64 = "The value given.",
        spacing: f64 = "The distance to the next double.",
    },
    /// The step is zero, negative or not finite.
    #[error("the step is {step}, but it must be positive and finite")]
    StepNotPositive { step: f64 = "The step given." },
    /// An option without a default is missing.
    #[error("{method} needs the option `{option}`: {meaning}")]
    OptionMissing { method, option, meaning: &'static str = "The meaning of the option." },
    /// An option of a method is outside its interval.
    #[error("{method}: {option} = {value} is outside {interval}")]
    OptionOutOfRange {
        method,
        option,
        value: f64 = "The value given.",
        interval: &'static str = "The interval, as text.",
    },
    /// The frequency of a vibrated system is not finite, or zero.
    #[error(
        "{method}: the frequency of `{system}` is {value}, but a window needs a period: it must be finite and not zero"
    )]
    FrequencyOutOfRange {
        method, system,
        value: f64 = "The frequency.",
    },
    /// The constraints of a vibrated system depend on its phase.
    #[error(
        "{method} keeps constraints of positions and time, but those of `{system}` depend on the phase: declare the model in \
         a frame that moves with what is shaken, where the shaking is a force"
    )]
    PhaseInConstraints { method, system },
    /// A part of a multiscale method does not fit the system or another part.
    #[error("{method}: {part} = {choice} does not fit `{system}`: {reason}")]
    PartDoesNotFit {
        method,
        part: &'static str = "The name of the part.",
        choice: &'static str = "The choice for that part.",
        system,
        reason: &'static str = "The reason, and the choices that fit.",
    },
    /// The kernel of a filter does not have unit mass.
    #[error(
        "{method}: the filter `{filter}` has the mass {mass} on {points} points instead of 1: normalize its kernel, or take more \
         micro-steps or a longer window"
    )]
    FilterMass {
        method,
        filter: &'static str = "The filter.",
        mass: f64 = "The integral of its kernel by the trapezoidal rule.",
        points: usize = "The points of the rule.",
    },
    /// The initial positions violate the constraints.
    #[error("{}", off_constraints(equation, *residual, *tolerance))]
    OffConstraints {
        equation: String = "The most violated equation.",
        residual: f64 = "The value g_c of the equation.",
        tolerance: f64 = "The largest accepted residual.",
    },
    /// The initial velocities leave the constraint manifold.
    #[error("{}", velocity_off_constraints(equation, *residual, *tolerance))]
    VelocityOffConstraints {
        equation: String = "The most violated equation.",
        residual: f64 = "The rate of change dg_c/dt of the equation.",
        tolerance: f64 = "The largest accepted rate.",
    },
    /// A constraint is zero together with its gradient.
    #[error(
        "the constraint `{row}` of `{system}` has no gradient at the start, and so holds nothing there: a square, a product of zeros and \
         a distance of zero have none where they are zero; write as components what must vanish, such as `a - b`"
    )]
    NoGradient { system, row: String = "The constraint." },
    /// Dependent constraints contradict each other.
    #[error(
        "{equations} of `{system}` contradict each other at the start: no motion keeps all of them; remove one, or correct its \
         numbers"
    )]
    Contradictory { system, equations: String = "The names of the constraints." },
    /// Nonholonomic constraints depend on each other by factors that change with the position;
    /// the method keeps their means over a step, which contradict each other.
    #[error(
        "{equations} of `{system}` depend on each other by factors that change with the position, so that their means over a step, which \
         {method} keeps, contradict each other: leave out what says nothing new, or use variational-midpoint"
    )]
    VaryingFactors {
        method, system,
        equations: String = "The names of the constraints.",
    },
    /// A constraint depends on the others, and the method needs independent ones.
    #[error(
        "{method} needs constraints that do not depend on each other, and at the start `{row}` of `{system}` follows from the others: \
         leave it out, or use a method that bears it, such as {remedy}"
    )]
    DependentRow {
        method, system,
        row: String = "The name of the constraint.",
        remedy: &'static str = "The methods that bear it.",
    },
    /// The method keeps more of the trajectory than positions and velocities.
    #[error(
        "langevin cannot be built around {method}, whose velocities cannot be replaced between two steps: use a method \
         such as verlet, zhang-skeel, shake or rattle"
    )]
    VelocitiesFixed { method },
    /// The mass matrix couples too many degrees of freedom for the exact flow of the friction.
    #[error(
        "langevin: the mass matrix of `{system}` couples {coupled} degrees of freedom, `{coordinate}` among them; the exact \
         flow of the friction is computed for at most {most}: choose coordinates in which the mass is diagonal, or nearly so"
    )]
    MassTooCoupled {
        system,
        coordinate: String = "One of the degrees of freedom.",
        coupled: usize = "The number of coupled degrees of freedom.",
        most: usize = "The largest accepted number.",
    },
    /// The system does not consist of bodies with rotation matrices, or has too many for the method.
    #[error(
        "{method} integrates rigid bodies by their rotation matrices, each a coordinate `r: Mat3` with the kinetic energy \
         ½ tr(Ṙ D Ṙᵀ), and `{system}` does not fit: {reason}"
    )]
    NoRotatingBody {
        method, system,
        reason: String = "The first difference from a rigid body, in words.",
    },
    /// A matrix is not a rotation.
    #[error(
        "`{coordinate}` does not start as a rotation that turns: {quantity} is {value:.3e}, outside {interval}; project the \
         start onto the rotations first, or correct it"
    )]
    NoRotation {
        coordinate,
        quantity: String = "The wrong quantity, in words.",
        value: f64 = "The value of the quantity.",
        interval: &'static str = "The interval of its correct values, as text.",
    },
    /// The start cannot be projected onto the slow manifold.
    #[error("the start cannot be used: {0}")]
    NotSlow(Box<SlowManifoldError>),
    /// The centre of mass cannot be split off.
    #[error("the centre of mass of `{system}` cannot be split off: {reason}")]
    NotReducible { system, reason: String = "The reason, in words." },
    /// The potential is not a sum of functions of distances.
    #[error(
        "{method} needs a potential that is a sum of functions of distances, which that of `{system}` is not: {reason}"
    )]
    NotOfDistances {
        method, system,
        reason: String = "The reason, in words.",
    },
    /// The potential is not a sum of elements of one point, or of the difference of two.
    #[error(
        "{method} needs a potential whose terms read one point, or the difference of two, which that of `{system}` is not: {reason}"
    )]
    NotOfPairs {
        method, system,
        reason: String = "The reason, in words.",
    },
    /// An option has no meaning beside another one.
    #[error("{method}: {option} has no meaning with {by}: leave one of the two out")]
    OptionExcluded { method, option, by: &'static str = "The option that excludes it." },
    /// The system is at rest, and the method would leave it there.
    #[error("`{system}` starts at rest, where {method} has no force to move it: give it a velocity")]
    AtRest { method, system },
    /// The potential at the initial positions is not finite.
    #[error(
        "the potential of `{system}` is {value} at the start: move the initial positions away from the singularity"
    )]
    PotentialNotFinite { system, value: f64 = "The value found." },
    /// The force at the initial positions is not finite.
    #[error(
        "the force on `{coordinate}` is {value} at the start: move the initial positions away from the singularity"
    )]
    ForceNotFinite { coordinate, value: f64 = "The acceleration found." },
    /// A term of the force is not a number at the initial positions.
    #[error(
        "the force on `{coordinate}` is not a number at the start, by the term {term}, {}: move the initial state away from there, or \
         write the term by a function that is smooth there, such as k (1 + cos θ) instead of ½ k (θ − π)² for an angle that is straight",
        edges(term)
    )]
    Undefined { coordinate, term: String = "The term, as declared." },
    /// A linear system has no accurate solution at the start.
    #[error(
        "{matrix} of `{system}` is singular to working precision at the start (relative residual {residual:.3e}, \
         worst in `{place}`)"
    )]
    Unsolved {
        system,
        matrix,
        residual: f64 = "The relative residual of the best solution found.",
        place: String = "The degree of freedom or equation where the residual is largest.",
    },
    /// Newton's method for the first force did not converge.
    #[error(
        "Newton's method for {unknown} of `{system}` did not converge at the start: after {iterations} iterations the \
         last correction is {correction:.3e} in `{place}`, the tolerance {tolerance:.1e}; try a smaller step"
    )]
    NotConverged {
        system,
        unknown,
        iterations,
        correction: f64 = "The largest last correction of a position.",
        place: String = "The degree of freedom of that position.",
        tolerance: f64 = "The largest accepted correction.",
    },
    /// The mass matrix couples coordinates, and the method needs a diagonal one.
    #[error(
        "{method} needs a diagonal mass matrix, and that of `{system}` couples `{row}` and `{column}`: lump the mass, or \
         choose coordinates in which it is diagonal"
    )]
    MassNotDiagonal {
        method, system,
        row: String = "One of the degrees of freedom.",
        column: String = "The degree of freedom that is coupled to it.",
    },
    /// The potential depends on time, and the method needs a constant one.
    #[error(
        "{method} needs a potential that does not depend on time, and that of `{system}` does: use a method such as verlet"
    )]
    PotentialOfTime { method, system },
    /// The potential at a vertex of the grid around the start is not finite.
    #[error(
        "{method}: the potential is {value} at the vertex {vertex} of the grid, next to the start: move the start or the \
         grid away from the singularity, or take smaller grid steps"
    )]
    VertexNotFinite {
        method,
        vertex: String = "The relevant coordinates of the vertex, and their values.",
        value: f64 = "The value found.",
    },
    /// A coordinate is too many grid steps away from the vertex of the grid.
    #[error(
        "{method}: `{coordinate}` is {cells:e} grid steps away from the vertex of the grid: take larger steps or a nearer vertex"
    )]
    TooManyCells { method, coordinate, cells: f64 = "The distance in grid steps." },
    /// A potential without elements couples too many coordinates.
    #[error(
        "{method}: the potential of `{system}` does not say of which elements it is the sum, so that each of its {dimension} \
         coordinates must be taken to depend on all others, which is done for at most {most}: declare it with #[lagrangian], \
         or implement `Natural::elements`"
    )]
    TooDense {
        method, system,
        dimension: usize = "The number of its degrees of freedom.",
        most: usize = "The largest accepted number.",
    },
    /// A method divides by a mass that is zero, or nothing beside others at its constraints.
    #[error(
        "`{place}` of `{system}` has too little mass for this method, which divides by it (pivot {pivot:.3e}): take \
         `variational-midpoint`, `reference` or `bdf`, or `rattle` or `shake` if constraints hold it"
    )]
    Massless {
        system,
        place: String = "The degree of freedom.",
        pivot: f64 = "The pivot of the mass matrix.",
    },
    /// A matrix cannot be factored at the start.
    #[error("{matrix} of `{system}` is singular or indefinite at the start (pivot {pivot:.3e} at `{place}`)")]
    Singular {
        system,
        matrix,
        pivot: f64 = "The pivot.",
        place: String = "The degree of freedom or equation of the pivot.",
    },
}

/// The places at which the functions in a term have no derivative.
fn edges(term: &str) -> String {
    const EDGES: [(&str, &str); 9] = [
        ("acos", "`acos` at ±1"),
        ("asin", "`asin` at ±1"),
        ("atan2", "`atan2` at (0, 0)"),
        ("norm()", "`norm` at 0"),
        ("distance(", "`distance` at 0"),
        ("normalize", "`normalize` at 0"),
        ("sqrt", "`sqrt` at 0"),
        ("ln()", "`ln` at 0"),
        (" / ", "a quotient by 0"),
    ];
    let found: Vec<&str> =
        EDGES.iter().filter(|(word, _)| term.contains(word)).map(|(_, edge)| *edge).collect();
    match found[..] {
        [] => "one of whose functions has no derivative there, as `acos` at ±1, `atan2` at (0, 0) or a norm at 0".to_owned(),
        _ => format!("in which a function has no derivative there: {}", found.join(", ")),
    }
}

/// Describes the violation of a constraint; no projection can correct NaN.
fn off_constraints(equation: &str, residual: f64, tolerance: f64) -> String {
    if residual.is_nan() {
        return format!(
            "the constraint `{equation}` is not a number at the start: move the initial positions away from where it is undefined"
        );
    }
    format!(
        "the start violates the constraint `{equation}` by {residual:.3e} (tolerance {tolerance:.1e}): \
         project it onto the constraints first, or correct it"
    )
}

/// Describes the violation of its rate.
fn velocity_off_constraints(equation: &str, residual: f64, tolerance: f64) -> String {
    if residual.is_nan() {
        return format!(
            "the rate of change of the constraint `{equation}` is not a number at the start: it has no derivative there, as a root \
             or a norm at zero has none; move the initial positions away"
        );
    }
    format!(
        "the initial velocity changes the constraint `{equation}` at the rate {residual:.3e} (tolerance \
         {tolerance:.1e}): project it onto the constraints first, or correct it"
    )
}
