"""The sandbox GitHub of the bench that kills servers: its pull requests, and what became of each."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.outputs import marker
from deeprepo_sandbox import github as sandbox

SECRET = "the webhook's secret of the bench"  # noqa: S105 - of servers that live for minutes
MODULES, LINES = 4, 250  # of a pull request, each large enough for a prompt of its own
CONSUMER = "acme/till"  # a repository that takes the package, and calls each function that a pull request changes


@asynccontextmanager
async def town(folder: Path) -> AsyncIterator[tuple[sandbox.GitHub, sandbox.Repo]]:
    """GitHub with one repository: a module for each pull request, and who calls it, in the repository and in another one."""
    async with sandbox.github(folder / "github", secret=SECRET) as gh:
        files = {f"package/m{n}_{k}.py": _module(n, k, "+") for n in range(1, 41) for k in range(MODULES)}
        use = "from package.m{n}_0 import step\n\n\ndef use():\n    return step({n}, 2)\n"
        files |= {f"package/use{n}.py": use.format(n=n) for n in range(1, 41)}
        files["pyproject.toml"] = '[project]\nname = "package"\nversion = "1.4.0"\n'
        repo = await gh.repository("acme", "shop", files=files, private=True)
        user = {f"use{n}.py": use.format(n=n) for n in range(1, 41)}
        user |= {"requirements.txt": "package>=1.2,<2\n", ".deeprepo.yml": "as_consumer: lines\n"}
        await gh.repository(*CONSUMER.split("/"), files=user, private=True)
        yield gh, repo


async def opening(repo: sandbox.Repo, number: int) -> None:
    """A pull request that changes its own module and forgets a caller."""
    texts = {f"package/m{number}_{k}.py": _module(number, k, "-") for k in range(MODULES)}
    first = f"package/m{number}_0.py"
    texts[first] = texts[first].replace("def step(value, times)", "def step(value)")
    await repo.commit(f"feature-{number}", texts)
    await repo.open_pull(f"feature-{number}", title=f"Change {number}", body="")


def _module(number: int, k: int, sign: str) -> str:
    body = "\n".join(f"    total = total {sign} value * {line + 1000 * number + k}" for line in range(LINES))
    return f"def step(value, times):\n    total = 0\n{body}\n    return total\n"


def said(gh: sandbox.GitHub, number: int) -> Counter[str]:
    """How often each thing was posted: the summary, each finding, and the answer to each remark."""
    try:
        stands = gh.pull(number)
    except StopIteration:
        return Counter()
    ours = [
        marker.read(one.body) or {} for one in (*stands.comments, *stands.review_comments) if one.user.type == "Bot"
    ]
    return Counter(f"{said.get('kind')} {said.get('fingerprint', '')}{said.get('comment', '')}" for said in ours)


async def remarking(gh: sandbox.GitHub, repo: sandbox.Repo, number: int) -> None:
    """Somebody speaks to us below the pull request."""
    await repo.comment(number, f"Why is that so, @{gh.login.removesuffix('[bot]')}?")


def unanswered(gh: sandbox.GitHub, number: int) -> int:
    """Remarks to us that have no answer."""
    asked = [str(one.id) for one in gh.pull(number).comments if one.user.type == "User"]
    told = said(gh, number)
    return sum(not told[f"reply {comment}"] for comment in asked)


def names_consumer(gh: sandbox.GitHub, number: int) -> bool:
    """Whether its review names a line of the consumer."""
    stands = gh.pull(number)
    return any(f"{CONSUMER}:" in one.body for one in (*stands.comments, *stands.review_comments))


def done(gh: sandbox.GitHub, number: int) -> bool:
    """Whether it has its summary, its finding, and a check run that is ended."""
    if not said(gh, number)["summary "]:
        return False
    return {check.status for check in gh.pull(number).checks} == {"completed"}
