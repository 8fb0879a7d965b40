"""Published sets as values: Martian's offline benchmark and AACR-Bench, read from the HEAD of a clone, bare or not, and ReviewBench."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.checkout import git
from bot.errors import GitError, UsageError
from deeprepo_evals.published.tally import Tally

MARTIAN, AACR, REVIEWBENCH = "martian", "aacr", "reviewbench"
GOLDEN = "offline/golden_comments"
RESULTS = "offline/results"
FORKS = "ai-code-review-evaluation/{}-greptile"  # where Martian's pull requests can be had in one clone
_URL = re.compile(r"https://github\.com/([^/]+)/([^/]+)/pull/(\d+)")


@dataclass(frozen=True, slots=True)
class Comment:
    """A known comment. `level`: how far a reviewer has to look for it, and `is_remark`: whether it is about readability alone, where the set says so."""

    text: str
    level: str = ""
    is_remark: bool = False
    path: str = ""
    start: int | None = None
    end: int | None = None
    side: str = ""
    severity: str = ""
    scope: str = ""  # whether the change brings it: introduced, exacerbated, pre-existing, unrelated
    at: int = 0  # its place in the set's own list of what is known of this pull request


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request of a set."""

    url: str
    title: str = ""
    body: str = ""
    base: str = ""  # the commits, where the set names them
    head: str = ""
    known: tuple[Comment, ...] = ()
    rejected: tuple[Comment, ...] = ()  # comments that people have read and refused

    @property
    def parts(self) -> tuple[str, str, str]:
        """Owner, name and number. Raises UsageError for another address."""
        found = _URL.match(self.url)
        if found is None:
            raise UsageError(f"{self.url!r} is not the address of a pull request on GitHub")
        return found[1], found[2], found[3]

    @property
    def id(self) -> str:
        """The name by which results refer to it."""
        return "-".join(self.parts)

    @property
    def clones(self) -> tuple[str, ...]:
        """The repositories that may hold it."""
        owner, name, _ = self.parts
        return f"{owner}/{name}", FORKS.format(name)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A set; with the words of its own judge where these are read from it. `peers`: the published tallies of other tools, tool -> address -> tally."""

    name: str
    pulls: tuple[Pull, ...]
    system: str = ""
    question: str = ""  # a template of `str.format`
    peers: Mapping[str, Mapping[str, Tally]] = field(default_factory=dict)
    peers_judge: str = ""

    def ask(self, known: str, candidate: str) -> str:
        """The judge's prompt about two comments, word for word that of the benchmark."""
        return self.question.format(golden_comment=known, comment2=known, candidate=candidate, comment1=candidate)


async def martian(clone: Path, judge: str) -> Benchmark:
    """Martian's set. `judge`: the folder of results whose figures of other tools are shown. Raises UsageError."""
    pulls = []
    for path in await _list(clone, GOLDEN):
        for row in json.loads(await _text(clone, path)):
            known = tuple(Comment(one["comment"]) for one in row["comments"])
            pulls.append(Pull(row["url"], row["pr_title"], known=known))
    code = await _text(clone, "offline/code_review_benchmark/step3_judge_comments.py")
    folders = [path.rpartition("/")[2] for path in await _list(clone, RESULTS)]
    if judge not in folders:
        raise UsageError(f"no results of the judge {judge!r}: there are {', '.join(sorted(folders))}")
    given = json.loads(await _text(clone, f"{RESULTS}/{judge}/evaluations.json"))
    peers: dict[str, dict[str, Tally]] = {}
    for url, tools in given.items():
        for tool, row in tools.items():
            if not row.get("skipped"):
                found = Tally(row["total_candidates"], row["tp"], row["fp"], row["tp"], row["tp"] + row["fn"])
                peers.setdefault(tool, {})[url] = found
    system = _constant(code, r'"role": "system",\s*"content": "(.*?)"')
    return Benchmark(MARTIAN, tuple(pulls), system, _constant(code, r'JUDGE_PROMPT = """(.*?)"""'), peers, judge)


async def aacr(clone: Path, _: str = "") -> Benchmark:
    """AACR-Bench. Its `source_commit` is the base, and its `target_commit` the head that the comments are about."""
    accepted, refused = [
        {row["githubPrUrl"]: row for row in json.loads(await _text(clone, f"dataset/{name}_samples.json"))}
        for name in ("positive", "negative")
    ]
    pulls = tuple(
        Pull(
            url,
            base=row["source_commit"],
            head=row["target_commit"],
            known=_comments(row),
            rejected=_comments(refused.get(url, {})),
        )
        for url, row in accepted.items()
    )
    code = await _text(clone, "evaluator_runner/core/match_base.py")
    return Benchmark(AACR, pulls, "", _constant(code, r'SEMANTIC_COMPARISON_PROMPT_TEMPLATE = """(.*?)"""'))


async def reviewbench(folder: Path, _: str = "") -> Benchmark:
    """ReviewBench. Its judge is described in words, so this one asks in words of its own."""
    from deeprepo_evals.published import (
        labels,
    )  # pydantic takes longer to import than the command line may take to answer

    return Benchmark(REVIEWBENCH, await asyncio.to_thread(labels.read, folder))


SETS: Mapping[str, Callable[[Path, str], Awaitable[Benchmark]]] = {
    MARTIAN: martian,
    AACR: aacr,
    REVIEWBENCH: reviewbench,
}


def _comments(row: Mapping[str, Any]) -> tuple[Comment, ...]:
    return tuple(
        Comment(
            one["note"],
            one["context"].partition(" ")[0].lower(),
            one["category"].startswith("Maintainability"),
            one["path"].replace("\\", "/"),
            one["from_line"] or None,
            one["to_line"] or None,
            one["side"] or "",
        )
        for one in row.get("comments", ())
        if one.get("note")
    )


def _constant(code: str, pattern: str) -> str:
    found = re.search(pattern, code, re.DOTALL)
    if found is None:
        raise UsageError(f"the judge's prompt is not where this version looks for it ({pattern})")
    return found[1]


async def _text(clone: Path, path: str) -> str:
    try:
        return (await git.output("cat-file", "blob", f"HEAD:{path}", cwd=str(clone))).decode("utf-8")
    except (GitError, OSError) as error:
        raise UsageError(f"{clone} is not a clone of the benchmark: {path}: {error}") from error


async def _list(clone: Path, folder: str) -> list[str]:
    try:
        told = await git.output("ls-tree", "--name-only", "HEAD", f"{folder}/", cwd=str(clone))
    except (GitError, OSError) as error:
        raise UsageError(f"{clone} is not a clone of the benchmark: {folder}: {error}") from error
    return told.decode("utf-8").split("\n")[:-1]
