"""The site: the executed notebooks as static pages. `make site` builds this folder and the notebooks beside it."""

import json
import re
from collections import Counter
from pathlib import Path

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

from holdstill.lab import ledger, paths, player_data
from holdstill.lab.batch import read_profile
from holdstill.lab.shelf import shelf

checkout = paths.project()
# data/profiles/published.yml lists the notebooks in reading order.
ORDER = list(read_profile(checkout.profile("published")))
GROUPS = {
    "hold": ("exact", "reproduced", "within"),
    "are calibrated": ("calibrated",),
    "differ": ("differs", "beyond", "wrong"),
    "have no verdict": ("ratio", "shown"),
    "are not yet judged": ("unjudged",),
}


def cells_of(name: str) -> list[dict]:
    return json.loads((checkout.notebooks / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


def answer(name: str) -> str:
    """The answer that a notebook opens with: its first output in Markdown, or nothing."""
    outputs = [
        output.get("data", {}).get("text/markdown") for cell in cells_of(name) for output in cell.get("outputs", [])
    ]
    return "".join(next(filter(None, outputs), []))


def article(name: str) -> str:
    """A line of the index: a notebook's title, the question that it opens with, the first sentence of its answer."""
    cells = cells_of(name)
    title, _, rest = "".join(cells[0]["source"]).partition("\n")
    question = rest.strip().partition("\n")[0]
    if not (title.startswith("# ") and question.startswith("*") and question.endswith("*")):
        raise ValueError(f"{name}.ipynb must open with a title and a question in italics")
    sentence = re.match(r"(.+?)[.;](\s|$)", answer(name).replace("**", "").removeprefix("- "))
    return f"- [{title[2:]}]({name}.ipynb). {question} " + (f"{sentence[1]}." if sentence else "")


def verdicts() -> dict[str, Counter]:
    """How many verdicts of each group a text has; the last entry counts all."""
    claims = ledger.claims(checkout.claims)
    group_of = {verdict: group for group, verdicts in GROUPS.items() for verdict in verdicts}
    counts = {text: Counter() for text in [*dict.fromkeys(claim.seed for claim in claims.values()), "All four"]}
    for row in ledger.judge(claims, ledger.records(checkout.results("published"))):
        for text in (claims[row.id].seed, "All four"):
            counts[text][group_of[row.verdict]] += 1
    return counts


def in_total(counts: Counter) -> str:
    """The verdicts in one line; groups without any are left out."""
    return f"of {counts.total()} figures " + ", ".join(f"{counts[group]} {group}" for group in GROUPS if counts[group])


def totals(counts: dict[str, Counter]) -> str:
    """The verdicts as a table, a row a text."""
    lines = [
        f"| text | figures | {' | '.join(group.removeprefix('are ').removeprefix('have ') for group in GROUPS)} |",
        "|---|" + "--:|" * (1 + len(GROUPS)),
    ]
    for text, by_group in counts.items():
        lines.append(f"| {text} | {by_group.total()} | {' | '.join(str(by_group[group]) for group in GROUPS)} |")
    return "\n".join(lines)


def shelf_script() -> str:
    """The shelf's boards and the script that plays them, inline: a page from a folder may neither fetch nor import."""
    docs = Path(__file__).parent
    puzzles = re.findall(r'id="shelf-(\w+)"', (docs / "play_shelf.md").read_text(encoding="utf-8"))
    boards = json.dumps({puzzle: shelf(puzzle) for puzzle in puzzles}, separators=(",", ":")).replace("</", "<\\/")
    script = player_data.script(docs / "shelf.js")
    data = f'<script type="application/json" id="shelf">{boards}</script>'
    return f'````{{raw}} html\n{data}\n<script type="module">\n{script}</script>\n````'


def folded(app, name, source):
    """Code folds away, one click from sight: the pages are to be read."""
    if name in ORDER:
        notebook = json.loads(source[0])
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["metadata"]["tags"] = ["hide-input"]
        source[0] = json.dumps(notebook)


def inline_math(self, node):
    self.body.append(tex2mathml(node.astext()))
    raise SkipNode


def displayed_math(self, node):
    self.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def setup(app):
    """Formulas as MathML, which browsers draw without a script from elsewhere."""
    app.connect("source-read", folded)
    app.add_html_math_renderer("mathml", (inline_math, None), (displayed_math, None))


project = "Hold Still"
author = copyright = "Hold Still contributors"
extensions = ["myst_nb"]
exclude_patterns = ["**/__pycache__"]
nb_execution_mode = "off"
nb_code_prompt_show, nb_code_prompt_hide = "Code", "Fold the code"
myst_enable_extensions = ["dollarmath", "substitution"]
myst_substitutions = {
    "answer": answer("what_pins_the_answer"),
    "in_total": in_total(verdicts()["All four"]),
    "totals": totals(verdicts()),
    "articles": "\n".join(map(article, ORDER)),
    "contents": "\n".join(
        ["```{toctree}", ":hidden:", *ORDER, "play_shelf", "adding_a_puzzle", "many_machines", "```"]
    ),
    "shelf": shelf_script(),
}
html_theme = "furo"
html_title = project
html_math_renderer = "mathml"
html_static_path = ["_static", str(player_data.STYLE)]
html_css_files = ["site.css", player_data.STYLE.name]
html_copy_source = html_show_sourcelink = html_show_copyright = False
# The summaries are fetched, which a browser refuses to pages opened from a folder.
html_show_search_summary = False
