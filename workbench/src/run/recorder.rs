//! The records of a run: files, a picture, and the numbers of its last report.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use least_action::advanced::carried::{Carried, CarryError, Memory, part};
use least_action::drive::{CheckpointError, ConstraintResidual, Moment, Observer, Quantity, Summary};
use least_action::method::{Passed, Stepper};
use least_action::system::{Holonomic, Lagrangian, Nonholonomic, State};
use least_action_pages::files::Draft;
use least_action_pages::plot::{self, Film, Units};
use least_action_pages::view::{Moment as Frame, Viewer};

use crate::arguments::Run;
use crate::error::Error;
use crate::identity::Identity;
use crate::methods::{self, Faces};
use crate::moments::{self, Moments};
use crate::observe::Observed;
use crate::output::{self, Columns, Row, Rows, Trajectory};
use crate::places;
use crate::radial::Counted;
use crate::registry::Instance;
use crate::view;

/// An error of an observer.
pub(super) type Unobserved = Box<dyn std::error::Error + Send + Sync>;

/// An observer's error is ours where we wrote it.
pub(super) fn observer_failed(error: Unobserved) -> Error {
    let own = error.downcast::<Error>().map(|error| *error);
    let own = own.or_else(|error| error.downcast::<CheckpointError>().map(|error| (*error).into()));
    own.unwrap_or_else(|error| match error.downcast::<CarryError>() {
        Ok(error) => match *error {
            CarryError::Beside(error) => observer_failed(error),
            CarryError::Foreign => Error::unwritable("the recorder", &error),
        },
        Err(error) => Error::unwritable("the recorder", &error),
    })
}

/// Measures each observed moment once, for the file, the picture and the final report.
pub(super) struct Recorder<'s> {
    system: &'s dyn Lagrangian,
    pub(super) measure_energy: Box<dyn Quantity + 's>,
    pub(super) measure_residual: Option<ConstraintResidual<'s, dyn Holonomic + 's>>,
    pub(super) measure_rolling: Option<ConstraintResidual<'s, dyn Nonholonomic + 's>>,
    pub(super) initial_energy: f64,
    pub(super) energy: f64,
    /// True if pages and pictures show the energy: an averaged motion has the energy of the phase at
    /// each look.
    pub(super) shows_energy: bool,
    pub(super) residual: Option<f64>,
    /// The residual of constraints on velocities.
    pub(super) rolling: Option<f64>,
    pub(super) observed: Observed<'s>,
    pub(super) radial: Option<Counted>,
    /// The averaged multipliers that `--observe-window` asks for.
    pub(super) multipliers: Option<Box<dyn Quantity + 's>>,
    /// A row of unknown multipliers, as long as the others; empty where the method computes none.
    pub(super) no_multipliers: Vec<f64>,
    /// The values of the observed quantities, and of the multipliers behind them.
    pub(super) values: Vec<f64>,
    pub(super) table: Option<Trajectory<'s>>,
    /// The file of the trajectory, and whose run it has.
    told: Option<(PathBuf, String)>,
    pub(super) moments: Moments<'s>,
    /// True once the file of the trajectory has all rows.
    pub(super) is_recorded: bool,
    pub(super) rows: Option<&'s mut Rows>,
    pub(super) film: Option<(Film, Draft)>,
    /// The units that the model states.
    pub(super) units: Units,
    pub(super) viewers: Vec<Viewer<'s>>,
    /// The names of the measured quantities, and their last values.
    pub(super) measured: (Vec<String>, Vec<f64>),
    /// The time spent here, beside the time of the steps.
    pub(super) spent: Duration,
}

impl<'s> Recorder<'s> {
    pub(super) fn new(
        faces: &'s Faces<'s>,
        instance: &'s Instance,
        stepper: &dyn Stepper,
        observed: Observed<'s>,
        (arguments, kept_in_memory, resumed, run): (&Run, Option<&'s mut Rows>, bool, Option<Identity>),
    ) -> Result<Self, Error> {
        let (constrained, rolling) = (faces.constraints(), faces.nonholonomic());
        let layout = instance.system.lagrangian().layout();
        let multipliers = arguments.observe_window.map(|window| faces.penalty_multipliers(window));
        let multipliers = multipliers.transpose()?.map(|all| Box::new(all) as Box<dyn Quantity + 's>);
        let mut names: Vec<String> = observed.names().map(str::to_owned).collect();
        names.extend(multipliers.iter().flat_map(|multipliers| multipliers.names()));
        let residuals = [constrained.is_some(), rolling.is_some()];
        let shows_energy = !arguments.request.by.method.as_deref().is_some_and(methods::averages);
        let energy = shows_energy.then(|| "energy".to_owned()).into_iter();
        let measured = energy.chain(output::residual_names(residuals)).chain(names.clone()).collect();
        let rows = if stepper.multipliers().is_some() { faces.multipliers().names() } else { Vec::new() };
        let told = arguments.out.as_deref().zip(run).map(|(out, run)| {
            let run = run.seen_from(places::folder(out));
            (out.to_owned(), if output::is_table(out) { run.text() } else { run.short() })
        });
        let run = told.as_ref().map_or("", |(_, run)| run);
        let columns = || Columns::new(layout, residuals, &names, &rows, run);
        let goes_on = (arguments.checkpoint.as_deref(), resumed);
        let begun = |path| Trajectory::begin(path, &columns(), instance, goes_on);
        let table = arguments.out.as_deref().map(begun).transpose()?;
        let of_moments = || {
            let names = moments::COLUMNS.map(str::to_owned);
            Columns::new(layout, [false; 2], &names, &[], "").naming(stepper.moment_names())
        };
        let begun = |path| Trajectory::begin(path, &of_moments(), instance, goes_on);
        let moments = Moments::new(arguments.events.as_deref().map(begun).transpose()?);
        let mut rows_in_memory = kept_in_memory;
        if let Some(rows) = &mut rows_in_memory {
            rows.begin(layout, &columns());
        }
        let units = view::units(instance).with_boltzmann(arguments.boltzmann);
        let film = match &arguments.plot {
            Some(path) => {
                let mut film = Film::new(layout, constrained, stepper.state());
                (film.units, film.measured) = (units.clone(), Vec::clone(&measured));
                Some((film, Draft::create("--plot", path)?))
            }
            None => None,
        };
        let radial = Counted::new(faces.lagrangian(), arguments)?;
        Ok(Self {
            system: faces.lagrangian(),
            measure_energy: faces.energy(),
            measure_residual: constrained.map(ConstraintResidual::of),
            measure_rolling: rolling.map(ConstraintResidual::of_velocities),
            initial_energy: f64::NAN,
            energy: f64::NAN,
            shows_energy,
            residual: None,
            rolling: None,
            values: vec![f64::NAN; names.len()],
            observed,
            radial,
            multipliers,
            no_multipliers: vec![f64::NAN; rows.len()],
            table,
            told,
            moments,
            is_recorded: false,
            rows: rows_in_memory,
            film,
            units,
            viewers: Vec::new(),
            measured: (measured, Vec::new()),
            spent: Duration::ZERO,
        })
    }

    /// Gives the files their names: the trajectory, and the picture, which is drawn now.
    pub(super) fn complete(&mut self, title: &str) -> Result<(), Error> {
        let table = self.table.take().map_or(Ok(()), Trajectory::complete);
        let table = table.and_then(|()| {
            let Some((path, run)) = self.told.take() else { return Ok(()) };
            self.is_recorded = true;
            output::tell_beside(&path, &run)
        });
        let table = table.and(self.moments.complete());
        let film = self.film.take().map_or(Ok(()), |(film, draft)| plot::write(draft, title, &film));
        let radial = self.radial.as_mut().map_or(Ok(()), |radial| radial.complete(title, &self.units));
        table.and(film.map_err(Error::from)).and(radial)
    }

    /// Measures energy, residual and the observed quantities.
    pub(super) fn measure(&mut self, moment: &Moment<'_>) {
        let value = |quantity: &mut dyn Quantity| {
            let mut number = [f64::NAN];
            quantity.measure(moment, &mut number);
            number[0]
        };
        self.energy = value(&mut *self.measure_energy);
        if moment.step == 0 {
            self.initial_energy = self.energy;
        }
        self.residual = self.measure_residual.as_mut().map(|residual| value(residual));
        self.rolling = self.measure_rolling.as_mut().map(|residual| value(residual));
        self.observed.measure(moment, &mut self.values);
    }
}

impl Observer for Recorder<'_> {
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Unobserved> {
        let clock = Instant::now();
        self.measure(moment);
        if let Some(radial) = &mut self.radial {
            radial.sample(moment.state);
        }
        if let Some(multipliers) = &mut self.multipliers {
            multipliers.measure(moment, &mut self.values[self.observed.names().count()..]);
        }
        let state = moment.state;
        let row = Row {
            t: state.t,
            q: &state.q,
            v: &state.v,
            energy: self.energy,
            constraint_residual: self.residual,
            nonholonomic_residual: self.rolling,
            event: None,
            observed: &self.values,
            // A state where the constraints hold the system by too few rows may have no meaningful
            // multipliers.
            multipliers: (!self.no_multipliers.is_empty())
                .then(|| moment.multipliers.unwrap_or(&self.no_multipliers)),
        };
        if let Some(table) = &mut self.table {
            table.write(&row)?;
        }
        if let Some(rows) = &mut self.rows {
            rows.push(&row);
        }
        let (_, measured) = &mut self.measured;
        measured.clear();
        measured.extend(self.shows_energy.then_some(self.energy));
        measured.extend(self.residual.iter().chain(&self.rolling).chain(&self.values));
        let frame = Frame { t: state.t, q: &state.q, v: &state.v, measured };
        self.viewers.iter_mut().try_for_each(|viewer| viewer.push(&frame)).map_err(Error::from)?;
        if let Some((film, _)) = &mut self.film {
            film.push(state, measured);
        }
        self.spent += clock.elapsed();
        Ok(())
    }

    fn pass(&mut self, name: &str, passed: &Passed) -> Result<(), Unobserved> {
        let State { t, q, v } = &passed.state;
        self.moments.take(name, passed, self.system.energy(q, v, *t))?;
        Ok(())
    }

    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.initial_energy.carry(memory)?;
        self.energy.carry(memory)?;
        self.residual.carry(memory)?;
        self.rolling.carry(memory)?;
        self.observed.carry(memory)?;
        part(self.radial.as_mut(), memory)?;
        part(self.multipliers.as_mut(), memory)?;
        part(self.table.as_mut(), memory)?;
        self.moments.carry(memory)?;
        part(self.film.as_mut().map(|(film, _)| film), memory)
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), Unobserved> {
        self.moments.finish()?;
        Ok(self.table.as_mut().map_or(Ok(()), Trajectory::finish)?)
    }
}
