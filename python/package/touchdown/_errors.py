"""Exceptions. The native part raises them too."""

from __future__ import annotations

import os


class TouchdownError(Exception):
    """What touchdown refuses or cannot do."""


class InputError(TouchdownError, ValueError):
    """A file, or a value in it, is not allowed. The attributes say where, as far as there is a place."""

    file: str | None
    """The file."""
    line: int | None
    """The line, counted from 1."""
    column: int | None
    """The column in characters, counted from 1."""
    field: str | None
    """The path of the field, such as `inputs.sink_rate.mean`."""

    def __init__(
        self,
        message: str,
        file: str | os.PathLike[str] | None = None,
        line: int | None = None,
        column: int | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(message)
        self.file = None if file is None else os.fspath(file)
        self.line = line
        self.column = column
        self.field = field

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.file, self.line, self.column, self.field)


class StudyError(InputError):
    """A study, or a file that it names, is not allowed."""


class SceneError(InputError):
    """A scene is not allowed."""


class RunError(TouchdownError):
    """A run cannot go on, or its files cannot be used."""


class EngineError(TouchdownError):
    """An engine cannot be opened, does not compute what is asked, or failed."""


class CommandError(TouchdownError, ValueError):
    """A command of the program failed; the message is the one that it prints."""
