"""The package itself: types, docstrings, and the program inside."""

from __future__ import annotations

import importlib.metadata
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import touchdown as td

PACKAGE = Path(__file__).parents[1]


def test_types_are_accepted_by_mypy() -> None:
    command = [sys.executable, "-m", "mypy", "--config-file", str(PACKAGE / "pyproject.toml")]
    done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout.strip())
    assert (Path(td.__file__).parent / "py.typed").exists()


def test_pyright_knows_the_type_of_everything_public() -> None:
    # It finds the package in the environment that is active.
    environment = os.environ | {"VIRTUAL_ENV": sys.prefix, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, "-m", "pyright", "--verifytypes", "touchdown", "--ignoreexternal"]
    done = subprocess.run(command, cwd=PACKAGE, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"With known type: [1-9]", done.stdout), done.stdout
    assert "Type completeness score: 100%" in done.stdout, done.stdout
    print(next(line.strip() for line in done.stdout.splitlines() if "known type" in line))


def test_stubs_are_what_the_native_part_is(tmp_path: Path) -> None:
    options = tmp_path / "mypy.ini"
    options.write_text("[mypy]\nignore_missing_imports = True\n")
    command = [sys.executable, "-m", "mypy.stubtest", "touchdown._touchdown", "--mypy-config-file", str(options), "--concise"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # That its classes cannot be bases of others is said by `final`; the other word is newer than Python 3.10.
    unsaid = [line for line in done.stdout.splitlines() if "disjoint base" not in line]
    assert unsaid == [] or unsaid[0].startswith("Success"), done.stdout + done.stderr
    assert "Error" not in done.stderr, done.stderr


def test_looking_at_the_program_does_not_run_it() -> None:
    done = subprocess.run([sys.executable, "-c", "import touchdown.__main__"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_everything_public_is_documented() -> None:
    for name in td.__all__:
        of = getattr(td, name)
        assert inspect.getdoc(of), name
        if inspect.isclass(of):
            for method, value in vars(of).items():
                if not method.startswith("_") and callable(value):
                    assert inspect.getdoc(value), f"{name}.{method}"


def test_the_version_is_that_of_the_program(program) -> None:
    assert td.__version__ == importlib.metadata.version("touchdown")
    assert program("--version").stdout.strip() == f"touchdown {td.__version__}"


def test_the_program_is_inside(program, examples: Path, tmp_path: Path) -> None:
    assert "touchdown 0.1.0" in program("--version").stdout
    bad = program("study", "run", tmp_path / "none.toml")
    assert bad.returncode == 2 and "none.toml" in bad.stderr
    assert program("nothing").returncode == 2
    shown = program("scene", "show", examples / "scenes/airport.toml")
    assert shown.returncode == 0 and "leaves" in shown.stdout
    module = subprocess.run([sys.executable, "-m", "touchdown", "--version"], capture_output=True, text=True, check=True)
    assert module.stdout == program("--version").stdout
