"""The benchmark of the bundled model's engines."""

from functools import partial

from bench.llm_engines import ENGINES
from src.llm.bundled import MEASURED


def test_every_engine_that_set_up_times_is_measured() -> None:
    specs = {load.args[0] for load in ENGINES.values() if isinstance(load, partial)}
    assert specs == {f"smollm2:{name}" for name in MEASURED}
