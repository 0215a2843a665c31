//! Collects the findings of emitted code in an instance of a declaration.

use super::budget::Budget;
use super::collectives::{FoundStage, Reader};
use super::family::{ELEMENTS, Family, FamilySummary, OFTEN, SMALLER};
use super::near::family::NearFamily;
use super::signals::{Signals, Use};
use super::terms::Elements;
use crate::describe::Smoothness;
use crate::error::BindError;
use crate::lists::range::{Near, NearPoints};
use crate::system::turns::Turn;
use crate::system::{Kind, Layout, RowsOf, Signal, Text};
use std::borrow::Cow;

/// The most degrees of freedom with 32-bit indices, velocities and time included.
const LIMIT: usize = (u32::MAX as usize - 1) / 2;
/// The least bytes of a degree of freedom: its mass twice, and the states and forces of a method.
const OF_FREEDOM: u64 = 120;
/// The bytes of an entry of the mass: in a growing list, and in the matrix.
const OF_MASS: u64 = 80;
/// The bytes of a collective: its place in the vectors of an evaluation and in the index of its stage.
const OF_A_COLLECTIVE: u64 = 100;

/// Collects the layout, the families and the constraint rows of an instance.
#[derive(Default)]
pub struct Binder {
    pub(super) layout: Layout,
    pub(super) mass: Vec<(usize, usize, f64)>,
    pub(super) kinetic: Vec<FamilySummary>,
    /// The elements of the potential, and of its stiff part.
    pub(super) potential: Elements,
    pub(super) stiff: Elements,
    /// The points of sums over near pairs.
    pub(super) ranges: Vec<Near>,
    pub(super) general: Vec<Family>,
    /// The sums that functions of (q, t) read.
    pub(super) stages: Vec<FoundStage>,
    /// The sums that functions of (q, v, t) read.
    pub(super) moving: Vec<FoundStage>,
    /// The reader of the last stage.
    pub(super) reader: Option<Reader>,
    /// The families of the kinetic energy with constant mass that read sums.
    pub(super) mass_of_sums: Vec<Family>,
    /// The rows by their kinds, as [`RowsOf`] counts them.
    pub(super) rows: [FoundRows; RowsOf::COUNT],
    pub(super) forces: Vec<Family>,
    pub(super) dissipations: Vec<Family>,
    /// The terms of Rayleigh's functions that read sums.
    pub(super) dissipated: Vec<Family>,
    pub(super) force_methods: Vec<ForceMethod>,
    /// Frequency and initial phase.
    pub(super) phase: Option<[f64; 2]>,
    pub(super) signals: Signals,
    /// The coordinates that are inputs of forces, with their signals.
    pub(super) sampled: Vec<(usize, Signal)>,
    pub(super) budget: Budget,
}

/// The components of one `#[force]` method, or one `#[dissipation]` method.
#[derive(Debug, Clone)]
pub(super) struct ForceMethod {
    pub(super) name: Text,
    /// The coordinate of a force; a dissipation acts on all velocities that it reads.
    pub(super) coordinate: Option<usize>,
    components: usize,
    pub(super) families: usize,
    /// The number of families of Rayleigh's function itself.
    pub(super) functions: usize,
}

/// The rows of a kind.
#[derive(Default)]
pub(super) struct FoundRows {
    pub(super) families: Vec<Family>,
    pub(super) rows: ConstraintRows,
}

/// The rows of a method that returns equations.
#[derive(Debug, Clone)]
pub(super) struct ConstraintMethod {
    pub(super) name: Text,
    pub(super) first: usize,
    pub(super) rows: usize,
    pub(super) families: usize,
    pub(super) kept: Option<Cow<'static, [usize]>>,
    /// The rows that are derivatives of positions.
    pub(super) derivatives: Vec<usize>,
    /// What the attribute says about moments.
    pub(super) moment: Moment,
}

/// The settings of a method of moments.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    /// True for an event that counts where it rises, false where it falls.
    pub(super) rises: Option<bool>,
    /// The event of a reset, and the coordinate whose velocity it gives.
    pub(super) reset: Option<(Text, usize)>,
    /// The coefficients of restitution and friction of a gap: elastic and smooth unless declared.
    pub(super) restitution: f64,
    pub(super) friction: f64,
}

/// The rows of all methods for constraints on positions, or on velocities.
#[derive(Debug, Default)]
pub(super) struct ConstraintRows {
    pub(super) methods: Vec<ConstraintMethod>,
    count: u32,
}

impl ConstraintRows {
    pub(super) fn count(&self) -> usize {
        self.count as usize
    }

    pub(super) fn name_of(&self, row: usize) -> String {
        match self.methods.iter().find(|method| (method.first..method.first + method.rows).contains(&row)) {
            Some(method) if method.rows == 1 => method.name.to_string(),
            Some(method) => format!("{}[{}]", method.name, row - method.first),
            None => format!("#{row}"),
        }
    }

    fn begin(&mut self, name: Text) {
        self.methods.push(ConstraintMethod {
            name,
            first: self.count(),
            rows: 0,
            families: 0,
            kept: None,
            derivatives: Vec::new(),
            moment: Moment { rises: None, reset: None, restitution: 1.0, friction: 0.0 },
        });
    }

    fn next(&mut self) -> u32 {
        self.count += 1;
        self.count - 1
    }

    fn keep(&mut self, components: Cow<'static, [usize]>) {
        if let Some(method) = self.methods.last_mut() {
            method.kept = Some(components);
        }
    }

    fn end(&mut self) {
        let rows = self.count();
        if let Some(method) = self.methods.last_mut() {
            method.rows = rows - method.first;
        }
    }

    fn count_family(&mut self) {
        if let Some(method) = self.methods.last_mut() {
            method.families += 1;
        }
    }
}

impl Binder {
    /// For a system that may take `memory` bytes.
    pub(super) fn within(memory: u64) -> Self {
        Self { budget: Budget::within(memory), ..Self::default() }
    }

    /// The memory in bytes that the next family may take.
    pub fn room(&self) -> u64 {
        self.budget.room()
    }

    /// Declares the next coordinate.
    ///
    /// # Errors
    /// It has more entries than indices can number, or than memory holds.
    pub fn coordinate(&mut self, name: &str, kind: Kind, lengths: &[usize]) -> Result<(), BindError> {
        let size = lengths.iter().try_fold(kind.components(), |size, &length| size.checked_mul(length));
        let total = size.and_then(|size| size.checked_add(self.layout.dimension()));
        let (Some(size), Some(..=LIMIT)) = (size, total) else {
            return Err(BindError::TooLarge { coordinate: name.to_owned(), limit: LIMIT });
        };
        let bytes = size as u64 * OF_FREEDOM;
        self.budget.ask(bytes, || format!("the {size} degrees of freedom of `{name}`"), SMALLER)?;
        self.budget.take(bytes);
        self.layout.push(name, kind, lengths.to_vec());
        Ok(())
    }

    /// The items of a loop.
    ///
    /// # Errors
    /// There are more than the number of elements can be.
    pub fn items<I: IntoIterator>(&self, items: I, place: &str) -> Result<I::IntoIter, BindError> {
        let items = items.into_iter();
        if items.size_hint().0 > ELEMENTS {
            return Err(BindError::TooManyElements { place: place.to_owned(), limit: ELEMENTS });
        }
        Ok(items)
    }

    /// Ends the coordinates of a model.
    ///
    /// # Errors
    /// Nothing moves.
    pub fn moves(&self, model: &str) -> Result<(), BindError> {
        if self.layout.dimension() == 0 {
            return Err(BindError::Empty { model: model.to_owned() });
        }
        Ok(())
    }

    /// The number n of degrees of freedom.
    pub fn dimension(&self) -> u32 {
        self.layout.dimension() as u32
    }

    /// The index in q of the first component of an entry.
    ///
    /// # Errors
    /// An index is outside its array.
    pub fn entry(&self, coordinate: usize, indices: &[usize], place: &str) -> Result<u32, BindError> {
        let entry = self.layout.coordinates()[coordinate].entry(indices);
        let refused = |source| BindError::IndexOutOfRange { place: place.to_owned(), source };
        entry.map(|at| at as u32).map_err(refused)
    }

    /// Declares the next signal.
    ///
    /// # Errors
    /// Its slope is needed, and it jumps.
    pub fn signal(&mut self, name: impl Into<Text>, signal: &Signal, used: Use) -> Result<(), BindError> {
        self.signals.push(name.into(), signal, used)
    }

    /// Makes the last coordinate an input, whose value is an average of the signal.
    pub fn sampled(&mut self, signal: &Signal) {
        self.sampled.push((self.layout.dimension() - 1, signal.clone()));
    }

    /// Begins a family of the kinetic energy.
    pub fn begin_kinetic(
        &mut self,
        name: impl Into<Text>,
        reads: &[&str],
        variables: usize,
        operations: u32,
    ) {
        self.kinetic.push(FamilySummary {
            name: name.into(),
            reads: reads.iter().map(|&text| text.to_owned()).collect(),
            elements: 0,
            smoothness: Smoothness::Smooth,
            range: None,
            variables,
            operations: [operations, 0, 0, 0],
        });
    }

    /// Counts an element of the last kinetic family.
    pub fn kinetic_element(&mut self) {
        if let Some(family) = self.kinetic.last_mut() {
            family.elements += 1;
        }
    }

    /// Adds `value` to the entry (row, column) of the mass matrix, in its lower or upper triangle.
    ///
    /// # Errors
    /// The value is not finite, or memory does not hold the entries.
    pub fn mass(&mut self, row: u32, column: u32, value: f64, place: &str) -> Result<(), BindError> {
        if !value.is_finite() {
            return Err(BindError::CoefficientNotFinite { place: place.to_owned(), value });
        }
        if self.mass.len().is_multiple_of(OFTEN) {
            let entries = self.mass.len() as u64;
            self.budget.ask(
                entries * OF_MASS,
                || format!("{entries} entries of the mass and more"),
                SMALLER,
            )?;
        }
        self.mass.push((row as usize, column as usize, value));
        Ok(())
    }

    /// Adds a family of the kinetic energy with constant mass that reads sums.
    pub fn mass_of_sums(&mut self, mut family: Family) {
        family.finish();
        self.budget.take(family.bytes());
        self.kinetic.push(family.summary());
        self.mass_of_sums.push(family);
    }

    /// Begins a stage; each row has `sums` sums.
    pub fn begin_collective(&mut self, reader: Reader, name: impl Into<Text>, sums: u32) {
        self.reader = Some(reader);
        let stages = self.stages_of(reader);
        let first = stages.last().map_or(0, |stage| stage.first + stage.sums());
        stages.push(FoundStage::new(name.into(), first, sums));
    }

    /// The rows of the last stage are angles with this number, which runs follow; they jump by `period`.
    pub fn follow_collective(&mut self, number: usize, period: f64) {
        if let Some(stage) = self.last_stage() {
            stage.turn = Some(Turn { declaration: 0, place: number, period });
        }
    }

    fn stages_of(&mut self, reader: Reader) -> &mut Vec<FoundStage> {
        match reader {
            Reader::Positions => &mut self.stages,
            Reader::Motion => &mut self.moving,
        }
    }

    fn last_stage(&mut self) -> Option<&mut FoundStage> {
        let reader = self.reader?;
        self.stages_of(reader).last_mut()
    }

    /// The number of arguments before the sums, for functions of (q, t) or of (q, v, t).
    fn arguments(&self, reader: Reader) -> u32 {
        match reader {
            Reader::Positions => self.dimension(),
            Reader::Motion => 2 * self.dimension() + 1,
        }
    }

    /// Takes the next row of the last stage, in these rounds of the loops around it.
    ///
    /// # Errors
    /// There are more rows than indices can number, or than memory holds.
    pub fn collective_row(&mut self, rounds: &[usize], place: &str) -> Result<u32, BindError> {
        let before = self.reader.map_or(0, |reader| self.arguments(reader)) as usize;
        let Some(stage) = self.last_stage() else { return Ok(0) };
        let rows = stage.first as usize + stage.width as usize * (stage.rows as usize + 1);
        if before + rows > 2 * LIMIT {
            return Err(BindError::TooManyElements { place: place.to_owned(), limit: LIMIT });
        }
        let row = stage.next(rounds);
        if (row as usize).is_multiple_of(OFTEN) {
            let bytes = rows as u64 * OF_A_COLLECTIVE;
            self.budget.ask(bytes, || format!("{rows} sums of `{place}` and more"), SMALLER)?;
        }
        Ok(row)
    }

    /// Takes the first row of partial sums, which is empty:
    /// each row has one item more than the row before it.
    ///
    /// # Errors
    /// The errors of [`collective_row`](Self::collective_row).
    pub fn first_partial_sum(&mut self, rounds: &[usize], place: &str) -> Result<(), BindError> {
        let row = self.collective_row(rounds, place)?;
        if let Some(stage) = self.last_stage() {
            stage.starts.push(row);
        }
        Ok(())
    }

    /// Adds a family of sums to the last stage.
    pub fn collective_family(&mut self, family: Family) {
        self.budget.take(family.bytes());
        if let Some(stage) = self.last_stage() {
            stage.push(family);
        }
    }

    /// The number within the last stage of the row of these rounds of the loops around it.
    ///
    /// # Errors
    /// None.
    pub fn row_of_collective(&mut self, rounds: &[usize], _place: &str) -> Result<u32, BindError> {
        self.last_stage().map_or(Ok(0), |stage| stage.row(rounds))
    }

    /// Adds a sum over near pairs to the last stage.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn near_collective(&mut self, family: NearFamily) -> Result<(), BindError> {
        let family = self.finished(family)?;
        if let Some(stage) = self.last_stage() {
            stage.elements.near.push(family);
        }
        Ok(())
    }

    /// The index in z of a sum of a stage, in these rounds of the loops around it.
    ///
    /// # Errors
    /// None.
    pub fn collective(
        &self,
        reader: Reader,
        (stage, sum): (usize, u32),
        rounds: &[usize],
        _place: &str,
    ) -> Result<u32, BindError> {
        let stages = match reader {
            Reader::Positions => &self.stages,
            Reader::Motion => &self.moving,
        };
        let stage = &stages[stage];
        Ok(self.arguments(reader) + stage.first + sum * stage.rows + stage.row(rounds)?)
    }

    /// Adds a family of the potential.
    pub fn potential(&mut self, mut family: Family) {
        family.finish();
        family.sort();
        self.budget.take(family.bytes());
        self.potential.families.push(family);
    }

    /// Adds a family of the stiff part of the potential.
    pub fn stiff(&mut self, mut family: Family) {
        family.finish();
        family.sort();
        self.budget.take(family.bytes());
        self.stiff.families.push(family);
    }

    /// Begins a sum over near pairs: points with this many components, nearer than the cutoff.
    ///
    /// # Errors
    /// The cutoff is not positive and finite.
    pub fn near_points(
        &self,
        place: impl Into<Text>,
        cutoff: f64,
        dimension: usize,
    ) -> Result<NearPoints, BindError> {
        NearPoints::new(place, cutoff, dimension)
    }

    /// Adds a sum over near pairs to the potential.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn near_potential(&mut self, family: NearFamily) -> Result<(), BindError> {
        let family = self.finished(family)?;
        self.potential.near.push(family);
        Ok(())
    }

    /// Adds a sum over near pairs to the stiff part of the potential.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn near_stiff(&mut self, family: NearFamily) -> Result<(), BindError> {
        let family = self.finished(family)?;
        self.stiff.near.push(family);
        Ok(())
    }

    /// Completes a sum over near pairs; it shares lists with the others.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(super) fn finished(&mut self, mut family: NearFamily) -> Result<NearFamily, BindError> {
        family.finish();
        family.share(&mut self.ranges);
        let bytes = family.bytes();
        self.budget.ask(bytes, || family.name().to_owned(), SMALLER)?;
        self.budget.take(bytes);
        Ok(family)
    }

    /// Adds a family of L(q, v, t) that is neither mass nor potential.
    pub fn general(&mut self, mut family: Family) {
        family.finish();
        family.sort();
        self.budget.take(family.bytes());
        self.general.push(family);
    }

    /// Begins the rows of a method.
    pub fn begin_rows(&mut self, of: RowsOf, name: impl Into<Text>) {
        self.rows[of as usize].rows.begin(name.into());
    }

    /// Takes the next row of a method.
    pub fn row_of(&mut self, of: RowsOf) -> u32 {
        self.rows[of as usize].rows.next()
    }

    /// Takes the next row of constraints on velocities, which is the derivative of a position.
    pub fn row_of_derivative(&mut self) -> u32 {
        let row = self.row_of(RowsOf::Nonholonomic);
        if let Some(method) = self.rows[RowsOf::Nonholonomic as usize].rows.methods.last_mut() {
            method.derivatives.push(row as usize - method.first);
        }
        row
    }

    /// Sets the independent components of the matrices of the last method.
    pub fn kept_components(&mut self, of: RowsOf, components: impl Into<Cow<'static, [usize]>>) {
        self.rows[of as usize].rows.keep(components.into());
    }

    /// The last event counts where it rises, or where it falls.
    pub fn passes(&mut self, rises: bool) {
        self.moment(RowsOf::Event, |moment| moment.rises = Some(rises));
    }

    /// The last reset gives the velocities of a coordinate behind an event.
    pub fn reset_at(&mut self, event: impl Into<Text>, coordinate: usize) {
        self.moment(RowsOf::Reset, |moment| moment.reset = Some((event.into(), coordinate)));
    }

    /// A coefficient of the last gap.
    ///
    /// # Errors
    /// A restitution is not in [0, 1], or a friction is negative or not finite.
    pub fn contact(&mut self, name: &str, value: f64, place: &str) -> Result<(), BindError> {
        let is_restitution = name == "restitution";
        let interval = if is_restitution { "[0, 1]" } else { "[0, ∞)" };
        let is_inside = if is_restitution { (0.0..=1.0).contains(&value) } else { value >= 0.0 };
        if !is_inside || !value.is_finite() {
            return Err(BindError::ContactOutOfRange { place: place.to_owned(), value, interval });
        }
        self.moment(RowsOf::Unilateral, |Moment { restitution, friction, .. }| {
            *(if is_restitution { restitution } else { friction }) = value;
        });
        Ok(())
    }

    fn moment(&mut self, of: RowsOf, set: impl FnOnce(&mut Moment)) {
        if let Some(method) = self.rows[of as usize].rows.methods.last_mut() {
            set(&mut method.moment);
        }
    }

    /// Ends the rows of a method.
    pub fn end_rows(&mut self, of: RowsOf) {
        self.rows[of as usize].rows.end();
    }

    /// Adds a family of rows of the last method.
    pub fn rows_of(&mut self, of: RowsOf, mut family: Family) {
        family.finish();
        let found = &mut self.rows[of as usize];
        found.rows.count_family();
        self.budget.take(family.bytes() + family.row_bytes());
        found.families.push(family);
    }

    /// Declares the fast phase θ = ω t + θ₀.
    ///
    /// # Errors
    /// One of the numbers is not finite.
    pub fn phase(&mut self, frequency: f64, initial: f64) -> Result<(), BindError> {
        for (value, place) in [(frequency, "the frequency"), (initial, "the phase")] {
            if !value.is_finite() {
                return Err(BindError::CoefficientNotFinite { place: place.to_owned(), value });
            }
        }
        self.phase = Some([frequency, initial]);
        Ok(())
    }

    /// Begins the components of a force on a coordinate.
    pub fn begin_force(&mut self, name: impl Into<Text>, coordinate: usize) {
        self.begin_method(name.into(), Some(coordinate));
    }

    /// The degree of freedom of the next component of the last force.
    pub fn force_row(&mut self) -> u32 {
        let Some(method) = self.force_methods.last_mut() else { return 0 };
        let Some(coordinate) = method.coordinate else { return 0 };
        let coordinate = &self.layout.coordinates()[coordinate];
        // Surplus components are counted, and refused at the end.
        let row = coordinate.offset + method.components.min(coordinate.size().saturating_sub(1));
        method.components += 1;
        row as u32
    }

    /// Ends the components of the last force.
    ///
    /// # Errors
    /// The force has more or fewer components than the coordinate.
    pub fn end_force(&mut self) -> Result<(), BindError> {
        let Some(method) = self.force_methods.last() else { return Ok(()) };
        let Some(coordinate) = method.coordinate else { return Ok(()) };
        let coordinate = &self.layout.coordinates()[coordinate];
        let (expected, found) = (coordinate.size(), method.components);
        if expected == found {
            return Ok(());
        }
        Err(BindError::ForceLength {
            force: method.name.to_string(),
            coordinate: coordinate.name.clone(),
            expected,
            found,
        })
    }

    /// Adds a family of the last force.
    pub fn force(&mut self, family: Family) {
        let family = self.family_of_force(family);
        self.forces.push(family);
    }

    /// Begins a dissipation.
    pub fn begin_dissipation(&mut self, name: impl Into<Text>) {
        self.begin_method(name.into(), None);
    }

    fn begin_method(&mut self, name: Text, coordinate: Option<usize>) {
        self.force_methods.push(ForceMethod { name, coordinate, components: 0, families: 0, functions: 0 });
    }

    /// Adds a family of the force of the last dissipation.
    pub fn dissipation(&mut self, family: Family) {
        let family = self.family_of_force(family);
        self.dissipations.push(family);
    }

    /// Adds a family of D of the last dissipation, which reads sums.
    pub fn dissipated(&mut self, mut family: Family) {
        family.finish();
        family.sort();
        if let Some(method) = self.force_methods.last_mut() {
            method.functions += 1;
        }
        self.budget.take(family.bytes());
        self.dissipated.push(family);
    }

    fn family_of_force(&mut self, mut family: Family) -> Family {
        family.finish();
        if let Some(method) = self.force_methods.last_mut() {
            method.families += 1;
        }
        self.budget.take(family.bytes() + family.row_bytes());
        family
    }
}

/// Rust without coordinates that is used as a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is used as a number beside coordinates, but it is not `f64`",
    label = "this must be `f64`",
    note = "convert it: `f64::from(…)` or `… as f64`"
)]
pub trait Coefficient {
    /// The value.
    fn number(self) -> f64;
}

impl Coefficient for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl<T: Coefficient + Copy> Coefficient for &T {
    fn number(self) -> f64 {
        (*self).number()
    }
}

/// The value of a coefficient.
pub fn coefficient(value: impl Coefficient) -> f64 {
    value.number()
}

/// Requires that `switched` ends after the place where it begins to fall.
///
/// # Errors
/// It does not, or a distance is NaN.
pub fn switch(on: f64, off: f64, place: &str) -> Result<(), BindError> {
    if on < off { Ok(()) } else { Err(BindError::SwitchOutOfOrder { place: place.to_owned(), on, off }) }
}

/// The item of an iterator at `index`, for `each(…)[index]`.
///
/// # Errors
/// The iterator is shorter.
pub fn nth<I: IntoIterator>(items: I, index: usize) -> Result<I::Item, BindError> {
    items.into_iter().nth(index).ok_or(BindError::EachTooShort { index })
}
