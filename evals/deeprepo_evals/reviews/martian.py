"""Martian's offline benchmark: its golden comments as cases, and our reviews in the form that its own judge reads.

Golden comments say what is wrong and not where, so only a judge can tell whether one was found (withmartian/code-review-benchmark,
`offline/`).
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.checkout import git
from bot.errors import UsageError
from deeprepo_evals.reviews import build
from deeprepo_evals.reviews.cases import Case, Defect
from deeprepo_evals.reviews.outcome import MeasuredReview
from deeprepo_evals.reviews.strangers import Golden

KIND = "martian"
TOOL = "deeprepo"
_URL = re.compile(r"github\.com/([^/]+/[^/]+)/pull/(\d+)")


def golden(path: Path) -> tuple[Golden, ...]:
    """The golden comments of a file or of all files of a folder. Raises UsageError."""
    from deeprepo_evals.reviews import strangers

    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise UsageError(f"{path} holds no file of golden comments")
    try:
        return tuple(pull for file in files for pull in strangers.golden(file.read_bytes(), file))
    except OSError as error:
        raise UsageError(f"the golden comments {path} cannot be read: {error.strerror}") from error


async def cases(
    own_cases: Sequence[Case], pulls: Sequence[Golden], repos: Path
) -> tuple[tuple[Case, ...], tuple[str, ...]]:
    """The benchmark's pull requests as cases: by a case that names its address, else from a clone that holds its ref.

    Beside them a sentence for each one that cannot be rebuilt.
    """
    by_url = {case.url: case for case in own_cases if case.url}
    found, absent = [], []
    for pull in pulls:
        case = by_url.get(pull.url) or await _from_clone(pull, repos)
        if isinstance(case, str):
            absent.append(case)
        else:
            comments = tuple(Defect(c.comment, severity=c.severity.lower(), category=c.category) for c in pull.comments)
            found.append(replace(case, kind=KIND, defects=comments, url=pull.url, digest=f"{case.digest}golden"[:12]))
    return tuple(found), tuple(absent)


async def _from_clone(pull: Golden, repos: Path) -> Case | str:
    """The pull request as a clone has it that fetched `refs/pull/*/head`, from where it left the default branch."""
    at = _URL.search(pull.url)
    if at is None:
        return f"{pull.url!r} is not the address of a pull request"
    clone = build.clone_of(repos, at[1])
    if clone is None:
        return f"{pull.url}: no clone of {at[1]}"
    for ref in (f"refs/pull/{at[2]}/head", f"refs/remotes/origin/pr/{at[2]}"):
        done = await git.run("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", cwd=str(clone))
        if done.status == 0:
            head = done.out.decode().strip()
            base = (await git.run("merge-base", "HEAD", head, cwd=str(clone))).out.decode().strip()
            if base and base != head:
                name = at[1].partition("/")[2]
                return Case(f"{KIND}-{name}-{at[2]}", KIND, at[1], base, head, title=pull.pr_title, digest=head[:12])
            return f"{pull.url}: it was merged, so where it began is not known; write a case with base_sha and head_sha"
    return f"{pull.url}: its commits are not there (`git fetch origin 'refs/pull/*/head:refs/pull/*/head'`)"


def candidates(reviewed_rows: Iterable[MeasuredReview]) -> dict[str, Any]:
    """What was shown in full, as its candidates.json: address -> tool -> issues. One tool for each reviewer."""
    told: dict[str, dict[str, list[Any]]] = defaultdict(dict)
    for row in reviewed_rows:
        if row.case.url:
            aloud = [said for said in row.outcome.findings if said.aloud]
            rows = [{"text": said.text, "path": said.path, "line": said.start, "source": "line"} for said in aloud]
            told[row.case.url][_tool(row)] = rows
    return dict(told)


def benchmark_data(rows: Iterable[MeasuredReview]) -> dict[str, Any]:
    """The same as its benchmark_data.json, with the golden comments beside."""
    told: dict[str, Any] = {}
    for row in rows:
        if not row.case.url:
            continue
        comments = [{"comment": defect.description, "severity": defect.severity.title()} for defect in row.case.defects]
        entry = told.setdefault(
            row.case.url,
            {"pr_title": row.case.title, "original_url": row.case.url, "source_repo": row.case.clone, "golden_comments": comments, "reviews": []},
        )  # fmt: skip
        entry["reviews"].append({"tool": _tool(row), "pr_url": row.case.url, "review_comments": list(_comments(row))})
    return told


def write(rows: Sequence[MeasuredReview], folder: Path) -> None:
    """Both files, where the benchmark's third step looks for them."""
    first = [row for row in rows if row.round == 1]
    files: Mapping[str, Any] = {"benchmark_data.json": benchmark_data(first), "candidates.json": candidates(first)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", "utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from error


def _tool(row: MeasuredReview) -> str:
    return f"{TOOL}-{row.reviewer.replace(' ', '-')}"


def _comments(row: MeasuredReview) -> Iterable[dict[str, Any]]:
    for said in row.outcome.findings:
        if said.aloud:
            yield {"path": said.path, "line": said.start, "body": said.text, "created_at": f"{row.case.date}T00:00:00Z"}
