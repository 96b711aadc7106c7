"""What must hold of every notebook as committed."""

import json
import re

import pytest

from holdstill.lab import batch, ledger
from holdstill.lab.paths import project
from holdstill.lab.study import sampled_rows

NOTEBOOKS = sorted(project().notebooks.glob("*.ipynb"))


def code_cells(path):
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_executed_short_and_free_of_this_machine(path):
    text = path.read_text()
    assert not re.search(r"(?<![\w.:/])/(?:home|root|tmp|usr|work|Users)/", text)
    assert "Styler" not in text and ".style." not in text
    for number, cell in enumerate(code_cells(path), 1):
        assert cell["execution_count"] == number, f"code cell {number} was not executed in order"
        assert len(cell["source"]) <= 25, f"code cell {number} is long"
        assert all(output["output_type"] != "error" for output in cell["outputs"])
    assert json.loads(text)["metadata"]["kernelspec"]["name"] == "python3"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_only_cells_that_print_a_time_are_left_out_of_the_comparison(path):
    timed = {one.notebook for one in ledger.records(project().results("published")).values() if one.timed}
    assert batch.prints_times(path) == (path.stem in timed)
    for cell in code_cells(path):
        if batch.TIMED in cell["metadata"].get("tags", []):
            assert re.search(r"(?<![a-z])(ms|µs|milliseconds|microseconds|seconds?)(?![a-z])", "".join(cell["source"]))


def test_the_published_profile_says_the_notebooks_defaults():
    profile = batch.read_profile(project().profile("published"))
    defaults = {path.stem: {name: value for name, (_, value) in batch.parameters(path).items()} for path in NOTEBOOKS}
    assert profile == defaults


@pytest.mark.parametrize("name", ["quick", "published", "large"])
def test_every_profile_fits_the_notebooks(name):
    for notebook, given in batch.read_profile(project().profile(name)).items():
        batch.check(project().notebooks / f"{notebook}.ipynb", given, name)


def test_each_claim_owned_by_a_committed_notebook_is_judged_and_explained():
    measured = ledger.records(project().results("published"))
    rows = ledger.judge(ledger.claims(), measured)
    here = {path.stem for path in NOTEBOOKS}
    assert [row.id for row in rows if row.notebook in here and row.verdict in ("unjudged", "wrong")] == []
    assert ledger.unexplained(rows, measured) == []


def test_the_readme_shows_the_committed_ledger():
    rows = ledger.judge(ledger.claims(), ledger.records(project().results("published")))
    readme = (project().root / "README.md").read_text()
    assert f"{batch.MARKERS[0]}\n{ledger.markdown(rows)}{batch.MARKERS[1]}" in readme


@pytest.mark.parametrize("profile", sorted(path.name for path in project().results("published").parent.iterdir()))
def test_committed_sample_rows_recompute_from_their_seed_alone(profile):
    pairs = [pair for path in sorted(project().results(profile).glob("*.rows.jsonl")) for pair in sampled_rows(path)]
    assert len(pairs) >= 50
    for place in range(50):
        kept, again = pairs[place * len(pairs) // 50]
        assert kept == pytest.approx(again(), abs=1e-12)
