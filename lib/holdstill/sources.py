"""A hash of the library's own sources: what compiled kernels and finished shards are valid for."""

from hashlib import sha256
from pathlib import Path


def source_hash(*folders: str) -> str:
    """16 hex digits over the .py files below these folders (or files) of the package, paths included.

    A folder that is not there adds nothing.
    """
    here = Path(__file__).parent
    digest = sha256()
    for folder in sorted(folders):
        place = here / folder
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            digest.update(path.relative_to(here).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
