"""`deeprepo status`: show operators what their server is doing, and what it costs."""

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import CLEAN, FAULT, USAGE, finish, tell, terminal_text
from bot.machine import extras

if TYPE_CHECKING:
    from rich.table import Table

    from bot.app.status import ServerStatus
    from bot.config.server import Server
    from bot.storage.listing import DaySum


def command(
    days: Annotated[float, typer.Option(min=0.01, help="How many days the figures cover.")] = 7.0,
    link: Annotated[
        bool, typer.Option("--link", help="Print a one-time sign-in link for the operator's page.")
    ] = False,
) -> int:
    """Show what the server on this machine is doing, its last reviews, and what they cost by repository.

    Takes the settings of `deeprepo serve`. Exit codes: 0 the server is ready, 2 a setting is wrong, 3 it is not ready, has a
    warning, or its database cannot be read.
    """
    extras.need("server")
    from bot.app.status import status
    from bot.config.server import server_settings

    if link:
        return _link(server_settings())
    server = finish(status(server_settings(), days, time.time()))
    _show(server, days)
    return FAULT if server.unready or server.warning or server.problem else CLEAN


def _link(settings: "Server") -> int:
    from bot.app import operator

    if settings.app is None:
        tell("the App's credentials are not set. Run `deeprepo serve` and open the setup page")
        return USAGE
    print(operator.link(settings, settings.options.public_url or settings.options.address()))  # noqa: T201 - the command line speaks
    return CLEAN


def _show(server: "ServerStatus", days: float) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    state = (
        f"not ready: {server.unready}"
        if server.unready
        else f"ready, but {server.warning}"
        if server.warning
        else "ready"
    )
    console.print(Text(f"server   {server.address}: {state}"))
    if server.jobs:
        console.print(Text(f"jobs     {', '.join(f'{count} {state}' for state, count in server.jobs)}"))
    if server.problem:
        console.print(Text(f"database {server.problem}"))
        return
    day = server.day
    console.print(
        Text(f"24 hours {_reviews(day)}, {_dollars(day)}"),
        Text(f"limits   ${server.counted[1]:,.2f} spent against the 24-hour limits ({_times(server.counted[0])})"),
        Text(f"{days:g} days   {_reviews(server.period)}, {_dollars(server.period)}{_half(server)}"),
        sep="\n",
    )
    if server.period:
        console.print(_spending(server), _recent(server), sep="\n")
    if server.failures:
        console.print(_failures(server))


def _half(server: "ServerStatus") -> str:
    from bot.render.page_filters import duration

    return "" if server.half is None else f", half of them in under {duration(server.half)}"


def _spending(server: "ServerStatus") -> "Table":
    from bot.render.page_filters import percent

    table = _table("repository", "reviews", "clean", "calls", "tokens", "dollars", "addressed", "last")
    shares = dict(server.addressed)
    for row in server.period:
        counts = (f"{number:,}" for number in (row.reviews, row.clean, row.calls, row.tokens))
        table.add_row(
            row.repository, *counts, _dollars([row]), percent(shares.get(row.repository)), _utc_time(row.last)
        )
    return table


def _recent(server: "ServerStatus") -> "Table":
    table = _table("last reviews", "conclusion", "strategy", "seconds", "dollars", "finished")
    for review in server.recent:
        usd = "unknown" if review.usd is None else f"${review.usd:,.2f}"
        figures = (review.conclusion, review.strategy, f"{review.seconds:,.0f}", usd)
        table.add_row(f"{review.name}#{review.number}", *figures, _utc_time(review.finished))
    return table


def _failures(server: "ServerStatus") -> "Table":
    table = _table("failed", "what", "why", "when")
    for failure in server.failures:
        where = f"{failure.pull.owner}/{failure.pull.name}#{failure.pull.number}"
        table.add_row(where, failure.what, terminal_text(failure.why), _utc_time(failure.failed))
    return table


def _table(*names: str) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        right = name in {"reviews", "clean", "calls", "tokens", "dollars", "seconds", "addressed"}
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    return table


def _dollars(rows: "list[DaySum] | tuple[DaySum, ...]") -> str:
    unknown = sum(row.unpriced_reviews for row in rows)
    more = f" and {unknown} of unknown price" if unknown else ""
    return f"${sum(row.usd for row in rows):,.2f}{more}"


def _reviews(rows: "list[DaySum] | tuple[DaySum, ...]") -> str:
    from bot.render import count

    return count(sum(row.reviews for row in rows), "review")


def _times(times: int) -> str:
    from bot.render import count

    return f"{count(times, 'review or question', 'reviews and questions')}; running ones count at their full budget"


def _utc_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
