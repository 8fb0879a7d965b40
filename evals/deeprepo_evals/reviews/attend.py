"""One pull request of ReviewBench, reviewed in its container: the variables of the contract in, the file of the contract out."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bot import config, pipeline, wiring
from bot.errors import ConfigError, ProviderError, UsageError
from bot.values import Review, ReviewRequest
from deeprepo_evals.reviews.contract import findings_json
from deeprepo_evals.reviews.runner import Contract

SECONDS = 780.0  # of the 900 that a pull request may take


async def attend(contract: Contract, scratch: str, say: Callable[[str], None]) -> Review:
    """Review it and write the findings. Raises ProviderError where no model answered: the benchmark tries again then."""
    told = _golden(contract.pr_json)
    flags = {
        "strategy": contract.config_strategy,
        "root": contract.config_root,
        "worker": contract.config_worker,
        "seconds": SECONDS,
    }

    brief = await wiring.brief(ReviewRequest(str(contract.repo), "range", contract.base, contract.head), flags, scratch)
    pull = replace(brief.pull, title=str(told.get("title") or ""), body=str(told.get("body") or ""))
    brief = replace(brief, pull=pull)
    opened = partial(wiring.journal, flags, config.environment().journal, pull)
    review = await pipeline.review(brief, wiring.tools(brief, scratch, wiring.lines(say), opened))
    if review.fault == "provider" and not review.coverage.count("unit", "reviewed"):
        raise ProviderError(review.notes[-1] if review.notes else "no model answered")
    pr = {
        "repo": told.get("repo") or f"https://github.com/{contract.nwo}",
        "pr_number": contract.pr_number,
        "base": contract.base,
        "head": contract.head,
    }
    _write(contract.out, findings_json(review, pr, contract.agent))
    return review


def _golden(path: Path) -> Mapping[str, Any]:
    """What the benchmark says of the pull request."""
    try:
        told = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"RB_PR_JSON: {path} cannot be read: {error}") from error
    if not isinstance(told, dict):
        raise ConfigError(f"RB_PR_JSON: {path} does not hold a pull request")
    return told


def _write(path: Path, text: str) -> None:
    """All of it or nothing: a half-written file fails the pull request."""
    part = path.with_suffix(".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, "utf-8")
        os.replace(part, path)  # noqa: PTH105 - over an earlier attempt's file
    except OSError as error:
        raise UsageError(f"RB_OUT: {path} cannot be written: {error.strerror}") from error
