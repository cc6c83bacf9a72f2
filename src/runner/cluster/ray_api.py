"""The parts of Ray that the project uses. This is the only module that imports ray, which is an extra.

Raises MissingExtra when it is imported without the package.
"""

import os

from src.errors import MissingExtra

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent to Ray's makers
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray 2.60 warns without it
try:
    import ray
    from ray.exceptions import OutOfMemoryError, RayError, RaySystemError, RayTaskError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy, NodeLabelSchedulingStrategy, NotIn
except ImportError:
    raise MissingExtra("--ray needs the package ray; run: bash script/setup.sh --ray") from None

__all__ = [
    "NodeAffinitySchedulingStrategy",
    "NodeLabelSchedulingStrategy",
    "NotIn",
    "OutOfMemoryError",
    "RayError",
    "RaySystemError",
    "RayTaskError",
    "ray",
]
