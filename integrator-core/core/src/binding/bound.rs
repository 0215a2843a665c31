//! `Bound<M>`: an `Assembly` with the type of the model, by which rustc refuses methods.

use super::assembly::Assembly;
use super::binder::Binder;
use super::facts::Facts;
use super::family::Placed;
use super::function::Second;
use super::in_lanes::{Shown, code};
use super::instant::Instant;
use super::straight::{
    Answer, CURVATURE, GRADIENT, InstanceNumbers, PRODUCT, QUADRATIC, Question, SECOND, Sizes, THIRD, VALUE,
    Visit,
};
use crate::describe::Description;
use crate::error::BindError;
use crate::forward::forward;
use crate::lanes::Width;
use crate::noether::ConservedQuantity;
use crate::sparse::{RowPattern, SymmetricMatrix, SymmetricPattern};
use crate::structure::{
    ConstantFor, ConstraintsFor, EvenPhaseFor, ForcesFor, HolonomicOnlyFor, NonholonomicFor, PhaseFor,
    PositionOnlyFor, StiffFor, UnforcedFor,
};
use crate::system::{
    Driven, Elements, EvenInPhase, Faces, Followed, Forced, Holonomic, InLanes, Lagrangian, Layout, Moments,
    Natural, Nonholonomic, Parametric, Periodic, Sampling, Signal, Stiff, System, Text, ThroughSums,
    Unforced, Vibrated,
};
use std::any::TypeId;
use std::marker::PhantomData;

/// A model declared with `#[lagrangian]`.
///
/// The associated types say what kind of system it is, so that rustc can refuse an engine that does not
/// fit. The attribute writes all of them; for a system by hand implement the traits of
/// [`crate::system`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a declared model",
    label = "not a model",
    note = "put #[lagrangian] before `impl {Self} {{ fn lagrangian(&self, …) -> Scalar {{ … }} }}`"
)]
pub trait Model: Sized + Send + Sync + 'static {
    /// Whether the mass matrix is constant, or on which coordinates it depends.
    type Mass;
    /// Whether the force depends on positions only.
    type Force;
    /// Whether there are holonomic constraints.
    type Holonomy;
    /// Whether there are constraints on velocities.
    type Nonholonomy;
    /// Whether a part of the potential is marked as stiff.
    type Stiffness;
    /// Whether there are forces that no potential gives.
    type Forcing;
    /// Whether there is a fast phase, and whether the motion is even in it.
    type Drive;

    /// The facts about the model, for all parameters.
    const FACTS: &'static Facts;

    /// The sizes, if the declaration fixes them and all elements of V,
    /// R and g stand at known places; the type then shows its elements.
    #[doc(hidden)]
    const STRAIGHT: Option<Sizes> = None;

    /// Visits the elements of V, if there are [sizes](Self::STRAIGHT).
    #[doc(hidden)]
    #[inline(always)]
    fn terms(_visit: &mut impl Visit) {}

    /// Visits the elements of R.
    #[doc(hidden)]
    #[inline(always)]
    fn general(_visit: &mut impl Visit) {}

    /// Visits the elements of g.
    #[doc(hidden)]
    #[inline(always)]
    fn rows(_visit: &mut impl Visit) {}

    /// Puts coordinates, families and constraints into `binder`.
    ///
    /// # Errors
    /// The parameters make no system.
    fn declare(&self, binder: &mut Binder) -> Result<(), BindError>;

    /// The values of the [sensitive](Facts::sensitive) fields, an array entry by entry.
    fn parameters(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Gives the sensitive fields new values, in the order of [`parameters`](Self::parameters).
    ///
    /// # Errors
    /// Their number is another.
    fn set_parameters(&mut self, values: &[f64]) -> Result<(), BindError> {
        let (expected, found) = (self.parameters().len(), values.len());
        if expected != found {
            let model = Self::FACTS.name.to_string();
            return Err(BindError::ParameterCount { model, expected, found });
        }
        self.write_parameters(values);
        Ok(())
    }

    /// Writes as many values as there are.
    #[doc(hidden)]
    fn write_parameters(&mut self, _values: &[f64]) {}

    /// Puts the declaration into `binder`, with the sensitive fields as coordinates.
    ///
    /// # Errors
    /// The errors of [`declare`](Self::declare).
    #[doc(hidden)]
    fn declare_sensitive(&self, _binder: &mut Binder) -> Result<(), BindError> {
        Ok(())
    }

    /// The bound system as the kinds that it is.
    fn faces(bound: &Bound<Self>) -> Faces<'_>;

    /// Evaluates everything that does not depend on coordinates.
    ///
    /// # Errors
    /// An index outside its array or outside a table of the model, whole numbers without a
    /// result (`i - 1` at 0), a coefficient that is not finite, a mass that is not positive.
    ///
    /// # Panics
    /// Where the author's Rust panics: in methods of the model, and in closures.
    fn bind(&self) -> Result<Bound<Self>, BindError> {
        self.bind_within(u64::MAX)
    }

    /// As [`bind`](Self::bind), for a system that may take about `memory` bytes,
    /// its later second derivatives included; memory is refused before it is taken.
    ///
    /// # Errors
    /// The errors of [`bind`](Self::bind), and [`BindError::TooMuchMemory`].
    ///
    /// # Panics
    /// Where [`bind`](Self::bind) panics.
    fn bind_within(&self, memory: u64) -> Result<Bound<Self>, BindError> {
        let mut binder = Binder::within(memory);
        self.declare(&mut binder)?;
        let mut assembly = Assembly::new(Self::FACTS.clone(), binder, false)?;
        if Self::FACTS.sensitive.is_some() {
            let mut binder = Binder::within(memory);
            self.declare_sensitive(&mut binder)?;
            assembly = assembly.with(binder, self.parameters())?;
        }
        let straight = Self::STRAIGHT.map_or_else(InstanceNumbers::default, |_| assembly.straight());
        Ok(Bound { assembly, straight, model: PhantomData })
    }
}

/// A model whose declaration a program can read;
/// `least-action expand` compiles it again to show its code.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a declared model",
    label = "not a model",
    note = "put #[lagrangian] before `impl {Self} {{ fn lagrangian(&self, …) -> Scalar {{ … }} }}`"
)]
pub trait Declared {
    /// The declaration `#[lagrangian] impl …` as rustc read it, with other white space.
    const DECLARATION: &'static str;
}

/// A model bound to its parameters: L = ½ vᵀ M v − V(q, t) + R(q, v, t) with g(q, t) = 0.
///
/// R is neither constant mass nor potential. Without R,
/// forces and constraints on velocities the model is natural.
///
/// # Examples
/// ```
/// use least_action::prelude::*;
///
/// struct Spring { stiffness: f64 }
///
/// #[lagrangian]
/// impl Spring {
///     fn lagrangian(&self, x: Scalar) -> Scalar {
///         0.5 * der(x).powi(2) - 0.5 * self.stiffness * x.powi(2)
///     }
/// }
///
/// let system: Bound<Spring> = Spring { stiffness: 4.0 }.bind()?;
/// assert_eq!((system.dimension(), system.potential(&[0.5], 0.0)), (1, 0.5));
/// let mut gradient = [0.0];
/// system.potential_gradient(&[0.5], 0.0, &mut gradient);
/// assert_eq!(gradient, [2.0]);
/// # Ok::<(), least_action::error::BindError>(())
/// ```
pub struct Bound<M> {
    pub(super) assembly: Assembly,
    straight: InstanceNumbers,
    model: PhantomData<fn() -> M>,
}

impl<M: Model> Bound<M> {
    /// The system as the kinds that it is.
    pub fn faces(&self) -> Faces<'_> {
        M::faces(self)
    }

    /// The model as the compiler found it, with the sizes of this instance.
    pub fn description(&self) -> Description {
        self.assembly.description()
    }

    /// Visits each element of the potential that reads coordinates alone, for pictures of bonds:
    /// the number of its family, and the index in q of each entry that it reads.
    ///
    /// Families with more than `most` elements and sums over near pairs are left out.
    pub fn visit_potential(&self, most: usize, visit: &mut dyn FnMut(usize, &[u32])) {
        self.assembly.visit_potential(most, visit);
    }

    /// The system, computing `width` numbers at once; a bound system takes as many as the processor can.
    #[must_use]
    pub fn with_width(mut self, width: Width) -> Self {
        self.assembly.set_width(width);
        self
    }
}

/// Evaluates through the type, if it shows the elements.
impl<M: Model> Bound<M> {
    /// The sizes, if the vectors have the lengths of all coordinates, and of all rows.
    #[inline(always)]
    fn straight<const N: usize, const R: usize>(vectors: [usize; N], rows: [usize; R]) -> Option<Sizes> {
        let Sizes { coordinates, rows: count } = M::STRAIGHT?;
        let fits =
            vectors.iter().all(|length| *length == coordinates) && rows.iter().all(|length| *length == count);
        fits.then_some(Sizes { coordinates, rows: count })
    }

    /// An evaluation of the elements of V.
    #[inline(always)]
    fn of_terms<'a, const Q: Question>(&'a self, q: &'a [f64], now: Instant) -> Answer<'a, Q> {
        Answer { coefficients: &self.straight.of_terms, x: q, a: q, now, ..Answer::default() }
    }

    /// An evaluation of the elements of g.
    #[inline(always)]
    fn of_rows<'a, const Q: Question>(&'a self, q: &'a [f64], t: f64) -> Answer<'a, Q> {
        let now = self.assembly.instant(t);
        Answer { coefficients: &self.straight.of_rows, x: q, a: q, now, ..Answer::default() }
    }

    /// An evaluation of the elements of R at (q, v, t).
    #[inline(always)]
    fn of_general<'a, const Q: Question>(&'a self, z: &'a [f64], t: f64) -> Answer<'a, Q> {
        let now = Instant { t, theta: 0.0 };
        Answer { coefficients: &self.straight.of_general, x: z, a: z, now, ..Answer::default() }
    }

    #[inline]
    fn write_gradient(&self, q: &[f64], now: Instant, gradient: &mut [f64]) {
        let Some(Sizes { coordinates: n, .. }) = Self::straight([q.len(), gradient.len()], []) else {
            return self.assembly.write_gradient(q, now, gradient);
        };
        let vector = &mut gradient[..n];
        vector.fill(0.0);
        M::terms(&mut Answer::<GRADIENT> { vector, ..self.of_terms(&q[..n], now) });
    }

    /// The sizes, if nothing depends on the time.
    #[inline(always)]
    fn still(&self, q: &[f64], v: &[f64]) -> Option<Sizes> {
        let sizes = Self::straight([q.len(), v.len()], [])?;
        self.is_still().then_some(sizes)
    }

    fn is_still(&self) -> bool {
        !M::FACTS.classification.time && self.assembly.phase().is_none()
    }
}

/// Clears a matrix for the elements to fill, if there are sizes and its places are all that they fill.
#[inline(always)]
fn plain<'a>(
    sizes: Option<Sizes>,
    second: impl FnOnce() -> Result<&'a Second, usize>,
    matrix: &mut [f64],
) -> Option<(Sizes, &'a [Placed])> {
    let (sizes, second) = (sizes?, second().ok()?);
    let placed = second.plain()?;
    second.clear(matrix);
    Some((sizes, placed))
}

impl<M: Model> Shown for M {
    const SIZES: Sizes = match M::STRAIGHT {
        Some(sizes) => sizes,
        None => Sizes { coordinates: 0, rows: 0 },
    };

    #[inline(always)]
    fn show_terms(visit: &mut impl Visit) {
        M::terms(visit);
    }

    #[inline(always)]
    fn show_rows(visit: &mut impl Visit) {
        M::rows(visit);
    }
}

#[inline(always)]
fn joined(q: &[f64], v: &[f64], t: f64) -> [f64; 2 * Sizes::MOST_COORDINATES + 1] {
    let (mut z, n) = ([0.0; 2 * Sizes::MOST_COORDINATES + 1], q.len());
    z[..n].copy_from_slice(q);
    z[n..2 * n].copy_from_slice(v);
    z[2 * n] = t;
    z
}

impl<M: Model> System for Bound<M> {
    forward! { assembly:
        name() -> &str;
        layout() -> &Layout;
        periodic() -> Option<&dyn Periodic>;
        parametric() -> Option<&dyn Parametric>;
        signals() -> &[(Text, Signal)];
        followed() -> Option<&dyn Followed>;
        conserved() -> &[ConservedQuantity];
        balanced() -> &[ConservedQuantity];
        checksums() -> [u64; 2];
        undefined(state: &crate::system::State) -> Option<(String, usize)>;
        affords_second_derivatives() -> Result<(), BindError>;
    }

    #[inline]
    fn dimension(&self) -> usize {
        M::STRAIGHT.map_or_else(|| self.assembly.dimension(), |sizes| sizes.coordinates)
    }

    // Where the facts say no, the code of engines that ask is left out: `faces` is never inlined.
    fn holonomic(&self) -> Option<&dyn Holonomic> {
        if M::FACTS.classification.constrained { M::faces(self).holonomic } else { None }
    }

    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        if M::FACTS.classification.nonholonomic { M::faces(self).nonholonomic } else { None }
    }

    fn forced(&self) -> Option<&dyn Forced> {
        if M::FACTS.classification.forced { M::faces(self).forced } else { None }
    }

    fn mechanics(&self) -> Option<&dyn Lagrangian> {
        Some(&self.assembly)
    }

    fn moments(&self) -> Option<&dyn Moments> {
        if M::FACTS.classification.moments { self.assembly.moments() } else { None }
    }

    fn in_lanes(&self) -> Option<InLanes<'_>> {
        let InstanceNumbers { of_terms: terms, of_rows: rows, places, .. } = &self.straight;
        let has_lanes = M::STRAIGHT.is_some() && !cfg!(target_arch = "wasm32") && self.is_still();
        has_lanes.then(|| InLanes { model: TypeId::of::<M>(), code: code::<M>, terms, rows, places })
    }
}

impl<M: Model> Lagrangian for Bound<M> {
    forward! { assembly:
        lagrangian(q: &[f64], v: &[f64], t: f64) -> f64;
        energy(q: &[f64], v: &[f64], t: f64) -> f64;
        second_pattern() -> &SymmetricPattern;
        natural_mass() -> Option<&SymmetricMatrix>;
    }

    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        let sizes = self.still(q, v).filter(|sizes| gradient.len() == 2 * sizes.coordinates + 1);
        let Some(Sizes { coordinates: n, .. }) = sizes else {
            return self.assembly.first_derivatives(q, v, t, gradient);
        };
        let (q, v) = (&q[..n], &v[..n]);
        gradient.fill(0.0);
        M::terms(&mut Answer::<GRADIENT> {
            vector: &mut gradient[..n],
            ..self.of_terms(q, Instant { t, theta: 0.0 })
        });
        gradient[..n].iter_mut().for_each(|entry| *entry = -*entry);
        self.assembly.mass.multiply(v, &mut gradient[n..2 * n]);
        let z = joined(q, v, t);
        M::general(&mut Answer::<GRADIENT> { vector: gradient, ..self.of_general(&z[..=2 * n], t) });
    }

    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let Some(Sizes { coordinates: n, .. }) = self.still(q, v) else {
            return self.assembly.second_derivatives(q, v, t, gradient, hessian);
        };
        let of_potential = |placed: &[Placed], vector: &mut [f64], matrix: &mut [f64]| {
            let terms = self.of_terms(&q[..n], Instant { t, theta: 0.0 });
            M::terms(&mut Answer::<SECOND> { placed, vector, matrix, ..terms });
        };
        let of_rest = |placed: &[Placed], vector: &mut [f64], matrix: &mut [f64]| {
            let z = joined(&q[..n], &v[..n], t);
            let general = self.of_general(&z[..=2 * n], t);
            M::general(&mut Answer::<SECOND> { placed, vector, matrix, ..general });
        };
        self.assembly.write_second_by((q, v, t), (gradient, hessian), of_potential, of_rest);
    }

    fn through_sums(&self) -> Option<&dyn ThroughSums> {
        Lagrangian::through_sums(&self.assembly)
    }
}

impl<M: Model> Natural for Bound<M>
where
    M::Mass: ConstantFor<M>,
    M::Force: PositionOnlyFor<M>,
    M::Nonholonomy: HolonomicOnlyFor<M>,
{
    forward! { assembly:
        mass() -> &SymmetricMatrix;
        potential(q: &[f64], t: f64) -> f64;
        potential_rate(q: &[f64], t: f64) -> f64;
        potential_pattern() -> &SymmetricPattern;
        elements() -> Option<&dyn Elements>;
    }

    // Inlined: a step calls it once, and the vtable of the model calls it too.
    #[inline(always)]
    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        self.write_gradient(q, self.assembly.instant(t), gradient);
    }

    #[inline]
    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let sizes = Self::straight([q.len(), gradient.len()], []);
        let known = plain(sizes, || self.assembly.second_of_potential(), hessian);
        let Some((Sizes { coordinates: n, .. }, placed)) = known else {
            return self.assembly.potential_second(q, t, gradient, hessian);
        };
        let vector = &mut gradient[..n];
        vector.fill(0.0);
        let terms = self.of_terms(&q[..n], self.assembly.instant(t));
        M::terms(&mut Answer::<SECOND> { placed, vector, matrix: hessian, ..terms });
    }

    #[inline]
    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let sizes = Self::straight([q.len(), a.len(), product.len()], []);
        let Some(Sizes { coordinates: n, .. }) = sizes else {
            return self.assembly.potential_product(q, t, a, product);
        };
        let vector = &mut product[..n];
        vector.fill(0.0);
        let terms = self.of_terms(&q[..n], self.assembly.instant(t));
        M::terms(&mut Answer::<PRODUCT> { a: &a[..n], vector, ..terms });
    }

    #[inline]
    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        let sizes = Self::straight([q.len(), a.len(), contraction.len()], []);
        let Some(Sizes { coordinates: n, .. }) = sizes else {
            return self.assembly.potential_third(q, t, a, contraction);
        };
        let vector = &mut contraction[..n];
        vector.fill(0.0);
        let terms = self.of_terms(&q[..n], self.assembly.instant(t));
        M::terms(&mut Answer::<THIRD> { a: &a[..n], vector, ..terms });
    }
}

impl<M: Model> Unforced for Bound<M>
where
    M::Mass: ConstantFor<M>,
    M::Force: PositionOnlyFor<M>,
    M::Forcing: UnforcedFor<M>,
    M::Nonholonomy: HolonomicOnlyFor<M>,
{
}

impl<M: Model> Stiff for Bound<M>
where
    M::Mass: ConstantFor<M>,
    M::Force: PositionOnlyFor<M>,
    M::Nonholonomy: HolonomicOnlyFor<M>,
    M::Stiffness: StiffFor<M>,
{
    forward! { assembly:
        stiff_pattern() -> &SymmetricPattern;
        stiff_hessian(q: &[f64], t: f64, hessian: &mut [f64]);
        stiff_third(q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]);
    }
}

impl<M: Model> Holonomic for Bound<M>
where
    M::Holonomy: ConstraintsFor<M>,
{
    #[inline]
    fn constraints(&self) -> usize {
        M::STRAIGHT.map_or_else(|| self.assembly.constraints(), |sizes| sizes.rows)
    }

    forward! { assembly:
        constraint_name(row: usize) -> String;
        constraints_move() -> bool;
        jacobian_pattern() -> &RowPattern;
        weighted_pattern() -> &SymmetricPattern;
    }

    #[inline]
    fn constraint_values(&self, q: &[f64], t: f64, values: &mut [f64]) {
        let Some(Sizes { coordinates: n, rows: m }) = Self::straight([q.len()], [values.len()]) else {
            return self.assembly.constraint_values(q, t, values);
        };
        let values = &mut values[..m];
        values.fill(0.0);
        M::rows(&mut Answer::<VALUE> { values, ..self.of_rows(&q[..n], t) });
    }

    #[inline]
    fn jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]) {
        let Some(Sizes { coordinates: n, rows: m }) = Self::straight([q.len()], [values.len()]) else {
            return self.assembly.jacobian(q, t, values, jacobian);
        };
        let (values, places) = (&mut values[..m], &self.straight.places);
        values.fill(0.0);
        jacobian.fill(0.0);
        M::rows(&mut Answer::<GRADIENT> { places, values, vector: jacobian, ..self.of_rows(&q[..n], t) });
    }

    #[inline]
    fn constraint_rate(&self, q: &[f64], t: f64, rate: &mut [f64]) {
        if M::FACTS.classification.time || q.len() != self.dimension() {
            return self.assembly.constraint_rate(q, t, rate);
        }
        rate.fill(0.0);
    }

    #[inline]
    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]) {
        let sizes = Self::straight([q.len(), v.len()], [curvature.len()]);
        let Some(Sizes { coordinates: n, rows: m }) = sizes else {
            return self.assembly.constraint_curvature(q, v, t, curvature);
        };
        let values = &mut curvature[..m];
        values.fill(0.0);
        M::rows(&mut Answer::<CURVATURE> { a: &v[..n], values, ..self.of_rows(&q[..n], t) });
    }

    #[inline]
    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]) {
        let sizes = Self::straight([q.len(), a.len()], [quadratic.len()]);
        let Some(Sizes { coordinates: n, rows: m }) = sizes else {
            return self.assembly.constraint_quadratic(q, t, a, quadratic);
        };
        let values = &mut quadratic[..m];
        values.fill(0.0);
        M::rows(&mut Answer::<QUADRATIC> { a: &a[..n], values, ..self.of_rows(&q[..n], t) });
    }

    #[inline]
    fn weighted_hessian(&self, q: &[f64], t: f64, weights: &[f64], hessian: &mut [f64]) {
        let sizes = Self::straight([q.len()], [weights.len()]);
        let known = plain(sizes, || self.assembly.second_of_rows(), hessian);
        let Some((Sizes { coordinates: n, rows: m }, placed)) = known else {
            return self.assembly.weighted_hessian(q, t, weights, hessian);
        };
        let (weights, matrix) = (&weights[..m], hessian);
        M::rows(&mut Answer::<SECOND> { placed, weights, matrix, ..self.of_rows(&q[..n], t) });
    }

    #[inline]
    fn add_weighted_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]) {
        let sizes = Self::straight([q.len(), a.len(), product.len()], [weights.len()]);
        let Some(Sizes { coordinates: n, rows: m }) = sizes else {
            return self.assembly.add_weighted_product(q, t, weights, a, product);
        };
        let (a, weights, vector) = (&a[..n], &weights[..m], &mut product[..n]);
        M::rows(&mut Answer::<PRODUCT> { a, weights, vector, ..self.of_rows(&q[..n], t) });
    }

    #[inline]
    fn add_weighted_third(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]) {
        let sizes = Self::straight([q.len(), a.len(), contraction.len()], [weights.len()]);
        let Some(Sizes { coordinates: n, rows: m }) = sizes else {
            return self.assembly.add_weighted_third(q, t, weights, a, contraction);
        };
        let (a, weights, vector) = (&a[..n], &weights[..m], &mut contraction[..n]);
        M::rows(&mut Answer::<THIRD> { a, weights, vector, ..self.of_rows(&q[..n], t) });
    }
}

impl<M: Model> Nonholonomic for Bound<M>
where
    M::Nonholonomy: NonholonomicFor<M>,
{
    forward! { assembly:
        nonholonomic_rows() -> usize;
        nonholonomic_name(row: usize) -> String;
        nonholonomic_pattern() -> &RowPattern;
        nonholonomic_values(q: &[f64], v: &[f64], t: f64, values: &mut [f64]);
        nonholonomic_derivatives(q: &[f64], v: &[f64], t: f64, values: &mut [f64], derivatives: &mut [f64]);
        nonholonomic_time_derivative(q: &[f64], v: &[f64], t: f64, rate: &mut [f64]);
    }
}

impl<M: Model> Forced for Bound<M>
where
    M::Forcing: ForcesFor<M>,
{
    forward! { assembly:
        add_force(q: &[f64], v: &[f64], t: f64, force: &mut [f64]);
        force_pattern() -> &RowPattern;
        affords_force_derivatives() -> Result<(), BindError>;
        force_is_of_near_pairs() -> bool;
        first_velocity() -> Option<usize>;
        add_dissipation(q: &[f64], v: &[f64], t: f64, force: &mut [f64]);
        add_force_derivatives(q: &[f64], v: &[f64], t: f64, force: &mut [f64], derivatives: &mut [f64]);
        force_is_symmetric() -> bool;
        force_is_linear() -> bool;
        force_is_of_velocity() -> bool;
        dissipates() -> bool;
        add_dissipation_derivatives(q: &[f64], v: &[f64], t: f64, derivatives: &mut [f64]);
        takes_inputs() -> bool;
        add_force_sampled(q: &[f64], v: &[f64], t: f64, sampling: Option<Sampling>, force: &mut [f64]);
        add_force_derivatives_sampled(q: &[f64], v: &[f64], t: f64, sampling: Option<Sampling>, force: &mut [f64], derivatives: &mut [f64]);
    }
}

impl<M: Model> Driven for Bound<M>
where
    M::Drive: PhaseFor<M>,
{
    forward! { assembly:
        frequency() -> f64;
        initial_phase() -> f64;
        is_even_in_phase() -> bool;
        constraints_depend_on_phase() -> bool;
    }
}

impl<M: Model> Vibrated for Bound<M>
where
    M::Mass: ConstantFor<M>,
    M::Force: PositionOnlyFor<M>,
    M::Forcing: UnforcedFor<M>,
    M::Nonholonomy: HolonomicOnlyFor<M>,
    M::Drive: PhaseFor<M>,
{
    #[inline]
    fn gradient_at_phase(&self, q: &[f64], t: f64, theta: f64, gradient: &mut [f64]) {
        self.write_gradient(q, Instant { t, theta }, gradient);
    }
}

impl<M: Model> EvenInPhase for Bound<M>
where
    M::Mass: ConstantFor<M>,
    M::Force: PositionOnlyFor<M>,
    M::Forcing: UnforcedFor<M>,
    M::Nonholonomy: HolonomicOnlyFor<M>,
    M::Drive: PhaseFor<M> + EvenPhaseFor<M>,
{
}
