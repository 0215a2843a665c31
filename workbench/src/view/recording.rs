//! Recorded trajectories, row by row: CSV, JSON, Parquet, and a member of an ensemble.

mod csv;
mod json;
#[cfg_attr(not(feature = "tables"), path = "../left_out/recording.rs")]
mod parquet;

use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use least_action::files;
use least_action::system::{Kind, Layout};
use least_action_pages::view::Moment;
use serde_json::{Map, Value};

use crate::error::{Error, Names, Result};
use crate::identity::Identity;
use crate::methods;
use crate::output;
use crate::places;
use crate::registry::Instance;

/// A recording that was opened.
pub(super) struct Recording {
    pub(super) path: PathBuf,
    source: Source,
    columns: Vec<Column>,
    /// The columns by their names.
    places: HashMap<String, usize>,
    /// Its knowledge of the run.
    pub(super) known: Option<Known>,
    /// The reason for which it is not known whose run it is, where that is strange.
    pub(super) doubt: Option<String>,
    /// How the run ended that was recorded, if that is not as it should and is known.
    ended: Ending,
}

/// The knowledge of a recording about its run.
pub(super) struct Known {
    pub(super) model: String,
    /// The parameters, whose files are named as they are from here.
    pub(super) settings: Vec<(String, Value)>,
    /// The whole identity, where the recording has one run.
    pub(super) run: Option<Identity>,
    /// The member of an ensemble that it is.
    pub(super) member: Option<Member>,
}

/// A member of an ensemble, and how it ran.
pub(super) struct Member {
    pub(super) number: u64,
    /// The member's own settings.
    pub(super) own: Map<String, Value>,
    pub(super) method: String,
    pub(super) options: Map<String, Value>,
    pub(super) step: f64,
}

/// Where rows come from.
enum Source {
    Csv,
    Json,
    Parquet { file: PathBuf, member: Option<u64> },
}

/// A column by its name.
pub(super) struct Column {
    name: String,
    /// True if it holds numbers, as far as is known before its cells are read.
    is_number: bool,
}

/// The columns that a page shows.
pub(super) struct Chosen {
    t: usize,
    q: Vec<usize>,
    /// The velocities; none where one is missing.
    v: Vec<usize>,
    measured: Vec<(String, usize)>,
}

/// How a recording ended, if that is not as it should.
pub(super) type Ending = Option<String>;

/// Takes a row.
pub(super) type Show<'s> = dyn FnMut(&Moment<'_>) -> Result + 's;

/// What takes the numbers of each row.
pub(crate) type ShowRow<'s> = dyn FnMut(&[f64]) -> Result + 's;

/// The columns beside time and positions that a page shows at most.
const MEASURED: usize = 12;
/// The longest row that is read, in bytes; a comma counts as many more as its number takes in memory.
const LONGEST: usize = 1 << 26;
const COMMA: usize = 16;

/// A file whose rows have an end: the memory of one without would have none.
struct Limited {
    file: File,
    /// The bytes that are left to a row.
    left: Rc<Cell<usize>>,
}

impl Limited {
    fn open(path: &Path) -> Result<(Self, Rc<Cell<usize>>)> {
        let file = files::open(path).map_err(|error| Error::unreadable(path, &error))?;
        let left = Rc::new(Cell::new(LONGEST));
        Ok((Self { file, left: Rc::clone(&left) }, left))
    }
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let commas = buffer[..read].split(|byte| *byte == b',').count() - 1;
        let left = self.left.get().checked_sub(read + COMMA * commas);
        self.left
            .set(left.ok_or_else(|| io::Error::other("a row of it is longer than those that are read"))?);
        Ok(read)
    }
}

impl Recording {
    /// Opens a file, or a dataset, of which a member is shown.
    pub(super) fn open(path: &Path, member: Option<u64>) -> Result<Self> {
        if path.is_dir() {
            return Self::member(path, member.unwrap_or(0));
        }
        if member.is_some() {
            let reason = "--member is one of the folder of an ensemble, and this is a file";
            return Err(Error::malformed(path, reason));
        }
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let mut first = Value::Null;
        let (source, columns) = match ending.as_deref() {
            Some("csv") => (Source::Csv, csv::columns(path)?),
            Some("json") => {
                first = json::first(path)?;
                (Source::Json, json::columns(path, &first)?)
            }
            Some("parquet") => {
                (Source::Parquet { file: path.to_owned(), member: None }, parquet::columns(path)?)
            }
            _ => {
                let reason = "a recording ends in .csv, .json or .parquet, or is the folder of an ensemble";
                return Err(Error::malformed(path, reason));
            }
        };
        let mut places = HashMap::new();
        for (column, place) in columns.iter().zip(0..) {
            let name = &column.name;
            if places.insert(name.clone(), place).is_some() {
                let reason = format!("two of its columns are called `{name}`: rename or remove one");
                return Err(Error::malformed(path, reason));
            }
        }
        let run = match source {
            Source::Csv => output::read_beside(path),
            Source::Json => Ok(first.get(output::RUN).map(Value::to_string)),
            Source::Parquet { .. } => Ok(parquet::metadata(path, places::KEY)?),
        };
        let (run, doubt) = run.map_or_else(|doubt| (None, Some(doubt)), |run| (run, None));
        let run = run.as_deref().and_then(Identity::read);
        let known = run.map(|run| Known {
            model: run.model.clone(),
            settings: run.settings(places::folder(path)),
            run: Some(run),
            member: None,
        });
        Ok(Self { path: path.to_owned(), source, columns, places, known, doubt, ended: None })
    }

    /// A member of the dataset in a folder.
    fn member(folder: &Path, member: u64) -> Result<Self> {
        let refuse = |reason: String| Error::malformed(folder, reason);
        let manifest = manifest(folder)?;
        let number = |name: &str| manifest[name].as_u64();
        let numbers = (number("members"), number("members_per_part"), number("parts_per_file"));
        let (Some(members), Some(in_part), Some(per_file)) = numbers else {
            return Err(refuse("its manifest is none of an ensemble".to_owned()));
        };
        if member >= members {
            return Err(refuse(format!("it has {members} members, numbered from 0, and no member {member}")));
        }
        if manifest["plan"]["path"] != Value::Bool(true) {
            return Err(refuse("its plan kept no moments of its members: `path = true` does".to_owned()));
        }
        let names = places::files_of(member / in_part.max(1), per_file.max(1));
        let find = |table: &str| {
            let mut files = names.iter().map(|name| folder.join(table).join(name));
            files.find(|file| file.exists())
        };
        let (Some(file), Some(row)) = (find("_path"), find("members")) else {
            return Err(refuse(format!("member {member} has not run yet")));
        };
        let mut settings: Vec<(String, Value)> = match &manifest["plan"]["set"] {
            Value::Object(set) => set.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            _ => Vec::new(),
        };
        let parquet::Member { own, error, has_run } = parquet::member(&row, member)?;
        let set =
            |(name, value): &(String, Value)| Some((name.strip_prefix("set.")?.to_owned(), value.clone()));
        settings.extend(own.iter().filter_map(set));
        for input in manifest["inputs"].as_array().into_iter().flatten() {
            if let (Some(name), Some(file)) = (input["name"].as_str(), input["file"].as_str()) {
                let here = folder.join(file);
                settings.iter_mut().for_each(|(_, value)| {
                    places::replace(value, name, &here.to_string_lossy());
                });
            }
        }
        let failed = error.map(|error| format!("member {member} failed: {error}"));
        if let Some(failed) = failed.as_ref().filter(|_| !has_run) {
            return Err(refuse(format!(
                "{failed}; choose a member without an `error` in its row, or change the plan and run it into another folder"
            )));
        }
        let columns = parquet::columns(&file)?;
        let places = columns.iter().map(|column| column.name.clone()).zip(0..).collect();
        let source = Source::Parquet { file, member: Some(member) };
        let model = manifest["plan"]["model"].as_str().map(str::to_owned);
        let plan = &manifest["plan"];
        let step = own.iter().find(|(name, _)| name == "step").map_or(&plan["step"], |(_, step)| step);
        let member = Member {
            number: member,
            method: plan["method"].as_str().unwrap_or_default().to_owned(),
            options: plan["with"].as_object().cloned().unwrap_or_default(),
            step: step.as_f64().unwrap_or(f64::NAN),
            own: own.into_iter().collect(),
        };
        let known = model.map(|model| Known { model, settings, run: None, member: Some(member) });
        Ok(Self { path: folder.to_owned(), source, columns, places, known, doubt: None, ended: failed })
    }

    /// The method of its run, where it is known.
    pub(super) fn method(&self) -> Option<&str> {
        let known = self.known.as_ref()?;
        known.run.as_ref().map(|run| &*run.method).or(known.member.as_ref().map(|member| &*member.method))
    }

    /// The columns that a page of a model shows.
    pub(super) fn columns_of(&self, instance: &Instance) -> Result<Chosen> {
        let layout = instance.system.lagrangian().layout();
        let all = self.by_name(instance)?;
        let q = (0..layout.dimension()).map(|index| {
            let name = layout.name_of(index);
            all.get(&name).copied().ok_or_else(|| {
                let reason = format!(
                    "it has no column `{name}`, as `{}` needs it: --set gives the model the parameters of the run",
                    instance.name
                );
                Error::malformed(&self.path, reason)
            })
        });
        let q = q.collect::<Result<_, _>>()?;
        self.chosen(q)
    }

    /// All columns by the names of the model, also where its coordinates have an order instead of names.
    pub(super) fn named(&self, instance: &Instance) -> Result<Vec<(String, usize)>> {
        let layout = instance.system.lagrangian().layout();
        let has = self.columns.iter().filter(|column| column.name.starts_with("q[")).count();
        let needs = layout.dimension();
        let is_by_order = matches!(self.source, Source::Json) && has > 0;
        if is_by_order && has != needs {
            let reason = format!(
                "its rows have {has} coordinates, and `{}` has {needs}: --set gives it the parameters of the run",
                instance.name
            );
            return Err(Error::malformed(&self.path, reason));
        }
        let entry = |column: &str, prefix: &str| {
            let index = column.strip_prefix(prefix)?.strip_suffix(']')?.parse().ok()?;
            (is_by_order && index < needs).then(|| layout.name_of(index))
        };
        let name = |Column { name, .. }: &Column| {
            let velocity = || entry(name, "v[").map(|name| format!("der.{name}"));
            entry(name, "q[").or_else(velocity).unwrap_or_else(|| name.clone())
        };
        Ok(self.columns.iter().map(name).zip(0..).filter(|(name, _)| name != "t").collect())
    }

    fn by_name(&self, instance: &Instance) -> Result<HashMap<String, usize>> {
        Ok(self.named(instance)?.into_iter().collect())
    }

    /// The columns of these names, as if they were measured.
    pub(super) fn columns_by(&self, instance: &Instance, names: &[String]) -> Result<Chosen> {
        let t = self.time()?;
        let all = self.by_name(instance)?;
        let find = |name: &String| {
            let place = all.get(name).copied().ok_or_else(|| self.lacks(&format!("column `{name}`")))?;
            Ok::<_, Error>((name.clone(), place))
        };
        let measured = names.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Chosen { t, q: Vec::new(), v: Vec::new(), measured })
    }

    /// The coordinates by the names of the columns, for a recording of which no model is known.
    pub(super) fn layout(&self) -> Result<(Layout, Chosen)> {
        let is_coordinate =
            |name: &str| name.starts_with("q[") || self.places.contains_key(&format!("der.{name}"));
        let q: Vec<usize> =
            (0..self.columns.len()).filter(|k| is_coordinate(&self.columns[*k].name)).collect();
        let mut layout = Layout::new();
        let names: Vec<&str> = q.iter().map(|k| self.columns[*k].name.as_str()).collect();
        let mut rest = names.as_slice();
        while let Some(first) = rest.first() {
            let kind = [(Kind::Mat3, "[(0, 0)]"), (Kind::Vec3, ".x"), (Kind::Vec2, ".x")]
                .into_iter()
                .find(|(kind, mark)| first.ends_with(mark) && is_entry(rest, *kind))
                .map_or(Kind::Scalar, |(kind, _)| kind);
            let root = root(first);
            let entries = rest.chunks(kind.components()).take_while(|entry| {
                entry.first().is_some_and(|name| self::root(name) == root)
                    && (kind == Kind::Scalar || is_entry(entry, kind))
            });
            let entries = entries.count();
            let lengths = if first[root.len()..].starts_with('[') && kind != Kind::Mat3 || entries > 1 {
                vec![entries]
            } else {
                Vec::new()
            };
            layout.push(root, kind, lengths);
            rest = &rest[entries * kind.components()..];
        }
        Ok((layout, self.chosen(q)?))
    }

    /// All columns that are numbers: the coordinates by their names, and behind them, as if they were
    /// measured, the velocities that there are and the rest.
    #[cfg(feature = "python")]
    pub(super) fn everything(&self) -> Result<(Vec<String>, Chosen)> {
        let (_, Chosen { t, q, .. }) = self.layout()?;
        let coordinates: Vec<String> = q.iter().map(|k| self.columns[*k].name.clone()).collect();
        let others = self.others(t, &q);
        let measured = others.map(|(k, Column { name, .. })| {
            let place = name.strip_prefix("v[").and_then(|rest| rest.strip_suffix(']')?.parse().ok());
            let own = place.and_then(|place: usize| coordinates.get(place));
            (own.map_or_else(|| name.clone(), |own| format!("der.{own}")), k)
        });
        let measured = measured.collect();
        Ok((coordinates, Chosen { t, q, v: Vec::new(), measured }))
    }

    /// The column of the time.
    fn time(&self) -> Result<usize> {
        self.places.get("t").copied().ok_or_else(|| self.lacks("column `t`, the time"))
    }

    fn lacks(&self, what: &str) -> Error {
        let columns: Names = self.columns.iter().take(8).map(|column| column.name.as_str()).collect();
        Error::malformed(&self.path, format!("it has no {what}; its columns are: {columns}"))
    }

    /// The columns of numbers beside these.
    fn others(&self, t: usize, q: &[usize]) -> impl Iterator<Item = (usize, &Column)> {
        let mut taken = vec![false; self.columns.len()];
        q.iter().chain([&t]).for_each(|k| taken[*k] = true);
        let columns = self.columns.iter().enumerate();
        columns.filter(move |(k, column)| !taken[*k] && column.is_number && column.name != "member")
    }

    fn chosen(&self, q: Vec<usize>) -> Result<Chosen> {
        let t = self.time()?;
        let left_out = if self.method().is_some_and(methods::averages) { "energy" } else { "" };
        let of_velocity = ["der.", "lambda.", "mu.", "v["];
        let others = self.others(t, &q).filter(|(_, Column { name, .. })| {
            name.as_str() != left_out && !of_velocity.iter().any(|prefix| name.starts_with(prefix))
        });
        let measured: Vec<(String, usize)> =
            others.map(|(k, column)| (column.name.clone(), k)).take(MEASURED).collect();
        let v = q.iter().map(|k| {
            let name = &self.columns[*k].name;
            let derivative = match name.strip_prefix("q[") {
                Some(place) => format!("v[{place}"),
                None => format!("der.{name}"),
            };
            self.places.get(&derivative).copied()
        });
        let v = v.collect::<Option<Vec<usize>>>().unwrap_or_default();
        if q.is_empty() && measured.is_empty() {
            return Err(Error::malformed(&self.path, "it has nothing beside the time"));
        }
        Ok(Chosen { t, q, v, measured })
    }

    /// Shows all rows, and says if they end early.
    pub(super) fn for_each(&mut self, chosen: &Chosen, show: &mut Show<'_>) -> Result<Ending> {
        let wanted: Vec<usize> = chosen.all().collect();
        let q = 1..1 + chosen.q.len();
        let v = q.end..q.end + chosen.v.len();
        let (path, mut number, mut before) = (&self.path, 0_u64, f64::NEG_INFINITY);
        let mut row = |numbers: &[f64]| {
            let t = numbers[0];
            number += 1;
            if !t.is_finite() {
                return Err(Error::malformed(path, format!("row {number} has no time: `t` is {t}")));
            }
            if t < before {
                let reason =
                    format!("row {number} goes back in time, from {before} to {t}: sort the rows by `t`");
                return Err(Error::malformed(path, reason));
            }
            before = t;
            let [q, v, measured] = [&numbers[q.clone()], &numbers[v.clone()], &numbers[v.end..]];
            show(&Moment { t, q, v, measured })
        };
        let ending = match &self.source {
            Source::Csv => csv::for_each(&self.path, &wanted, &mut row),
            Source::Json => json::for_each(&self.path, &wanted, &mut row),
            Source::Parquet { file, member } => parquet::for_each(file, &wanted, *member, &mut row),
        };
        Ok(ending?.or_else(|| self.ended.clone()))
    }
}

impl Chosen {
    /// The names of the measured quantities.
    pub(super) fn names(&self) -> Vec<String> {
        self.measured.iter().map(|(name, _)| name.clone()).collect()
    }

    fn all(&self) -> impl Iterator<Item = usize> + '_ {
        let measured = self.measured.iter().map(|(_, column)| *column);
        std::iter::once(self.t).chain(self.q.iter().chain(&self.v).copied()).chain(measured)
    }
}

/// The manifest of the dataset in a folder.
pub(crate) fn manifest(folder: &Path) -> Result<Value> {
    let path = folder.join("manifest.parquet");
    let text = parquet::metadata(&path, places::KEY)?.unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| Error::malformed(&path, error))
}

/// The name of a coordinate without the number of its entry and the name of its component.
pub(crate) fn root(name: &str) -> &str {
    let end = name.find(['[', '.']).unwrap_or(name.len());
    &name[..end]
}

/// True if names begin with the components of one entry.
fn is_entry(names: &[&str], kind: Kind) -> bool {
    let components: &[&str] = match kind {
        Kind::Vec2 => &[".x", ".y"],
        Kind::Vec3 => &[".x", ".y", ".z"],
        Kind::Mat3 => &[
            "[(0, 0)]", "[(0, 1)]", "[(0, 2)]", "[(1, 0)]", "[(1, 1)]", "[(1, 2)]", "[(2, 0)]", "[(2, 1)]",
            "[(2, 2)]",
        ],
        Kind::Scalar | Kind::Angle => return !names.is_empty(),
    };
    let Some(entry) = names.first().and_then(|name| name.strip_suffix(components[0])) else { return false };
    components
        .iter()
        .enumerate()
        .all(|(k, component)| names.get(k).and_then(|name| name.strip_suffix(component)) == Some(entry))
}
