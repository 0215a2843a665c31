"""Models from Python: numbers, mistakes, documentation."""

import concurrent.futures
import inspect
import pickle
import pydoc
import re
import subprocess
import sys

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
    start = model.initial
    assert numpy.abs(model.constraints(start["q"])).max() < 1e-14
    jacobian = model.jacobian(start["q"])
    assert jacobian.shape == (2, 4)
    assert model.mass_matrix().shape == (4, 4)
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
    for words in ({"set": {"mass": 2}}, {"params": "parameters.json"}):
        with pytest.raises(ValueError, match="parameters belong to the model"):
            model.run("rattle", step=0.01, until=1, **words)
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
    assert "degrees of freedom" in model.describe() and "--" not in model.describe()
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


def test_parameters_are_set_and_checked():
    model = least_action.DoublePendulum()
    energy = model.energy()
    model.gravity = 9.81
    assert model.gravity == model.parameters["gravity"] == 9.81
    assert model.energy() == pytest.approx(9.81 * energy, rel=1e-12)
    assert repr(model) == "DoublePendulum(gravity=9.81)"
    assert pickle.loads(pickle.dumps(model)).gravity == 9.81
    run = model.run("rattle", step=0.01, until=0.1)
    assert run.outcome["parameters"]["gravity"] == 9.81
    with pytest.raises(AttributeError, match=r"has no parameter `gravty` \(did you mean `gravity`\?\)"):
        model.gravty = 1.5
    with pytest.raises(ValueError, match="`masses` .*: each of them must be positive"):
        model.masses = [1.0, -1.0]
    with pytest.raises(ValueError, match="not finite"):
        model.gravity = float("nan")
    assert (model.masses, model.gravity) == ([1.0, 1.0], 9.81)
    model.set(masses=numpy.array([2.0, 3.0]), rods=[1.0, 0.5])
    assert model.masses == [2.0, 3.0] and model.rods == [1.0, 0.5]
    with pytest.raises(ValueError, match="did you mean `rods`"):
        model.set(masses=[1.0, 1.0], rodes=[1.0, 1.0])
    assert model.masses == [2.0, 3.0]
    assert {"gravity", "run", "masses"} <= set(dir(model))


def test_a_parameter_that_is_a_word_of_python_has_a_low_line():
    model = least_action.Cube(lambda_=1e9)
    assert model.lambda_ == model.parameters["lambda"] == 1e9
    model.lambda_ = 2e9
    assert least_action.Cube(**{"lambda": 2e9}).parameters == model.parameters
    assert repr(model) == "Cube(lambda_=2000000000.0)"


def test_help_has_signatures_and_defaults():
    signature = inspect.signature(least_action.Cube)
    assert signature.parameters["lambda_"].default == 60.5e9
    assert all(one.kind is inspect.Parameter.KEYWORD_ONLY for one in signature.parameters.values())
    text = pydoc.plain(pydoc.render_doc(least_action.Cube))
    assert "lambda_ = 60500000000.0" in text and "class Cube(" in text
    # The comments above the fields, with units.
    assert "Lamé's constant λ, Pa." in text


PROGRAM = '''
import least_action as la
import numpy


def swing(gravity: float) -> float:
    model = la.CartPendulum(masses=[1.0, 0.1], gravity=gravity)
    model.rod = 0.7
    stepper = model.start("variational-midpoint", step=0.01)
    while stepper.t < 1.0:
        stepper.step(1, push=-0.3 * float(stepper.q[1]))
    stepper.inputs["push"] = 0.0
    stepper.set_state(numpy.zeros(2), [0.0, 0.1])
    run = model.run("variational-midpoint", step=0.01, until=2.0, start=stepper.state, observe="all")
    largest: float = float(numpy.abs(run["theta"]).max())
    columns: list[str] = run.keys()
    found = model.gradient_of(run, ["end: theta = 0", "mean: x = 0"])
    slope: float = found.value + found.growth + float((found.q + run.vjp(run.q, v_bar=run.v).v).sum())
    along: list[float] = [float(moved.sum()) for moved in run.jvp(q=found.q, gravity=1.0)]
    cube = la.Cube(lambda_=1e9, cells=1)
    stiffness: float = cube.lambda_ + slope + sum(along)
    Spring = la.declare(
        """
        struct Spring { stiffness: f64 }
        impl Default for Spring { fn default() -> Self { Self { stiffness: 4.0 } } }
        #[lagrangian]
        impl Spring {
            fn lagrangian(&self, x: Scalar) -> Scalar { 0.5 * der(x).powi(2) - 0.5 * self.stiffness * x.powi(2) }
        }
        """
    )
    spring = Spring(stiffness=gravity)
    stiffness += spring.stiffness + float(spring.run(step=0.01, until=1.0, start={"x": 1.0}).q.sum())
    return largest + len(columns) + stiffness + float(model.gradient().sum())


print(swing(9.81))
'''


def test_the_stub_is_one_that_mypy_accepts(tmp_path, request):
    pytest.importorskip("mypy")
    (tmp_path / "least_action.pyi").write_text(least_action.stubs())
    (tmp_path / "program.py").write_text(PROGRAM)
    line = [sys.executable, "-m", "mypy", "--strict", "least_action.pyi", "program.py"]
    checked = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    exec(compile(PROGRAM, "program.py", "exec"), {})
    (tmp_path / "program.py").write_text(PROGRAM.replace("gravity=gravity", 'gravity="9"').replace("rod = 0.7", 'rood = "a"'))
    checked = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert checked.stdout.count("error:") == 2, checked.stdout


def test_quantities_are_those_of_the_formulas():
    model = least_action.DampedDoublePendulum(frequency=0.0, torque=2.0)
    q, v = [0.3, -0.4], [0.5, 0.2]
    assert model.force(q, v) == pytest.approx([2.0 - 0.1 * 0.5 - 0.05 * 0.3, 0.05 * 0.3], rel=1e-14)
    assert model.kinetic(q, v) + model.potential(q) == pytest.approx(model.energy(q, v), rel=1e-14)
    # M q̈ = F − C(q, q̇) − ∇V, by the motion itself.
    stepper = model.start("reference", step=1e-4, start=(q, v))
    stepper.step()
    ahead = stepper.v.copy()
    model_v = (ahead - v) / 1e-4
    assert model.accelerations(q, v) == pytest.approx(model_v, rel=1e-3)
    spring = least_action.SpringPendulum()
    at, a, h = numpy.array([1.3, 0.4]), numpy.array([0.6, -0.2]), 1e-4
    third = (spring.gradient(at + h * a) - 2 * spring.gradient(at) + spring.gradient(at - h * a)) / h**2
    assert spring.third(a, at) == pytest.approx(third, rel=1e-5)
    with pytest.raises(ValueError, match="has no force"):
        spring.force()


def test_a_pendulum_at_rest_has_the_frequency_of_the_formula():
    # One rod that hangs straight down: the multiplier carries the weight, and gives the stiffness of the side.
    model = least_action.Chain(links=1, gravity=9.81, rod=0.5)
    hanging = [0.0, -0.5]
    assert model.constraint_rows == [{"kind": "holonomic", "name": "rods"}]
    assert model.accelerations(hanging, [0.0, 0.0]) == pytest.approx([0.0, 0.0], abs=1e-12)
    found = model.linearize(hanging)
    mass, stiffness, rod = (found[name].toarray() for name in ("M", "K", "G"))
    assert stiffness[0, 0] / mass[0, 0] == pytest.approx(9.81 / 0.5, rel=1e-12)
    assert rod[0, 0] == 0.0 and found["C"].nnz == 0
    angles = least_action.DoublePendulumAngles(gravity=9.81, rods=[1.0, 1.0])
    found = angles.linearize([0.0, 0.0])
    squares = numpy.linalg.eigvals(numpy.linalg.solve(found["M"].toarray(), found["K"].toarray()))
    assert sorted(squares) == pytest.approx([9.81 * (2 - 2**0.5), 9.81 * (2 + 2**0.5)], rel=1e-12)
    with pytest.raises(ValueError, match="no equilibrium: `theta` is accelerated by"):
        angles.linearize([0.5, 0.0])


def test_messages_are_in_the_words_of_python():
    model = least_action.Chain(links=2)
    runs = [
        lambda: model.run("verlet", step=0.1, until=1.0),
        lambda: model.run("rattle", step=-1.0, until=1.0),
        lambda: model.run("rattle", step=0.1, until=1.0, every=0),
        lambda: model.run("rattle", step=0.1, until=1.0, out="x.pdf"),
        lambda: model.run("rattle", step=0.1, until=1.0, out="x.csv", plot="x.csv"),
        lambda: model.run("rattle", step=0.1, until=1.0, tolerance="small"),
        lambda: model.run("rattle", step=0.1, until=1.0, observe="radial_distribution"),
        lambda: model.run("rattle", step=0.1, until=1.0, view="x.html", checkpoint="x.ckpt"),
        lambda: model.project(tolerance=-1.0),
        lambda: model.project(window=1.0),
    ]
    for run in runs:
        with pytest.raises(ValueError) as refused:
            run()
        assert not re.search("--[a-z]", str(refused.value)), refused.value
    with pytest.raises(ValueError, match=r"knows no constraints, .*: add omega=… to replace them"):
        runs[0]()
    with pytest.raises(ValueError, match="^step=-1: the step must be positive"):
        runs[1]()
    with pytest.raises(ValueError, match="of a run with checkpoint= needs out=FILE, .csv"):
        runs[7]()
