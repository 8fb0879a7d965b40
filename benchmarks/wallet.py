"""Who can spend the team's money: orders of pushes, commands and kills against the caps of a day, played against the real product.

    python -m benchmarks.wallet [--short] [--store sqlite|postgres]

The App: `deeprepo serve` on SQLite, and one that only takes on with two `deeprepo worker` on PostgreSQL, behind signed webhooks of the
sandbox GitHub. A model on loopback takes its time and counts what it is sent, answered or not. The Action: runs of the step at the
same time, each with the list of runs that GitHub shows it. Every order has a repository of its own, so each begins a day. Another
repository takes the packages of them all, and the server looks at it.
"""

import argparse
import asyncio
import json
import os
import tempfile
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.chaos_app import Servers, fleet
from benchmarks.chaos_pulls import SECRET
from benchmarks.chaos_town import PATIENCE, database
from benchmarks.table import Row, report
from bot import action
from bot.config import Step
from bot.config.action import Inputs, RunnerVariables
from bot.models import prices
from bot.values import Usage
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.github.things import WorkflowRun
from deeprepo_sandbox.providers.thread import in_thread

FORKS, DOLLARS, BUDGET = 2, 0.25, 0.1  # reviews and dollars of a day, dollars of a review
MODEL = "openai/gpt-5.4-mini"
USED = Usage(2_000, 1_000)  # of each answer, and what an answer that nobody waits for is billed
DELAY = 0.6  # seconds of an answer: long enough for a push or a kill to come in between
RULES = f"strategy: direct\nverify: false\ntriggers: {{fork_reviews_per_day: {FORKS}}}\n"
BASE = {
    ".deeprepo.yml": RULES,
    "price/__init__.py": "def total(items, tax):\n    return sum(items) * (1 + tax)\n",
    "cart.py": "from price import total\n\n\ndef pay(items):\n    return total(items, 0.2)\n",
}
TILL = "acme/till"
CONSUMER = {
    "till.py": "from price import total\n\n\ndef pay(items):\n    return total(items, 0.2)\n"
}  # takes each of them
GRANTED = {"contents": "read", "pull_requests": "write", "checks": "write", "actions": "read"}
VARIABLES = {
    "DEEPREPO_WORKER": MODEL,
    "OPENAI_API_KEY": "sk-pretended",
    "DEEPREPO_USD": str(BUDGET),
    "DEEPREPO_CAP_USD_PER_DAY_REPOSITORY": str(DOLLARS),
    "DEEPREPO_WRITE_PAUSE": "0",
}
SAID = ("`triggers.fork_reviews_per_day`", "the operator of this server can raise")


@dataclass
class Play:
    """One order: its repository, the servers, and the count of what they send."""

    gh: sandbox.GitHub
    repo: sandbox.Repo
    servers: Servers
    model: doubles.Server

    async def open(self, branch: str = "feature", **how: Any) -> int:  # noqa: ANN401 - of the sandbox
        """Open a pull request."""
        await self.repo.commit(branch, {"price/__init__.py": f"def total(items):\n    return sum(items)\n# {branch}\n"})
        return await self.repo.open_pull(branch, title=branch, body="", **how)

    async def push(self, mark: object, branch: str = "feature") -> None:
        """Change the file again."""
        await self.repo.push(
            branch, {"price/__init__.py": f"def total(items):\n    return sum(items)\n# {branch} {mark}\n"}
        )

    async def paying(self) -> None:
        """Wait until one call more is sent, or nothing is left to do."""
        wanted = self.model.count + 1
        await self.until(lambda: self.model.count >= wanted or self._idle())

    async def quiet(self) -> None:
        """Wait until nothing is left to do."""
        await self.gh.settle()
        await self.until(self._idle)

    async def until(self, true: Callable[[], bool]) -> None:
        """Look now and then, from a thread: the sandbox answers meanwhile."""
        async with asyncio.timeout(PATIENCE):
            while not await asyncio.to_thread(true):
                await asyncio.sleep(0.05)
                await self.gh.settle()

    async def kill(self) -> None:
        """End who works at once, and start it again."""
        for name in self.servers.victims:
            self.servers.kill(name)
        for name in self.servers.victims:
            await self.servers.start(name)

    def refused(self) -> int:
        """Pull requests that say why no model read them, or a reply that says why there is no answer."""
        return sum(any(word in body.replace("\\", "") for word in SAID) for body in self._bodies())

    def names_consumer(self) -> bool:
        """Whether a review names a line of the repository that takes the package."""
        return any(f"{TILL}:" in body for body in self._bodies())

    def _idle(self) -> bool:
        """Whether no job is left, as the server says."""
        try:
            with urllib.request.urlopen(f"{self.servers.origin}/metrics", timeout=5) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            return False
        counts = [float(line.rpartition(" ")[2]) for line in lines if line.startswith("deeprepo_jobs{")]
        return bool(counts) and not any(counts)

    def _bodies(self) -> list[str]:
        pulls = self.repo.repository.pulls.values()
        said = (one for pull in pulls for one in (*pull.comments, *pull.review_comments, *pull.checks))
        return [one.body for one in said if hasattr(one, "body")]


async def one_by_one(p: Play) -> None:
    """Each push waits for the review before."""
    await p.open(fork=True)
    for mark in range(4):
        await p.quiet()
        await p.push(mark)


async def in_between(p: Play) -> None:
    """Each push comes while the review before is paid."""
    await p.open(fork=True)
    for mark in range(5):
        await p.paying()
        await p.push(mark)


async def bouncing(p: Play) -> None:
    """Closed and reopened without a push, with another title."""
    number = await p.open(fork=True)
    for mark in range(4):
        await p.paying()
        await p.repo.edit(number, title=f"Title {mark}")
        await p.repo.close(number)
        await p.repo.reopen(number)


async def drafting(p: Play) -> None:
    """Made a draft and ready again, without a push."""
    number = await p.open(fork=True)
    for _ in range(4):
        await p.paying()
        await p.repo.set_draft(number, draft=True)
        await p.repo.set_draft(number, draft=False)


async def strangers(p: Play) -> None:
    """Three pull requests of three strangers."""
    for n in range(3):
        await p.open(f"feature-{n}", fork=True, author=f"stranger-{n}")
    await p.paying()
    for n in range(3):
        await p.push("more", f"feature-{n}")


async def comments(p: Play) -> None:
    """A storm of a stranger's commands, written and edited."""
    number = await p.open(fork=True)
    comment = await p.repo.comment(number, "Hello.", author="stranger")
    for mark in range(3):
        await p.repo.edit_comment(number, comment, "/deeprepo full review")
        for word in ("review", "full review", f"ask what is {mark}?"):
            await p.repo.comment(number, f"/deeprepo {word}", author="stranger")
        await p.push(mark)
    await p.quiet()


async def redelivered(p: Play) -> None:
    """Every delivery once more, and once more."""
    await p.open(fork=True)
    await p.push("more")
    await p.quiet()
    await p.push("last")
    for delivery in p.gh.deliveries[-6:]:
        await p.gh.redeliver(delivery)
        await p.gh.redeliver(delivery)


async def retargeted(p: Play) -> None:
    """A stranger moves the base to an old branch without settings and back, between pushes and while it is paid."""
    await _old_branches(p)
    number = await p.open(fork=True)
    for mark in range(3):
        for base in ("v1", "v2", "main"):
            await p.paying()
            await p.repo.retarget(number, base, by="stranger")
        await p.push(mark)


async def opened_elsewhere(p: Play) -> None:
    """Strangers open against old branches, one without settings and one with a higher cap."""
    await _old_branches(p)
    for n in range(6):
        await p.open(f"feature-{n}", base=("v1", "v2")[n % 2], fork=True, author=f"stranger-{n}")
    await p.paying()
    for n in range(6):
        await p.push("more", f"feature-{n}")


async def rerequested(p: Play) -> None:
    """A stranger presses Re-run on the checks of their own pull request."""
    await p.open(fork=True)
    for _ in range(5):
        await p.quiet()
        await p.repo.rerequest(max(p.repo.repository.checks), by="stranger")


async def readers(p: Play) -> None:
    """Somebody who may only read opens pull requests between branches of the repository."""
    await _old_branches(p)
    for n in range(4):
        await p.open(f"feature-{n}", base=("main", "v1", "v2")[n % 3], author="reader")
    await p.quiet()
    for n in range(4):
        await p.repo.close(n + 1)
        await p.repo.reopen(n + 1)


async def _old_branches(p: Play) -> None:
    await p.repo.commit("v1", {".deeprepo.yml": None})
    higher = RULES.replace(f"fork_reviews_per_day: {FORKS}", "fork_reviews_per_day: 1000")
    await p.repo.commit("v2", {".deeprepo.yml": higher})


async def at_once(p: Play) -> None:
    """Six pull requests of the team at once, twice."""
    for n in range(6):
        await p.open(f"feature-{n}")
    await p.paying()
    for n in range(6):
        await p.push("more", f"feature-{n}")


async def asked(p: Play) -> None:
    """Commands and questions of the team, and pushes in between."""
    number = await p.open()
    for mark in range(6):
        await p.repo.comment(number, f"/deeprepo ask what is {mark}?")
        await p.repo.comment(number, "/deeprepo full review")
        await p.paying()
        await p.push(mark)


async def killed(p: Play) -> None:
    """Killed by kill -9 during a paid call, again and again, with pushes."""
    await p.open()
    for mark in range(3):
        await p.paying()
        await p.kill()
        await p.quiet()
        await p.push(mark)


async def killed_forks(p: Play) -> None:
    """Killed by kill -9 during each of a stranger's reviews."""
    await p.open(fork=True)
    for mark in range(4):
        await p.paying()
        await p.kill()
        await p.quiet()
        await p.push(mark)


Order = Callable[[Play], Awaitable[None]]
# What each is held to: reviews of forks, or dollars. A killed call is sent again by the same review, which may be billed twice.
REVIEWS: tuple[Order, ...] = (
    one_by_one,
    in_between,
    bouncing,
    drafting,
    strangers,
    comments,
    redelivered,
    retargeted,
    opened_elsewhere,
    readers,
)
MONEY: tuple[Order, ...] = (at_once, asked, killed, killed_forks)
SHORT: tuple[Order, ...] = (in_between, bouncing, retargeted, at_once, killed)


def main() -> int:
    """Play them; the exit code says whether any was paid more than its cap."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="five orders, on SQLite, and the Action")
    parser.add_argument("--store", choices=["sqlite", "postgres"], action="append")
    given = parser.parse_args()
    rows: list[Row] = []
    for store in given.store or (["sqlite"] if given.short else ["sqlite", "postgres"]):
        rows += asyncio.run(_app(store, short=given.short))
    rows += asyncio.run(_action())
    return report("wallet", rows)


async def _app(store: str, *, short: bool) -> list[Row]:
    rows, naming = [], 0
    with tempfile.TemporaryDirectory(prefix="wallet-") as scratch, database(store) as url, _model() as model:
        folder = Path(scratch)
        async with (
            sandbox.github(folder / "github", secret=SECRET) as gh,
            fleet(folder, gh, url, model.openai_url, VARIABLES) as servers,
        ):
            orders = [order for order in (*REVIEWS, *MONEY) if not short or order in SHORT]
            names = [order.__name__.replace("_", "-") for order in orders]
            takes = {"requirements.txt": "".join(f"shop-{name}>=1,<2\n" for name in names)}
            await gh.repository(
                *TILL.split("/"), files=CONSUMER | takes | {".deeprepo.yml": "as_consumer: lines\n"}, private=True
            )
            await gh.install()
            for order, name in zip(orders, names, strict=True):
                offers = {"pyproject.toml": f'[project]\nname = "shop-{name}"\nversion = "1.4"\n'}
                repo = await gh.repository("acme", name, files=BASE | offers, private=True)
                play, before = Play(gh, repo, servers, model), model.count
                try:
                    await order(play)
                    await play.quiet()
                except TimeoutError:
                    print(servers.told())
                    raise
                sent = model.count - before
                naming += play.names_consumer()
                dollars = sent * (prices.dollars(MODEL, USED) or 0.0)
                said = f"refused with a sentence: {play.refused()}; {sent} calls, ${dollars:.4f}"
                words = (order.__doc__ or "").rstrip(".")
                what = f"{store}: {words[:1].lower()}{words[1:]}"
                print(f"{what}: {said}", flush=True)
                if order in REVIEWS:
                    rows.append(Row(what, sent, FORKS, "reviews", said))
                else:
                    rows.append(Row(what, dollars, DOLLARS, "dollars", said))
    rows.append(Row(f"{store}: orders in which a review names a line of a consumer", naming, 1, least=True))
    return rows


@contextmanager
def _model() -> Iterator[doubles.Server]:
    reply = doubles.Reply(data={"answer": "One.", "findings": []}, delay=DELAY, usage=USED)
    with in_thread(doubles.Server(doubles.PerModel({MODEL.partition("/")[2]: reply}))) as server:
        yield server


async def _action() -> list[Row]:
    """Six runs at the same time, started one after the other: those that were cancelled count too."""
    inputs = {"fork_reviews_per_day": str(FORKS)}
    with tempfile.TemporaryDirectory(prefix="wallet-") as scratch, _model() as model:
        async with sandbox.github(Path(scratch) / "github") as gh:
            repo = await gh.repository("acme", "shop", files=BASE, private=True)
            await repo.commit("feature", {"price/__init__.py": "def total(items):\n    return sum(items)\n"})
            with gh.holding() as held:
                await repo.open_pull("feature", title="A change", body="", fork=True)
            payload = {name: value for name, value in held[0].payload.items() if name != "installation"}
            source = next(iter(repo.repository.pulls.values())).source
            with _environment({"OPENAI_API_KEY": "sk-pretended", "DEEPREPO_BASE_URL": model.openai_url}):
                told = []
                for number in range(1, 7):
                    repo.repository.runs.append(WorkflowRun(number, datetime.now(UTC), source))
                    step = _step(Path(scratch) / f"{number}", gh, repo, number, payload, inputs)
                    told.append(asyncio.create_task(action.run(step, action.Console(lambda _: None))))
                done = await asyncio.gather(*told)
    notes = [" ".join(one.review.notes) for one in done if one.review is not None]
    refused = sum(any(word in note for word in SAID) for note in notes)
    return [
        Row(
            "Action: runs for a stranger's pull requests, six at once",
            model.count,
            float(FORKS),
            "reviews",
            f"refused with a sentence: {refused}",
        )
    ]


def _step(
    folder: Path,
    gh: sandbox.GitHub,
    repo: sandbox.Repo,
    number: int,
    payload: Mapping[str, Any],
    inputs: dict[str, str],
) -> Step:
    """A run of the workflow as the runner tells it."""
    (folder / "workspace").mkdir(parents=True)
    path = folder / "event.json"
    path.write_text(json.dumps(payload))
    name = repo.repository.full_name
    runner = {
        "github_event_name": "pull_request_target",
        "github_event_path": path,
        "github_workspace": folder / "workspace",
        "github_api_url": gh.api,
        "github_step_summary": folder / "summary",
        "github_repository": name,
        "github_repository_id": repo.id,
        "github_run_id": str(number),
        "github_workflow_ref": f"{name}/.github/workflows/review.yml@refs/heads/main",
        "deeprepo_write_pause": 0,
    }
    given = {"github_token": gh.actions_token(repo, GRANTED), "worker": MODEL, "strategy": "direct", **inputs}
    return Step(Inputs.model_validate(given), RunnerVariables.model_validate(runner))


@contextmanager
def _environment(given: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)


if __name__ == "__main__":
    raise SystemExit(main())
