"""ReviewBench's container contract: any command that keeps it is measured on our cases.

The contract (review-bench/ReviewBench, AGENT_CONTRACT.md): RB_REPO is a checkout at RB_HEAD, RB_DIFF the three-dot diff,
RB_PR_JSON says what the pull request is; findings go to RB_OUT as JSON.
"""

import asyncio
import json
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.checkout import git
from bot.errors import ProviderError
from deeprepo_evals.reviews import build
from deeprepo_evals.reviews.outcome import MeasuredFinding, Outcome
from deeprepo_evals.reviews.reviewer import Task

SECONDS = 900.0  # of one pull request, as the contract has it
TAIL = 300  # characters of a failed command's last words


@dataclass(frozen=True, slots=True)
class Command:
    """Any reviewer that is a command and keeps the contract."""

    words: tuple[str, ...]
    seconds: float = SECONDS

    @property
    def name(self) -> str:
        """What the tables call it."""
        return f"command {Path(self.words[0]).name}"

    async def review(self, task: Task) -> Outcome:
        """One case. Raises ProviderError where the command breaks the contract: nothing of it is scored then."""
        repo = await build.checked_out(task.repo, Path(task.scratch, "repo"))
        given = await _variables(task, repo, Path(task.scratch))
        started = time.monotonic()
        await self._run([f"{name}={value}" for name, value in given.items()], repo, task.case.id)
        seconds = round(time.monotonic() - started, 3)
        findings = _findings(Path(given["RB_OUT"]), given, self.name)
        return Outcome(findings=findings, seconds=seconds, usd=None)

    async def _run(self, variables: list[str], repo: Path, case: str) -> None:
        """Run it in the checkout. `env` sets the variables, so that it also has those of the shell, as the contract says."""
        process = await asyncio.create_subprocess_exec(
            "env", *variables, *self.words,
            cwd=repo, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            process_group=0,  # what it starts is ended with it: a program that is left would hold the pipe open for ever
        )  # fmt: skip
        try:
            async with asyncio.timeout(self.seconds):
                _, said = await process.communicate()
        except TimeoutError:
            await _end_process(process)
            raise ProviderError(f"{self.name} took longer than {self.seconds:g} seconds on {case}") from None
        except asyncio.CancelledError:
            await _end_process(process)
            raise
        if process.returncode:
            last = said.decode("utf-8", "replace").strip()[-TAIL:]
            raise ProviderError(f"{self.name} exited with {process.returncode} on {case}: {last}")


async def _end_process(process: asyncio.subprocess.Process) -> None:
    """End a command and what it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.communicate()


async def _variables(task: Task, repo: Path, scratch: Path) -> dict[str, str]:
    """The variables of the contract, and the files behind them."""
    base, head = [await _commit(task.repo, branch) for branch in ("base", "head")]
    patch = await git.output("diff", f"{base}...{head}", cwd=str(task.repo))
    body = (await git.output("log", "-1", "--format=%b", head, cwd=str(task.repo))).decode("utf-8", "replace")
    number = 1
    pull = {"repo": f"https://github.com/{task.case.clone}", "pr_number": number, "base": base, "head": head}
    told = {**pull, "nwo": task.case.clone, "title": task.case.title, "body": body.strip()}
    out = scratch / "out"
    await asyncio.to_thread(out.mkdir, parents=True, exist_ok=True)
    (scratch / "diff.patch").write_bytes(patch)
    (scratch / "pr.json").write_text(json.dumps(told), "utf-8")
    return {
        "RB_REPO": str(repo),
        "RB_DIFF": str(scratch / "diff.patch"),
        "RB_PR_JSON": str(scratch / "pr.json"),
        "RB_OUT": str(out / "findings.json"),
        "RB_NWO": task.case.clone,
        "RB_PR_NUMBER": str(number),
        "RB_BASE": base,
        "RB_HEAD": head,
        "RB_AGENT": "candidate",
    }


async def _commit(repo: Path, branch: str) -> str:
    return (await git.output("rev-parse", branch, cwd=str(repo))).decode().strip()


def _findings(path: Path, variables: Mapping[str, str], name: str) -> tuple[MeasuredFinding, ...]:
    from deeprepo_evals.reviews import strangers

    try:
        data = path.read_bytes()
    except OSError as error:
        raise ProviderError(f"{name} wrote no findings to RB_OUT: {error.strerror}") from error
    told = strangers.findings(data, name)
    if told.pr.head != variables["RB_HEAD"] or str(told.pr.pr_number) != variables["RB_PR_NUMBER"]:
        raise ProviderError(f"{name} wrote the findings of another pull request: pr.head or pr.pr_number differ")
    return tuple(
        MeasuredFinding(item.file, item.start_line, item.end_line, item.message, source=item.producer)
        for item in told.findings
    )
