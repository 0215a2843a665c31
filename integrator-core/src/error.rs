//! What can fail, with the quantity, the step, the time and the remedy.

use crate::system::State;
use thiserror::Error;

/// A vector that cannot be put together by the names of the coordinates.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// There is no such coordinate.
    #[error("there is no coordinate `{coordinate}`: the coordinates are `{known}`")]
    UnknownCoordinate {
        /// The name asked for.
        coordinate: String,
        /// The names there are.
        known: String,
    },
    /// The number of values is wrong.
    #[error("`{coordinate}` takes {expected} values, but {found} were given")]
    WrongLength {
        /// The coordinate.
        coordinate: String,
        /// The number needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// The number of indices is wrong.
    #[error("`{coordinate}` takes {expected} indices, but {found} were given")]
    WrongIndices {
        /// The coordinate.
        coordinate: String,
        /// The number needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// An index is past the end of an array.
    #[error("index {index} is outside `{coordinate}`, whose length in dimension {dimension} is {length}")]
    IndexOutOfRange {
        /// The coordinate.
        coordinate: String,
        /// Which index, counted from the outermost.
        dimension: usize,
        /// The index that was asked for.
        index: usize,
        /// The length of the array in that dimension.
        length: usize,
    },
    /// A value is missing.
    #[error("`{coordinate}` has not been set")]
    NotSet {
        /// The degree of freedom.
        coordinate: String,
    },
}

/// A model instance that cannot be bound: its parameters make no system.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BindError {
    /// An element reads past the end of a coordinate array.
    #[error("{place}: {source}")]
    IndexOutOfRange {
        /// The family that reads it.
        place: &'static str,
        /// What it reads.
        source: LayoutError,
    },
    /// An index runs past the end of an `each(…)`.
    #[error(
        "index {index} is past the end of the `each(…)` that it reads: check the parameters of the model"
    )]
    EachTooShort {
        /// The index that was asked for.
        index: usize,
    },
    /// A coefficient is infinite or not a number.
    #[error("a coefficient of {place} is {value}: check the parameters of the model")]
    CoefficientNotFinite {
        /// The family.
        place: String,
        /// Its value.
        value: f64,
    },
    /// A diagonal entry of the mass matrix is not positive.
    #[error(
        "the mass of `{coordinate}` is {value}, but it must be positive: check the parameters of `{model}`"
    )]
    MassNotPositive {
        /// The model.
        model: &'static str,
        /// The degree of freedom.
        coordinate: String,
        /// The diagonal entry.
        value: f64,
    },
    /// A force has another number of components than the coordinate that it acts on.
    #[error(
        "the force `{force}` has {found} components, but `{coordinate}`, on which it acts, has {expected}"
    )]
    ForceLength {
        /// The method.
        force: &'static str,
        /// The coordinate.
        coordinate: String,
        /// Its number of components.
        expected: usize,
        /// That of the force.
        found: usize,
    },
    /// There is nothing to move.
    #[error("`{model}` has no degrees of freedom with these parameters: the length of an array is zero")]
    Empty {
        /// The model.
        model: &'static str,
    },
    /// The coordinates cannot be numbered.
    #[error("`{coordinate}` is too long: a system can have at most {limit} degrees of freedom")]
    TooLarge {
        /// The coordinate.
        coordinate: String,
        /// The limit.
        limit: usize,
    },
}

/// A run that cannot start.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StartError {
    /// A slice does not have the length that the system needs.
    #[error("{quantity} has length {found}, but `{system}` needs {expected}")]
    WrongLength {
        /// The system.
        system: String,
        /// What has the wrong length: positions, velocities.
        quantity: &'static str,
        /// The length needed.
        expected: usize,
        /// The length given.
        found: usize,
    },
    /// The system has constraints, which the method would ignore.
    #[error(
        "{method} does not keep the constraints of `{system}`: use a constrained method such as RATTLE, or replace \
         them by a penalty with `Penalized`"
    )]
    ConstraintsNotKept {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
    },
    /// The system has forces beside those of the Lagrangian, which the method would ignore.
    #[error(
        "{method} does not include the forces of `{system}` that its Lagrangian does not give: use a method that does, \
         such as `Reference`"
    )]
    ForcesNotIncluded {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
    },
    /// The initial state is not finite.
    #[error("the initial {quantity} of `{coordinate}` is {value}: every entry must be finite")]
    NotFinite {
        /// Position or velocity.
        quantity: &'static str,
        /// The degree of freedom.
        coordinate: String,
        /// The value given.
        value: f64,
    },
    /// The step is zero, negative or not finite.
    #[error("the step is {step}, but it must be positive and finite")]
    StepNotPositive {
        /// The step given.
        step: f64,
    },
    /// An option of a method that has no default is not given.
    #[error("{method} needs the option `{option}`: {meaning}")]
    OptionMissing {
        /// The method.
        method: &'static str,
        /// The option.
        option: &'static str,
        /// What it is.
        meaning: &'static str,
    },
    /// An option of a method is outside its interval.
    #[error("{method}: {option} = {value} is outside {interval}")]
    OptionOutOfRange {
        /// The method.
        method: &'static str,
        /// The option.
        option: &'static str,
        /// The value given.
        value: f64,
        /// The interval, as text.
        interval: &'static str,
    },
    /// The frequency of a vibrated system leaves nothing to average over.
    #[error(
        "{method}: the frequency of `{system}` is {value}, but a window needs a period: it must be finite and not zero"
    )]
    FrequencyOutOfRange {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
        /// The frequency.
        value: f64,
    },
    /// The constraints of a vibrated system depend on its phase.
    #[error(
        "{method} keeps constraints of positions and time, but those of `{system}` depend on the phase: declare the model in \
         a frame that moves with what is shaken, where the shaking is a force"
    )]
    PhaseInConstraints {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
    },
    /// A part of a multiscale method does not go with the system or with the other parts.
    #[error("{method}: {part} = {choice} does not fit `{system}`: {reason}")]
    PartDoesNotFit {
        /// The method.
        method: &'static str,
        /// Which part.
        part: &'static str,
        /// The choice.
        choice: &'static str,
        /// The system.
        system: String,
        /// Why, and what fits.
        reason: &'static str,
    },
    /// The kernel of a filter has not unit mass.
    #[error(
        "{method}: the filter `{filter}` has the mass {mass} on {points} points instead of 1: normalize its kernel, or take more \
         micro-steps or a longer window"
    )]
    FilterMass {
        /// The method.
        method: &'static str,
        /// The filter.
        filter: &'static str,
        /// The integral of its kernel by the trapezoidal rule.
        mass: f64,
        /// The points of the rule.
        points: usize,
    },
    /// The initial positions violate the constraints.
    #[error(
        "the start violates the constraint `{equation}` by {residual:.3e} (tolerance {tolerance:.1e}): \
         project it onto the constraints first, or correct it"
    )]
    OffConstraints {
        /// The equation that is violated most.
        equation: String,
        /// Its value.
        residual: f64,
        /// What would be accepted.
        tolerance: f64,
    },
    /// The initial velocities leave the constraint manifold.
    #[error(
        "the initial velocity changes the constraint `{equation}` at the rate {residual:.3e} (tolerance \
         {tolerance:.1e}): project it onto the constraints first, or correct it"
    )]
    VelocityOffConstraints {
        /// The equation that is violated most.
        equation: String,
        /// Its rate of change.
        residual: f64,
        /// What would be accepted.
        tolerance: f64,
    },
    /// The method keeps more of the trajectory than positions and velocities.
    #[error(
        "langevin cannot be built around {method}, whose velocities cannot be replaced between two steps: use a method \
         such as verlet, zhang-skeel, shake or rattle"
    )]
    VelocitiesFixed {
        /// The method.
        method: &'static str,
    },
    /// The mass matrix couples too many degrees of freedom for the exact flow of the friction.
    #[error(
        "langevin: the mass matrix of `{system}` couples {coupled} degrees of freedom, `{coordinate}` among them; the exact \
         flow of the friction is computed for at most {most}: choose coordinates in which the mass is diagonal, or nearly so"
    )]
    MassTooCoupled {
        /// The system.
        system: String,
        /// One of the degrees of freedom.
        coordinate: String,
        /// How many are coupled.
        coupled: usize,
        /// How many may be.
        most: usize,
    },
    /// The system is not a body with one rotation matrix.
    #[error(
        "{method} integrates a body with one rotation matrix, a coordinate `r: Mat3` with the kinetic energy \
         ½ tr(Ṙ D Ṙᵀ), which `{system}` is not: {reason}"
    )]
    NoRotatingBody {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
        /// What it is instead.
        reason: String,
    },
    /// A matrix that should be a rotation is none.
    #[error(
        "`{coordinate}` does not start as a rotation that turns: {quantity} is {value:.3e}, outside {interval}; project the \
         start onto the rotations first, or correct it"
    )]
    NoRotation {
        /// The coordinate.
        coordinate: String,
        /// What shows it.
        quantity: String,
        /// Its value.
        value: f64,
        /// Where it should be, as text.
        interval: &'static str,
    },
    /// The method keeps more of the trajectory than a state.
    #[error(
        "{method} cannot go on from a state that was projected: use a one-step method such as verlet, zhang-skeel or reference"
    )]
    StateFixed {
        /// The method.
        method: &'static str,
    },
    /// The weights of a filter do not have the moments of a kernel of unit mass.
    #[error(
        "the kernel `{kernel}` on {samples} points to each side has the moment {moment} = {value:.4}, but it must be \
         {expected}: correct the kernel, or take more points (a wider window, more micro-steps)"
    )]
    KernelMoment {
        /// The kernel.
        kernel: &'static str,
        /// Which moment; 0 is the mass.
        moment: u32,
        /// Its value.
        value: f64,
        /// What it must be.
        expected: f64,
        /// The number of points on each side.
        samples: usize,
    },
    /// The start cannot be projected onto the slow manifold.
    #[error("the start cannot be used: {0}")]
    NotSlow(Box<SlowManifoldError>),
    /// The centre of mass cannot be split off.
    #[error("the centre of mass of `{system}` cannot be split off: {reason}")]
    NotReducible {
        /// The system.
        system: String,
        /// What stands against it.
        reason: String,
    },
    /// The potential is no sum of functions of distances.
    #[error(
        "{method} needs a potential that is a sum of functions of distances, which that of `{system}` is not: {reason}"
    )]
    NotOfDistances {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
        /// What stands against it.
        reason: String,
    },
    /// The potential is no sum of elements of one point or of the difference of two.
    #[error(
        "{method} needs a potential whose terms read one point, or the difference of two, which that of `{system}` is not: {reason}"
    )]
    NotOfPairs {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
        /// What stands against it.
        reason: String,
    },
    /// An option has no meaning beside another one.
    #[error("{method}: {option} has no meaning with {by}: leave one of the two out")]
    OptionExcluded {
        /// The method.
        method: &'static str,
        /// The option.
        option: &'static str,
        /// The other one.
        by: &'static str,
    },
    /// The system is at rest, and the method would leave it there.
    #[error("`{system}` starts at rest, where {method} has no force to move it: give it a velocity")]
    AtRest {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
    },
    /// The potential at the initial positions is not finite.
    #[error(
        "the potential of `{system}` is {value} at the start: move the initial positions away from the singularity"
    )]
    PotentialNotFinite {
        /// The system.
        system: String,
        /// The value found.
        value: f64,
    },
    /// The force at the initial positions is not finite.
    #[error(
        "the force on `{coordinate}` is {value} at the start: move the initial positions away from the singularity"
    )]
    ForceNotFinite {
        /// The degree of freedom.
        coordinate: String,
        /// The acceleration found.
        value: f64,
    },
    /// A linear system has no accurate solution at the start.
    #[error(
        "{matrix} of `{system}` is singular to working precision at the start (relative residual {residual:.3e}, \
         worst in `{place}`)"
    )]
    Unsolved {
        /// The system.
        system: String,
        /// Which matrix.
        matrix: &'static str,
        /// The relative residual of the best solution found.
        residual: f64,
        /// The degree of freedom or equation where the residual is largest.
        place: String,
    },
    /// Newton's method for the first force did not converge.
    #[error(
        "Newton's method for {unknown} of `{system}` did not converge at the start: after {iterations} iterations the \
         residual is {residual:.3e} in `{place}`, the tolerance {tolerance:.1e}; try a smaller step"
    )]
    NotConverged {
        /// The system.
        system: String,
        /// What is solved for.
        unknown: &'static str,
        /// The iterations done.
        iterations: u32,
        /// The largest residual left.
        residual: f64,
        /// Where it is.
        place: String,
        /// What would be accepted.
        tolerance: f64,
    },
    /// The mass matrix couples coordinates, and the method needs a diagonal one.
    #[error(
        "{method} needs a diagonal mass matrix, and that of `{system}` couples `{row}` and `{column}`: lump the mass, or \
         choose coordinates in which it is diagonal"
    )]
    MassNotDiagonal {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
        /// One of the degrees of freedom.
        row: String,
        /// The other.
        column: String,
    },
    /// The potential depends on time, and the method needs one that does not.
    #[error(
        "{method} needs a potential that does not depend on time, and that of `{system}` does: use a method such as verlet"
    )]
    PotentialOfTime {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
    },
    /// The potential at a vertex of the grid around the start is not finite.
    #[error(
        "{method}: the potential is {value} at the vertex {vertex} of the grid, next to the start: move the start or the \
         grid away from the singularity, or take smaller grid steps"
    )]
    VertexNotFinite {
        /// The method.
        method: &'static str,
        /// The coordinates of the vertex that matter, and their values.
        vertex: String,
        /// The value found.
        value: f64,
    },
    /// A coordinate is too many grid steps away from the vertex that fixes the grid.
    #[error(
        "{method}: `{coordinate}` is {cells:e} grid steps away from the vertex of the grid: take larger steps or a nearer vertex"
    )]
    TooManyCells {
        /// The method.
        method: &'static str,
        /// The degree of freedom.
        coordinate: String,
        /// The distance in grid steps.
        cells: f64,
    },
    /// A potential without elements couples too many coordinates.
    #[error(
        "{method}: the potential of `{system}` does not say of which elements it is the sum, so that each of its {dimension} \
         coordinates must be taken to depend on all others, which is done for at most {most}: declare it with #[lagrangian], \
         or implement `Natural::elements`"
    )]
    TooDense {
        /// The method.
        method: &'static str,
        /// The system.
        system: String,
        /// Its number of degrees of freedom.
        dimension: usize,
        /// The most that are accepted.
        most: usize,
    },
    /// A matrix cannot be factored at the start.
    #[error("{matrix} of `{system}` is singular or indefinite at the start (pivot {pivot:.3e} at `{place}`)")]
    Singular {
        /// The system.
        system: String,
        /// Which matrix.
        matrix: &'static str,
        /// The pivot.
        pivot: f64,
        /// The degree of freedom or equation of the pivot.
        place: String,
    },
}

/// A step that failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// The state stopped being finite.
    #[error(
        "{method}: `{coordinate}` is not finite in step {step} (from t = {time}): the step {size} is probably above \
         the stability limit, try a smaller one"
    )]
    NotFinite {
        /// The method.
        method: &'static str,
        /// The degree of freedom.
        coordinate: String,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The step size.
        size: f64,
    },
    /// A matrix could not be factored, or the solution does not satisfy its equation.
    #[error(
        "{method}: {matrix} is singular or indefinite in step {step} (from t = {time}; pivot {pivot:.3e} at \
         `{place}`): {remedy}"
    )]
    Singular {
        /// The method.
        method: &'static str,
        /// Which matrix.
        matrix: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The pivot.
        pivot: f64,
        /// The degree of freedom or equation of the pivot.
        place: String,
        /// What to try.
        remedy: &'static str,
    },
    /// The solution of a linear system does not satisfy its equation.
    #[error(
        "{method}: {matrix} is singular to working precision in step {step} (from t = {time}; relative residual \
         {residual:.3e}, worst in `{place}`): {remedy}"
    )]
    Unsolved {
        /// The method.
        method: &'static str,
        /// Which matrix.
        matrix: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The relative residual of the best solution found.
        residual: f64,
        /// The degree of freedom or equation where the residual is largest.
        place: String,
        /// What to try.
        remedy: &'static str,
    },
    /// A step is longer than the motion that it met allows.
    #[error(
        "{method}: the step {size} is above the limit of stability, which is {limit:.3e} for the motion met in step {step} (from \
         t = {time}): try a smaller one"
    )]
    AboveStability {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The step size.
        size: f64,
        /// The longest that is stable.
        limit: f64,
    },
    /// The fast motion could not be followed through a window.
    #[error(
        "{method}: the fast motion cannot be followed in step {step} (from t = {time}){place}: {reason}; take more micro-steps than \
         {per_period} in a period, or a smaller step"
    )]
    FastMotion {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The micro-step, in words.
        place: String,
        /// What was observed.
        reason: String,
        /// The micro-steps in a period.
        per_period: usize,
    },
    /// The potential is infinite or not a number on the way.
    #[error(
        "{method}: the potential or its slope is not finite on the way of step {step} (from t = {time}): the motion runs into a          singularity of the model"
    )]
    PotentialNotFinite {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
    },
    /// The motion meets too many edges of a terraced potential at one instant.
    #[error(
        "{method}: too many edges of terraces are met at one instant in step {step} (from t = {time}): the motion runs along an          edge, or into a singularity; try another height"
    )]
    Stuck {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
    },
    /// An adaptive method could not keep its tolerance.
    #[error(
        "{method}: the tolerance {tolerance:.1e} cannot be kept in step {step} beyond t = {time}: {reason}; loosen it, or \
         check that the model is regular there"
    )]
    ToleranceNotReached {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time that was reached inside the step.
        time: f64,
        /// The tolerance.
        tolerance: f64,
        /// What was observed.
        reason: &'static str,
    },
    /// The potential at a vertex of the grid is not finite.
    #[error(
        "{method}: the potential is {value} at the vertex {vertex} of the grid, reached at t = {time} after {crossings} \
         crossings: take smaller grid steps, or keep the motion away from the singularity"
    )]
    VertexNotFinite {
        /// The method.
        method: &'static str,
        /// The coordinates of the vertex that matter, and their values.
        vertex: String,
        /// The value found.
        value: f64,
        /// The time at which it was needed.
        time: f64,
        /// The crossings done.
        crossings: u64,
    },
    /// The motion slides along faces of the grid, which no sequence of crossings can follow.
    #[error(
        "{method}: {burst} crossings in a row took no time at t = {time}, the last through {wall}: the motion slides along \
         faces of the grid, as from rest at a vertex where the potential is least; shift the grid, at random or by a thousandth \
         of its step or more"
    )]
    Sliding {
        /// The method.
        method: &'static str,
        /// The crossings in a row.
        burst: u64,
        /// The last face.
        wall: String,
        /// The time.
        time: f64,
    },
    /// Newton's method did not converge.
    #[error(
        "{method}: Newton's method for {unknown} did not converge in step {step} (from t = {time}): after \
         {iterations} iterations the residual is {residual:.3e} in `{place}`, the tolerance {tolerance:.1e}; {remedy}"
    )]
    NotConverged {
        /// The method.
        method: &'static str,
        /// What is solved for.
        unknown: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// The iterations done.
        iterations: u32,
        /// The largest residual left.
        residual: f64,
        /// Where it is.
        place: String,
        /// What would be accepted.
        tolerance: f64,
        /// What to try.
        remedy: &'static str,
    },
    /// A point of the step cannot be projected onto the slow manifold.
    #[error("{method}: in step {step} (from t = {time}), {source}")]
    NotSlow {
        /// The method.
        method: &'static str,
        /// The number of the step that failed, counted from 1.
        step: u64,
        /// The time of the last good state.
        time: f64,
        /// Why, with the last iterate.
        source: Box<SlowManifoldError>,
    },
}

/// IPA did not reach the slow manifold; the last iterate is kept.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SlowManifoldError {
    /// The iterates still change.
    #[error(
        "the projection onto the slow manifold did not converge: iteration {iterations} changes `{place}` by {change:.3e}, \
         {contraction:.2} times as much as the one before (tolerance {tolerance:.1e}): {remedy}"
    )]
    NotConverged {
        /// The iterations done.
        iterations: u32,
        /// What changes most.
        place: String,
        /// By how much.
        change: f64,
        /// The last change over the one before.
        contraction: f64,
        /// What would be accepted.
        tolerance: f64,
        /// What to try.
        remedy: &'static str,
        /// The last iterate.
        last: State,
    },
    /// The micro-integration blows up.
    #[error(
        "the projection onto the slow manifold failed: `{coordinate}` is not finite in iteration {iteration}; start nearer to \
         the slow manifold, or take more micro-steps in a period, which keep the micro-step below the stability limit"
    )]
    NotFinite {
        /// The number of the iteration, counted from 1.
        iteration: u32,
        /// The degree of freedom.
        coordinate: String,
        /// The last iterate.
        last: State,
    },
    /// A linear system has no accurate solution.
    #[error(
        "the projection onto the slow manifold failed: {matrix} is singular to working precision in iteration {iteration} \
         (relative residual {residual:.3e}, worst in `{place}`)"
    )]
    Unsolved {
        /// The number of the iteration, counted from 1.
        iteration: u32,
        /// Which matrix.
        matrix: &'static str,
        /// The relative residual.
        residual: f64,
        /// Where it is largest.
        place: String,
        /// The last iterate.
        last: State,
    },
}

impl SlowManifoldError {
    /// The last iterate.
    pub fn last(&self) -> &State {
        match self {
            Self::NotConverged { last, .. } | Self::NotFinite { last, .. } | Self::Unsolved { last, .. } => {
                last
            }
        }
    }
}

/// Positions or velocities that cannot be projected onto the constraints.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProjectionError {
    /// The positions or velocities do not fit the system, or are not finite.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The constraints depend on each other here.
    #[error(
        "the constraint `{equation}` depends on the others (pivot {pivot:.3e}): the constraints are redundant or the \
         configuration is singular"
    )]
    Redundant {
        /// The equation.
        equation: String,
        /// The pivot.
        pivot: f64,
    },
    /// The slow manifold was not reached.
    #[error(transparent)]
    NotSlow(#[from] Box<SlowManifoldError>),
    /// No point of the constraint manifold was found.
    #[error(
        "the projection did not converge: after {iterations} iterations `{equation}` is {residual:.3e} (tolerance \
         {tolerance:.1e}); start nearer to the constraints, or with a larger tolerance"
    )]
    NotConverged {
        /// The iterations done.
        iterations: u32,
        /// The equation that is violated most.
        equation: String,
        /// Its value.
        residual: f64,
        /// What would be accepted.
        tolerance: f64,
    },
}
