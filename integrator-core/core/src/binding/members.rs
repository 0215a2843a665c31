//! Members of an ensemble in lanes: instances of one declaration with the same elements.
//!
//! A small system cannot fill registers with its own elements; several systems can: a lane is a member,
//! and each register holds one number of each member. Elements are computed in the order of a single
//! run, with numbers that [round](crate::lanes::Exact) as `f64` does, so that a member has the bits of a
//! single run.

use super::assembly::Assembly;
use super::bound::{Bound, Model};
use super::family::Family;
use super::kernel::{OfMembers, Operation};
use crate::error::MembersError;
use crate::lanes::{Aligned, Registers, Width};
use crate::sparse::RowPattern;
use crate::system::{Constrained, Holonomic, Natural, System};

/// Instances of one declaration that step in lanes, each with parameters of its own.
///
/// # Example
/// ```
/// use least_action::binding::{Members, Model};
/// use least_action::method::{StepsMembers, Verlet};
/// use least_action::prelude::*;
///
/// struct Pendulum {
///     gravity: f64,
/// }
///
/// #[lagrangian]
/// impl Pendulum {
///     fn lagrangian(&self, angle: Angle) -> Scalar {
///         0.5 * der(angle).powi(2) + self.gravity * angle.cos()
///     }
/// }
///
/// let pendulum = |k: u32| Pendulum { gravity: 1.0 + 0.1 * f64::from(k) };
/// let bound = (0..20).map(|k| pendulum(k).bind()).collect::<Result<Vec<_>, _>>()?;
/// let starts = vec![State::at_rest(vec![1.0]); 20];
/// // Members that cannot step in lanes, as with debug assertions, are stepped one by one.
/// let Ok(members) = Members::bind(bound.iter()) else { return Ok(()) };
/// let mut run = Verlet.start_members(&members, starts, &[0.01; 20])?;
/// for _ in 0..100 {
///     run.step();
/// }
/// assert!(run.failure(7).is_none());
/// assert_eq!(run.state(7).t, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Members<'s> {
    members: Vec<Member<'s>>,
    registers: Registers,
}

/// A member without the type of its model.
#[derive(Clone, Copy)]
pub(crate) struct Member<'s> {
    assembly: &'s Assembly,
    pub(crate) natural: &'s dyn Natural,
    pub(crate) constrained: Option<&'s dyn Constrained>,
}

impl<'s> Members<'s> {
    /// Puts instances into the widest registers of the processor.
    ///
    /// # Errors
    /// There are no registers, the instances differ in more than numbers, or the declaration has a part
    /// that only single runs compute: sums inside functions, near pairs, signals, forces, constraints on
    /// velocities, a mass that is not diagonal, or a family that is large enough to fill registers
    /// alone.
    pub fn bind<M: Model>(bound: impl IntoIterator<Item = &'s Bound<M>>) -> Result<Self, MembersError> {
        Self::bind_with(Width::widest(), bound)
    }

    /// As [`bind`](Self::bind), with registers of `width`; all widths give the same bits.
    ///
    /// # Errors
    /// The errors of [`bind`](Self::bind).
    pub fn bind_with<M: Model>(
        width: Width,
        bound: impl IntoIterator<Item = &'s Bound<M>>,
    ) -> Result<Self, MembersError> {
        let refused = |part| MembersError::NotSideBySide { model: M::NAME.to_owned(), part };
        let registers = width.registers().ok_or(MembersError::NoRegisters)?;
        let members = bound
            .into_iter()
            .map(|bound| {
                let natural = M::natural(bound).ok_or_else(|| {
                    refused("a mass that depends on positions, or forces of velocities in its Lagrangian")
                })?;
                Ok(Member { assembly: &bound.assembly, natural, constrained: M::constrained(bound) })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let first = members.first().ok_or(MembersError::None)?.assembly;
        if let Some(part) = first.part_of_one_member() {
            return Err(refused(part));
        }
        for (member, other) in members.iter().enumerate() {
            if let Some(part) = first.difference_to(other.assembly) {
                return Err(MembersError::Different { model: M::NAME.to_owned(), member, part });
            }
        }
        Ok(Self { members, registers })
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// False: there is at least one.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The number of members in a register.
    pub fn lanes(&self) -> usize {
        self.registers.lanes()
    }

    pub(crate) fn model(&self) -> &'s str {
        self.members.first().map_or("", |member| member.assembly.name())
    }

    /// The number n of degrees of freedom of each member.
    pub(crate) fn dimension(&self) -> usize {
        self.members.first().map_or(0, |member| member.assembly.dimension())
    }

    pub(crate) fn all(&self) -> &[Member<'s>] {
        &self.members
    }

    /// The families of the members from `first` on, one in each lane;
    /// surplus lanes repeat the last member.
    pub(crate) fn abreast(&self, first: usize) -> Abreast {
        let lanes = (0..self.lanes()).map(|lane| self.in_lane(first, lane).assembly).collect::<Vec<_>>();
        Abreast::new(self.registers, &lanes)
    }

    /// The member in a lane of the register that begins with member `first`.
    pub(crate) fn in_lane(&self, first: usize, lane: usize) -> &Member<'s> {
        &self.members[(first + lane).min(self.members.len() - 1)]
    }
}

impl std::fmt::Debug for Members<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Members").field("model", &self.model()).field("len", &self.len()).finish()
    }
}

impl Assembly {
    /// The first part that only single runs compute.
    fn part_of_one_member(&self) -> Option<&'static str> {
        let parts = [
            (!self.potential.near.is_empty(), "sums over near pairs"),
            (self.positions.stages.has_sums() || self.motion.stages.has_sums(), "sums inside functions"),
            (!self.signals().is_empty(), "signals"),
            (!self.forces.is_empty(), "forces beside those of its Lagrangian"),
            (!self.nonholonomic.families.is_empty(), "constraints on velocities"),
            (!self.general.is_empty(), "a mass that depends on positions"),
            (!self.mass.is_diagonal(), "a mass that is not diagonal"),
            (
                self.potential.families.iter().any(Family::is_arranged),
                "a family of terms that is large enough to fill registers by itself",
            ),
            (
                !self.potential.families.iter().all(|family| family.kernel.gradient.members.is_some())
                    || !self.constraints.families.iter().all(|family| family.kernel.value.members.is_some()),
                "an element with so many operations that it is compiled for one member alone",
            ),
        ];
        parts.into_iter().find(|(has, _)| *has).map(|(_, part)| part)
    }

    /// The part whose structure differs from another instance of the declaration.
    fn difference_to(&self, other: &Self) -> Option<&'static str> {
        let same = |own: &[Family], other: &[Family]| {
            own.len() == other.len() && own.iter().zip(other).all(|(a, b)| a.has_elements_of(b))
        };
        let terms = same(&self.potential.families, &other.potential.families);
        let rows = same(&self.constraints.families, &other.constraints.families);
        let parts = [
            (self.layout() == other.layout(), "coordinates"),
            (terms && !other.potential.families.iter().any(Family::is_arranged), "terms of its potential"),
            (rows && self.jacobian_pattern() == other.jacobian_pattern(), "constraints"),
            (self.mass.pattern == other.mass.pattern, "coordinates with a mass"),
        ];
        parts.into_iter().find(|(same, _)| !same).map(|(_, part)| part)
    }
}

/// The families of the members in the lanes of a register.
///
/// # Shapes
/// A vector has a register for each entry, with a number for each lane.
pub(crate) struct Abreast {
    pub(crate) registers: Registers,
    lanes: usize,
    dimension: usize,
    rows: usize,
    potential: Vec<FamilyTerms>,
    constraints: Vec<FamilyTerms>,
    jacobian_pattern: RowPattern,
    /// ω and θ₀ of each member.
    phases: Vec<[f64; 2]>,
    /// True if constraints depend on the time.
    with_rate: bool,
}

/// The elements of a family.
struct FamilyTerms {
    family: LaneOperations,
    count: usize,
    slots: Vec<u32>,
    coefficients: Aligned,
    rows: Vec<u32>,
    places: Vec<u32>,
}

/// The operations of members.
#[derive(Clone, Copy)]
struct LaneOperations {
    value: Option<fn(&mut OfMembers<'_>)>,
    rate: Option<fn(&mut OfMembers<'_>)>,
    gradient: Option<fn(&mut OfMembers<'_>)>,
    value_gradient: Option<fn(&mut OfMembers<'_>)>,
    curvature: Option<fn(&mut OfMembers<'_>)>,
}

impl Abreast {
    fn new(registers: Registers, members: &[&Assembly]) -> Self {
        let first = members[0];
        let of = |family: &dyn Fn(&Assembly) -> &Family, places: &[u32]| {
            FamilyTerms::new(&members.iter().map(|member| family(member)).collect::<Vec<_>>(), places)
        };
        let potential = (0..first.potential.families.len())
            .map(|k| of(&|member| &member.potential.families[k], &[]))
            .collect();
        let constraints = (0..first.constraints.families.len())
            .map(|k| of(&|member| &member.constraints.families[k], first.constraints.places(k)));
        Self {
            registers,
            lanes: members.len(),
            dimension: first.dimension(),
            rows: first.constraints(),
            potential,
            constraints: constraints.collect(),
            jacobian_pattern: first.jacobian_pattern().clone(),
            phases: members.iter().map(|member| member.phase().unwrap_or_default()).collect(),
            with_rate: first.facts.classification.time,
        }
    }

    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// The number n of degrees of freedom.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The number m of constraints.
    pub(crate) fn constraints(&self) -> usize {
        self.rows
    }

    /// The pattern of G.
    pub(crate) fn jacobian_pattern(&self) -> &RowPattern {
        &self.jacobian_pattern
    }

    /// Writes the times of the members and their phases over `now`.
    pub(crate) fn at(&self, times: &[f64], now: &mut [f64]) {
        let (t, theta) = now.split_at_mut(self.lanes);
        for (lane, [frequency, initial]) in self.phases.iter().enumerate() {
            (t[lane], theta[lane]) = (times[lane], frequency * times[lane] + initial);
        }
    }

    /// Writes ∇V over `gradient`.
    pub(crate) fn potential_gradient(&self, q: &[f64], now: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        for terms in &self.potential {
            self.run(terms, terms.family.gradient, (q, q, now), gradient, &mut []);
        }
    }

    /// Writes g over `values`.
    pub(crate) fn constraint_values(&self, q: &[f64], now: &[f64], values: &mut [f64]) {
        values.fill(0.0);
        for terms in &self.constraints {
            self.run(terms, terms.family.value, (q, q, now), &mut [], values);
        }
    }

    /// Writes g and G over `values` and `jacobian`.
    pub(crate) fn jacobian(&self, q: &[f64], now: &[f64], values: &mut [f64], jacobian: &mut [f64]) {
        values.fill(0.0);
        jacobian.fill(0.0);
        for terms in &self.constraints {
            self.run(terms, terms.family.value_gradient, (q, q, now), jacobian, values);
        }
    }

    /// Writes ∂g/∂t over `rate`.
    pub(crate) fn constraint_rate(&self, q: &[f64], now: &[f64], rate: &mut [f64]) {
        rate.fill(0.0);
        if self.with_rate {
            for terms in &self.constraints {
                self.run(terms, terms.family.rate, (q, q, now), &mut [], rate);
            }
        }
    }

    /// Writes d²g/dt² at zero acceleration over `curvature`.
    pub(crate) fn constraint_curvature(&self, q: &[f64], v: &[f64], now: &[f64], curvature: &mut [f64]) {
        curvature.fill(0.0);
        for terms in &self.constraints {
            self.run(terms, terms.family.curvature, (q, v, now), &mut [], curvature);
        }
    }

    fn run(
        &self,
        terms: &FamilyTerms,
        operation: Option<fn(&mut OfMembers<'_>)>,
        (x, a, now): (&[f64], &[f64], &[f64]),
        vector: &mut [f64],
        values: &mut [f64],
    ) {
        // Families without the operation were refused.
        let Some(operation) = operation else { return };
        operation(&mut OfMembers {
            registers: self.registers,
            count: terms.count,
            slots: &terms.slots,
            coefficients: terms.coefficients.get(),
            now,
            x,
            a,
            vector,
            places: &terms.places,
            rows: &terms.rows,
            values,
        });
    }
}

impl FamilyTerms {
    /// The elements of a family of each member, in the order of a single run.
    fn new(members: &[&Family], places: &[u32]) -> Self {
        let first = members[0];
        let kernel = first.kernel;
        let (mut order, mut slots, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for run in first.slots.runs() {
            for e in 0..run.count {
                order.push(run.element + e * run.step);
                let places = run.first.iter().zip(run.strides);
                let mut places =
                    places.map(|(first, stride)| first.wrapping_add(stride.wrapping_mul(e as u32)));
                slots.extend(places.by_ref().take(kernel.slots));
                rows.extend(places);
            }
        }
        let mut coefficients = Aligned::zeros(order.len() * kernel.coefficients * members.len());
        let mut to = coefficients.get_mut().iter_mut();
        for element in &order {
            for k in 0..kernel.coefficients {
                for (member, to) in members.iter().zip(&mut to) {
                    *to = member.coefficients.number(*element, k);
                }
            }
        }
        let inputs = kernel.inputs.len();
        let of_element = |element: &usize| &places[element * inputs..(element + 1) * inputs];
        let of = |operation: &Operation| operation.members;
        let constraint = kernel.constraint.as_ref();
        Self {
            family: LaneOperations {
                value: of(&kernel.value),
                rate: of(&kernel.rate),
                gradient: of(&kernel.gradient),
                value_gradient: constraint.and_then(|operations| of(&operations.value_gradient)),
                curvature: constraint.and_then(|operations| of(&operations.curvature)),
            },
            count: order.len(),
            rows,
            places: if places.is_empty() {
                Vec::new()
            } else {
                order.iter().flat_map(of_element).copied().collect()
            },
            slots,
            coefficients,
        }
    }
}
