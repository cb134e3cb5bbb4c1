"""Landing, contact and collision studies by the million.

    import touchdown as td

    study = td.Study("examples/c172_wet_runway.toml")
    run = study.run(progress=True)
    run.summary["criteria"]["excursion"].upper

SI units and radians throughout. World: right-handed, z up. Arrays are numpy arrays of float64 in C order, without NaN;
anything else is refused with TypeError or ValueError, and nothing is copied to make it fit. Long calls leave the
interpreter free for other threads. Ctrl-C raises KeyboardInterrupt when what is under way is done: of a run a batch, of rays and pairs
a block of them, of samples a row, of a command all of it.
"""

import os as _os
import typing as _typing

# A layer that Mesa adds to Vulkan programs complains on standard error where there is no desktop.
_os.environ.setdefault("NODEVICE_SELECT", "1")

from . import _touchdown
from ._errors import CommandError, EngineError, InputError, RunError, SceneError, StudyError, TouchdownError
from ._jobs import (
    BoxCase,
    BoxNormals,
    BoxPairNormals,
    BoxRegion,
    BoxStatus,
    ContactStatus,
    EllipsoidContacts,
    LcpSolutions,
    LcpStatus,
    WallContacts,
    box_normals,
    box_pairs,
    ellipsoid_pairs,
    ellipsoid_walls,
    job,
    lcp,
)
from ._run import Replay, Report, Run, open_run
from ._scene import EntryPoints, RayStatus, Scene
from ._study import Function, Study, Variable
from ._summary import Named, Record

__version__: str = _touchdown.version()
"""Version of the package, of the program in it, and of the files that they write."""

if _typing.TYPE_CHECKING:
    from . import dask as dask
else:

    def __getattr__(name: str) -> _typing.Any:
        # Needs the extra `dask`, so that it is imported when it is asked for.
        if name == "dask":
            from importlib import import_module

            return import_module(".dask", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "BoxCase",
    "BoxNormals",
    "BoxPairNormals",
    "BoxRegion",
    "BoxStatus",
    "CommandError",
    "ContactStatus",
    "EllipsoidContacts",
    "EngineError",
    "EntryPoints",
    "Function",
    "InputError",
    "LcpSolutions",
    "LcpStatus",
    "Named",
    "RayStatus",
    "Record",
    "Replay",
    "Report",
    "Run",
    "RunError",
    "Scene",
    "SceneError",
    "Study",
    "StudyError",
    "TouchdownError",
    "Variable",
    "WallContacts",
    "box_normals",
    "box_pairs",
    "ellipsoid_pairs",
    "ellipsoid_walls",
    "job",
    "lcp",
    "open_run",
]
