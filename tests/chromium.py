"""A headless Chromium for tests, driven over its DevTools protocol."""

import json
import shutil
import subprocess
import time
import urllib.request

import websocket

WIDE, PHONE = 1280, 390
CHROMIUM = next(filter(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome")), None)
QUIET = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
QUIET += "--disable-component-update --disable-sync --remote-debugging-port=0 --disable-dev-shm-usage"


class Browser:
    """One tab of a Chromium with its own folder `profile`, for pages whose addresses begin with `home`."""

    def __init__(self, profile, home):
        self.home = home
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

    def open(self, page, width):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=False)
        self.events.clear()
        self.ask("Page.navigate", url=f"{self.home}/{page}")
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
        """Errors on the console, and requests that failed or went anywhere but home."""
        said = [one["args"] for one in self.of("Runtime.consoleAPICalled") if one["type"] in ("error", "assert")]
        said += [one["entry"]["text"] for one in self.of("Log.entryAdded") if one["entry"]["level"] == "error"]
        said += self.of("Runtime.exceptionThrown") + self.of("Network.loadingFailed")
        urls = [one["request"]["url"] for one in self.of("Network.requestWillBeSent")]
        assert urls, "no request was seen at all"
        return said + [url for url in urls if not url.startswith((self.home, "data:"))]

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
