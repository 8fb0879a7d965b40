# ruff: noqa: INP001 - a script of an image, part of no package
"""The entry point of deeprepo's image for ReviewBench: read RB_*, review the pull request that is mounted, write its findings.

The contract is AGENT_CONTRACT.md of review-bench/ReviewBench. Only the standard library is used; the review is `deeprepo review`.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

REPO = "/work/repo"
SECONDS = 780  # of the 15 minutes that there are for a pull request; what is found by then counts
OPTIONS = (
    "effort",
    "root",
    "worker",
    "thinking",
    "quota",
    "max-usd",
)  # RB_CONFIG_EFFORT and so on, by their names in `deeprepo review`
FULL = "full"  # RB_CONFIG_SHOWN: what a review shows in full alone; else what it folds too
INTERRUPTED = 130
WHO = {f"GIT_{role}_{key}": "reviewbench" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}


def main(environment: Mapping[str, str]) -> int:
    """Review and write; the exit code is that of the review, and without a review no file is written."""
    options = {name: value for name in OPTIONS if (value := _setting(environment, name))}
    shown = _setting(environment, "shown") or "all"
    _say(" ".join(f"{name}={value}" for name, value in {**options, "shown": shown}.items()))
    with tempfile.TemporaryDirectory() as scratch:
        base, head = _repository(environment, Path(scratch, "repo"))
        out = Path(scratch, "review.json")
        flags = [word for name, value in options.items() for word in (f"--{name}", value)]
        command = ["deeprepo", "review", f"{base}..{head}", "--repo", f"{scratch}/repo", *flags]
        code = _run([*command, "--format", "json", "--output", str(out), "--quiet"], environment)
        if code not in (0, INTERRUPTED) or (code and not out.exists()):
            return code
        review = json.loads(out.read_bytes()) if out.exists() else {"findings": []}
    found = list(_findings(review["findings"], environment["RB_AGENT"], full=shown == FULL))
    pull = json.loads(Path(environment["RB_PR_JSON"]).read_bytes())
    told = {
        "pr": {name: pull[name] for name in ("repo", "pr_number", "base", "head")},
        "agent": environment["RB_AGENT"],
        "findings": found,
    }
    Path(environment["RB_OUT"]).write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
    _say(f"{len(found)} findings")
    return 0


def _say(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def _setting(environment: Mapping[str, str], name: str) -> str:
    return environment.get(f"RB_CONFIG_{name.upper().replace('-', '_')}", "")


def _repository(environment: Mapping[str, str], folder: Path) -> tuple[str, str]:
    """Merge base and head in a repository of our own, in which the head's message is what the author says.

    It borrows the contents of the mounted one, whose owner may be another one and whose settings then play no part.
    """
    mounted = environment.get("RB_REPO") or REPO
    objects, shallow = (
        Path(_git("rev-parse", "--path-format=absolute", "--git-path", name, at=mounted))
        for name in ("objects", "shallow")
    )
    folder.mkdir()
    _git("init", "--quiet", "--template=", "--initial-branch=main", ".", at=folder)
    info = folder / ".git" / "objects" / "info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "alternates").write_text(f"{objects}\n", encoding="utf-8")
    if shallow.is_file():
        (folder / ".git" / "shallow").write_bytes(shallow.read_bytes())
    pull = json.loads(Path(environment["RB_PR_JSON"]).read_bytes())
    said = f"{' '.join((pull.get('title') or '').split()) or 'A pull request'}\n\n{pull.get('body') or ''}"
    base = _git("merge-base", environment["RB_BASE"], environment["RB_HEAD"], at=folder)
    tree = f"{environment['RB_HEAD']}^{{tree}}"
    head = _git("commit-tree", tree, "-p", base, "-F", "-", at=folder, stdin=said)
    _git("update-ref", "refs/heads/main", head, at=folder)
    return base, head


def _git(*arguments: str, at: str | Path, stdin: str = "") -> str:
    """What a git command prints. Raises CalledProcessError, with its own words on standard error."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=at,
        input=stdin,
        env={**os.environ, **WHO},
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.strip()


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """The exit code of the review; one that takes too long is asked to end, and still writes what it has."""
    url = environment.get("RB_MODEL_BASE_URL")
    more = {"DEEPREPO_BASE_URL": url} if url else {}
    with subprocess.Popen(command, env={**environment, **more}) as review:
        try:
            return review.wait(float(_setting(environment, "seconds") or SECONDS))
        except subprocess.TimeoutExpired:
            review.send_signal(signal.SIGINT)
            return review.wait()


def _findings(rows: Sequence[Mapping[str, Any]], agent: str, *, full: bool) -> Iterator[dict[str, Any]]:
    """What the review says, in the benchmark's form."""
    for row in rows:
        if row["place"] and not (full and row["place"] == "folded"):
            start = max(1, row["start"])
            yield {
                "file": row["path"],
                "start_line": start,
                "end_line": max(start, row["end"]),
                "message": "\n\n".join(filter(None, (row["title"], row["why"], row["consequence"]))),
                "producer": agent,
            }


if __name__ == "__main__":
    sys.exit(main(os.environ))
