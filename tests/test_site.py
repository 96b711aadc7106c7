"""The site that `make site` built, in headless Chromium: opened from its folder, silent, and alone with itself."""

import json
import re
from collections import Counter
from itertools import pairwise

import pytest
from chromium import PHONE, WIDE

from holdstill.lab import ledger
from holdstill.lab.batch import read_profile
from holdstill.lab.paths import project

SITE = project().build / "site"
ARTICLES = list(read_profile(project().profile("published")))
CHAIN = ["index", *ARTICLES, "play_shelf", "adding_a_puzzle", "many_machines"]


@pytest.mark.parametrize("page", [*CHAIN, "search"])
def test_a_page_opens_from_its_folder_complete_silent_and_as_wide_as_the_screen(browser, page):
    for width in (WIDE, PHONE):
        browser.open(f"{page}.html", width)
        assert browser.complaints() == []
        assert browser.value("[...document.images].filter(one => !one.naturalWidth).map(one => one.src)") == []
        assert browser.value("document.documentElement.scrollWidth") <= width
        assert len(browser.value("document.querySelector('article').innerText")) > 100 or page == "search"


def test_the_driver_sees_errors_and_requests(browser, tmp_path):
    """Else the test above could not fail."""
    browser.open("index.html", WIDE)
    browser.value("console.error('seen'); fetch('http://127.0.0.1:9/').catch(() => 0)")
    assert len(browser.complaints()) >= 3
    browser.value("setTimeout(() => { throw new Error('thrown') }); new Promise(done => setTimeout(done, 50))")
    assert "thrown" in str(browser.complaints())


def test_search_finds_a_word_of_an_article(browser):
    browser.open("search.html?q=corridor", WIDE)
    found = browser.value(
        """new Promise(done => { const look = (left) => {
            const hits = [...document.querySelectorAll('#search-results li a')].map(one => one.getAttribute('href'));
            hits.length || !left ? done(hits) : setTimeout(look, 50, left - 1) }; look(200) })"""
    )
    assert any(link.startswith("heyawake_spans.html") for link in found)
    assert browser.complaints() == []


def test_formulas_are_drawn_by_the_browser_itself(browser):
    browser.open("thermometers_levels.html", WIDE)
    assert browser.value("document.querySelectorAll('math').length") > 5
    assert browser.value("document.querySelector('div.math math').getBoundingClientRect().height") > 20


def test_next_and_previous_follow_the_reading_order():
    for before, after in pairwise(CHAIN):
        assert re.search(rf'class="next-page" href="{after}.html"', (SITE / f"{before}.html").read_text())
        assert re.search(rf'class="prev-page" href="{before}.html"', (SITE / f"{after}.html").read_text())


def test_the_index_names_every_notebook_and_the_ledgers_totals():
    index = (SITE / "index.html").read_text()
    assert {path.stem for path in project().notebooks.glob("*.ipynb")} == set(ARTICLES)
    for name in ARTICLES:
        opening = json.loads((project().notebooks / f"{name}.ipynb").read_text())["cells"][0]["source"]
        assert f'href="{name}.html"' in index and "".join(opening).splitlines()[0][2:] in index
    rows = ledger.judge(ledger.claims(), ledger.records(project().results("published")))
    cells = re.findall(r"<p>([^<]*)</p>", index[index.index("<table") : index.index("</table>")])
    head, last = cells[1 : cells.index("Solving Heyawake")], cells[cells.index("All four") + 1 :]
    shown = dict(zip(head, map(int, last), strict=True))
    count = Counter(row.verdict for row in rows)
    assert shown == {
        "figures": len(rows),
        "hold": count["exact"] + count["reproduced"] + count["within"],
        "calibrated": count["calibrated"],
        "differ": count["differs"] + count["beyond"] + count["wrong"],
        "no verdict": count["ratio"] + count["shown"],
        "not yet judged": count["unjudged"],
    }
