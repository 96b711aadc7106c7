"""Hold Still: what pins a grid puzzle's answer in place, its numbers or its geometry?"""

from holdstill import kernels as kernels  # sets numba's cache folder before any kernel is defined
from holdstill.version import VERSION as __version__  # noqa: F401
