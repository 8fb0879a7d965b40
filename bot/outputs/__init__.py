"""The forms in which a review is handed over. A new one is one file with `render(review) -> str` and one line here.

Each is imported when it is asked for: the terminal's library takes longer to load than `--help` may.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from bot.ports import Output


def _form(module: str) -> Any:  # noqa: ANN401 - a module that satisfies Output
    return import_module(f"bot.outputs.{module}")


OUTPUTS: dict[str, Callable[[], Output]] = {
    name: partial(_form, module)
    for name, module in (("console", "console"), ("markdown", "markdown"), ("json", "json_file"), ("sarif", "sarif"))
}
