"""Open a pull request on the sandbox GitHub as the App, and build reviews of it."""

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
    """One pull request, as seen by its contributors (`repo`), the App (`host`) and the sandbox (`gh`)."""

    gh: sandbox.GitHub
    repo: sandbox.Repo
    number: int
    pull: PullRef
    identity: Identity
    pace: RequestPace
    host: Host

    @property
    def stands(self) -> sandbox.things.Pull:
        """The pull request's current state."""
        return self.gh.pull(self.number)

    def writes(self) -> list[str]:
        """Return the requests that change something, without those for access tokens."""
        asked = [seen for seen in self.gh.requests if seen.method not in {"GET", "HEAD"} and ".git/" not in seen.path]
        quiet = ("access_tokens", "installation/token")
        rows = [seen for seen in asked if not seen.path.endswith(quiet) and "query(" not in str(seen.body)]
        return [f"{seen.method} {seen.operation or 'graphql'}" for seen in rows]


@asynccontextmanager
async def scene(folder: Path, *, pace: RequestPace | None = None) -> AsyncIterator[Scene]:
    """Open a pull request that changes app.py in two places of a private repository."""
    async with sandbox.github(folder) as gh:
        repo = await gh.repository("acme", "shop", files={"app.py": BASE, "other.py": "x = 1\n"}, private=True)
        await repo.commit("feature", {"app.py": HEAD})
        number = await repo.open_pull("feature", title="A change")
        pull = PullRef(gh.installation, repo.id, "acme", "shop", number)
        identity, pace = identify(gh), pace or RequestPace(between=0, backoff=0)
        async with github.open_pull(identity, pull, pace) as host:
            yield Scene(gh, repo, number, pull, identity, pace, host)
        assert gh.violations == ()


def identify(gh: sandbox.GitHub) -> Identity:
    """Return the App's credentials in a sandbox."""
    return Identity(gh.app_id, SecretStr(gh.private_key), gh.api)


def finding(fingerprint: str, line: int = 0, **changes: object) -> PlacedFinding:
    """Build a finding on a line of app.py. Without a line, it is outside the diff."""
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
    """Build a review of this head. Keyword arguments change report settings or fields of the review."""
    pull = PullRequest("A change", "", "a" * 40, head, "main", "feature", "/nowhere", base_tip="a" * 40)
    made = Review(pull, (), StrategyChoice("offline", "no model"), findings, COVERAGE, Cost(), 1.0, version="0.1.0")
    names = {one.name for one in fields(ReportSettings)} & changes.keys()
    settings = replace(made.settings, **{name: changes.pop(name) for name in names})  # type: ignore[arg-type]
    return replace(made, settings=settings, **changes)  # type: ignore[arg-type]


def now(one: PlacedFinding, status: Status, **changes: object) -> PlacedFinding:
    """Return an earlier finding with its status in this review; it is not reported again."""
    return PlacedFinding(changed(one.finding, status=status, **changes))  # type: ignore[arg-type]


async def wanted() -> bool:
    """Return True: the review is still wanted, as no newer request has replaced it."""
    return True
