"""Whether a table fits this machine, asked before the work starts."""

import os

from holdstill.core.grid import PuzzleError


def physical() -> float:
    """The machine's memory in bytes; infinite where the system does not tell.

    >>> physical() > 0
    True
    """
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def check_memory(needed: float, what: str) -> None:
    """Nothing where a table of about `needed` bytes fits.

    Raises PuzzleError, with the estimate, otherwise.

    >>> check_memory(1e18, "a table")
    Traceback (most recent call last):
    holdstill.core.grid.PuzzleError: a table needs about 1e+09 GB of memory, more than this machine has
    """
    if needed > physical():
        raise PuzzleError(f"{what} needs about {needed / 1e9:.2g} GB of memory, more than this machine has")
