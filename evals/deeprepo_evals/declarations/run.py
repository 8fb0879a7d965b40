"""Ask the check of names in data files about ordinary commits, and about trees that lost one declaration which a file still uses."""

import asyncio
import hashlib
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot import checkout, diff
from bot.analyzers import ANALYZERS
from bot.checkout import git
from bot.dependents.declarations import format_of
from bot.errors import DeepRepoError
from bot.text.paths import is_output, vendored_folder
from bot.values import Dependents, ReviewRequest
from deeprepo_evals.clones import blobs, clones
from deeprepo_evals.declarations.truth import SYNTAXES, Loss

MOST_FILES = 60  # of an ordinary commit
TEXTS = 1_500  # files of one tree that are looked at


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured."""

    repos: Path
    out: Path
    each: int = 8  # losses of a repository and format
    ordinary: int = 12
    half: str = ""
    formats: tuple[str, ...] = ()
    seed: int = 1
    commits: int = 600  # newest ones that touch a format, of which some are drawn


def half_of(form: str, repository: str) -> str:
    """Which half a repository is in: told by its name alone, so that it never changes."""
    return "build" if hashlib.sha256(f"declarations {form} {repository}".encode()).digest()[0] % 2 else "test"


async def measure(plan: Plan, say: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """A row for each commit and each loss that was asked about. What is already written is kept."""
    results: list[dict[str, Any]] = []
    for repository, clone in clones(plan.repos).items():
        for form in SYNTAXES:
            if (plan.formats and form not in plan.formats) or (plan.half and half_of(form, repository) != plan.half):
                continue
            file = plan.out / f"{form}--{repository}.{plan.seed}.json".replace("/", "+")
            if not file.exists():
                say(f"{form} of {repository}")
                rows = [{"format": form, "repository": repository} | row for row in await _of_clone(plan, form, clone)]
                file.write_text(json.dumps(rows, indent=1))
            results += json.loads(file.read_text())
    return results


async def _of_clone(plan: Plan, form: str, clone: Path) -> list[dict[str, Any]]:
    draw = random.Random(f"{plan.seed} {form} {clone}")  # noqa: S311 - a draw, no secret
    log = await git.run(
        "log", "--no-merges", "--format=%H", "--diff-filter=MDR", f"--max-count={plan.commits}", "HEAD", "--", *SYNTAXES[form].specs, cwd=str(clone)
    )  # fmt: skip
    drawn = log.out.decode().split()
    if log.status or not drawn:
        return []
    draw.shuffle(drawn)
    rows: list[dict[str, Any]] = []
    for commit in drawn:
        if sum(row["kind"] == "ordinary" for row in rows) == plan.ordinary:
            break
        names = (
            (await git.run("diff", "--name-only", "-z", f"{commit}~1", commit, cwd=str(clone)))
            .out.decode("utf-8", "replace")
            .split("\0")
        )
        if any(names) and len(names) <= MOST_FILES and any(format_of(name) == form for name in names):
            rows.append({"kind": "ordinary", "commit": commit} | await _asked(clone, f"{commit}~1", commit))
    for commit in drawn[: plan.each * 2]:
        if sum(row["kind"] == "loss" for row in rows) == plan.each:
            break
        if loss := await _drawn(form, clone, commit, draw):
            rows.append(await _of_loss(clone, commit, loss))
    return rows


async def _drawn(form: str, clone: Path, commit: str, draw: random.Random) -> tuple[Loss, str] | None:
    """One declaration of a tree that a file uses, with the text that its file has without it."""
    syntax = SYNTAXES[form]
    listed = (
        (await git.run("ls-tree", "-r", "--name-only", "-z", commit, cwd=str(clone)))
        .out.decode("utf-8", "replace")
        .split("\0")
    )
    paths = [one for one in listed if one and format_of(one) and not (is_output(one) or vendored_folder(one))][:TEXTS]
    mine = [one for one in paths if syntax.is_file.search(one)]
    draw.shuffle(mine)
    near = [one for one in paths if one.startswith(".github/") or syntax.is_file.search(one) or form == "charts"]
    texts = await _texts(clone, commit, near)
    for path in mine:
        losses = list(syntax.losses(path, texts.get(path, ""), texts))
        if losses:
            loss = draw.choice(losses)
            rows = texts[path].split("\n")
            text = "\n".join(rows[: loss.lines.start] + rows[loss.lines.stop :])
            if form == "packages":
                text = text.replace('",\n  }', '"\n  }')
            return loss, text
    return None


async def _texts(clone: Path, commit: str, paths: Sequence[str]) -> dict[str, str]:
    sources = await blobs(clone, [f"{commit}:{path}" for path in paths])
    return {path: sources.get(f"{commit}:{path}", b"").decode("utf-8", "replace") for path in paths}


async def _of_loss(clone: Path, commit: str, draft: tuple[Loss, str]) -> dict[str, Any]:
    loss, text = draft
    with tempfile.TemporaryDirectory(prefix="deeprepo-declarations-") as scratch:
        folder = Path(scratch)
        await git.output("init", "-q", "--bare", ".", cwd=scratch)
        objects = (await git.output("rev-parse", "--git-path", "objects", cwd=str(clone))).decode().strip()
        (folder / "objects/info/alternates").write_text(f"{(clone / objects).resolve()}\n")
        env = {"GIT_INDEX_FILE": str(folder / "index")}
        (folder / "text").write_text(text)
        await git.output("read-tree", commit, cwd=scratch, env=env)
        blob = (await git.output("hash-object", "-w", str(folder / "text"), cwd=scratch)).decode().strip()
        await git.output("update-index", "--cacheinfo", f"100644,{blob},{loss.path}", cwd=scratch, env=env)
        tree = (await git.output("write-tree", cwd=scratch, env=env)).decode().strip()
        named = {f"GIT_{who}_{what}": "a@b.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        head = (
            (await git.output("commit-tree", tree, "-p", commit, "-m", "lost", cwd=scratch, env=named)).decode().strip()
        )
        outcome = await _asked(folder, commit, head)
    named_rows = [row for row in outcome["findings"] if loss.name.lower() in row["title"].lower()]
    return {
        "kind": "loss", "commit": commit, "path": loss.path, "name": loss.name, "users": list(loss.users)[:5],
        "reported": any(any(use.startswith(f"{user}:") for user in loss.users for use in row["uses"]) for row in named_rows),
        "proven": any(row["proven"] for row in named_rows),
    } | outcome  # fmt: skip


async def _asked(clone: Path, base: str, head: str) -> dict[str, Any]:
    try:
        with tempfile.TemporaryDirectory(prefix="deeprepo-declarations-") as scratch:
            pull = await checkout.pull(ReviewRequest(str(clone), "range", base, head), scratch)
            async with asyncio.timeout(120), checkout.Checkout(pull) as tree:
                files = diff.read(await tree.change())
                check = ANALYZERS["declarations"]({})
                judged = await check.check(tree, [file for file in files if check.wants(file)], Dependents())
    except (DeepRepoError, TimeoutError) as error:
        return {"findings": [], "failure": f"{type(error).__name__}: {error}", "open": []}
    rows = [
        {
            "title": one.title, "path": one.path, "line": one.start, "proven": one.proven, "severity": one.severity,
            "uses": [f"{item.path}:{item.line}: {item.quote.strip()[:160]}" for item in one.evidence],
        }
        for one in judged.findings
    ]  # fmt: skip
    return {"findings": rows, "failure": "", "open": [f"{path}: {reason}" for path, reason in judged.open][:3]}


COLUMNS = ("repositories", "ordinary", "with findings", "findings", "open", "losses", "reported", "proven")


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each format and half."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["format"], half_of(row["format"], row["repository"])), []).append(row)
    lines = ["| format | half | " + " | ".join(COLUMNS) + " |", "|" + "---|" * (len(COLUMNS) + 2)]
    for key in sorted(groups):
        mine = groups[key]
        plain, losses = ([row for row in mine if row["kind"] == kind] for kind in ("ordinary", "loss"))
        counts = Counter(
            {
                "repositories": len({row["repository"] for row in mine}),
                "ordinary": len(plain),
                "with findings": sum(bool(row["findings"]) for row in plain),
                "findings": sum(len(row["findings"]) for row in plain),
                "open": sum(bool(row["open"] or row["failure"]) for row in plain),
                "losses": len(losses),
                "reported": sum(row["reported"] for row in losses),
                "proven": sum(row["proven"] for row in losses),
            }
        )
        lines.append(f"| {key[0]} | {key[1]} | " + " | ".join(str(counts[name]) for name in COLUMNS) + " |")
    return "\n".join(lines)
