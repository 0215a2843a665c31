"""The bead moves as it should, also in Python."""

import numpy
import pytest

import {module}


def test_the_derivatives_of_the_bead_agree():
    assert {module}.Bead(curvature=2.0).check()["agrees"]


def test_the_bead_keeps_its_energy():
    run = {module}.Bead().run("rattle", step=1e-3, until=10)
    energy = run["energy"]
    assert numpy.abs(energy - energy[0]).max() < 1e-4 * abs(energy[0])
    assert run["constraint_residual"].max() < 1e-13


def test_a_wrong_parameter_is_named():
    with pytest.raises(ValueError, match="did you mean `curvature`"):
        {module}.Bead(curvatur=2.0)
