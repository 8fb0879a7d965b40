"""How soon a pull request shows what is read and what code has found, while other reviews are running.

    python -m benchmarks.first_words [--pulls 20]

`deeprepo serve` is a process of its own, with its usual settings but for the debounce, which is 0. Eight reviews wait for models that take
a minute; then pull requests are opened one after the other, each of an installation's own repository. Measured: from the webhook that
reports it until the sandbox GitHub has a check run whose text says what is read. The debounce, by default some seconds, comes on top of it.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.chaos_town import repository
from benchmarks.server import _changed, installed
from benchmarks.server_load import SECRET
from benchmarks.table import Row, report
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.providers import Reply, Server
from deeprepo_sandbox.providers.thread import in_thread

REVIEWS, PULLS = 8, 20
LIMIT = 5.0  # seconds
SLOW = 600.0  # seconds of a model's reply: longer than the bench
LOOK = 0.02
PATIENCE = 120.0
SAYS, FOUND = "Reading", ("Found by code", "have found nothing")


def main() -> int:
    """Open the pull requests; the exit code says whether the promise holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pulls", type=int, default=PULLS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="words-") as scratch:
        seconds, complete, running = asyncio.run(_measured(Path(scratch), asked.pulls))
    ordered = sorted(seconds)
    rows = [
        Row(
            "first words after the webhook, p95",
            ordered[len(ordered) * 95 // 100],
            LIMIT,
            "s",
            f"{len(ordered)} pull requests",
        ),
        Row("  median", ordered[len(ordered) // 2], None, "s"),
        Row("  with what code has found in them", complete, None, "", f"of {len(ordered)}"),
        Row("reviews running beside them", running, REVIEWS, least=True),
    ]
    return report("first_words", rows)


async def _measured(folder: Path, pulls: int) -> tuple[list[float], int, int]:
    def answer(_: Mapping[str, Any]) -> Reply:
        return Reply("Read.", delay=SLOW)

    repository(folder / "repository")
    with in_thread(Server(answer)) as models:
        given = {"BASE_URL": models.openai_url, "WORKER": "compatible/worker", "STRATEGY": "fanout"}
        most = {"DEBOUNCE": "0", "REVIEWS_PER_INSTALLATION": str(REVIEWS + pulls), "REVIEWS": str(REVIEWS + pulls)}
        async with sandbox.github(folder / "github", webhook=None, secret=SECRET) as gh:
            repo = await gh.repository("acme", "shop", from_git=folder / "repository")
            async with installed(folder, gh, **given, **most) as process:
                gh.listen(f"{process.origin}/webhook")
                for number in range(REVIEWS + pulls):
                    await repo.commit(f"feature-{number}", _changed(number))
                before = [await repo.open_pull(f"feature-{n}", title=f"Change {n}") for n in range(REVIEWS)]
                for number in before:
                    await _words(gh, number)
                running = (await asyncio.to_thread(process.jobs))["running"]
                seconds, complete = [], 0
                for number in range(REVIEWS, REVIEWS + pulls):
                    started = time.monotonic()
                    opened = await repo.open_pull(f"feature-{number}", title=f"Change {number}")
                    text = await _words(gh, opened)
                    seconds.append(time.monotonic() - started)
                    complete += any(word in text for word in FOUND)
                    await repo.close(opened)
                gh.listen(None)
                return seconds, complete, int(running)


async def _words(gh: sandbox.GitHub, number: int) -> str:
    """The text of its check run, once it says what is read."""
    async with asyncio.timeout(PATIENCE):
        while True:
            for check in gh.pull(number).checks:
                if SAYS in (check.summary or ""):
                    return check.summary or ""
            await asyncio.sleep(LOOK)


if __name__ == "__main__":
    sys.exit(main())
