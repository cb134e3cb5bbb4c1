"""Engines, each opened once."""

from __future__ import annotations

import operator
import os
from functools import lru_cache

from . import _touchdown


@lru_cache(maxsize=8)
def _opened(name: str, adapter: str | None, threads: int, has_kernels: bool, process: int) -> _touchdown.Engine:
    return _touchdown.Engine.open(name, adapter, threads, has_kernels)


def engine(name: str, adapter: str | None, threads: int, has_kernels: bool = True) -> _touchdown.Engine:
    """The engine with this name; the adapter is that of TOUCHDOWN_ADAPTER unless it is said.

    A forked process has none of the threads of its parent, and opens its own engine.
    """
    return _opened(name, asked(adapter), whole(threads), has_kernels, os.getpid())


def whole(threads: int) -> int:
    """The number of threads, if it is one."""
    try:
        number = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads={threads!r}: must be a whole number from 0 (one per core) to 1024") from None
    if not 0 <= number <= 1024:
        raise ValueError(f"threads={threads}: must be from 0 (one per core) to 1024")
    return number


def asked(adapter: str | None) -> str | None:
    """The adapter asked for, here or by TOUCHDOWN_ADAPTER."""
    if adapter is not None and not isinstance(adapter, str):
        raise TypeError(f"adapter={adapter!r}: must be a string, a number or part of a name that `touchdown devices` lists")
    return adapter if adapter is not None else os.environ.get("TOUCHDOWN_ADAPTER")
