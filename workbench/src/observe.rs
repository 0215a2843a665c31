//! What `--observe` names: momenta, the power, and their balances, measured along a run.

use integrator_core::drive::{Balance, Moment, Quantity};
use integrator_core::noether::Motion;
use serde::Serialize;

use crate::error::{Error, Names};
use crate::methods::Faces;
use crate::registry::Instance;

/// An observed quantity at the end of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Kept {
    pub(crate) name: String,
    pub(crate) first: f64,
    pub(crate) last: f64,
    /// The largest distance from the first value; as that, among the moments where the quantity is known.
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
    /// Its place among those that are measured.
    place: Option<usize>,
}

impl<'m> Candidate<'m> {
    fn new(quantity: impl Quantity + 'm, of_all: usize) -> Self {
        let names = quantity.names();
        Self { quantity: Some(Box::new(quantity)), names, of_all, place: None }
    }

    /// All that the model can be asked for beside its energy, which is recorded always.
    fn all(instance: &'m Instance, faces: &'m Faces<'m>) -> Vec<Self> {
        let system = instance.system.lagrangian();
        let is_momentum = |motion: Motion| motion != Motion::Time;
        let momenta = |of_all: usize, names: Vec<&str>| -> Vec<Self> {
            let found = names.into_iter().filter_map(|name| Balance::named(system, name));
            found.map(|balance| Self::new(balance, of_all)).collect()
        };
        let [conserved, balanced] = [system.conserved(), system.balanced()].map(|all| {
            all.iter().filter(|one| is_momentum(one.motion)).map(|one| one.name).collect::<Vec<_>>()
        });
        let keeps_energy = system.conserved().iter().any(|one| !is_momentum(one.motion));
        let mut all = momenta(1, conserved);
        all.extend(momenta(2, balanced));
        all.push(Self::new(Balance::of_energy(faces.lagrangian()), if keeps_energy { 0 } else { 2 }));
        all
    }
}

impl<'m> Observed<'m> {
    /// Those of these names; `all` is what the model conserves, and the balances of the rest.
    pub(crate) fn new(instance: &'m Instance, faces: &'m Faces<'m>, names: &[String]) -> Result<Self, Error> {
        const RECORDED: &str = "energy";
        let mut candidates = Candidate::all(instance, faces);
        let mut observed = Self { quantities: Vec::new(), columns: Vec::new() };
        for name in names.iter().map(|name| name.trim()) {
            let before = candidates.iter().flat_map(|one| &one.names).any(|known| known == name);
            if !(before || name == "all" || name == RECORDED) {
                let known = candidates.iter().flat_map(|one| &one.names).map(String::as_str);
                let known: Names = std::iter::once(RECORDED).chain(known).collect();
                let (model, hint) = (instance.name.clone(), known.near(name));
                return Err(Error::UnknownObservable { model, name: name.to_owned(), hint, known });
            }
            for candidate in &mut candidates {
                for place in 0..candidate.names.len() {
                    if candidate.names[place] == name || name == "all" && place < candidate.of_all {
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

    /// The number of columns.
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
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
