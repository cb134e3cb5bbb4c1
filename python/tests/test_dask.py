"""A study on a cluster of processes: the bytes of a local run, whatever happens to workers and scheduler."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import files_of

import touchdown as td

distributed = pytest.importorskip("distributed")
td_dask = td.dask

PARTS = 24
# Trials in each: few take long enough that most parts are still to come when something is killed.
TRIALS = 40


@pytest.fixture(scope="module")
def study(examples: Path) -> td.Study:
    """Parts of some hundredths of a second."""
    return td.Study(examples / "c172_wet_runway.toml").replace(landings=PARTS * TRIALS, part_size=TRIALS)


@pytest.fixture(scope="module")
def local(study: td.Study, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    place = tmp_path_factory.mktemp("local")
    study.run(engine="native", directory=place)
    return files_of(place)


class Cluster:
    """A scheduler and workers, each a process."""

    def __init__(self, place: Path) -> None:
        self.file = place / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        deadline = time.monotonic() + 60
        while not self.file.exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        self.workers = [self.worker(f"worker-{number}") for number in range(3)]

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def worker(self, name: str) -> subprocess.Popen[bytes]:
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", name)
        return self.start("worker", "--scheduler-file", str(self.file), *options)

    def client(self) -> distributed.Client:
        client = distributed.Client(scheduler_file=str(self.file), timeout=60)
        client.wait_for_workers(3, timeout=60)
        return client

    def close(self) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


@contextmanager
def cluster(place: Path) -> Iterator[Cluster]:
    place.mkdir(parents=True, exist_ok=True)
    made = Cluster(place)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def unharmed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster of the tests that kill nothing."""
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


def when_there(parts: Path, count: int, then) -> None:
    """Does something in another thread once there are so many parts."""
    import threading

    def watch() -> None:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and len(list(parts.glob("0*.parquet"))) < count:
            time.sleep(0.005)
        then()

    threading.Thread(target=watch, daemon=True).start()


def ages(directory: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (directory / "parts").glob("0*.parquet")}


def stored(study: td.Study, place: Path) -> Path:
    """The file of a study, beside those that it names."""
    text = place / "study.json"
    text.write_text(study._study.text)
    for name, content in study._study.files().items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    return text


def test_a_cluster_gives_the_bytes_of_a_local_run(
    study: td.Study, local: dict[str, bytes], unharmed: Cluster, tmp_path: Path
) -> None:
    text = stored(study, tmp_path)
    out = tmp_path / "run"
    command = [sys.executable, "-m", "touchdown.dask", "--scheduler-file", str(unharmed.file), "--study", str(text)]
    started = time.monotonic()
    done = subprocess.run([*command, "--out", str(out), "--engine", "native"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (0, 1, 6), done.stderr
    print(f"{PARTS} parts in {time.monotonic() - started:.1f} s")
    assert files_of(out) == local
    before = ages(out)
    with unharmed.client() as client:
        td_dask.run(study, client, out, engine="native")
    assert ages(out) == before


def test_a_killed_worker_loses_only_its_part(study: td.Study, local: dict[str, bytes], tmp_path: Path) -> None:
    with cluster(tmp_path / "cluster") as made, made.client() as client:
        when_there(tmp_path / "run" / "parts", 3, made.workers[0].kill)
        td_dask.run(study, client, tmp_path / "run", engine="native")
        assert made.workers[0].wait(10) == -signal.SIGKILL
        assert files_of(tmp_path / "run") == local


def test_the_part_of_a_frozen_worker_is_handed_out_again(study: td.Study, local: dict[str, bytes], tmp_path: Path) -> None:
    with cluster(tmp_path / "cluster") as made, made.client() as client:
        frozen = made.workers[1]
        when_there(tmp_path / "run" / "parts", 3, lambda: os.kill(frozen.pid, signal.SIGSTOP))
        td_dask.run(study, client, tmp_path / "run", engine="native", patience=4.0)
        os.kill(frozen.pid, signal.SIGCONT)
        assert files_of(tmp_path / "run") == local


def test_a_run_goes_on_after_its_scheduler_was_killed(study: td.Study, local: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "run"
    with cluster(tmp_path / "one") as made, made.client() as client:
        when_there(out / "parts", 3, made.scheduler.kill)
        with pytest.raises(td.RunError, match="the cluster is lost"):
            td_dask.run(study, client, out, engine="native")
    before = ages(out)
    assert 3 <= len(before) < PARTS and not (out / "summary.json").exists()
    with cluster(tmp_path / "two") as made, made.client() as client:
        td_dask.run(study, client, out, engine="native")
    after = ages(out)
    assert {name: after[name] for name in before} == before
    print(f"{len(before)} parts before the scheduler was killed, none computed again")
    assert files_of(out) == local


def test_failed_parts_are_listed_at_the_end(study: td.Study, unharmed: Cluster, tmp_path: Path) -> None:
    halves = study.replace(part_size=PARTS * TRIALS // 2)
    adapters = {f"worker-{number}": "none such" for number in range(3)}
    with unharmed.client() as client, pytest.raises(td_dask.PartsFailed) as caught:
        td_dask.run(halves, client, tmp_path / "run", engine="gpu", adapters=adapters)
    assert sorted(caught.value.failed) == [0, 1]
    assert "part 0: " in str(caught.value) and "none such" in caught.value.failed[1]
    assert caught.value.is_of_engine and pickle.loads(pickle.dumps(caught.value)).is_of_engine
    command = [sys.executable, "-m", "touchdown.dask", "--scheduler-file", str(unharmed.file), "--engine", "gpu"]
    for worker, adapter in adapters.items():
        command += ["--adapter", f"{worker}={adapter}"]
    command += ["--study", str(stored(halves, tmp_path)), "--out", str(tmp_path / "again")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 3 and "none such" in done.stderr, done.stderr


def test_a_scheduler_that_is_not_there_is_not_waited_for(
    tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(td_dask, "CONNECTING", 0.5)
    file = str(tmp_path / "none.json")
    given = ["--scheduler-file", file, "--study", str(examples / "particle.toml"), "--out", str(tmp_path / "run")]
    assert td_dask.main(given) == 2
    assert f"{file}: there is no such file" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_patience_is_a_finite_number_of_seconds(study: td.Study, tmp_path: Path) -> None:
    for bad, kind in [(0.0, ValueError), (-1.0, ValueError), (float("nan"), ValueError), (float("inf"), ValueError), ("5", TypeError)]:
        with pytest.raises(kind, match="patience=.*: must be a"):
            td_dask.run(study, None, tmp_path / "run", patience=bad)
    with pytest.raises(TypeError, match="threads='2'"):
        td_dask.run(study, None, tmp_path / "run", threads="2")
    assert not (tmp_path / "run").exists()
    command = ["--scheduler", "tcp://127.0.0.1:9", "--study", "none.toml", "--out", str(tmp_path / "run"), "--patience", "nan"]
    with pytest.raises(SystemExit) as caught:
        td_dask.main(command)
    assert caught.value.code == 2


def test_sound_workers_have_the_time_to_hand_parts_over(examples: Path, unharmed: Cluster, tmp_path: Path) -> None:
    halves = td.Study(examples / "particle.toml").replace(particles=100, part_size=50)
    with unharmed.client() as client:
        run = td_dask.run(halves, client, tmp_path / "run", engine="native", patience=1e-6)
    assert run.summary.particles == 100


def test_a_study_that_cannot_be_divided_is_refused(examples: Path, tmp_path: Path) -> None:
    with pytest.raises(td.RunError, match="subset simulation"):
        td_dask.run(td.Study(examples / "c172_rare.toml"), None, tmp_path / "run")
