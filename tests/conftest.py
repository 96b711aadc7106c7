"""What all tests share: nothing is written under the project, and studies keep no shards unless a test says so."""

import os

os.environ["HOLDSTILL_SHARDS"] = "off"
for name in ("HOLDSTILL_RESULTS", "HOLDSTILL_NOTEBOOK", "HOLDSTILL_FIGURES", "HOLDSTILL_SCHEDULER", "HOLDSTILL_JOBS"):
    os.environ.pop(name, None)
