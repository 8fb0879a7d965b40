"""kill -9 at random moments of the whole product: signed webhooks of the sandbox GitHub, real servers, reviews by models, comments.

SQLite with one `deeprepo serve`; PostgreSQL with one `deeprepo serve` that only takes on and two `deeprepo worker`, of which
either is killed. What GitHub could not deliver while a server was down, the server asks for again at its start. Afterwards each
pull request has one summary, each of its findings once, and a check run that is ended; each remark of a person that was made in
between has one answer. Another repository uses the changed package, and the server looks at such repositories.
"""

import argparse
import asyncio
import hashlib
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks.around import database
from benchmarks.deliveries import SECRET
from benchmarks.server_process import PATIENCE, Fleet, fleet
from benchmarks.table import Row
from bot import storage
from bot.storage.database import line
from bot.stored import markers
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Fault
from deeprepo_sandbox.providers import Reply, Server
from deeprepo_sandbox.providers.thread import in_thread

DELAY = 0.5  # seconds of a model's reply
ANSWER = {"answer": "It is so.", "quotes": [], "withdraw": [], "look_ups": []}  # to a remark
PULLS, MODULES, LINES = 40, 4, 250  # pull requests at most; modules of each, large enough for a prompt of its own
CONSUMER = "acme/till"  # a repository that takes the package, and calls each function that a pull request changes
USE = "from package.m{n}_0 import step\n\n\ndef use():\n    return step({n}, 2)\n"


async def rows(store: str, asked: argparse.Namespace) -> list[Row]:
    """What the pull requests, the remarks and the journals came to on one kind of database."""
    started, chance = time.monotonic(), random.Random(asked.seed)  # noqa: S311 - moments, no secrets
    numbers = range(1, asked.pulls + 1)
    came = Counter[str]()  # requests for a model
    with (
        tempfile.TemporaryDirectory(prefix="chaos-") as scratch,
        database(store) as url,
        in_thread(Server(lambda body: _reply(body, came))) as models,
    ):
        folder = Path(scratch)
        told = {"BASE_URL": models.openai_url, "WORKER": "compatible/reader"}
        told |= {"WRITE_PAUSE": "0.05"}
        async with sandbox.github(folder / "github", secret=SECRET) as gh:
            repo = await _repositories(gh)
            async with fleet(folder, gh, url, **told) as servers:
                await gh.install()
                await _storm(servers, gh, repo, asked, chance, came.total)
                try:
                    await _until(lambda: all(_is_done(gh, n) for n in numbers), "every pull request is reviewed")
                    await _until(lambda: not any(_unanswered(gh, n) for n in numbers), "every remark is answered")
                except SystemExit:
                    print(servers.told(), [n for n in numbers if not _is_done(gh, n)])
                    raise
                await gh.settle()
            silent = sum(_unanswered(gh, n) for n in numbers)
            remarks = sum(one.user.type == "User" for n in numbers for one in gh.pull(n).comments)
            twice = sum(count > 1 for n in numbers for count in _posted(gh, n).values())
            lost = sum(not _is_done(gh, n) for n in numbers)
            beyond, beside = gh.violations, sum(_names_consumer(gh, n) for n in numbers)
        again, calls = await _paid(folder, url)
    seconds = f"{asked.pulls} pull requests, {time.monotonic() - started:.0f} s"
    return [
        Row(f"{store}: kill -9", asked.kills, beside=seconds),
        Row("  pull requests without their review", lost, 0),
        Row("  pull requests whose review names a line of a consumer", beside, 1, least=True),
        Row("  remarks without their answer", silent, 0, beside=f"of {remarks}"),
        Row("  comments posted twice", twice, 0),
        Row("  finished model calls paid again", again, 0, beside=f"of {calls}; requests that came: {came.total()}"),
        Row("  in flight at a kill, sent again", came.total() - len(came)),
        Row("  answers and requests against GitHub's description", len(beyond), 0),
    ]


def _reply(body: Mapping[str, Any], came: Counter[str]) -> Reply:
    came[hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()] += 1
    if "response_format" not in body:
        return Reply("Read.", delay=DELAY)
    name = body["response_format"].get("json_schema", {}).get("name", "")
    return Reply(data=ANSWER if "reply" in name else None, delay=DELAY)


async def _storm(
    servers: Fleet,
    gh: sandbox.GitHub,
    repo: sandbox.Repo,
    asked: argparse.Namespace,
    chance: random.Random,
    calls: Callable[[], int],
) -> None:
    """Open pull requests and kill in turns, most often while models are asked or comments are posted."""
    opened = 0
    for turn in range(asked.kills):
        while opened < asked.pulls * (turn + 1) // asked.kills:
            opened += 1
            await _open(repo, opened)
            await repo.comment(chance.randint(1, opened), f"Why is that so, @{gh.login.removesuffix('[bot]')}?")
        if chance.random() < 0.3:  # and an answer of GitHub's is lost now and then
            gh.fail("POST", r"/(reviews|comments|check-runs)$", Fault(status=502, after=True))
        wanted = calls() + chance.randint(1, 6)
        deadline = time.monotonic() + chance.choice((0.5, 1.5, 4.0))
        while calls() < wanted and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        # while models are asked, or while what they said is being posted
        await asyncio.sleep(chance.choice((chance.uniform(0, DELAY), chance.uniform(DELAY, 3 * DELAY))))
        victim = chance.choice(servers.victims)
        victim.kill()
        if chance.random() < 0.5:  # half of the time GitHub meets a server that is down
            await asyncio.sleep(chance.uniform(0, 0.3))
        await victim.start()


async def _until(true: Callable[[], bool], what: str) -> None:
    """Wait until something is so; what never comes ends the run."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not true():
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise SystemExit(f"it did not come to this: {what}") from None


async def _repositories(gh: sandbox.GitHub) -> sandbox.Repo:
    """A repository with modules for each pull request, and who calls them, in it and in another repository."""
    numbers = range(1, PULLS + 1)
    files = {f"package/m{n}_{k}.py": _module(n, k, "+") for n in numbers for k in range(MODULES)}
    files |= {f"package/use{n}.py": USE.format(n=n) for n in numbers}
    files["pyproject.toml"] = '[project]\nname = "package"\nversion = "1.4.0"\n'
    files[".deeprepo.yml"] = f"consumers: [{CONSUMER}]\nstrategy: parts\n"
    repo = await gh.repository("acme", "shop", files=files, private=True)
    user = {f"use{n}.py": USE.format(n=n) for n in numbers}
    user |= {"requirements.txt": "package>=1.2,<2\n", ".deeprepo.yml": "shown_to: [acme/shop]\n"}
    await gh.repository(*CONSUMER.split("/"), files=user, private=True)
    return repo


async def _open(repo: sandbox.Repo, number: int) -> None:
    """A pull request that changes its own modules and forgets a caller."""
    texts = {f"package/m{number}_{k}.py": _module(number, k, "-") for k in range(MODULES)}
    first = f"package/m{number}_0.py"
    texts[first] = texts[first].replace("def step(value, times)", "def step(value)")
    await repo.commit(f"feature-{number}", texts)
    await repo.open_pull(f"feature-{number}", title=f"Change {number}", body="")


def _module(number: int, k: int, sign: str) -> str:
    body = "\n".join(f"    total = total {sign} value * {line + 1000 * number + k}" for line in range(LINES))
    return f"def step(value, times):\n    total = 0\n{body}\n    return total\n"


def _posted(gh: sandbox.GitHub, number: int) -> Counter[str]:
    """How often each thing was posted: the summary, each finding, and the answer to each remark."""
    pull = gh.pull(number)
    ours = [markers.read(one.body) for one in (*pull.comments, *pull.review_comments) if one.user.type == "Bot"]
    return Counter(f"{said.kind} {said.facts.get('fingerprint', '')}{said.facts.get('comment', '')}" for said in ours)


def _unanswered(gh: sandbox.GitHub, number: int) -> int:
    """Remarks to us that have no answer."""
    remarks = [str(one.id) for one in gh.pull(number).comments if one.user.type == "User"]
    posted = _posted(gh, number)
    return sum(not posted[f"reply {comment}"] for comment in remarks)


def _names_consumer(gh: sandbox.GitHub, number: int) -> bool:
    """Whether its review names a line of the consumer."""
    pull = gh.pull(number)
    return any(f"{CONSUMER}:" in one.body for one in (*pull.comments, *pull.review_comments))


def _is_done(gh: sandbox.GitHub, number: int) -> bool:
    """Whether it has its summary, and check runs that are all ended."""
    checks = {check.status for check in gh.pull(number).checks}
    return bool(_posted(gh, number)["summary "]) and checks == {"completed"}


async def _paid(folder: Path, url: str) -> tuple[int, int]:
    """Requests whose reply stood in a journal already, and how many replies there are; in the database, else in files."""
    journals = [found.read_text().splitlines() for found in folder.rglob("journals/*.jsonl")]
    if url:
        async with storage.open_store(url) as store:
            names = await store.database.run(lambda c: list(c.execute(sa.select(line.c.journal).distinct()).scalars()))
            journals = [await store.journals.lines(name) for name in names]
    counts = [paid_again(map(json.loads, journal)) for journal in journals]
    return sum(again for again, _ in counts), sum(calls for _, calls in counts)


def paid_again(rows: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Of one journal: the requests that were sent although their reply stood there, and the replies."""
    again = 0
    answered = Counter[str]()
    for row in rows:
        again += row["kind"] == "request" and row["key"] in answered
        if row["kind"] == "call" and "reply" in row:
            answered[row["key"]] += 1
    return again, answered.total()
