"""Mechanical systems declared as Lagrangians, integrated by structure-preserving methods."""

from os import PathLike
from typing import Any, Callable, Iterator, Mapping, Sequence, TypeAlias

import numpy
import numpy.typing

__version__: str
Array: TypeAlias = numpy.typing.NDArray[numpy.float64]
Numbers: TypeAlias = Sequence[float] | Array
# A whole state, or other entries of the model's own start.
State: TypeAlias = Mapping[str, Any] | tuple[Numbers, Numbers]
# A file, a run, a dictionary of arrays, or a frame, of pandas or Polars, which need not be installed.
Data: TypeAlias = str | PathLike[str] | Mapping[str, Numbers] | Any
# A csc_matrix of SciPy, which need not be installed.
Matrix: TypeAlias = Any

class RunError(RuntimeError):
    """A run failed; `run` has its rows, and is None where a stepper failed, which keeps its last state."""

    run: Run | None

class Interrupted(KeyboardInterrupt):
    """A run was stopped by Ctrl-C; `run` has its rows."""

    run: Run

class DeclarationError(ValueError):
    """Mistakes in a declaration, shown in its lines; the place of the first, None where it has none."""

    line: int | None
    column: int | None

class Gradient:
    """A number of a motion with its derivatives by the start and by the sensitive parameters."""

    value: float
    q: Array
    v: Array
    parameters: dict[str, Any]
    """By the names of the parameters: numbers, and arrays in their shapes."""
    growth: float
    """The factor by which the motion amplifies a change of its start."""
    digits: int
    """The decimal digits that rounding leaves."""

class Residuals:
    """The residuals of a fit as a function of its free numbers: samples, then priors, in standard deviations."""

    names: list[str]
    x: Array
    """The first guess."""
    bounds: list[Array]
    """The lower and the upper ones."""
    def __call__(self, x: Numbers) -> Array: ...
    def jacobian(self, x: Numbers) -> Array: ...

class Run:
    """A run: its rows as arrays, and the JSON that the command prints at its end."""

    t: Array
    q: Array
    v: Array
    coordinates: list[str]
    outcome: dict[str, Any]
    checkpoint: str | None
    def keys(self) -> list[str]: ...
    def values(self) -> list[Array]: ...
    def items(self) -> list[tuple[str, Array]]: ...
    def __getitem__(self, name: str) -> Array: ...
    def __contains__(self, name: str) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def vjp(self, q_bar: Any = ..., v_bar: Any = ...) -> Gradient: ...
    def jvp(self, q: Any = ..., v: Any = ..., **parameters: Any) -> tuple[Array, Array]: ...
    def __arrow_c_stream__(self, requested_schema: Any = ...) -> Any: ...
    def to_arrow(self) -> Any: ...
    units: dict[str, str]
    """By the names of the columns, as far as the model states them."""
    def report(self, path: str | PathLike[str]) -> None: ...
    def view(self, path: str | PathLike[str]) -> None: ...
    def plot(self, path: str | PathLike[str] | None = ...) -> str: ...
    def _repr_html_(self) -> str | None: ...

class LivePage:
    """A page that computes the motion of a model itself: one file of HTML, with its module."""

    def save(self, path: str | PathLike[str]) -> None: ...
    def _repr_html_(self) -> str: ...

class Inputs:
    """The inputs of a run by their names, each one number that is held until it is set."""

    def keys(self) -> list[str]: ...
    def __getitem__(self, name: str) -> float: ...
    def __setitem__(self, name: str, value: float) -> None: ...
    def __contains__(self, name: str) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

class Stepper:
    """A run that stands between two steps."""

    q: Array
    """The positions: one array that each step writes over; copy what is to be kept."""
    v: Array
    """The velocities, likewise."""
    t: float
    steps: int
    energy: float
    multipliers: Array | None
    state: dict[str, Any]
    """A copy of t, q and v, which is a start."""
    inputs: Inputs
    coordinates: list[str]
    def step(self, n: int = ..., /, **inputs: float) -> None: ...
    def set_state(self, q: Numbers, v: Numbers, t: float | None = ...) -> None: ...
    def reset(self) -> None: ...
    def __copy__(self) -> Stepper: ...
    def __deepcopy__(self, memo: Any) -> Stepper: ...

class Model:
    """A mechanical system: a declared model, bound to parameters."""

    parameters: dict[str, Any]
    coordinates: list[str]
    initial: dict[str, Any]
    constraint_rows: list[dict[str, str]]
    methods: list[str]
    def set(self, **parameters: Any) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def _repr_latex_(self) -> str: ...
    def start(
        self,
        method: str | None = ...,
        *,
        step: float | None = ...,
        start: State | None = ...,
        seed: int | None = ...,
        **options: Any,
    ) -> Stepper: ...
    def run(
        self,
        method: str | None = ...,
        *,
        step: float | None = ...,
        until: float | str | Sequence[float | str] | None = ...,
        start: State | None = ...,
        observe: str | Sequence[str] | None = ...,
        every: int | None = ...,
        seed: int | None = ...,
        boltzmann: float = ...,
        out: str | PathLike[str] | None = ...,
        plot: str | PathLike[str] | None = ...,
        view: str | PathLike[str] | None = ...,
        report: str | PathLike[str] | None = ...,
        section: str | Sequence[str] | None = ...,
        events: str | PathLike[str] | None = ...,
        checkpoint: str | PathLike[str] | None = ...,
        checkpoint_every: str = ...,
        restart: bool = ...,
        **options: Any,
    ) -> Run: ...
    def gradient_of(self, run: Run, loss: str | Sequence[str]) -> Gradient: ...
    def fit(
        self,
        data: Data | Sequence[Data],
        free: str | Sequence[str],
        *,
        columns: str | Sequence[str] | None = ...,
        bounds: Mapping[str, Sequence[float | None]] | None = ...,
        prior: Mapping[str, Sequence[float]] | None = ...,
        sensor: Mapping[str, str | Sequence[str]] | None = ...,
        loss: str | None = ...,
        once: bool = ...,
        segments: int = ...,
        method: str | None = ...,
        step: float | None = ...,
        start: State | None = ...,
        iterations: int = ...,
        checkpoint: str | PathLike[str] | None = ...,
        report: str | PathLike[str] | None = ...,
        **options: Any,
    ) -> dict[str, Any]: ...
    def residuals(
        self,
        data: Data | Sequence[Data],
        free: str | Sequence[str],
        *,
        columns: str | Sequence[str] | None = ...,
        bounds: Mapping[str, Sequence[float | None]] | None = ...,
        prior: Mapping[str, Sequence[float]] | None = ...,
        sensor: Mapping[str, str | Sequence[str]] | None = ...,
        loss: str | None = ...,
        method: str | None = ...,
        step: float | None = ...,
        start: State | None = ...,
        **options: Any,
    ) -> Residuals: ...
    def control(
        self,
        to: Mapping[str, float],
        *,
        until: float,
        input: str | Sequence[str] | None = ...,
        cost: str | Sequence[str] | None = ...,
        bounds: Mapping[str, Sequence[float | None]] | None = ...,
        pieces: int = ...,
        course: str = ...,
        stretches: int | None = ...,
        method: str | None = ...,
        step: float | None = ...,
        start: State | None = ...,
        out: str | PathLike[str] | None = ...,
        checkpoint: str | PathLike[str] | None = ...,
        **options: Any,
    ) -> dict[str, Any]: ...
    def energy(self, q: Numbers | None = ..., v: Numbers | None = ..., t: float = ...) -> float: ...
    def kinetic(self, q: Numbers | None = ..., v: Numbers | None = ..., t: float = ...) -> float: ...
    def lagrangian(self, q: Numbers | None = ..., v: Numbers | None = ..., t: float = ...) -> float: ...
    def potential(self, q: Numbers | None = ..., t: float = ...) -> float: ...
    def gradient(self, q: Numbers | None = ..., t: float = ...) -> Array: ...
    def hessian(self, q: Numbers | None = ..., t: float = ...) -> Matrix: ...
    def third(self, a: Numbers, q: Numbers | None = ..., t: float = ...) -> Array: ...
    def force(self, q: Numbers | None = ..., v: Numbers | None = ..., t: float = ...) -> Array: ...
    def accelerations(self, q: Numbers | None = ..., v: Numbers | None = ..., t: float = ...) -> Array: ...
    def mass_matrix(self, q: Numbers | None = ..., v: Numbers | None = ..., t: float = ...) -> Matrix: ...
    def constraints(self, q: Numbers | None = ..., t: float = ...) -> Array: ...
    def jacobian(self, q: Numbers | None = ..., t: float = ...) -> Matrix: ...
    def linearize(self, q: Numbers | None = ..., t: float = ...) -> dict[str, Matrix]: ...
    def describe(self, format: str = ...) -> Any: ...
    def check(self, seed: int = ...) -> dict[str, Any]: ...
    def project(self, start: State | None = ..., **options: Any) -> dict[str, Any]: ...

class _Model(Model):
    """A model that a text declares."""

    def __new__(cls, **parameters: Any) -> _Model: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

def declare(declaration: str | PathLike[str], /) -> type[_Model]: ...
def load_ipython_extension(ipython: Any) -> None: ...
def resume(
    file: str | PathLike[str],
    *,
    until: float | None = ...,
    out: str | PathLike[str] | None = ...,
    model: type[Model] | None = ...,
) -> Run: ...
def models() -> list[type[Model]]: ...
def signal(function: Callable[[float], float], times: Numbers, kind: str = ...) -> dict[str, Any]: ...
def live(
    model: Model | type[Model],
    method: str | None = ...,
    *,
    step: float | None = ...,
    until: float | None = ...,
    start: State | None = ...,
    **options: Any,
) -> LivePage: ...
def load(
    file: str | PathLike[str],
    member: int | None = ...,
    *,
    model: type[Model] | None = ...,
) -> Run: ...
def ensemble(
    plan: str | PathLike[str],
    out: str | PathLike[str],
    executor: Any = ...,
    *,
    shards: int | None = ...,
    threads: int | None = ...,
    model: type[Model] | None = ...,
) -> dict[str, Any]: ...
def ensemble_shard(
    plan: str | PathLike[str],
    out: str | PathLike[str],
    shard: tuple[int, int] | None = ...,
    threads: int | None = ...,
    model: type[Model] | None = ...,
) -> dict[str, Any]: ...
def stubs() -> str: ...
