"""`deeprepo estimate`: estimate the model calls and the cost of a review, without making any call."""

import json
import sys
from functools import partial
from typing import Annotated, Any, Literal

import typer

from bot.cli import options, review, reviewing
from bot.cli.exits import CLEAN, finish
from bot.cli.options import RunTests

# How models read a change in each strategy, for people who don't know its name.
STRATEGIES = {
    "offline": "static checks only",
    "parts": "one prompt, or one for each part of the change",
    "root": "a root model reads the change and searches the repository",
    "rlm": "one prompt for each part, then a root model connects them",
}


@options.accept_options_of(review.command)
def command(
    change: Annotated[
        str | None, typer.Argument(metavar="BASE..HEAD", help="What to review, as in `deeprepo review`.")
    ] = None,
    repo: options.RepoFolder = ".",
    staged: options.Staged = False,
    uncommitted: options.Uncommitted = False,
    effort: options.EffortOption = None,
    root: options.RootModel = None,
    worker: options.WorkerModel = None,
    thinking: options.Thinking = None,
    strategy: options.StrategyOption = None,
    max_usd: options.MaxUsd = None,
    form: Annotated[Literal["console", "json"], typer.Option("--format", help="Output format.")] = "console",
    verify: options.Verify = None,
    previous: options.Previous = None,
    full: options.Full = False,
    run: RunTests = None,
    quiet: options.Quiet = False,
) -> int:
    """Estimate the model calls, tokens and cost of a review at each effort level. Nothing is sent, and no key is needed.

    Takes the same arguments as `deeprepo review`. Exit codes: 0, or 2 for a usage error.
    """
    from bot import checkout
    from bot.wiring import local

    choices = {
        "root": root, "worker": worker, "thinking": thinking, "strategy": strategy, "effort": effort, "usd": max_usd,
        "verify": verify,
    }  # fmt: skip
    flags = reviewing.flags(choices, run_tests=run, full=full, previous=previous)
    request = checkout.typed_change(change, repo, staged=staged, uncommitted=uncommitted)
    with reviewing.scratch_folder(request) as scratch, reviewing.progress(quiet=quiet) as say:
        estimates = finish(local.estimate_costs(request, flags, scratch, say))
    if form == "json":
        sys.stdout.write(json.dumps(estimates, indent=2) + "\n")
    else:
        _table(estimates)
    return CLEAN


def _table(estimates: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    from bot.machine import extras
    from bot.render import count
    from bot.render.disarm import line

    console, table = Console(), Table(box=None, padding=(0, 2, 0, 0))
    say = partial(console.print, highlight=False, markup=False)
    table.add_column("Effort", no_wrap=True)
    table.add_column("How models read it")
    for name in ("Model\ncalls", "Input\ntokens", "Output\ntokens", "Cost"):
        table.add_column(name, justify="right", no_wrap=True)  # a number is never shortened
    limit = estimates["cap_usd"]
    for entry in estimates["efforts"]:
        usage, usd = entry["usage"], entry["usd"]
        mark = " (selected)" if entry["effort"] == estimates["effort"] else ""
        counts = (f"{number:,}" for number in (entry["calls"], usage["input"], usage["output"]))
        table.add_row(entry["effort"] + mark, STRATEGIES[entry["strategy"]], *counts, _cost(usd, limit))
    extent = f"{count(estimates['units'], 'code region')} in {count(estimates['files'], 'file')}"
    say(f"What a review of this change would cost ({extent}). Nothing was sent.\n")
    for path, why in estimates["left_out"].items():
        say(line(f"Not read: {path}, {why}"))
    if estimates["efforts"]:
        console.print(table)
    models = f"root model {estimates['root'] or 'none'}, worker model {estimates['worker']}"
    if estimates["is_configured"]:
        say(f"\nModels: {models}")
    else:
        say(f"\nNo model is configured, so these figures assume {models}.")
        say(
            "To have models review the change, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or choose models with --root and --worker."
        )
    say(f"\nStrategy {estimates['strategy']['name']}: {estimates['strategy']['reason']}.")
    say(
        "To choose another effort, use --effort or set `effort` in .deeprepo.yml. With `--effort none`, the review uses no model and is free."
    )
    if limit is not None:
        origin = {"default": "the default", "flag": "--max-usd"}.get(estimates["cap_from"], estimates["cap_from"])
        say(f"A review stops before it costs more than ${limit:.2f} ({origin}). To change this limit, use --max-usd.")
    if not extras.is_installed("models"):
        missing = "To see prices and the calls of a root model, install model support"
        say(f"{missing}: {extras.install('models')}", soft_wrap=True)
    say("\nThis is an estimate from the averages of recorded reviews, so the real cost can differ.", style="dim")


def _cost(usd: float | None, limit: float | None) -> str:
    if usd is None:
        return "price unknown"
    return f"${usd:.4f}" + (" (above the limit)" if limit is not None and usd > limit else "")
