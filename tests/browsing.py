"""A real browser, controlled through chromedriver over the WebDriver protocol."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import waits

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NEEDED = pytest.mark.skipif(not (BROWSER and DRIVER), reason="needs chromium and chromedriver on the PATH")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key under which WebDriver returns an element's identifier


@dataclass(frozen=True)
class Window:
    """The window of a running browser."""

    http: httpx2.Client

    def _do(self, verb: str, path: str, **body: object) -> Any:  # noqa: ANN401 - any JSON
        answer = self.http.request(verb, path, json=body if verb == "POST" else None)
        assert answer.is_success, answer.text
        return answer.json()["value"]

    def open(self, address: str) -> str:
        """Open the address and return the visible text."""
        self._do("POST", "url", url=address)
        return self.text

    @property
    def address(self) -> str:
        """The current URL."""
        return str(self._do("GET", "url"))

    @property
    def text(self) -> str:
        """The visible text of the page."""
        return str(self.script("return document.body.innerText"))

    def script(self, source: str) -> Any:  # noqa: ANN401 - any JSON
        """Run JavaScript and return its result."""
        return self._do("POST", "execute/sync", script=source, args=[])

    def devtools(self, command: str, **given: object) -> Any:  # noqa: ANN401 - any JSON
        """Run a Chrome DevTools command and return its result."""
        return self._do("POST", "goog/cdp/execute", cmd=command, params=given)

    def prefer(self, scheme: str) -> None:
        """Emulate a preference for the color scheme "light" or "dark"."""
        asked = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self._do("POST", "goog/cdp/execute", cmd="Emulation.setEmulatedMedia", params=asked)

    def click(self, selector: str) -> str:
        """Click the element and return the visible text of the page that loads next."""
        self.script("window.clicked = true")
        self._do("POST", f"element/{self._find(selector)}/click")
        loaded = "return !window.clicked && document.readyState === 'complete'"
        waits.until(lambda: self.script(loaded), f"a page follows the click on {selector}")
        return self.text

    def type(self, selector: str, text: str) -> None:
        """Replace the text in a field."""
        self._do("POST", f"element/{self._find(selector)}/clear")
        self._do("POST", f"element/{self._find(selector)}/value", text=text)

    def reload(self) -> str:
        """Reload the page and return the visible text."""
        self._do("POST", "refresh")
        return self.text

    def _find(self, selector: str) -> str:
        return str(self._do("POST", "element", using="css selector", value=selector)[ELEMENT])

    def logged(self) -> list[str]:
        """Return the messages in the browser console since the last call."""
        return [entry["message"] for entry in self._do("POST", "se/log", type="browser")]


@contextmanager
def window(folder: Path, width: int = 1280) -> Iterator[Window]:
    """Start a browser with an empty profile."""
    assert BROWSER
    assert DRIVER
    with subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as driver:
        try:
            assert driver.stdout
            port = next(found[1] for line in driver.stdout if (found := re.search(r"successfully on port (\d+)", line)))
            options = {
                "binary": BROWSER,
                "args": [*QUIET, f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1200"],
            }
            asked = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            root = f"http://127.0.0.1:{port}/session"
            made = httpx2.post(
                root, json={"capabilities": {"alwaysMatch": asked}}, timeout=waits.patience(), trust_env=False
            )
            session = f"{root}/{made.raise_for_status().json()['value']['sessionId']}"
            try:
                with httpx2.Client(base_url=session, timeout=waits.patience(), trust_env=False) as http:
                    yield Window(http)
            finally:  # the driver started the browser, which would keep running if we only killed the driver
                httpx2.delete(session, timeout=waits.patience(), trust_env=False)
        finally:
            driver.kill()
