"""What a conversation costs: six remarks in the thread of a finding, answered through the real client by a provider on loopback.

    python -m benchmarks.conversation

The repository is a copy of this one's `bot/llm` and `bot/review`, changed in one line; the finding is about that line. The provider
counts the tokens of each request, its form included (a token for four characters; for Claude 1.3 times as many), and what of it
it has seen before, as its cache would. Prices are those of the default workers.
"""

import asyncio
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from benchmarks.table import Row, report
from bot import pipeline, wiring
from bot.commands import conversation
from bot.commands.conversation import HeardRemark, Speech
from bot.models.prices import dollars
from bot.outputs import json_file
from bot.review.session import Session
from bot.values import Evidence, Finding, PlacedFinding, ReviewRequest, Source, Usage, Verdict
from bot.wiring.review import PREFERRED
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply
from deeprepo_sandbox.providers.modes import CHARS_PER_TOKEN, size

HOME = Path(__file__).parents[1]
CHANGED = "bot/llm/budget.py"
BEFORE, AFTER = "return None if plain is None else max(plain, written_price or 0.0)", "return plain"
MOST = 0.02  # dollars of six answers
DENSER = 1.3  # tokens that Claude makes of the same text
LEAST = {"anthropic": 4_096, "openai": 1_024}  # tokens below which nothing is cached
FINDING = Finding(
    path=CHANGED,
    quote=f"    {AFTER}",
    title="dearest() no longer counts what a provider charges for writing into its cache",
    why="`written_price` is computed and then ignored. A call that writes its prompt into the provider's cache is billed at the higher price, "
    "and `reserve` sets aside the plain one, so calls in flight can cost more together than is left of the cap.",
    consequence="The hard cap in dollars is passed by up to a quarter of the input of every call in flight.",
    severity="high",
    category="logic",
    sources=(Source("model", "m", "worker"),),
    verdict=Verdict.CONFIRMED,
    trigger="Eight workers with prompts that are written into the cache, and a budget that just covers their plain price.",
    evidence=(Evidence(CHANGED, "                usd = dearest(price, usage_asked)"),),
    fingerprint="0123456789abcdef",
    number=1,
)
REMARKS = (
    "Why would that pass the cap? The price of the plain tokens is what the list has, and the settlement uses the real usage anyway.",
    (
        "But a hold is replaced by what the reply reports. Who reads the hold in between? As far as I see only `_fit` does, and that happens "
        "before the call is sent."
    ),
    "OK. Would it be enough to take the written price only for providers that charge for it? OpenAI does not.",
    "Then how large is the error for our default worker, with prompts of about 5,000 tokens and eight calls at the same time?",
    "Is there a test that would have caught this? I looked in tests/llm and found none that has a price for written tokens.",
    "Fine, I will restore the maximum. Does anything else call `dearest` with a usage that has `cache_write` set already?",
)
ANSWER = (
    "The hold is what the cap is checked against while calls are in flight: `reserve` adds it up before anything is sent, and the reply "
    "corrects it only afterwards. With eight calls in flight the eight holds are the only figure there is, and each of them is too "
    "small by the difference between the price of written and of plain input. `_fit` lets the ninth call pass, although the eight that "
    "run will be billed above the cap."
)
SAID = {"answer": ANSWER, "quotes": [{"path": CHANGED, "quote": FINDING.evidence[0].quote}], "withdraw": []}


@dataclass
class Counter:
    """A provider's count of what it is sent, and of how much of it was the beginning of an earlier request."""

    provider: str
    cached: bool
    seen: list[str] = field(default_factory=list)
    usages: list[Usage] = field(default_factory=list)

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Answer, with the tokens."""
        form = json.dumps([body.get(name) for name in ("tools", "response_format", "output_config")])
        per = CHARS_PER_TOKEN / (DENSER if self.provider == "anthropic" else 1.0)
        whole = int((size(body) * CHARS_PER_TOKEN + len(form)) / per)
        text = form + json.dumps([body.get("system"), body.get("messages")])
        known = max((_alike(text, other) for other in self.seen), default=0)
        read = int(known / per) if self.cached and known / per >= LEAST[self.provider] else 0
        self.seen.append(text)
        usage = Usage(whole, int(len(json.dumps(SAID)) / per), min(read, whole))
        self.usages.append(usage)
        return Reply(data={**SAID, "look_ups": []}, usage=usage)


def main() -> int:
    """Talk with both default workers; the exit code says whether the promise holds."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="conversation-") as scratch:
        folder = Path(scratch, "repository")
        _repository(folder)
        last = asyncio.run(_last(folder))
        for provider, _, worker in PREFERRED:
            for cached in (False, True):
                counter = Counter(provider, cached)
                asyncio.run(_talk(folder, last, provider, worker or "", counter))
                usd = sum(dollars(worker or "", usage) or 0.0 for usage in counter.usages)
                tokens = [usage.input for usage in counter.usages]
                what = f"{worker}: six answers{', with its cache' if cached else ', nothing cached'}"
                beside = f"{len(tokens)} calls; prompts of {min(tokens):,} to {max(tokens):,} tokens"
                rows += [Row(what, round(usd, 4), MOST, "$", beside), Row("  calls", len(tokens), len(REMARKS))]
    return report("conversation", rows)


async def _talk(folder: Path, last: bytes, provider: str, worker: str, counter: Counter) -> None:
    """The six remarks, each with the thread before it."""
    dialect: Literal["openai", "anthropic"] = "anthropic" if provider == "anthropic" else "openai"
    said: list[Speech] = []
    async with doubles.serving(dialect, counter) as server:
        os.environ["DEEPREPO_BASE_URL"] = server.base_url
        os.environ[f"{provider.upper()}_API_KEY"] = "sk-pretended"
        for text in REMARKS:
            said.append(Speech("maintainer", "person", text))
            heard = HeardRemark(tuple(said), findings=(FINDING.fingerprint,))

            @asynccontextmanager
            async def opened() -> AsyncIterator[Session]:
                with tempfile.TemporaryDirectory() as scratch:
                    deps = wiring.deps(
                        {"worker": worker, "root": worker, "strategy": "fanout"}, scratch, lambda _: None
                    )
                    async with (
                        pipeline.survey(ReviewRequest(str(folder)), deps) as (subject, resolved),
                        deps.open_session(subject, resolved) as session,
                    ):
                        yield session

            reply = await conversation.respond(heard, last, "en", opened, time.monotonic)
            if ANSWER[:30] not in reply.body:
                raise SystemExit(f"no answer: {reply.body}")
            said.append(Speech("deeprepo[bot]", "us", ANSWER))


async def _last(folder: Path) -> bytes:
    """The review as it is stored, with the finding."""
    with tempfile.TemporaryDirectory() as scratch:
        deps = wiring.deps({"strategy": "offline"}, scratch, lambda _: None)
        done = await pipeline.review(ReviewRequest(str(folder)), deps)
    return json_file.render(replace(done, findings=(PlacedFinding(FINDING, "inline"),))).encode()


def _repository(folder: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    for part in ("bot/llm", "bot/review"):
        shutil.copytree(HOME / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "before")
    git("checkout", "-qb", "feature")
    path = folder / CHANGED
    path.write_text(path.read_text("utf-8").replace(BEFORE, AFTER), "utf-8")
    git("commit", "-qam", "Simpler price of a call")


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    with suppress(StopIteration):
        return next(at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return min(len(one), len(other))


if __name__ == "__main__":
    raise SystemExit(main())
