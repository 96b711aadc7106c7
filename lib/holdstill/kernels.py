"""Where numba keeps what it compiled.

Numba notices a kernel whose own file changed, not one whose callee in another file did, so the folder is named by a
hash of all the sources that hold kernels. Bounds-checked runs compile other code and get a folder of their own.

A kernel that another one hands a plain constant, 0 or True, is compiled for that very constant, and so is all it calls:
large kernels are handed numpy's numbers instead, `np.int64(0)`.
"""

import os
import tempfile
from pathlib import Path

from numba import config

from holdstill.sources import source_hash


def cache_folder() -> Path:
    """The folder for compiled kernels; a temporary one where the user's cache cannot be written."""
    name = source_hash("core", "counting", "puzzles") + ("-checked" if config.BOUNDSCHECK else "")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "holdstill" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="holdstill-"))


config.CACHE_DIR = str(cache_folder())
