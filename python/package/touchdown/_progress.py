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
        # The number that was told last, and the one that is on the screen.
        told, shown = 0, -1

        def write(done: int) -> None:
            nonlocal last, shown
            last, shown = time.monotonic(), done
            rate = done / max(last - started, 1e-9)
            sys.stderr.write(f"\r{done}/{total} {many}, {rate:.4g}/s ")
            sys.stderr.flush()

        def show(done: int) -> None:
            nonlocal told
            told = done
            if time.monotonic() - last >= INTERVAL:
                write(done)

        try:
            yield show
        finally:
            # The last number mostly comes within the interval.
            if told > max(shown, 0):
                write(told)
            if shown >= 0:
                sys.stderr.write("\n")
                sys.stderr.flush()
    else:
        yield lambda done: progress(done, total)
