"""Jobs on arrays, and commands of the program on tables."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from . import _touchdown
from ._engine import engine as open_engine
from ._errors import CommandError

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.uint8]


class ContactStatus(IntEnum):
    """How the computation of a contact ended."""

    OK = 0
    DEGENERATE = 1
    """The centres coincide; the normal is the direction of the smallest separating translation."""
    NOT_CONVERGED = 2
    BAD_INPUT = 3
    """The axes, the quaternion or the wall are out of range."""


class BoxStatus(IntEnum):
    """Whether a normal exists."""

    OK = 1
    DEGENERATE = 2
    """A sharp edge is hit, or the normals of two corners cancel."""
    BAD_INPUT = 3


class BoxRegion(IntEnum):
    """The part of a rounded box that is hit."""

    FACE = 1
    EDGE = 2
    CORNER = 3


class BoxCase(IntEnum):
    """Which parts of two boxes touch; an edge counts as a corner."""

    FACE_FACE = 0
    FACE_CORNER = 1
    CORNER_FACE = 2
    CORNER_CORNER = 3


class LcpStatus(IntEnum):
    """How the solver ended."""

    SOLVED = 1
    RAY = 2
    """For positive semidefinite matrices there is no solution; otherwise inconclusive."""
    NOT_CONVERGED = 3
    INACCURATE = 4
    BAD_INPUT = 5


@dataclass(frozen=True, eq=False)
class EllipsoidContacts:
    """Contacts of pairs of ellipsoids (Perram and Wertheim); NaN where undefined."""

    status: Codes
    """(n,) ContactStatus."""
    f: Floats
    """(n,) The contact function mu^2: below 1 where they overlap."""
    mu: Floats
    """(n,) The factor by which both are scaled until they touch."""
    lambda_: Floats
    """(n,) The parameter of the contact function, in (0, 1)."""
    normal: Floats
    """(n, 3) Unit normal from A to B."""
    point: Floats
    """(n, 3) Where the scaled surfaces touch [m]."""
    separation: Floats
    """(n,) The gap [m] between the tangent planes with this normal, negative on overlap."""


@dataclass(frozen=True, eq=False)
class WallContacts:
    """Contacts of ellipsoids with walls; NaN where undefined."""

    status: Codes
    """(n,) ContactStatus."""
    mu: Floats
    """(n,) The factor by which the ellipsoid is scaled until it touches the wall."""
    normal: Floats
    """(n, 3) Unit normal from the ellipsoid into the wall."""
    point: Floats
    """(n, 3) The ellipsoid's point deepest in the wall, or closest to it [m]."""
    separation: Floats
    """(n,) The distance [m] of that point from the wall, negative inside."""


@dataclass(frozen=True, eq=False)
class BoxNormals:
    """Normals of rounded boxes; NaN where there is none."""

    status: Codes
    """(n,) BoxStatus."""
    normal: Floats
    """(n, 3) Outward unit normal, world axes."""
    region: Codes
    """(n,) BoxRegion; 255 for a bad input."""


@dataclass(frozen=True, eq=False)
class BoxPairNormals:
    """Contact normals of pairs of rounded boxes; NaN where there is none."""

    status: Codes
    """(n,) BoxStatus."""
    normal: Floats
    """(n, 3) Direction of the force on the second from the first, world axes."""
    case: Codes
    """(n,) BoxCase; 255 for a bad input."""


@dataclass(frozen=True, eq=False)
class LcpSolutions:
    """Solutions of linear complementarity problems; NaN where there is none."""

    status: Codes
    """(n,) LcpStatus."""
    z: Floats
    """(n, k) The unknowns, not negative."""
    residual: Floats
    """(n,) The largest |min(z[i], w[i])|, in the problem's units."""
    pivots: npt.NDArray[np.uint32]
    """(n,) Number of pivots."""


def ellipsoid_pairs(
    a: Floats, b: Floats, *, engine: str = "auto", adapter: str | None = None, threads: int = 0
) -> EllipsoidContacts:
    """Contacts of the ellipsoids `a` with the ellipsoids `b`, both (n, 10): x, y, z, s1, s2, s3, qw, qx, qy, qz, which are
    centre [m], semi-axes [m], and the quaternion that rotates its axes to world axes.

    Raises TypeError for another dtype than float64; ValueError for another shape or order, and for NaN.
    """
    return EllipsoidContacts(**_touchdown.ellipsoid_pairs(open_engine(engine, adapter, threads), a, b))


def ellipsoid_walls(
    bodies: Floats, walls: Floats, *, engine: str = "auto", adapter: str | None = None, threads: int = 0
) -> WallContacts:
    """Contacts of ellipsoids (n, 10), as in `ellipsoid_pairs`, with walls (n, 4): nx, ny, nz, d, the half space of the
    points x with n.x <= d.

    Raises TypeError for another dtype than float64; ValueError for another shape or order, and for NaN.
    """
    return WallContacts(**_touchdown.ellipsoid_walls(open_engine(engine, adapter, threads), bodies, walls))


def box_normals(
    boxes: Floats, contacts: Floats, *, engine: str = "auto", adapter: str | None = None, threads: int = 0
) -> BoxNormals:
    """Normals of boxes with rounded edges where contact vectors pierce them.

    `boxes` is (n, 8): l1, l2, l3, radius, qw, qx, qy, qz, which are side lengths [m], radius of the edges [m], and the
    quaternion from box to world axes. `contacts` is (n, 3): from the centre to the contact point [m], world axes.

    Raises TypeError for another dtype than float64; ValueError for another shape or order, and for NaN.
    """
    return BoxNormals(**_touchdown.box_normals(open_engine(engine, adapter, threads), boxes, contacts))


def box_pairs(
    boxes_1: Floats,
    contacts_1: Floats,
    boxes_2: Floats,
    contacts_2: Floats,
    *,
    engine: str = "auto",
    adapter: str | None = None,
    threads: int = 0,
) -> BoxPairNormals:
    """Contact normals of pairs of boxes, each with its own contact vector; shapes as in `box_normals`.

    Raises TypeError for another dtype than float64; ValueError for another shape or order, and for NaN.
    """
    opened = open_engine(engine, adapter, threads)
    return BoxPairNormals(**_touchdown.box_pairs(opened, boxes_1, contacts_1, boxes_2, contacts_2))


def lcp(
    matrices: Floats, vectors: Floats, *, engine: str = "auto", adapter: str | None = None, threads: int = 0
) -> LcpSolutions:
    """Solutions of w = M z + q, w >= 0, z >= 0, w.z = 0 by Lemke's method, for matrices (n, k, k) and vectors (n, k).

    Up to 8 unknowns the engine solves them many at a time; larger ones are solved one by one, on the CPU.

    Raises TypeError for another dtype than float64; ValueError for another shape or order, and for NaN.
    """
    return LcpSolutions(**_touchdown.lcp(open_engine(engine, adapter, threads), matrices, vectors))


def job(name: str, **options: Any) -> pa.Table:
    """A command of the program that reads tables and writes one, on tables in memory.

    `name` is the command, such as `raycast`, `wheels`, `ellipsoids`, `box-normals`, `particle`, `encounters` or `oriented`;
    `options` are its options with `_` for `-`. Where an option names a table, give one: a pyarrow Table, a mapping from
    column names to numpy arrays, or a DataFrame. A tuple, a list or an array of one dimension stands for values with commas
    between them, `period=[4, 4, "open"]`, a mapping from names to strings for `NAME=STRING` with commas between them,
    `columns={"id": "tag"}`, and True for an option without a value. So every such command whose tables are options is here by
    itself: `td.job("particle", items={"x": x, ...})`; `touchdown NAME --help` says what it reads and writes. What a command tells
    of its progress is on standard error.

    Raises CommandError with the message that the program would print, or for a table that cannot be written; TypeError for a
    value that stands for no option.
    """
    with tempfile.TemporaryDirectory(prefix="touchdown-") as place:
        out = Path(place) / "out.parquet"
        arguments = ["touchdown", name]
        for key, value in options.items():
            option = "--" + key.replace("_", "-")
            is_list = isinstance(value, np.ndarray) and value.ndim < 2 and value.dtype.names is None
            if is_list or isinstance(value, np.generic):
                value = value.tolist()
            if value is False or value is None:
                continue
            if value is True:
                arguments.append(option)
                continue
            word = _word(key, value)
            if word is None:
                path = Path(place) / f"{key}.parquet"
                _write(key, value, path)
                word = str(path)
            # In one word, for what begins with a minus is no option.
            arguments.append(f"{option}={word}")
        _touchdown.command([*arguments, "--out", str(out)])
        if not out.exists():
            raise CommandError(f"{name}: the command wrote no table")
        return pq.read_table(out)


def _word(name: str, value: Any) -> str | None:
    """The value of an option as the command line has it; None for a table."""
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, (str, int, float)):
        return f"{value}"
    if isinstance(value, Mapping) and value and all(isinstance(entry, str) for entry in value.values()):
        return ",".join(f"{key}={entry}" for key, entry in value.items())
    if isinstance(value, (tuple, list)):
        for entry in value:
            if not isinstance(entry, (str, os.PathLike, int, float, np.generic)):
                raise TypeError(f"{name} holds a {type(entry).__name__}; its values must be numbers or strings")
        return ",".join(map(str, value))
    return None


def _write(name: str, value: Any, path: Path) -> None:
    """Writes the table that an option stands for."""
    try:
        pq.write_table(_table(name, value), path)
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise CommandError(f"{name}: {error}") from error


def _column(name: str, values: Any) -> Any:
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    if isinstance(values, (str, bytes)):
        raise ValueError(f"column {name} is of type {type(values).__name__}; it must be an array")
    try:
        return pa.array(values)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"column {name}: {error}") from error


def _table(name: str, value: Any) -> pa.Table:
    if isinstance(value, pa.Table):
        return value
    if isinstance(value, Mapping):
        return pa.table({column: _column(column, values) for column, values in value.items()})
    if hasattr(value, "__arrow_c_stream__"):
        return pa.table(value)
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return pa.Table.from_pandas(value, preserve_index=False)
    raise TypeError(f"{name} is {type(value).__name__}; it must be a table, or a mapping from column names to arrays")
