"""`deeprepo config`: print every setting with its value, and where the value comes from."""

import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, finish, say, tell
from bot.cli.options import RepoFolder
from bot.errors import NoCommitError


def command(
    repo: RepoFolder = ".",
    explain: Annotated[bool, typer.Option("--explain", help="Show where each value comes from.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of .deeprepo.yml instead.")] = False,
    reference: Annotated[
        bool, typer.Option("--reference", help="Print a Markdown reference of every setting instead.")
    ] = False,
) -> int:
    """Print the settings that a review of this repository would use.

    They come from .deeprepo.yml on the base branch, from the default settings in the clone that
    DEEPREPO_ORGANIZATION points to, and from the environment.
    """
    from bot import checkout, config
    from bot.values import TypedChange
    from bot.wiring.access import in_force
    from bot.wiring.review import shared_files

    if schema:
        print(config.json_schema(), end="")  # noqa: T201 - the command line speaks
        return CLEAN
    if reference:
        print(_reference(), end="")  # noqa: T201 - the command line speaks
        return CLEAN

    async def resolve() -> config.Config:
        with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
            try:
                pull = await checkout.pull(TypedChange(repo), scratch)
            except NoCommitError:
                tell("This repository has no commits yet, so .deeprepo.yml is not read.")
                return config.resolve({}, None, config.environment())
            async with checkout.Checkout(pull) as tree:
                others = list(await tree.many_at_tip(config.OTHER_NAMES))
                text = await tree.settings_at_tip(config.FILE)
                content = text if isinstance(text, bytes) else b""
                _compare(Path(repo, config.FILE), content)
                settings = config.environment()
                shared = await shared_files(pull, settings, scratch)
                return config.resolve({}, text, settings, others=others, shared=shared)

    settings = in_force(finish(resolve()))
    for name, value, origin in settings.rows():
        say(f"{name:<26} {value or '(not set)'}" + (f"   [{origin}]" if explain else ""))
    for warning in settings.warnings:
        tell(f"warning: {warning}")
    sys.stdout.flush()  # so that the hint comes last, even if both streams go to one file
    source = "" if explain else "To see where each value comes from, add --explain. "
    tell(f"\n{source}To see what each setting does, run `deeprepo config --reference`.")
    return CLEAN


def _compare(path: Path, in_force: bytes) -> None:
    """Print a message if the settings file in the work tree differs from the one that reviews use."""
    if not path.is_file():
        return
    with suppress(OSError):
        if path.read_bytes().splitlines() != in_force.splitlines():
            tell(
                f"{path} differs from the file on the base branch, which is the one in use. Merge your changes to apply them."
            )


def _reference() -> str:
    """Return the contents of docs/configuration.md."""
    from bot import render
    from bot.config.reference import tables
    from bot.wiring.access import PREFERRED
    from deeprepo.rlm.models import PROVIDERS

    return render.text(
        "reference/configuration.md.j2", **tables(), providers=list(PROVIDERS.values()), pairs=list(PREFERRED)
    )
