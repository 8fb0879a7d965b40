"""`deeprepo config`: every setting, its value and where it comes from."""

import asyncio
import tempfile
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell


def command(
    repo: Annotated[str, typer.Option(help="The git repository.", metavar="DIR")] = ".",
    explain: Annotated[bool, typer.Option("--explain", help="Say where each value comes from.")] = False,
) -> int:
    """Print the settings that a review of this repository would use."""
    from bot import checkout, config, wiring
    from bot.values import ReviewRequest

    async def resolved() -> config.Config:
        with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
            pull = await checkout.pull(ReviewRequest(repo), scratch)
            async with checkout.Checkout(pull) as tree:
                return config.resolve({}, await tree.at_tip(config.FILE), config.environment())

    found = asyncio.run(resolved())
    values = dict(found.values)
    if not (found["root"] or found["worker"] or found["strategy"] == "offline"):
        pair = zip(("root", "worker"), wiring.preferred(), strict=True)
        values |= {name: config.Value(model, "the key that is set") for name, model in pair if model}
    for name, value in values.items():
        shown = ", ".join(map(_shown, value.value)) if isinstance(value.value, tuple) else _shown(value.value)
        print(f"{name:<12} {shown or '(none)'}" + (f"   [{value.origin}]" if explain else ""))  # noqa: T201 - the command line speaks
    for warning in found.warnings:
        tell(f"warning: {warning}")
    return CLEAN


def _shown(item: object) -> str:
    """A value as .deeprepo.yml has it; an item of a list may be a pair such as an instruction's path and text."""
    if item is None or isinstance(item, bool):
        return "" if item is None else str(item).lower()
    return ": ".join(map(str, item)) if isinstance(item, tuple) else str(item)
