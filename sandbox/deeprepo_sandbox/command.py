"""`deeprepo demo`: try the whole product on one machine, without an account, a key or a network."""

import asyncio
import shlex
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer


def command(
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Review the sample change in the terminal and exit.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="Exit as soon as the review is posted.")] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page; 0 picks a free one.", metavar="PORT")
    ] = 0,
    effort: Annotated[
        str,
        typer.Option(
            help="`none`: without a model. `low`, `medium`, `high`: with the models whose keys are set. `scripted`: with a model whose"
            " answers were written in advance, so that you need no key."
        ),
    ] = "scripted",
    log: Annotated[bool, typer.Option("--log", help="Show the server's log.")] = False,
) -> int:
    """Open a sample pull request on a sandbox GitHub and let the bot review it. Press Ctrl-C to stop.

    The sandbox and the real server run on this machine, so you need no account, key or network. With the
    scripted model, people in the sandbox also talk to the bot, which withdraws a finding and learns a rule.
    """
    from bot.cli.exits import CLEAN, tell
    from bot.machine import extras

    if terminal:
        _print_review()
        return CLEAN
    extras.need("server")
    if effort != "none":
        extras.need("models")
    try:
        asyncio.run(_run_stage(port, effort, once=once, log=log))
    except (KeyboardInterrupt, asyncio.CancelledError):
        tell("\nThe demo has ended. The sandbox was deleted.")
    return CLEAN


def _print_review() -> None:
    """Review the sample change like `deeprepo review` in a checkout."""
    from bot.cli.exits import finish, tell
    from bot.cli.reviewing import deliver, progress, scratch_folder
    from bot.values import TypedChange
    from bot.wiring.review import local_review
    from deeprepo_sandbox.demo import build, build_user

    with tempfile.TemporaryDirectory(prefix="deeprepo-demo-") as place:
        folder, user = Path(place, "parcel"), Path(place, "storefront")
        for each, make in ((folder, build), (user, build_user)):
            each.mkdir()
            make(str(each))
        tell(
            "This is `deeprepo review` on a sample change, without a key or a network. It also checks a clone of another"
        )
        tell("repository that uses the changed code, as with the option --with.\n")
        request = TypedChange(str(folder), "range", "main", "pull-request")
        flags = {"effort": "none", "with_clones": (str(user),)}
        with scratch_folder(request) as scratch, progress(quiet=False) as say:
            done = finish(local_review(request, flags, scratch, say, warn=tell))
        deliver(done, "console", None)
    tell(f"\nTo review your own change: {_program()} review --repo /path/to/your/clone")


def _program() -> str:
    """Return this installation's command, as you would type it in this folder."""
    here = Path(sys.executable).with_name("deeprepo")
    if not here.exists() or shutil.which("deeprepo") == str(here):
        return "deeprepo"
    return shlex.quote(str(here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here))


async def _run_stage(port: int, effort: str, *, once: bool, log: bool) -> None:
    """Run the demo until it is cancelled."""
    from bot.cli.exits import tell
    from deeprepo_sandbox.demo import live, story

    this = asyncio.current_task()
    if this is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    async with live.open_stage(port, effort, tell, tell if log else None) as stage:
        tell(f"review     {await live.wait_for_review(stage)}")
        if once:
            return
        if effort == live.SCRIPTED:
            try:
                await story.play(stage.gh, stage.repo, stage.number, tell)
            except TimeoutError:
                raise stage.bot.failure("the bot did not answer in time") from None
        tell(f"\nOpen this page: {stage.gh.page(stage.number)}")
        tell(f"One-time sign-in link for the operator's page: {await stage.bot.page}\n")
        tell(story.TO_TRY_BY_CODE if effort == "none" else story.TO_TRY)
        await stage.bot.process.wait()
        raise stage.bot.failure("the server has ended")
