"""Mechanical systems declared as Lagrangians, integrated by structure-preserving methods."""

from os import PathLike
from typing import Any, Iterator, Mapping, Sequence

import numpy
import numpy.typing
import scipy.sparse

__version__: str
Array = numpy.typing.NDArray[numpy.float64]
Numbers = Sequence[float] | Array
State = Mapping[str, Any] | tuple[Numbers, Numbers]

class RunError(RuntimeError):
    """A run failed; `run` has what it had computed."""

    run: Run

class Interrupted(KeyboardInterrupt):
    """A run was stopped by Ctrl-C; `run` has what it had computed."""

    run: Run

class Run:
    """A run: its rows as arrays, and the JSON that the command prints at its end."""

    t: Array
    q: Array
    v: Array
    coordinates: list[str]
    outcome: dict[str, Any]
    checkpoint: str | None
    def keys(self) -> list[str]: ...
    def __getitem__(self, name: str) -> Array: ...
    def __contains__(self, name: str) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def to_arrow(self) -> Any: ...
    def report(self, path: str | PathLike[str]) -> None: ...
    def _repr_html_(self) -> str: ...

class Model:
    """A mechanical system: a declared model, bound to parameters."""

    parameters: dict[str, Any]
    coordinates: list[str]
    start: dict[str, Any]
    methods: list[str]
    def run(
        self,
        method: str,
        *,
        step: float,
        until: float,
        start: State | None = ...,
        observe: Sequence[str] | None = ...,
        every: int = ...,
        seed: int | None = ...,
        boltzmann: float = ...,
        out: str | PathLike[str] | None = ...,
        plot: str | PathLike[str] | None = ...,
        view: str | PathLike[str] | None = ...,
        report: str | PathLike[str] | None = ...,
        checkpoint: str | PathLike[str] | None = ...,
        checkpoint_every: str = ...,
        restart: bool = ...,
        **options: Any,
    ) -> Run: ...
    def energy(self, q: Numbers | None = ..., v: Numbers | None = ..., t: float = ...) -> float: ...
    def lagrangian(self, q: Numbers | None = ..., v: Numbers | None = ..., t: float = ...) -> float: ...
    def potential(self, q: Numbers | None = ..., t: float = ...) -> float: ...
    def gradient(self, q: Numbers | None = ..., t: float = ...) -> Array: ...
    def hessian(self, q: Numbers | None = ..., t: float = ...) -> scipy.sparse.csc_matrix: ...
    def mass(self, q: Numbers | None = ..., v: Numbers | None = ..., t: float = ...) -> scipy.sparse.csc_matrix: ...
    def constraints(self, q: Numbers | None = ..., t: float = ...) -> Array: ...
    def jacobian(self, q: Numbers | None = ..., t: float = ...) -> scipy.sparse.csc_matrix: ...
    def describe(self, format: str = ...) -> Any: ...
    def check(self, seed: int = ...) -> dict[str, Any]: ...
    def project(self, start: State | None = ..., **options: Any) -> dict[str, Any]: ...

def resume(
    file: str | PathLike[str],
    *,
    until: float | None = ...,
    out: str | PathLike[str] | None = ...,
) -> Run: ...
def ensemble(
    plan: str | PathLike[str],
    out: str | PathLike[str],
    executor: Any = ...,
    *,
    shards: int | None = ...,
    threads: int | None = ...,
) -> dict[str, Any]: ...
def ensemble_shard(
    plan: str | PathLike[str],
    out: str | PathLike[str],
    shard: tuple[int, int] | None = ...,
    threads: int | None = ...,
) -> dict[str, Any]: ...
def stubs() -> str: ...
