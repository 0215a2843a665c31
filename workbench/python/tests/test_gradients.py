"""Derivatives of motions: beside differences, along a direction and transposed, and in other libraries."""

import _thread
import importlib.util
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import least_action

COURSE = {"times": [0.0, 0.1, 0.25, 0.5, 1.0], "values": [1.0, -1.0, 2.0, 0.5], "kind": "constant"}

# A model with a method, its options and its parameters.
MOTIONS = [
    (lambda: least_action.DoublePendulum(masses=[1.0, 2.0]), "rattle", {}, ["masses", "rods", "gravity"]),
    (lambda: least_action.DoublePendulum(), "rattle", {"friction": 0.3, "order": None}, ["masses", "rods", "gravity"]),
    (lambda: least_action.DoublePendulum(), "verlet", {"omega": 20.0}, ["masses", "rods", "gravity", "omega"]),
    (lambda: least_action.CartPendulum(push=COURSE), "variational-midpoint", {}, ["masses", "rod", "gravity", "push"]),
    (lambda: least_action.CartPendulum(push=0.5), "variational-trapezoid", {}, ["masses", "rod", "gravity", "push"]),
    (lambda: least_action.Kepler(), "implicit-midpoint", {"order": 4}, []),
]


def run_of(make, method, options, **others):
    options = {name: value for name, value in options.items() if value is not None}
    return make().run(method, step=0.02, until=1.0, every=5, seed=3, **options, **others)


@pytest.mark.parametrize("make, method, options, names", MOTIONS)
def test_a_transposed_derivative_has_the_numbers_of_the_derivative(make, method, options, names):
    run = run_of(make, method, options)
    random = numpy.random.default_rng(1)
    q_bar, v_bar = random.normal(size=(2, *run.q.shape))
    back = run.vjp(q_bar, v_bar)
    assert list(back.parameters) == names
    along = {name: random.normal(size=numpy.shape(slope)) for name, slope in back.parameters.items()}
    q, v = random.normal(size=(2, run.q.shape[1]))
    of_q, of_v = run.jvp(q=q, v=v, **along)
    terms = [back.q * q, back.v * v] + [along[name] * slope for name, slope in back.parameters.items()]
    right, size = sum(numpy.sum(term) for term in terms), sum(numpy.abs(term).sum() for term in terms)
    left = (q_bar * of_q).sum() + (v_bar * of_v).sum()
    assert abs(left - right) < 1e-12 * size
    assert back.value == pytest.approx((q_bar * run.q).sum() + (v_bar * run.v).sum(), rel=1e-13)
    # Either half alone is zero.
    assert run.vjp(q_bar).value + run.vjp(None, v_bar).value == pytest.approx(back.value, rel=1e-12)


@pytest.mark.parametrize("make, method, options, names", [MOTIONS[0], MOTIONS[3]])
def test_rows_along_parameters_are_the_differences_of_runs(make, method, options, names):
    model, run, h = make(), run_of(make, method, options), 1e-5
    for name in names:
        value = COURSE["values"] if name == "push" else model.parameters[name]
        way = numpy.linspace(1.0, 2.0, numpy.size(value)).reshape(numpy.shape(value))

        def moved(side):
            moved, numbers = make(), value + side * way
            moved.set(**{name: {**COURSE, "values": numbers} if name == "push" else numbers})
            # Rods move the start, which the derivative takes as projected.
            start = moved.project(model.initial) if moved.constraint_rows else model.initial
            return run_of(lambda: moved, method, options, start=start)

        ends = [moved(side) for side in (h, -h)]
        for found, column in zip(run.jvp(**{name: way}), "qv"):
            differences = (getattr(ends[0], column) - getattr(ends[1], column)) / (2 * h)
            assert numpy.abs(found - differences).max() < 1e-7 * max(1.0, numpy.abs(differences).max()), (name, column)


def test_a_gradient_is_the_slope_of_its_loss():
    model = least_action.DoublePendulumAngles(gravity=9.81)
    run = model.run("variational-midpoint", step=0.02, until=1.0)
    losses = ["end: phi = 0.5", "mean: der.theta = 1"]
    found = model.gradient_of(run, losses)
    assert found.value == pytest.approx(sum(model.gradient_of(run, loss).value for loss in losses), rel=1e-13)
    end = run["phi"][-1] - 0.5
    assert model.gradient_of(run, losses[0]).value == pytest.approx(0.5 * end**2, rel=1e-12)
    h = 1e-5
    for name in ("gravity", "masses", "rods"):
        value = numpy.asarray(getattr(model, name))
        way = numpy.linspace(1.0, 2.0, value.size).reshape(value.shape)
        ends = [type(model)(**{"gravity": 9.81, name: value + side * way}).gradient_of(run, losses).value for side in (h, -h)]
        slope = numpy.sum(found.parameters[name] * way)
        assert slope == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-7)
    start = model.initial
    ends = [model.run("variational-midpoint", step=0.02, until=1.0, start=(start["q"], start["v"] + [0, side])) for side in (h, -h)]
    ends = [model.gradient_of(run, losses).value for run in ends]
    assert found.v[1] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-7)
    assert 0 < found.growth < 1e3 and found.digits >= 12 and "masses" in repr(found)


def test_mistakes_have_the_words_of_the_command(tmp_path):
    model = least_action.DoublePendulum()
    run = model.run("rattle", step=0.05, until=1.0)
    for call, words in [
        (lambda: model.gradient_of(run, "ende: lower.x = 1"), r"unknown loss `ende` \(did you mean `end`\?\)"),
        (lambda: model.gradient_of(run, ["end: lower.z = 1"]), r"has no number `lower.z` \(did you mean `lower.x`\?\)"),
        (lambda: model.gradient_of(run, []), "`loss` is an empty list"),
        (lambda: model.fit([], "gravity"), "`data` is an empty list"),
        (lambda: least_action.Oscillator().gradient_of(run, "end: q = 1"), "the run is of `double-pendulum`"),
        (lambda: run.vjp(run.q[:3]), r"`q_bar` has the shape \[3, 4\], and the run needs \[21, 4\]"),
        (lambda: run.jvp(q=[1.0]), r"`q` has the shape \[1\], and the run needs \[4\]"),
        (lambda: run.jvp(masses=1.0), r"`masses` has the shape \[\], and the run needs \[2\]"),
        (lambda: run.jvp(gravty=1.0), r"has no number `gravty` \(did you mean `gravity`\?\); it has masses, rods, gravity"),
        (lambda: run.jvp(gravity="much"), "`gravity` must be an array of numbers"),
        (lambda: run.vjp(numpy.full(run.q.shape, numpy.nan)), "the loss is NaN"),
        (lambda: model.run("reference", step=0.05, until=1.0).jvp(), "`reference` has no gradient: .* have: .*rattle"),
        (lambda: least_action.Chain(links=2).run("rattle", step=0.05, until=1.0).jvp(mass=1.0), "it has none that"),
    ]:
        with pytest.raises((ValueError, RuntimeError), match=words) as refused:
            call()
        assert not re.search("--[a-z]", str(refused.value))
    file = tmp_path / "points.csv"
    file.write_text("t,p.x,p.y,der.p.x,der.p.y\n0,1,2,3,4\n1,2,3,4,5\n")
    with pytest.raises(ValueError, match="does not say of which model"):
        least_action.load(file).vjp()


def test_runs_that_come_back_have_derivatives_and_changed_rows_have_none(tmp_path):
    model, file = least_action.Oscillator(omega=3.0), tmp_path / "run.ckpt"
    model.run("verlet", step=0.02, until=0.5, friction=0.3, seed=3, checkpoint=file)
    run = model.run("verlet", step=0.02, until=1.0, friction=0.3, seed=3, out=tmp_path / "run.csv")
    whole = run.jvp(q=[1.0])
    for again in [least_action.load(tmp_path / "run.csv"), pickle.loads(pickle.dumps(run))]:
        assert (again.jvp(q=[1.0])[0] == whole[0]).all()
    # From the first row that a resumed run has, which is a step behind the checkpoint.
    rest = least_action.resume(file, until=1.0)
    along = [moved[26] for moved in whole]
    assert rest.jvp(*along)[0] == pytest.approx(whole[0][26:], abs=1e-12)
    run.q[5] += 0.1
    with pytest.raises(ValueError, match="another row at t = 0.1: arrays of the run were changed"):
        run.vjp(run.q)


@pytest.mark.parametrize("call", [lambda run: run.vjp(run.q), lambda run: run.jvp(q=[1.0])])
def test_ctrl_c_stops_a_derivative(call):
    run = least_action.Oscillator().run("verlet", step=1e-6, until=0.3, every=300)
    # The motion to a later end, which takes minutes.
    run.t[-1] = 100.0
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    pressed = []

    def press():
        pressed.append(time.perf_counter())
        _thread.interrupt_main()

    threading.Timer(0.3, press).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call(run)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.perf_counter() - pressed[0] < 2.0


def test_a_hopeless_gradient_is_warned_of():
    model = least_action.DoublePendulumAngles(gravity=9.81)
    run = model.run("variational-midpoint", step=0.02, until=60.0, start=([3.0, 3.1], [0.0, 0.0]))
    with pytest.warns(Warning, match="no optimizer can follow it"):
        assert model.gradient_of(run, "end: phi = 0.5").growth > 1e6


def test_a_fit_and_a_control_have_the_numbers_of_the_command(tmp_path):
    right = least_action.DoublePendulumAngles(masses=[1.0, 1.4], gravity=1.3)
    start = ([0.5, 0.2], [0.0, 0.1])
    right.run("variational-midpoint", step=0.05, until=3.0, start=start, out=tmp_path / "seen.csv")
    found = least_action.DoublePendulumAngles().fit(
        tmp_path / "seen.csv", ["masses[1]", "gravity"], bounds={"gravity": (0, None), "masses[1]": (0.1, 5.0)},
        start=start, method="variational-midpoint", step=0.05,
    )
    assert [row["value"] for row in found["estimates"]] == pytest.approx([1.4, 1.3], rel=1e-7)
    with pytest.raises(ValueError, match="no number `mases` to fit"):
        least_action.DoublePendulumAngles().fit([tmp_path / "seen.csv"], "mases", method="variational-midpoint", step=0.05)
    model, still = least_action.CartPendulum(), ([0.0, 0.0], [0.0, 0.0])
    asked = dict(until=1.2, start=still, bounds={"push": [-3, numpy.float64(3)]}, pieces=15, method="variational-midpoint", step=0.04)
    found = model.control({"x": 0.3, "theta": 0.0, "der": 0}, cost="effort: push = 1", **asked)
    model.push = found["inputs"][0]["signal"]
    run = model.run("variational-midpoint", step=0.04, until=1.2, start=still)
    assert run.q[-1] == pytest.approx([0.3, 0.0], abs=1e-9) and run.v[-1] == pytest.approx([0.0, 0.0], abs=1e-9)
    with pytest.raises(ValueError, match="`x`: far is no number, and no pair of bounds"):
        model.control({"x": "far"}, **asked)
    with pytest.raises(ValueError, match="invalid value 'cubic'"):
        model.control({"x": 0.3}, **asked, course="cubic")


def seen_in_noise():
    right = least_action.DoublePendulumAngles(masses=[1.0, 1.4], gravity=1.3)
    run = right.run("variational-midpoint", step=0.05, until=3.0, start=([0.5, 0.2], [0.0, 0.1]))
    noise = numpy.random.default_rng(5).normal(scale=0.01, size=run.q.shape)
    return run, {"t": run.t, **{name: run.q[:, k] + noise[:, k] for k, name in enumerate(run.coordinates)}}


HOW = dict(method="variational-midpoint", step=0.05, start=([0.5, 0.2], [0.0, 0.1]))


def test_data_in_memory_are_data_of_files(tmp_path):
    run, seen = seen_in_noise()
    model, free = least_action.DoublePendulumAngles(), ["masses[1]", "gravity"]
    names = ",".join(seen)
    numpy.savetxt(tmp_path / "seen.csv", numpy.column_stack(list(seen.values())), delimiter=",", header=names, comments="", fmt="%.17g")
    how = dict(columns=["theta=0.01", "phi=0.01"], prior={"gravity": (1.3, 0.02)}, sensor={"phi": ["offset"]}, once=True, **HOW)
    of_file = model.fit(tmp_path / "seen.csv", free, **how)
    tables = [seen, {name: list(column) for name, column in seen.items()}]
    for library in ["pandas", "polars"]:
        if importlib.util.find_spec(library):
            tables.append(importlib.import_module(library).DataFrame(seen))
    for table in tables:
        found = model.fit(table, free, **how)
        assert found["estimates"] == of_file["estimates"] and found["covariance"] == of_file["covariance"]
    assert [row["name"] for row in of_file["estimates"]] == ["masses[1]", "gravity", "offset(phi)"]
    # A run, two recordings, a gap, and all of a coordinate in one array.
    assert model.fit(run, free, **HOW)["estimates"][0]["value"] == pytest.approx(1.4, rel=1e-7)
    gap = {**seen, "theta": numpy.where(run.t == 1.0, numpy.nan, seen["theta"])}
    assert model.fit([seen, gap], free, once=True, **HOW)["samples"] == 4 * len(run.t) - 1
    bobs = least_action.DoublePendulum(gravity=1.3).run("rattle", step=0.05, until=2.0)
    whole = {"t": bobs.t, "lower": bobs["lower"]}
    found = least_action.DoublePendulum().fit(whole, "gravity", method="rattle", step=0.05, once=True)
    assert [column["column"] for column in found["columns"]] == ["lower.x", "lower.y"]
    assert found["estimates"][0]["value"] == pytest.approx(1.3, rel=1e-7)
    # The own start follows the rods.
    longer = least_action.DoublePendulum(rods=[1.2, 0.9]).run("rattle", step=0.05, until=2.0)
    found = least_action.DoublePendulum().fit(longer, "rods", method="rattle", step=0.05, once=True)
    assert [row["value"] for row in found["estimates"]] == pytest.approx([1.2, 0.9], rel=1e-6) and found["follows"] == ["rods[0]", "rods[1]"]
    for data, words in [
        ({"theta": seen["theta"]}, "no column `t`"), ({"t": run.t, "x": run.t}, "no column of a position"), (3, "`data` is a file, a run"),
        ({"t": run.t, "theta": run.q}, r"`theta` has the shape \[61, 2\]"), ({"t": run.t, "theta": [1.0]}, "1 samples, and there are 61 times"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.fit(data, free, **HOW)


def test_residuals_hold_the_data_and_have_exact_derivatives():
    _, seen = seen_in_noise()
    model, free = least_action.DoublePendulumAngles(), ["masses[1]", "gravity", "theta"]
    how = dict(columns=["theta=0.01", "phi=0.01"], prior={"gravity": (1.3, 0.02)}, bounds={"gravity": (0, None)}, **HOW)
    r = model.residuals(seen, free, **how)
    assert r.names == free and r.x == pytest.approx([model.masses[1], model.gravity, 0.5])
    assert r.bounds[0].tolist() == [-numpy.inf, 0, -numpy.inf] and "gravity" in repr(r)
    x = numpy.array([1.3, 1.25, 0.49])
    assert r(x).shape == (2 * 61 + 1,) and r(x)[-1] == pytest.approx((1.25 - 1.3) / 0.02)
    columns = [(r(x + h) - r(x - h)) / 2e-6 for h in 1e-6 * numpy.eye(3)]
    assert r.jacobian(x) == pytest.approx(numpy.array(columns).T, rel=1e-5, abs=1e-4)
    found = model.fit(seen, free, once=True, **how)
    values = [row["value"] for row in found["estimates"]]
    assert numpy.sum(r(values) ** 2) == pytest.approx(found["chi_square"], rel=1e-9)
    covariance = numpy.linalg.inv(r.jacobian(values).T @ r.jacobian(values))
    assert covariance == pytest.approx(numpy.array(found["covariance"]), rel=1e-4, abs=1e-12)
    with pytest.raises(ValueError, match="there are 2 numbers, and the fit has 3: "):
        r([1.0, 2.0])


@pytest.mark.parametrize("heading, library", [("Rows", None), ("SciPy", "scipy"), ("JAX", "jax"), ("PyTorch", "torch"), ("Fits and controls", None)])
def test_the_blocks_of_the_document_run(heading, library, tmp_path):
    if library and importlib.util.find_spec(library) is None:
        pytest.skip(f"there is no {library}")
    page = pathlib.Path(__file__).parents[3] / "docs/python-derivatives.md"
    parts = dict(part.split("\n", 1) for part in page.read_text().split("\n## "))
    blocks = [re.findall("```python\n(.*?)```", parts[name], re.S) for name in (next(iter(parts)), heading)]
    # In a process of its own: threads of a library outlive a block.
    subprocess.run([sys.executable, "-c", "\n".join(sum(blocks, []))], cwd=tmp_path, check=True)
