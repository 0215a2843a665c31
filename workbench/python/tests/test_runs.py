"""Runs from Python: the bits of the command, arrays that are not copied, what is kept when they stop."""

import _thread
import html
import json
import os
import pickle
import re
import signal
import subprocess
import threading
import time
import warnings

import numpy
import pytest

import least_action


def test_a_run_has_rows_and_columns():
    model = least_action.DoublePendulum()
    run = model.run("rattle", step=0.01, until=1.0, every=10, observe=["energy"])
    assert run.t.shape == (11,) and run.q.shape == (11, 4) and run.v.shape == (11, 4)
    assert numpy.abs(run["energy"] - run["energy"][0]).max() < 1e-2
    assert (run["upper.x"] == run.q[:, 0]).all() and (run["der.lower.y"] == run.v[:, 3]).all()
    assert numpy.shares_memory(run["upper.x"], run.q)
    assert run.q is run.q and list(run)[0] == "t" and "constraint_residual" in run and len(run) == 11
    assert run.outcome["q"] == run.q[-1].tolist()
    with pytest.raises(KeyError, match="no column `energie`"):
        run["energie"]


def test_coordinates_have_their_shapes():
    run = least_action.Chain(links=3).run("rattle", step=0.01, until=0.1, observe="all")
    bobs = run["bobs"]
    assert bobs.shape == run["der.bobs"].shape == (11, 3, 2) and numpy.shares_memory(bobs, run.q)
    assert (bobs[:, 2, 1] == run["bobs[2].y"]).all() and "bobs" in run and "bob" not in run
    body = least_action.RigidBody().run("rattle", step=0.01, until=0.1)
    assert body["r"].shape == (11, 3, 3) and (body["r"][:, 0, 1] == body["r[(0, 1)]"]).all()
    net = least_action.SpringNet(rows=2, columns=3).run("verlet", step=0.01, until=0.1)
    assert net["knots"].shape[1:] == (2, 3, 2), net["knots"].shape
    assert dict(run).keys() == set(run.keys()) and len(run.values()) == len(run.items()) == len(list(run))
    with pytest.raises(KeyError, match="did you mean `bobs"):
        run["bops"]


def test_quantities_are_observed_by_one_text():
    model = least_action.DoublePendulum()
    names = [model.run("rattle", step=0.1, until=0.2, observe=one).keys() for one in ("all", ["all"], "energy_balance, power")]
    assert names[0] == names[1] and "power" in names[2] and "energy_balance" in names[2]
    with pytest.raises(ValueError, match="has no `enery_balance` to observe"):
        model.run("rattle", step=0.1, until=0.2, observe="enery_balance")


def test_a_run_is_a_table():
    run = least_action.Chain(links=2).run("rattle", step=0.1, until=1.0)
    with pytest.raises(TypeError, match="a run is a table and no array"):
        numpy.asarray(run)
    pyarrow = pytest.importorskip("pyarrow")
    table = run.to_arrow()
    assert isinstance(table, pyarrow.Table) and table.column_names == run.keys()
    assert (table["energy"].to_numpy() == run["energy"]).all()
    assert (table["bobs[1].y"].to_numpy() == run["bobs"][:, 1, 1]).all()
    for name, read in [
        ("polars", lambda polars: polars.DataFrame(run)["energy"].to_numpy()),
        ("pandas", lambda pandas: pandas.DataFrame(dict(run))["energy"].to_numpy()),
        ("duckdb", lambda duckdb, run=run: duckdb.sql("select energy from run").fetchnumpy()["energy"]),
    ]:
        try:
            library = __import__(name)
        except ImportError:
            continue
        assert (read(library) == run["energy"]).all(), name


def test_a_run_pickles():
    run = least_action.Chain(links=2).run("rattle", step=0.1, until=1.0, checkpoint=None)
    again = pickle.loads(pickle.dumps(run))
    assert repr(again) == repr(run) and again.outcome == run.outcome and again.keys() == run.keys()
    assert all((again[name] == run[name]).all() for name in run)
    assert "chain, rattle" in html.unescape(again._repr_html_())


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_recordings_are_loaded(tmp_path, ending):
    file = tmp_path / f"run.{ending}"
    run = least_action.Chain(links=2).run("rattle", step=0.1, until=1.0, observe="all", out=file)
    again = least_action.load(file)
    assert repr(again) == repr(run) and again.coordinates == run.coordinates
    assert (again.q == run.q).all() and (again.v == run.v).all() and (again.t == run.t).all()
    assert (again["energy"] == run["energy"]).all() and again["bobs"].shape == (11, 2, 2)
    assert "chain, rattle" in html.unescape(again._repr_html_())


def test_recordings_of_others_are_loaded(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("t,p.x,p.y,der.p.x,der.p.y,heat\n0,1,2,3,4,5\n1,2,3,4,5,6\n")
    run = least_action.load(file)
    assert run["p"].shape == (2, 2) and run["heat"].tolist() == [5.0, 6.0] and run.outcome == {}
    with pytest.raises(ValueError, match="does not say of which model"):
        run.report(tmp_path / "report.html")
    with pytest.raises(ValueError, match="ends in .csv, .json or .parquet"):
        least_action.load(tmp_path / "points.txt")


def test_a_notebook_shows_the_page_of_a_run():
    run = least_action.DoublePendulum().run("rattle", step=0.01, until=100.0)
    page = html.unescape(run._repr_html_())
    assert page.startswith("<iframe srcdoc=") and "double-pendulum, rattle" in page
    head = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S).group(1))
    assert 500 < head["frames"] <= 601


def test_a_run_has_a_report(tmp_path):
    run = least_action.DoublePendulum().run("rattle", step=0.05, until=1.0, observe=["energy_balance"])
    path = tmp_path / "report.html"
    run.report(path)
    page = path.read_text()
    assert "double-pendulum, rattle" in page and "energy balance" in page and "srcdoc=" in page
    with pytest.raises(ValueError, match=".html"):
        run.report(tmp_path / "report.pdf")


def classes():
    """The classes of all models."""
    found = [one for one in vars(least_action).values() if isinstance(one, type) and issubclass(one, least_action.Model)]
    return [one for one in found if one is not least_action.Model]


def same_words(told, error):
    """True if an error is that of the command; of flags, Python says the names of its arguments."""
    return told == f"error: {error}" if "--" not in told else "--" not in str(error)


def test_every_model_by_every_method_is_the_run_of_the_command(request):
    command = request.config.getoption("--command")
    if command is None:
        pytest.skip("give the command by --command")
    options = {"grid": "0.01", "omega": "50"}
    listed = subprocess.run([command, "methods", "--format", "json"], capture_output=True, text=True, check=True)
    known = {method["name"]: method["options"] for method in json.loads(listed.stdout)["methods"]}
    compared = 0
    for one in classes():
        model = one()
        # Large ones take minutes where nothing is optimized, to be described alone.
        if len(model.coordinates) > 40 and not request.config.getoption("--all-models"):
            continue
        facts = model.describe("json")
        for method in model.methods:
            with_options = {name: value for name, value in options.items() if name in known[method]}
            line = [command, "run", facts["name"], "--method", method, "--step", "1e-3", "--until", "3e-3", "--format", "json"]
            line += [word for name, value in with_options.items() for word in ("--with", f"{name}={value}")]
            alone = subprocess.run(line, capture_output=True, text=True)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    run = model.run(method, step=1e-3, until=3e-3, **with_options)
            except ValueError as error:
                assert alone.returncode == 2 and same_words(alone.stderr.strip().splitlines()[-1], error)
                continue
            except least_action.RunError as error:
                assert alone.returncode == 1 and same_words(alone.stderr.strip().splitlines()[-1], error)
                continue
            assert alone.returncode == 0, (facts["name"], method, alone.stderr)
            told = json.loads(alone.stdout)
            for name in ("q", "v", "t", "energy", "steps", "multipliers", "evaluations"):
                assert told.get(name) == run.outcome.get(name), (facts["name"], method, name)
            compared += 1
    assert compared > 100


def test_a_million_rows_are_handed_over_and_not_copied():
    run = least_action.Oscillator(omega=1.0).run("verlet", step=1e-3, until=1e3)
    assert len(run) == 1_000_001
    clock = time.perf_counter()
    q, energy = run.q, run["energy"]
    assert time.perf_counter() - clock < 1e-3
    assert q.base is not None and energy.flags.owndata is False


def test_a_failed_run_keeps_what_it_had():
    model = least_action.SpringPendulum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(least_action.RunError) as failed:
            model.run("verlet", step=10.0, until=1e4)
    assert failed.value.run.t.size >= 1


def test_ctrl_c_stops_soon_and_keeps_what_there_is():
    # Whoever started these tests may have them ignore what Ctrl-C sends.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    # On a busy machine the thread that presses may wait: the best of three counts.
    try:
        assert min(stopped_after() for _ in range(3)) < 0.2
    finally:
        signal.signal(signal.SIGINT, before)


def stopped_after():
    model = least_action.Oscillator()
    pressed = []

    def press():
        pressed.append(time.perf_counter())
        _thread.interrupt_main()

    timer = threading.Timer(0.3, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt) as stopped:
        model.run("verlet", step=1e-6, until=100.0, every=1000)
    after = time.perf_counter() - pressed[0]
    run = stopped.value.run
    assert 0 < run.t[-1] < 100.0 and run.outcome["failure"].startswith("stopped by SIGINT")
    return after


def test_the_lock_is_released_while_stepping():
    model = least_action.DoublePendulum()
    thread = threading.Thread(target=lambda: model.run("rattle", step=1e-4, until=20.0, every=1_000_000))
    thread.start()
    turns = 0
    while thread.is_alive():
        time.sleep(1e-3)
        turns += 1
    assert turns > 20, "the interpreter waited for the run"


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    model, file = least_action.DoublePendulum(), tmp_path / "run.ckpt"
    first = model.run("rattle", step=0.01, until=0.5, checkpoint=file)
    assert str(first.checkpoint) == str(file)
    rest = least_action.resume(file, until=1.0)
    whole = model.run("rattle", step=0.01, until=1.0)
    assert (rest.q[-1] == whole.q[-1]).all() and rest.outcome["steps"] == 100
    assert (rest.q == whole.q[51:]).all()
    assert "double-pendulum, rattle" in html.unescape(rest._repr_html_())


def test_a_run_is_moved_and_knows_its_inputs(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    model = least_action.Chain(links=4)
    model.run("rattle", step=0.01, until=0.5, out=here / "run.json", checkpoint=here / "run.ckpt")
    here.rename(there)
    rest = least_action.resume(there / "run.ckpt", until=1.0, out=tmp_path / "elsewhere.json")
    whole = model.run("rattle", step=0.01, until=1.0, out=tmp_path / "whole.json")
    assert (rest.q[-1] == whole.q[-1]).all()
    assert (tmp_path / "elsewhere.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    known = json.loads((tmp_path / "whole.json").read_text())[0]["run"]
    assert (known["model"], known["parameters"]["links"], known["step"]) == ("chain", 4, 0.01)
    with pytest.raises(ValueError, match="keep the ending"):
        least_action.resume(there / "run.ckpt", until=2.0, out=tmp_path / "elsewhere.csv")
