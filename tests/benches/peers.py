"""From a Lagrangian to motion: a declaration beside SymPy with SciPy, beside heyoka, and beside SciPy with numba.

    pip install ./workbench/python sympy==1.14.0 scipy==1.17.1 heyoka==7.13.2 numba==0.68.1
    python tests/benches/peers.py

Each row is a process of its own, and its figure is processor time of that process after the imports.  Three tables:

- from the source of n plane pendulums in angles, on one another, to accelerations (SymPy) or to the first step;
- the double pendulum, its Lagrangian written out, to t = 10: the time of steps alone, at equal error at the end, beside a run of twelve digits;
- 100 rods from a line to t = 5, by methods of order 8 with a tolerance, beside slopes that numba compiles from loops by hand.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

GRAVITY, ROD = 1.0, 5.0**0.5
START = [0.46, 1.1]
RODS, TOLERANCES = 100, [10.0 ** (-k / 2) for k in range(6, 25)]

PENDULUMS = """
struct Pendulums { links: usize }

impl Default for Pendulums {
    fn default() -> Self {
        Self { links: 2 }
    }
}

#[lagrangian]
impl Pendulums {
    fn lagrangian(&self, theta: [Angle; self.links]) -> Scalar {
        let rod = 5.0_f64.sqrt();
        let bobs = each(0..self.links, |i| sum(0..=i, |k| rod * vec2(theta[k].sin(), -theta[k].cos())));
        let kinetic = sum(0..self.links, |i| 0.5 * der(bobs[i]).norm_squared());
        kinetic - sum(0..self.links, |i| bobs[i].y)
    }
}
"""

DOUBLE = """
#[lagrangian]
impl DoublePendulum {
    fn lagrangian(&self, a: Angle, b: Angle) -> Scalar {
        let speeds = 2.0 * der(a).powi(2) + der(b).powi(2) + 2.0 * der(a) * der(b) * (a - b).cos();
        2.5 * speeds + 5.0_f64.sqrt() * (2.0 * a.cos() + b.cos())
    }
}
"""


def sympy_functions(links, is_written_out=False):
    """Mass matrix and forces of `LagrangesMethod`, as one function of (angles, rates)."""
    import sympy
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    angles, rates = dynamicsymbols(f"theta:{links}"), dynamicsymbols(f"theta:{links}", 1)
    time_symbol = dynamicsymbols._t
    x = y = lagrangian = 0
    for angle in angles:
        x, y = x + ROD * sympy.sin(angle), y - ROD * sympy.cos(angle)
        lagrangian += (x.diff(time_symbol) ** 2 + y.diff(time_symbol) ** 2) / 2 - GRAVITY * y
    if is_written_out:
        (a, b), (va, vb) = angles, rates
        speeds = 2 * va**2 + vb**2 + 2 * va * vb * sympy.cos(a - b)
        lagrangian = 2.5 * speeds + ROD * (2 * sympy.cos(a) + sympy.cos(b))
    method = LagrangesMethod(lagrangian, angles)
    method.form_lagranges_equations()
    return sympy.lambdify([[*angles, *rates]], [method.mass_matrix, method.forcing], cse=True)


def begin_sympy(links):
    mass, force = sympy_functions(links)([*np.resize(START, links), *np.zeros(links)])
    np.linalg.solve(np.array(mass, float), np.array(force, float).ravel())


def begin_heyoka(links):
    import heyoka

    angles = [heyoka.expression(f"theta{k}") for k in range(links)]
    rates = [heyoka.expression(f"rate{k}") for k in range(links)]
    vx = vy = y = lagrangian = 0.0
    for angle, rate in zip(angles, rates):
        vx, vy = vx + ROD * heyoka.cos(angle) * rate, vy + ROD * heyoka.sin(angle) * rate
        y = y - ROD * heyoka.cos(angle)
        lagrangian = lagrangian + 0.5 * (vx * vx + vy * vy) - GRAVITY * y
    equations = heyoka.lagrangian(lagrangian, angles, rates)
    # The compact mode is the quicker one to begin: without it five pendulums take 16 times as long.
    heyoka.taylor_adaptive(equations, [*np.resize(START, links), *np.zeros(links)], compact_mode=True).step()


def begin_ours(links):
    import least_action

    model = least_action.declare(PENDULUMS)(links=links)
    start = {"q": np.resize(START, links), "v": np.zeros(links)}
    model.start("variational-midpoint", step=0.01, start=start).step()


def motion_scipy(error):
    """Seconds of `solve_ivp` to t = 10, and its error at the end, at the loosest tolerance that keeps `error`."""
    from scipy.integrate import solve_ivp

    function = sympy_functions(2, is_written_out=True)

    def slope(_, state):
        mass, force = function(state)
        return [*state[2:], *np.linalg.solve(mass, force).ravel()]

    def end(tolerance):
        began = time.process_time()
        found = solve_ivp(slope, (0, 10), [*START, 0, 0], "DOP853", rtol=tolerance, atol=tolerance)
        return time.process_time() - began, found.y[:2, -1]

    return quickest(end, end(1e-13)[1], [10.0**-k for k in range(3, 13)], error)


def motion_ours(error):
    """Seconds of a run to t = 10 by the method of the same kind: an explicit one of order 8 with a tolerance."""
    return motion("reference", lambda k: {"step": 10.0, "tolerance": 10.0**-k}, range(3, 14), error)


def motion_symplectic(error):
    """Seconds of a run to t = 10 by a symplectic method of order 8, at the longest step that keeps `error`."""
    return motion("variational-midpoint", lambda k: {"step": 10 / 2**k, "order": 8}, range(4, 12), error)


def motion(method, options, choices, error):
    import least_action

    model = least_action.declare(DOUBLE)()
    start = {"q": START, "v": [0.0, 0.0]}

    def end(choice):
        stepper = model.start(method, start=start, **options(choice))
        began = time.process_time()
        stepper.step(round(10 / options(choice)["step"]))
        return time.process_time() - began, stepper.q

    return quickest(end, end(choices[-1])[1], choices, error)


def slope_of_rods(_, state):
    """Velocities and accelerations of bobs on rods d: the tridiagonal G M⁻¹ Gᵀ gives the tensions in two passes."""
    n = state.size // 4
    slope, rods = np.empty_like(state), np.empty((n, 2))
    pivots, links, tensions = np.empty(n), np.empty(n + 1), np.zeros(n + 1)
    places, speeds = state[: 2 * n].reshape(n, 2), state[2 * n :].reshape(n, 2)
    slope[: 2 * n] = state[2 * n :]
    accelerations = slope[2 * n :].reshape(n, 2)
    for i in range(n):
        x, y, u, v = places[i, 0], places[i, 1], speeds[i, 0], speeds[i, 1]
        if i > 0:
            x, y = x - places[i - 1, 0], y - places[i - 1, 1]
            u, v = u - speeds[i - 1, 0], v - speeds[i - 1, 1]
        rods[i, 0], rods[i, 1] = x, y
        square = x * x + y * y
        if i == 0:
            pivots[i], tensions[i] = square, GRAVITY * y - u * u - v * v
        else:
            links[i] = -(x * rods[i - 1, 0] + y * rods[i - 1, 1])
            factor = links[i] / pivots[i - 1]
            pivots[i] = 2 * square - factor * links[i]
            tensions[i] = -u * u - v * v - factor * tensions[i - 1]
    links[n] = 0.0
    for i in range(n - 1, -1, -1):
        tensions[i] = (tensions[i] - links[i + 1] * tensions[i + 1]) / pivots[i]
        accelerations[i, 0], accelerations[i, 1] = tensions[i] * rods[i, 0], tensions[i] * rods[i, 1] - GRAVITY
        if i < n - 1:
            accelerations[i, 0] -= tensions[i + 1] * rods[i + 1, 0]
            accelerations[i, 1] -= tensions[i + 1] * rods[i + 1, 1]
    return slope


def motion_rods_numba(error):
    import numba
    from scipy.integrate import solve_ivp

    slope = numba.njit(slope_of_rods)
    start = np.concatenate([np.outer(np.arange(1, RODS + 1), [1.0, -2.0]).ravel(), np.zeros(2 * RODS)])

    def end(tolerance):
        began = time.process_time()
        found = solve_ivp(slope, (0, 5), start, "DOP853", rtol=tolerance, atol=tolerance)
        return time.process_time() - began, found.y[: 2 * RODS, -1]

    return quickest(end, end(1e-13)[1], TOLERANCES, error)


def motion_rods_ours(error):
    import least_action

    model = least_action.Chain(links=RODS)

    def end(tolerance):
        stepper = model.start("reference", step=5.0, tolerance=tolerance)
        began = time.process_time()
        stepper.step()
        return time.process_time() - began, stepper.q

    return quickest(end, end(1e-13)[1], TOLERANCES, error)


def quickest(end, reference, choices, error):
    for choice in choices:
        seconds, found = end(choice)
        off = np.abs(np.array(found) - reference).max()
        if off <= error:
            return min(seconds, *(end(choice)[0] for _ in range(4))), off
    raise SystemExit("no choice keeps the error")


def row(name, argument):
    """Runs a function of this file in a process of its own, which finds nothing that another one compiled."""
    with tempfile.TemporaryDirectory() as home:
        given = {"capture_output": True, "text": True, "check": False, "env": {**os.environ, "HOME": home}}
        found = subprocess.run([sys.executable, __file__, name, str(argument)], **given)
    return found.stdout.split() or [found.stderr.strip().splitlines()[-1]]


def main():
    print("| pendulums | declared, ms | SymPy, ms | heyoka, ms |\n|---|---|---|---|")
    for links in (2, 5, 10):
        figures = [row(name, links)[0] for name in ("begin_ours", "begin_sympy", "begin_heyoka")]
        print(f"| {links} | {' | '.join(figures)} |", flush=True)
    print("\n| error | declared, ms | symplectic, ms | SciPy, ms | errors |\n|---|---|---|---|---|")
    for error in (1e-4, 1e-6, 1e-8):
        found = [row(name, error) for name in ("motion_ours", "motion_symplectic", "motion_scipy")]
        print(f"| {error:g} | {' | '.join(own[0] for own in found)} | {', '.join(own[-1] for own in found)} |", flush=True)
    print("\n| error | 100 rods declared, ms | SciPy with numba, ms | errors |\n|---|---|---|---|")
    for error in (1e-4, 1e-6, 1e-8):
        found = [row(name, error) for name in ("motion_rods_ours", "motion_rods_numba")]
        print(f"| {error:g} | {' | '.join(own[0] for own in found)} | {', '.join(own[-1] for own in found)} |", flush=True)


def one(name, argument):
    begin, is_motion = globals()[name], name.startswith("motion")
    if is_motion:
        seconds, off = begin(float(argument))
        return print(f"{1e3 * seconds:.3g} {off:.1e}")
    __import__({"ours": "least_action", "sympy": "sympy.physics.mechanics", "heyoka": "heyoka"}[name.split("_")[1]])
    began = time.process_time()
    begin(int(argument))
    print(f"{1e3 * (time.process_time() - began):.3g}")


if __name__ == "__main__":
    one(*sys.argv[1:]) if len(sys.argv) > 1 else main()
