//! The picture of a planar model: its bodies, and the rods and mounts of its constraints.

use least_action_core::system::{Holonomic, Kind, Layout, State};

use crate::held::{Entry, Held};

/// The bodies of a model whose coordinates are vectors in the plane.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The place in q of x of each body; y follows.
    pub bodies: Vec<usize>,
    /// Pairs of bodies with a constraint between them.
    pub links: Vec<(usize, usize)>,
    /// Bodies at a fixed distance from a fixed point, with that point.
    pub pivots: Vec<(usize, [f64; 2])>,
    /// Curves on which bodies stay.
    pub wires: Vec<Vec<(f64, f64)>>,
}

impl Scene {
    pub fn new(layout: &Layout, constrained: Option<&dyn Holonomic>, state: &State) -> Self {
        let bodies: Vec<usize> = layout
            .coordinates()
            .iter()
            .filter(|group| group.kind == Kind::Vec2)
            .flat_map(|group| (group.offset..group.offset + group.size()).step_by(2))
            .collect();
        let Some(constrained) = constrained.filter(|_| !bodies.is_empty()) else {
            return Self { bodies, ..Self::default() };
        };
        let mut entries = vec![None; state.q.len()];
        for (point, &place) in bodies.iter().enumerate() {
            entries[place..place + 2].fill(Some(Entry { point, place, components: 2 }));
        }
        let held = Held::by(constrained, state, &entries);
        let circles = held.spheres.iter().map(|circle| {
            let at = |k: u32| {
                let (sine, cosine) = (f64::from(k) * std::f64::consts::TAU / 128.0).sin_cos();
                (circle.centre[0] + circle.radius * cosine, circle.centre[1] + circle.radius * sine)
            };
            (0..=128).map(at).collect()
        });
        let wires = held.curves.iter().map(|curve| curve.points.iter().map(|[x, y, _]| (*x, *y)).collect());
        Self {
            bodies,
            links: held.rods.iter().map(|[one, other]| (*one, *other)).collect(),
            pivots: held
                .pivots
                .iter()
                .map(|pivot| (pivot.point, [pivot.centre[0], pivot.centre[1]]))
                .collect(),
            wires: circles.chain(wires).collect(),
        }
    }
}
