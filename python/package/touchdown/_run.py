"""Runs."""

from __future__ import annotations

import html
import os
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from . import _summary, _touchdown
from ._engine import asked
from ._errors import RunError
from ._study import MAX_TRIALS, Study


def open_run(directory: str | os.PathLike[str]) -> Run:
    """The run in a directory, whoever made it.

    Raises StudyError if there is no study in it.
    """
    path = Path(directory)
    return Run(Study._of(_touchdown.Study.stored(path), None, any(path.glob("inputs.*"))), path)


class Run:
    """A run: a directory with the study, its parts and its summary."""

    study: Study
    """The study."""
    directory: Path
    """Where it is."""

    def __init__(self, study: Study, directory: Path, temporary: TemporaryDirectory[str] | None = None) -> None:
        self.study = study
        # The working directory may change.
        self.directory = directory.absolute()
        # Removed with the run.
        self._temporary = temporary

    def __getstate__(self) -> dict[str, Any]:
        if self._temporary is not None:
            raise TypeError(
                "a run in a temporary directory, which goes with its object, cannot be sent elsewhere; give it a directory: "
                "study.run(directory=...)"
            )
        return self.__dict__

    @cached_property
    def summary(self) -> _summary.Record:
        """Counts, bounds and verdicts: the content of summary.json. `summary["criteria"]["NAME"].upper`.

        Raises RunError while parts are missing.
        """
        path = self.directory / "summary.json"
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise RunError(f"{path}: the run is not finished; there is no summary yet") from None
        except (OSError, UnicodeDecodeError) as error:
            raise RunError(f"{path}: cannot be read: {error}") from None
        try:
            return _summary.read(text)
        except ValueError as error:
            raise RunError(f"{path}: is no summary: {error}") from None

    @cached_property
    def rows(self) -> pa.Table:
        """One row per trial that is kept: number, class, inputs and quantities in SI units.

        The table shares its memory with the native part, which verified the checksum of each file.
        """
        return pa.RecordBatchReader.from_stream(self.study._study.rows(self.directory)).read_all()

    def report(self, path: str | os.PathLike[str] | None = None) -> Report:
        """Writes the report, one HTML file: to the run's directory, and to `path`, the name of a file, if it is given.

        Raises RunError if it cannot be written.
        """
        written = _touchdown.report(self.directory)
        if path is not None:
            try:
                written = Path(shutil.copyfile(written, path))
            except shutil.SameFileError:
                written = Path(path)
            except OSError as error:
                raise RunError(f"{os.fspath(path)}: the report cannot be written: {error.strerror or error}") from None
        return Report(Path(written), self)

    def replay(self, trial: int, *, engine: str = "auto", adapter: str | None = None) -> Replay:
        """One trial again, step by step, by default on the engine that computed it.

        Raises IndexError if the run has no such trial.
        """
        if not 0 <= trial <= MAX_TRIALS:
            raise IndexError(f"{trial}: trials are counted from 0 to {MAX_TRIALS}")
        found = self.study._study.replay(self.directory, trial, engine, asked(adapter))
        table = pa.RecordBatchReader.from_stream(found.pop("steps")).read_all()
        return Replay(trial=trial, table=table, **found)

    def __repr__(self) -> str:
        return f"<touchdown.Run of {self.study.name!r} in {str(self.directory)!r}>"

    def _repr_html_(self) -> str:
        head = f"<b>{html.escape(self.study.name)}</b>"
        try:
            summary = self.summary
        except RunError as error:
            return f"{head}: {html.escape(str(error))}"
        columns = ("name", "event", "events", "estimate", "lower", "upper", "probability", "verdict")
        titles = "".join(f"<th>{'allowed' if column == 'probability' else column}</th>" for column in columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(record[column]))}</td>" for column in columns) + "</tr>"
            for record in summary.get("criteria", [])
        )
        engine = f"{summary.engine} on {summary.adapter}, seed {summary.seed}"
        return f"{head}: {html.escape(engine)}<table><tr>{titles}</tr>{rows}</table>"


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class Report:
    """A report, which shows itself in a notebook."""

    path: Path
    """The file."""

    def __init__(self, path: Path, run: Run) -> None:
        self.path = path
        # A temporary run takes its report with it when it goes.
        self._run = run

    def __repr__(self) -> str:
        return f"<touchdown.Report {str(self.path)!r}>"

    def _repr_html_(self) -> str:
        page = html.escape(self.path.read_text(encoding="utf-8"), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:800px;border:0"></iframe>'


@dataclass(frozen=True, repr=False)
class Replay:
    """One trial of a run, computed again."""

    trial: int
    """Its number, counted from 0."""
    inputs: dict[str, float]
    """Its inputs, SI units."""
    class_: str
    """How it ended."""
    quantities: dict[str, float | None]
    """Its quantities, SI units; None where it has none."""
    events: list[tuple[float, str, str]]
    """What happened: time [s], state, words."""
    differences: list[str] | None
    """Columns in which it differs from the run's row, bit for bit; None if the row was not kept or is not there."""
    table: pa.Table
    """Every step; units and meanings of the columns are in the metadata of their fields."""

    def __repr__(self) -> str:
        return f"<touchdown.Replay of trial {self.trial}: {self.class_}, {self.table.num_rows} steps>"
