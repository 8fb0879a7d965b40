"""A pull request on the sandbox GitHub, opened as the App, and reviews of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path

from pydantic import SecretStr

from bot import github
from bot.github import Host, Identity, RequestPace
from bot.values import (
    Basis,
    CommentSpot,
    Coverage,
    CoverageRow,
    Finding,
    PlacedFinding,
    PullRef,
    PullRequest,
    ReportSettings,
    Review,
    Source,
    Status,
    StrategyChoice,
    Verdict,
)
from deeprepo.rlm.values import Cost
from deeprepo_sandbox import github as sandbox
from tests.findings_changed import changed

BASE = "".join(f"line {n}\n" for n in range(1, 61))
HEAD = BASE.replace("line 5\n", "five\nand a half\n").replace("line 40\n", "forty\n")
COVERAGE = Coverage(readings=(CoverageRow("unit", "app.py", "app", "reviewed", "contracts"),))


@dataclass(frozen=True, slots=True)
class Scene:
    """One pull request, seen by its people (`repo`), by the App (`host`) and from above (`gh`)."""

    gh: sandbox.GitHub
    repo: sandbox.Repo
    number: int
    pull: PullRef
    identity: Identity
    pace: RequestPace
    host: Host

    @property
    def stands(self) -> sandbox.things.Pull:
        """The pull request as it is now."""
        return self.gh.pull(self.number)

    def writes(self) -> list[str]:
        """What was asked that changes something, token requests apart."""
        asked = [seen for seen in self.gh.requests if seen.method not in {"GET", "HEAD"} and ".git/" not in seen.path]
        quiet = ("access_tokens", "installation/token")
        rows = [seen for seen in asked if not seen.path.endswith(quiet) and "query(" not in str(seen.body)]
        return [f"{seen.method} {seen.operation or 'graphql'}" for seen in rows]


@asynccontextmanager
async def scene(
    folder: Path, *, fork: bool = False, private: bool = True, pace: RequestPace | None = None
) -> AsyncIterator[Scene]:
    """A private repository with one open pull request that changes app.py at two places."""
    async with sandbox.github(folder) as gh:
        repo = await gh.repository("acme", "shop", files={"app.py": BASE, "other.py": "x = 1\n"}, private=private)
        await repo.commit("feature", {"app.py": HEAD})
        number = await repo.open_pull("feature", title="A change", fork=fork)
        pull = PullRef(gh.installation, repo.id, "acme", "shop", number)
        identity, pace = identify(gh), pace or RequestPace(between=0, backoff=0)
        async with github.open_pull(identity, pull, pace) as host:
            yield Scene(gh, repo, number, pull, identity, pace, host)
        assert gh.violations == ()


def identify(gh: sandbox.GitHub) -> Identity:
    """The App of a sandbox."""
    return Identity(gh.app_id, SecretStr(gh.private_key), gh.api)


def finding(fingerprint: str, line: int = 0, **changes: object) -> PlacedFinding:
    """A finding on a line of app.py; on none of them it stands in the summary."""
    made = Finding(
        path="app.py",
        quote="five",
        title=f"Finding {fingerprint}",
        why="It breaks.",
        consequence="Nobody can pay.",
        severity="high",
        category="contract",
        basis=Basis((Source("analyser", "contracts"),), verdict=Verdict.CONFIRMED),
        start=line,
        end=line,
        fingerprint=fingerprint,
    )
    made = changed(made, **changes)
    return (
        PlacedFinding(made, "inline", CommentSpot("app.py", line, line, "RIGHT"))
        if line
        else PlacedFinding(made, "outside")
    )


def reviewed(head: str, *findings: PlacedFinding, **changes: object) -> Review:
    """A review of this head with these findings; a change that names a setting of its own changes that."""
    pull = PullRequest("A change", "", "a" * 40, head, "main", "feature", "/nowhere", base_tip="a" * 40)
    made = Review(pull, (), StrategyChoice("offline", "no model"), findings, COVERAGE, Cost(), 1.0, version="0.1.0")
    names = {one.name for one in fields(ReportSettings)} & changes.keys()
    settings = replace(made.settings, **{name: changes.pop(name) for name in names})  # type: ignore[arg-type]
    return replace(made, settings=settings, **changes)  # type: ignore[arg-type]


def now(one: PlacedFinding, status: Status, **changes: object) -> PlacedFinding:
    """A finding of an earlier round, as this one leaves it: said nowhere."""
    return PlacedFinding(changed(one.finding, status=status, **changes))  # type: ignore[arg-type]


async def wanted() -> bool:
    """Nothing newer has come."""
    return True
