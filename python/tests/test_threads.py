"""The interpreter is free while the native part computes; Ctrl-C stops it and loses nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import files_of

import touchdown as td


def counted(event: threading.Event) -> int:
    """How often another thread gets its turn."""
    turns = 0
    while not event.is_set():
        turns += 1
        time.sleep(0.001)
    return turns


def test_another_thread_goes_on(examples: Path) -> None:
    study = td.Study(examples / "c172_wet_runway.toml").replace(landings=1000, part_size=500)
    over, turns = threading.Event(), []
    other = threading.Thread(target=lambda: turns.append(counted(over)))
    other.start()
    started = time.perf_counter()
    study.run(engine="native", threads=1)
    seconds = time.perf_counter() - started
    over.set()
    other.join()
    rate = turns[0] / seconds
    print(f"{rate:.0f} turns per second of another thread during a run of {seconds:.2f} s")
    # Each turn sleeps 1 ms and may wait for a busy machine; with the lock held there would be none.
    assert turns[0] > 10


SCRIPT = """
import sys, touchdown as td
study = td.Study(sys.argv[1]).replace(landings=200_000, part_size=1000)
print("started", flush=True)
try:
    study.run(engine="native", threads=1, directory=sys.argv[2])
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(7)
"""


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_ctrl_c_stops_a_run_and_finished_parts_are_kept(examples: Path, tmp_path: Path) -> None:
    path = examples / "c172_wet_runway.toml"
    command = [sys.executable, "-c", SCRIPT, str(path), str(tmp_path / "run")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    parts = tmp_path / "run" / "parts"
    deadline = time.monotonic() + 60
    while not (parts.exists() and len(list(parts.glob("0*.parquet"))) >= 2):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    print(f"KeyboardInterrupt after {time.monotonic() - sent:.2f} s")
    assert process.returncode == 7 and "interrupted" in output
    names = sorted(entry.name for entry in parts.iterdir())
    assert names == [f"{number:05}.parquet" for number in range(len(names))]
    # What is there is what an uninterrupted run has.
    study = td.Study(path).replace(landings=200_000, part_size=1000)
    study.run(engine="native", directory=tmp_path / "again", parts=(0, 2))
    again = files_of(tmp_path / "again")
    assert again == {name: content for name, content in files_of(tmp_path / "run").items() if name in again}


SAMPLE = """
import sys, touchdown as td
study = td.Study(sys.argv[1]).replace(particles=1_000_000_000, part_size=1_000_000)
try:
    print("started", flush=True)
    study.sample(50_000_000)
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_ctrl_c_stops_a_sample(examples: Path) -> None:
    command = [sys.executable, "-c", SAMPLE, str(examples / "particle.toml")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "started\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        # All of it takes some twenty seconds on a fast machine.
        process.communicate(timeout=10)
        assert process.returncode == 7
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_ctrl_c_stops_the_program_of_the_wheel(examples: Path, tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "touchdown"
    command = [program, "study", "run", examples / "c172_wet_runway.toml", "--engine", "native", "--out", tmp_path / "run"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    parts = tmp_path / "run" / "parts"
    deadline = time.monotonic() + 60
    while not (parts.exists() and any(parts.glob("0*.parquet"))):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "interrupted; finished parts are kept" in errors


def test_an_exception_of_progress_stops_a_run(examples: Path) -> None:
    study = td.Study(examples / "c172_wet_runway.toml").replace(landings=100_000, part_size=1000)
    told = []

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        if done > 0:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        study.run(engine="native", threads=1, progress=tell)
    assert told[-1][1] == 100_000 and told[-1][0] < 100_000
