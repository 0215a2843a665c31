//! The operators that all engines of natural systems share: M, M⁻¹ and Hess V over x = (q, θ), and the
//! stages from momenta to velocities and back.

use super::parameters::Parameters;
use super::program::{Factor, Line, add, set};
use super::span::{Node, Span};
use super::sparse::{SlopeMatrix, Sparse, both_triangles};
use super::variation::Vector;
use crate::error::{Begun, StartError};
use crate::method::applied::Instant;
use crate::method::linearly_implicit::LinearizedPart;
use crate::method::mass_solver::MassSolver;
use crate::polar::Polar;
use crate::sparse::SymmetricPattern;
use crate::system::{Holonomic, Natural, Parametric};

/// The operators of a natural system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::method) enum OfMass {
    /// M.
    Mass,
    /// M⁻¹.
    Inverse,
    /// ∂(M w)/∂θ for a velocity w.
    Slope(Along),
    /// M⁻¹ ∂(M w)/∂θ.
    InverseSlope(Along),
}

/// The velocities of a step along which the mass has slopes by the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::method) enum Along {
    /// The velocity between two positions.
    Drift,
    /// The velocity of a state.
    State,
    /// The accelerations at the beginning of a step and of its equation.
    Early,
    /// See [`Self::Early`].
    Late,
    /// The velocities before a bath acts and after it, and after the rows act.
    Begun,
    /// See [`Self::Begun`].
    Bathed,
    /// See [`Self::Begun`].
    Held,
    /// The velocities u whose ∂(M u)/∂θ is the slope of a decay and of thermal velocities.
    Decay,
    /// See [`Self::Decay`].
    Thermal,
}

/// The number of these velocities.
const VELOCITIES: usize = Along::Thermal as usize + 1;

/// The velocity v = M⁻¹ p of a drift or of a state.
pub(in crate::method) fn velocity<O: From<OfMass> + Copy>(along: Along) -> [Line<O>; 2] {
    [
        set(Vector::Velocity, OfMass::Inverse.into(), Vector::Momentum),
        add(Vector::Velocity, Factor::MINUS, OfMass::InverseSlope(along).into(), Vector::Position),
    ]
}

/// p = M v.
pub(in crate::method) fn momentum<O: From<OfMass> + Copy>() -> [Line<O>; 2] {
    [
        set(Vector::Momentum, OfMass::Mass.into(), Vector::Velocity),
        add(Vector::Momentum, Factor::ONE, OfMass::Slope(Along::State).into(), Vector::Position),
    ]
}

/// A natural system with its sensitive parameters θ, over x = (q, θ), and the memory of products.
pub(in crate::method) struct Extended<'s, S: ?Sized> {
    pub(in crate::method) system: &'s S,
    pub(in crate::method) parametric: Option<&'s dyn Parametric>,
    mass: MassSolver,
    /// x, and a direction and a product over x.
    x: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    polar: Polar,
    /// The derivatives by θ at a state, and the velocities of their slopes that a step has taken.
    by_parameters: Option<Parameters<'s>>,
    /// False if tangents move along no parameter of the mass.
    has_slopes: bool,
    velocities: [Vec<f64>; VELOCITIES],
    momentum: Vec<f64>,
    /// The parameters along which tangents move; none if it may be all.
    moving: Option<Vec<bool>>,
    /// The operators as matrices, when several tangents ask for them.
    matrices: Option<Box<Matrices>>,
}

struct Matrices {
    /// M⁻¹, if it is diagonal, and M.
    inverse_mass: SlopeMatrix,
    mass: SlopeMatrix,
    /// ∂(M v)/∂θ and −Hess V.
    mass_slope: SlopeMatrix,
    stiffness: SlopeMatrix,
    gradient: Vec<f64>,
}

impl Matrices {
    fn new<S: Natural + ?Sized>(extended: &Extended<'_, S>) -> Self {
        let (system, [n, parameters]) = (extended.system, extended.dimension());
        let matrix = |pattern: Option<&SymmetricPattern>, by_products: Option<&[_]>| {
            SlopeMatrix::new([n, n + parameters], &pattern.map_or_else(Vec::new, both_triangles), by_products)
        };
        let (mass, couplings) = (system.mass(), extended.couplings());
        let [of_potential, of_motion, _] =
            couplings.as_ref().map_or([None; 3], |all| all.each_ref().map(|own| Some(&own[..])));
        let constant = |is_sparse: bool, values: &mut dyn Iterator<Item = f64>| {
            let mut matrix = matrix(Some(&mass.pattern), is_sparse.then_some(&[]));
            matrix.numbers().into_iter().flatten().zip(values).for_each(|(to, value)| *to = value);
            matrix.fill(1.0, |_, _| {});
            matrix
        };
        let values = &mass.values;
        Self {
            inverse_mass: constant(mass.is_diagonal(), &mut values.iter().map(|mass| mass.recip())),
            mass: constant(true, &mut values.iter().copied()),
            mass_slope: matrix(None, of_motion),
            stiffness: matrix(Some(system.potential_pattern()), of_potential),
            gradient: vec![0.0; n],
        }
    }
}

impl<'s, S: Natural + ?Sized> Extended<'s, S> {
    /// # Errors
    /// The mass is singular, or there are forces, whose derivatives are not among the operators.
    pub(in crate::method) fn new(system: &'s S, method: &'static str) -> Begun<Self> {
        if system.forced().is_some() {
            return Err(StartError::NoDerivative {
                method,
                system: system.name().to_owned(),
                reason: "forces beside its Lagrangian",
                remedy: "take `verlet`, `rattle` or a variational integrator",
            });
        }
        Self::of(system)
    }

    /// # Errors
    /// The mass is singular.
    pub(in crate::method) fn of(system: &'s S) -> Begun<Self> {
        let parametric = system.parametric();
        let zeros = || vec![0.0; system.dimension()];
        let x = parametric.map_or_else(zeros, |own| own.place(&zeros()));
        // Where no element of the motion reads a parameter, the mass has no slopes.
        let is_read =
            |own: &&dyn Parametric| own.couplings().is_none_or(|[_, of_motion, _]| !of_motion.is_empty());
        let moving = parametric.filter(is_read);
        Ok(Self {
            system,
            parametric,
            mass: MassSolver::new(system, system.mass())?,
            direction: vec![0.0; x.len()],
            product: vec![0.0; x.len()],
            polar: Polar::new(x.len(), x.len()),
            x,
            has_slopes: moving.is_some(),
            by_parameters: moving.map(|own| Parameters::new(own, None)),
            velocities: std::array::from_fn(|_| zeros()),
            momentum: zeros(),
            moving: None,
            matrices: None,
        })
    }

    /// Leaves out slopes by the parameters along which no tangent moves.
    pub(in crate::method) fn keep(&mut self, moving: &[bool]) {
        (self.moving, self.matrices) = (Some(moving.to_vec()), None);
        let is_read = |[_, of_motion, _]: [Vec<_>; 3]| !of_motion.is_empty();
        self.has_slopes = self.by_parameters.is_some() && self.couplings().is_none_or(is_read);
    }

    /// The degrees of freedom, and the parameters.
    pub(in crate::method) fn dimension(&self) -> [usize; 2] {
        let n = self.system.dimension();
        [n, self.direction.len() - n]
    }

    /// False for slopes by parameters, if the mass has no parameters.
    pub(in crate::method) fn has(&self, by: OfMass) -> bool {
        match by {
            OfMass::Mass | OfMass::Inverse => true,
            OfMass::Slope(_) | OfMass::InverseSlope(_) => self.has_slopes,
        }
    }

    /// Takes the velocity of the drift of a step, and the state at its end.
    pub(in crate::method) fn stand(&mut self, step: &Span<'_>) {
        if self.has_slopes {
            self.stand_at(&step.to);
            let drift = step.from.q.iter().zip(step.to.q).map(|(q0, q1)| (q1 - q0) / step.size);
            self.take(Along::Drift, drift);
        }
    }

    /// Takes the velocity of a state.
    pub(in crate::method) fn stand_at(&mut self, node: &Node<'_>) {
        if let Some(parameters) = &mut self.by_parameters {
            parameters.stand(node.q, node.v, Instant::at(node.t));
            self.take(Along::State, node.v.iter().copied());
        }
    }

    /// Takes a velocity.
    pub(in crate::method) fn take(&mut self, along: Along, v: impl Iterator<Item = f64>) {
        self.velocities[along as usize].iter_mut().zip(v).for_each(|(own, v)| *own = v);
    }

    /// Writes an operator times x, or its transpose, over `y`.
    pub(in crate::method) fn apply(&mut self, by: OfMass, transposed: bool, x: &[f64], y: &mut [f64]) {
        match by {
            OfMass::Inverse => {
                // Between p and x = (q, θ) it acts on q.
                let n = x.len().min(y.len());
                y[..n].copy_from_slice(&x[..n]);
                y[n..].fill(0.0);
                self.divide(&mut y[..n]);
            }
            OfMass::Mass => self.system.mass().multiply(x, y),
            OfMass::Slope(along) => {
                self.move_with(along);
                self.mass_slope((transposed, x), y);
            }
            OfMass::InverseSlope(along) => {
                self.move_with(along);
                self.velocity_slope((transposed, x), y);
            }
        }
    }

    fn move_with(&mut self, along: Along) {
        let Self { velocities, by_parameters, .. } = self;
        by_parameters.iter_mut().for_each(|own| own.move_with(&velocities[along as usize]));
    }

    /// Takes the velocity of the slopes of the mass.
    pub(in crate::method) fn moving(&mut self, v: &[f64]) -> &mut Self {
        self.by_parameters.iter_mut().for_each(|own| own.move_with(v));
        self
    }

    /// The entries (i, j) of q_i and θ_j of V, of L + V and of g; none if they are unknown.
    pub(in crate::method) fn couplings(&self) -> Option<[Vec<(usize, usize)>; 3]> {
        let all = self.parametric.map_or_else(|| Some(Default::default()), <dyn Parametric>::couplings);
        let Some(moving) = &self.moving else { return all };
        let [n, _] = self.dimension();
        all.map(|all| all.map(|of| of.into_iter().filter(|(_, column)| moving[column - n]).collect()))
    }

    /// The constraints over x.
    pub(in crate::method) fn rows(&self) -> Option<&'s dyn Holonomic> {
        self.parametric.map_or_else(|| self.system.holonomic(), |own| own.holonomic())
    }

    /// x at these q.
    pub(in crate::method) fn place(&mut self, q: &[f64]) -> &[f64] {
        self.x[..q.len()].copy_from_slice(q);
        &self.x
    }

    /// The matrices, after `fill`.
    fn filled(&mut self, fill: impl FnOnce(&mut Self, &mut Matrices)) -> &Matrices {
        let mut matrices = self.matrices.take().unwrap_or_else(|| Box::new(Matrices::new(self)));
        fill(self, &mut matrices);
        self.matrices.insert(matrices)
    }

    /// An operator as a matrix.
    pub(in crate::method) fn matrix(&mut self, by: OfMass) -> Option<Sparse<'_>> {
        match by {
            OfMass::Inverse => self.filled(|_, _| {}).inverse_mass.get(),
            OfMass::Mass => self.filled(|_, _| {}).mass.get(),
            // Of a full M⁻¹ the rows are full.
            OfMass::InverseSlope(_) if !self.system.mass().is_diagonal() => None,
            OfMass::Slope(_) | OfMass::InverseSlope(_) => self
                .filled(|own, Matrices { mass_slope, .. }| {
                    mass_slope.fill(1.0, |a, y| own.apply(by, false, a, y));
                })
                .mass_slope
                .get(),
        }
    }

    /// −c Hess V as a matrix.
    pub(in crate::method) fn stiffness_matrix(
        &mut self,
        (q, t): (&[f64], f64),
        factor: f64,
    ) -> Option<Sparse<'_>> {
        let matrices = self.filled(|own, Matrices { stiffness, gradient, .. }| {
            if let Some(hessian) = stiffness.numbers() {
                own.system.potential_second(q, t, gradient, hessian);
                stiffness.fill(-factor, |a, y| own.stiffness((q, t), factor, a, y));
            }
        });
        matrices.stiffness.get()
    }

    /// Writes M⁻¹ ∂(M v)/∂θ times x, or its transpose, over `y`.
    fn velocity_slope(&mut self, (transposed, x): (bool, &[f64]), y: &mut [f64]) {
        if !transposed {
            self.mass_slope((false, x), y);
            return self.divide(y);
        }
        let mut w = std::mem::take(&mut self.momentum);
        w.copy_from_slice(x);
        self.divide(&mut w);
        self.mass_slope((true, &w), y);
        self.momentum = w;
    }

    /// Writes ∂(M v)/∂θ times x, or its transpose, over `y`.
    fn mass_slope(&mut self, x: (bool, &[f64]), y: &mut [f64]) {
        y.fill(0.0);
        self.add_mass_slope(x, 1.0, y);
    }

    /// x ← M⁻¹ x.
    fn divide(&mut self, x: &mut [f64]) {
        if self.mass.apply(x).is_err() {
            x.fill(f64::NAN);
        }
    }

    /// Adds c ∂(M v)/∂θ times x, or its transpose, to `y`.
    pub(in crate::method) fn add_mass_slope(&mut self, x: (bool, &[f64]), c: f64, y: &mut [f64]) {
        if let Some(parameters) = &mut self.by_parameters {
            parameters.add(|_| [c, 0.0], x, y);
        }
    }

    /// Writes the product of a symmetric matrix over x with a direction over `y`: the direction and the
    /// result have the part of q or all of x.
    pub(in crate::method) fn symmetric(
        &mut self,
        q: &[f64],
        a: &[f64],
        y: &mut [f64],
        write: impl FnOnce(&S, Option<&dyn Parametric>, [&[f64]; 2], &mut [f64]),
    ) {
        self.place(q);
        let Self { system, parametric, x, direction, product, .. } = self;
        direction.fill(0.0);
        direction[..a.len()].copy_from_slice(a);
        write(system, *parametric, [x, direction], product);
        y.copy_from_slice(&product[..y.len()]);
    }

    /// Writes V‴[f, a] of a part of the potential over `y`.
    pub(in crate::method) fn third<P: LinearizedPart<S>>(
        &mut self,
        (q, t): (&[f64], f64),
        f: &[f64],
        a: &[f64],
        y: &mut [f64],
    ) {
        self.place(q);
        let Self { system, parametric, x, product, polar, .. } = self;
        polar.product(f, a, product, |along, third| {
            P::third(system, *parametric, (x, t), along, third);
        });
        y.copy_from_slice(&product[..y.len()]);
    }

    /// Writes V⁗[f, f, a] over `y`, for f over x.
    pub(in crate::method) fn third_rate(
        &mut self,
        (q, t): (&[f64], f64),
        f: &[f64],
        a: &[f64],
        y: &mut [f64],
    ) {
        self.symmetric(q, a, y, |_, parametric, [x, a], rate| match parametric {
            None => rate.fill(f64::NAN),
            Some(parametric) => parametric.third_rate(x, t, (f, a), rate),
        });
    }

    /// Writes −c Hess V a over `y`.
    pub(in crate::method) fn stiffness(
        &mut self,
        (q, t): (&[f64], f64),
        factor: f64,
        a: &[f64],
        y: &mut [f64],
    ) {
        self.symmetric(q, a, y, |system, parametric, [x, a], product| match parametric {
            None => system.potential_product(x, t, a, product),
            Some(parametric) => parametric.product(x, t, a, product),
        });
        y.iter_mut().for_each(|entry| *entry *= -factor);
    }
}
