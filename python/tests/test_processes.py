"""Other processes: forked ones, which have none of their parent's threads, and ones that get functions and runs in the post."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import touchdown as td
from conftest import files_of

PATIENCE = 60.0
"""Seconds after which a child is taken to hang."""


def in_a_fork(work: Callable[[], bool]) -> bool:
    """What work comes to in a forked process; false if it never ends."""
    child = os.fork()
    if child == 0:
        # Nothing of the parent's tests may go on in here.
        os._exit(0 if work() else 1)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def test_a_forked_process_computes_what_its_parent_has_computed(examples: Path) -> None:
    study = td.Study(examples / "particle.toml")
    function = study.function("position", engine="native", threads=1)
    inputs = study.sample(200)
    expected = function(inputs)
    balls = np.tile(np.array([[0.0, 0, 0, 1, 1, 1, 1, 0, 0, 0]]), (40_000, 1))
    others = balls + np.array([3.0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    factors = td.ellipsoid_pairs(balls, others, engine="native").mu
    assert np.allclose(factors, 1.5)
    assert in_a_fork(lambda: np.array_equal(function(inputs), expected))
    assert in_a_fork(lambda: np.array_equal(td.ellipsoid_pairs(balls, others, engine="native").mu, factors))


def test_a_forked_process_runs_what_its_parent_has_run(examples: Path, tmp_path: Path) -> None:
    study = td.Study(examples / "particle.toml").replace(particles=1000, part_size=300)
    expected = study.run("native", directory=tmp_path / "parent").rows
    in_child = tmp_path / "child"
    assert in_a_fork(lambda: study.run("native", directory=in_child).rows.equals(expected))
    assert files_of(in_child) == files_of(tmp_path / "parent")


def test_forks_of_a_fork_compute_too(examples: Path) -> None:
    study = td.Study(examples / "particle.toml")
    function = study.function("position", engine="native")
    inputs = study.sample(200)
    expected = function(inputs)
    is_same = lambda: np.array_equal(function(inputs), expected)  # noqa: E731
    assert in_a_fork(lambda: is_same() and in_a_fork(is_same))


def test_a_function_can_be_sent(examples: Path) -> None:
    study = td.Study(examples / "particle.toml")
    function = study.function("position", engine="native", threads=1)
    inputs = study.sample(50)
    assert np.array_equal(pickle.loads(pickle.dumps(function))(inputs), function(inputs))


def test_a_run_can_be_sent_unless_its_directory_goes_with_it(examples: Path, tmp_path: Path) -> None:
    study = td.Study(examples / "particle.toml").replace(particles=50)
    kept = study.run("native", directory=tmp_path / "run")
    assert pickle.loads(pickle.dumps(kept)).summary == kept.summary
    temporary = study.run("native")
    for sent in (temporary, temporary.report()):
        with pytest.raises(TypeError, match="a run in a temporary directory"):
            pickle.dumps(sent)


TETRAHEDRON = """
v 0 0 0
v 10 0 0
v 0 10 0
v 0 0 10
f 1 2 3
f 1 2 4
f 1 3 4
f 2 3 4
"""


def test_a_scene_can_be_sent_with_its_meshes(tmp_path: Path) -> None:
    (tmp_path / "mesh.obj").write_text(TETRAHEDRON)
    path = tmp_path / "scene.toml"
    path.write_text('[scene]\npolyhedron = { file = "mesh.obj" }\n')
    scene = td.Scene(path)
    origins, ends = np.array([[1.0, 1.0, 20.0], [9.0, 9.0, 20.0]]), np.array([[1.0, 1.0, -1.0], [9.0, 9.0, -1.0]])
    posted = pickle.dumps(scene)
    # The files need not be where it arrives.
    (tmp_path / "mesh.obj").unlink()
    path.unlink()
    arrived = pickle.loads(posted)
    assert arrived.leaves == scene.leaves == 4
    found = arrived.entry_points(origins, ends, engine="native")
    assert found.status.tolist() == [td.RayStatus.HIT, td.RayStatus.MISS]
    assert np.array_equal(found.point, scene.entry_points(origins, ends, engine="native").point, equal_nan=True)
    assert found.point[0] == pytest.approx([1.0, 1.0, 8.0], abs=1e-9)


def test_a_summary_is_equal_to_its_copy_and_known_by_name(examples: Path) -> None:
    study = td.Study(examples / "particle.toml").replace(particles=100)
    summary = study.run("native").summary
    assert pickle.loads(pickle.dumps(summary)) == summary == study.run("native").summary
    assert study.criteria[0] in summary.criteria and "nothing" not in summary.criteria
    assert summary.plain()["criteria"][0]["name"] == study.criteria[0]


def test_a_report_outlives_its_temporary_run(examples: Path) -> None:
    report = td.Study(examples / "particle.toml").replace(particles=50).run("native").report()
    assert "<iframe" in report._repr_html_()


def test_files_that_are_no_parts_are_refused(examples: Path, tmp_path: Path) -> None:
    study = td.Study(examples / "particle.toml").replace(particles=300, part_size=100)
    run = study.run("native", directory=tmp_path / "run")
    first = tmp_path / "run" / "parts" / "00000.parquet"
    other = study.replace(seed=study.seed + 1).run("native", directory=tmp_path / "other").directory / "parts" / "00000.parquet"
    stray = first.with_name("00000 (copy).parquet")
    stray.write_bytes(first.read_bytes())
    with pytest.raises(td.RunError, match="no part of this study"):
        td.open_run(run.directory).rows
    stray.unlink()
    assert td.open_run(run.directory).rows.num_rows == 300
    first.write_bytes(other.read_bytes())
    with pytest.raises(td.RunError, match="seed"):
        td.open_run(run.directory).rows


def test_inputs_that_follow_from_outcomes_are_no_sample(examples: Path) -> None:
    study = td.Study(examples / "particle.toml").replace(
        particles=None,
        sampling={"method": "subset", "samples": 100, "replicates": 8},
        criteria={"hard_blow": None, "high_rebound": {"quantity": "rebound_height", "above": np.float64(0.7), "probability": 1e-3}},
    )
    with pytest.raises(ValueError, match="subset simulation"):
        study.sample(1)
