"""Ensembles from Python: the same bytes, whoever runs their shards."""

import concurrent.futures
import pathlib

import pytest

import least_action

PLAN = """
model = "double-pendulum"
method = "rattle"
step = 0.01
until = 1.0
project = true
part = 5
[random]
count = 40
[random.draw]
"start.der.lower.y" = { normal = [0.0, 0.5] }
"""


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in pathlib.Path(folder).rglob("*") if path.is_file()}


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def test_an_ensemble_is_the_same_by_shards(plan, tmp_path):
    done = least_action.ensemble(plan, tmp_path / "whole")
    assert (done["members_done"], done["parts_done"], done["failed"]) == (40, 8, 0)
    for number in (2, 3, 1):
        least_action.ensemble_shard(plan, tmp_path / "shards", (number, 3), 1)
    assert files(tmp_path / "whole") == files(tmp_path / "shards")
    assert least_action.ensemble(plan, tmp_path / "whole")["members_done"] == 0


def test_a_process_pool_runs_shards(plan, tmp_path):
    least_action.ensemble(plan, tmp_path / "whole")
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        done = least_action.ensemble(plan, tmp_path / "pool", pool, shards=4)
    assert (done["members_done"], done["parts_done"]) == (40, 8)
    assert files(tmp_path / "whole") == files(tmp_path / "pool")


def test_dask_runs_shards(plan, tmp_path):
    distributed = pytest.importorskip("distributed")
    least_action.ensemble(plan, tmp_path / "whole")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            done = least_action.ensemble(plan, tmp_path / "dask", client.get_executor(), shards=4)
    assert done["members_done"] == 40
    assert files(tmp_path / "whole") == files(tmp_path / "dask")


def test_bad_plans_are_value_errors(plan, tmp_path):
    plan.write_text(PLAN.replace("double-pendulum", "double-pendulums"))
    with pytest.raises(ValueError, match=r"unknown model `double-pendulums` \(did you mean"):
        least_action.ensemble(plan, tmp_path / "out")
    plan.write_text(PLAN)
    with pytest.raises(ValueError, match="the first of 3 shares"):
        least_action.ensemble_shard(plan, tmp_path / "out", (0, 3))
    assert not (tmp_path / "out").exists()
