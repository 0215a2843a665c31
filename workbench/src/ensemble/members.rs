//! The members of a plan, with their settings.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use serde_json::{Map, Value};

use super::axis::{Axis, number};
use super::draw::{self, Distribution, Draws};
use super::plan::{Plan, TableFile};
use super::table;
use crate::error::{Error, Result};
use crate::settings::twice;

/// The members that a thread takes at once: as many as stand in a register.
pub(super) const BLOCK: u64 = 8;
/// The most members of a plan.
const MOST: u64 = 1_000_000_000;

/// A target of a member's setting, by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// A parameter of the model.
    Parameter(String),
    /// An option of the method.
    Option(String),
    /// A number of the start: `t`, the name of a coordinate, or one behind `der.`.
    Start(String),
    /// The seed of the method's random numbers.
    Seed,
    /// The time step.
    Step,
    /// The time until which it runs, or the number of its steps.
    Until,
    Steps,
    /// The name of the member, which sets nothing: a column of the table.
    Label(String),
}

impl Target {
    fn read(name: &str) -> Result<Self, String> {
        let prefixed =
            |prefix: &str| name.strip_prefix(prefix).filter(|rest| !rest.is_empty()).map(str::to_owned);
        match name {
            "seed" => Ok(Self::Seed),
            "step" => Ok(Self::Step),
            "until" => Ok(Self::Until),
            "steps" => Ok(Self::Steps),
            _ => prefixed("set.")
                .map(Self::Parameter)
                .or_else(|| prefixed("with.").map(Self::Option))
                .or_else(|| prefixed("start.").map(Self::Start))
                .ok_or_else(|| {
                    format!(
                        "`{name}` is nothing that members differ by: write \"set.PARAMETER\", \"with.OPTION\", \"start.COORDINATE\", \
                         \"start.der.COORDINATE\", \"start.t\", \"seed\", \"step\", \"until\" or \"steps\""
                    )
                }),
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Parameter(name) => write!(formatter, "set.{name}"),
            Self::Option(name) => write!(formatter, "with.{name}"),
            Self::Start(name) => write!(formatter, "start.{name}"),
            Self::Seed => formatter.write_str("seed"),
            Self::Step => formatter.write_str("step"),
            Self::Until => formatter.write_str("until"),
            Self::Steps => formatter.write_str("steps"),
            Self::Label(column) => formatter.write_str(column),
        }
    }
}

/// The settings of one member, in the order of the plan.
pub(super) type Settings = Vec<(Target, Value)>;

/// One way to make members; a plan takes the product of its ways.
#[derive(Debug)]
enum Factor {
    /// All combinations of the values of several axes; the last runs fastest.
    Grid(Vec<(Target, Axis)>),
    /// Each row by itself: of a list, or of a table.
    Rows(Vec<Settings>),
    /// Numbers that are drawn.
    Random { targets: Vec<Target>, draws: Draws, count: u64 },
}

impl Factor {
    /// None where it is more than can be counted.
    fn count(&self) -> Option<u64> {
        match self {
            Self::Grid(axes) => {
                axes.iter().try_fold(1_u64, |count, (_, axis)| count.checked_mul(axis.count()))
            }
            Self::Rows(rows) => Some(rows.len() as u64),
            Self::Random { count, .. } => Some(*count),
        }
    }

    fn targets(&self) -> BTreeSet<&Target> {
        match self {
            Self::Grid(axes) => axes.iter().map(|(target, _)| target).collect(),
            Self::Rows(rows) => rows.iter().flatten().map(|(target, _)| target).collect(),
            Self::Random { targets, .. } => targets.iter().collect(),
        }
    }

    /// True if a target that it sets is a number for each member.
    fn sets_numbers(&self, target: &Target) -> bool {
        match self {
            Self::Grid(axes) => axes.iter().all(|(known, axis)| known != target || axis.is_of_numbers()),
            Self::Rows(rows) => {
                let mut settings = rows.iter().flatten().filter(|(known, _)| known == target);
                settings.all(|(_, value)| value.is_number())
            }
            Self::Random { .. } => true,
        }
    }

    /// All values that are written out.
    fn values(&self) -> Vec<(&Target, &Value)> {
        match self {
            Self::Grid(axes) => {
                let all = axes
                    .iter()
                    .flat_map(|(target, axis)| axis.listed().iter().map(move |value| (target, value)));
                all.collect()
            }
            Self::Rows(rows) => rows.iter().flatten().map(|(target, value)| (target, value)).collect(),
            Self::Random { .. } => Vec::new(),
        }
    }

    fn settings(&self, mut index: u64) -> Settings {
        match self {
            Self::Grid(axes) => {
                let mut settings: Settings = Vec::with_capacity(axes.len());
                for (target, axis) in axes.iter().rev() {
                    settings.push((target.clone(), axis.at(index % axis.count())));
                    index /= axis.count();
                }
                settings.reverse();
                settings
            }
            Self::Rows(rows) => rows[index as usize].clone(),
            Self::Random { targets, draws, .. } => {
                targets.iter().cloned().zip(draws.of(index).into_iter().map(number)).collect()
            }
        }
    }
}

/// True if there is a text somewhere in a value.
fn has_text(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(items) => items.iter().any(has_text),
        Value::Object(fields) => fields.values().any(has_text),
        _ => false,
    }
}

/// The members of a plan.
#[derive(Debug)]
pub(super) struct Members {
    factors: Vec<Factor>,
    pub(super) count: u64,
    seed: u64,
    /// All that members differ by, in the order of the plan.
    pub(super) targets: Vec<Target>,
}

impl Members {
    /// # Errors
    /// The plan has no members or too many, or names a target that cannot be set, or a target twice; or
    /// a table cannot be read.
    pub(super) fn of(plan: &Plan, path: &Path) -> Result<Self> {
        let malformed = |reason: String| Error::malformed(path, reason);
        let mut factors = Vec::new();
        if let Some(grid) = &plan.grid {
            factors.push(grid_of(grid).map_err(malformed)?);
        }
        if let Some(list) = &plan.list {
            let rows: Result<Vec<Settings>, String> = list.iter().map(settings_of).collect();
            factors.push(Factor::Rows(rows.map_err(malformed)?));
        }
        if let Some(TableFile { file, columns, label }) = &plan.table {
            let columns = columns.as_ref().map(columns_of).transpose().map_err(malformed)?;
            let table = table::read(file, label.as_deref())?;
            let rows = rows_of(&table, columns.as_deref(), label.as_deref());
            factors.push(Factor::Rows(rows.map_err(|reason| Error::malformed(file, reason))?));
        }
        if let Some(random) = &plan.random {
            let drawn = |(name, value): (&String, &Value)| {
                let distribution = Distribution::read(value).map_err(|reason| format!("`{name}`: {reason}"));
                Ok((Target::read(name)?, distribution?))
            };
            let drawn: Result<Vec<_>, String> = random.draw.iter().map(drawn).collect();
            let (targets, distributions) = drawn.map_err(malformed)?.into_iter().unzip();
            let draws = Draws::new(distributions, plan.seed, random.sobol).map_err(malformed)?;
            factors.push(Factor::Random { targets, draws, count: random.count });
        }
        let mut targets: Vec<Target> = Vec::new();
        for factor in &factors {
            for target in factor.targets() {
                if targets.contains(target) {
                    return Err(malformed(format!("`{target}` is set in two ways; choose one of them")));
                }
                targets.push(target.clone());
            }
        }
        if [Target::Until, Target::Steps].iter().all(|target| targets.contains(target)) {
            return Err(malformed("`until` and `steps` both end a member; choose one of them".to_owned()));
        }
        let count = factors.iter().try_fold(1_u64, |count, factor| count.checked_mul(factor.count()?));
        match count {
            Some(0) => {
                Err(malformed("the plan has no members: a grid, list, table or count is empty".to_owned()))
            }
            Some(count) if count <= MOST => Ok(Self { factors, count, seed: plan.seed, targets }),
            count => {
                let words = count.map_or("more members than can be counted".to_owned(), |count| {
                    format!("{count} members")
                });
                Err(malformed(format!(
                    "the plan has {words}, and {MOST} is the most; make a grid coarser, or draw from it"
                )))
            }
        }
    }

    /// True if a target is a number for each member.
    pub(super) fn are_numbers(&self, target: &Target) -> bool {
        !matches!(target, Target::Label(_)) && self.factors.iter().all(|factor| factor.sets_numbers(target))
    }

    /// The values with texts that parameters of members have, each once: they may name files.
    pub(super) fn texts(&self) -> Vec<(&str, &Value)> {
        let mut known = HashSet::new();
        let all = self.factors.iter().flat_map(Factor::values);
        let of_parameters = all.filter_map(|(target, value)| match target {
            Target::Parameter(name) if has_text(value) => Some((&**name, value)),
            _ => None,
        });
        of_parameters.filter(|(name, value)| known.insert((*name, value.to_string()))).collect()
    }

    /// The settings of a member.
    pub(super) fn settings(&self, member: u64) -> Settings {
        let (mut rest, mut parts) = (member, Vec::with_capacity(self.factors.len()));
        for factor in self.factors.iter().rev() {
            // Their product was counted.
            let count = factor.count().unwrap_or(1);
            parts.push(factor.settings(rest % count));
            rest /= count;
        }
        parts.into_iter().rev().flatten().collect()
    }

    /// The seed of a member for its random method, unless the member sets one.
    pub(super) fn seed(&self, member: u64) -> u64 {
        draw::seed(self.seed, member)
    }
}

/// The axes of a grid: lists of values, or `{ from = 0, to = 1, count = 11 }`.
fn grid_of(grid: &Map<String, Value>) -> Result<Factor, String> {
    if grid.is_empty() {
        return Err("the grid is empty: give it an axis, such as \"set.gravity\" = [9.8, 9.9]".to_owned());
    }
    let axis = |(name, value): (&String, &Value)| {
        let axis = Axis::read(value, MOST).map_err(|reason| format!("`{name}`: {reason}"));
        Ok::<_, String>((Target::read(name)?, axis?))
    };
    Ok(Factor::Grid(grid.iter().map(axis).collect::<Result<_, _>>()?))
}

fn settings_of(row: &Map<String, Value>) -> Result<Settings, String> {
    row.iter().map(|(name, value)| Ok((Target::read(name)?, value.clone()))).collect()
}

/// The target of each column of a table.
fn columns_of(columns: &Map<String, Value>) -> Result<Vec<(Target, String)>, String> {
    let found = columns.iter().map(|(name, column)| match column {
        Value::String(column) => Ok((Target::read(name)?, column.clone())),
        other => Err(format!("`{name}`: {other} is no name of a column")),
    });
    found.collect()
}

/// The settings in each row of a table, and its name, if a column has names.
fn rows_of(
    table: &table::Table,
    columns: Option<&[(Target, String)]>,
    label: Option<&str>,
) -> Result<Vec<Settings>, String> {
    if let Some(name) = twice(&table.names) {
        return Err(format!("two of its columns are called `{name}`: rename or remove one"));
    }
    let found = |column: &str| {
        let place = table.names.iter().position(|name| name == column);
        place.ok_or_else(|| format!("there is no column `{column}`; there are: {}", table.names.join(", ")))
    };
    let mut chosen: Vec<(Target, usize)> = match columns {
        None => {
            let named = table.names.iter().enumerate().filter(|(_, name)| Some(name.as_str()) != label);
            named
                .map(|(place, name)| {
                    let target = Target::read(name).map_err(|reason| {
                        format!("{reason}; a plan chooses among other columns by `columns = {{ \"set.mass\" = \"m\" }}`")
                    })?;
                    Ok((target, place))
                })
                .collect::<Result<_, String>>()?
        }
        Some(columns) => columns
            .iter()
            .map(|(target, column)| Ok((target.clone(), found(column)?)))
            .collect::<Result<_, String>>()?,
    };
    if let Some(label) = label {
        chosen.push((Target::Label(label.to_owned()), found(label)?));
    }
    let settings = |row: &Vec<Value>| {
        chosen.iter().map(|(target, place)| (target.clone(), row[*place].clone())).collect()
    };
    Ok(table.rows.iter().map(settings).collect())
}
