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

class DoublePendulum(Model):
    """The planar double pendulum in Cartesian coordinates: point masses on massless rigid rods, the first hinged at the origin, the second at the first."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        rods: Sequence[Any] | Array = ...,
        gravity: float = ...,
    ) -> DoublePendulum: ...
    masses: Any
    """Masses of the upper and the lower bob, kg."""
    rods: Any
    """Lengths L₁ and L₂ of the rods, m."""
    gravity: float
    """Gravitational acceleration, m/s²."""

class DoublePendulumAngles(Model):
    """The planar double pendulum in two angles from the downward vertical, without constraints."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        rods: Sequence[Any] | Array = ...,
        gravity: float = ...,
    ) -> DoublePendulumAngles: ...
    masses: Any
    """Masses of the upper and the lower bob, kg."""
    rods: Any
    """Lengths L₁ and L₂ of the rods, m."""
    gravity: float
    """Gravitational acceleration, m/s²."""

class Chain(Model):
    """A chain of point masses on massless rigid rods, hanging from the origin."""

    def __new__(
        cls,
        *,
        links: int = ...,
        mass: float = ...,
        gravity: float = ...,
        rod: float = ...,
    ) -> Chain: ...
    links: int
    """Number of masses."""
    mass: float
    """Mass of each bob, kg."""
    gravity: float
    """Gravitational acceleration, m/s²."""
    rod: float
    """Length of each rod, m."""

class Pendulums(Model):
    """Pendulums in the plane that hang on one another, in angles from the downward vertical."""

    def __new__(
        cls,
        *,
        links: int = ...,
        mass: float = ...,
        gravity: float = ...,
        rod: float = ...,
    ) -> Pendulums: ...
    links: int
    """Number of pendulums."""
    mass: float
    """Mass of each bob, kg."""
    gravity: float
    """Gravitational acceleration, m/s²."""
    rod: float
    """Length of each rod, m."""

class Water(Model):
    """Rigid water: TIP3P molecules of three charged sites, kept rigid by three distances each."""

    def __new__(
        cls,
        *,
        molecules: int = ...,
        masses: Sequence[Any] | Array = ...,
        charges: Sequence[Any] | Array = ...,
        coulomb: float = ...,
        repulsion: float = ...,
        attraction: float = ...,
        bond: float = ...,
        angle: float = ...,
    ) -> Water: ...
    molecules: int
    """Number of molecules."""
    masses: Any
    """Masses of hydrogen, oxygen, hydrogen, amu."""
    charges: Any
    """Charges of hydrogen, oxygen, hydrogen, e."""
    coulomb: float
    """Coulomb's constant, kcal Å/(mol e²)."""
    repulsion: float
    """Repulsion A of two oxygens, kcal Å¹²/mol."""
    attraction: float
    """Attraction C of two oxygens, kcal Å⁶/mol."""
    bond: float
    """Distance of hydrogen and oxygen in a molecule, Å."""
    angle: float
    """Angle between the two bonds of a molecule, degrees."""

class Dna(Model):
    """A ring of DNA base pairs: each is an angle in a Morse well; torsion springs couple neighbours."""

    def __new__(
        cls,
        *,
        pairs: int = ...,
        a: float = ...,
        x0: float = ...,
        epsilon: float = ...,
    ) -> Dna: ...
    pairs: int
    """Number of base pairs."""
    a: float
    """Steepness a of the well."""
    x0: float
    """Place of the minimum: 1 − cos θ = x₀ there."""
    epsilon: float
    """Depth ε of the well, in units of the torsion springs."""

class RigidBody(Model):
    """A magnetized rigid body that turns about a fixed point in a field, by its rotation matrix."""

    def __new__(
        cls,
        *,
        moment: float = ...,
    ) -> RigidBody: ...
    moment: float
    """The magnetic moment times the field, B μ."""

class DrivenPendulum(Model):
    """A pendulum on a pivot that shakes up and down so fast that it stays upright."""

    def __new__(
        cls,
        *,
        rod: float = ...,
        gravity: float = ...,
        v_max: float = ...,
        omega: float = ...,
        phase: float = ...,
    ) -> DrivenPendulum: ...
    rod: float
    """Length l of the rod, m."""
    gravity: float
    """Gravitational acceleration g, m/s²."""
    v_max: float
    """Greatest velocity of the pivot, m/s."""
    omega: float
    """Angular frequency ω of the pivot, rad/s."""
    phase: float
    """Phase θ₀ at time zero, rad."""

class DrivenPendulumCartesian(Model):
    """The driven pendulum in Cartesian coordinates, a unit mass on a rod, seen from its pivot."""

    def __new__(
        cls,
        *,
        rod: float = ...,
        gravity: float = ...,
        v_max: float = ...,
        omega: float = ...,
        phase: float = ...,
    ) -> DrivenPendulumCartesian: ...
    rod: float
    """Length l of the rod, m."""
    gravity: float
    """Gravitational acceleration g, m/s²."""
    v_max: float
    """Greatest velocity of the pivot, m/s."""
    omega: float
    """Angular frequency ω of the pivot, rad/s."""
    phase: float
    """Phase θ₀ at time zero, rad."""

class DrivenDoublePendulum(Model):
    """A double pendulum on a pivot that shakes up and down so fast that it stays upright."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        rods: Sequence[Any] | Array = ...,
        gravity: float = ...,
        v_max: float = ...,
        omega: float = ...,
        phase: float = ...,
    ) -> DrivenDoublePendulum: ...
    masses: Any
    """Masses m₁ and m₂ of the first and the second bob, counted from the pivot, kg."""
    rods: Any
    """Lengths l₁ and l₂ of the rods, m."""
    gravity: float
    """Gravitational acceleration g, m/s²."""
    v_max: float
    """Greatest velocity of the pivot, m/s."""
    omega: float
    """Angular frequency ω of the pivot, rad/s."""
    phase: float
    """Phase θ₀ at time zero, rad."""

class Oscillator(Model):
    """A stiff oscillator whose centre moves slowly: q̈ = −ω² (q − cos t)."""

    def __new__(
        cls,
        *,
        omega: float = ...,
    ) -> Oscillator: ...
    omega: float
    """Angular frequency ω."""

class SpringPendulum(Model):
    """A point mass on a stiff spring that swings around the origin."""

    def __new__(
        cls,
        *,
        mass: float = ...,
        length: float = ...,
        gravity: float = ...,
        omega: float = ...,
    ) -> SpringPendulum: ...
    mass: float
    """Mass m."""
    length: float
    """Length l of the spring at rest."""
    gravity: float
    """Gravitational acceleration g."""
    omega: float
    """Angular frequency ω of the spring with this mass."""

class DoubleSpring(Model):
    """A chain of unit masses on unit springs in the plane, without gravity, hinged at the origin."""

    def __new__(
        cls,
        *,
        links: int = ...,
    ) -> DoubleSpring: ...
    links: int
    """Number of springs."""

class Kepler(Model):
    """Kepler's problem in the plane, in Cartesian coordinates: L = ½ |q̇|² + 1/|q|."""

    def __new__(
        cls,
        *,
        eccentricity: float = ...,
    ) -> Kepler: ...
    eccentricity: float
    """Eccentricity e of the orbit from the start, in [0, 1)."""

class KeplerPolar(Model):
    """Kepler's problem in polar coordinates, L = ½ (ṙ² + r² θ̇²) + 1/r."""

    def __new__(
        cls,
        *,
        eccentricity: float = ...,
    ) -> KeplerPolar: ...
    eccentricity: float
    """Eccentricity e of the orbit from the start, in [0, 1)."""

class KeplerRadial(Model):
    """Kepler's problem reduced to the distance: L = ½ ṙ² + 1/r − Θ²/(2 r²), angular momentum Θ = √(1 − e²)."""

    def __new__(
        cls,
        *,
        eccentricity: float = ...,
    ) -> KeplerRadial: ...
    eccentricity: float
    """Eccentricity e of the orbit, in [0, 1)."""

class Argon(Model):
    """Seven argon atoms in the plane, bound by the law of Lennard-Jones."""

    def __new__(
        cls,
        *,
        mass: float = ...,
        epsilon: float = ...,
        sigma: float = ...,
    ) -> Argon: ...
    mass: float
    """Mass of an atom, 10⁻²⁷ kg."""
    epsilon: float
    """Depth ε of the well of a pair, 10⁻²⁷ J."""
    sigma: float
    """Distance σ at which the energy of a pair is zero, nm."""

class LennardJones(Model):
    """A cluster of like atoms in space that attract and repel each other by the law of Lennard-Jones."""

    def __new__(
        cls,
        *,
        atoms: int = ...,
        mass: float = ...,
        epsilon: float = ...,
        sigma: float = ...,
    ) -> LennardJones: ...
    atoms: int
    """Number of atoms."""
    mass: float
    """Mass of each atom."""
    epsilon: float
    """Depth ε of the well of a pair."""
    sigma: float
    """Distance σ at which the energy of a pair is zero."""

class Liquid(Model):
    """A liquid of like atoms in a periodic cube that interact by the law of Lennard-Jones up to a cutoff."""

    def __new__(
        cls,
        *,
        atoms: int = ...,
        density: float = ...,
        on: float = ...,
        cutoff: float = ...,
        temperature: float = ...,
        seed: int = ...,
    ) -> Liquid: ...
    atoms: int
    """Number of atoms."""
    density: float
    """Atoms in a unit of volume."""
    on: float
    """Distance from which on the potential is switched off."""
    cutoff: float
    """Distance beyond which atoms do not interact; at most half of the edge of the cube."""
    temperature: float
    """Temperature at the start."""
    seed: int
    """Seed of the velocities at the start."""

class Copper(Model):
    """A copper crystal in a periodic cube: atoms repel in pairs, and the electrons of neighbours hold them."""

    def __new__(
        cls,
        *,
        atoms: int = ...,
        spacing: float = ...,
        mass: float = ...,
        repulsion: float = ...,
        hopping: float = ...,
        steepness: float = ...,
        decay: float = ...,
        distance: float = ...,
        on: float = ...,
        cutoff: float = ...,
        temperature: float = ...,
        seed: int = ...,
    ) -> Copper: ...
    atoms: int
    """Number of atoms; four fill a cell of the lattice, so that 4 k³ leave no site empty."""
    spacing: float
    """Edge of a cell of the lattice, in Å."""
    mass: float
    """Mass of an atom, in u."""
    repulsion: float
    """Energy of repulsion A of a pair at the distance r₀, in eV."""
    hopping: float
    """Hopping integral ξ at the distance r₀, in eV."""
    steepness: float
    """Steepness p of the repulsion."""
    decay: float
    """Steepness q of the hopping integral."""
    distance: float
    """Distance r₀ of nearest neighbours, in Å."""
    on: float
    """Distance from which on the potential is switched off, in Å."""
    cutoff: float
    """Distance beyond which atoms do not interact, in Å; at most half of the edge of the cube."""
    temperature: float
    """Temperature at the start, in K."""
    seed: int
    """Seed of the velocities at the start."""

class SmoothedDrop(Model):
    """A drop of gas in the plane, held together by its own attraction, as smoothed particles (a toy star)."""

    def __new__(
        cls,
        *,
        particles: int = ...,
        mass: float = ...,
        stiffness: float = ...,
        gamma: float = ...,
        attraction: float = ...,
        h: float = ...,
        stretch: float = ...,
        spin: float = ...,
    ) -> SmoothedDrop: ...
    particles: int
    """Number of particles."""
    mass: float
    """Mass of the drop."""
    stiffness: float
    """Factor k of the pressure."""
    gamma: float
    """Exponent γ of the pressure, more than one."""
    attraction: float
    """Strength λ of the attraction: the force on a unit mass at distance one from the centre."""
    h: float
    """Radius h of the kernel, which ends at 2h."""
    stretch: float
    """Factor by which the drop is wider at the start than at rest."""
    spin: float
    """Angular velocity at the start."""

class Polymer(Model):
    """A polymer that is held by its size: a chain of beads with a restraint of its radius of gyration."""

    def __new__(
        cls,
        *,
        beads: int = ...,
        bond: float = ...,
        bond_stiffness: float = ...,
        repulsion: float = ...,
        radius: float = ...,
        stiffness: float = ...,
        temperature: float = ...,
        seed: int = ...,
    ) -> Polymer: ...
    beads: int
    """Number of beads."""
    bond: float
    """Length of a bond at rest, σ."""
    bond_stiffness: float
    """Stiffness of a bond, ε/σ²."""
    repulsion: float
    """Depth ε of the potential behind the repulsion; zero for beads that do not repel."""
    radius: float
    """Radius of gyration R₀ at which the chain is held, σ."""
    stiffness: float
    """Stiffness k of the restraint, ε/σ²; zero for a free chain."""
    temperature: float
    """Temperature at the start, ε/k_B."""
    seed: int
    """Seed of the velocities at the start."""

class PolymerConstrained(Model):
    """A polymer of given size: a chain of beads with a constraint on its radius of gyration, R_g = R₀."""

    def __new__(
        cls,
        *,
        beads: int = ...,
        bond: float = ...,
        bond_stiffness: float = ...,
        repulsion: float = ...,
        radius: float = ...,
        temperature: float = ...,
        seed: int = ...,
    ) -> PolymerConstrained: ...
    beads: int
    """Number of beads."""
    bond: float
    """Length of a bond at rest, σ."""
    bond_stiffness: float
    """Stiffness of a bond, ε/σ²."""
    repulsion: float
    """Depth ε of the potential behind the repulsion; zero for beads that do not repel."""
    radius: float
    """Radius of gyration R₀ of the chain, σ."""
    temperature: float
    """Temperature at the start, ε/k_B."""
    seed: int
    """Seed of the velocities at the start."""

class WaterBox(Model):
    """Liquid water in a periodic cube: rigid SPC/E molecules with Ewald's sums."""

    def __new__(
        cls,
        *,
        molecules: int = ...,
        density: float = ...,
        masses: Sequence[Any] | Array = ...,
        charge: float = ...,
        bond: float = ...,
        angle: float = ...,
        sigma: float = ...,
        epsilon: float = ...,
        coulomb: float = ...,
        on: float = ...,
        cutoff: float = ...,
        splitting: float = ...,
        waves: int = ...,
        temperature: float = ...,
        seed: int = ...,
    ) -> WaterBox: ...
    molecules: int
    """Number of molecules."""
    density: float
    """Molecules in a cubic nanometre."""
    masses: Any
    """Masses of oxygen and hydrogen, u."""
    charge: float
    """Charge of a hydrogen, e; an oxygen has minus twice as much."""
    bond: float
    """Distance of hydrogen and oxygen in a molecule, nm."""
    angle: float
    """Angle between the two bonds of a molecule, degrees."""
    sigma: float
    """Distance σ of two oxygens at which their energy is zero, nm."""
    epsilon: float
    """Depth ε of the well of two oxygens, kJ/mol."""
    coulomb: float
    """Coulomb's constant k, kJ nm/(mol e²)."""
    on: float
    """Distance from which on the law of Lennard-Jones is switched off, nm."""
    cutoff: float
    """Distance beyond which pairs are not summed, nm; at most half of the edge of the cube."""
    splitting: float
    """Inverse width α of the clouds of charge in Ewald's sums, 1/nm."""
    waves: int
    """Largest number |n| of a wave."""
    temperature: float
    """Temperature at the start, K."""
    seed: int
    """Seed of the orientations and velocities at the start."""

class SpringChain(Model):
    """A chain of point masses on a line between two fixed ends, joined by nonlinear springs."""

    def __new__(
        cls,
        *,
        beads: int = ...,
        mass: float = ...,
        stiffness: float = ...,
        alpha: float = ...,
        beta: float = ...,
    ) -> SpringChain: ...
    beads: int
    """Number of masses, one less than the number of springs."""
    mass: float
    """Mass of each bead."""
    stiffness: float
    """Linear stiffness k."""
    alpha: float
    """Quadratic part α of the force."""
    beta: float
    """Cubic part β of the force."""

class SpringNet(Model):
    """A free net of point masses in the plane, each on springs to its eight neighbours on a square lattice."""

    def __new__(
        cls,
        *,
        rows: int = ...,
        columns: int = ...,
        mass: float = ...,
        stiffness: float = ...,
        length: float = ...,
    ) -> SpringNet: ...
    rows: int
    """Masses from bottom to top."""
    columns: int
    """Masses from left to right."""
    mass: float
    """Mass of each knot."""
    stiffness: float
    """Stiffness k of each spring."""
    length: float
    """Distance l of neighbours at rest."""

class Cube(Model):
    """An elastic cube that flies against a wall: neo-Hookean tetrahedra, and a penalty behind the wall."""

    def __new__(
        cls,
        *,
        cells: int = ...,
        cut: str = ...,
        side: float = ...,
        mesh: Any = ...,
        density: float = ...,
        lambda_: float = ...,
        mu: float = ...,
        wall: Sequence[Any] | Array = ...,
        normal: Sequence[Any] | Array = ...,
        compliance: float = ...,
        velocity: Sequence[Any] | Array = ...,
    ) -> Cube: ...
    cells: int
    """Cells on an edge."""
    cut: str
    """Cut of each cell into tetrahedra."""
    side: float
    """Length of an edge, m."""
    mesh: Any
    """A mesh of Gmsh, lengths in m, in place of the cube of `cells`, `cut` and `side`."""
    density: float
    """Density, kg/m³."""
    lambda_: float
    """Lamé's constant λ, Pa."""
    mu: float
    """Shear modulus μ, Pa."""
    wall: Any
    """A point o of the wall, m."""
    normal: Any
    """The normal n of the wall, away from it."""
    compliance: float
    """Compliance ε of the contact, m²/J."""
    velocity: Any
    """Velocity of the cube at the start, m/s."""

class DampedDoublePendulum(Model):
    """A planar double pendulum in angles with dampers in both joints and a motor in the upper one."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        rods: Sequence[Any] | Array = ...,
        gravity: float = ...,
        damping: Sequence[Any] | Array = ...,
        torque: float = ...,
        frequency: float = ...,
    ) -> DampedDoublePendulum: ...
    masses: Any
    """Masses of the upper and the lower bob, kg."""
    rods: Any
    """Lengths of the rods, m."""
    gravity: float
    """Gravitational acceleration, m/s²."""
    damping: Any
    """Coefficients c₁ and c₂ of the dampers, N·m·s."""
    torque: float
    """Amplitude τ of the torque of the motor, N·m."""
    frequency: float
    """Angular frequency ω of the motor, 1/s."""

class SliderCrank(Model):
    """A slider–crank with a motor: a crank, a rod, and a slider that a constraint keeps on the x axis."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        lengths: Sequence[Any] | Array = ...,
        gravity: float = ...,
        torque: Sequence[Any] | Array = ...,
        frequency: float = ...,
        damping: float = ...,
        crank: float = ...,
        rate: float = ...,
    ) -> SliderCrank: ...
    masses: Any
    """Masses of the crank, the rod and the slider, kg."""
    lengths: Any
    """Lengths of the crank and the rod, m; the rod is the longer one."""
    gravity: float
    """Gravitational acceleration along −y, m/s²."""
    torque: Any
    """Torque of the motor, its mean τ₀ and its amplitude τ₁, N·m."""
    frequency: float
    """Angular frequency ω of the torque, 1/s."""
    damping: float
    """Coefficient c of the damper of the crank, N·m·s."""
    crank: float
    """Angle of the crank at the start."""
    rate: float
    """Angular velocity of the crank at the start, 1/s."""

class FourBar(Model):
    """A four-bar linkage: three uniform rods in a row, from the origin to the point (d, 0)."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        rods: Sequence[Any] | Array = ...,
        base: float = ...,
        gravity: float = ...,
        crank: float = ...,
        rate: float = ...,
    ) -> FourBar: ...
    masses: Any
    """Masses of the rods, kg."""
    rods: Any
    """Lengths of the rods, m."""
    base: float
    """Distance d of the fixed ends, m."""
    gravity: float
    """Gravitational acceleration along −y, m/s²."""
    crank: float
    """Direction of the first rod at the start."""
    rate: float
    """Angular velocity of the first rod at the start, 1/s."""

class FourBars(Model):
    """N four-bars in a row: uniform rods on the ground points (i, 0), with couplers between their tips."""

    def __new__(
        cls,
        *,
        windows: int = ...,
        gravity: float = ...,
        velocity: float = ...,
    ) -> FourBars: ...
    windows: int
    """The number N of windows."""
    gravity: float
    """Gravitational acceleration along −y, m/s²."""
    velocity: float
    """Velocity of the tips at the start, m/s."""

class Bricard(Model):
    """Bricard's linkage: five rods of length one and a fixed sixth in a loop, its joints at right angles."""

    def __new__(
        cls,
        *,
        mass: float = ...,
        gravity: float = ...,
        odd: float = ...,
    ) -> Bricard: ...
    mass: float
    """Mass of a rod, kg."""
    gravity: float
    """Gravitational acceleration, m/s²."""
    odd: float
    """Angle of the odd joints at the start."""

class CarAxis(Model):
    """A car axis: a rod on two springs, the left on flat ground, the right on bumps of height r sin(ω t)."""

    def __new__(
        cls,
        *,
        epsilon: float = ...,
        mass: float = ...,
        length: float = ...,
        spring: float = ...,
        bump: float = ...,
        omega: float = ...,
        gravity: float = ...,
    ) -> CarAxis: ...
    epsilon: float
    """The small parameter ε; the springs have the stiffness 1/ε²."""
    mass: float
    """Mass M of the chassis."""
    length: float
    """Length L of the axis."""
    spring: float
    """Length L₀ of the springs at rest."""
    bump: float
    """Height r of the bumps."""
    omega: float
    """Angular frequency ω of the bumps."""
    gravity: float
    """Gravitational acceleration."""

class FeketePoints(Model):
    """Points on the unit sphere that repel each other, slowed down by drag until they are Fekete points."""

    def __new__(
        cls,
        *,
        points: int = ...,
        drag: float = ...,
    ) -> FeketePoints: ...
    points: int
    """The number of points."""
    drag: float
    """The coefficient α of the drag."""

class ChaplyginSleigh(Model):
    """Chaplygin's sleigh: a body in the plane on a blade that slides along its edge and not across it."""

    def __new__(
        cls,
        *,
        mass: float = ...,
        inertia: float = ...,
        offset: float = ...,
        heading: float = ...,
        rates: Sequence[Any] | Array = ...,
    ) -> ChaplyginSleigh: ...
    mass: float
    """Mass, kg."""
    inertia: float
    """Moment of inertia about the centre of mass, kg·m²."""
    offset: float
    """Distance a of the centre of mass ahead of the blade, m."""
    heading: float
    """Heading φ at the start."""
    rates: Any
    """Velocity along the blade, m/s, and turning rate, 1/s, at the start."""

class Snakeboard(Model):
    """A snakeboard: a board on two pairs of wheels that its rider turns, with a rotor in the middle."""

    def __new__(
        cls,
        *,
        mass: float = ...,
        length: float = ...,
        inertia: Sequence[Any] | Array = ...,
        torques: Sequence[Any] | Array = ...,
        frequencies: Sequence[Any] | Array = ...,
        wheels: float = ...,
        heading: float = ...,
    ) -> Snakeboard: ...
    mass: float
    """Mass of everything, kg."""
    length: float
    """Distance r of the wheels from the middle, m."""
    inertia: Any
    """Moments of inertia of the rotor and of a pair of wheels, kg·m²."""
    torques: Any
    """Amplitudes T₀ and T₁ of the torques on rotor and wheels, N·m."""
    frequencies: Any
    """Angular frequencies ω₀ and ω₁ of the torques, 1/s."""
    wheels: float
    """Angle φ of the wheels at the start."""
    heading: float
    """Heading θ at the start."""

class Top(Model):
    """A heavy symmetric top with its tip at a fixed point, by a unit quaternion u."""

    def __new__(
        cls,
        *,
        inertia: Sequence[Any] | Array = ...,
        moment: float = ...,
        tilt: float = ...,
        spin: float = ...,
    ) -> Top: ...
    inertia: Any
    """Moments of inertia about the tip, A across the axis and C along it, kg·m²."""
    moment: float
    """Weight times the distance of the centre of mass from the tip, m g ℓ, N·m."""
    tilt: float
    """Angle of the axis from the vertical at the start."""
    spin: float
    """Angular velocity about the axis at the start, 1/s."""

class JointedBoxes(Model):
    """A chain of boxes that hangs from the origin, with ball joints in the middles of their small faces."""

    def __new__(
        cls,
        *,
        boxes: int = ...,
        mass: float = ...,
        sides: Sequence[Any] | Array = ...,
        gravity: float = ...,
    ) -> JointedBoxes: ...
    boxes: int
    """The number of boxes."""
    mass: float
    """Mass of a box, kg."""
    sides: Any
    """Sides of a box, m; the joints are at both ends of the first."""
    gravity: float
    """Gravitational acceleration along −z, m/s²."""

class CartPendulum(Model):
    """A pendulum on a cart that a force pushes along a rail: the task that control begins with."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        rod: float = ...,
        gravity: float = ...,
        push: float = ...,
    ) -> CartPendulum: ...
    masses: Any
    """Masses of the cart and of the bob, kg."""
    rod: float
    """Length of the rod, m."""
    gravity: float
    """Gravitational acceleration, m/s²."""
    push: float
    """Force on the cart, N, a function of time."""

class CartDoublePendulum(Model):
    """A double pendulum on a cart that a force pushes along a rail: one force for three degrees of freedom."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        rods: Sequence[Any] | Array = ...,
        gravity: float = ...,
        push: float = ...,
    ) -> CartDoublePendulum: ...
    masses: Any
    """Masses of the cart, of the upper and of the lower bob, kg."""
    rods: Any
    """Lengths of the upper and the lower rod, m."""
    gravity: float
    """Gravitational acceleration, m/s²."""
    push: float
    """Force on the cart, N, a function of time."""
