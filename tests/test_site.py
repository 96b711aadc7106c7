"""The site that `make site` built, in headless Chromium: opened from its folder, silent, and alone with itself."""

import json
import os
import re
import shutil
import subprocess
import time
import urllib.request
from collections import Counter
from itertools import pairwise

import pytest
import websocket

from holdstill.lab import ledger
from holdstill.lab.batch import read_profile
from holdstill.lab.paths import project

SITE = project().build / "site"
ARTICLES = list(read_profile(project().profile("published")))
CHAIN = ["index", *ARTICLES, "adding_a_puzzle", "many_machines"]
WIDE, PHONE = 1280, 390
CHROMIUM = next(filter(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome")), None)
QUIET = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
QUIET += "--disable-component-update --disable-sync --remote-debugging-port=0 --disable-dev-shm-usage"


@pytest.fixture(scope="module", autouse=True)
def built():
    assert (SITE / "index.html").is_file(), "there is no site to test: run `make site`"


class Browser:
    """One tab of a headless Chromium, driven over its DevTools protocol."""

    def __init__(self, profile):
        command = [CHROMIUM, *QUIET.split(), f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        port, until = profile / "DevToolsActivePort", time.monotonic() + 60
        while not (port.is_file() and port.read_text().count("\n")):
            assert time.monotonic() < until, "Chromium did not start"
            time.sleep(0.05)
        with urllib.request.urlopen(f"http://127.0.0.1:{port.read_text().split()[0]}/json/list") as answer:
            tab = next(one for one in json.load(answer) if one["type"] == "page")
        self.socket = websocket.create_connection(tab["webSocketDebuggerUrl"], timeout=60, suppress_origin=True)
        self.sent, self.events = 0, []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **params):
        self.sent += 1
        self.socket.send(json.dumps({"id": self.sent, "method": method, "params": params}))
        while (message := json.loads(self.socket.recv())).get("id") != self.sent:
            self.events.append(message)
        assert "error" not in message, message
        return message["result"]

    def open(self, page, width, query=""):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=False)
        self.events.clear()
        self.ask("Page.navigate", url=f"{(SITE / page).as_uri()}.html{query}")
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(json.loads(self.socket.recv()))

    def value(self, expression):
        """What an expression (or its promise) comes to in the page."""
        asked = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in asked, asked
        return asked["result"].get("value")

    def of(self, method):
        return [event["params"] for event in self.events if event["method"] == method]

    def complaints(self):
        """Errors on the console, and requests that failed or went anywhere but to the site's folder."""
        said = [one["args"] for one in self.of("Runtime.consoleAPICalled") if one["type"] in ("error", "assert")]
        said += [one["entry"]["text"] for one in self.of("Log.entryAdded") if one["entry"]["level"] == "error"]
        said += self.of("Runtime.exceptionThrown") + self.of("Network.loadingFailed")
        urls = [one["request"]["url"] for one in self.of("Network.requestWillBeSent")]
        assert urls, "no request was seen at all"
        return said + [url for url in urls if not url.startswith((SITE.as_uri(), "data:"))]

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if CHROMIUM is None:
        message = "the site is not tested in a browser: there is no chromium on the PATH"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    one = Browser(tmp_path_factory.mktemp("chromium"))
    yield one
    one.close()


@pytest.mark.parametrize("page", [*CHAIN, "search"])
def test_a_page_opens_from_its_folder_complete_silent_and_as_wide_as_the_screen(browser, page):
    for width in (WIDE, PHONE):
        browser.open(page, width)
        assert browser.complaints() == []
        assert browser.value("[...document.images].filter(one => !one.naturalWidth).map(one => one.src)") == []
        assert browser.value("document.documentElement.scrollWidth") <= width
        assert len(browser.value("document.querySelector('article').innerText")) > 100 or page == "search"


def test_the_driver_sees_errors_and_requests(browser, tmp_path):
    """Else the test above could not fail."""
    browser.open("index", WIDE)
    browser.value("console.error('seen'); fetch('http://127.0.0.1:9/').catch(() => 0)")
    assert len(browser.complaints()) >= 3
    browser.value("setTimeout(() => { throw new Error('thrown') }); new Promise(done => setTimeout(done, 50))")
    assert "thrown" in str(browser.complaints())


def test_search_finds_a_word_of_an_article(browser):
    browser.open("search", WIDE, "?q=corridor")
    found = browser.value(
        """new Promise(done => { const look = (left) => {
            const hits = [...document.querySelectorAll('#search-results li a')].map(one => one.getAttribute('href'));
            hits.length || !left ? done(hits) : setTimeout(look, 50, left - 1) }; look(200) })"""
    )
    assert any(link.startswith("heyawake_spans.html") for link in found)
    assert browser.complaints() == []


def test_formulas_are_drawn_by_the_browser_itself(browser):
    browser.open("thermometers_levels", WIDE)
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
