//! The picture of a planar model: its bodies and the links between them, found from the coordinates and the constraints.

use least_action_core::system::{Holonomic, Kind, Layout, State};

/// The bodies of a model whose coordinates are vectors in the plane.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The place in q of x of each body; y follows.
    pub bodies: Vec<usize>,
    /// Pairs of bodies with a constraint between them.
    pub links: Vec<(usize, usize)>,
    /// Bodies at a fixed distance from a fixed point, with that point.
    pub pivots: Vec<(usize, [f64; 2])>,
}

impl Scene {
    pub fn new(layout: &Layout, constrained: Option<&dyn Holonomic>, state: &State) -> Self {
        let bodies: Vec<usize> = layout
            .coordinates()
            .iter()
            .filter(|group| group.kind == Kind::Vec2)
            .flat_map(|group| (group.offset..group.offset + group.size()).step_by(2))
            .collect();
        let mut scene = Self { bodies, ..Self::default() };
        if let Some(constrained) = constrained {
            scene.add_links(constrained, state);
        }
        scene
    }

    fn add_links(&mut self, constrained: &dyn Holonomic, state: &State) {
        let mut body_of = vec![None; state.q.len()];
        for (body, &place) in self.bodies.iter().enumerate() {
            body_of[place] = Some(body);
            body_of[place + 1] = Some(body);
        }
        let pattern = constrained.jacobian_pattern();
        let mut singles = Vec::new();
        for row in 0..pattern.height() {
            let columns = &pattern.columns()[pattern.row(row)];
            let mut touched: Vec<usize> =
                columns.iter().filter_map(|&column| body_of[column as usize]).collect();
            touched.sort_unstable();
            touched.dedup();
            match touched[..] {
                [first, second] => self.links.push((first, second)),
                [body] => singles.push((row, body)),
                _ => {}
            }
        }
        self.add_pivots(constrained, state, &singles);
    }

    /// A constraint g(p) with Hess g = s·1 is that of a circle, whose centre is p − ∇g / s.
    fn add_pivots(&mut self, constrained: &dyn Holonomic, state: &State, singles: &[(usize, usize)]) {
        let m = constrained.constraints();
        let pattern = constrained.jacobian_pattern();
        let (mut values, mut jacobian) = (vec![0.0; m], vec![0.0; pattern.len()]);
        constrained.jacobian(&state.q, state.t, &mut values, &mut jacobian);
        // All bodies are probed at once: a single-body constraint sees only its own.
        let probe = |x: f64, y: f64| {
            let mut direction = vec![0.0; state.q.len()];
            for &place in &self.bodies {
                direction[place] = x;
                direction[place + 1] = y;
            }
            let mut quadratic = vec![0.0; m];
            constrained.constraint_quadratic(&state.q, state.t, &direction, &mut quadratic);
            quadratic
        };
        let (xx, yy, both) = (probe(1.0, 0.0), probe(0.0, 1.0), probe(1.0, 1.0));
        for &(row, body) in singles {
            let s = xx[row];
            let round =
                (yy[row] - s).abs() <= 1e-12 * s.abs() && (both[row] - 2.0 * s).abs() <= 1e-12 * s.abs();
            let place = self.bodies[body];
            let slope = |index: usize| pattern.position(row, index).map_or(0.0, |k| jacobian[k]);
            let centre = [state.q[place] - slope(place) / s, state.q[place + 1] - slope(place + 1) / s];
            if round && s != 0.0 && centre.iter().all(|number| number.is_finite()) {
                self.pivots.push((body, centre));
            }
        }
    }
}
