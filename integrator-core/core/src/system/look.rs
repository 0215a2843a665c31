use nalgebra::Vector3;

/// The places of a group of points at (q, t).
type GroupPositions = Box<dyn Fn(&[f64], f64) -> Vec<Vector3<f64>> + Send + Sync>;

/// The author's additions to a moving picture of a model.
///
/// Points, vectors of the Lagrangian, constraints, tables of pairs and meshes are drawn without a look.
/// The look adds the author's knowledge: other places, the sizes of atoms, bonded pairs.
///
/// Ends of rods and springs are entries of a coordinate or of a group in the look, by name and number:
/// `("bobs", 3)`; nested arrays are counted through. Lengths are in units of the model; models in the
/// plane have z = 0.
///
/// # Examples
/// A pendulum by its angle:
/// ```
/// use least_action::prelude::*;
///
/// struct Pendulum { rod: f64 }
///
/// #[lagrangian]
/// impl Pendulum {
///     fn lagrangian(&self, theta: Angle) -> Scalar {
///         0.5 * self.rod.powi(2) * der(theta).powi(2) + 9.81 * self.rod * theta.cos()
///     }
/// }
///
/// impl Start for Pendulum {
///     fn start(&self) -> State {
///         State::at_rest(vec![1.0])
///     }
///
///     fn look(&self) -> Look {
///         let rod = self.rod;
///         Look::new()
///             .fixed("pivot", [Vector3::zeros()])
///             .points("bob", move |q, _| vec![rod * Vector3::new(q[0].sin(), -q[0].cos(), 0.0)])
///             .rod(("pivot", 0), ("bob", 0))
///     }
/// }
///
/// let look = Pendulum { rod: 2.0 }.look();
/// assert_eq!((look.groups[1].places)(&[0.0], 0.0), [Vector3::new(0.0, -2.0, 0.0)]);
/// ```
#[derive(Default)]
pub struct Look {
    /// The added groups of points.
    pub groups: Vec<LookGroup>,
    /// Rods and springs.
    pub links: Vec<LookLink>,
    /// The radius of the points of a coordinate or a group.
    pub radii: Vec<(String, f64)>,
    /// The colours of the points of a coordinate or a group, repeated.
    pub colours: Vec<(String, Vec<String>)>,
    /// The species of the points of a coordinate or a group, repeated, for files of points.
    pub species: Vec<(String, Vec<String>)>,
    /// The boxes that rotation matrices turn.
    pub boxes: Vec<LookBox>,
    /// Bodies of revolution: cylinders, cones and discs.
    pub solids: Vec<LookSolid>,
    /// Labels of points.
    pub labels: Vec<((String, usize), String)>,
    /// The ground: a place on it, and the direction up.
    pub grounds: Vec<[Vector3<f64>; 2]>,
    /// The hidden coordinates.
    pub hidden: Vec<String>,
}

/// A group of points.
pub struct LookGroup {
    /// The name for links and radii.
    pub name: String,
    /// True if the points do not move.
    pub fixed: bool,
    /// The places of the points; their number is constant.
    pub places: GroupPositions,
}

/// A rod or a spring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookLink {
    /// True for a spring.
    pub spring: bool,
    /// Its ends: the name of a coordinate or of a group, and the number of an entry.
    pub ends: [(String, usize); 2],
}

/// Boxes for rotation matrices.
#[derive(Debug, Clone, PartialEq)]
pub struct LookBox {
    /// The coordinate of the matrices.
    pub turns: String,
    /// The coordinate or the group of the centres, one for each matrix; `None` for the origin.
    pub centres: Option<String>,
    /// The lengths of the sides along the axes of the body.
    pub sides: Vector3<f64>,
}

/// A body of revolution.
#[derive(Debug, Clone, PartialEq)]
pub struct LookSolid {
    /// The middles of its ends: the name of a coordinate or of a group, and the number of an entry.
    pub ends: [(String, usize); 2],
    /// The radii of its ends.
    pub radii: [f64; 2],
    /// The length of a body centred at its first end; its axis then points to the second.
    pub length: Option<f64>,
}

impl Look {
    /// An empty look.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a constant number of points that depend on (q, t).
    #[must_use]
    pub fn points(
        mut self,
        name: &str,
        places: impl Fn(&[f64], f64) -> Vec<Vector3<f64>> + Send + Sync + 'static,
    ) -> Self {
        self.groups.push(LookGroup { name: name.to_owned(), fixed: false, places: Box::new(places) });
        self
    }

    /// Adds points that do not move.
    #[must_use]
    pub fn fixed(mut self, name: &str, places: impl Into<Vec<Vector3<f64>>>) -> Self {
        let places = places.into();
        let places = Box::new(move |_: &[f64], _: f64| places.clone());
        self.groups.push(LookGroup { name: name.to_owned(), fixed: true, places });
        self
    }

    /// Adds a rod.
    #[must_use]
    pub fn rod(self, one: (&str, usize), other: (&str, usize)) -> Self {
        self.link(false, one, other)
    }

    /// Adds a spring.
    #[must_use]
    pub fn spring(self, one: (&str, usize), other: (&str, usize)) -> Self {
        self.link(true, one, other)
    }

    /// Adds a cylinder between two points: a rod with a radius.
    #[must_use]
    pub fn cylinder(self, one: (&str, usize), other: (&str, usize), radius: f64) -> Self {
        self.solid([one, other], [radius; 2], None)
    }

    /// Adds a cone from its apex to the middle of its base.
    #[must_use]
    pub fn cone(self, apex: (&str, usize), base: (&str, usize), radius: f64) -> Self {
        self.solid([apex, base], [0.0, radius], None)
    }

    /// Adds a disc about a point, as thick as a third of its radius,
    /// whose axis points to another one; in the plane it is seen from its edge.
    #[must_use]
    pub fn disc(self, centre: (&str, usize), towards: (&str, usize), radius: f64) -> Self {
        self.solid([centre, towards], [radius; 2], Some(radius / 3.0))
    }

    /// Writes a label beside a point.
    #[must_use]
    pub fn label(mut self, (name, number): (&str, usize), words: &str) -> Self {
        self.labels.push(((name.to_owned(), number), words.to_owned()));
        self
    }

    /// Draws the fixed ground through a place: a plane,
    /// or in the plane a line; `up` points to its upper side.
    #[must_use]
    pub fn ground(mut self, place: Vector3<f64>, up: Vector3<f64>) -> Self {
        self.grounds.push([place, up]);
        self
    }

    /// Adds rods between entries of one coordinate.
    #[must_use]
    pub fn bonds(self, name: &str, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        pairs.into_iter().fold(self, |look, (one, other)| look.rod((name, one), (name, other)))
    }

    /// Adds springs between entries of one coordinate.
    #[must_use]
    pub fn springs(self, name: &str, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        pairs.into_iter().fold(self, |look, (one, other)| look.spring((name, one), (name, other)))
    }

    /// Sets the radius of the points of a coordinate or a group.
    #[must_use]
    pub fn radius(mut self, name: &str, radius: f64) -> Self {
        self.radii.push((name.to_owned(), radius));
        self
    }

    /// Sets the colours of the points of a coordinate or a group,
    /// repeated; as in CSS, `#c0392b` or `teal`.
    #[must_use]
    pub fn colours(mut self, name: &str, colours: &[&str]) -> Self {
        self.colours.push((name.to_owned(), colours.iter().map(|&colour| colour.to_owned()).collect()));
        self
    }

    /// Sets the species of the points of a coordinate or a group,
    /// repeated: symbols as in `["O", "H", "H"]`.
    #[must_use]
    pub fn species(mut self, name: &str, species: &[&str]) -> Self {
        self.species.push((name.to_owned(), species.iter().map(|&one| one.to_owned()).collect()));
        self
    }

    /// Draws boxes with these sides that the matrices of `turns` rotate,
    /// centred at the entries of `centres`.
    #[must_use]
    pub fn boxes(mut self, turns: &str, centres: Option<&str>, sides: Vector3<f64>) -> Self {
        let centres = centres.map(str::to_owned);
        self.boxes.push(LookBox { turns: turns.to_owned(), centres, sides });
        self
    }

    /// Draws no points for a coordinate.
    #[must_use]
    pub fn hide(mut self, name: &str) -> Self {
        self.hidden.push(name.to_owned());
        self
    }

    fn solid(mut self, ends: [(&str, usize); 2], radii: [f64; 2], length: Option<f64>) -> Self {
        let ends = ends.map(|(name, number)| (name.to_owned(), number));
        self.solids.push(LookSolid { ends, radii, length });
        self
    }

    fn link(mut self, spring: bool, one: (&str, usize), other: (&str, usize)) -> Self {
        let ends = [one, other].map(|(name, number)| (name.to_owned(), number));
        self.links.push(LookLink { spring, ends });
        self
    }
}
