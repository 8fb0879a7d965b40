"""Write a museum room's `rounds.json`: the data of two reviews of one change, with a model.

- `rounds`: a server's pull request after its second review. One thread is resolved, one finding was
  introduced by the fix for another, one was missed by the first review, and one could not be settled.
- `quota`: a pull request whose review was cut short, because the provider's quota was used up.
- `scopes`: a pull request that two jobs of one workflow reviewed, each with its own settings file.
- `answers`, since 28-nov-22h: a workflow's answers to people. A finding is withdrawn in its thread, another
  is ignored, two learnings are taught, one of which is removed, and reviews are paused.
"""

import asyncio
import json
import os
import re
import secrets
import signal
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from whole import BASE, WORSE

from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox import honest, providers
from deeprepo_sandbox.github.things import Delivery
from deeprepo_sandbox.providers import Reply

PATIENCE = 600.0  # seconds
ADDRESS = "http://127.0.0.1:"
MEAN, FIRST = "    return sum(counts) / len(counts)", "    return counts[0]"
_ROWS = "".join(
    f"SHELF_{n} = 'the shelf {n} of the shop, which is counted on day {n} of each month'\n" for n in range(30)
)
STOCK = f'{_ROWS}\n\ndef mean(counts):\n{MEAN}\n\n\ndef first(counts):\n    """The first count."""\n{FIRST}\n'
FIRST_PUSH = {**WORSE, "shop/stock.py": STOCK}
SECOND_PUSH = {
    "shop/price.py": WORSE["shop/price.py"].replace("+ rounding", "+ roundings"),
    "shop/stock.py": STOCK.replace("The first count.", "The oldest count."),
}
QUOTA = {"shop/quota.py": "def used(quota):\n    return quota.used / quota.total\n"}
PHRASES = {"shop/price.py": "Prices | lose their tax", "shop/stock.py": "Stock | the shelves and their counts"}
NO_CREDIT = Reply("You exceeded your current quota.", status=429, error="insufficient_quota")
OPEN = {
    "verdict": "unproven",
    "trigger": "",
    "author_would_change": True,
    "reason": "What `counts` gets is set in a file that was not shown.",
}
SCOPED_BASE = {
    "a/price.py": "def total(items, tax):\n    return sum(items) * (1 + tax)\n",
    "b/price.py": "def net(items, tax):\n    return sum(items) * (1 + tax)\n",
    "a/.deeprepo.yml": 'ignore: ["b/"]\n',
    "b/.deeprepo.yml": 'ignore: ["a/"]\n',
}
SCOPED_HEAD = {
    name: text.replace("* (1 + tax)", f"+ unknown_{name[0]}") for name, text in SCOPED_BASE.items() if "price" in name
}
TALK_BASE = {"price.py": "def mean(items):\n    return 0\n", "tax.py": "def tax(net):\n    return net * 2\n"}
GUARD = "    if not items:"
TALK_HEAD = {
    "price.py": f"def mean(items):\n{GUARD}\n        return 0\n    return sum(items) / len(items)\n",
    "tax.py": "def tax(net):\n    return net * rate\n",
}
REMARK = "There is a guard, and it returns first."
WITHDRAWN = {
    "answer": "There is a guard.",
    "quotes": [{"path": "price.py", "quote": GUARD}],
    "withdraw": [{"finding": 1, "because": "code", "reason": "The guard returns first.", "words": REMARK}],
    "look_ups": [],
}
SAID = (
    "/deeprepo ignore {number} The rate is set elsewhere.",
    "/deeprepo remember in price.py Items are never empty.",
    "/deeprepo remember in tax.py Rates are set at the start.",
    "/deeprepo rules remove 2",
    "/deeprepo pause",
)
PERMISSIONS = {"contents": "write", "pull_requests": "write", "checks": "write"}


def answer(body: Mapping[str, Any]) -> Reply:
    """Report the known findings, settle nothing, and refuse the change about quotas."""
    form = body["response_format"]["json_schema"]["schema"]["properties"]
    if "withdraw" in form:
        return Reply(data={name: value for name, value in WITHDRAWN.items() if name in form})
    shown = "\n".join(str(message["content"]) for message in body["messages"])
    if "quota.total" in shown:
        return NO_CREDIT
    if "verdict" in form or "verdicts" in form:
        return providers.verdict(body, OPEN)
    found = [_claim(MEAN, "mean() divides by zero")] if MEAN in shown else []
    if GUARD in shown:
        found.append(
            _claim("    return sum(items) / len(items)", "mean() divides by zero", "price.py", TALK_HEAD["price.py"])
        )
    if "The oldest count." in shown:
        found.append(_claim(FIRST, "first() fails for an empty list"))
    judged = [f"{row} | {PHRASES.get(row.partition(' | ')[0], '')}" for row in honest.files([shown])]
    said = {"answer": "Read.", "findings": found, "look_ups": [], "unsettled": [], "files": judged, "issues": []}
    said |= {"overview": "Prices lose their tax, and stock is counted.", "look_first": "shop/price.py"}
    return Reply(data={name: value for name, value in said.items() if name in form})


def _claim(quote: str, title: str, path: str = "shop/stock.py", text: str = STOCK) -> dict[str, Any]:
    claim = {"path": path, "quote": quote, "line": text.splitlines().index(quote) + 1, "title": title}
    told = {"why": "An empty list is not refused.", "consequence": "The report stops.", "trigger": "mean([])"}
    return claim | told | {"severity": "high", "category": "crash", "suggestion": None, "evidence": []}


async def write(build: tuple[str, str], scratch: Path) -> dict[str, Any]:
    """Return the data of this build's server and of its Actions step."""
    async with providers.openai_server(answer) as double:
        model = {"OPENAI_API_KEY": "sk-pretended-and-long-enough", "DEEPREPO_BASE_URL": double.base_url}
        served = await _served(build, scratch, model | {"DEEPREPO_WORKER": "openai/reader"})
        steps = model | {"DEEPREPO_ACTION_WORKER": "openai/reader", "DEEPREPO_ACTION_STRATEGY": "parts"}
        answers = await _answers(build, scratch / "answers", steps)
    return served | {"scopes": await _scopes(build, scratch / "scopes"), "answers": answers}


def left_at(pull: Any) -> dict[str, Any]:  # noqa: ANN401 - the sandbox's own value
    """Return a pull request's base, head, comments and checks."""
    places = {one.id: at for at, one in enumerate(pull.review_comments)}
    names = ("path", "commit", "line", "side", "start_line", "start_side", "body", "is_resolved", "hide_reason")
    return {
        "base": pull.base_sha,
        "head": pull.head_sha,
        "comments": [one.body for one in pull.comments],
        "line_comments": [
            {name: getattr(one, name) for name in names} | {"reply_to": one.reply_to and places[one.reply_to]}
            for one in pull.review_comments
        ],
        "checks": [
            {name: getattr(one, name) for name in ("head", "conclusion", "title", "summary", "external_id")}
            for one in pull.checks
        ],
    }


def environment(build: tuple[str, str], home: Path, **more: object) -> dict[str, str]:
    """Return the variables for a process of this build."""
    own = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": build[1], "COLUMNS": "160"}
    return {**own, **{name: str(value) for name, value in more.items()}}


@asynccontextmanager
async def serving(build: tuple[str, str], scratch: Path, gh: sandbox.GitHub, **more: object) -> AsyncIterator[None]:
    """Run this build's server for a sandbox GitHub, with `data` in the scratch folder and these further variables."""
    client, secret = gh.client
    usual = {"APP_ID": gh.app_id, "CLIENT_ID": client, "CLIENT_SECRET": secret, "PRIVATE_KEY": gh.private_key}
    usual |= {"WEBHOOK_SECRET": gh.secret, "GITHUB_API": gh.api, "DATA": scratch / "data", "PORT": 0}
    usual |= {"DEBOUNCE": 0, "WRITE_PAUSE": 0}
    (scratch / "data").mkdir(mode=0o700)
    process = await asyncio.create_subprocess_exec(
        build[0], "-P", "-m", "bot", "serve", cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=environment(build, scratch, **{f"DEEPREPO_{name}": value for name, value in usual.items()} | more),
    )  # fmt: skip
    assert process.stdout is not None
    line = b""
    while ADDRESS not in line.decode():
        line = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
        assert line, "the server ended"
    port = line.decode().partition(ADDRESS)[2][:5]
    drained = asyncio.ensure_future(process.stdout.read())
    gh.listen(f"{ADDRESS}{''.join(filter(str.isdigit, port))}/webhook")
    yield
    process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(process.wait(), PATIENCE)
    drained.cancel()


async def reviewed(gh: sandbox.GitHub, number: int) -> None:
    """Wait for the check of a pull request's head."""
    await gh.until(lambda: any(one.status == "completed" for one in gh.pull(number).checks), PATIENCE)


async def _served(build: tuple[str, str], scratch: Path, model: Mapping[str, str]) -> dict[str, Any]:
    async with sandbox.github(scratch / "github", secret=secrets.token_hex(20), check=False) as gh:
        repo = await gh.repository("acme", "shop", files=BASE, private=True)
        async with serving(build, scratch, gh, **model):
            await repo.commit("feature", FIRST_PUSH)
            number = await repo.open_pull("feature", title="Prices without tax", body="Tax is added elsewhere.")
            await reviewed(gh, number)
            await repo.push("feature", SECOND_PUSH)
            await reviewed(gh, number)
            await repo.commit("quota", QUOTA)
            quota = await repo.open_pull("quota", title="Show what is used", body="")
            await reviewed(gh, quota)
        found = {"rounds": left_at(gh.pull(number)), "quota": left_at(gh.pull(quota))}
    with closing(sqlite3.connect(scratch / "data" / "deeprepo.db")) as database:
        return found | {"database": [*database.iterdump()]}


def _prepared(scratch: Path, given: Delivery) -> Path:
    """Make a workspace, and write the event file that GitHub gives to a step."""
    (scratch / "workspace").mkdir(parents=True, exist_ok=True)
    event = scratch / "event.json"
    event.write_text(json.dumps({name: value for name, value in given.payload.items() if name != "installation"}))
    return event


async def _step(
    build: tuple[str, str],
    scratch: Path,
    gh: sandbox.GitHub,
    repo: sandbox.Repo,
    given: Delivery,
    **more: object,
) -> None:
    """Run this build's Actions step for an event."""
    event = _prepared(scratch, given)
    runner = {"EVENT_NAME": given.event, "EVENT_PATH": event, "WORKSPACE": scratch / "workspace"}
    runner |= {"API_URL": gh.api, "REPOSITORY": "acme/shop", "REPOSITORY_ID": repo.id}
    runner |= {"WORKFLOW_REF": "acme/shop/.github/workflows/review.yml@refs/heads/main"}
    told = {f"GITHUB_{name}": value for name, value in runner.items()}
    told |= {"DEEPREPO_ACTION_GITHUB_TOKEN": gh.actions_token(repo, PERMISSIONS), "DEEPREPO_WRITE_PAUSE": 0}
    process = await asyncio.create_subprocess_exec(
        build[0], "-P", "-m", "bot", "action", cwd=scratch, env=environment(build, scratch, **told | more)
    )
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 0


async def _scopes(build: tuple[str, str], scratch: Path) -> dict[str, Any]:
    async with sandbox.github(scratch / "github", check=False) as gh:
        repo = await gh.repository("acme", "shop", files=SCOPED_BASE, private=True)
        await repo.commit("feature", SCOPED_HEAD)
        with gh.holding() as held:
            number = await repo.open_pull("feature")
        for run, part in enumerate("ba"):
            config = f"{part}/.deeprepo.yml"
            await _step(build, scratch, gh, repo, held[0], GITHUB_RUN_ID=f"80{run}", DEEPREPO_ACTION_CONFIG=config)
        return left_at(gh.pull(number))


async def _answers(build: tuple[str, str], scratch: Path, model: Mapping[str, str]) -> dict[str, Any]:
    async with sandbox.github(scratch / "github", check=False) as gh:
        repo = await gh.repository("acme", "shop", files=TALK_BASE, private=True)
        await repo.commit("main", {".deeprepo.yml": "verify: false\n"})
        await repo.commit("feature", TALK_HEAD)
        with gh.holding() as held:
            number = await repo.open_pull("feature", title="A mean", body="")
        await _step(build, scratch, gh, repo, held[0], GITHUB_RUN_ID="900", **model)
        threads = {one.path: one for one in gh.pull(number).review_comments}
        with gh.holding() as held:
            await repo.reply(number, threads["price.py"].id, REMARK, author="maintainer")
        (remark,) = (one for one in held if one.event == "pull_request_review_comment")
        await _step(build, scratch, gh, repo, remark, GITHUB_RUN_ID="901", **model)
        of_tax = re.search(r"(\d+)\. ", threads["tax.py"].body)
        assert of_tax is not None
        for run, text in enumerate(SAID, 902):
            with gh.holding() as held:
                await repo.comment(number, text.format(number=of_tax[1]), author="maintainer")
            await _step(build, scratch, gh, repo, held[0], GITHUB_RUN_ID=str(run), **model)
        return left_at(gh.pull(number))
