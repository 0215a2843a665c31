//! The kinds of models for every method: each feature of a declaration alone, and every two together.
//!
//! All are one system, a point p in a potential that is round about the z axis with a number s beside
//! it, to which a feature adds its terms. So the angular momentum about the axis is balanced in every
//! kind: only the torque of forces changes it, and the states at both ends of a step tell its impulse.

#![allow(dead_code, reason = "of its users one writes declarations, one tells rustc, and one measures")]

/// A feature of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feature {
    MassOfPosition,
    Gyroscopic,
    Stiff,
    Time,
    Phase,
    ForceOfPosition,
    ForceOfVelocity,
    Dissipation,
    Input,
    Holonomic,
    Nonholonomic,
    Dependent,
}

use Feature::{
    Dependent, Dissipation, ForceOfPosition, ForceOfVelocity, Gyroscopic, Holonomic, Input, MassOfPosition,
    Nonholonomic, Phase, Stiff, Time,
};

/// Every feature that stands by itself.
const ALONE: [Feature; 11] = [
    MassOfPosition,
    Gyroscopic,
    Stiff,
    Time,
    Phase,
    ForceOfPosition,
    ForceOfVelocity,
    Dissipation,
    Input,
    Holonomic,
    Nonholonomic,
];

impl Feature {
    fn words(self) -> &'static str {
        match self {
            MassOfPosition => "mass of the position",
            Gyroscopic => "gyroscopic term",
            Stiff => "stiff part",
            Time => "time",
            Phase => "fast phase",
            ForceOfPosition => "force of the position",
            ForceOfVelocity => "force of the velocity",
            Dissipation => "dissipation",
            Input => "input",
            Holonomic => "holonomic",
            Nonholonomic => "nonholonomic",
            Dependent => "dependent rows",
        }
    }
}

/// A kind of model: the features of its declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind(pub(crate) Vec<Feature>);

/// Every kind: no feature, one, two; rows that depend on each other beside each other feature.
pub(crate) fn all() -> Vec<Kind> {
    let mut kinds = vec![Kind(Vec::new())];
    kinds.extend(ALONE.map(|one| Kind(vec![one])));
    let pairs = (0..ALONE.len()).flat_map(|a| (a + 1..ALONE.len()).map(move |b| vec![ALONE[a], ALONE[b]]));
    kinds.extend(pairs.map(Kind));
    kinds.extend([Holonomic, Nonholonomic].map(|rows| Kind(vec![rows, Dependent])));
    let beside = ALONE.into_iter().filter(|one| *one != Holonomic);
    kinds.extend(beside.map(|one| {
        let mut features = vec![one, Holonomic, Dependent];
        features.sort_unstable();
        Kind(features)
    }));
    kinds
}

impl Kind {
    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.0.contains(&feature)
    }

    /// The kind with `other` in place of a feature, or without the feature; `None` if there is none.
    pub(crate) fn with(&self, feature: Feature, other: Option<Feature>) -> Option<usize> {
        let mut features: Vec<Feature> =
            self.0.iter().copied().filter(|one| *one != feature).chain(other).collect();
        features.sort_unstable();
        features.dedup();
        all().iter().position(|kind| kind.0 == features)
    }

    /// The features in words.
    pub(crate) fn words(&self) -> String {
        match &self.0[..] {
            [] => "natural".to_owned(),
            features => features.iter().map(|one| one.words()).collect::<Vec<_>>().join(", "),
        }
    }

    /// The name in the command line.
    pub(crate) fn name(&self) -> String {
        self.words().replace(", ", "+").replace(' ', "-")
    }

    /// The items of `impl Model`, in one line each.
    pub(crate) fn declaration(&self) -> String {
        let when = |feature, text| if self.has(feature) { text } else { "" };
        let arguments = [when(Time, ", t: Time"), when(Phase, ", theta: Phase")].concat();
        let mass = if self.has(MassOfPosition) { "(0.5 + 0.2 * p.z.powi(2))" } else { "0.5" };
        let rod = "p.norm_squared() - 1.0";
        let roll = "der(s) - p.x * (p.x * der(p.x) + p.y * der(p.y))";
        let rows = |[attribute, name, arguments]: [&str; 3], row: &str, again: &str| {
            if self.has(Dependent) {
                format!(
                    "#[{attribute}] fn {name}(&self, {arguments}) -> [Scalar; 2] {{ \
                     each(0..2, |i| if i == 0 {{ {row} }} else {{ {again} }}) }}\n"
                )
            } else {
                format!("#[{attribute}] fn {name}(&self, {arguments}) -> Scalar {{ {row} }}\n")
            }
        };
        let mut text = format!(
            "fn lagrangian(&self, p: Vec3, s: Scalar{arguments}) -> Scalar {{ \
             let round = p.x.powi(2) + p.y.powi(2); \
             {mass} * der(p).norm_squared() + 0.4 * der(s).powi(2) \
             {gyroscopic} - 0.6 * round - 0.3 * p.z * round - 0.4 * p.z.powi(4) - 0.5 * (s - p.z).powi(2) {stiff}{time}{phase} }}\n",
            gyroscopic = when(Gyroscopic, "+ 0.4 * (1.0 + p.z) * (p.x * der(p.y) - p.y * der(p.x))"),
            stiff = when(Stiff, "- stiff(self.stiffness * (p.norm_squared() - 1.0).powi(2))"),
            time = when(Time, "- 0.3 * (1.3 * t).sin() * p.z"),
            phase = when(Phase, "- self.shaking * theta.cos() * p.z"),
        );
        let turning = "vec3(-p.y, p.x, 0.0) / (p.x.powi(2) + p.y.powi(2))";
        let force = |name: &str, arguments: &str, value: &str| {
            format!("#[force(p)] fn {name}(&self, p: Vec3{arguments}) -> Vec3 {{ {value} }}\n")
        };
        if self.has(Phase) {
            text += "#[frequency] fn frequency(&self) -> f64 { self.omega }\n";
        }
        if self.has(ForceOfPosition) {
            text += &force("turning", "", &format!("0.3 * {turning}"));
        }
        if self.has(ForceOfVelocity) {
            text += &force("drag", "", "-0.4 * der(p)");
        }
        if self.has(Dissipation) {
            text += "#[dissipation] fn damping(&self, p: Vec3) -> Scalar { 0.15 * der(p).norm_squared() }\n";
        }
        if self.has(Input) {
            text += &force("motor", ", torque: Input", &format!("torque * {turning}"));
        }
        if self.has(Holonomic) {
            text += &rows(["holonomic", "rod", "p: Vec3"], rod, "3.0 * (p.norm() - 1.0)");
        }
        if self.has(Nonholonomic) {
            text += &rows(["nonholonomic", "roll", "p: Vec3, s: Scalar"], roll, &format!("2.0 * ({roll})"));
        }
        text
    }
}
