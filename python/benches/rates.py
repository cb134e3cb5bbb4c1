"""Rates of the Python package beside those of the native part alone: python python/benches/rates.py, on a quiet machine.

Calls alternate, and the fastest of each counts: other work on the machine slows single calls down.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import touchdown as td

EXAMPLES = Path(__file__).parents[2] / "examples"


def seconds(call: Callable[[], object]) -> float:
    """Of a call, without what it takes to give the memory of its answer back."""
    started = time.perf_counter()
    answer = call()
    taken = time.perf_counter() - started
    del answer
    return taken


def rays() -> None:
    """1,000,000 rays of the airport from numpy, and in Rust."""
    scene = td.Scene(EXAMPLES / "scenes/airport.toml")
    random = np.random.default_rng(7)
    origins = random.uniform([-200.0, -200.0, 50.0], [1200.0, 200.0, 80.0], (1_000_000, 3))
    ends = origins + random.uniform([-100.0, -100.0, -160.0], [100.0, 100.0, -30.0], origins.shape)
    engine = td._engine.engine("native", None, 0)
    python = rust = float("inf")
    for _ in range(10):
        rust = min(rust, scene._scene.seconds_of_call(engine, origins, ends))
        python = min(python, seconds(lambda: scene.entry_points(origins, ends, engine="native")))
    print(f"1,000,000 rays: {1 / python:.2f} M/s from numpy, {1 / rust:.2f} M/s in Rust, ratio {rust / python:.3f}")


def landings() -> None:
    """10,000 landings by `study.function` and by `study.run`, on one thread."""
    study = td.Study(EXAMPLES / "c172_wet_runway.toml").replace(landings=10_000, part_size=10_000)
    f, X = study.function("stopping_point", engine="native", threads=1, noise=None), study.sample(10_000)
    function = run = float("inf")
    for _ in range(3):
        run = min(run, seconds(lambda: study.run(engine="native", threads=1)))
        function = min(function, seconds(lambda: f(X)))
    print(
        f"10,000 landings: {1e4 / function:.0f}/s by study.function, {1e4 / run:.0f}/s by study run on one thread,"
        f" ratio {run / function:.3f}"
    )


if __name__ == "__main__":
    rays()
    landings()
