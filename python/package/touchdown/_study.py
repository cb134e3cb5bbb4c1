"""Studies."""

from __future__ import annotations

import html
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _touchdown
from ._engine import engine as open_engine
from ._errors import StudyError
from ._progress import ticker

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from ._run import Run

Floats = npt.NDArray[np.float64]
"""Arrays of float64 in C order."""

MAX_TRIALS = 2**63 - 1
"""No number of a trial is larger."""

Progress = bool | Callable[[int, int], object] | None
"""True shows a line on standard error; a function is called with the number of trials done and that of all."""


def _text_of(document: Mapping[str, Any]) -> str:
    """A study file with this content; numbers and arrays of numpy, and paths, are taken for what they are."""
    try:
        return json.dumps(document, indent=2, allow_nan=False, default=_plain) + "\n"
    except ValueError:
        found = _first_infinite(document, "")
        if found is None:
            raise
    field, number = found
    raise StudyError(f"{field}: {number} is not allowed: must be finite", field=field)


def _first_infinite(value: object, field: str) -> tuple[str, float] | None:
    """The path and the value of the first number that is infinite or NaN."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, float):
        return None if math.isfinite(value) else (field, value)
    entries: list[tuple[str, object]] = []
    if isinstance(value, Mapping):
        entries = [(f"{field}.{key}" if field else str(key), entry) for key, entry in value.items()]
    elif isinstance(value, (list, tuple)):
        entries = [(f"{field}[{number}]", entry) for number, entry in enumerate(value)]
    found = (_first_infinite(entry, path) for path, entry in entries)
    return next((place for place in found if place is not None), None)


def _plain(value: object) -> object:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a study cannot hold a {type(value).__name__}: {value!r}")


class Variable(NamedTuple):
    """An input or a quantity."""

    name: str
    """Name in files and tables."""
    unit: str
    """SI symbol of its unit."""
    description: str
    """What it means, with its sign."""


class Study:
    """A study: what is simulated, how inputs vary, and the criteria.

    `source` is the path of a study file, TOML or JSON, or a mapping with the same content; the files that a mapping
    names are relative to `directory` (the working directory by default). With `inputs`, a table (CSV or Parquet), the
    trials are its rows, as `touchdown study run --inputs` has them.

    Raises StudyError, with the attributes file, line, column and field, if something in it is not allowed.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any],
        *,
        directory: str | os.PathLike[str] = ".",
        inputs: str | os.PathLike[str] | None = None,
    ) -> None:
        # Where the files are that it names, whatever the working directory becomes; None if they are in memory.
        self._directory: Path | None = Path(directory).absolute()
        self._has_table = inputs is not None
        if isinstance(source, Mapping):
            if inputs is not None:
                raise ValueError("inputs: a table of inputs goes with a study file, not with a mapping")
            text = _text_of(source)
            self._study = _touchdown.Study.parse(Path(directory) / "study.json", text)
        else:
            path = Path(source)
            self._directory = path.parent.absolute()
            self._study = _touchdown.Study.read(path, None if inputs is None else Path(inputs))

    @classmethod
    def _of(cls, study: _touchdown.Study, directory: Path | None, has_table: bool = False) -> Study:
        made = cls.__new__(cls)
        made._study = study
        made._directory = directory
        made._has_table = has_table
        return made

    @classmethod
    def from_text(cls, name: str, text: str, files: Mapping[str, bytes]) -> Study:
        """A study of its text, under a name that ends in `.toml` or `.json`, and of the files that it names."""
        return cls._of(_touchdown.Study.in_memory(name, text, dict(files)), None)

    def __reduce__(self) -> tuple[object, ...]:
        self._refuse_table("sent elsewhere")
        name = "study.json" if self._study.is_json else "study.toml"
        return Study.from_text, (name, self._study.text, self._study.files())

    def _refuse_table(self, what: str) -> None:
        if self._has_table:
            raise TypeError(f"a study whose trials are the rows of a table cannot be {what}")

    def replace(self, *, inputs: Mapping[str, Any] | None = None, **changes: Any) -> Study:
        """The same study with other values of its file's keys.

        `inputs` (and `criteria`) replace those with the same names and leave the others; None removes one. Any other
        key of study files is replaced as a whole, or removed by None: `study.replace(landings=100_000, seed=2)`. The files that
        it names are read again.
        """
        self._refuse_table("changed; read it again with another table")
        document = self.document
        if inputs is not None:
            changes["inputs"] = inputs
        for key, value in changes.items():
            if key in ("inputs", "criteria") and value is not None:
                merged = {**document.get(key, {}), **value}
                document[key] = {name: entry for name, entry in merged.items() if entry is not None}
            elif value is None:
                document.pop(key, None)
            else:
                document[key] = value
        text = _text_of(document)
        if self._directory is None:
            return Study.from_text("study.json", text, self._study.files())
        return Study._of(_touchdown.Study.parse(self._directory / "study.json", text), self._directory)

    @property
    def document(self) -> dict[str, Any]:
        """The content of the study file."""
        text = self._study.text
        try:
            document: dict[str, Any] = json.loads(text) if self._study.is_json else tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise StudyError(f"{self.name}: the study file is read, but not by Python's tomllib, which knows TOML 1.0: {error}") from error
        return document

    @property
    def name(self) -> str:
        """Name used in reports."""
        return self._study.name

    @property
    def hash(self) -> str:
        """SHA-256 of the study file and of all files that it names, in hexadecimal."""
        return self._study.hash

    @property
    def seed(self) -> int:
        """Key of all random numbers."""
        return self._study.seed

    @property
    def trials(self) -> int:
        """Number of trials; with subset simulation the largest."""
        return self._study.trials

    @property
    def parts(self) -> int:
        """Number of parts, the files that a run is made of."""
        return self._study.parts

    @property
    def inputs(self) -> tuple[Variable, ...]:
        """The inputs that the study names, in the order of the model, which is that of the columns of `sample`, `transform` and
        `function`; those with a constant distribution among them."""
        return tuple(Variable(*of) for of in self._study.inputs)

    @property
    def quantities(self) -> tuple[Variable, ...]:
        """The quantities of an outcome."""
        return tuple(Variable(*of) for of in self._study.quantities)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of outcomes; the first is that of invalid trials."""
        return tuple(self._study.classes)

    @property
    def criteria(self) -> tuple[str, ...]:
        """Names of the criteria."""
        return tuple(self._study.criteria)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is allowed in its files but hardly meant."""
        return tuple(self._study.warnings)

    def sample(self, count: int, first: int = 0) -> Floats:
        """The inputs of `count` trials from `first` on, as the study draws them: shape (count, inputs), SI units.

        With importance sampling these are drawn from the shifted distributions, and count with the weights that rows have.
        Raises IndexError beyond the study's trials; ValueError for subset simulation, whose inputs follow from its outcomes.
        """
        if min(count, first) < 0 or first + count > MAX_TRIALS:
            raise IndexError(f"trials {first} to {first + count}: trials are counted from 0 to {MAX_TRIALS}")
        return self._study.sample(first, count)

    def transform(self, uniforms: Floats) -> Floats:
        """The inputs, in SI units, at independent uniforms strictly between 0 and 1, both of shape (n, inputs).

        It applies the study's correlations and the quantile functions of its distributions: what is uniform in the unit
        cube becomes distributed as the study says. With normal numbers it is the isoprobabilistic transformation that
        reliability methods ask for: `study.transform(scipy.stats.norm.cdf(u))`. 0 and 1, which some designs have and far normal
        numbers round to, are refused: clip them first, `numpy.clip(x, 1e-16, 1 - 1e-16)`.
        """
        return self._study.transform(uniforms)

    def function(
        self,
        quantity: str,
        *,
        inputs: Sequence[str] | None = None,
        engine: str = "auto",
        adapter: str | None = None,
        threads: int = 0,
        noise: int | None = 0,
    ) -> Function:
        """The quantity as a function f(X) -> Y for SALib, OpenTURNS, UQpy or scipy.

        X has the shape (n, d), a column for each of `inputs` (any of the model's; those of `study.inputs` by default), Y
        the shape (n,), both in SI units. Inputs that are not columns are at their medians. Where a trial has no value of the
        quantity, or is invalid, Y is NaN. Random numbers within trials (turbulence) are those of the trial `noise` of the
        study for every row, so that f is a function; with None, row i has those of trial i.

        It can be pickled: other processes open the engine anew.
        """
        if noise is not None and not 0 <= noise <= MAX_TRIALS:
            raise ValueError(f"noise={noise}: must be the number of a trial, from 0 to {MAX_TRIALS}, or None")
        names = [variable[0] for variable in self._study.quantities]
        if quantity not in names:
            raise ValueError(f"there is no quantity {quantity!r}; known: {', '.join(names)}")
        known = {variable[0]: column for column, variable in enumerate(self._study.model_inputs)}
        asked = [variable[0] for variable in self._study.inputs] if inputs is None else list(inputs)
        for name in asked:
            if name not in known:
                raise ValueError(f"there is no input {name!r}; known: {', '.join(known)}")
        if len(set(asked)) < len(asked):
            raise ValueError(f"inputs: a name stands twice in {', '.join(asked)}")
        columns = [known[name] for name in asked]
        function = Function(self, quantity, names.index(quantity), tuple(asked), columns, noise, (engine, adapter, threads))
        # What cannot be opened is said here.
        function._open()
        return function

    def run(
        self,
        engine: str = "auto",
        progress: Progress = False,
        directory: str | os.PathLike[str] | None = None,
        *,
        keep: str = "all",
        parts: tuple[int, int] | None = None,
        adapter: str | None = None,
        threads: int = 0,
    ) -> Run:
        """Runs the study, or goes on with the run in `directory`: the same bytes as `touchdown study run`.

        Without a directory the run lives in a temporary one, as long as the object that is returned. Ctrl-C ends the
        run after the batch in progress and raises KeyboardInterrupt; parts that are finished are kept, and the same call
        goes on from them. `engine` is auto, reference, native or gpu; `keep` the rows to keep: all, failures or
        sample:N; `parts` the first and the end of the parts to compute; `threads` 0 one per core.

        Raises RunError if the directory holds another run, StudyError, EngineError.
        """
        from ._run import Run

        if directory is not None and not os.fspath(directory):
            raise ValueError("directory: must not be empty")
        if parts is not None and not 0 <= min(parts) <= max(parts) <= MAX_TRIALS:
            raise ValueError(f"parts={parts}: parts are counted from 0 to {MAX_TRIALS}")
        temporary = None if directory is not None else tempfile.TemporaryDirectory(prefix="touchdown-")
        path = Path(temporary.name if temporary is not None else directory or "")
        opened = open_engine(engine, adapter, threads, self._study.has_kernels)
        with ticker(progress, self._study.trials_of(parts), self._study.nouns[1]) as tick:
            self._study.run(opened, path, parts, keep, tick)
        return Run(self, path, temporary)

    def __repr__(self) -> str:
        many = self._study.nouns[1]
        return f"<touchdown.Study {self.name!r}: {self.trials} {many}, {len(self.inputs)} inputs>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(of.name)}</td><td>{html.escape(of.unit)}</td>"
            f"<td style='text-align:left'>{html.escape(of.description)}</td></tr>"
            for of in self.inputs
        )
        head = f"<b>{html.escape(self.name)}</b>: {self.trials} {self._study.nouns[1]}"
        return f"{head}<table><tr><th>input</th><th>unit</th><th>meaning</th></tr>{rows}</table>"


class Function:
    """A quantity of a study as a function of its inputs: f(X) -> Y, see `Study.function`."""

    inputs: tuple[str, ...]
    """Names of the columns of X."""
    quantity: str
    """Name of the quantity."""

    def __init__(
        self,
        study: Study,
        quantity: str,
        number: int,
        inputs: tuple[str, ...],
        columns: list[int],
        noise: int | None,
        engine: tuple[str, str | None, int],
    ) -> None:
        self._study = study
        self._number = number
        self._columns = columns
        self._noise = noise
        # Name, adapter and number of threads: each process opens its own.
        self._engine = engine
        self.inputs = inputs
        self.quantity = quantity

    def _open(self) -> _touchdown.Engine:
        return open_engine(*self._engine, self._study._study.has_kernels)

    def __reduce__(self) -> tuple[object, ...]:
        of = (self._study, self.quantity, self._number, self.inputs, self._columns, self._noise, self._engine)
        return Function, of

    def __call__(self, X: Floats) -> Floats:
        """Y of shape (n,) at X of shape (n, d), SI units; NaN where there is no value.

        Raises TypeError for another dtype than float64; ValueError for another shape or order, and for NaN.
        """
        return self._study._study.evaluate(self._open(), self._number, self._columns, X, self._noise)

    def __repr__(self) -> str:
        return f"<touchdown.Function {self.quantity}({', '.join(self.inputs)})>"
