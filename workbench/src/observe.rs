//! Quantities of `--observe`: momenta, the power, and their balances, temperature and pressure, measured
//! along a run.

use least_action::advanced::carried::{Carried, CarryError, Memory, carried};
use least_action::advanced::noether::{ConservedQuantity, Motion};
use least_action::drive::{Balance, MeanSquareDisplacement, Moment, Pressure, Quantity, Temperature};
use least_action::system::{Coordinate, Lagrangian, State};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::methods::Faces;
use crate::radial;
use crate::registry::Instance;

/// An observed quantity at the end of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Kept {
    pub(crate) name: String,
    pub(crate) first: f64,
    pub(crate) last: f64,
    /// The largest distance from the first value, among the moments where the quantity is known.
    pub(crate) largest_change: f64,
}

/// The quantities of a run that `--observe` names.
pub(crate) struct Observed<'m> {
    /// Each with its numbers at the last moment.
    quantities: Vec<(Box<dyn Quantity + 'm>, Vec<f64>)>,
    columns: Vec<Column>,
}

/// A number of a quantity that was asked for, followed along the run.
struct Column {
    quantity: usize,
    place: usize,
    name: String,
    first: Option<f64>,
    last: f64,
    change: f64,
}

/// A quantity that may be named.
struct Candidate<'m> {
    quantity: Option<Box<dyn Quantity + 'm>>,
    names: Vec<String>,
    /// The names of it that `all` stands for.
    of_all: usize,
    /// Its place among the measured ones.
    place: Option<usize>,
}

impl<'m> Candidate<'m> {
    fn new(quantity: impl Quantity + 'm, of_all: usize) -> Self {
        let names = quantity.names();
        Self { quantity: Some(Box::new(quantity)), names, of_all, place: None }
    }

    /// True if a name stands for one of its numbers.
    fn has(&self, name: &str) -> bool {
        (0..self.names.len()).any(|place| self.names_place(name, place))
    }

    /// True if a name stands for this number: its own name, or the common name of the displacements of
    /// all coordinates.
    fn names_place(&self, name: &str, place: usize) -> bool {
        let own = &self.names[place];
        own == name || name == DISPLACEMENT && own.starts_with(DISPLACEMENT)
    }

    /// All quantities that can be asked of the model beside its energy, which is always recorded, and
    /// quantities of [matter](of_matter).
    fn all(instance: &'m Instance, faces: &'m Faces<'m>) -> Vec<Self> {
        let system = instance.system.lagrangian();
        let is_momentum = |one: &ConservedQuantity| one.motion != Motion::Time;
        let momenta = |of_all: usize, names: Vec<&str>| -> Vec<Self> {
            let found = names.into_iter().filter_map(|name| Balance::named(system, name));
            found.map(|balance| Self::new(balance, of_all)).collect()
        };
        let [conserved, balanced] = [system.conserved(), system.balanced()]
            .map(|all| all.iter().filter(|one| is_momentum(one)).map(|one| &*one.name).collect::<Vec<_>>());
        let keeps_energy = system.conserved().iter().any(|one| !is_momentum(one));
        let mut all = momenta(1, conserved);
        all.extend(momenta(2, balanced));
        all.push(Self::new(Balance::of_energy(faces.lagrangian()), if keeps_energy { 0 } else { 2 }));
        all
    }
}

/// The name of the displacements of all coordinates.
const DISPLACEMENT: &str = "mean_square_displacement";

/// The quantity of matter that has a column of this name: such a one is found when it is asked for.
fn of_matter<'m>(
    name: &str,
    system: &'m (dyn Lagrangian + 'm),
    state: &State,
    boltzmann: f64,
) -> Result<Option<Candidate<'m>>> {
    let begins =
        |root: &str| name.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    Ok(match name {
        "temperature" => Some(Candidate::new(Temperature::of(system, state, boltzmann)?, 0)),
        _ if name == "virial" || begins("pressure") => Some(Candidate::new(Pressure::of(system, state)?, 0)),
        _ if begins(DISPLACEMENT) => {
            let displacement = MeanSquareDisplacement::of(system)?.without_drift(system, state);
            Some(Candidate::new(displacement, 0))
        }
        _ => None,
    })
}

/// The quantities of matter that a system can be asked for.
fn known_of_matter(system: &dyn Lagrangian) -> Vec<&'static str> {
    let mut known = Vec::new();
    if system.natural_mass().is_some() {
        known.push("temperature");
    }
    if system.layout().coordinates().iter().any(Coordinate::is_of_points) {
        known.push(DISPLACEMENT);
    }
    if system.periodic().is_some() {
        known.extend(["pressure", "virial", "pressure_xx", "pressure_xy", radial::NAME]);
    }
    known
}

impl<'m> Observed<'m> {
    /// The named quantities in a run from this state, with Boltzmann's constant; `all` names the
    /// conserved ones, and the balances of the rest.
    pub(crate) fn new(
        instance: &'m Instance,
        faces: &'m Faces<'m>,
        names: &[String],
        (state, boltzmann): (&State, f64),
    ) -> Result<Self> {
        const RECORDED: [&str; 2] = ["energy", radial::NAME];
        let system = faces.lagrangian();
        let mut candidates = Candidate::all(instance, faces);
        let mut observed = Self { quantities: Vec::new(), columns: Vec::new() };
        for name in names.iter().map(|name| name.trim()) {
            let is_new = |one: &Candidate<'_>| !one.names.iter().any(|known| known == name);
            if candidates.iter().all(is_new) {
                candidates.extend(of_matter(name, system, state, boltzmann)?);
            }
            let before = candidates.iter().any(|one| one.has(name));
            if !(before || name == "all" || RECORDED.contains(&name)) {
                let known = candidates.iter().flat_map(|one| &one.names).map(String::as_str);
                let of_matter = known_of_matter(system).into_iter();
                let of_matter = of_matter.filter(|name| !candidates.iter().any(|one| one.has(name)));
                let known = std::iter::once(RECORDED[0]).chain(known).chain(of_matter);
                let what = format!("`{}` has no `{name}` to observe", instance.name);
                return Err(Error::unknown(what, name, "it has", known));
            }
            for candidate in &mut candidates {
                for place in 0..candidate.names.len() {
                    if candidate.names_place(name, place) || name == "all" && place < candidate.of_all {
                        observed.take(candidate, place);
                    }
                }
            }
        }
        Ok(observed)
    }

    /// Follows a number of a candidate, once.
    fn take(&mut self, candidate: &mut Candidate<'m>, place: usize) {
        if let Some(quantity) = candidate.quantity.take() {
            candidate.place = Some(self.quantities.len());
            self.quantities.push((quantity, vec![f64::NAN; candidate.names.len()]));
        }
        let Some(quantity) = candidate.place else { return };
        if !self.columns.iter().any(|column| (column.quantity, column.place) == (quantity, place)) {
            let name = candidate.names[place].clone();
            self.columns.push(Column { quantity, place, name, first: None, last: f64::NAN, change: 0.0 });
        }
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| &*column.name)
    }

    /// The numbers of a moment, written over `values` as far as there are columns.
    pub(crate) fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        for (quantity, measured) in &mut self.quantities {
            quantity.measure(moment, measured);
        }
        for (column, written) in self.columns.iter_mut().zip(values) {
            let value = self.quantities[column.quantity].1[column.place];
            if !value.is_nan() {
                let first = *column.first.get_or_insert(value);
                column.change = column.change.max((value - first).abs());
            }
            column.last = value;
            *written = value;
        }
    }

    /// The values at the end.
    pub(crate) fn outcome(&self) -> Vec<Kept> {
        let kept = |column: &Column| Kept {
            name: column.name.clone(),
            first: column.first.unwrap_or(f64::NAN),
            last: column.last,
            largest_change: if column.first.is_some() { column.change } else { f64::NAN },
        };
        self.columns.iter().map(kept).collect()
    }
}

carried!([] Column { first, last, change } besides { quantity, place, name });

impl Carried for Observed<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { quantities, columns } = self;
        quantities.iter_mut().try_for_each(|(quantity, _)| quantity.carry(memory))?;
        columns.carry(memory)
    }
}
