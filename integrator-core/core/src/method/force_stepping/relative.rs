//! Force-stepping with the elements of the potential interpolated in relative vectors.
//!
//! # Scheme
//! If every element of V depends on the difference r = x_i − x_j of two points, or on the place of one,
//! V_h is the sum of the interpolants of the elements in r, on Kuhn's triangulation with a vertex at
//! r = 0. This V_h differs from the V_h of [`ForceStepping`](super::ForceStepping): again it is
//! continuous and piecewise linear, and the motion consists of parabolas from face to face, but each
//! element has its own small grid, and its force acts on both points with opposite signs.
//!
//! A crossing changes the force of one element, for one new value of it, and the accelerations of two
//! points; the next crossings of all elements with one of the two are predicted anew, O(log m) each
//! among m elements.
//!
//! # Requirements on the model
//! [`Natural`] with a diagonal mass and a potential that does not depend on time; each of its
//! [`elements`](Natural::elements) reads one point, or only the difference of two, as its expression
//! proves.
//!
//! # Order and invariants
//! As for [`ForceStepping`](super::ForceStepping): conserves the energy of V_h to rounding, symplectic,
//! reversible, of order 1 in the grid step. Forces of pairs cancel, so that the linear momentum is
//! conserved to rounding if V conserves it; the angular momentum is not.
//!
//! # Parameters
//! `grid` > 0: the step of the grids in all components.
//!
//! # Reference
//! M. Gonzalez, B. Schmidt, M. Ortiz, Force-stepping integrators in Lagrangian mechanics, Int. J. Numer.
//! Meth. Engng 84 (2010) 1407, doi:10.1002/nme.2958, for the method with one interpolation in all
//! coordinates.

use super::exit::leave;
use super::grid::Grid;
use super::soonest::Soonest;
use super::{MOST_CROSSINGS, crossings_beyond_limit, diagonal_mass, too_many};
use crate::carried::carried;
use crate::error::{Begun, StartError, StepError};
use crate::method::check::{check_option, check_start, check_unconstrained, check_unforced};
use crate::method::contract::{Claims, Method, Stepper, claims};
use crate::method::flow::{Flow, Substep};
use crate::method::instability::Instability;
use crate::method::links::{LARGEST, Link, LinkEnd, Slots, ends};
use crate::method::report::{Evaluations, Report};
use crate::method::running::Running;
use crate::method::step_lengths::StepLengths;
use crate::system::{Element, Elements, Layout, Natural, State, Unforced};

/// Force-stepping in relative vectors; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelativeForceStepping {
    /// The step of the grids.
    pub grid: f64,
}

claims! {
    /// The order is in the step of the grid; of the momenta, the linear one alone is conserved.
    impl Claims for RelativeForceStepping: "force-stepping-relative" of order 1;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM no;
    derivatives by None("the lengths of its steps depend on the state")
}

impl<S: Unforced + ?Sized> Method<S> for RelativeForceStepping {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + use<'s, S>> {
        let method = Self::NAME;
        check_unconstrained(system, method)?;
        check_unforced(system, method)?;
        check_start(system, &state, step)?;
        check_option(method, self.grid > 0.0 && self.grid.is_finite(), ("grid", self.grid, "(0, ∞)"))?;
        let refused =
            |reason: String| StartError::NotOfPairs { method, system: system.name().to_owned(), reason };
        let elements = system
            .elements()
            .ok_or_else(|| refused("it does not say of which elements it is the sum".to_owned()))?;
        if elements.depends_on_time() {
            return Err(StartError::PotentialOfTime { method, system: system.name().to_owned() });
        }
        let mut parts = Vec::new();
        let mut outcome = Ok(());
        elements.visit_elements(&mut |element, reads| {
            if outcome.is_ok() {
                let part = part(system, elements, element, reads);
                outcome = part
                    .map(|part| parts.push(part))
                    .map_err(|why| refused(format!("`{}` {why}", elements.element_name(element))));
            }
        });
        outcome?;
        let flow = RelativeFlow::new(system, elements, parts, self.grid, &state)?;
        Ok(Running::new(flow, state, step))
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        // Each element watches its components and their pairs.
        let mut walls = vec![0.0; system.dimension()];
        system.elements()?.visit_elements(&mut |_, reads| {
            for &read in reads {
                walls[read as usize] += reads.len() as f64;
            }
        });
        let part = |(index, speed): (usize, &f64)| walls[index] * speed / self.grid;
        crossings_beyond_limit(Self::NAME, system, state, step, part)
    }
}

/// An element and its simplex.
#[derive(Debug, Clone)]
struct LinkElement {
    element: Element,
    link: Link,
    slots: Slots,
    reads: usize,
    /// The lower corner of the cell of r, in grid steps.
    cell: [i64; 3],
    /// The components by descending phase.
    order: [usize; 3],
    /// The values at the vertices on the way from the lower to the upper corner.
    values: [f64; 4],
    /// The gap that closes next: 0 at the upper end of the cell, k between the phases k and k + 1, and
    /// the last at the lower end.
    gap: usize,
}

/// The link of an element that reads one point, or only the difference of two.
///
/// # Errors
/// The reason why the element is no such function.
fn part<S: Natural + ?Sized>(
    system: &S,
    elements: &dyn Elements,
    element: Element,
    reads: &[u32],
) -> Result<LinkElement, &'static str> {
    let (link, slots) = ends(system.layout(), reads)?;
    if link.to.is_some() {
        for axis in 0..link.components {
            let mut direction = [0.0; LARGEST];
            for (rate, slot) in direction.iter_mut().zip(&slots[..reads.len()]) {
                *rate = if slot.1 == axis { 1.0 } else { 0.0 };
            }
            if !elements.is_invariant(element, &direction[..reads.len()]) {
                return Err("is not proven to depend on the difference of its two points alone");
            }
        }
    }
    let (cell, order, values) = ([0; 3], [0, 1, 2], [0.0; 4]);
    Ok(LinkElement { element, link, slots, reads: reads.len(), cell, order, values, gap: 0 })
}

/// The parabola of one coordinate since its own time.
#[derive(Debug, Clone, Copy)]
struct Parabola {
    time: f64,
    q: f64,
    v: f64,
    a: f64,
}

impl Parabola {
    fn at(self, time: f64) -> (f64, f64) {
        let passed = time - self.time;
        (self.q + passed * (self.v + 0.5 * passed * self.a), self.v + passed * self.a)
    }

    fn sync(&mut self, time: f64) {
        (self.q, self.v) = self.at(time);
        self.time = time;
    }
}

/// The flow of [`RelativeForceStepping`]; its steps are output steps.
struct RelativeFlow<'s> {
    elements: &'s dyn Elements,
    layout: &'s Layout,
    parts: Vec<LinkElement>,
    /// For each coordinate, its range in `touching`: the elements that read its point.
    starts: Vec<usize>,
    touching: Vec<u32>,
    grid: f64,
    masses: Vec<f64>,
    coordinates: Vec<Parabola>,
    /// The next crossing of each element, on the local clock.
    next: Soonest,
    /// The start time of the local clock.
    origin: f64,
    /// The local time of the last crossing.
    now: f64,
    since_rebase: usize,
    at_once: u64,
    crossings: u64,
    lengths: StepLengths,
    values: u64,
    start_time: f64,
    /// The failure that has ended the motion.
    failure: Option<StepError>,
}

/// Places in grid steps within this distance are equal.
const SAME: f64 = 1e-11;
/// The local clock restarts after so many crossings, or so many for each element.
const REBASE: usize = 1024;
const REBASE_EACH: usize = 8;

impl<'s> RelativeFlow<'s> {
    fn new<S: Natural + ?Sized>(
        system: &'s S,
        elements: &'s dyn Elements,
        parts: Vec<LinkElement>,
        grid: f64,
        state: &State,
    ) -> Begun<Self> {
        let masses = diagonal_mass(system)?;
        let mut pairs: Vec<(usize, u32)> = Vec::new();
        for (part, number) in parts.iter().zip(0..) {
            let points = std::iter::once(part.link.from).chain(part.link.to);
            pairs
                .extend(points.flat_map(|point| (0..part.link.components).map(move |c| (point + c, number))));
        }
        pairs.sort_unstable();
        let starts = (0..=masses.len()).map(|at| pairs.partition_point(|pair| pair.0 < at)).collect();
        let coordinate = |(q, v): (&f64, &f64)| Parabola { time: 0.0, q: *q, v: *v, a: 0.0 };
        let mut flow = Self {
            elements,
            layout: system.layout(),
            next: Soonest::new(parts.len()),
            starts,
            touching: pairs.into_iter().map(|pair| pair.1).collect(),
            grid,
            masses,
            coordinates: state.q.iter().zip(&state.v).map(coordinate).collect(),
            origin: state.t,
            now: 0.0,
            since_rebase: 0,
            at_once: 0,
            crossings: 0,
            lengths: StepLengths::default(),
            values: 0,
            start_time: state.t,
            failure: None,
            parts,
        };
        for number in 0..flow.parts.len() {
            flow.begin(number)?;
        }
        for number in 0..flow.parts.len() {
            flow.foretell(number);
        }
        Ok(flow)
    }

    /// Finds the simplex of an element at the start, and adds its force.
    fn begin(&mut self, number: usize) -> Begun {
        let (r, u, _) = self.relative(number, 0.0);
        let part = &mut self.parts[number];
        let dimension = part.link.components;
        let mut phases = [0.0; 3];
        for c in 0..dimension {
            // Within rounding of a border r is on it.
            let z = if (r[c] - r[c].round()).abs() <= SAME { r[c].round() } else { r[c] };
            if !Grid::has_place(z) {
                let coordinate = self.layout.name_of(part.link.from + c);
                return Err(StartError::TooManyCells {
                    method: RelativeForceStepping::NAME,
                    coordinate,
                    cells: z,
                });
            }
            // On the border of two cells, the one that r enters.
            let below = if u[c] < 0.0 { z.ceil() - 1.0 } else { z.floor() };
            part.cell[c] = below as i64;
            phases[c] = z - below;
        }
        part.order[..dimension].sort_by(|&a, &b| phases[b].total_cmp(&phases[a]).then(u[b].total_cmp(&u[a])));
        for k in 0..=dimension {
            let value = self.vertex(number, k);
            if !value.is_finite() {
                return Err(StartError::VertexNotFinite {
                    method: RelativeForceStepping::NAME,
                    vertex: self.describe(number, k),
                    value,
                });
            }
            self.parts[number].values[k] = value;
        }
        self.push(number, [0.0; 3]);
        Ok(())
    }

    /// r, ṙ and r̈ at a local time, in grid steps.
    fn relative(&self, number: usize, time: f64) -> ([f64; 3], [f64; 3], [f64; 3]) {
        let link = self.parts[number].link;
        let (mut r, mut u, mut a) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for c in 0..link.components {
            let from = self.coordinates[link.from + c];
            let ((q, v), acceleration) = (from.at(time), from.a);
            (r[c], u[c], a[c]) = (q, v, acceleration);
            if let Some(to) = link.to {
                let to = self.coordinates[to + c];
                let (q, v) = to.at(time);
                (r[c], u[c], a[c]) = (r[c] - q, u[c] - v, a[c] - to.a);
            }
            (r[c], u[c], a[c]) = (r[c] / self.grid, u[c] / self.grid, a[c] / self.grid);
        }
        (r, u, a)
    }

    /// The integers of the k-th vertex of the simplex.
    fn integers(part: &LinkElement, k: usize) -> [i64; 3] {
        let mut z = part.cell;
        part.order[..k].iter().for_each(|&c| z[c] += 1);
        z
    }

    /// The value of the element at the k-th vertex of its simplex.
    fn vertex(&mut self, number: usize, k: usize) -> f64 {
        let part = &self.parts[number];
        let z = Self::integers(part, k);
        let mut x = [0.0; LARGEST];
        for (x, &(end, c)) in x.iter_mut().zip(&part.slots[..part.reads]) {
            *x = if end == LinkEnd::From { self.grid * z[c] as f64 } else { 0.0 };
        }
        self.values += 1;
        self.elements.element_value(part.element, &x[..part.reads], self.start_time)
    }

    fn describe(&self, number: usize, k: usize) -> String {
        let part = &self.parts[number];
        let z = Self::integers(part, k);
        let place = (0..part.link.components).map(|c| {
            let from = self.layout.name_of(part.link.from + c);
            let to = part.link.to.map(|to| format!(" − {}", self.layout.name_of(to + c))).unwrap_or_default();
            format!("{from}{to} = {}", self.grid * z[c] as f64)
        });
        format!("({})", place.collect::<Vec<_>>().join(", "))
    }

    /// ∂V_e/∂r of the simplex, in each component.
    fn slopes(&self, number: usize) -> [f64; 3] {
        let part = &self.parts[number];
        let mut slopes = [0.0; 3];
        for (k, &c) in part.order[..part.link.components].iter().enumerate() {
            slopes[c] = (part.values[k + 1] - part.values[k]) / self.grid;
        }
        slopes
    }

    /// Replaces the force `old` of an element by the force in its simplex.
    fn push(&mut self, number: usize, old: [f64; 3]) {
        let (link, new) = (self.parts[number].link, self.slopes(number));
        for c in 0..link.components {
            let change = new[c] - old[c];
            if change != 0.0 {
                for (point, sign) in std::iter::once((link.from, 1.0)).chain(link.to.map(|to| (to, -1.0))) {
                    let coordinate = &mut self.coordinates[point + c];
                    coordinate.sync(self.now);
                    coordinate.a -= sign * change / self.masses[point + c];
                }
            }
        }
    }

    /// Predicts the time and the gap at which the element leaves its simplex.
    fn foretell(&mut self, number: usize) {
        let (r, u, a) = self.relative(number, self.now);
        let part = &mut self.parts[number];
        let dimension = part.link.components;
        let phase = |c: usize| (r[c] - part.cell[c] as f64, u[c], 0.5 * a[c]);
        let mut soonest = f64::INFINITY;
        let mut above = (1.0, 0.0, 0.0);
        for gap in 0..=dimension {
            let below = if gap < dimension { phase(part.order[gap]) } else { (0.0, 0.0, 0.0) };
            let time = leave(above.0 - below.0, above.1 - below.1, above.2 - below.2);
            if time < soonest {
                (soonest, part.gap) = (time, gap);
            }
            above = below;
        }
        self.next.set(number, self.now + soonest);
    }

    fn cross(&mut self) -> Result<(), StepError> {
        let (number, time) = self.next.first();
        self.at_once = if time > self.now { 0 } else { self.at_once + 1 };
        self.lengths.see(time - self.now);
        self.now = time;
        self.crossings += 1;
        if self.at_once > 10 * (self.coordinates.len() as u64 + 1).pow(2) {
            return Err(StepError::Sliding {
                method: RelativeForceStepping::NAME,
                burst: self.at_once,
                wall: self.describe(number, 0),
                time: self.origin + self.now,
            });
        }
        let old = self.slopes(number);
        let LinkElement { ref mut order, ref mut cell, ref mut values, gap, link, .. } = self.parts[number];
        let dimension = link.components;
        // The mirror image replaces the vertex opposite the face.
        let fresh = if gap == 0 {
            cell[order[0]] += 1;
            order[..dimension].rotate_left(1);
            values[..=dimension].rotate_left(1);
            dimension
        } else if gap == dimension {
            cell[order[dimension - 1]] -= 1;
            order[..dimension].rotate_right(1);
            values[..=dimension].rotate_right(1);
            0
        } else {
            order.swap(gap - 1, gap);
            gap
        };
        let value = self.vertex(number, fresh);
        if !value.is_finite() {
            return Err(StepError::VertexNotFinite {
                method: RelativeForceStepping::NAME,
                vertex: self.describe(number, fresh),
                value,
                time: self.origin + self.now,
                crossings: self.crossings,
            });
        }
        self.parts[number].values[fresh] = value;
        self.push(number, old);
        for point in std::iter::once(link.from).chain(link.to) {
            // The same elements read all components of a point.
            for at in self.starts[point]..self.starts[point + 1] {
                let touched = self.touching[at] as usize;
                if touched != number || point == link.from {
                    self.foretell(touched);
                }
            }
        }
        self.since_rebase += 1;
        if self.since_rebase >= REBASE.max(REBASE_EACH * self.parts.len()) {
            self.rebase();
        }
        Ok(())
    }

    /// Restarts the local clock, and sums the accelerations anew from the forces of all elements, so
    /// that rounding errors of changes do not accumulate.
    fn rebase(&mut self) {
        for coordinate in &mut self.coordinates {
            coordinate.sync(self.now);
            (coordinate.time, coordinate.a) = (0.0, 0.0);
        }
        self.origin += self.now;
        (self.now, self.since_rebase) = (0.0, 0);
        for number in 0..self.parts.len() {
            self.push(number, [0.0; 3]);
        }
        for number in 0..self.parts.len() {
            self.foretell(number);
        }
    }
}

impl Flow for RelativeFlow<'_> {
    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let Substep { size, end, .. } = *substep;
        let begin = self.crossings;
        while self.next.first().1 <= end - self.origin {
            let outcome = if self.crossings - begin == MOST_CROSSINGS {
                let part = 1.0 - (end - (self.origin + self.now)) / size;
                Err(too_many(RelativeForceStepping::NAME, substep, state.t, part))
            } else {
                self.cross()
            };
            outcome.map_err(|failure| self.failure.insert(failure).clone())?;
        }
        let time = end - self.origin;
        for ((q, v), coordinate) in next.q.iter_mut().zip(&mut next.v).zip(&self.coordinates) {
            (*q, *v) = coordinate.at(time);
        }
        Ok(())
    }

    fn kept_energy(&self, State { t, v, .. }: &State) -> Option<f64> {
        let kinetic: f64 = self.masses.iter().zip(v).map(|(m, v)| 0.5 * m * v * v).sum();
        let time = t - self.origin;
        let interpolated = |(number, part): (usize, &LinkElement)| {
            let (r, ..) = self.relative(number, time);
            let steps = part.order[..part.link.components].iter().zip(part.values.windows(2));
            let along = steps.map(|(&c, values)| (r[c] - part.cell[c] as f64) * (values[1] - values[0]));
            part.values[0] + along.sum::<f64>()
        };
        Some(kinetic + self.parts.iter().enumerate().map(interpolated).sum::<f64>())
    }

    fn report(&self) -> Report<'_> {
        let evaluations = Evaluations { values: self.values, ..Evaluations::default() };
        let (crossings, step_lengths) = (Some(self.crossings), Some(&self.lengths));
        Report { crossings, step_lengths, ..Report::of(evaluations) }
    }
}

carried!([] LinkElement { cell, order, values, gap } besides { element, link, slots, reads });
carried!([] Parabola { time, q, v, a } besides {});
carried!([] RelativeFlow<'_> {
    parts, coordinates, next, origin, now, since_rebase, at_once, crossings, lengths, values
} besides { elements, layout, starts, touching, grid, masses, start_time, failure });
