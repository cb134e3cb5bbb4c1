"""Scenes and rays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np
import numpy.typing as npt

from . import _touchdown
from ._engine import engine as open_engine

Floats = npt.NDArray[np.float64]


class RayStatus(IntEnum):
    """How the search along a ray ended."""

    MISS = 0
    HIT = 1
    BAD_INPUT = 2
    """A number above 1e60, or a ray too long for the engine."""
    NOT_CONVERGED = 3


@dataclass(frozen=True, eq=False)
class EntryPoints:
    """Where segments first meet a scene; numbers are NaN, leaves and materials -1, where there is nothing."""

    status: npt.NDArray[np.uint8]
    """(n,) RayStatus."""
    lambda_: Floats
    """(n,) The point is origin + lambda (end - origin)."""
    point: Floats
    """(n, 3) The point [m]."""
    normal: Floats
    """(n, 3) Normal of the surface that is hit, as stored in its leaf; 0 where the ray starts inside."""
    leaf: npt.NDArray[np.int32]
    """(n,) The leaf whose surface is hit; -1 where the ray starts inside."""
    material: npt.NDArray[np.int32]
    """(n,) Index into the scene's materials."""

    def __len__(self) -> int:
        return len(self.status)


class Scene:
    """A scene of solids, read from a file.

    It can be pickled, with the meshes that it names. Raises SceneError, with the attributes file, line, column and field.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._scene = _touchdown.Scene.read(self._path)

    @classmethod
    def _in_memory(cls, path: str, text: str, files: Mapping[str, bytes]) -> Scene:
        made = cls.__new__(cls)
        made._path = Path(path)
        made._scene = _touchdown.Scene.in_memory(made._path, text, files)
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return Scene._in_memory, (str(self._path), self._scene.text, self._scene.files())

    @property
    def materials(self) -> tuple[str, ...]:
        """Names of its materials."""
        return tuple(self._scene.materials)

    @property
    def leaves(self) -> int:
        """Number of its leaves, the solids that it is made of."""
        return self._scene.leaves

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is allowed in its file but hardly meant."""
        return tuple(self._scene.warnings)

    def entry_points(
        self,
        origins: Floats,
        ends: Floats,
        *,
        engine: str = "auto",
        adapter: str | None = None,
        threads: int = 0,
    ) -> EntryPoints:
        """Where the segments from `origins` to `ends`, both (n, 3) [m], first meet the scene.

        Raises TypeError for another dtype than float64; ValueError for another shape or order, and for NaN.
        """
        opened = open_engine(engine, adapter, threads)
        return EntryPoints(**self._scene.entry_points(opened, origins, ends))
