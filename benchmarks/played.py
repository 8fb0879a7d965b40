"""A loopback model server in a process of its own: roots play scripts, every other model is a worker.

    python -m benchmarks.played LOG DELAY_MS [SCRIPTS [WEATHER]]

SCRIPTS: JSON, root model -> replies in order, the last one repeats; a reply is a text or {"tool": code}. WEATHER: "foul" makes
some workers answer with 429, 500, a closed connection or nothing. LOG gets a line `seconds model`
per request, by the clock that all processes of this machine share.
"""

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import loopback
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

FOUL = {  # each so many requests
    7: Reply(status=429, retry_after="0.05"),
    11: Reply(status=500),
    13: Reply(fault="drop"),
    31: Reply(fault="hang"),
}


class Stage:
    """Who answers what."""

    def __init__(self, log: Path, delay: float, scripts: Mapping[str, list[Any]], weather: str) -> None:
        self._log = log.open("a", buffering=1)
        self._delay, self._weather = delay, weather
        self._scripts = {model: list(replies) for model, replies in scripts.items()}
        self._workers = 0

    def answer(self, body: Mapping[str, Any]) -> Reply:
        """The reply to one request."""
        model = str(body.get("model", ""))
        self._log.write(f"{time.monotonic():.6f} {model}\n")
        if model in self._scripts:
            script = self._scripts[model]
            reply = script.pop(0) if len(script) > 1 else script[0]
            return doubles.code(reply["tool"]) if isinstance(reply, Mapping) else Reply(reply)
        self._workers += 1
        if self._weather == "foul":
            bad = next((reply for each, reply in FOUL.items() if self._workers % each == 0), None)
            if bad is not None:
                return bad
        return Reply("" if "response_format" in body else f"worker reply {self._workers}", delay=self._delay)


def main() -> None:
    """Serve until the process is ended."""
    log, delay, scripts, weather = [*sys.argv[1:], *[""] * 4][:4]
    found = json.loads(Path(scripts).read_text()) if scripts else {}
    loopback.serve(Server(Stage(Path(log), float(delay) / 1000, found, weather).answer))


if __name__ == "__main__":
    main()
