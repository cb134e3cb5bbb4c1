"""The program `touchdown`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Runs the program with the arguments of this process, and ends with its exit code."""
    os.environ.setdefault("NODEVICE_SELECT", "1")
    from . import _touchdown

    sys.exit(_touchdown.main(["touchdown", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
