"""Progress on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

INTERVAL = 0.5
"""Seconds between two lines."""


@contextmanager
def ticker(
    progress: bool | Callable[[int, int], object] | None, total: int, many: str
) -> Iterator[Callable[[int], object] | None]:
    """What is called with the number of trials done, from time to time."""
    # A program without a console has no standard error.
    if progress is False or progress is None or (progress is True and sys.stderr is None):
        yield None
    elif progress is True:
        started = time.monotonic()
        last = started

        def show(done: int) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= INTERVAL:
                last = now
                rate = done / (now - started)
                sys.stderr.write(f"\r{done}/{total} {many}, {rate:.4g}/s ")
                sys.stderr.flush()

        try:
            yield show
        finally:
            if last > started:
                sys.stderr.write("\n")
    else:
        yield lambda done: progress(done, total)
