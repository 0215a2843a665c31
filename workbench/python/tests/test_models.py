"""Models from Python: numbers, mistakes, documentation."""

import concurrent.futures
import pickle

import numpy
import pytest

import least_action


def test_numbers_are_those_of_the_formulas():
    model = least_action.SpringPendulum()
    q = [1.3, 0.4]
    step = 1e-6
    for index, slope in enumerate(model.gradient(q)):
        ahead, behind = (list(q), list(q))
        ahead[index] += step
        behind[index] -= step
        assert slope == pytest.approx((model.potential(ahead) - model.potential(behind)) / (2 * step), rel=1e-7)
    hessian = model.hessian(q)
    assert hessian.format == "csc" and hessian.shape == (2, 2)
    assert (hessian != hessian.T).nnz == 0
    assert model.energy(q, [0.0, 0.0]) == model.potential(q)


def test_constraints_have_a_sparse_jacobian():
    model = least_action.DoublePendulum(rods=[1.0, 2.0])
    start = model.start
    assert numpy.abs(model.constraints(start["q"])).max() < 1e-14
    jacobian = model.jacobian(start["q"])
    assert jacobian.shape == (2, 4)
    assert model.mass().shape == (4, 4)
    projected = model.project((start["q"] + 0.01, start["v"]))
    assert numpy.abs(model.constraints(projected["q"])).max() < 1e-12


def test_parameters_are_attributes_and_pickle():
    model = least_action.DoublePendulum(masses=numpy.array([1.0, 3.0]))
    assert model.masses == [1.0, 3.0] and model.parameters["masses"] == [1.0, 3.0]
    again = pickle.loads(pickle.dumps(model))
    assert repr(again) == repr(model) and type(again) is least_action.DoublePendulum
    with pytest.raises(AttributeError, match=r"neither a parameter nor a method `mases` \(did you mean `masses`\?\)"):
        model.mases


def test_mistakes_are_value_errors_with_the_words_of_the_command():
    with pytest.raises(ValueError, match=r"has no parameter `mases` \(did you mean `masses`\?\)"):
        least_action.DoublePendulum(mases=[1, 2])
    model = least_action.DoublePendulum()
    with pytest.raises(ValueError, match=r"unknown method `ratle` \(did you mean `rattle`\?\)"):
        model.run("ratle", step=0.01, until=1)
    with pytest.raises(ValueError, match="the step must be positive"):
        model.run("rattle", step=-0.01, until=1)
    with pytest.raises(ValueError, match="has no option `beta`"):
        model.run("rattle", step=0.01, until=1, beta=0.4)
    with pytest.raises(ValueError, match="`q` has length 1, but the model needs 4"):
        model.run("rattle", step=0.01, until=1, start=([1.0], [0.0]))
    with pytest.raises(ValueError, match="not finite"):
        least_action.DoublePendulum(masses=[1, float("nan")])
    with pytest.raises(ValueError, match="has no constraints"):
        least_action.Oscillator().constraints()
    with pytest.raises(ValueError):
        least_action.Model()


def test_models_are_described_and_checked():
    model = least_action.DoublePendulum()
    assert "degrees of freedom" in model.describe()
    assert model.describe("json")["dimension"] == 4
    assert model.check()["agrees"] is True
    assert "rattle" in model.methods
    assert "masses" in least_action.DoublePendulum.__doc__


def test_the_stub_file_is_that_of_the_models(request):
    stub = request.path.parent.parent / "least_action.pyi"
    if request.config.getoption("--bless"):
        stub.write_text(least_action.stubs())
    assert stub.read_text() == least_action.stubs()


def test_models_go_through_a_process_pool():
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        energies = list(pool.map(least_action.Oscillator.energy, [least_action.Oscillator(omega=w) for w in (1.0, 2.0)]))
    assert energies == [least_action.Oscillator(omega=w).energy() for w in (1.0, 2.0)]


def test_a_model_keeps_its_parameters():
    model = least_action.DoublePendulum()
    gravity = model.gravity
    with pytest.raises(AttributeError, match=r"make another one: DoublePendulum\(gravity=1.5\)"):
        model.gravity = 1.5
    with pytest.raises(AttributeError, match="did you mean `gravity`"):
        model.gravty = 1.5
    assert model.gravity == gravity == model.parameters["gravity"]
