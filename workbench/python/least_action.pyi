"""Mechanical systems declared as Lagrangians, integrated by structure-preserving methods."""

from os import PathLike
from typing import Any, Iterator, Mapping, Sequence, TypeAlias

import numpy
import numpy.typing

__version__: str
Array: TypeAlias = numpy.typing.NDArray[numpy.float64]
Numbers: TypeAlias = Sequence[float] | Array
State: TypeAlias = Mapping[str, Any] | tuple[Numbers, Numbers]
# A csc_matrix of SciPy, which need not be installed.
Matrix: TypeAlias = Any

class RunError(RuntimeError):
    """A run failed; `run` has what it had computed, and is None where a stepper failed, which keeps its last state."""

    run: Run | None

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
    def values(self) -> list[Array]: ...
    def items(self) -> list[tuple[str, Array]]: ...
    def __getitem__(self, name: str) -> Array: ...
    def __contains__(self, name: str) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: Any = ...) -> Any: ...
    def to_arrow(self) -> Any: ...
    def report(self, path: str | PathLike[str]) -> None: ...
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
    def step(self, n: int = ..., **inputs: float) -> None: ...
    def set_state(self, q: Numbers, v: Numbers, t: float | None = ...) -> None: ...
    def reset(self) -> None: ...

class Model:
    """A mechanical system: a declared model, bound to parameters."""

    parameters: dict[str, Any]
    coordinates: list[str]
    initial: dict[str, Any]
    constraint_rows: list[dict[str, str]]
    methods: list[str]
    def set(self, **parameters: Any) -> None: ...
    def start(
        self,
        method: str,
        *,
        step: float,
        start: State | None = ...,
        seed: int | None = ...,
        **options: Any,
    ) -> Stepper: ...
    def run(
        self,
        method: str,
        *,
        step: float,
        until: float,
        start: State | None = ...,
        observe: str | Sequence[str] | None = ...,
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

def resume(
    file: str | PathLike[str],
    *,
    until: float | None = ...,
    out: str | PathLike[str] | None = ...,
) -> Run: ...
def load(file: str | PathLike[str], member: int | None = ...) -> Run: ...
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

class DoublePendulum(Model):
    """The planar double pendulum in Cartesian coordinates, with rigid rods."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        rods: Sequence[Any] | Array = ...,
        gravity: float = ...,
    ) -> DoublePendulum: ...
    masses: Any
    rods: Any
    gravity: float

class DoublePendulumAngles(Model):
    """The planar double pendulum in angles: no constraints, and a mass matrix that depends on θ − φ."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        rods: Sequence[Any] | Array = ...,
        gravity: float = ...,
    ) -> DoublePendulumAngles: ...
    masses: Any
    rods: Any
    gravity: float

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
    mass: float
    gravity: float
    rod: float

class Pendulums(Model):
    """Pendulums that hang on one another, in angles: no constraints, and a mass matrix that depends on all of them."""

    def __new__(
        cls,
        *,
        links: int = ...,
        mass: float = ...,
        gravity: float = ...,
        rod: float = ...,
    ) -> Pendulums: ...
    links: int
    mass: float
    gravity: float
    rod: float

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
    masses: Any
    charges: Any
    coulomb: float
    repulsion: float
    attraction: float
    bond: float
    angle: float

class Dna(Model):
    """A ring of DNA base pairs, each an angle in a Morse well and coupled to its neighbours by torsion springs."""

    def __new__(
        cls,
        *,
        pairs: int = ...,
        a: float = ...,
        x0: float = ...,
        epsilon: float = ...,
    ) -> Dna: ...
    pairs: int
    a: float
    x0: float
    epsilon: float

class RigidBody(Model):
    """A magnetized rigid body that turns about a fixed point in a field, by its rotation matrix."""

    def __new__(
        cls,
        *,
        moment: float = ...,
    ) -> RigidBody: ...
    moment: float

class DrivenPendulum(Model):
    """A pendulum whose pivot is shaken up and down fast enough to hold it upright."""

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
    gravity: float
    v_max: float
    omega: float
    phase: float

class DrivenPendulumCartesian(Model):
    """A pendulum whose pivot is shaken up and down, in Cartesian coordinates, seen from the pivot."""

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
    gravity: float
    v_max: float
    omega: float
    phase: float

class DrivenDoublePendulum(Model):
    """A double pendulum whose pivot is shaken up and down fast enough to hold both rods upright, seen from the pivot."""

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
    rods: Any
    gravity: float
    v_max: float
    omega: float
    phase: float

class Oscillator(Model):
    """A stiff oscillator whose centre moves slowly: q̈ = −ω² (q − cos t)."""

    def __new__(
        cls,
        *,
        omega: float = ...,
    ) -> Oscillator: ...
    omega: float

class SpringPendulum(Model):
    """A point mass on a stiff spring that swings around the origin. y points up."""

    def __new__(
        cls,
        *,
        mass: float = ...,
        length: float = ...,
        gravity: float = ...,
        omega: float = ...,
    ) -> SpringPendulum: ...
    mass: float
    length: float
    gravity: float
    omega: float

class DoubleSpring(Model):
    """A chain of unit masses on unit springs, in the plane and without gravity; the first spring is hinged at the origin."""

    def __new__(
        cls,
        *,
        links: int = ...,
    ) -> DoubleSpring: ...
    links: int

class Kepler(Model):
    """Kepler's problem in the plane, in Cartesian coordinates: L = ½ |q̇|² + 1/|q|."""

    def __new__(
        cls,
        *,
        eccentricity: float = ...,
    ) -> Kepler: ...
    eccentricity: float

class KeplerPolar(Model):
    """Kepler's problem in polar coordinates: L = ½ (ṙ² + r² θ̇²) + 1/r."""

    def __new__(
        cls,
        *,
        eccentricity: float = ...,
    ) -> KeplerPolar: ...
    eccentricity: float

class KeplerRadial(Model):
    """Kepler's problem reduced to the distance: L = ½ ṙ² + 1/r − Θ²/(2 r²) with the angular momentum Θ = √(1 − e²)."""

    def __new__(
        cls,
        *,
        eccentricity: float = ...,
    ) -> KeplerRadial: ...
    eccentricity: float

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
    epsilon: float
    sigma: float

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
    mass: float
    epsilon: float
    sigma: float

class Liquid(Model):
    """A liquid of like atoms in a periodic cube, which attract and repel each other by the law of Lennard-Jones as far as a cutoff."""

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
    density: float
    on: float
    cutoff: float
    temperature: float
    seed: int

class Copper(Model):
    """A crystal of copper in a periodic cube: atoms that repel each other in pairs, and are held by the electrons of all others."""

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
    spacing: float
    mass: float
    repulsion: float
    hopping: float
    steepness: float
    decay: float
    distance: float
    on: float
    cutoff: float
    temperature: float
    seed: int

class SmoothedDrop(Model):
    """A drop of gas in the plane that its own attraction holds together, as smoothed particles."""

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
    mass: float
    stiffness: float
    gamma: float
    attraction: float
    h: float
    stretch: float
    spin: float

class Polymer(Model):
    """A polymer that is held by its size: a chain of beads on springs which repel each other, with a restraint of its radius of gyration."""

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
    bond: float
    bond_stiffness: float
    repulsion: float
    radius: float
    stiffness: float
    temperature: float
    seed: int

class PolymerConstrained(Model):
    """A polymer of given size: a chain of beads on springs which repel each other, with a constraint on its radius of gyration."""

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
    bond: float
    bond_stiffness: float
    repulsion: float
    radius: float
    temperature: float
    seed: int

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
    density: float
    masses: Any
    charge: float
    bond: float
    angle: float
    sigma: float
    epsilon: float
    coulomb: float
    on: float
    cutoff: float
    splitting: float
    waves: int
    temperature: float
    seed: int

class SpringChain(Model):
    """A chain of point masses on a line between two fixed ends, joined by springs that are not linear."""

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
    mass: float
    stiffness: float
    alpha: float
    beta: float

class SpringNet(Model):
    """A free net of point masses in the plane: each is joined by springs to its eight neighbours on a square lattice."""

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
    columns: int
    mass: float
    stiffness: float
    length: float

class Cube(Model):
    """An elastic cube that flies against a wall: compressible neo-Hookean tetrahedra with a contact penalty."""

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
    cut: str
    side: float
    mesh: Any
    density: float
    lambda_: float
    mu: float
    wall: Any
    normal: Any
    compliance: float
    velocity: Any

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
    rods: Any
    gravity: float
    damping: Any
    torque: float
    frequency: float

class SliderCrank(Model):
    """A slider–crank with a motor: a crank, a connecting rod, and a slider on the x axis."""

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
    lengths: Any
    gravity: float
    torque: Any
    frequency: float
    damping: float
    crank: float
    rate: float

class FourBar(Model):
    """A four-bar linkage: three uniform rods that hang together, the first from the origin, the last with its end at (d, 0)."""

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
    rods: Any
    base: float
    gravity: float
    crank: float
    rate: float

class FourBars(Model):
    """N four-bars in a row: uniform rods of unit length and mass on the ground points (i, 0), their tips joined by couplers."""

    def __new__(
        cls,
        *,
        windows: int = ...,
        gravity: float = ...,
        velocity: float = ...,
    ) -> FourBars: ...
    windows: int
    gravity: float
    velocity: float

class Bricard(Model):
    """Bricard's linkage: five rods of unit length in a closed loop with a sixth that stands still, each joint at right angles to the next."""

    def __new__(
        cls,
        *,
        mass: float = ...,
        gravity: float = ...,
        odd: float = ...,
    ) -> Bricard: ...
    mass: float
    gravity: float
    odd: float

class CarAxis(Model):
    """A car axis: a rod whose ends stand on springs, the left one on flat ground, the right one on a road with bumps."""

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
    mass: float
    length: float
    spring: float
    bump: float
    omega: float
    gravity: float

class FeketePoints(Model):
    """Points on the unit sphere that repel each other and are slowed down by drag."""

    def __new__(
        cls,
        *,
        points: int = ...,
        drag: float = ...,
    ) -> FeketePoints: ...
    points: int
    drag: float

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
    inertia: float
    offset: float
    heading: float
    rates: Any

class Snakeboard(Model):
    """A snakeboard: a board on two pairs of wheels that its rider turns against each other, with a rotor in the middle."""

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
    length: float
    inertia: Any
    torques: Any
    frequencies: Any
    wheels: float
    heading: float

class Top(Model):
    """A heavy symmetric top with its tip at a fixed point, by a unit quaternion."""

    def __new__(
        cls,
        *,
        inertia: Sequence[Any] | Array = ...,
        moment: float = ...,
        tilt: float = ...,
        spin: float = ...,
    ) -> Top: ...
    inertia: Any
    moment: float
    tilt: float
    spin: float

class JointedBoxes(Model):
    """A chain of boxes that hangs from the origin, joined by ball joints."""

    def __new__(
        cls,
        *,
        boxes: int = ...,
        mass: float = ...,
        sides: Sequence[Any] | Array = ...,
        gravity: float = ...,
    ) -> JointedBoxes: ...
    boxes: int
    mass: float
    sides: Any
    gravity: float

class CartPendulum(Model):
    """A pendulum on a cart that a force pushes along a rail."""

    def __new__(
        cls,
        *,
        masses: Sequence[Any] | Array = ...,
        rod: float = ...,
        gravity: float = ...,
        push: float = ...,
    ) -> CartPendulum: ...
    masses: Any
    rod: float
    gravity: float
    push: float
