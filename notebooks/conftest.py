"""How `pytest --nbval` runs the notebooks: computed afresh, nothing written, standard error not compared."""

import os

# A warm shard would make the comparison empty, and a test must not write results or figures.
os.environ["HOLDSTILL_SHARDS"] = "off"
os.environ["HOLDSTILL_PEERS"] = "off"
for name in ("HOLDSTILL_RESULTS", "HOLDSTILL_NOTEBOOK", "HOLDSTILL_FIGURES", "HOLDSTILL_SCHEDULER"):
    os.environ.pop(name, None)


def pytest_collectstart(collector):
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("stderr",)  # progress bars and compilation notes
