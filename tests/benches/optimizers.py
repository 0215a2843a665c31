"""Fits beside JAX with SciPy, and a swing-up beside CasADi with ipopt.

    pip install ./workbench/python numpy==2.4.6 scipy==1.17.1 jax==0.10.2 casadi==3.8.2
    taskset -c 0 python tests/benches/optimizers.py

All figures are processor time of this process, the best of three, after compilation and without it.

- A chain of 20 masses on springs with a cubic part, by velocity Verlet with 500 steps, and 2 000 samples with noise that the chain
  itself has made: fits of 3 and of 20 numbers.
- A cart swings its pendulum up by the variational trapezoid rule, each step with a force of its own: ½ ∫ u² dt, with bounds.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import time

import numpy as np

MASSES, STEP, STEPS, EVERY = 20, 0.02, 500, 5
RIGHT = {"stiffness": 30 + 5 * np.sin(np.arange(MASSES)), "cubic": 8.0, "mass": 1.0, "gravity": 0.3}
GUESSES = [{"cubic": 5.0, "mass": 1.2, "gravity": 0.2}, {"stiffness": np.full(MASSES, 30.0)}]
START = 0.1 * np.sin(1.0 + np.arange(MASSES))

CHAIN = """
struct Chain { stiffness: Vec<f64>, cubic: f64, mass: f64, gravity: f64 }

impl Default for Chain {
    fn default() -> Self {
        Self { stiffness: vec![30.0; 20], cubic: 8.0, mass: 1.0, gravity: 0.3 }
    }
}

#[lagrangian(sensitive(stiffness, cubic, mass, gravity))]
impl Chain {
    fn lagrangian(&self, x: [Scalar; self.stiffness.len()]) -> Scalar {
        let n = self.stiffness.len();
        let first = 0.5 * self.stiffness[0] * x[0].powi(2) + 0.25 * self.cubic * x[0].powi(4);
        let others = sum(1..n, |k| {
            let s = x[k] - x[k - 1];
            0.5 * self.stiffness[k] * s.powi(2) + 0.25 * self.cubic * s.powi(4)
        });
        sum(0..n, |k| 0.5 * self.mass * der(x[k]).powi(2) + self.mass * self.gravity * x[k]) - first - others
    }
}
"""


def best(work):
    seconds = []
    for _ in range(3):
        began = time.process_time()
        found = work()
        seconds.append(time.process_time() - began)
    return 1e3 * min(seconds), found


def motion(numbers):
    """Positions at each fifth step, in JAX."""
    import jax
    import jax.numpy as jnp

    def force(x):
        stretch = jnp.diff(x, prepend=0.0)
        pull = numbers["stiffness"] * stretch + numbers["cubic"] * stretch**3
        return numbers["gravity"] - (pull - jnp.append(pull[1:], 0.0)) / numbers["mass"]

    def step(state, _):
        x, v, a = state
        v = v + 0.5 * STEP * a
        x = x + STEP * v
        a = force(x)
        return (x, v + 0.5 * STEP * a, a), x

    x = jnp.asarray(START)
    return jax.lax.scan(step, (x, jnp.zeros(MASSES), force(x)), None, length=STEPS)[1][EVERY - 1 :: EVERY]


def fit_jax(data, guess):
    import jax
    from scipy.optimize import least_squares

    first = np.concatenate([np.atleast_1d(value) for value in guess.values()])

    def residuals(x):
        free, place = dict(RIGHT), 0
        for name, value in guess.items():
            free[name] = x[place : place + np.size(value)] if np.ndim(value) else x[place]
            place += np.size(value)
        return (motion(free) - data).ravel()

    value, slopes = jax.jit(residuals), jax.jit(jax.jacfwd(residuals))
    began = time.process_time()
    value(first).block_until_ready(), slopes(first).block_until_ready()
    compiled = 1e3 * (time.process_time() - began)
    milliseconds, found = best(
        lambda: least_squares(lambda x: np.asarray(value(x)), first, lambda x: np.asarray(slopes(x)), method="lm")
    )
    return milliseconds, compiled, 2 * found.cost


def fit_ours(data, guess):
    import least_action

    plain = {name: np.asarray(value).tolist() for name, value in {**RIGHT, **guess}.items()}
    model = least_action.declare(CHAIN)(**plain)
    table = {"t": STEP * EVERY * np.arange(1, len(data) + 1), "x": data}
    start = {"q": START, "v": np.zeros(MASSES)}
    free = list(guess)
    milliseconds, found = best(lambda: model.fit(table, free, method="verlet", step=STEP, start=start, once=True))
    return milliseconds, found["chi_square"]


def control_ipopt(steps, end=2.0, masses=(1.0, 0.3), rod=0.5):
    import casadi

    h = end / steps

    def lagrangian(q, v):
        bob = casadi.vertcat(v[0] + rod * casadi.cos(q[1]) * v[1], rod * casadi.sin(q[1]) * v[1])
        return 0.5 * masses[0] * v[0] ** 2 + 0.5 * masses[1] * casadi.dot(bob, bob) + masses[1] * 9.81 * rod * casadi.cos(q[1])

    q0, q1, u = (casadi.SX.sym(name, size) for name, size in (("q0", 2), ("q1", 2), ("u", 1)))
    v = (q1 - q0) / h
    action, push = h / 2 * (lagrangian(q0, v) + lagrangian(q1, v)), h / 2 * casadi.vertcat(u, 0)
    ends = casadi.Function("ends", [q0, q1, u], [-casadi.gradient(action, q0) - push, casadi.gradient(action, q1) + push])
    q = [casadi.SX.sym(f"q{k}", 2) for k in range(steps + 1)]
    p = [casadi.SX.sym(f"p{k}", 2) for k in range(steps + 1)]
    u = [casadi.SX.sym(f"u{k}") for k in range(steps)]
    unknowns, first, lower, upper, rows = [], [], [], [], []
    start, goal = np.zeros(2), np.array([1.0, np.pi])
    for k in range(steps + 1):
        free = [2, np.inf, np.inf, np.inf]
        held = {0: [*start, 0, 0], steps: [*goal, 0, 0]}.get(k)
        unknowns += [q[k], p[k]]
        first += [*(start + (goal - start) * k / steps), 0, 0]
        lower += held or [-bound for bound in free]
        upper += held or free
        if k < steps:
            unknowns, first, lower, upper = unknowns + [u[k]], first + [0], lower + [-20], upper + [20]
            before, after = ends(q[k], q[k + 1], u[k])
            rows += [p[k] - before, p[k + 1] - after]
    cost = 0.5 * h * sum(force**2 for force in u)
    problem = {"x": casadi.vertcat(*unknowns), "f": cost, "g": casadi.vertcat(*rows)}
    solver = casadi.nlpsol("solver", "ipopt", problem, {"ipopt.print_level": 0, "print_time": 0, "ipopt.sb": "yes"})
    milliseconds, found = best(lambda: solver(x0=first, lbx=lower, ubx=upper, lbg=0, ubg=0))
    return milliseconds, solver.stats()["iter_count"], float(found["f"])


def control_ours(steps, end=2.0):
    import least_action

    model = least_action.CartPendulum(masses=[1.0, 0.3])
    goal = {"x": 1.0, "theta": np.pi, "der": 0.0}
    given = {"until": end, "step": end / steps, "method": "variational-trapezoid", "pieces": steps}
    bounds, start = {"push": [-20, 20], "x": [-2, 2]}, {"q": [0.0, 0.0], "v": [0.0, 0.0]}
    milliseconds, found = best(lambda: model.control(goal, bounds=bounds, start=start, **given))
    return milliseconds, found["iterations"], found["cost"]


def main():
    import jax

    jax.config.update("jax_enable_x64", True)
    noise = 1e-3 * np.random.default_rng(1).standard_normal((STEPS // EVERY, MASSES))
    data = np.asarray(motion(RIGHT)) + noise
    print("| free | declared, ms | JAX, ms | its compilation, ms | ratio | χ² |\n|---|---|---|---|---|---|")
    for guess in GUESSES:
        ours, square = fit_ours(data, guess)
        theirs, compiled, other = fit_jax(data, guess)
        count = sum(map(np.size, guess.values()))
        row = f"{count} | {ours:.3g} | {theirs:.3g} | {compiled:.3g} | {ours / theirs:.2f}"
        print(f"| {row} | {square:.9g}, {other:.9g} |", flush=True)
    print("\n| steps | declared, ms | ipopt, ms | ratio | iterations | cost |\n|---|---|---|---|---|---|")
    for steps in (50, 100, 200):
        (ours, own, cost), (theirs, others, other) = control_ours(steps), control_ipopt(steps)
        row = f"{steps} | {ours:.3g} | {theirs:.3g} | {ours / theirs:.2f} | {own}, {others}"
        print(f"| {row} | {cost:.9g}, {other:.9g} |", flush=True)


if __name__ == "__main__":
    main()
