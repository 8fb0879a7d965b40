"""Try to exceed the daily spending caps with sequences of pushes, commands and kills.

    python -m benchmarks.wallet [--short] [--store sqlite|postgres]

`deeprepo serve` on SQLite, and one that only takes on with two `deeprepo worker` on PostgreSQL, behind signed webhooks of the
sandbox GitHub. A model on loopback takes its time and counts what it is sent, answered or not. Every order has a repository of its own, so
each begins a day; those of strangers have an installation of their own too, because the changes of strangers to one installation are put
off. Another repository takes the packages of the team, and the server looks at it.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.around import database
from benchmarks.deliveries import SECRET
from benchmarks.server_process import PATIENCE, Fleet, fleet
from benchmarks.table import Row, report
from deeprepo.rlm.models import prices
from deeprepo.rlm.values import Usage
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.github.conversation import MAINTAINER

FORKS, DOLLARS, BUDGET = 2, 0.25, 0.1  # reviews and dollars of a day, dollars of a review
MODEL = "openai/gpt-5.4-mini"
USED = Usage(2_000, 1_000)  # of each answer, and what an answer that nobody waits for is billed
DELAY = 0.6  # seconds of an answer: long enough for a push or a kill to come in between
RULES = "verify: false\ntriggers: {{fork_reviews_per_day: {forks}}}\n"
USER = "from price import total\n\n\ndef pay(items):\n    return total(items, 0.2)\n"
BASE = {
    "price/__init__.py": "def total(items, tax):\n    return sum(items) * (1 + tax)\n",
    "cart.py": USER,
}
TILL = "acme/till"  # takes each of the packages
VARIABLES = {
    "WORKER": MODEL,
    "OPENAI_API_KEY": "sk-pretended",
    "USD": str(BUDGET),
    "CAP_USD_PER_DAY_REPOSITORY": str(DOLLARS),
}
REFUSED = ("`triggers.fork_reviews_per_day`", "the operator of this server can raise")


@dataclass
class Play:
    """One order as it is played: its repository, the servers, and the model that counts what they send."""

    gh: sandbox.GitHub
    repo: sandbox.Repo
    servers: Fleet
    model: doubles.Server
    pulls: dict[int, str] = field(default_factory=dict)  # number -> branch

    async def open(self, order: "Order") -> None:
        """Open the pull requests of an order. Of the old branches one has no settings and one a higher cap."""
        await self.repo.commit("v1", {".deeprepo.yml": None})
        await self.repo.commit("v2", {".deeprepo.yml": RULES.format(forks=1000)})
        for n in range(order.pulls):
            branch, author = f"feature-{n}", order.author and f"{order.author}-{n}"
            await self.repo.commit(branch, _changed(branch))
            base = order.bases[n % len(order.bases)]
            number = await self.repo.open_pull(branch, base, title=branch, body="", fork=order.fork, author=author)
            self.pulls[number] = branch

    async def paying(self, _turn: int) -> None:
        """Wait until one call more is sent, or nothing is left to do."""
        wanted = self.model.count + 1
        await self._until(lambda: self.model.count >= wanted or self._is_idle())

    async def quiet(self, _turn: int) -> None:
        """Wait until nothing is left to do."""
        await self.gh.settle()
        await self._until(self._is_idle)

    async def push(self, turn: int) -> None:
        """Change the file of each pull request again."""
        for branch in self.pulls.values():
            await self.repo.push(branch, _changed(f"{branch} {turn}"))

    async def kill(self, _turn: int) -> None:
        """End who works at once, and start it again."""
        for victim in self.servers.victims:
            victim.kill()
        for victim in self.servers.victims:
            await victim.start()

    async def bounce(self, turn: int) -> None:
        """Change the title, make a draft and ready again, close and reopen."""
        for number in self.pulls:
            await self.repo.edit(number, title=f"Title {turn}")
            await self.repo.set_draft(number, draft=True)
            await self.repo.set_draft(number, draft=False)
            await self.repo.close(number)
            await self.repo.reopen(number)

    async def ask(self, turn: int) -> None:
        """Ask and command as the team does."""
        await self._write(turn, MAINTAINER)

    async def beg(self, turn: int) -> None:
        """Ask and command as a stranger does."""
        await self._write(turn, "stranger")

    async def redeliver(self, _turn: int) -> None:
        """Send the last deliveries once more, and once more."""
        for delivery in self.gh.deliveries[-6:]:
            await self.gh.redeliver(delivery)
            await self.gh.redeliver(delivery)

    async def retarget(self, turn: int) -> None:
        """Move the base to both old branches and back while it is paid."""
        for base in ("v1", "v2", "main"):
            await self.paying(turn)
            for number in self.pulls:
                await self.repo.retarget(number, base, by="stranger")

    async def rerequest(self, _turn: int) -> None:
        """Press Re-run on the last check."""
        await self.repo.rerequest(max(self.repo.repository.checks), by="stranger")

    def refused(self) -> int:
        """Texts that say why no model read a pull request, or why there is no answer."""
        return sum(any(word in body.replace("\\", "") for word in REFUSED) for body in self._bodies())

    def names_consumer(self) -> bool:
        """Whether a review names a line of the repository that takes the package."""
        return any(f"{TILL}:" in body for body in self._bodies())

    async def _write(self, turn: int, author: str) -> None:
        for number in self.pulls:
            for words in ("review", "full review", f"ask what is {turn}?"):
                comment = await self.repo.comment(number, f"/deeprepo {words}", author)
            await self.repo.edit_comment(number, comment, "/deeprepo full review")

    async def _until(self, true: Callable[[], bool]) -> None:
        """Look now and then, from a thread: the sandbox answers meanwhile."""
        async with asyncio.timeout(PATIENCE):
            while not await asyncio.to_thread(true):
                await asyncio.sleep(0.05)
                await self.gh.settle()

    def _is_idle(self) -> bool:
        """Whether no job is left, as the server says."""
        try:
            return not any(self.servers.serve.jobs().values())
        except OSError:
            return False

    def _bodies(self) -> list[str]:
        pulls = self.repo.repository.pulls.values()
        return [one.body for pull in pulls for one in (*pull.comments, *pull.review_comments)]


Step = Callable[[Play, int], Awaitable[None]]
PAYING, QUIET, PUSH, KILL = Play.paying, Play.quiet, Play.push, Play.kill


@dataclass(frozen=True, slots=True)
class Order:
    """Who opens how many pull requests, and what then happens again and again."""

    words: str
    steps: Sequence[Step]
    turns: int
    pulls: int = 1
    fork: bool = True
    author: str | None = None  # of each pull request, with its number behind
    bases: Sequence[str] = ("main",)
    short: bool = False  # whether it is played in the short form

    @property
    def is_team(self) -> bool:
        """Whether it is held to dollars, not to reviews of strangers. A killed call is sent again by the same review, and may be billed twice."""
        return KILL in self.steps or not (self.fork or self.author)


ORDERS = (
    Order("each push waits for the review before", (QUIET, PUSH), 4),
    Order("each push comes while the review before is paid", (PAYING, PUSH), 5, short=True),
    Order("closed, reopened, made a draft, renamed, without a push", (PAYING, Play.bounce), 2, short=True),
    Order("three pull requests of three strangers", (PAYING, PUSH), 1, pulls=3, author="stranger"),
    Order("a storm of a stranger's commands, written and edited", (Play.beg, PUSH), 3),
    Order("every delivery once more, and once more", (PUSH, QUIET, Play.redeliver), 2),
    Order("the base moved to old branches and back", (Play.retarget, PUSH), 3, short=True),
    Order("opened against old branches", (PAYING, PUSH), 1, pulls=6, author="stranger", bases=("v1", "v2")),
    Order("a stranger presses Re-run", (QUIET, Play.rerequest), 5),
    Order("branches of readers", (QUIET, Play.bounce), 1, pulls=4, fork=False, author="reader", bases=("main", "v1")),
    Order("six pull requests of the team at once, twice", (PAYING, PUSH), 1, pulls=6, fork=False, short=True),
    Order("commands and questions of the team, pushes in between", (Play.ask, PAYING, PUSH), 6, fork=False),
    Order("killed during a paid call, again and again", (PAYING, KILL, QUIET, PUSH), 3, fork=False, short=True),
    Order("killed during each of a stranger's reviews", (PAYING, KILL, QUIET, PUSH), 4),
)


def main() -> int:
    """Play them; the exit code says whether any was paid more than its cap."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="only five sequences, on SQLite")
    parser.add_argument("--store", choices=["sqlite", "postgres"], action="append")
    given = parser.parse_args()
    orders = [order for order in ORDERS if order.short or not given.short]
    stores = given.store or (["sqlite"] if given.short else ["sqlite", "postgres"])
    return report("wallet", [row for store in stores for row in asyncio.run(_played(store, orders))])


async def _played(store: str, orders: Sequence[Order]) -> list[Row]:
    rows, naming = [], 0
    reply = doubles.Reply(data={"answer": "One.", "findings": []}, delay=DELAY, usage=USED)
    models = doubles.Server(doubles.PerModel({MODEL.partition("/")[2]: reply}))
    with (
        tempfile.TemporaryDirectory(prefix="wallet-") as scratch,
        database(store) as url,
        doubles.in_thread(models) as model,
    ):
        async with (
            sandbox.github(Path(scratch) / "github", secret=SECRET) as gh,
            fleet(Path(scratch), gh, url, BASE_URL=model.openai_url, **VARIABLES) as servers,
        ):
            names = [f"shop-{number}" for number in range(len(orders))]
            till = {"till.py": USER, ".deeprepo.yml": f"shown_to: [{', '.join(f'acme/{name}' for name in names)}]\n"}
            till["requirements.txt"] = "".join(f"{name}>=1,<2\n" for name in names)
            await gh.repository(*TILL.split("/"), files=till, private=True)
            await gh.install()
            for order, name in zip(orders, names, strict=True):
                offers = {"pyproject.toml": f'[project]\nname = "{name}"\nversion = "1.4"\n'}
                owner = f"{name}-owner" if order.fork or order.author else "acme"
                settings = {".deeprepo.yml": f"{RULES.format(forks=FORKS)}consumers: [{TILL}]\n"}
                repo = await gh.repository(owner, name, files=BASE | offers | settings, private=True)
                play, before = Play(gh, repo, servers, model), model.count
                try:
                    await play.open(order)
                    for turn in range(order.turns):
                        for step in order.steps:
                            await step(play, turn)
                    await play.quiet(order.turns)
                except TimeoutError:
                    print(servers.told())
                    raise
                sent = model.count - before
                dollars = sent * (prices.dollars(MODEL, USED) or 0.0)
                naming += play.names_consumer()
                said = f"refused with a sentence: {play.refused()}; {sent} calls, ${dollars:.4f}"
                what = f"{store}: {order.words}"
                print(f"{what}: {said}", flush=True)
                held = Row(what, dollars, DOLLARS, "dollars", said)
                rows.append(held if order.is_team else Row(what, sent, FORKS, "reviews", said))
    return [*rows, Row(f"{store}: orders in which a review names a line of a consumer", naming, 1, least=True)]


def _changed(mark: str) -> dict[str, str]:
    return {"price/__init__.py": f"def total(items):\n    return sum(items)\n# {mark}\n"}


if __name__ == "__main__":
    raise SystemExit(main())
