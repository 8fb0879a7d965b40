"""The output formats.

To add a format, add a module with `render(review) -> str`, and its name to `Format`. The modules are imported
on demand, because the terminal library takes too long to load for `--help`.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from bot.ports import Output

Format = Literal["console", "markdown", "json", "sarif"]


def _form(module: str) -> Any:  # noqa: ANN401 - a module that satisfies Output
    return import_module(f"bot.outputs.{module}")


OUTPUTS: "dict[str, Callable[[], Output]]" = {
    name: partial(_form, "json_file" if name == "json" else name) for name in get_args(Format)
}
