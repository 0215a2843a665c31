"""Runs that a program steps: states and inputs go in, states come out."""

import _thread
import pickle
import signal
import threading
import time

import numpy
import pytest

import least_action


def test_a_stepper_takes_the_steps_of_a_run():
    model = least_action.DoublePendulum()
    run = model.run("rattle", step=0.01, until=0.5)
    stepper = model.start("rattle", step=0.01)
    q, v = stepper.q, stepper.v
    assert (stepper.t, stepper.steps) == (0.0, 0) and (q == run.q[0]).all()
    for row in range(1, 51):
        stepper.step()
        assert (q == run.q[row]).all() and (v == run.v[row]).all() and stepper.t == run.t[row]
    assert stepper.q is q and stepper.energy == run["energy"][-1] and stepper.steps == 50
    assert stepper.multipliers.tolist() == run.outcome["multipliers"]
    stepper.reset()
    stepper.step(50)
    assert (q == run.q[50]).all() and stepper.coordinates == run.coordinates
    with pytest.raises(ValueError, match="read-only"):
        stepper.q[0] = 1.0


def test_a_stepper_keeps_its_model():
    model = least_action.Oscillator(omega=1.0)
    stepper = model.start("verlet", step=0.01)
    model.omega = 2.0
    del model
    stepper.step(100)
    assert (stepper.q == least_action.Oscillator(omega=1.0).run("verlet", step=0.01, until=1.0).q[-1]).all()


def test_a_state_is_set_and_checked():
    model = least_action.Chain(links=2)
    stepper = model.start("rattle", step=0.01)
    stepper.step(10)
    state = stepper.state
    stepper.step(10)
    after = stepper.q.copy()
    stepper.set_state(state["q"], state["v"], state["t"])
    assert stepper.t == state["t"] and (stepper.q == state["q"]).all()
    stepper.step(10)
    assert stepper.q == pytest.approx(after, abs=1e-13)
    kept = stepper.state
    for q, v, words in [
        ([1.0], [0.0], "has length 1, but the model needs 4"),
        (kept["q"] + 0.1, kept["v"], "constraint"),
        (kept["q"], [numpy.nan, 0.0, 0.0, 0.0], "must be finite"),
    ]:
        with pytest.raises(ValueError, match=words):
            stepper.set_state(q, v)
        assert (stepper.q == kept["q"]).all() and stepper.t == kept["t"]
    stepper.step()


@pytest.mark.parametrize("method", ["variational-midpoint", "variational-trapezoid", "variational-euler", "reference", "bdf"])
def test_inputs_are_held_between_steps(method):
    pushes = [0.5, -1.0, 0.25, 0.0, 2.0]
    course = {"times": [0.02 * k for k in range(6)], "values": pushes, "kind": "constant"}
    known = least_action.CartPendulum(push=course).run(method, step=0.01, until=0.1)
    stepper = least_action.CartPendulum().start(method, step=0.01)
    for push in pushes:
        stepper.step(2, push=push)
    assert stepper.q == pytest.approx(known.q[-1], abs=1e-9) and stepper.v == pytest.approx(known.v[-1], abs=1e-8)
    assert stepper.inputs["push"] == 2.0 and list(stepper.inputs) == ["push"] and len(stepper.inputs) == 1


def test_inputs_begin_with_the_parameters_and_are_checked():
    model = least_action.CartPendulum(push=0.5)
    stepper = model.start("variational-midpoint", step=0.01)
    assert stepper.inputs["push"] == 0.5
    stepper.inputs["push"] = -0.5
    assert stepper.inputs["push"] == -0.5 and model.push == 0.5
    # Each stepper has inputs of its own.
    assert model.start("variational-midpoint", step=0.01).inputs["push"] == 0.5
    with pytest.raises(KeyError, match="did you mean `push`"):
        stepper.step(1, pusch=1.0)
    with pytest.raises(ValueError, match="the input `push`: .*finite"):
        stepper.step(1, push=float("inf"))
    assert stepper.t == 0.0 and stepper.inputs["push"] == -0.5
    with pytest.raises(KeyError, match="the model has none"):
        least_action.Oscillator().start("verlet", step=0.01).inputs["push"] = 1.0
    course = {"times": [0.0, 1.0], "values": [0.0, 1.0]}
    driven = least_action.CartPendulum(push=course).start("variational-midpoint", step=0.5)
    with pytest.raises(ValueError, match="`push` cannot be set: it is a function of time"):
        driven.step(1, push=1.0)
    driven.step(2)
    with pytest.raises(least_action.RunError, match="push") as failed:
        driven.step()
    assert failed.value.run is None and driven.t == 1.0


def test_a_step_that_fails_keeps_the_state():
    stepper = least_action.DoublePendulum().start("rattle", step=0.01)
    stepper.step(3)
    kept = stepper.state
    fast = least_action.DoublePendulum().start("rattle", step=3.0, start=kept)
    with pytest.raises(least_action.RunError):
        fast.step(1000)
    assert numpy.isfinite(fast.q).all() and fast.state["t"] == fast.t
    with pytest.raises(TypeError):
        pickle.dumps(stepper)


def test_a_million_steps_with_an_input_each_take_seconds():
    # The wheel of a test is not optimized, where a step takes thirty times as long: docs/python.md has the time.
    stepper = least_action.CartPendulum().start("variational-midpoint", step=0.001)
    clock = time.perf_counter()
    for k in range(2000):
        stepper.step(1, push=1e-3 * (k % 7))
    assert time.perf_counter() - clock < 5.0 and stepper.steps == 2000


def test_ctrl_c_stops_long_steps_and_keeps_the_state():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    stepper = least_action.Oscillator().start("verlet", step=1e-6)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            stepper.step(10**9)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 < stepper.steps < 10**9 and stepper.t == pytest.approx(1e-6 * stepper.steps)
    state = stepper.state
    stepper.step()
    assert stepper.t > state["t"]


def test_threads_step_side_by_side():
    steppers = [least_action.DoublePendulum().start("rattle", step=1e-3) for _ in range(2)]
    threads = [threading.Thread(target=stepper.step, args=(3000,)) for stepper in steppers]
    turns = 0
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(1e-3)
        turns += 1
    assert turns > 5 and (steppers[0].q == steppers[1].q).all()
