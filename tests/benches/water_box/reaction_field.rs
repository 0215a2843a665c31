//! Water with a reaction field in place of Ewald's sums, as other programs' times are quoted.

use least_action::prelude::*;
use least_action_models::WaterBox;

/// Rigid SPC/E water in which each charge sees a conductor beyond the cutoff c: at a distance r < c
/// charges have the energy q q′ (1/r + r²/(2c³) − 3/(2c)), which ends with its slope. (Tironi et al., J.
/// Chem. Phys. 102 (1995) 5451, with an infinite permittivity outside.)
#[derive(Debug, Clone)]
pub(crate) struct ReactionField {
    pub(crate) molecules: usize,
    pub(crate) edge: f64,
    pub(crate) masses: [f64; 2],
    pub(crate) charges: [f64; 3],
    pub(crate) coulomb: f64,
    pub(crate) sigma: f64,
    pub(crate) epsilon: f64,
    pub(crate) on: f64,
    pub(crate) cutoff: f64,
    pub(crate) sides: [f64; 3],
}

impl ReactionField {
    /// The same molecules.
    pub(crate) fn of(water: &WaterBox) -> Self {
        let between = 2.0 * water.bond * (0.5 * water.angle.to_radians()).sin();
        Self {
            molecules: water.molecules,
            edge: water.edge(),
            masses: water.masses,
            charges: [-2.0 * water.charge, water.charge, water.charge],
            coulomb: water.coulomb,
            sigma: water.sigma,
            epsilon: water.epsilon,
            on: water.on,
            cutoff: water.cutoff,
            sides: [water.bond, water.bond, between],
        }
    }

    fn bound_pairs(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        (0..self.molecules).flat_map(|m| [(3 * m, 3 * m + 1), (3 * m, 3 * m + 2), (3 * m + 1, 3 * m + 2)])
    }
}

#[lagrangian]
impl ReactionField {
    fn lagrangian(&self, atoms: [Vec3; 3 * self.molecules]) -> Scalar {
        let (n, cell) = (self.molecules, Cell::cubic(self.edge));
        let kinetic = sum(0..n, |m| {
            0.5 * self.masses[0] * der(atoms[3 * m]).norm_squared()
                + 0.5 * self.masses[1] * der(atoms[3 * m + 1]).norm_squared()
                + 0.5 * self.masses[1] * der(atoms[3 * m + 2]).norm_squared()
        });
        let oxygens = each(0..n, |m| atoms[3 * m]);
        let dispersion = sum(within(self.cutoff, oxygens).periodic(cell), |(_, _, d)| {
            let s = (self.sigma.powi(2) / d.norm_squared()).powi(3);
            switched(d.norm(), self.on, self.cutoff) * 4.0 * self.epsilon * (s.powi(2) - s)
        });
        let near = within(self.cutoff, atoms).periodic(cell).except(self.bound_pairs());
        let charged = sum(near, |(i, j, d)| {
            let field = d.norm_squared() / (2.0 * self.cutoff.powi(3)) - 1.5 / self.cutoff;
            self.coulomb * self.charges[i % 3] * self.charges[j % 3] * (1.0 / d.norm() + field)
        });
        kinetic - dispersion - charged
    }

    #[holonomic]
    fn rigid(&self, atoms: [Vec3; 3 * self.molecules]) -> [[Scalar; 3]; self.molecules] {
        each(0..self.molecules, |m| {
            let (oxygen, first, second) = (atoms[3 * m], atoms[3 * m + 1], atoms[3 * m + 2]);
            [
                (first - oxygen).norm_squared() - self.sides[0].powi(2),
                (second - oxygen).norm_squared() - self.sides[1].powi(2),
                (first - second).norm_squared() - self.sides[2].powi(2),
            ]
        })
    }
}
