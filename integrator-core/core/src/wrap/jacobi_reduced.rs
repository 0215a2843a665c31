//! A system without the motion of its centre of mass, in Jacobi coordinates.

mod chain;

use self::chain::Chains;
use super::second::{AddedSecond, natural_lagrangian};
use crate::error::{BindError, StartError};
use crate::forward::forward;
use crate::noether::{Action, ConservedQuantity, CoordinateMotion, Motion};
use crate::scratch::Scratch;
use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use crate::system::{Coordinate, Kind, Layout, Natural, Signal, State, System, Text, Unforced};
use std::sync::OnceLock;

/// A translation-invariant natural system of N points in the N − 1 Jacobi vectors
///
/// ```text
/// q'_k = q_{k+1} − C_k,    C_k = Σ_{i≤k} m_i q_i / M_k,    M_k = Σ_{i≤k} m_i,    k = 1 … N − 1:
/// ```
///
/// each relative to the centre of mass of the points before it. The kinetic energy is again a sum of
/// squares, with the masses m'_k = m_{k+1} M_k / M_{k+1}, and the potential is V(q) with the centre of
/// mass at zero. The centre of mass itself moves uniformly and is left out: [`JacobiReduced::reduce`]
/// splits a state, [`JacobiReduced::reconstruct`] joins it again, both in O(N), and every method keeps
/// the total linear momentum exactly.
///
/// Every coordinate depends on all points before it, so Hess V' is full:
/// for many points with forces of short range the reduction costs more than it saves.
///
/// # Requirements on the model
/// It conserves the total linear momentum along every axis, as the compiler found it
/// ([`System::conserved`]); its mass matrix is diagonal; it has at least two points, no constraints and
/// no other forces.
///
/// # Source
/// M. Gonzalez, B. Schmidt and M. Ortiz, *Force-stepping integrators in Lagrangian mechanics*, Int. J.
/// Numer. Meth. Engng (2010), section 5: there the reduction makes linear momentum exact for a method
/// whose grid breaks the symmetry.
#[derive(Debug)]
pub struct JacobiReduced<'s, S: ?Sized> {
    system: &'s S,
    layout: Layout,
    chains: Chains,
    mass: SymmetricMatrix,
    pattern: SymmetricPattern,
    conserved: Vec<ConservedQuantity>,
    scratch: Scratch<ReducedWorkspace>,
    /// Made on demand, for second derivatives of the Lagrangian.
    second: OnceLock<AddedSecond>,
}

#[derive(Debug)]
struct ReducedWorkspace {
    /// For all points: positions, directions, and results of the whole system.
    q: Vec<f64>,
    direction: Vec<f64>,
    found: Vec<f64>,
    /// The values of Hess V.
    hessian: Vec<f64>,
    /// A reduced direction, and a column of Hess V'.
    unit: Vec<f64>,
    column: Vec<f64>,
}

impl<'s, S: Natural + ?Sized> JacobiReduced<'s, S> {
    /// Splits off the centre of mass of `system`.
    ///
    /// # Errors
    /// The system does not conserve all of its linear momentum, is not made of at least
    /// two points with a diagonal mass matrix, or has constraints or other forces.
    pub fn new(system: &'s S) -> Result<Self, StartError> {
        let refused = |reason: String| StartError::NotReducible { system: system.name().to_owned(), reason };
        if system.holonomic().is_some() || system.nonholonomic().is_some() {
            return Err(refused("it has constraints".to_owned()));
        }
        if system.forced().is_some() {
            return Err(refused("it has forces that its Lagrangian does not give".to_owned()));
        }
        if system.moments().is_some() {
            return Err(refused("it has events or gaps".to_owned()));
        }
        if system.followed().is_some() {
            return Err(refused("a run must follow its angles of points over many turns".to_owned()));
        }
        if !system.mass().is_diagonal() {
            return Err(refused("its mass matrix is not diagonal".to_owned()));
        }
        let kind = kind_of_points(system.layout()).map_err(refused)?;
        let axes = kind.components();
        for axis in 0..axes {
            let along = |group: &Coordinate| match group.kind {
                Kind::Scalar | Kind::Angle => Action::Shift,
                Kind::Vec2 | Kind::Vec3 | Kind::Mat3 => Action::Translation(axis),
            };
            if !system.conserved().iter().any(|quantity| moves_all(quantity, system.layout(), along)) {
                let axis = ["x", "y", "z"][axis];
                return Err(refused(format!(
                    "it is not known to stay the same when all of its points are moved along {axis}"
                )));
            }
        }
        let points = system.dimension() / axes;
        if points < 2 {
            return Err(refused("there is nothing left of a single point".to_owned()));
        }
        let mut layout = Layout::new();
        layout.push("jacobi", kind, vec![points - 1]);
        let chains = Chains::new(axes, &system.mass().values);
        let reduced = layout.dimension();
        let (full, entries) = (system.dimension(), system.potential_pattern().len());
        Ok(Self {
            mass: SymmetricMatrix::diagonal(chains.reduced_masses()),
            pattern: SymmetricPattern::new(reduced, (0..reduced).flat_map(|i| (0..i).map(move |j| (i, j)))),
            conserved: remaining(system, axes),
            scratch: Scratch::new(move || ReducedWorkspace {
                q: vec![0.0; full],
                direction: vec![0.0; full],
                found: vec![0.0; full],
                hessian: vec![0.0; entries],
                unit: vec![0.0; reduced],
                column: vec![0.0; reduced],
            }),
            second: OnceLock::new(),
            system,
            layout,
            chains,
        })
    }

    /// The system with all points.
    pub fn whole(&self) -> &'s S {
        self.system
    }

    /// The state in Jacobi coordinates, and the position and velocity of the centre of mass,
    /// a number for each axis. The centre moves uniformly.
    ///
    /// # Errors
    /// The state does not have the dimension of the whole system.
    pub fn reduce(&self, state: &State) -> Result<(State, State), StartError> {
        for (quantity, values) in [("positions", &state.q), ("velocities", &state.v)] {
            self.check(quantity, values, self.system.dimension())?;
        }
        let split = |whole: &[f64]| {
            let (mut reduced, mut centre) = (vec![0.0; self.dimension()], vec![0.0; self.chains.axes]);
            self.chains.reduce(whole, &mut reduced, &mut centre);
            (reduced, centre)
        };
        let ((q, centre_q), (v, centre_v)) = (split(&state.q), split(&state.v));
        Ok((State { t: state.t, q, v }, State { t: state.t, q: centre_q, v: centre_v }))
    }

    /// Writes the state of all points for a reduced state over `whole`; allocates nothing.
    ///
    /// # Errors
    /// A state or the centre of mass has a wrong dimension.
    pub fn reconstruct(&self, reduced: &State, centre: &State, whole: &mut State) -> Result<(), StartError> {
        let (small, large, axes) = (self.dimension(), self.system.dimension(), self.chains.axes);
        for (quantity, values, expected) in [
            ("reduced positions", &reduced.q, small),
            ("reduced velocities", &reduced.v, small),
            ("positions", &whole.q, large),
            ("velocities", &whole.v, large),
            ("place of the centre of mass", &centre.q, axes),
            ("velocity of the centre of mass", &centre.v, axes),
        ] {
            self.check(quantity, values, expected)?;
        }
        let elapsed = reduced.t - centre.t;
        self.chains.expand(&reduced.q, |axis| centre.q[axis] + elapsed * centre.v[axis], &mut whole.q);
        self.chains.expand(&reduced.v, |axis| centre.v[axis], &mut whole.v);
        whole.t = reduced.t;
        Ok(())
    }

    fn check(&self, quantity: &'static str, values: &[f64], expected: usize) -> Result<(), StartError> {
        if values.len() == expected {
            return Ok(());
        }
        let system = self.system.name().to_owned();
        Err(StartError::WrongLength { system, quantity, expected, found: values.len() })
    }

    /// Runs `inside` on memory whose `q` has all points, with the centre of mass at zero.
    fn expanded<R>(&self, reduced: &[f64], inside: impl FnOnce(&mut ReducedWorkspace) -> R) -> R {
        self.scratch.with(|memory| {
            self.chains.expand(reduced, |_| 0.0, &mut memory.q);
            inside(memory)
        })
    }
}

/// The common kind of all entries of all coordinates.
fn kind_of_points(layout: &Layout) -> Result<Kind, String> {
    let groups = layout.coordinates();
    let Some(first) = groups.first() else { return Err("it has no coordinates".to_owned()) };
    if let Some(other) = groups.iter().find(|group| group.kind != first.kind) {
        return Err(format!("`{}` and `{}` are not points of one space", first.name, other.name));
    }
    match first.kind {
        Kind::Mat3 => Err(format!("`{}` holds matrices, not points", first.name)),
        kind => Ok(kind),
    }
}

/// True if the quantity is conserved because all points may move alike, each coordinate by its action.
fn moves_all(quantity: &ConservedQuantity, layout: &Layout, action: impl Fn(&Coordinate) -> Action) -> bool {
    let Motion::Space(parts) = &quantity.motion else { return false };
    let all = |(place, group): (usize, &Coordinate)| {
        parts.iter().any(|part| {
            part.coordinate == place
                && part.action == action(group)
                && part.factor.to_bits() == parts[0].factor.to_bits()
        })
    };
    parts.len() == layout.coordinates().len() && layout.coordinates().iter().enumerate().all(all)
}

/// The conserved quantities of the reduced motion:
/// the energy, and each conserved component of the angular momentum.
fn remaining<S: System + ?Sized>(system: &S, axes: usize) -> Vec<ConservedQuantity> {
    const NAMES: [&str; 3] = ["angular_momentum_x", "angular_momentum_y", "angular_momentum_z"];
    let all = system.conserved();
    let energy = all.iter().filter(|quantity| quantity.motion == Motion::Time).cloned();
    let turned = (0..3).filter(|_| axes > 1).filter_map(|axis| {
        let action = Action::Rotation(axis);
        let turns = |quantity: &&ConservedQuantity| moves_all(quantity, system.layout(), |_| action);
        Some(ConservedQuantity {
            name: NAMES[axis].into(),
            symmetry: "all Jacobi vectors turn about an axis through the centre of mass".into(),
            formula: "angular momentum about the centre of mass".into(),
            latex: r"\sum_k m'_k\, q'_k \times \dot q'_k".into(),
            unit: "mass · length² / time".into(),
            certainty: all.iter().find(turns)?.certainty,
            motion: Motion::Space(vec![CoordinateMotion { coordinate: 0, action, factor: 1.0 }].into()),
        })
    });
    energy.chain(turned).collect()
}

impl<S: System + ?Sized> System for JacobiReduced<'_, S> {
    forward! { system:
        name() -> &str;
        signals() -> &[(Text, Signal)];
        checksums() -> [u64; 2];
        affords_second_derivatives() -> Result<(), BindError>;
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn conserved(&self) -> &[ConservedQuantity] {
        &self.conserved
    }
}

/// Systems with other forces are refused.
impl<S: Natural + ?Sized> Unforced for JacobiReduced<'_, S> {}

impl<S: Natural + ?Sized> Natural for JacobiReduced<'_, S> {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    fn potential(&self, q: &[f64], t: f64) -> f64 {
        self.expanded(q, |memory| self.system.potential(&memory.q, t))
    }

    fn potential_rate(&self, q: &[f64], t: f64) -> f64 {
        self.expanded(q, |memory| self.system.potential_rate(&memory.q, t))
    }

    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        self.expanded(q, |memory| {
            self.system.potential_gradient(&memory.q, t, &mut memory.found);
            self.chains.pull_back(&memory.found, gradient);
        });
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.pattern
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.expanded(q, |memory| {
            let ReducedWorkspace { q, direction, found, hessian: whole, unit, column } = memory;
            self.system.potential_second(q, t, found, whole);
            self.chains.pull_back(found, gradient);
            // Column by column of Aᵀ (Hess V) A, where q = A q'.
            let mut place = 0;
            unit.fill(0.0);
            for k in 0..unit.len() {
                unit[k] = 1.0;
                self.chains.expand(unit, |_| 0.0, direction);
                unit[k] = 0.0;
                found.fill(0.0);
                self.system.potential_pattern().multiply_add(whole, direction, found);
                self.chains.pull_back(found, column);
                let below = &column[k..];
                hessian[place..place + below.len()].copy_from_slice(below);
                place += below.len();
            }
        });
    }

    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        self.expanded(q, |memory| {
            self.chains.expand(a, |_| 0.0, &mut memory.direction);
            self.system.potential_product(&memory.q, t, &memory.direction, &mut memory.found);
            self.chains.pull_back(&memory.found, product);
        });
    }

    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.expanded(q, |memory| {
            self.chains.expand(a, |_| 0.0, &mut memory.direction);
            self.system.potential_third(&memory.q, t, &memory.direction, &mut memory.found);
            self.chains.pull_back(&memory.found, contraction);
        });
    }
}

natural_lagrangian!([S: Natural + ?Sized] JacobiReduced<'_, S>);
