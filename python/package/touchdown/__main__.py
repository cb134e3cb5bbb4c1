"""`python -m touchdown`: the program."""

from .cli import main

main()
