//! The drawing of a model: points with their connections, and the places of points at (q, t).

use std::collections::HashMap;

use least_action_core::advanced::sparse::SymmetricMatrix;
use least_action_core::expr::Place;
use least_action_core::nalgebra::Vector3;
use least_action_core::system::{Coordinate, Holonomic, Kind, Layout, Look, State};

use super::drawn::{Drawn, Group, GroupKind, Turned};
use super::found::{self, Found};
use super::joints::{self, Joint};
use super::moment::Moment;
use super::named::{self, Named};
use super::told;
use crate::error::Error;
use crate::guard::guarded;
use crate::held::{self, Entry, Held, Pivot};
use crate::model::{Drawable, Subject};

/// Where points come from.
enum Source {
    /// Entries of q from this place on.
    Entries { start: usize, components: usize },
    /// A group of the look.
    Look(usize),
    /// Places of which the declaration speaks, by their numbers.
    Named(Vec<usize>),
    /// Points about which such places turn.
    Joints(Vec<Joint>),
    /// Centres of constraints that hold a point at a distance.
    Pivots,
    /// The faces of boxes: where the matrices begin in q.
    Faces { start: usize, centres: usize, half: [f64; 3] },
    /// The origin.
    Origin,
}

/// A drawing, with the functions that place its points.
pub struct Scene<'s> {
    pub drawn: Drawn,
    sources: Vec<Source>,
    look: Look,
    /// The model, where its declaration speaks of places.
    speaker: Option<&'s dyn Drawable>,
    constraints: Option<&'s dyn Holonomic>,
    pivots: Vec<Pivot>,
    moving_pivots: bool,
    /// The coordinates that are angles.
    is_angle: Vec<bool>,
}

impl<'s> Scene<'s> {
    /// The scene of a model.
    ///
    /// # Errors
    /// The look of the author names nothing of the model.
    pub fn of(subject: Subject<'s>) -> Result<Self, Error> {
        let system = subject.system.lagrangian();
        let layout = system.layout();
        let look = subject.system.look()?;
        let State { q, t, .. } = subject.start;
        let first = look.groups.iter().map(|group| guarded(|| (group.places)(q, *t)));
        let first: Vec<Vec<Vector3<f64>>> =
            first.collect::<Result<_, _>>().map_err(|panic| Error::panicked(subject.name, panic))?;
        let mut scene = Self::of_layout(layout, look, &first);
        scene.add_named(subject);
        let Found { held, springs, faces } =
            found::find(subject.system, subject.start, &scene.entries(layout));
        let Held { rods, pivots, spheres, curves, moving } = held;
        scene.drawn.rods.extend(rods);
        scene.drawn = Drawn { springs, faces, spheres, curves, ..scene.drawn };
        scene.constraints = system.holonomic();
        scene.moving_pivots = moving;
        if !pivots.is_empty() {
            let first = scene.add("", GroupKind::Mount, pivots.len(), Source::Pivots);
            scene.drawn.rods.extend(pivots.iter().enumerate().map(|(k, pivot)| [first + k, pivot.point]));
            scene.pivots = pivots;
        }
        scene.drawn.cell = system.periodic().map(|periodic| {
            let space = periodic.space();
            let rows = periodic.cell().rows().map(Option::unwrap_or_default);
            std::array::from_fn(|k| if k < space { rows[k] } else { [0.0; 3] })
        });
        if let Some(mass) = system.natural_mass().filter(|mass| mass.is_diagonal()) {
            scene.weigh(mass, layout.dimension());
        }
        told::add(&scene.look, &mut scene.drawn, subject)?;
        Ok(scene)
    }

    /// The points of a layout, of which nothing else is known but a look with its places at the start.
    pub fn of_layout(layout: &Layout, look: Look, first: &[Vec<Vector3<f64>>]) -> Self {
        let coordinates = layout.coordinates();
        let in_space = coordinates.iter().any(|group| matches!(group.kind, Kind::Vec3 | Kind::Mat3))
            || first.iter().flatten().any(|at| at.z != 0.0);
        let drawn = Drawn { dimension: if in_space { 3 } else { 2 }, ..Drawn::default() };
        let mut is_angle = vec![false; layout.dimension()];
        for group in coordinates.iter().filter(|group| group.kind == Kind::Angle) {
            group.starts().for_each(|start| is_angle[start] = true);
        }
        let mut scene = Self {
            drawn,
            sources: Vec::new(),
            look,
            speaker: None,
            constraints: None,
            pivots: Vec::new(),
            moving_pivots: false,
            is_angle,
        };
        for group in coordinates.iter().filter(|group| group.is_of_points()) {
            let hidden = scene.look.hidden.contains(&group.name) || scene.is_centre(group, coordinates);
            let kind = if hidden { GroupKind::Hidden } else { GroupKind::Body };
            let source = Source::Entries { start: group.offset, components: group.kind.components() };
            scene.add(&group.name, kind, group.starts().len(), source);
        }
        for (number, places) in first.iter().enumerate() {
            let group = &scene.look.groups[number];
            let kind = if group.fixed { GroupKind::Mount } else { GroupKind::Body };
            let kind = if scene.look.hidden.contains(&group.name) { GroupKind::Hidden } else { kind };
            let name = group.name.clone();
            scene.add(&name, kind, places.len(), Source::Look(number));
        }
        for group in coordinates.iter().filter(|group| group.kind == Kind::Mat3) {
            scene.add_boxes(group, coordinates);
        }
        scene
    }

    /// Adds the places of which the declaration speaks, unless the author draws points instead, and the
    /// joints on which they hang.
    fn add_named(&mut self, subject: Subject<'s>) {
        let Look { groups, links, radii, colours, species, hidden, .. } = &self.look;
        let linked = links.iter().flat_map(|link| &link.ends).map(|(name, _)| name);
        let told =
            radii.iter().map(|(name, _)| name).chain(colours.iter().chain(species).map(|(name, _)| name));
        let mentioned: Vec<String> = linked.chain(told).chain(hidden).cloned().collect();
        let is_drawn = groups.iter().any(|group| !group.fixed);
        let mut found = named::find(subject.system, subject.start);
        found.retain(|named| {
            let is_known = self.drawn.groups.iter().any(|group| group.name == named.name);
            !is_known && (!is_drawn || mentioned.iter().any(|name| *name == named.name))
        });
        if found.is_empty() {
            return;
        }
        self.speaker = Some(subject.system);
        let first = self.drawn.points;
        let all: Vec<usize> = found.iter().flat_map(|named| named.numbers.iter().copied()).collect();
        for Named { name, numbers, in_space } in found {
            let is_hidden = self.look.hidden.iter().any(|hidden| *hidden == name);
            let kind = if is_hidden { GroupKind::Hidden } else { GroupKind::Body };
            self.add(&name, kind, numbers.len(), Source::Named(numbers));
            self.drawn.dimension = if in_space { 3 } else { self.drawn.dimension };
        }
        let places = |q: &[f64], t: f64| {
            let (mut places, dimension) = (Vec::new(), self.drawn.dimension);
            self.place(q, t, &mut places);
            let at = |at: &[f64]| Vector3::new(at[0], at[1], at.get(2).copied().unwrap_or(0.0));
            places.chunks_exact(dimension).map(at).collect()
        };
        let free = named::free(subject.system.lagrangian().layout());
        let points = self.drawn.points;
        let joints::Joints { added, rods, sliding } =
            joints::find(subject.start, &free, points, first..points, &places);
        if !added.is_empty() {
            // Joints are places of points that the declaration tells.
            let told = |joint: Joint| Joint { point: all[joint.point - first], ..joint };
            let added: Vec<Joint> = added.into_iter().map(told).collect();
            self.add("", GroupKind::Mount, added.len(), Source::Joints(added));
        }
        self.drawn.rods.extend(rods);
        self.drawn.sliding = sliding;
    }

    /// The point to which each place of q belongs, if it belongs to one.
    fn entries(&self, layout: &Layout) -> Vec<Option<Entry>> {
        let mut entries = vec![None; layout.dimension()];
        for (group, source) in self.drawn.groups.iter().zip(&self.sources) {
            if let Source::Entries { start, components } = *source {
                for k in 0..group.count {
                    let entry = Entry { point: group.first + k, place: start + k * components, components };
                    entries[entry.place..entry.place + components].fill(Some(entry));
                }
            }
        }
        entries
    }

    /// Tells the masses of points, where all components of each have the same, from the diagonal of the
    /// mass.
    fn weigh(&mut self, mass: &SymmetricMatrix, dimension: usize) {
        let mut diagonal = vec![0.0; dimension];
        mass.multiply(&vec![1.0; dimension], &mut diagonal);
        for (group, source) in self.drawn.groups.iter_mut().zip(&self.sources) {
            let Source::Entries { start, components } = *source else { continue };
            let of_points = diagonal[start..].chunks(components).take(group.count);
            let masses: Option<Vec<f64>> = of_points
                .map(|of_point| {
                    of_point.iter().all(|mass| mass.total_cmp(&of_point[0]).is_eq()).then_some(of_point[0])
                })
                .collect();
            let mut masses = masses.unwrap_or_default();
            if masses.iter().all(|mass| mass.total_cmp(&masses[0]).is_eq()) {
                masses.truncate(1);
            }
            group.masses = masses;
        }
    }

    fn add(&mut self, name: &str, kind: GroupKind, count: usize, source: Source) -> usize {
        let first = self.drawn.points;
        let radius = self.look.radii.iter().find(|(of, _)| of == name).map(|(_, radius)| *radius);
        let [colours, species] = [&self.look.colours, &self.look.species].map(|told| {
            let told = told.iter().find(|(of, _)| of == name);
            told.map(|(_, words)| words.clone()).unwrap_or_default()
        });
        let name = name.to_owned();
        let masses = Vec::new();
        self.drawn.groups.push(Group { name, kind, first, count, radius, colours, masses, species });
        self.sources.push(source);
        self.drawn.points += count;
        first
    }

    /// True if points are the centres of boxes: the look says so, or they are as many as some matrices.
    fn is_centre(&self, points: &Coordinate, all: &[Coordinate]) -> bool {
        let matrices = all.iter().filter(|group| group.kind == Kind::Mat3);
        matrices.into_iter().any(|group| self.centres_of(group, all) == Some(points.name.as_str()))
    }

    fn centres_of<'a>(&'a self, matrices: &Coordinate, all: &'a [Coordinate]) -> Option<&'a str> {
        if let Some(told) = self.look.boxes.iter().find(|told| told.turns == matrices.name) {
            return told.centres.as_deref();
        }
        let fits = |group: &&Coordinate| group.kind == Kind::Vec3 && group.lengths == matrices.lengths;
        all.iter().find(fits).map(|group| group.name.as_str())
    }

    fn add_boxes(&mut self, matrices: &Coordinate, all: &[Coordinate]) {
        /// A box without a look has these sides, so that its axes can be told apart.
        const SIDES: [f64; 3] = [1.0, 0.6, 0.3];
        let count = matrices.starts().len();
        let name = self.centres_of(matrices, all).map(str::to_owned);
        let centres = name.and_then(|name| self.drawn.groups.iter().find(|group| group.name == name));
        let centres = match centres.filter(|group| group.count == count) {
            Some(group) => group.first,
            None => self.add("", GroupKind::Hidden, count, Source::Origin),
        };
        let told = self.look.boxes.iter().find(|told| told.turns == matrices.name);
        let half = told.map_or(SIDES, |told| told.sides.into()).map(|side| 0.5 * side);
        let source = Source::Faces { start: matrices.offset, centres, half };
        let faces = self.add("", GroupKind::Hidden, 3 * count, source);
        self.drawn.boxes.extend((0..count).map(|k| Turned { centre: centres + k, faces: faces + 3 * k }));
    }

    /// The points that are bodies, entries of coordinates or middles of boxes, each with its group.
    pub fn bodies(&self) -> Vec<(usize, &Group)> {
        let mut bodies = Vec::new();
        for (group, source) in self.drawn.groups.iter().zip(&self.sources) {
            let is_body = match source {
                Source::Entries { .. } => true,
                Source::Origin => false,
                _ => group.kind == GroupKind::Body,
            };
            if is_body || self.drawn.boxes.iter().any(|turned| turned.centre == group.first) {
                bodies.extend((group.first..group.first + group.count).map(|point| (point, group)));
            }
        }
        bodies
    }

    /// The places of all points at (q, t), each with one component for each dimension of the scene,
    /// written over `places`.
    pub fn place(&self, q: &[f64], t: f64, places: &mut Vec<f64>) {
        self.write(&Moment { t, q, v: &[], measured: &[] }, false, places);
    }

    /// The velocities of all points in the order of `place`: the derivatives of places along the motion.
    /// They are NaN where the velocities of the moment are unknown.
    pub fn rates(&self, moment: &Moment<'_>, rates: &mut Vec<f64>) {
        if moment.v.len() == moment.q.len() {
            self.write(moment, true, rates);
        } else {
            rates.clear();
            rates.resize(self.drawn.dimension * self.drawn.points, f64::NAN);
        }
    }

    /// Writes the places of all points, or their velocities.
    fn write(&self, moment: &Moment<'_>, rates: bool, all: &mut Vec<f64>) {
        all.clear();
        let (dimension, Moment { t, q, v, .. }) = (self.drawn.dimension, moment);
        // Places of entries and of faces are linear in q.
        let own = if rates { v } else { q };
        // The places of which the declaration speaks, after half turns of some coordinates.
        let mut spoken: HashMap<Vec<usize>, Vec<Vector3<f64>>> = HashMap::new();
        let mut spoken = |slots: &[usize], number: usize| {
            let turned = || self.spoken(&joints::turned(q, slots), v, *t, rates);
            spoken.entry(slots.to_vec()).or_insert_with(turned).get(number).copied().unwrap_or_else(nowhere)
        };
        for (group, source) in self.drawn.groups.iter().zip(&self.sources) {
            match source {
                Source::Named(numbers) => {
                    for &number in numbers {
                        let at = spoken(&[], number);
                        all.extend((0..dimension).map(|c| at[c]));
                    }
                }
                Source::Joints(joints) => {
                    for joint in joints {
                        let fixed = joint.fixed.map(|at| if rates { Vector3::zeros() } else { at });
                        let at = fixed.unwrap_or_else(|| joint.place(|slots| spoken(slots, joint.point)));
                        all.extend((0..dimension).map(|c| at[c]));
                    }
                }
                Source::Entries { start, components } => {
                    for entry in own[*start..].chunks(*components).take(group.count) {
                        all.extend((0..dimension).map(|k| entry.get(k).copied().unwrap_or(0.0)));
                    }
                }
                Source::Look(number) => {
                    // Code of the author that panics, or changes the size of a group, gives no places,
                    // and nothing is drawn.
                    let places = |q: &[f64], t: f64| {
                        let places = guarded(|| (self.look.groups[*number].places)(q, t)).unwrap_or_default();
                        let at = |k: usize| places.get(k).filter(|_| places.len() == group.count);
                        let all = (0..group.count).map(|k| at(k).copied().unwrap_or_else(nowhere));
                        all.flat_map(|at| (0..dimension).map(move |c| at[c])).collect()
                    };
                    all.extend(if rates { self.along(moment, &places) } else { places(q, *t) });
                }
                Source::Pivots => {
                    let places = |q: &[f64], t: f64| self.pivots(q, t);
                    all.extend(if rates { self.along(moment, &places) } else { places(q, *t) });
                }
                Source::Origin => all.extend(std::iter::repeat_n(0.0, dimension * group.count)),
                Source::Faces { start, centres, half } => {
                    for (k, matrix) in own[*start..].chunks(9).take(group.count / 3).enumerate() {
                        for (axis, half) in half.iter().enumerate() {
                            let centre = dimension * (centres + k);
                            for row in 0..dimension {
                                all.push(all[centre + row] + half * matrix[3 * row + axis]);
                            }
                        }
                    }
                }
            }
        }
    }

    /// All places of which the declaration speaks, or their velocities.
    fn spoken(&self, q: &[f64], v: &[f64], t: f64, rates: bool) -> Vec<Vector3<f64>> {
        let v = if rates { v.to_vec() } else { vec![0.0; q.len()] };
        let places = self.speaker.map(|speaker| speaker.places(q, &v, t)).unwrap_or_default();
        places.into_iter().map(|Place { at, rate, .. }| if rates { rate } else { at }).collect()
    }

    /// The derivatives along the motion of numbers that only their values tell, by five of them.
    fn along(&self, moment: &Moment<'_>, of: &dyn Fn(&[f64], f64) -> Vec<f64>) -> Vec<f64> {
        /// The way between two values, as a part of a radian and of the largest other coordinate: its
        /// fourth power is below the rounding of a difference.
        const PART: f64 = 1e-4;
        let Moment { t, q, v, .. } = *moment;
        let largest = |all: &[f64], angles: bool| {
            let all = all.iter().zip(&self.is_angle).filter(|(_, is_angle)| **is_angle == angles);
            all.fold(0.0, |size: f64, (x, _)| size.max(x.abs()))
        };
        let size = largest(q, false);
        let size = if size > 0.0 { size } else { 1.0 };
        let speed = largest(v, true).max(largest(v, false) / size);
        let h = if speed > 0.0 { PART / speed } else { PART };
        let at = |h: f64| {
            let q: Vec<f64> = q.iter().zip(v).map(|(x, rate)| x + h * rate).collect();
            of(&q, t + h)
        };
        let [far_back, back, ahead, far_ahead] = [-2.0, -1.0, 1.0, 2.0].map(|k| at(k * h));
        let slope = |k: usize| (8.0 * (ahead[k] - back[k]) - (far_ahead[k] - far_back[k])) / (12.0 * h);
        (0..ahead.len()).map(slope).collect()
    }

    fn pivots(&self, q: &[f64], t: f64) -> Vec<f64> {
        let moved = self.constraints.filter(|_| self.moving_pivots);
        let moved = moved.map(|constraints| held::centres(constraints, q, t, &self.pivots));
        let fixed = || self.pivots.iter().map(|pivot| pivot.centre).collect();
        let centres: Vec<[f64; 3]> = moved.unwrap_or_else(fixed);
        centres.iter().flat_map(|centre| &centre[..self.drawn.dimension]).copied().collect()
    }
}

/// The place of a point that has none: nothing is drawn of it.
fn nowhere() -> Vector3<f64> {
    Vector3::repeat(f64::NAN)
}
