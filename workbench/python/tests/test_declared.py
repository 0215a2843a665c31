"""Models that a text or a file declares."""

import concurrent.futures
import copy
import inspect
import multiprocessing
import pathlib
import pickle
import pydoc
import subprocess
import sys

import cloudpickle
import numpy
import pytest

import least_action as la

MODELS = pathlib.Path(__file__).resolve().parents[3] / "models/src"

# Without `use` and attributes of serde: enough for a notebook.
SPRING = """
/// A mass on a spring.
struct Spring {
    /// Stiffness, N/m.
    stiffness: f64,
    /// Mass, kg.
    mass: f64,
}

impl Default for Spring {
    fn default() -> Self {
        Self { stiffness: 4.0, mass: 1.0 }
    }
}

#[lagrangian(sensitive(stiffness))]
impl Spring {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * self.mass * der(x).powi(2) - 0.5 * self.stiffness * x.powi(2)
    }
}

impl Start for Spring {
    fn start(&self) -> State {
        State::at_rest(vec![0.5])
    }
}
"""


@pytest.mark.parametrize("name, parameters", [("double_pendulum", {"masses": [1.0, 3.0]}), ("cart_pendulum", {})])
def test_a_declared_model_has_the_bits_of_the_compiled_one(name, parameters):
    Declared = la.declare(MODELS / f"{name}.rs")
    Built = getattr(la, Declared.__name__)
    assert inspect.signature(Declared) == inspect.signature(Built) and Declared.__doc__ == Built.__doc__
    declared, built = Declared(**parameters), Built(**parameters)
    assert repr(declared) == repr(built) and declared.parameters == built.parameters and declared.methods == built.methods
    assert declared.describe("latex") == built.describe("latex") and declared._repr_latex_() == built._repr_latex_()
    how = dict(step=0.01, until=0.5, observe="all")
    one, two = declared.run(**how), built.run(**how)
    assert one.keys() == two.keys() and one.units == two.units
    for column, same in zip(one.values(), two.values()):
        assert column.tobytes() == same.tobytes()
    loss = f"end: {built.coordinates[0]} = 0"
    slopes = [model.gradient_of(run, loss) for model, run in [(declared, one), (built, two)]]
    assert slopes[0].q.tobytes() == slopes[1].q.tobytes() and repr(slopes[0].parameters) == repr(slopes[1].parameters)
    with pytest.raises(ValueError, match="of another declaration"):
        built.gradient_of(one, loss)
    steppers = [model.start(step=0.01) for model in (declared, built)]
    for stepper in steppers:
        stepper.step(20)
    assert steppers[0].q.tobytes() == steppers[1].q.tobytes() and steppers[0].energy == steppers[1].energy
    assert (declared.mass_matrix() != built.mass_matrix()).nnz == 0
    assert (declared.accelerations() == built.accelerations()).all()


def test_a_bare_text_is_a_class_with_help():
    Spring = la.declare(SPRING)
    assert str(inspect.signature(Spring)) == "(*, stiffness: float = 4.0, mass: float = 1.0)"
    text = pydoc.plain(pydoc.render_doc(Spring))
    assert "A mass on a spring." in text and "stiffness = 4.0\n |      Stiffness, N/m." in text
    model = Spring(mass=2.0)
    model.stiffness = 8.0
    assert model == Spring(stiffness=8.0, mass=2.0) and model != Spring() and repr(model) == "Spring(mass=2.0, stiffness=8.0)"
    assert isinstance(model, la.Model) and {"stiffness", "run"} <= set(dir(model))
    run = model.run("verlet", step=0.01, until=3.0)
    assert run.outcome["model"] == "spring" and run.q[-1, 0] == pytest.approx(0.5 * numpy.cos(2 * run.t[-1]), abs=1e-4)
    assert "<iframe" in run._repr_html_() and "<svg" in run.plot()
    found = Spring(stiffness=3.0, mass=2.0).fit(run, "stiffness", method="verlet", step=0.01)
    assert found["estimates"][0]["value"] == pytest.approx(8.0, rel=1e-6)
    with pytest.raises(ValueError, match=r"has no parameter `stifness` \(did you mean `stiffness`\?\)"):
        Spring(stifness=1.0)
    with pytest.raises(AttributeError, match=r"`Spring` has no parameter `stifness` \(did you mean `stiffness`\?\)"):
        model.stifness = 1.0
    assert model.check()["agrees"] is True
    # A cell that runs again gives the same class.
    assert la.declare(SPRING) is Spring and la.declare(SPRING.replace("4.0", "5.0")) is not Spring


def test_a_text_without_parameters_needs_no_struct():
    Free = la.declare("#[lagrangian] impl Free { fn lagrangian(&self, x: Vec2) -> Scalar { 0.5 * der(x).norm_squared() } }")
    assert repr(Free()) == "Free()" and Free().coordinates == ["x.x", "x.y"]
    assert Free().run(step=0.1, until=1.0, start=([0.0, 0.0], [1.0, 2.0])).q[-1] == pytest.approx([1.0, 2.0])


def test_mistakes_have_lines():
    def told(text):
        with pytest.raises(la.DeclarationError) as refused:
            la.declare(text)
        return refused.value

    error = told(SPRING.replace("* x.powi", "* y.powi"))
    assert isinstance(error, ValueError) and (error.line, error.column) == (19, 67)
    assert str(error) == """\
error: cannot find value `y` in this scope
  --> <text>:19:67
   |
19 |         0.5 * self.mass * der(x).powi(2) - 0.5 * self.stiffness * y.powi(2)
   |                                                                   ^"""
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line) == (str(error), 19)
    assert "this is no Rust" in str(told("let's go )"))
    assert "an `impl` block under `#[lagrangian]` declares a model" in str(told("L = m*v^2/2 - k*x^2/2"))
    error = told(SPRING.replace("struct Spring", "struct Sprng"))
    assert "cannot find type `Spring` in this scope" in str(error) and "help: `Sprng` has a similar name" in str(error)
    error = told("struct Spring;")
    assert "the file declares no model" in str(error) and error.line is None
    # A struct with fields needs its values.
    error = told(SPRING.split("impl Default")[0] + "#[lagrangian]" + SPRING.split("#[lagrangian(sensitive(stiffness))]")[1])
    assert error.line == 3 and "the trait `Default` is not implemented for `Spring`" in str(error)
    assert "help: write the values: `impl Default for Spring { fn default() -> Self { Self { stiffness: …, mass: … } } }`" in str(error)
    # What fails as it runs is told in its line, too.
    error = told(SPRING.replace("Self { stiffness: 4.0", "Self { stiffness: Self::default().stiffness"))
    assert error.line == 12 and "`default` calls itself too deep" in str(error)
    Late = la.declare(SPRING.replace("vec![0.5]", "vec![[0.5][1 + self.mass as usize]]"))
    with pytest.raises(la.DeclarationError, match="index out of bounds: the len is 1 but the index is 2") as refused:
        Late()
    assert refused.value.line == 25
    with pytest.raises(ValueError, match="nowhere.rs"):
        la.declare(pathlib.Path("nowhere.rs"))
    with pytest.raises(ValueError, match=r'a text is no file: declare\(pathlib.Path\("spring.rs"\)\)'):
        la.declare("spring.rs")
    with pytest.raises(TypeError):
        la.declare(3)


def energy(model):
    return model.energy()


def swung(Class, stiffness):
    run = Class(stiffness=stiffness).run(step=0.01, until=1.0)
    return run


def test_pickles_hold_the_text():
    Spring, Scatter = la.declare(SPRING), la.declare(MODELS / "chain.rs")
    models = [Spring(stiffness=9.0), Scatter(links=3)]
    for dumps in (pickle.dumps, cloudpickle.dumps):
        for model in models:
            again = pickle.loads(dumps(model))
            assert again == model and repr(again) == repr(model)
    assert pickle.loads(pickle.dumps(Spring)) is Spring
    assert copy.deepcopy(models[0]) == models[0]
    run = models[0].run(step=0.01, until=1.0)
    assert (pickle.loads(pickle.dumps(run)).vjp(run.q).q == run.vjp(run.q).q).all()
    # A process that begins anew compiles the text that it is sent.
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(energy, models)) == [model.energy() for model in models]
        assert list(pool.map(la.Model.energy, models)) == [model.energy() for model in models]
        sent = pool.submit(swung, Spring, 9.0).result()
    assert sent.q.tobytes() == run.q.tobytes()
    assert sent.units == run.units


def test_functions_by_value_carry_their_class():
    Spring = la.declare(SPRING)
    data = cloudpickle.dumps(lambda: Spring(stiffness=2.0).energy())
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer)())"
    there = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert float(there.stdout) == Spring(stiffness=2.0).energy()


PLAN = """
model = "spring"
method = "verlet"
step = 0.01
until = 1.0
path = true

[grid]
"set.stiffness" = [1.0, 4.0]
"""


def test_files_of_a_declared_model_ask_for_its_class(tmp_path):
    Spring, long = la.declare(SPRING), tmp_path / "long.parquet"
    model = Spring()
    checkpoint = tmp_path / "run.ckpt"
    model.run(step=0.01, until=1.0, out=long, checkpoint=checkpoint)
    with pytest.raises(ValueError, match="unknown model `spring`; model=… gives one that a text declares"):
        la.resume(checkpoint, until=2.0)
    rest, whole = la.resume(checkpoint, until=2.0, model=Spring), model.run(step=0.01, until=2.0)
    assert rest.q[-1].tobytes() == whole.q[-1].tobytes()
    Other = la.declare(SPRING.replace("0.5 * self.stiffness", "0.25 * self.stiffness"))
    with pytest.raises(ValueError, match="another `spring`"):
        la.resume(checkpoint, until=2.0, model=Other)
    # A recording declares nothing.
    loaded = la.load(long)
    assert (loaded.q == la.load(long, model=Spring).q).all()
    with pytest.raises(ValueError, match="model="):
        loaded.vjp(loaded.q)
    assert (la.load(long, model=Spring).vjp(whole.q).q == whole.vjp(whole.q).q).all()
    with pytest.raises(ValueError, match="is the class of no model"):
        la.load(long, model=3)
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    assert la.ensemble(plan, tmp_path / "here", model=Spring)["failed"] == 0
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert la.ensemble(plan, tmp_path / "there", pool, shards=2, model=Spring)["members_done"] == 2
    for member in range(2):
        assert (la.load(tmp_path / "here", member).q == la.load(tmp_path / "there", member).q).all()


def test_the_magic_binds_the_class_and_shows_mistakes(capsys):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    assert shell.run_cell("%load_ext least_action").success
    done = shell.run_cell("%%lagrangian\n" + SPRING)
    assert done.success and done.result is None
    assert shell.run_cell("Spring(mass=3.0)").result.mass == 3.0
    capsys.readouterr()
    done = shell.run_cell("%%lagrangian\n" + SPRING.replace("* x.powi", "* y.powi"))
    assert isinstance(done.error_in_exec, la.DeclarationError) and done.error_in_exec.line == 20
    printed = "".join(capsys.readouterr())
    assert "error: cannot find value `y` in this scope\n  --> <cell>:20:67\n" in printed and "Traceback" not in printed
    assert not shell.run_cell("%%lagrangian Spring\n" + SPRING).success
