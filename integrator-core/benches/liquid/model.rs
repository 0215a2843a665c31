//! A Lennard-Jones liquid in a cube, as the compiler would emit it.

use least_action::advanced::describe::Smoothness;
use least_action::binding::Cell;
use least_action::emitted::v1::{
    Binder, Borrowed, Code, Constant, ElementFacts, Executable, Faces, Facts, Kernel, KernelHandle,
    NearFacts, NearFamily, NearKernel, Nothing, Ports, PositionOnly, Real, Role, Row, Sort, Source, Vector,
};
use least_action::error::BindError;
use least_action::system::Kind;
use least_action::{Bound, Model};

/// Atoms of mass one whose pairs have 4 (r⁻¹² − r⁻⁶) within the cutoff.
pub(crate) struct Liquid {
    pub(crate) atoms: usize,
    pub(crate) edge: f64,
    pub(crate) cutoff: f64,
}

const INPUTS: [(usize, usize); 3] = [(0, 0), (0, 1), (0, 2)];
struct Value;
struct Rate;
struct Gradient;
struct Product;

macro_rules! code {
    ($name:ident, $vector:expr, $directed:literal, |$ports:ident| $body:expr) => {
        impl Code<1, 3, 1> for $name {
            const INPUTS: [(usize, usize); 3] = INPUTS;
            const READS_DIRECTION: bool = $directed;
            const VECTOR: Vector = $vector;
            const ROW: Row = Row::None;

            #[inline(always)]
            fn run<T: Real>($ports: &mut impl Ports<T>) -> T {
                $body
            }
        }
    };
}

code!(Value, Vector::None, false, |ports| {
    let [x, y, z] = [ports.x(0), ports.x(1), ports.x(2)];
    let inverse = z.multiply_add(z, y.multiply_add(y, x * x)).recip();
    let sixth = inverse * inverse * inverse;
    ports.c(0) * (sixth * sixth - sixth)
});
code!(Rate, Vector::None, false, |ports| ports.now().t.number(0.0));
code!(Gradient, Vector::AtInputs, false, |ports| {
    let [x, y, z] = [ports.x(0), ports.x(1), ports.x(2)];
    let inverse = z.multiply_add(z, y.multiply_add(y, x * x)).recip();
    let sixth = inverse * inverse * inverse;
    let factor = ports.c(0) * 6.0 * sixth * inverse * (sixth.number(1.0) - sixth * 2.0);
    ports.vector(0, factor * x);
    ports.vector(1, factor * y);
    ports.vector(2, factor * z);
    factor.number(0.0)
});
code!(Product, Vector::AtInputs, true, |ports| {
    let [x, y, z] = [ports.x(0), ports.x(1), ports.x(2)];
    let [a, b, c] = [ports.a(0), ports.a(1), ports.a(2)];
    let inverse = z.multiply_add(z, y.multiply_add(y, x * x)).recip();
    let sixth = inverse * inverse * inverse;
    let along = z.multiply_add(c, y.multiply_add(b, x * a));
    let scale = ports.c(0) * sixth * inverse;
    let first = scale * 6.0 * (sixth.number(1.0) - sixth * 2.0);
    let second = scale * inverse * (sixth * 168.0 - sixth.number(48.0)) * along;
    ports.vector(0, first.multiply_add(a, second * x));
    ports.vector(1, first.multiply_add(b, second * y));
    ports.vector(2, first.multiply_add(c, second * z));
    first.number(0.0)
});

static ELEMENT: Kernel = Kernel {
    facts: ElementFacts {
        name: Borrowed("4 (r⁻¹² − r⁻⁶)"),
        reads: Borrowed(&[Borrowed("atoms[i]"), Borrowed("atoms[j]")]),
        smoothness: Smoothness::Smooth,
        over_all_pairs: false,
        linear: false,
        costs: [12, 18, 40, 60],
        slots: 1,
        inputs: Borrowed(&INPUTS),
        coefficients: 1,
        entries: Borrowed(&[]),
        numbers: 0,
        forms: Borrowed(&[]),
        sums: 0,
        reads_of_sums: Borrowed(&[]),
    },
    operations: [
        Executable::near::<Value, 1, 3, 1, 0, 1>(),
        Executable::near::<Gradient, 1, 3, 1, 0, 1>(),
        Executable::single::<Gradient, 1, 3, 1, 0>(),
        Executable::near::<Rate, 1, 3, 1, 0, 1>(),
        Executable::near::<Product, 1, 3, 1, 0, 1>(),
        Executable::LeftOut,
        Executable::LeftOut,
        Executable::LeftOut,
        Executable::LeftOut,
        Executable::LeftOut,
        Executable::LeftOut,
        Executable::LeftOut,
        Executable::LeftOut,
    ],
};

static KERNEL: NearKernel = NearKernel {
    kernel: KernelHandle::Static(&ELEMENT),
    facts: NearFacts {
        roles: Borrowed(&[Role::Separation]),
        sources: Borrowed(&[Source::Shared]),
        dimension: 3,
        sort: Sort::Pairs,
        exchangeable: true,
        keys: [Borrowed(&[]), Borrowed(&[])],
    },
};

impl Model for Liquid {
    type Mass = Constant;
    type Force = PositionOnly;
    type Holonomy = Nothing;
    type Nonholonomy = Nothing;
    type Stiffness = Nothing;
    type Forcing = Nothing;
    type Drive = Nothing;
    const FACTS: &'static Facts = &Facts::of("Liquid");

    fn declare(&self, binder: &mut Binder) -> Result<(), BindError> {
        binder.coordinate("atoms", Kind::Vec3, &[self.atoms])?;
        for at in 0..3 * self.atoms as u32 {
            binder.mass(at, at, 1.0, "½ v²")?;
        }
        let mut near = binder.near_points("within(self.cutoff, atoms)", self.cutoff, 3)?;
        for atom in 0..self.atoms {
            near.point(binder.entry(0, &[atom], "atoms")?);
        }
        near.periodic(Cell::cubic(self.edge));
        let mut family = NearFamily::new(&KERNEL, &near.finish()?);
        family.shared(&[4.0])?;
        binder.near_potential(family)
    }

    fn faces(bound: &Bound<Self>) -> Faces<'_> {
        Faces {
            mechanics: bound,
            natural: Some(bound),
            stiff: None,
            constrained: None,
            holonomic: None,
            nonholonomic: None,
            forced: None,
            driven: None,
            vibrated: None,
            even_in_phase: None,
            constrained_vibrated: None,
            constrained_even: None,
        }
    }
}
