"""Reviews by ours and by peers, side by side: the same clone, the same double, one after the other in turns.

A peer is run as its user runs it on a change of two branches, with its defaults: what pr-agent does when a pull request is opened is
three commands; OCR has three efforts, and `medium` is its default.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import loopback
from benchmarks.peers import OCR, PR_AGENT, TY
from benchmarks.table import Run, measured
from benchmarks.tokens import counted

OURS = [sys.executable, "-m", "bot"]
EFFORTS, DEFAULT = ("low", "medium", "high"), "OCR medium"
COMMANDS = ("describe", "review", "improve")
BASE, HEAD = "base", "feature"
LONG, SAMPLE = 25, 7  # characters of a line that is looked for, and how many of a file


@dataclass(frozen=True, slots=True)
class Place:
    """Where one change is reviewed: a clone with two branches, a scratch folder, the double's address and its log."""

    clone: Path
    scratch: Path
    url: str
    log: Path

    def prompts(self) -> list[Mapping[str, str]]:
        """What the model was sent since the log was emptied."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextlib.contextmanager
def place(
    repo: Path, change: tuple[str, str], scratch: Path, delay_ms: int = 0, model: str = "counted"
) -> Iterator[Place]:
    """A place for this change of a repository; the double in it ends with the block. `model`: the module of that double."""
    clone = scratch / "clone"
    _git("clone", "--quiet", "--no-checkout", str(repo), str(clone))
    base, head = (_git("-C", str(repo), "rev-parse", f"{name}^{{commit}}") for name in change)
    _git("-C", str(clone), "branch", "--force", BASE, base)
    _git("-C", str(clone), "checkout", "--quiet", "--force", "-B", HEAD, head)
    (scratch / "home").mkdir()
    with double(scratch / "prompts", delay_ms, model) as (url, _):
        yield Place(clone, scratch, url, scratch / "prompts")


@contextlib.contextmanager
def double(log: Path, delay_ms: int = 0, model: str = "counted") -> Iterator[tuple[str, str]]:
    """The double in a process of its own: its addresses in OpenAI's and in Anthropic's dialect."""
    with loopback.started(model, str(log), str(delay_ms)) as (openai, anthropic):
        yield openai, anthropic


def ours(at: Place, output: Path, *, root: bool = False) -> Callable[[], Run]:
    """Our review, every unit read by a worker; its JSON is written to `output`. `root`: a root's model too, and the strategy that is chosen then."""
    command = [*OURS, "review", f"{BASE}..{HEAD}", "--repo", str(at.clone), "--format", "json", "--output", str(output)]
    command += ["--worker", "compatible/worker", *(["--root", "compatible/root"] if root else ["--strategy", "parts"])]
    return _emptied(at, lambda: measured(command, {"DEEPREPO_BASE_URL": at.url}))


def peers(at: Place, folder: Path | None, wanted: Sequence[str] = ()) -> dict[str, Callable[[], Run]]:
    """The reviews of the peers that are installed in `folder`, by name; `wanted`: of these alone."""
    found = {**_pr_agent(at, folder), **_ocr(at, folder)} if folder else {}
    return {name: _emptied(at, run) for name, run in found.items() if not wanted or name in wanted}


def type_checker(at: Place, folder: Path | None) -> dict[str, Callable[[], Run]]:
    """A type checker's look at the whole tree of the change, if it is installed in `folder`, by its name."""
    command = TY.command(folder) if folder else None
    return {"ty check": lambda: measured([str(command), "check", "--exit-zero", str(at.clone)])} if command else {}


def starts(folder: Path | None) -> dict[str, Callable[[], Run]]:
    """What the peers take to print their help."""
    commands = {peer.name: peer.command(folder) for peer in (PR_AGENT, OCR)} if folder else {}
    return {
        name: lambda command=command: measured([str(command), "--help"])
        for name, command in commands.items()
        if command
    }


def tokens(prompts: Sequence[Mapping[str, Any]], folder: Path | None) -> tuple[int, str]:
    """Tokens of prompts, their schemas and tools included, and how they were counted."""
    python = PR_AGENT.python(folder) if folder else None  # its environment has an encoding
    texts = [text for prompt in prompts for text in (*prompt["texts"], prompt["schemas"])]
    counts, how = counted(texts, [python] if python and python.exists() else [])
    return sum(counts), how


def seen(at: Place, prompts: Sequence[Mapping[str, str]]) -> tuple[int, int]:
    """Of how many changed files the model saw most of the added lines, and how many files have such lines.

    A few long lines of each file that no other file of the change adds are looked for in what was sent.
    """
    added: dict[str, list[str]] = {}
    path = ""
    for row in _git("-C", str(at.clone), "diff", "--unified=0", f"{BASE}..{HEAD}").split("\n"):
        if row.startswith("+++ "):
            path = row.removeprefix("+++ ").removeprefix("b/")
        elif row.startswith("+") and len(line := row[1:].strip()) >= LONG:
            added.setdefault(path, []).append(line)
    owners = Counter(line for lines in added.values() for line in set(lines))
    text = "\n".join(text for prompt in prompts for text in prompt["texts"])
    found = total = 0
    for lines in added.values():
        own = [line for line in dict.fromkeys(lines) if owners[line] == 1]
        looked = own[:: max(1, len(own) // SAMPLE)][:SAMPLE]
        total += bool(looked)
        found += bool(looked) and 2 * sum(line in text for line in looked) > len(looked)
    return found, total


def ratios(mine: float, theirs: Mapping[str, float], form: str = ",.0f", unit: str = "") -> str:
    """Each of theirs, and how many times ours it is."""
    return "; ".join(f"{name} {value:{form}}{unit}, {value / mine:.2g} times ours" for name, value in theirs.items())


def _pr_agent(at: Place, folder: Path) -> dict[str, Callable[[], Run]]:
    command = PR_AGENT.command(folder)
    if command is None:
        return {}
    site = next(PR_AGENT.folder(folder).glob("lib/python3*/site-packages"))
    env = {
        "HOME": str(at.scratch / "home"),
        "PYTHONPATH": "",  # one of the caller could show it another pr_agent
        "OPENAI__KEY": "none",
        "OPENAI__API_BASE": at.url,
        "CONFIG__GIT_PROVIDER": "local",
        "CONFIG__LOG_LEVEL": "ERROR",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # no download at import
        "TIKTOKEN_CACHE_DIR": str(site / "litellm" / "litellm_core_utils" / "tokenizers"),
        **{
            f"LOCAL__{what}_PATH": str(at.scratch / f"{what.lower()}.md")
            for what in ("REVIEW", "IMPROVE", "DESCRIPTION")
        },
    }
    return {
        f"pr-agent {word}": lambda word=word: measured([str(command), f"--pr_url={BASE}", word], env, str(at.clone))
        for word in COMMANDS
    }


def _ocr(at: Place, folder: Path) -> dict[str, Callable[[], Run]]:
    command = OCR.command(folder)
    if command is None:
        return {}
    env = {"HOME": str(at.scratch / "home")}
    settings = {
        "provider": "double",
        "custom_providers.double.url": at.url,
        "custom_providers.double.protocol": "openai",
        "custom_providers.double.api_key": "none",
        "custom_providers.double.model": "gpt-5",
        "model": "gpt-5",
    }
    for name, value in settings.items():
        subprocess.run(
            [command, "config", "set", name, value], env={**os.environ, **env}, check=True, capture_output=True
        )

    def run(effort: str) -> Run:
        words = ["review", "--effort", effort, "--from", BASE, "--to", HEAD, "--format", "json"]
        return measured([str(command), *words, "-o", str(at.scratch / "ocr.json")], env, str(at.clone))

    return {f"OCR {effort}": lambda effort=effort: run(effort) for effort in EFFORTS}


def _emptied(at: Place, run: Callable[[], Run]) -> Callable[[], Run]:
    """Empty the log first, so that it holds the prompts of the latest run."""

    def once() -> Run:
        at.log.write_text("")
        return run()

    return once


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.strip()
