//! The command line, declared.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use least_action::drive::Interval;
use least_action::system::State;
use serde::{Deserialize, Serialize};

use crate::memory;

/// Mechanical systems declared as Lagrangians, integrated by structure-preserving methods.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Arguments {
    /// Print errors and results that are asked for, without notes, warnings, progress and the table of a
    /// run
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say before the first step of a run how large it is, and how long its setup took
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// The declaration, under the name of the program.
    pub(crate) fn named(name: &str) -> clap::Command {
        Self::command().name(name.to_owned()).bin_name(name.to_owned())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Every model in a line, with its size
    Models(List),
    /// Every method in a line: its order, its forces, the quantities that it keeps, its options
    Methods(List),
    /// Describe a model: coordinates, families, sparsity, methods
    Describe(Describe),
    /// Print the Rust that the declaration of a model becomes
    Expand(Expand),
    /// Integrate a model, record it, plot it
    Run(Box<Run>),
    /// Go on with a run that was saved by --checkpoint, to the bit as if it had not been stopped
    Resume(Resume),
    /// Differentiate a number of a motion by its start and by the parameters of the model, exactly
    Gradient(Box<AskedGradient>),
    /// Fit parameters and starts of a model to recordings, with standard errors
    Fit(Box<AskedFit>),
    /// Find the inputs of forces that bring a motion from a start to an end, at the least cost
    Control(Box<AskedControl>),
    /// Make a page that computes a motion, with sliders and with the declaration to be edited beside
    Live(Box<Live>),
    /// Make a page that plays a recorded trajectory
    View(Page),
    /// Make the report of a recorded trajectory: the motion, and every quantity over time
    Report(View),
    /// Run the members of a plan, and keep them as one table of Parquet files; finished members stay
    Ensemble(Ensemble),
    /// Evaluate a model at a state: energy, gradient, Hessian, constraints
    Eval(Eval),
    /// Project a start onto the constraints, or onto a slow manifold; the result is a file for --start
    Project(Project),
    /// Write a crate with a model, its test and its command, as a start for models of one's own
    New(New),
    /// Measure work against precision, for every method that fits
    Bench(Bench),
    /// Recompute a paper's numbers beside the printed ones, with pictures on one page
    Reproduce(Reproduce),
    /// Print the completions of the command for a shell
    Completions(Completions),
    /// Print the manual page of the command, or of one of its commands
    Man(Man),
}

/// How results are printed on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON object, whose numbers read back as the same bits
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    /// The paper: tao-owhadi, calvo-sanz-serna, ariel-sanz-serna-tsai, gonzalez-schmidt-ortiz,
    /// or published problems: benchmark-problems of constrained mechanics, optimal-control, fits
    #[arg(value_name = "PAPER")]
    pub(crate) paper: String,
    /// The folder for the page; made if there is none
    #[arg(long, value_name = "FOLDER", default_value = "report")]
    pub(crate) out: PathBuf,
    /// At the length of the paper, also where that takes many minutes
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command, such as run; the program itself unless given
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Describe {
    #[command(flatten)]
    pub(crate) model: ModelChoice,
    /// Draw the sparsity of the second derivatives and of the constraints into a file ending in .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: DescribeFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Expand {
    /// The model: a name that `models` lists, or a file ending in .rs that declares one
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
}

/// How a description is printed on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DescribeFormat {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// The Lagrangian, the constraints and the equations of motion, for a document with amsmath
    Latex,
}

/// Which model, with which parameters.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub(crate) struct ModelChoice {
    /// The model: a name that `models` lists, or a file ending in .rs that declares one
    #[arg(value_name = "MODEL")]
    pub(crate) name: String,
    /// Set a parameter of the model: a number, or JSON such as rods=[1,2]
    #[arg(long = "set", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) set: Vec<String>,
    /// Parameters from a file, {"model": {…}, "method": {…}, "run": {…}}, JSON or TOML
    #[arg(long, value_name = "FILE")]
    pub(crate) params: Option<PathBuf>,
    /// Refuse to take more memory, such as 4G or 500M; nine tenths of the free memory unless given
    #[arg(long, value_name = "SIZE", value_parser = memory::size, allow_negative_numbers = true)]
    pub(crate) memory: Option<u64>,
}

/// How a motion moves: the method, its options and its step.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub(crate) struct By {
    /// The method: `describe MODEL` lists all that fit, and derivatives need one that has them; the
    /// first of its advice unless given
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// Set an option of the method, such as beta=0.4
    #[arg(long = "with", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) with: Vec<String>,
    /// The time step; a part of the fastest period at the start unless given
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub(crate) step: Option<f64>,
}

/// The state at which a motion begins.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub(crate) struct StartChoice {
    /// The initial state from a file, {"t": 0.0, "q": […], "v": […]}, or from standard input, `-`; the
    /// model's own otherwise
    #[arg(long = "start", value_name = "FILE")]
    #[serde(rename = "start")]
    pub(crate) file: Option<PathBuf>,
    /// Other entries of the start, with commas: theta=2, theta=45deg, der.theta=0.3 or
    /// 'bobs[0]=(0.1,-1)'; the name of an array or a vector, and `der`, are all their entries
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    #[serde(default)]
    pub(crate) from: Vec<String>,
    /// The initial state of a caller in this process.
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) state: Option<State>,
}

/// A motion as it is asked for; the command chooses the rest for the model.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub(crate) struct Request {
    #[command(flatten)]
    pub(crate) model: ModelChoice,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) by: By,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) until: Until,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) start: StartChoice,
}

/// The end of a motion.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub(crate) struct Until {
    /// The time at which to stop: the run takes the whole number of steps that ends nearest to it; long
    /// enough to see the motion unless given. Or an event: one that the model declares, `landing`, the
    /// third time `landing:3`, or `'bob.y < 0.1'`, `'falling theta'`; repeated for the first of several
    #[arg(long = "until", value_name = "T", allow_negative_numbers = true)]
    #[serde(rename = "until", default)]
    given: Vec<End>,
}

/// A time, or the text of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum End {
    Time(f64),
    Event(String),
}

impl std::str::FromStr for End {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.parse().map_or_else(|_| Self::Event(text.to_owned()), Self::Time))
    }
}

impl Until {
    /// An end at a time.
    pub(crate) fn at(time: impl Into<Option<f64>>) -> Self {
        Self::default().by(time.into())
    }

    /// The same events, and this time.
    pub(crate) fn by(&self, time: Option<f64>) -> Self {
        let events = self.events().into_iter().map(End::Event);
        Self { given: events.chain(time.map(End::Time)).collect() }
    }

    /// The time, if it is given.
    pub(crate) fn time(&self) -> Option<f64> {
        self.given.iter().find_map(|end| if let End::Time(time) = end { Some(*time) } else { None })
    }

    /// The events.
    pub(crate) fn events(&self) -> Vec<String> {
        let event = |end: &End| if let End::Event(text) = end { Some(text.clone()) } else { None };
        self.given.iter().filter_map(event).collect()
    }
}

#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub(crate) struct Run {
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) request: Request,
    /// Look for an event that does not end the run, as --until names events; repeated for several
    #[arg(long, value_name = "EVENT")]
    #[serde(default)]
    pub(crate) section: Vec<String>,
    /// Write the moments of all events and impacts to a file ending in .csv, .parquet, .json or .npz
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub(crate) events: Option<PathBuf>,
    /// Record every K-th step (and always the first and the last); 1 unless given
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(crate) every: Option<u64>,
    /// Record, with commas: momenta that `describe MODEL` lists, the `power`, their balances
    /// (`energy_balance`, `momentum_x_balance`), or `all`: conserved quantities, and the balances of the
    /// rest; of points `temperature` and `mean_square_displacement`, in a periodic cell `pressure`,
    /// `virial`, `pressure_xx`, … and `radial_distribution`
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) observe: Vec<String>,
    /// Boltzmann's constant for the temperature, in units of energy of the model by kelvin:
    /// 0.008314462618 for kJ/mol; temperatures are energies unless given
    #[arg(long, value_name = "K", default_value_t = 1.0, allow_negative_numbers = true)]
    pub(crate) boltzmann: f64,
    /// Write the radial distribution to a file ending in .csv or .json, or draw it into one ending in
    /// .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) radial: Option<PathBuf>,
    /// Count the radial distribution up to this distance; as far as pairs of the potential reach unless
    /// given
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) reach: Option<f64>,
    /// The number of bins of the radial distribution
    #[arg(long, value_name = "N", default_value_t = BINS, allow_negative_numbers = true)]
    pub(crate) bins: usize,
    /// Record the multipliers of a penalty (`--with omega=…`) and their means over a sliding window of
    /// this length
    #[arg(long, value_name = "DELTA", allow_negative_numbers = true)]
    pub(crate) observe_window: Option<f64>,
    /// Write the trajectory to a file ending in .csv, .parquet, .json or .npz, or its points to one
    /// ending
    /// in .xyz (extended XYZ), .pvd (VTK, with a folder of frames beside it) or .glb (glTF with key
    /// frames); `-` writes CSV to standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Draw the run into a file ending in .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Make a page that plays the motion, in a file ending in .html
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub(crate) view: Option<PathBuf>,
    /// Write a report of the run, with its motion and figures, to a file ending in .html
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub(crate) report: Option<PathBuf>,
    /// Save the run to this file now and then, when Ctrl-C or SIGTERM stops it, and at its end: `resume
    /// FILE` goes on with it
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// How often: after so many steps, such as 1000, or after so much time, such as 60s, 10m or 1h
    #[arg(long, value_name = "EVERY", default_value = "60s", value_parser = interval, allow_negative_numbers = true)]
    #[serde(skip, default = "every_minute")]
    pub(crate) checkpoint_every: Interval,
    /// Begin at the start though the checkpoint holds a run that could be gone on with
    #[arg(long, requires = "checkpoint")]
    #[serde(skip)]
    pub(crate) restart: bool,
    /// Seed of the random numbers of a thermostat (`--with friction=…`); 0 unless given, without effect
    /// elsewhere
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// How to print the final state
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct AskedGradient {
    #[command(flatten)]
    pub(crate) request: Request,
    /// The number J, one half of a square: `end: bob.x = 0.3` of the distance at the end,
    /// `mean: der.bob.x = 0` of the distance at all steps in the mean, `data: FILE` of the distances to
    /// a recording; repeated for a sum
    #[arg(long, value_name = "LOSS", required = true, allow_hyphen_values = true)]
    pub(crate) loss: Vec<String>,
    /// Differentiate by these, with commas: sensitive parameters and entries of the start, such as
    /// gravity,rods,bob.x,der.bob.x; all sensitive parameters unless given
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) by: Vec<String>,
    /// Compare the gradient with central differences along one direction
    #[arg(long)]
    pub(crate) check: bool,
    /// Seed of the direction of --check
    #[arg(long, value_name = "N", default_value_t = 1, requires = "check", allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct AskedControl {
    #[command(flatten)]
    pub(crate) model: ModelChoice,
    /// The end, with commas: x=1,theta=3.14159,der=0; `der` is all velocities
    #[arg(long, value_name = "LIST", value_delimiter = ',', required = true, allow_hyphen_values = true)]
    pub(crate) to: Vec<String>,
    /// The inputs to find, with commas; all sensitive inputs unless given
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) input: Vec<String>,
    /// The number of pieces of an input, at most one a step; one that has times keeps them
    #[arg(long, value_name = "N", default_value_t = 50, allow_negative_numbers = true)]
    pub(crate) pieces: u64,
    /// The course of an input between its times: constant or linear
    #[arg(long, value_enum, default_value = "constant")]
    pub(crate) course: AskedCourse,
    /// A part of the cost: `effort: push = 1` is ½ ∫ u² dt, `change: push = 0.1` is 0.1 · ½ ∫ u̇² dt,
    /// and `distance: x = 0.5` is ½ ∫ (x − 0.5)² dt; repeated for a sum; the effort of all inputs unless
    /// given
    #[arg(long, value_name = "COST", allow_hyphen_values = true)]
    pub(crate) cost: Vec<String>,
    /// Keep inputs, coordinates and velocities between bounds, with commas: push=-20:20,x=-2:2
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) bounds: Vec<String>,
    /// Cut the motion into so many stretches, which join in the end; five steps each unless given
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) stretches: Option<u64>,
    #[command(flatten)]
    pub(crate) by: By,
    /// The time of the end
    #[arg(long, value_name = "T", required = true, allow_negative_numbers = true)]
    pub(crate) until: f64,
    #[command(flatten)]
    pub(crate) start: StartChoice,
    /// A recording, .csv, .json or .parquet, on whose states the search begins; a straight line to the
    /// end, or the motion by the first inputs, unless given
    #[arg(long, value_name = "FILE")]
    pub(crate) guess: Option<PathBuf>,
    /// Write the inputs, NAME.csv, the start, start.json, and a report, report.html, to this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Keep the unknowns in this file after each iteration; with the file the same command goes on
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// The course of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AskedCourse {
    /// One value from each time to the next
    Constant,
    /// Straight lines between values
    Linear,
}

#[derive(Debug, Args)]
pub(crate) struct AskedFit {
    #[command(flatten)]
    pub(crate) model: ModelChoice,
    /// A recording ending in .csv, .json or .parquet: a column `t`, and columns of positions or, as
    /// der.bob.x, of velocities; repeated for several that share the parameters
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) data: Vec<PathBuf>,
    /// Fit these columns, with commas, each with the standard deviation of its noise where it is known:
    /// bob.x=0.001,der.bob.x=0.02; the positions that the first recording has unless given
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// Fit these numbers, with commas: sensitive parameters and entries of the start, such as
    /// masses[1],gravity,der.bob.x; the name of an array or a vector is all its entries
    #[arg(long, value_name = "LIST", value_delimiter = ',', required = true)]
    pub(crate) free: Vec<String>,
    /// Keep numbers between bounds, with commas: gravity=0:20,masses=0.1:
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) bounds: Vec<String>,
    /// Know free numbers beforehand, with commas, each as one more sample: mass=1.2±0.1 or mass=1.2+-0.1
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) prior: Vec<String>,
    /// Free the sensor of a column, 'x: offset, scale', which reads scale · x + offset; repeated for
    /// several columns
    #[arg(long, value_name = "COLUMN: LIST")]
    pub(crate) sensor: Vec<String>,
    /// Limit the pull of outliers: huber, soft-l1 or cauchy, with the residual in standard deviations
    /// from which on it falls, such as huber=1.345
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Option<String>,
    /// Leave out the second start, which looks for a lower minimum
    #[arg(long)]
    pub(crate) once: bool,
    /// Cut each recording into so many segments, which join in the end: for long and chaotic motions
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) segments: u64,
    #[command(flatten)]
    pub(crate) by: By,
    /// The initial state from a file, {"t": 0.0, "q": […], "v": […]}; one for all recordings, or
    /// repeated, one for each; the model's own otherwise
    #[arg(long, value_name = "FILE")]
    pub(crate) start: Vec<PathBuf>,
    /// Other entries of all starts, with commas: theta=2, theta=45deg, der.theta=0.3 or 'bob=(0.1,-1)'
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) from: Vec<String>,
    /// Recordings of a caller in this process: columns by name, the times `t` among them.
    #[arg(skip)]
    pub(crate) tables: Vec<Vec<(String, Vec<f64>)>>,
    /// The initial state of a caller in this process.
    #[arg(skip)]
    pub(crate) state: Option<State>,
    /// The largest number of iterations
    #[arg(long, value_name = "N", default_value_t = 200, allow_negative_numbers = true)]
    pub(crate) iterations: usize,
    /// Save the unknowns to this file after each iteration; the same command goes on from it
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Write a report with the data beside the motion to a file ending in .html
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The checkpoint
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Go on with the recording in this file, to which the rows so far are copied unless it has them;
    /// where the run had it unless given
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Another time at which to stop
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,
    /// Save the run as often as this; every minute unless given
    #[arg(long, value_name = "EVERY", value_parser = interval, allow_negative_numbers = true)]
    pub(crate) checkpoint_every: Option<Interval>,
    /// Refuse to take more memory, such as 4G or 500M; nine tenths of the free memory unless given
    #[arg(long, value_name = "SIZE", value_parser = memory::size, allow_negative_numbers = true)]
    pub(crate) memory: Option<u64>,
    /// How to print the final state
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Live {
    #[command(flatten)]
    pub(crate) request: Request,
    /// The page, a file ending in .html
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Put what computes into a file beside the page, which the pages of a folder share
    #[arg(long)]
    pub(crate) beside: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Page {
    #[command(flatten)]
    pub(crate) view: View,
    /// Another trajectory, which the page shows beside the first, at the same times
    #[arg(long, value_name = "FILE")]
    pub(crate) beside: Option<PathBuf>,
    /// The member of an ensemble that stands beside; 0 unless given
    #[arg(long, value_name = "N", requires = "beside", allow_negative_numbers = true)]
    pub(crate) beside_member: Option<u64>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct View {
    /// The trajectory, a file that `run --out` wrote, or the folder of an ensemble
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The model of the run, for a file that does not know it: the page shows the connections of its
    /// points
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Set a parameter of the model as it was in the run, for a file that does not know it: a number, or
    /// JSON such as rods=[1,2]
    #[arg(long = "set", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) set: Vec<String>,
    /// Parameters from a file, {"model": {…}}, JSON or TOML
    #[arg(long, value_name = "FILE")]
    pub(crate) params: Option<PathBuf>,
    /// The member of an ensemble; 0 unless given
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) member: Option<u64>,
    /// The page, a file ending in .html
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Refuse to take more memory, such as 4G or 500M; nine tenths of the free memory unless given
    #[arg(long, value_name = "SIZE", value_parser = memory::size, allow_negative_numbers = true)]
    pub(crate) memory: Option<u64>,
}

impl View {
    /// A model with the parameters that are given.
    pub(crate) fn choice(&self, name: &str) -> ModelChoice {
        let name = name.to_owned();
        ModelChoice { name, set: self.set.clone(), params: self.params.clone(), memory: self.memory }
    }

    /// True if a part of the model is given.
    pub(crate) fn chooses(&self) -> bool {
        self.model.is_some() || !self.set.is_empty() || self.params.is_some()
    }
}

#[derive(Debug, Args)]
pub(crate) struct Ensemble {
    /// The plan, TOML or JSON: model, method, step, until, and the differences of members
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    /// The folder of the dataset; made if there is none
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: PathBuf,
    /// Do the I-th of N equal shares alone, such as 3/64: other machines do the others, into one folder
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// The number of threads; as many as there are cores unless given
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Count the members, estimate the size of the dataset and the time, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Refuse members that would take more memory, all threads together, such as 4G or 500M; nine tenths
    /// of the free memory unless given
    #[arg(long, value_name = "SIZE", value_parser = memory::size, allow_negative_numbers = true)]
    pub(crate) memory: Option<u64>,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// One of equal shares of an ensemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 1 on.
    pub(crate) number: u64,
    pub(crate) of: u64,
}

fn shard(text: &str) -> Result<Shard, String> {
    let numbers =
        text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((number, of)) => Shard::new(number, of),
        None => None,
    }
    .ok_or_else(|| "give a share and the number of all, such as 3/64, where the first is 1/64".to_owned())
}

impl Shard {
    /// None where there are not so many.
    pub(crate) fn new(number: u64, of: u64) -> Option<Self> {
        (1..=of).contains(&number).then_some(Self { number, of })
    }
}

/// The bins of a radial distribution, unless their number is given.
pub(crate) const BINS: usize = 100;

fn every_minute() -> Interval {
    Interval::Time(Duration::from_secs(60))
}

/// A number of steps, or a time with its unit.
pub(crate) fn interval(text: &str) -> Result<Interval, String> {
    let unit = |unit: char| match unit {
        's' => Some(1.0),
        'm' => Some(60.0),
        'h' => Some(3600.0),
        _ => None,
    };
    let parsed = match text.strip_suffix(['s', 'm', 'h']).zip(text.chars().next_back().and_then(unit)) {
        Some((number, unit)) => number
            .parse()
            .ok()
            .and_then(|number: f64| Duration::try_from_secs_f64(number * unit).ok())
            .map(Interval::Time),
        None => text.parse().ok().filter(|steps| *steps > 0).map(Interval::Steps),
    };
    parsed.ok_or_else(|| "give a number of steps, such as 1000, or a time, such as 60s, 10m or 1h".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The crate: its folder, whose last part is its name, such as beads or ../beads
    #[arg(value_name = "NAME")]
    pub(crate) path: PathBuf,
    /// Also a module of Python, with its packaging, a test and a notebook
    #[arg(long)]
    pub(crate) python: bool,
    /// The folder of Least Action, which the crate depends on; the folder of this program's own source
    /// unless given
    #[arg(long, value_name = "FOLDER")]
    pub(crate) library: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) model: ModelChoice,
    /// A method with options of its own, such as rattle:order=4; repeated for several, all that fit
    /// unless given
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Vec<String>,
    /// Set an option of every method that has it, such as omega=200
    #[arg(long = "with", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) with: Vec<String>,
    /// The time at which positions are compared; some periods of the fastest oscillation at the start
    /// unless given
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,
    /// The longest step; unless given, a radian of the fastest oscillation at the start
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub(crate) step: Option<f64>,
    /// How often the step is halved
    #[arg(long, value_name = "K", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=30), allow_negative_numbers = true)]
    pub(crate) halvings: u32,
    #[command(flatten)]
    pub(crate) start: StartChoice,
    /// Draw error against time into a file ending in .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) model: ModelChoice,
    #[command(flatten)]
    pub(crate) start: StartChoice,
    /// Quantities, with commas: energy, kinetic, potential, gradient, hessian, third, constraints,
    /// jacobian, mass, nonholonomic, nonholonomic-jacobian, force
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) what: Vec<String>,
    /// The direction a of the contraction a·V‴·a, a JSON array in a file
    #[arg(long, value_name = "FILE")]
    pub(crate) direction: Option<PathBuf>,
    /// Evaluate the penalized system, V + ½ omega² |g|²
    #[arg(long, value_name = "OMEGA", allow_negative_numbers = true)]
    pub(crate) penalty: Option<f64>,
    /// Compare every derivative with dual numbers, at the state and at states near it; with --penalty,
    /// the derivatives of the penalized system
    #[arg(long, conflicts_with_all = ["what", "direction"])]
    pub(crate) check: bool,
    /// Seed of the states, directions and weights of --check
    #[arg(long, value_name = "N", default_value_t = 1, requires = "check", allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Project {
    #[command(flatten)]
    pub(crate) model: ModelChoice,
    #[command(flatten)]
    pub(crate) start: StartChoice,
    /// Set an option of the projection: tolerance; omega for the slow manifold of a penalty or of a
    /// stiff part, by IPA, with window, micro_steps, force_tolerance, iterations, and levels to
    /// extrapolate to the constraints
    #[arg(long = "with", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) with: Vec<String>,
    /// How to print
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: Format,
}
