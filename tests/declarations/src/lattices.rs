use least_action::prelude::*;

/// A net of stiff springs in space, hanging from a bar that can rise.
#[derive(Debug, Clone)]
pub struct Net {
    /// Knots from top to bottom.
    pub rows: usize,
    /// Knots from left to right.
    pub columns: usize,
    /// Stiffness of the springs.
    pub stiffness: f64,
}

#[lagrangian]
impl Net {
    fn lagrangian(&self, bar: Scalar, knots: [[Vec3; self.columns]; self.rows]) -> Scalar {
        let kinetic = sum(knots.iter(), |row| sum(row.iter(), |knot| 0.5 * der(*knot).norm_squared()));
        let spring = |a: Vec3, b: Vec3| 0.5 * self.stiffness * (a.distance(b) - 1.0).powi(2);
        let along = sum(0..self.rows, |i| sum(1..self.columns, |j| spring(knots[i][j - 1], knots[i][j])));
        let across = sum(1..self.rows, |i| sum(0..self.columns, |j| spring(knots[i - 1][j], knots[i][j])));
        let hung = sum(0..self.columns, |j| spring(vec3(j as f64, 0.0, bar), knots[0][j]));
        let weight = sum(knots.iter(), |row| sum(row.iter(), |knot| knot.z));
        kinetic + der(bar).powi(2) - stiff(along + across) - hung - 9.81 * (weight + 2.0 * bar)
    }

    #[holonomic]
    fn hem(&self, knots: [[Vec3; self.columns]; self.rows], bar: Scalar) -> [[Scalar; self.columns]; 2] {
        let last = self.rows - 1;
        [
            each(0..self.columns, |j| knots[last][j].z + bar * knots[0][j].z),
            each(0..self.columns, |j| {
                knots[last][j].cross(knots[0][j]).dot(knots[last][(j + 1) % self.columns])
            }),
        ]
    }
}

/// Chains on a line, in the plane and in space, behind a coordinate of another kind.
#[derive(Debug, Clone)]
pub struct Chains {
    /// The beads of each.
    pub beads: usize,
    /// Stiffness of the springs.
    pub stiffness: f64,
    /// The stiffness with which each bead is held in its place, if it is.
    pub hold: Option<f64>,
    /// True if the last bead in the plane is next to the first.
    pub closed: bool,
    /// True if beads in space feel the second next ones.
    pub stiffened: bool,
}

#[lagrangian]
impl Chains {
    fn lagrangian(
        &self,
        shift: Scalar,
        line: [Scalar; self.beads],
        plane: [Vec2; self.beads],
        space: [Vec3; self.beads],
    ) -> Scalar {
        let n = self.beads;
        let kinetic = sum(0..n, |i| {
            0.5 * (der(line[i]).powi(2) + der(plane[i]).norm_squared() + der(space[i]).norm_squared())
        });
        let bond = |square| 0.5 * self.stiffness * (square - 1.2).powi(2);
        let on_line = sum(1..n, |i| (line[i] - line[i - 1] - 0.3 * line[i]).powi(4));
        let bonds = if self.closed { n } else { n - 1 };
        let in_plane = sum(0..bonds, |i| bond((plane[i] - plane[(i + 1) % n]).norm_squared()));
        let in_space = sum(1..n, |i| bond((space[i] - space[i - 1]).norm_squared()));
        let held = match self.hold {
            Some(hold) => {
                hold * sum(0..n, |i| line[i].cos() + plane[i].x * plane[i].y + (space[i].z - shift).powi(4))
            }
            None => shift * plane[0].x,
        };
        let farther = if self.stiffened {
            sum(2..n, |i| bond(0.2 * (space[i] - space[i - 2]).norm_squared()))
        } else {
            0.0
        };
        kinetic + 0.5 * der(shift).powi(2) - on_line - in_plane - in_space - held - farther
    }
}

/// Points on a line, in the plane and in space, each in a well of its own.
#[derive(Debug, Clone)]
pub struct Wells {
    /// The depth of each well.
    pub depths: Vec<f64>,
    /// True if each point is in a second well.
    pub doubled: bool,
    /// True if neighbours feel each other.
    pub coupled: bool,
}

#[lagrangian]
impl Wells {
    fn lagrangian(
        &self,
        line: [Scalar; self.depths.len()],
        plane: [Vec2; self.depths.len()],
        space: [Vec3; self.depths.len()],
    ) -> Scalar {
        let n = self.depths.len();
        let kinetic = sum(0..n, |i| {
            0.5 * (der(line[i]).powi(2) + der(plane[i]).norm_squared() + der(space[i]).norm_squared())
        });
        let depths = &self.depths;
        let on_line = sum(0..n, |i| depths[i] * ((-2.0 * (0.7 - line[i].cos())).exp() - 1.0).powi(2));
        let in_plane = sum(0..n, |i| depths[i] * plane[i].x * plane[i].y * plane[i].norm_squared());
        let in_space = sum(0..n, |i| depths[i] * (1.0 + space[i].norm_squared()).ln() * space[i].z.sin());
        let second = if self.doubled {
            sum(0..n, |i| line[i].powi(4) + plane[i].x.powi(3) + space[i].norm_squared().powi(2))
        } else {
            0.0
        };
        let couplings = if self.coupled {
            sum(1..n, |i| line[i] * line[i - 1] + plane[i].dot(plane[i - 1]) + space[i].dot(space[i - 1]))
        } else {
            0.0
        };
        let weight = sum(0..n, |i| depths[i] * line[i]) + sum(0..n, |i| space[i].x - 2.0 * space[i].z);
        kinetic - on_line - in_plane - in_space - second - couplings - weight
    }
}

/// Points named once and used in many ways: `each` by index, sums of vectors, sums inside one equation.
#[derive(Debug, Clone)]
pub struct Raft {
    /// Masses.
    pub masses: Vec<f64>,
    /// The edges.
    pub edges: Vec<(usize, usize)>,
}

#[lagrangian]
impl Raft {
    fn total(&self) -> f64 {
        self.masses.iter().sum()
    }

    fn lagrangian(&self, logs: [Vec2; self.masses.len()], drift: Vec2) -> Scalar {
        let n = self.masses.len();
        let placed = each(0..n, |i| logs[i] + (1.0 + i as f64) * drift);
        let kinetic = sum(0..n, |i| 0.5 * self.masses[i] * der(placed[i]).norm_squared());
        let momentum = sum(0..n, |i| self.masses[i] * der(logs[i]));
        let springs = sum(self.edges.iter(), |&(i, j)| (placed[i] - placed[j]).norm_squared().sqrt());
        let ends = placed[0].cross(placed[n - 1]) + placed[0].dot(placed[0]);
        let shared = 0.05 * momentum.norm_squared() + 0.5 * der(drift).norm_squared();
        kinetic + shared - springs - ends
    }

    #[holonomic]
    fn centred(&self, logs: [Vec2; self.masses.len()]) -> Vec2 {
        sum(self.masses.iter().enumerate(), |(i, mass)| mass * logs[i]) / self.total()
    }

    #[holonomic]
    fn wide(&self, logs: [Vec2; self.masses.len()], drift: Vec2) -> Scalar {
        let spread = sum(0..self.masses.len(), |i| (logs[i] - drift).norm_squared());
        let square = spread.powi(2);
        square + drift.x - 2.0
    }
}

/// A membrane of points with a place, a height and a direction: triangles, in any order, of all three.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// The number of points.
    pub points: usize,
    /// The points of each triangle.
    pub triangles: Vec<[usize; 3]>,
}

#[lagrangian]
impl Sheet {
    fn lagrangian(
        &self,
        places: [Vec2; self.points],
        heights: [Scalar; self.points],
        directions: [Vec3; self.points],
    ) -> Scalar {
        let kinetic = sum(0..self.points, |i| {
            0.5 * (der(places[i]).norm_squared()
                + der(heights[i]).powi(2)
                + der(directions[i]).norm_squared())
        });
        let elastic = sum(self.triangles.iter(), |corners| {
            let [a, b, c] = [corners[0], corners[1], corners[2]];
            let (first, second) = (places[b] - places[a], places[c] - places[a]);
            let area = first.x * second.y - first.y * second.x;
            let slope = (heights[b] - heights[a]) * (heights[c] - heights[a]);
            let bend = directions[a].dot(directions[b].cross(directions[c]));
            (1.0 + area.powi(2) + slope.powi(2)).ln() * (1.0 + 0.3 * bend)
        });
        kinetic - elastic
    }
}
