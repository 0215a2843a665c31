"""What is not given is chosen; starts by entries; models, steppers and signals as values of Python."""

import copy
import logging
import math
import warnings

import least_action
import numpy
import pytest


def test_a_model_alone_runs_and_says_what_was_chosen_in_the_log(caplog):
    with warnings.catch_warnings(), caplog.at_level(logging.INFO, logger="least_action"):
        warnings.simplefilter("error")
        run = least_action.Kepler().run()
    assert "chosen for this model: method=verlet step=" in caplog.text
    # Twice around.
    assert run.t[-1] > 2 * 2 * math.pi * 0.95 and run.outcome["method"] == "verlet"
    gradient = least_action.Kepler().gradient_of(run, "end: q.x = 0")
    assert numpy.isfinite(gradient.q).all()


def test_a_start_by_entries_is_the_one_of_a_state():
    model = least_action.DoublePendulumAngles()
    state = {"t": 0.0, "q": [2.0, math.pi / 4], "v": [0.3, 0.0]}
    settings = dict(method="variational-midpoint", step=0.01)
    entries = {"theta": 2, "phi": "45deg", "der": 0, "der.theta": 0.3}
    with pytest.raises(ValueError, match="the model has no number `thet`"):
        model.run(start={"thet": 1})
    runs = [model.run(until=0.5, start=start, **settings) for start in (state, entries)]
    assert (runs[0].q == runs[1].q).all()
    steppers = [model.start(start=start, **settings) for start in (state, entries)]
    assert (steppers[0].q == steppers[1].q).all()
    # A number for each entry of a vector.
    pendulum = least_action.DoublePendulum()
    run = pendulum.run(until=0.1, start={"upper": (0.6, -0.8), "lower": numpy.array([1.6, -1.8])})
    assert run.q[0] == pytest.approx([0.6, -0.8, 1.6, -1.8])


def test_a_copy_of_a_stepper_goes_on_to_the_same_bits():
    for method in ("rattle", "reference"):
        first = least_action.DoublePendulum().start(method, step=0.01)
        first.step(50)
        second = copy.copy(first)
        assert (second.t, second.steps) == (first.t, 50)
        first.step(50)
        assert second.t < first.t
        second.step(50)
        assert (second.q == first.q).all() and (second.v == first.v).all()
    cart = least_action.CartPendulum().start(step=0.01)
    cart.step(3, push=0.4)
    other = copy.deepcopy(cart)
    assert other.inputs["push"] == 0.4
    cart.step(3)
    other.step(3)
    assert (cart.q == other.q).all()


def test_a_run_is_drawn_and_played_and_knows_its_units(tmp_path):
    run = least_action.CartPendulum().run("variational-midpoint", step=0.01, until=1, observe="all")
    assert run.units["x"] == "m" and run.units["theta"] == "rad" and run.units["t"] == "s"
    svg = run.plot(tmp_path / "run.svg")
    assert svg.startswith("<svg") and (tmp_path / "run.svg").read_text() == svg
    run.view(tmp_path / "run.html")
    assert "<html" in (tmp_path / "run.html").read_text()
    with pytest.raises(ValueError, match="svg"):
        run.plot(tmp_path / "run.png")


def test_models_are_values():
    assert least_action.Chain in least_action.models() and len(least_action.models()) >= 40
    assert least_action.Chain(links=3) == least_action.Chain(links=3)
    assert least_action.Chain(links=3) != least_action.Chain(links=4)
    assert least_action.Chain() != least_action.Kepler()
    assert least_action.Kepler()._repr_latex_().startswith("$")


def test_an_input_of_a_function_is_its_samples():
    times = numpy.linspace(0, 1, 101)
    push = least_action.signal(math.sin, times)
    run = least_action.CartPendulum(push=push).run("variational-midpoint", step=0.01, until=1)
    assert run.q[-1, 0] != 0
    with pytest.raises(ZeroDivisionError):
        least_action.signal(lambda t: 1 / t, times)
