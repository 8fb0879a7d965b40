"""A runner for action.yml that executes its steps as GitHub would, against the sandbox GitHub.

It resolves expressions, turns inputs into variables, provides each step's files, and reads workflow commands
from the log. Other actions and pip's downloads are replaced by their results; `test_action_installed.py`
checks the real installation.
"""

import asyncio
import inspect
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import children
import yaml
from runner_texts import outputs, plain, resolved

from bot import action
from bot.config.action import Inputs, RunnerVariables, Step
from bot.workflow.reviewing import Outcome
from deeprepo_sandbox import github as sandbox

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
WRITE = {"contents": "write", "pull_requests": "write", "checks": "write"}
READ = {"contents": "read", "pull_requests": "read"}
# Replaces the Python of actions/setup-python and its virtual environment: all packages are already installed.
PYTHON = f"""#!/bin/bash
case "$2 $3" in
  "-m venv") at="${{@: -1}}"; mkdir -p "$at/bin" && cp "$0" "$at/bin/python" ;;
  "-m pip") shift 3; echo "$@" >> "$PIP_SAW" ;;
  "-m bot") shift; PYTHONPATH={ROOT} exec {sys.executable} -P -W error "$@" ;;
  *) exec {sys.executable} "$@" ;;
esac
"""
_ORDER = re.compile(r"::([\w-]+)(?: ([^:]*(?:%3A[^:]*)*))?::(.*)")


@dataclass(frozen=True, slots=True)
class Ran:
    """The results of one run of the action."""

    code: int
    outputs: Mapping[str, str]
    summary: str
    log: str
    orders: tuple[tuple[str, Mapping[str, str], str], ...]  # name, properties, text

    @property
    def annotated(self) -> list[tuple[str, str, str]]:
        """Return level, file and line of the annotations on files."""
        return [(name, facts["file"], facts["line"]) for name, facts, _ in self.orders if "file" in facts]


@dataclass(slots=True)
class Stage:
    """A repository on the sandbox GitHub, and a runner with an empty workspace."""

    gh: sandbox.GitHub
    repo: sandbox.Repo
    folder: Path
    runs: int = 0
    env: dict[str, str] = field(default_factory=dict)  # environment variables of the job
    rows: list[str] = field(default_factory=list)

    @property
    def workspace(self) -> Path:
        """Return the folder in which the workflow's steps run."""
        return self.folder / "workspace"

    async def run(
        self,
        event: str,
        payload: Mapping[str, Any],
        permissions: Mapping[str, str] = WRITE,
        python: str = PYTHON,
        **inputs: str,
    ) -> Ran:
        """Run the composite action for an event, with its own folder and token."""
        self.runs += 1
        at = Running(self, self.folder / f"run-{self.runs}", self.gh.actions_token(self.repo, permissions))
        return await at.carried_out(event, payload, python, {n.replace("_", "-"): text for n, text in inputs.items()})

    async def told(self, name: str, payload: Mapping[str, Any], **how: Any) -> Outcome:  # noqa: ANN401
        """Run `deeprepo action` in this process, and return its result. `rows` contains its log."""
        children.preload()
        self.rows.clear()
        return await action.run(self.step(name, payload, **how), action.Console(self.rows.append))

    def step(
        self, name: str, payload: Mapping[str, Any], permissions: Mapping[str, str] = WRITE, **inputs: str
    ) -> Step:
        """Build the step that `deeprepo action` would get, for tests that need no process."""
        self.runs += 1
        path = self.folder / f"event-{self.runs}.json"
        path.write_text(json.dumps(payload))
        told = {
            "github_event_name": name,
            "github_event_path": path,
            "github_workspace": self.workspace,
            "github_api_url": self.gh.api,
            "github_step_summary": self.folder / "summary",
            "github_repository": self.repo.repository.full_name,
            "github_repository_id": self.repo.id,
            "github_run_id": f"80{self.runs}",
            "github_workflow_ref": f"{self.repo.repository.full_name}/.github/workflows/review.yml@refs/heads/main",
            "deeprepo_write_pause": 0,
        }
        given = {"github_token": self.gh.actions_token(self.repo, permissions), **inputs}
        return Step(Inputs.model_validate(given), RunnerVariables.model_validate(told))


@asynccontextmanager
async def stage(folder: Path, files: Mapping[str, str]) -> AsyncIterator[Stage]:
    """Create a private repository with these files. On exit, fail if traffic violated GitHub's API."""
    async with sandbox.github(folder / "github") as gh:
        repo = await gh.repository("acme", "shop", files=files, private=True)
        made = Stage(gh, repo, folder)
        # A workflow may check out a pull request into the workspace. Its files must never be imported.
        for name in ("bot", "json", "yaml", "pip", "venv"):
            (made.workspace / name).mkdir(parents=True)
            (made.workspace / name / "__init__.py").write_text(f"open({str(folder / 'pwned')!r}, 'w')\n")
        yield made
        assert gh.violations == ()
        assert not (folder / "pwned").exists()


def on_stage(files: Mapping[str, str]) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., Awaitable[None]]]:
    """Return a decorator that passes a test a stage with these files; its other parameters are fixtures."""

    def decorator(story: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        taken = inspect.signature(story)

        @wraps(story)
        async def test(tmp_path: Path, **given: Any) -> None:  # noqa: ANN401 - fixtures
            async with stage(tmp_path, files) as at:
                await story(at, **given)

        place = inspect.Parameter("tmp_path", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        test.__signature__ = taken.replace(parameters=[place, *list(taken.parameters.values())[1:]])  # type: ignore[attr-defined]
        return test

    return decorator


class Running:
    """One run of the job."""

    def __init__(self, at: Stage, folder: Path, token: str) -> None:
        self._at, self._folder, self._token = at, folder, token
        self._temp = folder / "temp"
        self._temp.mkdir(parents=True)
        self._log: list[str] = []
        self._orders: list[tuple[str, Mapping[str, str], str]] = []
        self._summary = ""

    async def carried_out(self, event: str, payload: Mapping[str, Any], python: str, given: Mapping[str, str]) -> Ran:
        """Run the steps in order, until one fails."""
        (self._folder / "event.json").write_text(json.dumps(payload))
        assert set(given) <= set(ACTION["inputs"])
        known: dict[str, str] = {"github.token": self._token, "runner.temp": str(self._temp)}
        known |= {"runner.os": "Linux", "runner.arch": "X64"}
        known |= {f"env.{name}": text for name, text in self._at.env.items()}
        for name, row in ACTION["inputs"].items():
            known[f"inputs.{name}"] = given.get(name, resolved(row["default"], known))
        code, env = 0, self._environment(event)
        for step in ACTION["runs"]["steps"]:
            left = self._used(step, python) if "uses" in step else await self._ran(step, env, known)
            code = left.pop("code", 0)
            known |= {f"steps.{step.get('id')}.outputs.{name}": str(text) for name, text in left.items()}
            if code:
                break
        told = {name: resolved(row["value"], known) for name, row in ACTION["outputs"].items()}
        return Ran(code, told, self._summary, "\n".join(self._log), tuple(self._orders))

    def _environment(self, event: str) -> dict[str, str]:
        """Return the variables that the runner sets for each step, without those of the test machine."""
        repository = self._at.repo.repository
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "PIP_SAW": str(self._folder / "pip"),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_ACTOR": "maintainer",
            "GITHUB_API_URL": self._at.gh.api,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(self._folder / "event.json"),
            "GITHUB_REPOSITORY": repository.full_name,
            "GITHUB_REPOSITORY_ID": str(repository.id),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": f"90{self._at.runs}",
            "GITHUB_WORKSPACE": str(self._at.workspace),
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(self._temp),
            "DEEPREPO_WRITE_PAUSE": "0",
            **self._at.env,
        }

    def _used(self, step: Mapping[str, Any], python: str) -> dict[str, Any]:
        """Return the outputs of another action, without running it."""
        action, _, pinned = step["uses"].partition("@")
        assert re.fullmatch("[0-9a-f]{40}", pinned)
        if action == "actions/cache":
            return {}
        assert action == "actions/setup-python"
        path = self._folder / "python"
        path.write_text(python)
        path.chmod(0o755)
        return {"python-path": path, "python-version": "3.11.0"}

    async def _ran(self, step: Mapping[str, Any], env: Mapping[str, str], known: Mapping[str, str]) -> dict[str, Any]:
        """Run a step's script; return its outputs and its exit code."""
        assert "${{" not in step["run"]
        files = {f"GITHUB_{name}": self._folder / f"{step['id']}.{name}" for name in ("OUTPUT", "STEP_SUMMARY")}
        for path in files.values():
            path.touch()
        script = self._folder / f"{step['id']}.sh"
        script.write_text(step["run"])
        own = {name: resolved(text, known) for name, text in step.get("env", {}).items()}
        process = await asyncio.create_subprocess_exec(
            "bash", "--noprofile", "--norc", "-eo", "pipefail", str(script),
            cwd=self._at.workspace,
            env={**env, **own, **{name: str(path) for name, path in files.items()}},
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        said, _ = await process.communicate()
        self._heard(said.decode())
        self._summary += files["GITHUB_STEP_SUMMARY"].read_text()
        return {**outputs(files["GITHUB_OUTPUT"].read_text()), "code": process.returncode or 0}

    def _heard(self, said: str) -> None:
        """Read a step's log for workflow commands."""
        word = ""
        for row in said.splitlines():
            self._log.append(row)
            found = _ORDER.fullmatch(row.strip())
            if word or found is None:
                word = "" if found and found[1] == word else word
            elif found[1] == "stop-commands":
                word = found[3]
            else:
                facts = dict(pair.split("=", 1) for pair in (found[2] or "").split(",") if pair)
                self._orders.append((found[1], {k: plain(v) for k, v in facts.items()}, plain(found[3])))
