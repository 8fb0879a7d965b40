"""The forms in which a review is handed over. A new one is one file with `render(review) -> str` and one line here.

Each is imported when it is asked for: the terminal's library takes longer to load than `--help` may.
"""

from collections.abc import Callable

from bot.ports import Output


def _console() -> Output:
    from bot.outputs import console

    return console


def _markdown() -> Output:
    from bot.outputs import markdown

    return markdown


def _json() -> Output:
    from bot.outputs import json_file

    return json_file


def _sarif() -> Output:
    from bot.outputs import sarif

    return sarif


OUTPUTS: dict[str, Callable[[], Output]] = {"console": _console, "markdown": _markdown, "json": _json, "sarif": _sarif}
