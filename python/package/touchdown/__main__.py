"""`python -m touchdown`: the program."""

from .cli import main

if __name__ == "__main__":
    main()
