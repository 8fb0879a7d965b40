"""`deeprepo estimate`: what a review would ask and cost, before anything is spent."""

import json
import sys
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Literal

import typer

from bot.cli import options, review, reviewing
from bot.cli.exits import CLEAN, finish


@options.also_takes(review.command)
@options.with_features(is_estimate=True)
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
    of_features: Mapping[str, Any] = MappingProxyType({}),
    quiet: options.Quiet = False,
) -> int:
    """Estimate the model calls, tokens and cost of a review at each effort level. Nothing is sent, and no key is needed.

    Takes the same arguments as `deeprepo review`. Exit codes: 0, or 2 for a usage error.
    """
    from bot.checkout import typed
    from bot.wiring import local

    choices = {
        "root": root, "worker": worker, "thinking": thinking, "strategy": strategy, "effort": effort, "usd": max_usd,
        "verify": verify,
    }  # fmt: skip
    flags = reviewing.flags(choices, of_features=of_features, full=full, previous=previous)
    request = typed.read(change, repo, staged=staged, uncommitted=uncommitted)
    with reviewing.workplace(request) as scratch, reviewing.progress(quiet=quiet) as say:
        estimates = finish(local.weigh(request, flags, scratch, say))
    if form == "json":
        sys.stdout.write(json.dumps(estimates, indent=2) + "\n")
    else:
        _table(estimates)
    return CLEAN


def _table(estimates: dict[str, Any]) -> None:
    """The figures as a table."""
    from rich.console import Console
    from rich.table import Table

    from bot.machine import extras
    from bot.render import count
    from bot.render.disarm import line

    console, table = Console(), Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("effort", no_wrap=True)
    table.add_column("strategy", no_wrap=True)
    for name in ("calls", "tokens in", "at least", "out", "about", "root"):
        table.add_column(name, justify="right", no_wrap=name == "about")
    for entry in estimates["efforts"]:
        usage, effort = entry["usage"], entry["effort"]
        mark = " <- chosen" if effort == estimates["effort"] else ""
        usd, share = entry["usd"], entry["root_usd"]
        money = "price unknown" if usd is None else f"${usd:.4f}"
        above = usd is not None and estimates["cap_usd"] is not None and usd > estimates["cap_usd"]
        part = "" if not usd or share is None else f"{share / usd:.0%}"
        counts = (entry["calls"], usage["input"], entry["weighed"]["input"], usage["output"])
        table.add_row(
            effort + mark,
            entry["strategy"],
            *(f"{count:,}" for count in counts),
            money + (" > limit" if above else ""),
            part,
        )
    console.print(
        f"{count(estimates['units'], 'code region')} in {count(estimates['files'], 'file')}; {estimates['strategy']['reason']}"
    )
    say = partial(console.print, highlight=False, markup=False)
    for path, why in estimates["left_out"].items():
        say(line(f"{path} was not read: {why}."))
    say(f"root model: {estimates['root'] or 'none'}; worker model: {estimates['worker']}\n")
    if estimates["efforts"]:
        console.print(table)
    if not extras.is_installed("models"):
        missing = "Install model support to see prices and the calls of a root model"
        say(f"\n{missing}: {extras.install('models')}", soft_wrap=True)
    if estimates["cap_usd"] is not None:
        say(f"\nThe limit for one review is ${estimates['cap_usd']:.2f} ({estimates['cap_from']}).")
    say(
        "\n'at least' is the number of input tokens if no model requests more code and nothing is found. 'root' is the root model's share of the cost."
    )
    if any(entry["strategy"] == "cascade" for entry in estimates["efforts"]):
        say(
            "At effort medium, cascade makes one call and uses the root model only if questions remain (in 15 of 100 recorded reviews)."
        )
    say("Effort none runs only static checks, which cost nothing.")
    say(f"Averages from recorded reviews: {estimates['assumed']}.", style="dim")
