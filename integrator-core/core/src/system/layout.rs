use serde::Serialize;

pub use least_action_kernel::Text;

/// The kind of one entry of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A real number.
    Scalar,
    /// An angle in radians.
    Angle,
    /// A vector in the plane.
    Vec2,
    /// A vector in space.
    Vec3,
    /// A 3 × 3 matrix, row by row.
    Mat3,
}

impl Kind {
    /// The number of components.
    pub const fn components(self) -> usize {
        match self {
            Self::Scalar | Self::Angle => 1,
            Self::Vec2 => 2,
            Self::Vec3 => 3,
            Self::Mat3 => 9,
        }
    }
}

/// A named group of generalized coordinates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Coordinate {
    /// The name in the declaration.
    pub name: String,
    /// The kind of one entry.
    pub kind: Kind,
    /// The lengths of the (nested) array, outermost first; empty for a single entry.
    pub lengths: Vec<usize>,
    /// The place of its first component in q.
    pub offset: usize,
}

impl Coordinate {
    /// The number of degrees of freedom of the group.
    pub fn size(&self) -> usize {
        self.lengths.iter().product::<usize>() * self.kind.components()
    }

    /// True if its entries are points or vectors, in the plane or in space.
    pub fn is_of_points(&self) -> bool {
        matches!(self.kind, Kind::Vec2 | Kind::Vec3)
    }

    /// The first index of each entry in q.
    pub fn starts(&self) -> impl ExactSizeIterator<Item = usize> + use<> {
        (self.offset..self.offset + self.size()).step_by(self.kind.components())
    }
}

/// The arrangement of all coordinates in q: groups in the order of the declaration,
/// arrays in row-major order, the components of a vector contiguous, a matrix row by row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Layout {
    coordinates: Vec<Coordinate>,
    dimension: usize,
}

impl Layout {
    /// An empty layout; add groups with [`Layout::push`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a group of coordinates.
    pub fn push(&mut self, name: impl Into<String>, kind: Kind, lengths: Vec<usize>) -> &mut Self {
        let coordinate = Coordinate { name: name.into(), kind, lengths, offset: self.dimension };
        self.dimension += coordinate.size();
        self.coordinates.push(coordinate);
        self
    }

    /// The groups, in the order of the declaration.
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// The number n of degrees of freedom.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The group of the degree of freedom `index`.
    pub fn coordinate_of(&self, index: usize) -> Option<&Coordinate> {
        let behind = self.coordinates.partition_point(|group| group.offset <= index);
        self.coordinates[..behind].last().filter(|group| index < group.offset + group.size())
    }

    /// The name of the degree of freedom `index`, such as `bobs[3].y` or `r[(0, 2)]`.
    pub fn name_of(&self, index: usize) -> String {
        let Some(coordinate) = self.coordinate_of(index) else { return format!("#{index}") };
        let components = coordinate.kind.components();
        let local = index - coordinate.offset;
        let mut entry = local / components;
        let mut indices = vec![0; coordinate.lengths.len()];
        for (slot, length) in indices.iter_mut().zip(&coordinate.lengths).rev() {
            *slot = entry % length;
            entry /= length;
        }
        let mut name = coordinate.name.clone();
        for slot in indices {
            name = format!("{name}[{slot}]");
        }
        let component = local % components;
        match coordinate.kind {
            Kind::Scalar | Kind::Angle => {}
            Kind::Vec2 | Kind::Vec3 => {
                name.push('.');
                name.push(['x', 'y', 'z'][component]);
            }
            Kind::Mat3 => name = format!("{name}[({}, {})]", component / 3, component % 3),
        }
        name
    }
}
