"""What tests share: the repository's examples, and the program that the wheel brings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def examples() -> Path:
    return REPOSITORY / "examples"


@pytest.fixture(scope="session")
def program():
    """Runs the program of the wheel with these arguments."""
    path = Path(sys.executable).parent / "touchdown"

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [str(path), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    return run


def files_of(directory: Path) -> dict[str, bytes]:
    """The bytes of the files of a run that are functions of the study alone."""
    names = [path for path in sorted(directory.rglob("*")) if path.is_file() and path.name not in ("timing.json", "lock")]
    return {str(path.relative_to(directory)): path.read_bytes() for path in names if path.name != "report.html"}
